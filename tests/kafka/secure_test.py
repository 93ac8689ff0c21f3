"""Nodes reach brokers that accept only TLS and passwords. Needs such brokers: see with_brokers.py --secure."""
import os
import pathlib
import subprocess

import pytest

from secrets_of_brokers import USER
from service import BINARY, Service

SECRETS = pathlib.Path(os.environ["TILTH_TEST_SECRETS"])
PASSWORD = (SECRETS / "password").read_text().strip()


def config(authority="ca", password=SECRETS / "password"):
    return f"""
[kafka]
security.protocol = "SASL_SSL"
ssl.ca.location = "{SECRETS / authority}.pem"
sasl.mechanism = "PLAIN"
sasl.username = "{USER}"
sasl.password_file = "{password}"
"""


@pytest.fixture
def node(tmp_path):
    """Creates a node with a configuration; none outlives the test."""
    made = []

    def make(**given):
        made.append(Service(tmp_path, config=config(**given)))
        return made[-1]

    yield make
    for each in made:
        each.kill()


def refused(service):
    service.launch()
    assert service.child.wait(120) == 1
    said = service.tail()
    assert PASSWORD not in said
    return said


def test_a_node_keeps_its_history_where_only_passwords_over_tls_are_taken(node):
    service = node().start()
    user = service.user()
    farm = user.farm()
    service.restart()
    again = service.client_of(user)
    assert again.read(f"/farms/{farm['id']}") == farm
    service.stop()
    said = service.tail() + (service.directory / "stdout.log").read_text()
    assert PASSWORD not in said


def test_a_configuration_is_shown_without_its_password(node):
    service = node()
    shown = subprocess.run([BINARY, "config", "check", "--config", service.directory / "tilth.toml"],
                           stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
                           env=service.environment)
    assert shown.returncode == 0, shown
    assert "sasl.password_file" in shown.stdout and PASSWORD not in shown.stdout + shown.stderr


def test_a_wrong_password_is_refused_with_the_reason(node, tmp_path):
    wrong = tmp_path / "wrong"
    wrong.write_text("open sesame\n")
    said = refused(node(password=wrong))
    assert "Authentication failed" in said and "Kafka cannot be used" in said and "open sesame" not in said


def test_a_broker_of_another_authority_is_not_believed(node):
    said = refused(node(authority="stranger"))
    assert "certificate verify failed" in said and "Kafka cannot be used" in said

"""compose.yaml and the Dockerfile use only settings that the service has, and name only files that exist."""
import os
import pathlib
import re
import shutil
import subprocess

import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(os.environ.get("TILTH_BINARY", ROOT / "build/dev/tilth")).resolve()
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text())
SERVICES = COMPOSE["services"]
BROKERS = {name: each for name, each in SERVICES.items() if "kafka" in each["image"]}
NODES = {name: each for name, each in SERVICES.items() if "build" in each}


def flags(node):
    return dict(word.lstrip("-").split("=", 1) for word in node["command"][1:])


def test_there_are_three_brokers_three_nodes_and_prometheus():
    assert (len(BROKERS), len(NODES), len(SERVICES)) == (3, 3, 7)


def test_brokers_know_one_another():
    voters = {f"{each['environment']['KAFKA_NODE_ID']}@{name}:9093" for name, each in BROKERS.items()}
    for name, each in BROKERS.items():
        settings = each["environment"]
        assert set(settings["KAFKA_CONTROLLER_QUORUM_VOTERS"].split(",")) == voters
        assert settings["KAFKA_ADVERTISED_LISTENERS"] == f"PLAINTEXT://{name}:9092"
        assert all(isinstance(value, str) for value in settings.values()), settings


def test_nodes_are_started_with_flags_that_there_are_and_know_all_brokers():
    known = subprocess.run([BINARY, "serve", "--help"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    for node in NODES.values():
        assert node["command"][0] == "serve"
        for flag in flags(node):
            assert f"--{flag} " in known.stdout, flag
        assert set(flags(node)["brokers"].split(",")) == {f"{name}:9092" for name in BROKERS}
        assert set(flags(node)["operator-hosts"].split(",")) == set(NODES)
        assert set(node["depends_on"]) == set(BROKERS)


def test_every_volume_is_declared_and_used_once():
    used = [volume.split(":")[0] for each in SERVICES.values() for volume in each["volumes"]]
    assert sorted(used) == sorted(COMPOSE["volumes"])
    for node in NODES.values():
        assert node["volumes"][0].split(":")[1] == flags(node)["data"]


def test_prometheus_asks_every_node_where_operators_are_answered():
    content = yaml.safe_load(COMPOSE["configs"]["prometheus"]["content"])
    targets = content["scrape_configs"][0]["static_configs"][0]["targets"]
    assert set(targets) == {f"{name}:{flags(node)['operator-listen'].split(':')[1]}" for name, node in NODES.items()}


def test_nothing_but_the_api_and_prometheus_is_reached_from_outside_and_only_from_this_machine():
    open_ports = [port for each in SERVICES.values() for port in each.get("ports", [])]
    assert sorted(port.split(":")[2] for port in open_ports) == ["8080", "8080", "8080", "9090"]
    assert all(port.startswith("127.0.0.1:") for port in open_ports)


def test_the_dockerfile_copies_what_is_there_and_sets_what_is_known():
    text = (ROOT / "Dockerfile").read_text()
    for sources in re.findall(r"^COPY ((?!--from)\S+) ", text, re.M):
        assert (ROOT / sources).exists(), sources
    variables = re.findall(r"TILTH_(\w+)=", text)
    known = subprocess.run([BINARY, "serve", "--help"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert variables and all(f"--{name.lower().replace('_', '-')} " in known.stdout for name in variables)


def test_the_dockerfile_finds_the_packages_of_the_libraries():
    found = re.search(r"ldd \S+ (\|.*?) >libraries.txt", (ROOT / "Dockerfile").read_text().replace("\\\n", ""), re.S)
    done = subprocess.run(["bash", "-c", f"ldd {BINARY} {found.group(1)}"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert {"librdkafka1", "librocksdb7.8", "libssl3"} <= set(done.stdout.split()), done.stdout


@pytest.mark.skipif(not shutil.which("docker") or
                    subprocess.run(["docker", "compose", "version"], capture_output=True).returncode != 0,
                    reason="there is no docker compose")
def test_compose_reads_it():
    done = subprocess.run(["docker", "compose", "-f", ROOT / "compose.yaml", "config", "-q"], capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stderr

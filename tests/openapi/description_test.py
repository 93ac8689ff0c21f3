"""The API's description: it is valid, its examples match it, and clients can be generated from it."""
import json
import os
import pathlib
import subprocess
import sys

import jsonschema
import pytest
from client import Client
from openapi_spec_validator import OpenAPIV31SpecValidator

HERE = pathlib.Path(__file__).parent


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], text=True, capture_output=True, timeout=900, **options)
    assert done.returncode == 0, (done.stdout + done.stderr)[-6000:]
    return done.stdout


def test_it_is_openapi_3_1(described):
    document = json.loads(described.read_text())
    assert document["openapi"].startswith("3.1.")
    OpenAPIV31SpecValidator(document).validate()


# Spectral knows scopes of OAuth alone; since 3.1 any security requirement may name some, such as those of our keys.
# Whom to contact is up to the installation.
SPECTRAL = """
extends: ['spectral:oas']
rules:
  oas3-operation-security-defined: off
  info-contact: off
"""


def test_the_rules_that_spectral_recommends_find_nothing(described, tmp_path):
    (tmp_path / "rules.yaml").write_text(SPECTRAL)
    spectral = pathlib.Path(os.environ["RULES_MODULES"]) / ".bin/spectral"
    run(spectral, "lint", described, "--ruleset", tmp_path / "rules.yaml", "--fail-severity", "warn", cwd=tmp_path)


def test_the_rules_that_redocly_recommends_find_nothing(described, tmp_path):
    redocly = pathlib.Path(os.environ["RULES_MODULES"]) / ".bin/redocly"
    told = run(redocly, "lint", described, "--extends", "recommended", "--format", "json", cwd=tmp_path,
               env={**os.environ, "REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"})
    assert json.loads(told)["problems"] == []


def test_it_is_cached_and_compressed_and_is_what_it_says(tilth):
    reader = Client(tilth.address)
    plain = reader.send("GET", "/api/openapi.json")
    assert plain.header("Cache-Control") == "no-cache" and plain.header("X-Content-Type-Options") == "nosniff"
    assert reader.send("GET", "/api/openapi.json", None, {"If-None-Match": plain.header("ETag")}).status == 304
    for coding in ("gzip", "zstd"):
        packed = reader.send("GET", "/api/openapi.json", None, {"Accept-Encoding": coding})
        assert packed.header("Content-Encoding") == coding and len(packed.body) * 8 < len(plain.body)


def test_money_is_a_decimal_in_every_schema(described):
    schemas = json.loads(described.read_text())["components"]["schemas"]
    summary = schemas["FinancialSummary"]["properties"]
    assert summary["net"]["format"] == schemas["Expense"]["properties"]["amount"]["format"] == "decimal"
    for name in ("RevenueSummary", "CostSummary"):
        assert schemas[name]["properties"]["total"]["format"] == "decimal"
        by_currency = schemas[name]["properties"]["byCurrency"]["additionalProperties"]["properties"]
        assert {each["format"] for each in by_currency.values()} == {"decimal"}
    assert schemas["CostSummary"]["properties"]["byCategory"]["additionalProperties"]["format"] == "decimal"


def media(node, where=""):
    if isinstance(node, dict):
        if "schema" in node and "example" in node:
            yield where, node["schema"], node["example"]
        for name, child in node.items():
            yield from media(child, f"{where}/{name}")


def test_its_examples_are_what_their_schemas_say(described):
    document = json.loads(described.read_text())
    found = list(media(document["paths"]))
    assert len(found) > 30
    for where, schema, example in found:
        root = {**schema, "components": document["components"]}
        validator = jsonschema.Draft202012Validator(root, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER)
        faults = [fault.message for fault in validator.iter_errors(example)]
        assert not faults, (where, faults[:3])


def test_the_headers_of_a_success_are_those_that_it_describes(tilth, described):
    document = json.loads(described.read_text())
    user = tilth.user()
    farm = user.farm()
    task = user.task(farm)
    webhook = user.made("/webhooks", {"url": "https://receiver.invalid/", "types": ["*"]})
    answers = {
        ("post", "/farms"): user.post("/farms", {"name": "Grove", "totalArea": 1}),
        ("get", "/farms/{id}"): user.get(f"/farms/{farm['id']}"),
        ("get", "/farms"): user.get("/farms"),
        ("put", "/farms/{id}"): user.put(f"/farms/{farm['id']}", {"name": "Field"}),
        ("get", "/farms/{id}/financial-summary"): user.get(f"/farms/{farm['id']}/financial-summary"),
        ("post", "/tasks/{id}/complete"): user.post(f"/tasks/{task['id']}/complete", {}),
        ("post", "/webhooks/{id}/rotate"): user.post(f"/webhooks/{webhook['id']}/rotate", {}),
        ("post", "/webhooks/{id}/test"): user.post(f"/webhooks/{webhook['id']}/test", {}),
        ("post", "/webhooks/{id}/replay"): user.post(f"/webhooks/{webhook['id']}/replay", {"since": "2026-11-01T00:00:00Z"}),
        ("post", "/batch"): user.post("/batch", {"requests": [{"method": "GET", "path": "/v1/farms"}]}),
        ("get", "/events"): user.get("/events"),
        ("delete", "/farms/{id}"): user.delete(f"/farms/{farm['id']}"),
    }
    for (method, path), reply in answers.items():
        responses = document["paths"][f"/api/v1{path}"][method]["responses"]
        assert str(reply.status) in responses and reply.status < 300, (method, path, reply)
        declared = responses[str(reply.status)].get("headers", {}).keys()
        for name in ("ETag", "Location"):
            assert (name in declared) == (reply.header(name) is not None), (method, path, name)
        assert "Tilth-Position" in declared or reply.header("Tilth-Position") is None, (method, path)


def test_refusals_are_what_their_schemas_and_examples_say(tilth, described):
    document = json.loads(described.read_text())
    farm = {"name": "Oasis", "totalArea": 1}
    user, small = tilth.user(), tilth.user("seed")
    reader = user.with_key(scopes=["farms:read"])
    small.made("/farms", farm)
    made = user.made("/farms", farm)
    refused = {"INSUFFICIENT_SCOPE": reader.post("/farms", farm), "VALIDATION_ERROR": user.post("/farms", {"totalArea": 1}),
               "PLAN_LIMIT_EXCEEDED": small.post("/farms", {**farm, "name": "Grove"}),
               "CONFLICT": user.post("/farms", farm), "NOT_FOUND": small.delete(f"/farms/{made['id']}")}
    for code, reply in refused.items():
        assert reply.json["code"] == code, reply
        responses = document["paths"]["/api/v1/farms/{id}" if code == "NOT_FOUND" else "/api/v1/farms"][
            "delete" if code == "NOT_FOUND" else "post"]["responses"]
        named = responses[str(reply.status)]["$ref"].rpartition("/")[2]
        media = document["components"]["responses"][named]["content"]["application/json"]
        validator = jsonschema.Draft202012Validator({**media["schema"], "components": document["components"]})
        for body in (reply.json, *(example["value"] for example in media["examples"].values())):
            assert not list(validator.iter_errors(body)), (code, body)
        example = media["examples"][code]["value"]
        assert example["error"] == reply.json["error"]
        if code != "CONFLICT":
            assert example.get("details", {}).keys() == reply.json.get("details", {}).keys(), (code, reply)


def test_a_typescript_client_is_made_of_it(tilth, described, tmp_path):
    modules = pathlib.Path(os.environ["NODE_MODULES"])
    (tmp_path / "node_modules").symlink_to(modules)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "client.ts").write_text((HERE / "client.ts").read_text())
    run("node", modules / "openapi-typescript/bin/cli.js", described, "-o", "api.d.ts", cwd=tmp_path)
    run("node", modules / "typescript/bin/tsc", "--strict", "--target", "es2022", "--module", "nodenext",
        "--moduleResolution", "nodenext", "--skipLibCheck", "client.ts", cwd=tmp_path)
    key = tilth.user().key
    told = json.loads(run("node", "client.js", f"http://{tilth.address}", key, cwd=tmp_path))
    assert told == {"name": "Oasis", "totalArea": "12.5", "total": 1, "refused": "VALIDATION_ERROR", "why": 1}


def test_a_python_client_is_made_of_it(tilth, described, tmp_path):
    tool = pathlib.Path(sys.executable).with_name("openapi-python-client")
    path = f"{tool.parent}:{os.environ['PATH']}"
    made = run(tool, "generate", "--path", described, "--output-path", tmp_path / "made", "--meta", "none",
               cwd=tmp_path, env={**os.environ, "PATH": path})
    assert "warning" not in made.lower(), made  # it leaves out what it does not understand
    told = run(sys.executable, HERE / "python_client.py", f"http://{tilth.address}", tilth.user().key, cwd=tmp_path)
    assert json.loads(told) == {"name": "Oasis", "totalArea": "12.5", "total": 1, "block": "B",
                                "geometry": {"type": "Point", "coordinates": [39.6177, 24.4396]}}


@pytest.mark.parametrize("phases", ["examples,coverage", "fuzzing", "stateful"])
def test_schemathesis_finds_nothing(tilth, described, tmp_path, phases):
    tool = pathlib.Path(sys.executable).with_name("schemathesis")
    user = tilth.user()
    # A test of a webhook waits ten seconds for its receiver, as long as Schemathesis itself does.
    # One worker: CPython 3.11 loses count of its depth when several threads parse at once.
    run(tool, "--config-file", HERE / "schemathesis.toml", "run", described, "--url", f"http://{tilth.address}",
        "--header", f"Authorization: Bearer {user.key}", "--phases", phases, "--checks", "all",
        "--max-examples", os.environ.get("TILTH_SCHEMATHESIS_EXAMPLES", "20"), "--workers", "1",
        "--max-response-time", "60", "--request-timeout", "60", "--no-color", cwd=tmp_path)

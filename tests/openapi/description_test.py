"""The API's description: it is valid, its examples match it, and clients can be generated from it."""
import json
import os
import pathlib
import subprocess
import sys

import jsonschema
import pytest
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


def test_the_rules_that_spectral_recommends_find_no_error(described, tmp_path):
    (tmp_path / "rules.yaml").write_text("extends: ['spectral:oas']\n")
    spectral = pathlib.Path(os.environ["RULES_MODULES"]) / ".bin/spectral"
    run(spectral, "lint", described, "--ruleset", tmp_path / "rules.yaml", "--fail-severity", "error", cwd=tmp_path)


def test_the_rules_that_redocly_recommends_find_no_error(described, tmp_path):
    redocly = pathlib.Path(os.environ["RULES_MODULES"]) / ".bin/redocly"
    run(redocly, "lint", described, "--extends", "recommended", cwd=tmp_path,
        env={**os.environ, "REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"})


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

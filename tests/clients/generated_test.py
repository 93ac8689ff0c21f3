"""What is generated of the API's description is what the generator makes of it now."""
import copy
import json
import pathlib
import re
import subprocess
import sys

import generate
from generator import python
from generator.description import Description

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENT = json.loads(generate.DOCUMENT.read_text())


def test_the_generated_files_are_up_to_date():
    done = subprocess.run([sys.executable, ROOT / "clients/generate.py", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_operation_for_keys_has_a_method_but_aliases():
    described = {operation["operationId"] for item in DOCUMENT["paths"].values() for operation in item.values()
                 if any("apiKey" in way for way in operation.get("security", ())) and "x-alias-of" not in operation}
    made = {operation.id for resource in Description(copy.deepcopy(DOCUMENT)).resources
            for operation in resource.operations}
    assert described - made == {"listEvents", "carryOutBatch"} and not made - described


def test_a_new_route_becomes_a_resource():
    document = copy.deepcopy(DOCUMENT)
    kept = document["paths"]["/api/v1/farms"]["post"]
    document["paths"]["/api/v1/barns"] = {"post": {**kept, "operationId": "createBarn"},
                                          "get": {**document["paths"]["/api/v1/farms"]["get"], "operationId": "listBarns"}}
    document["paths"]["/api/v1/barns/{id}/paint"] = {"post": {**kept, "operationId": "paintBarn"}}
    text = python.files(Description(document))["_resources.py"]
    assert "class BarnsResource(Resource):" in text
    assert 'call(\n            "POST",\n            ("/v1/barns/{}/paint", barn),' in text


def test_the_requests_for_editors_are_accepted(account, tmp_path):
    """The file is read as those tools read it: variables, then requests between `###`."""
    head, *requests = (ROOT / "clients/tilth.http").read_text().split("\n### ")
    names = {line.split(" ")[0][1:] for line in head.splitlines() if line.startswith("@")}
    assert len(requests) > 70 and all(set(re.findall(r"\{\{(\w+)\}\}", request)) <= names for request in requests)
    created = next(request for request in requests if "@name createFarm\n" in request)
    start, _, body = created.partition("\n\n")
    method, url = start.splitlines()[2].split(" ")
    headers = dict(line.split(": ", 1) for line in start.splitlines()[3:])
    assert headers["Authorization"] == "Bearer {{key}}" and headers["Idempotency-Key"] == "{{$guid}}"
    assert account.send(method, url.replace("{{url}}", ""), json.loads(body)).status == 201

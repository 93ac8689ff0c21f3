"""What is generated of the API's description is what the generator makes of it now."""
import copy
import json
import pathlib
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

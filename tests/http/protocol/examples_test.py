"""The examples of requests in the API's description are accepted as they are printed: only the ids in them are
replaced by those of records that exist."""
import json
import pathlib

import pytest

from person import Person

LIBRARY = {"crops": [{"name": "Date palm", "scientificName": "Phoenix dactylifera", "bushelWeightKg": 25,
                      "varieties": [{"varietyName": "Ajwa"}]}]}
DOCUMENT = json.loads((pathlib.Path(__file__).parents[2] / "api/openapi/openapi.json").read_text())
EXAMPLES = [(method, path, operation["requestBody"]["content"]["application/json"]["example"])
            for path, item in DOCUMENT["paths"].items() for method, operation in item.items()
            if "requestBody" in operation]
TAGGED = [path for path, item in DOCUMENT["paths"].items()
          if "ETag" in item.get("get", {}).get("responses", {}).get("200", {}).get("headers", {})]
OF_RECORDS = [example for example in EXAMPLES if example[1].startswith("/api/v1/")]
OF_DASHBOARD = [example for example in EXAMPLES if example not in OF_RECORDS]


def named(examples):
    """A log on Kafka refuses an erasure."""
    return [pytest.param(*example, id=f"{example[0].upper()} {example[1]}",
                         marks=[pytest.mark.embedded_log] if example[1] == "/api/auth/erase" else []) for example in examples]


@pytest.fixture(scope="module")
def library(tilth):
    tilth.operate("POST", "/operator/v1/library", LIBRARY)
    crops = tilth.operate("GET", "/operator/v1/library").json["crops"]
    crop = next(crop for crop in crops if crop["name"] == "Date palm")
    return {"adminCropId": crop["id"], "varietyId": crop["varieties"][0]["id"]}


@pytest.fixture
def ids(user, library):
    """The ids of one record of each kind, by the members that refer to it."""
    farm, field, crop, block, plant, task, template, rule = user.land()
    webhook = user.made("/webhooks", {"url": "https://farm.example/hook", "types": ["nothing"]})
    return {**library, "webhookId": webhook["id"], "farmId": farm["id"], "fieldId": field["id"], "cropId": crop["id"], "blockId": block["id"],
            "plantId": plant["id"], "taskId": task["id"], "templateId": template["id"], "ruleId": rule["id"]}


def with_ids(example, ids):
    return {name: ids[name] if name in ids and value is not None else value for name, value in example.items()}


def with_path(path, ids):
    first = path.split("/")[3]
    own = {"farms": "farmId", "crops": "cropId", "tasks": "taskId", "templates": "templateId",
           "task-templates": "templateId", "recurring-tasks": "ruleId", "webhooks": "webhookId"}.get(first, "")
    return path.replace("{id}", ids.get(own, "")).format(**ids)


def test_there_are_examples_of_all_requests():
    assert len(OF_RECORDS) > 25 and len(OF_DASHBOARD) >= 3


@pytest.mark.parametrize("method, path, example", named(OF_RECORDS))
def test_the_example_of_a_record_is_accepted(user, ids, method, path, example):
    reply = user.send(method.upper(), with_path(path, ids), with_ids(example, ids))
    assert reply.status in (200, 201, 202), (reply, example)


@pytest.mark.parametrize("method, path, example", named(OF_DASHBOARD))
def test_the_example_of_the_dashboard_is_accepted(tilth, method, path, example):
    person = Person(tilth)
    if path == "/api/auth/sign-in":
        tilth.operate("POST", "/operator/v1/users", {**example, "plan": "summit"}, 201)
    else:
        person.signed_in()
    reply = person.ask(method.upper(), path, example)
    assert reply.status in (200, 201, 204), (reply, example)


@pytest.mark.parametrize("path", TAGGED)
def test_what_is_said_to_have_an_entity_tag_has_one(user, ids, path):
    parents = path.rsplit("/", 1)[0]
    made = [example for method, at, example in EXAMPLES if (method, at) == ("post", parents)]
    if made:
        record = user.send("POST", with_path(parents, ids), with_ids(made[0], ids)).data["id"]
    else:
        record = ids["adminCropId"]
    url = f"{with_path(parents, ids)}/{record}"
    tag = user.send("GET", url).header("ETag")
    again = user.send("GET", url, None, {"If-None-Match": tag})
    assert (again.status, again.body, again.header("ETag")) == (304, b"", tag)

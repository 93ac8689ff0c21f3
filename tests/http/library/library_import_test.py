"""The crop library as operators import and export it."""
import json
import uuid

import pytest

from service import invalid, refused

LIBRARY = "/operator/v1/library"


def crop(name=None, **members):
    return {"name": name or f"Crop {uuid.uuid4()}", **members}


@pytest.fixture
def ask(tilth):
    return tilth.operator.send


@pytest.fixture
def give(ask):
    def post(*crops):
        reply = ask("POST", LIBRARY, {"crops": list(crops)})
        assert reply.status == 200, reply
        return reply.data
    return post


def exported(ask, name):
    document = ask("GET", LIBRARY).json
    return next(each for each in document["crops"] if each["name"] == name)


def described(tilth):
    return tilth.events("reference")


def test_a_crop_has_all_its_members_and_its_figures_are_numbers(tilth, ask, give):
    new = crop(daysToMaturity="120", spacingX="7.50", kcMid=1.15,
               yieldPerHectare={"low": 1, "typical": "2.5"}, sources={"kcMid": "FAO-56"},
               varieties=[{"varietyName": "A", "climateOverride": {"temperatureMinC": -3}}])
    assert give(new) == {"crops": 1, "varieties": 1, "changed": 1}
    shown = exported(ask, new["name"])
    variety = shown.pop("varieties")[0]
    uuid.UUID(shown.pop("id"))
    assert shown == {
        "name": new["name"], "scientificName": None, "category": None, "lifecycle": None, "daysToMaturity": 120,
        "spacingX": 7.5, "spacingY": None, "plantDensity": None,
        "yieldPerHectare": {"low": 1, "typical": 2.5, "high": None, "unit": "ton"}, "soilPhMin": None,
        "soilPhMax": None, "temperatureMinC": None, "temperatureMaxC": None, "waterRequirementMm": None,
        "kcInitial": None, "kcMid": 1.15, "kcEnd": None, "ky": None, "bushelWeightKg": None, "isVerified": True,
        "isActive": True, "createdAt": tilth.now()}
    assert set(variety) == {"id", "adminCropId", "varietyName", "scientificName", "description", "daysToMaturity",
                            "yieldOverride", "climateOverride", "spacingX", "spacingY", "plantDensity", "createdAt"}
    assert variety["climateOverride"] == {"temperatureMinC": -3, "temperatureMaxC": None}


def test_the_same_document_again_changes_nothing(tilth, ask, give):
    document = [crop(kcMid="1.10", varieties=[{"varietyName": "A"}, {"varietyName": "B"}]), crop(ky=1)]
    assert give(*document) == {"crops": 2, "varieties": 2, "changed": 2}
    events = described(tilth)
    assert give(*document) == {"crops": 2, "varieties": 2, "changed": 0}
    assert described(tilth) == events


def test_an_export_can_be_posted_back_and_changes_nothing(tilth, ask, give):
    give(crop(isActive=False, varieties=[{"varietyName": "A", "yieldOverride": {"high": 3}}]), crop())
    before = ask("GET", LIBRARY)
    assert before.header("Content-Type").split(";")[0] == "application/json"
    events = described(tilth)
    assert ask("POST", LIBRARY, before.body.decode()).data["changed"] == 0
    assert described(tilth) == events and ask("GET", LIBRARY).body == before.body


def test_each_changed_crop_is_one_event_in_the_reference_stream(tilth, give):
    same, other = crop(varieties=[{"varietyName": "A"}]), crop()
    give(same, other)
    count = len(described(tilth))
    assert give(same, {**other, "ky": 1}, crop())["changed"] == 2
    new = described(tilth)[count:]
    assert [event["type"] for event in new] == ["tilth.admin_crop.described"] * 2
    assert {event["actor"] for event in new} == {"operator"}


def test_a_crop_is_the_same_by_its_id_else_by_its_name_without_case(ask, give):
    name = f"Crème {uuid.uuid4()}"
    give(crop(name, ky=1))
    id_ = exported(ask, name)["id"]
    assert give({"id": id_, "kcMid": 1})["changed"] == 1
    assert give({"id": str(uuid.uuid4()), "name": name.upper(), "kcEnd": 1})["changed"] == 1
    shown = exported(ask, name.upper())
    assert (shown["id"], shown["ky"], shown["kcMid"], shown["kcEnd"]) == (id_, 1, 1, 1)
    own = str(uuid.uuid4())
    new = crop(id=own.upper())
    give(new)
    assert exported(ask, new["name"])["id"] == own


def test_a_variety_is_the_same_by_its_id_else_by_its_name_within_its_crop(ask, give):
    name = crop()["name"]
    give(crop(name, varieties=[{"varietyName": "Roma", "daysToMaturity": 90}]),
         crop(varieties=[{"varietyName": "Roma"}]))
    roma = exported(ask, name)["varieties"][0]
    give(crop(name, varieties=[{"varietyName": "Roma", "description": "Red."}, {"varietyName": "Ace"}]))
    give({"name": name, "varieties": [{"id": roma["id"], "varietyName": "Roma VF"}]})
    ace, renamed = exported(ask, name)["varieties"]
    assert ace["varietyName"] == "Ace"
    assert renamed == {**roma, "varietyName": "Roma VF", "description": "Red."}


def test_null_clears_and_what_is_not_named_stays(ask, give):
    name = crop()["name"]
    give(crop(name, ky=1, kcMid=1, category="fruit", lifecycle="annual"))
    give({"name": name, "ky": None, "lifecycle": None})
    shown = exported(ask, name)
    assert (shown["ky"], shown["lifecycle"], shown["kcMid"], shown["category"]) == (None, None, 1, "fruit")


def test_so_do_the_members_of_a_yield_and_of_a_climate(ask, give):
    name = crop()["name"]
    roma = {"varietyName": "Roma", "yieldOverride": {"high": 9}, "climateOverride": {"temperatureMinC": 4, "temperatureMaxC": 30}}
    give(crop(name, yieldPerHectare={"low": 1, "typical": 2, "high": 3}, varieties=[roma]))
    give({"name": name, "yieldPerHectare": {"typical": 2.5, "high": None}, "varieties": [
        {"varietyName": "Roma", "yieldOverride": None, "climateOverride": {"temperatureMaxC": 32}}]})
    shown = exported(ask, name)
    assert shown["yieldPerHectare"] == {"low": 1, "typical": 2.5, "high": None, "unit": "ton"}
    assert shown["varieties"][0]["yieldOverride"] is None
    assert shown["varieties"][0]["climateOverride"] == {"temperatureMinC": 4, "temperatureMaxC": 32}
    give({"name": name, "yieldPerHectare": {}, "varieties": [{"varietyName": "Roma", "yieldOverride": {"low": 1}}]})
    again = exported(ask, name)
    assert again["yieldPerHectare"] == shown["yieldPerHectare"]
    assert again["varieties"][0]["yieldOverride"] == {"low": 1, "typical": None, "high": None, "unit": "ton"}


@pytest.mark.parametrize("bad,path", [
    ({"name": ""}, "name"), ({"name": None}, "name"), ({"lifecycle": "short"}, "lifecycle"),
    ({"kcMid": "x"}, "kcMid"), ({"soilPhMin": 15}, "soilPhMin"), ({"isActive": None}, "isActive"),
    ({"daysToMaturity": 1.5}, "daysToMaturity"), ({"yieldPerHectare": {"unit": "kg"}}, "yieldPerHectare.unit"),
    ({"spacingX": "0.000000001"}, "spacingX"), ({"id": "x"}, "id"), ({"varieties": [{}]}, "varieties.0.varietyName"),
    ({"varieties": [{"varietyName": "A"}, {"varietyName": "a"}]}, "varieties.1.varietyName"),
    ({"varieties": {}}, "varieties")])
def test_a_wrong_member_is_named_and_nothing_is_kept(tilth, ask, bad, path):
    events = described(tilth)
    document = {"crops": [crop(), crop(**bad)] if "name" not in bad else [crop(), bad]}
    invalid(ask("POST", LIBRARY, document), f"crops.1.{path}")
    assert described(tilth) == events


@pytest.mark.parametrize("body,path", [("{}", "crops"), ("", "crops"), ('{"crops":{}}', "crops"), ("[]", "body"),
                                       ('{"crops":[{]}', "body"), ('{"crops":[]} x', "body"),
                                       ('{"crops":[7]}', "crops.0"), ('{"crops":[{"name":"\ud800"}]}', None)])
def test_what_is_no_library_document_is_refused(ask, body, path):
    reply = ask("POST", LIBRARY, body.encode("utf-8", "surrogatepass"))
    invalid(reply, *([path] if path else []))


def test_a_crop_is_said_once_in_a_document(tilth, ask):
    name = crop()["name"]
    invalid(ask("POST", LIBRARY, {"crops": [crop(name), crop(name.upper())]}), "crops.1")


def test_a_crop_cannot_take_the_name_of_another(ask, give):
    one, two = crop(), crop()
    give(one, two)
    taken = {"id": exported(ask, one["name"])["id"], "name": two["name"].upper()}
    invalid(ask("POST", LIBRARY, {"crops": [taken]}), "crops.0.name")


def test_a_thousand_crops_come_in_one_document(tilth, ask):
    crops = [crop(varieties=[{"varietyName": str(n)} for n in range(3)]) for _ in range(1000)]
    reply = ask("POST", LIBRARY, json.dumps({"crops": crops}))
    assert reply.data == {"crops": 1000, "varieties": 3000, "changed": 1000}
    assert len(ask("GET", LIBRARY).json["crops"]) >= 1000


def test_the_library_is_the_operators(tilth, user):
    refused(tilth.stranger().send("GET", LIBRARY), 404, "NOT_FOUND")
    refused(user.send("POST", LIBRARY, {"crops": []}), 404, "NOT_FOUND")

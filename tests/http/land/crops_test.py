"""The crop: its members, its dates, its status and what it refers to."""
import uuid

import pytest

from members import (REQUIRED, check_absence, check_changes, check_create, check_refusals, choice, date,
                     decimal, integer, text)
from service import invalid, path_of, refused

STATUS = "planned planted growing harvested failed"
MEMBERS = [
    text("cropType", 100, REQUIRED, empty=False), text("variety", 100), date("plantingDate"),
    date("expectedHarvestDate"), date("actualHarvestDate"), decimal("area", 0, None, above=True),
    integer("plantCount", 1, 1000000), decimal("expectedYield", 0, None), decimal("actualYield", 0, None),
    choice("yieldUnit", "kg ton lb", "kg"), choice("status", "planned planted growing failed", "planned"),
    text("notes", 5000)]
RECORD = ({"id", "farmId", "fieldId", "adminCropId", "varietyId", "createdAt", "updatedAt"}
          | {member.name for member in MEMBERS})


@pytest.fixture
def field(user):
    return user.field(user.farm())


@pytest.fixture
def create(user, field):
    def post(members):
        body = {"farmId": field["farmId"], "fieldId": field["id"], "cropType": "Maize", **members}
        return user.post("/crops", {key: value for key, value in body.items() if value is not ...})
    return post


@pytest.mark.parametrize("member", MEMBERS, ids=str)
def test_a_member_of_a_new_crop(create, member):
    check_create(create, member)
    check_absence(create, member)


@pytest.mark.parametrize("member", MEMBERS, ids=str)
def test_a_member_is_refused(create, user, field, member):
    crop = user.crop(field)
    check_refusals(create, lambda body: user.put(path_of(crop), body), member)
    assert user.read(path_of(crop)) == crop


@pytest.mark.parametrize("member", MEMBERS, ids=str)
def test_a_member_is_changed(user, field, member):
    path = path_of(user.crop(field))
    check_changes(lambda: user.read(path), lambda body: user.put(path, body), member)


def test_a_crop_has_all_its_members_and_no_others(user, field):
    crop = user.crop(field)
    assert set(crop) == RECORD
    assert (crop["adminCropId"], crop["varietyId"]) == (None, None)
    assert crop == user.read(path_of(crop)) == user.get("/crops").data[0]


def test_a_crop_needs_a_farm_a_field_and_a_type(user):
    invalid(user.post("/crops", {}), "farmId", "fieldId", "cropType")
    nothing = {"farmId": None, "fieldId": None, "cropType": None}
    invalid(user.post("/crops", nothing), "farmId", "fieldId", "cropType")


def test_a_crop_grows_on_a_field_of_its_own_farm(tilth, user, field):
    other = user.field(user.farm())
    foreign = tilth.user().land()[1]
    gone = user.field({"id": field["farmId"]})
    user.delete(path_of(gone))
    for farm_id, field_id in [(field["farmId"], other["id"]), (foreign["farmId"], foreign["id"]),
                              (field["farmId"], foreign["id"]), (str(uuid.uuid4()), field["id"]),
                              (field["farmId"], str(uuid.uuid4())), (field["farmId"], gone["id"])]:
        body = {"farmId": farm_id, "fieldId": field_id, "cropType": "Rye"}
        refused(user.post("/crops", body), 404, "NOT_FOUND")
    assert user.listed("/crops") == []


@pytest.mark.parametrize("name", ["adminCropId", "varietyId"])
def test_without_a_library_every_library_crop_is_missing(create, user, field, name):
    crop = user.crop(field)
    refused(create({name: str(uuid.uuid4())}), 404, "NOT_FOUND")
    refused(user.put(path_of(crop), {name: str(uuid.uuid4())}), 404, "NOT_FOUND")
    assert create({name: None}).data[name] is None
    assert user.put(path_of(crop), {name: None}).data[name] is None
    invalid(create({name: "x"}), name)
    invalid(user.put(path_of(crop), {name: "x"}), name)


def test_farm_and_field_of_a_crop_are_fixed(tilth, user, field):
    crop = user.crop(field)
    other = user.field(user.farm())
    tilth.advance("PT1S")
    moved = {"farmId": other["farmId"], "fieldId": other["id"]}
    assert user.put(path_of(crop), moved).data == crop
    assert user.put(path_of(crop), {"farmId": 1, "fieldId": "x", "id": None}).data == crop
    changed = user.put(path_of(crop), {**moved, "notes": "wet"}).data
    assert changed == {**crop, "notes": "wet", "updatedAt": tilth.now()}


def test_the_harvest_is_expected_no_sooner_than_the_planting(create):
    dates = {"plantingDate": "2026-05-01", "expectedHarvestDate": "2026-04-30"}
    invalid(create(dates), "expectedHarvestDate")
    assert create({**dates, "expectedHarvestDate": "2026-05-01"}).status == 201
    assert create({"expectedHarvestDate": "2026-04-30"}).status == 201


def test_a_change_is_held_against_the_stored_dates(user, field):
    path = path_of(user.crop(field, plantingDate="2026-05-01", expectedHarvestDate="2026-09-01"))
    invalid(user.put(path, {"expectedHarvestDate": "2026-04-30"}), "expectedHarvestDate")
    invalid(user.put(path, {"plantingDate": "2026-09-02"}), "expectedHarvestDate")
    both = {"plantingDate": "2026-10-01", "expectedHarvestDate": "2026-11-01"}
    assert user.put(path, both).status == 200
    assert user.put(path, {"plantingDate": None}).status == 200
    assert user.put(path, {"expectedHarvestDate": "2026-01-01"}).status == 200


def test_without_a_library_no_harvest_is_expected_by_itself(create, user, field):
    crop = create({"plantingDate": "2026-05-01"}).data
    assert crop["expectedHarvestDate"] is None
    assert user.put(path_of(crop), {"plantingDate": "2026-06-01"}).data["expectedHarvestDate"] is None


def test_any_status_may_follow_any_other(user, field):
    path = path_of(user.crop(field)) + "/status"
    for first in STATUS.split():
        for second in STATUS.split():
            for status in (first, second):
                assert user.put(path, {"status": status}).data["status"] == status


@pytest.mark.parametrize("body,paths", [
    ({}, ["status"]), ({"status": None}, ["status"]), ({"status": "ripe"}, ["status"]),
    ({"status": "harvested", "actualHarvestDate": "2026-02-30"}, ["actualHarvestDate"]),
    ({"status": "harvested", "actualYield": -1}, ["actualYield"]),
    ({"actualYield": "x"}, ["status", "actualYield"])])
def test_the_status_route_needs_a_status(user, field, body, paths):
    crop = user.crop(field)
    invalid(user.put(path_of(crop) + "/status", body), *paths)
    assert user.read(path_of(crop)) == crop


def test_the_status_route_takes_the_harvest_along_and_nothing_else(tilth, user, field):
    crop = user.crop(field)
    tilth.advance("PT1S")
    body = {"status": "harvested", "actualHarvestDate": "2026-02-01", "actualYield": "12.50", "notes": "x"}
    changed = user.put(path_of(crop) + "/status", body).data
    assert changed == {**crop, "status": "harvested", "actualHarvestDate": "2026-02-01",
                       "actualYield": "12.5", "updatedAt": tilth.now()}
    assert user.read(path_of(crop)) == changed


@pytest.mark.parametrize("zone,day", [("UTC", "2026-06-30"), ("Pacific/Kiritimati", "2026-07-01"),
                                      ("America/Los_Angeles", "2026-06-30"), ("Asia/Tokyo", "2026-07-01")])
def test_a_harvest_is_dated_today_in_the_farm_s_zone_unless_said(tilth, zone, day):
    if tilth.now() < "2026-06-30T20:00:00.000Z":
        tilth.set_clock("2026-06-30T20:00:00Z")
    user = tilth.user()
    field = user.field(user.farm(timezone=zone))
    assert user.crop(field, status="harvested")["actualHarvestDate"] == day
    for path, put in (("", {"status": "harvested"}), ("/status", {"status": "harvested"})):
        crop = user.crop(field)
        assert crop["actualHarvestDate"] is None
        assert user.put(path_of(crop) + path, put).data["actualHarvestDate"] == day
        left = user.put(path_of(crop), {"status": "growing"}).data
        assert left["actualHarvestDate"] == day
        again = {"status": "harvested", "actualHarvestDate": "2026-01-02"}
        assert user.put(path_of(crop) + path, again).data["actualHarvestDate"] == "2026-01-02"
        user.put(path_of(crop), {"status": "failed"})
        assert user.put(path_of(crop) + path, put).data["actualHarvestDate"] == "2026-01-02"


def test_a_harvest_without_a_date_is_dated_whether_the_date_is_left_out_or_null(create, user, field):
    undated = {"status": "harvested", "actualHarvestDate": None}
    made = create(undated).data
    assert made["actualHarvestDate"] == made["createdAt"][:10]
    for path in ("", "/status"):
        changed = user.put(path_of(user.crop(field)) + path, undated).data
        assert changed["actualHarvestDate"] == changed["updatedAt"][:10]


def test_a_harvest_that_was_not_entered_again_is_not_dated_again(user, field):
    crop = user.crop(field, status="harvested", actualHarvestDate="2026-01-02")
    cleared = user.put(path_of(crop), {"actualHarvestDate": None}).data
    assert (cleared["status"], cleared["actualHarvestDate"]) == ("harvested", None)


def test_a_deleted_crop_is_gone(user, field):
    crop = user.crop(field)
    assert user.delete(path_of(crop)).status == 204
    status = path_of(crop) + "/status"
    for again in (user.get(path_of(crop)), user.put(path_of(crop), {}), user.delete(path_of(crop)),
                  user.put(status, {"status": "planned"})):
        refused(again, 404, "NOT_FOUND")
    assert user.listed("/crops") == []

"""The farm: its members, its unique name and its plan."""
import concurrent.futures

import pytest

from members import (REQUIRED, Member, check_absence, check_changes, check_create, check_refusals, choice,
                     decimal, integer, place, polygon, text)
from service import invalid, path_of, refused

NAME = text("name", 200, REQUIRED, empty=False)
MEMBERS = [
    text("farmType", 50, "commercial"), text("primaryUse", 50, "crops"), text("description", 2000),
    text("address", 500), text("city", 100), text("region", 100), text("soilType", 100),
    Member("country", ["Sweden", ("SE", "Sweden"), ("swe", "Sweden")], ["Atlantis", "", 7, True]),
    place("location"), polygon("boundaries"),
    Member("timezone", ["Europe/Stockholm", "UTC"], ["Mars/Phobos", "", 1], "UTC"),
    decimal("totalArea", 0, None, REQUIRED, above=True),
    choice("areaUnit", "hectare acre square_meter square_foot feddan dunam", "hectare"),
    Member("currency", ["EUR", "SEK"], ["XQX", "", 1, "euro"]),
    choice("irrigationSystem", "drip sprinkler flood pivot manual none"),
    decimal("irrigationFlowRatePerEmitter", 0, 100), integer("emittersPerPlant", 0, 50),
    decimal("dripLineSpacingMeters", 0, 20), choice("status", "active inactive archived draft", "active")]
RECORD = {"id", "createdAt", "updatedAt", "name"} | {member.name for member in MEMBERS}


@pytest.fixture
def create(user):
    numbers = iter(range(1000))

    def post(members):
        body = {"name": f"Farm {next(numbers)}", "totalArea": 5, **members}
        return user.post("/farms", {key: value for key, value in body.items() if value is not ...})
    return post


@pytest.mark.parametrize("member", [NAME, *MEMBERS], ids=str)
def test_a_member_of_a_new_farm(create, member):
    check_create(create, member)
    check_absence(create, member)


@pytest.mark.parametrize("member", [NAME, *MEMBERS], ids=str)
def test_a_member_is_refused(create, user, member):
    farm = user.farm()
    check_refusals(create, lambda body: user.put(path_of(farm), body), member)
    assert user.read(path_of(farm)) == farm


@pytest.mark.parametrize("member", [NAME, *MEMBERS], ids=str)
def test_a_member_is_changed(user, member):
    path = path_of(user.farm())
    check_changes(lambda: user.read(path), lambda body: user.put(path, body), member)


def test_a_farm_has_all_its_members_and_no_others(user):
    farm = user.farm()
    assert set(farm) == RECORD
    assert farm == user.read(path_of(farm)) == user.get("/farms").data[0]


def test_an_amendment_moves_updated_at_and_only_it(tilth, user):
    farm = user.farm(name="Old")
    tilth.advance("PT1S")
    changed = user.put(path_of(farm), {"name": "Old"}).data
    assert changed == {**farm, "updatedAt": tilth.now()}
    tilth.advance("PT1S")
    for nothing in ({}, {"unknown": 1}, {"id": 7, "createdAt": "never", "updatedAt": None}):
        assert user.put(path_of(farm), nothing).data == changed


def test_changing_the_unit_converts_nothing(user):
    farm = user.farm(totalArea="12.5")
    assert user.put(path_of(farm), {"areaUnit": "acre"}).data["totalArea"] == "12.5"


def test_a_name_is_unique_among_the_owner_s_undeleted_farms(tilth, user):
    body = {"name": "Hill", "totalArea": 1}
    first = user.made("/farms", body)
    refused(user.post("/farms", body), 409, "CONFLICT")
    other = user.farm(name="hill")
    user.farm(name="Hill ")
    refused(user.put(path_of(other), {"name": "Hill"}), 409, "CONFLICT")
    assert user.read(path_of(other))["name"] == "hill"
    assert user.put(path_of(first), {"name": "Hill"}).status == 200
    assert tilth.user().post("/farms", body).status == 201
    assert user.delete(path_of(first)).status == 204
    assert user.put(path_of(other), {"name": "Hill"}).status == 200
    refused(user.post("/farms", body), 409, "CONFLICT")
    assert user.put(path_of(other), {"name": "Dale"}).status == 200
    assert user.post("/farms", body).status == 201


def test_of_racing_farms_of_one_name_one_is_made(user):
    def ask(_):
        client = user.service.stranger()
        return client.post("/farms", {"name": "Hill", "totalArea": 1}, {"Authorization": user.authorization})

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        statuses = sorted(reply.status for reply in pool.map(ask, range(16)))
    assert statuses == [201] + [409] * 15
    assert len(user.listed("/farms")) == 1


@pytest.mark.parametrize("plan,limit", [("expired", 1), ("seed", 1), ("sprout", 3), ("trial", 7),
                                        ("harvest", 7), ("grove", 15)])
def test_a_plan_bounds_the_number_of_farms_and_nothing_else(tilth, plan, limit):
    user = tilth.user("summit")
    farms = [user.farm() for _ in range(limit)]
    tilth.operate("PUT", f"/operator/v1/users/{user.id}", {"plan": plan})
    if plan == "expired":  # three requests in an hour: the farm itself took one
        tilth.advance("PT1H")
    reply = user.post("/farms", {"name": "One more", "totalArea": 1})
    refused(reply, 403, "PLAN_LIMIT_EXCEEDED")
    assert reply.details == {"limit": limit, "current": limit}
    assert user.put(path_of(farms[0]), {"city": "Lund"}).status == 200
    if plan == "expired":
        return
    user.field(farms[0])
    assert user.delete(path_of(farms[0])).status == 204
    user.farm()
    refused(user.post("/farms", {"name": "One more", "totalArea": 1}), 403, "PLAN_LIMIT_EXCEEDED")


def test_a_smaller_plan_takes_no_farm_away(tilth, user):
    for _ in range(4):
        user.farm()
    tilth.operate("PUT", f"/operator/v1/users/{user.id}", {"plan": "sprout"})
    assert len(user.listed("/farms")) == 4
    reply = user.post("/farms", {"name": "More", "totalArea": 1})
    refused(reply, 403, "PLAN_LIMIT_EXCEEDED")
    assert reply.details == {"limit": 3, "current": 4}


def test_a_deleted_farm_is_gone(user):
    farm = user.farm()
    reply = user.delete(path_of(farm))
    assert (reply.status, reply.body) == (204, b"")
    for again in (user.get(path_of(farm)), user.put(path_of(farm), {}), user.delete(path_of(farm))):
        refused(again, 404, "NOT_FOUND")
    assert user.listed("/farms") == []


def test_two_missing_members_are_both_named(user):
    invalid(user.post("/farms", {}), "name", "totalArea")
    invalid(user.post("/farms", {"name": None, "totalArea": None}), "name", "totalArea")

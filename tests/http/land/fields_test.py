"""The field: its members, none of which it inherits."""
import pytest

from members import (REQUIRED, check_absence, check_changes, check_create, check_refusals, choice, decimal,
                     integer, polygon, text)
from service import invalid, path_of

MEMBERS = [
    text("name", 200, REQUIRED, empty=False), decimal("area", 0, None, REQUIRED, above=True),
    choice("status", "active fallow preparing planted", "active"), text("soilType", 100),
    decimal("soilPh", 0, 14), text("notes", 5000), text("description", 2000), polygon("boundaries"),
    decimal("irrigationFlowRatePerEmitter", 0, 100), integer("emittersPerPlant", 0, 50),
    decimal("dripLineSpacingMeters", 0, 20),
    choice("customIrrigationSystem", "drip sprinkler flood pivot manual none")]
RECORD = {"id", "farmId", "createdAt", "updatedAt"} | {member.name for member in MEMBERS}


@pytest.fixture
def farm(user):
    return user.farm()


@pytest.fixture
def create(user, farm):
    def post(members):
        body = {"name": "Field", "area": 5, **members}
        body = {key: value for key, value in body.items() if value is not ...}
        return user.post(f"{path_of(farm)}/fields", body)
    return post


@pytest.mark.parametrize("member", MEMBERS, ids=str)
def test_a_member_of_a_new_field(create, member):
    check_create(create, member)
    check_absence(create, member)


@pytest.mark.parametrize("member", MEMBERS, ids=str)
def test_a_member_is_refused(create, user, farm, member):
    field = user.field(farm)
    check_refusals(create, lambda body: user.put(path_of(field), body), member)
    assert user.read(path_of(field)) == field


@pytest.mark.parametrize("member", MEMBERS, ids=str)
def test_a_member_is_changed(user, farm, member):
    path = path_of(user.field(farm))
    check_changes(lambda: user.read(path), lambda body: user.put(path, body), member)


def test_a_field_has_all_its_members_and_no_others(user, farm):
    field = user.field(farm)
    assert set(field) == RECORD and field["farmId"] == farm["id"]
    assert field == user.read(path_of(field)) == user.get(f"{path_of(farm)}/fields").data[0]


def test_fixed_members_are_ignored_unread(tilth, user, farm):
    field = user.field(farm)
    tilth.advance("PT1S")
    fixed = {"id": 1, "farmId": "x", "createdAt": [], "updatedAt": {}, "deletedAt": "2026-01-01"}
    assert user.put(path_of(field), fixed).data == field
    changed = user.put(path_of(field), {**fixed, "notes": "wet"}).data
    assert changed == {**field, "notes": "wet", "updatedAt": tilth.now()}


def test_names_need_not_be_unique(user, farm):
    assert len({user.field(farm, name="North")["id"] for _ in range(3)}) == 3


def test_a_field_may_be_larger_than_its_farm(user):
    farm = user.farm(totalArea=1)
    assert user.field(farm, area=1000)["area"] == "1000"


def test_one_wrong_member_spoils_the_whole_change(user, farm):
    field = user.field(farm)
    invalid(user.put(path_of(field), {"notes": "wet", "soilPh": 15}), "soilPh")
    assert user.read(path_of(field)) == field

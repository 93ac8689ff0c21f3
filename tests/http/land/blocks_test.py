"""The block: its members, its grid, and the density computed from its spacings."""
import uuid

import pytest

from members import (POLYGON, REQUIRED, Member, check_absence, check_changes, check_create, check_refusals,
                     choice, date, decimal, integer, polygon, text)
from service import blocks_of, invalid, path_of, refused

FULL = {"pattern": "hexagonal", "rowCount": 3, "columnCount": 10000, "rowOrientation": 22.5,
        "originLatLng": [59.5, 17.25]}
BARE = {"pattern": "custom", "rowCount": None, "columnCount": None, "rowOrientation": None,
        "originLatLng": None}
GRID = Member(
    "gridMetadata",
    [FULL, ({"pattern": "custom"}, BARE), ({**BARE, "colour": "red"}, BARE),
     ({"pattern": "square", "rowCount": "7"}, {**BARE, "pattern": "square", "rowCount": 7}),
     {**FULL, "pattern": "triangular", "rowOrientation": 360, "originLatLng": [-90, 180]}],
    ["x", 1, []], None,
    [({}, "gridMetadata.pattern"), ({"pattern": "round"}, "gridMetadata.pattern"),
     ({"pattern": None}, "gridMetadata.pattern"), ({**FULL, "rowCount": 0}, "gridMetadata.rowCount"),
     ({**FULL, "columnCount": 10001}, "gridMetadata.columnCount"),
     ({**FULL, "rowCount": 1.5}, "gridMetadata.rowCount"),
     ({**FULL, "rowOrientation": 361}, "gridMetadata.rowOrientation"),
     ({**FULL, "rowOrientation": -1}, "gridMetadata.rowOrientation"),
     ({**FULL, "originLatLng": [91, 0]}, "gridMetadata.originLatLng"),
     ({**FULL, "originLatLng": [0, 181]}, "gridMetadata.originLatLng"),
     ({**FULL, "originLatLng": [0]}, "gridMetadata.originLatLng"),
     ({**FULL, "originLatLng": [0, 0, 0]}, "gridMetadata.originLatLng"),
     ({**FULL, "originLatLng": {"lat": 0, "lng": 0}}, "gridMetadata.originLatLng")])
MEMBERS = [
    text("name", 200, REQUIRED, empty=False), text("description", 2000), date("plantingDate"),
    integer("plantCount", 1, 1000000), decimal("plantDensity", 0, 1000000), decimal("area", 0, 1000000),
    polygon("geometry", point=True), GRID, text("notes", 5000),
    choice("status", "planned planted established mature declined harvested removed", "planned")]
SPACINGS = [decimal("spacingX", 0, 10000), decimal("spacingY", 0, 10000)]
RECORD = ({"id", "farmId", "fieldId", "cropId", "varietyId", "createdAt", "updatedAt", "spacingX", "spacingY"}
          | {member.name for member in MEMBERS})


@pytest.fixture
def crop(user):
    return user.crop(user.field(user.farm()))


@pytest.fixture
def create(user, crop):
    def post(members):
        body = {"cropId": crop["id"], "name": "Block", **members}
        return user.post(blocks_of(crop), {key: value for key, value in body.items() if value is not ...})
    return post


@pytest.mark.parametrize("member", [*MEMBERS, *SPACINGS], ids=str)
def test_a_member_of_a_new_block(create, member):
    check_create(create, member)
    check_absence(create, member)


@pytest.mark.parametrize("member", [*MEMBERS, *SPACINGS], ids=str)
def test_a_member_is_refused(create, user, crop, member):
    block = user.block(crop)
    check_refusals(create, lambda body: user.put(path_of(block), body), member)
    assert user.read(path_of(block)) == block


@pytest.mark.parametrize("member", [*MEMBERS, *SPACINGS], ids=str)
def test_a_member_is_changed(user, crop, member):
    path = path_of(user.block(crop))
    check_changes(lambda: user.read(path), lambda body: user.put(path, body), member)


def test_a_block_has_all_its_members_and_no_others(user, crop):
    block = user.block(crop)
    assert set(block) == RECORD
    for name in ("farmId", "fieldId"):
        assert block[name] == crop[name]
    assert (block["cropId"], block["varietyId"]) == (crop["id"], None)
    assert block == user.read(path_of(block)) == user.get(blocks_of(crop)).data[0]


def density(user, crop, **members):
    return user.block(crop, **members)["plantDensity"]


@pytest.mark.parametrize("x,y,expected", [
    (2, 5, "1000"), ("0.5", "0.25", "80000"), (3, 1, "3333.33333333"), (7, 3, "476.19047619"),
    (0.1, 0.1, "1000000"), ("0.1", "0.09", None), (0, 5, None), (5, 0, None), (None, 5, None),
    (5, None, None), (10000, 10000, "0.0001"), (6, 1, "1666.66666667"), ("10000", "6400", "0.00015625"),
    ("9999.99999999", "9999.99999999", "0.0001"), ("0.00000001", "0.00000001", None),
    (8000, "62.5", "0.02")])
def test_a_density_that_was_not_given_follows_the_spacings(user, crop, x, y, expected):
    block = user.block(crop, spacingX=x, spacingY=y)
    assert block["plantDensity"] == expected
    assert user.read(path_of(block))["plantDensity"] == expected


def test_the_density_is_rounded_half_to_even(user, crop):
    # 10000 / (5120 x 5000) is 0.000390625: halfway between two numbers of eight decimals.
    assert density(user, crop, spacingX=5120, spacingY=5000) == "0.00039062"
    assert density(user, crop, spacingX=1600, spacingY=3200) == "0.00195312"
    assert density(user, crop, spacingX=1024, spacingY=1000) == "0.00976562"
    assert density(user, crop, spacingX=8192, spacingY=1250) == "0.00097656"


def test_a_density_that_was_given_stays_and_without_it_the_spacings_decide_again(user, crop):
    path = path_of(user.block(crop, spacingX=2, spacingY=5, plantDensity=700))
    assert user.put(path, {"spacingX": 4}).data["plantDensity"] == "700"
    assert user.put(path, {"plantDensity": None}).data["plantDensity"] == "500"
    assert user.put(path, {"spacingY": 10}).data["plantDensity"] == "250"
    assert user.put(path, {"spacingY": None}).data["plantDensity"] is None
    assert user.put(path, {"spacingY": 1, "plantDensity": "12.50"}).data["plantDensity"] == "12.5"


def test_a_block_stands_on_the_field_of_its_crop(tilth, user, crop):
    other = user.crop(user.field({"id": crop["farmId"]}))
    foreign = tilth.user().land()[2]
    gone = user.crop({"farmId": crop["farmId"], "id": crop["fieldId"]})
    user.delete(path_of(gone))
    block = user.block(crop)
    for crop_id in (other["id"], foreign["id"], gone["id"], str(uuid.uuid4())):
        refused(user.post(blocks_of(crop), {"cropId": crop_id, "name": "x"}), 404, "NOT_FOUND")
        refused(user.put(path_of(block), {"cropId": crop_id}), 404, "NOT_FOUND")
    second = user.crop({"farmId": crop["farmId"], "id": crop["fieldId"]})
    assert user.put(path_of(block), {"cropId": second["id"]}).data["cropId"] == second["id"]
    assert user.listed(f"{blocks_of(crop)}?cropId={second['id']}") == [block["id"]]
    assert user.listed(f"{blocks_of(crop)}?cropId={crop['id']}") == []


def test_a_block_needs_a_crop_and_a_name(create, user, crop):
    invalid(create({"cropId": ..., "name": ...}), "cropId", "name")
    block = user.block(crop)
    nulls = {"cropId": None, "name": None, "status": None}
    invalid(user.put(path_of(block), nulls), "cropId", "name", "status")
    invalid(user.put(path_of(block), {"cropId": "x"}), "cropId")


def test_without_a_library_every_variety_is_missing(create, user, crop):
    block = user.block(crop)
    refused(create({"varietyId": str(uuid.uuid4())}), 404, "NOT_FOUND")
    refused(user.put(path_of(block), {"varietyId": str(uuid.uuid4())}), 404, "NOT_FOUND")
    assert user.put(path_of(block), {"varietyId": None}).data["varietyId"] is None
    invalid(create({"varietyId": "x"}), "varietyId")


def test_fixed_members_are_ignored_unread(tilth, user, crop):
    block = user.block(crop, geometry=POLYGON)
    tilth.advance("PT1S")
    assert user.put(path_of(block), {"id": 1, "farmId": 2, "fieldId": "x", "createdAt": 3}).data == block
    changed = user.put(path_of(block), {"fieldId": "x", "notes": "wet"}).data
    assert changed == {**block, "notes": "wet", "updatedAt": tilth.now()}


def test_a_deleted_block_is_gone_and_its_plants_with_it(user, crop):
    block = user.block(crop)
    plant = path_of(user.plant(block), block)
    assert user.delete(path_of(block)).status == 204
    for again in (user.get(path_of(block)), user.put(path_of(block), {}), user.delete(path_of(block)),
                  user.get(plant), user.delete(plant), user.get(f"{path_of(block)}/plants"),
                  user.post(f"{path_of(block)}/plants", {"label": "x"})):
        refused(again, 404, "NOT_FOUND")
    assert user.listed(blocks_of(crop)) == []

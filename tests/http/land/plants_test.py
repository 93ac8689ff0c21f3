"""The plant: its members, and its tag, which no other plant of the block may hold."""
import concurrent.futures

import pytest

from members import (REQUIRED, Member, check_absence, check_changes, check_create, check_refusals, choice,
                     place, text)
from service import path_of, refused

MEMBERS = [
    text("label", 100, REQUIRED, empty=False), place("position"), text("notes", 2000),
    Member("plantedAt", [("2026-05-01", "2026-05-01T00:00:00.000Z"),
                         ("2026-05-01T23:59:59-08:00", "2026-05-01T00:00:00.000Z")],
           ["2026-02-30", "x", "", 1, True]),
    choice("status", "alive sick dead replaced removed", "alive")]
TAG = Member("tagId", ["x" * 200, "\U0001F331" * 200, " "], ["x" * 201, "", 7, True, "a\0b"])
RECORD = {"id", "blockId", "createdAt", "updatedAt", "tagId"} | {member.name for member in MEMBERS}


@pytest.fixture
def block(user):
    return user.block(user.crop(user.field(user.farm())))


@pytest.fixture
def create(user, block):
    def post(members):
        body = {"label": "Tree", **members}
        return user.post(f"{path_of(block)}/plants",
                         {key: value for key, value in body.items() if value is not ...})
    return post


@pytest.mark.parametrize("member", [TAG, *MEMBERS], ids=str)
def test_a_member_of_a_new_plant(create, member):
    check_create(create, member)
    check_absence(create, member)


@pytest.mark.parametrize("member", [TAG, *MEMBERS], ids=str)
def test_a_member_is_refused(create, user, block, member):
    path = path_of(user.plant(block), block)
    before = user.read(path)
    check_refusals(create, lambda body: user.put(path, body), member)
    assert user.read(path) == before


@pytest.mark.parametrize("member", [TAG, *MEMBERS], ids=str)
def test_a_member_is_changed(user, block, member):
    path = path_of(user.plant(block), block)
    check_changes(lambda: user.read(path), lambda body: user.put(path, body), member)


def test_a_plant_has_all_its_members_and_no_others(user, block):
    plant = user.plant(block)
    assert set(plant) == RECORD and plant["blockId"] == block["id"]
    assert plant == user.read(path_of(plant, block)) == user.get(f"{path_of(block)}/plants").data[0]


def test_labels_need_not_be_unique(user, block):
    assert user.plant(block)["label"] == user.plant(block)["label"]


def test_a_tag_is_held_by_one_plant_of_the_block(create, user, block):
    held = create({"tagId": "A1"}).data
    refused(create({"tagId": "A1"}), 409, "CONFLICT")
    for other in ("a1", "A1 ", "A"):
        assert create({"tagId": other}).status == 201
    plant = create({}).data
    refused(user.put(path_of(plant, block), {"tagId": "A1"}), 409, "CONFLICT")
    assert user.read(path_of(plant, block)) == plant
    assert user.put(path_of(held, block), {"tagId": "A1", "notes": "same"}).status == 200


@pytest.mark.parametrize("status", ["alive", "sick", "dead", "replaced", "removed"])
def test_a_tag_is_held_whatever_became_of_the_plant(create, status):
    assert create({"tagId": "A1", "status": status}).status == 201
    refused(create({"tagId": "A1"}), 409, "CONFLICT")


def test_a_tag_is_free_again_when_its_plant_is_deleted_untagged_or_retagged(create, user, block):
    let_go = [lambda path: user.delete(path), lambda path: user.put(path, {"tagId": None}),
              lambda path: user.put(path, {"tagId": "B2"})]
    for release in let_go:
        plant = create({"tagId": "A1"}).data
        refused(create({"tagId": "A1"}), 409, "CONFLICT")
        assert release(path_of(plant, block)).status in (200, 204)
    assert create({"tagId": "A1"}).status == 201


def test_another_block_has_its_own_tags(user, block):
    crop = {"id": block["cropId"], "farmId": block["farmId"], "fieldId": block["fieldId"]}
    other = user.block(crop)
    assert user.plant(block, tagId="A1")["tagId"] == user.plant(other, tagId="A1")["tagId"] == "A1"


def test_untagged_plants_do_not_collide(create):
    assert all(create({"tagId": None}).status == 201 for _ in range(3))


def test_of_racing_plants_with_one_tag_one_is_made(user, block):
    def ask(number):
        client = user.service.stranger()
        return client.post(f"{path_of(block)}/plants", {"label": f"{number}", "tagId": "A1"},
                           {"Authorization": user.authorization})

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        statuses = sorted(reply.status for reply in pool.map(ask, range(16)))
    assert statuses == [201] + [409] * 15
    assert len(user.listed(f"{path_of(block)}/plants")) == 1


def test_an_amendment_moves_updated_at_and_nothing_leaves_it(tilth, user, block):
    plant = user.plant(block)
    path = path_of(plant, block)
    tilth.advance("PT1S")
    for nothing in ({}, {"blockId": "x", "id": 1}, {"colour": "green"}):
        assert user.put(path, nothing).data == plant
    assert user.put(path, {"status": "alive"}).data == {**plant, "updatedAt": tilth.now()}


def test_a_deleted_plant_is_gone(user, block):
    plant = user.plant(block)
    path = path_of(plant, block)
    assert user.delete(path).status == 204
    for again in (user.get(path), user.put(path, {"label": "x"}), user.delete(path)):
        refused(again, 404, "NOT_FOUND")
    assert user.listed(f"{path_of(block)}/plants") == []

"""What page, limit, sort, order and filters accept, and how pages are counted."""
import uuid

import pytest

from entries import KINDS as ENTRY_KINDS
from routes import filled, ids_of
from service import VAST, blocks_of, invalid, path_of, refused

CONFIG = VAST
ENTRIES = {kind.name: kind for kind in ENTRY_KINDS}
WITH_STATUS = ["farms", "crops", "fields", "blocks", "plants", "tasks"]
KINDS = [*WITH_STATUS, "templates", "rules", "shortlist", "library", *ENTRIES]


@pytest.fixture(scope="module")
def owner(tilth):
    tilth.operate("POST", "/operator/v1/library", {"crops": [{"name": "Fig"}]})
    user = tilth.user("vast")
    land = user.land()
    for kind in ENTRIES.values():
        land.entry(kind)
    fig, = user.read("/crop-library/crops")
    user.made("/user-crops", {"adminCropId": fig["id"]})
    return user, land


@pytest.fixture(scope="module")
def lists(owner):
    user, land = owner
    farm, field, crop, block, *_ = land
    return {"farms": "/farms", "crops": "/crops", "fields": f"{path_of(farm)}/fields",
            "blocks": blocks_of(crop), "plants": f"{path_of(block)}/plants",
            "tasks": "/tasks", "templates": "/templates", "rules": "/recurring-tasks", "shortlist": "/user-crops",
            "library": "/crop-library/crops",
            **{name: filled(kind.path, ids_of(land, kind.path)) for name, kind in ENTRIES.items()}}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("query,page,limit", [
    ("page=0", 1, 20), ("page=1", 1, 20), ("limit=1", 1, 1), ("limit=100", 1, 100), ("limit=101", 1, 100),
    ("limit=2147483647", 1, 100), ("page=0&limit=3", 1, 3)])
def test_page_and_limit_are_echoed_as_applied(owner, lists, kind, query, page, limit):
    reply = owner[0].get(f"{lists[kind]}?{query}")
    assert reply.status == 200, reply
    assert reply.pagination == {"page": page, "limit": limit, "total": 1, "totalPages": 1}
    assert len(reply.data) == 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("page", [2, 99, 2147483647])
def test_past_the_end_there_is_nothing(owner, lists, kind, page):
    reply = owner[0].get(f"{lists[kind]}?page={page}")
    assert (reply.status, reply.data) == (200, [])
    assert reply.pagination == {"page": page, "limit": 20, "total": 1, "totalPages": 1}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name,value", [
    ("page", "-1"), ("page", "2147483648"), ("page", "99999999999999999999"), ("page", "x"), ("page", "1.5"),
    ("page", ""), ("page", "%201"), ("limit", "0"), ("limit", "-5"), ("limit", "x"), ("limit", "2.5"),
    ("limit", ""), ("sort", "colour"), ("sort", "id"), ("sort", "CreatedAt"), ("sort", ""), ("order", "up"),
    ("order", "ASC"), ("order", "")])
def test_a_wrong_parameter_is_named(owner, lists, kind, name, value):
    invalid(owner[0].get(f"{lists[kind]}?{name}={value}"), name)


@pytest.mark.parametrize("kind", WITH_STATUS)
@pytest.mark.parametrize("value", ["lost", "", "ACTIVE"])
def test_a_wrong_status_is_named(owner, lists, kind, value):
    invalid(owner[0].get(f"{lists[kind]}?status={value}"), "status")


@pytest.mark.parametrize("kind", KINDS)
def test_every_list_is_data_with_its_pagination(owner, lists, kind):
    reply = owner[0].get(lists[kind] + "?sort=createdAt")
    assert reply.status == 200 and list(reply.json) == ["data", "pagination"], reply
    assert list(reply.pagination) == ["page", "limit", "total", "totalPages"]
    assert reply.header("ETag") is None


@pytest.mark.parametrize("kind", ["blocks", "plants"])
def test_blocks_and_plants_are_answered_whole_unless_paged(user, kind):
    land = user.land()
    block = land[3]
    path = blocks_of(block) if kind == "blocks" else f"{path_of(block)}/plants"
    for number in range(24):
        user.block(land[2]) if kind == "blocks" else user.plant(block)
    whole = user.get(path)
    assert len(whole.data) == 25
    assert whole.pagination == {"page": 1, "limit": 10000, "total": 25, "totalPages": 1}
    sorted_ = user.get(path + "?order=asc")
    assert sorted_.data == whole.data[::-1] and sorted_.pagination["limit"] == 10000
    paged = user.get(path + "?page=2")
    assert paged.data == whole.data[20:]
    assert paged.pagination == {"page": 2, "limit": 20, "total": 25, "totalPages": 2}
    limited = user.get(path + "?limit=10")
    assert limited.data == whole.data[:10]
    assert limited.pagination == {"page": 1, "limit": 10, "total": 25, "totalPages": 3}


def test_nothing_has_no_pages(user):
    for path in ("/farms", "/crops"):
        reply = user.get(path)
        assert reply.data == []
        assert reply.pagination == {"page": 1, "limit": 20, "total": 0, "totalPages": 0}


@pytest.mark.parametrize("name", ["farmId", "fieldId"])
def test_a_filter_by_what_is_missing_or_another_s_finds_nothing(tilth, owner, name):
    user, _ = owner
    other = tilth.user().land()[{"farmId": 0, "fieldId": 1}[name]]
    for id_ in (other["id"], str(uuid.uuid4())):
        reply = user.get(f"/crops?{name}={id_}")
        assert (reply.status, reply.data) == (200, []), reply
    for wrong in ("x", "", "12", uuid.uuid4().hex):
        refused(user.get(f"/crops?{name}={wrong}"), 400, "INVALID_ID", name)


def test_blocks_are_filtered_by_crop(owner, lists):
    user, (_, _, crop, block, *_) = owner
    assert user.listed(f"{lists['blocks']}?cropId={crop['id'].upper()}") == [block["id"]]
    assert user.listed(f"{lists['blocks']}?cropId={uuid.uuid4()}") == []
    refused(user.get(f"{lists['blocks']}?cropId=x"), 400, "INVALID_ID", "cropId")


def test_values_of_the_query_are_percent_decoded(user):
    field = user.land()[1]
    crop = user.crop(field, cropType="Sm\u00f6r & br\u00f6d")
    assert user.listed("/crops?cropType=SM%C3%96R%20%26%20br%C3%B6d") == [crop["id"]]
    assert user.listed("/crops?cropType=Sm") == []


def test_the_plus_of_an_offset_need_not_be_encoded(user):
    farm = user.farm()
    task = user.task(farm, dueDate="2027-03-01T00:00:00Z", assignedTo="2027-03-01T01:00:00 01:00")
    summary = f"/farms/{farm['id']}/financial-summary"
    for time in ("2027-03-01T01:00+01:00", "2027-03-01T01:00:00.000+01:00", "2027-03-01T01:00:00%2B01:00"):
        assert user.listed(f"/tasks?dueAfter={time}") == [task["id"]], time
        assert user.listed(f"/tasks?dueBefore={time}") == [], time
        assert user.read(f"{summary}?from={time}")["from"] == "2027-03-01"
    assert user.listed("/tasks?assignedTo=2027-03-01T01:00:00+01:00") == [task["id"]], "text keeps its blank"
    for wrong in ("2027-03-01+01:00", "2027-03-01T01:00+0100", "2027-03-01+01:00Z", "2027-03-01T+01:00"):
        invalid(user.get(f"/tasks?dueAfter={wrong}"), "dueAfter")


def test_malformed_ids_of_the_query_are_all_named(owner):
    refused(owner[0].get("/crops?farmId=1&fieldId=2"), 400, "INVALID_ID", "farmId", "fieldId")

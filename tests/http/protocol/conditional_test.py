"""ETag, If-None-Match and If-Match."""
import re
import uuid

import pytest

from service import path_of, refused


@pytest.fixture(scope="module")
def owner(tilth):
    user = tilth.user()
    return user, user.land()


def test_every_stored_record_has_a_strong_etag_that_stays(owner):
    user, land = owner
    tags = set()
    for record in land:
        first, second = user.get(path_of(record)), user.get(path_of(record))
        assert re.fullmatch(r'"[\x21\x23-\x7e]+"', first.header("ETag")), first.headers
        assert second.header("ETag") == first.header("ETag")
        tags.add(first.header("ETag"))
    assert len(tags) == len(land)


def test_what_creates_and_changes_answers_the_etag_of_what_is_read_next(user):
    made = user.post("/farms", {"name": "x", "totalArea": 1})
    path = path_of(made.data)
    assert user.get(path).header("ETag") == made.header("ETag")
    changed = user.put(path, {"name": "y"})
    assert changed.header("ETag") != made.header("ETag")
    assert user.get(path).header("ETag") == changed.header("ETag")


def test_a_change_to_the_same_values_is_a_new_version_and_no_change_is_not(tilth, user):
    farm = user.farm(name="x")
    path = path_of(farm)
    tag = user.get(path).header("ETag")
    assert user.put(path, {}).header("ETag") == tag
    assert user.put(path, {"unknown": 1, "id": str(uuid.uuid4())}).header("ETag") == tag
    tilth.advance("PT1S")
    assert user.put(path, {"name": "x"}).header("ETag") != tag


# What cannot be changed, besides the id and the two times: for each record of a land.
FIXED = ["", "farmId", "farmId fieldId", "farmId fieldId", "blockId", "farmId createdBy sopTemplateId recurringTaskId",
         "isGlobal createdBy", "farmId createdBy nextOccurrence rrule"]


def test_fixed_members_alone_change_nothing_in_any_record(tilth, user):
    land = user.land()
    count = len(tilth.events(user.id))
    tilth.advance("PT1S")
    for record, fixed in zip(land, FIXED, strict=True):
        tag = user.get(path_of(record)).header("ETag")
        reply = user.put(path_of(record), dict.fromkeys(["id", "createdAt", "updatedAt", *fixed.split()], ["x"]))
        assert (reply.status, reply.header("ETag")) == (200, tag), reply
    assert len(tilth.events(user.id)) == count


def test_a_whole_record_can_be_put_back(tilth, user):
    land = user.land()
    tilth.advance("PT1S")
    for record in land:
        whole = {name: value for name, value in record.items() if name != "block"}
        assert user.put(path_of(record), whole).data == {**whole, "updatedAt": tilth.now()}


def test_lists_and_refusals_have_no_etag(owner):
    user, (farm, *_) = owner
    for path in ("/farms", f"{path_of(farm)}/fields", "/crops", f"/farms/{uuid.uuid4()}"):
        assert user.get(path).header("ETag") is None


@pytest.mark.parametrize("form", ["{tag}", "W/{tag}", "*", '"a", {tag}', '"a",W/{tag} ,"b"', ' {tag} '])
def test_what_the_client_already_has_is_not_sent_again(owner, form):
    user, (_, field, *_) = owner
    tag = user.get(path_of(field)).header("ETag")
    for method in ("GET", "HEAD"):
        reply = user.send(method, "/api/v1" + path_of(field), None, {"If-None-Match": form.format(tag=tag)})
        assert reply.status == 304 and reply.body == b"", reply
        assert reply.header("ETag") == tag


@pytest.mark.parametrize("form", ['"other"', 'W/"other"', '"a", "b"', '""'])
def test_what_the_client_does_not_have_is_sent(owner, form):
    user, (_, field, *_) = owner
    reply = user.get(path_of(field), {"If-None-Match": form})
    assert reply.status == 200 and reply.data["id"] == field["id"]


def test_what_is_missing_is_missing_whatever_the_client_has(user):
    refused(user.get(f"/farms/{uuid.uuid4()}", {"If-None-Match": "*"}), 404, "NOT_FOUND")


def test_lists_are_sent_whatever_the_client_has(owner):
    user, _ = owner
    for form in ("*", '"x"'):
        assert user.get("/farms", {"If-None-Match": form}).status == 200


@pytest.mark.parametrize("form", ["{tag}", "*", '"a", {tag}', '{tag},"b"', '"a" ,{tag}, "b"'])
def test_a_change_is_made_if_the_record_is_the_one_expected(user, form):
    farm = user.farm()
    tag = user.get(path_of(farm)).header("ETag")
    reply = user.put(path_of(farm), {"city": "Uppsala"}, {"If-Match": form.format(tag=tag)})
    assert reply.status == 200 and reply.data["city"] == "Uppsala", reply
    form = form.format(tag=reply.header("ETag"))
    assert user.delete(path_of(farm), {"If-Match": form}).status == 204


@pytest.mark.parametrize("form", ['"other"', "W/{tag}", '"a", W/{tag}', "{bare}", '"a","b"'])
def test_a_change_is_refused_if_the_record_is_another(user, form):
    farm = user.farm()
    tag = user.get(path_of(farm)).header("ETag")
    condition = {"If-Match": form.format(tag=tag, bare=tag.strip('"'))}
    for body in ({"city": "Uppsala"}, {}):
        refused(user.put(path_of(farm), body, condition), 412, "PRECONDITION_FAILED")
    refused(user.delete(path_of(farm), condition), 412, "PRECONDITION_FAILED")
    assert user.read(path_of(farm)) == farm


def test_a_lost_update_is_noticed_for_every_kind_of_record(user):
    changes = [{"city": "Lund"}, {"notes": "wet"}, {"notes": "wet"}, {"notes": "wet"}, {"notes": "wet"},
               {"notes": "wet"}, {"name": "Pick"}, {"assignedTo": "Ada"}]
    for record, change in zip(user.land(), changes, strict=True):
        path = path_of(record)
        tag = user.get(path).header("ETag")
        assert user.put(path, change, {"If-Match": tag}).status == 200
        refused(user.put(path, change, {"If-Match": tag}), 412, "PRECONDITION_FAILED")
        refused(user.delete(path, {"If-Match": tag}), 412, "PRECONDITION_FAILED")


def test_the_status_route_of_a_crop_keeps_to_preconditions(user):
    crop = user.land()[2]
    path = path_of(crop) + "/status"
    refused(user.put(path, {"status": "growing"}, {"If-Match": '"x"'}), 412, "PRECONDITION_FAILED")
    tag = user.get(path_of(crop)).header("ETag")
    reply = user.put(path, {"status": "growing"}, {"If-Match": tag})
    assert reply.status == 200 and reply.header("ETag") == user.get(path_of(crop)).header("ETag") != tag


@pytest.mark.parametrize("condition", ["*", '"x"'])
def test_a_condition_on_what_is_missing_is_a_404(user, condition):
    path = f"/farms/{uuid.uuid4()}"
    refused(user.put(path, {}, {"If-Match": condition}), 404, "NOT_FOUND")
    refused(user.delete(path, {"If-Match": condition}), 404, "NOT_FOUND")


def test_a_post_knows_no_precondition_and_a_change_no_cache(user):
    made = user.post("/farms", {"name": "x", "totalArea": 1}, {"If-Match": '"x"', "If-None-Match": "*"})
    assert made.status == 201, made
    task = user.task(made.data)
    assert user.post(path_of(task) + "/complete", {}, {"If-Match": '"x"'}).status == 200
    for change in (user.put(path_of(task), {"title": "x"}, {"If-None-Match": "*"}),
                   user.delete(path_of(task), {"If-None-Match": "*"})):
        assert change.status in (200, 204), change


def test_an_etag_outlives_a_restart(tilth):
    user = tilth.user()
    farm = user.farm()
    before = user.get(path_of(farm)).header("ETag")
    tilth.restart()
    client = tilth.stranger()
    client.authorization = user.authorization
    assert client.get(path_of(farm)).header("ETag") == before

"""The shortlist: library crops that a grower intends to grow, under both spellings."""
import uuid

import pytest

from service import invalid, path_of, refused

SPELLINGS = ["/crop-library/user-crops", "/user-crops"]


@pytest.fixture(scope="module")
def crops(tilth):
    """Two crops of the library."""
    document = {"crops": [{"name": "Fig", "scientificName": "Ficus carica"}, {"name": "Guava"}]}
    tilth.operate("POST", "/operator/v1/library", document)
    listed = {crop["name"]: crop for crop in tilth.user().get("/crop-library/crops").data}
    return listed["Fig"], listed["Guava"]


@pytest.fixture(params=SPELLINGS)
def path(request):
    return request.param


def test_an_entry_has_all_its_members_and_no_others(tilth, user, crops, path):
    fig, _ = crops
    farm = user.farm()
    reply = user.post(path, {"adminCropId": fig["id"], "farmId": farm["id"], "source": "ai_recommendation",
                             "customizations": {"customName": "Ours", "deep": [1.50, None]}})
    assert reply.status == 201 and reply.header("ETag") and reply.header("Location") is None
    entry = reply.data
    uuid.UUID(entry.pop("id"))
    assert entry == {"userId": user.id, "adminCropId": fig["id"], "farmId": farm["id"], "source": "ai_recommendation",
                     "customizations": {"customName": "Ours", "deep": [1.5, None]},
                     "adminCrop": {"id": fig["id"], "name": "Fig", "scientificName": "Ficus carica"},
                     "createdAt": tilth.now(), "updatedAt": tilth.now()}
    least = user.post(path, {"adminCropId": fig["id"]}).data
    assert (least["farmId"], least["source"], least["customizations"]) == (None, "manual_search", None)


def test_adding_it_again_answers_the_entry_that_is_there(tilth, user, crops, path):
    fig, guava = crops
    farm, other = user.farm(), user.farm()
    first = user.post(path, {"adminCropId": fig["id"], "farmId": farm["id"]})
    count = len(tilth.events(user.id))
    tilth.advance("PT1S")
    again = user.post(path, {"adminCropId": fig["id"], "farmId": farm["id"], "source": "ai_recommendation"})
    assert (again.status, again.body, again.header("ETag")) == (201, first.body, first.header("ETag"))
    assert len(tilth.events(user.id)) == count
    ids = {first.data["id"]}
    for members in ({"adminCropId": fig["id"]}, {"adminCropId": fig["id"], "farmId": other["id"]},
                    {"adminCropId": guava["id"], "farmId": farm["id"]}):
        ids.add(user.post(path, members).data["id"])
    assert len(ids) == 4 and set(user.listed(path)) == ids


@pytest.fixture
def renamed(tilth):
    """A library crop that only this test uses, and a function that renames it."""
    crop = {"id": str(uuid.uuid4()), "name": f"Crop {uuid.uuid4()}"}

    def rename():
        crop["name"] = f"Crop {uuid.uuid4()}"
        tilth.operate("POST", "/operator/v1/library", {"crops": [crop]})
        return crop["name"]

    rename()
    return crop["id"], rename


def test_adding_it_again_answers_what_the_list_does_once_the_library_names_it_otherwise(tilth, user, renamed, path):
    crop, rename = renamed
    first = user.post(path, {"adminCropId": crop})
    name = rename()
    tilth.advance("PT1S")
    for _ in range(2):
        again = user.post(path, {"adminCropId": crop})
        assert again.status == 201 and [again.data] == user.get(path).data
        assert again.data == {**first.data, "adminCrop": {**first.data["adminCrop"], "name": name}}
        assert again.header("ETag") != first.header("ETag")
    assert len(tilth.events(user.id)) == 2
    refused(user.delete(f"{path}/{again.data['id']}", {"If-Match": first.header("ETag")}), 412, "PRECONDITION_FAILED")
    assert user.delete(f"{path}/{again.data['id']}", {"If-Match": again.header("ETag")}).status == 204


def test_a_former_name_s_tag_is_that_of_no_entry_any_more(user, renamed, path):
    crop, rename = renamed
    first = user.post(path, {"adminCropId": crop})
    rename()
    refused(user.delete(f"{path}/{first.data['id']}", {"If-Match": first.header("ETag")}), 412, "PRECONDITION_FAILED")
    assert user.delete(f"{path}/{first.data['id']}", {"If-Match": "*"}).status == 204


def test_a_replay_shows_the_name_that_its_first_answer_did(user, renamed, path):
    crop, rename = renamed
    user.post(path, {"adminCropId": crop})
    first = {}
    for key in (str(uuid.uuid4()), str(uuid.uuid4())):
        name = rename()
        first[key] = user.post(path, {"adminCropId": crop}, {"Idempotency-Key": key})
        assert first[key].data["adminCrop"]["name"] == name
    rename()
    for key, answer in first.items():
        again = user.post(path, {"adminCropId": crop}, {"Idempotency-Key": key})
        assert (again.body, again.header("ETag")) == (answer.body, answer.header("ETag"))
        assert again.header("Idempotent-Replayed") == "true"


def test_a_repeat_with_a_key_is_answered_alike(user, crops, path):
    fig, _ = crops
    user.post(path, {"adminCropId": fig["id"]})
    key = {"Idempotency-Key": str(uuid.uuid4())}
    first = user.post(path, {"adminCropId": fig["id"]}, key)
    again = user.post(path, {"adminCropId": fig["id"]}, key)
    assert first.status == again.status == 201 and first.body == again.body
    assert again.header("Idempotent-Replayed") == "true"


@pytest.mark.parametrize("body,paths", [
    ({}, ["adminCropId"]), ({"adminCropId": "x"}, ["adminCropId"]), ({"adminCropId": None}, ["adminCropId"]),
    ({"source": "friend", "farmId": "x"}, ["adminCropId", "source", "farmId"]),
    ({"customizations": [], "source": None}, ["adminCropId", "customizations", "source"]),
    ({"customizations": {"deep": ["a\0b"]}}, ["adminCropId", "customizations"]),
    ({"customizations": {"a\0b": 1}}, ["adminCropId", "customizations"])])
def test_a_wrong_entry_is_refused(user, path, body, paths):
    invalid(user.post(path, body), *paths)


def test_the_last_of_members_with_one_name_counts_in_customizations_too(user, crops, path):
    body = f'{{"adminCropId":"{crops[0]["id"]}","customizations":{{"a":1,"b":[{{"c":1,"c":2}}],"a":3}}}}'
    reply = user.post(path, body)
    assert reply.status == 201 and reply.body.count(b'"a":') == reply.body.count(b'"c":') == 1, reply
    assert reply.data["customizations"] == {"b": [{"c": 2}], "a": 3}


def test_customizations_have_at_most_16_kib(user, crops, path):
    fig, guava = crops
    largest = {"a": ["é" * 8000, "x" * (16384 - 16000 - len('{"a":["",""]}'))]}
    reply = user.post(path, {"adminCropId": fig["id"], "customizations": largest})
    assert reply.status == 201 and reply.data["customizations"] == largest
    largest["a"].append(1)
    invalid(user.post(path, {"adminCropId": guava["id"], "customizations": largest}), "customizations")


def test_crop_and_farm_must_be_there(tilth, user, crops, path):
    fig, _ = crops
    foreign = tilth.user().farm()
    for body in ({"adminCropId": str(uuid.uuid4())}, {"adminCropId": fig["id"], "farmId": str(uuid.uuid4())},
                 {"adminCropId": fig["id"], "farmId": foreign["id"]}):
        refused(user.post(path, body), 404, "NOT_FOUND")
    assert user.listed(path) == []


def test_the_list_is_the_owner_s_newest_first_and_filtered(tilth, user, crops, path):
    fig, guava = crops
    farm = user.farm()
    made = []
    for body in ({"adminCropId": fig["id"]}, {"adminCropId": guava["id"], "farmId": farm["id"]},
                 {"adminCropId": fig["id"], "farmId": farm["id"], "source": "ai_recommendation"}):
        tilth.advance("PT1S")
        made.insert(0, user.made(path, body)["id"])
    assert user.listed(path) == made
    assert user.listed(f"{path}?order=asc") == made[::-1]
    assert user.listed(f"{path}?sort=createdAt") == made, "the only member to sort by"
    invalid(user.get(f"{path}?sort=source"), "sort")
    assert user.listed(f"{path}?farmId={farm['id']}") == made[:2]
    assert user.listed(f"{path}?farmId={farm['id']}&source=manual_search") == made[1:2]
    assert user.listed(f"{path}?farmId={uuid.uuid4()}") == []
    refused(user.get(f"{path}?farmId=x"), 400, "INVALID_ID", "farmId")
    invalid(user.get(f"{path}?source=x"), "source")
    assert tilth.user().listed(path) == []


def test_both_spellings_are_one_list(user, crops):
    fig, _ = crops
    entry = user.made(SPELLINGS[0], {"adminCropId": fig["id"]})
    assert user.listed(SPELLINGS[1]) == [entry["id"]]
    assert user.delete(f"{SPELLINGS[1]}/{entry['id']}").status == 204
    assert user.listed(SPELLINGS[0]) == []


def test_an_entry_is_removed_once_and_can_be_added_again(tilth, user, crops, path):
    fig, _ = crops
    entry = user.made(path, {"adminCropId": fig["id"]})
    refused(tilth.user().delete(f"{path}/{entry['id']}"), 404, "NOT_FOUND")
    refused(user.delete(f"{path}/{entry['id']}", {"If-Match": '"old"'}), 412, "PRECONDITION_FAILED")
    assert user.delete(f"{path}/{entry['id']}").status == 204
    refused(user.delete(f"{path}/{entry['id']}"), 404, "NOT_FOUND")
    refused(user.delete(f"{path}/x"), 400, "INVALID_ID", "id")
    assert user.made(path, {"adminCropId": fig["id"]})["id"] != entry["id"]


def test_an_entry_goes_with_its_farm(user, crops, path):
    fig, _ = crops
    farm = user.farm()
    general = user.made(path, {"adminCropId": fig["id"]})
    user.made(path, {"adminCropId": fig["id"], "farmId": farm["id"]})
    assert user.delete(path_of(farm)).status == 204
    assert user.listed(path) == [general["id"]]


def test_an_entry_stays_when_its_crop_is_listed_no_more(tilth, user, path):
    name = f"Crop {uuid.uuid4()}"
    tilth.operate("POST", "/operator/v1/library", {"crops": [{"name": name}]})
    crop = next(each for each in user.get(f"/crop-library/crops?limit=100").data if each["name"] == name)
    entry = user.made(path, {"adminCropId": crop["id"]})
    tilth.operate("POST", "/operator/v1/library", {"crops": [{"id": crop["id"], "name": name + "!", "isActive": False}]})
    shown = user.read(path)[0]
    assert shown["id"] == entry["id"] and shown["adminCrop"]["name"] == name + "!"
    refused(user.post(path, {"adminCropId": crop["id"]}), 404, "NOT_FOUND")

"""The crop library as growers see it, and what their own crops and blocks take from it."""
import urllib.parse
import uuid

import pytest

from service import invalid, path_of, refused

LIBRARY = {"crops": [
    {"name": "Açaí", "scientificName": "Euterpe oleracea", "category": "fruit", "spacingX": 5, "spacingY": 4,
     "plantDensity": 500, "varieties": [{"varietyName": "Branco"}, {"varietyName": "BRS Pará", "daysToMaturity": 900}]},
    {"name": "Barley", "scientificName": "Hordeum vulgare", "category": "grain", "daysToMaturity": 120, "kcMid": 1.15,
     "varieties": [{"varietyName": "Zebra", "daysToMaturity": 90, "spacingX": 0.2, "plantDensity": "90.5"},
                   {"varietyName": "Ädla"}]},
    {"name": "Clover", "scientificName": "Trifolium", "category": "forage"},
    {"name": "Draft", "isVerified": False, "varieties": [{"varietyName": "Hidden"}]},
    {"name": "Emmer", "category": "grain", "isActive": False}]}


@pytest.fixture(scope="module")
def library(tilth):
    """All crops by name, listed or not, each with its id and its varieties by name."""
    tilth.operate("POST", "/operator/v1/library", LIBRARY)
    document = tilth.operate("GET", "/operator/v1/library").json
    return {crop["name"]: {**crop, "varieties": {each["varietyName"]: each for each in crop["varieties"]}}
            for crop in document["crops"]}


@pytest.fixture
def field(user):
    return user.field(user.farm())


def names(user, **query):
    reply = user.get("/crop-library/crops?" + urllib.parse.urlencode(query))
    assert reply.status == 200, reply
    assert reply.pagination["total"] == len(reply.data) or "limit" in query
    return [crop["name"] for crop in reply.data]


def test_listed_crops_are_shown_by_name(user, library):
    assert names(user) == ["Açaí", "Barley", "Clover"]
    assert names(user, order="desc") == names(user)[::-1]
    assert set(names(user, sort="createdAt")) == {"Açaí", "Barley", "Clover"}
    assert names(user, sort="createdAt") == names(user, sort="createdAt", order="asc")
    reply = user.get("/crop-library/crops?limit=1&page=2")
    assert reply.pagination == {"page": 2, "limit": 1, "total": 3, "totalPages": 3}
    assert [crop["name"] for crop in reply.data] == [names(user)[1]]
    invalid(user.get("/crop-library/crops?sort=category"), "sort")


def test_a_crop_is_shown_with_its_figures_as_numbers(user, library):
    barley = {key: value for key, value in library["Barley"].items() if key != "varieties"}
    reply = user.get(f"/crop-library/crops/{barley['id']}")
    assert reply.data == barley and reply.data["kcMid"] == 1.15 and reply.header("ETag")
    assert user.get("/crop-library/crops").data[1] == barley


@pytest.mark.parametrize("search,found", [
    ("acai", ["Açaí"]), ("AÇAÍ", ["Açaí"]), ("a\u0301", ["Açaí", "Barley"]), ("oleracea", ["Açaí"]),
    ("VULGÁRE", ["Barley"]), ("tri", ["Clover"]), ("", ["Açaí", "Barley", "Clover"]), ("draft", []), ("x y", [])])
def test_a_search_goes_without_case_and_accents(user, library, search, found):
    assert names(user, search=search) == found


def test_a_search_is_filtered_sorted_and_paged(user, library):
    assert names(user, search="r", category="grain") == ["Barley"]
    assert names(user, category="grain") == ["Barley"]
    assert names(user, category="Grain") == []
    assert names(user, search="r", order="desc") == ["Clover", "Barley", "Açaí"]
    reply = user.get("/crop-library/crops?search=r&limit=2&page=2")
    assert [crop["name"] for crop in reply.data] == ["Clover"]
    assert reply.pagination == {"page": 2, "limit": 2, "total": 3, "totalPages": 2}


@pytest.mark.parametrize("name", ["Draft", "Emmer"])
def test_a_crop_that_is_not_verified_and_active_is_not_there(user, library, field, name):
    id_ = library[name]["id"]
    refused(user.get(f"/crop-library/crops/{id_}"), 404, "NOT_FOUND")
    assert user.read(f"/crop-library/varieties?adminCropId={id_}") == []
    refused(user.post("/user-crops", {"adminCropId": id_}), 404, "NOT_FOUND")
    body = {"farmId": field["farmId"], "fieldId": field["id"], "cropType": "X", "adminCropId": id_}
    refused(user.post("/crops", body), 404, "NOT_FOUND")


def test_varieties_are_all_shown_by_name_without_pages(user, library):
    reply = user.get(f"/crop-library/varieties?adminCropId={library['Barley']['id'].upper()}&limit=1")
    assert set(reply.json) == {"data"}
    assert reply.data == [library["Barley"]["varieties"][name] for name in ("Zebra", "Ädla")]
    assert user.read(f"/crop-library/varieties?adminCropId={uuid.uuid4()}") == []
    assert user.read(f"/crop-library/varieties?adminCropId={library['Clover']['id']}") == []


def test_varieties_are_asked_of_one_crop(user, library):
    invalid(user.get("/crop-library/varieties"), "adminCropId")
    refused(user.get("/crop-library/varieties?adminCropId=x"), 400, "INVALID_ID", "adminCropId")
    twice = f"adminCropId={uuid.uuid4()}"
    invalid(user.get(f"/crop-library/varieties?{twice}&{twice}"), "adminCropId")


def test_the_library_needs_its_scopes(user, library):
    reader = user.with_key(scopes=["library:read"])
    assert reader.get("/crop-library/crops").status == 200
    reply = reader.post("/user-crops", {})
    assert refused(reply, 403, "INSUFFICIENT_SCOPE") and reply.details == {"requiredScope": "library:write"}
    other = user.with_key(scopes=["crops:read", "library:write"])
    for path in ("/crop-library/crops", "/crop-library/varieties", "/user-crops", "/crop-library/user-crops"):
        refused(other.get(path), 403, "INSUFFICIENT_SCOPE")


def test_a_crop_s_tag_changes_with_the_library(tilth, user, library):
    path = f"/crop-library/crops/{library['Clover']['id']}"
    tag = user.get(path).header("ETag")
    assert user.get(path, {"If-None-Match": tag}).status == 304
    tilth.operate("POST", "/operator/v1/library", {"crops": [{"name": "Clover", "kcEnd": 0.5}]})
    changed = user.get(path, {"If-None-Match": tag})
    assert changed.status == 200 and changed.data["kcEnd"] == 0.5 and changed.header("ETag") != tag
    tilth.operate("POST", "/operator/v1/library", {"crops": [{"name": "Clover", "kcEnd": None}]})
    assert user.get(path).header("ETag") == tag


# What a grower's crop takes.

def test_a_variety_alone_names_its_crop(user, library, field):
    barley = library["Barley"]
    crop = user.crop(field, varietyId=barley["varieties"]["Zebra"]["id"])
    assert crop["adminCropId"] == barley["id"]
    moved = user.put(path_of(crop), {"varietyId": library["Açaí"]["varieties"]["Branco"]["id"]}).data
    assert moved["adminCropId"] == library["Açaí"]["id"]
    assert user.put(path_of(crop), {"varietyId": None}).data["adminCropId"] == library["Açaí"]["id"]
    user.put(path_of(crop), {"varietyId": library["Açaí"]["varieties"]["Branco"]["id"]})
    cleared = user.put(path_of(crop), {"adminCropId": None}).data
    assert (cleared["adminCropId"], cleared["varietyId"]) == (None, None)


def test_crop_and_variety_must_fit(user, library, field):
    acai, zebra = library["Açaí"], library["Barley"]["varieties"]["Zebra"]["id"]
    pair = {"adminCropId": acai["id"], "varietyId": zebra}
    body = {"farmId": field["farmId"], "fieldId": field["id"], "cropType": "X"}
    refused(user.post("/crops", {**body, **pair}), 404, "NOT_FOUND")
    crop = user.crop(field, varietyId=zebra)
    for wrong in (pair, {"adminCropId": acai["id"]}, {"adminCropId": None, "varietyId": zebra},
                  {"adminCropId": str(uuid.uuid4())}, {"varietyId": str(uuid.uuid4())}):
        refused(user.put(path_of(crop), wrong), 404, "NOT_FOUND")
    assert user.read(path_of(crop)) == crop
    assert user.put(path_of(crop), {"adminCropId": acai["id"], "varietyId": None}).data["adminCropId"] == acai["id"]


def test_a_harvest_is_expected_after_the_days_to_maturity(user, library, field):
    barley = library["Barley"]
    planted = {"plantingDate": "2026-03-01"}
    assert user.crop(field, adminCropId=barley["id"], **planted)["expectedHarvestDate"] == "2026-06-29"
    zebra = {"varietyId": barley["varieties"]["Zebra"]["id"]}
    assert user.crop(field, **zebra, **planted)["expectedHarvestDate"] == "2026-05-30"
    assert user.crop(field, **zebra)["expectedHarvestDate"] is None
    assert user.crop(field, adminCropId=library["Clover"]["id"], **planted)["expectedHarvestDate"] is None
    own = user.crop(field, **zebra, **planted, expectedHarvestDate="2026-04-01")
    assert own["expectedHarvestDate"] == "2026-04-01"


def test_null_on_create_takes_what_the_library_says_as_absence_does(user, library, field):
    crop = user.crop(field, adminCropId=library["Barley"]["id"], plantingDate="2026-03-01", expectedHarvestDate=None)
    assert crop["expectedHarvestDate"] == "2026-06-29"
    of_acai = user.crop(field, adminCropId=library["Açaí"]["id"])
    assert spacing(user.block(of_acai, spacingX=None, spacingY=None, plantDensity=None)) == ("5", "4", "500")
    assert spacing(user.block(of_acai, spacingX=2, plantDensity=None)) == ("2", "4", "1250")


def test_a_harvest_is_expected_once_a_change_says_the_planting(user, library, field):
    crop = user.crop(field, adminCropId=library["Barley"]["id"])
    changed = user.put(path_of(crop), {"plantingDate": "2026-03-01"}).data
    assert changed["expectedHarvestDate"] == "2026-06-29"
    assert user.put(path_of(crop), {"plantingDate": "2026-03-05"}).data["expectedHarvestDate"] == "2026-06-29"
    user.put(path_of(crop), {"expectedHarvestDate": None})
    assert user.put(path_of(crop), {"notes": "x"}).data["expectedHarvestDate"] is None
    assert user.put(path_of(crop), {"plantingDate": "2026-03-05"}).data["expectedHarvestDate"] == "2026-07-03"


# What a block takes.

def spacing(block):
    return block["spacingX"], block["spacingY"], block["plantDensity"]


def test_a_block_stands_as_its_variety_else_its_crop(user, library, field):
    acai, barley = library["Açaí"], library["Barley"]
    plain = user.crop(field)
    assert spacing(user.block(plain)) == (None, None, None)
    assert spacing(user.block(plain, varietyId=acai["varieties"]["Branco"]["id"])) == ("5", "4", "500")
    assert spacing(user.block(plain, varietyId=barley["varieties"]["Zebra"]["id"])) == ("0.2", None, "90.5")
    of_acai = user.crop(field, adminCropId=acai["id"])
    assert spacing(user.block(of_acai)) == ("5", "4", "500")
    assert spacing(user.block(of_acai, varietyId=barley["varieties"]["Zebra"]["id"])) == ("0.2", None, "90.5")
    of_zebra = user.crop(field, varietyId=barley["varieties"]["Zebra"]["id"])
    assert spacing(user.block(of_zebra)) == ("0.2", None, "90.5")


def test_what_a_block_says_itself_holds(user, library, field):
    of_acai = user.crop(field, adminCropId=library["Açaí"]["id"])
    assert spacing(user.block(of_acai, spacingX=2)) == ("2", "4", "1250")
    assert spacing(user.block(of_acai, plantDensity="7")) == ("5", "4", "7")
    assert spacing(user.block(of_acai, spacingX=2, plantDensity="7")) == ("2", "4", "7")
    block = user.block(of_acai)
    assert spacing(user.put(path_of(block), {"spacingX": 1}).data) == ("1", "4", "500")


def test_a_block_s_variety_must_be_listed(user, library, field):
    crop = user.crop(field)
    block = user.block(crop)
    for wrong in (str(uuid.uuid4()), library["Draft"]["varieties"]["Hidden"]["id"]):
        body = {"cropId": crop["id"], "name": "B", "varietyId": wrong}
        refused(user.post(path_of(block).rsplit("/", 1)[0], body), 404, "NOT_FOUND")
        refused(user.put(path_of(block), {"varietyId": wrong}), 404, "NOT_FOUND")


def test_what_was_taken_stays_when_the_library_changes(tilth, user, library, field):
    tilth.operate("POST", "/operator/v1/library", {"crops": [{"name": "Flax", "daysToMaturity": 100, "spacingX": 1}]})
    flax = user.get("/crop-library/crops?search=flax").data[0]
    crop = user.crop(field, adminCropId=flax["id"], plantingDate="2026-03-01")
    block = user.block(crop)
    tilth.operate("POST", "/operator/v1/library",
                  {"crops": [{"name": "Flax", "daysToMaturity": 10, "spacingX": 9, "isActive": False}]})
    assert user.read(path_of(crop)) == crop and user.read(path_of(block)) == block
    assert user.put(path_of(crop), {"notes": "on"}).status == 200

"""A farm's health and yield prediction: every factor against figures that were computed by hand."""
import datetime
import uuid

import pytest

from service import invalid, path_of, refused

LIBRARY = {"crops": [
    {"name": "Maize", "daysToMaturity": 100, "soilPhMin": 5.5, "soilPhMax": 7, "waterRequirementMm": 500, "ky": 1.25,
     "yieldPerHectare": {"low": 2, "typical": 6, "high": 10},
     "varieties": [{"varietyName": "Flint", "daysToMaturity": 50, "yieldOverride": {"typical": 8}},
                   {"varietyName": "Dent", "yieldOverride": {"low": 1, "high": 2}}]},
    {"name": "Potato", "soilPhMin": 4.8, "soilPhMax": 6.2, "yieldPerHectare": {"typical": 20}},
    {"name": "Hidden", "soilPhMax": 5, "yieldPerHectare": {"typical": 1}}]}


@pytest.fixture(scope="module")
def kinds(tilth):
    """The members that name each library crop, and each variety of Maize."""
    tilth.operate("POST", "/operator/v1/library", LIBRARY)
    crops = tilth.operate("GET", "/operator/v1/library").json["crops"]
    return {**{crop["name"]: {"adminCropId": crop["id"]} for crop in crops},
            **{each["varietyName"]: {"varietyId": each["id"]} for crop in crops for each in crop["varieties"]}}


@pytest.fixture
def farm(user):
    return user.farm(timezone="Asia/Riyadh")


def later(tilth, **span):
    return (datetime.datetime.fromisoformat(tilth.now()[:23]) + datetime.timedelta(**span)).isoformat(
        timespec="milliseconds") + "Z"


def health(user, farm):
    return user.read(f"/farms/{farm['id']}/health-score")


def scores(user, farm):
    """The score of each factor that has one."""
    return {factor["key"]: factor["score"] for factor in health(user, farm)["factors"] if factor["score"] is not None}


def alerts(user, farm):
    return [(alert["severity"], alert["code"], alert["entityType"], alert["entityId"])
            for alert in health(user, farm)["alerts"]]


def test_nothing_is_known_of_an_empty_farm(tilth, user, farm):
    reply = user.get(f"/farms/{farm['id']}/health-score")
    assert reply.header("ETag") is None
    shown = reply.data
    assert [(factor["key"], factor["weight"]) for factor in shown["factors"]] == [
        ("taskTimeliness", 30), ("plantVitality", 25), ("soilSuitability", 20), ("irrigationAdherence", 15),
        ("cropProgress", 10)]
    assert all(set(factor) == {"key", "weight", "score", "detail"} for factor in shown["factors"])
    assert all(factor["score"] is None and factor["detail"] for factor in shown["factors"])
    del shown["factors"]
    assert shown == {"farmId": farm["id"], "score": None, "grade": None, "dataCompleteness": 0, "alerts": [],
                     "calculatedAt": tilth.now()}


def test_tasks_count_by_priority_and_by_when_they_were_done(tilth, user, farm):
    due = later(tilth, days=-10)
    user.task(farm, priority="low", dueDate=due, status="completed", completedDate=due)
    user.task(farm, dueDate=due, status="completed", completedDate=later(tilth, days=-9))
    assert scores(user, farm) == {"taskTimeliness": 66.7}  # (½ + ½) / (½ + 1)
    assert alerts(user, farm) == []
    user.task(farm, priority="high", dueDate=later(tilth, days=-400))
    assert scores(user, farm) == {"taskTimeliness": 33.3}  # 1 / 3
    assert alerts(user, farm) == [("warning", "TASKS_OVERDUE", "farm", farm["id"])]
    user.task(farm, priority="urgent", dueDate=tilth.now(), status="in_progress")
    assert scores(user, farm) == {"taskTimeliness": 20.0}  # 1 / 5
    assert alerts(user, farm) == [("critical", "TASKS_OVERDUE", "farm", farm["id"])]


def test_tasks_that_are_old_to_come_cancelled_or_of_another_farm_do_not_count(tilth, user, farm):
    done = {"status": "completed", "completedDate": tilth.now()}
    user.task(farm, dueDate=later(tilth, days=-91), **done)
    user.task(farm, dueDate=later(tilth, hours=1), **done)
    user.task(farm, dueDate=later(tilth, hours=1))
    user.task(farm, dueDate=later(tilth, days=-1), status="cancelled")
    user.task(farm, **done)
    user.task(user.farm(), dueDate=later(tilth, days=-1))
    gone = user.task(farm, dueDate=later(tilth, days=-1))
    assert user.delete(path_of(gone)).status == 204
    assert scores(user, farm) == {}


def test_a_task_that_falls_due_is_overdue_in_the_next_score(tilth):
    user = tilth.user()
    farm = user.farm()
    user.task(farm, dueDate=later(tilth, seconds=1))
    assert scores(user, farm) == {}
    tilth.advance("PT1S")
    assert scores(user, farm) == {"taskTimeliness": 0}


def test_plants_count_by_status(user, farm):
    field = user.field(farm)
    blocks = [user.block(user.crop(field), name=name) for name in "AB"]
    for number, status in enumerate("alive alive sick dead replaced removed alive alive alive alive".split()):
        user.plant(blocks[number % 2], label=str(number), status=status)
    assert scores(user, farm)["plantVitality"] == 81.2  # 6.5 of 8 = 81.25
    assert alerts(user, farm) == [("warning", "PLANTS_DYING", "farm", farm["id"])]
    user.plant(blocks[0], label="10"), user.plant(blocks[0], label="11")
    assert alerts(user, farm) == []  # a tenth is not more than a tenth
    assert user.delete(path_of(blocks[1])).status == 204
    assert scores(user, farm)["plantVitality"] == 91.7  # 5.5 of 6, and the dead one is gone


def test_soil_counts_by_area_and_by_what_grows_there(user, kinds):
    farm = user.farm(areaUnit="acre")
    user.field(farm, area=3, soilPh="7.5")
    assert scores(user, farm) == {"soilSuitability": 100}
    sour = user.field(farm, area=1, soilPh="6.6")
    assert scores(user, farm) == {"soilSuitability": 100}
    user.crop(sour, status="harvested", **kinds["Potato"])
    assert scores(user, farm)["soilSuitability"] == 100
    user.crop(sour, **kinds["Maize"])
    assert scores(user, farm)["soilSuitability"] == 100
    crop = user.crop(sour, cropType="potato ", status="growing")  # matches the library's crop by name
    assert scores(user, farm)["soilSuitability"] == 95  # 3 × 100 + 1 × 80
    assert alerts(user, farm) == [("warning", "SOIL_PH_OUT_OF_RANGE", "field", sour["id"])]
    user.put(path_of(sour), {"soilPh": "2"})
    assert scores(user, farm)["soilSuitability"] == 75
    user.delete(path_of(crop))
    assert scores(user, farm)["soilSuitability"] == 75
    user.put(path_of(sour), {"soilPh": None})
    assert scores(user, farm)["soilSuitability"] == 100 and alerts(user, farm) == []


def test_irrigations_count_against_those_that_were_planned(tilth, user, farm):
    fields = [user.field(farm, name=name) for name in "AB"]
    for field, days in ((fields[0], -29), (fields[1], -1), (fields[1], -31), (fields[1], 1)):
        path = f"/farms/{farm['id']}/fields/{field['id']}/irrigations"
        user.made(path, {"startedAt": later(tilth, days=days), "durationMinutes": 9, "waterVolume": 1})
    assert scores(user, farm) == {}
    done = {"status": "completed", "completedDate": "2020-01-01"}
    for days, members in ((-29, done), (-2, done), (-1, done), (-31, done), (-1, {"status": "cancelled"}), (1, {})):
        user.task(farm, category="irrigation", dueDate=later(tilth, days=days), **members)
    user.task(farm, category="other", dueDate=later(tilth, days=-1), **done)
    assert scores(user, farm) == {"taskTimeliness": 100, "irrigationAdherence": 66.7}


def test_crops_count_by_how_they_went(tilth):
    user = tilth.user()
    tilth.set_clock("2026-04-10T20:30:00Z")
    farm = user.farm(timezone="Asia/Riyadh")  # where it is 23:30
    field = user.field(farm)
    user.crop(field, expectedHarvestDate="2020-01-01")  # planned
    assert scores(user, farm) == {}
    for status in ("harvested", "failed"):
        user.crop(field, status=status, expectedHarvestDate="2020-01-01")
    late = [user.crop(field, status=status, expectedHarvestDate="2026-04-09") for status in ("planted", "growing")]
    user.crop(field, status="growing", expectedHarvestDate="2026-04-10")
    assert scores(user, farm) == {"cropProgress": 40}  # 1 − (1 + 2) / 5
    found = health(user, farm)["alerts"]
    assert [(each["severity"], each["code"], each["entityType"]) for each in found] == [
        ("info", "HARVEST_OVERDUE", "crop")] * 2
    assert [each["entityId"] for each in found] == sorted(crop["id"] for crop in late)
    tilth.advance("PT30M")
    assert scores(user, farm) == {"cropProgress": 20}


def test_the_score_is_the_mean_of_what_is_known(tilth, user, farm):
    field = user.field(farm, soilPh="5.5")  # 75
    block = user.block(user.crop(field, cropType="Weed"))
    for label, status in (("1", "alive"), ("2", "sick")):
        user.plant(block, label=label, status=status)  # 75
    user.task(farm, dueDate=later(tilth, days=-1))  # 0
    shown = health(user, farm)
    assert (shown["score"], shown["grade"]) == (45, "poor")  # (30·0 + 25·75 + 20·75) / 75
    assert shown["dataCompleteness"] == 0.75
    assert [each["code"] for each in shown["alerts"]] == ["TASKS_OVERDUE", "SOIL_PH_OUT_OF_RANGE"]


# Yield prediction.


def predicted(user, farm, crop=None):
    return user.read(f"/farms/{farm['id']}/yield-prediction" + (f"?cropId={crop['id']}" if crop else ""))


def one(user, farm, crop):
    shown = predicted(user, farm, crop)
    assert [each["cropId"] for each in shown["predictions"]] == [crop["id"]] and shown["skipped"] == []
    return shown["predictions"][0]


def multipliers(prediction):
    return {factor["key"]: factor["multiplier"] for factor in prediction["factors"]}


def test_the_library_predicts_with_its_own_bounds(tilth, user, kinds):
    farm = user.farm(areaUnit="acre")
    field = user.field(farm)
    crop = user.crop(field, cropType="Corn", area="10", expectedHarvestDate="2026-09-01", **kinds["Maize"])
    shown = predicted(user, farm)
    assert set(shown) == {"farmId", "predictions", "totals", "skipped", "modelVersion", "calculatedAt"}
    assert (shown["modelVersion"], shown["calculatedAt"], shown["farmId"]) == ("1", tilth.now(), farm["id"])
    prediction = shown["predictions"][0]
    factors = prediction.pop("factors")
    assert [(each["key"], each["multiplier"]) for each in factors] == [("survival", 1), ("soil", 1), ("water", 1)]
    assert all(set(each) == {"key", "multiplier", "detail"} and each["detail"] for each in factors)
    assert prediction == {  # 4.0468564224 ha × 6 t
        "cropId": crop["id"], "cropType": "Corn", "fieldId": field["id"], "areaHectares": 4.047,
        "predictedYield": 24.281, "unit": "ton", "yieldPerHectare": 6, "lowerBound": 8.094, "upperBound": 40.469,
        "confidence": "low", "method": "library", "expectedHarvestDate": "2026-09-01"}
    assert shown["totals"] == [{"cropType": "Corn", "areaHectares": 4.047, "predictedYield": 24.281, "unit": "ton"}]


def test_a_crop_is_of_the_library_by_name_too(user, farm, kinds):
    field = user.field(farm)
    named = one(user, farm, user.crop(field, cropType=" POTATO", area=2))
    assert (named["predictedYield"], named["lowerBound"], named["upperBound"]) == (40, 24, 56)
    assert (named["method"], named["confidence"]) == ("library", "low")


def test_a_variety_comes_before_the_library(user, farm, kinds):
    field = user.field(farm)
    flint = one(user, farm, user.crop(field, area=2, **kinds["Flint"]))
    assert (flint["predictedYield"], flint["lowerBound"], flint["upperBound"]) == (16, 12, 20)
    assert (flint["method"], flint["confidence"]) == ("variety", "medium")
    assert one(user, farm, user.crop(field, area=2, **kinds["Dent"]))["method"] == "library"


def test_own_crops_come_before_all(user, kinds):
    acres, here = user.farm(areaUnit="acre"), user.farm()
    field, other = user.field(here), user.field(acres)
    harvested = {"status": "harvested", "cropType": "MAIZE"}
    crop = user.crop(field, area=5, cropType="maize", **kinds["Flint"])
    user.crop(field, **harvested, area=1)  # no yield
    user.crop(field, **harvested, actualYield=99)  # no area
    user.crop(field, status="failed", area=1, actualYield=99)
    user.crop(field, **{**harvested, "cropType": "Maize 2"}, area=1, actualYield=99)
    assert one(user, here, crop)["method"] == "variety"
    user.crop(field, **harvested, area=2, actualYield=8000, actualHarvestDate="2024-09-01")
    own = one(user, here, crop)
    assert (own["method"], own["confidence"], own["yieldPerHectare"]) == ("own_history", "medium", 4)
    assert (own["predictedYield"], own["lowerBound"], own["upperBound"]) == (20, 15, 25)
    user.crop(other, **harvested, area=10, actualYield=2000, yieldUnit="lb", actualHarvestDate="2025-09-01")
    user.crop(other, **harvested, area=10, actualYield="40", yieldUnit="ton", actualHarvestDate="2025-09-02")
    own = one(user, here, crop)  # (8 + 0.90718474 + 40) / (2 + 8.0937128448) = 4.8453105…
    assert (own["confidence"], own["yieldPerHectare"], own["predictedYield"]) == ("high", 4.845, 24.227)
    assert (own["lowerBound"], own["upperBound"]) == (20.593, 27.861)
    for day in range(1, 6):  # the last five harvests, not the last five recorded
        user.crop(field, **harvested, area=1, actualYield=day, yieldUnit="ton", actualHarvestDate=f"2026-01-0{day}")
    user.crop(field, **harvested, area=1, actualYield=500, yieldUnit="ton", actualHarvestDate="2020-01-01")
    assert one(user, here, crop)["yieldPerHectare"] == 3


def test_an_area_is_the_sum_of_the_blocks_where_the_crop_has_none(user, farm, kinds):
    field = user.field(farm)
    crop = user.crop(field, **kinds["Maize"])
    assert predicted(user, farm, crop)["skipped"] == [{"cropId": crop["id"], "reason": "no_area"}]
    user.block(crop)
    for area in ("1.25", "0.25"):
        user.block(crop, area=area)
    user.block(user.crop(field), area=50)
    assert one(user, farm, crop)["areaHectares"] == 1.5


def test_what_died_is_not_harvested(user, farm, kinds):
    field = user.field(farm)
    crop = user.crop(field, area=1, **kinds["Maize"])
    for number, status in enumerate("alive alive sick dead removed".split()):
        user.plant(user.block(crop, name=status), label=str(number), status=status)
    user.plant(user.block(user.crop(field)), status="dead")
    assert multipliers(one(user, farm, crop))["survival"] == 0.625
    assert one(user, farm, crop)["predictedYield"] == 3.75


@pytest.mark.parametrize("ph,soil", [(None, 1), ("5.5", 1), ("7", 1), ("5.2", 0.94), ("8", 0.8), ("9", 0.7)])
def test_soil_outside_of_the_range_costs(user, farm, kinds, ph, soil):
    crop = user.crop(user.field(farm, soilPh=ph), area=1, **kinds["Maize"])
    assert multipliers(one(user, farm, crop))["soil"] == soil


def test_water_that_lacks_costs(tilth):
    user = tilth.user()
    tilth.operate("POST", "/operator/v1/library", LIBRARY)
    maize = next(crop for crop in tilth.operate("GET", "/operator/v1/library").json["crops"]
                 if crop["name"] == "Maize")
    tilth.set_clock("2026-06-10T22:00:00Z")  # in Riyadh it is the 11th already
    farm = user.farm(timezone="Asia/Riyadh")
    field = user.field(farm, area=2)

    def water(**members):
        return multipliers(one(user, farm, user.crop(field, area=1, adminCropId=maize["id"], **members)))["water"]

    planted = {"plantingDate": "2026-05-22"}  # 20 days of 100, so 100 of 500 mm: 2,000 m³ on 2 ha
    irrigations = f"/farms/{farm['id']}/fields/{field['id']}/irrigations"
    irrigation = {"durationMinutes": 9, "waterVolume": 1200}
    user.made(irrigations, {**irrigation, "startedAt": "2026-05-21T20:59:59Z"})  # the day before
    user.made(irrigations, {**irrigation, "startedAt": "2026-06-10T22:00:01Z"})  # a second from now
    assert water(**planted) == 1 and water() == 1
    user.made(irrigations, {**irrigation, "startedAt": "2026-05-21T21:00:00Z"})
    user.made(irrigations, {**irrigation, "startedAt": "2026-06-10T22:00:00Z", "waterVolume": 400_000,
                            "volumeUnit": "liter"})
    assert water(**planted) == 0.75  # 1 − 1.25 × (1 − 80/100)
    assert water(plantingDate="2026-06-11") == 1  # nothing needed yet
    assert water(plantingDate="2026-07-11") == 1
    assert water(plantingDate="2026-05-21") == 1  # 140 mm of 105, including the one that began the day before
    flint = next(each["id"] for each in maize["varieties"] if each["varietyName"] == "Flint")
    assert water(**planted, varietyId=flint) == 0.3  # 200 mm needed: 1 − 1.25 × 0.6 = 0.25


def test_crops_stand_in_the_order_in_which_they_came(tilth, user, farm, kinds):
    field = user.field(farm)
    crops = []
    for name, status in (("Potato", "growing"), ("Maize", "planned"), ("Weed", "planted"), ("Maize", "harvested"),
                         ("Potato", "planted"), ("potato", "planned"), ("Maize", "failed")):
        crops.append(user.crop(field, cropType=name, area=1, status=status))
        tilth.advance("PT0.001S")
    bare = user.crop(field)
    shown = predicted(user, farm)
    assert [each["cropId"] for each in shown["predictions"]] == [crops[i]["id"] for i in (0, 1, 4, 5)]
    assert shown["skipped"] == [{"cropId": crops[2]["id"], "reason": "no_yield_base"},
                                {"cropId": bare["id"], "reason": "no_area"}]
    assert shown["totals"] == [
        {"cropType": name, "areaHectares": area, "predictedYield": tons, "unit": "ton"}
        for name, area, tons in (("Maize", 1, 6), ("Potato", 2, 40), ("potato", 1, 20))]
    assert predicted(user, farm, crops[3])["skipped"] == [{"cropId": crops[3]["id"], "reason": "not_growing"}]
    assert predicted(user, farm, crops[6])["predictions"] == []


def test_what_is_asked_must_be_there(tilth, user, farm):
    elsewhere = user.crop(user.field(user.farm()))
    for path in ("health-score", "yield-prediction"):
        refused(user.get(f"/farms/{uuid.uuid4()}/{path}"), 404, "NOT_FOUND")
        refused(tilth.user().get(f"/farms/{farm['id']}/{path}"), 404, "NOT_FOUND")
        refused(user.get(f"/farms/x/{path}"), 400, "INVALID_ID", "id")
        refused(user.with_key(scopes=["farms:read"]).get(f"/farms/{farm['id']}/{path}"), 403, "INSUFFICIENT_SCOPE")
        assert user.with_key(scopes=["analytics:read"]).get(f"/farms/{farm['id']}/{path}").status == 200
    path = f"/farms/{farm['id']}/yield-prediction?cropId="
    refused(user.get(path + elsewhere["id"]), 404, "NOT_FOUND")
    refused(user.get(path + str(uuid.uuid4())), 404, "NOT_FOUND")
    refused(user.get(path + "x"), 400, "INVALID_ID", "cropId")
    refused(user.get("/farms/x/yield-prediction?cropId=y"), 400, "INVALID_ID", "id", "cropId")
    gone = user.crop(user.field(farm), area=1)
    assert user.delete(path_of(gone)).status == 204
    refused(user.get(path + gone["id"]), 404, "NOT_FOUND")
    invalid(user.get(f"{path}{elsewhere['id']}&cropId={elsewhere['id']}"), "cropId")

"""Responses as of an earlier time."""
import datetime
import threading

import pytest

from routes import DELIVERIES, EVENTS, PATHS, REGIONAL_PRICES, filled, ids_of
from service import invalid, path_of, refused

CONFIG = """
[limits]
as_of_events = 60
"""
NOT_OF_THE_PAST = {EVENTS[0], REGIONAL_PRICES[0], DELIVERIES[0]}
READS = [path for path, methods, _ in PATHS if "GET" in methods.split() and path not in NOT_OF_THE_PAST]


def as_of(user, path, at):
    return user.get(path, {"Tilth-As-Of": at})


def shifted(instant, **by):
    moved = datetime.datetime.fromisoformat(instant.replace("Z", "+00:00")) + datetime.timedelta(**by)
    return moved.isoformat(timespec="milliseconds").replace("+00:00", "Z")


@pytest.fixture(scope="module")
def farmer(tilth):
    """A user whose farm was renamed each hour, the farm, and the times between."""
    user = tilth.user()
    times = [tilth.now()]
    tilth.advance("PT30M")
    farm = user.farm(name="First")
    for name in ("Second", "Third"):
        tilth.advance("PT30M")
        times.append(tilth.now())
        tilth.advance("PT30M")
        assert user.put(path_of(farm), {"name": name}).status == 200
    tilth.advance("PT30M")
    times.append(tilth.now())
    return user, farm, times


def test_a_record_is_shown_as_it_was(farmer):
    user, farm, (before, *times) = farmer
    for at, name in zip(times, ("First", "Second", "Third")):
        reply = as_of(user, path_of(farm), at)
        assert reply.status == 200 and reply.data["name"] == name, reply
        assert as_of(user, "/farms", at).data == [reply.data]
    refused(as_of(user, path_of(farm), before), 404, "NOT_FOUND")
    assert as_of(user, "/farms", before).data == []
    assert as_of(user, "/farms", "1999-12-31T00:00:00Z").pagination["total"] == 0


def test_the_instant_of_an_event_is_part_of_it(farmer):
    user, farm, _ = farmer
    assert as_of(user, path_of(farm), farm["createdAt"]).status == 200
    refused(as_of(user, path_of(farm), shifted(farm["createdAt"], milliseconds=-1)), 404, "NOT_FOUND")


def test_it_has_no_entity_tag(farmer):
    user, farm, times = farmer
    now = user.get(path_of(farm))
    assert now.header("ETag")
    reply = user.get(path_of(farm), {"Tilth-As-Of": times[-1], "If-None-Match": now.header("ETag")})
    assert reply.status == 200 and reply.header("ETag") is None
    assert reply.data == now.data


def test_head_answers_as_get(farmer):
    user, farm, times = farmer
    reply = user.send("HEAD", "/api/v1" + path_of(farm), None, {"Tilth-As-Of": times[0]})
    assert reply.status == 404
    assert user.send("HEAD", "/api/v1" + path_of(farm), None, {"Tilth-As-Of": times[1]}).status == 200


@pytest.mark.parametrize("header", ["yesterday", "", "2026-13-01T00:00:00Z", "1", "2026-03-01T00:00:00"])
def test_what_is_no_instant_is_refused(farmer, header):
    invalid(as_of(farmer[0], "/farms", header), "Tilth-As-Of")


def test_it_is_refused_next_to_whatever_else_is_wrong(farmer):
    user, *_ = farmer
    invalid(as_of(user, "/farms?page=x&limit=y", "yesterday"), "Tilth-As-Of", "page", "limit")
    invalid(as_of(user, "/farms?page=x", "2126-01-01T00:00:00Z"), "Tilth-As-Of", "page")
    refused(as_of(user, "/farms/x", "yesterday"), 400, "INVALID_ID")


def test_the_future_is_refused(tilth, farmer):
    user, *_ = farmer
    assert as_of(user, "/farms", tilth.now()).status == 200
    invalid(as_of(user, "/farms", "2126-01-01T00:00:00Z"), "Tilth-As-Of")
    invalid(user.send("GET", "/api/v1/farms", None, [("Tilth-As-Of", tilth.now()), ("Tilth-As-Of", tilth.now())]),
            "Tilth-As-Of")


def test_a_change_does_not_mind_it(tilth):
    user = tilth.user()
    headers = {"Tilth-As-Of": "yesterday"}
    farm = user.post("/farms", {"name": "Now", "totalArea": 1}, headers)
    assert farm.status == 201 and farm.header("ETag")
    assert user.put(path_of(farm.data), {"name": "Then"}, headers).status == 200
    assert user.delete(path_of(farm.data), headers).status == 204


def test_overdue_is_as_of_then(tilth):
    user = tilth.user()
    farm = user.farm()
    early = tilth.now()
    tilth.advance("PT1H")
    due = shifted(tilth.now(), hours=1)
    task = user.task(farm, dueDate=due)
    tilth.advance("PT2H")
    assert as_of(user, "/tasks", early).data == []
    for at, status, other in ((shifted(due, milliseconds=-1), "pending", "overdue"), (due, "overdue", "pending")):
        assert as_of(user, path_of(task), at).data["status"] == status
        assert [one["id"] for one in as_of(user, f"/tasks?status={status}", at).data] == [task["id"]]
        assert as_of(user, f"/tasks?status={other}", at).pagination["total"] == 0
    assert user.get(path_of(task)).data["status"] == "overdue"


def test_removals_are_undone(tilth):
    user = tilth.user()
    farm, field, crop, block, plant, task, template, rule = user.land()
    tilth.advance("PT1H")
    then = tilth.now()
    tilth.advance("PT1H")
    assert user.delete(path_of(farm)).status == 204
    for record in (farm, field, crop, block, plant, task, rule):
        refused(user.get(path_of(record)), 404, "NOT_FOUND")
        assert as_of(user, path_of(record), then).status == 200


def test_lists_are_what_they_were_before_later_changes_and_removals(tilth):
    user = tilth.user()
    farm, field, *_ = user.land()
    other = user.farm(name="Other")
    targets = ["/farms?sort=name", f"{path_of(farm)}/fields", "/tasks", "/tasks?status=pending",
               "/tasks?status=overdue&priority=high", "/tasks?sort=title&order=asc&limit=3&page=2",
               f"/tasks?farmId={other['id']}&sort=dueDate"]

    def answers():
        return [user.get(target).json for target in targets]

    kept = []
    for hour in range(4):
        tasks = [user.task(one, title=f"Row {(hour * 7 + number) % 5}", priority=("high", "low")[number % 2],
                           dueDate=shifted(tilth.now(), hours=number - 1))
                 for number, one in enumerate((farm, other, farm, other, farm))]
        assert user.delete(path_of(tasks[hour])).status == 204
        if hour == 2:
            assert user.delete(path_of(field)).status == 204
        if hour == 3:
            assert user.delete(path_of(other)).status == 204
        kept.append((tilth.now(), answers()))
        tilth.advance("PT1H")
    for at, then in kept:
        for target, answer in zip(targets, then):
            assert as_of(user, target, at).json == answer, (target, at)


@pytest.mark.parametrize("path", READS)
def test_every_read_answers_of_now_as_it_does_without(tilth, path):
    user = tilth.user()
    land = user.land()
    target = filled(path, ids_of(land, path))
    if path.endswith("/varieties"):
        target += f"?adminCropId={land[0]['id']}"
    now = user.get(target)
    then = as_of(user, target, tilth.now())
    assert then.status == now.status == 200, (target, now, then)
    assert then.json == now.json


def test_regional_prices_are_of_today_alone(tilth):
    user = tilth.user()
    target = "/market/regional-prices?country=EG"
    assert user.get(target).status == 200
    invalid(as_of(user, target, tilth.now()), "Tilth-As-Of")


def test_reference_data_are_of_then(tilth):
    user = tilth.user()
    before = tilth.now()
    tilth.advance("PT1H")
    tilth.operate("POST", "/operator/v1/library", {"crops": [{"name": "Amaranth of then", "category": "grain"}]})
    tilth.advance("PT1H")
    assert [crop["name"] for crop in user.get("/crop-library/crops?search=amaranth").data] == ["Amaranth of then"]
    assert as_of(user, "/crop-library/crops?search=amaranth", before).data == []


def test_too_long_a_history_is_refused(tilth):
    user = tilth.user()
    farm = user.farm()
    tilth.advance("PT1H")
    early = tilth.now()
    tilth.advance("PT1H")
    for number in range(70):
        user.put(path_of(farm), {"description": str(number)})
    refused(as_of(user, "/farms", tilth.now()), 400, "AS_OF_LIMIT_EXCEEDED")
    assert as_of(user, "/farms", early).status == 200
    assert user.get("/farms").status == 200


def test_many_may_ask_at_once(tilth, farmer):
    user, farm, times = farmer
    statuses = []

    def ask():
        client = tilth.client_of(user)
        statuses.extend(as_of(client, path_of(farm), times[1]).status for _ in range(10))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert statuses == [200] * 80

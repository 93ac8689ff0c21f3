"""What a deletion cascades to, and what it leaves."""
import pytest

from client import Client
from entries import EXPENSES, KINDS, PRICE_REPORTS, SALES
from service import Service, blocks_of, path_of, refused


def everything_below(user, farm):
    """Two fields with two crops, blocks and plants each, and entries on all: path -> the ids of all its ancestors."""
    made, entries = {}, {}
    for field in (user.field(farm), user.field(farm)):
        made[path_of(field)] = {farm["id"]}
        for crop in (user.crop(field), user.crop(field)):
            made[path_of(crop)] = {farm["id"], field["id"]}
            block = user.block(crop)
            made[path_of(block)] = {farm["id"], field["id"], crop["id"]}
            plant = user.plant(block, tagId="T")
            made[path_of(plant, block)] = {farm["id"], field["id"], crop["id"], block["id"]}
            for kind in KINDS:
                entry = user.entry(kind, crop, block)
                of_block, of_crop = "{blockId}" in kind.path, kind is SALES
                entries[entry["path"]] = {record["id"] for record, goes in (
                    (farm, True), (field, of_crop or "{fieldId}" in kind.path), (crop, of_crop or of_block),
                    (block, of_block)) if goes}
            for link in ({"cropId": crop["id"]}, {"fieldId": field["id"]}):
                entry = user.entry(EXPENSES, crop, block, **link)
                entries[entry["path"]] = {farm["id"], field["id"], *link.values()}
    return made | entries


def is_there(user, path):
    if path.startswith(PRICE_REPORTS.path):
        return path.rsplit("/", 1)[1] in user.listed(PRICE_REPORTS.path + "?limit=100")
    status = user.get(path).status
    assert status in (200, 404)
    return status == 200


@pytest.fixture
def owner(tilth):
    user = tilth.user()
    farms = [user.farm(), user.farm()]
    return user, farms, {path: above for farm in farms for path, above in everything_below(user, farm).items()}


@pytest.mark.parametrize("kind", ["farm", "field", "crop", "block", "plant"])
def test_a_deletion_takes_all_that_lies_below_and_nothing_else(owner, kind):
    user, farms, made = owner
    made |= {path_of(farm): set() for farm in farms}
    first = {"farm": path_of(farms[0]),
             "field": next(path for path in made if path.count("/") == 4),
             "crop": next(path for path in made if path.startswith("/crops")),
             "block": next(path for path in made if path.count("/") == 6),
             "plant": next(path for path in made if path.count("/") == 8)}[kind]
    id_ = first.rsplit("/", 1)[1]
    assert user.delete(first).status == 204
    for path, above in made.items():
        assert is_there(user, path) == (id_ not in above and path != first), path


def test_lists_and_totals_leave_out_what_was_taken(user):
    farm, field, crop, block, plant, task, *_ = user.land()
    other = user.crop(field)
    kept = user.block(other)
    assert user.delete(path_of(crop)).status == 204
    assert user.listed("/crops") == [other["id"]]
    assert user.listed(blocks_of(other)) == [kept["id"]]
    assert user.get(blocks_of(other)).pagination["total"] == 1
    assert user.delete(path_of(field)).status == 204
    assert user.get("/crops").pagination == {"page": 1, "limit": 20, "total": 0, "totalPages": 0}
    assert user.listed(f"{path_of(farm)}/fields") == []
    refused(user.get(blocks_of(other)), 404, "NOT_FOUND")


def test_tasks_go_with_their_farm_and_with_nothing_else(tilth, user):
    farm, field, crop, block, _, task, *_ = user.land()
    links = {"fieldId": field["id"], "cropId": crop["id"], "blockId": block["id"]}
    linked = user.task(farm, **links, dueDate=tilth.now())
    elsewhere = user.task(user.farm(), dueDate=tilth.now())
    for above in (block, crop, field):
        assert user.delete(path_of(above)).status == 204
    assert user.read(path_of(linked)) == linked
    for name, id_ in links.items():
        assert user.listed(f"/tasks?{name}={id_}") == [linked["id"]]
        refused(user.put(path_of(task), {name: id_}), 404, "NOT_FOUND")
    assert user.delete(path_of(farm)).status == 204
    for gone in (task, linked):
        refused(user.get(path_of(gone)), 404, "NOT_FOUND")
    assert user.listed("/tasks") == user.listed("/tasks?status=overdue") == [elsewhere["id"]]


def test_a_deletion_is_one_event_whatever_it_takes(tilth, user):
    farm = user.farm()
    everything_below(user, farm)
    before = len(tilth.events(user.id))
    assert user.delete(path_of(farm)).status == 204
    events = tilth.events(user.id)
    assert len(events) == before + 1 and events[-1]["type"].startswith("tilth.farm.")


def test_what_was_taken_frees_its_names(user):
    farm = user.farm(name="Hill")
    user.delete(path_of(farm))
    again = user.farm(name="Hill")
    assert again["id"] != farm["id"]
    assert user.listed(f"{path_of(again)}/fields") == []


def test_nothing_can_be_added_below_what_was_taken(user):
    farm, field, crop, block, *_ = user.land()
    assert user.delete(path_of(farm)).status == 204
    for path, body in [(f"{path_of(farm)}/fields", {"name": "x", "area": 1}),
                       ("/crops", {"farmId": farm["id"], "fieldId": field["id"], "cropType": "x"}),
                       (blocks_of(crop), {"cropId": crop["id"], "name": "x"}),
                       (f"{path_of(block)}/plants", {"label": "x"}),
                       ("/tasks", {"farmId": farm["id"], "title": "x", "category": "other"}),
                       *[(kind.path.format(id=crop["id"] if kind is SALES else farm["id"], fieldId=field["id"],
                                           blockId=block["id"]), {"farmId": farm["id"], **kind.body})
                         for kind in KINDS]]:
        refused(user.post(path, body), 404, "NOT_FOUND")


def test_a_cascade_holds_over_a_restart(tilth):
    user = tilth.user()
    farm, field, crop, block, plant, task, *_ = user.land()
    kept = user.land()
    assert user.delete(path_of(field)).status == 204
    tilth.restart()
    client = tilth.stranger()
    client.authorization = user.authorization
    for record in (field, crop, block, plant):
        assert client.get(path_of(record)).status == 404
    for record in (farm, task, *kept):
        assert client.get(path_of(record)).status == 200


@pytest.mark.embedded_log
def test_a_removal_right_before_a_crash_is_whole_once_the_service_is_ready(tmp_path):
    running = Service(tmp_path)
    try:
        user = running.start().user()
        kept, removed = user.farm(), user.farm()
        task = {"method": "POST", "path": "/v1/tasks",
                "body": {"farmId": removed["id"], "title": "Walk", "category": "other"}}
        for _ in range(4):
            assert user.post("/batch", {"requests": [task] * 1000}).json["meta"]["failed"] == 0
        running.stop()
        running.start()
        before = Client(running.address, user.authorization)
        last = before.post("/tasks", {**task["body"], "farmId": kept["id"]}).json["data"]
        assert before.delete(path_of(removed)).status == 204
        running.kill()
        running.start()
        after = Client(running.address, user.authorization)
        assert after.get(path_of(last)).status == 200
        assert after.get(path_of(removed)).status == 404
        assert after.get("/tasks").json["pagination"]["total"] == 1
        running.stop()
    finally:
        running.kill()

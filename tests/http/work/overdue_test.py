"""Overdue tasks: from the exact millisecond on, wherever a task is shown, listed, counted or sorted."""
import datetime
import uuid

import pytest

from service import invalid, path_of, refused


@pytest.fixture
def farm(user):
    return user.farm()


def later(tilth, **span):
    """An instant that far from now, on a clock that is stopped."""
    return (datetime.datetime.fromisoformat(tilth.now()[:23]) + datetime.timedelta(**span)).isoformat(
        timespec="milliseconds") + "Z"


def listed(user, query=""):
    reply = user.get("/tasks" + query)
    assert reply.pagination["total"] == len(reply.data)
    return {record["id"]: record["status"] for record in reply.data}


@pytest.mark.parametrize("stored", ["pending", "in_progress"])
def test_a_task_is_overdue_from_the_very_millisecond_on(tilth, stored):
    user = tilth.user()
    farm = user.farm()
    due = later(tilth, milliseconds=9)
    task = user.task(farm, status=stored, dueDate=due)
    path, id_ = path_of(task), task["id"]
    for _ in range(9):
        assert user.read(path)["status"] == stored
        assert listed(user) == listed(user, f"?status={stored}") == {id_: stored}
        assert listed(user, "?status=overdue") == listed(user, f"?status=overdue&farmId={farm['id']}") == {}
        tag = user.get(path).header("ETag")
        tilth.advance("PT0.001S")
    assert tilth.now() == due
    reply = user.get(path)
    assert reply.data == {**task, "status": "overdue"} and reply.header("ETag") != tag
    assert user.get(path, {"If-None-Match": tag}).status == 200
    refused(user.put(path, {"title": "x"}, {"If-Match": tag}), 412, "PRECONDITION_FAILED")
    assert listed(user) == listed(user, "?status=overdue") == {id_: "overdue"}
    assert listed(user, f"?status=overdue&farmId={farm['id']}&sort=title") == {id_: "overdue"}
    assert listed(user, f"?status={stored}") == listed(user, f"?status={stored}&farmId={farm['id']}") == {}


def test_a_task_that_is_made_or_moved_into_the_past_is_overdue_at_once(tilth):
    user = tilth.user()
    farm = user.farm()
    made = user.post("/tasks", {"farmId": farm["id"], "title": "x", "category": "other", "dueDate": tilth.now()})
    assert made.data["status"] == "overdue"
    assert made.header("ETag") == user.get(path_of(made.data)).header("ETag")
    path = path_of(made.data)
    assert user.put(path + "/reschedule", {"dueDate": "2031-01-01"}).data["status"] == "pending"
    assert listed(user, "?status=overdue") == {}
    assert user.put(path, {"dueDate": "2020-01-01"}).data["status"] == "overdue"
    assert listed(user, "?status=overdue") == {made.data["id"]: "overdue"}
    assert user.put(path, {"dueDate": None}).data["status"] == "pending"
    assert user.put(path, {"dueDate": "2020-01-01", "status": "in_progress"}).data["status"] == "overdue"
    assert user.put(path, {"dueDate": None}).data["status"] == "in_progress"
    for status in ("completed", "cancelled"):
        assert user.put(path, {"dueDate": "2020-01-01", "status": status}).data["status"] == status
    assert listed(user, "?status=overdue") == {}


def test_overdue_cannot_be_written_but_repeated(tilth, user, farm):
    def create(members):
        return user.post("/tasks", {"farmId": farm["id"], "title": "x", "category": "other", **members})

    invalid(create({"status": "overdue"}), "status")
    invalid(create({"status": "overdue", "dueDate": "2020-01-01"}), "status")
    task = user.task(farm, status="in_progress", dueDate="2030-01-01")
    path = path_of(task)
    invalid(user.put(path, {"status": "overdue"}), "status")
    invalid(user.put(path, {"status": "overdue", "dueDate": "2020-01-01"}), "status")
    refused(user.put(path, {"status": "overdue"}, {"If-Match": '"x"'}), 400, "VALIDATION_ERROR")
    user.put(path, {"dueDate": "2020-01-01"})
    tilth.advance("PT1S")
    same = user.put(path, {"status": "overdue"}).data
    assert (same["status"], same["updatedAt"]) == ("overdue", tilth.now())
    assert user.put(path, {"status": "overdue", "dueDate": "2030-01-01"}).data["status"] == "in_progress"


def test_what_was_answered_once_is_replayed_as_it_was_then(tilth, user, farm):
    due = later(tilth, hours=1)
    task = user.task(farm, dueDate=due)
    key = {"Idempotency-Key": str(uuid.uuid4())}, {"Idempotency-Key": str(uuid.uuid4())}
    first = user.put(path_of(task), {"title": "x"}, key[0])
    quiet = user.put(path_of(task), {}, key[1])
    tilth.set_clock(due)
    assert user.read(path_of(task))["status"] == "overdue"
    for reply, body, its in ((first, {"title": "x"}, key[0]), (quiet, {}, key[1])):
        again = user.put(path_of(task), body, its)
        assert again.header("Idempotent-Replayed") == "true"
        assert (again.body, again.header("ETag")) == (reply.body, reply.header("ETag"))
        assert again.data["status"] == "pending"


def test_what_fell_due_is_overdue_after_a_restart(tilth):
    user = tilth.user()
    farm = user.farm()
    tasks = [user.task(farm, dueDate=f"2035-01-01T00:00:00.{number:03}Z") for number in range(5)]
    tilth.set_clock("2035-01-01T00:00:00.002Z")
    overdue = {task["id"]: "overdue" for task in tasks[:3]}
    assert listed(user, "?status=overdue") == overdue
    tilth.restart()
    client = tilth.stranger()
    client.authorization = user.authorization
    assert listed(client, "?status=overdue") == overdue
    tilth.advance("PT0.002S")
    assert listed(client, "?status=overdue") == {task["id"]: "overdue" for task in tasks}

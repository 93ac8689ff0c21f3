"""The task: its members, what completing and rescheduling it does, and being overdue to the millisecond."""
import uuid

import pytest

from members import (Member, REQUIRED, check_absence, check_changes, check_create, check_refusals, choice, text)
from service import invalid, path_of, refused

CATEGORY = ("planting irrigation fertilization pest_control harvesting soil_management maintenance planning "
            "inspection other")
WRITTEN = ["pending", "in_progress", "completed", "cancelled"]
PHOTO = "https://photos.example/1.jpg"


def instant(name):
    return Member(name, [("2027-05-01T10:00:00+02:00", "2027-05-01T08:00:00.000Z"),
                         ("2027-05-01", "2027-05-01T00:00:00.000Z"),
                         ("2027-05-01T10:00Z", "2027-05-01T10:00:00.000Z"),
                         ("2027-05-01T10:00:00.1239Z", "2027-05-01T10:00:00.123Z")],
                  ["2027-02-30", "x", "", 20270501, True, "2027-05-01T10:00:00"])


def degrees(name, most):
    return Member(name, [most, -most, (str(most), most), 24.4392, 0],
                  [most + 0.1, -most - 1, "x", "", True, [1]])


URL = Member("photoUrl", [PHOTO, "http://a", "HTTPS://A.b:80/?q#f", "https://a/" + "x" * 2038],
             ["", "x", "/a", "ftp://a/b", "https://", "https://a b", "https://a/" + "x" * 2039, 1, True])
MEMBERS = [
    text("title", 200, REQUIRED, empty=False), text("description", 2000), text("assignedTo", 200),
    choice("priority", "low medium high urgent", "medium"),
    Member("category", CATEGORY.split(), ["", "else", "OTHER", 1], REQUIRED),
    choice("status", "pending in_progress cancelled", "pending"), instant("dueDate"), instant("startDate"),
    text("fieldName", 200), text("estimatedDuration", 100), text("actualDuration", 100), URL,
    degrees("gpsLat", 90), degrees("gpsLng", 180), text("completionNotes", 2000), text("notes", 5000)]
RECORD = ({"id", "farmId", "completedDate", "createdBy", "cropId", "fieldId", "blockId", "sopTemplateId",
           "recurringTaskId", "createdAt", "updatedAt"} | {member.name for member in MEMBERS})


@pytest.fixture
def farm(user):
    return user.farm()


@pytest.fixture
def create(user, farm):
    def post(members):
        body = {"farmId": farm["id"], "title": "Prune", "category": "other", **members}
        return user.post("/tasks", {key: value for key, value in body.items() if value is not ...})
    return post


@pytest.mark.parametrize("member", MEMBERS, ids=str)
def test_a_member_of_a_new_task(create, member):
    check_create(create, member)
    check_absence(create, member)


@pytest.mark.parametrize("member", MEMBERS, ids=str)
def test_a_member_is_refused(create, user, farm, member):
    task = user.task(farm)
    check_refusals(create, lambda body: user.put(path_of(task), body), member)
    assert user.read(path_of(task)) == task


@pytest.mark.parametrize("member", MEMBERS, ids=str)
def test_a_member_is_changed(user, farm, member):
    path = path_of(user.task(farm))
    check_changes(lambda: user.read(path), lambda body: user.put(path, body), member)


def test_a_task_has_all_its_members_and_no_others(user, farm):
    reply = user.post("/tasks", {"farmId": farm["id"], "title": "Prune", "category": "other",
                                 "sopTemplateId": str(uuid.uuid4()), "recurringTaskId": str(uuid.uuid4()),
                                 "createdBy": "user_x", "id": str(uuid.uuid4())})
    task = reply.data
    assert set(task) == RECORD
    assert (task["sopTemplateId"], task["recurringTaskId"], task["createdBy"]) == (None, None, user.id)
    assert task == user.read(path_of(task)) == user.get("/tasks").data[0]
    assert reply.header("Location") == "/api/v1" + path_of(task)


def test_a_task_needs_a_farm_a_title_and_a_category(user):
    invalid(user.post("/tasks", {}), "farmId", "title", "category")
    refused(user.post("/tasks", {"farmId": str(uuid.uuid4()), "title": "x", "category": "other"}),
            404, "NOT_FOUND")


def test_the_farm_of_a_task_is_fixed(tilth, user, farm):
    task = user.task(farm)
    tilth.advance("PT1S")
    assert user.put(path_of(task), {"farmId": user.farm()["id"], "createdBy": 1}).data == task
    assert user.put(path_of(task), {"farmId": "x"}).data == task


def test_links_are_held_against_the_task_s_farm_only(tilth, user):
    farm, field, crop, block, *_ = user.land()
    _, field2, crop2, block2, *_ = user.land()
    foreign = tilth.user().land()
    own = {"fieldId": user.field(farm)["id"], "cropId": crop["id"], "blockId": block["id"]}
    task = user.task(farm, **own)  # the crop need not be on that field
    assert {name: task[name] for name in own} == own
    other = user.task(farm)
    for name, (second, theirs) in {"fieldId": (field2, foreign[1]), "cropId": (crop2, foreign[2]),
                                   "blockId": (block2, foreign[3])}.items():
        for id_ in (second["id"], theirs["id"], str(uuid.uuid4())):
            body = {"farmId": farm["id"], "title": "x", "category": "other", name: id_}
            refused(user.post("/tasks", body), 404, "NOT_FOUND")
            refused(user.put(path_of(other), {name: id_}), 404, "NOT_FOUND")
        invalid(user.put(path_of(other), {name: "x"}), name)
        assert user.put(path_of(other), {name: own[name]}).data[name] == own[name]
        assert user.put(path_of(other), {name: None}).data[name] is None


def test_a_whole_record_is_put_back_though_what_it_links_is_gone(user):
    farm, field, crop, block, *_ = user.land()
    links = {"fieldId": field["id"], "cropId": crop["id"], "blockId": block["id"]}
    path, other = path_of(user.task(farm, **links)), path_of(user.task(farm))
    assert user.delete(path_of(field)).status == 204
    task = user.read(path)
    assert {name: task[name] for name in links} == links
    assert user.put(path, {**task, "title": "Again"}).data == {**user.read(path), **links, "title": "Again"}
    for name, id_ in links.items():
        refused(user.put(other, {name: id_}), 404, "NOT_FOUND")
        assert user.put(path, {name: None}).data[name] is None
        refused(user.put(path, {name: id_}), 404, "NOT_FOUND")


def test_any_status_may_follow_any_other_and_only_a_completed_task_has_a_date(tilth, user, farm):
    path = path_of(user.task(farm))
    for first in WRITTEN:
        for second in WRITTEN:
            for status in (first, second):
                task = user.put(path, {"status": status}).data
                assert task["status"] == status
                assert (task["completedDate"] is not None) == (status == "completed")


def test_completion_is_dated_now_unless_said(tilth, user, create):
    said = "2026-01-02T03:04:05.000Z"
    assert create({"status": "completed"}).data["completedDate"] == tilth.now()
    assert create({"status": "completed", "completedDate": None}).data["completedDate"] == tilth.now()
    assert create({"status": "completed", "completedDate": said}).data["completedDate"] == said
    assert create({"completedDate": said}).data["completedDate"] is None
    invalid(create({"completedDate": "x"}), "completedDate")
    path = path_of(create({}).data)
    assert user.put(path, {"status": "completed", "completedDate": said}).data["completedDate"] == said
    assert user.put(path, {"completedDate": "2026-01-03"}).data["completedDate"] == "2026-01-03T00:00:00.000Z"
    before = user.read(path)
    tilth.advance("PT1S")
    assert user.put(path, {"completedDate": None}).data == before
    assert user.put(path, {"status": "completed"}).data["completedDate"] == before["completedDate"]
    assert user.put(path, {"status": "pending", "completedDate": said}).data["completedDate"] is None
    pending = user.read(path)
    tilth.advance("PT1S")
    assert user.put(path, {"completedDate": said}).data == pending


def test_a_task_is_completed_with_its_evidence(tilth, user, farm):
    task = user.task(farm, dueDate="2026-01-01", completionNotes="before", notes="kept")
    tilth.advance("PT1S")
    evidence = {"photoUrl": PHOTO, "gpsLat": "24.5", "gpsLng": 39.6, "notes": "Done."}
    reply = user.post(path_of(task) + "/complete", evidence)
    assert reply.status == 200 and reply.header("Location") is None, reply
    assert reply.data == {**task, "status": "completed", "completedDate": tilth.now(), "photoUrl": PHOTO,
                          "gpsLat": 24.5, "gpsLng": 39.6, "completionNotes": "Done.", "updatedAt": tilth.now()}
    assert user.read(path_of(task)) == reply.data
    assert reply.header("ETag") == user.get(path_of(task)).header("ETag")


def test_completing_again_never_moves_the_date_and_replaces_only_what_it_brings(tilth, user, farm):
    path = path_of(user.task(farm))
    first = user.post(path + "/complete", {"photoUrl": PHOTO, "gpsLat": 1}).data
    events = len(tilth.events(user.id))
    tilth.advance("PT1S")
    for body in (None, {}, {"unknown": 1}):
        assert user.post(path + "/complete", body).data == first
    assert len(tilth.events(user.id)) == events
    again = user.post(path + "/complete", {"gpsLat": None, "notes": "x"}).data
    assert again == {**first, "gpsLat": None, "completionNotes": "x", "updatedAt": tilth.now()}


@pytest.mark.parametrize("body,names", [
    ({"photoUrl": "x"}, ["photoUrl"]), ({"gpsLat": 91, "gpsLng": "-180.1"}, ["gpsLat", "gpsLng"]),
    ({"notes": "x" * 2001}, ["notes"]), ({"notes": 1, "gpsLat": True}, ["notes", "gpsLat"])])
def test_evidence_is_checked(user, farm, body, names):
    task = user.task(farm)
    invalid(user.post(path_of(task) + "/complete", body), *names)
    assert user.read(path_of(task)) == task


def test_a_task_is_completed_from_any_status(tilth, user, farm):
    for status in ("pending", "in_progress", "cancelled"):
        task = user.task(farm, status=status)
        assert user.post(path_of(task) + "/complete").data["status"] == "completed"


def test_rescheduling_moves_the_due_date_and_nothing_else(tilth, user, farm):
    for status in WRITTEN:
        task = user.task(farm, status=status)
        path = path_of(task)
        tilth.advance("PT1S")
        moved = user.put(path + "/reschedule", {"dueDate": "2030-01-01", "title": "x"}).data
        assert moved == {**task, "dueDate": "2030-01-01T00:00:00.000Z", "updatedAt": tilth.now()}
        assert user.read(path) == moved
        for body in ({}, {"dueDate": None}, {"dueDate": "x"}):
            invalid(user.put(path + "/reschedule", body), "dueDate")
        refused(user.put(path + "/reschedule", {"dueDate": "2031-01-01"}, {"If-Match": '"x"'}), 412,
                "PRECONDITION_FAILED")


def test_lists_are_cut_by_the_due_date(tilth):
    user = tilth.user()
    farm, other = user.farm(), user.farm()
    user.task(farm)
    made = [user.task(farm if day % 2 else other, dueDate=f"2027-03-{day:02}T12:00:00Z", title=f"{day % 7}")
            for day in range(1, 29)]
    for low, high in ((5, 20), (1, 1), (20, 5), (28, 29), (1, 29)):
        cut = [task for task in made if low <= int(task["dueDate"][8:10]) < high]
        query = f"dueAfter=2027-03-{low:02}T12:00:00Z&dueBefore=2027-03-{high:02}T12:00:00Z&limit=100"
        assert user.listed(f"/tasks?{query}&sort=dueDate&order=asc") == [task["id"] for task in cut]
        assert user.listed(f"/tasks?{query}&sort=dueDate") == [task["id"] for task in cut[::-1]]
        by_title = sorted(cut, key=lambda task: (task["title"], task["id"]))
        assert user.listed(f"/tasks?{query}&sort=title&order=asc") == [task["id"] for task in by_title]
        reply = user.get(f"/tasks?{query}&farmId={farm['id']}&status=pending&sort=dueDate")
        assert reply.pagination["total"] == len([task for task in cut if task["farmId"] == farm["id"]])
    assert len(user.listed("/tasks?dueAfter=2027-03-20T12:00:00Z")) == 9
    assert len(user.listed("/tasks?dueBefore=2027-03-05T12:00:00Z")) == 4
    page = user.get("/tasks?dueAfter=2027-03-02&sort=dueDate&order=asc&limit=5&page=3")
    assert [task["dueDate"][8:10] for task in page.data] == ["12", "13", "14", "15", "16"]
    assert page.pagination == {"page": 3, "limit": 5, "total": 27, "totalPages": 6}


@pytest.mark.parametrize("query,code,name", [
    ("status=done", "VALIDATION_ERROR", "status"), ("priority=x", "VALIDATION_ERROR", "priority"),
    ("category=x", "VALIDATION_ERROR", "category"), ("dueBefore=x", "VALIDATION_ERROR", "dueBefore"),
    ("dueAfter=", "VALIDATION_ERROR", "dueAfter"), ("open=yes", "VALIDATION_ERROR", "open"),
    ("sort=status", "VALIDATION_ERROR", "sort"),
    ("farmId=x", "INVALID_ID", "farmId"), ("cropId=x", "INVALID_ID", "cropId"),
    ("fieldId=x", "INVALID_ID", "fieldId"), ("blockId=x", "INVALID_ID", "blockId")])
def test_a_wrong_filter_is_named(user, query, code, name):
    refused(user.get(f"/tasks?{query}"), 400, code, name)


def test_a_filter_that_names_nothing_finds_nothing(tilth, user, farm):
    user.task(farm)
    theirs = tilth.user().farm()
    for query in (f"farmId={theirs['id']}", f"cropId={uuid.uuid4()}", "assignedTo=", "assignedTo=Omar"):
        assert user.listed("/tasks?" + query) == []


def test_a_deleted_task_is_gone(user, farm):
    task = user.task(farm, dueDate="2020-01-01")
    path = path_of(task)
    assert user.delete(path).status == 204
    for again in (user.get(path), user.put(path, {}), user.delete(path), user.post(path + "/complete"),
                  user.put(path + "/reschedule", {"dueDate": "2030-01-01"})):
        refused(again, 404, "NOT_FOUND")
    assert user.listed("/tasks") == user.listed("/tasks?status=overdue") == []

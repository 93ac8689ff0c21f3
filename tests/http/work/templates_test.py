"""The task template: its members, its list, and the tasks that are made from it."""
import itertools
import uuid

import pytest

from members import (Member, REQUIRED, check_absence, check_changes, check_create, check_refusals, choice, text)
from service import invalid, path_of, refused

CATEGORY = ("planting irrigation fertilization pest_control harvesting soil_management maintenance planning "
            "inspection other")
MEMBERS = [
    text("name", 200, REQUIRED, empty=False), text("description", 2000),
    Member("category", CATEGORY.split(), ["", "else", "OTHER", 1], REQUIRED),
    choice("priority", "low medium high urgent", "medium"), text("estimatedDuration", 100),
    text("defaultAssignee", 200), Member("isActive", [True, False], ["true", 1, "x", []], True)]
RECORD = {"id", "farmId", "isGlobal", "createdBy", "createdAt", "updatedAt"} | {member.name for member in MEMBERS}
SPELLINGS = ["/templates", "/task-templates"]


@pytest.fixture
def create(user):
    def post(members):
        body = {"name": "Prune", "category": "maintenance", **members}
        return user.post("/templates", {key: value for key, value in body.items() if value is not ...})
    return post


@pytest.mark.parametrize("member", MEMBERS, ids=str)
def test_a_member_of_a_new_template(create, member):
    check_create(create, member)
    check_absence(create, member)


@pytest.mark.parametrize("member", MEMBERS, ids=str)
def test_a_member_is_refused(create, user, member):
    made = user.template()
    check_refusals(create, lambda body: user.put(path_of(made), body), member)
    assert user.read(path_of(made)) == made


@pytest.mark.parametrize("member", MEMBERS, ids=str)
def test_a_member_is_changed(user, member):
    path = path_of(user.template())
    check_changes(lambda: user.read(path), lambda body: user.put(path, body), member)


def test_a_template_has_all_its_members_and_no_others(user, create):
    made = create({"isGlobal": True, "createdBy": "operator", "id": str(uuid.uuid4())}).data
    assert set(made) == RECORD
    assert (made["isGlobal"], made["createdBy"], made["farmId"]) == (False, user.id, None)
    assert made == user.read(path_of(made)) == user.get("/templates").data[0]


def test_a_template_may_be_bound_to_a_farm_of_its_owner_and_to_another_later(tilth, user, create):
    farm, other, foreign = user.farm(), user.farm(), tilth.user().farm()
    made = create({"farmId": farm["id"]}).data
    assert made["farmId"] == farm["id"]
    assert user.put(path_of(made), {"farmId": other["id"]}).data["farmId"] == other["id"]
    for id_ in (foreign["id"], str(uuid.uuid4())):
        refused(create({"farmId": id_}), 404, "NOT_FOUND")
        refused(user.put(path_of(made), {"farmId": id_}), 404, "NOT_FOUND")
    invalid(create({"farmId": "x"}), "farmId")
    assert user.put(path_of(made), {"farmId": None}).data["farmId"] is None


@pytest.mark.parametrize("first,second", list(itertools.permutations(SPELLINGS)))
def test_both_spellings_are_the_same(user, first, second):
    farm = user.farm()
    reply = user.post(first, {"name": "Prune", "category": "other"})
    path = f"{first}/{reply.data['id']}"
    assert reply.header("Location") == f"/api/v1{path}"
    twin = f"{second}/{reply.data['id']}"
    assert user.read(path) == user.read(twin) == reply.data
    assert user.listed(first) == user.listed(second) == [reply.data["id"]]
    assert user.put(twin, {"notes": 1, "name": "x"}).data == user.read(path)
    applied = user.post(f"{twin}/apply", {"farmId": farm["id"]})
    assert applied.header("Location") == f"/api/v1/tasks/{applied.data['id']}"
    assert user.delete(twin).status == 204
    refused(user.get(path), 404, "NOT_FOUND")


def test_lists_by_farm_show_what_is_bound_to_it_or_to_none(user):
    farm, other = user.farm(), user.farm()
    names = {"a": farm["id"], "b": other["id"], "c": None, "d": farm["id"], "e": None}
    made = {name: user.template(name=name, farmId=id_, isActive=name != "d", category="other" if name in "ac"
                                else "planning") for name, id_ in names.items()}

    def found(query):
        reply = user.get(f"/templates?sort=name&order=asc&{query}")
        assert reply.pagination["total"] == len(reply.data)
        return "".join(template["name"] for template in reply.data)
    assert found("") == "abcde"
    assert found(f"farmId={farm['id']}") == "acde"
    assert found(f"farmId={other['id']}") == "bce"
    assert found(f"farmId={uuid.uuid4()}") == "ce"
    assert found(f"farmId={farm['id']}&category=planning") == "de"
    assert found(f"farmId={farm['id']}&isActive=true") == "ace"
    assert found("isActive=false") == "d"
    assert found("category=other") == "ac"
    pages = [user.get(f"/templates?sort=name&limit=2&page={page}&farmId={farm['id']}") for page in (1, 2, 3)]
    assert [[template["name"] for template in page.data] for page in pages] == [["e", "d"], ["c", "a"], []]
    assert pages[0].pagination == {"page": 1, "limit": 2, "total": 4, "totalPages": 2}
    newest = user.listed("/templates")
    assert newest == sorted((template["id"] for template in made.values()), reverse=True)


@pytest.mark.parametrize("query,code,name", [
    ("includeGlobal=yes", "VALIDATION_ERROR", "includeGlobal"), ("includeGlobal=", "VALIDATION_ERROR", "includeGlobal"),
    ("isActive=1", "VALIDATION_ERROR", "isActive"), ("category=x", "VALIDATION_ERROR", "category"),
    ("farmId=x", "INVALID_ID", "farmId"), ("sort=category", "VALIDATION_ERROR", "sort")])
def test_a_wrong_filter_is_named(user, query, code, name):
    refused(user.get(f"/templates?{query}"), 400, code, name)


def test_a_template_makes_a_task_with_its_defaults(tilth, user):
    farm = user.farm()
    made = user.template(farmId=farm["id"], name="Prune", description="Old fronds first.", priority="urgent",
                         category="maintenance", estimatedDuration="2 h", defaultAssignee="Omar")
    reply = user.post(path_of(made) + "/apply")
    assert reply.status == 201
    task = reply.data
    assert task == user.read(f"/tasks/{task['id']}")
    plain = user.task(farm)
    assert task == {**plain, "id": task["id"], "title": "Prune", "description": "Old fronds first.",
                    "priority": "urgent", "category": "maintenance", "estimatedDuration": "2 h",
                    "assignedTo": "Omar"}


def test_what_the_request_says_overrides_the_template(user):
    farm, other = user.farm(), user.farm()
    path = path_of(user.template(farmId=farm["id"], description="x", estimatedDuration="x", defaultAssignee="x"))
    said = {"title": "Cut", "description": "y", "priority": "low", "dueDate": "2030-01-01T00:00:00.000Z",
            "startDate": "2029-01-01T00:00:00.000Z", "assignedTo": "Ada", "fieldName": "Grove",
            "estimatedDuration": "1 day", "notes": "Soon.", "farmId": other["id"]}
    task = user.post(path + "/apply", said).data
    assert {name: task[name] for name in said} == said
    nulls = dict.fromkeys(["description", "dueDate", "startDate", "assignedTo", "fieldName", "estimatedDuration",
                           "notes", "farmId"])
    task = user.post(path + "/apply", nulls).data
    assert {name: task[name] for name in nulls} == {**nulls, "farmId": farm["id"]}
    overdue = user.post(path + "/apply", {"dueDate": "2020-01-01"}).data
    assert overdue["status"] == "overdue"


def test_a_request_overrides_nothing_else(user):
    farm = user.farm()
    path = path_of(user.template(farmId=farm["id"], category="irrigation")) + "/apply"
    plain = user.post(path).data
    other = user.post(path, {"category": "other", "status": "completed", "completedDate": "2026-01-01", "createdBy": "x",
                             "fieldId": "x", "completionNotes": 1, "recurringTaskId": 1, "sopTemplateId": 1}).data
    assert other == {**plain, "id": other["id"]}


@pytest.mark.parametrize("body,names", [
    ({"title": ""}, ["title"]), ({"title": None}, ["title"]), ({"priority": None}, ["priority"]),
    ({"priority": "x", "dueDate": "x"}, ["priority", "dueDate"]), ({"farmId": "x"}, ["farmId"]),
    ({"notes": "x" * 5001, "assignedTo": 1}, ["notes", "assignedTo"])])
def test_an_override_is_checked(user, body, names):
    invalid(user.post(path_of(user.template(farmId=user.farm()["id"])) + "/apply", body), *names)
    assert user.listed("/tasks") == []


def test_a_task_needs_a_farm_from_the_template_or_the_request(tilth, user):
    path = path_of(user.template()) + "/apply"
    invalid(user.post(path), "farmId")
    invalid(user.post(path, {"farmId": None}), "farmId")
    for id_ in (str(uuid.uuid4()), tilth.user().farm()["id"]):
        refused(user.post(path, {"farmId": id_}), 404, "NOT_FOUND")


def test_only_an_active_template_of_one_s_own_is_applied(tilth, user):
    farm = user.farm()
    made = user.template(farmId=farm["id"], isActive=False)
    refused(user.post(path_of(made) + "/apply"), 404, "NOT_FOUND")
    user.put(path_of(made), {"isActive": True})
    assert user.post(path_of(made) + "/apply").status == 201
    foreign = tilth.user().template()
    for method, path in (("GET", ""), ("PUT", ""), ("DELETE", ""), ("POST", "/apply")):
        refused(user.send(method, "/api/v1" + path_of(foreign) + path, {} if method in ("PUT", "POST") else None),
                404, "NOT_FOUND")


def test_templates_go_with_the_farm_that_they_are_bound_to(user):
    farm = user.farm()
    bound, free = user.template(farmId=farm["id"]), user.template()
    task = user.post(path_of(free) + "/apply", {"farmId": user.farm()["id"]}).data
    user.delete(path_of(farm))
    refused(user.get(path_of(bound)), 404, "NOT_FOUND")
    assert user.listed("/templates") == [free["id"]]
    assert user.delete(path_of(free)).status == 204
    assert user.read(path_of(task)) == task
    refused(user.delete(path_of(free)), 404, "NOT_FOUND")


GLOBAL = "/operator/v1/templates"


@pytest.fixture
def make_global(tilth):
    made = []

    def make(**members):
        reply = tilth.operate("POST", GLOBAL, {"name": "Scout", "category": "inspection", **members}, 201)
        made.append(reply.data["id"])
        return reply
    yield make
    for id_ in made:
        tilth.operator.send("DELETE", f"{GLOBAL}/{id_}")


def test_a_global_template_is_seen_by_everybody_and_changed_by_operators_only(tilth, user, make_global):
    reply = make_global(description="Look closely.", farmId=user.farm()["id"], isGlobal=False)
    template = reply.data
    assert set(template) == RECORD
    assert (template["isGlobal"], template["createdBy"], template["farmId"]) == (True, "operator", None)
    assert reply.header("Location") == f"{GLOBAL}/{template['id']}"
    assert tilth.operate("GET", reply.header("Location")).data == template
    path = path_of(template)
    for farmer in (user, tilth.user()):
        assert farmer.read(path) == template
        assert farmer.listed("/templates") == [template["id"]]
        assert farmer.listed("/templates?includeGlobal=true") == [template["id"]]
        assert farmer.listed("/templates?includeGlobal=false") == farmer.listed("/templates?isActive=false") == []
        refused(farmer.put(path, {"name": "x"}), 404, "NOT_FOUND")
        refused(farmer.delete(path), 404, "NOT_FOUND")
        task = farmer.post(path + "/apply", {"farmId": farmer.farm()["id"]}).data
        assert (task["title"], task["description"], task["createdBy"]) == ("Scout", "Look closely.", farmer.id)
    changed = tilth.operate("PUT", f"{GLOBAL}/{template['id']}", {"name": "Walk", "isActive": False}).data
    assert user.read(path) == changed == {**template, "name": "Walk", "isActive": False,
                                          "updatedAt": changed["updatedAt"]}
    assert user.listed("/templates") == []
    refused(user.post(path + "/apply", {"farmId": user.farm()["id"]}), 404, "NOT_FOUND")
    tilth.operate("DELETE", f"{GLOBAL}/{template['id']}", status=204)
    refused(user.get(path), 404, "NOT_FOUND")


def test_own_and_global_templates_are_one_list(user, make_global):
    for name in "bdf":
        make_global(name=name, category="planting" if name == "d" else "other")
    for name in "aceg":
        user.template(name=name, category="planting" if name == "a" else "other")
    for order in ("asc", "desc"):
        for limit in (1, 2, 3, 100):
            pages = range(1, (7 + limit - 1) // limit + 1)
            found = [user.get(f"/templates?sort=name&order={order}&limit={limit}&page={page}") for page in pages]
            names = "".join(template["name"] for reply in found for template in reply.data)
            assert names == ("abcdefg" if order == "asc" else "gfedcba")
            assert {reply.pagination["total"] for reply in found} == {7}
    planting = user.get("/templates?category=planting&sort=name&order=asc").data
    assert [template["name"] for template in planting] == ["a", "d"]


def test_an_operator_s_request_is_checked(tilth, make_global):
    operator = tilth.operator
    invalid(operator.send("POST", GLOBAL, {}), "name", "category")
    invalid(operator.send("POST", GLOBAL, {"name": "", "category": "x"}), "name", "category")
    template = make_global().data
    invalid(operator.send("PUT", f"{GLOBAL}/{template['id']}", {"priority": None}), "priority")
    for method in ("GET", "PUT", "DELETE"):
        refused(operator.send(method, f"{GLOBAL}/x", {}), 400, "INVALID_ID", "id")
        refused(operator.send(method, f"{GLOBAL}/{uuid.uuid4()}", {}), 404, "NOT_FOUND")
    assert operator.send("PUT", f"{GLOBAL}/{template['id']}", {}).data == template
    assert [each["id"] for each in operator.send("GET", GLOBAL).data] == [template["id"]]


def test_an_import_is_one_event_and_changes_nothing_the_second_time(tilth, user):
    document = {"templates": [{"name": "Scout", "category": "inspection", "description": "Look."},
                              {"name": "Pick", "category": "harvesting", "priority": "high", "defaultAssignee": None}]}
    assert tilth.operate("POST", f"{GLOBAL}/import", document).data == {"templates": 2, "changed": 2}
    before = len(tilth.events("reference"))
    assert tilth.operate("POST", f"{GLOBAL}/import", document).data == {"templates": 2, "changed": 0}
    assert len(tilth.events("reference")) == before
    document["templates"][0] = {"name": "SCOUT", "estimatedDuration": "1 h"}
    assert tilth.operate("POST", f"{GLOBAL}/import", document).data == {"templates": 2, "changed": 1}
    scout, pick = (template for template in user.get("/templates?sort=name").data)
    assert (scout["name"], scout["description"], scout["estimatedDuration"]) == ("SCOUT", "Look.", "1 h")
    assert (pick["priority"], pick["isGlobal"], pick["createdBy"]) == ("high", True, "operator")
    for wrong, name in (([{"name": "New"}], "templates.0.category"), ([{"category": "other"}], "templates.0.name"),
                        ([{"name": "a", "category": "other"}, {"name": "A", "category": "other"}], "templates.1.name"),
                        ([{"name": "", "category": "other"}], "templates.0.name"), ("x", "templates")):
        invalid(tilth.operator.send("POST", f"{GLOBAL}/import", {"templates": wrong}), name)
    assert len(user.get("/templates").data) == 2
    for template in (scout, pick):
        tilth.operate("DELETE", f"{GLOBAL}/{template['id']}", status=204)

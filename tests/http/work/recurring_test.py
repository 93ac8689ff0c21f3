"""Recurring tasks: their members, their occurrences, and that each occurrence has exactly one task."""
import random
import uuid
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from dateutil.rrule import rrulestr

from members import Member, REQUIRED, check_absence, check_create, check_refusals, choice, integer, text
from service import Service, invalid, path_of, refused

MEMBERS = [
    choice("pattern", "daily weekly monthly yearly custom", REQUIRED), integer("interval", 1, 365, 1),
    Member("daysOfWeek", [[0], ([6, "1", 3.0], [1, 3, 6])], ["x", 1, [], {}, [7], [-1], [1, 1], [None]]),
    integer("dayOfMonth", 1, 31), integer("monthOfYear", 1, 12),
    Member("startDate", [("2026-03-02T05:00:00.999Z", "2026-03-02T05:00:00.000Z"),
                         ("2026-03-02", "2026-03-02T00:00:00.000Z")], ["x", "", 7, "2026-02-30", "0000-12-31T23:59:59Z"], REQUIRED),
    Member("endDate", [("2030-01-01T00:00:00.5Z", "2030-01-01T00:00:00.500Z")], ["x", 7, "2020-01-01"]),
    integer("generateDaysBefore", 0, 90, 0), text("assignedTo", 200), text("fieldName", 200),
    Member("isActive", [True, False], ["true", 1], True)]
RECORD = {"id", "farmId", "templateId", "nextOccurrence", "rrule", "createdBy", "createdAt",
          "updatedAt"} | {member.name for member in MEMBERS}
DAILY = {"pattern": "daily", "startDate": "2026-03-01T06:30:00Z"}


@pytest.fixture(scope="module")
def tilth(tmp_path_factory):
    running = Service(tmp_path_factory.mktemp("tilth"), config="""
[plans.summit]
requests_per_hour = 1000000
farms = "unlimited"
ai_requests_per_month = "unlimited"
may_mint_keys = true
""")
    try:
        yield running.start()
        running.stop()
    finally:
        running.kill()


@pytest.fixture
def base(tilth, user):
    """A farm and a template, with the service's clock moved to 06:30Z of the next day."""
    now = instant(tilth.now())
    tilth.set_clock(shown((now + timedelta(days=1)).replace(hour=6, minute=30, second=0, microsecond=0)))
    return {"farmId": user.farm()["id"], "templateId": user.template(defaultAssignee="Omar")["id"]}


@pytest.fixture
def rule(tilth, user, base):
    def create(status=201, **members):
        body = {**base, "pattern": "daily", "startDate": tilth.now(), **members}
        reply = user.post("/recurring-tasks", {name: value for name, value in body.items() if value is not ...})
        assert reply.status == status, reply
        return reply.data if status == 201 else reply
    return create


def instant(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def shown(at):
    return at.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def after(tilth, **by):
    return shown(instant(tilth.now()) + timedelta(**by))


def due(user, made=None):
    """The due dates of the tasks of a rule, or of all tasks."""
    found, page = [], 1
    while rows := user.get(f"/tasks?sort=dueDate&order=asc&limit=100&page={page}").data:
        found += [task["dueDate"] for task in rows if made is None or task["recurringTaskId"] == made["id"]]
        page += 1
    return found


@pytest.mark.parametrize("member", MEMBERS, ids=str)
def test_a_member_of_a_new_rule(user, base, member):
    def create(members):
        body = {**base, "pattern": "daily", "startDate": "2026-03-01T05:00:00Z", **members}
        return user.post("/recurring-tasks", {name: value for name, value in body.items() if value is not ...})
    check_create(create, member)
    check_absence(create, member)


@pytest.mark.parametrize("member", MEMBERS, ids=str)
def test_a_member_is_refused(user, base, rule, member):
    made = rule()
    path = f"/recurring-tasks/{made['id']}"

    def create(members):
        return user.post("/recurring-tasks", {**base, **DAILY, **members})
    check_refusals(create, lambda body: user.put(path, body), member)
    assert user.read(path) == made


@pytest.mark.parametrize("member", MEMBERS, ids=str)
def test_a_member_is_changed(user, rule, member):
    path = f"/recurring-tasks/{rule(pattern='yearly', startDate='2026-01-01T05:00:00Z')['id']}"
    follows = {member.name, "nextOccurrence", "rrule", "updatedAt"}
    for sent, answered in member.pairs + [(None, None)] * member.clearable:
        before, reply = user.read(path), user.put(path, {member.name: sent})
        assert reply.status == 200 and reply.data == user.read(path), (sent, reply)
        assert reply.data[member.name] == answered, (sent, reply)
        assert {name for name in before if before[name] != reply.data[name]} <= follows, (sent, reply)


def test_a_rule_has_all_its_members_and_no_others(user, base, rule):
    made = rule(startDate="2026-02-01T06:30:00Z", pattern="custom", interval=200)
    assert set(made) == RECORD
    assert (made["createdBy"], made["farmId"], made["templateId"]) == (user.id, base["farmId"], base["templateId"])
    assert made == user.read(f"/recurring-tasks/{made['id']}") == user.get("/recurring-tasks").data[0]


def test_what_is_missing_is_all_named(user):
    invalid(user.post("/recurring-tasks", {}), "farmId", "templateId", "pattern", "startDate")


def test_its_tasks_are_made_as_by_apply(tilth, user, base, rule):
    made = rule(assignedTo="Khalid", fieldName="Grove")
    task = user.get("/tasks").data[0]
    applied = user.post(f"/templates/{base['templateId']}/apply", {"farmId": base["farmId"]}).data
    assert task == {**applied, "id": task["id"], "assignedTo": "Khalid", "fieldName": "Grove", "status": "overdue",
                    "dueDate": tilth.now(), "recurringTaskId": made["id"]}
    assert user.read(f"/tasks/{task['id']}") == task


def test_a_template_must_be_usable(tilth, user, base, rule):
    inactive, elsewhere = user.template(isActive=False), user.template(farmId=user.farm()["id"])
    for template in (inactive["id"], elsewhere["id"], tilth.user().template()["id"], str(uuid.uuid4())):
        refused(rule(404, templateId=template), 404, "NOT_FOUND")
        refused(user.put(f"/recurring-tasks/{rule()['id']}", {"templateId": template}), 404, "NOT_FOUND")
    refused(rule(404, farmId=tilth.user().farm()["id"]), 404, "NOT_FOUND")
    bound = user.template(farmId=base["farmId"])
    assert rule(templateId=bound["id"])["templateId"] == bound["id"]


def test_an_end_before_the_start_is_refused(tilth, user, rule):
    made = rule()
    path = f"/recurring-tasks/{made['id']}"
    invalid(rule(400, endDate=after(tilth, seconds=-1)), "endDate")
    invalid(user.put(path, {"endDate": after(tilth, seconds=-1)}), "endDate")
    invalid(user.put(path, {"startDate": after(tilth, days=2), "endDate": after(tilth, days=1)}), "endDate")
    assert user.put(path, {"endDate": made["startDate"]}).data["nextOccurrence"] is None


def test_each_occurrence_has_one_task_when_its_time_has_come(tilth, user, rule):
    made = rule(generateDaysBefore=1)
    first = made["startDate"]
    days = [shown(instant(first) + timedelta(days=day)) for day in range(5)]
    assert due(user, made) == days[:2]
    assert made["nextOccurrence"] == days[2]
    tilth.advance("PT23H59M59S")
    assert due(user, made) == days[:2]
    tilth.advance("PT1S")
    assert due(user, made) == days[:3]
    tilth.advance("PT36H")
    assert due(user, made) == days[:4]
    assert user.read(f"/recurring-tasks/{made['id']}")["nextOccurrence"] == days[4]


def test_what_was_removed_is_not_made_again(tilth, user, rule):
    made = rule(generateDaysBefore=3)
    tasks = user.get("/tasks?sort=dueDate&order=asc").data
    assert user.delete(f"/tasks/{tasks[1]['id']}").status == 204
    left = [task["dueDate"] for task in tasks if task != tasks[1]]
    for change in ({"pattern": "daily"}, {"isActive": False}, {"isActive": True}, {"startDate": made["startDate"]}):
        user.put(f"/recurring-tasks/{made['id']}", change)
        assert due(user, made) == left
    tilth.advance("PT1H")
    assert due(user, made) == left


def test_the_newest_fifty_are_made_up_for(tilth, user, rule):
    made = rule()
    start = instant(made["startDate"])
    tilth.advance("P100D")
    wanted = [shown(start + timedelta(days=day)) for day in [0, *range(51, 101)]]
    assert due(user, made) == wanted
    assert user.read(f"/recurring-tasks/{made['id']}")["nextOccurrence"] == shown(start + timedelta(days=101))


def test_a_pause_is_not_made_up_for(tilth, user, rule):
    made = rule()
    path, start = f"/recurring-tasks/{made['id']}", instant(made["startDate"])
    tomorrow = shown(start + timedelta(days=1))
    assert user.put(path, {"isActive": False}).data["nextOccurrence"] == tomorrow
    tilth.advance("P3DT1H")
    resumed = user.put(path, {"isActive": True}).data
    assert due(user, made) == [made["startDate"]]
    assert resumed["nextOccurrence"] == shown(start + timedelta(days=4))
    tilth.advance("PT23H")
    assert due(user, made) == [made["startDate"], shown(start + timedelta(days=4))]


def test_an_inactive_template_pauses_its_rules(tilth, user, base, rule):
    made = rule(generateDaysBefore=1)
    template = f"/templates/{base['templateId']}"
    user.put(template, {"isActive": False})
    tilth.advance("P3D")
    start = instant(made["startDate"])
    assert len(due(user, made)) == 2
    user.put(template, {"isActive": True})
    assert due(user, made) == [shown(start + timedelta(days=day)) for day in (0, 1, 3, 4)]


def test_a_rule_stops_when_its_template_is_gone(tilth, user, base, rule):
    made = rule()
    path = f"/recurring-tasks/{made['id']}"
    tilth.advance("PT1H")
    assert user.delete(f"/templates/{base['templateId']}").status == 204
    stopped = user.read(path)
    assert stopped == {**made, "isActive": False, "updatedAt": tilth.now()}
    event = tilth.events(user.id)[-1]
    assert (event["type"], event["actor"]) == ("tilth.recurring_task.stopped", "clock")
    assert event["data"]["visit"]["reason"] == "template_removed"
    assert event["data"]["recurringTaskIds"] == [made["id"]]
    refused(user.put(path, {"isActive": True}), 404, "NOT_FOUND")
    assert user.put(path, {"assignedTo": "Ada"}).data["isActive"] is False
    other = user.template()
    assert user.put(path, {"isActive": True, "templateId": other["id"]}).data["isActive"] is True
    tilth.advance("P1D")
    assert len(due(user, made)) == 2


def test_rules_go_with_their_farm(tilth, user, base, rule):
    made = rule()
    assert user.delete(f"/farms/{base['farmId']}").status == 204
    refused(user.get(f"/recurring-tasks/{made['id']}"), 404, "NOT_FOUND")
    tilth.advance("P2D")
    assert user.listed("/recurring-tasks") == user.listed("/tasks") == []


def test_a_rule_stops_when_the_farm_of_its_template_is_gone(tilth, user, base, rule):
    made, other = rule(), user.farm()
    path, template = f"/recurring-tasks/{made['id']}", f"/templates/{base['templateId']}"
    assert user.put(template, {"farmId": other["id"]}).status == 200
    tilth.advance("P1D")
    assert len(due(user, made)) == 2, "a rule goes on when its template is bound to another farm"
    assert user.delete(path_of(other)).status == 204
    stopped = user.read(path)
    assert (stopped["isActive"], stopped["updatedAt"]) == (False, tilth.now())
    refused(user.put(path, {"isActive": True}), 404, "NOT_FOUND")
    tilth.advance("P1D")
    assert len(due(user, made)) == 2


def test_a_rule_s_tag_changes_with_its_next_occurrence_and_its_farm_s_zone(tilth, user, base, rule):
    made = rule()
    path = f"/recurring-tasks/{made['id']}"
    tags = [user.get(path).header("ETag")]
    tilth.advance("PT1H")
    assert user.get(path, {"If-None-Match": tags[0]}).status == 304
    for change in (lambda: tilth.advance("P1D"),
                   lambda: user.put(f"/farms/{base['farmId']}", {"timezone": "Asia/Tokyo"})):
        change()
        reply = user.get(path, {"If-None-Match": tags[-1]})
        assert reply.status == 200 and reply.data["updatedAt"] == made["updatedAt"]
        refused(user.put(path, {"interval": 1}, {"If-Match": tags[-1]}), 412, "PRECONDITION_FAILED")
        tags.append(reply.header("ETag"))
    assert len(set(tags)) == 3


def test_a_removed_rule_leaves_its_tasks_and_makes_no_more(tilth, user, rule):
    made = rule()
    assert user.delete(f"/recurring-tasks/{made['id']}").status == 204
    refused(user.get(f"/recurring-tasks/{made['id']}"), 404, "NOT_FOUND")
    tilth.advance("P2D")
    assert due(user, made) == [made["startDate"]]


def test_a_change_moves_only_what_is_still_to_come(tilth, user, rule):
    made = rule(generateDaysBefore=2)
    path, start = f"/recurring-tasks/{made['id']}", instant(made["startDate"])
    before = due(user, made)
    moved = user.put(path, {"startDate": shown(start + timedelta(hours=2))}).data
    assert due(user, made) == sorted(before + [shown(start + timedelta(days=day, hours=2)) for day in (0, 1)])
    assert moved["nextOccurrence"] == shown(start + timedelta(days=2, hours=2))
    weekly = user.put(path, {"pattern": "weekly", "startDate": made["startDate"]}).data
    assert weekly["nextOccurrence"] == shown(start + timedelta(days=7))


def test_a_farm_s_zone_moves_its_rules(tilth, user, base, rule):
    made = rule(startDate="2026-01-01T12:00:00Z")
    user.put(f"/farms/{base['farmId']}", {"timezone": "America/New_York"})
    moved = user.read(f"/recurring-tasks/{made['id']}")
    assert moved["rrule"].split("\n")[0] == "DTSTART;TZID=America/New_York:20260101T070000"
    local = instant(moved["nextOccurrence"]).astimezone(ZoneInfo("America/New_York"))
    assert (local.hour, local.minute) == (7, 0)
    assert moved["updatedAt"] == made["updatedAt"]


@pytest.mark.whole_land
def test_what_was_missed_while_the_service_was_down_is_made_up_for(tilth, user, rule):
    made = rule()
    start = instant(made["startDate"])
    tilth.stop()
    later = shown(start + timedelta(days=3))
    tilth.flags[tilth.flags.index("--test-clock") + 1] = later
    tilth.start()
    assert due(user.with_key(), made) == [shown(start + timedelta(days=day)) for day in range(4)]


def test_small_steps_come_to_the_same_as_big_ones(tilth):
    seed = random.SystemRandom().randrange(1 << 32)
    choices = random.Random(seed)
    zones = ["America/New_York", "Africa/Cairo", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC"]
    user = tilth.user()
    template, rules = user.template(), []
    begin = instant(tilth.now())
    for _ in range(20):
        farm = user.farm(timezone=choices.choice(zones))
        start = begin + timedelta(minutes=15 * choices.randrange(-40_000, 2_000))
        body = {"farmId": farm["id"], "templateId": template["id"], "startDate": shown(start),
                "pattern": choices.choice("daily weekly monthly yearly custom".split()),
                "interval": choices.randrange(1, 4), "daysOfWeek": choices.sample(range(7), choices.randrange(1, 4)),
                "dayOfMonth": choices.choice([1, 15, 28, 29, 30, 31]), "monthOfYear": choices.randrange(1, 13),
                "generateDaysBefore": choices.choice([0, 0, 1, 7, 30])}
        rules.append((farm["timezone"], user.made("/recurring-tasks", body)))
    for _ in range(25):
        tilth.advance(f"PT{choices.randrange(1, 48 * 60)}M")
    now = instant(tilth.now())
    for zone, made in rules:
        wanted = []
        for at in by_dateutil(made, zone, begin):
            if made_at(at, made, zone) > now:
                break
            wanted.append(shown(at))
        assert due(user, made) == wanted, (seed, made)


def by_dateutil(made, zone, since):
    """The occurrences from an instant on, by the rule's RRULE text."""
    dtstart, rule = made["rrule"].split("\n")
    begin = datetime.strptime(dtstart.split(":")[1].rstrip("Z"), "%Y%m%dT%H%M%S")
    naive = since.astimezone(ZoneInfo(zone)).replace(tzinfo=None) - timedelta(days=3)
    for local in rrulestr(rule, dtstart=begin).xafter(max(naive, begin - timedelta(days=1))):
        at = local.replace(tzinfo=ZoneInfo(zone), fold=0).astimezone(timezone.utc)
        if at >= since:
            yield at


def made_at(at, made, zone):
    local = at.astimezone(ZoneInfo(zone)).replace(tzinfo=None)
    hour = instant(made["startDate"]).astimezone(ZoneInfo(zone))
    wall = local.replace(hour=hour.hour, minute=hour.minute) - timedelta(days=made["generateDaysBefore"])
    return wall.replace(tzinfo=ZoneInfo(zone), fold=0).astimezone(timezone.utc)


def test_lists_are_filtered_and_sorted(user, base, rule):
    other = user.farm()
    first = rule(pattern="weekly", interval=3)
    second = rule(farmId=other["id"], isActive=False)
    third = rule(pattern="yearly", endDate="2027-01-01", startDate="2026-01-01T05:00:00Z", dayOfMonth=1, monthOfYear=1)
    ids = [rule["id"] for rule in (first, second, third)]
    assert user.listed("/recurring-tasks") == ids[::-1] or set(user.listed("/recurring-tasks")) == set(ids)
    for query, wanted in {f"farmId={other['id']}": ids[1:2], f"templateId={base['templateId']}": ids,
                          "pattern=weekly": ids[:1], "isActive=false": ids[1:2], "isActive=true": [ids[0], ids[2]],
                          f"farmId={uuid.uuid4()}": []}.items():
        assert sorted(user.listed(f"/recurring-tasks?{query}")) == sorted(wanted), query
    by_next = user.get("/recurring-tasks?sort=nextOccurrence&order=asc").data
    keys = [row["nextOccurrence"] for row in by_next if row["nextOccurrence"]]
    assert keys == sorted(keys)


@pytest.mark.parametrize("query,code,name", [
    ("isActive=1", "VALIDATION_ERROR", "isActive"), ("pattern=x", "VALIDATION_ERROR", "pattern"),
    ("templateId=x", "INVALID_ID", "templateId"), ("farmId=x", "INVALID_ID", "farmId"),
    ("sort=pattern", "VALIDATION_ERROR", "sort")])
def test_a_wrong_filter_is_named(user, query, code, name):
    refused(user.get(f"/recurring-tasks?{query}"), 400, code, name)


def test_a_repeated_create_makes_one_rule(user, base, tilth):
    body = {**base, "pattern": "daily", "startDate": tilth.now(), "generateDaysBefore": 5}
    key = {"Idempotency-Key": str(uuid.uuid4())}
    first, again = (user.post("/recurring-tasks", body, key) for _ in range(2))
    assert first.status == again.status == 201
    assert first.body == again.body and first.header("ETag") == again.header("ETag")
    assert len(due(user)) == 6
    assert first.header("Location") == f"/api/v1/recurring-tasks/{first.data['id']}"
    assert user.get(f"/recurring-tasks/{first.data['id']}").header("ETag") == first.header("ETag")


@pytest.mark.whole_land
def test_rules_follow_a_template_of_everybody_s(tilth, user, base, rule):
    template = tilth.operate("POST", "/operator/v1/templates", {"name": "Walk", "category": "inspection"}, 201).data
    path = f"/operator/v1/templates/{template['id']}"
    made, start = rule(templateId=template["id"], generateDaysBefore=1), instant(tilth.now())
    tilth.operate("PUT", path, {"isActive": False})
    tilth.advance("P3D")
    tilth.operate("PUT", path, {"isActive": True})
    assert due(user, made) == [shown(start + timedelta(days=day)) for day in (0, 1, 3, 4)]
    tilth.operate("DELETE", path, status=204)
    assert user.read(f"/recurring-tasks/{made['id']}")["isActive"] is False
    tilth.advance("P1D")
    assert len(due(user, made)) == 4


@pytest.mark.whole_land
def test_an_import_that_resumes_templates_makes_what_is_due(tilth, user, rule):
    def imported(**members):
        document = {"templates": [{"name": name, **members} for name in ("Flush the lines", "Scout the rows")]}
        tilth.operate("POST", "/operator/v1/templates/import", document)

    imported(category="other")
    start = instant(tilth.now()) + timedelta(days=14)
    rules = [rule(templateId=each["id"], pattern="weekly", startDate=shown(start), generateDaysBefore=7)
             for each in user.get("/templates?limit=100").data if each["name"] in ("Flush the lines", "Scout the rows")]
    assert len(rules) == 2
    imported(isActive=False)
    tilth.advance("P10D")
    assert [due(user, each) for each in rules] == [[], []]
    imported(isActive=True)
    assert [due(user, each) for each in rules] == [[shown(start)]] * 2
    before = len(tilth.events(user.id))
    tilth.advance("PT1S")
    imported(description="With care.")
    assert len(tilth.events(user.id)) == before, "they were active"
    for each in rules:
        tilth.operate("DELETE", f"/operator/v1/templates/{each['templateId']}", status=204)


@pytest.mark.whole_land
def test_a_template_of_everybody_s_that_is_active_does_not_become_so(tilth, user, rule):
    template = tilth.operate("POST", "/operator/v1/templates", {"name": "Walk", "category": "inspection"}, 201).data
    path = f"/operator/v1/templates/{template['id']}"
    rule(templateId=template["id"])
    before = len(tilth.events(user.id))
    tilth.operate("PUT", path, {"isActive": True, "name": "Walk on"})
    assert len(tilth.events(user.id)) == before
    tilth.operate("DELETE", path, status=204)


@pytest.mark.parametrize("zone,good,bad", [
    ("Asia/Tokyo", "9999-12-31T14:59:59Z", "9999-12-31T15:00:00Z"),
    ("America/New_York", "0001-01-02T00:00:00Z", "0001-01-01T00:00:00Z")])
def test_a_rule_starts_in_a_year_that_can_be_written(user, rule, zone, good, bad):
    farm = user.farm(timezone=zone)
    refusal = rule(400, farmId=farm["id"], startDate=bad)
    assert list(refusal.details) == ["startDate"]
    made = rule(farmId=farm["id"], startDate=good, isActive=False)
    path = f"/recurring-tasks/{made['id']}"
    invalid(user.put(path, {"startDate": bad}), "startDate")
    assert user.read(path) == made


def test_a_rule_without_occurrences_is_said_to_have_none(user, rule):
    at = "2027-11-07T06:30:00Z"  # when clocks in New York show 01:30 for the second time
    made = rule(farmId=user.farm(timezone="America/New_York")["id"], startDate=at, endDate=at)
    assert made["nextOccurrence"] is None
    dtstart, until = made["rrule"].splitlines()
    assert (dtstart[-15:], "UNTIL=20271107T063000Z" in until) == ("20271108T013000", True)


def test_rules_make_ten_thousand_tasks_a_day_and_the_rest_is_refused(tilth, user, rule):
    made = 0
    while made + 91 <= 10000:
        rule(generateDaysBefore=90)
        made += 91
    reply = rule(429, generateDaysBefore=90)
    refused(reply, 429, "RATE_LIMIT_EXCEEDED")
    assert int(reply.header("Retry-After")) == 17 * 3600 + 30 * 60  # until midnight
    assert reply.header("X-RateLimit-Reset").endswith("T00:00:00.000Z")
    left = int(user.get("/tasks?limit=1").header("X-RateLimit-Remaining"))
    assert int(rule(429, generateDaysBefore=90).header("X-RateLimit-Remaining")) == left, "a 429 does not count"
    assert int(user.get("/tasks?limit=1").header("X-RateLimit-Remaining")) == left - 1
    last = rule(generateDaysBefore=10000 - made - 1)
    refused(rule(429), 429, "RATE_LIMIT_EXCEEDED")
    assert rule(isActive=False)["isActive"] is False
    assert user.get("/tasks?limit=1").pagination["total"] == 10000
    assert user.delete(path_of(last)).status == 204
    tilth.advance("PT17H30M")
    assert rule(generateDaysBefore=90)["id"]

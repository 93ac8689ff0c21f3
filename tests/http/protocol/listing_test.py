"""Every page of every list, in every order and under every filter, equals that of a plain sort."""
import decimal
import functools
import itertools
import math
import random
import urllib.parse

import pytest

from service import VAST, blocks_of, path_of

CONFIG = VAST
COUNT = 60
LETTERS = "aB\u00e9Z z\uff5e\U0001F331\u00e4-"
FIELD_STATUS = ["active", "fallow", "preparing", "planted"]
FARM_STATUS = ["active", "inactive", "archived", "draft"]
CROP_STATUS = ["planned", "planted", "growing", "harvested", "failed"]
BLOCK_STATUS = ["planned", "planted", "established", "mature", "declined", "harvested", "removed"]
WRITTEN_STATUS = ["pending", "in_progress", "completed", "cancelled"]
PRIORITY = ["low", "medium", "high", "urgent"]
PLANT_STATUS = ["alive", "sick", "dead", "replaced", "removed"]
PATTERN = ["daily", "weekly", "monthly", "yearly", "custom"]


def compared(one, other, member, descending):
    """Nulls last in both orders; ties by id in the direction of the order; text by code point."""
    first, second = one[member], other[member]
    if (first is None) != (second is None):
        return 1 if first is None else -1
    if member in ("area", "totalArea") and first is not None:
        first, second = decimal.Decimal(first), decimal.Decimal(second)
    if member == "priority":
        first, second = PRIORITY.index(first), PRIORITY.index(second)
    if first == second:
        first, second = one["id"], other["id"]
    return (-1 if first < second else 1) * (-1 if descending else 1)


def expected(records, sort, order, matches):
    key = functools.cmp_to_key(lambda one, other: compared(one, other, sort, order != "asc"))
    return [record["id"] for record in sorted(filter(matches, records), key=key)]


class Records:
    """Random records of one kind, made through the API at a few different instants."""

    def __init__(self, tilth, seed):
        self.random = random.Random(seed)
        self.tilth = tilth
        self.user = tilth.user("vast")
        self.records = []

    def text(self, longest=3):
        return "".join(self.random.choices(LETTERS, k=self.random.randint(1, longest)))

    def maybe(self, value):
        return value if self.random.random() < 0.7 else None

    def day(self):
        return self.maybe(f"2026-0{self.random.randint(4, 6)}-{self.random.randint(10, 14)}")

    def instant(self):
        return self.maybe(f"2026-0{self.random.randint(1, 6)}-{self.random.randint(10, 14)}T00:00:00.000Z")

    def number(self):
        return self.random.choice([1, 2, "2.5", 9, 10, "10.25", "100", "0.5"])

    def fill(self, make):
        for number in range(COUNT + 8):
            if self.random.random() < 0.3:
                self.tilth.advance("PT1S")
            self.records.append(make(number))
        for record in self.random.sample(self.records, 8):
            path = record.get("path") or path_of(record)
            assert self.user.delete(path).status == 204
            self.records.remove(record)
        return self


def farms(tilth):
    made = Records(tilth, 1)
    return made.fill(lambda number: made.user.farm(
        name=made.text(2) + str(number % 7) + made.text(6), totalArea=made.number(),
        status=made.random.choice(FARM_STATUS))), "/farms"


def fields(tilth):
    made = Records(tilth, 2)
    farm = made.user.farm()
    return made.fill(lambda number: made.user.field(
        farm, name=made.text(2), area=made.number(),
        status=made.random.choice(FIELD_STATUS))), f"{path_of(farm)}/fields"


def crops(tilth):
    made = Records(tilth, 3)
    owned = [made.user.field(farm) for farm in (made.user.farm(), made.user.farm()) for _ in range(2)]

    def make(_):
        return made.user.crop(
            made.random.choice(owned), cropType=made.random.choice(["Maize", "maize", "MAIZE", "Rye", "Oat"]),
            status=made.random.choice(CROP_STATUS), plantingDate=made.day(),
            expectedHarvestDate=made.maybe(f"2026-09-{made.random.randint(10, 14)}"))
    return made.fill(make), "/crops"


def blocks(tilth):
    made = Records(tilth, 4)
    field = made.user.field(made.user.farm())
    owned = [made.user.crop(field) for _ in range(3)]
    return made.fill(lambda number: made.user.block(
        made.random.choice(owned), name=made.text(2),
        status=made.random.choice(BLOCK_STATUS))), blocks_of(owned[0])


def plants(tilth):
    made = Records(tilth, 5)
    block = made.user.block(made.user.crop(made.user.field(made.user.farm())))

    def make(_):
        plant = made.user.plant(block, label=made.text(2), status=made.random.choice(PLANT_STATUS))
        return {**plant, "path": path_of(plant, block)}
    return made.fill(make), f"{path_of(block)}/plants"


def tasks(tilth):
    made = Records(tilth, 6)
    farms = [made.user.farm() for _ in range(3)]
    fields = [made.user.field(farms[0]) for _ in range(2)]

    def make(_):
        farm = made.random.choice(farms)
        return made.user.task(
            farm, title=made.text(2), status=made.random.choice(WRITTEN_STATUS), dueDate=made.instant(),
            fieldId=made.random.choice(fields)["id"] if farm is farms[0] else None,
            priority=made.random.choice(PRIORITY), category=made.random.choice(["other", "planting"]),
            assignedTo=made.maybe(made.random.choice(["Omar", "omar", ""])))
    return made.fill(make), "/tasks"


def rules(tilth):
    made = Records(tilth, 7)
    farms, templates = [made.user.farm() for _ in range(2)], [made.user.template() for _ in range(2)]

    def make(_):
        # A yearly one that ends before its month comes has no next occurrence.
        ends = {"monthOfYear": 1, "endDate": "2037-06-01"} if made.random.random() < 0.5 else {}
        return made.user.rule(
            made.random.choice(farms), made.random.choice(templates), pattern=made.random.choice(PATTERN),
            startDate=f"2037-03-{made.random.randint(10, 14)}", isActive=made.random.random() < 0.7, **ends)
    return made.fill(make), "/recurring-tasks"


KINDS = {
    farms: (["createdAt", "name", "totalArea"], {"status": FARM_STATUS}),
    fields: (["createdAt", "name", "area"], {"status": FIELD_STATUS}),
    crops: (["createdAt", "plantingDate", "expectedHarvestDate", "cropType"],
            {"status": CROP_STATUS, "cropType": ["maize", "OAT", "Barley"], "farmId": None, "fieldId": None}),
    blocks: (["createdAt", "name"], {"status": BLOCK_STATUS, "cropId": None}),
    plants: (["createdAt", "label"], {"status": PLANT_STATUS}),
    tasks: (["createdAt", "dueDate", "priority", "title"],
            {"status": [*WRITTEN_STATUS, "overdue"], "priority": PRIORITY, "category": ["other", "harvesting"],
             "assignedTo": ["Omar", "OMAR", ""], "farmId": None, "fieldId": None, "open": ["true", "false"]}),
    rules: (["createdAt", "nextOccurrence"],
            {"pattern": PATTERN, "isActive": ["true", "false"], "farmId": None, "templateId": None}),
}


@pytest.fixture(scope="module", params=KINDS, ids=lambda kind: kind.__name__)
def kind(request, tilth):
    made, path = request.param(tilth)
    return made, path, *KINDS[request.param]


def page(user, path, **query):
    reply = user.get(f"{path}?{urllib.parse.urlencode(query)}")
    assert reply.status == 200, reply
    return [record["id"] for record in reply.data], reply.pagination


def pages(user, path, limit, **query):
    found, pagination = page(user, path, limit=limit, **query)
    for number in range(2, pagination["totalPages"] + 1):
        more, _ = page(user, path, page=number, limit=limit, **query)
        assert len(more) <= limit
        found += more
    return found, pagination


def test_every_order_over_all_pages(kind):
    made, path, sorts, _ = kind
    for sort, order in itertools.product(sorts, ("asc", "desc")):
        wanted = expected(made.records, sort, order, lambda record: True)
        for limit in (7, 100):
            found, pagination = pages(made.user, path, limit, sort=sort, order=order)
            assert found == wanted, (sort, order, limit)
            assert pagination == {"page": 1, "limit": limit, "total": COUNT,
                                  "totalPages": math.ceil(COUNT / limit)}


def test_newest_first_unless_said(kind):
    made, path, sorts, _ = kind
    wanted = expected(made.records, "createdAt", "desc", lambda record: True)
    assert page(made.user, path, page=1)[0] == page(made.user, path, limit=20)[0] == wanted[:20]
    assert page(made.user, path, order="desc", limit=9)[0] == wanted[:9]
    for sort in sorts:
        wanted = expected(made.records, sort, "desc", lambda record: True)
        assert page(made.user, path, sort=sort, limit=9)[0] == wanted[:9]


def filtered(record, member):
    """What a record is found by, under the name of a filter."""
    if member == "open":
        return "false" if record["status"] in ("completed", "cancelled") else "true"
    if member == "isActive":
        return str(record["isActive"]).lower()
    return record[member]


def matching(member, value):
    def matches(record):
        stored = filtered(record, member)
        return stored.casefold() == value.casefold() if member == "cropType" else stored == value
    return matches


def test_every_filter_in_every_order(kind):
    made, path, sorts, filters = kind
    for member, values in filters.items():
        for value in values or sorted({filtered(record, member) for record in made.records} - {None}):
            for sort, order in zip(sorts, itertools.cycle(("asc", "desc"))):
                wanted = expected(made.records, sort, order, matching(member, value))
                found, pagination = pages(made.user, path, 5, sort=sort, order=order, **{member: value})
                assert found == wanted, (member, value, sort, order)
                assert pagination == {"page": 1, "limit": 5, "total": len(wanted),
                                      "totalPages": math.ceil(len(wanted) / 5)}


def test_filters_together(kind):
    made, path, sorts, filters = kind
    sample = made.random.sample(made.records, 6)
    for record in sample:
        wanted = {member: filtered(record, member) for member in filters if filtered(record, member) is not None}
        found, _ = pages(made.user, path, 3, **wanted)
        assert found == expected(made.records, "createdAt", "desc", lambda other: all(
            matching(member, value)(other) for member, value in wanted.items()))


def test_a_change_moves_a_record_to_its_new_place(kind):
    made, path, sorts, filters = kind
    state = "status" if "status" in filters else "pattern"
    for record in made.random.sample(made.records, 5):
        changed = {state: made.random.choice(filters[state])}
        if "nextOccurrence" in sorts:
            changed["startDate"] = f"2037-04-{made.random.randint(10, 14)}"
        elif "name" in sorts:
            changed["name"] = made.text(3) + "!" + str(made.random.random())
        elif "dueDate" in sorts:
            changed = {"status": made.random.choice(WRITTEN_STATUS), "title": made.text(3),
                       "dueDate": made.instant(), "priority": made.random.choice(PRIORITY)}
        elif "label" in sorts:
            changed["label"] = made.text(3)
        else:
            changed["plantingDate"] = made.day()
            changed["expectedHarvestDate"] = None
        reply = made.user.put(record.get("path") or path_of(record), changed)
        assert reply.status == 200, reply
        record.update(reply.data)
    for sort, order in itertools.product(sorts, ("asc", "desc")):
        assert pages(made.user, path, 100, sort=sort, order=order)[0] == expected(
            made.records, sort, order, lambda record: True)
    for value in filters[state]:
        assert pages(made.user, path, 100, **{state: value})[0] == expected(
            made.records, "createdAt", "desc", matching(state, value))


def test_what_is_made_within_a_millisecond_is_listed_in_the_order_in_which_it_was_made(tilth):
    user = tilth.user("vast")
    made = [user.farm()["id"] for _ in range(20)]
    assert user.listed("/farms?order=asc") == made, "the clock did not move"
    assert user.listed("/farms") == made[::-1]

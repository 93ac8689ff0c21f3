"""What was answered at an instant is answered as of that instant ever after, and by a service that read the same history
in another way: after a restart, from rows that were built again, and where the history was imported."""
import datetime
import itertools
import random
import uuid

import pytest

from entries import (EXPENSES, FERTIGATIONS, IRRIGATIONS, LEAF_SAMPLES, OVERHEADS, PRICE_REPORTS, SALES, SOIL_SAMPLES)
from operated import order, standing, wait_for
from service import VAST, Farmer, path_of, served

CONFIG = VAST
pytestmark = pytest.mark.embedded_log
SEED, STEPS, PHOTOGRAPHS = 1, 120, 5
STATUS = {"fields": ["active", "fallow", "preparing", "planted"],
          "crops": ["planned", "planted", "growing", "harvested", "failed"],
          "blocks": ["planned", "planted", "established", "mature", "declined", "harvested", "removed"],
          "plants": ["alive", "sick", "dead", "replaced", "removed"],
          "tasks": ["pending", "in_progress", "completed", "cancelled"]}
SORTS = {"/farms": "createdAt name totalArea", "/crops": "createdAt plantingDate expectedHarvestDate cropType",
         "fields": "createdAt name area", "blocks": "createdAt name", "plants": "createdAt label",
         "/tasks": "createdAt dueDate priority title", "/templates": "createdAt name",
         "/recurring-tasks": "createdAt nextOccurrence", "/market/price-reports": "createdAt observedOn"}


class Work:
    """Work of every kind by one owner, chosen at random."""

    def __init__(self, service, seed):
        self.service, self.chance = service, random.Random(seed)
        self.user = service.user("vast")
        self.farms, self.fields, self.crops, self.blocks, self.plants = [], [], [], [], []
        self.tasks, self.templates, self.rules, self.entries, self.shortlist = [], [], [], [], []
        self.library = []
        self.names = itertools.count()

    def one_of(self, records):
        return self.chance.choice(records)

    def maybe(self, value):
        return value if self.chance.random() < 0.6 else None

    def name(self):
        return f"{self.chance.choice('AbÄé~')}{next(self.names) % 7}"

    def number(self):
        return self.chance.choice(["0.5", "1", "2.25", "9", "10", "100"])

    def instant(self):
        """Within a month from now, before or after."""
        now = datetime.datetime.fromisoformat(self.service.now().replace("Z", "+00:00"))
        then = now + datetime.timedelta(days=self.chance.randint(-30, 30))
        return then.strftime("%Y-%m-%dT%H:%M:%S.000Z")

    def day(self):
        return min(self.instant(), self.service.now())[:10]

    # Each makes, changes or removes something. What cannot be done yet is passed over.

    def new_farm(self):
        members = {"country": self.one_of(["Japan", "Egypt", "Germany"]), "areaUnit": self.one_of(["hectare", "acre"]),
                   "timezone": self.one_of(["UTC", "Asia/Tokyo", "America/New_York"])}
        self.farms.append(self.user.farm(**members, name=f"Farm {uuid.uuid4()}"))

    def new_field(self):
        self.fields.append(self.user.field(self.one_of(self.farms), name=self.name(), area=self.number(),
                                           status=self.one_of(STATUS["fields"])))

    def new_crop(self):
        body = {"cropType": self.name(), "status": self.one_of(STATUS["crops"]), "plantingDate": self.maybe(self.day()),
                "area": self.maybe(self.number()), "actualYield": self.maybe(self.number())}
        if self.library and self.chance.random() < 0.6:
            body["adminCropId"] = self.one_of(self.library)["id"]
        self.crops.append(self.user.crop(self.one_of(self.fields), **body))

    def new_block(self):
        self.blocks.append(self.user.block(self.one_of(self.crops), name=self.name(), area=self.maybe(self.number()),
                                           spacingX=self.maybe(2), status=self.one_of(STATUS["blocks"])))

    def new_plant(self):
        block = self.one_of(self.blocks)
        self.plants.append({**self.user.plant(block, label=self.name(), status=self.one_of(STATUS["plants"]),
                                              tagId=self.maybe(str(uuid.uuid4()))), "block": block})

    def new_task(self):
        self.tasks.append(self.user.task(self.one_of(self.farms), title=self.name(), dueDate=self.maybe(self.instant()),
                                         priority=self.one_of(["low", "medium", "high", "urgent"]),
                                         status=self.one_of(STATUS["tasks"]), category=self.one_of(["irrigation", "other"]),
                                         assignedTo=self.maybe(self.name())))

    def new_template(self):
        farm = self.maybe(self.one_of(self.farms)["id"])
        self.templates.append(self.user.template(name=self.name(), farmId=farm, isActive=self.chance.random() < 0.8))

    def new_rule(self):
        template = self.usable_template()
        if not template:
            return
        farm = template["farmId"] or self.one_of(self.farms)["id"]
        self.rules.append(self.user.rule({"id": farm}, template, pattern=self.one_of(["daily", "weekly", "custom"]),
                                         interval=self.chance.randint(1, 3), startDate=self.instant(),
                                         generateDaysBefore=self.chance.randint(0, 2)))

    def usable_template(self):
        usable = [one for one in self.templates if one["isActive"]]
        return self.one_of(usable) if usable else None

    def apply_template(self):
        template = self.usable_template()
        if template:
            farm = {"farmId": self.one_of(self.farms)["id"]}
            self.tasks.append(self.user.made(path_of(template) + "/apply", farm))

    def new_entry(self):
        kind = self.one_of([IRRIGATIONS, SOIL_SAMPLES, FERTIGATIONS, LEAF_SAMPLES, EXPENSES, OVERHEADS, SALES, PRICE_REPORTS])
        block = self.one_of(self.blocks)
        crop = next(one for one in self.crops if one["id"] == block["cropId"])
        when = self.instant() if kind.body[kind.time].endswith("Z") else self.day()
        members = {kind.time: when}
        if kind is SOIL_SAMPLES:
            members["ph"] = self.maybe(self.one_of(["5.5", "6.5", "8"]))
        if kind in (EXPENSES, OVERHEADS, SALES):
            members["currency"] = self.one_of(["USD", "EUR", "JPY"])
        self.entries.append(self.user.entry(kind, crop, block, **members))

    def new_shortlist_entry(self):
        if self.library:
            farm = self.maybe(self.one_of(self.farms)["id"])
            entry = self.user.made("/user-crops", {"adminCropId": self.one_of(self.library)["id"], "farmId": farm})
            if entry["id"] not in [one["id"] for one in self.shortlist]:
                self.shortlist.append(entry)

    def amend(self):
        records, bodies = self.one_of([
            (self.farms, [{"name": f"Farm {uuid.uuid4()}"}, {"totalArea": self.number()}, {"country": None},
                          {"timezone": "Europe/Berlin"}, {"areaUnit": "dunam"}]),
            (self.fields, [{"name": self.name()}, {"area": self.number()}, {"soilPh": "6.1"}, {"notes": None},
                           {"status": "fallow"}]),
            (self.crops, [{"status": "harvested"}, {"status": "growing"}, {"area": None}, {"plantingDate": self.day()},
                          {"cropType": self.name()}, {"adminCropId": None}]),
            (self.blocks, [{"name": self.name()}, {"spacingY": 3}, {"area": None}, {"status": "mature"}]),
            (self.tasks, [{"status": "completed"}, {"status": "pending"}, {"dueDate": None}, {"title": self.name()},
                          {"dueDate": self.instant()}, {"priority": "urgent"}, {"assignedTo": None}]),
            (self.templates, [{"isActive": False}, {"isActive": True}, {"name": self.name()}]),
            (self.rules, [{"isActive": False}, {"interval": 5}, {"startDate": self.instant()}, {"pattern": "daily"}]),
            (self.plants, [{"status": "dead"}, {"status": "alive"}, {"tagId": None}, {"label": self.name()}])])
        if not records:
            return
        record, body = self.one_of(records), self.one_of(bodies)
        reply = self.user.put(path_of(record), body)
        assert reply.status in (200, 400), (record, body, reply)
        if reply.status == 200:
            record.update(reply.data)

    def complete(self):
        if self.tasks:
            reply = self.user.post(path_of(self.one_of(self.tasks)) + "/complete", {"notes": "Done"})
            assert reply.status == 200, reply

    def remove(self):
        kept = self.one_of([self.plants, self.tasks, self.entries, self.blocks, self.shortlist, self.rules,
                            self.templates, self.crops, self.fields, self.farms])
        if len(kept) < 3:
            return
        record = self.one_of(kept)
        path = record["path"] if "path" in record else (
            f"/user-crops/{record['id']}" if "customizations" in record else path_of(record))
        assert self.user.delete(path).status == 204, path
        self.forget_removed()

    def forget_removed(self):
        """What went along is found by asking: the test knows no rule of cascades."""
        for records in (self.farms, self.fields, self.crops, self.blocks, self.plants, self.tasks, self.templates,
                        self.rules):
            records[:] = [one for one in records if self.user.get(path_of(one)).status == 200]
        self.entries[:] = [one for one in self.entries if self.is_there(one)]
        there = {one["id"] for one in self.user.get("/user-crops?limit=100").data}
        self.shortlist[:] = [one for one in self.shortlist if one["id"] in there]

    def is_there(self, entry):
        if "price-reports" in entry["path"]:
            return entry["farmId"] in [farm["id"] for farm in self.farms]
        return self.user.get(entry["path"]).status == 200

    def describe(self):
        """An operator describes crops, or publishes rates."""
        if self.chance.random() < 0.5:
            crop = {"name": f"Crop {self.chance.randint(1, 4)}", "soilPhMin": self.one_of([5, 6]), "soilPhMax": 7,
                    "daysToMaturity": self.one_of([60, 90]), "yieldPerHectare": {"typical": self.chance.randint(1, 9)},
                    "varieties": [{"varietyName": self.name()}]}
            self.service.operate("POST", "/operator/v1/library", {"crops": [crop]})
            self.library = self.user.get("/crop-library/crops?limit=100").data
        else:
            text = f"Date,USD,JPY,\n{self.day()},1.{self.chance.randint(10, 99)},16{self.chance.randint(0, 9)},\n"
            reply = self.service.operator.send("POST", "/operator/v1/exchange-rates", text,
                                               headers={"Content-Type": "text/csv"})
            assert reply.status == 200, reply

    def begin(self):
        self.describe()
        for _ in range(3):
            for make in (self.new_farm, self.new_field, self.new_crop, self.new_block, self.new_plant, self.new_template):
                make()

    def step(self):
        makes = [self.new_farm, self.new_field, self.new_crop, self.new_block, self.new_plant, self.new_task, self.new_task,
                 self.new_template, self.new_rule, self.apply_template, self.new_entry, self.new_entry, self.new_entry,
                 self.new_shortlist_entry]
        if self.farms and self.fields and self.crops and self.blocks:
            self.one_of([*makes, self.amend, self.amend, self.amend, self.amend, self.complete, self.describe,
                         *[self.remove] * 3])()
        else:
            self.one_of([self.new_farm if not self.farms else self.new_field if not self.fields
                         else self.new_crop if not self.crops else self.new_block])()
        if self.chance.random() < 0.3:
            self.service.advance(self.one_of(["PT1S", "PT1H", "PT13H", "P1D", "P3D"]))

    def targets(self):
        """What an owner can ask about all that is there, and about some of what is not there any more."""
        def lists(path, sorts, *filters):
            for sort, order_ in itertools.product(sorts.split(), ("asc", "desc")):
                yield f"{path}?sort={sort}&order={order_}&limit=100"
            yield from (f"{path}?{one}" for one in filters)
            yield f"{path}?page=2&limit=2"

        farm, field, crop = self.one_of(self.farms)["id"], self.one_of(self.fields)["id"], self.one_of(self.crops)["id"]
        yield from lists("/farms", SORTS["/farms"], "status=active")
        yield from lists("/crops", SORTS["/crops"], f"farmId={farm}", f"fieldId={field}", "status=growing", "cropType=a1")
        yield from lists("/tasks", SORTS["/tasks"], "status=overdue", "status=pending", f"farmId={farm}&status=overdue",
                         "priority=high&sort=dueDate", "category=irrigation", f"dueBefore={self.instant()}",
                         f"dueAfter={self.instant()}&sort=priority&order=asc")
        yield from lists("/templates", SORTS["/templates"], f"farmId={farm}", "includeGlobal=false", "isActive=false")
        yield from lists("/recurring-tasks", SORTS["/recurring-tasks"], f"farmId={farm}", "isActive=true", "pattern=daily")
        yield from lists("/market/price-reports", SORTS["/market/price-reports"], f"farmId={farm}")
        yield from ("/user-crops?limit=100", f"/user-crops?farmId={farm}", "/crop-library/crops?limit=100")
        yield from (f"/crop-library/varieties?adminCropId={one['id']}" for one in self.library)
        for farm in self.farms:
            path = path_of(farm)
            yield from (path, f"{path}/health-score", f"{path}/yield-prediction", f"{path}/financial-summary",
                        f"{path}/financial-summary?from={self.day()}", f"{path}/expenses?limit=100",
                        f"{path}/overheads?sort=createdAt&order=asc")
            yield from lists(f"{path}/fields", SORTS["fields"], "status=active")
        for field in self.fields:
            yield path_of(field)
            yield from (f"{path_of(field)}/{kind}?limit=100" for kind in ("irrigations", "soil-samples"))
            yield from lists(f"{path_of(field)}/blocks", SORTS["blocks"], "status=mature")
            yield f"{path_of(field)}/blocks"
        for block in self.blocks:
            yield path_of(block)
            yield from (f"{path_of(block)}/{kind}?limit=100" for kind in ("fertigations", "leaf-samples"))
            yield from lists(f"{path_of(block)}/plants", SORTS["plants"], "status=alive")
            yield f"{path_of(block)}/plants"
        yield from (f"{path_of(one)}/sales?limit=100" for one in self.crops)
        yield from (path_of(one) for one in (*self.crops, *self.tasks, *self.templates, *self.rules, *self.plants))
        yield from (one["path"] for one in self.entries if "price-reports" not in one["path"])


def asked(user, targets, at=None):
    """What each is answered now, or as of an instant. What is gone is answered as that, too."""
    headers = {"Tilth-As-Of": at} if at else {}
    replies = {target: user.get(target, headers) for target in targets}
    wrong = {target: reply for target, reply in replies.items() if reply.status not in (200, 404)}
    assert not wrong, wrong
    return {target: (reply.status, reply.json.get("data"), reply.json.get("pagination"))
            for target, reply in replies.items()}


def same(photograph, now):
    at, then = photograph
    differing = {target: (then[target], now[target]) for target in then if now[target] != then[target]}
    assert not differing, (at, len(differing), next(iter(differing.items())))


def same_as_of_then(user, photographs):
    for at, then in photographs:
        same((at, then), asked(user, then, at))


def same_now(user, photograph):
    """The clock stands still since it was taken."""
    same(photograph, asked(user, photograph[1]))


@pytest.fixture(scope="module")
def photographed(tilth):
    """An owner who has worked for a while, and what was answered meanwhile, each at an instant of its own."""
    work, photographs = Work(tilth, SEED), []
    work.begin()
    for _ in range(PHOTOGRAPHS):
        for _ in range(STEPS // PHOTOGRAPHS):
            work.step()
        tilth.advance("PT1S")
        photographs.append((tilth.now(), asked(work.user, set(work.targets()))))
        tilth.advance("PT1S")
    tilth.advance("P2D")
    photographs.append((tilth.now(), asked(work.user, set(work.targets()))))
    return work.user, photographs


def test_what_was_answered_is_answered_as_of_then(photographed):
    user, photographs = photographed
    same_as_of_then(user, photographs)


def test_a_service_that_starts_again_answers_the_same(tilth, photographed):
    user, photographs = photographed
    tilth.restart()
    user.close()
    user.address = tilth.client_of(user).address
    same_now(user, photographs[-1])
    same_as_of_then(user, photographs[-2:-1])


def test_rows_that_are_built_again_answer_the_same(tilth, photographed):
    user, photographs = photographed
    order(tilth, "all", "rebuild", 202)
    for name in ("access", "registry", "finance", "market"):
        wait_for(tilth, name, lambda row: not row["building"] and row["state"] == "running")
        assert standing(tilth, name)["reason"] is None
    same_now(user, photographs[-1])


def test_a_service_that_imports_the_history_answers_the_same(tilth, photographed, tmp_path):
    user, photographs = photographed
    exported = tilth.operate("GET", "/operator/v1/events").body
    with served(tmp_path, config=CONFIG, clock=tilth.now()) as other:
        reply = other.operator.send("POST", "/operator/v1/events", exported, {"Content-Type": "application/x-ndjson"})
        assert reply.status == 200, reply
        copy = Farmer(other, user.id)
        same_now(copy, photographs[-1])
        same_as_of_then(copy, photographs[-2:-1])

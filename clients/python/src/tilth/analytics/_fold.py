"""What events did to records: each record as a row for every time that it changed."""
from __future__ import annotations

import dataclasses
import decimal
import itertools
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Set, Tuple

Row = Dict[str, Any]
Event = Mapping[str, Any]
Key = Tuple[str, str]  # of a record: its kind and its id

# The members of a record that name what it is removed with.
GOES_WITH: Dict[str, Tuple[str, ...]] = {
    "field": ("farm",), "crop": ("farm", "field"), "block": ("field", "crop"), "plant": ("block",),
    "task": ("farm",), "task_template": ("farm",), "recurring_task": ("farm",), "user_crop": ("farm",),
    "irrigation": ("field",), "soil_sample": ("field",), "fertigation": ("block",), "leaf_sample": ("block",),
    "expense": ("farm", "crop", "field"), "overhead": ("farm",), "sale": ("crop",), "price_report": ("farm",),
}

MADE = {"registered", "created", "recorded", "added"}
CHANGED = {"amended", "rescheduled", "completed"}


@dataclasses.dataclass
class Version:
    """A record from one change to the next."""

    row: Row
    owner: str
    since: str
    until: Optional[str] = None


class Fold:
    """Takes events in order and gives the versions of records."""

    def __init__(self) -> None:
        self._present: Dict[Key, Version] = {}
        self._past: List[Tuple[str, Version]] = []
        self._below: Dict[Key, Set[Key]] = {}
        self._ph_from: Dict[str, Optional[str]] = {}  # field -> the soil sample that its pH is of
        self._versions: Dict[str, int] = {}
        self._special: Dict[str, Callable[[Event, Row], None]] = {
            "tilth.task_template.imported": self._templates_imported,
            "tilth.recurring_task.created": self._rule_changed,
            "tilth.recurring_task.amended": self._rule_changed,
            "tilth.recurring_task.advanced": self._rules_advanced,
            "tilth.recurring_task.stopped": self._rules_stopped,
            "tilth.user_crop.added": self._user_crop_added,
            "tilth.user_crop.renamed": self._user_crop_renamed,
            "tilth.admin_crop.described": self._admin_crop_described,
            "tilth.records.erased": self._records_erased,
            "tilth.soil_sample.recorded": self._soil_sample_recorded,
            "tilth.soil_sample.removed": self._soil_sample_removed,
        }

    def add(self, event: Event) -> bool:
        """Takes an event in; False if it was taken before."""
        owner, version = event["subject"], event["streamversion"]
        if version < self._versions.get(owner, 0):
            return False
        self._versions[owner] = version + 1
        data = dict(event["data"])
        special = self._special.get(event["type"])
        if special:
            special(event, data)
        else:
            self._plain(event, data)
        return True

    def versions(self) -> Iterator[Tuple[str, Version]]:
        """Every version of every record, with its kind."""
        present = ((kind, version) for (kind, _), version in self._present.items())
        for kind, version in itertools.chain(self._past, present):
            yield kind, dataclasses.replace(version, row=shown(version.row)) if kind == "block" else version

    # --- the rules that most records follow

    def _plain(self, event: Event, data: Row) -> None:
        _, kind, what = event["type"].split(".")
        name = id_member(kind)
        if name not in data or (kind not in GOES_WITH and kind != "farm"):
            return
        identifier = data.pop(name)
        if what in MADE:
            self._make(event, kind, identifier, data)
        elif what in CHANGED:
            self._change(event, kind, identifier, data)
        elif what == "removed":
            self._remove((kind, identifier), data["removedAt"])

    def _make(self, event: Event, kind: str, identifier: str, data: Row) -> None:
        at = taken(data, "registeredAt", "createdAt", "recordedAt", "addedAt")
        row = {"id": identifier, **data, "createdAt": at, "updatedAt": at}
        if kind == "task_template":
            row["isGlobal"] = event["subject"] == "reference"
        self._put(kind, row, event["subject"], at)

    def _change(self, event: Event, kind: str, identifier: str, data: Row) -> None:
        before = self._present.get((kind, identifier))
        if not before:
            return
        at = taken(data, "amendedAt")
        if event["type"] == "tilth.task.completed":
            data["status"] = "completed"
        if kind == "field" and "soilPh" in data:
            self._ph_from[identifier] = None
        self._put(kind, {**before.row, **data, "updatedAt": at}, before.owner, at)

    def _put(self, kind: str, row: Row, owner: str, at: str) -> None:
        key = (kind, row["id"])
        before = self._present.get(key)
        if before:
            before.until = at
            self._past.append((kind, before))
        self._present[key] = Version(row, owner, at)
        for parent in GOES_WITH.get(kind, ()):
            if row.get(parent + "Id"):
                self._below.setdefault((parent, row[parent + "Id"]), set()).add(key)

    def _remove(self, key: Key, at: str) -> None:
        """Removes a record, and with it what goes with it."""
        version = self._present.pop(key, None)
        if version:
            version.until = at
            self._past.append((key[0], version))
        for below in self._below.pop(key, ()):
            kept = self._present.get(below)
            if kept and kept.row.get(key[0] + "Id") == key[1]:
                self._remove(below, at)

    # --- and those that are their own

    def _templates_imported(self, event: Event, data: Row) -> None:
        for template in data["templates"]:
            row = dict(template)
            identifier = row.pop("templateId")
            before = self._present.get(("task_template", identifier))
            at = data["importedAt"]
            self._put("task_template", {
                "id": identifier, **row, "isGlobal": event["subject"] == "reference",
                "createdBy": before.row["createdBy"] if before else "operator",
                "createdAt": before.row["createdAt"] if before else at, "updatedAt": at}, event["subject"], at)

    def _rule_changed(self, event: Event, data: Row) -> None:
        schedule = data.pop("schedule")
        identifier, at = data["recurringTaskId"], data.get("amendedAt") or data["createdAt"]
        self._plain(event, data)
        self._follow(identifier, schedule, at)

    def _rules_advanced(self, event: Event, data: Row) -> None:
        for rule in data["rules"]:
            self._follow(rule["recurringTaskId"], rule["schedule"], data["advancedAt"])

    def _follow(self, identifier: str, schedule: Row, at: str) -> None:
        """A rule has made tasks, and knows when the next one is due."""
        rule = self._present.get(("recurring_task", identifier))
        if not rule:
            return
        self._put("recurring_task", {**rule.row, "nextOccurrence": schedule.get("nextOccurrence"),
                                     "rrule": schedule["rrule"]}, rule.owner, at)
        for task in schedule.get("tasks") or ():
            self._put("task", {**(schedule.get("makes") or {}), "id": task["taskId"], "farmId": rule.row["farmId"],
                               "dueDate": task["dueDate"], "recurringTaskId": identifier,
                               "createdBy": rule.row["createdBy"], "createdAt": at, "updatedAt": at}, rule.owner, at)

    def _rules_stopped(self, event: Event, data: Row) -> None:
        for identifier in data["recurringTaskIds"]:
            rule = self._present.get(("recurring_task", identifier))
            if rule:
                at = data["stoppedAt"]
                self._put("recurring_task", {**rule.row, "isActive": False, "updatedAt": at}, rule.owner, at)

    def _user_crop_added(self, event: Event, data: Row) -> None:
        identifier = data.pop("userCropId")
        self._make(event, "user_crop", identifier,
                   {**data, "userId": event["subject"], "adminCropId": data["adminCrop"]["id"]})

    def _user_crop_renamed(self, event: Event, data: Row) -> None:
        before = self._present.get(("user_crop", data["userCropId"]))
        if before:
            self._put("user_crop", {**before.row, "adminCrop": data["adminCrop"]}, before.owner, data["renamedAt"])

    def _admin_crop_described(self, event: Event, data: Row) -> None:
        identifier, at = data.pop("adminCropId"), data.pop("describedAt")
        varieties = data.pop("varieties")
        self._describe("admin_crop", {"id": identifier, **data}, event["subject"], at)
        for one in varieties:
            variety = dict(one)
            self._describe("variety", {"id": variety.pop("varietyId"), "adminCropId": identifier, **variety},
                           event["subject"], at)

    def _describe(self, kind: str, row: Row, owner: str, at: str) -> None:
        before = self._present.get((kind, row["id"]))
        self._put(kind, {**row, "createdAt": before.row["createdAt"] if before else at}, owner, at)

    def _records_erased(self, event: Event, data: Row) -> None:
        for key in [key for key, version in self._present.items() if version.owner == event["subject"]]:
            self._remove(key, data["erasedAt"])

    def _soil_sample_recorded(self, event: Event, data: Row) -> None:
        newest = self._newest_with_ph(data["fieldId"])
        identifier, at = data["soilSampleId"], data["recordedAt"]
        self._plain(event, data)
        if data["ph"] is not None and not (newest and (data["sampledAt"], at) < age(newest)):
            self._tell_field(self._present["soil_sample", identifier].row, at)

    def _soil_sample_removed(self, event: Event, data: Row) -> None:
        sample = self._present.get(("soil_sample", data["soilSampleId"]))
        at = data["removedAt"]
        self._plain(event, data)
        if sample and self._ph_from.get(sample.row["fieldId"]) == sample.row["id"]:
            newest = self._newest_with_ph(sample.row["fieldId"])
            if newest:
                self._tell_field(newest, at)

    def _newest_with_ph(self, field: str) -> Optional[Row]:
        samples = (self._present[key].row for key in self._below.get(("field", field), ())
                   if key[0] == "soil_sample" and key in self._present)
        return max((row for row in samples if row["ph"] is not None), key=age, default=None)

    def _tell_field(self, sample: Row, at: str) -> None:
        field = self._present.get(("field", sample["fieldId"]))
        if field:
            self._ph_from[field.row["id"]] = sample["id"]
            self._put("field", {**field.row, "soilPh": sample["ph"], "updatedAt": at}, field.owner, at)


def shown(block: Row) -> Row:
    """A block as the service answers it: a density that was not given follows from the spacings."""
    x, y = (decimal.Decimal(block.get(name) or 0) for name in ("spacingX", "spacingY"))
    if block.get("plantDensity") is not None or not x * y:
        return block
    with decimal.localcontext() as exact:
        exact.prec = 60
        density = (10_000 / (x * y)).quantize(decimal.Decimal("1e-8"), decimal.ROUND_HALF_EVEN)
    return {**block, "plantDensity": str(density)} if density <= 1_000_000 else block


def age(sample: Row) -> Tuple[str, str]:
    return sample["sampledAt"], sample["createdAt"]


def id_member(kind: str) -> str:
    """The member of an event's data that names its record."""
    if kind == "task_template":
        return "templateId"
    first, *rest = kind.split("_")
    return first + "".join(word.capitalize() for word in rest) + "Id"


def taken(data: Row, *names: str) -> Any:
    """The value of the first of these members that is there, which is taken out."""
    for name in names:
        if name in data:
            return data.pop(name)
    raise KeyError(names[0])

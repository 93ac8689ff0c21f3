#!/usr/bin/env python3
"""Computes the answers to the questions of recurrence_test.cc with dateutil's rules and Python's zones: a rule's
occurrences, first by its RRULE text alone, then counted from the rule's own start."""
import sys
from datetime import datetime, timedelta, timezone
from itertools import takewhile
from zoneinfo import ZoneInfo

from dateutil.rrule import rrulestr

COMPACT = "%Y%m%dT%H%M%S"


def instant(text):
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%f%z")


def wall(text, zone):
    return instant(text).astimezone(zone).replace(tzinfo=None, fold=0)


def answer(zone_name, start, since, count, dtstart, rule):
    zone = ZoneInfo(zone_name)
    expected = f"DTSTART;TZID={zone_name}:" if zone_name != "UTC" else "DTSTART:"
    assert dtstart.startswith(expected) and (zone_name != "UTC" or dtstart.endswith("Z")), dtstart
    first = datetime.strptime(dtstart.removeprefix(expected).rstrip("Z"), COMPACT)
    parts = rule.removeprefix("RRULE:").split(";")
    until = [part[6:] for part in parts if part.startswith("UNTIL=")]
    until = until and datetime.strptime(until[0], COMPACT + "Z").replace(tzinfo=timezone.utc)
    parts = ";".join(part for part in parts if not part.startswith("UNTIL="))

    def occurrences(begin, not_before):
        # Like the contract, Python reads a skipped wall time with the offset before the gap, and one
        # that occurs twice as the first.
        near = max(begin, wall(since, zone) - timedelta(days=3))
        rules = rrulestr("RRULE:" + parts, dtstart=begin)
        found = []
        for naive in rules.xafter(near - timedelta(days=1), inc=True):
            at = naive.replace(tzinfo=zone, fold=0).astimezone(timezone.utc)
            if until and at > until or len(found) == int(count):
                return found
            if at >= not_before and at not in found:
                found.append(at)
        return found

    if next(iter(rrulestr("RRULE:" + parts, dtstart=first))) != first:
        return f"{first} is no occurrence of {rule}"  # later occurrences are then undefined
    by_text = occurrences(first, instant(since))
    by_start = occurrences(wall(start, zone), max(instant(since), instant(start)))
    if by_text != by_start:
        return f"the text says {by_text[:3]}, the rule {by_start[:3]}"
    return " ".join(at.strftime("%Y-%m-%dT%H:%M:%S.000Z") for at in by_text)


for line in sys.stdin:
    print(answer(*line.rstrip("\n").split("\t")))

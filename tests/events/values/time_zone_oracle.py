#!/usr/bin/env python3
"""Computes the answers to the questions of time_zone_test.cc with Python's zones, in seconds since 1970, local or
UTC: the wall time at an instant, or the instant of a wall time."""
import sys
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

EPOCH = datetime(1970, 1, 1)


def shows(zone, seconds):
    instant = EPOCH.replace(tzinfo=timezone.utc) + timedelta(seconds=seconds)
    return instant.astimezone(zone).replace(tzinfo=None) - EPOCH


def when(zone, seconds):
    shown = (EPOCH + timedelta(seconds=seconds)).replace(tzinfo=zone, fold=0)
    return shown.astimezone(timezone.utc).replace(tzinfo=None) - EPOCH


ANSWERS = {"shows": shows, "when": when}
for line in sys.stdin:
    question, zone, seconds = line.rstrip("\n").split("\t")
    print(int(ANSWERS[question](ZoneInfo(zone), int(seconds)).total_seconds()))

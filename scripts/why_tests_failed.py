#!/usr/bin/env python3
"""Prints the end of what each failed test printed. Usage: why_tests_failed.py RESULTS.xml [LINES]"""
import sys
from xml.etree import ElementTree

lines = int(sys.argv[2]) if len(sys.argv) > 2 else 12
for test in ElementTree.parse(sys.argv[1]).iter("testcase"):
    if test.get("status") != "fail":
        continue
    printed = (test.findtext("system-out") or "").rstrip().splitlines()
    print(f"\n--- {test.get('name')}", *printed[-lines:], sep="\n")
print()

#!/usr/bin/env python3
"""Tables as the command line exports and describes them."""
import csv
import json
import os
import pathlib
import unittest

import fake_operator
from command_line import CommandLine as Case

ADA, BOB = "user_69v9-QFtq2nToa9X1wGs6", "user_VeqFUB7maGAAz_szUFgmW"
EARLY, LATE = "2026-03-01T06:30:00.000Z", "2026-03-02T06:30:00.000Z"
HOSTILE = '=HYPERLINK("x"),\r\n"Säen"\u2028; DROP TABLE farms; --'


def user(owner, email):
    return "user.registered", "access", EARLY, {"userId": owner, "email": email, "name": None, "plan": "seed",
                                                "passwordHash": "$argon2id$x", "registeredAt": EARLY}


def farm(owner, number, name, time=EARLY):
    return "farm.registered", owner, time, {"farmId": f"01a1fd7b-0000-7000-8000-{number:012d}", "name": name,
                                            "totalArea": "2.50", "areaUnit": "feddan", "registeredAt": time}


class Tables(Case):
    def setUp(self):
        super().setUp()
        self.fake.users = [{"id": ADA, "email": "ada@example.org"}, {"id": BOB, "email": "bob@example.org"}]
        self.log([user(ADA, "ada@example.org"), user(BOB, "bob@example.org"), farm(ADA, 1, HOSTILE), farm(BOB, 2, ""),
                  ("farm.removed", BOB, LATE, {"farmId": "01a1fd7b-0000-7000-8000-000000000002", "removedAt": LATE})])

    def log(self, said):
        self.fake.events = [[]]
        for number, (kind, owner, time, data) in enumerate(said):
            made = fake_operator.event(0, number, f"tilth.{kind}", owner)
            version = 2 if kind == "user.registered" else 1
            self.fake.events[0].append({**made, "time": time, "data": data, "streamversion": number,
                                        "schemaversion": version})

    def rows(self, table, directory="out"):
        with open(self.directory / directory / f"{table}.csv", newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file, strict=True))

    def test_records_and_events_are_exported(self):
        self.assertRegex(self.ask("tables", "export", "out"), r"^out holds \d+ tables with 9 rows\. ")
        mine, gone = sorted(self.rows("farms"), key=lambda row: row["id"])
        self.assertEqual((mine["name"], mine["owner"], mine["removedAt"]), (HOSTILE, ADA, ""))
        self.assertEqual((mine["totalArea"], mine["areaUnit"], mine["areaHectares"]), ("2.5", "feddan", "1.0502075"))
        self.assertEqual((gone["name"], gone["owner"], gone["removedAt"]), ("", BOB, LATE))
        self.assertEqual([row["email"] for row in self.rows("users")], ["ada@example.org", "bob@example.org"])
        self.assertEqual([row["farmId"] for row in self.rows("event_farm_removed")], [gone["id"]])

    def test_files_are_their_owner_s_alone_and_hold_no_secret(self):
        self.ask("tables", "export", "out")
        directory = self.directory / "out"
        self.assertEqual(directory.stat().st_mode & 0o777, 0o700)
        for path in directory.iterdir():
            self.assertEqual(path.stat().st_mode & 0o777, 0o600, path)
            self.assertNotIn("argon2id", path.read_text(), path)
            self.assertFalse(path.name.startswith("."), path)

    def test_json_lines_hold_the_same(self):
        self.ask("tables", "export", "out")
        said = json.loads(self.ask("tables", "export", "lines", "--format", "jsonl", "--json"))["data"]
        described = json.loads((self.directory / "lines/tables.json").read_text())
        self.assertEqual({name: described[name] for name in said}, said)
        self.assertEqual((said["asOf"], said["owner"], said["format"]), ("2026-04-01T00:00:00.000Z", None, "jsonl"))
        for table in described["tables"]:
            lines = (self.directory / "lines" / f"{table['name']}.jsonl").read_text().split("\n")[:-1]
            rows = [json.loads(line) for line in lines]
            self.assertEqual(len(rows), said["rows"][table["name"]])
            for row, same in zip(rows, self.rows(table["name"]), strict=True):
                self.assertEqual(list(row), [column["name"] for column in table["columns"]])
                self.assertEqual(list(row), list(same))
                self.assertEqual(["" if value is None else value for value in row.values() if not isinstance(value, int)],
                                 [same[name] for name, value in row.items() if not isinstance(value, int)])

    def test_an_earlier_time_is_exported(self):
        self.ask("tables", "export", "out", "--as-of", EARLY)
        self.assertEqual([row["removedAt"] for row in self.rows("farms")], ["", ""])
        self.assertEqual(self.rows("event_farm_removed"), [])
        self.assertIn(f"TIMESTAMPTZ '{EARLY}'", (self.directory / "out/tables.sql").read_text())
        self.ask("tables", "export", "before", "--as-of", "2026-01-01T00:00:00Z")
        self.assertEqual(self.rows("users", "before"), [])
        self.assertIn("future", self.refuse(1, "tables", "export", "later", "--as-of", "2026-05-01", *self.service()))

    def test_what_an_erased_owner_had_is_there_as_removed(self):
        self.log([user(ADA, "ada@example.org"), farm(ADA, 1, "[erased]"),
                  ("user.erased", "access", LATE, {"userId": ADA, "reason": None, "erasedAt": LATE}),
                  ("records.erased", ADA, LATE, {"erasedAt": LATE})])
        self.ask("tables", "export", "out")
        self.assertEqual([(row["owner"], row["removedAt"]) for row in self.rows("farms")], [(ADA, LATE)])
        self.assertEqual([row["owner"] for row in self.rows("event_records_erased")], [ADA])
        self.assertEqual([row["owner"] for row in self.rows("event_farm_registered")], [ADA])

    def test_one_owner_s_tables_are_exported(self):
        for number, name in enumerate((ADA, "ada@example.org")):
            self.ask("tables", "export", f"out{number}", "--owner", name)
            self.assertEqual([row["owner"] for row in self.rows("farms", f"out{number}")], [ADA])
            self.assertEqual([row["id"] for row in self.rows("users", f"out{number}")], [ADA])
            self.assertEqual(self.rows("event_user_registered", f"out{number}"), [])
            self.assertEqual(len(self.rows("event_farm_registered", f"out{number}")), 1)
        self.assertIn("user_nobody", self.refuse(1, "tables", "export", "none", "--owner", "user_nobody", *self.service()))
        self.assertFalse((self.directory / "none").exists())

    def test_a_directory_that_holds_something_is_left_alone(self):
        (self.directory / "empty").mkdir()
        self.ask("tables", "export", "empty")
        before = sorted(os.listdir(self.directory / "empty"))
        self.assertIn("empty", self.refuse(1, "tables", "export", "empty", *self.service()))
        self.assertEqual(sorted(os.listdir(self.directory / "empty")), before)
        self.assertIn("operator.token", self.refuse(1, "tables", "export", "operator.token", *self.service()))
        self.assertIn("none/out", self.refuse(1, "tables", "export", "none/out", *self.service()))

    def test_an_export_that_fails_leaves_nothing(self):
        self.fake.cut_after = 1
        self.refuse(1, "tables", "export", "out", *self.service())
        self.fake.cut_after = None
        self.log([user(ADA, "ada@example.org"), ("farm.sold", ADA, EARLY, {})])
        self.assertIn("tilth.farm.sold", self.refuse(1, "tables", "export", "out", *self.service()))
        self.assertFalse((self.directory / "out").exists())
        (self.directory / "empty").mkdir()
        self.refuse(1, "tables", "export", "empty", *self.service())
        self.assertEqual(os.listdir(self.directory / "empty"), [])

    def test_tables_are_described_without_a_service(self):
        page = self.run_tilth("tables", "describe").stdout
        self.assertIn("\n### farms\n", page)
        described = json.loads(self.run_tilth("tables", "describe", "--json").stdout)
        names = [table["name"] for table in described["tables"]]
        self.assertEqual([line[4:] for line in page.splitlines() if line.startswith("### ")], names)
        self.assertEqual(self.fake.requests, [])

    def test_wrong_usage_is_2(self):
        for words in (["export"], ["export", "a", "b"], ["export", "a", "--format", "xlsx"],
                      ["export", "a", "--as-of", "then"], ["describe", "farms"]):
            self.refuse(2, "tables", *words)


if __name__ == "__main__":
    unittest.main()

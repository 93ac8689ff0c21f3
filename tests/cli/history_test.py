#!/usr/bin/env python3
"""History as the command line exports, follows and shows it."""
import json
import os
import pathlib
import socket
import subprocess
import threading
import unittest

import fake_operator
from command_line import TILTH, CommandLine as Case


class History(Case):
    # History.

    def lines(self):
        return "".join(line + "\n" for line in self.fake.select({}))

    def test_history_is_exported(self):
        self.assertEqual(self.ask("events", "export"), self.lines())
        self.assertEqual(self.ask("events", "export", "--output", "out"), "")
        self.assertEqual(os.stat(self.directory / "out").st_mode & 0o777, 0o600)  # it contains emails
        self.assertEqual((self.directory / "out").read_text(), self.lines())
        self.ask("events", "export", "--output", "out", "--limit", "2")
        self.assertEqual((self.directory / "out").read_text().count("\n"), 2)

    def test_password_hashes_are_exported_only_for_a_move(self):
        user = {"userId": "u", "name": "\\\" \"passwordHash\": \"x\"", "passwordHash": "$argon2id$v=19$m=19456$c2FsdA$aGFzaA"}
        own = {"metadata": {"passwordHash": "mine", "type": "tilth.user.amended"}}
        digest = {"keyDigest": "0f" * 32}
        said = [("user.registered", user), ("user.amended", {**user, "passwordHash": None}), ("farm.registered", own),
                ("api_key.minted", digest), ("user.amended", user)]
        self.fake.events = [[{**fake_operator.event(0, n, "tilth." + kind), "data": data}
                             for n, (kind, data) in enumerate(said)]]
        self.assertEqual(self.ask("events", "export", "--with-secrets"), self.lines())
        bare = self.lines().replace(json.dumps(user["passwordHash"]), "null")
        self.assertEqual(self.ask("events", "export"), bare)
        self.assertEqual([json.loads(line)["data"] for line in bare.splitlines()],
                         [{**user, "passwordHash": None}, {**user, "passwordHash": None}, own, digest,
                          {**user, "passwordHash": None}])
        self.assertNotIn("argon2id", self.ask("events", "show", fake_operator.event(0, 0)["id"]))
        self.assertNotIn("argon2id", self.ask("events", "tail", "--since", "2026-01-01", "--limit", "5"))
        for flags in ([], ["--with-secrets"]):  # a resumed export compares the last line with the log's
            out = self.directory / "out"
            self.ask("events", "export", "--output", "out", *flags)
            whole = out.read_text()
            self.ask("events", "export", "--output", "out", "--resume", *flags)
            self.assertEqual(out.read_text(), whole)

    def test_an_owner_may_be_named_by_email(self):
        self.fake.users = [{"id": "user_b", "email": "ada@example.org"}]
        for words in (["export"], ["show"], ["tail", "--since", "2026-01-01", "--limit", "3"]):
            said = self.ask("events", *words, "--owner", "ada@example.org")
            self.assertEqual({json.loads(line)["subject"] for line in said.splitlines()}, {"user_b"})
            self.assertIn("bob@example.org", self.refuse(1, "events", *words, "--owner", "bob@example.org", *self.service()))

    def test_an_owner_that_does_not_exist_is_said_so(self):
        self.fake.users = [{"id": "user_new", "email": "new@example.org"}]
        for words in (["export"], ["show"]):
            self.assertEqual(self.refuse(1, "events", *words, "--owner", "user_none", *self.service()),
                             "There is no user user_none.\n")
            self.assertEqual(self.ask("events", *words, "--owner", "user_new"), "")
            self.assertEqual(self.ask("events", *words, "--owner", "reference"), "")

    def test_an_owner_that_does_not_exist_is_said_so_whatever_else_is_asked(self):
        self.fake.users = [{"id": "user_new", "email": "new@example.org"}]
        self.fake.events[2].append(fake_operator.event(2, 3, owner="user_erased"))
        for words in (["export", "--type", "none"], ["export", "--partition", "1"], ["export", "--since", "2026-01-01"],
                      ["show", "--as-of", "2026-03-02"]):
            self.assertEqual(self.refuse(1, "events", *words, "--owner", "user_none", *self.service()),
                             "There is no user user_none.\n")
            self.assertEqual(self.ask("events", *words, "--owner", "user_new"), "")
        for words in (["--type", "none"], ["--partition", "1"]):
            self.assertEqual(self.ask("events", "export", *words, "--owner", "user_erased"), "")
        self.fake.cut_after = 0
        self.assertIn("broke off", self.refuse(1, "events", "export", "--type", "none", "--owner", "user_erased", *self.service()))

    def test_every_filter_reaches_the_service(self):
        self.ask("events", "export", "--owner", "user_b", "--type", "tilth.task.*", "--since", "2026-01-01", "--until",
                 "2027-01-01T00:00:00+01:00", "--partition", "2", "--from", "1", "--to", "2", "--limit", "9")
        asked = next(query for _, path, query, _ in self.fake.requests if path == "/operator/v1/events")
        self.assertEqual(asked, {
            "owner": "user_b", "type": "tilth.task.*", "since": "2026-01-01", "until": "2027-01-01T00:00:00+01:00",
            "partition": "2", "from": "1", "to": "2", "limit": "9"})

    def test_an_export_that_breaks_off_is_resumed_without_gap_or_repeat(self):
        out = self.directory / "out"
        for cut in range(9):
            with self.subTest(cut=cut):
                out.unlink(missing_ok=True)
                self.fake.cut_after = cut if cut < 8 else None
                ran = self.run_tilth("events", "export", "--output", "out", *self.service())
                self.assertEqual(ran.returncode, 1 if cut < 8 else 0)
                self.assertEqual(out.read_text(), "".join(line + "\n" for line in self.fake.select({})[:cut]))
                self.fake.cut_after = None
                self.ask("events", "export", "--output", "out", "--resume")
                self.assertEqual(out.read_text(), self.lines())

    def test_a_torn_last_line_is_cut_off(self):
        out = self.directory / "out"
        whole = self.lines().encode()
        for length in (0, 1, 250, whole.index(b"\n"), whole.index(b"\n") + 1, len(whole) - 1, len(whole)):
            with self.subTest(length=length):
                out.write_bytes(whole[:length])
                self.ask("events", "export", "--output", "out", "--resume")
                self.assertEqual(out.read_bytes(), whole)

    def test_resuming_goes_on_with_what_came_since(self):
        self.ask("events", "export", "--output", "out", "--resume")
        self.fake.events[2].append(fake_operator.event(2, 3))
        self.ask("events", "export", "--output", "out", "--resume")
        self.assertEqual((self.directory / "out").read_text(), self.lines())

    def test_resuming_goes_on_in_every_partition(self):
        out = self.directory / "out"
        for indent in ({}, {"separators": (",", ":")}):  # the second as the service writes lines
            with self.subTest(**indent):
                self.ask("events", "export", "--output", "out")
                whole = "".join(json.dumps(json.loads(line), ensure_ascii=False, **indent) + "\n"
                                for line in out.read_text().splitlines())
                out.write_text(whole)
                new = [fake_operator.event(partition, len(self.fake.events[partition])) for partition in (0, 1, 2)]
                for event in new:
                    self.fake.events[event["partition"]].append(event)
                self.ask("events", "export", "--output", "out", "--resume")
                added = out.read_text().removeprefix(whole)
                self.assertEqual([json.loads(line) for line in added.splitlines()], new)

    def test_resuming_keeps_to_limit_partition_and_bounds(self):
        out = self.directory / "out"
        self.ask("events", "export", "--output", "out", "--limit", "2")
        self.ask("events", "export", "--output", "out", "--limit", "6", "--resume")
        self.assertEqual(out.read_text(), "".join(line + "\n" for line in self.fake.select({})[:6]))
        self.ask("events", "export", "--output", "out", "--limit", "6", "--resume")
        self.assertEqual(out.read_text().count("\n"), 6)
        self.ask("events", "export", "--output", "part", "--partition", "0", "--from", "1", "--to", "3")
        for to, count in (("3", 2), ("4", 3)):
            self.ask("events", "export", "--output", "part", "--partition", "0", "--from", "1", "--to", to, "--resume")
            self.assertEqual((self.directory / "part").read_text().count("\n"), count)
        self.refuse(1, "events", "export", "--output", "part", "--partition", "2", "--resume", *self.service())

    def test_an_export_that_is_refused_leaves_the_file_as_it_is(self):
        out = self.directory / "out"
        self.ask("events", "export", "--output", "out")
        self.refuse(1, "events", "export", "--output", "out", "--owner", "user_none", *self.service())
        self.fake.cut_after = 0
        self.refuse(1, "events", "export", "--output", "out", *self.service())
        self.assertEqual(out.read_text(), self.lines())
        self.fake.cut_after = None
        self.fake.users = [{"id": "user_new", "email": "new@example.org"}]
        self.ask("events", "export", "--output", "out", "--owner", "user_new")
        self.assertEqual(out.read_text(), "", "this is all that there is")
        self.ask("events", "export", "--output", "/dev/null")

    def test_an_export_is_resumed_only_with_the_same_filters(self):
        out = self.directory / "out"
        filters = ("--type", "tilth.task.created", "--since", "2026-01-01")
        self.ask("events", "export", "--output", "out", *filters)
        whole = out.read_text()
        for others in ((), ("--type", "tilth.farm.*", "--since", "2026-01-01"), (*filters, "--with-secrets")):
            self.assertEqual(self.refuse(1, "events", "export", "--output", "out", "--resume", *others, *self.service()),
                             "out was exported with --type tilth.task.created --since 2026-01-01T00:00:00.000Z: "
                             "resume it with the same, or export to another file.\n")
            self.assertEqual(out.read_text(), whole)
        self.ask("events", "export", "--output", "out", "--resume", *filters[:2], "--since", "2026-01-01T00:00:00Z")
        self.assertEqual(out.read_text(), whole)
        self.ask("events", "export", "--output", "out")
        self.assertFalse((self.directory / "out.filters").exists())
        self.assertIn("was exported with no filter",
                      self.refuse(1, "events", "export", "--output", "out", "--resume", *filters, *self.service()))
        self.ask("events", "export", "--output", "out", "--resume")

    def test_a_file_that_is_no_export_is_left_alone(self):
        for text in ("not an event\n", "not even a line", "{}", self.lines() + "not an event\n"):
            (self.directory / "out").write_text(text)
            self.assertIn("out", self.refuse(1, "events", "export", "--output", "out", "--resume", *self.service()))
            self.assertEqual((self.directory / "out").read_text(), text)
        self.refuse(1, "events", "export", "--output", "no/such/directory", *self.service())

    def test_the_export_of_another_log_is_left_alone(self):
        self.ask("events", "export", "--output", "out", "--partition", "0")
        text = (self.directory / "out").read_text() + '{"specversion": "1.0", "torn'
        (self.directory / "out").write_text(text)
        for others in ([fake_operator.event(0, n, owner="user_c") for n in range(9)], [fake_operator.event(0, 0)]):
            self.fake.events[0] = others
            self.assertIn("of another", self.refuse(1, "events", "export", "--output", "out", "--resume", *self.service()))
            self.assertEqual((self.directory / "out").read_text(), text)

    def test_an_export_is_resumed_when_the_person_of_its_last_event_has_been_erased(self):
        for entry in self.fake.events[2]:
            entry["streamversion"] = entry["offset"] + 1
        self.ask("events", "export", "--output", "out")
        text = (self.directory / "out").read_text()
        self.fake.events[2][-1]["data"] = {"title": None}  # as erasing leaves it
        self.fake.events[2].append(fake_operator.event(2, 3))
        self.ask("events", "export", "--output", "out", "--resume")
        self.assertEqual((self.directory / "out").read_text(), text + self.fake.select({})[-1] + "\n")

    def test_the_history_up_to_the_last_instant_is_the_whole_one(self):
        self.ask("events", "show", "--owner", "user_b", "--as-of", "9999-12-31T23:59:59.999Z")
        self.assertEqual(self.last_request()[2], {"owner": "user_b"})
        self.ask("events", "show", "--owner", "user_b", "--as-of", "9999-12-31T23:59:59.998Z")
        self.assertEqual(self.last_request()[2], {"owner": "user_b", "until": "9999-12-31T23:59:59.999Z"})

    def test_an_event_is_shown(self):
        wanted = fake_operator.event(2, 1)["id"]
        self.assertEqual(json.loads(self.ask("events", "show", wanted))["offset"], 1)
        self.assertIn("No event", self.refuse(1, "events", "show", wanted.replace("0000-7000", "0000-7001"),
                                              *self.service()))

    def test_an_owner_s_history_is_shown_as_of_a_time(self):
        shown = self.ask("events", "show", "--owner", "user_a", "--as-of", "2026-03-01T12:00:00Z")
        self.assertEqual(self.last_request()[2], {"owner": "user_a", "until": "2026-03-01T12:00:00.001Z"})
        self.assertEqual(shown, "".join(line + "\n" for line in self.fake.select(self.last_request()[2])))
        self.ask("events", "show", "--owner", "user_a")
        self.assertEqual(self.last_request()[2], {"owner": "user_a"})

    def test_it_is_said_what_show_shows(self):
        for words in ([], ["--as-of", "2026-03-01"], ["an-id", "--owner", "user_a", "--as-of", "2026-03-01"],
                      ["--owner", "user_a", "--as-of", "yesterday"]):
            self.refuse(2, "events", "show", *words, *self.service())

    def test_tail_shows_what_comes_after_the_ends(self):
        answered = threading.Event()
        select = self.fake.select

        def select_new(query):
            """New events arrive once all partitions are followed."""
            asked = [request[2] for request in self.fake.requests if request[2].get("follow")]
            if len(asked) == 3:
                answered.set()
            answered.wait(20)
            new = {"0": fake_operator.event(0, 5), "2": fake_operator.event(2, 3)}.get(query["partition"])
            return select(query) + ([json.dumps(new)] if new else [])

        self.fake.select = select_new
        shown = [json.loads(line) for line in self.ask("events", "tail", "--type", "tilth.task.created", "--limit", "2").splitlines()]
        self.assertEqual(sorted((entry["partition"], entry["offset"]) for entry in shown), [(0, 5), (2, 3)])
        asked = [request[2] for request in self.fake.requests if "follow" in request[2]]
        self.assertEqual({(query["partition"], query["from"]) for query in asked}, {("0", "5"), ("1", "0"), ("2", "3")})

    def test_tail_since_a_time_begins_there(self):
        self.assertEqual(self.ask("events", "tail", "--since", "2026-01-01", "--limit", "8").count("\n"), 8)
        self.assertNotIn("from", self.last_request()[2])

    def test_a_tail_that_the_service_ends_fails(self):
        ran = self.run_tilth("events", "tail", "--since", "2026-01-01", "--limit", "9", *self.service())
        self.assertEqual((ran.returncode, ran.stdout.count("\n")), (1, 8))
        self.assertIn("The service has ended the stream", ran.stderr)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Runs the real `tilth` as an operator would, against a stand-in for the service."""
import json
import os
import pathlib
import pty
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

import fake_operator
from command_line import TILTH, CommandLine as Case


class CommandLine(Case):

    # What holds for every command.

    def commands(self):
        """Every command's words, as the help of each group lists them."""
        def listed(*words):
            text = self.run_tilth(*words, "--help").stdout
            if "Subcommands:" not in text:
                return [words]
            names = [line.split()[0] for line in text.split("Subcommands:\n")[1].split("\n\n")[0].splitlines()
                     if line.startswith("  ") and not line.startswith("   ")]
            own = [words] if "[SUBCOMMAND]" in text else []  # it does something without one, too
            return own + [found for name in names for found in listed(*words, name)]
        return listed()

    def test_every_command_has_help_with_an_example(self):
        commands = self.commands()
        self.assertIn(("users", "add"), commands)
        self.assertIn(("serve",), commands)
        self.assertGreaterEqual(len(commands), 17)
        for words in commands:
            ran = self.run_tilth(*words, "--help")
            self.assertEqual((ran.returncode, ran.stderr), (0, ""), words)
            self.assertIn("Example:\n  ", ran.stdout)
            self.assertIn("tilth " + " ".join(words), ran.stdout.split("Example:")[1])
            if words != ("serve",):  # which returns no data
                self.assertIn("--json", ran.stdout, words)

    def test_help_and_version_are_words_too(self):
        for words in ((), ("users",), ("users", "add")):
            self.assertEqual(self.run_tilth("help", *words).stdout, self.run_tilth(*words, "--help").stdout)
        self.assertEqual(self.run_tilth("version").stdout, self.run_tilth("--version").stdout)

    def test_a_group_alone_says_where_its_commands_are(self):
        self.assertEqual(self.refuse(2, "users"), "A command is missing: `tilth users --help` lists them.\n")
        self.assertIn("'users fly'", self.refuse(2, "users", "fly"))
        page = self.run_tilth("man", "users").stdout
        for words in self.commands():
            self.assertEqual(words[0] == "users", "tilth\\-" + "\\-".join(words) in page, words)

    def test_a_word_that_is_almost_a_command_or_a_flag_names_it(self):
        for words, is_said in ((["statsu"], "There is no command 'statsu'; there is 'status'.\n"),
                               (["user", "list"], "There is no command 'user'; there is 'users'.\n"),
                               (["projections", "rebiuld", "registry"],
                                "There is no command 'projections rebiuld'; there is 'projections rebuild'.\n"),
                               (["help", "staus"], "There is no command 'staus'; there is 'status'.\n"),
                               (["status", "--josn"], "There is no flag --josn; there is --json.\n"),
                               (["users", "show", "ada", "--tokenfile=x"],
                                "There is no flag --tokenfile; there is --token-file.\n"),
                               (["events", "export", "--ouput", "file"], "There is no flag --ouput; there is --output.\n")):
            self.assertEqual(self.refuse(2, *words), is_said)
        for words, is_said in ((["log", "clock"], "There is no command 'log clock': `tilth --help` lists them.\n"),
                               (["status", "--frob"], "The following argument was not expected: --frob.\n"),
                               (["status", "--output", "file"],
                                "The following arguments were not expected: --output file.\n")):
            self.assertEqual(self.refuse(2, *words), is_said)

    def test_every_group_has_help_with_an_example(self):
        for group in sorted({words[0] for words in self.commands() if len(words) > 1}):
            shown = self.run_tilth(group, "--help").stdout
            self.assertIn(f"tilth {group} ", shown.split("Example:\n")[1])

    def test_a_switch_may_be_said_to_be_on(self):
        self.assertEqual(self.ask("users", "list", "--json=true"), self.ask("users", "list", "--json"))

    def test_tilth_alone_shows_its_help(self):
        self.assertEqual(self.run_tilth().stdout, self.run_tilth("--help").stdout)
        self.assertEqual((self.run_tilth().returncode, self.run_tilth().stderr), (0, ""))

    def test_a_variable_that_is_no_setting_is_refused_by_name(self):
        for words in (["serve"], ["config", "check"]):
            self.assertIn("TILTH_LISTNE", self.refuse(1, *words, environment={"TILTH_LISTNE": "127.0.0.1:0"}))
        theirs = {"TILTH_SERVICE_HOST": "10.0.0.1", "TILTH_PORT_8080_TCP_ADDR": "10.0.0.1"}  # Kubernetes sets these
        shown = self.run_tilth("config", "check", environment=theirs | {"TILTH_TOPIC": "farm.events",
                                                                        "TILTH_OPERATOR": self.fake.url})
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))

    def test_wrong_usage_is_2_and_asks_no_service(self):
        for words in (["frob"], ["users"], ["users", "frob"], ["users", "add"], ["users", "add", "--plan", "seed"],
                      ["users", "list", "extra"], ["users", "list", "--frob"], ["users", "show"],
                      ["users", "list", "--email"], ["users", "list", "--email", "a", "--email", "b"],
                      ["users", "set", "user_0"], ["users", "disable"], ["users", "enable", "a", "b"], ["keys", "list"],
                      ["sessions", "end"], ["sessions", "end", "session_0", "--user", "user_0"], ["sessions", "list", "x"], ["requests"], ["requests", "user_0"], ["keys", "revoke", "--user", "u"],
                      ["keys", "mint", "--user", "u", "--name", "n", "--scopes", "all", "--rate-limit", "many"],
                      ["keys", "mint", "--user", "u", "--name", "n", "--scopes", "all", "--rate-limit", "0"],
                      ["keys", "mint", "--user", "u", "--name", "n", "--scopes", "all", "--environment", "x"],
                      ["keys", "mint", "--user", "u", "--name", "n", "--scopes", "all", "--expires-at", "soon"],
                      ["keys", "mint", "--user", "u", "--name", "n", "--scopes", "all", "--allowed-ips", "1.2.3"],
                      ["clock", "advance"], ["clock", "advance", "24h"], ["clock", "advance", "P"],
                      ["events", "export", "--from", "1"], ["events", "export", "--resume"],
                      ["events", "export", "--partition", "-1"], ["events", "export", "--since", "then"],
                      ["events", "show"], ["status", "--operator", "127.0.0.1:8081"],
                      ["completion", "fishy"], ["serve", "--listen", "8080"], ["serve", "--roles", "cook"],
                      ["serve", "--log", "kafka"], ["config", "check", "--listen", "8080"],
                      ["--version=3"], ["--help=no"], ["users", "--help=no"], ["users", "list", "--help=no"],
                      ["users", "list", "--json=zz"], ["users", "list", "--json=false"], ["status", "--json=1"],
                      ["projections", "rebuild", "registry", "--wait=no"], ["config", "check", "--json=zz"],
                      ["config", "check", "--no-library=later"], ["serve", "--no-library=no"],
                      ["events", "export", "--output", "f", "--resume=false"],
                      ["backup", ""], ["users", "show", ""], ["keys", "list", "--user", ""], ["tables", "export", ""],
                      ["log", "archive", "--to", "", "--before", "5"], ["restore", "from", "--data", ""],
                      ["restore", "from", "--data", "to", "--archive", ""], ["man", "--directory", ""],
                      ["demo", "--api", ""], ["events", "export", "--output", ""], ["serve", "--data", ""],
                      ["help", "frob"], ["frob", "--help"]):
            with self.subTest(words=words):
                self.refuse(2, *words)
        self.assertEqual(self.fake.requests, [])

    def test_wrong_usage_says_what_is_wrong(self):
        self.assertIn("'users frob'", self.refuse(2, "users", "frob"))
        self.assertIn("--email is required", self.refuse(2, "users", "add", "--plan", "seed"))
        self.assertIn("PT24H", self.refuse(2, "clock", "advance", "24h"))
        self.assertIn("--listen must be HOST:PORT", self.refuse(2, "serve", "--listen", "8080"))
        self.assertIn("--json is a switch", self.refuse(2, "users", "list", "--json=zz"))
        self.assertIn("expected: --limit 5.", self.refuse(2, "users", "list", "--limit", "5"))
        self.assertIn("argument was not expected: more.", self.refuse(2, "users", "list", "more"))
        self.assertEqual(self.refuse(2, "backup", ""), "DIR must not be empty.\n")
        self.assertIn("--user must not be empty", self.refuse(2, "keys", "list", "--user", ""))
        self.assertIn("--user must not be empty", self.refuse(2, "keys", "list", "--user=", "--json"))
        self.assertIn("--data must be a directory", self.refuse(2, "config", "check", "--data=", "--no-library"))
        self.assertIn("'frob'", self.refuse(2, "help", "frob"))

    def test_a_working_directory_that_is_gone_is_1(self):
        gone = self.directory / "gone"
        gone.mkdir()
        script = 'cd "$1" && rmdir "$1" && exec "$2" serve --listen 127.0.0.1:0 --operator-listen 127.0.0.1:0'
        ran = subprocess.run(["sh", "-c", script, "sh", gone, TILTH], capture_output=True, text=True, timeout=60)
        self.assertEqual(ran.returncode, 1, ran)
        self.assertEqual(ran.stderr.count("\n"), 1, ran)

    def test_a_service_that_does_not_run_is_1(self):
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{unused.getsockname()[1]}"
            for words in (["status"], ["users", "list"], ["events", "tail"], ["clock", "advance", "PT1H"],
                          ["events", "export"]):
                said = self.refuse(1, *words, "--operator", url, "--token-file", str(self.token))
                self.assertIn(url, said)
                self.assertIn("tilth serve", said)

    def test_a_token_that_is_missing_or_wrong_is_1(self):
        self.assertIn("tilth-data/operator.token", self.refuse(1, "status", "--operator", self.fake.url))
        self.assertIn("none/operator.token", self.refuse(1, "status", "--operator", self.fake.url, "--data", "none"))
        self.token.write_text("another-token-0123456789")
        said = self.refuse(1, "status", *self.service())
        self.assertIn(str(self.token), said)
        self.assertNotIn("another-token", said)
        self.assertIn(str(self.token), self.refuse(1, "events", "export", *self.service()))

    def test_the_service_is_found_by_flag_then_environment_then_data_directory(self):
        self.assertEqual(self.run_tilth("status", "--operator", self.fake.url, "--data", ".").returncode, 0)
        environment = {"TILTH_OPERATOR": self.fake.url + "/", "TILTH_TOKEN_FILE": str(self.token)}
        self.assertEqual(self.run_tilth("status", environment=environment).returncode, 0)
        environment = {"TILTH_OPERATOR": "http://127.0.0.1:1", "TILTH_DATA": "."}
        self.assertEqual(self.run_tilth("status", "--operator", self.fake.url, environment=environment).returncode, 0)
        self.refuse(1, "status", environment=environment)

    def test_no_proxy_sees_the_token(self):
        self.ask("status", environment={"http_proxy": "http://127.0.0.1:1", "ALL_PROXY": "http://127.0.0.1:1"})

    def test_what_the_service_refuses_is_said_in_its_words(self):
        self.fake.answer_next = 400, {"error": "Invalid", "code": "VALIDATION_ERROR", "message": "The body is not valid.",
                                      "details": {"plan": ["must be one of seed, summit"], "email": ["too long", "odd"]}}
        said = self.refuse(1, "users", "add", "--email", "a@b.c", "--plan", "x", *self.service())
        self.assertEqual(said, "The body is not valid (plan: must be one of seed, summit; email: too long, odd).\n")
        self.fake.answer_next = 503, {"error": "Unavailable"}
        self.assertEqual(self.refuse(1, "status", *self.service()), "Unavailable.\n")
        self.fake.answer_next = 502, ["no", "body", "of ours"]
        self.assertIn("502", self.refuse(1, "status", *self.service()))

    def test_output_that_cannot_be_written_is_1(self):
        with open("/dev/full", "w") as full:
            for words in (["status"], ["users", "list", "--json"], ["events", "export"], ["man"]):
                service = [] if words == ["man"] else self.service()
                ran = subprocess.run([TILTH, *words, *service], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
                self.assertEqual(ran.returncode, 1, words)
                self.assertIn("No space left", ran.stderr)

    # The commands.

    def test_status_is_a_table_or_the_answer_itself(self):
        lines = [line.split() for line in self.ask("status").splitlines()]
        self.assertIn(["node", "tilth-fake"], lines)
        self.assertIn(["roles", "command,query"], lines)
        self.assertIn(["log", "embedded"], lines)
        self.assertIn(["2", "0", "3"], lines)
        self.assertIn(["registry", "3", "running", "0", "0", "0", "-", "-"], lines)
        self.assertIn(["registry", "(building)", "4", "rebuilding", "7", "-", "48248.1", "34", "-"], lines)
        self.assertEqual(json.loads(self.ask("status", "--json")), {"data": self.fake.status()})

    def test_status_may_be_a_check(self):
        ran = self.run_tilth("status", "--check", *self.service())
        self.assertEqual((ran.returncode, ran.stderr), (1, "The projection access is faulted: event 4 is poison.\n"))
        self.assertIn("registry (building)", ran.stdout)
        ran = self.run_tilth("status", "--wait", *self.service())
        self.assertEqual((ran.returncode, len(self.fake.requests)), (1, 2), "what is faulted is not waited for")
        self.refuse(2, "status", "--watch", "--wait", *self.service())
        status = self.fake.status()
        status["projections"][1].update(state="paused", reason="An operator has paused it.")
        self.fake.status = lambda: status
        ran = self.run_tilth("status", "--check", *self.service())
        self.assertEqual(ran.stderr, "The projection access is paused: An operator has paused it.\n")
        status["projections"][1].update(state="running", reason=None)
        self.assertEqual(self.ask("status", "--check"), self.ask("status"))
        status["log"]["reason"] = "No space left on device."
        self.assertEqual(self.run_tilth("status", "--check", *self.service()).stderr, "No space left on device.\n")

    def test_status_waits_until_the_service_is_ready(self):
        sound, asked = self.fake.status(), []
        sound["projections"] = [{**sound["projections"][0], "building": None}]

        def status():
            asked.append(1)
            state = "catching_up" if len(asked) < 3 else "running"
            return {**sound, "ready": len(asked) > 4, "projections": [{**sound["projections"][0], "state": state}]}

        self.fake.status = status
        ran = self.run_tilth("status", "--check", *self.service())
        self.assertEqual((ran.returncode, ran.stderr), (1, "The projection registry is catching_up.\n"))
        self.assertIn("running", self.ask("status", "--wait"))
        self.assertEqual(len(asked), 5)
        asked[:] = [1] * 3
        ran = self.run_tilth("status", "--check", *self.service())
        self.assertEqual((ran.returncode, ran.stderr), (1, "The service is not ready yet.\n"))
        sound["waitsFor"] = "tilth.usage"
        asked[:] = [1] * 3
        ran = self.run_tilth("status", "--check", *self.service())
        self.assertEqual((ran.returncode, ran.stderr),
                         (1, "The node waits for tilth.usage: it cannot read what other nodes count there.\n"))
        self.assertIn("tilth.usage", ran.stdout)

    def test_status_waits_for_a_service_that_is_still_starting(self):
        status = self.fake.status()
        status["projections"] = [{**status["projections"][0], "building": None}]
        with socket.socket() as taken:  # a port that refuses connections until it listens
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            taken.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{taken.getsockname()[1]}"
            with subprocess.Popen([TILTH, "status", "--wait", "--operator", url, "--token-file", str(self.token)],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as waiting:
                with self.assertRaises(subprocess.TimeoutExpired):
                    waiting.wait(3)
                taken.listen()
                connection = taken.accept()[0]
                with connection:
                    connection.recv(4096)
                    body = json.dumps({"data": status}).encode()
                    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                                       b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
                    out, err = waiting.communicate(timeout=20)
                self.assertEqual((waiting.returncode, err), (0, ""))
                self.assertIn("running", out)

    def test_status_is_watched_until_nobody_looks(self):
        with subprocess.Popen([TILTH, "status", "--watch", *self.service()], stdout=subprocess.PIPE, text=True,
                              cwd=self.directory) as watching:
            for line in watching.stdout:
                if len(self.fake.requests) > 1 and line.startswith("node"):
                    break
            watching.stdout.close()
            self.assertIn(watching.wait(20), (0, -13))

    def test_status_names_topic_brokers_and_other_nodes(self):
        status = self.fake.status()
        status["log"] |= {"kind": "kafka", "topic": "farm.events", "brokers": ["a:9092", "b:9092"], "otherNodes": True}
        self.fake.status = lambda: status
        lines = [line.split() for line in self.ask("status").splitlines()]
        for line in (["log", "kafka"], ["topic", "farm.events"], ["brokers", "a:9092,b:9092"], ["otherNodes", "true"]):
            self.assertIn(line, lines)
        self.assertNotIn("tilth-other", self.ask("status"))
        status["nodes"] = self.fake.nodes()
        self.assertIn(self.ask("nodes"), self.ask("status"))

    def test_nodes_are_listed(self):
        table = self.ask("nodes")
        lines = [line.split() for line in table.splitlines()]
        heard = "2026-03-01T06:30:00.000Z"
        self.assertIn(["tilth-fake", "(this", "one)", "live", "0.1.0", "a:8080", "a:8081", "1", "0", heard, "-"], lines)
        self.assertIn(["tilth-other", "starting", "0.1.0", "b:8080", "a:8081", "1", "-", heard, *"Its clock is 2.5 s behind. "
                       "It runs another version, 0.1.0.".split()], lines)
        self.assertEqual([lines[3][1], len(lines)], ["dead", 4])
        nodes = self.fake.nodes()
        nodes[1]["stopped"] = ["market"]
        self.fake.nodes = lambda: nodes
        self.assertRegex(self.ask("nodes"), r"tilth-other +not ready ")
        self.assertNotIn("\x1b", table)
        self.assertEqual(json.loads(self.ask("nodes", "--json")), {"data": self.fake.nodes()})

    def test_a_node_is_drained(self):
        nodes = self.fake.nodes()
        asked = []

        def fewer():
            asked.append(1)
            nodes[1]["partitions"] = nodes[0]["partitions"] if len(asked) < 3 else []
            return nodes
        self.fake.nodes = fewer
        self.assertEqual(self.ask("nodes", "drain", "tilth-other"), "tilth-other holds nothing any more and may be stopped.\n")
        self.assertEqual((self.fake.drained, len(asked)), (["tilth-other"], 3))
        self.assertIn("There is no node tilth-none.", self.refuse(1, "nodes", "drain", "tilth-none", *self.service()))

    def test_a_drain_that_no_node_could_end_is_not_waited_for(self):
        nodes = self.fake.nodes()
        for node in nodes:
            node["draining"] = True
        nodes[1]["partitions"] = nodes[0]["partitions"]
        self.fake.nodes = lambda: nodes
        self.assertIn("All nodes that live drain, so tilth-other keeps what it holds.",
                      self.refuse(1, "nodes", "drain", "tilth-other", *self.service()))

    def test_projections_are_listed(self):
        table = self.ask("projections", "list").splitlines()
        building, = [line for line in table if line.startswith("registry (building)")]
        self.assertEqual(building.split()[-3:], ["48248.1", "34", "-"])  # as a person reads them
        self.assertEqual(len(table), 4)
        self.assertTrue(table[3].endswith("event 4 is poison"))
        self.assertEqual(json.loads(self.ask("projections", "list", "--json"))["data"], self.fake.status()["projections"])

    def test_a_generation_that_is_kept_is_listed(self):
        """Its files take space until it is released."""
        status = self.fake.status()
        status["projections"][0]["previous"], status["projections"][1]["previous"] = 2, None
        self.fake.status = lambda: status
        lines = [line.split() for line in self.ask("projections", "list").splitlines()]
        self.assertEqual(len(lines), 5)
        self.assertIn(["registry", "(previous)", "2", *"------"], lines)

    def test_a_user_is_added_shown_and_set(self):
        (self.directory / "password").write_text("secret-secret\n\n")
        table = self.ask("users", "add", "--email", "ada@example.org", "--plan", "seed", "--name", "Ada Lö",
                         "--password-file", "password")
        self.assertEqual(self.last_request()[3], {"email": "ada@example.org", "plan": "seed", "name": "Ada Lö",
                                                  "password": "secret-secret\n"})
        self.assertIn(["plan", "seed"], [line.split() for line in table.splitlines()])
        self.assertIn("ada@example.org", self.ask("users", "show", "user_0"))
        self.assertIn("user_0", self.ask("users", "show", "ada@example.org"))
        answer = json.loads(self.ask("users", "set", "user_0", "--plan", "grove", "--json"))
        self.assertEqual(answer["data"]["plan"], "grove")
        self.assertEqual(self.last_request(), ("PUT", "/operator/v1/users/user_0", {}, {"plan": "grove"}))
        self.ask("users", "set", "ada@example.org", "--password-file", "-", stdin="another-secret\n")
        self.assertEqual(self.last_request()[3], {"password": "another-secret"})

    def test_a_user_is_disabled_and_enabled(self):
        self.ask("users", "add", "--email", "ada@example.org", "--plan", "seed")
        self.assertIn("2026-03-01", self.ask("users", "disable", "ada@example.org").split("disabledAt")[1])
        self.assertEqual(self.last_request(), ("POST", "/operator/v1/users/user_0/disable", {}, None))
        self.assertIn("2026-03-01T06:30:00.000Z  2026", self.ask("users", "list"))
        self.assertNotIn("disabledAt", json.loads(self.ask("users", "enable", "user_0", "--json"))["data"])

    def test_sessions_are_listed_and_ended(self):
        self.ask("users", "add", "--email", "ada@example.org", "--plan", "seed")
        self.fake.sessions = [{"id": f"session_{number}", "userId": f"user_{number // 2}", "method": "password",
                               "createdAt": "2026-03-01T06:30:00.000Z", "lastSeenAt": "2026-03-01T06:30:00.000Z",
                               "expiresAt": "2026-03-01T18:30:00.000Z", "address": "192.0.2.1",
                               "browser": "\x1b[2JPalm"} for number in range(4)]
        self.assertEqual(len(self.ask("sessions", "list").splitlines()), 5)
        table = self.ask("sessions", "list", "--user", "ada@example.org")
        self.assertIn("session_1", table)
        self.assertNotIn("session_2", table)
        self.assertNotIn("\x1b", table)
        self.assertEqual(self.ask("sessions", "end", "session_3"), "Ended 1 session.\n")
        self.assertEqual(self.refuse(1, "sessions", "end", "session_3", *self.service()), "No such session.\n")
        self.assertEqual(self.ask("sessions", "end", "--user", "ada@example.org"), "Ended 2 sessions.\n")
        self.assertEqual(json.loads(self.ask("sessions", "end", "session_2", "--json")), {"data": {"ended": 1}})
        self.assertEqual(self.fake.sessions, [])

    def test_an_operator_is_added_listed_set_rotated_and_removed(self):
        ran = self.run_tilth("operators", "add", "amina", "--role", "operate", *self.service())
        self.assertEqual((ran.returncode, ran.stdout), (0, "svc_operator_" + "a" * 48 + "\n"))
        self.assertEqual(ran.stderr, "This is the token of amina, who may operate; it is shown only this once.\n")
        self.assertEqual(self.last_request(), ("POST", "/operator/v1/operators", {}, {"name": "amina", "role": "operate"}))
        self.refuse(2, "operators", "add", "omar", "--role", "all", *self.service())
        self.refuse(2, "operators", "add", "omar", *self.service())
        self.assertEqual(self.ask("operators", "set", "amina", "--role", "read"), "amina has the role read.\n")
        self.assertEqual(self.last_request(), ("PUT", "/operator/v1/operators/amina", {}, {"role": "read"}))
        rotated = json.loads(self.ask("operators", "rotate", "amina", "--json"))
        self.assertEqual(rotated["data"]["token"], "svc_operator_" + "b" * 48)
        self.assertEqual(self.ask("operators", "remove", "amina"), "Removed amina.\n")
        table = self.ask("operators", "list")
        self.assertIn("amina", table)
        self.assertIn("2026-03-02T06:30:00.000Z", table)
        self.assertNotIn("svc_operator_", table)
        self.assertEqual(json.loads(self.ask("operators", "list", "--json"))["data"], self.fake.operators)
        self.assertEqual(self.refuse(1, "operators", "remove", "omar", *self.service()), "There is no such operator.\n")

    def test_the_audit_trail_is_listed(self):
        self.fake.audit = [{"id": "1", "operator": name, "role": "operate", "action": "Stand still", "method": "POST",
                            "target": "/operator/v1/projections/\x1b[2J/pause", "created": None, "status": 200,
                            "requestId": "r", "address": "192.0.2.7", "at": "2026-03-01T06:30:00.000Z"}
                           for name in ("amina", "omar")]
        table = self.ask("audit")
        self.assertEqual(len(table.splitlines()), 3)
        self.assertNotIn("\x1b", table)
        since = "2026-03-01T00:00:00Z"
        self.assertEqual(len(json.loads(self.ask("audit", "--since", since, "--by", "amina", "--json"))["data"]), 1)
        asked = self.last_request()[2]
        self.assertEqual((asked["since"], asked["operator"]), (since, "amina"))
        self.refuse(2, "audit", "--since", "yesterday", *self.service())

    def test_requests_of_a_user_are_listed(self):
        self.ask("users", "add", "--email", "ada@example.org", "--plan", "seed")
        self.fake.request_log = [{"time": "2026-03-01T06:30:00.000Z", "method": "GET", "path": f"/api/v1/farms/{status}",
                               "status": status, "durationMs": 3, "requestId": "\x1b[2Jid", "keyId": "key_1",
                               "address": "192.0.2.1", "idempotentReplayed": False} for status in (200, 404)]
        table = self.ask("requests", "--user", "ada@example.org", "--status", "4xx", "--path", "/api/v1/farms?")
        self.assertIn("/api/v1/farms/404", table)
        self.assertNotIn("\x1b", table)
        self.assertEqual(self.fake.request_log_query["status"], "4xx")
        self.assertEqual(self.fake.request_log_query["path"], "/api/v1/farms?")
        self.assertEqual(len(json.loads(self.ask("requests", "--user", "user_0", "--json"))["data"]), 2)

    def test_a_user_or_password_file_that_is_not_there_is_1(self):
        self.assertEqual(self.refuse(1, "users", "show", "user_9", *self.service()), "No such user.\n")
        self.assertIn("b@c.d", self.refuse(1, "users", "show", "b@c.d", *self.service()))
        self.assertIn("nowhere", self.refuse(1, "users", "add", "--email", "a@b.c", "--plan", "seed",
                                             "--password-file", "nowhere", *self.service()))
        self.refuse(1, "users", "show", "a/../b?c", *self.service())
        self.assertEqual(self.last_request()[1], "/operator/v1/users/a%2F..%2Fb%3Fc")

    def test_lists_are_read_page_by_page(self):
        self.assertEqual(len(self.ask("users", "list").splitlines()), 1)
        self.assertEqual(json.loads(self.ask("users", "list", "--json"))["data"], [])
        for number in range(5):
            self.ask("users", "add", "--email", f"u{number}@example.org", "--plan", "seed")
        self.assertEqual(len(self.ask("users", "list").splitlines()), 6)
        answer = json.loads(self.ask("users", "list", "--json"))
        self.assertEqual(answer["data"], self.fake.users)
        self.assertEqual(answer["pagination"], {"page": 1, "limit": 5, "total": 5, "totalPages": 1})
        self.assertEqual(len(json.loads(self.ask("users", "list", "--email", "u3@example.org", "--json"))["data"]), 1)

    def test_a_table_is_safe_and_straight(self):
        for name in ("Zoë", "\x1b[2J\nX", "A\u202edeeS", "\u2066A", "\x9b2J"):
            self.ask("users", "add", "--email", "a@b.c", "--plan", "seed", "--name", name)
        lines = self.ask("users", "list").splitlines()
        self.assertEqual(len(lines), 6)
        self.assertFalse({"\x1b", "\x9b", "\u202e", "\u2066"} & set("".join(lines)))
        self.assertEqual({line.index("seed") for line in lines[1:]}, {lines[0].index("PLAN")})

    def test_a_key_is_minted_listed_and_revoked(self):
        self.ask("users", "add", "--email", "ada@example.org", "--plan", "seed")
        ran = self.run_tilth("keys", "mint", "--user", "ada@example.org", "--name", "sync", "--scopes",
                             "farms:read,tasks:write", "--environment", "test", "--rate-limit", "50", "--expires-at",
                             "2027-01-01", "--allowed-ips", "10.0.0.0/8,::1", *self.service())
        self.assertEqual((ran.returncode, ran.stdout), (0, "svc_live_" + "a" * 48 + "\n"))
        self.assertIn("key_0", ran.stderr)
        self.assertEqual(self.last_request(), (
            "POST", "/operator/v1/users/user_0/api-keys", {},
            {"name": "sync", "scopes": ["farms:read", "tasks:write"], "environment": "test", "rateLimit": 50,
             "expiresAt": "2027-01-01", "allowedIps": ["10.0.0.0/8", "::1"]}))
        answer = json.loads(self.ask("keys", "mint", "--user", "user_0", "--name", "b", "--scopes", "all", "--json"))
        self.assertEqual(answer["data"]["key"], "svc_live_" + "a" * 48)
        self.assertEqual(self.last_request()[3], {"name": "b", "scopes": ["all"]})
        self.assertIn("Revoked key_0", self.ask("keys", "revoke", "--user", "user_0", "key_0"))
        self.assertEqual(json.loads(self.ask("keys", "revoke", "--user", "user_0", "key_1", "--json")),
                         {"data": {"id": "key_1"}})
        self.assertEqual(self.refuse(1, "keys", "revoke", "--user", "user_0", "key_0", *self.service()),
                         "No such key.\n")
        table = self.ask("keys", "list", "--user", "user_0")
        self.assertIn("farms:read,tasks:write", table)
        self.assertIn("2026-03-02T00:00:00.000Z", table)
        self.assertNotIn("svc_live_aaaaa", table)
        self.assertEqual(json.loads(self.ask("keys", "list", "--user", "user_0", "--json"))["data"], self.fake.keys)

    def test_the_clock_is_advanced(self):
        self.assertEqual(self.ask("clock", "advance", "P1M"), "It is now 2026-04-01T00:00:00.000Z.\n")
        self.assertEqual(self.last_request(), ("POST", "/operator/v1/clock", {}, {"advance": "P1M"}))
        self.assertEqual(json.loads(self.ask("clock", "advance", "PT1S", "--json"))["data"]["now"],
                         "2026-04-01T00:00:00.000Z")

    def test_the_library_is_imported_from_a_file_or_stdin(self):
        document = {"crops": [{"name": "A\u00e7a\u00ed"}, {"name": "Teff"}]}
        (self.directory / "crops.json").write_text(json.dumps(document))
        said = "The document has 2 crops and 3 varieties; 1 crop has changed.\n"
        self.assertEqual(self.ask("library", "import", "crops.json"), said)
        self.assertEqual(self.last_request(), ("POST", "/operator/v1/library", {}, document))
        self.assertEqual(self.ask("library", "import", "-", stdin=json.dumps(document)), said)
        answer = json.loads(self.ask("library", "import", "crops.json", "--json"))
        self.assertEqual(answer, {"data": {"crops": 2, "varieties": 3, "changed": 1}})
        self.assertIn("missing.json", self.refuse(1, "library", "import", "missing.json", *self.service()))

    def test_the_library_is_exported_as_it_stands(self):
        exported = self.ask("library", "export")
        self.assertEqual(json.loads(exported)["crops"][0]["kcMid"], 1.15)
        self.assertEqual(self.ask("library", "export", "--output", "crops.json"), "")
        self.assertEqual((self.directory / "crops.json").read_text(), exported)

    # Configuration, completion, the manual.

    def test_config_check_says_where_each_value_comes_from(self):
        (self.directory / "tilth.toml").write_text('topic = "of.the.file"\n[plans.gold]\nrequests_per_hour = 9\n'
                                                   'farms = "unlimited"\nai_requests_per_month = 1\n')
        ran = self.run_tilth("config", "check", "--config", "tilth.toml", "--listen", "127.0.0.1:1", "--json",
                             environment={"TILTH_OPERATOR_LISTEN": "127.0.0.1:2"})
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        lines = {line["name"]: (line["value"], line["source"]) for line in json.loads(ran.stdout)["data"]}
        self.assertEqual(lines["listen"], ("127.0.0.1:1", "--listen"))
        self.assertEqual(lines["operator_listen"], ("127.0.0.1:2", "TILTH_OPERATOR_LISTEN"))
        self.assertEqual(lines["topic"], ("of.the.file", "tilth.toml"))
        self.assertEqual(lines["plans.gold.farms"], ("unlimited", "tilth.toml"))
        self.assertEqual(lines["data"], ("./tilth-data", "default"))
        table = [line.split() for line in self.run_tilth("config", "check", "--no-library").stdout.splitlines()]
        self.assertIn(["no_library", "true", "--no-library"], table)

    def test_json_is_utf_8_whatever_a_path_is(self):
        (self.directory / os.fsdecode(b"\xff.toml")).write_text('data = "farm"\n')
        for setting, flags in (("data", ["--data", os.fsdecode(b"farm\xff")]),
                               ("data", ["--config", os.fsdecode(b"\xff.toml")])):
            ran = self.run_tilth("config", "check", "--json", *flags)
            self.assertEqual((ran.returncode, ran.stderr), (0, ""))
            line = next(line for line in json.loads(ran.stdout)["data"] if line["name"] == setting)
            self.assertIn("?", line["value"] + line["source"])
        ran = self.run_tilth("man", "--json", "--directory", os.fsdecode(b"\xff"))
        self.assertTrue(json.loads(ran.stdout)["data"]["directory"].endswith("?"))

    def test_config_check_warns_of_an_operator_port_that_others_may_reach(self):
        for flags, warned in ((["--operator-listen", "0.0.0.0:8081"], True), ([], False)):
            ran = self.run_tilth("config", "check", *flags)
            self.assertEqual((ran.returncode, "0.0.0.0:8081" in ran.stderr), (0, warned))
            warnings = json.loads(self.run_tilth("config", "check", "--json", *flags).stdout)["warnings"]
            self.assertEqual(len(warnings), int(warned))

    def test_a_wrong_file_is_1_for_check_and_serve(self):
        (self.directory / "tilth.toml").write_text("[limits]\nmax_body = 1\n")
        for words in (["config", "check"], ["serve"]):
            self.assertIn("limits.max_body", self.refuse(1, *words, "--config", "tilth.toml"))
            self.assertIn("none.toml", self.refuse(1, *words, "--config", "none.toml"))
        self.assertEqual(sorted(path.name for path in self.directory.iterdir()), ["operator.token", "tilth.toml"])

    def test_the_man_page_names_every_command(self):
        page = self.run_tilth("man").stdout
        plain = page.replace("\\-", "-")
        self.assertTrue(page.startswith(".TH TILTH 1"))
        for words in self.commands():
            self.assertIn("tilth " + " ".join(words), plain)
            self.assertIn(f".BR tilth-{'-'.join(words)} (1)", plain)

    def test_every_command_has_a_man_page_with_what_its_help_says(self):
        for words in self.commands():
            plain = re.sub(r"\\f[BIR]", "", self.run_tilth("man", *words).stdout)
            for escaped, character in (("\\-", "-"), ("\\(aq", "'"), ("\\(ga", "`"), ("\\(ti", "~"), ("\\(ha", "^")):
                plain = plain.replace(escaped, character)
            shown = self.run_tilth(*words, "--help").stdout
            self.assertIn(f"\ntilth-{'-'.join(words)} - {shown.splitlines()[0]}\n", plain)
            for flag in re.findall(r"^  (--[a-z-]+)", shown, re.MULTILINE):
                self.assertIn(f".TP\n{flag}", plain, words)
            self.assertIn(shown.split("Example:\n  ")[1].strip(), plain)

    def test_the_man_page_of_a_command_that_there_is_not_is_refused(self):
        self.assertIn("'users fly'", self.refuse(2, "man", "users", "fly"))
        self.assertIn("--directory", self.refuse(2, "man", "users", "add", "--directory", "pages"))

    def test_all_man_pages_are_written_under_the_names_by_which_man_finds_them(self):
        (self.directory / "file").write_text("")
        self.assertIn("file/", self.refuse(1, "man", "--directory", "file"))
        ran = self.run_tilth("man", "--directory", "share/man1")
        pages = {path.name: path.read_text() for path in (self.directory / "share/man1").iterdir()}
        self.assertEqual((ran.returncode, ran.stdout), (0, f"{len(pages)} pages are in share/man1\n"))
        self.assertEqual(set(pages), {"tilth.1"} | {f"tilth-{'-'.join(words)}.1" for words in self.commands()})
        self.assertEqual(pages["tilth-users-add.1"], self.run_tilth("man", "users", "add").stdout)
        self.assertEqual(pages["tilth.1"], self.run_tilth("man").stdout)

    def test_troff_understands_every_man_page(self):
        if not shutil.which("groff"):
            self.skipTest("groff is not installed")
        self.run_tilth("man", "--directory", "pages")
        for page in sorted((self.directory / "pages").iterdir()):
            ran = subprocess.run(["groff", "-ww", "-man", "-Tutf8", page], capture_output=True, text=True, timeout=60)
            self.assertEqual((ran.returncode, ran.stderr), (0, ""), page)
            self.assertNotRegex(ran.stdout, "[\u2018\u2019\u02c6\u02dc]", page)  # which no shell takes

    def test_machines_get_the_man_page_and_the_completion_as_text_in_json(self):
        for words in (["man"], ["completion", "bash"]):
            told = json.loads(self.run_tilth(*words, "--json").stdout)
            self.assertEqual(told, {"data": {"text": self.run_tilth(*words).stdout}})

    def test_bash_completes_commands_flags_and_values(self):
        script = self.run_tilth("completion", "bash").stdout

        def complete(*words):
            given = " ".join(f"'{word}'" for word in words)
            code = f"{script}\nCOMP_WORDS=({given}); COMP_CWORD={len(words) - 1}; _tilth; echo \"${{COMPREPLY[@]}}\""
            ran = subprocess.run(["bash", "-c", code], capture_output=True, text=True, timeout=60, cwd=self.directory)
            self.assertEqual((ran.returncode, ran.stderr), (0, ""))
            return ran.stdout.split()

        self.assertEqual(complete("tilth", "us"), ["users"])
        self.assertEqual(complete("tilth", "users", ""), ["add", "disable", "enable", "erase", "export", "list", "set",
                                                             "show"])
        self.assertEqual(complete("tilth", "users", "add", "--pa"), ["--password-file"])
        self.assertEqual(complete("tilth", "keys", "mint", "--name", "x", "--environment", "t"), ["test"])
        self.assertEqual(complete("tilth", "users", "add", "--password-file", "operator.t"), ["operator.token"])
        self.assertEqual(complete("tilth", "completion", ""), ["--help", "--json", "bash", "fish", "zsh"])
        self.assertEqual(complete("tilth", "serve", "--log", ""), ["embedded", "kafka"])
        self.assertEqual(complete("tilth", "serve", "--log-level", "w"), ["warn"])
        self.assertEqual(complete("tilth", "serve", "--listen", ""), [], "an address is no file")
        self.assertEqual(complete("tilth", "events", "import", "op"), ["operator.token"])
        self.assertEqual(complete("tilth", "serve", "--roles", "command", "--oper"), ["--operator-hosts", "--operator-listen"])

    def test_zsh_completes_commands_flags_and_values(self):
        if not shutil.which("zsh"):
            self.skipTest("zsh is not installed")
        (self.directory / "_script").write_text(self.run_tilth("completion", "zsh").stdout)

        def complete(*words):
            # The completion system itself needs a terminal; its two primitives are replaced.
            code = ("compdef() { }; compadd() { shift; print -l -- $@ }; _files() { print FILES }; _message() { print NONE }\n"
                    f"source ./_script; words=({' '.join(words)} ''); CURRENT={len(words) + 1}; _tilth")
            ran = subprocess.run(["zsh", "-f", "-c", code], capture_output=True, text=True, timeout=60, cwd=self.directory)
            self.assertEqual((ran.returncode, ran.stderr), (0, ""))
            return ran.stdout.split()

        self.assertIn("users", complete("tilth"))
        self.assertEqual(complete("tilth", "users"), ["add", "disable", "enable", "erase", "export", "list", "set",
                                                             "show"])
        self.assertIn("--password-file", complete("tilth", "users", "add"))
        self.assertEqual(complete("tilth", "users", "add", "--password-file"), ["FILES"])
        self.assertEqual(complete("tilth", "serve", "--log"), ["embedded", "kafka"])
        self.assertEqual(complete("tilth", "serve", "--listen"), ["NONE"])
        self.assertEqual(complete("tilth", "events", "import")[-1], "FILES")

    def test_fish_completes_commands_flags_and_values(self):
        if not shutil.which("fish"):
            self.skipTest("fish is not installed")
        (self.directory / "script").write_text(self.run_tilth("completion", "fish").stdout)

        def complete(line):
            ran = subprocess.run(["fish", "--no-config", "-c", f"source script; complete -C '{line}'"], capture_output=True,
                                 text=True, timeout=60, cwd=self.directory)
            self.assertEqual((ran.returncode, ran.stderr), (0, ""))
            return [each.split("\t")[0] for each in ran.stdout.splitlines()]

        self.assertEqual(complete("tilth us"), ["users"])
        self.assertEqual(complete("tilth users "), ["add", "disable", "enable", "erase", "export", "list", "set",
                                                             "show"])
        self.assertEqual(complete("tilth users add --pa"), ["--password-file"])
        self.assertEqual(complete("tilth serve --log "), ["embedded", "kafka"])
        self.assertEqual(complete("tilth serve --listen "), [])
        self.assertEqual(complete("tilth events import op"), ["operator.token"])
        self.assertEqual(complete("tilth projections rebuild registry --switch m"), ["manual"])

    def test_people_at_a_terminal_get_events_in_short(self):
        ours, theirs = pty.openpty()
        with subprocess.Popen([TILTH, "events", "tail", "--since", "2026-01-01", "--limit", "1", *self.service()],
                              stdout=theirs, stderr=subprocess.PIPE, text=True) as ran:
            self.assertEqual(ran.stderr.read(), "")
            self.assertEqual(ran.wait(60), 0)
        os.close(theirs)
        shown = os.read(ours, 4096).decode()
        os.close(ours)
        self.assertEqual(shown.split()[:2], ["2026-03-01T06:30:00.000Z", "tilth.task.created"])
        self.assertIn(shown.split()[2], ["user_a", "user_b"])  # partitions are read concurrently

    def test_progress_is_for_terminals_only_and_wiped(self):
        lasting = threading.Event()
        route = self.fake.route

        def slow(*arguments):
            lasting.wait(20)
            route(*arguments)

        self.fake.route = slow
        ours, theirs = pty.openpty()
        with subprocess.Popen([TILTH, "clock", "advance", "PT1H", *self.service()], stdout=subprocess.PIPE,
                              stderr=theirs) as ran:
            shown = os.read(ours, 4096)
            lasting.set()
            self.assertEqual(ran.stdout.read(), b"It is now 2026-04-01T00:00:00.000Z.\n")
            self.assertEqual(ran.wait(60), 0)
        os.close(theirs)
        while not shown.endswith(b"\r\x1b[K"):
            shown += os.read(ours, 4096)
        os.close(ours)
        self.assertIn(b"Waiting for the service (", shown)


if __name__ == "__main__":
    unittest.main()

"""A person is erased: nothing that names them is left in any file, and all else stays as it was."""
import json
import re
import shutil
import threading
import random
import time

import pytest

from client import Client
from market import ask
from named_person import NAME, erase, events_of, files_with_words, owner, verified, wait_until_complete
from person import PASSWORD, Person, set_cookie
from service import BROKERS, DEADLINE, Service, refused, run

pytestmark = [pytest.mark.embedded_log, pytest.mark.skipif(bool(BROKERS), reason="the log is on Kafka")]


@pytest.fixture
def own(tmp_path):
    service = Service(tmp_path)
    yield service.start()
    service.kill()


def test_nothing_that_names_the_person_is_left_and_all_else_stays(own):
    neighbor = own.user()
    land = neighbor.land()
    person, user = owner(own)
    assert person.try_to_sign_in(headers=[("User-Agent", f"{NAME}'s browser")]).status == 200, "a second session"
    prices = ask(neighbor, "Japan")
    assert prices["data"], prices
    before = events_of(own, person.id)
    assert not files_with_words(own.data / "log"), "they are sealed"
    own.restart()  # what is only in memory is written
    neighbor, person2 = own.client_of(neighbor), Client(own.address, user.authorization)
    assert files_with_words(own.data), "the rows hold them"

    answer = erase(own, person.id)
    assert answer["id"] == person.id and answer["complete"] is True
    assert files_with_words(own.data) == []
    assert person2.get("/farms").status == 401
    person.move_to(own.address)
    assert person.ask("GET", "/api/me").status == 401
    refused(person.try_to_sign_in(), 401, "INVALID_CREDENTIALS")
    own.operate("GET", f"/operator/v1/users/{person.id}", status=404)
    assert neighbor.read(f"/farms/{land[0]['id']}") == land[0]
    assert ask(neighbor, "Japan") == prices

    for _ in range(2):
        after = events_of(own, person.id)
        kinds = [event["type"] for event in after]
        assert [event["type"] for event in before] == [kind for kind in kinds if not kind.endswith(".erased")]
        assert kinds.count("tilth.user.erased") == 1 and kinds.count("tilth.records.erased") == 1
        assert NAME.lower() not in json.dumps(after).lower()
        sale = next(event["data"] for event in after if event["type"] == "tilth.sale.recorded")
        assert (sale["totalAmount"], sale["saleDate"], sale["buyer"]) == ("200", "2026-02-20", None)
        assert verified(own) == [[], [], [], []]
        assert ask(neighbor, "Japan") == prices
        shutil.rmtree(own.data / "views")  # all is folded again
        own.restart()
        neighbor = own.client_of(neighbor)
    assert files_with_words(own.data) == []


def back_up(service, directory, owner_keys="included"):
    service.operate("POST", "/operator/v1/backup", {"directory": str(directory), "ownerKeys": owner_keys}, 201)


def test_a_backup_on_this_machine_forgets_the_person_too(own, tmp_path):
    neighbor = own.user()
    farm = neighbor.farm()
    person, user = owner(own)
    assert person.try_to_sign_in(headers=[("User-Agent", f"{NAME}'s browser")]).status == 200, "sessions stay out"
    key = f"owner-keys/{person.id}.key"
    for name in ("first", "second", "moved"):
        back_up(own, tmp_path / name)
        assert (tmp_path / name / key).exists() and files_with_words(tmp_path / name) == []
    back_up(own, tmp_path / "keys", "alone")
    (tmp_path / "moved").rename(tmp_path / "elsewhere")
    stuck = tmp_path / "second" / key
    stuck.unlink(), stuck.mkdir()
    answer = erase(own, person.id)
    assert answer["complete"] is False and str(stuck) in answer["left"]
    assert NAME.lower() not in json.dumps(events_of(own, person.id)).lower(), "from the log the person is erased"
    stuck.rmdir()
    assert erase(own, person.id) == {**answer, "complete": True, "left": None}
    for name in ("first", "second", "keys"):
        assert not (tmp_path / name / key).exists()
    assert (tmp_path / "elsewhere" / key).exists(), "it was taken away, and cannot be found"

    restored = Service(tmp_path / "restored")
    restored.directory.mkdir()
    done = run("restore", tmp_path / "first", "--data", restored.data)
    assert done.returncode == 0, done
    try:
        wait_until_complete(restored.start(), person.id)
        assert Client(restored.address, user.authorization).get("/farms").status == 401
        assert Client(restored.address, neighbor.authorization).read(f"/farms/{farm['id']}") == farm
        assert NAME.lower() not in json.dumps(events_of(restored, person.id)).lower()
    finally:
        restored.kill()
    assert files_with_words(restored.data) == []
    (tmp_path / "first" / "owner-keys" / f"{neighbor.id}.key").unlink()
    refusal = run("restore", tmp_path / "first", "--data", tmp_path / "none")
    assert refusal.returncode == 1 and f"{neighbor.id}.key" in refusal.stderr, "a key that was lost is not one destroyed"


def test_a_backup_without_keys_no_longer_names_the_person(own, tmp_path):
    neighbor = own.user()
    farm = neighbor.farm()
    person, user = owner(own)
    back_up(own, tmp_path / "copy", "left_out")
    assert files_with_words(tmp_path / "copy") == [] and not (tmp_path / "copy" / "owner-keys").exists()
    refusal = run("restore", tmp_path / "copy", "--data", tmp_path / "none")
    assert refusal.returncode == 1 and "--owner-keys" in refusal.stderr and refusal.stderr.count("\n") == 1, refusal
    assert not (tmp_path / "none").exists()
    erase(own, person.id)
    back_up(own, tmp_path / "keys", "alone")

    older = Service(tmp_path / "older")
    older.directory.mkdir()
    restored = run("restore", tmp_path / "copy", "--data", older.data, "--owner-keys", tmp_path / "keys")
    assert restored.returncode == 0, restored
    try:
        wait_until_complete(older.start(), person.id)
        done = older.operate("GET", f"/operator/v1/users/{person.id}/erasure").data
        assert done["id"] == person.id, "the older log learns of it"
        assert Client(older.address, user.authorization).get("/farms").status == 401
        assert Client(older.address, neighbor.authorization).read(f"/farms/{farm['id']}") == farm
        assert NAME.lower() not in json.dumps(events_of(older, person.id)).lower()
    finally:
        older.kill()
    assert files_with_words(older.data) == []


def test_a_restore_to_an_earlier_moment_with_older_keys_forgets_and_loses_nobody(own, tmp_path):
    neighbor = own.user()
    farm = neighbor.farm()
    person, user = owner(own)
    back_up(own, tmp_path / "keys", "alone")
    (tmp_path / "keys").rename(tmp_path / "old-keys")  # where no erasure finds them
    then = own.operate("GET", "/operator/v1/status").data["log"]["partitions"][0]["end"] - 1
    later = own.user()
    farm_of_later = later.farm()
    back_up(own, tmp_path / "bare", "left_out")
    erase(own, person.id)
    back_up(own, tmp_path / "full")

    def restored(name, backup, *more):
        (tmp_path / name).mkdir()
        service = Service(tmp_path / name)
        done = run("restore", tmp_path / backup, "--data", service.data, "--owner-keys", tmp_path / "old-keys", *more)
        return service, done

    before, done = restored("before", "full", "--at", str(then))
    assert done.returncode == 0, done
    assert not (before.data / f"owner-keys/{person.id}.key").exists()
    assert (before.data / f"owner-keys/{later.id}.key").exists(), "newer logs may need it"
    now, done = restored("now", "full")
    assert done.returncode == 0, done
    for service in (before, now):
        try:
            service.start()
            wait_until_complete(service, person.id)
            assert Client(service.address, user.authorization).get("/farms").status == 401
            assert Client(service.address, neighbor.authorization).read(f"/farms/{farm['id']}") == farm
            theirs = Client(service.address, later.authorization).get(f"/farms/{farm_of_later['id']}")
            assert theirs.status == (401 if service is before else 200), theirs
            assert NAME.lower() not in json.dumps(events_of(service, person.id)).lower()
        finally:
            service.kill()
        assert files_with_words(service.data) == []

    none, refusal = restored("none", "bare")
    assert refusal.returncode == 1 and refusal.stderr.count("\n") == 1, refusal
    assert re.search(rf" sealed the history: {later.id}: \d+ events, at offsets \d+ to \d+\. ", refusal.stderr), refusal
    assert "--at OFFSET" in refusal.stderr and f"--without-keys-of {later.id} " in refusal.stderr, refusal
    assert not none.data.exists()
    assert restored("until", "bare", "--at", str(then))[1].returncode == 0, "their owners came later"
    _, refusal = restored("wrong", "bare", "--without-keys-of", f"{later.id},{neighbor.id}")
    assert refusal.returncode == 1 and f"The key of {neighbor.id} is not missing" in refusal.stderr, refusal
    without, done = restored("without", "bare", "--without-keys-of", later.id)
    assert done.returncode == 0 and f"What names {later.id} can never be read again, in " in done.stdout, done
    try:
        without.start()
        wait_until_complete(without, later.id)
        assert Client(without.address, later.authorization).get("/farms").status == 401
        assert Client(without.address, neighbor.authorization).read(f"/farms/{farm['id']}") == farm
    finally:
        without.kill()


def test_a_crash_between_the_steps_is_made_good_by_the_next_start(own, tmp_path):
    person, _ = owner(own)
    keys, aside = own.data / "owner-keys", tmp_path / "aside"
    shutil.copytree(keys, aside)
    erase(own, person.id)
    note = keys / f"{person.id}.destroyed"
    cleaned = note.read_text()
    # The event was appended, and the key was not destroyed.
    own.stop()
    shutil.rmtree(keys)
    shutil.copytree(aside, keys)
    own.start()
    wait_until_complete(own, person.id)
    assert note.read_text() == cleaned and not (keys / f"{person.id}.key").exists()
    # The key was noted as destroyed, and is still there; nothing is cleaned.
    own.stop()
    shutil.copy(aside / f"{person.id}.key", keys)
    note.write_text(cleaned.replace(" and cleaned", ""))
    own.start()
    wait_until_complete(own, person.id)
    assert note.read_text() == cleaned and not (keys / f"{person.id}.key").exists()
    assert NAME.lower() not in json.dumps(events_of(own, person.id)).lower()
    assert [event["type"] for event in events_of(own, person.id)].count("tilth.user.erased") == 1


def test_a_kill_at_any_moment_leaves_no_half_of_an_erasure(own, tmp_path):
    for _ in range(4):
        person, user = owner(own)
        asking = threading.Thread(target=erase_in_vain, args=(own, person.id))
        asking.start()
        asking.join(random.random() * 0.3)
        own.kill()
        asking.join()
        own.start()
        reply = own.operator.send("GET", f"/operator/v1/users/{person.id}/erasure")
        if reply.status == 200:
            assert Client(own.address, user.authorization).get("/farms").status == 401
        else:
            assert Client(own.address, user.authorization).get("/farms").status == 200
        wait_until_complete(own, person.id)
        assert files_with_words(own.data) == []
        assert verified(own) == [[], [], [], []]


def erase_in_vain(service, user):
    try:
        erase(service, user)
    except (OSError, AssertionError, Exception):  # it was killed
        pass


def test_a_person_erases_their_own_account(own):
    person, user = owner(own)
    refused(person.ask("POST", "/api/auth/erase", {}), 400, "VALIDATION_ERROR", "password")
    refused(person.ask("POST", "/api/auth/erase", {"password": "wrong"}), 401, "INVALID_CREDENTIALS")
    assert user.get("/farms").status == 200
    reply = person.ask("POST", "/api/auth/erase", {"password": PASSWORD})
    assert reply.status == 204 and set_cookie(reply)[0] == "", reply
    assert user.get("/farms").status == 401 and person.ask("GET", "/api/me").status == 401
    erased = next(event for event in own.events("access") if event["type"] == "tilth.user.erased")
    assert erased["actor"] == person.id and erased["data"]["reason"] is None
    wait_until_complete(own, person.id)
    assert files_with_words(own.data) == []


def test_the_email_can_be_used_again(own):
    person = Person(own)
    erase(own, person.id)
    again = own.operate("POST", "/operator/v1/users", {"email": person.email, "plan": "seed"}, 201).data
    assert again["id"] != person.id
    assert erase(own, person.id)["complete"] is True, "it may be repeated"


def test_nobody_can_be_erased_who_is_not_there(own):
    own.operate("POST", "/operator/v1/users/user_AAAAAAAAAAAAAAAAAAAAA/erase", {}, 404)
    own.operate("GET", "/operator/v1/users/user_AAAAAAAAAAAAAAAAAAAAA/erasure", status=404)


def test_nobody_can_be_erased_from_a_log_that_is_not_sealed_until_it_is_moved(tmp_path):
    (tmp_path / "old").mkdir(), (tmp_path / "new").mkdir()
    old, new = Service(tmp_path / "old", flags=["--unsealed"]), Service(tmp_path / "new")
    try:
        person, user = owner(old.start())
        assert files_with_words(old.data / "log"), "it goes on as it is"
        reply = old.operator.send("POST", f"/operator/v1/users/{person.id}/erase", {})
        refused(reply, 409, "CONFLICT")
        assert "not sealed" in reply.json["message"] and user.get("/farms").status == 200
        token = ["--token-file", old.data / "operator.token"]
        exported = run("events", "export", "--with-secrets", "--output", tmp_path / "all.jsonl", "--operator",
                       f"http://{old.operator_address}", *token)
        assert exported.returncode == 0, exported
        old.flags.remove("--unsealed")
        old.restart()
        assert files_with_words(old.data / "log"), "what a log is does not change"
        new.data.mkdir(mode=0o700)
        shutil.copy(old.data / "key.secret", new.data)
        new.start()
        imported = run("events", "import", tmp_path / "all.jsonl", "--operator", f"http://{new.operator_address}",
                       "--token-file", new.data / "operator.token")
        assert imported.returncode == 0, imported
        assert files_with_words(new.data / "log") == []
        assert events_of(new, person.id) == events_of(old, person.id)
        assert Client(new.address, user.authorization).get("/farms").status == 200
        assert erase(new, person.id)["complete"] is True
        assert files_with_words(new.data) == []
    finally:
        old.kill(), new.kill()


def test_an_older_history_that_is_imported_next_to_the_keys_of_now_forgets_the_person_at_once(own, tmp_path):
    neighbor = own.user()
    farm = neighbor.farm()
    person, user = owner(own)
    older = own.operate("GET", "/operator/v1/events").body
    erase(own, person.id)
    back_up(own, tmp_path / "keys", "alone")
    (tmp_path / "new").mkdir()
    new = Service(tmp_path / "new")
    new.data.mkdir(mode=0o700)
    shutil.copy(own.data / "key.secret", new.data)
    shutil.copytree(tmp_path / "keys" / "owner-keys", new.data / "owner-keys")
    try:
        new.start()
        lines = {"Content-Type": "application/x-ndjson"}
        assert new.operator.send("POST", "/operator/v1/events", older, lines).status == 200
        until = time.monotonic() + DEADLINE
        while not (done := new.operator.send("GET", f"/operator/v1/users/{person.id}/erasure")).status == 200 \
                or not done.data["complete"]:
            assert time.monotonic() < until, done
        assert Client(new.address, user.authorization).get("/farms").status == 401
        assert Client(new.address, neighbor.authorization).read(f"/farms/{farm['id']}") == farm
        assert NAME.lower() not in json.dumps(events_of(new, person.id)).lower()
        key = f"owner-keys/{neighbor.id}.key"
        assert (new.data / key).read_bytes() == (own.data / key).read_bytes(), "no second key is made"
        assert files_with_words(new.data) == []
    finally:
        new.kill()


def test_the_command_line_exports_and_erases(own, tmp_path):
    person, user = owner(own)
    flags = ["--operator", f"http://{own.operator_address}", "--token-file", own.data / "operator.token"]
    exported = run("users", "export", person.email, "--output", tmp_path / "all.json", *flags)
    assert exported.returncode == 0, exported
    everything = json.loads((tmp_path / "all.json").read_text())
    assert everything["user"]["email"] == person.email and len(everything["sessions"]) == 1
    assert [key["name"] for key in everything["apiKeys"]] == [f"{NAME}'s robot"]
    assert [event["id"] for event in everything["events"]] == [event["id"] for event in events_of(own, person.id)]
    assert (tmp_path / "all.json").stat().st_mode & 0o777 == 0o600
    erased = run("users", "erase", person.email, "--reason", "asked by letter", *flags)
    assert erased.returncode == 0 and person.id in erased.stdout, erased
    again = run("users", "erase", person.email, *flags)
    assert again.returncode == 1 and again.stderr.count("\n") == 1, again
    event = next(event for event in own.events("access") if event["type"] == "tilth.user.erased")
    assert event["data"]["reason"] == "asked by letter"


def test_owners_keys_are_backed_up_alone(own, tmp_path):
    own.user()
    keys = tmp_path / "keys"
    flags = ["--operator", f"http://{own.operator_address}", "--token-file", own.data / "operator.token"]
    made = run("backup", keys, "--owner-keys", *flags)
    assert made.returncode == 0, made
    assert sorted(path.name for path in keys.iterdir()) == ["backup", "owner-keys"]
    assert all(path.stat().st_mode & 0o077 == 0 for path in keys.rglob("*"))


def test_a_sealed_log_that_names_nobody_yet_is_opened_again(own):
    own.operate("POST", "/operator/v1/operators", {"name": "amina", "role": "read"}, 201)
    own.restart()
    assert own.events("access") and not list((own.data / "owner-keys").glob("*.key"))


def test_a_service_whose_owners_keys_are_gone_does_not_start(own):
    own.user()
    own.stop()
    (own.data / "owner-keys").rename(own.data / "aside")
    refusal = run("serve", "--data", own.data, *own.flags)
    assert refusal.returncode == 1 and "owner-keys" in refusal.stderr, refusal
    (own.data / "aside").rename(own.data / "owner-keys")
    own.start()

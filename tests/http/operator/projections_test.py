"""Projections as operators control them: paused, made to skip an event, rebuilt, compared."""
import json
import subprocess
import threading
import time
import uuid

import pytest

from client import Client
from operated import order, standing, wait_for
from service import BINARY, BROKERS, DEADLINE, Service, invalid, path_of, refused, run

pytestmark = pytest.mark.embedded_log

HARM = BINARY.parent / "tests" / "tilth_harm"
needs_harm = pytest.mark.skipif(bool(BROKERS) or not HARM.exists(), reason="harms the embedded log")


@pytest.fixture
def own(tmp_path):
    """A service for one test."""
    service = Service(tmp_path)
    yield service.start()
    service.kill()


def harm(service, *words):
    """Stops the service, runs `tests/tools/harm.cc` on its data, and starts it again."""
    service.stop()
    done = subprocess.run([HARM, words[0], service.data, *map(str, words[1:])], capture_output=True, text=True)
    assert done.returncode == 0, done
    service.start()
    return json.loads(done.stdout) if done.stdout else None


def rebuilt(service, name):
    generation = order(service, name, "rebuild", 202)["generation"]
    return wait_for(service, name, lambda row: row["generation"] == generation)


def readiness(service):
    reply = service.operator.send("GET", "/readyz")
    return reply.status, {row["name"]: row for row in reply.data["projections"]}


def cli(service, *words):
    return run(*words, "--operator", f"http://{service.operator_address}", "--token-file",
               service.data / "operator.token")


def test_a_paused_projection_answers_until_the_first_event_that_it_lacks(own):
    user = own.user()
    farm = user.farm()
    row = order(own, "registry", "pause")
    assert (row["name"], row["state"]) == ("registry", "paused") and row["reason"]
    status, rows = readiness(own)
    assert status == 503 and rows["registry"]["state"] == "paused" and rows["registry"]["reason"]
    assert rows["access"]["state"] == "running"
    assert user.get(path_of(farm)).status == 200, "it lacks no event yet"
    reply = user.post("/farms", {"name": "More", "totalArea": 1})
    refused(reply, 503, "SERVICE_UNAVAILABLE")
    assert "an operator has paused" in reply.json["message"]
    assert user.get(path_of(farm)).status == 200, "and the refused command had no effect"
    own.user()  # users and keys are in another projection
    assert user.get(path_of(farm)).status == 200
    assert order(own, "registry", "pause")["state"] == "paused", "a second pause is fine"
    resumed = order(own, "registry", "resume")
    assert (resumed["state"], resumed["reason"]) == ("running", None), "it lacks no event"
    assert user.farm()["id"] and readiness(own)[0] == 200


def test_a_clock_does_not_move_while_what_is_due_cannot_happen(own):
    before = own.operate("GET", "/operator/v1/clock").data["now"]
    order(own, "registry", "pause")
    refused(own.operator.send("POST", "/operator/v1/clock", {"advance": "P3D"}), 503, "SERVICE_UNAVAILABLE")
    order(own, "registry", "resume")
    assert own.operate("GET", "/operator/v1/clock").data["now"] == before


def test_a_pause_holds_over_a_restart_and_a_kill_and_does_not_hold_up_the_start(own):
    user = own.user()
    farm = user.farm()
    order(own, "registry", "pause")
    own.stop()
    own.start()
    assert standing(own, "registry")["state"] == "paused" and readiness(own)[0] == 503
    own.kill()
    own.start()
    assert standing(own, "registry")["state"] == "paused"
    assert own.client_of(user).get(path_of(farm)).status == 200
    order(own, "registry", "resume")
    wait_for(own, "registry", lambda row: row["state"] == "running")
    own.restart()
    assert standing(own, "registry")["state"] == "running" and readiness(own)[0] == 200


def test_without_people_and_keys_no_one_is_answered_from_the_first_event_on_that_is_lacking(own):
    user = own.user()
    farm = user.farm()
    order(own, "access", "pause")
    assert user.get(path_of(farm)).status == 200
    refused(own.operator.send("POST", "/operator/v1/users", {"email": "x@example.com", "plan": "seed"}), 503,
            "SERVICE_UNAVAILABLE")
    rows = order(own, "all", "resume")
    assert [row["name"] for row in rows] == [row["name"] for row in own.operate("GET", "/operator/v1/status").data["projections"]]
    wait_for(own, "access", lambda row: row["state"] == "running")
    own.user()


@needs_harm
def test_a_poison_event_faults_one_projection_and_is_passed_over_by_name(own):
    user, other = own.user(), own.user()
    farm = user.farm()
    poison = harm(own, "poison", user.id)
    user, other = own.client_of(user), own.client_of(other)
    row = standing(own, "registry")
    assert row["state"] == "faulted" and poison["id"] in row["reason"] and str(poison["offset"]) in row["reason"]
    assert row["faultedAt"] == {"partition": poison["partition"], "offset": poison["offset"]}
    assert standing(own, "access")["state"] == "running"
    status, rows = readiness(own)
    assert status == 503 and poison["id"] in rows["registry"]["reason"]
    refused(user.get(path_of(farm)), 503, "SERVICE_UNAVAILABLE")
    refused(user.post("/farms", {"name": "More", "totalArea": 1}), 503, "SERVICE_UNAVAILABLE")
    own.user()  # other projections go on
    metrics = own.operator.send("GET", "/metrics").body.decode()
    assert 'tilth_projection_state{projection="registry",state="faulted"} 1' in metrics

    at = {"partition": poison["partition"], "offset": poison["offset"]}
    refused(order(own, "registry", "skip", 409, {**at, "offset": at["offset"] - 1}), 409, "CONFLICT")
    refused(order(own, "access", "skip", 409, at), 409, "CONFLICT")
    invalid(order(own, "registry", "skip", 400, {"partition": 0}), "offset")
    invalid(order(own, "registry", "skip", 400, {"partition": -1, "offset": "x"}), "offset", "partition")
    order(own, "registry", "skip", body=at)
    wait_for(own, "registry", lambda row: row["state"] == "running")
    refused(order(own, "registry", "skip", 409, at), 409, "CONFLICT")
    assert user.get(path_of(farm)).status == 200
    more = user.farm()

    def is_told():
        skipped = standing(own, "registry")["skipped"]
        assert [(event["partition"], event["offset"], event["eventId"]) for event in skipped] == [
            (at["partition"], at["offset"], poison["id"])]
        assert skipped[0]["skippedAt"] and poison["id"] in skipped[0]["reason"]
        assert 'tilth_projection_skipped_events{projection="registry"} 1' in own.operator.send("GET", "/metrics").body.decode()

    is_told()
    assert order(own, "registry", "verify")["differences"] == []
    rebuilt(own, "registry")
    assert user.get(path_of(more)).status == 200 and user.farm()
    own.restart()
    is_told()
    own.stop()
    subprocess.run(["rm", "-r", own.data / "views" / "registry"], check=True)
    own.start()
    assert standing(own, "registry")["state"] == "running", "recreated rows skip it, too"
    is_told()
    listed = cli(own, "projections", "list")
    assert listed.returncode == 0 and poison["id"] in listed.stdout and "SKIPPED BY" in listed.stdout


def test_a_rebuild_goes_unnoticed_by_readers_and_writers(own):
    user = own.user()
    land = user.land()
    stop, failures = threading.Event(), []

    def read_own_writes():
        client, fields = Client(own.address, user.authorization), f"/farms/{land[0]['id']}/fields"
        try:
            for total in range(2, 250):  # within the plan's limit
                if stop.is_set():
                    return
                reply = client.post(fields, {"name": "More", "area": 1})
                assert reply.status == 201, reply
                position = {"Tilth-Min-Position": reply.header("Tilth-Position")}
                assert client.get(f"{fields}/{reply.data['id']}", position).status == 200
                assert client.get(f"{fields}?limit=1").pagination["total"] == total
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=read_own_writes)
    thread.start()
    try:
        for expected in (2, 3):
            row = rebuilt(own, "registry")
            assert (row["generation"], row["previous"], row["building"]) == (expected, expected - 1, None)
            assert row["reason"] is None
    finally:
        stop.set()
        thread.join()
    assert not failures, failures
    for record in land:
        assert user.get(path_of(record)).status == 200
    deadline = time.monotonic() + DEADLINE
    while (own.data / "views" / "registry" / "1").exists():
        assert time.monotonic() < deadline, "a generation before the previous one still exists"
        time.sleep(0.02)
    verified = order(own, "registry", "verify")
    assert verified["differences"] == [] and verified["rows"] > 8
    own.restart()
    assert standing(own, "registry")["generation"] == 3
    assert own.client_of(user).get(path_of(land[0])).status == 200


def test_a_rebuild_that_waits_is_switched_to_and_back(own):
    user = own.user()
    farm = user.farm()
    begun = order(own, "registry", "rebuild?switch=manual", 202)
    assert begun == {"name": "registry", "generation": 2}
    waiting = wait_for(own, "registry", lambda row: row["building"]["state"] == "running")
    assert waiting["generation"] == 1 and {"generation", "state", "lagEvents", "eventsPerSecond", "etaSeconds"} <= set(
        waiting["building"])
    refused(order(own, "registry", "rebuild", 409), 409, "CONFLICT")
    refused(order(own, "all", "rebuild", 409), 409, "CONFLICT")
    meanwhile = user.farm()
    own.restart()
    user = own.client_of(user)
    wait_for(own, "registry", lambda row: row["building"]["state"] == "running")
    assert standing(own, "registry")["generation"] == 1
    row = order(own, "registry", "switch")
    assert (row["generation"], row["previous"], row["building"]) == (2, 1, None)
    refused(order(own, "registry", "switch", 409), 409, "CONFLICT")
    after = user.farm()
    row = order(own, "registry", "switch?to=previous")
    assert (row["generation"], row["previous"]) == (1, 2)
    for each in (farm, meanwhile, after):
        assert user.get(path_of(each)).data == each
    assert order(own, "registry", "release")["previous"] is None
    assert order(own, "registry", "release")["previous"] is None, "a second release is fine"
    refused(order(own, "registry", "switch?to=previous", 409), 409, "CONFLICT")
    assert not (own.data / "views" / "registry" / "2").exists()
    begun = {row["name"]: row["generation"] for row in order(own, "all", "rebuild", 202)}
    assert begun == {"access": 2, "registry": 3, "finance": 2, "market": 2}, "generation numbers are not reused"


def test_a_pause_stops_a_rebuild_and_a_restart_leaves_it_stopped(own):
    own.user().farm()
    order(own, "registry", "rebuild?switch=manual", 202)
    row = order(own, "registry", "pause")
    assert row["building"]["state"] == "paused" and row["state"] == "running"
    assert readiness(own)[0] == 200
    own.restart()
    assert standing(own, "registry")["building"]["state"] == "paused"
    order(own, "registry", "resume")
    wait_for(own, "registry", lambda row: row["building"]["state"] == "running")
    order(own, "registry", "switch")


@needs_harm
def test_a_difference_is_named_and_nothing_is_switched(own):
    user = own.user()
    farm = user.farm()
    harm(own, "row", "registry", 1, user.id)
    user = own.client_of(user)
    assert user.get(path_of(farm)).status == 404, "the row is erased"
    found = order(own, "registry", "verify")["differences"]
    assert [(each["stream"], each["live"]) for each in found] == [(user.id, "missing")]
    assert farm["id"] in found[0]["what"]
    told = cli(own, "projections", "verify", "registry")
    assert told.returncode == 1 and farm["id"] in told.stdout and told.stderr.count("\n") == 1, told

    order(own, "registry", "rebuild", 202)
    row = wait_for(own, "registry", lambda row: row["reason"])
    assert row["generation"] == 1 and farm["id"] in row["reason"] and row["state"] == "running"
    assert row["building"]["state"] == "faulted"
    assert order(own, "registry", "switch")["generation"] == 2, "an operator may switch all the same"
    assert user.get(path_of(farm)).data == farm
    assert order(own, "registry", "verify")["differences"] == []


@needs_harm
def test_rows_of_another_shape_are_made_again_at_the_start(own):
    user = own.user()
    farm = user.farm()
    harm(own, "shape", "registry", 1)
    row = standing(own, "registry")
    assert (row["generation"], row["state"], row["lagEvents"]) == (2, "running", 0)
    assert own.client_of(user).get(path_of(farm)).data == farm
    assert not (own.data / "views" / "registry" / "1").exists()
    assert "another shape" in own.tail()


def test_rows_that_have_aged_are_compared_as_of_one_time(own):
    user, other = own.user(), own.user()
    for grower in (user, other):
        farm = grower.farm()
        for day in range(1, 5):
            grower.task(farm, dueDate=f"2026-03-0{day}T12:00:00Z")
    own.advance("PT48H")
    late = user.listed("/tasks?status=overdue")
    assert len(late) == 2
    assert user.put(f"/tasks/{late[0]}", {}, {"Idempotency-Key": str(uuid.uuid4())}).status == 200
    own.advance("PT24H")
    assert order(own, "registry", "verify")["differences"] == []
    rebuilt(own, "registry")
    assert len(user.listed("/tasks?status=overdue")) == len(other.listed("/tasks?status=overdue")) == 3


def test_what_cannot_be_ordered_is_said(tilth):
    for what in ("rebuild", "switch", "verify", "pause", "resume", "release", "skip"):
        refused(order(tilth, "nowhere", what, 404), 404, "NOT_FOUND")
        refused(Client(tilth.operator_address).send("POST", f"/operator/v1/projections/registry/{what}"), 401,
                "UNAUTHORIZED")
        refused(tilth.operator.send("GET", f"/operator/v1/projections/registry/{what}"), 405, "METHOD_NOT_ALLOWED")
    for what in ("switch", "skip"):
        refused(order(tilth, "all", what, 404), 404, "NOT_FOUND")
    invalid(order(tilth, "registry", "rebuild?switch=now", 400), "switch")
    invalid(order(tilth, "registry", "rebuild?switch=manual&switch=manual", 400), "switch")
    invalid(order(tilth, "registry", "switch?to=next", 400), "to")
    invalid(order(tilth, "registry", "switch?to=previous&to=previous", 400), "to")
    refused(order(tilth, "registry", "switch", 409), 409, "CONFLICT")
    refused(order(tilth, "registry", "switch?to=previous", 409), 409, "CONFLICT")
    refused(order(tilth, "registry", "skip", 409, {"partition": 0, "offset": 0}), 409, "CONFLICT")
    assert standing(tilth, "registry")["generation"] == 1


def test_a_name_that_is_no_utf_8_is_answered_in_json(tilth):
    for name in ("%ff", "%c3", "%ed%a0%80"):
        reply = tilth.operator.send("POST", f"/operator/v1/projections/{name}/verify")
        assert reply.status == 404
        assert json.loads(reply.body.decode("utf-8"))["code"] == "NOT_FOUND"


def test_verify_of_all_names_each(tilth):
    tilth.user().land()
    rows = order(tilth, "all", "verify")
    assert {row["name"]: row["rows"] > 0 for row in rows} == {
        "access": True, "registry": True, "finance": True, "market": False}, "the market has no offers"
    assert all(row["differences"] == [] for row in rows)


def test_the_command_line_handles_projections(own):
    user = own.user()
    farm = user.farm()
    begun = cli(own, "projections", "rebuild", "all", "--wait")
    assert begun.returncode == 0 and "registry" in begun.stdout and "access" in begun.stdout, begun
    assert standing(own, "registry")["generation"] == 2
    waits = cli(own, "projections", "rebuild", "registry", "--switch", "manual", "--wait", "--json")
    assert waits.returncode == 0 and json.loads(waits.stdout)["data"]["generation"] == 3, waits
    switched = cli(own, "projections", "switch", "registry")
    assert switched.returncode == 0 and "registry" in switched.stdout, switched
    back = cli(own, "projections", "switch", "registry", "--previous", "--json")
    assert json.loads(back.stdout)["data"]["generation"] == 2, back
    assert cli(own, "projections", "release", "all").returncode == 0
    verified = cli(own, "projections", "verify", "all")
    assert verified.returncode == 0 and "no difference" in verified.stdout, verified
    paused = cli(own, "projections", "pause", "registry")
    assert paused.returncode == 0 and "paused" in paused.stdout, paused
    assert cli(own, "projections", "resume", "registry").returncode == 0
    skipped = cli(own, "projections", "skip", "registry", "--partition", "0", "--offset", "1")
    assert skipped.returncode == 1 and "stands at no event" in skipped.stderr, skipped
    for wrong in (["rebuild"], ["rebuild", "registry", "--switch", "never"], ["skip", "registry", "--partition", "0"]):
        assert cli(own, "projections", *wrong).returncode == 2
    assert user.get(path_of(farm)).data == farm


def test_what_a_clock_that_was_ahead_has_aged_is_right_once_it_is_folded_again(own):
    user = own.user()
    user.made("/tasks", {"farmId": user.farm()["id"], "title": "Prune", "category": "other",
                         "dueDate": "2026-06-01T00:00:00Z"})

    def overdue():
        return user.get("/tasks?status=overdue").json["pagination"]["total"]

    assert overdue() == 0
    clock = own.data / "test-clock"
    right = clock.read_text()
    own.operate("POST", "/operator/v1/clock", {"now": "2027-03-01T00:00:00Z"})
    assert overdue() == 1
    own.stop()
    clock.write_text(right)
    own.start()
    user = own.client_of(user)
    assert overdue() == 1, "lists never go back"
    order(own, "registry", "rebuild", 202)
    wait_for(own, "registry", lambda row: "differs from the live rows" in (row["reason"] or ""))
    order(own, "registry", "switch")
    assert overdue() == 0

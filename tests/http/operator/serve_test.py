"""Starting and stopping: the ready file, the lock, a failed start, and what a restart keeps."""
import contextlib
import json
import os
import pathlib
import pwd
import resource
import signal
import socket
import stat
import subprocess
import tempfile
import threading
import time

import pytest

from client import Client
from service import BINARY, BROKERS, DEADLINE, Service, environment, path_of, run

pytestmark = pytest.mark.embedded_log


@pytest.fixture
def service(tmp_path):
    service = Service(tmp_path)
    yield service
    service.kill()


def serve(data, *flags, listen="127.0.0.1:0"):
    return run("serve", "--data", data, "--listen", listen, "--operator-listen", "127.0.0.1:0",
               "--no-library", *flags)


def failed(result, *words):
    """It exits with 1, and its last line is one plain sentence with these words."""
    assert result.returncode == 1, result
    assert result.stdout == "", "it is not ready"
    last = result.stderr.strip().splitlines()[-1]
    assert not last.startswith("{") and all(word in last for word in words), last
    return True


def test_the_ready_file_and_one_line_say_where_it_listens(service):
    service.start()
    ready = json.loads(service.ready_file.read_text())
    assert set(ready) == {"listen", "operatorListen", "pid"} and ready["pid"] == service.child.pid
    assert len({ready["listen"], ready["operatorListen"]}) == 2
    line = (service.directory / "stdout.log").read_text()
    assert line.count("\n") == 1 and ready["listen"] in line
    assert service.stranger().get("/farms").status == 401
    service.stop()


def test_a_restart_keeps_users_keys_and_land(service):
    user = service.start().user()
    land = user.land()
    read = {path_of(record): user.read(path_of(record)) for record in land}
    events = service.operator.send("GET", "/operator/v1/events").body
    token = (service.data / "operator.token").read_text()
    for _ in range(2):
        service.restart()
        client = service.stranger()
        client.authorization = user.authorization
        for path, record in read.items():
            assert client.get(path).data == record
        assert service.operator.send("GET", "/operator/v1/events").body == events
        assert (service.data / "operator.token").read_text() == token
    service.stop()


def test_the_test_clock_stands_where_it_stood(service):
    service.start().advance("P2D")
    service.restart()
    assert service.now() == "2026-03-03T06:30:00.000Z"
    service.stop()
    service.flags[service.flags.index("--test-clock") + 1] = "2026-06-01T00:00:00Z"
    service.start()
    assert service.now() == "2026-06-01T00:00:00.000Z"
    service.stop()


def test_without_a_test_clock_there_is_none(tmp_path):
    service = Service(tmp_path, clock=None)
    try:
        service.start()
        for method, body in (("GET", None), ("POST", {"advance": "PT1H"})):
            assert service.operator.send(method, "/operator/v1/clock", body).status == 404
        failed(run("clock", "advance", "PT1H", "--operator", f"http://{service.operator_address}", "--data", service.data),
               "without a test clock")
        user = service.user()
        assert user.farm()["createdAt"] > "2024"
        service.stop()
    finally:
        service.kill()


def test_an_idle_connection_does_not_hold_up_the_stop(service):
    client = service.start().stranger()
    client.get("/farms")
    half = socket.create_connection(client.address)
    half.sendall(b"POST /api/v1/farms HTTP/1.1\r\nContent-Length: 10\r\n\r\n")
    service.child.send_signal(signal.SIGTERM)
    assert service.child.wait(DEADLINE) == 0
    assert not service.ready_file.exists()
    half.close()


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGHUP])
def test_an_interrupt_and_a_lost_terminal_stop_it_as_cleanly(service, ending):
    service.start().user().farm()
    service.child.send_signal(ending)
    assert service.child.wait(DEADLINE) == 0
    assert not service.ready_file.exists()
    assert ending.name in service.tail()


def test_a_start_that_waits_for_a_broker_ends_when_it_is_told_to(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        command = [BINARY, "serve", "--data", tmp_path / "data", "--listen", "127.0.0.1:0", "--operator-listen",
                   "127.0.0.1:0", "--log", "kafka", "--brokers", "127.0.0.1:%d" % silent.getsockname()[1]]
        child = subprocess.Popen([str(part) for part in command], stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment())
        try:
            silent.accept()[0].close()
            child.send_signal(signal.SIGTERM)
            assert child.wait(DEADLINE) == 0
        finally:
            child.kill()
    assert not (tmp_path / "data").exists()


def test_a_service_that_is_to_outlive_its_terminal_does(service):
    kept = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does for its command
    try:
        service.start()
    finally:
        signal.signal(signal.SIGHUP, kept)
    service.child.send_signal(signal.SIGHUP)
    service.child.send_signal(signal.SIGTERM)
    assert service.child.wait(DEADLINE) == 0
    assert "SIGTERM" in service.tail() and "SIGHUP" not in service.tail()


def test_what_was_answered_before_a_stop_is_kept_and_no_answer_is_cut(service):
    user = service.start().user()
    farm, answered, broken, begun = user.farm(), [], [], threading.Event()

    def write():
        client = service.stranger()
        try:
            for number in range(100000):
                change = {"address": str(number)}
                reply = client.put(path_of(farm), change, {"Authorization": user.authorization})
                if reply.status != 200:
                    return
                answered.append(number)
                begun.set()
        except OSError:
            return  # the service was gone before it responded
        except Exception as error:
            broken.append(error)

    writer = threading.Thread(target=write)
    writer.start()
    assert begun.wait(DEADLINE)
    service.stop()
    writer.join(DEADLINE)
    assert not broken
    service.start()
    client = service.stranger()
    client.authorization = user.authorization
    assert int(client.read(path_of(farm))["address"]) in (answered[-1], answered[-1] + 1)
    service.stop()


def test_a_stop_takes_no_new_connection_and_answers_a_request_that_is_still_arriving(service):
    user = service.start().user()
    body = json.dumps({"name": "Oasis", "totalArea": 1}).encode()
    head = (f"POST /api/v1/farms HTTP/1.1\r\nHost: {service.address}\r\nAuthorization: {user.authorization}\r\n"
            f"Content-Length: {len(body)}\r\nExpect: 100-continue\r\n\r\n").encode()
    with socket.create_connection(user.address, DEADLINE) as connection:
        connection.sendall(head)
        assert connection.recv(4096).startswith(b"HTTP/1.1 100 ")
        began = time.monotonic()
        service.child.send_signal(signal.SIGTERM)
        with pytest.raises(ConnectionError):
            while time.monotonic() - began < DEADLINE:
                socket.create_connection(user.address, DEADLINE).close()
        connection.sendall(body)
        assert connection.recv(4096).startswith(b"HTTP/1.1 201 ")
    assert service.child.wait(DEADLINE) == 0 and time.monotonic() - began < 10
    service.start()
    assert [farm["name"] for farm in service.client_of(user).get("/farms").data] == ["Oasis"]
    service.stop()


def test_a_second_process_on_the_data_says_who_holds_it(service):
    service.start()
    failed(serve(service.data), str(service.child.pid))
    assert service.user().farm()
    service.stop()


def test_a_port_in_use_is_named(service, tmp_path):
    service.start()
    data = tmp_path / "other"
    failed(serve(data, listen=service.address), service.address.rsplit(":", 1)[1])
    service.stop()


def test_a_failed_start_leaves_nothing_half_made(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        doomed = Service(tmp_path, listen=f"127.0.0.1:{taken.getsockname()[1]}")
        doomed.launch()
        assert doomed.child.wait(DEADLINE) == 1, doomed.tail()
        assert not doomed.ready_file.exists()
    service = Service(tmp_path, topic=doomed.topic)
    try:
        service.start()
        service.stop()
    finally:
        service.kill()


def test_a_start_that_fails_leaves_no_directory_that_it_made(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        failed(serve(tmp_path / "data", listen=f"127.0.0.1:{taken.getsockname()[1]}"), "Address already in use")
    assert not (tmp_path / "data").exists()
    (tmp_path / "mine").mkdir()
    failed(serve(tmp_path / "mine", "--ready-file", tmp_path / "nowhere" / "ready.json"), "nowhere/ready.json")
    assert (tmp_path / "mine").exists(), "it existed before"


def test_a_ready_file_that_a_kill_left_is_gone_until_the_service_is_ready(service):
    service.start()
    service.kill()
    assert service.ready_file.exists()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        doomed = Service(service.directory, listen=f"127.0.0.1:{taken.getsockname()[1]}", topic=service.topic)
        doomed.launch()
        assert doomed.child.wait(DEADLINE) == 1, doomed.tail()
    assert not service.ready_file.exists()
    assert service.data.exists(), "it existed before"
    service.start()
    service.stop()


def test_a_start_that_fails_leaves_the_ready_file_of_another_service(service, tmp_path):
    service.start()
    ready = service.ready_file.read_text()
    failed(serve(tmp_path / "other", "--ready-file", service.ready_file, listen=service.address), "Address already in use")
    failed(serve(service.data, "--ready-file", service.ready_file), str(service.child.pid))
    assert service.ready_file.read_text() == ready
    service.stop()


@pytest.mark.parametrize("content", ['{"pid":%d}', '{"pid":"%d"}', "%d", "", "{"])
def test_a_start_that_fails_leaves_nothing_that_could_be_taken_for_its_ready_file(tmp_path, content):
    gone = subprocess.Popen(["true"])
    gone.wait()
    ready_file = tmp_path / "ready.json"
    ready_file.write_text(content.replace("%d", str(gone.pid)))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        failed(serve(tmp_path / "data", "--ready-file", ready_file, listen=f"127.0.0.1:{taken.getsockname()[1]}"))
    assert not ready_file.exists()


def test_a_ready_file_that_names_a_living_process_is_another_ones_once_the_service_is_ready(service):
    service.ready_file.write_text(json.dumps({"pid": os.getpid()}))
    service.start()  # waits for a ready file that names the service
    service.stop()


def test_everything_runs_as_soon_as_it_is_ready(service):
    service.start()
    rows = service.operate("GET", "/operator/v1/status").data["projections"]
    assert {row["state"] for row in rows} == {"running"}, rows
    service.stop()


def test_each_thread_says_what_it_is_for(service):
    """To operators who look which of them is busy."""
    service.start()
    user = service.user()
    user.farm()
    assert user.get("/farms").status == 200

    def names():
        found = {}
        for task in pathlib.Path(f"/proc/{service.child.pid}/task").iterdir():
            with contextlib.suppress(FileNotFoundError):  # it has ended
                found[int(task.name)] = (task / "comm").read_text().strip()
        return found

    deadline = time.monotonic() + DEADLINE
    # The main thread, and one of RocksDB's; a new thread has the name of the one that made it for a moment.
    while list((found := names()).values()).count(found[service.child.pid]) > 2:
        assert time.monotonic() < deadline, found
    assert {"usage", "history index", "trends", "clock", "log", "requests", "streams"} <= set(found.values()), found
    service.stop()


def test_the_demo_farm_is_loaded_wherever_the_service_listens(service):
    service.start()
    loaded = run("demo", "--operator", f"http://{service.operator_address}", "--token-file",
                 service.data / "operator.token", "--json")
    assert loaded.returncode == 0, loaded
    demo = json.loads(loaded.stdout)["data"]
    assert demo["api"] == f"http://{service.address}"
    client = Client(service.address, f"Bearer {demo['key']}")
    farm, = client.get("/farms").data
    assert sorted(crop["status"] for crop in client.get(f"/crops?farmId={farm['id']}").data) == ["growing", "growing", "harvested"]
    happened = [event["type"] for event in service.events()]
    changed = {kind: happened.count(f"tilth.{kind}.amended") for kind in ("field", "crop", "block", "plant", "task")}
    assert changed == {"field": 4, "crop": 5, "block": 6, "plant": 3, "task": 5}, "a history worth a walk"
    credentials = {"email": demo["email"], "password": demo["password"]}
    assert Client(service.address).send("POST", "/api/auth/sign-in", credentials).status == 200
    service.stop()


@pytest.mark.parametrize("text,word", [
    ("[limits", ""), ("[limits]\ncolour = 1", "colour"), ("[colours]\nred = 1", "colours"),
    ("[limits]\nmax_body_bytes = 'much'", "max_body_bytes"),
    ("[limits]\nunauthenticated_per_minute = -1", "unauthenticated_per_minute"),
    ("[plans.summit]\nrequests_per_hour = 'lots'", "requests_per_hour"),
    ("[http]\ntrusted_proxies = ['nowhere']", "trusted_proxies"),
    ("[http]\ntrusted_proxies = ['10.0.0.0/8', '0.0.0.0/0']", "trusted_proxies"),
    ("[http]\ntrusted_proxies = ['::/0']", "trusted_proxies"),
    ("[open_id]\nissuer = 'http://id.example'\nclient_id = 'tilth'", "open_id.issuer")])
def test_a_wrong_configuration_is_refused_by_name(tmp_path, text, word):
    config = tmp_path / "tilth.toml"
    config.write_text(text)
    failed(serve(tmp_path / "data", "--config", config), word)
    assert not (tmp_path / "data").exists()


def test_a_configuration_that_is_not_there_is_refused(tmp_path):
    failed(serve(tmp_path / "data", "--config", tmp_path / "none.toml"), "none.toml")


def test_a_directory_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").write_text("in the way")
    failed(serve(tmp_path / "file" / "data"), "data")


@pytest.mark.parametrize("flags", [
    ["--colour", "red"], ["--listen", "nowhere"], ["--listen", "127.0.0.1:99999"], ["--roles", "cook"],
    ["--log", "paper"], ["--test-clock", "noon"], ["--data"], ["--no-library=no"], ["--no-library=false"],
    ["--no-library=1"]])
def test_a_senseless_flag_is_wrong_usage(tmp_path, flags):
    result = run("serve", *([] if flags[0] == "--data" else ["--data", tmp_path / "data"]), *flags)
    assert result.returncode == 2 and result.stderr.strip(), result
    assert not (tmp_path / "data").exists()


@pytest.mark.embedded_log
def test_without_the_role_command_no_operator_changes_what_owners_see(tmp_path):
    service = Service(tmp_path)
    try:
        user = service.start().user()
        service.stop()
        service.flags += ["--roles", "query,project"]
        send = service.start().operator.send
        for path, body in (("library", {"crops": [{"name": "Oat"}]}), ("users", {"email": "a@example.com", "plan": "seed"}),
                           (f"users/{user.id}/erase", {}),
                           ("templates", {"name": "Walk", "category": "other"})):
            reply = send("POST", f"/operator/v1/{path}", body)
            assert reply.status == 503 and "the role command" in reply.json["message"], reply
        service.stop()
    finally:
        service.kill()


@pytest.mark.parametrize("roles,lacks,method,body", [
    ("query,project", "command", "POST", {"name": "Oasis", "totalArea": 1}), ("command,project", "query", "GET", None)])
def test_a_node_without_a_role_sends_clients_to_another_one(tmp_path, roles, lacks, method, body):
    service = Service(tmp_path)
    try:
        user = service.start().user()
        service.stop()
        service.flags += ["--roles", roles]
        service.start()
        assert service.operate("GET", "/operator/v1/status").data["roles"] == roles.split(",")
        reply = service.client_of(user).send(method, "/api/v1/farms", body)
        assert reply.status == 503 and f"the role {lacks}" in reply.json["message"] and reply.header("Retry-After"), reply
        service.stop()
    finally:
        service.kill()


def test_help_shows_an_example(tmp_path):
    result = run("serve", "--help")
    assert result.returncode == 0 and "tilth serve" in result.stdout and "--ready-file" in result.stdout
    assert run("bake").returncode == 2


def test_a_flag_beats_the_environment_beats_the_file(service):
    (service.directory / "tilth.toml").write_text("[limits]\nunauthenticated_per_minute = 7\n")
    service.flags += ["--config", str(service.directory / "tilth.toml")]
    service.start()
    assert service.stranger().get("/farms").header("X-RateLimit-Limit") == "7"
    service.stop()
    service.environment |= {"TILTH_OPERATOR_LISTEN": "127.0.0.1:1"}
    service.start()
    assert not service.operator_address.endswith(":1")
    assert Client(service.operator_address).send("GET", "/healthz").status == 200
    service.stop()


def test_a_larger_body_may_be_configured(tmp_path):
    service = Service(tmp_path, config="[limits]\nmax_body_bytes = 2000\n")
    try:
        user = service.start().user()
        assert user.post("/farms", {"name": "x", "totalArea": 1, "pad": "x" * 1900}).status == 201
        assert user.post("/farms", {"name": "y", "totalArea": 1, "pad": "x" * 2000}).status == 413
        service.stop()
    finally:
        service.kill()


def modes(folder, kind):
    """The modes of all files or directories below the folder."""
    return {str(path): oct(stat.S_IMODE(path.stat().st_mode)) for path in folder.rglob("*") if kind(path)}


def test_the_files_of_a_directory_that_others_may_enter_are_private(service):
    service.data.mkdir()
    service.data.chmod(0o755)
    service.start().user().land()
    backup = service.directory / "backup"
    service.operate("POST", "/operator/v1/backup", {"directory": str(backup)}, 201)
    service.restart()
    service.stop()
    assert "chmod" not in service.tail()
    for folder in (service.data, backup):
        files = modes(folder, pathlib.Path.is_file)
        assert len(files) > 10 and set(files.values()) == {"0o600"}, files
        assert set(modes(folder, pathlib.Path.is_dir).values()) == {"0o700"}


def test_files_that_other_users_can_read_are_warned_about(service):
    service.start()
    service.stop()
    readable = next(iter((service.data / "log").glob("*.log")))
    readable.chmod(0o644)
    service.start()
    service.stop()
    assert "chmod" not in service.tail(), "no other user may enter the directory"
    service.data.chmod(0o755)
    readable.parent.chmod(0o755)
    service.start()
    service.stop()
    warning = next(json.loads(line) for line in service.tail().splitlines() if "chmod" in line)
    assert warning["level"] == "warn" and warning["file"].startswith(str(service.data)), warning


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may raise the limit of another process")
@pytest.mark.skipif(pathlib.Path("/proc/sys/kernel/core_pattern").read_text() != "core\n",
                    reason="cores go elsewhere on this machine")
@pytest.mark.parametrize("config,cores", [("", 0), ("core_dumps = true", 1)])
def test_a_crash_leaves_a_core_only_if_the_operator_wants_one(tmp_path, config, cores):
    service = Service(tmp_path, config=config)
    here = os.getcwd()
    try:
        os.chdir(tmp_path)  # where the kernel writes cores
        service.start()
    finally:
        os.chdir(here)
    if not config:
        assert resource.prlimit(service.child.pid, resource.RLIMIT_CORE)[0] == 0
    unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    resource.prlimit(service.child.pid, resource.RLIMIT_CORE, unlimited)
    service.child.send_signal(signal.SIGQUIT)
    assert service.child.wait(DEADLINE) == -signal.SIGQUIT
    assert len(list(tmp_path.glob("core*"))) == cores


@pytest.mark.parametrize("damaged", ["CURRENT", "MANIFEST-*"])
def test_damaged_usage_counts_do_not_hold_up_the_start(service, damaged):
    user = service.start().user()
    farm = user.farm()
    service.stop()
    next(iter((service.data / "usage").glob(damaged))).write_text("x\n")
    service.start()
    client = service.client_of(user)
    assert client.read(path_of(farm)) == farm
    assert "limits count from zero" in service.tail()
    service.restart()
    assert service.tail().count("limits count from zero") == 1
    service.stop()


def test_a_damaged_store_of_deliveries_stops_the_start_and_says_what_to_do(service):
    service.start()
    service.stop()
    (service.data / "webhooks" / "CURRENT").write_text("x\n")
    service.launch()
    assert service.child.wait(DEADLINE) == 1
    assert f"Move {service.data}/webhooks away: " in service.tail()
    (service.data / "webhooks").rename(service.data / "damaged-webhooks")
    service.start()
    service.stop()


def test_usage_counts_that_may_not_be_read_are_not_thrown_away(service):
    service.start()
    service.stop()
    current = service.data / "usage" / "CURRENT"
    kept = current.read_bytes()
    current.unlink()
    current.mkdir()  # root can read a file of any mode; this fails for root, too
    service.launch()
    assert service.child.wait(DEADLINE) == 1
    assert "usage store cannot be opened" in service.tail()
    current.rmdir()
    current.write_bytes(kept)
    service.start()
    assert "limits count from zero" not in service.tail()
    service.stop()


@pytest.mark.parametrize("place", ["data", "new/data"])
def test_a_start_on_a_full_disk_leaves_no_directory_that_it_made(tmp_path, place):
    def no_file_can_grow():
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))

    done = subprocess.run([BINARY, "serve", "--data", tmp_path / place], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=DEADLINE, env=environment(), preexec_fn=no_file_can_grow)
    failed(done, str(tmp_path / place), "cannot be written")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.geteuid() != 0 or bool(BROKERS), reason="needs another user, and a log on the disk")
def test_a_log_that_may_not_be_read_is_not_called_damaged():
    other = pwd.getpwnam("nobody")
    with tempfile.TemporaryDirectory() as folder:  # that of pytest may be closed to other users
        folder = pathlib.Path(folder)
        service = Service(folder)
        try:
            service.start().stop()
        finally:
            service.kill()
        current = service.data / "log" / "CURRENT"
        for path in (folder, *folder.rglob("*")):
            if path != current:
                os.chown(path, other.pw_uid, other.pw_gid)
        current.chmod(0o600)
        done = subprocess.run([BINARY, "serve", "--data", service.data, *service.flags], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=DEADLINE, env=environment(),
                              user=other.pw_uid, group=other.pw_gid, extra_groups=[])
        failed(done, "cannot be opened", str(current), "Permission denied")
        assert "damaged" not in done.stderr

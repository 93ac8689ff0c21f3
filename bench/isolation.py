"""P12: what an attack costs an innocent owner, and how much memory it makes the service hold.

An innocent owner reads and changes a field, first alone, then during the attack, always at the same rate. So each
figure is a ratio of two measurements of one service in one run.
"""
import contextlib
import datetime
import re
import shutil
import threading
import time

from attacks import ATTACKS, PROXY, attack
from innocent import HOME, Requests, Running, connect, measured, read_response, request
from processes import PLAN, Service, filled

CONFIG = PLAN + f"""
[plans.summit]
requests_per_hour = 1000000

[http]
trusted_proxies = ["{PROXY}"]
"""
GET_EVERY, PUT_EVERY, ALSO_EVERY = 0.005, 0.02, 0.25  # seconds
MOST_GET, MOST_PUT, MOST_MEMORY, LONGEST_STOP = 5, 10, 512, 10  # times, times, MB, seconds
AFTERWARDS = 1.5  # times the memory before
SETTLING = 10  # seconds after an attack, until which the memory should be back
ELSEWHERE = "127.0.0.3"  # another network of the same owner
STOP_TIMEOUT = 120  # seconds until a service that does not stop is killed
BUSY = 0.02  # seconds; if a quiet GET's p99 is longer, other programs delay the innocent owner, too


def duration(seconds):
    """Two or three digits, in milliseconds or seconds."""
    value, unit = (seconds, "s") if seconds >= 1 else (1_000 * seconds, "ms")
    digits = 0 if value >= 10 else 1 if value >= 1 else 2
    return f"{value:.{digits}f} {unit}"


def factor(value):
    return f"{value:,.0f}×" if value >= 10 else f"{value:.1f}×"


class Memory:
    """Samples the resident memory of the service; ends what attacks it beyond `most` MB, to spare the machine."""

    def __init__(self, service, attacker, most):
        self.peak, self.stopped_at = service.resident(), None
        self._service, self._attacker, self._most = service, attacker, most
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def _watch(self):
        while not self._done.wait(0.02):
            with contextlib.suppress(OSError, IndexError):  # the service is gone
                self.peak = max(self.peak, self._service.resident())
            if self.peak > self._most and not self.stopped_at:
                self.stopped_at = self.peak
                self._attacker.end()

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._done.set()
        self._thread.join()


class Innocent:
    """An owner with a field, a block and a password, and the requests that they send."""

    def __init__(self, service):
        self.service, self.email, self.password = service, "innocent@example.com", "correct horse battery"
        service.innocent_email = self.email
        self.key, self.farm = service.owner("-innocent", email=self.email, password=self.password)
        field = service.post(f"{self.farm}/fields", self.key, {"name": "Home", "area": "12.5", "soilType": "loam"})
        self.field = f"{self.farm}/fields/{field['id']}"
        crop = service.post("/api/v1/crops", self.key, {"farmId": self.farm.split("/")[-1], "fieldId": field["id"],
                                                        "cropType": "Maize"})
        block = service.post(f"{self.field}/blocks", self.key, {"cropId": crop["id"], "name": "Block"})
        self.block = f"{self.field}/blocks/{block['id']}"

    def usual(self):
        return {"GET": Requests(request("GET", self.field, self.key), GET_EVERY),
                "PUT": Requests(request("PUT", self.field, self.key, {"notes": "Drains well in spring."}), PUT_EVERY)}

    def known_browser(self):
        """The cookie of a browser in which the owner has signed in before."""
        with contextlib.closing(connect(self.service.address)) as connection:
            body = {"email": self.email, "password": self.password}
            connection.sendall(request("POST", "/api/auth/sign-in", body=body))
            _, text = read_response(connection)
        return re.search(rb"(?:__Host-)?tilth_known=[^;\r]+", text)[0].decode()

    def also(self, name):
        """What this attack is most likely to disturb."""
        if name == "boundary":  # a body of more than 8 KiB
            ring = [[20 + number / 1e4, 40 + number * number / 1e9] for number in range(500)]
            body = {"geometry": {"type": "Polygon", "coordinates": [[*ring, [20, 41], ring[0]]]}}
            return Requests(request("PUT", self.block, self.key, body), ALSO_EVERY)
        if name == "as_of":
            now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds")
            return Requests(request("GET", self.field, self.key, headers=[("Tilth-As-Of", now.replace("+00:00", "Z"))]), ALSO_EVERY)
        if name == "plants":  # so many that the list is sent in pieces
            for number in range(1_001):
                self.service.post(f"{self.block}/plants", self.key, {"label": f"Tree {number}"})
            return Requests(request("GET", f"{self.block}/plants", self.key), ALSO_EVERY)
        if name == "events":
            return Requests(request("GET", "/api/v1/events?limit=10", self.key), ALSO_EVERY)
        if name == "connect":
            return Requests(request("GET", self.field, self.key), ALSO_EVERY, fresh=True)
        if name in ("sign_in", "first_sign_in"):
            headers = [("Cookie", self.known_browser())] if name == "sign_in" else []
            body = {"email": self.email, "password": self.password}
            source = HOME if name == "sign_in" else ELSEWHERE
            return Requests(request("POST", "/api/auth/sign-in", body=body, headers=headers), 4 * ALSO_EVERY, source=source)
        raise ValueError(name)


class Verdict:
    """What one attack did, as a row of the table."""

    def __init__(self, what, quiet, attacked, memory, seen, stopped):
        self.what, self.quiet, self.attacked, self.seen, self.stopped = what, quiet, attacked, seen, stopped
        self.before, self.peak, self.after = memory

    def ratio(self, kind, of_hundred=99):
        return self.attacked[kind].percentile(of_hundred) / max(self.quiet[kind].percentile(of_hundred), 1e-6)

    def times(self, kind):
        def show(percentile):
            quiet, attacked = (duration(of[kind].percentile(percentile)) for of in (self.quiet, self.attacked))
            return f"p{percentile} {quiet} → {attacked}, **{factor(self.ratio(kind, percentile))}**"
        return f"{show(50)}; {show(99)}"

    def refused(self):
        lines = [f"{name}: {times.refused} of {times.asked} ({' '.join(times.first_refusal.split())[:32]})"
                 for name, times in self.attacked.items() if times.refused]
        return "; ".join(lines) or "none"

    def missed(self):
        """The goals that are missed."""
        also = [name for name, times in self.attacked.items() if times.refused]
        return [text for text, is_missed in (
            (f"GET p99 ≤ {MOST_GET}×", self.ratio("GET") > MOST_GET),
            (f"PUT p99 ≤ {MOST_PUT}×", self.ratio("PUT") > MOST_PUT),
            ("none refused", bool(also)),
            (f"≤ {MOST_MEMORY} MB", self.peak > MOST_MEMORY),
            (f"after ≤ {AFTERWARDS}× before", self.after > AFTERWARDS * self.before),
            (f"stops in {LONGEST_STOP} s", self.stopped > LONGEST_STOP)) if is_missed]

    def row(self):
        extra = [f"{name}: {self.times(name)}" for name in self.attacked if name not in ("GET", "PUT")]
        seen = ", ".join(f"{count} × {what}" if isinstance(count, int) else f"{what} {count}"
                         for what, count in self.seen.items())
        cells = [self.what, self.times("GET"), self.times("PUT"), "; ".join(extra) or "–", self.refused(),
                 f"{self.before:.0f} → {self.peak:,.0f} → {self.after:,.0f}", f"{self.stopped:.1f}", seen or "–",
                 "; ".join(f"**{missed}**" for missed in self.missed()) or "met"]
        if self.quiet["GET"].percentile(99) > BUSY:
            cells[-1] += " (the machine was busy before the attack, so these ratios say little)"
        return "| " + " | ".join(cells) + " |"


HEAD = ("| Attack | `GET`, quiet → attacked | `PUT`, quiet → attacked | also | refused | memory, MB: before → peak → "
        "after | stop, s | the attacker saw | missed |\n" + "|---" * 9 + "|")


def bytes_in(folder):
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def sizes_of(kind, quick, given):
    sizes = {**kind.sizes, **(kind.quick if quick else {})}
    sizes.update({name: value for name, value in given.items() if name in sizes})
    return sizes


def judge(folder, kind, sizes, seconds, most_memory):
    """Runs one attack next to an innocent owner; returns a Verdict."""
    data, about = folder / "data", {}
    if kind.fill:
        land, about = filled(sizes.get("plants", 0), 1, sizes.get("tasks", 0))
        shutil.copytree(land, data)
    service = Service(folder, data, config=CONFIG)
    try:
        if kind.fill:
            service.wait_until_idle()
        innocent = Innocent(service)
        kinds = innocent.usual()
        for name in kind.also:
            kinds["also " + name] = innocent.also(name)
        one = kind(service, about, sizes)
        one.prepare()
        measured(service.address, kinds, 0.5)  # warms up
        quiet = measured(service.address, kinds, seconds)
        before, log = service.resident(), bytes_in(data / "log")
        attacker = Running(attack, one, time.monotonic() + 2 * seconds)
        with Memory(service, attacker, most_memory) as memory:
            attacked = measured(service.address, kinds, 2 * seconds)
            seen = attacker.result(30) or {}
            seen["log grew by"] = f"{(bytes_in(data / 'log') - log) / 1e6:.0f} MB"
            until = time.monotonic() + SETTLING
            while time.monotonic() < until and service.resident() > 1.05 * before:
                time.sleep(0.1)
            after = service.resident()
        if memory.stopped_at:
            seen["ended to spare the machine at MB"] = round(memory.stopped_at)
        stopped = service.stop(STOP_TIMEOUT)
    finally:
        service.process.kill()
        service.process.wait()
    return Verdict(one.what.format(**sizes), quiet, attacked, (before, memory.peak, after), seen, stopped)


def p12_isolation(folder, names, quick, given, seconds, most_memory):
    """Prints the table; yields the names of the attacks that could not be measured."""
    print(HEAD, flush=True)
    for kind in ATTACKS:
        if names and kind.name not in names:
            continue
        place = folder / kind.name
        place.mkdir()
        try:
            print(judge(place, kind, sizes_of(kind, quick, given), seconds, most_memory).row(), flush=True)
        except Exception as error:
            print(f"| {kind.name} | could not be measured: {error} |" + " |" * 7, flush=True)
            yield kind.name
        shutil.rmtree(place, ignore_errors=True)

"""P5: rebuilds a read model from a long mixed history while it serves reads."""
import json
import statistics
import threading
import time

from measures import Line
from processes import Load, Service, filled_by

LOOKS = 0.05
READERS = 4  # connections: too few to occupy all processors


def standing(service):
    rows = json.loads(service.ask("GET", "/operator/v1/status", service.token)[1])["data"]["projections"]
    return next(row for row in rows if row["name"] == "registry")


class Rebuild:
    """Rebuilds the registry, compares and switches; measures the fold's time, the total time and the peak memory."""

    def __init__(self, service):
        self.folding = self.whole = self.memory = 0
        service.ask("POST", "/operator/v1/projections/registry/release", service.token, {})
        began = time.monotonic()
        generation = service.post("/operator/v1/projections/registry/rebuild", service.token, {})["generation"]
        while (row := standing(service))["generation"] != generation:
            building = row["building"]
            if not building or building["state"] == "faulted":
                raise RuntimeError(row["reason"])
            if building["lagEvents"] == 0 and not self.folding:
                self.folding = time.monotonic() - began
            self.memory = max(self.memory, service.resident())
            time.sleep(LOOKS)
        self.whole = time.monotonic() - began
        self.folding = self.folding or self.whole


def p5_rebuild(folder, events, seconds):
    data, about = filled_by("bench_fill_mixed", events)
    with Service(folder, data) as service:
        service.wait_until_idle()
        alone = Rebuild(service)
        yield Line("P5", f"{about['events']:,} mixed events folded into the registry again in {alone.folding:.1f} s, "
                         f"compared and switched to in {alone.whole:.1f} s: events/s",
                   about["events"] / alone.folding, 300_000, at_least=True)
        yield Line("P5", "… the most memory meanwhile", alone.memory, 1_024, unit=" MB")
        requests = [("GET", f"/api/v1/farms/{of['farm']}/fields/{of['field']}/blocks/{of['block']}/plants?page=1&limit=20",
                     of["key"], "") for of in about["readers"]]
        load = Load(folder, "rebuild", requests)
        before = statistics.median(load.run(service.address, READERS, seconds)["p99"] for _ in range(3))
        failed, during = [], []

        def again():
            try:
                Rebuild(service)
            except Exception as error:
                failed.append(error)

        building = threading.Thread(target=again)
        building.start()
        while building.is_alive():
            during.append(load.run(service.address, READERS, seconds)["p99"])
        if failed:
            raise failed[0]
        after = statistics.median(during)
        yield Line("P5", f"… p99 of {READERS} readers of lists meanwhile: {after / 1000:.2f} ms against "
                         f"{before / 1000:.2f} ms before", after / before, 2, unit="×")

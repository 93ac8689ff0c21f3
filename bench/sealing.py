"""What it costs that a log is sealed: the same work with two services, one of which has an unsealed log, in turns."""
import json

from measures import FIELD, OWNERS, Line, middle, pairs, rates
from peer_measures import measured
from processes import Load, Service
from rebuild import Rebuild

MOST = 1.05  # times the processor time without


def log_end(service):
    status = json.loads(service.ask("GET", "/operator/v1/status", service.token)[1])["data"]
    return sum(row["end"] for row in status["log"]["partitions"])


def price(what, sealed, bare):
    return Line("sealing", f"{what}: {rates(sealed, bare)}, processor time", middle(sealed, bare, "cpu"), MOST, unit="×")


def rebuilt(service):
    """The processor time of a rebuild of the registry, for each event."""
    began, rebuild = service.cpu_seconds(), Rebuild(service)
    taken, events = service.cpu_seconds() - began, log_end(service)
    return {"cpu": 1e6 * taken / events, "perSecond": events / rebuild.whole}


def sealing(folder, seconds):
    with Service(folder, folder / "sealed") as sealed, Service(folder, folder / "unsealed", "--unsealed") as bare:
        loads = {}
        for service, name in ((sealed, "sealed"), (bare, "unsealed")):
            owners = [service.owner(number) for number in range(OWNERS)]
            fields = [service.post(f"{farm}/fields", key, {"name": "North", "area": "12.5", "notes": "Drains well in spring."})
                      for key, farm in owners]
            get = [("GET", f"{farm}/fields/{field['id']}", key, "") for (key, farm), field in zip(owners, fields)]
            post = [("POST", f"{farm}/fields", key, FIELD) for key, farm in owners]
            loads[service] = Load(folder, f"get-{name}", get), Load(folder, f"post-{name}", post, 201)
        for which, what in enumerate(("GET a field, 64 connections", "POST a field with a note, 64 connections")):
            run = lambda service: measured(service, loads[service][which], OWNERS, seconds)
            run(sealed), run(bare)  # warms up
            yield price(what, *pairs(5, lambda: run(sealed), lambda: run(bare)))
        yield price("events of a rebuild of the registry", *pairs(3, lambda: rebuilt(sealed), lambda: rebuilt(bare)))

"""What cells cost and divide: the threads of a node under P3's load, in one cell and in four."""
import collections
import pathlib
import statistics

from measures import FIELD, OWNERS, Line
from processes import Load, Service, cpu_seconds_of

CONNECTIONS = 64


def thread_seconds(process):
    """CPU seconds of each thread, by a name that is one thread's own."""
    seconds = collections.Counter()
    for task in pathlib.Path(f"/proc/{process}/task").iterdir():
        name = (task / "comm").read_text().strip()
        key = name if name == "http" else f"{name} {task.name}"
        seconds[key] += cpu_seconds_of(f"{process}/task/{task.name}")
    return seconds


class Loaded:
    """A service with so many cells, and owners whose fields are posted."""

    def __init__(self, folder, cells):
        self.service = Service(folder, folder / f"cells-{cells}", "--cells", str(cells))
        owners = [self.service.owner(f"-cells-{number}") for number in range(OWNERS)]
        self.load = Load(folder, f"cells-{cells}", [("POST", f"{farm}/fields", key, FIELD) for key, farm in owners], 201)

    def run(self, seconds):
        """CPU seconds for each POST, and the share of the busiest thread that serves no sockets."""
        before = thread_seconds(self.service.process.pid)
        done = self.load.run(self.service.address, CONNECTIONS, seconds)
        spent = thread_seconds(self.service.process.pid)
        spent.subtract(before)
        others = {name: time for name, time in spent.items() if name != "http"}
        busiest = max(others, key=others.get)
        total = sum(spent.values())
        return total / (done["perSecond"] * seconds), others[busiest] / total, busiest.split()[0], done["perSecond"]


def cells(folder, seconds):
    one, four = Loaded(folder, 1), Loaded(folder, 4)
    try:
        ratios, shares = [], []
        for _ in range(3):
            alone, share_alone, _, rate_alone = one.run(seconds)
            divided, share, busiest, rate = four.run(seconds)
            ratios.append(divided / alone)
            shares.append((share, busiest, share_alone))
        share, busiest, share_alone = sorted(shares)[1]
        yield Line("cells", f"POST fields, {CONNECTIONS} connections: share of the busiest thread but workers "
                            f"({busiest}), 4 cells; 1 cell: {share_alone:.2f}", share, 0.35)
        yield Line("cells", f"CPU of a POST, 4 cells ({1e6 * divided:.0f} µs, {rate:,.0f}/s) against 1 "
                            f"({1e6 * alone:.0f} µs, {rate_alone:,.0f}/s)", statistics.median(ratios), 1.05)
    finally:
        one.service.stop(30)
        four.service.stop(30)

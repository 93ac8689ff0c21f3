#!/usr/bin/env python3
"""Works out what a service of some size needs, from what is measured. docs/scale.md has the tables of the default size.

Usage: scripts/scale.py [--owners N] [--writes N] [--reads N] [--changes N] [--years N] [--nodes N] [--spread N]
       scripts/scale.py --write     puts the tables into docs/scale.md
"""
import argparse
import math
import pathlib
import re

PAGE = pathlib.Path(__file__).resolve().parents[1] / "docs/scale.md"
DAY, YEAR = 86_400, 365
BUSY = 0.5  # of what processors and threads can do at the peak: the rest is for what goes wrong meanwhile
COPIES = 2
REPLICAS = 3  # of a topic in Kafka
REBUILD = 2.5  # times the read models: those in use, and the free space that a rebuild asks for
FILL_MINUTES = 5  # in which a node should fill one partition

# What is measured: value, unit, what it is, and where it comes from. The processors are those of docs/benchmarks.md.
MEASURED = {
    "record_get": (15, "µs", "of processors for a `GET` of a record", "`bench/run scale`"),
    "list_get": (51, "µs", "of processors for a `GET` of a list of 20", "`bench/run scale`"),
    "record_bytes": (780, "bytes", "in the response to a `GET` of a record", "`bench/run scale`"),
    "list_bytes": (8_815, "bytes", "in the response to a `GET` of a list of 20", "`bench/run scale`"),
    "decide": (119, "µs", "of processors for a change, on the node that decides it", "`bench/run scale`, on Kafka"),
    "decide_thread": (51, "µs", "… of them on the thread that decides and folds", "`bench/run scale`, on Kafka"),
    "follow": (43, "µs", "of processors for a change, on every other node that holds its owner", "`bench/run scale`, on Kafka"),
    "follow_thread": (21, "µs", "… of them on the thread that decides and folds", "`bench/run scale`, on Kafka"),
    "kafka": (884, "bytes", "of one copy of an event in Kafka", "`bench/run scale`"),
    "rows": (80, "bytes", "of the read models and the index of the history for an event", "`bench/run scale`, mixed events"),
    "scratch": (500, "bytes", "of scratch space for an event while rows are folded in bulk", "[operations](operations.md#build-one-again)"),
    "fold": (262_000, "events/s", "read from Kafka and folded in bulk by two processors", "P4c of [benchmarks](benchmarks.md)"),
    "owner_memory": (1_263, "bytes", "of memory for an owner with one API key", "`bench/run scale`"),
    "owner_disk": (629, "bytes", "of disk for an owner with one API key", "`bench/run scale`"),
    "owner_start": (41, "µs", "of one processor at each start, for an owner with one API key", "`bench/run scale`"),
}


def plain(value):
    """Three digits, or all those before the point."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.{2 - math.floor(math.log10(value))}f}".rstrip("0").rstrip(".")


def scaled(units):
    """Says a value in the largest of some units, of which the last one fits always."""
    def form(value):
        scale, unit = next(((scale, unit) for scale, unit in units if value >= scale), units[-1])
        return f"{plain(value / scale)} {unit}".strip()
    return form


number = "{:,}".format
times = lambda value: f"{plain(value)}×"
count = scaled([(1e9, "billion"), (1e6, "million"), (1, "")])
size = scaled([(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1, "bytes")])
rate = lambda value: f"{size(value)}/s"
bits = scaled([(1e9, "Gbit/s"), (1e6, "Mbit/s")])


def duration(seconds):
    unit, name = (3_600, "h") if seconds >= 7_200 else (60, "min") if seconds >= 120 else (1, "s")
    return f"{plain(seconds / unit)} {name}"


class Sums:
    """Lines of a table: what, the arithmetic, the result."""

    def __init__(self):
        self.lines = []

    def add(self, what, arithmetic, value, form):
        self.lines.append([what, arithmetic, f"**{form(value)}**"])
        return value

    def table(self):
        return table(["", "Arithmetic", "Result"], self.lines)


def table(heads, rows):
    return "\n".join([f"| {' | '.join(heads)} |".replace("|  |", "| |"), "|---" * len(heads) + "|", *(f"| {' | '.join(row)} |" for row in rows)])


def measured(name):
    """A constant, and how it is written in arithmetic."""
    value, unit, *_ = MEASURED[name]
    return value, f"{number(value)} {unit}".replace(" events/s", "/s")


def of_history(given, sums):
    kafka, kafka_bytes = measured("kafka")
    fold, fold_rate = measured("fold")
    events = sums.add("events", f"{number(given.owners)} owners × {given.changes} changes a day × {YEAR} days × {given.years}",
                      given.owners * given.changes * YEAR * given.years, count)
    mean = sums.add("changes a second, on average", f"{number(given.owners)} × {given.changes} / {number(DAY)}",
                    given.owners * given.changes / DAY, plain)
    sums.add("the peak, as a multiple of the average", f"{number(given.writes)} / {plain(mean)}", given.writes / mean, times)
    copy = sums.add("one copy of the history", f"{count(events)} × {kafka_bytes}", events * kafka, size)
    sums.add("the disks of all brokers", f"{size(copy)} × {REPLICAS} copies", copy * REPLICAS, size)
    sums.add("written to each of three brokers at the peak", f"{number(given.writes)}/s × {kafka_bytes}", given.writes * kafka, rate)
    each = sums.add(f"events that a node folds in {FILL_MINUTES} minutes", f"{fold_rate} × {FILL_MINUTES} × 60", fold * FILL_MINUTES * 60, count)
    sums.add("partitions that are filled in that time, in twelves", f"{count(events)} / {count(each)}, to the next multiple of 12",
             math.ceil(events / each / 12) * 12, number)
    return events


def of_reads(given, sums):
    """Half of the reads are of records, half of lists."""
    (one, one_micros), (many, many_micros) = measured("record_get"), measured("list_get")
    (small, small_bytes), (large, large_bytes) = measured("record_bytes"), measured("list_bytes")
    processors = sums.add("processors for reads", f"{number(given.reads)}/s × ({one_micros} + {many_micros}) / 2",
                          given.reads * (one + many) / 2e6, plain)
    sums.add("network of responses, not compressed", f"{number(given.reads)}/s × ({small_bytes} + {large_bytes}) / 2 × 8",
             given.reads * (small + large) * 4, bits)
    return processors


def of_a_node(given, sums, events, reads, nodes, holders):
    """What each of so many nodes needs if each owner is on so many of them."""
    (decide, decide_micros), (follow, follow_micros) = measured("decide"), measured("follow")
    (thread, thread_micros), (behind, behind_micros) = measured("decide_thread"), measured("follow_thread")
    (key, key_bytes), (disk, disk_bytes), (start, start_micros) = measured("owner_memory"), measured("owner_disk"), measured("owner_start")
    (row, row_bytes), (scratch, scratch_bytes), (fold, fold_rate) = measured("rows"), measured("scratch"), measured("fold")
    owners, writes, others = number(given.owners), f"{number(given.writes)}/s", holders - 1
    if holders < nodes:
        reads = sums.add("processors for reads, if forwarding one costs as much again", f"{plain(reads)} × (1 + ({nodes} - {holders}) / {nodes})",
                         reads * (1 + (nodes - holders) / nodes), plain)
    changes = sums.add("processors for changes, on all nodes", f"{writes} × ({decide_micros} + {others} × {follow_micros})",
                       given.writes * (decide + others * follow) / 1e6, plain)
    sums.add("processors of a node, half of them idle at the peak", f"({plain(reads)} + {plain(changes)}) / {nodes} nodes / {BUSY}",
             (reads + changes) / nodes / BUSY, plain)
    busy = sums.add("share of the time that the thread which decides and folds is busy", f"{writes} × ({thread_micros} + {others} × {behind_micros}) / {nodes}",
                    given.writes * (thread + others * behind) / nodes / 1e6, plain)
    sums.add("changes a second that keep it half busy", f"{number(given.writes)} × {BUSY} / {plain(busy)}", given.writes * BUSY / busy, plain)
    held = events
    if holders < nodes:
        held = sums.add("events of the owners that a node holds", f"{count(events)} × {holders} / {nodes}", events * holders / nodes, count)
    sums.add("memory for the keys of all owners", f"{owners} × {key_bytes}", given.owners * key, size)
    rows = sums.add("read models", f"{count(held)} × {row_bytes} + {owners} × {disk_bytes}", held * row + given.owners * disk, size)
    sums.add("disk, with the space to rebuild them in bulk", f"{REBUILD} × {size(rows)} + {count(held)} × {scratch_bytes}", REBUILD * rows + held * scratch, size)
    sums.add("reading the keys at each start", f"{owners} × {start_micros}", given.owners * start / 1e6, duration)
    sums.add("filling an empty node", f"{count(held)} / {fold_rate}", held / fold, duration)
    sums.add("copying the read models of another node at 1 Gbit/s", f"{size(rows)} × 8 / 1 Gbit/s", rows * 8 / 1e9, duration)
    missed = given.owners * given.changes / DAY * 3_600 * held / events
    sums.add("catching up after an hour away", f"{count(missed)} events × {behind_micros}", missed * behind / 1e6, duration)


def tables(given):
    """The page's tables by name."""
    constants = table(["Measured", "", "Where"], [[f"{number(value)} {unit}", what, where] for value, unit, what, where in MEASURED.values()])
    history, reads, now, spread = Sums(), Sums(), Sums(), Sums()
    events = of_history(given, history)
    processors = of_reads(given, reads)
    of_a_node(given, now, events, processors, given.nodes, given.nodes)
    of_a_node(given, spread, events, processors, given.spread, COPIES)
    return {"constants": constants, "history": history.table(), "reads": reads.table(), "now": now.table(), "spread": spread.table()}


def filled(page, given):
    """The page with the tables of that size."""
    for name, text in tables(given).items():
        page, places = re.subn(rf"(<!-- scripts/scale.py {name} -->\n).*?(<!-- end -->)", lambda found: f"{found[1]}{text}\n{found[2]}", page, flags=re.S)
        assert places == 1, f"docs/scale.md has {places} places for the table {name}"
    return page


def sizes(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default, what in (("owners", 1_000_000, "owners, each with one API key"), ("writes", 10_000, "changes a second at the peak"),
                                ("reads", 100_000, "reads a second at the peak"), ("changes", 10, "changes of an owner in a day, on average"),
                                ("years", 1, "years of history"), ("nodes", 3, "nodes that hold everything"),
                                ("spread", 8, f"nodes, if each owner is on {COPIES} of them")):
        parser.add_argument(f"--{name}", type=int, default=default, help=f"{what} ({default:,})")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/scale.md")
    return parser.parse_args(arguments)


def main():
    given = sizes()
    if given.write:
        PAGE.write_text(filled(PAGE.read_text(), given))
        return
    for name, text in tables(given).items():
        print(f"{name}\n{text}\n")


if __name__ == "__main__":
    main()

"""Nodes come and go: what that moves, and how evenly the partitions are held."""
from measures import Line
from processes import tool

CHANGES = 10_000


def placement(quick):
    found = tool("bench_placement", CHANGES // 10 if quick else CHANGES)
    yield Line("placement", "copies moved per copy that had to, 100 nodes, 4,096 partitions, 2 copies", found["movesPerIdeal"], 1.1)
    yield Line("placement", "partitions of the node that holds most, against the mean", found["mostAgainstMean"], 1.15)
    yield Line("placement", "time to work out who holds what", found["microseconds"] / 1_000, 20, unit=" ms")

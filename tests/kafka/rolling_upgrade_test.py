"""Nodes of two releases serve side by side while a cluster is upgraded, node by node, and one goes back."""
import pytest

from divided_test import PARTITIONS, Cluster, Load, ask, id_of
from receiver import eventually
from service import BROKERS

pytestmark = pytest.mark.skipif(not BROKERS, reason="needs a broker")

FORMER = ("--test-release", "0.0.9")  # its rows are of no use to this release, and the other way round


def restart(cluster, node, other, load, flags):
    """As an operator does: drained, stopped, and started as another release."""
    load.entries.remove(node)
    assert "may be stopped" in ask(other, "nodes", "drain", id_of(node))
    before = load.count()
    eventually(lambda: load.count() > before + 10)
    node.stop()
    node.flags = [flag for flag in node.flags if flag not in FORMER] + list(flags)
    node.start()
    eventually(lambda: cluster.is_settled(1, other) and not cluster.moving())
    load.entries.append(node)


def test_a_cluster_is_upgraded_node_by_node_and_refuses_nothing(tmp_path_factory):
    cluster = Cluster(tmp_path_factory.mktemp, copies=1)
    try:
        one, other = cluster.add(flags=FORMER), cluster.add(flags=FORMER)
        eventually(lambda: cluster.is_settled(1))

        def releases():
            return {each["node"]: each["version"] for each in one.operate("GET", "/operator/v1/nodes").data
                    if each["state"] == "live"}
        with Load(cluster, owners=4, pause=0.05) as load:
            restart(cluster, one, other, load, ())
            told = releases()
            assert told[id_of(other)] == FORMER[1] != told[id_of(one)]
            restart(cluster, other, one, load, ())
            assert set(releases().values()) == {told[id_of(one)]}
            restart(cluster, other, one, load, FORMER)  # and back
            assert not load.refused, load.refused[:3]
        for node in cluster.nodes:
            load.check(node)
        assert set.union(*cluster.holdings().values()) == PARTITIONS
    finally:
        cluster.end()

"""The words for links, by NOTATION section 1.2."""

import pytest

from shardlang.semantics.topology import KINDS, Topology, parse_topology


@pytest.mark.parametrize(
    "text",
    [
        *KINDS,
        "ring:2",
        "ring:3",
        "ring:M_X",
        "line:M",
        "line:2",
        "node:sharp",
        "node+scale-out",
        "node:sharp+scale-out+spine:sharp",
        "ring+dcn",
    ],
)
def test_what_is_read_prints_the_same(text):
    found = parse_topology(text)
    assert found is not None
    assert found.text == text


def test_physical_axes():
    assert parse_topology("ring:2") == Topology("ring", 2)
    assert parse_topology(" ring:1 ") == parse_topology("ring") == Topology("ring", 1)


@pytest.mark.parametrize(
    "text",
    [
        "torus",
        "ring:9",
        "ring:X",
        "ring:M_",
        "ring:M_slice",
        "node:M_X",
        "ring:",
        "node:2",
        "dcn:2",
        "",
        "ring2",
        "Ring",
        "ring:sharp",
        "dcn:sharp",
        "scale-out+node",
        "node+node",
        "node+",
        "+",
    ],
)
def test_what_is_no_topology(text):
    assert parse_topology(text) is None


def test_levels_from_the_inside():
    found = parse_topology("node:sharp+scale-out")
    assert found == Topology("node", reduces=True, beyond=(Topology("scale-out"),))
    assert [level.text for level in found.levels] == ["node:sharp", "scale-out"]

"""Did-you-mean: close in spelling, case worth less than a letter."""

import pytest

from shardlang.diagnostics import did_you_mean


@pytest.mark.parametrize(
    ("word", "candidates", "expected"),
    [
        ("x", ["X", "Y"], "X"),
        ("modl", ["data", "model"], "model"),
        ("tpu-v5", ["tpu-v5p", "h100"], "tpu-v5p"),
        ("AllGahter", ["AllGather", "AllReduce", "AllToAll"], "AllGather"),
        ("expert", ["data", "model"], None),
        ("", ["X"], None),
        ("X", [], None),
    ],
)
def test_did_you_mean(word: str, candidates: list[str], expected: str | None) -> None:
    assert did_you_mean(word, candidates) == expected


def test_order_of_candidates_does_not_matter() -> None:
    assert did_you_mean("XZ", ["XY", "XX"]) == did_you_mean("XZ", ["XX", "XY"])

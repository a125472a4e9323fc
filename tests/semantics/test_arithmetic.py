"""Arithmetic on sizes: exact, bounded, and never run as code."""

import time

import pytest

from shardlang.semantics.size import Monomial, dim_symbol, of
from tests.semantics.helpers import resolved


@pytest.mark.parametrize(
    ("size", "value"),
    [
        ("4096", 4096),
        ("1e9", 10**9),
        ("8_192", 8192),
        ("4*1024 + 1", 4097),
        ("2**10", 1024),
        ("2^10", 1024),
        ("7 // 2", 3),
        ("8 / 2", 4),
        ("(1 + 2) * 3", 9),
        ("2**3**2", 512),
        ("10 - 3 - 2", 5),
        ("0.5 * 8", 4),
    ],
)
def test_known_sizes_are_computed(size, value):
    found = resolved(f"let B = {size}\nA[B]")
    assert found.program.sizes["B"] == Monomial(value)
    assert found.codes == []


def test_symbolic_sizes_stay_monomials():
    found = resolved("let F = 4*D, K = D/8, N = D**2\nA[F, D, K, N]")
    d = of(dim_symbol("D"))
    assert (found.program.sizes["F"], found.program.sizes["K"], found.program.sizes["N"]) == (4 * d, d / 8, d**2)


@pytest.mark.parametrize(
    "size",
    [
        "0",
        "-4",
        "2.5",
        "7 / 2",
        "1 / 0",
        "1 // 0",
        "9**9**9",
        "2**4096",
        "1e999",
        "0 ** -1",
        "D + 1",
        "D // 2",
    ],
)
def test_bad_sizes_are_findings(size):
    started = time.thread_time()
    found = resolved(f"let B = {size}\nA[B, D]")
    assert "SL207" in found.codes
    assert not found.program.statements[0].ok
    assert found.program.statements[1].ok
    assert time.thread_time() - started < 1


def test_repeated_powers_are_bounded():
    found = resolved("let B = (((D**60)**60)**60)**60\nA[B, D]")
    assert found.codes == ["SL207"]

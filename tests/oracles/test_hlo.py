"""What XLA compiled: we never need more bytes, and on plain cases the collectives are of the same kinds.

`make test` judges every twentieth record and `make test-all` the others too.
"""

import pytest

from tests.oracles.judge_hlo import (
    PART_OF_AN_AXIS,
    judge_bytes,
    judge_kinds,
    kinds_count,
    split_axis,
)
from tests.oracles.product import Product
from tests.oracles.records import Record, compare_with_known, read_jsonl

_PARTS = [0, *(pytest.param(part, marks=pytest.mark.slow) for part in range(1, 20))]


def _records() -> dict[str, Record]:
    return {record["id"]: record for record in read_jsonl("jax_hlo.jsonl")}


@pytest.mark.parametrize("part", _PARTS)
def test_never_more_bytes_than_xla(part: int) -> None:
    records = _records()
    assert len(records) == 2309
    judged = [record for name, record in list(records.items())[part::20] if name not in PART_OF_AN_AXIS]
    problems = {record["id"]: judge_bytes(Product(), record) for record in judged}
    assert {name: why for name, why in problems.items() if why} == {}


@pytest.mark.parametrize("name", sorted(PART_OF_AN_AXIS))
def test_part_of_an_axis_is_met_with_the_axis_as_a_product(name: str) -> None:
    record = _records()[name]
    assert any(one.get("partial_axis") for one in record["collectives"])
    assert judge_bytes(Product(), record), "met as it stands: take it from the list"
    assert judge_bytes(Product(), split_axis(record)) == []


def test_same_kinds_on_one_axis() -> None:
    plain = [record for record in _records().values() if kinds_count(record)]
    problems: dict[str, list[str]] = {}
    compared = 0
    for record in plain:
        for idle in (False, True):
            why, equal = judge_kinds(Product(), record, idle_axes=idle)
            problems.setdefault(record["id"], []).extend(why)
            compared += equal
    print(f"{compared} of {2 * len(plain)} have equal bytes")
    assert compare_with_known("jax_hlo", problems) == []
    assert compared >= 40

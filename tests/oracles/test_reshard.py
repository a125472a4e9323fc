"""Reshards: never more bytes than the recorded optimum, never fewer than the information bound; each plan is run.

`make test` judges every sixteenth record and `make test-all` the others too.
"""

import pytest

from tests.oracles.judge_reshard import judge_reshard
from tests.oracles.product import Product
from tests.oracles.records import read_jsonl

_PARTS = [0, *(pytest.param(part, marks=pytest.mark.slow) for part in range(1, 16))]


@pytest.mark.parametrize("part", _PARTS)
def test_reshards_cost_at_most_the_optimum(part: int) -> None:
    records = read_jsonl("reshard.jsonl")
    assert len(records) == 1126
    problems = {record["id"]: judge_reshard(Product(), record) for record in records[part::16]}
    assert {name: why for name, why in problems.items() if why} == {}

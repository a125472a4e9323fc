"""JAX's explicit sharding mode where an output is asked for, and where it refuses what the notation can say.

`make test` judges every 24th record, `make test-all` the others too. Every plan for nothing asked is run, and every
fifth for an output.
Left out are JAX's "reduced" axes, which the notation does not have.
"""

from collections import Counter

import pytest

from tests.oracles.judge_asked import judge_asked, judge_open
from tests.oracles.product import Product
from tests.oracles.records import read_jsonl

_PARTS = [0, *(pytest.param(part, marks=pytest.mark.slow) for part in range(1, 24))]


@pytest.mark.parametrize("part", _PARTS)
def test_a_right_plan_for_what_is_asked(part: int) -> None:
    records = [record for record in read_jsonl("jax_explicit_rest.jsonl") if "asked" in record]
    assert len(records) == 3177
    problems = {
        record["id"]: judge_asked(Product(), record, run=number % 5 == 0)
        for number, record in enumerate(records[part::24])
    }
    assert {name: why for name, why in problems.items() if why} == {}


@pytest.mark.parametrize("part", _PARTS)
def test_natural_outputs_where_jax_refuses(part: int) -> None:
    records = [record for record in read_jsonl("jax_explicit_rest.jsonl") if "asked" not in record]
    assert len(records) == 1062
    problems, reasons = {}, Counter[str]()
    for record in records[part::24]:
        problems[record["id"]], reason = judge_open(Product(), record, run=True)
        reasons[reason] += 1
    print(dict(reasons))
    assert {name: why for name, why in problems.items() if why} == {}

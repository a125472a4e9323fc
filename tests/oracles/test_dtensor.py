"""Operations of DTensor, and the local rules of one axis that brute force found.

`make test` judges every twentieth operation and every local rule, `make test-all` the other operations too.
"""

from collections import Counter

import pytest

from tests.oracles.judge_dtensor import (
    NO_SUCH_OPERATION,
    NOT_BUILT,
    STRIDED,
    judge_explicit,
    judge_operation,
    judge_rule,
    left_out,
    run_operation,
)
from tests.oracles.product import Product
from tests.oracles.records import Record, read_jsonl

_PARTS = [0, *(pytest.param(part, marks=pytest.mark.slow) for part in range(1, 20))]


def _split() -> tuple[list[Record], list[Record], Counter[str]]:
    """Return the operations, the local rules, and how many records are left out, by reason."""
    records = read_jsonl("dtensor_ops.jsonl")
    reasons = Counter(why for why in map(left_out, records) if why)
    kept = [record for record in records if not left_out(record)]
    rules = [record for record in kept if "valid_out" in record]
    return [record for record in kept if "valid_out" not in record], rules, reasons


def test_what_is_left_out() -> None:
    operations, rules, reasons = _split()
    assert reasons == {NO_SUCH_OPERATION: 70, STRIDED: 11}
    assert (len(operations), len(rules)) == (2860, 161)


@pytest.mark.parametrize("part", _PARTS)
def test_legal_and_never_more_bytes(part: int) -> None:
    operations, _, _ = _split()
    problems, known = {}, Counter[str]()
    for number, record in enumerate(operations[part::20]):
        problems[record["id"]], reason = judge_operation(Product(), record)
        known.update([reason] if reason else [])
        if number % 5 == 0:
            problems[record["id"]] += run_operation(Product(), record)
    print(f"{len(problems)} records; {dict(known)}")
    assert {name: why for name, why in problems.items() if why} == {}
    assert set(known) <= {NOT_BUILT}
    assert sum(known.values()) < len(problems) / 20


def test_local_rules() -> None:
    _, rules, _ = _split()
    problems = {f"{record['id']} {record['op']}": judge_rule(record) for record in rules}
    assert {name: why for name, why in problems.items() if why} == {}


def test_local_rules_under_explicit() -> None:
    _, rules, _ = _split()
    verdicts = {f"{record['id']} {record['op']}": judge_explicit(Product(), record) for record in rules}
    assert {name: why for name, (why, _) in verdicts.items() if why} == {}
    assert sum(reason is not None for _, reason in verdicts.values()) <= 3

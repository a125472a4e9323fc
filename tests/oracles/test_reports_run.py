"""The plans of the public reports, run on a simulated mesh."""

import pytest

from tests.oracles.execution import run_report
from tests.oracles.judge_reports import report_options
from tests.oracles.product import Product
from tests.oracles.records import Record, read_jsonl

_VALID = [
    record
    for record in read_jsonl("reports.jsonl")
    if record["in_notation"] and record["expected"]["verdict"] == "valid"
]


@pytest.mark.parametrize("record", _VALID, ids=lambda record: record["id"])
def test_the_plan_of_a_report_is_right(record: Record) -> None:
    given = report_options(record)
    report = Product().check(record["plan"], alternatives=False, **given)
    assert report["ok"]
    assert run_report(record["plan"], given, report) == []

"""Public reports, worked out from first principles."""

import pytest

from tests.oracles.judge_reports import judge_report
from tests.oracles.product import Product
from tests.oracles.records import Record, compare_with_known, read_jsonl, share_right


def judge(product: Product, record: Record) -> list[str]:
    """Return the problems of a report. What the product raises is a problem too."""
    try:
        return judge_report(product, record)
    except Exception as error:
        return [f"{type(error).__name__}: {error}"]


@pytest.fixture(scope="module")
def problems() -> dict[str, list[str]]:
    return {record["id"]: judge(Product(), record) for record in read_jsonl("reports.jsonl") if record["in_notation"]}


def test_reports(problems: dict[str, list[str]]) -> None:
    assert len(problems) == 44
    assert compare_with_known("reports", problems) == []


def test_at_least_85_percent_are_right(problems: dict[str, list[str]]) -> None:
    print(f"{sum(not why for why in problems.values())}/{len(problems)}")
    assert share_right(problems) >= 0.85

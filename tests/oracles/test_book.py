"""The records of the book that this state of the project has to meet, and those of the reading note."""

from collections import Counter

import pytest

from tests.oracles.judge_costs import judge_costs
from tests.oracles.judge_parse import judge_parse
from tests.oracles.judge_steps import judge_steps
from tests.oracles.product import Product
from tests.oracles.records import HERE, Record, compare_with_known, read_jsonl, share_right

_NAMED = set((HERE / "judged_now.txt").read_text("utf-8").split())
_SEED_KINDS = ("parse", "check-", "infer-")


def judge(product: Product, record: Record) -> list[str]:
    """Return the problems of a record of any kind. What the product raises is a problem too."""
    kind = record["kind"]
    try:
        if kind == "parse":
            return judge_parse(product, record)
        return judge_steps(product, record) if kind.startswith(("check-", "infer-")) else judge_costs(product, record)
    except Exception as error:
        return [f"{type(error).__name__}: {error}"]


@pytest.fixture(scope="module")
def book() -> list[Record]:
    return read_jsonl("book.jsonl")


@pytest.fixture(scope="module")
def problems(book: list[Record]) -> dict[str, list[str]]:
    return {record["id"]: judge(Product(), record) for record in book if record["id"] in _NAMED}


def test_every_named_record_is_judged(problems: dict[str, list[str]]) -> None:
    assert set(problems) == _NAMED
    assert len(problems) == 150


def test_records_of_the_book(problems: dict[str, list[str]]) -> None:
    assert compare_with_known("book", problems) == []


def test_at_least_95_percent_are_right(problems: dict[str, list[str]], book: list[Record]) -> None:
    kinds = {record["id"]: record["kind"] for record in book}
    right, judged = Counter[str](), Counter[str]()
    for name, why in problems.items():
        judged[kinds[name]] += 1
        right[kinds[name]] += not why
    print({kind: f"{right[kind]}/{judged[kind]}" for kind in sorted(judged)})
    assert share_right(problems) >= 0.95


def test_every_record_of_the_reading_note(book: list[Record]) -> None:
    records = [
        record
        for record in book
        if record["id"].startswith("seed-") and record["plan_is_notation"] and record["kind"].startswith(_SEED_KINDS)
    ]
    assert len(records) == 22
    assert {record["id"]: why for record in records if (why := judge(Product(), record))} == {}

"""The records of the book and of the reading note, put to the command line."""

from collections import Counter

import pytest

from tests.oracles.command_line import CommandLine
from tests.oracles.judge_book import judge_record, judged_records
from tests.oracles.records import Record, compare_with_known, share_right
from tests.oracles.worked import problems as worked_problems

_SEED_KINDS = ("parse", "check-", "infer-")


@pytest.fixture(scope="module")
def book() -> list[Record]:
    return judged_records()


@pytest.fixture(scope="module")
def problems(book: list[Record]) -> dict[str, list[str]]:
    return {record["id"]: judge_record(CommandLine(), record) for record in book}


def test_every_record_is_judged(problems: dict[str, list[str]]) -> None:
    assert len(problems) == 287
    assert set(worked_problems()) - {"texts", "remarks"} <= set(problems)


def test_records_of_the_book(problems: dict[str, list[str]]) -> None:
    assert compare_with_known("book", problems) == []


def test_at_least_97_percent_are_right(problems: dict[str, list[str]], book: list[Record]) -> None:
    kinds = {record["id"]: record["kind"] for record in book}
    right, judged = Counter[str](), Counter[str]()
    for name, why in problems.items():
        judged[kinds[name]] += 1
        right[kinds[name]] += not why
    print({kind: f"{right[kind]}/{judged[kind]}" for kind in sorted(judged)})
    assert share_right(problems) >= 0.97


def test_every_record_of_the_reading_note(book: list[Record]) -> None:
    records = [
        record
        for record in book
        if record["id"].startswith("seed-") and record["plan_is_notation"] and record["kind"].startswith(_SEED_KINDS)
    ]
    assert len(records) == 22
    assert {record["id"]: why for record in records if (why := judge_record(CommandLine(), record))} == {}

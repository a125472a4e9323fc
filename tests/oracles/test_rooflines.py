"""A question about a small batch asked through Python; `worked.toml` puts the book's others to the command line."""

from typing import Any

import pytest

import shardlang
from tests.oracles.formulas import read_formula, renamed, same_formula
from tests.oracles.judge_costs import compute_bound_relation
from tests.oracles.records import read_jsonl

(RECORD,) = (record for record in read_jsonl("book.jsonl") if record["id"] == "ro-int8-243")
TEXT = "X[B,D] · W[D,F] -> Y[B,F]"
KEYWORDS: dict[str, Any] = {"hardware": "tpu-v5e", "dtype": "int8", "sizes": {"W_hbm": 8.1e11}, "assume": "B << D, F"}
THRESHOLD = renamed(read_formula(RECORD["expected"]["threshold"]), {"C_int8": "C"})


def test_the_answer_is_that_of_the_record() -> None:
    (found,) = shardlang.crossover(TEXT, "B", **KEYWORDS).crossovers
    assert same_formula(read_formula(str(found.threshold)), THRESHOLD)
    assert found.relation == compute_bound_relation(RECORD["expected"])
    assert found.value == pytest.approx(RECORD["expected"]["value"], rel=RECORD["tolerance"]["rel"])


@pytest.mark.parametrize("change", [{"assume": "D << B, F"}, {"dtype": "bf16"}, {"assume": ()}])
def test_another_question_has_another_answer(change: dict[str, Any]) -> None:
    """What this test would say of a wrong assumption, a wrong type, or terms that are not left out."""
    report = shardlang.crossover(TEXT, "B", **{**KEYWORDS, **change})
    right = [
        same_formula(read_formula(str(found.threshold)), THRESHOLD)
        and found.value == pytest.approx(RECORD["expected"]["value"], rel=RECORD["tolerance"]["rel"])
        for found in report.crossovers
    ]
    assert not any(right)

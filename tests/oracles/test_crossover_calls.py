"""The records of the book about crossovers and optima, each by the call that `crossover_calls` has for it."""

from typing import Any

import pytest

import shardlang
from shardlang.cost.values import evaluate
from tests.oracles.crossover_calls import CALLS, Call
from tests.oracles.formulas import read_formula, renamed, same_formula
from tests.oracles.judge_costs import compute_bound_relation
from tests.oracles.records import Record, read_jsonl

RECORDS = {record["id"]: record for record in read_jsonl("book.jsonl")}


def answer(call: Call) -> Any:
    """Return the report of a call."""
    report = getattr(shardlang, call.function)(call.text, *call.arguments, **call.keywords)
    assert report.ok, report.diagnostics
    return report


def crossover_of(report: Any, call: Call) -> Any:
    """Return the crossover that a record is about: of several that are enough, the one without further conditions."""
    found = report.optimum.crossovers if call.function == "optimum" else report.crossovers
    found = [one for one in found if one.between == call.between]
    assert found, (report.optimum if call.function == "optimum" else report).crossovers
    return min(found, key=lambda one: len(one.conditions))


def problems(record: Record, call: Call) -> list[str]:
    """Return what is wrong with the answer to a record."""
    expected, report = record["expected"], answer(call)
    if call.take == "crossover":
        found = crossover_of(report, call)
        return [
            *_formula(found.threshold, expected["threshold"], call),
            *_relation(found, record),
            *_value(found.value, record),
        ]
    if call.take in ("optimum", "objective"):
        best = report.optimum
        formula = best.place.formula if call.take == "optimum" else best.objective
        return [*_formula(formula, expected["formula"], call), *_value(best.place.value, record)]
    kind, _, axis = call.take.partition(" ")
    groups = {group.name.partition(":")[2]: group.time for group in report.estimate.groups}
    return _formula(groups[axis] if kind == "group" else getattr(report, kind), expected["formula"], call)


def _formula(found: Any, wanted: str, call: Call) -> list[str]:
    known = {**call.keywords.get("sizes", {})} if isinstance(call.keywords.get("sizes"), dict) else {}
    mesh = call.keywords.get("mesh") or ""
    known |= {name: int(size) for name, _, size in (part.partition("=") for part in mesh.split(",")) if size}
    known.setdefault("D_node", 8)
    left, right = read_formula(str(found)), renamed(read_formula(wanted), call.letters)
    return [] if same_formula(left, right, known) else [f"{left} instead of {right}"]


def _relation(found: Any, record: Record) -> list[str]:
    condition = record["expected"]["condition"]
    if "=" in condition or "bytes" in condition:  # words, an equation
        return []
    wanted = compute_bound_relation(record["expected"])
    return [] if found.relation == wanted else [f"{found.relation} instead of {wanted}"]


def _value(found: float | None, record: Record) -> list[str]:
    wanted = record["expected"].get("value")
    if wanted is None:
        return []
    near = found is not None and abs(found - wanted) <= record["tolerance"]["rel"] * abs(wanted)
    return [] if near else [f"value {found} instead of {wanted}"]


@pytest.mark.parametrize("name", sorted(set(CALLS) - {"at-fsdp"}))
def test_a_record_by_its_call(name: str) -> None:
    assert problems(RECORDS[name], CALLS[name]) == []


def test_a_record_that_puts_a_batch_against_its_bound() -> None:
    """468 tokens a chip are fewer than the 850 from which FSDP over three axes is compute-bound."""
    expected, call = RECORDS["at-fsdp"]["expected"], CALLS["at-fsdp"]
    report = answer(call)
    found = crossover_of(report, call)
    assert found.value == pytest.approx(expected["bound"])
    names = report.cost.estimate.pricer.names
    batch = evaluate(names.dim("B") / names.axis("X"), report.cost.estimate.values)
    assert batch == pytest.approx(expected["value"])
    (((_, condition)),) = [pair for pair in report.cost.estimate.conditions() if pair[0] == call.between]
    assert condition.holds(report.cost.estimate.values) is expected["compute_bound"]


@pytest.mark.parametrize(
    ("name", "planted"),
    [
        ("tr-opt", {"formula": "sqrt(B*M_Y*N/(F*M_X))"}),
        ("tr-opt-1", {"value": 13.9}),
        ("tr-mx-99", {"threshold": "2*alpha**2/(M*F)"}),
        ("tr-mx-99", {"value": 198.4}),
        ("in-2d-x", {"threshold": "36*F/D"}),
        ("sh-q4-x4", {"condition": "D < 2*B"}),
        ("tr-mx-tp", {"formula": "4*B*D/(X*W_ici*M_X)"}),
    ],
)
def test_a_planted_error_in_a_record_is_noticed(name: str, planted: dict[str, Any]) -> None:
    record = RECORDS[name]
    wrong = {**record, "expected": {**record["expected"], **planted}}
    assert problems(wrong, CALLS[name]) != []

"""Text that others wrote in the notation parses: the book's, also in its LaTeX, public reports, and JAX's cases."""

import json
from pathlib import Path

import pytest

from shardlang.source import SourceText
from shardlang.syntax import parse
from tests.syntax.printing import statement_text

ORACLES = Path(__file__).parents[1] / "oracles"


def records(name: str) -> list[dict]:  # type: ignore[type-arg]
    return [json.loads(line) for line in (ORACLES / name).read_text("utf-8").splitlines() if line]


def book() -> list[object]:
    rows = []
    for record in records("book.jsonl"):
        if not record.get("plan_is_notation"):
            continue
        if record.get("plan"):
            rows.append(pytest.param(record["plan"], id=record["id"]))
        if record.get("latex") and record["kind"].split("-")[0] in ("parse", "infer", "check"):
            rows.append(pytest.param(record["latex"], id=record["id"] + " latex"))
    return rows


def reports() -> list[object]:
    return [
        pytest.param(record["plan"], id=record["id"]) for record in records("reports.jsonl") if record["in_notation"]
    ]


@pytest.mark.parametrize("text", [*book(), *reports()])
def test_text_parses(text: str) -> None:
    module, findings = parse(SourceText(text))
    assert findings == ()
    assert module.statements
    for statement in module.statements:
        printed = statement_text(statement)
        (again,), more = parse(SourceText(printed))[0].statements, parse(SourceText(printed))[1]
        assert more == ()
        assert statement_text(again) == printed


def test_texts_from_jax_parse() -> None:
    texts = [
        line for line in (ORACLES / "jax_texts.txt").read_text("utf-8").splitlines() if line and "-> ?" not in line
    ]
    assert len(texts) > 1_000
    failing = [text for text in texts if "{R_" not in text and parse(SourceText(text))[1]]
    assert failing == []

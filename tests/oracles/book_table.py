"""The page `docs/book.md`: every worked problem of the book beside what shardlang answers, with the command that asks it.

The rows come from the records and from the command line, run anew; nothing on the page is typed by hand but its
introduction.
"""

from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from tests.oracles import worked
from tests.oracles.command_line import CommandLine
from tests.oracles.formulas import read_formula, renamed
from tests.oracles.judge_book import judge_record, judged_records
from tests.oracles.judge_costs import compute_bound, cost_options, letters, plan_text, quantity, value_of
from tests.oracles.judge_steps import check_options
from tests.oracles.product import Json, errors
from tests.oracles.records import Record, known_differences
from tests.oracles.worked import Answer

_CHAPTERS = {
    "roofline": "Rooflines",
    "tpus": "TPUs",
    "sharding": "Sharded matrices",
    "transformers": "Transformers",
    "training": "Training",
    "applied-training": "Training LLaMA 3",
    "inference": "Inference",
    "applied-inference": "Serving LLaMA 3",
    "profiling": "Profiling",
    "gpus": "GPUs",
    "seed": "A reading note",
}


class Row(NamedTuple):
    """One problem: `book` is what the book prints, `exact` the same worked out anew, `ours` what the product says."""

    record: Record
    book: str
    exact: str
    ours: str
    reason: str
    commands: tuple[str, ...]
    right: bool


@cache
def rows() -> tuple[Row, ...]:
    """Return the row of every record."""
    return tuple(_row(record) for record in judged_records())


def _row(record: Record) -> Row:
    product = CommandLine()
    known = known_differences("book").get(record["id"])
    wrong = judge_record(CommandLine(), record)
    answer = _attempt(product, record) if wrong else _asked(product, record)
    expected = record["expected"]
    reason = " ".join(
        text
        for text in (record["book_inconsistency"], worked.problems().get(record["id"], {}).get("reason"), known)
        if text
    )
    exact = _exact(record)
    return Row(
        record=record,
        book=_number(expected.get("book_value")) or (exact if "value" not in expected else "none printed"),
        exact=exact,
        ours=_told(answer, "value" in expected),
        reason=reason,
        commands=tuple(dict.fromkeys(product.commands)),
        right=not wrong,
    )


def _attempt(product: CommandLine, record: Record) -> Answer:
    """Return what the product answers to a record that it does not meet, nothing where the question cannot be put."""
    try:
        return _asked(product, record)
    except Exception:
        product.commands.clear()
        return Answer(None, None)


def _asked(product: CommandLine, record: Record) -> Answer:
    if record["id"] in worked.problems():
        return worked.ask(product, record)
    kind = record["kind"]
    if kind == "parse":
        report = product.parse(record["plan"], mesh=record["mesh"])
        return Answer("; ".join(statement["canonical"] or "" for statement in report["statements"]), None)
    if kind.startswith(("check-", "infer-")):
        return Answer(_verdict(product.check(record["plan"], **check_options(record))), None)
    return _priced(product, record)


def _priced(product: CommandLine, record: Record) -> Answer:
    """Return what the judge of costs compares."""
    if record["kind"].startswith("crossover"):
        (found,) = compute_bound(product, record)
        return Answer(found["formula"], found["value"], found["relation"])
    wanted = renamed(read_formula(record["expected"]["formula"]), letters(record))
    options = cost_options(record, {symbol.name for symbol in wanted.free_symbols})
    cost = product.cost(plan_text(record), **options)
    value = value_of(cost, record) if "value" in record["expected"] else None
    return Answer(str(quantity(cost, record, wanted)), value)


def _verdict(report: Json) -> str:
    """Return what `check` says, in one line."""
    if not report["ok"]:
        return "refused: " + ", ".join(dict.fromkeys(finding["code"] for finding in errors(report)))
    steps = [step for statement in report["statements"] for step in statement["steps"]]
    collectives = [_step(step) for step in steps if step["bytes_received"] != 0 and step["kind"] in _COLLECTIVES]
    output = report["statements"][-1]["output"] if report["statements"] else "accepted"
    return ", ".join(collectives or ["no communication"]) + f"; {output}"


_COLLECTIVES = ("AllGather", "ReduceScatter", "AllReduce", "AllToAll", "CollectivePermute")


def _step(step: Json) -> str:
    return str(step["text"].split()[0])


def _exact(record: Record) -> str:
    """Return the answer of a record as text."""
    expected = record["expected"]
    if "value" in expected:
        return _number(expected["value"]) + f" {expected.get('unit', '')}".rstrip()
    if "condition" in expected:
        return str(expected["condition"])
    if "formula" in expected:
        return str(expected["formula"])
    if record["kind"] == "parse":
        return str(record["plan"])
    if "error" in expected:
        return f"refused: {expected['error']}"
    if "collectives" in expected:
        moves = [f"{move['op']}_{{{''.join(move['axes'])}}}" for move in expected["collectives"]]
        return ", ".join(moves or ["no communication"]) + f"; {expected.get('output', 'accepted')}"
    return str(expected.get("output", "accepted"))


def _told(answer: Answer, numeric: bool) -> str:
    if numeric:
        return _number(answer.value) or "not met"
    text = answer.formula if answer.formula is not None else _number(answer.value)
    return f"{answer.relation} {text}" if answer.relation and text else text or "not met"


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if 1e4 <= abs(value) < 1e9 and value == int(value) else f"{value:.4g}"


def page() -> str:
    """Return the page as Markdown."""
    found = rows()
    met = sum(row.right for row in found)
    lines = [_INTRODUCTION.format(count=len(found), met=met)]
    for chapter, title in _CHAPTERS.items():
        lines += _section(title, [row for row in found if row.record["chapter"] == chapter])
    return "\n".join(lines).rstrip() + "\n"


def _section(title: str, found: Iterable[Row]) -> list[str]:
    found = list(found)
    if not found:
        return []
    lines = [
        f"## {title}",
        "",
        "| | question | the book | exact | shardlang | where they differ |",
        "|---|---|---|---|---|---|",
    ]
    for row in found:
        cells = (row.record["question"], _code(row.book), _code(row.exact), _code(row.ours), row.reason)
        lines.append(f"| {row.record['id']} | " + " | ".join(_cell(cell) for cell in cells) + " |")
    lines += ["", f"### How the questions on {title} were put", ""]
    lines += ["```text"]
    for row in found:
        lines += [f"{row.record['id']}:", *(f"  {command}" for command in row.commands)] if row.commands else []
    return [*lines, "```", ""]


def _code(text: str) -> str:
    return f"`{text}`" if text and not text.startswith(("none", "not met", "accepted")) else text


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


_INTRODUCTION = """\
# The book's worked problems

{count} questions that [How to Scale Your Model](https://jax-ml.github.io/scaling-book/) answers, and {met} answers that shardlang
gives alike. *The book* is what it prints, often rounded on the way; *exact* the same worked out from its own inputs without rounding; *shardlang* what the command
below the table says. Where the numbers differ, or where the book's editions do, the last column has the reason. Formulas stand in the letters of their
texts: `V` is the bytes of a collective, and `N` may be a number of devices there and a dimension here.

This page is written by a test, which runs every command.
"""

"""The page `docs/book.md`: every worked problem of the book beside what shardlang answers, with the command that asks it.

The rows come from the records and from the command line, run anew; nothing on the page is typed by hand but its
introduction.
"""

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
    "jax-stuff": "Programming TPUs in JAX",
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
    taken: str
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
        text for text in (_remark(record), worked.problems().get(record["id"], {}).get("reason"), known) if text
    )
    exact = _exact(record)
    return Row(
        record=record,
        book=_printed(record, exact),
        exact=exact,
        ours=_told(answer, expected.get("unit") if "value" in expected else None),
        reason=reason,
        commands=tuple(dict.fromkeys(product.commands)),
        taken=worked.told(record) if record["id"] in worked.problems() else "",
        right=not wrong,
    )


def _remark(record: Record) -> str | None:
    """Return what the book's editions have otherwise."""
    remark: str | None = worked.problems()["remarks"].get(record["id"], record["book_inconsistency"])
    return remark


def _attempt(product: CommandLine, record: Record) -> Answer:
    """Return what the product answers to a record that it does not meet, nothing where the question cannot be put."""
    try:
        if record["kind"].startswith(_PRICED) and record["id"] not in worked.problems():
            return Answer(None, None)
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


def _printed(record: Record, exact: str) -> str:
    """Return what the book prints."""
    expected = record["expected"]
    if "book_value" in expected:
        return f"{_number(expected['book_value'])} {expected.get('unit', '')}".rstrip()
    return exact if "value" not in expected else "none printed"


def _told(answer: Answer, unit: str | None) -> str:
    """Return an answer as text. unit: of a number, None where the record has a formula."""
    if unit is not None:
        return f"{_number(answer.value)} {unit}".strip() if answer.value is not None else "no answer"
    return (answer.formula if answer.formula is not None else _number(answer.value)) or "no answer"


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if 1e4 <= abs(value) < 1e9 and value == int(value) else f"{value:.4g}"


def page() -> str:
    """Return the page as Markdown."""
    found = rows()
    priced = [row for row in found if row.record["kind"].startswith(_PRICED)]
    read = [row for row in found if row not in priced]
    met = sum(row.right for row in found)
    lines = [_INTRODUCTION.format(count=len(found), met=met, left=len(found) - met)]
    for chapter, title in _CHAPTERS.items():
        lines += _section(title, [row for row in priced if row.record["chapter"] == chapter])
    lines += _section("Reading, checking and inferring", read)
    assert sum(line.startswith(("| ✓", "| ≠")) for line in lines) == len(found)
    return "\n".join(lines).rstrip() + "\n"


def _section(title: str, found: list[Row]) -> list[str]:
    if not found:
        return []
    lines = [f"## {title}", "", "| | question | the book | exact | shardlang | remark |", "|---|---|---|---|---|---|"]
    for row in found:
        exact = "" if row.exact == row.book else _code(row.exact)
        cells = (row.record["question"], _code(row.book), exact, _code(row.ours), row.reason)
        sign = "✓" if row.right else "≠"
        lines.append(f"| {sign} {row.record['id']} | " + " | ".join(_cell(cell) for cell in cells) + " |")
    lines += ["", f"**{title}: the commands**", "", "```text"]
    for row in found:
        if row.commands:
            lines += [f"{row.record['id']}:  {row.taken}".rstrip(), *(f"  {command}" for command in row.commands)]
    return [*lines, "```", ""]


def _code(text: str) -> str:
    return f"`{text}`" if text and not text.startswith(("none", "no answer", "accepted")) else text


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


_PRICED = ("cost-", "crossover-", "memory", "optimum")

_INTRODUCTION = """\
# The book's worked problems

{count} questions that [How to Scale Your Model](https://jax-ml.github.io/scaling-book/), and one reader's notes on it, answer. {met} times
shardlang gives the same answer (✓), {left} times it does not (≠), with the reason. *The book* is what it prints, often rounded on the way; *exact*, where it
is another number, the same worked out from the book's own inputs without rounding, which is what shardlang is held to; *shardlang* what the command below the table says, and
beside the name of the question stands which part of the answer that is. Remarks say where the book's editions differ or are off: the snapshot is of
February 2025, the newest of 2026. Formulas stand in the letters of their texts: `V` is the bytes of a collective, `N` may be a number of devices there and a dimension here.
Numbers are in SI units: seconds, bytes, FLOPs, and 1 GB is 10⁹ bytes.

This page is written by a test, which runs every command.
"""

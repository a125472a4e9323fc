"""The book's worked problems as a reader puts them to shardlang: commands, and where in their JSON the answer stands.

`worked.toml` has them, by record:

run: a command, or several; `{plan}` is the plan of the record. pick: where the answer stands in the JSON of each,
as keys and numbers with dots (`statements.0.t_comms`); `[math|ici:X]` picks the entry between these two of a list, `[roof=hbm]` the one with that key; `collectives`
are those of `check` with their axes.
Several answers make one: combine = `ratio`, `sum` or `product`. letters: what letters of the record's formula are
called here, as formulas. of: the key of the formula in the record. known: sizes that the command sets and the formula
need not show. times: a formula by which the answer is multiplied, after it was
turned over where `inverse` says so; factor: the number of that; per: seconds in its unit. where: sizes in terms of
others that the question says (`F = 4*D`), put into the answer. number: only
the number is compared, as the formula of the record has only numbers that the command sets, or the answer has no formula; without
it such an answer is wrong. relation: on which side of the threshold the answer
has to be, where the condition of the record does not say it in symbols. reason: why the book prints something else, where the record does not say so.
"""

import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from sympy import simplify

from tests.oracles.command_line import CommandLine
from tests.oracles.formulas import read_formula, renamed, same_formula
from tests.oracles.judge_costs import compute_bound_relation
from tests.oracles.product import Json
from tests.oracles.records import HERE, Record


class Answer(NamedTuple):
    """What the product says: a formula, a number, a relation (`>` or `<`); None for what it does not say."""

    formula: str | None
    value: float | None
    relation: str | None = None


@cache
def problems() -> dict[str, dict[str, Any]]:
    """Return the entries of `worked.toml`; `texts` are put in for their names, `remarks` are instead of the records' own."""
    return tomllib.loads((HERE / "worked.toml").read_text("utf-8"))


def judge_worked(product: CommandLine, record: Record) -> list[str]:
    """Return the problems of one record that `worked.toml` puts to the product."""
    answer, expected = ask(product, record), record["expected"]
    if "collectives" in expected:
        wanted = ", ".join(f"{move['op']}_{''.join(move['axes'])}" for move in expected["collectives"])
        return [] if answer.formula == wanted else [f"{answer.formula} instead of {wanted}"]
    wrong = []
    text = expected.get(entry(record).get("of", ""), expected.get("threshold", expected.get("formula")))
    if not entry(record).get("number") and text is not None and not _is_number(text):
        wanted = renamed(read_formula(text), entry(record).get("letters", {}))
        if answer.formula is None:
            wrong.append("a number instead of a formula, and the entry does not say so")
        elif not same_formula(read_formula(answer.formula), wanted, entry(record).get("known")):
            wrong.append(f"{answer.formula} instead of {wanted}")
    value = expected.get("value", float(read_formula(text)) if _is_number(text) else None)
    if value is not None:
        tolerance = record["tolerance"].get("rel", 1e-9) * abs(value)
        if answer.value is None or abs(answer.value - value) > tolerance:
            wrong.append(f"value {answer.value} instead of {value}")
    elif answer.formula is None:
        wrong.append("no formula")
    if answer.relation is not None:
        relation = entry(record).get("relation") or compute_bound_relation(expected)
        if answer.relation != relation:
            wrong.append(f"relation {answer.relation} instead of {relation}")
    return wrong


def ask(product: CommandLine, record: Record) -> Answer:
    """Return what the product answers to a record."""
    given = entry(record)
    commands, picks = _several(given["run"]), _several(given["pick"])
    commands = [_filled(command, record) for command in commands]
    reports = [product.run(command) for command in commands]
    if len(reports) == 1:
        reports *= len(picks)
    if len(picks) == 1:
        picks *= len(reports)
    answers = [_answer(_pick(*pair)) for pair in zip(reports, picks, strict=True)]
    return _changed(_combined(answers, given.get("combine")), given)


def entry(record: Record) -> dict[str, Any]:
    """Return how a record is put to the product."""
    return problems()[record["id"]]


def _changed(answer: Answer, given: Mapping[str, Any]) -> Answer:
    """Return an answer times a symbol (seconds times bandwidth are bytes), with sizes in terms of others put in."""
    value = answer.value
    if value is not None and "per" in given:
        value /= given["per"]
    if value is not None and "factor" in given:
        value *= given["factor"]
    if answer.formula is None or not given.keys() & {"times", "where", "inverse"}:
        return answer._replace(value=value)
    formula = read_formula(f"({answer.formula})")
    if given.get("inverse"):
        formula, value = 1 / formula, None if value is None else 1 / value
    formula = formula * read_formula(given.get("times", "1"))
    return answer._replace(formula=str(simplify(renamed(formula, given.get("where", {})))), value=value)


def told(record: Record) -> str:
    """Return in words which part of the answer is taken, and what is done with it."""
    given = entry(record)
    parts = dict.fromkeys(_PART.sub(r"\1", pick.replace("|", " against ")) for pick in _several(given["pick"]))
    words = {"ratio": " over ", "sum": " + ", "product": " · "}.get(given.get("combine", ""), ", ").join(parts)
    if given.get("combine") == "ratio" and len(parts) == 1:
        words = f"{words} of the first over that of the second"
    words = f"1/({words})" if given.get("inverse") else words
    where = ", ".join(f"{name} = {size}" for name, size in given.get("where", {}).items())
    phrases = {"times": given.get("times"), "in units of seconds:": given.get("per"), "with": where}
    more = [f"{phrase} {what}" for phrase, what in phrases.items() if what]
    return ", ".join([words, *more])


_PART = re.compile(r"\[(?:\w+=)?([^\]]*)\]")


def _several(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


def _filled(command: str, record: Record) -> str:
    """Return a command with the plan of the record, and the texts that several share, put in."""
    texts = {**problems()["texts"], "plan": "; ".join((record["plan"] or "").splitlines())}
    assert "'" not in texts["plan"] or "{plan}" not in command, "a prime needs other quotes"
    for name, text in texts.items():
        command = command.replace(f"{{{name}}}", text)
    return command


def _is_number(text: str) -> bool:
    return not read_formula(text).free_symbols


def _pick(report: Json, path: str) -> Any:
    found: Any = report
    if path == "collectives":
        steps = [
            step for statement in report["statements"] for step in statement["steps"] if step["bytes_received"] != 0
        ]
        return Answer(", ".join(f"{step['kind']}_{''.join(step['axes'])}" for step in steps if step["axes"]), None)
    assert report["ok"], report["diagnostics"]
    for part in re.findall(r"\[[^\]]*\]|[^.]+", path):
        if part.startswith("["):
            key, _, wanted = part.strip("[]").rpartition("=")
            (found,) = (item for item in found if _key(item[key or "between"]) == wanted)
        else:
            found = found[int(part)] if part.isdigit() else found[part]
    return found


def _key(found: Any) -> str:
    return "|".join(found) if isinstance(found, list) else str(found)


def _answer(found: Any) -> Answer:
    if isinstance(found, Answer):
        return found
    if not isinstance(found, Mapping):
        return Answer(None, found)
    formula, value = found.get("formula"), found.get("value")
    if value is None and formula is not None and _is_number(formula):
        value = float(read_formula(formula))
    return Answer(formula, value, found.get("relation"))


def _combined(answers: Sequence[Answer], how: str | None) -> Answer:
    if how is None:
        (answer,) = answers
        return answer
    sign = {"ratio": "/", "sum": "+", "product": "*"}[how]
    formula = None
    if all(answer.formula is not None for answer in answers):
        formula = str(read_formula(sign.join(f"({answer.formula})" for answer in answers)))
    values = [answer.value for answer in answers]
    if any(value is None for value in values):
        return _answer({"formula": formula})
    first, *rest = (float(value or 0) for value in values)
    totals = {"ratio": first / math.prod(rest), "sum": first + sum(rest), "product": first * math.prod(rest)}
    return Answer(formula, totals[how])

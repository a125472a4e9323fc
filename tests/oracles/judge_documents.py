"""Judges of whole texts: the reading note, and the plans with famous bugs."""

import re
from pathlib import Path
from typing import NamedTuple

from tests.oracles.product import Json, Product, errors, fix_texts, tell_findings


class Place(NamedTuple):
    """A place in a document, counted from one."""

    line: int
    column: int


def stray_letters(note: str) -> list[Place]:
    """Return where `K` stands in each `C[I,K]` of a formula whose operands have L instead."""
    return [
        Place(number, match.start(1) + 1)
        for number, line in enumerate(note.splitlines(), 1)
        for match in re.finditer(r"B\[J_X,L\][^$]*C\[I,(K)\]", line)
    ]


def judge_note(product: Product, note: str) -> list[str]:
    """Return what is wrong with the findings on the reading note.

    It has two errors, both a letter that no operand has, and nothing else but infos and warnings; a formula without
    a bracketed array is an info.
    """
    report = product.check(note, document="markdown")
    found, wanted = errors(report), stray_letters(note)
    problems = [] if len(found) == len(wanted) else [f"{len(found)} errors: {tell_findings(report)}"]
    problems += [
        f"no finding at line {place.line}, column {place.column}"
        for place in wanted
        if not any(finding["code"] == "SL213" and _covers(finding, place) for finding in found)
    ]
    problems += [
        f"{finding['code']} is no info"
        for finding in report["diagnostics"]
        if _is_formula(finding, note) and finding["severity"] != "info"
    ]
    if not any(finding["code"] == "SL106" for finding in report["diagnostics"]):
        problems.append("no info on a formula that is no statement")
    return problems


def _covers(finding: Json, place: Place) -> bool:
    start, end = (finding["line"], finding["column"]), (finding["end_line"], finding["end_column"])
    return start <= place < end


def _is_formula(finding: Json, note: str) -> bool:
    """Say whether a finding lies in a formula without a bracketed array."""
    line = note.splitlines()[finding["line"] - 1]
    inside = [match for match in re.finditer(r"\$[^$]+\$", line) if match.start() < finding["column"] <= match.end()]
    return any("[" not in match[0] for match in inside)


def judge_bug(product: Product, text: str, codes: set[str]) -> list[str]:
    """Return what is wrong with the findings on a plan with a known bug: its code, a fix, and the fix re-checked.

    `codes` are the codes that mean the bug.
    """
    report = product.check(text)
    found = [finding for finding in errors(report) if finding["code"] in codes]
    if not found:
        return [f"not found: {tell_findings(report) or 'accepted'}"]
    mended = [fix_line(text, finding["line"], fix) for finding in found for fix in _offered(finding)]
    mended += [fixed for finding in found for fixed in product.mended(text, finding["code"])]
    if not mended:
        return [f"no fix: {[finding['hint'] for finding in found]}"]
    return [] if any(product.check(fixed)["ok"] for fixed in mended) else [f"no fix of {mended} mends it"]


def _offered(finding: Json) -> list[str]:
    return [*quoted_fixes(finding["hint"] or ""), *(text for text in fix_texts(finding) if "[" in text)]


def quoted_fixes(hint: str) -> list[str]:
    """Return the texts of a hint that can be pasted: what stands between backticks, and its lines."""
    return [part for part in [*re.findall(r"`([^`]+)`", hint), *hint.splitlines()] if "[" in part]


def fix_line(text: str, line: int, fix: str) -> str:
    """Return a text with one line replaced."""
    lines = text.splitlines()
    lines[line - 1] = fix
    return "\n".join(lines) + "\n"


def example_plans(root: Path) -> list[Path]:
    """Return every example plan of the documentation."""
    return sorted((root / "docs" / "examples").rglob("*.shard"))

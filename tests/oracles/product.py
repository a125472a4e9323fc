"""The product's public interface, as plain data.

A judge takes a `Product`, so that a test can hand it one whose answers were doctored and see it fail.
"""

import json
from typing import Any

import shardlang

Json = dict[str, Any]


class Product:
    """What a program that embeds shardlang sees: the JSON of `parse`, `check` and `cost`, and crossovers."""

    def parse(self, text: str, **options: Any) -> Json:
        """Return the JSON of `parse`."""
        return _as_json(shardlang.parse(text, **options))

    def check(self, text: str, **options: Any) -> Json:
        """Return the JSON of `check`."""
        return _as_json(shardlang.check(text, **options))

    def mended(self, text: str, code: str) -> list[str]:
        """Return the text with each fix of each finding with this code applied."""
        report = shardlang.check(text)
        return [_apply(text, fix) for finding in report.findings if finding.code == code for fix in finding.fixes]

    def cost(self, text: str, **options: Any) -> Json:
        """Return the JSON of `cost`."""
        return _as_json(shardlang.cost(text, **options))

    def crossovers(self, text: str, symbol: str, **options: Any) -> list[Json]:
        """Return the crossovers of a plan for one symbol or ratio."""
        return [
            {
                "between": [str(part) for part in found.between],
                "relation": found.relation,
                "formula": str(found.threshold),
                "value": found.value,
                "exact": found.exact,
                "requires": list(found.requires),
            }
            for found in shardlang.cost(text, **options).crossover(symbol)
        ]


def _as_json(report: Any) -> Json:
    """Go through text, because that is what another program receives."""
    data: Json = json.loads(json.dumps(report.to_dict()))
    assert data["schema"] == 1
    return data


def _apply(text: str, fix: Any) -> str:
    for edit in sorted(fix.edits, key=lambda edit: edit.span.start, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


def errors(report: Json) -> list[Json]:
    """Return the findings of severity error."""
    return [finding for finding in report["diagnostics"] if finding["severity"] == "error"]


def fix_texts(finding: Json) -> list[str]:
    """Return the lines that each fix of a finding gives."""
    return [fix["text"] for fix in finding.get("fixes", ()) if fix["text"]]


def tell_findings(report: Json) -> str:
    """Return the errors of a report in one line."""
    return "; ".join(f"{finding['code']} {finding['message']}" for finding in errors(report))

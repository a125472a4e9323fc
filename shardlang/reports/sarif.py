"""Findings as SARIF 2.1.0, for code scanning, editors and dashboards.

Source: OASIS, Static Analysis Results Interchange Format (SARIF) Version 2.1.0; sections are named where one decides.
"""

import json
import re
from collections.abc import Sequence
from posixpath import normpath
from typing import Any
from urllib.parse import quote

from shardlang.diagnostics import CODES, Diagnostic, Fix, readable_page
from shardlang.reports.cells import safe
from shardlang.reports.corrections import full_title
from shardlang.reports.inside import fingerprints
from shardlang.reports.objects import CheckReport
from shardlang.source import SourceText, Span, utf16_length

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_FINGERPRINT = "statementHash/v1"  # 3.27.17: a new way to make it gets a new number
_DRIVE = re.compile(r"[A-Za-z]:/")
_LEVEL = {"error": "error", "warning": "warning", "info": "note"}


def sarif_text(reports: Sequence[CheckReport], version: str) -> str:
    """Return one log with the findings of all reports, as JSON; version: of shardlang."""
    text = json.dumps(sarif_log(reports, version), indent=2, ensure_ascii=False)
    return text.encode("utf-8", "backslashreplace").decode()  # a lone surrogate can be written as an escape only


def sarif_log(reports: Sequence[CheckReport], version: str) -> dict[str, Any]:
    """Return the log as JSON values: one run, with a rule for each code that was found."""
    codes = sorted({finding.code for report in reports for finding in report.findings})
    numbers = {code: number for number, code in enumerate(codes)}
    driver: dict[str, Any] = {
        "name": "shardlang",
        "version": version,
        "semanticVersion": version,
        "rules": [_rule(code) for code in codes],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "utf16CodeUnits",
        "artifacts": [{"location": _artifact(name)} for name in dict.fromkeys(r.source.name for r in reports)],
        "results": [
            _result(report.source, finding, numbers, fingerprint)
            for report in reports
            for finding, fingerprint in zip(report.findings, fingerprints(report), strict=True)
        ],
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(code: str) -> dict[str, Any]:
    entry, page = CODES[code], readable_page(code)
    return {
        "id": code,
        "name": "".join(word.capitalize() for word in entry.slug.split("-")),
        "shortDescription": {"text": f"{entry.title}."},
        "fullDescription": {"text": _explanation(page)},
        "help": {"text": page, "markdown": page},
        "defaultConfiguration": {"level": _LEVEL[entry.severity]},
        "properties": {"tags": ["sharding"]},
    }


def _explanation(page: str) -> str:
    """Return the first paragraph of the page of a code, after its title and its headline, on one line."""
    return " ".join(page.split("\n\n")[2].split())


def _result(source: SourceText, finding: Diagnostic, numbers: dict[str, int], fingerprint: str) -> dict[str, Any]:
    message = finding.message + (f"\nhelp: {finding.hint}" if finding.hint else "")
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": numbers[finding.code],
        "level": _LEVEL[finding.severity],
        "message": _message(message),
        "locations": [_location(source, finding.span)],
        "partialFingerprints": {_FINGERPRINT: fingerprint},
    }
    if finding.labels:
        result["relatedLocations"] = [
            {"id": number, **_location(source, label.span), "message": _message(label.message)}
            for number, label in enumerate(finding.labels)
        ]
    if finding.fixes:
        result["fixes"] = [_fix(source, fix) for fix in finding.fixes]
    return result


def _fix(source: SourceText, fix: Fix) -> dict[str, Any]:
    replacements = [
        {"deletedRegion": _region(source, edit.span), "insertedContent": {"text": edit.text}}
        for edit in sorted(fix.edits)
    ]
    change = {"artifactLocation": _artifact(source.name), "replacements": replacements}
    return {"description": _message(full_title(fix)), "artifactChanges": [change]}


def _location(source: SourceText, span: Span) -> dict[str, Any]:
    return {"physicalLocation": {"artifactLocation": _artifact(source.name), "region": _region(source, span)}}


def _region(source: SourceText, span: Span) -> dict[str, int]:
    """Return a span in lines and in columns of UTF-16 code units, which viewers take whatever `columnKind` says."""
    first, last = source.position(span.start), source.position(span.end)
    return {
        "startLine": first.line,
        "startColumn": 1 + utf16_length(source.line(first.line)[: first.column - 1]),
        "endLine": last.line,
        "endColumn": 1 + utf16_length(source.line(last.line)[: last.column - 1]),
    }


def _artifact(name: str) -> dict[str, str]:
    """Return the location of a file, relative to the root of the sources unless its path is absolute (3.4.3, 3.4.4)."""
    path = name.replace("\\", "/")
    path = path if path.startswith("//") else normpath(path)
    address = quote(path.encode("utf-8", "backslashreplace"), safe="/")
    if path.startswith("//"):  # a share of Windows has its host in front
        return {"uri": f"file:{address}"}
    if path.startswith("/"):
        return {"uri": f"file://{address}"}
    if _DRIVE.match(path):
        return {"uri": f"file:///{path[:2]}{quote(path[2:].encode('utf-8', 'backslashreplace'), safe='/')}"}
    return {"uri": address, "uriBaseId": "%SRCROOT%"}


def _message(text: str) -> dict[str, str]:
    """Return a message; a brace is doubled, as one alone would start a placeholder (3.11.5)."""
    return {"text": safe(text).replace("{", "{{").replace("}", "}}")}

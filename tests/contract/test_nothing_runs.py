"""Nothing of a text is executed, and no file is read that was not named: Python's own audit events say so."""

import json
import subprocess
import sys

from tests.contract.page import ROOT


def events(*arguments: str) -> list[tuple[str, str]]:
    """Return what Python noticed that no text may cause, each with the text."""
    command = [sys.executable, "-m", "tests.contract.audited", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    return [(event, text) for event, text in map(json.loads, done.stdout.splitlines())]


def test_no_text_opens_runs_or_loads_anything() -> None:
    """Every function, every keyword that takes names, and all that an editor and a notebook ask, of hostile texts and random ones.

    A module of SymPy or NumPy may be loaded at its first use.
    """
    assert events() == []


def test_what_is_run_and_opened_is_seen() -> None:
    """The hook notices a planted `eval` and a file opened."""
    found = {event.partition(" ")[0] for event, _ in events("planted")}
    assert {"compile", "exec", "open"} <= found


def test_the_texts_are_no_plans_that_do_nothing() -> None:
    """The texts are read: their findings, or their statements, are what they say."""
    import shardlang
    from tests.contract.audited import HOSTILE

    reports = [shardlang.parse(text) for text in HOSTILE]
    assert all(report.diagnostics or report.statements for report in reports)
    assert sum(bool(report.statements) for report in reports) > len(reports) / 3

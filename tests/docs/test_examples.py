"""The examples that ship with the documentation, and the demo."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import shardlang
from tests.docs.sessions import ROOT

_EXAMPLES = ROOT / "docs" / "examples"
_PLANS = sorted(_EXAMPLES.glob("*.shard"))
_BUGS = sorted((_EXAMPLES / "bugs").glob("*.shard"))


@pytest.mark.parametrize("path", _PLANS, ids=lambda path: path.stem)
def test_plans_are_accepted(path: Path) -> None:
    report = shardlang.check(path.read_text("utf-8"))
    assert [finding for finding in report.diagnostics if finding.severity != "info"] == []
    assert report.statements


@pytest.mark.parametrize("path", _PLANS + _BUGS, ids=lambda path: path.stem)
def test_plans_are_formatted(path: Path) -> None:
    text = path.read_text("utf-8")
    assert shardlang.format_text(text) == text


def test_explicit_and_implicit_plan_take_the_same_steps() -> None:
    implicit, explicit = (
        shardlang.check((_EXAMPLES / name).read_text("utf-8")) for name in ("mlp-tp.shard", "mlp-explicit.shard")
    )
    collectives = [
        [
            step.text
            for statement in report.statements
            for step in statement.steps
            if step.kind in ("AllGather", "ReduceScatter")
        ]
        for report in (implicit, explicit)
    ]
    assert collectives[0] == collectives[1]


def test_the_demo_shows_the_main_job_and_five_bugs() -> None:
    """The figures are those of the book: 2550 is C/W_ici of a v5p in bf16."""
    shown = subprocess.run(
        ["bash", str(_EXAMPLES / "demo.sh"), str(Path(sys.executable).with_name("shardlang"))],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=os.environ | {"NO_COLOR": "1"},
    )
    assert shown.returncode == 0, shown.stdout + shown.stderr
    assert shown.stderr == ""
    main_job = shown.stdout.partition("Bug 1")[0]
    assert re.search(r"B/X\s*[>≥]\s*C/W_ici", main_job)
    assert re.search(r"F/Y\s*[>≥]\s*C/W_ici", main_job)
    assert "2550" in main_job
    for code in ("SL312", "SL304", "SL201", "SL308", "SL213"):
        assert code in shown.stdout

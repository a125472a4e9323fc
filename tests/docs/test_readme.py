"""The blocks of the README that are no sessions."""

import re

import shardlang
from tests.docs.sessions import ROOT
from tests.docs.setups import every_block

TEXT = (ROOT / "README.md").read_text("utf-8")
PLAN, COMMANDS = [block for language, block in every_block(TEXT) if not language]


def test_the_first_line_is_the_one_that_is_explained():
    assert f"explain '{PLAN.strip()}'" in TEXT
    report = shardlang.check(PLAN)
    assert report.diagnostics == ()
    assert [step.kind for step in report.statements[0].steps] == ["AllGather", "AllGather", "Einsum"]


def test_commands_to_install_are_targets():
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    commands = [line.split("#")[0].split() for line in COMMANDS.splitlines()]
    assert [words[0] for words in commands] == ["make", "make"]
    assert {words[1] for words in commands} <= set(targets)

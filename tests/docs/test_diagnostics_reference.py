"""docs/diagnostics.md holds the page of every code. `--update-golden` writes it."""

import pytest

from shardlang.diagnostics import CODES
from tests.docs.sessions import ROOT

_INTRODUCTION = """\
# Diagnostics

Every finding has a code that stays the same for ever, a severity, and a page. `shardlang explain SL301` prints the page. The hundreds say what a
finding is about: 1 syntax, 2 the meaning of a statement, 3 operations and collectives, 4 names and layouts over several statements, 5 hardware and
costs, 6 limits, 9 what is not supported yet. An *error* makes the exit status 1; a *warning* says that something is probably not what was meant; an *info* is there to be known.
"""


def _reference() -> str:
    rows = "\n".join(
        f"| [{code.code}](#{code.code.lower()}) | {code.severity} | {code.title} |" for code in CODES.values()
    )
    pages = "\n".join(
        f"({code.lower()})=\n```{{include}} ../shardlang/diagnostics/pages/{code}.md\n:heading-offset: 1\n```\n"
        for code in CODES
    )
    return f"{_INTRODUCTION}\n| code | severity | meaning |\n|---|---|---|\n{rows}\n\n{pages}"


def test_the_reference_has_every_page(request: pytest.FixtureRequest) -> None:
    path = ROOT / "docs" / "diagnostics.md"
    if request.config.getoption("--update-golden"):
        path.write_text(_reference(), "utf-8", newline="\n")
    assert path.read_text("utf-8") == _reference()

"""Every code has a page; the text that it shows with the finding has it, and the corrected one has not.

What a page needs besides is said in comments on it. `<!-- options: {…} -->`: keywords of `shardlang.check`;
`<!-- command: cost -->`, `plot`, `optimum`, `crossover`: only that finds it; `<!-- escapes -->`: `\\u200b` stands for the character;
`<!-- example: none, why -->`: the finding cannot be shown on a page.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import shardlang
from shardlang.diagnostics import CODES, code_page

_PAGES = Path(shardlang.__file__).parent / "diagnostics" / "pages"
_NO_EXAMPLE = re.compile(r"^<!-- example: none, .+ -->$", re.MULTILINE)
_SHOWN = [code for code in CODES if not _NO_EXAMPLE.search(code_page(code))]


def _examples(page: str) -> list[str]:
    found = re.findall(r"^```shard\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    if re.search(r"^<!-- escapes -->$", page, re.MULTILINE):
        found = [re.sub(r"\\u([0-9a-f]{4})", lambda match: chr(int(match[1], 16)), text) for text in found]
    return found


def _options(page: str) -> dict[str, Any]:
    found = re.search(r"^<!-- options: (.+) -->$", page, re.MULTILINE)
    return json.loads(found[1]) if found else {}


def _report(page: str, text: str) -> Any:
    named = re.search(r"^<!-- command: (cost|plot|optimum|crossover) -->$", page, re.MULTILINE)
    run = getattr(shardlang, named[1]) if named else shardlang.check
    return run(text, **_options(page))


def test_every_code_has_a_page_and_every_page_a_code() -> None:
    assert {page.stem for page in _PAGES.iterdir()} == set(CODES)


@pytest.mark.parametrize("code", CODES)
def test_page_has_its_parts(code: str) -> None:
    lines = code_page(code).splitlines()
    assert lines[0] == f"# {code} {CODES[code].slug}"
    assert lines[2] == f"{CODES[code].severity}: {CODES[code].title}."
    assert sum(line.startswith("**To fix it:**") for line in lines) == 1
    assert 10 <= len(lines) <= 35
    assert len(_examples(code_page(code))) == (2 if code in _SHOWN else 0)


@pytest.mark.parametrize("code", _SHOWN)
def test_first_example_has_the_finding_and_nothing_worse(code: str) -> None:
    page = code_page(code)
    report = _report(page, _examples(page)[0])
    assert code in [finding.code for finding in report.diagnostics]
    assert {finding.code for finding in report.diagnostics if finding.severity == "error"} <= {code}


@pytest.mark.parametrize("code", _SHOWN)
def test_second_example_is_right(code: str) -> None:
    page = code_page(code)
    report = _report(page, _examples(page)[1])
    assert [(f.code, f.message) for f in report.diagnostics if f.severity != "info" or f.code == code] == []


def test_registry_is_sorted_and_slugs_are_unique() -> None:
    assert list(CODES) == sorted(CODES)
    assert len({code.slug for code in CODES.values()}) == len(CODES)
    assert {code.severity for code in CODES.values()} == {"error", "warning", "info"}


def test_page_of_an_unknown_code() -> None:
    with pytest.raises(KeyError):
        code_page("SL000")

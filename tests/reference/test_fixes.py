"""Every fix that is offered is also right when run: the mended text, executed on simulated meshes.

The texts: the pages of all codes, the famous bugs, and random statements of which many are refused.
"""

import json
import re
from pathlib import Path
from random import Random

import pytest

import shardlang
from shardlang.diagnostics import CODES, code_page
from shardlang.reports.corrections import apply_fix
from tests.property.cases import Case, draw_case, draw_collective

ROOT = Path(__file__).parents[2]
BUGS = sorted((ROOT / "docs" / "examples" / "bugs").glob("*.shard"))
EXAMPLE = re.compile(r"^```shard\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# The findings of other commands than `check` stand in no text that could be mended.
PAGES = [code for code in CODES if EXAMPLE.search(code_page(code)) and "<!-- command: " not in code_page(code)]


def run_fixes(text, most=100, **options):
    """Run the text with each fix made (of one finding `most`), and return how many there were."""
    report = shardlang.check(text, alternatives=False, **options)
    errors = [found for found in report.findings if found.severity == "error"]
    count = 0
    for found in report.findings:
        for fix in found.fixes[:most]:
            mended = apply_fix(text, fix)
            assert mended is not None
            result = shardlang.verify(mended, alternatives=False, **options)
            wrong = [one.broken for one in result.statements if one.ok is False]
            assert not wrong, f"{mended}\n{wrong[0].message}"
            if errors == [found]:
                assert result.ok, f"{mended}\n{result.diagnostics}"
            count += 1
    return count


@pytest.mark.parametrize("code", PAGES)
def test_fixes_of_the_pages_are_right_when_run(code):
    page = code_page(code)
    text = EXAMPLE.search(page)[1]
    if re.search(r"^<!-- escapes -->$", page, re.MULTILINE):
        text = re.sub(r"\\u([0-9a-f]{4})", lambda match: chr(int(match[1], 16)), text)
    given = re.search(r"^<!-- options: (.+) -->$", page, re.MULTILINE)
    run_fixes(text, **(json.loads(given[1]) if given else {}))


def test_most_pages_of_wrong_operations_have_a_fix():
    with_fix = [code for code in PAGES if code.startswith("SL3") and run_fixes(EXAMPLE.search(code_page(code))[1])]
    assert len(with_fix) >= 8


@pytest.mark.parametrize("path", BUGS, ids=lambda path: path.stem)
def test_fixes_of_the_famous_bugs_are_right_when_run(path):
    assert run_fixes(path.read_text("utf-8")) >= 1


def refusable(random: Random) -> Case:
    """Return a case of one or two statements that allow no communication, have no result, or are one collective."""
    if random.random() < 0.3:
        return draw_collective(random)
    case = draw_case(random)
    lines = case.lines[:2]
    if random.random() < 0.5:
        return case._replace(lines=lines, explicit=True)
    return case._replace(lines=tuple(line._replace(result=None) if line.between else line for line in lines))


def random_fixes(seeds, most):
    return sum(run_fixes(refusable(Random(f"fixes {seed}")).text, most) for seed in seeds)


@pytest.mark.parametrize("chunk", range(6))
def test_fixes_of_random_statements_are_right_when_run(chunk):
    assert random_fixes(range(20 * chunk, 20 * chunk + 20), 3) >= 10


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(6, 40))
def test_fixes_of_many_random_statements_are_right_when_run(chunk):
    assert random_fixes(range(20 * chunk, 20 * chunk + 20), 100) >= 5


COMPLETED = [
    "A[I_X, J] · B[J, K_X]",
    "A[I, J]{U_X} · B[J, K]{U_X}",
    "A[I, J]{U_X} · B[J_X, K]",
    "A[I]{U_X} + B[I]{max_X}",
    "A[I_X] ⊙ B[I_Y]",
    "gelu(A[I, J]{U_{XY}})",
    "A[I, J_X] · B[J, K]{U_X} · C[K, L]",
    "A[I_X, J] ·_LOCAL B[J, K_X] -> C[I, K]",
    "A[I, J_{XY}] ·_LOCAL B[J_{YX}, K] -> C[I_X, K]",
    "A[I, J]{U_X} ·_LOCAL B[J, K]{U_X} -> C[I, K]",
    "explicit\nA[I]{U_X} + b[I] -> C[I]",
    "explicit\nA[I, J]{U_X} + 1 -> C[I, J]",
    "explicit\nmaximum(A[I]{max_X}, B[I_X]) -> C[I]",
    "explicit\ngelu(A[I, J_X] · B[J_X, K] + b[K]) -> C[I, K]",
    "explicit\nA[I, J]{U_{XY}} -> A[I_X, J]",
    "explicit\nA[I_X, J] -> T[J, I]",
    "explicit\nAllGather_X(A[I, J_X]) · B[J, K]{U_X} -> C[I, K]",
    "AllGather_X A[I_{XY}, J] -> A[I_Y, J]",
    "AllToAll_{X,J} A[I_X, J_Y] -> A[I, J_{XY}]",
    "ReduceScatter_X A[I, J]{U_X}",
]


@pytest.mark.parametrize("text", COMPLETED)
def test_every_completion_is_right_when_run(text):
    assert run_fixes(text) >= 1


def test_a_completion_without_its_reduction_is_caught(monkeypatch):
    """A planner that takes a pending result for a finished one: the rules refuse its completions, the executor too."""
    from shardlang.planning import completions as module

    right = module.emit

    def emit(context, expr, plan, goal, purpose, steps):
        value = right(context, expr, plan, goal, purpose, steps)
        while steps and steps[-1].kind == "AllReduce":
            steps.pop()
            steps[-1] = steps[-1]._replace(result=value, text=steps[-1].text.replace("{U_X}", ""))
        return value

    monkeypatch.setattr(module, "emit", emit)
    text = "A[I, J_X] ·_LOCAL B[J_X, K] -> C[I, K]"
    (found,) = shardlang.check(text).diagnostics
    assert ("AllReduce_X C",) not in [fix.collectives for fix in found.fixes]
    monkeypatch.setattr(module, "is_legal", lambda context, steps: True)
    (found,) = shardlang.check(text).diagnostics
    assert all(fix.text != "A[I, J_X] ·_LOCAL B[J_X, K] -> C[I, K]" for fix in found.fixes)


def test_a_wrong_fix_is_noticed(monkeypatch):
    """With the reduction that the fix adds taken for done, the mended text is wrong when run."""
    from shardlang.reference import collectives

    def forgotten(grid, blocks, axes, kind):
        return {device: block.copy() for device, block in blocks.items()}, collectives.no_traffic()

    monkeypatch.setattr(collectives, "all_reduce", forgotten)
    with pytest.raises(AssertionError, match="differ"):
        run_fixes("A[I, J_X] ·_LOCAL B[J_X, K] -> C[I, K]")

"""The names, arguments and attributes that `docs/contract.md` lists are there, and no public name is missing from it."""

import inspect
import typing
from functools import cache

import pytest

import shardlang
from shardlang.api import keywords as groups
from tests.contract.page import names, resolved, tables

FUNCTIONS, KEYWORDS = tables("Functions")
GROUPS = {
    "of texts": groups.TextKeywords,
    "of arrays": groups.SendKeywords,
    "of plans": groups.PlanKeywords,
    "of check": groups.CheckKeywords,
    "of prices": groups.CostKeywords,
}
PLAN = """mesh X=4, Y=2
In[B_X, D_Y] · W[D_X, F_Y] -> Tmp[B_X, F_Y]
"""
SIZED = {"hardware": "tpu-v5p", "sizes": {"B": 1024, "D": 64, "F": 128}}
TWO = "A[B, D_X] · W[D_X, F] -> C[B, F]"
REFUSED = "A[I_X, J_X] · B[J_X, K] -> C[I_X, K]"


@cache
def reports() -> dict[str, object]:
    """Return a report of each kind, and the values in them, by what the page calls them."""
    check, refused = shardlang.check(PLAN, **SIZED), shardlang.check(REFUSED)
    parse, cost = shardlang.parse(PLAN), shardlang.cost(PLAN, **SIZED)
    crossover = shardlang.crossover(PLAN, "B", hardware="tpu-v5p")
    optimum = shardlang.optimum(PLAN, "X*Y = 8", "X", **SIZED)
    memory, roofline = shardlang.memory(PLAN, "B", **SIZED), shardlang.roofline(PLAN, "B", **SIZED)
    verify, fix = shardlang.verify(PLAN), shardlang.fix("A[I, J_X] ·_LOCAL B[J_X, K] -> C[I, K]")
    hardware = shardlang.hardware("tpu-v5p")
    assert optimum.optimum is not None
    return {
        "CheckReport": check,
        "a finding": refused.diagnostics[0],
        "the span of a finding": refused.diagnostics[0].span,
        "a fix": refused.diagnostics[0].fixes[0],
        "a statement of check": check.statements[0],
        "a step of check": check.statements[0].steps[0],
        "an alternative": shardlang.check("A[I, J_X] · B[J_X, K] -> C[I, K]").statements[0].alternatives[0],
        "ParseReport": parse,
        "a statement of parse": parse.statements[1],
        "an array of parse": parse.statements[1].arrays[0],
        "a dimension": parse.statements[1].arrays[0].dims[0],
        "CostReport": cost,
        "a statement of cost": cost.statements[0],
        "a step of cost": cost.statements[0].steps[0],
        "CrossoverReport": crossover,
        "a crossover": crossover.crossovers[0],
        "a pair without one": shardlang.crossover(TWO, "F", hardware="tpu-v5p").uncrossed[0],
        "OptimumReport": optimum,
        "an optimum": optimum.optimum,
        "a whole split": optimum.optimum.whole[0],
        "MemoryReport": memory,
        "an array of memory": memory.arrays[0],
        "an amount": memory.arrays[0].amount,
        "RooflineReport": roofline,
        "a roofline": roofline.total,
        "a level": roofline.total.levels[0],
        "a range": roofline.total.ranges[0],
        "Explanation": shardlang.explain(PLAN),
        "VerifyReport": verify,
        "a statement of verify": verify.statements[0],
        "a step of verify": verify.statements[0].steps[0],
        "FixedReport": fix,
        "a change": fix.fixed[0],
        "Picture": shardlang.plot(PLAN),
        "SendReport": shardlang.send("A[I_X, J]", "X=0", "X=1", mesh="X=8"),
        "HardwareReport": hardware,
        "a chip": hardware.chips[0],
        "a figure": hardware.chips[0].figures[0],
    }


ATTRIBUTES = {what: names(row[0]) for what, row in tables("Reports")[0].items()}


def test_the_page_lists_every_public_name():
    assert {*FUNCTIONS, "Limits", "OptionError", "__version__"} == set(shardlang.__all__)
    assert sorted(shardlang.__all__) == dir(shardlang)


def test_names_that_are_not_functions():
    assert shardlang.Limits._fields == ("max_chars", "max_statements", "max_time", "files")
    assert issubclass(shardlang.OptionError, ValueError)
    assert [part.isdecimal() for part in shardlang.__version__.split(".")] == [True] * 3


@pytest.mark.parametrize("name", FUNCTIONS)
def test_arguments(name):
    own, keywords, gives = FUNCTIONS[name]
    signature = inspect.signature(getattr(shardlang, name))
    positional, _, named = (part.split() for part in " ".join(names(own)).partition("*"))
    found = signature.parameters.values()
    assert [p.name for p in found if p.kind is p.POSITIONAL_OR_KEYWORD] == positional
    assert [p.name for p in found if p.kind is p.KEYWORD_ONLY] == named
    (extra,) = [p.annotation for p in found if p.kind is p.VAR_KEYWORD] or [""]
    wanted = GROUPS[keywords.replace("`", "")].__name__ if keywords else None
    assert extra == (f"Unpack[{wanted}]" if wanted else "")
    returned = signature.return_annotation
    assert str(getattr(returned, "__name__", returned)).partition("[")[0] == gives


@pytest.mark.parametrize("group", GROUPS)
def test_keywords(group):
    assert set(resolved(KEYWORDS, group)) == set(typing.get_type_hints(GROUPS[group]))


def test_a_keyword_that_is_not_there_is_a_type_error():
    for name in FUNCTIONS:
        if FUNCTIONS[name][1]:
            words = {"crossover": ["B"], "optimum": ["X*Y=4", "X"], "send": ["0", "0"]}.get(name, [])
            with pytest.raises(TypeError, match="no_such"):
                getattr(shardlang, name)("A[I_X]", *words, no_such=1)


def missing_attributes(there):
    """Return the attributes of the page that these reports do not have."""
    return {f"{what}.{name}" for what, of in ATTRIBUTES.items() for name in of if not hasattr(there[what], name)}


def test_attributes_of_reports():
    there = reports()
    assert set(ATTRIBUTES) == set(there)
    assert missing_attributes(there) == set()


def test_a_missing_attribute_is_seen():
    """The oracle fails on a planted change."""
    there = reports()
    assert missing_attributes({**there, "a change": there["a fix"]}) == {"a change.line", "a change.code"}


@pytest.mark.parametrize("what", ["CheckReport", "CostReport", "VerifyReport", "Picture"])
def test_reports_do_not_change(what):
    report = reports()[what]
    with pytest.raises(AttributeError):
        report.ok = False  # type: ignore[attr-defined]

"""The mutants that were judged equivalent still are what was judged."""

import re

import pytest

from tests.mutation import ROOT, judged


def squeezed(text: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"  #.*", "", text))


@pytest.mark.parametrize("mutant", judged().single, ids=str)
def test_a_judged_mutant_changes_a_line_that_stands(mutant):
    """Else the entry is of a line that is gone."""
    source = (ROOT / mutant.file).read_text("utf-8")
    assert squeezed(mutant.before) in squeezed(source)
    assert mutant.before != mutant.after
    assert re.search(rf"def {mutant.function.rpartition('.')[2]}\(", source)


def test_each_has_a_reason():
    assert all(len(reason.split()) > 3 for reason in judged().single.values())


@pytest.mark.parametrize("after", ["strict=None)", "strict=False)", ")"])
def test_the_guard_of_a_zip_makes_no_difference(after):
    (pattern,) = judged().patterns
    assert pattern.fullmatch(f"pairs = zip(dims, axes, strict=True) => pairs = zip(dims, axes, {after}")
    assert not pattern.fullmatch(f"pairs = zip(dims, axes, strict=True) => pairs = zip(None, axes, {after}")

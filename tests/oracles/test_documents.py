"""The reading note, and the plans with famous bugs."""

import pytest

from tests.oracles.judge_documents import example_plans, judge_bug, judge_note, stray_letters
from tests.oracles.product import Product
from tests.oracles.records import HERE

_ROOT = HERE.parents[1]
_BUGS = {
    "missing-allreduce": {"SL312"},
    "double-reduction": {"SL304"},
    "axis-twice": {"SL201"},
    "order-of-axes": {"SL308"},
    "stray-letter": {"SL213"},
}


def test_reading_note() -> None:
    note = (HERE / "reading-note.md").read_text("utf-8")
    assert len(stray_letters(note)) == 2
    assert judge_note(Product(), note) == []


def test_every_bug_is_judged() -> None:
    assert {path.stem for path in (_ROOT / "docs" / "examples" / "bugs").glob("*.shard")} == set(_BUGS)


@pytest.mark.parametrize("name", _BUGS)
def test_famous_bugs(name: str) -> None:
    text = (_ROOT / "docs" / "examples" / "bugs" / f"{name}.shard").read_text("utf-8")
    assert judge_bug(Product(), text, _BUGS[name]) == []


def test_the_other_examples_are_clean() -> None:
    product = Product()
    plans = [path for path in example_plans(_ROOT) if path.parent.name != "bugs"]
    assert plans
    assert {
        path.stem: report["diagnostics"]
        for path in plans
        if not (report := product.check(path.read_text("utf-8")))["ok"]
    } == {}

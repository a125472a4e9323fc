"""The table of operations by name."""

import pytest

from shardlang.syntax.operations import BY_NAME, OPERATIONS, all_spellings, find_operation


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        ("AllGather", "AllGather"),
        ("all_gather", "AllGather"),
        ("psum", "AllReduce"),
        ("psum_scatter", "ReduceScatter"),
        ("all_to_all", "AllToAll"),
        ("ppermute", "CollectivePermute"),
        ("Softmax", "softmax"),
        ("swish", "silu"),
        ("GELU", "gelu"),
        ("Slice", "Slice"),
    ],
)
def test_spelling_finds_its_operation(spelling: str, name: str) -> None:
    found = find_operation(spelling)
    assert found is not None
    assert found.name == name


def test_other_capitals_do_not_count_where_exactness_is_asked() -> None:
    assert find_operation("mask", exact=True) is None
    assert find_operation("nothing") is None


def test_no_spelling_means_two_operations() -> None:
    folded = [spelling.casefold() for item in OPERATIONS for spelling in {item.name, *item.aliases}]
    owners: dict[str, set[str]] = {}
    for item in OPERATIONS:
        for spelling in (item.name, *item.aliases):
            owners.setdefault(spelling.casefold(), set()).add(item.name)
    assert len(folded) == len(all_spellings())
    assert [spelling for spelling, names in owners.items() if len(names) > 1] == []


def test_kinds() -> None:
    assert {item.kind for item in OPERATIONS} == {
        "collective",
        "free",
        "reduction",
        "normalisation",
        "lookup",
        "function",
    }
    assert BY_NAME["gelu"].operands == 1
    assert BY_NAME["maximum"].operands == 2
    assert len(BY_NAME) == len(OPERATIONS)


@pytest.mark.parametrize(("name", "rises"), [("exp", True), ("relu", True), ("tanh", True), ("gelu", False), ("abs", False), ("sum", False)])  # fmt: skip
def test_monotone_functions(name: str, rises: bool) -> None:
    assert BY_NAME[name].monotone is rises


def test_of_a_long_name_only_what_may_be_an_operation_is_looked_up(monkeypatch):
    from shardlang.source import SourceText
    from shardlang.syntax import parse, words

    asked = []
    find = words.find_operation
    monkeypatch.setattr(words, "find_operation", lambda name: asked.append(name) or find(name))
    parse(SourceText("A_" * 2_000 + "a + B[I]"))
    assert len(asked) < 50


def test_the_subscripts_at_the_end_of_a_long_name_are_found_from_the_end():
    import re

    from shardlang.syntax.mends import _chain_start

    for name in ("A_B", "A_B_C", "AB_C", "a_b_C", "A_b", "A", "A_BC", "A__B_C", "A_B_C_d", "A_B_Ç"):
        match = re.fullmatch(r"(\w+?)((?:_[A-Z])+)", name)
        assert _chain_start(name) == (match.start(2) if match else len(name))

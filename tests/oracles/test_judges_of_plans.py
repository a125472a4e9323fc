"""The judges of whole plans see planted bugs: in the product's answers, in its search and in its rules."""

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from shardlang.planning.space import Layouts
from shardlang.pricing import collectives
from shardlang.rules import local, signature
from shardlang.semantics.sharding import Sharding
from tests.oracles import judge_dtensor
from tests.oracles.einsums import asking, bare
from tests.oracles.execution import run_report
from tests.oracles.judge_asked import judge_asked, judge_open
from tests.oracles.judge_dtensor import judge_explicit, judge_operation, judge_rule
from tests.oracles.judge_hlo import PART_OF_AN_AXIS, judge_bytes, judge_kinds, kinds_count, split_axis
from tests.oracles.judge_reshard import bounds, judge_reshard, options
from tests.oracles.natural import Layout, UnsureError, natural_output
from tests.oracles.product import Json, Product
from tests.oracles.records import Record, read_jsonl

Plant = Callable[[Callable[[Any], Iterable[Any]]], None]


class Dearer(Product):
    """Says twice the bytes."""

    def check(self, text: str, **options: Any) -> Json:
        report = super().check(text, **options)
        for statement in report["statements"]:
            for step in statement["steps"]:
                step["bytes_received"] *= 2
        return report


class ForgetsPending(Product):
    """Says that a pending sum is a whole one."""

    def check(self, text: str, **options: Any) -> Json:
        report = super().check(text, **options)
        for statement in report["statements"]:
            statement["output"] = (statement["output"] or "").split("{U")[0] or None
        return report


class Refuses(Product):
    """Refuses everything."""

    def check(self, text: str, **options: Any) -> Json:
        return {**super().check(text, **options), "ok": False, "diagnostics": []}


def _some(file: str, every: int) -> list[Record]:
    return read_jsonl(file)[::every]


def _first(file: str, name: str) -> Record:
    return next(record for record in read_jsonl(file) if record["id"] == name)


# --- reshards ----------------------------------------------------------------------------------


def test_reshard_judge_knows_its_bounds() -> None:
    record = _first("reshard.jsonl", "r00231")
    assert bounds(record) == (384, 144), "several axes at once are for the plan that may use everything"
    assert judge_reshard(Product(), record) == []
    assert judge_reshard(Dearer(), record)
    assert judge_reshard(Refuses(), record)
    assert judge_reshard(Product(), {**record, "optimum": {"one_axis": 384, "floor_bytes": 145}})


@pytest.fixture
def plant(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Callable[[Any], Iterable[Any]]], None]]:
    """A function that takes what becomes of each step of the search: none, itself, others."""
    right = Layouts.steps

    def change(become: Callable[[Any], Iterable[Any]]) -> None:
        def steps(self: Layouts, *given: Any) -> Iterator[Any]:
            return (other for move in right(self, *given) for other in become(move))

        monkeypatch.setattr(Layouts, "steps", steps)

    _forget()
    yield change
    _forget()


def _forget() -> None:
    """Empty the caches, so that no plan comes from another planner."""
    for name, module in list(sys.modules.items()):
        if name.startswith("shardlang."):
            for value in vars(module).values():
                if hasattr(value, "cache_clear"):
                    value.cache_clear()


@pytest.mark.parametrize("missing", ["AllToAll", "CollectivePermute", "AllGather"])
def test_a_search_without_a_collective(plant: Plant, missing: str) -> None:
    plant(lambda move: () if move.kind == missing else (move,))
    assert any(judge_reshard(Product(), record) for record in _some("reshard.jsonl", 16))


def test_a_price_that_is_doubled(monkeypatch: pytest.MonkeyPatch) -> None:
    right = collectives.bytes_received
    monkeypatch.setattr(
        collectives, "bytes_received", lambda *given: right(*given) * (2 if given[0] == "AllToAll" else 1)
    )
    assert any(judge_reshard(Product(), record) for record in _some("reshard.jsonl", 40))


def test_an_exchange_that_loses_the_order(plant: Plant) -> None:
    def turned(move: Any) -> Iterable[Any]:
        if move.kind != "AllToAll" or len(move.axes) < 2:
            return (move,)
        lists = tuple(own if set(own).isdisjoint(move.axes) else own[::-1] for own in move.result.axes)
        return (move._replace(result=move.result._replace(axes=lists)),)

    plant(turned)
    problems = [why for record in _some("reshard.jsonl", 16) for why in judge_reshard(Product(), record)]
    assert any("wrong when executed" in why for why in problems)


def test_other_steps_than_the_plan_has() -> None:
    record = _first("reshard.jsonl", "r00231")
    given = options(record)
    report = Product().check(record["notation"], **given)
    assert run_report(record["notation"], given, report, small=False) == []
    report["statements"][0]["steps"].pop()
    assert run_report(record["notation"], given, report)


# --- what XLA compiled -------------------------------------------------------------------------


def test_hlo_judge() -> None:
    gathered = _first("jax_hlo.jsonl", "H00011")
    assert judge_bytes(Product(), gathered) == []
    assert judge_bytes(Dearer(), {**gathered, "mesh": {"X": 4}})
    assert judge_bytes(Refuses(), gathered)
    assert split_axis(gathered)["in_specs"] == [["", ""], ["", "PQ"]]
    assert split_axis(gathered)["mesh"] == {"P": 2, "Q": 2, "Y": 2}


def test_hlo_judge_without_all_to_all(plant: Plant) -> None:
    plant(lambda move: () if move.kind == "AllToAll" else (move,))
    judged = [record for record in _some("jax_hlo.jsonl", 12) if record["id"] not in PART_OF_AN_AXIS]
    assert any(judge_bytes(Product(), record) for record in judged)


def _product_of(*specs: list[str]) -> Record:
    record = {"mesh": {"X": 4, "Y": 2}, "api": "einsum", "einsum": "ij,jk->ik", "shapes": [[128, 256], [256, 512]]}
    return {**record, "in_specs": list(specs[:2]), "out_spec": specs[2], "collectives": []}


@pytest.mark.parametrize(
    ("specs", "counts"),
    [
        ((["X", ""], ["", ""], ["X", ""]), True),  # case 1
        ((["", "X"], ["", ""], ["", ""]), True),  # case 2
        ((["", "X"], ["X", ""], ["", ""]), True),  # case 3, AllReduce
        ((["", "X"], ["X", ""], ["", "X"]), True),  # case 3, ReduceScatter
        ((["X", ""], ["", "X"], ["X", ""]), False),  # case 4
        ((["", "X"], ["", ""], ["X", ""]), False),  # not the natural output
        ((["X", ""], ["", ""], ["", ""]), False),
        ((["X", ""], ["", "Y"], ["X", "Y"]), False),  # two axes
    ],
)
def test_which_kinds_are_compared(specs: tuple[list[str], ...], counts: bool) -> None:
    assert kinds_count(_product_of(*specs)) is counts


def test_kinds_are_compared_where_bytes_are_equal() -> None:
    reduced = _product_of(["", "X"], ["X", ""], ["", ""])
    volume = 2 * 128 * 512 * 4 * 3 / 4
    for op, moved, verdict in [
        ("all-reduce", volume, ([], True)),
        ("all-reduce", volume + 1, ([], False)),
        ("all-gather", volume, (["['AllReduce'] instead of ['AllGather']"], True)),
    ]:
        reduced["collectives"] = [{"op": op, "axes": "X", "moved": moved}]
        assert judge_kinds(Product(), reduced, idle_axes=False) == verdict
    scattered = _product_of(["", "X"], ["X", ""], ["", "X"])
    scattered["collectives"] = [
        {"op": "all-reduce", "axes": "X", "moved": volume, "moved_if_rs": volume / 2, "then_slice": True}
    ]
    assert judge_kinds(Product(), scattered, idle_axes=False) == ([], True)


# --- DTensor -----------------------------------------------------------------------------------


def test_dtensor_judge() -> None:
    record = _first("dtensor_ops.jsonl", "d01220")
    assert judge_operation(Product(), record) == ([], None)
    assert judge_operation(Product(), {**record, "bytes": record["bytes"] // 2})[0]
    assert judge_operation(Dearer(), {**record, "bytes": 0})[0]
    assert judge_operation(ForgetsPending(), _first("dtensor_ops.jsonl", "d00021"))[0]
    refused = judge_operation(Refuses(), record)
    assert refused[0]
    assert refused[1] is None


def _rules() -> list[Record]:
    return [
        record
        for record in read_jsonl("dtensor_ops.jsonl")
        if "valid_out" in record and not judge_dtensor.left_out(record)
    ]


@pytest.mark.parametrize(
    ("op", "passages"),
    [
        ("divide", (((0,), "sum", "sum"), ((0, 1), "sum", "sum"))),
        ("add", (((0, 1), "sum", "sum"), ((0,), "sum", "sum"))),
        ("subtract", ()),
        ("contract", (((0,), "sum", "sum"), ((0, 1), "sum", "sum"))),
        ("contract", ()),
        ("sum", ()),
        ("negate", ()),
        ("max", (((0,), "sum", "sum"),)),
    ],
)
def test_a_rule_that_is_wrong(monkeypatch: pytest.MonkeyPatch, op: str, passages: tuple[Any, ...]) -> None:
    monkeypatch.setitem(signature._PASSAGES, op, passages)
    assert any(judge_rule(record) for record in _rules())


def test_a_pending_sum_that_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = local.local_result

    def forgetful(*given: Any) -> Any:
        result = whole(*given)
        return result._replace(pending=()) if isinstance(result, Sharding) else result

    monkeypatch.setattr(judge_dtensor, "local_result", forgetful)
    assert any(judge_rule(record) for record in _rules())


def test_explicit_judge() -> None:
    rule = next(one for one in _rules() if one["op"] == "axis_rule:mm" and one["in_placements"] == [["P"], ["R"]])
    assert judge_explicit(Product(), rule) == ([], None)
    assert judge_explicit(ForgetsPending(), rule)[0]
    assert judge_explicit(Refuses(), rule)[0]
    assert judge_explicit(Product(), {**rule, "valid_out": ["S0"]})[0]
    broken = next(one for one in _rules() if one["op"] == "axis_rule:mm" and one["in_placements"] == [["P"], ["P"]])
    assert judge_explicit(Product(), broken) == ([], None)
    assert judge_explicit(Product(), {**broken, "valid_out": ["P"]})[0]


# --- JAX's explicit mode -----------------------------------------------------------------------


def test_asked_judge() -> None:
    record = _product_of(["", "X"], ["X", ""], ["", ""])
    record |= {"asked": ["", ""], "asked_u": "X"}
    assert asking(record, record["asked"], "X") == "A[I, J_{X}] · B[J_{X}, K] -> C[I, K]{U_{X}}"
    assert judge_asked(Product(), record, run=True) == []
    assert judge_asked(ForgetsPending(), record, run=False)
    assert judge_asked(Refuses(), record, run=False)
    assert judge_asked(Product(), {**record, "error_kind": "not_divisible"}, run=False) == ["accepted"]


def test_open_judge() -> None:
    record = _product_of(["", "X"], ["X", ""], ["", ""])
    del record["out_spec"]
    record["error_kind"] = "contraction_both_sharded"
    assert bare(record) == "A[I, J_{X}] · B[J_{X}, K]"
    assert judge_open(Product(), record, run=True) == ([], "the sum is left pending")
    assert judge_open(ForgetsPending(), record, run=False)[0]
    assert judge_open(Refuses(), record, run=False)[0]
    assert judge_open(Product(), {**record, "out_spec": ["X", ""]}, run=False)[0]
    clash = {**_product_of(["X", ""], ["", "X"], ["", ""]), "error_kind": "duplicate_axis_in_result"}
    del clash["out_spec"]
    assert judge_open(Product(), clash, run=True) == ([], "no natural answer")


def _layout(pending: str = "", **dims: str) -> Layout:
    return Layout({dim: tuple(axes) for dim, axes in dims.items()}, frozenset(pending))


@pytest.mark.parametrize(
    ("api", "first", "second", "contracted", "output"),
    [
        ("einsum", _layout(I="", J="X"), _layout(J="XY", K=""), "J", _layout("X", I="", K="")),
        ("einsum", _layout(I="", J="XY"), _layout(J="YX", K=""), "J", _layout("XY", I="", K="")),
        ("einsum", _layout(I="", J="X"), _layout(J="Y", K="X"), "J", _layout(I="", K="X")),
        ("einsum", _layout(I="X", J=""), _layout(J="", K="X"), "J", None),
        ("einsum", _layout("X", I="", J=""), _layout(J="X", K=""), "J", None),
        ("einsum", _layout("X", I="", J=""), _layout("Y", J="", K=""), "J", _layout("XY", I="", K="")),
        ("multiply", _layout(I="X"), _layout(I="XY"), "", _layout(I="XY")),
        ("multiply", _layout(I="X"), _layout(I="Y"), "", None),
        ("multiply", _layout("X", I=""), _layout("X", I=""), "", None),
        ("add", _layout("X", I=""), _layout("X", I="Y"), "", _layout("X", I="Y")),
        ("add", _layout("X", I=""), _layout(I="X"), "", _layout("X", I="")),
        ("add", _layout("X", I=""), _layout("Y", I=""), "", _layout("XY", I="")),
    ],
)
def test_natural_outputs(api: str, first: Layout, second: Layout, contracted: str, output: Layout | None) -> None:
    assert natural_output(api, [first, second], list(contracted)) == output


def test_what_the_text_leaves_open() -> None:
    with pytest.raises(UnsureError):
        natural_output("add", [_layout("X", I=""), _layout(I="XY")], [])
    with pytest.raises(UnsureError):
        natural_output("einsum", [_layout(I="", J="XYZ"), _layout(J="XZ", K="")], ["J"])

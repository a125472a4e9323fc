"""The judges of random plans find planted bugs: a rule that is wrong, a layout that is not made, bytes not counted."""

from random import Random

import pytest

from shardlang.planning import space, tree
from shardlang.planning.space import Layouts, Move
from shardlang.pricing import collectives
from shardlang.rules import local
from shardlang.semantics.sharding import Sharding
from tests.property import test_optimum
from tests.property.cases import draw_case
from tests.property.judge import judge


@pytest.fixture(autouse=True)
def _nothing_remembered():
    """Forget what the planner keeps over texts, so that a planted rule is asked, and is forgotten again."""
    kept = (space._shared_layouts, tree.forms_of)
    for cache in kept:
        cache.cache_clear()
    yield
    for cache in kept:
        cache.cache_clear()


def problems(count: int) -> list[str]:
    verdicts = (judge(draw_case(Random(f"planted {seed}"))) for seed in range(count))
    return [verdict.problem for verdict in verdicts if verdict.problem]


def test_nothing_is_found_where_nothing_is_planted():
    assert problems(60) == []


def test_a_gather_of_the_major_axis(monkeypatch):
    def major(self: Layouts, sharding: Sharding):
        for index, axes in enumerate(sharding.axes):
            if axes:
                changed = tuple(own[1:] if at == index else own for at, own in enumerate(sharding.axes))
                yield Move("AllGather", axes[:1], (self.dims[index],), sharding._replace(axes=changed))

    monkeypatch.setattr(Layouts, "_gathers", major)
    assert any("do not mean the array" in problem for problem in problems(150))


def test_a_pending_sum_that_is_forgotten(monkeypatch):
    whole = local.local_result

    def forgetful(signature, shardings):
        result = whole(signature, shardings)
        return result._replace(pending=(), kind="sum") if isinstance(result, Sharding) else result

    for module in ("tree", "computation", "build"):
        monkeypatch.setattr(f"shardlang.planning.{module}.local_result", forgetful, raising=False)
    assert any("should hold copies and differ" in problem for problem in problems(60))


def test_a_byte_count_that_is_off(monkeypatch):
    right = collectives.bytes_received

    def doubled(kind, operand_bytes, n):
        return right(kind, operand_bytes, n) * (2 if kind == "AllReduce" else 1)

    monkeypatch.setattr(collectives, "bytes_received", doubled)
    assert any("bytes said" in problem for problem in problems(60))


@pytest.mark.parametrize("missing", ["_exchanges", "_permutes", "_gathers"])
def test_a_plan_that_is_not_the_cheapest(monkeypatch, missing):
    monkeypatch.setattr(Layouts, missing, lambda self, sharding: iter(()))
    with pytest.raises(AssertionError):
        test_optimum.test_no_right_sequence_of_steps_reshards_with_fewer_bytes()

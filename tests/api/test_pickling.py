"""Reports go from process to process, as a server with several of them needs, and are values: equal calls, equal reports."""

import pickle
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import pytest

import shardlang

PLAN = "mesh X=4\nA[I, J_X] · B[J_X, K] -> C[I, K]"
WRONG = "A[I_X] -> B[J]  # shardlang: ignore[SL401]\nA[I, J_X] ·_LOCAL B[J_X, K] -> C[I, K]"

CALLS: dict[str, Callable[[], Any]] = {
    "check": lambda: shardlang.check(PLAN),
    "cost": lambda: shardlang.cost(PLAN),
    "cost of what is wrong": lambda: shardlang.cost(WRONG),
    "explain": lambda: shardlang.explain(PLAN, hardware="tpu-v5p", assume="I << K"),
    "memory": lambda: shardlang.memory(PLAN, "I"),
    "roofline": lambda: shardlang.roofline(PLAN, "I"),
    "crossover": lambda: shardlang.crossover(PLAN, "I"),
    "crossover of two": lambda: shardlang.crossover(PLAN, "I", against="mesh X=4\nA[I_X, J] · B[J, K] -> C[I_X, K]"),
    "optimum": lambda: shardlang.optimum("A[I_X, J_Y] -> A[I, J]", "X*Y = 64", "X"),
    "verify": lambda: shardlang.verify(PLAN),
    "fix": lambda: shardlang.fix(WRONG),
    "hardware": lambda: shardlang.hardware("h100"),
    "plot": lambda: shardlang.plot(PLAN),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_report_says_the_same_after_pickling_and_equals_that_of_an_equal_call(call):
    report = call()
    copy = pickle.loads(pickle.dumps(report))  # noqa: S301 - our own
    assert type(copy) is type(report)
    assert report == call()
    assert str(copy) == str(report)
    if hasattr(report, "to_dict"):
        assert copy.to_dict() == report.to_dict()


def test_a_pickled_report_can_be_asked_further():
    report = pickle.loads(pickle.dumps(shardlang.cost(PLAN)))  # noqa: S301 - our own
    original = shardlang.cost(PLAN)
    assert report.crossover("I") == original.crossover("I")
    assert report.value(report.flops) == original.value(original.flops)


def test_reports_of_other_texts_and_prices_differ():
    assert shardlang.cost(PLAN) != shardlang.cost(PLAN + "\n")
    assert shardlang.cost(PLAN) != shardlang.cost(PLAN, sizes="I=8")


def test_a_pool_of_processes_gives_reports_back():
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        given = pool.submit(shardlang.cost, PLAN).result(120)
    assert given.to_dict() == shardlang.cost(PLAN).to_dict()

"""The JSON of the command line is what Python gives: judging one of them judges both."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import shardlang
from shardlang.cost.text import formula
from tests.oracles.product import Json, Product

_ROOT = Path(__file__).parents[2]
_PLAN = "In[B_X, D_Y] · W[D_X, F_Y] -> Tmp[B_X, F_Y]"
_MESH = {"X": 16, "Y": 4}
_SIZES = {"B": 65536, "D": 8192, "F": 32768}
_GIVEN = ["--mesh", "X=16,Y=4", "--set", "B=65536,D=8192,F=32768", "--hw", "tpu-v5p"]


def _run(*arguments: str) -> Json:
    command = [sys.executable, "-m", "shardlang", *arguments, "-e", _PLAN, "--format", "json"]
    done = subprocess.run(command, capture_output=True, cwd=_ROOT, timeout=60, check=True)
    data: Json = json.loads(done.stdout)
    return data


def _of_expression(data: Json) -> Json:
    """Return what Python gives as the command line does, where every entry of a list says which text it is from."""
    return {
        key: [{**entry, "file": "<expression>"} for entry in value] if isinstance(value, list) else value
        for key, value in data.items()
    }


def test_parse() -> None:
    assert _run("parse", "--mesh", "X=16,Y=4") == _of_expression(Product().parse(_PLAN, mesh=_MESH))


@pytest.mark.parametrize(("name", "whole"), [("check", _of_expression), ("cost", dict)])
def test_check_and_cost(name: str, whole: Callable[[Json], Json]) -> None:
    expected = getattr(Product(), name)(_PLAN, mesh=_MESH, sizes=_SIZES, hardware="tpu-v5p")
    assert _run(name, *_GIVEN) == whole(expected)


def test_crossover() -> None:
    data = _run("crossover", "--for", "B/X", *_GIVEN)
    found = shardlang.cost(_PLAN, mesh=_MESH, sizes=_SIZES, hardware="tpu-v5p").crossover("B/X")
    assert [
        (entry["between"], entry["relation"], entry["formula"], entry["value"]) for entry in data["crossovers"]
    ] == [(list(entry.between), entry.relation, formula(entry.threshold), entry.value) for entry in found]
    assert all(entry["for"] == "B/X" for entry in data["crossovers"])

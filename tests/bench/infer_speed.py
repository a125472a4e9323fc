"""Inference of one new contraction on three mesh axes with numeric sizes, beside `jax.eval_shape` of the same einsum.

Every round has sizes that were not there before, so that neither side can look a plan up; `cold` also empties the
caches of both before each round. JAX infers or checks the output, in explicit sharding mode on eight CPU devices;
shardlang also finds the collectives. Both run in turn, in one process and thread; the medians of its CPU time count, so
that other programs do not. Exits with 1 if a case is slower than JAX, with 0 where JAX is not installed (`pip install jax`).
"""

import os
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from shardlang.planning import plan
from shardlang.semantics import Options, Program, resolve
from shardlang.source import SourceText
from shardlang.syntax import parse

MESH = {"X": 2, "Y": 2, "Z": 2}
ROUNDS = 15


class Case(NamedTuple):
    """A contraction: the einsum, axes of each dimension, those of the output that is asked for (None: nothing)."""

    einsum: str
    sizes: dict[str, int]
    specs: tuple[str, str]
    asked: str | None


# Axes of a dimension are separated by blanks, `-` is none.
CASES = (
    Case("ij,jk->ik", {"i": 128, "j": 256, "k": 512}, ("X -", "- Y"), None),
    Case("ij,jk->ik", {"i": 128, "j": 256, "k": 512}, ("X Y", "Y Z"), "X Z"),
    Case("ij,jk->ik", {"i": 128, "j": 256, "k": 512}, ("X Y", "Z -"), "- X"),
    Case("btd,dnh->btnh", {"b": 16, "t": 64, "d": 128, "n": 8, "h": 32}, ("X - Y", "Y Z -"), "X - Z -"),
)


def array(name: str, dims: str, spec: str) -> str:
    """Return an array in the notation."""
    axes = ("" if axis == "-" else f"_{axis}" for axis in spec.split())
    return f"{name}[{', '.join(dim.upper() + on for dim, on in zip(dims, axes, strict=True))}]"


def text_of(case: Case) -> str:
    """Return the statement."""
    operands, output = case.einsum.split("->")
    first, second = (array(*parts) for parts in zip("AB", operands.split(","), case.specs, strict=True))
    return f"{first} · {second}" + ("" if case.asked is None else f" -> {array('C', output, case.asked)}")


def larger(case: Case, number: int) -> dict[str, int]:
    """Return sizes that no other round has."""
    return {dim: size + 8 * number for dim, size in case.sizes.items()}


def read(case: Case, sizes: dict[str, int]) -> Program:
    """Return the resolved statement."""
    module, _ = parse(SourceText(text_of(case)))
    given = {dim.upper(): size for dim, size in sizes.items()}
    program, findings = resolve(module, Options(mesh=MESH, sizes=given, dtype="bf16"))
    assert not findings
    return program


def empty_caches() -> None:
    """Empty every cache of a function of shardlang."""
    for name, module in list(sys.modules.items()):
        if name.startswith("shardlang."):
            for value in vars(module).values():
                if hasattr(value, "cache_clear"):
                    value.cache_clear()


def seconds(work: Callable[[], object]) -> float:
    """Return how long a call keeps this thread busy, without what other programs take from it."""
    start = time.thread_time()
    work()
    return time.thread_time() - start


def jax_on(case: Case) -> tuple[Callable[[dict[str, int]], Callable[[], object]], Callable[[], object]]:
    """Return what makes a call of `eval_shape` for given sizes, and what empties JAX's caches."""
    os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
    import jax
    from jax import numpy as jnp
    from jax.sharding import AxisType, NamedSharding, PartitionSpec

    mesh = jax.make_mesh(tuple(MESH.values()), tuple(MESH), axis_types=(AxisType.Explicit,) * len(MESH))
    jax.set_mesh(mesh)

    def spec(axes: str) -> Any:
        return PartitionSpec(*(None if axis == "-" else axis for axis in axes.split()))

    def prepare(sizes: dict[str, int]) -> Callable[[], object]:
        inputs = [
            jax.ShapeDtypeStruct([sizes[dim] for dim in dims], jnp.bfloat16, sharding=NamedSharding(mesh, spec(axes)))
            for dims, axes in zip(case.einsum.split("->")[0].split(","), case.specs, strict=True)
        ]
        wanted = None if case.asked is None else spec(case.asked)
        return lambda: jax.eval_shape(lambda a, b: jnp.einsum(case.einsum, a, b, out_sharding=wanted), *inputs)

    return prepare, jax.clear_caches


def measure(case: Case, with_jax: bool, cold: bool) -> tuple[float, float, float | None]:
    """Return the median seconds of reading and planning, of planning alone, and of JAX."""
    prepare, clear = jax_on(case) if with_jax else (None, None)
    rounds: list[tuple[float, float, float]] = []
    for number in range(ROUNDS + 1):
        sizes = larger(case, number)
        if cold:
            empty_caches()
            if clear is not None:
                clear()
        theirs = seconds(prepare(sizes)) if prepare is not None else 0.0
        reading = seconds(lambda sizes=sizes: read(case, sizes))
        program = read(case, sizes)
        planning = seconds(lambda program=program: plan(program))
        rounds.append((reading + planning, planning, theirs))
    whole, alone, theirs = (statistics.median(column) for column in zip(*rounds[1:], strict=True))
    return whole, alone, theirs if with_jax else None


def has_jax() -> bool:
    """Say whether JAX can be imported."""
    from importlib.util import find_spec

    return find_spec("jax") is not None


def main() -> int:
    """Measure, print, and return 0 if no case is slower than JAX."""
    with_jax, ratios = has_jax(), []
    for cold in (False, True):
        for case in CASES:
            whole, alone, theirs = measure(case, with_jax, cold)
            line = f"shardlang {1e3 * whole:7.2f} ms (planning {1e3 * alone:7.2f} ms)"
            if theirs is not None:
                ratios.append(theirs / whole)
                line += f"  JAX {1e3 * theirs:7.2f} ms  ratio {theirs / whole:6.3f}"
            sys.stdout.write(f"{'cold' if cold else 'warm'}  {line}  {text_of(case)}\n")
    if not with_jax:
        sys.stdout.write("JAX is not installed: nothing to compare with\n")
        return 0
    sys.stdout.write(f"ratio JAX / shardlang: {min(ratios):.3f} at worst (target: above 1)\n")
    return 0 if min(ratios) > 1 else 1


if __name__ == "__main__":
    sys.exit(main())

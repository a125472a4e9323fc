"""Inference of one new contraction on three mesh axes with numeric sizes, beside `jax.eval_shape` of the same einsum.

    python tests/bench/infer_speed.py     (with `pip install -e '.[bench]'`)

Every measurement is of a contraction that was not there before, so that neither side can look a plan up: `sizes` are
those of a contraction whose layouts are known with sizes that are new; `contractions` are drawn at random (einsum,
layouts, output and sizes), `early` the first hundred of a process, `late` the rest. `first` is the first one of a fresh
interpreter, with and without its imports. JAX infers or checks the output, in explicit sharding mode on eight CPU
devices; shardlang also finds the collectives. Both run in turn, in one thread; the medians of its CPU time count, so that
other programs do not. JAX is given shapes and shardings; what shardlang takes to read them from the text is told apart.
Exits with 1 if JAX is faster than planning on `sizes`, with 0 where it is not installed.
"""

import gc
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import count
from random import Random
from typing import Any, NamedTuple

MESH = {"X": 2, "Y": 2, "Z": 2}
ROUNDS = 25
DRAWN = 400


class Case(NamedTuple):
    """A contraction: the einsum, axes of each dimension, those of the output that is asked for (None: nothing)."""

    einsum: str
    sizes: dict[str, int]
    specs: tuple[str, str]
    asked: str | None


# Axes of a dimension are separated by commas, `-` is none.
CASES = (
    Case("ij,jk->ik", {"i": 128, "j": 256, "k": 512}, ("X -", "- Y"), None),
    Case("ij,jk->ik", {"i": 128, "j": 256, "k": 512}, ("X Y", "Y Z"), "X Z"),
    Case("ij,jk->ik", {"i": 128, "j": 256, "k": 512}, ("X Y", "Z -"), "- X"),
    Case("btd,dnh->btnh", {"b": 16, "t": 64, "d": 128, "n": 8, "h": 32}, ("X - Y", "Y Z -"), "X - Z -"),
)
EINSUMS = ("ij,jk->ik", "bij,bjk->bik", "btd,df->btf", "btf,fd->btd", "bij,bj->bi")


def drawn(random: Random) -> Case:
    """Return a contraction with random layouts and sizes; the output is asked for."""
    einsum = random.choice(EINSUMS)
    operands, output = einsum.split("->")
    first, second = operands.split(",")
    sizes = {dim: 8 * random.randrange(2, 400) for dim in sorted({*first, *second})}
    return Case(einsum, sizes, (_spec(random, first), _spec(random, second)), _spec(random, output))


def _spec(random: Random, dims: str) -> str:
    lists: list[list[str]] = [[] for _ in dims]
    for axis in random.sample(sorted(MESH), len(MESH)):
        place = random.randrange(len(dims) + 1)
        if place < len(dims):
            lists[place].append(axis)
    return " ".join(",".join(axes) or "-" for axes in lists)


def array(name: str, dims: str, spec: str) -> str:
    """Return an array in the notation."""
    axes = ("" if on == "-" else "_{" + on.replace(",", "") + "}" for on in spec.split())
    return f"{name}[{', '.join(dim.upper() + on for dim, on in zip(dims, axes, strict=True))}]"


def text_of(case: Case) -> str:
    """Return the statement."""
    operands, output = case.einsum.split("->")
    first, second = (array(*parts) for parts in zip("AB", operands.split(","), case.specs, strict=True))
    return f"{first} · {second}" + ("" if case.asked is None else f" -> {array('C', output, case.asked)}")


def shardlang_on(case: Case) -> tuple[Callable[[], object], Callable[[], object]]:
    """Return what reads the statement, and what then plans it."""
    from shardlang.planning import plan
    from shardlang.semantics import Options, resolve
    from shardlang.source import SourceText
    from shardlang.syntax import parse

    text, given = text_of(case), {dim.upper(): size for dim, size in case.sizes.items()}
    programs: list[Any] = []

    def read() -> None:
        module, _ = parse(SourceText(text))
        program, findings = resolve(module, Options(mesh=MESH, sizes=given, dtype="bf16"))
        assert not findings
        programs.append(program)

    def infer() -> None:
        made = plan(programs.pop())
        assert made.statements[0].output is not None, text

    return read, infer


class Jax:
    """JAX on the same mesh, in explicit sharding mode."""

    def __init__(self) -> None:
        os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
        import jax
        from jax.sharding import AxisType

        self._jax = jax
        self._mesh = jax.make_mesh(tuple(MESH.values()), tuple(MESH), axis_types=(AxisType.Explicit,) * len(MESH))
        jax.set_mesh(self._mesh)

    def on(self, case: Case) -> Callable[[], object]:
        """Return the call of `eval_shape`."""
        from jax import numpy as jnp
        from jax.sharding import NamedSharding

        inputs = [
            self._jax.ShapeDtypeStruct(
                [case.sizes[dim] for dim in dims], jnp.bfloat16, sharding=NamedSharding(self._mesh, _partition(axes))
            )
            for dims, axes in zip(case.einsum.split("->")[0].split(","), case.specs, strict=True)
        ]
        wanted = None if case.asked is None else _partition(case.asked)
        return lambda: self._jax.eval_shape(lambda a, b: jnp.einsum(case.einsum, a, b, out_sharding=wanted), *inputs)

    def takes(self, case: Case) -> bool:
        """Say whether JAX takes the contraction; asked with other sizes, so that these stay new."""
        try:
            self.on(case._replace(sizes={dim: size + 4096 for dim, size in case.sizes.items()}))()
        except Exception:  # JAX has several, not all of them public
            return False
        return True


def _partition(spec: str) -> Any:
    from jax.sharding import PartitionSpec

    return PartitionSpec(*(None if on == "-" else tuple(on.split(",")) for on in spec.split()))


def seconds(work: Callable[[], object]) -> float:
    """Return how long a call keeps this thread busy, without what other programs take from it."""
    start = time.thread_time()
    work()
    return time.thread_time() - start


class Row(NamedTuple):
    """Medians of one line of the table, in seconds: of reading the text, of planning, and of JAX."""

    name: str
    reading: float
    planning: float
    theirs: float | None


def measured(name: str, cases: Iterator[Case], rounds: int, jax: Jax | None) -> Row:
    """Return the medians over so many cases; both sides run on each in turn."""
    reading, planning, theirs = [], [], []
    for _ in range(rounds):
        case = next(cases)
        while jax is not None and not jax.takes(case):
            case = next(cases)
        if jax is not None:
            theirs.append(seconds(jax.on(case)))
        read, infer = shardlang_on(case)
        reading.append(seconds(read))
        planning.append(seconds(infer))
    whole = statistics.median(theirs) if theirs else None
    return Row(name, statistics.median(reading), statistics.median(planning), whole)


def larger(case: Case) -> Iterator[Case]:
    """Yield the contraction with sizes that were not there before."""
    return (case._replace(sizes={dim: size + 8 * number for dim, size in case.sizes.items()}) for number in count())


def rows(jax: Jax | None) -> Iterator[Row]:
    """Measure everything that counts for the exit status."""
    random = Random(0)
    contractions = iter(lambda: drawn(random), None)
    yield measured("contractions, early", contractions, 100, jax)
    yield measured("contractions, late", contractions, DRAWN - 100, jax)
    for case in CASES:
        cases = larger(case)
        measured("", cases, 2, jax)
        yield measured(f"sizes, {text_of(case)}", cases, ROUNDS, jax)


def first(side: str) -> tuple[float, float]:
    """Return the seconds of the first contraction of a fresh interpreter, alone and with imports and mesh."""
    done = subprocess.run([sys.executable, __file__, side], capture_output=True, text=True, check=True)
    alone, whole = map(float, done.stdout.split())
    return alone, whole


def first_here(side: str) -> str:
    """Return the seconds of the first contraction of this interpreter."""
    start = time.thread_time()
    works = [Jax().on(CASES[1])] if side == "jax" else shardlang_on(CASES[1])
    alone = sum(map(seconds, works))
    return f"{alone} {time.thread_time() - start}\n"


def has_jax() -> bool:
    """Say whether JAX can be imported."""
    from importlib.util import find_spec

    return find_spec("jax") is not None


def main() -> int:
    """Measure, print, and return 0 if no line that counts is slower than JAX."""
    if len(sys.argv) > 1:
        sys.stdout.write(first_here(sys.argv[1]))
        return 0
    jax = Jax() if has_jax() else None
    gc.collect()
    gc.freeze()  # neither side pays for walking through the modules that both have loaded
    ratios = []
    for row in rows(jax):
        line = f"reading {1e3 * row.reading:5.2f} ms, planning {1e3 * row.planning:5.2f} ms"
        if row.theirs is not None:
            ratio, whole = row.theirs / row.planning, row.theirs / (row.reading + row.planning)
            line += f"; JAX {1e3 * row.theirs:5.2f} ms; ratio to planning {ratio:5.2f}, to both {whole:5.2f}"
            if row.name.startswith("sizes"):
                ratios.append(ratio)
        sys.stdout.write(f"{line}  {row.name}\n")
    for side in ("shardlang", "jax") if jax is not None else ("shardlang",):
        alone, whole = first(side)
        sys.stdout.write(
            f"first of a fresh interpreter: {side} {1e3 * alone:.1f} ms, with imports {1e3 * whole:.0f} ms\n"
        )
    if jax is None:
        sys.stdout.write("JAX is not installed: nothing to compare with\n")
        return 0
    sys.stdout.write(f"JAX / planning, layouts known and sizes new: {min(ratios):.2f} at worst (target: above 1)\n")
    return 0 if min(ratios) > 1 else 1


if __name__ == "__main__":
    sys.exit(main())

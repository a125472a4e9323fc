"""Random plans: a mesh, sizes and a few statements, drawn from a `random.Random` and written as text.

Every array has a legal sharding whose dimensions divide; what a planner does in between must divide too, and
the sizes are often such that not every layout does. Sizes are known, open, or half of them are; some products are
`_LOCAL`, and some texts `explicit`, which may well be refused. `smaller` yields simpler cases for a minimal example.
"""

from collections.abc import Callable, Iterator
from math import prod
from random import Random
from typing import NamedTuple

MARK = {"sum": "U", "max": "max", "min": "min"}
DIMS = "IJKL"
UNARY = ("gelu", "relu", "exp", "-", "2 *", "-3 *")
BINARY = ("+", "-", "⊙", "/", "maximum", "minimum")
REDUCTIONS = ("sum", "mean", "max", "min")
DEVICES = 24


class Array(NamedTuple):
    """An array as text: its name, its dimensions each with their axes, what is pending."""

    name: str
    dims: tuple[tuple[str, tuple[str, ...]], ...]
    pending: tuple[str, ...] = ()
    kind: str = "sum"

    def __str__(self) -> str:
        entries = [dim + (f"_{{{','.join(axes)}}}" if axes else "") for dim, axes in self.dims]
        suffix = f"{{{MARK[self.kind]}_{{{','.join(self.pending)}}}}}" if self.pending else ""
        return f"{self.name}[{', '.join(entries)}]{suffix}"

    def names(self) -> tuple[str, ...]:
        return tuple(dim for dim, _ in self.dims)


class Line(NamedTuple):
    """One statement: `before` and `after` stand around the operands that `between` joins. local: it is `_LOCAL`."""

    operands: tuple[Array, ...]
    result: Array | None
    before: str = ""
    between: tuple[str, ...] = ()
    after: str = ""
    local: bool = False

    def __str__(self) -> str:
        joints = (*self.between, "")
        body = "".join(f"{array}{joint}" for array, joint in zip(self.operands, joints, strict=True))
        body = f"{self.before}{body}{self.after}"
        if body.startswith("-"):  # a line that starts with an operator would continue the one before
            return f"{self.result} = {body}" if self.result else f"({body})"
        return body + (f" -> {self.result}" if self.result else "")


class Case(NamedTuple):
    """A whole text. `known`: `all` sizes are in it, those of the `mesh` only, `half` (all but `open`), or `none`."""

    mesh: tuple[tuple[str, int], ...]
    sizes: tuple[tuple[str, int], ...]
    lines: tuple[Line, ...]
    known: str = "all"
    open: tuple[str, ...] = ()
    explicit: bool = False

    @property
    def text(self) -> str:
        axes = ", ".join(
            axis if self.known == "none" or axis in self.open else f"{axis}={size}" for axis, size in self.mesh
        )
        head = [f"mesh {axes}"]
        sizes = [f"{dim} = {size}" for dim, size in self.sizes if dim not in self.open]
        if self.known in ("all", "half") and sizes:
            head.append("let " + ", ".join(sizes))
        if self.explicit:
            head.append("explicit")
        return "\n".join([*head, *map(str, self.lines)]) + "\n"


def draw_case(random: Random) -> Case:
    """Return a random case of one to three statements."""
    mesh = _draw_mesh(random)
    sizes = _draw_sizes(random, mesh)
    known = random.choice(("all", "all", "all", "mesh", "none", "half"))
    if known != "all":
        sizes = dict.fromkeys(sizes, prod(mesh.values()))
        sizes = {dim: size * (at + 1) for at, (dim, size) in enumerate(sizes.items())}
    lines: list[Line] = []
    for number in range(random.choice((1, 1, 1, 2, 3))):
        lines.append(_draw_line(random, mesh, sizes, number, lines))
    arrays = (array for line in lines for array in (*line.operands, line.result) if array)
    used = dict.fromkeys(dim for array in arrays for dim in array.names())  # no set: their order is that of the process
    own = tuple((dim, size) for dim, size in sizes.items() if dim in used)
    open_ = tuple(name for name in (*mesh, *used) if random.random() < 0.5) if known == "half" else ()
    return Case(tuple(mesh.items()), own, tuple(lines), known, open_, random.random() < 0.06)


def draw_collective(random: Random) -> Case:
    """Return a case of one explicit collective or free step, which may well be illegal."""
    mesh = _draw_mesh(random)
    sizes = {dim: prod(mesh.values()) * (at + 1) for at, dim in enumerate(DIMS)}
    dims = tuple(random.sample(DIMS, random.choice((1, 2, 2))))
    operand = _draw_array(random, "A", dims, mesh, sizes)
    kind = random.choice(
        ("AllGather", "ReduceScatter", "AllReduce", "AllToAll", "CollectivePermute", "Slice", "Mask", "Pad", "Relabel")
    )
    axes = random.sample(sorted(mesh), random.choice((1, 1, min(2, len(mesh)))))
    likely = random.random() < 0.7
    result = (likely and _apply(random, kind, axes, operand)) or _draw_array(random, "A", dims, mesh, sizes)
    gained = [dim for (dim, there), (_, here) in zip(result.dims, operand.dims, strict=True) if len(there) > len(here)]
    takes_dim = kind in ("ReduceScatter", "AllToAll") or (kind == "Slice" and len(dims) > 1)
    subscript = ",".join([*axes, *gained[:1]] if takes_dim else axes)
    line = Line(
        (operand,), result, before="CollectivePermute " if kind == "CollectivePermute" else f"{kind}_{{{subscript}}} "
    )
    used = set(dims)
    return Case(tuple(mesh.items()), tuple((dim, size) for dim, size in sizes.items() if dim in used), (line,))


def _apply(random: Random, kind: str, axes: list[str], operand: Array) -> Array | None:
    """Return what a collective might make of `operand` if order did not matter."""
    dims = [(dim, [axis for axis in own if axis not in axes]) for dim, own in operand.dims]
    pending = tuple(axis for axis in operand.pending if axis not in axes)
    kept = operand.kind if pending else "sum"
    target = random.randrange(len(dims))
    if kind in ("ReduceScatter", "AllToAll", "Slice"):
        dims[target][1].extend(axes)
    if kind in ("Mask", "Pad", "Relabel"):
        pending = tuple(sorted({*pending, *axes}))
        kept = "sum" if kind != "Relabel" else random.choice(("max", "min"))
    if kind == "CollectivePermute":
        for _, own in dims:
            own.clear()
        for axis in axes:
            dims[target][1].append(axis)
    return Array("A", tuple((dim, tuple(own)) for dim, own in dims), pending, kept)


def _draw_mesh(random: Random) -> dict[str, int]:
    while True:
        mesh = {axis: random.choice((2, 2, 2, 3, 4)) for axis in "XYZ"[: random.choice((1, 2, 2, 3))]}
        if prod(mesh.values()) <= DEVICES:
            return mesh


def _draw_sizes(random: Random, mesh: dict[str, int]) -> dict[str, int]:
    """Return sizes of which some divide by a part of the mesh only."""
    sizes = {}
    for dim in DIMS:
        chosen = [size for size in mesh.values() if random.random() < 0.8]
        sizes[dim] = prod(chosen) * random.choice((1, 1, 2, 3))
    return sizes


def _draw_array(random: Random, name: str, dims: tuple[str, ...], mesh: dict[str, int], sizes: dict[str, int]) -> Array:
    kind = random.choice(("sum", "sum", "sum", "max", "min"))
    pending_share = random.choice((0.0, 0.0, 0.3))
    lists: dict[str, list[str]] = {dim: [] for dim in dims}
    pending: list[str] = []
    for axis in random.sample(sorted(mesh), len(mesh)):
        if random.random() < pending_share:
            pending.append(axis)
        elif dims and random.random() < 0.6:
            dim = random.choice(dims)
            if sizes[dim] % prod(mesh[other] for other in (*lists[dim], axis)) == 0:
                lists[dim].append(axis)
    own = tuple((dim, tuple(lists[dim])) for dim in dims)
    return Array(name, own, tuple(sorted(pending)), kind if pending else "sum")


def _draw_line(random: Random, mesh: dict[str, int], sizes: dict[str, int], number: int, before: list[Line]) -> Line:
    def array(name: str, dims: tuple[str, ...]) -> Array:
        earlier = [line.result for line in before if line.result and sorted(line.result.names()) == sorted(dims)]
        if earlier and random.random() < 0.7:
            return random.choice(earlier)
        return _draw_array(random, f"{name}{number}", dims, mesh, sizes)

    def result(dims: tuple[str, ...]) -> Array | None:
        if random.random() < 0.2:
            return None
        return _draw_array(random, f"R{number}", tuple(random.sample(dims, len(dims))), mesh, sizes)

    def some(least: int = 1) -> tuple[str, ...]:
        return tuple(random.sample(DIMS[:3], random.randint(least, 3)))

    kinds = ("contract", "contract", "contract", "binary", "unary", "reduce", "reshard", "reshard", "chain", "nested")
    match random.choice(kinds):
        case "contract":
            shared = tuple(random.sample(DIMS, random.choice((1, 1, 2))))
            rest = [dim for dim in DIMS if dim not in shared]
            left, right = rest[: random.choice((0, 1, 1))], rest[1 : random.choice((1, 2, 2))]
            contracted = shared[: random.choice((1, len(shared)))]
            kept = (*(dim for dim in shared if dim not in contracted), *left, *right)
            operands = (
                array("A", tuple(random.sample((*shared, *left), len(shared) + len(left)))),
                array("B", tuple(random.sample((*shared, *right), len(shared) + len(right)))),
            )
            if random.random() < 0.15:
                return Line(operands, result(kept), between=(f" ·_{{LOCAL,{','.join(contracted)}}} ",), local=True)
            return Line(operands, result(kept), between=(f" ·_{{{','.join(contracted)}}} ",))
        case "binary":
            dims = some()
            second = dims if random.random() < 0.6 else tuple(random.sample(dims, random.randint(0, len(dims))))
            return _binary(random, (array("A", dims), array("B", second)), result(dims))
        case "unary":
            dims = some()
            function = random.choice(UNARY)
            ends = (f"{function}(", ")") if function.isalpha() else (f"{function} ", "")
            return Line((array("A", dims),), result(dims), ends[0], (), ends[1])
        case "reduce":
            dims = some()
            over = tuple(random.sample(dims, random.randint(1, min(2, len(dims)))))
            kept = tuple(dim for dim in dims if dim not in over)
            name = random.choice(REDUCTIONS)
            return Line((array("A", dims),), result(kept), before=f"{name}_{{{','.join(over)}}} ")
        case "reshard":
            dims = some()
            turned = tuple(random.sample(dims, len(dims))) if random.random() < 0.2 else dims
            source = array("A", dims)
            name = source.name if random.random() < 0.5 else f"R{number}"
            return Line((source,), _draw_array(random, name, turned, mesh, sizes))
        case "chain":
            operands = (array("A", ("I", "J")), array("B", ("J", "K")), array("C", ("K", "L")))
            if random.random() < 0.3:
                return Line((*operands, array("D", ("L",))), result(("I",)), between=(" ·_J ", " ·_K ", " ·_L "))
            return Line(operands, result(("I", "L")), between=(" ·_J ", " ·_K "))
        case _:
            return _nested(random, array, result)


def _nested(
    random: Random,
    array: Callable[[str, tuple[str, ...]], Array],
    result: Callable[[tuple[str, ...]], Array | None],
) -> Line:
    """Return an expression of several operations."""
    a, b, c = array("A", ("I", "J")), array("B", ("J", "K")), array("C", ("K",))
    function = random.choice(("gelu(", "relu(", "-("))
    sign = random.choice((" + ", " - "))
    match random.randrange(6):
        case 0:
            return Line((a, b, c), result(("I", "K")), function, (" ·_J ", sign), ")")
        case 1:
            return Line((a, b, c, array("D", ("I", "K"))), result(("I", "K")), function, (" ·_J ", sign, ") ⊙ "))
        case 2:
            return Line((a, b, c), result(("K",)), f"{random.choice(REDUCTIONS)}_I (", (" ·_J ", sign), ")")
        case 3:
            return Line((a, array("D", ("I", "J")), b), result(("I", "K")), "(", (sign, ") ·_J "))
        case 4:
            return Line((a, b), result(("I", "K")), "", (f" ·_J {function.replace('-', '')}",), ")")
        case _:
            return Line(
                (a, b, array("E", ("K", "L")), array("F", ("L",))), result(("I", "L")), "", (" ·_J ", " ·_K ", sign)
            )


def _binary(random: Random, operands: tuple[Array, Array], result: Array | None) -> Line:
    op = random.choice([op for op in BINARY if op != "/" or operands[1].name.startswith("B")])  # inputs are never zero
    if op.isalpha():
        return Line(operands, result, f"{op}(", (", ",), ")")
    return Line(operands, result, between=(f" {op} ",))


def smaller(case: Case) -> Iterator[Case]:
    """Yield cases a step simpler than `case`: fewer statements, axes, sharded or pending axes, smaller sizes."""
    if case.explicit:
        yield case._replace(explicit=False)
    for name in case.open:
        yield case._replace(open=tuple(other for other in case.open if other != name))
    for at in range(len(case.lines)):
        if len(case.lines) > 1:
            yield case._replace(lines=case.lines[:at] + case.lines[at + 1 :])
    for axis, size in case.mesh:
        if len(case.mesh) > 1:
            gone = case._replace(mesh=tuple(pair for pair in case.mesh if pair[0] != axis))
            yield _each_array(gone, lambda array, axis=axis: _without(array, axis))
        if size > 2:
            mesh = tuple((name, 2 if name == axis else count) for name, count in case.mesh)
            total = prod(count for _, count in mesh)
            yield case._replace(mesh=mesh, sizes=tuple((dim, total) for dim, _ in case.sizes))
    for name in sorted({array.name for line in case.lines for array in (*line.operands, line.result) if array}):
        for axis, _ in case.mesh:

            def strip(array: Array, name: str = name, axis: str = axis) -> Array:
                return _without(array, axis) if array.name == name else array

            yield _each_array(case, strip)


def _without(array: Array, axis: str) -> Array:
    dims = tuple((dim, tuple(other for other in axes if other != axis)) for dim, axes in array.dims)
    pending = tuple(other for other in array.pending if other != axis)
    return array._replace(dims=dims, pending=pending, kind=array.kind if pending else "sum")


def _each_array(case: Case, change) -> Case:
    return case._replace(
        lines=tuple(
            line._replace(
                operands=tuple(change(array) for array in line.operands),
                result=line.result and change(line.result),
            )
            for line in case.lines
        )
    )

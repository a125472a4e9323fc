"""Plans written by hand: steps from short texts, so that prices are tested without parser and planner.

`plan("AllGather Y: In[B_X, D_Y] -> In[B_X, D]", "Einsum D: In[B_X, D] W[D, F_Y] -> T[B_X, F_Y]")`: each text is one
statement, its steps parted by `;`; after the kind stand the axes of a collective or the contracted dimensions.
"""

import re

from shardlang.rules.plan import COLLECTIVES, FREE_STEPS, Plan, StatementPlan, Step, Value
from shardlang.semantics.program import BareArray, Declared, Mesh, MeshAxis, Program, Ref, Statement
from shardlang.semantics.sharding import ArrayType, Sharding, anonymous
from shardlang.semantics.size import Monomial
from shardlang.semantics.topology import parse_topology
from shardlang.source import Span

_ARRAY = re.compile(r"(?:(\w+):)?(\w*)\[([^\]]*)\](?:\{(U|max|min)_\{?(\w+)\}?\})?")
_KINDS = {"U": "sum", "max": "max", "min": "min"}
_NOWHERE = Span(0, 0)


def array(text: str) -> Value:
    """`In[B_X, D_{XY}]{U_Z}`, `int8:W[D, F]`, `KV[2, S]`."""
    match = _ARRAY.fullmatch(text)
    assert match, text
    dtype, name, inside, kind, pending = match.groups()
    dims, axes = [], []
    for number, entry in enumerate(part.strip() for part in inside.split(",") if part.strip()):
        dim, _, subscript = entry.partition("_")
        dims.append(anonymous(number, dim) if dim.isdigit() else dim)
        axes.append(tuple(subscript.strip("{}")))
    sharding = Sharding(tuple(axes), tuple(sorted(pending or "")), _KINDS[kind or "U"])
    return Value(name or None, ArrayType(tuple(dims), sharding, dtype))


def wired(mesh: Mesh, links: dict[str, str] | None) -> Mesh:
    """`mesh` with topologies by axis, as a text would say them."""
    asked = {name: parse_topology(text) for name, text in (links or {}).items()}
    return mesh._replace(axes=tuple(axis._replace(topology=asked.get(axis.name)) for axis in mesh.axes))


def step(text: str) -> Step:
    """One step, see the module."""
    head, _, body = text.partition(":")
    kind, _, subscript = head.strip().partition(" ")
    operands, _, result = body.partition("->")
    values = tuple(array(match.group(0)) for match in _ARRAY.finditer(operands))
    letters = tuple(subscript.strip())
    moves = kind in COLLECTIVES + FREE_STEPS
    return Step(
        kind=kind,
        op=kind if moves else "contract",
        operands=values,
        result=array(result.strip()),
        axes=letters if moves else (),
        contracted=() if moves else letters,
        text=body.strip(),
    )


def statement(text: str) -> StatementPlan:
    """One statement: steps, or a bare array."""
    if ":" not in text.replace("int8:", "") and "->" not in text:
        value = array(text)
        body = BareArray(Ref(value.name, value.type, _NOWHERE, None))
        return StatementPlan(Statement(body, "array", True, False, None, _NOWHERE), value)
    steps = tuple(step(part) for part in text.split(";"))
    made = Statement(Declared(), "operation", True, False, None, _NOWHERE)
    return StatementPlan(made, steps[-1].result, steps)


def plan(*texts: str, mesh: str = "", sizes: dict[str, object] | None = None, dtype: str = "bf16") -> Plan:
    """A plan of statements. mesh: `X=4, Y`; sizes: whole numbers or monomials by dimension."""
    axes = []
    for part in filter(None, (entry.strip() for entry in mesh.split(","))):
        name, _, size = part.partition("=")
        axes.append(MeshAxis(name, int(size) if size else None))
    known = {dim: Monomial(size, 1) if isinstance(size, int) else size for dim, size in (sizes or {}).items()}
    program = Program(Mesh(tuple(axes), bool(axes)), known, dtype, None, {}, ())
    return Plan(program, tuple(statement(text) for text in texts))

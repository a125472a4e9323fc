"""What each array of a plan takes, what is there before the first statement, and the peak with it.

Arrays that are declared, that stand alone, and that statements use without making them are all there at once when a
plan starts. The peak goes on from there: an input ends with its last use, as in `cost.memory`, and what no statement
uses stays throughout, since nothing in the text frees it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from sympy import Add, Expr, Integer, Mul, Symbol

from shardlang.cost.estimate import Estimate
from shardlang.cost.memory import Peak, alive, inputs, peak
from shardlang.cost.names import declared_arrays
from shardlang.cost.prices import StatementEstimate, is_bare
from shardlang.pricing import steps as pricing
from shardlang.rules.plan import Plan, StatementPlan, Value
from shardlang.semantics.program import Statement, operands_of
from shardlang.semantics.sharding import Sharding, dim_text

_Made: TypeAlias = tuple[str | None, Sharding | None]
_Key: TypeAlias = tuple[str | int, tuple[str, ...], Sharding, str]  # the number stands for an array without a name


class Amount(NamedTuple):
    """How much an array or several are.

    elements: of one whole copy. local_elements: on one device. bytes: on one device. whole: bytes of one whole copy.
    everywhere: bytes on all devices of the mesh, copies and all.
    """

    elements: Expr
    local_elements: Expr
    bytes: Expr
    whole: Expr
    everywhere: Expr


@dataclass(frozen=True, slots=True)
class ArrayMemory:
    """One array of a text in one layout.

    role: `declared`, `alone` (a bare array), `input` or `result` of a statement, by where it stands first. resident:
    whether it is there before the first statement. shape: of the block of one device. pieces: into how many blocks the
    array is cut.
    """

    value: Value
    dtype: str
    role: str
    statement: Statement
    resident: bool
    shape: tuple[Expr, ...]
    pieces: Expr
    amount: Amount


@dataclass(frozen=True, slots=True)
class Residence:
    """The memory of a plan.

    arrays: in the order of the text. resident: of those that are there before the first statement, together. most: the
    peak, `at` an index of the statements of the plan. alive: what is there then, None where open sizes decide it;
    an array that a plan of bare arrays alone has is alive throughout. devices: on the mesh. capacity: M_hbm.
    """

    arrays: tuple[ArrayMemory, ...]
    resident: Amount
    most: Peak
    alive: tuple[tuple[Value, Expr], ...] | None
    devices: Expr
    capacity: Symbol


class _Entry(NamedTuple):
    """An array as a statement of the text has it."""

    value: Value
    role: str
    statement: Statement
    resident: bool


def residence(plan: Plan, estimate: Estimate) -> Residence:
    """Return the memory of a plan that `estimate` is the price of. All bytes are exact, or padded where that was asked for."""
    operations = [s for s in estimate.statements if not is_bare(s.plan)]
    there = frozenset(inputs(s.plan for s in operations))
    made = frozenset(_made(operations, there))
    rows: dict[_Key, _Entry] = {}
    touched: set[_Key] = set()
    for entry in _entries(plan, operations, there, made):
        key = _key(entry.value, estimate, len(rows))
        known = rows.get(key)
        rows[key] = entry if known is None else known._replace(resident=known.resident or entry.resident)
        if entry.role in ("input", "result"):
            touched.add(key)
    devices = _product(estimate.pricer.names.axes().values())
    arrays = tuple(_measured(entry, estimate, devices) for entry in rows.values())
    kept = [array for array, key in zip(arrays, rows, strict=True) if array.resident and key not in touched]
    most, listed = _most(estimate, operations, kept)
    resident = _sum(array.amount for array in arrays if array.resident)
    return Residence(arrays, resident, most, listed, devices, estimate.pricer.capacity)


def _entries(
    plan: Plan, operations: list[StatementEstimate], there: frozenset[Value], made: frozenset[_Made]
) -> Iterator[_Entry]:
    """Yield the arrays of the text in its order: of a declaration its own, of a statement its inputs, then its result."""
    found: list[_Entry] = []
    for ref, statement in declared_arrays(plan):
        found.append(_listed(Value(ref.name, ref.type), "declared", statement, made))
    alone = ((p.statement, p.output) for p in plan.statements if is_bare(p) and p.output is not None)
    found.extend(_listed(value, "alone", statement, made) for statement, value in alone)
    for priced in operations:
        planned = priced.plan
        found.extend(_Entry(value, "input", planned.statement, True) for value in _operands(planned) if value in there)
        if planned.output is not None and planned.output.constant is None and _is_new(planned, there):
            found.append(_Entry(planned.output, "result", planned.statement, False))
    return iter(sorted(found, key=lambda entry: entry.statement.span.start))


def _operands(planned: StatementPlan) -> list[Value]:
    """Return the operands of the steps of a statement, those first that it names, in its order."""
    names = [ref.name for ref in operands_of(planned.statement.body)]
    used = (value for step in planned.steps for value in step.operands if value.constant is None)
    operands = [*dict.fromkeys(value for value in used if value.name is not None)]
    operands += (value for value in inputs([planned]) if value.name is None)  # as often as there are such arrays
    return sorted(operands, key=lambda value: names.index(value.name) if value.name in names else len(names))


def _is_new(planned: StatementPlan, there: frozenset[Value]) -> bool:
    """Say whether a statement makes its result; one without a name is no other array, whatever looks like it."""
    nameless = planned.output is not None and planned.output.name is None
    return bool(planned.steps) if nameless else planned.output not in there


def _made(operations: list[StatementEstimate], there: frozenset[Value]) -> Iterator[_Made]:
    """Yield what statements make: new values, whatever the layout, and layouts of a name that its operand has too."""
    for planned in (priced.plan for priced in operations):
        if planned.output is not None and planned.output not in there:
            operands = {value.name for step in planned.steps for value in step.operands}
            yield (planned.output.name, planned.output.type.sharding if planned.output.name in operands else None)


def _listed(value: Value, role: str, statement: Statement, made: frozenset[_Made]) -> _Entry:
    """Return an array that is declared or stands alone; one that a statement makes is not there from the start."""
    is_made = (value.name, None) in made or (value.name, value.type.sharding) in made
    return _Entry(value, role, statement, value.name is None or not is_made)


def _key(value: Value, estimate: Estimate, number: int) -> _Key:
    """Return what two arrays have in common that are one; one without a name is only itself."""
    dims = tuple(dim_text(dim) for dim in value.type.dims)
    return (value.name or number, dims, value.type.sharding, pricing.value_dtype(value, estimate.pricer.sizes))


def _measured(entry: _Entry, estimate: Estimate, devices: Expr) -> ArrayMemory:
    sizes, one = estimate.pricer.sizes, Integer(1)
    array, dtype = entry.value.type, pricing.value_dtype(entry.value, estimate.pricer.sizes)
    shape = tuple(
        one * pricing.local_size(dim, axes, sizes) for dim, axes in zip(array.dims, array.sharding.axes, strict=True)
    )
    elements = _product(one * pricing.size_of(dim, sizes) for dim in array.dims)
    pieces = _product(sizes.axes[axis] for axes in array.sharding.axes for axis in axes)
    local, width = _product(shape), one * sizes.width(dtype)
    amount = Amount(elements, local, local * width, elements * width, local * width * devices)
    return ArrayMemory(entry.value, dtype, entry.role, entry.statement, entry.resident, shape, pieces, amount)


def _product(factors: Iterable[Expr]) -> Expr:
    return Mul(*factors)


def _sum(amounts: Iterable[Amount]) -> Amount:
    columns = list(zip(*amounts, strict=True))
    return Amount(*(Add(*column) for column in columns)) if columns else Amount(*(Integer(0),) * 5)


def _most(
    estimate: Estimate, operations: list[StatementEstimate], kept: list[ArrayMemory]
) -> tuple[Peak, tuple[tuple[Value, Expr], ...] | None]:
    """Return the peak of the operations on top of what no statement uses, and what is alive at it."""
    pricer = estimate.pricer
    stays = Add(*(array.amount.bytes for array in kept))
    listed = [(array.value, array.amount.bytes) for array in kept]
    plans = [s.plan for s in operations]
    if not any(planned.steps for planned in plans):
        return Peak(stays, True, None, None, stays), tuple(listed)
    same = len(operations) == len(estimate.statements)
    most = estimate.peak if same else peak(plans, pricer.bytes_of, estimate.values, *pricer.size_symbols())
    if most.at is None or most.step is None or most.there is None:
        return most._replace(bytes=stays + most.bytes), None
    listed += [(value, pricer.bytes_of(value)) for value in alive(plans, most.at, most.step)]
    places = [at for at, s in enumerate(estimate.statements) if not is_bare(s.plan)]
    return most._replace(bytes=stays + most.bytes, at=places[most.at], there=stays + most.there), tuple(listed)

"""Run steps on a simulated mesh and compare with the dense result after each.

Devices hold only their own blocks. A step reads a layout that exists under its operand's name, runs with
its own semantics (`collectives`, `evaluate`), and what comes out must mean (`layout.denote`) what the step
means on whole arrays. So a rule that is wrong, a step that is missing and a layout that nobody made are
all found, at the first step that breaks.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from shardlang.reference import collectives
from shardlang.reference.collectives import Lists, StepError
from shardlang.reference.evaluate import EvaluationError, Named, apply, in_order
from shardlang.reference.grid import Device, Grid
from shardlang.reference.holdings import holdings
from shardlang.reference.layout import (
    Block,
    Blocks,
    Holding,
    LayoutError,
    block_place,
    denote,
    local_shape,
    same,
    window,
)
from shardlang.reference.memory import Memory, layout_of
from shardlang.reference.rings import Traffic, no_traffic
from shardlang.rules.plan import LOCAL_STEPS, Step, Value
from shardlang.semantics.sharding import ArrayType, Sharding, array_text


class Failure(NamedTuple):
    """The first thing that broke: where, why, and the devices whose blocks are wrong (as text, at most four).

    alternative: the name of the plan that broke, None for the one that was chosen. held: what every device
    holds and should hold, where a step made blocks at all.
    """

    message: str
    step: Step | None = None
    step_number: int | None = None
    statement: int | None = None
    devices: tuple[str, ...] = ()
    alternative: str | None = None
    held: tuple[Holding, ...] = ()

    def __str__(self) -> str:
        parts = [] if self.alternative is None else [f"alternative {self.alternative!r}"]
        if self.step is not None:
            parts.append(f"step {self.step_number} ({self.step.text or self.step.kind})")
        place = "".join(f"{part}: " for part in parts)
        if self.statement is not None:
            separator = ": " if self.step is None or parts[0].startswith("alternative") else ", "
            place = f"statement {self.statement}{separator}{place}"
        return place + self.message + (f" [devices {', '.join(self.devices)}]" if self.devices else "")


class Ran(NamedTuple):
    """A step that ran, and the elements that the devices sent and received."""

    step: Step
    traffic: Traffic
    devices: int

    @property
    def received(self) -> Fraction:
        """The elements that the busiest device received.

        Of an AllReduce the mean: where a block does not divide into as many pieces as there are devices, these differ by an element.
        """
        counts = self.traffic.received
        if self.step.kind == "AllReduce":
            return Fraction(sum(counts.values()), self.devices)
        return Fraction(max(counts.values(), default=0))


def run_steps(
    steps: Iterable[Step],
    mesh: Mapping[str, int],
    sizes: Mapping[str, int],
    *,
    arrays: Mapping[str, Block] | None = None,
    seed: int = 0,
) -> tuple[tuple[Ran, ...], Failure | None]:
    """Run steps alone, on a mesh with these axis sizes and dimensions of these sizes.

    An operand that no step before has made is an input: `arrays` gives its global value, or it is random.
    Returns the steps that ran and the first failure, if any.
    """
    steps = tuple(steps)
    try:
        memory = Memory(Grid(mesh), sizes, arrays, seed)
        for at, step in enumerate(steps):
            made = {step.result.name for step in steps[:at]}
            for operand in step.operands:
                if operand.name not in made:
                    memory.admit(operand)
    except (LayoutError, KeyError, ValueError) as problem:
        return (), Failure(str(problem))
    return replay(steps, memory)


def replay(
    steps: Iterable[Step], memory: Memory, statement: int | None = None
) -> tuple[tuple[Ran, ...], Failure | None]:
    """Run steps in a memory, which they change. Returns the steps that ran and the first failure, if any."""
    ran: list[Ran] = []
    for number, step in enumerate(steps):
        try:
            traffic = run_step(step, memory)
        except (LayoutError, StepError, EvaluationError) as problem:
            devices, held = (problem.devices, problem.held) if isinstance(problem, LayoutError) else ((), ())
            names = tuple(memory.grid.name(device) for device in devices[:4])
            return tuple(ran), Failure(str(problem), step, number, statement, names, held=held)
        ran.append(Ran(step, traffic, len(memory.grid.devices)))
    return tuple(ran), None


def run_step(step: Step, memory: Memory) -> Traffic:
    """Run one step and check what comes out. Raises StepError, LayoutError or EvaluationError if it is wrong."""
    unknown = [axis for axis in step.axes if not memory.grid.has(axis)]
    if unknown:
        raise StepError(f"the mesh has no axis {unknown[0]}")
    with np.errstate(all="ignore"):  # a function outside its domain is NaN on every device and in the dense result
        return _run_known(step, memory)


def _run_known(step: Step, memory: Memory) -> Traffic:
    operands = [memory.read(operand) for operand in step.operands]
    traffic = no_traffic()
    computes = step.kind in LOCAL_STEPS and step.op != "transpose"
    if computes:
        blocks, whole = _run_local(step, operands, memory)
    else:
        moved, traffic = _move(step, operands[0][0], memory.grid)
        source = operands[0][1]
        blocks = {device: in_order(Named(source.dims, moved[device]), step.result.type.dims) for device in moved}
        whole = source._replace(dims=step.result.type.dims, data=in_order(source, step.result.type.dims))
    _compare(step.result, blocks, whole, memory)
    operand_names = {layout_of(operand).name for operand in step.operands}
    rebind = computes or layout_of(step.result).name not in operand_names
    memory.write(step.result, blocks, whole, rebind=rebind)
    return traffic


def _run_local(step: Step, operands: list[tuple[Blocks, Named]], memory: Memory) -> tuple[Blocks, Named]:
    """Run a local operation on every device, and on the whole arrays."""
    dims = step.result.type.dims
    whole = apply(step.op, tuple(value for _, value in operands), step.contracted, dims, memory.sizes)
    blocks = {}
    for device in memory.grid.devices:
        own = tuple(Named(value.dims, held[device]) for held, value in operands)
        blocks[device] = apply(step.op, own, step.contracted, dims, memory.sizes).data
    return blocks, whole


def _move(step: Step, blocks: Blocks, grid: Grid) -> tuple[Blocks, Traffic]:
    """Run a collective or a free step; the dimensions stay in the operand's order."""
    operand, result = step.operands[0].type, step.result.type
    if sorted(operand.dims) != sorted(result.dims):
        raise StepError(f"{step.kind} cannot turn the dimensions {operand.dims} into {result.dims}")
    axes, kind = step.axes, operand.sharding.kind
    lost, gained = _leaving(axes, operand), _coming(axes, operand, result)
    match step.kind:
        case "AllGather":
            return collectives.all_gather(grid, blocks, _placed(axes, lost), lost)
        case "AllToAll":
            # The parts are joined in the order in which they lie, and cut in the order that the step says.
            lost = tuple(tuple(axis for axis in own if axis in axes) for own in operand.sharding.axes)
            return collectives.all_to_all(grid, blocks, _placed(_placed(axes, lost), gained), lost, gained)
        case "ReduceScatter":
            return collectives.reduce_scatter(grid, blocks, _placed(axes, gained), gained, kind)
        case "AllReduce":
            return collectives.all_reduce(grid, blocks, axes, kind)
        case "CollectivePermute":
            there = Sharding(
                tuple(result.axes_of(dim) for dim in operand.dims), result.sharding.pending, result.sharding.kind
            )
            return collectives.permute(grid, blocks, operand.sharding, there)
        case "Slice":
            _placed(axes, gained)
            return collectives.cut(grid, blocks, gained), no_traffic()
        case "Mask":
            return collectives.mask(grid, blocks, axes), no_traffic()
        case "Pad":
            _placed(axes, lost)
            return collectives.pad(grid, blocks, lost), no_traffic()
        case "Relabel":
            return dict(blocks), no_traffic()
        case "Reshape" if step.op == "transpose":
            return dict(blocks), no_traffic()
        case _:
            raise StepError(f"{step.kind} is not a step that the reference executor can run")


def _leaving(axes: tuple[str, ...], operand: ArrayType) -> Lists:
    return tuple(tuple(axis for axis in axes if axis in own) for own in operand.sharding.axes)


def _coming(axes: tuple[str, ...], operand: ArrayType, result: ArrayType) -> Lists:
    return tuple(
        tuple(axis for axis in axes if axis in result.axes_of(dim) and axis not in operand.axes_of(dim))
        for dim in operand.dims
    )


def _placed(axes: tuple[str, ...], lists: Lists) -> tuple[str, ...]:
    """Return `axes` after checking that each is on a dimension of `lists`."""
    astray = [axis for axis in axes if not any(axis in own for own in lists)]
    if astray:
        raise StepError(f"axis {astray[0]} is on no dimension that the step could take it from or bring it to")
    return axes


def _compare(value: Value, blocks: Blocks, whole: Named, memory: Memory) -> None:
    """Raise LayoutError, with what every device holds, unless the blocks, read in the stated layout, mean the whole array."""
    array, grid = value.type, memory.grid
    try:
        meant = denote(grid, array, blocks, memory.sizes)
        if same(meant, whole.data, exact=whole.exact):
            return
        shape = local_shape(grid, array, memory.sizes)
        wrong: list[Device] = []
        for device in grid.devices:
            part = window(block_place(grid, device, array.sharding), shape)
            if not same(meant[part], whole.data[part], exact=whole.exact):
                wrong.append(device)
        raise LayoutError(f"the blocks do not mean the array that {array_text('', array)} should be", tuple(wrong))
    except LayoutError as problem:
        problem.held = holdings(grid, array, blocks, whole)
        raise

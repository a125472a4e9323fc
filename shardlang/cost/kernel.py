"""Straight-line programs of NumPy operations, run in pieces that stay in the cache.

A formula over a million points that is evaluated one whole array at a time spends most of its time waiting for memory.
Here every operation runs on some thousand points before the next thousand are touched, and writes into a buffer that
is no longer needed.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Numbers: TypeAlias = NDArray[Any]  # integers or floats

_PIECE = 16_384  # points: the buffers of an ordinary plan fit a second-level cache, and calls cost little
_LINE = 64  # bytes: operations on buffers that begin elsewhere take twice as long


class Register(NamedTuple):
    """The result of one operation, or an array that goes in."""

    number: int


Operand: TypeAlias = Register | float


class _Operation(NamedTuple):
    ufunc: np.ufunc
    operands: tuple[Operand, ...]
    result: Register


class Kernel:
    """Operations in order, on `inputs` arrays of the same length. Each is there once, however often it is asked for."""

    def __init__(self, inputs: int) -> None:
        self.inputs = tuple(Register(number) for number in range(inputs))
        self._operations: list[_Operation] = []
        self._known: dict[tuple[np.ufunc, tuple[Operand, ...]], Register] = {}

    def apply(self, ufunc: np.ufunc, *operands: Operand) -> Register:
        """Return the register of `ufunc(*operands)`; one operand at least is a register."""
        key = (ufunc, operands)
        if key not in self._known:
            self._known[key] = Register(len(self.inputs) + len(self._operations))
            self._operations.append(_Operation(ufunc, operands, self._known[key]))
        return self._known[key]

    def run(self, inputs: Sequence[Numbers], results: Sequence[Operand]) -> list[Floats]:
        """Return the arrays of `results`. inputs: flat, of one length; what is not finite becomes NaN."""
        length = len(inputs[0])
        running = _Run(self._needed(results), dict(zip(self.inputs, inputs, strict=True)), results, length)
        with np.errstate(all="ignore"):
            for start in range(0, length, _PIECE):
                running.piece(slice(start, min(start + _PIECE, length)))
        return running.arrays

    def _needed(self, results: Sequence[Operand]) -> list[_Operation]:
        """Return the operations that lead to a result."""
        wanted = set(results)
        needed = []
        for operation in reversed(self._operations):
            if operation.result in wanted:
                needed.append(operation)
                wanted.update(operation.operands)
        return needed[::-1]


class _Run:
    """Operations with the memory that they work in."""

    def __init__(
        self,
        operations: Sequence[_Operation],
        inputs: Mapping[Register, Numbers],
        results: Sequence[Operand],
        length: int,
    ) -> None:
        self.arrays = list(np.empty((len(results), length)))  # at once: the system gives large pages for it
        self._inputs, self._results = inputs, results
        self._own: dict[Operand, Floats] = {}
        for result, array in zip(results, self.arrays, strict=True):
            if isinstance(result, Register) and result not in inputs:
                self._own.setdefault(result, array)
        self._places, count = _places(operations, self._own)
        self._buffers = _buffers(count, min(length, _PIECE))
        operands = (*(x for op in operations for x in (*op.operands, op.result)), *results)
        self._slots = {operand: at for at, operand in enumerate(dict.fromkeys(operands))}
        self._constants: dict[Operand, Any] = {x: np.array(x) for x in self._slots if not isinstance(x, Register)}
        slots = self._slots
        self._calls = [(op.ufunc, [slots[x] for x in op.operands], slots[op.result]) for op in operations]

    def piece(self, at: slice) -> None:
        """Run all operations on some points."""
        there = self._views(at)
        slots = [there[operand] for operand in self._slots]
        for ufunc, read, written in self._calls:
            ufunc(*[slots[slot] for slot in read], out=slots[written])
        for result, array in zip(self._results, self.arrays, strict=True):
            _finish(array[at], there[result], copied=self._own.get(result) is not array)

    def _views(self, at: slice) -> dict[Operand, Any]:
        """Return the numbers of everything at some points, or the place for them."""
        there: dict[Operand, Any] = {}
        there.update(self._constants)
        there.update((register, self._buffers[place][: at.stop - at.start]) for register, place in self._places.items())
        there.update((register, array[at]) for register, array in self._own.items())
        for register, numbers in self._inputs.items():
            there[register] = numbers[at].astype(np.float64, copy=False)
        return there


def _places(operations: Sequence[_Operation], own: Mapping[Operand, Floats]) -> tuple[dict[Register, int], int]:
    """Return the buffer of each result that is not the caller's, and how many there are; those last read are used again."""
    last = {operand: at for at, op in enumerate(operations) for operand in op.operands if isinstance(operand, Register)}
    places: dict[Register, int] = {}
    free: list[int] = []
    count = 0
    for at, operation in enumerate(operations):
        free += [
            places[x] for x in set(operation.operands) if isinstance(x, Register) and x in places and last[x] == at
        ]
        if operation.result in own:
            continue
        if not free:
            free.append(count)
            count += 1
        places[operation.result] = free.pop()
    return places, count


def _buffers(count: int, size: int) -> list[Floats]:
    """Return buffers that begin on a cache line, and not all at the same offset in a page."""
    line = _LINE // 8
    row = -(-size // line) * line + line
    memory = np.empty(count * row + line)
    start = -memory.ctypes.data % _LINE // 8
    return [memory[start + at * row : start + (at + 1) * row] for at in range(count)]


def _finish(array: Floats, found: Floats, copied: bool) -> None:
    """Put a result where it belongs; a number that is not finite is none."""
    if copied:
        array[...] = found
    finite = np.isfinite(array)
    if not finite.all():
        array[~finite] = np.nan

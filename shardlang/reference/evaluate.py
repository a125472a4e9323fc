"""Local operations on arrays whose dimensions have names, and the dense value of a resolved expression.

The same functions run on the whole arrays (what a statement means) and on the blocks of one device (what
a step does); they know nothing of layouts.
"""

from collections.abc import Callable, Mapping
from functools import reduce
from string import ascii_letters
from typing import NamedTuple

import numpy as np

from shardlang.reference.functions import EXACT, REDUCTIONS, ROUNDED, Function
from shardlang.reference.layout import Block
from shardlang.semantics.program import Collective, Constant, Expr, Op, Ref


class Named(NamedTuple):
    """An array and the names of its dimensions. `exact` is false where rounding may have happened."""

    dims: tuple[str, ...]
    data: Block
    exact: bool = True


class EvaluationError(Exception):
    """An operation that cannot be computed: the name is not known here, or the dimensions do not fit."""


def apply(
    op: str,
    operands: tuple[Named, ...],
    contracted: tuple[str, ...],
    dims: tuple[str, ...],
    sizes: Mapping[str, int],
) -> Named:
    """Return the result, with its dimensions in the order `dims`, of one local operation.

    `contracted` are the dimensions summed over; `sizes` the global sizes, which only `mean` uses (it is the sum
    over |J|, so that the mean of a block is an addend of the mean). Raises EvaluationError.
    """
    _check_sizes(operands)
    exact = all(operand.exact for operand in operands)
    with np.errstate(all="ignore"):
        if op in REDUCTIONS:
            result = _reduced(op, operands[0], contracted, sizes)
        elif op == "contract" or (op == "hadamard" and contracted):
            result = _contracted(operands, tuple(dim for dim in dims if dim not in contracted))
        elif op in EXACT or op in ROUNDED:
            result = _elementwise(EXACT.get(op) or ROUNDED[op], operands, contracted)
        else:
            raise EvaluationError(f"the reference executor does not know the operation {op}")
    if sorted(result.dims) != sorted(dims):
        raise EvaluationError(f"{op} gives the dimensions {result.dims}, not {dims}")
    rounded = op in ROUNDED or op == "mean"
    return Named(dims, in_order(result, dims), exact and not rounded)


def in_order(array: Named, dims: tuple[str, ...]) -> Block:
    """Return the data with the dimensions in another order."""
    return array.data.transpose([array.dims.index(dim) for dim in dims])


def evaluate(expr: Expr, values: Callable[[Ref], Named], sizes: Mapping[str, int]) -> Named:
    """Return the dense value of a resolved expression; `values` gives that of each array in it.

    The depth of an expression is bounded by the parser. Raises EvaluationError.
    """
    match expr:
        case Ref():
            return values(expr)
        case Constant():
            return constant(expr.text)
        case Collective():
            return evaluate(expr.operand, values, sizes)  # it moves blocks, not the value
        case Op():
            operands = tuple(evaluate(arg, values, sizes) for arg in expr.args)
            return apply(expr.name, operands, expr.contracted, expr.dims, sizes)


def constant(text: str) -> Named:
    """Return the value of a number as typed. Raises EvaluationError if it is none."""
    try:
        value = float(text)
    except ValueError:
        raise EvaluationError(f"{text} is not a number") from None
    return Named((), np.asarray(value), value.is_integer())


def _check_sizes(operands: tuple[Named, ...]) -> None:
    """Refuse one name with two sizes: NumPy would stretch a block of size one without a word."""
    seen: dict[str, int] = {}
    for operand in operands:
        for dim, size in zip(operand.dims, operand.data.shape, strict=True):
            if seen.setdefault(dim, size) != size:
                raise EvaluationError(f"the operands hold {seen[dim]} and {size} elements of dimension {dim}")


def _contracted(operands: tuple[Named, ...], dims: tuple[str, ...]) -> Named:
    names = dict.fromkeys(dim for operand in operands for dim in operand.dims)
    if any(dim not in names for dim in dims):
        raise EvaluationError(f"no operand has all of the dimensions {dims}")
    if len(names) > len(ascii_letters):
        raise EvaluationError(f"a product over {len(names)} dimensions is more than NumPy can do")
    letter = dict(zip(names, ascii_letters, strict=False))
    inputs = ",".join("".join(letter[dim] for dim in operand.dims) for operand in operands)
    formula = f"{inputs}->{''.join(letter[dim] for dim in dims)}"
    return Named(dims, np.asarray(np.einsum(formula, *(operand.data for operand in operands))))


def _reduced(op: str, operand: Named, contracted: tuple[str, ...], sizes: Mapping[str, int]) -> Named:
    if any(dim not in operand.dims for dim in contracted):
        raise EvaluationError(f"{op} over {contracted}, which the operand {operand.dims} lacks")
    over = tuple(at for at, dim in enumerate(operand.dims) if dim in contracted)
    data = np.asarray(REDUCTIONS[op](operand.data, axis=over))
    if op == "mean":
        data = data / reduce(lambda total, dim: total * sizes[dim], contracted, 1)
    return Named(tuple(dim for dim in operand.dims if dim not in contracted), data)


def _elementwise(function: Function, operands: tuple[Named, ...], contracted: tuple[str, ...]) -> Named:
    dims = tuple(dict.fromkeys(dim for operand in operands for dim in operand.dims))
    stretched = []
    for operand in operands:
        kept = tuple(dim for dim in dims if dim in operand.dims)
        shape = iter(in_order(operand, kept).shape)
        stretched.append(in_order(operand, kept).reshape([next(shape) if dim in kept else 1 for dim in dims]))
    result = Named(dims, np.asarray(function(*stretched)))
    return _reduced("sum", result, contracted, {}) if contracted else result

"""What each local operation may do with a mesh axis: the table that the rules are read from.

Source: NOTATION section 3. A local operation treats one axis in one of three ways: every operand is
replicated on it; every operand that has a certain dimension is sharded on it there; or a certain set of
operands is pending on it. Which sets may be pending is what tells the operations apart.
"""

from typing import NamedTuple

from shardlang.syntax.operations import BY_NAME

# Operands that may be pending together on one axis, the kind they are pending in, the kind of the result.
Passage = tuple[tuple[int, ...], str, str]

_FIRST: tuple[Passage, ...] = (((0,), "sum", "sum"),)
_EITHER: tuple[Passage, ...] = (*_FIRST, ((1,), "sum", "sum"))
_BOTH: tuple[Passage, ...] = (((0, 1), "sum", "sum"),)
_ORDER_KEPT: tuple[Passage, ...] = (((0,), "max", "max"), ((0,), "min", "min"))
_ORDER_TURNED: tuple[Passage, ...] = (((0,), "max", "min"), ((0,), "min", "max"))

_PASSAGES: dict[str, tuple[Passage, ...]] = {
    "contract": _EITHER,  # a product is linear in each factor
    "hadamard": _EITHER,
    "divide": _FIRST,  # linear in the numerator only
    "add": _BOTH,
    "subtract": _BOTH,
    "negate": (*_FIRST, *_ORDER_TURNED),
    "sum": _FIRST,
    "mean": _FIRST,
    "max": (((0,), "max", "max"),),
    "min": (((0,), "min", "min"),),
    "maximum": (((0, 1), "max", "max"),),
    "minimum": (((0, 1), "min", "min"),),
}

_LEAVES_PENDING = {"contract": "sum", "sum": "sum", "mean": "sum", "max": "max", "min": "min"}


class Signature(NamedTuple):
    """A local operation as the rules see it.

    operands: the dimensions of each operand. result: those of the result. contracted: those summed over.
    reduces: the kind of pending that a sharded contracted dimension leaves. passages: see `Passage`.
    """

    op: str
    operands: tuple[tuple[str, ...], ...]
    result: tuple[str, ...]
    contracted: tuple[str, ...]
    reduces: str
    passages: tuple[Passage, ...]

    def dims(self) -> tuple[str, ...]:
        """Return every dimension of the operation: those of the result, then the contracted ones."""
        return self.result + self.contracted

    def passage(self, pending: tuple[int, ...], kind: str) -> str | None:
        """Return the kind in which the result is pending if `pending` operands are, None if that is not local."""
        return next((out for operands, into, out in self.passages if operands == pending and into == kind), None)

    @property
    def additive(self) -> bool:
        """Whether both operands must be pending together (a sum of addends adds every operand once)."""
        return any(len(operands) > 1 for operands, _, _ in self.passages)


def signature_of(
    op: str,
    operands: tuple[tuple[str, ...], ...],
    result: tuple[str, ...],
    contracted: tuple[str, ...] = (),
    constants: tuple[str | None, ...] = (),
    narrows: bool = False,
) -> Signature:
    """Return the signature of an operation by name.

    `constants` holds for each operand its number as text, or None for an array. Multiplying or dividing
    by a positive constant keeps an order, by a negative one turns it. `narrows` says that the element type of the
    result holds less than that of the operand: rounding addends is not rounding their sum (NOTATION section 3).
    """
    passages = _PASSAGES.get(op)
    if passages is None:
        passages = _function_passages(op)
        if narrows:
            passages = tuple(passage for passage in passages if passage[1] != "sum")
    numbers = tuple(index for index, text in enumerate(constants) if text is not None)
    if numbers and op in ("hadamard", "contract", "divide"):
        passages = _scaled(op, numbers[-1], float(constants[numbers[-1]] or "0"))
    return Signature(op, operands, result, contracted, _LEAVES_PENDING.get(op, "sum"), passages)


def _function_passages(op: str) -> tuple[Passage, ...]:
    """Return what a function of one operand passes on: sums if it is linear, extrema if it never decreases."""
    known = BY_NAME[op]
    return (_FIRST if known.linear else ()) + (_ORDER_KEPT if known.monotone else ())


def _scaled(op: str, constant: int, factor: float) -> tuple[Passage, ...]:
    array = 1 - constant
    if op == "divide" and constant == 0:
        return ()
    turned = {"max": "min", "min": "max"} if factor < 0 else {"max": "max", "min": "min"}
    ordered: tuple[Passage, ...] = tuple(((array,), kind, turned[kind]) for kind in ("max", "min")) if factor else ()
    return (((array,), "sum", "sum"), *ordered)

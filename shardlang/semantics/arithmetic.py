"""Arithmetic on sizes, by our own evaluator and within bounds: nothing that is typed is ever run as code."""

from collections.abc import Callable

from shardlang.limits import MOST_BITS_OF_A_SIZE
from shardlang.semantics.size import Monomial
from shardlang.source import Span
from shardlang.syntax import ast

MOST_POWER = 64
_MOST_DIGITS = 60


class SizeError(Exception):
    """A size that cannot be computed: a code, a message, the place, and perhaps a hint."""

    def __init__(self, code: str, message: str, span: Span, hint: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.span = span
        self.hint = hint


def evaluate(size: ast.SizeExpr, look_up: Callable[[ast.Word], Monomial]) -> Monomial:
    """Return the value of a size expression; names are resolved by `look_up`. Raises SizeError.

    The depth of `size` is bounded by the parser; the digits and powers on the way are bounded here.
    """
    if isinstance(size, ast.Number):
        return read_number(size)
    if isinstance(size, ast.Word):
        return look_up(size)
    left = evaluate(size.left, look_up)
    if size.right is None:
        return left * -1
    right = evaluate(size.right, look_up)
    result = _apply(size, left, right)
    if max(result.numerator.bit_length(), result.denominator.bit_length()) > MOST_BITS_OF_A_SIZE:
        raise SizeError("SL207", f"this size has more than {MOST_BITS_OF_A_SIZE} bits", size.span)
    if any(abs(power) > MOST_POWER for _, power in result.powers):
        raise SizeError("SL207", f"this size has a power above {MOST_POWER}", size.span)
    return result


def read_number(number: ast.Number) -> Monomial:
    """Return the exact value of `4096`, `0.5`, `1e9` or `8_192`. Raises SizeError."""
    text = number.text.replace("_", "").lower()
    mantissa, _, exponent = text.partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction) or "x"
    sign = exponent[1:] if exponent[:1] in ("+", "-") else exponent
    if not digits.isdecimal() or (exponent and not sign.isdecimal()):
        raise SizeError("SL207", f"`{number.text[:40]}` is not a number", number.span)
    if len(digits) > _MOST_DIGITS or len(sign) > 3 or int(sign or "0") > _MOST_DIGITS:
        raise SizeError("SL207", f"this number has more than {_MOST_DIGITS} digits", number.span)
    power = int(exponent or "0") - len(fraction)
    value = int(digits)
    return Monomial(value * 10**power) if power >= 0 else Monomial(value) / Monomial(10**-power)


def _apply(node: ast.SizeOp, left: Monomial, right: Monomial) -> Monomial:
    match node.op:
        case "*":
            return left * right
        case "/":
            _refuse_zero(node, right)
            return left / right
        case "//":
            _refuse_zero(node, right)
            return _floor_divide(node, left, right)
        case "**":
            return _power(node, left, right)
        case _:
            return _add(node, left, right)


def _refuse_zero(node: ast.SizeOp, right: Monomial) -> None:
    if right.numerator == 0:
        raise SizeError("SL207", "this size divides by zero", node.span)


def _add(node: ast.SizeOp, left: Monomial, right: Monomial) -> Monomial:
    if left.powers or right.powers:
        raise SizeError(
            "SL207",
            "sums of sizes that are not known are not supported yet",
            node.span,
            "give the sizes in it a number, or give the sum a name of its own without a value",
        )
    sign = 1 if node.op == "+" else -1
    numerator = left.numerator * right.denominator + sign * right.numerator * left.denominator
    return Monomial(numerator) / Monomial(left.denominator * right.denominator)


def _floor_divide(node: ast.SizeOp, left: Monomial, right: Monomial) -> Monomial:
    quotient = left / right
    if quotient.powers:
        raise SizeError("SL207", "`//` needs known sizes", node.span, "write `/` where the division is exact")
    return Monomial(quotient.numerator // quotient.denominator)


def _power(node: ast.SizeOp, left: Monomial, right: Monomial) -> Monomial:
    exponent = right.integer
    if exponent is None:
        raise SizeError("SL207", "an exponent must be a known whole number", node.span)
    bits = max(left.numerator.bit_length(), left.denominator.bit_length())
    if abs(exponent) * max(1, bits - 1) > MOST_BITS_OF_A_SIZE or (left.powers and abs(exponent) > MOST_POWER):
        raise SizeError("SL207", f"this power is too large: sizes have at most {MOST_BITS_OF_A_SIZE} bits", node.span)
    if exponent < 0:
        _refuse_zero(node, left)
    return left**exponent

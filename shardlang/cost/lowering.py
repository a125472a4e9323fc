"""Formulas lowered to operations on arrays.

Each part of a formula becomes a sum of products of powers of arrays. Like terms of it add up, symbols that are no arrays
are numbers by then, and a product that several formulas have is formed once. Whatever else occurs (a maximum, a sum
that is multiplied by an array) counts as an array of its own.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from typing import TypeAlias

import numpy as np
from sympy import Add, Expr, Max, Min, Mod, Mul, Pow, Rational, Symbol, ceiling, log

from shardlang.cost.kernel import Kernel, Operand, Register
from shardlang.cost.values import Values, evaluate

Powers: TypeAlias = tuple[tuple[Register, float], ...]
Sum: TypeAlias = dict[Powers, float]

_MULTIPLIED = 8  # a larger power is not formed by multiplying
_FUNCTIONS: dict[type[Expr], np.ufunc] = {
    Max: np.maximum,
    Min: np.minimum,
    Mod: np.remainder,
    Pow: np.power,
    ceiling: np.ceil,
    log: np.log,
}


class Lowering:
    """Lowers formulas into one kernel. swept: its inputs. known: the numbers of other symbols. follows: formulas of the rest."""

    def __init__(self, swept: Sequence[Symbol], known: Values, follows: Mapping[Symbol, Expr]) -> None:
        self.kernel = Kernel(len(swept))
        self._known = known
        self._follows = follows
        self._sums: dict[Expr, Sum] = {
            symbol: {((register, 1),): 1.0} for symbol, register in zip(swept, self.kernel.inputs, strict=True)
        }

    def operand(self, expr: Expr) -> Operand:
        """Return what has the value of a formula: a number, NaN where there is none, or a register of the kernel."""
        return self._total(self._sum(expr))

    def _sum(self, expr: Expr) -> Sum:
        if expr not in self._sums:
            self._sums[expr] = self._lowered(expr)
        return self._sums[expr]

    def _lowered(self, expr: Expr) -> Sum:
        if expr in self._follows:
            return self._sum(self._follows[expr])
        if isinstance(expr, Add):
            return _added(self._sum(addend) for addend in expr.args)
        if isinstance(expr, Mul):
            number, rest = expr.as_coeff_Mul()
            if isinstance(rest, Max | Min) and number > 0:
                return self._function(rest, float(number))
            return self._product([self._sum(factor) for factor in expr.args])
        if isinstance(expr, Pow) and expr.exp.is_Rational:
            return self._power(self._sum(expr.base), int(expr.exp) if expr.exp.is_Integer else float(expr.exp))
        return self._function(expr) if type(expr) in _FUNCTIONS else self._number(expr)

    def _number(self, expr: Expr) -> Sum:
        try:
            found = evaluate(expr, self._known)
            return {(): math.nan if found is None else float(found)}
        except OverflowError:
            return {(): math.inf}

    def _function(self, expr: Expr, times: float = 1.0) -> Sum:
        """Return a function. times: a factor of a maximum; it goes inside, where most terms have one already."""
        if isinstance(expr, ceiling):
            operands = self._quotient(expr.args[0])
        else:
            operands = [self._total(_scaled(self._sum(arg), times)) for arg in expr.args]
        if not any(isinstance(operand, Register) for operand in operands):
            return _scaled(self._number(expr), times)
        if isinstance(expr, ceiling):
            return _one(self.kernel.apply(np.ceil, self._apply(np.divide, operands)))
        if isinstance(expr, Max | Min):
            operands = _numbers_as_one(operands, max if isinstance(expr, Max) else min)
        return _one(self._apply(_FUNCTIONS[type(expr)], operands))

    def _apply(self, ufunc: np.ufunc, operands: Sequence[Operand]) -> Register:
        found = self.kernel.apply(ufunc, *operands[: ufunc.nin])
        for operand in operands[ufunc.nin :]:
            found = self.kernel.apply(ufunc, found, operand)
        return found

    def _quotient(self, expr: Expr) -> list[Operand]:
        """Return what is above and below the bar: divided at once, what divides evenly stays whole."""
        above: list[Sum] = []
        below: list[Sum] = []
        for factor in Mul.make_args(expr):
            if isinstance(factor, Rational):
                above.append({(): float(factor.p)})
                below.append({(): float(factor.q)})
            elif isinstance(factor, Pow) and factor.exp.is_Integer and factor.exp < 0:
                below.append(self._power(self._sum(factor.base), -int(factor.exp)))
            else:
                above.append(self._sum(factor))
        return [self._total(self._product(above)), self._total(self._product(below))]

    def _product(self, factors: Iterable[Sum]) -> Sum:
        """Return a product. Only numbers are multiplied into a sum: with arrays there are more operations, and digits cancel."""
        factors = list(factors)
        if not all(factors):
            return {}
        sums = [factor for factor in factors if len(factor) > 1]
        plain = [next(iter(factor.items())) for factor in factors if len(factor) == 1]
        coefficient = math.prod(number for _, number in plain)
        if len(sums) == 1 and not any(powers for powers, _ in plain):
            return _scaled(sums[0], coefficient)
        found: dict[Register, float] = {}
        for powers in (*(powers for powers, _ in plain), *(self._array(total) for total in sums)):
            for register, power in powers:
                found[register] = found.get(register, 0) + power
        return {_packed(found): coefficient}

    def _power(self, base: Sum, exponent: float) -> Sum:
        if len(base) > 1:
            return {_packed({register: power * exponent for register, power in self._array(base)}): 1.0}
        powers, number = next(iter(base.items()), ((), 0.0))
        return {_packed({register: power * exponent for register, power in powers}): _raised(number, exponent)}

    def _array(self, total: Sum) -> Powers:
        """Return a sum as an array of its own."""
        register = self._total(total)
        assert isinstance(register, Register), "of several terms one has an array in it"
        return ((register, 1),)

    def _total(self, total: Sum) -> Operand:
        """Return a sum as one operand; terms without a coefficient go first, so that none is multiplied in vain."""
        terms = sorted(((number != 1, powers) for powers, number in total.items() if powers))
        found: Register | None = None
        for _, powers in terms:
            found = self._with_term(found, self._monomial(powers), total[powers])
        constant = total.get((), 0.0)
        if found is None:
            return constant
        return found if constant == 0 else self.kernel.apply(np.add, found, constant)

    def _with_term(self, found: Register | None, array: Register, number: float) -> Register:
        if found is not None and number == -1:
            return self.kernel.apply(np.subtract, found, array)
        term = array if number == 1 else self.kernel.apply(np.multiply, array, number)
        return term if found is None else self.kernel.apply(np.add, found, term)

    def _monomial(self, powers: Powers) -> Register:
        """Return a product of powers, those below the bar first, then sums and maxima: what formulas share most."""
        ordered = sorted(powers, key=lambda item: (item[1] > 0, -item[0].number))
        return reduce(
            lambda one, other: self.kernel.apply(np.multiply, one, other), (self._raise(*item) for item in ordered)
        )

    def _raise(self, register: Register, exponent: float) -> Register:
        if exponent < 0:
            return self._raise(self.kernel.apply(np.divide, 1.0, register), -exponent)
        if exponent == 0.5:
            return self.kernel.apply(np.sqrt, register)
        if exponent != int(exponent) or exponent > _MULTIPLIED:
            return self.kernel.apply(np.power, register, float(exponent))
        if exponent == 1:
            return register
        half = self._raise(register, exponent // 2)
        square = self.kernel.apply(np.multiply, half, half)
        return self.kernel.apply(np.multiply, square, register) if exponent % 2 else square


def _numbers_as_one(operands: Sequence[Operand], choose: Callable[[list[float]], float]) -> list[Operand]:
    """Return the operands of a maximum or minimum with the numbers among them as one, the last."""
    registers = [operand for operand in operands if isinstance(operand, Register)]
    numbers = [operand for operand in operands if not isinstance(operand, Register)]
    return [*registers, *([choose(numbers)] if numbers else [])]


def _one(register: Register) -> Sum:
    return {((register, 1),): 1.0}


def _scaled(total: Sum, number: float) -> Sum:
    return total if number == 1 else {powers: own * number for powers, own in total.items()}


def _added(sums: Iterable[Sum]) -> Sum:
    total: Sum = {}
    for addends in sums:
        for powers, number in addends.items():
            total[powers] = total.get(powers, 0.0) + number
    return {powers: number for powers, number in total.items() if number != 0}


def _packed(powers: Mapping[Register, float]) -> Powers:
    return tuple(sorted((register, power) for register, power in powers.items() if power))


def _raised(number: float, exponent: float) -> float:
    try:
        return math.pow(number, exponent)
    except OverflowError:
        return math.inf
    except ValueError:
        return math.nan

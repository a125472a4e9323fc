"""The numbers behind the functions and operators that the notation names, on NumPy arrays.

Layouts do not care which form of `gelu` is computed, only that every device computes the same.
"""

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import TypeAlias

import numpy as np

from shardlang.reference.layout import Block

Function: TypeAlias = Callable[..., Block]


def _sigmoid(x: Block) -> Block:
    return np.asarray(1 / (1 + np.exp(-x)))


def _softplus(x: Block) -> Block:
    return np.asarray(np.logaddexp(0.0, x))


def _expm1_below(x: Block) -> Block:
    return np.asarray(np.expm1(np.minimum(x, 0.0)))


def _inverse_erf(x: float) -> float:
    return NormalDist().inv_cdf((x + 1) / 2) / math.sqrt(2) if -1 < x < 1 else math.nan


_erf = np.vectorize(math.erf, otypes=[np.float64])
_erfinv = np.vectorize(_inverse_erf, otypes=[np.float64])

EXACT: dict[str, Function] = {
    "hadamard": np.multiply,
    "add": np.add,
    "subtract": np.subtract,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "negate": np.negative,
    "relu": lambda x: np.maximum(x, 0.0),
    "relu6": lambda x: np.clip(x, 0.0, 6.0),
    "hardtanh": lambda x: np.clip(x, -1.0, 1.0),
    "abs": np.abs,
    "square": np.square,
    "sign": np.sign,
    "round": np.rint,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "identity": lambda x: x,
    "cast": lambda x: x,
    "stop_gradient": lambda x: x,
}
"""Operations that do not round small multiples of a power of two, so that results are compared bit by bit."""

ROUNDED: dict[str, Function] = {
    "divide": np.divide,
    "gelu": lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    "silu": lambda x: x * _sigmoid(x),
    "mish": lambda x: x * np.tanh(_softplus(x)),
    "softplus": _softplus,
    "sigmoid": _sigmoid,
    "log_sigmoid": lambda x: -_softplus(-x),
    "tanh": np.tanh,
    "leaky_relu": lambda x: np.maximum(x, 0.01 * x),
    "elu": lambda x: np.maximum(x, 0.0) + _expm1_below(x),
    "selu": lambda x: 1.05070098735548 * (np.maximum(x, 0.0) + 1.67326324235438 * _expm1_below(x)),
    "softsign": lambda x: x / (1 + np.abs(x)),
    "hard_sigmoid": lambda x: np.clip(x / 6 + 0.5, 0.0, 1.0),
    "hard_swish": lambda x: x * np.clip(x / 6 + 0.5, 0.0, 1.0),
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "log1p": np.log1p,
    "sqrt": np.sqrt,
    "cbrt": np.cbrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "reciprocal": lambda x: 1 / x,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "erf": lambda x: _erf(x),
    "erfc": lambda x: 1 - _erf(x),
    "erfinv": lambda x: _erfinv(x),
    "logit": lambda x: np.log(x) - np.log1p(-x),
}
"""Operations that round, so that results are compared up to rounding."""

REDUCTIONS: dict[str, Function] = {"sum": np.sum, "mean": np.sum, "max": np.max, "min": np.min}
"""Reductions over axes; the mean is divided by the global length afterwards."""

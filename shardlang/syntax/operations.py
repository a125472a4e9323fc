"""The operations that have a name: one table, read by the syntax, semantics and rules.

Canonical names of collectives and free steps are those of the literature; functions have the names that
JAX and PyTorch share.
"""

from typing import NamedTuple


class Operation(NamedTuple):
    """One operation by name.

    kind: `collective`, `free`, `reduction`, `normalisation`, `lookup` or `function`. takes_dimension: the
    subscript may end in a dimension; needs_dimension: it does not say what is done without one. For functions: operands is how many arrays it takes; monotone says
    that it never decreases, so that it commutes with a maximum and a minimum; linear that it commutes with a sum.
    """

    name: str
    kind: str
    aliases: tuple[str, ...] = ()
    takes_dimension: bool = False
    needs_dimension: bool = False
    operands: int = 1
    monotone: bool = False
    linear: bool = False


_FUNCTIONS = """
    gelu silu mish softplus sigmoid tanh relu relu6 leaky_relu elu selu softsign hardtanh hard_sigmoid hard_swish
    exp exp2 expm1 log log2 log10 log1p sqrt cbrt rsqrt square reciprocal abs sign floor ceil round trunc sin cos
    tan asin acos atan sinh cosh asinh acosh atanh erf erfc erfinv logit log_sigmoid cast identity stop_gradient
"""
_MONOTONE_FUNCTIONS = """
    softplus sigmoid tanh relu relu6 leaky_relu elu selu softsign hardtanh hard_sigmoid exp exp2 expm1 cbrt sign
    floor ceil round trunc atan sinh asinh erf log_sigmoid cast identity stop_gradient
"""
_MONOTONE = frozenset(_MONOTONE_FUNCTIONS.split())
_LINEAR = {"cast", "identity", "stop_gradient"}
_FUNCTION_ALIASES = {
    "gelu": ("GeLU",),
    "silu": ("swish", "SiLU"),
    "relu": ("ReLU",),
    "elu": ("ELU",),
    "sigmoid": ("logistic", "expit"),
    "abs": ("absolute",),
    "asin": ("arcsin",),
    "acos": ("arccos",),
    "atan": ("arctan",),
    "square": ("squared",),
    "cast": ("astype", "convert"),
    "log_sigmoid": ("logsigmoid",),
    "hard_swish": ("hardswish",),
    "hard_sigmoid": ("hardsigmoid",),
    "stop_gradient": ("detach",),
}

OPERATIONS: tuple[Operation, ...] = (
    Operation("AllGather", "collective", ("all_gather", "allgather", "All-Gather"), takes_dimension=True),
    Operation(
        "ReduceScatter",
        "collective",
        ("reduce_scatter", "reducescatter", "psum_scatter", "Reduce-Scatter"),
        takes_dimension=True,
        needs_dimension=True,
    ),
    Operation("AllReduce", "collective", ("all_reduce", "allreduce", "psum", "pmax", "pmin", "All-Reduce")),
    Operation(
        "AllToAll", "collective", ("all_to_all", "alltoall", "All-To-All"), takes_dimension=True, needs_dimension=True
    ),
    Operation(
        "CollectivePermute",
        "collective",
        ("collective_permute", "collectivepermute", "ppermute", "Permute", "Collective-Permute"),
    ),
    Operation("Slice", "free", takes_dimension=True),
    Operation("Mask", "free"),
    Operation("Pad", "free", takes_dimension=True),
    Operation("Relabel", "free"),
    Operation("sum", "reduction", ("reduce_sum",), takes_dimension=True, linear=True),
    Operation("mean", "reduction", ("reduce_mean",), takes_dimension=True, linear=True),
    Operation("max", "reduction", ("reduce_max", "amax"), takes_dimension=True),
    Operation("min", "reduction", ("reduce_min", "amin"), takes_dimension=True),
    Operation("softmax", "normalisation", takes_dimension=True),
    Operation("norm", "normalisation", ("layernorm", "layer_norm", "rmsnorm", "rms_norm"), takes_dimension=True),
    Operation("take", "lookup", ("Take",), takes_dimension=True, operands=2),
    Operation("maximum", "function", operands=2, monotone=True),
    Operation("minimum", "function", operands=2, monotone=True),
    *(
        Operation(name, "function", _FUNCTION_ALIASES.get(name, ()), monotone=name in _MONOTONE, linear=name in _LINEAR)
        for name in _FUNCTIONS.split()
    ),
)

BY_NAME: dict[str, Operation] = {operation.name: operation for operation in OPERATIONS}
_SPELLINGS: dict[str, Operation] = {
    spelling: operation for operation in OPERATIONS for spelling in (operation.name, *operation.aliases)
}
LONGEST_SPELLING = max(map(len, _SPELLINGS))
_FOLDED: dict[str, Operation] = {spelling.casefold(): operation for spelling, operation in _SPELLINGS.items()}


def find_operation(spelling: str, *, exact: bool = False) -> Operation | None:
    """Return the operation that is spelt so; other capitals count too unless `exact`."""
    found = _SPELLINGS.get(spelling)
    return found if found or exact else _FOLDED.get(spelling.casefold())


def all_spellings() -> tuple[str, ...]:
    """Return every name and alias, for did-you-mean."""
    return tuple(_SPELLINGS)


def _names(kind: str) -> tuple[str, ...]:
    return tuple(operation.name for operation in OPERATIONS if operation.kind == kind)


COLLECTIVES = _names("collective")
FREE_STEPS = _names("free")
REDUCTIONS = _names("reduction")

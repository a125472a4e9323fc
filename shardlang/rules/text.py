"""The canonical text of a step. It parses as a statement that means exactly the step."""

from shardlang.rules.plan import Value
from shardlang.semantics.sharding import array_text, axes_text, dim_text
from shardlang.syntax.operations import BY_NAME

_INFIX = {"add": "+", "subtract": "-", "divide": "/", "hadamard": "⊙"}


def value_text(value: Value) -> str:
    """Return the text of an operand: an array, or a number."""
    if value.constant is not None:
        pending = array_text("", value.type).removeprefix("[]")
        return value.constant + pending
    return array_text(value.name, value.type)


def subscript_text(kind: str, axes: tuple[str, ...], dims: tuple[str, ...], operand: Value) -> str:
    """Return the subscript of a collective or free step: `_X`, `_{XY}`, `_{X,J}`."""
    if not axes:
        return ""
    target = dims[-1] if dims and (BY_NAME[kind].needs_dimension or _has_choice(kind, operand)) else None
    body = axes_text(axes)
    if target is None:
        return f"_{body}"
    inner = body[1:-1] if body.startswith("{") else body
    return f"_{{{inner},{dim_text(target)}}}"


def _has_choice(kind: str, operand: Value) -> bool:
    return kind == "Slice" and len(operand.type.dims) > 1


def move_text(kind: str, axes: tuple[str, ...], dims: tuple[str, ...], operand: Value, result: Value) -> str:
    """Return the text of a collective or free step: `AllGather_X A[I_X, J] -> A[I, J]`."""
    subscript = subscript_text(kind, axes, dims, operand)
    return f"{kind}{subscript} {value_text(operand)} -> {value_text(result)}"


def local_text(op: str, operands: tuple[Value, ...], contracted: tuple[str, ...], result: Value) -> str:
    """Return the text of a local operation: `A[I, J_X] ·_LOCAL B[J_X, K] -> C[I, K]{U_X}`."""
    texts = [value_text(value) for value in operands]
    if op == "contract":
        body = f"{texts[0]} ·_LOCAL {texts[1]}"
    elif op in _INFIX:
        body = f"{texts[0]} {_INFIX[op]} {texts[1]}"
    elif op == "negate":
        body = f"-{texts[0]}"
    elif contracted:
        dims = ",".join(dim_text(dim) for dim in contracted)
        body = f"{op}_{dims if len(contracted) == 1 else '{' + dims + '}'} {texts[0]}"
    else:
        body = f"{op}({', '.join(texts)})"
    if body.startswith("-"):
        return f"{value_text(result)} = {body}"  # a line that starts with an operator continues the one before
    return f"{body} -> {value_text(result)}"

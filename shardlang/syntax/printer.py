"""Canonical text of an untyped tree; what it prints parses to the same tree."""

from shardlang.syntax import ast
from shardlang.syntax.operations import BY_NAME

_MARK = {"sum": "U", "max": "max", "min": "min"}


def statement_text(statement: ast.Statement) -> str:
    """Return the canonical text of a statement: arrow or assignment as written, `·`, `{U_X}`, `I_{XY}`."""
    match statement:
        case ast.Formula(expr, result, form, _):
            if result is None:
                return expression_text(expr)
            if form == "assign":
                return f"{array_text(result)} = {expression_text(expr)}"
            return f"{expression_text(expr)} -> {array_text(result)}"
        case ast.ArrayDecl(array, _):
            return array_text(array)
        case ast.MeshDecl(axes, _):
            return "mesh " + ", ".join(_axis_text(axis) for axis in axes)
        case ast.HardwareDecl(name, _):
            return f"hardware {name.text}"
        case ast.DtypeDecl(name, _):
            return f"dtype {name.text}"
        case ast.LetDecl(bindings, _):
            return "let " + ", ".join(f"{name.text} = {size_text(size)}" for name, size in bindings)
        case ast.RulesDecl(rules, _):
            return "rules " + ", ".join(f"{name.text} -> {axis.text}" for name, axis in rules)
        case ast.ExplicitDecl():
            return "explicit"


def _axis_text(axis: ast.MeshAxis) -> str:
    size = "" if axis.size is None else f"={size_text(axis.size)}"
    topology = "" if axis.topology is None else f" {axis.topology.text}"
    return axis.name.text + size + topology


# -- expressions: the number is how tightly the operation holds its operands ------------------------

_SUM, _PRODUCT, _UNARY, _PRIMARY = range(4)


def expression_text(expr: ast.Expr, least: int = _SUM) -> str:
    """Return the text of an expression, in parentheses if it holds its operands less tightly than `least`."""
    text, level = _expression(expr)
    return f"({text})" if level < least else text


def _expression(expr: ast.Expr) -> tuple[str, int]:
    match expr:
        case ast.Array():
            return array_text(expr), _PRIMARY
        case ast.Number(text, _):
            return text, _PRIMARY
        case ast.Product(left, right):
            symbol = expr.symbol + _product_subscript(expr)
            return f"{expression_text(left, _PRODUCT)} {symbol} {expression_text(right, _UNARY)}", _PRODUCT
        case ast.Binary(op, left, right):
            level = _PRODUCT if op == "/" else _SUM
            return f"{expression_text(left, level)} {op} {expression_text(right, level + 1)}", level
        case ast.Negate(operand):
            return "-" + expression_text(operand, _UNARY), _UNARY
        case ast.Apply():
            return _apply_text(expr), _PRIMARY


def _product_subscript(product: ast.Product) -> str:
    parts = ["LOCAL"] if product.local else []
    if product.dims is not None:
        parts += [word.text for word in product.dims.parts]
    return _subscript(parts) if parts else ""


_PREFIXES = ("collective", "free", "reduction")


def _apply_text(apply: ast.Apply) -> str:
    known = BY_NAME.get(apply.op)
    head = apply.op
    if apply.subscript is not None:
        target = f"->{apply.subscript.target.text}" if apply.subscript.target else ""
        head += _subscript([part.text for part in apply.subscript.parts], target)
    args = apply.args
    if known and known.kind in _PREFIXES and len(args) == 1:
        operand = args[0]
        if isinstance(operand, ast.Number) or (isinstance(operand, ast.Array) and (operand.name or operand.dtype)):
            return f"{head} {expression_text(operand)}"
        if isinstance(operand, ast.Array) and known.kind == "collective" and apply.subscript is not None:
            return head + expression_text(operand)
    return f"{head}({', '.join(expression_text(arg) for arg in args)})"


# -- arrays ------------------------------------------------------------------------------------------


def array_text(array: ast.Array) -> str:
    """Return the text of an array with its element type, if it has one."""
    name = array.name.text if array.name else ""
    if array.dtype is not None:
        name = f"{name}: {array.dtype.text}" if name else array.dtype.text
    suffix = ""
    if array.unreduced is not None:
        words = [part.text for part in array.unreduced.axes.parts]
        suffix = "{" + _MARK[array.unreduced.pending] + _subscript(words) + "}"
    if array.dims is None or (name[:1].isdigit() and not array.dims):
        return name + suffix
    return f"{name}[{', '.join(dim_text(dim) for dim in array.dims)}]{suffix}"


def dim_text(dim: ast.Dim) -> str:
    """Return the text of one entry between the brackets of an array."""
    match dim.kind:
        case "ellipsis":
            return "..."
        case "group":
            text = "(" + " ".join(word.text for word in dim.factors) + ")"
        case "literal":
            text = size_text(dim.size) if dim.size is not None else ""
        case "hole":
            return (dim.word.text if dim.word else "") + "_?"
        case _:
            text = dim.word.text if dim.word else ""
    if dim.subscript is not None:
        text += "_{" + ",".join(part.text for part in dim.subscript.parts) + "}"
    if dim.kind == "named" and dim.size is not None:
        text += f"={size_text(dim.size)}"
    return text


def _subscript(parts: list[str], target: str = "") -> str:
    if len(parts) == 1 and not target and parts[0].isalnum() and (len(parts[0]) == 1 or not parts[0].isupper()):
        return "_" + parts[0]
    if parts == ["LOCAL"]:
        return "_LOCAL"
    return "_{" + ",".join(parts) + target + "}"


# -- sizes -------------------------------------------------------------------------------------------

_LEVELS = {"+": 0, "-": 0, "*": 1, "/": 1, "//": 1, "neg": 2, "**": 3}


def size_text(size: ast.SizeExpr, least: int = 0) -> str:
    """Return the text of arithmetic on sizes, in parentheses if it binds less tightly than `least`."""
    if not isinstance(size, ast.SizeOp):
        return size.text
    level = _LEVELS[size.op]
    if size.right is None:
        text = "-" + size_text(size.left, 2)
    elif size.op == "**":
        text = f"{size_text(size.left, 4)}**{size_text(size.right, 2)}"
    else:
        blank = " " if level == 0 else ""
        text = f"{size_text(size.left, level)}{blank}{size.op}{blank}{size_text(size.right, level + 1)}"
    return f"({text})" if level < least else text

"""What a call such as `Mesh(mesh_shape=(4, 2), axis_names=('X', 'Y'))` says of a mesh."""

from typing import Any, NamedTuple

from shardlang.source import Span
from shardlang.syntax import ast


class Text(NamedTuple):
    """A Python string that holds a name."""

    word: ast.Word
    span: Span


class Argument(NamedTuple):
    """An argument of a call; the keyword is empty if it has none."""

    keyword: str
    value: Any


class Attribute(NamedTuple):
    """`value.name`."""

    value: Any
    name: str


class Call(NamedTuple):
    """`function(arguments)`."""

    function: Any
    arguments: tuple[Argument, ...]


class Unparted(NamedTuple):
    """An axis of `mesh X=4 Y=2` that no comma parts from the one before."""

    axis: ast.MeshAxis


_NAMES = frozenset({"axis_names", "mesh_dim_names", "names", "axes"})
_SHAPES = frozenset({"mesh_shape", "axis_shapes", "shape", "axis_sizes", "devices", "mesh"})
_IGNORED = frozenset({"axis_types", "device_type", "allow_split_physical_axes", "contiguous_submeshes"})


def parted_axes(listed: list[ast.MeshAxis | Unparted]) -> tuple[ast.MeshAxis, ...]:
    """Return the axes of a list. Where commas part them, a lone word without one is how the axis before is wired."""
    commas = sum(isinstance(item, ast.MeshAxis) for item in listed) > 1
    axes: list[ast.MeshAxis] = []
    for item in listed:
        axis = item.axis if isinstance(item, Unparted) else item
        alone = axis.size is None and axis.topology is None
        if commas and alone and isinstance(item, Unparted) and axes[-1].topology is None:
            axes[-1] = axes[-1]._replace(topology=axis.name)
        else:
            axes.append(axis)
    return tuple(axes)


def mesh_axes(arguments: list[Argument]) -> tuple[ast.MeshAxis, ...] | str:
    """Return the axes that the arguments of a mesh call give, or a message on what is missing."""
    names: list[ast.Word] | None = None
    shape: list[ast.SizeExpr] | None = None
    axes: list[ast.MeshAxis] = []
    for keyword, value in arguments:
        if keyword in _IGNORED:
            continue
        words = _words(value)
        if isinstance(value, ast.MeshAxis):
            axes.append(value)
            continue
        if isinstance(value, tuple) and value and isinstance(value[0], ast.MeshAxis):
            return value
        if words is not None and keyword not in _SHAPES:
            if not (isinstance(value, Text) and names is None and shape is None and not keyword):
                names = words  # a lone first string is the kind of device
        elif keyword and keyword not in _NAMES | _SHAPES and _is_size(value):
            axes.append(ast.MeshAxis(ast.Word(keyword, value.span), value, None))
        elif shape is None:
            shape = _shape(value)
    if axes:
        return tuple(axes)
    if names is None:
        return "the names of the mesh axes are missing"
    if shape is None:
        return tuple(ast.MeshAxis(name, None, None) for name in names)
    if len(shape) != len(names):
        return f"the mesh has {len(names)} axis names but {len(shape)} sizes"
    return tuple(ast.MeshAxis(name, size, None) for name, size in zip(names, shape, strict=True))


def _words(value: Any) -> list[ast.Word] | None:
    if isinstance(value, Text):
        return [value.word]
    if isinstance(value, list) and value and all(isinstance(item, (Text, ast.Word)) for item in value):
        return [item.word if isinstance(item, Text) else item for item in value]
    return None


def _is_size(value: Any) -> bool:
    return isinstance(value, (ast.Number, ast.Word, ast.SizeOp))


def _shape(value: Any) -> list[ast.SizeExpr] | None:
    """Return the shape that `value` has or gives: `(4, 2)`, `((0, 1), (2, 3))`, `devices.reshape(4, 2)`."""
    if isinstance(value, ast.Number):
        return [value]
    if isinstance(value, Call):
        given = [argument.value for argument in value.arguments]
        if isinstance(value.function, Attribute) and value.function.name != "reshape":
            given = [item for item in given if isinstance(item, list)]
        if given and isinstance(given[0], list):
            return _shape(given[0])
        items = given
        return items if items and all(_is_size(item) for item in items) and not _is_word(items) else None
    if isinstance(value, list) and value:
        if isinstance(value[0], list):
            return _nested_shape(value)
        return value if all(_is_size(item) for item in value) else None
    return None


def _is_word(items: list[Any]) -> bool:
    return len(items) == 1 and isinstance(items[0], ast.Word)


def _nested_shape(value: list[Any]) -> list[ast.SizeExpr] | None:
    shape: list[ast.SizeExpr] = []
    inner: Any = value
    while isinstance(inner, list) and inner:
        shape.append(ast.Number(str(len(inner)), _first_span(inner)))
        inner = inner[0]
    return shape


def _first_span(value: Any) -> Span:
    while isinstance(value, list) and value:
        value = value[0]
    return value.span if hasattr(value, "span") else Span(0, 0)

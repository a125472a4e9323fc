"""What may be typed at the cursor."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

from shardlang.pricing.catalogue import chips
from shardlang.pricing.hardware import Hardware
from shardlang.semantics.program import Program, refs_of
from shardlang.semantics.sharding import array_text, is_anonymous
from shardlang.semantics.topology import KINDS
from shardlang.source import Span
from shardlang.syntax.dtypes import SHORT_NAMES
from shardlang.syntax.operations import BY_NAME, OPERATIONS, find_operation
from shardlang.tools.editor.analysis import Analysis
from shardlang.tools.editor.context import Context, context_at
from shardlang.tools.editor.hover import STEPS

DECLARATIONS = {
    "mesh": "the mesh: axes in order with their sizes, `mesh X=4, Y=2`",
    "hardware": "the chip that prices are for, `hardware tpu-v5p`",
    "dtype": "the default element type, `dtype bf16`",
    "let": "sizes, `let B = 4096, F = 4*D`",
    "explicit": "from here on every communication must be written out",
}
_PENDING = {"U_": "pending sum", "max_": "pending maximum", "min_": "pending minimum"}


class Completion(NamedTuple):
    """Something that may be typed.

    kind: `array`, `dimension`, `axis`, `collective`, `operation`, `keyword`, `hardware`, `dtype`, `topology`, `size`.
    text: what is put at `span`. detail: a few words beside it.
    """

    label: str
    kind: str
    span: Span
    detail: str = ""
    text: str = ""


def completions(analysis: Analysis, offset: int) -> tuple[Completion, ...]:
    """Return what may be typed at an offset, the likeliest first; the editor keeps what fits the prefix."""
    context = context_at(analysis.source.text, offset, analysis.regions)
    analysis = analysis.at(offset)
    program = analysis.planned.front.program
    unique: dict[str, Completion] = {}
    for item in _items(analysis, context, program):
        unique.setdefault(item.label, item._replace(span=context.span, text=item.text or item.label))
    return tuple(unique.values())


def _items(analysis: Analysis, context: Context, program: Program) -> Iterable[Completion]:
    match context.kind:
        case "statement":
            return (*_keywords(), *_arrays(program), *_operations())
        case "operand":
            return (*_arrays(program), *_operations())
        case "dimension":
            return _dimensions(program, context.name)
        case "axis":
            return _axes(program)
        case "subscript":
            return _subscript(program, context.name)
        case "pending":
            return (_item(mark, "keyword", words) for mark, words in _PENDING.items())
        case "hardware":
            return _chips(analysis.request.chips)
        case "dtype":
            return _dtypes()
        case "mesh":
            return (_item(kind, "topology", "how a mesh axis is wired") for kind in KINDS)
        case "size":
            return (*_dimensions(program, ""), *_axes(program))
        case _:
            return ()


def _item(label: str, kind: str, detail: str = "", text: str = "") -> Completion:
    return Completion(label, kind, Span(0, 0), detail, text)


def _keywords() -> Iterator[Completion]:
    return (_item(word, "keyword", words) for word, words in DECLARATIONS.items())


def _arrays(program: Program) -> Iterator[Completion]:
    """Yield each array with the brackets of its last layout, and its other layouts."""
    layouts: dict[str, dict[str, None]] = {}
    for statement in program.statements:
        for ref in refs_of(statement.body):
            if ref.name is not None and ref.name[:1].isalpha() and ref.type.dims:
                layouts.setdefault(ref.name, {})[array_text(ref.name, ref.type)] = None
    for name, texts in layouts.items():
        for text in reversed(texts):
            yield _item(text, "array", f"layout of {name}")


@cache
def _operations() -> tuple[Completion, ...]:
    order = ("collective", "reduction", "function", "free", "normalisation", "lookup")
    known = sorted(OPERATIONS, key=lambda operation: order.index(operation.kind))
    return tuple(
        _item(
            operation.name,
            "collective" if operation.kind in ("collective", "free") else "operation",
            STEPS.get(operation.name, operation.kind),
        )
        for operation in known
    )


def _dimensions(program: Program, array: str) -> Iterator[Completion]:
    """Yield the dimensions of the text, those of `array` first."""
    refs = [ref for statement in program.statements for ref in refs_of(statement.body)]
    own = [dim for ref in refs if ref.name == array and array for dim in ref.type.dims]
    others = [dim for ref in refs for dim in ref.type.dims]
    for dim in dict.fromkeys([*own, *others, *program.sizes]):
        if not is_anonymous(dim) and not dim.startswith("("):
            size = program.sizes.get(dim)
            number = size.integer if size is not None else None
            yield _item(dim, "dimension", "dimension" if number is None else f"dimension, size {number}")


def _axes(program: Program) -> Iterator[Completion]:
    for axis in program.mesh.axes:
        yield _item(axis.name, "axis", "mesh axis" if axis.size is None else f"mesh axis, {axis.size} devices")


def _subscript(program: Program, name: str) -> Iterable[Completion]:
    """Yield what the subscript of an operation takes: mesh axes of a collective, dimensions of a reduction or product."""
    operation = find_operation(name) if name else None
    if operation is None:
        return (*_dimensions(program, ""), _item("LOCAL", "keyword", "no communication allowed"))
    if operation.kind not in ("collective", "free"):
        return _dimensions(program, "")
    return (*_axes(program), *(_dimensions(program, "") if BY_NAME[operation.name].takes_dimension else ()))


def _chips(own: Mapping[str, Hardware]) -> Iterator[Completion]:
    """Yield the chips of the project, then those of the catalogue."""
    for name, chip in own.items():
        yield _item(name, "hardware", f"{chip.name}, of the project" if chip.name != name else "of the project")
    for known in chips():
        yield _item(known.id, "hardware", known.name)


@cache
def _dtypes() -> tuple[Completion, ...]:
    return tuple(_item(name, "dtype", "element type") for name in dict.fromkeys(SHORT_NAMES.values()))

"""From a name to where it comes from, to its other places, and to another name."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from shardlang.diagnostics import CODES, Diagnostic, Edit, Fix
from shardlang.reports.corrections import apply_fix
from shardlang.semantics.program import refs_of, walk
from shardlang.semantics.sharding import ArrayType, axes_text
from shardlang.source import Span
from shardlang.tools.editor.analysis import Analysis
from shardlang.tools.editor.names import NAMESPACES, Name

_IS_NAME = re.compile(r"[^\W\d_]\w*['′]*(?<!_)").fullmatch
_CALLED = {"array": "array", "dimension": "dimension", "axis": "mesh axis"}


class RenameError(ValueError):
    """A name that cannot be changed so; the message says why."""


def references(analysis: Analysis, offset: int, declaration: bool = True) -> tuple[Name, ...]:
    """Return every place of the name at an offset, in its namespace. declaration: also where it is declared."""
    here = analysis.name_at(offset)
    if here is None:
        return ()
    same = (name for name in analysis.scope(offset).names if _same(name, here))
    return tuple(name for name in same if declaration or name.role != "declare")


def definition(analysis: Analysis, offset: int) -> Name | None:
    """Return where the name at an offset comes from.

    Of an array the statement before that made it in the layout in which it is used, else the last one that made it, else
    its declaration; of an axis the mesh; of a dimension the `let`. Where there is none of these, its first place.
    """
    analysis = analysis.at(offset)
    here = analysis.name_at(offset)
    if here is None or here.kind not in NAMESPACES:
        return None
    places = references(analysis, offset)
    if here.kind == "array" and here.role == "use":
        made = [name for name in places if name.role == "make" and name.statement < here.statement]
        layout = _layout(analysis, here)
        same = [name for name in made if layout is not None and _layout(analysis, name) == layout]
        if same or made:
            return (same or made)[-1]
    if here.role == "make":
        return here
    declared = [name for name in places if name.role == "declare"]
    return declared[0] if declared else places[0]


def around(analysis: Analysis, offset: int) -> tuple[Span, ...]:
    """Return what a selection at an offset grows to: the name, its run of axes, its array, each expression, the statement, all."""
    spans = [Span(0, len(analysis.source.text))]
    statement = analysis.statement_at(offset)
    if statement is not None:
        spans.append(statement.span)
        body = statement.body
        expression = getattr(body, "expr", None) or getattr(body, "operand", None)
        parts = walk(expression) if expression is not None else ()
        spans += [part.span for part in (*parts, *refs_of(body)) if part.span.start <= offset <= part.span.end]
    name = analysis.name_at(offset)
    if name is not None:
        spans += [name.span] if name.part is None else [name.part.span, name.span]
    nested: list[Span] = []
    for span in sorted(set(spans), key=lambda span: span.end - span.start):
        if not nested or (span.start <= nested[-1].start and nested[-1].end <= span.end):
            nested.append(span)
    return tuple(nested)


def _layout(analysis: Analysis, name: Name) -> ArrayType | None:
    statement = analysis.planned.front.program.statements[name.statement]
    found = (ref.type for ref in refs_of(statement.body) if ref.span.start <= name.span.start < ref.span.end)
    return next((array._replace(dtype=None) for array in found), None)


class Renamed(NamedTuple):
    """The edits that give a name another one, and the text with them made."""

    edits: tuple[Edit, ...]
    text: str


def renameable(analysis: Analysis, offset: int) -> Name | None:
    """Return the name at an offset if it is one that can be changed."""
    here = analysis.name_at(offset)
    return here if here is not None and here.kind in NAMESPACES else None


def rename(analysis: Analysis, offset: int, new: str) -> Renamed:
    """Return the edits that call the array, dimension or mesh axis at an offset `new`, everywhere in its namespace.

    The text with them is read again, and every name must be what it was but for this one. Raises RenameError for what
    cannot be renamed, is no name, clashes, or would be read otherwise.
    """
    here = renameable(analysis, offset)
    if here is None:
        raise RenameError("there is no array, dimension or mesh axis here")
    new, scope = new.strip(), analysis.scope(offset)
    _check(scope, here, new)
    edits = tuple(dict.fromkeys(_edits(scope, here, new)))
    changed = apply_fix(analysis.source.text, Fix("", edits))
    if changed is None:
        raise RenameError(f"the places of `{here.name}` overlap; format the text first")
    after = analysis.of(changed)
    called = {name.span for name in scope.names if _same(name, here)}
    wanted = [(name.kind, new if _same(name, here) and name.span in called else name.name) for name in analysis.names]
    if [(name.kind, name.name) for name in after.names] != wanted or _worse(analysis.findings, after.findings):
        raise RenameError(
            f"with the {_CALLED[here.kind]} `{here.name}` called `{new}` the text would mean something else"
        )
    return Renamed(edits, changed)


def _same(name: Name, other: Name) -> bool:
    return (name.kind, name.name) == (other.kind, other.name)


def _check(analysis: Analysis, here: Name, new: str) -> None:
    if _IS_NAME(new) is None:
        raise RenameError(f"`{new}` is no name: a letter, then letters, digits, `_` and primes")
    if new != here.name and any(name.kind == here.kind and name.name == new for name in analysis.names):
        raise RenameError(f"there is {_article(here.kind)} `{new}` already")
    unread = next((f for f in analysis.planned.front.unread if f.severity == "error"), None)
    if unread is not None:
        line = analysis.source.position(unread.span.start).line
        raise RenameError(f"line {line} cannot be read, and may have `{here.name}` too: mend it first")
    mesh = analysis.planned.front.program.mesh
    if (
        here.kind == "axis"
        and mesh.declared
        and not any(_same(n, here) and n.role == "declare" for n in analysis.names)
    ):
        raise RenameError(
            f"the mesh axis `{here.name}` is declared outside of this text, in the settings of the project"
        )
    odd = next((name for name in analysis.names if _same(name, here) and not name.exact and here.kind != "array"), None)
    if odd is not None:
        line = analysis.source.position(odd.span.start).line
        raise RenameError(f"`{here.name}` is spelt with markup on line {line}; write it plainly first")


def _article(kind: str) -> str:
    return f"{'an' if kind == 'array' else 'a'} {_CALLED[kind]}"


def _edits(analysis: Analysis, here: Name, new: str) -> Iterator[Edit]:
    for name in analysis.names:
        if not _same(name, here):
            continue
        part = name.part
        if part is None or len(part.axes) == 1:
            yield Edit(name.span, new)
        else:
            axes = tuple(new if axis == here.name else axis for axis in part.axes)
            yield Edit(part.span, _run(axes, analysis.source.text[part.span.start - 1 : part.span.start]))


def _run(axes: tuple[str, ...], before: str) -> str:
    """Return axes as they are written after the sign `before`: `XY`, and with longer names `{data,Y}` or `(data,Y)`."""
    body = axes_text(axes)
    if "," not in body:
        return body.strip("{}")
    inner = body.strip("{}")
    if before == "_":
        return f"{{{inner}}}"
    return f"({inner})" if before in ("@", ".", ":") else inner


def _worse(before: tuple[Diagnostic, ...], after: tuple[Diagnostic, ...]) -> bool:
    had, has = Counter(f.code for f in before), Counter(f.code for f in after)
    return any(count > had[code] for code, count in has.items() if CODES[code].severity == "error")


__all__ = ["RenameError", "Renamed", "around", "definition", "references", "rename", "renameable"]

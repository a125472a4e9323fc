"""Texts in canonical form: statements as a whole, and of documents the blocks of plans that start at the margin."""

from collections.abc import Iterator

from shardlang.api.arguments import Request
from shardlang.api.formatting import Formatted, drops_statement
from shardlang.api.running import with_read_fixes
from shardlang.api.stages import Front, read_source, read_text
from shardlang.diagnostics import Edit, Fix
from shardlang.reports.corrections import apply_fix
from shardlang.semantics.program import Mesh
from shardlang.source import Span

_LIMITS = "SL6"


def canonical(text: str | bytes, request: Request) -> Formatted:
    """Return the canonical form of a text, or the findings that keep it from being read whole.

    Of a document the blocks that are formatted must be read whole; all else stays as it is.
    """
    from shardlang.reports.canonical import canonical_text

    source, unreadable = read_source(text, request.name, request.document)
    if unreadable:
        return Formatted(None, source, unreadable)
    front = read_text(text, request)
    wrong = [f for f in front.unread if drops_statement(f)]
    if request.document is not None:
        blocks = tuple(span for span, _ in _blocks(source.text, request.document))
        wrong = [f for f in wrong if any(block.start <= f.span.start <= block.end for block in blocks)]
    limits = (f for f in front.findings if f.severity == "error" and f.code.startswith(_LIMITS))
    if found := tuple(dict.fromkeys((*wrong, *limits))):
        return Formatted(None, source, with_read_fixes(front, found, request))
    if request.document is None:
        return Formatted(canonical_text(source, front.program), source, ())
    edits = canonical_edits(source.text, request, front)
    return Formatted(apply_fix(source.text, Fix("", edits)), source, ())


def canonical_edits(text: str, request: Request, front: Front) -> tuple[Edit, ...]:
    """Return the edits that bring a text to canonical form with the line ends that it has; comments stay.

    front: of the whole text, as one block may declare the mesh for others. None for a text, or a block of a document, that
    cannot be read whole.
    """
    kind = request.document
    if kind is None:
        return changed_lines(text, _with_own_ends(text, request))
    edits: list[Edit] = []
    for (start, end), number in _blocks(text, kind):
        block = text[start:end]
        made = changed_lines(block, _with_own_ends(block, _for_block(request, front.mesh_of(number))))
        edits += [Edit(Span(start + edit.span.start, start + edit.span.end), edit.text) for edit in made]
    return tuple(edits)


def _for_block(request: Request, mesh: Mesh) -> Request:
    """Return the request for a block of a document, with the mesh that its text declares."""
    options = request.options
    if mesh.declared and mesh.axes:
        options = options._replace(mesh={axis.name: axis.size for axis in mesh.axes})
    return request._replace(document=None, options=options)


def _blocks(text: str, kind: str) -> Iterator[tuple[Span, int]]:
    """Yield the blocks of a document that can be formatted by themselves, each with the number of its text.

    They are from their first line on that is not empty.
    """
    from shardlang.syntax.blocks import read_document  # most calls are on plan files

    found, number = read_document(text, kind), 0
    for region in found.regions:
        number += region.new
        start, end = found.place(region.start), found.place(region.end)
        body = text[start:end]
        if region.kind != "block" or not _at_margin(text, start) or body != found.text[region.start : region.end]:
            continue  # what is written with escapes is another text than what it stands for
        yield Span(start + len(body) - len(body.lstrip("\r\n")), end), number


def _at_margin(text: str, start: int) -> bool:
    """Say whether a fence has no indent: blocks in lists and quotes have one on every line, which belongs to the document."""
    fence = text.rfind("\n", 0, start) + 1
    return text[fence : fence + 1] in ("`", "~", "\\")


def _with_own_ends(text: str, request: Request) -> str:
    """Return the canonical form of statements with the line ends they have, or the text itself where it cannot be read whole."""
    made = canonical(text, request).text
    if made is None:
        return text
    return made.replace("\n", "\r\n") if "\r\n" in text else made


def changed_lines(before: str, after: str) -> tuple[Edit, ...]:
    """Return the lines that differ as edits, so that a cursor elsewhere stays where it is."""
    if before == after:
        return ()
    from shardlang.api.alignment import differing_lines

    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    starts = [0]
    for line in old:
        starts.append(starts[-1] + len(line))
    return tuple(
        Edit(Span(starts[i1], starts[i2]), "".join(new[j1:j2])) for i1, i2, j1, j2 in differing_lines(old, new)
    )

"""Where the plans are that stand in blocks of their own: fenced in Markdown, and in docstrings."""

from shardlang.source import Span


def blocks(text: str, kind: str) -> tuple[Span, ...]:
    """Return the blocks of a document of `kind` that are marked as plans, as they stand in its text."""
    if kind == "python":
        from shardlang.syntax.docstrings import read_python

        found = read_python(text)
        if found.places is None:
            return found.blocks
        places = found.places
        return tuple(Span(places[block.start], places[block.end]) for block in found.blocks)
    from shardlang.syntax.documents import regions

    return tuple(Span(region.start, region.end) for region in regions(text, kind) if region.kind == "block")

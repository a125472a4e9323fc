"""What a name stands for as a text goes on: a value, and the layouts in which it exists.

Source: NOTATION section 1. Reshards and collectives add a layout to a name, any other statement that makes a
name rebinds it, and a refused statement leaves its result unknown.
"""

from typing import NamedTuple

from shardlang.diagnostics import Diagnostic, Edit, Fix, Label
from shardlang.semantics.program import Ref, Statement
from shardlang.semantics.sharding import ArrayType, Sharding, array_text, dim_text
from shardlang.source import Span


class Entry(NamedTuple):
    """What is known of a name: whether a statement made it, its dimensions, its layouts in the order they were made."""

    produced: bool
    dims: tuple[str, ...]
    layouts: tuple[Sharding, ...]
    span: Span


class Names:
    """The names of a text so far. A name that maps to None is unknown: nothing is said about its uses."""

    def __init__(self) -> None:
        self._entries: dict[str, Entry | None] = {}

    def declare(self, ref: Ref) -> None:
        """Note the declared type of an input."""
        if ref.name is not None:
            self._entries[ref.name] = Entry(False, ref.type.dims, (ref.type.sharding,), ref.span)

    def use(self, ref: Ref, statement: Statement) -> Diagnostic | None:
        """Note the use of an array as operand and return what is wrong with it, if anything."""
        if ref.name is None:
            return None
        if ref.name not in self._entries:
            self.declare(ref)
            return None
        entry = self._entries[ref.name]
        if entry is None:
            return None
        if ref.type.dims == entry.dims and ref.type.sharding in entry.layouts:
            return None
        finding = _misuse(ref, entry, statement)
        if not entry.produced:
            layouts = (*entry.layouts, ref.type.sharding) if ref.type.dims == entry.dims else (ref.type.sharding,)
            self._entries[ref.name] = Entry(False, ref.type.dims, layouts, ref.span)
        return finding

    def add_layout(self, operand: str | None, name: str | None, array: ArrayType, span: Span) -> None:
        """Note the result of a collective or reshard: one more layout of the operand's name, or a new value."""
        if name is None:
            return
        entry = self._entries.get(name)
        if name != operand or entry is None:
            if name != operand or name not in self._entries:
                self._entries[name] = Entry(name != operand, array.dims, (array.sharding,), span)
            return
        layouts = entry.layouts if array.dims == entry.dims else ()
        if array.sharding not in layouts:
            layouts = (*layouts, array.sharding)
        self._entries[name] = Entry(entry.produced, array.dims, layouts, span)

    def produce(self, name: str | None, array: ArrayType, span: Span) -> None:
        """Note a value that a statement made."""
        if name is not None:
            self._entries[name] = Entry(True, array.dims, (array.sharding,), span)

    def forget(self, name: str | None) -> None:
        """Note that a refused statement would have made `name`."""
        if name is not None:
            self._entries[name] = None


def _misuse(ref: Ref, entry: Entry, statement: Statement) -> Diagnostic:
    used = array_text(ref.name, ref.type)
    made = array_text(ref.name, ArrayType(entry.dims, entry.layouts[-1]))
    verb = "made" if entry.produced else "used"
    labels = (Label(entry.span, f"{verb} as `{made}` here"),)
    if not entry.produced:
        message = f"the input `{ref.name}` was used as `{made}` before and is used as `{used}` here"
        hint = "if one array is meant, reshard it in between; if two, give them two names"
        return Diagnostic("SL403", message, ref.span, labels, hint)
    if ref.type.dims != entry.dims:
        if sorted(ref.type.dims) == sorted(entry.dims):
            message = f"`{ref.name}` was made with its dimensions in another order: `{made}`, not `{used}`"
        else:
            dims = ", ".join(map(dim_text, entry.dims))
            message = f"`{ref.name}` was made with the dimensions [{dims}]: `{made}`, not `{used}`"
        return Diagnostic("SL402", message, ref.span, labels)
    reshard = f"{made} -> {used}"
    message = f"`{used}` is a layout that nobody made: `{ref.name}` exists as `{made}`"
    start = statement.span.start
    fix = Fix(f"reshard before: {reshard}", (Edit(Span(start, start), reshard + "\n"),))
    return Diagnostic("SL401", message, ref.span, labels, f"put `{reshard}` before this statement", (fix,))

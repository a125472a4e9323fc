"""The types of a finding."""

from typing import NamedTuple

from shardlang.diagnostics.codes import CODES
from shardlang.source import Span


class Label(NamedTuple):
    """Another place that is involved in a finding, with a few words on its part."""

    span: Span
    message: str


class Edit(NamedTuple):
    """Replace the text under `span` by `text`."""

    span: Span
    text: str


class Price(NamedTuple):
    """What the steps of a statement take.

    collectives: each in short, `AllGather_X W`. formula: the bytes that a device receives, exact, in the sizes that are
    open. bytes_received, seconds: the numbers, None while a size is open or the hardware is not known.
    """

    collectives: tuple[str, ...]
    formula: str
    bytes_received: float | None
    seconds: float | None


class Fix(NamedTuple):
    """A change that mends the finding.

    price: what the statement takes with the change made, None where it is not about communication. executed: whether
    the changed text was run on a simulated mesh and is right; None where it was not run. safe: the change keeps what
    the text says it computes; a fix that guesses at another meaning is shown, and made only where it is asked for.
    around: the edits and the statements that they touch; None where that was not looked up.
    """

    title: str
    edits: tuple[Edit, ...]
    price: Price | None = None
    executed: bool | None = None
    safe: bool = True
    around: Span | None = None


class Diagnostic(NamedTuple):
    """One finding: what is wrong, where, and how to mend it."""

    code: str
    message: str
    span: Span
    labels: tuple[Label, ...] = ()
    hint: str | None = None
    fixes: tuple[Fix, ...] = ()

    @property
    def severity(self) -> str:
        """`error`, `warning` or `info`, as the registry says for the code."""
        return CODES[self.code].severity

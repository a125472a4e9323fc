"""What resolving a text knows while it goes: the mesh, the words split so far, the findings."""

from shardlang.diagnostics import CODES, Diagnostic, Edit, Fix, Label
from shardlang.semantics.program import Ref
from shardlang.semantics.sharding import anonymous, axes_text
from shardlang.semantics.size import Monomial
from shardlang.semantics.suggestions import Suggestions, meant
from shardlang.semantics.words import Split, lost_subscript, piece, split_axes, split_word
from shardlang.source import Span
from shardlang.syntax import ast


class Scope:
    """The state of one `resolve`. `axes` is None where no mesh is declared."""

    __slots__ = (
        "anonymous_count",
        "anonymous_sizes",
        "axes",
        "declared_arrays",
        "declared_types",
        "dims",
        "errors",
        "explicit",
        "findings",
        "inline_sizes",
        "let_names",
        "lost",
        "refs",
        "run_together",
        "splits",
        "suggest",
        "uneven",
        "unsupported",
        "used_axes",
    )

    def __init__(
        self,
        axes: tuple[str, ...] | None,
        let_names: frozenset[str],
        suggestions: Suggestions,
        uneven: bool = False,
        explicit: bool = False,
    ) -> None:
        self.axes = axes
        self.let_names = let_names
        self.suggest = suggestions.suggest
        self.uneven = uneven
        self.explicit = explicit
        self.findings: list[Diagnostic] = []
        self.errors = 0
        self.unsupported = 0  # findings of what cannot be gone on with: not supported yet, or too large
        self.splits: dict[str, Split] = {}
        self.run_together: set[str] = set()  # words such as `GHIJ`, which may be several dimensions
        self.lost: dict[str, str] = {}  # words such as `DX`, with what they look like: `D_X`
        self.used_axes: dict[str, None] = {}
        self.dims: set[str] = set()
        self.inline_sizes: list[tuple[str, ast.SizeExpr, Span]] = []
        self.anonymous_count = 0
        self.anonymous_sizes: dict[str, Monomial] = {}
        self.declared_arrays: dict[str, tuple[str, Span]] = {}
        self.declared_types: dict[str, str] = {}
        self.refs: dict[int, Ref] = {}  # arrays of the statement at hand, by identity of their node

    def report(
        self,
        code: str,
        message: str,
        span: Span,
        labels: tuple[Label, ...] = (),
        hint: str | None = None,
        fixes: tuple[Fix, ...] = (),
    ) -> None:
        """Add a finding."""
        self.findings.append(Diagnostic(code, message, span, labels, hint, fixes))
        if CODES[code].severity == "error":
            self.errors += 1
        if code >= "SL9" or code == "SL604":
            self.unsupported += 1

    def split(self, word: ast.Word) -> Split:
        """Split a plain dimension word and report what is wrong with it, once for every place."""
        text = word.text
        found = self.splits.get(text)
        if found is None:
            found = split_word(text, self.axes)
            self.splits[text] = found
            if len(text) > 1 and text[0].isupper() and text not in self.let_names:
                self._suspect(text)
            for axis in found.axes:
                self.used_axes[axis] = None
        for axis in found.unknown:
            self.unknown_axis(axis, piece(word, found.at, len(text) - found.at))
        if text in self.lost:
            self.report(
                "SL908",
                f"`{text}` looks like `{self.lost[text]}` that lost its subscript, which is not supported yet",
                word.span,
                hint=f"write `{self.lost[text]}`; if `{text}` is one dimension, give it a size with `let`",
                fixes=(Fix(f"write `{self.lost[text]}`", (Edit(word.span, self.lost[text]),)),),
            )
        if found.near is not None:
            near = f"{text[: text.rindex('_')]}_{axes_text((found.near,))}"
            self.report(
                "SL212",
                f"`{text}` is taken as a plain dimension; the mesh has an axis `{found.near}`",
                word.span,
                hint=f"write `{near}` if the axis is meant",
                fixes=(Fix(f"if the axis is meant, write `{near}`", (Edit(word.span, near),), safe=False),),
            )
        return found

    def _suspect(self, text: str) -> None:
        """Keep words that look as if their subscripts or commas had been lost."""
        stem = lost_subscript(text, self.axes) if self.axes else None
        if stem is not None:
            self.lost[text] = stem
        elif text.isalpha() and text.isupper():
            self.run_together.add(text)

    def split_subscript(self, subscript: ast.Subscript) -> tuple[str, ...]:
        """Return the axes of a subscript that can only hold axes, major to minor."""
        if len(subscript.parts) == 1:
            return self.split_part(subscript.parts[0])
        return tuple(axis for part in subscript.parts for axis in self.split_part(part))

    def split_part(self, part: ast.Word) -> tuple[str, ...]:
        """Return the axes of one comma-separated part of a subscript."""
        names, unknown = split_axes(part.text, self.axes)
        for axis in names:
            self.used_axes[axis] = None
        for axis in unknown:
            at = part.text.find(axis)
            self.unknown_axis(axis, piece(part, at, len(axis)))
        return names

    def unknown_axis(self, axis: str, span: Span) -> None:
        """Report an axis that the declared mesh does not have."""
        if self.axes is None:
            self.report("SL203", f"`{axis}` cannot be a mesh axis: the name of an axis starts with a letter", span)
            return
        listed = ", ".join(f"`{name}`" for name in self.axes) or "none"
        close = self.suggest(axis, self.axes) if len(axis) > 1 or axis.swapcase() in self.axes else None
        hint = f"did you mean `{close}`?" if close else f"take one of them, or add `{axis}` to the mesh"
        exact = span.end - span.start == len(
            axis
        )  # else the text spells the word otherwise, and the place is all of it
        fixes = (meant(close, span),) if close and exact else ()
        self.report("SL203", f"`{axis}` is not an axis of the mesh, whose axes are {listed}", span, (), hint, fixes)

    def new_anonymous(self, text: str) -> str:
        """Return the internal name of a literal size or an ellipsis, and keep its size."""
        name = anonymous(self.anonymous_count, text)
        self.anonymous_count += 1
        if text.isdecimal() and len(text) <= 40:
            self.anonymous_sizes[name] = Monomial(int(text))
        return name

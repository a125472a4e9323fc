"""Which findings on a text are shown, as a value: reports that hold it go from process to process."""

from shardlang.api.ignores import Ignores
from shardlang.api.selection import Selection
from shardlang.diagnostics import Diagnostic
from shardlang.limits import MOST_FINDINGS
from shardlang.source import SourceText
from shardlang.syntax import ast


class Keep:
    """Picks those findings that are selected and that no comment of the text ignores."""

    __slots__ = ("_module", "_selection", "_source")

    def __init__(self, source: SourceText, module: ast.Module, selection: Selection) -> None:
        self._source, self._module, self._selection = source, module, selection

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Keep) and self._given == other._given

    def __hash__(self) -> int:
        return hash((self._source, self._selection))

    @property
    def _given(self) -> tuple[object, ...]:
        return self._source, self._module, self._selection

    def __call__(self, findings: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
        """Return findings in the order of the text, without repeats and without those that are ignored."""
        unique = dict.fromkeys(findings)
        kept = [f for f in unique if self._selection.has(f)]
        if self._module.ignores:
            ignores = Ignores(self._source, self._module)
            kept = [f for f in kept if not ignores.has(f)]
        kept.sort(key=lambda finding: (finding.span.start, finding.code))
        late = [finding for finding in kept if finding.code == "SL607"]
        kept = [finding for finding in kept if finding not in late[1:]]  # each stage says where it stopped
        if len(kept) > MOST_FINDINGS:
            more = f"{len(kept) - MOST_FINDINGS} further findings are not shown"
            errors = [f for f in kept if f.severity == "error"][:MOST_FINDINGS]
            kept = [*(errors or kept[:MOST_FINDINGS]), Diagnostic("SL605", more, kept[-1].span)]
        return tuple(kept)

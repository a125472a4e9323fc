"""SL907: dimensions that were written without commas, `[GHIJ]`."""

from shardlang.diagnostics import Edit, Fix
from shardlang.semantics.arrays import stem_span
from shardlang.semantics.program import Ref
from shardlang.semantics.scope import Scope
from shardlang.syntax import ast

_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def check_run_together(refs: tuple[Ref, ...], scope: Scope) -> None:
    """Report words of capitals that must be several dimensions.

    Certain enough is a word of which at least two letters are dimensions of their own in the statement, words that
    alone make up every array of the statement and share letters, or letters in the order of the alphabet.
    """
    dims = {dim for ref in refs for dim in ref.type.dims}
    suspects = [dim for dim in dims if dim in scope.run_together and len(set(dim)) == len(dim)]
    if not suspects:
        return
    alone = len(refs) > 1 and all(len(ref.type.dims) == 1 and ref.type.dims[0] in suspects for ref in refs)
    for dim in suspects:
        others = {letter for word in suspects if word != dim for letter in word} if alone else set()
        if (len(dim) > 2 and dim in _ALPHABET) or len((dims | others) & set(dim)) >= 2 or (len(others & set(dim)) >= 2):
            _report(dim, refs, scope)


def _report(dim: str, refs: tuple[Ref, ...], scope: Scope) -> None:
    for ref in refs:
        for name, entry in zip(ref.type.dims, ref.node.dims or (), strict=True):
            if name == dim:
                _report_one(dim, entry, scope)
                return


def _report_one(dim: str, entry: ast.Dim, scope: Scope) -> None:
    spelled = ", ".join(dim)
    span = stem_span(entry, dim)
    scope.report(
        "SL907",
        f"`{dim}` looks like the dimensions {spelled} written without commas, which is not supported yet",
        span,
        hint=f"write `{spelled}`; if `{dim}` is one dimension, give it a size with `let`",
        fixes=(Fix(f"write `{spelled}`", (Edit(span, spelled),)),),
    )

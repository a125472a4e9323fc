"""How much is checked again to find the fixes that work."""

from shardlang.api.fixes import keep_working_fixes
from shardlang.diagnostics import Diagnostic, Edit, Fix
from shardlang.source import SourceText, Span


def test_fixes_that_do_not_work_cost_a_bounded_number_of_characters():
    """A thousand fixes, none of which helps: halving would read the text again 2000 times, 80 million characters."""
    text = "A[I] · B[J_X, K_Y] -> C[I, J, K_Y, L]\n" * 1000
    width = len(text) // 1000
    findings = tuple(
        Diagnostic("SL401", "wrong", Span(at, at + 1), fixes=(Fix("no fix", (Edit(Span(at, at), "D[I]\n"),)),))
        for at in range(0, len(text), width)
    )
    read = []

    def rerun(changed):
        read.append(len(changed))
        return findings

    kept = keep_working_fixes(SourceText(text, "<text>"), findings, findings, rerun)
    assert len(kept) == 1000
    assert not any(finding.fixes for finding in kept)
    assert len(read) >= 1
    assert sum(read) < 250_000

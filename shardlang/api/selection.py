"""Which findings are shown: codes or their beginnings (`SL3`) that are selected, and that are ignored."""

from collections.abc import Iterable
from typing import NamedTuple

from shardlang.diagnostics import CODES, Diagnostic

_UNREAD = ("SL1", "SL6")


class Selection(NamedTuple):
    """select: what is shown; empty for everything. ignore: what is not; the longer beginning of a code decides."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    def has(self, finding: Diagnostic) -> bool:
        """Say whether a finding is shown.

        An error that keeps a text from being read is shown whatever is selected, as nothing else is known then; only
        `ignore` hides it.
        """
        left_out = _longest(finding.code, self.ignore)
        if not self.select or (finding.severity == "error" and finding.code.startswith(_UNREAD)):
            return left_out < 0
        return _longest(finding.code, self.select) > left_out


def begins_code(start: str) -> bool:
    """Say whether this is a code or how one starts, such as `SL3`."""
    return bool(start) and any(code.startswith(start) for code in CODES)


def _longest(code: str, starts: Iterable[str]) -> int:
    return max((len(start) for start in starts if code.startswith(start)), default=-1)

"""Texts that commands change: as a diff, and written back."""

from typing import BinaryIO

from shardlang.cli.inputs import WrongUsageError

_MARK = b"\xef\xbb\xbf"


def diff_text(name: str, before: str, after: str, how: str) -> str:
    """Return what changes as a unified diff; `how` says what the second side is."""
    from difflib import unified_diff

    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    if old and not old[-1].endswith("\n"):
        old[-1] += "\n"
        new[-1:] = [line if line.endswith("\n") else line + "\n" for line in new[-1:]]
    return "".join(unified_diff(old, new, name, f"{name} ({how})"))


def write_back(name: str, after: str) -> None:
    """Write a file; where that fails it keeps what it had. Raises WrongUsageError then.

    It is written in place, so that links to it, its owner and its mode stay. A byte-order mark stays too.
    """
    try:
        with open(name, "r+b") as file:
            had = file.read()
            mark = _MARK if had.startswith(_MARK) else b""
            try:
                _put(file, mark + after.encode("utf-8"))
            except OSError:
                _put(file, had)
                raise
    except OSError as problem:
        raise WrongUsageError(f"Cannot write {name}: {problem.strerror or problem}.") from None


def _put(file: BinaryIO, content: bytes) -> None:
    file.seek(0)
    file.write(content)
    file.flush()
    file.truncate()

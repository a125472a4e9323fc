"""Texts that commands change: as a diff, and written back."""

from io import StringIO
from typing import BinaryIO

from shardlang.cli.inputs import WrongUsageError
from shardlang.syntax import document_kind
from shardlang.syntax.coding import encoding_of

_MARK = b"\xef\xbb\xbf"


def diff_text(name: str, before: str, after: str) -> str:
    """Return what changes as a unified diff that `patch -p0` and `git apply -p0` make of `before` what `after` is.

    Lines end where those programs end them: at a line feed, not at the other characters that part lines in Unicode.
    """
    from difflib import unified_diff

    old, new = (list(StringIO(text, newline="\n")) for text in (before, after))
    shown = f"{name}\t" if " " in name else name  # a tab says where a name with blanks ends
    diff = unified_diff(old, new, shown, shown)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in diff)


def write_back(name: str, after: str) -> None:
    """Write a file; where that fails it keeps what it had. Raises WrongUsageError then.

    It is written in place, so that links to it, its owner and its mode stay. A byte-order mark and its encoding stay too.
    """
    try:
        with open(name, "r+b") as file:
            had = file.read()
            mark = _MARK if had.startswith(_MARK) else b""
            encoding = encoding_of(had, document_kind(name))
            try:
                content = after.encode(encoding)
            except UnicodeEncodeError as problem:
                char = after[problem.start]
                raise WrongUsageError(f"Cannot write {name}: `{char}` cannot be written in {encoding}.") from None
            try:
                _put(file, mark + content)
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

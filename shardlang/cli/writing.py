"""Texts that commands change: as a diff, and written back."""

import os
from contextlib import suppress
from io import StringIO

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
    shown = _quoted(name)
    shown = f"{shown}\t" if " " in name and shown == name else shown  # a tab says where a name with blanks ends
    diff = unified_diff(old, new, shown, shown)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in diff)


def _quoted(name: str) -> str:
    """Return a name as `git` and `patch` want it: one with control characters in quotes, with escapes as C has them."""
    if not any(char < " " or char == "\x7f" for char in name):
        return name
    escaped = (
        f"\\{char}" if char in '"\\' else char if " " <= char != "\x7f" else f"\\{ord(char):03o}" for char in name
    )
    return f'"{"".join(escaped)}"'


def without_commands(text: str) -> str:
    """Return a text for the log of a workflow, of which no line is run as a command: GitHub is told so, until a random word.

    Source: GitHub Docs, "Workflow commands for GitHub Actions", stopping and starting workflow commands.
    """
    if not text:
        return text
    from secrets import token_hex

    word = token_hex(16)
    return f"::stop-commands::{word}\n{text.rstrip(chr(10))}\n::{word}::\n"


def write_back(name: str, after: str) -> None:
    """Write a file; where that fails, or is broken off, it keeps what it had. Raises WrongUsageError for what fails.

    What a symbolic link leads to is written, and the link stays. Mode, byte-order mark and encoding stay too.
    """
    try:
        with open(name, "r+b") as file:  # a file that must not be written is refused, also where its directory may be
            had = file.read()
        mark = _MARK if had.startswith(_MARK) else b""
        encoding = encoding_of(had, document_kind(name))
        try:
            content = after.encode(encoding)
        except UnicodeEncodeError as problem:
            char = after[problem.start]
            raise WrongUsageError(f"Cannot write {name}: `{char}` cannot be written in {encoding}.") from None
        _replace(os.path.realpath(name), mark + content)
    except OSError as problem:
        raise WrongUsageError(f"Cannot write {name}: {problem.strerror or problem}.") from None


def _replace(path: str, content: bytes) -> None:
    """Let a file have this content, at once: it is written beside it, and then takes its place."""
    from tempfile import mkstemp

    descriptor, beside = mkstemp(prefix=".shardlang-", dir=os.path.dirname(path))
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(beside, os.stat(path).st_mode & 0o7777)
        os.replace(beside, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(beside)
        raise

"""Texts that commands change: as a diff, and written back."""

from shardlang.cli.inputs import WrongUsageError


def diff_text(name: str, before: str, after: str, how: str) -> str:
    """Return what changes as a unified diff; `how` says what the second side is."""
    from difflib import unified_diff

    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    if old and not old[-1].endswith("\n"):
        old[-1] += "\n"
        new[-1:] = [line if line.endswith("\n") else line + "\n" for line in new[-1:]]
    return "".join(unified_diff(old, new, name, f"{name} ({how})"))


def write_back(name: str, before: str, after: str) -> None:
    """Write a file, with the line ends that it has. Raises WrongUsageError where it cannot be written."""
    newline = "\r\n" if "\r\n" in before else "\n"
    try:
        with open(name, "w", encoding="utf-8", newline=newline) as file:
            file.write(after.replace("\r\n", "\n"))
    except OSError as problem:
        raise WrongUsageError(f"Cannot write {name}: {problem.strerror or problem}.") from None

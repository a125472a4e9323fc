"""The command line.

Exit status: 0 clean, 1 errors found in a plan, 2 wrong usage. What an editor or a commit hook calls all the
time, `check FILE…`, does without click, whose import is a quarter of the start-up.
"""

import os
import sys
from typing import Any, NoReturn

_COMPLETION = "_SHARDLANG_COMPLETE"


def main() -> None:
    """Run the command line: the `shardlang` script and `python -m shardlang`."""
    if sys.stderr is None:  # closed by the caller: what would be said there is dropped
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 so that it lives as long as the process
    if sys.stdout is None:
        _end_unwritten("it is closed")
    try:
        _run()
    except OSError as problem:  # files are read with errors of their own: what is left is a full disk
        _end_unwritten(problem.strerror or str(problem))


def _run() -> None:
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show `·` gets an escape, not a traceback.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    arguments = sys.argv[1:]
    if arguments[:1] == ["check"] and _are_files(arguments[1:]) and _COMPLETION not in os.environ:
        from shardlang.cli.checking import check_files

        status = check_files(tuple(arguments[1:]))
        if status is not None:
            sys.exit(status)
    from shardlang.cli.commands import group

    group(prog_name="shardlang")


def _end_unwritten(reason: str) -> NoReturn:
    """End with one line on standard error, and leave nothing to write at exit, where it would fail again."""
    from contextlib import suppress  # half a millisecond that a good run does not pay

    with suppress(OSError):
        sys.stderr.write(f"Error: cannot write to standard output: {reason}\n")
        sys.stderr.flush()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):
            os.dup2(nowhere, stream.fileno())
    sys.exit(2)


def _are_files(arguments: list[str]) -> bool:
    return bool(arguments) and not any(argument.startswith("-") for argument in arguments)


def __getattr__(name: str) -> Any:
    if name != "group":
        raise AttributeError(f"module 'shardlang.cli' has no attribute {name!r}")
    from shardlang.cli.commands import group

    return group

"""The command line.

Exit status: 0 clean, 1 errors found in a plan, 2 wrong usage. What an editor or a commit hook calls all the
time, `check FILE…`, does without click, whose import is a quarter of the start-up.
"""

import os
import sys
from typing import Any

_COMPLETION = "_SHARDLANG_COMPLETE"


def main() -> None:
    """Run the command line: the `shardlang` script and `python -m shardlang`."""
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


def _are_files(arguments: list[str]) -> bool:
    return bool(arguments) and not any(argument.startswith("-") for argument in arguments)


def __getattr__(name: str) -> Any:
    if name != "group":
        raise AttributeError(f"module 'shardlang.cli' has no attribute {name!r}")
    from shardlang.cli.commands import group

    return group

"""`shardlang check`."""

from typing import Any

import click

from shardlang.cli.checking import Display, check_texts
from shardlang.cli.inputs import WrongUsageError, read_inputs
from shardlang.cli.options import (
    Command,
    code_options,
    colour_option,
    format_option,
    leave,
    plan_options,
    text_arguments,
    verbose_option,
)
from shardlang.cli.services import SERVICES

_EPILOG = """\b
Examples:
  shardlang check plan.shard notes.md src/model.py
  shardlang check plans/
  shardlang check -e 'A[I_X, J] -> A[I, J_X]' --steps
  shardlang check plan.shard --mesh X=4,Y=2 --set B=1024 --format json
  shardlang check docs/*.md --format github
  shardlang check . --format junit --output shardlang.xml
  shardlang check --fix plan.shard
  shardlang check --diff plan.shard
\b
A comment `# shardlang: ignore[SL203]` on a line silences that code there.
Exit status: 0 clean (warnings and notes may stand, unless --error-on-warning), 1 errors found, 2 wrong usage. With
--fix, 1 where errors are left; with --diff, 1 where something would change too.
"""


@click.command(cls=Command, epilog=_EPILOG, short_help="Find what is wrong, and the collectives it takes.")
@text_arguments
@plan_options
@click.option("--steps/--no-steps", default=None, help="List the steps of every statement. [default: for expressions]")
@click.option(
    "--fix", is_flag=True, help="Make the best safe fix of every error and warning, run the result, write it back."
)
@click.option("--unsafe-fixes", is_flag=True, help="Make fixes too that may change what is computed. Implies --fix.")
@click.option("--diff", is_flag=True, help="Print what --fix would change, and write nothing.")
@code_options
@click.option("--exit-zero", is_flag=True, help="Status 0 where errors are found too.")
@click.option("--error-on-warning", is_flag=True, help="Status 1 where a warning is found too.")
@format_option("text", "json", *SERVICES)
@click.option("-o", "--output", metavar="FILE", help="Write the --format to a file, and print the report as text.")
@click.option("-q", "--quiet", is_flag=True, help="Print what is found, and no line for each file.")
@verbose_option
@colour_option
def command(
    files: tuple[str, ...],
    expressions: tuple[str, ...],
    steps: bool | None,
    fix: bool,
    unsafe_fixes: bool,
    diff: bool,
    exit_zero: bool,
    error_on_warning: bool,
    form: str,
    output: str | None,
    quiet: bool,
    verbose: bool,
    color: str,
    **options: Any,
) -> None:
    """Check plan files, the formulas in Markdown, LaTeX and plain notes, and the docstrings of Python files.

    Every statement is checked and lowered to its collectives; `explain` says why each is needed.
    """
    if output is not None and form == "text":
        raise WrongUsageError("--output is for a --format that programs read: json, sarif, github or junit.")
    inputs = read_inputs(files, expressions)
    shown = Display(form, color, verbose, quiet, error_on_warning, output)
    if fix or unsafe_fixes or diff:
        from shardlang.cli.fixing import fix_texts

        fine = fix_texts(inputs, options, shown, unsafe=unsafe_fixes, diff=diff)
    else:
        fine = check_texts(inputs, options, shown, steps=steps)
    leave(fine or exit_zero)

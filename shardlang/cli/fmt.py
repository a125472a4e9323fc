"""`shardlang fmt`."""

import click

from shardlang import api
from shardlang.cli.inputs import Input, WrongUsageError, read_inputs
from shardlang.cli.options import Command, colour_option, leave, text_arguments
from shardlang.cli.output import paint_for, shown_text, write
from shardlang.cli.writing import diff_text, write_back
from shardlang.reports.cells import safe_name
from shardlang.reports.findings import text_findings

_EPILOG = """\b
Examples:
  shardlang fmt plan.shard               print the canonical form
  shardlang fmt -w plan.shard            write it back
  shardlang fmt --check *.shard          status 1 where a file would change
  cat plan.shard | shardlang fmt --diff -
"""


@click.command(cls=Command, epilog=_EPILOG, short_help="Print or write the canonical form.")
@text_arguments
@click.option("--check", "mode", flag_value="check", help="Change nothing; status 1 where a text would change.")
@click.option("--diff", "mode", flag_value="diff", help="Print what would change; status 1 where something would.")
@click.option("-w", "--write", "mode", flag_value="write", help="Write files back.")
@click.option("--mesh", metavar="X=4,Y=2", help="Mesh axes, where the text declares none.")
@colour_option
def command(
    files: tuple[str, ...], expressions: tuple[str, ...], mode: str | None, mesh: str | None, color: str
) -> None:
    """Print plan files in canonical form: `·` and `->`, `I_{XY}`, `{U_X}`; comments stay.

    Of a document the marked blocks that start at the margin are formatted, and all else stays as it is. A text with a syntax error is not formatted: its findings are printed, with status 1.
    """
    inputs = read_inputs(files, expressions)
    fine = True
    for given in inputs:
        formatted = api.format_report(given.text, **given.keywords({"mesh": mesh}))
        if formatted.text is None:
            fine = False
            write(text_findings(formatted.source, formatted.findings, paint=paint_for(color)))
        else:
            fine = _show(given, formatted.source.text, formatted.text, mode) and fine
    leave(fine)


def _show(given: Input, before: str, after: str, mode: str | None) -> bool:
    """Print or write the canonical form; say whether all is well."""
    plain = given.document is None
    changed = (before.replace("\r\n", "\n") if plain else before) != after
    written = after.replace("\n", "\r\n") if plain and "\r\n" in before else after
    if mode is None:
        click.echo(shown_text(after), nl=False, color=True)
        return True
    if mode == "check" and changed:
        click.echo(f"{safe_name(given.name)} would change", err=True)
    elif mode == "diff" and changed:
        click.echo(shown_text(diff_text(given.name, given.mark + before, given.mark + written)), nl=False, color=True)
    elif mode == "write":
        _write_back(given, written, changed)
        return True
    return not changed


def _write_back(given: Input, written: str, changed: bool) -> None:
    if not given.file:
        raise WrongUsageError("-w writes files; there is none.")
    if changed:
        write_back(given.name, written)
        click.echo(f"{safe_name(given.name)} written", err=True)

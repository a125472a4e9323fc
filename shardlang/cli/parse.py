"""`shardlang parse`."""

import click

from shardlang import api
from shardlang.cli.inputs import read_inputs
from shardlang.cli.options import Command, colour_option, format_option, leave, text_arguments, verbose_option
from shardlang.cli.output import paint_for, show_findings, together, write, write_json
from shardlang.reports.parsed import parse_listing

_EPILOG = """\b
Examples:
  shardlang parse -e '\\text{In}[B_X, D] \\cdot W[D, F] \\to Out[B_X, F]'
  shardlang parse notes.md --format json
"""


@click.command(cls=Command, epilog=_EPILOG, short_help="List the statements of a text.")
@text_arguments
@click.option("--mesh", metavar="X=4,Y=2", help="Mesh axes in order, with sizes where known.")
@format_option("text", "json")
@verbose_option
@colour_option
def command(
    files: tuple[str, ...], expressions: tuple[str, ...], mesh: str | None, form: str, verbose: bool, color: str
) -> None:
    """List every statement of a text in canonical form, with what it is made of in JSON."""
    inputs = read_inputs(files, expressions)
    reports = [api.parse(text.text, **text.keywords({"mesh": mesh})) for text in inputs]
    if form == "json":
        write_json(together(reports))
    for report in reports if form == "text" else ():
        show_findings(report, form, color, verbose)
        write(parse_listing(report, paint_for(color)))
    leave(all(report.ok for report in reports))

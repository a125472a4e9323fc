"""`shardlang parse`."""

import click

from shardlang import api
from shardlang.cli.inputs import read_inputs
from shardlang.cli.options import (
    colour_option,
    format_option,
    leave,
    paint_for,
    terminal_width,
    text_arguments,
    together,
    usage_errors,
    write,
    write_json,
)
from shardlang.cli.project import project_defaults
from shardlang.reports.findings import text_findings
from shardlang.reports.summary import parse_listing

_EPILOG = """\b
Examples:
  shardlang parse -e '\\text{In}[B_X, D] \\cdot W[D, F] \\to Out[B_X, F]'
  shardlang parse notes.md --format json
"""


@click.command(epilog=_EPILOG, short_help="List the statements of a text.")
@text_arguments
@click.option("--mesh", metavar="X=4,Y=2", help="Mesh axes in order, with sizes where known.")
@format_option("text", "json")
@colour_option
def command(files: tuple[str, ...], expressions: tuple[str, ...], mesh: str | None, form: str, color: str) -> None:
    """List every statement of a text in canonical form, with what it is made of in JSON."""
    defaults, inputs = project_defaults(), read_inputs(files, expressions)
    with usage_errors():
        reports = [
            api.parse(text.text, name=text.name, document=text.document, mesh=mesh, defaults=defaults)
            for text in inputs
        ]
    if form == "json":
        write_json(together(reports))
    else:
        paint = paint_for(color)
        for report in reports:
            write(text_findings(report.source, report.findings, paint=paint, width=terminal_width()))
            write(parse_listing(report, paint))
    leave(all(report.ok for report in reports))

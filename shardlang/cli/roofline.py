"""`shardlang roofline`."""

from typing import TYPE_CHECKING, Any

import click

from shardlang import api
from shardlang.cli.inputs import Input, WrongUsageError, read_inputs
from shardlang.cli.options import (
    Command,
    colour_option,
    cost_options,
    format_option,
    plan_options,
    text_arguments,
    verbose_option,
)
from shardlang.cli.output import paint_for, show_findings, terminal_width, write
from shardlang.cli.reporting import print_reports

if TYPE_CHECKING:
    from shardlang.reports.roofline import RooflineReport

_EPILOG = """\b
Examples:
  shardlang roofline plan.shard --hw tpu-v5p --mesh X=16,Y=4 --set B=32768,D=8192,F=32768
  shardlang roofline plan.shard --for B --hw tpu-v5p
  shardlang roofline -e 'X[B, D] · W[D, F] -> Y[B, F]' --assume 'B << D, F'
  shardlang roofline -e 'X[B, D] · W[D, F] -> Y[B, F]' --hw tpu-v5e --roofs math,hbm,vmem
"""


@click.command(cls=Command, epilog=_EPILOG, short_help="Intensity against every level, and which one binds where.")
@text_arguments
@click.option("--for", "variable", metavar="B|B/X", help="Say in which ranges of this each roof binds.")
@plan_options
@cost_options
@format_option("text", "json")
@verbose_option
@colour_option
def command(
    files: tuple[str, ...],
    expressions: tuple[str, ...],
    variable: str | None,
    form: str,
    verbose: bool,
    color: str,
    **options: Any,
) -> None:
    """Compare each statement, and the plan, with every roof: arithmetic, memory, each group of links.

    A row a level: the arithmetic intensity of the statement, the critical one, from which on arithmetic binds,
    the time, and which level binds.
    """
    from shardlang.reports.costs import RatioError
    from shardlang.reports.roofline import roofline_text

    inputs = read_inputs(files, expressions)

    def make(text: Input) -> "RooflineReport":
        try:
            return api.roofline(text.text, variable, **text.keywords(options))
        except RatioError as problem:
            hint = f" Did you mean {problem.hint}?" if problem.hint else ""
            raise WrongUsageError(f"--for: {problem}.{hint}") from None

    def show(report: "RooflineReport") -> None:
        show_findings(report.cost, form, color, verbose)
        write(roofline_text(report, paint_for(color), terminal_width()))

    print_reports(inputs, make, show, form)

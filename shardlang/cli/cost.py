"""`shardlang cost`."""

from typing import TYPE_CHECKING, Any

import click

from shardlang import api
from shardlang.cli.inputs import WrongUsageError, read_inputs
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
    from shardlang.reports.costs import CostReport

_EPILOG = """\b
Examples:
  shardlang cost -e 'In[B_X, D] · W[D_X, F] -> H[B_X, F]' --hw tpu-v5p
  shardlang cost plan.shard --mesh X=16,Y=4 --set B=1024,D=8192,F=32768 --hw tpu-v5p
  shardlang cost plan.shard --summary --hw tpu-v5p
  shardlang cost plan.shard --model exact --comms sum --roofs math,ici --format json
"""


@click.command(cls=Command, epilog=_EPILOG, short_help="Price a plan: FLOPs, bytes, times, memory.")
@text_arguments
@plan_options
@cost_options
@click.option("--summary", is_flag=True, help="One row a statement, and the totals.")
@format_option("text", "json")
@verbose_option
@colour_option
def command(
    files: tuple[str, ...],
    expressions: tuple[str, ...],
    summary: bool,
    form: str,
    verbose: bool,
    color: str,
    **options: Any,
) -> None:
    """Print what a plan costs on each device: FLOPs, bytes, times of the roofs, bounds, memory.

    Formulas keep the names of the text; numbers stand beside them where sizes and hardware are known.
    """
    from shardlang.reports.overview import cost_summary
    from shardlang.reports.tables import cost_text

    if summary and form == "json":
        raise WrongUsageError("--summary is a form of text; JSON has the totals of every statement.")
    printed = cost_summary if summary else cost_text
    inputs = read_inputs(files, expressions)

    def show(report: "CostReport") -> None:
        show_findings(report, form, color, verbose)
        write(printed(report, paint_for(color), terminal_width()))

    print_reports(inputs, lambda text: api.cost(text.text, **text.keywords(options)), show, form)

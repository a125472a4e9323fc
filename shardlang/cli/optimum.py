"""`shardlang optimum`."""

from typing import Any

import click

from shardlang import api
from shardlang.cli.inputs import WrongUsageError, read_against, read_one
from shardlang.cli.options import (
    Command,
    colour_option,
    cost_options,
    format_option,
    leave,
    plan_options,
    text_arguments,
    verbose_option,
)
from shardlang.cli.output import paint_for, show_findings, terminal_width, write, write_json

_EPILOG = """\b
Examples:
  shardlang optimum 'X*Y = N' plan.shard --for X --topology X=ring:M_X,Y=ring:M_Y
  shardlang optimum 'X*Y = 64' plan.shard --for X --set B=48000,F=32768 --hw tpu-v5p
  shardlang optimum 'X*Y = N' plan.shard --for X --crossover B/N --roofs math,ici --hw tpu-v5p
  shardlang optimum 'X*Y*Z = N' plan.shard --for X --against other.shard --crossover N
"""


@click.command(cls=Command, epilog=_EPILOG, short_help="Split a number of devices over mesh axes in the best way.")
@click.argument("split", metavar="'X*Y = N'")
@text_arguments
@click.option("--for", "variable", required=True, metavar="X", help="The mesh axis to solve for.")
@click.option("--of", metavar="t_comms|t_lower|t_upper", help="The time that is made least. [default: t_comms]")
@click.option("--bound", metavar="lower|upper", help="The bound of the time that is made least, as --of t_lower.")
@click.option(
    "--crossover", metavar="B/N", help="A size or ratio: from where on the plan is compute-bound at its best split."
)
@click.option(
    "--against", multiple=True, metavar="FILE|EXPR", help="With --crossover: from where on it beats this plan instead."
)
@plan_options
@cost_options
@format_option("text", "json")
@verbose_option
@colour_option
def command(
    split: str,
    files: tuple[str, ...],
    expressions: tuple[str, ...],
    variable: str,
    against: tuple[str, ...],
    form: str,
    verbose: bool,
    color: str,
    **options: Any,
) -> None:
    """Find the split of a number of devices over mesh axes at which the communication of a plan takes the least time.

    The devices are a name or a number: 'X*Y = N', 'X*Y = 64'; --set N=64 gives the name a number, and then the splits
    that exist are listed, the best first.
    """
    from shardlang.reports.costs import RatioError
    from shardlang.reports.optima import optimum_text

    text = read_one(files, expressions)
    try:
        report = api.optimum(text.text, split, variable, against=read_against(against), **text.keywords(options))
    except RatioError as problem:
        hint = f" Did you mean {problem.hint}?" if problem.hint else ""
        raise WrongUsageError(f"{problem}.{hint}") from None
    if form == "json":
        write_json(report.to_dict())
    else:
        show_findings(report.cost, form, color, verbose)
        if report.against is not None:
            show_findings(report.against, form, color, verbose)
        write(optimum_text(report, paint_for(color), terminal_width()))
    leave(report.ok)

"""`shardlang crossover`."""

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
  shardlang crossover -e 'In[B_X, D_Y] · W[D_X, F_Y] -> Tmp[B_X, F_Y]' --for B --hw tpu-v5p
  shardlang crossover plan.shard --for B/X --comms sum --roofs math,ici
  shardlang crossover plan.shard --against other.shard --for D --of t_comms
"""


@click.command(cls=Command, epilog=_EPILOG, short_help="Solve for the size from which a plan is compute-bound.")
@text_arguments
@click.option(
    "--for", "variable", required=True, metavar="B|B/X", help="The size, or ratio such as B/(X·Y), to solve for."
)
@click.option(
    "--against", multiple=True, metavar="FILE|EXPR", help="Another plan: from where on the first one is the cheaper."
)
@click.option(
    "--of",
    metavar="t_comms|…",
    help="What two plans are compared by: t_comms, t_math, t_hbm, t_lower, t_upper, flops, memory.",
)
@click.option(
    "--bound", metavar="lower|upper", help="The bound of the time that two plans are compared by. [default: lower]"
)
@plan_options
@cost_options
@format_option("text", "json")
@verbose_option
@colour_option
def command(
    files: tuple[str, ...],
    expressions: tuple[str, ...],
    variable: str,
    against: tuple[str, ...],
    form: str,
    verbose: bool,
    color: str,
    **options: Any,
) -> None:
    """Solve for the size at which one roof of a plan becomes larger than another.

    One answer a pair of roofs and group of mesh axes that share links, with what it requires besides. With --latency also
    where the latency of each collective becomes the longer part; with --against where one plan becomes cheaper than another.
    """
    from shardlang.reports.costs import RatioError
    from shardlang.reports.tables import crossover_text

    text = read_one(files, expressions)
    try:
        report = api.crossover(text.text, variable, against=read_against(against), **text.keywords(options))
    except RatioError as problem:
        hint = f" Did you mean {problem.hint}?" if problem.hint else ""
        raise WrongUsageError(f"--for: {problem}.{hint}") from None
    if form == "json":
        write_json(report.to_dict())
    else:
        show_findings(report.cost, form, color, verbose)
        if report.against is not None:
            show_findings(report.against, form, color, verbose)
        write(crossover_text(report, paint_for(color), terminal_width()))
    leave(report.ok)

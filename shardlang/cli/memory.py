"""`shardlang memory`."""

from typing import Any

import click

from shardlang import api
from shardlang.cli.inputs import WrongUsageError, read_inputs
from shardlang.cli.options import (
    Command,
    colour_option,
    format_option,
    plan_options,
    text_arguments,
    verbose_option,
)
from shardlang.cli.output import paint_for, show_findings, terminal_width, write
from shardlang.cli.reporting import print_reports

_EPILOG = """\b
Examples:
  shardlang memory -e 'w: bf16[P_X]' -e 'm: f32[P_X]' -e 'v: f32[P_X]' --mesh X=16 --set P=70e9 --hw h100
  shardlang memory plan.shard --mesh X=16,Y=4 --set B=1024,D=8192,F=32768 --hw tpu-v5p
  shardlang memory -e 'KV: int8[2, L, B, T_X, K, H]' --mesh X=16 --set L=64,T=128000,K=8,H=256 --hw tpu-v5e --for B
"""


@click.command(cls=Command, epilog=_EPILOG, short_help="What arrays take, the peak of a plan, and whether it fits.")
@text_arguments
@click.option(
    "--for",
    "variable",
    metavar="B|X|B/X",
    help="Solve for the largest size, or the fewest devices, with which it fits.",
)
@plan_options
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
    """Print what each array takes on a device and in all, what is resident before the first statement, and the peak of the plan.

    A list of declarations is a parameter count. With --hw it says whether it fits into the HBM of a chip.
    """
    from shardlang.reports.costs import RatioError
    from shardlang.reports.memory import MemoryReport
    from shardlang.reports.memory_text import memory_text

    inputs = read_inputs(files, expressions)

    def show(report: MemoryReport) -> None:
        show_findings(report, form, color, verbose)
        write(memory_text(report, paint_for(color), terminal_width()))

    try:
        print_reports(inputs, lambda text: api.memory(text.text, variable, **text.keywords(options)), show, form)
    except RatioError as problem:
        hint = f" Did you mean {problem.hint}?" if problem.hint else ""
        raise WrongUsageError(f"--for: {problem}.{hint}") from None

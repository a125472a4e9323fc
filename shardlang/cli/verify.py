"""`shardlang verify`."""

from typing import TYPE_CHECKING, Any

import click

from shardlang import api
from shardlang.cli.inputs import read_inputs
from shardlang.cli.options import (
    Command,
    colour_option,
    format_option,
    plan_options,
    text_arguments,
    verbose_option,
)
from shardlang.cli.output import paint_for, show_findings, write
from shardlang.cli.reporting import print_reports

if TYPE_CHECKING:
    from shardlang.reports.verification import VerifyReport

_EPILOG = """\b
Examples:
  shardlang verify plan.shard
  shardlang verify -e 'A[I, J_X] · B[J_X, K] -> C[I, K]' --bytes
  shardlang verify plan.shard --mesh X=4,Y=2 --set I=16,J=8,K=24 --format json
\b
Exit status: 0 every statement is right when run, 1 errors found, one is wrong or could not be run, 2 wrong usage.
"""


@click.command(cls=Command, epilog=_EPILOG, short_help="Run a plan on a simulated mesh, against the dense result.")
@text_arguments
@plan_options
@click.option("--bytes", "count_bytes", is_flag=True, help="Count what devices send and receive, beside the formulas.")
@format_option("text", "json")
@verbose_option
@colour_option
def command(
    files: tuple[str, ...],
    expressions: tuple[str, ...],
    count_bytes: bool,
    form: str,
    verbose: bool,
    color: str,
    **options: Any,
) -> None:
    """Run a plan on simulated devices that hold nothing but their own blocks, and compare with the dense result.

    Every statement that check accepts is run, step by step, and so are its other plans; the first step that breaks is
    reported with what every device holds. Sizes that are known and small are used; else several small ones are chosen.
    """
    from shardlang.reports.verification import verify_text

    inputs = read_inputs(files, expressions)

    def show(report: "VerifyReport") -> None:
        show_findings(report, form, color, verbose)
        write(verify_text(report, paint_for(color), count_bytes=count_bytes))

    print_reports(inputs, lambda text: api.verify(text.text, **text.keywords(options)), show, form)

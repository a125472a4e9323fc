"""`shardlang cost`."""

from typing import Any

import click

from shardlang import api
from shardlang.cli.inputs import read_inputs
from shardlang.cli.options import (
    Command,
    colour_option,
    cost_options,
    format_option,
    leave,
    one_for_json,
    plan_options,
    text_arguments,
    verbose_option,
)
from shardlang.cli.output import paint_for, show_findings, terminal_width, write, write_json
from shardlang.cli.project import project_defaults

_EPILOG = """\b
Examples:
  shardlang cost -e 'In[B_X, D] · W[D_X, F] -> H[B_X, F]' --hw tpu-v5p
  shardlang cost plan.shard --mesh X=16,Y=4 --set B=1024,D=8192,F=32768 --hw tpu-v5p
  shardlang cost plan.shard --model exact --comms sum --roofs math,ici --format json
"""


@click.command(cls=Command, epilog=_EPILOG, short_help="Price a plan: FLOPs, bytes, times, memory.")
@text_arguments
@plan_options
@cost_options
@format_option("text", "json")
@verbose_option
@colour_option
def command(
    files: tuple[str, ...], expressions: tuple[str, ...], form: str, verbose: bool, color: str, **options: Any
) -> None:
    """Print what a plan costs on each device: FLOPs, bytes, times of the roofs, bounds, memory.

    Formulas keep the names of the text; numbers stand beside them where sizes and hardware are known.
    """
    from shardlang.reports.tables import cost_text

    defaults, inputs = project_defaults(), read_inputs(files, expressions)
    one_for_json(form, inputs)
    fine = True
    for number, text in enumerate(inputs):
        report = api.cost(text.text, **text.keywords(defaults, options))
        fine = report.ok and fine
        if form == "json":
            write_json(report.to_dict())
            continue
        if number:
            click.echo()
        show_findings(report, form, color, verbose)
        write(cost_text(report, paint_for(color), terminal_width()))
    leave(fine)

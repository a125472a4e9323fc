"""`shardlang hardware`."""

import click

from shardlang import api
from shardlang.cli.options import Command, colour_option, format_option, leave
from shardlang.cli.output import paint_for, write, write_json
from shardlang.reports.chips import hardware_text

_EPILOG = """\b
Examples:
  shardlang hardware
  shardlang hardware tpu-v5p
  shardlang hardware my-chips.toml:mine --format json
"""


@click.command(cls=Command, epilog=_EPILOG, short_help="List the chips that are known, or show one.")
@click.argument("name", required=False, metavar="[NAME | FILE]")
@format_option("text", "json")
@colour_option
def command(name: str | None, form: str, color: str) -> None:
    """List the chips of the catalogue, or show one with every figure, its unit, convention and source.

    A file of your own (`my.toml`, or `my.toml:chip`) is shown the same way.
    """
    report = api.hardware(name)
    if form == "json":
        write_json(report.to_dict())
    else:
        write(hardware_text(report, paint_for(color)))
    leave(True)

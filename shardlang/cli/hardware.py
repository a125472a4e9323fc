"""`shardlang hardware`."""

import click

from shardlang.api.arguments import DEFAULTS
from shardlang.api.machines import show_chips
from shardlang.api.project import settings_for
from shardlang.cli.options import Command, colour_option, format_option, leave
from shardlang.cli.output import paint_for, write, write_json
from shardlang.reports.chips import hardware_text

_EPILOG = """\b
Examples:
  shardlang hardware
  shardlang hardware tpu-v5p
  shardlang hardware tpu-v5p --slice 16x20x28
  shardlang hardware h100 --set W_hbm=3.35e12
  shardlang hardware my-chips.toml:mine --format json
"""


@click.command(cls=Command, epilog=_EPILOG, short_help="List the chips that are known, or show one.")
@click.argument("name", required=False, metavar="[NAME | FILE]")
@click.option("--slice", metavar="16x20x28", help="Derive the figures of a slice of this shape too.")
@click.option(
    "--set",
    "sizes",
    multiple=True,
    metavar="W_hbm=3.35e12",
    help="Other figures than those of the catalogue, by symbol.",
)
@format_option("text", "json")
@colour_option
def command(name: str | None, slice: str | None, sizes: tuple[str, ...], form: str, color: str) -> None:  # noqa: A002
    """List the chips of the catalogue, or show one with every figure, its unit, convention and source.

    A file of your own (`my.toml`, or `my.toml:chip`) is shown the same way. What follows from the figures stands below
    them: the arithmetic intensities from which on a chip is compute-bound, a node and a slice as a whole. The chips of the
    project that the working directory is in stand first.
    """
    project = settings_for().get(DEFAULTS, {})
    report = show_chips(name, slice=slice, sizes=",".join(sizes) or None, project=project)
    if form == "json":
        write_json(report.to_dict())
    else:
        write(hardware_text(report, paint_for(color)))
    leave(True)

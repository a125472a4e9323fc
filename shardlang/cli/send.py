"""`shardlang send`."""

from typing import Any

import click

from shardlang import api
from shardlang.cli.inputs import read_one
from shardlang.cli.options import (
    Command,
    array_arguments,
    colour_option,
    format_option,
    leave,
    machine_options,
    verbose_option,
)
from shardlang.cli.output import paint_for, show_findings, terminal_width, write, write_json

_EPILOG = """\b
Examples:
  shardlang send 'bf16[8, 128, 8192]' --from 0,0 --to 3,3 --mesh X=4,Y=4 --hw tpu-v5e
  shardlang send 'A[I_X, J]' --from X=0 --to X=9 --mesh X=16 --hw h100 --set I=8192,J=8192
"""


@click.command(cls=Command, epilog=_EPILOG, short_help="Time one array from one device to another.")
@array_arguments
@click.option("--from", "source", required=True, metavar="0,0|X=0", help="The sender: a coordinate for each mesh axis.")
@click.option("--to", "target", required=True, metavar="3,3|X=3", help="The receiver.")
@machine_options
@format_option("text", "json")
@verbose_option
@colour_option
def command(
    files: tuple[str, ...],
    expressions: tuple[str, ...],
    source: str,
    target: str,
    form: str,
    verbose: bool,
    color: str,
    **options: Any,
) -> None:
    """Print how long what a device holds of one array takes to another device.

    The latency of the hops, and the bytes over the bandwidth of the links that the sender uses at once; both add up.
    """
    from shardlang.reports.sent import send_text

    text = read_one(files, expressions)
    report = api.send(text.text, source, target, **text.keywords(options))
    if form == "json":
        write_json(report.to_dict())
    else:
        show_findings(report, form, color, verbose)
        if report.transfer is not None:
            write(send_text(report, paint_for(color), terminal_width()))
    leave(report.ok)

"""`shardlang explain`."""

import re
from typing import TYPE_CHECKING, Any

import click

from shardlang import api
from shardlang.cli.inputs import WrongUsageError, read_inputs
from shardlang.cli.options import (
    Command,
    colour_option,
    cost_options,
    format_option,
    one_for_json,
    plan_options,
    text_arguments,
    verbose_option,
)
from shardlang.cli.output import paint_for, show_findings, terminal_width, write, write_json
from shardlang.cli.reporting import print_reports
from shardlang.reports.objects import SCHEMA

if TYPE_CHECKING:
    from shardlang.reports.explanation import Explanation

_IS_CODE = re.compile(r"SL\d{3}\Z", re.IGNORECASE).match

_EPILOG = """\b
Examples:
  shardlang explain 'In[B_X, D_Y] · W[D_X, F_Y] -> Tmp[B_X, F_Y]' --hw tpu-v5p
  shardlang explain plan.shard --mesh X=16,Y=4 --set B=32768,D=8192,F=32768
  shardlang explain -e 'A[I, J_X] · B[J_X, K] -> C[I, K]' --format latex
  shardlang explain SL301
"""


@click.command(cls=Command, epilog=_EPILOG, short_help="Print the whole derivation, or the page of a code.")
@text_arguments
@plan_options
@cost_options
@format_option("text", "markdown", "latex", "html", "json")
@verbose_option
@colour_option
def command(
    files: tuple[str, ...], expressions: tuple[str, ...], form: str, verbose: bool, color: str, **options: Any
) -> None:
    """Print every step of a plan with why it is needed, what it costs, and when the plan is compute-bound.

    The other correct plans stand with it, each with its price and the condition under which it wins. With a code
    such as SL301 instead of a text, print what the code means.
    """
    if files and all(_IS_CODE(name) for name in files):
        _print_pages(files, form)
        return
    inputs = read_inputs(files, expressions)

    def show(explanation: "Explanation") -> None:
        show_findings(explanation.cost, form, color, verbose)
        write(explanation.render(form, paint=paint_for(color), width=terminal_width()))

    print_reports(inputs, lambda text: api.explain(text.text, **text.keywords(options)), show, form)


def _print_pages(codes: tuple[str, ...], form: str) -> None:
    from shardlang.diagnostics import CODES, did_you_mean, readable_page

    if form not in ("text", "markdown", "json"):
        raise WrongUsageError(f"The page of a code is text, Markdown or JSON, not {form}.")
    one_for_json(form, codes)
    codes = tuple(code.upper() for code in codes)
    for code in codes:
        if code not in CODES:
            close = did_you_mean(code, CODES)
            raise WrongUsageError(f"There is no code {code}." + (f" Did you mean {close}?" if close else ""))
    pages = [readable_page(code) for code in codes]
    if form != "json":
        write("\n".join(pages))
        return
    code, _, severity, title = CODES[codes[0]]
    said = {"code": code, "severity": severity, "title": title, "page": pages[0]}
    write_json({"schema": SCHEMA, "ok": True, **said})

"""`shardlang check`."""

from typing import Any

import click

from shardlang import api
from shardlang.cli.inputs import read_inputs
from shardlang.cli.options import (
    colour_option,
    format_option,
    given,
    leave,
    paint_for,
    plan_options,
    terminal_width,
    text_arguments,
    together,
    usage_errors,
    write,
    write_json,
)
from shardlang.cli.project import project_defaults
from shardlang.reports.findings import github_findings, text_findings
from shardlang.reports.summary import check_summary, step_listing

_EPILOG = """\b
Examples:
  shardlang check plan.shard notes.md
  shardlang check -e 'A[I_X, J] -> A[I, J_X]' --steps
  shardlang check plan.shard --mesh X=4,Y=2 --set B=1024 --format json
  shardlang check docs/*.md --format github
\b
A comment `# shardlang: ignore[SL203]` on a line silences that code there.
"""


@click.command(epilog=_EPILOG, short_help="Find what is wrong.")
@text_arguments
@plan_options
@click.option("--steps", is_flag=True, help="List the steps of every statement.")
@format_option("text", "json", "github")
@colour_option
def command(
    files: tuple[str, ...], expressions: tuple[str, ...], steps: bool, form: str, color: str, **options: Any
) -> None:
    """Check plan files, and the formulas in Markdown, LaTeX and plain notes.

    Every statement is checked and lowered to its collectives; `explain` says why each is needed.
    """
    defaults, inputs = project_defaults(), read_inputs(files, expressions)
    reports = []
    with usage_errors():
        for text in inputs:
            named = {"name": text.name, "document": text.document, "defaults": defaults}
            reports.append(api.check(text.text, **named, **given(options)))
    if form == "json":
        write_json(together(reports))
    for report in reports if form != "json" else ():
        if form == "github":
            write(github_findings(report.source, report.findings))
            continue
        paint = paint_for(color)
        write(text_findings(report.source, report.findings, paint=paint, width=terminal_width()))
        if report.findings:
            write("\n")
        if steps:
            write(step_listing(report, paint))
        write(check_summary(report, paint))
    leave(all(report.ok for report in reports))

"""Options that commands share. Each has the name of the keyword of `shardlang.api` that it is handed to."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from shardlang.reports.colour import Paint, painter, wants_colour
from shardlang.reports.findings import text_findings
from shardlang.reports.objects import CheckReport, ParseReport

if TYPE_CHECKING:
    from shardlang.reports.costs import CostReport

_F = TypeVar("_F", bound=Callable[..., Any])

_ARGUMENTS = (
    click.argument("files", nargs=-1, metavar="[FILE… | -]"),
    click.option("-e", "expressions", multiple=True, metavar="EXPR", help="A statement; several make one text."),
)
_PLAN = (
    click.option("--mesh", metavar="X=4,Y=2", help="Mesh axes in order, with sizes where known."),
    click.option(
        "--set",
        "sizes",
        multiple=True,
        metavar="B=1024,D=8192",
        help="Sizes of dimensions, mesh axes (Y=32) and hardware symbols (W_hbm=8.1e11).",
    ),
    click.option("--hw", "hardware", metavar="NAME|FILE", help="Hardware: a name such as tpu-v5p, or a TOML file."),
    click.option("--dtype", metavar="TYPE", help="Default element type; bf16 if nothing says otherwise."),
    click.option(
        "--topology",
        metavar="X=ring,Y=line",
        help="How mesh axes are wired, where the hardware's own rule is not meant.",
    ),
    click.option("--reduce-dtype", metavar="TYPE", help="Element type in which reductions travel."),
    click.option("--latency", is_flag=True, help="Count latency when plans are compared and priced."),
    click.option("--idle-axes", is_flag=True, help="Let plans use mesh axes that nothing is sharded over."),
    click.option("--uneven", is_flag=True, help="Pad dimensions that do not divide, with a warning."),
    click.option("--explicit", is_flag=True, help="Every communication must be written out."),
)
_COST = (
    click.option(
        "--model", type=click.Choice(["book", "exact"]), help="V/W or the exact (N-1)/N form. [default: book]"
    ),
    click.option("--roofs", metavar="math,ici,hbm", help="The roofs that count. [default: all three]"),
    click.option(
        "--comms",
        type=click.Choice(["max", "sum"]),
        help="Collectives on different links overlap or add up. [default: max]",
    ),
)


def _add(options: tuple[Callable[[_F], _F], ...]) -> Callable[[_F], _F]:
    def decorate(function: _F) -> _F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def text_arguments(function: _F) -> _F:
    """Add FILE… and `-e`."""
    return _add(_ARGUMENTS)(function)


def plan_options(function: _F) -> _F:
    """Add the options that decide what is planned."""
    return _add(_PLAN)(function)


def cost_options(function: _F) -> _F:
    """Add the options that decide how it is priced."""
    return _add(_COST)(function)


def format_option(*names: str) -> Callable[[_F], _F]:
    """Add `--format`; the first name is the default."""
    return click.option(
        "--format", "form", type=click.Choice(names), default=names[0], show_default=True, help="What to print."
    )


def colour_option(function: _F) -> _F:
    """Add `--color`."""
    choices = click.Choice(["auto", "always", "never"])
    return click.option("--color", type=choices, default="auto", show_default=True, help="NO_COLOR is respected.")(
        function
    )


def given(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that were given, as keywords of `shardlang.api`."""
    if options.get("sizes"):
        options["sizes"] = ",".join(options["sizes"])
    return {name: value for name, value in options.items() if value not in (None, (), False)}


def paint_for(color: str) -> Paint:
    """Return the painter for standard output."""
    return painter(wants_colour(color, sys.stdout.isatty(), dict(os.environ)))


def terminal_width() -> int:
    """Return the columns of the terminal, 100 where output goes elsewhere."""
    if not sys.stdout.isatty():
        return 100
    from shutil import get_terminal_size

    return max(60, min(get_terminal_size((100, 24)).columns, 160))


def write(text: str) -> None:
    """Print `text` and a line end, nothing for no text. Colour codes are kept: the painter has decided."""
    if text:
        click.echo(text.rstrip("\n"), color=True)


def write_json(data: dict[str, Any]) -> None:
    """Print `data` as JSON."""
    import json

    # A lone surrogate cannot be written as UTF-8; as an escape it can.
    click.echo(json.dumps(data, indent=2, ensure_ascii=False).encode("utf-8", "backslashreplace").decode())


def leave(ok: bool) -> NoReturn:
    """End with status 0 where all is well, 1 where errors were found."""
    raise click.exceptions.Exit(0 if ok else 1)


@contextmanager
def usage_errors() -> Iterator[None]:
    """Turn an option that cannot be used into wrong usage, status 2."""
    from shardlang.api import OptionError

    try:
        yield
    except OptionError as problem:
        raise click.UsageError(str(problem)) from None


def together(reports: Sequence[CheckReport | ParseReport]) -> dict[str, Any]:
    """Return one JSON object; with several texts each entry says which text it belongs to."""
    if len(reports) == 1:
        return reports[0].to_dict()
    merged: dict[str, Any] = {"schema": 1, "ok": all(r.ok for r in reports), "diagnostics": [], "statements": []}
    for report in reports:
        data = report.to_dict()
        for key in ("diagnostics", "statements"):
            merged[key] += [{**entry, "file": report.source.name} for entry in data[key]]
    return merged


def one_for_json(form: str, inputs: Sequence[object]) -> None:
    """Refuse several texts where the output is one JSON object."""
    if form == "json" and len(inputs) > 1:
        raise click.UsageError("JSON of this command describes one text; give one at a time.")


def show_findings(report: "CheckReport | CostReport", form: str, color: str) -> None:
    """Print the findings before a report; to standard error where the report is not for a reader's eyes."""
    if not report.findings:
        return
    aside = form != "text"
    paint = painter(wants_colour(color, (sys.stderr if aside else sys.stdout).isatty(), dict(os.environ)))
    text = text_findings(report.source, report.findings, paint=paint, width=terminal_width())
    click.echo(text + "\n", err=aside, color=True)

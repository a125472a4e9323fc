"""`shardlang plot`."""

import sys
from typing import TYPE_CHECKING, Any

import click

from shardlang import api
from shardlang.cli.inputs import WrongUsageError, read_one
from shardlang.cli.options import (
    Command,
    colour_option,
    cost_options,
    leave,
    plan_options,
    text_arguments,
    verbose_option,
)
from shardlang.cli.output import show_findings, terminal_width, write
from shardlang.pictures import KINDS
from shardlang.pictures.picture import FORMS, FormError, form_of

if TYPE_CHECKING:
    from shardlang.pictures.picture import Picture

_EPILOG = """\b
Examples:
  shardlang plot mesh -e 'A[I_X, J_Y]{U_Z}' --mesh X=2,Y=2,Z=2
  shardlang plot sweep plan.shard --for B --hw tpu-v5p -o sweep.svg
  shardlang plot sweep plan.shard --for B/X --range 64:1e5 --hw tpu-v5p --format text
  shardlang plot roofline plan.shard --hw tpu-v5p -o roofline.svg
  shardlang plot split plan.shard --split X*Y=64 --hw tpu-v5p -o split.pdf
  shardlang plot split plan.shard --split X*Y*Z=64 --hw tpu-v5p -o splits.png
\b
Without -o a terminal gets the picture in letters; anything else gets SVG.
PNG and PDF need matplotlib: pip install matplotlib.
"""


@click.command(cls=Command, epilog=_EPILOG, short_help="Draw a mesh with its blocks, times, a roofline, mesh splits.")
@click.argument("kind", type=click.Choice(KINDS), metavar="mesh|sweep|roofline|split")
@text_arguments
@click.option("--for", "variable", metavar="B|B/X", help="sweep: the size, rate or ratio to go along.")
@click.option("--range", "between", metavar="LOW:HIGH", help="sweep: from where to where, such as 128:1e6.")
@click.option("--array", metavar="NAME", help="mesh: the array to draw. [default: those of the text]")
@click.option("--split", metavar="X*Y=64", help="split: mesh axes and their devices. [default: the first two axes]")
@click.option("-o", "--output", metavar="FILE", help="Where to write: .svg, .txt, .png or .pdf.")
@click.option(
    "--format", "form", type=click.Choice(FORMS), help="What to write, where the ending of FILE does not say."
)
@plan_options
@cost_options
@verbose_option
@colour_option
def command(
    kind: str,
    files: tuple[str, ...],
    expressions: tuple[str, ...],
    output: str | None,
    form: str | None,
    verbose: bool,
    color: str,
    **options: Any,
) -> None:
    """Draw a plan, as SVG, PNG, PDF or in the letters of a terminal.

    mesh: which device holds which block of each array. sweep: the times of arithmetic, HBM and each collective against
    a size, with every crossover marked. roofline: FLOPs/s against arithmetic intensity, of HBM, every group of links and what
    else counts (--roofs), with the statements on it. split: times over the ways to split the devices into mesh axes, with
    the best whole split and the optimum.
    """
    form = _form(output, form)
    text = read_one(files, expressions)
    try:
        picture = api.plot(text.text, kind, **text.keywords(options))
    except _ratio_errors(kind) as problem:
        close = getattr(problem, "hint", None)
        hint = f" Did you mean {close}?" if close else ""
        raise WrongUsageError(f"{'--for' if kind == 'sweep' else '--split'}: {problem}.{hint}") from None
    aside = form if output is None else "svg"
    show_findings(picture, aside, color, verbose)
    if picture.drawing is not None:
        _write(picture, form, output)
    leave(picture.ok)


def _ratio_errors(kind: str) -> tuple[type[Exception], ...]:
    """Return what a wrong symbol raises; only the pictures of prices have any, and load SymPy."""
    if kind == "mesh":
        return ()
    from shardlang.cost.ratio import RatioError

    return (RatioError,)


def _form(output: str | None, form: str | None) -> str:
    if form is not None:
        return form
    if output is None:
        return "text" if sys.stdout.isatty() else "svg"
    try:
        return form_of(output)
    except FormError as problem:
        raise WrongUsageError(f"-o: {problem}; or give --format.") from None


def _write(picture: "Picture", form: str, output: str | None) -> None:
    if output is None and form in ("svg", "text"):
        write(picture.svg if form == "svg" else picture.in_columns(terminal_width()))
        return
    try:
        content = picture.to_bytes(form)
    except ImportError as problem:
        raise WrongUsageError(f"{problem}.") from None
    if output is None:
        if sys.stdout.isatty():
            raise WrongUsageError(f"A terminal cannot show {form.upper()}: give -o FILE.")
        sys.stdout.buffer.write(content)
        sys.stdout.flush()
        return
    try:
        with open(output, "wb") as file:
            file.write(content)
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or "not a file name"
        raise WrongUsageError(f"Cannot write {output}: {reason}.") from None

"""Options that commands share. Each has the name of the keyword of `shardlang.api` that it is handed to."""

from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TypeVar

import click

from shardlang.api import OptionError
from shardlang.cli.inputs import WrongUsageError

_F = TypeVar("_F", bound=Callable[..., Any])

_ARGUMENTS = (
    click.argument("files", nargs=-1, metavar="[FILE… | -]"),
    click.option("-e", "expressions", multiple=True, metavar="EXPR", help="A statement; several make one text."),
)
_ARRAY = (click.argument("files", nargs=-1, metavar="ARRAY | FILE | -"), _ARGUMENTS[1])
_MACHINE = (
    click.option("--mesh", metavar="X=4,Y=2", help="Mesh axes in order, with sizes where known."),
    click.option(
        "--set",
        "sizes",
        multiple=True,
        metavar="B=1024,D=8192",
        help="Sizes of dimensions, mesh axes (Y=32) and hardware symbols (W_hbm=8.1e11).",
    ),
    click.option(
        "--hw", "hardware", metavar="NAME|FILE", help="Hardware: a name such as tpu-v5p or h100, or a TOML file."
    ),
    click.option("--dtype", metavar="TYPE", help="Default element type; bf16 if nothing says otherwise."),
    click.option(
        "--topology",
        metavar="X=ring,Y=line",
        help="How mesh axes are wired (ring, ring:2, ring:M_X, ring:one-way, line, node, scale-out, spine, dcn, pcie; node:sharp; "
        "node+scale-out, ring+dcn), where the hardware's own rule is not meant.",
    ),
    click.option("--slice", metavar="16x20x28", help="Physical axes of the TPU slice that the mesh fills."),
)
_PLAN = (
    *_MACHINE,
    click.option("--reduce-dtype", metavar="TYPE", help="Element type in which reductions travel."),
    click.option("--latency", is_flag=True, help="Count latency when plans are compared and priced."),
    click.option("--idle-axes", is_flag=True, help="Let plans use mesh axes that nothing is sharded over."),
    click.option("--uneven", is_flag=True, help="Pad dimensions that do not divide, with a warning."),
    click.option("--explicit", is_flag=True, help="Every communication must be written out."),
)
_COST = (
    click.option(
        "--model",
        type=click.Choice(["book", "exact"]),
        help="Times of collectives: V/W, or with the exact (N-1)/N. [default: book]",
    ),
    click.option(
        "--roofs", metavar="math,ici,hbm", help="The roofs that count; also vmem, pcie. [default: math,ici,hbm]"
    ),
    click.option(
        "--comms",
        type=click.Choice(["max", "sum"]),
        help="Collectives on different links overlap or add up. [default: max]",
    ),
    click.option(
        "--assume", multiple=True, metavar="'B << D, F'", help="What is small beside what: formulas keep leading terms."
    ),
    click.option(
        "--top-k",
        metavar="K|NAME",
        help="Of an AllToAll, how many parts each row goes to (a token to its experts). [default: all of them]",
    ),
)


class Command(click.Command):
    """A command for which an option or an input that cannot be used is wrong usage, status 2."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except (OptionError, WrongUsageError) as problem:
            raise click.UsageError(str(problem), ctx) from None


def _add(options: tuple[Callable[[_F], _F], ...]) -> Callable[[_F], _F]:
    def decorate(function: _F) -> _F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def text_arguments(function: _F) -> _F:
    """Add FILE… and `-e`."""
    return _add(_ARGUMENTS)(function)


def array_arguments(function: _F) -> _F:
    """Add the one array, or the file that has it, and `-e`."""
    return _add(_ARRAY)(function)


def machine_options(function: _F) -> _F:
    """Add the options that say how large everything is, and how it is wired."""
    return _add(_MACHINE)(function)


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
    return click.option(
        "--color", type=choices, default="auto", show_default=True, help="auto: on a terminal, unless NO_COLOR is set."
    )(function)


def verbose_option(function: _F) -> _F:
    """Add `--verbose`."""
    words = "Draw every note, also those that are else counted in one line."
    return click.option("-v", "--verbose", is_flag=True, help=words)(function)


def leave(ok: bool) -> NoReturn:
    """End with status 0 where all is well, 1 where errors were found."""
    raise click.exceptions.Exit(0 if ok else 1)


def one_for_json(form: str, inputs: Sequence[object]) -> None:
    """Refuse several texts where the output is one JSON object."""
    if form == "json" and len(inputs) > 1:
        raise WrongUsageError("JSON of this command describes one text; give one at a time.")

"""Options that commands share. Each has the name of the keyword of `shardlang.api` that it is handed to."""

from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TypeVar

import click

from shardlang.api import OptionError
from shardlang.api.flags import COST_FLAGS, MACHINE_FLAGS, PLAN_FLAGS, TEXT_FLAGS, Flag
from shardlang.cli.inputs import WrongUsageError

_F = TypeVar("_F", bound=Callable[..., Any])

_ARGUMENTS = (
    click.argument("files", nargs=-1, metavar="[FILE… | DIR… | -]"),
    click.option("-e", "expressions", multiple=True, metavar="EXPR", help="A statement; several make one text."),
)
_ARRAY = (click.argument("files", nargs=-1, metavar="ARRAY | FILE | -"), _ARGUMENTS[1])


class Command(click.Command):
    """A command for which an option or an input that cannot be used is wrong usage, status 2."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except OptionError as problem:
            raise click.UsageError(self._by_option(str(problem)), ctx) from None
        except WrongUsageError as problem:
            raise click.UsageError(str(problem), ctx) from None

    def _by_option(self, message: str) -> str:
        """Return what is wrong with a keyword of the option that gave it: `--hw` for `hardware`."""
        keyword, colon, rest = message.partition(":")
        names = {option.name: option.opts[0] for option in self.params if isinstance(option, click.Option)}
        return f"{names.get(keyword, keyword)}{colon}{rest}"


def _add(options: tuple[Callable[[_F], _F], ...]) -> Callable[[_F], _F]:
    def decorate(function: _F) -> _F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def text_arguments(function: _F) -> _F:
    """Add FILE… and `-e`."""
    return _add(_ARGUMENTS)(function)


def _option(flag: Flag) -> Callable[[_F], _F]:
    if flag.kind == "switch":
        return click.option(flag.name, flag.keyword, is_flag=True, default=None, help=flag.help)
    choices = click.Choice(flag.choices) if flag.choices else None
    again = flag.kind in ("joined", "list")
    return click.option(flag.name, flag.keyword, type=choices, multiple=again, metavar=flag.metavar, help=flag.help)


def array_arguments(function: _F) -> _F:
    """Add the one array, or the file that has it, and `-e`."""
    return _add(_ARRAY)(function)


def code_options(function: _F) -> _F:
    """Add the options that decide which findings are shown."""
    return _add(tuple(map(_option, TEXT_FLAGS)))(function)


def machine_options(function: _F) -> _F:
    """Add the options that say how large everything is, and how it is wired."""
    return _add(tuple(map(_option, MACHINE_FLAGS)))(function)


def plan_options(function: _F) -> _F:
    """Add the options that decide what is planned."""
    return _add(tuple(map(_option, PLAN_FLAGS)))(function)


def cost_options(function: _F) -> _F:
    """Add the options that decide how it is priced."""
    return _add(tuple(map(_option, COST_FLAGS)))(function)


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

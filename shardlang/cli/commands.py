"""The command line. One module a command, loaded when it is called, so that `check` starts fast.

Exit status: 0 clean, 1 errors found in a plan, 2 wrong usage.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from shardlang import __version__
from shardlang.reports.cells import safe_name

_COMMANDS = (
    "parse",
    "check",
    "explain",
    "cost",
    "memory",
    "crossover",
    "roofline",
    "optimum",
    "plot",
    "verify",
    "send",
    "fmt",
    "hardware",
    "lsp",
)

_EPILOG = """\b
Examples:
  shardlang explain 'In[B_X, D_Y] · W[D_X, F_Y] -> Tmp[B_X, F_Y]' --hw tpu-v5p
  shardlang check plan.shard notes.md
  shardlang check -e 'A[I, J_X] · B[J_X, K] -> C[I, K]{U_X}' --mesh X=4
  shardlang cost plan.shard --set B=1024,D=8192 --mesh X=16,Y=4 --format json
  shardlang memory plan.shard --mesh X=16 --set B=1024,D=8192 --hw tpu-v5p
  shardlang crossover plan.shard --for B/X --hw tpu-v5p
  shardlang roofline plan.shard --for B --hw tpu-v5p
  shardlang optimum 'X*Y = N' plan.shard --for X
  shardlang plot mesh -e 'A[I_X, J_Y]' --mesh X=4,Y=2
  shardlang verify plan.shard --bytes
  shardlang send 'bf16[8, 128, 8192]' --from 0,0 --to 3,3 --mesh X=4,Y=4 --hw tpu-v5e
  shardlang explain SL301
  shardlang hardware tpu-v5p
  cat plan.shard | shardlang fmt -
  shardlang lsp
\b
Defaults can stand in pyproject.toml:
  [tool.shardlang]
  hardware = "tpu-v5p"
  mesh = { X = 16, Y = 4 }
  ignore = ["SL106"]
\b
Exit status: 0 clean (warnings and notes may stand), 1 errors found, 2 wrong usage.
\b
Shell completion (bash; zsh and fish alike):
  eval "$(_SHARDLANG_COMPLETE=bash_source shardlang)"
"""


@contextmanager
def _safely() -> Iterator[None]:
    """Make what click prints of wrong usage safe to print."""
    try:
        yield
    except click.ClickException as problem:
        vars(problem)["message"] = safe_name(problem.message)  # final to those who read it
        raise


class _LazyGroup(click.Group):
    """A group whose commands are modules of this package, imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order in which one meets them."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command, None if there is none of that name."""
        if cmd_name not in _COMMANDS:
            return None
        from importlib import import_module

        command: click.Command = import_module(f"shardlang.cli.{cmd_name}").command
        return command

    def make_context(self, *arguments: Any, **more: Any) -> click.Context:
        """Read the command line; see `invoke`."""
        with _safely():
            return super().make_context(*arguments, **more)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command. What is wrong with how it is called names files, options and keys: nothing of them reaches the terminal raw."""
        with _safely():
            return super().invoke(ctx)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that `args` start with; a typo gets a suggestion."""
        name = args[0] if args else ""
        if args and name not in _COMMANDS and not name.startswith("-"):
            from shardlang.diagnostics import did_you_mean

            close = did_you_mean(name, _COMMANDS)
            ctx.fail(f"No such command {name!r}." + (f" Did you mean {close!r}?" if close else ""))
        return super().resolve_command(ctx, args)


@click.group(cls=_LazyGroup, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="shardlang")
def group() -> None:
    """Check sharding expressions, lower them to collectives, and price them.

    Paste an expression as it stands in a paper, a chat or a page; shardlang says what is wrong with it, which
    collectives it takes and why, what they cost, and when the plan is compute-bound.
    """

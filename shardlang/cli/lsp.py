"""`shardlang lsp`."""

import click

from shardlang.cli.inputs import WrongUsageError
from shardlang.cli.options import Command

_EPILOG = """\b
Examples:
  shardlang lsp                          speak over standard input and output, as editors start it
  shardlang lsp --tcp 127.0.0.1:2087     wait for one editor on a port
\b
It needs pygls: pip install 'shardlang[lsp]'.
"""


@click.command(cls=Command, epilog=_EPILOG, short_help="Start the language server for editors.")
@click.option("--stdio", is_flag=True, help="Speak over standard input and output. This is the default.")
@click.option("--tcp", metavar="[HOST:]PORT", help="Wait for an editor on a port instead; HOST is 127.0.0.1.")
def command(stdio: bool, tcp: str | None) -> None:
    """Start the language server: findings as one types, hover, completion, rename, quick fixes, formatting.

    It is started by an editor; see docs/tools/editor.md for the set-up of VS Code, Neovim, Helix and Emacs.
    """
    from shardlang.tools.lsp import MissingServerError, serve

    if stdio and tcp is not None:
        raise WrongUsageError("Give --stdio or --tcp, not both.")
    address = None if tcp is None else _address(tcp)
    try:
        serve(address)
    except MissingServerError as problem:
        raise WrongUsageError(str(problem)) from None
    except OSError as problem:
        raise WrongUsageError(f"--tcp {tcp}: {problem.strerror or problem}.") from None


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not port.isascii() or not port.isdigit() or not 0 < int(port) < 65536:
        raise WrongUsageError(f"--tcp: {text!r} is no port; write it as 2087 or 127.0.0.1:2087.")
    return host.strip("[]") or "127.0.0.1", int(port)

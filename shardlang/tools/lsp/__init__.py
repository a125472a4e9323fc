"""The language server: `serve`. This package alone imports pygls, which `pip install 'shardlang[lsp]'` brings."""

from importlib.util import find_spec


class MissingServerError(Exception):
    """What the server is built on is not installed; the message says what to install."""


def serve(address: tuple[str, int] | None = None) -> None:
    """Run the server until the editor ends it, over standard input and output, or on a port of this machine.

    address: host and port. Raises MissingServerError without pygls, OSError for an address that cannot be used.
    """
    if find_spec("pygls") is None or find_spec("lsprotocol") is None:
        raise MissingServerError("The language server needs pygls: pip install 'shardlang[lsp]'.")
    from shardlang.tools.lsp.registration import register
    from shardlang.tools.lsp.server import Server

    server = Server()
    register(server)
    if address is None:
        server.start_io()
    else:
        server.start_tcp(*address)

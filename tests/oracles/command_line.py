"""The product as a reader of the book uses it: commands, run in this process, and the JSON that they print."""

import json
import shlex
from collections.abc import Mapping
from functools import cache
from typing import Any

from click.testing import CliRunner

from shardlang.cli import group
from tests.oracles.product import Json, Product

_OPTIONS = {"sizes": "set", "hardware": "hw"}


class CommandLine(Product):
    """What `Product` gives, by way of the command line. `commands`: those that were run, ready to paste."""

    def __init__(self) -> None:
        self.commands: list[str] = []

    def parse(self, text: str, **options: Any) -> Json:
        """Return the JSON of `parse`."""
        return self.run(f"shardlang parse {arguments(text, options)}")

    def check(self, text: str, **options: Any) -> Json:
        """Return the JSON of `check`."""
        return self.run(f"shardlang check {arguments(text, options)}")

    def cost(self, text: str, **options: Any) -> Json:
        """Return the JSON of `cost`."""
        return self.run(f"shardlang cost {arguments(text, options)}")

    def crossovers(self, text: str, symbol: str, **options: Any) -> list[Json]:
        """Return the crossovers of a plan for one symbol or ratio."""
        found: list[Json] = self.run(f"shardlang crossover {arguments(text, options)} --for {symbol}")["crossovers"]
        return found

    def run(self, command: str) -> Json:
        """Return the JSON of a command, as it is shown to readers: without `--format json`."""
        self.commands.append(command)
        data: Json = json.loads(_printed(command))
        return data


@cache
def _printed(command: str) -> str:
    """Return the JSON that a command prints: as text, so that nobody changes what others are given."""
    program, *words = shlex.split(command)
    assert program == "shardlang", command
    result = CliRunner().invoke(group, [*words, "--format", "json"], prog_name=program)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code in (0, 1), result.output
    return result.stdout


def arguments(text: str, options: Mapping[str, Any]) -> str:
    """Return a text and the keywords of Python as the command line takes them."""
    one_line = "; ".join(line.strip() for line in text.splitlines() if line.strip())
    words = [f"-e {shlex.quote(one_line)}"]
    for name, value in options.items():
        flag = f"--{_OPTIONS.get(name, name).replace('_', '-')}"
        if value is True:
            words.append(flag)
        elif isinstance(value, Mapping):
            words.append(f"{flag} {shlex.quote(','.join(f'{key}={number}' for key, number in value.items()))}")
        elif value not in (None, False):
            words.append(f"{flag} {shlex.quote(str(value))}")
    return " ".join(words)

"""The notebook magic: `%load_ext shardlang`, then cells that start with `%%shard`."""

import shlex
from argparse import ArgumentParser
from keyword import iskeyword
from typing import Any, NoReturn

from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magic import Magics, line_cell_magic, magics_class

from shardlang import api
from shardlang.api.arguments import COST_NAMES, DEFAULTS, read_request
from shardlang.api.flags import COST_FLAGS, MACHINE_FLAGS, PLAN_FLAGS, TEXT_FLAGS, Flag, chosen
from shardlang.api.project import settings_for, with_layer
from shardlang.api.settings import settings_in

_PRICED = ("cost", "explain", "crossover", "roofline", "optimum", "plot")
_COMMANDS = ("check", "parse", *_PRICED, "memory", "send", "verify", "fix", "fmt")
_SHOWN = frozenset(flag.keyword for flag in TEXT_FLAGS)  # what findings are shown
_SETTINGS = frozenset(setting.keyword for setting in settings_in("notebook"))  # for all cells: a text comes first
_OWN = {
    "crossover": {"variable", "against", "of", "bound"},
    "optimum": {"variable", "against", "of", "bound", "crossover"},
    "roofline": {"variable"},
    "memory": {"variable"},
    "plot": {"variable", "between", "array", "split"},
    "send": {"source", "target"},
    "fix": {"unsafe"},
}  # keywords that not all commands take
_NEEDED = {
    "crossover": {"variable": "--for, a symbol or a ratio such as B/X"},
    "optimum": {"variable": "--for, the mesh axis to solve for"},
    "send": {"source": "--from, the device that sends", "target": "--to, the device that receives"},
}
_WORDS = {"plot": "kind", "optimum": "split"}  # what one word after the command is


@magics_class
class ShardMagics(Magics):
    """`%%shard` checks, prices and draws the plan in a cell; `%shard` sets options for the cells after it."""

    def __init__(self, shell: InteractiveShell) -> None:
        super().__init__(shell)
        self._defaults: dict[str, object] = {}

    @line_cell_magic
    def shard(self, line: str, cell: str | None = None) -> Any:
        """Run a command on the plan in the cell: `%%shard explain --mesh X=4 --hw tpu-v5p --as report`."""
        try:
            given = vars(_parser().parse_args(shlex.split(line)))
        except ValueError as problem:  # a quote that is never closed
            raise UsageError(f"%%shard: {problem}") from None
        command, name = given.pop("command"), given.pop("name")
        options = chosen(given)
        if name is not None and (not name.isidentifier() or iskeyword(name)):
            raise UsageError(f"%%shard: --as: {name!r} is no name of a variable.")
        if cell is None:
            try:
                self._defaults = _for_all_cells(command, name, options)
            except ValueError as problem:
                raise UsageError(f"%shard: {problem}") from None
            return None
        try:
            report = _run(command or ["check"], cell, options, self._defaults)
        except ValueError as problem:
            raise UsageError(f"%%shard: {problem}") from None
        if name is not None:
            own_shell: Any = self.shell
            own_shell.user_ns[name] = report
        return report


class _Parser(ArgumentParser):
    """Says what is wrong as notebooks do, without a traceback and without ending the process."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"%%shard: {message}")


def _parser() -> ArgumentParser:
    parser = _Parser(prog="%%shard", add_help=False, allow_abbrev=False)
    parser.add_argument("command", nargs="*")
    parser.add_argument("--as", dest="name")
    parser.add_argument("--for", dest="variable")
    parser.add_argument("--range", dest="between")
    parser.add_argument("--array", dest="array")
    parser.add_argument("--split", dest="split")
    parser.add_argument("--against", dest="against", action="append")
    parser.add_argument("--of", dest="of")
    parser.add_argument("--bound", dest="bound")
    parser.add_argument("--crossover", dest="crossover")
    parser.add_argument("--from", dest="source")
    parser.add_argument("--to", dest="target")
    parser.add_argument("--unsafe-fixes", dest="unsafe", action="store_true", default=None)
    for flag in (*TEXT_FLAGS, *PLAN_FLAGS, *COST_FLAGS):
        _add(parser, flag)
    return parser


def _add(parser: ArgumentParser, flag: Flag) -> None:
    if flag.kind == "switch":
        parser.add_argument(flag.name, dest=flag.keyword, action="store_true", default=None)
    elif flag.kind in ("joined", "list"):
        parser.add_argument(flag.name, dest=flag.keyword, action="append")
    else:
        parser.add_argument(flag.name, dest=flag.keyword, choices=flag.choices or None)


def _for_all_cells(command: list[str], name: str | None, options: dict[str, object]) -> dict[str, object]:
    """Return the options of a line. Raises ValueError for what only a cell has, and for a value that cannot be used."""
    if command:
        raise ValueError(
            f"a line sets options for the cells after it, and takes no command: unexpected {command[0]!r}."
        )
    known = {flag.keyword for flag in (*TEXT_FLAGS, *PLAN_FLAGS, *COST_FLAGS)}
    for option in options if name is None else ("name",):
        if option not in known:
            raise ValueError(f"a line sets options for the cells after it, and takes no {option}.")
    read_request(options, COST_NAMES)
    return options


def _run(command: list[str], cell: str, options: dict[str, object], before: dict[str, object]) -> Any:
    """Return the report of a command; `before` are the options for all cells. Raises ValueError for what it does not take."""
    name, *words = command
    if name not in _COMMANDS:
        from shardlang.diagnostics import did_you_mean

        close = did_you_mean(name, _COMMANDS)
        raise ValueError(f"there is no command {name!r}." + (f" Did you mean {close!r}?" if close else ""))
    if len(words) > (name in _WORDS):
        raise ValueError(f"unexpected {' '.join(words)!r}.")
    known = _known(name)
    for option in options:
        if option not in known:
            raise ValueError(f"{name} takes no {option}.")
    keywords: Any = {key: value for key, value in {**before, **options}.items() if key in known - _SETTINGS}
    keywords |= {key: value for key, value in options.items() if key in _SETTINGS}
    set_before = {key: value for key, value in before.items() if key in _SETTINGS}
    settings = with_layer(settings_for().get(DEFAULTS, {}), set_before)
    keywords = {"name": "<cell>", DEFAULTS: settings, **keywords}
    for needed, what in _NEEDED.get(name, {}).items():
        if needed not in keywords:
            raise ValueError(f"{name} needs {what}.")
    if words:
        keywords[_WORDS[name]] = words[0]
    elif name == "optimum":
        raise ValueError("optimum needs how to split the devices, such as X*Y=N.")
    if "against" in keywords:
        keywords["against"] = "\n".join(keywords["against"])
    if name == "fmt":
        return _Text(api.format_text(cell, **keywords))
    if name == "check":
        keywords["alternatives"] = False  # they take longer, and are for `explain` to show
    return getattr(api, name)(cell, **keywords)


def _known(command: str) -> set[str]:
    """Return the keywords that a command takes."""
    if command == "fmt":
        return {"mesh"}
    if command == "parse":
        return {"mesh", *_SHOWN}
    flags = MACHINE_FLAGS if command == "send" else (*PLAN_FLAGS, *(COST_FLAGS if command in _PRICED else ()))
    return {flag.keyword for flag in flags} | _SHOWN | _OWN.get(command, set())


class _Text(str):
    """A text that a notebook shows as it is."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def register(shell: Any) -> None:
    """Make the magic known to a shell."""
    shell.register_magics(ShardMagics(shell))

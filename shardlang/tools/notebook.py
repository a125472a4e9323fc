"""The notebook magic: `%load_ext shardlang`, then cells that start with `%%shard`."""

import shlex
from argparse import ArgumentParser
from typing import Any, NoReturn

from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magic import Magics, line_cell_magic, magics_class

from shardlang import api
from shardlang.api.arguments import DEFAULTS
from shardlang.api.flags import COST_FLAGS, MACHINE_FLAGS, PLAN_FLAGS, Flag, chosen
from shardlang.api.project import settings_for
from shardlang.api.settings import settings_in
from shardlang.reports.findings import text_findings
from shardlang.reports.objects import CheckReport
from shardlang.reports.summary import check_summary, step_listing

_PRICED = ("cost", "explain", "crossover", "roofline", "optimum", "plot")
_COMMANDS = ("check", *_PRICED, "memory", "send", "verify", "fix", "fmt")
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
        if cell is None:
            self._defaults = options
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
    for flag in (*PLAN_FLAGS, *COST_FLAGS):
        _add(parser, flag)
    return parser


def _add(parser: ArgumentParser, flag: Flag) -> None:
    if flag.kind == "switch":
        parser.add_argument(flag.name, dest=flag.keyword, action="store_true", default=None)
    elif flag.kind in ("joined", "list"):
        parser.add_argument(flag.name, dest=flag.keyword, action="append")
    else:
        parser.add_argument(flag.name, dest=flag.keyword, choices=flag.choices or None)


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
    settings = {**settings_for().get(DEFAULTS, {}), **{key: before[key] for key in before if key in _SETTINGS}}
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
    flags = MACHINE_FLAGS if command == "send" else (*PLAN_FLAGS, *(COST_FLAGS if command in _PRICED else ()))
    return {flag.keyword for flag in flags} | _OWN.get(command, set())


class _Text(str):
    """A text that a notebook shows as it is."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _report_text(report: Any) -> str:
    """Return any report as text, for a terminal and for notebooks that show no HTML."""
    name = type(report).__name__
    if isinstance(report, CheckReport):
        return "\n".join(part for part in (step_listing(report), check_summary(report)) if part)
    if name == "CostReport":
        from shardlang.reports.tables import cost_text

        return cost_text(report)
    if name == "CrossoverReport":
        from shardlang.reports.tables import crossover_text

        return crossover_text(report, report.crossovers[0].variable if report.crossovers else "the symbol")
    if name == "MemoryReport":
        from shardlang.reports.memory_text import memory_text

        return memory_text(report)
    if name == "RooflineReport":
        from shardlang.reports.roofline import roofline_text

        return roofline_text(report)
    if name == "OptimumReport":
        from shardlang.reports.optima import optimum_text

        return optimum_text(report)
    if name == "SendReport":
        from shardlang.reports.sent import send_text

        return send_text(report) if report.transfer is not None else ""
    if name == "VerifyReport":
        from shardlang.reports.verification import verify_text

        return verify_text(report)
    if name == "FixedReport":
        from shardlang.reports.fixed import fixed_listing

        return "\n".join((report.text.rstrip("\n"), fixed_listing(report), check_summary(report.check)))
    return str(report)


def _print(report: Any, printer: Any, cycle: bool) -> None:
    of_text = getattr(report, "check", getattr(report, "cost", report))
    found = [one for one in (of_text, getattr(report, "against", None)) if one is not None and one.findings]
    drawn = (text_findings(one.source, one.findings, fold=True) for one in found)
    printer.text("\n\n".join(part for part in (*drawn, _report_text(report)) if part))


def register(shell: Any) -> None:
    """Make the magic known to a shell, and how it prints reports as text."""
    shell.register_magics(ShardMagics(shell))
    formatter = shell.display_formatter.formatters["text/plain"]
    for module, names in {
        "shardlang.reports.objects": ("CheckReport",),
        "shardlang.reports.costs": ("CostReport", "CrossoverReport"),
        "shardlang.reports.explanation": ("Explanation",),
        "shardlang.reports.fixed": ("FixedReport",),
        "shardlang.reports.memory": ("MemoryReport",),
        "shardlang.reports.optima": ("OptimumReport",),
        "shardlang.reports.roofline": ("RooflineReport",),
        "shardlang.reports.sent": ("SendReport",),
        "shardlang.reports.verified": ("VerifyReport",),
        "shardlang.pictures.picture": ("Picture",),
    }.items():
        for name in names:
            formatter.for_type_by_name(module, name, _print)

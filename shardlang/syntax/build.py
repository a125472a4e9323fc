"""Make the saved parser: the only module that imports Lark.

`python -m shardlang.syntax.build` compiles `grammar/shardlang.lark` with Lark (LALR) and writes
`shardlang/syntax/tables.py`. Lark costs more at import than `check` may take to start, so at run time only
these tables are loaded. States are numbered in breadth-first order over sorted symbols, so that the same
grammar gives the same bytes everywhere.

This module needs nothing else of the package, so that tables which no longer fit the rest can be made anew
with `python -P shardlang/syntax/build.py`.
"""

import re
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

from lark import Lark

TARGET = Path(__file__).with_name("tables.py")

HEADER = '''"""The saved parser. Generated from `grammar/*.lark` by `python -m shardlang.syntax.build`; do not edit."""

'''


def grammar_text(name: str) -> str:
    """Return the text of grammar file `name`: from the installed package, else from the checkout.

    Raises FileNotFoundError if neither has it.
    """
    installed = files("shardlang") / "grammar" / name
    if installed.is_file():
        return installed.read_text("utf-8")
    return (Path(__file__).resolve().parents[2] / "grammar" / name).read_text("utf-8")


def make_lark(**options: Any) -> Lark:
    """Return Lark's own parser of the grammar; `options` go to Lark."""
    sources = {name: grammar_text(name) for name in ("shardlang.lark", "terminals.lark")}

    def load(_base: object, path: str) -> tuple[str, str]:
        return path, sources[path]

    return Lark(sources["shardlang.lark"], parser="lalr", import_paths=[load], maybe_placeholders=False, **options)


def terminal_patterns() -> tuple[tuple[str, str], ...]:
    """Return name and pattern of every terminal in the order of `terminals.lark`, as Lark reads them."""
    text = grammar_text("terminals.lark")
    order = re.findall(r"^([A-Z_]+): /", text, re.M)
    lark = Lark(
        "start: WORD\n" + text + "".join(f"%ignore {name}\n" for name in order if name != "WORD"), parser="lalr"
    )
    patterns = {terminal.name: terminal.pattern.to_regexp() for terminal in lark.terminals}
    return tuple((name, patterns[name]) for name in order)


def build() -> str:
    """Return the text of `tables.py`."""
    table = make_lark(lexer="basic").parser.parser._parse_table
    rules: list[tuple[str, str, int]] = []
    rule_number: dict[Any, int] = {}
    states, order = {table.start_states["start"]: 0}, [table.start_states["start"]]
    rows: list[dict[str, int]] = []
    for state in order:
        row: dict[str, int] = {}
        for symbol, (action, argument) in sorted(table.states[state].items(), key=lambda item: str(item[0])):
            if action.name == "Shift":
                if argument not in states:
                    states[argument] = len(order)
                    order.append(argument)
                row[str(symbol)] = states[argument]
            else:
                if argument not in rule_number:
                    rule_number[argument] = len(rules)
                    rules.append((argument.alias or "", str(argument.origin.name), len(argument.expansion)))
                row[str(symbol)] = -1 - rule_number[argument]
        rows.append(row)
    end = states[table.end_states["start"]]
    _skip_unit_rules(rows, rules)
    return _render(rows, rules, end, terminal_patterns())


def _skip_unit_rules(rows: list[dict[str, int]], rules: list[tuple[str, str, int]]) -> None:
    """Let a goto that only leads to a unit rule without a node lead to where that rule leads.

    The language stays the same: the state that is skipped has no action but that reduction.
    """
    only = [_single_unit_rule(row, rules) for row in rows]
    changed = True
    while changed:
        changed = False
        for row in rows:
            for symbol, action in row.items():
                if action >= 0 and (origin := only[action]) and not symbol.isupper() and row[symbol] != row[origin]:
                    row[symbol] = row[origin]
                    changed = True


def _single_unit_rule(row: dict[str, int], rules: list[tuple[str, str, int]]) -> str | None:
    actions = set(row.values())
    if len(actions) != 1 or (action := actions.pop()) >= 0:
        return None
    name, origin, length = rules[-1 - action]
    return origin if not name and length == 1 else None


def _render(
    rows: list[dict[str, int]],
    rules: list[tuple[str, str, int]],
    end: int,
    terminals: tuple[tuple[str, str], ...],
) -> str:
    symbols = sorted({symbol for row in rows for symbol in row})
    number = {symbol: index for index, symbol in enumerate(symbols)}
    lines = [HEADER, "# Every terminal and its pattern, in the order in which the scanner tries them.\n"]
    lines += ["TERMINALS: tuple[tuple[str, str], ...] = (\n"]
    lines += [f"    ({name!r}, {pattern!r}),\n" for name, pattern in terminals]
    lines += [")\n\n", "# For each rule: the node it makes (`-`: none), what it is, its number of symbols.\n"]
    lines += ['RULES = """\n', *(f"{name or '-'} {origin} {length}\n" for name, origin, length in rules), '"""\n\n']
    lines += [f"END_STATE = {end}\n\n", 'SYMBOLS = """\n', *(f"{symbol}\n" for symbol in symbols), '"""\n\n']
    lines += ["# A line a state: number of a symbol, then the state to go to, or -1 - n to reduce by rule n.\n"]
    lines += ['STATES = """\n']
    lines += ["  ".join(f"{number[symbol]} {action}" for symbol, action in row.items()) + "\n" for row in rows]
    lines += ['"""\n']
    return "".join(lines)


def main(arguments: list[str]) -> int:
    """Write the tables, or with `--check` say whether they are fresh. Returns the exit status."""
    text = build()
    if "--check" in arguments:
        fresh = TARGET.read_text("utf-8") == text
        sys.stdout.write(f"{TARGET.name} is {'fresh' if fresh else 'stale: run `make tables`'}\n")
        return 0 if fresh else 1
    TARGET.write_text(text, "utf-8")
    sys.stdout.write(f"wrote {TARGET.name}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

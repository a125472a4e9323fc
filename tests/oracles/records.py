"""Reading the records, and the list of differences that are known."""

import json
import tomllib
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
Record = dict[str, Any]


def read_jsonl(name: str) -> list[Record]:
    """Read a file with one record a line."""
    return [json.loads(line) for line in (HERE / name).read_text("utf-8").splitlines() if line]


def known_differences(section: str) -> dict[str, str]:
    """Return id -> reason for the records of a judge that are known to differ."""
    table: dict[str, dict[str, str]] = tomllib.loads((HERE / "known_differences.toml").read_text("utf-8"))
    return table.get(section, {})


def compare_with_known(section: str, problems: dict[str, list[str]]) -> list[str]:
    """Return what is wrong: a record that fails and is not listed, or that is listed and passes.

    `problems` has every record that was judged; an empty list means right.
    """
    known = known_differences(section)
    failing = {name: why for name, why in problems.items() if why}
    surprises = [f"{name}: {' | '.join(why)}" for name, why in failing.items() if name not in known]
    stale = [f"{name}: listed as different, but passes (or is not judged)" for name in known if name not in failing]
    return surprises + stale


def share_right(problems: dict[str, list[str]]) -> float:
    """Return the share of records without a problem."""
    return sum(not why for why in problems.values()) / len(problems)

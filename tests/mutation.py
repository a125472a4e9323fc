"""Mutation score of the rules and the planning: `make mutation`, or

    python -m tests.mutation [--rules N] [--planning N] [--seed S] [--processes P]

Works on a copy of the repository in a temporary directory. mutmut makes the mutants and runs for each the tests that
reach the function it is in; `--rules` and `--planning` say how many of each room are tried (0: none), drawn with the
seed that is printed. The score is killed / (tried - equivalent): which survivors make no difference is judged by hand
and kept, with the reason, in `tests/equivalent_mutants.toml`. Survivors that nobody judged are listed: each is a test
that is missing, or one more entry. A mutant that does not end in time counts as killed.
"""

import argparse
import importlib.util
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from pathlib import Path
from random import Random
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
EQUIVALENT = ROOT / "tests" / "equivalent_mutants.toml"
ROOMS = {"rules": 400, "planning": 600}
TESTS = ("tests/rules", "tests/planning", "tests/test_notation_table.py")
SLOW = ("tests/planning/test_alternatives.py::test_a_bound_of_the_search_is_told",)
CONFIG = f"""
[tool.mutmut]
source_paths = ["shardlang"]
only_mutate = {[f"shardlang/{room}/*" for room in ROOMS]}
also_copy = ["grammar"]
pytest_add_cli_args_test_selection = {list(TESTS)}
pytest_add_cli_args = {[f"--deselect={test}" for test in SLOW]}
timeout_multiplier = 1.0
"""
SURVIVED, NO_TEST, SKIPPED = 0, 33, 34  # exit codes in the records of mutmut; every other one is a failed test
TIMEOUTS = (-24, 24, 36, 152, 255)


class Mutant(NamedTuple):
    """A change: the file and the function it is in, the lines before and after, stripped."""

    file: str
    function: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.file} {self.function}\n    - {self.before}\n    + {self.after}"


class Judged(NamedTuple):
    """What was judged to make no difference: single mutants, and patterns of `before => after` in any file."""

    single: dict[Mutant, str]
    patterns: tuple[re.Pattern[str], ...]

    def covers(self, mutant: Mutant) -> bool:
        line = f"{mutant.before} => {mutant.after}"
        return mutant in self.single or any(pattern.fullmatch(line) for pattern in self.patterns)


def judged() -> Judged:
    """Read the mutants that were judged equivalent. Each has a reason."""
    table = tomllib.loads(EQUIVALENT.read_text("utf-8"))
    single = {
        Mutant(entry["file"], entry["function"], entry["before"], after): entry["reason"]
        for entry in table["mutant"]
        for after in ([entry["after"]] if isinstance(entry["after"], str) else entry["after"])
    }
    return Judged(single, tuple(re.compile(entry["lines"]) for entry in table["pattern"]))


def copy_to(directory: Path) -> None:
    for part in ("shardlang", "tests", "grammar"):
        shutil.copytree(ROOT / part, directory / part, ignore=shutil.ignore_patterns("__pycache__"))
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    (directory / "pyproject.toml").write_text(project + CONFIG, "utf-8")


def mutmut(directory: Path, *arguments: str) -> str:
    """Run mutmut and return what it prints."""
    command = [sys.executable, "-m", "mutmut", *arguments]
    ran = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    return ran.stdout + ran.stderr


def records(directory: Path) -> dict[str, Path]:
    """Return the file in which mutmut keeps what became of each mutant, by the name of the mutant."""
    return {
        name: path
        for path in sorted((directory / "mutants" / "shardlang").rglob("*.meta"))
        for name in json.loads(path.read_text("utf-8"))["exit_code_by_key"]
    }


def draw(names: list[str], counts: dict[str, int], seed: int) -> dict[str, list[str]]:
    """Return for each room the names of the mutants to try."""
    chosen = {}
    for room, count in counts.items():
        own = sorted(name for name in names if name.startswith(f"shardlang.{room}."))
        chosen[room] = own if count >= len(own) else Random(f"{seed} {room}").sample(own, count)
    return chosen


def skip(directory: Path, names: set[str]) -> None:
    """Note in the records of mutmut that it need not try these."""
    for path in set(records(directory).values()):
        kept = json.loads(path.read_text("utf-8"))
        kept["exit_code_by_key"] = {
            name: SKIPPED if name in names else code for name, code in kept["exit_code_by_key"].items()
        }
        path.write_text(json.dumps(kept), "utf-8")


def outcomes(directory: Path) -> dict[str, int | None]:
    codes: dict[str, int | None] = {}
    for path in set(records(directory).values()):
        codes |= json.loads(path.read_text("utf-8"))["exit_code_by_key"]
    return codes


def describe(directory: Path, name: str) -> Mutant:
    """Return what a mutant changes."""
    module, _, mangled = name.partition("__mutmut_")[0].rpartition(".")
    function = mangled[2:].replace("ǁ", ".")  # `x_name`, or `xǁClassǁname`
    file = module.replace(".", "/") + ".py"
    if not (ROOT / file).exists():
        file = module.replace(".", "/") + "/__init__.py"
    lines = mutmut(directory, "show", name).splitlines()
    lost, gained = (
        " ".join(line[1:].strip() for line in lines if re.match(rf"{re.escape(sign)}(?!{re.escape(sign)}{{2}})", line))
        for sign in "-+"
    )
    return Mutant(file, function, lost, gained)


def report(directory: Path, room: str, total: int, tried: list[str]) -> None:
    codes = outcomes(directory)
    if untried := [name for name in tried if codes[name] is None]:
        sys.exit(f"mutmut did not try {len(untried)} mutants, such as {untried[0]}")
    kinds = Counter(
        "survived" if codes[name] in (SURVIVED, NO_TEST) else "slow" if codes[name] in TIMEOUTS else "failed"
        for name in tried
    )
    known = judged()
    survivors = [describe(directory, name) for name in tried if codes[name] in (SURVIVED, NO_TEST)]
    open_ones = [mutant for mutant in survivors if not known.covers(mutant)]
    for mutant in sorted(open_ones):
        print(f"survived: {mutant}")
    killed, equivalent = kinds["failed"] + kinds["slow"], len(survivors) - len(open_ones)
    print(
        f"{room}: {len(tried)} of {total} mutants tried, {killed} killed ({kinds['slow']} of them too slow), "
        f"{equivalent} equivalent, {len(open_ones)} survived: {killed / (len(tried) - equivalent):.1%}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for room, count in ROOMS.items():
        parser.add_argument(f"--{room}", type=int, default=count, help=f"mutants of shardlang/{room} ({count})")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    if importlib.util.find_spec("mutmut") is None:
        sys.exit("mutmut is not installed: `make mutation` installs it")
    counts = {room: getattr(options, room) for room in ROOMS if getattr(options, room)}
    start = time.monotonic()
    print(f"seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        copy_to(directory)
        said = mutmut(directory, "run", "none")  # makes the mutants, and sees which tests reach which function
        names = sorted(records(directory))
        if not names or not (directory / "mutants" / "mutmut-stats.json").exists():
            sys.exit(said[-3000:])
        chosen = draw(names, counts, options.seed)
        skip(directory, set(names).difference(*chosen.values()))
        said = mutmut(directory, "run", "--max-children", str(options.processes))
        if "mutations/second" not in said:
            sys.exit(said[-3000:])
        for room, tried in chosen.items():
            report(directory, room, sum(one.startswith(f"shardlang.{room}.") for one in names), tried)
    print(f"{(time.monotonic() - start) / 60:.0f} minutes")


if __name__ == "__main__":
    main()

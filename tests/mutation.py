"""Changes the rules and the planning one operator at a time and says which changes no test notices.

    python tests/mutation.py [--count 120] [--seed 0] [--minutes 10] [--files shardlang/rules/local.py …]

Works on a copy of the repository in a temporary directory; the sources here are never touched. A change that
survives is either a test that is missing or a change that makes no difference: a reader has to say which.
"""

import argparse
import ast
import copy
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("shardlang/rules", "shardlang/planning")
TESTS = ("tests/rules", "tests/planning", "tests/test_notation_table.py")
SLOWER = {"shardlang/rules": ("tests/property/test_local_rules.py",)}

_SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.And: ast.Or,
    ast.Or: ast.And,
}


def changes(tree: ast.Module) -> Iterator[tuple[int, str, ast.Module]]:
    """Yield every change of one file: its line, what it does, and the changed file."""
    for index, node in enumerate(ast.walk(tree)):
        for change in _changes_of(node):
            mutant = copy.deepcopy(tree)
            other = next(each for at, each in enumerate(ast.walk(mutant)) if at == index)
            before = ast.unparse(other)
            after = _apply(other, change)
            yield getattr(node, "lineno", 0), f"{before}  =>  {after}", mutant


def _changes_of(node: ast.AST) -> list[str]:
    match node:
        case ast.Compare(ops=[op]) | ast.BinOp(op=op) | ast.BoolOp(op=op) if type(op) in _SWAPS:
            return ["operator"]
        case ast.UnaryOp(op=ast.Not()):
            return ["not"]
        case ast.If() | ast.IfExp() | ast.While():
            return ["test"]
        case ast.Constant(value=bool()):
            return ["constant"]
        case ast.Constant(value=int()):
            return ["constant"]
        case ast.comprehension(ifs=[_, *_]):
            return ["filter"]
    return []


def _apply(node: ast.AST, change: str) -> str:
    match node:
        case ast.Compare():
            node.ops = [_SWAPS[type(node.ops[0])]()]  # type: ignore[list-item]
        case ast.BinOp() | ast.BoolOp():
            node.op = _SWAPS[type(node.op)]()  # type: ignore[assignment]
        case ast.UnaryOp():
            node.op = ast.UAdd()
            node.operand = ast.Call(ast.Name("bool", ast.Load()), [node.operand], [])
        case ast.If() | ast.IfExp() | ast.While():
            node.test = ast.UnaryOp(ast.Not(), node.test)
            return f"test negated ({ast.unparse(node.test)})"
        case ast.Constant(value=bool()):
            node.value = not node.value
        case ast.Constant(value=int()):
            node.value += 1
        case ast.comprehension():
            node.ifs = []
    return ast.unparse(node)


def judge(copied: Path, tests: tuple[str, ...] = TESTS) -> str:
    """Return `killed`, `survived` or `slow` (the tests did not end in time) for the copy as it is."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(copied)}
    try:
        ended = subprocess.run(command, cwd=copied, timeout=120, env=environment, check=False, **quiet)  # type: ignore[call-overload]
    except subprocess.TimeoutExpired:
        return "slow"
    return "survived" if ended.returncode == 0 else "killed"


def main() -> None:
    """Sample changes, try each, and print those that survive."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=120)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--files", nargs="*")
    options = parser.parse_args()
    files = options.files or sorted(
        str(path.relative_to(ROOT)) for room in ROOMS for path in (ROOT / room).glob("*.py")
    )
    found = [(file, *change) for file in files for change in changes(ast.parse((ROOT / file).read_text()))]
    random.Random(options.seed).shuffle(found)
    end = time.monotonic() + 60 * options.minutes
    counts = {"killed": 0, "survived": 0, "slow": 0}
    with tempfile.TemporaryDirectory() as directory:
        copied = Path(directory)
        for part in ("shardlang", "tests", "grammar", "pyproject.toml"):
            source = ROOT / part
            shutil.copytree(source, copied / part) if source.is_dir() else shutil.copy(source, copied / part)
        if judge(copied) != "survived":
            sys.exit("the tests fail before anything is changed")
        for file, line, what, mutant in found[: options.count]:
            if time.monotonic() > end:
                break
            (copied / file).write_text(ast.unparse(mutant))
            verdict = judge(copied, TESTS + SLOWER.get(str(Path(file).parent), ()))
            shutil.copy(ROOT / file, copied / file)
            counts[verdict] += 1
            if verdict != "killed":
                sys.stdout.write(f"{verdict} {file}:{line}  {what}\n")
                sys.stdout.flush()
    sys.stdout.write(f"of {len(found)} changes tried {sum(counts.values())}: {counts}\n")


if __name__ == "__main__":
    main()

"""Judge: verdicts, outputs and collectives of `check` against the book's records.

Kinds `check-error`, `check-valid`, `infer-output` and `infer-collectives`, each for the plan and for its LaTeX.
"""

import re
from typing import Any, NamedTuple

from tests.oracles.notation import (
    COLLECTIVES,
    Array,
    Move,
    canonical,
    read_array,
    read_arrays,
    read_move,
    sides,
    statements,
)
from tests.oracles.product import Json, Product, errors, fix_texts, tell_findings
from tests.oracles.records import Record

# Which codes mean what a slug of the records says.
MEANING = {
    "mesh-axis-reused": {"SL201"},
    "collective-on-unreduced": {"SL302"},
    "axis-both-sharded-and-unreduced": {"SL202"},
    "axis-not-sharded": {"SL303"},
    "unknown-mesh-axis": {"SL203"},
    "contraction-index-missing": {"SL214"},
    "axis-dropped": {"SL306"},
    "output-index-not-in-inputs": {"SL213"},
    "nothing-to-reduce": {"SL304"},
    "gather-of-major-axis": {"SL311"},
}


class Option(NamedTuple):
    """One right answer: the collectives in order, and the free slices as (axis, dimension), None where not said."""

    moves: tuple[Move, ...]
    slices: frozenset[tuple[str, str]] | None


def judge_steps(product: Product, record: Record) -> list[str]:
    """Return the problems of one record of kind `check-*` or `infer-*`."""
    judge = {
        "check-error": _judge_error,
        "check-valid": _judge_valid,
        "infer-output": _judge_inference,
        "infer-collectives": _judge_inference,
    }[record["kind"]]
    texts = [text for text in (record["plan"], record["latex"]) if text]
    return [f"{text!r}: {problem}" for text in texts for problem in judge(product, record, text)]


def check_options(record: Record) -> dict[str, Any]:
    """Return the options of `check` that a record states."""
    options: dict[str, Any] = {"mesh": record["mesh"], "hardware": record["hardware"]}
    dims = {dim for array in read_arrays(record["plan"]) for dim, _ in array.dims}
    sizes = {name: size for name, size in record["sizes"].items() if name in dims}
    return {name: value for name, value in {**options, "sizes": sizes}.items() if value}


def _judge_error(product: Product, record: Record, text: str) -> list[str]:
    report, expected = product.check(text, **check_options(record)), record["expected"]
    found = {finding["code"] for finding in errors(report)}
    if report["ok"] or not found:
        return ["accepted"]
    problems = []
    if not found & MEANING[expected["error"]]:
        problems.append(f"{tell_findings(report)} instead of {expected['error']}")
    plain = product.parse(text)["statements"][0]["canonical"] if "\\" in text else text
    texts = [hint for finding in errors(report) for hint in (finding["hint"], *fix_texts(finding))]
    offered = [part for hint in texts for part in hint_texts(hint, plain)]
    if expected["fixes"] and not any(_same_fix(product, fix, part) for fix in expected["fixes"] for part in offered):
        problems.append(f"fixes {offered} have none of {expected['fixes']}")
    return problems


def hint_texts(hint: str | None, text: str) -> list[str]:
    """Return the statements that a hint offers: it as a whole, its lines, what it has between backticks.

    A bare array is the result of the statement `text`, written otherwise.
    """
    if hint is None:
        return []
    quoted = re.findall(r"`([^`]+)`", hint)
    left, result = sides(text)
    own = read_arrays(result)[0].name if result and read_arrays(result) else None
    whole = [f"{left} -> {part}" for part in quoted if result and re.fullmatch(rf"{own}\[[^\]]*\](\{{.*\}})?", part)]
    return [hint, *hint.splitlines(), *quoted, "; ".join(quoted), *whole]


def _same_fix(product: Product, wanted: str, offered: str) -> bool:
    """Say whether two texts are the same statements, or lead to the same result by the same collectives."""
    if _canonical_fix(wanted) == _canonical_fix(offered):
        return True
    if "[" not in offered:
        return False
    reports = [product.check(text) for text in (wanted, offered)]
    return all(report["ok"] and report["statements"] for report in reports) and _effect(reports[0]) == _effect(
        reports[1]
    )


def _effect(report: Json) -> tuple[Array | None, list[str], list[str]]:
    steps = [step["text"] for statement in report["statements"] for step in statement["steps"]]
    return (
        _last_output(report),
        [text for text in steps if read_move(text)],
        [text for text in steps if not read_move(text)][-1:],
    )


def _canonical_fix(text: str) -> str:
    return ";".join(canonical(part) for part in statements(text))


def _judge_valid(product: Product, record: Record, text: str) -> list[str]:
    report, expected = product.check(text, **check_options(record)), record["expected"]
    if not report["ok"]:
        return [f"refused: {tell_findings(report)}"]
    problems: list[str] = []
    wanted = expected.get("strict_collectives", expected.get("collectives"))
    if wanted is not None:
        problems += _match(report, [_read_option({"collectives": wanted})], text)
    codes = {finding["code"] for finding in report["diagnostics"]}
    problems += [f"no finding {slug}" for slug in expected.get("warnings", []) if not codes & MEANING[slug]]
    if "equals" in expected:
        other = product.check(expected["equals"])
        if _last_output(other) != _last_output(report):
            problems.append(f"gives {_last_output(report)}, its equal {_last_output(other)}")
    return problems


def _last_output(report: Json) -> Array | None:
    return read_array(report["statements"][-1]["output"]) if report["ok"] and report["statements"] else None


def _judge_inference(product: Product, record: Record, text: str) -> list[str]:
    report, expected = product.check(text, **check_options(record)), record["expected"]
    output = _last_output(report)
    if output is None:
        return [f"refused: {tell_findings(report)}"]
    wanted, problems = read_array(expected["output"]), []
    if output.layout() != wanted.layout() or (output.name != wanted.name and _names(text, wanted.name)):
        problems.append(f"output {report['statements'][-1]['output']} instead of {expected['output']}")
    options = [_read_option(expected), *map(_read_option, expected.get("alternatives", []))]
    return problems + _match(report, options, text)


def _names(text: str, name: str | None) -> bool:
    """Say whether a text names this array (LaTeX may dress the name)."""
    plain = re.sub(r"\\(text|mathbf|textbf)\{(\w+)\}", r"\2", text)
    return name is not None and re.search(rf"(?<!\w){re.escape(name)}\s*\[", plain) is not None


def _read_option(entry: Record) -> Option:
    if "steps" in entry:
        moves = [move for move in map(read_move, entry["steps"]) if move]
        taken = tuple(move for move in moves if move.op in COLLECTIVES)
        return Option(taken, None)
    slices = entry.get("free_slices")
    wanted = None if slices is None else frozenset((cut["axis"], cut["dim"]) for cut in slices)
    return Option(tuple(_read_collective(part) for part in entry["collectives"]), wanted)


def _read_collective(part: Record) -> Move:
    return Move(part["op"], tuple(part["axes"]), part.get("dim"), read_array(part["in"]), read_array(part["out"]))


def _match(report: Json, options: list[Option], text: str) -> list[str]:
    """Return no problem if the collectives of a report are one of the options, else what differs from the first."""
    steps = [step for statement in report["statements"] for step in statement["steps"]]
    found = [step for step in steps if step["kind"] in COLLECTIVES]
    cuts = {(axis, dim) for step in steps if step["kind"] == "Slice" for axis in step["axes"] for dim in step["dims"]}
    verdicts = [_compare_option(found, cuts, option, text) for option in options]
    return [] if not all(verdicts) else verdicts[0]


def _compare_option(found: list[Json], cuts: set[tuple[str, str]], option: Option, text: str) -> list[str]:
    shown = [step["text"] for step in found]
    if [step["kind"] for step in found] != [move.op for move in option.moves]:
        return [f"collectives {shown} instead of {[_tell(move) for move in option.moves]}"]
    problems = []
    for step, move in zip(found, option.moves, strict=True):
        problems += [f"{step['text']}: {problem}" for problem in _compare_move(step, move, text)]
    if option.slices is not None and not option.slices <= cuts:
        problems.append(f"free slices {sorted(cuts)} instead of {sorted(option.slices)}")
    return problems


def _tell(move: Move) -> str:
    return f"{move.op}_{''.join(move.axes)}" + (f",{move.dim}" if move.dim else "")


def _compare_move(step: Json, move: Move, text: str) -> list[str]:
    ordered = step["kind"] in ("ReduceScatter", "AllToAll")
    axes = (lambda names: list(names)) if ordered else sorted
    problems = [] if axes(step["axes"]) == axes(move.axes) else [f"axes {step['axes']} instead of {list(move.axes)}"]
    if ordered and move.dim and step["dims"][-1:] != [move.dim]:
        problems.append(f"dimension {step['dims']} instead of {move.dim}")
    before, after = read_arrays(step["text"])
    for array, wanted in ((before, move.before), (after, move.after)):
        if wanted is None:
            continue
        same_name = array.name == wanted.name or not _names(text, wanted.name)
        if array.layout() != wanted.layout() or not same_name:
            problems.append(f"{array} instead of {wanted}")
    return problems

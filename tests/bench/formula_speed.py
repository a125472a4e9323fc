"""The formulas of a plan of 1,000 statements, beside `import sympy`: at most ten times its time.

`formulas` is pricing the plan and printing the formulas of its totals and of every statement; parsing, names and planning
come before and are told apart. `different`: every statement has dimensions of its own. `chain`: each product feeds the
next, with another width each. `layers`: 250 equal layers of an MLP. Each measurement is of a fresh interpreter, and so is
each import; both run in turn, and the median of the ratios of their CPU time counts. Exits with 1 above the limit.
"""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

LIMIT = 10.0
ROUNDS = 5
STATEMENTS = 1000
PLANS = ("different", "chain", "layers")
SETTINGS: dict[str, dict[str, Any]] = {
    "plain": {},
    "exact, latency": {"hardware": "tpu-v5p", "model": "exact", "latency": True},
}


def text_of(plan: str) -> str:
    """Return a plan of a thousand statements."""
    count = range(STATEMENTS)
    if plan == "different":
        lines = [f"A{i}[B_X, D{i}_Y] · W{i}[D{i}_X, F{i}_Y] -> O{i}[B_X, F{i}_Y]" for i in count]
    elif plan == "chain":
        lines = [f"A{i}[B_X, D{i}_Y] · W{i}[D{i}_X, D{i + 1}_Y] -> A{i + 1}[B_X, D{i + 1}_Y]" for i in count]
    else:
        lines = [line for i in range(STATEMENTS // 4) for line in layer(i)]
    assert len(lines) == STATEMENTS
    return "\n".join(("mesh X=16, Y=4", *lines))


def layer(at: int) -> tuple[str, ...]:
    """Return one layer of an MLP with a residual."""
    return (
        f"H{at}[B_X, F_Y] = R{at}[B_X, D_Y] · Win{at}[D_X, F_Y]",
        f"G{at}[B_X, F_Y] = gelu(H{at}[B_X, F_Y])",
        f"O{at}[B_X, D_Y] = G{at}[B_X, F_Y] · Wout{at}[F_Y, D_X]",
        f"R{at + 1}[B_X, D_Y] = R{at}[B_X, D_Y] + O{at}[B_X, D_Y]",
    )


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the CPU time of a call in seconds, and what it gives."""
    start = time.process_time()
    found = work()
    return time.process_time() - start, found


def importing() -> str:
    """Return the seconds of the import in this interpreter."""

    def work() -> None:
        import sympy  # noqa: F401

    return f"{timed(work)[0]}"


def pricing(plan: str, setting: str) -> str:
    """Return the seconds of each part of pricing a plan in this interpreter."""
    from shardlang.cost.estimate import estimate
    from shardlang.cost.text import formula
    from shardlang.planning import plan as planned
    from shardlang.pricing import find_hardware, machine_for
    from shardlang.semantics import Options, resolve
    from shardlang.source import SourceText
    from shardlang.syntax import parse

    keywords = dict(SETTINGS[setting])
    chip = keywords.pop("hardware", None)
    reading, (module, _) = timed(lambda: parse(SourceText(text_of(plan))))
    resolving, (program, _) = timed(lambda: resolve(module, Options(dtype="bf16")))
    planning, made = timed(lambda: planned(program))
    assert all(statement.output is not None for statement in made.statements)
    machine, _ = machine_for(made.program.mesh, find_hardware(chip) if chip else None)
    estimating, found = timed(lambda: estimate(made, machine, **keywords))
    names = ("flops", "t_math", "t_comms", "t_hbm", "t_lower", "t_upper", "memory")
    printing, _ = timed(lambda: [formula(getattr(it, name)) for it in (found, *found.statements) for name in names])
    return f"{reading + resolving} {planning} {estimating} {printing}"


def fresh(*arguments: str) -> list[float]:
    """Run this file in a new interpreter and return the numbers that it prints."""
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, __file__, *arguments]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=True)
    return [float(number) for number in done.stdout.split()]


def main() -> int:
    """Measure, print, and return 0 if the formulas of every plan are within the limit."""
    if len(sys.argv) > 1:
        sys.stdout.write((importing() if sys.argv[1] == "import" else pricing(*sys.argv[1:])) + "\n")
        return 0
    fresh("import"), fresh("layers", "plain")  # once for the file cache
    worst = 0.0
    for plan in PLANS:
        for setting in SETTINGS:
            rounds = [(*fresh("import"), *fresh(plan, setting)) for _ in range(ROUNDS)]
            ratio = statistics.median((estimating + printing) / base for base, _, _, estimating, printing in rounds)
            base, reading, planning, estimating, printing = (
                statistics.median(part) for part in zip(*rounds, strict=True)
            )
            worst = max(worst, ratio)
            sys.stdout.write(
                f"formulas {1e3 * estimating:5.0f} ms, their text {1e3 * printing:3.0f} ms; import sympy {1e3 * base:.0f} ms: "
                f"ratio {ratio:4.2f}; before: reading {1e3 * reading:.0f} ms, planning {1e3 * planning:.0f} ms   "
                f"{plan}, {setting}\n"
            )
    sys.stdout.write(f"formulas / import sympy: {worst:.2f} at worst (limit {LIMIT:g})\n")
    return 0 if worst < LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())

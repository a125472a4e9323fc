"""Start-up of `shardlang check` on a 50-line file against `python -c pass`: the ratio may be at most 9.

Both run in turn, in pairs, so that a busy machine slows both; the median of the ratios counts. Byte code is
written before, as an installed package has it.
"""

import compileall
import os
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

LIMIT = 9.0
_PAIRS = 25
_LINES = (
    "mesh X=4, Y=2",
    "let B = 4096, D = 8192, F = 4*D",
    *(f"In{i}[B_X, D_Y] · W{i}[D_X, F_Y] -> H{i}[B_X, F_Y]" for i in range(24)),
    *(f"Z{i}[B_X, F_Y] = gelu(H{i}[B_X, F_Y])" for i in range(24)),
)


def main() -> int:
    """Measure, print, and return 0 if the ratio is within the limit."""
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    for name in ("shardlang", "click"):
        spec = find_spec(name)
        assert spec is not None
        assert spec.submodule_search_locations
        compileall.compile_dir(spec.submodule_search_locations[0], quiet=2)
    with tempfile.TemporaryDirectory() as folder:
        plan = Path(folder, "plan.shard")
        plan.write_text("\n".join(_LINES) + "\n", "utf-8")
        script = str(Path(sys.executable).with_name("shardlang"))
        check, bare = [script, "check", str(plan)], [sys.executable, "-c", "pass"]
        _seconds(check, variables), _seconds(bare, variables)  # once for the file cache
        pairs = [(_seconds(check, variables), _seconds(bare, variables)) for _ in range(_PAIRS)]
    ratio = statistics.median(mine / theirs for mine, theirs in pairs)
    mine, theirs = (1000 * statistics.median(times) for times in zip(*pairs, strict=True))
    print(
        f"shardlang check, {len(_LINES)} lines: {mine:.1f} ms; python -c pass: {theirs:.1f} ms; ratio {ratio:.2f} (limit {LIMIT:g})"
    )
    return 0 if ratio <= LIMIT else 1


def _seconds(command: list[str], variables: dict[str, str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


if __name__ == "__main__":
    sys.exit(main())

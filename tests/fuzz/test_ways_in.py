"""The command line with what nobody would type: an exit status of its own, no traceback."""

from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from shardlang.cli.commands import group
from tests.fuzz.texts import numbered

COMMANDS = (
    "parse",
    "check",
    "explain",
    "cost",
    "crossover",
    "roofline",
    "memory",
    "verify",
    "fmt",
    "optimum",
    "plot",
    "send",
    "hardware",
)
OPTIONS = (
    "--mesh", "--set", "--hw", "--dtype", "--topology", "--model", "--roofs", "--comms", "--idle-axes", "--latency", "--reduce-dtype",
    "--uneven", "--explicit", "--assume", "--format", "--for", "--fix", "--diff", "--select", "--ignore", "--from", "--to", "-e", "--nonsense",
)  # fmt: skip
VALUES = (
    "X=4,Y=2", "X", "X=", "=4", "X=-1", "X=1e999", "X=4,X=2", "B=1024", "B=B", "B=2**999", "tpu-v5p", "h100", "nothing", "bf16", "ring", "X=ring:2", "book",
    "exact", "text", "json", "sarif", "github", "junit", "latex", "markdown", "html", "B", "B/X", "B << D", "SL2,SL999", "", "-", "é", "\u202e", "Х", "9" * 50, "A[I_X] -> A[I]",
)  # fmt: skip


@pytest.mark.parametrize("seed", range(120))
def test_the_command_line_ends_in_a_status(seed: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    random = Random(f"command line {seed}")
    words = [random.choice(COMMANDS)]
    for _ in range(random.randint(0, 4)):
        words += [random.choice(OPTIONS), random.choice(VALUES)][: random.randint(1, 2)]
    words += random.choice((["-"], ["-e", "A[I_X, J] -> A[I, J]"], ["no-such-file"], []))
    text = numbered(8, seed).text.encode("utf-8", "surrogatepass")
    done = CliRunner().invoke(group, words, input=text, prog_name="shardlang")
    assert done.exit_code in (0, 1, 2), (words, done.output)
    assert done.exception is None or isinstance(done.exception, SystemExit), (words, repr(done.exception))
    assert "Traceback" not in done.output

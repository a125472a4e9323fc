"""What `--diff` prints, `patch` and `git apply` make of a file: the bytes that `--fix` and `fmt -w` write."""

import shutil
import subprocess

import pytest
from click.testing import CliRunner

from shardlang.cli import group

WRONG = "mesh X=4\nA[I, J_X] ·_LOCAL B[J_X, K] -> C[I, K]\n"
TEXTS = {
    "plain": WRONG,
    "crlf": WRONG.replace("\n", "\r\n"),
    "no line end": WRONG.rstrip("\n"),
    "crlf and no line end": WRONG.replace("\n", "\r\n").rstrip("\r\n"),
    "byte-order mark": "\ufeff" + WRONG,
    "byte-order mark on the changed line": "\ufeff" + WRONG.partition("\n")[2],
    "other ends of lines": f"# a\u2028\n{WRONG}# \u2029\n",
    "letters": f"# é 🙂 · 数\n{WRONG}",
    "blank lines": f"\n\n\n{WRONG}\n\n\n",
    "far apart": WRONG + "# …\n" * 30 + "P[I, J_X] ·_LOCAL Q[J_X, K] -> R[I, K]\n",
}
TOOLS = {"patch": ["patch", "-p0", "-s", "-i"], "git": ["git", "apply", "-p0", "--whitespace=nowarn"]}


def run(*arguments):
    result = CliRunner().invoke(group, list(arguments), prog_name="shardlang", env={"NO_COLOR": "1"})
    assert result.exit_code in (0, 1), result.output
    return result


def patched(tool, diff, folder):
    """Make a diff in a folder."""
    if shutil.which(TOOLS[tool][0]) is None:
        pytest.skip(f"{tool} is not installed")
    (folder / "change.diff").write_bytes(diff)
    done = subprocess.run(
        [*TOOLS[tool], "change.diff"], cwd=folder, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("name", ["plan.shard", "my plan é.shard"])
def test_a_diff_makes_what_fix_writes(tool, text, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes(text.encode())
    result = run("check", "--diff", name)
    assert (tmp_path / name).read_bytes() == text.encode()
    patched(tool, result.stdout_bytes, tmp_path)
    by_diff = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(text.encode())
    assert run("check", "--fix", name).exit_code == 0
    assert by_diff == (tmp_path / name).read_bytes()
    assert by_diff.count(b"AllReduce_X C[I, K]{U_X} -> C[I, K]") == 1


@pytest.mark.parametrize("tool", TOOLS)
def test_the_diff_of_several_files_is_one(tool, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "deep").mkdir()
    names = ("a.shard", "deep/b.shard", "c.md", "d.py")
    texts = (WRONG, WRONG, f"# Notes\n\n> ```shard\n> {WRONG.strip().replace(chr(10), chr(10) + '> ')}\n> ```\n")
    for name, text in zip(
        names,
        (*texts, f'def f():\n    r"""F.\n\n    ```shard\n    {WRONG.splitlines()[1]}\n    ```\n    """\n'),
        strict=True,
    ):
        (tmp_path / name).write_text(text, "utf-8")
    patched(tool, run("check", "--diff", *names).stdout_bytes, tmp_path)
    by_diff = [(tmp_path / name).read_text("utf-8") for name in names]
    assert [run("check", name).exit_code for name in names] == [0, 0, 0, 0]
    assert "\n> AllReduce_X" in by_diff[2]
    assert "\n    ```\n" in by_diff[3]


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("text", ["A[I,J]->A[I_X,J]", "\ufeffA[I,J]->A[I_X,J]\r\n\r\nB[I]\r\n"])
def test_a_diff_of_fmt_makes_what_it_writes(tool, text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plan.shard").write_bytes(text.encode())
    patched(tool, run("fmt", "--diff", "plan.shard").stdout_bytes, tmp_path)
    by_diff = (tmp_path / "plan.shard").read_bytes()
    (tmp_path / "plan.shard").write_bytes(text.encode())
    run("fmt", "-w", "plan.shard")
    assert by_diff == (tmp_path / "plan.shard").read_bytes()


def test_a_diff_that_is_not_exact_is_noticed(tmp_path, monkeypatch):
    """Without the mark of a missing line end `patch` writes another file, or none."""
    monkeypatch.chdir(tmp_path)
    text = TEXTS["no line end"]
    (tmp_path / "plan.shard").write_text(text, "utf-8")
    exact = run("check", "--diff", "plan.shard").stdout
    assert exact.count("\\ No newline at end of file\n") == 2
    (tmp_path / "plan.shard").write_text(text, "utf-8")
    with pytest.raises(AssertionError):
        patched("git", exact.replace("\\ No newline at end of file\n", "").encode(), tmp_path)

"""The command line: what goes in and out, and the exit status. Golden files: `pytest --update-golden`."""

import json
import os
import subprocess
import sys

import jsonschema
import pytest
from click.testing import CliRunner

import shardlang
from shardlang.cli import group
from shardlang.diagnostics import CODES

FSDP = "In[B_X, D_Y] · W[D_X, F_Y] -> Tmp[B_X, F_Y]"


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run the command line in an empty directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("COLUMNS", raising=False)

    def call(*arguments, **options):
        return CliRunner().invoke(group, [str(argument) for argument in arguments], prog_name="shardlang", **options)

    return call


def test_version_and_help(run):
    import shardlang

    assert run("--version").output == f"shardlang, version {shardlang.__version__}\n"
    text = run("--help").output
    for command in ("parse", "check", "explain", "cost", "crossover", "fmt"):
        assert f"\n  {command} " in text
        shown = run(command, "--help")
        assert shown.exit_code == 0
        assert "Examples:" in shown.output
    assert "_SHARDLANG_COMPLETE" in text


def test_the_version_is_that_of_the_package():
    import tomllib
    from pathlib import Path

    import shardlang

    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))
    assert project["project"]["version"] == shardlang.__version__


def test_exit_status(run):
    assert run("check", "-e", "A[I_X, J]").exit_code == 0
    assert run("check", "-e", "A[I_X, J_X]").exit_code == 1
    assert run("check", "-e", "A[I]", "--mesh", "X=0").exit_code == 2
    assert run("check").exit_code == 2
    assert run("chekc").exit_code == 2
    assert "Did you mean 'check'?" in run("chekc").output
    assert run("check", "-e", "A[I]", "--format", "yaml").exit_code == 2


def test_what_gives_status_1(run):
    warned = "mesh X=4\nA[I, J] · B[J, K] -> C[I_X, K]"
    for text, plain, strict in (("A[I]", 0, 0), (warned, 0, 1), ("A[I_X, J_X]", 1, 1)):
        assert run("check", "-e", text).exit_code == plain
        assert run("check", "-e", text, "--error-on-warning").exit_code == strict
        assert run("check", "--fix", "-e", text, "--error-on-warning").exit_code == strict
        for strictness in ((), ("--error-on-warning",)):
            found = run("check", "-e", text, "--exit-zero", *strictness)
            assert found.exit_code == 0
            assert ("SL" in found.output) == (strict == 1)
    assert run("check", "nothing.shard", "--exit-zero").exit_code == 2


def test_quiet_prints_what_is_found_alone(run, tmp_path):
    (tmp_path / "good.shard").write_text("A[I_X] -> A[I]\n", "utf-8")
    (tmp_path / "bad.shard").write_text("A[I_X, J_X]\n", "utf-8")
    assert run("check", "-q", "good.shard", "-").output == ""
    assert run("check", "--fix", "-q", "good.shard").output == ""
    shown = run("check", "-q", "good.shard", "bad.shard").output
    assert shown.startswith("error[SL201]")
    assert "ok:" not in shown
    assert "failed:" not in shown


def test_a_notebook_is_checked_where_it_runs(run, tmp_path):
    (tmp_path / "a.ipynb").write_text("{}", "utf-8")
    result = run("check", "a.ipynb")
    assert result.exit_code == 2
    assert "%load_ext shardlang" in result.output


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--mesh", "X=a"], "--mesh: X is 'a'"),
        (["--hw", "tpu-v99"], "--hw: no hardware is called `tpu-v99`"),
        (["--set", "B"], "--set: B has no value"),
        (["--hw", "tpu-v5pp"], "did you mean `tpu-v5p`"),
        (["--hw", "none.toml"], "none.toml"),
        (["--dtype", "bf61"], "Did you mean bf16?"),
        (["--topology", "X=rign"], "Did you mean ring?"),
    ],
)
def test_wrong_usage(run, options, words):
    shown = run("check", "-e", "A[I]", *options)
    assert shown.exit_code == 2
    assert words in shown.output


def test_files(run, tmp_path):
    (tmp_path / "good.shard").write_text("A[I_X, J]\n", "utf-8")
    (tmp_path / "marked.shard").write_bytes("\ufeffA[I_X, J]\r\nA[I_X, J]\r\n".encode())
    (tmp_path / "latin.shard").write_bytes(b"A[I_X]\n# caf\xe9\n")
    (tmp_path / "notes.md").write_text("Then $A[I_X, J_X]$ and $T = V/W$.\n", "utf-8")
    assert run("check", "good.shard", "marked.shard").exit_code == 0
    latin = run("check", "latin.shard")
    assert latin.exit_code == 1
    assert "latin.shard:1:1" in latin.output
    assert "not UTF-8 text: byte 0xe9 on line 2" in latin.output
    notes = run("check", "notes.md")
    assert notes.exit_code == 1
    assert "notes.md:1:16" in notes.output
    missing = run("check", "missing.shard")
    assert (missing.exit_code, "there is no such file" in missing.output) == (2, True)
    (tmp_path / "empty").mkdir()
    folder = run("check", "empty")
    assert (folder.exit_code, "no file in that directory is included (*.shard)" in folder.output) == (2, True)
    assert run("check", "empty", "empty").exit_code == 2
    beside = run("check", "empty", "notes.md", "--format", "github")
    assert (beside.exit_code, "notes.md,line=1" in beside.output) == (1, True)
    assert run("check", "good.shard", "-e", "A[I]").exit_code == 2
    assert run("check", "nul\0name").exit_code == 2


def test_expressions(run):
    several = run("check", "-e", "mesh X=4", "-e", "A[I_Z]", "--format", "json")
    data = json.loads(several.output)
    assert [(found["code"], found["line"]) for found in data["diagnostics"]] == [("SL203", 2)]
    assert run("check", "A[I_X, J]").exit_code == 0
    assert run("check", "-", input="A[I_X, J_X]").exit_code == 1
    assert run("check", "-", "-").exit_code == 2


def test_several_texts_in_one_json(run, tmp_path):
    (tmp_path / "a.shard").write_text("A[I_X, J_X] -> A[I, J]\n", "utf-8")
    (tmp_path / "b.shard").write_text("A[I, J_X] · B[J_X, K] -> C[I, K]\n", "utf-8")
    data = json.loads(run("check", "a.shard", "b.shard", "--format", "json").output)
    assert data["ok"] is False
    assert [(found["file"], found["code"]) for found in data["diagnostics"]] == [("a.shard", "SL201")]
    assert [entry["file"] for entry in data["statements"]] == ["a.shard", "b.shard"]
    alone = json.loads(run("check", "a.shard", "--format", "json").output)  # no other shape for one text
    assert alone["diagnostics"] == data["diagnostics"]
    assert alone["statements"] == data["statements"][:1]
    for command in ("check", "parse"):
        for arguments, name in ((("-e", "A[I_X] -> A[I]"), "<expression>"), (("-",), "<stdin>")):
            given = json.loads(run(command, *arguments, "--format", "json", input="A[I_X] -> A[I]").output)
            assert [entry["file"] for entry in given["statements"]] == [name]
    assert run("cost", "a.shard", "b.shard", "--format", "json").exit_code == 2


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_a_directory_does_not_stand_for_its_pipes(run, tmp_path):
    (tmp_path / "a.shard").write_text("A[I]\n", "utf-8")
    os.mkfifo(tmp_path / "b.shard")
    assert run("check", ".").output.count(": ok: ") == 1
    (tmp_path / "c.shard").symlink_to("nowhere")
    assert run("check", ".").exit_code == 2


def test_a_directory_stands_for_its_plan_files(run, tmp_path):
    for name in ("plans/b.shard", "plans/deep/a.shard", "plans/.hidden/c.shard", "plans/notes.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("A[I_X, J_X]\n", "utf-8")
    (tmp_path / "a.shard").write_text("B[I]\n", "utf-8")
    shown = run("check", "a.shard", "plans", "--format", "github")
    assert [line.split(",")[0] for line in shown.output.splitlines()] == [
        "::error file=plans/b.shard",
        "::error file=plans/deep/a.shard",
    ]
    assert "b.shard: failed" in run("check", ".").output


def test_github(run, tmp_path):
    (tmp_path / "a.shard").write_text("A[I_X, J_X]\n", "utf-8")
    shown = run("check", "a.shard", "--format", "github")
    assert shown.output.startswith("::error file=a.shard,line=1,col=10,endColumn=11,title=shardlang SL201::")


def test_colour(run):
    assert "\x1b[" not in run("check", "-e", "A[I_X, J_X]").output
    assert "\x1b[1;31m" in run("check", "-e", "A[I_X, J_X]", "--color", "always").output
    assert "\x1b[" not in run("check", "-e", "A[I_X, J_X]", "--color", "never", color=True).output


def test_a_colour_that_is_asked_for_holds(run, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[1;31m" in run("check", "-e", "A[I_X, J_X]", "--color", "always").output


def test_notes_that_repeat_one_another_are_counted(run, tmp_path):
    (tmp_path / "notes.md").write_text("With $a = b$,\n\n$c = d$ and $e = f$.\n", "utf-8")
    shown = run("check", "notes.md").output
    assert "info[SL106]: 3 formulas that are no statements were skipped (lines 1, 3; --verbose draws them)" in shown
    assert run("check", "notes.md", "--verbose").output.count("info[SL106]") == 3
    assert run("parse", "notes.md", "-v").output.count("info[SL106]") == 3
    assert run("check", "notes.md", "--format", "github").output.count("::notice") == 1
    assert len(json.loads(run("check", "notes.md", "--format", "json").output)["diagnostics"]) == 3


def test_steps_are_listed_for_expressions(run, tmp_path):
    text = "A[I, J_X] · B[J_X, K] -> C[I, K]"
    (tmp_path / "a.shard").write_text(text, "utf-8")
    step = "AllReduce_X C[I, K]{U_X} -> C[I, K]"
    assert step in run("check", "-e", text).output
    assert step not in run("check", "a.shard").output
    assert step in run("check", "a.shard", "--steps").output
    assert step not in run("check", "-e", text, "--no-steps").output


def test_project_defaults(run, tmp_path):
    (tmp_path / "pyproject.toml").write_text(
        '[tool.shardlang]\nmesh = { X = 4 }\nhardware = "tpu-v5p"\nsizes = { I = 64 }\nignore = ["SL106"]\n', "utf-8"
    )
    gather = "AllGather_X A[I_X] -> A[I]"
    data = json.loads(run("check", "-e", gather, "--format", "json").output)
    assert data["statements"][0]["steps"][0]["bytes_received"] == 64 * 2 * 3 / 4
    assert data["diagnostics"] == []
    data = json.loads(run("check", "-e", gather, "--mesh", "X=2", "--format", "json").output)
    assert data["statements"][0]["steps"][0]["bytes_received"] == 64 * 2 / 2
    assert "TPU v5p" in run("explain", gather).output


def test_a_choice_is_told_with_its_option(run):
    shown = run("cost", "-e", "A[I]", "--roofs", "my_roof")
    assert shown.exit_code == 2
    assert "Error: --roofs: cannot be 'my_roof'. It is one of math, " in shown.output


def test_a_switch_that_is_not_given_leaves_that_of_the_project(run, tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.shardlang]\nuneven = true\nmesh = { X = 3 }\n", "utf-8")
    for switch in ((), ("--uneven",)):
        data = json.loads(run("check", "-e", "let I = 10", "-e", "A[I_X]", *switch, "--format", "json").output)
        assert [finding["code"] for finding in data["diagnostics"]] == ["SL218"]


def test_every_command_takes_the_settings_of_a_file(run, tmp_path):
    (tmp_path / "pyproject.toml").write_text(
        '[tool.shardlang]\nmesh = { X = 8 }\nhardware = "tpu-v5p"\nsizes = { B = 1024, D = 8192, F = 32768 }\n'
        '[tool.shardlang.per-file."half.shard"]\nmesh = { X = 4 }\n',
        "utf-8",
    )
    for name in ("whole.shard", "half.shard"):
        (tmp_path / name).write_text("AllGather_X W[D_X, F] -> W[D, F]\n", "utf-8")
    gather = 8192 * 32768 * 2  # bytes of W

    def data(*arguments):
        return json.loads(run(*arguments, "--format", "json").output)

    for name, axis in (("whole.shard", 8), ("half.shard", 4)):
        assert data("memory", name)["arrays"][0]["local_shape"][0]["value"] == 8192 / axis
        times = {level["roof"]: level["time"]["value"] for level in data("roofline", name)["total"]["levels"]}
        assert times["ici:X"] == pytest.approx(gather / 1.8e11)  # COST_MODEL: TPU v5p, both directions
    both = data("crossover", "whole.shard", "--against", "half.shard", "--for", "F", "--of", "t_comms")
    assert [finding["code"] for finding in both["diagnostics"]] == ["SL221"]  # X is 8 here and 4 there
    split = data("optimum", "X*Y = 64", "whole.shard", "--for", "X", "--mesh", "X,Y")
    assert split["ok"]
    assert split["split"]["devices"]["value"] == 64
    (tmp_path / "block.shard").write_text("A[B_X, D]", "utf-8")
    sent = json.loads(run("send", "block.shard", "--from", "0", "--to", "4", "--format", "json").output)
    assert sent["hops"] == 4


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ('[tool.shardlang]\nhardwrae = "x"\n', "no setting 'hardwrae'. Did you mean 'hardware'?"),
        ("[tool.shardlang]\nmesh = 4\n", "mesh has the wrong type"),
        ("[tool.shardlang\n", "pyproject.toml"),
        ('[tool.shardlang]\nmesh = { X = "a" }\n', "mesh: X is 'a'"),
        ("[tool.shardlang]\nmesh = { X = 0xf" + 5000 * "0" + " }\n", "mesh: X is a number of 20004 bits"),
        ("[tool.shardlang]\nsizes = { B = 0xf" + 5000 * "0" + " }\n", "sizes: B is a number of 20004 bits"),
        ("[tool.shardlang]\nsizes = { B = 1" + 5000 * "0" + " }\n", "a number has too many digits"),
        ("[tool.shardlang]\nignore = [[3]]\n", "there is no code [3]"),
        ("[tool.shardlang]\nignore = [{ a = 1 }]\n", "there is no code {'a': 1}"),
        ("[tool.shardlang]\nx = " + 5000 * "[", "nested too deeply"),
    ],
)
def test_project_defaults_that_cannot_be_used(run, tmp_path, table, words):
    (tmp_path / "pyproject.toml").write_text(table, "utf-8")
    shown = run("check", "-e", "A[I]")
    assert shown.exit_code == 2
    assert words in shown.output
    assert f"{tmp_path / 'pyproject.toml'}: " in shown.output


def test_hardware_shows_the_chips_of_the_project(run, tmp_path):
    table = '[tool.shardlang.hardware.Mine]\nkind = "tpu"\nflops = { bf16 = 4.0e14 }\nhbm_bandwidth = 2.0e12\n'
    (tmp_path / "pyproject.toml").write_text(table, "utf-8")
    (chip,) = json.loads(run("hardware", "mine", "--format", "json").output)["hardware"]
    assert (chip["id"], chip["kind"]) == ("mine", "tpu")
    rates = {figure["symbol"]: figure["value"] for figure in chip["figures"]}
    assert (rates["C_bf16"], rates["W_hbm"]) == (4e14, 2e12)
    (intensity,) = (figure["value"] for figure in chip["derived"] if figure["symbol"] == "C_bf16/W_hbm")
    assert intensity == 4e14 / 2e12
    assert len([line for line in run("hardware").output.splitlines() if line.startswith("mine ")]) == 1
    (tmp_path / "pyproject.toml").write_text(table.replace("Mine", "h100"), "utf-8")
    assert "C_bf16/W_hbm" in run("hardware", "h100").output  # before that of the catalogue
    assert run("hardware").output.count("\nh100 ") == 1
    assert json.loads(run("hardware", "h100", "--format", "json").output)["hardware"][0]["kind"] == "tpu"


def test_own_hardware(run, tmp_path):
    (tmp_path / "my.toml").write_text('[mine]\nkind = "tpu"\nflops = { bf16 = 1e12 }\nhbm_bandwidth = 1e10\n', "utf-8")
    shown = run(
        "cost", "A[I, J] · B[J, K] -> C[I, K]", "--hw", "my.toml", "--set", "I=100,J=100,K=100", "--format", "json"
    )
    assert json.loads(shown.output)["total"]["t_math"]["value"] == pytest.approx(2 * 100**3 / 1e12)


def test_pages_of_codes(run):
    shown = run("explain", "sl301")
    assert shown.output.startswith("# SL301 not-local")
    assert 'With the keywords `"sizes": {"B": 4096}`:' in run("explain", "SL211").output
    assert not any("<!--" in run("explain", code).output for code in CODES)
    assert run("explain", "SL300").exit_code == 2
    assert "There is no code SL300." in run("explain", "SL300").output
    assert run("explain", "SL301", "--format", "markdown").output == run("explain", "SL301").output


def test_the_page_of_a_code_as_json(run):
    shown = json.loads(run("explain", "sl308", "--format", "json").output)
    jsonschema.validate(shown, shardlang.schema("code"), jsonschema.Draft202012Validator)
    assert (shown["code"], shown["severity"]) == ("SL308", "error")
    assert shown["title"] == CODES["SL308"].title
    assert shown["page"] == run("explain", "SL308").output
    assert run("explain", "SL308", "SL301", "--format", "json").exit_code == 2
    for form in ("latex", "html"):
        refused = run("explain", "SL308", "--format", form)
        assert (refused.exit_code, f"not {form}" in refused.output) == (2, True)


def test_fmt_of_a_document_formats_its_blocks_at_the_margin(run, tmp_path):
    """The prose, formulas and blocks in lists stay to the byte, and so do line ends; a mesh may stand in another block."""
    text = (
        "# Notes \n\r\n```shard\nmesh X=4\n```\n$A[I,J]$ and `A[I,J]`\n\n"
        "```shard\nA[I_{X},J]->A[I,J]  # é\n```\n\n* a\n  ```shard\n  B[I,J]\n  ```\n"
    )
    (tmp_path / "a.md").write_bytes(text.encode())
    (tmp_path / "pyproject.toml").write_text('[tool.shardlang]\ninclude = "*.md"\n', "utf-8")
    mended = text.replace("A[I_{X},J]->A[I,J]", "A[I_X, J] -> A[I, J]")
    assert run("fmt", "--check", ".").exit_code == 1
    assert "A[I_X, J] -> A[I, J]  # é\n" in run("fmt", "a.md").output
    assert run("fmt", "-w", ".").exit_code == 0
    assert (tmp_path / "a.md").read_bytes() == mended.encode()
    assert run("fmt", "--check", ".").exit_code == 0
    (tmp_path / "a.md").write_bytes(text.replace("->A", "->A[").encode())
    assert run("fmt", "-w", "a.md").exit_code == 1  # a block that cannot be read
    assert (tmp_path / "a.md").read_bytes() == text.replace("->A", "->A[").encode()
    (tmp_path / "a.md").write_bytes(b"\xff")
    assert run("fmt", "-w", "a.md").exit_code == 1
    assert (tmp_path / "a.md").read_bytes() == b"\xff"


def test_fmt(run, tmp_path):
    file = tmp_path / "a.shard"
    file.write_bytes(b"# plan\r\nC[I,K]=A[I,J]@B[J,K]   # product\r\n\r\n\r\n$A[I_{X}, J]$\r\n")
    wanted = "# plan\nC[I, K] = A[I, J] · B[J, K]  # product\n\nA[I_X, J]\n"
    assert run("fmt", "a.shard").output == wanted
    assert run("fmt", "--check", "a.shard").exit_code == 1
    diff = run("fmt", "--diff", "a.shard")
    assert diff.exit_code == 1
    assert "+C[I, K] = A[I, J] · B[J, K]  # product" in diff.output
    assert run("fmt", "-w", "a.shard").exit_code == 0
    assert file.read_bytes().decode() == wanted.replace("\n", "\r\n")
    assert run("fmt", "--check", "a.shard").exit_code == 0
    assert run("fmt", "-", input="A[I,J]").output == "A[I, J]\n"
    broken = run("fmt", "-e", "A[I,\nB[")
    assert broken.exit_code == 1
    assert "SL102" in broken.output
    assert run("fmt", "-w", "-e", "A[I]").exit_code == 2


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
@pytest.mark.parametrize("command", [["fmt"], ["fmt", "--diff"], ["check", "--fix", "--diff"], ["check", "--fix"]])
def test_a_text_that_is_printed_does_not_reorder_or_command_a_terminal(run, tmp_path, command):
    """Where the output goes on to a program or a file, comments stay as they are. A tab and the ends of lines always do."""
    import pty

    text = "mesh X=4\r\nA[I] -> B[I]\r\nAllGather_X B[I] -> B[I]\r\nC[I]\t # a\u202eb\x1b[2J é\r\n"
    (tmp_path / "a.shard").write_bytes(text.encode())
    name = "-" if command == ["check", "--fix"] else "a.shard"
    ours, theirs = pty.openpty()
    call, options = (
        [sys.executable, "-m", "shardlang", *command, name],
        {"cwd": tmp_path, "timeout": 60, "check": False},
    )
    subprocess.run(call, input=text.encode(), stdout=theirs, stderr=subprocess.DEVNULL, **options)
    os.close(theirs)
    shown = os.read(ours, 10_000).decode()
    os.close(ours)
    assert "# a<U+202E>b<U+001B>[2J é\r" in shown
    assert "\x1b[2J" not in shown
    assert "\u202e" not in shown
    kept = subprocess.run(call, input=text.encode(), capture_output=True, **options).stdout.decode()
    assert "# a\u202eb\x1b[2J é" in kept
    assert "<U+" not in kept


@pytest.mark.parametrize(
    ("statement", "code"),
    [("In[B, D] · W[L_Z, D, F][i] -> H[B, F]", "SL909"), ("Y[I_X]{max_X, U_Z} -> Y[I]", "SL210"), ("$x = 3$", "SL106")],
)
def test_fmt_never_loses_a_statement(run, tmp_path, statement, code):
    file = tmp_path / "loss.shard"
    text = f"X[I_X]->X[I]\n{statement}\n"
    file.write_text(text, "utf-8")
    for mode in ([], ["-w"], ["--check"], ["--diff"]):
        shown = run("fmt", *mode, "loss.shard")
        assert shown.exit_code == 1
        assert code in shown.output
        assert file.read_text("utf-8") == text


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "html", "json"])
def test_explain_golden(run, golden, form):
    shown = run("explain", FSDP, "--hw", "tpu-v5p", "--format", form)
    assert shown.exit_code == 0
    golden(f"explain-fsdp-tp.{form}", shown.output)


def test_explain_with_numbers_golden(run, golden):
    sizes = ["--mesh", "X=16,Y=4", "--set", "B=32768,D=8192,F=32768"]
    golden("explain-fsdp-tp-sizes.text", run("explain", FSDP, "--hw", "tpu-v5p", *sizes).output)


def test_cost_and_crossover_golden(run, golden):
    golden("cost-fsdp-tp.text", run("cost", FSDP, "--hw", "tpu-v5p").output)
    golden("crossover-fsdp-tp.text", run("crossover", FSDP, "--hw", "tpu-v5p", "--for", "B/X").output)
    assert run("crossover", FSDP, "--for", "Q").exit_code == 2
    assert run("crossover", FSDP).exit_code == 2


def test_what_the_issue_promises(run):
    """`B/X > C/W_ici` and `F/Y > C/W_ici`, both 2550 on v5p in bf16 on rings; summed, `X/B + Y/F < W_ici/C`."""
    shown = run("explain", FSDP, "--hw", "tpu-v5p").output
    assert "B/X > C/W_ici  and  F/Y > C/W_ici" in shown
    assert "C/W_ici = 2550" in shown
    assert "X/B + Y/F < W_ici/C" in run("explain", FSDP, "--hw", "tpu-v5p", "--comms", "sum").output


def test_explained_documents_read_back(run, tmp_path):
    for form, suffix in (("latex", "tex"), ("markdown", "md")):
        text = run("explain", "In[B_X, D_Y] · W_in[D_X, F_Y] -> Tmp[B_X, F_Y]", "--format", form).output
        (tmp_path / f"back.{suffix}").write_text(text, "utf-8")
        data = json.loads(run("check", f"back.{suffix}", "--format", "json").output)
        assert data["ok"], data["diagnostics"]
        assert len(data["statements"]) >= 4


def test_a_closed_pipe_is_quiet(tmp_path):
    file = tmp_path / "many.shard"
    file.write_text("A[I_X, J_X]\n" * 500, "utf-8")
    child = subprocess.Popen(
        [sys.executable, "-m", "shardlang", "check", str(file)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    child.stdout.readline()
    child.stdout.close()
    errors = child.stderr.read()
    child.stderr.close()
    child.wait(60)
    assert errors == b""


def test_a_terminal_that_cannot_show_an_arrow(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "shardlang", "check", "-e", "A[I_X, J_X] → A[I, J]"],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "latin-1"},
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr == b""
    assert rb"A[I_X, J_X] \u2192 A[I, J]" in done.stdout


def test_completion(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "shardlang"],
        capture_output=True,
        text=True,
        env={**os.environ, "_SHARDLANG_COMPLETE": "bash_complete", "COMP_WORDS": "shardlang ch", "COMP_CWORD": "1"},
        cwd=tmp_path,
        check=False,
    )
    assert "check" in done.stdout


def test_text_output_looks_for_no_alternatives(run, monkeypatch):
    """They take several times as long as the check itself, and only JSON shows them."""
    from shardlang.planning import statement

    def refuse(*arguments):
        raise AssertionError("alternatives were looked for")

    text = "A[I, J_X] · B[J, K] -> C[I, K]"
    assert json.loads(run("check", text, "--format", "json").output)["statements"][0]["alternatives"]
    monkeypatch.setattr(statement, "alternatives", refuse)
    assert run("check", text).exit_code == 0


@pytest.mark.parametrize("form", ["sarif", "junit", "github"])
def test_several_texts_in_one_report_of_a_service(run, tmp_path, form):
    (tmp_path / "a.shard").write_text("A[I_X, J_X]\n", "utf-8")
    (tmp_path / "b.shard").write_text("B[I, J]\n", "utf-8")
    shown = run("check", "a.shard", "b.shard", "--format", form)
    assert shown.exit_code == 1
    assert "SL201" in shown.output
    assert run("check", "b.shard", "--format", form).exit_code == 0
    if form == "sarif":
        assert json.loads(shown.output)["version"] == "2.1.0"
    if form == "junit":
        assert shown.output.count("<testsuite ") == 2


def test_services_show_what_is_left_after_fixing(run, tmp_path):
    (tmp_path / "a.shard").write_text("A[I_X, J_X]\nAllReduce_X C[I_X, K] -> C[I, K]\n", "utf-8")
    log = json.loads(run("check", "--fix", "a.shard", "--format", "sarif").output)
    assert [result["ruleId"] for result in log["runs"][0]["results"]] == ["SL201"]

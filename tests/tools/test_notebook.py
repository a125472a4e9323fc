"""The magic, what reports look like in a notebook, and the example notebook."""

import json
import os
import re

import pytest
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

import shardlang
from shardlang.api.flags import COST_FLAGS, PLAN_FLAGS
from tests.docs.sessions import ROOT, fences

FSDP = "In[B_X, D] · W[D_X, F] -> H[B_X, F]"


@pytest.fixture
def shell(tmp_path, monkeypatch):
    """A shell of IPython with the extension."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    made = InteractiveShell(config=Config({"HistoryManager": {"enabled": False}}))
    made.run_line_magic("load_ext", "shardlang")
    return made


def run(shell, cell):
    result = shell.run_cell(cell)
    result.raise_error()
    return result.result


def formats(shell, report):
    return shell.display_formatter.format(report)[0]


@pytest.mark.parametrize("name", ["1x", "a-b", "", "a.b", "class"])
def test_a_report_has_the_name_of_a_variable(shell, name):
    with pytest.raises(UsageError, match=r"--as: .* is no name"):
        run(shell, f"%%shard --as '{name}'\n{FSDP}")
    assert name not in shell.user_ns


def test_a_cell_is_checked(shell, capsys):
    report = run(shell, f"%%shard --mesh X=4\n{FSDP}")
    assert [step.kind for step in report.statements[0].steps] == ["AllGather", "Einsum"]
    assert "AllGather_X W[D_X, F] -> W[D, F]" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("check", "CheckReport"),
        ("parse", "ParseReport"),
        ("cost --hw tpu-v5p --model exact", "CostReport"),
        ("explain", "Explanation"),
        ("crossover --for B --hw tpu-v5p", "CrossoverReport"),
        ("crossover --for B --against 'In[B, D] · W[D, F] -> H[B, F]' --of memory", "CrossoverReport"),
        ("roofline --for B --hw tpu-v5p --assume 'B << D, F'", "RooflineReport"),
        ("optimum 'X*Y = N' --for X --hw tpu-v5p --set B=65536,D=8192,F=32768", "OptimumReport"),
        ("memory --for B --hw tpu-v5p", "MemoryReport"),
        ("plot mesh --array In", "Picture"),
        ("plot sweep --for B --hw tpu-v5p --set D=64 --set F=64", "Picture"),
        ("verify", "VerifyReport"),
        ("fix --unsafe-fixes", "FixedReport"),
    ],
)
def test_commands(shell, line, kind):
    text = FSDP if "optimum" not in line else "In[B_X, D_Y] · W[D_X, F_Y] -> H[B_X, F_Y]"
    report = run(shell, f"%%shard {line}{'' if 'optimum' in line else ' --mesh X=4'}\n{text}")
    assert type(report).__name__ == kind
    shown = formats(shell, report)
    assert shown["text/plain"] == str(report)  # not the line of a prompt, nor that of a tuple
    if kind not in ("ParseReport", "VerifyReport", "FixedReport"):
        assert shown["text/html"].strip().startswith("<")
    if kind not in ("ParseReport", "VerifyReport", "FixedReport", "Picture"):
        assert shown["text/markdown"].strip()
        assert shown["text/latex"].strip()


def test_send(shell):
    report = run(shell, "%%shard send --from X=0 --to X=5 --mesh X=8 --hw tpu-v5p\nbf16[8, 1024]")
    assert report.hops == 3
    shown = formats(shell, report)
    assert "3 hops" in shown["text/plain"]
    for form in ("text/html", "text/markdown", "text/latex"):
        assert "3 hops" in shown[form]
        assert "W_{\\text{ici}}" in shown[form]


FORMS = {"html": "_repr_html_", "markdown": "_repr_markdown_", "latex": "_repr_latex_"}
MIXED = "In[B_X, D_Y] · W[D_X, F_Y] -> H[B_X, F_Y]"
PRICED = {
    "memory": lambda text: shardlang.memory(text, "B", hardware="tpu-v5p"),
    "roofline": lambda text: shardlang.roofline(text, "B", hardware="tpu-v5p"),
    "optimum": lambda text: shardlang.optimum(text, "X*Y = N", "X", hardware="tpu-v5p"),
    "send": lambda text: shardlang.send("A[I_X, J]" if text == MIXED else text, "X=0", "X=1", mesh="X=4"),
    "crossover": lambda text: shardlang.crossover(text, "B", hardware="tpu-v5p"),
}
FORMULAS = {  # in LaTeX, worked out by hand
    "memory": r"\frac{2 B D}{X Y}",  # bytes of In on a device
    "roofline": r"\frac{2 B D F}{X Y C}",  # FLOPs of a device over its rate
    "optimum": r"\sqrt{\frac{B N}{F}}",
    "send": r"\frac{2 I J}{X}",  # bytes of a block of A in bf16
    "crossover": r"\frac{X C}{",  # 2·B·D·F/(X·Y·C) against 2·D·F/(Y·W)
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", PRICED)
def test_reports_show_formulas_without_the_extension(name, form):
    shown = getattr(PRICED[name](MIXED), FORMS[form])()
    assert FORMULAS[name] in shown


@pytest.mark.parametrize("name", PRICED)
def test_reports_escape_what_a_text_says(name):
    """Names of a text make no markup of their own, whether they are refused or read."""
    for text in (
        "A[<script>alert(1)</script>, J_X]\nA[I, `x|y`]",
        "ａ<b>[B_X, D] · W[D_X, &lt;F] -> \\input{x}",
        "A[B_X",
    ):
        report = PRICED[name](text)
        html = report._repr_html_()
        assert (
            re.sub(r"</?(pre|span|code|h[1-6]|table|tr|td|ul|li|p|strong)( style=\"[^\"<>]*\")?>", "", html).count("<")
            == 0
        )
        assert "alert(1)" not in html or "&lt;script&gt;" in html
        assert report._repr_markdown_().startswith("```")
        assert report._repr_latex_().startswith("\\begin{verbatim}")


def test_a_refused_text_shows_its_findings_and_what_is_left():
    report = shardlang.memory(f"A[I_X, J_X]\n{MIXED}")
    assert "SL201" in report._repr_html_()
    assert r"\frac{2 B D}{X Y}" in report._repr_html_()
    both = shardlang.crossover(MIXED, "B", against="A[I_X, J_X]")
    assert "SL201" in both._repr_html_()


def test_findings_of_a_report_are_drawn(shell):
    for line in ("memory", "roofline", "cost", "explain", "crossover --for I"):
        report = run(shell, f"%%shard {line}\nA[I_X, J_X]")
        assert "error[SL201]" in formats(shell, report)["text/plain"], line


def test_options_of_cells_after_a_line(shell):
    assert run(shell, "%shard --mesh X=4 --set D=1024,F=4096,B=65536 --hw tpu-v5p") is None
    report = run(shell, f"%%shard\n{FSDP}")
    assert report.statements[0].steps[0].bytes_received == 1024 * 4096 * 2 * 3 / 4
    report = run(shell, f"%%shard --mesh X=2\n{FSDP}")
    assert report.statements[0].steps[0].bytes_received == 1024 * 4096 * 2 / 2
    text = f"mesh X=8\n{FSDP}"  # what the text says comes first
    assert run(shell, f"%%shard\n{text}").statements[0].steps[0].bytes_received == 1024 * 4096 * 2 * 7 / 8
    run(shell, "%shard")
    assert run(shell, f"%%shard\n{FSDP}").statements[0].steps[0].bytes_received is None


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("cost --mesh X=4", "takes no command: unexpected 'cost'"),
        ("--mesh X=4 --as foo", "takes no name"),
        ("--mesh X=4 --for B", "takes no variable"),
        ("--unsafe-fixes", "takes no unsafe"),
        ("--mesh X=", "mesh: "),
        ("--mesh X=4,X=2", "mesh: the axis X is given twice"),
        ("--dtype b16", "dtype: unknown element type 'b16'"),
        ("--roofs maths", "roofs"),
        ("--ignore SL999", "ignore: there is no code 'SL999'"),
    ],
)
def test_a_line_is_read_at_once(shell, line, words):
    run(shell, "%shard --mesh X=4")
    with pytest.raises(UsageError) as raised:
        run(shell, f"%shard {line}")
    assert str(raised.value).startswith("%shard: ")
    assert words in str(raised.value)
    text = "AllGather_X A[D_X] -> A[D]"
    report = run(shell, f"%%shard --set D=1024\n{text}")
    assert report.statements[0].steps[0].bytes_received == 1024 * 2 * 3 / 4  # what was set before stays


def test_findings_are_selected_and_left_out(shell):
    text = "A[I_X, J_X]\nB[I, J"
    assert [found.code for found in run(shell, f"%%shard --ignore SL1\n{text}").diagnostics] == ["SL201"]
    assert [found.code for found in run(shell, f"%%shard --select SL2 --ignore SL1\n{text}").diagnostics] == ["SL201"]
    run(shell, "%shard --ignore SL1,SL2")
    assert run(shell, f"%%shard cost\n{text}").ok


def test_a_report_under_a_name(shell, capsys):
    report = run(shell, f"%%shard cost --as price\n{FSDP}")
    assert "T_math" in capsys.readouterr().out
    assert shell.user_ns["price"] is report
    assert str(shell.user_ns["price"].t_comms) == "2*D*F/W_ici"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("chek", "there is no command 'chek'. Did you mean 'check'?"),
        ("check --mseh X=4", "unrecognized arguments: --mseh X=4"),
        ("check --model exact", "check takes no model"),
        ("cost --model exat", "invalid choice: 'exat'"),
        ("check plan.shard", "unexpected 'plan.shard'"),
        ("crossover", "crossover needs --for"),
        ("optimum --for X", "optimum needs how to split"),
        ("send --from 0", "send needs --to"),
        ("send --from 0 --to 1 --latency", "send takes no latency"),
        ("memory --roofs math", "memory takes no roofs"),
        ("crossover --for Q", "Q"),
        ("check --mesh X=a", "mesh: X is 'a'"),
        ("check --mesh 'X", "No closing quotation"),
        ("plot pie", "kind: cannot be 'pie'"),
    ],
)
def test_wrong_usage_is_one_line(shell, line, words):
    with pytest.raises(UsageError) as raised:
        run(shell, f"%%shard {line}\n{FSDP}")
    assert words in str(raised.value)


def test_settings_of_the_project(shell, tmp_path):
    (tmp_path / "pyproject.toml").write_text('[tool.shardlang]\nignore = ["SL201"]\n', "utf-8")
    assert run(shell, "%%shard\nA[I_X, J_X]").ok


def test_a_line_leaves_what_the_project_says_of_other_names(shell, tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.shardlang]\nmesh = { X = 4 }\nsizes = { I = 64, J = 8 }\n", "utf-8")
    shell.run_line_magic("shard", "--set I=128")
    (statement,) = run(shell, "%%shard\nAllGather_X A[I_X, J] -> A[I, J]").statements
    assert statement.steps[0].bytes_received == 128 * 8 * 2 * 3 / 4  # I of the line, J of the project


def test_the_options_are_those_of_the_command_line(shell):
    from shardlang.cli import group

    for command, flags in (("check", PLAN_FLAGS), ("cost", (*PLAN_FLAGS, *COST_FLAGS))):
        names = {option for param in group.get_command(None, command).params for option in param.opts}
        assert {flag.name for flag in flags} <= names


HOSTILE = "A[I_X, J_X]  # <script>alert(1)</script> $x$ ``` \\end{verbatim}\nB[<b>, K] -> C[K]\n"


def test_nothing_of_a_text_is_markup(shell):
    for name in ("check", "cost", "explain"):
        report = getattr(shardlang, name)(HOSTILE, name="<img>")
        shown = formats(shell, report)
        assert "<script" not in shown["text/html"]
        assert "<img" not in shown["text/html"]
        assert shown["text/latex"].count("\\end{verbatim}") == 1
        opening = re.match("`+", shown["text/markdown"])[0]
        assert shown["text/markdown"].split("\n").count(opening) == 1  # one line closes the block


def test_formulas_and_steps_are_shown(shell):
    shown = formats(shell, shardlang.check(FSDP))
    assert "<code>AllGather_X W[D_X, F] -&gt; W[D, F]</code>" in shown["text/html"]
    assert "1. `AllGather_X W[D_X, F] -> W[D, F]`" in shown["text/markdown"]
    assert "\\item $\\textbf{AllGather}_X W[D_X, F] \\rightarrow W[D, F]$" in shown["text/latex"]
    shown = formats(shell, shardlang.cost(FSDP, hardware="tpu-v5p"))
    for form in ("text/html", "text/markdown", "text/latex"):
        assert "\\frac{2 D F}{W_{\\text{ici}}}" in shown[form]
    shown = formats(shell, shardlang.explain(FSDP))
    assert "Compute-bound when" in shown["text/html"]
    assert shown["text/latex"].startswith("\\subsection*")
    assert "<svg" in formats(shell, shardlang.plot("A[I_X]", mesh={"X": 2}))["text/html"]


def test_a_report_without_findings_has_no_box(shell):
    assert "<pre" not in formats(shell, shardlang.check(FSDP))["text/html"]
    assert "<pre" in formats(shell, shardlang.check("A[I_X, J_X]"))["text/html"]


def test_the_example_notebook_runs(shell, capsys):
    notebook = json.loads((ROOT / "docs" / "examples" / "shardlang.ipynb").read_text("utf-8"))
    shown = []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []  # what it shows is made when it runs
            shown.append(run(shell, "".join(cell["source"])))
    reports = [report for report in shown if hasattr(report, "ok")]
    assert [report.ok for report in reports] == [True, False, *[True] * (len(reports) - 2)]
    assert reports[1].diagnostics[0].code == "SL312"


def test_the_cells_of_the_page_run(shell):
    cells = [fence.text for fence in fences((ROOT / "docs" / "tools" / "notebooks.md").read_text("utf-8"), "ipython")]
    assert len(cells) == 5
    values = [run(shell, cell) for cell in cells]
    # An AllGather of D·F·2 bytes at 180 GB/s: COST_MODEL, TPU v5p.
    assert values[-1] == pytest.approx(8192 * 32768 * 2 / 1.8e11)


def run_in_a_kernel(notebook, folder):
    """Run a notebook as Jupyter does, in a kernel in a process of its own; return it with its outputs."""
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed: pip install -e '.[dev]'")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed: pip install -e '.[dev]'")
    client = nbclient.NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": folder}}
    )
    return client.execute()


def shown_by(cell):
    """What a cell shows, by type; printed text too."""
    outputs = [output.get("data", {"text/plain": output.get("text", "")}) for output in cell["outputs"]]
    assert all(output["output_type"] != "error" for output in cell["outputs"])
    return {kind: text for data in outputs for kind, text in data.items()}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of the programs of Jupyter
def test_the_example_notebook_runs_in_jupyter(tmp_path, monkeypatch):
    nbformat = pytest.importorskip("nbformat", reason="nbclient is not installed: pip install -e '.[dev]'")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
    done = run_in_a_kernel(nbformat.read(ROOT / "docs" / "examples" / "shardlang.ipynb", 4), str(tmp_path))
    cells = [cell for cell in done.cells if cell.cell_type == "code"]
    plans = [cell for cell in cells if cell.source.startswith("%%shard")]
    assert len(plans) >= 6
    for cell in plans:
        shown = shown_by(cell)
        assert shown["text/plain"].strip()
        words = cell.source.split()
        if words[1] in ("cost", "crossover", "explain", "plot"):  # as the page says
            assert shown["text/html"].lstrip().startswith("<")
    assert "<code>AllGather_X W_in[D_X, F] -&gt; W_in[D, F]</code>" in shown_by(plans[0])["text/html"]
    assert "error[SL312]" in shown_by(plans[1])["text/plain"]
    assert any("<svg" in shown_by(cell).get("text/html", "") for cell in plans)

    nbconvert = pytest.importorskip("nbconvert", reason="nbconvert is not installed: pip install -e '.[dev]'")
    page, _ = nbconvert.HTMLExporter().from_notebook_node(done)
    assert "<code>AllGather_X W_in[D_X, F] -&gt; W_in[D, F]</code>" in page
    done.cells = cells  # pandoc is for the others
    paper, _ = nbconvert.LatexExporter().from_notebook_node(done)
    assert shown_by(plans[0])["text/latex"].strip() in paper
    assert "\\textbf{AllGather}_X" in paper


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_cells_of_the_page_run_in_jupyter(tmp_path, monkeypatch):
    nbformat = pytest.importorskip("nbformat", reason="nbclient is not installed: pip install -e '.[dev]'")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
    cells = [fence.text for fence in fences((ROOT / "docs" / "tools" / "notebooks.md").read_text("utf-8"), "ipython")]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell.rstrip()) for cell in cells])
    done = run_in_a_kernel(notebook, str(tmp_path))
    assert float(shown_by(done.cells[-1])["text/plain"]) == pytest.approx(8192 * 32768 * 2 / 1.8e11)

"""What a report shows at a prompt, where it is printed, and in a cell of IPython."""

import pytest
from IPython.lib.pretty import pretty

import shardlang
from tests.contract.page import ROOT

PLAN = "mesh X=4\nIn[B_X, D] · W[D_X, F] -> H[B_X, F]"
MIXED = "mesh X=2, Y=2\nIn[B_X, D_Y] · W[D_X, F_Y] -> H[B_X, F_Y]"
REPORTS = {
    "check": (lambda text: shardlang.check(text), "AllGather_X W[D_X, F] -> W[D, F]"),
    "parse": (lambda text: shardlang.parse(text), "contraction"),
    "cost": (lambda text: shardlang.cost(text), "T_math"),
    "explain": (lambda text: shardlang.explain(text), "AllGather_X W[D_X, F] -> W[D, F]"),
    "crossover": (lambda text: shardlang.crossover(text, "B", hardware="tpu-v5p"), "B > "),
    "optimum": (lambda text: shardlang.optimum(text, "X*Y = N", "X", hardware="tpu-v5p"), "T_comms is least"),
    "memory": (lambda text: shardlang.memory(text, hardware="tpu-v5p"), "peak"),
    "roofline": (lambda text: shardlang.roofline(text, "B", hardware="tpu-v5p"), "Roofs; intensities"),
    "verify": (lambda text: shardlang.verify(text), "ok"),
    "fix": (lambda text: shardlang.fix(text), "In[B_X, D"),
    "plot": (lambda text: shardlang.plot(text), "In"),
    "send": (lambda text: shardlang.send(text, "X=0", "X=1", mesh="X=4"), "1 hop"),
}
OF = {"optimum": MIXED, "send": "A[I_X, J]"}


@pytest.mark.parametrize("name", REPORTS)
def test_a_prompt_shows_one_line_and_print_the_text(name):
    make, words = REPORTS[name]
    report = make(OF.get(name, PLAN))
    assert report.ok
    assert repr(report).startswith(f"<{type(report).__name__}: ok")
    assert len(repr(report)) < 100
    assert "\n" not in repr(report)
    assert words in str(report)
    assert pretty(report) == str(report)


@pytest.mark.parametrize("name", REPORTS)
def test_findings_are_shown_first(name):
    report = REPORTS[name][0]("A[I_X, J_X]")
    assert str(report).startswith("error[SL201]: `X` shards both `I` and `J` of `A`")
    assert "1 | A[I_X, J_X]" in str(report)
    assert repr(report).startswith(f"<{type(report).__name__}: failed; 1 error (SL201)")


def test_both_texts_of_a_comparison_are_shown():
    report = shardlang.crossover(PLAN, "B", against="A[I_X, J_X]")
    assert "error[SL201]" in str(report)
    assert "1 error (SL201)" in repr(report)


def test_every_report_that_a_function_gives_is_there():
    """Of each name on the page of what is stable, but what gives plain values."""
    page = (ROOT / "docs" / "contract.md").read_text("utf-8")
    for name in shardlang.__all__:
        if f"| `{name}` |" in page and name not in ("format_text", "schema", "hardware", "settings_for"):
            assert name in REPORTS


def test_chips():
    one, all_of_them = shardlang.hardware("tpu-v5p"), shardlang.hardware()
    assert repr(one) == "<HardwareReport: tpu-v5p>"
    assert repr(all_of_them) == f"<HardwareReport: {len(all_of_them.chips)} chips>"
    assert pretty(one) == str(one)
    assert "W_ici" in str(one)


def test_a_line_names_the_file_and_counts():
    report = shardlang.check("A[I_X, J_X]\nB[I_X, J_X]\nA[I, J] ->\nC[K]", name="plans/\u202ea.shard")
    assert repr(report).startswith("<CheckReport of plans/<U+202E>a.shard: ")
    assert "failed; 3 errors (SL201, SL213); 3 statements" in repr(report)
    assert repr(shardlang.check("")) == "<CheckReport: ok; 0 statements>"
    assert str(shardlang.check("")) == "<text>: ok: 0 statements"


def test_a_line_shows_nothing_of_a_terminal():
    report = shardlang.cost("A[I_X, J_X]", name="a\x1b[31m\n\u202e.shard")
    assert repr(report).isprintable()


def test_printing_a_clean_report_loads_nothing_heavy():
    import subprocess
    import sys

    ask = (
        "import shardlang, sys; print(shardlang.check('A[I_X] -> A[I]')); print({'sympy', 'numpy'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.splitlines()[-1] == "set()"

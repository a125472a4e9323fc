"""The contract with programs that embed shardlang: attributes, and JSON that its published schema describes."""

import json
import subprocess
import sys
import time
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest

import shardlang
from shardlang.api import OptionError
from shardlang.api.schemas import NAMES

PLAN = """mesh X=4, Y=2
let D = 8192
In[B_X, D_Y] · W[D_X, F_Y] -> Tmp[B_X, F_Y]
Act[B_X, F_Y] = gelu(Tmp[B_X, F_Y])
AllGather_Y Act[B_X, F_Y] -> Act[B_X, F]
Act[B_X, F] -> Act[B, F_X]
W_in[D_X, F]
"""
BROKEN = "A[I_X, J_X]\nC[I, K] = A[I, J_X] · B[J_X, L]\nA[I,\n?\n"


EXAMPLES = Path(shardlang.__file__).parents[1] / "docs" / "examples"


def matches(name, data):
    schema = shardlang.schema(name)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(json.dumps(data)), schema, jsonschema.Draft202012Validator)
    return True


@pytest.mark.parametrize("text", [PLAN, BROKEN, "", "AllGather_X A[I_X]", "int8[16384, 4096] @ bf16[4096, 8]"])
def test_json_matches_its_schema(text):
    assert matches("check", shardlang.check(text).to_dict())
    assert matches("parse", shardlang.parse(text).to_dict())
    assert matches("cost", shardlang.cost(text, hardware="tpu-v5p").to_dict())
    assert matches("explain", shardlang.explain(text).to_dict())
    assert matches("memory", shardlang.memory(text, hardware="tpu-v5p").to_dict())


@pytest.mark.parametrize("path", sorted(EXAMPLES.rglob("*.*d")), ids=lambda path: path.stem)
def test_json_of_every_example_matches_its_schema(path):
    options = {"document": "markdown"} if path.suffix == ".md" else {}
    text = path.read_text("utf-8")
    assert matches("parse", shardlang.parse(text, **options).to_dict())
    assert matches("check", shardlang.check(text, **options).to_dict())
    assert matches("check", shardlang.fix(text, **options).to_dict())
    for name in ("cost", "explain", "verify"):
        if path.name == "options.md":  # its texts are plans of their own, which have no price in common
            with pytest.raises(OptionError, match="2 texts of their own"):
                getattr(shardlang, name)(text, **options)
        else:
            assert matches(name, getattr(shardlang, name)(text, **options).to_dict())


def test_schemas_are_in_the_package():
    shipped = {file.name.removesuffix(".json") for file in (files("shardlang") / "schema").iterdir()}
    assert set(NAMES) == shipped
    assert shardlang.schema("fix") == shardlang.schema("check")
    with pytest.raises(OptionError, match=r"^name: cannot be 'chek'\. Did you mean check\?"):
        shardlang.schema("chek")


def test_crossover_json_matches_its_schema():
    report = shardlang.crossover("In[B_X, D_Y] · W[D_X, F_Y] -> Tmp[B_X, F_Y]", "B", hardware="tpu-v5p")
    assert matches("crossover", report.to_dict())


def test_a_comparison_and_latency_match_the_schema_of_crossovers():
    text, other = "A[B, D_X] · W[D_X, F] -> C[B, F]", "A[B, D] · W[D, F] -> C[B, F]"
    matches("crossover", shardlang.crossover(text, "D", against=other, of="t_comms", hardware="tpu-v5p").to_dict())
    matches("crossover", shardlang.crossover(text, "X", latency=True, hardware="tpu-v5p").to_dict())


@pytest.mark.parametrize("text", [PLAN, BROKEN, "", "AllGather_X A[I_X]", "A[I, J] · B[J, K] -> C[I, K]\nC[I, K]"])
@pytest.mark.parametrize("keywords", [{}, {"hardware": "tpu-v5e", "sizes": {"I": 64, "J": 64, "K": 64}}])
def test_roofline_json_matches_its_schema(text, keywords):
    roofs = {"roofs": "math,ici,hbm,vmem,pcie"}
    assert matches("roofline", shardlang.roofline(text, **keywords).to_dict())
    assert matches("roofline", shardlang.roofline(text, **keywords, **roofs).to_dict())
    assert matches("cost", shardlang.cost(text, **keywords, **roofs).to_dict())
    assert matches("explain", shardlang.explain(text, **keywords, **roofs).to_dict())


def test_json_under_assumptions_matches_its_schema():
    text, more = "In[B_X, D_Y] · W[D_X, F_Y] -> Tmp[B_X, F_Y]", {"assume": ["B << D, F", "1 << X"], "model": "exact"}
    assert matches("cost", shardlang.cost(text, **more).to_dict())
    assert matches("explain", shardlang.explain(text, **more).to_dict())
    assert matches("crossover", shardlang.crossover(text, "B", **more).to_dict())
    data = shardlang.roofline(text, "B", **more).to_dict()
    assert matches("roofline", data)
    assert data["assume"] == ["B << D, F", "1 << X"]


def test_roofline_attributes():
    report = shardlang.roofline(
        "X[B, D] · W[D, F] -> Y[B, F]\nY[B, F] · V[F, D] -> Z[B, D]",
        "B",
        hardware="tpu-v5e",
        sizes={"D": 8192, "F": 32768},
    )
    assert [len(report.statements), report.total.binds] == [2, None]
    assert [one.roof for one in report.statements[0].ranges] == ["hbm", "math"]
    assert str(report).count("Along B") == 3
    with pytest.raises(ValueError, match="no symbol `Q`"):
        shardlang.roofline("X[B, D] · W[D, F] -> Y[B, F]", "Q")
    with pytest.raises(shardlang.OptionError, match="variable"):
        shardlang.roofline("X[B, D] · W[D, F] -> Y[B, F]", 3)
    assert not shardlang.roofline("A[I, J] · B[J, K", "J").ok
    assert shardlang.roofline("").total.levels == ()


def test_a_schema_refuses_what_is_not_in_it():
    data = shardlang.check("A[I_X]").to_dict()
    with pytest.raises(jsonschema.ValidationError):
        matches("check", {**data, "extra": 1})
    with pytest.raises(jsonschema.ValidationError):
        matches("check", {**data, "schema": 2})


def test_check_attributes():
    report = shardlang.check("A[I, J_X] · B[J_X, K] -> C[I, K]", mesh={"X": 4}, sizes={"I": 8, "J": 64, "K": 16})
    assert report.ok
    assert report.diagnostics == ()
    (statement,) = report.statements
    assert statement.output == "C[I, K]"
    local, collective = statement.steps
    assert (local.kind, local.axes, local.bytes_received) == ("Einsum", (), 0.0)
    assert (collective.kind, collective.axes, collective.dims) == ("AllReduce", ("X",), ())
    assert collective.text == "AllReduce_X C[I, K]{U_X} -> C[I, K]"
    # An AllReduce of V bytes: 2·V·(N-1)/N are received, V = 8·16·2 bytes in bf16.
    assert collective.bytes_received == 2 * 8 * 16 * 2 * 3 / 4


def test_bytes_are_open_while_a_size_is():
    report = shardlang.check("AllGather_X A[I_X, J] -> A[I, J]", mesh={"X": 4}, sizes={"I": 8})
    assert report.statements[0].steps[0].bytes_received is None


def test_a_literal_size_needs_no_name():
    report = shardlang.check("AllGather_X A[I_X, 16] -> A[I, 16]", mesh={"X": 4}, sizes={"I": 8})
    if report.ok:
        assert report.statements[0].steps[0].bytes_received == 8 * 16 * 2 * 3 / 4


def test_findings_have_places():
    report = shardlang.check("mesh X=4\nA[I_X, J_X]")
    assert not report.ok
    (found,) = report.diagnostics
    assert (found.code, found.severity) == ("SL201", "error")
    assert (found.span.line, found.span.end_line) == (2, 2)
    assert "A[I_X, J_X]"[found.span.column - 1 : found.span.end_column - 1] == "X"
    assert report.statements == ()
    assert report.arrays[0].output is None
    assert report.to_dict()["statements"] == []


def test_an_ignored_error_leaves_the_text_ok():
    assert shardlang.check("A[I_X, J_X]  # shardlang: ignore[SL201]").ok
    assert shardlang.check("A[I_X, J_X]  # shardlang: ignore").ok
    assert not shardlang.check("A[I_X, J_X]  # shardlang: ignore[SL203]").ok
    assert shardlang.check("A[I_X, J_X]", ignore=["SL201"]).ok
    assert shardlang.check("A[I_X, J_X]", ignore="SL201").ok


def test_a_comment_ignores_what_its_statement_says_and_nothing_else():
    text = "A[I_X, J_X]\nB[I_X,\n  J_X]  # shardlang: ignore[SL201]\nC[I_X, J_X]"
    assert [finding.span.line for finding in shardlang.check(text).diagnostics] == [1, 4]


@pytest.mark.slow
def test_one_ignored_statement_does_not_slow_down_many_refused_ones():
    started = time.process_time()
    shardlang.check("A[I_X, J_X]\n" * 20_000 + "B[I_X, J_X]  # shardlang: ignore\n")
    assert time.process_time() - started < 20


def test_options_replace_what_the_text_says_and_defaults_do_not():
    text = "mesh X=4\nlet I=8\nAllGather_X A[I_X] -> A[I]"
    assert shardlang.check(text).statements[0].steps[0].bytes_received == 8 * 2 * 3 / 4
    by_option = shardlang.check(text, mesh="X=2")
    assert by_option.statements[0].steps[0].bytes_received == 8 * 2 / 2
    assert [found.code for found in by_option.diagnostics] == ["SL211"]
    by_default = shardlang.check(text, _defaults={"mesh": {"X": 2}, "sizes": {"I": 80}, "dtype": "f32"})
    assert by_default.statements[0].steps[0].bytes_received == 8 * 4 * 3 / 4
    assert by_default.diagnostics == ()


def test_bytes_and_byte_order_marks():
    assert shardlang.check("\ufeffA[I_X]").ok
    assert shardlang.check("\ufeffA[I_X] · B[I_X]\r\n".encode()).ok
    for raw in (b"A[I_X]\n\xff", "A[I]".encode("utf-16")):
        report = shardlang.check(raw)
        assert [found.code for found in report.diagnostics] == ["SL103"]
        assert "UTF-" in report.diagnostics[0].message


def test_unknown_hardware():
    with pytest.raises(shardlang.OptionError, match=r"did you mean `tpu-v5p`"):
        shardlang.check("A[I]", hardware="tpu-v5pp")
    report = shardlang.check("hardware tpu-v5pp\nA[I]")
    assert [(found.code, found.span.line, found.span.column) for found in report.diagnostics] == [("SL501", 1, 10)]


def test_cost_attributes():
    estimate = shardlang.cost("In[B_X, D] · W[D_X, F] -> H[B_X, F]", hardware="tpu-v5p")
    names = {symbol.name: symbol for symbol in estimate.t_math.free_symbols}
    b, d, f, x, c = (names[name] for name in "BDFXC")
    assert estimate.t_math == 2 * b * d * f / (x * c)
    assert estimate.value(estimate.t_math) is None
    assert estimate.statements[0].t_comms == estimate.t_comms
    sized = shardlang.cost("In[B_X, D] · W[D_X, F] -> H[B_X, F]", hardware="tpu-v5p", sizes="B=65536,D=8192,F=8192,X=4")
    # 2·D·F bytes over 180 GB/s.
    assert sized.value(sized.t_comms) == pytest.approx(2 * 8192 * 8192 / 1.8e11)
    (crossover,) = [found for found in estimate.crossover("B/X") if found.between == ("math", "ici:X")]
    assert (crossover.relation, str(crossover.threshold), crossover.exact) == (">", "C/W_ici", True)
    assert crossover.value == pytest.approx(4.59e14 / 1.8e11)


def test_crossover_of_an_unknown_name():
    text = "A[I, J_X] · B[J, K] -> C[I, K]"
    with pytest.raises(ValueError, match=r"no symbol `Q`") as by_function:
        shardlang.crossover(text, "Q")
    with pytest.raises(ValueError, match=r"no symbol `Q`") as by_method:
        shardlang.cost(text).crossover("Q")
    assert (by_function.type, str(by_function.value)) == (by_method.type, str(by_method.value))


@pytest.mark.parametrize("text", [None, Path("plan.shard"), 5, bytearray(b"A[I]")])
@pytest.mark.parametrize("function", [shardlang.check, shardlang.parse, shardlang.cost, shardlang.format_text])
def test_what_is_no_text(function, text):
    with pytest.raises(TypeError, match=r"^text: expected the statements, as str or bytes, not \w+"):
        function(text)


def test_hardware_figures_can_be_given():
    sizes = {"I": 1024, "J": 1024, "K": 1024, "W_hbm": 8.1e11}
    estimate = shardlang.cost("A[I, J] · B[J, K] -> C[I, K]", hardware="tpu-v5e", sizes=sizes)
    assert estimate.value(estimate.t_hbm) == pytest.approx(3 * 2 * 1024 * 1024 / 8.1e11)


HEAVY = ("sympy", "numpy")


@pytest.mark.parametrize(
    "code",
    [
        "import shardlang",
        "import shardlang; shardlang.check('A[I, J_X] · B[J, K] -> C[I, K]')",
        "import shardlang; shardlang.check('A[I_X, J_X]').to_dict()",
        "import shardlang; shardlang.parse('A[I_X, J]'); shardlang.format_text('A[I_X,J]')",
        (
            "import sys, shardlang.cli; sys.argv = ['shardlang', 'check', '-e', 'A[I_X, J_X]']\n"
            "try: shardlang.cli.main()\nexcept SystemExit: pass"
        ),
    ],
)
def test_checking_loads_nothing_heavy(code):
    ask = f"{code}\nimport sys; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_public_names():
    assert set(shardlang.__all__) <= set(dir(shardlang))
    for name in shardlang.__all__:
        assert getattr(shardlang, name) is not None
    with pytest.raises(AttributeError, match="chekc"):
        _ = shardlang.chekc


def test_cost_is_the_function_although_a_room_has_its_name():
    import shardlang.cost.estimate
    from shardlang.cost.estimate import estimate

    assert callable(shardlang.cost)
    assert shardlang.cost.__module__ == "shardlang.api"
    assert callable(estimate)


def test_the_hint_is_one_text_and_fixes_are_all():
    for report in (shardlang.check("A[I_X, J_X]"), shardlang.parse("A[I_X, J_X]"), shardlang.cost("A[I_X, J_X]")):
        (found,) = report.diagnostics
        assert found.hint == "A[I_X, J]"
        assert [fix.text for fix in found.fixes] == ["A[I_X, J]", "A[I, J_X]"]
        open_ = dict.fromkeys(("collectives", "bytes_received", "time", "executed"))
        assert found.to_dict()["fixes"] == [
            {"title": fix.title, "text": fix.text, **open_, "safe": False} for fix in found.fixes
        ]
        assert all(shardlang.check(fix.text).ok for fix in found.fixes)


def test_a_hint_may_have_several_lines():
    (found,) = shardlang.check("A[I, J_X] ·_LOCAL B[J, K] -> C[I, K]").diagnostics
    assert found.hint == found.fixes[0].text
    assert len(found.hint.splitlines()) == 2
    assert shardlang.check(found.hint).ok


def test_a_fix_that_removes_a_statement_has_no_text():
    (found,) = shardlang.check("AllReduce_X C[I] -> C[I]").diagnostics
    assert [fix.text for fix in found.fixes] == [""]
    assert found.hint == found.fixes[0].title


def test_parse_shows_only_fixes_that_work():
    (found,) = shardlang.parse("D = 4096").diagnostics
    assert [fix.text for fix in found.fixes] == ["let D = 4096"]


def _unused(text, **options):
    found = [finding for finding in shardlang.check(text, **options).diagnostics if finding.code == "SL225"]
    return [(finding.severity, finding.message.split("`")[1], finding.hint) for finding in found]


def test_a_size_of_nothing_is_noted():
    plan = "mesh X=4\nlet F = 4*D\nIn[batch_X, D] · W[D, F] -> H[batch_X, F]"
    assert _unused(plan, sizes={"batch": 64, "D": 8, "F": 32, "W_hbm": 1e12, "C": 1e12}) == []
    assert _unused(plan, sizes={"bacth": 64, "Q": 8}) == [
        ("info", "bacth", "did you mean `batch`?"),
        ("info", "Q", None),
    ]
    assert _unused(plan, sizes={"In": 64}) == [("info", "In", None)]  # an array has no size
    assert _unused("A[I_X]", sizes={"X": 4}, mesh={"X": 4, "Y": 2}) == []
    assert _unused(plan, _defaults={"sizes": {"Q": 8}}) == []


def test_what_a_refused_statement_has_in_it_is_not_known():
    assert _unused("A[I, J_X] B[J_X, Q] -> C[I, Q]", sizes={"Q": 8, "R": 8}) == [("info", "R", None)]


def test_schemas_define_what_they_share_alike():
    """Each schema stands for itself, so that definitions are repeated; two readers of one thing need one definition."""
    schemas = files("shardlang") / "schema"
    crossovers, optima = (
        json.loads((schemas / f"{name}.json").read_text("utf-8"))["$defs"] for name in ("crossover", "optimum")
    )
    assert {"diagnostic", "fix", "crossover", "uncrossed"} <= crossovers.keys() & optima.keys()
    assert {name: crossovers[name] for name in crossovers.keys() & optima.keys()} == {
        name: optima[name] for name in crossovers.keys() & optima.keys()
    }

"""What a caller may bound: characters, statements, time. Nothing else about a text changes."""

from concurrent.futures import ThreadPoolExecutor
from itertools import count

import numpy as np
import pytest

import shardlang
from shardlang import Limits
from shardlang.api import OptionError
from shardlang.limits import Clock, OutOfTimeError

PLAN = "mesh X=4\nA[I_X, J] -> A[I, J]\nB[I_X, J_X]\nC[I, K] = A[I, J] · B[J, K]\n"
WORDS = {"crossover": ("B",), "optimum": ("X*Y = N", "X"), "plot": ("roofline",), "send": ("X=0,Y=0", "X=1,Y=1")}
FUNCTIONS = ("check", "parse", "cost", "memory", "crossover", "optimum", "roofline", "explain", "verify", "fix", "plot")


def call(name, text, **keywords):
    """Call a function with what it takes besides the text."""
    return getattr(shardlang, name)(text, *WORDS.get(name, ()), **keywords)


def codes(report):
    found = getattr(report, "check", report).diagnostics
    return [finding.code for finding in found]


def many(lines):
    """A plan that takes a while: its statements are all different."""
    return "mesh X, Y, Z\n" + "".join(
        f"In{n}[B_X, D_Y] · W{n}[D_X, F_Z] · V{n}[F_Y, H_Z] -> Out{n}[B_X, H_Y]\n" for n in range(lines)
    )


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (Limits(max_chars=20), "the text has 70 characters; the limit is 20"),
        ({"max_statements": 3}, "the text has more than 3 statements; that is the limit"),
        ({"max_statements": 0}, "the text has more than 0 statements; that is the limit"),
    ],
)
def test_a_text_over_a_limit_is_not_checked(name, limits, message):
    report = call(name, PLAN, limits=limits)
    report = getattr(report, "check", report)
    assert [(finding.code, finding.message) for finding in report.diagnostics] == [("SL601", message)]
    assert not report.ok
    assert not getattr(report, "statements", ())


def test_a_text_within_the_limits_is_checked_as_without():
    limits = Limits(max_chars=len(PLAN), max_statements=4, max_time=60)
    assert shardlang.check(PLAN, limits=limits).to_dict() == shardlang.check(PLAN).to_dict()
    assert shardlang.check(PLAN, limits=None).to_dict() == shardlang.check(PLAN).to_dict()


def test_statements_of_a_document_count_too():
    text = "$A[I] -> B[I]$ and $C[I] -> D[I]$\n\n```shard\nE[I]\n```\n"
    assert codes(shardlang.check(text, document="markdown", limits={"max_statements": 3})) == []
    assert codes(shardlang.check(text, document="markdown", limits={"max_statements": 2})) == ["SL601"]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_without_time_nothing_is_read(name):
    report = call(name, PLAN, limits=Limits(max_time=0))
    assert codes(report) == ["SL607"]
    assert not report.ok


@pytest.mark.parametrize("name", FUNCTIONS)
def test_time_is_kept(name, monkeypatch):
    """The clock is looked at all along: one that goes on by a second at each look stops the call."""
    seconds = count()
    monkeypatch.setattr("shardlang.limits.monotonic", lambda: next(seconds))
    report = call(name, many(400), limits=Limits(max_time=40))
    assert codes(report).count("SL607") == 1
    assert not report.ok


NUMBERS = "mesh X=4, Y=2, Z=2\nhardware tpu-v5p\nlet B=1024, D=512, F=512, H=512\n"
PRICED, PLANNED = "shardlang.api.priced._priced", "shardlang.api.running.plan_text"
# What each function does when everything is priced (or planned): its words besides the text, and where the clock starts.
LATE = {
    "crossover": (("B",), {}, PRICED),
    "crossover of plans": (("B",), {"against": "C[B_X, D] -> C[B, D]"}, "shardlang.api.comparing.price_report"),
    "optimum": (("X*Y = N", "X"), {}, PRICED),
    "optimum of whole": (("X*Y = 64", "X"), {}, PRICED),
    "roofline": ((), {}, PRICED),
    "roofline along": (("B",), {}, PRICED),
    "memory": (("B",), {}, PRICED),
    "plot": (("roofline",), {}, PRICED),
    "plot of a sweep": (("sweep",), {"variable": "B"}, PRICED),
    "plot of splits": (("split",), {"split": "X*Y=16"}, PRICED),
    "verify": ((), {}, "shardlang.api.verifying.run_plan"),
    "fix": ((), {}, "shardlang.api.mending.judged"),
}


def start_late(monkeypatch, where):
    """Let time stand still until a function has come back; then a second goes by at each look at the clock."""
    import importlib

    module, _, name = where.rpartition(".")
    original, seconds, started = getattr(importlib.import_module(module), name), count(), []

    def run(*arguments, **keywords):
        found = original(*arguments, **keywords)
        started.append(name)
        return found

    monkeypatch.setattr(where, run)
    monkeypatch.setattr("shardlang.limits.monotonic", lambda: next(seconds) if started else 0)
    return started


@pytest.mark.parametrize("what", LATE)
@pytest.mark.parametrize("left", [1, 2])
def test_time_is_kept_when_everything_is_priced(what, left, monkeypatch):
    """What a function solves, draws or runs beyond the price has its share of the time, and says where it had none."""
    words, keywords, where = LATE[what]
    plan = many(6).split("\n", 1)[1]
    text = "mesh X, Y, Z\n" + plan
    text = NUMBERS + plan if what.startswith(("plot", "memory")) else text
    text = "A[I_X]  # shardlang: ignore[SL201]\n" * 3 if what == "fix" else text
    started = start_late(monkeypatch, where)
    report = getattr(shardlang, what.split()[0])(text, *words, **keywords, limits=Limits(max_time=left))
    assert started
    assert codes(report).count("SL607") == 1
    assert not report.ok
    found = {"crossover": "crossovers", "optimum": "optimum", "memory": "limits", "plot": "drawing"}.get(
        what.split()[0]
    )
    assert not found or not getattr(report, found)
    if what.startswith("roofline"):
        assert any(one.late and not one.levels for one in (*report.statements, report.total))
    for shown in (str, lambda one: one.to_dict()) if what != "fix" and not what.startswith("plot") else ():
        assert shown(report)


def test_what_was_solved_in_time_stands(monkeypatch):
    start_late(monkeypatch, PRICED)
    report = shardlang.roofline(many(8), limits=Limits(max_time=40))
    late = [one.late for one in report.statements]
    assert late == sorted(late)
    assert late[0] is False
    assert late[-1] is True
    assert report.statements[0].levels == shardlang.roofline(many(8)).statements[0].levels


@pytest.mark.parametrize(("name", "words"), [("roofline", ()), ("crossover", ("B",)), ("optimum", ("X*Y = N", "X"))])
def test_a_report_is_asked_without_the_clock_of_its_call(name, words, monkeypatch):
    """The formulas of a call that was late can be asked for more, as long as that takes."""
    start_late(monkeypatch, PRICED)
    report = getattr(shardlang, name)(many(2), *words, limits=Limits(max_time=1))
    assert codes(report) == ["SL607"]
    wanted = shardlang.cost(many(2)).estimate.crossover("B")
    assert report.cost.estimate.crossover("B") == wanted
    if name == "roofline":
        assert report.total.prices.crossover("B") == wanted


def test_explain_runs_fixes_while_there_is_time(monkeypatch):
    text = "A[I, J_X] · B[J, K_X] -> C[I_X, K_X]\n"
    (found,) = shardlang.explain(text).diagnostics
    assert found.fixes[0].executed is True
    start_late(monkeypatch, "shardlang.api.running.finding_reports")
    (found,) = shardlang.explain(text, limits=Limits(max_time=1)).diagnostics
    assert [fix.executed for fix in found.fixes] == [None] * len(found.fixes)


HEADS = ("# shardlang: ignore-file\n", "# shardlang: ignore-file[SL607, SL601]\n", "# shardlang: ignore[SL6]\n")


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize(
    ("limits", "code"), [({"max_chars": 60}, "SL601"), ({"max_statements": 2}, "SL601"), ({"max_time": 0}, "SL607")]
)
def test_no_comment_hides_a_limit(name, head, limits, code):
    report = call(name, head + PLAN, limits=limits)
    assert codes(report) == [code]
    assert not getattr(report, "check", report).ok


@pytest.mark.parametrize("comment", ["", "  # shardlang: ignore", "  # shardlang: ignore[SL607]"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_comment_hides_that_time_is_used_up(name, comment, monkeypatch):
    """Nor is a comment called unused where what it is for was not looked at."""
    seconds = count()
    monkeypatch.setattr("shardlang.limits.monotonic", lambda: next(seconds))
    report = call(name, many(120).replace("\n", comment + "\n"), limits=Limits(max_time=200))
    assert codes(report) == ["SL607"]
    assert not getattr(report, "check", report).ok


def test_no_comment_hides_a_statement_that_is_over_a_bound():
    axes = ", ".join(f"D{n}" for n in range(40))
    assert codes(shardlang.check(f"A[{axes}]  # shardlang: ignore")) == ["SL604"]


def test_another_plan_is_bounded_too():
    for limits, code in (({"max_chars": 20}, "SL601"), ({"max_time": 0}, "SL607")):
        report = shardlang.crossover("A[I_X] -> A[I]", "I", against="B[I_X, J] -> B[I, J]  # 27", limits=limits)
        assert not report.ok
        assert codes(report.against) == [code]


def test_send_is_bounded():
    assert codes(call("send", "A[I_X, J_Y]", mesh="X=2,Y=2", limits={"max_chars": 5})) == ["SL601"]
    assert "SL607" in codes(call("send", "A[I_X, J_Y]", mesh="X=2,Y=2", limits={"max_time": 0}))


def test_what_was_done_in_time_stands(monkeypatch):
    """The clock stops in the planning of the third statement."""
    left = iter([False] * 1000)
    planned = []

    def over(self):
        if self._end is None:
            return False
        return next(left, True) if len(planned) < 3 else True

    from shardlang.planning.statement import Planner

    original = Planner._plan

    def plan(self, statement):
        planned.append(statement)
        return original(self, statement)

    monkeypatch.setattr(Clock, "over", over)
    monkeypatch.setattr(Planner, "_plan", plan)
    report = shardlang.check("A[I_X] -> A[I]\nB[I_X] -> B[I]\nC[I_X] -> C[I]\nD[I_X] -> D[I]", limits={"max_time": 9})
    assert [statement.output is None for statement in report.statements] == [False, False, True, True]
    (found,) = report.diagnostics
    assert (found.code, found.span.line) == ("SL607", 3)
    assert found.message == "the time limit of 9 s is used up: this statement and those after it are not planned"


def test_with_limits_a_text_names_no_file(tmp_path):
    chips = tmp_path / "chips.toml"
    chips.write_text('[mine]\nkind = "tpu"\nflops = { bf16 = 1e12 }\n', "utf-8")
    for text in (f'hardware "{chips}"\nA[I] -> B[I]', f'hardware "{chips}:mine"', f'hardware "{tmp_path}/gone.toml"'):
        (found,) = shardlang.check(text, limits=Limits()).diagnostics
        assert (found.code, found.span.line) == ("SL504", 1)
        assert "the caller does not let a text name a hardware file" in found.message
    plan = "A[I, J] · B[J, K] -> C[I, K]"
    for text, options in (
        (f'hardware "{chips}"\n{plan}', {}),
        (f'hardware "{chips}"\n{plan}', {"limits": Limits(files=True)}),
        (plan, {"limits": Limits(), "hardware": chips}),
        (plan, {"limits": Limits(), "_defaults": {"hardware": str(chips)}}),
    ):
        report = shardlang.cost(text, sizes="I=100,J=100,K=100", **options)
        assert report.value(report.t_math) == pytest.approx(2 * 100**3 / 1e12)


def test_a_clock():
    assert not Clock().over()
    Clock().check()
    late = Clock(0)
    assert late.over()
    with pytest.raises(OutOfTimeError):
        late.check()
    assert not Clock(60).over()


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (5, "limits: expected shardlang.Limits or a mapping, not 5"),
        ({"max_tme": 5}, "limits: cannot be 'max_tme'. Did you mean max_time?"),
        ({"max_chars": 1.5}, "limits: max_chars is 1.5; expected a whole number that is not negative."),
        ({"max_chars": None}, "limits: max_chars is None"),
        ({"max_chars": 2e4}, "limits: max_chars is 20000.0; expected a whole number"),
        ({"max_time": -1}, "limits: max_time is -1; expected a number of seconds that is not negative, or None."),
        ({"max_time": 10**400}, "limits: max_time is 1000"),
        ({"max_time": "5"}, "limits: max_time is '5'"),
        ({"max_statements": np.array([4])}, "limits: max_statements is array([4]); expected a whole number"),
        ({"max_time": float("nan")}, "limits: max_time is nan"),
        ({"files": 1}, "limits: files is 1"),
        ({"max_statements": True}, "limits: max_statements is True"),
    ],
)
def test_limits_that_cannot_be_used(limits, words):
    with pytest.raises(OptionError) as raised:
        shardlang.check("A[I]", limits=limits)
    assert words in str(raised.value)


def test_limits_are_numbers_of_any_library():
    assert shardlang.check(PLAN, limits={"max_chars": np.int64(20_000), "max_time": np.float32(60)}).diagnostics == (
        shardlang.check(PLAN).diagnostics
    )
    assert shardlang.check(PLAN, limits={"max_chars": np.int64(3)}).diagnostics[0].code == "SL601"


def test_each_thread_has_its_own_limits():
    """Calls with and without limits at once: each gets what it would get alone."""
    texts = [PLAN, "A[I_X, J_X]", "A[I, J_X] · B[J, K] -> C[I, K]", "A[I\n"]
    limits = [None, {"max_chars": 3}, {"max_statements": 1}, {"max_time": 60}]
    jobs = [(text, limit) for text in texts for limit in limits] * 3
    alone = [shardlang.check(text, limits=limit).to_dict() for text, limit in jobs]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda job: shardlang.check(job[0], limits=job[1]).to_dict(), jobs)) == alone

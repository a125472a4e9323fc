"""The judges themselves: a right answer made by hand passes, and each planted bug fails."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from tests.oracles import nonsense
from tests.oracles.command_line import CommandLine
from tests.oracles.formulas import read_formula, same_formula
from tests.oracles.judge_book import judge_record
from tests.oracles.judge_costs import compute_bound_relation, judge_costs
from tests.oracles.judge_documents import judge_bug, judge_note, stray_letters
from tests.oracles.judge_jax import CHAIN_ORDER, PENDING_SUM, SECOND_ONLY, judge_jax, statement
from tests.oracles.judge_parse import judge_parse
from tests.oracles.judge_reports import judge_report
from tests.oracles.judge_steps import judge_steps
from tests.oracles.notation import canonical, read_array, read_arrays, read_axes, read_move, sides
from tests.oracles.product import Json, Product
from tests.oracles.records import HERE, compare_with_known, known_differences, read_jsonl
from tests.oracles.worked import judge_worked

Change = Callable[[Json], None]


class Scripted(Product):
    """A product that gives one answer to every question."""

    def __init__(self, answer: Json | list[Json]) -> None:
        self.answer = answer

    def check(self, text: str, **options: Any) -> Any:
        return self.answer

    parse = cost = check

    def mended(self, text: str, code: str) -> list[str]:
        return []

    def crossovers(self, text: str, symbol: str, **options: Any) -> Any:
        return self.answer


def _record(name: str, file: str = "book.jsonl") -> Json:
    return next(record for record in read_jsonl(file) if record["id"] == name)


def _changed(answer: Json, change: Change) -> Json:
    answer = copy.deepcopy(answer)
    change(answer)
    return answer


def _answer(*statements: Json, findings: tuple[Json, ...] = ()) -> Json:
    ok = all(finding["severity"] != "error" for finding in findings)
    return {"schema": 1, "ok": ok, "diagnostics": list(findings), "statements": list(statements)}


def _finding(code: str, hint: str | None = None, severity: str = "error", at: tuple[int, int] = (1, 1)) -> Json:
    line, column = at
    place = {"line": line, "column": column, "end_line": line, "end_column": column + 1}
    return {"code": code, "severity": severity, "message": "words", "hint": hint, **place}


def _step(kind: str, axes: str, dims: str, text: str, received: float | None = None) -> Json:
    return {"kind": kind, "axes": list(axes), "dims": list(dims), "text": text, "bytes_received": received}


def _array(role: str, name: str | None, dims: str, unreduced: str = "") -> Json:
    entries = [{"name": word[0], "size": None, "axes": list(word[2:])} for word in dims.split()]
    pending = "sum" if unreduced else None
    return {
        "role": role,
        "name": name,
        "dtype": None,
        "dims": entries,
        "unreduced": list(unreduced),
        "pending": pending,
    }


# --- reading -----------------------------------------------------------------------------------


def test_reading_arrays_and_collectives() -> None:
    array = read_array("C[I_{XY}, d_model, K_{data,model}]{U_{ZW}}")
    assert array.name == "C"
    assert array.dims == (("I", ("X", "Y")), ("d", ("model",)), ("K", ("data", "model")))
    assert array.pending == {"Z", "W"}
    assert [a.name for a in read_arrays("AllGather_{XY} [I_{XY}] -> A[I]")] == [None, "A"]
    assert read_axes("{YX}") == ("Y", "X")
    move = read_move("AllToAll_{YZ,I}(A)")
    assert move
    assert (move.op, move.axes, move.dim, move.name) == ("AllToAll", ("Y", "Z"), "I", "A")
    assert read_move("A[I] · B[I] -> C[]") is None
    assert sides("C[I]{U_X} = sum_J A[I, J_X]") == ("sum_J A[I, J_X]", "C[I]{U_X}")
    assert canonical("AllReduce_X(C[I,K]{U_X}) -> C[I,K]") == canonical("AllReduce_X C[I, K]{U_X} → C[I, K]")
    assert canonical("A[I_{XY}]") != canonical("A[I_{YX}]")


def test_formulas_are_compared_by_value() -> None:
    assert same_formula(read_formula("2*N*S/(I*W_uni)"), read_formula("4*S*N/(W_ici*n_I)"))
    assert same_formula(read_formula("Max(2*B/C_bf16, E/W_ici)"), read_formula("Max(E/W_ici, 2*B/C)"))
    assert same_formula(read_formula("V*(X-1)/X"), read_formula("3*V/4"), {"X": 4})
    assert not same_formula(read_formula("V/W_ici"), read_formula("V*(X-1)/(X*W_ici)"))


# --- parse -------------------------------------------------------------------------------------

_PARSED = _answer(
    {
        "line": 1,
        "kind": "contraction",
        "canonical": "A[B, D] ·_D B[D_X, F] -> C[B, F]",
        "op": None,
        "axes": [],
        "dims": ["D"],
        "local": False,
        "arrays": [_array("operand", "A", "B D"), _array("operand", "B", "D_X F"), _array("result", "C", "B F")],
    }
)


def _statement(change: Change) -> Change:
    return lambda answer: change(answer["statements"][0])


@pytest.mark.parametrize(
    "change",
    [
        lambda answer: answer.update(ok=False),
        lambda answer: answer["statements"].append(answer["statements"][0]),
        _statement(lambda s: s.update(kind="elementwise")),
        _statement(lambda s: s.update(local=True)),
        _statement(lambda s: s.update(canonical="A[B, D] · B[D_X, F] -> C[B, F]")),
        _statement(lambda s: s["arrays"].pop(0)),
        _statement(lambda s: s["arrays"][1]["dims"][0].update(axes=["Y"])),
        _statement(lambda s: s["arrays"][1]["dims"].reverse()),
        _statement(lambda s: s["arrays"][2].update(unreduced=["X"], pending="sum")),
        _statement(lambda s: s["arrays"][0].update(name="In")),
    ],
)
def test_parse_judge(change: Change) -> None:
    record = _record("sh-parse-15")
    assert judge_parse(Scripted(_PARSED), record) == []
    assert judge_parse(Scripted(_changed(_PARSED, change)), record)


def test_parse_judge_sees_the_order_of_axes() -> None:
    statement_of = {
        "line": 1,
        "kind": "array",
        "canonical": "A[I_{XY}, J]",
        "op": None,
        "axes": [],
        "dims": [],
        "local": False,
    }
    right = _answer({**statement_of, "arrays": [_array("operand", "A", "I_XY J")]})
    wrong = _answer({**statement_of, "arrays": [_array("operand", "A", "I_YX J")]})
    assert judge_parse(Scripted(right), _record("sh-parse-02")) == []
    assert judge_parse(Scripted(wrong), _record("sh-parse-02"))


# --- steps -------------------------------------------------------------------------------------

_LOCAL = _step("Einsum", "", "J", "A[I, J_X] ·_J B[J_X, K] -> C[I, K]{U_X}")
_REDUCED = _answer(
    {
        "line": 1,
        "output": "C[I, K]",
        "steps": [_LOCAL, _step("AllReduce", "X", "", "AllReduce_X C[I, K]{U_X} -> C[I, K]")],
        "alternatives": [],
    }
)


@pytest.mark.parametrize(
    "change",
    [
        _statement(lambda s: s["steps"].pop()),
        _statement(lambda s: s.update(output="C[I, K]{U_X}")),
        _statement(lambda s: s.update(output="D[I, K]")),
        _statement(lambda s: s["steps"][1].update(axes=["Y"])),
        _statement(lambda s: s["steps"][1].update(kind="ReduceScatter")),
        _statement(lambda s: s["steps"][1].update(text="AllReduce_X C[I, K]{U_X} -> C[I_X, K]")),
        _statement(lambda s: s["steps"].append(s["steps"][1])),
        lambda answer: answer.update(ok=False, statements=[]),
    ],
)
def test_inference_judge(change: Change) -> None:
    record = _record("sh-case3")
    assert judge_steps(Scripted(_REDUCED), record) == []
    assert judge_steps(Scripted(_changed(_REDUCED, change)), record)


def test_inference_judge_sees_order_dimension_and_alternatives() -> None:
    gather = _step("AllGather", "XY", "D", "AllGather_{XY} In[B, D_{XY}] -> In[B, D]")
    scatter = _step("ReduceScatter", "XY", "D", "ReduceScatter_{XY,D} Out[B, D]{U_{XY}} -> Out[B, D_{XY}]")
    right = _answer({"line": 1, "output": "Out[B, D_{XY}]", "steps": [gather, scatter], "alternatives": []})
    record = _record("sh-q7-tp")
    assert judge_steps(Scripted(right), record) == []
    swapped = _statement(lambda s: s["steps"][1].update(axes=["Y", "X"]))
    other = _statement(lambda s: s["steps"][1].update(dims=["B"]))
    early = _statement(lambda s: s["steps"].reverse())
    assert all(judge_steps(Scripted(_changed(right, change)), record) for change in (swapped, other, early))
    before = _step("AllGather", "X", "I", "AllGather_X A[I_X, J] -> A[I, J]")
    answer = _answer({"line": 1, "output": "C[I, K]", "steps": [before], "alternatives": []})
    assert judge_steps(Scripted(answer), _record("sh-case1-out")) == []


def test_error_judge() -> None:
    record = _record("seed-17")
    fix = "write `AllReduce_X(C[I, K]{U_X}) -> C[I, K]`"
    assert judge_steps(Scripted(_answer(findings=(_finding("SL304", fix),))), record) == []
    assert judge_steps(Scripted(_answer()), record)
    assert judge_steps(Scripted(_answer(findings=(_finding("SL303", fix),))), record)
    assert judge_steps(Scripted(_answer(findings=(_finding("SL304", "AllReduce_Y(C[I, K]{U_Y}) -> C[I, K]"),))), record)
    assert judge_steps(Scripted(_answer(findings=(_finding("SL304", fix, "warning"),))), record)


def test_valid_judge() -> None:
    steps = [
        _step("CollectivePermute", "XY", "I", "CollectivePermute A[I_{XY}, J] -> A[I_{YX}, J]"),
        _step("AllGather", "X", "I", "AllGather_X A[I_{YX}, J] -> A[I_Y, J]"),
    ]
    note = _finding("SL311", severity="info")
    answer = _answer({"line": 1, "output": "A[I_Y, J]", "steps": steps, "alternatives": []}, findings=(note,))
    record = _record("sh-ok-04")
    assert judge_steps(Scripted(answer), record) == []
    assert judge_steps(Scripted(_changed(answer, lambda a: a["diagnostics"].clear())), record)
    assert judge_steps(Scripted(_changed(answer, _statement(lambda s: s["steps"].pop(0)))), record)


# --- costs -------------------------------------------------------------------------------------


def _costs(**total: str) -> Json:
    amounts = {name: {"formula": formula, "value": None, "unit": "s"} for name, formula in total.items()}
    return {**_answer(), "total": amounts, "symbols": {}}


def test_cost_judge() -> None:
    record = _record("sh-q4-s2")
    assert judge_costs(Scripted(_costs(t_lower="Max(4*B*F/W_ici, 2*B*D*F/(C*X))")), record) == []
    assert judge_costs(Scripted(_costs(t_lower="Max(2*B*F/W_ici, 2*B*D*F/(C*X))")), record)
    assert judge_costs(Scripted(_costs(t_lower="4*B*F/W_ici + 2*B*D*F/(C*X)")), record)
    intensity = _record("ro-mm-int")
    moved = "(2*B*D + 2*D*F + 2*B*F)/W_hbm"
    assert judge_costs(Scripted(_costs(flops="2*B*D*F", t_hbm=moved)), intensity) == []
    assert judge_costs(Scripted(_costs(flops="B*D*F", t_hbm=moved)), intensity)


def test_cost_judge_counts_the_bytes_of_the_step() -> None:
    record = _record("seed-13")

    class Models(Scripted):
        def cost(self, text: str, **options: Any) -> Json:
            exact = "*(X - 1)/X" if options.get("model") == "exact" else ""
            answer = _costs(t_comms=f"{self.answer['factor']}*2*I*J/W_ici{exact}")
            steps = [{"kind": "AllGather", "text": "", "bytes": {"formula": "2*I*J"}, "time": None}]
            return answer | {"statements": [{"steps": steps}]}

    assert judge_costs(Models({"factor": "1"}), record) == []
    assert judge_costs(Models({"factor": "2"}), record)


def test_value_judge() -> None:
    record = _record("sh-pq2-ring")
    answer = _costs(t_comms="2*E*F/W_ici")
    answer["total"]["t_comms"]["value"] = 0.000373
    assert judge_costs(Scripted(answer), record) == []
    answer["total"]["t_comms"]["value"] = 0.00056
    assert judge_costs(Scripted(answer), record)


def test_crossover_judge() -> None:
    record = _record("tr-tp-x")
    found = {"between": ["math", "ici:Y"], "relation": "<", "formula": "F*W_ici/C", "value": None}
    assert judge_costs(Scripted([found]), record) == []
    assert judge_costs(Scripted([found | {"relation": ">"}]), record)
    assert judge_costs(Scripted([found | {"formula": "2*F*W_ici/C"}]), record)
    assert judge_costs(Scripted([found | {"between": ["math", "hbm"]}]), record)
    assert judge_costs(Scripted([]), record)
    assert compute_bound_relation({"condition": "B < C/W => comms-bound", "threshold_of": "B"}) == ">"
    assert compute_bound_relation({"condition": "F > Y*C/W", "threshold_of": "Y"}) == "<"


# --- reports -----------------------------------------------------------------------------------


def test_report_judge() -> None:
    gather = _step("AllGather", "X", "I", "AllGather_X C[I_X, J] -> C[I, J]", 6291456.0)
    right = _answer({"line": 1, "output": "C[I, J]", "steps": [gather], "alternatives": []})
    record = _record("RP-022", "reports.jsonl")
    assert judge_report(Scripted(right), record) == []
    for change in (
        _statement(lambda s: s["steps"].clear()),
        _statement(lambda s: s["steps"][0].update(bytes_received=2 * 6291456.0)),
        _statement(lambda s: s["steps"][0].update(bytes_received=None)),
        _statement(lambda s: s.update(output="C[I_X, J]")),
        lambda answer: answer.update(ok=False),
    ):
        assert judge_report(Scripted(_changed(right, change)), record)
    more = _statement(lambda s: s.update(steps=[gather | {"bytes_received": 3145728.0}] * 2))
    assert judge_report(Scripted(_changed(right, more)), record), "as many bytes with more collectives"


def test_report_judge_of_an_error() -> None:
    record = _record("RP-034", "reports.jsonl")
    assert judge_report(Scripted(_answer(findings=(_finding("SL205", "let I = 8"),))), record) == []
    assert judge_report(Scripted(_answer(findings=(_finding("SL205", "let I = 6"),))), record)
    assert judge_report(Scripted(_answer()), record)


# --- JAX ---------------------------------------------------------------------------------------


def _sharded(einsum: str, specs: list[list[str]], out: list[str] | None, **more: Any) -> Json:
    shapes = [[8] * len(part) for part in einsum.split("->")[0].split(",")]
    return {
        "id": "E2",
        "mesh": {"X": 2, "Y": 2},
        "api": "einsum",
        "einsum": einsum,
        "shapes": shapes,
        "in_specs": specs,
        "out_spec": out,
        **more,
    }


def _gives(output: str) -> Scripted:
    return Scripted(_answer({"line": 1, "output": output, "steps": [], "alternatives": []}))


def test_jax_judge() -> None:
    record = _sharded("bij,bjk->bik", [["", "X", ""], ["Y", "", ""]], ["", "X", ""])
    assert statement(record) == "A[B, I_{X}, J] ·_{J} B[B_{Y}, J, K]"
    assert judge_jax(_gives("C[B, I_X, K]"), record) == ([], [])
    assert judge_jax(_gives("C[B_Y, I_X, K]"), record) == ([], [SECOND_ONLY])
    assert judge_jax(_gives("C[B, I, K_X]"), record)[0]
    assert judge_jax(_gives("C[B, I_X, K]{U_Y}"), record)[0]
    assert judge_jax(Scripted(_answer(findings=(_finding("SL213"),))), record)[0]
    summed = _sharded("ij->i", [["X", "Y"]], ["X"])
    assert judge_jax(_gives("C[I_X]{U_Y}"), summed) == ([], [PENDING_SUM])
    assert judge_jax(_gives("C[I_X]{U_Z}"), summed)[0]
    order = _sharded("ij,jk->ik", [["XY", ""], ["", ""]], ["XY", ""])
    assert judge_jax(_gives("C[I_{YX}, K]"), order)[0]
    swapped = _sharded("ij,j->ij", [["", "X"], [""]], ["", ""])
    assert judge_jax(_gives("C[I, J_X]"), swapped) == ([], [SECOND_ONLY]), "JAX's second operand is A here"
    chain = _sharded("ab,bc,cd->ad", [["", "X"], ["Y", ""], ["X", "Y"]], None, error_kind="duplicate_axis_in_result")
    assert judge_jax(_gives("C[A, D_Y]"), chain) == ([], [CHAIN_ORDER])
    chain["in_specs"][0][0] = "Y"
    assert judge_jax(_gives("C[A, D_Y]"), chain)[0], "A and D are both kept"
    refused = _sharded("ij,jk->ik", [["X", ""], ["", "X"]], None, error_kind="duplicate_axis_in_result")
    assert judge_jax(_gives("C[I_X, K]"), refused)[0]
    assert judge_jax(Scripted(_answer(findings=(_finding("SL309"),))), refused) == ([], [])


# --- documents ---------------------------------------------------------------------------------


def test_note_judge() -> None:
    note = (HERE / "reading-note.md").read_text("utf-8")
    first, second = stray_letters(note)
    assert note.splitlines()[first.line - 1][first.column - 1 :].startswith("K]")
    info = _finding("SL106", None, "info", (7, 10))
    errors = [_finding("SL213", None, "error", place) for place in (first, second)]
    assert judge_note(Scripted(_answer(findings=(info, *errors))), note) == []
    assert judge_note(Scripted(_answer(findings=(info, errors[0]))), note)
    assert judge_note(Scripted(_answer(findings=(info, *errors, _finding("SL101")))), note)
    assert judge_note(
        Scripted(_answer(findings=(info, errors[0], _finding("SL213", None, "error", (first.line, 1))))), note
    )
    assert judge_note(Scripted(_answer(findings=tuple(errors))), note)


def test_bug_judge() -> None:
    class Mended(Scripted):
        def check(self, text: str, **options: Any) -> Json:
            return _answer() if "{U_X}" in text else self.answer  # type: ignore[return-value]

    found = _answer(findings=(_finding("SL312", "write `A[I, J_X] ·_LOCAL B[J_X, K] -> C[I, K]{U_X}`"),))
    text = "A[I, J_X] ·_LOCAL B[J_X, K] -> C[I, K]\n"
    assert judge_bug(Mended(found), text, {"SL312"}) == []
    assert judge_bug(Scripted(found), text, {"SL312"}), "the fix does not mend it"
    assert judge_bug(Mended(found), text, {"SL304"})
    assert judge_bug(Mended(_answer()), text, {"SL312"})
    assert judge_bug(Mended(_answer(findings=(_finding("SL312"),))), text, {"SL312"})


# --- nonsense and known differences --------------------------------------------------------------


def test_nonsense_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    class Report:
        ok, diagnostics = False, ()

        def to_dict(self) -> Json:
            return {}

    def fail(text: str) -> Report:
        raise RecursionError("too deep")

    monkeypatch.setattr("shardlang.check", fail, raising=False)
    assert nonsense._judge("[[[") == "RecursionError: too deep"
    monkeypatch.setattr("shardlang.check", lambda text: Report(), raising=False)
    assert nonsense._judge("[[["), "refused without a finding"
    monkeypatch.setattr("shardlang.check", lambda text: Report(), raising=False)
    monkeypatch.setattr(nonsense, "SECONDS_A_TEXT", -1.0)
    assert nonsense._judge("[[[").endswith(" s")


def test_known_differences_are_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.oracles.records.known_differences", lambda section: {"a": "reason"})
    assert compare_with_known("book", {"a": ["wrong"], "b": []}) == []
    assert compare_with_known("book", {"a": [], "b": []}), "stale"
    assert compare_with_known("book", {"b": []}), "stale"
    assert compare_with_known("book", {"a": ["wrong"], "b": ["wrong"]}), "not listed"


def test_every_known_difference_has_a_reason() -> None:
    for section in ("book", "reports"):
        assert all(len(reason) > 20 for reason in known_differences(section).values())


# --- the real product with a bug ------------------------------------------------------------------


class WithoutAllReduce(Product):
    """Forgets every AllReduce."""

    def check(self, text: str, **options: Any) -> Json:
        report = super().check(text, **options)
        for made in report["statements"]:
            made["steps"] = [entry for entry in made["steps"] if entry["kind"] != "AllReduce"]
        return report


class SwappedAxes(Product):
    """Prints the axes of a dimension in the wrong order."""

    def check(self, text: str, **options: Any) -> Json:
        report = super().check(text, **options)
        for made in report["statements"]:
            made["output"] = made["output"] and made["output"].replace("_{XY}", "_{YX}")
        return report


class TwiceTheTime(Product):
    """Takes one-way for bidirectional bandwidth."""

    def cost(self, text: str, **options: Any) -> Json:
        report = super().cost(text, **options)
        for name in ("t_comms", "t_lower"):
            amount = report["total"][name]
            amount["formula"] = amount["formula"].replace("W_ici", "(W_ici/2)")
            amount["value"] = amount["value"] and 2 * amount["value"]
        return report


@pytest.mark.parametrize(
    ("product", "name"),
    [
        (WithoutAllReduce, "sh-case3"),
        (WithoutAllReduce, "sh-q6-1"),
        (WithoutAllReduce, "RP-017"),
        (WithoutAllReduce, "RP-075"),
        (SwappedAxes, "sh-q7-tp"),
        (SwappedAxes, "RP-057"),
        (TwiceTheTime, "sh-cost-ar"),
        (TwiceTheTime, "sh-q4-s2"),
        (TwiceTheTime, "sh-pq2-ring"),
        (TwiceTheTime, "tr-fsdp-comms"),
    ],
)
def test_planted_bugs_are_seen(product: type[Product], name: str) -> None:
    record = _record(name, "reports.jsonl" if name.startswith("RP-") else "book.jsonl")
    if name.startswith("RP-"):
        judge = judge_report
    else:
        judge = judge_costs if record["kind"].startswith("cost") else judge_steps
    assert judge(Product(), record) == []
    assert judge(product(), record)


# --- worked problems -----------------------------------------------------------------------------


class ScriptedCommands(CommandLine):
    """A command line that prints one answer whatever the command is."""

    def __init__(self, answer: Json) -> None:
        super().__init__()
        self.answer = answer

    def run(self, command: str) -> Json:
        return self.answer


def _bound(formula: str = "C/W_ici", value: float = 2550.0, relation: str = ">") -> Json:
    found = {"between": ["math", "ici:X"], "formula": formula, "value": value, "relation": relation}
    return {"ok": True, "diagnostics": [], "crossovers": [found]}


def test_a_right_answer_to_a_worked_problem_passes() -> None:
    assert judge_worked(ScriptedCommands(_bound()), _record("tr-2550")) == []


@pytest.mark.parametrize(
    "answer", [_bound(formula="2*C/W_ici"), _bound(value=2600.0), _bound(relation="<"), _bound(formula="C*W_ici")]
)
def test_a_wrong_answer_to_a_worked_problem_fails(answer: Json) -> None:
    assert judge_worked(ScriptedCommands(answer), _record("tr-2550"))


def _taken(found: object) -> Json:
    return {"ok": True, "diagnostics": [], "total": {"t_math": found}}


def test_a_number_is_no_formula_where_the_entry_does_not_say_so() -> None:
    record = _record("ro-1e12")
    value = record["expected"]["value"]
    right = _taken({"formula": "2*B*D*F/C", "value": value})
    assert judge_worked(ScriptedCommands(right), record) == []
    (wrong,) = judge_worked(ScriptedCommands(_taken(value)), record)
    assert "a number instead of a formula" in wrong


def test_each_product_has_the_answers_and_commands_for_itself() -> None:
    """Answers are kept by command: what one reader does to them is not seen by another."""
    command = "shardlang parse -e 'A[I_X, J]'"
    first, second = CommandLine(), CommandLine()
    first.run(command)["statements"].clear()
    assert second.run(command)["statements"]
    assert first.commands == second.commands == [command]


def test_a_refused_text_is_no_answer() -> None:
    refused = {"ok": False, "diagnostics": [{"code": "SL101"}], "crossovers": []}
    assert judge_record(ScriptedCommands(refused), _record("tr-2550"))

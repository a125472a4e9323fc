"""What a derivation says, on plans put together by hand."""

import pytest

from shardlang.api.arguments import COST_NAMES, read_request
from shardlang.api.stages import plan_text
from shardlang.cost.estimate import estimate
from shardlang.reports.costs import CostReport
from shardlang.reports.explanation import Explanation
from shardlang.rules.plan import Alternative

GATHER = "AllGather_X A[I, J_X] -> A[I, J]\nA[I, J] ·_LOCAL B[J, K] -> C[I, K]"
SLICE = (
    "Slice_{X,J} B[J, K] -> B[J_X, K]\nA[I, J_X] ·_LOCAL B[J_X, K] -> C[I, K]{U_X}\nAllReduce_X C[I, K]{U_X} -> C[I, K]"
)


def planned(text, **options):
    return plan_text(text, read_request(options, COST_NAMES))


def with_alternative(**options):
    """The plan that gathers A, with the one that slices B as its alternative."""
    front, machine, plan, findings, *_ = planned(GATHER, **options)
    gather = [step for statement in plan.statements for step in statement.steps]
    other = [step for statement in planned(SLICE, **options).plan.statements for step in statement.steps]
    whole = plan.statements[-1]._replace(
        steps=tuple(gather), alternatives=(Alternative("slice B, then reduce", tuple(other)),)
    )
    priced = estimate(plan._replace(statements=(whole,)), machine)
    return Explanation(CostReport(True, (), priced, front.source, findings))


def test_an_alternative_has_its_price_and_when_it_wins():
    text = str(with_alternative(hardware="tpu-v5p"))
    shown = text[text.index("Other correct plans") :]
    # T_math + T_comms: 2IJK/C + 2IJ/W against 2IJK/(XC) + 4IK/W.
    assert "  a)   Slice_{X,J} B[J, K] -> B[J_X, K]" in shown
    assert "AllReduce_X C[I, K]{U_X} -> C[I, K]" in shown
    assert "T_comms   = 4·I·K/W_ici" in shown
    assert "wins" in shown
    assert "when" in shown


def test_whether_an_alternative_wins_here():
    small_k = with_alternative(hardware="tpu-v5p", sizes="I=1024,J=65536,K=128,X=4")
    large_k = with_alternative(hardware="tpu-v5p", sizes="I=1024,J=128,K=65536,X=64")
    lines = [next(line for line in str(e).splitlines() if line.strip().startswith("wins")) for e in (small_k, large_k)]
    assert "not here" not in lines[0]
    assert "here" in lines[0]
    assert "not here" in lines[1]


def test_json_of_an_alternative():
    (statement,) = with_alternative(hardware="tpu-v5p").to_dict()["statements"]
    (other,) = statement["alternatives"]
    assert other["name"] == "slice B, then reduce"
    assert other["t_comms"]["formula"] == "4*I*K/W_ici"
    assert [step["kind"] for step in other["steps"]] == ["Slice", "Einsum", "AllReduce"]


@pytest.mark.parametrize("form", ["markdown", "latex"])
def test_an_alternative_in_other_forms(form):
    shown = with_alternative().render(form)
    assert "a)" in shown
    assert "AllReduce" in shown


def test_a_form_that_there_is_not():
    with pytest.raises(ValueError, match="no form 'pdf'"):
        with_alternative().render("pdf")


def explained(text, **options):
    front, machine, plan, findings, *_ = planned_with_others(text, **options)
    return Explanation(CostReport(True, (), estimate(plan, machine), front.source, findings))


def planned_with_others(text, **options):
    return plan_text(text, read_request(options, COST_NAMES), alternatives=True)


def test_exact_conditions_in_print_and_as_data():
    report = explained("A[I, J_X] · B[J, K] -> C[I, K]")
    text = str(report)
    # r·IJ against 2r·IK: bytes decide where no hardware is named; the time is another question.
    assert "each wins where a device receives fewer bytes" in text
    assert "wins      when 2·K < J" in text
    assert "best      when 2·K < J and K·X < J" in text
    assert "faster    when C/(K·W_ici) + 1 > 1/X + 2·C/(J·W_ici)" in text
    (statement,) = report.to_dict()["statements"]
    other = statement["alternatives"][0]
    assert other["wins_when"] == "2*K < J"
    assert sorted(other["best_when"]) == ["2*K < J", "K*X < J"]
    assert set(other["example"]) == {"I", "J", "K", "X"}


def test_with_hardware_time_decides():
    text = str(explained("A[I, J_X] · B[J, K] -> C[I, K]", hardware="tpu-v5p"))
    assert "each wins where its T_math + T_comms is the smaller" in text
    assert "wins      when 2·K·C/W_ici < J·K + J·C/W_ici" in text
    assert "faster" not in text


def test_many_plans_are_counted_in_print_and_all_there_as_data():
    report = explained("In[B_X, D_Y] · W_in[D_X, F_Y] -> Tmp[B_X, F_Y]")
    (statement,) = report.to_dict()["statements"]
    rest = len(statement["alternatives"]) - 4
    assert rest > 0
    assert f"and {rest} more, each for other sizes: --format json has all of them" in str(report)


def words_on_plans(**options):
    """What the conventions say of how plans were compared."""
    planned = plan_text("A[I, J_X] · B[J, K] -> C[I, K]", read_request(options, COST_NAMES), True)
    priced = estimate(planned.plan, planned.machine)
    text = str(Explanation(CostReport(True, (), priced, planned.front.source, planned.findings)))
    said = text[text.index("  plans ") : text.index("\n\nSymbols")]
    return " ".join(said.split()), text


def test_how_plans_were_compared_is_said():
    by_time, text = words_on_plans(hardware="h100", topology="X=scale-out,Y=node", mesh="X,Y")
    assert by_time.startswith("plans compared by T_math + T_comms")
    assert "each wins where its T_math + T_comms is the smaller" in text
    by_bytes, text = words_on_plans(hardware="h100", topology="X=scale-out", mesh="X,Y")
    assert by_bytes.startswith("plans compared by the bytes that a device receives")
    assert by_bytes.endswith("not by time, as an open size decides which links an axis gets")
    assert "each wins where a device receives fewer bytes" in text
    unknown, _ = words_on_plans(hardware="tpu-v3", topology="X=dcn", mesh="X,Y")
    assert unknown.endswith("not by time, as TPU v3 lacks a figure")
    unnamed, _ = words_on_plans()
    assert unnamed.endswith("then by collectives and FLOPs")

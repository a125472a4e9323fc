"""Slices, networks that a chip lacks figures for, sparse exchanges and hops, through the public functions."""

import json
from pathlib import Path

import pytest
import sympy

import shardlang
from tests.oracles.formulas import read_formula, same_formula

ORACLES = Path(__file__).parents[1] / "oracles"
RECORDS = {r["id"]: r for r in map(json.loads, (ORACLES / "book.jsonl").read_text("utf-8").splitlines())}
GATHER = "AllGather_{XY} A[I_{XY}, J] -> A[I, J]"


def codes(report):
    return [finding.code for finding in report.diagnostics]


def test_a_slice_says_how_many_links_an_axis_has():
    report = shardlang.cost(GATHER, hardware="tpu-v5p", slice="16x20x28", mesh="X=16,Y=560")
    assert same_formula(report.t_comms, read_formula("2*I*J/(3*W_ici)"))
    assert codes(report) == []
    alone = shardlang.cost("AllGather_Y A[I_Y, J] -> A[I, J]", hardware="tpu-v5p", slice="16x20x28", mesh="X=16,Y=560")
    assert same_formula(alone.t_comms, read_formula("2*I*J/(2*W_ici)"))


@pytest.mark.parametrize("mesh", [{"X": 16, "Y": None}, "X=16,Y", None])
def test_a_slice_decides_open_sizes(mesh):
    text = GATHER if mesh else f"mesh X=16, Y\n{GATHER}"
    report = shardlang.cost(text, hardware="tpu-v5p", slice=(16, 20, 28), mesh=mesh, sizes={"I": 89600, "J": 8192})
    assert report.value(sympy.Symbol("Y", positive=True)) == 560
    assert report.value(report.t_comms) == pytest.approx(2 * 89600 * 8192 / (3 * 1.8e11))
    uneven = shardlang.check(GATHER, hardware="tpu-v5p", slice=(16, 20, 28), mesh="X=16,Y", sizes={"I": 8192})
    assert codes(uneven) == ["SL205"]  # 8192 rows over 8960 chips


def test_an_exchange_over_physical_axes_of_known_shape():
    # COST_MODEL section 7: V * max(axis sizes)/(4 * N_chips * W_ici)
    report = shardlang.cost(
        "AllToAll_Y A[I_Y, J] -> A[I, J_Y]", hardware="tpu-v5p", slice="16x20x28", mesh="X=16,Y=560"
    )
    assert same_formula(report.t_comms, read_formula("2*I*J*28/(4*560*W_ici)"), {"Y": 560})


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"mesh": "X=16,Y=16"}, "SL507"),
        ({"mesh": "X=8,Y=1120"}, "SL912"),
        ({"mesh": "X=32,Y=32", "slice": "32x32", "hardware": "tpu-v5e"}, "SL502"),
    ],
)
def test_slices_that_do_not_fit_are_findings_with_a_hint(options, code):
    report = shardlang.cost(GATHER, **{"hardware": "tpu-v5p", "slice": "16x20x28", **options})
    assert codes(report) == [code]
    assert code == "SL502" or report.diagnostics[0].hint


@pytest.mark.parametrize(
    ("sizes", "messages"),
    [
        ("M_Y=2", []),
        (None, []),
        ("M_Y=1", ["`M_Y` is 1, and on the slice 16x16x16 axis `Y` spans 2; it is priced with those of the slice"]),
        ("M_Y=3", ["`M_Y` is 3, and on the slice 16x16x16 axis `Y` spans 2; it is priced with those of the slice"]),
    ],
)
def test_a_number_of_physical_axes_that_the_slice_contradicts_is_a_finding(sizes, messages):
    options = {"hardware": "tpu-v5p", "slice": "16x16x16", "mesh": "X=16,Y=256", "topology": {"Y": "ring:M_Y"}}
    report = shardlang.cost("AllGather_Y A[I_Y, J] -> A[I, J]", sizes=sizes, **options)
    assert [found.message for found in report.diagnostics] == messages
    assert codes(report) == ["SL507"] * len(messages)
    # COST_MODEL section 7: over two physical axes a gather has the links of both.
    assert same_formula(report.t_comms, read_formula("2*I*J/(2*W_ici)"))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "no hardware is named"),
        ({"hardware": "h100"}, "H100 is no torus"),
        ({"hardware": "tpu-v5e", "slice": "4x4x4"}, "4x4x4 has 3 axes and the torus of TPU v5e has 2"),
        ({"slice": "4x0"}, "is no shape"),
        ({"slice": "big"}, "is no shape"),
        ({"slice": (4, 2.5)}, "is no shape"),
        ({"slice": (True, 4)}, "is no shape"),
        ({"slice": "4x" * 5}, "is no shape"),
        ({"slice": "9999999999"}, "is no shape"),
        ({"slice": 16}, "expected a shape such as '16x20x28'"),
        ({"slice": b"4x4"}, "expected a shape"),
    ],
)
def test_slices_that_cannot_be_used(options, words):
    with pytest.raises(shardlang.OptionError, match=words):
        shardlang.cost(GATHER, **{"slice": "4x4", **options})


def test_a_mesh_axis_that_fills_its_slice_and_goes_on_over_dcn():
    options = {"mesh": "X", "topology": "X=ring+dcn", "model": "exact"}
    gather = "AllGather_X A[I_X, J] -> A[I, J]"
    report = shardlang.cost(gather, **options)
    # In the slice V (M-1)/(M W_ici); between S = X/M slices V (S-1)/(S M W_dcn), over the links of all its chips.
    expected = read_formula("Max(2*I*J*(M_slice-1)/(M_slice*W_ici), 2*I*J*(X/M_slice-1)/(X/M_slice*M_slice*W_dcn))")
    assert same_formula(report.t_comms, expected, {"X": 512, "M_slice": 256})
    sized = {"sizes": "I=8192,J=8192,X=512", "hardware": "tpu-v5e"}
    found = [
        report.value(report.t_comms)
        for report in (
            shardlang.cost(gather, **options, **sized, slice="16x16"),
            shardlang.cost(gather, **{**options, **sized, "sizes": sized["sizes"] + ",M_slice=256"}),
        )
    ]
    v = 2 * 8192 * 8192
    assert found[0] == pytest.approx(max(v * 255 / 256 / (2 * 9e10), v / 2 / (256 * 3.125e9)))
    assert found[1] == pytest.approx(max(v * 255 / 256 / 9e10, v / 2 / (256 * 3.125e9)))


def test_a_figure_that_the_hardware_lacks_is_said():
    report = shardlang.cost("AllGather_X A[I_X, J] -> A[I, J]", hardware="a100", mesh="X=16")
    assert codes(report) == ["SL506"]
    assert "A100 states no `W_node`" in report.diagnostics[0].message
    assert "`--set W_node=…`" in report.diagnostics[0].hint
    for more in ({"mesh": "X=8"}, {"sizes": "W_node=2e11"}, {"hardware": None}, {"roofs": "math,hbm"}):
        options = {"hardware": "a100", "mesh": "X=16", **more}
        assert codes(shardlang.cost("AllGather_X A[I_X, J] -> A[I, J]", **options)) == []
    assert codes(shardlang.cost("A[I, K] · B[K, J] -> C[I, J]", hardware="h800")) == ["SL506"]  # no W_hbm
    assert codes(shardlang.cost("A[I, K] · B[K, J] -> C[I, J]", hardware="h800", roofs="math,ici")) == []


@pytest.mark.parametrize("kind", ["AllGather", "AllToAll", "AllReduce"])
def test_an_axis_of_one_device_takes_no_time(kind):
    text = {
        "AllGather": "AllGather_X A[I_X, J] -> A[I, J]",
        "AllToAll": "AllToAll_X A[I_X, J] -> A[I, J_X]",
        "AllReduce": "AllReduce_X A[I, J]{U_X} -> A[I, J]",
    }[kind]
    assert shardlang.cost(text, mesh="X=1", latency=True).t_comms == 0
    report = shardlang.cost("AllGather_{XY} A[I_{XY}, J] -> A[I, J]", mesh="X=1,Y=8")
    assert same_formula(report.t_comms, read_formula("2*I*J/W_ici"))


def test_a_one_way_ring():
    # Records sh-cost-uni-a2a (elements that cross a link: N²/2 (1 - 1/D)) and sh-cost-a2a-ratio.
    def seconds(text, **more):
        return shardlang.cost(text, topology="X=ring:one-way", **more).t_comms

    exchange = seconds("AllToAll_X A[I_X, J] -> A[I, J_X]", model="exact")
    elements = (exchange * read_formula("W_ici")).subs(read_formula("J"), read_formula("I")) / 2 / 2
    wanted = read_formula(RECORDS["sh-cost-uni-a2a"]["expected"]["formula"])
    swap = {read_formula("N"): read_formula("I"), read_formula("D"): read_formula("X")}
    assert same_formula(elements, wanted.subs(swap))
    ratio = seconds("AllToAll_X A[I_X, J] -> A[I, J_X]") / seconds("AllGather_X A[I_X, J] -> A[I, J]")
    assert ratio == sympy.Rational(RECORDS["sh-cost-a2a-ratio"]["expected"]["one_way"])


def test_a_sparse_exchange_in_a_node():
    record = RECORDS["gp-a2a-ragged"]["expected"]
    report = shardlang.cost("AllToAll_X A[I_X, J] -> A[I, J_X]", topology="X=node", top_k="k")
    wanted = read_formula(record["random_choice"]).subs(
        {read_formula("N"): read_formula("X"), read_formula("V"): read_formula("2*I*J")}
    )
    assert same_formula(report.t_comms, wanted, {"X": 8, "k": 2})


def test_expert_parallelism_over_nodes():
    """Record gp-ep-comms: a token goes once to each node that has one of its experts, so E is the number of nodes."""
    text = "AllToAll_P X[B_{YP}, E, D] -> X[B_Y, E_P, D]\nAllToAll_P Z[B_Y, E_P, D] -> Z[B_{YP}, E, D]"
    report = shardlang.cost(text, mesh="P,Y=8", topology="P=scale-out", hardware="h100", top_k="k")
    nodes = {read_formula("P"): read_formula("Z/8"), read_formula("E"): read_formula("Z/8")}
    wanted = read_formula(RECORDS["gp-ep-comms"]["expected"]["formula"]).subs(read_formula("W"), read_formula("W_node"))
    for k in (2, 8, 16):
        assert same_formula(report.t_comms.subs(nodes), wanted, {"Z": 64, "k": k})


def test_top_k_as_a_number_a_size_and_a_dimension():
    exchange = "AllToAll_X A[I_X, K] -> A[I, K_X]"
    options = {"topology": "X=node", "hardware": "h100", "sizes": "I=1024,K=1024,X=8", "mesh": "X=8"}
    dense = shardlang.cost(exchange, **options)
    for top_k, sizes in ((2, ""), ("k", ",k=2"), ("k", ",k=2")):
        report = shardlang.cost(exchange, **{**options, "sizes": options["sizes"] + sizes}, top_k=top_k)
        assert codes(report) == []
        assert report.value(report.t_comms) == pytest.approx(dense.value(dense.t_comms) / 4)
    named = shardlang.cost("AllToAll_X A[I_X, J, k] -> A[I, J_X, k]", topology="X=node", top_k="k")
    assert read_formula("k") in named.t_comms.free_symbols
    assert named.estimate.symbols["k"].meaning == "size of dimension k"
    for wrong in (0, 2.5, "2k", b"k", True, -1):
        with pytest.raises(shardlang.OptionError):
            shardlang.cost(exchange, top_k=wrong)


def test_conventions_name_what_is_sparse():
    text = str(shardlang.explain("AllToAll_X A[I_X, J] -> A[I, J_X]", mesh="X=8", top_k=2))
    assert "each row goes to k of the N parts of a level" in " ".join(text.split())
    assert "top-k" not in str(shardlang.explain("AllGather_X A[I_X, J] -> A[I, J]", mesh="X=8", top_k=2))


def test_a_hop_between_slices_has_a_latency_of_its_own():
    text = "AllReduce_P dW[D, F]{U_P} -> dW[D, F]"
    report = shardlang.cost(text, mesh="P=4", topology="P=dcn", hardware="tpu-v5p", latency=True)
    names = {symbol.name for symbol in report.t_comms.free_symbols}
    assert "T_dcn" in names
    assert "T_min" not in names
    assert report.value(report.t_comms) is None
    sized = {"sizes": "D=8,F=8,T_dcn=1e-4,M_slice=256"}
    report = shardlang.cost(text, mesh="P=4", topology="P=dcn", hardware="tpu-v5p", latency=True, **sized)
    assert report.value(report.t_comms) == pytest.approx(2 * 2 * 1e-4)


def test_a_file_states_the_latency_between_slices(tmp_path):
    path = tmp_path / "my.toml"
    path.write_text('[mine]\nkind = "tpu"\ndcn = { per_chip = 6e9, hop_latency_s = 5e-5 }\n', "utf-8")
    text = "AllGather_P dW[D_P, F] -> dW[D, F]"
    report = shardlang.cost(text, mesh="P=4", topology="P=dcn", hardware=path, latency=True, sizes="D=8,F=8,M_slice=4")
    assert report.value(report.t_comms) == pytest.approx(2 * 5e-5)


def test_a_slice_does_not_size_a_dimension_that_has_the_name_of_an_axis():
    report = shardlang.cost("AllGather_X A[I_X, X] -> A[I, X]", hardware="tpu-v5p", slice="4x4x4")
    assert same_formula(report.t_comms, read_formula("2*I*X/(3*W_ici)"))
    assert report.value(report.t_comms / read_formula("I")) is None


def test_a_plan_without_a_mesh_has_no_slice_to_fill():
    assert codes(shardlang.cost("A[I, J]", hardware="tpu-v5p", slice="4x4x4")) == []


def test_crossovers_for_how_many_parts_a_row_goes_to():
    text = "H[B_X, D] · W[D, F] -> Z[B_X, F]\nAllToAll_{X,F} Z[B_X, F] -> Z[B, F_X]"
    options = {"mesh": "X=8", "hardware": "h100", "top_k": "k", "roofs": "math,ici"}
    (found,) = shardlang.crossover(text, "D", **options, sizes="B=64,F=64,k=2").crossovers
    # 2BDF/(XC) = 2BF (X-1)/(X² W) min(k/X, 1), X = 8, k = 2
    assert found.value == pytest.approx(9.9e14 * 7 / 8 * 2 / 8 / 4.5e11)


SPARSE = "In[B_X, D] · W[D, F] -> H[B_X, F]\nAllToAll_X H[B_X, F] -> H[B, F_X]"


def test_a_sparse_exchange_is_solved_for_what_a_row_goes_to():
    """COST_MODEL section 7: an AllToAll of V bytes takes V/(4·W), of it min(1, k/X) where each row goes to k of X parts."""
    (found,) = shardlang.crossover(SPARSE, "k", top_k="k", roofs="math,ici").crossovers
    # 2·B·D·F/(X·C) against (k/X)·2·B·F/(4·W)
    assert (found.between, found.relation, found.exact) == (("math", "ici:X"), "<", True)
    assert same_formula(found.threshold, read_formula("4*D*W_ici/C"))
    assert found.assumes == ("Min(1, k/X) = k/X",)


def test_latency_is_solved_for_what_a_row_goes_to():
    text = "AllToAll_X A[I_X, J] -> A[I, J_X]"
    found = shardlang.crossover(text, "k", top_k="k", latency=True, sizes="X=8", hardware="tpu-v5p").crossovers[0]
    # X/2 hops of T_min against (k/X)·2·I·J/(4·W)
    assert (found.between, found.relation) == (("latency:X", "bandwidth:X"), "<")
    assert same_formula(found.threshold, read_formula("4*T_min*8*2*W_ici/(I*J)"), {"X": 8})


def test_a_plan_may_not_cross_along_an_axis_as_long_as_rows_go_to_no_more_parts_than_it_has():
    (left,) = shardlang.crossover(SPARSE, "X", top_k="k", roofs="math,ici").uncrossed
    assert left.when is not None
    assert left.when.text == "D > C*k/(4*W_ici)"

"""Keywords and options: what is read, and what is refused with which words."""

from fractions import Fraction

import numpy
import pytest

import shardlang
from shardlang.api import OptionError
from shardlang.api.arguments import CHECK_NAMES, COST_NAMES, TEXT_NAMES, read_request
from shardlang.semantics.topology import Topology


def read(**given):
    return read_request(given, COST_NAMES)


@pytest.mark.parametrize(
    ("mesh", "wanted"),
    [
        ({"X": 4, "Y": 2}, {"X": 4, "Y": 2}),
        ("X=4,Y=2", {"X": 4, "Y": 2}),
        (" X = 4 , Y = 2 ", {"X": 4, "Y": 2}),
        ("{'X': 4, 'Y': 2}", {"X": 4, "Y": 2}),
        ("X:4,Y", {"X": 4, "Y": None}),
        ({"data": None}, {"data": None}),
        (["X", "Y"], {"X": None, "Y": None}),
        ((("X", 4),), {"X": 4}),
        (None, None),
    ],
)
def test_mesh(mesh, wanted):
    assert read(mesh=mesh).options.mesh == wanted


@pytest.mark.parametrize(
    ("mesh", "message"),
    [
        ("X=0", "mesh: X is 0"),
        ("X=1.5", "mesh: the size of X is 1.5"),
        ("X=-4", "mesh: X is '-4'"),
        ("X=4,X=2", "mesh: the axis X is given twice"),
        ("4=X", "mesh: '4' is not a name"),
        ("", "mesh: no axis is given"),
        ("X=9**9**9", "mesh: X is '9**9**9'"),
        ("X=" + "9" * 400, "mesh: X is '999"),
        ({"X": True}, "mesh: X is True"),
        ({1: 2}, "mesh: 1 is not a name"),
        (4, "mesh: expected a mapping or a text such as 'X=4,Y=2'"),
        (["XYZ", ("X", 1, 2)], "mesh: 'X' is not a name"),
    ],
)
def test_mesh_refused(mesh, message):
    with pytest.raises(OptionError) as found:
        read(mesh=mesh)
    assert str(found.value).startswith(message)


def test_sizes():
    assert read(sizes="B=1_024,W_hbm=8.1e11,d_model=8192").options.sizes == {
        "B": 1024,
        "W_hbm": 810000000000,
        "d_model": 8192,
    }
    assert read(sizes={"B": 2.5}).options.sizes == {"B": 2.5}


def test_sizes_from_numpy():
    assert read(sizes={"B": numpy.int64(8)}).options.sizes == {"B": 8}


@pytest.mark.parametrize(
    "sizes", ["B", "B=", "B=x", "B=nan", "B=inf", "B=0", {"B": float("nan")}, {"B": "1e999"}, {"B": None}]
)
def test_sizes_refused(sizes):
    with pytest.raises(OptionError, match=r"^sizes: B "):
        read(sizes=sizes)


@pytest.mark.parametrize("size", [numpy.array([4]), numpy.array([4, 2]), numpy.array("4")])
@pytest.mark.parametrize("what", ["mesh", "sizes"])
def test_what_holds_several_numbers_or_none_is_no_size(what, size):
    with pytest.raises(OptionError, match=f"^{what}: X is "):
        read(**{what: {"X": size}})


def test_arrays_of_numpy_are_lists():
    assert read(slice=numpy.array([4, 4])).slice == (4, 4)
    assert read(select=numpy.array(["SL201", "SL3"])).selection.select == ("SL201", "SL3")
    with pytest.raises(OptionError, match=r"^model: cannot be "):
        read(model=numpy.array([1, 2]))


def test_topology():
    assert read(topology="X=ring,Y=line,Z=ring:2").options.topology == {
        "X": Topology("ring"),
        "Y": Topology("line"),
        "Z": Topology("ring", 2),
    }
    with pytest.raises(OptionError, match=r"Did you mean ring"):
        read(topology="X=rign")
    with pytest.raises(OptionError, match=r"^topology: X cannot be None"):
        read(topology="X")


def test_element_types():
    assert read(dtype="bfloat16", reduce_dtype="float32")[0].dtype == "bf16"
    assert read(reduce_dtype="float32").reduce_dtype == "f32"
    with pytest.raises(OptionError, match=r"unknown element type 'bf61'. Did you mean bf16"):
        read(dtype="bf61")


def test_costs():
    request = read(model="exact", roofs="math,ici", comms="sum")
    assert (request.model, request.roofs, request.comms) == ("exact", ("math", "ici"), "sum")
    assert read(roofs=["math"]).roofs == ("math",)
    assert read(roofs="math, pcie,vmem").roofs == ("math", "pcie", "vmem")
    for bad in ({"model": "exat"}, {"roofs": "math,dcn"}, {"comms": "mean"}):
        with pytest.raises(OptionError, match=r"cannot be"):
            read(**bad)


def test_hardware():
    from pathlib import Path

    assert read(hardware=" tpu-v5p ").options.hardware == "tpu-v5p"
    assert read(hardware=Path("my.toml")).options.hardware == "my.toml"
    with pytest.raises(OptionError, match=r"expected a name"):
        read(hardware=5)


def test_a_keyword_that_there_is_not():
    with pytest.raises(TypeError, match=r"'hardwrae'. Did you mean 'hardware'"):
        read(hardwrae="tpu-v5p")
    with pytest.raises(TypeError, match=r"no keyword 'model'"):
        read_request({"model": "book"}, CHECK_NAMES)


def test_documents():
    assert read(document="markdown")
    with pytest.raises(
        OptionError, match=r"document: cannot be 'pdf'. It is one of markdown, latex, html, rst, text, python."
    ):
        read(document="pdf")


def test_ignored_codes():
    assert read(ignore=["SL203"], _defaults={"ignore": ["SL313"]}).selection.ignore == ("SL203", "SL313")
    assert read(ignore="SL203, SL3").selection.ignore == ("SL203", "SL3")
    assert read(select="SL2", _defaults={"select": ["SL3"]}).selection.select == ("SL2",)
    assert read(_defaults={"select": ["SL3"]}).selection.select == ("SL3",)
    for wrong in (["SL999"], "SL999", [["SL999"]]):
        with pytest.raises(OptionError, match=r"there is no code .*SL999"):
            read(ignore=wrong)
    with pytest.raises(OptionError, match=r"^ignore: expected codes"):
        read(ignore=5)


def test_each_function_takes_the_keywords_of_those_that_do_less():
    shared = set(CHECK_NAMES) & set(COST_NAMES)
    assert set(TEXT_NAMES) < shared
    assert set(COST_NAMES) - shared == {"model", "roofs", "comms", "assume", "top_k"}
    assert set(CHECK_NAMES) - shared == {"alternatives"}
    assert "defaults" not in COST_NAMES  # those of a project are no keyword


HUGE = 10**5000  # Python does not print it


@pytest.mark.parametrize(
    "given",
    [
        {"mesh": HUGE},
        {"mesh": {"X": HUGE}},
        {"mesh": {HUGE: 4}},
        {"mesh": [[]]},
        {"mesh": [()]},
        {"mesh": [[HUGE]]},
        {"sizes": HUGE},
        {"sizes": {"B": HUGE}},
        {"sizes": {"B": [HUGE]}},
        {"sizes": {"B": Fraction(HUGE)}},
        {"sizes": {"C": 1e-320}},
        {"topology": HUGE},
        {"topology": {"X": HUGE}},
        {"topology": {"X": []}},
        {"hardware": HUGE},
        {"dtype": HUGE},
        {"ignore": HUGE},
        {"ignore": 3},
        {"ignore": True},
        {"ignore": [[]]},
        {"ignore": [HUGE]},
        {"roofs": 3},
        {"roofs": True},
        {"roofs": [[]]},
        {"model": HUGE},
        {"document": []},
        {"document": HUGE},
        {"name": 3},
        {"name": HUGE},
    ],
    ids=lambda given: next(iter(given)),
)
def test_values_of_no_use_are_option_errors_in_one_short_line(given):
    (what,) = given
    with pytest.raises(OptionError) as info:
        read(**given)
    message = str(info.value)
    assert message.startswith(what)
    assert "\n" not in message
    assert len(message) < 200


CALLS = {
    "of": lambda value: shardlang.crossover("A[I_X]", "I", against="A[I_X]", of=value),
    "bound": lambda value: shardlang.crossover("A[I_X]", "I", against="A[I_X]", bound=value),
    "split": lambda value: shardlang.optimum("A[I_X]", value, "X"),
    "crossover": lambda value: shardlang.optimum("A[I_X]", "X=N", "X", crossover=value),
    "kind": lambda value: shardlang.plot("A[I_X]", value),
    "variable (--for)": lambda value: shardlang.plot("A[I_X]", "sweep", variable=value),
    "name": shardlang.schema,
}


@pytest.mark.parametrize("keyword", CALLS)
@pytest.mark.parametrize("value", [HUGE, [HUGE], ["a" * 5000], {"a": 1}], ids=["huge", "list", "long", "mapping"])
def test_values_of_one_call_that_are_of_no_use(keyword, value):
    with pytest.raises(OptionError) as raised:
        CALLS[keyword](value)
    message = str(raised.value)
    assert message.startswith(f"{keyword}: ")
    assert len(message) < 300


def test_a_time_that_no_split_makes_least():
    with pytest.raises(OptionError, match=r"^of: cannot be 'flops' here\. It is one of t_comms, "):
        shardlang.optimum("A[I_X]", "X=N", "X", of="flops")


def test_a_crossover_of_what_is_no_text():
    for variable in (None, b"I", 3):
        with pytest.raises(OptionError, match=r"^variable: expected a name"):
            shardlang.crossover("A[I_X] -> A[I]", variable)


def test_figures_that_no_machine_has():
    text = "mesh X=4\nhardware tpu-v5p\nA[I_X] -> A[I]"
    for size in (1e-40, 1e40):
        with pytest.raises(OptionError, match=r"^sizes: W_ici is 1e"):
            shardlang.cost(text, sizes={"W_ici": size})
    report = shardlang.cost(text.replace("hardware", "let W_ici=1/2**250\nhardware"))
    (finding,) = report.diagnostics
    assert (finding.code, finding.span.line, report.ok) == ("SL207", 2, False)
    assert "between 1e-30 and 1e+30" in finding.message


GATHER = "A[I_X] -> A[I]"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"sizes": "I=4,I=8"}, "sizes: I is given twice."),
        ({"sizes": {"M_X": 1.5}}, "sizes: M_X is 1.5; it must be a whole number of at least 1"),
        ({"sizes": {"D_node": 2.5}}, "sizes: D_node is 2.5; it must be a whole number"),
        ({"sizes": "W_ici=9e10,W_uni=1e10"}, "sizes: W_uni is 1e+10; it must be half of W_ici, which is 9e+10"),
        ({"topology": "X=ring,X=line"}, "topology: the axis X is given twice."),
        ({"roofs": ""}, "roofs: cannot be ''. It is one of math"),
        ({"roofs": []}, "roofs: no roof is given; they are math"),
        ({"top_k": "1" + "0" * 40}, "of at most 30 digits, and this has 41."),
        ({"top_k": "C"}, "top_k: C is the peak rate: call the number of parts k."),
        ({"top_k": "W_ici"}, "top_k: W_ici is a figure of the hardware (bidirectional, one axis)"),
    ],
)
def test_what_is_refused_says_why(given, message):
    with pytest.raises(OptionError) as caught:
        shardlang.cost(GATHER, **{"mesh": "X=4", "hardware": "tpu-v5p", **given})
    assert message in str(caught.value)


def test_figures_that_agree_are_taken():
    report = shardlang.cost(GATHER, mesh="X=4", sizes={"I": 8, "W_uni": 1, "W_ici": 2})
    assert report.value(report.t_comms) == 8 * 2 / 2


def test_counts_and_bandwidths_of_the_text_are_findings():
    report = shardlang.check(f"mesh X=4\nlet W_uni = 1\nlet W_ici = 4\nlet M_X = 1.5\n{GATHER}")
    assert [(found["code"], found["line"]) for found in report.to_dict()["diagnostics"]] == [("SL207", 2), ("SL207", 4)]


def test_top_k_may_be_a_mesh_axis():
    text, sizes = "B[I_X, J] -> B[I, J_X]", {"I": 64, "J": 64}
    by_axis = shardlang.cost(text, mesh="X=8", hardware="h100", sizes=sizes, top_k="X")
    assert by_axis.value(by_axis.t_comms) == pytest.approx(64 * 64 * 2 / 8 * 7 / 8 / 450e9)  # all eight of eight


def test_devices_may_not_be_called_as_the_hardware_is():
    text = "A[I_X, J_Y] · B[J_X, K_Y] -> Z[I_X, K_Y]"
    for name, meaning in (("C", "the peak rate"), ("T_min", "a figure of the hardware (latency of one hop)")):
        with pytest.raises(OptionError) as caught:
            shardlang.optimum(text, f"X*Y = {name}", "X", mesh="X,Y", hardware="tpu-v5e")
        assert str(caught.value) == f"split: {name} is {meaning}: call the number of devices N."


def test_a_sweep_over_no_mapping_is_a_value_error():
    report = shardlang.cost(GATHER, mesh="X=4", hardware="tpu-v5p")
    with pytest.raises(ValueError, match="expected arrays by the name of a symbol"):
        report.sweep([report.t_comms], [1, 2])


def test_a_mesh_larger_than_a_pod_is_a_warning():
    def codes(mesh):
        report = shardlang.cost("A[I_X, J_Y] -> A[I, J]", mesh=mesh, hardware="tpu-v5e")
        return [found.code for found in report.diagnostics]

    assert codes("X=16,Y=17") == ["SL502"]  # a pod of v5e is 16x16
    assert codes("X=16,Y=16") == []


def test_a_figure_with_an_underscore_suggests_the_figure():
    report = shardlang.cost(GATHER, mesh="X=4", hardware="tpu-v5p", sizes={"I": 8, "T_min_": 16})
    assert [(found["code"], found["hint"]) for found in report.to_dict()["diagnostics"]] == [
        ("SL225", "did you mean `T_min`?")
    ]


@pytest.mark.parametrize("name", ["explicit", "uneven", "latency", "idle_axes", "alternatives"])
@pytest.mark.parametrize("value", ["false", "yes", 1, [], 0.0])
def test_a_switch_is_on_or_off(name, value):
    for given in ({name: value}, {"_defaults": {name: value}}) if name != "alternatives" else ({name: value},):
        with pytest.raises(OptionError) as raised:
            shardlang.check("A[I_X] -> A[I]", **given)
        assert str(raised.value) == f"{name}: expected True or False, not {value!r}."
    assert shardlang.check("A[I_X] -> A[I]", **{name: None}).ok

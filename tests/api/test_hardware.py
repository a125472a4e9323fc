"""`shardlang.hardware` and `shardlang hardware`: every figure of the oracle, with unit, convention, source and conflicts."""

import json
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner

import shardlang
from shardlang.cli import group

ORACLE = json.loads((Path(__file__).parents[1] / "oracles" / "hardware.json").read_text("utf-8"))
CHIPS = {chip["id"]: chip for chip in (*ORACLE["tpu"], *ORACLE["gpu"])}
WORDS = {"id", "class", "edition", "source", "vendor", "name", "same_chip_as", "notes", "wraparound"}
NOTED = {"flops_text", "hbm_bandwidth_text"}


def run(*arguments):
    return CliRunner().invoke(group, ["hardware", *arguments], prog_name="shardlang", env={"NO_COLOR": "1"})


def flat(chip, leave_out=WORDS | NOTED):
    """The figures of the oracle by their places: `ici.one_way_per_link`."""
    for key, value in chip.items():
        if key in leave_out or value in (None, {}, []):
            continue
        if isinstance(value, dict):
            inner = ((k, v) for k, v in value.items() if k not in ("unit", "convention") and v is not None)
            yield from ((f"{key}.{k}", v) for k, v in inner)
        else:
            yield key, value


@pytest.mark.parametrize("name", CHIPS)
def test_every_figure_of_the_oracle_and_none_besides(name):
    (chip,) = shardlang.hardware(name).chips
    oracle = dict(flat(CHIPS[name]))
    if name == "gb200-nvl72":
        oracle = dict(flat(CHIPS["b200"])) | oracle
    price = ORACLE["prices_usd_per_hour"].get(name)
    shown = {figure.name: figure.value for figure in chip.figures}
    assert shown.pop("price_usd_per_hour", None) == price
    assert shown.pop("wraparound", None) == wraparound(CHIPS[name])
    vmem = 22 * CHIPS[name]["hbm_bandwidth"] if name.startswith("tpu") and CHIPS[name].get("hbm_bandwidth") else None
    assert shown.pop("vmem_bandwidth", None) == vmem  # COST_MODEL section 9
    more = {key for key in shown if key.partition(".")[0] in ("tree", "superpod")}
    assert {key: value for key, value in shown.items() if key not in more} == oracle
    assert more == set() or name in ("h100", "gb200-nvl72")


def wraparound(chip):
    if "wraparound" not in chip:
        return None
    words = chip["wraparound"]
    return (
        "an axis of exactly 16"
        if "exactly 16" in words
        else "every axis, where the slice is a multiple of the 4x4x4 cube"
    )


@pytest.mark.parametrize("name", CHIPS)
def test_every_note_of_the_oracle(name):
    (chip,) = shardlang.hardware(name).chips
    oracle = dict(flat({key: value for key, value in CHIPS[name].items() if key in NOTED | {"notes"}}, set()))
    oracle = {key.removeprefix("notes."): value for key, value in oracle.items()}
    if name == "gb200-nvl72":
        oracle |= dict(flat({key: CHIPS["b200"][key] for key in NOTED}, set()))
    assert {note.name: note.value for note in chip.notes} == oracle


@pytest.mark.parametrize(("name", "system"), [("h100", "H100 DGX SuperPod"), ("gb200-nvl72", "GB200 SuperPod")])
def test_the_levels_of_the_reference_systems_and_what_formulas_take_of_them(name, system):
    (chip,) = shardlang.hardware(name).chips
    network = ORACLE["gpu_network"][system]
    expected = {f"superpod.{key}": value for key, value in network.items() if key != "levels"}
    for level in network["levels"]:
        label = level["name"].split()[0]
        expected |= {f"superpod.{label}.{key}": value for key, value in level.items() if key != "name"}
    assert {f.name: f.value for f in chip.figures if f.name.startswith("superpod.")} == expected
    by_name = {level["name"].split()[0]: level for level in network["levels"]}
    assert chip.figure("D_node").value == by_name["node"]["degree"]
    assert chip.figure("W_egress").value == by_name["node"]["link_per_child"]
    assert chip.figure("D_leaf").value == by_name["leaf"]["degree"]
    assert chip.figure("W_node").value == by_name["leaf"]["link_per_child"]
    if "spine" in by_name:
        assert chip.figure("tree.spine").value == by_name["spine"]["degree"]
        assert chip.figure("W_leaf").value == by_name["spine"]["link_per_child"]


def test_units_and_conventions():
    (v5p,) = shardlang.hardware("tpu-v5p").chips
    assert v5p.figure("W_ici")[2:5] == (1.8e11, "byte/s", "both directions together, one axis")
    assert v5p.figure("W_uni")[2:5] == (9e10, "byte/s", "one way, one link")
    assert v5p.figure("C_bf16")[2:4] == (4.59e14, "FLOP/s")
    assert v5p.figure("T_min")[2:4] == (1e-6, "s")
    assert v5p.figure("W_dcn").convention.startswith("one way")
    (h100,) = shardlang.hardware("h100").chips
    assert h100.figure("W_egress").convention == "one way, full duplex, one GPU into its node"
    assert h100.figure("W_bus") is None


def test_every_figure_has_a_source_and_every_bandwidth_says_whose_and_which_way():
    for chip in shardlang.hardware().chips:
        for figure in chip.figures:
            assert figure.source.startswith("chapter"), figure
            if figure.unit in ("byte/s", "byte", "FLOP/s", "s"):
                assert figure.convention, figure
    (h800,) = shardlang.hardware("h800").chips
    assert h800.figure("C_fp8").source == "chapter transformers, question 7"


@pytest.mark.parametrize("name", [None, *CHIPS])
def test_json_matches_its_schema(name):
    schema = json.loads((files("shardlang") / "schema" / "hardware.json").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    data = json.loads(run(*([name] if name else []), "--format", "json").output)
    jsonschema.validate(data, schema, jsonschema.Draft202012Validator)
    assert data == json.loads(json.dumps(shardlang.hardware(name).to_dict()))
    assert [chip["id"] for chip in data["hardware"]] == ([name] if name else list(CHIPS))


def test_the_list_has_a_row_a_chip():
    lines = run().output.splitlines()
    assert [line.split()[0] for line in lines[1 : 1 + len(CHIPS)]] == list(CHIPS)
    (v5e,) = (line for line in lines if line.startswith("tpu-v5e"))
    assert v5e.split("  ")[0] == "tpu-v5e"
    for words in ("197 TFLOP/s", "16 GB", "820 GB/s", "ICI 90 GB/s, 2 axes", "DCN 3.125 GB/s"):
        assert words in v5e


@pytest.mark.parametrize("name", ["tpu-v5e", "h100", "b200"])
def test_one_chip_shows_its_conflicts(name):
    shown = run(name).output
    (chip,) = shardlang.hardware(name).chips
    assert chip.conflicts
    assert all(conflict in shown for conflict in chip.conflicts)
    assert str(shardlang.hardware(name)) == shown.rstrip("\n")


def test_a_file_of_ones_own(tmp_path):
    path = tmp_path / "my.toml"
    path.write_text('[Mine]\nkind = "gpu"\nsource = "data sheet"\nnode_egress = 1e11\nspeed = 3\n', "utf-8")
    (mine,) = shardlang.hardware(path).chips
    assert (mine.id, mine.figure("W_node").value, mine.figure("speed").value) == ("mine", 1e11, 3)
    assert "node_egress   100 GB/s" in run(str(path)).output
    path.write_text(
        '[a]\nkind = "tpu"\n[b]\nkind = "gpu"\nspeed = [1, "x", {y = 2}]\nnotes = 3\nclock = "fast"\n', "utf-8"
    )
    shown = run(f"{path}:b")
    assert shown.exit_code == 0
    assert "1, x, y 2" in shown.output


@pytest.mark.parametrize(
    "entry",
    [
        "sources = 3",
        "same_chip_as = 3",
        "same_chip_as = 'none'",
        "conflicts = 'one'",
        "conflicts = [1, 2]",
        "x = 0x1" + 5000 * "0",
        "x = -1e308",
        "x = inf",
        "x = nan",
        "x = 1979-05-27",
        "x = ''",
        "x = []",
        "x = true",
        "vendor = 7",
        "superpod = { levels = [1, { name = 2, degree = 3 }] }",
        "notes = { a = { b = [1, 'x'] }, c = 1e400 }",
        'x = "\\u001b[31m"',
        "hop_latency_s = 1e-30",
        "pod_shape = 'round'",
    ],
)
def test_a_file_with_what_no_chip_has(tmp_path, entry):
    path = tmp_path / "odd.toml"
    path.write_text(f'[odd]\nkind = "tpu"\n{entry}\n', "utf-8")
    for form in ("text", "json"):
        shown = run(str(path), "--format", form)
        assert shown.exit_code == 0, shown.exception
        assert "\x1b" not in shown.output
    schema = json.loads((files("shardlang") / "schema" / "hardware.json").read_text("utf-8"))
    jsonschema.validate(json.loads(shown.output), schema, jsonschema.Draft202012Validator)


def test_a_chip_that_is_not_known_is_wrong_usage():
    shown = run("v5p")
    assert shown.exit_code == 2
    assert "did you mean `tpu-v5p`?" in shown.output
    with pytest.raises(shardlang.OptionError, match="no hardware is called"):
        shardlang.hardware("abacus")
    with pytest.raises(shardlang.OptionError, match="expected a name"):
        shardlang.hardware(3)


def test_critical_intensities_are_derived_from_the_figures():
    # Records gp-295, gp-281 and gp-b200-tp, with the figures that the book takes there.
    chip = shardlang.hardware("h100", sizes={"W_hbm": 3.35e12}).chips[0]
    assert chip.figure("C/W_hbm").value == pytest.approx(295.5223880597015)
    b200 = shardlang.hardware("b200", sizes="C=2.25e15").chips[0]
    assert b200.figure("C/W_hbm").value == 281.25
    assert b200.figure("C_bf16/W_egress").value == 2500
    v5p = shardlang.hardware("tpu-v5p").chips[0]
    assert (v5p.figure("C/W_ici").value, v5p.figure("C_int8/W_ici").value) == (2550, 5100)
    assert v5p.figure("C/W_ici")[4:] == ("against one axis of the torus", "C_bf16/W_ici")
    assert v5p.figure("C/W_egress") is None
    uni = shardlang.hardware("tpu-v5e", sizes={"W_uni": 5e10}).chips[0]
    assert (uni.figure("W_ici").value, uni.figure("W_uni").value) == (1e11, 5e10)


def test_every_derived_figure_has_its_formula():
    for chip in shardlang.hardware().chips:
        for figure in chip.derived:
            assert figure.source
            assert figure.convention
        known = chip.figure("flops.bf16") is not None and chip.figure("W_hbm") is not None
        assert (chip.figure("C/W_hbm") is not None) == known


def test_a_node_as_a_whole():
    # Records gp-nodebw and gp-bisect: 3.6e12, and gp-gb200.
    h100 = shardlang.hardware("h100").chips[0]
    assert h100.figure("node.bandwidth").value == min(4 * 64 * 25e9, 8 * 4.5e11) == 3.6e12
    assert h100.figure("node.bisection").value == 3.6e12
    assert shardlang.hardware("gb200-nvl72").chips[0].figure("W_node").value == 3.6e12
    slow = shardlang.hardware("h100", sizes={"W_egress": 1e12}).chips[0]
    assert slow.figure("node.bandwidth").value == 6.4e12  # the switches carry no more


def test_a_slice_as_a_whole():
    # Records tp-q2-hosts5p and tp-q2-flops.
    report = shardlang.hardware("tpu-v5p", slice="16x20x28")
    chip = report.chips[0]
    assert chip.figure("slice.chips").value == 8960
    assert chip.figure("slice.hosts").value == 2240
    assert chip.figure("slice.flops.bf16").value == pytest.approx(4.11264e18)
    assert chip.figure("slice.hbm_bytes").value == pytest.approx(8960 * 9.6e10)
    assert chip.figure("slice.wraparound").value == "every axis"
    assert "2240" in str(report)
    v5e = shardlang.hardware("tpu-v5e", slice=(16, 8)).chips[0]
    assert (v5e.figure("slice.wraparound").value, v5e.figure("slice.hosts").value) == ("only 16", 16)
    assert shardlang.hardware("tpu-v5e", slice=(2, 2)).chips[0].figure("slice.hosts").value == 1
    schema = json.loads((files("shardlang") / "schema" / "hardware.json").read_text("utf-8"))
    jsonschema.validate(json.loads(json.dumps(report.to_dict())), schema, jsonschema.Draft202012Validator)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("h100", {"slice": "4x4"}),
        ("tpu-v5e", {"slice": "4x4x4"}),
        (None, {"slice": "4x4"}),
        (None, {"sizes": "W_hbm=1e12"}),
        ("h100", {"sizes": "W_ici=1e12"}),
        ("h100", {"sizes": "W_hbm=1e50"}),
    ],
)
def test_slices_and_figures_that_a_chip_does_not_have(name, options):
    with pytest.raises(shardlang.OptionError):
        shardlang.hardware(name, **options)


def test_a_file_whose_node_has_words_for_its_switches(tmp_path):
    path = tmp_path / "my.toml"
    text = '[mine]\nkind = "gpu"\nnvlink = { egress = 1e11, domain = 4 }\nsuperpod.levels = [{ name = "node", switch = "fast" }]\n'
    path.write_text(text, "utf-8")
    assert shardlang.hardware(path).chips[0].figure("node.bandwidth").value == 4e11


def test_a_figure_that_follows_from_another_one_follows_one_that_is_given():
    def vmem(sizes):
        chip = shardlang.hardware("tpu-v5e", sizes=sizes).chips[0]
        return next(figure for figure in chip.figures if figure.symbol == "W_vmem")

    assert vmem({"W_hbm": 1e12}).value == 22e12  # about 22 times that of HBM, chapter tpus
    assert "derived" in vmem({"W_hbm": 1e12}).convention
    assert vmem({"W_vmem": 1e13}).value == 1e13
    assert "derived" not in vmem({"W_vmem": 1e13}).convention
    both = vmem({"W_vmem": 1e13, "W_hbm": 1e12})
    assert (both.value, both.source) == (1e13, "as given")

"""The catalogue against the book's tables, and files of the user's own."""

import json
import os
import re
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest

from shardlang.pricing.hardware import (
    Hardware,
    HardwareProblem,
    build_catalogue,
    find_hardware,
    load_catalogue,
    read_catalogue,
)

ORACLE = json.loads((Path(__file__).parents[1] / "oracles" / "hardware.json").read_text("utf-8"))
TABLES = tomllib.loads((files("shardlang.pricing") / "hardware.toml").read_text("utf-8"))
LEFT_OUT = {"id", "class", "edition", "source", "vendor", "flops_text", "hbm_bandwidth_text"}


def given_figures(chip):
    """The figures that the oracle has for a chip, without what is null."""
    return {key: value for key, value in chip.items() if key not in LEFT_OUT and value not in (None, {}, [])}


@pytest.mark.parametrize("chip", [*ORACLE["tpu"], *ORACLE["gpu"]], ids=lambda chip: chip["id"])
def test_the_catalogue_has_every_figure_of_the_oracle(chip):
    table = TABLES[chip["id"]]
    for key, value in given_figures(chip).items():
        if key == "wraparound":
            assert table[key] == ("pod" if "exactly 16" in value else "cube")
        elif key == "same_chip_as":
            assert TABLES[table[key]]["name"] == value
        elif isinstance(value, dict):
            known = {k: v for k, v in value.items() if v is not None and k not in ("unit", "convention")}
            assert table.get(key, {}) == known
        else:
            assert table[key] == value
    assert table["source"].startswith("chapter ")


def test_the_catalogue_has_the_chips_of_the_oracle_and_no_other():
    assert list(TABLES) == [chip["id"] for chip in (*ORACLE["tpu"], *ORACLE["gpu"])]
    assert list(load_catalogue()) == list(TABLES)


@pytest.mark.parametrize("conflict", ORACLE["conflicts"])
def test_every_figure_of_every_conflict_of_the_oracle_is_noted(conflict):
    noted = [numbers(text) for table in TABLES.values() for text in table.get("conflicts", ())]
    assert any(numbers(conflict) <= known for known in noted) or numbers(conflict) <= set().union(*noted)


@pytest.mark.parametrize(
    ("chip", "words"),
    [
        ("tpu-v5e", ["8.1e11", "8.2e11"]),
        ("tpu-v5e", ["0.5 us"]),
        ("tpu-v5e", ["10e10", "9e10"]),
        ("tpu-v5p", ["2.5e12", "2.8e12"]),
        ("tpu-v4p", ["1.2e12", "1.23e12"]),
        ("tpu-v6e", ["9.1e14", "9.2e14"]),
        ("tpu-v6e", ["PCIe", "3.2e10"]),
        ("h100", ["9.89e14", "1e15", "3.35e12"]),
        ("h100", ["256 H100"]),
        ("b200", ["9 TB/s", "2.25e15"]),
    ],
)
def test_a_conflict_stands_at_its_chip(chip, words):
    assert any(all(word in text for word in words) for text in TABLES[chip]["conflicts"])


def numbers(text):
    """The figures of a sentence: `8.1e11`, `9 TB/s` as 9e12; not names of chips such as v5e or H100."""
    found = re.findall(r"(?<![\w.])(\d+(?:\.\d+)?(?:e\d+)?)(?: (TB/s))?(?![\w.]*\w)", text)
    return {float(number) * (1e12 if unit else 1) for number, unit in found}


def test_figures_as_the_formulas_need_them():
    v5p, h100, nvl72 = (find_hardware(name) for name in ("tpu-v5p", "h100", "gb200-nvl72"))
    assert v5p.flops == {"bf16": 4.59e14, "int8": 9.18e14}
    assert v5p.flops["bf16"] / v5p.ici == 2550
    assert (v5p.torus_axes, v5p.wraparound, v5p.latency) == (3, "cube", 1e-6)
    assert h100.flops == {"bf16": 9.9e14, "fp8": 2e15, "int8": 2e15}
    assert (h100.egress, h100.domain, h100.ici) == (4.5e11, 8, None)
    assert (nvl72.flops["bf16"], nvl72.hbm_bandwidth, nvl72.domain) == (2.3e15, 8e12, 72)


def test_a_name_in_any_case_and_a_name_that_is_nearly_right():
    assert find_hardware("TPU-v5p").id == "tpu-v5p"
    for typed, meant in (("v5p", "tpu-v5p"), ("tpu-v5", "tpu-v5p"), ("h10", "h100"), ("TPU v6e", "tpu-v6e")):
        problem = find_hardware(typed)
        assert isinstance(problem, HardwareProblem)
        assert problem.code == "SL501"
        assert problem.hint in (meant, "tpu-v5e")
    unknown = find_hardware("abacus")
    assert unknown.code == "SL501"
    assert "tpu-v5p" in unknown.message


def test_a_file_of_ones_own(tmp_path):
    path = tmp_path / "my chips.toml"
    path.write_text('[mine]\nkind = "tpu"\nflops = { bf16 = 1e15 }\nici = { one_way_per_link = 1e11 }\n', "utf-8")
    mine = find_hardware(str(path))
    assert isinstance(mine, Hardware)
    assert (mine.id, mine.flops, mine.ici, mine.wraparound) == ("mine", {"bf16": 1e15}, 2e11, "always")
    path.write_text('[a]\nkind = "tpu"\n[b]\nkind = "gpu"\n', "utf-8")
    assert find_hardware(f"{path}:b").id == "b"
    assert "several chips" in find_hardware(str(path)).message
    assert find_hardware(f"{path}:c").code == "SL501"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("kind = ", "is not TOML"),
        ("", "no chip"),
        ('kind = "tpu"', "not a table"),
        ("[a]\n", "kind"),
        ('[a]\nkind = "cpu"', "kind"),
        ('[a]\nkind = "tpu"\nflops = 3', "flops is not a table"),
        ('[a]\nkind = "tpu"\nflops = { bf16 = "fast" }', "bf16 is not a positive number"),
        ('[a]\nkind = "tpu"\nhbm_bandwidth = -1', "hbm_bandwidth is not a positive number"),
        ('[a]\nkind = "tpu"\nhbm_bandwidth = inf', "hbm_bandwidth is not a positive number"),
        ('[a]\nkind = "tpu"\nhbm_bandwidth = true', "hbm_bandwidth is not a positive number"),
        ('[a]\nkind = "tpu"\nici = { torus_axes = 2.5 }', "torus_axes is not a whole number"),
        ('[a]\nkind = "tpu"\nici = { one_way_per_link = 1, bidirectional_per_axis = 3 }', "not twice"),
        ('[a]\nkind = "tpu"\nwraparound = "often"', "wraparound"),
        ("a = " + "[" * 5000, "SL504"),
    ],
)
def test_a_file_that_cannot_be_used_is_a_finding(tmp_path, text, words):
    path = tmp_path / "bad.toml"
    path.write_text(text, "utf-8")
    problem = find_hardware(str(path))
    assert isinstance(problem, HardwareProblem)
    assert problem.code == "SL504"
    assert words in f"{problem.code} {problem.message}"


def test_a_file_that_is_not_there_or_not_text(tmp_path):
    assert find_hardware(str(tmp_path / "none.toml")).code == "SL504"
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    assert find_hardware(str(tmp_path / "binary.toml")).code == "SL504"
    assert find_hardware("a\0b.toml").code == "SL504"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_a_pipe_is_no_hardware_file(tmp_path):
    """It would be waited for without end; a text of others may name it."""
    os.mkfifo(tmp_path / "chips.toml")
    (tmp_path / "linked.toml").symlink_to(tmp_path / "chips.toml")
    for name in ("chips.toml", "chips.toml:mine", "linked.toml"):
        problem = find_hardware(str(tmp_path / name))
        assert problem.code == "SL504"
        assert problem.message.endswith("it is not a regular file")


def test_tables_of_a_project_file():
    chips = build_catalogue({"mine": {"kind": "gpu", "nvlink": {"egress": 1e11, "domain": 4}}}, "pyproject.toml")
    assert find_hardware("mine", chips).egress == 1e11
    assert find_hardware("h100", chips).egress == 4.5e11


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("hbm_bandwidth = 1" + 400 * "0", "hbm_bandwidth is not between"),
        ("hbm_bandwidth = 0x1" + 5000 * "0", "hbm_bandwidth is not between"),
        ("hbm_bandwidth = 1" + 5000 * "0", "too many digits"),
        ("hop_latency_s = 1e300", "hop_latency_s is not between 1e-30 and 1e+30"),
        ("hop_latency_s = 1e-320", "hop_latency_s is not between"),
        ("hop_latency_s = nan", "hop_latency_s is not a positive number"),
        ("flops = { bf16 = 1e-320 }", "bf16 is not between"),
        ("name = 0x1" + 5000 * "0", "name is not a text"),
        ("source = [1]", "source is not a text"),
        ("wraparound = 0x1" + 5000 * "0", "wraparound is one of"),
        ("x = " + 5000 * "[", "nested too deeply"),
    ],
    ids=lambda text: text[:24],
)
def test_figures_that_no_machine_has(entry, words):
    problem = read_catalogue(f'[mine]\nkind = "tpu"\n{entry}\n', "my.toml")
    assert isinstance(problem, HardwareProblem)
    assert problem.code == "SL504"
    assert words in problem.message


def test_a_kind_that_cannot_be_printed():
    problem = read_catalogue("[mine]\nkind = 0x1" + 5000 * "0", "my.toml")
    assert isinstance(problem, HardwareProblem)
    assert "needs kind" in problem.message


def test_a_name_of_a_generation_suggests_its_chip():
    for name in ("tpu-v7", "v7", "TPU7", "tpu7"):
        found = find_hardware(name)
        assert isinstance(found, HardwareProblem)
        assert found.hint == "tpu7x"

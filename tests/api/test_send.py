"""`shardlang.send` and `shardlang send`."""

import json
from importlib.resources import files

import jsonschema
import pytest
from click.testing import CliRunner

import shardlang
from shardlang.cli import group
from tests.oracles.formulas import read_formula, same_formula

ARRAY = "bf16[8, 128, 8192]"
V5E = {"mesh": "X=4,Y=4", "hardware": "tpu-v5e"}
SCHEMA = json.loads((files("shardlang") / "schema" / "send.json").read_text("utf-8"))


def run(*arguments):
    return CliRunner().invoke(group, ["send", *arguments], prog_name="shardlang", env={"NO_COLOR": "1"})


@pytest.mark.parametrize("place", [((0, 0), (3, 3)), ("0,0", "3,3"), ({}, {"Y": 3, "X": 3}), ("(0, 0)", "X=3,Y=3")])
def test_the_books_transfer(place):
    # Records tp-q5-bw and tp-q5-first.
    report = shardlang.send(ARRAY, *place, **V5E)
    assert (report.hops, report.ports) == (6, 2)
    assert same_formula(report.first_byte, read_formula("6*T_min"))
    assert same_formula(report.through, read_formula("2*8*128*8192/(2*W_uni)"))
    assert report.value(report.first_byte) == pytest.approx(6e-6)
    assert report.value(report.through) == pytest.approx(0.0001864135111111111)
    assert report.value(report.time) == pytest.approx(6e-6 + 0.0001864135111111111)


def test_of_a_sharded_array_the_local_block_is_sent():
    report = shardlang.send("A[I_X, J]", "0", "1", mesh="X=4")
    assert same_formula(report.bytes, read_formula("2*I*J/X"))
    assert same_formula(report.through, read_formula("2*I*J/(X*W_uni)"))
    assert report.value(report.time) is None
    typed = shardlang.send("int8[I, J]", "0", "1", mesh="X=4")
    assert same_formula(typed.bytes, read_formula("I*J"))


def test_figures_that_are_missing_and_given():
    report = shardlang.send(ARRAY, "0", "8", mesh="X=16", hardware="a100")
    assert [finding.code for finding in report.diagnostics] == ["SL506"]
    given = shardlang.send(ARRAY, "0", "8", mesh="X=16", hardware="a100", sizes="W_node=2e11,T_min=1e-6")
    assert (given.ok, given.diagnostics) == (True, ())
    assert given.value(given.time) == pytest.approx(1e-6 + 2 * 8 * 128 * 8192 / (2e11 / 8))


@pytest.mark.parametrize(
    ("text", "source", "target", "options", "words"),
    [
        (ARRAY, "0", "1", V5E, "one coordinate for each mesh axis"),
        (ARRAY, "0,0,0", "0,1", V5E, "one coordinate for each mesh axis"),
        (ARRAY, "0,0", "0,4", V5E, "4 is no coordinate along Y"),
        (ARRAY, "0,0", "0,-1", V5E, "is no coordinate along Y"),
        (ARRAY, (0, 0), (0, 1.5), V5E, "is no coordinate along Y"),
        (ARRAY, (0, True), (0, 1), V5E, "is no coordinate along Y"),
        (ARRAY, 0, (0, 1), V5E, "expected coordinates"),
        (ARRAY, b"0,0", (0, 1), V5E, "expected coordinates"),
        (ARRAY, {"Z": 1}, (0, 1), V5E, "the mesh has no axis Z"),
        ("A[I, J] · B[J, K] -> C[I, K]", "0,0", "0,1", V5E, "expected one array"),
        ("A[I, J]\nB[I, J]", "0,0", "0,1", V5E, "expected one array"),
        ("", "0,0", "0,1", V5E, "expected one array"),
        (ARRAY, "0", "1", {"mesh": "X=560", "topology": "X=ring:2"}, "X spans 2 physical axes"),
        (ARRAY, "0", "1", {"mesh": "X=560", "topology": "X=ring:M_X"}, "physical axes X spans, M_X, is open"),
        (ARRAY, "0", "1", {"mesh": "X=4", "hardware": "none-such"}, "hardware"),
    ],
)
def test_what_cannot_be_sent_is_wrong_usage(text, source, target, options, words):
    with pytest.raises(shardlang.OptionError, match=words):
        shardlang.send(text, source, target, **options)


def test_a_text_with_errors_has_findings_and_no_transfer():
    report = shardlang.send("A[I_X, J_X]", "0", "1", mesh="X=4")
    assert (report.ok, report.time, report.hops) == (False, None, None)
    assert str(report).startswith("error[SL201]")
    jsonschema.validate(report.to_dict(), SCHEMA, jsonschema.Draft202012Validator)
    result = run("-e", "A[I_X, J_X]", "--from", "0", "--to", "1", "--mesh", "X=4")
    assert result.exit_code == 1
    assert "SL201" in result.output


@pytest.mark.parametrize(
    ("target", "options"),
    [
        ("3,3", ("--mesh", "X=4,Y=4", "--hw", "tpu-v5e")),
        ("0,0", ("--mesh", "X=4,Y=4")),
        ("1,1", ("--mesh", "P=2,X=4", "--topology", "P=dcn")),
    ],
)
def test_json_matches_its_schema(target, options):
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    result = run("-e", ARRAY, "--from", "0,0", "--to", target, *options, "--format", "json")
    data = json.loads(result.output)
    jsonschema.validate(data, SCHEMA, jsonschema.Draft202012Validator)
    assert (data["ports"] == 0) == (target == "0,0")


def test_the_command_prints_way_times_and_what_was_assumed():
    shown = run("-e", ARRAY, "--from", "0,0", "--to", "3,3", "--mesh", "X=4,Y=4", "--hw", "tpu-v5e").output
    assert "6 hops along X and Y, sent over 2 links" in shown
    assert "186.4 µs" in shown
    assert "axis X     line (TPU v5e wraps around at exactly 16, not at 4)" in shown
    result = run("-e", ARRAY, "--from", "0", "--to", "3,3", "--mesh", "X=4,Y=4")
    assert result.exit_code == 2


def test_physical_axes_have_to_be_counted():
    given = {"mesh": "X=4", "topology": "X=ring:M_X", "hardware": "tpu-v5p", "sizes": {"I": 64}}
    with pytest.raises(ValueError, match="how many physical axes X spans, M_X, is open"):
        shardlang.send("A[I_X]", "0", "1", **given)
    with pytest.raises(ValueError, match="X spans 2 physical axes"):
        shardlang.send("A[I_X]", "0", "1", **{**given, "sizes": {"I": 64, "M_X": 2}})
    one = shardlang.send("A[I_X]", "0", "1", **{**given, "sizes": {"I": 64, "M_X": 1}})
    assert (one.hops, one.ports) == (1, 1)
    with pytest.raises(ValueError, match="source: the coordinate along X is given twice"):
        shardlang.send("A[I_X]", "X=0,X=1", "1", mesh="X=4")


def test_an_empty_text_says_what_is_expected():
    run = CliRunner().invoke(group, ["send", "", "--from", "0", "--to", "1", "--mesh", "X=4"])
    assert "The text is empty: give an array or a statement" in run.output

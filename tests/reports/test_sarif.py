"""SARIF: the published schema, places in UTF-16, fixes that can be made from the report alone."""

import copy
import json
from pathlib import Path

import jsonschema
import pytest

import shardlang
from shardlang.diagnostics import CODES, Diagnostic, readable_page
from shardlang.reports.objects import CheckReport
from shardlang.reports.sarif import sarif_log, sarif_text
from shardlang.source import SourceText, Span

_SCHEMA = json.loads((Path(__file__).parent / "schemas" / "sarif-2.1.0-rtm.5.json").read_text("utf-8"))
_EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
_NAMES = sorted(path for path in _EXAMPLES.rglob("*") if path.suffix in (".shard", ".md"))


def valid(log):
    checker = jsonschema.Draft4Validator.FORMAT_CHECKER
    jsonschema.validate(log, _SCHEMA, jsonschema.Draft4Validator, format_checker=checker)
    return True


def log_of(*texts):
    reports = [shardlang.check(text, name=f"plans/{number}.shard") for number, text in enumerate(texts)]
    return json.loads(sarif_text(reports, "0.1.0"))


def utf16(text, region):
    """The text of a region, its columns counted in UTF-16 code units as SARIF says."""
    lines = [line.encode("utf-16-le") for line in text.split("\n")]
    start = sum(len(line) + 2 for line in lines[: region["startLine"] - 1]) + 2 * (region["startColumn"] - 1)
    end = sum(len(line) + 2 for line in lines[: region["endLine"] - 1]) + 2 * (region["endColumn"] - 1)
    return start, end, text.encode("utf-16-le")[start:end].decode("utf-16-le")


@pytest.mark.parametrize("path", _NAMES, ids=lambda path: path.stem)
def test_reports_of_examples_match_the_schema(path):
    document = "markdown" if path.suffix == ".md" else None
    report = shardlang.check(path.read_text("utf-8"), name=path.name, document=document)
    log = sarif_log([report], "0.1.0")
    assert valid(log)
    assert len(log["runs"][0]["results"]) == len(report.diagnostics)


def test_the_schema_refuses_what_is_wrong():
    log = log_of("A[I_X, J_X]")
    assert valid(log)
    for path, value in ((("version",), "1"), (("runs", 0, "results", 0, "level"), "bad"), (("runs", 0, "extra"), 1)):
        wrong = copy.deepcopy(log)
        place = wrong
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value
        with pytest.raises(jsonschema.ValidationError):
            valid(wrong)


def test_one_log_for_several_files():
    (run,) = log_of("A[I_X, J_X]", "A[I]", "B[I_X, J_X]\nC[K, K]")["runs"]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["SL201", "SL204"]
    assert len(run["artifacts"]) == 3
    places = [
        (result["ruleId"], result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"])
        for result in run["results"]
    ]
    assert places == [("SL201", "plans/0.shard"), ("SL201", "plans/2.shard"), ("SL204", "plans/2.shard")]
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]


def test_rules_say_what_the_registry_says():
    (rule,) = log_of("A[I_X, J_X]")["runs"][0]["tool"]["driver"]["rules"]
    assert rule["shortDescription"]["text"] == f"{CODES['SL201'].title}."
    assert rule["help"]["markdown"] == readable_page("SL201")
    assert rule["fullDescription"]["text"].startswith("One mesh axis shards two dimensions of one array.")


def test_the_help_of_a_rule_has_no_comments_of_the_page():
    log = json.loads(sarif_text([shardlang.check("A[I]", sizes={"Batch": 4})], "0.1.0"))
    (rule,) = log["runs"][0]["tool"]["driver"]["rules"]
    assert rule["id"] == "SL225"
    assert "<!--" not in rule["help"]["markdown"] + rule["help"]["text"]
    assert "With the keywords" in rule["help"]["markdown"]


def test_every_code_has_a_rule_with_an_explanation_in_words():
    source = SourceText("A", "a.shard")
    log = sarif_log(
        [CheckReport(True, (), (), source, tuple(Diagnostic(code, "m", Span(0, 1)) for code in CODES))], "1"
    )
    assert valid(log)
    for rule in log["runs"][0]["tool"]["driver"]["rules"]:
        text = rule["fullDescription"]["text"]
        assert text.endswith((".", ":", ")"))
        assert not text.startswith(("#", "`" * 3, "<!--"))
        assert len(text) <= 1024  # what code scanning of GitHub takes


@pytest.mark.parametrize(
    ("code", "level"),
    [("SL201", "error"), ("SL313", "warning"), ("SL106", "note")],
)
def test_levels(code, level):
    source = SourceText("A[I]", "a.shard")
    log = sarif_log([CheckReport(False, (), (), source, (Diagnostic(code, "m", Span(0, 1)),))], "1")
    assert log["runs"][0]["results"][0]["level"] == level


def test_columns_count_utf16_code_units():
    text = "# 🙂 · →\n\tA[I, J]  # 🙂\n𝕎[I_X, J_X] -> B[I_X, J]\n"  # 𝕎 and 🙂 take two units each
    source = SourceText(text, "a.shard")
    start = text.index("J_X")
    report = CheckReport(False, (), (), source, (Diagnostic("SL201", "m", Span(start, start + 3)),))
    region = sarif_log([report], "1")["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]
    assert utf16(text, region)[2] == "J_X"
    assert region["startColumn"] == 9  # two units of 𝕎, then six of `[I_X, `


@pytest.mark.parametrize(
    "text",
    [
        "mesh X=4\n# 🙂\nA[I, J_X] ·_LOCAL B[J_X, K] -> C[I, K]\n",
        "A[I_X, J_X] · B[J_X, K] -> C[I_X, K]\n",
        "AllReduce_X C[I, K] -> C[I, K]",
    ],
)
def test_fixes_can_be_made_from_the_report(text):
    result = next(r for r in log_of(text)["runs"][0]["results"] if r.get("fixes"))
    for fix in result["fixes"]:
        (change,) = fix["artifactChanges"]
        raw = text.encode("utf-16-le")
        for replacement in reversed(change["replacements"]):
            start, end, _ = utf16(text, replacement["deletedRegion"])
            raw = raw[:start] + replacement["insertedContent"]["text"].encode("utf-16-le") + raw[end:]
        assert result["ruleId"] not in [f.code for f in shardlang.check(raw.decode("utf-16-le")).diagnostics]


def test_braces_of_messages_are_no_placeholders():
    (result,) = log_of("A[I, J]{U_X} ·_LOCAL B[J, K]{U_X} -> C[I, K]{U_X}")["runs"][0]["results"]
    assert "{{U_X}}" in result["message"]["text"]
    assert not [char for char in result["message"]["text"].replace("{{", "").replace("}}", "") if char in "{}"]
    assert "{U_X}" in result["fixes"][0]["artifactChanges"][0]["replacements"][0]["insertedContent"]["text"]


@pytest.mark.parametrize(
    ("name", "location"),
    [
        ("./a b.shard", {"uri": "a%20b.shard", "uriBaseId": "%SRCROOT%"}),
        ("/x/é.shard", {"uri": "file:///x/%C3%A9.shard"}),
        ("<stdin>", {"uri": "%3Cstdin%3E", "uriBaseId": "%SRCROOT%"}),
        ("plans/../ü/数%.shard", {"uri": "%C3%BC/%E6%95%B0%25.shard", "uriBaseId": "%SRCROOT%"}),
        ("../other/a.shard", {"uri": "../other/a.shard", "uriBaseId": "%SRCROOT%"}),
        ("plans\\a.shard", {"uri": "plans/a.shard", "uriBaseId": "%SRCROOT%"}),
        ("C:\\x y\\a.shard", {"uri": "file:///C:/x%20y/a.shard"}),
        ("\\\\host\\share\\a.shard", {"uri": "file://host/share/a.shard"}),
        ("a:b#c?.shard", {"uri": "a%3Ab%23c%3F.shard", "uriBaseId": "%SRCROOT%"}),
    ],
)
def test_addresses(name, location):
    log = sarif_log([shardlang.check("A[I_X, J_X]", name=name)], "1")
    assert log["runs"][0]["artifacts"] == [{"location": location}]
    assert valid(log)


def prints(text):
    return [result["partialFingerprints"]["statementHash/v1"] for result in log_of(text)["runs"][0]["results"]]


def test_fingerprints_tell_findings_apart_and_not_where_they_stand():
    text = "A[I_X, J_X]\nB[K, K]\nA[I_X, J_X]\nC[I_X, J_X,\n"
    found = prints(text)
    assert len(set(found)) == len(found) == 4
    assert prints("mesh X=4\n# a remark\n\n" + text) == found
    assert prints(text.replace("B[K, K]", "D[I]\n  B[ K,K ]  # a remark\nE[J]\n")) == found
    assert prints(text.replace("\n", "\r\n")) == found
    other = prints(text.replace("B[K, K]", "B[L, L]"))
    assert [one == two for one, two in zip(found, other, strict=True)] == [True, False, True, True]
    assert prints(text.partition("\n")[2]) == [found[1], found[0], found[3]]  # the first of those alike is mended


def test_fingerprints_of_two_findings_in_one_statement_differ():
    (first, second) = prints("A[I_X, J_X] · B[K, K] -> C[I_X, J, K]")
    assert first != second


def test_nothing_found_is_a_log_too():
    log = log_of("A[I]", "")
    assert valid(log)
    assert log["runs"][0]["results"] == []
    assert log["runs"][0]["tool"]["driver"]["rules"] == []


def test_hostile_text_is_shown_safely():
    log = log_of("A[I\u202e_X, J_X]\n\ud800[I")
    assert valid(log)
    assert "\u202e" not in json.dumps([r["message"] for r in log["runs"][0]["results"]], ensure_ascii=False)

"""JUnit XML: what a CI system counts and shows."""

from xml.etree import ElementTree

import shardlang
from shardlang.reports.junit import junit_text


def suites(*texts):
    reports = [shardlang.check(text, name=f"{number}.shard") for number, text in enumerate(texts)]
    root = ElementTree.fromstring(junit_text(reports))
    assert root.tag == "testsuites"
    for suite in (root, *root):  # the counts are those of the cases
        cases = list(suite.iter("testcase"))
        assert int(suite.get("tests")) == len(cases)
        assert int(suite.get("failures")) == sum(case.find("failure") is not None for case in cases)
    return list(root)


def test_a_case_a_statement():
    (suite,) = suites("mesh X=4\nA[I_X, J] -> A[I, J]\nB[I_X, J_X]\nC[I_X]")
    assert suite.get("name") == "0.shard"
    shown = [(case.get("name"), case.get("line"), case.find("failure") is not None) for case in suite]
    assert shown == [
        ("line 2: A[I_X, J] -> A[I, J]", "2", False),
        ("line 3: B[I_X, J_X]", "3", True),
        ("line 4: C[I_X]", "4", False),
    ]


def test_a_failure_shows_the_snippet():
    (suite,) = suites("A[I_X, J_X]")
    failure = suite[0].find("failure")
    assert failure.get("type") == "SL201"
    assert failure.get("message").startswith("SL201: `X` shards both")
    assert "1 | A[I_X, J_X]\n" in failure.text


def test_what_is_in_no_statement_is_a_case():
    (suite,) = suites("A[I]\nA[I, J\n?\n")
    assert [(case.get("name"), case.find("failure") is not None) for case in suite][:2] == [
        ("line 1: A[I]", False),
        ("line 2: SL102", True),
    ]


def test_warnings_do_not_fail():
    text = "mesh X=4\nA[I, J] · B[J, K] -> C[I_X, K]"
    assert [finding.severity for finding in shardlang.check(text).diagnostics] == ["warning"]
    (suite,) = suites(text)
    assert suite[0].find("failure") is None
    assert "warning[SL313]" in suite[0].find("system-out").text


def test_a_suite_a_file_and_none_is_empty():
    assert [len(suite) for suite in suites("A[I]\nB[J]", "", "# nothing")] == [2, 1, 1]


def test_what_xml_cannot_hold():
    (suite,) = suites("A[I, \x00\x1b\ufffe\ud800 <&\"']]>\n")
    assert suite.get("failures") == "1"

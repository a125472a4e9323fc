"""JUnit XML: what a CI system counts and shows."""

from xml.etree import ElementTree

import pytest

import shardlang
from shardlang.reports.junit import junit_text

# Elements, with the attributes that they must and may have, and what may stand in them: those of the XML schema of Jenkins
# (github.com/jenkinsci/xunit-plugin, junit-10.xsd) that we use, and `file` and `line` of a case, which GitLab reads.
_SHAPE = {
    "testsuites": ((), ("name", "time", "tests", "failures", "errors"), ("testsuite",)),
    "testsuite": (("name", "tests", "failures", "errors"), ("time", "skipped", "id", "package"), ("testcase",)),
    "testcase": (("name",), ("time", "classname", "file", "line"), ("failure", "system-out")),
    "failure": ((), ("type", "message"), ()),
    "system-out": ((), (), ()),
}


def check_shape(element):
    needed, allowed, inner = _SHAPE[element.tag]
    assert set(needed) <= set(element.attrib) <= {*needed, *allowed}, element.tag
    assert {child.tag for child in element} <= set(inner), element.tag
    for name in ("tests", "failures", "errors", "skipped", "line"):
        assert element.get(name, "0").isdecimal()
    for child in element:
        check_shape(child)


def test_the_shape_refuses_what_is_wrong():
    check_shape(ElementTree.fromstring(junit_text([shardlang.check("A[I_X, J_X]")])))
    for wrong in (
        "<testsuites><testcase name='a'/></testsuites>",
        "<testsuite name='a'/>",
        "<testsuite name='a' tests='one' failures='0' errors='0'/>",
        "<testcase name='a' place='1'/>",
    ):
        with pytest.raises(AssertionError):
            check_shape(ElementTree.fromstring(wrong))


def suites(*texts):
    reports = [shardlang.check(text, name=f"{number}.shard") for number, text in enumerate(texts)]
    root = ElementTree.fromstring(junit_text(reports))
    assert root.tag == "testsuites"
    check_shape(root)
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
        ("A[I_X, J] -> A[I, J]", "2", False),
        ("B[I_X, J_X]", "3", True),
        ("C[I_X]", "4", False),
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
        ("A[I]", False),
        ("SL102: A[I, J", True),
    ]


def test_names_stay_when_lines_move_and_are_never_alike():
    """Dashboards know a test by its class and its name from one run to the next."""
    text = "A[I]\nA[I_X, J_X]\nA[I]\nB[K\nB[K\n"
    (before,), (after,) = suites(text), suites("# a comment\n\n" + text)
    names = [case.get("name") for case in before]
    assert names == [case.get("name") for case in after]
    assert len(set(names)) == len(names) == 5
    assert [int(case.get("line")) + 2 for case in before] == [int(case.get("line")) for case in after]
    long = "A[" + 300 * "I" + "{}]"
    (suite,) = suites("\n".join(map(long.format, "ab")))
    assert len({case.get("name") for case in suite}) == 2


def test_warnings_do_not_fail():
    text = "mesh X=4\nA[I, J] · B[J, K] -> C[I_X, K]"
    assert [finding.severity for finding in shardlang.check(text).diagnostics] == ["warning"]
    (suite,) = suites(text)
    assert suite[0].find("failure") is None
    assert "warning[SL313]" in suite[0].find("system-out").text


def test_a_suite_a_file_and_none_is_empty():
    assert [len(suite) for suite in suites("A[I]\nB[J]", "", "# nothing")] == [2, 1, 1]


def test_statements_on_one_line_each_have_their_findings():
    (suite,) = suites("A[I]; B[I_X, J] -> B[I, J]; C[I_X, J_X]")
    shown = [(case.get("name"), case.find("failure") is not None) for case in suite]
    assert shown == [
        ("A[I]", False),
        ("B[I_X, J] -> B[I, J]", False),
        ("C[I_X, J_X]", True),
    ]


def test_what_xml_cannot_hold():
    (suite,) = suites("A[I, \x00\x1b\ufffe\ud800 <&\"']]>\n")
    assert suite.get("failures") == "1"


def test_names_of_any_kind_and_length():
    for name, shown in (
        ("a\x00\x1b<&'\"\ufffe.shard", "a<U+0000><U+001B><&'\"<U+FFFE>.shard"),
        ("a/" * 500, "a/" * 500),
    ):
        root = ElementTree.fromstring(junit_text([shardlang.check("A[I_X, J_X]", name=name)]))
        check_shape(root)
        assert root[0].get("name") == root[0][0].get("file") == shown
    name = ElementTree.fromstring(junit_text([shardlang.check(f"A[{'I' * 999}]")]))[0][0].get("name")
    assert len(name) == 201

"""The workflows of docs/tools/ci.md, step by step, in a repository with plans that are right and wrong."""

import json
import re
from xml.etree import ElementTree

import pytest
import yaml

from tests.docs.setups import FOUND, SAMPLE, blocks, counted, drawn, git, mend_sample, shell, write_sample
from tests.reports.test_junit import check_shape
from tests.reports.test_sarif import utf16, valid

ANNOTATIONS, SCANNING, SUMMARY, GITLAB = blocks("ci", "yaml")
_ACTIONS = {  # what each action takes: its action.yml at that version
    "actions/checkout@v4": set(),
    "actions/setup-python@v5": {"python-version"},
    "github/codeql-action/upload-sarif@v4": {"sarif_file"},
}
_EXPECTED = FOUND


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "repository"
    folder.mkdir()
    write_sample(folder)
    return folder


@pytest.fixture
def run(repository, tmp_path):
    """A function that runs steps until one fails; pip is one that only takes note of what it is asked for."""
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "pip").write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/asked\n', "utf-8")
    (programs / "pip").chmod(0o755)
    summary = tmp_path / "summary.md"

    def call(lines):
        (tmp_path / "asked").write_text("", "utf-8")
        shown = ""
        for line in lines:
            done = shell(line, repository, programs, GITHUB_STEP_SUMMARY=str(summary))
            shown += done.stdout
            if done.returncode:
                assert "Traceback" not in done.stderr
                return done.returncode, shown
        assert (tmp_path / "asked").read_text("utf-8") == "install shardlang\n"
        return 0, shown

    call.summary = summary
    return call


def steps(workflow):
    """The commands of the one job of a GitHub workflow, after a look at the rest of it."""
    data = yaml.safe_load(workflow)
    assert set(data) == {"name", True, "permissions", "jobs"}  # YAML reads the key `on` as true
    assert set(data[True]) == {"push", "pull_request"}
    assert data["permissions"]["contents"] == "read"
    (job,) = data["jobs"].values()
    assert job["runs-on"] == "ubuntu-latest"
    assert job["steps"][0] == {"uses": "actions/checkout@v4"}
    for step in job["steps"]:
        if "uses" in step:
            assert set(step.get("with", {})) == _ACTIONS[step["uses"]]
        else:
            assert set(step) <= {"run", "if"}
    return [step["run"] for step in job["steps"] if "run" in step]


def annotations(shown):
    """The findings in the commands of a workflow."""
    found = set()
    for line in shown.splitlines():
        if not line.startswith("::"):
            continue
        level, properties, message = re.fullmatch(r"::(\w+) ([^:]*)::(.*)", line).groups()
        values = dict(part.split("=") for part in properties.split(","))
        code = values["title"].removeprefix("shardlang ")
        one = counted(values["file"], code, int(values["line"]), int(values["col"]))
        assert message.startswith(f"{one.file}:{one.line}:{one.column}: {code} ")
        assert level == "error"
        found.add(one)
    return found


def test_annotations(run, repository):
    status, shown = run(steps(ANNOTATIONS))
    assert status == 1
    assert annotations(shown) == _EXPECTED
    mend_sample(repository)
    assert run(steps(ANNOTATIONS)) == (0, "")


def test_scanning(run, repository):
    """The step that uploads runs whatever was found, and only wrong usage stops the job."""
    assert yaml.safe_load(SCANNING)["permissions"]["security-events"] == "write"
    lines = steps(SCANNING)
    assert run(lines)[0] == 0
    (upload,) = [step for step in yaml.safe_load(SCANNING)["jobs"]["scan"]["steps"] if "upload-sarif" in str(step)]
    log = json.loads((repository / upload["with"]["sarif_file"]).read_text("utf-8"))
    assert valid(log)
    found = set()
    for result in log["runs"][0]["results"]:
        place = result["locations"][0]["physicalLocation"]
        name, region = place["artifactLocation"]["uri"], place["region"]
        text = (repository / name).read_bytes().decode("utf-8-sig")
        assert utf16(text, region)[2] in ("X", "Z", "W")  # the axis that is wrong
        found.add((name, result["ruleId"], region["startLine"], region["startColumn"]))
    assert found == {(one.file, one.code, one.line, one.utf16) for one in _EXPECTED}
    mend_sample(repository)
    assert run(lines)[0] == 0
    assert json.loads((repository / upload["with"]["sarif_file"]).read_text("utf-8"))["runs"][0]["results"] == []
    (repository / "pyproject.toml").write_text("[tool.shardlang]\ninclude = 1\n", "utf-8")
    assert run(lines)[0] == 2


def test_summary(run, repository):
    """What a plan costs, on the page of the run: Markdown with a formula of each total."""
    (step,) = yaml.safe_load(f"steps:\n{SUMMARY}")["steps"]
    (repository / "plans" / "my own – 2.shard").write_text("In[B_X, D] · W[D_X, F] -> H[B_X, F]\n", "utf-8")
    mend_sample(repository)
    git(repository, "add -A")
    done = run(["pip install shardlang", step["run"]])
    assert done[0] == 0
    written = run.summary.read_text("utf-8")
    assert re.findall(r"^# (.*)$", written, re.M) == sorted(
        name for name in (*SAMPLE, "plans/my own – 2.shard") if name.endswith(".shard")
    )
    assert "AllGather_X" in written
    assert "\\frac{2 D F}{W_{\\text{ici}}}" in written


def test_summary_of_a_project_without_plan_files(run, repository):
    (step,) = yaml.safe_load(f"steps:\n{SUMMARY}")["steps"]
    git(repository, "rm -q -f plans/*.shard")
    assert run(["pip install shardlang", step["run"]]) == (0, "")
    assert run.summary.read_text("utf-8") == ""


def test_gitlab(run, repository):
    (job,) = yaml.safe_load(GITLAB).values()
    assert set(job) == {"image", "script", "artifacts"}
    assert job["artifacts"]["when"] == "always"  # the report is for runs that fail
    report = repository / job["artifacts"]["reports"]["junit"]
    status, shown = run(job["script"])
    assert (status, drawn(shown)) == (1, FOUND)  # the log says it too
    root = ElementTree.parse(report).getroot()
    check_shape(root)
    failed = [case for case in root.iter("testcase") if case.find("failure") is not None]
    assert {(case.get("file"), case.find("failure").get("type"), int(case.get("line"))) for case in failed} == {
        (one.file, one.code, one.line) for one in _EXPECTED
    }
    assert drawn("".join(case.find("failure").text for case in failed)) == _EXPECTED
    assert [suite.get("name") for suite in root if suite.get("failures") == "0"] == [
        "plans/good.shard",
        "plans/silenced.shard",
    ]
    mend_sample(repository)
    assert run(job["script"])[0] == 0
    assert ElementTree.parse(report).getroot().get("failures") == "0"


def test_lines_for_anywhere(repository):
    check, form = blocks("ci", "bash")[1].splitlines()
    done = shell(check, repository)
    assert done.returncode == 1
    assert drawn(done.stdout) == _EXPECTED
    assert shell(form, repository).returncode == 1  # of wrong.shard
    shell("shardlang fmt -w plans/wrong.shard", repository)
    assert shell(form, repository).returncode == 0

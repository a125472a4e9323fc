"""One repository with everything: hook, pytest, CI and settings find the same in the same places."""

import json
from xml.etree import ElementTree

import pytest

from tests.docs.setups import (
    FOUND,
    blocks,
    counted,
    drawn,
    git,
    mend_sample,
    shell,
    write_sample,
)
from tests.docs.test_ci import annotations

pytestmark = pytest.mark.xdist_group("pre-commit")


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "repository"
    folder.mkdir()
    write_sample(folder)
    return folder


def by_text(folder):
    return drawn(shell("shardlang check .", folder).stdout)


def by_json(folder):
    data = json.loads(shell("shardlang check . --format json", folder).stdout)
    return {counted(one["file"], one["code"], one["line"], one["column"]) for one in data["diagnostics"]}


def by_github(folder):
    return annotations(shell("shardlang check . --format github", folder).stdout)


def by_sarif(folder):
    log = json.loads(shell("shardlang check . --format sarif", folder).stdout)
    found = set()
    for result in log["runs"][0]["results"]:
        place = result["locations"][0]["physicalLocation"]
        region, name = place["region"], place["artifactLocation"]["uri"]
        (one,) = [known for known in FOUND if known.file == name and known.line == region["startLine"]]
        assert (result["ruleId"], region["startColumn"]) == (one.code, one.utf16)
        found.add(one)
    return found


def by_junit(folder):
    root = ElementTree.fromstring(shell("shardlang check . --format junit", folder).stdout)
    failures = [(case, failure) for case in root.iter("testcase") for failure in case.iter("failure")]
    found = set()
    for case, failure in failures:
        (one,) = drawn(failure.text)
        assert (case.get("file"), int(case.get("line")), failure.get("type")) == (one.file, one.line, one.code)
        found.add(one)
    return found


def by_pytest(folder):
    command = "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 pytest -p shardlang.tools.pytest_plugin -p no:cacheprovider"
    return drawn(shell(command, folder).stdout)


@pytest.mark.parametrize("way", [by_text, by_json, by_github, by_sarif, by_junit, by_pytest])
def test_all_find_the_same(way, repository):
    assert way(repository) == FOUND
    mend_sample(repository)
    assert way(repository) == set()


def test_from_a_hook_to_a_green_run(repository, own, environment):
    """Hook, settings, pytest and workflow are added as the pages say; what is wrong is mended, and all of them pass."""
    config = blocks("pre-commit", "yaml")[0].replace("https://example.com/shardlang.git", str(own))
    (repository / ".pre-commit-config.yaml").write_text(config, "utf-8")
    workflows = repository / ".github" / "workflows"
    workflows.mkdir(parents=True)
    (workflows / "plans.yml").write_text(blocks("ci", "yaml")[0], "utf-8")
    git(repository, "add -A")
    assert drawn(shell("pre-commit run --all-files", repository, **environment).stdout) == FOUND
    mend_sample(repository)
    git(repository, "add -A")
    done = shell("pre-commit run --all-files", repository, **environment)
    assert done.returncode == 0, done.stdout
    for line in ("shardlang check . --format github", "shardlang fmt --check ."):
        assert shell(line, repository).returncode == 0
    command = "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 pytest -p shardlang.tools.pytest_plugin -p no:cacheprovider -q"
    assert "8 passed" in shell(command, repository).stdout


def test_another_place_is_noticed(repository):
    text = (repository / "README.md").read_text("utf-8")
    (repository / "README.md").write_text(text.replace("A[I_X", " A[I_X"), "utf-8")
    for way in (by_text, by_json, by_github):
        assert len(way(repository) - FOUND) == len(FOUND - way(repository)) == 1

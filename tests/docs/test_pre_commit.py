"""The set-ups of docs/tools/pre-commit.md, run by pre-commit in a repository with plans that are right and wrong.

The hooks are installed as for a stranger, into an environment of their own from a git repository; every day without a
package index, from what is installed here.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.docs.sessions import ROOT
from tests.docs.setups import (
    FOUND,
    SAMPLE,
    blocks,
    drawn,
    git,
    mend_sample,
    shell,
    write_sample,
)

pytestmark = pytest.mark.xdist_group("pre-commit")  # the environment of the hooks is made once

PLAIN, WITH_ARGUMENTS, FROM_INDEX = blocks("pre-commit", "yaml")
INSTALL, RUN = blocks("pre-commit", "bash")[0].splitlines()
ADDRESS = "https://example.com/shardlang.git"
CONFIG = ".pre-commit-config.yaml"


@pytest.fixture
def repository(tmp_path):
    write_sample(tmp_path)
    git(tmp_path, "commit -qm first", "config user.name x", "config user.email x@example.com")
    return tmp_path


def status(done):
    """What each hook came to."""
    return dict(re.findall(r"^(shardlang \w+)\.*(?:\(.*\))?(\w+)$", done.stdout, re.M))


def test_a_stranger_commits(repository, own, environment):
    (repository / CONFIG).write_text(PLAIN.replace(ADDRESS, str(own)), "utf-8")
    assert shell(INSTALL, repository, **environment).returncode == 0
    git(repository, "add -A")
    done = shell(RUN, repository, **environment)
    assert done.returncode == 1, done.stderr
    assert status(done) == {"shardlang check": "Failed", "shardlang fmt": "Failed"}  # wrong.shard is written anew
    assert drawn(done.stdout) == FOUND
    assert "files were modified by this hook" in done.stdout
    installed = next(Path(environment["PRE_COMMIT_HOME"]).glob("repo*/py_env-*"))
    assert list(installed.glob("lib/python*/site-packages/shardlang/cli/check.py"))

    (repository / "new.shard").write_text("A[I_X, J_X]\n", "utf-8")
    git(repository, "add -A")
    stopped = shell("git commit -qm second", repository, **environment)
    assert stopped.returncode == 1
    assert "new.shard:1:10" in stopped.stderr + stopped.stdout
    (repository / "new.shard").write_text("A[I_X, J]\n", "utf-8")
    mend_sample(repository)
    git(repository, "add -A")
    assert shell("git commit -qm second", repository, **environment).returncode == 0
    passed = {"shardlang check": "Passed", "shardlang fmt": "Passed"}
    done = shell(RUN, repository, **environment)
    assert status(done) == passed
    (repository / "warned.shard").write_text("A[I, J] · B[J, K] -> C[I_X, K]\n", "utf-8")
    git(repository, "add -A")
    assert "SL313" not in shell(RUN, repository, **environment).stdout
    assert "SL313" in shell(f"{RUN} --verbose", repository, **environment).stdout

    (repository / "untracked.shard").write_text("A[I_X, J_X]\n", "utf-8")
    done = shell(RUN, repository, **environment)
    assert "untracked.shard:1:10" in done.stdout
    (repository / "untracked.shard").unlink()
    assert status(shell(RUN, repository, **environment)) == passed


def test_a_commit_of_settings_is_looked_at(repository, own, environment):
    """The settings alone change, so that a plan that was right has no axis `X` any more."""
    (repository / CONFIG).write_text(PLAIN.replace(ADDRESS, str(own)), "utf-8")
    mend_sample(repository)
    shell("shardlang fmt --write .", repository)
    git(repository, "add -A", "commit -qm mended")
    assert shell(INSTALL, repository, **environment).returncode == 0
    settings = (repository / "pyproject.toml").read_text("utf-8")
    (repository / "pyproject.toml").write_text(settings.replace("X = 4", "Z = 4"), "utf-8")
    git(repository, "add -A")
    stopped = shell("git commit -qm settings", repository, **environment)
    assert stopped.returncode == 1
    assert "plans/good.shard:1:5" in stopped.stderr + stopped.stdout
    (repository / "pyproject.toml").write_text(settings + "\n", "utf-8")
    git(repository, "add -A")
    assert shell("git commit -qm settings", repository, **environment).returncode == 0


def test_arguments_and_files(repository, own, environment):
    config = WITH_ARGUMENTS.replace(ADDRESS, str(own))
    (repository / CONFIG).write_text(config, "utf-8")
    missing = "A[I, J_X] ·_LOCAL B[J_X, K] -> C[I, K]\n"  # SL312, which `args` selects
    (repository / "plans" / "sum.shard").write_text(missing, "utf-8")
    (repository / "other.shard").write_text(missing, "utf-8")  # `files` leaves it out
    git(repository, "add -A")
    done = shell(RUN, repository, **environment)
    assert status(done) == {"shardlang check": "Failed"}
    assert {found.file for found in drawn(done.stdout)} == {"plans/wrong.shard"}
    assert (repository / "plans" / "sum.shard").read_text("utf-8").count("AllReduce_X C") == 1
    assert (repository / "other.shard").read_text("utf-8") == missing
    mend_sample(repository)
    git(repository, "add -A")
    assert status(shell(RUN, repository, **environment)) == {"shardlang check": "Passed"}


def test_hooks_are_what_pre_commit_takes(tmp_path):
    from pre_commit.clientlib import load_config, load_manifest

    hooks = {hook["id"]: hook for hook in load_manifest(ROOT / ".pre-commit-hooks.yaml")}
    assert set(hooks) == {"shardlang-check", "shardlang-fmt"}
    for block in (PLAIN, WITH_ARGUMENTS, FROM_INDEX):
        (tmp_path / "config.yaml").write_text(block, "utf-8")
        for repo in load_config(tmp_path / "config.yaml")["repos"]:
            assert {hook["id"] for hook in repo["hooks"]} <= set(hooks)
    assert [name for name in SAMPLE if re.search(hooks["shardlang-check"]["files"], name)] == list(SAMPLE)[1:]
    plain = {hook["id"]: hook for hook in yaml.safe_load(PLAIN)["repos"][0]["hooks"]}
    local = {hook["id"]: hook for hook in yaml.safe_load(FROM_INDEX)["repos"][0]["hooks"]}
    assert set(plain) == set(local) == set(hooks)
    for name, hook in local.items():
        for key in ("name", "entry", "language"):  # it is the hook of the repository
            assert hook[key] == hooks[name][key]
        for key in ("args", "pass_filenames", "files"):  # as it is set up above
            assert hook[key] == plain[name][key]
        assert [name for name in (*SAMPLE, "x/pyproject.toml") if re.search(hook["files"], name)] == list(SAMPLE)


@pytest.mark.slow
def test_from_a_package_index(repository, own, tmp_path_factory):
    """Installed with all that it needs: shardlang from a directory of wheels, the rest from the index."""
    wheels = tmp_path_factory.mktemp("wheels")
    built = subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "-o", str(wheels), str(own)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert built.returncode == 0, built.stderr
    environment = {
        "PRE_COMMIT_HOME": str(tmp_path_factory.mktemp("cache")),
        "PIP_FIND_LINKS": str(wheels),
        "PYTHONPATH": "",
    }
    (repository / CONFIG).write_text(FROM_INDEX, "utf-8")
    git(repository, "add -A")
    done = shell(RUN, repository, **environment)
    assert status(done) == {"shardlang check": "Failed", "shardlang fmt": "Failed"}, done.stdout + done.stderr
    assert drawn(done.stdout) == FOUND
    mend_sample(repository)
    git(repository, "add -A")
    assert status(shell(RUN, repository, **environment)) == {"shardlang check": "Passed", "shardlang fmt": "Passed"}


@pytest.mark.slow
def test_from_its_repository_with_all_that_it_needs(repository, own, tmp_path_factory):
    environment = {"PRE_COMMIT_HOME": str(tmp_path_factory.mktemp("cache")), "PYTHONPATH": ""}
    (repository / CONFIG).write_text(PLAIN.replace(ADDRESS, str(own)), "utf-8")
    git(repository, "add -A")
    done = shell(RUN, repository, **environment)
    assert done.returncode == 1, done.stdout + done.stderr
    assert drawn(done.stdout) == FOUND


def test_pip_installs_from_the_repository(own, environment, tmp_path):
    """The line of docs/tools/ci.md for where no package index has shardlang."""
    (line,) = blocks("ci", "bash")[0].splitlines()
    line = line.replace(ADDRESS, own.as_uri()).replace("pip install", f"{sys.executable} -m pip install --target here")
    assert "git+file:///" in line
    done = shell(line, tmp_path, **environment)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "here" / "shardlang" / "grammar" / "shardlang.lark").exists()

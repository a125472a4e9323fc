"""The set-ups in docs/tools are copied from the pages, and run."""

import json
import os
import re
import shutil
import subprocess
import sys
import threading
import tomllib
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import yaml

import shardlang
from shardlang.api.project import settings_for
from tests.docs.sessions import ROOT, fences

TOOLS = ROOT / "docs" / "tools"


def blocks(page, language):
    return [fence.text for fence in fences((TOOLS / f"{page}.md").read_text("utf-8"), language)]


def test_settings_can_be_used(tmp_path):
    plan, chips = blocks("settings", "toml")
    (tmp_path / "pyproject.toml").write_text(plan, "utf-8")
    text = "AllGather_X A[B_X, D] -> A[B, D]"
    report = shardlang.check(text, **settings_for(tmp_path / "a.shard"))
    assert report.statements[0].steps[0].bytes_received == 1024 * 8192 * 2 * 15 / 16
    report = shardlang.check(text, **settings_for(tmp_path / "plans" / "big" / "a.shard"))
    assert report.statements[0].steps[0].bytes_received == 1024 * 8192 * 2 * 31 / 32
    (tmp_path / "pyproject.toml").write_text(chips, "utf-8")
    priced = shardlang.cost(
        "A[I, J] · B[J, K] -> C[I, K]", sizes="I=10,J=10,K=10", **settings_for(tmp_path / "a.shard")
    )
    assert priced.value(priced.t_math) == pytest.approx(2 * 10**3 / 4.0e14)
    assert tomllib.loads(chips)["tool"]["shardlang"]["hardware"]["mine"]["ici"]["one_way_per_link"] == 9.0e10


PLANS = {
    "good.shard": "mesh X=4\nA[I_X, J] -> A[I, J]\n",
    "README.md": "# Plan\n\n```shard\nA[I_X, J_X]\n```\n",
    "src/model.py": '"""A layer.\n\n```shard\nA[I_X, J] -> A[I, J]\n```\n"""\n',
}


def shell(command, folder):
    """Run a line of a page where shardlang is installed."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.fixture
def repository(tmp_path):
    """A git repository with a few plans, of which one is wrong."""
    for name, text in PLANS.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    done = shell("git init -q . && git add -A", tmp_path)
    assert done.returncode == 0, done.stderr
    return tmp_path


def lines_of(workflow):
    """The lines of our own in a workflow of GitHub or GitLab."""
    data = yaml.safe_load(workflow)
    jobs = data["jobs"].values() if "jobs" in data else data.values()
    lines = [step.get("run") for job in jobs for step in job.get("steps", [])]
    lines += [line for job in jobs for line in job.get("script", [])]
    return [line for line in lines if line and line.startswith("shardlang ")]


@pytest.mark.parametrize("workflow", blocks("ci", "yaml"), ids=["annotations", "scanning", "gitlab"])
def test_workflows_find_what_is_wrong_and_nothing_else(workflow, repository):
    (line,) = lines_of(workflow)
    done = shell(line, repository)
    assert done.returncode == (0 if "|| test" in line else 1), done.stderr
    shown = done.stdout + "".join(path.read_text("utf-8") for path in repository.glob("shardlang.*"))
    assert shown.count("SL201") > 0
    (repository / "README.md").write_text("# Plan\n", "utf-8")
    assert shell(line, repository).returncode == 0


def test_workflows_are_whole():
    for workflow in blocks("ci", "yaml")[:2]:
        data = yaml.safe_load(workflow)
        assert set(data[True]) == {"push", "pull_request"}  # YAML reads the key `on` as true
        for job in data["jobs"].values():
            assert job["steps"][0]["uses"].startswith("actions/checkout@")
            assert {"run": "pip install shardlang"} in job["steps"]


def test_lines_for_anywhere(repository):
    check, form = blocks("ci", "bash")[0].splitlines()
    assert shell(check, repository).returncode == 1
    assert shell(form, repository).returncode == 0


def test_hooks_are_what_pre_commit_takes(tmp_path):
    from pre_commit.clientlib import load_config, load_manifest

    hooks = {hook["id"]: hook for hook in load_manifest(ROOT / ".pre-commit-hooks.yaml")}
    assert set(hooks) == {"shardlang-check", "shardlang-fmt"}
    for block in blocks("pre-commit", "yaml"):
        (tmp_path / "config.yaml").write_text(block, "utf-8")
        for repo in load_config(tmp_path / "config.yaml")["repos"]:
            assert {hook["id"] for hook in repo["hooks"]} <= set(hooks)


def test_the_commands_of_hooks(repository):
    hooks = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))}
    files = [name for name in PLANS if re.search(hooks["shardlang-check"]["files"], name)]
    assert files == list(PLANS)
    done = shell(f"{hooks['shardlang-check']['entry']} {' '.join(files)}", repository)
    assert done.returncode == 1
    assert "README.md:4:10" in done.stdout
    (repository / "good.shard").write_text("A[I_X,J]->A[I,J]\n", "utf-8")
    assert shell(f"{hooks['shardlang-fmt']['entry']} good.shard", repository).returncode == 0
    assert (repository / "good.shard").read_text("utf-8") == "A[I_X, J] -> A[I, J]\n"


@pytest.mark.slow
def test_pre_commit_runs_the_hooks(repository, tmp_path_factory):
    """As a stranger would: the hooks from a repository of shardlang, installed by pre-commit."""
    own = tmp_path_factory.mktemp("shardlang")
    for name in ("shardlang", "grammar"):
        shutil.copytree(ROOT / name, own / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml"):
        shutil.copy(ROOT / name, own)
    commit = (
        "git init -q . && git add -A && git -c user.name=x -c user.email=x@example.com commit -qm x && git tag v0.1.0"
    )
    assert shell(commit, own).returncode == 0
    config = blocks("pre-commit", "yaml")[0].replace("https://example.com/shardlang.git", str(own))
    (repository / ".pre-commit-config.yaml").write_text(config, "utf-8")
    install, run = blocks("pre-commit", "bash")[0].splitlines()
    cache = f"export PRE_COMMIT_HOME={tmp_path_factory.mktemp('cache')}; unset PYTHONPATH; "
    assert shell(cache + install, repository).returncode == 0
    done = shell(f"git add -A; {cache}{run}", repository)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "SL201" in done.stdout
    assert "README.md:4:10" in done.stdout
    (repository / "README.md").write_text("# Plan\n", "utf-8")
    done = shell(f"git add -A; {cache}{run}", repository)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def server():
    (program,) = blocks("server", "python")
    names = {"__name__": "server"}
    exec(compile(program, "server.md", "exec"), names)  # noqa: S102 a page of this repository
    running = names["make_server"](0)
    thread = threading.Thread(target=running.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{running.server_port}/"
    running.shutdown()
    running.server_close()
    thread.join()


def test_the_server_answers(server):
    def ask(body):
        with urllib.request.urlopen(server, data=body, timeout=60) as answer:
            return json.load(answer)

    bodies = [
        b"A[I_X, J] -> A[I, J]",
        b"A[I_X, J_X]",
        b"\xff\xfe\x00",
        b"A[I]\n" * 1000,
        b"[" * 50_000,
        b"A[I]\n",
        b"x",
    ]
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(ask, bodies * 3))
    assert (
        answers
        == [shardlang.check(body, limits={"max_chars": 20_000, "max_statements": 200}).to_dict() for body in bodies] * 3
    )
    assert [answer["ok"] for answer in answers[:4]] == [True, False, False, False]


def test_the_pages_on_pytest(tmp_path):
    (setting,) = blocks("pytest", "toml")
    (module,) = blocks("pytest", "python")
    (tmp_path / "pyproject.toml").write_text(setting, "utf-8")
    (tmp_path / "test_plans.py").write_text(module, "utf-8")
    for name, text in PLANS.items():
        place = tmp_path / ("docs/notes.md" if name == "README.md" else name)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")
    command = "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 pytest -p shardlang.tools.pytest_plugin -q"
    done = shell(command, tmp_path)
    assert "1 failed, 4 passed" in done.stdout, done.stdout + done.stderr
    assert "FAILED docs/notes.md::line4 - error[SL201]" in done.stdout

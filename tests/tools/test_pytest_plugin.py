"""The pytest plugin, in a pytest of its own that loads no other plugin."""

import subprocess
import sys
import tomllib

import pytest

from tests.docs.sessions import ROOT

pytest_plugins = ["pytester"]

DOCUMENTS = '[tool.shardlang]\ninclude = ["*.shard", "*.md", "*.rst"]\nexclude = "old/**"\n'
GOOD = "mesh X=4\nA[I_X, J] -> A[I, J]\n"
WRONG = "mesh X=4\n# 🙂\nA[I_X, J_X]\n"
NOTES = (
    "# Notes\n\n```shard\nmesh X=4\nA[I_X, J] -> A[I, J]\n```\n\nThen $B[I_X, J_X]$.\n\n```shard\nC[I_X, J_X]\n```\n"
)


@pytest.fixture
def run(pytester, monkeypatch):
    """Run pytest with the plugin on what is written to the directory, documents too."""
    (pytester.path / "pyproject.toml").write_text(DOCUMENTS, "utf-8")
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("COLUMNS", "120")

    def call(*arguments):
        return pytester.runpytest_subprocess("-p", "shardlang.tools.pytest_plugin", "-Werror", *arguments)

    return call


def write(pytester, **files):
    for name, text in files.items():
        path = pytester.path / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def test_nothing_is_collected_unless_asked_for(run, pytester):
    write(pytester, a_shard=WRONG, notes_md=NOTES)
    run().assert_outcomes()
    run("a.shard").assert_outcomes()


def test_plan_files_and_blocks(run, pytester):
    write(pytester, good_shard=GOOD, plans__wrong_shard=WRONG, notes_md=NOTES)
    result = run("--shardlang", "-v")
    result.assert_outcomes(passed=2, failed=3)
    result.stdout.fnmatch_lines_random(
        [
            "good.shard::plan PASSED*",
            "plans/wrong.shard::plan FAILED*",
            "notes.md::document FAILED*",  # of its formula, which is in no block
            "notes.md::line4 PASSED*",
            "notes.md::line11 FAILED*",
        ]
    )


def test_the_files_that_the_project_includes(run, pytester):
    write(pytester, good_shard=GOOD, notes_md=NOTES, old__wrong_shard=WRONG, deep__notes_rst="Notes\n=====\n")
    result = run("--shardlang", "-v")
    found = {line.split("::")[0] for line in result.stdout.lines if "::" in line and line[:1].islower()}
    assert found == {"good.shard", "notes.md", "deep/notes.rst"}
    (pytester.path / "pyproject.toml").unlink()
    result = run("--shardlang", "-v")
    found = {line.split("::")[0] for line in result.stdout.lines if "::" in line and line[:1].islower()}
    assert found == {"good.shard", "old/wrong.shard"}


def test_a_failure_shows_the_snippet_and_not_our_stack(run, pytester):
    write(pytester, wrong_shard=WRONG)
    result = run("--shardlang")
    result.stdout.fnmatch_lines(
        ["error?SL201?: `X` shards both*", " --> wrong.shard:3:10", "3 | A?I_X, J_X?", "  |     -    ^"]
    )
    shown = result.stdout.str()
    assert "pytest_plugin.py" not in shown
    assert "Traceback" not in shown
    result.stdout.fnmatch_lines(["FAILED wrong.shard::plan*"])


def test_files_of_the_setting(run, pytester):
    module = '"""A.\n\n```shard\nA[I_X, J_X]\n```\n"""\n'
    write(pytester, a_shard=WRONG, docs__b_md=NOTES, src__c_py=module, src__deep__d_py=module)
    pytester.makeini("[pytest]\nshardlang_files = docs/*.md src/**/*.py\n")
    run().assert_outcomes(passed=3, failed=4)
    run("--shardlang", "src/c.py").assert_outcomes(passed=1, failed=1)


def test_a_block_uses_what_another_one_declares(run, pytester):
    write(pytester, notes_md="```shard\nmesh X=4\nlet I = 6\n```\n\n```shard\nA[I_X]\n```\n")
    result = run("--shardlang")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["error?SL205?*", " --> notes.md:7:*"])


def test_settings_of_the_project(run, pytester):
    write(pytester, wrong_shard=WRONG)
    (pytester.path / "pyproject.toml").write_text('[tool.shardlang]\nignore = ["SL2"]\n', "utf-8")
    run("--shardlang").assert_outcomes(passed=1)
    (pytester.path / "pyproject.toml").write_text('[tool.shardlang]\nignor = ["SL2"]\n', "utf-8")
    result = run("--shardlang")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *has no setting 'ignor'. Did you mean 'ignore'?*"])
    (pytester.path / "pyproject.toml").write_text("[tool.shardlang]\n", "utf-8")
    (pytester.path / "deep").mkdir()
    (pytester.path / "deep" / "pyproject.toml").write_text('[tool.shardlang]\nignor = ["SL2"]\n', "utf-8")
    write(pytester, deep__a_shard=GOOD)
    result = run("--shardlang")
    result.assert_outcomes(failed=2)  # a project below the root
    result.stdout.fnmatch_lines(["*has no setting 'ignor'. Did you mean 'ignore'?*"])
    assert "Traceback" not in result.stdout.str()


@pytest.mark.parametrize("setting", ['addopts = "--shardlang"', 'shardlang_files = ["*.shard"]'])
def test_settings_that_cannot_be_used_are_wrong_usage_without_plans_too(run, pytester, setting):
    write(pytester, test__a_py="def test_a():\n    pass\n")
    (pytester.path / "pyproject.toml").write_text(
        f'[tool.pytest.ini_options]\npython_files = "*.py"\n{setting}\n[tool.shardlang]\ninclud = ["*.md"]\n', "utf-8"
    )
    result = run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *pyproject.toml: *has no setting 'includ'. Did you mean 'include'?"])
    run("--help").stdout.fnmatch_lines(["*--shardlang*"])
    (pytester.path / "pyproject.toml").write_text(
        '[tool.pytest.ini_options]\npython_files = "*.py"\n[tool.shardlang]\ninclud = ["*.md"]\n', "utf-8"
    )
    run().assert_outcomes(passed=1)  # nobody asked for plans


def test_where_there_is_no_plan_to_test_the_summary_says_so(run, pytester):
    write(pytester, tests__one_py="def test_a():\n    pass\n")
    (pytester.path / "pytest.ini").write_text("[pytest]\npython_files = *.py\n", "utf-8")
    run().stdout.no_fnmatch_line("shardlang:*")
    for arguments in ((), (".",), (str(pytester.path),)):
        result = run("--shardlang", *arguments)
        result.assert_outcomes(passed=1)
        assert result.ret == pytest.ExitCode.OK
        result.stdout.fnmatch_lines(['shardlang: no plan file fits include = ["*.shard", "*.md", "*.rst"]'])
    run("--shardlang", "tests").stdout.no_fnmatch_line("shardlang:*")  # who names a directory wants that one
    result = run("--shardlang", "-p", "xdist.plugin", "-n", "1")  # the workers collect
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("shardlang:*")
    write(pytester, plans__a_shard=GOOD)
    run("--shardlang").stdout.no_fnmatch_line("shardlang:*")
    run("--shardlang", "-k", "test_a").stdout.no_fnmatch_line("shardlang:*")
    (pytester.path / "pytest.ini").write_text("[pytest]\npython_files = *.py\ntestpaths = tests\n", "utf-8")
    result = run("--shardlang")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(['shardlang: no plan file fits include = *, below testpaths = ?"tests"?'])
    result = run("-o", "shardlang_files=docs/*.md")
    result.stdout.fnmatch_lines(['shardlang: no plan file fits shardlang_files = ?"docs/*.md"?, below *'])


def test_warnings_pass_and_can_be_seen(run, pytester):
    write(pytester, a_shard="mesh X=4\nA[I, J] · B[J, K] -> C[I_X, K]\n")
    result = run("--shardlang", "-rP")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*warning?SL313?*"])


def test_files_of_any_content(run, pytester):
    (pytester.path / "a.shard").write_bytes(b"\xff\xfe\x00")
    (pytester.path / "b.md").write_bytes(b"\xef\xbb\xbf```shard\nA[I_X, J_X]\n```\n\xff")
    (pytester.path / "c.shard").write_bytes(b"")
    result = run("--shardlang", "-v")
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines_random(["b.md::document FAILED*", "*this is not UTF-8 text: byte 0xff on line 4"])
    (pytester.path / "b.md").write_bytes(b"\xef\xbb\xbf```shard\nA[I_X, J_X]\n```\n")
    run("--shardlang", "b.md").assert_outcomes(passed=1, failed=1)
    (pytester.path / "d.rst").write_bytes(
        b".. code-block:: shard\n\n   A[I_X, J_X]\n\n.. code-block:: shard\n\n   B[J]\n"
    )
    result = run("--shardlang", "d.rst")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*plan in d.rst, line 3*", " --> d.rst:3:13"])


def test_errors_in_no_block_fail_as_in_check(run, pytester):
    """What `shardlang check` refuses no test may pass: the chip of the project, the size of a document, a file without blocks."""
    write(pytester, notes_md="# Notes\n\n```shard\nA[I_X, J] -> A[I, J]\n```\n", empty_md="# Empty\n")
    project = pytester.path / "pyproject.toml"
    project.write_text(f'{DOCUMENTS}hardware = "tpu-v9"\n', "utf-8")
    result = run("--shardlang", "-v")
    result.assert_outcomes(failed=3)  # wrong usage for the command, which checks nothing then
    result.stdout.fnmatch_lines_random(["notes.md::document FAILED*", "*pyproject.toml*hardware*tpu-v9*"])
    assert "Traceback" not in result.stdout.str()
    project.write_text(DOCUMENTS, "utf-8")
    run("--shardlang").assert_outcomes(passed=3)
    write(pytester, empty_md="prose, and more of it\n" * 100_000)  # 2.2 million characters
    result = run("--shardlang", "empty.md")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["error?SL601?*"])
    (pytester.path / "empty.md").write_bytes(b"caf\xe9")
    result = run("--shardlang", "empty.md")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*document in empty.md*", "error?SL103?: this is not UTF-8 text*"])


def test_the_fixture(run, pytester):
    pytester.makepyfile(
        """
        def test_right(shardlang):
            shardlang.assert_plan("A[I, J_X] · B[J_X, K] -> C[I, K]", collectives=["AllReduce_X C"], output="C[I, K]")

        def test_wrong(shardlang):
            shardlang.assert_plan("A[I, J_X] · B[J_X, K] -> C[I, K]", collectives=["AllGather"])

        def test_broken(shardlang):
            shardlang.assert_plan("A[I_X, J_X]")
        """
    )
    result = run()
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(["E  *the plan has other collectives", "E  *expected: AllGather"])
    result.stdout.fnmatch_lines(["E  *error?SL201?*", "E  *1 | A?I_X, J_X?"])
    shown = result.stdout.str()
    assert "def assert_plan" not in shown  # not our frames
    assert "_check_collectives" not in shown


def test_a_strict_configuration_takes_the_plugin(run, pytester):
    write(pytester, a_shard=GOOD)
    pytester.makeini("[pytest]\naddopts = --strict-markers --strict-config\nfilterwarnings = error\n")
    run("--shardlang").assert_outcomes(passed=1)


def test_the_plugin_is_the_one_of_the_entry_point():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"shardlang": "shardlang.tools.pytest_plugin"}


def test_other_runs_pay_for_no_stage(tmp_path):
    """What the plugin imports before a plan is checked."""
    program = (
        "import sys, pytest; before = set(sys.modules); import shardlang.tools.pytest_plugin;"
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["shardlang", "shardlang.tools", "shardlang.tools.pytest_plugin"]


@pytest.mark.parametrize("folder", [".", "plans"])
def test_a_hardware_file_is_found_from_where_the_text_is(run, pytester, monkeypatch, folder):
    (pytester.path / "pytest.ini").write_text("[pytest]\n", "utf-8")
    write(pytester, plans__a_shard=f"hardware chips.toml\n{GOOD}")
    (pytester.path / "plans" / "chips.toml").write_text('[mine]\nkind = "tpu"\nflops = { bf16 = 1e12 }\n', "utf-8")
    monkeypatch.chdir(pytester.path / folder)
    result = run("--shardlang", "-rA")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*SL504*")


def test_blocks_of_several_texts_fail_where_they_are_wrong(run, pytester):
    """Each docstring has a mesh of its own, and the page two plans; only `Y` on line 12 of each is no axis."""
    block = "```shard\nmesh X={}\nA[I_{}]\n```\n"
    first, second = block.format(4, "X"), block.format(8, "Y")
    page = f"# Plans\n\nOption A:\n\n{first}\n{second.replace('shard', 'shard new')}"
    python = f'def f():\n    """\n{first}    """\ndef g():\n    """\n{second}    """\n'
    write(pytester, plans_md=page, model_py=python)
    (pytester.path / "pytest.ini").write_text("[pytest]\nshardlang_files = *.md *.py\n", "utf-8")
    result = run("-v")
    result.assert_outcomes(passed=4, failed=2)
    lines = [
        "plans.md::line6 PASSED*",
        "plans.md::line11 FAILED*",
        "model.py::line4 PASSED*",
        "model.py::line11 FAILED*",
    ]
    result.stdout.fnmatch_lines_random([*lines, "  --> plans.md:12:5", "  --> model.py:12:5"])

"""Every block on the pages of tools, in the README and in docs/api.md is run or read by a test: here is which by which.

A block that is not in the table makes a test fail, and so does an entry without its block or its test.
"""

import ast

import pytest

from tests.docs.sessions import ROOT
from tests.docs.setups import every_block

# Blocks of these languages are run on every page.
EVERYWHERE = {
    "console": "test_sessions.py::test_console_sessions_are_true",
    "pycon": "test_sessions.py::test_python_sessions_are_true",
    "shard": "test_sessions.py::test_shard_examples_are_accepted",
}
TABLE = {
    "README.md": [
        ("", "test_readme.py::test_the_first_line_is_the_one_that_is_explained"),
        ("", "test_readme.py::test_commands_to_install_are_targets"),
    ],
    "docs/api.md": [("{eval-rst}", "test_build.py::test_docs_build")],
    "docs/tools/ci.md": [
        ("toml", "test_tools.py::test_one_include_for_all"),
        ("yaml", "test_ci.py::test_annotations"),
        ("yaml", "test_ci.py::test_scanning"),
        ("yaml", "test_ci.py::test_summary"),
        ("bash", "test_pre_commit.py::test_pip_installs_from_the_repository"),
        ("yaml", "test_ci.py::test_gitlab"),
        ("bash", "test_ci.py::test_lines_for_anywhere"),
    ],
    "docs/tools/editor.md": [
        ("sh", "test_editor.py::test_shell_commands_are_there"),
        ("sh", "test_editor.py::test_shell_commands_are_there"),
        ("json", "test_editor.py::test_json_is_json_and_its_settings_are_known"),
        ("lua", "test_editor.py::test_neovim_with_the_pasted_lua_has_findings_and_hints"),
        ("toml", "test_editor.py::test_toml_is_toml_and_the_project_is_read"),
        ("elisp", "test_editor.py::test_emacs_with_the_pasted_elisp_has_findings"),
        ("json", "test_editor.py::test_json_is_json_and_its_settings_are_known"),
        ("toml", "test_editor.py::test_toml_is_toml_and_the_project_is_read"),
    ],
    "docs/tools/notebooks.md": [("ipython", "../tools/test_notebook.py::test_the_cells_of_the_page_run")] * 5,
    "docs/tools/pre-commit.md": [
        ("yaml", "test_pre_commit.py::test_a_stranger_commits"),
        ("toml", "test_tools.py::test_one_include_for_all"),
        ("yaml", "test_pre_commit.py::test_arguments_and_files"),
        ("yaml", "test_pre_commit.py::test_from_a_package_index"),
        ("bash", "test_pre_commit.py::test_a_stranger_commits"),
    ],
    "docs/tools/pytest.md": [
        ("toml", "test_tools.py::test_files_that_pytest_collects"),
        ("text", "test_tools.py::test_what_pytest_prints_of_a_wrong_plan"),
        ("python", "test_tools.py::test_the_tests_of_the_page_on_pytest"),
        ("text", "test_tools.py::test_the_tests_of_the_page_on_pytest"),
    ],
    "docs/tools/server.md": [
        ("python", "test_tools.py::test_the_server_answers"),
        ("bash", "test_tools.py::test_curl_asks_the_server"),
    ],
    "docs/tools/settings.md": [
        ("toml", "test_tools.py::test_settings_can_be_used"),
        ("toml", "test_tools.py::test_settings_can_be_used"),
    ],
}


def languages(text):
    return [language for language, _ in every_block(text)]


def test_all_pages_are_in_the_table():
    pages = [path.relative_to(ROOT).as_posix() for path in (ROOT / "docs" / "tools").glob("*.md")]
    assert set(TABLE) == {"README.md", "docs/api.md", *pages}


@pytest.mark.parametrize("page", TABLE)
def test_each_block_has_a_test(page):
    found = [language for language in languages((ROOT / page).read_text("utf-8")) if language not in EVERYWHERE]
    assert found == [language for language, _ in TABLE[page]]


def test_each_test_is_there():
    for name in {*EVERYWHERE.values(), *(test for rows in TABLE.values() for _, test in rows)}:
        file, _, function = name.partition("::")
        tree = ast.parse((ROOT / "tests" / "docs" / file).read_text("utf-8"))
        assert function in {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}, name


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("```yaml\na\n```\n", ["yaml"]),
        ("* x\n\n  ```bash\n  a\n  ```\n\n```{eval-rst}\n```\n", ["bash", "{eval-rst}"]),
        ("````md\n```shard\nA\n```\n````\n```\nb\n```\n", ["md", ""]),
    ],
)
def test_blocks_are_seen(text, found):
    assert languages(text) == found

"""The commands, options, forms and exit statuses that `docs/contract.md` lists."""

import click
import pytest
from click.testing import CliRunner

from shardlang.cli import group
from tests.contract.page import names, resolved, tables

COMMANDS, OPTIONS, FORMS, STATUSES = tables("Commands")
GOOD, REFUSED = "A[I_X, J] -> A[I, J]", "A[I_X, J_X]"
ARGUMENTS = {
    "crossover": ["--for", "I"],
    "optimum": ["X*Y = 4", "--for", "X"],
    "plot": ["mesh", "--mesh", "X=2"],
    "send": ["--from", "0", "--to", "1", "--mesh", "X=2"],
}
TEXTS = {"optimum": "A[I_X, J_Y] -> A[I, J]", "send": "A[I_X, J]"}


def run(*words):
    return CliRunner().invoke(group, words, prog_name="shardlang", env={"NO_COLOR": "1"})


def command(name):
    return group.get_command(click.Context(group), name)


def test_the_page_lists_every_command():
    assert list(COMMANDS) == group.list_commands(click.Context(group))


@pytest.mark.parametrize("name", COMMANDS)
def test_options(name):
    (cell,) = COMMANDS[name]
    shared = (group for group in OPTIONS if group in cell)
    wanted = {*names(cell), *(word for group in shared for word in resolved(OPTIONS, group))}
    there = {word for p in command(name).params for word in (*p.opts, *p.secondary_opts) if word.startswith("--")}
    assert there - {"--color", "--verbose", "--help"} == wanted
    assert ("--color" in there) == (name != "lsp")
    assert ("--verbose" in there) == (name not in ("lsp", "fmt", "hardware"))


@pytest.mark.parametrize("name", [name for name in COMMANDS if "--format" in COMMANDS[name][0]])
def test_forms(name):
    (option,) = [p for p in command(name).params if "--format" in p.opts]
    assert option.type.choices == tuple(names(FORMS.get(name, FORMS["all others"])[0]))


def test_the_page_lists_every_status():
    assert list(STATUSES) == ["0", "1", "2"]


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in ("hardware", "lsp")])
def test_exit_statuses(name):
    words, text = ARGUMENTS.get(name, []), TEXTS.get(name, GOOD)
    assert run(name, *words, "-e", text).exit_code == 0
    assert run(name, *words, "-e", "A[I_X, J] · · B[").exit_code == 1
    assert run(name, *words, "-e", text, "--no-such").exit_code == 2
    assert run(name, *words, "no-such-file.shard").exit_code == 2
    assert run(name, *words, "-e", text, "--mesh", "X=0").exit_code == 2


def test_exit_statuses_of_the_others():
    assert run("hardware").exit_code == 0
    assert run("hardware", "no-such-chip").exit_code == 2
    assert run("lsp", "--no-such").exit_code == 2
    assert run("no-such-command").exit_code == 2
    assert run("check", "-e", REFUSED).exit_code == 1
    assert run("check", "-e", "A[I_X, J_Y]", "--mesh", "X=4").exit_code == 1
    assert run("fmt", "--check", "-e", "A[I_X,J]").exit_code == 1
    assert run("--version").exit_code == 0

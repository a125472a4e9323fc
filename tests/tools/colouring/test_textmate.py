"""The TextMate grammar is fresh, and its tokens agree with the lexer: by the engine of the editor where node has it."""

import json
import re
import shutil
import subprocess
import sys
from typing import Any

import pytest

from shardlang.syntax.operations import COLLECTIVES
from shardlang.syntax.tables import TERMINALS
from shardlang.tools.colouring.textmate import SCOPES, TARGET, grammar
from shardlang.tools.editor.colours import KIND_OF_TERMINAL
from tests.tools.colouring.examples import examples, extension, pieces

_NAMES = {"array", "dimension", "axis", "collective", "operation", "keyword", "dtype", "hardware", "topology", "name"}
_FAMILIES = {
    "comment": {"comment"},
    "number": {"number", "hardware", "dtype"},
    "string": {"string"},
    "operator": {"operator", "hardware"},
    "punctuation": {"punctuation"},
    "markup": {"markup"},
    "name": _NAMES,
}


def test_the_file_is_fresh() -> None:
    assert TARGET.read_text("utf-8") == grammar(), "run `make tables`"


def test_nothing_is_written_outside_of_a_checkout(monkeypatch: pytest.MonkeyPatch, tmp_path: Any, capsys: Any) -> None:
    from shardlang.tools.colouring import textmate

    monkeypatch.setattr(textmate, "ROOT", tmp_path)
    monkeypatch.setattr(textmate, "TARGET", tmp_path / "editors" / "shard.tmLanguage.json")
    assert textmate.main([]) == textmate.main(["--check"]) == 2
    assert list(tmp_path.iterdir()) == []
    assert "checkout" in capsys.readouterr().err


def test_check_tells_a_stale_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Any, capsys: Any) -> None:
    from shardlang.tools.colouring import textmate

    monkeypatch.setattr(textmate, "TARGET", tmp_path / "shard.tmLanguage.json")
    assert textmate.main(["--check"]) == 1
    assert textmate.main([]) == 0
    assert textmate.main(["--check"]) == 0
    assert "stale" in capsys.readouterr().out


def test_every_terminal_that_shows_has_its_pattern_in_it() -> None:
    text = json.dumps(json.loads(grammar()), ensure_ascii=False)
    for name, pattern in TERMINALS:
        if KIND_OF_TERMINAL[name] in ("number", "operator", "comment", "string") and "\\u" not in pattern:
            assert json.dumps(pattern, ensure_ascii=False)[1:-1] in text, name


def test_every_collective_and_alias_is_in_it() -> None:
    text = grammar()
    assert all(name in text for name in (*COLLECTIVES, "psum_scatter", "all_gather"))


def test_patterns_are_read_by_python_too() -> None:
    """So that the interpreter below is one of the same patterns; Oniguruma has all that is used here."""
    for pattern in _patterns(json.loads(grammar())):
        re.compile(pattern)
        assert "\\u" not in pattern


def _patterns(rule: Any) -> list[str]:
    if isinstance(rule, dict):
        own = [value for key, value in rule.items() if key in ("match", "begin", "end")]
        return own + [pattern for value in rule.values() for pattern in _patterns(value)]
    return [pattern for value in rule for pattern in _patterns(value)] if isinstance(rule, list) else []


# -- tokens ------------------------------------------------------------------------------------------


class Engine:
    """The rules of TextMate grammars that ours uses: the earliest match counts, of several the first in the list."""

    def __init__(self) -> None:
        self.grammar = json.loads(grammar())

    def scopes(self, text: str) -> list[str | None]:
        """The innermost scope of every character."""
        found: list[str | None] = [None] * (len(text) + 1)
        stack: list[dict[str, Any]] = []
        at = 0
        for line in text.split("\n"):
            self._line(line, at, found, stack)
            at += len(line) + 1
        return found

    def _rules(self, patterns: list[dict[str, Any]]) -> list[dict[str, Any]]:
        rules = []
        for pattern in patterns:
            if "include" not in pattern:
                rules.append(pattern)
                continue
            inner = self.grammar["repository"][pattern["include"][1:]]
            rules += [inner] if "begin" in inner else self._rules(inner["patterns"])
        return rules

    def _line(self, line: str, start: int, found: list[str | None], stack: list[dict[str, Any]]) -> None:
        at = 0
        while at <= len(line):
            rules = self._rules(stack[-1]["patterns"] if stack else self.grammar["patterns"])
            best: tuple[int, int, Any, Any] | None = None
            if stack:
                end = re.compile(stack[-1]["end"]).search(line, at)
                best = (end.start(), -1, end, None) if end else None
            for order, rule in enumerate(rules):
                match = re.compile(rule.get("match") or rule["begin"]).search(line, at)
                if match and match.end() > match.start() and (best is None or (match.start(), order) < best[:2]):
                    best = (match.start(), order, match, rule)
            if best is None:
                return
            _, _, match, rule = best
            if rule is None:
                self._paint(match, stack.pop().get("endCaptures", {}), None, start, found)
            elif "begin" in rule:
                self._paint(match, rule["beginCaptures"], None, start, found)
                stack.append(rule)
            else:
                self._paint(match, rule.get("captures", {}), rule.get("name"), start, found)
            if match.end() == at and rule is not None:
                return
            at = match.end()
            if at == len(line) and not stack:
                return

    def _paint(
        self, match: Any, captures: dict[str, Any], name: str | None, start: int, found: list[str | None]
    ) -> None:
        for at in range(match.start(), match.end()):
            found[start + at] = name
        for number, capture in captures.items():
            for at in range(*match.span(int(number))):
                found[start + at] = capture["name"]


def _disagreements(text: str, scopes: list[str | None]) -> list[tuple[str, str | None]]:
    kinds = {scope: kind for kind, scope in SCOPES.items()}
    wrong = []
    for piece in pieces(text):
        family = _FAMILIES[KIND_OF_TERMINAL[piece.terminal]]
        for at in range(piece.start, piece.end):
            kind = kinds.get(scopes[at] or "")
            inner = text[at] in "_\\" and kind == "punctuation"
            if not inner and kind not in family and text[piece.start : piece.end] != "$":
                wrong.append((text[piece.start : piece.end], scopes[at]))
                break
    return wrong


def test_tokens_agree_with_the_lexer() -> None:
    engine = Engine()
    for text in examples():
        assert _disagreements(text, engine.scopes(text)) == [], text


def test_words_are_told_by_their_brackets() -> None:
    text = (
        "mesh X=4 # c\nW_in: int8[D_X, F_{XY}]{U_Z}\nAllGather_X(A[I_X, d_model]) -> A[I, d_model]\nhardware tpu-v5p\n"
    )
    scopes = Engine().scopes(text)
    kinds = {scope: kind for kind, scope in SCOPES.items()}

    def kind(words: str, shift: int = 0) -> str | None:
        return kinds.get(scopes[text.index(words) + shift] or "")

    assert kind("mesh") == "keyword"
    assert kind("# c") == "comment"
    assert kind("W_in") == "array"
    assert kind("int8") == "dtype"
    assert (kind("D_X"), kind("D_X", 1), kind("D_X", 2)) == ("dimension", "punctuation", "axis")
    assert kind("XY}") == "axis"
    assert kind("Z}") == "axis"
    assert kind("AllGather") == "collective"
    assert kind("X(A") == "axis"
    assert kind("d_model", 3) == "dimension"
    assert kind("tpu-v5p", 5) == "hardware"


def test_a_planted_bug_is_noticed() -> None:
    text = "A[I_X] -> B[I]\n"
    scopes = Engine().scopes(text)
    scopes[text.index("->")] = SCOPES["array"]
    assert _disagreements(text, scopes)


def test_tokens_agree_in_the_engine_of_the_editor() -> None:
    """The same with vscode-textmate and Oniguruma, after `npm ci` in editors/vscode; and they agree with the engine above."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    if not (extension() / "node_modules" / "vscode-textmate").is_dir():
        pytest.skip("run `npm ci` in editors/vscode first")
    texts = examples()
    done = subprocess.run(
        ["node", "test/tokens.js"], cwd=extension(), input=json.dumps(texts).encode(), capture_output=True, check=True
    )
    for text, lines in zip(texts, json.loads(done.stdout), strict=True):
        scopes: list[str | None] = []
        for line, tokens in zip(text.split("\n"), lines, strict=True):
            here: list[str | None] = [None] * (len(line) + 1)
            wide = [index for index, char in enumerate(line) for _ in range(1 + (char > "\uffff"))]
            for start, end, scope in tokens:
                for at in wide[start:end]:
                    here[at] = scope
            scopes += here
        assert _disagreements(text, scopes) == [], text


def test_the_command_says_that_it_is_fresh() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "shardlang.tools.colouring.textmate", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "shard.tmLanguage.json is fresh\n")

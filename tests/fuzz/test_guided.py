"""The coverage-guided run: what its bytes stand for. The run itself needs atheris, which is not installed for the tests."""

import sys
from pathlib import Path

import pytest

from tests.fuzz import guided


@pytest.mark.parametrize("kind", guided.KINDS)
def test_bytes_stand_for_a_text_and_its_kind(kind: str | None) -> None:
    assert guided.text_of(guided.bytes_of("A[é] → B[é]", kind)) == ("A[é] → B[é]", kind)


def test_any_bytes_stand_for_a_text() -> None:
    assert guided.text_of(b"") == ("", None)
    assert guided.text_of(b"\xff\xff") == ("\ufffd", guided.KINDS[255 % len(guided.KINDS)])


def test_a_problem_stops_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    guided.try_one(guided.bytes_of("A[I_X]", None))
    monkeypatch.setattr("tests.fuzz.judge.SECONDS", -1.0)
    with pytest.raises(AssertionError, match="s for 6 characters"):
        guided.try_one(guided.bytes_of("A[I_X]", None))


def test_the_examples_are_put_first(tmp_path: Path) -> None:
    guided.sow(tmp_path / "texts")
    count = len(list((tmp_path / "texts").iterdir()))
    assert count > 100
    assert '"' in (tmp_path / "texts.dict").read_text("ascii")
    guided.sow(tmp_path / "texts")
    assert len(list((tmp_path / "texts").iterdir())) == count


def test_without_atheris_one_line_says_what_to_do(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.setitem(sys.modules, "atheris", None)
    assert guided.main(["folder"]) == 2
    assert capsys.readouterr().err == "atheris is not installed: pip install atheris\n"

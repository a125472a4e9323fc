"""docs/book.md is what the records and the product say now. `--update-golden` writes it."""

from pathlib import Path

import pytest

from tests.oracles.book_table import page

_PAGE = Path(__file__).parents[2] / "docs" / "book.md"


def test_the_table_of_the_book_is_fresh(request: pytest.FixtureRequest) -> None:
    text = page()
    if request.config.getoption("--update-golden"):
        _PAGE.write_text(text, encoding="utf-8", newline="\n")
    assert _PAGE.read_text("utf-8") == text

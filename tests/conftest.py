"""What all tests share: golden files, rewritten with `pytest --update-golden`."""

from pathlib import Path

import pytest

GOLDEN = Path(__file__).parent / "golden"


def pytest_addoption(parser):
    parser.addoption(
        "--update-golden", action="store_true", help="write tests/golden/* anew; read the diff before you commit it"
    )


@pytest.fixture
def golden(request):
    """A function that compares a text with a file under tests/golden."""

    def compare(name, text):
        path = GOLDEN / name
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        assert path.exists(), f"{name} is missing: run pytest --update-golden and read what it writes"
        assert text == path.read_text(encoding="utf-8")

    return compare

"""The documentation builds without a warning."""

import subprocess
import sys
from pathlib import Path

from tests.docs.sessions import ROOT


def test_docs_build(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-q",
        "-W",
        "--keep-going",
        "-b",
        "html",
        "-d",
        str(tmp_path / "trees"),
        str(ROOT / "docs"),
        str(tmp_path / "html"),
    ]
    built = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert built.returncode == 0, built.stderr
    assert (tmp_path / "html" / "diagnostics.html").exists()

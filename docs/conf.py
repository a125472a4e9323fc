"""Sphinx configuration: `make docs`."""

import tomllib
from pathlib import Path

from sphinx.application import Sphinx

from shardlang.tools.colouring.pygments import ShardLexer

_PROJECT = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text("utf-8"))["project"]

project = _PROJECT["name"]
version = release = _PROJECT["version"]
author = "the shardlang authors"
project_copyright = author

extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = ["_build", "examples"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
autodoc_typehints = "description"
autodoc_member_order = "bysource"
html_theme = "alabaster"
html_theme_options = {"description": _PROJECT["description"], "page_width": "72em", "sidebar_width": "16em"}
suppress_warnings = ["misc.highlighting_failure"]


def setup(app: Sphinx) -> None:
    """Colour the notation, also where the package is not installed but only in the path."""
    app.add_lexer("shard", ShardLexer)

"""Strict readers of the forms in which reports go to other programs. Each raises AssertionError, or what its parser raises."""

import json
import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema

import shardlang

_SARIF = Path(__file__).parents[1] / "reports" / "schemas" / "sarif-2.1.0-rtm.5.json"
_LARGEST = 20_000  # characters of JSON: to validate more takes longer than to check it
# What a text could bring in that does something: names are printed as names, whatever they are.
_ACTIVE_TEX = re.compile(
    r"\\(?:input|include|write|openout|def|let|catcode|csname|read|immediate|href|url)(?![a-zA-Z])"
)
_VERBATIM = re.compile(r"\\begin\{verbatim\}.*?\\end\{verbatim\}", re.DOTALL)
_SVG = "{http://www.w3.org/2000/svg}"
_SVG_TAGS = frozenset(
    [
        "svg",
        "g",
        "rect",
        "line",
        "path",
        "text",
        "tspan",
        "circle",
        "polygon",
        "polyline",
        "title",
        "desc",
        "defs",
        "pattern",
        "clipPath",
        "style",
        "marker",
        "use",
        "ellipse",
    ]
)
_VOID = frozenset({"br", "hr", "img", "meta", "link", "input"})


@cache
def _validator(name: str) -> Any:
    if name == "sarif":
        return jsonschema.Draft4Validator(json.loads(_SARIF.read_text("utf-8")))
    return jsonschema.Draft202012Validator(shardlang.schema(name))


def json_text(name: str, data: Any) -> str:
    """Return data as JSON that a strict reader takes (no NaN) and that has the published schema."""
    shown = json.dumps(data, allow_nan=False)
    if len(shown) <= _LARGEST:
        _validator(name).validate(data)
    return shown


def service(form: str, shown: str) -> str:
    """Return what goes to a service: SARIF, JUnit or commands of GitHub."""
    match form:
        case "sarif":
            json_text("sarif", json.loads(shown))
        case "junit":
            xml(shown)
        case "github":
            wrong = [
                line
                for line in shown.split("\n")
                if line and not re.match(r"::(?:error|warning|notice) [^\r]*::[^\r]*$", line)
            ]
            assert not wrong, f"no command: {wrong[0][:100]!r}"
    return shown


def xml(shown: str) -> ElementTree.Element:
    """Return XML that a parser takes."""
    return ElementTree.fromstring(shown.encode())


def svg(shown: str) -> str:
    """Return a picture whose elements are those of a drawing: nothing that runs, nothing that is fetched."""
    for element in xml(shown).iter():
        tag = element.tag.removeprefix(_SVG)
        assert tag in _SVG_TAGS, f"<{tag}> in a picture"
        wrong = [
            name
            for name in element.attrib
            if name.startswith("on") or (name.endswith("href") and element.attrib[name][:1] != "#")
        ]
        assert not wrong, f"{wrong[0]} in a picture"
    return shown


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert all(name in ("style", "class") for name, _ in attrs), f"attributes of <{tag}>: {attrs}"
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag, f"</{tag}> closes another tag"

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data[:60]!r}")


def html(shown: str) -> str:
    """Return HTML whose tags are closed, in order, and have no attributes that do something."""
    reader = _Tags()
    reader.feed(shown)
    reader.close()
    assert reader.open == [], f"left open: {reader.open}"
    return shown


def latex(shown: str) -> str:
    """Return LaTeX without commands that read, write or define; verbatim, up to its end, there are none."""
    read = _VERBATIM.sub("", shown)
    found = _ACTIVE_TEX.search(read)
    assert found is None, f"{found[0]} in LaTeX: {read[max(0, found.start() - 40) : found.end() + 20]!r}"
    return shown

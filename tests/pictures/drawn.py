"""Reading a picture back from its SVG, with nothing but an XML parser."""

import re
from typing import NamedTuple
from xml.etree import ElementTree

_SVG = "{http://www.w3.org/2000/svg}"
_LETTER = 0.5
"""The width of a letter, in parts of its size: an average of sans-serif faces."""


class Rectangle(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: "Rectangle") -> bool:
        across = self.left < other.right - _TOUCHING and other.left < self.right - _TOUCHING
        return across and self.top < other.bottom - _TOUCHING and other.top < self.bottom - _TOUCHING


_TOUCHING = 1e-6  # sums of floats: what only touches does not overlap


class Drawn:
    """An SVG, its elements by class."""

    def __init__(self, svg: str) -> None:
        self.root = ElementTree.fromstring(svg)
        assert self.root.tag == f"{_SVG}svg"
        left, top, width, height = map(float, self.root.attrib["viewBox"].split())
        assert (left, top) == (0, 0)
        self.page = Rectangle(0, 0, width, height)

    def all(self, role: str) -> list[ElementTree.Element]:
        return [element for element in self.root.iter() if element.attrib.get("class") == role]

    def names(self, role: str) -> list[str]:
        """What is said of each element of a class when a pointer rests on it."""
        return [element.findtext(f"{_SVG}title", "") for element in self.all(role)]

    def texts(self, role: str) -> list[str]:
        return [element.text or "" for element in self.all(role)]

    def points(self, role: str, name: str) -> list[tuple[float, float]]:
        (found,) = [e for e in self.all(role) if e.findtext(f"{_SVG}title", "").startswith(name)]
        pairs = [pair.split(",") for pair in found.attrib["points"].split()]
        return [(float(x), float(y)) for x, y in pairs]

    def boxes(self, role: str) -> list[Rectangle]:
        found = []
        for element in self.all(role):
            x, y, width, height = (float(element.attrib[name]) for name in ("x", "y", "width", "height"))
            found.append(Rectangle(x, y, x + width, y + height))
        return found

    def text_boxes(self) -> list[tuple[str, Rectangle]]:
        return [(element.text or "", _text_box(element)) for element in self.root.iter(f"{_SVG}text")]


def _text_box(element: ElementTree.Element) -> Rectangle:
    x, y = float(element.attrib["x"]), float(element.attrib["y"])
    size = float(element.attrib.get("font-size", 12))
    width = len(element.text or "") * size * _LETTER
    start = {"start": 0.0, "middle": width / 2, "end": width}[element.attrib.get("text-anchor", "start")]
    if re.match(r"rotate\(-90 ", element.attrib.get("transform", "")):
        return Rectangle(x - size * 0.75, y - width + start, x + size * 0.2, y + start)
    return Rectangle(x - start, y - size * 0.75, x - start + width, y + size * 0.2)


def assert_legible(drawn: Drawn) -> None:
    """No two texts meet, and none leaves the page."""
    boxes = drawn.text_boxes()
    page = drawn.page
    for at, (text, box) in enumerate(boxes):
        assert text
        assert box.left >= page.left, text
        assert box.right <= page.right, text
        assert box.top >= page.top, text
        assert box.bottom <= page.bottom, text
        for other, there in boxes[:at]:
            assert not box.meets(there), f"{text!r} and {other!r} overlap"

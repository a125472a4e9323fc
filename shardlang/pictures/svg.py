"""A scene as SVG: one plain text, the same for the same scene, without a style sheet that could leak into a page."""

from typing import assert_never

from shardlang.pictures.scene import INK, PAPER, Box, Disc, Mark, Path, Scene, Text
from shardlang.reports.cells import safe

_FACES = "Helvetica, Arial, 'DejaVu Sans', sans-serif"
_HATCH_STEP = 7.0


def svg_text(scene: Scene) -> str:
    """Return the scene as a document of its own that a page can also hold inline."""
    width, height = _number(scene.width), _number(scene.height)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" font-family="{_FACES}" font-size="12" fill="{INK}">'
    )
    lines = [
        head,
        f"<title>{escaped(scene.title)}</title>",
        f"<desc>{escaped(scene.description)}</desc>",
        f'<rect class="paper" width="{width}" height="{height}" fill="{PAPER}"/>',
        *(_element(mark) for mark in scene.marks),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """Return `text` as XML has it; what XML cannot hold is shown as its code point."""
    shown = safe(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return shown.replace('"', "&quot;")


def _element(mark: Mark) -> str:
    match mark:
        case Box():
            return _box(mark)
        case Path():
            points = " ".join(f"{_number(x)},{_number(y)}" for x, y in mark.places)
            dash = f' stroke-dasharray="{" ".join(map(_number, mark.dash))}"' if mark.dash else ""
            look = f'fill="none" stroke="{mark.stroke}" stroke-width="{_number(mark.width)}"{dash}'
            return _named("polyline", f'class="{mark.role}" points="{points}" {look}', mark.name)
        case Disc():
            place = f'cx="{_number(mark.x)}" cy="{_number(mark.y)}" r="{_number(mark.radius)}"'
            edge = "" if mark.width == 1 else f' stroke-width="{_number(mark.width)}"'
            look = f'fill="{mark.fill}" stroke="{mark.stroke}"{edge}'
            return _named("circle", f'class="{mark.role}" {place} {look}', mark.name)
        case Text():
            return _text(mark)
        case _:
            assert_never(mark)


def _box(box: Box) -> str:
    place = f'x="{_number(box.x)}" y="{_number(box.y)}" width="{_number(box.width)}" height="{_number(box.height)}"'
    shape = _named("rect", f'class="{box.role}" {place} fill="{box.fill}" stroke="{box.stroke}"', box.name)
    if not box.hatched:
        return shape
    strokes = "".join(
        f"M{_number(x1)} {_number(y1)}L{_number(x2)} {_number(y2)}" for (x1, y1), (x2, y2) in hatching(box)
    )
    return f'{shape}\n<path class="hatch" d="{strokes}" stroke="{box.stroke}" stroke-width="0.5" opacity="0.45"/>'


def hatching(box: Box) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    """Return the slanted strokes that fill a box, each from edge to edge."""
    strokes = []
    at = _HATCH_STEP
    while at < box.width + box.height:
        start = (box.x + min(at, box.width), box.y + max(0.0, at - box.width))
        end = (box.x + max(0.0, at - box.height), box.y + min(at, box.height))
        strokes.append((start, end))
        at += _HATCH_STEP
    return strokes


def _text(text: Text) -> str:
    place = f'x="{_number(text.x)}" y="{_number(text.y)}"'
    look = "" if text.size == 12 else f' font-size="{_number(text.size)}"'
    look += "" if text.anchor == "start" else f' text-anchor="{text.anchor}"'
    look += "" if text.colour == INK else f' fill="{text.colour}"'
    look += ' font-weight="bold"' if text.bold else ""
    look += f' transform="rotate(-90 {_number(text.x)} {_number(text.y)})"' if text.turned else ""
    return f'<text class="{text.role}" {place}{look}>{escaped(text.text)}</text>'


def _named(tag: str, attributes: str, name: str) -> str:
    return f"<{tag} {attributes}><title>{escaped(name)}</title></{tag}>" if name else f"<{tag} {attributes}/>"


def _number(value: float) -> str:
    """Return a length with a tenth of a pixel at most: no more is seen, and files stay small."""
    text = f"{value:.1f}"
    return text.removesuffix(".0") if text != "-0.0" else "0"

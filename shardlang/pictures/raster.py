"""A scene as PNG or PDF, through matplotlib, which is installed only where it is asked for."""

from io import BytesIO
from typing import Any, assert_never
from warnings import catch_warnings, filterwarnings

from shardlang.pictures.scene import PAPER, Box, Disc, Mark, Path, Scene, Text
from shardlang.pictures.svg import hatching
from shardlang.reports.cells import safe

FORMS = ("png", "pdf")
_DOTS = 100.0  # a pixel of the scene is a hundredth of an inch
_POINTS = 72 / _DOTS
_SHARP = 200
_ANCHORS = {"start": "left", "middle": "center", "end": "right"}
_INSTALL = "PNG and PDF need matplotlib: pip install matplotlib"


class MissingLibraryError(ImportError):
    """A form of output needs a library that is not installed; the message says what to install."""


def raster_bytes(scene: Scene, form: str) -> bytes:
    """Return the scene as a `png` or `pdf` file, the same bytes for the same scene and matplotlib.

    Raises MissingLibraryError without matplotlib. What matplotlib is configured to (a matplotlibrc, a style) plays no part.
    """
    try:
        from matplotlib import rc_context, rcdefaults
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingLibraryError(_INSTALL) from None
    with rc_context(), catch_warnings():
        rcdefaults()
        filterwarnings("ignore", "Glyph .* missing from", UserWarning)  # it is then shown as a box
        figure = Figure(figsize=(scene.width / _DOTS, scene.height / _DOTS), facecolor=PAPER)
        FigureCanvasAgg(figure)
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_xlim(0, scene.width)
        axes.set_ylim(scene.height, 0)
        axes.axis("off")
        for order, mark in enumerate(scene.marks):
            _draw(axes, mark, order)
        out = BytesIO()
        said = {"Software": None} if form == "png" else {"CreationDate": None, "Producer": None, "Creator": None}
        figure.savefig(out, format=form, dpi=_SHARP, metadata=said)
        return out.getvalue()


def _draw(axes: Any, mark: Mark, order: int) -> None:
    from matplotlib.patches import Circle, Rectangle

    look: dict[str, Any]
    match mark:
        case Box():
            corner, look = (mark.x, mark.y), {"facecolor": mark.fill, "edgecolor": mark.stroke, "linewidth": _POINTS}
            axes.add_patch(Rectangle(corner, mark.width, mark.height, zorder=order, **look))
            for start, end in hatching(mark) if mark.hatched else ():
                xs, ys = zip(start, end, strict=True)
                axes.plot(xs, ys, color=mark.stroke, linewidth=0.5 * _POINTS, alpha=0.45, zorder=order)
        case Path():
            xs, ys = zip(*mark.places, strict=True)
            dash = (0, tuple(length * _POINTS for length in mark.dash)) if mark.dash else "-"
            axes.plot(xs, ys, color=mark.stroke, linewidth=mark.width * _POINTS, linestyle=dash, zorder=order)
        case Disc():
            look = {"facecolor": mark.fill, "edgecolor": mark.stroke, "linewidth": mark.width * _POINTS}
            axes.add_patch(Circle((mark.x, mark.y), mark.radius, zorder=order, **look))
        case Text():
            axes.text(
                mark.x,
                mark.y,
                safe(mark.text).replace("$", r"\$"),
                fontsize=mark.size * _POINTS,
                color=mark.colour,
                fontweight="bold" if mark.bold else "normal",
                ha=_ANCHORS[mark.anchor],
                va="baseline",
                rotation=90 if mark.turned else 0,
                rotation_mode="anchor",
                zorder=order,
            )
        case _:
            assert_never(mark)

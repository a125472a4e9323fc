"""What `shardlang.plot` gives back."""

from os import PathLike, fspath
from typing import Any, NamedTuple, TypeAlias, assert_never

from shardlang.diagnostics import Diagnostic
from shardlang.pictures.chart import Chart
from shardlang.pictures.heat import HeatMap
from shardlang.pictures.letters import text_width
from shardlang.pictures.mesh import MeshPicture
from shardlang.pictures.scene import Scene, Text
from shardlang.reports.objects import Finding
from shardlang.reports.showing import in_short, printed
from shardlang.source import SourceText

Drawing: TypeAlias = Chart | HeatMap | MeshPicture

FORMS = ("svg", "text", "png", "pdf")
_COLUMNS = 100
_ENDINGS = {"svg": "svg", "txt": "text", "png": "png", "pdf": "pdf"}


class FormError(ValueError):
    """A form of output that there is not."""


class Picture(NamedTuple):
    """A picture of a text. `ok` is true where no finding is an error.

    drawing: what is drawn, as data; None where there is nothing to draw, and the findings say why.
    """

    ok: bool
    diagnostics: tuple[Finding, ...]
    kind: str
    drawing: Drawing | None
    source: SourceText
    findings: tuple[Diagnostic, ...] = ()

    @property
    def scene(self) -> Scene:
        """The picture laid out, in pixels; the errors in words where there is no drawing."""
        match self.drawing:
            case Chart():
                from shardlang.pictures.plotting import chart_scene

                return chart_scene(self.drawing)
            case HeatMap():
                from shardlang.pictures.shading import heat_scene

                return heat_scene(self.drawing)
            case MeshPicture():
                from shardlang.pictures.setting import mesh_scene

                return mesh_scene(self.drawing)
            case None:
                return self._no_scene()
            case _:
                assert_never(self.drawing)

    @property
    def svg(self) -> str:
        """The picture as SVG, the same for the same text and options."""
        from shardlang.pictures.svg import svg_text

        return svg_text(self.scene)

    @property
    def text(self) -> str:
        """The picture in the letters of a terminal, 100 columns wide."""
        return self.in_columns(_COLUMNS)

    def in_columns(self, columns: int) -> str:
        """Return the picture in the letters of a terminal of this width; empty where there is none."""
        match self.drawing:
            case Chart():
                from shardlang.pictures.terminal_chart import chart_text

                return chart_text(self.drawing, columns)
            case HeatMap():
                from shardlang.pictures.terminal_heat import heat_text

                return heat_text(self.drawing, columns)
            case MeshPicture():
                from shardlang.pictures.terminal_mesh import mesh_text

                return mesh_text(self.drawing, columns)
            case None:
                return ""
            case _:
                assert_never(self.drawing)

    def to_bytes(self, form: str) -> bytes:
        """Return the picture as a file of the form `svg`, `text`, `png` or `pdf`.

        Raises FormError (a ValueError) for another form, and an ImportError that says what to install where matplotlib is not there.
        """
        if form in ("svg", "text"):
            return (self.svg if form == "svg" else self.text).encode("utf-8", "backslashreplace")
        if form not in FORMS:
            raise FormError(f"there is no form {form!r}; it is one of {', '.join(FORMS)}")
        from shardlang.pictures.raster import raster_bytes

        return raster_bytes(self.scene, form)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the picture to a file; its ending says the form. Raises as `to_bytes` does, and OSError."""
        content = self.to_bytes(form_of(fspath(path)))
        with open(path, "wb") as file:
            file.write(content)

    def _repr_html_(self) -> str:
        return self.svg

    def __str__(self) -> str:
        """Return findings and picture as text."""
        return printed(((self.source, self.findings),), self.text)

    def __repr__(self) -> str:
        return in_short(self, self.source, self.findings, self.kind)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))

    def _no_scene(self) -> Scene:
        lines = ["No picture:", *(f"{f.code}: {f.message}" for f in self.findings if f.severity == "error")]
        marks = tuple(Text(14, 28 + 18 * at, line, "problem", bold=at == 0) for at, line in enumerate(lines))
        width = max(text_width(line, 12, bold=True) for line in lines) + 28
        return Scene(width, 28 + 18 * len(lines), "No picture", " ".join(lines), marks)


def form_of(path: str) -> str:
    """Return the form of a file by the ending of its name. Raises FormError for an ending that says none."""
    _, dot, ending = path.rpartition(".")
    form = _ENDINGS.get(ending.lower()) if dot else None
    if form is None:
        raise FormError(f"the ending of {path!r} says no form; it is one of {', '.join(_ENDINGS)}")
    return form

"""The first pass: what declarations say, before any word is split."""

from typing import NamedTuple

from shardlang.diagnostics import Diagnostic, Label
from shardlang.limits import MOST_MESH_AXES
from shardlang.semantics.dtypes import DTYPE_NAMES, canonical_dtype
from shardlang.semantics.options import Options
from shardlang.semantics.suggestions import Suggestions, meant
from shardlang.semantics.text import Printer, size_text
from shardlang.semantics.topology import KINDS, Topology, parse_topology
from shardlang.source import Span
from shardlang.syntax import ast

DEFAULT_DTYPE = "bf16"


class Binding(NamedTuple):
    """A size that the text or an option gives: `let B = 4096`, `mesh X=4`, `bf16[B=128]`. span None: an option."""

    name: str
    size: ast.SizeExpr | int | float
    span: Span | None
    value_span: Span | None = None


class Declarations(NamedTuple):
    """What all declarations of a text say together. `mesh` is None where none is declared; refused: their indices."""

    mesh: tuple[ast.MeshAxis, ...] | None
    lets: tuple[Binding, ...]
    hardware: str | None
    dtype: str
    topology: dict[str, Topology]
    refused: frozenset[int]


def gather(module: ast.Module, options: Options, findings: list[Diagnostic], suggestions: Suggestions) -> Declarations:
    """Collect the declarations; the first of several that contradict one another holds."""
    gatherer = _Gatherer(options, findings, suggestions)
    for index, node in enumerate(module.statements):
        gatherer.take(index, node)
    mesh = gatherer.mesh
    return Declarations(
        mesh.axes if mesh is not None else None,
        tuple(gatherer.lets.values()),
        options.hardware or (gatherer.hardware.text if gatherer.hardware is not None else None),
        options.dtype or gatherer.dtype or DEFAULT_DTYPE,
        gatherer.topology(),
        frozenset(gatherer.refused),
    )


class _Gatherer:
    def __init__(self, options: Options, findings: list[Diagnostic], suggestions: Suggestions) -> None:
        self.suggest = suggestions.suggest
        self.options = options
        self.findings = findings
        self.mesh: ast.MeshDecl | None = None
        self.links: dict[str, Topology] = {}
        self.lets: dict[str, Binding] = {}
        self.hardware: ast.Word | None = None
        self.dtype: str | None = None
        self.dtype_span: Span | None = None
        self.refused: set[int] = set()

    def take(self, index: int, node: ast.Statement) -> None:
        before = len(self.findings)
        match node:
            case ast.MeshDecl():
                self._take_mesh(node)
            case ast.LetDecl():
                self._take_let(node)
            case ast.HardwareDecl():
                self._take_hardware(node)
            case ast.DtypeDecl():
                self._take_dtype(node)
            case _:
                return
        if any(finding.severity == "error" for finding in self.findings[before:]):
            self.refused.add(index)

    def _report(self, code: str, message: str, span: Span, other: Span | None = None, hint: str | None = None) -> None:
        labels = (Label(other, "declared here first"),) if other is not None else ()
        self.findings.append(Diagnostic(code, message, span, labels, hint))

    def _report_word(self, code: str, message: str, span: Span, close: str | None, known: str) -> None:
        """Report a word that is not known, with the one that is close to it, or else what is `known`."""
        fixes = () if close is None else (meant(close, span),)
        hint = f"did you mean `{close}`?" if close is not None else known
        self.findings.append(Diagnostic(code, message, span, (), hint, fixes))

    def _take_mesh(self, node: ast.MeshDecl) -> None:
        if self.mesh is not None:
            printer = Printer(None)
            if printer.statement(node) != printer.statement(self.mesh):
                self._report(
                    "SL206",
                    "the mesh is declared twice, in different ways",
                    node.span,
                    self.mesh.span,
                    "a text has one mesh: keep one of the declarations",
                )
            return
        if len(node.axes) > MOST_MESH_AXES:
            self._report("SL604", f"the mesh has {len(node.axes)} axes; the limit is {MOST_MESH_AXES}", node.span)
            node = node._replace(axes=node.axes[:MOST_MESH_AXES])
        self.mesh = node
        seen: dict[str, Span] = {}
        for axis in node.axes:
            name = axis.name
            if name.text in seen:
                self._report("SL206", f"the mesh has two axes `{name.text}`", name.span, seen[name.text])
            seen.setdefault(name.text, name.span)
            self._take_topology(axis)
        if self.options.mesh is not None:
            self._note(node.span, "mesh", ", ".join(f"`{name}`" for name in self.options.mesh))

    def _take_topology(self, axis: ast.MeshAxis) -> None:
        if axis.topology is None:
            return
        links = parse_topology(axis.topology.text)
        if links is not None:
            self.links[axis.name.text] = links
            return
        self._report_word(
            "SL505",
            f"`{axis.topology.text}` is not a kind of link",
            axis.topology.span,
            self.suggest(axis.topology.text, KINDS),
            "known are `ring`, `ring:2`, `ring:M_X`, `ring:one-way`, `line`, `node`, `scale-out`, `spine`, `dcn` and `pcie`, and levels "
            "joined, `node+scale-out`, `ring+dcn`; a further axis needs a comma before it",
        )

    def _take_let(self, node: ast.LetDecl) -> None:
        for name, size in node.bindings:
            before = self.lets.get(name.text)
            if before is None:
                self.lets[name.text] = Binding(name.text, size, name.span, size.span)
            elif _differ(before.size, size):
                self._report(
                    "SL206",
                    f"`{name.text}` has two values",
                    name.span,
                    before.span,
                    f"keep one of the two, or give one of the sizes another name than `{name.text}`",
                )

    def _take_hardware(self, node: ast.HardwareDecl) -> None:
        if self.hardware is not None and self.hardware.text != node.name.text:
            self._report("SL206", "the hardware is declared twice", node.span, self.hardware.span)
            return
        self.hardware = self.hardware or node.name
        if self.options.hardware is not None and self.options.hardware != node.name.text:
            self._note(node.span, "hardware", f"`{self.options.hardware}`")

    def _take_dtype(self, node: ast.DtypeDecl) -> None:
        dtype = canonical_dtype(node.name.text)
        if dtype is None:
            self._report_word(
                "SL209",
                f"`{node.name.text}` is not an element type",
                node.name.span,
                self.suggest(node.name.text.lower(), DTYPE_NAMES),
                "known are, among others, `bf16`, `f32`, `int8` and `fp8`",
            )
            return
        if self.dtype is not None and self.dtype != dtype:
            self._report("SL206", "the default element type is declared twice", node.span, self.dtype_span)
            return
        self.dtype, self.dtype_span = dtype, node.span
        if self.options.dtype not in (None, dtype):
            self._note(node.span, "element type", f"`{self.options.dtype}`")

    def _note(self, span: Span, what: str, value: str) -> None:
        self._report("SL211", f"the option for the {what} replaces what the text says: it is now {value}", span)

    def topology(self) -> dict[str, Topology]:
        """Return the links of each axis; the options' come before the text's."""
        asked = self.options.topology or {}
        for name, links in asked.items():
            if self.links.get(name, links) != links and self.mesh is not None:
                self._note(self.mesh.span, f"links of `{name}`", f"`{links.text}`")
        return {**self.links, **asked}


def _differ(left: ast.SizeExpr | int | float, right: ast.SizeExpr) -> bool:
    return isinstance(left, int | float) or size_text(left) != size_text(right)

"""The stages in order, from a text to a plan: the compiler's table of contents.

`parse` → `resolve` → hardware and machine → `plan`. Findings of all stages come together here, in the order
of the text, without those that the text or the project ignores.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

from shardlang import planning, semantics, syntax
from shardlang.api.arguments import Request
from shardlang.api.ignores import Ignores
from shardlang.api.keeping import Keep
from shardlang.api.machines import disagreeing, figure_problem, hardware_of_text, overridden, require_slice
from shardlang.api.parts import Found, found_in, one_plan, one_program, texts_of, together
from shardlang.api.places import hardware_span, topology_places
from shardlang.api.values import OptionError
from shardlang.diagnostics import Diagnostic, Edit, Fix
from shardlang.limits import WORK_A_TEXT, Clock
from shardlang.planning import Budget, Searches, Settings, Work
from shardlang.pricing.hardware import (
    Hardware,
    HardwareProblem,
    names_file,
)
from shardlang.pricing.machine import Machine, collective_timer, machine_for, math_rate
from shardlang.pricing.slices import Placement, place_axes
from shardlang.rules.plan import Plan, StatementPlan
from shardlang.semantics.options import Options
from shardlang.semantics.program import Mesh, Program, refs_of
from shardlang.source import SourceText, Span
from shardlang.syntax import ast
from shardlang.syntax.coding import encoding_of


class Front(NamedTuple):
    """What the stages that only read give: the tree, its meaning, the findings so far.

    `unread` are those of `findings` that come from reading the text itself, before anything has a meaning. place: what is
    the text's own. parts: of a document of several texts, each of them; mesh and sizes are then those of the first.
    """

    source: SourceText
    document: str | None
    module: ast.Module
    program: Program
    findings: tuple[Diagnostic, ...]
    unread: tuple[Diagnostic, ...] = ()
    place: Span = Span(0, 0)
    parts: "tuple[Front, ...]" = ()

    def mesh_of(self, number: int) -> Mesh:
        """Return the mesh of a text of the document by its number; that of the first where there are no such texts."""
        start = (0, *self.module.starts)[: number + 1][-1]
        found = [part.program.mesh for part in self.parts if part.place.start <= start]
        return found[-1] if found else self.program.mesh

    def first_statement(self) -> Span:
        """Return the place of the first statement that is the text's own."""
        return next(one.span for one in self.module.statements if one.span.start >= self.place.start)


class Planned(NamedTuple):
    """What all stages give.

    opened: the sizes of mesh axes that were left open although they are given. searches: what was searched, for a text
    that this one is changed into. parts: of a document of several texts, each of them; sizes, and what follows from them,
    are then those of the first.
    """

    front: Front
    machine: Machine
    plan: Plan
    findings: tuple[Diagnostic, ...]
    opened: Mapping[str, int] = {}
    searches: Searches | None = None
    parts: "tuple[Planned, ...]" = ()

    @property
    def texts(self) -> "tuple[Planned, ...]":
        """Each text: of a document that is one, this."""
        return self.parts or (self,)

    def for_prices(self) -> "Planned":
        """Return the plan to price: every statement is refused where the links are not known."""
        if self.machine.wired:
            return self
        refused = tuple(StatementPlan(planned.statement, None) for planned in self.plan.statements)
        return self._replace(plan=self.plan._replace(statements=refused))


def read_source(text: str | bytes, name: str, document: str | None = None) -> tuple[SourceText, tuple[Diagnostic, ...]]:
    """Return the text without a byte order mark; bytes that cannot be decoded give an empty text and a finding.

    They are UTF-8, or what a Python file (`document`) declares. Raises TypeError for what is neither text nor bytes.
    """
    if not isinstance(text, str | bytes):
        hint = "; read the file first: path.read_text()" if hasattr(text, "__fspath__") else ""
        raise TypeError(f"text: expected the statements, as str or bytes, not {type(text).__name__}{hint}")
    if isinstance(text, str):
        return SourceText(text.removeprefix("\ufeff"), name), ()
    encoding = encoding_of(text, document)
    try:
        return SourceText(text.decode(encoding).removeprefix("\ufeff"), name), ()
    except UnicodeDecodeError as problem:
        line = text.count(b"\n", 0, problem.start) + 1
        message = f"this is not {encoding.upper()} text: byte 0x{text[problem.start]:02x} on line {line}"
        if text.startswith((b"\xff\xfe", b"\xfe\xff")):
            message = "this is UTF-16 text; save it as UTF-8"
        return SourceText("", name), (Diagnostic("SL103", message, Span(0, 0)),)


def read_text(text: str | bytes, request: Request) -> Front:
    """Parse and resolve a text, or each text of a document."""
    source, unreadable = read_source(text, request.name, request.document)
    given = (*(request.options.mesh or ()), *(request.options.sizes or ()))
    module, syntax_findings = syntax.parse(source, request.document, request.limits, request.clock, given)
    texts, left_out = texts_of(module, len(source.text))
    unread = (*unreadable, *syntax_findings, *left_out)
    if not texts:
        return _resolve(source, module, unread, request)
    parts = tuple(
        _resolve(source, text.module, found_in(unread, text), request)._replace(place=text.place) for text in texts
    )
    program = one_program([part.program for part in parts])
    findings = together([Found(part.place, part.first_statement(), part.findings) for part in parts])
    findings = tuple(dict.fromkeys((*unread, *findings)))
    return Front(source, request.document, module, program, findings, unread, parts=parts)


def _resolve(source: SourceText, module: ast.Module, unread: tuple[Diagnostic, ...], request: Request) -> Front:
    """Give a text that is parsed its meaning."""
    program, findings = semantics.resolve(module, _options(module, request), request.clock)
    return Front(source, request.document, module, program, (*unread, *findings), unread)


def plan_text(
    text: str | bytes,
    request: Request,
    alternatives: bool = False,
    before: Planned | None = None,
    ways: bool = True,
) -> Planned:
    """Parse, resolve and plan a text, or each of a document. alternatives: whether other correct plans are looked for.

    before: of a text that this one was changed from. The same is found with it, without searching again what stayed.
    ways: whether ways to mend a refused statement are looked for, which nobody asks for of a text with a fix on trial.
    Raises OptionError for hardware that was asked for and is not known.
    """
    front = read_text(text, request)
    settings = Settings(alternatives=alternatives, ways=ways, clock=request.clock)
    if not front.parts:
        planned = _plan_front(front, request, settings, before)
    else:
        settings = settings._replace(budget=Budget(request.clock), others=Work(WORK_A_TEXT, request.clock))
        parts: list[Planned] = []
        for part, old in zip_longest(front.parts, before.parts[: len(front.parts)] if before is not None else ()):
            parts.append(_plan_front(part, request, settings, old))
            settings = settings._replace(searches=parts[-1].searches)
        planned = _put_together(front, tuple(parts))
    return planned._replace(findings=(*planned.findings, *_of_ignores(front, planned.findings, request)))


def _put_together(front: Front, parts: tuple[Planned, ...]) -> Planned:
    """Return the plan of a document of those of its texts."""
    findings = together([Found(one.front.place, one.front.first_statement(), one.findings) for one in parts])
    plan = one_plan(front.program, [part.plan for part in parts], findings)
    findings = tuple(dict.fromkeys((*front.unread, *findings)))
    return parts[0]._replace(front=front, plan=plan, findings=findings, searches=None, parts=parts)


def _plan_front(front: Front, request: Request, settings: Settings, before: Planned | None) -> Planned:
    """Plan a text that is read."""
    span = hardware_span(front.module)
    hardware, hardware_findings = _find_hardware(front, span, request)
    front = _with_usable_figures(front, request)
    if hardware is not None:
        hardware = overridden(hardware, front.program.hardware_values)
    places = {} if request.options.topology else topology_places(front.module)
    if request.slice is not None:
        front = _in_slice(front, hardware, request)
    front, opened = _opened(front, request.opened)
    chips = int(front.program.hardware_values.get("M_slice", 0)) or None
    mesh = front.program.mesh
    machine, machine_findings = machine_for(mesh, hardware, span, places, request.slice, chips, request.opened)
    settings = _settings(settings, machine, front.program, request, before)
    plan = planning.plan(front.program, settings)
    unused = _unused_sizes(front, request)
    findings = (*front.findings, *hardware_findings, *machine_findings, *unused, *plan.diagnostics)
    return Planned(front, machine, plan, findings, opened, settings.searches)


def _in_slice(front: Front, hardware: Hardware | None, request: Request) -> Front:
    """Return the front with what the slice says: its chips, and the mesh axes of open size that it decides.

    Raises OptionError for a slice that the hardware cannot have.
    """
    shape = request.slice or ()
    require_slice(shape, hardware)
    placed = place_axes(front.program.mesh, shape, Span(0, 0))
    decided = placed.sizes if isinstance(placed, Placement) else {}
    if decided := {axis: size for axis, size in decided.items() if axis not in request.opened}:
        options = request.options
        if options.mesh is not None:
            options = options._replace(mesh={**options.mesh, **decided})
        else:  # a size is that of a dimension, where one has the name of the axis: then the axis stays open
            refs = (ref for statement in front.program.statements for ref in refs_of(statement.body))
            named = {dim for ref in refs for dim in ref.type.dims}
            sizes = {axis: size for axis, size in decided.items() if axis not in named}
            options = options._replace(sizes={**(options.sizes or {}), **sizes})
        again = _resolve(front.source, front.module, front.unread, request._replace(options=options))
        front = again._replace(place=front.place)
    values = {**front.program.hardware_values, "M_slice": math.prod(shape)}
    return front._replace(program=front.program._replace(hardware_values=values))


def _opened(front: Front, axes: Collection[str]) -> tuple[Front, dict[str, int]]:
    """Return the front with some mesh axes of open size, and the sizes that they had."""
    mesh = front.program.mesh
    sizes = {axis.name: axis.size for axis in mesh.axes if axis.name in axes and axis.size is not None}
    if not sizes:
        return front, {}
    mesh = mesh._replace(axes=tuple(a._replace(size=None) if a.name in sizes else a for a in mesh.axes))
    return front._replace(program=front.program._replace(mesh=mesh)), sizes


def shown(front: Front, findings: tuple[Diagnostic, ...], request: Request) -> tuple[Diagnostic, ...]:
    """Return the findings in the order of the text, without repeats and without those that are ignored."""
    return Keep(front.source, front.module, request.selection)(findings)


def rate_findings(
    front: Front, places: Mapping[str, Span], figures: Mapping[str, str], machine: Machine
) -> tuple[Diagnostic, ...]:
    """Return a warning for each element type that the hardware states no rate for, and for each figure that it lacks.

    places: the first statement that computes in each such type. figures: what each symbol stands for, by symbol.
    """
    if machine.hardware is None:
        return ()
    hardware = machine.hardware
    known = ", ".join(sorted(hardware.flops)) or "none"
    unknown = tuple(
        Diagnostic(
            "SL506",
            f"{hardware.name} states no `{symbol}` ({meaning}); times that need it stay symbols",
            hardware_span(front.module),
            hint=f"give it: `--set {symbol}=…` in bytes/s, or in a hardware file",
        )
        for symbol, meaning in figures.items()
    )
    return unknown + tuple(
        Diagnostic(
            "SL503",
            f"{hardware.name} states no rate for `{dtype}`; its times of arithmetic stay symbols (rates: {known})",
            place,
            hint=f"give it: `--set C_{dtype}=…` in FLOP/s, or a hardware file with flops = {{ {dtype} = … }}",
        )
        for dtype, place in places.items()
    )


def late_findings(plan: Plan, priced: Sequence[StatementPlan], clock: Clock) -> tuple[Diagnostic, ...]:
    """Return SL607 where the time was used up before all statements were priced."""
    pairs = zip(plan.statements, priced, strict=True)
    first = next((own.statement.span for own, done in pairs if own.output is not None and done.output is None), None)
    if first is None:
        return ()
    return (Diagnostic("SL607", clock.message("this statement and those after it have no price"), first),)


def _options(module: ast.Module, request: Request) -> Options:
    """Return the options, with the project's defaults for what neither they nor the text say."""
    options, defaults = request.options, request.defaults
    declared = {type(statement) for statement in module.statements}
    if options.mesh is None and ast.MeshDecl not in declared:
        options = options._replace(mesh=defaults.mesh)
    if options.hardware is None and ast.HardwareDecl not in declared:
        options = options._replace(hardware=defaults.hardware)
    if options.dtype is None and ast.DtypeDecl not in declared:
        options = options._replace(dtype=defaults.dtype)
    if defaults.topology:
        meshes = (statement for statement in module.statements if isinstance(statement, ast.MeshDecl))
        axes = options.mesh or {axis.name.text for mesh in meshes for axis in mesh.axes}
        wired = {axis: links for axis, links in defaults.topology.items() if axis in axes}
        for axis in topology_places(module):
            wired.pop(axis, None)
        options = options._replace(topology={**wired, **(options.topology or {})} or None)
    if defaults.sizes:
        lets = (statement for statement in module.statements if isinstance(statement, ast.LetDecl))
        bound = {word.text for let in lets for word, _ in let.bindings}
        kept = {name: size for name, size in defaults.sizes.items() if name not in bound}
        options = options._replace(sizes={**kept, **(options.sizes or {})})
    return options


def _unused_sizes(front: Front, request: Request) -> tuple[Diagnostic, ...]:
    if not request.options.sizes:
        return ()
    from shardlang.api.unused import unused_sizes  # most calls give no sizes

    readable = all(finding.severity != "error" for finding in front.findings)
    given = [name for name in request.options.sizes if name != request.top_k and name not in request.names]
    return unused_sizes(front.source, front.module, front.program, given, readable)


def _of_ignores(front: Front, findings: tuple[Diagnostic, ...], request: Request) -> tuple[Diagnostic, ...]:
    """Return a finding for each comment that ignores nothing: as it is written wrong, or as nothing is found there.

    The latter where the text and its project alone decide: with options of one call a text has other findings, and a
    comment may be there for another call; and where an error is left, what comes after it is not all known.
    """
    if not front.module.ignores:
        return ()
    ignores = Ignores(front.source, front.module, front.document is not None)
    wrong = tuple(ignores.wrong())
    errors = (finding for finding in findings if finding.severity == "error" and request.selection.has(finding))
    if request.varied or not all(map(ignores.has, errors)):
        return wrong
    return (*wrong, *ignores.unused(findings))


def _find_hardware(front: Front, span: Span, request: Request) -> tuple[Hardware | None, tuple[Diagnostic, ...]]:
    name = front.program.hardware
    if name is None:
        return None, ()
    declared = request.options.hardware is None and any(
        isinstance(statement, ast.HardwareDecl) for statement in front.module.statements
    )
    if declared and names_file(name) and not request.limits.files:
        message = f"the caller does not let a text name a hardware file, as `{name}` is"
        return None, (Diagnostic("SL504", message, span, hint="write a name of the catalogue"),)
    found = hardware_of_text(name, request.name if declared else "", request.chips)
    if isinstance(found, Hardware):
        return found, ()
    assert isinstance(found, HardwareProblem)
    if request.options.hardware is not None:
        raise OptionError(f"hardware: {found.message}")
    if not declared:
        return None, (Diagnostic(found.code, found.message, span, (), found.hint),)
    fixes = (Fix(f"write `{found.hint}`", (Edit(span, found.hint),)),) if found.code == "SL501" and found.hint else ()
    return None, (Diagnostic(found.code, found.message, span, (), found.hint, fixes),)


def _with_usable_figures(front: Front, request: Request) -> Front:
    """Return the front without hardware figures that no machine has; each is a finding, or an OptionError of an option."""
    given = front.program.hardware_values
    wrong = {name: words for name, value in given.items() if (words := figure_problem(name, value, front.program.mesh))}
    if two := disagreeing(given):
        wrong["W_uni"] = two
    if not wrong:
        return front
    option = next((name for name in wrong if name in (request.options.sizes or {})), None)
    if option is not None:
        raise OptionError(f"sizes: {option} is {given[option]:g}; it {wrong[option]}.")
    lets = (statement for statement in front.module.statements if isinstance(statement, ast.LetDecl))
    places = {word.text: word.span for let in lets for word, _ in let.bindings}
    findings = tuple(
        Diagnostic("SL207", f"`{name}` {words}", places.get(name, Span(0, 0))) for name, words in wrong.items()
    )
    kept = {name: value for name, value in given.items() if name not in wrong}
    program = front.program._replace(hardware_values=kept)
    return front._replace(program=program, findings=(*front.findings, *findings))


def _settings(
    settings: Settings, machine: Machine, program: Program, request: Request, before: Planned | None
) -> Settings:
    """Return the options of planning a text; prices are seconds on the machine, or bytes where it has no figures."""
    axes = {axis.name: axis.size for axis in program.mesh.axes if axis.size is not None}
    uneven, idle, reduced = request.options.uneven, request.idle_axes, request.reduce_dtype
    environment = (machine, axes, request.latency, idle, uneven, reduced)
    timer = collective_timer(machine, axes, request.latency)
    searches = settings.searches  # of the text before in the document
    if searches is None or searches.environment != environment:
        searches = Searches(environment, before.searches if before is not None else None)
    return settings._replace(
        collective_time=timer,
        math_rate=lambda dtype: math_rate(machine, dtype),
        machine=machine,
        idle_axes=idle,
        uneven=uneven,
        reduce_dtype=reduced,
        searches=searches,
    )

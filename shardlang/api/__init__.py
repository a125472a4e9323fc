"""The driver: texts in, reports out. Each function runs the stages that it needs and no more.

Keywords, the same for all functions that plan (each may come from Python or as the text of the command line):

mesh: axes in order with sizes, `{"X": 4, "Y": None}` or `"X=4,Y=2"`; a size may be open.
sizes: sizes of dimensions, of mesh axes (`Y=32`) and of hardware symbols (`W_hbm=8.1e11`, in bytes/s).
hardware: a name of the catalogue (`tpu-v5p`), or a path to a TOML file. dtype: the default element type.
topology: `{"X": "line"}`; `ring`, `ring:2` and `ring:M_X` for several physical axes, `ring:one-way`, `ring+dcn`, `line`, `node`, `scale-out`, `spine`, `dcn`, `pcie`; `node:sharp`
reduces in the switches, `node+scale-out` is an axis over both levels. slice: the shape of the TPU slice that the mesh fills,
`(16, 20, 28)` or `"16x20x28"`.
model: `book` (the default: without the factor (N-1)/N) or `exact`. roofs: which times to compare, `"math,ici,hbm"`. comms: `max` where
collectives on different links overlap, or `sum`. assume: what is small beside what, `"B << D, F"`. top_k: experts that a token goes to.
reduce_dtype: the element type in which pending sums travel. latency: count it in plans and prices.
idle_axes: let plans use axes that nothing is sharded over. uneven: pad dimensions that do not divide.
explicit: every communication must be written out. alternatives: list (`check`) or run (`verify`) other correct plans too.
select: codes of findings to show, or how they start, as a list or a text (`SL201,SL3`); all if there is none. ignore: those to leave out;
where both fit, the longer one decides.
limits: what the call may take, `shardlang.Limits(max_chars=…, max_statements=…, max_time=…)` or a mapping.
name, document: what findings call the text, and its kind (None: statements; `markdown`, `latex`, `html`, `rst`, `text`, `python`).
A document may have several texts (docstrings, blocks marked `new`): `check`, `fix`, `parse` and `format_text` take them one by
one; what has one answer for a plan raises `OptionError`.

The options replace what the text says, with a note. A keyword that cannot be used raises `OptionError`, a
`ValueError`; a text never raises: whatever is wrong with it is in `report.diagnostics` (what is neither `str` nor
`bytes` is no text, and a `TypeError`).
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from shardlang.api.arguments import (
    CHECK_NAMES,
    COST_NAMES,
    PLAN_NAMES,
    SEND_NAMES,
    TEXT_NAMES,
    read_request,
)
from shardlang.api.comparing import (
    Against,
    compare_plans,
    compare_roofs,
    price_both,
    read_against,
    read_quantity,
    refuse_without_plan,
)
from shardlang.api.formatting import Formatted
from shardlang.api.parts import programs_apart
from shardlang.api.project import settings_for
from shardlang.api.rewriting import canonical
from shardlang.api.running import (
    check_text,
    cost_report,
    is_fine,
    late_report,
    mend_text,
    price_text,
    run_plan,
    run_text,
    with_read_fixes,
)
from shardlang.api.schemas import schema
from shardlang.api.stages import plan_text, read_text, shown
from shardlang.api.values import OptionError
from shardlang.limits import Limits, OutOfTimeError
from shardlang.reports.objects import CheckReport, finding_reports

if TYPE_CHECKING:
    from os import PathLike
    from typing import Unpack

    from shardlang.api.keywords import CheckKeywords, CostKeywords, PlanKeywords, SendKeywords, TextKeywords
    from shardlang.pictures.picture import Picture
    from shardlang.reports.chips import HardwareReport
    from shardlang.reports.costs import CostReport, CrossoverReport
    from shardlang.reports.explanation import Explanation
    from shardlang.reports.fixed import FixedReport
    from shardlang.reports.memory import MemoryReport
    from shardlang.reports.optima import OptimumReport
    from shardlang.reports.parsed import ParseReport
    from shardlang.reports.roofline import RooflineReport
    from shardlang.reports.sent import SendReport
    from shardlang.reports.verification import VerifyReport

__all__ = [
    "CheckReport",
    "Limits",
    "OptionError",
    "check",
    "cost",
    "crossover",
    "explain",
    "fix",
    "format_text",
    "hardware",
    "memory",
    "optimum",
    "parse",
    "plot",
    "roofline",
    "schema",
    "send",
    "settings_for",
    "verify",
]


def check(text: str | bytes, **keywords: "Unpack[CheckKeywords]") -> CheckReport:
    """Return what is wrong with `text`, and the steps of every statement.

    A bare array is checked, and is no operation: it is in `report.arrays`. `bytes_received` is exact: bytes that one device receives, at
    most; None while a size is open.
    """
    return check_text(text, read_request(keywords, CHECK_NAMES))


def parse(text: str | bytes, **keywords: "Unpack[TextKeywords]") -> "ParseReport":
    """Return every statement of `text` as read, and what is wrong with them as they stand."""
    from shardlang.reports.parsed import ParseReport, parsed_statements

    request = read_request(keywords, TEXT_NAMES)
    front = read_text(text, request)
    findings = with_read_fixes(front, shown(front, front.findings, request), request)
    programs = programs_apart([part.program for part in front.parts or (front,)])
    statements = tuple(one for program in programs for one in parsed_statements(front.source, program))
    return ParseReport(is_fine(findings), finding_reports(front.source, findings), statements, front.source, findings)


def cost(text: str | bytes, **keywords: "Unpack[CostKeywords]") -> "CostReport":
    """Return the price of `text` per device, as SymPy expressions, with the numbers where they are known."""
    return price_text(text, read_request(keywords, COST_NAMES))


def crossover(
    text: str | bytes,
    variable: str,
    *,
    against: "str | bytes | Against | None" = None,
    of: str | None = None,
    bound: str | None = None,
    **keywords: "Unpack[CostKeywords]",
) -> "CrossoverReport":
    """Return where one roof of `text` becomes larger than another, for a printed name or a ratio such as `B/X`.

    against: the text of another plan: where the first becomes cheaper than it. What has one name in both is one size.
    of: what they are compared by, `t_comms`, `t_math`, `t_hbm`, `t_lower`, `t_upper`, `flops` or `memory`; by default the
    bound of the time that `bound` says, `lower` (the default) or `upper`.
    Raises ValueError for what is no ratio of symbols of the plan, as `CostReport.crossover` does (OptionError for what
    is no text); but where statements
    were refused, and a symbol may have gone with them, there are no crossovers and the findings say why.
    """
    if not isinstance(variable, str):
        raise OptionError(f"variable: expected a name or a ratio such as 'B/X', not {type(variable).__name__}.")
    if against is not None:
        of = read_quantity(of, bound)
        mine, theirs, clock = price_both(text, read_against(against), keywords)
        return compare_plans(mine, theirs, variable, of, clock)
    refuse_without_plan(of, bound)
    request = read_request(keywords, COST_NAMES)
    return compare_roofs(price_text(text, request), variable, request.clock)


def optimum(
    text: str | bytes,
    split: str,
    variable: str,
    *,
    of: str | None = None,
    bound: str | None = None,
    crossover: str | None = None,
    against: "str | bytes | Against | None" = None,
    **keywords: "Unpack[CostKeywords]",
) -> "OptimumReport":
    """Return the split of a number of devices over mesh axes at which a time of `text` is least, such as `X*Y = N` for `X`.

    split: mesh axes, and their devices as a name or a number; sizes that they have elsewhere say how many devices there are
    where this does not, and are open otherwise. variable: the axis to solve for. of: `t_comms` (the default),
    `t_lower` or `t_upper`; bound: `lower` or `upper` says the latter two. crossover: a name or a ratio such as `B/N`, to say
    from where on the plan is compute-bound at its best split; with `against`, the text of another plan, from where on it
    beats that. Raises ValueError for what is no split, axis, or ratio of symbols of the plan.
    """
    from shardlang.api.splitting import names_of_split, read_texts, read_time, split_report

    read_texts({"split": split, "variable": variable, "crossover": crossover})
    of = read_time(of, bound)
    if against is not None and crossover is None:
        raise OptionError("against: give the name or the ratio for which the two plans are compared too (crossover).")
    axes, used = names_of_split(split)
    if against is None:
        request = read_request(keywords, COST_NAMES)._replace(names=used, opened=axes)
        return split_report(price_text(text, request), None, split, variable, of, crossover, request.clock)
    mine, theirs, clock = price_both(text, read_against(against), keywords, used, axes)
    return split_report(mine, theirs, split, variable, of, crossover, clock)


def memory(text: str | bytes, variable: str | None = None, **keywords: "Unpack[PlanKeywords]") -> "MemoryReport":
    """Return what the arrays of `text` take on a device and in all, its peak, and whether that fits into the HBM of a chip.

    variable: a printed name or a ratio such as `B/X`; `report.limits` then says for which values it fits. Raises
    ValueError for what is no ratio of symbols of the plan, as `crossover` does.
    """
    from shardlang.api.priced import fit_findings, limits_of, price_plan, with_replanned
    from shardlang.cost.residence import residence
    from shardlang.reports.costs import UnknownSymbolError
    from shardlang.reports.memory import MemoryReport

    if variable is not None and not isinstance(variable, str):
        raise OptionError(f"variable: expected a name or a ratio such as 'B/X', not {type(variable).__name__}.")
    request = read_request(keywords, PLAN_NAMES)
    run = run_plan(text, request)
    planned = run.planned
    priced = price_plan(planned, request)
    found = residence(planned.plan, priced)
    asked = priced.within(request.clock)
    report = cost_report(run, priced, fit_findings(planned, asked, found))
    try:
        limits = limits_of(variable, found, asked) if not report.refused else ()
        limits = with_replanned(limits, planned, asked, request, lambda changed: plan_text(text, changed))
    except OutOfTimeError:
        limits, report = (), late_report(report, request.clock, "the sizes that fit are not solved for")
    except UnknownSymbolError:
        if report.ok and not report.refused:
            raise
        limits = ()
    return MemoryReport(report.ok, report.diagnostics, report, found, report.findings, variable, limits)


def roofline(text: str | bytes, variable: str | None = None, **keywords: "Unpack[CostKeywords]") -> "RooflineReport":
    """Return the arithmetic intensity of `text` against every level, what the hardware needs, and which roof binds.

    variable: a printed name or a ratio such as `B/X`; then each roof comes with the ranges in which it binds. Raises
    ValueError for what is no ratio of symbols of the plan, as `crossover` does.
    """
    from shardlang.api.binding import roofline_report

    if variable is not None and not isinstance(variable, str):
        raise OptionError(f"variable: expected a name or a ratio such as 'B/X', not {type(variable).__name__}.")
    request = read_request(keywords, COST_NAMES)
    return roofline_report(price_text(text, request), variable, request.clock)


def plot(
    text: str | bytes,
    kind: str = "mesh",
    *,
    variable: str | None = None,
    between: "tuple[float, float] | str | None" = None,
    array: str | None = None,
    split: str | None = None,
    **keywords: "Unpack[CostKeywords]",
) -> "Picture":
    """Return a picture of `text`: `.svg`, `.text`, `.save(path)`; a notebook shows it by itself.

    kind: `mesh`, which device holds which block (`array` picks one); `sweep`, times against `variable`, a symbol or a
    ratio such as `B/X`, `between` such as `(128, 1e6)`; `roofline`, of every level that counts; `split`, times over
    the ways to split devices into mesh axes, `X*Y=64` or `X*Y*Z=64`. Where numbers are missing there is no drawing, and finding SL510 says which.
    Raises ValueError for what is no ratio of symbols of the plan, as `crossover` does.
    """
    from shardlang.api.plotting import draw_text, read_subject

    given = {"variable": variable, "between": between, "array": array, "split": split}
    subject = read_subject(kind, given)
    request = read_request(keywords, COST_NAMES)._replace(names=tuple((split or "").partition("=")[2].split()))
    return draw_text(text, subject, request)


def fix(text: str | bytes, *, unsafe: bool = False, **keywords: "Unpack[CheckKeywords]") -> "FixedReport":
    """Return `text` with the best fix of every error and warning made, and so on until none is left.

    unsafe: make fixes too that guess at another meaning, such as another name of a dimension. Each fix has been checked,
    and the text with it is run on simulated meshes against the dense result, where sizes allow it; a fix that is wrong
    there is not made. `report.check` has what is left.
    """
    return mend_text(text, read_request({**keywords, "alternatives": False}, CHECK_NAMES), unsafe)


def explain(text: str | bytes, **keywords: "Unpack[CostKeywords]") -> "Explanation":
    """Return the derivation of `text`: `str()` of it is text, `.render("latex")` and `.to_dict()` are there too.

    The fixes of refused statements are run on a small simulated mesh, and say so.
    """
    from shardlang.reports.explanation import Explanation

    request = read_request(keywords, COST_NAMES)
    report = price_text(text, request, alternatives=True)
    if not any(finding.fixes for finding in report.findings if finding.severity == "error"):
        return Explanation(report)  # NumPy is loaded only where there is something to run
    from shardlang.api.executed import with_executed_fixes

    findings = with_executed_fixes(
        report.source, report.findings, lambda changed: plan_text(changed, request, ways=False), request.clock
    )
    return Explanation(report._replace(findings=findings, diagnostics=finding_reports(report.source, findings)))


def verify(text: str | bytes, **keywords: "Unpack[CheckKeywords]") -> "VerifyReport":
    """Return what came of running `text` on a simulated mesh, statement by statement, against the dense result.

    Sizes that are all known and small are used as they are (at most 64 devices); else several small meshes and sizes
    are chosen. `received` and `sent` are bytes of the busiest device; `formula` is what the cost model says of them.
    """
    from shardlang.api.verifying import verify_text

    return verify_text(text, read_request(keywords, CHECK_NAMES))


def send(
    text: str | bytes,
    source: "Iterable[int] | Mapping[str, int] | str",
    target: "Iterable[int] | Mapping[str, int] | str",
    **keywords: "Unpack[SendKeywords]",
) -> "SendReport":
    """Return how long what a device holds of an array takes to another device: hops, links used at once, seconds.

    text: one array, such as `bf16[8, 128, 8192]` or `A[I_X, J]`, of which the local block is sent. source, target: a
    coordinate for each mesh axis in order, `(0, 3)` or `"0,3"`, or by name, `{"X": 0, "Y": 3}`. Raises OptionError for what is
    no device of the mesh, for a text that is not one array, and where the way depends on sizes that are open.
    """
    from shardlang.api.sending import sent
    from shardlang.reports.sent import SendReport

    request = read_request(keywords, SEND_NAMES)
    run = run_text(text, request)
    planned = run.planned
    made = sent(planned, source, target)
    findings = run.tried(made.findings)
    reports = finding_reports(planned.front.source, findings)
    return SendReport(is_fine(findings), reports, *made[:4], planned.machine, planned.front.source, findings)


def hardware(
    name: "str | PathLike[str] | None" = None,
    *,
    slice: "str | Iterable[int] | None" = None,  # noqa: A002 - the keyword of the other functions
    sizes: "Mapping[str, float] | str | None" = None,
) -> "HardwareReport":
    """Return the chips of the catalogue, or the one called `name` (or of a TOML file), with every figure and its source.

    `report.chips` has them; `chip.figure("W_ici")` is a figure by symbol or name, `chip.figure("C/W_hbm")` one that is derived.
    slice: the shape of a slice of a TPU, whose chips, hosts, rates and memory are derived too. sizes: figures by symbol that
    replace those of the catalogue, in SI units. Raises OptionError for a chip that is not known, and for a slice or a
    figure that it does not have.
    """
    from shardlang.api.machines import show_chips

    return show_chips(name, slice=slice, sizes=sizes)


def format_report(text: str | bytes, **keywords: "Unpack[TextKeywords]") -> Formatted:
    """Return the canonical form of `text`, or the findings that keep it from being read whole.

    Of a document the blocks that are marked as plans and start at the margin are formatted.
    """
    return canonical(text, read_request(keywords, TEXT_NAMES))


def format_text(text: str, **keywords: "Unpack[TextKeywords]") -> str:
    """Return the canonical form of `text`.

    Of a document the blocks that are marked as plans and start at the margin are formatted. Raises ValueError, with the first
    finding, where they cannot be read whole.
    """
    formatted = format_report(text, **keywords)
    if formatted.text is None:
        first = formatted.findings[0]
        place = formatted.source.position(first.span.start)
        raise ValueError(f"line {place.line}, column {place.column}: {first.message} [{first.code}]")
    return formatted.text

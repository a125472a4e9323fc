"""The keywords of the public functions: for type checkers, and for `shardlang.api.arguments`, which takes no others."""

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import TypedDict

from shardlang.limits import Limits


class TextKeywords(TypedDict, total=False):
    """Keywords of `parse`."""

    mesh: Mapping[str, int | None] | str | None
    name: str
    document: str | None
    limits: Limits | Mapping[str, float | None] | None
    select: str | Iterable[str]
    ignore: str | Iterable[str]


class SendKeywords(TextKeywords, total=False):
    """Keywords of `send`: what says how large everything is, and how it is wired."""

    sizes: Mapping[str, float] | str | None
    hardware: str | PathLike[str] | None
    dtype: str | None
    topology: Mapping[str, str] | str | None
    slice: str | Iterable[int] | None


class PlanKeywords(SendKeywords, total=False):
    """Keywords of everything that plans."""

    reduce_dtype: str | None
    latency: bool
    idle_axes: bool
    uneven: bool
    explicit: bool


class CheckKeywords(PlanKeywords, total=False):
    """Keywords of `check`. alternatives: list other correct plans too (the default), which takes longer."""

    alternatives: bool


class CostKeywords(PlanKeywords, total=False):
    """Keywords of `cost`, `crossover` and `explain`.

    model: `book` (V/W) or `exact` ((N-1)/N). roofs: those that count, of `math,ici,hbm,vmem,pcie`; the last two stream the
    arrays from VMEM or over PCIe. comms: `max` (collectives on different links overlap) or `sum`. assume: texts such as
    `B << D, F`, under which formulas are cut down to their leading terms. top_k: how many parts a row of an AllToAll goes
    to, a number or a name.
    """

    model: str
    roofs: str | Iterable[str]
    comms: str
    assume: str | Iterable[str]
    top_k: int | str | None

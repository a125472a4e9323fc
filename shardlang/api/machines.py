"""Chips and slices that a caller names: what there is of them, or an OptionError that says what is wrong."""

import math
import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from shardlang.api.arguments import read_chips, read_figures
from shardlang.api.devices import read_shape
from shardlang.api.values import OptionError, read_word
from shardlang.pricing.catalogue import Chip, chips, find_chip, own_chips
from shardlang.pricing.hardware import (
    FIGURES,
    LARGEST_FIGURE,
    SMALLEST_FIGURE,
    Hardware,
    HardwareProblem,
    beside,
    find_hardware,
    load_catalogue,
)
from shardlang.pricing.slices import Shape, shape_text
from shardlang.semantics.program import Mesh

if TYPE_CHECKING:
    from shardlang.reports.chips import HardwareReport


def hardware_of_text(name: str, text_name: str, chips: Mapping[str, Hardware]) -> Hardware | HardwareProblem:
    """Return the hardware that a text names; a file is found from where the text is, `text_name`.

    chips: those of the project, which come before those of the catalogue.
    """
    folder = os.path.dirname(text_name)
    found = find_hardware(beside(name, folder), chips)
    if isinstance(found, HardwareProblem) and found.hint and folder:
        return found._replace(hint=found.hint.removeprefix(os.path.join(folder, "")))  # as the text writes it
    return found


def require_slice(shape: Shape, hardware: Hardware | None) -> None:
    """Raise OptionError where hardware has no slice of that shape: it is none, or no torus, or one of fewer axes."""
    if hardware is None or hardware.kind != "tpu":
        other = f"{hardware.name} is no torus" if hardware is not None else "no hardware is named"
        raise OptionError(f"slice: a slice is a torus of TPU chips, and {other}; name one, such as tpu-v5p.")
    if hardware.torus_axes is not None and len(shape) > hardware.torus_axes:
        raise OptionError(
            f"slice: {shape_text(shape)} has {len(shape)} axes and the torus of {hardware.name} has {hardware.torus_axes}."
        )


def figure_problem(name: str, value: float, mesh: Mesh | None = None) -> str | None:
    """Return what a figure of hardware must be where `value` is not that, in words that follow its name; else None."""
    if not SMALLEST_FIGURE <= value <= LARGEST_FIGURE:
        return f"must be between {SMALLEST_FIGURE:g} and {LARGEST_FIGURE:g}, in SI units"
    counts = {"D_node", "D_leaf", "M_slice", *(f"M_{axis.name}" for axis in (mesh.axes if mesh is not None else ()))}
    if name in counts and (value < 1 or value != int(value)):
        return "must be a whole number of at least 1: it counts things"
    return None


def disagreeing(given: Mapping[str, float]) -> str | None:
    """Return what W_uni must be where W_ici, twice of it, is given too and is not; else None."""
    one_way, both = given.get("W_uni"), given.get("W_ici")
    if one_way is None or both is None or math.isclose(both, 2 * one_way):
        return None
    return f"must be half of W_ici, which is {both:g}: give one of them"


def show_chips(
    name: Any = None,
    *,
    slice: Any = None,  # noqa: A002 - the keyword of `shardlang.hardware`
    sizes: Any = None,
    project: Mapping[str, Any] = MappingProxyType({}),
) -> "HardwareReport":
    """Return what `shardlang.hardware` gives; project: what a project says, whose chips come first."""
    from shardlang.reports.chips import HardwareReport

    shape, figures, own = read_shape(slice), read_figures(sizes), read_chips(project)
    tables = project.get("chips") or {}
    if name is not None:
        return HardwareReport((_derived_chip(read_word("hardware", name), shape, figures, own, tables),), single=True)
    if shape is not None or figures:
        raise OptionError("hardware: a slice and figures are those of one chip; name it.")
    return HardwareReport(_derived_chips(own, tables))


def _derived_chips(own: Mapping[str, Hardware], tables: Mapping[str, Any]) -> tuple[Chip, ...]:
    """Return the chips of a project and of the catalogue with what follows from their figures."""
    from shardlang.pricing.derived import with_derived

    known, shown = {**load_catalogue(), **own}, own_chips(tables)
    others = (chip for chip in chips() if chip.id not in shown)
    return tuple(with_derived(chip, known[chip.id]) for chip in (*shown.values(), *others))


def _derived_chip(
    name: str,
    shape: Shape | None,
    given: Mapping[str, float],
    own: Mapping[str, Hardware],
    tables: Mapping[str, Any],
) -> Chip:
    """Return a chip with what follows from its figures. given: figures by symbol that replace those of the catalogue.

    Raises OptionError for a chip that is not known, and for a slice or a figure that it does not have.
    """
    from shardlang.pricing.derived import with_derived, with_figures

    found, hardware = find_chip(name, own_chips(tables)), find_hardware(name, own)
    if isinstance(found, HardwareProblem) or isinstance(hardware, HardwareProblem):
        problem = found if isinstance(found, HardwareProblem) else hardware
        assert isinstance(problem, HardwareProblem)
        raise OptionError(f"hardware: {problem.message}")
    if shape is not None:
        require_slice(shape, hardware)
    for symbol, value in given.items():
        wrong = figure_problem(symbol, value) or (disagreeing(given) if symbol == "W_uni" else None)
        if wrong is not None:
            raise OptionError(f"sizes: {symbol} is {value:g}; it {wrong}.")
    changed = with_figures(found, given)
    if isinstance(changed, HardwareProblem):
        raise OptionError(f"sizes: {changed.message}")
    return with_derived(changed, hardware, shape)


def overridden(hardware: Hardware, figures: Mapping[str, float]) -> Hardware:
    """Return the hardware with the figures that the text or an option gives by symbol, such as `W_hbm`."""
    flops = dict(hardware.flops)
    for name, value in figures.items():
        if name == "C":
            flops = dict.fromkeys(flops, value)
        elif name.startswith("C_"):
            flops[name[2:]] = value
    if "W_uni" in figures:
        hardware = hardware._replace(ici=2 * figures["W_uni"])
    of_mesh = {name: value for name, value in figures.items() if name.partition("_")[0] == "M"}
    changed: dict[str, Any] = {
        field: max(1, int(figures[name])) if name in ("D_node", "D_leaf") else figures[name]
        for name, field in FIGURES.items()
        if name in figures
    }
    return hardware._replace(flops=flops, mesh=of_mesh, **changed)

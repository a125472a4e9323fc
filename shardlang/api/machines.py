"""Chips and slices that a caller names: what there is of them, or an OptionError that says what is wrong."""

from collections.abc import Mapping

from shardlang.api.arguments import OptionError
from shardlang.pricing.catalogue import Chip, chips, find_chip
from shardlang.pricing.hardware import (
    LARGEST_FIGURE,
    SMALLEST_FIGURE,
    Hardware,
    HardwareProblem,
    find_hardware,
    load_catalogue,
)
from shardlang.pricing.slices import Shape, shape_text


def require_slice(shape: Shape, hardware: Hardware | None) -> None:
    """Raise OptionError where hardware has no slice of that shape: it is none, or no torus, or one of fewer axes."""
    if hardware is None or hardware.kind != "tpu":
        other = f"{hardware.name} is no torus" if hardware is not None else "no hardware is named"
        raise OptionError(f"slice: a slice is a torus of TPU chips, and {other}; name one, such as tpu-v5p.")
    if hardware.torus_axes is not None and len(shape) > hardware.torus_axes:
        raise OptionError(
            f"slice: {shape_text(shape)} has {len(shape)} axes and the torus of {hardware.name} has {hardware.torus_axes}."
        )


def derived_chips() -> tuple[Chip, ...]:
    """Return the chips of the catalogue with what follows from their figures."""
    from shardlang.pricing.derived import with_derived

    catalogue = load_catalogue()
    return tuple(with_derived(chip, catalogue[chip.id]) for chip in chips())


def derived_chip(name: str, shape: Shape | None, given: Mapping[str, float]) -> Chip:
    """Return a chip with what follows from its figures. given: figures by symbol that replace those of the catalogue.

    Raises OptionError for a chip that is not known, and for a slice or a figure that it does not have.
    """
    from shardlang.pricing.derived import with_derived, with_figures

    found, hardware = find_chip(name), find_hardware(name)
    if isinstance(found, HardwareProblem) or isinstance(hardware, HardwareProblem):
        problem = found if isinstance(found, HardwareProblem) else hardware
        assert isinstance(problem, HardwareProblem)
        raise OptionError(f"hardware: {problem.message}")
    if shape is not None:
        require_slice(shape, hardware)
    for symbol, value in given.items():
        if not SMALLEST_FIGURE <= value <= LARGEST_FIGURE:
            limits = f"between {SMALLEST_FIGURE:g} and {LARGEST_FIGURE:g}"
            raise OptionError(f"sizes: {symbol} is {value:g}; a figure of hardware is {limits}, in SI units.")
    changed = with_figures(found, given)
    if isinstance(changed, HardwareProblem):
        raise OptionError(f"sizes: {changed.message}")
    return with_derived(changed, hardware, shape)

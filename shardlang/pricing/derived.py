"""Figures that follow from others of the catalogue: critical intensities, a node as a whole, a slice as a whole.

Each has its formula in the place of a source. Source: COST_MODEL sections 6, 8 and 9.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from shardlang.pricing.catalogue import Chip, Figure, figures_that_follow
from shardlang.pricing.hardware import DERIVED, FIGURES, Hardware, HardwareProblem
from shardlang.pricing.slices import Shape, fits_pod, shape_text, wraps

_BANDWIDTHS = {
    "W_hbm": "from which on a chip is compute-bound against its HBM",
    "W_ici": "against one axis of the torus",
    "W_egress": "against the node",
    "W_node": "against the scale-out network, of a whole node's egress",
    "W_dcn": "against the network between slices",
    "W_pcie": "against PCIe",
}


def with_figures(chip: Chip, given: Mapping[str, float]) -> Chip | HardwareProblem:
    """Return a chip with other values for figures, by symbol (`W_hbm`, `C` for every rate, `C_bf16`).

    Problem SL504 for a symbol that the chip does not have.
    """
    figures = list(chip.figures)
    values = {**given}
    if "W_uni" in values or "W_ici" in values:
        values.setdefault("W_ici", 2 * values.get("W_uni", 0))
        values["W_uni"] = values["W_ici"] / 2
    for name, value in values.items():
        at = [index for index, figure in enumerate(figures) if _has(figure, name)]
        if not at:
            known = sorted({symbol for figure in figures for symbol in _symbols(figure)})
            return HardwareProblem("SL504", f"{chip.name} has no figure `{name}`; it has {', '.join(known)}")
        for index in at:
            figures[index] = _as_given(figures[index], value)
    return chip._replace(figures=tuple(_with_following(figures, chip, values)))


def _as_given(figure: Figure, value: float) -> Figure:
    convention = figure.convention.partition("; derived")[0]
    return figure._replace(value=value, convention=convention, source="as given")


def _with_following(figures: list[Figure], chip: Chip, given: Mapping[str, float]) -> Iterator[Figure]:
    """Yield figures, those that follow from another one (`DERIVED`) from the one that there is now."""
    stated = {figure.name: figure for figure in figures}
    following = {FIGURES[symbol] for symbol in DERIVED if symbol not in given}
    again = {f.name: f for f in figures_that_follow({n: f for n, f in stated.items() if n not in following}, chip.kind)}
    for figure in figures:
        derived = "; derived" in figure.convention
        yield again.get(figure.name, figure) if derived and figure.name in following else figure


def with_derived(chip: Chip, hardware: Hardware, shape: Shape | None = None) -> Chip:
    """Return a chip with what follows from its figures, and, where a shape is given, with those of that slice."""
    derived = [*_intensities(chip), *_node(chip)]
    if shape is not None:
        derived += _slice(chip, hardware, shape)
    return chip._replace(derived=tuple(derived))


def _symbols(figure: Figure) -> tuple[str, ...]:
    return tuple(figure.symbol.split(", ")) if figure.symbol else ()


def _has(figure: Figure, name: str) -> bool:
    symbols = _symbols(figure)
    return name in symbols or (name == "C" and any(symbol.startswith("C_") for symbol in symbols))


def _rates(chip: Chip) -> Iterator[tuple[str, Figure]]:
    """Yield the symbol of each rate (`C_bf16`, `C_fp8`) with its figure."""
    for figure in chip.figures:
        yield from ((symbol, figure) for symbol in _symbols(figure) if symbol.startswith("C_"))


def _intensities(chip: Chip) -> Iterator[Figure]:
    for symbol, rate in _rates(chip):
        for name, words in _BANDWIDTHS.items():
            bandwidth = chip.figure(name)
            if bandwidth is not None:
                formula = f"{symbol}/{name}"
                dtype = symbol.removeprefix("C_")
                value = rate.value / bandwidth.value
                yield Figure(f"intensity.{dtype}.{name}", formula, value, "FLOP/byte", words, formula)


def _node(chip: Chip) -> Iterator[Figure]:
    """Yield what a node moves within it: what its devices send, no more than its switches carry."""
    egress, domain = chip.figure("W_egress"), chip.figure("D_node")
    if egress is None or domain is None:
        return
    sent = egress.value * domain.value
    switches = chip.figure("superpod.node.switch")
    limited = switches is not None and isinstance(switches.value, int | float)
    most = min(switches.value, sent) if switches is not None and limited else sent
    formula = "min(superpod.node.switch, D_node*W_egress)" if limited else "D_node*W_egress"
    yield Figure("node.bandwidth", None, most, "byte/s", "one way, all devices of a node together", formula)
    words = "both directions together, between two halves of a node"
    yield Figure(
        "node.bisection", None, 2 * (domain.value / 2) * egress.value, "byte/s", words, "2*(D_node/2)*W_egress"
    )


def _slice(chip: Chip, hardware: Hardware, shape: Shape) -> Iterator[Figure]:
    chips = math.prod(shape)

    def figure(name: str, value: Any, unit: str, convention: str, formula: str, symbol: str | None = None) -> Figure:
        return Figure(f"slice.{name}", symbol, value, unit, convention, formula)

    product = "*".join(map(str, shape))
    larger = "" if fits_pod(shape, hardware) else ", which is larger than a pod"
    yield figure("shape", list(shape), "", f"chips along each axis of the slice{larger}", "as given")
    yield figure("chips", chips, "", "of the slice", product, "M_slice")
    if hardware.host:
        hosts = -(-chips // math.prod(hardware.host))
        yield figure("hosts", hosts, "", "of the slice", f"{product}/({'*'.join(map(str, hardware.host))})")
    rings = wraps(hardware, shape)
    words = "no axis" if not any(rings) else "every axis"
    if any(rings) and not all(rings):
        words = f"only {shape_text(tuple(size for size, ring in zip(shape, rings, strict=True) if ring))}"
    yield figure("wraparound", words, "", "which axes are rings", "wraparound")
    for symbol, rate in _rates(chip):
        name = f"flops.{symbol.removeprefix('C_')}"
        yield figure(name, chips * rate.value, "FLOP/s", "peak dense rate of the slice", f"{chips}*{symbol}")
    for name, formula in (("hbm_bytes", "hbm_bytes"), ("hbm_bandwidth", "W_hbm"), ("dcn.per_chip", "W_dcn")):
        found = chip.figure(name)
        if found is not None:
            label = name.replace("dcn.per_chip", "dcn")
            convention = found.convention.replace("one chip", "all chips").replace("a chip", "the slice")
            yield figure(label, chips * found.value, found.unit, convention, f"{chips}*{formula}")

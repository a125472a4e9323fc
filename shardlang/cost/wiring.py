"""The same plan on meshes of other sizes, priced on the links that the axes really have there.

A formula holds for one wiring: an axis of open size is taken to be a ring, or inside a node. What a size really gets
`machine_for` says once it is known: a line on a TPU, part of a node and part of the network beyond it on a GPU. The steps stay the same.
"""

from collections.abc import Hashable, Mapping
from typing import NamedTuple

from sympy import Symbol

from shardlang.cost.estimate import Estimate
from shardlang.cost.values import Values
from shardlang.pricing.collectives import NODE
from shardlang.pricing.machine import Machine
from shardlang.pricing.networks import AxisNetwork, Part
from shardlang.semantics.program import Mesh

_MOST_STEPS, _LEAST = 1_500, 12  # steps priced again in all, a second or two; wirings in any case


class Wired(NamedTuple):
    """A plan on a mesh of given sizes. values: the numbers that are known there, with those sizes."""

    estimate: Estimate
    machine: Machine
    values: Values


class Wirings:
    """Prices one plan again for sizes of its mesh axes; sizes with the same links share their formulas.

    known: the numbers for the symbols that are no mesh axes of other size. most: how many wirings are priced at most.
    """

    def __init__(self, estimate: Estimate, known: Values) -> None:
        self._estimate, self._known = estimate, known
        self._axes = estimate.pricer.names.axes()
        self._found: dict[Hashable, Estimate] = {}
        steps = sum(len(statement.steps) for statement in estimate.statements)
        self.most = max(_LEAST, _MOST_STEPS // max(1, steps))

    @property
    def full(self) -> bool:
        """Whether as many wirings are priced as are allowed: the work is bounded."""
        return len(self._found) >= self.most

    def machine(self, sizes: Mapping[Symbol, int]) -> Machine:
        """Return the machine of the mesh with these sizes; `wired` says whether there is one."""
        return self._estimate.pricer.machine.of(self._mesh(sizes))

    def at(self, sizes: Mapping[Symbol, int], machine: Machine) -> Wired:
        """Return the plan priced on a machine that is that of these sizes."""
        key = self._key(sizes, machine)
        if key not in self._found:
            plan = self._estimate.plan
            program = plan.program._replace(mesh=self._mesh(sizes))
            self._found[key] = self._estimate.repriced(plan._replace(program=program), machine)
        found = self._found[key]
        return Wired(found, machine, {**found.values, **self._known, **sizes})

    def regime(self, axis: Symbol, size: int) -> tuple[Estimate, str]:
        """Return the plan priced with an axis of open size that has the links of this size, and those in words."""
        machine = self.machine({axis: size})
        mesh = self._mesh({})
        (name,) = (name for name, symbol in self._axes.items() if symbol == axis)
        opened = mesh._replace(axes=tuple(a._replace(size=None) if a.name == name else a for a in mesh.axes))
        networks = tuple(_opened(n) if n.name == name else n for n in machine.networks)
        plan = self._estimate.plan
        program = plan.program._replace(mesh=opened)
        found = self._estimate.repriced(plan._replace(program=program), machine._replace(networks=networks))
        words = axis_words({axis.name: next(n.words for n in networks if n.name == name)})
        return found, words

    def words(self, sizes: Mapping[Symbol, int], machine: Machine) -> dict[str, str]:
        """Return in words how each of these axes of several devices is wired, where that is not what the formulas take."""
        found = {}
        for name, symbol in self._axes.items():
            here, there = machine.network(name), self._estimate.pricer.machine.network(name)
            if sizes.get(symbol, 1) > 1 and _kind(here) != _kind(there):
                found[symbol.name] = here.words
        return found

    def _mesh(self, sizes: Mapping[Symbol, int]) -> Mesh:
        mesh = self._estimate.plan.program.mesh
        by_name = {name: sizes[symbol] for name, symbol in self._axes.items() if symbol in sizes}
        return mesh._replace(axes=tuple(axis._replace(size=by_name.get(axis.name, axis.size)) for axis in mesh.axes))

    def _key(self, sizes: Mapping[Symbol, int], machine: Machine) -> Hashable:
        """Return what the formulas depend on: the links, and with padding the sizes themselves."""
        networks = tuple(
            (network._replace(size=None, why=""), network.size == 1, network.size is not None and network.size % 2)
            for network in machine.networks
        )
        padded = self._estimate.pricer.sizes.extent is not None
        return (networks, tuple(sizes.values()) if padded else ())


def _opened(network: AxisNetwork) -> AxisNetwork:
    """Return a network of open size with the links of this one: the last level takes what is left."""
    parts = (*network.parts[:-1], network.parts[-1]._replace(degree=None)) if network.parts else ()
    return network._replace(size=None, parts=parts, shape=())


def _kind(network: AxisNetwork) -> Hashable:
    """Return how an axis is wired, without how far it goes along the last level."""
    levels = [part._replace(shape=()) for part in network.levels]
    return (*levels[:-1], levels[-1]._replace(degree=None))


def axis_words(words: Mapping[str, str]) -> str:
    """Return `X is node 4 and scale-out 8, Y is line` of what `Wirings.words` gives."""
    return " and ".join(f"{axis} is {_article(how)}" for axis, how in words.items())


def _article(words: str) -> str:
    return f"a {words}" if words.startswith(("ring", "line")) else f"in one {words}" if words == NODE else words


def topology_words(estimate: Estimate, sizes: Mapping[str, int]) -> str:
    """Return how the axes of these sizes are wired, as `--topology` takes it; empty where they are alone.

    sizes: by the plain names of axes.
    """
    symbols = estimate.pricer.names.axes()
    machine = Wirings(estimate, {}).machine({symbols[name]: size for name, size in sizes.items()})
    found = []
    for name, size in sizes.items():
        levels = machine.network(name).levels
        if size > 1:
            found.append(f"{name}={'+'.join(_level(part) for part in levels)}")
    return ",".join(found)


def _level(part: Part) -> str:
    count = f":{part.physical:g}" if part.physical > 1 else ""
    return part.kind + count + (":one-way" if part.one_way else "") + (":sharp" if part.reduces else "")

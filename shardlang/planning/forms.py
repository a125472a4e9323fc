"""The local forms of an operation: NOTATION section 3, axis by axis."""

from collections.abc import Iterator
from itertools import permutations, product
from typing import NamedTuple

from shardlang.planning.sizes import Cuts
from shardlang.rules.signature import Signature
from shardlang.semantics.sharding import Sharding


class Form(NamedTuple):
    """A local form of an operation: the layouts of its operands and of its result, and the axes that share the work."""

    operands: tuple[Sharding, ...]
    result: Sharding
    cut: tuple[str, ...]


def forms_of(signature: Signature, active: tuple[str, ...], cuts: Cuts) -> tuple[Form, ...]:
    """Return every local form of an operation (NOTATION section 3), axis by axis.

    What a form gives is known from how it is made, and is what `rules.local` says of it.
    """
    dims = signature.dims()
    roles = 1 + len(dims) + len(signature.passages)
    found: list[Form] = []
    for assignment in product(range(roles), repeat=len(active)):
        lists: list[list[str]] = [[] for _ in dims]
        passed: list[tuple[str, int]] = []
        for axis, role in zip(active, assignment, strict=True):
            if 1 <= role <= len(dims):
                lists[role - 1].append(axis)
            elif role > len(dims):
                passed.append((axis, role - len(dims) - 1))
        for orders in product(*(permutations(axes) for axes in lists)):
            shards = dict(zip(dims, orders, strict=True))
            if all(cuts.divides(dim, axes) for dim, axes in shards.items()):
                found += _form(signature, shards, passed)
    return tuple(found)


def _form(signature: Signature, shards: dict[str, tuple[str, ...]], passed: list[tuple[str, int]]) -> Iterator[Form]:
    operands = []
    for index, dims in enumerate(signature.operands):
        pending = {axis: signature.passages[p][1] for axis, p in passed if index in signature.passages[p][0]}
        if len(set(pending.values())) > 1:
            return
        kind = next(iter(pending.values()), "sum")
        operands.append(Sharding(tuple([shards[dim] for dim in dims]), tuple(sorted(pending)), kind))
    due = {axis: signature.passages[p][2] for axis, p in passed}
    for dim in signature.contracted:
        due.update(dict.fromkeys(shards[dim], signature.reduces))
    if len(set(due.values())) > 1:
        return
    axes = tuple([shards[dim] for dim in signature.result])
    cut = tuple(sorted([axis for shard in shards.values() for axis in shard]))
    yield Form(tuple(operands), Sharding(axes, tuple(sorted(due)), next(iter(due.values()), "sum")), cut)

"""The rule for symbolic sizes: which layouts the operands of one operation take.

Source: NOTATION section 5, "a size or more symbolic" and "no output given". The rule only chooses layouts;
the steps that lead there are found by `shardlang.planning.search`, and what the result then is, is said by
`shardlang.rules.local`. Without a wanted output, a case that has no natural answer is an `Open` question.
"""

from typing import NamedTuple

from shardlang.rules.signature import Signature
from shardlang.semantics.sharding import Sharding


class Open(NamedTuple):
    """Why the operands do not decide the result, with the axis and the dimensions involved.

    kind: `clash` (one axis on two dimensions), `differ` (a dimension sharded in two ways), `pending-partner` (pending
    in one factor, sharding the other), `pending-product`, `non-linear`, `kinds` (a sum and an extremum).
    """

    kind: str
    axis: str
    dims: tuple[str, ...] = ()


class Draft:
    """The layouts of the operands while the rule works on them."""

    def __init__(
        self, signature: Signature, shardings: tuple[Sharding, ...], wanted: Sharding | None, free_only: bool
    ) -> None:
        self.signature = signature
        self.free_only = free_only
        self.wanted = wanted
        self.given = shardings
        self.lists: list[dict[str, list[str]]] = [
            {dim: list(axes) for dim, axes in zip(dims, sharding.axes, strict=True)}
            for dims, sharding in zip(signature.operands, shardings, strict=True)
        ]
        self.pending: list[dict[str, str]] = [dict.fromkeys(sharding.pending, sharding.kind) for sharding in shardings]

    def holders(self, dim: str) -> list[int]:
        """Return the operands that have `dim`."""
        return [index for index, lists in enumerate(self.lists) if dim in lists]

    def place(self, operand: int, axis: str) -> str | None:
        """Return the dimension of `operand` that `axis` shards, if any."""
        return next((dim for dim, axes in self.lists[operand].items() if axis in axes), None)

    def wanted_dim(self, axis: str) -> str | None:
        """Return the dimension of the wanted result that `axis` shards, if any."""
        if self.wanted is None:
            return None
        pairs = zip(self.signature.result, self.wanted.axes, strict=True)
        return next((dim for dim, axes in pairs if axis in axes), None)

    def wanted_axes(self, dim: str) -> tuple[str, ...]:
        """Return the axes on which the wanted result is sharded at `dim`."""
        if self.wanted is None or dim not in self.signature.result:
            return ()
        return self.wanted.axes[self.signature.result.index(dim)]

    def wants_pending(self, axis: str) -> bool:
        """Say whether the wanted result is pending over `axis`."""
        return self.wanted is not None and axis in self.wanted.pending

    def drop(self, operand: int, axis: str) -> None:
        """Take `axis` and the axes minor to it off the dimension of `operand` that it shards."""
        for axes in self.lists[operand].values():
            if axis in axes:
                del axes[axes.index(axis) :]

    def free(self, operand: int, axis: str) -> bool:
        """Say whether `operand` is replicated on `axis`."""
        return axis not in self.pending[operand] and self.place(operand, axis) is None

    def shardings(self) -> tuple[Sharding, ...]:
        """Return the layouts as they now stand."""
        return tuple(
            Sharding(
                tuple(tuple(lists[dim]) for dim in dims),
                tuple(sorted(pending)),
                next(iter(pending.values()), "sum"),
            )
            for dims, lists, pending in zip(self.signature.operands, self.lists, self.pending, strict=True)
        )


def choose(
    signature: Signature, shardings: tuple[Sharding, ...], wanted: Sharding | None, free_only: bool = False
) -> tuple[Sharding, ...] | Open:
    """Return the layouts that the operands take, or what is open if no output is wanted.

    `free_only` is `_LOCAL` or `explicit` without an output: a one-sided contraction is then sliced, not gathered.
    """
    draft = Draft(signature, shardings, wanted, free_only)
    if wanted is None and (clash := _kept_twice(draft)) is not None:
        return clash
    for rule in (_settle_pending, _settle_contracted, _settle_kept, _settle_clashes):
        question = rule(draft)
        if question is not None:
            return question
    _slice_idle(draft)
    return draft.shardings()


def _kept_twice(draft: Draft) -> Open | None:
    """Return the question if an axis shards two kept dimensions of the operands as they are given."""
    place: dict[str, str] = {}
    for lists in draft.lists:
        for dim in draft.signature.result:
            for axis in lists.get(dim, ()):
                if place.setdefault(axis, dim) != dim:
                    return Open("clash", axis, (place[axis], dim))
    return None


def _settle_pending(draft: Draft) -> Open | None:
    """Decide for every pending axis whether it stays pending, is reduced first, or is scattered onto a dimension."""
    axes = dict.fromkeys(axis for sharding in draft.given for axis in sharding.pending)
    for axis in axes:
        holders = tuple(index for index, pending in enumerate(draft.pending) if axis in pending)
        kind = draft.pending[holders[0]][axis]
        others = [index for index in range(len(draft.lists)) if index not in holders]
        sharded = [index for index in others if draft.place(index, axis) is not None]
        passes = draft.signature.passage(holders, kind) is not None and _same_kind(draft, holders, kind)
        if passes and not sharded:
            continue
        question = (
            _settle_addends(draft, axis, kind, holders, others, sharded)
            if draft.signature.additive and draft.signature.passage(_everyone(draft), kind) is not None
            else _settle_factor(draft, axis, holders, sharded)
        )
        if question is not None:
            return question
    return None


def _everyone(draft: Draft) -> tuple[int, ...]:
    return tuple(range(len(draft.lists)))


def _same_kind(draft: Draft, holders: tuple[int, ...], kind: str) -> bool:
    return all(set(draft.pending[index].values()) == {kind} for index in holders)


def _settle_addends(
    draft: Draft, axis: str, kind: str, holders: tuple[int, ...], others: list[int], sharded: list[int]
) -> Open | None:
    """Settle a sum of which some operands are pending: mask or pad the others, or reduce first."""
    keeps = draft.wanted is None or draft.wants_pending(axis)
    alike = all(set(draft.pending[index].values()) <= {kind} for index in others)
    if keeps and alike and (kind == "sum" or not sharded):  # zeros pad a sum; nothing pads an extremum
        for index in others:
            draft.drop(index, axis)
            draft.pending[index][axis] = kind
        return None
    if draft.wanted is None:
        return Open("pending-partner", axis, (draft.place(sharded[0], axis) or "",)) if sharded else Open("kinds", axis)
    place = draft.place(sharded[0], axis) if sharded else draft.wanted_dim(axis)
    _reduce(draft, axis, holders, place)
    return None


def _settle_factor(draft: Draft, axis: str, holders: tuple[int, ...], sharded: list[int]) -> Open | None:
    """Settle a pending operand of a product or function that does not pass it on as it stands."""
    if draft.wanted is None:
        if len(holders) > 1:
            return Open("pending-product", axis)
        if sharded:
            return Open("pending-partner", axis, (draft.place(sharded[0], axis) or "",))
        return Open("non-linear", axis)
    if sharded:
        _reduce(draft, axis, holders, draft.place(sharded[0], axis))
    elif len(holders) > 1 and draft.signature.passage(holders[-1:], "sum") is not None:
        _reduce(draft, axis, holders[:-1], None)
    else:
        _reduce(draft, axis, holders, draft.wanted_dim(axis))
    return None


def _reduce(draft: Draft, axis: str, holders: tuple[int, ...], place: str | None) -> None:
    """Reduce `axis` in `holders`: scattered onto `place` where the operand has it, else everywhere."""
    for index in holders:
        del draft.pending[index][axis]
        if place is not None and place in draft.lists[index]:
            draft.lists[index][place].append(axis)


def _settle_contracted(draft: Draft) -> Open | None:
    """Bring the two sides of every contracted dimension to the same axes."""
    for dim in draft.signature.contracted:
        holders = draft.holders(dim)
        if len(holders) < 2:
            continue  # a reduction keeps the axes of its dimension: they become pending on the result
        first, second = (draft.lists[index][dim] for index in holders)
        if first == second:
            continue
        if sorted(first) == sorted(second):
            second[:] = first
            continue
        common = _common(first, second)
        excess = first[common:], second[common:]
        del first[common:], second[common:]
        for index, other, axes in zip(holders, holders[::-1], excess, strict=True):
            _place_excess(draft, dim, index, other, axes)
    return None


def _place_excess(draft: Draft, dim: str, index: int, other: int, excess: list[str]) -> None:
    """Axes that shard a contracted dimension in one operand only: gather, move or slice, as the output wants."""
    for axis in excess:
        kept = draft.wanted_dim(axis)
        slice_other = draft.free_only if draft.wanted is None else draft.wants_pending(axis)
        if slice_other and draft.free(other, axis):
            draft.lists[index][dim].append(axis)
            draft.lists[other][dim].append(axis)
        elif kept is not None and kept in draft.lists[index] and draft.free(index, axis):
            draft.lists[index][kept].append(axis)
        elif kept is not None and kept in draft.lists[other] and draft.free(other, axis):
            draft.lists[other][kept].append(axis)


def _common(first: list[str], second: list[str]) -> int:
    length = 0
    for a, b in zip(first, second, strict=False):
        if a != b:
            break
        length += 1
    return length


def _settle_kept(draft: Draft) -> Open | None:
    """Bring the operands that share a kept dimension to the same axes there."""
    for dim in draft.signature.result:
        holders = draft.holders(dim)
        lists = [draft.lists[index][dim] for index in holders]
        if len(holders) < 2 or lists[0] == lists[1]:
            continue
        longest = max(lists, key=len)
        if any(axes != longest[: len(axes)] for axes in lists):
            if draft.wanted is None:
                return Open("differ", lists[0][0], (dim,))
            longest = _favoured(draft, dim, lists)
        winner = list(longest)
        for axes in lists:
            axes[:] = winner
    return None


def _favoured(draft: Draft, dim: str, lists: list[list[str]]) -> list[str]:
    """Return the sharding that the output asks for on `dim`, else that of the earlier operand."""
    wanted = draft.wanted_axes(dim)
    asked = [axes for axes in lists if tuple(axes) == wanted]
    shared = [axes for axes in lists if set(axes) & set(wanted)]
    return (asked or shared or lists)[0]


def _settle_clashes(draft: Draft) -> Open | None:
    """Leave every axis on one dimension: the one the output asks for, else that of the earlier operand."""
    while True:
        places: dict[str, list[str]] = {}
        for lists in draft.lists:
            for dim, axes in lists.items():
                for axis in axes:
                    if dim not in places.setdefault(axis, []):
                        places[axis].append(dim)
        clash = next((axis for axis, dims in places.items() if len(dims) > 1), None)
        if clash is None:
            return None
        dims = places[clash]
        if draft.wanted is None:
            return Open("clash", clash, tuple(dims))
        asked = draft.wanted_dim(clash)
        keep = asked if asked in dims else _earlier(draft, clash, dims)
        for lists in draft.lists:
            for dim, axes in lists.items():
                if dim != keep and clash in axes:
                    del axes[axes.index(clash) :]


def _earlier(draft: Draft, axis: str, dims: list[str]) -> str:
    """Return the dimension that `axis` shards in the earliest operand as given, else the first of `dims`."""
    for operand, sharding in zip(draft.signature.operands, draft.given, strict=True):
        for dim, axes in zip(operand, sharding.axes, strict=True):
            if axis in axes and dim in dims:
                return dim
    return dims[0]


def _slice_idle(draft: Draft) -> None:
    """Slice before the operation over axes that the output asks for and no operand uses."""
    if draft.wanted is None:
        return
    for dim in draft.signature.result:
        wanted = draft.wanted_axes(dim)
        holders = draft.holders(dim)
        current = draft.lists[holders[0]][dim] if holders else []
        if not holders or tuple(current) != wanted[: len(current)]:
            continue
        for axis in wanted[len(current) :]:
            if not all(draft.free(index, axis) for index in range(len(draft.lists))):
                break
            for index in holders:
                draft.lists[index][dim].append(axis)
    for axis in draft.wanted.pending:
        dims = draft.signature.contracted
        if (
            dims
            and draft.signature.reduces == draft.wanted.kind
            and all(draft.free(index, axis) for index in range(len(draft.lists)))
        ):
            for index in draft.holders(dims[0]):
                draft.lists[index][dims[0]].append(axis)

"""The best plan of an expression when its sizes are known, or when an intermediate has no natural layout.

Every node of the expression gets the cheapest way to each of its layouts: of a leaf by moving it, of an
operation by every local form that its rule allows (NOTATION section 3: each axis replicated, sharding one
dimension in every operand that has it, or pending), moved again. So the plan at the root is the best of the
search space of NOTATION section 5, over the whole expression.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import permutations, product
from typing import NamedTuple

from shardlang.planning.search import ZERO, Cost, Objective, Reached, add, explore, path
from shardlang.planning.space import Budget, Cuts, Move, Sizes, Space, TooLargeError, cuts_of
from shardlang.rules.local import LocalProblem, local_result
from shardlang.rules.signature import Signature
from shardlang.semantics.sharding import Sharding

MOST_FORMS = 5_000


class Leaf(NamedTuple):
    """An array or number of the expression, in the layout that is written."""

    dims: tuple[str, ...]
    sharding: Sharding
    element_bytes: float


class Branch(NamedTuple):
    """An operation of the expression.

    flops_price: what a FLOP costs in the unit of prices (0: only a tie-break). local: its operands may only be moved
    by free steps (`_LOCAL`).
    """

    signature: Signature
    children: "tuple[Leaf | Branch, ...]"
    element_bytes: float
    flops_price: float
    local: bool = False


class Form(NamedTuple):
    """A local form of an operation: the layouts of its operands and of its result, and the axes that share the work."""

    operands: tuple[Sharding, ...]
    result: Sharding
    cut: tuple[str, ...]


class Forced(NamedTuple):
    """An operation that must take a certain local form."""

    branch: Branch
    operands: tuple[Sharding, ...]


class Solved(NamedTuple):
    """A node with the way to each of its layouts, and its children likewise."""

    reached: dict[Sharding, Reached]
    children: "tuple[Solved, ...]"


class Chosen(NamedTuple):
    """The plan of one node: its children's plans, the layout in which it is formed or given, and the moves after."""

    children: "tuple[Chosen, ...]"
    formed: Sharding
    moves: tuple[Move, ...]


class Search(NamedTuple):
    """What a search over one expression needs: the axes that may be used, prices, and what narrows it.

    kinds: in which an array may become pending. maskable: see `Space`. limit: the cost of a plan that is known
    already. forced: a form that is asked for.
    """

    active: tuple[str, ...]
    tables: "Tables"
    objective: Objective
    kinds: tuple[str, ...] = ("sum",)
    maskable: tuple[str, ...] | None = None
    limit: Cost | None = None
    forced: Forced | None = None


class Tables:
    """Spaces and sizes that searches share, and the budget that they spend from."""

    def __init__(self, sizes: Sizes, budget: Budget | None = None) -> None:
        self.sizes = sizes
        self.budget = budget or Budget()
        self._spaces: dict[object, Space] = {}

    def space(
        self,
        dims: tuple[str, ...],
        active: tuple[str, ...],
        kinds: tuple[str, ...],
        maskable: tuple[str, ...] | None = None,
        target: Sharding | None = None,
    ) -> Space:
        """Return the space of an array. Raises TooLargeError at the bound."""
        key = (dims, active, kinds, maskable, target)
        found = self._spaces.get(key)
        if found is None:
            found = self._spaces[key] = Space(dims, active, self.sizes, kinds, maskable, target)
        return found

    def forms(self, signature: Signature, active: tuple[str, ...]) -> tuple[Form, ...]:
        """Return every local form of an operation. Raises TooLargeError at the bound."""
        roles = 1 + len(signature.dims()) + len(signature.passages)
        if roles ** len(active) > MOST_FORMS:
            raise TooLargeError
        return forms_of(signature, active, cuts_of(self.sizes, signature.dims(), active))


def solve(node: Leaf | Branch, search: Search, target: Sharding | None = None, free_only: bool = False) -> Solved:
    """Return the cheapest way to every layout of `node` (no dearer than `target`). Raises TooLargeError at the bound.

    free_only: once the array is there, only free steps may move it.
    """
    children: tuple[Solved, ...] = ()
    if isinstance(node, Leaf):
        dims = node.dims
        sources: dict[Sharding, tuple[Cost, object]] = {node.sharding: (ZERO, None)}
    else:
        dims = node.signature.result
        children = tuple(solve(child, search, None, node.local) for child in node.children)
        sources = _formed(node, search, children)
        free_only = free_only or (node.local and target is not None)
    space = search.tables.space(dims, search.active, search.kinds, search.maskable)
    objective = search.objective._replace(free_only=True) if free_only else search.objective
    reached = explore(space, node.element_bytes, sources, objective, search.tables.budget, target, search.limit)
    return Solved(reached, children)


def _formed(node: Branch, search: Search, children: tuple[Solved, ...]) -> dict[Sharding, tuple[Cost, object]]:
    """Return each layout that the operation can give by itself, with the cost of the cheapest form that gives it."""
    sources: dict[Sharding, tuple[Cost, object]] = {}
    arithmetic: dict[tuple[str, ...], Cost] = {}
    for form in search.tables.forms(node.signature, search.active):
        if search.forced is not None and search.forced.branch is node and form.operands != search.forced.operands:
            continue
        cost = ZERO
        for child, sharding in zip(children, form.operands, strict=True):
            way = child.reached.get(sharding)
            if way is None:
                break
            cost = add(cost, way.cost)
        else:
            if form.cut not in arithmetic:
                arithmetic[form.cut] = form_cost(node, form.cut, search.tables.sizes, search.objective)
            cost = add(cost, arithmetic[form.cut])
            if form.result not in sources or cost < sources[form.result][0]:
                sources[form.result] = (cost, form)
    return sources


def kinds_of(node: Leaf | Branch, target: Sharding | None) -> tuple[str, ...]:
    """Return the kinds of pending that may occur in an expression: a sum always may, an extremum where one stands."""
    found = {"sum"} if target is None or not target.pending else {"sum", target.kind}
    waiting: list[Leaf | Branch] = [node]
    while waiting:
        here = waiting.pop()
        if isinstance(here, Branch):
            found.add(here.signature.reduces)
            waiting += here.children
        elif here.sharding.pending:
            found.add(here.sharding.kind)
    return tuple(sorted(found, reverse=True))


def form_cost(node: Branch, cut: tuple[str, ...], sizes: Sizes, objective: Objective) -> Cost:
    """Return the cost of the arithmetic of an operation shared over the axes `cut`: FLOPs of one device."""
    flops = 2 if node.signature.contracted and len(node.signature.operands) > 1 else 1
    for dim in node.signature.dims():
        flops *= sizes.dim(dim)
    local = flops / sizes.shards(cut)
    return objective.local(round(local), round(local * node.flops_price))


def cut_by(operands: tuple[Sharding, ...]) -> tuple[str, ...]:
    """Return the axes that shard an operand: those over which an operation is shared."""
    return tuple(sorted({axis for sharding in operands for axes in sharding.axes for axis in axes}))


def chosen(node: Leaf | Branch, solved: Solved, target: Sharding) -> Chosen:
    """Return the plan that leads to `target`, which must have been reached."""
    formed, moves = path(solved.reached, target)
    if isinstance(node, Leaf):
        return Chosen((), formed, tuple(moves))
    origin = solved.reached[formed].origin
    assert isinstance(origin, Form)
    children = tuple(
        chosen(child, way, sharding)
        for child, way, sharding in zip(node.children, solved.children, origin.operands, strict=True)
    )
    return Chosen(children, formed, tuple(moves))


@lru_cache(maxsize=64)
def forms_of(signature: Signature, active: tuple[str, ...], cuts: Cuts) -> tuple[Form, ...]:
    """Return every local form of an operation (NOTATION section 3), axis by axis."""
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
        operands.append(Sharding(tuple(shards[dim] for dim in dims), tuple(sorted(pending)), kind))
    result = local_result(signature, tuple(operands))
    if not isinstance(result, LocalProblem):
        yield Form(tuple(operands), result, cut_by(tuple(operands)))

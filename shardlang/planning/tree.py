"""The best plan of an expression when its sizes are known, or when an intermediate has no natural layout.

Every node of the expression gets the cheapest way to each of its layouts: of a leaf by moving it, of an
operation by every local form that its rule allows (NOTATION section 3: each axis replicated, sharding one
dimension in every operand that has it, or pending), moved again. So the plan at the root is the best of the
search space of NOTATION section 5, over the whole expression.
"""

from functools import lru_cache
from operator import add
from typing import NamedTuple

from shardlang.planning.budget import Budget, TooLargeError
from shardlang.planning.forms import Form, forms_of
from shardlang.planning.search import NEVER, Cost, Objective, Packing, Ways, Weights, explore, packing, ways, whole
from shardlang.planning.sizes import Cuts, Sizes, cuts_of
from shardlang.planning.space import ANY_STEP, Allowed, Charge, Layouts, Move, layouts_of
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


class Solved(NamedTuple):
    """A node with the way to each of its layouts, and its children likewise.

    forms: the form that makes each layout in which the operation can give its result, by the number of the layout.
    """

    ways: Ways
    packed: Packing
    forms: dict[int, Form]
    children: "tuple[Solved, ...]"

    def costs(self) -> dict[Sharding, Cost]:
        """Return what each layout costs."""
        ways = self.ways
        return {
            sharding: self.packed.unpack(cost)
            for sharding, cost in zip(ways.layouts.known, ways.costs(), strict=True)
            if cost < NEVER
        }

    def formed(self) -> dict[Sharding, Cost]:
        """Return what each layout costs that the operation gives by itself, without steps after it."""
        costs, layouts = self.costs(), self.ways.layouts
        made = (layouts.known[number] for number in self.forms if number not in self.ways.before)
        return {sharding: costs[sharding] for sharding in made if sharding in costs}


class Chosen(NamedTuple):
    """The plan of one node: its children's plans, the layout in which it is formed or given, and the moves after."""

    children: "tuple[Chosen, ...]"
    formed: Sharding
    moves: tuple[Move, ...]


class Best(NamedTuple):
    """The best plan that leads to a layout, and what it costs."""

    plan: Chosen
    cost: Cost


class Search(NamedTuple):
    """What a search over one expression needs: the axes that may be used, prices, and what narrows it.

    kinds: in which an array may become pending. limit: the cost of a plan that is known already.
    """

    active: tuple[str, ...]
    tables: "Tables"
    objective: Objective
    kinds: tuple[str, ...] = ("sum",)
    allowed: Allowed = ANY_STEP
    limit: Cost | None = None

    def keeps_tables(self, layouts: Layouts) -> bool:
        """Say whether ways between these layouts are looked up in tables."""
        return layouts.shared and self.objective.price is None


class Tables:
    """Sizes and layouts that searches share, and the budget that they spend from."""

    def __init__(self, sizes: Sizes, budget: Budget | None = None) -> None:
        self.sizes = sizes
        self.budget = budget or Budget()
        self._layouts: dict[object, Layouts] = {}

    def layouts(self, dims: tuple[str, ...], active: tuple[str, ...], kinds: tuple[str, ...]) -> Layouts:
        """Return the layouts of an array. Raises TooLargeError at the bound."""
        key = (dims, active, kinds)
        found = self._layouts.get(key)
        if found is None:
            found = self._layouts[key] = layouts_of(dims, active, self.sizes, kinds)
        return found

    def forms(self, signature: Signature, active: tuple[str, ...], kinds: tuple[str, ...]) -> tuple[Form, ...]:
        """Return every local form of an operation with pending of these kinds. Raises TooLargeError at the bound."""
        return _occurring(signature, active, self.cuts(signature, active), kinds)

    def cuts(self, signature: Signature, active: tuple[str, ...]) -> Cuts:
        """Return what the forms of an operation take from the sizes. Raises TooLargeError if they are too many."""
        roles = 1 + len(signature.dims()) + len(signature.passages)
        if roles ** len(active) > MOST_FORMS:
            raise TooLargeError
        return cuts_of(self.sizes, signature.dims(), active)


def solve(node: Leaf | Branch, search: Search) -> Solved:
    """Return the cheapest way to every layout of `node`. Raises TooLargeError at the bound."""
    return _solve(node, search, _packing(node, search), search.allowed)


def best(node: Leaf | Branch, search: Search, target: Sharding) -> Best | None:
    """Return the cheapest plan that leads to `target`, None if there is none. Raises TooLargeError at the bound."""
    packed = _packing(node, search)
    allowed = _around(node, search) if isinstance(node, Branch) else search.allowed
    layouts = _layouts(node, search)
    end = layouts.number(target)
    if isinstance(node, Leaf) or not search.keeps_tables(layouts):
        solved = _solve(node, search, packed, allowed, end)
        cost = solved.ways.cost(end)
        return Best(chosen(node, solved, target), packed.unpack(cost)) if cost < NEVER else None
    children = _children(node, search, packed)
    totals, forms = _totals(node, search, packed, children, layouts)
    back = _from_table(layouts, end, node, search, packed, allowed, backwards=True)
    totals = list(map(add, totals, map(back.costs().__getitem__, forms.results)))
    at = totals.index(min(totals))
    if totals[at] >= NEVER or (search.limit is not None and totals[at] > packed.packed(search.limit)):
        return None
    form = forms.forms[at]
    _, moves = back.way(forms.results[at])
    plan = Chosen(_chosen_operands(node, children, form), form.result, tuple(moves))
    return Best(plan, packed.unpack(totals[at]))


def _packing(node: Leaf | Branch, search: Search) -> Packing:
    """Return a packing that every cost of the expression fits into."""
    objective, sizes = search.objective, search.tables.sizes
    bits = flops = 0
    waiting: list[Leaf | Branch] = [node]
    while waiting:
        here = waiting.pop()
        bits += int(16 * max(here.element_bytes, objective.reduce_bytes or 0) + 1) * _elements(here, sizes)
        if isinstance(here, Branch):
            flops += 2 * _product(here.signature.dims(), sizes)
            waiting += here.children
    return packing(objective.price_first, bits * objective.parts, flops)


def _product(dims: tuple[str, ...], sizes: Sizes) -> int:
    count = 1
    for dim in dims:
        count *= sizes.dim(dim)
    return count


def _dims(node: Leaf | Branch) -> tuple[str, ...]:
    return node.dims if isinstance(node, Leaf) else node.signature.result


def _elements(node: Leaf | Branch, sizes: Sizes) -> int:
    return _product(_dims(node), sizes)


def _layouts(node: Leaf | Branch, search: Search) -> Layouts:
    return search.tables.layouts(_dims(node), search.active, search.kinds)


def _solve(node: Leaf | Branch, search: Search, packed: Packing, allowed: Allowed, target: int | None = None) -> Solved:
    """Return the cheapest way to every layout, no dearer than that to the layout numbered `target`."""
    layouts = _layouts(node, search)
    if isinstance(node, Leaf):
        begin = layouts.number(node.sharding)
        if search.keeps_tables(layouts):
            until = None if allowed == ANY_STEP else target
            return Solved(_from_table(layouts, begin, node, search, packed, allowed, until), packed, {}, ())
        forms: dict[int, Form] = {}
        children: tuple[Solved, ...] = ()
        sources = {begin: 0}
    else:
        children = _children(node, search, packed)
        sources, forms = _formed(node, search, packed, children, layouts)
    elements = _elements(node, search.tables.sizes)

    def price(charge: Charge) -> int:
        return search.objective.of(charge, layouts.sizes, elements, node.element_bytes)

    limit = packed.packed(search.limit) if search.limit is not None else None
    spend = search.tables.budget.spend
    weights = Weights(layouts, price, packed)
    return Solved(explore(layouts, weights, sources, spend, allowed, target, limit), packed, forms, children)


def _children(node: Branch, search: Search, packed: Packing) -> tuple[Solved, ...]:
    return tuple(_solve(child, search, packed, _around(node, search)) for child in node.children)


def _around(node: Branch, search: Search) -> Allowed:
    """Return the steps that may be taken around an operation: by its operands, and by a result that is asked for."""
    return search.allowed._replace(free_only=True) if node.local else search.allowed


def _from_table(
    layouts: Layouts,
    end: int,
    node: Leaf | Branch,
    search: Search,
    packed: Packing,
    allowed: Allowed,
    target: int | None = None,
    backwards: bool = False,
) -> Ways:
    search.tables.budget.spend(len(layouts.known))
    elements = _elements(node, search.tables.sizes)
    return ways(layouts, end, node.element_bytes, elements, search.objective, packed, allowed, target, backwards)


class Forms(NamedTuple):
    """The local forms of an operation with the numbers of their layouts: a column for each operand, and the results.

    cuts: the different sets of axes that share the work; cut: the number of that of each form.
    """

    forms: tuple[Form, ...]
    operands: tuple[tuple[int, ...], ...]
    results: tuple[int, ...]
    cuts: tuple[tuple[str, ...], ...]
    cut: tuple[int, ...]


def _totals(
    node: Branch, search: Search, packed: Packing, children: tuple[Solved, ...], layouts: Layouts
) -> tuple[list[int], Forms]:
    """Return what the operation costs in each of its forms, with its operands brought there."""
    forms = _forms(node.signature, search, tuple(child.ways.layouts for child in children), layouts)
    sizes, objective = search.tables.sizes, search.objective
    arithmetic = [packed.packed(form_cost(node, cut, sizes, objective)) for cut in forms.cuts]
    totals = list(map(arithmetic.__getitem__, forms.cut))
    for child, numbers in zip(children, forms.operands, strict=True):
        totals = list(map(add, totals, map(child.ways.costs().__getitem__, numbers)))
    return totals, forms


def _formed(
    node: Branch, search: Search, packed: Packing, children: tuple[Solved, ...], layouts: Layouts
) -> tuple[dict[int, int], dict[int, Form]]:
    """Return each layout that the operation can give by itself: what the cheapest form that gives it costs, and that form."""
    costs: dict[int, int] = {}
    made: dict[int, Form] = {}
    totals, forms = _totals(node, search, packed, children, layouts)
    for total, form, result in zip(totals, forms.forms, forms.results, strict=True):
        if total < costs.get(result, NEVER):
            costs[result] = total
            made[result] = form
    return costs, made


def kinds_of(node: Leaf | Branch, target: Sharding | None) -> tuple[str, ...]:
    """Return the kinds of pending that may occur in an expression: a sum always may, an extremum where one stands.

    An operation that turns one extremum into the other, such as a negation, brings in that one too.
    """
    found = {"sum"} if target is None or not target.pending else {"sum", target.kind}
    passed: set[tuple[str, str]] = set()
    waiting: list[Leaf | Branch] = [node]
    while waiting:
        here = waiting.pop()
        if isinstance(here, Branch):
            found.add(here.signature.reduces)
            passed.update((before, after) for _, before, after in here.signature.passages)
            waiting += here.children
        elif here.sharding.pending:
            found.add(here.sharding.kind)
    while turned := {after for before, after in passed if before in found} - found:
        found |= turned
    return tuple(sorted(found, reverse=True))


def form_cost(node: Branch, cut: tuple[str, ...], sizes: Sizes, objective: Objective) -> Cost:
    """Return the cost of the arithmetic of an operation shared over the axes `cut`: FLOPs of one device."""
    flops = 2 if node.signature.contracted and len(node.signature.operands) > 1 else 1
    flops *= _product(node.signature.dims(), sizes)
    shards = sizes.shards(cut)
    price = whole(flops / shards * node.flops_price) if objective.price is not None else 0
    return objective.cost(price, 0, flops // shards)


def cut_by(operands: tuple[Sharding, ...]) -> tuple[str, ...]:
    """Return the axes that shard an operand: those over which an operation is shared."""
    return tuple(sorted({axis for sharding in operands for axes in sharding.axes for axis in axes}))


def chosen(node: Leaf | Branch, solved: Solved, target: Sharding) -> Chosen:
    """Return the plan that leads to `target`, which must have been reached."""
    layouts = solved.ways.layouts
    begin, moves = solved.ways.way(layouts.number(target))
    children = _chosen_operands(node, solved.children, solved.forms[begin]) if isinstance(node, Branch) else ()
    return Chosen(children, layouts.known[begin], tuple(moves))


def _chosen_operands(node: Branch, children: tuple[Solved, ...], form: Form) -> tuple[Chosen, ...]:
    return tuple(
        chosen(child, way, sharding)
        for child, way, sharding in zip(node.children, children, form.operands, strict=True)
    )


def _forms(signature: Signature, search: Search, operands: tuple[Layouts, ...], result: Layouts) -> Forms:
    """Return every local form of an operation. Raises TooLargeError at the bound."""
    cuts = search.tables.cuts(signature, search.active)
    shared = all(layouts.shared for layouts in (*operands, result))
    return (_shared_forms if shared else _numbered)(signature, search.active, cuts, operands, result)


def _numbered(
    signature: Signature, active: tuple[str, ...], cuts: Cuts, operands: tuple[Layouts, ...], result: Layouts
) -> Forms:
    forms = _occurring(signature, active, cuts, result.kinds)
    shares = {cut: number for number, cut in enumerate(dict.fromkeys(form.cut for form in forms))}
    columns = tuple(
        tuple(layouts.number(form.operands[index]) for form in forms) for index, layouts in enumerate(operands)
    )
    results = tuple(result.number(form.result) for form in forms)
    return Forms(forms, columns, results, tuple(shares), tuple(shares[form.cut] for form in forms))


_shared_forms = lru_cache(maxsize=32)(_numbered)  # some are large, and a server keeps them


def _occurring(signature: Signature, active: tuple[str, ...], cuts: Cuts, kinds: tuple[str, ...]) -> tuple[Form, ...]:
    """Return the forms with pending of these kinds: one that stands nowhere in an expression is of no use in a form."""

    def occurs(sharding: Sharding) -> bool:
        return not sharding.pending or sharding.kind in kinds

    return tuple(form for form in forms_of(signature, active, cuts) if all(map(occurs, (*form.operands, form.result))))

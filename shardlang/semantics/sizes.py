"""The last pass: sizes of dimensions and axes, from every place that gives one, and what depends on them."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from shardlang.diagnostics import Diagnostic, Label
from shardlang.semantics.arithmetic import SizeError, evaluate
from shardlang.semantics.declarations import Binding, Declarations
from shardlang.semantics.options import Options, SizeOption
from shardlang.semantics.scope import Scope
from shardlang.semantics.size import Monomial, axis_symbol, dim_symbol, of
from shardlang.source import Span
from shardlang.syntax import ast

_IS_HARDWARE = re.compile(r"(?:C|W|M|T|H|alpha|beta)(?:_[A-Za-z0-9]+)*|D_node|D_leaf").fullmatch
_NOWHERE = Span(0, 0)

Key = tuple[str, str]  # ("axis", name) for a size in a mesh declaration, ("name", name) for any other


class Sizes(NamedTuple):
    """What is known. dims: a number or a monomial of open sizes; axes: None while symbolic; hardware: in its own unit."""

    dims: dict[str, Monomial]
    axes: dict[str, int | None]
    hardware: dict[str, float]


def settle(declarations: Declarations, options: Options, scope: Scope) -> Sizes:
    """Evaluate every size of the text and the options; contradictions and bad sizes are reported in `scope`."""
    settler = _Settler(declarations, options, scope)
    if settler.bindings:
        settler.evaluate_all()
    return settler.sizes()


class _Settler:
    def __init__(self, declarations: Declarations, options: Options, scope: Scope) -> None:
        self.scope = scope
        self.bindings: dict[Key, Binding] = {}
        self.values: dict[Key, Monomial] = {}
        self.axis_names = _axis_names(declarations, options, scope)
        self._bind_mesh(declarations, options)
        for binding in declarations.lets:
            self.bindings["name", binding.name] = binding
        self._bind_options(options)
        self.repeats: list[Binding] = []
        for dim, size, span in scope.inline_sizes:
            binding = Binding(dim, size, span)
            if self.bindings.setdefault(("name", dim), binding) is not binding:
                self.repeats.append(binding)

    def _bind_mesh(self, declarations: Declarations, options: Options) -> None:
        if options.mesh is not None:
            for name, size in options.mesh.items():
                if size is not None:
                    self.bindings["axis", name] = Binding(name, size, None)
            return
        for axis in declarations.mesh or ():
            if axis.size is None:
                continue
            if any(word.text in self.axis_names for word in words_in(axis.size)) or _is_open_product(axis.size):
                self.scope.report(
                    "SL904",
                    f"mesh axes as products, here `{axis.name.text}`, are not supported yet",
                    axis.name.span,
                    hint="declare the factors as axes, and write both where the product is meant: `I_{PQ}`",
                )
            else:
                self.bindings.setdefault(
                    ("axis", axis.name.text), Binding(axis.name.text, axis.size, axis.name.span, axis.size.span)
                )

    def _bind_options(self, options: Options) -> None:
        for name, size in (options.sizes or {}).items():
            key: Key = ("name", name)
            if name not in self.scope.dims and ("axis", name) in self.bindings:
                key = ("axis", name)
            before = self.bindings.get(key)
            self.bindings[key] = Binding(name, size, None)
            if before is not None and before.span is not None and _plain(before.size) != _plain(size):
                self.scope.report(
                    "SL211",
                    f"the option for `{name}` replaces what the text says: it is now {_shown(size)}",
                    before.span,
                )

    def evaluate_all(self) -> None:
        """Evaluate the bindings, each after those it uses, without recursion over their chain."""
        state: dict[Key, int] = {}
        for root in self.bindings:
            open_keys = [root]
            while open_keys:
                key = open_keys[-1]
                if state.get(key, 0) == 2:
                    open_keys.pop()
                    continue
                needs = [] if state.get(key) == 1 else [k for k in self._needs(key) if state.get(k, 0) != 2]
                looping = next((k for k in needs if state.get(k) == 1), key if key in needs else None)
                if looping is not None:
                    self._fail(key, "SL207", f"`{key[1]}` is defined in terms of itself", None)
                    state[key] = 2
                    open_keys.pop()
                    continue
                if needs:
                    state[key] = 1
                    open_keys += needs
                    continue
                self._evaluate(key)
                state[key] = 2
                open_keys.pop()
        self._compare_repeats()

    def _needs(self, key: Key) -> list[Key]:
        size = self.bindings[key].size
        if isinstance(size, int | float | ast.Number):
            return []
        found = (self._key_of(word.text) for word in words_in(size))
        return [found_key for found_key in found if found_key is not None]

    def _key_of(self, name: str) -> Key | None:
        for key in (("name", name), ("axis", name)):
            if key in self.bindings:
                return key
        return None

    def _fail(self, key: Key, code: str, message: str, span: Span | None, hint: str | None = None) -> None:
        self.scope.report(code, message, span or self.bindings[key].span or _NOWHERE, hint=hint)

    def _evaluate(self, key: Key) -> None:
        binding = self.bindings[key]
        try:
            value = self._value(binding.size)
        except SizeError as error:
            self._fail(key, error.code, error.message, error.span, error.hint)
            return
        except _UnknownError:
            return
        kind = self._kind(key)
        if kind == "hardware":
            if value.powers or value.numerator <= 0:
                self._fail(key, "SL207", f"`{key[1]}` must be a positive number", binding.value_span)
                return
        elif value.numerator <= 0 or (not value.powers and value.denominator != 1):
            what = f"size of the axis `{key[1]}`" if kind == "axis" else f"size of `{key[1]}`"
            shown = value.numerator if value.denominator == 1 else f"{value.numerator}/{value.denominator}"
            self._fail(key, "SL207", f"the {what} must be a positive whole number, and is {shown}", binding.value_span)
            return
        self.values[key] = value

    def _value(self, size: SizeOption) -> Monomial:
        if isinstance(size, int):
            return Monomial(size)
        if isinstance(size, float):
            if size != size or size in (float("inf"), float("-inf")):
                raise SizeError("SL207", f"`{size}` is not a size", _NOWHERE)
            return Monomial(*size.as_integer_ratio())
        return evaluate(size, self._look_up)

    def _look_up(self, word: ast.Word) -> Monomial:
        name = word.text
        key = self._key_of(name)
        if key is not None:
            if key not in self.values:
                raise _UnknownError
            return self.values[key]
        if name in self.scope.dims:
            return of(dim_symbol(name))
        if name in self.axis_names:
            return of(axis_symbol(name))
        close = self.scope.suggest(name, [*self.scope.dims, *self.axis_names])
        hint = f"did you mean `{close}`?" if close else f"give it a value: `let {name} = …`"
        raise SizeError(
            "SL208", f"`{name}` is neither a dimension nor a mesh axis nor a size given here", word.span, hint
        )

    def _kind(self, key: Key) -> str:
        if key[0] == "axis":
            return "axis"
        name = key[1]
        if name in self.scope.dims:
            return "dim"
        if name in self.axis_names:
            return "axis"
        return "hardware" if _IS_HARDWARE(name) else "dim"

    def _compare_repeats(self) -> None:
        """SL221: the same dimension with two sizes."""
        for binding in self.repeats:
            self._compare(binding, ("name", binding.name))
        for name in self.axis_names:
            key: Key = ("name", name)
            if ("axis", name) in self.values and key in self.values and name not in self.scope.dims:
                self._compare(self.bindings[key], ("axis", name))

    def _compare(self, binding: Binding, key: Key) -> None:
        try:
            value = self._value(binding.size)
        except SizeError as error:
            self.scope.report(error.code, error.message, error.span, hint=error.hint)
            return
        except _UnknownError:
            return
        known = self.values.get(key)
        if known is None or known == value:
            return
        first = self.bindings[key].span
        labels = (Label(first, f"`{binding.name}` is {size_value_text(known)} here"),) if first is not None else ()
        self.scope.report(
            "SL221",
            f"`{binding.name}` is {size_value_text(value)} here and {size_value_text(known)} elsewhere: "
            "a name has one size in a text",
            binding.span or _NOWHERE,
            labels,
            hint=f"use the same size, or another name than `{binding.name}`",
        )

    def sizes(self) -> Sizes:
        """Return what is known, by namespace. The size of an axis is one that its own declaration or a `let` gives."""
        dims: dict[str, Monomial] = dict(self.scope.anonymous_sizes)
        axes: dict[str, int | None] = dict.fromkeys(self.axis_names)
        hardware: dict[str, float] = {}
        for key, value in self.values.items():
            match self._kind(key):
                case "axis":
                    if axes.get(key[1]) is None:
                        axes[key[1]] = value.integer
                case "hardware":
                    hardware[key[1]] = value.numerator / value.denominator
                case _:
                    dims[key[1]] = value
        return Sizes(dims, axes, hardware)


class _UnknownError(Exception):
    """A size that uses one which has been refused already."""


def _axis_names(declarations: Declarations, options: Options, scope: Scope) -> dict[str, None]:
    if options.mesh is not None:
        return dict.fromkeys(options.mesh)
    if declarations.mesh is not None:
        return dict.fromkeys(axis.name.text for axis in declarations.mesh)
    return dict(scope.used_axes)


def words_in(size: SizeOption) -> Iterator[ast.Word]:
    """Yield the names in a size expression."""
    open_sizes: list[SizeOption | None] = [size]
    while open_sizes:
        node = open_sizes.pop()
        if isinstance(node, ast.Word):
            yield node
        elif isinstance(node, ast.SizeOp):
            open_sizes += (node.right, node.left)


def _is_open_product(size: ast.SizeExpr) -> bool:
    return isinstance(size, ast.SizeOp) and size.op == "*" and len(list(words_in(size))) > 1


def _plain(size: SizeOption) -> object:
    if isinstance(size, ast.Number | ast.Word):
        return size.text
    return size if isinstance(size, ast.SizeOp) else str(size)


def _shown(size: SizeOption) -> str:
    return str(
        size.text if isinstance(size, ast.Number | ast.Word) else "another size" if isinstance(size, tuple) else size
    )


def size_value_text(value: Monomial) -> str:
    """Return a size as a message shows it: `4096`, `4·D`, `D/2`."""
    above = [_power_text(symbol.name, power) for symbol, power in value.powers if power > 0]
    below = [_power_text(symbol.name, -power) for symbol, power in value.powers if power < 0]
    if value.numerator != 1 or not above:
        above.insert(0, str(value.numerator))
    if value.denominator != 1:
        below.insert(0, str(value.denominator))
    return "·".join(above) + ("/" + "/".join(below) if below else "")


def _power_text(name: str, power: int) -> str:
    return name if power == 1 else f"{name}^{power}"


def refused_by(findings: list[Diagnostic], module: ast.Module) -> set[int]:
    """Return the indices of the statements in which an error of `findings` stands."""
    places = sorted(finding.span.start for finding in findings if finding.severity == "error")
    refused: set[int] = set()
    if not places:
        return refused
    from bisect import bisect_left

    for index, node in enumerate(module.statements):
        at = bisect_left(places, node.span.start)
        if at < len(places) and places[at] < max(node.span.end, node.span.start + 1):
            refused.add(index)
    return refused

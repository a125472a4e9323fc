"""From a written array to its type, and the rules that one array has to keep by itself."""

from collections.abc import Iterator

from shardlang.diagnostics import Edit, Fix, Label
from shardlang.limits import MOST_AXES, MOST_DIMENSIONS
from shardlang.semantics.dtypes import DTYPE_NAMES, canonical_dtype
from shardlang.semantics.program import Ref
from shardlang.semantics.scope import Scope
from shardlang.semantics.sharding import ArrayType, Sharding, array_text
from shardlang.semantics.suggestions import meant
from shardlang.semantics.words import piece, split_axes
from shardlang.source import Span
from shardlang.syntax import ast


def resolve_array(node: ast.Array, scope: Scope) -> Ref:
    """Return the array with its type; whatever is wrong with it by itself is reported in `scope`."""
    found = scope.refs.get(id(node))
    if found is not None:
        return found
    dims: list[str] = []
    shards: list[tuple[str, ...]] = []
    for entry in node.dims or ():
        if entry.kind == "named" and entry.word is not None:
            if entry.subscript is None:
                split = scope.split(entry.word)
                dims.append(split.stem)
                shards.append(split.axes)
            else:
                dims.append(entry.word.text)
                shards.append(scope.split_subscript(entry.subscript))
            if entry.size is not None:
                scope.inline_sizes.append((dims[-1], entry.size, entry.span))
        else:
            dims.append(_resolve_special(entry, scope))
            shards.append(scope.split_subscript(entry.subscript) if entry.subscript and entry.kind != "hole" else ())
    pending: tuple[str, ...] = ()
    kind = "sum"
    if node.unreduced is not None:
        pending = scope.split_subscript(node.unreduced.axes)
        kind = node.unreduced.pending
        if len(pending) > 1:
            pending = tuple(sorted(pending))
    sharding = Sharding(tuple(shards), pending, kind if pending else "sum")
    name, dtype = _name_and_dtype(node, scope)
    ref = Ref(name, ArrayType(tuple(dims), sharding, dtype), node.span, node)
    scope.dims.update(dims)
    scope.refs[id(node)] = ref
    _check_array(ref, scope)
    return ref


def _name_and_dtype(node: ast.Array, scope: Scope) -> tuple[str | None, str | None]:
    name = node.name.text if node.name is not None else None
    if node.dtype is None:
        return name, None
    dtype = canonical_dtype(node.dtype.text)
    if dtype is None:
        close = scope.suggest(node.dtype.text.lower(), DTYPE_NAMES)
        hint = f"did you mean `{close}`?" if close else "known are, among others, `bf16`, `f32`, `int8` and `fp8`"
        fixes = (meant(close, node.dtype.span),) if close else ()
        scope.report("SL209", f"`{node.dtype.text}` is not an element type", node.dtype.span, hint=hint, fixes=fixes)
    elif name is not None:
        scope.declared_types.setdefault(name, dtype)
    return name, dtype


def _resolve_special(entry: ast.Dim, scope: Scope) -> str:
    """Return the name of a dimension that is not a plain word, and report the kinds that are not supported yet."""
    if entry.kind == "literal":
        word = entry.word if entry.word is not None else entry.size
        return scope.new_anonymous(word.text if isinstance(word, ast.Word | ast.Number) else "?")
    if entry.kind == "ellipsis":
        return scope.new_anonymous("...")
    if entry.kind == "hole":
        name = entry.word.text if entry.word is not None else "?"
        scope.report(
            "SL906",
            f"filling the hole in the sharding of `{name}` is not supported yet",
            entry.span,
            hint=f"write the axes, as in `{name}_X`, or `{name}` for none",
        )
        return name
    factors = " ".join(word.text for word in entry.factors)
    scope.report(
        "SL901",
        f"merging and splitting dimensions, here `({factors})`, is not supported yet",
        entry.span,
        hint="give the merged dimension a name of its own",
    )
    return f"({factors})"


def _check_array(ref: Ref, scope: Scope) -> None:
    """Check what one array must keep; the common case, a well-formed array, costs three comparisons."""
    dims, sharding = ref.type.dims, ref.type.sharding
    used = sharding.used()
    if len(dims) > MOST_DIMENSIONS or len(used) > MOST_AXES:
        scope.report(
            "SL604",
            f"{named(ref)} has {len(dims)} dimensions and {len(used)} uses of mesh axes; "
            f"the limits are {MOST_DIMENSIONS} and {MOST_AXES}",
            ref.span,
        )
        return
    if len(set(used)) != len(used):
        _check_axes_once(ref, scope)
    if len(set(dims)) != len(dims):
        _check_dims_once(ref, scope)


def axis_places(node: ast.Array, scope: Scope) -> Iterator[tuple[str, str | None, Span]]:
    """Yield each mesh axis of an array with the dimension it shards (None: it is pending) and its place in the text."""
    for entry in node.dims or ():
        if entry.subscript is not None:
            stem = entry.word.text if entry.word is not None else "a dimension"
            for axis, span in _subscript_places(entry.subscript, scope):
                yield axis, stem, span
        elif entry.word is not None and entry.kind == "named":
            split = scope.splits[entry.word.text]
            at = split.at
            for axis in split.axes:
                yield axis, split.stem, piece(entry.word, at, len(axis))
                at += len(axis)
    if node.unreduced is not None:
        for axis, span in _subscript_places(node.unreduced.axes, scope):
            yield axis, None, span


def _subscript_places(subscript: ast.Subscript, scope: Scope) -> Iterator[tuple[str, Span]]:
    for part in subscript.parts:
        at = 0
        for axis in split_axes(part.text, scope.axes)[0]:
            yield axis, piece(part, at, len(axis))
            at += len(axis)


def _check_axes_once(ref: Ref, scope: Scope) -> None:
    """SL201, SL202: an axis is in one state in one array: replicated, sharding one dimension, or pending."""
    first: dict[str, tuple[str | None, Span]] = {}
    told: set[str] = set()
    for axis, dim, span in axis_places(ref.node, scope):
        if axis not in first:
            first[axis] = (dim, span)
            continue
        if axis in told:
            continue
        told.add(axis)
        other, place = first[axis]
        if (dim is None) != (other is None):
            _report_both_states(ref, axis, other or dim or "", (span, place), scope)
        else:
            _report_used_twice(ref, axis, (other, dim), (span, place), scope)


def _report_both_states(ref: Ref, axis: str, dim: str, spans: tuple[Span, Span], scope: Scope) -> None:
    scope.report(
        "SL202",
        f"{named(ref)} is both sharded over `{axis}` (on `{dim}`) and unreduced over it: "
        "along one mesh axis the devices hold either blocks or addends",
        spans[0],
        (Label(spans[1], f"`{axis}` shards `{dim}` here"),),
        hint=f"leave out one of them: {_without_axis(ref, axis, None)} or {_without_axis(ref, axis, dim)}",
        fixes=_leave_out(ref, axis, (None, dim)),
    )


def _report_used_twice(
    ref: Ref, axis: str, dims: tuple[str | None, str | None], spans: tuple[Span, Span], scope: Scope
) -> None:
    if dims[0] is None:
        message = f"{named(ref)} is unreduced over `{axis}` twice"
    elif dims[0] == dims[1]:
        message = f"`{axis}` shards `{dims[0]}` of {named(ref)} twice"
    else:
        message = f"`{axis}` shards both `{dims[0]}` and `{dims[1]}` of {named(ref)}"
    hint = None
    if dims[0] != dims[1]:
        hint = f"keep one of them: {_without_axis(ref, axis, dims[1])} or {_without_axis(ref, axis, dims[0])}"
    scope.report(
        "SL201",
        f"{message}: a mesh axis can be used once in an array",
        spans[0],
        (Label(spans[1], f"`{axis}` is used here first"),),
        hint=hint,
        fixes=_leave_out(ref, axis, (dims[1], dims[0])) if hint is not None else (),
    )


def _leave_out(ref: Ref, axis: str, places: tuple[str | None, ...]) -> tuple[Fix, ...]:
    """Return the fixes that take `axis` from one of `places` (a dimension, or None: the pending axes)."""
    if ref.node.dtype is not None or any(entry.size is not None for entry in ref.node.dims or ()):
        return ()  # the text of the array would lose what else it says
    texts = [_without_axis(ref, axis, place).strip("`") for place in places]
    return tuple(Fix(f"use `{axis}` once: {text}", (Edit(ref.span, text),), safe=False) for text in texts)


def _without_axis(ref: Ref, axis: str, dim: str | None) -> str:
    """Return the array in backquotes with `axis` taken from `dim`, or from the pending axes (dim None)."""
    sharding = ref.type.sharding
    axes = tuple(
        tuple(a for a in on if a != axis) if name == dim else on
        for name, on in zip(ref.type.dims, sharding.axes, strict=True)
    )
    pending = sharding.pending if dim is not None else tuple(a for a in sharding.pending if a != axis)
    changed = ArrayType(ref.type.dims, Sharding(axes, pending, sharding.kind))
    return f"`{array_text(ref.node.name.text if ref.node.name else None, changed)}`"


def _check_dims_once(ref: Ref, scope: Scope) -> None:
    """SL204: a dimension names one index of an array."""
    first: dict[str, Span] = {}
    for dim, entry in zip(ref.type.dims, ref.node.dims or (), strict=True):
        if dim in first:
            fresh = _fresh_dim(dim, ref.type.dims)
            scope.report(
                "SL204",
                f"`{dim}` is twice a dimension of {named(ref)}: each dimension of an array needs a name of its own",
                stem_span(entry, dim),
                (Label(first[dim], f"`{dim}` is here first"),),
                hint=f"give the second one another name, such as `{fresh}`",
                fixes=(Fix(f"rename the second `{dim}`", (Edit(stem_span(entry, dim), fresh),), safe=False),),
            )
        first.setdefault(dim, stem_span(entry, dim))


def _fresh_dim(dim: str, taken: tuple[str, ...]) -> str:
    number = 2
    while f"{dim}{number}" in taken:
        number += 1
    return f"{dim}{number}"


def stem_span(entry: ast.Dim, dim: str) -> Span:
    """Return the place of the name of a dimension, without its axes."""
    return entry.span if entry.word is None else piece(entry.word, 0, len(dim))


def dim_places(ref: Ref, dim: str) -> Iterator[Span]:
    """Yield the places where the name of `dim` stands in an array."""
    for name, entry in zip(ref.type.dims, ref.node.dims or (), strict=True):
        if name == dim:
            yield stem_span(entry, dim)


def named(ref: Ref) -> str:
    """Return how a message calls an array."""
    return f"`{ref.node.name.text}`" if ref.node.name is not None else "this array"

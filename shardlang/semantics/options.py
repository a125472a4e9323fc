"""What the command line or the caller sets; each option replaces what the text says."""

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from shardlang.semantics.topology import Topology
from shardlang.syntax import ast

SizeOption: TypeAlias = int | float | ast.Number | ast.Word | ast.SizeOp


class Options(NamedTuple):
    """Options of `resolve`.

    mesh: axes in order, each with its size (None: symbolic). sizes: dimensions, mesh axes and hardware symbols
    by name. dtype: a canonical name. topology: the links of an axis. uneven: pad dimensions that do not divide, with a warning.
    explicit: every communication must be written out, from the first statement on.
    """

    mesh: Mapping[str, SizeOption | None] | None = None
    sizes: Mapping[str, SizeOption] | None = None
    hardware: str | None = None
    dtype: str | None = None
    topology: Mapping[str, Topology] | None = None
    uneven: bool = False
    explicit: bool = False


NO_OPTIONS = Options()

"""Meaning: from the untyped tree to a program in which every word is resolved and every array has its type.

`resolve` is the front function. It splits words against the mesh, evaluates sizes, checks that each array is
well formed, and says which dimensions each operation contracts.
"""

from shardlang.semantics.options import Options
from shardlang.semantics.program import Program, Statement
from shardlang.semantics.resolve import resolve
from shardlang.semantics.text import program_statement_text

__all__ = ["Options", "Program", "Statement", "program_statement_text", "resolve"]

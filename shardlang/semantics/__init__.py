"""Meaning: from the untyped tree to a program in which every word is resolved and every array has its type.

`resolve` is the front function. It splits words against the mesh, evaluates sizes, checks that each array is
well formed, and says which dimensions each operation contracts.
"""

from shardlang.semantics.dtypes import canonical_dtype, dtype_bytes
from shardlang.semantics.options import Options
from shardlang.semantics.program import Mesh, MeshAxis, Program, Statement
from shardlang.semantics.resolve import resolve
from shardlang.semantics.sharding import ArrayType, Sharding, array_text
from shardlang.semantics.text import program_statement_text

__all__ = [
    "ArrayType",
    "Mesh",
    "MeshAxis",
    "Options",
    "Program",
    "Sharding",
    "Statement",
    "array_text",
    "canonical_dtype",
    "dtype_bytes",
    "program_statement_text",
    "resolve",
]

"""One statement as `shardlang fmt` prints it where no mesh is declared."""

from shardlang.semantics import program_statement_text, resolve
from shardlang.syntax import ast


def statement_text(statement: ast.Statement) -> str:
    """The canonical text of a statement, whether or not it means anything."""
    program, _ = resolve(ast.Module((statement,)))
    return program_statement_text(program.statements[0], program.mesh)

"""The lexer that Pygments, and with it Sphinx, MkDocs and rich, finds under the name `shard`.

It is the lexer of the compiler: pieces and their kinds come from `tools.editor.colours`, which reads the terminals of the
grammar; names are told apart by their meaning where a statement can be read.
"""

from collections.abc import Iterator
from typing import Any

from pygments.lexer import Lexer
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text, Whitespace, _TokenType

from shardlang.api.arguments import TEXT_NAMES, read_request
from shardlang.api.stages import read_text
from shardlang.syntax.blocks import regions_of
from shardlang.tools.editor.colours import colours
from shardlang.tools.editor.names import names_of

TOKENS: dict[str, _TokenType] = {
    "array": Name.Variable,
    "dimension": Name.Attribute,
    "axis": Name.Constant,
    "collective": Name.Function,
    "operation": Name.Builtin,
    "keyword": Keyword.Declaration,
    "dtype": Keyword.Type,
    "hardware": Name.Entity,
    "topology": Name.Entity,
    "figure": Name.Variable.Global,
    "comment": Comment.Single,
    "number": Number,
    "string": String,
    "operator": Operator,
    "punctuation": Punctuation,
    "markup": String.Escape,
    "name": Name,
    "text": Text,
}


class ShardLexer(Lexer):  # type: ignore[misc]  # Pygments has no types
    """The sharding notation of large models."""

    name = "Sharding notation"
    url = ""
    aliases = ("shard", "shardlang")
    filenames = ("*.shard",)
    mimetypes = ("text/x-shard",)
    priority = 0.1

    def get_tokens_unprocessed(self, text: str, *_arguments: Any) -> Iterator[tuple[int, _TokenType, str]]:
        """Yield place, kind and text of every piece; together they are the text."""
        front = read_text(text, read_request({}, TEXT_NAMES))
        skipped = len(text) - len(front.source.text)  # a byte-order mark
        if skipped:
            yield 0, Text, text[:skipped]
        at = 0
        found = colours(
            front.source, front.program, names_of(front.source, front.program), regions_of(front.source.text, None)
        )
        for start, end, kind in found:
            if at < start:
                yield at + skipped, Whitespace, front.source.text[at:start]
            yield start + skipped, TOKENS[kind], front.source.text[start:end]
            at = end
        if at < len(front.source.text):
            yield at + skipped, Whitespace, front.source.text[at:]

"""From text to a tree with places.

`parse` is the front function. The grammar is `grammar/*.lark`; at run time only the tables are loaded that
`shardlang.syntax.build` makes of it.
"""

from shardlang.syntax.kinds import document_kind
from shardlang.syntax.parser import parse

__all__ = ["document_kind", "parse"]

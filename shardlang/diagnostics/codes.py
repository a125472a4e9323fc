"""The registry of codes: every finding that shardlang can make.

Hundreds: 1 syntax, 2 meaning of a statement, 3 rules of operations and collectives, 4 names and
layouts over statements, 5 hardware and costs, 6 limits, 9 not supported yet. A code keeps its number
for ever. The page of a code is `pages/SLnnn.md`; it shows a text with the finding and one without, and
a test runs both.
"""

import re
from typing import NamedTuple


class Code(NamedTuple):
    """One entry of the registry."""

    code: str
    slug: str
    severity: str
    title: str


_TABLE = """
SL101 syntax-error error The text is not a statement of the notation
SL102 unclosed-bracket error A bracket is opened and never closed
SL103 unexpected-character error A character that the notation does not have
SL104 glued-subscript error A subscript runs into the array that follows it
SL105 missing-brackets error An array is written without its dimensions
SL106 not-a-statement info A formula that is no statement of the notation is skipped
SL107 unsafe-character warning A character that is invisible or changes the reading direction
SL108 unread-line info A line of a document looks like a statement and was not read
SL109 unused-ignore warning A comment ignores a finding that is not there
SL110 unread-python warning A Python file cannot be read to its end
SL111 names-look-alike warning Two names look the same and have different letters
SL201 mesh-axis-reused error A mesh axis is used twice in one array
SL202 axis-both-sharded-and-unreduced error A mesh axis both shards an array and is pending in it
SL203 unknown-mesh-axis error An axis that the mesh does not have
SL204 dimension-repeated error A dimension appears twice in one array
SL205 not-divisible error A dimension does not divide evenly over its mesh axes
SL206 duplicate-declaration error A name is declared twice
SL207 bad-size error A size is not a positive whole number
SL208 unknown-size error A size is computed from something that is not a dimension or an axis
SL209 unknown-dtype error An element type that is not known
SL210 mixed-pending error Pending sums, maxima and minima in one array
SL211 option-overrides-file info An option replaces what the file says
SL212 near-axis info A plain dimension is one letter away from a mesh axis
SL213 output-dimension-not-in-inputs error The result has a dimension that no operand has
SL214 contraction-dimension-missing error A contracted dimension is not in both operands
SL215 dimension-summed-over warning A dimension of one operand is missing in the result and is summed over
SL216 contracted-dimension-kept error A dimension is named as contracted and kept in the result
SL217 ambiguous-chain error A product in a chain could contract several dimensions
SL218 uneven-shards warning Shards are padded because a dimension does not divide evenly
SL219 unknown-operation error An operation or function that is not known
SL220 wrong-operands error An operation with the wrong number or kind of operands
SL221 conflicting-sizes error A dimension with two different sizes
SL222 implicit-contraction info The contracted dimension of a chain was chosen by the rule
SL223 unknown-dimension error An operation names a dimension that its operand does not have
SL224 dimension-dropped error An elementwise operation would lose a dimension
SL225 unused-size info A size is given that nothing in the text has
SL301 not-local error The operation needs communication where none is allowed
SL302 collective-on-unreduced error A gather or exchange cannot resolve a pending sum
SL303 axis-not-sharded error The axis does not shard the operand
SL304 nothing-to-reduce error The operand is not pending over the axis
SL305 major-axis-moved error A collective takes an axis that is not minor-most
SL306 wrong-collective-result error The stated result is not what the collective gives
SL307 step-not-applicable error A free step is applied where it would change the value
SL308 contracted-order-differs error The contracted dimension is sharded in different orders
SL309 no-natural-output error The operands do not decide the sharding of the result
SL310 nothing-moves warning A CollectivePermute that moves nothing
SL311 permute-inserted info A CollectivePermute was inserted before the collective
SL312 pending-not-stated error The result of a local operation is pending, and the text does not say so
SL313 idle-axis-sliced warning The result is sharded over an axis that no operand uses
SL314 non-linear-of-pending error A non-linear function is applied to a pending sum
SL315 pending-product error Two pending sums are multiplied
SL316 pending-plus-replicated error A pending sum and a replicated array are added as they stand
SL317 wrong-local-result error The stated result is not what the local operation gives
SL401 layout-not-made error A value is used in a layout that nobody made
SL402 dimensions-changed error A value is used with other dimensions
SL403 input-layout-changed warning An input is used in a new layout
SL404 no-plan error No sequence of steps leads to the result
SL405 plan-depends-on-sizes info The known sizes change the plan
SL501 unknown-hardware error Hardware that is not in the catalogue
SL502 more-axes-than-torus warning The mesh is larger than the network of the hardware
SL503 unknown-rate warning The hardware has no rate for this element type
SL504 bad-hardware-file error A hardware file cannot be used
SL505 bad-topology error A topology that is not known
SL506 unknown-bandwidth warning The hardware has no figure for a network that the plan uses
SL507 slice-not-filled warning The mesh does not make up the slice
SL508 other-links warning A formula is for other links than its answer has
SL510 cannot-draw error A picture needs what the text and the options do not give
SL520 does-not-fit warning A device holds more than its memory
SL601 input-too-long error The text is longer than the limit
SL602 nesting-too-deep error Brackets or operations are nested too deeply
SL603 search-bound-hit info The search for the best plan stopped at its bound
SL604 too-many-axes error A statement uses more mesh axes or dimensions than the limit
SL605 too-many-findings info Further findings are not shown
SL606 sizes-too-large error The sizes of a statement multiply to more than the limit
SL607 time-limit error The time that the caller gave is used up
SL901 reshape-unsupported error Merging and splitting dimensions is not supported yet
SL902 lookup-unsupported error Table look-up is not supported yet
SL903 normalisation-unsupported error softmax and norm are not supported yet
SL904 product-axis-unsupported error Mesh axes as products are not supported yet
SL905 logical-rules-unsupported error Logical-axis rules are not supported yet
SL906 hole-unsupported error Holes in shardings are not supported yet
SL907 run-together-unsupported error Dimensions without commas are not supported yet
SL908 lost-subscripts-unsupported error Text that lost its subscripts is not supported yet
SL909 layer-index-unsupported error Indexing an array is not supported yet
SL910 anonymous-dimension-unsupported error Operations over anonymous dimensions are not supported yet
SL911 network-unsupported error Mesh axes split between unrelated networks are not supported yet
SL912 part-of-physical-axis-unsupported error Mesh axes that take part of a physical axis are not supported yet
"""


def _read_table() -> dict[str, Code]:
    rows = (line.split(" ", 3) for line in _TABLE.strip().splitlines())
    return {code: Code(code, slug, severity, title) for code, slug, severity, title in rows}


CODES = _read_table()


def code_page(code: str) -> str:
    """Return the Markdown page of `code`. Raises KeyError for a code that does not exist."""
    from importlib.resources import files  # costs 8 ms, and only `explain` needs it

    return (files("shardlang.diagnostics") / "pages" / f"{CODES[code].code}.md").read_text("utf-8")


def readable_page(code: str) -> str:
    """Return the page of `code` without its comments: those that say how its first example is run in words. Raises KeyError."""
    page = re.sub(r"<!-- options: \{(.+)\} -->", r"With the keywords `\1`:", code_page(code))
    page = re.sub(r"<!-- command: (\w+) -->", r"Found by `shardlang \1`:", page)
    return re.sub(r"<!--.*?-->\n+", "", page, flags=re.DOTALL).rstrip("\n") + "\n"

"""The options of everything that plans and prices, as words: for the command line, and for cells of a notebook."""

from typing import NamedTuple


class Flag(NamedTuple):
    """One option, and the keyword of `shardlang.api` that it is handed to.

    kind: `text`, `joined` (may be given again; the texts are joined with commas), `list` (may be given again) or
    `switch`. choices: what the text may be.
    """

    name: str
    keyword: str
    help: str
    metavar: str | None = None
    kind: str = "text"
    choices: tuple[str, ...] = ()


MACHINE_FLAGS = (
    Flag("--mesh", "mesh", "Mesh axes in order, with sizes where known.", "X=4,Y=2"),
    Flag(
        "--set",
        "sizes",
        "Sizes of dimensions, mesh axes (Y=32) and hardware symbols (W_hbm=8.1e11).",
        "B=1024,D=8192",
        "joined",
    ),
    Flag("--hw", "hardware", "Hardware: a name such as tpu-v5p or h100, or a TOML file.", "NAME|FILE"),
    Flag("--dtype", "dtype", "Default element type; bf16 if nothing says otherwise.", "TYPE"),
    Flag(
        "--topology",
        "topology",
        "How mesh axes are wired (ring, ring:2, ring:M_X, ring:one-way, line, node, scale-out, spine, dcn, pcie; node:sharp; "
        "node+scale-out, ring+dcn), where the hardware's own rule is not meant.",
        "X=ring,Y=line",
    ),
    Flag("--slice", "slice", "Physical axes of the TPU slice that the mesh fills.", "16x20x28"),
)
PLAN_FLAGS = (
    *MACHINE_FLAGS,
    Flag("--reduce-dtype", "reduce_dtype", "Element type in which reductions travel.", "TYPE"),
    Flag("--latency", "latency", "Count latency when plans are compared and priced.", kind="switch"),
    Flag("--idle-axes", "idle_axes", "Let plans use mesh axes that nothing is sharded over.", kind="switch"),
    Flag("--uneven", "uneven", "Pad dimensions that do not divide, with a warning.", kind="switch"),
    Flag("--explicit", "explicit", "Every communication must be written out.", kind="switch"),
)
COST_FLAGS = (
    Flag(
        "--model",
        "model",
        "Times of collectives: V/W, or with the exact (N-1)/N. [default: book]",
        choices=("book", "exact"),
    ),
    Flag("--roofs", "roofs", "The roofs that count; also vmem, pcie. [default: math,ici,hbm]", "math,ici,hbm"),
    Flag(
        "--comms",
        "comms",
        "Collectives on different links overlap or add up. [default: max]",
        choices=("max", "sum"),
    ),
    Flag("--assume", "assume", "What is small beside what: formulas keep leading terms.", "'B << D, F'", "list"),
    Flag(
        "--top-k",
        "top_k",
        "Of an AllToAll, how many parts each row goes to (a token to its experts). [default: all of them]",
        "K|NAME",
    ),
)


def chosen(given: dict[str, object]) -> dict[str, object]:
    """Return the keywords of options that were given: no empty ones, and what is joined as one text."""
    keywords = {name: value for name, value in given.items() if value is not None and value not in ((), [])}
    joined = {flag.keyword for flag in (*PLAN_FLAGS, *COST_FLAGS) if flag.kind == "joined"}
    for name in joined & set(keywords):
        words = keywords[name]
        assert isinstance(words, list | tuple)
        keywords[name] = ",".join(map(str, words))
    return keywords

"""Everything that can be set for a text, in one table: its keyword, its type, and where it may be set.

From here come the options of the command line and of notebooks (`shardlang.api.flags`), what `[tool.shardlang]` takes
(`shardlang.api.project`) and what editors send (`shardlang.tools.lsp.settings`).
"""

from typing import NamedTuple


class Setting(NamedTuple):
    """One thing that can be set.

    keyword: of `shardlang.api`. types: what it may be in TOML and JSON. calls: which functions take it: `text` (all of
    them), `send` (what knows a machine), `plan`, or `cost` (what prices). places: where it may be set: `option` (of a
    command or a cell), and as a default that a text comes before `project`, `editor` and `notebook` (for the cells after
    it). name: of the option, with help and metavar. kind: of the option, `text`, `joined` (may be given again; the texts
    are joined with commas), `list` (may be given again) or `switch`. choices: what a text may be.
    """

    keyword: str
    types: tuple[type, ...]
    calls: str
    places: tuple[str, ...]
    name: str
    help: str
    metavar: str | None = None
    kind: str = "text"
    choices: tuple[str, ...] = ()

    @property
    def in_project(self) -> str:
        """Its name in `[tool.shardlang]`: `reduce-dtype`."""
        return self.keyword.replace("_", "-")

    @property
    def in_editor(self) -> str:
        """Its name in the settings of an editor: `reduceDtype`."""
        first, *others = self.keyword.split("_")
        return first + "".join(map(str.capitalize, others))


_MAPPING, _TEXT, _SWITCH, _LIST = (dict, str), (str,), (bool,), (list, str)
_EVERYWHERE = ("option", "project", "editor", "notebook")
_ONE_CALL = ("option",)  # what is for one text: its slice, what its formulas assume
_FILES = ("option", "project", "editor")

SETTINGS = (
    Setting(
        "select",
        _LIST,
        "text",
        _FILES,
        "--select",
        "Show these codes only; SL3 stands for all that start so.",
        "SL3,SL201",
    ),
    Setting(
        "ignore",
        _LIST,
        "text",
        _FILES,
        "--ignore",
        "Leave these codes out, beside those that the project ignores.",
        "SL106,SL9",
    ),
    Setting("mesh", _MAPPING, "send", _EVERYWHERE, "--mesh", "Mesh axes in order, with sizes where known.", "X=4,Y=2"),
    Setting(
        "sizes",
        _MAPPING,
        "send",
        _EVERYWHERE,
        "--set",
        "Sizes of dimensions, mesh axes (Y=32) and hardware symbols (W_hbm=8.1e11).",
        "B=1024,D=8192",
        "joined",
    ),
    Setting(
        "hardware",
        _TEXT,
        "send",
        _EVERYWHERE,
        "--hw",
        "Hardware: a name such as tpu-v5p or h100, or a TOML file.",
        "NAME|FILE",
    ),
    Setting(
        "dtype", _TEXT, "send", _EVERYWHERE, "--dtype", "Default element type; bf16 if nothing says otherwise.", "TYPE"
    ),
    Setting(
        "topology",
        _MAPPING,
        "send",
        _EVERYWHERE,
        "--topology",
        "How mesh axes are wired (ring, ring:2, ring:M_X, ring:one-way, line, node, scale-out, spine, dcn, pcie; node:sharp; "
        "node+scale-out, ring+dcn), where the hardware's own rule is not meant.",
        "X=ring,Y=line",
    ),
    Setting(
        "slice", _TEXT, "send", _ONE_CALL, "--slice", "Physical axes of the TPU slice that the mesh fills.", "16x20x28"
    ),
    Setting(
        "reduce_dtype",
        _TEXT,
        "plan",
        _EVERYWHERE,
        "--reduce-dtype",
        "Element type in which reductions travel.",
        "TYPE",
    ),
    Setting(
        "latency",
        _SWITCH,
        "plan",
        _EVERYWHERE,
        "--latency",
        "Count latency when plans are compared and priced.",
        kind="switch",
    ),
    Setting(
        "idle_axes",
        _SWITCH,
        "plan",
        _EVERYWHERE,
        "--idle-axes",
        "Let plans use mesh axes that nothing is sharded over.",
        kind="switch",
    ),
    Setting(
        "uneven",
        _SWITCH,
        "plan",
        _EVERYWHERE,
        "--uneven",
        "Pad dimensions that do not divide, with a warning.",
        kind="switch",
    ),
    Setting(
        "explicit",
        _SWITCH,
        "plan",
        _EVERYWHERE,
        "--explicit",
        "Every communication must be written out.",
        kind="switch",
    ),
    Setting(
        "model",
        _TEXT,
        "cost",
        _EVERYWHERE,
        "--model",
        "Times of collectives: V/W, or with the exact (N-1)/N. [default: book]",
        choices=("book", "exact"),
    ),
    Setting(
        "roofs",
        _LIST,
        "cost",
        _EVERYWHERE,
        "--roofs",
        "The roofs that count; also vmem, pcie. [default: math,ici,hbm]",
        "math,ici,hbm",
    ),
    Setting(
        "comms",
        _TEXT,
        "cost",
        _EVERYWHERE,
        "--comms",
        "Collectives on different links overlap or add up. [default: max]",
        choices=("max", "sum"),
    ),
    Setting(
        "assume",
        _LIST,
        "cost",
        _ONE_CALL,
        "--assume",
        "What is small beside what: formulas keep leading terms.",
        "'B << D, F'",
        "list",
    ),
    Setting(
        "top_k",
        (int, str),
        "cost",
        _ONE_CALL,
        "--top-k",
        "Of an AllToAll, how many parts each row goes to (a token to its experts). [default: all of them]",
        "K|NAME",
    ),
)
_CHOICES = {setting.keyword: setting.choices for setting in SETTINGS if setting.choices}


def choices_of(keyword: str) -> tuple[str, ...]:
    """Return what the text of a setting may be, where it is one of few."""
    return _CHOICES[keyword]


def settings_in(place: str) -> tuple[Setting, ...]:
    """Return the settings that may be set in a place: `option`, `project`, `editor` or `notebook`."""
    return tuple(setting for setting in SETTINGS if place in setting.places)


def of_calls(*calls: str) -> tuple[Setting, ...]:
    """Return the settings that functions of these kinds take, in the order of the table."""
    return tuple(setting for setting in SETTINGS if setting.calls in calls)

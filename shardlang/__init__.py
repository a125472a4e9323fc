"""A compiler for the sharding notation of large models.

`check` finds what is wrong and lists the collectives, `cost` prices them, `memory` says what they take and whether it
fits, `crossover` when the plan is compute-bound, `roofline` compares it with every roof, `optimum` how to split the
devices, `explain` prints the whole derivation, `fix` mends a text, `verify` runs a plan on a simulated mesh, `plot`
draws, `send` times one array from one device to another, `hardware` lists the chips that are known, `schema` is what
describes the JSON of a report, `parse` and
`format_text` read and print the notation, `settings_for` reads what a project says for its texts.
Each name is loaded when it is first used: `import shardlang` and `check` load no SymPy and no NumPy.
"""

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shardlang.api import Limits as Limits
    from shardlang.api import OptionError as OptionError
    from shardlang.api import check as check
    from shardlang.api import cost as cost
    from shardlang.api import crossover as crossover
    from shardlang.api import explain as explain
    from shardlang.api import fix as fix
    from shardlang.api import format_text as format_text
    from shardlang.api import hardware as hardware
    from shardlang.api import memory as memory
    from shardlang.api import optimum as optimum
    from shardlang.api import parse as parse
    from shardlang.api import plot as plot
    from shardlang.api import roofline as roofline
    from shardlang.api import schema as schema
    from shardlang.api import send as send
    from shardlang.api import settings_for as settings_for
    from shardlang.api import verify as verify

__version__ = "0.1.0"

__all__ = [
    "Limits",
    "OptionError",
    "__version__",
    "check",
    "cost",
    "crossover",
    "explain",
    "fix",
    "format_text",
    "hardware",
    "memory",
    "optimum",
    "parse",
    "plot",
    "roofline",
    "schema",
    "send",
    "settings_for",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'shardlang' has no attribute {name!r}")
    from shardlang import api

    return getattr(api, name)


def load_ipython_extension(shell: Any) -> None:
    """Make `%%shard` known to IPython: what `%load_ext shardlang` calls."""
    from shardlang.tools.notebook import register

    register(shell)


def __dir__() -> list[str]:
    return sorted(__all__)


class _Package(ModuleType):
    """Keeps `shardlang.cost` the function, although a room of the package has that name too.

    Importing the room binds it as an attribute of the package; `from shardlang.cost import …` does not need that.
    """

    @property
    def cost(self) -> Any:
        return __getattr__("cost")

    @cost.setter
    def cost(self, room: ModuleType) -> None:
        pass


sys.modules[__name__].__class__ = _Package

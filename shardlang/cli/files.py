"""The files that a directory stands for."""

import os
from collections.abc import Iterator

from shardlang.api.project import included_names

_LEFT_OUT = frozenset({"node_modules", "build", "dist", "__pycache__"})
_OF_ENVIRONMENT = "pyvenv.cfg"


def files_below(folder: str) -> Iterator[str]:
    """Yield the files below a directory that their project includes, a directory at a time and by name.

    Hidden directories, those that tools fill and virtual environments are left out, but not the one that is asked for.
    """
    for inside, inner, names in os.walk(folder):
        inner[:] = sorted(name for name in inner if not _is_left_out(inside, name))
        for name in included_names(inside, sorted(names)):
            path = os.path.normpath(os.path.join(inside, name))
            if os.path.isfile(path) or not os.path.exists(path):  # a pipe would be waited for; a broken link is told
                yield path


def _is_left_out(folder: str, name: str) -> bool:
    return name.startswith(".") or name in _LEFT_OUT or os.path.exists(os.path.join(folder, name, _OF_ENVIRONMENT))

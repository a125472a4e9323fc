"""A program that puts hostile texts through every way in, under an audit hook, and prints what Python noticed.

`python -m tests.contract.audited` prints a line of JSON for each event that no text may cause: a file opened that is no part of the
package, code compiled or run, a module imported, a process started, a connection made. Nothing printed is the good case. With `planted`
a text is run on purpose.
"""

import importlib
import json
import os
import pkgutil
import re
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import chain
from random import Random
from typing import Any

import shardlang
from shardlang.limits import Limits
from tests.contract.page import ROOT
from tests.fuzz import stages
from tests.fuzz.texts import Text, numbered

PACKAGE = str(ROOT / "shardlang")
LIBRARIES = tuple(
    f"{sysconfig.get_path(name)}{os.sep}{one}{os.sep}"
    for name in ("purelib", "platlib")
    for one in ("sympy", "numpy", "mpmath")
)
WATCHED = (
    "exec",
    "compile",
    "import",
    "open",
    "os.",
    "subprocess.",
    "socket.",
    "shutil.",
    "ctypes.",
    "pty.",
    "webbrowser.",
)
PLAN = "mesh X=4, Y=2\nIn[B_X, D_Y] · W[D_X, F_Y] -> Tmp[B_X, F_Y]\nA[I_X, J_X]\n"
REFUSED = "A[I, J_X] ·_LOCAL B[J_X, K] -> C[I, K]"
SECRET = "/etc/passwd"
HOSTILE = (
    "__import__('os').system('touch /tmp/x')\n",
    "A[__import__('os'), J] · B[J, K] -> C[I, K]",
    "mesh X=__import__('os').getpid()\nA[I_X]",
    "let B = eval('1'), D = exec('1'), F = open('/etc/passwd').read()\nA[B, D]",
    "let B = (lambda: 2**9**9)()\nlet D = [].__class__\nA[B, D]",
    "A[I_{X.__class__.__mro__}] -> A[I]",
    "{{7*7}} ${7*7} #{7*7} %(x)s {0.__class__} `id` $(id)\nA[I_X]",
    f'hardware {SECRET}\nhardware "{SECRET}"\nhardware ../../{SECRET}\nA[I_X]',
    "hardware file:///etc/passwd\nhardware http://127.0.0.1:9/x.toml\nA[I_X]",
    "hardware os\nhardware sys:modules\ndtype __builtins__\nA[I_X]",
    "\\input{/etc/passwd} \\include{x} \\write18{id} \\def\\x{\\x}\\x $A[I_X] \\to B[I]$",
    "<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><script src='x.js'>&b;</script><code>A[I_X]</code>",
    "```shard\nA[I_X]\n```\n![x](file:///etc/passwd)\n```{literalinclude} /etc/passwd\n```\n```python\nimport os\n```\n",
    '"""A plan.\n\n```shard\nA[I_X, J] -> A[I, J]\n```\n"""\nimport os, socket\nos.system("id")\nsocket.socket()\n',
    "!id\n%run x.py\n%%bash\nid\n",
    "A[I_X]  # shardlang: ignore[__import__('os')]\n# type: ignore\n# coding: rot13\n",
    "cos(sin(x)) -> lambdify(1)\nsum_{os} A[os] -> B\nsympify[I] · S[I, N] -> Integer[N]",
    "A[I_X] @ B\x00C\ud800[\u202eJ]",
    "cposix\nsystem\n(S'id'\ntR.",
)
DOCUMENTS = (None, "markdown", "latex", "html", "text", "python")


def calls(text: str, document: str | None) -> Iterator[Callable[[], Any]]:
    """Yield every way in, as a call without arguments."""
    for limits in (None, Limits()) if document is None else (Limits(),):
        keywords: dict[str, Any] = {"document": document, "limits": limits}
        if limits is None and "hardware" in text:
            continue  # without limits a text may name a hardware file: that is a file that was named
        yield lambda keywords=keywords: shardlang.check(text, **keywords).to_dict()
        yield lambda keywords=keywords: shardlang.parse(text, **keywords).to_dict()
        yield lambda keywords=keywords: shardlang.explain(text, **keywords).render("latex")
        yield lambda keywords=keywords: shardlang.fix(text, unsafe=True, **keywords).text
        if document is not None:
            continue  # a document is another reader; what comes after it is the same
        yield lambda keywords=keywords: shardlang.memory(text, "B", **keywords).to_dict()
        yield lambda keywords=keywords: shardlang.crossover(text, "B", hardware="tpu-v5p", **keywords).to_dict()
        yield lambda keywords=keywords: shardlang.crossover(text, "B", against=text, **keywords).to_dict()
        yield lambda keywords=keywords: shardlang.optimum(text, "X*Y = 8", "X", **keywords).to_dict()
        yield lambda keywords=keywords: str(shardlang.roofline(text, "B", **keywords))
        yield lambda keywords=keywords: shardlang.explain(text, **keywords)._repr_html_()
        yield lambda keywords=keywords: shardlang.cost(text, **keywords)._repr_latex_()
        yield lambda keywords=keywords: shardlang.verify(text, **keywords).to_dict()
        yield lambda keywords=keywords: shardlang.send(text, "X=0", "X=1", mesh="X=4", **keywords).to_dict()
        for kind, more in (
            ("mesh", {}),
            ("sweep", {"variable": "B"}),
            ("roofline", {}),
            ("split", {"split": "X*Y=8"}),
        ):
            yield lambda keywords=keywords, kind=kind, more=more: shardlang.plot(text, kind, **more, **keywords).svg
    if document is None:
        yield lambda: shardlang.format_text(text)
        yield from words(text)


def words(text: str) -> Iterator[Callable[[], Any]]:
    """Yield calls in which a text stands where names and formulas are asked for."""
    yield lambda: shardlang.crossover(PLAN, text)
    yield lambda: shardlang.optimum(PLAN, text, "X")
    yield lambda: shardlang.optimum(PLAN, "X*Y=8", text)
    yield lambda: shardlang.cost(PLAN, assume=[text])
    yield lambda: shardlang.cost(PLAN, mesh=text)
    yield lambda: shardlang.cost(PLAN, sizes=text)
    yield lambda: shardlang.cost(PLAN, topology={"X": text})
    yield lambda: shardlang.cost(PLAN, dtype=text, roofs=text)
    yield lambda: shardlang.cost(PLAN, top_k=text, slice=text)
    yield lambda: shardlang.check(PLAN, select=[text], name=text)
    yield lambda: shardlang.plot(PLAN, "sweep", variable=text, between=text)
    yield lambda: shardlang.plot(PLAN, "mesh", array=text)
    yield lambda: shardlang.send("A[I_X]", text, text, mesh="X=4")
    yield lambda: shardlang.schema(text)


def edits(text: str, document: str | None) -> Iterator[Callable[[], Any]]:
    """Yield what the language server and the renderers do with a text."""
    for stage in (stages.edit, stages.services):
        yield lambda stage=stage: list(stage(Text(text, document), Random(1)))


def cells(text: str) -> Iterator[Callable[[], Any]]:
    """Yield what a notebook does with a cell."""
    from shardlang.tools.notebook import _run

    for command in (["check"], ["cost"], ["explain"], ["fix"], ["fmt"], ["plot", "mesh"], ["verify"]):
        yield lambda command=command: _run(command, text, {}, {})


def run(made: Callable[[], Any]) -> None:
    """Make a call; a keyword that cannot be used is refused, and nothing else may be raised."""
    with suppress(ValueError):
        made()


def is_fine(event: str, given: tuple[Any, ...]) -> bool:
    """Say whether an event is data of the package read, or a module of a library loaded at its first use."""
    if event in ("open", "os.listdir"):
        path = str(given[0])
        data = path.startswith(PACKAGE) and not path.endswith((".py", ".pyc"))
        own = data or re.search(r"/shardlang-[^/]*\.dist-info/METADATA\Z", path) is not None
        return own or path in sys.path or (path.startswith(LIBRARIES) and path.endswith((".py", ".pyc")))
    if event == "import":
        return str(given[0]).partition(".")[0] in ("sympy", "numpy", "mpmath")
    if event == "exec":
        code = given[0]
        return code.co_name == "<module>" and code.co_filename.startswith(LIBRARIES)
    return False


class Watch:
    """Notes each event while it is `on`, with what was `doing` when it came first."""

    def __init__(self) -> None:
        self.seen: dict[str, str] = {}
        self.on, self.doing = False, ""
        sys.addaudithook(self._note)

    def _note(self, event: str, given: tuple[Any, ...]) -> None:
        if not self.on or not event.startswith(WATCHED) or is_fine(event, given):
            return
        self.on = False
        self.seen.setdefault(f"{event} {given!r}"[:300], self.doing)
        self.on = True


def everything(text: str, document: str | None) -> Iterator[Callable[[], Any]]:
    """Yield all that is done with a text."""
    return chain(calls(text, document), edits(text, document), cells(text) if document is None else ())


def main(planted: bool) -> None:
    """Warm up, so that every module is loaded that is loaded at first use; then watch."""
    texts = [(text, document) for text in HOSTILE for document in DOCUMENTS]
    texts += [(found.text, found.document) for found in (numbered(7, number) for number in range(25))]
    os.chdir(tempfile.mkdtemp())  # there is no pyproject.toml above it
    for module in pkgutil.walk_packages(shardlang.__path__, "shardlang."):
        importlib.import_module(module.name)
    warm = [(PLAN, None), (REFUSED, None), *((PLAN, document) for document in DOCUMENTS)]
    for made in chain.from_iterable(everything(*one) for one in warm):
        run(made)
    watch = Watch()
    for text, document in texts if not planted else ():
        watch.doing, watch.on = f"{text!r} as {document}", True
        for made in everything(text, document):
            run(made)
        watch.on = False
    if planted:
        watch.on = True
        eval("1 + 1")  # noqa: S307 - what the hook must see
        open(SECRET).close()
        watch.on = False
    for event, text in watch.seen.items():
        print(json.dumps([event, text]))


if __name__ == "__main__":
    main("planted" in sys.argv)

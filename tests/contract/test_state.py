"""No global state: what the process keeps between calls is bounded, listed here, and never changes an answer."""

import ast
import functools
import importlib
import pkgutil
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from types import FunctionType, ModuleType

import pytest

import shardlang
from shardlang.api import format_report
from tests.contract.page import ROOT

PACKAGE = ROOT / "shardlang"
# Every table that the process keeps, with the most entries that it has. A new one needs a reason, a bound and a line here.
TABLES = {
    "api.project._read": 64,  # a pyproject.toml in one state
    "cost.conditions.compare": 64,
    "cost.leading._parts": 4096,
    "cost.memory._parts": 8192,
    "cost.memory._powers": 8192,
    "cost.memory._product": 8192,
    "cost.splits._prime_factors": 4096,
    "cost.terms._symbols_of": 4096,
    "cost.terms.terms_of": 64,
    "cost.text.formula": 65536,  # short texts
    "planning.search._unit_weights": 128,
    "planning.search.steps_between": 2048,
    "planning.search.table": 256,  # docs/adr/0004
    "planning.space._shared_layouts": 128,
    "planning.tree._shared_forms": 32,
    "pricing.widths.width": 64,
    "reports.cells._cell": 1024,
    "semantics.sharding.array_text": 1024,
}
# Tables without a bound: of things of our own (patterns of the lexer, chips, codes), of which there are so many and no more.
OF_OUR_OWN = {
    "pricing.hardware._shipped",
    "syntax.lexer._compiled",
    "syntax.lexer.make_scanner",
    "tools.editor.completion._operations",
    "tools.editor.completion._dtypes",
    "tools.lsp.convert._page",
}
TEXTS = (
    "mesh X=4, Y=2\nIn[B_X, D_Y] · W[D_X, F_Y] -> Tmp[B_X, F_Y]\n",
    "mesh X=4\nlet B=64, D=32, F=128\nIn[B, D_X] · W[D_X, F] -> H[B, F]\ngelu(H[B, F]) -> Z[B, F]\n",
    "A[I_X, J_X] · B[J_X, K] -> C[I_X, K]",
    "A[I, J_X] ·_LOCAL B[J_X, K] -> C[I, K]",
    "gelu(H[B, F]{U_X})",
    "mesh X=2, Y=2, Z=2\nA[I_X, J_Y] -> A[I_Y, J_X]\nA[I_Y, J_X] -> A[I_Z, J]\n",
    "A[I,\n?\n",
    "hardware h100\nmesh X=16, P=4\nAllGather_X A[I_X, J_P] -> A[I, J_P]\n",
    "",
)
OPTIONS = (
    {},
    {"mesh": {"X": 8, "Y": 4}, "sizes": {"B": 1024, "D": 512, "F": 256, "I": 64, "J": 64, "K": 64}, "dtype": "f32"},
    {"hardware": "tpu-v5e", "latency": True, "limits": {"max_chars": 10_000, "max_statements": 1}},
)
CALLS = {
    "check": lambda text, options: shardlang.check(text, **options).to_dict(),
    "parse": lambda text, options: shardlang.parse(text, name="a").to_dict(),
    "explain": lambda text, options: str(shardlang.explain(text, **options)),
    "cost": lambda text, options: shardlang.cost(text, **options).to_dict(),
    "memory": lambda text, options: shardlang.memory(text, **options).to_dict(),
    "roofline": lambda text, options: str(shardlang.roofline(text, **options)),
    "crossover": lambda text, options: shardlang.crossover(text, "X", **options).to_dict(),
    "optimum": lambda text, options: shardlang.optimum(text, "X*Y = 16", "X", **options).to_dict(),
    "verify": lambda text, options: shardlang.verify(text, **options).to_dict(),
    "fix": lambda text, options: shardlang.fix(text, **options).to_dict(),
    "plot": lambda text, options: shardlang.plot(text, **options).svg,
    "send": lambda text, options: shardlang.send("A[I_X, J]", "X=0", "X=1", mesh="X=4").to_dict(),
    "hardware": lambda text, options: shardlang.hardware("tpu-v5p").to_dict(),
    "schema": lambda text, options: shardlang.schema("check"),
    "fmt": lambda text, options: format_report(text).text,
    "notebook": lambda text, options: shardlang.check(text, **options)._repr_html_(),
}


def answer(job):
    """Return what a call gives, or what it raised."""
    name, text, options = job
    try:
        return repr(CALLS[name](text, options))
    except ValueError as problem:
        return f"{type(problem).__name__}: {problem}"


def jobs():
    """Return every call with every text under every set of options, neighbours as different as may be."""
    found = [(name, text, options) for text in TEXTS for options in OPTIONS for name in CALLS]
    return found[::7] + [job for number, job in enumerate(found) if number % 7]


def modules():
    """Import every module of the package that can be imported here, and return them."""
    names = [found.name for found in pkgutil.walk_packages(shardlang.__path__, "shardlang.")]
    return [importlib.import_module(name) for name in names if not name.endswith("__main__")]


def members(module):
    """Yield the names and values that a module has of its own, and those of its classes."""
    for name, value in vars(module).items():
        yield name, value
        if isinstance(value, type) and value.__module__ == module.__name__:
            yield from ((f"{name}.{inner}", one) for inner, one in vars(value).items())


def kept_tables(of):
    """Return the tables of functions that remember, by where they are defined, with their bounds."""
    found = {}
    for module in of:
        for name, value in members(module):
            if isinstance(value, functools._lru_cache_wrapper):
                home = f"{module.__name__}.{name}".removeprefix("shardlang.")
                imported = value.__module__ != module.__name__
                if not imported:
                    found[home] = value.cache_parameters()["maxsize"]
    return found


def test_the_tables_that_a_process_keeps():
    found = kept_tables(modules())
    assert {name for name, most in found.items() if most is None} == OF_OUR_OWN
    assert {name: most for name, most in found.items() if most is not None} == TABLES


def test_a_new_table_is_seen():
    module = ModuleType("shardlang.planted")
    module.remember = functools.cache(str)
    module.remember.__module__ = module.__name__
    assert kept_tables([module]) == {"planted.remember": None}


def test_tables_stay_within_their_bounds():
    """Those that a hostile text could fill hold as many entries as they say, whatever comes."""
    from shardlang.reports.cells import (
        _cell,
        width,
    )

    width("".join(map(chr, range(0x4E00, 0x4E00 + 5000))))
    assert _cell.cache_info().currsize <= TABLES["reports.cells._cell"]


def test_nothing_is_rebound_by_a_function():
    """No function of the package has a `global` statement."""
    wrong = [
        path
        for path in PACKAGE.rglob("*.py")
        if any(isinstance(node, ast.Global) for node in ast.walk(ast.parse(path.read_text("utf-8"))))
    ]
    assert wrong == []


def frozen(value, depth=0):
    """Return what a value holds now, as text that differs when it changes."""
    if isinstance(value, dict) and depth < 4:
        return {repr(key): frozen(one, depth + 1) for key, one in value.items()}
    if isinstance(value, list | tuple) and depth < 4:
        return [frozen(one, depth + 1) for one in value]
    if isinstance(value, set | frozenset):
        return sorted(map(repr, value))
    if isinstance(value, type | FunctionType | ModuleType | functools._lru_cache_wrapper | re.Pattern):
        return id(value)
    if type(value).__module__.startswith("shardlang."):
        held = [*getattr(value, "__dict__", {}), *getattr(type(value), "__slots__", ())]
        return [type(value).__name__, *((name, frozen(getattr(value, name, None), depth + 1)) for name in held)]
    return id(value)


def snapshot(of):
    """Return what all modules and classes hold."""
    return {
        f"{module.__name__}.{name}": frozen(value)
        for module in of
        for name, value in members(module)
        if not name.rpartition(".")[2].startswith(("__", "_abc"))  # of Python's own
    }


def test_no_call_changes_what_a_module_holds():
    of = modules()
    for job in jobs()[::5]:  # what is loaded at first use is there then
        answer(job)
    before = snapshot(of)
    for job in jobs()[::4]:
        answer(job)
    after = snapshot(of)
    assert {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)} == set()


def test_a_module_that_remembers_is_seen():
    module = ModuleType("shardlang.planted")
    module.SEEN = []
    module.Kept = type("Kept", (), {"last": {}, "__module__": module.__name__})
    before = snapshot([module])
    module.SEEN.append("A[I_X]")
    module.Kept.last["A"] = "I"
    after = snapshot([module])
    assert {name for name in after if before[name] != after[name]} == {
        "shardlang.planted.SEEN",
        "shardlang.planted.Kept.last",
    }


@pytest.fixture
def quick_switches():
    """Threads take turns every few instructions."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(interval)


def forget():
    """Empty every table, so that threads fill them together."""
    for name in TABLES:
        module, _, function = name.rpartition(".")
        getattr(sys.modules[f"shardlang.{module}"], function).cache_clear()


def at_once(work):
    """Return the answers to all jobs, eight of them in work at any time."""
    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(answer, work))


def test_threads_give_what_calls_one_after_another_give(quick_switches):
    """Every entry point, different texts and options at once, the tables empty at the start."""
    modules()
    work = jobs()[::2]
    assert {name for name, _, _ in work} == set(CALLS)
    alone = [answer(job) for job in work]
    forget()
    assert at_once(work) == alone
    assert (
        sum(not one.startswith(("OptionError", "RatioError", "UnknownSymbolError")) for one in alone) > len(alone) / 2
    )


def test_a_call_that_minds_others_is_seen(quick_switches, monkeypatch):
    """The oracle fails on a planted bug: a call that leaves its text where another one finds it."""
    kept = {}

    def remember(text, options):
        kept["text"] = text
        shardlang.parse(text)
        return kept["text"]

    monkeypatch.setitem(CALLS, "planted", remember)
    work = [("planted", text, {}) for text in TEXTS * 10]
    assert at_once(work) != [answer(job) for job in work]


def test_what_was_asked_before_changes_nothing():
    """The same calls in another order, with the tables as they come."""
    modules()
    work = jobs()[::5]
    forget()
    first = {number: answer(job) for number, job in enumerate(work)}
    forget()
    second = {number: answer(work[number]) for number in reversed(range(len(work)))}
    assert first == second

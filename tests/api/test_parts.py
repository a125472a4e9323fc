"""Documents of several texts: each docstring of a Python file, and each block of a page that is marked as new."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shardlang
from shardlang.api import OptionError, stages
from shardlang.api.parts import Texts
from shardlang.syntax.blocks import read_document

# Line by line: what stands where is counted by hand below.
PYTHON = '''\
def first(x):
    """Over four devices.

    ```shard
    mesh X=4
    let I = 32
    explicit
    A[I_X, J] -> A[I, J]
    AllGather_X W[J_X, K] -> W[J, K]
    ```
    """


def second(x):
    """Over eight by two.

    ```shard
    mesh X=8, Y=2
    let I = 30
    A[I_Y, J] -> A[I, J]
    W[J, K_X] -> W[J, K]
    ```
    """


def third(x):
    """Anything.

    .. code-block:: shard

       A[I, J_Z] -> A[I, J]
    """
'''
SHARED = '''\
"""The layers.

```shard
mesh X=4
let B = 32, D = 64, F = 128
W[D, F_X]
```
"""


def first(x):
    """
    ```shard
    In[B, D] · W[D, F_X] -> H[B, F_X]
    ```
    """


def second(x):
    """
    ```shard
    In[B, D_X] · W[D_X, F] -> H[B, F]
    In[B_Y, D]
    ```
    """
'''
PAGE = (
    "Option A:\n\n```shard\nmesh data=8\nA[I_data, J] -> A[I, J]\n```\n\n"
    "Option B:\n\n```shard new\nmesh model=8\nA[I_model, J] -> A[I, J]\n```\n\nmore of B:\n\n"
    "```shard\nA[I_data, J]\n```\n"
)


def docstrings(*bodies, first=""):
    """Return a file with a docstring of the module (none if it is empty), and of a function for each body."""
    plans = [f'"""\n```shard\n{first}\n```\n"""\n' if first else "import os\n"]
    plans += [f'def f():\n    """\n    ```shard\n    {body}\n    ```\n    """\n' for body in bodies]
    return "".join(plans)


def places(text, document="python", **keywords):
    found = shardlang.check(text, document=document, **keywords).diagnostics
    return [(one.code, one.span.line, one.span.column) for one in found]


def test_each_docstring_is_a_text_of_its_own():
    """Meshes, sizes, `explicit` and layouts of one are nothing to the others: only line 8 is wrong, in its own."""
    assert places(PYTHON) == [("SL301", 8, 5)]
    statements = shardlang.check(PYTHON, document="python").statements
    assert [(one.line, one.output) for one in statements] == [
        (8, None),
        (9, "W[J, K]"),
        (20, "A[I, J]"),
        (21, "W[J, K]"),
        (31, "A[I, J]"),
    ]


def test_what_is_found_is_found_in_the_docstring_alone():
    """Each docstring in a file of its own, on the same lines, has the same findings and steps."""
    report = shardlang.check(PYTHON, document="python")
    starts = [PYTHON.index(f"def {name}") for name in ("first", "second", "third")]
    findings, statements = [], []
    for start, end in zip(starts, [*starts[1:], len(PYTHON)], strict=True):
        alone = shardlang.check("\n" * PYTHON.count("\n", 0, start) + PYTHON[start:end], document="python")
        findings += alone.diagnostics
        statements += [one[:3] for one in alone.statements]
    assert list(report.diagnostics) == findings
    assert [one[:3] for one in report.statements] == statements


def test_the_comparison_fails_where_texts_are_not_kept_apart(monkeypatch):
    monkeypatch.setattr(stages, "texts_of", lambda module, length: Texts())
    with pytest.raises(AssertionError):
        test_what_is_found_is_found_in_the_docstring_alone()


def test_all_docstrings_see_the_one_of_the_module():
    """`B`, `D` and `F` have sizes in each of them, and `Y` is no axis; what the module says stands once.

    The AllReduce of 32·128 bf16 over four: twice 3/4 of 8192 bytes come in.
    """
    report = shardlang.check(SHARED, document="python")
    assert places(SHARED) == [("SL203", 23, 10)]
    assert [(one.line, one.output) for one in report.statements] == [(14, "H[B, F_X]"), (22, "H[B, F]")]
    assert report.statements[1].steps[-1].bytes_received == 12288
    assert [one.line for one in report.arrays] == [6, 23]
    assert [one.line for one in shardlang.parse(SHARED, document="python").statements] == [4, 5, 6, 14, 22, 23]


def test_a_second_layout_counts_within_a_text_only():
    first, second = "A[I_X, J] · B[J, K] -> C[I_X, K]", "A[I, J] · D[J, L] -> E[I, L]"
    assert places(docstrings(first, second)) == []
    assert places(docstrings(f"{first}\n    {second}")) == [("SL403", 6, 5)]
    assert places(docstrings(second, "Z[I]", first=first)) == [("SL403", 9, 5)]


def test_what_several_texts_find_in_the_module_is_said_once():
    text = docstrings("B[I]", "C[I]", first="mesh X=4\nA[I_Y]\nD[")
    assert places(text) == [("SL203", 4, 5), ("SL102", 5, 2)]


def test_what_one_text_makes_wrong_of_the_module_says_which():
    """30 does not divide over 4, 32 does: the label stands where the text starts that says 30, on line 16."""
    text = docstrings("let I = 32", "let I = 30", first="mesh X=4\nA[I_X]")
    report = shardlang.check(text, document="python")
    (finding,) = report.findings
    assert (finding.code, report.diagnostics[0].span.line) == ("SL205", 4)
    assert report.source.position(finding.labels[-1].span.start)[:2] == (16, 5)


def test_only_the_docstring_of_the_module_is_seen_by_others():
    """One of a class, or a first one of a function, is not that of the module."""
    inner = 'class A:\n    """\n    ```shard\n    mesh X=4\n    ```\n    """\n    def f(self):\n'
    inner += '        """\n        ```shard\n        A[I_Y]\n        ```\n        """\n'
    assert places(inner) == []
    assert places(docstrings("mesh X=4", "A[I_Y]")) == []
    assert places("# a comment\n\n" + docstrings("A[I_Y]", "B[I]", first="mesh X=4")) == [("SL203", 11, 9)]


def test_a_docstring_of_the_module_with_several_texts_is_seen_by_none():
    """Which of them would it be? Here three texts, of which the first two are of the module."""
    text = docstrings("A[I_Z]", first="mesh X=4\n```\n\n```shard new\nmesh Y=2\nA[I_X]")
    assert places(text) == [("SL203", 8, 5)]


def test_sizes_that_one_of_the_texts_has_are_used():
    text = docstrings("A[B]", "A[D]")
    assert places(text, sizes={"B": 8, "D": 8}) == []
    assert places(text, sizes={"B": 8, "Q": 8}) == [("SL225", 1, 1)]


def test_a_page_is_one_text_up_to_a_block_that_is_new():
    """In B there is no axis `data`, and what follows belongs to B; without the word the second mesh is one too many."""
    assert places(PAGE, "markdown") == [("SL203", 18, 5)]
    assert ("SL206", 11, 1) in places(PAGE.replace(" new", ""), "markdown")


@pytest.mark.parametrize(
    ("document", "head"),
    [
        ("markdown", "```shard new\n"),
        ("markdown", "~~~shard new title=x\n"),
        ("markdown", "> ```{.shard .new}\n> "),
        ("markdown", "```{code-block} shard new\n"),
        ("markdown", "```{code-block} shard\n:caption: b\n:new:\n"),
        ("rst", ".. code-block:: shard\n   :new:\n\n   "),
        ("python", "```shard new\n"),
        ("python", ".. code-block:: shard\n   :caption: b\n   :new:\n\n   "),
    ],
)
def test_how_a_block_is_marked_as_new(document, head):
    closing = "" if ".. " in head else "> ```\n" if head[0] == ">" else f"{head[:3]}\n"
    old = ".. code-block:: shard\n\n   mesh X=4\n\n" if document == "rst" else "```shard\nmesh X=4\n```\n"
    text = f"{old}\nThen\n\n{head}mesh Y=4\n{closing}"
    text = f'def f():\n    """\n{text}"""\n' if document == "python" else text
    report = shardlang.parse(text, document=document)
    assert [one.canonical for one in report.statements] == ["mesh X=4", "mesh Y=4"]
    regions = [region.new for region in read_document(text, document).regions]
    assert regions == [False, True]
    assert "SL206" not in [code for code, *_ in places(text, document)]
    unmarked = text.replace("   :new:\n", "").replace(":new:\n", "").replace(" new", "").replace(" .new", "")
    assert "SL206" in [code for code, *_ in places(unmarked, document)]


@pytest.mark.parametrize("info", ["shard title=new", 'shard title="a new one"', "shard newer", "shard old new"])
def test_what_does_not_mark_a_block(info):
    assert not any(region.new for region in read_document(f"```{info}\nA[I]\n```\n", "markdown").regions)


def test_a_page_with_one_block_that_is_new_is_one_text():
    """Nothing can be read before it: it has a price, as any plan."""
    page = "# Plan\n\n```shard new\nA[I_X, J] -> A[I, J]\n```\n"
    assert shardlang.cost(page, document="markdown").ok


def test_what_needs_one_plan_says_where_the_texts_are():
    for call in (shardlang.cost, shardlang.verify, shardlang.explain, shardlang.memory, shardlang.plot):
        with pytest.raises(OptionError, match=r"page\.md has 2 texts .* lines 4, 11 on; .* in a file of its own"):
            call(PAGE, document="markdown", name="page.md")
    with pytest.raises(OptionError, match="2 texts"):
        shardlang.crossover(PAGE, "I", against="A[I_X] -> A[I]", document="markdown")


def test_a_fix_is_made_in_its_own_text():
    """The reduction that the second one lacks is written there, and run; the first one keeps its `C`."""
    page = (
        "```shard\nmesh X=4\nA[I_X, J] · B[J, K] -> C[I_X, K]\n```\n\n"
        "```shard new\nmesh X=2\nA[I, J_X] ·_LOCAL B[J_X, K] -> C[I, K]\n```\n"
    )
    report = shardlang.fix(page, document="markdown")
    assert [(one.line, one.code, one.executed) for one in report.fixed] == [(8, "SL312", True)]
    assert report.ok
    assert report.text == page.replace(
        "·_LOCAL B[J_X, K] -> C[I, K]", "·_LOCAL B[J_X, K] -> C[I, K]{U_X}\nAllReduce_X C[I, K]{U_X} -> C[I, K]"
    )


def test_a_fix_that_is_wrong_in_its_text_is_not_made(monkeypatch):
    """Not even where the other texts are right: with a broken reduction the fix is left out."""
    from shardlang.reference import collectives

    def forgotten(grid, blocks, axes, kind):
        return {device: block.copy() for device, block in blocks.items()}, collectives.no_traffic()

    monkeypatch.setattr(collectives, "all_reduce", forgotten)
    text = docstrings("A[I_X, J] -> A[I, J]", "A[I, J_X] ·_LOCAL B[J_X, K] -> C[I, K]")
    report = shardlang.fix(text, document="python")
    assert report.wrong
    assert "AllReduce_X C" not in report.text


def test_a_block_is_formatted_with_the_mesh_of_its_text():
    """`XY` are two axes in the first text, written in braces, and one in the second, written without."""
    page = "```shard{}\nmesh {}\n```\n\n```shard\nC[I_{}]{}-> D[I]\n```\n\n"
    text = page.format("", "X=2, Y=2", "{XY}", "  ") + page.format(" new", "XY=4", "{XY}", "  ")
    wanted = page.format("", "X=2, Y=2", "{XY}", " ") + page.format(" new", "XY=4", "XY", " ")
    assert shardlang.format_text(text, document="markdown") == wanted


def test_comments_ignore_in_all_texts():
    """One for a line counts on it, one for a file in all texts, and one that hides nothing is found in its own."""
    wrong = "mesh X=4\n    A[I_Y]"
    assert places(docstrings("B[I]", f"{wrong}  # shardlang: ignore[SL203]")) == []
    assert places(docstrings("# shardlang: ignore-file[SL203]\n    B[I]", wrong, wrong)) == []
    assert places("# shardlang: ignore-file[SL203]\n" + docstrings("B[I]", wrong)) == []
    assert places(docstrings("B[I]  # shardlang: ignore[SL403]", "C[I]")) == [("SL109", 5, 13)]


def test_limits_are_for_the_whole_file():
    text = docstrings(*(f"A{number}[I]" for number in range(12)))
    assert places(text, limits={"max_statements": 12}) == []
    assert [code for code, *_ in places(text, limits={"max_statements": 11})] == ["SL601"]
    assert [code for code, *_ in places(text, limits={"max_chars": len(text) - 1})] == ["SL601"]
    assert [code for code, *_ in places(text, limits={"max_time": 0})] == ["SL607"]


def test_findings_of_all_texts_are_bounded_together():
    wrong = "\n    ".join(["mesh X=4", *["A[I_Y]"] * 400])
    found = places(docstrings(wrong, wrong, wrong))
    assert [code for code, *_ in found].count("SL203") == 1000
    assert found[-1][0] == "SL605"


def test_what_is_seen_again_is_bounded():
    """300 statements that 100 docstrings see would be read 30,000 times: 66 see them, and the 67th says so."""
    text = docstrings(*["B[I]"] * 100, first="\n".join(["A[I]"] * 300))
    start = 300 + 4
    assert places(text) == [("SL601", start + 66 * 6 + 4, 5)]


def test_places_with_a_mark_and_windows_line_ends():
    """The byte-order mark is no column, and a line end of two characters one line."""
    raw = b"\xef\xbb\xbf" + PAGE.replace("\n", "\r\n").encode()
    assert places(raw, "markdown") == [("SL203", 18, 5)]
    assert places(b"\xef\xbb\xbf" + PYTHON.replace("\n", "\r\n").encode()) == [("SL301", 8, 5)]


STATEMENTS = st.lists(
    st.sampled_from(
        [
            "mesh X=4",
            "mesh X=2, Y=2",
            "let I = 6",
            "explicit",
            "A[I_X, J] -> A[I, J]",
            "A[I, J_Y] · B[J_Y, K]",
            "C[I",
            "B[I_X]",
        ]
    ),
    min_size=1,
    max_size=4,
)


@given(st.lists(STATEMENTS, min_size=2, max_size=4))
@settings(max_examples=60, deadline=None)
def test_a_page_of_texts_has_what_each_has_alone(texts):
    """The findings of each text as a page of its own, at the same lines, are those of the page of all."""
    blocks = ["```shard new\n" + "\n".join(lines) + "\n```\n\n" for lines in texts]
    page, alone, steps = "".join(blocks), [], []
    for number, block in enumerate(blocks):
        report = shardlang.check("\n" * "".join(blocks[:number]).count("\n") + block, document="markdown")
        alone += [(one.code, one.message, one.span) for one in report.diagnostics]
        steps += [one[:3] for one in report.statements]
    report = shardlang.check(page, document="markdown")
    assert sorted((one.code, one.message, one.span) for one in report.diagnostics) == sorted(alone)
    assert [one[:3] for one in report.statements] == steps

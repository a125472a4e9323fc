"""What an editor asks about a text, without a server: the cases that a session does not reach."""

from typing import Any

import pytest

import shardlang
from shardlang.diagnostics import Fix
from shardlang.reports.corrections import apply_fix
from shardlang.reports.units import quantity
from shardlang.source import Span
from shardlang.syntax.blocks import regions_of
from shardlang.tools.editor import actions, navigation
from shardlang.tools.editor.analysis import analyse
from shardlang.tools.editor.colours import colours
from shardlang.tools.editor.completion import completions
from shardlang.tools.editor.context import context_at
from shardlang.tools.editor.hints import hints
from shardlang.tools.editor.hover import hover
from shardlang.tools.editor.names import Name

HEAD = "mesh X=4, Y=2\nlet B = 4096, D = 8192\nIn[B_X, D_Y] · W[D, F_Y] -> H[B_X, F_Y]\n"


def _names(text: str) -> list[tuple[str, str, str]]:
    return [(name.kind, name.name, name.role) for name in analyse(text).names]


def test_one_letter_in_three_namespaces() -> None:
    assert _names("mesh X=2\nX[X_X]\n") == [
        ("axis", "X", "declare"),
        ("array", "X", "use"),
        ("dimension", "X", "use"),
        ("axis", "X", "use"),
    ]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("AllToAll_{X->J} A[I_X, J]", "axis dimension array dimension axis dimension"),
        ("ReduceScatter_{X,J} A[I, J]{U_X}", "axis dimension array dimension dimension axis"),
        ("A[I, J] ·_J B[J, K]", "array dimension dimension dimension array dimension dimension"),
        ("sum_J A[I, J]", "dimension array dimension dimension"),
        ("A[I@(X,Y)]<U.Z>", "array dimension axis axis axis"),
        (r"$\text{In}[B_X] \rightarrow Z_{0}[B]$", "array dimension axis array dimension"),
        ("let D = 2, F = 4*D", "dimension dimension dimension"),
    ],
)
def test_what_stands_in_a_subscript(text: str, kinds: str) -> None:
    found = [name.kind for name in analyse(text).names if name.kind not in ("collective", "operation")]
    assert found == kinds.split()


def test_sizes_of_a_mesh_axis_and_of_the_hardware_are_no_dimensions() -> None:
    text = "mesh X=n\nhardware tpu-v5p\nlet n = 4, W_hbm = 1e12\nA[I_X]\n"
    assert {(name.kind, name.name) for name in analyse(text).names if name.role == "declare"} == {
        ("axis", "X"),
        ("dimension", "n"),
        ("figure", "W_hbm"),
    }


def test_definition_of_a_rebound_array_is_the_last_one_before() -> None:
    text = "A[I] -> Z[I]\nZ[I] * 2 -> Z[I]\nexp(Z[I]) -> Q[I]\n"
    found = navigation.definition(analyse(text), text.index("Z[I]) -> Q"))
    assert found is not None
    assert found.span.start == text.index("Z[I]\nexp")


def test_definition_of_a_layout_is_where_that_layout_was_made() -> None:
    text = "mesh X=4\nA[I_X] * 2 -> Z[I_X]\nAllGather_X Z[I_X] -> Z[I]\nexp(Z[I_X]) -> Q[I_X]\n"
    found = navigation.definition(analyse(text), text.index("Z[I_X]) -> Q"))
    assert found is not None
    assert found.span.start == text.index("Z[I_X]\nAll")


@pytest.mark.parametrize(
    ("text", "words", "new", "reason"),
    [
        ("mesh X=4\nA[I_X, J]\nB[I_X,\n", "A", "Q", "cannot be read"),
        ("$A[d_\\text{model}, J]$", "d_", "R", "markup"),
        ("mesh X=4\nA[I_X, J]\n", "J]", "J_X", "something else"),
        ("A[I, J]\n", "A", "let it", "no name"),
        ("mesh a=4, b=2\nA[I_{a,b}]\n", "b=2", "ab", ""),
    ],
)
def test_rename_is_refused_or_right(text: str, words: str, new: str, reason: str) -> None:
    analysis = analyse(text)
    if reason:
        with pytest.raises(navigation.RenameError, match=reason):
            navigation.rename(analysis, text.index(words), new)
        return
    after = analyse(navigation.rename(analysis, text.index(words), new).text)
    assert [name.kind for name in after.names] == [name.kind for name in analysis.names]


def test_an_axis_of_the_project_cannot_be_renamed_in_a_text() -> None:
    analysis = analyse("A[I_X]\n", defaults={"mesh": {"X": 4}})
    with pytest.raises(navigation.RenameError, match="outside of this text"):
        navigation.rename(analysis, 4, "data")


def test_an_axis_without_a_mesh_can_be_renamed() -> None:
    assert navigation.rename(analyse("A[I_X] -> A[I]\n"), 4, "Z").text == "A[I_Z] -> A[I]\n"


def test_a_renamed_plan_means_the_same() -> None:
    text = HEAD + "AllGather_{Y}(H[B_X, F_Y]) -> H[B_X, F]\n"
    renamed = navigation.rename(analyse(text), 5, "data").text
    before, after = shardlang.check(text), shardlang.check(renamed)
    assert [s.steps[0].bytes_received for s in before.statements] == [
        s.steps[0].bytes_received for s in after.statements
    ]
    assert "X" not in renamed


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("", "statement"),
        ("In", "statement"),
        ("In[", "dimension"),
        ("In[B_", "axis"),
        ("In[B_{X,", "axis"),
        ("In[B@(X,", "axis"),
        ("In[B]{", "pending"),
        ("In[B]{U_{", "axis"),
        ("In[B]{max_", "axis"),
        ("AllGather_", "subscript"),
        ("AllReduce_{", "subscript"),
        ("In[B] ·_", "subscript"),
        ("In[B] · ", "operand"),
        ("In[B] ->", "operand"),
        ("In[B=", "size"),
        ("hardware tpu-v", "hardware"),
        ("dtype b", "dtype"),
        ("x: b", "dtype"),
        ("let ", "dimension"),
        ("let Q = 4*", "size"),
        ("mesh X=4 ri", "mesh"),
        ("mesh", "statement"),
        ("# In[", "none"),
    ],
)
def test_where_a_cursor_is(line: str, kind: str) -> None:
    text = HEAD + line
    assert context_at(text, len(text), regions_of(text, None)).kind == kind


def test_prose_is_no_place_to_complete() -> None:
    text = "Text A[\n\n```shard\nmesh X=4\nA[I_\n```\n\nmore A[I_\n"
    analysis = analyse(text, document="markdown")
    assert [item.label for item in completions(analysis, text.index("I_\n```") + 2)] == ["X"]
    assert completions(analysis, text.index("Text A[") + 7) == ()
    assert completions(analysis, len(text) - 1) == ()


def test_the_dimensions_of_the_array_come_first() -> None:
    text = HEAD + "H["
    assert [item.label for item in completions(analyse(text), len(text))][:2] == ["B", "F"]


def test_hover_tells_a_refused_statement() -> None:
    text = "mesh X=4\nA[I, J_X] ·_LOCAL B[J, K] -> C[I, K]\n"
    found = hover(analyse(text), text.index("->"))
    assert found is not None
    assert "Refused" in found.text


def test_hover_has_formulas_where_sizes_are_open() -> None:
    text = "mesh X, Y\nA[I_{XY}, J]\n"
    found = hover(analyse(text), text.index("A["))
    assert found is not None
    assert "`[I/(X·Y), J]`" in found.text
    assert "`2·I·J/(X·Y)` bytes" in found.text


def test_fixes_of_one_place_only() -> None:
    text = "mesh data=4\nA[I_dat, J]\nB[I_dta, J]\n"
    analysis = analyse(text)
    second = Span(text.index("dta"), text.index("dta"))
    assert [action.edits[0].span.start for action in actions.fixes(analysis, second)] == [text.index("dta")]


def test_a_code_is_ignored_behind_a_long_comment() -> None:
    text = f"A[I_X, J_X]  # {'word ' * 80}"
    (action,) = actions.ignores(analyse(text), Span(0, len(text)))
    changed = apply_fix(text, Fix("", action.edits))
    assert changed is not None
    assert analyse(changed).findings == ()


def test_a_code_joins_an_ignore_comment() -> None:
    text = "mesh X=4\nA[I_Q, J] -> C[I_Q]  # shardlang: ignore[SL203]\n"
    analysis = analyse(text)
    (edit,) = {action.edits[0] for action in actions.ignores(analysis, Span(0, len(text)))}
    changed = text[: edit.span.start] + edit.text + text[edit.span.end :]
    assert "ignore[SL203, SL215]" in changed
    assert analyse(changed).findings == ()


@pytest.mark.parametrize(
    ("comment", "wanted"),
    [
        ("shardlang: ignore[SL203", "shardlang: ignore[SL203, SL215]"),
        ("shardlang: ignore[SL203 as on the slide", "shardlang: ignore[SL203, SL215] as on the slide"),
        ("shardlang: ignore[sl203]", "shardlang: ignore[SL215]"),
        ("shardlang: ignore[SL9999, SL203]", "shardlang: ignore[SL203, SL215]"),
        ("shardlang: ignore[]", "shardlang: ignore[SL215]"),
        ("shardlang: ignore[", "shardlang: ignore[SL215]"),
        ("shardlang: ignore SL203", "shardlang: ignore[SL215]"),
        ("Shardlang: Ignore[sl203]", "shardlang: ignore[SL203, SL215]"),
        ("so it was # shardlang: ignore[SL203", "so it was # shardlang: ignore[SL203, SL215]"),
    ],
)
def test_a_comment_that_is_malformed_is_written_anew(comment: str, wanted: str) -> None:
    text = f"mesh X=4\nA[I_Q, J] -> C[I_Q]  # {comment}\n"
    found = [action for action in actions.ignores(analyse(text), Span(0, len(text))) if action.finding.code == "SL215"]
    changed = apply_fix(text, Fix("", found[0].edits))
    assert changed == text.replace(comment, wanted)
    left = {finding.code for finding in analyse(changed).findings}
    assert left.isdisjoint({"SL109", "SL215"})
    assert ("SL203" in left) == ("SL203" not in wanted)


def test_ignoring_keeps_line_ends() -> None:
    text = "mesh X=4\r\nA[I, J] -> C[I]\r\n"
    (action,) = actions.ignores(analyse(text), Span(0, len(text)))
    assert text[action.edits[0].span.start] == "\r"


def test_formatting_keeps_line_ends_and_touches_only_what_differs() -> None:
    text = "mesh X=4\r\nA[I_X,J]\r\nB[I]\r\n"
    (edit,) = actions.formatting(analyse(text))
    assert (text[edit.span.start : edit.span.end], edit.text) == ("A[I_X,J]\r\n", "A[I_X, J]\r\n")


def test_formatting_leaves_blocks_in_lists_alone() -> None:
    text = "- item\n\n  ```shard\n  A[I,J]\n  ```\n"
    assert actions.formatting(analyse(text, document="markdown")) == ()


@pytest.mark.parametrize("document", [None, "markdown", "latex", "html", "rst", "text", "python"])
def test_colours_follow_one_another(document: str | None) -> None:
    text = "mesh X=4 ring:2\n```shard\n$\\text{In}[B_X] · W_{in}[B] → Z[B]{U_X}$ # c\n```\nAllGather_XA[I_X"
    analysis = analyse(text, document=document)
    front = analysis.planned.front
    at = 0
    for colour in colours(front.source, front.program, analysis.names, analysis.regions):
        assert at <= colour.start < colour.end
        at = colour.end


def test_a_name_ends_where_the_next_begins() -> None:
    text = "A[I_X]\n"
    analysis = analyse(text)
    at_axis = analysis.name_at(4)
    assert isinstance(at_axis, Name)
    assert at_axis.kind == "axis"
    after = analysis.name_at(5)
    assert after is not None
    assert after.kind == "axis"
    assert analysis.name_at(6) is None


def _formatted(text: str, words: str, document: str | None = None) -> str | None:
    """A text with only the lines of `words` formatted; None where nothing is changed."""
    start = text.index(words)
    edits = actions.formatting(analyse(text, document=document), Span(start, start + len(words)))
    return apply_fix(text, Fix("", edits)) if edits else None


def test_a_part_is_formatted_alone() -> None:
    text = "mesh {X: 4}\nA[I_X,J]  # c\nB[I,J]\nC[I,J]\n"
    assert _formatted(text, "A[I_X,J]  # c\n") == text.replace("A[I_X,J]", "A[I_X, J]")
    assert _formatted(text, "B[") == text.replace("B[I,J]", "B[I, J]")
    assert _formatted("mesh X=4\nA[I]\nB[I,J]\n", "A[I]\n") is None


def test_a_part_of_a_statement_over_lines_is_not_formatted_alone() -> None:
    text = "A[I,J] ·\n# between\nB[J,K]\n\nC[I,J]\n"
    for part in ("A[I,J]", "# between", "B[J,K]"):
        made = _formatted(text, part)
        assert made is None or shardlang.format_text(made) == shardlang.format_text(text)
    assert _formatted(text, "C[I,J]") == text.replace("C[I,J]", "C[I, J]")


def test_a_selection_grows_to_the_run_of_axes_the_array_the_expression_and_the_statement() -> None:
    text = "mesh X=4, Y=2\ngelu(A[I_{XY}, J] + B[I_XY, J]) -> C[I, J]\n"
    found = navigation.around(analyse(text), text.index("Y}"))
    assert [text[span.start : span.end] for span in found] == [
        "Y",
        "XY",
        "A[I_{XY}, J]",
        "A[I_{XY}, J] + B[I_XY, J]",
        "gelu(A[I_{XY}, J] + B[I_XY, J])",
        "gelu(A[I_{XY}, J] + B[I_XY, J]) -> C[I, J]",
        text,
    ]
    assert navigation.around(analyse("\n"), 0) == (Span(0, 1),)


GATHER = "mesh X=4\nlet I = 64\nhardware tpu-v5p\nAllGather_X A[I_X] -> A[I]\n"
REDUCED = "mesh X=4\nlet I = 4096, J = 8\nA[I, J_X] · B[J_X] -> C[I_X]\n"
PADDED = "mesh X=4\nlet I = 33\nA[I_X] * 2 -> B[I]\n"


def _hint(text: str, defaults: dict[str, Any]) -> str:
    (found,) = hints(analyse(text, defaults=defaults), 0, len(text), ("collectives",))
    return found.text


def _told(text: str, word: str, defaults: dict[str, Any]) -> str:
    found = hover(analyse(text, defaults=defaults), text.index(word))
    assert found is not None
    return found.text


def test_hover_counts_the_latency_that_the_project_counts() -> None:
    """Three hops of a microsecond each are far more than the 128 bytes take."""
    plain, counted = (_told(GATHER, "->", {"latency": latency}) for latency in (False, True))
    report = shardlang.cost(GATHER, latency=True)
    seconds = report.value(report.statements[0].t_comms)
    assert seconds is not None
    assert seconds > 1e-6
    assert f"T_comms {quantity(seconds, 's')}" in counted
    assert counted != plain


def test_hints_and_hover_reduce_in_the_type_of_the_project() -> None:
    """A ReduceScatter over 4 devices receives 3/4 of 4096 numbers, of four bytes each in f32: 12288 bytes, and half in bf16."""
    assert "12.29 kB" in _hint(REDUCED, {"reduce_dtype": "f32"})
    assert "6.144 kB" in _hint(REDUCED, {})
    assert "12.29 kB" in _told(REDUCED, "->", {"reduce_dtype": "f32"})


def test_hints_and_hover_pad_where_the_project_pads() -> None:
    """Of 33 numbers over 4 devices each holds 9, and receives 27 of two bytes."""
    assert "(54 B)" in _hint(PADDED, {"uneven": True})
    assert "54 B" in _told(PADDED, "->", {"uneven": True})


CHIPS = {
    "chips": {"mine": {"kind": "tpu", "flops": {"bf16": 4e14}, "hbm_bandwidth": 2e12}},
    "chips_from": "pyproject.toml",
}


def test_hover_and_completion_know_the_chips_of_the_project() -> None:
    text = "hardware mine\nA[I]\n"
    assert "400 TFLOP/s" in _told(text, "mine", CHIPS)
    analysis = analyse(text, defaults=CHIPS)
    assert analysis.findings == ()
    offered = [item.label for item in completions(analysis, len("hardware m"))]
    assert offered[0] == "mine"
    assert "tpu-v5p" in offered
    assert "mine" not in [item.label for item in completions(analyse(text), len("hardware m"))]


PYTHON = '''"""Plans.

```shard
mesh X=4
A[I_X,J]  # first
```
"""

# In a comment A[I
PATTERN = """
```shard
B[I_X,J]
```
"""
'''


def test_only_docstrings_of_python_are_formatted_coloured_completed_and_ignored_in() -> None:
    analysis = analyse(PYTHON, document="python")
    assert apply_fix(PYTHON, Fix("", actions.formatting(analysis))) == PYTHON.replace("A[I_X,J]", "A[I_X, J]")
    front = analysis.planned.front
    painted = "".join(
        PYTHON[colour.start : colour.end]
        for colour in colours(front.source, front.program, analysis.names, analysis.regions)
    )
    assert "A[I_X" in painted
    assert "B[" not in painted
    assert "comment" not in painted
    assert completions(analysis, PYTHON.index("A[I\n") + 3) == ()
    assert [item.label for item in completions(analysis, PYTHON.index("I_X") + 2)] == ["X"]


def test_a_docstring_with_escapes_is_not_formatted() -> None:
    text = '"""Plans.\n\n```shard\nA[I,J]  # \\x41\n```\n"""\n'
    assert actions.formatting(analyse(text, document="python")) == ()
    assert actions.formatting(analyse(f"r{text}", document="python")) != ()


def test_a_comment_in_a_docstring_ignores_a_finding() -> None:
    text = '"""Plans.\n\n```shard\nmesh X=4\nA[I_Q, J]\n```\n"""\n'
    (edit,) = {action.edits[0] for action in actions.ignores(analyse(text, document="python"), Span(0, len(text)))}
    changed = text[: edit.span.start] + edit.text + text[edit.span.end :]
    assert analyse(changed, document="python").findings == ()


def test_words_that_are_no_comment_take_no_code() -> None:
    """The words count as the checker reads them: only after the sign of a comment."""
    text = "mesh X=4\nA[I_Q, J] -> C[I_Q] shardlang: ignore[]\n"
    places = [action.edits[0].span.start for action in actions.ignores(analyse(text), Span(0, len(text)))]
    assert places
    assert set(places) == {text.index("\n", 10)}


SEVERAL = '''"""
```shard
mesh X=4
let D = 64
W[D, F_X]
```
"""
def first():
    """
    ```shard
    let B = 8
    In[B_X, D] -> In[B, D]
    ```
    """
def second():
    """
    ```shard
    let B = 16
    In[B, D_X] -> In[B, D]
    W[D, F_X] -> W[D, F]
    ```
    """
'''


def _at(words: str, count: int = 1) -> int:
    """Return where some words stand for the `count`-th time."""
    at = -1
    for _ in range(count):
        at = SEVERAL.index(words, at + 1)
    return at


def _spans(name: str) -> list[int]:
    return [at for at in range(len(SEVERAL)) if SEVERAL.startswith(name, at)]


def test_each_docstring_has_names_of_its_own() -> None:
    """`B` is 8 in the first and 16 in the second; `W`, `D` and `X` of the module are the same in both."""
    analysis = analyse(SEVERAL, document="python")
    assert analysis.findings == ()
    first = hover(analysis, _at("In[") + 3)
    second = hover(analysis, _at("In[", 3) + 3)
    assert first is not None
    assert second is not None
    assert first.text.startswith("**B**: dimension, size 8\n")
    assert second.text.startswith("**B**: dimension, size 16\n")
    assert [name.span.start for name in navigation.references(analysis, _at("B ="))] == [
        _at("B ="),
        _at("B_X"),
        _at("B, D", 1),
    ]
    assert [name.span.start for name in navigation.references(analysis, _at("W[", 2))] == _spans("W[")
    made = navigation.definition(analysis, _at("B, D_X"))
    assert made is not None
    assert made.span.start == _at("B = 16")


def test_a_name_of_one_docstring_is_renamed_in_it() -> None:
    analysis = analyse(SEVERAL, document="python")
    start = SEVERAL.index("def second")
    renamed = navigation.rename(analysis, _at("B = 16"), "N")
    assert renamed.text == SEVERAL[:start] + SEVERAL[start:].replace("B", "N")
    everywhere = navigation.rename(analysis, _at("D = 64"), "E")
    assert everywhere.text == SEVERAL.replace("D", "E")


def test_hints_and_completions_are_of_the_text() -> None:
    """`N` is a size in the second docstring only. Of 64·8 bf16 3/4 come in, 768 bytes; of 64·16 twice that."""
    start = SEVERAL.index("def second")
    text = SEVERAL[:start] + SEVERAL[start:].replace("B", "N")
    analysis = analyse(text, document="python")
    found = [hint.text for hint in hints(analysis, 0, len(text)) if hint.kind == "collectives"]
    assert found == [f"AllGather_X In ({quantity(size, 'bytes')})" for size in (768, 1536)] + ["AllGather_X W"]
    inside = [text.index("In[B_X") + 3, text.index("In[N, D_X") + 3]
    first, second = ({item.label for item in completions(analysis, at)} for at in inside)
    assert {"B", "D"} <= first
    assert "N" not in first
    assert {"N", "D"} <= second
    assert "B" not in second


def test_findings_are_those_of_check() -> None:
    text = SEVERAL.replace("In[B_X, D] ->", "In[B_Y, D] ->").replace("W[D, F_X] ->", "W[D, F_Z] ->")
    found = [(one.code, one.span) for one in analyse(text, document="python").findings]
    assert found == [(one.code, one.span) for one in shardlang.check(text, document="python").findings]
    assert [code for code, _ in found] == ["SL203", "SL203"]

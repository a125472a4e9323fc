"""Plans in the docstrings of Python files, with their places in the file; `ast` says what a docstring's value is."""

import ast
import time

import pytest

import shardlang
from shardlang.source import SourceText
from shardlang.syntax import document_kind, parse
from shardlang.syntax.docstrings import read_python
from tests.syntax.printing import statement_text

MODULE = '''\
"""A layer.

```shard
In[B_X, D] · W[D_X, F] -> H[B_X, F]
```
"""

TEXT = """
```shard
not[a docstring
```
"""


class Layer:
    """Two plans.

    .. code-block:: shard
       :caption: one

       A[I_X, J]
       A[I_X, J] -> A[I, J]

    And another::

        B[J

    ~~~{.shard}
    C[K_X]
    ~~~
    """

    size: int = 3
    """Its size:

    ```shard
    D[I]
    """

    def call(self):
        r"""Raw.

        ```shard
        E[I] \\cdot F[I]  # here
        ```
        """
        return [
            """
            ```shard
            G[I
            ```
            """,
        ]
'''


def read(text):
    source = SourceText(text)
    module, findings = parse(source, "python")
    places = [(statement, source.position(statement.span.start)) for statement in module.statements]
    return (
        [(statement_text(statement), place.line, place.column) for statement, place in places],
        [(finding.code, source.position(finding.span.start).line, source.slice(finding.span)) for finding in findings],
    )


def test_blocks_of_all_docstrings_and_no_others():
    statements, findings = read(MODULE.replace("\\\\", "\\"))
    assert findings == []
    assert statements == [
        ("In[B_X, D] · W[D_X, F] -> H[B_X, F]", 4, 1),
        ("A[I_X, J]", 21, 8),
        ("A[I_X, J] -> A[I, J]", 22, 8),
        ("C[K_X]", 29, 5),
        ("D[I]", 37, 5),
        ("E[I] · F[I]", 44, 9),
    ]


@pytest.mark.parametrize(
    ("written", "statement", "column"),
    [
        ("A[I] \\\\cdot B[I]", "A[I] · B[I]", 1),
        ("A[I]\\x20\\u00b7 B[I]", "A[I] · B[I]", 1),
        ("A[I] \\N{MIDDLE DOT} B[I]", "A[I] · B[I]", 1),
        ("A[I] \\\n  · B[I]", "A[I] · B[I]", 1),
        ("\\101[I]", "A[I]", 1),
        ("\\U0001F642\\nA[I]", "A[I]", 13),
        ("A[\\w]", None, 1),  # no escape: it stays as it is, and is no statement
    ],
)
def test_escapes_are_what_python_takes_them_for(written, statement, column):
    text = f'"""\n```shard\n{written}\n```\n"""\n'
    if "\\w" not in written:
        assert read_python(text).text == "  \n" + ast.literal_eval(text.strip()) + text[-4:]  # a line of its own
    statements, findings = read(text)
    if statement is None:
        assert [code for code, _, _ in findings] == ["SL103"]
        return
    assert statements[-1] == (statement, 3, column)


def test_places_after_escapes_are_those_of_the_file():
    text = '"""\n```shard\nA[I_X] \\\\cdot B[J] \\\\to C[I_X, I_Y]\nD[K_X, \\u200bL_X]\n```\n"""\n'
    report = shardlang.check(text, document="python")
    found = {finding.code: finding.span for finding in report.diagnostics}
    lines = text.split("\n")
    assert lines[2][found["SL204"].column - 1 :].startswith("I_Y")
    assert lines[3][found["SL107"].column - 1 : found["SL107"].end_column - 1] == "\\u200b"
    assert lines[3][found["SL201"].column - 1 : found["SL201"].end_column - 1] == "X"


def test_fixes_change_the_file():
    text = 'def f():\n    """Sum.\n\n    ```shard\n    C[I, K]{U_X} -> C[I, K]\n    AllReduce_X C[I, K] -> C[I, K]\n    ```\n    """\n'
    mended = shardlang.fix(text, document="python")
    assert [change.code for change in mended.fixed] == ["SL304"]
    assert mended.text == text.replace("    AllReduce_X C[I, K] -> C[I, K]\n", "")
    two = text.replace("AllReduce_X C[I, K] -> C[I, K]", "A[I, J_X] ·_LOCAL B[J_X, K] -> C[I, K]")
    mended = shardlang.fix(two, document="python")
    assert mended.ok
    assert (
        "    A[I, J_X] ·_LOCAL B[J_X, K] -> C[I, K]{U_X}\n    AllReduce_X C[I, K]{U_X} -> C[I, K]\n    ```"
        in mended.text
    )
    ast.parse(mended.text)


@pytest.mark.parametrize(
    "text",
    [
        'b"""\n```shard\nA[\n```\n"""',
        'f"""\n```shard\nA[\n```\n"""',
        'x = """\n```shard\nA[\n```\n"""',
        'f("""\n```shard\nA[\n```\n""")',
        '# """\n# ```shard\n# A[\n',
        '"one line ```shard A["',
        '"""\n```python\nA[\n```\n"""',
        '"""\n```\nA[\n```\n"""',
        "",
        "A[I_X, J_X]",
    ],
)
def test_what_is_no_plan_in_a_docstring(text):
    assert read(text) == ([], [])


def test_strings_side_by_side():
    text = '("""a\n```shard\nA[I]\n```\n""")\n"""b\n```shard\nB[I]\n```\n""" """c\n```shard\nC[I]\n```\n"""\n'
    assert [statement for statement, _, _ in read(text)[0]] == ["B[I]", "C[I]"]


@pytest.mark.parametrize(
    "tail", ["x = [1,\n", 'y = """\n', "    if x:\n  y\n", "z = $\n\x00", "(" * 5000, "   " + "'" * 3]
)
def test_a_file_that_is_no_python_is_read_as_far_as_it_goes(tail):
    text = '"""\n```shard\nA[I]\n```\n"""\n' + tail
    statements, findings = read(text)
    assert statements == [("A[I]", 3, 1)]
    assert {code for code, _, _ in findings} <= {"SL110"}


def test_line_ends_of_any_kind():
    text = '"""\r\n```shard\r\nA[I_X, J_X]\r\n```\r\n"""\r\n'
    (found,) = shardlang.check(text, document="python").diagnostics
    assert (found.code, found.span.line, found.span.column) == ("SL201", 3, 10)


def test_kinds_of_files():
    assert document_kind("src/model.py") == document_kind("model.pyi") == "python"


@pytest.mark.parametrize("part", ["'", '"""', "(", '"" ', "a\n", ".. code-block:: shard\n", "```shard\n", "\\x41"])
def test_hostile_files_take_linear_time(part):
    """Four times the text takes no more than some four times as long."""

    def seconds(count):
        started = time.process_time()
        read_python('# ```shard\n"""\n' + part * count)
        read_python("# ```shard\n" + part * count)
        return time.process_time() - started

    few, many = (min(seconds(count) for _ in range(3)) for count in (10_000, 40_000))
    assert many < 14 * max(few, 0.05)


def test_time_is_kept():
    report = shardlang.parse("# ```shard\n" + "(" * 500_000, document="python", limits={"max_time": 0.05})
    assert [finding.code for finding in report.diagnostics] == ["SL607"]


def test_many_docstrings_take_linear_time():

    def seconds(count):
        text = 'def f():\n    """\n    ```shard\n    A[I] \\\\to B[I]\n    ```\n    """\n' * count
        started = time.process_time()
        assert len(read_python(text).blocks) == count
        return time.process_time() - started

    few, many = (min(seconds(count) for _ in range(3)) for count in (2_000, 8_000))
    assert many < 12 * max(few, 0.05)


@pytest.mark.parametrize(
    "text",
    [
        '""".. code-block:: shard\n\n   A[I_X, J_X]\n"""\n',
        'def f():\n    """.. code-block:: shard\n\n       A[I_X, J_X]\n\n    B[J_X, K_X\n    """\n',
        'def f():\n    r"""```shard\n    A[I_X, J_X]\n    ```\n    """\n',
        '"""```shard\nA[I_X, J_X]\n```"""\n',
        "class A:\n\t'''.. code-block:: shard\n\n\t   A[I_X, J_X]  # \\N{MIDDLE DOT}\n\t'''\n",
    ],
)
def test_a_plan_may_open_on_the_first_line(text):
    (found,) = shardlang.check(text, document="python").diagnostics
    assert (found.code, text.splitlines()[found.span.line - 1][found.span.column - 1]) == ("SL201", "X")
    assert found.span.line == text[: text.index("J_X")].count("\n") + 1

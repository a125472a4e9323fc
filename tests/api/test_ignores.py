"""Comments that ignore findings, and those that ignore nothing."""

import pytest

import shardlang


def unused(text, **keywords):
    return [finding for finding in shardlang.check(text, **keywords).diagnostics if finding.code == "SL109"]


@pytest.mark.parametrize(
    "text",
    [
        "A[I_X, J_X]  # shardlang: ignore[SL201]",
        "A[I_X, J_X]  # shardlang: ignore",
        "A[I_X,\n  J_X]  # shardlang: ignore[SL201]",
        "A[I_X]  # shardlang: ignore[SL405]",  # sizes of another run may bring it
        "A[I_X]  # shardlang: ignore[SL503, SL205]",
        "A[I_X]  # shardlang: ignore[SL109, SL201]",  # ignored by name
        "# shardlang: ignore[SL201]\nA[I_X, J_X]",
        "\t# shardlang: ignore[SL201] as the book has it\nA[I_X,\n  J_X]",
        "# shardlang: ignore[SL201]\n\nA[I_X, J_X]",
        "# shardlang: ignore[SL102]\nA[I_X",  # no statement
        "# shardlang: ignore-file[SL201]\nA[I_X, J_X]\nB[I_X, J_X]",
        "# Notes.\n# shardlang: ignore-file\nmesh X=4\nA[I_X, J_X]\nB[K, K]",
    ],
)
def test_comments_that_are_used(text):
    assert shardlang.check(text).diagnostics == ()


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("B[I_X, J_X]\n# shardlang: ignore\nA[I_X, J_X]", [1]),
        ("# shardlang: ignore\nA[I_X, J_X]\nB[I_X, J_X]", [3]),
        ("# shardlang: ignore\n\n\nA[I_X, J_X]", [1, 4]),
        ("A[I]  # shardlang: ignore[SL102]\nA[I_X, J_X]", [1, 2]),  # not alone on its line
        ("# shardlang: ignore-file[SL204]\nA[I_X, J_X]\nB[K, K]", [2]),
        ("A[I]\n# shardlang: ignore-file\nA[I_X, J_X]", [2, 3]),
        ("A[I_X, J_X]  # shardlang: ignore-file", [1, 1]),
        ("# shardlang: ignore-next-line\nA[I_X, J_X]", [2]),
    ],
)
def test_how_far_comments_go(text, left):
    lines = text.split("\n")
    found = [finding.span.line for finding in shardlang.check(text).diagnostics]
    kept = [finding.span.line for finding in shardlang.check(text, select=["SL201", "SL204"]).diagnostics]
    assert found or kept
    assert sorted({*kept, *(line for line in left if "shardlang" in lines[line - 1])}) == sorted(set(left))


CARRIERS = {
    "shard": (None, "{}  # shardlang: ignore[SL201]\n"),
    "above": (None, "# shardlang: ignore[SL201]\n{}\n"),
    "file": (None, "# shardlang: ignore-file[SL201]\n\nmesh X=4\n\n{}\n"),
    "fence": ("markdown", "Text.\n\n```shard\n{}  # shardlang: ignore[SL201]\n```\n"),
    "above in a fence": ("markdown", "Text.\n\n```shard\n# shardlang: ignore[SL201]\n{}\n```\n"),
    "above a fence": ("markdown", "Text.\n\n<!-- shardlang: ignore[SL201] -->\n```shard\n{}\n```\n"),
    "formula": ("markdown", "So ${}$ is it. <!-- shardlang: ignore[SL201] -->\n"),
    "above a formula": ("markdown", "Text.\n\n<!-- shardlang: ignore[SL201] -->\nSo ${}$ is it.\n"),
    "above a display": ("markdown", "Text.\n\n<!-- shardlang: ignore[SL201] -->\n$$\n{}\n$$\n"),
    "file of Markdown": ("markdown", "<!-- shardlang: ignore-file[SL201] -->\n# Title\n\nSo ${}$ is it.\n"),
    "quoted": ("markdown", "> ```shard\n> {}  # shardlang: ignore[SL201]\n> ```\n"),
    "latex": ("latex", "\\begin{{align}}\n{} % shardlang: ignore[SL201]\n\\end{{align}}\n"),
    "above in latex": ("latex", "% shardlang: ignore[SL201]\n\\begin{{align}}\n{}\n\\end{{align}}\n"),
    "file of latex": ("latex", "% shardlang: ignore-file[SL201]\n\\section{{A}}\n\n\n$${}$$\n"),
    "html": ("html", "<p><code>{}</code> <!-- shardlang: ignore[SL201] --></p>\n"),
    "above in html": ("html", "<!-- shardlang: ignore[SL201] -->\n<pre>\n{}\n</pre>\n"),
    "docstring": ("python", 'def f():\n    """F.\n\n    ```shard\n    {}  # shardlang: ignore[SL201]\n    ```\n    """\n'),
    "above in a docstring": ("python", '"""\n.. code-block:: shard\n\n   # shardlang: ignore[SL201]\n   {}\n"""\n'),
    "a blank line above a fence": ("markdown", "<!-- shardlang: ignore[SL201] -->\n\n```shard\n{}\n```\n"),
    "blank lines above a fence": ("markdown", "<!-- shardlang: ignore[SL201] -->\n\n \n\n~~~ shard\n\n{}\n~~~\n"),
    "above a fence of MyST": (
        "markdown",
        "<!-- shardlang: ignore[SL201] -->\n\n```{{code-block}} shard\n:name: a\n\n{}\n```\n",
    ),
    "a blank line above a display": ("markdown", "<!-- shardlang: ignore[SL201] -->\n\n$$\n{}\n$$\n"),
    "above a quoted fence": ("markdown", "> <!-- shardlang: ignore[SL201] -->\n>\n> ```shard\n> {}\n> ```\n"),
    "above a fence in a list": ("markdown", "<!-- shardlang: ignore[SL201] -->\n\n1. ```shard\n   {}\n   ```\n"),
    "above a directive": ("rst", ".. shardlang: ignore[SL201]\n.. code-block:: shard\n\n   {}\n"),
    "a blank line above a directive": ("rst", ".. shardlang: ignore[SL201]\n\n.. code-block:: shard\n\n   {}\n"),
    "above options": ("rst", ".. shardlang: ignore[SL201]\n\n.. code-block:: shard\n   :name: a\n   :new:\n\n   {}\n"),
    "above math": ("rst", ".. shardlang: ignore[SL201]\n\n.. math::\n\n   {}\n"),
    "a blank line in latex": ("latex", "% shardlang: ignore[SL201]\n\n\\begin{{align}}\n{}\n\\end{{align}}\n"),
    "a blank line in html": ("html", "<!-- shardlang: ignore[SL201] -->\r\n\r\n<pre>\r\n{}\r\n</pre>\r\n"),
    "above a fence of a docstring": (
        "python",
        'def f():\n    """F.\n\n    # shardlang: ignore[SL201]\n\n    ```shard\n    {}\n    ```\n    """\n',
    ),
    "above a directive of a docstring": (
        "python",
        'def f():\n    """F.\n\n    # shardlang: ignore[SL201]\n\n    .. code-block:: shard\n\n       {}\n    """\n',
    ),
    "file of Python": ("python", '# shardlang: ignore-file[SL201]\n"""\n```shard\n{}\n```\n"""\n'),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "text"), CARRIERS.values(), ids=CARRIERS)
def test_comments_in_every_kind_of_text(kind, text):
    """The comment hides the finding; without the comment it is there; without the finding the comment is unused, and goes."""
    wrong, right = text.format("A[I_X, J_X]"), text.format("A[I_X, J]")
    assert shardlang.check(wrong, document=kind).diagnostics == ()
    bare = wrong.replace("shardlang: ignore", "")
    assert [finding.code for finding in shardlang.check(bare, document=kind).diagnostics] == ["SL201"]
    (found,) = shardlang.check(right, document=kind).diagnostics
    assert (found.code, found.span.line) == ("SL109", 1 + right[: right.index("shardlang:")].count("\n"))
    mended = shardlang.fix(right, document=kind).text
    assert "shardlang" not in mended
    assert "A[I_X, J]" in mended


@pytest.mark.parametrize(
    "between",
    ["\n\nProse.\n\n```shard", "\n\n```text\n```\n\n```shard", "\n\n```shard\nB[K]", "\n\n```shard\n```\n```shard"],
)
def test_a_comment_is_for_the_block_right_below(between):
    text = f"<!-- shardlang: ignore[SL201] -->{between}\nA[I_X, J_X]\n```\n"
    assert "SL201" in [finding.code for finding in shardlang.check(text, document="markdown").diagnostics]


@pytest.mark.parametrize(
    ("text", "message", "mended"),
    [
        (
            "A[I]\n# shardlang: ignore-file",
            "this comment ignores nothing: for a file it stands alone on a line, before the first statement",
            "A[I]\n",
        ),
        (
            "# shardlang: ignore-file[SL201, SL204]\nA[K, K]",
            "`SL201` is not found here: the comment ignores nothing",
            "# shardlang: ignore-file[SL204]\nA[K, K]",
        ),
        ("A[I]  # shardlang: ignore", "this comment ignores nothing: nothing is found here", "A[I]"),
        ("A[I]\t# shardlang: ignore[SL201]", "`SL201` is not found here: the comment ignores nothing", "A[I]"),
        (
            "A[I]  # shardlang: ignore[SL201,SL204]",
            "`SL201` and `SL204` are not found here: the comment ignores nothing",
            "A[I]",
        ),
        (
            "A[I_X, J_X]  # shardlang: ignore[SL201, SL204]",
            "`SL204` is not found here: the comment ignores nothing",
            "A[I_X, J_X]  # shardlang: ignore[SL201]",
        ),
        ("A[I]  # shardlang: ignore[SL2O1]", "there is no code `SL2O1`: the comment ignores nothing", "A[I]"),
        ("A[I]  # shardlang: ignore[SL201] it is so", "`SL201` is not found here: the comment ignores nothing", "A[I]  # it is so"),
        ("A[I]  # as it is: # shardlang: ignore", "this comment ignores nothing: nothing is found here", "A[I]  # as it is:"),
        ("# shardlang: ignore[SL201]\nA[I]", "`SL201` is not found here: the comment ignores nothing", "A[I]"),
    ],
)  # fmt: skip
def test_comments_that_are_not(text, message, mended):
    (found,) = unused(text)
    assert (found.severity, found.message) == ("warning", message)
    line = text.splitlines()[found.span.line - 1]
    assert line[found.span.column - 1 :].startswith("shardlang: ignore")
    assert [fix.safe for fix in found.fixes] == [True]
    assert shardlang.fix(text).text == mended


@pytest.mark.parametrize("start", ["SL201", "SL20", "SL2", "SL", "SL4, SL2"])
def test_codes_may_be_given_by_how_they_start(start):
    """As in `ignore` of a project: `SL2` is all of SL201 to SL299, and nothing else."""
    found = shardlang.check(f"A[I_X, J_X]; B[K, K]  # shardlang: ignore[{start}]", select=["SL1", "SL2"]).diagnostics
    left = {"SL201": ["SL204"], "SL4, SL2": ["SL109"]}.get(start, [])
    assert [finding.code for finding in found] == left
    head = f"# shardlang: ignore-file[{start}]\nmesh X=4\nA[I_X, J_X]"
    assert {finding.code for finding in shardlang.check(head).diagnostics} <= {"SL109"}
    assert [finding.code for finding in unused(head)] == (["SL109"] if "," in start else [])
    assert len(unused("A[I]  # shardlang: ignore[SL2]")) == 1
    assert "SL301" in [
        f.code for f in shardlang.check("A[I_X] + A[I] -> A[I] # shardlang: ignore[SL2]", explicit=True).diagnostics
    ]
    assert unused("A[I]  # shardlang: ignore[SL1, SL5]")  # that it ignores nothing is ignored by name only


@pytest.mark.parametrize(
    ("comment", "message", "mended"),
    [
        ("ignore[SL201", "the bracket of this comment is not closed: it ignores nothing", "ignore[SL201]"),
        ("ignore-file[SL201", "the bracket of this comment is not closed: it ignores nothing", "ignore-file[SL201]"),
        (
            "ignore[SL201, SL204 as it was",
            "the bracket of this comment is not closed: it ignores nothing",
            "ignore[SL201, SL204] as it was",
        ),
        ("ignore[", "the bracket of this comment is not closed: it ignores nothing", None),
        ("ignore[]", "the brackets of this comment name no code: it ignores nothing", None),
        ("ignore[ , ]", "the brackets of this comment name no code: it ignores nothing", None),
        ("ignore SL201", "the codes of a comment stand in brackets: it ignores nothing", None),
        ("ignore: SL201", "the codes of a comment stand in brackets: it ignores nothing", None),
        ("ignore[sl201]", "there is no code `sl201`: the comment ignores nothing", "ignore[SL201]"),
        ("ignore[201; SL204]", "there is no code `201;`", "ignore[SL204]"),
        ("ignore[SL201.]", "there is no code `SL201.`: the comment ignores nothing", None),
    ],
)
def test_comments_that_cannot_be_read_hide_nothing(comment, message, mended):
    """They are found whatever the options are and whatever else is wrong, and nothing else is hidden by them."""
    text = f"# shardlang: {comment}\nA[I_X, J_X]\nB[K, L"
    for keywords in ({}, {"mesh": {"X": 4}}):
        report = shardlang.check(text, **keywords)
        assert [finding.code for finding in report.diagnostics] == ["SL109", "SL201", "SL102"], report.diagnostics
        assert report.diagnostics[0].message == message
        assert not report.ok
    hint = report.diagnostics[0].hint
    assert hint == (f"# shardlang: {mended}" if mended else "remove the comment")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("A[I_X, J_X % shardlang: ignore", None),
        ("A[I_X, J_X]  % shardlang: ignore", None),
        ("A[I_X, J_X]  // shardlang: ignore", None),
        ("A[I_X, J_X]  <!-- shardlang: ignore -->", None),
        ("# Title shardlang: ignore-file\n\n$A[I_X, J_X]$\n", "markdown"),
        ("# shardlang: ignore\n$A[I_X, J_X]$\n", "markdown"),
        ("$A[I_X, J_X]$ % shardlang: ignore[SL201]\n", "markdown"),
        ("```shard\nA[I_X, J_X]  % shardlang: ignore\n```\n", "markdown"),
        ("<!-- a --> shardlang: ignore\n$A[I_X, J_X]$\n", "markdown"),
        ("$A[I_X, J_X]$ \\% shardlang: ignore\n", "latex"),
        ("<p># shardlang: ignore</p>\n<code>A[I_X, J_X]</code>\n", "html"),
        ('"""\n```shard\nA[I_X, J_X]  % shardlang: ignore\n```\n"""\n', "python"),
    ],
)
def test_what_is_no_comment_of_a_text_hides_nothing(text, kind):
    report = shardlang.check(text, document=kind)
    assert not report.ok
    assert "SL109" not in {finding.code for finding in report.diagnostics}


def test_a_title_may_have_a_comment_behind_it():
    text = "# Title <!-- shardlang: ignore[SL201] -->\n\n$A[I_X, J_X]$\n".replace("\n\n", " ")
    assert shardlang.check(text, document="markdown").diagnostics == ()
    text = ".. shardlang: ignore-file[SL201]\n\nTitle\n=====\n\n.. code-block:: shard\n\n   A[I_X, J_X]\n"
    assert shardlang.check(text, document="rst").diagnostics == ()


def test_comments_in_a_document_that_are_for_no_statement_may_be_examples():
    text = "Write `# shardlang: ignore[SL201` behind it, or `# shardlang: ignore[sl201]`.\n"
    assert unused(text, document="markdown") == []


def test_with_options_of_a_call_nothing_is_judged():
    text = "A[I_X]  # shardlang: ignore[SL201]"
    for options in ({"mesh": {"X": 4}}, {"sizes": {"I": 8}}, {"hardware": "tpu-v5p"}, {"explicit": True}):
        assert unused(text, **options) == []
    assert len(unused(text, _defaults={"mesh": {"X": 4}}, name="a.shard")) == 1  # a project says it always


def test_where_an_error_is_left_nothing_is_judged():
    """The comment hides SL401; while the statement before it is wrong, that is not found."""
    plan = "A[I, J_X] · B[J_X, K] -> C[I, K]\nC[I_X, K] · D[K] -> E[I_X]  # shardlang: ignore[SL401]"
    assert shardlang.check(plan).diagnostics == ()
    broken = plan.replace("A[I, J_X]", "A[I, J_X")
    assert unused(broken) == []
    assert len(unused("A[I_X, J_X]  # shardlang: ignore[SL201]\nB[I]  # shardlang: ignore[SL201]")) == 1


def test_what_a_project_ignores_is_found_all_the_same():
    assert unused("A[I_X, J_X]  # shardlang: ignore[SL201]", ignore="SL2") == []


def test_in_a_document_comments_at_statements_count():
    text = "Write `# shardlang: ignore[SL201]` behind it.\n\n```shard\nA[I]  # shardlang: ignore[SL201]\n```\n"
    assert [found.span.line for found in unused(text, document="markdown")] == [4]
    html = "$A[I_X]$ <!-- shardlang: ignore[SL201] -->\n"
    (found,) = unused(html, document="markdown")
    assert found.hint == "$A[I_X]$"


def test_a_word_that_goes_on_is_no_comment_of_ours():
    assert unused("A[I]  # shardlang: ignored") == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("A[I_X, J_X]  # don't use shardlang: ignore[SL201] here", None),
        ("A[I_X, J_X]  # 50% shardlang: ignore[SL201]", None),
        ("$A[I_X, J_X]$ 50\\% shardlang: ignore[SL201]", "latex"),
        ("$A[I_X, J_X]$ <!-- not shardlang: ignore[SL201] -->", "markdown"),
    ],
)
def test_a_comment_that_talks_of_such_words_ignores_nothing(text, kind):
    assert [found.code for found in shardlang.check(text, document=kind).diagnostics] == ["SL201"]


def test_the_words_stand_after_any_sign_of_a_comment():
    assert shardlang.check("A[I_X, J_X]  # as drawn # shardlang: ignore[SL201]").ok
    assert shardlang.check("$A[I_X, J_X]$ % as drawn % shardlang: ignore[SL201]", document="latex").ok
    assert shardlang.check("# as drawn #shardlang: ignore[SL201]\nA[I_X, J_X]").ok


@pytest.mark.parametrize(
    ("comment", "written"),
    [
        ("# Shardlang: Ignore[SL201]", "# shardlang: ignore[SL201]"),
        ("# ShardLang: ignore[sl201]", "# shardlang: ignore[SL201]"),
        ("# SHARDLANG: IGNORE", "# shardlang: ignore"),
    ],
)
def test_other_letters_are_told(comment, written):
    found = {one.code: one for one in shardlang.check(f"A[I_X, J_X]  {comment}").diagnostics}
    assert set(found) == {"SL201", "SL109"}
    assert found["SL109"].fixes[0].text == f"A[I_X, J_X]  {written}"
    assert shardlang.check(found["SL109"].fixes[0].text).ok


def test_many_comments_on_a_line_are_each_looked_at_once(monkeypatch):
    from shardlang.api import ignores

    asked = []
    monkeypatch.setattr(ignores, "begins_code", lambda code: asked.append(code) or True)

    def count(number: int) -> int:
        asked.clear()
        shardlang.check("A[I] " + "# shardlang: ignore[SL203] " * number)
        shardlang.check("A[I_X, J_X]; " * 50 + "# shardlang: ignore[SL203] " * number)
        return len(asked)

    assert count(400) < 3 * count(200)


def test_many_comments_take_linear_time():
    text = "A[I_X, J_X]  # shardlang: ignore[SL201]\n" * 3000 + "B[I] # shardlang: ignore\n"
    assert [found.span.line for found in unused(text)] == [3001]
    text = "# shardlang: ignore-file[SL201]\n" * 3000 + "A[I_X, J_X]\n" * 500
    assert shardlang.check(text).diagnostics == ()


def test_many_comments_above_many_blank_lines_take_linear_time(monkeypatch):
    """The lines below are looked at once for all comments of a line."""
    from shardlang.api.ignores import Ignores

    asked = []
    opens = Ignores._opens
    monkeypatch.setattr(Ignores, "_opens", lambda self, *lines: asked.append(lines) or opens(self, *lines))
    shardlang.check("# shardlang: ignore[SL201] " * 300 + "\n" * 300 + "A[I]\n")
    assert set(asked) == {(2, 301)}
    assert len(asked) < 100  # some stages look at the comments of a text, each once


@pytest.mark.parametrize(
    ("text", "kind", "mended"),
    [
        ("A[I]\n# shardlang: ignore[SL201]\nB[I]\n", None, "A[I]\nB[I]\n"),
        ("# shardlang: ignore-file[SL201]\r\nB[I]\r\n", None, "B[I]\r\n"),
        ("B[I]\n  # shardlang: ignore[SL201]", None, "B[I]\n"),
        ("B[I]  # shardlang: ignore[SL201]\n", None, "B[I]\n"),
        ("# shardlang: ignore[SL201] as before\nB[I]\n", None, "# as before\nB[I]\n"),
        ("B[I]\n\n# shardlang: ignore[SL201]\n\nC[I]\n", None, "B[I]\n\n\nC[I]\n"),
        ("<!-- shardlang: ignore[SL201] -->\n$B[I]$\n", "markdown", "$B[I]$\n"),
        (".. shardlang: ignore[SL201]\n.. math:: B[I]\n", "rst", ".. math:: B[I]\n"),
        ("% shardlang: ignore[SL201]\n$B[I]$\n", "latex", "$B[I]$\n"),
        ("> ```shard\n> # shardlang: ignore[SL201]\n> B[I]\n> ```\n", "markdown", "> ```shard\n> B[I]\n> ```\n"),
    ],
)
def test_a_comment_alone_on_its_line_goes_with_the_line(text, kind, mended):
    assert shardlang.fix(text, document=kind).text == mended


def test_what_mends_a_comment_says_nothing_of_running_the_plan():
    from shardlang.reports.fixed import fixed_listing

    report = shardlang.fix("A[I_X]\n# shardlang: ignore[SL201]\nB[I]\n", name="a.shard")
    assert fixed_listing(report) == "a.shard:2: fixed SL109: remove the comment"

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
    ],
)
def test_comments_that_are_used(text):
    assert unused(text) == []


@pytest.mark.parametrize(
    ("text", "message", "mended"),
    [
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
        ("A[I]  # as it is: shardlang: ignore", "this comment ignores nothing: nothing is found here", "A[I]  # as it is:"),
        ("# shardlang: ignore[SL201]\nA[I]", "`SL201` is not found here: the comment ignores nothing", "\nA[I]"),
    ],
)  # fmt: skip
def test_comments_that_are_not(text, message, mended):
    (found,) = unused(text)
    assert (found.severity, found.message) == ("warning", message)
    line = text.splitlines()[found.span.line - 1]
    assert line[found.span.column - 1 :].startswith("shardlang: ignore")
    assert [fix.safe for fix in found.fixes] == [True]
    assert shardlang.fix(text).text == mended


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


def test_many_comments_take_linear_time():
    text = "A[I_X, J_X]  # shardlang: ignore[SL201]\n" * 3000 + "B[I] # shardlang: ignore\n"
    assert [found.span.line for found in unused(text)] == [3001]

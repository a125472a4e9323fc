"""That the strict readers refuse what they are for."""

import pytest

from tests.fuzz import forms


@pytest.mark.parametrize(
    ("reader", "right", "wrong"),
    [
        (forms.html, "<p>a &lt;b&gt;<br>c</p>", ["<p>", "</p>", "<p><code></p></code>", '<p onclick="x()">y</p>', "<!-- a -->"]),
        (
            forms.latex,
            r"\begin{verbatim}\input{x}\end{verbatim}",
            [r"\begin{verbatim}\end{verbatim}\input{x}\end{verbatim}"],
        ),
        (forms.latex, r"\text{A}_{X} \to \mathrm{inputs}", [r"\input{/etc/passwd}", r"a\write18{ls}", r"\def\x{}"]),
        (
            forms.svg,
            '<svg xmlns="http://www.w3.org/2000/svg"><g><text>A</text></g></svg>',
            [
                "<svg>",
                '<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>',
                '<svg xmlns="http://www.w3.org/2000/svg"><g onload="x()"/></svg>',
                '<svg xmlns="http://www.w3.org/2000/svg"><use href="http://x"/></svg>',
            ],
        ),
        (lambda shown: forms.service("junit", shown), "<a>x</a>", ["<a>", "<a>\x00</a>", "<a>&nbsp;</a>"]),
        (lambda shown: forms.service("github", shown), "::error file=a,line=1::m\n", ["::error file=a\n", "a text\n", "::stop-commands::x\n"]),
    ],
)  # fmt: skip
def test_what_is_wrong_is_refused(reader, right, wrong) -> None:
    assert reader(right) == right
    for shown in wrong:
        with pytest.raises((AssertionError, SyntaxError)):
            reader(shown)


def test_json_has_no_nan_and_the_schema() -> None:
    import shardlang

    report = shardlang.check("A[I_X] -> A[I]").to_dict()
    assert forms.json_text("check", report).startswith('{"schema": 1')
    with pytest.raises(ValueError, match="not JSON compliant"):
        forms.json_text("check", {**report, "more": float("nan")})
    with pytest.raises(forms.jsonschema.ValidationError):
        forms.json_text("check", {**report, "ok": "yes"})
    with pytest.raises(forms.jsonschema.ValidationError):
        forms.service("sarif", "{}")

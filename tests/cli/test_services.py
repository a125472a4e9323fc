"""Reports for other programs, of files as they are: line ends, byte-order marks, documents, names."""

import json
import re

import jsonschema
import pytest
from click.testing import CliRunner

from shardlang.cli import group
from tests.reports.test_sarif import utf16, valid

LINE = "A[I, J_X] ·_LOCAL B[J_X, K] -> C[I, K]"
MENDED = [LINE + "{U_X}", "AllReduce_X C[I, K]{U_X} -> C[I, K]"]
FILES = {
    "plain.shard": f"mesh X=4\n{LINE}\n",
    "🙂 crlf.shard": f"# 🙂\r\nmesh X=4\r\n{LINE}\r\n",
    "mark.shard": f"\ufeff{LINE}\n",
    "no-end.shard": LINE,
    "fence.md": f"# 🙂\n\n> ```shard\n> {LINE}\n> ```\n",
    "list.md": f"* One:\n\n  ```shard\n  {LINE}\n  ```\n",
    "docstring.py": f'def f():\n    """F.\n\n    ```shard\n    {LINE}\n    ```\n    """\n',
}


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def call(*arguments, **options):
        return CliRunner().invoke(group, ["check", *arguments], prog_name="shardlang", **options)

    return call


def changed(text, fix):
    """The text with a fix of a SARIF log made."""
    (change,) = fix["artifactChanges"]
    raw = text.encode("utf-16-le")
    for replacement in reversed(change["replacements"]):
        start, end, _ = utf16(text, replacement["deletedRegion"])
        raw = raw[:start] + replacement["insertedContent"]["text"].encode("utf-16-le") + raw[end:]
    return raw.decode("utf-16-le")


@pytest.mark.parametrize("name", FILES)
def test_a_fix_in_sarif_is_what_fix_writes(run, tmp_path, name):
    (tmp_path / name).write_bytes(FILES[name].encode())
    log = json.loads(run("--format", "sarif", name).stdout)
    assert valid(log)
    (result,) = log["runs"][0]["results"]
    text = FILES[name].removeprefix("\ufeff")  # no column counts it
    region = result["locations"][0]["physicalLocation"]["region"]
    assert utf16(text, region)[2] == "C[I, K]"
    by_report = changed(text, result["fixes"][0])
    assert run("--fix", name).exit_code == 0
    assert by_report == (tmp_path / name).read_bytes().decode("utf-8-sig")
    assert [line.strip("> \r") for line in by_report.split("\n") if "U_X" in line] == MENDED


def test_a_fix_that_would_break_a_document_is_not_in_sarif(run, tmp_path):
    (tmp_path / "notes.md").write_text(f"So ${LINE}$ is wrong.\n", "utf-8")
    (result,) = json.loads(run("--format", "sarif", "notes.md").stdout)["runs"][0]["results"]
    assert "fixes" not in result


@pytest.mark.parametrize("arguments", [("-e", "A[I_X, J_X]"), ("-",)])
def test_a_text_in_no_file(run, arguments):
    log = json.loads(run("--format", "sarif", *arguments, input="A[I_X, J_X]").stdout)
    assert valid(log)
    (result,) = log["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["region"]["startColumn"] == 10  # the second `X`


def test_places_after_wide_characters_are_alike_in_all_forms(run, tmp_path):
    """The second `X` is the 17th character of its line and the 18th UTF-16 code unit, as 𝕎 takes two."""
    (tmp_path / "wide.shard").write_bytes("\ufeff# 🙂\r\n\tB[I]; 𝕎[I_X, J_X]\r\n".encode())
    found = json.loads(run("--format", "json", "wide.shard").stdout)["diagnostics"][0]
    assert (found["line"], found["column"]) == (2, 17)
    region = json.loads(run("--format", "sarif", "wide.shard").stdout)["runs"][0]["results"][0]["locations"][0][
        "physicalLocation"
    ]["region"]
    assert (region["startLine"], region["startColumn"]) == (2, 18)
    assert re.search(r"file=wide\.shard,line=2,col=17,endColumn=18,", run("--format", "github", "wide.shard").stdout)
    assert "wide.shard:2:17\n" in run("wide.shard").stdout


def test_the_schema_sees_what_is_wrong(run):
    log = json.loads(run("--format", "sarif", "-e", "A[I_X, J_X]").stdout)
    log["runs"][0]["results"][0]["partialFingerprints"] = ["a"]
    with pytest.raises(jsonschema.ValidationError):
        valid(log)


NOTES = "# Notes\n\n" + "\n".join(f"A note: $T = V / W_{n}$ and\n" for n in range(12)) + "\n$$A[I_X, J_X]$$\n"


@pytest.mark.parametrize("form", ["github", "sarif"])
def test_notes_that_repeat_one_another_are_one_entry_as_in_text(run, tmp_path, form):
    (tmp_path / "notes.md").write_text(NOTES, "utf-8")

    def messages(*more):
        shown = run("notes.md", "--format", form, *more).output
        if form == "github":
            return [line for line in shown.splitlines() if line.startswith("::notice")]
        return [r["message"]["text"] for r in json.loads(shown)["runs"][0]["results"] if r["level"] == "note"]

    (only,) = messages()
    assert "12 formulas that are no statements were skipped (lines 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, …" in only
    assert only.partition("12 formulas")[2].replace("%25", "%") in run("notes.md").output
    assert len(messages("--verbose")) == 12
    counts = [found["code"] for found in json.loads(run("notes.md", "--format", "json").output)["diagnostics"]]
    assert counts.count("SL106") == 12


@pytest.mark.parametrize("absolute", [False, True])
def test_paths_are_from_the_root_of_the_repository_in_a_workflow(run, tmp_path, monkeypatch, absolute):
    (tmp_path / "plans").mkdir()
    (tmp_path / "plans" / "a.shard").write_text("A[I_X, J_X]\n", "utf-8")
    monkeypatch.chdir(tmp_path / "plans")
    name = str(tmp_path / "plans" / "a.shard") if absolute else "a.shard"

    def places():
        shown = run(name, "--format", "github").output
        log = json.loads(run(name, "--format", "sarif").output)["runs"][0]
        (place,) = {json.dumps(r["locations"][0]["physicalLocation"]["artifactLocation"]) for r in log["results"]}
        assert [json.loads(place)] == [artifact["location"] for artifact in log["artifacts"]]
        return shown.partition(",")[0], json.loads(place)

    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    outside = places()
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    assert places() == ("::error file=plans/a.shard", {"uri": "plans/a.shard", "uriBaseId": "%SRCROOT%"})
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path / "pl"))  # it does not hold the file
    assert places() == outside
    assert "<expression>" in run("-e", "A[I_X, J_X]", "--format", "github").output


@pytest.mark.parametrize("form", ["json", "sarif", "github", "junit"])
@pytest.mark.parametrize("more", [(), ("--diff",)])
def test_a_report_in_a_file_and_the_text_in_the_log(run, tmp_path, form, more):
    (tmp_path / "a.shard").write_text("A[I_X, J_X]\n🙂\n", "utf-8")
    printed = run("a.shard", "--format", form, *(more if form == "json" else ()))
    done = run("a.shard", "--format", form, "--output", "out", *more)
    assert (printed.exit_code, done.exit_code) == (1, 1)
    assert (tmp_path / "out").read_text("utf-8") == printed.stdout
    assert done.stdout + done.stderr == run("a.shard", *more).stdout + run("a.shard", *more).stderr
    assert "error[SL201]" in done.output


def test_a_file_that_cannot_be_written(run, tmp_path):
    (tmp_path / "a.shard").write_text("A[I]\n", "utf-8")
    for arguments in (("--output", "out"), ("--format", "json", "-o", "no/out"), ("--format", "json", "-o", ".")):
        done = run("a.shard", *arguments)
        assert (done.exit_code, "Traceback" in done.output) == (2, False)
        assert not (tmp_path / "out").exists()


INCLUDE = 'include = ["*.shard", "README.md", "src/**/*.py"]'
IN_DOCSTRING = '"""\n```shard\nA[I_X, J_X]\n```"""\n'


def files_of(shown):
    return [line.split(",")[0].removeprefix("::error file=") for line in shown.output.splitlines()]


def test_a_directory_stands_for_what_the_project_includes(run, tmp_path):
    block = "```shard\nA[I_X, J_X]\n```\n"
    texts = {
        "a.shard": "A[I_X, J_X]\n",
        "README.md": block,
        "notes.md": block,
        "src/deep/m.py": IN_DOCSTRING,
        "src/old/m.py": IN_DOCSTRING,
        "own/b.md": block,
        "own/c.shard": "A[I_X, J_X]\n",
        "own/pyproject.toml": '[tool.shardlang]\ninclude = "*.md"\n',
        **{
            f"{folder}/x.shard": "A[I_X, J_X]\n"
            for folder in (".hidden", "node_modules", "build", "dist", "src/__pycache__", "env/lib")
        },
        "env/pyvenv.cfg": "",
        "pyproject.toml": f'[tool.shardlang]\n{INCLUDE}\nexclude = ["src/old/**"]\n',
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    everywhere = ["README.md", "a.shard", "own/b.md", "src/deep/m.py"]
    assert files_of(run(".", "--format", "github")) == everywhere
    assert files_of(run("src", "--format", "github")) == ["src/deep/m.py"]
    assert files_of(run("build", "--format", "github")) == ["build/x.shard"]  # it is asked for
    named = ("notes.md", "src/old/m.py", "README.md", ".")  # those that are named count, and none twice
    shown = ["notes.md", "src/old/m.py", "README.md", "a.shard", "own/b.md", "src/deep/m.py"]
    assert files_of(run(*named, "--format", "github")) == shown
    (tmp_path / "pyproject.toml").unlink()
    assert files_of(run(".", "--format", "github")) == ["a.shard", "own/b.md"]  # without a project, *.shard
    formatted = CliRunner().invoke(group, ["fmt", "--check", "."])
    assert formatted.exit_code == 0


def test_patterns_that_are_none(run, tmp_path):
    for table in ("include = 3", "include = [3]", "exclude = { a = 1 }"):
        (tmp_path / "pyproject.toml").write_text(f"[tool.shardlang]\n{table}\n", "utf-8")
        done = run(".")
        assert done.exit_code == 2
        assert f"pyproject.toml: [tool.shardlang] {table.split()[0]} has" in done.output
    (tmp_path / "pyproject.toml").write_text('[tool.shardlang]\ninclude = ["*.md", "x/**"]\n', "utf-8")
    assert "no file in that directory is included (*.md, x/**)" in run(".").output


CODED = '# -*- coding: {} -*-\n"""Öl für {}.\n\n```shard\nA[I, J_X] ·_LOCAL B[J_X, K] -> C[I, K]  # {}\nD[I_X, J_X]\n```\n"""\n'


@pytest.mark.parametrize(
    ("encoding", "word"), [("latin-1", "é"), ("iso-8859-15", "€"), ("cp1252", "œ"), ("euc_jp", "漢"), ("utf-8", "🙂")]
)
def test_a_python_file_is_read_and_written_as_it_declares(run, tmp_path, encoding, word):
    text = CODED.format(encoding, word, word)
    if encoding == "euc_jp":
        text = text.replace("Ö", "O").replace("ü", "u").replace("·", "@")
    if encoding == "iso-8859-15":
        text = "#!/usr/bin/env python\n" + text
    (tmp_path / "m.py").write_bytes(text.encode(encoding))
    data = json.loads(run("m.py", "--format", "json").output)
    lines = text.splitlines()
    assert [found["code"] for found in data["diagnostics"]] == ["SL312", "SL201"]
    wrong = data["diagnostics"][1]
    assert lines[wrong["line"] - 1][wrong["column"] - 1] == "X"
    done = run("m.py", "--fix")
    if encoding == "euc_jp":  # it has no `·`, which the fix has
        assert (done.exit_code, "`·` cannot be written in euc-jp" in done.output) == (2, True)
        assert (tmp_path / "m.py").read_bytes() == text.encode(encoding)
        return
    mended = (tmp_path / "m.py").read_bytes().decode(encoding)
    assert "-> C[I, K]{U_X}" in mended
    assert mended.startswith(text[: text.index("A[I")])
    assert word in mended.splitlines()[2 if encoding == "iso-8859-15" else 1]


@pytest.mark.parametrize("name", ["zlib", "punycode", "undefined", "cp9999", "../../x", "x" * 1000])
def test_an_encoding_that_is_not_known_is_utf_8(run, tmp_path, name):
    (tmp_path / "m.py").write_bytes(CODED.format(name, "é", "é").encode("latin-1"))
    assert "this is not UTF-8 text: byte 0xd6 on line 2" in run("m.py").output
    (tmp_path / "m.shard").write_bytes("# coding: latin-1\n# é\n".encode("latin-1"))  # only of Python files
    assert "this is not UTF-8 text" in run("m.shard").output
    (tmp_path / "m.py").write_bytes(b'# coding: ascii\n"""\xe9"""\n')
    assert "this is not ASCII text: byte 0xe9 on line 2" in run("m.py").output

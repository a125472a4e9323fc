"""What a project says for its texts, as keywords."""

import os
from pathlib import Path

import pytest

import shardlang
from shardlang.api import OptionError
from shardlang.api.arguments import COST_NAMES, read_request
from shardlang.api.project import settings_for

LOCAL = "A[I, J]{U_X} ·_LOCAL B[J, K]{U_X} -> C[I, K]{U_X}"  # SL315


@pytest.fixture
def project(tmp_path):
    """A function that writes the `pyproject.toml` of a project."""

    def write(*lines, folder="."):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / "pyproject.toml").write_text("\n".join(lines) + "\n", "utf-8")
        return tmp_path

    return write


def codes(text, path, **keywords):
    report = shardlang.check(text, **settings_for(path), **keywords)
    return [finding.code for finding in report.diagnostics]


def received(text, path):
    return shardlang.check(text, **settings_for(path)).statements[0].steps[0].bytes_received


GATHER = "AllGather_X A[I_X] -> A[I]"


def test_the_nearest_table_counts(project):
    root = project("[tool.shardlang]", "mesh = { X = 4 }", "sizes = { I = 64 }")
    project("[project]", "dependencies = ['shardlang']", folder="without")  # no table of ours: look on upward
    project("[tool.shardlang]", "mesh = { X = 2 }", "sizes = { I = 64 }", folder="own")
    assert received(GATHER, root / "a.shard") == 64 * 2 * 3 / 4
    assert received(GATHER, root / "without" / "deep" / "a.shard") == 64 * 2 * 3 / 4
    assert received(GATHER, root / "own" / "a.shard") == 64 * 2 / 2


def test_no_project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert settings_for(tmp_path / "a.shard") == {}
    assert settings_for() == {}
    assert settings_for("a\0b") == {}


def test_a_text_in_no_file_is_of_the_working_directory(project, monkeypatch):
    monkeypatch.chdir(project("[tool.shardlang]", 'ignore = ["SL3"]', '[tool.shardlang.per-file."*"]', 'ignore="SL2"'))
    assert codes(LOCAL, None) == []
    assert codes("A[I_X, J_X]", None) == ["SL201"]  # patterns are for files


def test_a_change_of_the_file_counts(project):
    root = project("[tool.shardlang]", 'ignore = ["SL201"]')
    assert codes("A[I_X, J_X]", root / "a.shard") == []
    project("[tool.shardlang]", 'ignore = ["SL3"]  # another size of the file')
    assert codes("A[I_X, J_X]", root / "a.shard") == ["SL201"]


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        ([], ["SL204", "SL315"]),
        (['select = ["SL3"]'], ["SL315"]),
        (['select = "SL2, SL315"', 'ignore = ["SL3"]'], ["SL204", "SL315"]),  # the longer beginning decides
        (['select = ["SL3"]', 'ignore = ["SL315"]'], []),
        (['select = ["SL315"]', 'ignore = ["SL315"]'], []),
        (['ignore = ["SL31", "SL2"]'], []),
        (['ignore = ["SL"]'], []),
    ],
)
def test_selected_and_ignored_codes(project, settings, found):
    root = project("[tool.shardlang]", *settings)
    assert codes(f"D[K, K]\n{LOCAL}", root / "a.shard") == found


def test_keywords_come_first(project):
    root = project("[tool.shardlang]", 'select = ["SL3"]', 'ignore = ["SL315"]')
    assert codes(f"D[K, K]\n{LOCAL}", root / "a.shard", select="SL2") == ["SL204"]
    assert codes(f"D[K, K]\n{LOCAL}", root / "a.shard", select="SL", ignore="SL2") == []


def test_what_keeps_a_text_from_being_read_is_always_selected():
    report = shardlang.check("A[I, J\n", select="SL3")
    assert [finding.code for finding in report.diagnostics] == ["SL102"]
    assert shardlang.check("A[I, J\n", select="SL3", ignore="SL102").ok
    assert shardlang.check("A\u200b[I]", select="SL3").diagnostics == ()  # a warning


@pytest.mark.parametrize(
    ("pattern", "fits"),
    [
        ("*.shard", {"a.shard", "plans/b.shard", "plans/deep/c.shard"}),
        ("plans/*.shard", {"plans/b.shard"}),
        ("plans/**", {"plans/b.shard", "plans/deep/c.shard"}),
        ("**/deep/*.shard", {"plans/deep/c.shard"}),
        ("**/*.shard", {"a.shard", "plans/b.shard", "plans/deep/c.shard"}),
        ("./a.shard", {"a.shard"}),
        (r"plans\\*.shard", {"plans/b.shard"}),
        (r".\\plans\\**", {"plans/b.shard", "plans/deep/c.shard"}),
        ("[ab].shard", {"a.shard", "plans/b.shard"}),
        ("other/*", set()),
    ],
)
def test_patterns(project, pattern, fits):
    root = project(f'[tool.shardlang.per-file."{pattern}"]', 'ignore = ["SL201"]')
    names = ["a.shard", "plans/b.shard", "plans/deep/c.shard"]
    assert {name for name in names if not codes("A[I_X, J_X]", root / name)} == fits


def test_settings_of_a_pattern_come_over_those_of_all_files(project):
    root = project(
        "[tool.shardlang]",
        "mesh = { X = 2 }",
        "sizes = { I = 64, J = 8 }",
        'ignore = ["SL204"]',
        '[tool.shardlang.per-file."big/*"]',
        "mesh = { X = 4 }",
        "sizes = { I = 128 }",
        'ignore = ["SL201"]',
    )
    text = "AllGather_X A[I_X, J] -> A[I, J]"
    assert received(text, root / "a.shard") == 64 * 8 * 2 / 2
    assert received(text, root / "big" / "a.shard") == 128 * 8 * 2 * 3 / 4
    assert codes("D[K, K]\nA[I_X, J_X]", root / "big" / "a.shard") == []
    assert codes("D[K, K]\nA[I_X, J_X]", root / "a.shard") == ["SL201"]


@pytest.mark.parametrize("everywhere", ["{ I = 64, J = 8 }", '"I=64,J=8"'])
@pytest.mark.parametrize("there", ["{ I = 128 }", '"I=128"'])
def test_sizes_come_together_however_they_are_written(project, everywhere, there):
    root = project(
        "[tool.shardlang]",
        "mesh = { X = 4 }",
        f"sizes = {everywhere}",
        '[tool.shardlang.per-file."big/*"]',
        f"sizes = {there}",
    )
    text = "AllGather_X A[I_X, J] -> A[I, J]"
    assert received(text, root / "a.shard") == 64 * 8 * 2 * 3 / 4
    assert received(text, root / "big" / "a.shard") == 128 * 8 * 2 * 3 / 4


def test_options_of_planning(project):
    root = project("[tool.shardlang]", "explicit = true", "uneven = true", "mesh = { X = 3 }")
    assert codes("A[I, J_X] · B[J, K] -> C[I, K]", root / "a.shard") == ["SL301"]
    assert codes("let I = 10\nA[I_X]", root / "a.shard") == ["SL218"]
    root = project("[tool.shardlang]", 'reduce-dtype = "f32"', "mesh = { X = 4 }", "sizes = { I = 64 }")
    assert received("AllReduce_X A[I]{U_X} -> A[I]", root / "a.shard") == 2 * 64 * 4 * 3 / 4


@pytest.mark.parametrize(
    ("setting", "read"),
    [
        ("latency", lambda request: request.latency),
        ("idle_axes", lambda request: request.idle_axes),
        ("uneven", lambda request: request.options.uneven),
        ("explicit", lambda request: request.options.explicit),
    ],
)
def test_a_keyword_that_is_false_switches_off_what_a_project_switches_on(project, setting, read):
    said = settings_for(project("[tool.shardlang]", f"{setting.replace('_', '-')} = true") / "a.shard")
    for given, on in (({}, True), ({setting: None}, True), ({setting: False}, False), ({setting: True}, True)):
        request = read_request({**given, **said}, COST_NAMES)
        assert read(request) is on
        assert request.varied is bool(given.get(setting) is not None)
    assert not read_request({setting: False}, COST_NAMES).varied


def test_a_call_may_leave_out_what_a_project_demands(project):
    root = project("[tool.shardlang]", "explicit = true", "uneven = true", "mesh = { X = 3 }")
    assert codes("A[I, J_X] · B[J, K] -> C[I, K]", root / "a.shard", explicit=False) == []
    assert codes("let I = 10\nA[I_X]", root / "a.shard", uneven=False) == ["SL205"]


CHIP = ["[tool.shardlang.hardware.mine]", 'kind = "tpu"', "flops = { bf16 = 1e12 }"]


def test_chips_of_a_project(project):
    text = "A[I, J] · B[J, K] -> C[I, K]"
    root = project(*CHIP)
    estimate = shardlang.cost(text, sizes="I=100,J=100,K=100", **settings_for(root / "a.shard"))
    assert estimate.value(estimate.t_math) == pytest.approx(2 * 100**3 / 1e12)
    root = project(*CHIP, "[tool.shardlang.hardware.other]", 'kind = "gpu"', "flops = { bf16 = 2e12 }")
    assert shardlang.cost(text, **settings_for(root / "a.shard")).estimate.value(estimate.t_math) is None
    for named in ({"hardware": "other"}, {}):
        words = f"{'' if named else 'hardware other'}\n{text}"
        priced = shardlang.cost(words, sizes="I=100,J=100,K=100", **named, **settings_for(root / "a.shard"))
        assert priced.value(priced.t_math) == pytest.approx(2 * 100**3 / 2e12)
    root = project("[tool.shardlang.hardware]", 'default = "mine"', *CHIP, "[tool.shardlang.hardware.x]", 'kind="gpu"')
    priced = shardlang.cost(text, sizes="I=100,J=100,K=100", **settings_for(root / "a.shard"))
    assert priced.value(priced.t_math) == pytest.approx(2 * 100**3 / 1e12)


def test_several_chips_without_a_default_choose_no_hardware(project):
    two = [*CHIP, "[tool.shardlang.hardware.other]", 'kind = "gpu"', "flops = { bf16 = 2e12 }"]
    (said,) = settings_for(project(*two) / "a.shard").values()
    assert "hardware" not in said
    assert set(said["chips"]) == {"mine", "other"}
    named = project(*two, '[tool.shardlang.per-file."a.shard"]', 'hardware = "other"')
    priced = shardlang.cost("A[I, J] · B[J, K] -> C[I, K]", sizes="I=1,J=1,K=1", **settings_for(named / "a.shard"))
    assert priced.value(priced.t_math) == pytest.approx(2 / 2e12)


def test_a_hardware_file_is_found_from_the_project(project, monkeypatch, tmp_path_factory):
    root = project("[tool.shardlang]", 'hardware = "chips/mine.toml"')
    (root / "chips").mkdir()
    (root / "chips" / "mine.toml").write_text('[mine]\nkind = "tpu"\nflops = { bf16 = 1e12 }\n', "utf-8")
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    report = shardlang.cost("A[I, J] · B[J, K] -> C[I, K]", sizes="I=100,J=100,K=100", **settings_for(root / "a.shard"))
    assert report.value(report.t_math) == pytest.approx(2 * 100**3 / 1e12)


TWO = '[mine]\nkind = "tpu"\nflops = { bf16 = 1e12 }\n\n[other]\nkind = "tpu"\nflops = { bf16 = 2e12 }\n'
PRODUCT = "A[I, J] · B[J, K] -> C[I, K]"


@pytest.mark.parametrize(("picked", "rate"), [("mine", 1e12), ("other", 2e12)])
def test_one_of_several_chips_of_a_file_is_found_from_the_project(project, monkeypatch, tmp_path_factory, picked, rate):
    root = project("[tool.shardlang]", f'hardware = "chips.toml:{picked}"')
    (root / "chips.toml").write_text(TWO, "utf-8")
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    report = shardlang.cost(PRODUCT, sizes="I=100,J=100,K=100", **settings_for(root / "a.shard"))
    assert report.value(report.t_math) == pytest.approx(2 * 100**3 / rate)


def test_a_text_names_a_hardware_file_from_where_it_is(tmp_path, monkeypatch):
    (tmp_path / "plans").mkdir()
    (tmp_path / "plans" / "chips.toml").write_text(TWO, "utf-8")
    plan = f"hardware chips.toml:other\n{PRODUCT}"
    for folder, name in ((".", "plans/a.shard"), ("plans", "a.shard"), ("/", str(tmp_path / "plans" / "a.shard"))):
        monkeypatch.chdir(tmp_path / folder)
        report = shardlang.cost(plan, sizes="I=100,J=100,K=100", name=name)
        assert report.value(report.t_math) == pytest.approx(2 * 100**3 / 2e12)
    monkeypatch.chdir(tmp_path)
    (unread,) = shardlang.check(plan).diagnostics  # of no file: from the working directory
    assert unread.code == "SL504"
    (several,) = shardlang.check(plan.replace(":other", ""), name="plans/a.shard").diagnostics
    assert several.hint == "chips.toml:mine"  # as the text has to write it
    assert shardlang.check(PRODUCT, hardware="plans/chips.toml:mine", name="plans/a.shard").ok  # an option: from here


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["[tool.shardlang]", 'selct = ["SL3"]'], "no setting 'selct'. Did you mean 'select'?"),
        (["[tool.shardlang]", 'per-file-ignores = { "*" = ["SL3"] }'], "Did you mean 'per-file'?"),
        (['[tool.shardlang.per-file."*.md"]', 'ignor = ["SL3"]'], "per-file.'*.md'] has no setting 'ignor'. Did you"),
        (["[tool.shardlang.per-file]", '"*.md" = 3'], "per-file.'*.md'] is not a table"),
        (["[tool.shardlang]", "explicit = 1"], "explicit has the wrong type"),
        (["[tool.shardlang.hardware]", "default = 1"], "default has the wrong type"),
        (["[tool.shardlang.hardware.mine]", 'kind = "cpu"'], '[mine] needs kind = "tpu" or kind = "gpu"'),
        (["[tool.shardlang]", 'select = ["SL7"]'], "select: there is no code 'SL7'"),
        (["[tool.shardlang]", 'ignore = ""', 'select = [""]'], "select: there is no code ''"),
    ],
)
def test_settings_that_cannot_be_used(project, lines, words):
    root = project(*lines)
    with pytest.raises(OptionError) as raised:
        shardlang.check("A[I]", **settings_for(root / "a.shard"))
    assert words in str(raised.value)


@pytest.mark.parametrize(
    "lines",
    [
        ['ignore = ["SL9999x"]'],
        ["sizes = { B = 'a' }"],
        ["dtype = 'bf17'"],
        ["topology = { X = 'x' }"],
        ["reduce-dtype = 'x'"],
        ["model = 'my_model'"],
        ["roofs = ['my_roof']"],
    ],
)
@pytest.mark.parametrize("table", ["[tool.shardlang]", "[tool.shardlang.per-file.'*.shard']"])
def test_a_value_that_cannot_be_used_is_told_with_its_file_and_key(project, lines, table):
    root = project(table, *lines)
    with pytest.raises(OptionError) as raised:
        settings_for(root / "a.shard")
    assert str(raised.value).startswith(f"{root / 'pyproject.toml'}: {table} {lines[0].split()[0]}: ")


def test_the_value_is_told_as_it_is_written(project):
    root = project("[tool.shardlang]", "model = 'my_model: a_b'")
    with pytest.raises(OptionError, match=r"\[tool\.shardlang\] model: cannot be 'my_model: a_b'\. "):
        settings_for(root / "a.shard")


@pytest.mark.parametrize(
    "lines",
    [
        ['hardware = "tpu-v5p"   # ours', "", "[tool.shardlang.hardware]", 'default = "mine"', ""],
        ['hardware = "tpu-v5p"', "sizes = { B = 1 }"],
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_name_beside_own_chips_is_told_where_to_stand(tmp_path, lines, end):
    text = ["[project]", 'name = "a"', "[tool.shardlang]", *lines, *CHIP]
    (tmp_path / "pyproject.toml").write_bytes(end.join(text).encode())
    with pytest.raises(OptionError) as raised:
        settings_for(tmp_path / "a.shard")
    assert 'With chips in [tool.shardlang.hardware] write default = "tpu-v5p" there' in str(raised.value)
    (tmp_path / "pyproject.toml").write_text("[tool.shardlang]\n[tool.shardlang]\n", "utf-8")
    with pytest.raises(OptionError) as raised:
        settings_for(tmp_path / "a.shard")
    assert "default" not in str(raised.value)


def test_the_default_may_be_a_chip_of_the_catalogue(project):
    root = project("[tool.shardlang.hardware]", 'default = "tpu-v5p"', *CHIP)
    priced = shardlang.cost(PRODUCT, sizes="I=100,J=100,K=100", **settings_for(root / "a.shard"))
    assert priced.value(priced.t_math) == pytest.approx(2e6 / 4.59e14)


def test_hardware_that_is_not_known_is_told_with_the_file_that_names_it(project):
    root = project("[tool.shardlang]", 'hardware = "tpu-v9"')
    with pytest.raises(OptionError) as raised:
        settings_for(root / "a.shard")
    assert str(raised.value).startswith(
        f"{root / 'pyproject.toml'}: [tool.shardlang] hardware: no hardware is called `tpu-v9`"
    )


@pytest.mark.parametrize("table", ["[tool.shardlang]", "[tool.shardlang.per-file.'*.shard']"])
def test_a_hardware_file_of_a_project_is_looked_for_each_time(project, table):
    root = project(table, 'hardware = "chips.toml"')
    with pytest.raises(OptionError, match="cannot read the hardware file"):
        settings_for(root / "a.shard")
    (root / "chips.toml").write_text('[mine]\nkind = "tpu"\nflops = { bf16 = 1e12 }\n', "utf-8")
    assert shardlang.check("A[I]", **settings_for(root / "a.shard")).ok
    (root / "chips.toml").unlink()
    with pytest.raises(OptionError, match="cannot read the hardware file"):
        settings_for(root / "a.shard")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_a_pipe_is_no_project(tmp_path):
    os.mkfifo(tmp_path / "pyproject.toml")
    assert settings_for(tmp_path / "a.shard") == {}


def test_paths_of_any_kind(project, monkeypatch):
    root = project('[tool.shardlang.per-file."a.shard"]', 'ignore = ["SL201"]')
    monkeypatch.chdir(root)
    for path in ("a.shard", Path("a.shard"), os.fspath(root / "a.shard")):
        assert codes("A[I_X, J_X]", path) == []


WIRED = "mesh X=4, Y=4\nAllGather_X A[I_X, J] -> A[I, J]\n"


def _comms(folder, text, **keywords):
    (folder / "a.shard").write_text(text, "utf-8")
    return str(shardlang.cost(text, **settings_for(folder / "a.shard"), **keywords).t_comms)


def test_topology_is_for_axes_that_the_text_leaves_open(tmp_path):
    (tmp_path / "pyproject.toml").write_text('[tool.shardlang]\ntopology = { X = "ring:2", Q = "line" }\n', "utf-8")
    assert _comms(tmp_path, WIRED) == "I*J/W_ici"  # the links of two physical axes
    assert _comms(tmp_path, WIRED.replace("X=4", "X=4 ring")) == "2*I*J/W_ici"
    assert _comms(tmp_path, WIRED, topology={"X": "ring:3"}) == "2*I*J/(3*W_ici)"
    assert shardlang.check(WIRED, **settings_for(tmp_path / "a.shard")).diagnostics == ()


def test_how_prices_are_made_is_a_setting(tmp_path):
    (tmp_path / "pyproject.toml").write_text(
        '[tool.shardlang]\nmodel = "exact"\nroofs = ["math", "ici"]\ncomms = "sum"\n', "utf-8"
    )
    estimate = shardlang.cost(WIRED, **settings_for(tmp_path / "a.shard")).estimate
    assert (estimate.model, estimate.roofs, estimate.comms) == ("exact", ("math", "ici"), "sum")
    own = shardlang.cost(WIRED, model="book", roofs="hbm", comms="max", **settings_for(tmp_path / "a.shard")).estimate
    assert (own.model, own.roofs, own.comms) == ("book", ("hbm",), "max")
    (tmp_path / "pyproject.toml").write_text('[tool.shardlang]\nmodel = "exakt"\n', "utf-8")
    with pytest.raises(OptionError, match="Did you mean exact"):
        shardlang.cost(WIRED, **settings_for(tmp_path / "a.shard"))


def test_a_pattern_of_many_directories_is_matched_in_few_steps(monkeypatch):
    import fnmatch

    from shardlang.api.project import fits

    asked = []
    match = fnmatch.fnmatchcase
    monkeypatch.setattr(fnmatch, "fnmatchcase", lambda *given: asked.append(given) or match(*given))
    parts = [*"abcdefghijklmnop", "zzz.shard"]
    assert not fits(parts, "**/a*/" * 6 + "**/" * 12 + "zzz")
    assert len(asked) <= 17 * 19
    assert fits(parts, "**/" * 1000 + "zzz.shard")
    assert fits(parts, "a/**/" + "**/" * 1000 + "p/**/zzz.shard")
    assert not fits(parts, "**/" * 1000 + "p")
    assert fits(["a", "b"], "a/**/b")
    assert fits(["a", "b"], "a/b/**")
    assert not fits(["a"], "a/b/**")


def test_a_file_that_is_too_long_is_told_and_not_cut(project):
    root = project("[tool.other]", *["# padding"] * 120_000, "[tool.shardlang]", 'ignore = ["SL201"]')
    with pytest.raises(OptionError, match="over 1,000,000 bytes"):
        settings_for(root / "a.shard")


@pytest.mark.parametrize("line", ["tool = [1] # shardlang", "tool = 1 # shardlang"])
def test_a_tool_that_is_no_table(project, line):
    root = project(line)
    with pytest.raises(OptionError, match=r"pyproject\.toml: tool is not a table\.$"):
        settings_for(root / "a.shard")

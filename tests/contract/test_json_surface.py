"""The JSON of every command: its keys, held against a list by hand, and its schema, on every kind of text."""

import json

import jsonschema
import pytest
from click.testing import CliRunner

import shardlang
from shardlang import Limits
from shardlang.api.schemas import NAMES
from tests.contract.json_keys import MAP, SCHEMAS
from tests.contract.page import ROOT

PLAN = """mesh X=4, Y=2
let D = 8192
In[B_X, D_Y] · W[D_X, F_Y] -> Tmp[B_X, F_Y]
Act[B_X, F_Y] = gelu(Tmp[B_X, F_Y])
AllGather_Y Act[B_X, F_Y] -> Act[B_X, F]
W_in[D_X, F]
"""
TEXTS = {
    "a plan": PLAN,
    "refused": "A[I_X, J_X]\nC[I, K] = A[I, J_X] · B[J_X, L]\n",
    "in part": "A[I_X, J_X]\n" + PLAN,
    "unread": "A[I,\n?\n",
    "empty": "",
    "declarations": "mesh X=4\nlet B = 8\n",
    "one array": "A[I_X, J]",
    "a block": "gelu(H[B, F]{U_X})\n",
    "fixable": "A[I, J_X] ·_LOCAL B[J_X, K] -> C[I, K]",
    "hostile": "A\u202e[I_\x00X] · `B`[<J>] -> \ud800",
    "not text": b"\xff\xfe",
    "wrong sizes": "mesh X=3\nlet B=4, D=5\nAllGather_X A[B_X, D] -> A[B, D]",
    "layers": "for layer in 1..3:\n",
}
OPTIONS = {
    "nothing": {},
    "numbers": {"hardware": "tpu-v5p", "mesh": {"X": 4, "Y": 2}, "sizes": {"B": 1024, "D": 64, "F": 128}},
    "a node": {"hardware": "h100", "mesh": "X=16,Y", "latency": True, "uneven": True},
    "too long": {"limits": Limits(max_chars=3)},
    "too many": {"limits": Limits(max_statements=1)},
    "no time": {"limits": Limits(max_time=0)},
}
PRICES = {"all roofs": {"roofs": "math,ici,hbm,vmem,pcie", "model": "exact", "comms": "sum", "assume": "1 << B"}}
WORDS = {"crossover": ("B",), "optimum": ("X*Y = 8", "X"), "roofline": ("B",), "memory": ("B",)}
OF_PLANS = [name for name in NAMES if name not in ("send", "hardware", "code")]


def shape(schema, node):
    """Return the keys that a schema lets an object have, nested; None for what is none."""
    if "$ref" in node:
        return shape(schema, schema["$defs"][node["$ref"].rpartition("/")[2]])
    for part in (*node.get("anyOf", ()), *node.get("oneOf", ())):
        if (found := shape(schema, part)) is not None:
            return found
    if "items" in node:
        return shape(schema, node["items"])
    if node.get("additionalProperties"):
        return MAP
    if "properties" not in node:
        return None
    needed = node.get("required", ())
    return {name + ("" if name in needed else "?"): shape(schema, value) for name, value in node["properties"].items()}


def objects(node):
    """Yield every part of a schema that describes an object."""
    if isinstance(node, dict):
        if node.get("type") == "object" or "object" in node.get("type", ()) or isinstance(node.get("properties"), dict):
            yield node
        for value in node.values():
            yield from objects(value)
    elif isinstance(node, list):
        for value in node:
            yield from objects(value)


def validator(name):
    return jsonschema.Draft202012Validator(shardlang.schema(name))


def call(name, text, options):
    """Call a function; None where a symbol that is asked for is not in the text."""
    try:
        return getattr(shardlang, name)(text, *WORDS.get(name, ()), **options)
    except ValueError as problem:
        if any(word in str(problem) for word in ("no symbol", "no mesh axis")):
            return None
        raise


def test_there_is_a_list_for_every_schema():
    assert set(SCHEMAS) == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_keys(name):
    schema = shardlang.schema(name)
    assert shape(schema, schema) == SCHEMAS[name]


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_is_one_and_says_which(name):
    schema = shardlang.schema(name)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["properties"]["schema"] == {"const": 1}
    assert schema["title"] == f"shardlang {'explain CODE' if name == 'code' else name} --format json"


@pytest.mark.parametrize("name", NAMES)
def test_every_object_is_closed_or_has_names_of_the_text(name):
    """What the schema does not say is not there; only lists by name are open, and say what their values are."""
    for node in objects(shardlang.schema(name)):
        if "properties" in node:
            assert node["additionalProperties"] is False
        else:
            assert isinstance(node["additionalProperties"], dict)


def test_a_key_that_is_lost_is_seen():
    """The oracle fails on a planted change: a key that is renamed, and one that need not be there any more."""
    schema = shardlang.schema("check")
    schema["$defs"]["step"]["properties"]["bytes"] = schema["$defs"]["step"]["properties"].pop("bytes_received")
    assert shape(schema, schema) != SCHEMAS["check"]
    schema = shardlang.schema("check")
    schema["required"].remove("ok")
    assert shape(schema, schema) != SCHEMAS["check"]


def pairs(name):
    """Return texts with keywords: every text with few keywords, and a plan, one that is refused in part, and none with all."""
    options = {**OPTIONS, **(PRICES if name in ("cost", "explain", "crossover", "roofline", "optimum") else {})}
    if name == "parse":
        options = {key: keywords for key, keywords in options.items() if not keywords or "limits" in keywords}
    first = next(iter(reversed(options)))
    for key, text in TEXTS.items():
        all_of_them = key in ("a plan", "in part", "empty")
        yield from ((text, keywords) for of, keywords in options.items() if all_of_them or of in ("nothing", first))


@pytest.mark.parametrize("name", OF_PLANS)
def test_json_of_every_kind_of_text(name):
    """The JSON is as the schema says, can be written, and is `ok` where it has no error."""
    check, seen = validator(name), 0
    for text, keywords in pairs(name):
        report = call(name, text, keywords)
        if report is None:
            continue
        data = json.loads(json.dumps(report.to_dict()))
        check.validate(data)
        assert data["ok"] == report.ok == (not any(f["severity"] == "error" for f in data["diagnostics"]))
        seen += 1
    assert seen > len(TEXTS)


def test_json_of_fixed_texts():
    check = validator("check")
    for text, keywords in pairs("fix"):
        data = shardlang.fix(text, **keywords).to_dict()
        check.validate(json.loads(json.dumps(data)))
        assert {"fixed", "not_fixed", "texts"} <= set(data)


@pytest.mark.parametrize("text", ["A[I_X, J]", "A[I_X, J_X]", "bf16[8, 128, 8192]", "A[", "hardware nope\nA[I_X]"])
@pytest.mark.parametrize(
    "options", [{}, {"hardware": "tpu-v5p", "sizes": "I=8,J=16"}, {"hardware": "h100"}, {"limits": Limits(max_chars=1)}]
)
def test_json_of_what_is_sent(text, options):
    data = shardlang.send(text, "X=0", "X=3", mesh="X=16", **options).to_dict()
    validator("send").validate(json.loads(json.dumps(data)))


def test_json_of_hardware():
    check = validator("hardware")
    data = shardlang.hardware().to_dict()
    check.validate(data)
    for chip in data["hardware"]:
        check.validate(shardlang.hardware(chip["id"]).to_dict())
    check.validate(shardlang.hardware("tpu-v5p", slice="4x4x4", sizes="W_hbm=1e12").to_dict())


COMMANDS = {
    "crossover": ["--for", "B"],
    "optimum": ["X*Y = 8", "--for", "X"],
    "roofline": ["--for", "B"],
    "memory": ["--for", "B"],
}


@pytest.mark.parametrize("name", OF_PLANS)
@pytest.mark.parametrize("text", ["a plan", "in part", "empty", "unread"])
def test_commands_print_what_to_dict_gives(name, text):
    report = call(name, TEXTS[text], {"name": "<expression>"})
    words = [name, *COMMANDS.get(name, ()), "-e", TEXTS[text], "--format", "json"]
    from shardlang.cli import group

    done = CliRunner().invoke(group, words, prog_name="shardlang", env={"NO_COLOR": "1"})
    if report is None:
        assert done.exit_code == 2
    else:
        said = json.loads(json.dumps(report.to_dict()))
        if name in ("check", "parse"):  # they take several texts
            for entry in (*said["diagnostics"], *said["statements"]):
                entry["file"] = "<expression>"
        assert json.loads(done.stdout) == said
        assert done.exit_code == (0 if report.ok else 1)


def test_several_texts_in_one_object(tmp_path):
    """`check` and `parse` take several files: each entry then says which it is of."""
    from shardlang.cli import group

    for number, text in enumerate((PLAN, TEXTS["refused"])):
        (tmp_path / f"{number}.shard").write_text(text, "utf-8")
    for name in ("check", "parse"):
        files = [str(tmp_path / f"{number}.shard") for number in range(2)]
        done = CliRunner().invoke(group, [name, *files, "--format", "json"], prog_name="shardlang")
        data = json.loads(done.stdout)
        validator(name).validate(data)
        assert {entry["file"] for entry in data["statements"]} == set(files)


@pytest.mark.parametrize("path", sorted((ROOT / "docs" / "examples").rglob("*.shard")), ids=lambda path: path.stem)
def test_json_of_examples(path):
    """The ways that ask a question; those that need no answer are in `tests/api`."""
    text = path.read_text("utf-8")
    for name in ("crossover", "roofline", "memory"):
        report = call(name, text, {"hardware": "tpu-v5p"})
        if report is not None:
            validator(name).validate(json.loads(json.dumps(report.to_dict())))

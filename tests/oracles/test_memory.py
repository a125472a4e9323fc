"""Every record of the book about memory, put to `memory` as a user would: the number, and the formula with sizes open."""

import re

import pytest

import shardlang
from tests.oracles.formulas import read_formula, renamed, same_formula
from tests.oracles.memory_asked import ASKED, answer
from tests.oracles.records import read_jsonl

RECORDS = {record["id"]: record for record in read_jsonl("book.jsonl") if record["kind"] == "memory"}
_ROUNDED = re.compile(r"(?:floor|ceiling)\((.*)\)")


def problems(name, text=None):
    """Return what is wrong with the answers to a record."""
    record, asked = RECORDS[name], ASKED[name]
    expected, found = record["expected"], []
    report = shardlang.memory(text or asked.text, asked.variable, **asked.options(record, known=True))
    data = report.to_dict()
    given = answer(data, asked.quantity)
    value = given["value"] if isinstance(given, dict) else given
    if value is None or abs(value - expected["value"]) > record["tolerance"]["rel"] * abs(expected["value"]):
        found.append(f"value {value} instead of {expected['value']}")
    shape = expected.get("local_shape")
    if shape and [length["value"] for length in data["arrays"][0]["local_shape"]] != shape:
        found.append("local shape")
    data = shardlang.memory(text or asked.text, asked.variable, **asked.options(record, known=False)).to_dict()
    open_answer = answer(data, asked.quantity.rsplit(".", 1)[0] if asked.variable else asked.quantity)
    ours = renamed(read_formula(open_answer["formula"]), asked.found)
    theirs = renamed(read_formula(_ROUNDED.sub(r"\1", expected["formula"])), asked.names)
    if not same_formula(ours, theirs):
        found.append(f"{ours} instead of {theirs}")
    return found


def test_every_record_of_the_kind_is_asked():
    assert set(ASKED) == set(RECORDS)
    assert len(RECORDS) == 25


@pytest.mark.parametrize("name", ASKED)
def test_a_record_is_met(name):
    assert problems(name) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tr-q2b", "w: bf16[P]\nm: bf16[P]\nv: f32[P]"),
        ("tf-kv8k", "KV: int8[S, L, K, H]"),
        ("gp-87", "w: bf16[P_X]\nm: f32[P_X]\nv: f32[P]"),
        ("in-q2", "W: int8[P]\nKV: int8[2, L, B, T_X, K, H]"),
    ],
)
def test_another_text_does_not_meet_it(name, text):
    assert len(problems(name, text)) == 2

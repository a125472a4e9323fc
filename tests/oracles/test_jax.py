"""Output shardings and refusals of JAX's explicit sharding mode.

The records are dealt out to parts; `make test` judges every tenth and `make test-all` the others too.
"""

from collections import Counter

import pytest

from tests.oracles.judge_jax import CHAIN_ORDER, PENDING_SUM, SECOND_ONLY, judge_jax
from tests.oracles.product import Product
from tests.oracles.records import HERE, read_jsonl

_PARTS = [0, *(pytest.param(part, marks=pytest.mark.slow) for part in range(1, 10))]


@pytest.mark.parametrize("part", _PARTS)
def test_same_outputs_and_refusals_as_jax(part: int) -> None:
    product, reasons, wrong = Product(), Counter[str](), {}
    records = read_jsonl("jax_explicit.jsonl")[part::10]
    for record in records:
        problems, met = judge_jax(product, record)
        reasons.update(met)
        if problems:
            wrong[record["id"]] = problems
    print(f"{len(records)} records; differences on purpose: {dict(reasons)}")
    assert wrong == {}
    # The differences on purpose are a small part: the predicates do not swallow the comparison.
    assert set(reasons) <= {CHAIN_ORDER, PENDING_SUM, SECOND_ONLY}
    assert sum(reasons.values()) < len(records) / 3


@pytest.mark.parametrize("part", _PARTS)
def test_no_record_ends_in_an_exception(part: int) -> None:
    product, mesh = Product(), {}
    for number, line in enumerate((HERE / "jax_texts.txt").read_text("utf-8").splitlines()):
        if line.startswith("mesh "):
            mesh = {axis: int(size) for axis, size in (entry.split("=") for entry in line[5:].split(", "))}
        elif number % 10 == part:
            report = product.check(line.removesuffix(" -> ?"), mesh=mesh, alternatives=False)
            assert report["ok"] == all(finding["severity"] != "error" for finding in report["diagnostics"]), line

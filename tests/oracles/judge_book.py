"""Judge: any record of the book, by its kind, or as `worked.toml` puts it to the product."""

from tests.oracles.command_line import CommandLine
from tests.oracles.judge_costs import judge_costs
from tests.oracles.judge_parse import judge_parse
from tests.oracles.judge_steps import judge_steps
from tests.oracles.records import Record, read_jsonl
from tests.oracles.worked import judge_worked, problems

_LEFT_OUT = ("backward", "notation")  # gradients are no forward plan, and the other records have no answer to compare


def judged_records() -> list[Record]:
    """Return the records that are judged: of all kinds but gradients and talk about the notation."""
    return [record for record in read_jsonl("book.jsonl") if record["kind"] not in _LEFT_OUT]


def judge_record(product: CommandLine, record: Record) -> list[str]:
    """Return the problems of a record of any kind. What the product raises is a problem too."""
    try:
        if record["id"] in problems():
            return judge_worked(product, record)
        kind = record["kind"]
        if kind == "parse":
            return judge_parse(product, record)
        return judge_steps(product, record) if kind.startswith(("check-", "infer-")) else judge_costs(product, record)
    except Exception as error:
        return [f"{type(error).__name__}: {error}"]

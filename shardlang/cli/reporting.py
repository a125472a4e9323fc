"""What commands share that print one report a text."""

from collections.abc import Callable, Sequence
from typing import Any, NoReturn, Protocol, TypeVar

from shardlang.cli.inputs import Input
from shardlang.cli.options import leave, one_for_json
from shardlang.cli.output import write, write_json


class Report(Protocol):
    """A report of `shardlang.api`."""

    @property
    def ok(self) -> bool:
        """Whether no error was found."""

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON values."""


_R = TypeVar("_R", bound=Report)


def print_reports(
    inputs: Sequence[Input], make: Callable[[Input], _R], show: Callable[[_R], None], form: str
) -> NoReturn:
    """Make the report of every text, print it as JSON or as `show` does, an empty line apart, and end with the status."""
    one_for_json(form, inputs)
    fine = True
    for number, text in enumerate(inputs):
        report = make(text)
        fine = report.ok and fine
        if form == "json":
            write_json(report.to_dict())
            continue
        if number:
            write("\n")
        show(report)
    leave(fine)

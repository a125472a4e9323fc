"""What `check` does, without click: see `shardlang.cli`."""

import os
import sys
from typing import Any

from shardlang import api
from shardlang.cli.inputs import Input, WrongUsageError, read_inputs
from shardlang.cli.output import paint_for, show_findings, together, write, write_json
from shardlang.reports.summary import check_summary, step_listing


def check_files(files: tuple[str, ...]) -> int | None:
    """Check files with no option given and return the exit status; None where the usage is wrong, which click says best."""
    try:
        fine = check_texts(read_inputs(files, ()), {}, steps=None, form="text", color="auto")
    except (WrongUsageError, api.OptionError):
        return None
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 so that the flush at exit finds an open stream
        return 1
    return 0 if fine else 1


def check_texts(
    inputs: list[Input],
    options: dict[str, Any],
    *,
    steps: bool | None,
    form: str,
    color: str,
    verbose: bool = False,
) -> bool:
    """Check texts, print the reports in the form `form`, and say whether all are without errors.

    steps: list the steps; None: of expressions and standard input only. verbose: draw every note.
    """
    options = {**options, "alternatives": form == "json"}  # they take longer, and nothing else shows them
    reports = [api.check(text.text, **text.keywords(options)) for text in inputs]
    if form == "json":
        write_json(together(reports))
    elif form != "text":
        from shardlang.cli.services import service_text  # one run in many is of a machine

        write(service_text(reports, form))
    for report in reports if form == "text" else ():
        show_findings(report, form, color, verbose)
        if report.source.name.startswith("<") if steps is None else steps:
            write(step_listing(report, paint_for(color)))
        write(check_summary(report, paint_for(color)))
    return all(report.ok for report in reports)

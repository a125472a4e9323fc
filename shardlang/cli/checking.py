"""What `check` does, without click: see `shardlang.cli`."""

import os
import sys
from typing import Any, NamedTuple

from shardlang import api
from shardlang.cli.inputs import Input, WrongUsageError, read_inputs
from shardlang.cli.output import paint_for, show_findings, together, write, write_json, write_to
from shardlang.reports.objects import CheckReport
from shardlang.reports.summary import check_summary, step_listing


class Display(NamedTuple):
    """How reports are shown, and what counts as wrong.

    verbose: draw every note. quiet: no summary of each text. strict: a warning is wrong too. output: the file that the
    reports go to in their form, while they are printed as text.
    """

    form: str = "text"
    color: str = "auto"
    verbose: bool = False
    quiet: bool = False
    strict: bool = False
    output: str | None = None

    @property
    def is_for_people(self) -> bool:
        """Whether text is printed."""
        return self.form == "text" or self.output is not None

    def is_fine(self, report: CheckReport) -> bool:
        """Say whether a text is well."""
        return report.ok and not (self.strict and any(found.severity == "warning" for found in report.findings))


def check_files(files: tuple[str, ...]) -> int | None:
    """Check files with no option given and return the exit status; None where the usage is wrong, which click says best."""
    try:
        fine = check_texts(read_inputs(files, ()), {}, Display(), steps=None)
    except (WrongUsageError, api.OptionError):
        return None
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 so that the flush at exit finds an open stream
        return 1
    return 0 if fine else 1


def check_texts(inputs: list[Input], options: dict[str, Any], shown: Display, *, steps: bool | None) -> bool:
    """Check texts, print the reports, and say whether all are well.

    steps: list the steps; None: of expressions and standard input only.
    """
    form, color = shown.form, shown.color
    options = {**options, "alternatives": form == "json"}  # they take longer, and nothing else shows them
    reports = [api.check(text.text, **text.keywords(options)) for text in inputs]
    if form == "json":
        write_json(together(reports), shown.output)
    elif form != "text":
        from shardlang.cli.services import service_text  # one run in many is of a machine

        write_to(shown.output, service_text(reports, form, shown.verbose))
    for given, report in zip(inputs, reports, strict=True) if shown.is_for_people else ():
        show_findings(report, "text", color, shown.verbose)
        if not (given.file or shown.quiet) if steps is None else steps:
            write(step_listing(report, paint_for(color)))
        if not shown.quiet:
            write(check_summary(report, paint_for(color)))
    return all(map(shown.is_fine, reports))

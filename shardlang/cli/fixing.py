"""What `check --fix` does, without click: see `shardlang.cli`."""

from typing import TYPE_CHECKING, Any

from shardlang import api
from shardlang.cli.inputs import Input
from shardlang.cli.output import paint_for, show_findings, together, write, write_json
from shardlang.cli.writing import diff_text, write_back
from shardlang.reports.fixed import fixed_listing
from shardlang.reports.summary import check_summary

if TYPE_CHECKING:
    from shardlang.reports.fixed import FixedReport


def fix_texts(
    inputs: list[Input],
    options: dict[str, Any],
    *,
    unsafe: bool,
    diff: bool,
    form: str,
    color: str,
    verbose: bool = False,
) -> bool:
    """Mend texts and say whether all is well: no error is left, and with `diff` nothing would change.

    Files are written back; another text is printed as it then reads. unsafe: make fixes too that may change what is
    computed. diff: print what would change, and write nothing.
    """
    reports = [api.fix(text.text, unsafe=unsafe, **text.keywords(options)) for text in inputs]
    if form == "json":
        write_json(together(reports))
    elif form != "text":
        from shardlang.cli.services import service_text

        write(service_text([report.check for report in reports], form))
    for given, report in zip(inputs, reports, strict=True):
        name, before = report.source.name, report.source.text
        if diff and form in ("text", "github"):
            write(diff_text(name, given.mark + before, given.mark + report.text))
        elif not diff and report.changed and not name.startswith("<"):
            write_back(name, report.text)
        if form == "text":
            _show(report, diff, color, verbose)
    return all(report.ok and not (diff and report.changed) for report in reports)


def _show(report: "FixedReport", diff: bool, color: str, verbose: bool) -> None:
    """Print what was changed and what is left, aside where a text or a diff is printed."""
    printed = report.source.name.startswith("<") and not diff
    if printed:
        write(report.text)
    aside = diff or printed
    write(fixed_listing(report, paint_for(color), "would fix" if diff else "fixed"), aside)
    show_findings(report.check, "json" if aside else "text", color, verbose)
    write(check_summary(report.check, paint_for(color)), aside)

"""What `check --fix` does, without click: see `shardlang.cli`."""

from typing import TYPE_CHECKING, Any

from shardlang import api
from shardlang.cli.checking import Display
from shardlang.cli.inputs import Input
from shardlang.cli.output import paint_for, show_findings, shown_text, together, write, write_json, write_to
from shardlang.cli.writing import diff_text, without_commands, write_back
from shardlang.reports.fixed import fixed_listing
from shardlang.reports.summary import check_summary

if TYPE_CHECKING:
    from shardlang.reports.fixed import FixedReport


def fix_texts(inputs: list[Input], options: dict[str, Any], shown: Display, *, unsafe: bool, diff: bool) -> bool:
    """Mend texts and say whether all is well: nothing wrong is left, and with `diff` nothing would change.

    Files are written back; another text is printed as it then reads. unsafe: make fixes too that may change what is
    computed. diff: print what would change, and write nothing.
    """
    form = shown.form
    reports = [api.fix(text.text, unsafe=unsafe, **text.keywords(options)) for text in inputs]
    if form == "json":
        write_json(together(reports), shown.output)
    elif form != "text":
        from shardlang.cli.services import service_text

        write_to(shown.output, service_text([report.check for report in reports], form, shown.verbose))
    for given, report in zip(inputs, reports, strict=True):
        name, before = report.source.name, report.source.text
        if diff and (shown.is_for_people or form == "github"):
            shown_diff = shown_text(diff_text(name, given.mark + before, given.mark + report.text))
            write(without_commands(shown_diff) if form == "github" else shown_diff)
        elif not diff and report.changed and given.file:
            write_back(name, report.text)
        if shown.is_for_people:
            _show(given, report, diff, shown)
    return all(shown.is_fine(report.check) and not (diff and report.changed) for report in reports)


def _show(given: Input, report: "FixedReport", diff: bool, shown: Display) -> None:
    """Print what was changed and what is left, aside where a text or a diff is printed."""
    printed = not given.file and not diff
    if printed:
        write(shown_text(report.text))
    aside = diff or printed
    paint = paint_for(shown.color)
    write(fixed_listing(report, paint, "would fix" if diff else "fixed"), aside)
    show_findings(report.check, "json" if aside else "text", shown.color, shown.verbose)
    if not shown.quiet:
        write(check_summary(report.check, paint), aside)

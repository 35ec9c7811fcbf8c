"""`sklearn-rank compare`: score runs, compare them, print and write the comparison."""

from argparse import Namespace
from collections.abc import Mapping
from functools import partial

from sklearn_rank._base._text import WIDTH, escape_controls
from sklearn_rank._cli._new_files import check_output
from sklearn_rank._cli._printing import Paragraph, laid_out, print_result, wrap_prose
from sklearn_rank._cli._results import COMPARED_FILES, as_json, write_comparison
from sklearn_rank._cli.reading._judged_runs import compare_runs, format_notes
from sklearn_rank._cli.reading._run_files import name_runs


def compare(options: Namespace) -> None:
    """Run `sklearn-rank compare`: print the comparison, and write it if asked."""
    runs = name_runs(options.runs)
    baseline = None if options.all_pairs else _find_baseline(options.baseline, runs)
    correction = None if options.correction == "none" else options.correction
    if options.output is not None:
        truth = options.qrels or options.truth
        check_output(options.output, COMPARED_FILES, [*runs.values(), truth])
    choices = {"baseline": baseline, "test": options.test, "correction": correction}
    choices["intervals"] = options.intervals
    compared = compare_runs(options, runs, **choices)
    # The width of the report, so that both are equal on a wide terminal.
    report: list[Paragraph] = [lambda width: compared.comparison.to_text(min(width, WIDTH))]
    if compared.notes:
        report.append(partial(format_notes, compared.notes))
    # Files first: printing fails if the pipe is closed.
    if options.output is not None:
        paragraphs = [laid_out(part, WIDTH) for part in report]
        wrote = write_comparison(options, compared, paragraphs, lists=compared.lists)
        report.append(wrap_prose(wrote))
    if options.json:
        results = {**compared.comparison.to_dict(), "notes": compared.notes}
        report = [as_json(vars(options), results).rstrip()]
    print_result(*report, wrote_files=options.output is not None)


def _find_baseline(baseline: str | None, runs: Mapping[str, str]) -> str:
    """Return the name of the run that was given by its name or its path."""
    if baseline is None:
        return next(iter(runs))
    name = escape_controls(baseline)
    by_path = {path: name for name, path in runs.items()}
    return name if name in runs else by_path.get(baseline, name)

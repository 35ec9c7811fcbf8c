"""`sklearn-rank compare`: score runs, compare them, print and write the comparison."""

from argparse import Namespace
from collections.abc import Mapping

from sklearn_rank._cli._compared import compare_runs, wrapped
from sklearn_rank._cli._comparison_arguments import METRIC
from sklearn_rank._cli._comparison_files import NAMES, write_comparison
from sklearn_rank._cli._errors import InputError
from sklearn_rank._cli._help import terminal_width
from sklearn_rank._cli._output_files import check_output
from sklearn_rank._cli._printing import ReportPrinter
from sklearn_rank._cli._run_names import name_runs
from sklearn_rank._cli._scored_runs import read_metrics, score_runs
from sklearn_rank._validation import suggest


def compare(options: Namespace) -> None:
    """Do what `sklearn-rank compare` promises; print it, and write it where asked."""
    metrics = read_metrics(options.metric or [METRIC])
    runs = name_runs(options.runs)
    baseline = None if options.all_pairs else _find_baseline(options.baseline, runs)
    if options.output is not None:
        check_output(options.output, NAMES)
    scored = score_runs(options, runs, metrics)
    compared = compare_runs(
        scored.scores,
        scored.notes,
        baseline=baseline,
        test=options.test,
        correction=None if options.correction == "none" else options.correction,
        margin=options.margin,
        confidence_level=options.confidence_level,
    )
    paragraphs = [str(compared.comparison)]
    # Files before what is printed: a pipe may be closed by then.
    written = None
    if options.output is not None:
        notes = [wrapped(compared.notes)] if compared.notes else []
        written = write_comparison(vars(options), compared, [*paragraphs, *notes])
    if compared.notes:
        paragraphs.append(wrapped(compared.notes, terminal_width()))
    printer = ReportPrinter(writes_files=written is not None)
    for paragraph in paragraphs:
        printer.add(paragraph)
    if written is not None:
        printer.print(written)
    printer.finish()


def _find_baseline(given: str | None, runs: Mapping[str, str]) -> str:
    """Return the name of the run that was given by its name or its path."""
    if given is None:
        return next(iter(runs))
    if given in runs:
        return given
    for name, path in runs.items():
        if path == given:
            return name
    raise InputError(f"--baseline got {given!r}. {suggest(given, list(runs))}")

"""`sklearn-rank gate`: score two runs, judge their difference, return an exit code."""

from argparse import Namespace

from sklearn_rank._cli.gate._verdict import (
    EXIT_CODES,
    Verdict,
    as_line,
    as_markdown,
    overall,
)
from sklearn_rank._cli.printing._errors import InputError
from sklearn_rank._cli.printing._printing import print_notes, print_result
from sklearn_rank._cli.reading._judged_runs import Compared, compare_runs, noted
from sklearn_rank._cli.reading._run_files import name_runs
from sklearn_rank._cli.writing._new_file import check_apart, check_appendable
from sklearn_rank._cli.writing._output_files import check_output
from sklearn_rank._cli.writing._results import COMPARED_FILES, write_comparison
from sklearn_rank._text._wording import counted
from sklearn_rank.statistics import ModelComparison
from sklearn_rank.statistics._comparison_text import differ_text


def gate(options: Namespace) -> int:
    """Run `sklearn-rank gate` and return the exit code of the verdict."""
    runs = name_runs([options.baseline, options.candidate])
    files = [*runs.values(), options.qrels, options.truth]
    if options.markdown is not None:
        check_appendable(options.markdown, files)
        if options.output is not None:
            check_apart(options.markdown, options.output, COMPARED_FILES)
    if options.output is not None:
        check_output(options.output, COMPARED_FILES, files)
    compared = compare_runs(options, runs, baseline=next(iter(runs)), correction=None)
    compared.notes.extend(_left_out(compared.comparison))
    if not compared.are_identical:
        compared.notes.extend(_of_few(compared.comparison))
    verdicts = [Verdict(row, compared) for row in compared.comparison.rows()]
    _report(options, compared, verdicts)
    return EXIT_CODES[overall(verdicts)]


def _left_out(comparison: ModelComparison) -> list[str]:
    return [
        f"{counted(n, 'query')} left out of {metric}, which is undefined there."
        for metric, n in comparison.n_undefined.items()
        if n
    ]


def _of_few(comparison: ModelComparison) -> list[str]:
    """Return a note on exact intervals if few queries differ."""
    settings, lower = comparison.settings, comparison.lower_is_better
    return [
        f"{row.metric}: {differ_text(row, settings, row.metric in lower)}"
        for row in comparison.rows()
        if row.interval == "exact"
    ]


def _report(options: Namespace, compared: Compared, verdicts: list[Verdict]) -> None:
    """Write the verdicts if asked, then print them: a closed pipe stops printing."""
    lines = "\n".join(map(as_line, verdicts))
    if options.output is not None:
        paragraphs = [lines, str(compared.comparison)]
        if compared.notes:
            paragraphs.append(noted(compared.notes))
        found = [{**one.row, "verdict": one.verdict} for one in verdicts]
        word = overall(verdicts)
        write_comparison(options, compared, paragraphs, verdict=word, verdicts=found)
    if options.markdown is not None:
        _append(options.markdown, as_markdown(verdicts, compared.notes))
    wrote_files = options.output is not None or options.markdown is not None
    print_result(lines, wrote_files=wrote_files)
    print_notes(*compared.notes)


def _append(path: str, text: str) -> None:
    try:
        with open(path, "a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError as error:
        raise InputError(f"Cannot write {path!r}: {error.strerror or error}.") from error

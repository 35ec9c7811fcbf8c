"""`sklearn-rank gate`: score two runs, compare them, return the verdict as exit code."""

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sklearn_rank._base._messages import quantity
from sklearn_rank._base._text import escape_controls
from sklearn_rank._cli._errors import InputError
from sklearn_rank._cli._new_files import check_apart, check_appendable, check_output
from sklearn_rank._cli._printing import print_notes, print_result
from sklearn_rank._cli._results import COMPARED_FILES, as_json, write_comparison
from sklearn_rank._cli.reading._judged_runs import ComparedRuns, compare_runs, format_notes
from sklearn_rank._cli.reading._run_files import name_runs
from sklearn_rank.statistics import ModelComparison
from sklearn_rank.statistics._comparison_text import differ_text
from sklearn_rank.statistics._metric_comparison import verdict_on_loss

PASS, FAIL, UNDECIDED = "pass", "fail", "undecided"
EXIT_CODES = {PASS: 0, FAIL: 1, UNDECIDED: 2}
COLUMNS = (
    *("Metric", "Baseline", "Candidate", "Difference", "Interval", "Margin", "Queries"),
    "Differ",
)


@dataclass(frozen=True)
class Verdict:
    """The result of the candidate by one metric."""

    row: Any  # candidate - baseline
    compared: ComparedRuns

    @property
    def verdict(self) -> str:
        """Return "pass", "fail" or "undecided"; identical runs pass."""
        if self.compared.are_identical:
            return PASS
        return verdict_on_loss(
            self.row.low,
            self.row.high,
            self.margin,
            lower_is_better=self.lower_is_better,
        )

    @property
    def margin(self) -> float:
        """Return the largest loss that is accepted."""
        return self.compared.comparison.settings["margin"]

    @property
    def lower_is_better(self) -> bool:
        """Return the direction of the metric."""
        return self.row.metric in self.compared.comparison.lower_is_better

    @property
    def name(self) -> str:
        """Return the metric, and its direction if lower is better."""
        return self.row.metric + (" (lower is better)" if self.lower_is_better else "")

    @property
    def level(self) -> str:
        """Return the level of the interval as text."""
        return f"{100 * self.compared.comparison.settings['confidence_level']:g} %"


def combine_verdicts(verdicts: Sequence[Verdict]) -> str:
    """Return the verdict by all metrics; each has to pass."""
    found = {verdict.verdict for verdict in verdicts}
    return next(word for word in (FAIL, UNDECIDED, PASS) if word in found)


def format_line(verdict: Verdict) -> str:
    """Return the verdict, the difference and its interval in one line."""
    row, is_same = verdict.row, verdict.compared.are_identical
    differ = "identical runs" if is_same else f"{row.n_different:,} differ"
    return (
        f"{verdict.verdict}: {verdict.name} of {row.model} - {row.baseline}: "
        f"{_signed(row.difference)}, {verdict.level} interval {_interval(verdict)}, "
        f"margin {verdict.margin:g}, {quantity(row.n_queries, 'query')}, {differ}"
    )


def format_markdown(verdicts: Sequence[Verdict], notes: Sequence[str]) -> str:
    """Return a heading, a table with one row per metric, and the notes."""
    first = verdicts[0]
    heading = (
        f"### {combine_verdicts(verdicts)}: {_escaped(first.row.model)} against "
        f"{_escaped(first.row.baseline)}"
    )
    rows = [(*COLUMNS, "Verdict"), ("---",) * (len(COLUMNS) + 1)]
    rows += [_markdown_row(verdict) for verdict in verdicts]
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    paragraphs = [heading, table, *(f"Note: {_escaped(note)}" for note in notes)]
    return "\n\n".join(paragraphs) + "\n\n"


def _markdown_row(verdict: Verdict) -> tuple[str, ...]:
    row = verdict.row
    return (
        _escaped(verdict.name),
        f"{row.mean_baseline:.4f}",
        f"{row.mean:.4f}",
        _signed(row.difference),
        f"{_interval(verdict)} ({verdict.level})",
        f"{verdict.margin:g}",
        f"{row.n_queries:,}",
        "identical runs" if verdict.compared.are_identical else f"{row.n_different:,}",
        verdict.verdict,
    )


def _interval(verdict: Verdict) -> str:
    return f"{_signed(verdict.row.low)} to {_signed(verdict.row.high)}"


def _signed(number: float) -> str:
    """Return a number with its sign; small ones keep their significant digits."""
    return f"{number:+.4f}" if number == 0 or abs(number) >= 0.001 else f"{number:+.2g}"


def _escaped(text: str) -> str:
    """Escape text for a cell of a Markdown table."""
    one_line = escape_controls(" ".join(text.split()))
    return "".join(f"\\{sign}" if sign in "\\|`*_<>[]#" else sign for sign in one_line)


def gate(options: Namespace) -> int:
    """Run `sklearn-rank gate` and return the exit code of the verdict."""
    paths = {"baseline": options.baseline, "candidate": options.candidate}
    is_same = len({Path(path).resolve() for path in paths.values()}) == 1
    runs = paths if is_same else name_runs([*paths.values()])
    files = [*runs.values(), options.qrels, options.truth]
    if options.markdown is not None:
        check_appendable(options.markdown, files)
        if options.output is not None:
            check_apart(options.markdown, options.output, COMPARED_FILES)
    if options.output is not None:
        check_output(options.output, COMPARED_FILES, files)
    how = {"baseline": next(iter(runs)), "test": options.test, "correction": None}
    compared = compare_runs(options, runs, **how)
    compared.notes.extend(_note_left_out(compared.comparison))
    if not compared.are_identical:
        compared.notes.extend(_note_exact_intervals(compared.comparison))
    verdicts = [Verdict(row, compared) for row in compared.comparison.rows()]
    _report(options, compared, verdicts)
    return EXIT_CODES[combine_verdicts(verdicts)]


def _note_left_out(comparison: ModelComparison) -> list[str]:
    return [
        f"{quantity(n, 'query')} left out of {metric}, which is undefined there."
        for metric, n in comparison.n_undefined.items()
        if n
    ]


def _note_exact_intervals(comparison: ModelComparison) -> list[str]:
    """Return a note on exact intervals if few queries differ."""
    settings, lower = comparison.settings, comparison.lower_is_better
    return [
        f"{row.metric}: {differ_text(row, settings, row.metric in lower)}"
        for row in comparison.rows()
        if row.interval == "exact"
    ]


def _report(options: Namespace, compared: ComparedRuns, verdicts: list[Verdict]) -> None:
    """Write the verdicts if asked, then print them: a closed pipe stops printing."""
    lines = "\n".join(map(format_line, verdicts))
    found = [{**one.row, "verdict": one.verdict} for one in verdicts]
    word = combine_verdicts(verdicts)
    if options.output is not None:
        paragraphs = [lines, str(compared.comparison)]
        if compared.notes:
            paragraphs.append(format_notes(compared.notes))
        write_comparison(options, compared, paragraphs, verdict=word, verdicts=found)
    if options.markdown is not None:
        _append(options.markdown, format_markdown(verdicts, compared.notes))
    wrote_files = options.output is not None or options.markdown is not None
    if options.json:
        results = {"verdict": word, "verdicts": found, "notes": compared.notes}
        lines = as_json(vars(options), results).rstrip()
    print_result(lines, wrote_files=wrote_files)
    print_notes(*compared.notes)


def _append(path: str, text: str) -> None:
    try:
        with open(path, "a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError as error:
        raise InputError(f"Cannot write {path!r}: {error.strerror or error}.") from error

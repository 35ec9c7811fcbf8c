"""The gate: a candidate passes if it is not worse than a baseline by more than a margin."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np

from sklearn_rank._base._messages import keep_warnings, quantity, warn_caller
from sklearn_rank._base._text import escape_controls, format_percent
from sklearn_rank._base._validation import check_given, check_option, check_real
from sklearn_rank._display._result import Result
from sklearn_rank._display._section import Section
from sklearn_rank._hints._explain import explained
from sklearn_rank.metrics._core._clusters import ROUNDING
from sklearn_rank.statistics._compare_models import NO_COLUMNS, estimate_metrics
from sklearn_rank.statistics._comparison_text import differ_text
from sklearn_rank.statistics._model_comparison import ModelComparison
from sklearn_rank.statistics._options import Options
from sklearn_rank.statistics._paper_table import escape_markup
from sklearn_rank.statistics._read_scores import ValuesOfModel
from sklearn_rank.statistics._result_rows import ComparisonRow
from sklearn_rank.typing import ClusterLabels

QUERIES = ("sample", "fixed")
PASS, FAIL, UNDECIDED = "pass", "fail", "undecided"
# The commands of GitHub Actions that show a line beside the code.
LEVELS = {PASS: "notice", FAIL: "error", UNDECIDED: "warning"}
TITLES = (
    *("Metric", "Baseline", "Candidate", "Difference", "Interval", "Margin", "Queries"),
    *("Differ", "Verdict"),
)


@explained
@keep_warnings
def gate_model(
    baseline: ValuesOfModel,
    candidate: ValuesOfModel,
    *,
    margin: float,
    queries: Literal["sample", "fixed"] = "sample",
    metrics: str | Sequence[str] | None = None,
    clusters: ClusterLabels | None = None,
    confidence_level: float = 0.95,
) -> ModelGate:
    """Check that a candidate is not worse than a baseline by more than a margin.

    If the queries are a sample, the interval of the paired difference (candidate -
    baseline) on the same queries decides, as :func:`compare_models` computes it with the
    margin:

    - "pass": it shows that the candidate is not worse by more than the margin;
    - "fail": it shows that the candidate is worse by more than the margin;
    - "undecided": it shows neither. There are too few queries, or too few that differ.

    A loss that is not significant does not pass: with few queries no loss is significant.
    If the queries are fixed, as those of a golden set, their mean difference decides, and
    no verdict is "undecided".

    Parameters
    ----------
    baseline : PerQueryScores, dict or array-like
        Values per query of the model in use, in any form that :func:`compare_models` takes
        for one model.
    candidate : PerQueryScores, dict or array-like
        Values per query of the new model, for the same queries and in the same form.
    margin : float
        Largest loss that is accepted, 0 or more, in units of the metric.
    queries : {"sample", "fixed"}, default="sample"
        Whether the verdict is about all queries, these being a sample, or about these
        queries alone.
    metrics : str or sequence of str, default=None
        Metrics to check. Each one has to pass, with the same margin, so a correction for
        several is not needed. If None, all, which must be the same for both.
    clusters : array-like of shape (n_queries,) or dict, default=None
        Cluster of each query, in the order of `baseline`, or of each label: a coarser unit,
        such as the user of several queries. If None, each query is a cluster.
    confidence_level : float, default=0.95
        Probability that an interval covers the true difference.

    Returns
    -------
    gate : ModelGate
        `verdict` is that of all metrics: "fail" if one fails, else "undecided" if one is,
        else "pass". `passes` says whether it is "pass".

    Raises
    ------
    ValueError
        If the two have different queries or metrics; if there are fewer than two clusters;
        if a number is out of range or a name unknown.

    Warns
    -----
    UserWarning
        For the reasons of :func:`compare_models`.

    See Also
    --------
    compare_models : Differences with intervals and p-values.
    sample_size : The number of queries that a difference needs.

    Notes
    -----
    Where fewer than ten queries differ, and fewer than half, the interval is exact. Equal
    values pass if the queries are fixed. If they are a sample, a margin of 0.01 of a metric
    from 0 to 1 needs 368 queries without a difference: a system that loses 5 % of all
    queries shows no loss in 13 % of samples of 40.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_rank.metrics import per_query_scores
    >>> from sklearn_rank.statistics import gate_model
    >>> rng = np.random.default_rng(0)
    >>> grades = rng.integers(0, 3, size=(400, 20))  # a row per query
    >>> noise = rng.normal(size=grades.shape)
    >>> old, new, bad = (
    ...     per_query_scores(grades, grades + size * noise, metrics="ndcg@10")
    ...     for size in (1, 1.02, 1.6)
    ... )
    >>> gate = gate_model(old, new, margin=0.01)
    >>> gate.verdict, gate.passes
    ('pass', True)
    >>> gate_model(old, bad, margin=0.01).verdict
    'fail'
    """
    check_real("margin", margin, "a finite number >= 0", least=0)
    check_option("queries", queries, QUERIES)
    options = Options("auto", "two-sided", confidence_level, None, margin=margin)
    both = {"baseline": baseline, "candidate": candidate}
    columns = {**NO_COLUMNS, "clusters": clusters}
    estimated = estimate_metrics(both, options, "baseline", metrics, side_columns=columns)
    comparison = estimated.compare("baseline")
    texts = [text for metric in estimated.metrics for text in metric.messages]
    if queries == "fixed":  # the others question an interval
        texts = [text for text in texts if "undefined for different queries" in text]
    warn_caller(*dict.fromkeys(texts))
    return ModelGate(comparison, queries=queries)


@explained
class ModelGate(Result):
    """The verdict on a candidate, with the comparison from which it comes.

    :func:`gate_model` returns it, and ``print`` shows one line per metric. It has no truth
    value, since it has three verdicts: ask for ``gate.passes``.

    Parameters
    ----------
    comparison : ModelComparison
        The candidate compared with the baseline, with a margin.
    notes : iterable of str, default=()
        Findings in the data, which are shown below the lines.
    queries : {"sample", "fixed"}, default="sample"
        Whether the verdict is about all queries, these being a sample, or about these
        queries alone.

    Attributes
    ----------
    verdict : {"pass", "fail", "undecided"}
        The verdict by all metrics.
    passes : bool
        Whether the verdict is "pass".
    comparison : ModelComparison
        Means, differences and intervals. Its own `verdict` answers a different question:
        whether the candidate is better or equivalent.
    lines : list of str
        For each metric the verdict, the difference and its interval.
    notes : list of str
        What explains the lines, such as undefined queries.

    Examples
    --------
    >>> from sklearn_rank.statistics import gate_model
    >>> old = [0.3, 0.6, 0.1, 0.8, 0.4, 0.2, 0.5, 0.7, 0.2, 0.4, 0.1]
    >>> new = [0.5, 0.7, 0.2, 0.9, 0.5, 0.3, 0.4, 0.8, 0.4, 0.6, 0.1]
    >>> gate = gate_model(old, new, margin=0.01)
    >>> print(gate)
    pass: score +0.1000, 95% interval [+0.0269, +0.1601], margin 0.01, a sample of 11
      queries, 10 differ
    >>> gate.annotations(file="tests/test_search.py", line=12)[0][:50]
    '::notice file=tests/test_search.py,line=12,title=g'
    """

    def __init__(
        self,
        comparison: ModelComparison,
        *,
        notes: Iterable[str] = (),
        queries: Literal["sample", "fixed"] = "sample",
    ) -> None:
        is_valid = isinstance(comparison, ModelComparison)
        check_given("comparison", comparison, is_valid, "a ModelComparison")
        setting = comparison.settings.get("margin")
        needed = "a finite number >= 0 in the comparison"
        margin = check_real("margin", setting, needed, least=0)
        self.comparison = comparison
        check_option("queries", queries, QUERIES)
        self.queries = queries
        self._rows: list[ComparisonRow] = comparison.rows()
        for row in self._rows:
            self._decide(row, margin, row.metric in comparison.lower_is_better)
        self.notes = [*notes, *self._notes_on_queries()]

    def _decide(self, row: ComparisonRow, margin: float, lower: bool) -> None:
        """Set the verdict of a row and, of fixed queries, what its interval is."""
        is_same = has_equal_values(self.comparison, row)
        if self.queries == "fixed":
            row["low"] = row["high"] = row["difference"] = (
                0.0 if is_same else row.difference
            )
            row["interval"] = "identical" if is_same else "exact"
            gain = -row.difference if lower else row.difference
            row["verdict"] = PASS if gain >= -margin - ROUNDING else FAIL
        else:
            row["verdict"] = verdict_on_loss(
                row.low, row.high, margin, lower_is_better=lower
            )

    def _notes_on_queries(self) -> list[str]:
        """Return notes on undefined queries, on exact intervals, and on too few queries."""
        comparison = self.comparison
        notes = [
            f"{quantity(n, 'query')} left out of {metric}, which is undefined there."
            for metric, n in comparison.n_undefined.items()
            if n
        ]
        if self.queries == "fixed":
            return notes
        settings, lower = comparison.settings, comparison.lower_is_better
        return notes + [
            note
            for row in self._rows
            if not has_equal_values(comparison, row)
            for note in (
                f"{row.metric}: {differ_text(row, settings, row.metric in lower)}"
                if row.interval == "exact"
                else None,
                self._note_on_number(row),
            )
            if note
        ]

    def _note_on_number(self, row: ComparisonRow) -> str | None:
        """Return how many queries of this kind could decide, if these do not."""
        lower = row.metric in self.comparison.lower_is_better
        room = float(self._margin()) + (-row.difference if lower else row.difference)
        half = (row.high - row.low) / 2
        if row.verdict != UNDECIDED or not room or not half > 0:
            return None
        n = math.ceil(row.n_queries * (half / room) ** 2)
        return (
            f"{row.metric}: {quantity(row.n_queries, 'query')} cannot tell; about {n:,} "
            "queries of this kind could."
        )

    @property
    def verdict(self) -> str:
        """The verdict by all metrics; each has to pass."""
        verdicts = {row.verdict for row in self._rows}
        return next(word for word in (FAIL, UNDECIDED, PASS) if word in verdicts)

    @property
    def passes(self) -> bool:
        """Whether the verdict is "pass"."""
        return self.verdict == PASS

    @property
    def lines(self) -> list[str]:
        """For each metric the verdict, the difference and its interval."""
        return [f"{row.verdict}: {self._line(row)}" for row in self._rows]

    def _line(self, row: ComparisonRow) -> str:
        name, n = self._name_of(row), quantity(row.n_queries, "query")
        if has_equal_values(self.comparison, row):
            same = f"{name}: identical on all {n}"
            if self.queries == "fixed":
                return f"{same}, margin {self._margin()}"
            return f'{same}; {self._could_rule_out(row)}. For these alone: queries="fixed"'
        start = f"{name} {_signed(row.difference)}"
        if self.queries == "fixed":
            return (
                f"{start}, exact on these {n}, {row.n_different:,} differ, margin "
                f"{self._margin()}"
            )
        return (
            f"{start}, {self._level()} interval {_interval(row)}, margin {self._margin()}, "
            f"a sample of {n}, {row.n_different:,} differ"
        )

    def _could_rule_out(self, row: ComparisonRow) -> str:
        """Return how many queries without a difference rule out a loss of the margin."""
        settings = self.comparison.settings
        margin, level = settings["margin"], settings["confidence_level"]
        width = row.high - row.low
        if not margin or not width:
            return "they rule out no loss"
        # Without a difference an end is range * (1 - q ** (1 / n)).
        share = (1 - level) / 2
        span = abs(row.low) / -math.expm1(math.log(share) / row.n_queries)
        if margin >= span:
            return f"the margin is {self._margin()}"
        n = math.ceil(math.log(share) / math.log1p(-margin / span))
        return f"{n:,} such queries could rule out a loss of {self._margin()}"

    def to_markdown(self) -> str:
        """Write a heading, a table with one row per metric, and the notes.

        Returns
        -------
        text : str
            Markdown, for the summary of a job.
        """
        first = self._rows[0]
        models = first.model, first.baseline
        names = (escape_markup(str(name), "markdown") for name in models)
        heading = f"### {self.verdict}: {' against '.join(names)}"
        cells = [TITLES, ("---",) * len(TITLES), *map(self._markdown_cells, self._rows)]
        table = "\n".join(f"| {' | '.join(row)} |" for row in cells)
        notes = (f"Note: {escape_markup(note, 'markdown')}" for note in self.notes)
        return "\n\n".join([heading, table, *notes]) + "\n\n"

    def annotations(self, file: str | None = None, line: int | None = None) -> list[str]:
        """Write each line as a command of GitHub Actions, which shows it beside the code.

        Parameters
        ----------
        file : str, default=None
            File to which the line belongs, relative to the root of the repository.
        line : int, default=None
            Number of the line in the file, from 1.

        Returns
        -------
        commands : list of str
            ``::error``, ``::warning`` or ``::notice`` for "fail", "undecided" or "pass".
            Print each on a line of its own.
        """
        return [annotate_line(text, file, line) for text in self.lines]

    def __repr__(self) -> str:
        """Return the verdict and the metrics."""
        metrics = [row.metric for row in self._rows]
        return f"ModelGate({self.verdict!r}, metrics={metrics})"

    def __bool__(self) -> bool:
        """Raise: ``assert gate`` would always pass."""
        raise TypeError(
            "A ModelGate has three verdicts and no truth value; use gate.passes."
        )

    def _sections(self) -> list[Section]:
        return [Section(self.lines, notes=[f"Note: {note}" for note in self.notes])]

    def _columns(self) -> dict[str, Any]:
        return {name: [row[name] for row in self._rows] for name in self._rows[0]}

    def _facts(self) -> dict[str, Any]:
        settings = self.comparison.settings
        return {
            **{"verdict": self.verdict, "queries": self.queries},
            **{"notes": self.notes, "settings": settings},
        }

    def _markdown_cells(self, row: ComparisonRow) -> tuple[str, ...]:
        return (
            escape_markup(self._name_of(row), "markdown"),
            f"{row.mean_baseline:.4f}",
            f"{row.mean:.4f}",
            _signed(row.difference),
            "exact" if self.queries == "fixed" else f"{_interval(row)} ({self._level()})",
            self._margin(),
            f"{row.n_queries:,}",
            f"{row.n_different:,}",
            row.verdict,
        )

    def _name_of(self, row: ComparisonRow) -> str:
        lower = row.metric in self.comparison.lower_is_better
        return escape_controls(row.metric) + (" (lower is better)" if lower else "")

    def _level(self) -> str:
        return format_percent(self.comparison.settings["confidence_level"])

    def _margin(self) -> str:
        return f"{self.comparison.settings['margin']:g}"


def verdict_on_loss(
    low: float, high: float, margin: float, *, lower_is_better: bool
) -> str:
    """Return "pass", "fail" or "undecided"; the margin is the largest accepted loss."""
    if lower_is_better:
        low, high = -high, -low
    if high < -margin:
        return FAIL
    # An interval of zero width comes from equal differences, and other queries may differ.
    return PASS if -margin <= low < high else UNDECIDED


def describe_changes(old: Sequence[Any], new: Sequence[Any]) -> str:
    """Return how many queries are gone and new, with three of each; "" without any."""
    before, after = dict.fromkeys(old), dict.fromkeys(new)
    gone = [query for query in before if query not in after]
    come = [query for query in after if query not in before]
    if not gone and not come:
        return ""
    return ", ".join(
        f"{len(queries):,} {word}" + (f" (such as {queries[:3]})" if queries else "")
        for word, queries in {"gone": gone, "new": come}.items()
    )


def has_equal_values(comparison: ModelComparison, row: ComparisonRow) -> bool:
    """Return whether all queries have the same values of a metric, which must be known."""
    if row.metric not in comparison.values or row.equal < row.n_queries:
        return False
    left, right = (np.isnan(model) for model in comparison.values[row.metric].values())
    return np.array_equal(left, right)


def _interval(row: ComparisonRow) -> str:
    return f"[{_signed(row.low)}, {_signed(row.high)}]"


def _signed(number: float) -> str:
    """Return a number with its sign; small ones keep their significant digits."""
    return f"{number:+.4f}" if number == 0 or abs(number) >= 0.001 else f"{number:+.2g}"


def annotate_line(text: str, file: str | None = None, line: int | None = None) -> str:
    """Return a line that begins with a verdict as a command of GitHub Actions."""
    parameters = {"file": file, "line": line, "title": "gate"}
    properties = ",".join(
        f"{name}={_escape_command(str(value), ':,')}"
        for name, value in parameters.items()
        if value is not None
    )
    level = LEVELS[text.partition(":")[0]]
    return f"::{level} {properties}::{_escape_command(text)}"


def _escape_command(text: str, more: str = "") -> str:
    """Return text in which the runner sees neither the end of a line nor of a property."""
    return "".join(f"%{ord(char):02X}" if char in f"%\r\n{more}" else char for char in text)

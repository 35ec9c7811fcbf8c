"""The gate: a candidate passes if it is not worse than a baseline by more than a margin."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, cast

import numpy as np

from sklearn_rank._base._messages import keep_warnings, quantity, warn_caller
from sklearn_rank._base._text import escape_controls, format_percent
from sklearn_rank._base._validation import check_given, check_option, check_real
from sklearn_rank._display._result import Result
from sklearn_rank._display._section import Section
from sklearn_rank._hints._explain import explained
from sklearn_rank.metrics._core._bounded_mean import Ends
from sklearn_rank.metrics._core._clusters import ROUNDING, differences, t_interval
from sklearn_rank.metrics._core._mean_intervals import WIDENED
from sklearn_rank.statistics._compare_models import NO_COLUMNS, estimate_metrics
from sklearn_rank.statistics._comparison_text import differ_text
from sklearn_rank.statistics._gate_rules import GateRules
from sklearn_rank.statistics._metric_comparison import FEW_DIFFERENT
from sklearn_rank.statistics._model_comparison import ModelComparison
from sklearn_rank.statistics._options import Options
from sklearn_rank.statistics._paper_table import escape_markup
from sklearn_rank.statistics._read_scores import ValuesOfModel
from sklearn_rank.statistics._repeat_spread import error_of_repeats, notes_on_repeats
from sklearn_rank.statistics._result_rows import ComparisonRow
from sklearn_rank.statistics._streams import has_streams
from sklearn_rank.typing import ArrayLike, ClusterLabels

QUERIES = ("sample", "fixed")
PASS, FAIL, UNDECIDED = "pass", "fail", "undecided"
# The commands of GitHub Actions that show a line beside the code.
LEVELS = {PASS: "notice", FAIL: "error", UNDECIDED: "warning", "wrote": "notice"}
# The largest losses that are shown.
WORST = 3
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
    margin: float | Mapping[str, float],
    queries: Literal["sample", "fixed"] = "sample",
    metrics: str | Sequence[str] | None = None,
    clusters: ClusterLabels | None = None,
    confidence_level: float = 0.95,
    floor: float | Mapping[str, float] | None = None,
    value_range: ArrayLike | Mapping[str, ArrayLike] | None = None,
    lower_is_better: str | Sequence[str] | Mapping[str, bool] | None = None,
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
    no verdict is "undecided". For several repeats of a noisy system it has an interval over
    other repeats, by Welch's t of the means of repeats over the queries.

    Parameters
    ----------
    baseline : PerQueryScores, dict or array-like
        Values per query of the model in use, in any form that :func:`compare_models` takes
        for one model, several repeats included.
    candidate : PerQueryScores, dict or array-like
        Values per query of the new model, for the same queries and in the same form.
    margin : float or dict of str to float
        Largest loss that is accepted, 0 or more, in units of the metric: of all metrics, or
        of each by its name.
    queries : {"sample", "fixed"}, default="sample"
        Whether the verdict is about all queries, these being a sample, or about these
        queries alone.
    metrics : str or sequence of str, default=None
        Metrics to check. Each one has to pass, so a correction for several is not needed.
        If None, all, which must be the same for both.
    clusters : array-like of shape (n_queries,) or dict, default=None
        Cluster of each query, in the order of `baseline`, or of each label: a coarser unit,
        such as the user of several queries. If None, each query is a cluster.
    confidence_level : float, default=0.95
        Probability that an interval covers the true difference.
    floor : float or dict of str to float, default=None
        What the mean of the candidate has to reach, of all metrics or by metric; where
        lower is better, what it must not exceed. For a sample the interval of the mean
        decides. If None, nothing.
    value_range : (float, float) or dict of str to (float, float), default=None
        Lowest and highest possible value, of all metrics or by metric. With it the interval
        is exact where few queries differ. Metrics of this package have theirs.
    lower_is_better : str, sequence of str or dict of str to bool, default=None
        Metrics whose lower values are better, or by name whether they are. Metrics of this
        package have a direction. For any other metric higher is better, but one with a word
        such as latency, cost or loss in its name has to be named here.

    Returns
    -------
    gate : ModelGate
        `verdict` is that of all metrics: "fail" if one fails, else "undecided" if one is,
        else "pass". `passes` says whether it is "pass".

    Raises
    ------
    ValueError
        If the two have different queries or metrics; if there are fewer than two clusters;
        if a number is out of range or a name unknown; if a direction has to be said.

    Warns
    -----
    UserWarning
        For the reasons of :func:`compare_models`.

    See Also
    --------
    compare_models : Differences with intervals and p-values.
    plan_evaluation : The number of queries that a difference needs.

    Notes
    -----
    Where fewer than ten queries differ, and fewer than half, the interval is exact, if the
    range of the metric is known. Equal values pass if the queries are fixed. If they are a
    sample, a margin of 0.01 of a metric from 0 to 1 needs 368 queries without a difference:
    a system that loses 5% of all queries shows no loss in 13% of samples of 40.

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
    >>> fast, slow = {"a": 20.0, "b": 30.0}, {"a": 25.0, "b": 60.0}
    >>> print(
    ...     gate_model(
    ...         {"latency": fast},
    ...         {"latency": slow},
    ...         margin=10,
    ...         queries="fixed",
    ...         lower_is_better="latency",
    ...     )
    ... )
    fail: latency (lower is better) +17.5000, exact on these 2 queries, 2 differ, margin 10
    """
    check_given("margin", margin, margin is not None, "a finite number >= 0")
    rules = GateRules.read(margin, floor, value_range, lower_is_better)
    return judge(baseline, candidate, rules, queries, metrics, clusters, confidence_level)


def judge(
    baseline: Any,
    candidate: Any,
    rules: GateRules,
    queries: Literal["sample", "fixed"],
    metrics: Any = None,
    clusters: Any = None,
    confidence_level: float = 0.95,
    test: str = "auto",
) -> ModelGate:
    """Return the verdict on a candidate by rules: in Python, in a shell and in a test."""
    check_option("queries", queries, QUERIES)
    margin = None if isinstance(rules.margin, Mapping) else rules.margin
    fewest = 1 if queries == "fixed" else 2
    options = Options(
        test, "two-sided", confidence_level, None, margin=margin, fewest=fewest
    )
    both = {"baseline": baseline, "candidate": candidate}
    are_streams = has_streams(both)
    if are_streams:
        rules.check_streamed()
    columns = {**NO_COLUMNS, "clusters": clusters}
    estimated = estimate_metrics(
        both, options, "baseline", metrics, side_columns=columns, rules=rules
    )
    comparison = estimated.compare("baseline")
    if are_streams:
        rules.lower_of(list(comparison.n_undefined), comparison.lower_is_better)
    margins = {metric.name: metric.options.margin for metric in estimated.metrics}
    comparison.settings |= rules.settings(cast(Any, margins))
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
        For each metric the verdict, the difference and its interval; then for each floor
        the verdict, the mean and its interval.
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

    floors: list[dict[str, Any]]

    def __init__(
        self,
        comparison: ModelComparison,
        *,
        notes: Iterable[str] = (),
        queries: Literal["sample", "fixed"] = "sample",
    ) -> None:
        is_valid = isinstance(comparison, ModelComparison)
        check_given("comparison", comparison, is_valid, "a ModelComparison")
        settings = comparison.settings
        check_option("queries", queries, QUERIES)
        self.comparison, self.queries = comparison, queries
        self._rows: list[ComparisonRow] = comparison.rows()
        for row in self._rows:
            margin = settings.get("margins", {}).get(row.metric, settings.get("margin"))
            needed = "a finite number >= 0 in the comparison"
            row["margin"] = check_real("margin", margin, needed, least=0)
            self._decide(row)
        self.floors = [
            self._judge_mean(metric, floor)
            for metric, floor in settings.get("floors", {}).items()
        ]
        self.notes = [*notes, *self._notes_on_queries()]

    def _judge_mean(self, metric: str, floor: float) -> dict[str, Any]:
        """Return the mean of the candidate and whether it reaches a floor."""
        row = next(row for row in self._rows if row.metric == metric)
        means = self.comparison.means
        is_row = (means["metric"] == metric) & (means["model"] == row.model)
        mean, low, high = (float(means[n][is_row][0]) for n in ("mean", "low", "high"))
        is_fixed = self.queries == "fixed"
        if is_fixed:
            low, high = self._ends(mean, row, n_sides=1)
        sign = -1 if metric in self.comparison.lower_is_better else 1
        worst, best = sorted((sign * low, sign * high))
        bar = sign * floor - ROUNDING
        verdict = PASS if worst >= bar else FAIL if best < bar else UNDECIDED
        interval = "exact" if is_fixed and low == high else [low, high]
        return {
            **{"metric": metric, "floor": floor, "mean": mean, "interval": interval},
            **{"n_queries": row.n_queries, "verdict": verdict},
        }

    def _decide(self, row: ComparisonRow) -> None:
        """Set the verdict of a row and, of fixed queries, what its interval is."""
        margin, lower = row["margin"], row.metric in self.comparison.lower_is_better
        is_same = has_equal_values(self.comparison, row)
        if self.queries == "fixed":
            row["difference"] = 0.0 if is_same else row.difference
            row["low"], row["high"] = self._ends(row.difference, row)
            row["interval"] = "identical" if is_same else "exact"
            gains = sorted((-1) ** lower * end for end in (row.low, row.high))
            worst, best = (gain >= -margin - ROUNDING for gain in gains)
            row["verdict"] = PASS if worst else UNDECIDED if best else FAIL
            if _varies(row):
                row["interval"] = "t"
        else:
            row["verdict"] = verdict_on_loss(
                row.low, row.high, margin, lower_is_better=lower
            )

    def _ends(self, value: float, row: ComparisonRow, n_sides: int = 2) -> Ends:
        """Return the interval over repeats of a value over fixed queries.

        The value is of the candidate, and of both sides of their difference.
        """
        if not _varies(row):
            return value, value
        error, df = error_of_repeats(row.n_repeats[:n_sides], row.repeat_sd[:n_sides])
        level = self.comparison.settings["confidence_level"]
        low, high = t_interval(value, error, df, level)
        return float(low), float(high)

    def _notes_on_queries(self) -> list[str]:
        """Return notes on undefined queries, on exact intervals, and on too few queries."""
        comparison = self.comparison
        notes = [
            f"{quantity(n, 'query')} left out of {metric}, which is undefined there."
            for metric, n in comparison.n_undefined.items()
            if n
        ]
        if self.queries == "fixed":
            once = [
                f"{row.metric}: {name} was run once; it is taken to vary as the other one."
                for row in self._rows
                if _varies(row)
                for name, n in zip((row.model, row.baseline), row.n_repeats, strict=True)
                if n == 1
            ]
            return notes + once
        rows = [row for row in self._rows if not has_equal_values(comparison, row)]
        for row in rows:
            notes += filter(None, (self._note_on_interval(row), self._note_on_number(row)))
            notes += [f"{row.metric}: {text}" for text in notes_on_repeats([row])]
        return notes

    def _note_on_interval(self, row: ComparisonRow) -> str | None:
        """Return what an exact interval leaves open, or what it would need."""
        if row.interval == "exact":
            settings = self.comparison.settings | {"margin": row["margin"]}
            lower = row.metric in self.comparison.lower_is_better
            return f"{row.metric}: {differ_text(row, settings, lower)}"
        are_few = row.n_different < min(FEW_DIFFERENT, row.n_clusters / 2)
        if row.interval not in ("t", WIDENED) or not are_few or "n_repeats" in row:
            return None
        return (
            f"{row.metric}: {row.n_different:,} of {quantity(row.n_queries, 'query')} "
            "differ; with `value_range`, its lowest and highest value, the interval is "
            "exact."
        )

    def _note_on_number(self, row: ComparisonRow) -> str | None:
        """Return how many queries of this kind could decide, if these do not."""
        lower = row.metric in self.comparison.lower_is_better
        room = row["margin"] + (-row.difference if lower else row.difference)
        half = (row.high - row.low) / 2
        if row.verdict != UNDECIDED or not room or not half > 0:
            return None
        if "n_repeats" in row:  # whose error more queries do not make small
            return None
        n = math.ceil(row.n_queries * (half / room) ** 2)
        return (
            f"{row.metric}: {quantity(row.n_queries, 'query')} cannot tell; about {n:,} "
            "queries of this kind could."
        )

    @property
    def verdict(self) -> str:
        """The verdict by all metrics; each has to pass."""
        verdicts = {row["verdict"] for row in [*self._rows, *self.floors]}
        return next(word for word in (FAIL, UNDECIDED, PASS) if word in verdicts)

    @property
    def passes(self) -> bool:
        """Whether the verdict is "pass"."""
        return self.verdict == PASS

    @property
    def lines(self) -> list[str]:
        """For each metric and floor the verdict, what was compared, and its interval."""
        lines = [f"{row.verdict}: {self._line(row)}" for row in self._rows]
        return lines + [f"{row['verdict']}: {self._floor_line(row)}" for row in self.floors]

    def _floor_line(self, row: Mapping[str, Any]) -> str:
        name, n = self._name_of(row["metric"]), row["n_queries"]
        start, floor = f"{name}: mean {row['mean']:.4f}", f"floor {row['floor']:g}"
        if row["interval"] == "exact":
            return f"{start}, exact on {_queries('these', n)}, {floor}"
        low, high = row["interval"]
        which = f"a sample of {quantity(n, 'query')}"
        if self.queries == "fixed":
            which = f"repeats on {_queries('these', n)}"
        ends = f"[{low:.4f}, {high:.4f}]"
        return f"{start}, {self._level()} interval {ends}, {floor}, {which}"

    def worst(self, n: int = WORST) -> list[dict[str, Any]]:
        """Return the queries with the largest losses, if values of queries are known.

        Parameters
        ----------
        n : int, default=3
            The most that are returned.

        Returns
        -------
        queries : list of dict
            `query`, `metric`, `difference` (candidate - baseline) and `loss` of each, the
            largest loss first.
        """
        comparison, losses = self.comparison, []
        labels = [] if comparison.labels is None else comparison.labels.tolist()
        for row in self._rows:
            of_models = comparison.values.get(row.metric)
            if of_models is None:
                continue
            change = differences(of_models[row.model], of_models[row.baseline])
            sign = 1 if row.metric in comparison.lower_is_better else -1
            loss = np.nan_to_num(sign * change)
            for position in np.argsort(-loss, kind="stable")[:n].tolist():
                if loss[position] > 0:
                    numbers = float(change[position]), float(loss[position])
                    entry = labels[position], row.metric, *numbers
                    keys = ("query", "metric", "difference", "loss")
                    losses.append(dict(zip(keys, entry, strict=True)))
        losses.sort(key=lambda entry: -entry["loss"])
        return losses[:n]

    def _line(self, row: ComparisonRow) -> str:
        name, n = self._name_of(row.metric), row.n_queries
        margin = f"margin {row['margin']:g}"
        if has_equal_values(self.comparison, row):
            same = f"{name}: identical on {_queries('all', n)}"
            if self.queries == "fixed":
                return f"{same}, {margin}"
            if row.verdict == PASS:
                return f"{same}, {self._level()} interval {_interval(row)}, {margin}"
            enough = self._could_rule_out(row)
            return f"{same}; {enough}. For these alone, choose fixed queries"
        start = f"{name} {_signed(row.difference)}"
        if self.queries == "fixed" and not _varies(row):
            differ = _differ(row.n_different)
            return f"{start}, exact on {_queries('these', n)}, {differ}, {margin}"
        which = f"a sample of {quantity(n, 'query')}, {_differ(row.n_different)}"
        if row.n_clusters < row.n_queries:
            different = f"{row.n_different:,} of {row.n_clusters:,} clusters differ"
            which = f"a sample of {quantity(n, 'query')}, {different}"
        if self.queries == "fixed":
            repeats = " and ".join(map(str, row.n_repeats))
            which = f"{repeats} repeats on {_queries('these', n)}"
        return f"{start}, {self._level()} interval {_interval(row)}, {margin}, {which}"

    def _could_rule_out(self, row: ComparisonRow) -> str:
        """Return how many queries without a difference rule out a loss of the margin."""
        margin, level = row["margin"], self.comparison.settings["confidence_level"]
        width = row.high - row.low
        if not margin or not width:
            return "they rule out no loss"
        # Without a difference an end is range * (1 - q ** (1 / n)).
        share = (1 - level) / 2
        span = abs(row.low) / -math.expm1(math.log(share) / row.n_queries)
        if margin >= span:
            return f"the margin is {margin:g}"
        n = math.ceil(math.log(share) / math.log1p(-margin / span))
        return f"{n:,} such queries could rule out a loss of {margin:g}"

    def to_markdown(self) -> str:
        """Write a heading, a table with one row per metric, and the notes.

        Returns
        -------
        text : str
            Markdown, for the summary of a job.
        """
        return self._markdown_of(self.verdict, [], self.notes)

    def _markdown_of(self, verdict: str, lines: Sequence[str], notes: Iterable[str]) -> str:
        """Return the table below a verdict, lines on parts of the queries, and notes."""
        first = self._rows[0]
        models = first.model, first.baseline
        names = (escape_markup(str(name), "markdown") for name in models)
        heading = f"### {verdict}: {' against '.join(names)}"
        cells = [TITLES, ("---",) * len(TITLES), *map(self._markdown_cells, self._rows)]
        cells += map(self._floor_cells, self.floors)
        table = "\n".join(f"| {' | '.join(row)} |" for row in cells)
        texts = [*lines, *(f"Note: {note}" for note in notes)]
        paragraphs = (escape_markup(text, "markdown") for text in texts)
        return "\n\n".join([heading, table, *paragraphs]) + "\n\n"

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
            **{"floors": self.floors, "notes": self.notes, "settings": settings},
        }

    def _markdown_cells(self, row: ComparisonRow) -> tuple[str, ...]:
        return (
            escape_markup(self._name_of(row.metric), "markdown"),
            f"{row.mean_baseline:.4f}",
            f"{row.mean:.4f}",
            _signed(row.difference),
            "exact"
            if self.queries == "fixed" and not _varies(row)
            else f"{_interval(row)} ({self._level()})",
            f"{row['margin']:g}",
            f"{row.n_queries:,}",
            f"{row.n_different:,}",
            row.verdict,
        )

    def _floor_cells(self, row: Mapping[str, Any]) -> tuple[str, ...]:
        name = escape_markup(self._name_of(row["metric"]), "markdown")
        mean, floor = f"{row['mean']:.4f}", f"floor {row['floor']:g}"
        return name, "", mean, "", "", floor, f"{row['n_queries']:,}", "", row["verdict"]

    def _name_of(self, metric: str) -> str:
        lower = metric in self.comparison.lower_is_better
        return escape_controls(metric) + (" (lower is better)" if lower else "")

    def _level(self) -> str:
        return format_percent(self.comparison.settings["confidence_level"])


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
    if row.get("components", {}).get("rest") or _varies(row):  # equal means of repeats
        return False
    left, right = (np.isnan(model) for model in comparison.values[row.metric].values())
    return np.array_equal(left, right)


def _varies(row: ComparisonRow) -> bool:
    """Return whether the mean over queries differs between repeats of a model."""
    return any(deviation > 0 for deviation in row.get("repeat_sd", ()))


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


def _queries(which: str, n: int) -> str:
    return "this query" if n == 1 else f"{which} {n:,} queries"


def _differ(n: int) -> str:
    return f"{n:,} differ{'s' if n == 1 else ''}"

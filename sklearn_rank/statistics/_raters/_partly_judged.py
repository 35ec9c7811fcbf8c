"""Values of queries from rows that people judged in part, and a judge entirely."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_rank._base._label_checks import check_arguments_paired
from sklearn_rank._base._labels import encode_labels
from sklearn_rank._base._messages import keep_warnings, warn_caller
from sklearn_rank._base._numbers import as_floats, check_one_per_row, check_values
from sklearn_rank._base._validation import check_length
from sklearn_rank._hints._explain import explained
from sklearn_rank._ranking._judgments import Judgments, read_judgments
from sklearn_rank._ranking._rows import check_grades
from sklearn_rank.metrics import PerQueryScores
from sklearn_rank.metrics._core._clusters import power_of_two
from sklearn_rank.metrics._core._evaluate import evaluate
from sklearn_rank.metrics._core._metric import BoundMetric, bind_to_input
from sklearn_rank.metrics._core._registry import bind
from sklearn_rank.statistics._raters._control_variates import (
    inverse_chances,
    subtract_controls,
)
from sklearn_rank.typing import ArrayLike, Labels, Metrics

# Sums over rows of a weight times a gain, and what makes the gain the grade.
LINEAR: dict[str, dict[str, Any]] = {
    **{"precision": {}, "cg": {"gain": "linear"}, "dcg": {"gain": "linear"}},
    **{"rbp": {"max_grade": 1.0}, "insq": {"max_grade": 1.0}},
}
# With fewer queries, or rows that count as fewer, intervals cover less often.
FEW = 30
# From here on one judged row decides.
MOST_STOOD_FOR = 100


@explained
@keep_warnings
def partly_judged_scores(
    y_true: ArrayLike,
    y_score: ArrayLike | Mapping[str, ArrayLike],
    *,
    groups: Labels | None = None,
    metrics: Metrics = ("dcg@10",),
    probability: ArrayLike | None = None,
    judge: ArrayLike | None = None,
) -> PerQueryScores | dict[str, PerQueryScores]:
    r"""Estimated values per query from a random sample of judged rows.

    People judge some rows, or all rows of some queries. A judge, such as a language model,
    may grade every row. A metric that is a sum over rows of a weight w times a gain has an
    unbiased estimate, however wrong the judge is.

    With the gains g by people and f by the judge, and :math:`h = w / \pi` for a row that
    had the chance :math:`\pi` to be judged and was, else 0, query q has

    .. math::

        A_q &= \sum h g \qquad
        B_q = \Bigl( \sum w - \sum h, \; \sum w f - \sum h f \Bigr) \\
        T_q &= A_q - B_q \cdot \beta_{(q)}

    B has the mean 0. :math:`\beta_{(q)}` are the least-squares slopes of A on B over all
    queries but q, so that T has the mean of A and a smaller error.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_items)
        Grades by people. NaN is unjudged, and so is -0.0, with which functions such as
        :func:`~sklearn_rank.inputs.from_item_lists` mark items without a judgment.
    y_score : array-like of the same shape, or mapping of str to array-like
        Scores of a model, the highest first; ``-inf`` is not in its list. Or the scores of
        each model by its name: give all that you compare in one call.
    groups : array-like of shape (n_rows,), default=None
        Query or user of each row, labels of any type. Required in 1-D, None in 2-D.
    metrics : str, callable or sequence of these, default=("dcg@10",)
        Sums over rows: ``"precision"``, ``"cg"``, ``"dcg"``, ``"rbp"`` and ``"insq"``, with
        any parameters and cutoff.
    probability : float or array-like of the same shape, default=None
        Chance of each row to be judged by people, or one for all; only those of judged rows
        are read. If None, that of a simple random sample, of queries if each query is
        judged entirely or not at all, else of rows.
    judge : array-like of the same shape, default=None
        Grade of every row by the judge, on the scale of ``y_true``. If None, people alone.

    Returns
    -------
    scores : PerQueryScores or dict of str to PerQueryScores
        The estimates, for a mapping by its names, for :func:`confidence_interval` and
        :func:`compare_models`. That of one query may lie outside the range of the metric.

    Raises
    ------
    ValueError
        If a metric is not such a sum; if there are fewer than three queries, or fewer than
        two with judged rows; if the probability of a judged row is missing, or not above 0
        and at most 1; if a grade of the judge is missing. For bad input, see :ref:`errors`.

    Warns
    -----
    UserWarning
        If fewer than 30 queries have judged rows, if these weigh as fewer than 30 equal
        ones, or if one of them stands for more than 100.

    See Also
    --------
    judge_assisted_mean : For any metric, if people judge whole queries.
    sklearn_rank.inputs.make_pool : Draws the rows to judge, with their probabilities.

    Notes
    -----
    Without a judge the first control alone is left, which makes a sample of random size
    harmless. Nobody knows which queries have no relevant row, so these count as 0. Ties are
    averaged. ``max_grade`` of RBP and INSQ is by default the highest grade of people and
    judge.

    For several models, the mean of their A and B has its own slopes, and what each adds to
    it has slopes that all share, which is best for differences.

    The chances have to be fixed before anybody sees a grade, and the judge must not have
    seen those of people. Older grades have the probability 1 only if all rows of their kind
    were judged, such as a pool to a depth. A judge that returns chances makes every row
    relevant to precision: round its grades first.

    References
    ----------
    .. [1] A. N. Angelopoulos, J. C. Duchi and T. Zrnic, "PPI++: efficient
           prediction-powered inference", 2023.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_rank.statistics import compare_models, partly_judged_scores
    >>> rng = np.random.default_rng(0)
    >>> true = rng.integers(0, 4, (400, 20))
    >>> judge = np.clip(true + rng.integers(0, 2, true.shape), 0, 3)
    >>> people = np.where(rng.random(true.shape) < 0.1, true, np.nan)
    >>> models = {name: true + noise * rng.normal(size=true.shape)
    ...           for name, noise in [("old", 3), ("new", 2)]}
    >>> scores = partly_judged_scores(people, models, judge=judge, probability=0.1)
    >>> row = compare_models(scores, baseline="old").row("new")
    >>> row.verdict, round(row.difference, 2), round(row.low, 2), round(row.high, 2)
    ('better', 0.82, 0.51, 1.12)
    """
    wanted = bind(metrics, "average", 0.0)
    for bound in wanted:
        _check_sums_rows(bound)
    models = dict(y_score) if isinstance(y_score, Mapping) else {"": y_score}
    if not models:
        raise ValueError("`y_score` has no model.")
    side_columns = {"probability": probability, "judge": judge}
    for scores in models.values():
        check_arguments_paired(y_true, scores, groups, columns=side_columns)
    rows = _read_judged_rows(y_true, groups, probability, judge)
    grades = rows.grade if rows.judge is None else rows.judge
    for scores in models.values():  # what is wrong with them, in words about grades
        evaluate(wanted, grades, scores, groups, by_query=True)
    wanted = [
        bind_to_input(bound, rows.max_grade) if bound.metric.from_data else bound
        for bound in wanted
    ]
    estimates = {bound.name: _estimate(bound, rows, models) for bound in wanted}
    warn_caller(*rows.find_warnings())
    from_data = {
        bound.name: {name: bound.parameters[name] for name in bound.metric.from_data}
        for bound in wanted
    }
    by_model = {}
    for index, model in enumerate(models):
        values = {name: of_models[index] for name, of_models in estimates.items()}
        by_model[model] = PerQueryScores(rows.labels, values, whole=from_data)
    return by_model if isinstance(y_score, Mapping) else by_model[""]


def _check_sums_rows(bound: BoundMetric) -> None:
    if bound.metric.name not in LINEAR:
        instead = "dcg" if bound.k is None else f"dcg@{bound.k}"
        raise ValueError(
            f"{bound.name!r} is not a sum over rows, so single judged rows cannot give it "
            f"without bias; use {instead!r}, or judge whole queries and use "
            "judge_assisted_mean."
        )


@dataclass(frozen=True, eq=False)
class _PartlyJudged:
    """Grades of rows by people and by the judge."""

    groups: Any
    labels: np.ndarray  # of the queries
    query: np.ndarray  # the code of each row
    grade: np.ndarray  # by people, 0 if unjudged
    stands_for: np.ndarray  # 1 over the chance to be judged, 0 if unjudged
    judge: np.ndarray | None

    @property
    def max_grade(self) -> float:
        """The highest grade."""
        highest = 0.0 if self.judge is None else self.judge.max(initial=0)
        return float(max(highest, self.grade.max(initial=0)))

    def find_warnings(self) -> list[str]:
        """Return warnings of samples that are too small or too unequal."""
        times = self.stands_for[self.stands_for > 0]
        n_queries = len(np.unique(self.query[self.stands_for.ravel() > 0]))
        n_effective = times.sum() ** 2 / (times**2).sum()
        messages = []
        if n_queries < FEW:
            messages.append(
                f"People judged rows of {n_queries} queries; below {FEW} intervals cover "
                "less often than their level. Judge rows of more queries."
            )
        if n_effective < FEW:
            messages.append(
                f"The judged rows weigh as {n_effective:.3g} equal ones; below {FEW} "
                "intervals of means cover less often than their level. Judge more rows, "
                "those with a low probability among them."
            )
        if times.max() > MOST_STOOD_FOR:
            messages.append(
                f"A judged row stands for {times.max():.4g} rows, as its probability is "
                f"{1 / times.max():.3g}; above {MOST_STOOD_FOR} one row may decide the "
                "result. Draw no row with a lower probability than 0.01."
            )
        return messages


def _read_judged_rows(
    y_true: Any, groups: Any, probability: Any, judge: Any
) -> _PartlyJudged:
    grades = as_floats(y_true, "y_true")
    is_meant = isinstance(y_true, Judgments)
    grades, _ = read_judgments(grades, "partly_judged_scores", is_meant=is_meant)
    is_judged = ~np.isnan(grades)
    grades = np.where(is_judged, grades, 0.0)
    check_grades(grades)
    if judge is not None:
        judge = as_floats(judge, "judge")
        check_one_per_row("judge", judge, grades.shape)
        judge = judge.reshape(grades.shape)
        needed = "give the grade of the judge for every row, or leave `judge` out"
        check_values("judge", judge, np.isnan(judge), "missing", needed)
        check_grades(judge, name="judge")
    if groups is None:
        n_queries, width = grades.shape if grades.ndim == 2 else (len(grades), 1)
        labels, query = np.arange(n_queries), np.arange(n_queries).repeat(width)
    else:
        labels, query = encode_labels(groups, name="groups")
        check_length("groups", query, grades.size)
    counts = np.bincount(query[is_judged.ravel()], minlength=len(labels))
    n_judged = int(np.count_nonzero(counts))
    if n_judged < 2 or len(counts) < 3:
        raise ValueError(
            f"`y_true` has judged rows in {n_judged} of {len(counts)} queries; an estimate "
            "needs three queries, two with judged rows. NaN and -0.0 are unjudged."
        )
    are_whole = bool(((counts == 0) | (counts == np.bincount(query))).all())
    share = np.mean(counts > 0) if are_whole else counts.sum() / len(query)
    stands_for = inverse_chances(probability, is_judged, float(share), "row")
    return _PartlyJudged(groups, labels, query, grades, stands_for, judge)


def _estimate(
    bound: BoundMetric, rows: _PartlyJudged, models: Mapping[Any, Any]
) -> np.ndarray:
    """Return the estimates of queries, a row for each model."""
    linear = bound.with_parameters(**LINEAR[bound.metric.name])
    if bound.metric.name == "precision":
        linear = bind("cg", "average", 0.0)[0].with_parameters(k=bound.k)
    times = rows.stands_for
    columns = [times * _gains(bound, linear, rows.grade), np.ones(times.shape), times]
    if rows.judge is not None:
        gains = _gains(bound, linear, rows.judge)
        columns += [gains, times * gains]
    of_models = (
        [_sum_rows(linear, column, scores, rows.groups) for column in columns]
        for scores in models.values()
    )
    sums = np.array(list(of_models))
    if bound.metric.name == "precision" and bound.k is None:
        sums /= np.maximum(sums[:, 1:2], 1)  # the rows of each list
    values = sums[:, 0]
    excess = sums[:, 1::2] - sums[:, 2::2]  # of all rows, less that of judged ones
    controls = np.ascontiguousarray(np.moveaxis(excess, 1, 2))
    codes = np.arange(values.shape[1])
    mean, mean_controls = values.mean(axis=0), controls.mean(axis=0)
    shared, _ = subtract_controls(mean[None], mean_controls[None], codes)
    own, _ = subtract_controls(values - mean, controls - mean_controls, codes)
    return shared + own


def _gains(bound: BoundMetric, linear: BoundMetric, grades: np.ndarray) -> np.ndarray:
    """Return the gain of each grade: the value of a list of this row alone, per grade 1."""
    distinct, codes = np.unique(grades, return_inverse=True)
    alone = np.zeros(len(distinct)), np.arange(len(distinct))
    unit = _sum_rows(linear, np.ones(1), *(part[:1] for part in alone))
    gains = evaluate([bound], distinct, *alone, by_query=True, warn=_say_nothing)
    return (gains.per_query().scores[bound.name] / unit)[codes].reshape(grades.shape)


def _sum_rows(
    linear: BoundMetric, values: np.ndarray, scores: Any, groups: Any
) -> np.ndarray:
    """Return the sum over rows of weight times value, of each query."""
    scale = 2 * power_of_two(values)
    keywords: Any = {"by_query": True, "warn": _say_nothing}
    evaluation = evaluate([linear], values / scale, scores, groups, **keywords)
    return evaluation.per_query().scores[linear.name] * scale


def _say_nothing(subject: str, text: str) -> None:
    """Ignore warnings of values that are not grades."""

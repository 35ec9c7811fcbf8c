"""Compare candidates of a search by their means of folds."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import stats

from sklearn_rank._base._messages import keep_warnings, shorten
from sklearn_rank._base._sklearn import is_of_last_iteration
from sklearn_rank._base._validation import check_given, check_real, count_named, suggest
from sklearn_rank._hints._explain import explained
from sklearn_rank.metrics._core._clusters import (
    Estimate,
    Shares,
    differences,
    standard_deviation,
)
from sklearn_rank.statistics._metric_comparison import MetricRows, PairedEstimate
from sklearn_rank.statistics._model_comparison import ModelComparison
from sklearn_rank.statistics._options import Options
from sklearn_rank.statistics._read_scores import UNNAMED, read_query_values
from sklearn_rank.statistics._result_rows import choose_one
from sklearn_rank.typing import Alternative

TEST_NAME = "corrected resampled t test"
FOLD_KEY = re.compile(r"split\d+_test_(.+)")


@explained
@keep_warnings
def compare_candidates(
    cv_results: Any,
    *,
    test_size: float,
    metric: str | None = None,
    baseline: int | str | None = None,
    margin: float | None = None,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
) -> ModelComparison:
    r"""Compare candidates of a search by their scores of folds.

    Folds share training rows, so an ordinary t test on their scores has too many false
    positives. With the differences :math:`d_j` of two candidates in k folds (all repeats
    together) and the ratio :math:`\rho` of queries in test and train the corrected
    resampled t test has k - 1 degrees of freedom and

    .. math::

        SE^2 = \left(\frac{1}{k} + \rho\right)
        \frac{\sum_j (d_j - \bar d)^2}{k - 1}

    Parameters
    ----------
    cv_results : estimator or dict
        A fitted search such as GridSearchCV, its ``cv_results_``, or a dict with the scores
        of the folds of each candidate by its name.
    test_size : float
        Share of the queries in the test part of a fold, n_test / (n_train + n_test): 0.2
        for five folds. ``cv_results_`` does not contain it.
    metric : str, default=None
        Name of the metric in a search with several.
    baseline : int or str, default=None
        Index or name of the candidate that the others are compared with. If None, the best
        one. The same scores have chosen it, so p only describes which others are as good.
    margin : float, default=None
        Smallest difference that matters, in units of the metric.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        As in :func:`compare_models`.
    confidence_level : float, default=0.95
        Probability that an interval covers the true difference.

    Returns
    -------
    comparison : ModelComparison
        A row for each candidate but the baseline, with the columns of
        :func:`compare_models`; `n_queries` and `n_clusters` count folds. Also `p_better`,
        `p_equivalent` and `p_worse`: the probability that the difference is above the
        margin (0 without one), within it, or below. p-values are not corrected.

    Raises
    ------
    ValueError
        If there are no scores of two folds and two candidates, a name is unknown, or a
        number is out of its range.

    See Also
    --------
    compare_models : Compares by queries, more precise than the means of few folds.

    Notes
    -----
    The standard error is that of [1]_. The probabilities are those of [2]_: under a flat
    prior the difference has the same t distribution. A candidate without a score in a fold
    has NaN.

    References
    ----------
    .. [1] C. Nadeau and Y. Bengio, "Inference for the generalization error", Machine
           Learning 52, 2003.
    .. [2] A. Benavoli, G. Corani, J. Demšar and M. Zaffalon, "Time for a change: a tutorial
           for comparing multiple classifiers through Bayesian analysis", JMLR 18(77), 2017.

    Examples
    --------
    >>> from sklearn_rank.statistics import compare_candidates
    >>> folds = {"new": [0.32, 0.31, 0.33, 0.29, 0.32], "old": [0.3] * 5}
    >>> found = compare_candidates(
    ...     folds, test_size=0.2, baseline="old", margin=0.005
    ... )
    >>> print(found)
    score, 5 folds; difference to old, margin 0.005; corrected resampled t test
           mean  difference        95% interval       p  better  within  worse
    new  0.3140     +0.0140  [-0.0142, +0.0422]  0.2408   0.787   0.146  0.068
    old  0.3000
    better, within, worse: probability that the difference is above the margin of
      0.005, within or below.
    """
    options = Options("t", alternative, confidence_level, None, margin=margin)
    needed = "a number above 0, below 1"
    tested = check_real("test_size", test_size, needed, above=0, below=1)
    name, candidates = _read_candidates(cv_results, metric)
    names = list(candidates)
    baseline_index = _baseline_index(names, candidates, baseline)
    own = candidates[names[baseline_index]]
    if np.isnan(own).any():
        raise ValueError(
            f"The baseline {shorten(names[baseline_index])} has no score in "
            f"{int(np.isnan(own).sum())} fold(s); name another one."
        )
    compared = MetricRows(name, names, options)
    compared.n_queries = compared.n_clusters = len(own)
    rows = [
        _compare_pair(compared, (index, baseline_index), values, own, tested / (1 - tested))
        for index, values in enumerate(candidates.values())
        if index != baseline_index
    ]
    unknown, shares = math.nan, Shares.equal(len(own))  # for folds are not independent
    means = [float(values.mean()) for values in candidates.values()]
    estimates = [Estimate(mean, unknown, shares) for mean in means]
    return ModelComparison(
        rows,
        means=compared.means_of(estimates, [(unknown, unknown)] * len(estimates)),
        settings={
            "test": TEST_NAME,
            "alternative": alternative,
            "confidence_level": confidence_level,
            "correction": None,
            "margin": margin,
            "baseline": names[baseline_index],
            "unit": "folds",
            "test_size": tested,
            "is_baseline_chosen": baseline is None,
        },
    )


def _read_candidates(cv_results: Any, metric: Any) -> tuple[str, dict[Any, np.ndarray]]:
    """Return the metric, and the scores of the folds of each candidate by its name."""
    results = getattr(cv_results, "cv_results_", cv_results)
    needed = "a fitted search, its cv_results_, or a dict from candidate to scores of folds"
    check_given("cv_results", cv_results, isinstance(results, Mapping), needed)
    if "params" in results:
        name, candidates = _read_search(results, metric)
    else:
        if metric is not None:
            raise ValueError("`metric` is only for a search, where it chooses a metric.")
        name, pairs = UNNAMED, results.items()
        candidates = {key: read_query_values(values, str(key)) for key, values in pairs}
    if len(candidates) < 2:
        raise ValueError(f"There are {len(candidates)} candidate(s); two are needed.")
    n_folds = {len(values) for values in candidates.values()}
    if len(n_folds) > 1 or n_folds == {1}:
        raise ValueError(
            f"There are {', '.join(map(str, sorted(n_folds)))} fold(s); each candidate "
            "needs scores of the same two folds or more."
        )
    return name, candidates


def _read_search(results: Mapping, metric: Any) -> tuple[str, dict[Any, np.ndarray]]:
    """Return the metric and the scores of ``cv_results_``."""
    matches = [FOLD_KEY.fullmatch(key) for key in results]
    metrics = list(dict.fromkeys(match[1] for match in matches if match))
    wanted = choose_one("metric", metric, np.array(metrics))
    keys = [match[0] for match in matches if match and match[1] == wanted]
    scores = np.column_stack([read_query_values(results[key], key) for key in keys])
    names: dict[str, np.ndarray] = {}
    is_last = is_of_last_iteration(results, len(scores))
    for index, (params, row) in enumerate(zip(results["params"], scores, strict=True)):
        if not is_last[index]:
            continue
        name = ", ".join(f"{key}={value}" for key, value in params.items()) or "default"
        names[f"{name} (candidate {index})" if name in names else name] = row
    return wanted, names


def _baseline_index(
    names: list[Any], candidates: Mapping[Any, np.ndarray], baseline: Any
) -> int:
    """Return the index of the baseline, by default the best candidate."""
    if baseline is None:
        means = np.array([values.mean() for values in candidates.values()])
        if np.isnan(means).all():
            raise ValueError("No candidate has all scores; use error_score='raise'.")
        return int(np.nanargmax(means))
    if count_named(baseline, names):
        return names.index(baseline)
    is_place = isinstance(baseline, int | np.integer) and not isinstance(baseline, bool)
    if is_place and 0 <= baseline < len(names):
        return int(baseline)
    raise ValueError(
        f"`baseline` got {shorten(baseline)}; there are {len(names)} candidates. "
        f"{suggest(baseline, names)}"
    )


def _compare_pair(
    metric: MetricRows,
    pair: tuple[int, int],
    left: np.ndarray,
    right: np.ndarray,
    ratio: float,  # of queries in test to those in train
) -> dict[str, Any]:
    """Return the corrected resampled t test of the scores of two candidates."""
    difference = differences(left, right)
    deviation = standard_deviation(difference)
    error = deviation * math.sqrt(1 / len(difference) + ratio)
    estimate = Estimate(float(difference.mean()), error, Shares.equal(len(difference)))
    n_up, n_down = int((difference > 0).sum()), int((difference < 0).sum())
    means = float(left.mean()), float(right.mean())
    paired = PairedEstimate(means, estimate, deviation, n_up, n_down, n_up + n_down)
    row = metric.row_of(*pair, paired)
    del row["smallest_p"]  # of sign flips, which folds with common queries do not allow
    margin = metric.options.margin or 0.0
    better = _probability_above(margin, estimate.value, estimate)
    worse = _probability_above(margin, -estimate.value, estimate)
    return row | {
        "p_adjusted": row["p_value"],
        "equal": int((difference == 0).sum()),  # a fold without score is neither
        "p_better": better,
        "p_equivalent": max(1 - better - worse, 0.0),
        "p_worse": worse,
    }


def _probability_above(margin: float, mean: float, estimate: Estimate) -> float:
    """Return the probability that a difference is above the margin."""
    if estimate.error == 0:
        return float(mean > margin)
    return float(stats.t.sf((margin - mean) / estimate.error, estimate.df))

"""Choose a candidate by two metrics: among the nearly best by one, the best by another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from sklearn_rank._base._labels import as_vector
from sklearn_rank._base._messages import shorten
from sklearn_rank._base._numbers import as_floats
from sklearn_rank._base._sklearn import is_of_last_iteration
from sklearn_rank._base._validation import check_given, check_real, count_named, suggest
from sklearn_rank._hints._explain import explained


@explained
@dataclass(eq=False, repr=False)
class RefitWithinError:
    """Choose the best candidate by one metric among those nearly the best by another.

    For ``refit`` of `GridSearchCV` and its like, with several metrics. Candidates whose
    accuracy is below the best one only by chance may differ much in what their lists show:
    take the most novel, or the most diverse, among them.

    Parameters
    ----------
    accuracy : str
        Name of the metric that must be nearly the best, as in the scorer, such as
        ``"ndcg@10"``.
    prefer : str
        Name of the metric to choose by, such as ``"novelty@10"``.
    standard_errors : float, default=1.0
        How far below the best mean accuracy a candidate may be, in standard errors of that
        mean over folds: the "one standard error rule".
    tolerance : float, default=None
        The same as a difference of accuracy, such as 0.01, in place of standard errors.

    Raises
    ------
    ValueError
        When a search calls it, if it does not have one of the metrics, if no candidate has
        a score, or if there is a single fold, which has no standard error.

    See Also
    --------
    sklearn_rank.metrics.make_recommender_scorer : Scores several metrics at once.

    Notes
    -----
    Scores are as scorers have them: higher is better, and metrics whose lower values are
    better are negated. Of equally good candidates the one of higher accuracy is chosen,
    then the first. A search with a callable ``refit`` has no ``best_score_``; see
    ``cv_results_``.

    References
    ----------
    .. [1] L. Breiman, J. Friedman, R. Olshen, C. Stone, "Classification and Regression
       Trees", section 3.4.3, Wadsworth, 1984.

    Examples
    --------
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn_rank.datasets import make_interactions
    >>> from sklearn_rank.metrics import make_recommender_scorer
    >>> from sklearn_rank.model_selection import RefitWithinError, TimeSplit
    >>> from sklearn_rank.recommenders import ItemNeighborsRecommender
    >>> log = make_interactions(random_state=0, as_frame=True)
    >>> columns = {"user": "user", "item": "item"}
    >>> search = GridSearchCV(
    ...     ItemNeighborsRecommender(**columns),
    ...     {"n_neighbors": [5, 50]},
    ...     scoring=make_recommender_scorer(["ndcg@10", "novelty@10"], **columns),
    ...     refit=RefitWithinError("ndcg@10", prefer="novelty@10"),
    ...     cv=TimeSplit(3, time="time", seen_items="drop"),
    ... ).fit(log)
    >>> search.best_index_ in (0, 1)
    True
    """

    accuracy: str
    prefer: str
    _: KW_ONLY
    standard_errors: float = 1.0
    tolerance: float | None = None

    def __post_init__(self) -> None:
        for name in ("standard_errors", "tolerance"):
            value = getattr(self, name)
            if value is not None or name == "standard_errors":
                check_real(name, value, "a number of 0 or more", least=0, below=np.inf)

    def __call__(self, cv_results: Mapping[str, Any]) -> int:
        """Return the index of the candidate to fit again.

        Parameters
        ----------
        cv_results : dict
            The ``cv_results_`` of a search.

        Returns
        -------
        best_index : int
            Place of the candidate.
        """
        accuracy = _mean_scores(cv_results, self.accuracy)
        preferred = _mean_scores(cv_results, self.prefer)
        is_scored = np.isfinite(accuracy) & np.isfinite(preferred)
        is_scored &= is_of_last_iteration(cv_results, len(accuracy))
        if not is_scored.any():
            raise ValueError(
                f"No candidate has a score of both {self.accuracy!r} and {self.prefer!r}; "
                'search with error_score="raise" to see why.'
            )
        best = int(np.argmax(np.where(is_scored, accuracy, -np.inf)))
        distance = self.tolerance
        if distance is None:
            error = _standard_error(cv_results, self.accuracy, best)
            distance = self.standard_errors * error
            if np.isnan(distance):
                raise ValueError(
                    f"Candidate {best} has no score of {self.accuracy!r} in some folds; "
                    'search with error_score="raise" to see why, or give `tolerance`.'
                )
        good = np.flatnonzero(is_scored & (accuracy >= accuracy[best] - distance))
        # By the preferred metric, then by accuracy, then the first.
        order = np.lexsort((good, -accuracy[good], -preferred[good]))
        return int(good[order[0]])

    def __repr__(self) -> str:
        """Return the call that makes it."""
        options = f"standard_errors={self.standard_errors!r}"
        if self.tolerance is not None:
            options = f"tolerance={self.tolerance!r}"
        return f"RefitWithinError({self.accuracy!r}, prefer={self.prefer!r}, {options})"


def _mean_scores(cv_results: Mapping[str, Any], metric: Any) -> np.ndarray:
    needed = "the dictionary cv_results_ of a search"
    check_given("cv_results", cv_results, isinstance(cv_results, Mapping), needed)
    before = "mean_test_"
    keys = map(str, cv_results)
    names = [key.removeprefix(before) for key in keys if key.startswith(before)]
    if not count_named(metric, names):
        raise ValueError(
            f"The search has no metric {shorten(metric)}; name it as the scorer does. "
            f"{suggest(metric, names)}"
        )
    return _scores_of_candidates(cv_results, f"{before}{metric}")


def _standard_error(cv_results: Mapping[str, Any], metric: str, best: int) -> float:
    """Return the standard error of the mean over folds of one candidate."""
    folds = [
        _scores_of_candidates(cv_results, key)[best]
        for key in map(str, cv_results)
        if key.startswith("split") and key.partition("_")[2] == f"test_{metric}"
    ]
    if len(folds) < 2:
        raise ValueError(
            "A standard error needs two folds or more; give `tolerance`, a difference of "
            f"{metric!r}, such as tolerance=0.01."
        )
    return float(np.std(folds, ddof=1) / np.sqrt(len(folds)))


def _scores_of_candidates(cv_results: Mapping[str, Any], key: str) -> np.ndarray:
    return as_vector(as_floats(cv_results[key], key), name=key)

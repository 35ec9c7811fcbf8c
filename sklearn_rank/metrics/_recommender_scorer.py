"""Scorer for recommenders: what they recommend against the rows held out."""

import inspect
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from sklearn_rank._columns import check_column, take_column
from sklearn_rank._labels import as_vector, encode_labels
from sklearn_rank._ranked_lists import RankedLists, rank_lists
from sklearn_rank._validation import (
    as_numbers,
    check_grades,
    check_missing,
    check_parameters,
)
from sklearn_rank.inputs import from_item_lists
from sklearn_rank.metrics._metric import Metric
from sklearn_rank.metrics._metric_scorer import MetricScorer, call_of, is_single, signed
from sklearn_rank.metrics._rating import RatingError
from sklearn_rank.metrics._registry import NamedMetric
from sklearn_rank.metrics._scorer import check_no_class, check_rows
from sklearn_rank.metrics._several import PerQueryScores, filled

__all__ = [
    "RecommenderScorer",
    "find_recommender",
    "make_recommender_scorer",
    "recommended_items",
    "relevant_items",
]

# Recommended items that are held at once: 64 MB of ids.
_BATCH_CELLS = 2**23


def make_recommender_scorer(metric, *, user=0, item=1, min_relevance=None, **metric_params):
    """Scorer that compares what a recommender recommends with the held-out rows.

    Higher is better: metrics for which lower is better are negated. The scorer asks the
    fitted estimator for ``recommend(users, k)``, with the cutoff of the metric, for the
    users of the rows it gets. Leaving out what a user had in training is the estimator's
    part. Inside pipelines and searches it finds the recommender by itself.

    Parameters
    ----------
    metric : str, callable or sequence of these
        A name such as ``"ndcg@10"``, a function of :mod:`sklearn_rank.metrics`, or several
        of them: then the scorer returns a dict of name to score. A metric without cutoff
        ranks the whole catalog.
    user : str or int, default=0
        Column of X with the user of each row, by name or by position.
    item : str or int, default=1
        Column of X with the item of each row.
    min_relevance : float, default=None
        Lowest y of a row whose item is relevant. None: any y greater than 0, or every row
        if there is no y.
    **metric_params : dict
        Parameters of the metrics, and ``ties``, ``replace_undefined_by`` for all of them.

    Returns
    -------
    scorer : callable
        ``scorer(estimator, X, y=None)``.

    Raises
    ------
    ValueError
        For bad input, see :ref:`errors`; and if X lacks a column at scoring.
    TypeError
        At scoring, if the estimator has no `recommend`.

    See Also
    --------
    make_ranking_scorer : For estimators that score the rows they are given.

    Notes
    -----
    Grades are y, 1 without y; of rows that repeat a pair the highest counts. Where y is a
    weight and not a grade, ``gain=numpy.sign`` makes nDCG binary. Held-out rows that repeat
    a pair of the training data can never be hit: drop them with the splitter's
    ``seen_items="drop"``. Accuracy, fallout, mean rank and AUC rank the whole catalog;
    what the recommender leaves out is no part of it.

    Examples
    --------
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn_rank.datasets import make_interactions
    >>> from sklearn_rank.metrics import make_recommender_scorer
    >>> from sklearn_rank.model_selection import TimeSplit
    >>> from sklearn_rank.recommenders import MatrixFactorizationRecommender
    >>> log = make_interactions(random_state=0, as_frame=True)
    >>> search = GridSearchCV(
    ...     MatrixFactorizationRecommender(user="user", item="item"),
    ...     {"weighting": ["sum", "log"]},
    ...     scoring=make_recommender_scorer("ndcg@10", user="user", item="item"),
    ...     cv=TimeSplit(time="time"),
    ... ).fit(log)
    >>> bool(0 < search.best_score_ < 1)
    True
    """
    return RecommenderScorer(
        metric, user=user, item=item, min_relevance=min_relevance, **metric_params
    )


class RecommenderScorer(MetricScorer):
    """What `make_recommender_scorer` makes."""

    def __init__(self, metric, *, user=0, item=1, min_relevance=None, **metric_params):
        super().__init__(metric, metric_params)
        check_parameters({"min_relevance": min_relevance})
        check_column("user", user)
        check_column("item", item)
        self.user = user
        self.item = item
        self.min_relevance = min_relevance
        for named in self._wanted:
            _check_use(named)

    def __call__(self, estimator, X, y=None):
        """Return the score of the recommender, or a dict of them.

        Parameters
        ----------
        estimator : object
            A fitted recommender, or a pipeline or search with one.
        X : {array-like, dataframe} of shape (n_rows, n_columns)
            Held-out interactions.
        y : array-like of shape (n_rows,), default=None
            Grade of each row, 0 or more; None counts every row as relevant.

        Returns
        -------
        score : float or dict of str to float
            Higher is better.
        """
        _, values, weights = self._users_and_values(estimator, X, y)
        means = {
            named.name: named.mean(values[named.name], weights[named.name], self._fill)
            for named in self._wanted
        }
        self._warn_of_undefined({name: count for name, (_, count) in means.items()})
        scores = {name: mean for name, (mean, _) in means.items()}
        return signed(self._wanted, scores, single=is_single(self.metric))

    def per_query(self, estimator, X, y=None):
        """Return the values of each user, of which a call of the scorer is the mean.

        Parameters
        ----------
        estimator : object
            A fitted recommender, or a pipeline or search with one.
        X : {array-like, dataframe} of shape (n_rows, n_columns)
            Held-out interactions.
        y : array-like of shape (n_rows,), default=None
            Grade of each row, 0 or more; None counts every row as relevant.

        Returns
        -------
        scores : Bunch
            As :func:`per_query_scores` returns it, users in place of queries: values are
            as the metric defines them, not negated where lower is better.
        """
        users, values, _ = self._users_and_values(estimator, X, y)
        scores = {name: filled(found, self._fill) for name, found in values.items()}
        return PerQueryScores(groups=users, scores=scores)

    def __repr__(self):
        """Return the call that makes this scorer."""
        given = {"user": self.user, "item": self.item, "min_relevance": self.min_relevance}
        defaults = {"user": 0, "item": 1, "min_relevance": None}
        changed = {name: given[name] for name in given if given[name] != defaults[name]}
        return call_of(
            "make_recommender_scorer", self.metric, {**changed, **self.metric_params}
        )

    def _users_and_values(
        self, estimator: Any, X: Any, y: Any
    ) -> tuple[np.ndarray, dict[str, Any], dict[str, Any]]:
        """Return the users and, for each metric, their values and their weights."""
        check_rows(repr(self), X)
        recommender = find_recommender(estimator)
        users, relevant = relevant_items(
            X, y, user=self.user, item=self.item, min_relevance=self.min_relevance
        )
        wanted = _with_highest_grade(self._wanted, relevant)
        values: dict[str, list] = {named.name: [] for named in wanted}
        weights: dict[str, list] = {named.name: [] for named in wanted}
        for ranked in self._ranked(recommender, users, relevant):
            for named in wanted:
                values[named.name].append(named.per_query(ranked))
                weights[named.name].append(named.weight(ranked))
        return users, _join(values), _join(weights)

    def _ranked(
        self, recommender: Any, users: np.ndarray, relevant: list[dict]
    ) -> Iterator[RankedLists]:
        n_items = self._length_of_lists(recommender)
        for batch in _batches(len(users), n_items):
            lists = recommended_items(recommender, users[batch], n_items)
            rows = from_item_lists(relevant[batch], lists)
            yield rank_lists(**rows, ties=self._ties)

    def _length_of_lists(self, recommender: Any) -> int:
        """Return the largest cutoff, as far as the catalog goes."""
        cutoffs = [_depth(named) for named in self._wanted]
        catalog = getattr(recommender, "items_", None)
        if None in cutoffs:
            if catalog is None:
                raise TypeError(
                    f"{type(recommender).__name__} has no `items_`, so its whole catalog "
                    "cannot be ranked; use a metric with a cutoff, such as 'ndcg@10'."
                )
            return len(catalog)
        longest = max(cutoff for cutoff in cutoffs if cutoff is not None)
        return longest if catalog is None else min(longest, len(catalog))


def _join(batches: dict[str, list]) -> dict[str, Any]:
    """Return one array for each metric (None: no weights)."""
    return {
        name: None if parts[0] is None else np.concatenate(parts)
        for name, parts in batches.items()
    }


def relevant_items(
    X: Any, y: Any, *, user: Any, item: Any, min_relevance: float | None
) -> tuple[np.ndarray, list[dict]]:
    """Return the users of the rows and, for each, the grades of the relevant items."""
    users, user_codes = encode_labels(take_column(X, user, name="user"), name="user")
    items = as_vector(take_column(X, item, name="item"), name="item")
    grades = np.ones(len(items)) if y is None else _grades(y, len(items))
    check_missing("y", np.isnan(grades))
    check_grades(grades, name="y")
    if min_relevance is not None:
        grades = np.where(grades >= min_relevance, grades, 0)
    relevant: list[dict] = [{} for _ in users]
    rows = zip(user_codes.tolist(), items.tolist(), grades.tolist(), strict=True)
    for code, item_id, grade in rows:
        if grade > 0:
            relevant[code][item_id] = max(grade, relevant[code].get(item_id, 0))
    return users, relevant


def _grades(y: Any, n_rows: int) -> np.ndarray:
    grades = as_numbers(y, "y")
    if sparse.issparse(grades) or grades.shape not in {(n_rows,), (n_rows, 1)}:
        raise ValueError(
            f"`y` has shape {grades.shape}, but X has {n_rows} rows; give one grade a row, "
            "or no y, with which every row counts 1."
        )
    return grades.ravel().astype(float)


def _with_highest_grade(
    wanted: list[NamedMetric], relevant: list[dict]
) -> list[NamedMetric]:
    """Return the metrics with the highest grade of all users, where they need one."""
    highest = max((max(grades.values(), default=0) for grades in relevant), default=0)
    return [
        replace(named, parameters={**named.parameters, "max_grade": highest or None})
        if named.parameters.get("max_grade", highest) is None
        else named
        for named in wanted
    ]


def _depth(named: NamedMetric) -> int | None:
    """Return how many items a metric has to see (None: the whole catalog)."""
    reads_all = isinstance(named.metric, Metric) and named.metric.reads == "catalog"
    return None if reads_all else named.parameters.get("k")


def _check_use(named: NamedMetric) -> None:
    """Raise for metrics that lists of recommended items have no answer to."""
    if isinstance(named.metric, RatingError):
        raise ValueError(
            f"{named.name!r} judges predicted ratings, but a recommender scorer sees lists "
            "of items; name a ranking metric, such as 'ndcg@10', or use "
            f"make_ranking_scorer({named.name!r})."
        )
    if named.reads_judgments:
        raise ValueError(
            f"{named.name!r} depends on what somebody judged irrelevant, but a log of "
            "interactions has none; name another metric, such as 'ndcg@10'."
        )


def find_recommender(estimator: Any) -> Any:
    """Return the estimator with `recommend` in pipelines, searches and wrappers."""
    check_no_class(estimator)
    inner = estimator
    while not hasattr(inner, "recommend"):
        if hasattr(inner, "best_estimator_"):
            inner = inner.best_estimator_
        elif hasattr(inner, "steps"):
            inner = inner.steps[-1][1]
        elif hasattr(inner, "estimator_"):
            inner = inner.estimator_
        else:
            raise TypeError(
                f"{type(estimator).__name__} has no method recommend(users, n_items); a "
                "recommender scorer needs one. For estimators that score the rows of X use "
                "make_ranking_scorer."
            )
    return inner


def _batches(n_users: int, n_items: int) -> Iterator[slice]:
    step = max(_BATCH_CELLS // max(n_items, 1), 1)
    for start in range(0, n_users, step):
        yield slice(start, start + step)


def recommended_items(recommender: Any, users: np.ndarray, n_items: int) -> Any:
    """Return ranked items of each user, without those that only fill up a row."""
    if "return_scores" not in inspect.signature(recommender.recommend).parameters:
        return recommender.recommend(users, n_items)
    items, scores = recommender.recommend(users, n_items, return_scores=True)
    is_filler = np.isneginf(scores)
    if not is_filler.any():
        return items
    return [row[~filler] for row, filler in zip(items, is_filler, strict=True)]

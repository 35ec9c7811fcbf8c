"""Scorers: metrics with the signature that scikit-learn's tools call."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from sklearn_rank._tables._columns import check_column, column_or_metadata
from sklearn_rank._validation import shorten
from sklearn_rank.metrics._core._columns import check_columns
from sklearn_rank.metrics._core._evaluate import Evaluation, check_catalogue, evaluate
from sklearn_rank.metrics._scorers._metric_scorer import MetricScorer, call_of

RESPONSES = ("decision_function", "predict_proba", "predict")

_LABELS_ARE_METADATA = (
    "The labels themselves are metadata: pass groups=labels to fit or to the scorer."
)


def make_ranking_scorer(
    metric, *, groups=None, response_method=RESPONSES, catalogue=None, **metric_params
):
    """Scorer that ranks the rows of each query by what an estimator predicts.

    Higher is better: metrics for which lower is better are negated.

    Parameters
    ----------
    metric : str, callable or sequence of these
        A name such as ``"ndcg@10"``, a function of :mod:`sklearn_rank.metrics`, or several
        of them: then the scorer returns a dict of name to score, from one prediction and
        one sort (for `cross_validate`, and for searches with ``refit="ndcg@10"``).
    groups : str or int, default=None
        Column of X, by name or by position, that holds the query of each row. It is used
        where no metadata come, and so makes the scorer work in every tool, with metadata
        routing on or off. The scorer sees X as it was before a pipeline's steps.
    response_method : str or sequence of str, default=("decision_function", \
"predict_proba", "predict")
        Method of the estimator that gives the scores; of several, the first that it has
        and that gives one value a row. The `predict_proba` of a classifier ranks by the
        expected grade: the sum of class times probability.
    catalogue : Catalogue, default=None
        What is known of items and users, for metrics of what lists show. It is the same
        for all folds; take it from data that no fold holds out.
    **metric_params : dict
        Parameters of the metrics, and ``ties``, ``replace_undefined_by``,
        ``min_relevance``, ``convention`` for all of them. A column that metrics need beside
        grades and scores, such as ``propensity``, by its name or position in X; without it,
        it is metadata that the scorer requests, as ``groups``.

    Returns
    -------
    scorer : callable
        ``scorer(estimator, X, y, groups=None, sample_weight=None)``. With metadata routing
        it requests ``groups`` by itself. Where weights are passed, say with
        ``set_score_request(sample_weight=True)`` that they weigh queries, or with
        ``False`` that they only weigh training rows.

    Raises
    ------
    ValueError
        For bad input, see :ref:`errors`; and if groups are missing at scoring.

    See Also
    --------
    make_recommender_scorer : For estimators with a `recommend` method.

    Notes
    -----
    Without metadata routing scikit-learn never hands ``groups`` to a scorer: name a column
    of X, or turn routing on. Errors inside a search become NaN scores with a warning,
    unless it runs with ``error_score="raise"``.

    Examples
    --------
    >>> from sklearn import config_context
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.model_selection import GridSearchCV, GroupKFold
    >>> from sklearn_rank.datasets import make_ranking
    >>> from sklearn_rank.metrics import make_ranking_scorer
    >>> X, y, groups = make_ranking(n_queries=50, random_state=0)
    >>> with config_context(enable_metadata_routing=True):
    ...     search = GridSearchCV(
    ...         Ridge(),
    ...         {"alpha": [0.1, 10]},
    ...         scoring=make_ranking_scorer("ndcg@10"),
    ...         cv=GroupKFold(5),
    ...     ).fit(X, y, groups=groups)
    >>> bool(search.best_score_ > 0.5)
    True
    """
    return RankingScorer(
        metric,
        groups=groups,
        response_method=response_method,
        catalogue=catalogue,
        **metric_params,
    )


class RankingScorer(MetricScorer):
    """What `make_ranking_scorer` makes."""

    def __init__(
        self,
        metric,
        *,
        groups=None,
        response_method=RESPONSES,
        catalogue=None,
        **metric_params,
    ):
        super().__init__(metric, metric_params, groups=True)
        self._requests |= dict.fromkeys(self.column_names, True)
        if groups is not None:
            check_column("groups", groups, instead=_LABELS_ARE_METADATA)
        _check_responses(response_method)
        check_catalogue(self._wanted, catalogue)
        self.catalogue = catalogue
        self.groups = groups
        self.response_method = response_method

    def __call__(self, estimator, X, y=None, *, groups=None, sample_weight=None, **columns):
        """Return the score of the estimator, or a dict of them.

        Parameters
        ----------
        estimator : object
            A fitted estimator.
        X : {array-like, sparse matrix, dataframe} of shape (n_rows, n_features)
            Rows to rank.
        y : array-like of shape (n_rows,)
            Relevance grades.
        groups : array-like of shape (n_rows,), default=None
            Query of each row; None takes the column of X that the scorer names.
        sample_weight : array-like of shape (n_rows,), default=None
            Weight of each row's query, the same for all rows of a query.
        **columns : array-like of shape (n_rows,)
            Columns that the metrics need, such as ``propensity``; where one is missing, it
            is taken from the column of X that the scorer names.

        Returns
        -------
        score : float or dict of str to float
            Higher is better.
        """
        return self._score(self._evaluate(estimator, X, y, groups, sample_weight, columns))

    def per_query(
        self, estimator, X, y=None, *, groups=None, sample_weight=None, **columns
    ):
        """Return the values of each query, of which a call of the scorer is the mean.

        Parameters
        ----------
        estimator : object
            A fitted estimator.
        X : {array-like, sparse matrix, dataframe} of shape (n_rows, n_features)
            Rows to rank.
        y : array-like of shape (n_rows,)
            Relevance grades.
        groups : array-like of shape (n_rows,), default=None
            Query of each row; None takes the column of X that the scorer names.
        sample_weight : array-like of shape (n_rows,), default=None
            Weight of each row's query, the same for all rows of a query.
        **columns : array-like of shape (n_rows,)
            Columns that the metrics need, as in a call of the scorer.

        Returns
        -------
        found : PerQueryScores
            As :func:`per_query_scores` returns it: values are as the metric defines them,
            not negated where lower is better.
        """
        return self._evaluate(
            estimator, X, y, groups, sample_weight, columns, by_query=True
        ).per_query()

    def _evaluate(
        self,
        estimator: Any,
        X: Any,
        y: Any,
        groups: Any,
        sample_weight: Any,
        columns: Mapping[str, Any],
        *,
        by_query: bool = False,
    ) -> Evaluation:
        check_columns(columns, self.column_names, repr(self))
        groups = self._query_of_rows(X, y, groups)
        beside = {
            name: column_or_metadata(
                X, columns.get(name), self._columns.get(name), name=name, parameter=name
            )
            for name in self.column_names
        }
        return evaluate(
            self._wanted,
            y,
            ranking_response(estimator, X, self.response_method),
            groups,
            sample_weight,
            beside,
            by_query=by_query,
            catalogue=self.catalogue,
        )

    def _query_of_rows(self, X: Any, y: Any, groups: Any) -> Any:
        """Return the query of each row, or raise; rating errors and 2-D y need none."""
        check_rows(repr(self), X)
        if y is None:
            raise ValueError(f"{self!r} needs y, the relevance of each row; got None.")
        groups = column_or_metadata(
            X, groups, self.groups, name="groups", parameter="groups"
        )
        ranks = any(named.metric.ranks for named in self._wanted)
        if groups is None and np.ndim(y) == 1 and ranks:
            raise ValueError(
                f"{self!r} got no groups and cannot tell which rows are ranked together. "
                "Turn on metadata routing (sklearn.set_config("
                "enable_metadata_routing=True)) and pass groups to fit or in params, or "
                "name a column of X: make_ranking_scorer(..., groups='query')."
            )
        return groups

    def __repr__(self):
        """Return the call that makes this scorer."""
        given = {} if self.groups is None else {"groups": self.groups}
        if self.response_method != RESPONSES:
            given["response_method"] = self.response_method
        if self.catalogue is not None:
            given["catalogue"] = self.catalogue
        return call_of("make_ranking_scorer", self.metric, {**given, **self.metric_params})


def check_rows(who: str, X: Any) -> None:
    """Raise unless there are rows to score."""
    if hasattr(X, "shape"):
        shape = tuple(X.shape)
    else:
        shape = (len(X),) if hasattr(X, "__len__") else ()
    if not shape:
        raise ValueError(f"{who} needs X, a table of rows, got {shorten(X)}.")
    if shape[0] == 0:
        raise ValueError(f"{who} needs rows to score, but X has none.")


def check_no_class(estimator: Any) -> None:
    """Raise where an estimator was not made from its class."""
    if isinstance(estimator, type):
        raise TypeError(
            f"`estimator` must be a fitted estimator, got the class {estimator.__name__}."
        )


def _check_responses(response_method: Any) -> None:
    several = isinstance(response_method, list | tuple) and response_method
    methods = response_method if several else [response_method]
    if not all(isinstance(name, str) for name in methods):
        raise TypeError(
            "`response_method` must be the name of a method that gives scores, or a list "
            f"of names, such as {list(RESPONSES)}, got {shorten(response_method)}."
        )


def ranking_response(
    estimator: Any, X: Any, response_method: str | Sequence[str]
) -> np.ndarray:
    """Return one score a row from the first response method that gives one."""
    check_no_class(estimator)
    methods = [response_method] if isinstance(response_method, str) else response_method
    for name in methods:
        respond: Callable | None = getattr(estimator, name, None)
        if respond is None:
            continue
        response = np.asarray(respond(X))
        if name == "predict_proba" and is_classifier(estimator):
            return expected_grade(estimator, response)
        if response.ndim == 1 or name == methods[-1]:
            return response
    raise AttributeError(
        f"{type(estimator).__name__} has none of the methods {shorten(list(methods))} that "
        "rank; name one it has as response_method=."
    )


def expected_grade(classifier: Any, probability: np.ndarray) -> np.ndarray:
    """Return the mean grade under the predicted probabilities of the classes."""
    if probability.ndim != 2:
        raise ValueError(
            f"predict_proba gave an array of shape {probability.shape}; it must give a row "
            "of probabilities for each row of X, as a classifier of one output does."
        )
    classes = np.asarray(classifier.classes_)
    if len(classes) == 2:
        return probability[:, 1]
    try:
        return probability @ classes.astype(np.float64)
    except ValueError as error:
        raise ValueError(
            f"Classes must be grades (numbers) to rank by their mean, got {classes}."
        ) from error

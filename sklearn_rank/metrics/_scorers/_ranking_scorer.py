"""Scorers: metrics with the signature that scikit-learn's tools call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter, signature
from typing import Any, ParamSpec, TypeVar, Unpack, overload

import numpy as np

from sklearn_rank._base._label_checks import check_paired
from sklearn_rank._base._messages import shorten
from sklearn_rank._base._numbers import check_in_memory, has_rows
from sklearn_rank._base._validation import check_given, check_option
from sklearn_rank._hints._explain import explained
from sklearn_rank.inputs._columns import check_column, column_or_metadata
from sklearn_rank.inputs._fitted_queries import CUT_QUERIES
from sklearn_rank.metrics._core._catalogue import Catalogue
from sklearn_rank.metrics._core._evaluate import Evaluation, evaluate
from sklearn_rank.metrics._core._known_items import check_catalogue
from sklearn_rank.metrics._core._per_query import PerQueryScores
from sklearn_rank.metrics._core._registry import COLUMNS, load_families
from sklearn_rank.metrics._core._side_columns import check_columns
from sklearn_rank.metrics._scorers._inside_estimators import find_part, queries_of_ranker
from sklearn_rank.metrics._scorers._metric_scorer import MetricScorer, ScoreT
from sklearn_rank.metrics._scorers._responses import (
    RESPONSES,
    class_scores,
    compute_response,
)
from sklearn_rank.typing import (
    ArrayLike,
    Column,
    Columns,
    Labels,
    Matrix,
    Metric,
    Metrics,
    Table,
)

P = ParamSpec("P")
R = TypeVar("R")
_LABELS_ARE_METADATA = (
    "The labels themselves are metadata: pass groups=labels to fit or to the scorer."
)


@overload
def make_ranking_scorer(
    metric: Metric,
    *,
    groups: Column | None = None,
    response_method: str | Sequence[str] = RESPONSES,
    rank_classes: bool = False,
    catalogue: Catalogue | None = None,
    **metric_params: Any,
) -> RankingScorer[float]: ...


@overload
def make_ranking_scorer(
    metric: Sequence[Metric] | Mapping[str, Metric],
    *,
    groups: Column | None = None,
    response_method: str | Sequence[str] = RESPONSES,
    rank_classes: bool = False,
    catalogue: Catalogue | None = None,
    **metric_params: Any,
) -> RankingScorer[dict[str, float]]: ...


@explained
def make_ranking_scorer(
    metric: Metrics,
    *,
    groups: Column | None = None,
    response_method: str | Sequence[str] = RESPONSES,
    rank_classes: bool = False,
    catalogue: Catalogue | None = None,
    **metric_params: Any,
) -> RankingScorer[Any]:
    """Scorer that ranks the rows of each query by the predictions of an estimator.

    Higher is better: metrics for which lower is better are negated.

    Parameters
    ----------
    metric : str, callable or sequence of these
        A name such as ``"ndcg@10"``, a function of :mod:`sklearn_rank.metrics`, a function
        ``f(y_true, y_score)`` of one query (:func:`make_metric`), or several of them: then
        the scorer returns a dict of name to score, from one prediction and one sort (for
        `cross_validate`, and for searches with ``refit="ndcg@10"``). Where lower is better
        the name has ``neg_`` before it. With grades give ``"err(max_grade=4)@10"`` its
        scale, which folds could not agree on.
    groups : str or int, default=None
        Column of X, by name or by position, that holds the query of each row. It is used if
        no metadata are passed, so the scorer works in every tool, with metadata routing on
        or off. The scorer gets X before the steps of a pipeline. If None, the columns of a
        ranker of this package, if X has them.
    response_method : str or sequence of str, default=("decision_function", \
"predict_proba", "predict")
        Method of the estimator that gives the scores; of several, the first that exists and
        gives one value per row.

        The `predict_proba` of a classifier ranks by the expected grade: the sum of class
        times probability. If y has a column per label (multilabel), it is the first that
        gives one value per row and label; each row is then a query, and groups are not
        needed.
    rank_classes : bool, default=False
        Whether y is the class of each row, and the classes of a classifier are ranked: each
        row is a query with one relevant class, so that ``"hit_rate@5"`` is the accuracy
        among the first five. Groups are then ignored.
    catalogue : Catalogue, default=None
        Data about items and users, for metrics of shown items. It is the same for all
        folds: make it from data that no fold holds out.
    **metric_params : dict
        Parameters of the metrics, and ``ties``, ``replace_undefined_by``,
        ``min_relevance``, ``convention`` for all of them. Also columns that metrics need,
        such as ``propensity``: by name or position in X, or for labels and classes an array
        with one value for each. Columns that are not given are metadata that the scorer
        requests, like ``groups``.

    Returns
    -------
    scorer : callable
        ``scorer(estimator, X, y, groups=None, sample_weight=None)``. With metadata routing
        it requests ``groups`` by itself. If weights are passed, call
        ``set_score_request(sample_weight=True)`` if they are weights of queries, or
        ``False`` if they are only for training rows.

    Raises
    ------
    ValueError
        For bad input, see :ref:`errors`; and if groups are missing at scoring.

    Warns
    -----
    MisleadingScoreWarning
        Once in a process, if a ranker of this package was fitted to other rows of the
        scored queries. Queries with as many rows as in `fit` count as the same rows.

    See Also
    --------
    make_recommender_scorer : For estimators with a `recommend` method.

    Notes
    -----
    Without metadata routing scikit-learn never passes ``groups`` to a scorer: name a column
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
    settings: dict[str, Any] = {"groups": groups, "response_method": response_method}
    settings |= {"rank_classes": rank_classes, "catalogue": catalogue}
    return RankingScorer(metric, settings, metric_params)


def _name_columns(method: Callable[P, R]) -> Callable[P, R]:
    """Name each column in the signature: tools take ``**columns`` for a parameter."""
    original = signature(method)
    *kept, _ = original.parameters.values()
    names = Columns.__annotations__
    added = [Parameter(name, Parameter.KEYWORD_ONLY, default=None) for name in names]
    function: Any = method
    function.__signature__ = original.replace(parameters=[*kept, *added])
    return method


@explained
class RankingScorer(MetricScorer[ScoreT]):
    """The scorer of `make_ranking_scorer`."""

    _maker = "make_ranking_scorer"
    _item_columns: dict[str, Any]

    def __init__(
        self, metric: Any, given: dict[str, Any], metric_params: dict[str, Any]
    ) -> None:
        load_families()
        columns = {n: v for n, v in metric_params.items() if n in COLUMNS}
        self._item_columns = {n: v for n, v in columns.items() if has_rows(v)}
        parameters = {n: v for n, v in metric_params.items() if n not in self._item_columns}
        super().__init__(metric, given, parameters)
        self.metric_params = metric_params
        check_columns(self._item_columns, self.column_names, repr(metric))
        requested: list[str] = [n for n in self.column_names if n not in self._item_columns]
        self._requests |= dict.fromkeys(["groups", *requested], True)
        self.groups, self.catalogue = given["groups"], given["catalogue"]
        self.response_method = given["response_method"]
        self.rank_classes = given["rank_classes"]
        check_option("rank_classes", self.rank_classes, (True, False))
        if self.groups is not None:
            check_column("groups", self.groups, instead=_LABELS_ARE_METADATA)
        _check_responses(self.response_method)
        check_catalogue(self._wanted, self.catalogue)
        defaults = (None, RESPONSES)
        chosen = {name: value for name, value in given.items() if value not in defaults}
        self._given = {name: value for name, value in chosen.items() if value is not False}

    @_name_columns
    def __call__(
        self,
        estimator: Any,
        X: Table,
        y: Matrix | None = None,
        *,
        groups: Labels | None = None,
        sample_weight: ArrayLike | None = None,
        **columns: Unpack[Columns],
    ) -> ScoreT:
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
            Query of each row; if None, the column of X given to the scorer.
        sample_weight : array-like of shape (n_rows,), default=None
            Weight of each row's query, the same for all rows of a query.
        confidence, items, item_groups, pooled, propensity, subtopics, values : array-like
            Columns that the metrics need, with a value or row for each row of X. If None,
            the column of X given to the scorer.

        Returns
        -------
        score : float or dict of str to float
            Higher is better.
        """
        return self._score(self._evaluate(estimator, X, y, groups, sample_weight, columns))

    @_name_columns
    def per_query(
        self,
        estimator: Any,
        X: Table,
        y: Matrix | None = None,
        *,
        groups: Labels | None = None,
        sample_weight: ArrayLike | None = None,
        **columns: Unpack[Columns],
    ) -> PerQueryScores:
        """Return the value of each query; a call of the scorer returns their mean.

        Parameters
        ----------
        estimator : object
            A fitted estimator.
        X : {array-like, sparse matrix, dataframe} of shape (n_rows, n_features)
            Rows to rank.
        y : array-like of shape (n_rows,)
            Relevance grades.
        groups : array-like of shape (n_rows,), default=None
            Query of each row; if None, the column of X given to the scorer.
        sample_weight : array-like of shape (n_rows,), default=None
            Weight of each row's query, the same for all rows of a query.
        confidence, items, item_groups, pooled, propensity, subtopics, values : array-like
            Columns that the metrics need, as in a call of the scorer.

        Returns
        -------
        scores : PerQueryScores
            As :func:`per_query_scores` returns it: values as the metric defines them, not
            negated if lower is better.
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
        columns = {name: value for name, value in columns.items() if value is not None}
        check_columns(columns, self.column_names, repr(self))
        inputs = {"X": X, "y": y, "groups": groups, "sample_weight": sample_weight}
        check_paired({**inputs, **columns})
        of_column, groups = groups is None, self._query_of_rows(estimator, X, y, groups)
        side_columns = self._item_columns | {
            name: column_or_metadata(
                X, columns.get(name), self._columns.get(name), name=name, parameter=name
            )
            for name in self.column_names
            if name not in self._item_columns
        }
        if self.rank_classes:
            y, scores = class_scores(estimator, X, y, self.response_method)
        else:
            scores = compute_response(estimator, X, y, self.response_method, groups)
        rows = (y, scores, groups, sample_weight, side_columns)
        options: dict[str, Any] = {"by_query": by_query, "catalogue": self.catalogue}
        evaluation = evaluate(self._wanted, *rows, warn=self._warn_once, **options)
        if groups is not None and any(bound.metric.ranks for bound in self._wanted):
            labels = evaluation.queries.labels
            self._warn_of_cut_queries(estimator, labels, groups, of_column=of_column)
        return evaluation

    def _warn_of_cut_queries(
        self, estimator: Any, labels: np.ndarray, groups: Any, *, of_column: bool
    ) -> None:
        """Warn if the estimator was fitted to other rows of the queries."""
        if self._has_warned_of(CUT_QUERIES):
            return
        ranker = find_part(estimator, "_fitted_queries")
        text = "" if ranker is None else ranker._fitted_queries.warning(groups, labels)
        if text and of_column:  # a search passes the groups of its `fit` to the splitter
            text += " With GroupKFold, the groups passed differ from the column."
        if text:
            self._warn_once(CUT_QUERIES, text)

    def _query_of_rows(self, estimator: Any, X: Any, y: Any, groups: Any) -> Any:
        """Return the query of each row, or raise; rating errors and 2-D y need none."""
        check_rows(repr(self), X)
        if y is None:
            self._check_ranks_rows(estimator)
            raise ValueError(f"{self!r} needs y, the relevance of each row; got None.")
        if self.rank_classes:
            return None
        groups = column_or_metadata(
            X, groups, self.groups, name="groups", parameter="groups"
        )
        ranks = any(bound.metric.ranks for bound in self._wanted)
        if groups is not None or np.ndim(y) != 1 or not ranks:
            return groups
        groups = queries_of_ranker(estimator, X)
        if groups is not None:
            return groups
        self._check_ranks_rows(estimator)
        raise ValueError(
            f"{self!r} got no groups and cannot tell which rows are ranked together. Put "
            "the query in a column of X that the estimator does not learn from: "
            f"GroupRanker({shorten(estimator)}, groups='query'); or turn on metadata "
            "routing (sklearn.set_config(enable_metadata_routing=True)) and pass groups to "
            "fit or in params. To rank the classes of each row, pass rank_classes=True."
        )

    def _check_ranks_rows(self, estimator: Any) -> None:
        """Raise if the estimator makes lists for users."""
        recommender = find_part(estimator, "recommend")
        if recommender is not None:
            raise ValueError(
                f"{self!r} ranks the rows of queries. For the lists of "
                f"{type(recommender).__name__} use make_recommender_scorer("
                f"{self.metric!r})."
            )


def check_rows(who: str, X: Any) -> None:
    """Raise unless there are rows to score."""
    check_in_memory(X, "X")
    if hasattr(X, "shape"):
        shape = tuple(X.shape)
    else:
        shape = (len(X),) if hasattr(X, "__len__") else ()
    if not shape:
        raise ValueError(f"{who} needs X, a table of rows, got {shorten(X)}.")
    if shape[0] == 0:
        raise ValueError(f"{who} needs rows to score, but X has none.")


def _check_responses(response_method: Any) -> None:
    several = isinstance(response_method, list | tuple) and response_method
    methods = response_method if several else [response_method]
    are_names = all(isinstance(name, str) for name in methods)
    needed = f"the name of a method that gives scores, or several, as {list(RESPONSES)}"
    check_given("response_method", response_method, are_names, needed)

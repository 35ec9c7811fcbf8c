"""RankFusion: several retrievers' scores of an item as one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.utils import Tags, check_array
from sklearn.utils.validation import check_is_fitted

from sklearn_rank._base._numbers import as_numbers
from sklearn_rank._base._sklearn import BaseEstimator
from sklearn_rank._base._validation import check_option, shorten
from sklearn_rank._hints._explain import explained
from sklearn_rank.rankers._boosting_metric import MeanOfMetric
from sklearn_rank.rankers._fusion import Fusion, find_retrieved
from sklearn_rank.rankers._groups import GroupsMixin, check_labels, check_rows
from sklearn_rank.rankers._query_rows import QueryRows, as_table, rows_by_query
from sklearn_rank.typing import ArrayLike, Column, Floats, Labels, Metric, Table

# Factors to try for the weight of one run, with the other weights unchanged.
_FACTORS = (0.0, 0.25, 0.5, 0.8, 1.25, 2.0, 4.0)
_MOST_ROUNDS = 20
# Smaller gains are rounding error.
_LEAST_GAIN = 1e-9

_LEARNED = "learned"


@explained
@dataclass(eq=False, repr=False)
class RankFusion(GroupsMixin, BaseEstimator):
    """Fusion of several rankings of the same items (hybrid search).

    X has a row for each query and item, and a column for each run, such as that of a BM25
    index and that of a vector store: the run's scores, NaN or -inf where it did not
    retrieve the item. :func:`sklearn_rank.inputs.from_runs` makes it of dictionaries and
    TREC files. What there is to choose is chosen by ``GridSearchCV`` over folds of
    queries, and the fitted model fuses the runs of new queries.

    Parameters
    ----------
    method : str, default="rrf"
        How runs are fused. "rrf": reciprocal rank fusion, the sum of 1 / (rrf_k + rank)
        [1]_. "comb_sum", "comb_mnz", "comb_anz", "comb_max" and "comb_min": the sum of
        normalized scores, the sum times the number of runs that retrieved the item, their
        mean, highest and lowest [2]_. "borda": the sum of 1 - (rank - 1) / n, where a run
        that did not retrieve an item ranks it amid the places left over. "condorcet": how
        many items it beats, each by a majority of the runs that order the two, and half of
        those it draws with.
    rrf_k : float, default=60
        Constant of "rrf", 0 or more. A larger one lets low ranks count more.
    weights : array-like of shape (n_runs,) or "learned", default=None
        Weight of each run, 0 or more. "learned": `fit` finds those with a high `metric` by
        coordinate ascent. If None, 1 each. "comb_max" and "comb_min" have none.
    normalization : {"min_max", "sum", "z_score", "rank", None}, default="min_max"
        What makes the scores of runs comparable, in each query: from 0 to 1, shares of
        their sum above the lowest, mean 0 and variance 1, or 1 - (rank - 1) / n. If None,
        as they are. It counts for the methods whose names begin with "comb".
    unretrieved : {"omit", "zero", "minimum"}, default="omit"
        What a run gives an item that it did not retrieve, after normalization: nothing, 0,
        or the lowest of what it gives in the query, which is 0 if it retrieved nothing
        there. With "rrf" the lowest is that of the mean of the ranks left over.
    values : {"scores", "ranks"}, default="scores"
        What X holds. Ranks are better the lower they are.
    metric : str, callable, default="ndcg@10"
        What learned weights make high, as in
        :func:`~sklearn_rank.metrics.make_ranking_scorer`.
    groups : str, int or None, default=None
        Name or position of the column of X that holds the query of each row. If None,
        `groups` is passed to `fit` and to `predict`, which
        :func:`~sklearn_rank.metrics.make_ranking_scorer` does by itself.

    Attributes
    ----------
    weights_ : ndarray of shape (n_runs,)
        The weights of the runs.
    n_features_in_ : int
        Number of columns of X in `fit`, the column of groups among them.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of these columns, when X has names that are all strings.

    See Also
    --------
    GroupRanker : A model of any features, including scores of runs.

    Notes
    -----
    Equal scores have the mean of their ranks, so the order of rows never counts. An item
    that no run retrieved has the score -inf. Scores compare items of one query.

    With ``unretrieved="omit"`` and runs without ties these are the numbers of ranx, except
    for a query with a single score in a run, or equal ones alone: "min_max" makes them 0
    there, as if they were not retrieved, and 1 here; "sum" makes them 0 there, and equal
    shares here. Its Condorcet fusion sorts by single duels and gives each draw to one side,
    so that its order depends on that of the items where duels are drawn and where
    majorities go in circles.

    References
    ----------
    .. [1] G. V. Cormack, C. L. A. Clarke, S. Büttcher (2009). Reciprocal rank fusion
       outperforms Condorcet and individual rank learning methods. SIGIR '09, 758-759.
    .. [2] E. A. Fox, J. A. Shaw (1993). Combination of multiple searches. TREC-2, 243-252.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_rank.rankers import RankFusion
    >>> X = np.array([[9.0, 0.2], [4.0, 0.8], [np.nan, 0.5]])  # BM25, embeddings
    >>> fusion = RankFusion(method="comb_sum").fit(X, groups=["q"] * 3)
    >>> fusion.predict(X, groups=["q"] * 3).round(2).tolist()
    [1.0, 1.0, 0.5]
    """

    method: str = "rrf"
    _: KW_ONLY
    rrf_k: float = 60
    weights: ArrayLike | Literal["learned"] | None = None
    normalization: Literal["min_max", "sum", "z_score", "rank"] | None = "min_max"
    unretrieved: Literal["omit", "zero", "minimum"] = "omit"
    values: Literal["scores", "ranks"] = "scores"
    metric: Metric = "ndcg@10"
    groups: Column | None = None

    __metadata_request__predict: ClassVar = {"groups": True}
    weights_: Floats = field(init=False)

    def fit(
        self,
        X: Table,
        y: ArrayLike | None = None,
        groups: Labels | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Check the runs and, where weights are to be learned, learn them.

        Parameters
        ----------
        X : {array-like, DataFrame} of shape (n_rows, n_runs)
            Scores or ranks, one column per run, NaN or -inf where it did not retrieve the
            item.
        y : array-like of shape (n_rows,), default=None
            Grades, 0 or more, which learned weights need.
        groups : array-like of shape (n_rows,), default=None
            The query of each row. If None, the column of X that the parameter `groups`
            names.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights of queries for learned weights: one per row, the same for all rows of a
            query.

        Returns
        -------
        self : RankFusion
            The fitted fusion.

        Raises
        ------
        ValueError
            If a parameter is not as described, a run retrieved nothing, groups are missing,
            or the metric is undefined for all queries. For weights to be learned, if each
            query has one row.

        Warns
        -----
        MisleadingScoreWarning
            From 20 queries on: if each has one row, or labels from a position of X are not
            whole numbers.
        """
        fusion = Fusion.read(self)
        check_rows(X, y, groups, sample_weight)
        X = as_table(X, owner=type(self).__name__)
        groups = self._find_groups(X, groups, self.groups)
        scores = self._read_scores(self._learn_columns(X))
        y = np.zeros(len(scores)) if y is None and not self._has_learned_weights() else y
        owner = f"{type(self).__name__}(weights={_LEARNED!r})"
        rows = rows_by_query(scores, y, groups, sample_weight, {}, owner=owner)
        check_labels(rows, X, self.groups, needs_pairs=self._has_learned_weights())
        self._check_runs(rows)
        weights = self._given_weights(scores.shape[1])
        self.__dict__.pop("_fitted_queries", None)  # of a fit before
        if weights is None:
            weights = self._learn_weights(fusion, rows)
            self._fitted_queries = rows.queries()
        self.weights_ = weights
        self._fitted_fusion = fusion
        return self

    def predict(self, X: Table, groups: Labels | None = None) -> Floats:
        """Return the fused score of each row; within a query, higher is better.

        Parameters
        ----------
        X : {array-like, DataFrame} of shape (n_rows, n_runs)
            The same runs as in `fit`, of any queries. All rows of a query are needed.
        groups : array-like of shape (n_rows,), default=None
            The query of each row. If None, the column of X that the parameter `groups`
            names.

        Returns
        -------
        scores : ndarray of shape (n_rows,)
            Scores, -inf for items that no run retrieved.
        """
        check_is_fitted(self, "weights_")
        features = self._check_columns(X)
        scores = self._read_scores(features)
        query = self._codes_of(X, groups, len(scores))
        fusion = self._fitted_fusion
        fused = fusion.combine(fusion.parts(scores, query), self.weights_, query)
        return np.where(find_retrieved(scores), fused, -np.inf)

    def _predict(self, X: Any, groups: Any) -> Floats:
        return self.predict(X, groups=groups)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self._has_learned_weights()
        tags.input_tags.allow_nan = True
        return tags

    def _has_learned_weights(self) -> bool:
        return isinstance(self.weights, str) and self.weights == _LEARNED

    def _read_scores(self, features: Any) -> np.ndarray:
        """Return scores, higher is better, with NaN for items that are not retrieved."""
        keywords = {"dtype": np.float64, "ensure_all_finite": False}
        scores = check_array(features, estimator=self, **keywords)
        worst = np.inf if self.values == "ranks" else -np.inf
        wrong = scores == -worst
        if wrong.any():
            row, run = map(int, np.argwhere(wrong)[0])
            raise ValueError(
                f"X has {-worst} in row {row} and run {run}; scores and ranks must be "
                f"finite, or NaN or {worst} for an item that the run did not retrieve."
            )
        scores = np.where(scores == worst, np.nan, scores)
        return -scores if self.values == "ranks" else scores

    def _check_runs(self, rows: QueryRows) -> None:
        if rows.weight is not None and not rows.weight.any():
            raise ValueError("`sample_weight` is zero for all rows; some need a weight.")
        is_empty = np.isnan(rows.X).all(axis=0)
        if is_empty.any():
            raise ValueError(
                f"Run {int(np.argmax(is_empty))} of X, counted from 0, has no score at "
                "all: it retrieved no item of any query. Leave it out."
            )

    def _given_weights(self, n_runs: int) -> np.ndarray | None:
        """Return the weights, None if they are to be learned."""
        if self.weights is None:
            return np.ones(n_runs)
        if self._has_learned_weights():
            return None
        if isinstance(self.weights, str):
            check_option("weights", self.weights, (_LEARNED, None), otherwise="Or numbers.")
        weights = as_numbers(self.weights, "weights").astype(np.float64)
        are_valid = ((weights >= 0) & (weights < np.inf)).all() and weights.any()
        if weights.shape != (n_runs,) or not are_valid:
            raise ValueError(
                "`weights` must be finite numbers >= 0, not all of them 0, one for each "
                f"of {n_runs} runs, got {shorten(self.weights)}."
            )
        return weights

    def _learn_weights(self, fusion: Fusion, rows: QueryRows) -> np.ndarray:
        parts = fusion.parts(rows.X, rows.query)
        is_found = find_retrieved(rows.X)
        weight = rows.query_weight()
        of_rows = None if weight is None else weight[rows.query]
        metric = MeanOfMetric(self.metric, parameter="metric")
        sign = 1 if metric.greater_is_better else -1

        def score(weights: np.ndarray) -> float:
            fused = fusion.combine(parts, weights, rows.query)
            scores = np.where(is_found, fused, -np.inf)
            return sign * metric.mean(rows.y, scores, rows.query, of_rows)

        weights, _ = ascend_coordinates(rows.X.shape[1], score)
        return weights


def ascend_coordinates(
    n_runs: int, score: Callable[[np.ndarray], float]
) -> tuple[np.ndarray, float]:
    """Return weights that sum to 1, and the score that they have.

    Equal weights come first. Then one weight after the other is changed to what has the
    highest score, until no change of a single weight makes it higher.
    """
    weights = np.full(n_runs, 1 / n_runs)
    best = score(weights)
    for _ in range(_MOST_ROUNDS):
        before = best
        for run in range(n_runs):
            for candidate in _candidate_weights(weights, run):
                candidate_score = score(candidate)
                if candidate_score > best + _LEAST_GAIN:
                    weights, best = candidate, candidate_score
        if best <= before:
            break
    return weights, best


def _candidate_weights(weights: np.ndarray, run: int) -> Iterator[np.ndarray]:
    base = weights[run] or 1 / len(weights)
    for factor in _FACTORS:
        changed = weights.copy()
        changed[run] = base * factor
        if changed.sum() > 0:
            yield changed / changed.sum()

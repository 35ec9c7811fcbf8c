"""RankFusion: several retrievers' scores of an item as one."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.utils import Tags, check_array
from sklearn.utils.validation import check_is_fitted

from sklearn_rank._base._labels import encode_labels
from sklearn_rank._base._messages import warn_misleading
from sklearn_rank._base._numbers import as_numbers
from sklearn_rank._base._sklearn import BaseEstimator
from sklearn_rank._base._validation import check_option, shorten
from sklearn_rank._hints._explain import explained
from sklearn_rank._ranking._low_is_best import is_name_of_distances, is_name_of_ranks
from sklearn_rank.rankers._boosting_metric import MeanOfMetric
from sklearn_rank.rankers._fusion import Fusion, find_retrieved
from sklearn_rank.rankers._groups import GroupsMixin, check_labels, check_rows
from sklearn_rank.rankers._learned_weights import candidate_weights, choose_weights
from sklearn_rank.rankers._query_rows import QueryRows, as_table, rows_by_query
from sklearn_rank.typing import ArrayLike, Column, Floats, Labels, Metric, Table

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
        How runs are fused.

        - "rrf": reciprocal rank fusion, the sum of 1 / (rrf_k + rank) [1]_, or the formula
          of `convention`.
        - "comb_sum", "comb_mnz", "comb_anz", "comb_max" and "comb_min": the sum of
          normalized scores, the sum times the number of runs that retrieved the item, their
          mean, highest and lowest [2]_.
        - "borda": the sum of 1 - (rank - 1) / n, where a run that did not retrieve an item
          ranks it in the middle of the ranks that are left.
        - "condorcet": how many items it beats, each by a majority of the runs that order
          the two, and half of those it draws with.
        - "dbsf": Qdrant's distribution-based score fusion, the sum of (s - m + 3 sd) / (6
          sd), where m and sd (n - 1) are of the scores s of the run in the query; 0.5 if
          all are equal.
    rrf_k : float, default=None
        Constant of "rrf", 0 or more, or 1 where the first rank adds nothing to it. A larger
        one lets low ranks count more. If None, 60, or the default of `convention`.
    weights : array-like of shape (n_runs,) or "learned", default=None
        Weight of each run, 0 or more. "learned": `fit` compares a grid of weights by
        `metric`, and leaves equal ones only if others are shown to be better; `tuning_`
        says so. If None, 1 each. "comb_max", "comb_min", "dbsf" and
        ``convention="milvus"`` have none.
    normalization : {"min_max", "sum", "z_score", "l2", "rank", None}, default="min_max"
        What makes the scores of runs comparable, in each query: from 0 to 1, shares of
        their sum above the lowest, mean 0 and variance 1, sum of squares 1, or
        1 - (rank - 1) / n. If None, as they are. It counts for the methods whose names
        begin with "comb".
    unretrieved : {"omit", "zero", "minimum"}, default="omit"
        What a run gives an item that it did not retrieve, after normalization: nothing, 0,
        or the lowest of what it gives in the query, which is 0 if it retrieved nothing
        there. With "rrf" the lowest is that of the mean of the ranks left over.
    values : {"scores", "ranks"}, default="scores"
        What X holds. Lower ranks are better.
    metric : str, callable, default="ndcg@10"
        What learned weights make better, as in
        :func:`~sklearn_rank.metrics.make_ranking_scorer`.
    convention : str, default=None
        Search engine whose formula "rrf" follows: a sum over runs, with ranks r from 1 and
        weights w.

        - "elasticsearch", "opensearch", "azure", "mongodb", None: w / (rrf_k + r).
        - "qdrant": 1 / (rrf_k - 1 + r / w), where `rrf_k` is 2 by default and a weight of 0
          gives nothing.
        - "chroma", "weaviate": w / (rrf_k + r - 1).
        - "milvus": 1 / (rrf_k + r), without weights.

        In "weaviate" and "mongodb" `rrf_k` is always 60.
    groups : str, int or None, default=None
        Name or position of the column of X that holds the query of each row. If None,
        `groups` is passed to `fit` and to `predict`, which
        :func:`~sklearn_rank.metrics.make_ranking_scorer` does by itself.

    Attributes
    ----------
    weights_ : ndarray of shape (n_runs,)
        The weights of the runs. Learned weights of two to four runs sum to their number.
    tuning_ : dict
        Of learned weights. Gains are positive if they make the metric better, and NaN below
        10 queries.

        - ``leaves``: whether other weights replace equal ones.
        - ``best``: the weights with the best mean.
        - ``gain``, held out: the mean gain over equal weights, in each query by the weights
          that are the best of the other queries.
        - ``gain_in_sample``: that of ``best`` in the queries of `fit`; its 95% interval is
          from ``low`` to ``high``.
        - ``p``: the p-value of the swap test.
        - ``n_queries``: queries that have a value and a weight.
        - ``text``: a line that says all this.
    n_features_in_ : int
        Number of columns of X in `fit`, the column of groups among them.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of these columns, when X has names that are all strings.

    See Also
    --------
    fuse_runs : The fused lists of runs in dictionaries, in one call.
    GroupRanker : A model of any features, including scores of runs.

    Notes
    -----
    Equal scores have the mean of their ranks, so the order of rows never counts. An item
    that no run retrieved has the score -inf. Scores compare items of one query.

    Search engines break ties, each in its own way, so their scores are these where a run
    has none. With "comb_sum", ``normalization="min_max"`` is Weaviate's relative score
    fusion and Elasticsearch's linear retriever with "minmax", and OpenSearch's "min_max",
    except for 0.001 as its lowest score; "l2" is "l2_norm" of Elasticsearch, "l2" of
    OpenSearch.

    The formulas are those of the documentation of each engine in 2026, of Weaviate and
    Milvus of their sources; that Azure's weights multiply was not verified.

    Weights are learned from 10 queries on. The grid for two, three and four runs has all
    multiples of 0.2, 0.5 and 1 that sum to the number of runs; for more runs each run is
    left out, and doubled. The best weights are taken if p is at most 0.05 and ``gain`` is
    above 0.

    The swap test exchanges the runs in each query by chance, 999 times, and p is how often
    the best mean is as good as the actual one. So if runs are exchangeable, equal weights
    are left in 5% of data sets at most. The interval holds for all weights of the grid
    together, by 999 flips of signs, so the choice of the best does not harm it.

    With ``unretrieved="omit"`` and runs without ties these are the numbers of ranx, except
    for a query with a single score in a run, or equal ones alone: "min_max" makes them 0
    there, as if they were not retrieved, and 1 here; "sum" makes them 0 there, and equal
    shares here.

    Its Condorcet fusion sorts by single duels and gives each draw to one side, so that its
    order depends on that of the items where duels are drawn and where majorities go in
    circles.

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
    rrf_k: float | None = None
    weights: ArrayLike | Literal["learned"] | None = None
    normalization: Literal["min_max", "sum", "z_score", "l2", "rank"] | None = "min_max"
    unretrieved: Literal["omit", "zero", "minimum"] = "omit"
    values: Literal["scores", "ranks"] = "scores"
    metric: Metric = "ndcg@10"
    convention: str | None = None
    groups: Column | None = None

    __metadata_request__predict: ClassVar = {"groups": True}
    weights_: Floats = field(init=False)
    tuning_: dict[str, Any] = field(init=False)

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
            whole numbers. Also if a column of scores is named like distances or ranks, and
            may hold such.
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
        if self.values == "scores":
            self._warn_of_names(rows)
        weights = self._given_weights(scores.shape[1])
        for attribute in ("_fitted_queries", "tuning_"):  # of a fit before
            self.__dict__.pop(attribute, None)
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

    def configuration(self) -> dict[str, Any]:
        """Return the settings of the search engine for the same fusion, to paste.

        Returns
        -------
        settings : dict
            As ``json.dumps`` writes it. With ``convention="elasticsearch"`` the retrievers
            are empty, and with "opensearch" the weights sum to 1.

        Raises
        ------
        ValueError
            If `convention` in `fit` was not "qdrant", "elasticsearch" or "opensearch", or
            the engine has no such fusion: `rrf_k` is not whole, or `unretrieved` is
            "minimum".
        """
        check_is_fitted(self, "weights_")
        return self._fitted_fusion.configuration(self.weights_.tolist())

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

    def _warn_of_names(self, rows: QueryRows) -> None:
        """Warn of runs that are named like distances or ranks."""
        columns = getattr(self, "feature_names_in_", range(self.n_features_in_))
        names = np.delete(np.asarray(columns), self._group_positions).tolist()
        for name, of_run in zip(names, rows.X.T, strict=True):
            is_listed = ~np.isnan(of_run)
            scores, query = of_run[is_listed], rows.query[is_listed]
            if is_name_of_distances(name, scores) or is_name_of_ranks(name, scores, query):
                warn_misleading(
                    f"Column {name!r} of X ranks the largest first, and is named like what "
                    f"is best if small. Give -X[{name!r}], or values='ranks' if all are."
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
        grid = candidate_weights(rows.X.shape[1])
        parts = fusion.parts(rows.X, rows.query)
        is_found = find_retrieved(rows.X)
        weight = rows.query_weight()
        of_rows = None if weight is None else weight[rows.query]
        metric = MeanOfMetric(self.metric, parameter="metric")
        columns = []
        for weights in grid:
            fused = fusion.combine(parts, weights, rows.query)
            scores = np.where(is_found, fused, -np.inf)
            values, shares = metric.by_query(rows.y, scores, rows.query, of_rows)
            columns.append(values if metric.greater_is_better else -values)
        values = np.column_stack(columns)
        used = ~np.isnan(values).any(axis=1) & (shares > 0)
        # Draws are the same in any order of rows.
        order = np.argsort(encode_labels(rows.labels, name="groups")[1])
        order = order[used[order]]
        name = metric.name if metric.greater_is_better else f"neg_{metric.name}"
        weights, self.tuning_ = choose_weights(grid, values[order], shares[order], name)
        return weights

"""PairwiseRanker: RankSVM and its kin, from any linear classifier of scikit-learn."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.utils import Tags, check_array, check_random_state
from sklearn.utils.validation import has_fit_parameter

from sklearn_rank._base._machine import require_memory
from sklearn_rank._base._numbers import weighted_sums
from sklearn_rank._base._runs import begins_run, ranges, starts_of
from sklearn_rank._base._sklearn import (
    BaseEstimator,
    MetaEstimatorMixin,
    fit_task,
    with_callbacks,
)
from sklearn_rank._base._validation import check_given, check_integer, shorten
from sklearn_rank._hints._explain import explained
from sklearn_rank.rankers._groups import GroupsMixin, check_labels, check_rows
from sklearn_rank.rankers._inner_estimator import check_estimator
from sklearn_rank.rankers._libraries import no_weights_error
from sklearn_rank.rankers._query_rows import QueryRows, as_table, rows_by_query
from sklearn_rank.typing import ArrayLike, Column, Estimator, Floats, Labels, Table

# Pairs of rows of one query and different grades.

# A pair's two rows, its sign, and two entries with their columns.
_BYTES_A_PAIR = 56


def sample_pairs(
    y: np.ndarray, query: np.ndarray, max_pairs: int | None, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return rows (better, worse): all pairs of a query, or `max_pairs` drawn from them.

    Pairs are numbered, and numbers are drawn, so that a query of many rows never has all
    its pairs in memory.
    """
    order = np.lexsort((y, query))
    n_worse, first = _count_worse(y[order], query[order])
    # Row i of this order is the better one in the pairs ends[i] - n_worse[i]:ends[i].
    ends = np.cumsum(n_worse)
    pairs = _draw_pairs(np.bincount(query[order], n_worse), max_pairs, rng)
    better = np.searchsorted(ends, pairs, side="right")
    worse = first[better] + pairs - (ends - n_worse)[better]
    return order[better], order[worse]


def difference_operator(
    better: np.ndarray, worse: np.ndarray, n_rows: int
) -> tuple[sparse.csr_matrix, np.ndarray]:
    """Return (D, sign): D @ X has the differences, every second one turned around.

    A sparse product makes them without copies of both sides. A classifier needs two
    classes, so half of the pairs say that the second row is worse than the first.
    """
    if len(better) == 1:
        better, worse = np.r_[better, worse], np.r_[worse, better]
        sign = np.array([1, -1])
        entries = np.tile([1.0, -1.0], 2)
    else:
        sign = np.where(np.arange(len(better)) % 2 == 0, 1, -1)
        entries = np.column_stack((sign, -sign)).ravel().astype(np.float64)
    columns = np.column_stack((better, worse)).ravel()
    starts = np.arange(0, 2 * len(sign) + 1, 2)
    return sparse.csr_matrix((entries, columns, starts), (len(sign), n_rows)), sign


def _count_worse(y: np.ndarray, query: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the number of worse rows of each row, and the first row of its query."""
    rows = np.arange(len(y))
    new_query, new_grade = begins_run(query), begins_run(query, y)
    first = np.maximum.accumulate(np.where(new_query, rows, 0))
    return np.maximum.accumulate(np.where(new_grade, rows, 0)) - first, first


def _draw_pairs(
    n_pairs: np.ndarray, max_pairs: int | None, rng: np.random.Generator
) -> np.ndarray:
    """Return numbers of pairs, given how many each query has."""
    n_pairs = n_pairs.astype(np.int64)
    starts = starts_of(n_pairs)[:-1]
    kept = n_pairs if max_pairs is None else np.minimum(n_pairs, max_pairs)
    n_drawn = int(kept.sum())
    require_memory(
        _BYTES_A_PAIR * n_drawn,
        f"Learning from {n_drawn:,} pairs",
        "Set or lower `max_pairs_per_query`.",
    )
    numbers = ranges(starts, kept)
    ends = np.cumsum(kept)
    for query in np.flatnonzero(kept < n_pairs):
        # Its memory grows with the pairs drawn, unlike that of RandomState.choice.
        drawn = rng.choice(n_pairs[query], kept[query], replace=False, shuffle=False)
        numbers[ends[query] - kept[query] : ends[query]] = starts[query] + np.sort(drawn)
    return numbers


@explained
@dataclass(eq=False, repr=False)
class PairwiseRanker(GroupsMixin, MetaEstimatorMixin, BaseEstimator):
    """Learning to rank with a linear classifier of pairs (RankSVM).

    The classifier learns from differences x_i - x_j of two rows of one query which of
    the two has the higher grade. With ``LinearSVC`` it is the ranking SVM of [1]_, with
    ``LogisticRegression`` the linear form of RankNet. The score of a row is the
    classifier's linear function of it, without an intercept, so queries never seen can
    be ranked.

    Parameters
    ----------
    estimator : estimator
        A linear binary classifier: one that has ``coef_`` after `fit`, such as
        ``LinearSVC``, ``LogisticRegression`` or ``SGDClassifier``. It is cloned, and the
        clone is fitted with ``fit_intercept=False`` where it has that parameter: an
        intercept cancels in a difference. Any other classifier is refused, as what it
        says of differences is not a score of a row. Scale features *before* the ranker:
        ``make_pipeline(StandardScaler(), PairwiseRanker(LinearSVC()))``.
    groups : str, int, list of these or None, default=None
        Name or position of the column of X that holds the query of each row; a list where
        several columns make a query, such as ``["user", "day"]``. The column
        is left out of the features; at `predict` it may be left out of X.
        If None, `groups` is passed to `fit`.
    max_pairs_per_query : int or None, default=100
        So many pairs are drawn, without replacement, from a query that has more. The
        matrix of differences has at most ``max_pairs_per_query * n_queries`` rows, so
        memory grows in proportion to the data. If None, all pairs, in number the square of
        a query's rows.
    random_state : int, RandomState instance or None, default=None
        Which pairs are drawn. The estimator has its own `random_state`.

    Attributes
    ----------
    estimator_ : estimator
        The classifier fitted to differences; its classes are -1 and 1.
    coef_ : ndarray of shape (`n_features_in_`,)
        Weight of each column of X in the score, 0 for a column of groups.
    n_pairs_ : int
        Number of pairs it was fitted to.
    n_features_in_ : int
        Number of columns of X in `fit`, the column of groups among them.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of these columns, when X has names that are all strings.

    See Also
    --------
    GroupRanker : The same interface for LightGBM, XGBoost and CatBoost.

    Notes
    -----
    Every second pair is turned around (worse minus better), so the two classes are equal
    in number. The size of a grade's lead does not count, only its sign. A query with
    `n` pairs counts `n` times; `sample_weight` changes that.

    References
    ----------
    .. [1] T. Joachims (2002). Optimizing search engines using clickthrough data. KDD '02,
       133-142.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.svm import LinearSVC
    >>> from sklearn_rank.rankers import PairwiseRanker
    >>> X = np.array([[3.0, 1.0], [1.0, 1.0], [2.0, 0.0], [9.0, 5.0], [8.0, 5.0]])
    >>> y = [2, 0, 1, 1, 0]
    >>> ranker = PairwiseRanker(LinearSVC()).fit(X, y, groups=[1, 1, 1, 2, 2])
    >>> ranker.n_pairs_
    4
    >>> bool(ranker.coef_[0] > 0)
    True
    """

    estimator: Estimator
    _: KW_ONLY
    groups: Column | list[Column] | None = None
    max_pairs_per_query: int | None = 100
    random_state: int | np.random.RandomState | None = None

    estimator_: Any = field(init=False)
    coef_: Floats = field(init=False)
    n_pairs_: int = field(init=False)

    @with_callbacks
    def fit(
        self,
        X: Table,
        y: ArrayLike,
        groups: Labels | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Fit the classifier to pairs of rows.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_rows, n_features)
            Rows in any order, numbers except for the column of groups.
        y : array-like of shape (n_rows,)
            Grades, any numbers; higher is better.
        groups : array-like of shape (n_rows,), default=None
            The query of each row: numbers, strings, tuples, categories. If None, the column
            of X that the parameter `groups` names.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights of queries: one per row, the same for all rows of a query. It is the
            weight of each of its pairs.

        Returns
        -------
        self : PairwiseRanker
            The fitted ranker.

        Raises
        ------
        ValueError
            If groups are missing or in number not those of X, no query has rows of two
            grades, weights differ within a query, or a value is missing.
        TypeError
            If `estimator` is not a linear classifier.

        Warns
        -----
        MisleadingScoreWarning
            If all rows are of one query. From 20 queries on: if labels from a position of X
            are not whole numbers.
        """
        max_pairs = self._check_parameters(sample_weight)
        owner = type(self).__name__
        check_rows(X, y, groups, sample_weight)
        X = as_table(X, owner=owner)
        groups = self._find_groups(X, groups, self.groups)
        features = self._as_numbers(self._learn_columns(X))
        rows = rows_by_query(features, y, groups, sample_weight, {}, owner=owner)
        self._fitted_queries = rows.queries()
        with fit_task(self, X, y):
            self._fit_pairs(rows, X, max_pairs)
        return self

    def predict(self, X: Table) -> Floats:
        """Return one score per row; within a query, higher is better.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_rows, n_features)
            Rows of any queries, seen in `fit` or not. Groups are not needed: a column of
            groups is ignored, and may be left out.

        Returns
        -------
        scores : ndarray of shape (n_rows,)
            The features times their weights. They compare rows of one query.
        """
        features = self._as_numbers(self._check_columns(X))
        weights = _coefficients(self.estimator_)
        is_sparse = sparse.issparse(features)
        return features @ weights if is_sparse else weighted_sums(features, weights)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _check_parameters(self, sample_weight: Any) -> int | None:
        """Return how many pairs a query may have, None for all."""
        check_estimator(self.estimator)
        needed = "a classifier, such as LinearSVC() (GroupRanker takes regressors)"
        check_given("estimator", self.estimator, is_classifier(self.estimator), needed)
        takes_weights = has_fit_parameter(self.estimator, "sample_weight")
        if sample_weight is not None and not takes_weights:
            raise no_weights_error(self.estimator)
        max_pairs = self.max_pairs_per_query
        return check_integer("max_pairs_per_query", max_pairs, none="all pairs")

    def _as_numbers(self, features: Any) -> Any:
        dtypes = [np.float64, np.float32]
        return check_array(features, accept_sparse="csr", dtype=dtypes, estimator=self)

    def _fit_pairs(self, rows: QueryRows, X: Any, max_pairs: int | None) -> None:
        check_labels(rows, X, self.groups, needs_pairs=True)
        rows.warn_of_one_query()
        weight = rows.query_weight()
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        rng = np.random.default_rng(seed)
        better, worse = sample_pairs(rows.y, rows.query, max_pairs, rng)
        if len(better) == 0:
            raise ValueError(
                f"None of the {len(rows.labels)} queries (n_samples={len(rows.y)}) has "
                "rows of two different grades to learn from; check `groups` and `y`."
            )
        operator, sign = difference_operator(better, worse, len(rows.y))
        by_pair = {}
        if weight is not None:
            by_pair["sample_weight"] = np.resize(weight[rows.query[better]], len(sign))
        operator = operator.astype(rows.X.dtype)
        self.n_pairs_ = len(better)
        self.estimator_ = clone(self.estimator)
        if "fit_intercept" in self.estimator_.get_params():
            self.estimator_.set_params(fit_intercept=False)
        self.estimator_.fit(operator @ rows.X, sign, **by_pair)
        self.coef_ = self._fill_group_columns(_coefficients(self.estimator_))


def _coefficients(estimator: Any) -> np.ndarray:
    coef = getattr(estimator, "coef_", None)
    if coef is None:
        raise TypeError(
            "`estimator` must be linear, with coef_ after fit, such as LinearSVC, got "
            f"{shorten(estimator)}. Put the other steps of a pipeline before the ranker: "
            "make_pipeline(StandardScaler(), PairwiseRanker(LinearSVC()))."
        )
    return np.ravel(coef.toarray() if hasattr(coef, "toarray") else coef)

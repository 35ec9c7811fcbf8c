"""QueryFeatures: rank, z-score and scaled value within the query."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags, check_array
from sklearn.utils.validation import check_is_fitted, validate_data

from sklearn_rank._base._sklearn import (
    BaseEstimator,
    OneToOneFeatureMixin,
    TransformerMixin,
)
from sklearn_rank._base._validation import check_given, check_option, is_iterable, shorten
from sklearn_rank._hints._explain import explained
from sklearn_rank.inputs._columns import can_have_columns
from sklearn_rank.rankers._fusion import Run, min_max, read_run, z_score
from sklearn_rank.rankers._groups import (
    check_has_more,
    check_rows,
    drop_positions,
    find_positions,
    list_group_columns,
    read_groups,
)
from sklearn_rank.rankers._query_rows import as_table, encode_groups
from sklearn_rank.typing import Column, Labels, SupportsArray, Table

Statistic: TypeAlias = Literal["rank", "zscore", "minmax"]
STATISTICS: tuple[Statistic, ...] = ("rank", "zscore", "minmax")


@explained
@dataclass(eq=False, repr=False)
class QueryFeatures(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Features that compare each row with the other rows of its query.

    A price of 30 is high among books and low among shoes. Within a query its rank, its
    distance from the mean and its place between lowest and highest say what the number
    alone does not. Pointwise models, which never see the other rows, gain most.

    Parameters
    ----------
    statistics : sequence of {"rank", "zscore", "minmax"}, default=("rank", "zscore", \
"minmax")
        What is computed of each feature within the query. Where all values of a query are
        equal, "zscore" and "minmax" are 0.

        - "rank": 1 for the highest value; equal values share the mean of their ranks.
        - "zscore": the value minus the mean, divided by the standard deviation (of all rows
          of the query, as a population).
        - "minmax": 0 for the lowest value and 1 for the highest.
    groups : str, int, list of these or None, default=None
        Name or position of the column of X that holds the query of each row; a list where
        several columns make a query. If None, `groups` is passed to `transform`.
    append : bool, default=True
        Whether the columns of X come first, unchanged, the column of groups among them, so
        that a ranker that follows finds it. False: the new features alone.

    Attributes
    ----------
    n_features_in_ : int
        Number of columns of X in `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of these columns, when X has names that are all strings.

    See Also
    --------
    GroupRanker : Rankers that learn from these features.
    sklearn.preprocessing.StandardScaler : The same distance from the mean of all rows.

    Notes
    -----
    Nothing is learned but the columns: each query is compared with itself, in training as
    in use. So a query must come whole; a part of its rows has different ranks. Missing
    values (NaN) stay missing and do not count.

    A frame, of pandas or polars, gives a frame where `append` is true, and keeps the types
    of its columns.

    Examples
    --------
    >>> from sklearn_rank.rankers import QueryFeatures
    >>> X = [[30.0], [20.0], [20.0], [50.0], [80.0]]
    >>> groups = ["books", "books", "books", "shoes", "shoes"]
    >>> features = QueryFeatures(["rank", "minmax"], append=False).fit(X)
    >>> features.transform(X, groups=groups)
    array([[1. , 1. ],
           [2.5, 0. ],
           [2.5, 0. ],
           [2. , 0. ],
           [1. , 1. ]])
    >>> features.get_feature_names_out(["price"]).tolist()
    ['price_rank', 'price_minmax']
    """

    statistics: Sequence[Statistic] = STATISTICS
    _: KW_ONLY
    groups: Column | list[Column] | None = None
    append: bool = True

    __metadata_request__transform: ClassVar = {"groups": True}
    n_features_in_: int = field(init=False)
    feature_names_in_: NDArray[np.object_] = field(init=False)

    def fit(self, X: Table, y: object = None) -> Self:
        """Learn the columns of X, and nothing else.

        Parameters
        ----------
        X : {array-like, DataFrame} of shape (n_rows, n_columns)
            Rows, numbers except for the columns of groups.
        y : ignored
            Present for scikit-learn's sake.

        Returns
        -------
        self : QueryFeatures
            The transformer.
        """
        _check_statistics(self.statistics)
        check_option("append", self.append, (True, False))
        table = as_table(X, owner=type(self).__name__)
        columns = list_group_columns(self.groups)
        if not can_have_columns(table, columns):
            columns = []  # `transform` gets the groups, or says that it needs them
        if columns:
            check_has_more(table, self.groups, "one to compare")
        validate_data(self, table, skip_check_array=True)
        self._group_positions = find_positions(table, columns)
        self._numbers(table)
        return self

    def transform(self, X: Table, groups: Labels | None = None) -> Any:
        """Return the features of rows, whose queries must be whole.

        Parameters
        ----------
        X : {array-like, DataFrame} of shape (n_rows, n_columns)
            Rows in any order.
        groups : array-like of shape (n_rows,), default=None
            The query of each row. If None, the column that the parameter `groups` names.

        Returns
        -------
        features : {ndarray, DataFrame} of shape (n_rows, n_new_columns)
            The columns of X, if they are kept, and then for each feature its statistics.

        Raises
        ------
        ValueError
            If groups are missing, or in number not those of X.
        """
        check_is_fitted(self)
        check_rows(X, None, groups, None)
        X = as_table(X, owner=type(self).__name__)
        validate_data(self, X, reset=False, skip_check_array=True)
        groups = read_groups(X, groups, self.groups)
        if groups is None:
            raise ValueError(
                "QueryFeatures needs `groups`, the query of each row. Name a column of X: "
                "QueryFeatures(groups='column'), or pass `groups=` (in a pipeline after "
                "sklearn.set_config(enable_metadata_routing=True))."
            )
        numbers = self._numbers(X)
        _, codes = encode_groups(groups, len(numbers))
        shape = (len(numbers), numbers.shape[1], len(self.statistics))
        new = np.full(shape, np.nan)  # missing values stay missing
        for column in range(numbers.shape[1]):
            run = read_run(numbers[:, column], codes)
            for index, name in enumerate(self.statistics):
                new[run.row, column, index] = _STATISTIC_FUNCTIONS[name](run)
        return self._join_columns(X, new.reshape(len(numbers), -1))

    def fit_transform(
        self, X: Table, y: object = None, groups: Labels | None = None
    ) -> Any:
        """Learn the columns and return the features.

        Parameters
        ----------
        X : {array-like, DataFrame} of shape (n_rows, n_columns)
            Rows in any order.
        y : ignored
            Present for scikit-learn's sake.
        groups : array-like of shape (n_rows,), default=None
            The query of each row, as in `transform`.

        Returns
        -------
        features : {ndarray, DataFrame} of shape (n_rows, n_new_columns)
            As `transform` returns them.
        """
        return self.fit(X, y).transform(X, groups=groups)

    def get_feature_names_out(
        self, input_features: Sequence[str] | SupportsArray | None = None
    ) -> NDArray[np.object_]:
        """Return the names of the columns that come out.

        Parameters
        ----------
        input_features : array-like of str, default=None
            Names of the columns of X. If None, those of `fit`, or x0, x1 and so on.

        Returns
        -------
        names : ndarray of str objects
            The names of X, if its columns are kept, and then ``price_rank`` for the rank
            of ``price``, and so on.
        """
        names = super().get_feature_names_out(input_features)
        features = np.delete(names, self._group_positions)
        new = [f"{name}_{kind}" for name in features for kind in self.statistics]
        return np.array([*(names if self.append else []), *new], dtype=object)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _numbers(self, X: Any) -> np.ndarray:
        features = drop_positions(X, self._group_positions)
        keywords = {"dtype": np.float64, "ensure_all_finite": "allow-nan"}
        return check_array(features, estimator=self, **keywords)

    def _join_columns(self, X: Any, new: np.ndarray) -> Any:
        """Return the new columns, beside those of X where these are kept."""
        if not self.append:
            return new
        if not hasattr(X, "columns"):
            return np.hstack([X, new])
        names = self.get_feature_names_out()[X.shape[1] :]
        columns = dict(zip(names, new.T, strict=True))
        if hasattr(X, "iloc"):
            return X.join(type(X)(columns, index=X.index))
        if hasattr(X, "hstack"):
            return X.hstack(type(X)(columns))
        import pyarrow as pa

        for name, values in columns.items():
            X = X.append_column(name, pa.array(values))
        return X


# Statistics of one feature within queries.
_STATISTIC_FUNCTIONS: Mapping[str, Callable[[Run], np.ndarray]] = {
    "rank": Run.ranks,
    "zscore": z_score,
    "minmax": partial(min_max, if_equal=0.0),
}


def _check_statistics(statistics: Any) -> None:
    is_list = is_iterable(statistics) and not isinstance(statistics, str)
    check_given("statistics", statistics, is_list, "a list of names, such as ['rank']")
    names = list(statistics)
    for name in names:
        check_option("statistics", name, STATISTICS)
    if not names or len(set(names)) < len(names):
        raise ValueError(
            f"`statistics` must name one or more of {list(STATISTICS)}, each once, got "
            f"{shorten(statistics)}."
        )

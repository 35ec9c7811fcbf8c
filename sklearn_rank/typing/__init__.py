"""Types of what the public functions take, for annotations of your own.

Each is an alias or a protocol and says what a type checker accepts; what is accepted at run
time is checked there.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

from sklearn_rank._hints._explain import explain_missing as _explain_missing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame as PandasFrame
else:
    Axes = Figure = PandasFrame = Any  # neither is needed for the rest

__all__ = [
    "Alternative",
    "ArrayLike",
    "Axes",
    "Bunch",
    "CategoriesOfItems",
    "ClusterLabels",
    "Column",
    "Columns",
    "Confidence",
    "Correction",
    "Counts",
    "DataFrame",
    "Dataset",
    "Distances",
    "DrawnDisplay",
    "Duration",
    "Estimator",
    "Features",
    "Figure",
    "File",
    "Floats",
    "Folds",
    "Integers",
    "ItemLists",
    "ItemSets",
    "ItemsOfUsers",
    "KeepDropOrOnly",
    "KeepOrDrop",
    "Keywords",
    "Labels",
    "Markup",
    "Matrix",
    "Metric",
    "Metrics",
    "Moment",
    "PandasFrame",
    "RandomState",
    "SparseMatrix",
    "Splitter",
    "SupportsArray",
    "Table",
    "Tables",
    "Ties",
    "Times",
    "Undefined",
    "Weighting",
]


class Bunch(dict[str, Any]):
    """A dictionary whose keys are attributes, too, as that of scikit-learn."""

    def __init__(self, **items: Any) -> None:
        super().__init__(items)

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]


class SupportsArray(Protocol):
    """An array, a series of pandas or polars, or anything else that NumPy can read."""

    def __array__(self) -> NDArray[Any]:
        """Return the values as an array."""


class SparseMatrix(Protocol):
    """A sparse matrix or array of SciPy, in any format."""

    def tocsr(self, copy: bool = False) -> Any:
        """Return it by rows."""


class DataFrame(Protocol):
    """A table of pandas or polars."""

    @property
    def columns(self) -> Any:
        """Names of the columns."""

    @property
    def join(self) -> Callable[..., Any]:
        """A series lacks this, but checkers think that it has any attribute."""

    def __getitem__(self, key: Any, /) -> Any:
        """Return a column by its name."""


class Estimator(Protocol):
    """An estimator of scikit-learn, or one that is made like these."""

    def fit(self, X: Any, y: Any, /) -> Any:
        """Learn from rows and their targets."""


class Splitter(Protocol):
    """A splitter of scikit-learn, or of this package."""

    def split(self, X: Any, y: Any = None, groups: Any = None, /) -> Iterator[Any]:
        """Yield the rows of train and test of each fold."""


class DrawnDisplay(Protocol):
    """A display of this package that was drawn."""

    @property
    def ax_(self) -> Axes:
        """Where the picture is."""

    @property
    def figure_(self) -> Figure:
        """The figure around it."""


class Dataset(Protocol):
    """A dataset of pyarrow, read in parts."""

    def to_batches(self) -> Any:
        """Return the parts."""


# Values, one per row, such as scores, or one per query and item.
ArrayLike: TypeAlias = (
    SupportsArray | Sequence[float | SupportsArray | Sequence[float | SupportsArray]]
)
Matrix: TypeAlias = ArrayLike | SparseMatrix
# Ids of any type, one per row: queries, users, items, groups, clusters.
Labels: TypeAlias = SupportsArray | Sequence[Hashable]
ClusterLabels: TypeAlias = Labels | Mapping[Any, Hashable]  # or by label
# Points in time, one per row; one of them; and a length of time, as in "28D".
Times: TypeAlias = SupportsArray | Sequence[float | date | SupportsArray]
Moment: TypeAlias = float | str | date | np.datetime64
Duration: TypeAlias = float | str | timedelta | np.timedelta64
# The X of scikit-learn: rows of any values, and one of its columns, by name or position.
Table: TypeAlias = (
    DataFrame | SparseMatrix | SupportsArray | Sequence[Sequence[Hashable] | SupportsArray]
)
Column: TypeAlias = Hashable
# Parts of a long table, one after the other.
Tables: TypeAlias = DataFrame | Dataset | Sequence[DataFrame] | Iterator[DataFrame]

# What is known of items and users: by their ids, or one per row.
Counts: TypeAlias = Mapping[Any, float] | ArrayLike
CategoriesOfItems: TypeAlias = (
    Mapping[Any, object] | Sequence[Hashable | Sequence[Hashable]] | Matrix
)
Features: TypeAlias = Mapping[Any, ArrayLike] | DataFrame | Matrix
Distances: TypeAlias = Callable[[Any, Any], float] | ArrayLike
ItemsOfUsers: TypeAlias = Mapping[Any, object] | Matrix
# Items of all users, or those of each: by user, or pairs of users and items.
ItemSets: TypeAlias = Labels | Mapping[Any, object] | DataFrame
# The items of each user, best first, or a mapping of them to grades or scores.
ItemLists: TypeAlias = Mapping[Any, object] | Sequence[object] | SupportsArray

# A metric's name or its function, and several of these, or by the names of their results.
Metric: TypeAlias = str | Callable[..., float]
Metrics: TypeAlias = Metric | Sequence[Metric] | Mapping[str, Metric]
Ties: TypeAlias = Literal["average", "worst", "best", "first"]
Undefined: TypeAlias = float | Literal["warn", "abstained"]


# The confidence of each query: one per row or query, or by query.
Confidence: TypeAlias = ArrayLike | Mapping[Any, float]


class Columns(TypedDict, total=False):
    """Values aligned with rows that some metrics need beside grades and scores."""

    confidence: Confidence
    items: Labels
    item_groups: Labels | Matrix
    pooled: ArrayLike
    propensity: Matrix
    subtopics: Matrix
    values: Matrix


Markup: TypeAlias = Literal["unicode", "latex", "html"]
# Keywords of a function of matplotlib.
Keywords: TypeAlias = Mapping[str, Any] | None

Alternative: TypeAlias = Literal["two-sided", "greater", "less"]
Correction: TypeAlias = Literal["holm", "bonferroni", "fdr_bh", "max_t"] | None
RandomState: TypeAlias = int | np.random.RandomState | None
# A path, or a file that is open.
File: TypeAlias = str | PathLike[str] | Iterable[str] | Iterable[bytes]
# Folds: how many, what makes them, or the rows of train and test of each.
Folds: TypeAlias = int | Splitter | Iterable[tuple[ArrayLike, ArrayLike]]
# What is done with test rows that train does not know, or knows already.
KeepOrDrop: TypeAlias = Literal["keep", "drop"]
KeepDropOrOnly: TypeAlias = Literal["keep", "drop", "only"]
# What the rows of a pair of user and item count together.
Weighting: TypeAlias = Literal["binary", "log", "sum"]

# What comes back.
Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.intp]

_explain_missing(__name__)

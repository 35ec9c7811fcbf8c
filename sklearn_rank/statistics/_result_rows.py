"""Rows of results: their fields, as columns, by name, and as a frame."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from numbers import Real
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from sklearn_rank._base._messages import shorten
from sklearn_rank._base._validation import (
    check_given,
    check_level,
    check_mapping,
    check_option,
    count_named,
    is_iterable,
)
from sklearn_rank._display._figures import new_figure
from sklearn_rank._display._page import ReportedResult
from sklearn_rank._display._result import NumbersFound
from sklearn_rank._hints._explain import explained
from sklearn_rank.typing import Bunch, DrawnDisplay

# The Bunches that functions of statistics return.


class Interval(NumbersFound):
    """A mean, and an interval of it."""

    mean: float
    standard_error: float
    df: float
    n_effective: float
    largest_cluster: float
    low: float
    high: float
    n_queries: int
    n_undefined: int
    method: str
    value_range: str
    n_repeats: int


class JudgedMean(NumbersFound):
    """A mean of the values of judges, corrected by those of people."""

    mean: float
    standard_error: float
    df: float
    n_effective: float
    largest_cluster: float
    low: float
    high: float
    n_queries: int
    n_human: int
    judge_mean: Any  # for several judges arrays
    bias: Any
    weight: Any


class CorrectedMean(JudgedMean):
    """A mean that people corrected, and theirs alone."""

    human_mean: float
    human_low: float
    human_high: float


class SystemInterval(NumbersFound):
    """A metric of all lists together, and an interval of it."""

    value: float
    standard_error: float
    low: float
    high: float
    n_queries: int


class Mover(Bunch):
    """A query, and its values by two models."""

    label: Any
    value: float
    value_baseline: float
    difference: float


class ComparisonRow(Bunch):
    """A row of a comparison of models; those of candidates have probabilities too."""

    metric: str
    model: str
    baseline: str
    n_queries: int
    n_clusters: int
    mean: float
    mean_baseline: float
    difference: float
    relative_difference: float
    sd: float
    standard_error: float
    df: float
    n_effective: float
    largest_cluster: float
    low: float
    high: float
    effect_size: float
    statistic: float
    p_value: float
    p_adjusted: float
    interval: str
    better: int
    equal: int
    worse: int
    n_different: int
    smallest_p: float
    p_better: float
    p_equivalent: float
    p_worse: float
    verdict: str
    n_repeats: tuple[int, int]
    repeat_sd: tuple[float, float]
    components: dict[str, float]


class RankedModel(Bunch):
    """A row of a ranking."""

    model: str
    mean: float
    rank: int
    rank_low: int
    rank_high: int
    tied_for_first: bool
    letters: str
    mean_rank: float
    n_datasets: int


class RankedPair(Bunch):
    """The difference of two models over data sets."""

    model: str
    baseline: str
    difference: float
    standard_error: float
    df: float
    p_value: float
    p_adjusted: float


# The size of a picture on a page, in inches.
WIDTH, HEIGHT_OF_ROW, HEIGHT_BESIDE, MOST_ROWS = 9.0, 0.4, 1.6, 12
LARGEST = float(np.finfo(float).max)


RowT = TypeVar("RowT", bound=Bunch)


@explained
class RowsOfResult(ReportedResult, Generic[RowT]):
    """Rows of a result, all with the same columns."""

    # The title of a page, and the column whose names each have a picture.
    _heading: ClassVar[str]
    _part: ClassVar[str | None] = None
    # The required columns of names and numbers, and the default settings.
    _row: ClassVar[type[Bunch]] = Bunch
    _names: ClassVar[Sequence[str]] = ()
    _numbers: ClassVar[Sequence[str]] = ()
    _default_settings: ClassVar[Mapping[str, Any]] = {
        "test": "t",
        "alternative": "two-sided",
        "confidence_level": 0.95,
        "correction": None,
    }

    columns: dict[str, NDArray[Any]]
    settings: dict[str, Any]

    def __init__(
        self,
        rows: Iterable[Mapping[str, Any]],
        *,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        self.columns = as_columns("rows", rows, self._names, self._numbers)
        self.settings = {**self._default_settings, **as_dict("settings", settings)}
        check_level(self.settings["confidence_level"])

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(next(iter(self.columns.values())))

    def rows(self) -> list[RowT]:
        """All rows of the result.

        Returns
        -------
        rows : list of Bunch
            The columns of each row by name, as attributes too.
        """
        return as_rows(self.columns, self._row)

    def _row_of(self, **named: Any) -> RowT:
        """Return the one row with these names; None is any."""
        wanted = {name: value for name, value in named.items() if value is not None}
        matching = [
            row
            for row in self.rows()
            if all(count_named(value, [row[name]]) for name, value in wanted.items())
        ]
        if len(matching) != 1:
            for name, value in wanted.items():
                check_option(name, value, self.columns[name].tolist())
            asked = ", ".join(f"{name} {shorten(value)}" for name, value in named.items())
            there = [tuple(row[name] for name in named) for row in self.rows()]
            raise ValueError(
                f"{len(matching)} rows are of {asked}; there are {shorten(there, 200)}."
            )
        return matching[0]

    def _columns(self) -> Mapping[str, Any]:
        return self.columns

    def _title(self) -> str:
        return self._heading

    def _pictures(self) -> dict[str, Callable[[], Any]]:
        if self._part is None:
            return {self._heading: self._figure}
        names = dict.fromkeys(self.columns[self._part].tolist())
        return {str(name): partial(self._figure, **{self._part: name}) for name in names}

    def _figure_size(self) -> tuple[float, float]:
        return WIDTH, HEIGHT_BESIDE + HEIGHT_OF_ROW * min(len(self), MOST_ROWS)

    def _figure(self, **part: Any) -> Any:
        figure = new_figure(*self._figure_size())
        self.plot(ax=figure.subplots(), **part)
        return figure

    def plot(self, **keywords: Any) -> DrawnDisplay:
        """Draw the rows."""
        raise NotImplementedError

    def _facts(self) -> dict[str, Any]:
        return {"settings": self.settings}


def choose_one(name: str, given: Any, names: np.ndarray) -> Any:
    """Return one of the names of rows, by default the only one."""
    distinct = list(dict.fromkeys(names.tolist()))
    if given is None and len(distinct) == 1:
        return distinct[0]
    if given is None:
        raise ValueError(f"`{name}` must name one of several: {shorten(distinct)}.")
    check_option(name, given, distinct)
    return given


def as_columns(
    what: str, rows: Any, names: Sequence[str] = (), numbers: Sequence[str] = ()
) -> dict[str, np.ndarray]:
    """Return the columns of rows by name; raise unless all rows have them."""
    is_one = isinstance(rows, str | Mapping) or not is_iterable(rows)
    listed = [] if is_one else list(rows)
    is_valid = listed and all(isinstance(row, Mapping) for row in listed)
    needed = "a list of dicts such as those of rows() or DataFrame.to_dict('records')"
    check_given(what, rows, is_valid, needed)
    for index, row in enumerate(listed):
        wanted = [*names, *numbers, *listed[0]]
        missing = [name for name in wanted if name not in row]
        if missing:
            raise ValueError(f"`{what}[{index}]` has no {missing[0]!r}, which it needs.")
        for name in numbers:
            check_number(f"{what}[{index}][{name!r}]", row[name])
    return {name: as_column([row[name] for row in listed]) for name in listed[0]}


def as_dict(name: str, given: Any, needed: Sequence[str] = ()) -> dict[str, Any]:
    """Return a dict, or None as an empty one; raise if a key is missing."""
    values = check_mapping(name, given, "values by name, or None")
    missing = [key for key in needed if key not in values]
    if missing:
        raise ValueError(f"`{name}` has no {missing[0]!r}, which it needs.")
    return values


def check_number(name: str, value: Any) -> None:
    """Raise unless a value is a number that a float holds; NaN and infinity are."""
    is_held = not isinstance(value, int) or abs(value) <= LARGEST
    check_given(name, value, isinstance(value, Real) and is_held, "a number")


def as_column(values: Sequence[Any]) -> np.ndarray:
    """Return values as an array, names as objects."""
    if all(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in values):
        return np.array(values)
    column = np.empty(len(values), dtype=object)
    for row, value in enumerate(values):  # NumPy would take tuples for a table
        column[row] = value
    return column


def as_rows(columns: Mapping[str, Any], row: type[Any] = Bunch) -> list[Any]:
    """Return the rows of columns, with Python values."""
    cells = zip(*(map(_to_python, column) for column in columns.values()), strict=True)
    return [row(**dict(zip(columns, values, strict=True))) for values in cells]


def rows_of_metric(columns: Mapping[str, np.ndarray], metric: Any) -> list[Any]:
    """Return the rows of one metric."""
    return [row for row in as_rows(columns) if row.metric == metric]


def _to_python(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value

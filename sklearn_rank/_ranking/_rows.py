"""Rows: every form of input, with the rows of each query one after the other.

They are read slice by slice, so that neither a sparse matrix is filled in nor an array
reordered as a whole.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

import numpy as np

from sklearn_rank._base._label_checks import value_of_each
from sklearn_rank._base._labels import Groups, group_rows
from sklearn_rank._base._numbers import (
    PLAIN_NUMBERS,
    as_numbers,
    check_query_weight,
    check_values,
    check_weights,
    exact_as_floats,
    is_number_text,
    is_sparse,
    weight_per_unit,
    without_zeros,
)
from sklearn_rank._base._runs import sizes_of
from sklearn_rank._base._validation import is_iterable, shorten
from sklearn_rank._ranking._judgments import Judgments, mark_never_pooled, read_judgments

# Queries and side columns.


@dataclass(frozen=True, eq=False)
class Queries:
    """The queries of an input; rows may have them in another order than results."""

    labels: np.ndarray  # of each query, in the order of results
    order: np.ndarray | None = None  # queries of the rows in the order of results
    weight: np.ndarray | None = None  # of each query, in the order of results

    def by_label(self, values: np.ndarray) -> np.ndarray:
        """Return values in the order of results from values in the order of the rows."""
        return values if self.order is None else values[self.order]

    def by_row(self, values: np.ndarray) -> np.ndarray:
        """Return values in the order of the rows from values in the order of results."""
        if self.order is None:
            return values
        by_row = np.empty_like(values)
        by_row[self.order] = values
        return by_row

    def label_of(self, query: int) -> Any:
        """Return the label of a query, which is counted in the order of the rows."""
        place = query if self.order is None else int(np.argmax(self.order == query))
        return self.labels[place]


@dataclass(frozen=True, eq=False)
class SideColumn:
    """Values aligned with the rows of the (flattened) input, or with the items of a grid.

    Labels, such as ids of items, are held as codes.
    """

    values: np.ndarray
    labels: np.ndarray | None = None  # of each code


class QueryError(ValueError):
    """An error about one query: a text with `{query}` in place of its label.

    Code that raises it knows only the number of the query.
    """

    def __init__(self, text: str, query: int):
        super().__init__(text)
        self.text = text
        self.query = query

    def named(self, label: Any) -> ValueError:
        """Return the error as users see it."""
        return ValueError(self.text.replace("{query}", str(label)))


# Positions of some rows in a slice, ascending, and their grades.
PlacesAndGrades = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False, kw_only=True)
class Rows:
    """Rows by query; query i has rows starts[i]:starts[i + 1].

    Here they lie together: sorted columns, or a dense grid row by row.
    """

    queries: Queries
    starts: np.ndarray
    score: np.ndarray
    grade: Any
    n_missed: np.ndarray | None = None  # rows of each query, not retrieved, if any
    max_grade: float  # 0 if there is no grade
    min_grade: float = 0.0  # 0 where a row is not judged, or a cell not stored
    never_pooled: np.ndarray | None = None  # places in the input, ascending, if known
    columns: Mapping[str, SideColumn] = field(default_factory=dict)  # beside the input

    def n_items(self, first: int, last: int) -> np.ndarray:
        """Return the number of items of queries first, ..., last - 1."""
        return np.diff(self.starts[first : last + 1])

    def scores(self, part: slice) -> np.ndarray:
        """Return the scores of a slice of rows."""
        return self.score[part]

    def grades(self, part: slice) -> np.ndarray:
        """Return the grades of a slice of rows."""
        return self.grade[part]

    def nonzero(self, part: slice) -> PlacesAndGrades:
        """Return the rows of a slice that have a grade other than 0."""
        if self.min_grade > 0:
            return self.all_rows(part)
        grades = self.grades(part)
        places = (grades != 0).nonzero()[0]
        return places, grades if len(places) == len(grades) else grades[places]

    def all_rows(self, part: slice) -> PlacesAndGrades:
        """Return all rows of a slice."""
        grades = self.grades(part)
        return np.arange(len(grades)), grades

    def origin(self, rows: np.ndarray) -> np.ndarray:
        """Return the places of rows in the (flattened) input."""
        return rows

    def scattered(self) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
        """Return score, grade and query of rows that lie anywhere (if None, together)."""
        return None


@dataclass(frozen=True, eq=False, kw_only=True)
class ScatteredRows(Rows):
    """Rows of a query lie anywhere; score, grade and `groups` are in the input's order."""

    groups: Groups

    def scores(self, part: slice) -> np.ndarray:
        """Return the scores of a slice of rows."""
        return self.score[self.groups.order[part]]

    def grades(self, part: slice) -> np.ndarray:
        """Return the grades of a slice of rows."""
        return self.grade[self.groups.order[part]]

    def origin(self, rows: np.ndarray) -> np.ndarray:
        """Return the places of rows in the input."""
        return self.groups.order[rows]

    def scattered(self) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
        """Return score, grade and query of the rows, which may be ranked by one sort."""
        assert self.groups.of_row is not None
        return self.score, self.grade, self.groups.of_row


@dataclass(frozen=True, eq=False, kw_only=True)
class SparseGradeRows(Rows):
    """A dense grid of scores with a CSR one of grades, none of them a stored 0."""

    def grades(self, part: slice) -> np.ndarray:
        """Return the grades of whole queries."""
        return self.grade[self._queries(part)].toarray().ravel()

    def nonzero(self, part: slice) -> PlacesAndGrades:
        """Return the stored cells of whole queries."""
        queries = self._queries(part)
        return cells_of(self.grade, queries.start, queries.stop)

    def _queries(self, part: slice) -> slice:
        n_items = self.grade.shape[1]
        return slice(part.start // n_items, part.stop // n_items)


@dataclass(frozen=True, eq=False, kw_only=True)
class StoredRows(Rows):
    """Cells of a sparse grid that have a score or a grade; a query has more items."""

    cells: np.ndarray  # of each row: its place in the flattened grid
    n_columns: int

    def n_items(self, first: int, last: int) -> np.ndarray:
        """Return the number of items of queries first, ..., last - 1."""
        return np.full(last - first, self.n_columns)

    def origin(self, rows: np.ndarray) -> np.ndarray:
        """Return the places of rows in the flattened grid."""
        return self.cells[rows]


def cells_of(stored: Any, first: int, last: int) -> PlacesAndGrades:
    """Return the flat position in these rows and the value of each stored cell."""
    ends = stored.indptr[first : last + 1]
    part = slice(ends[0], ends[-1])
    row = np.repeat(np.arange(last - first), sizes_of(ends))
    return row * stored.shape[1] + stored.indices[part], stored.data[part]


# Checks of the form of an input, and of its scores.


def _check_one_model(y_score: Any, score: Any) -> None:
    """Raise for the scores of several models in the columns of `y_score`."""
    if score.shape[1] > 1:
        models = "{m: y_score[:, m] for m in range(y_score.shape[1])}"
        if hasattr(y_score, "columns"):
            models = "{m: y_score[m] for m in y_score}"
        raise ValueError(
            f"`y_true` has one value per row, and `y_score` {score.shape[1]}: one model at "
            f"a time, or compare_runs(y_true, {models}, groups=...)."
        )


def check_flat_input(
    y_true: Any, y_score: Any, groups: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Return the two arrays as 1-D; raise unless they have the flat form."""
    for values in (y_true, y_score):
        is_column = values.ndim == 2 and values.shape[1] == 1
        if not isinstance(values, np.ndarray) or not (values.ndim == 1 or is_column):
            raise ValueError(
                f"`y_true` and `y_score` have the shapes {y_true.shape} and "
                f"{y_score.shape}. With `groups` both need one value per row; in the 2-D "
                "form, without `groups`, one row per query and one column per item."
            )
    if groups is None:
        raise ValueError(
            "`groups` is required when `y_true` is 1-D: one label per row, the same for "
            "rows that are ranked together. For one query pass [y_true] and [y_score]. "
            "Inside cross-validation use make_ranking_scorer with groups='column of X', or "
            "with groups passed and metadata routing on "
            "(sklearn.set_config(enable_metadata_routing=True))."
        )
    y_true, y_score = y_true.ravel(), y_score.ravel()
    if len(y_true) != len(y_score):
        raise ValueError(
            f"`y_true` has {len(y_true)} rows, but `y_score` has {len(y_score)}; "
            "both need one value per row."
        )
    if len(y_true) == 0:
        raise _empty_error(y_true.shape)
    return y_true, y_score


def check_grid_input(y_true: Any, y_score: Any) -> None:
    """Raise unless both are 2-D of one shape, whose cells can be numbered."""
    for name, values in (("y_true", y_true), ("y_score", y_score)):
        if values.ndim != 2:
            raise ValueError(
                f"`{name}` must be 1-D with `groups`, or 2-D with one row per query, "
                f"got {values.ndim} dimension(s), shape {values.shape}."
            )
    if y_true.shape != y_score.shape:
        raise ValueError(
            f"`y_true` has shape {y_true.shape}, but `y_score` has {y_score.shape}; "
            "both need one row per query and one column per item."
        )
    if 0 in y_true.shape:
        raise _empty_error(y_true.shape)
    if prod(y_true.shape) >= 2**63:
        raise ValueError(
            f"`y_true` has shape {y_true.shape}, which are 2**63 cells or more; leave out "
            "the columns of items, and the rows of queries, for which nothing is stored."
        )


def _empty_error(shape: tuple[int, ...]) -> ValueError:
    return ValueError(f"`y_true` is empty, got shape {shape}; nothing can be scored.")


def read_argument(values: Any, name: str) -> Any:
    """Return the numbers of an argument; raise and say where lists of ids belong."""
    if type(values) is np.ndarray and values.dtype.char in PLAIN_NUMBERS:
        return values
    try:
        return as_numbers(values, name, or_sparse=True)
    except ValueError as error:
        may_hold_ids = getattr(getattr(values, "dtype", None), "kind", "O") in "OUS"
        has_rows = is_iterable(values) and not is_sparse(values)
        first = next(iter(values), None) if has_rows else None
        if not (may_hold_ids and isinstance(first, str | Collection)):
            raise
        if is_number_text(first):
            raise ValueError(
                f"values of `{name}` are text, such as {shorten(first)}; convert them to "
                "numbers, as by astype(float)."
            ) from error
        raise ValueError(
            f"{error} If these are ids, pass **from_item_lists(y_true, y_pred) of "
            "sklearn_rank.inputs. If labels, map them to grades: {'bad': 0, 'good': 1}."
        ) from error


def check_grades(
    y_true: np.ndarray, *, name: str = "y_true", judged_for: str = ""
) -> tuple[float, float]:
    """Return the lowest and the highest grade, 0 without any.

    Raise unless all grades are finite and not negative; NaN if `judged_for` nothing, which
    counts as 0.
    """
    lowest, highest = (y_true.min(), y_true.max()) if y_true.size else (0, 0)
    if lowest >= 0 and highest < np.inf:
        return float(lowest), float(highest)
    if judged_for:
        needed = (
            f"{judged_for} needs a grade for every row: give 0 to rows that count as not "
            "relevant, or use a metric for incomplete judgments, such as 'bpref'; to drop "
            "them would condense the lists"
        )
        needed += _advise_padding(y_true, np.isnan(y_true))
        check_values(name, y_true, np.isnan(y_true), "NaN", needed)
    check_values(name, y_true, np.isinf(y_true), "infinite")
    advice = _advise_padding(y_true, y_true < 0)
    check_values(name, y_true, y_true < 0, "negative", f"grades are 0 or more{advice}")
    return 0.0, float(np.fmax.reduce(y_true, axis=None, initial=0))


def _advise_padding(y_true: np.ndarray, is_wrong: np.ndarray) -> str:
    """Return what to write where one value fills rows up at their ends."""
    if y_true.ndim != 2 or not is_wrong.any():
        return ""
    fillers = y_true[is_wrong]
    is_end = not (np.diff(is_wrong.astype(np.int8), axis=1) < 0).any()
    if not is_end or len(np.unique(fillers)) > 1:
        return ""
    filler, test = f"{fillers[0]:g}", "y_true < 0"
    if np.isnan(fillers[0]):
        filler, test = "NaN", "np.isnan(y_true)"
    return (
        f". If {filler} fills rows up: y_true = np.where({test}, 0, y_true), y_score = "
        f"np.where({test}, -np.inf, y_score), the second first"
    )


def check_scores(y_score: np.ndarray) -> float:
    """Return the lowest score, 0 without any.

    Raise unless all scores are finite, or -inf for what was not retrieved.
    """
    lowest, highest = (y_score.min(), y_score.max()) if y_score.size else (0, 0)
    if not highest < np.inf:
        needed = "give -inf to rows that were not retrieved, do not drop them"
        check_values("y_score", y_score, np.isnan(y_score), "NaN", needed)
        needed = "only -inf (not retrieved) is allowed"
        check_values("y_score", y_score, y_score == np.inf, "+inf", needed)
    return float(lowest)


# Read rows: flat or a grid, dense or sparse.


def read_rows(
    y_true: Any,
    y_score: Any,
    groups: Any,
    sample_weight: Any,
    *,
    judged_for: str = "",
    judgments_for: str = "",
    pooled: Any = None,
    columns: Mapping[str, SideColumn] | None = None,
    is_part: bool = False,
) -> Rows:
    """Return the rows of flat (1-D with groups) or grid (2-D) input.

    `judged_for` names metrics that need every row judged, `judgments_for` those that
    need to know which rows are judged, as `pooled` may say. `columns` hold one value per
    row, or one per item. `is_part` rows need not show that something was judged.
    """
    if judgments_for and pooled is not None:
        y_true = mark_never_pooled(y_true, pooled)
    truth = read_argument(y_true, "y_true")
    score = read_argument(y_score, "y_score")
    if groups is not None or truth.ndim == 1:
        if truth.ndim == 1 and score.ndim == 2 and len(truth) == score.shape[0] > 1:
            _check_one_model(y_score, score)
        truth, score = check_flat_input(truth, score, groups)
    else:
        check_grid_input(truth, score)
    is_meant = isinstance(y_true, Judgments)
    has_cells = not isinstance(truth, np.ndarray)
    is_dense = isinstance(score, np.ndarray)
    lowest, highest = check_grades(
        truth.data if has_cells else truth, judged_for="" if is_meant else judged_for
    )
    fields = {"max_grade": highest, "columns": columns or {}}
    fields["min_grade"] = 0.0 if has_cells else lowest
    lowest_score = check_scores(score if is_dense else score.data)
    if judgments_for:
        judged = read_judgments(truth, judgments_for, is_meant=is_meant or is_part)
        truth, fields["never_pooled"] = judged
    if truth.ndim == 1:
        rows = _flat_rows(truth, score, groups, sample_weight, fields)
    else:
        weight = check_query_weight(sample_weight, score.shape[0])
        fields["queries"] = Queries(np.arange(score.shape[0]), weight=weight)
        build = _grid_rows if is_dense else _stored_rows
        rows = build(truth, score, fields)
    if lowest_score > -np.inf and is_dense:
        return rows
    return replace(rows, n_missed=_count_missed(rows))


def _flat_rows(
    truth: np.ndarray, score: np.ndarray, groups: Any, weight: Any, fields: dict[str, Any]
) -> Rows:
    queries_of_rows = group_rows(groups, n_rows=len(truth))
    weight = None if weight is None else weight_by_label(weight, queries_of_rows)
    queries = Queries(queries_of_rows.labels, queries_of_rows.label_order, weight)
    fields |= {
        "queries": queries,
        "starts": queries_of_rows.starts,
        "score": score,
        "grade": truth,
    }
    return (
        Rows(**fields)
        if queries_of_rows.of_row is None
        else ScatteredRows(**fields, groups=queries_of_rows)
    )


def weight_by_label(
    sample_weight: Any, groups: Groups, noun: str = "query"
) -> np.ndarray | None:
    """Return one weight per query, in the order of the labels, from weights per row."""
    starts, advice = groups.starts, ""
    unit = f"row, the same for all rows of a {noun}"
    if noun == "query" and len(groups.labels) == np.size(sample_weight) != starts[-1]:
        advice = (
            " For one weight per query: "
            "sample_weight[np.unique(groups, return_inverse=True)[1]]."
        )
    by_row = weight_per_unit(sample_weight, starts[-1], unit, advice)
    if by_row is None:
        return None
    by_row = by_row if groups.of_row is None else by_row[groups.order]
    queries = Queries(groups.labels, groups.label_order)
    weights = value_of_each("sample_weight", by_row, starts, queries.label_of, noun)
    return check_weights(queries.by_label(weights))


def _grid_rows(truth: Any, score: np.ndarray, fields: dict[str, Any]) -> Rows:
    n_queries, n_items = score.shape
    fields |= {"starts": np.arange(n_queries + 1) * n_items, "score": score.ravel()}
    if not isinstance(truth, np.ndarray):
        return SparseGradeRows(**fields, grade=without_zeros(truth))
    return Rows(**fields, grade=truth.ravel())


def _stored_rows(truth: Any, score: Any, fields: dict[str, Any]) -> Rows:
    """Return a row for each stored score, and for each grade that has none."""
    from scipy import sparse

    n_queries, n_items = score.shape
    truth = sparse.csr_array(truth) if isinstance(truth, np.ndarray) else truth
    nonzero, grade = cells_of(truth, 0, n_queries)
    scored, score = cells_of(score, 0, n_queries)
    # A relevant row without a score was not retrieved.
    missed = np.setdiff1d(nonzero[grade != 0], scored, assume_unique=True)
    cells = np.r_[scored, missed]
    order = np.argsort(cells, kind="stable")
    cells = cells[order]
    if len(missed):
        score = score if score.dtype.kind == "f" else exact_as_floats(score)
        score = np.r_[score, np.full(len(missed), -np.inf)]
    score = score[order]
    grades = np.zeros(len(cells))
    has_grade = np.isin(cells, nonzero, assume_unique=True)
    grades[has_grade] = grade[np.searchsorted(nonzero, cells[has_grade])]
    starts = np.searchsorted(cells, np.arange(n_queries + 1) * n_items)
    fields |= {"starts": starts, "score": score, "grade": grades, "n_columns": n_items}
    return StoredRows(**fields | {"min_grade": 0.0}, cells=cells)  # a cell is not stored


def _count_missed(rows: Rows) -> np.ndarray | None:
    """Return how many rows of each query were not retrieved: those that score -inf."""
    missed, scattered = np.flatnonzero(rows.score == -np.inf), rows.scattered()
    if len(missed) and scattered is not None:
        return np.bincount(scattered[2][missed], minlength=len(rows.starts) - 1)
    return sizes_of(missed.searchsorted(rows.starts)) if len(missed) else None

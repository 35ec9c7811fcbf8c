"""The columns of a log: labels, numbers, sums of units, and covariates."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from sklearn_rank._base._labels import as_list, as_vector, encode_labels
from sklearn_rank._base._messages import warn_caller
from sklearn_rank._base._numbers import (
    as_numbers,
    check_finite,
    check_values,
    number_vector,
)
from sklearn_rank._base._validation import check_given, check_length, shorten
from sklearn_rank.inputs._columns import find_column, names_of
from sklearn_rank.metrics._core._clusters import Clusters
from sklearn_rank.online._arms import Population

# The number of labels that an error shows.
LABELS_SHOWN = 3


def read_numbers(
    name: str, values: Any, n_rows: int | None = None, *, may_miss: bool = False
) -> np.ndarray:
    """Return finite numbers as floats, one per row; NaN if allowed."""
    numbers = number_vector(name, values, "one value per row")
    check_length(name, numbers, n_rows)
    numbers = numbers.astype(np.float64)
    check_finite(name, numbers[~np.isnan(numbers)] if may_miss else numbers)
    return numbers


def read_clicks(name: str, values: Any, n_rows: int | None = None) -> np.ndarray:
    """Return clicks; raise unless they are 0 or 1."""
    clicks = read_numbers(name, values, n_rows)
    is_wrong = ~np.isin(clicks, (0, 1))
    advice = "give 0 or 1; an item counts once per impression"
    check_values(name, clicks, is_wrong, "invalid", advice)
    return clicks


def read_labels(name: str, values: Any, n_rows: int) -> tuple[list, np.ndarray]:
    """Return the distinct labels, and the index of each row's label."""
    labels, codes = encode_labels(values, name=name)
    check_length(name, codes, n_rows)
    return as_list(labels), codes


def read_positions(values: Any, n_rows: int) -> tuple[list, np.ndarray]:
    """Return the distinct positions from the top, and the index of each row's position."""
    positions, codes = read_labels("position", values, n_rows)
    names = [position for position in positions if not isinstance(position, Real)]
    if names:
        raise ValueError(
            f"`position` has {shorten(names[0])}, which is not a number; as text '10' "
            "sorts before '2'. Give numbers, 1 for the first position."
        )
    return positions, codes


def read_clusters(
    name: str, values: Any, what: str, labels: list, codes: np.ndarray
) -> Clusters:
    """Return the clusters of lists from a label per row, such as the user."""
    if values is None:
        clusters = Clusters(len(labels))
    else:
        of_row = read_labels(name, values, len(codes))[1]
        wrong = f"{{}} {what}(s) are of more than one {name}, such as {{}}"
        advice = "give each list its own label."
        of_label = take_value_per_label(labels, codes, of_row, f"{wrong}; {advice}")
        clusters = Clusters.from_codes(of_label, None)
    if clusters.n_clusters < 2:
        raise ValueError(f"There is 1 {name}; an interval and a test need two.")
    return clusters


def count_cells(
    row: np.ndarray,
    column: np.ndarray,
    shape: tuple[int, int],
    weights: np.ndarray | None = None,
) -> np.ndarray:
    """Return how often each cell of a table occurs, or the sum of its weights."""
    cells = np.bincount(row * shape[1] + column, weights, math.prod(shape))
    return cells.reshape(shape)


def take_value_per_label(
    labels: list, codes: np.ndarray, values: np.ndarray, message: str
) -> np.ndarray:
    """Return the value of each label; raise if the rows of a label have several."""
    of_label = np.empty(int(codes.max()) + 1, dtype=values.dtype)
    of_label[codes[::-1]] = values[::-1]  # the first value of each label is written last
    expected = of_label[codes]
    is_other = (values != expected) & ((values == values) | (expected == expected))
    if is_other.any():
        wrong = np.unique(codes[is_other])
        examples = ", ".join(shorten(labels[code]) for code in wrong[:LABELS_SHOWN])
        raise ValueError(message.format(len(wrong), examples))
    return of_label


def take_named_column(data: Any, parameter: str, column: Any) -> Any:
    """Return the column of `data` that an argument names; without data, the argument."""
    if data is None or column is None:
        return column
    names: Any = data if isinstance(data, Mapping) else names_of(data, name="data")
    needed = "a frame, or a dict from name to column"
    check_given("data", data, names is not None, needed)
    names, [column] = list(names), read_column_names(parameter, [column])
    return data[names[find_column(column, names, parameter=parameter, of="`data`")]]


# Repeats by chance stay within one of two variants in half of all cases each.
LEAST_REPEATS = 10
LEAST_LABELS_PER_ARM = 20
FIRST_ROWS = 1000  # of a column that mostly rule it out


def find_likely_unit(data: Any, outcomes: set[str], arm: np.ndarray) -> dict[Any, float]:
    """Return the column whose labels repeat within variants only, with rows per label.

    Empty without such a column; of several it is the one with the fewest labels.
    """
    rows_per_label = {}
    for name in getattr(data, "column_names", getattr(data, "columns", data)):
        ids = None if str(name) in outcomes else _read_ids(data[name], len(arm))
        if ids is None or _arms_of_labels(ids[:FIRST_ROWS], arm[:FIRST_ROWS]) is None:
            continue
        arms = _arms_of_labels(ids, arm)
        if arms is None or len(arm) - len(arms) < LEAST_REPEATS:
            continue
        if np.bincount(arms, minlength=arm.max() + 1).min() >= LEAST_LABELS_PER_ARM:
            rows_per_label[name] = len(arm) / len(arms)
    return dict(sorted(rows_per_label.items(), key=lambda item: -item[1])[:1])


def _read_ids(values: Any, n_rows: int) -> np.ndarray | None:
    """Return a column of whole numbers or text, None for another."""
    try:
        vector = as_vector(values, name="data")
    except ValueError:  # not a column
        return None
    is_text = vector.dtype.kind == "O" and set(map(type, vector.tolist())) == {str}
    is_valid = len(vector) == n_rows and (is_text or vector.dtype.kind in "iuU")
    return vector if is_valid else None


def _arms_of_labels(ids: np.ndarray, arm: np.ndarray) -> np.ndarray | None:
    """Return the arm of each label, None if one is in two arms."""
    labels, codes = encode_labels(ids, name="data")
    of_label = np.empty(len(labels), dtype=np.intp)
    of_label[codes] = arm
    return of_label if (of_label[codes] == arm).all() else None


def read_column_names(parameter: str, columns: Any) -> list:
    """Return distinct names of columns from one name or a list."""
    listed = list(columns) if isinstance(columns, list | Mapping) else [columns]
    for column in listed:
        try:
            hash(column)
        except TypeError:
            raise TypeError(
                f"`{parameter}` must be the name of a column of `data`, got "
                f"{shorten(column)}; leave out `data` to pass values."
            ) from None
    if len(set(map(repr, listed))) < len(listed) or not listed:
        raise ValueError(
            f"`{parameter}` must name columns, each once, got {shorten(columns)}."
        )
    return listed


# Units that were randomized, such as users: rows of a log summed per unit.


@dataclass(frozen=True, eq=False)
class Units:
    """Units of a log; `arm` is the index of a unit's variant in `variants`."""

    variants: list[Any]
    arm: np.ndarray
    labels: list[Any]  # empty if each row is a unit
    codes: np.ndarray  # the unit of each row

    @property
    def n_rows(self) -> int:
        """The number of rows of the log."""
        return len(self.codes)

    def summed_by(self, unit: Any) -> str:
        """Return the name of the units if some have several rows, else ''."""
        if len(self.labels) in (0, self.n_rows):
            return ""
        return unit if isinstance(unit, str) else "unit"

    def take_baseline(self, name: str, values: np.ndarray) -> np.ndarray:
        """Return the value of each unit before the experiment."""
        message = (
            f"`{name}` has several values for {{}} unit(s), such as {{}}; it is one value "
            "per unit, known before the experiment."
        )
        return take_value_per_label(self.labels, self.codes, values, message)

    def sizes(self) -> dict[Any, int]:
        """Return the number of units of each variant."""
        return dict(zip(self.variants, np.bincount(self.arm).tolist(), strict=True))

    def outcome(self, name: str, values: Any) -> np.ndarray:
        """Return the sum of each unit."""
        return self._sums(read_numbers(name, values, self.n_rows))

    def denominator(self, name: str, values: Any) -> np.ndarray:
        """Return the sum of each unit; raise unless each arm has one above 0."""
        counts = read_numbers(name, values, self.n_rows)
        check_values(name, counts, counts < 0, "negative", "it counts, for instance, views")
        sums = self._sums(counts)
        for code, variant in enumerate(self.variants):
            if not sums[self.arm == code].any():
                raise ValueError(
                    f"`{name}` is 0 for all units of {variant!r}; give one that is not."
                )
        return sums

    def _sums(self, values: np.ndarray) -> np.ndarray:
        return Clusters(self.n_rows, self.codes).sums(values) if self.labels else values


def read_units(n_rows: int, variant: Any, unit: Any) -> Units:
    """Return the units of a log; raise if one is in two variants."""
    variants, arm = read_labels("variant", variant, n_rows)
    labels: list[Any] = []
    codes = np.arange(n_rows)
    if unit is not None:
        labels, codes = read_labels("unit", unit, n_rows)
    message = (
        "{} unit(s) are in more than one variant, such as {}. The assignment is "
        "contaminated: find out why; leaving such units out biases the result."
    )
    of_unit = take_value_per_label(labels, codes, arm, message)
    return Units(variants, of_unit, labels, codes)


# Covariates from before an experiment: columns of numbers, and strata.

# With fewer missing units in an arm, the indicator of missing has no slope there.
LEAST_MISSING = 10
LEAST_PER_STRATUM = 2
# With fewer units per column, slopes are rough and intervals too narrow.
UNITS_PER_COLUMN = 20


def read_covariates(
    covariates: dict[str, Any], strata: Any, units: Units, *, are_sample: bool
) -> Population | None:
    """Return covariates (by their names in errors) and strata of units, None without."""
    columns = []
    for name, values in covariates.items():
        columns += _read_covariate(name, values, units)
    codes = None if strata is None else _read_strata("strata", strata, units)
    n_columns = len(columns) + (0 if codes is None else int(codes.max()))
    fewest = int(np.bincount(units.arm).min())
    if fewest < UNITS_PER_COLUMN * n_columns:
        warn_caller(
            f"An arm has {fewest} units for {n_columns} column(s) of covariates "
            f"and strata; below {UNITS_PER_COLUMN} per column intervals are rough."
        )
    if not n_columns:
        return None
    table = np.array(columns).reshape(len(columns), len(units.arm)).T
    return Population(table, codes, are_sample)


def _read_covariate(name: str, values: Any, units: Units) -> list[np.ndarray]:
    """Return a number per unit, the mean where it is missing, and which are missing."""
    baseline = units.take_baseline(
        name, read_numbers(name, values, units.n_rows, may_miss=True)
    )
    is_missing = np.isnan(baseline)
    if is_missing.all():
        raise ValueError(f"`{name}` is missing for all units; leave it out.")
    present = baseline[~is_missing]
    mean = Clusters(len(present)).mean(present)
    columns = [np.where(is_missing, mean, baseline)]
    in_arms = np.bincount(units.arm[is_missing], minlength=len(units.variants))
    if in_arms.min() >= LEAST_MISSING:
        columns.append(is_missing.astype(float))
    elif is_missing.any():
        warn_caller(
            f"`{name}` is missing for {int(is_missing.sum())} unit(s), set to the mean."
        )
    return columns


def _read_strata(name: str, values: Any, units: Units) -> np.ndarray:
    """Return the stratum of each unit as a code."""
    strata, of_rows = read_labels(name, values, units.n_rows)
    codes = units.take_baseline(name, of_rows)
    shape = len(strata), len(units.variants)
    counts = count_cells(codes, units.arm, shape)
    if counts.min() < LEAST_PER_STRATUM:
        stratum, arm = np.unravel_index(np.argmin(counts), shape)
        raise ValueError(
            f"`{name}` {shorten(strata[stratum])} has {counts[stratum, arm]} unit(s) "
            f"in {shorten(units.variants[arm])}; each stratum needs "
            f"{LEAST_PER_STRATUM} in each variant. Merge small ones into one."
        )
    return codes


def name_columns_by_position(covariate: Any) -> dict[str, Any]:
    """Return unnamed covariates, in one column or several, by position."""
    if covariate is None:
        return {}
    values = as_numbers(covariate, "covariate")
    if values.ndim != 2:
        return {"covariate": covariate}
    return {f"covariate[:, {index}]": column for index, column in enumerate(values.T)}

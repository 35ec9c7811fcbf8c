"""The rows of a log: users, items and times as numbers, and which rows are relevant."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sklearn_rank._ids._encode import encode_labels
from sklearn_rank._tables._columns import numbers_of_rows, take_column, take_rows
from sklearn_rank._tables._interaction_log import PARAMETERS, CodedLabels, Log, read_log
from sklearn_rank._text._wording import counted
from sklearn_rank.experiments._data_part import DataPart
from sklearn_rank.metrics._core._join_labels import join_labels


@dataclass(frozen=True)
class Interactions:
    """The rows of a log, with their ratings."""

    X: Any
    y: np.ndarray | None
    columns: Mapping[str, Any]  # user, item, and time where there is one
    log: Log
    relevant: np.ndarray  # mask of the rows to judge by

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.log.n_rows

    @property
    def n_users(self) -> int:
        """Number of users that have a row."""
        return len(np.unique(self.log.users.codes))

    @property
    def n_items(self) -> int:
        """Number of items that have a row."""
        return len(np.unique(self.log.items.codes))

    @property
    def repeat_share(self) -> float:
        """Share of the rows whose user and item occur together in another, earlier one."""
        base = len(self.log.items.values)
        pairs = self.log.users.codes.astype(np.int64) * base + self.log.items.codes
        return 1 - len(np.unique(pairs)) / self.n_rows

    @property
    def period(self) -> str | None:
        """The first and the last time in words, None without times."""
        times = self.log.times
        if times is None:
            return None
        shown = [times.show(end) for end in (times.values.min(), times.values.max())]
        if times.unit is not None:
            shown = [text.split(" ")[0] for text in shown]
        return " to ".join(shown)

    def take(self, rows: np.ndarray) -> "Interactions":
        """Return some of the rows; users and items keep their numbers."""
        log = self.log
        times = log.times
        return Interactions(
            take_rows(self.X, rows),
            None if self.y is None else self.y[rows],
            self.columns,
            Log(
                len(rows),
                CodedLabels(log.users.values, log.users.codes[rows]),
                CodedLabels(log.items.values, log.items.codes[rows]),
                times if times is None else replace(times, values=times.values[rows]),
            ),
            self.relevant[rows],
        )

    def part(self) -> DataPart:
        """Return the rows as what is fitted on and judged by."""
        return DataPart(self.X, self.y, None, self.relevant)


def read_interactions(
    X: Any, y: Any, columns: Mapping[str, Any], min_relevance: float | None
) -> Interactions:
    """Read the rows of a log and check that they can be learned from."""
    known = {name: columns.get(column) for name, column in PARAMETERS.items()}
    needed = [name for name, column in known.items() if column is not None]
    log = read_log(X, dict.fromkeys(PARAMETERS), known, needed=needed, owner="tune_models")
    grades = None if y is None else numbers_of_rows(y, log.n_rows, name="y")
    relevant = np.ones(log.n_rows, dtype=bool)
    if grades is not None:
        relevant = grades > 0 if min_relevance is None else grades >= min_relevance
        _check_relevant(grades, relevant, min_relevance)
    elif min_relevance is not None:
        raise ValueError(
            f"`min_relevance={min_relevance:g}` needs y, the rating of each row; without y "
            "every row is relevant. Pass y, or leave it out."
        )
    return Interactions(X, grades, columns, log, relevant)


def joined_log(first: Interactions, second: Interactions) -> Log:
    """Return the users and items of two tables, one after the other."""

    def joined(name: str) -> CodedLabels:
        columns = [
            np.asarray(take_column(data.X, data.columns[name], name=name))
            for data in (first, second)
        ]
        return CodedLabels(*encode_labels(join_labels(columns, name=name), name=name))

    return Log(first.n_rows + second.n_rows, joined("user"), joined("item"))


def _check_relevant(
    grades: np.ndarray, relevant: np.ndarray, min_relevance: float | None
) -> None:
    if relevant.any():
        return
    needed = "above 0" if min_relevance is None else f"{min_relevance:g} or more"
    raise ValueError(
        f"No rating is {needed}, so nothing is relevant; the largest in `y` is "
        f"{grades.max():g}. Lower `min_relevance`, or check `y`."
    )


def check_size(data: Interactions) -> None:
    """Raise if there is only one user or item."""
    for name, n in (("user", data.n_users), ("item", data.n_items)):
        if n < 2:
            raise ValueError(
                f"`X` has only one {name} in {counted(data.n_rows, 'row')}; a recommender "
                f"needs at least two. Is `{name}` the right column?"
            )

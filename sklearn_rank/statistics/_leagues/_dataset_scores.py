"""Read the scores of models on several data sets: one number each, or those of queries."""

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from itertools import product
from numbers import Real
from typing import Any

import numpy as np

from sklearn_rank._base._messages import shorten
from sklearn_rank._base._numbers import as_floats, check_values, is_missing, number_vector
from sklearn_rank._base._validation import check_given, check_option
from sklearn_rank.distributed._value_tables import are_values
from sklearn_rank.metrics import PerQueryScores
from sklearn_rank.statistics._read_scores import distinct_columns, is_frame, scores_by_model
from sklearn_rank.statistics._repeat_spread import repeats_of
from sklearn_rank.statistics._streams import is_stream

MISSING = ("raise", "models", "datasets")
# What a league needs two of, and what takes one.
ALONE = {
    "model": "confidence_interval is for one model",
    "data set": "compare_models compares models on one data set",
}


@dataclass(frozen=True, eq=False)
class LeagueScores:
    """Scores of models on data sets: one number each, or what compare_models takes.

    `scores` has those of models by data set; what is missing is not there.
    """

    models: list[Any]
    scores: dict[Any, dict[Hashable, Any]]
    are_numbers: bool
    left_out: tuple[Any, ...] = ()

    def complete(self, missing: str) -> "LeagueScores":
        """Return the scores without models or data sets for which a score is missing."""
        check_option("missing", missing, MISSING)
        self._check_two()
        cells = product(self.scores, self.models)
        lacking = [(task, model) for task, model in cells if model not in self.scores[task]]
        of_tasks, of_models = {task for task, _ in lacking}, {model for _, model in lacking}
        if lacking and missing == "raise":
            (task, model), n_models, n_sets = lacking[0], len(self.models), len(self.scores)
            raise ValueError(
                f"`scores` lacks {len(lacking):,} of {n_models * n_sets:,} scores, such as "
                f"that of model {shorten(model)} on {shorten(task)}: {len(of_models):,} of "
                f"{n_models:,} models lack a data set, and {len(of_tasks):,} of {n_sets:,} "
                "data sets lack a model. Score these, or leave them out by "
                "missing='models' or missing='datasets'."
            )
        names = [m for m in self.models if missing != "models" or m not in of_models]
        tasks = [t for t in self.scores if missing != "datasets" or t not in of_tasks]
        rest = [m for m in self.models if m not in names]
        rest += [t for t in self.scores if t not in tasks]
        scores = {task: {name: self.scores[task][name] for name in names} for task in tasks}
        league = LeagueScores(names, scores, self.are_numbers, tuple(rest))
        league._check_two(f" after missing={missing!r} left out {len(rest)}")
        return league

    def has_direction(self) -> bool:
        """Return whether the scores know the direction of their metric."""
        every = [v for models in self.scores.values() for v in models.values()]
        scores = [repeats_of("scores", v)[0] for v in every]
        is_scored = (isinstance(v, PerQueryScores) or are_values(v) for v in scores)
        return any(is_scored) or any(map(is_stream, scores))

    def _check_two(self, why: str = "") -> None:
        """Raise for fewer than two models or data sets."""
        for noun, names in (("model", self.models), ("data set", list(self.scores))):
            if len(names) < 2:
                raise ValueError(
                    f"`scores` has {len(names)} {noun}(s), {shorten(names)}{why}; a "
                    f"ranking over data sets needs two. {ALONE[noun]}."
                )


def read_league(scores: Any) -> LeagueScores:
    """Return the scores of models on data sets, where some may be missing."""
    if is_frame(scores):
        scores = _numbers_by_data_set(scores)
    needed = (
        "a dict from data set to the scores of each model, or a DataFrame with a row per "
        "data set and a column per model"
    )
    check_given("scores", scores, isinstance(scores, Mapping), needed)
    if not scores:
        raise ValueError(f"`scores` is empty; it must be {needed}.")
    by_data_set = {name: _by_model(name, row) for name, row in scores.items()}
    models = list(dict.fromkeys(model for row in by_data_set.values() for model in row))
    values = {
        name: {model: value for model, value in row.items() if not is_missing(value)}
        for name, row in by_data_set.items()
    }
    every = [value for row in values.values() for value in row.values()]
    are_numbers = list(map(_is_number, every))
    if all(are_numbers):
        advice = "give finite ones, or NaN for a missing one"
        for name, row in values.items():
            numbers = as_floats(list(row.values()), _name_of(name))
            check_values(_name_of(name), numbers, np.isinf(numbers), "infinite", advice)
            values[name] = dict(zip(row, numbers.tolist(), strict=True))
    elif any(are_numbers):
        number, non_number = (every[are_numbers.index(is_one)] for is_one in (True, False))
        raise ValueError(
            f"`scores` has single numbers, such as {shorten(number)}, and others, such as "
            f"{shorten(non_number)}; give one number for each model and data set, or "
            "values per query for all."
        )
    return LeagueScores(models, values, all(are_numbers))


def _by_model(name: Hashable, scores: Any) -> dict[Hashable, Any]:
    """Return the scores of each model on a data set."""
    if not (is_frame(scores) or isinstance(scores, Mapping)):
        raise TypeError(
            f"`{_name_of(name)}` must be a dict from model to its values or its mean, or a "
            f"DataFrame with a column per model, got {shorten(scores)}. For one data set "
            "use compare_models."
        )
    return scores_by_model(scores, _name_of(name))


def _name_of(data_set: Any) -> str:
    return f"scores[{data_set!r}]"


def _is_number(value: Any) -> bool:
    """Return whether this is the one number of a model."""
    return isinstance(value, Real) or getattr(value, "ndim", 1) == 0


def _numbers_by_data_set(frame: Any) -> dict[Any, dict[Any, float]]:
    """Return the numbers of a frame with a row per data set and a column per model."""
    columns = {}
    for model in distinct_columns(frame, "scores"):
        try:
            column = number_vector("scores", frame[model], "a number per data set")
            columns[model] = column.astype(np.float64).tolist()
        except ValueError as error:
            raise ValueError(
                f"Column {model!r}: {error} A row is a data set and a column a model; "
                "names of data sets are the index, as after set_index(), and of a long "
                "table after pivot_table(index='dataset', columns='model', values='score')."
            ) from error
    # Those of polars have no names of rows.
    data_sets = list(getattr(frame, "index", range(len(frame))))
    repeated = [name for name, n in Counter(data_sets).items() if n > 1]
    if repeated:
        raise ValueError(
            f"`scores` has the data set {shorten(repeated[0])} in more than one row; give "
            "one row per data set, such as the mean of its rows."
        )
    return {
        name: {model: column[row] for model, column in columns.items()}
        for row, name in enumerate(data_sets)
    }

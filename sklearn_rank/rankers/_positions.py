"""Where rows were shown when they were clicked, for LightGBM to discount."""

from dataclasses import replace
from typing import Any

import numpy as np

from sklearn_rank._tables._columns import numbers_of_rows
from sklearn_rank._validation import check_values, shorten
from sklearn_rank.rankers._adapters import library_of
from sklearn_rank.rankers._query_rows import QueryRows


def read_positions(position: Any, n_rows: int) -> np.ndarray:
    """Return the place of each row, or say what is wrong."""
    places = numbers_of_rows(position, n_rows, name="position")
    wrong = ~np.isfinite(places) | (places != np.floor(places)) | (places < 0)
    check_values("position", places, wrong, "invalid", "give whole numbers >= 0")
    return places.astype(np.int32)


def check_takes_positions(estimator: Any, group_param: str | None) -> None:
    """Raise unless the estimator learns from positions."""
    is_ranker = library_of(estimator) == "lightgbm" and group_param is not None
    if not is_ranker or callable(estimator.get_params()["objective"]):
        raise ValueError(
            "`position` is for LightGBM's LGBMRanker with an objective of its own, not for "
            f"{shorten(estimator)}; leave it out."
        )


def with_positions(
    train: QueryRows, validation: QueryRows | None
) -> tuple[QueryRows, QueryRows | None]:
    """Return rows whose positions a callback hands on: `fit` of LightGBM takes none.

    The objective looks for them when it is made, so the callback has it made again, before
    the first tree.
    """
    extra = dict(train.extra)
    position = extra.pop("position")

    def hand_on(env: Any) -> None:
        if env.iteration == env.begin_iteration:
            env.model.train_set.set_position(position)
            env.model.reset_parameter({"objective": env.params["objective"]})

    hand_on.before_iteration = True  # type: ignore[attr-defined]
    callbacks = {"callbacks": [*(extra.get("callbacks") or []), hand_on]}
    train = replace(train, extra=extra | callbacks)
    if validation is not None:
        validation = replace(validation, extra={**validation.extra, **callbacks})
    return train, validation

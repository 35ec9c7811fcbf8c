"""Weights of the rows of a log: by pair, by age, and by order."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC
from typing import Any, ClassVar, Literal

import numpy as np
from scipy import sparse

from sklearn_rank._base._ids import KnownIds
from sklearn_rank._base._validation import shorten
from sklearn_rank.inputs._coded_labels import PairOrder
from sklearn_rank.inputs._columns import take_column
from sklearn_rank.inputs._interaction_log import Log, read_row_times, table_of
from sklearn_rank.inputs._kept import Kept, keep
from sklearn_rank.inputs._last_times import last_times_of
from sklearn_rank.inputs._times import SAMPLE_SIZE, Times, check_units
from sklearn_rank.recommenders._fitted import Fitted, Weights
from sklearn_rank.recommenders._histories import (
    LEAST_WEIGHT,
    OrderedHistories,
    decay_of_rows,
    find_reference_time,
    order_histories,
    recency_of_rows,
)
from sklearn_rank.recommenders._pair_weights import (
    apply_weighting,
    mean_weights,
    replace_data,
)
from sklearn_rank.recommenders._pairs import Popularity
from sklearn_rank.typing import Column, Duration, Estimator, Moment, Weighting


@dataclass(init=False, eq=False, repr=False, kw_only=True)
class LogParameters:
    """Parameters for reading and weighting a log, and for making lists.

    A subclass that is a dataclass takes all of these by keyword. A subclass with its own
    constructor may take some; the others keep their defaults.
    """

    weighting: Weighting = "binary"
    half_life: Duration | None = None
    time: Column | None = None
    reference_time: Moment | None = None
    recency: float | None = None
    exclude_seen: bool = True
    new_users: Estimator | Literal["popularity"] = "popularity"
    user: Column | None = None
    item: Column | None = None

    # Parameters of the weights: in a search, models with equal ones share work.
    _weighed_by: ClassVar[tuple[str, ...]] = ("weighting", "half_life")


def times_of(model: Any, X: Any) -> Times | None:
    """Return the time of each row if a parameter needs it."""
    parameters = {"half_life": model.half_life, "recency": model.recency}
    asks = [f"`{k}={shorten(v)}`" for k, v in parameters.items() if v is not None]
    if model._needs_order():
        asks.append(type(model).__name__)
    return require_times(model, asks[0], X) if asks else None


def require_times(model: Any, asks: str, X: Any) -> Times:
    """Return the time of each row; `asks` names what needs it."""
    if isinstance(X, Log) and X.times is not None and X.layout is not None:
        return X.times
    if model.time is None:
        raise ValueError(
            f"{asks} needs the time of each interaction; name its column of X with `time=`."
        )
    table, _ = table_of(X, None)
    return read_row_times(take_column(table, model.time, name="time"), model.time)


def weigh_histories(
    model: Any, history: OrderedHistories, decay: np.ndarray | None = None
) -> sparse.csr_array:
    """Return weights as in `interactions_`, also weighted by the order of rows."""
    counts = recency_of_rows(history, model.recency)
    if decay is not None:
        counts = np.maximum(counts * decay, LEAST_WEIGHT)
    shape = len(history.starts) - 1, len(model.items_)
    pairs = PairOrder.from_codes(history.users, history.items, shape)
    counted = pairs.sums(history.weights * counts)
    return apply_weighting(counted, model.weighting, pairs.largest(counts))


def age_rows(
    model: Any, times: Times | None, past: Times | None = None
) -> tuple[np.ndarray | None, float, Times | None]:
    """Return the weights of rows by age, the factor for earlier weights, and the past.

    `past` is that of earlier rows: an update reads a sample of their times, with the
    reference time as its last.
    """
    if times is None:
        return None, 1.0, past
    all_times = times
    if past is not None:
        all_times = times.joined(past)
        check_units(all_times)
    decay, moment = None, all_times.values.max()
    if model.half_life is not None:
        moment = find_reference_time(all_times, model.half_life, model.reference_time)
        decay = decay_of_rows(all_times, model.half_life, moment)
    sample = all_times.values[:: 1 + len(all_times.values) // SAMPLE_SIZE]
    zone = None if all_times.zone is None else UTC  # which model files can hold
    past = Times(np.append(sample, moment), all_times.unit, zone)
    if decay is None:
        return None, 1.0, past
    return decay[: len(times.values)], float(decay[-1]), past


def count_rows(
    model: Any, pairs: PairOrder, counts: np.ndarray, decay: np.ndarray | None
) -> Weights:
    """Sum the weights of the rows of each pair, and transform the sums."""
    counted = pairs.sums(counts)
    newest = None if decay is None else pairs.largest(decay)
    interactions = apply_weighting(counted, model.weighting, newest)
    seen = replace_data(counted, np.ones(counted.nnz, dtype=bool))
    popularity = Popularity(mean_weights(interactions))
    # For "binary", only whether a sum is 0 matters.
    is_binary = model.weighting == "binary" and newest is None
    counted = interactions if is_binary else counted
    return Weights(interactions, seen, popularity, counted, newest)


def read_rows(model: Any, log: Log) -> Kept | None:
    """Weigh the rows of a log; return what fits of these weights share in a search."""
    times, ages = times_of(model, log), (model.half_life, model.reference_time)
    decay, past = None, None
    if times is not None:
        decay, _, past = keep(log.kept, "ages", ages, lambda: age_rows(model, times))

    def count() -> tuple[Weights, Kept]:
        counts = log.weights
        if decay is not None:
            counts = decay if log.y is None else log.weights * decay
        return count_rows(model, log.pairs, counts, decay), Kept()

    # Weights by age change with each half-life; the others are few.
    name = "counts", model.weighting, decay is None
    weights, kept = keep(log.kept, name, None if decay is None else ages, count)
    ids = KnownIds(log.users.values), KnownIds(log.items.values)
    histories, last = weights.interactions, last_times_of(log, model.time, times)
    record = Fitted(*ids, log.layout, weights, histories, past=past, last_times=last)
    model._fitted = record
    if times is not None and model._needs_order():
        put_in_order(model, log, times)
    return None if log.kept is None else kept


def put_in_order(model: Any, log: Log, times: Times) -> None:
    """Sort the rows of users by time, and weight them by it."""
    rows = log.users.codes, log.items.codes, log.weights, times
    history, order = keep(log.kept, "history", None, lambda: order_histories(*rows))
    fitted = model._fitted = replace(model._fitted, history=history)
    if not model._has_order_weights():
        return

    def weigh() -> sparse.csr_array:
        decay = None
        if model.half_life is not None:
            decay = decay_of_rows(times, model.half_life, fitted.past.values[-1])[order]
        return model._weigh_histories(history, decay)

    params = model.half_life, model.reference_time, model.recency, model.weighting
    key = type(model)._weigh_histories, *params
    histories = keep(log.kept, "histories", key, weigh)
    model._fitted = replace(fitted, histories=histories)

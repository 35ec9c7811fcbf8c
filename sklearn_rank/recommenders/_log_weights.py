"""Weights of the rows of a log: by pair, by age, and by order."""

from __future__ import annotations

from datetime import UTC
from typing import Any

import numpy as np
from scipy import sparse

from sklearn_rank._base._validation import shorten
from sklearn_rank.inputs._columns import take_column
from sklearn_rank.inputs._interaction_log import (
    Log,
    PairOrder,
    keep,
    read_row_times,
    table_of,
)
from sklearn_rank.inputs._times import SAMPLE_SIZE, Times, check_units
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


def age_rows(model: Any, times: Times | None) -> tuple[np.ndarray | None, float]:
    """Return the weights of rows by age, and the factor for earlier weights."""
    if times is None:
        return None, 1.0
    all_times = times
    if model._past is not None:
        values, unit, has_zone = model._past
        all_times = times.joined(Times(values, unit, UTC if has_zone else None))
        check_units(all_times)
    decay, moment = None, all_times.values.max()
    if model.half_life is not None:
        moment = find_reference_time(all_times, model.half_life, model.reference_time)
        decay = decay_of_rows(all_times, model.half_life, moment)
    # An update reads a sample of the times, with the reference time as its last.
    sample = all_times.values[:: 1 + len(all_times.values) // SAMPLE_SIZE]
    model._past = np.append(sample, moment), all_times.unit, all_times.zone is not None
    if decay is None:
        return None, 1.0
    return decay[: len(times.values)], float(decay[-1])


def count_rows(
    model: Any, pairs: PairOrder, counts: np.ndarray, decay: np.ndarray | None
) -> None:
    """Sum the weights of the rows of each pair, and transform the sums."""
    counted = pairs.sums(counts)
    newest = None if decay is None else pairs.largest(decay)
    model.interactions_ = apply_weighting(counted, model.weighting, newest)
    # Also pairs of weight 0.
    model.seen_ = replace_data(counted, np.ones(counted.nnz, dtype=bool))
    model.popularity_ = mean_weights(model.interactions_)
    model.histories_ = model.interactions_
    # An update adds to these. For "binary", only whether a sum is 0 matters.
    is_binary = model.weighting == "binary" and newest is None
    model._counted = model.interactions_ if is_binary else counted
    model._newest = newest


def put_in_order(model: Any, log: Log, times: Times) -> None:
    """Sort the rows of users by time, and weight them by it."""
    rows = log.users.codes, log.items.codes, log.weights, times
    model.history_, order = keep(log.kept, "history", None, lambda: order_histories(*rows))
    if not model._has_order_weights():
        return

    def weigh() -> sparse.csr_array:
        decay = None
        if model.half_life is not None:
            assert model._past is not None  # the times were read
            decay = decay_of_rows(times, model.half_life, model._past[0][-1])[order]
        return model._weigh_histories(model.history_, decay)

    params = model.half_life, model.reference_time, model.recency, model.weighting
    key = type(model)._weigh_histories, *params
    model.histories_ = keep(log.kept, "histories", key, weigh)

"""Weights of the rows of a log: by pair, by age, and by order."""

from __future__ import annotations

from datetime import UTC
from typing import Any

import numpy as np
from scipy import sparse

from sklearn_rank._base._validation import shorten
from sklearn_rank.inputs._columns import take_column
from sklearn_rank.inputs._interaction_log import Log, PairOrder, keep
from sklearn_rank.inputs._times import SAMPLE_SIZE, Times, check_units, read_times
from sklearn_rank.recommenders._log_parameters import (
    LEAST_WEIGHT,
    LogParameters,
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


class LogMixin(LogParameters):
    """Sums, ages and orders rows, for `fit` and for `update`."""

    users_: np.ndarray
    items_: np.ndarray
    # Times of earlier rows and the reference time of ages; their unit and zone.
    _past: tuple[np.ndarray, Any, bool] | None = None

    def _read_times(self, X: Any) -> Times | None:
        """Return the time of each row if a parameter needs it."""
        given = {"half_life": self.half_life, "recency": self.recency}
        asks = [f"`{k}={shorten(v)}`" for k, v in given.items() if v is not None]
        if self._needs_order():
            asks.append(type(self).__name__)
        return self._require_times(asks[0], X) if asks else None

    def _require_times(self, asks: str, X: Any) -> Times:
        """Return the time of each row; `asks` names what needs it."""
        if isinstance(X, Log) and X.times is not None and X.layout is not None:
            return X.times
        if self.time is None:
            raise ValueError(
                f"{asks} needs the time of each interaction; name its column of X with "
                "`time=`."
            )
        return _read_times(X.table if isinstance(X, Log) else X, self.time)

    def _needs_order(self) -> bool:
        return self._has_order_weights() or hasattr(self, "fit_histories")

    def _has_order_weights(self) -> bool:
        return self.recency is not None

    def _weigh_histories(
        self, history: OrderedHistories, decay: np.ndarray | None = None
    ) -> sparse.csr_array:
        """Return weights as in `interactions_`, also weighted by the order of rows."""
        counts = recency_of_rows(history, self.recency)
        if decay is not None:
            counts = np.maximum(counts * decay, LEAST_WEIGHT)
        shape = len(history.starts) - 1, len(self.items_)
        pairs = PairOrder.from_codes(history.users, history.items, shape)
        counted = pairs.sums(history.weights * counts)
        return apply_weighting(counted, self.weighting, pairs.largest(counts))

    def _decay(self, times: Times | None) -> tuple[np.ndarray | None, float]:
        """Return the weights of rows by age, and the factor for earlier weights."""
        if times is None:
            return None, 1.0
        known = times
        if self._past is not None:
            values, unit, has_zone = self._past
            known = times.joined(Times(values, unit, UTC if has_zone else None))
            check_units(known)
        decay, moment = None, known.values.max()
        if self.half_life is not None:
            moment = find_reference_time(known, self.half_life, self.reference_time)
            decay = decay_of_rows(known, self.half_life, moment)
        # An update reads a sample of the times, with the reference time as its last.
        sample = known.values[:: 1 + len(known.values) // SAMPLE_SIZE]
        self._past = np.append(sample, moment), known.unit, known.zone is not None
        if decay is None:
            return None, 1.0
        return decay[: len(times.values)], float(decay[-1])

    def _count(self, pairs: PairOrder, counts: np.ndarray, decay: np.ndarray | None):
        """Sum the weights of the rows of each pair, and transform the sums."""
        counted = pairs.sums(counts)
        newest = None if decay is None else pairs.largest(decay)
        self.interactions_ = apply_weighting(counted, self.weighting, newest)
        # Also pairs of weight 0.
        self.seen_ = replace_data(counted, np.ones(counted.nnz, dtype=bool))
        self.popularity_ = mean_weights(self.interactions_)
        self.histories_ = self.interactions_
        # An update adds to these. For "binary", only whether a sum is 0 matters.
        is_binary = self.weighting == "binary" and newest is None
        self._counted = self.interactions_ if is_binary else counted
        self._newest = newest

    def _put_in_order(self, log: Log, times: Times) -> None:
        """Sort the rows of users by time, and weight them by it."""
        rows = log.users.codes, log.items.codes, log.weights, times
        self.history_, order = keep(
            log.kept, "history", None, lambda: order_histories(*rows)
        )
        if not self._has_order_weights():
            return

        def weigh() -> sparse.csr_array:
            decay = None
            if self.half_life is not None:
                assert self._past is not None  # the times were read
                decay = decay_of_rows(times, self.half_life, self._past[0][-1])[order]
            return self._weigh_histories(self.history_, decay)

        params = self.half_life, self.reference_time, self.recency, self.weighting
        key = type(self)._weigh_histories, *params
        self.histories_ = keep(log.kept, "histories", key, weigh)


def _read_times(X: Any, column: Any) -> Times:
    times = read_times(take_column(X, column, name="time"))
    check_units(times)
    return times

"""Windows of time whose rows are the labels of lists made before them."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from sklearn_rank._base._runs import row_chunks, starts_of
from sklearn_rank._base._validation import shorten
from sklearn_rank.inputs._interaction_log import Log
from sklearn_rank.inputs._times import Times, find_far_rows
from sklearn_rank.recommenders._pair_weights import count_pairs
from sklearn_rank.recommenders._two_stages._first_stage import (
    CandidateRequest,
    FirstStage,
    find_candidates,
)

# The default length of a window, as a share of the time of the log.
DEFAULT_WINDOW_SHARE = 1 / 20


class LabeledPairs(NamedTuple):
    """Labeled pairs of lists, and the share of all positives among them."""

    features: np.ndarray
    label: np.ndarray
    row: np.ndarray  # the number of each list
    n_lists: int
    recall: float


def window_length(times: Times, label_window: Any, n_windows: int) -> float:
    """Return the length of a window; raise unless all windows fit into the log."""
    span = times.values.max().item() - times.values.min().item()
    far = find_far_rows(times)
    if label_window is not None:
        length = times.duration(label_window, name="label_window")
    else:
        length = span * DEFAULT_WINDOW_SHARE
        length = length if times.unit is None else int(length)
    written = f"`label_window={shorten(label_window)}`"
    if far is not None and far.gap > length:
        raise ValueError(
            f"{far.describe()} Windows of labels end with the newest row, so they would "
            "have only such rows. Drop or correct the late rows."
        )
    if span == 0:
        raise ValueError(
            "All rows have the same time, or there is one sample: no window of labels has "
            "rows before it. Name the column of times with `time=`, and give earlier rows."
        )
    if length <= 0:
        raise ValueError(f"{written} must be longer than 0.")
    if n_windows * length >= span or 2 * length > span:
        raise ValueError(
            f"`n_windows={n_windows}` with {written} leaves too few earlier rows to learn "
            f"from: the log goes from {times.show(times.values.min())} to "
            f"{times.show(times.values.max())}. Give fewer windows, or shorter ones."
        )
    return length


def labels_of_window(window: Log, stage: FirstStage, *, repeats: bool) -> sparse.csr_array:
    """Return the weights of items taken by users with a history, users × items.

    Only pairs that a list could have: of known items, and without `repeats` new ones.
    """
    users = stage.user_places[window.users.codes]
    items = stage.item_places[window.items.codes]
    is_known = (users >= 0) & (items >= 0)
    shape = len(stage.users), len(stage.items)
    pairs = users[is_known], items[is_known]
    taken = count_pairs(*pairs, window.weights[is_known], shape)
    if window.y is None:
        taken.data[:] = 1.0
    if not repeats:
        taken = taken - taken.multiply(stage.first_model.seen_)
    taken.eliminate_zeros()
    return taken


def label_candidates(
    stage: FirstStage, taken: sparse.csr_array, n_candidates: int, *, repeats: bool
) -> LabeledPairs:
    """Return the candidate lists that have at least one taken item."""
    users, models = np.flatnonzero(np.diff(taken.indptr)), list(stage.models.values())
    parts: list[tuple] = []
    n_lists = n_found = 0
    for batch in row_chunks(len(users), len(stage.items)):
        chunk = users[batch]
        seen = stage.first_model.seen_[chunk]
        hidden = sparse.csr_array(seen.shape, dtype=bool) if repeats else seen
        lists = find_candidates(models, CandidateRequest(chunk, None, hidden), n_candidates)
        label = _labels(taken[chunk], lists.items)
        n_found += int(np.count_nonzero(label))
        has_positive = label.any(axis=1)
        lists, label = lists.take_rows(has_positive), label[has_positive]
        row, column = np.nonzero(lists.items >= 0)
        features = stage.features(lists, row, column)
        parts.append((features, label[row, column], n_lists + row))
        n_lists += len(label)
    none = np.empty((0, len(stage.names))), np.empty(0), np.empty(0, dtype=np.intp)
    features, label, row = map(np.concatenate, zip(none, *parts, strict=True))
    return LabeledPairs(features, label, row, n_lists, n_found / max(taken.nnz, 1))


def _labels(taken: sparse.csr_array, items: np.ndarray) -> np.ndarray:
    """Return the weight of each item of the rows, 0 for items not taken."""
    dense = np.zeros((taken.shape[0], taken.shape[1] + 1))
    dense[:, :-1] = taken.toarray()
    return np.take_along_axis(dense, items, axis=1)  # -1 is the column of zeros


def sample_negatives(
    pairs: LabeledPairs, n_negatives: int, random: np.random.RandomState
) -> LabeledPairs:
    """Return the pairs with at most `n_negatives` negatives per list, drawn at random."""
    is_negative = pairs.label == 0
    negatives = np.flatnonzero(is_negative)
    row = pairs.row[negatives]
    order = np.lexsort((random.random_sample(len(negatives)), row))
    starts = starts_of(np.bincount(row, minlength=pairs.n_lists))
    is_drawn = np.arange(len(order)) - starts[row[order]] < n_negatives
    stays = ~is_negative
    stays[negatives[order[is_drawn]]] = True
    return pairs._replace(
        features=pairs.features[stays], label=pairs.label[stays], row=pairs.row[stays]
    )

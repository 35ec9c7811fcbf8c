"""Filters of test rows: users and items that train knows, and new pairs."""

from collections.abc import Collection

import numpy as np

from sklearn_rank._arrays._packed import empty_keys, pack, width_of
from sklearn_rank._ids._distinct import slots_of_rows
from sklearn_rank._tables._interaction_log import Log


def kept_test_rows(
    log: Log, train: np.ndarray, test: np.ndarray, dropped: Collection[str]
) -> np.ndarray:
    """Return the mask `test` without the rows that the filters take out."""
    kept = test.copy()
    for name, labels in (("cold_users", log.users), ("cold_items", log.items)):
        if name in dropped and labels is not None:
            kept &= labels.present(train)[labels.codes]
    if "seen_items" in dropped and kept.any():
        kept[repeated_pairs(log, train, kept)] = False
    return kept


def repeated_pairs(log: Log, train: np.ndarray, test: np.ndarray) -> np.ndarray:
    """Return the rows of test whose user and item occur together in train."""
    rows = np.flatnonzero(test)
    tested = _pairs(log, rows)
    wanted = np.sort(tested)
    found = np.zeros(len(wanted), dtype=bool)
    # Most pairs of train fall in a slot without test pairs, and need no search.
    slot_bits = (8 * len(wanted)).bit_length()
    is_possible = np.zeros(1 << slot_bits, dtype=bool)
    is_possible[slots_of_rows([wanted], slot_bits)] = True
    # In portions, so that no array as long as train is needed beside the log.
    for part in np.array_split(np.flatnonzero(train), 1 + len(train) // 1_000_000):
        pairs = _pairs(log, part)
        pairs = np.sort(pairs[is_possible[slots_of_rows([pairs], slot_bits)]])
        place = np.minimum(np.searchsorted(wanted, pairs), len(wanted) - 1)
        found[place[wanted[place] == pairs]] = True
    return rows[found[np.searchsorted(wanted, tested)]]


def _pairs(log: Log, rows: np.ndarray) -> np.ndarray:
    """Return a key for the user and the item of each row."""
    widths = width_of(len(log.users.values)), width_of(len(log.items.values))
    codes = log.users.codes[rows], log.items.codes[rows]
    return pack(codes, widths, empty_keys(len(rows), widths))

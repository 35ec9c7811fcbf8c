from decimal import Decimal

import numpy as np
import pytest

from sklearn_rank.distributed._label_hashes import assign_parts

LABELS = {
    "integers": np.arange(-5_000, 5_000),
    "strings": np.array([f"ü{one}" for one in range(10_000)], dtype=object),
    "fixed strings": np.array([f"u{one}" for one in range(10_000)]),
    "without UTF-8": [f"\ud800{one}" for one in range(10_000)],
    "mixed": [one if one % 2 else str(one) for one in range(10_000)],
    "floats": np.arange(10_000) / 8,
    "times": np.arange(10_000).astype("M8[s]"),
    "tuples": [(one, 1) for one in range(10_000)],
}


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
@pytest.mark.parametrize("attempt", [0, 1])
def test_parts_are_of_about_one_size(labels, attempt):
    part = assign_parts(labels, 16, attempt)
    assert part.min() == 0
    assert np.bincount(part, minlength=16).min() > 500
    assert np.bincount(part).max() < 750
    half = assign_parts(labels[5_000:], 16, attempt)
    np.testing.assert_array_equal(half, part[5_000:])


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
def test_another_attempt_splits_a_part(labels):
    first = assign_parts(labels, 16) == 3
    again = assign_parts(labels, 16, attempt=1)[first]
    assert len(np.unique(again)) == 16


def test_equal_labels_are_in_one_part():
    ones = [np.array([1, 0]), np.array([1, 0], dtype=np.uint8), [True, False], [1.0, -0.0]]
    of_integers = assign_parts(ones[0], 1000)
    for labels in ones[:3]:
        np.testing.assert_array_equal(assign_parts(labels, 1000), of_integers)
    np.testing.assert_array_equal(assign_parts(ones[3], 1000), of_integers)
    # What surrounds a string decides how it is read.
    alone, beside = assign_parts(["a"], 1000), assign_parts(["a", 1, "\ud800"], 1000)
    assert alone[0] == beside[0]


def test_labels_with_one_hash_of_python_part():
    labels = np.array([Decimal(-1), Decimal(-2)], dtype=object)
    assert np.ptp([assign_parts(labels, 2, attempt) for attempt in range(9)], axis=1).any()

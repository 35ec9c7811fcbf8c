import re
from decimal import Decimal

import numpy as np
import pytest

from sklearn_rank.distributed._value_tables import SeenLabels, sort_labels


def test_labels_that_were_seen():
    rng = np.random.default_rng(0)
    seen = SeenLabels()
    labels = rng.permutation(10_000)
    for start in range(0, 9_000, 100):
        seen.add(labels[start : start + 100])
    assert len(seen._seen) < 10
    for again in (0, 4_567, 8_999):
        with pytest.raises(ValueError, match=f"such as {labels[again]}:"):
            seen.add(np.r_[labels[9_000:], labels[again]])


def _objects(labels):
    return np.array([*labels, None], dtype=object)[:-1]


ONE_HASH = {
    "floats": np.array([-1.0, -2.0]),
    "large floats": np.array([1.0, 2.0**61]),
    "far apart": np.array([0.5, 0.5**62]),
    "objects": _objects([-1, -2]),
    "decimals": _objects([Decimal(-1), Decimal(-2)]),
    "tuples": _objects([(-1, "a"), (-2, "a")]),
    "durations": np.array([-1, -2], dtype="m8[D]"),
    "unsigned": np.array([2**64 - 1, 2**61 - 2 + 7 * (2**61 - 1)], dtype=np.uint64),
}


@pytest.mark.parametrize("labels", ONE_HASH.values(), ids=ONE_HASH)
def test_labels_with_one_hash_are_two(labels):
    seen = SeenLabels()
    seen.add(labels[:1])
    seen.add(labels[1:])
    for again in (labels[:1], labels[1:]):
        with pytest.raises(ValueError, match="is in the values more than once"):
            seen.add(again)


@pytest.mark.parametrize("one", [3, 3.0, np.uint8(3), Decimal(3), True])
@pytest.mark.parametrize("other", [3, 3.0, np.float32(3)])
def test_equal_labels_of_two_types_are_one(one, other):
    if one is True:
        other /= 3
    seen = SeenLabels()
    seen.add(np.array([one]))
    with pytest.raises(ValueError, match="is in the values more than once"):
        seen.add(np.array([other]))
    with pytest.raises(ValueError, match="is in the values more than once"):
        seen.add(_objects([other, "a"]))


@pytest.mark.parametrize("n_labels", [1, 2, 500])
@pytest.mark.parametrize("start", ["", "ü", "\U0001f600"])
def test_labels_in_order(n_labels, start):
    pd = pytest.importorskip("pandas")
    pl = pytest.importorskip("polars")
    pa = pytest.importorskip("pyarrow")
    rng = np.random.default_rng(n_labels)
    labels = [f"{start}{chr(0xE000 + one % 7)}{one}" for one in rng.permutation(n_labels)]
    expected = sorted(labels)
    for column in (
        labels,
        pd.Series(labels),
        pd.Series(labels, dtype="object"),
        pl.Series(labels),
        pa.array(labels),
        pa.chunked_array([labels[:1], labels[1:]], type=pa.string()),
        pa.array(labels, pa.large_string()),
        pa.array(labels).dictionary_encode(),
    ):
        found, order = sort_labels(column)
        assert found.tolist() == expected
        assert np.array(labels, dtype=object)[order].tolist() == expected
    again = [*labels, expected[0], expected[-1]]
    several = "1 query is" if n_labels == 1 else "2 queries are"
    message = f"{several} .* such as {re.escape(repr(expected[0]))}:"
    for column in (again, pa.array(again), pd.Series(again), pl.Series(again)):
        with pytest.raises(ValueError, match=message):
            sort_labels(column)

import numpy as np
import pytest

from sklearn_rank.distributed._value_tables import bytes_of, summary_of
from sklearn_rank.metrics._core._summaries import ItemCounts


def test_a_summary_as_bytes():
    empty = ItemCounts(len)
    for labels in (
        np.array([3, 5]),
        np.array(["a", "b"]),
        np.array(["a", 5], dtype=object),
    ):
        query, item, amount = np.array([0, 1]), np.array([0, 1]), np.array([1.0, 0.5])
        counts = empty.add((2, query, item, amount)).labeled(labels)
        again = summary_of(bytes_of(counts, empty), empty)
        assert again.items.tolist() == labels.tolist()
        assert again.amounts.tolist() == [1.0, 0.5]
        assert (again.n, again.of) == (2, len)
    with pytest.raises(TypeError, match="JSON"):
        bytes_of(empty.add((1, query, item, amount)).labeled(np.array([{1}, {2}])), empty)
    with pytest.raises(TypeError, match="field 'of' is neither a number"):
        bytes_of(ItemCounts(max), empty)

import numpy as np
import pytest

from sklearn_rank.distributed._value_tables import summary_from_bytes, summary_to_bytes
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
        again = summary_from_bytes(summary_to_bytes(counts, empty), empty)
        assert again.items.tolist() == labels.tolist()
        assert again.amounts.tolist() == [1.0, 0.5]
        assert (again.n, again.of) == (2, len)
    with pytest.raises(TypeError, match="JSON"):
        summary_to_bytes(
            empty.add((1, query, item, amount)).labeled(np.array([{1}, {2}])), empty
        )
    with pytest.raises(TypeError, match="field 'of' is neither a number"):
        summary_to_bytes(ItemCounts(max), empty)

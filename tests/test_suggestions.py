"""What an error says may be meant."""

import numpy as np
import pytest

from sklearn_rank._base._validation import suggest
from sklearn_rank.online import compare_variants


def test_what_looks_alike_is_told_apart():
    numbers, words = [0, 0, 1, 1], ["0", "0", "1", "1"]
    message = r"got '1'\. Did you mean 1\? Valid: 0, 1\.$"
    with pytest.raises(ValueError, match=message):
        compare_variants([1, 2, 3, 4], numbers, control="1")
    message = r"got 1\. Did you mean '1'\? Valid: '0', '1'\.$"
    with pytest.raises(ValueError, match=message):
        compare_variants([1, 2, 3, 4], words, control=1)


@pytest.mark.parametrize(
    ("name", "valid", "expected"),
    [
        ("mean", ["means", "sum"], "Did you mean 'means'? Valid: 'means', 'sum'."),
        (2, (True, False), "Valid: True, False."),
        (1.5, [np.float64(1.25), None], "Did you mean 1.25? Valid: 1.25, None."),
        ("x", [], "Valid: none."),
        (1, [1.0, "1.0"], "Did you mean 1.0? Valid: 1.0, '1.0'."),
    ],
)
def test_names_as_they_are_written(name, valid, expected):
    assert suggest(name, valid) == expected

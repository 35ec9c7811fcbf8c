"""Strings read as integers: as equal and in the same order as the strings."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_rank._base import _distinct_labels
from sklearn_rank._base._distinct_labels import integer_columns

ALPHABETS = ["ab", "a\x00", "0123456789-", "aß\xff\x00", "a中\uffff", "a🙂中\U0010ffff\x00"]


@st.composite
def strings(draw):
    """Draw texts or bytes of one beginning, in runs or not, side by side or not."""
    texts = st.text(draw(st.sampled_from(ALPHABETS)), max_size=draw(st.integers(0, 30)))
    beginning = draw(texts)
    texts = [beginning + text for text in draw(st.lists(texts, min_size=1, max_size=20))]
    if draw(st.booleans()):
        vector = np.array([text.encode() for text in texts])
    else:
        vector = np.array(texts)
        vector = vector.astype(vector.dtype.newbyteorder(draw(st.sampled_from("<>"))))
    vector = vector.repeat(draw(st.sampled_from([1, 1, 5, 40])))
    return vector[:: draw(st.sampled_from([1, 1, 2, -1]))]


def rows_of(vector):
    """Return the row of integers of each string."""
    columns = integer_columns(vector)
    assert all(column.dtype == np.uint64 for column in columns)
    if not columns:
        return [()] * len(vector)
    return list(zip(*(column.tolist() for column in columns), strict=True))


@given(strings(), st.sampled_from([1, 64, 500, 2**20]))
def test_integers_are_equal_and_in_order_where_strings_are(vector, block_bytes):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_distinct_labels, "STRING_BYTES", block_bytes)
        rows, plain = rows_of(vector), vector.tolist()
    place_of_row = {row: place for place, row in enumerate(sorted(set(rows)))}
    place_of_text = {text: place for place, text in enumerate(sorted(set(plain)))}
    assert [place_of_row[row] for row in rows] == [place_of_text[text] for text in plain]


@pytest.mark.parametrize("prefix", ["", "query-", "https://example.org/item?id="])
def test_what_all_strings_share_takes_no_column(prefix):
    numbered = np.array([f"{prefix}{number:06}" for number in range(1_000)])
    for dtype in ("U", "S", "U60", "S60"):
        assert len(integer_columns(numbered.astype(dtype))) == 1
        assert integer_columns(np.full(10, numbered[0]).astype(dtype)) == []


def of_no_width(kind, n_rows):
    """NumPy makes such strings only as fields of a record."""
    return np.zeros(n_rows, dtype=[("text", f"{kind}0"), ("number", "i4")])["text"]


@pytest.mark.parametrize("kind", ["U", "S"])
def test_strings_of_no_width(kind):
    for vector in (of_no_width(kind, 3), np.ndarray(3, dtype=f"{kind}0")):
        assert integer_columns(vector) == []


@pytest.mark.parametrize("dtype", ["U3", "S3", ">U3"])
def test_no_strings(dtype):
    nothing = np.zeros(0, dtype=dtype)
    assert integer_columns(nothing) == []

"""The k best columns, against sorting each row whole."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from sklearn_rank.recommenders._top_k import batches, top_k

# Few distinct values, so that most rows have ties and many straddle the cut.
tied_scores = hnp.arrays(
    np.float64,
    hnp.array_shapes(min_dims=2, max_dims=2, max_side=8),
    elements=st.sampled_from([-np.inf, -1.0, 0.0, 2.0]),
)


@given(tied_scores, st.data())
def test_top_k_is_the_head_of_the_sorted_row(scores, data):
    n_rows, n_columns = scores.shape
    k = data.draw(st.integers(1, n_columns))
    tie_rank = np.array(data.draw(st.permutations(range(n_columns))))
    columns, best = top_k(scores, k, tie_rank)
    for row in range(n_rows):
        whole = sorted(range(n_columns), key=lambda c: (-scores[row, c], tie_rank[c]))
        assert columns[row].tolist() == whole[:k]
        assert best[row].tolist() == scores[row, whole[:k]].tolist()


@given(st.integers(0, 100), st.integers(1, 10**7))
def test_batches_cover_each_row_once(n_rows, n_columns):
    covered = [row for batch in batches(n_rows, n_columns) for row in range(n_rows)[batch]]
    assert covered == list(range(n_rows))


def test_a_batch_holds_a_few_megabytes_of_scores():
    for batch in batches(10**5, 5000):
        assert (batch.stop - batch.start) * 5000 * 8 <= 2**23

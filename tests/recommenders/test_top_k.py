"""The k best columns, against sorting each row whole."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from sklearn_rank._base._runs import row_chunks
from sklearn_rank.recommenders import _top_k
from sklearn_rank.recommenders._pairs import Pairs, PopularityOrder, fill_up, most_popular
from sklearn_rank.recommenders._top_k import (
    ApproximateScores,
    has_buckets,
    preselect,
    stored_scores,
    top_k,
    top_k_approximate,
    top_k_dense,
    top_k_stored,
)

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
    covered = [
        row for batch in row_chunks(n_rows, n_columns) for row in range(n_rows)[batch]
    ]
    assert covered == list(range(n_rows))


def test_a_batch_holds_a_few_megabytes_of_scores():
    for batch in row_chunks(10**5, 5000):
        assert (batch.stop - batch.start) * 5000 * 8 <= 2**23


def plain_lists(scores, k, popularity, allowed, hidden):
    """Sort all allowed items of each row; hidden ones score -inf."""
    items, best = [], []
    for row in range(len(scores)):
        score = {c: -np.inf if (row, c) in hidden else scores[row, c] for c in allowed}
        ranked = sorted(allowed, key=lambda c: (-score[c], -popularity[c], c))[:k]
        items.append(ranked)
        best.append([score[c] for c in ranked])
    return items, best


def as_pairs(hidden, n_rows):
    row, item = np.array(sorted(hidden), dtype=int).reshape(-1, 2).T
    return Pairs(row, item, n_rows)


@st.composite
def requests(draw):
    scores = draw(tied_scores.filter(lambda s: np.isfinite(s).all()) | finite_scores)
    n_rows, n_items = scores.shape
    items = st.sampled_from(range(n_items))
    popularity = draw(
        st.lists(st.integers(0, 2), min_size=n_items, max_size=n_items).map(np.array)
    )
    allowed = sorted(draw(st.sets(items, min_size=1) | st.just(set(range(n_items)))))
    hidden = draw(st.sets(st.tuples(st.sampled_from(range(n_rows)), items)))
    return scores, draw(st.integers(1, len(allowed))), popularity, allowed, hidden


finite_scores = hnp.arrays(
    np.float64,
    hnp.array_shapes(min_dims=2, max_dims=2, max_side=8),
    elements=st.sampled_from([-1.0, -0.5, 0.0, 0.0, 0.0, 1.0, 2.0]),
)


@given(requests())
def test_each_road_gives_the_head_of_the_sorted_row(request):
    scores, k, popularity, allowed, hidden = request
    order = PopularityOrder.from_popularity(popularity).restrict(np.array(allowed))
    expected_items, expected_best = plain_lists(scores, k, popularity, allowed, hidden)
    pairs = as_pairs(hidden, len(scores))
    dense = top_k_dense(scores, k, order, pairs)
    stored = top_k_stored(sparse.csr_array(scores), k, order, pairs)
    for items, best in (dense, stored):
        fill_up(items, order)
        assert items.tolist() == expected_items
        assert best.tolist() == expected_best


def test_approximate_scores_of_rows_with_few_and_many_candidates():
    rng, k = np.random.default_rng(0), 5
    exact = rng.random((6, 640))
    exact[1::2] = 0.1  # all items tie, so that each is a candidate
    rounded = exact.astype(np.float32)
    asked = []

    def score_rows(rows):
        asked.extend(rows.tolist())
        return exact[rows]

    scores = ApproximateScores(
        rounded,
        abs(rounded - exact).max(axis=1),
        lambda rows, items: exact[rows, items],
        score_rows,
    )
    order = PopularityOrder.from_popularity(rng.integers(0, 3, 640))
    hidden = as_pairs({(row, item) for row in range(6) for item in (7, 8)}, 6)
    found = top_k_approximate(scores, k, order, hidden)
    assert asked == [1, 3, 5]
    for one, other in zip(found, top_k_dense(exact, k, order, hidden), strict=True):
        np.testing.assert_array_equal(one, other)


@given(requests())
def test_a_walk_gives_the_most_popular(request):
    scores, k, popularity, allowed, hidden = request
    order = PopularityOrder.from_popularity(popularity).restrict(np.array(allowed))
    all_alike = np.tile(popularity, (len(scores), 1))
    expected, best = plain_lists(all_alike, k, popularity, allowed, hidden)
    pairs = as_pairs(hidden, len(scores))
    twice = Pairs.union([pairs, pairs], len(scores))
    found = most_popular(order, k, twice)
    assert (found < 0).tolist() == np.isneginf(best).tolist()
    fill_up(found, order)
    assert found.tolist() == expected


@pytest.mark.parametrize("n_values", [2, 30, 100_000])
@pytest.mark.parametrize("is_restricted", [False, True])
def test_long_rows_with_ties(n_values, is_restricted):
    rng = np.random.default_rng(n_values)
    n_rows, n_items, k = 12, 1003, 7
    scores = rng.integers(-1, n_values, (n_rows, n_items)).astype(np.float32)
    scores[rng.random(scores.shape) < np.linspace(0, 1, n_rows)[:, None]] = 0
    scores[3] = -1
    popularity = rng.integers(0, 9, n_items)
    row, item = np.nonzero(rng.random(scores.shape) < 0.05)
    row, item = np.append(row, np.full(n_items - 3, 5)), np.append(item, np.arange(1000))
    hidden = set(zip(row.tolist(), item.tolist(), strict=True))
    allowed = np.arange(0, n_items, 2 if is_restricted else 1)
    order = PopularityOrder.from_popularity(popularity).restrict(allowed)
    expected = plain_lists(scores, k, popularity, allowed.tolist(), hidden)
    pairs = Pairs(row, item, n_rows)
    shuffled = sparse.csr_array(scores)
    for start, stop in zip(shuffled.indptr, shuffled.indptr[1:], strict=False):
        mixed = start + rng.permutation(stop - start)
        shuffled.indices[start:stop] = shuffled.indices[mixed]
        shuffled.data[start:stop] = shuffled.data[mixed]
    before = scores.copy()
    for found, best in (
        top_k_dense(scores, k, order, pairs),
        top_k_stored(shuffled, k, order, pairs),
    ):
        fill_up(found, order)
        assert found.tolist() == expected[0]
        assert best.tolist() == expected[1]
    assert (scores == before).all()
    asked = Pairs(rng.integers(0, n_rows, 50), rng.integers(0, n_items, 50), n_rows)
    for stored in (shuffled, sparse.csr_matrix(shuffled)):
        found = stored_scores(stored, asked)
        assert found.tolist() == scores[asked.row, asked.item].tolist()
    assert stored_scores(shuffled, Pairs(asked.row[:0], asked.item[:0], n_rows)).shape == (
        0,
    )


@pytest.mark.parametrize("n_values", [3, 10**9])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("scale", [1.0, 1e-300, 1e290])
def test_what_reaches_a_bound_holds_the_best_of_each_row(n_values, dtype, scale):
    rng = np.random.default_rng(0)
    sizes = np.append(rng.integers(0, 60, 200), [1_000, 0, 3_000])
    starts, k = np.append(0, sizes.cumsum()), rng.integers(1, 20, len(sizes))
    with np.errstate(over="ignore"):  # all are infinite or 0 in 32 bits
        values = (scale * rng.integers(-n_values, n_values, starts[-1])).astype(dtype)
    values[rng.random(len(values)) < 0.1] = -np.inf
    row, place = preselect(values, starts, k)
    positive = preselect(values, starts, k, positive=True)
    is_positive = values[place] > 0
    assert set(place[is_positive]) <= set(positive[1]) <= set(np.flatnonzero(values > 0))
    for one, (start, stop) in enumerate(pairwise(starts)):
        found = place[row == one]
        assert found.tolist() == sorted(set(found) & set(range(start, stop)))
        above_zero = positive[1][positive[0] == one]
        assert above_zero.tolist() == sorted(set(above_zero) & set(range(start, stop)))
        best = np.sort(values[start:stop])[::-1][: k[one]]
        left = np.delete(values[start:stop], found - start)
        assert len(found) >= len(best)
        assert not len(left) or left.max() < best[-1]
    if n_values > 3 and len(set(values)) > 3:
        assert np.count_nonzero(row == len(sizes) - 1) < 100


@pytest.mark.parametrize("k", [1, 5, 20])
@pytest.mark.parametrize("n_items", [150, 600])
def test_lists_of_users_with_many_items_need_no_partition_of_all(monkeypatch, n_items, k):
    """A fifth of the items is hidden; buckets leave few of the others."""
    rng = np.random.default_rng(0)
    order = PopularityOrder.from_popularity(rng.permutation(n_items))
    scores = rng.integers(0, 50, (40, n_items)).astype(float)
    hidden = Pairs(*np.nonzero(rng.random(scores.shape) < 0.2), 40)
    assert has_buckets(n_items, k, hidden) == (k < 20 or n_items > 150)
    expected = top_k_dense(scores, k, order, hidden)
    monkeypatch.setattr(_top_k, "has_buckets", lambda *arguments: False)
    for found, other in zip(expected, top_k_dense(scores, k, order, hidden), strict=True):
        assert found.tolist() == other.tolist()

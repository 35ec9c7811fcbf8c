"""The paths that leave out work: first ranks without a sort, and queries block by block."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from sklearn_rank._ranking import _keys, _rank
from sklearn_rank._ranking._rows import read_rows
from sklearn_rank.metrics import Catalogue, per_query_scores
from tests.metrics.registered import METRICS

# A bare `accuracy@3` is refused, as it has two meanings.
SPELLED = {"accuracy": "accuracy(n_items=None)"}
CUT = sorted(
    f"{SPELLED.get(name, name)}@3"
    for name, metric in METRICS.items()
    if metric.takes_k and name != "inst"
)


@st.composite
def long_lists(draw):
    """Grades and scores of lists so long that their first three ranks are selected."""
    n_queries, length = draw(st.integers(1, 6)), draw(st.integers(129, 180))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_values = draw(st.sampled_from([1, 2, 5, 20, 10**6]))
    y_score = rng.integers(0, n_values, (n_queries, length)).astype(float)
    y_score += draw(st.sampled_from([0.0, 1e17, -0.5]))
    y_score[rng.random(y_score.shape) < draw(st.sampled_from([0, 0.3, 0.97]))] = -np.inf
    y_true = rng.integers(0, 4, y_score.shape)
    y_true[rng.random(y_true.shape) < draw(st.sampled_from([0.2, 0.9, 1]))] = 0
    return y_true, y_score


def values(y_true, y_score, metrics, ties, groups=None):
    return per_query_scores(
        y_true, y_score, groups=groups, metrics=metrics, ties=ties
    ).scores


@pytest.mark.parametrize("ties", ["average", "worst", "best", "first"])
@settings(deadline=None)
@given(data=long_lists())
def test_first_ranks_are_those_of_a_sort(data, ties):
    y_true, y_score = data
    assert _rank.has_long_lists(np.arange(len(y_true) + 1) * y_true.shape[1], 3)
    found = values(y_true, y_score, CUT, ties)
    # A metric without a cutoff among them makes all lists be sorted.
    expected = values(y_true, y_score, [*CUT, "mean_rank"], ties)
    for name in CUT:
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-13, err_msg=name)


@settings(deadline=None)
@given(data=long_lists())
def test_sparse_grades_are_not_filled_in(data):
    y_true, y_score = data
    names = ["ndcg@3", "map@3", "mrr@3", "recall@3"]
    found = values(sparse.csr_array(y_true), y_score, names, "average")
    expected = values(y_true, y_score, names, "average")
    for name in names:
        np.testing.assert_array_equal(found[name], expected[name])


@settings(deadline=None)
@given(data=long_lists(), seed=st.integers(0, 2**32))
def test_shuffled_rows_of_long_lists(data, seed):
    y_true, y_score = data
    groups = np.repeat(np.arange(len(y_true)), y_true.shape[1])
    rows = np.random.default_rng(seed).permutation(len(groups))
    found = values(
        y_true.ravel()[rows], y_score.ravel()[rows], ["ndcg@3"], "average", groups[rows]
    )
    expected = values(y_true, y_score, ["ndcg@3"], "average")
    np.testing.assert_array_equal(found["ndcg@3"], expected["ndcg@3"])


def by_column(data, rows, **form):
    """Return the values of metrics that read a column beside some rows, each by itself."""
    y_true, y_score, subtopics, propensity, items = (values[rows] for values in data)
    found = {}
    for name in ["psp", "psndcg", "ips_ndcg", "ips_recall"]:
        given = {"metrics": f"{name}@3", "propensity": propensity, **form}
        found |= per_query_scores(y_true, y_score, **given).scores
    found |= per_query_scores(subtopics, y_score, metrics="alpha_ndcg@3", **form).scores
    found |= per_query_scores(
        y_true, y_score, metrics="popularity@3", items=items, catalogue=POPULAR, **form
    ).scores
    return found


POPULAR = Catalogue(popularity=dict(enumerate(np.linspace(0.01, 1, 150))))


@pytest.mark.parametrize("n_values", [5, 10**6])
@pytest.mark.parametrize("share", [0.1, 0.5, 1.0])
def test_columns_of_shuffled_long_lists(share, n_values, monkeypatch):
    """Rows that are gathered by query keep their places in the columns beside them."""
    rng = np.random.default_rng(6)
    groups = np.repeat(np.arange(4), 150)
    y_true = rng.integers(1, 4, 600) * (rng.random(600) < share)
    subtopics = ((rng.random((600, 3)) < 0.5) & (y_true > 0)[:, None]).astype(int)
    propensity, items = rng.uniform(0.1, 1, 600), np.tile(rng.permutation(150), 4)
    y_score = rng.integers(0, n_values, 600) / 7
    data = y_true, y_score, subtopics, propensity, items
    order = rng.permutation(600)
    found = by_column(data, order, groups=groups[order])
    in_runs = by_column(data, slice(None), groups=groups)
    monkeypatch.setattr(_rank, "has_long_lists", lambda starts, depth: False)
    expected = by_column(data, slice(None), groups=groups)
    for name, values in expected.items():
        np.testing.assert_array_equal(found[name], values, err_msg=name)
        np.testing.assert_array_equal(in_runs[name], values, err_msg=name)


@pytest.mark.parametrize("ties", ["average", "worst", "best", "first"])
@pytest.mark.parametrize("n_values", [3, 10**6])
def test_long_lists_of_unequal_lengths(ties, n_values):
    """The first of them is as long as those whose first ranks are selected."""
    rng = np.random.default_rng(3)
    lengths = np.array([190, 60, 190, 300, 149])
    groups = np.repeat(np.arange(5), lengths)
    y_true = rng.integers(0, 4, len(groups)) * (rng.random(len(groups)) < 0.3)
    y_score = rng.integers(0, n_values, len(groups)).astype(float)
    assert not _rank.has_long_lists(np.r_[0, lengths.cumsum()], 3)
    found = values(y_true, y_score, CUT, ties, groups)
    for query in range(5):
        of_query = groups == query
        alone = y_true[None, of_query], y_score[None, of_query]
        # Its largest grade is that of all, as a parameter of some metrics.
        assert alone[0].max() == 3
        expected = values(*alone, [*CUT, "mean_rank"], ties)
        for name in CUT:
            assert found[name][query] == pytest.approx(expected[name][0], rel=1e-13)


@pytest.mark.parametrize("n_at_top", [0, 1, 2, 3, 4, 40])
def test_thousands_of_rows_at_the_floor(n_at_top):
    """All others tie, and those without a grade are only counted."""
    rng = np.random.default_rng(0)
    y_score = np.zeros((3, 3000))
    y_score[1:, rng.permutation(3000)[:n_at_top]] = rng.permutation(n_at_top) + 1.0
    y_score[2, :1500] = -1.0
    y_true = rng.integers(0, 4, y_score.shape)
    found = values(y_true, y_score, CUT, "average")
    expected = values(y_true, y_score, [*CUT, "mean_rank"], "average")
    for name in CUT:
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-13, err_msg=name)


def test_a_constant_scorer_over_a_long_list():
    y_true = np.zeros((1, 1000))
    y_true[0, -1] = 1
    found = values(y_true, np.zeros((1, 1000)), ["precision@5", "mrr@5"], "average")
    assert found["precision@5"][0] == pytest.approx(1 / 1000)
    assert found["mrr@5"][0] == pytest.approx(sum(1 / (1000 * i) for i in range(1, 6)))


@pytest.mark.parametrize("name", sorted(METRICS))
@pytest.mark.parametrize("block", [1, 7, 64])
def test_blocks_of_queries_make_no_difference(name, block, monkeypatch):
    rng = np.random.default_rng(5)
    labels = rng.permutation(40)
    groups = np.repeat(labels, rng.integers(1, 12, 40))
    y_true = rng.integers(0, 3, len(groups))
    y_score = rng.integers(0, 4, len(groups)) / 4
    if name == "inst":
        y_score += rng.random(len(groups))  # it has no closed form under ties
    expected = values(y_true, y_score, [name], "average", groups)[name]
    monkeypatch.setattr(_rank, "RANKED_ROWS", block)
    found = values(y_true, y_score, [name], "average", groups)[name]
    np.testing.assert_array_equal(found, expected)


@settings(deadline=None)
@given(data=long_lists())
def test_shown_rows_of_the_first_ranks_are_those_of_a_sort(data):
    """What lists show is ranked whatever its grade."""
    rows = read_rows(*data, None, None)
    found, expected = (
        _in_order(next(_rank.rank_chunks(rows, "average", cutoff, every_row=True)))
        for cutoff in (3, None)
    )
    is_first = expected["above"] < 3
    for name, values in found.items():
        first = expected[name][is_first]
        np.testing.assert_array_equal(values, first, err_msg=name)


def _in_order(block):
    """Return what is known of shown rows, which have no order where they tie."""
    assert block.first == 0
    ranked = block.shown.ranked
    order = np.argsort(ranked.row)
    names = ("row", "query", "grade", "above", "tied")
    return {name: getattr(ranked, name)[order] for name in names}


@pytest.mark.parametrize("n_equal", [0, 5, 40])
@pytest.mark.parametrize("k", [1, 10])
def test_the_best_of_each_query(k, n_equal):
    """Of lists of one length by a partition, of others by a sort."""
    values = np.random.default_rng(0).random((4, 100))
    values[:, 50 : 50 + n_equal] = 2.0
    expected = -np.sort(-values, axis=1)[:, :k]
    query, starts = np.repeat(np.arange(4), 100), np.arange(5) * 100
    found = _keys.descend_within(values.ravel(), query, starts, k)
    np.testing.assert_array_equal(found.reshape(4, k), expected)
    found = _keys.descend_within(
        values.ravel()[:-99], query[:-99], np.r_[starts[:-1], 301], k
    )
    np.testing.assert_array_equal(found, np.r_[expected[:3].ravel(), values[3, 0]])


def test_integers_that_floats_would_round_are_ranked_as_they_are():
    y_score = 2**60 + np.arange(200)
    y_true = np.zeros((1, 200))
    y_true[0, 198] = 1
    assert values(y_true, y_score[None], ["mrr@3"], "average")["mrr@3"] == 1 / 2

"""Metrics of shown items give the same in every form of input, alone and together."""

import numpy as np
import pytest
from scipy import sparse

from sklearn_rank.metrics import Catalogue, per_query_scores

NAMES = [
    "novelty@5",
    "novelty(unknown='skip')@5",
    "popularity@5",
    "long_tail",
    "popularity_lift@5",
    "novel_share@5",
    "serendipity@5",
    "serendipity(unexpected='history')@5",
    "epc@5",
    "efd@5",
    "intra_list_distance@5",
    "intra_list_distance(distance='hamming')@5",
    "intra_list_distance(distance='jaccard')@5",
    "category_coverage@5",
    "category_entropy@7",
    "calibration@5",
    "ndcg@5",
    "recall@3",
]
N_QUERIES = 9


@pytest.fixture(scope="module", params=[30, 400])
def grid(request):
    """Return grades, scores with ties, and a catalogue; long lists, too."""
    rng, n_items = np.random.default_rng(5), request.param
    y_score = rng.integers(1, n_items // 2, (N_QUERIES, n_items)).astype(float)
    y_score[rng.random(y_score.shape) < 0.2] = -np.inf
    y_true = (rng.random(y_score.shape) < 0.1).astype(float)
    history = rng.random((N_QUERIES, n_items)) < 0.2
    history[:, ::7] = False  # nobody has these items
    catalogue = Catalogue(
        history=history,
        features=rng.integers(0, 4, (n_items, 6)),
        categories=rng.random((n_items, 5)) < 0.3,
    )
    return y_true, y_score, catalogue


def assert_same(found, expected):
    for name, values in expected.scores.items():
        np.testing.assert_allclose(
            found.scores[name], values, rtol=1e-11, atol=1e-13, err_msg=name
        )


@pytest.fixture(scope="module")
def expected(grid):
    y_true, y_score, catalogue = grid
    return per_query_scores(y_true, y_score, metrics=NAMES, catalogue=catalogue)


def test_flat_rows_with_ids_in_any_order(grid, expected):
    y_true, y_score, catalogue = grid
    ids = np.array([f"i{item}" for item in range(y_true.shape[1])])
    users = [f"q{query}" for query in range(N_QUERIES)]
    order = np.random.default_rng(0).permutation(y_true.size)
    shuffled = np.random.default_rng(1).permutation(len(ids))
    by_id = Catalogue(
        items=ids[shuffled],
        users=users,
        history=catalogue.history[:, shuffled],
        features=catalogue.features[shuffled],
        categories=catalogue.categories[shuffled],
    )
    found = per_query_scores(
        y_true.ravel()[order],
        y_score.ravel()[order],
        groups=np.repeat(users, len(ids))[order],
        items=np.tile(ids, N_QUERIES)[order],
        metrics=NAMES,
        catalogue=by_id,
    )
    assert_same(found, expected)


def test_sparse_scores_grades_and_features(grid, expected):
    y_true, y_score, catalogue = grid
    stored = np.where(y_score > -np.inf, y_score, 0)
    parts = {"history": catalogue.history, "categories": catalogue.categories}
    for features in (catalogue.features, sparse.csc_array(catalogue.features)):
        found = per_query_scores(
            sparse.csr_array(y_true),
            sparse.csr_array(stored),
            metrics=NAMES,
            catalogue=Catalogue(features=features, **parts),
        )
        assert_same(found, expected)


@pytest.mark.parametrize("name", NAMES)
def test_alone_as_together(grid, expected, name):
    y_true, y_score, catalogue = grid
    alone = per_query_scores(y_true, y_score, metrics=name, catalogue=catalogue)
    np.testing.assert_allclose(
        alone.scores[name], expected.scores[name], rtol=1e-12, atol=1e-13
    )

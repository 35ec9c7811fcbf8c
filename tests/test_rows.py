"""Every form of input, as rows that lie together by query, against plain loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse

from sklearn_rank._ranked_lists import rank_lists
from sklearn_rank._rows import group_input
from sklearn_rank.metrics import per_query_scores, precision_at_k_score

CSR_FORMS = [sparse.csr_array, sparse.csr_matrix, sparse.csc_array, sparse.coo_array]
GRADES = st.sampled_from([0, 0, 1, 2])
SCORES = st.sampled_from([-np.inf, -1.0, 0.0, 0.5, 1e300])


def as_queries(rows):
    """Return {label: sorted (grade, score, missed) rows} of what group_input made."""
    whole = slice(0, int(rows.starts[-1]))
    scores, grades = rows.scores_of(whole), np.zeros(whole.stop)
    places, graded = rows.graded_of(whole)
    grades[places] = graded
    order = rows.label_order
    order = np.arange(len(rows.labels)) if order is None else order
    found = {}
    for label, query in zip(rows.labels.tolist(), order, strict=True):
        part = slice(rows.starts[query], rows.starts[query + 1])
        pairs = zip(grades[part].tolist(), scores[part].tolist(), strict=True)
        found[label] = sorted(pairs)
    return found


def missed_by_label(rows):
    n_missed = 0 if rows.n_missed is None else rows.n_missed
    n_missed = np.broadcast_to(n_missed, len(rows.labels))
    order = slice(None) if rows.label_order is None else rows.label_order
    return dict(zip(rows.labels.tolist(), n_missed[order].tolist(), strict=True))


@st.composite
def flat_rows(draw):
    rows = st.tuples(st.sampled_from("bca"), GRADES, SCORES)
    return draw(st.lists(rows, min_size=1, max_size=30))


LABELS = {
    "str": np.array,
    "int": lambda labels: np.array([ord(label) for label in labels]),
    "list": list,
    "tuple": lambda labels: [(label, 0) for label in labels],
}


@given(flat_rows(), st.sampled_from(sorted(LABELS)))
def test_flat_rows_by_query(rows, kind):
    labels, grades, scores = zip(*rows, strict=True)
    groups = LABELS[kind](labels)
    expected = {}
    plain = groups.tolist() if hasattr(groups, "tolist") else groups
    for label, grade, score in zip(plain, grades, scores, strict=True):
        expected.setdefault(label, []).append((grade, score))

    found = group_input(np.array(grades), np.array(scores), groups, None, judged_for="map")
    assert as_queries(found) == {label: sorted(own) for label, own in expected.items()}
    missed = {
        label: sum(score == -np.inf for _, score in own) for label, own in expected.items()
    }
    assert missed_by_label(found) == missed


@given(flat_rows())
def test_origin_is_the_place_in_the_input(rows):
    labels, grades, scores = zip(*rows, strict=True)
    scores = np.array(scores)
    found = group_input(np.array(grades), scores, np.array(labels), None, judged_for="")
    places = np.arange(len(rows))
    origin = places if found.origin_of is None else found.origin_of(places)
    assert sorted(origin.tolist()) == list(range(len(rows)))
    np.testing.assert_array_equal(found.scores_of(slice(0, len(rows))), scores[origin])


@given(flat_rows())
def test_weights_follow_their_queries(rows):
    labels, grades, scores = zip(*rows, strict=True)
    weight_of = {"a": 0.5, "b": 2.0, "c": 1.0}
    weight = [weight_of[label] for label in labels]
    found = group_input(
        np.array(grades), np.array(scores), np.array(labels), weight, judged_for=""
    )
    expected = [weight_of[label] for label in found.labels.tolist()]
    assert found.weight.tolist() == expected


GRIDS = arrays.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=7)


@st.composite
def grids(draw):
    shape = draw(GRIDS)
    truth = draw(arrays.arrays(np.float64, shape, elements=GRADES.map(float)))
    return truth, draw(arrays.arrays(np.float64, shape, elements=SCORES))


@given(grids(), st.sampled_from(CSR_FORMS))
def test_a_grid_is_its_rows(grid, form):
    truth, score = grid
    expected = {
        query: sorted(zip(truth[query].tolist(), score[query].tolist(), strict=True))
        for query in range(len(truth))
    }
    for y_true in (truth, form(truth)):
        found = group_input(y_true, score, None, None, judged_for="map")
        assert as_queries(found) == expected
        missed = np.count_nonzero(score == -np.inf, axis=1)
        assert list(missed_by_label(found).values()) == missed.tolist()


@given(grids(), st.sampled_from(CSR_FORMS), st.booleans())
def test_stored_scores_are_what_was_retrieved(grid, form, truth_is_sparse):
    """A zero in the grid is not stored; a relevant item without a score is missed."""
    truth, score = grid
    score = np.where(np.isfinite(score), score, 0)
    found = group_input(
        form(truth) if truth_is_sparse else truth, form(score), None, None, judged_for="map"
    )
    expected = {}
    for query, (grades, scores) in enumerate(zip(truth, score, strict=True)):
        pairs = zip(grades.tolist(), scores.tolist(), strict=True)
        kept = [(grade, s if s else -np.inf) for grade, s in pairs if grade or s]
        expected[query] = sorted(kept)
    assert as_queries(found) == expected
    missed = np.count_nonzero((truth != 0) & (score == 0), axis=1)
    assert list(missed_by_label(found).values()) == missed.tolist()
    assert found.n_items.tolist() == [truth.shape[1]] * len(truth)


def test_stored_zeros_are_retrieved():
    score = sparse.csr_array(([0.0, 2.0], [1, 2], [0, 2]), shape=(1, 4))
    truth = np.array([[0, 1, 0, 1]])
    found = group_input(truth, score, None, None, judged_for="map")
    assert as_queries(found) == {0: [(0.0, 2.0), (1.0, -np.inf), (1.0, 0.0)]}
    assert precision_at_k_score(truth, score, k=2) == 1 / 2


def test_repeated_and_unsorted_entries_of_a_sparse_matrix():
    cells = [2, 0, 2, 1], [0, 4]
    score = sparse.csr_array(([1.0, 3.0, 1.5, 2.0], *cells), shape=(1, 3))
    truth = sparse.csr_array(([1.0, 0.0, 1.0, 0.0], *cells), shape=(1, 3))
    copies = score.copy(), truth.copy()
    for y_true in (truth, truth.toarray()):
        found = group_input(y_true, score, None, None, judged_for="map")
        assert as_queries(found) == {0: [(0.0, 2.0), (0.0, 3.0), (2.0, 2.5)]}
    for matrix, copy in zip((score, truth), copies, strict=True):
        np.testing.assert_array_equal(matrix.indices, copy.indices)
        np.testing.assert_array_equal(matrix.data, copy.data)


def test_cells_beyond_32_bits():
    """Positions in a matrix of 2**33 cells, whose own indices are 32 bits wide."""
    n_items = 2**31 - 1
    indices, indptr = np.array([n_items - 1, 0, n_items - 1]), np.array([0, 1, 1, 1, 3])
    shape = 4, n_items
    score = sparse.csr_array((np.array([1.0, 2.0, 3.0]), indices, indptr), shape=shape)
    truth = sparse.csr_array((np.array([1.0, 0.0, 2.0]), indices, indptr), shape=shape)
    found = group_input(truth, score, None, None, judged_for="map")
    assert as_queries(found) == {0: [(1.0, 1.0)], 1: [], 2: [], 3: [(0.0, 2.0), (2.0, 3.0)]}
    assert found.origin_of(np.arange(3)).tolist() == [
        n_items - 1,
        3 * n_items,
        4 * n_items - 1,
    ]
    lists = rank_lists(truth, score)
    assert lists.n_items.tolist() == [n_items] * 4
    assert lists.above.tolist() == [0, 0]


EXACT = {
    "int64": [2**53, 2**53 + 1],
    "uint64": [2**64 - 2, 2**64 - 1],
    "float64": [1.0, 1 + np.finfo(float).eps],
    "bool": [False, True],
    "int8": [-128, 127],
}


@pytest.mark.parametrize("form", [np.array, sparse.csr_array], ids=["dense", "CSR"])
@pytest.mark.parametrize("dtype", EXACT)
def test_scores_keep_their_type(dtype, form):
    """The relevant one is second by the smallest difference its type has."""
    score = np.array([EXACT[dtype]], dtype=dtype)
    if form is sparse.csr_array:
        score = sparse.csr_array((score[0], [0, 1], [0, 2]), shape=(1, 2))
    assert precision_at_k_score(np.array([[1, 0]]), score, k=1) == 0
    assert precision_at_k_score(np.array([[0, 1]]), score, k=1) == 1


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.longdouble, np.uint8, bool])
def test_grades_of_any_type(dtype):
    truth = np.array([1, 0, 1, 0, 1], dtype=dtype)
    score, groups = np.arange(5.0), [0, 0, 0, 1, 1]
    found = per_query_scores(truth, score, groups=groups, metrics=["precision@1"])
    assert found.scores["precision@1"].tolist() == [1, 1]


@pytest.mark.parametrize("n_rows", [2**13 - 1, 2**13, 2**13 + 1, 70_000])
def test_forms_agree_across_chunks(n_rows):
    """Flat rows in any order, and the same as a grid, dense and stored."""
    rng = np.random.default_rng(n_rows)
    truth = (rng.random((3, n_rows)) < 0.01).astype(int)
    score = rng.integers(1, 500, (3, n_rows)) / 7
    groups = np.repeat([10, 20, 30], n_rows)
    mixed = rng.permutation(3 * n_rows)
    metrics = ["ndcg@20", "map", "mrr", "auc"]
    expected = per_query_scores(truth, score, metrics=metrics).scores
    forms = [
        per_query_scores(sparse.csr_array(truth), score, metrics=metrics),
        per_query_scores(sparse.csr_array(truth), sparse.csr_array(score), metrics=metrics),
        per_query_scores(truth.ravel(), score.ravel(), groups=groups, metrics=metrics),
        per_query_scores(
            truth.ravel()[mixed],
            score.ravel()[mixed],
            groups=groups[mixed],
            metrics=metrics,
        ),
    ]
    for found in forms:
        for name in metrics:
            np.testing.assert_allclose(found.scores[name], expected[name], rtol=1e-12)

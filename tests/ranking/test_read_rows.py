"""Every form of input, as rows that lie together by query, against plain loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse

from sklearn_rank._ranking._rank import rank_chunks
from sklearn_rank._ranking._rows import read_rows
from sklearn_rank.metrics import per_query_scores, precision_at_k_score

SPARSE_FORMS = [
    sparse.csr_array,
    sparse.csr_matrix,
    sparse.csc_array,
    sparse.coo_array,
    sparse.coo_matrix,
    sparse.lil_array,
    sparse.dok_array,
    sparse.dok_matrix,
]
GRADES = st.sampled_from([0, 0, 1, 2])
SCORES = st.sampled_from([-np.inf, -1.0, 0.0, 0.5, 1e300])


def as_queries(rows):
    """Return {label: sorted (grade, score, missed) rows} of what read_rows made."""
    whole = slice(0, int(rows.starts[-1]))
    scores, grades = rows.scores(whole), np.zeros(whole.stop)
    places, nonzero = rows.nonzero(whole)
    grades[places] = nonzero
    np.testing.assert_array_equal(grades, rows.grades(whole))
    order, labels = rows.queries.order, rows.queries.labels
    order = np.arange(len(labels)) if order is None else order
    found = {}
    for label, query in zip(labels.tolist(), order, strict=True):
        part = slice(rows.starts[query], rows.starts[query + 1])
        pairs = zip(grades[part].tolist(), scores[part].tolist(), strict=True)
        found[label] = sorted(pairs)
    return found


def missed_by_label(rows):
    n_missed = 0 if rows.n_missed is None else rows.n_missed
    labels = rows.queries.labels
    n_missed = np.broadcast_to(n_missed, len(labels))
    by_label = rows.queries.by_label(n_missed).tolist()
    return dict(zip(labels.tolist(), by_label, strict=True))


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

    found = read_rows(np.array(grades), np.array(scores), groups, None, judged_for="map")
    assert as_queries(found) == {label: sorted(own) for label, own in expected.items()}
    missed = {
        label: sum(score == -np.inf for _, score in own) for label, own in expected.items()
    }
    assert missed_by_label(found) == missed


@given(flat_rows())
def test_origin_is_the_place_in_the_input(rows):
    labels, grades, scores = zip(*rows, strict=True)
    scores = np.array(scores)
    found = read_rows(np.array(grades), scores, np.array(labels), None, judged_for="")
    places = np.arange(len(rows))
    origin = found.origin(places)
    assert sorted(origin.tolist()) == list(range(len(rows)))
    np.testing.assert_array_equal(found.scores(slice(0, len(rows))), scores[origin])


@given(flat_rows())
def test_weights_follow_their_queries(rows):
    labels, grades, scores = zip(*rows, strict=True)
    weight_of = {"a": 0.5, "b": 2.0, "c": 1.0}
    weight = [weight_of[label] for label in labels]
    found = read_rows(
        np.array(grades), np.array(scores), np.array(labels), weight, judged_for=""
    )
    expected = [weight_of[label] for label in found.queries.labels.tolist()]
    assert found.queries.weight.tolist() == expected


GRIDS = arrays.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=7)


@st.composite
def grids(draw):
    shape = draw(GRIDS)
    truth = draw(arrays.arrays(np.float64, shape, elements=GRADES.map(float)))
    return truth, draw(arrays.arrays(np.float64, shape, elements=SCORES))


@given(grids(), st.sampled_from(SPARSE_FORMS))
def test_a_grid_is_its_rows(grid, form):
    truth, score = grid
    expected = {
        query: sorted(zip(truth[query].tolist(), score[query].tolist(), strict=True))
        for query in range(len(truth))
    }
    for y_true in (truth, form(truth)):
        found = read_rows(y_true, score, None, None, judged_for="map")
        assert as_queries(found) == expected
        missed = np.count_nonzero(score == -np.inf, axis=1)
        assert list(missed_by_label(found).values()) == missed.tolist()


@given(grids(), st.sampled_from(SPARSE_FORMS), st.booleans())
def test_stored_scores_are_what_was_retrieved(grid, form, truth_is_sparse):
    """A zero in the grid is not stored; a relevant item without a score is missed."""
    truth, score = grid
    score = np.where(np.isfinite(score), score, 0)
    found = read_rows(
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
    assert found.n_items(0, len(truth)).tolist() == [truth.shape[1]] * len(truth)


def test_stored_zeros_are_retrieved():
    score = sparse.csr_array(([0.0, 2.0], [1, 2], [0, 2]), shape=(1, 4))
    truth = np.array([[0, 1, 0, 1]])
    found = read_rows(truth, score, None, None, judged_for="map")
    assert as_queries(found) == {0: [(0.0, 2.0), (1.0, -np.inf), (1.0, 0.0)]}
    assert precision_at_k_score(truth, score, k=2) == 1 / 2


def test_repeated_and_unsorted_entries_of_a_sparse_matrix():
    cells = [2, 0, 2, 1], [0, 4]
    score = sparse.csr_array(([1.0, 3.0, 1.5, 2.0], *cells), shape=(1, 3))
    truth = sparse.csr_array(([1.0, 0.0, 1.0, 0.0], *cells), shape=(1, 3))
    copies = score.copy(), truth.copy()
    for y_true in (truth, truth.toarray()):
        found = read_rows(y_true, score, None, None, judged_for="map")
        assert as_queries(found) == {0: [(0.0, 2.0), (0.0, 3.0), (2.0, 2.5)]}
    for matrix, copy in zip((score, truth), copies, strict=True):
        np.testing.assert_array_equal(matrix.indices, copy.indices)
        np.testing.assert_array_equal(matrix.data, copy.data)


SUMS = {
    "int8": (100, 200),
    "uint8": (200, 400),
    "int64": (2**62 - 1, 2**63 - 2),
    "uint64": (2**63 - 1, 2**64 - 2),
    "float32": (3e38, 2 * float(np.float32(3e38))),
    "bool": (True, True),
}
REPEATED = {
    "CSR": lambda data: sparse.csr_array((data, [0, 0, 1], [0, 3]), shape=(1, 3)),
    "CSC": lambda data: sparse.csc_array((data, [0, 0, 0], [0, 2, 3, 3]), shape=(1, 3)),
    "COO": lambda data: sparse.coo_array((data, ([0, 0, 0], [0, 0, 1])), shape=(1, 3)),
    "BSR": lambda data: sparse.bsr_array(
        (data.reshape(3, 1, 1), [0, 0, 1], [0, 3]), shape=(1, 3)
    ),
}


@pytest.mark.parametrize("form", REPEATED)
@pytest.mark.parametrize("dtype", SUMS)
def test_repeated_entries_are_summed_in_a_type_that_holds_the_sum(dtype, form):
    each, total = SUMS[dtype]
    matrix = REPEATED[form](np.array([each, each, 1], dtype=dtype))
    copy = matrix.copy()
    dense, largest = np.array([[3.0, 2.0, 1.0]]), max(total, 1)
    for truth, score in ((matrix, dense), (matrix, matrix), (dense > 1, matrix)):
        found = read_rows(truth, score, None, None, judged_for="map")
        if truth is matrix:
            assert found.max_grade == float(largest)
        if score is matrix:
            assert found.scores(slice(0, 2)).tolist() == [total, 1]
    grades = read_rows(matrix, dense, None, None, judged_for="").nonzero(slice(0, 3))
    assert [part.tolist() for part in grades] == [[0, 1], [total, 1]]
    np.testing.assert_array_equal(matrix.data, copy.data)
    np.testing.assert_array_equal(matrix.toarray(), copy.toarray())


def test_sums_are_checked():
    """Each entry is as it should be, and their sum is not."""
    dense = np.array([[3.0, 2.0, 1.0]])
    for data, message in (
        ([1e308, 1e308, 1], "1 infinite value"),
        ([3, -5, 1], "1 negative value"),
        ([2**62, 2**62, 1], "`y_true` has duplicate entries.*beyond 64 bits"),
    ):
        for make in REPEATED.values():
            with pytest.raises(ValueError, match=message):
                read_rows(make(np.array(data)), dense, None, None, judged_for="map")
    for data, message in (
        ([1e308, 1e308, 1], r"1 \+inf value"),
        ([np.inf, -np.inf, 1], "1 NaN value"),
        ([-(2**63), -1, 1], "`y_score` has duplicate entries"),
        ([2**63 - 1, 1, 1], "`y_score` has duplicate entries"),
        (np.array([2**64 - 1, 1, 1], dtype=np.uint64), "`y_score` has duplicate entries"),
    ):
        with pytest.raises(ValueError, match=message):
            read_rows(dense, REPEATED["COO"](np.array(data)), None, None, judged_for="")


def test_sums_reach_the_limits_of_their_type():
    truth = np.array([[0, 1]])
    for each, dtype in ((-(2**62), np.int64), (2**62 - 1, np.int64), (2**63, np.uint64)):
        last = each - 1 if dtype is np.uint64 else each
        score = sparse.coo_array(
            (np.array([each, last], dtype=dtype), ([0, 0], [1, 1])), shape=(1, 2)
        )
        found = read_rows(truth, score, None, None, judged_for="map")
        assert found.scores(slice(0, 1)).tolist() == [each + last]


def test_entries_that_cancel_out_are_no_grade():
    """They are stored all the same, so that as a score they are a 0."""
    matrix = REPEATED["CSR"](np.array([2, -2, 1]))
    dense = np.array([[3.0, 2.0, 1.0]])
    with pytest.raises(ValueError, match="negative"):
        read_rows(-matrix, dense, None, None, judged_for="map")
    for truth in (matrix, sparse.csr_array(([0.0, 1.0], [0, 1], [0, 2]), shape=(1, 3))):
        stored = truth.copy()
        for score in (dense, sparse.csr_array(dense)):
            found = read_rows(truth, score, None, None, judged_for="map")
            places, grades = found.nonzero(slice(0, 3))
            assert (len(places), grades.tolist()) == (1, [1])
        assert truth.nnz == stored.nnz
    found = read_rows(dense > 2, matrix, None, None, judged_for="map")
    assert as_queries(found) == {0: [(0.0, 1.0), (1.0, 0.0)]}


BIG = [2**53 + 1, 2**53, 2**53 + 2, -(2**53) - 1, -(2**53)]


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_large_integers_beside_what_was_not_retrieved_keep_their_order(dtype):
    """Their floats would tie, and one item is relevant and has no score."""
    values = np.array([value for value in BIG if value >= 0 or dtype is np.int64])
    score = sparse.csr_array(np.append(values, 0)[np.newaxis].astype(dtype))
    score.eliminate_zeros()
    for place, value in enumerate(values):
        truth = np.zeros((1, len(values) + 1))
        truth[0, [place, -1]] = 1
        rank = 1 + np.count_nonzero(values > value)
        found = per_query_scores(truth, score, metrics=["mrr", "recall@10"]).scores
        assert found["mrr"].tolist() == [1 / rank]
        assert found["recall@10"].tolist() == [1 / 2]


def test_small_integers_beside_what_was_not_retrieved_stay_what_they_are():
    score = sparse.csr_array(np.array([[7, 0, -3]]))
    found = read_rows(np.array([[1, 1, 0]]), score, None, None, judged_for="map")
    assert as_queries(found) == {0: [(0.0, -3.0), (1.0, -np.inf), (1.0, 7.0)]}


@pytest.mark.parametrize("n_items", [2**42, 2**43, 2**60])
def test_cells_that_cannot_be_numbered_are_refused(n_items):
    n_queries = 2**21
    cells = [n_queries - 1], [n_items - 1]
    matrix = sparse.coo_array(([1.0], cells), shape=(n_queries, n_items))
    if n_queries * n_items < 2**63:
        found = read_rows(matrix, matrix, None, None, judged_for="map")
        assert found.origin(np.arange(1)).tolist() == [n_queries * n_items - 1]
    else:
        with pytest.raises(ValueError, match=r"shape \(2097152, \d+\), which are 2\*\*63"):
            read_rows(matrix, matrix, None, None, judged_for="map")


def test_sparse_input_has_two_dimensions_and_numbers():
    vector, labels = sparse.coo_array(np.array([1, 0])), [1, 1]
    for y_true, y_score, name in (
        (vector, [1, 2], "y_true"),
        ([1, 0], vector, "y_score"),
        (vector, vector, "y_true"),
    ):
        for groups in (labels, None):
            with pytest.raises(ValueError, match=f"`{name}` is sparse and has 1 dim"):
                read_rows(y_true, y_score, groups, None, judged_for="map")
    for dtype in (complex, object):
        odd = sparse.csr_array((np.array([1], dtype=dtype), [0], [0, 1]), shape=(1, 1))
        with pytest.raises(ValueError, match="`y_true` must hold numbers, got dtype"):
            read_rows(odd, np.ones((1, 1)), None, None, judged_for="map")


SHAPES = [
    ((3,), (2, 3), None, r"shapes \(3,\) and \(2, 3\)\. With `groups` both need one value"),
    ((3,), (2, 3), 3, "without `groups`, one row per query"),
    ((2, 3), (2, 3), 3, "have the shapes .* With `groups` both need one value per row"),
    ((3,), (3,), None, "`groups` is required"),
    ((3,), (4,), 3, "`y_true` has 3 rows, but `y_score` has 4"),
    ((0,), (0,), 0, r"`y_true` is empty, got shape \(0,\)"),
    ((0, 2), (0, 2), None, r"`y_true` is empty, got shape \(0, 2\)"),
    ((2, 3), (3,), None, r"`y_score` must be 1-D with `groups`, or 2-D .*shape \(3,\)"),
    ((), (), None, r"`y_true` must be 1-D .* got 0 dimension\(s\), shape \(\)"),
    ((), (3,), None, r"`y_true` must be 1-D .* got 0 dimension\(s\), shape \(\)"),
    ((2, 2, 2), (2, 2, 2), None, "`y_true` must be 1-D .* got 3 dimension"),
    ((2, 3), (3, 2), None, r"`y_true` has shape \(2, 3\), but `y_score` has \(3, 2\)"),
]


@pytest.mark.parametrize(("true_shape", "score_shape", "n_labels", "message"), SHAPES)
@pytest.mark.parametrize("fill", [1.0, np.nan])
def test_shapes_are_checked_first(true_shape, score_shape, n_labels, message, fill):
    groups = None if n_labels is None else np.ones(n_labels)
    with pytest.raises(ValueError, match=message):
        read_rows(
            np.full(true_shape, fill),
            np.full(score_shape, fill),
            groups,
            None,
            judged_for="map",
        )


def test_columns_are_vectors():
    column = np.array([[1.0], [0.0]])
    found = read_rows(column, column[:, 0], [[5], [5]], None, judged_for="map")
    assert as_queries(found) == {5: [(0, 0), (1, 1)]}


def test_cells_beyond_32_bits():
    """Positions in a matrix of 2**33 cells, whose own indices are 32 bits wide."""
    n_items = 2**31 - 1
    indices, indptr = np.array([n_items - 1, 0, n_items - 1]), np.array([0, 1, 1, 1, 3])
    shape = 4, n_items
    score = sparse.csr_array((np.array([1.0, 2.0, 3.0]), indices, indptr), shape=shape)
    truth = sparse.csr_array((np.array([1.0, 0.0, 2.0]), indices, indptr), shape=shape)
    found = read_rows(truth, score, None, None, judged_for="map")
    assert as_queries(found) == {0: [(1.0, 1.0)], 1: [], 2: [], 3: [(0.0, 2.0), (2.0, 3.0)]}
    assert found.origin(np.arange(3)).tolist() == [
        n_items - 1,
        3 * n_items,
        4 * n_items - 1,
    ]
    (block,) = rank_chunks(read_rows(truth, score, None, None), "average")
    lists = block.relevant
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

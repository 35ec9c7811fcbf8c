import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from sklearn_rank.datasets import make_ranking


def test_has_the_promised_shape():
    X, y, groups = make_ranking(50, (3, 9), 7, random_state=0)
    assert X.shape == (len(y), 7)
    assert len(y) == len(groups)
    assert y.dtype.kind == groups.dtype.kind == "i"
    assert set(np.unique(y)) == {0, 1, 2, 3, 4}
    assert np.isfinite(X).all()


def test_queries_are_ragged_and_within_their_sizes():
    _, _, groups = make_ranking(200, (3, 9), random_state=0)
    assert set(np.bincount(groups)) == set(range(3, 10))
    assert (np.diff(groups) >= 0).all()


def test_low_grades_are_common_and_high_ones_rare():
    _, y, _ = make_ranking(200, random_state=0)
    shares = np.bincount(y) / len(y)
    assert (np.diff(shares) < 0).all()
    np.testing.assert_allclose(shares, [0.52, 0.25, 0.13, 0.07, 0.03], atol=0.01)


def test_shuffle_moves_rows_and_changes_none():
    X, y, groups = make_ranking(20, random_state=0)
    X2, y2, groups2 = make_ranking(20, shuffle=True, random_state=0)
    assert (np.diff(groups2) < 0).any()
    place = np.lexsort(X.T)
    place2 = np.lexsort(X2.T)
    np.testing.assert_array_equal(X[place], X2[place2])
    np.testing.assert_array_equal(y[place], y2[place2])
    np.testing.assert_array_equal(groups[place], groups2[place2])


def test_the_same_random_state_gives_the_same_data():
    for one, other in zip(
        make_ranking(random_state=5), make_ranking(random_state=5), strict=True
    ):
        np.testing.assert_array_equal(one, other)


def share_of_pairs_in_order(y, score, groups):
    right = total = 0
    for group in np.unique(groups):
        grade, value = y[groups == group], score[groups == group]
        is_better = grade[:, np.newaxis] > grade
        right += (is_better & (value[:, np.newaxis] > value)).sum()
        total += is_better.sum()
    return right / total


def within_query(X, groups):
    return X - np.array([X[groups == g].mean(axis=0) for g in np.unique(groups)])[groups]


def test_comparing_within_a_query_beats_predicting_the_grade():
    X, y, groups = make_ranking(300, query_effect=3, random_state=0)
    pointwise = LinearRegression().fit(X, y).predict(X)
    centered = within_query(X, groups)
    listwise = LinearRegression().fit(centered, y).predict(centered)
    order = share_of_pairs_in_order(y, pointwise, groups)
    assert 0.5 < order < share_of_pairs_in_order(y, listwise, groups) - 0.002


def test_without_noise_a_linear_model_makes_few_mistakes():
    X, y, groups = make_ranking(200, query_effect=0, noise=0, random_state=0)
    score = LinearRegression().fit(X, y).predict(X)
    assert share_of_pairs_in_order(y, score, groups) > 0.99


@pytest.mark.parametrize(
    ("parameter", "value", "error"),
    [
        ("n_queries", 0, ValueError),
        ("n_features", 2.0, TypeError),
        ("n_informative", 11, ValueError),
        ("query_size", 5, TypeError),
        ("query_size", (5, 4), ValueError),
        ("query_size", (0, 4), ValueError),
        ("noise", -1, ValueError),
        ("query_effect", "big", TypeError),
        ("n_queries", np.timedelta64(5, "D"), TypeError),
        ("query_size", (1, np.timedelta64(5, "D")), TypeError),
        ("query_size", (1, 10**400), ValueError),
    ],
)
def test_bad_values_are_named(parameter, value, error):
    with pytest.raises(error, match=f"`{parameter}"):
        make_ranking(**{parameter: value})


def test_numbers_of_numpy_are_those_of_python():
    expected = make_ranking(100, (5, 255), 10, noise=0.25, random_state=0)
    found = make_ranking(
        np.int8(100),
        (np.uint8(5), np.uint8(255)),
        np.int8(10),
        n_informative=np.uint8(5),
        query_effect=np.float16(1),
        noise=np.float16(0.25),
        random_state=0,
    )
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == other.dtype
        assert np.array_equal(one, other)


def test_one_document_a_query():
    X, y, groups = make_ranking(10, (1, 1), random_state=0)
    assert len(X) == len(y) == len(groups) == 10

"""PairwiseRanker is a linear classifier of differences, and no more."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Perceptron, Ridge, SGDClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils import get_tags

from sklearn_rank.metrics import ndcg_score
from sklearn_rank.rankers import PairwiseRanker

LINEAR = [
    LinearSVC(C=0.1),
    LogisticRegression(),
    SGDClassifier(random_state=0),
    Perceptron(random_state=0),
    LinearDiscriminantAnalysis(),
]


def differences(X, y, groups):
    """Return all x_i - x_j with y_i > y_j in one query, by plain loops."""
    rows = range(len(y))
    return np.array(
        [X[i] - X[j] for i in rows for j in rows if groups[i] == groups[j] and y[i] > y[j]]
    )


def test_coefficients_are_those_of_a_classifier_of_all_differences(queries):
    ranker = PairwiseRanker(LogisticRegression(tol=1e-10), max_pairs_per_query=None)
    ranker.fit(queries.X, queries.y, groups=queries.groups)
    forward = differences(queries.X, queries.y, queries.groups)
    # Both directions of every pair, so twice the loss: C is halved.
    both = LogisticRegression(C=0.5, tol=1e-10).fit(
        np.vstack([forward, -forward]), np.repeat([1, -1], len(forward))
    )
    assert ranker.n_pairs_ == len(forward)
    assert np.allclose(ranker.coef_, both.coef_.ravel(), atol=1e-5)
    assert both.intercept_ == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("estimator", LINEAR, ids=lambda e: type(e).__name__)
def test_any_linear_classifier_ranks_queries_it_has_never_seen(estimator, queries):
    seen = queries.query < 16
    ranker = PairwiseRanker(estimator, random_state=0)
    ranker.fit(queries.X[seen], queries.y[seen], groups=queries.groups[seen])
    unseen = queries.X[~seen], queries.y[~seen]
    assert np.allclose(ranker.predict(unseen[0]), unseen[0] @ ranker.coef_)
    score = ranker.score(*unseen, groups=queries.groups[~seen])
    scores = ranker.predict(unseen[0])
    assert score == ndcg_score(unseen[1], scores, groups=queries.groups[~seen])
    assert score > 0.85


def test_shifting_or_reordering_queries_changes_nothing(queries):
    ranker = PairwiseRanker(LogisticRegression(tol=1e-10), max_pairs_per_query=None)
    expected = ranker.fit(queries.X, queries.y, groups=queries.groups).coef_
    shift = np.random.default_rng(0).normal(size=(queries.query.max() + 1, 4))[
        queries.query
    ]
    shifted = clone(ranker).fit(queries.X + shift, queries.y, groups=queries.groups)
    assert np.allclose(shifted.coef_, expected, atol=1e-5)
    order = np.random.default_rng(0).permutation(len(queries.y))
    reordered = clone(ranker).fit(
        queries.X[order], 10 * queries.y[order] - 3, groups=queries.groups[order]
    )
    assert np.allclose(reordered.coef_, expected, atol=1e-5)


@pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.csr_array, sparse.csc_array])
def test_sparse_rows_give_the_same(form, queries):
    dense, thin = (
        PairwiseRanker(LogisticRegression(tol=1e-10), random_state=0).fit(
            X, queries.y, groups=queries.groups
        )
        for X in (queries.X, form(queries.X))
    )
    assert np.allclose(dense.coef_, thin.coef_, atol=1e-5)
    assert np.allclose(dense.predict(queries.X), thin.predict(form(queries.X)), atol=1e-4)


def test_single_precision_is_kept(queries):
    class Recorder(LogisticRegression):
        def fit(self, X, y):
            self.dtype_ = X.dtype
            return super().fit(X, y)

    ranker = PairwiseRanker(Recorder())
    ranker.fit(queries.X.astype(np.float32), queries.y, groups=queries.groups)
    assert ranker.estimator_.dtype_ == np.float32


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_groups_in_a_column(library, queries):
    frames = pytest.importorskip(library)
    columns = {f"f{i}": queries.X[:, i] for i in range(4)} | {"query": queries.groups}
    X = frames.DataFrame(columns)
    ranker = PairwiseRanker(LogisticRegression(), groups="query").fit(X, queries.y)
    passed = PairwiseRanker(LogisticRegression()).fit(
        queries.X, queries.y, groups=queries.groups
    )
    assert np.allclose(ranker.coef_, [*passed.coef_, 0])
    assert np.allclose(ranker.predict(X), passed.predict(queries.X))
    without = X[[f"f{i}" for i in range(4)]]
    # Without the column a frame may lie otherwise in memory, and a BLAS round otherwise.
    one, other = ranker.predict(X), ranker.predict(without)
    np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-14)


def test_the_bound_holds_and_the_seed_decides(queries):
    def fit(seed):
        ranker = PairwiseRanker(
            LogisticRegression(), max_pairs_per_query=3, random_state=seed
        )
        return ranker.fit(queries.X, queries.y, groups=queries.groups)

    assert fit(0).n_pairs_ == 3 * len(set(queries.groups))
    assert np.array_equal(fit(0).coef_, fit(0).coef_)
    assert not np.array_equal(fit(0).coef_, fit(1).coef_)


def test_a_weight_is_one_of_a_query(queries):
    ranker = PairwiseRanker(LogisticRegression(tol=1e-10), max_pairs_per_query=None)
    half = queries.query < 12
    weighted = clone(ranker).fit(
        queries.X, queries.y, groups=queries.groups, sample_weight=half * 1.0
    )
    subset = clone(ranker).fit(queries.X[half], queries.y[half], groups=queries.query[half])
    assert np.allclose(weighted.coef_, subset.coef_, atol=1e-5)
    weight = np.random.default_rng(0).uniform(1, 2, len(queries.y))
    with pytest.raises(ValueError, match="`sample_weight` differs within query"):
        clone(ranker).fit(queries.X, queries.y, groups=queries.groups, sample_weight=weight)


def test_one_pair_is_enough():
    ranker = PairwiseRanker(LogisticRegression(tol=1e-10))
    ranker.fit([[1.0], [3.0], [5.0]], [0, 1, 1], groups=["a", "a", "b"])
    assert ranker.n_pairs_ == 1
    assert ranker.coef_[0] > 0
    weighted = clone(ranker).fit(
        [[1.0], [3.0], [5.0]], [0, 1, 1], groups=["a", "a", "b"], sample_weight=[1, 1, 9]
    )
    assert np.allclose(weighted.coef_, ranker.coef_)


def test_the_estimator_given_is_not_touched(queries):
    inner = LogisticRegression()
    ranker = PairwiseRanker(inner).fit(queries.X, queries.y, groups=queries.groups)
    assert inner.fit_intercept
    assert not hasattr(inner, "coef_")
    assert ranker.estimator_.intercept_ == 0


def test_clone_pickle_pictures_and_tags(queries):
    ranker = PairwiseRanker(LinearSVC(), max_pairs_per_query=7)
    copy = clone(ranker).fit(queries.X, queries.y, groups=queries.groups)
    again = pickle.loads(pickle.dumps(copy))
    assert np.array_equal(again.predict(queries.X), copy.predict(queries.X))
    assert repr(ranker) == "PairwiseRanker(estimator=LinearSVC(), max_pairs_per_query=7)"
    assert "LinearSVC" in ranker._repr_html_()
    assert get_tags(ranker).input_tags.sparse
    assert get_tags(ranker).target_tags.required


@pytest.mark.parametrize(
    ("estimator", "error", "text"),
    [
        (Ridge(), TypeError, "must be a classifier"),
        (RandomForestClassifier(2), TypeError, "must be linear, with coef_"),
        (make_pipeline(StandardScaler(), LinearSVC()), TypeError, "before the ranker"),
        (LinearSVC, TypeError, "got the class LinearSVC"),
        (StandardScaler(), TypeError, "without predict"),
    ],
)
def test_only_linear_classifiers_will_do(estimator, error, text, queries):
    with pytest.raises(error, match=text):
        PairwiseRanker(estimator).fit(queries.X, queries.y, groups=queries.groups)


def test_bad_input(queries):
    ranker = PairwiseRanker(LogisticRegression())
    given = {"X": queries.X, "y": queries.y, "groups": queries.groups}
    n = len(queries.y)
    for change, text in [
        ({"groups": None}, "needs `groups`"),
        ({"groups": queries.groups[1:]}, "`groups` has"),
        ({"groups": np.arange(n)}, f"{n} labels for {n} rows; one row cannot be ranked"),
        ({"groups": queries.y}, "None of the 3 queries .* has rows of two different"),
        ({"y": np.ones(n)}, "two different grades to learn from"),
        ({"y": np.where(np.arange(n) == 1, np.nan, 1)}, "`y` has 1 NaN"),
        ({"X": np.full((n, 2), np.nan)}, "NaN"),
        ({"sample_weight": np.full(n, np.nan)}, "`sample_weight` has .* NaN"),
    ]:
        with pytest.raises(ValueError, match=text):
            ranker.fit(**(given | change))
    with pytest.raises(ValueError, match="`max_pairs_per_query` must be an integer >= 1"):
        PairwiseRanker(LinearSVC(), max_pairs_per_query=0).fit(**given)
    with pytest.raises(ValueError, match=r"KNeighborsClassifier.fit takes no weights"):
        PairwiseRanker(KNeighborsClassifier()).fit(**given, sample_weight=np.ones(n))


@pytest.mark.parametrize("most", [np.int8(7), np.uint64(7)])
def test_numbers_of_pairs_are_of_any_integer_type(most, queries):
    given = {"X": queries.X, "y": queries.y, "groups": queries.groups}
    ranker, expected = (
        PairwiseRanker(LogisticRegression(), max_pairs_per_query=pairs, random_state=0).fit(
            **given
        )
        for pairs in (most, 7)
    )
    assert np.array_equal(ranker.coef_, expected.coef_)
    with pytest.raises(TypeError, match="`max_pairs_per_query` must be an integer"):
        PairwiseRanker(LinearSVC(), max_pairs_per_query=np.timedelta64(7, "D")).fit(**given)


def test_one_query_is_a_warning(queries):
    with pytest.warns(UserWarning, match="rows are of one query") as seen:
        PairwiseRanker(LogisticRegression()).fit(
            queries.X, queries.y, groups=np.zeros(len(queries.y))
        )
    assert [warning.filename for warning in seen] == [__file__]

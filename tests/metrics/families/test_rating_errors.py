"""Rating errors by name: their values, and the checks that every metric has."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import mean_absolute_error, mean_squared_error, root_mean_squared_error

from sklearn_rank.metrics import per_query_scores, ranking_report, ranking_scores

ERRORS = {
    "mae": mean_absolute_error,
    "mse": mean_squared_error,
    "rmse": root_mean_squared_error,
}
RATED = np.array([4.0, -1.0, 3.5, 2.0, 5.0])
PREDICTED = np.array([3.0, 1.0, 3.5, -2.0, 4.0])
GROUPS = ["b", "a", "b", "a", "c"]
WEIGHT = np.array([2.0, 0.5, 2.0, 0.5, 0.0])


def report(*rows, **parameters):
    found = ranking_report(*rows, **parameters, output_dict=True)
    return {name: row["mean"] for name, row in found.items()}


def each(*rows, **parameters):
    return per_query_scores(*rows, **parameters).scores


MEANS = pytest.mark.parametrize("means", [ranking_scores, report])
ALL = pytest.mark.parametrize("function", [ranking_scores, report, each])
error = pytest.mark.parametrize("name", ERRORS)


# ---- values ----------------------------------------------------------------------------


@MEANS
@error
@pytest.mark.parametrize("groups", [None, GROUPS])
@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_the_error_over_all_rows(means, name, groups, weight):
    """Ratings may be negative, and their queries play no role."""
    found = means(RATED, PREDICTED, groups=groups, sample_weight=weight, metrics=name)
    assert found == {name: ERRORS[name](RATED, PREDICTED, sample_weight=weight)}


@MEANS
@error
def test_a_grid(means, name):
    truth, predicted = RATED[:4].reshape(2, 2), PREDICTED[:4].reshape(2, 2)
    assert means(truth, predicted, metrics=name) == {
        name: ERRORS[name](truth.ravel(), predicted.ravel())
    }
    weighted = means(truth, predicted, metrics=name, sample_weight=[1, 3])
    assert weighted == {
        name: ERRORS[name](
            truth.ravel(), predicted.ravel(), sample_weight=[1.0, 1.0, 3.0, 3.0]
        )
    }


@error
def test_the_error_of_each_query(name):
    found = per_query_scores(RATED, PREDICTED, groups=GROUPS, metrics=name)
    groups = np.array(GROUPS)
    expected = [
        ERRORS[name](RATED[groups == label], PREDICTED[groups == label]) for label in "abc"
    ]
    assert found.groups.tolist() == ["a", "b", "c"]
    np.testing.assert_allclose(found.scores[name], expected, rtol=1e-15)
    grid = per_query_scores(RATED[None], PREDICTED[None], metrics=name)
    assert grid.scores[name] == pytest.approx([ERRORS[name](RATED, PREDICTED)])


@MEANS
def test_a_column_is_a_vector(means):
    expected = means(RATED, PREDICTED, metrics="mae")
    assert means(RATED[:, None], PREDICTED, metrics="mae") == expected
    assert means(RATED, PREDICTED[:, None], metrics="mae") == expected
    column = means(RATED[:, None], PREDICTED[:, None], groups=GROUPS, metrics="mae")
    assert column == expected


@ALL
def test_beside_a_ranking_metric(function):
    rows = (np.abs(RATED), PREDICTED)
    both = function(*rows, groups=GROUPS, metrics=["mae", "mrr@3"])
    for name in ("mae", "mrr@3"):
        alone = function(*rows, groups=GROUPS, metrics=name)
        np.testing.assert_array_equal(both[name], alone[name])


# ---- checks ----------------------------------------------------------------------------


@ALL
@pytest.mark.parametrize("metrics", ["mae", ["rmse", "mse"], ["mae", "mrr"]])
@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"y_score": PREDICTED[:4]}, r"`y_true` has .*5.*`y_score` has .*4"),
        ({"y_true": [[1, 2], [3, 4]], "y_score": [1, 2, 3, 4]}, r"`y_score`.*\(4,\)"),
        ({"y_true": [1, 2], "y_score": [[1, 2]]}, r"\(1, 2\)"),
        ({"y_true": 1, "y_score": 1}, r"\(\)"),
        ({"y_true": np.ones((1, 2, 2)), "y_score": np.ones((1, 2, 2))}, r"\(1, 2, 2\)"),
        ({"y_true": [], "y_score": [], "groups": []}, r"empty, got shape \(0,\)"),
        ({"groups": GROUPS[:4]}, "`groups` has 4 rows, but `y_true` has 5"),
        ({"groups": [None, *GROUPS[1:]]}, "`groups` has 1 missing"),
        ({"y_true": [1, np.nan, 2, np.nan, 1]}, r"`y_true` has 2 NaN.*first at 1 \(nan\)"),
        ({"y_score": [1, 2, np.nan, 2, 1]}, r"`y_score` has 1 NaN.*first at 2 \(nan\)"),
        ({"y_true": [1, 2, np.inf, 2, 1]}, r"`y_true` has 1 infinite.*first at 2 \(inf\)"),
        ({"y_score": [1, 2, 2, -np.inf, 1]}, r"`y_score` has 1 infinite.*first at 3"),
        ({"y_score": ["a"] * 5}, "`y_score` must hold numbers"),
        ({"sample_weight": -WEIGHT}, "`sample_weight` must be finite and not negative"),
        ({"sample_weight": np.full(5, np.inf)}, "`sample_weight` must be finite"),
        ({"sample_weight": WEIGHT * 0}, "`sample_weight` is 0 for every"),
        ({"sample_weight": WEIGHT[:4]}, r"`sample_weight`.*\(4,\)"),
        ({"sample_weight": [1, 2, 3, 2, 1]}, "differs within query 'b'"),
        ({"ties": "avrage"}, r"`ties` got 'avrage'.*Did you mean 'average'"),
        ({"ties": None}, "`ties` got None"),
        ({"min_relevance": "abc"}, "`min_relevance` must be"),
    ],
)
def test_bad_input(function, metrics, changed, message):
    rows = {"y_true": np.abs(RATED), "y_score": PREDICTED, "groups": GROUPS} | changed
    if np.ndim(rows["y_true"]) != 1 and "groups" not in changed:
        rows["groups"] = None
    with pytest.raises((TypeError, ValueError), match=f"(?s){message}"):
        function(rows.pop("y_true"), rows.pop("y_score"), **rows, metrics=metrics)


@MEANS
@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"y_score": PREDICTED[:4]},
            r"`y_true` has shape \(5,\), but `y_score` has \(4,\)",
        ),
        ({"y_score": [[1, 2, 3, 4, 5]]}, r"`y_score` has \(1, 5\)"),
        ({"y_true": RATED[:, None, None]}, r"`y_true` has shape \(5, 1, 1\)"),
        ({"y_true": [], "y_score": []}, "empty"),
        ({"sample_weight": WEIGHT[:4]}, r"per row, shape \(5,\), got shape \(4,\)"),
        ({"sample_weight": 2.0}, r"one weight per row.* got shape \(\)"),
        ({"sample_weight": -WEIGHT}, "not negative"),
        ({"sample_weight": WEIGHT * 0}, "is 0 for every"),
        ({"sample_weight": ["a"] * 5}, "`sample_weight` must hold numbers"),
        ({"ties": "avrage"}, "`ties` got"),
    ],
)
def test_bad_input_without_groups(means, changed, message):
    rows = {"y_true": RATED, "y_score": PREDICTED} | changed
    with pytest.raises(ValueError, match=message):
        means(rows.pop("y_true"), rows.pop("y_score"), **rows, metrics="mae")


@pytest.mark.parametrize("weight", [[1, 2, 3], [[1, 1], [2, 2]], [-1, 1], [0, 0]])
def test_bad_weights_of_a_grid(weight):
    with pytest.raises(ValueError, match="`sample_weight`"):
        ranking_scores(np.eye(2), np.eye(2), sample_weight=weight, metrics="mae")


def test_values_by_query_need_groups():
    with pytest.raises(ValueError, match="`groups` is required"):
        per_query_scores(RATED, PREDICTED, metrics="mae")


@ALL
def test_sparse_ratings(function):
    with pytest.raises(ValueError, match="Rating errors need a dense `y_score`"):
        function(np.eye(2), sparse.eye_array(2, format="csr"), metrics="mae")


def test_the_input_is_left_as_it_is():
    truth, predicted, weight = RATED.copy(), PREDICTED.copy(), WEIGHT.copy()
    ranking_scores(
        truth, predicted, groups=GROUPS, sample_weight=weight, metrics=["mae", "rmse"]
    )
    per_query_scores(truth, predicted, groups=GROUPS, metrics=["mae", "rmse"])
    for values, kept in ((truth, RATED), (predicted, PREDICTED), (weight, WEIGHT)):
        np.testing.assert_array_equal(values, kept)

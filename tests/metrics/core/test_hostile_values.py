"""Arguments of the wrong kind are named in errors of our own."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import Ridge

from sklearn_rank.datasets import make_interactions, make_ranking
from sklearn_rank.metrics import (
    Catalogue,
    PerQueryDisplay,
    PerQueryScores,
    group_exposure,
    per_query_scores,
    ranking_scores,
)
from sklearn_rank.model_selection import cross_validate_per_query

ROWS = {"y_true": [1, 0, 2, 0], "y_score": [4, 3, 2, 1], "groups": list("aabb")}
RAGGED = [[1], [1, 2], [3], [4]]
ZERO = np.array(3)


@pytest.mark.parametrize("y_true", [ZERO, 3, None, "abc"])
@pytest.mark.parametrize(
    ("metrics", "beside"),
    [
        ("ips_ndcg", {"propensity": [0.5] * 4}),
        ("awrf(target='relevant')", {"item_groups": list("uvuv")}),
        ("err_ia@2", {"subtopics": np.eye(4)}),
        ("coverage@2", {"items": list("wxyz")}),
    ],
)
def test_y_true_of_no_dimension(metrics, beside, y_true):
    with pytest.raises(ValueError, match=r"`y_true` must be 1-D .* got "):
        ranking_scores(**ROWS | {"y_true": y_true}, **beside, metrics=metrics)


def test_sequences_of_unequal_lengths():
    message = "`{}` must be an array, got sequences of unequal lengths"
    with pytest.raises(ValueError, match=message.format("y_true")):
        ranking_scores(**ROWS | {"y_true": RAGGED}, items=list("wxyz"), metrics="coverage")
    with pytest.raises(ValueError, match=message.format("pooled")):
        ranking_scores(**ROWS, pooled=RAGGED, metrics="infap")
    with pytest.raises(ValueError, match=message.format("item_groups")):
        group_exposure(**ROWS, item_groups=RAGGED)
    with pytest.raises(ValueError, match=message.format("features")):
        Catalogue(features=RAGGED)
    with pytest.raises(ValueError, match=message.format("fold")):
        PerQueryScores([1, 2], {"mrr": [1.0, 2.0]}, fold=RAGGED)


@pytest.mark.parametrize("name", ["scores", "weights", "whole", "summaries", "ranges"])
@pytest.mark.parametrize("value", [ZERO, 3, "abc", [1, 2], {1, 2}])
def test_mappings_of_a_result_made_by_hand(name, value):
    given = {"groups": [1, 2], "scores": {"mrr": [1.0, 0.5]}, name: value}
    with pytest.raises(TypeError, match=f"`{name}` must be a dict of metric to .*, got "):
        PerQueryScores(**given)


@pytest.mark.parametrize("value", [ZERO, 3, "mrr", None, [["mrr"]], [3]])
def test_names_of_a_result_made_by_hand(value):
    """A text would be taken for its letters."""
    with pytest.raises(TypeError, match="`lower_is_better` must be names of metrics"):
        PerQueryScores([1, 2], {"mrr": [1.0, 0.5]}, lower_is_better=value)


@pytest.mark.parametrize("value", [ZERO, 3, None, [1], {"a": 1}])
def test_parts_of_a_picture_made_by_hand(value):
    with pytest.raises(TypeError, match="`metric` must be the name of a metric, got"):
        PerQueryDisplay(groups=[1, 2], scores=[1, 2], metric=value)
    if value is not None:
        with pytest.raises(TypeError, match="`baseline` must be another PerQueryDisplay"):
            PerQueryDisplay(groups=[1, 2], scores=[1, 2], metric="mrr", baseline=value)
    with pytest.raises(ValueError, match="`mrr` must hold numbers"):
        PerQueryDisplay(groups=[1, 2], scores=["a", "b"], metric="mrr")


def test_parts_of_a_catalogue():
    with pytest.raises(TypeError, match="`distance` must be a mapping"):
        Catalogue(items=list("wxyz"), distance=ZERO)
    empty = Catalogue(popularity=[], history=np.zeros((2, 0)))
    with pytest.raises(ValueError, match=r"catalogue has 0 items .* are 4 rows"):
        ranking_scores(**ROWS, catalogue=empty, metrics="serendipity@2")


def test_groups_in_a_sparse_vector():
    with pytest.raises(ValueError, match="item_groups"):
        group_exposure(**ROWS, item_groups=sparse.coo_array(np.ones(3)))


def test_metrics_in_an_array():
    assert len(per_query_scores(**ROWS, metrics=np.array(["mrr", "map"])).scores) == 2
    with pytest.raises(TypeError, match="`metrics` takes names such as"):
        ranking_scores(**ROWS, metrics=ZERO)


@pytest.mark.parametrize("value", [ZERO, 3, "abc", {"a": 1}])
def test_rows_and_estimator_of_a_cross_validation(value):
    X, y, groups = make_ranking(4, random_state=0)
    with pytest.raises(TypeError, match="`y` must be a list, an array or a frame"):
        cross_validate_per_query(Ridge(), X, value, metrics="mrr", groups=groups)
    with pytest.raises(TypeError, match="`estimator` must be an estimator with `fit`"):
        cross_validate_per_query(value, X, y, metrics="mrr", groups=groups)


@pytest.mark.parametrize("value", [np.ones(3), "abc", None])
def test_options_of_made_up_data(value):
    with pytest.raises(ValueError, match="`shuffle` got"):
        make_ranking(3, shuffle=value)
    with pytest.raises(ValueError, match="`as_frame` got"):
        make_interactions(20, 30, 50, as_frame=value)

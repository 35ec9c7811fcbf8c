"""Bounds of metrics for what nobody judged."""

from itertools import product

import numpy as np
import pytest

from sklearn_rank.inputs import fill_unjudged, from_item_lists
from sklearn_rank.metrics import per_query_scores, recall_at_k_score

NAN = np.nan
GROWING = ["precision@2", "hit_rate@2", "mrr", "cg@3", "dcg@3", "rbp(max_grade=2)"]


def test_what_is_filled():
    grades = [2, NAN, 0.0, -0.0, 1]
    assert fill_unjudged(grades).tolist() == [2, 0, 0, 0, 1]
    assert fill_unjudged(grades, unjudged="best").tolist() == [2, 2, 0, 2, 1]
    found = fill_unjudged(grades, unjudged="best", max_grade=3)
    assert found.tolist() == [2, 3, 0, 3, 1]
    assert not np.signbit(fill_unjudged(grades)).any()
    assert fill_unjudged([[1, NAN], [NAN, 0]]).tolist() == [[1, 0], [0, 0]]
    assert fill_unjudged([NAN, NAN]).tolist() == [0, 0]


def test_what_judgments_do_not_mention():
    rows = from_item_lists([{"tea": 3, "jam": 0}], [["rice", "tea", "jam"]])
    assert fill_unjudged(rows.y_true, unjudged="best").tolist() == [3, 3, 0]


@pytest.mark.parametrize("seed", range(6))
def test_bounds_hold_for_whatever_judges_would_say(seed):
    rng = np.random.default_rng(seed)
    grades, scores = rng.integers(0, 3, 6).astype(float), rng.permutation(6)
    grades[rng.permutation(6)[:3]] = NAN

    def values(y_true):
        found = per_query_scores(
            [y_true], [scores], metrics=GROWING, replace_undefined_by=0
        ).scores
        return np.array([found[name][0] for name in GROWING])

    possible = []
    for answer in product((0, 1, 2), repeat=3):
        filled = grades.copy()
        filled[np.isnan(grades)] = answer
        possible.append(values(filled))
    worst = values(fill_unjudged(grades))
    best = values(fill_unjudged(grades, unjudged="best", max_grade=2))
    np.testing.assert_allclose(worst, np.min(possible, axis=0))
    np.testing.assert_allclose(best, np.max(possible, axis=0))


def test_they_are_no_bounds_where_all_relevant_items_count():
    best = fill_unjudged([[1, NAN]], unjudged="best")
    assert recall_at_k_score(fill_unjudged([[1, NAN]]), [[2, 1]], k=1) == 1
    assert recall_at_k_score(best, [[2, 1]], k=1) == 0.5


@pytest.mark.parametrize(
    ("y_true", "given", "text"),
    [
        ([NAN, 0], {"unjudged": "best"}, "give `max_grade`"),
        ([2, NAN], {"max_grade": 1}, "has 2; raise it"),
        ([2, NAN], {"max_grade": 0}, "max_grade"),
        ([2, NAN], {"max_grade": np.inf}, "max_grade"),
        ([2, NAN], {"unjudged": "zero"}, "unjudged"),
        ([2, -0.0], {}, "comes from relevant items alone"),
        (["x"], {}, "numbers"),
    ],
)
def test_refuses(y_true, given, text):
    with pytest.raises(ValueError, match=text):
        fill_unjudged(y_true, **given)

"""Rows that are paired by position against their labels, and ids that are rounded."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression, Ridge

from sklearn_rank.datasets import make_ranking
from sklearn_rank.exceptions import MisleadingScoreWarning
from sklearn_rank.inputs import from_frames
from sklearn_rank.metrics import ndcg_score
from sklearn_rank.rankers import GroupRanker, PairwiseRanker, QueryFeatures, RankFusion

X, Y, GROUPS = make_ranking(n_queries=10, random_state=0)
TABLE = pd.DataFrame(X).rename(columns=str)
ORDER = np.random.default_rng(0).permutation(len(Y))
SHUFFLED = pd.Series(GROUPS)[ORDER]
RANKERS = {
    "group": GroupRanker(Ridge()),
    "pairwise": PairwiseRanker(LogisticRegression()),
    "fusion": RankFusion(),
}


@pytest.mark.parametrize("name", RANKERS)
def test_one_warning_of_a_shuffled_series(name):
    ranker = RANKERS[name]
    text = "`X` counts its rows from 0, and `groups` has these labels in another order"
    line = r"give groups.loc\[X.index\]; if not, groups.to_numpy\(\)"
    with pytest.warns(MisleadingScoreWarning, match=f"{text}.*{line}") as caught:
        ranker.fit(TABLE, Y, groups=SHUFFLED)
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ranker.fit(TABLE, Y, groups=SHUFFLED.loc[TABLE.index])  # the line
        right = ranker.predict(TABLE) if name == "group" else None
        ranker.fit(TABLE, Y, groups=GROUPS)
        if right is not None:
            np.testing.assert_array_equal(ranker.predict(TABLE), right)
    with pytest.warns(MisleadingScoreWarning, match=text):
        ranker.score(TABLE, Y, groups=SHUFFLED)


def test_features_and_two_shuffled_sides():
    features = QueryFeatures().fit(TABLE)
    with pytest.warns(MisleadingScoreWarning, match="`groups` has these labels"):
        features.transform(TABLE, groups=SHUFFLED)
    y = pd.Series(Y, index=ORDER)
    with pytest.raises(ValueError, match="one index in two orders"):
        GroupRanker(Ridge()).fit(X, y, groups=SHUFFLED[::-1])
    # The side that becomes an array is the series, not the table.
    shuffled = TABLE.iloc[ORDER]
    with pytest.warns(MisleadingScoreWarning, match=r"if not, y\.to_numpy\(\)"):
        GroupRanker(Ridge()).fit(shuffled, pd.Series(Y), groups=GROUPS[ORDER])


def test_what_is_right_is_silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        part = TABLE.iloc[ORDER[:50]]
        GroupRanker(Ridge()).fit(part, Y[part.index], groups=GROUPS[part.index])
        weights = pd.Series(1.0, index=ORDER)  # all alike
        GroupRanker(Ridge()).fit(TABLE, Y, groups=GROUPS, sample_weight=weights)
        fresh = pd.Series(Ridge().fit(X, Y).predict(X))
        ndcg_score(Y, fresh, groups=GROUPS)


@pytest.mark.parametrize(
    ("dtype", "first", "limit"),
    [(np.float64, 2**53, "9,007,199,254,740,992"), (np.float32, 2**24, "16,777,216")],
)
def test_ids_as_rounded_floats(dtype, first, limit):
    groups = (first + np.arange(4) // 2 * 4).astype(dtype)
    with pytest.warns(
        MisleadingScoreWarning, match=f"`groups` has numbers.*From {limit} on"
    ):
        ndcg_score([1, 0, 0, 1], [4, 3, 2, 1], groups=groups)
    truth = pd.DataFrame({"user": ["a", "b"], "item": groups[::2]})
    lists = pd.DataFrame({"user": ["a", "b"], "item": [1.0, 2.0], "rank": 1})
    with pytest.warns(MisleadingScoreWarning) as caught:
        from_frames(truth, lists, user="user", item="item", rank="rank")
    assert any("`truth['item']` has numbers of" in str(shown.message) for shown in caught)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ndcg_score([1, 0, 0, 1], [4, 3, 2, 1], groups=groups - 8)
        ndcg_score([1, 0, 0, 1], [4, 3, 2, 1], groups=[0.5, 0.5, np.inf, np.inf])


@pytest.mark.parametrize("name", ["distance", "L2", "cost"])
def test_columns_that_are_best_if_small(name):
    truth = pd.DataFrame({"user": ["a", "b"], "item": ["x", "y"]})
    lists = pd.DataFrame(
        {"user": list("aabb"), "item": list("xyxy"), name: [0.1, 0.5, 0.4, 0.2]}
    )
    columns = {"user": "user", "item": "item"}
    with pytest.warns(MisleadingScoreWarning, match="ranks the largest first"):
        from_frames(truth, lists, score=name, **columns)
    negated = lists.assign(**{name: -lists[name]})
    with pytest.raises(
        ValueError, match=rf"for distances give -recommendations\['{name}'\]"
    ):
        from_frames(truth, lists, rank=name, **columns)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        from_frames(truth, negated, score=name, **columns)

"""`half_life`, `weighting` and `exclude_seen`, which all recommenders take."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from sklearn_rank.recommenders import (
    EASERecommender,
    ItemNeighborsRecommender,
    MatrixFactorizationRecommender,
    PopularityRecommender,
    SLIMRecommender,
    UserNeighborsRecommender,
)

CLASSES = (
    EASERecommender,
    ItemNeighborsRecommender,
    MatrixFactorizationRecommender,
    PopularityRecommender,
    SLIMRecommender,
    UserNeighborsRecommender,
)
COLUMNS = {"user": "who", "item": "what", "time": "when"}
# Ages of 4, 2 and 0 weeks; a pair of ann's has two rows.
LOG = pd.DataFrame(
    [
        ("ann", "tea", "2024-01-01"),
        ("ann", "tea", "2024-01-15"),
        ("ann", "milk", "2024-01-29"),
        ("bob", "milk", "2024-01-15"),
        ("bob", "cake", "2024-01-01"),
    ],
    columns=["who", "what", "when"],
).astype({"when": "datetime64[ns]"})
Y = [1, 2, 3, 4, 5]


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize(
    ("weighting", "expected"),
    [
        # cake, milk, tea of ann, then of bob
        ("sum", [[0, 3, 1 / 4 + 2 / 2], [5 / 4, 4 / 2, 0]]),
        ("binary", [[0, 1, 1 / 2], [1 / 4, 1 / 2, 0]]),
    ],
)
def test_older_rows_count_less(kind, weighting, expected):
    model = kind(half_life="14D", weighting=weighting, **COLUMNS).fit(LOG, Y)
    assert_allclose(model.interactions_.toarray(), expected)


def test_pairs_of_many_rows_count_as_plain_loops_say():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, [30, 20, 10], size=(3000, 3))
    log, y = pd.DataFrame(codes, columns=["who", "what", "when"]), rng.random(3000)
    total, newest = np.zeros((30, 20)), np.zeros((30, 20))
    for (who, what, when), weight in zip(codes, y, strict=True):
        decay = 2.0 ** -((9 - when) / 4)
        total[who, what] += weight * decay
        newest[who, what] = max(newest[who, what], decay)
    for weighting, expected in [("sum", total), ("binary", newest)]:
        model = PopularityRecommender(half_life=4, weighting=weighting, **COLUMNS)
        assert_allclose(model.fit(log, y).interactions_.toarray(), expected, rtol=1e-14)


@pytest.mark.parametrize("kind", [*CLASSES[:2], *CLASSES[4:]])
def test_users_are_scored_by_their_histories(kind):
    rows = [("ann", "tea"), ("ann", "milk"), ("bob", "tea"), ("bob", "milk")]
    rows += [("eve", "beer"), ("eve", "chips"), ("kim", "beer"), ("lea", "tea")]
    model = kind().fit(rows)
    assert model.histories_ is model.interactions_
    assert model.recommend(["kim"], 1).tolist() == [["chips"]]
    # Kim is served as if she had what lea has; the model stays.
    histories = model.interactions_[[0, 1, 2, 4, 4]]
    model._fitted = replace(model._fitted, histories=histories)
    assert model.recommend(["kim"], 1, exclude=["tea"]).tolist() == [["milk"]]
    assert model.predict([("kim", "milk")]) == model.predict([("lea", "milk")])


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("weighting", ["binary", "log", "sum"])
def test_weights_never_vanish(kind, weighting):
    # One row far ahead makes the others old; among them the popular stay popular.
    rows = [("ann", "tea", 0), ("bob", "tea", 0), ("ann", "milk", 0), ("bob", "jam", 5e6)]
    log = pd.DataFrame(rows, columns=["who", "what", "when"])
    model = kind(half_life=1, weighting=weighting, **COLUMNS).fit(log)
    assert (model.interactions_.data > 0).all()
    assert model.recommend(["new"], 3).tolist() == [["jam", "tea", "milk"]]


@pytest.mark.parametrize("kind", CLASSES)
def test_the_constructor_says_whether_seen_items_are_left_out(kind):
    again = kind(exclude_seen=False, **COLUMNS).fit(LOG)
    assert sorted(again.recommend(["ann"], 3)[0]) == ["cake", "milk", "tea"]
    assert again.recommend(["ann"], 1, exclude_seen=True).tolist() == [["cake"]]
    assert sorted(again.recommend_for_items([["tea"]], 3)[0]) == ["cake", "milk", "tea"]
    assert kind(**COLUMNS).fit(LOG).recommend(["ann"], 1).tolist() == [["cake"]]


@pytest.mark.parametrize("kind", CLASSES)
def test_a_half_life_needs_times(kind):
    with pytest.raises(ValueError, match=r"needs the time of each interaction"):
        kind(half_life=7, user="who", item="what").fit(LOG)


@pytest.mark.parametrize("kind", CLASSES)
def test_other_values_than_true_and_false_are_refused(kind):
    model = kind(exclude_seen="yes", **COLUMNS).fit(LOG)
    with pytest.raises(ValueError, match="`exclude_seen` got"):
        model.recommend(["ann"], 1)


@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [1, 0, 4, 2, 3]])
def test_a_pair_counts_what_its_newest_row_does_in_any_order(order):
    model = PopularityRecommender(half_life="14D", weighting="binary", **COLUMNS)
    assert_allclose(
        model.fit(LOG.iloc[order]).interactions_.toarray(),
        [[0, 1, 1 / 2], [1 / 4, 1 / 2, 0]],
    )

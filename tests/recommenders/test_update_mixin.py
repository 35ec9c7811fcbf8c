"""`update`: what is served after it, also while it runs."""

import pickle

import numpy as np
import pandas as pd
import pytest

from sklearn_rank.metrics import make_recommender_scorer
from sklearn_rank.recommenders import (
    EASERecommender,
    ItemNeighborsRecommender,
    MatrixFactorizationRecommender,
    PopularityRecommender,
)

X = [("ann", "tea"), ("ann", "milk"), ("bob", "tea"), ("bob", "milk"), ("bob", "cake")]
X += [("eve", "milk"), ("eve", "cake"), ("kim", "tea"), ("kim", "jam"), ("lea", "rice")]
FRAME = pd.DataFrame(X, columns=["user", "item"])
DISLIKES = [("ann", "cake"), ("zoe", "milk"), ("ann", "gin")]
MODELS = [
    PopularityRecommender(),
    EASERecommender(1.0),
    ItemNeighborsRecommender(),
    MatrixFactorizationRecommender(),
]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("exclude_seen", [True, False])
def test_dislikes_are_excluded_for_their_users(model, exclude_seen):
    users, options = ["ann", "zoe", "bob"], {"k": 1, "exclude_seen": exclude_seen}
    exclude = {"ann": ["cake"], "zoe": ["milk"]}
    before = model.fit(X).predict(X)
    expected = model.recommend(users, exclude=exclude, **options).tolist()
    more = {user: [*exclude.get(user, []), "jam"] for user in users}
    with_more = model.recommend(users, exclude=more, **options).tolist()
    assert model.update(dislikes=DISLIKES) is model
    assert model.recommend(users, **options).tolist() == expected
    assert model.recommend(users, exclude=["jam"], **options).tolist() == with_more
    assert [model.recommend([user], **options).tolist()[0] for user in users] == expected
    table = model.rank(users, **options)
    assert not set(zip(table["query"], table["item"], strict=True)) & set(DISLIKES)
    assert (model.predict(X) == before).all()
    again = pickle.loads(pickle.dumps(model))
    assert again.recommend(users, **options).tolist() == expected


def test_dislikes_add_up_until_the_next_fit():
    model = PopularityRecommender().fit(X)
    model.update(dislikes=DISLIKES).update(dislikes=[("ann", "jam")])
    assert model.dislikes_ == {"ann": ("cake", "gin", "jam"), "zoe": ("milk",)}
    assert model.recommend(["ann"], k=1).tolist() == [["rice"]]
    assert model.fit(X).dislikes_ == {}


def test_scorers_do_not_show_what_is_disliked():
    model, held_out = PopularityRecommender().fit(X), [("ann", "cake")]
    score = make_recommender_scorer("hit_rate@1")
    assert score(model, held_out) == 1
    assert score(model.update(dislikes=DISLIKES), held_out) == 0


@pytest.mark.parametrize(
    "dislikes",
    [
        [("ann", "cake")],
        np.array([["ann", "cake"]]),
        FRAME[:0],
        pd.DataFrame({"note": [1], "item": ["cake"], "user": ["ann"]}),
        [],
    ],
)
@pytest.mark.parametrize("log", [FRAME, FRAME.assign(time=1)])
def test_dislikes_are_rows_of_user_and_item(dislikes, log):
    model = PopularityRecommender().fit(log).update(dislikes=dislikes)
    assert model.dislikes_ == ({"ann": ("cake",)} if len(dislikes) else {})


def test_columns_of_arrays_are_those_of_fit():
    swapped = [(item, user) for user, item in X]
    model = PopularityRecommender(user=1, item=0).fit(swapped)
    assert model.update(dislikes=[("cake", "ann")]).dislikes_ == {"ann": ("cake",)}
    wide = [(item, 0, user) for user, item in X]
    model = PopularityRecommender(user=2, item=0).fit(wide)
    assert model.update(dislikes=[("ann", "cake")]).dislikes_ == {"ann": ("cake",)}
    assert model.update(dislikes=[("jam", 0, "bob")]).dislikes_["bob"] == ("jam",)


@pytest.mark.parametrize(
    ("dislikes", "message"),
    [
        (None, "`update` needs `dislikes`"),
        ({"ann": ["tea"]}, r"`dislikes` must hold rows of \(user, item\), got {'ann'"),
        ([("ann", "tea", 1)], r"`dislikes` must hold rows of \(user, item\)"),
        ([(1, "tea")], r"users in dislikes` are of another type: 1 \(int\)"),
        ([("ann", 1)], r"items in dislikes` are of another type: 1 \(int\)"),
    ],
)
def test_what_is_no_dislike_is_refused_and_changes_nothing(dislikes, message):
    model = PopularityRecommender().fit(X).update(dislikes=DISLIKES)
    before = model.dislikes_
    with pytest.raises(TypeError, match=message):
        model.update(dislikes=dislikes)
    assert model.dislikes_ is before

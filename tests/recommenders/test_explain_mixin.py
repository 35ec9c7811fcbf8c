"""`explain`: its rows add up to what `predict` returns."""

import json

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from sklearn_rank.datasets import make_interactions
from sklearn_rank.recommenders import (
    EASERecommender,
    ItemNeighborsRecommender,
    MatrixFactorizationRecommender,
    PopularityRecommender,
    SLIMRecommender,
    UserNeighborsRecommender,
)

LOG = make_interactions(random_state=0, as_frame=True)
DECAY = {"half_life": "30D", "time": "time"}
RECENCY = {"recency": 3, "time": "time"}
X = [("ann", "tea"), ("ann", "milk"), ("bob", "tea"), ("bob", "milk"), ("bob", "cake")]


@pytest.mark.parametrize("options", [{}, {"weighting": "log"}, DECAY, RECENCY])
@pytest.mark.parametrize(
    "model", [EASERecommender, SLIMRecommender, ItemNeighborsRecommender]
)
def test_rows_add_up_to_what_predict_returns(model, options):
    model = model(**options).fit(LOG)
    rng = np.random.default_rng(0)
    users, items = rng.choice(model.users_, 30), rng.choice(model.items_, 30)
    pairs = pd.DataFrame({"user": users, "item": items})
    for (user, item), score in zip(pairs.to_numpy(), model.predict(pairs), strict=True):
        for n in (1, 5, 1000):
            found = model.explain(user, item, n)
            parts = found.contributions.sum() + found.rest
            assert_allclose(parts, score, rtol=1e-6, atol=1e-12)
            assert found.score == score
            assert_allclose(found.to_frame()["contribution"].sum(), score, atol=1e-12)


def test_each_row_is_weight_times_item_weight():
    model = EASERecommender(weighting="log").fit(LOG, np.arange(len(LOG)) % 7 + 1)
    user, item = 3, 11
    history = model.interactions_[[user]].toarray()[0]
    expected = history * model.item_weights_[:, item]
    found = model.explain(model.users_[user], model.items_[item], n=1000)
    place = np.searchsorted(model.items_, found.items)
    assert sorted(place) == np.flatnonzero(history).tolist()
    assert_allclose(found.weights, history[place])
    assert_allclose(found.contributions, expected[place], rtol=1e-5)
    assert (np.diff(np.abs(found.contributions)) <= 0).all()
    assert (found.rest, found.n_others) == (0, 0)


def test_what_is_not_shown_is_one_row():
    model = ItemNeighborsRecommender().fit(X)
    found = model.explain("ann", "cake", n=1)
    assert str(found).splitlines() == [
        "Why ann gets cake",
        "              weight  adds to the score",
        "milk               1            +0.7071",
        "1 other item                    +0.7071",
        "score                             1.414",
    ]
    assert found.to_frame()["item"].isna().tolist() == [False, True]
    assert json.loads(json.dumps(found.to_dict()))["n_others"] == 1
    assert (
        "&lt;b&gt;"
        in ItemNeighborsRecommender()
        .fit([*X, ("<b>", "tea")])
        .explain("<b>", "milk")
        ._repr_html_()
    )


def test_ids_are_those_of_the_log():
    model = ItemNeighborsRecommender().fit([[1, (2, "a")], [1, (3, "a")], [4, (2, "a")]])
    found = model.explain(1.0, (3, "a"))
    assert (found.user, found.item) == (1, (3, "a"))
    assert found.items.tolist() == [(2, "a"), (3, "a")]


def test_item_models_of_implicit_explain_too():
    pytest.importorskip("implicit")
    from implicit.als import AlternatingLeastSquares
    from implicit.nearest_neighbours import ItemItemRecommender

    from sklearn_rank.recommenders import ImplicitRecommender

    model = ImplicitRecommender(ItemItemRecommender(K=10)).fit(X)
    found = model.explain("ann", "cake", n=1)
    score = model.predict([("ann", "cake")])[0]
    assert_allclose(found.contributions.sum() + found.rest, score)
    with pytest.raises(TypeError, match="not sums over the items"):
        ImplicitRecommender(AlternatingLeastSquares(2)).fit(X).explain("ann", "cake")


@pytest.mark.parametrize(
    "model",
    [PopularityRecommender(), UserNeighborsRecommender(), MatrixFactorizationRecommender()],
)
def test_other_models_name_those_that_can(model):
    with pytest.raises(TypeError, match=r"not sums over the items .* EASERecommender"):
        model.fit(X).explain("ann", "cake")


def test_a_subclass_that_scores_otherwise_explains_nothing_false():
    class Squared(EASERecommender):
        def score_histories(self, histories):
            return super().score_histories(histories) ** 2

    with pytest.raises(TypeError, match="The scores of Squared are not sums"):
        Squared(1.0).fit(X).explain("ann", "cake")


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        (("kim", "tea"), r"`user` 'kim' was not in the data of `fit`.*`users_`"),
        (("ann", "rice"), r"`item` 'rice' was not in the data of `fit`.*`items_`"),
        ((1, "tea"), r"Ids in `user` are of another type: 1 \(int\)"),
    ],
)
def test_unknown_ids_are_errors(pair, message):
    with pytest.raises(ValueError, match=message):
        ItemNeighborsRecommender().fit(X).explain(*pair)


def test_the_number_of_rows_is_checked():
    with pytest.raises(ValueError, match="`n` must be an integer >= 1, got 0"):
        ItemNeighborsRecommender().fit(X).explain("ann", "tea", n=0)

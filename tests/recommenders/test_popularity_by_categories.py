"""PopularityRecommender with categories, against loops."""

import numpy as np
import pytest

from sklearn_rank.datasets import make_interactions
from sklearn_rank.recommenders import PopularityRecommender, load_model, save_model

LOG = make_interactions(60, 40, 500, random_state=0, as_frame=True)
CATEGORIES = {item: ["a", "b", "c"][item % 3] for item in range(0, 38)}
CATEGORIES[4] = ["a", "c"]  # half of each
CATEGORIES[39] = "z"


def shares(item):
    given = CATEGORIES.get(item, [])
    given = [given] if isinstance(given, str) else given
    return {name: 1 / len(given) for name in given}


def taste(items):
    total = {}
    for item in items:
        for name, share in shares(item).items():
            total[name] = total.get(name, 0) + share
    whole = sum(total.values())
    return {name: share / whole for name, share in total.items()} if whole else {}


@pytest.mark.parametrize("half_life", [None, "60D"])
def test_popularity_by_categories_is_that_of_loops(half_life, tmp_path):
    model = PopularityRecommender(categories=CATEGORIES, half_life=half_life, time="time")
    model.fit(LOG)
    items = model.items_.tolist()
    had = {
        u: {items[i] for i in model.seen_[[r]].indices} for r, u in enumerate(model.users_)
    }
    tastes = {user: taste(own) for user, own in had.items()}
    known = [one for one in tastes.values() if one]
    mean = {n: sum(one.get(n, 0) for one in known) / len(known) for n in "abcz"}
    scores = model.score_users(np.arange(len(model.users_)))
    for row, user in enumerate(model.users_):
        for place, item in enumerate(items):
            lift = sum(
                share * tastes[user].get(name, 0) / mean[name] if mean[name] else 0
                for name, share in shares(item).items()
            )
            expected = model.popularity_[place] * (lift if tastes[user] else 1)
            assert scores[row, place] == pytest.approx(expected, abs=1e-12)
    np.testing.assert_allclose(model.predict(LOG), _at(scores, model))
    lone = [38] if 38 in items else [items[0]]
    found = model.recommend_for_items([lone, [0, 3]], k=5)
    popular = PopularityRecommender(half_life=half_life, time="time").fit(LOG)
    if 38 in items:
        assert found[0].tolist() == popular.recommend_for_items([lone], k=5)[0].tolist()
    assert model.recommend([10**6], k=5).tolist() == (
        popular.recommend([10**6], k=5).tolist()
    )
    save_model(model, tmp_path / "model")
    again = load_model(tmp_path / "model")
    assert (again.recommend([0, 1], k=5) == model.recommend([0, 1], k=5)).all()


def _at(scores, model):
    rows = np.searchsorted(model.users_, LOG["user"])
    return scores[rows, np.searchsorted(model.items_, LOG["item"])]


def test_categories_of_no_item_are_an_error():
    with pytest.raises(ValueError, match="`categories` has none of the"):
        PopularityRecommender(categories={-1: "a"}).fit(LOG)

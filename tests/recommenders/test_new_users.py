"""`new_users=`: users of whom nothing is known get the lists of another recommender."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from sklearn_rank.metrics import make_recommender_scorer
from sklearn_rank.model_selection import TimeSplit
from sklearn_rank.recommenders import (
    EASERecommender,
    ItemNeighborsRecommender,
    MatrixFactorizationRecommender,
    PopularityRecommender,
    RepeatRecommender,
    SLIMRecommender,
    UserNeighborsRecommender,
    load_model,
    save_model,
)

LATELY = PopularityRecommender(half_life=20, time="at")
MODELS = [
    EASERecommender(),
    ItemNeighborsRecommender(),
    UserNeighborsRecommender(),
    SLIMRecommender(),
    MatrixFactorizationRecommender(),
    RepeatRecommender(time="at"),
]


@pytest.fixture
def log():
    draw = np.random.default_rng(3)
    return pd.DataFrame(
        {
            "at": np.arange(400),
            "who": [f"u{n}" for n in draw.integers(0, 40, 400)],
            "what": [f"i{n}" for n in (25 * draw.random(400) ** 2).astype(int)],
        }
    )


def _named(model, **params):
    return clone(model).set_params(user="who", item="what", **params)


@pytest.mark.parametrize("model", MODELS, ids=lambda one: type(one).__name__)
def test_unknown_users_get_what_the_other_recommender_says(model, log, tmp_path):
    lately = _named(LATELY).fit(log)
    plain, ours = _named(model).fit(log), _named(model, new_users=LATELY).fit(log)
    save_model(ours, tmp_path / "model.npz")
    ours = load_model(tmp_path / "model.npz")
    users = ["nobody", "u1", "somebody"]
    candidates = [
        {},
        {"items": [f"i{n}" for n in range(9)]},
        {"exclude": {"nobody": ["i0", "i1"]}},
    ]
    for allowed in candidates:
        found, scores = ours.recommend(users, 5, return_scores=True, **allowed)
        for row, other in enumerate((lately, plain, lately)):
            alone = ours.recommend(users[row : row + 1], 5, return_scores=True, **allowed)
            expected = other.recommend(
                users[row : row + 1], 5, return_scores=True, **allowed
            )
            assert found[row].tolist() == alone[0][0].tolist() == expected[0][0].tolist()
            np.testing.assert_allclose(scores[row], expected[1][0], rtol=1e-12)
    assert found[0].tolist() != plain.recommend(users, 5)[0].tolist()
    assert ours.rank(["nobody"], 3)["item"].tolist() == found[2, :3].tolist()
    lists = [[], ["i1"], ["new"]]
    by_items = ours.recommend_for_items(lists, 5).tolist()
    assert by_items[0] == by_items[2] == found[2].tolist()
    assert by_items[1] == plain.recommend_for_items(lists, 5)[1].tolist()
    pairs = pd.DataFrame(
        {"who": ["u1", "new", "new", "u1"], "what": ["i3", "i3", "x", "x"]}
    )
    expected = [plain.predict(pairs)[0], lately.predict(pairs)[1], 0, 0]
    np.testing.assert_allclose(ours.predict(pairs), expected, rtol=1e-12)


def test_it_is_cloned_and_knows_the_columns_and_the_time_of_the_model(log):
    other = PopularityRecommender(half_life=20)
    model = _named(EASERecommender(), new_users=other, time="at").fit(log)
    assert model.new_users is other
    assert not hasattr(other, "items_")
    assert (model.new_users_.user_column_, model.new_users_.time) == ("who", "at")
    fitted = _named(LATELY).fit(log)
    assert model.new_users_.popularity_.tolist() == fitted.popularity_.tolist()
    array = log[["who", "what", "at"]].to_numpy()
    by_place = EASERecommender(new_users=PopularityRecommender(half_life=20, time=2))
    by_place.fit(array)
    assert by_place.recommend(["?"], 5).tolist() == fitted.recommend(["?"], 5).tolist()
    assert EASERecommender().fit(array).new_users_ is None


def test_the_other_recommender_may_have_one_of_its_own(log):
    between = ItemNeighborsRecommender(new_users=LATELY)
    model = _named(EASERecommender(), new_users=between).fit(log)
    expected = _named(LATELY).fit(log).recommend(["?"], 5).tolist()
    assert model.recommend(["?"], 5).tolist() == expected


def test_a_search_tunes_it_with_the_scores_of_new_users(log):
    model = _named(EASERecommender(), new_users=LATELY)
    scorer = make_recommender_scorer("ndcg@10", user="who", item="what")
    half_lives = [1, 1000]
    later = log.assign(who="later " + log["who"])  # nobody is known before
    rows = pd.concat([log, later.assign(at=log["at"] + 400)], ignore_index=True)
    split = TimeSplit(1, test_size=400, time="at")
    search = GridSearchCV(
        model, {"new_users__half_life": half_lives}, scoring=scorer, cv=split
    ).fit(rows)
    for half_life, score in zip(
        half_lives, search.cv_results_["mean_test_score"], strict=True
    ):
        alone = _named(LATELY, half_life=half_life).fit(log)
        expected = scorer(alone, rows[400:])
        assert score == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("new_users", "error", "message"),
    [
        ("popular", ValueError, "Did you mean 'popularity'.*Or give a recommender"),
        (None, TypeError, "must be 'popularity' or a recommender.*got None"),
        (PopularityRecommender, TypeError, "got <class"),
        (
            PopularityRecommender(user="at"),
            ValueError,
            r"\('at', 'what'\), but EASERecommender in \('who', 'what'\); leave out",
        ),
        (PopularityRecommender(half_life=3), ValueError, "name its column of X"),
    ],
)
def test_what_is_none_is_named(new_users, error, message, log):
    model = _named(EASERecommender(), new_users=new_users)
    with pytest.raises(error, match=message):
        model.fit(log)

"""Scorers, cross-validation and pictures of what lists show."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from sklearn_rank.datasets import make_interactions
from sklearn_rank.inputs import from_item_lists
from sklearn_rank.metrics import (
    Catalogue,
    make_ranking_scorer,
    make_recommender_scorer,
    ranking_scores,
)
from sklearn_rank.model_selection import TimeSplit, cross_validate_per_query
from sklearn_rank.recommenders import ItemNeighborsRecommender, PopularityRecommender

COLUMNS = {"user": "user", "item": "item"}
LOG = make_interactions(80, 100, 1900, random_state=0, as_frame=True)
ITEMS = sorted(LOG["item"].unique())
RNG = np.random.default_rng(1)
FEATURES = {item: RNG.normal(size=4) for item in ITEMS}
CATEGORIES = {item: ["X", "Y", "Z"][place % 3] for place, item in enumerate(ITEMS)}
NAMES = ["ndcg@5", "novelty@5", "popularity@5", "ild@5", "calibration@5", "novel_share@5"]
NAMES += ["serendipity@5", "popularity_lift@5", "ild(distance='co_occurrence')@5"]
SPLIT = TimeSplit(2, test_size=0.2, time="time")


def expected_of(estimator, train, test):
    """Return the metrics of the lists, with the catalogue of the training rows."""
    users = test["user"].unique().tolist()
    items, scores = estimator.recommend(users, 5, return_scores=True)
    shown = {
        user: row[np.isfinite(score)].tolist()
        for user, row, score in zip(users, items, scores, strict=True)
    }
    relevant = test.groupby("user")["item"].agg(lambda of_user: set(of_user)).to_dict()
    catalogue = Catalogue.from_interactions(
        train.drop_duplicates(["user", "item"]), features=FEATURES, categories=CATEGORIES
    )
    rows = from_item_lists(relevant, shown, return_items=True)
    return ranking_scores(
        **rows, metrics=NAMES, catalogue=catalogue, replace_undefined_by=np.nan
    )


LOWER = ("popularity@5", "calibration@5", "popularity_lift@5")


@pytest.mark.parametrize("batch", [None, 60])
def test_the_catalogue_is_that_of_the_training_fold(batch, monkeypatch):
    if batch:
        path = "sklearn_rank.metrics._scorers._recommender_scorer._BATCH_CELLS"
        monkeypatch.setattr(path, batch)
    scorer = make_recommender_scorer(
        NAMES,
        **COLUMNS,
        features=FEATURES,
        categories=CATEGORIES,
        replace_undefined_by=np.nan,
    )
    found = cross_validate(
        ItemNeighborsRecommender(**COLUMNS),
        LOG,
        cv=SPLIT,
        scoring=scorer,
        return_estimator=True,
        return_indices=True,
        error_score="raise",
    )
    for fold, estimator in enumerate(found["estimator"]):
        train, test = (LOG.iloc[found["indices"][side][fold]] for side in ("train", "test"))
        expected = expected_of(estimator, train, test)
        for name, value in expected.items():
            key, sign = (f"neg_{name}", -1) if name in LOWER else (name, 1)
            assert found[f"test_{key}"][fold] == pytest.approx(sign * value, rel=1e-12)


def test_in_a_pipeline_and_by_name_alone():
    model = make_pipeline(FunctionTransformer(), PopularityRecommender(**COLUMNS)).fit(LOG)
    alone = make_recommender_scorer("novelty@5", **COLUMNS)(model, LOG)
    several = make_recommender_scorer(["novelty@5"], **COLUMNS)(model, LOG)
    assert several == {"novelty@5": alone}
    assert alone > 0


def test_values_of_users_in_cross_validation():
    names = ["ndcg@5", "novelty@5", "ild@5"]
    scorer = make_recommender_scorer(names, **COLUMNS, features=FEATURES)
    found = cross_validate_per_query(
        ItemNeighborsRecommender(**COLUMNS), LOG, cv=SPLIT, metrics=scorer
    )
    assert list(found.scores) == names
    assert np.isfinite(found.mean()["ild@5"])
    by_name = cross_validate_per_query(
        ItemNeighborsRecommender(**COLUMNS), LOG, cv=SPLIT, metrics=["novelty@5"], **COLUMNS
    )
    np.testing.assert_array_equal(by_name.scores["novelty@5"], found.scores["novelty@5"])


def test_a_search():
    search = GridSearchCV(
        ItemNeighborsRecommender(**COLUMNS),
        {"n_neighbors": [2, 20]},
        scoring=make_recommender_scorer(["ndcg@5", "novelty@5"], **COLUMNS),
        refit="novelty@5",
        cv=SPLIT,
        error_score="raise",
    ).fit(LOG)
    assert search.best_score_ == max(search.cv_results_["mean_test_novelty@5"])


class Bare:
    """An estimator that recommends and tells nothing of what it was fitted to."""

    def recommend(self, users, k):
        return np.tile(ITEMS[:k], (len(users), 1))


def test_an_estimator_that_tells_nothing_needs_a_catalogue():
    scorer = make_recommender_scorer("novelty@5", **COLUMNS)
    with pytest.raises(ValueError, match="`items_` and `seen_` of Bare do not give"):
        scorer(Bare(), LOG)
    catalogue = Catalogue.from_interactions(LOG)
    scorer = make_recommender_scorer(
        ["novelty@5", "novel_share@5", "popularity_lift@5"], **COLUMNS, catalogue=catalogue
    )
    found = scorer(Bare(), LOG)
    shares = catalogue.popularity[:5] / catalogue.n_users
    assert found["novelty@5"] == pytest.approx(-np.log2(shares).mean())
    had = catalogue.history[:, :5].toarray()
    assert found["novel_share@5"] == pytest.approx(1 - had.mean())


def test_what_a_catalogue_has_stands_before_what_the_estimator_tells():
    model = PopularityRecommender(**COLUMNS).fit(LOG)
    popularity = dict.fromkeys(ITEMS, 1)
    scorer = make_recommender_scorer(
        "novelty@5", **COLUMNS, catalogue=Catalogue(popularity=popularity, n_users=8)
    )
    assert scorer(model, LOG) == 3
    history = dict.fromkeys(LOG["user"].unique(), ITEMS)
    scorer = make_recommender_scorer(
        "novel_share@5", **COLUMNS, catalogue=Catalogue(history=history)
    )
    assert scorer(model, LOG) == 0
    popular = Catalogue(popularity=dict.fromkeys(ITEMS, 1000))
    scorer = make_recommender_scorer("novelty@5", **COLUMNS, catalogue=popular)
    with pytest.raises(ValueError, match=r"number of users, which .* do not give"):
        scorer(model, LOG)


def test_expected_items_are_those_of_users_by_id():
    model = PopularityRecommender(**COLUMNS).fit(LOG)
    rarest = LOG["item"].value_counts().index[-1]  # no list has it
    for expects, share in ((ITEMS, 0), ([rarest], 1)):
        reference = dict.fromkeys(LOG["user"].unique(), expects)
        scorer = make_recommender_scorer(
            "unexpectedness@5", **COLUMNS, catalogue=Catalogue(reference=reference)
        )
        assert scorer(model, LOG) == share
    by_place = Catalogue(reference=np.ones((2, len(ITEMS))))
    with pytest.raises(ValueError, match="needs ids; give Catalogue `items` and `users`"):
        make_recommender_scorer("unexpectedness@5", **COLUMNS, catalogue=by_place)


def test_what_no_recommender_tells_is_asked_for_at_once():
    with pytest.raises(ValueError, match=r"needs the features .* `features=` or"):
        make_recommender_scorer(["ndcg@5", "ild@5"], **COLUMNS)
    with pytest.raises(ValueError, match=r"needs the categories .* `categories=` or"):
        make_recommender_scorer("calibration@5", **COLUMNS)
    with pytest.raises(ValueError, match="`features` needs the id of each item"):
        make_recommender_scorer("ild@5", **COLUMNS, features=np.eye(3))
    catalogue = Catalogue(features=FEATURES)
    with pytest.raises(ValueError, match=r"`features` is given, and `catalogue` has it"):
        make_recommender_scorer("ild@5", features=FEATURES, catalogue=catalogue)
    with pytest.raises(TypeError, match="`catalogue` must be a Catalogue"):
        make_recommender_scorer("novelty@5", catalogue=5)
    with pytest.raises(ValueError, match="'mean_value@5' needs `values` of each row"):
        make_recommender_scorer("mean_value@5")


def test_features_that_lack_an_item_of_the_fold():
    scorer = make_recommender_scorer(
        "ild@5", **COLUMNS, features={item: FEATURES[item] for item in ITEMS[1:]}
    )
    with pytest.raises(ValueError, match="`features` does not cover the catalogue: 1 of"):
        scorer(PopularityRecommender(**COLUMNS).fit(LOG), LOG)


def test_distances_and_a_scorer_print():
    scorer = make_recommender_scorer(
        "ild@5", **COLUMNS, distance=lambda one, other: 2.0, categories=CATEGORIES
    )
    assert scorer(PopularityRecommender(**COLUMNS).fit(LOG), LOG) == 2
    text = repr(make_recommender_scorer("novelty@5", catalogue=Catalogue(n_users=3)))
    assert text == (
        "make_recommender_scorer('novelty@5', catalogue=Catalogue(0 items, 3 users: "
        "nothing))"
    )


def test_tables_are_printed_in_brief():
    frame = pd.DataFrame.from_dict(FEATURES, orient="index")
    for features in (frame, FEATURES):
        text = repr(make_recommender_scorer("ild@5", features=features))
        assert text.startswith("make_recommender_scorer('ild@5', features=")
        assert len(text) < 200
        assert "\n" not in text


def test_parts_go_into_a_catalogue():
    text = r"has no parameter 'popularity'.*catalogue=Catalogue\(\w+=...\)"
    with pytest.raises(TypeError, match=text):
        make_ranking_scorer("novelty@5", popularity={1: 2})
    with pytest.raises(TypeError, match=text):
        make_recommender_scorer("novelty@5", popularity={1: 2})
    with pytest.raises(TypeError, match=text):
        ranking_scores([1], [1], groups=[1], metrics="novelty", popularity={1: 2})


def test_a_ranking_scorer_takes_items_from_a_column():
    class Model:
        def predict(self, X):
            return X[:, 2]

    X = np.array([[0, 7, 2.0], [0, 8, 1.0], [1, 7, 1.0], [1, 9, 3.0]])
    catalogue = Catalogue(popularity={7: 4, 8: 2, 9: 1}, n_users=4)
    with pytest.raises(ValueError, match="'novelty@1' needs the number of users"):
        make_ranking_scorer("novelty@1", groups=0, items=1)
    scorer = make_ranking_scorer("novelty@1", groups=0, items=1, catalogue=catalogue)
    assert scorer(Model(), X, [0, 1, 0, 1]) == (0 + 2) / 2
    assert "catalogue=Catalogue(3 items, 4 users: popularity)" in repr(scorer)
    lower = make_ranking_scorer("popularity@1", groups=0, items=1, catalogue=catalogue)
    assert lower(Model(), X, [0, 1, 0, 1]) == -2.5

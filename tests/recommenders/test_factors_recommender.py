import numpy as np
import pytest
from sklearn.base import clone

from sklearn_rank.datasets import make_interactions
from sklearn_rank.recommenders import FactorsRecommender, MatrixFactorizationRecommender

pd = pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def fitted():
    log = make_interactions(200, 60, 1500, as_frame=True, random_state=0)
    return log, MatrixFactorizationRecommender().fit(log)


def by_id(ids, factors):
    order = np.random.default_rng(0).permutation(len(ids))
    return pd.DataFrame(factors[order], index=ids[order])


FORMS = {
    "frame": lambda frame: frame,
    "vectors": lambda frame: pd.Series(frame.to_numpy().tolist(), index=frame.index),
    "mapping": lambda frame: dict(zip(frame.index, frame.to_numpy(), strict=True)),
}


@pytest.mark.parametrize("form", FORMS)
def test_lists_and_scores_are_those_of_the_model_that_fitted_them(fitted, form):
    log, model = fitted
    factors = [
        FORMS[form](by_id(model.users_, model.user_factors_)),
        FORMS[form](by_id(model.items_, model.item_factors_)),
    ]
    recommender = clone(FactorsRecommender(*factors)).fit(log)
    users = [*model.users_, "nobody"] if model.users_.dtype.kind in "OU" else model.users_
    for k, given in (
        (5, {}),
        (7, {"exclude_seen": False}),
        (3, {"items": model.items_[:30]}),
    ):
        one = recommender.recommend(users, k, **given, return_scores=True)
        other = model.recommend(users, k, **given, return_scores=True)
        np.testing.assert_array_equal(one[0], other[0])
        # The factors lie otherwise in memory, so a BLAS may round the last bit otherwise.
        np.testing.assert_allclose(one[1], other[1], rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(
        recommender.predict(log), model.predict(log), rtol=1e-12, atol=1e-14
    )
    np.testing.assert_array_equal(
        recommender.similar_items(model.items_[:3]), model.similar_items(model.items_[:3])
    )


def test_a_user_without_factors_gets_what_is_popular():
    log = [["ann", "tea"], ["bob", "tea"], ["bob", "jam"], ["eve", "nut"]]
    items = {"tea": [1.0], "jam": [2.0], "nut": [3.0]}
    model = FactorsRecommender({"ann": [1.0], "bob": [-1.0]}, items).fit(log)
    assert model.recommend(["eve"], k=2).tolist() == [["tea", "jam"]]
    assert model.recommend(["ann"], k=2).tolist() == [["nut", "jam"]]


@pytest.mark.parametrize(
    ("users", "items", "error", "message"),
    [
        ({"a": [1.0]}, {"x": [1.0]}, ValueError, r"1 of 2 item\(s\) of X are not in"),
        ({"a": [1.0]}, {"x": [1.0, 2], "y": [1.0, 2]}, ValueError, "have 1 numbers each"),
        ({"a": [1.0]}, {"x": [1.0], "y": [1.0, 2]}, ValueError, "vectors of one length"),
        ({"a": 1.0}, {"x": [1.0], "y": [1.0]}, ValueError, "vectors of one length"),
        ({"a": ["1"]}, {"x": [1.0], "y": [1.0]}, ValueError, "must hold numbers"),
        ({"a": [np.nan]}, {"x": [1.0], "y": [1.0]}, ValueError, "must be finite|NaN"),
        ([[1.0]], {"x": [1.0], "y": [1.0]}, TypeError, "of vectors by id"),
        (
            pd.Series([[1.0], [2.0]], index=["a", "a"]),
            {"x": [1.0], "y": [1.0]},
            ValueError,
            "an id more than once",
        ),
    ],
)
def test_factors_that_do_not_fit(users, items, error, message):
    with pytest.raises(error, match=message):
        FactorsRecommender(users, items).fit([["a", "x"], ["a", "y"]])


def test_histories_are_refused():
    model = FactorsRecommender({"a": [1.0]}, {"x": [1.0]}).fit([["a", "x"]])
    with pytest.raises(TypeError, match="cannot score users by their items"):
        model.recommend_for_items([["x"]], k=1)

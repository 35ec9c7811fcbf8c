"""ColdStartRecommender against scikit-learn's Ridge, one user after another."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV

from sklearn_rank.metrics import make_recommender_scorer
from sklearn_rank.model_selection import TimeSplit
from sklearn_rank.recommenders import (
    ColdStartRecommender,
    EASERecommender,
    FeatureTable,
    ItemNeighborsRecommender,
    MatrixFactorizationRecommender,
    PopularityRecommender,
    RepeatRecommender,
    RerankingRecommender,
    UserNeighborsRecommender,
    load_model,
    save_model,
)

RNG = np.random.default_rng(0)
USERS = np.array([f"u{n:02}" for n in range(30)])
ITEMS = np.array([f"i{n:02}" for n in range(20)])
SHELF = np.array(["a0", "i07b", "z1"])  # among, before and after those of the log
N_ROWS = 220
LOG = pd.DataFrame(
    {
        "user": USERS[RNG.integers(30, size=N_ROWS)],
        "item": ITEMS[RNG.integers(20, size=N_ROWS)],
        "time": np.arange(N_ROWS),
    }
)
KINDS = pd.DataFrame(
    {
        "item": [*ITEMS[1:], *SHELF],
        "kind": RNG.choice(["x", "y"], 22),
        "price": np.where(RNG.random(22) < 0.2, np.nan, RNG.gamma(2.0, 10.0, 22)),
        "same": 0.1,
    }
)
TABLE = FeatureTable(KINDS, id="item")
PEOPLE = FeatureTable(
    pd.DataFrame(
        {
            "who": [*USERS[:25], "new1", "new2"],
            "sex": RNG.choice(["f", "m"], 27),
            "age": RNG.integers(18, 80, 27),
        }
    ),
    id="who",
)
INNER = [
    EASERecommender(5.0),
    ItemNeighborsRecommender(6, similarity="walk", weighting="sum"),
    UserNeighborsRecommender(5),
    MatrixFactorizationRecommender(),
    PopularityRecommender(half_life=50, time="time"),
    RepeatRecommender(time="time"),
]


def features_by_loop(table, ids, known):
    """Return standardized features of ids, one column and row after another."""
    values = dict(zip(table._ids, table._values, strict=True))
    matrix = np.zeros((len(ids), table._values.shape[1]))
    for column in range(matrix.shape[1]):
        own = [values[one][column] for one in known if one in values]
        own = [one for one in own if not np.isnan(one)]
        every = [row[column] for row in values.values() if not np.isnan(row[column])]
        is_flag = set(every) <= {0.0, 1.0}
        for row, one in enumerate(ids):
            value = values.get(one, matrix[0] * np.nan)[column]
            if np.isnan(value):
                continue
            if is_flag:
                matrix[row, column] = value
            elif np.std(own) > 1e-9:
                matrix[row, column] = (value - np.mean(own)) / np.std(own)
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return matrix / np.where(lengths > 0, lengths, 1)


@pytest.mark.parametrize("inner", INNER)
def test_cold_scores_are_those_of_a_ridge_regression_for_each_user(inner):
    model = ColdStartRecommender(inner, TABLE).fit(LOG)
    warm_model = inner.fit(LOG)
    assert model.items_.tolist() == sorted([*warm_model.items_, *SHELF])
    assert model.items_[model.is_cold_].tolist() == sorted(SHELF)
    users = np.arange(len(model.users_))
    scores, warm = model.score_users(users), warm_model.score_users(users)
    warm = warm.toarray() if sparse.issparse(warm) else warm
    assert (scores[:, ~model.is_cold_] == warm).all()
    features = features_by_loop(TABLE, model.items_, warm_model.items_)
    for user in users:
        ridge = Ridge(10.0, fit_intercept=False)
        ridge.fit(features[~model.is_cold_], warm[user])
        expected = ridge.predict(features[model.is_cold_])
        np.testing.assert_allclose(scores[user][model.is_cold_], expected, atol=1e-8)
    pairs = pd.DataFrame({"user": ["u03", "u04"], "item": ["z1", "i03"], "time": 0})
    at = [np.flatnonzero(model.items_ == item)[0] for item in pairs["item"]]
    rows = [np.flatnonzero(model.users_ == user)[0] for user in pairs["user"]]
    np.testing.assert_allclose(model.predict(pairs), scores[rows, at])


def test_new_users_of_the_table_get_a_regression_of_what_users_have():
    model = ColdStartRecommender(EASERecommender(5.0), TABLE, PEOPLE, regularization=3.0)
    model.fit(LOG)
    inner = EASERecommender(5.0).fit(LOG)
    features = features_by_loop(PEOPLE, model.users_, inner.users_)
    is_new = np.isin(model.users_, ["new1", "new2"])
    assert model.seen_[is_new].nnz == 0
    targets = inner.interactions_.toarray() - inner.popularity_
    ridge = Ridge(30.0, fit_intercept=False).fit(features[~is_new], targets)
    expected = inner.popularity_ + ridge.predict(features[is_new])
    scores = model.score_users(np.flatnonzero(is_new))
    np.testing.assert_allclose(scores[:, ~model.is_cold_], expected, atol=1e-8)
    assert (scores[:, model.is_cold_] != 0).all()
    found = model.recommend(["new1", "new2", "nobody"], k=23)
    best = scores[0].argsort()[::-1]
    assert found[0].tolist()[:5] == model.items_[best[:5]].tolist()
    # Others get what is popular, and cold items last.
    assert set(found[2, -3:]) == set(SHELF)
    assert found[2, :20].tolist() == inner.recommend(["nobody"], k=20)[0].tolist()
    explained = model.explain("new1", "i03")
    assert len(explained.items) == 0
    assert explained.rest == pytest.approx(explained.score)
    alone = ColdStartRecommender(EASERecommender(5.0), None, PEOPLE, regularization=3.0)
    users_alone = alone.fit(LOG).score_users(np.flatnonzero(is_new))
    np.testing.assert_allclose(users_alone, expected, atol=1e-8)
    assert not alone.is_cold_.any()


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.coo_array, np.asarray, list])
def test_a_matrix_gives_what_a_table_gives(form):
    flags = KINDS.assign(price=KINDS["price"].isna())[["item", "kind", "price"]]
    table = FeatureTable(flags, id="item")
    expected = ColdStartRecommender(EASERecommender(5.0), table).fit(LOG)
    given = (KINDS["item"], form(table._values))
    model = ColdStartRecommender(EASERecommender(5.0), given).fit(LOG)
    parts = [(KINDS["item"], form(table._values[:, [column]])) for column in range(3)]
    split = ColdStartRecommender(EASERecommender(5.0), parts, given[:0] or None).fit(LOG)
    users = np.arange(5)
    for one in (model, split):
        np.testing.assert_allclose(one.score_users(users), expected.score_users(users))
    mixed = [FeatureTable(flags[["item", "kind"]], id="item"), parts[2]]
    found = ColdStartRecommender(EASERecommender(5.0), mixed).fit(LOG).score_users(users)
    np.testing.assert_allclose(found, expected.score_users(users))


def test_columns_of_a_sparse_matrix_are_divided_by_their_deviation():
    values = np.column_stack([RNG.poisson(1.0, 23) * 3.0, np.full(23, 7.0)])
    ids = [*ITEMS, *SHELF]
    model = ColdStartRecommender(EASERecommender(5.0), (ids, sparse.csr_array(values)))
    model.fit(LOG)
    column = values[:, 0] / values[:20, 0].std()
    expected = (column > 0) * 1.0  # rows of one feature, of length 1
    order = np.argsort(ids)
    is_cold = model.is_cold_
    assert (
        model._cold_features.toarray()[:, 0].tolist() == expected[order][is_cold].tolist()
    )


def test_lists_by_items_leave_out_cold_items_of_the_user():
    model = ColdStartRecommender(EASERecommender(5.0), TABLE).fit(LOG)
    inner = EASERecommender(5.0).fit(LOG)
    lists = [["i03", "z1", "i05"], ["i03", "i05"], ["z1"], ["unheard"]]
    found = model.recommend_for_items(lists, k=20)
    assert "z1" not in found[0]
    warm = [item for item in found[1] if item not in SHELF]
    assert warm[:10] == inner.recommend_for_items([lists[1]], k=10)[0].tolist()
    scores = model.recommend_for_items(lists[:2], k=19, return_scores=True)
    without = model.recommend_for_items(lists[:2], k=19, exclude=["z1"], return_scores=True)
    assert (scores[0][0] == without[0][0]).all()
    np.testing.assert_array_equal(scores[1][0], without[1][0])
    popular = model.recommend(["nobody"], k=20)[0].tolist()
    assert found[2].tolist() == found[3].tolist() == popular
    assert model.recommend(["u03"], items=list(SHELF), k=3).shape == (1, 3)


@pytest.mark.parametrize("inner", [INNER[0], INNER[1], INNER[5]])
def test_explanations_add_up(inner):
    model = ColdStartRecommender(inner, TABLE).fit(LOG)
    own = inner.fit(LOG).explain("u03", "i05", n=50)
    found = model.explain("u03", "i05", n=50)
    assert found.items.tolist() == own.items.tolist()
    np.testing.assert_allclose(found.contributions, own.contributions)
    if inner is INNER[5]:
        with pytest.raises(TypeError, match="The scores of RepeatRecommender are not sums"):
            model.explain("u03", "z1")
        return
    cold = model.explain("u03", "z1", n=50)
    assert set(cold.items) == set(LOG["item"][LOG["user"] == "u03"])
    assert cold.contributions.sum() == pytest.approx(cold.score)
    assert cold.score == pytest.approx(model.predict(_pair("u03", "z1"))[0])


def _pair(user, item, time=0):
    return pd.DataFrame({"user": [user], "item": [item], "time": [time]})


@pytest.mark.parametrize("inner", INNER)
def test_an_update_makes_rows_of_cold_items_seen(inner, tmp_path, recwarn):
    model = ColdStartRecommender(inner, TABLE, PEOPLE).fit(LOG)
    before = model.score_users(np.arange(len(model.users_)))
    old_users = model.users_
    rows = [_pair("u03", "z1", 225), _pair("a new one", "z1", 225)]
    rows += [_pair("new1", "i03", 225), _pair("another", "i05", 225)]
    model.update(pd.concat(rows))
    assert not recwarn.list
    assert model.users_.tolist() == sorted({*old_users, "a new one", "another"})
    has = {
        user: set(model.items_[model.seen_[[row]].indices])
        for row, user in enumerate(model.users_)
    }
    for user in USERS:
        bought = set(LOG["item"][LOG["user"] == user])
        assert has.get(user, set()) == bought | ({"z1"} if user == "u03" else set())
    assert has["a new one"] == {"z1"}
    assert has["new1"] == {"i03"}
    assert "z1" not in model.recommend(["u03"], k=15)
    is_same = np.isin(model.users_, [*USERS[:3], *USERS[4:25]])
    if not isinstance(inner, PopularityRecommender | RepeatRecommender):
        after = model.score_users(np.flatnonzero(is_same))
        of_before = before[np.isin(old_users, model.users_[is_same])]
        if not isinstance(inner, UserNeighborsRecommender):
            np.testing.assert_allclose(after, of_before, atol=1e-9)
    model.update(_pair("another", "a0", 226)).update(dislikes=[("u03", "a0")])
    assert model.seen_[:, model.items_ == "z1"].sum() == 2
    with pytest.warns(UserWarning, match="1 of 1 row"):
        model.update(_pair("u03", "unheard", 227))
    save_model(model, tmp_path / "model.npz")
    again = load_model(tmp_path / "model.npz")
    assert (
        again.recommend(model.users_, k=5).tolist()
        == model.recommend(model.users_, k=5).tolist()
    )
    assert (
        again.recommend(["nobody"], k=20).tolist()
        == model.recommend(["nobody"], k=20).tolist()
    )


def test_a_search_tunes_the_recommender_inside():
    search = GridSearchCV(
        ColdStartRecommender(EASERecommender(), TABLE),
        {"recommender__regularization": [1, 100], "regularization": [1, 10]},
        scoring=make_recommender_scorer("ndcg@5"),
        cv=TimeSplit(2, time="time", seen_items="drop"),
    ).fit(LOG)
    assert 0 < search.best_score_ < 1
    assert search.best_estimator_.recommend(["u03"], k=3).shape == (1, 3)
    wrapped = RerankingRecommender(
        ColdStartRecommender(EASERecommender(), TABLE), "popularity", strength=0
    ).fit(LOG)
    assert wrapped.recommend(["u03"], k=3).shape == (1, 3)


def test_names_in_the_table_alone_need_no_popular_items(recwarn):
    model = ColdStartRecommender(EASERecommender(), None, PEOPLE).fit(LOG)
    assert not recwarn.list
    with pytest.raises(TypeError, match="cannot do without users"):
        model.without_users()


BAD = [
    ({"item_features": None}, ValueError, "Features are missing"),
    ({"recommender": "ease"}, TypeError, "`recommender` must be a recommender"),
    (
        {"recommender": RerankingRecommender(EASERecommender(), "popularity")},
        TypeError,
        "the other way round",
    ),
    ({"regularization": 0}, ValueError, "`regularization` must be a number > 0"),
    ({"item_features": KINDS}, TypeError, "must be a FeatureTable"),
    ({"item_features": [TABLE, None]}, TypeError, "must be a FeatureTable.* got None"),
    ({"item_features": (["q1"], [[1.0]])}, ValueError, "None of the ids in `item_feat"),
    ({"item_features": (["i01", "i01"], [[1], [0]])}, ValueError, "repeats an id, 'i01'"),
    ({"item_features": (["i01"], [[1], [0]])}, ValueError, "a row for each of the 1 ids"),
    ({"item_features": (["i01"], [[np.inf]])}, ValueError, "`item_features`"),
    (
        {"item_features": (ITEMS, sparse.csr_array((20, 5_001)))},
        ValueError,
        "5,001 features, more than 5,000",
    ),
    (
        {"item_features": FeatureTable(KINDS.assign(at=1), id="item", time="at")},
        ValueError,
        "FeatureTable with `time`",
    ),
]


@pytest.mark.parametrize(("options", "error", "message"), BAD)
def test_bad_input_is_named(options, error, message):
    given = {"recommender": EASERecommender(), "item_features": TABLE} | options
    with pytest.raises(error, match=message):
        ColdStartRecommender(**given).fit(LOG)


def test_a_table_of_few_items_is_suspicious():
    table = (["i01", "i02", "new"], [[1, 0], [0, 1], [1, 1]])
    with pytest.warns(UserWarning, match="`item_features` has only 2 of 20 ids"):
        ColdStartRecommender(EASERecommender(), table).fit(LOG)

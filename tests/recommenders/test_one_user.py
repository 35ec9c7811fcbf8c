"""A list for one user, or for one list of items, is the one that a batch returns."""

import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, is_dataclass

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.linear_model import Ridge

from sklearn_rank.rankers import GroupRanker
from sklearn_rank.recommenders import (
    EASERecommender,
    ImplicitRecommender,
    ItemNeighborsRecommender,
    MatrixFactorizationRecommender,
    PopularityRecommender,
    RecommenderMixin,
    RepeatRecommender,
    RerankingRecommender,
    SLIMRecommender,
    TwoStageRecommender,
    UserNeighborsRecommender,
)


class Signed(RecommenderMixin, BaseEstimator):
    """Scores of both signs with many ties, dense or sparse."""

    def __init__(self, is_sparse=False):
        self.is_sparse = is_sparse

    def fit_interactions(self, interactions):
        n_items = interactions.shape[1]
        draw = np.random.default_rng(0)
        self.weights_ = draw.integers(-1, 2, (n_items, n_items)).astype(float)
        self.weights_[:, ::3] = 0

    def score_histories(self, histories):
        scores = histories @ self.weights_
        return sparse.csr_array(scores) if self.is_sparse else scores


N_ITEMS = 90
# Those whose scores do not depend, in their last digits, on the number of users.
ROW_BY_ROW = {
    "popularity": PopularityRecommender(),
    "item neighbors": ItemNeighborsRecommender(5),
    "item neighbors, sums": ItemNeighborsRecommender(3, weighting="sum"),
    "walk": ItemNeighborsRecommender(5, similarity="walk", keep="candidate"),
    "for themselves": ItemNeighborsRecommender(5, self_weight=True, exclude_seen=False),
    "user neighbors": UserNeighborsRecommender(4),
    "ease": EASERecommender(1.0),
    "slim": SLIMRecommender(),
    "repeats": RepeatRecommender(time=2),
    "item neighbors, newest first": ItemNeighborsRecommender(5, recency=3, time=2),
    "ease, newest first": EASERecommender(1.0, recency=3, time=2),
    "lately": EASERecommender(1.0, half_life=50, time=2),
    "dense, both signs": Signed(),
    "sparse, both signs": Signed(is_sparse=True),
}
TWO_STAGES = TwoStageRecommender(
    [("popular", PopularityRecommender()), ("near", ItemNeighborsRecommender(5))],
    GroupRanker(Ridge()),
    time=2,
    n_candidates=N_ITEMS,
    label_window=100,
    n_windows=2,
)
RERANKED = RerankingRecommender(ItemNeighborsRecommender(5), "popularity")
MODELS = ROW_BY_ROW | {"factors": MatrixFactorizationRecommender()}
SHORTCUTS = ("_top_k", "_lists")


def _log():
    draw = np.random.default_rng(7)
    n_rows = 800
    user = draw.integers(0, 60, n_rows)
    item = (N_ITEMS * draw.random(n_rows) ** 2).astype(int)
    item[:N_ITEMS] = np.arange(N_ITEMS)  # each once
    user[N_ITEMS : 2 * N_ITEMS], item[N_ITEMS : 2 * N_ITEMS] = 60, np.arange(N_ITEMS)
    return np.column_stack([user, item, np.arange(n_rows)])


def _fitted(name, text=False):
    X = _log()
    y = np.random.default_rng(0).integers(0, 3, len(X)) if "neighbors" in name else None
    if text:
        user, item, _ = X.T.tolist()
        X = X.astype(object)
        X[:, 0], X[:, 1] = [f"u{u}" for u in user], [f"i{i}" for i in item]
    return MODELS[name].fit(X, y)


def _called(method, *args, **kwargs):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ids = method(*args, **kwargs)
        found, scores = method(*args, **kwargs, return_scores=True)
    assert (ids == found).all()
    return found, scores, [str(one.message)[4:] for one in caught]


@pytest.mark.parametrize("k", [1, 10, N_ITEMS])
@pytest.mark.parametrize("exclude_seen", [True, False])
@pytest.mark.parametrize("name", MODELS)
def test_one_user_gets_the_list_of_a_batch(name, exclude_seen, k, monkeypatch):
    model = _fitted(name, text=exclude_seen)
    users = [*model.users_.tolist(), "nobody" if exclude_seen else -1]
    asked = {"k": k, "exclude_seen": exclude_seen}
    alone = [_called(model.recommend, [user], **asked) for user in users]
    if name in ROW_BY_ROW:
        found, scores, _ = _called(model.recommend, users, **asked)
        assert found.tolist() == [one[0][0].tolist() for one in alone]
        assert scores.tobytes() == np.concatenate([one[1] for one in alone]).tobytes()
        assert [one[2] != [] for one in alone] == np.isinf(scores[:, -1]).tolist()
    for module in SHORTCUTS:
        monkeypatch.setattr(
            f"sklearn_rank.recommenders.{module}.top_k_of_row", lambda *_: None
        )
    for user, (found, scores, caught) in zip(users, alone, strict=True):
        again = _called(model.recommend, [user], **asked)
        assert found.tolist() == again[0].tolist()
        assert scores.tobytes() == again[1].tobytes()
        assert caught == again[2]


@pytest.mark.filterwarnings("ignore:Method expects CSR input")  # of implicit
@pytest.mark.parametrize("kind", ["two stages", "re-ranked", "implicit"])
def test_one_user_gets_the_list_of_a_batch_of_what_others_made(kind):
    if kind == "implicit":
        library = pytest.importorskip("implicit.nearest_neighbours")
        model = ImplicitRecommender(library.CosineRecommender(K=5)).fit(_log())
    else:
        model = {"two stages": TWO_STAGES, "re-ranked": RERANKED}[kind].fit(_log())
    users = [*model.users_.tolist(), -1]
    found, scores, _ = _called(model.recommend, users, 8)
    for row, user in enumerate(users):
        alone = _called(model.recommend, [user], 8)
        assert alone[0].tolist() == found[[row]].tolist()
        np.testing.assert_allclose(alone[1], scores[[row]], rtol=1e-12)


@pytest.mark.parametrize("exclude_seen", [True, False])
@pytest.mark.parametrize("name", ROW_BY_ROW)
def test_one_list_of_items_gets_the_list_of_a_batch(name, exclude_seen):
    model = _fitted(name)
    items = model.items_.tolist()
    given = [items[:3], [], [-5], [items[4], -5, items[4]], items]
    if getattr(model, "recency", None) is None:
        given += [{items[8]: 2.5, items[2]: 1}, {items[1]: 0}]
    asked = {"exclude_seen": exclude_seen}
    found, scores, _ = _called(model.recommend_for_items, given, **asked)
    for row, one in enumerate(given):
        alone = _called(model.recommend_for_items, [one], **asked)
        assert alone[0].tolist() == found[[row]].tolist()
        assert alone[1].tobytes() == scores[[row]].tobytes()


@pytest.mark.parametrize("name", ROW_BY_ROW)
def test_one_user_with_candidates_gets_the_list_of_a_batch(name):
    model = _fitted(name)
    users, items = model.users_[:9].tolist(), model.items_.tolist()
    some = items[5:50:2]
    allowed = [
        {"items": some},
        {"exclude": some},
        {"items": dict.fromkeys(users, some)},
        {"exclude": dict.fromkeys(users, some)},
    ]
    for candidates in allowed:
        found, scores, _ = _called(model.recommend, users, 8, **candidates)
        for row, user in enumerate(users):
            alone = _called(model.recommend, [user], 8, **candidates)
            assert alone[0].tolist() == found[[row]].tolist()
            assert alone[1].tobytes() == scores[[row]].tobytes()


def without_caches(value):
    """Return what a model knows, less what its records derive from their fields."""
    if is_dataclass(value):
        names = [field.name for field in fields(value)]
        return {name: without_caches(getattr(value, name)) for name in names}
    if isinstance(value, BaseEstimator):
        return {name: without_caches(of_model) for name, of_model in vars(value).items()}
    if isinstance(value, list | tuple):
        return [without_caches(one) for one in value]
    return value


@pytest.mark.parametrize("name", MODELS)
def test_threads_share_a_model_which_prediction_does_not_change(name):
    model = _fitted(name, text=True)
    before = dict(vars(model))
    saved = pickle.dumps(without_caches(model))
    users = np.tile(model.users_, 8).tolist()

    def list_of(user):
        found, scores = model.recommend([user], 5, return_scores=True)
        return found.tolist(), scores.tolist()

    expected = [list_of(user) for user in users]
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(list_of, users)) == expected
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[name] is value for name, value in before.items())
    assert pickle.dumps(without_caches(model)) == saved

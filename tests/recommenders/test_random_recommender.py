"""RandomRecommender, against the permutations that it promises."""

import numpy as np
import pytest

from sklearn_rank.datasets import make_interactions
from sklearn_rank.recommenders import RandomRecommender, load_model, save_model

LOG = make_interactions(60, 40, 500, random_state=0, as_frame=True)


def test_random_scores_are_a_permutation_by_seed_and_user(tmp_path):
    model = RandomRecommender(7).fit(LOG)
    n_items, n_users = len(model.items_), len(model.users_)
    for user in (0, 5):
        expected = np.random.default_rng([7, user]).permutation(n_items)
        assert (model.score_users(np.array([user]))[0] == expected).all()
    unknown = np.random.default_rng([7, n_users]).permutation(n_items)
    first = model.items_[np.argsort(-unknown)].tolist()
    assert model.recommend([10**6] * 3, k=n_items)[2].tolist() == first
    of_items = model.recommend_for_items([[0, 3]], k=n_items - 2)[0].tolist()
    assert of_items == [item for item in first if item not in (0, 3)]
    assert model.predict(LOG).max() < n_items
    whole = model.recommend(model.users_, k=3)
    assert (model.recommend(model.users_[4:6], k=3) == whole[4:6]).all()
    assert len({tuple(row) for row in whole.tolist()}) > n_users / 2
    seen = [set(model.items_[model.seen_[[r]].indices]) for r in range(n_users)]
    assert not any(set(row) & own for row, own in zip(whole.tolist(), seen, strict=True))
    model.update(LOG.head(1).assign(user=10**6))
    assert len(model.users_) == n_users + 1
    save_model(model, tmp_path / "model")
    again = load_model(tmp_path / "model")
    assert (again.recommend(model.users_, k=3) == model.recommend(model.users_, k=3)).all()


@pytest.mark.parametrize(
    ("seed", "error"), [(-1, ValueError), (0.5, TypeError), (None, TypeError)]
)
def test_seeds_are_integers(seed, error):
    with pytest.raises(error, match="`random_state` must be an integer >= 0"):
        RandomRecommender(seed).fit(LOG)

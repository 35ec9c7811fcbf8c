"""Ids that `fit` has seen are found by one road, which is made once."""

import pickle
from decimal import Decimal

import joblib
import numpy as np
import pytest
from sklearn.base import clone

from sklearn_rank._base._ids import KnownIds
from sklearn_rank._base._labels import find_labels
from sklearn_rank.exceptions import IncomparableIdsError
from sklearn_rank.recommenders import ItemNeighborsRecommender

HUGE = 2**53 + 1
TEXT = np.array(sorted(f"{n}" for n in range(100)), dtype=object)
KNOWN = {
    "integers": np.arange(-50, 50),
    "large integers": np.array([-(2**63), HUGE, 2**63 - 1]),
    "small integers": np.arange(100, dtype=np.int8),
    "no sign": np.array([1, HUGE, 2**64 - 1], dtype=np.uint64),
    "floats": np.array([-1.0, 0.5, 2.0, 2.0**53, 2.0**63]),
    "text": TEXT,
    "text of one width": TEXT.astype(str),
    "mixed": np.array([1, 2.5, "1", "b"], dtype=object),
}
ASKED = {
    "integers": [2, 7, 300, -1],
    "large integers": np.array([HUGE, HUGE - 1, 2**63 - 1, -(2**63)]),
    "no sign": np.array([HUGE, HUGE - 1, 2**63, 2**64 - 1], dtype=np.uint64),
    "floats": [2.0, 0.5, 2.0**53, 2.0**63, -(2.0**63), 1e300],
    "float32": np.array([2, 0.5, 3], dtype=np.float32),
    "bools": [True, False],
    "decimals": [Decimal(2), Decimal("0.5")],
    "integers as objects": np.array([2, HUGE, 10**400], dtype=object),
    "text": ["2", "99", "100", ""],
    "text as objects": np.array(["2", "99", "longer than any other", "2"], dtype=object),
    "text, wide": np.array(["2", "x" * 200, "2\0"], dtype=object),
}
MANY = 40  # times as many, for which another road is faster


@pytest.mark.parametrize("times", [1, MANY])
@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("known", KNOWN)
def test_every_road_finds_what_python_finds_equal(known, asked, times):
    labels, values = KNOWN[known], ASKED[asked]
    repeated = np.tile(values, times) if isinstance(values, np.ndarray) else values * times
    place = {label: code for code, label in enumerate(labels.tolist())}
    expected = [place.get(one, -1) for one in np.asarray(repeated, dtype=object).tolist()]
    ids = KnownIds(labels)
    try:
        found = ids.find(repeated, name="users").tolist()
    except IncomparableIdsError:
        assert set(expected) == {-1}
        return
    assert found == expected == find_labels(labels, repeated, name="users").tolist()
    assert ids.find(repeated, name="users").tolist() == expected
    each = list(values)
    assert [int(ids.find([one], name="users")[0]) for one in each] == expected[: len(each)]


@pytest.mark.parametrize("known", ["integers", "floats", "text", "text of one width"])
def test_numbers_and_text_need_no_dict(known, monkeypatch):
    ids = KnownIds(KNOWN[known])
    asked = KNOWN[known][1:2].tolist()
    monkeypatch.setattr("sklearn_rank._base._ids.index_of", None)
    assert ids.find(asked, name="users").tolist() == [1]
    other = np.array(asked, dtype="float" if known == "integers" else "object")
    if known != "floats":
        assert ids.find(other, name="users").tolist() == [1]


def test_the_dict_is_made_once(monkeypatch):
    ids = KnownIds(KNOWN["mixed"])
    assert ids.find([1], name="users").tolist() == [0]
    monkeypatch.setattr("sklearn_rank._base._ids.index_of", None)
    assert ids.find(["b", 2.5], name="users").tolist() == [3, 1]


LOG = [[f"user {n}", f"item {n % 7}"] for n in range(100)]


def test_fit_reads_ids_once_and_again_when_it_learns_others():
    model = ItemNeighborsRecommender().fit(LOG)
    before = model._fitted.users
    model.recommend(["user 7"], 1)
    model.update([["user 7", "item 3"]])
    assert model._fitted.users is before
    model.fit([[1, 2], [1, 3], [2, 3]])
    assert model._fitted.users.labels is model.users_
    assert model.predict([[1, 2], [9, 9]])[1] == 0
    assert "_fitted" not in vars(clone(model))


@pytest.mark.parametrize("library", [pickle, joblib])
def test_a_pickle_has_the_ids_once(library, tmp_path):
    model, path, sizes = ItemNeighborsRecommender().fit(LOG), tmp_path / "model", []
    model.recommend(["user 7", "nobody"], 3)
    for values in (model.users_, model._fitted.users, model):
        with path.open("wb") as file:
            library.dump(values, file)
        sizes.append(path.stat().st_size)
    assert sizes[1] < sizes[0] + 300
    with path.open("rb") as file:
        again = library.load(file)
    asked = ["user 7", "nobody"]
    assert again.recommend(asked, 3).tolist() == model.recommend(asked, 3).tolist()
    with pytest.raises(IncomparableIdsError, match="Ids in `users` are of another type"):
        again.recommend([7], 3)


def test_of_no_ids_none_is_found():
    model = ItemNeighborsRecommender().fit([[1, 2], [1, 3], [2, 3]]).without_users()
    assert model.recommend([1], 1).tolist() == [[3]]

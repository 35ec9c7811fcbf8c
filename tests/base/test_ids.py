"""Ids are equal, unknown, or of a type that can never be equal."""

import uuid
from collections import namedtuple
from datetime import date, datetime, timedelta
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from sklearn_rank._base._ids import KnownIds, read_ids
from sklearn_rank.recommenders import PopularityRecommender

DAY = np.datetime64("2024-01-01")
Pair = namedtuple("Pair", "one other")
NOON = datetime(2024, 1, 1, 12)

# Values of each kind: those of one kind may be equal, those of two never are.
KINDS = {
    "numbers": [[1], [1.5], [True], [1 + 0j], [Decimal(1)], [10**400], np.array([1], "u1")],
    "strings": [["1"], [np.str_("1")], pd.Series(["1"], dtype="category")],
    "bytes": [[b"1"], np.array([b"1"])],
    "datetimes": [
        [NOON],
        [pd.Timestamp(NOON)],
        np.array([NOON], "M8[s]"),
        np.array([NOON], "M8[ns]"),
    ],
    "dates": [[date(2024, 1, 1)], np.array([DAY])],
    "durations": [[timedelta(1)], np.array([1], "m8[D]"), np.array([1], "m8[ns]")],
    "tuples": [[("a", 1)], [Pair("a", 1), ("b", 1)]],
    "uuids": [[uuid.UUID(int=1)]],
}
EVERY = [(kind, values) for kind, forms in KINDS.items() for values in forms]


@pytest.mark.parametrize(("kind", "values"), EVERY)
@pytest.mark.parametrize("fitted", KINDS)
def test_ids_of_another_kind_are_refused_and_unknown_ones_are_not(fitted, kind, values):
    others = {
        "numbers": [7],
        "strings": ["z"],
        "bytes": [b"z"],
        "datetimes": [datetime(1999, 1, 1, 1)],
        "dates": [date(1999, 1, 1)],
        "durations": [timedelta(99)],
        "tuples": [("z", 9)],
        "uuids": [uuid.UUID(int=9)],
    }[fitted]
    known = np.empty(1, dtype=object)
    known[:] = others
    if kind == fitted:
        assert set(KnownIds(known).find(values, name="users").tolist()) == {-1}
    else:
        with pytest.raises(
            TypeError, match=r"Ids in `users` are of another type: .* row 0"
        ):
            KnownIds(known).find(values, name="users")


@pytest.mark.parametrize(
    "wrong",
    [
        np.array([b"1"]),
        np.array(["1"]),
        np.array([1], "M8[ns]"),  # as an integer it would be user 1
        np.array([1], "M8[D]"),
        np.array([1], "m8[ns]"),
        [datetime(2024, 1, 1)],
        [(1,)],
        [1, "1"],
        pd.Series(["1"], dtype="string"),
    ],
)
@pytest.mark.parametrize("ids", [np.array([1, 2, 3]), np.array([1.0, 2.5])])
def test_a_model_of_numbers_knows_numbers_only(wrong, ids):
    recommender = PopularityRecommender().fit(pd.DataFrame({"user": ids, "item": ids}))
    calls = [
        lambda: recommender.recommend(wrong, 1),
        lambda: recommender.recommend([1], 1, items=wrong),
        lambda: recommender.recommend([1], 1, exclude=wrong),
        lambda: recommender.recommend_for_items([wrong], 1),
        lambda: recommender.predict(pd.DataFrame({"user": wrong, "item": wrong})),
    ]
    for call in calls:
        with pytest.raises(TypeError, match="of another type"):
            call()


def test_the_row_of_the_wrong_id_is_named():
    with pytest.raises(
        TypeError, match=r"type: b'x' \(bytes\) in row 2 and 'ann' \(str\) in"
    ):
        KnownIds(np.array(["ann", "bob"])).find(["bob", "cy", b"x"], name="users")


@pytest.mark.parametrize("unit", ["D", "s", "us", "ns"])
def test_moments_are_the_same_in_every_form(unit):
    known = np.array(["2024-01-01", "2024-01-02"], f"M8[{unit}]")
    for form in (
        known,
        known.astype("M8[ns]"),
        [pd.Timestamp("2024-01-01"), pd.Timestamp("2024-01-02")],
        [date(2024, 1, 1), date(2024, 1, 2)],
        [datetime(2024, 1, 1), datetime(2024, 1, 2)],
        list(known),
    ):
        assert KnownIds(known).find(form, name="users").tolist() == [0, 1]
    assert KnownIds(known).find([datetime(2024, 1, 1, 12)], name="users").tolist() == [-1]


def test_datetimes_of_nanoseconds_are_found_among_objects():
    known = np.array([NOON, datetime(2024, 1, 2)], dtype=object)
    asked = np.array([NOON, "2024-01-02T00:00:00.000000001"], "M8[ns]")
    assert KnownIds(known).find(asked, name="users").tolist() == [0, -1]


def test_ids_of_several_kinds_know_them_all():
    known = np.array([1, "1"], dtype=object)
    assert KnownIds(known).find(["1", 1, 2, "2"], name="users").tolist() == [1, 0, -1, -1]
    with pytest.raises(TypeError, match=r"another type: b'1' \(bytes\) in row 1"):
        KnownIds(known).find([1, b"1"], name="users")


def test_a_class_of_its_own_may_say_what_it_equals():
    class Name(str):
        __slots__ = ()

    class Key:
        def __eq__(self, other):
            return other == "ann"

        def __hash__(self):
            return hash("ann")

    assert KnownIds(np.array(["ann"])).find(
        [Name("ann"), Name("x")], name="u"
    ).tolist() == [0, -1]
    assert KnownIds(np.array(["ann"])).find([Key()], name="u").tolist() == [0]


@pytest.mark.parametrize(
    "values", [5, "ann", b"x", np.array(5), {1}, {1: 2}, iter([1]), int]
)
def test_what_is_no_list_of_ids_is_named(values):
    with pytest.raises(TypeError, match="`users` must be a list or array of ids, got"):
        read_ids(values, name="users")
    recommender = PopularityRecommender().fit([[1, 2]])
    for arguments in ({"users": values}, {"users": [1], "items": values}):
        with pytest.raises(TypeError, match="must be a list or array of ids, got"):
            recommender.recommend(**arguments, k=1)
    if not isinstance(values, dict):
        with pytest.raises(TypeError, match="`item_lists` must be a list of ids"):
            recommender.recommend_for_items(values, 1)


@pytest.mark.parametrize("values", [[{}], [[]], [1, {2}]])
def test_ids_must_have_a_hash(values):
    ids = np.empty(len(values), dtype=object)
    ids[:] = values
    with pytest.raises(TypeError, match=r"Values of `users` must be hashable, .*unhash"):
        KnownIds(np.array([1, 2])).find(ids, name="users")


def test_sparse_and_ragged_ids_are_named():
    with pytest.raises(ValueError, match=r"`users` must be 1-D.* shape \(2, 1\)"):
        read_ids(sparse.csr_array(np.ones((2, 1))), name="users")
    with pytest.raises(ValueError, match=r"`users` must be 1-D.* unequal lengths"):
        read_ids([[1], [2, 3]], name="users")


def test_tuples_are_ids_in_lists_of_rows():
    rows = [(("a", 1), "tea"), (("a", 2), "milk"), (("a", 1), "milk")]
    recommender = PopularityRecommender().fit(rows)
    assert recommender.users_.tolist() == [("a", 1), ("a", 2)]
    assert recommender.predict(rows).shape == (3,)


def test_large_integers_are_ids():
    recommender = PopularityRecommender().fit([(10**400, 1), (2, 10**400)])
    assert recommender.recommend([10**400, 2], 1).tolist() == [[10**400], [1]]


def test_columns_that_are_none_are_named():
    with pytest.raises(ValueError, match="no column names"):
        PopularityRecommender(user=np.array([0, 1])).fit([(1, 2)])
    with pytest.raises(ValueError, match="no column names"):
        PopularityRecommender(user=np.timedelta64(0, "D")).fit([(1, 2)])
    with pytest.raises(ValueError, match="Row 1 of X has 1 value"):
        PopularityRecommender().fit([(1, 2), (3,)])

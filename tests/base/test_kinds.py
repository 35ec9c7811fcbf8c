"""Which labels can be equal, at every entrance that compares ids."""

import re
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from sklearn_rank._base._label_checks import (
    comparable_kinds,
    kind_of,
    kinds,
    show_with_type,
)
from sklearn_rank.exceptions import IncomparableIdsError
from sklearn_rank.inputs import from_files, from_frames, from_item_lists, from_runs
from sklearn_rank.metrics import (
    make_recommender_scorer,
    novelty_at_k_score,
    rank_biased_overlap_score,
)
from sklearn_rank.recommenders import PopularityRecommender

pd = pytest.importorskip("pandas")

DAY = date(2020, 1, 1)


@pytest.mark.parametrize(
    ("kind", "labels"),
    [
        ("numbers", [1, 1.0, True, np.int8(1), np.bool_(True), Decimal(1), Fraction(1)]),
        ("strings", ["a", np.str_("a")]),
        ("bytes", [b"a", np.bytes_(b"a")]),
        ("dates", [DAY, np.datetime64(DAY), np.datetime64("2020-01", "M")]),
        ("datetimes", [datetime(2020, 1, 1), pd.Timestamp(DAY), np.datetime64(DAY, "s")]),
        ("durations", [timedelta(1), np.timedelta64(1, "D"), pd.Timedelta(1)]),
        ("tuples", [(1,), kind_of.__code__.co_varnames]),
        ("builtins.frozenset", [frozenset()]),
    ],
)
def test_kinds_of_labels(kind, labels):
    assert {kind_of(label) for label in labels} == {kind}
    assert kinds(labels) == {kind}
    for label in labels:
        one = np.empty(1, dtype=object)
        one[0] = label
        assert kinds(one) == {kind}
        if not isinstance(label, tuple):
            assert kinds(np.array([label])) == {kind}
    assert kinds([]) == kinds(np.array([])) == set()


def test_moments_of_numpy_are_dates_and_datetimes():
    assert comparable_kinds(np.array([DAY], dtype="M8[D]")) == {"dates", "datetimes"}
    assert comparable_kinds(np.array([DAY], dtype=object)) == {"dates"}


def test_labels_are_shown_with_their_type():
    assert [show_with_type(label) for label in (1, "1", np.int64(1), np.str_("1"))] == [
        "1 (int)",
        "'1' (str)",
        "1 (int)",
        "'1' (str)",
    ]
    assert show_with_type(np.datetime64(DAY)) == "datetime.date(2020, 1, 1) (date)"
    assert show_with_type(np.datetime64(DAY, "ns")).endswith("0, 0) (datetime)")
    assert show_with_type(np.timedelta64(1, "ns")) == "np.timedelta64(1,'ns') (timedelta64)"


def score_of(users, items):
    rows = pd.DataFrame({"user": users, "item": items})
    log = pd.DataFrame({"user": [1, 2, 2], "item": ["a", "a", "b"]})
    model = PopularityRecommender().fit(log)
    return make_recommender_scorer("recall@1")(model, rows)


def frames(*of_each):
    one, other = (pd.DataFrame(columns, index=[0]) for columns in of_each)
    other["rank"] = 1
    return from_frames(one, other, user="user", item="item", rank="rank")


WITH_ITEMS = make_recommender_scorer("recall@1", items=[1])
ENTRANCES = {
    "items of lists": lambda: from_item_lists([[1]], [["1"]]),
    "users of lists": lambda: from_item_lists({1: ["a"]}, {"1": ["a"]}),
    "exclude, items": lambda: from_item_lists([[1]], [[2]], exclude=[["1"]]),
    "exclude, users": lambda: from_item_lists({1: [2]}, {1: [2]}, exclude={"1": 1}),
    "items of frames": lambda: frames({"user": 1, "item": 1}, {"user": 1, "item": "1"}),
    "users of frames": lambda: frames({"user": 1, "item": 1}, {"user": "1", "item": 1}),
    "runs": lambda: from_runs({"q": ["1"]}, [{"q": [1]}]),
    "exclude of files": lambda: from_files(["q 0 1 1"], ["q Q0 1 1 1 t"], exclude={"q": 1}),
    "similarity": lambda: rank_biased_overlap_score([[1]], [["1"]]),
    "scorer, users": lambda: score_of(["1"], ["a"]),
    "scorer, items": lambda: score_of([1], [1]),
    "candidates": lambda: WITH_ITEMS(PopularityRecommender().fit([["a", "1"]]), [["a", 1]]),
    "recommend": lambda: PopularityRecommender().fit([[1, 2]]).recommend(["1"]),
    "catalogue": lambda: novelty_at_k_score(
        [1], [1], groups=[1], items=["1"], popularity={1: 1}, n_users=2
    ),
}


@pytest.mark.parametrize("entrance", ENTRANCES.values(), ids=ENTRANCES)
def test_types_that_are_never_equal_are_a_type_error_that_shows_them(entrance):
    with pytest.raises(IncomparableIdsError) as caught:
        entrance()
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, TypeError)
    message = str(caught.value)
    assert "(int)" in message
    assert "(str)" in message
    assert "which can never be equal" in message
    assert re.search(
        r"\. (Convert the (id|user)s of one side to the type of the other"
        r"|Make both text: \[\[str\(i\) for i in ids\] for ids in y_true\])\.$",
        message,
    )


OF_DAYS = {
    "date": [DAY],
    "datetime64, array": np.array([DAY], dtype="M8[D]"),
    "datetime64, list": [np.datetime64(DAY)],
}


@pytest.mark.parametrize("one", OF_DAYS)
@pytest.mark.parametrize("other", OF_DAYS)
def test_dates_equal_the_days_of_numpy(one, other):
    one, other = OF_DAYS[one], OF_DAYS[other]
    for rows in (
        from_item_lists([one], [other]),
        from_item_lists({one[0]: ["a"], "x": ["b"]}, {other[0]: ["a"]}),
    ):
        assert rows.y_true[rows.y_score > -np.inf].tolist() == [1]
    of_users = from_item_lists({one[0]: "a"}, {one[0]: ["b", "a"]}, exclude={other[0]: "b"})
    assert of_users.y_score.tolist() == [-1]
    excluded = from_item_lists([["a"]], [[*other, "a"]], exclude=[one])
    assert excluded.y_score.tolist() == [-1]
    named = from_item_lists([one], [one], return_items=True)["items"]
    assert named.tolist() == [DAY]


@pytest.mark.parametrize(
    ("day", "of_seconds"),
    [*((day, datetime(2020, 1, 1)) for day in OF_DAYS), ("date", np.datetime64(DAY, "s"))],
)
def test_a_date_is_no_datetime_and_the_message_shows_both(day, of_seconds):
    shown = (
        r"datetime\.date\(2020, 1, 1\) \(date\) .* datetime\.datetime\(.*\) \(datetime\)"
    )
    with pytest.raises(TypeError, match=shown):
        from_item_lists([OF_DAYS[day]], [[of_seconds]])

"""What is held out by each `cv`, and what of it counts."""

import warnings
from dataclasses import replace
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GroupKFold, GroupShuffleSplit

from sklearn_rank.exceptions import MisleadingScoreWarning
from sklearn_rank.experiments import default_models, tune_models
from sklearn_rank.experiments._hold_outs import SplitSummary
from sklearn_rank.metrics import make_recommender_scorer
from sklearn_rank.model_selection import LeaveLastOut, TimeSplit
from sklearn_rank.recommenders import (
    PopularityRecommender,
    RepeatRecommender,
    RerankingRecommender,
)

MODELS = {"popularity": PopularityRecommender()}


@pytest.mark.parametrize("cv", ["time", "last", "random", "user", None])
def test_each_way_holds_out_and_judges(log, cv):
    found = tune_models(log, time="time", models=MODELS, cv=cv)
    split = found.split_
    assert split.n_train + split.n_held_out <= len(log)
    assert split.n_held_out - sum(split.left_out.values()) == split.n_judged
    assert split.describe().startswith("Training ")


def test_so_many_users_that_the_result_holds_for_the_others():
    split = SplitSummary("Training rows", "Others", "user", 900, 100, 100, 100, 400)
    assert not split.has_few_units  # 100 users, and a quarter of all
    assert "Few users" not in split.describe()
    assert replace(split, n_units=99).has_few_units
    assert (
        "Few users are evaluated: 100 of 401" in replace(split, n_all_units=401).describe()
    )


class Id(str):
    """An id that counts how often two of them are compared."""

    __slots__ = ()
    __hash__ = str.__hash__
    n_compared: ClassVar[int] = 0

    def __eq__(self, other):
        Id.n_compared += 1
        return str.__eq__(self, other)


@pytest.mark.parametrize("is_given", [False, True])
def test_rows_of_new_items_are_counted_by_their_codes(log, is_given):
    ordered = log.sort_values("time", kind="stable", ignore_index=True)
    cut = 7_200
    is_new = ~ordered["item"].isin(ordered["item"][:cut]) | (ordered["item"] % 17 == 3)
    ordered["item"] = ordered["item"].where((ordered.index < cut) | ~is_new, 1_000)
    options = {"models": MODELS, "refit": False, "exclude_seen": False, "n_splits": 1}
    counts = {}
    for kind in (int, Id):
        items = [kind(item) for item in ordered["item"]]
        rows = ordered.assign(item=pd.Series(items, dtype=object if kind is Id else int))
        if is_given:
            options["test"] = rows[cut:], None
            rows = rows[:cut]
        Id.n_compared = 0
        counts[kind] = tune_models(rows, time="time", **options).split_.n_new_items
    known = ordered[:cut]
    test = ordered[cut:]
    counted = test[test["user"].isin(known["user"])]
    assert counts[int] == counts[Id] == (~counted["item"].isin(known["item"])).sum() > 0
    # Each row may be compared with the row before, but not with each of 120 items.
    assert Id.n_compared < 20 * len(ordered)


def test_a_log_without_times_needs_a_way_without_times(log):
    untimed = log[["user", "item"]]
    found = tune_models(untimed, models=MODELS, cv="random")
    assert "time_decayed_popularity" not in found.means
    with pytest.raises(ValueError, match="cv='random'"):
        tune_models(untimed, models=MODELS)


def test_a_splitter_makes_the_folds(log):
    cv = LeaveLastOut(n_splits=2, user="user", item="item", time="time", seen_items="drop")
    found = tune_models(log, time="time", models=MODELS, cv=cv)
    assert found.n_splits_ == 2
    grouped = tune_models(log, time="time", models=MODELS, cv=GroupShuffleSplit(2))
    assert grouped.n_splits_ == 2


def test_a_test_of_ones_own_is_judged(log):
    past, future = log.iloc[:7000], log.iloc[7000:]
    found = tune_models(past, time="time", models=MODELS, test=(future, None))
    known = future["user"].isin(past["user"])
    pairs = set(zip(past["user"], past["item"], strict=True))
    is_new = [
        pair not in pairs for pair in zip(future["user"], future["item"], strict=True)
    ]
    judged = future[known & np.array(is_new)]
    expected = make_recommender_scorer("ndcg@10")(PopularityRecommender().fit(past), judged)
    assert found.means["popularity"]["ndcg@10"] == expected
    assert found.split_.n_judged == len(judged)


def test_a_test_that_is_older_than_the_log_is_told(log):
    old, new = log.iloc[:3000], log.iloc[2000:]
    message = "3,000 of 3,000 rows of `test` are older"
    with pytest.warns(MisleadingScoreWarning, match=message):
        tune_models(new, time="time", models=MODELS, test=(old, None))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tune_models(new, time="time", models=MODELS, cv="last", test=(old, None))
        tune_models(old, time="time", models=MODELS, test=(log.iloc[3000:], None))


def test_rows_that_repeat_an_item_judge_where_it_may_be_recommended(log):
    few = {"popularity": PopularityRecommender(), "repeats": RepeatRecommender()}
    found = tune_models(log, time="time", models=few, exclude_seen=False)
    known = found.split_
    assert known.left_out["repeats"] == 0 < known.left_out["new_users"]
    cut = {"cold_users": "drop", "user": "user", "item": "item", "time": "time"}
    train, test = next(TimeSplit(1, **cut).split(log))
    for name, model in {
        "popularity": PopularityRecommender(exclude_seen=False),
        "repeats": RepeatRecommender(time="time"),
    }.items():
        expected = make_recommender_scorer("ndcg@10")(
            model.fit(log.iloc[train]), log.iloc[test]
        )
        assert found.means[name]["ndcg@10"] == expected
    assert not found.best_estimator_.exclude_seen
    for cv in ["last", "random", "user"]:
        time = "time" if cv == "last" else None
        other = tune_models(log, time=time, cv=cv, models=MODELS, exclude_seen=False)
        assert other.split_.left_out["repeats"] == 0


def test_models_recommend_what_users_have_also_within_others(log):
    own = RerankingRecommender(PopularityRecommender(), "popularity")
    models = {"own": (own, {"strength": [0, 0.5]})}
    found = tune_models(log, time="time", models=models, exclude_seen=False)
    assert found.best_params_.keys() == {"strength"}
    assert not found.models_["own"].exclude_seen
    assert own.recommender.exclude_seen


@pytest.mark.parametrize("exclude_seen", [False, True])
def test_two_stages_are_tuned_by_name(log, exclude_seen):
    given = {"time": "time", "n_splits": 1, "exclude_seen": exclude_seen}
    found = tune_models(log, models=["two_stages"], error_score="raise", **given)
    assert found.best_name_ == "two_stages"
    model = found.best_estimator_
    assert {model.exclude_seen, *(one.exclude_seen for _, one in model.candidates)} == {
        exclude_seen
    }


def test_repeats_are_tried_where_they_may_be_recommended(log):
    assert "repeats" not in default_models(log, time="time")
    models = default_models(log, time="time", exclude_seen=False)
    assert not any(model.exclude_seen for model, _ in models.values())
    assert models["repeats"][1][0]["recency"] == [3, 10, 30]
    assert "repeats" not in default_models(log, exclude_seen=False)
    for given in [{"time": "time"}, {"exclude_seen": False}]:
        with pytest.raises(ValueError, match="give exclude_seen=False and `time`"):
            default_models(log, names=["repeats"], **given)
    with pytest.raises(ValueError, match="`exclude_seen` got 'no'"):
        tune_models(log, time="time", models=MODELS, exclude_seen="no")


def test_ratings_below_the_lowest_relevant_one_do_not_count(log):
    y = np.arange(len(log)) % 5 + 1
    found = tune_models(log, y, time="time", models=MODELS, min_relevance=4)
    train, test = next(
        TimeSplit(
            1, user="user", item="item", time="time", cold_users="drop", seen_items="drop"
        ).split(log)
    )
    good = test[y[test] >= 4]
    model = PopularityRecommender().fit(log.iloc[train], y[train])
    expected = make_recommender_scorer("ndcg@10")(model, log.iloc[good], y[good])
    assert found.means["popularity"]["ndcg@10"] == expected
    assert found.split_.left_out["not_relevant"] > 0


def test_nothing_is_held_out_where_that_is_asked_for(log):
    found = tune_models(log, time="time", models=MODELS, test_size=None)
    assert found.split_ is None
    assert found.means == {}
    assert "Nothing was held out" in str(found)
    with pytest.raises(ValueError, match="`test_size` or `test`"):
        found.plot()


def test_queries_are_held_out_whole(queries):
    X, y, groups = queries
    found = tune_models(X, y, groups=groups, models=["pairwise"], cv=GroupKFold(4))
    assert found.n_splits_ == 4
    assert found.split_.n_units == 12
    assert "Test queries" in str(found)
    given = tune_models(
        X[:800],
        y[:800],
        groups=groups[:800],
        models=["pairwise"],
        test=(X[800:], y[800:], groups[800:]),
    )
    assert given.split_.n_held_out == len(X) - 800


def test_random_rows_of_each_user(log):
    pairs = log[["user", "item"]]
    found = tune_models(pairs, models=MODELS, cv="random", test_size=0.3, refit=False)
    n_of_user = pairs["user"].value_counts()
    assert found.split_.n_held_out == np.ceil(0.3 * n_of_user[n_of_user > 1]).sum()
    assert found.split_.n_train + found.split_.n_held_out == len(pairs)


def test_rows_of_some_users(log):
    found = tune_models(log[["user", "item"]], models=MODELS, cv="user", refit=False)
    assert found.split_.n_units <= log["user"].nunique() / 5
    assert found.split_.left_out["new_users"] == 0


def log_of(n_users, n_late):
    """Return a log in which so many of the users have rows in the last period."""
    early = [(u, (u + i) % 20, i) for u in range(n_users) for i in range(8)]
    late = [(u, (u + 10 + i) % 20, 100 + i) for u in range(n_late) for i in range(2)]
    return pd.DataFrame(early + late, columns=["user", "item", "time"])


@pytest.mark.parametrize(
    ("n_users", "n_late", "is_told"),
    [(943, 109, True), (200, 150, False), (100, 60, True), (1000, 300, False)],
)
def test_few_users_that_judge_are_told(n_users, n_late, is_told):
    log = log_of(n_users, n_late)
    share = (2 * n_late) / len(log)
    found = tune_models(
        log, time="time", models=MODELS, test_size=share, n_splits=1, refit=False
    )
    text = found.split_.describe()
    assert (f"Few users are evaluated: {n_late:,} of {n_users:,} (" in text) is is_told
    assert found.split_.has_few_units is is_told


def test_rows_far_after_all_others_are_refused(log):
    far = log.assign(time=log["time"].astype("M8[us]"))
    far.loc[5, "time"] = np.datetime64("2199-01-01", "us")
    with pytest.raises(ValueError, match=r"far after all others.*cv='random'"):
        tune_models(far, time="time", models=MODELS)
    tune_models(far, time="time", models=MODELS, cv="random", refit=False)

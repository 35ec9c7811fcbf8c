"""Rows of fit, rows that are older than these, and repeats: each is said once."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import KFold, cross_val_score, learning_curve

from sklearn_rank.experiments import evaluate_models, tune_models
from sklearn_rank.inputs import InteractionLog
from sklearn_rank.metrics import make_recommender_scorer
from sklearn_rank.model_selection import (
    LeaveLastOut,
    LeaveRandomOut,
    TimeSplit,
    UserTimeSplit,
)
from sklearn_rank.recommenders import (
    ColdStartRecommender,
    EASERecommender,
    FeatureTable,
    ItemNeighborsRecommender,
    PopularityRecommender,
    RerankingRecommender,
)


def make_log(name="time", n_users=30, n_rows=12, repeats=0, seed=0):
    """Users with rows in order of time, in one shuffled table."""
    random = np.random.default_rng(seed)
    items = np.array([random.permutation(40)[:n_rows] for _ in range(n_users)])
    items[:, n_rows - repeats :] = items[:, :repeats]
    hours = np.sort(random.choice(5_000, (n_users, n_rows), replace=False), axis=1)
    start = np.datetime64("2025-01-01", "s")
    log = pd.DataFrame(
        {
            "user": np.repeat(np.arange(n_users), n_rows),
            "item": items.ravel(),
            name: start + hours.ravel() * np.timedelta64(3600, "s"),
        }
    )
    return log.sample(frac=1, random_state=seed, ignore_index=True)


def texts_of(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(entry.message) for entry in caught]


def score(model, rows, metric="recall@5", **options):
    return texts_of(lambda: make_recommender_scorer(metric, **options)(model, rows))


@pytest.mark.parametrize("read", [lambda log: log, InteractionLog])
def test_rows_of_fit_are_no_held_out_rows(read):
    log = make_log()
    model, rows = EASERecommender().fit(log), read(pd.concat([log[5:], log[:9]]))
    assert score(model, rows)[0].startswith(
        "The 364 relevant rows are those of fit, and EASERecommender leaves out what users "
        "have, so nothing can be hit. Score held-out rows; exclude_seen=False gives the "
        "training score. If"
    )
    assert score(model, rows, exclude_seen=False)[0].startswith(
        "The 364 relevant rows are those of fit, so this is a training score. Score held-"
    )
    assert score(model, rows, "coverage@5") == []
    assert "are those of fit" not in str(score(model, log[1:]))


def test_the_training_score_of_a_learning_curve_means_nothing():
    cv, scorer = TimeSplit(time="time"), make_recommender_scorer("recall@5")
    log = make_log(n_users=60)
    texts = texts_of(
        lambda: learning_curve(EASERecommender(), log, None, cv=cv, scoring=scorer)
    )
    assert [text[-100:] for text in texts if "are those of fit, and EASE" in text]


@pytest.mark.parametrize("name", ["time", "InvoiceDate", "event_time", "Time-Stamp"])
@pytest.mark.parametrize(
    ("model", "read"),
    [
        (EASERecommender(), lambda log, name: log),
        (RerankingRecommender(EASERecommender(), "popularity"), lambda log, name: log),
        (EASERecommender(), lambda log, name: InteractionLog(log, time=name)),
        (
            PopularityRecommender(time="other"),
            lambda log, name: log.rename(columns={name: "other"}),
        ),
    ],
)
def test_rows_older_than_fit_are_told_by_the_column_of_times(name, model, read):
    log = read(make_log(name), name)
    column = name if getattr(model, "time", None) is None else "other"
    for cv in (KFold(4, shuffle=True, random_state=0), LeaveRandomOut(random_state=0)):
        scorer = make_recommender_scorer("recall@5")
        texts = texts_of(lambda: cross_val_score(model, log, cv=cv, scoring=scorer))  # noqa: B023
        text = texts[0].partition("% of")[2].partition("rows ")[2]
        assert len(texts) == 1
        assert text.startswith(
            f"are earlier (column {column!r}) than a row of the same user in the data of "
            f"fit: the model was told what came later. Split by time: "
            f"TimeSplit(time={column!r}) or LeaveLastOut(time={column!r}). If"
        )
    of_time = TimeSplit(time=column), LeaveLastOut(time=column), UserTimeSplit(time=column)
    for cv in of_time:
        assert texts_of(lambda: cross_val_score(model, log, cv=cv, scoring=scorer)) == []  # noqa: B023


def test_a_scorer_that_warned_of_one_fault_warns_of_another_one():
    """A notebook reuses its scorer: each kind of fault is said once."""
    log = make_log()
    again = log.assign(time=log.time + pd.Timedelta("90D"))
    log = pd.concat([log, again], ignore_index=True)  # everyone buys the same again
    by_time, at_random = TimeSplit(time="time"), KFold(4, shuffle=True, random_state=0)

    def score(cv):
        return texts_of(
            lambda: cross_val_score(EASERecommender(), log, cv=cv, scoring=scorer)
        )

    scorer = make_recommender_scorer("recall@5")
    (text,) = score(by_time)
    assert "relevant rows cannot be hit" in text
    (text,) = score(at_random)
    assert "rows are earlier" in text
    assert score(by_time) == score(at_random) == []


@pytest.mark.parametrize(
    "change",
    [
        lambda log: log.assign(time=pd.Timestamp("2026-01-01")),  # when it was exported
        lambda log: log.assign(
            time=pd.Timestamp("2020-01-01") + pd.to_timedelta(log.item, "D")
        ),
        lambda log: log.assign(
            time=pd.Timestamp("2020-01-01") + pd.to_timedelta(log.user, "D")
        ),
        lambda log: log.assign(time=log.time.where(log.item > 0)),
        lambda log: log.assign(time=log.time.astype(str)),
        lambda log: log.rename(columns={"time": "seen"}).assign(told=log.time),
        lambda log: log[["user", "item"]],
    ],
)
def test_other_columns_are_no_times_of_rows(change):
    cv, scorer = KFold(4, shuffle=True, random_state=0), make_recommender_scorer("recall@5")
    log = change(make_log())
    assert (
        texts_of(lambda: cross_val_score(EASERecommender(), log, cv=cv, scoring=scorer))
        == []
    )


def test_fewer_than_half_of_the_rows_or_unknown_users_are_no_matter():
    log = make_log()
    early = log.time < log.time.quantile(0.9)
    model = EASERecommender().fit(log[early])
    assert score(model, pd.concat([log[~early], log[early][:15]])) == []
    assert score(model, log[early][:19]) == []
    assert "earlier" not in str(score(model, log[early].assign(user=log.user + 100)))


def test_an_update_renews_the_last_times():
    log = make_log()
    moments = log.time.sort_values().to_numpy()
    old = log.time <= moments[200]
    new = (log.time > moments[200]) & (log.time <= moments[320])
    model = EASERecommender().fit(log[old])
    between = log[(log.time > moments[200]) & (log.time <= moments[260])]
    late = log[log.time > moments[320]]
    seen = between.assign(item=(between.item + 1) % 40)
    more = late.assign(user=late.user + 1_000)  # who are new
    updated = EASERecommender().fit(log[old]).update(pd.concat([log[new], more]))
    assert "earlier" not in str(score(model, seen))
    assert "are earlier" in str(score(updated, seen))
    assert score(updated, late) == []
    column, times = updated._last_times
    expected = pd.concat([log[old], log[new], more]).groupby("user").time.max()
    assert column == "time"
    assert updated.users_.tolist() == expected.index.tolist()
    assert times.values.tolist() == expected.astype("M8[us]").astype(int).tolist()
    updated.update(log[["user", "item"]].iloc[:3].assign(time=None))
    assert updated._last_times[1].values.tolist() == times.values.tolist()


def test_a_model_with_users_of_its_own_has_the_times_of_the_one_it_wraps():
    log = make_log()
    frame = pd.DataFrame({"user": range(31), "age": np.arange(31) % 7})  # 30 is new
    wrapper = ColdStartRecommender(
        EASERecommender(), user_features=FeatureTable(frame, id="user")
    )
    is_late = log.time > log.time.median()
    seen = log[~is_late].assign(item=(log.item + 1) % 40)
    model = wrapper.fit(log[is_late])
    assert len(model.users_) == 31
    assert "are earlier" in str(score(model, seen))
    model.update(log[~is_late])
    assert "are earlier" in str(score(model, seen))


def test_a_model_without_users_has_no_times():
    model = EASERecommender().fit(make_log())
    assert model._last_times is not None
    assert model.without_users()._last_times is None


def test_repeats_are_misses_of_models_that_leave_them_out():
    log = make_log(repeats=1, n_rows=6)
    cut = log.time.quantile(0.7)
    rows = log[log.time > cut]
    model = ItemNeighborsRecommender().fit(log[log.time <= cut])
    assert any(
        "relevant rows repeat a pair of fit, which" in text for text in score(model, rows)
    )
    [text] = score(model, rows)
    assert text.partition("% of ")[2].startswith(
        f"{len(rows)} relevant rows repeat a pair of fit, which ItemNeighborsRecommender "
        "leaves out: they count as misses. Leave them out for all models: "
        "TimeSplit(time='time', seen_items='drop', item='item'), as tune_models does; or "
        "recommend them: exclude_seen=False. If"
    )
    assert score(model, rows, exclude_seen=False) == []
    train = log[log.time <= cut].merge(rows[["user", "item"]], indicator=True, how="left")
    known = ItemNeighborsRecommender().fit(
        train[train._merge == "left_only"].drop(columns="_merge")
    )
    assert score(known, rows) == []


@pytest.mark.parametrize("exclude_seen", [True, False])
def test_a_search_and_the_splitter_that_it_names_give_one_score(exclude_seen):
    log = make_log(repeats=3, n_users=60)
    model = ItemNeighborsRecommender(5, exclude_seen=exclude_seen)
    options = {
        "models": {"one": (model, {})},
        "exclude_seen": exclude_seen,
        "random_state": 0,
    }
    found = tune_models(log, time="time", n_splits=2, n_candidates=1, **options)
    mean = found.candidates["mean_test_score"].item()
    filters = {"seen_items": "drop"} if exclude_seen else {}
    test = TimeSplit(time="time", cold_users="drop", **filters)
    train, rows = next(test.split(log))
    cv = TimeSplit(2, time="time", cold_users="drop", **filters)
    scorer = make_recommender_scorer("ndcg@10")
    scores = cross_val_score(model, log.iloc[train], cv=cv, scoring=scorer)
    assert scores.mean() == pytest.approx(mean, abs=1e-12)
    on_test = scorer(model.fit(log.iloc[train]), log.iloc[rows])
    assert on_test == pytest.approx(found.means["one"]["ndcg@10"], abs=1e-12)


@pytest.mark.parametrize("metric", ["ndcg@10", "ndcg", "coverage@10"])
def test_a_model_that_is_not_fitted_is_told_so(metric):
    with pytest.raises(NotFittedError, match="EASERecommender instance is not fitted"):
        evaluate_models({"EASE": EASERecommender()}, make_log(), metrics=[metric])

"""Tables that others published, beside what the models of this package reach.

``python -m tests.benchmarks.published_tables --movielens ml-100k --sessions session-rec
--retail online_retail.csv.gz`` computes the rows of ``docs/published_tables.rst``. Each
option is a path, since the data does not ship; what has no path is left out.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import GridSearchCV

from sklearn_rank.metrics import make_recommender_scorer
from sklearn_rank.model_selection import TimeSplit
from sklearn_rank.recommenders import (
    ColdStartRecommender,
    EASERecommender,
    FeatureTable,
    ItemNeighborsRecommender,
    PopularityRecommender,
)

Rows = Iterator[tuple[str, dict[str, float], dict]]  # model, values, what was chosen
SESSIONS = {"user": "SessionId", "item": "ItemId", "time": "Time"}
RETAIL = {"user": "CustomerID", "item": "StockCode"}
RIDGE = {"regularization": [30, 100, 300, 1000, 3000]}
WALK = {"n_neighbors": [50, 100], "alpha": [0.5, 0.8], "beta": [0.1, 0.2, 0.4]}
SESSION_WALK = {"alpha": [0.5, 1], "beta": [0.1, 0.3], "recency": [0.7, 2]}


def split_by_item(
    log: pd.DataFrame, seed: int, share: float = 0.75, *, is_rounded: bool = True
) -> np.ndarray:
    """Return which rows are in train, as `python_stratified_split` of recommenders does.

    The rows of each item are ordered by random numbers, and train has the first of them:
    `share` of their number, rounded since release 1.2, rounded down before.
    """
    numbers = np.random.RandomState(seed).random_sample(len(log))
    by_item = log.assign(number=numbers).groupby("item")["number"]
    n_train = share * by_item.transform("count").to_numpy()
    ranks = by_item.rank(method="first").to_numpy()
    return ranks <= (np.round(n_train) if is_rounded else n_train)


def split_at_random(log: pd.DataFrame, seed: int, share: float = 0.8) -> np.ndarray:
    """Return which rows are in train, as `RatioSplit` of Cornac does."""
    n_train = len(log) - int(np.ceil((1 - share) * len(log) - 1e-9))
    order = np.random.RandomState(seed).permutation(len(log))
    return np.isin(np.arange(len(log)), order[:n_train])


def stratified(
    log: pd.DataFrame, walks: dict | None = None, *, is_rounded: bool = True
) -> Rows:
    """Yield rows of the table of recommenders: 75/25 by item, seed 42, all ratings."""
    in_train = split_by_item(log, 42, is_rounded=is_rounded)
    train, test = (log[rows].reset_index(drop=True) for rows in (in_train, ~in_train))
    yield from _searched(train, test, split_by_item(train, 0), walks or WALK)


def ratio(log: pd.DataFrame, walks: dict | None = None) -> Rows:
    """Yield rows of the table of Cornac: 80/20, seed 123, ratings of 4 and more."""
    in_train, is_liked = split_at_random(log, 123), log["rating"] >= 4
    train, test = (
        log[rows & is_liked].reset_index(drop=True) for rows in (in_train, ~in_train)
    )
    yield from _searched(train, test, split_at_random(train, 0), walks or WALK)


def _searched(
    train: pd.DataFrame, test: pd.DataFrame, inner: np.ndarray, walks: dict
) -> Rows:
    """Choose parameters on a part of the training rows; score the test rows once."""
    score = make_recommender_scorer("ndcg@10")
    walk = ItemNeighborsRecommender(similarity="walk", keep="candidate")
    for name, model, grid in (
        ("popularity", PopularityRecommender(), {}),
        ("EASE", EASERecommender(), RIDGE),
        ("walk", walk, walks),
    ):
        folds = [(np.flatnonzero(inner), np.flatnonzero(~inner))]
        search = GridSearchCV(model, grid, scoring=score, cv=folds).fit(train)
        yield name, {"ndcg@10": score(search, test)}, search.best_params_


def cold_films(log: pd.DataFrame, films: pd.DataFrame, n_seeds: int = 3) -> Rows:
    """Yield recall among films without training rows: a fifth of all, drawn per seed.

    A quarter of the ratings of each film is held out; those of cold films are the test.
    """
    score = "recall@10"
    found = {"all ratings": [], "ratings of 4 and more": []}
    for seed in range(n_seeds):
        rng = np.random.default_rng(seed)
        items = np.unique(log["item"])
        cold = rng.choice(items, len(items) // 5, replace=False)
        is_cold = log["item"].isin(cold)
        numbers = log.assign(number=rng.random(len(log))).groupby("item")["number"]
        held = numbers.rank(pct=True) > 0.75
        model = ColdStartRecommender(EASERecommender(200), FeatureTable(films, id="item"))
        model.fit(log[~is_cold & ~held])
        judge = make_recommender_scorer(score, items=cold)
        for name, least in zip(found, (0, 4), strict=True):
            test = log[is_cold & held & (log["rating"] >= least)]
            found[name].append(judge(model, test))
    for name, values in found.items():
        yield f"cold films, {name}", {score: float(np.mean(values))}, {}


def sessions(train: pd.DataFrame, test: pd.DataFrame) -> tuple[Rows, GridSearchCV]:
    """Return rows of all targets of later sessions, and the chosen model."""
    unnamed = {name: SESSIONS[name] for name in ("user", "item")}
    options = {"exclude_seen": False, "reveal": True, **unnamed}
    score = make_recommender_scorer(["hit_rate@20", "mrr@20"], **options)
    walk = ItemNeighborsRecommender(200, similarity="walk", self_weight=True, **SESSIONS)
    search = GridSearchCV(
        walk,
        SESSION_WALK,
        scoring=make_recommender_scorer("hit_rate@20", **options),
        cv=TimeSplit(1, test_size=0.1, cold_users="only", **SESSIONS),
    ).fit(train)
    faded = {"recency": 0.7, **SESSIONS}
    others = {
        "cosine": ItemNeighborsRecommender(50, **faded),
        "EASE": EASERecommender(100, **faded),
        "cosine, self weights": ItemNeighborsRecommender(200, self_weight=True, **faded),
    }

    def rows() -> Rows:
        yield "walk, self weights", score(search, test), search.best_params_
        for name, model in others.items():
            yield name, score(model.fit(train), test), {}

    return rows(), search


def listed_sessions(
    search: GridSearchCV, test: pd.DataFrame, lists: dict[str, pd.DataFrame]
) -> Rows:
    """Yield rows of the targets that have a published list, ours and the published ones."""
    clicks = test.sort_values("Time", kind="stable").groupby("SessionId")["ItemId"]
    clicks = clicks.agg(list)
    places = next(iter(lists.values()))[["SessionId", "Position"]]
    for published in lists.values():
        assert places.equals(published[["SessionId", "Position"]]), "different targets"
    pairs = list(places.itertuples(index=False, name=None))
    targets = np.array([clicks[session][place + 1] for session, place in pairs])
    shown = [clicks[session][: place + 1] for session, place in pairs]
    ours = search.best_estimator_.recommend_for_items(shown, 20, exclude_seen=False)
    yield "walk, self weights", _hits(ours, targets), {"targets": len(targets)}
    for name, published in lists.items():
        items = [row.split(",")[:20] for row in published["Recommendations"]]
        yield name, _hits(np.array(items, dtype=targets.dtype), targets), {}


def _hits(items: np.ndarray, targets: np.ndarray) -> dict[str, float]:
    found = items == targets[:, None]
    ranks = 1 + found.argmax(axis=1)
    is_hit = found.any(axis=1)
    return {"hit_rate@20": float(is_hit.mean()), "mrr@20": float((is_hit / ranks).mean())}


def retail(log: pd.DataFrame, time: str = "InvoiceDate") -> Rows:
    """Yield rows of the last fifth of Online Retail, as in ``docs/recommenders.rst``."""
    split = TimeSplit(
        test_size=0.2, time=time, cold_users="drop", seen_items="drop", **RETAIL
    )
    train, test = (log.iloc[rows] for rows in next(split.split(log)))
    score = make_recommender_scorer("ndcg@10", **RETAIL)
    walk = {"similarity": "walk", "keep": "candidate", **RETAIL}
    for half_life in (None, "30D"):
        ages = {"half_life": half_life, "time": time if half_life else None}
        for name, model in (
            ("tf-idf", ItemNeighborsRecommender(20, similarity="tfidf", **ages, **RETAIL)),
            ("walk", ItemNeighborsRecommender(20, **ages, **walk)),
        ):
            yield (
                f"{name}, half-life {half_life}",
                {"ndcg@10": score(model.fit(train), test)},
                {},
            )


def read_movielens(folder: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the ratings in the order of their file, and the features of the films."""
    names = ["user", "item", "rating", "time"]
    log = pd.read_csv(folder / "u.data", sep="\t", names=names)
    films = pd.read_csv(folder / "u.item", sep="|", encoding="latin-1", header=None)
    year = pd.to_numeric(films[2].str[-4:], errors="coerce").astype(float)
    decade = (year // 10 * 10).astype(str).where(year.notna(), "unknown")
    genres = films.iloc[:, 5:24].astype(float).add_prefix("genre ")
    table = pd.DataFrame({"item": films[0], "year": year, "decade": decade})
    return log, pd.concat([table, genres], axis=1)


def _print(title: str, rows: Rows) -> None:
    print(f"\n{title}")
    for name, values, chosen in rows:
        numbers = "  ".join(f"{key} {value:.4f}" for key, value in values.items())
        print(f"{name:36}{numbers}  {chosen or ''}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--movielens", type=Path, help="folder of ml-100k, with u.data and u.item")
    add("--sessions", type=Path, help="folder of the yoochoose sample of session-rec")
    add("--retail", type=Path, help="file of Online Retail")
    options = parser.parse_args()
    if options.movielens:
        log, films = read_movielens(options.movielens)
        for is_rounded in (True, False):
            title = (
                f"ml-100k, 75/25 by item, seed 42, {'' if is_rounded else 'not '}rounded"
            )
            _print(title, stratified(log, is_rounded=is_rounded))
        _print("ml-100k, 80/20, seed 123, ratings of 4 and more", ratio(log))
        _print("ml-100k, cold films, mean of 3 seeds", cold_films(log, films))
    if options.sessions:
        start = str(options.sessions / "yoochoose-clicks-100k_")
        train, test = (
            pd.read_csv(f"{start}{part}.txt", sep="\t") for part in ("train_full", "test")
        )
        rows, search = sessions(train, test)
        _print("yoochoose sample, all targets", rows)
        start = str(options.sessions / "recoms_rsc15_100k_")
        lists = {
            name: pd.read_csv(f"{start}{name}.csv", sep=";")
            for name in ("gru4rec", "vsknn")
        }
        _print("targets with published lists", listed_sessions(search, test, lists))
    if options.retail:
        log = pd.read_csv(
            options.retail, parse_dates=["InvoiceDate"], dtype={"StockCode": str}
        )
        _print("Online Retail, last fifth", retail(log))


if __name__ == "__main__":
    main()

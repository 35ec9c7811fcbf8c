"""What models reach on splits with published numbers.

``python -m tests.benchmarks.published FOLDER`` prints a table for each data set whose files
are in the folder: ``u.data`` of MovieLens 100K; the sample of Yoochoose of the repository
session-rec, with the lists of four models there after 387 clicks of 99 sessions. Nothing is
chosen on test rows: parameters are those of a grid search on training rows.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import GridSearchCV

from sklearn_rank.inputs import from_item_lists
from sklearn_rank.metrics import make_recommender_scorer, ranking_scores
from sklearn_rank.model_selection import LeaveRandomOut, TimeSplit
from sklearn_rank.recommenders import (
    EASERecommender,
    ItemNeighborsRecommender,
    PopularityRecommender,
)

__all__ = ["TABLES", "main", "split_by_item", "split_by_ratio"]

Row = tuple[str, dict[str, float]]
CLICKS = {"user": "SessionId", "item": "ItemId"}
REVEALING = {**CLICKS, "reveal": True, "exclude_seen": False}
WALK = ItemNeighborsRecommender(similarity="walk", keep="candidate")
MODELS = {
    "popularity": (PopularityRecommender(), {}),
    "walk": (WALK, {"n_neighbors": [20, 100, 200], "beta": [0.0, 0.1, 0.3]}),
    "EASE": (EASERecommender(), {"regularization": [100, 200, 300, 500, 1000]}),
}


def split_by_item(log: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return 75 % of the rows of each item, and the others, as recommenders does it."""
    draw = pd.Series(np.random.RandomState(42).rand(len(log)), log.index)
    groups = draw.groupby(log["item"])
    is_train = groups.rank(method="first") <= (0.75 * groups.transform("size")).round()
    return log[is_train], log[~is_train]


def split_by_ratio(log: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return 80 % of the rows, and the others, as Cornac's RatioSplit does it."""
    order = np.random.RandomState(123).permutation(len(log))
    n_train = len(log) - int(np.ceil(0.2 * len(log)))
    return log.iloc[order[:n_train]], log.iloc[order[n_train:]]


def read_movielens(folder: Path) -> pd.DataFrame:
    names = ["user", "item", "rating", "time"]
    return pd.read_csv(folder / "u.data", sep="\t", names=names)


def tuned(train: pd.DataFrame) -> Iterator[tuple[str, Any]]:
    """Yield each model with the parameters that are best on a tenth of the rows."""
    cv = LeaveRandomOut(test_size=0.1, random_state=0)
    for name, (model, grid) in MODELS.items():
        scorer = make_recommender_scorer("ndcg@10")
        search = GridSearchCV(model, grid, scoring=scorer, cv=cv).fit(train)
        yield f"{name} {search.best_params_ or ''}", search.best_estimator_


def recommenders_table(folder: Path) -> Iterator[Row]:
    """Score as the benchmark of recommenders: all ratings, seen items left out."""
    train, test = split_by_item(read_movielens(folder))
    scorer = make_recommender_scorer(["ndcg@10", "precision@10", "recall@10"])
    for name, model in tuned(train):
        yield name, scorer(model, test)


def cornac_table(folder: Path) -> Iterator[Row]:
    """Score as Cornac: ratings of 4 and 5, and of seen items these alone are left out."""
    train, test = (
        part[part["rating"] >= 4] for part in split_by_ratio(read_movielens(folder))
    )
    scorer = make_recommender_scorer(["ndcg@10", "recall@10"])
    for name, model in tuned(train):
        yield name, scorer(model, test)


def clicks_table(folder: Path) -> Iterator[Row]:
    """Score the next click of later sessions, on all targets and where lists are known."""
    train, test = (
        pd.read_csv(folder / f"yoochoose-clicks-100k_{name}.txt", sep="\t")
        for name in ("train_full", "test")
    )
    search = GridSearchCV(
        ItemNeighborsRecommender(
            200, similarity="walk", self_weight=True, time="Time", **CLICKS
        ),
        {"alpha": [0.5, 1.0], "beta": [0.1, 0.3], "recency": [0.7, 2.0]},
        scoring=make_recommender_scorer("hit_rate@20", **REVEALING),
        cv=TimeSplit(1, test_size=0.1, time="Time", cold_users="only", **CLICKS),
    ).fit(train)
    found = make_recommender_scorer(["hit_rate@20", "mrr@20"], **REVEALING)(search, test)
    yield f"walk {search.best_params_}, all targets", found
    paths = sorted(folder.glob("recoms_rsc15_100k_*.csv"))
    for path in paths:
        lists = read_lists(path, test)
        name = f"{path.stem.rpartition('_')[2]}, {len(lists)} targets"
        yield name, _hits(lists["list"], lists["target"])
    if paths:  # all have the same targets
        own = search.best_estimator_.recommend_for_items(
            lists["history"].tolist(), 20, exclude_seen=False
        )
        yield f"walk, {len(lists)} targets", _hits(own, lists["target"])


def read_lists(path: Path, test: pd.DataFrame) -> pd.DataFrame:
    """Return the list, the history and the target of each row of a file of lists."""
    ordered = test.sort_values(["SessionId", "Time"], kind="stable")
    items = ordered.groupby("SessionId")["ItemId"].agg(list)
    rows = pd.read_csv(path, sep=";")
    of_session = [items[session] for session in rows["SessionId"]]
    places = rows["Position"].tolist()
    found = pd.DataFrame(
        {
            "list": [
                list(map(int, one.split(",")[:20])) for one in rows["Recommendations"]
            ],
            "history": [one[: p + 1] for one, p in zip(of_session, places, strict=True)],
            "target": [
                one[p + 1] if p + 1 < len(one) else None
                for one, p in zip(of_session, places, strict=True)
            ],
        }
    )
    return found.dropna(subset=["target"])


def _hits(lists: Any, targets: pd.Series) -> dict[str, float]:
    rows = from_item_lists([[target] for target in targets], list(lists))
    return ranking_scores(**rows, metrics=["hit_rate@20", "mrr@20"])


# By the files that they need.
TABLES = {
    "recommenders": (("u.data",), recommenders_table),
    "Cornac": (("u.data",), cornac_table),
    "session-rec": (
        ("yoochoose-clicks-100k_train_full.txt", "yoochoose-clicks-100k_test.txt"),
        clicks_table,
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    for name, (files, rows) in TABLES.items():
        missing = [file for file in files if not (folder / file).exists()]
        print(f"\n{name}{', left out without ' if missing else ''}{', '.join(missing)}")
        for model, found in () if missing else rows(folder):
            numbers = "  ".join(f"{metric} {value:.4f}" for metric, value in found.items())
            print(f"  {model:62}  {numbers}", flush=True)


if __name__ == "__main__":
    main()

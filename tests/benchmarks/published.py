"""Recompute the rows of docs/published_tables.rst from files that lie elsewhere.

Run ``python -m tests.benchmarks.published FOLDER``. The folder has the files of session-rec,
``data/rsc15/prepared/yoochoose-clicks-100k_*.txt`` and ``data/rsc15/recommendations/*.csv``
of its repository. Nothing is chosen on test rows.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import GridSearchCV

from sklearn_rank.metrics import make_recommender_scorer
from sklearn_rank.model_selection import TimeSplit
from sklearn_rank.recommenders import EASERecommender, ItemNeighborsRecommender

COLUMNS = {"user": "SessionId", "item": "ItemId"}
TIMED = {"time": "Time", **COLUMNS}
GRID = {"alpha": [0.5, 1], "beta": [0.1, 0.3], "recency": [0.7, 2]}
MODELS = {
    "cosine": ItemNeighborsRecommender(50, recency=0.7, **TIMED),
    "EASE": EASERecommender(100, recency=0.7, **TIMED),
    "cosine, self weights": ItemNeighborsRecommender(
        200, self_weight=True, recency=0.7, **TIMED
    ),
    "EASE, self weights": EASERecommender(300, self_weight=True, recency=0.7, **TIMED),
}


def tune_walk(train):
    """Return the walk that is best on the last tenth of the training clicks."""
    walk = ItemNeighborsRecommender(200, similarity="walk", self_weight=True, **TIMED)
    scorer = make_recommender_scorer("mrr@20", reveal=True, exclude_seen=False, **COLUMNS)
    cv = TimeSplit(1, test_size=0.1, cold_users="only", **TIMED)
    return GridSearchCV(walk, GRID, scoring=scorer, cv=cv).fit(train)


def shipped_targets(lists, test):
    """Return the clicks before each target whose list is shipped, and the target."""
    sessions = test.sort_values(["SessionId", "Time"], kind="stable").groupby("SessionId")
    clicks = sessions["ItemId"].agg(list)
    before, targets = [], []
    for session, position in zip(lists["SessionId"], lists["Position"], strict=True):
        before.append(clicks[session][: position + 1])
        targets.append(clicks[session][position + 1])
    return before, np.array(targets)


def hit_rate(lists, targets):
    """Return the share of targets in their lists."""
    return np.mean([one in row for row, one in zip(lists, targets, strict=True)])


def main(folder):
    """Print the tables."""
    files = {path.name: path for path in Path(folder).rglob("*") if path.is_file()}
    train, test = (
        pd.read_csv(files[f"yoochoose-clicks-100k_{part}.txt"], sep="\t")
        for part in ("train_full", "test")
    )
    scorer = make_recommender_scorer(
        ["hit_rate@20", "mrr@20"], reveal=True, exclude_seen=False, **COLUMNS
    )
    search = tune_walk(train)
    print("chosen:", search.best_params_)
    fitted = {name: model.fit(train) for name, model in MODELS.items()}
    fitted["walk, self weights"] = search.best_estimator_
    for name, model in fitted.items():
        print(f"{name:24}", {key: round(v, 4) for key, v in scorer(model, test).items()})
    for name in ("gru4rec", "vsknn", "sr", "ar"):
        lists = pd.read_csv(files[f"recoms_rsc15_100k_{name}.csv"], sep=";")
        before, targets = shipped_targets(lists, test)
        shipped = [list(map(int, row.split(",")[:20])) for row in lists["Recommendations"]]
        own = fitted["walk, self weights"].recommend_for_items(
            before, 20, exclude_seen=False
        )
        values = hit_rate(shipped, targets), hit_rate(own.tolist(), targets)
        print(f"{name:24} {len(targets)} targets: {values[0]:.4f}, walk {values[1]:.4f}")


if __name__ == "__main__":
    main(sys.argv[1])

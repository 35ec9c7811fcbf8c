"""What models reach on splits with published numbers.

``python -m tests.benchmarks.published FOLDER`` prints a table for each data set whose files
are in the folder: the folders ``gowalla``, ``ml-1m`` and ``lastfm`` of the repository
LightGCNpp, each with train.txt, valid.txt and test.txt; ``u.data`` of MovieLens 100K; the
sample of Yoochoose of the repository session-rec, with the lists of four models there after
387 clicks of 99 sessions. Nothing is chosen on test rows: parameters are those of a grid
search on training and validation rows, except where a line names another source.
"""

import argparse
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from sklearn_rank.inputs import from_item_lists
from sklearn_rank.metrics import (
    PerQueryScores,
    make_recommender_scorer,
    per_query_scores,
    ranking_scores,
)
from sklearn_rank.model_selection import LeaveRandomOut, TimeSplit
from sklearn_rank.rankers import RankFusion
from sklearn_rank.recommenders import (
    EASERecommender,
    ImplicitRecommender,
    ItemNeighborsRecommender,
    PopularityRecommender,
    SLIMRecommender,
    UserNeighborsRecommender,
)
from tests.benchmarks.peers import imported

__all__ = ["TABLES", "main", "split_by_item", "split_by_ratio"]

Row = tuple[str, Mapping[str, float | str]]
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


# Splits into train, valid and test, which have two protocols.

SPLITS = ("gowalla", "ml-1m", "lastfm")
PARTS = ("train.txt", "valid.txt", "test.txt")
# A model trains on train and valid, or on train alone: then items of valid stay in lists.
PROTOCOLS = {"train + valid": (20,), "train": (10, 40)}
# EASE inverts a matrix of items by items: for that of LastFM once a fit takes minutes.
MOST_ITEMS_OF_EASE, MOST_ITEMS_OF_A_SEARCH = 20_000, 5_000
RP3BETA = {"similarity": "walk", "keep": "both", "normalize": True}
# The setting of the repository Graph-RSs-Reproducibility of sisinflab. Its search reads
# train and test alone.
ANELLI = ItemNeighborsRecommender(777, alpha=0.56636, beta=0.00109, **RP3BETA)


def models_of_split(name: str, n_items: int) -> dict[str, tuple[Any, Any]]:
    """Return models and grids; an empty grid is a published setting."""
    models: dict[str, tuple[Any, Any]] = {
        "Popularity": (PopularityRecommender(), {}),
        "Item neighbors": (
            ItemNeighborsRecommender(),
            {"similarity": ["cosine", "tfidf"], "n_neighbors": [50, 200]},
        ),
        "Walk": (
            ItemNeighborsRecommender(similarity="walk"),
            [
                {"keep": ["candidate"], "n_neighbors": [100]},
                {"keep": ["history"], "n_neighbors": [500], "alpha": [0.7]},
            ],
        ),
        "RP3beta": (
            ItemNeighborsRecommender(**RP3BETA),
            [
                {"n_neighbors": [100, 200], "alpha": [0.5], "beta": [0.0]},
                {"n_neighbors": [100, 200], "alpha": [0.8], "beta": [0.45]},
                {"n_neighbors": [800], "alpha": [1.0], "beta": [0.3], "keep": ["history"]},
            ],
        ),
        "User neighbors": (
            UserNeighborsRecommender(),
            {"similarity": ["tfidf", "bm25"], "n_neighbors": [50, 100]},
        ),
        "SLIM": (SLIMRecommender(), {"alpha": [0.005, 0.02, 0.05]}),
    }
    if n_items <= MOST_ITEMS_OF_EASE:
        is_searched = n_items <= MOST_ITEMS_OF_A_SEARCH
        values = [300, 800, 2000] if is_searched else [100]
        models["EASE"] = EASERecommender(), {"regularization": values}
    if name == "gowalla":
        models["RP3beta, published setting"] = ANELLI, {}
    if (als := imported("implicit.als")) and (bpr := imported("implicit.bpr")):
        options: dict[str, Any] = {"factors": 64, "num_threads": 1, "random_state": 0}
        models["ALS of implicit"] = (
            ImplicitRecommender(als.AlternatingLeastSquares(**options)),
            {
                "model__alpha": [1, 5, 20, 50],
                "model__regularization": [0.1, 1, 10, 50, 200],
            },
        )
        models["BPR of implicit"] = (
            ImplicitRecommender(bpr.BayesianPersonalizedRanking(**options)),
            {"model__iterations": [20, 60, 150], "model__learning_rate": [0.01, 0.05]},
        )
    return models


def fused_pair(n_items: int) -> tuple[str, str]:
    """Return the titles of the models whose lists are fused, whatever they score."""
    return "RP3beta", "EASE" if n_items <= MOST_ITEMS_OF_A_SEARCH else "User neighbors"


def read_pairs(path: Path) -> np.ndarray:
    """Return the users and items of a file with a user and their items in each line."""
    lines = [
        np.array(line.split(), dtype=np.int64) for line in path.read_text().splitlines()
    ]
    users = [np.repeat(line[:1], len(line) - 1) for line in lines]
    items = [line[1:] for line in lines]
    return np.column_stack([np.concatenate(users), np.concatenate(items)])


def chosen_on_valid(
    model: Any, grid: Any, train: np.ndarray, valid: np.ndarray
) -> tuple[Any, str]:
    """Return the model with the parameters that are best on valid, and these in words."""
    if not grid:
        return model, ""
    rows = np.concatenate([train, valid])
    fold = np.split(np.arange(len(rows)), [len(train)])
    scorer = make_recommender_scorer("ndcg@20")
    search = GridSearchCV(model, grid, scoring=scorer, cv=[fold], refit=False).fit(rows)
    best = clone(model).set_params(**search.best_params_)
    return best, f", {in_words(search.best_params_)}"


def in_words(parameters: dict[str, Any]) -> str:
    """Return parameters as they are written in a call."""
    pairs = [(name.removeprefix("model__"), value) for name, value in parameters.items()]
    return ", ".join(f"{name}={value!r}" for name, value in pairs)


def split_table(name: str, folder: Path) -> Iterator[Row]:
    """Score models by both protocols, with intervals over users."""
    train, valid, test = (read_pairs(folder / name / part) for part in PARTS)
    rows_of = {"train + valid": np.concatenate([train, valid]), "train": train}
    sizes = {**rows_of, "test": test}
    yield "pairs", {part: f"{len(rows):,}" for part, rows in sizes.items()}
    n_items = len(np.unique(rows_of["train + valid"][:, 1]))
    lists: dict[str, list[pd.DataFrame]] = {protocol: [] for protocol in PROTOCOLS}
    for title, (model, grid) in models_of_split(name, n_items).items():
        best, words = chosen_on_valid(model, grid, train, valid)
        for protocol, metrics in metrics_of_protocols().items():
            fitted = clone(best).fit(rows_of[protocol])
            scores = make_recommender_scorer(metrics).per_query(fitted, test)
            yield f"{title}{words}; {protocol}", _with_intervals(scores)
            if title in fused_pair(n_items):
                lists[protocol].append(lists_of(fitted, np.unique(test[:, 0])))
    for protocol, metrics in metrics_of_protocols().items():
        scores = fused_scores(lists[protocol], test, metrics)
        title = f"Fusion of {' and '.join(fused_pair(n_items))}"
        yield f"{title}; {protocol}", _with_intervals(scores)


def metrics_of_protocols() -> dict[str, list[str]]:
    """Return the metrics of each protocol, in the order of the tables."""
    return {
        protocol: [f"{metric}@{k}" for k in cutoffs for metric in ("recall", "ndcg")]
        for protocol, cutoffs in PROTOCOLS.items()
    }


def lists_of(model: Any, users: np.ndarray, k: int = 100) -> pd.DataFrame:
    """Return the ranks of the first k items of each user."""
    items, scores = model.recommend(users, min(k, len(model.items_)), return_scores=True)
    ranks = np.broadcast_to(np.arange(1.0, items.shape[1] + 1), items.shape)
    is_listed = scores > -np.inf
    rows = {"item": items[is_listed], "rank": ranks[is_listed]}
    return pd.DataFrame({"user": users.repeat(is_listed.sum(axis=1)), **rows})


def fused_scores(
    lists: list[pd.DataFrame], test: np.ndarray, metrics: list[str]
) -> PerQueryScores:
    """Return scores of lists fused by reciprocal rank, with equal weights."""
    rows = pd.DataFrame(test, columns=["user", "item"]).assign(relevant=1)
    for name, ranks in enumerate(lists):
        ranks = ranks.rename(columns={"rank": f"rank of {name}"})
        rows = rows.merge(ranks, on=["user", "item"], how="outer")
    groups, runs = rows["user"].to_numpy(), rows.filter(like="rank of ").to_numpy()
    fusion = RankFusion(values="ranks").fit(runs, groups=groups)
    y_score = fusion.predict(runs, groups=groups)
    y_true = rows["relevant"].fillna(0).to_numpy()
    return per_query_scores(y_true, y_score, groups=groups, metrics=metrics)


def _with_intervals(scores: PerQueryScores) -> dict[str, str]:
    report = scores.report(confidence_level=0.95, output_dict=True)
    return {
        metric: "{mean:.4f} [{low:.4f}, {high:.4f}]".format(**values)
        for metric, values in report.items()
    }


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
    **{
        name: (tuple(f"{name}/{part}" for part in PARTS), partial(split_table, name))
        for name in SPLITS
    },
    "recommenders": (("u.data",), recommenders_table),
    "Cornac": (("u.data",), cornac_table),
    "session-rec": (
        ("yoochoose-clicks-100k_train_full.txt", "yoochoose-clicks-100k_test.txt"),
        clicks_table,
    ),
}


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--table", choices=TABLES, help="this one alone")
    options = parser.parse_args()
    for name, (files, rows) in TABLES.items():
        if options.table not in (None, name):
            continue
        missing = [file for file in files if not (options.folder / file).exists()]
        print(f"\n{name}{', left out without ' if missing else ''}{', '.join(missing)}")
        for model, found in () if missing else rows(options.folder):
            numbers = "  ".join(
                f"{metric} {_text(value)}" for metric, value in found.items()
            )
            print(f"  {model:62}  {numbers}", flush=True)


def _text(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.4f}"


if __name__ == "__main__":
    main()

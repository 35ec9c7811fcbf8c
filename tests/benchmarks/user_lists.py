"""Lists of users in parts, as engines make them, beside one call for all.

``python -m tests.benchmarks.user_lists`` prints the processor time of each model.
"""

import argparse
from collections.abc import Iterator
from functools import partial
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
from sklearn.decomposition import TruncatedSVD

from sklearn_rank.datasets import make_interactions
from sklearn_rank.distributed import UserLists
from sklearn_rank.recommenders import (
    EASERecommender,
    ItemNeighborsRecommender,
    MatrixFactorizationRecommender,
    PopularityRecommender,
)

MODELS = {
    "popularity": PopularityRecommender(),
    "item neighbors": ItemNeighborsRecommender(),
    "EASE": EASERecommender(),
    "64 factors": MatrixFactorizationRecommender(TruncatedSVD(64, random_state=0)),
}


def measure(
    n_users: int, n_items: int, parts: list[int]
) -> Iterator[tuple[str, list[float]]]:
    """Yield the microseconds a user of one call, and of lists in so many parts."""
    log = make_interactions(n_users, n_items, 10 * n_users, as_frame=True, random_state=0)
    users = pd.DataFrame(
        {"user": np.random.default_rng(0).permutation(log["user"].unique())}
    )
    for name, model in MODELS.items():
        model.fit(log[["user", "item"]])
        lists = UserLists(model)
        one_call = _seconds(partial(model.recommend, users["user"], return_scores=True))
        in_parts = [_seconds(partial(_made, lists, users, n)) for n in parts]
        yield name, [1e6 * one / len(users) for one in (one_call, *in_parts)]


def _made(lists: UserLists, users: pd.DataFrame, n_parts: int) -> None:
    for rows in np.array_split(np.arange(len(users)), n_parts):
        lists(users.iloc[rows])


def _seconds(call: Any) -> float:
    start = process_time()
    call()
    return process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=20_000)
    parser.add_argument("--items", type=int, default=5_000)
    parser.add_argument("--parts", type=int, nargs="+", default=[1, 4, 64])
    options = parser.parse_args()
    titles = ["one call", *(f"{n} parts" for n in options.parts)]
    print(f"{'us a user':16}" + "".join(f"{title:>10}" for title in titles))
    for name, found in measure(options.users, options.items, options.parts):
        print(f"{name:16}" + "".join(f"{one:10.1f}" for one in found))


if __name__ == "__main__":
    main()

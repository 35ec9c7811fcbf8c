"""What recommenders cost on a large log: processor time and the peak of memory.

``python -m tests.benchmarks.large_log --rows 10_000_000 --users 500_000 --items 50_000``
makes the log, fits each model and recommends 10 items to 5,000 users, each model in a
process of its own. The line "log" is what reading the log alone takes.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from sklearn_rank.recommenders import (
    ImplicitRecommender,
    ItemNeighborsRecommender,
    MatrixFactorizationRecommender,
    PopularityRecommender,
    SLIMRecommender,
    UserNeighborsRecommender,
)

__all__ = ["measure_all"]

N_LISTS = 5_000
N_FACTORS = 64


def als() -> ImplicitRecommender:
    from implicit.als import AlternatingLeastSquares

    model = AlternatingLeastSquares(
        N_FACTORS, iterations=5, random_state=0, num_threads=1, use_gpu=False
    )
    return ImplicitRecommender(model, weighting="binary")


def svd() -> MatrixFactorizationRecommender:
    from sklearn.decomposition import TruncatedSVD

    model = TruncatedSVD(N_FACTORS, n_iter=5, random_state=0)
    return MatrixFactorizationRecommender(model, weighting="binary")


MODELS: dict[str, Callable[[], Any] | None] = {
    "log": None,
    "popularity": PopularityRecommender,
    "item neighbors": lambda: ItemNeighborsRecommender(50, weighting="binary"),
    "user neighbors": lambda: UserNeighborsRecommender(50, weighting="binary"),
    "SLIM": lambda: SLIMRecommender(weighting="binary"),
    "SVD": svd,
    "ALS": als,
}


def make_log(path: Path, n_rows: int, n_users: int, n_items: int) -> None:
    """Write pairs of users and items, a few of which have most of the rows."""
    rng = np.random.default_rng(0)
    pairs = np.empty((n_rows, 2), dtype=np.int32)
    pairs[:, 0] = n_users * rng.random(n_rows) ** 2
    pairs[:, 1] = n_items * rng.random(n_rows) ** 3
    np.save(path, pairs)


def run(model: str, path: Path) -> dict[str, float]:
    """Return what a model costs, in this process."""
    import resource

    pairs = np.load(path)
    make = MODELS[model]
    found = {"fit": 0.0, "recommend": 0.0}
    if make is not None:
        start = time.process_time()
        recommender = make().fit(pairs)
        found["fit"] = time.process_time() - start
        start = time.process_time()
        recommender.recommend(recommender.users_[:N_LISTS], 10, return_scores=True)
        found["recommend"] = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {**found, "megabytes": peak / 1024}


def measure_all(
    n_rows: int, n_users: int, n_items: int, models: list[str], scratch: Path | None
) -> dict[str, dict[str, float]]:
    """Return what each model costs, each in a process of its own."""
    found = {}
    with TemporaryDirectory(dir=scratch) as folder:
        path = Path(folder) / "log.npy"
        make_log(path, n_rows, n_users, n_items)
        for model in models:
            own = [
                sys.executable,
                "-m",
                __spec__.name,
                "--model",
                model,
                "--log",
                str(path),
            ]
            done = subprocess.run(own, capture_output=True, text=True, check=True)
            found[model] = json.loads(done.stdout)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--users", type=int, default=50_000)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS))
    parser.add_argument("--scratch", type=Path, help="folder for the log")
    parser.add_argument("--model", choices=MODELS, help="run one, on the file --log")
    parser.add_argument("--log", type=Path)
    options = parser.parse_args()
    if options.model:
        print(json.dumps(run(options.model, options.log)))
        return
    size = options.rows, options.users, options.items
    found = measure_all(*size, options.models, options.scratch)
    print("{:,} rows, {:,} users, {:,} items".format(*size))
    print(f"{'':16}{'fit, CPU s':>11}{'lists, CPU s':>14}{'peak MB':>9}")
    for model, one in found.items():
        times = f"{one['fit']:11.1f}{one['recommend']:14.2f}"
        print(f"{model:16}{times}{one['megabytes']:9.0f}")


if __name__ == "__main__":
    main()

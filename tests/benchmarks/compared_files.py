"""What a comparison of two models costs whose values per query stand in files.

``python -m tests.benchmarks.compared_files --queries 10_000_000`` makes the files, and
prints the processor time, reading included, and the peak memory of each way. Each way runs
in a process of its own.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from tests.benchmarks.out_of_core import peak_megabytes

__all__ = ["measure_all"]

QUERIES_A_FILE = 500_000
MODELS = ("old", "new")
WAYS = ("in memory", "files")
FILES = ("integers", "strings", "strings in one order")


def make_files(folder: Path, n_queries: int, kind: str) -> None:
    """Write values of two models, with the same queries in files of the same name."""
    import pyarrow as pa
    from pyarrow import parquet

    order = np.random.default_rng(0).permutation(n_queries)
    for seed, model in enumerate(MODELS):
        rng = np.random.default_rng(seed)
        (folder / model).mkdir()
        for file, start in enumerate(range(0, n_queries, QUERIES_A_FILE)):
            query = order[start : start + QUERIES_A_FILE]
            query = query if kind == "strings in one order" else rng.permutation(query)
            base = query * 7_368_787 % n_queries / n_queries
            value = np.clip(base + 0.01 * rng.standard_normal(len(query)), 0, 1)
            columns = {
                "group": query if kind == "integers" else [f"u{one}" for one in query],
                "rows": np.ones(len(query), dtype=np.int64),
                "ndcg@10": value,
                "map@10": value**2,
            }
            parquet.write_table(pa.table(columns), folder / model / f"{file:05}.parquet")


def run(way: str, folder: Path) -> dict[str, Any]:
    """Return what a way costs and finds, in this process."""
    import resource

    from pyarrow import dataset

    from sklearn_rank.statistics import compare_models

    start = resource.getrusage(resource.RUSAGE_SELF)
    files = {model: dataset.dataset(folder / model) for model in MODELS}
    given = (
        files if way == "files" else {name: one.to_table() for name, one in files.items()}
    )
    found = compare_models(given, baseline="old")
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "seconds": used.ru_utime + used.ru_stime - start.ru_utime - start.ru_stime,
        "megabytes": peak_megabytes(),
        "differences": found.columns["difference"].tolist(),
        "p_values": found.columns["p_value"].tolist(),
    }


def measure_all(n_queries: int, scratch: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """Return what each way costs for each kind of files."""
    found = {}
    for kind in FILES:
        with TemporaryDirectory(dir=scratch) as folder:
            make_files(Path(folder), n_queries, kind)
            for way in WAYS:
                command = [sys.executable, "-m", __spec__.name]
                command += ["--way", way, "--scratch", folder]
                done = subprocess.run(command, capture_output=True, text=True, check=True)
                found[kind, way] = json.loads(done.stdout)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=1_000_000)
    parser.add_argument("--scratch", type=Path, help="folder for the files")
    parser.add_argument("--way", choices=WAYS, help="run one, of files in --scratch")
    options = parser.parse_args()
    if options.way:
        print(json.dumps(run(options.way, options.scratch)))
        return
    found = measure_all(options.queries, options.scratch)
    print(f"{options.queries} queries, {len(MODELS)} models, 2 metrics")
    print(f"{'':34}{'CPU s':>8}{'peak MB':>9}")
    for (kind, way), one in found.items():
        print(f"{f'{kind}, {way}':34}{one['seconds']:8.1f}{one['megabytes']:9.0f}")


if __name__ == "__main__":
    main()

"""What rows cost that are streamed from Parquet, beside one call in memory.

``python -m tests.benchmarks.out_of_core --rows 50_000_000`` makes the files and prints
the processor time a row and the peak memory of each way. Each way runs in a process of its
own; what the imports take is measured too and taken off the times.
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

__all__ = ["measure_all"]

METRICS = ["ndcg@10", "map@10", "mrr@10", "recall@10", "precision@10"]
COLUMNS = {"groups": "user", "y_true": "grade", "y_score": "score"}
ROWS_A_QUERY = 50
ROWS_A_FILE = 1_000_000


def make_files(folder: Path, n_rows: int) -> None:
    """Write the rows twice: in order of queries, and in no order."""
    import pyarrow as pa
    from pyarrow import parquet

    n_queries = max(n_rows // ROWS_A_QUERY, 1)
    starts = range(0, n_rows, ROWS_A_FILE)
    # Small types: what this process holds counts for those that it starts.
    grade, percent = np.empty((2, n_rows), dtype=np.int8)
    for file, start in enumerate(starts):
        rng = np.random.default_rng(file)
        size = min(ROWS_A_FILE, n_rows - start)
        rows = slice(start, start + size)
        grade[rows] = rng.integers(1, 5, size) * (rng.random(size) < 0.05)
        is_lost = rng.random(size) < 0.01
        percent[rows] = np.where(is_lost, -1, rng.integers(0, 101, size))
    for name in ("sorted", "shuffled"):
        (folder / name).mkdir()
        for file, start in enumerate(starts):
            row = np.arange(start, min(start + ROWS_A_FILE, n_rows))
            # A step that shares no factor with the number of rows meets each row once.
            place = row if name == "sorted" else row * 7_368_787 % n_rows
            score = np.where(percent[place] < 0, -np.inf, percent[place] / 100)
            user = place * n_queries // n_rows
            table = pa.table({"user": user, "grade": grade[place], "score": score})
            parquet.write_table(
                table, folder / name / f"{file:05}.parquet", row_group_size=250_000
            )


def dataset(folder: Path, name: str) -> Any:
    from pyarrow import dataset

    return dataset.dataset(folder / name)


def imports(folder: Path, name: str) -> None:
    """Import what all others do."""
    from pyarrow import dataset  # noqa: F401

    from sklearn_rank.distributed import QueryScorer  # noqa: F401


def in_memory(folder: Path, name: str) -> Any:
    """Read all rows, and score them in one call."""
    from sklearn_rank.distributed import QueryScorer

    table = dataset(folder, name).to_table(columns=list(COLUMNS.values()))
    return QueryScorer(METRICS, **COLUMNS)(table)


def streamed(folder: Path, name: str, **way: Any) -> Any:
    from sklearn_rank.distributed import QueryScorer

    score = QueryScorer(METRICS, **COLUMNS)
    return score.stream(dataset(folder, name), **way, memory="400MB")


def carried_over(folder: Path, name: str) -> Any:
    """Score batches, of which the last query is carried over."""
    return streamed(folder, name, sorted_by="user")


def in_passes(folder: Path, name: str) -> Any:
    """Read the files eight times, an eighth of the queries each time."""
    from sklearn_rank.distributed import QueryScorer

    score = QueryScorer(METRICS, **COLUMNS)
    return score.stream(dataset(folder, name), partitions=8, memory="3GB")


def spilled(folder: Path, name: str) -> Any:
    """Write the rows in parts, and score these."""
    with TemporaryDirectory(dir=folder) as scratch:
        return streamed(folder, name, spill=scratch)


def by_duckdb(folder: Path, name: str) -> Any:
    """Sort with DuckDB, and score batches."""
    import duckdb

    from sklearn_rank.distributed import QueryScorer

    con = duckdb.connect()
    con.execute("SET memory_limit = '1GB'")
    rows = con.sql(f"FROM '{folder / name}/*.parquet' ORDER BY \"user\"")
    score = QueryScorer(METRICS, **COLUMNS)
    return score.stream(rows.to_arrow_reader(100_000), sorted_by="user", memory="400MB")


def by_polars(folder: Path, name: str) -> Any:
    """Read the files eight times with Polars."""
    import polars as pl

    from sklearn_rank.distributed import QueryScorer

    score = QueryScorer(METRICS, **COLUMNS)
    lazy = pl.scan_parquet(folder / name / "*.parquet")
    part = pl.col("user").hash() % 8
    values = (
        score(lazy.filter(part == number).collect(engine="streaming"))
        for number in range(8)
    )
    return list(values)


def by_dask(folder: Path, name: str) -> Any:
    """Shuffle with Dask, in threads of this process."""
    import dask.dataframe as dd

    from sklearn_rank.distributed import QueryScorer

    score = QueryScorer(METRICS, **COLUMNS)
    ddf = dd.read_parquet(folder / name)
    whole = ddf.shuffle("user", npartitions=8)
    return whole.map_partitions(score, meta=score.meta(ddf)).compute()


WAYS = {
    "imports": (imports, "sorted"),
    "in memory, sorted": (in_memory, "sorted"),
    "in memory, shuffled": (in_memory, "shuffled"),
    "carried over": (carried_over, "sorted"),
    "in 8 passes": (in_passes, "shuffled"),
    "spilled": (spilled, "shuffled"),
    "DuckDB": (by_duckdb, "shuffled"),
    "Polars": (by_polars, "shuffled"),
    "Dask": (by_dask, "shuffled"),
}


def peak_megabytes() -> float:
    """Return the peak memory of this process.

    What ``getrusage`` tells is on Linux that of the process that started it, where that was
    larger.
    """
    status = Path("/proc/self/status")
    if status.exists():
        found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text())
        if found:
            return int(found[1]) / 1024
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def run(way: str, folder: Path) -> dict[str, Any]:
    """Return what a way costs and finds, in this process."""
    import resource

    function, name = WAYS[way]
    values = function(folder, name)
    used = resource.getrusage(resource.RUSAGE_SELF)
    found: dict[str, Any] = {
        "seconds": used.ru_utime + used.ru_stime,
        "megabytes": peak_megabytes(),
    }
    if values is not None:
        from sklearn_rank.distributed import summarize

        report = summarize(values, output_dict=True)
        found["means"] = {metric: row["mean"] for metric, row in report.items()}
    return found


def measure_all(n_rows: int, ways: list[str], scratch: Path) -> dict[str, dict[str, Any]]:
    """Return what each way costs, each in a process of its own."""
    found = {}
    with TemporaryDirectory(dir=scratch) as folder:
        make_files(Path(folder), n_rows)
        for way in ways:
            command = [
                sys.executable,
                "-m",
                __spec__.name,
                "--way",
                way,
                "--scratch",
                folder,
            ]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            found[way] = json.loads(done.stdout)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--scratch", type=Path, help="folder for the files")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--way", choices=WAYS, help="run one, of files in --scratch")
    options = parser.parse_args()
    if options.way:
        print(json.dumps(run(options.way, options.scratch)))
        return
    found = measure_all(options.rows, options.ways, options.scratch)
    start = found.get("imports", {"seconds": 0.0})["seconds"]
    print(f"{options.rows} rows, {len(METRICS)} metrics")
    print(f"{'':22}{'CPU s':>8}{'ns a row':>10}{'peak MB':>9}")
    for way, one in found.items():
        seconds = one["seconds"] - (0 if way == "imports" else start)
        each = "" if way == "imports" else f"{seconds / options.rows * 1e9:.0f}"
        print(f"{way:22}{seconds:8.1f}{each:>10}{one['megabytes']:9.0f}")


if __name__ == "__main__":
    main()

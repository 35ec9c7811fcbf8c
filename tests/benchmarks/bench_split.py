"""Time and memory of the splitters, beside one lexsort of the same columns.

Run: python -m tests.benchmarks.bench_split [n_rows]
"""

import statistics
import sys
import time
import tracemalloc

import numpy as np

from sklearn_rank.model_selection import (
    Last,
    LeaveLastOut,
    LeaveRandomOut,
    TimeSplit,
    UserKFold,
    UserTimeSplit,
    k_core,
)

SPLITTERS = {
    "LeaveLastOut()": LeaveLastOut(),
    "LeaveLastOut(0.1, n_splits=3)": LeaveLastOut(0.1, n_splits=3),
    "LeaveRandomOut()": LeaveRandomOut(random_state=0),
    "TimeSplit()": TimeSplit(),
    "TimeSplit(3, seen_items='drop')": TimeSplit(3, seen_items="drop"),
    "UserKFold(5)": UserKFold(5),
    "UserKFold(5, Last(1))": UserKFold(5, Last(1)),
    "UserTimeSplit(5)": UserTimeSplit(5),
}


def make_log(n_rows):
    """Return users, items and times of a log in no order, as 64-bit integers."""
    random = np.random.default_rng(0)
    n_users = max(2, n_rows // 50)
    users = (n_users * random.random(n_rows) ** 2).astype(np.int64)
    items = (n_users * random.random(n_rows) ** 3).astype(np.int64)
    return users, items, random.integers(1_500_000_000, 1_600_000_000, n_rows)


def run(n_rows=10_000_000, repeat=3):
    """Return a row (name, median seconds, ratio to lexsort, memory ratio) for each.

    Seconds are the processor's. Each run is followed by a lexsort, and the ratio is the
    median over these pairs, so that other work on the machine matters little. Memory is
    what is allocated at most beside the log, over the size of the columns of users and
    times. Each splitter makes all of its folds, none of which is kept.
    """
    users, items, times = make_log(n_rows)
    columns = {"users": users, "items": items, "times": times}
    work = {
        name: lambda cv=cv: [len(test) for _, test in cv.split(None, **columns)]
        for name, cv in SPLITTERS.items()
    }
    work["k_core"] = lambda: k_core(users, items)
    size = users.nbytes + times.nbytes
    rows = []
    for name, task in work.items():
        pairs = [
            (_seconds(task), _seconds(lambda: np.lexsort((times, users))))
            for _ in range(repeat)
        ]
        seconds = statistics.median(own for own, _ in pairs)
        ratio = statistics.median(own / lexsort for own, lexsort in pairs)
        rows.append((name, seconds, ratio, _peak(task) / size))
    return rows


def _seconds(task):
    start = time.process_time()
    task()
    return time.process_time() - start


def _peak(task):
    tracemalloc.start()
    task()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def main():
    """Print the table."""
    n_rows = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    print(f"{n_rows} rows: seconds, times one lexsort, times the memory of two columns")
    for name, seconds, ratio, memory in run(n_rows):
        print(f"{name:<34} {seconds:8.3f} {ratio:8.2f} {memory:8.2f}")


if __name__ == "__main__":
    main()

"""Time tasks in turn, so that other work on the machine slows them alike."""

import gc
import statistics
import time
import tracemalloc
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.benchmarks.case import Case, Task

__all__ = ["Times", "check_values", "measure", "peak_bytes"]


@dataclass
class Times:
    """Seconds a call on the clock and of the processor (all threads), one a repetition."""

    clock: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)
    result: Any = None

    @property
    def median(self) -> float:
        return statistics.median(self.clock)

    @property
    def least_cpu(self) -> float:
        return min(self.processor)


def measure(case: Case, repeats: int) -> dict[str, Times]:
    """Run ours and then each peer, `repeats` times; return their times by name."""
    tasks = [task for task in (case.ours, *case.peers) if task.run is not None]
    times = {task.name: Times() for task in tasks}
    repeats = min(repeats, case.most_repeats or repeats)
    for task in tasks:
        if task.is_warmed_up:
            task.run()
    for repeat in range(repeats):
        for task in tasks:
            if repeat < (task.most_repeats or repeats):
                _time(task, times[task.name])
    return times


def _time(task: Task, times: Times) -> None:
    gc.collect()
    gc.disable()
    try:
        clock, processor = time.perf_counter(), time.process_time()
        for _ in range(task.number):
            result = task.run()
        times.processor.append((time.process_time() - processor) / task.number)
        times.clock.append((time.perf_counter() - clock) / task.number)
    finally:
        gc.enable()
    times.result = None if task.values is None else task.values(result)


def peak_bytes(task: Task) -> int:
    """Return the most memory that Python and NumPy allocate at a time while it runs."""
    gc.collect()
    tracemalloc.start()
    try:
        task.run()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def check_values(case: Case, times: dict[str, Times]) -> list[dict[str, Any]]:
    """Return, for each peer that has values, how far ours are from them."""
    rows = []
    ours = times[case.ours.name].result
    for task in case.peers:
        theirs = times[task.name].result if task.name in times else None
        if theirs is None or ours is None:
            continue
        shared = [name for name in ours if name in theirs]
        # NumPy's maximum, for NaN must come through.
        largest = float(np.max([abs(ours[name] - theirs[name]) for name in shared]))
        rows.append(
            {
                "case": case.name,
                "peer": task.name,
                "values": len(shared),
                "largest_difference": largest,
                "tolerance": task.tolerance,
                "agree": largest <= task.tolerance,
            }
        )
    return rows

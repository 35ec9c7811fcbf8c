"""Threads for blocks of work that compiled code does without Python's lock."""

import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from typing import Any, TypeVar

from sklearn_rank._base._validation import shorten

T = TypeVar("T")

_VARIABLES = "SKLEARN_RANK_NUM_THREADS", "OMP_NUM_THREADS"
# Python's lock makes more threads wait, and each has smaller blocks.
_MOST_BY_DEFAULT = 8
# For fewer multiplications, starting threads takes longer than they save.
_MANY_PRODUCTS = 2**22

_is_in_block: ContextVar[bool] = ContextVar("is_in_block", default=False)


def threads_for(n_products: float) -> int:
    """Return the number of threads for a number of multiplications.

    Within a job of joblib, or a block of `run_in_threads`, it is 1.
    """
    wanted = _wanted_threads()
    parallel = sys.modules.get("joblib.parallel")  # in a job it is loaded
    is_in_job = _is_in_block.get() or (
        parallel is not None and parallel.get_active_backend()[0].nesting_level
    )
    return 1 if is_in_job or n_products < _MANY_PRODUCTS else wanted


def run_in_threads(
    function: Callable[[Any], T], blocks: Sequence[Any], n_threads: int
) -> list[T]:
    """Return what a function returns for each block, in their order.

    Results must not depend on how blocks are cut. A BLAS rounds products by their shape, so
    functions must not call one.
    """
    if n_threads < 2 or len(blocks) < 2:
        return [function(block) for block in blocks]

    def run(block: Any) -> T:
        _is_in_block.set(True)
        return function(block)

    contexts = [copy_context() for _ in blocks]
    with ThreadPoolExecutor(min(n_threads, len(blocks))) as pool:
        return list(
            pool.map(lambda context, block: context.run(run, block), contexts, blocks)
        )


def _wanted_threads() -> int:
    for name in _VARIABLES:
        if setting := os.environ.get(name):
            # OpenMP takes a list, the number of threads at each level.
            first = setting.partition(",")[0] if name.startswith("OMP") else setting
            if not first.strip().isdecimal() or int(first) < 1:
                raise ValueError(
                    f"The environment variable {name} must be an integer >= 1, the number "
                    f"of threads, got {shorten(setting)}."
                )
            return int(first)
    from joblib import cpu_count

    return min(cpu_count(), _MOST_BY_DEFAULT)

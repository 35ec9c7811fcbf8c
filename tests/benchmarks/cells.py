"""Rows of all kinds: short and long lists, few or all graded, in runs or not, with ties."""

from functools import partial
from itertools import product

from tests.benchmarks.case import Case, argsort_of
from tests.benchmarks.data import Queries, make_queries
from tests.benchmarks.flat import case_of

__all__ = ["CASES"]

LENGTHS = (10, 100, 10_000)
SHARES = {"1%": 0.01, "5%": 0.05, "33%": 1 / 3, "all": 1.0}
# The worst cell may take so many sorts of all scores.
LIMITS = {"runs": 1.5, "shuffled": 2.2}


def cell(
    name: str, length: int, graded: str, order: str, is_tied: bool, scale: int
) -> Case:
    n_queries = max(1_000_000 // scale // length, 1)
    data = make_queries(n_queries * length, n_queries, SHARES[graded])
    argsort = argsort_of(data.y_score, LIMITS[order])
    if is_tied:
        data = Queries(data.y_true, data.y_score.round(1), data.groups)
    return case_of(name, data.shuffled() if order == "shuffled" else data, [argsort])


CASES = {}
for one in product(LENGTHS, SHARES, LIMITS, (False, True)):
    name = "rows-{}-{}-{}".format(*one) + "-tied" * one[3]
    CASES[name] = partial(cell, name, *one)

"""An elastic net of each item on a few others, from the products of their columns."""

import os
import warnings
from contextlib import nullcontext
from functools import partial
from typing import NamedTuple

import numpy as np
from joblib import effective_n_jobs
from scipy import sparse
from sklearn import config_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import enet_path
from sklearn.utils.parallel import Parallel, delayed

from sklearn_rank._arrays._blocks import PRODUCTS
from sklearn_rank._arrays._runs import cut_runs, sizes_of, starts_of
from sklearn_rank._warn import warn_caller
from sklearn_rank.recommenders._similarity import n_products

# Items of one job of a process: some tenths of a second of work.
_ITEMS = 500
# For fewer items, starting processes takes longer than the work.
_MANY_ITEMS = 10_000

# Items that did not converge are counted instead. Threads of a process share warning
# filters: if each set its own, they would undo each other's.
_without_warnings = partial(
    warnings.catch_warnings, action="ignore", category=ConvergenceWarning
)


def needed_gram(
    item_users: sparse.csr_array, nearest: sparse.csr_array
) -> sparse.csr_array:
    """Return the products of items that appear in one regression.

    A regression has an item and its nearest ones. The products of all pairs of items that
    share a user would be far more. Each pair is there once, in the row of the item with
    fewer users: popular items, which are near to many, then have no long rows to search.
    """
    user_items = item_users.T.tocsr()
    together = (nearest + sparse.eye_array(nearest.shape[0])).astype(bool)
    together = together.astype(np.float32).tocsr()
    of_item = together.T.tocsr()
    rank = np.argsort(np.argsort(sizes_of(item_users.indptr), kind="stable"))
    work = n_products(item_users, user_items) + n_products(of_item, together)
    parts = []
    for first, last in cut_runs(starts_of(work), PRODUCTS):
        is_needed = of_item[first:last] @ together
        is_needed.data[:] = 1  # SciPy would sort bool entries
        products = (item_users[first:last] @ user_items).multiply(is_needed).tocsr()
        own = rank[first:last].repeat(sizes_of(products.indptr))
        products.data[own > rank[products.indices]] = 0
        products.eliminate_zeros()
        parts.append(products)
    gram = sparse.vstack(parts, format="csr")
    gram.sort_indices()
    return gram


class ElasticNets(NamedTuple):
    """The penalties, not divided by a number of samples, and when to stop."""

    l1: float
    l2: float
    max_iter: int
    tol: float

    def solve(
        self, gram: sparse.csr_array, nearest: sparse.csr_array, n_jobs: int | None
    ) -> sparse.csr_array:
        """Return the weights of each item's nearest ones, a column an item."""
        n_items = gram.shape[0]
        size = n_items
        if n_items >= _MANY_ITEMS and effective_n_jobs(n_jobs) > 1:
            size = _ITEMS
        jobs = [
            (self, gram, nearest, start, min(start + size, n_items), os.getpid())
            for start in range(0, n_items, size)
        ]
        with _without_warnings():
            if len(jobs) > 1:
                # Processes, since most of the time is spent in Python.
                solved = Parallel(n_jobs=n_jobs)(delayed(_solve_some)(*job) for job in jobs)
            else:
                solved = [_solve_some(*job) for job in jobs]
        n_open = sum(n_open for _, n_open in solved)
        if n_open:
            warn_caller(
                f"The weights of {n_open} of {n_items} item(s) have not converged after "
                f"max_iter={self.max_iter} rounds; raise `max_iter` or `alpha`.",
                category=ConvergenceWarning,
            )
        weights = np.concatenate([weights for weights, _ in solved])
        rows = sparse.csr_array((weights, nearest.indices, nearest.indptr), gram.shape)
        columns = rows.T.tocsr()
        columns.eliminate_zeros()
        return columns


def _solve_some(
    nets: ElasticNets,
    gram: sparse.csr_array,
    nearest: sparse.csr_array,
    first: int,
    last: int,
    caller: int,
) -> tuple[np.ndarray, int]:
    """Return the weights of some items, and how many items have not converged.

    `caller` is the process that asks, which has set its own filters of warnings.
    """
    weights = np.empty(nearest.indptr[last] - nearest.indptr[first])
    done = n_open = 0
    # Checking the parameters for each item would double the time.
    filters = nullcontext() if os.getpid() == caller else _without_warnings()
    with config_context(skip_parameter_validation=True), filters:
        for item in range(first, last):
            near = nearest.indices[nearest.indptr[item] : nearest.indptr[item + 1]]
            if len(near):
                found, has_converged = _solve(nets, gram, item, near)
                weights[done : done + len(near)] = found
                n_open += not has_converged
            done += len(near)
    return weights, n_open


def _solve(
    nets: ElasticNets, gram: sparse.csr_array, item: int, near: np.ndarray
) -> tuple[np.ndarray, bool]:
    """Return the weights of the nearest items of one, and whether they converged."""
    together = np.append(near, item)
    half = gram[np.ix_(together, together)].toarray()
    products = half + half.T
    np.fill_diagonal(products, half.diagonal())
    squares = products[-1, -1]
    # With these products nothing is read from X but its number of rows, by which the
    # penalties are multiplied, and from y but its length.
    _, weights, gaps, _ = enet_path(
        np.zeros((1, len(near)), order="F"),
        np.sqrt([squares]),
        precompute=np.ascontiguousarray(products[:-1, :-1]),
        Xy=products[:-1, -1].copy(),
        alphas=[nets.l1 + nets.l2],
        l1_ratio=nets.l1 / (nets.l1 + nets.l2),
        max_iter=nets.max_iter,
        tol=nets.tol,
        positive=True,
        check_input=False,
        return_n_iter=True,
    )
    return weights[:, 0], bool(gaps[0] <= nets.tol * squares)

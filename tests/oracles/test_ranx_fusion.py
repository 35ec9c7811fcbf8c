"""Fusion of runs: RankFusion against ranx."""

import numpy as np
import pytest

from sklearn_rank.inputs import from_runs
from sklearn_rank.rankers import RankFusion
from tests.oracles.agreement import agree

ranx = pytest.importorskip("ranx")
fusion = pytest.importorskip("ranx.fusion")
normalization = pytest.importorskip("ranx.normalization")

N_QUERIES, N_RUNS = 60, 3
COMBINED = ["comb_sum", "comb_mnz", "comb_anz", "comb_max", "comb_min"]
NORMS = {
    "min_max": "min_max_norm",
    "sum": "sum_norm",
    "z_score": "zmuv_norm",
    "rank": "rank_norm",
}


def make_runs(least=2):
    """Return runs without ties, of `least` items a query or more."""
    rng = np.random.default_rng(5)
    runs = []
    for _ in range(N_RUNS):
        run = {}
        for query in range(N_QUERIES):
            items = rng.permutation(12)[: rng.integers(least, 9)].tolist()
            run[f"q{query}"] = {f"d{item}": float(rng.random()) for item in items}
        runs.append(run)
    return runs


RUNS = make_runs()
ROWS = from_runs({}, RUNS, return_items=True)


def fused(**options):
    model = RankFusion(**options).fit(ROWS.X, groups=ROWS.groups)
    return model.predict(ROWS.X, groups=ROWS.groups)


def compare(name, ours, theirs):
    found = [theirs.run[q][i] for q, i in zip(ROWS.groups, ROWS["items"], strict=True)]
    agree(name, "ranx", ours, found)


def their_runs(norm=None):
    runs = [ranx.Run(run) for run in RUNS]
    return runs if norm is None else [getattr(normalization, norm)(run) for run in runs]


@pytest.mark.parametrize("k", [0, 10, 60])
def test_reciprocal_rank_fusion(k):
    compare("rrf", fused(rrf_k=k), fusion.rrf(their_runs(), k=k))


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("method", COMBINED)
def test_combinations(method, norm):
    ours = fused(method=method, normalization=norm)
    theirs = getattr(fusion, method)(their_runs(NORMS[norm]))
    compare(f"{method}, {norm}", ours, theirs)


def test_weighted_sum():
    weights = [0.5, 0.2, 0.3]
    ours = fused(method="comb_sum", weights=weights)
    compare("comb_sum(weights)", ours, fusion.wsum(their_runs("min_max_norm"), weights))


def test_borda():
    """Its points are ours times the number of items of the query."""
    _, query, size = np.unique(ROWS.groups, return_inverse=True, return_counts=True)
    ours = fused(method="borda") * size[query]
    compare("borda", ours, fusion.bordafuse(their_runs()))


def test_a_single_score_is_lost_there_and_counts_here():
    runs = [{"q": {"a": 3.0}}, {"q": {"b": 2.0, "c": 1.0}}]
    theirs = fusion.comb_sum([normalization.min_max_norm(ranx.Run(run)) for run in runs])
    assert theirs.run["q"]["a"] == theirs.run["q"]["c"] == 0
    rows = from_runs({}, runs)
    model = RankFusion("comb_sum").fit(rows.X, groups=rows.groups)
    assert model.predict(rows.X, groups=rows.groups).tolist() == [1, 1, 0]

"""The ways in miniature: they run, and all find the same."""

import pytest

from sklearn_rank.distributed import summarize
from tests.benchmarks.out_of_core import METRICS, WAYS, make_files, measure_all

# The first versions of Polars have another word for engine="streaming".
for package, oldest in (
    ("pyarrow", None),
    ("duckdb", None),
    ("polars", "1.25"),
    ("dask.dataframe", None),
):
    pytest.importorskip(package, oldest)


# Dask calls what newer versions of pandas will not have.
@pytest.mark.filterwarnings(r"ignore::DeprecationWarning:dask\..*")
def test_all_ways_find_the_same(tmp_path):
    make_files(tmp_path, 20_000)
    found = {
        summarize(function(tmp_path, order), digits=17)
        for way, (function, order) in WAYS.items()
        if way != "imports"
    }
    assert len(found) == 1


@pytest.mark.slow
def test_what_a_way_costs(tmp_path):
    found = measure_all(5_000, ["spilled"], tmp_path)["spilled"]
    assert found["seconds"] > 0
    assert found["megabytes"] > 10
    assert list(found["means"]) == METRICS
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_fifty_million_rows_stay_within_the_memory_that_is_given(tmp_path):
    ways = ["imports", "carried over", "spilled"]
    found = measure_all(50_000_000, ways, tmp_path)
    assert found["carried over"]["means"] == found["spilled"]["means"]
    print({way: round(one["megabytes"]) for way, one in found.items()})
    for way in ways[1:]:  # the values of a million queries come to 56 MB, and are joined
        assert found[way]["megabytes"] < found["imports"]["megabytes"] + 400 + 2 * 56
    assert not list(tmp_path.iterdir())

"""Comparisons of tables that stay on Dask: those of Spark are with its other tests."""

import numpy as np
import pytest

from sklearn_rank.statistics import compare_models
from tests.statistics.tables_in_parts import (
    OPTIONS,
    WEIGHTS,
    N,
    assert_like,
    in_parts,
    tables_of,
)

pd = pytest.importorskip("pandas", reason="tables are made with it")
dd = pytest.importorskip("dask.dataframe", reason='pip install "sklearn-rank[dask]"')

pytestmark = [
    pytest.mark.filterwarnings(r"ignore::DeprecationWarning:(dask|distributed)\..*"),
    pytest.mark.filterwarnings("ignore:Models are undefined for different queries"),
]


def on_dask(values, n_parts=3, seed=None):
    if seed is not None:
        values = values.sample(frac=1, random_state=seed, ignore_index=True)
    return dd.from_pandas(values, npartitions=n_parts, sort=False)


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("weights", WEIGHTS)
def test_a_comparison_is_that_of_values_in_memory(options, weights):
    tables = tables_of(weights=WEIGHTS[weights])
    lazy = {
        name: on_dask(one, n_parts=1 + 2 * place, seed=place)
        for place, (name, one) in enumerate(tables.items())
    }
    found = compare_models(lazy, **options)
    expected = compare_models(tables, **options)
    share = 0.0 if WEIGHTS[weights] is None else expected.columns["largest_cluster"].max()
    assert_like(found, expected, share)
    streams = {name: in_parts(one, [120, 180]) for name, one in tables.items()}
    assert_like(found, compare_models(streams, **options))


@pytest.mark.parametrize("labels", [str, float, lambda one: f"ü{one}"])
def test_labels_of_any_type_and_models_of_any_name(labels):
    tables = dict(enumerate(tables_of(labels=labels).values()))
    found = compare_models({n: on_dask(one, seed=n) for n, one in tables.items()})
    assert_like(found, compare_models(tables))


def test_few_that_differ():
    tables = tables_of()
    new = tables["old"].copy()
    new.loc[[30, 200], "ndcg@10"] += 0.01
    tables = {"old": tables["old"], "new": new}
    lazy = {name: on_dask(one, n_parts=5) for name, one in tables.items()}
    assert_like(compare_models(lazy), compare_models(tables))


def test_a_weight_that_only_some_models_have_is_1_for_the_others():
    tables = tables_of()
    tables["new"] = tables["new"].assign(**{"weight.mean_rank": 1.0})
    lazy = {name: on_dask(one) for name, one in tables.items()}
    assert_like(compare_models(lazy), compare_models(tables))
    weighed = {**lazy, "new": on_dask(tables["new"].assign(**{"weight.mean_rank": 2.0}))}
    with pytest.raises(ValueError, match="different weights in 'mean_rank'"):
        compare_models(weighed)


def test_queries_that_only_some_models_have():
    tables = tables_of()
    lazy = {name: on_dask(one) for name, one in tables.items()}
    lazy["other"] = on_dask(tables["other"][:290])
    message = r"of \{'old': 10, 'new': 10\} queries some other model has no values, such as"
    with pytest.raises(ValueError, match=message + " 29. of 'old'"):
        compare_models(lazy)
    lazy["other"] = on_dask(tables["other"].astype({"group": str}))
    with pytest.raises(TypeError, match=r"the type int64 for 'old' and str.* for 'other'"):
        compare_models(lazy)


def test_queries_that_were_cut():
    one = tables_of()["old"]
    twice = dd.concat([on_dask(one), on_dask(one[one["group"].isin([17, 18, 200])])])
    with pytest.raises(ValueError, match="3 queries are in the values more than once"):
        compare_models({"old": on_dask(one), "new": twice})


def test_values_that_cannot_be_compared():
    one = tables_of()["old"]
    lazy = on_dask(one)
    infinite = one.assign(mean_rank=np.where(one["group"] == 8, np.inf, 1.0))
    with pytest.raises(ValueError, match="has 1 infinite value"):
        compare_models({"a": lazy, "b": on_dask(infinite)})
    with pytest.raises(ValueError, match="without rows"):
        compare_models({"a": lazy[lazy["rows"] < 0], "b": lazy[lazy["rows"] < 0]})
    with pytest.raises(ValueError, match="scores of different metrics"):
        compare_models({"a": lazy, "b": lazy.drop(columns="mean_rank")})
    without = lazy.rename(columns={"group": "user"})
    for models in ({"a": lazy, "b": without}, {"a": without, "b": without}):
        with pytest.raises(ValueError, match="`values` has no column 'group', but "):
            compare_models(models)
    with pytest.raises(TypeError, match=r"got those of \{'a': 'dask'\} on engines"):
        compare_models({"a": lazy, "b": one})
    with pytest.raises(ValueError, match=r"`test='randomization'` needs .*compute\(\)"):
        compare_models({"a": lazy, "b": lazy}, test="randomization")
    with pytest.raises(ValueError, match="`clusters` needs the values of all"):
        compare_models({"a": lazy, "b": lazy}, clusters=np.arange(N))

"""Comparisons and intervals of tables that are read one after the other."""

import re
import warnings

import numpy as np
import pytest

from sklearn_rank.distributed import QueryScorer, as_per_query_scores, summarize
from sklearn_rank.statistics import compare_models, confidence_interval
from tests.statistics.tables_in_parts import (
    OPTIONS,
    WEIGHTS,
    N,
    assert_like,
    in_parts,
    make_values,
    tables_of,
)
from tests.table_libraries import LIBRARIES

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")
dataset = pytest.importorskip("pyarrow.dataset")


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.filterwarnings("ignore:Models are undefined for different queries")
def test_a_comparison_is_that_of_values_in_memory(options, weights):
    tables = tables_of(weights=WEIGHTS[weights])
    expected = compare_models(tables, **options)
    streams = {name: in_parts(one, [120, 0, 1, 179]) for name, one in tables.items()}
    share = 0.0 if WEIGHTS[weights] is None else expected.columns["largest_cluster"].max()
    assert_like(compare_models(streams, **options), expected, share)


@pytest.mark.parametrize("labels", [int, str, float, lambda one: f"ü{one}"])
@pytest.mark.parametrize("to", LIBRARIES)
@pytest.mark.filterwarnings("ignore:Models are undefined for different queries")
def test_tables_need_not_be_cut_alike(labels, to):
    tables = tables_of(labels=labels)
    expected = compare_models(tables, baseline="old")
    lists = {name: [to(one[:50]), to(one[50:])] for name, one in tables.items()}
    assert str(compare_models(lists, baseline="old")) == str(expected)
    streams = {
        "old": in_parts(tables["old"], [100, 100, 100], to),
        "new": in_parts(
            tables["new"].sample(frac=1, random_state=0, ignore_index=True), [7] * 43, to
        ),
        "other": to(tables["other"]),
    }
    assert_like(compare_models(streams, baseline="old"), expected)


@pytest.mark.filterwarnings("ignore:Models are undefined for different queries")
def test_files(tmp_path):
    tables = tables_of()
    for name, one in tables.items():
        (tmp_path / name).mkdir()
        for start in (0, 100, 200):
            path = tmp_path / name / f"{start}.parquet"
            one[start : start + 100].to_parquet(path, row_group_size=30)
    files = {name: dataset.dataset(tmp_path / name) for name in tables}
    for _ in range(2):  # a Dataset can be read again
        assert_like(compare_models(files), compare_models(tables))
    found = confidence_interval(files["old"])
    assert found.keys() == {"ndcg@10", "mean_rank"}


def test_what_is_told():
    tables = tables_of()

    def told_of(scores, metric="ndcg@10"):
        with warnings.catch_warnings(record=True) as record:
            warnings.simplefilter("always")
            compare_models(scores, metrics=metric)
        assert {one.filename for one in record} == {__file__}
        return [str(one.message) for one in record]

    streams = {name: in_parts(one, [60] * 5) for name, one in tables.items()}
    assert told_of(streams) == told_of(tables)
    few = {name: one[41:49] for name, one in tables.items()}
    assert told_of({name: iter([one]) for name, one in few.items()}) == told_of(few)
    same = {
        name: tables["old"].assign(mean_rank=rank) for name, rank in (("a", 3), ("b", 2))
    }
    streams = {name: in_parts(one, [100] * 3) for name, one in same.items()}
    (text,) = told_of(streams, "mean_rank")
    assert text.startswith("All differences of b to a")
    assert [text] == told_of(same, "mean_rank")


def test_a_query_that_was_cut_is_found():
    tables = tables_of(labels=str)
    again = pd.concat([tables["old"], tables["old"][3:4]])
    message = "1 query is in the values more than once, such as '3':"
    for cut in ([again, tables["new"]], [again, again], [tables["new"], again]):
        for sizes in ([150, 151], [301], [4, 4, 4, 289]):
            streams = {n: in_parts(one, sizes) for n, one in enumerate(cut)}
            with pytest.raises(ValueError, match=message):
                compare_models(streams, metrics="mean_rank")


def test_a_query_that_was_cut_is_found_before_other_models_show_it():
    old = tables_of(labels=str)["old"]
    early = pd.concat([old[:4], old[3:]])
    late = pd.concat([early[150:], early[:150]])
    streams = {"a": in_parts(early, [4] * 76), "b": in_parts(late, [5] * 61)}
    with pytest.raises(ValueError, match="1 query is in the values more than once"):
        compare_models(streams, metrics="mean_rank")
    twice = {"group": [0, 1, 0, 2], "mrr": [0.1, 0.2, 0.3, 0.4]}
    late = {"group": [5, 2, 1, 0], "mrr": [0.1, 0.2, 0.3, 0.4]}
    streams = {n: in_parts(pd.DataFrame(v), [2, 2]) for n, v in enumerate([twice, late])}
    with pytest.raises(ValueError, match="more than once, such as 0"):
        compare_models(streams)


@pytest.mark.parametrize("sizes", [[300], [100, 200]])
def test_other_queries(sizes):
    tables = tables_of()
    fewer = {**tables, "other": tables["other"][:290]}
    streams = {name: in_parts(one, sizes) for name, one in fewer.items()}
    message = r"of \{'old': 10, 'new': 10\} queries some other model has no values, such as"
    with pytest.raises(ValueError, match=message + " 290 of 'old'"):
        compare_models(streams)
    texts = tables["new"].astype({"group": str})
    streams = {"a": in_parts(tables["old"], sizes), "b": in_parts(texts, sizes)}
    with pytest.raises(ValueError, match="0 and '0' in `groups` are two labels"):
        compare_models(streams)


@pytest.mark.parametrize("to", LIBRARIES)
@pytest.mark.filterwarnings("ignore:Models are undefined for different queries")
def test_tables_in_memory_have_the_values_of_all_queries(to):
    tables = tables_of()
    options = {"test": "randomization", "n_resamples": 99, "random_state": 0}
    found = compare_models({name: to(one) for name, one in tables.items()}, **options)
    assert str(found) == str(compare_models(tables, **options))


def test_what_sums_cannot_do():
    tables = tables_of()

    def compare(**options):
        return compare_models({n: iter([one]) for n, one in tables.items()}, **options)

    for options, named in (
        ({"test": "randomization"}, "`test='randomization'`"),
        ({"test": np.subtract}, "`test="),
        ({"correction": "max_t", "baseline": "old"}, "`correction='max_t'`"),
        ({"clusters": {}}, "`clusters`"),
        ({"groups": []}, "`groups`"),
        ({"sample_weight": np.ones(N)}, "`sample_weight`"),
    ):
        with pytest.raises(ValueError, match=named + ".* needs the values of all queries"):
            compare(**options)
    with pytest.raises(ValueError, match="`method='bca'` needs the values of all"):
        confidence_interval(iter([tables["old"]]), method="bca")
    with pytest.raises(ValueError, match="`clusters` needs the values of all"):
        confidence_interval(iter([tables["old"]]), clusters=[1])
    with pytest.warns(UserWarning, match="undefined for different"):
        found = compare()
    with pytest.raises(ValueError, match="Values of queries are not known, only sums"):
        found.movers("new", "old", metric="ndcg@10")


def test_bad_streams():
    tables = tables_of()
    one = tables["old"]
    with pytest.raises(ValueError, match=r"`scores` has 1 model\(s\)"):
        compare_models({"a": iter([one])})
    with pytest.raises(ValueError, match="without rows"):
        compare_models({"a": iter([]), "b": iter([one[:0]])})
    with pytest.raises(ValueError, match="scores of different metrics"):
        compare_models({"a": iter([one]), "b": iter([one.drop(columns="mean_rank")])})
    with pytest.raises(ValueError, match="no column 'group'"):
        compare_models({"a": iter([one]), "b": iter([one.drop(columns="group")])})
    with pytest.raises(TypeError, match="`scores` must be a table"):
        compare_models({"a": iter([one]), "b": 3})
    with pytest.raises(ValueError, match="`baseline` got 'c'"):
        compare_models({"a": iter([one]), "b": iter([one])}, baseline="c")
    weighed = make_values(1, weights=np.full(N, 2.0))
    with pytest.raises(ValueError, match="different weights"):
        compare_models({"a": iter([one]), "b": iter([weighed])})


def test_tables_on_an_engine():
    dd = pytest.importorskip("dask.dataframe")
    one = tables_of()["old"]
    lazy = dd.from_pandas(one, npartitions=3)
    assert_alike(confidence_interval(lazy), confidence_interval(one))


def test_tables_that_are_not_in_memory():
    duckdb = pytest.importorskip("duckdb")
    one = tables_of()["old"]
    relation = duckdb.from_df(one)
    for lazy, advice in (
        (pl.from_pandas(one).lazy(), r"LazyFrame: call its collect\(\)"),
        (relation, r"Relation: give its to_arrow_reader\(\)"),
    ):
        with pytest.raises(TypeError, match=advice):
            compare_models({"a": lazy, "b": lazy})
        with pytest.raises(TypeError, match=advice):
            confidence_interval(lazy)
        with pytest.raises(TypeError, match=advice):
            summarize(lazy)
    reader = relation.to_arrow_reader(100)
    assert_alike(confidence_interval(reader), confidence_interval(one))


def assert_alike(found, expected, rel=1e-12):
    assert found.keys() == expected.keys()
    for name, interval in expected.items():
        assert found[name].pop("method") == interval["method"] == "t, widened"
        assert found[name].pop("value_range") == interval["value_range"]
        wanted = {key: interval[key] for key in found[name]}
        assert found[name] == pytest.approx(wanted, rel=rel, abs=1e-15)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("to", LIBRARIES)
def test_an_interval_is_that_of_values_in_memory(to, weights):
    values = make_values(0, weights=WEIGHTS[weights])
    expected = confidence_interval(as_per_query_scores(values), confidence_level=0.9)
    parts = [to(values[:120]), to(values[120:])]
    for given in (to(values), parts, iter(parts)):
        found = confidence_interval(given, confidence_level=0.9)
        share = max(one.largest_cluster for one in expected.values())
        rel = 1e-12 if WEIGHTS[weights] is None else 3 * share**3
        assert_alike(found, expected, rel)


def test_an_interval_of_equal_values():
    values = make_values(0).assign(**{"ndcg@10": 0.1}).drop(columns="mean_rank")
    found = confidence_interval(in_parts(values, [10] * 30))["ndcg@10"]
    assert found == confidence_interval(values)["ndcg@10"]
    assert found.method == "exact"
    unknown = values.rename(columns={"ndcg@10": "dcg@10"})
    with pytest.warns(UserWarning, match="All values of `dcg@10` are 0.1"):
        found = confidence_interval(in_parts(unknown, [10] * 30))
    assert found["dcg@10"].low == found["dcg@10"].high
    with pytest.raises(ValueError, match=re.escape("has 1 value; an interval needs two")):
        confidence_interval(iter([values[1:2]]))


def test_metrics_of_the_whole_system_have_no_interval():
    rows = {"user": np.repeat(range(20), 2), "item": [1, 2] * 20, "s": [2, 1] * 20}
    rows["y"] = [1, 0, 0, 1] * 10
    columns = {"groups": "user", "y_true": "y", "y_score": "s", "items": "item"}
    scorer = QueryScorer(["mrr", "coverage(n_items=2)@1"], **columns)
    found = confidence_interval(iter([scorer(pd.DataFrame(rows))]))
    assert list(found) == ["mrr"]
    assert found["mrr"].mean == 0.75


def test_means_that_are_not_arithmetic():
    values = make_values(0).rename(columns={"mean_rank": "rmse"})
    for given in (values, iter([values])):
        with pytest.raises(ValueError, match="'rmse' is a quadratic mean"):
            confidence_interval(given)


def test_the_same_change_of_every_query():
    sizes = [20, 20, 20]
    labels = np.arange(60)
    tables = {
        name: pd.DataFrame({"group": labels, "ndcg@10": np.full(60, value)})
        for name, value in {"old": 0.0, "new": 0.5}.items()
    }
    streams = {name: in_parts(table, sizes) for name, table in tables.items()}
    row = compare_models(streams, baseline="old").row("new")
    assert (row.interval, row.difference, row.better) == ("exact", 0.5, 60)
    expected = compare_models(tables, baseline="old").row("new")
    assert (row.low, row.high) == pytest.approx((expected.low, expected.high))

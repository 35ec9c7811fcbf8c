"""The same values on each engine: on files sorted by query and in no order.

What users copy stands between the marks; the guide shows these lines.
"""

import subprocess
import sys

import pytest

from sklearn_rank.datasets import make_interactions
from sklearn_rank.distributed import QueryScorer, UserLists, summarize
from sklearn_rank.recommenders import ItemNeighborsRecommender
from sklearn_rank.statistics import compare_models
from tests.distributed.conftest import COLUMNS

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

pytestmark = [
    # The engines call what newer versions of pandas, and of themselves, will not have.
    pytest.mark.filterwarnings(r"ignore::DeprecationWarning:(dask|distributed)\..*"),
    pytest.mark.filterwarnings(r"ignore::DeprecationWarning:(pyspark|ray)\..*"),
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support:FutureWarning"),
]


def files_of(rows):
    return str(rows.path / "*.parquet")


def test_pyarrow(rows, tmp_path):
    from pyarrow import dataset

    score, path = rows.scorer, rows.path
    # begin pyarrow
    table = score.stream(dataset.dataset(path), spill=tmp_path, memory="1GB")
    # end pyarrow
    rows.check(table)


def test_duckdb(rows):
    duckdb = pytest.importorskip("duckdb")
    score, path = rows.scorer, files_of(rows)
    # begin duckdb
    con = duckdb.connect()
    reader = con.sql(f"FROM '{path}' ORDER BY \"user\"").to_arrow_reader(100_000)
    table = score.stream(reader, sorted_by="user")
    # end duckdb
    rows.check(table)


def test_polars(rows):
    # The first versions of Polars have another word for engine="streaming".
    pl = pytest.importorskip("polars", "1.25", reason='pip install "polars>=1.25"')
    score, path, n_parts = rows.scorer, files_of(rows), 4
    # begin polars
    lazy = pl.scan_parquet(path)
    part = pl.col("user").hash() % n_parts
    parts = [lazy.filter(part == p).collect(engine="streaming") for p in range(n_parts)]
    values = [score(frame) for frame in parts]
    # end polars
    rows.check(values)


def test_dask(rows):
    dd = pytest.importorskip("dask.dataframe")
    score, path = rows.scorer, files_of(rows)
    # begin dask
    ddf = dd.read_parquet(path)
    values = ddf.shuffle("user").map_partitions(score, meta=score.meta(ddf)).compute()
    # end dask
    rows.check(values)
    lazy = ddf.shuffle("user").map_partitions(score, meta=score.meta(ddf))
    assert summarize(lazy, n_rows=len(rows.frame), digits=17) == summarize(
        values, digits=17
    )
    assert values.dtypes.tolist() == score.meta(ddf).dtypes.tolist()
    for wrong in (ddf, ddf.shuffle("item")):  # not by query
        cut = wrong.map_partitions(score, meta=score.meta(ddf)).compute()
        with pytest.raises(ValueError, match=r"more than once, such as .* frame\.shuffle"):
            summarize(cut)
    with pytest.raises(TypeError, match=r"got DataFrame; map it over .*map_partitions"):
        score(ddf)


def test_dask_of_two_tables():
    dd = pytest.importorskip("dask.dataframe")
    pairs = dd.from_pandas(pd.DataFrame({"user": range(50), "item": 1}), npartitions=3)
    lists = pd.DataFrame({"user": range(25, 75), "item": [1, 2] * 25, "rank": 1})
    lists = dd.from_pandas(lists, npartitions=2)
    # begin two tables
    score = QueryScorer.from_tables(
        ["recall@10"], user="user", item="item", marker="held_out", rank="rank"
    )
    both = dd.concat([pairs.assign(held_out=True), lists.assign(held_out=False)])
    values = both.shuffle("user").map_partitions(score, meta=score.meta(both)).compute()
    # end two tables
    assert summarize(values, output_dict=True, n_rows=100)["recall@10"] == {
        "mean": 13 / 50,  # of 50 users with an item, 25 with a list, and 13 with a hit
        "standard_error": pytest.approx(0.0627, abs=1e-4),
        "queries": 50,
        "undefined": 25,
    }


def lists_and_pairs():
    """Return lists, their scorer, held-out pairs, and the report of one call for all."""
    log = make_interactions(300, 80, 2500, as_frame=True, random_state=0)
    log["user"] = "ü" + log["user"].astype(str)
    train, pairs = log[:2000], log[2000:].drop_duplicates(["user", "item"])
    pairs = pairs[["user", "item"]].astype({"user": object})
    model = ItemNeighborsRecommender().fit(train)
    lists = UserLists(model, k=10)
    named = {"user": "user", "item": "item", "marker": "held_out", "score": "score"}
    score = QueryScorer.from_tables(["ndcg@10", "recall@5"], **named)
    below = pd.DataFrame(model.rank(pairs["user"].unique(), k=10))
    below = below.rename(columns={"query": "user"})[["user", "item", "score"]]
    both = [pairs.assign(held_out=True, score=0.0), below.assign(held_out=False)]
    report = summarize(score(pd.concat(both, ignore_index=True)), digits=17)
    return lists, score, pairs, report


def test_lists_on_dask_polars_duckdb_and_arrow(tmp_path):
    dd = pytest.importorskip("dask.dataframe")
    lists, score, pairs, report = lists_and_pairs()
    # begin lists on dask
    ddf = dd.from_pandas(pairs, npartitions=8).shuffle("user")
    values = lists.then(score)
    values = ddf.map_partitions(values, meta=values.meta(ddf)).compute()
    # end lists on dask
    assert summarize(values, digits=17) == report
    together = lists.then(score)
    for table in (pl.from_pandas(pairs), pa.Table.from_pandas(pairs, preserve_index=False)):
        of_all = together.stream([table[:100], table[100:]], spill=tmp_path)
        assert summarize(of_all, digits=17) == report
    duckdb = pytest.importorskip("duckdb")
    reader = duckdb.sql('FROM pairs ORDER BY "user"').to_arrow_reader(50)
    assert summarize(together.stream(reader, sorted_by="user"), digits=17) == report
    users = pairs[["user"]].drop_duplicates()
    tables = dd.from_pandas(users, npartitions=8).map_partitions(
        lists, meta=lists.meta(users)
    )
    both = dd.concat(
        [
            dd.from_pandas(pairs, npartitions=3).assign(held_out=True),
            tables.assign(held_out=False),
        ]
    )
    values = both.shuffle("user").map_partitions(score, meta=score.meta(both)).compute()
    assert summarize(values, digits=17) == report


def test_spark(two_rows, spark):  # in one test, as a session takes long to start
    # Integers by pandas, strings by Arrow; the lists below are strings by pandas.
    check_spark(two_rows[0], spark)
    rows = two_rows[1]
    whole = spark.read.parquet(str(rows.path)).repartition("user")
    mapped = whole.mapInArrow(rows.scorer.iterate, rows.scorer.schema(whole))
    table = mapped.toArrow()
    rows.check(table)
    check_sums_on_spark(rows, mapped, table.to_pandas())
    score, missing = rows.scorer, spark.read.parquet(with_a_null(rows))
    with pytest.raises(Exception, match="'user', which is `groups`, has 1 missing value"):
        missing.mapInPandas(score.iterate, score.schema(missing)).toPandas()
    check_spark_without_its_shuffle(two_rows[0], spark)
    lists, score, pairs, report = lists_and_pairs()
    # begin lists on spark
    sdf = spark.createDataFrame(pairs).repartition(4, "user")
    values = lists.then(score)
    values = sdf.mapInPandas(values.iterate, values.schema(sdf)).toPandas()
    # end lists on spark
    assert summarize(values, digits=17) == report


def with_a_null(rows):
    """Return a file with the same rows, of which one has no label."""
    frame = rows.frame.copy()
    frame.loc[3, "user"] = None
    path = rows.folder / "missing.parquet"
    frame.to_parquet(path, index=False)
    return str(path)


def check_spark(rows, spark):
    score, path = rows.scorer, str(rows.path)
    # begin spark
    sdf = spark.read.parquet(path)
    whole = sdf.repartition("user")
    values = whole.mapInPandas(score.iterate, score.schema(sdf)).toPandas()
    # end spark
    rows.check(values)


def check_sums_on_spark(rows, lazy, values):
    found = summarize(lazy, n_rows=len(rows.frame), digits=17)
    assert found == summarize(values, digits=17)
    assert not lazy.is_cached
    other = values.assign(**{"ndcg@10": values["ndcg@10"].round(1), "weight.map@5": 1.0})
    on_spark = {"a": lazy, "b": lazy.sparkSession.createDataFrame(other).repartition(3)}
    found = compare_models(on_spark, correction=None)
    expected = compare_models({"a": values, "b": other}, correction=None)
    assert repr(found) == repr(expected)
    for name in ("difference", "standard_error", "p_value"):
        assert found.columns[name].tolist() == expected.columns[name].tolist()
    with pytest.raises(ValueError, match=r"of \{'a': 1\} queries some other model"):
        compare_models({**on_spark, "b": on_spark["b"].limit(len(values) - 1)})


def check_spark_without_its_shuffle(rows, spark):
    score = rows.scorer
    sdf = spark.read.parquet(str(rows.path)).repartition(3)
    values = sdf.mapInPandas(score.iterate, score.schema(sdf)).toPandas()
    lazy = sdf.mapInArrow(score.iterate, score.schema(sdf)).cache()
    for of_parts in (values, lazy):
        message = r"more than once, such as .* frame\.repartition"
        with pytest.raises(ValueError, match=message):
            summarize(of_parts)
    assert lazy.is_cached
    with pytest.raises(ValueError, match="no column 'group'"):
        summarize(sdf)
    check_more_sums_on_spark(rows.frame, sdf.repartition(3, "user"))
    with pytest.raises(TypeError, match=r"got DataFrame; map it over .*mapInPandas"):
        score(sdf)
    with pytest.raises(ValueError, match="`groups='usr'` is not a column"):
        QueryScorer("mrr", groups="usr", y_true="grade", y_score="score").schema(sdf)


def check_more_sums_on_spark(frame, whole):
    """Compare segments, weights, sums of a whole system, and a partition without rows."""
    kept = {**COLUMNS, "by": "country", "sample_weight": "weight"}
    with_segments = QueryScorer(["mrr", "f1@3"], **kept)
    of_system = QueryScorer(["mrr", "coverage(n_items=60)@3"], **COLUMNS, items="item")
    for score, by in ((with_segments, "country"), (of_system, None)):
        rows = frame if by else frame.drop_duplicates(["user", "item"])
        few = whole if by else whole.dropDuplicates(["user", "item"]).repartition(3, "user")
        lazy = few.mapInPandas(score.iterate, score.schema(few))
        lazy = lazy.union(lazy.limit(0))
        expected = summarize(score(rows), by=by, digits=17)
        assert summarize(lazy, by=by, n_rows=len(rows), digits=17) == expected


@pytest.fixture
def cluster(monkeypatch):
    ray = pytest.importorskip("ray")
    pytest.importorskip("ray.data")
    # Of workers, which otherwise wait for all else that a busy machine does.
    monkeypatch.setenv("RAY_worker_niceness", "0")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield ray
    ray.shutdown()


@pytest.mark.slow  # each run on Ray takes ten seconds, and processes of its own
def test_ray(two_rows, cluster):
    rows = two_rows[1]  # strings
    score, path, ray = rows.scorer, str(rows.path), cluster
    # begin ray
    data = ray.data.read_parquet(path).repartition(2, keys=["user"])
    values = data.map_batches(score, batch_format="pyarrow", batch_size=None).to_pandas()
    # end ray
    rows.check(values)


@pytest.mark.slow
def test_more_on_ray(two_rows, cluster):
    rows = two_rows[0]
    data = cluster.data.read_parquet(str(rows.path)).repartition(2, keys=["user"])
    mapped = data.map_batches(rows.scorer, batch_format="pyarrow", batch_size=None)
    assert summarize(mapped, digits=17) == summarize(rows.scorer(rows.frame), digits=17)
    lists, score, pairs, report = lists_and_pairs()
    data = cluster.data.from_pandas(pairs).repartition(2, keys=["user"])
    values = data.map_batches(
        lists.then(score), batch_format="pyarrow", batch_size=None
    ).to_pandas()
    assert summarize(values, digits=17) == report
    missing = cluster.data.read_parquet(with_a_null(two_rows[1]))
    with pytest.raises(Exception, match="'user', which is `groups`, has 1 missing value"):
        missing.map_batches(
            rows.scorer, batch_format="pyarrow", batch_size=None
        ).to_pandas()


def test_an_engine_is_not_loaded_by_the_package():
    code = (
        "import sys, sklearn_rank.distributed\n"
        "print({'polars', 'pyspark', 'ray', 'duckdb', 'dask'}"
        " & set(sys.modules))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert found.stdout == "set()\n"


def test_spilling_without_pyarrow(frame, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    score = QueryScorer("mrr", groups="user", y_true="grade", y_score="score")
    with pytest.raises(ImportError, match=r"`spill` needs pyarrow.*sklearn-rank\[arrow\]"):
        score.stream([frame], spill=tmp_path)


@pytest.mark.parametrize("method", ["schema", "meta"])
def test_a_table_of_another_library_says_which_is_needed(frame, method):
    score = QueryScorer("mrr", groups="user", y_true="grade", y_score="score")
    table = pl.DataFrame({"user": [1]})
    with pytest.raises(TypeError, match=r"`frame` must be a (dask or pandas|pyspark) Data"):
        getattr(score, method)(table)


def test_meta_without_pandas(frame, monkeypatch):
    score = QueryScorer("mrr", groups="user", y_true="grade", y_score="score")
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"pandas.*sklearn-rank\[frames\]"):
        score.meta(frame)

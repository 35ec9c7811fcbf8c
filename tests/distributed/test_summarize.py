import re

import numpy as np
import pytest

from sklearn_rank.distributed import QueryScorer, as_per_query_scores, summarize
from sklearn_rank.metrics import ranking_report
from sklearn_rank.statistics import compare_models, confidence_interval
from tests.distributed.conftest import COLUMNS as ROWS
from tests.distributed.conftest import make_frame

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")
dataset = pytest.importorskip("pyarrow.dataset")

NAMES = ["ndcg@10", "map@5", "mean_rank", "f1@3"]


def values_in_parts(frame, scorer, n_parts=5):
    return [scorer(frame[frame["user"] % n_parts == part]) for part in range(n_parts)]


def report_of(frame, **options):
    return ranking_report(
        frame["grade"], frame["score"], groups=frame["user"], metrics=NAMES, **options
    )


@pytest.fixture
def scorer():
    return QueryScorer(NAMES, **ROWS, by="country")


class Batches:
    """What Ray's `iter_batches` returns: iterable, of Ray, and no iterator."""

    __module__ = "ray.data.iterator"

    def __init__(self, tables):
        self.tables = tables

    def __iter__(self):
        return iter(self.tables)


class Dataset:
    """Values that are with Ray."""

    __module__ = "ray.data.dataset"

    def __init__(self, tables):
        self.tables = tables

    def columns(self):
        return list(self.tables[0])

    def iter_batches(self, batch_format, batch_size):
        return Batches(self.tables)

    def __len__(self):
        raise AttributeError("Use `ds.count()` to compute the length of a Dataset.")

    def __iter__(self):
        raise TypeError("`Dataset` objects aren't iterable.")


def test_values_that_are_with_ray(frame, scorer):
    values = Dataset(values_in_parts(frame, scorer))
    assert summarize(values) == summarize(values.tables)
    batches = values.iter_batches(batch_format="pyarrow", batch_size=None)
    assert summarize(batches) == summarize(values.tables)
    compare_models({"a": batches, "b": batches}, n_resamples=9)
    first = values.tables[0]
    other = first.assign(**{"map@5": first["map@5"].round(1)})
    found = compare_models({"a": values, "b": Dataset([other, *values.tables[1:]])})
    expected = compare_models({"a": values.tables, "b": [other, *values.tables[1:]]})
    assert str(found) == str(expected)
    assert confidence_interval(values).keys() == confidence_interval(values.tables).keys()


@pytest.mark.parametrize("by", [None, "country"])
@pytest.mark.parametrize("fill", [np.nan, 0.0])
def test_the_report_is_that_of_the_rows(frame, scorer, by, fill):
    parts = values_in_parts(frame, scorer)
    shared = {"replace_undefined_by": fill}
    of_rows = {**shared, "by": None if by is None else frame[by]}
    together = pd.concat(parts).sample(frac=1, random_state=0)
    for values in (parts, tuple(parts), together, pl.from_pandas(together)):
        found = summarize(values, by=by, n_rows=len(frame), **shared)
        assert found == report_of(frame, **of_rows)
        for form in ({"digits": 17}, {"output_dict": True}):
            found = summarize(values, by=by, **shared, **form)
            assert repr(found) == repr(report_of(frame, **of_rows, **form))
    found = summarize(together, by=by, **shared, as_frame=True)
    pd.testing.assert_frame_equal(found, report_of(frame, **of_rows, as_frame=True))


@pytest.mark.parametrize("n_parts", [2, 7, 100])
def test_any_parts_in_any_order_give_the_same_bits(n_parts, tmp_path):
    frame = make_frame("integers", n_queries=340)
    frame["weight"] *= 0.1
    names = ["ndcg@10", "mae", "f1@3", "gini(n_items=50)@3", "coverage(n_items=50)@3"]
    scorer = QueryScorer(names, **ROWS, sample_weight="weight", items="item")
    frame["score"] = np.maximum(frame["score"], -9.0)  # errors of ratings are finite
    expected = summarize(scorer(frame), output_dict=True)
    part = np.random.default_rng(0).integers(0, n_parts, 340)[frame["user"]]
    order = np.random.default_rng(1).permutation(len(frame))
    tables = [
        scorer(rows).sample(frac=1, random_state=0)
        for _, rows in frame.iloc[order].groupby(part[order])
    ]
    for values in (tables, tables[::-1], iter(tables), pd.concat(tables)):
        assert repr(summarize(values, output_dict=True)) == repr(expected)


@pytest.mark.parametrize("by", [None, "country"])
def test_tables_that_are_not_kept(frame, scorer, by, tmp_path):
    parts = values_in_parts(frame, scorer)
    for number, part in enumerate(parts):
        part.to_parquet(tmp_path / f"{number}.parquet", index=False)
    by_row = None if by is None else frame[by]
    expected = report_of(frame, by=by_row, digits=17)
    files = dataset.dataset(tmp_path)
    for values in (iter(parts), (part for part in parts), files):
        assert summarize(values, by=by, n_rows=len(frame), digits=17) == expected
    empty = [parts[0][:0], *parts, parts[0][:0]]
    assert summarize(iter(empty), by=by, digits=17) == expected


@pytest.mark.parametrize("labels", [int, str, float])
def test_a_query_that_was_cut_is_found(frame, labels):
    scorer = QueryScorer("mrr", **ROWS)
    frame = frame.sort_values("user", kind="stable").astype({"user": labels})
    is_cut = frame["user"] == labels(frame["user"].iloc[1000])
    first = np.arange(len(frame)) < np.flatnonzero(is_cut)[0] + 1
    parts = [scorer(frame[first]), scorer(frame[~first])]
    label = labels(frame["user"].iloc[1000])
    message = re.escape(f"1 query is in the values more than once, such as {label!r}:")
    for values in (parts, pd.concat(parts), iter(parts)):
        with pytest.raises(ValueError, match=message + ".* frame.repartition"):
            summarize(values)
    with pytest.raises(ValueError, match=message):
        as_per_query_scores(parts)


def test_rows_that_were_lost(frame, scorer):
    parts = values_in_parts(frame, scorer)
    with pytest.raises(ValueError, match=r"rows were scored, but there are .* were lost"):
        summarize(parts[1:], n_rows=len(frame))
    with pytest.raises(ValueError, match="were scored twice"):
        summarize(parts, n_rows=3)
    with pytest.raises(ValueError, match="`n_rows` needs the column 'rows'"):
        summarize(parts[0].drop(columns="rows"), n_rows=3)


def test_what_is_no_table_of_values(frame, scorer):
    values = scorer(frame)
    with pytest.raises(ValueError, match=r"no column 'by.region', .* with by='region'"):
        summarize(values, by="region")
    with pytest.raises(ValueError, match="no column 'group'"):
        summarize(frame)
    with pytest.raises(ValueError, match="Column 'extra' of `values` is not the name"):
        summarize(values.assign(extra=1.0))
    with pytest.raises(TypeError, match="`values` must be a table"):
        summarize(3)
    with pytest.raises(TypeError, match="`values` must be a pandas or polars"):
        summarize(iter([3]))
    for empty in ([], iter([])):
        with pytest.raises(ValueError, match="give at least one"):
            summarize(empty)
    with pytest.raises(ValueError, match="different metrics"):
        summarize(
            iter([values, values.drop(columns="map@5").assign(group=-values["group"] - 1)])
        )
    with pytest.raises(ValueError, match="`digits`"):
        summarize(values, digits=-1)


def test_models_are_compared_by_their_tables(frame, scorer):
    other = frame.assign(score=frame["score"] + (frame.index % 10 == 0))
    tables = {"old": values_in_parts(frame, scorer), "new": values_in_parts(other, scorer)}
    read = {name: as_per_query_scores(values) for name, values in tables.items()}
    expected = compare_models(read)
    for to in (pd.concat, lambda parts: pl.from_pandas(pd.concat(parts))):
        found = compare_models({name: to(values) for name, values in tables.items()})
        assert str(found) == str(expected)
        assert found.lower_is_better == {"mean_rank"}
    mixed = {"old": tables["old"][0], "new": read["new"]}
    with pytest.raises(ValueError, match="different queries"):
        compare_models(mixed)


OF_SYSTEM = [
    "coverage(n_items=60)@3",
    "coverage(n_items=60, at_users=5)@3",
    "gini(n_items=60)@3",
    "entropy(n_items=60)@3",
    "personalization@3",
]


@pytest.mark.parametrize("items", [int, str])
@pytest.mark.parametrize("to", [lambda frame: frame, pl.from_pandas, pa.Table.from_pandas])
def test_metrics_of_a_whole_system(frame, items, to, tmp_path):
    frame = frame.drop_duplicates(["user", "item"]).astype({"item": items})
    names = ["ndcg@10", *OF_SYSTEM]
    scorer = QueryScorer(names, **ROWS, items="item", sample_weight="weight")
    expected = ranking_report(
        frame["grade"],
        frame["score"],
        groups=frame["user"],
        metrics=names,
        sample_weight=frame["weight"],
        items=frame["item"],
    )
    parts = [to(frame[frame["user"] % 4 == part]) for part in range(4)]
    for values in ([scorer(part) for part in parts], map(scorer, parts)):
        assert summarize(values) == expected
    streamed = scorer.stream(parts, spill=tmp_path)
    assert summarize(streamed) == expected
    assert list(as_per_query_scores(streamed).scores) == ["ndcg@10"]


def test_a_metric_of_a_whole_system_has_no_segments(frame):
    scorer = QueryScorer(OF_SYSTEM[:1], **ROWS, items="item", by="country")
    values = scorer(frame.drop_duplicates(["user", "item"]))
    with pytest.raises(ValueError, match="one value for all queries"):
        summarize(values, by="country")

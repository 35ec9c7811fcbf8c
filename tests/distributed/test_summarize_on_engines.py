"""Sums of values that stay on an engine: those of Spark are with its other tests."""

import re

import numpy as np
import pytest

from sklearn_rank.distributed import QueryScorer, as_per_query_scores, summarize
from tests.distributed.conftest import COLUMNS, make_frame

pd = pytest.importorskip("pandas")
dd = pytest.importorskip("dask.dataframe")

pytestmark = pytest.mark.filterwarnings(
    r"ignore::DeprecationWarning:(dask|distributed)\..*"
)


@pytest.fixture
def frame(ids):
    return make_frame(ids).drop_duplicates(["user", "item"])


def on_dask(values, n_parts=4):
    return dd.from_pandas(values, npartitions=n_parts, sort=False)


@pytest.mark.parametrize("by", [None, "country"])
@pytest.mark.parametrize("fill", [np.nan, 0.0])
def test_the_report_is_that_of_values_in_memory(frame, by, fill):
    names = ["ndcg@10", "map@5", "mean_rank", "f1@3"]
    scorer = QueryScorer(names, **COLUMNS, by="country", sample_weight="weight")
    values = scorer(frame).sample(frac=1, random_state=0, ignore_index=True)
    shared = {"by": by, "replace_undefined_by": fill, "n_rows": len(frame)}
    for n_parts in (1, 7):
        lazy = on_dask(values, n_parts)
        for form in ({"digits": 17}, {"digits": 17, "as_frame": True}):
            found = summarize(lazy, **shared, **form)
            expected = summarize(values, **shared, **form)
            if "as_frame" in form:
                pd.testing.assert_frame_equal(found, expected, check_exact=True)
            else:
                assert found == expected
    with pytest.raises(ValueError, match="were lost"):
        summarize(lazy, n_rows=len(frame) + 1)


def test_metrics_of_a_whole_system_and_partitions_without_rows(frame):
    scorer = QueryScorer(["mrr", "coverage(n_items=60)@3"], **COLUMNS, items="item")
    lazy = on_dask(frame).shuffle("user", npartitions=3)
    values = lazy.map_partitions(scorer, meta=scorer.meta(lazy))
    assert summarize(values, digits=17) == summarize(scorer(frame), digits=17)
    nothing = dd.concat([values, values[values["rows"] < 0]])
    assert summarize(nothing, digits=17) == summarize(scorer(frame), digits=17)
    none = values[values["rows"] < 0]
    assert summarize(none, output_dict=True)["mrr"]["queries"] == 0


def test_values_are_computed_once(frame, tmp_path):
    scorer = QueryScorer("mrr", **COLUMNS)
    log = tmp_path / "calls"

    def scored(table):
        with log.open("a") as file:
            file.write(".")
        return scorer(table)

    lazy = on_dask(frame).shuffle("user", npartitions=3)
    summarize(lazy.map_partitions(scored, meta=scorer.meta(lazy)))
    assert log.read_text() == "..."


def test_a_query_that_was_cut_is_found(frame):
    scorer = QueryScorer("mrr", **COLUMNS)
    frame = frame.sort_values("user", ignore_index=True)
    label = frame["user"].iloc[700]
    first = np.arange(len(frame)) <= np.flatnonzero(frame["user"] == label)[0]
    lazy = dd.concat([on_dask(frame[first], 1), on_dask(frame[~first], 1)])
    values = lazy.map_partitions(scorer, meta=scorer.meta(lazy))
    shown = re.escape(repr(label.item() if isinstance(label, np.generic) else label))
    message = f"1 query is in the values more than once, such as {shown}:"
    with pytest.raises(ValueError, match=message + ".* frame.shuffle"):
        summarize(values)


def test_what_is_no_table_of_values(frame):
    values = on_dask(QueryScorer("mrr", **COLUMNS)(frame))
    with pytest.raises(ValueError, match="no column 'group'"):
        summarize(on_dask(frame))
    with pytest.raises(ValueError, match=r"no column 'by.region', .* with by='region'"):
        summarize(values, by="region")
    with pytest.raises(ValueError, match="Column 'extra' of `values` is not the name"):
        summarize(values.assign(extra=1.0))
    with pytest.raises(TypeError, match=r"got a Array: call its compute\(\)"):
        summarize(values.to_dask_array())
    with pytest.raises(TypeError, match="must be a pandas or polars DataFrame"):
        as_per_query_scores(values)

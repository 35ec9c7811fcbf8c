import pickle

import numpy as np
import pytest

from sklearn_rank.distributed import QueryScorer, as_per_query_scores, summarize
from sklearn_rank.inputs import from_frames
from sklearn_rank.metrics import ndcg_score, per_query_scores, ranking_report
from sklearn_rank.metrics._core._registry import METRICS as ALL
from tests.distributed.conftest import COLUMNS, METRICS

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

KINDS = {
    "pandas": lambda frame: frame,
    "pandas categories": lambda frame: frame.astype({"user": "category"}),
    "polars": pl.from_pandas,
    "polars categories": lambda frame: pl.from_pandas(frame).with_columns(
        pl.col("user").cast(pl.String).cast(pl.Categorical)
    ),
    "Table": pa.Table.from_pandas,
    "RecordBatch": pa.RecordBatch.from_pandas,
}


@pytest.fixture(params=KINDS)
def kind(request):
    return KINDS[request.param]


def test_values_of_parts_are_those_of_one_call_in_memory(rows):
    halves = rows.frame["user"].isin(rows.frame["user"].unique()[::2])
    rows.check([rows.scorer(rows.frame[halves]), rows.scorer(rows.frame[~halves])])


def test_the_table_that_comes_back_is_of_the_kind_that_went_in(frame, kind):
    scorer = QueryScorer(METRICS, **COLUMNS)
    table = kind(frame)
    values = scorer(table)
    assert type(values) is type(table)
    names = values.schema.names if hasattr(values, "num_rows") else list(values.columns)
    assert list(names) == ["group", "rows", *METRICS]
    assert len(values) == frame["user"].nunique()
    empty = scorer(table[:0] if not hasattr(table, "num_rows") else table.slice(0, 0))
    assert type(empty) is type(table)
    assert len(empty) == 0
    if hasattr(values, "schema"):
        assert empty.schema == values.schema
    else:
        assert empty.dtypes.tolist() == values.dtypes.tolist()


def test_several_tables_of_a_partition_are_joined(frame, kind):
    scorer = QueryScorer(METRICS, **COLUMNS)
    table = kind(frame)
    cut = [table[:1000], table[1000:]]  # in the middle of a query
    (values,) = scorer.iterate(iter(cut))
    assert type(values) is type(table)
    expected = scorer(table)
    if hasattr(values, "num_rows"):  # for which a NaN is not equal to another
        values, expected = values.to_pandas(), expected.to_pandas()
    assert values.equals(expected)
    assert list(scorer.iterate(iter([]))) == []


def test_a_scorer_can_be_sent_and_written():
    scorer = QueryScorer(
        ["ndcg@10", ndcg_score], **COLUMNS, by="country", ties="worst", items="item"
    )
    again = pickle.loads(pickle.dumps(scorer))
    assert repr(again) == repr(scorer)
    text = repr(QueryScorer(METRICS, **COLUMNS, by="country", items="item"))
    assert repr(eval(text)) == text
    pairs = QueryScorer.from_tables(
        METRICS, user="user", item="item", marker="held_out", rank="rank"
    )
    assert repr(pickle.loads(pickle.dumps(pairs))) == repr(pairs)
    assert repr(eval(repr(pairs))) == repr(pairs)


def test_weights_segments_and_further_columns_come_along(frame):
    metrics = ["ndcg@10", "ips_recall(self_normalized=True)@5"]
    scorer = QueryScorer(
        metrics, **COLUMNS, sample_weight="weight", by="country", propensity="propensity"
    )
    given = {"groups": frame["user"], "sample_weight": frame["weight"]}
    rest = {"metrics": metrics, "propensity": frame["propensity"]}
    expected = ranking_report(
        frame["grade"], frame["score"], **given, **rest, by=frame["country"]
    )
    in_half = frame["user"] < 50
    values = [scorer(frame[in_half]), scorer(frame[~in_half])]
    assert summarize(values, by="country", n_rows=len(frame)) == expected
    found = as_per_query_scores(values)
    in_memory = per_query_scores(frame["grade"], frame["score"], **given, **rest)
    assert found.mean() == in_memory.mean()
    assert found.standard_error() == in_memory.standard_error()


@pytest.mark.parametrize("metrics", [["ndcg@10", "mrr@5"], ["f1@5", "mae"]])
def test_parts_in_which_no_query_weighs_anything(frame, metrics):
    weight = (frame["user"] % 3 == 0) * 2.0
    score = frame["score"].clip(lower=0)
    frame = frame.assign(weight=weight, score=score)
    scorer = QueryScorer(metrics, **COLUMNS, sample_weight="weight")
    values = [scorer(frame[frame["user"] % 3 == part]) for part in range(3)]
    expected = ranking_report(
        frame["grade"],
        score,
        groups=frame["user"],
        metrics=metrics,
        sample_weight=weight,
        output_dict=True,
    )
    found = summarize(values, output_dict=True)
    assert [*found.values()] == [*expected.values()]
    with pytest.raises(ValueError, match="`sample_weight` must be finite"):
        scorer(frame.assign(weight=-1.0))


def test_rating_errors_and_their_means(frame):
    frame = frame.assign(score=frame["score"].clip(lower=0))
    scorer = QueryScorer(["mae", "rmse", "mrr@10"], **COLUMNS)
    expected = ranking_report(
        frame["grade"],
        frame["score"],
        groups=frame["user"],
        metrics=["mae", "rmse", "mrr@10"],
        output_dict=True,
    )
    in_half = frame["user"] < 50
    found = summarize([scorer(frame[in_half]), scorer(frame[~in_half])], output_dict=True)
    assert found["mae"] == expected["mae"]
    assert found["mrr@10"] == expected["mrr@10"]
    for name, value in expected["rmse"].items():  # the root of squares of roots
        assert found["rmse"][name] == pytest.approx(value, rel=1e-14)


def test_lists_that_were_cut_before(frame):
    names = [
        f"{name}(max_grade=4)@10" if "max_grade" in metric.parameters else f"{name}@10"
        for name, metric in ALL.items()
        if metric.takes_k and metric.ranks and not metric.columns
        if not metric.all_items
    ]
    assert len(names) > 12
    rank = frame.groupby("user")["score"].rank(method="min", ascending=False)
    is_kept = (frame["grade"] > 0) | (rank <= 10)
    assert is_kept.sum() < len(frame) / 2
    scorer = QueryScorer(names, **COLUMNS)
    found, expected = scorer(frame[is_kept]), scorer(frame)
    pd.testing.assert_frame_equal(found[names], expected[names], check_exact=True)


def test_conventions_reach_the_values(frame):
    scorer = QueryScorer(["ndcg@10", "map"], **COLUMNS, convention="trec_eval")
    found = as_per_query_scores(scorer(frame))
    expected = per_query_scores(
        frame["grade"],
        frame["score"],
        groups=frame["user"],
        metrics=["ndcg@10", "map"],
        convention="trec_eval",
    )
    for name, values in expected.scores.items():
        np.testing.assert_array_equal(found.scores[name], values)


def test_rows_that_nobody_judged(frame):
    frame = frame.assign(grade=frame["grade"].where(frame.index % 7 != 0))
    table = pa.Table.from_pandas(frame)
    found = as_per_query_scores(QueryScorer("bpref", **COLUMNS)(table))
    expected = per_query_scores(
        frame["grade"], frame["score"], groups=frame["user"], metrics="bpref"
    )
    np.testing.assert_array_equal(found.scores["bpref"], expected.scores["bpref"])
    with pytest.raises(ValueError, match="'grade', which is `y_true`, has"):
        QueryScorer("ndcg@10", **COLUMNS)(table)


@pytest.mark.parametrize("column", ["user", "score"])
def test_nulls_are_refused(frame, kind, column):
    if column == "score":
        frame = frame.astype({"user": str})
    missing = frame.astype({column: object})
    missing.loc[3, column] = None
    if column == "user":
        missing[column] = missing[column].astype("Int64")
    else:
        missing[column] = missing[column].astype("Float64")
    with pytest.raises(ValueError, match=r"(missing value|null).* row 3"):
        QueryScorer(METRICS, **COLUMNS)(kind(missing))


@pytest.mark.parametrize(
    "metric", ["err@10", "rbp@10", "insq@10", "inst(desired_gain=2)@10"]
)
def test_what_the_whole_data_decides_has_to_be_given(metric):
    with pytest.raises(ValueError, match=r"`max_grade` from the whole data.*max_grade"):
        QueryScorer(metric, **COLUMNS)
    name, at, k = metric.partition("@")
    given = f"{name[:-1]}, max_grade=4){at}{k}" if "(" in name else f"{name}(max_grade=4)"
    QueryScorer(given, **COLUMNS)


def test_a_column_that_is_there_twice():
    pd = pytest.importorskip("pandas")
    values = pd.DataFrame([["b", 2, 1.0, "b"]], columns=["group", "rows", "mrr", "group"])
    with pytest.raises(ValueError, match="`values` has column 'group' twice"):
        as_per_query_scores(values)


def test_wrong_columns(frame):
    with pytest.raises(ValueError, match=r"`y_score='scores'` is not a column.*'score'"):
        QueryScorer(METRICS, groups="user", y_true="grade", y_score="scores")(frame)
    with pytest.raises(TypeError, match="has no parameter 'itmes'"):
        QueryScorer(METRICS, **COLUMNS, itmes="item")
    with pytest.raises(ValueError, match="needs `propensity`"):
        QueryScorer("ips_ndcg@10", **COLUMNS)
    with pytest.raises(ValueError, match="Unknown metric"):
        QueryScorer("ndgc@10", **COLUMNS)
    twice = pd.concat([frame, frame["user"]], axis=1)
    with pytest.raises(ValueError, match="The frame has 2 columns named 'user'; rename"):
        QueryScorer(METRICS, **COLUMNS)(twice)
    mixed = frame.assign(country=np.where(frame.index % 2, "AT", "DE"))
    with pytest.raises(ValueError, match="differs within query"):
        QueryScorer(METRICS, **COLUMNS, by="country")(mixed)


@pytest.mark.parametrize(
    ("wrong", "advice"),
    [(pl.LazyFrame({"user": [1]}), r"collect\(\)"), ([1, 2], "got list"), (None, "None")],
)
def test_what_is_no_table_in_memory(wrong, advice):
    with pytest.raises(TypeError, match=advice):
        QueryScorer(METRICS, **COLUMNS)(wrong)


def make_tables():
    rng = np.random.default_rng(1)
    pairs = pd.DataFrame(
        {"user": rng.integers(0, 60, 400), "item": rng.integers(0, 30, 400)}
    )
    pairs = pairs.drop_duplicates().assign(grade=lambda f: 1.0 + f["item"] % 3)
    lists = pd.DataFrame(
        {"user": rng.integers(20, 90, 900), "item": rng.integers(0, 30, 900)}
    )
    lists = lists.drop_duplicates().assign(
        rank=lambda f: f.groupby("user").cumcount() + 1,
        score=lambda f: -f["item"] % 7 + 0.0,
    )
    return pairs, lists


@pytest.mark.parametrize("order", ["rank", "score"])
@pytest.mark.parametrize("relevance", [None, "grade"])
@pytest.mark.parametrize("to", [lambda frame: frame, pl.from_pandas, pa.Table.from_pandas])
def test_two_tables(order, relevance, to):
    pairs, lists = make_tables()
    scorer = QueryScorer.from_tables(
        METRICS,
        user="user",
        item="item",
        marker="held_out",
        relevance=relevance,
        **{order: order},
    )
    both = pd.concat([pairs.assign(held_out=True), lists.assign(held_out=False)])
    both = both.sample(frac=1, random_state=0) if order == "score" else both
    values = [scorer(to(both[both["user"] % 3 == part])) for part in range(3)]
    rows = from_frames(
        pairs, lists, user="user", item="item", relevance=relevance, **{order: order}
    )
    expected = per_query_scores(
        rows.y_true, rows.y_score, groups=rows.groups, metrics=METRICS
    )
    found = as_per_query_scores(values)
    assert found.groups.tolist() == expected.groups.tolist() == list(range(90))
    for name, wanted in expected.scores.items():
        np.testing.assert_array_equal(found.scores[name], wanted)
    summarize(values, n_rows=len(pairs) + len(lists))


def test_users_of_one_table_only_survive():
    pairs = pd.DataFrame({"user": ["a", "b"], "item": [1, 2], "held_out": True})
    lists = pd.DataFrame({"user": ["b", "c"], "item": [2, 1], "held_out": False, "rank": 1})
    scorer = QueryScorer.from_tables(
        "mrr", user="user", item="item", marker="held_out", rank="rank"
    )
    values = scorer(pd.concat([pairs, lists])).set_index("group")["mrr"]
    assert values["a"] == 0
    assert values["b"] == 1
    assert np.isnan(values["c"])
    only = scorer(lists)
    assert only["group"].tolist() == ["b", "c"]
    assert only["mrr"].isna().all()


def test_bad_tables():
    with pytest.raises(ValueError, match="either `score=` or"):
        QueryScorer.from_tables("mrr", user="user", item="item", marker="held_out")
    columns = {"user": "user", "item": "item", "marker": "held_out", "rank": "rank"}
    with pytest.raises(ValueError, match="needs to know what was judged irrelevant"):
        QueryScorer.from_tables("bpref", **columns)
    scorer = QueryScorer.from_tables("mrr", **columns)
    rows = pd.DataFrame({"user": [1], "item": [1], "held_out": [2], "rank": [1]})
    with pytest.raises(ValueError, match="`marker`"):
        scorer(rows)
    with pytest.raises(ValueError, match="missing value"):
        scorer(rows.assign(item=pd.Series([None], dtype="Int64"), held_out=True))


JUDGING = ["bpref", "judged@3", "infap", "rbp_residual"]
OF_ROWS = {"groups": "q", "y_true": "y", "y_score": "s"}


@pytest.mark.parametrize("seed", range(20))
def test_judged_metrics_have_the_same_bits_in_any_partition_by_query(seed):
    rng = np.random.default_rng(seed)
    query = np.sort(rng.integers(0, 8, 40))
    kinds = [1.0, 2.0, -0.0, 0.0, np.nan]
    grades = np.array(kinds)[rng.choice(5, 40, p=[0.3, 0.1, 0.4, 0.15, 0.05])]
    grades[query % 2 == 0] = np.where(rng.random(np.sum(query % 2 == 0)) < 0.5, 1.0, -0.0)
    rows = pd.DataFrame({"q": query, "y": grades, "s": rng.integers(0, 9, 40) / 2})
    expected = per_query_scores(rows["y"], rows["s"], groups=query, metrics=JUDGING)
    score = QueryScorer(JUDGING, **OF_ROWS)
    part_of_query = rng.integers(0, rng.integers(1, 9), 8)
    parts = [score(part) for _, part in rows.groupby(part_of_query[query])]
    found = as_per_query_scores(parts)
    assert found.groups.tolist() == expected.groups.tolist()
    for name in JUDGING:
        assert found.scores[name].tobytes() == expected.scores[name].tobytes()
    assert summarize(parts) == summarize(iter(parts)) == summarize(score(rows))


def test_parts_with_only_relevant_items_are_asked_once_and_together():
    score = QueryScorer(["bpref", "mrr"], **OF_ROWS)
    rows = pd.DataFrame({"q": [1, 1, 2, 2], "y": [1.0, -0.0, 1.0, 0.0], "s": [2, 1, 2, 1]})
    by_query = rows.groupby("q")[["q", "y", "s"]].apply(score)
    assert by_query["bpref"].tolist() == [1, 1]
    assert by_query["judgments"].tolist() == [1, 2]
    only_relevant = rows.assign(y=[1.0, -0.0, 1.0, -0.0])
    values = [score(part) for _, part in only_relevant.groupby("q")]
    message = "bpref needs to distinguish judged irrelevant rows from unjudged ones"
    for ask in (summarize, as_per_query_scores, lambda parts: summarize(iter(parts))):
        with pytest.raises(ValueError, match=message):
            ask(values)
    with pytest.raises(ValueError, match=message):
        summarize(score.parts([only_relevant], sorted_by="q"))
    pooled = QueryScorer("bpref", **OF_ROWS, pooled="pooled")
    values = [
        pooled(part.assign(pooled=part["y"] > 0)) for _, part in only_relevant.groupby("q")
    ]
    assert np.isfinite(as_per_query_scores(values).scores["bpref"]).all()
    assert "judgments" not in QueryScorer("mrr", **OF_ROWS)(rows)


def test_names_of_your_own_are_refused():
    columns = {"groups": "q", "y_true": "grade", "y_score": "score"}
    with pytest.raises(ValueError, match="'mine' is a new name of 'map'"):
        QueryScorer({"mine": "map"}, **columns)

import errno
import os
import platform
from types import SimpleNamespace

import numpy as np
import pytest

from sklearn_rank.distributed import QueryScorer, _stream, as_per_query_scores
from sklearn_rank.distributed._stream import _check_several
from tests.distributed.conftest import COLUMNS, METRICS
from tests.table_libraries import LIBRARIES

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")
dataset = pytest.importorskip("pyarrow.dataset")


def in_pieces(frame, to=lambda frame: frame, size=700):
    return [to(frame[start : start + size]) for start in range(0, len(frame), size)]


@pytest.mark.parametrize("memory", [None, "400 kB"])
@pytest.mark.parametrize("way", ["sorted_by", "partitions", "spill"])
def test_a_dataset_of_files(rows, way, memory, tmp_path):
    given = {"sorted_by": "user", "partitions": 12, "spill": tmp_path}[way]
    source = dataset.dataset(rows.path)
    seen = []
    stream = {way: given, "memory": memory, "progress": seen.append}
    if way == "sorted_by" and not rows.is_sorted:
        with pytest.raises(ValueError, match="not sorted by 'user': use `partitions`"):
            rows.scorer.stream(source, **stream)
        return
    rows.check(rows.scorer.stream(source, **stream))
    assert sum(seen) == len(rows.frame)
    assert not list(tmp_path.iterdir())
    if memory is not None:
        assert len(seen) > 4


@pytest.mark.parametrize("to", LIBRARIES)
@pytest.mark.parametrize("way", ["sorted_by", "partitions", "spill"])
def test_tables_of_any_library(frame, to, way, tmp_path):
    given = {"sorted_by": "user", "partitions": 3, "spill": str(tmp_path)}[way]
    frame = frame.sort_values("user", kind="stable", ignore_index=True)
    scorer = QueryScorer([*METRICS, "mae"], **COLUMNS, by="country", sample_weight="weight")
    frame["score"] = frame["score"].clip(lower=0)
    expected = scorer(to(frame))
    pieces = in_pieces(frame, to)
    values = scorer.stream(pieces, **{way: given})
    assert type(values) is type(expected)
    found, wanted = as_per_query_scores(values), as_per_query_scores(expected)
    assert found.groups.tolist() == wanted.groups.tolist()
    for name, of_queries in wanted.scores.items():
        np.testing.assert_array_equal(found.scores[name], of_queries)
        np.testing.assert_array_equal(found.weights[name], wanted.weights[name])
    again = scorer.stream(lambda: iter(pieces), **{way: given})
    assert as_per_query_scores(again).mean() == found.mean()


@pytest.mark.parametrize("to", LIBRARIES)
def test_labels_of_many_types(frame, to, tmp_path):
    user = frame["user"]
    types = {
        "floats": user - 0.5,
        "times": pd.Timestamp("2026-01-01") + pd.to_timedelta(user, unit="h"),
        "booleans": user % 2 == 0,
        "small integers": user.astype("int16"),
    }
    for name, labels in types.items():
        rows = frame.assign(user=labels)
        scorer = QueryScorer("ndcg@10", **COLUMNS)
        expected = as_per_query_scores(scorer(to(rows)))
        for way in ({"partitions": 2}, {"spill": tmp_path}):
            values = scorer.stream(in_pieces(rows, to), **way)
            found = as_per_query_scores(values)
            assert found.groups.tolist() == expected.groups.tolist(), name
            assert found.mean() == expected.mean(), name


def test_categories_that_differ_between_tables(frame, tmp_path):
    frame = frame.astype({"user": str})
    expected = as_per_query_scores(QueryScorer(METRICS, **COLUMNS)(frame))
    pieces = [piece.astype({"user": "category"}) for piece in in_pieces(frame)]
    tables = [pa.Table.from_pandas(piece) for piece in pieces]
    for source in (pieces, tables):
        for way in ({"partitions": 2}, {"spill": tmp_path}):
            found = as_per_query_scores(
                QueryScorer(METRICS, **COLUMNS).stream(source, **way)
            )
            assert found.groups.tolist() == expected.groups.tolist()
            assert found.mean() == expected.mean()


def test_one_row_at_a_time(frame):
    frame = frame.sort_values("user", kind="stable")[:300]
    scorer = QueryScorer(METRICS, **COLUMNS)
    values = scorer.stream(in_pieces(frame, size=1), sorted_by="user", memory="50kB")
    expected = scorer(frame)
    pd.testing.assert_frame_equal(values, expected, check_exact=True)


def test_sources_without_rows(frame, tmp_path):
    scorer = QueryScorer(METRICS, **COLUMNS)
    for way in ({"sorted_by": "user"}, {"partitions": 2}, {"spill": tmp_path}):
        values = scorer.stream([frame[:0], frame[:0]], **way)
        pd.testing.assert_frame_equal(values, scorer(frame[:0]))
        with_rows = scorer.stream([frame[:0], frame, frame[:0]], **way)
        assert len(with_rows) == frame["user"].nunique()
    with pytest.raises(ValueError, match="has no tables"):
        scorer.stream([], sorted_by="user")


def test_the_way_has_to_be_said(frame, tmp_path):
    scorer = QueryScorer(METRICS, **COLUMNS)
    with pytest.raises(ValueError, match="got none of them"):
        scorer.stream([frame])
    with pytest.raises(ValueError, match="got sorted_by and partitions"):
        scorer.stream([frame], sorted_by="user", partitions=2)
    with pytest.raises(ValueError, match="`sorted_by` is 'country', but queries are in"):
        scorer.stream([frame], sorted_by="country")
    with pytest.raises(ValueError, match="`partitions` must be"):
        scorer.stream([frame], partitions=0)
    with pytest.raises(ValueError, match="a folder that exists"):
        scorer.stream([frame], spill=tmp_path / "none")
    with pytest.raises(ValueError, match="can be read only once"):
        scorer.stream(iter([frame]), partitions=2)
    with pytest.raises(TypeError, match="`source` must be an iterable of tables"):
        scorer.stream("rows.parquet", sorted_by="user")
    with pytest.raises(TypeError, match="must be a pandas or polars DataFrame"):
        scorer.stream([[1, 2]], sorted_by="user")


@pytest.mark.parametrize("memory", [0, -1, True, 1.5, "much", "1.2.3GB", "GB", "1XB", ""])
def test_what_is_no_number_of_bytes(frame, memory):
    with pytest.raises(ValueError, match="`memory` must be a positive number of bytes"):
        QueryScorer(METRICS, **COLUMNS).stream([frame], sorted_by="user", memory=memory)


def test_a_query_larger_than_the_memory(frame, tmp_path):
    scorer = QueryScorer(METRICS, **COLUMNS)
    large = pd.concat([frame, pd.concat([frame] * 3).assign(user=7_000)])
    pieces = in_pieces(large)
    enough, little = 5_000_000, 1_000_000
    alone = in_pieces(large[large["user"] == 7_000])
    ordered = in_pieces(large.sort_values("user"))
    ways = [({"sorted_by": "user"}, ordered), ({"spill": tmp_path}, pieces)]
    for way, source in [*ways, ({"partitions": 3}, alone)]:
        scorer.stream(source, **way, memory=enough)
        with pytest.raises(ValueError, match=r"Query 7000 alone has .* shorten long lists"):
            scorer.stream(source, **way, memory=little)
    assert not list(tmp_path.iterdir())
    with pytest.raises(ValueError, match=r"One of 2 parts .* raise `partitions`"):
        scorer.stream(pieces, partitions=2, memory=little)


@pytest.mark.parametrize(
    ("batches", "is_one"),
    [
        ([["a", "a"], ["a"]], True),
        ([["a", "b"], ["a", "b"]], False),  # all begin with one query
        ([["a", "a"], ["b", "b"]], False),  # each is of one query
        ([["a", "a"], ["a", "b"]], False),
    ],
)
def test_only_a_part_of_one_query_cannot_be_split(tmp_path, batches, is_one):
    path = tmp_path / "part.arrow"
    schema = pa.schema([("query", pa.string())])
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, schema) as writer:
        for labels in batches:
            writer.write_batch(pa.record_batch({"query": labels}, schema=schema))
    if is_one:
        with pytest.raises(ValueError, match="Query 'a' alone has 3 rows"):
            _check_several(path, "query", 3, 2)
    else:
        _check_several(path, "query", 4, 2)


def test_a_disk_without_room_is_named(frame, tmp_path):
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        with pytest.raises(OSError, match="give `spill` another folder") as caught:
            QueryScorer(METRICS, **COLUMNS).stream([frame], spill=tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert caught.value.errno == errno.EFBIG
    assert caught.value.filename == str(tmp_path)
    assert not list(tmp_path.iterdir())


def test_tables_with_unlike_columns(frame):
    scorer = QueryScorer(METRICS, **COLUMNS)
    texts = frame.astype({"user": str})
    for others in ([frame, texts], [texts, frame]):
        with pytest.raises(
            TypeError, match=r"different types in column 'user'.* in table 1"
        ):
            scorer.stream(others, partitions=2)
    with pytest.raises(TypeError, match="int16 in the first one and int64 in table 1"):
        scorer.stream(iter([frame.astype({"user": "int16"}), frame]), spill=".")
    with pytest.raises(ValueError, match="is not a column"):
        scorer.stream([frame, frame.drop(columns="grade")], partitions=2)
    with pytest.raises(TypeError, match="of one library, got one of pandas"):
        scorer.stream([frame, pl.from_pandas(frame)], partitions=2)


def test_files_with_unlike_columns(frame, tmp_path):
    scorer = QueryScorer(METRICS, **COLUMNS)
    frame.to_parquet(tmp_path / "0.parquet")
    frame.drop(columns="grade").to_parquet(tmp_path / "1.parquet")
    # What a file does not have is null in all of its rows.
    with pytest.raises(ValueError, match=r"'grade', which is `y_true`, has .* missing"):
        scorer.stream(dataset.dataset(tmp_path), sorted_by="user")
    with pytest.raises(ValueError, match="`y_true='grade'` is not a column"):
        scorer.stream(dataset.dataset(tmp_path / "1.parquet"), sorted_by="user")


def test_files_with_unlike_types(frame, tmp_path):
    """A Dataset has the types of its first file, and reads the others as these."""
    scorer = QueryScorer(METRICS, **COLUMNS)
    half = frame["user"] < 60
    frame[half].to_parquet(tmp_path / "0.parquet")
    frame[~half].astype({"user": str}).to_parquet(tmp_path / "1.parquet")
    values = scorer.stream(dataset.dataset(tmp_path), partitions=2)
    pd.testing.assert_frame_equal(
        values.to_pandas().sort_values("group", ignore_index=True),
        scorer(frame),
        check_exact=True,
    )
    frame[~half].assign(user="a").to_parquet(tmp_path / "1.parquet")
    with pytest.raises(ValueError, match="'a' as a scalar of type int64"):
        scorer.stream(dataset.dataset(tmp_path), partitions=2)


@pytest.mark.parametrize("to", LIBRARIES)
@pytest.mark.parametrize("way", ["sorted_by", "partitions", "spill"])
def test_narrower_integers_and_strings_are_the_same_labels(frame, to, way, tmp_path):
    given = {"sorted_by": "user", "partitions": 3, "spill": str(tmp_path)}[way]
    frame = frame.sort_values("user", kind="stable", ignore_index=True)
    scorer = QueryScorer(METRICS, **COLUMNS)
    pieces = in_pieces(frame)
    small = [piece.astype({"user": "int16", "grade": "int8"}) for piece in pieces]
    mixed = [(small if number % 2 else pieces)[number] for number in range(len(pieces))]
    for tables in (
        mixed,
        [*mixed[1:2], *mixed[:1], *mixed[2:]] if way != "sorted_by" else mixed,
    ):
        found = scorer.stream([to(table) for table in tables], **{way: given})
        np.testing.assert_equal(
            as_per_query_scores(found).scores, as_per_query_scores(scorer(frame)).scores
        )


def test_strings_of_arrow_of_both_sizes(tmp_path):
    table = pa.table({"user": ["b", "a", "b"], "grade": [1, 1, 0], "score": [1.0, 2, 3]})
    schema = table.schema.set(0, pa.field("user", pa.large_string()))
    scorer = QueryScorer("mrr", **COLUMNS)
    for tables in ([table, table.cast(schema)], [table.cast(schema), table]):
        found = scorer.stream([tables[0][:2], tables[1][2:]], spill=tmp_path)
        assert as_per_query_scores(found).scores["mrr"].tolist() == [1.0, 0.5]


def test_values_part_by_part(frame, tmp_path):
    table = pa.Table.from_pandas(frame.sort_values("user", kind="stable"))
    scorer = QueryScorer(METRICS, **COLUMNS)
    parts = scorer.parts(table, sorted_by="user", memory="100 kB")
    values = list(parts)
    assert len(values) > 2
    whole = scorer.stream(table, sorted_by="user", memory="100 kB")
    pd.testing.assert_frame_equal(pa.concat_tables(values).to_pandas(), whole.to_pandas())
    (empty,) = scorer.parts([table[:0]], sorted_by="user")
    assert empty.num_rows == 0
    assert empty.schema == values[0].schema
    with pytest.raises(ValueError, match="Say how the rows of a query come together"):
        scorer.parts(table)  # before a table is asked for
    with pytest.raises(ValueError, match="`source` has no tables"):
        list(scorer.parts(iter([]), sorted_by="user"))


def test_a_dataset_is_read_in_little_memory_where_memory_is_given(frame):
    asked = []

    class Spied:
        def __init__(self, files):
            self.files, self.schema = files, files.schema

        def scanner(self, **options):
            asked.append(options)
            return self.files.scanner(**options)

    source = Spied(dataset.dataset(pa.Table.from_pandas(frame)))
    scorer = QueryScorer(METRICS, **COLUMNS)
    scorer.stream(source, partitions=1)
    scorer.stream(source, partitions=1, memory="1GB")
    assert set(asked[0]) == {"columns"}
    assert asked[-1]["use_threads"] is False
    assert asked[-1]["batch_size"] == 2**16


class Plain:
    """A Dataset of a library that follows pyarrow, whose batches do not name files."""

    def __init__(self, files):
        self.schema, self.scanner = files.schema, lambda **_: Tables(files)


class Tables:
    def __init__(self, files):
        self.to_batches = files.to_batches


@pytest.mark.parametrize("as_source", [Plain, Tables, dataset.Dataset.scanner])
def test_what_yields_batches(as_source, rows):
    rows.check(rows.scorer.stream(as_source(dataset.dataset(rows.path)), partitions=3))


class Unreliable:
    """A Dataset that fails once, so that no file can be blamed."""

    def __init__(self, files):
        self.schema, self.get_fragments = files.schema, files.get_fragments

    def scanner(self, **_):
        def scan_batches():
            raise OSError(errno.EIO, "Input/output error")

        return SimpleNamespace(scan_batches=scan_batches)


def test_an_error_that_does_not_come_again_is_raised_as_it_is(frame):
    files = dataset.dataset(pa.Table.from_pandas(frame))
    with pytest.raises(OSError, match="Input/output") as caught:
        QueryScorer(METRICS, **COLUMNS).stream(Unreliable(files), sorted_by="user")
    assert caught.value.errno == errno.EIO


@pytest.mark.skipif(os.name != "posix", reason="asks whether a process runs")
def test_folders_that_an_ended_process_left_are_named_and_kept(frame, tmp_path):
    host, gone = platform.node(), 2**22 + 1  # more than Linux numbers processes
    left = tmp_path / f"sklearn_rank_{host}_{gone}_abc"
    others = [f"sklearn_rank_{host}_{os.getpid()}_abc", "sklearn_rank_elsewhere_7_abc", "x"]
    others.append(f"sklearn_rank_{host}_mine")
    for folder in (left, *(tmp_path / name for name in others)):
        folder.mkdir()
    scorer = QueryScorer(METRICS, **COLUMNS)
    with pytest.warns(UserWarning, match="ended before it removed 1 folder") as caught:
        scorer.stream([frame], spill=tmp_path)
    assert repr(str(left)) in str(caught[0].message)
    assert len(list(tmp_path.iterdir())) == 5
    left.rmdir()
    scorer.stream([frame], spill=tmp_path)


def test_no_process_is_asked_for_where_that_might_end_it(frame, tmp_path, monkeypatch):
    (tmp_path / f"sklearn_rank_{platform.node()}_{2**22 + 1}_abc").mkdir()
    no_kill = SimpleNamespace(**{**vars(os), "name": "nt", "kill": None})
    monkeypatch.setattr(_stream, "os", no_kill)
    QueryScorer(METRICS, **COLUMNS).stream([frame], spill=tmp_path)


@pytest.mark.parametrize("way", ["sorted_by", "spill"])
@pytest.mark.parametrize("fault", ["null", "no column", "type", "damage", "no Parquet"])
def test_an_error_names_the_file(tmp_path, way, fault):
    folder = tmp_path / "rows"
    folder.mkdir()
    rows = pd.DataFrame({"user": [1, 1], "grade": [0, 1], "score": [1.0, 2.0]})
    for name in "acd":
        rows.to_parquet(folder / f"{name}.parquet")
    bad = folder / "b.parquet"
    kind, told = ValueError, "Column 'score', which is `y_score`, has 1 missing"
    if fault == "null":
        rows.assign(score=[1.0, None]).to_parquet(bad)
    elif fault == "no column":
        rows[["user", "grade"]].to_parquet(bad)
        told = "Column 'score', which is `y_score`, has 2 missing"
    elif fault == "type":
        rows.assign(user=["x", "y"]).to_parquet(bad)
        told = "Cannot read .*string.* have the types of the Dataset; write it again"
    elif fault == "damage":
        whole = bytearray((folder / "a.parquet").read_bytes())
        bad.write_bytes(whole[:20] + b"\xff" * 40 + whole[60:])
        kind, told = OSError, "(?s)Cannot read .* The file must be complete"
    else:
        bad.write_text("hello")
        told = "(?s)Cannot read .*The file must be complete"
    given = {"sorted_by": "user", "spill": tmp_path}
    score = QueryScorer("mrr", **COLUMNS)
    with pytest.raises(kind, match=told) as caught:
        score.stream(dataset.dataset(folder), **{way: given[way]})
    assert repr(str(bad)) in str(caught.value)
    assert [one.name for one in tmp_path.iterdir()] == ["rows"]

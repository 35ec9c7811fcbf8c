"""Subtopics of rows in a column of lists: the values of one call with a matrix."""

import numpy as np
import pytest

from sklearn_rank.distributed import QueryScorer, as_per_query_scores
from sklearn_rank.metrics import per_query_scores
from tests.distributed.conftest import COLUMNS

pd = pytest.importorskip("pandas", reason="tables are made with it")
pl = pytest.importorskip("polars", reason="tables are made with it")
pa = pytest.importorskip("pyarrow", reason="tables are made with it")

METRICS = ["alpha_ndcg@5", "err_ia@5", "subtopic_recall@3", "nrbp", "ndcg@5"]
N_SUBTOPICS = 6


def make_rows(labels):
    """Return rows with lists of subtopics, and the matrix that says the same."""
    rng = np.random.default_rng(0)
    user = np.repeat(np.arange(50), rng.integers(1, 20, 50))
    has = rng.random((len(user), N_SUBTOPICS)) < 0.15
    has[user == 7] = False  # a query without a subtopic
    frame = pd.DataFrame(
        {
            "user": user,
            "grade": has.any(axis=1).astype(int),
            "score": rng.random(len(user)).round(1),
            "topics": [[labels(one) for one in np.flatnonzero(row)] for row in has],
        }
    )
    return frame, has.astype(float)


@pytest.mark.parametrize("labels", [int, lambda one: f"ü{one}"])
@pytest.mark.parametrize("to", [lambda one: one, pl.from_pandas, pa.Table.from_pandas])
def test_the_values_are_those_of_a_matrix(labels, to):
    frame, matrix = make_rows(labels)
    expected = per_query_scores(
        matrix, frame["score"], groups=frame["user"], metrics=METRICS
    )
    score = QueryScorer(METRICS, **COLUMNS, subtopics="topics")
    parts = [to(frame[frame["user"] % 8 == part]) for part in range(8)]
    found = as_per_query_scores([score(part) for part in parts])
    for name in METRICS:
        np.testing.assert_array_equal(found.scores[name], expected.scores[name])


def test_rows_on_disk(tmp_path):
    dataset = pytest.importorskip("pyarrow.dataset")
    frame, _ = make_rows(str)
    score = QueryScorer(METRICS, **COLUMNS, subtopics="topics")
    frame.sample(frac=1, random_state=0).to_parquet(tmp_path / "rows.parquet")
    files = dataset.dataset(tmp_path / "rows.parquet")
    found = as_per_query_scores(score.stream(files, spill=tmp_path, memory="1MB"))
    expected = as_per_query_scores(score(frame))
    for name in METRICS:
        np.testing.assert_array_equal(found.scores[name], expected.scores[name])


def test_no_row_has_a_subtopic():
    frame, _ = make_rows(str)
    score = QueryScorer(METRICS, **COLUMNS, subtopics="topics")
    none = score(frame[frame["user"] == 7])
    assert none[METRICS].isna().all(axis=None)


def test_what_is_no_list():
    frame, _ = make_rows(str)
    score = QueryScorer(METRICS, **COLUMNS, subtopics="topics")
    frame["topics"] = frame["topics"].map(" ".join)
    with pytest.raises(TypeError, match=r"'topics', which is `subtopics`, .* in row 0"):
        score(frame)
    with pytest.raises(ValueError, match="name its column, subtopics='"):
        QueryScorer("alpha_ndcg", **COLUMNS)

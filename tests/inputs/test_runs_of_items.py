"""from_runs: several runs beside each other."""

import io
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_rank.inputs import from_item_lists, from_runs, to_trec

ITEMS = st.sampled_from(["a", "b", "c", "d"])
RUN = st.fixed_dictionaries(
    {q: st.dictionaries(ITEMS, st.floats(-9, 9), min_size=1) for q in ("q1", "q2")}
)
TRUTH = st.dictionaries(st.sampled_from(["q1", "q3"]), st.dictionaries(ITEMS, st.just(2)))


@given(TRUTH, st.lists(RUN, min_size=1, max_size=3))
def test_each_column_is_what_the_run_alone_has(truth, runs):
    rows = from_runs(truth, runs, return_items=True)
    assert len(rows.X) == len(set(zip(rows.groups, rows["items"], strict=True)))
    for column, run in zip(rows.X.T, runs, strict=True):
        alone = from_item_lists(truth, run, return_items=True)
        found = {}
        columns = alone.groups, alone["items"], alone.y_true, alone.y_score
        for query, item, grade, score in zip(*columns, strict=True):
            if grade > 0 or score > -np.inf:
                found[query, item] = grade, score
        columns = rows.groups, rows["items"], rows.y, column
        for query, item, grade, score in zip(*columns, strict=True):
            grade_alone, score_alone = found.pop((query, item), (0, -np.inf))
            assert np.nan_to_num(score, nan=-np.inf) == score_alone
            assert grade == grade_alone or score_alone == -np.inf
        assert not found


LABELS = {
    "numbers": st.integers(-3, 3),
    "texts": st.sampled_from(["a", "bb", "ccc", "d" * 9]),
    "pairs": st.tuples(st.integers(0, 1), st.sampled_from("ab")),
}


@pytest.mark.parametrize("queries", LABELS.values(), ids=LABELS)
@pytest.mark.parametrize("items", LABELS.values(), ids=LABELS)
@given(data=st.data())
def test_rows_lie_as_a_plain_loop_lists_them(queries, items, data):
    """The truth comes first, then the runs; a query without an item has no row."""
    scored = st.dictionaries(items, st.floats(-9, 9))
    run = st.dictionaries(queries, scored, min_size=1).filter(lambda run: any(run.values()))
    truth = data.draw(st.dictionaries(queries, st.dictionaries(items, st.just(2))))
    runs = data.draw(st.lists(run, min_size=1, max_size=3))
    rows = from_runs(truth, runs, missing="empty", return_items=True)
    expected = []
    for query in dict.fromkeys(query for side in (truth, *runs) for query in side):
        sides = [side.get(query, {}) for side in (truth, *runs)]
        for item in dict.fromkeys(item for side in sides for item in side):
            scores = [side.get(item, np.nan) for side in sides[1:]]
            expected.append((query, item, sides[0].get(item, -0.0), scores))
    groups, ids, grades, scores = zip(*expected, strict=True)
    assert (tuple(rows.groups.tolist()), tuple(rows["items"].tolist())) == (groups, ids)
    assert rows.y.tobytes() == np.array(grades, dtype=float).tobytes()  # 0.0 is not -0.0
    assert rows.X.tobytes() == np.array(scores).tobytes()
    assert rows.X.flags.c_contiguous


def test_files_lists_and_mappings_together():
    file = io.StringIO()
    to_trec({"q": {"a": 0.5, "b": 0.25}}, file)
    file.seek(0)
    runs = {"file": file, "lists": {"q": ["b", "c"]}, "pairs": {"q": [("c", 3.0)]}}
    rows = from_runs(io.StringIO("q 0 b 2\nq 0 z 1\nq 0 y -1"), runs, return_items=True)
    assert rows.runs == ["file", "lists", "pairs"]
    found = dict(zip(rows["items"], np.nan_to_num(rows.X, nan=99).tolist(), strict=True))
    assert found["a"] == [0.5, 99, 99]
    assert found["b"] == [0.25, -1, 99]
    assert found["c"] == [99, -2, 3]
    assert found["z"] == [99] * 3
    grades = dict(zip(rows["items"], rows.y.tolist(), strict=True))
    assert grades == {"a": 0, "b": 2, "c": 0, "y": 0, "z": 1}


def test_a_query_that_a_run_lacks():
    runs = [{"q": ["a"], "r": ["b"]}, {"q": ["b"]}]
    with pytest.raises(ValueError, match=r"Run 1 has no query 'r', .*\(1 such queries\)"):
        from_runs({"q": "a"}, runs)
    rows = from_runs({"q": "a"}, runs, missing="empty")
    assert np.isnan(rows.X[rows.groups == "r"]).tolist() == [[False, True]]


BAD = [
    ({}, [], ValueError, "`runs` is empty"),
    ({}, "run.txt", TypeError, "`runs` must be several runs"),
    ({}, {"q": {"a": 1.0}}, TypeError, "`runs` is a single run"),
    ({}, [{"q": {"a": 1.0}}, {"q": {}}], ValueError, "run 1 has no item of any query"),
    ({}, [{"q": ["a", "a"]}], ValueError, "run 0 has item 'a' twice for query 'q'"),
    ({}, [{"q": {"a": np.nan}}], ValueError, "has the score nan"),
    (
        {},
        [["q Q0 a 1 2 t"] * 2],
        ValueError,
        "has the item 'a' twice for the query 'q', again in line 2",
    ),
    ({}, [{1: ["a"]}, {"1": ["a"]}], TypeError, "Users cannot be compared"),
    ({}, [{"q": [1]}, {"q": ["1"]}], TypeError, "Item ids cannot be compared: run 0"),
    (
        {"q": "1"},
        [{"q": [1]}],
        TypeError,
        "Item ids cannot be compared: y_true has item '1'",
    ),
    ({"q": {"a": -1}}, [{"q": ["a"]}], ValueError, "has the grade -1"),
    (["a"], [{"q": ["a"]}], ValueError, "has no row below line 1"),
]


@pytest.mark.parametrize(("y_true", "runs", "error", "message"), BAD)
def test_bad_runs(y_true, runs, error, message):
    with pytest.raises(error, match=re.escape(message)):
        from_runs(y_true, runs)


def test_errors_of_files_name_the_argument():
    run = ["q1 Q0 d1 1 0.5 me"]
    with pytest.raises(ValueError, match="`y_true`, line 2: the grade must be a whole"):
        from_runs(["q1 0 d1 1", "q1 0 d2 x"], [run])
    with pytest.raises(ValueError, match="`runs`, line 2: the score must be a finite"):
        from_runs({"q1": "d1"}, [[*run, "q1 Q0 d2 2 high me"]])

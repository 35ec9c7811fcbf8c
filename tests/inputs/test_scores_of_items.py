"""Lists with scores, single answers, items named again, and items that do not count."""

import io
import os
import re
from itertools import groupby

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_rank.inputs import from_files, from_frames, from_item_lists, to_trec

IDS = st.integers(0, 6)
SCORES = st.sampled_from([-1.0, 0.0, 0.25, 0.5, 2**60, -np.inf])
TRUTH = st.dictionaries(IDS, st.integers(0, 3), max_size=5)
SCORED = st.dictionaries(IDS, SCORES, max_size=6)
USERS = st.sampled_from("abc")
EXCLUDED = st.dictionaries(USERS, st.lists(IDS, max_size=3), max_size=3)
PAIRS = st.lists(st.tuples(IDS, SCORES), max_size=8)


def table(rows):
    return sorted(zip(rows.groups, rows["items"], rows.y_true, rows.y_score, strict=True))


def as_lists(*arguments, **options):
    return table(from_item_lists(*arguments, **options, return_items=True))


def as_frames(y_true, y_pred, **options):
    truth = [(u, i, g) for u, grades in y_true.items() for i, g in grades.items()]
    found = [(u, i, s) for u, pairs in y_pred.items() for i, s in pairs]
    return table(
        from_frames(
            pd.DataFrame(truth, columns=["user", "item", "grade"]),
            pd.DataFrame(found, columns=["user", "item", "score"]),
            user="user",
            item="item",
            relevance="grade",
            score="score",
            return_items=True,
            **options,
        )
    )


def without_empty(rows):
    """Leave out users who have nothing, of whom a table knows nothing either."""
    of_users = [list(some) for _, some in groupby(rows, key=lambda row: row[0])]
    return [row for some in of_users for row in some if len(some) > 1 or row[2] > 0]


@given(st.dictionaries(USERS, TRUTH), st.dictionaries(USERS, SCORED))
def test_mappings_and_pairs_are_the_same(y_true, y_pred):
    pairs = {user: list(scores.items()) for user, scores in y_pred.items()}
    expected = as_lists(y_true, y_pred)
    assert as_lists(y_true, pairs) == expected
    json = {user: [list(pair) for pair in some] for user, some in pairs.items()}
    assert as_lists(y_true, json) == expected
    if any(y_true.values()) and any(y_pred.values()):
        assert without_empty(as_frames(y_true, pairs)) == without_empty(expected)


@given(st.dictionaries(USERS, TRUTH, min_size=1), st.dictionaries(USERS, PAIRS), EXCLUDED)
def test_duplicates_and_excluded_items_are_as_if_removed_before(y_true, y_pred, exclude):
    clean_truth = {
        user: {i: g for i, g in grades.items() if i not in exclude.get(user, ())}
        for user, grades in y_true.items()
    }
    clean = {}
    for user, pairs in y_pred.items():
        best = {}
        for item, score in pairs:
            if item not in exclude.get(user, ()):
                best[item] = max(score, best.get(item, -np.inf))
        clean[user] = best
    expected = as_lists(clean_truth, clean)
    options = {"duplicates": "first", "exclude": exclude}
    assert as_lists(y_true, y_pred, **options) == expected
    if any(y_true.values()) and any(y_pred.values()):
        frames = as_frames(y_true, y_pred, **options)
        assert without_empty(frames) == without_empty(expected)


def test_the_first_place_of_an_item_counts():
    rows = from_item_lists([["b", "b"]], [["a", "b", "a", "c", "b"]], duplicates="first")
    assert rows.y_true.tolist() == [0, 1, 0]
    assert rows.y_score.tolist() == [-1, -2, -3]


@pytest.mark.parametrize("answer", ["d1", 7, (7,), np.int64(7), [7]])
def test_one_right_answer(answer):
    item = "d1" if answer == "d1" else 7
    rows = from_item_lists({"q": answer}, {"q": [item]})
    assert rows.y_true.tolist() == [1]
    assert from_item_lists(["a", "b"], [["b"], ["b"]]).y_true.tolist() == [0, 1, 1]
    assert from_item_lists(np.array([3, 4]), [[3], [3]]).y_true.tolist() == [1, 0, 1]


def test_ids_that_are_tuples_are_no_pairs():
    assert from_item_lists([{("a", 1)}], [[("b", 2), ("a", 1)]]).y_true.tolist() == [0, 1]
    mixed = [[("b", 2), "b", ("a", 1)]]
    assert from_item_lists(["b"], mixed).y_score.tolist() == [-1, -2, -3]
    scored = [[(("b", 2), 0.5), (("a", 1), 0.75)]]
    assert from_item_lists([{("a", 1)}], scored).y_score.tolist() == [0.5, 0.75]


def test_large_scores_stay_apart():
    rows = from_item_lists(["b"], [{"a": 2**60, "b": 2**60 + 1}])
    assert rows.y_score[0] < rows.y_score[1]


def test_places_of_no_item_have_no_score():
    rows = from_item_lists([[3]], [[(-1, -9.0), (3, 0.5)]], filler=-1)
    assert rows.y_score.tolist() == [0.5]


def test_the_query_itself_is_left_out_of_files():
    qrels, run = ["q 0 d 1", "q 0 q 1"], ["q Q0 q 1 9 t", "q Q0 d 2 8 t", "q Q0 e 3 7 t"]
    rows = from_files(qrels, run, exclude={"q": "q", "other": ["x"]})
    assert rows.y_score.tolist() == [-1, -2]
    assert rows.y_true.tolist() == [1, 0]


def test_documents_named_again_in_files():
    qrels = ["q 0 d 0", "q 0 d 2"]
    run = ["q Q0 d 1 1 t", "q Q0 e 2 5 t", "q Q0 d 3 9 t"]
    rows = from_files(qrels, run, duplicates="first")
    assert rows.y_true.tolist() == [2, 0]


def test_subtopics_of_documents_that_do_not_count():
    qrels = ["q 1 d 1", "q 2 e 1", "q 1 e 1"]
    run = ["q Q0 e 1 2 t", "q Q0 d 2 1 t"]
    rows = from_files(qrels, run, subtopics=True, exclude={"q": "e"})
    assert rows.y_true.toarray()[:, 0].tolist() == [1]


def test_ranks_may_tie_only_among_rows_of_one_item():
    truth = pd.DataFrame({"u": [1], "i": [5]})
    shown = pd.DataFrame({"u": [1] * 3, "i": [5, 5, 6], "rank": [1, 1, 2]})
    options = {"user": "u", "item": "i", "rank": "rank", "duplicates": "first"}
    assert from_frames(truth, shown, **options).y_score.tolist() == [-1, -2]
    shown["rank"] = [1, 2, 1]
    with pytest.raises(ValueError, match="rank 1 twice for user 1"):
        from_frames(truth, shown, **options)


ERRORS = [
    (["a"], [["b"]], {"duplicates": "last"}, ValueError, "`duplicates` got 'last'"),
    (["a"], [[["a", 1.0], "b"]], {}, TypeError, "Item ids must be hashable"),
    (["a"], [{"a": 1}, ["b"]], {}, TypeError, "give all items a score, or none"),
    (["a"], [{"a": "1"}], {}, TypeError, "scores of `y_pred` are text, such as '1'"),
    (["a"], [{"a": None}], {}, TypeError, "'a' of user 0 has the score None;"),
    (["a"], [{"a": np.nan}], {}, ValueError, "'a' of user 0 has the score nan;"),
    (["a"], [[("a", np.inf)]], {}, ValueError, "has the score inf;"),
    (["a"], [[("b", 1), ("b", 2)]], {}, ValueError, "item 'b' twice for user 0"),
    (["a"], [["a"]], {"exclude": 3}, TypeError, "`exclude` must be a mapping"),
    (["a"], [["a"]], {"exclude": [[], []]}, ValueError, "`exclude` has 2 users"),
    (["a"], [["a"]], {"exclude": [[1]]}, TypeError, "`exclude` has item 1 (int"),
    (["a"], [["a"]], {"exclude": {"0": "a"}}, TypeError, "and `y_true` has user 0 (int)"),
    ({"q": "a"}, {"q": ["a"]}, {"exclude": ["a"]}, TypeError, "must be a mapping from"),
]


@pytest.mark.parametrize(("y_true", "y_pred", "options", "error", "text"), ERRORS)
def test_errors(y_true, y_pred, options, error, text):
    y_true = y_true * len(y_pred) if isinstance(y_true, list) else y_true
    with pytest.raises(error, match=re.escape(text)):
        from_item_lists(y_true, y_pred, **options)


def test_excluded_numbers_that_no_item_equals_are_passed_over():
    rows = from_item_lists([[1, 2]], [[2, 3]], exclude=[[2.0, 2.5, 99, -1]])
    assert rows.y_true.tolist() == [-0.0, 1.0]
    assert rows.y_score.tolist() == [-1.0, -np.inf]


def test_excluded_documents_of_files_are_strings():
    lines = ["1 0 2 1"], ["1 Q0 2 1 1 t"]
    with pytest.raises(TypeError, match="Users cannot be compared"):
        from_files(*lines, exclude={1: "2"})
    with pytest.raises(TypeError, match=r"`exclude` has item 2 \(int\) and another"):
        from_files(*lines, exclude={"1": 2})
    with pytest.raises(TypeError, match="must be a mapping"):
        from_files(*lines, exclude=["2"])


NAMES = st.text("ab\u00a0é#-", min_size=1, max_size=3)
QUERIES = NAMES.filter(lambda name: name[0] != "#")


def lines_of(run):
    file = io.StringIO()
    to_trec(run, file)
    return file.getvalue().splitlines(keepends=True)


LISTS = st.lists(NAMES, unique=True, min_size=1, max_size=6)


@given(st.dictionaries(QUERIES, LISTS, min_size=1))
def test_lists_come_back_from_a_file(run):
    qrels = {query: {names[-1]} for query, names in run.items()}
    lines = [f"{query} 0 {name} 1" for query, (name,) in qrels.items()]
    back = from_files(lines, lines_of(run), return_items=True)
    assert table(back) == as_lists(qrels, run)


@given(
    st.dictionaries(
        QUERIES,
        st.dictionaries(
            NAMES, st.floats(allow_nan=False, allow_infinity=False), min_size=1
        ),
        min_size=1,
    )
)
def test_scores_come_back_from_a_file(run):
    """Documents are in the order of trec_eval, and rows once read stay what they are."""
    order = {
        query: sorted(scores, key=lambda name: (scores[name], name), reverse=True)
        for query, scores in run.items()
    }
    lines = lines_of(run)
    scores = [float(line.split(" ")[4]) for line in lines]
    expected = [run[query][name] for query, names in order.items() for name in names]
    assert scores == expected
    qrels = {query: {names[-1]} for query, names in order.items()}
    judged = [f"{query} 0 {name} 1" for query, (name,) in qrels.items()]
    back = from_files(judged, lines, return_items=True)
    assert table(back) == as_lists(qrels, order)
    again = from_files(judged, lines_of(back), return_items=True)
    assert table(again) == table(back)


def test_files_are_written(tmp_path):
    for name in ("run", "run.gz"):
        to_trec([[3, 1], {}, []], tmp_path / name, tag="me")
        assert from_files(["0 0 1 1"], tmp_path / name).y_true.tolist() == [0, 1]
    text = (tmp_path / "run").read_text()
    assert text == "0 Q0 3 1 2 me\n0 Q0 1 2 1 me\n"
    to_trec({"q": {"a": -np.inf, "b": 1e-5}}, tmp_path / "run")
    assert (tmp_path / "run").read_text() == "q Q0 b 1 1e-05 sklearn_rank\n"


BAD_RUNS = [
    ({"a b": ["c"]}, ValueError, "query is 'a b'"),
    ({"a": ["c\n"]}, ValueError, r"document is 'c\n'"),
    ({"a": [""]}, ValueError, "document is ''"),
    ({"a": [None]}, ValueError, "document is None"),
    ({"#a": ["c"]}, ValueError, "cannot begin with '#'"),
    ({1: ["c"], "1": ["c"]}, ValueError, "two queries with the text '1'"),
    ({1: [1, "1"]}, ValueError, "document '1' twice for query '1'"),
    ({1: {"a": np.nan}}, ValueError, "has the score nan"),
    ({"groups": [1], "y_score": [1.0]}, ValueError, "rows without items"),
    (3, TypeError, "`run` must be a mapping"),
]


@pytest.mark.parametrize(("run", "error", "message"), BAD_RUNS)
def test_runs_that_no_file_can_hold(run, error, message):
    with pytest.raises(error, match=re.escape(message)):
        lines_of(run)


def test_the_file_and_the_tag_are_checked():
    for file in (3, os):  # the module has a function `write`
        with pytest.raises(TypeError, match="`file` must be a path or a file"):
            to_trec({"q": ["a"]}, file)
    with pytest.raises(ValueError, match="the tag is 'my run'"):
        to_trec({}, io.StringIO(), tag="my run")

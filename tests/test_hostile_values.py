"""What is no data is refused in words of this package, not by an error from inside it."""

import io
import linecache
import traceback

import numpy as np
import pytest

from sklearn_rank.datasets import make_click_log, make_interactions, make_ranking
from sklearn_rank.distributed import QueryScorer, as_per_query_scores, summarize
from sklearn_rank.inputs import (
    fill_unjudged,
    from_frames,
    from_item_lists,
    from_ratings,
    from_relevance,
    from_runs,
    make_pool,
    to_trec,
)
from sklearn_rank.model_selection import (
    RefitWithinError,
    TimeSplit,
    cross_validate_per_query,
    describe_split,
    train_valid_test_split,
)
from sklearn_rank.rankers import QueryFeatures

pd = pytest.importorskip("pandas")

RAGGED = np.empty(2, object)
RAGGED[:] = [[1], [2, 3]]
# By name, for some cannot be compared, and some not be shown.
VALUES = {
    "array of no dimension": np.array("a"),
    "array of None": np.array(None),
    "ragged list": [[1, 2], [3]],
    "ragged array": RAGGED,
    "no values": np.empty(0),
    "no rows": np.empty((0, 2)),
    "three dimensions": np.zeros((2, 2, 2)),
    "frame": pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}),
    "twice a column": pd.DataFrame([[1, 2]], columns=["u", "u"]),
    "missing": pd.NA,
    "several missing": pd.Series([1, None] * 2, dtype="Int64"),
    "record": np.void(b"abc"),
    "records": np.zeros(4, dtype=[("a", int)]),
    "object": object(),
    "lists": [[1]] * 4,
    "sets": [{1}] * 4,
    "huge": 10**400,
    "infinite": [np.inf] * 4,
    "none": [None] * 4,
    "word": "abc",
    "set": {1, 2},
    "nested": {"a": {"b": "c"}},
    "iterator": iter(()),
}
FRAME = pd.DataFrame({"u": [1, 1, 2, 2], "i": [*"abab"], "y": [0, 1, 1, 0], "s": 0.5})
SCORER = QueryScorer(["ndcg@3"], groups="u", y_true="y", y_score="s")
FEW = {"n_users": 4, "n_items": 4, "n_interactions": 8}
RUN = {"groups": [1, 1, 2, 2], "items": [1, 2, 1, 2], "y_score": [0.1, 0.2, 0.3, 0.4]}
COLUMNS = {"user": "u", "item": "i", "score": "s"}
SPLIT = TimeSplit(user="u", item="i", time="s")
CHOOSE = RefitWithinError("a", "b")
CALLS = {
    "fill_unjudged": fill_unjudged,
    "frames, truth": lambda v: from_frames(v, FRAME, **COLUMNS),
    "frames, column": lambda v: from_frames(FRAME, FRAME, **{**COLUMNS, "item": v}),
    "lists": lambda v: from_item_lists(v, [["a"]]),
    "lists, item": lambda v: from_item_lists({"u": ["a"]}, {"u": ["a", v]}),
    "lists, score": lambda v: from_item_lists({"u": ["a"]}, {"u": {"a": v}}),
    "ratings": from_ratings,
    "relevance": from_relevance,
    "runs": lambda v: from_runs({"u": ["a"]}, v),
    "runs, item": lambda v: from_runs({"u": ["a"]}, {"r": {"u": ["a", v]}}),
    "runs, truth": lambda v: from_runs({"u": [v]}, {"r": {"u": ["a"]}}),
    "pool, item": lambda v: make_pool({"r": {"u": ["a", v]}}),
    "pool, judged": lambda v: make_pool({"r": {"u": ["a"]}}, judged={"u": [v]}),
    "trec, groups": lambda v: to_trec({**RUN, "groups": v}, io.StringIO()),
    "trec, items": lambda v: to_trec({**RUN, "items": v}, io.StringIO()),
    "trec, scores": lambda v: to_trec({**RUN, "y_score": v}, io.StringIO()),
    "clicks": lambda v: make_click_log([[0, 1]], [0.5, 0.5], as_frame=v),
    "interactions": lambda v: make_interactions(**FEW, as_frame=v),
    "ranking": lambda v: make_ranking(4, shuffle=v),
    "scorer": SCORER,
    "scorer, column": lambda v: QueryScorer("map", groups=v, y_true="y", y_score="s")(
        FRAME
    ),
    "scorer, metrics": lambda v: QueryScorer(v, groups="u", y_true="y", y_score="s"),
    "iterate": lambda v: list(SCORER.iterate(v)),
    "meta": SCORER.meta,
    "schema": SCORER.schema,
    "stream": lambda v: SCORER.stream(v, sorted_by="u"),
    "stream, sorted_by": lambda v: SCORER.stream([FRAME], sorted_by=v),
    "stream, spill": lambda v: SCORER.stream([FRAME], spill=v),
    "stream, memory": lambda v: SCORER.stream([FRAME], sorted_by="u", memory=v),
    "stream, progress": lambda v: SCORER.stream([FRAME], sorted_by="u", progress=v),
    "choose": CHOOSE,
    "choose, means": lambda v: CHOOSE({"mean_test_a": v, "mean_test_b": v}),
    "choose, name": lambda v: RefitWithinError(v, "b")({"mean_test_a": [1]}),
    "describe": lambda v: describe_split(v, FRAME, user="u", item="i", time="s"),
    "describe, fold": lambda v: describe_split([([0], v)], FRAME, user="u", item="i"),
    "parts": lambda v: train_valid_test_split(FRAME, splitter=SPLIT, return_indices=v),
    "folds": lambda v: cross_validate_per_query(
        v, FRAME[["s"]], FRAME["y"], groups=[1] * 4
    ),
    "statistics": lambda v: QueryFeatures(v, groups="u").fit(FRAME[["u", "y"]]),
    "summarize": summarize,
    "values": as_per_query_scores,
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", CALLS)
def test_an_error_is_raised_and_does_not_happen(call):
    raw = {
        name: error
        for name, value in VALUES.items()
        if (error := error_of(lambda value=value: CALLS[call](value)))
    }
    assert raw == {}


def error_of(call):
    """Return the error of a call unless a line raises it, here or in scikit-learn."""
    try:
        call()
    except FileNotFoundError:
        pass  # of a word that is no path
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        line = linecache.getline(place.filename, place.lineno).strip()
        is_meant = "sklearn" in place.filename and line.startswith("raise")
        if not (is_meant and isinstance(error, ValueError | TypeError)):
            return f"{place}: {error!r}"
    return None

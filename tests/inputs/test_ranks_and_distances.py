"""Scores that are ranks or distances, and sides that are exchanged."""

import numpy as np
import pandas as pd
import pytest

from sklearn_rank.exceptions import IncomparableIdsError, MisleadingScoreWarning
from sklearn_rank.inputs import from_frames, from_item_lists
from sklearn_rank.inputs._look_alikes import describe_look_alikes
from sklearn_rank.metrics import bpref_score, ndcg_score

RANDOM = np.random.default_rng(0)
# The best three of ten documents of 30 queries are relevant.
LISTS = {query: [f"d{n}" for n in RANDOM.permutation(50)[:10]] for query in range(30)}
TRUTH = {query: items[:3] for query, items in LISTS.items()}
RISING = {
    query: dict(zip(items, np.sort(RANDOM.random(10)).tolist(), strict=True))
    for query, items in LISTS.items()
}
DESCENDING = {query: dict(reversed(of.items())) for query, of in RISING.items()}
RIGHT = {q: dict(zip(LISTS[q][::-1], of.values(), strict=True)) for q, of in RISING.items()}
FIRST = {query: RISING[query] for query in range(5)}


def ranks_from(start):
    return {
        query: {item: place + start for place, item in enumerate(items)}
        for query, items in LISTS.items()
    }


def told(caught):
    return [str(entry.message).partition(" If this is meant")[0] for entry in caught]


@pytest.mark.parametrize(
    ("lists", "start"),
    [
        (
            RISING,
            "All 30 lists of `y_pred` rise in score in the order given, but the "
            "highest score ranks first. Give distances as -distance; if the order is what "
            "counts, give lists of ids.",
        ),
        (FIRST, "All 5 lists of `y_pred` rise in score in the order given, but"),
        (
            ranks_from(1),
            "Scores of `y_pred` count the items of each list, as ranks do, but the "
            "highest score ranks first. Give lists of ids, best first, or -rank.",
        ),
        (ranks_from(0), "Scores of `y_pred` count the items of each list, as ranks do, "),
        (RIGHT, None),  # as sorted()[-10:] gives them
        (DESCENDING, None),
        ({**RISING, 3: DESCENDING[3]}, None),
        (dict(list(RISING.items())[:4]), None),
    ],
)
def test_scores_of_mappings_that_rise(lists, start, recwarn):
    truth = {query: TRUTH[query] for query in lists}
    from_item_lists(truth, lists)
    assert len(recwarn) == (start is not None)
    assert not start or told(recwarn)[0].startswith(start)


def table_of(lists, name):
    rows = [(q, item, score) for q, of in lists.items() for item, score in of.items()]
    return pd.DataFrame(rows, columns=["q", "d", name])


RELEVANT = table_of({query: dict.fromkeys(items, 1) for query, items in TRUTH.items()}, "g")


@pytest.mark.parametrize(
    ("lists", "name", "start"),
    [
        (RISING, "s", "All 30 lists of `recommendations` rise in score in the order given"),
        (
            RISING,
            "Dist",
            "`score='Dist'` ranks the largest first, and its column is named "
            "like what is best if small. Give -Dist in a column, or its rank as rank=.",
        ),
        (
            ranks_from(1),
            "pos",
            "`score='pos'` has the ranks of each user's items, but the highest score "
            "ranks first. Give rank='pos'.",
        ),
        (ranks_from(0), "place", "`score='place'` has the ranks of each user's items, but"),
        ({q: {k: -v for k, v in of.items()} for q, of in RISING.items()}, "dist", None),
    ],
)
def test_columns_of_ranks_and_distances(lists, name, start, recwarn):
    table = table_of(lists, name)
    from_frames(RELEVANT, table, user="q", item="d", score=name)
    assert [text[: len(start or "")] for text in told(recwarn)] == [start] * bool(start)
    recwarn.clear()
    from_frames(
        RELEVANT, table.sample(frac=1, random_state=0), user="q", item="d", score=name
    )
    assert len(recwarn) == (start is not None and name != "s")


def test_a_series_of_scores_that_is_named_so(recwarn):
    grades, queries = np.tile([0, 1, 0, 0], 6), np.repeat(np.arange(6), 4)
    distances = pd.Series(np.tile([3.0, 2, 1, 1], 6), name="distance")
    ranks = pd.Series(np.tile([2, 1, 3, 4], 6), name="Rank")
    ndcg_score(grades, distances, groups=queries)
    ndcg_score(grades, ranks.sample(frac=1, random_state=0).sort_index(), groups=queries)
    assert told(recwarn) == [
        "`y_score` ranks the largest first, and is named 'distance', like what is best if "
        "small. Give -y_score.",
        "`y_score`, named 'Rank', has the ranks of each query's items, but the highest "
        "score ranks first. Give -y_score.",
    ]
    recwarn.clear()
    ndcg_score(grades, -distances, groups=queries)
    ndcg_score(grades, ranks + 1, groups=queries)
    ndcg_score(grades, ranks.rename("score"), groups=queries)
    assert not recwarn


def test_exchanged_sides(recwarn):
    graded = {query: dict.fromkeys(items, 1) for query, items in TRUTH.items()}
    from_item_lists(RISING, graded)
    assert told(recwarn)[0] == (
        "All values of `y_true` differ within each user and some have fractions, as scores "
        "do, and all of `y_pred` are 0, 1, 2, 3 or 4, as grades are. The relevant items "
        "come first."
    )
    recwarn.clear()
    some = {query: items[: 1 + query % 3] for query, items in TRUTH.items()}
    from_item_lists(LISTS, some)
    assert told(recwarn) == [
        "Each user has 10 items in `y_true`, as lists of a system have, and 1 to 3 in "
        "`y_pred`, as relevant items are. The relevant items come first."
    ]
    recwarn.clear()
    from_item_lists(some, LISTS)
    from_item_lists(LISTS, TRUTH)  # three items for each user
    from_item_lists({query: set(items) for query, items in LISTS.items()}, some)
    from_item_lists(graded, RIGHT)
    assert not recwarn


def test_scores_that_are_true_or_false_are_compared():
    shares = RANDOM.random(40)
    with pytest.warns(MisleadingScoreWarning, match="The grades come first"):
        ndcg_score(shares, shares > 0.5, groups=np.repeat([0, 1], 20))


def test_one_column_is_no_list_of_queries(recwarn):
    ndcg_score([[1.0]], [[2.0]])
    assert not recwarn
    ndcg_score(np.ones((3, 1)), np.ones((3, 1)))
    assert told(recwarn)[0].startswith("All 3 queries have one row, so no order of y_score")


def test_grades_below_0_of_mappings_are_unjudged():
    rows = from_item_lists({"q": {"a": 1, "b": -1, "c": 0}}, {"q": ["b", "c", "a"]})
    assert rows.y_true.tolist()[1:] == [0, 1]
    assert np.isnan(rows.y_true[0])
    # One relevant document below the one that is judged irrelevant.
    assert bpref_score(**rows) == 0
    for truth in ({"q": {"a": 1.5, "b": -1}}, {"q": {"a": 1, "b": -1}, "r": ["a"]}):
        with pytest.raises(
            ValueError, match="item 'b' of user 'q' has the grade -1; grades"
        ):
            from_item_lists(truth, {query: ["a"] for query in truth})
    message = "grade None; leave the item out if nobody judged it, or give NaN to metrics"
    with pytest.raises(TypeError, match=message):
        from_item_lists({"q": {"a": 1, "b": None}}, {"q": ["a"]})


@pytest.mark.parametrize("scores", [{"a": "1"}, [("a", "1")], [["a", "0.5"]]])
def test_scores_that_are_text(scores):
    with pytest.raises(
        TypeError, match=r"scores of `y_pred` are text, such as '[01.5]+'; "
    ):
        from_item_lists({"q": ["a"]}, {"q": scores})
    with pytest.raises(ValueError, match="values of `y_score` are text, such as '1'; conv"):
        ndcg_score([1, 0], ["1", "2"], groups=[0, 0])
    with pytest.raises(ValueError, match=r"`y_score` must hold numbers.* If these are ids"):
        ndcg_score([1, 0], ["a", "2"], groups=[0, 0])


def test_ids_that_look_alike_within_a_side_differ():
    catalogue = ["a-1", "a1", "b-1", "b1"]
    alone = (["a-1", "b-1"], ["A1", "B1"])
    sides = ("`y_true`", "`y_pred`")
    assert describe_look_alikes("item", sides, alone, lambda: (catalogue, alone[1])) is None
    text = describe_look_alikes("item", sides, alone, lambda: alone)
    assert text.startswith("2 items of `y_true` look like ids that only `y_pred` has")


def test_one_list_with_a_relevant_item_shows_no_order():
    rising = {q: {f"d{n}": float(n * n + n) for n in range(1, 5)} for q in "abcde"}
    truth = {"a": ["d1"], **{q: ["other"] for q in "bcde"}}
    assert ndcg_score(**from_item_lists(truth, rising)) < 1


def test_equal_fractions_are_grades():
    truth = {user: {"a": 0.5, "b": 0.5} for user in range(20)}
    rows = from_item_lists(truth, {user: {"a": 1, "c": 0} for user in range(20)})
    assert ndcg_score(**rows) < 1


def test_pairs_of_texts_are_ids():
    with pytest.raises(IncomparableIdsError, match=r"item \('b', 'x'\) \(tuple\)"):
        from_item_lists([["a"]], [[("b", "x")]])

"""duplicates="miss": a repeated item keeps its place, and is never relevant."""

import numpy as np
import pandas as pd
import pytest

from sklearn_rank.inputs import from_files, from_frames, from_item_lists
from sklearn_rank.metrics import ranking_scores

TRUTH = {"ann": ["x", "y"], "bob": ["z"]}
LISTS = {"ann": ["x", "x", "y", "x"], "bob": ["q", "q", "z"]}
FRAMES = [
    pd.DataFrame(
        [(user, item) for user in of for item in of[user]], columns=["user", "item"]
    )
    for of in (TRUTH, LISTS)
]
RANKED = FRAMES[1].assign(rank=FRAMES[1].groupby("user").cumcount())
QRELS = [f"{user} 0 {item} 1" for user in TRUTH for item in TRUTH[user]]
RUN = [f"{r.user} Q0 {r.item} 0 {-r.rank} t" for r in RANKED.itertuples()]
NUMBERS = {"x": 1, "y": 2, "z": 3, "q": 4}


def as_numbers(of):
    return {user: [NUMBERS[item] for item in items] for user, items in of.items()}


def average_precision_of_kaggle(relevant, items, k=12):
    """Return the value by the rule of the competitions: a repeat is no hit."""
    total, n_hits = 0.0, 0
    for place, item in enumerate(items[:k]):
        if item in relevant and item not in items[:place]:
            n_hits += 1
            total += n_hits / (place + 1)
    return total / min(len(relevant), k)


@pytest.mark.parametrize(
    "rows",
    [
        from_item_lists(TRUTH, LISTS, duplicates="miss", return_items=True),
        from_item_lists(
            as_numbers(TRUTH), as_numbers(LISTS), duplicates="miss", return_items=True
        ),
        from_frames(
            *(FRAMES[0], RANKED),
            user="user",
            item="item",
            rank="rank",
            duplicates="miss",
            return_items=True,
        ),
        from_files(QRELS, RUN, duplicates="miss", return_items=True),
    ],
    ids=["lists", "numbers", "frames", "trec"],
)
def test_a_repeat_keeps_its_place(rows):
    assert rows.y_true.tolist() == [1, 0, 1, 0, 0, 0, 1]
    items = [NUMBERS.get(item, item) for item in rows["items"].tolist()]
    assert items == [1, 1, 2, 1, 4, 4, 3]
    expected = [average_precision_of_kaggle(TRUTH[u], LISTS[u]) for u in TRUTH]
    assert expected == pytest.approx([(1 + 2 / 3) / 2, 1 / 3])
    assert ranking_scores(**rows, metrics="apk@12")["apk@12"] == np.mean(expected)


def test_a_relevant_item_that_is_named_twice_counts_once():
    rows = from_item_lists({"ann": ["x", "x"]}, {"ann": ["x", "y"]}, duplicates="miss")
    assert rows.y_true.tolist() == [1, 0]


def test_the_first_place_of_scores_is_the_highest():
    scored = {"ann": [("x", 0.1), ("x", 0.9), ("y", 0.5)]}
    rows = from_item_lists(TRUTH, scored, duplicates="miss")
    assert rows.y_true[rows.groups == "ann"].tolist() == [0, 1, 1]


def test_excluded_items_have_no_places():
    rows = from_item_lists(TRUTH, LISTS, duplicates="miss", exclude={"ann": "x"})
    assert rows.y_true[rows.groups == "ann"].tolist() == [1]


def test_without_duplicates_all_is_as_before():
    plain, miss = (
        from_item_lists(TRUTH, {"ann": ["x"], "bob": []}, duplicates=d, return_items=True)
        for d in ("raise", "miss")
    )
    for name, values in plain.items():
        np.testing.assert_array_equal(miss[name], values)

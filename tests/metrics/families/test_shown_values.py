"""What metrics of shown items are on a toy: numbers of libraries, and of plain loops."""

import numpy as np
import pytest

from sklearn_rank import metrics as m
from sklearn_rank.inputs import from_item_lists
from sklearn_rank.metrics import Catalogue, per_query_scores, ranking_report, ranking_scores

HISTORY = {"u1": list("abc"), "u2": list("abd"), "u3": list("ac"), "u4": list("ae")}
SHOWN = {"u1": list("def"), "u2": list("ceg"), "u3": list("bd"), "u4": list("bcd")}
RELEVANT = {"u1": ["e"], "u2": ["c", "e"], "u3": ["d"], "u4": ["f"]}
EXPECTED = {"u1": list("adf"), "u2": list("ceb"), "u3": ["b"], "u4": ["g"]}
BITS = {"a": "100", "b": "110", "c": "010", "d": "011"}
BITS |= {"e": "001", "f": "101", "g": "111", "h": "000"}
FEATURES = {item: [int(bit) for bit in bits] for item, bits in BITS.items()}
CATEGORIES = {
    item: [name for name, bit in zip("XYZ", bits, strict=True) if bit]
    for item, bits in FEATURES.items()
}
POPULARITY = dict.fromkeys("abcdefgh", 0) | {"a": 4, "b": 2, "c": 2, "d": 1, "e": 1}
CATALOGUE = Catalogue(
    items=list("abcdefgh"),
    history=HISTORY,
    features=FEATURES,
    categories=CATEGORIES,
    reference=EXPECTED,
)
ROWS = from_item_lists(RELEVANT, SHOWN, return_items=True)

# Name, mean, and where it is known the value of each user. Numbers are those of the
# libraries, or of loops in plain Python where no library has them.
VALUES = [
    ("novelty", 1.625, [2, 5 / 3, 1.5, 4 / 3]),  # RecTools
    # recommenders: by interactions, over all items, unknown ones 0
    ("novelty(count='interactions', unknown='zero', average='items')", 2.3543048049, None),
    ("novelty(unknown='skip')", 19 / 12, [2, 1.5, 1.5, 4 / 3]),  # Evidently
    ("novelty(normalize=True)", 0.8125, [1, 5 / 6, 0.75, 2 / 3]),
    ("popularity", 1.2083333333, None),  # RecTools
    ("popularity(count='interactions', normalize='total')", 0.1208333333, None),
    ("popularity(normalize='max')", 0.3020833333, None),
    ("popularity_percentile", 0.4, [0.2, 1 / 3, 0.5, 17 / 30]),  # LensKit
    ("long_tail", 0.625, [1, 2 / 3, 0.5, 1 / 3]),
    ("intra_list_distance(distance='hamming')", 5 / 3, [4 / 3, 2, 2, 4 / 3]),  # RecTools
    ("intra_list_distance", 0.4597393614, None),  # recommenders
    (
        "intra_list_distance(distance='co_occurrence')",
        0.7226310729,
        [1, 1, 0.2928932188, 0.5976310729],
    ),
    ("serendipity", 0.046875, [1 / 24, 1 / 12, 1 / 16, 0]),  # RecTools
    ("serendipity(unexpected='history')", 0.2824414783, None),  # recommenders
    ("unexpectedness", 0.5416666667, [1 / 3, 1 / 3, 0.5, 1]),  # RecTools: 1 - overlap
    ("novel_share", 1, [1, 1, 1, 1]),
    ("epc", 0.2422254587, None),  # Elliot
    ("efd", 1.0854635760, None),
    ("calibration", 0.7441423696, None),
    ("popularity_lift", -0.5386904762, [-0.75, -4 / 7, -0.5, -1 / 3]),
    ("popularity_lift(average='ratio')", -0.5396825397, None),
    ("category_entropy", 1.3488513896, None),
    ("category_coverage", 1, [1, 1, 1, 1]),
]


@pytest.mark.parametrize(("name", "mean", "of_users"), VALUES)
def test_values_of_the_toy(name, mean, of_users):
    name = f"{name}@3"
    found = ranking_scores(**ROWS, catalogue=CATALOGUE, metrics=name)
    assert list(found.values()) == [pytest.approx(mean, abs=6e-11)]
    if of_users is not None:
        values = per_query_scores(**ROWS, catalogue=CATALOGUE, metrics=name)
        assert values.groups.tolist() == ["u1", "u2", "u3", "u4"]
        assert values.scores[name] == pytest.approx(of_users, abs=6e-11)


PIECES = {"items": ROWS["items"], "popularity": POPULARITY, "k": 3}
SINGLE = [
    (m.novelty_at_k_score, {**PIECES, "n_users": 4}, 1.625),
    (m.popularity_at_k_score, PIECES, 1.2083333333),
    (m.popularity_percentile_at_k_score, PIECES, 0.4),
    (m.long_tail_at_k_score, PIECES, 0.625),
    (m.serendipity_at_k_score, PIECES, 0.046875),
    (m.epc_at_k_score, {**PIECES, "n_users": 4}, 0.2422254587),
    (m.efd_at_k_score, PIECES, 1.0854635760),
    (
        m.serendipity_at_k_score,
        {"items": ROWS["items"], "k": 3, "unexpected": "history", "history": HISTORY},
        0.2824414783,
    ),
    (m.popularity_lift_at_k_score, {**PIECES, "history": HISTORY}, -0.5386904762),
    (
        m.intra_list_distance_at_k_score,
        {"items": ROWS["items"], "k": 3, "features": FEATURES},
        0.4597393614,
    ),
    (
        m.intra_list_distance_at_k_score,
        {"items": ROWS["items"], "k": 3, "history": HISTORY, "distance": "co_occurrence"},
        0.7226310729,
    ),
    (
        m.intra_list_distance_at_k_score,
        {
            "items": ROWS["items"],
            "k": 3,
            "distance": lambda i, j: sum(map(str.__ne__, BITS[i], BITS[j])),
        },
        5 / 3,
    ),
    (
        m.unexpectedness_at_k_score,
        {"items": ROWS["items"], "k": 3, "reference": EXPECTED},
        0.5416666667,
    ),
    (m.novel_share_at_k_score, {"items": ROWS["items"], "k": 3, "history": HISTORY}, 1),
    (
        m.calibration_at_k_score,
        {"items": ROWS["items"], "k": 3, "categories": CATEGORIES, "history": HISTORY},
        0.7441423696,
    ),
]


@pytest.mark.parametrize(("function", "pieces", "expected"), SINGLE)
def test_functions_take_the_pieces(function, pieces, expected):
    rows = {name: ROWS[name] for name in ("y_true", "y_score", "groups")}
    assert function(**rows, **pieces) == pytest.approx(expected, abs=6e-11)


def test_a_report_has_them_beside_accuracy():
    found = ranking_report(
        **ROWS, catalogue=CATALOGUE, metrics=["ndcg", "novelty", "ild"], k=3, digits=3
    )
    assert found.splitlines()[2:] == [
        "novelty@3  1.625      0.142        4          0",
        "ild@3      0.460      0.061        4          0",
        "ild@3 is intra_list_distance@3.",
    ]


def test_any_number_of_a_row():
    """Price, say; 1-D, and by item or by cell in 2-D."""
    y_true, y_score = [[0, 1, 0, 1]] * 2, [[4, 3, 2, 1], [1, 2, 3, 4]]
    price = [10.0, 20.0, 60.0, 5.0]
    one = m.mean_value_at_k_score(y_true, y_score, values=price, k=3)
    assert one == pytest.approx((30 + 85 / 3) / 2)
    cells = [price, price[::-1]]
    assert m.mean_value_at_k_score(y_true, y_score, values=cells, k=1) == 10
    relevant = m.mean_value_at_k_score(
        y_true, y_score, values=price, k=3, relevant_only=True
    )
    assert relevant == pytest.approx((20 / 3 + 25 / 3) / 2)
    by_rank = m.mean_value_at_k_score(
        y_true[:1], y_score[:1], values=price, k=2, discount="reciprocal"
    )
    assert by_rank == pytest.approx((10 + 20 / 2) / 1.5)


def test_what_is_not_relevant_leaves_queries_defined():
    rows = {"y_true": [0, 0, 1], "y_score": [2, 1, 1], "groups": [0, 0, 1]}
    values = {"values": [1.0, 3.0, 5.0]}
    metric = ["mean_value@2", "mean_value(relevant_only=True)@2"]
    found = per_query_scores(**rows, **values, metrics=metric).scores
    assert found[metric[0]].tolist() == [2, 5]
    np.testing.assert_array_equal(found[metric[1]], [np.nan, 5])


def test_relevant_items_need_not_be_shown_for_a_query_to_be_defined():
    """Only the first ranks are in the view of shown rows."""
    y_score = np.random.default_rng(0).normal(size=(3, 900))
    y_true = np.zeros_like(y_score)
    y_true[[0, 1], y_score.argsort(axis=1)[:2, 0]] = 1  # relevant, and last
    found = per_query_scores(
        y_true,
        y_score,
        values=np.ones(900),
        metrics=["mean_value(relevant_only=True)@5", "epc@5"],
        catalogue=Catalogue(popularity=np.ones(900), n_users=2),
    )
    for values in found.scores.values():
        np.testing.assert_array_equal(values, [0, 0, np.nan])


def test_rows_below_the_first_ranks_are_relevant_from_the_lowest_grade_on():
    y_score = np.random.default_rng(0).normal(size=(3, 900))
    y_true = np.zeros_like(y_score)
    y_true[[0, 1], y_score.argsort(axis=1)[:2, 0]] = [2, 1]  # last
    y_true[2, y_score[2].argmax()] = 1
    found = per_query_scores(
        y_true,
        y_score,
        metrics=["epc@5", "efd@5"],
        min_relevance=2,
        catalogue=Catalogue(popularity=np.ones(900), n_users=2),
    )
    for values in found.scores.values():
        np.testing.assert_array_equal(values, [0, np.nan, np.nan])


def test_nothing_shown_is_undefined_and_short_lists_count_as_they_are():
    lists = {"u1": [], "u2": ["c"], "u3": ["h", "a"]}
    rows = from_item_lists({"u1": ["a"]}, lists, return_items=True)
    names = ["novelty", "long_tail", "ild", "category_entropy", "calibration", "popularity"]
    found = per_query_scores(
        **rows, catalogue=CATALOGUE, metrics=[f"{name}@3" for name in names]
    ).scores
    assert all(np.isnan(values[0]) for values in found.values())
    assert found["novelty@3"][1:].tolist() == [1, 1]
    assert found["long_tail@3"][1:].tolist() == [0, 0.5]
    assert found["popularity@3"][1:].tolist() == [2, 2]
    np.testing.assert_array_equal(found["ild@3"][1:], [np.nan, 1])
    assert found["category_entropy@3"][1:].tolist() == [0, 0]


def test_the_head_does_not_depend_on_the_order_of_equals():
    """Six of ten interactions: a, and two of three equal items."""
    counts = {"a": 4, "b": 2, "c": 2, "d": 2}
    rows = {"y_true": [0] * 4, "y_score": [4, 3, 2, 1], "groups": [0] * 4}
    for items in ("abcd", "acdb", "bdac"):
        found = m.long_tail_at_k_score(
            **rows, items=list(items), popularity=counts, head=0.75, k=4
        )
        assert found == pytest.approx((0 + 1 / 3 * 3) / 4)


def test_categories_of_no_item():
    pd = pytest.importorskip("pandas")
    rows = {"y_true": [0], "y_score": [1], "groups": [1], "items": ["a"]}
    with pytest.raises(ValueError, match="`categories` is empty"):
        m.calibration_at_k_score(**rows, categories=pd.DataFrame(), history={1: ["a"]})


def test_serendipity_by_the_cosine_to_what_the_user_had():
    """The relevant item of two is 45 degrees from the only one in the history."""
    found = m.serendipity_at_k_score(
        [0, 1],
        [2, 1],
        groups=["ann", "ann"],
        items=["oat", "jam"],
        history={"ann": ["tea"]},
        features={"tea": [1, 0], "jam": [1, 1], "oat": [0, 1]},
        k=2,
        unexpected="history",
        similarity="cosine",
    )
    assert found == pytest.approx((1 - 0.5**0.5) / 2)

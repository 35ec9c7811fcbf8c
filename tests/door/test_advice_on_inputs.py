"""What errors of inputs advise is a line that runs, where they can give one."""

import re

import numpy as np
import pandas as pd
import pytest

from sklearn_rank.exceptions import IncomparableIdsError, MisleadingScoreWarning
from sklearn_rank.experiments import evaluate_models, tune_models
from sklearn_rank.inputs import InteractionLog, from_frames, from_item_lists
from sklearn_rank.metrics import ndcg_score, ranking_scores, recall_at_k_score
from sklearn_rank.model_selection import TimeSplit
from sklearn_rank.recommenders import PopularityRecommender
from sklearn_rank.statistics import compare_models, rank_models, rater_agreement

RANDOM = np.random.default_rng(0)


def line_of(error, pattern):
    """The code in an error."""
    return re.search(pattern, str(error.value))[1]


@pytest.mark.parametrize(
    ("y_true", "y_pred"),
    [
        ({"q": [10, 11]}, {"q": ["10", "12"]}),
        ({"q": {10: 1, 11: 2}}, {"q": ["10", "12"]}),
        ([[10, 11]], [["10", "12"]]),
        (pd.Series({"q": [10, 11]}), {"q": ["10", "12"]}),
    ],
)
def test_numbers_that_are_the_text_of_the_other_side(y_true, y_pred):
    with pytest.raises(IncomparableIdsError) as error:
        from_item_lists(y_true, y_pred)
    line = line_of(error, r"Make both text: (.*)\.$")
    rows = from_item_lists(eval(line, {"y_true": y_true}), y_pred)
    assert len(rows.y_true) == 3


def test_positions_in_a_list_of_ids():
    truth, positions = {"q": ["a", "b", "c"]}, "positions in a list of ids by ids"
    for lists, is_position in (([0, 2, -1], True), ([0, 3], False), ([0.5, 1], False)):
        with pytest.raises(IncomparableIdsError) as error:
            from_item_lists(truth, {"q": lists})
        assert (positions in str(error.value)) == is_position


@pytest.mark.parametrize("filler", [-1, np.nan])
def test_a_value_that_fills_rows_up(filler):
    y_true = np.array([[1, 0, filler], [1, filler, filler]], dtype=float)
    y_score = np.array([[1, 2, filler], [5, filler, filler]])
    with pytest.raises(ValueError, match="fills rows up") as error:
        ndcg_score(y_true, y_score)
    pattern = r"y_true = (np.where.*), y_score = (np.where.*), the second first"
    first, second = re.search(pattern, str(error.value)).groups()
    values = {"y_true": y_true, "y_score": y_score, "np": np}
    values["y_score"] = eval(second, values)
    values["y_true"] = eval(first, values)
    # 1 / log2(3) and 1.
    found = ndcg_score(values["y_true"], values["y_score"])
    assert found == pytest.approx((1 / np.log2(3) + 1) / 2)
    for wrong in ([[filler, 1, 0]], [[1, -2, -1]]):
        with pytest.raises(ValueError, match="value") as error:
            ndcg_score(wrong, [[1, 2, 3]])
        assert "fills" not in str(error.value)


def test_ids_from_0_as_2d_arrays(recwarn):
    orders = [RANDOM.permuted(np.tile(np.arange(30), (25, 1)), axis=1) for _ in range(2)]
    recall_at_k_score(*orders, k=10)  # ranks of the same items
    recall_at_k_score(RANDOM.integers(0, 25, (25, 10)), orders[0][:, :10], k=10)
    assert not recwarn
    with pytest.warns(MisleadingScoreWarning, match=r"from 0 to 29 in y_true\. If they"):
        recall_at_k_score(*(order[:, :10] for order in orders), k=10)


def test_documents_and_lists_in_cells():
    class Document:
        __hash__ = None

        def __init__(self, number):
            self.doc_id = number

    docs = [Document("a"), Document("b")]
    message = (
        r"'Document'\. It has the attribute 'doc_id': give \[\[d\.doc_id for d in docs\]"
    )
    with pytest.raises(TypeError, match=message):
        from_item_lists({"q": ["a"]}, {"q": docs})
    table = pd.DataFrame({"q": [1], "d": [["a"]], "s": [1.0]})
    message = r"^`recommendations\['d'\]` has lists in its cells: write from_item_lists"
    with pytest.raises(TypeError, match=message):
        from_frames(table.assign(d="a"), table, user="q", item="d", score="s")


def test_coverage_of_lists():
    with pytest.raises(ValueError, match=r"for lists from_item_lists\(\.\.\., ret"):
        ranking_scores([1, 0], [1, 2], groups=[0, 0], metrics=["coverage@1"])
    rows = {"groups": [0, 0], "items": [1, 2], "catalogue": range(500)}
    with pytest.raises(TypeError, match=r"or 'coverage\(n_items=500\)@10', got range"):
        ranking_scores([1, 0], [1, 2], metrics=["coverage@1"], **rows)


@pytest.mark.parametrize(
    "read",
    [
        lambda X: next(TimeSplit(time="ts").split(X)),
        lambda X: PopularityRecommender(half_life="1D", time="ts").fit(X),
        lambda X: InteractionLog(X, time="ts"),
    ],
)
def test_text_as_times_names_its_column(read):
    X = pd.DataFrame({"user": [1, 2], "item": [1, 2], "ts": ["2025-06-09 01:07:34"] * 2})
    with pytest.raises(TypeError) as error:
        read(X)
    text = (
        "X['ts'] holds text ('2025-06-09 01:07:34'): X['ts'] = pandas.to_datetime(X['ts'])."
    )
    assert str(error.value) == text


def test_raters_as_a_mapping():
    grades = {"human": [0, 1, 2, 1, 0, 2, 1, 1], "llm": [0, 1, 2, 1, 1, 2, 1, 0]}
    found, table = rater_agreement(grades), np.column_stack(list(grades.values()))
    assert found.alpha == rater_agreement(table).alpha
    assert [row.rater for row in found.raters] == ["human", "llm"]
    with pytest.raises(ValueError, match="`llm` has 3 values, but there are 8 units"):
        rater_agreement({**grades, "llm": [0, 1, 2]})


def test_krippendorffs_table_in_either_direction(recwarn):
    none = np.nan
    table = np.array(  # of the package krippendorff
        [
            [none, none, none, none, none, 3, 4, 1, 2, 1, 1, 3, 3, none, 3],
            [1, none, 2, 1, 3, 3, 4, 3, none, none, none, none, none, none, none],
            [none, none, 2, 1, 3, 4, 4, none, 2, 1, 1, 3, 3, none, 4],
        ]
    )
    assert rater_agreement(table.T).alpha > 0.7
    assert not [entry for entry in recwarn if "rows are raters" in str(entry.message)]
    with pytest.warns(MisleadingScoreWarning, match=r"if rows are raters\. Rows are"):
        rater_agreement(table)


def test_percent_beside_shares(recwarn):
    share = RANDOM.uniform(0.2, 0.9, 50)
    with pytest.warns(MisleadingScoreWarning) as caught:
        compare_models({"old": share, "new": 100 * share})
    assert str(caught[0].message).startswith(
        f"'new' seems to be in percent ({np.median(100 * share):.3g}) and 'old' is not "
        f"({np.median(share):.3g}); a difference needs one unit. If"
    )
    table = {"d1": {"a": 0.5, "b": 0.4}, "d2": {"a": 51, "b": 47}}
    with pytest.warns(
        MisleadingScoreWarning, match=r"^'d2' .* \(49\) and 'd1' is not \(0.45"
    ):
        rank_models(table)
    recwarn.clear()
    compare_models({"old": share, "new": 100 * share}, value_range=(0, 100))
    compare_models({"old": share, "new": share / 2})
    compare_models({"old": share, "new": 1_000 * share})
    assert not recwarn


def test_ratings_that_are_not_used():
    users = np.repeat(np.arange(30), 10)
    log = pd.DataFrame({"user": users, "item": RANDOM.integers(0, 40, 300)})
    log["stars"], log["time"] = RANDOM.integers(1, 6, 300), np.arange(300) % 10
    line = "Not used: stars. Give y=log['stars'], min_relevance=4 to count high ones only."
    options = {"time": "time", "models": ["popularity"], "n_splits": 1, "random_state": 0}
    models = {"popular": PopularityRecommender().fit(log[:200])}
    for rows in (log, InteractionLog(log, time="time")):
        assert line in str(tune_models(rows, **options)).splitlines()
    assert line in str(evaluate_models(models, log[200:])).splitlines()
    assert "Not used" not in str(evaluate_models(models, log[200:], log.stars[200:]))
    assert "Not used" not in str(evaluate_models(models, log[200:].drop(columns="stars")))

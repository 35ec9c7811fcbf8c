"""Lists whose order contradicts their scores, as those of distances do."""

import re
import warnings

import numpy as np
import pytest

from sklearn_rank.exceptions import MisleadingScoreWarning
from sklearn_rank.inputs import from_frames, from_item_lists, from_runs
from sklearn_rank.metrics import ndcg_score

N_LISTS = 40
TRUTH = {user: {user, user + 2} for user in range(N_LISTS)}


def lists(sign=1, n_lists=N_LISTS, wrap=list):
    return {
        u: wrap((u + rank, sign * float(rank)) for rank in range(5)) for u in range(n_lists)
    }


@pytest.fixture(autouse=True)
def no_other_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.parametrize("form", [dict, lambda some: list(some.values())])
def test_lists_that_ascend_warn(form):
    with pytest.warns(
        MisleadingScoreWarning, match="All 40 lists of `y_pred` ascend in score"
    ) as caught:
        rows = from_item_lists(form(TRUTH), form(lists()))
    assert caught[0].filename == __file__
    # The advice: -distance, and no warning.
    better = from_item_lists(form(TRUTH), form(lists(sign=-1)))
    assert ndcg_score(**better) > ndcg_score(**rows)


def test_short_lists_among_them_do_not_hide_it():
    some = lists() | {0: [], 7: [(7, -1.0)]}
    with pytest.warns(MisleadingScoreWarning, match="All 38 lists"):
        from_item_lists(TRUTH, some)


def test_runs_that_ascend_warn():
    with pytest.warns(MisleadingScoreWarning, match=re.escape("lists of `run 'b'` ascend")):
        from_runs(TRUTH, {"a": lists(sign=-1), "b": lists()})


def test_one_list_in_order_says_that_it_is_meant():
    some = lists()
    some[7] = some[7][::-1]
    from_item_lists(TRUTH, some)
    dips = [(0, 1.0), (1, 0.5), (2, 2.0)]  # though its last score is above its first
    from_item_lists(TRUTH, lists() | {0: dips})


def test_constant_and_short_lists_say_nothing():
    from_item_lists(TRUTH, {user: [(user, 0.5), (0 if user else 1, 0.5)] for user in TRUTH})
    from_item_lists(TRUTH, {user: [(user, float(user))] for user in TRUTH})
    from_item_lists(TRUTH, {u: some if u < 19 else [] for u, some in lists().items()})


def test_few_lists_say_nothing():
    few = {user: TRUTH[user] for user in range(19)}
    from_item_lists(few, lists(n_lists=19))


def test_the_order_of_mappings_and_frames_says_nothing_alone():
    pd = pytest.importorskip("pandas")
    with pytest.warns(MisleadingScoreWarning, match="Scores of `y_pred` count the items"):
        from_item_lists(TRUTH, lists(wrap=dict))  # the relevant items have low scores
    last = {user: [max(items, key=items.get)] for user, items in lists(wrap=dict).items()}
    from_item_lists(last, lists(wrap=dict))
    user = np.repeat(np.arange(N_LISTS), 5)
    shown = pd.DataFrame({"user": user, "item": user + np.tile(range(5), N_LISTS)})
    shown["score"] = np.tile(np.arange(5.0), N_LISTS)
    bought = shown[["user", "item"]].iloc[::2]
    from_frames(bought, shown, user="user", item="item", score="score")

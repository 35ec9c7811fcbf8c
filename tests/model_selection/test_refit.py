"""RefitWithinError: the best by one metric among those nearly the best by another."""

import pickle

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV

from sklearn_rank.datasets import make_interactions
from sklearn_rank.metrics import make_recommender_scorer
from sklearn_rank.model_selection import RefitWithinError, TimeSplit
from sklearn_rank.recommenders import ItemNeighborsRecommender


def results(accuracy, novelty):
    """Return results of a search: scores of candidates by fold."""
    found = {}
    for name, scores in (("ndcg@10", accuracy), ("novelty@10", novelty)):
        scores = np.array(scores, dtype=float)
        for fold in range(scores.shape[1]):
            found[f"split{fold}_test_{name}"] = scores[:, fold]
        found[f"mean_test_{name}"] = scores.mean(axis=1)
    return found


ACCURACY = [[0.5, 0.3], [0.4, 0.3], [0.3, 0.1], [0.5, 0.3]]
NOVELTY = [[2, 2], [5, 5], [9, 9], [2, 2]]


def test_one_standard_error_of_the_best():
    """Of two folds 0.5 and 0.3: the error of their mean, 0.4, is 0.1."""
    choose = RefitWithinError("ndcg@10", prefer="novelty@10")
    assert choose(results(ACCURACY, NOVELTY)) == 1
    assert isinstance(choose(results(ACCURACY, NOVELTY)), int)


@pytest.mark.parametrize(
    ("how", "index"),
    [
        ({"standard_errors": 0}, 0),
        ({"standard_errors": 0.4}, 0),
        ({"standard_errors": 2}, 2),
        ({"tolerance": 0.01}, 0),
        ({"tolerance": 0.06}, 1),
        ({"tolerance": 1}, 2),
    ],
)
def test_how_far_it_may_be(how, index):
    choose = RefitWithinError("ndcg@10", prefer="novelty@10", **how)
    assert choose(results(ACCURACY, NOVELTY)) == index


def test_of_equally_novel_ones_the_more_accurate():
    choose = RefitWithinError("ndcg@10", prefer="novelty@10", tolerance=1)
    assert choose(results([[0.1] * 2, [0.3] * 2, [0.3] * 2], [[5] * 2] * 3)) == 1


def test_failed_candidates_are_left_out():
    choose = RefitWithinError("ndcg@10", prefer="novelty@10")
    accuracy = [[np.nan] * 2, [0.2, 0.2], [0.9, 0.9]]
    assert choose(results(accuracy, [[9] * 2, [1] * 2, [np.nan] * 2])) == 1
    with pytest.raises(ValueError, match="No candidate has a score of both 'ndcg@10'"):
        choose(results([[np.nan] * 2], [[1] * 2]))


def test_errors_say_what_to_do():
    choose = RefitWithinError("ndcg@10", prefer="novelty@1")
    with pytest.raises(ValueError, match=r"no metric 'novelty@1'.*mean 'novelty@10"):
        choose(results(ACCURACY, NOVELTY))
    choose = RefitWithinError("ndcg@10", prefer="novelty@10")
    with pytest.raises(ValueError, match="two folds or more; give `tolerance`"):
        choose(results([[0.5], [0.4]], [[1], [2]]))
    for name in ("standard_errors", "tolerance"):
        with pytest.raises(ValueError, match=f"`{name}` must be a number of 0 or more"):
            RefitWithinError("ndcg@10", prefer="novelty@10", **{name: -1})


def test_it_prints_and_pickles():
    choose = pickle.loads(pickle.dumps(RefitWithinError("ndcg@10", prefer="ild@10")))
    assert repr(choose) == (
        "RefitWithinError('ndcg@10', prefer='ild@10', standard_errors=1.0)"
    )
    assert "tolerance=0.1" in repr(RefitWithinError("a", prefer="b", tolerance=0.1))


def test_in_a_search():
    log = make_interactions(200, 80, 4000, random_state=0, as_frame=True)
    columns = {"user": "user", "item": "item"}
    names = ["ndcg@5", "novelty@5"]
    search = GridSearchCV(
        ItemNeighborsRecommender(**columns),
        {"n_neighbors": [1, 5, 40]},
        scoring=make_recommender_scorer(names, **columns),
        refit=RefitWithinError("ndcg@5", prefer="novelty@5", standard_errors=100),
        cv=TimeSplit(3, time="time"),
        error_score="raise",
    ).fit(log)
    novelty = search.cv_results_["mean_test_novelty@5"]
    assert search.best_index_ == int(np.argmax(novelty))
    assert len(set(novelty)) == 3


def test_a_fold_without_a_score():
    found = results(ACCURACY, NOVELTY)
    found["split0_test_ndcg@10"][0] = np.nan
    with pytest.raises(
        ValueError, match=r"Candidate 0 has no score .* or give `tolerance`"
    ):
        RefitWithinError("ndcg@10", prefer="novelty@10")(found)
    # The advice.
    assert RefitWithinError("ndcg@10", prefer="novelty@10", tolerance=0.1)(found) == 1


def test_a_tolerance_beyond_floats_takes_all_candidates():
    choose = RefitWithinError("ndcg@10", prefer="novelty@10", tolerance=10**30)
    assert choose(results(ACCURACY, NOVELTY)) == 2

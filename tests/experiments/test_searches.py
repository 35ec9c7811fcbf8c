"""The search: order, halving, time, failures, memory, progress, and what it never sees."""

import warnings

import numpy as np
import pytest
from scipy.stats import randint

from sklearn_rank.experiments import _run_candidates, tune_models
from sklearn_rank.recommenders import (
    EASERecommender,
    ItemNeighborsRecommender,
    MatrixFactorizationRecommender,
    PopularityRecommender,
)
from tests.experiments.models import Bare, Broken, Reversed, Small, Spy

NEIGHBORS = ItemNeighborsRecommender(), {"n_neighbors": [1, 2, 5, 10, 20, 50]}
MODELS = {
    "neighbors": NEIGHBORS,
    "ease": (EASERecommender(), {"regularization": [10, 100]}),
}


def tune(log, models=MODELS, **options):
    return tune_models(log, time="time", models=models, metrics="ndcg@5", **options)


def test_one_broken_model_costs_itself_alone(log):
    with pytest.warns(UserWarning, match="broken: 1 of its candidates failed.*MemoryError"):
        found = tune(log, {**MODELS, "broken": Broken()})
    assert list(found.failures_) == ["broken"]
    assert isinstance(found.failures_["broken"][0]["error"], MemoryError)
    assert found.best_name_ == tune(log).best_name_
    assert "broken" not in found.means
    assert "Failed: broken, 1 candidate (MemoryError: no room)" in str(found)
    assert np.isnan(found.cv_results_["mean_test_score"][-1])


def test_a_broken_model_stops_the_search_where_that_is_asked_for(log):
    with pytest.raises(MemoryError, match="no room"):
        tune(log, {**MODELS, "broken": Broken()}, error_score="raise")


def test_a_model_that_fits_the_folds_alone_is_not_evaluated(log):
    models = {"small": Small(), "ease": EASERecommender()}
    with pytest.warns(UserWarning, match="small is not evaluated.*MemoryError: too many"):
        found = tune(log, models)
    assert set(found.means) == {"ease", "popularity", "time_decayed_popularity"}
    with pytest.raises(MemoryError, match="too many rows"):
        tune(log, models, error_score="raise")
    baselines = {"popularity": Small(), "time_decayed_popularity": Small()}
    with (
        pytest.warns(UserWarning, match="popularity is not evaluated"),
        pytest.raises(MemoryError, match="too many rows"),
    ):
        tune(log, baselines, refit=False)


def test_the_first_error_is_raised_if_nothing_is_left(log):
    with pytest.raises(MemoryError, match="no room"):
        tune(log, {"broken": Broken()})
    with pytest.raises(MemoryError, match="no room"):
        tune(log, {"broken": Broken(), "popularity": PopularityRecommender()})


def test_without_time_one_candidate_comes_to_its_end(log):
    found = tune(log, time_budget=0)
    assert np.count_nonzero(~np.isnan(found.cv_results_["mean_test_score"])) == 1
    assert "Not tried: 7 candidates" in str(found)
    assert "popularity" in found.means  # there is nothing to choose


def test_a_budget_of_nothing_tries_the_cheapest_model(log):
    found = tune(log, {"popularity": PopularityRecommender(), **MODELS}, time_budget=0)
    assert found.best_name_ == "popularity"
    assert "Not tried: 8 candidates" in str(found)


def test_candidates_run_breadth_first(log):
    told = []

    def progress(**step):
        told.append(step)

    tune(log, progress=progress)
    models = [step["model"] for step in told]
    own = list(dict.fromkeys(zip(models, range(len(models)), strict=True)))
    assert [step["done"] for step in told] == list(range(1, len(told) + 1))
    assert told[-1]["done"] == told[-1]["total"]
    assert told[-1]["share"] == 1
    # Popularity is added; then one candidate of each model, three folds of it, in turn.
    named = [model for model, _ in own if not model.endswith("popularity")]
    assert named[:12] == ["neighbors"] * 3 + ["ease"] * 3 + ["neighbors"] * 3 + ["ease"] * 3


def test_progress_stops_the_search(log):
    models = {"popularity": PopularityRecommender(), **MODELS}
    found = tune(log, models, progress=lambda done, **_: done >= 5)
    n_finished = np.count_nonzero(~np.isnan(found.cv_results_["mean_test_score"]))
    assert 1 <= n_finished < 9


def test_halving_takes_fewer_fits_and_says_so(log):
    steps = []
    found = tune(log, search="halving", progress=lambda **step: steps.append(step))
    n_done = sum(
        np.count_nonzero(~np.isnan(found.cv_results_[f"split{fold}_test_score"]))
        for fold in range(3)
    )
    # Of 6 candidates 6, 2 and 1 folds; of 2 candidates 2, 1 and 1.
    assert n_done == 6 + 2 + 1 + 2 + 1 + 1
    assert "Left behind after a fold or more: 6 candidates" in str(found)
    newest = found.cv_results_["split2_test_score"]
    assert not np.isnan(newest).any()
    assert newest[found.best_index_] >= np.nanmax(newest[:6]) or found.best_index_ >= 6
    assert steps[-1]["share"] == 1


def test_one_standard_error_chooses_the_cheapest_that_is_nearly_best(log, tmp_path):
    models = ["factorization", "neighbors", "ease"]
    given = {"time": "time", "models": models, "test_size": None, "memory": tmp_path}
    best = tune_models(log, **given)
    nearly = tune_models(log, **given, choose="one-se")
    scores = np.column_stack([best.cv_results_[f"split{i}_test_score"] for i in range(3)])
    winner = scores.mean(axis=1).argmax()
    assert best.best_index_ == winner
    costs = {"factorization": 4, "neighbors": 6, "ease": 20}
    near = [
        (costs[one], -scores[place].mean(), place)
        for place, one in enumerate(best.cv_results_["param_model"])
        if (scores[winner] - scores[place]).mean()
        <= np.std(scores[winner] - scores[place], ddof=1) / np.sqrt(3)
    ]
    assert nearly.best_index_ == min(near)[2] != winner
    assert nearly.best_estimator_.get_params() != best.best_estimator_.get_params()
    of_winner = nearly._search.candidates[winner].words
    said = " ".join(str(nearly).split())
    assert f"{of_winner} leads {nearly.best_candidate.words} by" in said
    assert "): the cheaper one was chosen." in said


def test_a_lead_below_its_standard_error_is_said(log):
    near = {"one": EASERecommender(), "other": EASERecommender()}
    said = " ".join(str(tune(log, near)).split())
    assert "chance may explain it. choose='one-se' takes the cheapest" in said
    far = {"ease": EASERecommender(), "popularity": PopularityRecommender()}
    assert "one-se" not in str(tune(log, far))
    assert "one-se" not in str(tune(log, near, n_splits=1))


def test_one_fold_has_no_standard_error(log):
    with pytest.raises(ValueError, match=r"one-se needs two folds or more.*got 1 fold"):
        tune(log, choose="one-se", n_splits=1)
    with pytest.raises(ValueError, match="`choose` got 'cheapest'"):
        tune(log, choose="cheapest")


def test_jobs_change_no_result(log):
    one, two = tune(log), tune(log, n_jobs=2)
    for key in ("mean_test_score", "split0_test_score"):
        assert np.array_equal(one.cv_results_[key], two.cv_results_[key])
    assert one.means == two.means
    assert str(one) == str(two)


def test_memory_fits_nothing_twice(log, tmp_path):
    first = {"spy": Spy()}
    Spy.rows = []
    tune(log, first, memory=str(tmp_path), refit=False)
    n_once = len(Spy.rows)
    tune(log, {**first, "ease": EASERecommender()}, memory=str(tmp_path), refit=False)
    assert len(Spy.rows) == n_once + 1  # the finalist alone
    Spy.rows = []
    tune(log[:-1], first, memory=str(tmp_path), refit=False)
    assert len(Spy.rows) == n_once


def test_rows_held_out_never_reach_the_search(log):
    Spy.rows = []
    found = tune(log, {"spy": Spy()}, refit=False)
    newest = log["time"].sort_values().index[int(0.8 * len(log)) :]
    seen = np.concatenate(Spy.rows)
    assert not np.isin(newest, seen).any()
    assert len(np.unique(seen)) <= len(log) - len(newest)
    assert not hasattr(found, "best_estimator_")


def test_the_test_never_chooses(log):
    # On the folds of the past the odd one is worse, whatever it would be on the test.
    rare = log["item"].value_counts().index[-5:]
    newest = log["time"].rank(pct=True) > 0.8
    turned = log.assign(item=log["item"].where(~newest, np.resize(rare, len(log))))
    models = {"popularity": PopularityRecommender(), "odd": Reversed()}
    found = tune(turned, models)
    assert found.best_name_ in ("popularity", "time_decayed_popularity")
    assert found.best_on_test == "odd"
    below = str(found).split("<- best")[1]
    assert "(tuned)" in below
    title = found.titles[found.best_name_]
    remark = (
        f"best_estimator_ is {title}, the winner of the folds; on the last period odd is "
        "better, significantly."
    )
    assert found.remarks[-1] == remark
    assert remark in " ".join(below.split())
    assert str(found).count("the winner of") == 1


def test_another_model_may_be_better_within_chance(log):
    found = tune(log, {"popularity": PopularityRecommender()}, refit=False)
    assert found.best_on_test == "time_decayed_popularity"
    assert found.remarks[-1].startswith(
        "best_name_ is popularity, the winner of the folds;"
    )
    assert found.remarks[-1].endswith(" is better, but not significantly.")


def test_equal_means_are_no_remark(log):
    """Items of the last period are new, so no list has them."""
    newest = log["time"].rank(pct=True) > 0.8
    new_items = log.assign(item=log["item"].where(~newest, log["item"] + 1000))
    models = {"odd": Reversed(), "popularity": PopularityRecommender()}
    found = tune(new_items, models, refit=False)
    assert (found.best_on_test, found.best_name_) == ("popularity",) * 2
    assert not any("the winner of the folds" in remark for remark in found.remarks)


@pytest.mark.parametrize(("n_candidates", "n_tried"), [(2, 2), (99, 6)])
def test_candidates_are_drawn_from_larger_grids(log, n_candidates, n_tried):
    found = tune(log, {"neighbors": NEIGHBORS}, n_candidates=n_candidates)
    tried = {one["n_neighbors"] for one in found.cv_results_["params"]}
    assert len(tried) == n_tried
    assert tried <= set(NEIGHBORS[1]["n_neighbors"])


def test_candidates_are_drawn_from_distributions(log):
    models = {"neighbors": (ItemNeighborsRecommender(), {"n_neighbors": randint(1, 50)})}
    found = tune(log, models, n_candidates=4)
    again = tune(log, models, n_candidates=4)
    assert len(found.cv_results_["params"]) == 4
    assert found.cv_results_["params"] == again.cv_results_["params"]
    with pytest.raises(ValueError, match="`n_candidates`"):
        tune(log, models)


def test_a_model_of_another_library_takes_part(log):
    found = tune(log, {"bare": Bare(), **MODELS})
    # Without weights the order is that of popularity; it may not leave out what was seen.
    assert "bare" in found.means


def test_the_default_nmf_does_not_warn(log):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = tune(log, ["nmf"])
    assert isinstance(found.models_["nmf"], MatrixFactorizationRecommender)


def test_no_more_threads_than_cores(monkeypatch):
    monkeypatch.setattr(_run_candidates, "cpu_count", lambda: 4)
    found = [_run_candidates.n_threads(jobs) for jobs in (None, -1, -2, 1, 3, 1000)]
    assert found == [1, 4, 3, 1, 3, 4]

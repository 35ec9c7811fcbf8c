"""Metrics that need the highest grade: those who see all grades take it from all."""

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold

from sklearn_rank.datasets import make_ranking
from sklearn_rank.experiments import evaluate_models, tune_models

X, Y, GROUPS = make_ranking(n_queries=30, random_state=0)
LOW = Y.clip(max=Y.max() - 1)
IS_TEST = np.unique(GROUPS)[20] <= GROUPS


def test_all_folds_have_the_scale_of_all_grades():
    # The highest grade is in the rows held out alone.
    y = np.where(IS_TEST, Y, LOW)
    assert y[~IS_TEST].max() < y.max()
    parts = {"groups": GROUPS[~IS_TEST], "test": (X[IS_TEST], y[IS_TEST], GROUPS[IS_TEST])}
    options = {"models": {"ridge": Ridge()}, "cv": GroupKFold(3), **parts}
    open_scale, named = (
        tune_models(X[~IS_TEST], y[~IS_TEST], metrics=[metric, "mean_rank"], **options)
        for metric in ("err@5", f"err(max_grade={y.max():g})@5")
    )
    scores, same = open_scale.cv_results_, named.cv_results_
    assert scores["mean_test_err@5"] == same[f"mean_test_err(max_grade={y.max():g})@5"]
    assert (scores["mean_test_neg_mean_rank"] < 0).all()
    assert open_scale.to_frame().to_numpy().tolist() == named.to_frame().to_numpy().tolist()


def test_models_are_judged_on_the_scale_of_their_rows():
    model = Ridge().fit(X, Y)
    open_scale, named = (
        evaluate_models(
            {"m": model, "n": Ridge(1e6).fit(X, Y)}, X, Y, groups=GROUPS, metrics=m
        )
        for m in ("err@5", f"err(max_grade={Y.max():g})@5")
    )
    assert open_scale.to_frame().to_numpy().tolist() == named.to_frame().to_numpy().tolist()

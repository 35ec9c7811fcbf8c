"""Scores of queries whose other rows were learned from are too good; scorers say so."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.linear_model import Ridge
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    cross_val_score,
    cross_validate,
    learning_curve,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from sklearn_rank.datasets import make_ranking
from sklearn_rank.exceptions import MisleadingScoreWarning
from sklearn_rank.experiments import evaluate_models
from sklearn_rank.metrics import make_ranking_scorer
from sklearn_rank.model_selection import cross_validate_per_query
from sklearn_rank.rankers import GroupRanker, PairwiseRanker, RankFusion

X, Y, GROUPS = make_ranking(60, random_state=0)
CUTS = KFold(5, shuffle=True, random_state=0)
LEAK = (
    r"(59 of 59|57 of 57) queries have rows in the training data too, so scores are too "
    r"good\. Use GroupKFold\. This is fine if queries are users with a history, or if each "
    r"part numbers its queries from 0\.( With GroupKFold, the groups passed differ from "
    r"the column\.)? If this is meant, ignore"
)


@pytest.fixture(autouse=True)
def _routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def scorer():
    return make_ranking_scorer("ndcg@10", replace_undefined_by=np.nan)


def validated(model, cv, **options):
    given = {"groups": GROUPS}
    found = cross_validate(model, X, Y, cv=cv, params=given, error_score="raise", **options)
    return found["test_score"]


def the_warning(caught):
    (only,) = [w for w in caught if w.category is MisleadingScoreWarning]
    return str(only.message)


def test_the_note():
    with pytest.warns(MisleadingScoreWarning, match=LEAK) as caught:
        cut = validated(GroupRanker(Ridge()), CUTS, scoring=scorer())
    assert the_warning(caught)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        whole = validated(GroupRanker(Ridge()), GroupKFold(5), scoring=scorer())
    assert cut.mean() > whole.mean() + 0.03


def test_beside_rating_errors():
    model = GroupRanker(Ridge()).fit(X[::2], Y[::2], groups=GROUPS[::2])
    both = make_ranking_scorer(["rmse", "ndcg@10"], replace_undefined_by=np.nan)
    with pytest.warns(MisleadingScoreWarning, match="rows in the training data too"):
        both(model, X[1::2], Y[1::2], groups=GROUPS[1::2])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make_ranking_scorer("rmse")(model, X[1::2], Y[1::2], groups=GROUPS[1::2])


@pytest.mark.parametrize(
    "model",
    [
        PairwiseRanker(LinearSVC()),
        make_pipeline(StandardScaler(), GroupRanker(Ridge())),
        RankFusion("comb_sum", weights="learned"),
        GridSearchCV(
            GroupRanker(Ridge()),
            {"estimator__alpha": [1.0]},
            scoring=scorer(),
            cv=GroupKFold(2),
        ),
    ],
)
def test_rankers_in_any_wrapping(model):
    with pytest.warns(MisleadingScoreWarning, match=LEAK) as caught:
        validated(model, CUTS, scoring=scorer())
    assert the_warning(caught)


def test_a_search_says_it_once():
    search = GridSearchCV(
        GroupRanker(Ridge()), {"estimator__alpha": [0.1, 1.0]}, scoring=scorer(), cv=CUTS
    )
    with pytest.warns(MisleadingScoreWarning, match=LEAK) as caught:
        search.fit(X, Y, groups=GROUPS)
    assert the_warning(caught)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_the_score_of_a_ranker():
    with pytest.warns(MisleadingScoreWarning, match=LEAK):
        validated(GroupRanker(Ridge()), CUTS)


def test_values_of_queries_are_reported_once_by_the_folds():
    with pytest.warns(MisleadingScoreWarning, match=LEAK) as caught:
        cross_validate_per_query(GroupRanker(Ridge()), X, Y, groups=GROUPS, cv=CUTS)
    assert the_warning(caught)
    assert caught[0].filename == __file__


def test_labels_of_another_type_are_the_same_queries():
    first = np.arange(len(Y)) % 2 == 0
    model = GroupRanker(Ridge()).fit(X[first], Y[first], groups=GROUPS[first].astype(float))
    with pytest.warns(MisleadingScoreWarning, match="60 of 60 queries"):
        scorer()(model, X[~first], Y[~first], groups=GROUPS[~first])


# ---- no false alarm --------------------------------------------------------------------


@pytest.fixture
def _no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error", MisleadingScoreWarning)
        yield


@pytest.mark.usefixtures("_no_warning")
def test_training_rows_and_new_queries_may_be_scored():
    train = GROUPS < 40
    model = GroupRanker(Ridge()).fit(X[train], Y[train], groups=GROUPS[train])
    for rows in (train, ~train, slice(None)):
        scorer()(model, X[rows], Y[rows], groups=GROUPS[rows])
    validated(model, GroupKFold(3), scoring=scorer(), return_train_score=True)
    learning_curve(
        model, X, Y, cv=GroupKFold(3), scoring=scorer(), params={"groups": GROUPS}
    )


@pytest.mark.usefixtures("_no_warning")
@pytest.mark.parametrize("first", [0, 1])
def test_files_with_sizes_number_their_queries_anew(first):
    train = GROUPS < 40
    test_groups = GROUPS[~train] - GROUPS[~train].min() + first
    model = GroupRanker(Ridge()).fit(X[train], Y[train], groups=GROUPS[train] + first)
    scorer()(model, X[~train], Y[~train], groups=test_groups)


@pytest.mark.usefixtures("_no_warning")
def test_what_learns_nothing_may_see_part_of_a_query():
    validated(RankFusion(), CUTS, scoring=scorer())


@pytest.mark.usefixtures("_no_warning")
def test_other_estimators_tell_nothing():
    validated(Ridge().set_fit_request(), CUTS, scoring=scorer())


def test_a_fitted_ranker_still_pickles():
    model = GroupRanker(Ridge()).fit(X, Y, groups=GROUPS)
    again = pickle.loads(pickle.dumps(model))
    rows = slice(-4, None)
    with pytest.warns(MisleadingScoreWarning, match="1 of 1 queries"):
        scorer()(again, X[rows], Y[rows], groups=GROUPS[rows])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_cross_val_score_without_routing():
    table = np.column_stack([GROUPS, X])
    with (
        sklearn.config_context(enable_metadata_routing=False),
        pytest.warns(MisleadingScoreWarning, match=LEAK),
    ):
        cross_val_score(GroupRanker(Ridge(), groups=0), table, Y, cv=CUTS)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_groups_of_the_splitter_that_are_not_those_of_the_column():
    shuffled = np.random.default_rng(0).permutation(GROUPS)
    search = GridSearchCV(
        GroupRanker(Ridge(), groups=0), {}, scoring=scorer(), cv=GroupKFold(3)
    )
    with (
        sklearn.config_context(enable_metadata_routing=False),
        pytest.warns(MisleadingScoreWarning, match="With GroupKFold, the groups passed"),
    ):
        search.fit(np.column_stack([GROUPS, X]), Y, groups=shuffled)


# ---- whole queries of the training data -------------------------------------------------


@pytest.mark.parametrize("n_fitted", [60, 45])
def test_whole_queries_of_fit_among_others(n_fitted):
    is_fitted, is_scored = n_fitted > GROUPS, GROUPS >= 40
    ranker = GroupRanker(Ridge()).fit(X[is_fitted], Y[is_fitted], groups=GROUPS[is_fitted])
    message = f"{n_fitted - 40} of 20 queries have rows in the training data"
    with pytest.warns(MisleadingScoreWarning, match=message):
        scorer()(ranker, X[is_scored], Y[is_scored], groups=GROUPS[is_scored])


def test_a_training_score_is_a_note_of_the_result():
    ranker = GroupRanker(Ridge(), groups=0)
    rows = np.column_stack([GROUPS, X])
    table = pd.DataFrame(rows).astype({0: int})
    models = {"a": ranker.fit(table, Y), "b": ranker}
    with warnings.catch_warnings():
        warnings.simplefilter("error", MisleadingScoreWarning)
        result = evaluate_models(models, table, Y, groups=0)
    assert result.warnings[0].endswith("queries are those of fit: a training score.")


def test_one_query_of_many_that_is_cut_is_a_note():
    test = np.flatnonzero(GROUPS >= 40)[1:]  # but one row of its first query
    folds = [(np.setdiff1d(np.arange(len(Y)), test), test)]
    options = {"groups": GROUPS, "cv": folds, "metrics": "ndcg@10"}
    result = cross_validate_per_query(GroupRanker(Ridge()), X, Y, **options)
    assert "1 of 20 queries is cut." in result.warnings

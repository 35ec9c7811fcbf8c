"""Rankers refuse or report labels that cannot be those of queries."""

import re
import warnings
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.feature_selection import RFECV, SequentialFeatureSelector
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from sklearn_rank.datasets import make_ranking
from sklearn_rank.exceptions import MisleadingScoreWarning
from sklearn_rank.metrics import make_ranking_scorer
from sklearn_rank.rankers import GroupRanker, PairwiseRanker, QueryFeatures, RankFusion

X, Y, GROUPS = make_ranking(40, random_state=0)
ALONE = np.arange(len(Y))
FRAME = pd.DataFrame(X).add_prefix("f").assign(q=GROUPS)
ONE_LABEL_A_ROW = (
    f"`groups` has {len(Y)} labels for {len(Y)} rows; one row cannot be ranked"
)


class ByQuery(Ridge):
    """Stands for an estimator that ranks within queries."""

    def fit(self, X, y, qid=None):
        return super().fit(X, y)


@contextmanager
def no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error", MisleadingScoreWarning)
        yield


# ---- every row a query -----------------------------------------------------------------


@pytest.mark.parametrize(
    "ranker",
    [
        GroupRanker(ByQuery()),
        PairwiseRanker(LinearSVC()),
        RankFusion("comb_sum", weights="learned"),
    ],
)
def test_what_ranks_within_queries_raises(ranker):
    with pytest.raises(ValueError, match=ONE_LABEL_A_ROW):
        ranker.fit(X, Y, groups=ALONE)
    ranker.fit(X, Y, groups=GROUPS)  # one label for all rows of a query, as it says


@pytest.mark.parametrize("library", ["lightgbm.LGBM", "xgboost.XGB", "catboost.CatBoost"])
def test_rankers_of_libraries_raise(library):
    module, _, name = library.partition(".")
    ranker = getattr(pytest.importorskip(module), f"{name}Ranker")()
    with pytest.raises(ValueError, match=ONE_LABEL_A_ROW):
        GroupRanker(ranker).fit(X, Y, groups=ALONE)


@pytest.mark.parametrize("ranker", [GroupRanker(Ridge()), RankFusion()])
def test_what_learns_from_single_rows_warns(ranker):
    with pytest.warns(MisleadingScoreWarning, match=ONE_LABEL_A_ROW) as caught:
        ranker.fit(X, Y, groups=ALONE)
    assert caught[0].filename == __file__


def test_few_rows_are_examples():
    with no_warning():
        GroupRanker(Ridge()).fit(X[:19], Y[:19], groups=ALONE[:19])
        GroupRanker(ByQuery()).fit(X[:19], Y[:19], groups=ALONE[:19])


# ---- a position that moved -------------------------------------------------------------


@pytest.mark.parametrize("kind", [float, object])
def test_numbers_that_are_not_whole_are_no_labels(kind):
    # Rounded, so that several rows share a number.
    table = np.column_stack([X.round(1), GROUPS]).astype(kind)
    message = (
        "`groups=0` holds fractions, which are not labels; a step before may have "
        "moved the column. Pass groups by metadata routing."
    )
    with pytest.warns(MisleadingScoreWarning, match=re.escape(message)):
        GroupRanker(Ridge(), groups=0).fit(table, Y)
    with pytest.warns(MisleadingScoreWarning, match=re.escape(message)):
        GroupRanker(Ridge(), groups=[10, 0]).fit(table, Y)
    with no_warning():
        GroupRanker(Ridge(), groups=10).fit(table, Y)


def test_a_named_column_may_hold_any_numbers():
    with no_warning():
        GroupRanker(Ridge(), groups="q").fit(FRAME.assign(q=GROUPS + 0.5), Y)


def test_selection_of_features_by_a_position_warns():
    table = np.column_stack([GROUPS, X])
    scorer = make_ranking_scorer("ndcg@10", groups=0, replace_undefined_by=np.nan)
    ranker = GroupRanker(Ridge(), groups=0)
    folds = list(GroupKFold(3).split(X, Y, GROUPS))
    search = RFECV(ranker, scoring=scorer, min_features_to_select=2, cv=folds)
    with (
        pytest.warns(MisleadingScoreWarning, match="have one row"),  # the scorer
        pytest.warns(MisleadingScoreWarning, match="may have moved the column"),
    ):
        search.fit(table, Y)


# ---- names, which feature selectors drop -----------------------------------------------


@pytest.mark.parametrize(
    "ranker",
    [
        GroupRanker(Ridge(), groups="q"),
        GroupRanker(Ridge(), groups=["q", "f0"]),
        make_pipeline(QueryFeatures(groups="q"), GroupRanker(Ridge())),
    ],
)
def test_selection_of_features_by_name_raises(ranker):
    message = (
        "`groups='q'` names a column, but X has no column names; feature selectors and "
        "many transformers drop them. Pass groups by metadata routing: "
        "fit(X, y, groups=...)."
    )
    scorer = make_ranking_scorer("ndcg@10", groups="q")
    with pytest.raises(ValueError, match=re.escape(message)):
        RFECV(ranker, scoring=scorer).fit(FRAME, Y)


def test_scorers_do_not_advise_a_position_either():
    scorer = make_ranking_scorer("ndcg@10", groups="q")
    with pytest.raises(ValueError, match="Pass groups by metadata routing"):
        scorer(Ridge().fit(X, Y), X, Y)


@pytest.mark.parametrize("groups", [None, "q"])
@pytest.mark.parametrize("with_features", [False, True])
def test_the_advice_runs(groups, with_features):
    ranker, scorer = GroupRanker(Ridge(), groups=groups), make_ranking_scorer("ndcg@10")
    features = FRAME.drop(columns="q")
    with sklearn.config_context(enable_metadata_routing=True), no_warning():
        if with_features:
            ranker = make_pipeline(QueryFeatures(append=False, groups=groups), ranker)
        else:
            folds = list(GroupKFold(3).split(X, Y, GROUPS))
            found = RFECV(ranker, scoring=scorer, cv=folds).fit(features, Y, groups=GROUPS)
            assert 0.85 < found.cv_results_["mean_test_score"].max() < 0.95
            assert found.support_.sum() >= 4  # of 5 that tell something
        selector = SequentialFeatureSelector(
            ranker, n_features_to_select=2, scoring=scorer, cv=GroupKFold(2)
        )
        assert selector.fit(features, Y, groups=GROUPS).get_support().sum() == 2

"""GroupRanker gives each library what it wants, whatever the user gives."""

import pickle
import re
import warnings
from itertools import pairwise, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn import config_context
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestRegressor, StackingClassifier, StackingRegressor
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils import get_tags

from sklearn_rank.datasets import make_ranking
from sklearn_rank.metrics import make_ranking_scorer, ndcg_score
from sklearn_rank.rankers import GroupRanker, PairwiseRanker
from tests.counted_frame import Counted
from tests.rankers.conftest import catboost_ranker, lightgbm_ranker, xgboost_ranker


class Recorder(RegressorMixin, BaseEstimator):
    """Keeps what fit was given; scores a row by its first feature."""

    def fit(
        self, X, y, groups=None, sample_weight=None, note=None, by_row=None, eval_X=None
    ):
        self.X_, self.y_, self.groups_, self.sample_weight_ = X, y, groups, sample_weight
        self.note_, self.by_row_, self.eval_X_ = note, by_row, eval_X
        return self

    def predict(self, X):
        self.seen_ = X
        return X.iloc[:, 0].to_numpy() if hasattr(X, "iloc") else np.asarray(X)[:, 0]


class SizesRecorder(Recorder):
    def fit(self, X, y, group=None):
        return super().fit(X, y, groups=group)


def sorted_by_query(queries):
    order = np.argsort(queries.query, kind="stable")
    return queries.X[order], queries.y[order], queries.query[order]


def fit_directly(booster, X, y, query, weight=None):
    """Fit a booster to rows that lie together, in its own words."""
    library = type(booster).__module__.partition(".")[0]
    sizes, first = np.bincount(query), np.unique(query, return_index=True)[1]
    arguments = {
        "lightgbm": {"group": sizes, "sample_weight": weight},
        "xgboost": {
            "qid": query,
            "sample_weight": None if weight is None else weight[first],
        },
        "catboost": {"group_id": query, "group_weight": weight},
    }[library]
    return booster.fit(X, y, **arguments)


def test_shuffled_rows_fit_as_sorted_rows_fit_directly(booster, queries):
    ranker = GroupRanker(booster).fit(queries.X, queries.y, groups=queries.groups)
    direct = fit_directly(clone(booster), *sorted_by_query(queries))
    assert np.array_equal(ranker.predict(queries.X), direct.predict(queries.X))


def test_a_weight_per_row_is_what_each_library_wants(booster, queries):
    weight = 1.0 + queries.query % 3
    ranker = GroupRanker(booster).fit(
        queries.X, queries.y, groups=queries.groups, sample_weight=weight
    )
    X, y, query = sorted_by_query(queries)
    direct = fit_directly(clone(booster), X, y, query, weight=1.0 + query % 3)
    unweighted = fit_directly(clone(booster), X, y, query)
    assert np.array_equal(ranker.predict(X), direct.predict(X))
    assert not np.array_equal(ranker.predict(X), unweighted.predict(X))


def test_a_single_weight_is_that_of_each_row(queries):
    ridges = [
        GroupRanker(Ridge()).fit(queries.X, queries.y, queries.groups, sample_weight=weight)
        for weight in (3.0, np.full(len(queries.y), 3.0), None)
    ]
    scalar, by_row, unweighted = (ridge.predict(queries.X) for ridge in ridges)
    assert np.array_equal(scalar, by_row)
    assert not np.allclose(scalar, unweighted)


class Plain:
    """An estimator without scikit-learn's bases, and so without tags."""

    def get_params(self, deep=True):
        return {}

    def fit(self, X, y):
        return self

    def predict(self, X):
        return X[:, 0]


def test_an_estimator_without_tags(queries):
    ranker = clone(GroupRanker(Plain())).fit(queries.X, queries.y, queries.groups)
    assert np.array_equal(ranker.predict(queries.X), queries.X[:, 0])
    assert not get_tags(ranker).input_tags.sparse


@pytest.mark.parametrize("make", [xgboost_ranker, catboost_ranker])
def test_weights_that_differ_within_a_query_are_an_error(make, queries):
    weight = np.ones(len(queries.y))
    weight[np.flatnonzero(queries.groups == "query 03")[0]] = 2
    with pytest.raises(ValueError, match=r"differs within query 'query 03'"):
        GroupRanker(make()).fit(
            queries.X, queries.y, groups=queries.groups, sample_weight=weight
        )


def test_lightgbm_takes_a_weight_per_row(queries):
    weight = np.random.default_rng(1).uniform(0.5, 2, len(queries.y))
    ranker = GroupRanker(lightgbm_ranker()).fit(
        queries.X, queries.y, groups=queries.groups, sample_weight=weight
    )
    X, y, query = sorted_by_query(queries)
    order = np.argsort(queries.query, kind="stable")
    direct = fit_directly(lightgbm_ranker(), X, y, query, weight=weight[order])
    assert np.array_equal(ranker.predict(X), direct.predict(X))


def test_xgboost_takes_sizes_when_told_so(queries):
    given = {"groups": queries.groups, "sample_weight": 1.0 + queries.query % 2}
    by_size, by_id = (
        GroupRanker(xgboost_ranker(), group_param=name).fit(queries.X, queries.y, **given)
        for name in ("group", "auto")
    )
    assert np.array_equal(by_size.predict(queries.X), by_id.predict(queries.X))


@given(
    labels=st.lists(
        st.sampled_from(["b", "a", ("c", 1), ("c", 2), 7, 7.5]), min_size=1, max_size=30
    )
)
@settings(deadline=None, max_examples=50)
def test_rows_of_a_query_lie_together_and_keep_their_order(labels):
    groups = np.empty(len(labels), dtype=object)
    groups[:] = labels
    X, y = np.arange(len(labels))[:, None] * 1.0, np.arange(len(labels)) % 3
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of one query
        fitted = GroupRanker(Recorder()).fit(X, y, groups=groups, by_row=y + 10).estimator_
        sizes = GroupRanker(SizesRecorder()).fit(X, y, groups=groups).estimator_.groups_
    row = fitted.X_[:, 0].astype(int)
    together = [labels[i] for i in row]
    changes = 1 + sum(a != b for a, b in pairwise(together))
    assert changes == len(set(labels)) == len(sizes)
    assert np.array_equal(fitted.y_, y[row])
    assert np.array_equal(fitted.by_row_, y[row] + 10)
    assert np.array_equal(fitted.groups_, np.repeat(np.arange(changes), sizes))
    for label in set(labels):
        rows_of_label = [i for i in row if labels[i] == label]
        assert rows_of_label == sorted(rows_of_label)


def test_rows_that_lie_together_are_left_as_they_are():
    X, groups = np.arange(5.0)[:, None], ["z", "z", "b", "b", "m"]
    fitted = GroupRanker(Recorder()).fit(X, [0, 1, 0, 1, 2], groups=groups).estimator_
    assert fitted.X_ is X
    assert fitted.groups_.tolist() == [0, 0, 1, 1, 2]


def test_arguments_without_a_value_a_row_pass_unchanged(queries):
    note, held_out = ["one", "two"], queries.X + 1
    fitted = GroupRanker(Recorder()).fit(
        queries.X, queries.y, groups=queries.groups, note=note, eval_X=held_out
    )
    assert fitted.estimator_.note_ is note
    assert fitted.estimator_.eval_X_ is held_out


def labeled(kind, query):
    names = [f"q{q}" for q in query]
    if kind == "strings":
        return names
    if kind == "tuples":
        labels = np.empty(len(query), dtype=object)
        labels[:] = [(int(q) // 5, f"{q % 5}") for q in query]
        return labels
    if kind == "floats":
        return query + 0.25
    if kind == "dates":
        return np.datetime64("2024-01-01") + query
    if kind == "polars":
        return pytest.importorskip("polars").Series(names)
    pandas = pytest.importorskip("pandas")
    return pandas.Series(names, dtype="category" if kind == "categories" else "string")


@pytest.mark.parametrize(
    "kind", ["strings", "tuples", "floats", "dates", "polars", "categories", "pandas"]
)
def test_labels_may_be_anything(kind, queries):
    fitted = GroupRanker(Recorder()).fit(
        queries.X, queries.y, groups=labeled(kind, queries.query)
    )
    expected = GroupRanker(Recorder()).fit(queries.X, queries.y, groups=queries.query)
    sizes = sorted(np.bincount(expected.estimator_.groups_))
    assert sorted(np.bincount(fitted.estimator_.groups_)) == sizes


def table(kind, queries):
    """Return X with a column of groups in second place, and its name for GroupRanker."""
    a, b = queries.X[:, :1], queries.X[:, 1:]
    if kind == "ndarray":
        return np.hstack([a, queries.query[:, None], b]), 1
    if kind == "csr":
        return sparse.csr_array(np.hstack([a, queries.query[:, None], b])), 1
    frames = pytest.importorskip(kind.partition(" ")[0])
    columns = {"f0": a[:, 0], "query": queries.groups}
    columns |= {f"f{i + 1}": b[:, i] for i in range(b.shape[1])}
    return frames.DataFrame(columns), 1 if kind.endswith("position") else "query"


TABLES = ["ndarray", "csr", "pandas", "polars", "pandas position"]


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("kind", TABLES)
def test_groups_in_a_column_are_as_good_as_passed(kind, booster, queries):
    X, column = table(kind, queries)
    if kind == "polars" and type(booster).__name__ == "XGBRanker":
        pytest.importorskip("pyarrow")  # XGBoost reads polars frames by it
    ranker = GroupRanker(booster, groups=column).fit(X, queries.y)
    passed = GroupRanker(booster).fit(queries.X, queries.y, groups=queries.groups)
    assert ranker.n_features_in_ == queries.X.shape[1] + 1
    assert np.allclose(ranker.predict(X), passed.predict(queries.X))
    assert ranker.score(X, queries.y) == pytest.approx(
        ndcg_score(queries.y, passed.predict(queries.X), groups=queries.groups)
    )


@pytest.mark.parametrize("kind", TABLES)
def test_predict_may_leave_the_column_out(kind, queries):
    X, column = table(kind, queries)
    inner = Ridge() if kind != "csr" else Ridge(solver="lsqr")
    ranker = GroupRanker(inner, groups=column).fit(X, queries.y)
    if hasattr(X, "columns"):
        without = X[[name for name in X.columns if name != "query"]]
    else:
        without = X[:, [0, 2, 3, 4]]
    assert np.allclose(ranker.predict(X), ranker.predict(without), rtol=1e-12)
    score = ranker.score(without, queries.y, groups=queries.groups)
    assert score == pytest.approx(ranker.score(X, queries.y))
    with pytest.raises(ValueError, match="needs `groups`"):
        ranker.score(without, queries.y)


@pytest.mark.parametrize("kind", ["pandas", "ndarray"])
def test_other_columns_must_be_as_in_fit(kind, queries):
    X, column = table(kind, queries)
    ranker = GroupRanker(Ridge(), groups=column).fit(X, queries.y)
    for wrong in (X.iloc[:, :3], X.iloc[:, [0]]) if kind == "pandas" else (X[:, :3],):
        with pytest.raises(ValueError, match=r"feature names should match|has . features"):
            ranker.predict(wrong)
    if kind == "pandas":
        with pytest.raises(ValueError, match="feature names should match"):
            ranker.predict(X[["f1", "f0", "f2", "f3"]])


def test_a_frame_fitted_with_passed_groups_may_bring_the_column_to_predict(queries):
    X, column = table("pandas", queries)
    features = X.drop(columns=column)
    ranker = GroupRanker(Ridge(), groups=column).fit(
        features, queries.y, groups=queries.groups
    )
    # Without the column a frame may lie otherwise in memory, and a BLAS round otherwise.
    one, other = ranker.predict(X), ranker.predict(features)
    np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-14)


def test_groups_passed_and_in_a_column_must_agree(queries):
    X, column = table("pandas", queries)
    ranker = GroupRanker(Ridge(), groups=column)
    ranker.fit(X, queries.y, groups=queries.groups)
    with pytest.raises(ValueError, match="differ"):
        ranker.fit(X, queries.y, groups=queries.groups[::-1])


@pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.csr_array, sparse.csc_matrix])
def test_sparse_features_with_passed_groups(form, booster, queries):
    ranker = GroupRanker(booster).fit(form(queries.X), queries.y, groups=queries.groups)
    dense = GroupRanker(booster).fit(queries.X, queries.y, groups=queries.groups)
    assert np.allclose(ranker.predict(form(queries.X)), dense.predict(queries.X))


def test_lists_will_do(queries):
    ranker = GroupRanker(Ridge()).fit(
        queries.X.tolist(), queries.y.tolist(), groups=queries.groups.tolist()
    )
    assert np.isfinite(ranker.predict(queries.X.tolist())).all()
    mixed = [[name, *row] for name, row in zip(queries.groups, queries.X, strict=True)]
    ranker = GroupRanker(Ridge(), groups=0).fit(mixed, queries.y)
    assert 0 < ranker.score(mixed, queries.y) <= 1


def test_inputs_are_not_changed(queries, booster):
    before = queries.X.copy(), queries.y.copy(), queries.groups.copy()
    GroupRanker(booster).fit(queries.X, queries.y, groups=queries.groups)
    assert all(
        np.array_equal(a, b)
        for a, b in zip(before, (queries.X, queries.y, queries.groups), strict=True)
    )
    assert not hasattr(booster, "feature_names_in_")


@pytest.mark.parametrize(
    "classifier",
    [LogisticRegression(max_iter=1000), CalibratedClassifierCV(LinearSVC(), cv=2)],
)
def test_a_classifier_ranks_by_the_expected_grade(classifier, queries):
    ranker = GroupRanker(classifier).fit(queries.X, queries.y, groups=queries.groups)
    chances = ranker.estimator_.predict_proba(queries.X)
    expected = 1 * chances[:, 1] + 2 * chances[:, 2]
    assert np.allclose(ranker.predict(queries.X), expected)


def test_two_grades_can_be_ranked_by_a_decision_function(queries):
    ranker = GroupRanker(LinearSVC()).fit(queries.X, queries.y > 1, groups=queries.groups)
    margin = ranker.estimator_.decision_function(queries.X)
    assert np.array_equal(ranker.predict(queries.X), margin)
    with pytest.raises(ValueError, match="LinearSVC has no predict_proba"):
        GroupRanker(LinearSVC()).fit(queries.X, queries.y, groups=queries.groups)


def test_score_is_ndcg_by_query(queries):
    ranker = GroupRanker(Ridge()).fit(queries.X, queries.y, groups=queries.groups)
    weight = 1.0 + queries.query
    expected = ndcg_score(
        queries.y, ranker.predict(queries.X), groups=queries.groups, sample_weight=weight
    )
    score = ranker.score(queries.X, queries.y, groups=queries.groups, sample_weight=weight)
    assert isinstance(score, float)
    assert score == expected


def test_a_pipeline_inside_is_fitted_step_by_step(booster, queries):
    inside = GroupRanker(make_pipeline(StandardScaler(), PCA(3), booster))
    inside.fit(queries.X, queries.y, groups=queries.groups)
    assert not hasattr(inside.estimator[0], "mean_")
    X, y, query = sorted_by_query(queries)
    first = make_pipeline(StandardScaler(), PCA(3)).fit(X, y)
    direct = fit_directly(clone(booster), first.transform(X), y, query)
    assert np.allclose(inside.predict(X), direct.predict(first.transform(X)))


def test_a_pipeline_inside_may_be_nested_and_have_a_memory(tmp_path, queries):
    plain = make_pipeline(StandardScaler(), PCA(3), lightgbm_ranker())
    nested = make_pipeline(
        StandardScaler(),
        make_pipeline(PCA(3), make_pipeline(lightgbm_ranker())),
        memory=str(tmp_path),
    )
    one, other = (
        GroupRanker(inner).fit(queries.X, queries.y, groups=queries.groups)
        for inner in (plain, nested)
    )
    assert np.array_equal(one.predict(queries.X), other.predict(queries.X))


def test_a_column_of_groups_survives_preprocessing(queries):
    X, column = table("pandas", queries)
    X["shop"] = np.where(queries.X[:, 0] > 0, "north", "south")
    prepare = make_column_transformer(
        (OrdinalEncoder(), ["shop"]),
        remainder="passthrough",
        verbose_feature_names_out=False,
    ).set_output(transform="pandas")
    model = make_pipeline(prepare, GroupRanker(lightgbm_ranker(), groups=column))
    assert model.fit(X, queries.y).score(X, queries.y) > 0.5


def test_pipeline_outside(queries, with_routing):
    model = make_pipeline(StandardScaler(), GroupRanker(lightgbm_ranker()))
    model.fit(queries.X, queries.y, groups=queries.groups)
    scaled = StandardScaler().fit_transform(queries.X)
    ranker = GroupRanker(lightgbm_ranker()).fit(scaled, queries.y, groups=queries.groups)
    assert np.array_equal(model.predict(queries.X), ranker.predict(scaled))
    score = model.score(queries.X, queries.y, groups=queries.groups)
    assert score == ranker.score(scaled, queries.y, groups=queries.groups)


def test_what_the_estimator_knows_is_passed_through(booster, queries):
    ranker = GroupRanker(booster)
    assert not hasattr(ranker, "feature_importances_")
    ranker.fit(queries.X, queries.y, groups=queries.groups)
    assert ranker.feature_importances_.shape == (queries.X.shape[1],)
    assert ranker.feature_importances_.min() > 0
    if not type(booster).__module__.startswith("catboost"):
        own = ranker.estimator_.feature_importances_
        assert np.array_equal(ranker.feature_importances_, own)
    linear = GroupRanker(Ridge()).fit(queries.X, queries.y, groups=queries.groups)
    assert np.array_equal(linear.coef_, linear.estimator_.coef_)
    assert linear.intercept_ == linear.estimator_.intercept_
    assert not hasattr(linear, "feature_importances_")


def test_clone_pickle_and_pictures(booster, queries):
    ranker = GroupRanker(booster, early_stopping_rounds=None, random_state=3)
    copy = clone(ranker)
    assert copy.get_params()["random_state"] == 3
    assert copy.estimator is not ranker.estimator
    copy.fit(queries.X, queries.y, groups=queries.groups)
    again = pickle.loads(pickle.dumps(copy))
    assert np.array_equal(again.predict(queries.X), copy.predict(queries.X))
    assert "GroupRanker(" in repr(ranker)
    assert type(booster).__name__ in ranker._repr_html_()


def test_tags_are_those_of_the_estimator():
    assert get_tags(GroupRanker(lightgbm_ranker())).input_tags.sparse
    assert get_tags(GroupRanker(lightgbm_ranker())).input_tags.allow_nan
    assert not get_tags(GroupRanker(KNeighborsRegressor())).input_tags.allow_nan
    assert get_tags(GroupRanker(Ridge())).target_tags.required
    assert get_tags(GroupRanker(Ridge())).estimator_type == "regressor"


def test_missing_features_reach_libraries_that_take_them(queries):
    X = queries.X.copy()
    X[::7, 2] = np.nan
    ranker = GroupRanker(lightgbm_ranker()).fit(X, queries.y, groups=queries.groups)
    assert np.isfinite(ranker.predict(X)).all()


def test_routing_asks_for_groups_only(with_routing):
    ranker = GroupRanker(lightgbm_ranker())
    routing = ranker.get_metadata_routing()
    assert routing.consumes("fit", ["groups", "sample_weight"]) == {"groups"}
    assert routing.consumes("score", ["groups", "sample_weight"]) == {"groups"}
    ranker.set_fit_request(sample_weight=True)
    both = {"groups", "sample_weight"}
    assert ranker.get_metadata_routing().consumes("fit", both) == both


def test_more_arguments_are_routed_to_the_estimator(queries, with_routing):
    asking = Recorder().set_fit_request(by_row=True)
    fitted = GroupRanker(make_pipeline(StandardScaler(), asking)).fit(
        queries.X, queries.y, groups=queries.groups, by_row=queries.query
    )
    assert fitted.estimator_[-1].by_row_.tolist() == sorted(queries.query)
    with pytest.raises(TypeError, match="by_rows"):
        GroupRanker(asking).fit(
            queries.X, queries.y, groups=queries.groups, by_rows=queries.query
        )


def test_arguments_of_the_library_pass_through(queries):
    ranker = GroupRanker(lightgbm_ranker()).fit(
        queries.X, queries.y, groups=queries.groups, feature_name=list("abcd")
    )
    assert ranker.estimator_.booster_.feature_name() == list("abcd")


def test_missing_groups_are_an_error(queries, routing):
    with pytest.raises(ValueError, match=r"needs `groups`.*GroupRanker\(..., groups="):
        GroupRanker(Ridge()).fit(queries.X, queries.y)
    ranker = GroupRanker(Ridge()).fit(queries.X, queries.y, groups=queries.groups)
    with pytest.raises(ValueError, match="needs `groups`"):
        ranker.score(queries.X, queries.y)
    with pytest.raises(ValueError, match="`groups='shop'` names a column, but X has no"):
        GroupRanker(Ridge(), groups="shop").fit(queries.X, queries.y)


def test_one_query_is_a_warning_for_those_that_compare_within_queries(booster, queries):
    one = np.zeros(len(queries.y))
    with pytest.warns(UserWarning, match=r"rows are of one query .*check `groups`") as seen:
        GroupRanker(booster).fit(queries.X, queries.y, groups=one)
    assert [warning.filename for warning in seen] == [__file__]
    GroupRanker(Ridge()).fit(queries.X, queries.y, groups=one)


@pytest.mark.parametrize("change", ["groups", "y", "sample_weight"])
def test_unequal_lengths_are_an_error(change, queries):
    given = {
        "y": queries.y,
        "groups": queries.groups,
        "sample_weight": np.ones(len(queries.y)),
    }
    given[change] = given[change][:-1]
    n = len(queries.y)
    with pytest.raises(ValueError, match=f"`{change}` has {n - 1} values, but X has {n}"):
        GroupRanker(Ridge()).fit(queries.X, **given)


@pytest.mark.parametrize(
    ("grade", "text"),
    [
        (np.nan, r"`y` has 1 NaN value\(s\)"),
        (np.inf, r"`y` has 1 infinite value\(s\), the first at 4"),
        ("x", "numbers, but has 'x'. Map labels to grades: {'bad': 0, 'good': 1}"),
    ],
)
def test_grades_must_be_finite_numbers(grade, text, queries):
    y = queries.y.astype(object)
    y[4] = grade
    with pytest.raises(ValueError, match=text):
        GroupRanker(Ridge()).fit(queries.X, y, groups=queries.groups)


@pytest.mark.parametrize("make", [lightgbm_ranker, xgboost_ranker])
@pytest.mark.parametrize("grade", [-1, 0.5, 40])
def test_grades_a_library_has_no_gain_for_are_an_error(make, grade, queries):
    y = queries.y.astype(float)
    y[3] = grade
    with pytest.raises(ValueError, match=rf"whole grades from 0 to 3.*such as {grade}"):
        GroupRanker(make()).fit(queries.X, y, groups=queries.groups)


def test_grades_outside_the_table_are_fine_where_the_library_says_so(queries):
    y = queries.y.astype(float) - 1.5
    for estimator in (
        xgboost_ranker(objective="rank:pairwise"),
        xgboost_ranker(ndcg_exp_gain=False),
        catboost_ranker(),
        Ridge(),
    ):
        ranker = GroupRanker(estimator).fit(queries.X, y, groups=queries.groups)
        assert np.isfinite(ranker.predict(queries.X)).all()
    gains = lightgbm_ranker(label_gain=list(range(50)))
    GroupRanker(gains).fit(queries.X, queries.y + 40, groups=queries.groups)


def test_an_estimator_must_be_an_instance_with_fit_and_predict(queries):
    for wrong, text in [
        (Ridge, "got the class Ridge"),
        (StandardScaler(), "without predict"),
        (None, "without fit and predict"),
    ]:
        with pytest.raises(TypeError, match=text):
            GroupRanker(wrong).fit(queries.X, queries.y, groups=queries.groups)


@pytest.mark.parametrize(
    "estimator",
    [
        StackingRegressor([("ridge", Ridge())]),
        StackingClassifier([("logistic", LogisticRegression())]),
        make_pipeline(StandardScaler(), StackingRegressor([("ridge", Ridge())])),
    ],
)
def test_an_estimator_may_have_predict_once_it_is_fitted(estimator, queries):
    ranker = GroupRanker(estimator).fit(queries.X, queries.y, groups=queries.groups)
    assert ranker.score(queries.X, queries.y, groups=queries.groups) > 0.8


@pytest.mark.parametrize(
    "estimator",
    [
        make_pipeline(StandardScaler()),
        make_pipeline("passthrough"),
        GridSearchCV(StandardScaler(), {"with_mean": [True]}, scoring=lambda *_: 1.0),
    ],
)
def test_an_estimator_that_never_predicts_is_named(estimator, queries):
    with pytest.raises(
        TypeError, match=r"(?s)must have fit and predict, .* without predict"
    ):
        GroupRanker(estimator).fit(queries.X, queries.y, groups=queries.groups)


def test_numbers_of_numpy_stop_as_those_of_python(queries):
    kinds = [(30, 0.25), (np.int8(30), np.float16(0.25)), (np.uint64(30), np.float32(0.25))]
    one, *others = (
        GroupRanker(
            lightgbm_ranker(n_estimators=200),
            early_stopping_rounds=rounds,
            validation_fraction=fraction,
            random_state=0,
        ).fit(queries.X, queries.y, groups=queries.groups)
        for rounds, fraction in kinds
    )
    for other in others:
        assert other.estimator_.best_iteration_ == one.estimator_.best_iteration_
        assert np.array_equal(other.predict(queries.X), one.predict(queries.X))
        assert type(other.early_stopping_rounds) is not int  # as given, for clone
    ranker = GroupRanker(lightgbm_ranker(), early_stopping_rounds=np.timedelta64(5, "D"))
    with pytest.raises(TypeError, match="`early_stopping_rounds` must be an integer"):
        ranker.fit(queries.X, queries.y, groups=queries.groups)


def test_integers_beyond_all_floats_are_named(queries):
    y = queries.y.astype(object)
    y[3] = 10**400
    for ranker in (GroupRanker(Ridge()), PairwiseRanker(LogisticRegression())):
        with pytest.raises(ValueError, match="`y` has a number beyond the range of floats"):
            ranker.fit(queries.X, y, groups=queries.groups)
        beyond = "`sample_weight` has a number beyond the range of floats"
        with pytest.raises(ValueError, match=beyond):
            ranker.fit(queries.X, queries.y, groups=queries.groups, sample_weight=y)


def test_rows_of_unequal_lengths_are_named():
    with pytest.raises(ValueError, match="all rows of one length"):
        GroupRanker(Ridge()).fit([[1], [2, 3]], [0, 1], groups=[1, 1])
    with pytest.raises(ValueError, match="`y` must hold one number per row"):
        GroupRanker(Ridge()).fit([[1], [2]], [[0], [1, 2]], groups=[1, 1])
    with pytest.raises(ValueError, match="`groups` must be 1-D"):
        GroupRanker(Ridge()).fit([[1], [2]], [0, 1], groups=3)


@pytest.mark.parametrize("name", [5, ["group"], np.array(["group", "qid"]), True])
def test_a_group_parameter_must_be_a_name(name, queries):
    with pytest.raises(ValueError, match=r"`group_param=.*` is not a parameter of"):
        GroupRanker(Recorder(), group_param=name).fit(
            queries.X, queries.y, groups=queries.groups
        )


def test_an_unknown_group_parameter_names_the_known_ones(queries):
    with pytest.raises(
        ValueError, match=r"qids'` is not a parameter of XGBRanker.fit.*'qid'"
    ):
        GroupRanker(xgboost_ranker(), group_param="qids").fit(
            queries.X, queries.y, groups=queries.groups
        )


def test_without_a_group_parameter_an_estimator_is_pointwise(queries):
    fitted = GroupRanker(Recorder(), group_param=None).fit(
        queries.X, queries.y, groups=queries.groups
    )
    assert fitted.estimator_.groups_ is None


def test_weights_for_an_estimator_without_weights_are_an_error(queries):
    with pytest.raises(ValueError, match=r"KNeighborsRegressor.fit takes no weights"):
        GroupRanker(KNeighborsRegressor()).fit(
            queries.X,
            queries.y,
            groups=queries.groups,
            sample_weight=np.ones(len(queries.y)),
        )


def test_weights_reach_an_estimator_that_takes_any_keyword(queries):
    weight = 1.0 + queries.query % 2
    search = GridSearchCV(Ridge(), {"alpha": [1.0]}, cv=2)
    given = {"groups": queries.groups, "sample_weight": weight}
    ranker = GroupRanker(search).fit(queries.X, queries.y, **given)
    direct = GroupRanker(Ridge()).fit(queries.X, queries.y, **given)
    assert np.allclose(ranker.predict(queries.X), direct.predict(queries.X))


def test_bad_tables_are_an_error(queries):
    ranker = GroupRanker(Ridge())
    with pytest.raises(ValueError, match="Expected 2D array, got 1D array"):
        ranker.fit(queries.X[:, 0], queries.y, groups=queries.groups)
    with pytest.raises(ValueError, match=re.escape("0 sample(s)")):
        ranker.fit(queries.X[:0], queries.y[:0], groups=queries.groups[:0])
    with pytest.raises(ValueError, match=r"X has 1 feature\(s\)"):
        GroupRanker(Ridge(), groups=0).fit(queries.query[:, None], queries.y)


def test_missing_labels_are_an_error(queries):
    groups = queries.query.astype(float)
    groups[2] = np.nan
    with pytest.raises(ValueError, match="`groups` has 1 missing"):
        GroupRanker(Ridge()).fit(queries.X, queries.y, groups=groups)


def test_a_column_of_grades_is_flattened_with_a_warning(queries):
    with pytest.warns(DataConversionWarning):
        ranker = GroupRanker(Ridge()).fit(
            queries.X, queries.y[:, None], groups=queries.groups
        )
    assert ranker.predict(queries.X).shape == queries.y.shape


def test_predict_before_fit(queries):
    with pytest.raises(NotFittedError):
        GroupRanker(Ridge()).predict(queries.X)


@pytest.mark.parametrize(
    "estimator",
    [LinearRegression(), RandomForestRegressor(5, random_state=0), KNeighborsClassifier()],
)
def test_pointwise_estimators_see_the_rows_only(estimator, queries):
    ranker = GroupRanker(estimator).fit(queries.X, queries.y, groups=queries.groups)
    with config_context(enable_metadata_routing=True):
        again = GroupRanker(estimator).fit(queries.X, queries.y, groups=queries.groups)
    assert np.array_equal(ranker.predict(queries.X), again.predict(queries.X))
    assert ranker.score(queries.X, queries.y, groups=queries.groups) > 0.7


@pytest.mark.parametrize("order", ["C", "F"])
def test_equal_rows_tie_whatever_a_blas_does_with_their_places(order):
    """Kernels round a product by the place of its row, each in other cases."""
    rng = np.random.default_rng(0)
    X, grade = rng.normal(size=(400, 3)), np.arange(400) % 16
    groups = np.arange(400) // 20

    class Ordered(GaussianNB):
        def predict_proba(self, X):
            return np.asarray(super().predict_proba(X), order=order)

    ranker = GroupRanker(Ordered()).fit(X, grade, groups=groups)
    scorer = make_ranking_scorer("ndcg@5")
    model = Ordered().fit(X, grade)
    for row, n_rows in product(X[:12], (7, 63)):
        alike = np.tile(row, (n_rows, 1))
        assert len(set(ranker.predict(alike).tolist())) == 1
        rows = {"groups": np.zeros(n_rows)}
        best_first, best_last = (
            scorer(model, alike, np.eye(n_rows)[place], **rows) for place in (0, -1)
        )
        assert best_first == best_last


def test_the_column_of_queries_is_read_once():
    X, y, groups = make_ranking(n_queries=20, random_state=0)
    names = [f"f{number}" for number in range(X.shape[1])]
    frame = Counted(pd.DataFrame(X, columns=names).assign(query=groups))
    Counted.reads = {}
    ranker = GroupRanker(Ridge(), groups="query").fit(frame, y)
    assert Counted.reads.pop("query") == 1
    ranker.predict(frame)
    assert "query" not in Counted.reads
    make_ranking_scorer("ndcg@5")(ranker, frame, y)
    assert Counted.reads.pop("query") == 1


def test_a_column_that_is_not_there():
    table = pd.DataFrame({"a": [1.0, 2.0], "b": [2.0, 1.0]})
    with pytest.raises(ValueError, match="`groups='shop'` is not a column of X"):
        GroupRanker(Ridge(), groups="shop").fit(table, [1, 0])

"""make_ranking_scorer of classifiers that score labels, or classes, of each row."""

import numpy as np
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.datasets import make_classification, make_multilabel_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.metrics import label_ranking_average_precision_score, top_k_accuracy_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from sklearn_rank.metrics import make_ranking_scorer, ndcg_score, ranking_scores

X, Y = make_multilabel_classification(80, 6, n_classes=5, random_state=0)
X_CLASS, CLASS = make_classification(
    120, 6, n_informative=4, n_classes=4, n_clusters_per_class=1, random_state=0
)


def of_list(model):
    return np.column_stack([p[:, 1] for p in model.predict_proba(X)])


MULTILABEL = [
    (OneVsRestClassifier(LogisticRegression()), lambda m: m.decision_function(X)),
    (OneVsRestClassifier(LinearSVC()), lambda m: m.decision_function(X)),
    (OneVsRestClassifier(DecisionTreeClassifier()), lambda m: m.predict_proba(X)),
    (RandomForestClassifier(10, random_state=0), of_list),
    (MultiOutputClassifier(LogisticRegression()), of_list),
    (MLPClassifier((4,), max_iter=20), lambda m: m.predict_proba(X)),
    (LinearRegression(), lambda m: m.predict(X)),
    (make_pipeline(StandardScaler(), Ridge()), lambda m: m.predict(X)),
]


@pytest.mark.filterwarnings("ignore:Stochastic Optimizer")
@pytest.mark.parametrize(("model", "scores"), MULTILABEL)
def test_labels_of_each_row_are_ranked(model, scores):
    model.fit(X, Y)
    found = make_ranking_scorer("ndcg@3", replace_undefined_by=0.0)(model, X, Y)
    assert found == ndcg_score(Y, scores(model), k=3, replace_undefined_by=0.0)


def test_a_label_of_which_training_knows_one_value():
    y = Y.copy()
    y[:, 2] = 0
    model = RandomForestClassifier(5, random_state=0).fit(X, y)
    scorer = make_ranking_scorer("map", replace_undefined_by=0.0)
    assert scorer(model, X, sparse.csr_array(y)) == scorer(model, X, y)
    assert scorer(model, X, y) > 0.7


def test_cross_validation_of_labels():
    model = OneVsRestClassifier(LogisticRegression())
    scorer = make_ranking_scorer("map(denominator='relevant')", replace_undefined_by=1.0)
    ours = cross_val_score(model, X, Y, scoring=scorer)
    theirs = cross_val_score(model, X, Y, scoring=_lrap)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)


def _lrap(estimator, X, y):
    return label_ranking_average_precision_score(y, estimator.decision_function(X))


CLASSIFIERS = [
    LogisticRegression(),
    LinearSVC(),
    RandomForestClassifier(10, random_state=0),
    DecisionTreeClassifier(random_state=0),
]


@pytest.mark.parametrize("names", [None, ["ant", "bee", "cat", "dog"]], ids=str)
@pytest.mark.parametrize("model", CLASSIFIERS)
def test_classes_of_each_row_are_ranked(model, names):
    y = CLASS if names is None else np.array(names)[CLASS]
    model.fit(X_CLASS, y)
    scorer = make_ranking_scorer("hit_rate@2", rank_classes=True, ties="first")
    has = hasattr(model, "decision_function")
    scores = model.decision_function(X_CLASS) if has else model.predict_proba(X_CLASS)
    one_hot = (y[:, None] == model.classes_).astype(int)
    expected = ranking_scores(one_hot, scores, metrics="hit_rate@2", ties="first")
    assert scorer(model, X_CLASS, y) == expected["hit_rate@2"]
    if isinstance(model, LogisticRegression):
        assert scorer(model, X_CLASS, y) == top_k_accuracy_score(y, scores, k=2)


def test_two_classes_and_classes_that_training_does_not_know():
    model = LogisticRegression().fit(X_CLASS, CLASS > 1)
    scorer = make_ranking_scorer("hit_rate@1", rank_classes=True)
    assert scorer(model, X_CLASS, CLASS > 1) == model.score(X_CLASS, CLASS > 1)
    model = LogisticRegression().fit(X_CLASS[CLASS < 3], CLASS[CLASS < 3])
    scorer = make_ranking_scorer("mrr", rank_classes=True)
    known = scorer(model, X_CLASS[CLASS < 3], CLASS[CLASS < 3])
    share = (CLASS < 3).mean()
    assert scorer(model, X_CLASS, CLASS) == pytest.approx(known * share)


@pytest.mark.parametrize("routing", [False, True])
def test_a_search_of_classes(routing):
    scorer = make_ranking_scorer(["mrr", "hit_rate@2"], rank_classes=True)
    with config_context(enable_metadata_routing=routing):
        search = GridSearchCV(
            LogisticRegression(), {"C": [0.01, 1]}, scoring=scorer, refit="mrr", cv=3
        ).fit(X_CLASS, CLASS)
    assert 0.5 < search.best_score_ <= 1
    assert repr(scorer).endswith("rank_classes=True)")


def test_a_propensity_for_each_label():
    propensity = np.linspace(0.1, 1, 5)
    model = LinearRegression().fit(X, Y)
    scorer = make_ranking_scorer("psp@2", propensity=propensity, replace_undefined_by=0.0)
    expected = ranking_scores(
        Y,
        model.predict(X),
        metrics="psp@2",
        propensity=propensity,
        replace_undefined_by=0.0,
    )
    assert scorer(model, X, Y) == expected["psp@2"]
    folds = cross_val_score(LinearRegression(), X, Y, scoring=scorer, error_score="raise")
    assert not np.isnan(folds).any()


def test_what_cannot_be_ranked():
    model = LogisticRegression().fit(X_CLASS, CLASS)
    with pytest.raises(ValueError, match=r"y has 5 columns, but .*predict: \(80,\)"):
        make_ranking_scorer("mrr")(model, X, Y)
    with pytest.raises(TypeError, match="rank_classes=True needs a classifier, got Ridge"):
        make_ranking_scorer("mrr", rank_classes=True)(Ridge().fit(X, Y), X, CLASS)
    predicts = make_ranking_scorer("mrr", rank_classes=True, response_method="predict")
    with pytest.raises(ValueError, match="no score for each of its 4 classes"):
        predicts(model, X_CLASS, CLASS)
    with pytest.raises(ValueError, match="pass rank_classes=True"):
        make_ranking_scorer("mrr")(model, X_CLASS, CLASS)
    proba = make_ranking_scorer("mrr", response_method="predict_proba")
    with pytest.raises(AttributeError, match="LinearSVC has none of the methods"):
        proba(LinearSVC(), X, Y)
    with pytest.raises(ValueError, match="`rank_classes` got 'yes'"):
        make_ranking_scorer("mrr", rank_classes="yes")
    with pytest.raises(TypeError, match="has no parameter 'propensity'"):
        make_ranking_scorer("mrr", propensity=[1, 1])

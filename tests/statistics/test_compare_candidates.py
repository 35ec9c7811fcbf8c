"""Candidates of a search, compared by the scores of folds."""

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import make_moons
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, RepeatedStratifiedKFold
from sklearn.svm import SVC

from sklearn_rank.statistics import compare_candidates

DIFFERENCES = np.array([0.02, 0.01, 0.03, -0.01, 0.02])
FOLDS = {"old": np.full(5, 0.3), "new": 0.3 + DIFFERENCES}


def new(**options):
    given = {"test_size": 0.2, "baseline": "old"} | options
    return compare_candidates(FOLDS, **given).row("new")


def test_five_folds():
    row = new(margin=0.005)
    assert (row.difference, row.standard_error, row.statistic) == pytest.approx(
        (0.014, 0.0101735, 1.376125), abs=1e-6
    )
    assert row.p_value == pytest.approx(0.240802, abs=1e-6)
    # baycomp.two_on_single of the same numbers.
    probabilities = (row.p_worse, row.p_equivalent, row.p_better)
    assert probabilities == pytest.approx((0.067603, 0.145555, 0.786841), abs=1e-6)
    oracle = stats.ttest_1samp(DIFFERENCES, 0)
    assert oracle.statistic == pytest.approx(2.064187, abs=1e-6)
    assert row.statistic == pytest.approx(oracle.statistic * np.sqrt(0.2 / 0.45))


# No requirement of the tests: beside itself it installs a package `tests`, which hides this
# one from ``python -m tests.benchmarks``.
BAYCOMP = "an oracle, if installed without the package `tests` that it brings"


def test_baycomp_agrees():
    baycomp = pytest.importorskip("baycomp", reason=BAYCOMP)
    worse, within, better = baycomp.two_on_single(
        FOLDS["old"], FOLDS["new"], rope=0.005, runs=1
    )
    row = new(margin=0.005)
    assert (row.p_worse, row.p_equivalent, row.p_better) == pytest.approx(
        (worse, within, better), abs=1e-9
    )


@pytest.mark.parametrize("runs", [1, 4])
@pytest.mark.parametrize("folds", [3, 10])
def test_baycomp_agrees_on_repeated_folds(folds, runs):
    baycomp = pytest.importorskip("baycomp", reason=BAYCOMP)
    old, new = np.random.default_rng(folds).normal(0.3, 0.02, size=(2, folds * runs))
    expected = baycomp.CorrelatedTTest.probs(old, new, rope=0.01, runs=runs)
    row = compare_candidates(
        {"old": old, "new": new}, test_size=1 / folds, baseline="old", margin=0.01
    ).row("new")
    assert (row.p_worse, row.p_equivalent, row.p_better) == pytest.approx(
        expected, abs=1e-9
    )


def test_the_example_of_scikit_learn():
    X, y = make_moons(noise=0.352, random_state=1, n_samples=100)
    cv = RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=0)
    grid = [{"kernel": ["linear"]}, {"kernel": ["rbf"]}]
    search = GridSearchCV(SVC(random_state=0), grid, scoring="roc_auc", cv=cv).fit(X, y)
    options = {"test_size": 0.1, "baseline": "kernel=linear"}
    row = compare_candidates(search, **options).row("kernel=rbf")
    assert row.statistic == pytest.approx(0.750, abs=1e-3)
    assert row.p_value == pytest.approx(0.454846, abs=1e-5)
    assert row.p_better == pytest.approx(0.772577, abs=1e-5)
    one_sided = compare_candidates(search, **options, alternative="greater")
    assert one_sided.row("kernel=rbf").p_value == pytest.approx(0.227, abs=1e-3)
    wide = compare_candidates(search, **options, margin=0.01).row("kernel=rbf")
    assert wide.p_equivalent == pytest.approx(0.431682, abs=1e-5)


def searched(**options):
    X = np.arange(20.0).reshape(-1, 1) + np.sin(np.arange(20.0)).reshape(-1, 1)
    grid = {"alpha": [0.1, 1, 100]}
    return GridSearchCV(Ridge(), grid, cv=4, **options).fit(X, np.arange(20.0))


def test_the_best_is_the_baseline():
    search = searched(scoring="neg_mean_squared_error")
    found = compare_candidates(search.cv_results_, test_size=0.25)
    best = f"alpha={search.best_params_['alpha']}"
    assert set(found.columns["baseline"]) == {best}
    assert np.all(found.columns["difference"] <= 0)
    assert "The same scores chose the baseline" in str(found)
    by_place = compare_candidates(search, test_size=0.25, baseline=search.best_index_)
    assert by_place.columns["p_value"].tolist() == found.columns["p_value"].tolist()
    assert "chose" not in str(by_place)


def test_several_metrics():
    search = searched(scoring=["r2", "neg_mean_squared_error"], refit=False)
    found = compare_candidates(search, test_size=0.25, metric="r2")
    assert set(found.columns["metric"]) == {"r2"}
    with pytest.raises(ValueError, match="`metric` must name one of several"):
        compare_candidates(search, test_size=0.25)
    with pytest.raises(ValueError, match=r"`metric` got 'r3'.*Did you mean 'r2'"):
        compare_candidates(search, test_size=0.25, metric="r3")


def test_a_candidate_that_failed_has_no_p_value():
    folds = FOLDS | {"failed": np.r_[0.3, [np.nan] * 4]}
    found = compare_candidates(folds, test_size=0.2)
    row = found.row("failed")
    assert np.isnan([row.difference, row.p_value, row.low, row.p_better]).all()
    assert row.verdict == "undecided"
    assert "nan" in str(found)
    with pytest.raises(ValueError, match="'failed' has no score in 4 fold"):
        compare_candidates(folds, test_size=0.2, baseline="failed")


def test_equal_candidates():
    folds = {"a": [0.3, 0.4], "b": [0.3, 0.4]}
    row = compare_candidates(folds, test_size=0.5, baseline="a").row("b")
    assert (row.difference, row.p_value, row.p_equivalent) == (0, 1, 1)


@pytest.mark.parametrize(
    ("folds", "options", "message"),
    [
        ({"a": [0.1, 0.2]}, {}, "1 candidate"),
        ({"a": [0.1], "b": [0.2]}, {}, r"1 fold\(s\)"),
        ({"a": [0.1, 0.2], "b": [0.2]}, {}, r"1, 2 fold\(s\)"),
        (FOLDS, {"test_size": 5}, "`test_size`"),
        (FOLDS, {"baseline": "odl"}, "`baseline` got 'odl'.*Did you mean 'old'"),
        (FOLDS, {"baseline": 2}, "there are 2 candidates"),
        (FOLDS, {"metric": "r2"}, "`metric` is only for a search"),
        (FOLDS, {"margin": -1}, "`margin`"),
        ({"a": [np.nan] * 2, "b": [np.nan] * 2}, {}, "No candidate"),
    ],
)
def test_what_is_refused(folds, options, message):
    with pytest.raises(ValueError, match=message):
        compare_candidates(folds, **({"test_size": 0.2} | options))


def test_folds_without_names_are_refused():
    with pytest.raises(TypeError, match="must be a fitted search"):
        compare_candidates([[0.1, 0.2]], test_size=0.2)

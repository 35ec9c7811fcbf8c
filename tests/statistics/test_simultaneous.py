"""Intervals that hold together: worked examples, and that p says the same."""

import numpy as np
import pytest

from sklearn_rank.statistics import compare_models
from tests.statistics.examples import THREE_MODELS

FEW = pytest.mark.filterwarnings("ignore:.*queries; intervals")


@FEW
@pytest.mark.parametrize(
    ("correction", "b", "c"),
    [
        ("bonferroni", (-0.006389, 0.173055), (0.071471, 0.181862)),
        ("holm", (-0.006389, 0.173055), (0.071471, 0.181862)),
        ("max_t", (-0.023274, 0.189941), (0.061083, 0.192250)),
    ],
)
def test_three_models(correction, b, c):
    found = compare_models(
        THREE_MODELS, baseline="A", correction=correction, intervals="simultaneous"
    )
    for name, ends in {"B": b, "C": c}.items():
        row = found.row(name)
        assert (row.low, row.high) == pytest.approx(ends, abs=1e-6)
        if correction != "holm":
            assert (row.p_adjusted <= 0.05) == (not row.low <= 0 <= row.high)
    assert "All intervals hold together." in str(found)
    assert ("B - A: significant by Holm, not by" in str(found)) == (correction == "holm")


@pytest.mark.parametrize("correction", ["fdr_bh", None])
def test_they_need_a_family(correction):
    with pytest.raises(ValueError, match="use 'holm', 'bonferroni' or 'max_t'"):
        compare_models(
            THREE_MODELS, baseline="A", correction=correction, intervals="simultaneous"
        )


@pytest.mark.parametrize("n_resamples", [2**11, 199])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("test", ["t", "randomization"])
def test_corrected_p_says_the_same(test, alternative, n_resamples):
    rng = np.random.default_rng(0)
    for _ in range(10):
        values = {
            name: rng.normal(shift, 1, 11)
            for name, shift in {"a": 0, "b": 0.5, "c": 1}.items()
        }
        for correction in ("max_t", "bonferroni"):
            found = compare_models(
                values,
                baseline="a",
                correction=correction,
                test=test,
                alternative=alternative,
                n_resamples=n_resamples,
                confidence_level=0.8,
                intervals="simultaneous",
                random_state=0,
            )
            for row in found.rows():
                assert (row.p_adjusted <= 1 - 0.8) == (not row.low <= 0 <= row.high)


def test_all_metrics_are_a_family():
    rng = np.random.default_rng(0)
    values = {n: {m: rng.normal(size=30) for m in ("x", "y")} for n in ("a", "b", "c")}
    found = compare_models(values, baseline="a", family="all", intervals="simultaneous")
    alone = compare_models(values, baseline="a", confidence_level=1 - 0.05 / 4)
    assert found.columns["low"] == pytest.approx(alone.columns["low"], rel=1e-12)
    assert found.means["low"].tolist() != alone.means["low"].tolist()


def test_where_few_differ_the_largest_t_is_not_trusted():
    values = np.random.default_rng(0).uniform(size=(2, 40))
    models = {"a": values[0], "b": values[0] - 0.1 * (np.arange(40) == 3), "c": values[1]}
    options = {"baseline": "a", "value_range": (-1, 2), "margin": 0.1, "random_state": 0}
    row = compare_models(
        models, correction="max_t", intervals="simultaneous", **options
    ).row("b")
    exact = compare_models(models, correction="bonferroni", **options).row("b")
    assert (row.verdict, exact.interval) == ("undecided", "exact")
    assert row.low < exact.low < exact.high < row.high


def test_equal_differences_have_an_interval_of_no_width():
    models = {"old": np.zeros(20), "new": np.ones(20), "best": np.full(20, 2.0)}
    options = {"test": "randomization", "correction": "max_t", "random_state": 0}
    found = compare_models(models, baseline="old", intervals="simultaneous", **options)
    row = found.row("new")
    assert (row.low, row.high, row.p_adjusted) == (1, 1, 1e-4)

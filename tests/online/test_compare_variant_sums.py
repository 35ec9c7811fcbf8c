"""A/B tests by what a database sums up: the same as by units."""

import numpy as np
import pytest
from scipy import stats

from sklearn_rank.online import compare_variant_sums, compare_variants

RNG = np.random.default_rng(0)
VARIANT = np.repeat(["a", "b", "c"], 200)
VIEWS = RNG.poisson(8, 600) + 1.0
CLICKS = RNG.binomial(VIEWS.astype(int), 0.3).astype(float)
ARMS = {"old": {"n": 50, "mean": 2.0, "sd": 3.0}, "new": {"n": 60, "mean": 3.5, "sd": 4.0}}


def summed(is_ratio=False):
    found = {}
    for name in "abc":
        y, x = CLICKS[name == VARIANT], VIEWS[name == VARIANT]
        known = {"n": len(y), "mean": y.mean(), "sd": y.std(ddof=1)}
        if is_ratio:
            known |= {"denominator_mean": x.mean(), "denominator_sd": x.std(ddof=1)}
            known["covariance"] = np.cov(y, x)[0, 1]
        found[name] = known
    return found


@pytest.mark.parametrize("options", [{}, {"alternative": "less"}, {"anytime_n": 400}])
def test_means_are_those_of_units(options):
    of_units = compare_variants(CLICKS, VARIANT, control="a", **options)
    found = compare_variant_sums(summed(), control="a", **options)
    # Two arrays are often the arms themselves, whose sizes nobody planned.
    assert str(found) == f"{of_units}\nAllocation not checked; give allocation='equal'."
    for one, other in zip(found.rows(), of_units.rows(), strict=True):
        assert np.isnan(one.pop("largest_share"))
        other.pop("largest_share")
        assert dict(one) == pytest.approx(dict(other))


def test_scipy():
    found = compare_variant_sums(ARMS, control="old").row("new")
    theirs = stats.ttest_ind_from_stats(3.5, 4, 60, 2, 3, 50, equal_var=False)
    assert found.p_value == pytest.approx(theirs.pvalue)
    assert found.verdict == "better"
    lower = compare_variant_sums(ARMS, control="old", lower_is_better=True)
    assert lower.decisions == {"new": "stop"}


def test_ratios_have_the_plain_error_and_say_so():
    found = compare_variant_sums(summed(is_ratio=True), control="a")
    for name in "bc":
        value = []
        for arm in ("a", name):
            y, x = CLICKS[arm == VARIANT], VIEWS[arm == VARIANT]
            z = (y - y.sum() / x.sum() * x) / x.mean()
            value.append(z.var(ddof=1) / 200)
        row = found.row(name)
        assert row.standard_error**2 == pytest.approx(sum(value))
        of_units = compare_variants(CLICKS, VARIANT, control="a", denominator=VIEWS)
        assert row.difference == pytest.approx(of_units.row(name).difference)
        assert row.standard_error < of_units.row(name).standard_error
    assert "Units are taken to be alike" in str(found)


def test_frames():
    pd = pytest.importorskip("pandas")
    users = pd.DataFrame({"variant": VARIANT, "clicks": CLICKS})
    arms = users.groupby("variant").clicks.agg(n="count", mean="mean", sd="std")
    found = compare_variant_sums(arms, control="a")
    assert str(found) == str(compare_variant_sums(summed(), control="a"))


def test_a_mismatch_warns():
    with pytest.warns(UserWarning, match="not assigned as planned"):
        compare_variant_sums(ARMS, control="old", allocation={"old": 1, "new": 9})


RATIO = {"denominator_mean": 5.0, "denominator_sd": 2.0, "covariance": 3.0}


def changed(**change):
    return {"old": ARMS["old"] | change, "new": ARMS["new"]}


@pytest.mark.parametrize(
    ("arms", "error", "message"),
    [
        (changed(n=1), ValueError, "1 unit"),
        (changed(n=0), ValueError, "'n'"),
        (changed(sd=-1), ValueError, "negative standard deviation"),
        (changed(mean=np.nan), ValueError, "finite"),
        (changed(mean="2"), TypeError, "finite"),
        (changed(std=2), ValueError, "and needs"),
        ({"old": {"n": 5}, "new": ARMS["new"]}, ValueError, "and needs"),
        ({"old": 5, "new": 6}, TypeError, "must be a dict such as"),
        ([5], TypeError, "must be a dict such as"),
        ({"old": ARMS["old"]}, ValueError, "needs two"),
        ({"new": ARMS["new"], "olt": ARMS["old"]}, ValueError, "Did you mean 'olt'"),
        (changed(**RATIO), ValueError, "and needs"),
        (
            {name: ARMS["old"] | RATIO | {"covariance": 9} for name in ("old", "new")},
            ValueError,
            "more than the product",
        ),
        (
            {name: ARMS["old"] | RATIO | {"denominator_mean": 0} for name in ARMS},
            ValueError,
            "not above 0",
        ),
    ],
)
def test_bad_input(arms, error, message):
    with pytest.raises(error, match=message):
        compare_variant_sums(arms, control="old")

"""The mean of raters, corrected by a reference that graded a sample."""

from dataclasses import replace

import numpy as np
import pytest

from sklearn_rank.statistics import (
    confidence_interval,
    judge_assisted_mean,
    rater_agreement,
)

RNG = np.random.default_rng(0)
TRUTH = RNG.integers(0, 4, 240).astype(float)
SEEN = np.where(RNG.permutation(240) < 60, TRUTH, np.nan)
JUDGES = np.clip(TRUTH[:, None] + RNG.integers(-1, 2, (240, 3)) + [1, 0, 0], 0, 3)
GRADES = {
    "people": SEEN,
    "gpt": JUDGES[:, 0],
    "claude": JUDGES[:, 1],
    "llama": JUDGES[:, 2],
}
UNSEEN = pytest.mark.filterwarnings("ignore:.*human values")


def same_numbers(corrected, expected):
    """Check all numbers of a judge-assisted mean, single ones and arrays."""
    for name, value in expected.items():
        np.testing.assert_allclose(corrected[name], value, rtol=1e-12, err_msg=name)


def test_grades_are_corrected_by_the_reference():
    found = rater_agreement(GRADES, reference="people")
    same_numbers(found.corrected, judge_assisted_mean(SEEN, JUDGES))
    alone = confidence_interval(SEEN)
    ends = [found.corrected[f"human_{end}"] for end in ("mean", "low", "high")]
    assert ends == [alone.mean, alone.low, alone.high]
    assert found.uncorrected == ""
    text = " ".join(str(found).split())
    assert "Corrected mean of 240 units from 60 by people and 3 judges: " in text
    low, high = found.corrected.low, found.corrected.high
    assert f"95% interval [{low:.3f}, {high:.3f}]; people alone {alone.mean:.3f}" in text
    means = ", ".join(f"{mean:.2f}" for mean in JUDGES.mean(axis=0))
    assert f"; judge means {means} Krippendorff" in text


@UNSEEN
def test_shares_are_corrected_over_queries():
    query = np.arange(240) // 4
    found = rater_agreement(
        {"people": SEEN, "gpt": JUDGES[:, 1]},
        reference="people",
        groups=query,
        min_relevance=2,
        confidence_level=0.9,
    )
    human = np.where(np.isnan(SEEN), np.nan, SEEN >= 2)
    given = {"clusters": query, "value_range": (0, 1), "confidence_level": 0.9}
    expected = judge_assisted_mean(human, (JUDGES[:, 1:2] >= 2) * 1.0, **given)
    same_numbers(found.corrected, expected)
    assert found.corrected.human_low == confidence_interval(human, **given).low
    assert "Corrected share of 240 units from 60 by people and 1 judge: " in str(found)


@UNSEEN
@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"people": TRUTH}, ""),
        (
            {"people": np.where(np.arange(240) < 14, TRUTH, np.nan)},
            "people has graded 14 units of 15 needed",
        ),
        (
            {"gpt": np.where(np.arange(240) < 3, np.nan, TRUTH)},
            "gpt has no grade of 3 of 240 units",
        ),
    ],
)
def test_no_corrected_mean_and_why(changes, reason):
    found = rater_agreement(GRADES | changes, reference="people")
    assert found.corrected is None
    assert found.uncorrected == reason
    assert ("No corrected mean" in str(found)) == bool(reason)
    assert f"No corrected mean: {reason}." in str(found) or not reason


def test_names_and_few_queries_are_not_corrected():
    names = np.array(["bad", "good"])[(JUDGES[:, :2] > 1).astype(int)].astype(object)
    names[::2, 0] = None
    found = rater_agreement(names, level="nominal", reference=0)
    assert found.uncorrected == "grades are names"
    few = {"people": SEEN, "gpt": JUDGES[:, 0]}
    found = rater_agreement(few, reference="people", groups=np.arange(240) // 40)
    assert found.uncorrected == "people has graded 6 queries of 10 needed"
    plain = rater_agreement(few)
    assert (plain.corrected, plain.uncorrected) == (None, "")


def test_units_without_a_grade_do_not_count():
    empty = np.full(5, np.nan)
    longer = {name: np.append(of, empty) for name, of in GRADES.items()}
    found = rater_agreement(longer, reference="people").corrected
    assert found.n_queries == 240
    assert found.mean == rater_agreement(GRADES, reference="people").corrected.mean


@UNSEEN
def test_the_rates_of_two_grades():
    people = [1, 1, 1, 1, 0, 0, 0, np.nan]
    judge = [1, 1, 1, 0, 0, 0, 1, 1]
    found = rater_agreement({"people": people, "judge": judge}, reference="people")
    row = found.raters[1]
    rates = row.true_positive_rate, row.true_negative_rate, row.accuracy
    assert rates == pytest.approx((3 / 4, 2 / 3, 5 / 7))
    assert [cell.counts for cell in found.by_grade] == [{0: 2, 1: 1}, {0: 1, 1: 3}]
    graded = rater_agreement(GRADES, reference="people").raters[1]
    assert np.isnan([graded.true_positive_rate, graded.true_negative_rate]).all()
    assert graded.accuracy == np.mean((JUDGES[:, 0] == TRUTH)[~np.isnan(SEEN)])


def test_a_report_keeps_and_checks_its_corrected_mean():
    found = rater_agreement(GRADES, reference="people")
    again = replace(found, corrected=dict(found.corrected))
    assert str(again) == str(found)
    assert found.to_dict()["corrected"]["weight"] == found.corrected.weight.tolist()
    with pytest.raises(ValueError, match="`corrected` has no 'judge_mean'"):
        replace(found, corrected={"mean": 1.0})

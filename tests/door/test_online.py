"""Calls of `online` and `statistics` whose numbers would not mean what they seem to."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest

from sklearn_rank.exceptions import MisleadingScoreWarning
from sklearn_rank.inputs import from_item_lists, from_ratings
from sklearn_rank.metrics import PerQueryScores, make_recommender_scorer, per_query_scores
from sklearn_rank.model_selection import cross_validate_per_query
from sklearn_rank.online import (
    compare_variant_sums,
    compare_variants,
    interleaving_test,
    off_policy_value,
    sample_ratio_test,
)
from sklearn_rank.recommenders import PopularityRecommender
from sklearn_rank.statistics import (
    compare_models,
    fleiss_kappa_score,
    krippendorff_alpha_score,
    rater_agreement,
)

MEAN_WEIGHT = "The mean weight at position"
N = 4000
RNG = np.random.default_rng(0)
ARM = RNG.integers(10, size=N)
LOG = {
    "reward": RNG.random(N) < 0.1,
    "propensity": np.full(N, 0.1),
    "target_probability": np.array([0.4, 0.4, *[0.025] * 8])[ARM],
}
EXCHANGED = {
    **LOG,
    "propensity": LOG["target_probability"],
    "target_probability": LOG["propensity"],
}


def silently(function, *arguments, **keywords):
    """Return the result; a warning is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return function(*arguments, **keywords)


def test_exchanged_probabilities():
    right = silently(off_policy_value, **LOG)
    assert right.mean_weight == pytest.approx([1], abs=0.05)
    with pytest.warns(MisleadingScoreWarning, match=f"{MEAN_WEIGHT} 1.0 is 3.24"):
        off_policy_value(**EXCHANGED)
    with pytest.warns(MisleadingScoreWarning, match="is 10 with a standard error of 0,"):
        off_policy_value(**{**LOG, "target_probability": np.ones(N)})


def test_clipped_weights_and_logs_of_click_models_are_not_judged():
    silently(off_policy_value, **EXCHANGED, clip=100)
    silently(off_policy_value, **EXCHANGED, assumption="independent", self_normalized=False)
    with pytest.warns(MisleadingScoreWarning, match=MEAN_WEIGHT):
        off_policy_value(**EXCHANGED, assumption="independent")


def test_the_error_of_weights_is_that_of_users():
    # Ten users, each with one item: the weight is far above 1 over rows, not over users.
    user = np.repeat(np.arange(10), 400)
    propensity = np.full(N, 0.1)
    target = np.where(user < 3, 0.9, 0.05)
    with pytest.warns(UserWarning, match="The log has 10 users") as caught:
        off_policy_value(LOG["reward"], propensity, target, user=user)
    assert len(caught) == 1
    with pytest.warns(MisleadingScoreWarning, match="is 3.05"):
        off_policy_value(LOG["reward"], propensity, target)


def test_the_first_wrong_position_is_named():
    logs = {name: np.repeat(column, 2) for name, column in LOG.items()}
    logs["target_probability"][::2] = logs["propensity"][::2]
    logs["propensity"][1::2], logs["target_probability"][1::2] = 0.5, 1.0
    slate, position = np.repeat(np.arange(N), 2), np.tile([1, 2], N)
    with pytest.warns(MisleadingScoreWarning, match=f"{MEAN_WEIGHT} 2 is 2") as caught:
        off_policy_value(**logs, slate=slate, position=position)
    assert len(caught) == 1


@pytest.mark.slow
@pytest.mark.parametrize("assumption", ["cascade", "joint", "independent"])
def test_right_probabilities_do_not_warn(assumption):
    rng = np.random.default_rng(1)
    for _ in range(200):
        n, n_items, depth = rng.choice([50, 500]), rng.choice([2, 10, 50]), 3
        logged, target = (
            rng.dirichlet(np.full(n_items, alpha), size=depth) for alpha in (2.0, 0.2)
        )
        items = np.array([rng.choice(n_items, n, p=p) for p in logged])
        place = np.arange(depth)[:, None]
        items[:, 0] = target.argmax(axis=1)  # a weight above 0 at each position
        columns = (rng.random((depth, n)), logged[place, items], target[place, items])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", MisleadingScoreWarning)
            off_policy_value(
                *(column.T.ravel() for column in columns),
                slate=np.repeat(np.arange(n), depth),
                position=np.tile(np.arange(depth), n),
                assumption=assumption,
            )


def test_a_slate_of_one_row():
    found = off_policy_value(**LOG)
    given = off_policy_value(**LOG, slate=np.arange(N), position=np.ones(N))
    assert (found.value, found.standard_error) == (given.value, given.standard_error)
    for one in ({"slate": np.arange(N)}, {"position": np.ones(N)}):
        with pytest.raises(ValueError, match="Give `slate` and `position` together"):
            off_policy_value(**LOG, **one)


@pytest.mark.parametrize(
    "variant", [[5000, 5300], [900, 700, 800], [5000, 5000], [5000], ["new", "old"]]
)
def test_numbers_of_units_in_place_of_labels(variant):
    what = "one number only" if len({*variant}) == 1 else "every label once"
    with pytest.raises(ValueError, match=f"`variant` has {what}; .* counts={{'a': "):
        sample_ratio_test(variant)


def test_labels_that_are_numbers():
    assert sample_ratio_test([1, 1, 0]).counts == {0: 1, 1: 2}
    assert sample_ratio_test([1, 1], expected={0: 1, 1: 1}).counts == {0: 0, 1: 2}
    assert sample_ratio_test(["a", "b"], expected={"a": 1, "b": 1}).p_value == 1


def test_an_impression_per_row():
    with pytest.raises(ValueError, match="has 4 labels for 4 rows, so no list"):
        interleaving_test([0, 1, 0, 1], [1, 0, 0, 1], impression=[0, 1, 2, 3])


def test_names_of_teams():
    teams, clicks, impression = ["A", "B"] * 12, [1, 0] * 8 + [0, 1] * 4, np.arange(24) // 2
    message = "has 'A'. `team` has the index of a ranker; give names of rankers as"
    with pytest.raises(ValueError, match=message):
        interleaving_test(teams, clicks, impression=impression)
    codes = [["A", "B"].index(team) for team in teams]
    row = interleaving_test(codes, clicks, impression=impression, names=["A", "B"]).row()
    assert (row.ranker, row.wins) == ("A", 8)
    with pytest.raises(ValueError, match="`team` has 1 NaN value"):
        interleaving_test([0, np.nan], [0, 0], impression=[0, 0])


UNITS = np.random.default_rng(0).integers(0, 3, 40)
GRADES = np.stack([UNITS, UNITS, UNITS[::-1] // 2 + UNITS // 2])


@pytest.mark.parametrize(
    "agreement", [krippendorff_alpha_score, fleiss_kappa_score, rater_agreement]
)
def test_raters_as_rows(agreement):
    message = r"alpha is [-.\d]+, and 0\.\d+ if rows are raters. Rows are units: give {}\."
    for ratings, table in (
        (GRADES, "ratings.T"),
        (pd.DataFrame(GRADES), "ratings.T"),
        (GRADES.tolist(), r"np.transpose\(ratings\)"),
    ):
        with pytest.warns(MisleadingScoreWarning, match=message.format(table)):
            agreement(ratings)
    wide = np.random.default_rng(0).integers(0, 3, (5, 24))
    for ratings in (GRADES.T, GRADES[:, :3], wide):
        silently(agreement, ratings)


def test_many_raters_of_few_units_in_a_long_table():
    long = {"unit": np.repeat([0, 1, 2], 40), "rater": np.tile(np.arange(40), 3)}
    frame = pd.DataFrame({**long, "grade": GRADES.ravel()})
    silently(krippendorff_alpha_score, frame)
    silently(rater_agreement, frame)
    silently(rater_agreement, GRADES.ravel(), units=long["unit"], raters=long["rater"])
    silently(from_ratings, GRADES)


USER = np.repeat(np.arange(100), 3)
ROWS = {
    "arm": np.where(USER % 2, "new", "old"),
    "clicks": np.random.default_rng(0).poisson(2, 300),
    "user": [f"u{user}" for user in USER],
    "session": np.arange(300) // 2 * 2 + np.arange(300) % 2 * (USER[::-1] % 2),
    "country": np.arange(300) % 25,
    "price": np.linspace(0, 1, 300),
}
NOT_CHECKED = "Allocation not checked; give allocation='equal'."


def lines_of(data, **options):
    found = compare_variants("clicks", "arm", data=data, control="old", **options)
    return str(found).splitlines()[4:]


def test_the_allocation_that_is_not_checked():
    assert lines_of(ROWS, unit="user") == [NOT_CHECKED]
    assert lines_of(ROWS, unit="user", allocation="equal") == []
    sums = {name: {"n": 50, "mean": 2.0, "sd": 1.0} for name in ("old", "new")}
    assert NOT_CHECKED in str(compare_variant_sums(sums, control="old"))
    found = compare_variant_sums(sums, control="old", allocation="equal")
    assert NOT_CHECKED not in str(found)


@pytest.mark.parametrize("to", [dict, pd.DataFrame])
def test_a_column_that_may_be_the_unit(to):
    line = "`user` repeats (3 rows each); if it is the unit: unit='user'."
    found = compare_variants("clicks", "arm", data=to(ROWS), control="old")
    assert str(found).splitlines()[-1] == line
    assert json.loads(json.dumps(found.settings))["likely_unit"] == {"user": 3.0}
    numbers = to({**ROWS, "user": USER})
    assert lines_of(numbers, allocation="equal") == [line]
    assert lines_of(to(ROWS), allocation="equal", unit="user") == []


def test_the_column_with_the_fewest_labels_is_named():
    more = {**ROWS, "visit": np.minimum(np.arange(300) // 2, 2 * USER)}
    assert "`user` repeats" in lines_of(more, allocation="equal")[0]


@pytest.mark.parametrize(
    "column",
    [
        np.where(np.arange(300) < 12, USER, np.arange(300) + 1000),  # few repeats
        np.arange(300),  # none
        USER // 6,  # few labels
        np.where(np.arange(300) == 299, 0, USER),  # one is in both arms
        np.where(USER % 2, 1, USER + 2),  # few labels in an arm
        [None, *[f"u{user}" for user in USER[1:]]],
        USER + 0.5,
        [[1, 2], *[[3]] * 299],
        np.arange(7),
        3,
    ],
)
def test_other_columns(column):
    data = {name: ROWS[name] for name in ("arm", "clicks", "country")}
    assert lines_of({**data, "other": column}, allocation="equal") == []


def test_a_column_that_crosses_late_and_an_outcome():
    many = {name: np.tile(ROWS[name], 5) for name in ("arm", "clicks")}
    user = np.tile(USER, 5) + 1000 * np.repeat(np.arange(5), 300)
    user[-1] = user[0]
    assert lines_of({**many, "user": user}, allocation="equal") == []
    clicks = np.where(USER % 2, 500, 0) + USER % 50
    found = compare_variants(
        "clicks", "arm", data={"arm": ROWS["arm"], "clicks": clicks}, control="old"
    )
    assert found.settings["likely_unit"] == {}


ITEMS = np.arange(300)
TRUTH = {user: set(range(user, user + 5)) for user in range(24)}


def scores_of_lists(length, n_users=24, **lists):
    truth = {user: TRUTH[user] for user in range(n_users)}
    ranked = {
        user: np.roll(ITEMS, user * 7)[:length].tolist() for user in range(n_users)
    } | lists
    rows = from_item_lists(truth, ranked)
    return per_query_scores(**rows, metrics=["recall@100", "recall@10", "mrr"])


def notes_of(**models):
    return [line for line in str(compare_models(models)).splitlines() if "at most" in line]


def test_lists_of_two_lengths():
    long, short = scores_of_lists(100), scores_of_lists(10)
    assert (long.longest_list, short.longest_list) == (100, 10)
    line = "b lists at most 10 items, recall@100 looks at 100."
    assert notes_of(a=long, b=short) == [line]
    assert notes_of(a=long, c=scores_of_lists(100), b=short) == [line]
    assert notes_of(a=scores_of_lists(99), b=short) == []
    assert notes_of(a=long, b=scores_of_lists(100)) == []
    assert notes_of(a=scores_of_lists(100, 19), b=scores_of_lists(10, 19)) == []


def test_the_longest_list_is_kept():
    short = scores_of_lists(10)
    other = scores_of_lists(30).of(np.arange(24) < 12)
    rest = short.of(np.arange(24) >= 12)
    assert (other.longest_list, rest.longest_list) == (30, 10)
    assert other.merge(rest).longest_list == 30
    arrays = per_query_scores([0, 1], [2, 1], groups=[0, 0], metrics="mrr")
    assert arrays.longest_list is None
    values = PerQueryScores(short.groups, {"recall@100": short.scores["recall@100"]})
    long = PerQueryScores(values.groups, values.scores, longest_list=100)
    assert notes_of(a=long, b=values) == []


def test_the_longest_list_of_a_recommender():
    log = np.column_stack([np.repeat(np.arange(30), 4), np.arange(120) % 13])
    found = cross_validate_per_query(
        PopularityRecommender(user=0, item=1),
        log,
        metrics=make_recommender_scorer("ndcg@5", user=0, item=1),
        cv=2,
    )
    assert found.longest_list == 5

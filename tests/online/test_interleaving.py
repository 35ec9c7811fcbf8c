"""Preferences from clicks: the worked examples, other roads, and bad input."""

import numpy as np
import pytest
from scipy import stats

from sklearn_rank.exceptions import MisleadingScoreWarning
from sklearn_rank.online import interleaving_test, team_draft_interleave
from sklearn_rank.statistics import compare_models

BY_USER = [(1, 1, 1, 1), (1, 0), (-1,), (1, 1, -1), (0, 0), (-1, -1), (1,), (1,)]
OUTCOMES = [outcome for of_user in BY_USER for outcome in of_user]
USERS = [user for user, of_user in enumerate(BY_USER) for _ in of_user]
FEW = pytest.mark.filterwarnings("ignore:The log has [0-9]+ users")
CLICKS = {1: (1, 0), 0: (0, 0), -1: (0, 1)}


def log_of(outcomes, users=None):
    """Return a log with one item of each team in each list."""
    clicked = [click for outcome in outcomes for click in CLICKS[outcome]]
    log = {
        "team": np.tile([0, 1], len(outcomes)),
        "clicked": clicked,
        "impression": np.repeat(np.arange(len(outcomes)), 2),
    }
    return log if users is None else log | {"user": np.repeat(users, 2)}


def row_of(outcomes, users=None, **options):
    return interleaving_test(**log_of(outcomes, users), **options).row()


@FEW
def test_by_user():
    row = row_of(OUTCOMES, USERS)
    assert (row.wins, row.losses, row.ties) == (9, 4, 3)
    assert (row.n_impressions, row.n_users) == (16, 8)
    assert row.preference == 0.15625
    found = (row.standard_error, row.df, row.p_value, row.low, row.high)
    expected = (0.1446173, 5.448170, 0.325437, -0.206488, 0.5)  # not 0.518988
    assert found == pytest.approx(expected, abs=1e-6)
    flipped = row_of(OUTCOMES, USERS, test="randomization")
    assert flipped.p_value == 0.5
    assert (flipped.low, flipped.high) == pytest.approx((-0.25, 0.5))
    wrong = stats.binomtest(9, 13).pvalue
    assert wrong == pytest.approx(0.266846, abs=1e-6)


@FEW
def test_as_the_comparison_of_models():
    outcomes = {"zero": np.zeros(16), "o": np.array(OUTCOMES, dtype=float)}
    with pytest.warns(UserWarning, match="8 clusters"):
        theirs = compare_models(outcomes, clusters=USERS, alternative="greater").row("o")
    row = row_of(OUTCOMES, USERS, alternative="greater")
    assert row.p_value == pytest.approx(theirs.p_value)
    assert 2 * row.low == pytest.approx(theirs.low)
    assert (row.high, theirs.high) == (0.5, np.inf)  # the ends of the range, if known


@pytest.mark.parametrize(
    ("wins", "losses", "p_value"), [(14, 6, 0.115318), (9, 3, 0.145996)]
)
def test_all_flips_are_the_sign_test(wins, losses, p_value):
    outcomes = [1] * wins + [-1] * losses
    row = row_of(outcomes, test="randomization", n_resamples=2**20)
    assert row.p_value == pytest.approx(p_value, abs=1e-6)
    assert row.p_value == pytest.approx(stats.binomtest(wins, wins + losses).pvalue)


def test_random_flips_are_close_to_the_sign_test():
    outcomes = [1] * 60 + [-1] * 40 + [0] * 100
    exact = stats.binomtest(60, 100).pvalue
    assert exact == pytest.approx(0.0568879, abs=1e-7)
    row = row_of(outcomes, test="randomization", n_resamples=40_000, random_state=0)
    assert row.preference == pytest.approx(0.05)
    assert row.p_value == pytest.approx(exact, abs=4 * np.sqrt(exact / 40_000))


def test_rows_may_be_in_any_order():
    rng = np.random.default_rng(0)
    outcomes = rng.integers(-1, 2, 60)
    log = log_of(outcomes, rng.integers(20, size=60))
    order = rng.permutation(120)
    mixed = {name: np.asarray(column)[order] for name, column in log.items()}
    assert interleaving_test(**mixed).row() == interleaving_test(**log).row()


def test_clicks_of_a_team_are_counted():
    team = [0, 1, 1, 0, -1] * 12
    clicked = [1, 1, 1, 0, 0] * 8 + [1, 1, 0, 0, 0] * 2 + [1, 1, 0, 1, 0] * 2
    impression = np.repeat(np.arange(12), 5)
    row = interleaving_test(team, clicked, impression=impression).row()
    assert (row.wins, row.ties, row.losses) == (2, 2, 8)
    assert row.preference == pytest.approx(-0.25)


def three_rankers():
    rng = np.random.default_rng(0)
    team = np.tile([0, 1, 2], 200)
    clicked = rng.random(600) < np.array([0.5, 0.4, 0.2])[team]
    return {"team": team, "clicked": clicked, "impression": np.repeat(range(200), 3)}


@pytest.mark.parametrize("correction", ["holm", "max_t", None])
def test_all_pairs(correction):
    log = three_rankers()
    names = ["best", "good", "bad"]
    found = interleaving_test(**log, names=names, correction=correction, random_state=0)
    pairs = [(row.ranker, row.other) for row in found.rows()]
    assert pairs == [("best", "good"), ("best", "bad"), ("good", "bad")]
    clicks = log["clicked"].reshape(200, 3).astype(int)
    row = found.row("best", "bad")
    assert row.preference == np.sign(clicks[:, 0] - clicks[:, 2]).mean() / 2
    assert row.wins + row.ties + row.losses == 200
    for row in found.rows():
        assert row.p_adjusted >= row.p_value or correction == "max_t"
        assert row.p_adjusted == row.p_value or correction is not None
    assert found.row("best", "bad").p_adjusted < 0.001
    with pytest.raises(ValueError, match="2 rows are of ranker 'best'"):
        found.row("best")


def test_a_name_that_never_drafted_counts():
    log = log_of([1] * 20)
    found = interleaving_test(**log, names=["a", "b", "c"], test="randomization")
    assert [row.preference for row in found.rows()] == [0.5, 0.5, 0]
    assert found.row("b", "c").p_value == 1


def test_only_teams_that_occur_are_compared():
    log = log_of([1, -1, 1, 0] * 3)
    log["team"] = [5 * team for team in log["team"]]
    found = interleaving_test(**log)
    assert [(row.ranker, row.other) for row in found.rows()] == [(0, 5)]
    assert found.row().preference == row_of([1, -1, 1, 0] * 3).preference
    millions = {**log, "team": [10**6 * team for team in log["team"]]}
    assert interleaving_test(**millions).row().other == 5_000_000


def test_ids_of_items_are_no_teams():
    rows = np.arange(202)
    with pytest.raises(ValueError, match=r"101 rankers.*not an id"):
        interleaving_test(rows % 101, rows * 0, impression=rows // 2)


def test_text():
    found = interleaving_test(
        **three_rankers(), names=["a", "b", "c"], test="randomization", random_state=0
    )
    text = str(found)
    assert max(map(len, text.splitlines())) <= 80
    assert "sign flips, p corrected by Holm over 3" in text
    assert "a - c" in text
    assert repr(found) == "InterleavingResult(3 pairs)"
    found = interleaving_test(**three_rankers(), alternative="greater")
    assert "t test, greater" in str(found)


def test_frame():
    pytest.importorskip("pandas")
    frame = interleaving_test(**three_rankers()).to_frame()
    assert frame.shape == (3, 16)


def test_pictures():
    plt = pytest.importorskip("matplotlib.pyplot")
    found = interleaving_test(**log_of([1, -1, 1, 0] * 10), names=["new", "old"])
    display = found.plot()
    assert display.points_[0].get_xdata()[0] == 0.125
    assert display.ax_.get_xlabel() == "preference to old (95% interval)"
    matrix = interleaving_test(**three_rankers()).plot()
    assert matrix.image_.get_array().shape == (3, 3)
    plt.close("all")


def test_warnings():
    with pytest.warns(UserWarning, match="The log has 5 users"):
        row_of([1, 0, -1, 1, 1])
    with pytest.warns(UserWarning, match="All users agree on 0 and 1"):
        assert row_of([1] * 12).p_value == 0
    with pytest.warns(UserWarning, match="n_resamples=9 is too small"):
        row_of([1, -1] * 12, test="randomization", n_resamples=9)
    assert row_of([0] * 12).p_value == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"user": [9, 0, *np.repeat(range(1, 10), 2)]}, r"1 impression\(s\) are of more"),
        ({"user": [0] * 20}, "There is 1 user"),
        ({"clicked": [2] + [0] * 19}, "1 invalid value.*at 0 .2.0.; give 0 or 1"),
        ({"clicked": [0.5] + [0] * 19}, "give 0 or 1"),
        ({"clicked": [np.nan] + [0] * 19}, "NaN"),
        ({"clicked": [0] * 19}, "19 values, but there are 20 rows"),
        ({"team": [0, 1] * 9 + [0, 0.5]}, "at 19 .0.5.; give the index of a ranker"),
        ({"team": [0, 1] * 9 + [0, -2]}, "at 19 .-2.0.; give the index of a ranker"),
        ({"team": [0, 1] * 9 + [0, 1e300]}, "index of a ranker"),
        ({"team": [5] * 20}, "All items are of ranker 5.*pass `names`"),
        ({"names": [*range(101)]}, "101 rankers.*100 at most"),
        ({"team": [0, 1] * 9 + [0, -1]}, "no item"),
        ({"team": [0, 1] * 9 + [0, 2], "names": ["a", "b"]}, "index of one of 2"),
        ({"names": ["a"]}, "two rankers or more"),
        ({"names": ["a", "a"]}, "each once"),
        ({"impression": [None] * 20}, "missing"),
        ({"test": "wilcoxon"}, "test"),
        ({"test": len}, "test"),
        ({"alternative": "more"}, "alternative"),
        ({"correction": "sidak"}, "correction"),
        ({"confidence_level": 1}, "confidence_level"),
        ({"n_resamples": 0}, "n_resamples"),
    ],
)
def test_bad_input(change, message):
    log = log_of([1, -1, 1, 0, 1, 1, 0, -1, 1, 1])
    log["user"] = np.repeat(range(10), 2)
    log["clicked"] = [*log["clicked"][:-1], 1]
    with pytest.raises(ValueError, match=message):
        interleaving_test(**log | change)


def test_from_the_draft_to_the_preference():
    rng = np.random.default_rng(0)
    good = np.tile(np.arange(10), (400, 1))
    poor = rng.random((400, 10)).argsort(axis=1)
    found = team_draft_interleave([good, poor], k=6, random_state=0)
    clicked = rng.random(found.item.shape) < 0.5 / (1 + found.item)
    result = interleaving_test(
        found.team.ravel(),
        clicked.ravel(),
        impression=np.repeat(np.arange(400), 6),
        names=["good", "poor"],
    )
    assert result.row("good").low > 0.05


def test_numbers_of_impressions_that_begin_anew():
    rng = np.random.default_rng(0)
    team, clicked = np.tile([0, 1, 0, 1], 300), rng.integers(0, 2, 1200)
    number, day = np.tile(np.arange(30).repeat(4), 10), np.arange(10).repeat(120)
    with pytest.warns(MisleadingScoreWarning, match="30 labels, whose rows are in 300"):
        interleaving_test(team, clicked, impression=number)
    unique = number + 1000 * day
    rows = np.column_stack([team, clicked, unique])
    for order in (np.arange(1200), rng.permutation(1200), np.argsort(team, kind="stable")):
        a, b, c = rows[order].T
        assert interleaving_test(a, b, impression=c).row().n_impressions == 300

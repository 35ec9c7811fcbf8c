import sys

import numpy as np
import pytest
from sklearn.decomposition import TruncatedSVD

from sklearn_rank.datasets import make_interactions


def keys(log):
    return log.user * 1_000_000 + log.item


@pytest.fixture(scope="module")
def log():
    return make_interactions(random_state=0)


def test_has_the_promised_shape(log):
    assert set(log) == {"user", "item", "time"}
    assert log.user.dtype == log.item.dtype == np.int64
    assert log.time.dtype == np.dtype("datetime64[s]")
    assert len(log.user) == len(log.item) == len(log.time) == 50_000
    assert log.item.min() >= 0
    assert log.item.max() < 1000


def test_every_user_is_in_the_log(log):
    np.testing.assert_array_equal(np.unique(log.user), np.arange(1000))


def test_rows_are_in_order_of_time_and_within_the_period(log):
    assert (log.time[:-1] <= log.time[1:]).all()
    assert log.time[0] >= np.datetime64("2024-01-01")
    assert log.time[-1] <= np.datetime64("2024-01-01") + np.timedelta64(365, "D")


def test_the_same_random_state_gives_the_same_log(log):
    again = make_interactions(random_state=0)
    other = make_interactions(random_state=1)
    assert all(np.array_equal(log[key], again[key]) for key in log)
    assert not np.array_equal(log.item, other.item)


@pytest.mark.parametrize("share", [0, 0.02, 0.3])
def test_the_share_of_repeats_is_the_one_asked_for(share):
    log = make_interactions(100, 100, 2000, repeat_share=share, random_state=0)
    assert len(np.unique(keys(log))) == 2000 - round(2000 * share)


def test_popularity_is_long_tailed(log):
    rows = np.sort(np.bincount(log.item, minlength=1000))[::-1]
    assert rows[:100].sum() > 1.5 * rows[-500:].sum()
    flat = make_interactions(popularity_exponent=0, drift=0, random_state=0)
    flat_rows = np.sort(np.bincount(flat.item, minlength=1000))[::-1]
    assert rows[:100].sum() > 1.5 * flat_rows[:100].sum()


def test_users_join_over_time(log):
    _, first = np.unique(log.user, return_index=True)
    join = (log.time[first] - log.time[0]) / (log.time[-1] - log.time[0])
    joined_by = [(join <= share).mean() for share in (0.25, 0.5, 0.75, 0.99)]
    assert (np.diff(joined_by) > 0.1).all()
    assert 0.2 < joined_by[0] < 0.6


def test_activity_differs_between_users(log):
    rows = np.bincount(log.user)
    assert rows.max() > 5 * np.median(rows)


def correlation_of_halves(drift):
    log = make_interactions(drift=drift, taste_strength=0, random_state=0)
    first, second = np.array_split(log.item, 2)
    counts = [np.bincount(half, minlength=1000) for half in (first, second)]
    return np.corrcoef(*counts)[0, 1]


def test_popularity_drifts():
    assert correlation_of_halves(0) > 0.8
    assert correlation_of_halves(1) < correlation_of_halves(0) - 0.2


def recall_of_popularity_and_svd(log, n_users, n_items):
    """Recall at 20 of new items after 80% of the rows: a plain reference."""
    cut = int(0.8 * len(log.user))
    train = np.zeros((n_users, n_items))
    train[log.user[:cut], log.item[:cut]] = 1
    test = np.zeros((n_users, n_items), dtype=bool)
    test[log.user[cut:], log.item[cut:]] = True
    test &= train == 0
    popularity = train.sum(axis=0)
    svd = TruncatedSVD(16, random_state=0)
    personal = svd.inverse_transform(svd.fit_transform(train))
    recall = []
    for score in (np.tile(popularity, (n_users, 1)), personal):
        top = np.argsort(-np.where(train > 0, -np.inf, score), axis=1)[:, :20]
        hits = np.take_along_axis(test, top, axis=1).sum(axis=1)
        tested = test.any(axis=1)
        recall.append((hits[tested] / test.sum(axis=1)[tested]).mean())
    return recall


@pytest.mark.parametrize("random_state", [0, 1, 2])
def test_taste_lets_a_personal_model_beat_popularity(random_state):
    log = make_interactions(random_state=random_state)
    popularity, personal = recall_of_popularity_and_svd(log, 1000, 1000)
    assert personal > 1.3 * popularity
    no_taste = make_interactions(taste_strength=0, random_state=random_state)
    popularity, personal = recall_of_popularity_and_svd(no_taste, 1000, 1000)
    assert personal < 1.05 * popularity


def test_as_frame_holds_the_same_rows():
    arrays = make_interactions(20, 30, 100, random_state=3)
    frame = make_interactions(20, 30, 100, random_state=3, as_frame=True)
    assert list(frame.columns) == ["user", "item", "time"]
    for column in frame:
        np.testing.assert_array_equal(frame[column].to_numpy(), arrays[column])


def test_as_frame_without_pandas_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"pip install .*sklearn-rank\[frames\]"):
        make_interactions(20, 30, 100, as_frame=True)


def test_start_and_length_set_the_period():
    log = make_interactions(20, 30, 150, start="1999-12-31", n_days=2, random_state=0)
    assert log.time[0] >= np.datetime64("1999-12-31")
    assert log.time[-1] <= np.datetime64("2000-01-02")


@pytest.mark.parametrize(
    "extreme",
    [
        {"popularity_exponent": 10, "drift": 1, "taste_strength": 0},
        {"taste_strength": 1, "n_tastes": 1, "repeat_share": 0},
        {"popularity_exponent": 0, "drift": 0, "repeat_share": 0.99},
    ],
)
def test_extreme_worlds_can_be_made(extreme):
    log = make_interactions(40, 40, 400, **extreme, random_state=0)
    assert len(log.user) == 400
    assert len(np.unique(log.user)) == 40


@pytest.mark.parametrize("n_interactions", [9, 26])
def test_a_number_of_rows_that_does_not_fit_is_an_error(n_interactions):
    with pytest.raises(ValueError, match=r"`n_interactions` must be from 10 .* to 25 "):
        make_interactions(10, 10, n_interactions)


@pytest.mark.parametrize(
    ("parameter", "value", "error"),
    [
        ("n_users", 0, ValueError),
        ("n_items", 3, ValueError),
        ("n_interactions", 1.5, TypeError),
        ("n_tastes", 0, ValueError),
        ("n_days", True, TypeError),
        ("taste_strength", 1.01, ValueError),
        ("taste_strength", -0.01, ValueError),
        ("drift", "much", TypeError),
        ("drift", float("nan"), ValueError),
        ("repeat_share", 1, ValueError),
        ("popularity_exponent", -1, ValueError),
        ("popularity_exponent", 11, ValueError),
        ("start", "soon", ValueError),
        ("start", "NaT", ValueError),
    ],
)
def test_bad_values_are_named(parameter, value, error):
    with pytest.raises(error, match=f"`{parameter}` must be"):
        make_interactions(**{parameter: value})


def test_numbers_of_numpy_are_those_of_python():
    expected = make_interactions(100, 100, 2000, taste_strength=0.5, random_state=0)
    found = make_interactions(
        np.int8(100),
        np.uint8(100),
        np.int16(2000),
        n_tastes=np.int8(16),
        taste_strength=np.float16(0.5),
        popularity_exponent=np.float16(1),
        n_days=np.int16(365),
        random_state=0,
    )
    for name, column in expected.items():
        assert np.array_equal(found[name], column)
        assert found[name].dtype == column.dtype


@pytest.mark.parametrize("name", ["n_users", "n_items", "n_interactions", "n_days"])
def test_a_duration_is_no_number(name):
    with pytest.raises(TypeError, match=f"`{name}` must be an integer"):
        make_interactions(**{name: np.timedelta64(1000, "D")})


def test_periods_and_beginnings_beyond_all_calendars_are_named():
    with pytest.raises(ValueError, match="`n_days` must be at most 3,652,425"):
        make_interactions(n_days=10**9)
    with pytest.raises(ValueError, match="`start` must be a date or time"):
        make_interactions(start=10**30)

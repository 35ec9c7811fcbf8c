import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, KFold, TimeSeriesSplit

from sklearn_rank.model_selection import (
    Last,
    LeaveLastOut,
    LeaveRandomOut,
    TimeSplit,
    UserKFold,
    UserTimeSplit,
    plot_split,
)

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

N_ROWS = 60
LOG = np.column_stack([np.arange(N_ROWS) % 7, np.arange(N_ROWS) % 5, np.arange(N_ROWS)])
COLUMNS = {"user": 0, "item": 1, "time": 2}
SPLITTERS = [
    LeaveLastOut(2, 2, **COLUMNS),
    LeaveRandomOut(2, 2, random_state=0, **COLUMNS),
    TimeSplit(2, 10, train_size=20, gap=8, **COLUMNS),
    UserKFold(3, Last(2), **COLUMNS),
    UserTimeSplit(2, gap=5, **COLUMNS),
]


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def drawn(axis):
    """Return the height that each color has in each fold and bin."""
    bands = {}
    for patch in axis.patches:
        values, edges, baseline = patch.get_data()
        fold = round(float(np.max(baseline)))
        bands[fold, matplotlib.colors.to_hex(patch.get_facecolor())] = baseline - values
        assert (np.diff(edges.astype(float)) > 0).all()
    return bands


COLOURS = {"train": "#608d9f", "test": "#b2724d", "gap": "#999999", "dropped": "#dddddd"}


@pytest.mark.parametrize("cv", SPLITTERS, ids=lambda cv: type(cv).__name__)
def test_bands_show_the_share_of_each_part_at_its_time(cv):
    axes = plot_split(cv, LOG, bins=N_ROWS)
    assert [axis.get_xlabel() for axis in axes] == ["time", "users"]
    bands = drawn(axes[0])  # one row a bin: a share is 0 or the whole band
    for fold, (train, test) in enumerate(cv.split(LOG)):
        for name, rows in (("train", train), ("test", test)):
            filled = np.flatnonzero(bands[fold, COLOURS[name]] > 0.79)
            np.testing.assert_array_equal(filled, rows)
        rest = bands[fold, COLOURS["gap"]] + bands[fold, COLOURS["dropped"]]
        assert np.count_nonzero(rest > 0.79) == N_ROWS - len(train) - len(test)


def test_gap_is_between_train_and_test():
    bands = drawn(plot_split(SPLITTERS[2], LOG, bins=N_ROWS)[0])
    # Windows are 40-49 and 50-59, eight rows after train.
    assert np.flatnonzero(bands[0, COLOURS["gap"]] > 0).tolist() == list(range(32, 40))
    assert np.flatnonzero(bands[1, COLOURS["gap"]] > 0).tolist() == list(range(42, 50))


def test_spans_without_rows_are_named():
    log = LOG[(LOG[:, 2] < 20) | (LOG[:, 2] >= 40)]
    for rows, n_notes in ((log, 1), (LOG, 0)):
        times, users = plot_split(SPLITTERS[3], rows, bins=30)
        assert [text.get_text() for text in times.texts] == ["no rows"] * n_notes
        assert not users.texts
        assert times.figure.get_figheight() >= 2.2
    (note,) = plot_split(SPLITTERS[3], log, bins=30)[0].texts
    assert 20 < note.get_position()[0] < 40


def legend(axes):
    return [text.get_text() for text in axes[-1].get_legend().get_texts()]


@pytest.mark.parametrize(
    "cv",
    [
        UserTimeSplit(2, **COLUMNS),  # rows of the test users before the window
        TimeSplit(2, 10, train_size=20, seen_items="drop", **COLUMNS),  # filtered rows
        UserTimeSplit(2, cold_items="drop", gap=0, **COLUMNS),
        [(np.arange(20), np.arange(30, 40))],
        TimeSeriesSplit(2, test_size=10),
    ],
)
def test_a_gap_that_nobody_asked_for_is_not_drawn(cv):
    axes = plot_split(cv, LOG, **COLUMNS)
    assert "gap" not in legend(axes)
    assert "dropped" in legend(axes) or isinstance(cv, TimeSeriesSplit)


def test_the_gap_is_the_one_asked_for_even_where_filters_drop_rows():
    # The first rows of the window repeat a pair of train, and are dropped from it.
    users = np.arange(N_ROWS) % 7
    users[50:53] = 7  # cold
    cv = TimeSplit(1, 10, gap=8, cold_users="drop")
    log = {"users": users, "times": np.arange(N_ROWS)}
    bands = drawn(plot_split(cv, None, **log, bins=N_ROWS)[0])
    assert np.flatnonzero(bands[0, COLOURS["gap"]] > 0).tolist() == list(range(42, 50))
    assert np.flatnonzero(bands[0, COLOURS["dropped"]] > 0).tolist() == [50, 51, 52]
    cv = UserTimeSplit(2, test_size=10, gap=8, shuffle=True, random_state=0)
    log = {"users": np.arange(N_ROWS) % 7, "times": np.arange(N_ROWS)}
    bands = drawn(plot_split(cv, None, **log, bins=N_ROWS)[0])
    for fold in (0, 1):
        gap = np.flatnonzero(bands[fold, COLOURS["gap"]] > 0)
        assert gap.tolist() == list(range(42, 50))


def test_the_gap_of_scikit_learn_counts_rows():
    cv = TimeSeriesSplit(2, test_size=10, gap=4)
    for times in (None, np.arange(N_ROWS)):
        (axis, *_) = plot_split(cv, LOG, times=times)
        gap = drawn(axis)[1, COLOURS["gap"]]
        assert gap.sum() > 0
        assert "gap" in legend([axis])
    assert np.flatnonzero(
        drawn(plot_split(cv, LOG, bins=N_ROWS)[0])[1, "#999999"]
    ).tolist() == [46, 47, 48, 49]


def test_users_stand_in_the_order_of_their_folds():
    cv = UserKFold(3, user=0)
    (_, axis) = plot_split(cv, LOG)
    bands = drawn(axis)
    tested = [np.flatnonzero(bands[fold, COLOURS["test"]] > 0) for fold in range(3)]
    assert np.concatenate(tested).tolist() == list(range(7))


def test_legend_names_the_parts_that_occur():
    axes = plot_split(SPLITTERS[2], LOG)
    assert legend(axes) == ["train", "test", "gap", "dropped"]
    assert legend(plot_split(UserKFold(2, user=0), LOG)) == ["train", "test"]


def test_splitters_of_scikit_learn_and_datetimes():
    pd = pytest.importorskip("pandas")
    times = pd.date_range("2024-01-01", periods=N_ROWS, tz="Europe/Paris")
    axes = plot_split(GroupKFold(2), LOG, groups=LOG[:, 0], times=times)
    assert axes[0].get_xlabel() == "time (UTC)"
    left, right = axes[0].get_xlim()
    first = matplotlib.dates.date2num(np.datetime64("2023-12-31T23:00"))
    assert left < first < right
    assert [axis.get_xlabel() for axis in plot_split(KFold(3), LOG)] == ["row"]


def test_axes_may_be_given():
    _, axes = plt.subplots(2)
    assert plot_split(SPLITTERS[0], LOG, axes=axes)[0] is axes[0]
    with pytest.raises(ValueError, match=r"must hold 2 Axes.* got 1"):
        plot_split(SPLITTERS[0], LOG, axes=axes[:1])
    with pytest.raises(ValueError, match=r"must hold 2 Axes.* got 0"):
        plot_split(SPLITTERS[0], LOG, axes=[1, 2])
    for bins in (0, 10**6, 10**30):
        with pytest.raises(ValueError, match="bins"):
            plot_split(SPLITTERS[0], LOG, bins=bins)


def test_equal_times_and_one_user_can_be_drawn():
    cv = LeaveLastOut()
    axes = plot_split(cv, None, users=[1, 1, 1], times=[5, 5, 5])
    assert len(axes) == 2

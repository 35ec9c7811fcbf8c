"""The rows of a log: those to train on, the test rows that count, and the folds."""

import math
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from sklearn_rank._base._labels import as_vector, encode_labels, join_labels
from sklearn_rank._base._messages import quantity, warn_misleading
from sklearn_rank._base._validation import check_real
from sklearn_rank.experiments._default_recommenders import LogSize, LogSummary
from sklearn_rank.experiments._fold_scores import DataPart, Folds
from sklearn_rank.experiments._hold_outs import HoldOut, SplitSummary, read_hold_out
from sklearn_rank.experiments._read_data import Columns, TuningOptions
from sklearn_rank.inputs._coded_labels import CodedLabels
from sklearn_rank.inputs._columns import column_names, has_column, take_column
from sklearn_rank.inputs._interaction_log import (
    InteractionLog,
    LazyRows,
    Log,
    as_log,
    table_of,
)
from sklearn_rank.inputs._times import Times, find_far_rows
from sklearn_rank.model_selection._describe_split import read_split
from sklearn_rank.model_selection._interaction_splitter import (
    InteractionSplitter,
    kept_test_rows,
)

# Columns with ratings, if they hold numbers.
_NAMES_OF_RATINGS = {"rating", "ratings", "stars", "grade", "score"}

# The half-lives to try are round numbers, from and up to these shares of the time that the
# log covers. Longer ones equal plain popularity, and shorter ones only use the last few
# rows. 3 days is the best of many shops.
SHORTEST, LONGEST = 1 / 1000, 1 / 3
UNITS = {"s": 1, "min": 60, "h": 3600, "D": 86400}
# Up to the next unit, and days for centuries.
STEPS = {"s": (1, 3, 10, 30), "min": (1, 3, 10, 30), "h": (1, 3, 10)}
DAYS = (1, 3, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000)
TICKS = {"us": 10**6, "ns": 10**9}  # per second
WEIGHTINGS = ("binary", "log")
# With hardly any weight but 1 the weightings are the same model.
FEW_REPEATS = 0.05


def half_lives(times: Times, rows: np.ndarray) -> list[str] | list[float]:
    """Return half-lives such as "3D", or numbers where times are numbers."""
    moments = times.values[rows]
    span = moments.max().item() - moments.min().item()
    return (
        _round_numbers(float(span))
        if times.unit is None
        else _round_durations(span, times.unit)
    )


def _round_durations(ticks: int, unit: str) -> list[str]:
    span = ticks / TICKS[unit]
    return [
        f"{step}{unit}"
        for unit, seconds in UNITS.items()
        for step in STEPS.get(unit, DAYS)
        if SHORTEST * span <= step * seconds <= LONGEST * span
    ]


def _round_numbers(span: float) -> list[float]:
    if SHORTEST * span < sys.float_info.min:
        return []
    lowest = math.floor(math.log10(SHORTEST * span))
    steps = [_step(n, power) for power in range(lowest, lowest + 4) for n in (1, 3)]
    return [step for step in steps if SHORTEST * span <= step <= LONGEST * span]


def _step(n: int, power: int) -> float:
    """Return n times a power of ten, without the rounding of a product."""
    return n * 10**power if power >= 0 else n / 10**-power


def _n_users(part: DataPart) -> int:
    """Return the number of users that have a row."""
    return len(part.X.users_)


def _repeat_share(log: InteractionLog) -> float:
    """Return the share of rows whose user and item occur together in an earlier one."""
    pairs = log.users.codes.astype(np.int64) * len(log.items.values) + log.items.codes
    return 1 - len(np.unique(pairs)) / log.n_rows


def split_log(
    X: Any, y: Any, columns: Columns, test: Any, options: TuningOptions
) -> tuple[dict[str, Any], LogSummary]:
    """Return the parts of a plan, and what the values to try depend on."""
    hold_out = read_hold_out(options.cv, columns.get("time"))
    if not hold_out.uses_times:
        columns = {name: columns[name] for name in ("user", "item")}
    data = read_interactions(X, y, columns, options.min_relevance)
    _check_can_learn(data)
    train, held_out, split = data, None, None
    if test is not None:
        X_test, y_test, *_ = test
        read = read_interactions(X_test, y_test, columns, options.min_relevance)
        held_out, split = _select_given_test(data, read, hold_out, options)
    elif options.test_size is not None:
        train, held_out, split = _cut_log(data, hold_out, options)
    folds = _make_folds(train, hold_out, options)
    parts = {
        "all_rows": data,
        "train": train,
        "test": held_out,
        "split": split,
        "folds": folds,
        "folds_are": hold_out.folds,
    }
    return parts, summarize_log(train, folds, options.exclude_seen)


def read_interactions(
    X: Any, y: Any, columns: Columns, min_relevance: float | None
) -> DataPart:
    """Read the rows of a log and check that they can be learned from."""
    if min_relevance is not None:
        check_real("min_relevance", min_relevance, "a number or None")
        if y is None and getattr(X, "y", None) is None:
            raise ValueError(
                f"`min_relevance={min_relevance:g}` needs y, the rating of each row; "
                "without y every row is relevant. Pass y, or leave it out."
            )
    log = as_log(X, y, columns)
    relevant = np.ones(log.n_rows, dtype=bool)
    if log.y is not None:
        relevant = log.y > 0 if min_relevance is None else log.y >= min_relevance
        _check_relevant(log.y, relevant, min_relevance)
    return DataPart(log, counts=relevant)


def describe_unused(X: Any) -> str | None:
    """Describe a column of ratings that nothing reads, or return None."""
    if not isinstance(X, Log) or X.y is not None:
        return None
    table = X.X.X if isinstance(X.X, LazyRows) else X.X
    used = X.columns.values()
    for name in column_names(table) or ():
        is_rating = isinstance(name, str) and name.casefold() in _NAMES_OF_RATINGS
        if is_rating and name not in used and has_column(table, name):
            values = as_vector(take_column(table, name, name="X")[:1], name="X")
            if values.dtype.kind in "iuf":
                return (
                    f"Not used: {name}. Give y=log[{name!r}], min_relevance=4 to count "
                    "high ones only."
                )
    return None


def _join_logs(first: DataPart, second: DataPart) -> Log:
    """Return the users and items of two tables, one after the other."""

    def joined(name: str) -> CodedLabels:
        columns = [
            np.asarray(take_column(data.X.table, data.X.columns[name], name=name))
            for data in (first, second)
        ]
        return CodedLabels(*encode_labels(join_labels(columns, name=name), name=name))

    return Log(first.n_rows + second.n_rows, joined("user"), joined("item"))


def _check_relevant(
    grades: np.ndarray, relevant: np.ndarray, min_relevance: float | None
) -> None:
    if relevant.any():
        return
    needed = "above 0" if min_relevance is None else f"{min_relevance:g} or more"
    raise ValueError(
        f"No rating is {needed}, so nothing is relevant; the largest in `y` is "
        f"{grades.max():g}. Lower `min_relevance`, or check `y`."
    )


def _check_can_learn(data: DataPart) -> None:
    """Raise if there is one user or item, or rows dated far after all others."""
    for name, n in (("user", _n_users(data)), ("item", len(data.X.items_))):
        if n < 2:
            raise ValueError(
                f"`X` has only one {name} in {quantity(data.n_rows, 'row')}; a "
                f"recommender needs at least two. Is `{name}` the right column?"
            )
    far = None if data.X.times is None else find_far_rows(data.X.times)
    if far is not None:
        raise ValueError(
            f"{far.describe()} Half-lives are measured from the newest row, so all other "
            "rows would have almost no weight. Drop or correct the late rows; "
            "cv='random' and cv='user' do not use times."
        )


def _cut_log(
    data: DataPart, hold_out: HoldOut, options: TuningOptions
) -> tuple[DataPart, DataPart, SplitSummary]:
    """Return the rows to train on, the test rows that count, and both in words."""
    share: Any = options.test_size
    splitter = hold_out.make_splitter(data.X.columns, share, options.random_state)
    try:
        train, held_out = next(splitter.split(data.X))
    except ValueError as error:
        times = data.X.times
        n_times = None if times is None else len(np.unique(times.values))
        at = "" if n_times is None else f" at {quantity(n_times, 'time')}"
        raise ValueError(
            f"The {hold_out.held_out} (`test_size` {share:g}) cannot be cut off "
            f"{quantity(data.n_rows, 'row')} of {quantity(_n_users(data), 'user')}{at}. "
            "Change `test_size` or `cv`, or check the columns."
        ) from error
    rows = np.arange(data.n_rows)
    training, more = data.take(train), "a larger `test_size`"
    test, summary = _select_test(
        (training, data.take(held_out)),
        (data.X, np.isin(rows, train), np.isin(rows, held_out)),
        options.filters,
        f"The {hold_out.held_out} (`test_size` {share:g}, "
        f"{quantity(len(held_out), 'row')})",
        "Change `test_size` or `min_relevance`, or check `user` and `item`.",
        training=hold_out.training,
        held_out=hold_out.held_out,
        n_all_units=_n_users(data),
        test_size=share,
        more=more if hold_out.name == "random" else f"{more}, or `cv` random,",
    )
    return training, test, summary


def _select_given_test(
    data: DataPart, test: DataPart, hold_out: HoldOut, options: TuningOptions
) -> tuple[DataPart, SplitSummary]:
    """Return the rows of a given test that count, and what they are in words."""
    log = _join_logs(data, test)
    train = np.arange(log.n_rows) < data.n_rows
    past, asked = data.X.times, test.X.times
    if hold_out.name == "time" and past is not None and asked is not None:
        _warn_of_older(past, asked)
    return _select_test(
        (data, test),
        (log, train, ~train),
        options.filters,
        f"`test` ({quantity(test.n_rows, 'row')})",
        "Check that its ids are those of X.",
        training="training rows",
        held_out="test rows",
        n_all_units=len(np.unique(log.users.codes)),
        more="a larger `test`",
    )


def _warn_of_older(past: Times, test: Times) -> None:
    """Warn if rows of a given test are older than the newest row to learn from."""
    times = test.joined(past)
    newest = times.values[len(test.values) :].max()
    n_older = np.count_nonzero(times.values[: len(test.values)] < newest)
    if n_older:
        warn_misleading(
            f"{n_older:,} of {len(test.values):,} rows of `test` are older than the "
            f"newest row of X, at {times.show(newest)}: models learn from their future, so "
            "scores are too good. Give a later `test`, or an earlier X."
        )


def _make_folds(train: DataPart, hold_out: HoldOut, options: TuningOptions) -> Folds:
    """Return the rows of each fold; raise for bad folds before the search."""
    times = train.X.times
    _check_no_pause_before_end(times, options)
    try:
        folds = list(_split_folds(train, hold_out, options))
    except ValueError as error:
        raise ValueError(
            f"The {hold_out.training} ({quantity(train.n_rows, 'row')} of "
            f"{quantity(_n_users(train), 'user')}) cannot be cut into `n_splits` "
            f"{options.n_splits} by `cv` {hold_out.name}. Change one, or `test_size`."
        ) from error
    for rows, _ in folds:
        part = None if times is None else replace(times, values=times.values[rows])
        _check_no_pause_before_end(part, options)
    relevant: Any = train.counts
    if not all(relevant[test].any() for _, test in folds):
        raise ValueError(
            f"One of `n_splits` {len(folds)} has no relevant row; take fewer folds, or "
            "lower `min_relevance`."
        )
    return folds


def _check_no_pause_before_end(times: Times | None, options: TuningOptions) -> None:
    """Raise if the rows to train on end just after a long pause of the log."""
    far = None if times is None else find_far_rows(times)
    if far is not None:
        raise ValueError(
            f"A training period of `n_splits` {options.n_splits} and `test_size` "
            f"{options.test_size} ends just after a pause that begins at {far.newest}, and "
            f"half-lives would be measured from {quantity(far.n, 'row')} after it. Choose "
            "another `test_size` or `n_splits`."
        )


def summarize_log(train: DataPart, folds: Folds, exclude_seen: bool) -> LogSummary:
    """Return what the values to try depend on."""
    users, items, times = train.X.users, train.X.items, train.X.times
    has_weights = train.X.y is not None or _repeat_share(train.X) > FEW_REPEATS
    every_row = np.arange(train.n_rows)
    return LogSummary(
        columns={name: train.X.columns[name] for name in ("user", "item")},
        time=train.X.columns.get("time"),
        half_lives=[] if times is None else half_lives(times, every_row),
        weightings=list(WEIGHTINGS if has_weights else WEIGHTINGS[:1]),
        smallest=min(
            len(np.unique(labels.codes[rows]))
            for rows in ([rows for rows, _ in folds] or [every_row])
            for labels in (users, items)
        ),
        size=LogSize.from_codes(users.codes, items.codes),
        exclude_seen=exclude_seen,
    )


def _split_folds(train: DataPart, hold_out: HoldOut, options: TuningOptions) -> Any:
    columns, cv = train.X.columns, options.cv
    if cv is None or isinstance(cv, str):
        share = 0.2 if options.test_size is None else options.test_size
        size = share, options.random_state, options.n_splits
        splitter = hold_out.make_splitter(columns, *size, **options.filters)
        return splitter.split(train.X)
    X, y = table_of(train.X, None)
    groups = None
    if not isinstance(cv, InteractionSplitter):
        groups = take_column(X, columns["user"], name="user")
    columns_of = columns["user"], columns["item"], columns.get("time")
    return read_split(cv, X, y, groups, columns=columns_of)[1]


def _select_test(
    parts: tuple[DataPart, DataPart],
    joined: tuple[Log, np.ndarray, np.ndarray],
    filters: Mapping[str, str],
    subject: str,
    advice: str,
    **words: Any,
) -> tuple[DataPart, SplitSummary]:
    """Return the rows held out that count, and what they are in words.

    `parts` are the rows to train on and all rows held out, `joined` the log of both with a
    mask of each. Where no row is left, the error names them by `subject` and gives
    `advice`.
    """
    train, held_out = parts
    log, in_train, in_test = joined
    every = {"cold_users": "drop"}, filters
    from_known, counts = (kept_test_rows(*joined, part)[in_test] for part in every)
    rows = np.flatnonzero(counts & held_out.counts)
    if len(rows) == 0:
        raise ValueError(
            f"{subject} has no row to evaluate: all its users are new, or repeat items "
            f"that they had before, or no row is relevant. {advice}"
        )
    test = held_out.take(rows)
    n_known, n_new = int(np.count_nonzero(from_known)), int(np.count_nonzero(counts))
    is_known_item = log.items.present(in_train)[log.items.codes[in_test][rows]]
    periods = None
    if train.X.period is not None and held_out.X.period is not None:
        periods = (train.X.period, held_out.X.period)
    return test, SplitSummary(
        unit="user",
        n_train=train.n_rows,
        n_held_out=held_out.n_rows,
        n_judged=test.n_rows,
        n_units=_n_users(test),
        left_out={
            "new_users": held_out.n_rows - n_known,
            "repeats": n_known - n_new,
            "not_relevant": n_new - test.n_rows,
        },
        n_new_items=int(np.count_nonzero(~is_known_item)),
        periods=periods,
        **words,
    )

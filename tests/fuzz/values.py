"""Values that no caller should give, made of values that work."""

import datetime
import decimal

import numpy as np

try:
    import pandas as pd
except ImportError:
    pd = None


class _Raises:
    """An object of which nothing can be asked but its name."""

    def __repr__(self):
        return "Raises()"


WORDS = (
    *("", " ", "@", "ndcg@", "ndcg@0", "ndcg@-1", "ndcg@1e400", "map(", "recall@5@5"),
    *("=cmd|' /C calc'!A0", "__import__('os').system('true')", "{0.__class__}", "%s%n"),
    *("<script>alert(1)</script>", r"\input{x}", "\x00", "\ud800", "ä" * 10_000, "nan"),
    *("../x", "None", "ndcg", "map@10", "first", "mean"),
)
NUMBERS = (
    *(-1, 0, 1, 2, -0.0, 0.5, 1.5, np.nan, np.inf, -np.inf, 1e308, 5e-324, 10**400),
    *(True, False, np.int8(-128), np.uint64(2**64 - 1), np.float16(65504), 1j),
    *(decimal.Decimal("NaN"), datetime.timedelta(1), np.datetime64("NaT", "s"), "1"),
)
WHOLE = (
    *(None, _Raises(), object, len, [], {}, set(), (), iter(()), b"ndcg", range(3)),
    *([None], [[]], [[1, 2], [3]], {"a": None}, {None: []}, {1: {2: {3: 4}}}),
    *(np.empty(0), np.empty((0, 3)), np.empty((3, 0)), np.array(1), np.zeros((2, 2, 2))),
    *(np.array(["a", None, 1], object), np.full(4, np.nan), np.zeros(3, "M8[s]")),
    *(np.zeros(4, dtype=[("a", int)]), np.ma.masked_all(4), np.array([1 + 1j] * 4)),
)
if pd is not None:
    WHOLE += (
        *(pd.NA, pd.NaT, pd.DataFrame(), pd.Series([1, None] * 2, dtype="Int64")),
        *(pd.DataFrame([[1, 2]], columns=["u", "u"]), pd.Categorical(["a", None])),
        *(pd.Series([1, 2], index=[7, 7]), pd.DataFrame({0: [1], "0": [2]})),
    )


def spoiled(value, rng):
    """Return something like the value, or nothing like it."""
    roads = [lambda value, rng: _one_of(WHOLE, rng), _word, _number]
    if isinstance(value, str):
        roads = [_word, _word_like, *roads]
    elif isinstance(value, bool | int | float | np.number) or value is None:
        roads = [_number, _number, *roads]
    elif isinstance(value, dict):
        roads = [_in_dict] * 5 + roads
    elif isinstance(value, list | tuple):
        roads = [_in_list] * 5 + roads
    elif pd is not None and isinstance(value, pd.DataFrame):
        roads = [_in_frame] * 5 + roads
    elif hasattr(value, "__array__"):
        roads = [_in_array] * 5 + roads
    return _one_of(roads, rng)(value, rng)


def _one_of(values, rng):
    return values[rng.integers(len(values))]


def _word(value, rng):
    return _one_of(WORDS, rng)


def _word_like(value, rng):
    place = rng.integers(len(value) + 1)
    changes = (value[:place], value.upper(), f"{value}@3", f" {value}", value[:place] + "ñ")
    return _one_of((*changes, f"{value}={value}", value * 2), rng)


def _number(value, rng):
    return _one_of(NUMBERS, rng)


def _in_dict(value, rng):
    value = dict(value)
    key = _one_of(list(value), rng) if value else "key"
    change = rng.integers(4)
    if change == 0:
        value.pop(key, None)
    elif change == 1:
        value[_one_of((None, 1.5, "key", (1,), np.nan, ""), rng)] = value.get(key)
    else:
        value[key] = spoiled(value.get(key), rng)
    return value


def _in_list(value, rng):
    kind, value = type(value), list(value)
    place = int(rng.integers(len(value) + 1))
    change = rng.integers(5)
    if change == 0:
        value = value[:place]
    elif change == 1:
        value = value + value
    elif change == 2:
        value.insert(place, spoiled(None, rng))
    elif value:
        place = min(place, len(value) - 1)
        value[place] = spoiled(value[place], rng)
    return kind(value) if kind in (list, tuple) else value


def _in_array(value, rng):
    array = np.array(value)
    flat = array.astype(object).ravel()
    if len(flat):
        flat[rng.integers(len(flat))] = _one_of((*NUMBERS, None, "x"), rng)
    numbers = array.copy().ravel()
    if numbers.dtype.kind == "f" and len(numbers):
        numbers[rng.integers(len(numbers))] = _one_of((np.nan, np.inf, -np.inf, 1e308), rng)
    elif numbers.dtype.kind in "iu" and len(numbers):
        numbers[rng.integers(len(numbers))] = _one_of((-1, 0, 127), rng)
    changes = (
        *(flat.reshape(array.shape), numbers.reshape(array.shape), array.ravel()[:-1]),
        *(array[:0], array.reshape(-1, 1), array.T, array[..., None], array.astype(str)),
        *(array.astype(bool), array.astype(object), np.concatenate([array, array])),
        *(np.ma.array(array, mask=True), array.tolist(), array[::-1]),
    )
    return _one_of(changes, rng)


def _in_frame(value, rng):
    value = value.copy()
    if not len(value.columns):
        return value
    column = _one_of(list(value.columns), rng)
    change = rng.integers(6)
    if change == 0:
        return value.drop(columns=[column])
    if change == 1:
        return value.iloc[:0]
    if change == 2:
        return pd.concat([value, value[[column]]], axis=1)
    if change == 3:
        names = [name for name in (*WORDS, 0, None) if name != "\ud800"]  # pandas refuses
        return value.rename(columns={column: _one_of(names, rng)})
    if change == 4 and len(value):
        cells = value[column].astype(object)
        cells.iloc[rng.integers(len(cells))] = _one_of((*NUMBERS, None, "x"), rng)
        value[column] = cells
        return value
    return value.set_axis([7] * len(value))

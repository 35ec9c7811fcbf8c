"""Labels of every type against numpy.unique and dictionaries."""

from contextlib import nullcontext
from datetime import date, datetime
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_rank._base import _distinct_labels
from sklearn_rank._base._distinct_labels import find_rows
from sklearn_rank._base._labels import (
    as_vector,
    begins_label,
    codes_of,
    encode_labels,
    find_labels,
    group_rows,
    index_of,
    look_up,
)
from sklearn_rank._base._messages import shorten
from sklearn_rank.exceptions import IncomparableIdsError, MisleadingScoreWarning

INTEGERS = [np.dtype(f"{kind}{width}") for kind in "iu" for width in (1, 2, 4, 8)]
TEXT = st.text(alphabet="aàß中🙂 A1", max_size=12)


def plain_groups(values):
    """Return {label: its rows} in the order of first appearance."""
    rows_of = {}
    for row, value in enumerate(values):
        rows_of.setdefault(value, []).append(row)
    return rows_of


def assert_encoded(values, plain):
    labels, codes = encode_labels(values, name="groups")
    assert labels.tolist() == sorted(set(plain))
    assert labels[codes].tolist() == list(plain)
    assert codes.dtype == np.intp


def assert_grouped(values, plain):
    """Check which rows lie together under which label, and that labels are sorted."""
    found = group_rows(values, n_rows=len(plain))
    labels, starts, order = found.labels, found.starts, found.order
    label_order = found.label_order
    label_order = np.arange(len(labels)) if label_order is None else label_order
    assert starts[0] == 0
    assert starts[-1] == len(plain)
    expected = plain_groups(plain)
    assert labels.tolist() == sorted(expected)
    groups = [order[start:stop] for start, stop in pairwise(starts)]
    for label, group in zip(labels.tolist(), label_order, strict=True):
        assert groups[group].tolist() == expected[label]
    assert sorted(order.tolist()) == list(range(len(plain)))


def assert_same_as_plain(values, plain=None):
    plain = values.tolist() if plain is None else plain
    assert_encoded(values, plain)
    assert_grouped(values, plain)


def in_some_order(draw, values):
    """Repeat the values, in runs or mixed."""
    values = np.repeat(values, draw(st.sampled_from([1, 1, 2, 5])))
    many = np.tile(values, draw(st.sampled_from([1, 2, 200])))
    return many if draw(st.booleans()) else np.sort(many)


@st.composite
def integer_labels(draw):
    dtype = draw(st.sampled_from(INTEGERS))
    limits = np.iinfo(dtype)
    lowest = draw(st.integers(int(limits.min), int(limits.max)))
    highest = min(limits.max, lowest + draw(st.sampled_from([0, 3, 255, 50_000, 2**64])))
    values = draw(st.lists(st.integers(lowest, highest), min_size=1, max_size=12))
    return in_some_order(draw, np.array(values, dtype=dtype))


@given(integer_labels())
def test_integers_of_any_width_and_range(values):
    assert_same_as_plain(values)


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_the_whole_range_of_an_integer(dtype):
    limits = np.iinfo(dtype)
    ends = np.array([limits.max, limits.min, 1, limits.max, 0, limits.min], dtype=dtype)
    assert_same_as_plain(ends)
    assert_same_as_plain(np.tile(ends, 50))
    assert_same_as_plain(np.tile(ends, 10_000)[:-1])


@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=40))
def test_floats(values):
    values = np.array(values)
    limits = {2.0**53: values, 2.0**64: values[::-1].astype(np.longdouble)}
    for limit, array in limits.items():
        is_rounded = limit <= np.abs(array).max() < np.inf
        warned = pytest.warns(MisleadingScoreWarning, match="they are rounded")
        with warned if is_rounded else nullcontext():
            assert_same_as_plain(array)


@given(st.data(), st.lists(TEXT, min_size=1, max_size=12))
def test_strings_of_any_width(data, texts):
    """NumPy drops null characters at the end, so the plain path takes its strings."""
    assert_same_as_plain(in_some_order(data.draw, np.array(texts)))


@given(st.data(), st.lists(st.binary(max_size=9), min_size=1, max_size=12))
def test_bytes(data, values):
    assert_same_as_plain(in_some_order(data.draw, np.array(values)))


NULLS = st.lists(st.text("a\0", max_size=4), min_size=1, max_size=12)


@given(NULLS, st.sampled_from([list, tuple]), st.booleans())
def test_null_characters_at_the_end_are_kept(texts, container, are_bytes):
    values = container(text.encode() if are_bytes else text for text in texts)
    assert_same_as_plain(values, list(values))
    assert_same_as_plain([[value] for value in values], list(values))
    assert_same_as_plain(np.array(values, dtype=object))


@pytest.mark.parametrize("make", ["pandas", "polars"])
def test_null_characters_in_a_series_are_kept(make):
    series = pytest.importorskip(make, reason=f"{make} makes the series").Series
    assert_same_as_plain(series(["a\0", "a", "a\0"]), ["a\0", "a", "a\0"])


def test_strings_of_a_list_are_strings_of_an_array():
    for values in (["b", "a\0b", ""], [b"b", b"a"], [np.str_("b"), "a"]):
        assert as_vector(values, name="groups").dtype.kind in "US"
    assert as_vector(["a\0", "b"], name="groups").tolist() == ["a\0", "b"]
    mixed = as_vector(["a", b"a", 1], name="groups")
    assert mixed.tolist() == ["a", b"a", 1]


LARGE = [0, -1, 2**53, 2**53 + 1, 2**63, 2**63 + 1, 2**64 + 1, 2**64]


@given(st.lists(st.sampled_from(LARGE), min_size=1, max_size=8))
def test_large_integers_of_a_list_are_not_rounded(values):
    """NumPy makes floats of integers of which some need a sign and others 64 bits."""
    assert_same_as_plain(values, values)
    assert_same_as_plain([[value] for value in values], values)
    assert_same_as_plain([*values, 0.5], [*values, 0.5])


def test_floats_of_a_list_stay_floats():
    assert as_vector([0.5, 2.0**52], name="groups").dtype == np.float64
    assert_same_as_plain([0.5, 2.0**80, np.inf], [0.5, 2.0**80, np.inf])


@pytest.mark.parametrize("dtype", ["<U5", ">U5", "S1", "S3", "S8", "U1", "U40", object])
def test_widths_and_byte_orders(dtype):
    texts = ["b", "a", "", "abc", "a", "b", "abd"]
    values = np.array(texts).astype(dtype)
    assert_same_as_plain(values, values.tolist())


def test_empty_strings_only():
    assert_same_as_plain(np.array(["", "", ""]))
    assert_same_as_plain(np.array([b"", b""]))


@pytest.mark.parametrize("length", [4095, 4096, 4097, 8192, 8193, 20_000])
def test_runs_of_strings_across_blocks(monkeypatch, length):
    """A run may end at, before or after a block of strings that are read at once."""
    monkeypatch.setattr(_distinct_labels, "STRING_BYTES", 32_768)
    for n_runs in (1, 2, 3, 7):
        values = np.array([f"q{row * n_runs // length}" for row in range(length)])
        assert_same_as_plain(values)
        assert_same_as_plain(np.roll(values, 1))


@given(
    st.lists(
        st.tuples(st.sampled_from(["a", "b"]), st.integers(0, 3)), min_size=1, max_size=20
    )
)
def test_tuples(values):
    assert_same_as_plain(values, values)
    assert_same_as_plain(as_vector(values, name="groups"))


@given(st.lists(st.integers(0, 3) | st.sampled_from(["a", "", "9"]), min_size=1))
def test_mixed_types_are_sorted_within_their_type(values):
    values = [*values, 7, "z"]
    labels, codes = encode_labels(values, name="groups")
    assert [labels[code] for code in codes] == values
    numbers = [label for label in labels if isinstance(label, int)]
    texts = [label for label in labels if isinstance(label, str)]
    assert labels.tolist() == sorted(numbers) + sorted(texts)
    assert set(labels) == set(values)


def test_many_strings_are_encoded_as_few():
    rng = np.random.default_rng(0)
    texts = [f"{number:x}" for number in rng.integers(0, 3_000, 5_000)]
    labels, codes = encode_labels(np.array(texts, dtype=object), name="groups")
    assert labels.tolist() == sorted(set(texts))
    assert labels[codes].tolist() == texts
    for label in ("ends with null\0", 0.5, "wide" * 1_000):
        mixed = [*texts, label]
        labels, codes = encode_labels(np.array(mixed, dtype=object), name="groups")
        assert labels[codes].tolist() == mixed
        assert len(labels) == len(set(mixed))


def test_numbers_are_not_strings():
    assert encode_labels([1, "2", 1], name="groups")[1].tolist() == [0, 1, 0]
    assert encode_labels([1, 1.0, 2.5], name="groups")[1].tolist() == [0, 0, 1]


@pytest.mark.parametrize("number", [7, 7.0, np.int64(7)], ids=["int", "float", "numpy"])
def test_a_number_and_its_text_are_a_mistake(number):
    # pandas.read_csv reads a long file in parts, and a part without letters as numbers.
    labels = np.array([3, number, 3, "A1", "7"], dtype=object)
    message = "7 and '7' in `groups` are two labels, a number and a string. Convert all"
    for values in (labels, labels[::-1].tolist(), labels.repeat(3)):
        with pytest.raises(IncomparableIdsError, match=message):
            encode_labels(values, name="groups")
        with pytest.raises(IncomparableIdsError, match=message):
            group_rows(values, n_rows=len(values))


def test_what_cannot_be_sorted_keeps_its_first_appearance():
    values = [1j, 2j, 1j, "a"]
    labels, codes = encode_labels(values, name="groups")
    assert labels[codes].tolist() == values


def test_what_cannot_be_hashed_is_named():
    with pytest.raises(TypeError, match="Values of `groups` must be hashable"):
        encode_labels([[1], {2}], name="groups")


FRAMES = {
    "pandas int": lambda pd: pd.Series([3, 1, 3]),
    "pandas Int64": lambda pd: pd.Series([3, 1, 3], dtype="Int64"),
    "pandas str": lambda pd: pd.Series(["b", "a", "b"]),
    "pandas string": lambda pd: pd.Series(["b", "a", "b"], dtype="string"),
    "pandas category": lambda pd: pd.Series(["b", "a", "b"], dtype="category"),
    "pandas categories of numbers": lambda pd: pd.Categorical([3, 1, 3], [3, 2, 1]),
    "pandas times": lambda pd: pd.Series(pd.to_datetime(["2024-05-02", "2024-05-01"] * 2)),
    "pandas index": lambda pd: pd.Index([3, 1, 3]),
    "polars int": lambda pl: pl.Series([3, 1, 3]),
    "polars str": lambda pl: pl.Series(["b", "a", "b"]),
    "polars Categorical": lambda pl: pl.Series(["b", "a", "b"], dtype=pl.Categorical),
    "polars Enum": lambda pl: pl.Series(["b", "a", "b"], dtype=pl.Enum(["b", "a"])),
    "polars date": lambda pl: pl.Series([date(2024, 5, 2), date(2024, 5, 1)]),
}


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_series(make, request):
    name = request.node.callspec.id.split()[0]
    values = make(pytest.importorskip(name, reason=f"{name} makes the series"))
    assert_same_as_plain(values, as_vector(values, name="groups").tolist())


def test_times():
    days = np.array(["2024-05-02", "2024-05-01", "2024-05-02"], dtype="M8[s]")
    for unit in ("s", "us", "ns"):
        assert_same_as_plain(days.astype(f"M8[{unit}]"))
    assert_same_as_plain(days - days.min())
    assert_same_as_plain(
        [datetime(2024, 5, 2), datetime(2024, 5, 1)],
        [datetime(2024, 5, 2), datetime(2024, 5, 1)],
    )


def test_booleans():
    assert_same_as_plain(np.array([True, False, True, True]))
    assert_same_as_plain(np.array([False, True]))


def missing_in_pandas(dtype):
    pandas = pytest.importorskip("pandas")
    return pandas.Series(["a", "a", None, None, "b"], dtype=dtype)


def missing_in_polars():
    polars = pytest.importorskip("polars")
    return polars.Series(["a", "a", None, None, "b"])


MISSING = {
    "NaN": lambda: np.array([1.0, 1.0, np.nan, np.nan, 2.0]),
    "complex NaN": lambda: np.array([1, 1, complex(0, np.nan), np.nan, 2]),
    "NaT": lambda: np.array(["2024", "2024", "NaT", "NaT", "2025"], dtype="M8[D]"),
    "timedelta": lambda: np.array([1, 1, "NaT", "NaT", 2], dtype="m8[s]"),
    "None": lambda: ["a", "a", None, None, "b"],
    "NaN among strings": lambda: ["a", "a", float("nan"), float("nan"), "b"],
    "pandas str": partial(missing_in_pandas, "str"),
    "pandas string": partial(missing_in_pandas, "string"),
    "pandas category": partial(missing_in_pandas, "category"),
    "pandas object": partial(missing_in_pandas, object),
    "polars": missing_in_polars,
}


@pytest.mark.parametrize("make", MISSING.values(), ids=MISSING)
def test_missing_labels_are_counted_with_the_first_row(make):
    """Rows count, not the runs of them that are encoded."""
    values = make()
    for read in (
        partial(encode_labels, values, name="groups"),
        partial(group_rows, values, n_rows=5),
    ):
        with pytest.raises(ValueError, match=r"groups.*\b2\b.*\b2\b"):
            read()


def test_durations_of_months_stay_as_they_are():
    """Python has no duration that means a month."""
    months = np.array([2, 1, 2], dtype="m8[M]")
    labels, codes = encode_labels(months, name="groups")
    assert labels[codes].tolist() == months.tolist()
    assert look_up(index_of(labels), months, name="groups").tolist() == [1, 0, 1]


def test_lengths_and_shapes():
    with pytest.raises(ValueError, match="`groups` has 2 rows, but `y_true` has 3"):
        group_rows([1, 2], n_rows=3)
    with pytest.raises(ValueError, match=r"`groups` must be 1-D.*\(2, 2\)"):
        encode_labels(np.eye(2), name="groups")
    # A single value is shown, as its shape () says nothing: "query" may name a column.
    for nothing in (3, np.array(3), None, {1, 2}, (i for i in [1]), "query"):
        with pytest.raises(ValueError, match="`groups` must be 1-D") as caught:
            encode_labels(nothing, name="groups")
        assert str(caught.value).endswith(f"got {shorten(nothing)}.")
    with pytest.raises(ValueError, match=r"`groups` must be 1-D.*unequal lengths"):
        encode_labels([[1, 2], [3]], name="groups")
    assert_same_as_plain(np.array([[2], [1], [2]]), [2, 1, 2])


def test_no_labels():
    for empty in ([], np.zeros(0, dtype=np.int64), np.zeros(0, dtype="U3")):
        labels, codes = encode_labels(empty, name="groups")
        assert len(labels) == len(codes) == 0


KINDS = st.sampled_from(["integers", "floats", "strings", "bytes", "tuples", "times"])


@st.composite
def labels_and_values(draw):
    kind = draw(KINDS)
    numbers = draw(st.lists(st.integers(-5, 5), max_size=8))
    sought = draw(st.lists(st.integers(-6, 6), max_size=8))
    return tuple(_as_kind(kind, part) for part in (numbers, sought))


def _as_kind(kind, numbers):
    if kind == "tuples":
        return as_vector([("u", number) for number in numbers], name="users")
    numbers = np.array(numbers, dtype=np.int64)
    if kind == "integers":
        return numbers
    dtypes = {"floats": np.float64, "strings": "U4", "bytes": "S4", "times": "M8[us]"}
    return numbers.astype(dtypes[kind])


@given(labels_and_values())
def test_find_labels_as_a_dictionary_does(drawn):
    values, sought = drawn
    labels, _ = encode_labels(values, name="users")
    place = {label: code for code, label in enumerate(labels.tolist())}
    found = find_labels(labels, sought, name="users")
    assert found.tolist() == [place.get(value, -1) for value in sought.tolist()]
    assert found.dtype == np.intp


MIXED = [
    (np.array([1, 2, 5]), [2.0, 2.5, 5.0], [1, -1, 2]),
    (np.array([1.0, 2.5]), [1, 2], [0, -1]),
    (np.array([0, 1]), [True, False], [1, 0]),
    (np.array(["1", "2"]), [1, 2], [-1, -1]),
    (np.array([1, 2]), ["1", "2"], [-1, -1]),
    (np.array([1, 2]), [None, 2], [-1, 1]),
    (np.array([1.5, 2.5]), [np.nan, 2.5], [-1, 1]),
    (np.array(["a", "b"]), ["b", None, "c", float("nan")], [1, -1, -1, -1]),
    (np.array([2**53, 2**53 + 1]), np.array([2**53 + 1]), [1]),
    (np.array([2**53, 2**53 + 1]), np.array([2**53 + 1], dtype=np.uint64), [1]),
    (np.array([1, 2**64 - 1], dtype=np.uint64), np.array([-1, 1]), [-1, 0]),
    (
        np.array(["2024-01-01", "2024-01-02"], dtype="M8[ns]"),
        [np.datetime64("2024-01-02", "ns"), 2.0],
        [1, -1],
    ),
    (
        np.array([np.datetime64("2024-01-01"), 2], dtype=object),
        [np.datetime64("2024-01-01"), np.datetime64("2024-01-02")],
        [0, -1],
    ),
]


@pytest.mark.parametrize(("labels", "values", "expected"), MIXED)
def test_find_labels_of_another_type(labels, values, expected):
    assert find_labels(labels, values, name="users").tolist() == expected


@pytest.mark.parametrize("n_values", [3, 3000])
@pytest.mark.parametrize("width", [2, 30])
def test_find_few_strings_and_many(n_values, width):
    rng = np.random.default_rng(n_values + width)
    labels = np.unique(rng.integers(0, 500, 300)).astype(f"U{width}")
    labels.sort()
    sought = rng.integers(0, 500, n_values).astype("U5")
    place = {label: code for code, label in enumerate(labels.tolist())}
    for kind in "US":
        found = find_labels(labels.astype(kind), sought.astype(kind), name="users")
        assert found.tolist() == [place.get(value, -1) for value in sought.tolist()]


def test_find_strings_that_are_all_equal():
    found = find_labels(np.array(["a"]), np.array(["a", "a"]), name="users")
    assert found.tolist() == [0, 0]


@pytest.mark.parametrize("n_slots", [1, 7, 2**9])
def test_find_rows_that_share_slots(n_slots, monkeypatch):
    slots_of = _distinct_labels.slots_of_rows

    def few_slots(columns, bits, attempt=0):
        return slots_of(columns, bits, attempt) % n_slots

    monkeypatch.setattr(_distinct_labels, "slots_of_rows", few_slots)
    rng = np.random.default_rng(0)
    rows = np.unique(rng.integers(0, 60, (1500, 2)), axis=0).astype(np.uint64)
    sought = rng.integers(0, 70, (4000, 2)).astype(np.uint64)
    place = {tuple(row): code for code, row in enumerate(rows.tolist())}
    found = find_rows([*rows.T], [*sought.T])
    assert found.tolist() == [place.get(tuple(row), -1) for row in sought.tolist()]


def test_a_value_that_is_no_label_is_named():
    with pytest.raises(TypeError, match="Values of `users` must be hashable, such as"):
        find_labels(np.array([1, 2]), np.array([[1], None], dtype=object), name="users")


@given(st.lists(TEXT, min_size=1, max_size=30))
def test_begins_label_is_the_comparison_with_the_row_above(texts):
    values = np.array(texts)
    expected = [True, *(a != b for a, b in pairwise(texts))]
    assert begins_label(values).tolist() == expected
    assert begins_label(values.astype(object)).tolist() == expected


@given(st.data(), st.integers(1, 300))
def test_many_labels_against_unique(data, n_labels):
    """Of so many rows that only one of each label is sorted."""
    draw = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    ids = draw.integers(-(2**63), 2**63, n_labels)[draw.integers(0, n_labels, 6_000)]
    kind = data.draw(st.sampled_from(["i8", "u8", "U20", "S20", "user U", ">U20"]))
    values = np.char.add("user-", ids.astype("U")) if kind == "user U" else ids.astype(kind)
    labels, codes = codes_of(values, name="users", all_values=values)
    expected_labels, expected_codes = np.unique(values, return_inverse=True)
    assert labels.dtype == expected_labels.dtype
    np.testing.assert_array_equal(labels, expected_labels)
    np.testing.assert_array_equal(codes, expected_codes)


@pytest.mark.parametrize("dtype", ["i8", "u1", "f8", "U3", "S3", ">U3", "M8[s]", object])
def test_codes_of_nothing(dtype):
    nothing = np.zeros(0, dtype=dtype)
    labels, codes = codes_of(nothing, name="users", all_values=nothing)
    assert (labels.tolist(), codes.tolist()) == ([], [])
    assert labels.dtype == nothing.dtype
    assert begins_label(nothing).tolist() == []


@pytest.mark.parametrize("labels", [["a", "b", "ba"], ["a", "b", "aa"], ["", "b", "b\0"]])
@pytest.mark.parametrize("n_times", [1, 3])
def test_strings_in_order_are_runs_as_they_are(labels, n_times):
    groups = np.array(labels, dtype=object).repeat(n_times)
    found = group_rows(groups, n_rows=len(groups))
    assert found.labels.tolist() == sorted(labels)
    assert found.of_row is None
    is_sorted = labels == sorted(labels)
    assert (found.label_order is None) == is_sorted


def test_labels_of_several_types_in_order_are_still_told_apart():
    groups = np.array(["a", "b", None], dtype=object)
    with pytest.raises(ValueError, match="missing"):
        group_rows(groups, n_rows=3)


@pytest.mark.parametrize("dtype", [">i8", "<i8", ">u8", "i4", "u1"])
def test_integers_of_any_byte_order_have_their_codes(dtype):
    values = np.array([7, 5, 6, 5], dtype=dtype)
    labels, codes = encode_labels(values, name="groups")
    assert labels.tolist() == [5, 6, 7]
    assert codes.tolist() == [2, 0, 1, 0]

"""Arguments and attributes that do not exist are explained; nothing else changes."""

import copy
import functools
import pickle
from inspect import signature

import pytest

from sklearn_rank._hints import _words
from sklearn_rank._hints._explain import explained


@explained
def first(values, k=1, *, groups=None, **others):
    """Return the first values."""
    return values[:k]


@explained
def last(values, k=1):
    """Return the last values."""
    return values[-k:]


def keep(function):
    """Decorate a function, as those of scikit-learn decorate `fit`."""

    @functools.wraps(function)
    def call(*arguments, **keywords):
        return function(*arguments, **keywords)

    return call


@explained
class Values(dict):
    """Values that a mapping has, and properties."""

    def __init__(self, values=(), *, k=1):
        super().__init__(values)
        self.k = k

    def __getstate__(self):
        return vars(self)

    @keep
    def fit(self, X, y=None, *, sample_weight=None):
        return len(X) + (y or 0)

    @classmethod
    def from_groups(cls, groups):
        return cls(dict.fromkeys(groups))

    @property
    def mean(self):
        raise AttributeError("there are no values")

    def to_frame(self):
        return self


def test_a_call_is_as_without_the_decorator():
    assert first([1, 2, 3], k=2) == first([1, 2, 3], 2) == [1, 2]
    assert list(signature(first).parameters) == ["values", "k", "groups", "others"]
    assert (first.__name__, first.__doc__) == ("first", "Return the first values.")
    assert pickle.loads(pickle.dumps(first)) is first
    assert Values({1: 2}).fit([1], y=1) == 2
    assert Values.fit.__qualname__ == "Values.fit"
    assert list(Values.from_groups("ab")) == ["a", "b"]


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: last([1], n=3), "last() has no parameter 'n'. Write k=."),
        (
            lambda: last([1], n=3, foo=2),
            "last() has no parameters 'n', 'foo'. Write k=. It has values, k.",
        ),
        (lambda: Values(topk=3), "Values() has no parameter 'topk'. Write k=."),
        (
            lambda: Values().fit([1], weights=3),
            "fit() has no parameter 'weights'. Write sample_weight=.",
        ),
        (
            lambda: Values().fit([1], 2, 3),
            "fit() takes 2 argument(s) by position (X, y); the others by name: "
            "sample_weight=.",
        ),
        (
            lambda: Values.from_groups(qid="ab"),
            "from_groups() has no parameter 'qid'. Write groups=.",
        ),
        (lambda: last(), "last() missing 1 required positional argument: 'values'."),
        (lambda: first(), "first() missing 1 required positional argument: 'values'."),
    ],
)
def test_arguments_that_do_not_fit_are_explained(call, text):
    with pytest.raises(TypeError) as raised:
        call()
    assert str(raised.value) == text
    assert raised.value.__suppress_context__


def test_an_error_from_inside_stays_what_it_is():
    with pytest.raises(TypeError, match="bad operand type for unary") as raised:
        last([1, 2, 3], k="2")
    assert [entry.name for entry in raised.traceback][-1] == "last"
    with pytest.raises(TypeError, match=r"unsupported operand type\(s\) for \+"):
        Values().fit([1], y="2")


def test_a_missing_argument_has_the_call_to_write(monkeypatch):
    entry = _words.WordEntry("last", "", [], frozenset(), "Write last([1, 2], 2).")
    monkeypatch.setattr(_words, "table", {"calls": [entry], "parameters": []}.get)
    text = r"^last\(\) missing .* argument: 'values'. Write last\(\[1, 2\], 2\).$"
    with pytest.raises(TypeError, match=text):
        last()
    with pytest.raises(
        TypeError,
        match=r"^last\(\) takes 2 argument\(s\) by position \(values, k\). Write last",
    ):
        last(1, 2, 3)
    with pytest.raises(TypeError, match=r"no parameter 'n'. It has values, k.$"):
        last(n=3)


def test_an_attribute_that_does_not_exist_is_explained():
    with pytest.raises(AttributeError) as raised:
        Values().to_pandas  # noqa: B018
    assert (
        str(raised.value)
        == "'Values' object has no attribute 'to_pandas'. Write to_frame()."
    )
    assert raised.value.name == "to_pandas"
    assert not hasattr(Values(), "to_pandas")
    assert "to_pandas" not in dir(Values())
    with pytest.raises(AttributeError, match=r"^'Values' object has no attribute 'sum'.$"):
        Values().sum  # noqa: B018


def test_other_attributes_raise_what_python_does():
    with pytest.raises(AttributeError, match=r"^'Values' object has no attribute '_sum'$"):
        Values()._sum  # noqa: B018
    with pytest.raises(AttributeError, match=r"^there are no values$"):
        Values().mean  # noqa: B018


class Table(Values):
    """A class with attributes of its own."""

    def __getattr__(self, name):
        if name in self:
            return self[name]
        raise AttributeError(f"no column {name}")


class Result:
    """A base class beside a mapping whose keys are attributes."""


class Row(explained(Result), Table):
    """Attributes are asked of all classes first."""


def test_a_class_with_attributes_of_its_own_keeps_them():
    assert explained(Table)({"a": 1}).a == 1
    with pytest.raises(AttributeError, match=r"^no column b$"):
        Table({"a": 1}).b  # noqa: B018
    assert Row({"a": 1}).a == 1
    with pytest.raises(AttributeError, match=r"^'Row' object has no attribute 'b'.$"):
        Row({"a": 1}).b  # noqa: B018


def test_objects_and_errors_are_copied_and_pickled():
    values = Values(k=3)
    for again in (
        copy.copy(values),
        copy.deepcopy(values),
        pickle.loads(pickle.dumps(values)),
    ):
        assert again.k == 3
    with pytest.raises(AttributeError) as raised:
        values.to_pandas  # noqa: B018
    error = pickle.loads(pickle.dumps(raised.value))
    assert str(error) == str(raised.value)
    assert repr(error) == repr(raised.value) == f"AttributeError({str(error)!r})"

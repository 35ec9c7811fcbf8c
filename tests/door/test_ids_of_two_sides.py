"""Ids that never meet: objects, pairs of dict.items(), few users, ids as grades."""

import re
import warnings

import numpy as np
import pytest

from sklearn_rank.exceptions import MisleadingScoreWarning
from sklearn_rank.inputs import from_files, from_frames, from_item_lists
from sklearn_rank.metrics import mean_average_precision_score, ndcg_score

pd = pytest.importorskip("pandas")


@pytest.fixture
def silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def warns(text):
    return pytest.warns(MisleadingScoreWarning, match=re.escape(text))


class Document:
    """Equals nothing but itself."""

    def __init__(self, name):
        self.name = name


class Named(Document):
    def __eq__(self, other):
        return self.name == other.name

    def __hash__(self):
        return hash(self.name)


# Objects.


def test_objects_of_two_loads_never_meet():
    relevant = {"u": [Document("a")], "v": [Document("b")]}
    shown = {"u": [Document("a"), Document("b")], "v": []}
    with pytest.raises(
        TypeError, match=r"Item ids such as .*Document.* by identity.*pass id"
    ):
        from_item_lists(relevant, shown)


def test_users_that_are_objects():
    one, other = ({Document("u"): ["a"]} for _ in range(2))
    with pytest.raises(TypeError, match=r"Users such as .*Document.* by identity"):
        from_item_lists(one, other)


@pytest.mark.usefixtures("silent")
def test_the_same_objects_pass():
    a, b, c = map(Document, "abc")
    assert from_item_lists({"u": [a]}, {"u": [b, a]}).y_true.tolist() == [0, 1]
    some = from_item_lists({"u": [a, c]}, {"u": [b, a]})  # another one is not recommended
    assert some.y_true.tolist() == [0, 1, 1]
    assert from_item_lists({a: ["x"]}, {a: ["x"]}).y_true.tolist() == [1]
    named = from_item_lists({"u": [Named("a")]}, {"u": [Named("b"), Named("a")]})
    assert named.y_true.tolist() == [0, 1]
    from_item_lists({"u": [a]}, {"u": []})  # nothing was recommended


# Pairs of a user and its items.

TRUTH = {"u": ("a", "b"), "v": ("c", "d")}
LISTS = {"v": ("c", "x"), "u": ("y", "a")}


def test_pairs_of_dicts_are_no_lists():
    with warns("Pass the dicts themselves."):
        from_item_lists(TRUTH.items(), LISTS.items())
    one_item = {"u": "a", "v": "b"}
    with warns("as those of dict.items()"):
        from_item_lists(list(one_item.items()), list(one_item.items()))
    with pytest.raises(TypeError, match="Item ids must be hashable"):
        from_item_lists([("u", ["a"])], [("u", ["a"])])


@pytest.mark.usefixtures("silent")
@pytest.mark.parametrize(
    ("truth", "lists"),
    [
        (TRUTH, LISTS),
        ([("u", "a")], [("u", "b")]),  # one user
        ([("u", "a"), ("u", "b")], [("u", "b"), ("u", "a")]),  # one item first for both
        ([("u", "a"), ("v", "b")], [("u", "b"), ("w", "a")]),
        ([["u", "a"], ["v", "b"]], [["u", "b"], ["v", "a"]]),
        ([("u", "a"), ("v", "b")], [("u", "b"), ("v", "a", "c")]),
        ([("u", "a"), ("v",)], [("u", "b"), ("v", "a")]),
    ],
)
def test_rows_of_items_pass(truth, lists):
    from_item_lists(truth, lists)


# Few users, and few items.


def as_frames(truth, lists):
    tables = [
        pd.DataFrame([(u, i) for u, some in side.items() for i in some], columns=["u", "i"])
        for side in (truth, lists)
    ]
    tables[1]["rank"] = range(len(tables[1]))
    return from_frames(*tables, user="u", item="i", rank="rank")


def as_trec(truth, lists):
    qrels = [f"{u} 0 {i} 1" for u, some in truth.items() for i in some]
    run = [f"{u} Q0 {i} 1 1.0 me" for u, some in lists.items() for i in some]
    return from_files(qrels, run)


FORMS = [from_item_lists, as_frames, as_trec]


def of_users(*users):
    return {user: ["a"] for user in users}


@pytest.mark.parametrize("form", FORMS)
def test_two_users_that_look_alike(form):
    message = (
        r"no \w+ in common, such as 'u-1' and 'U1'. Conv|such as 'u-1', .* as 'U1': write"
    )
    with pytest.raises(ValueError, match=message):
        form(of_users("u-1", "u-2"), of_users("u3", "U1"))


@pytest.mark.parametrize("form", FORMS[:2])
def test_five_users_that_are_unlike(form):
    with warns("in common, such as 'a' and 'k'. Check the labels of both sides."):
        form(of_users(*"abcde"), of_users(*"klmno"))
    with pytest.raises(ValueError, match="in common"):  # from 20 on, as ever
        form(of_users(*map(str, range(20))), of_users(*map(str, range(100, 130))))


@pytest.mark.usefixtures("silent")
@pytest.mark.parametrize("form", FORMS[:2])
def test_fewer_users_pass(form):
    form(of_users(*"abcd"), of_users(*"klmno"))
    form(of_users("u-1"), of_users("u1"))
    form(of_users(*"abcde"), of_users(*"eklmno"))
    form(of_users("--", "++"), of_users("-", "+"))  # no letters to compare


@pytest.mark.parametrize("form", FORMS)
def test_two_items_that_look_alike(form):
    with warns("('doc-0'; 'doc_0'), so every score is 0."):
        form({"u": ["doc-0", "doc-1"]}, {"u": ["doc_0"]})


@pytest.mark.usefixtures("silent")
@pytest.mark.parametrize("form", FORMS)
def test_few_items_that_are_unlike_pass(form):
    form({"u": ["doc-0", "doc-1"]}, {"u": ["doc_2"]})
    form({"u": ["doc-0"]}, {"u": ["doc_0"]})
    form({"u": ["doc-0", "doc-1"]}, {"u": ["doc_0", "doc-1"]})


def test_signs_of_numbers_count(silent):
    from_item_lists({"u": [-1, -2]}, {"u": [1, 2]})
    from_item_lists({-1: ["a"], -2: ["a"]}, {1: ["a"], 2: ["a"]})


# Ids as grades and scores.

IDS = [[1, 7, 345], [12, 3, 9]]
OTHERS = [[7, 1, 8], [3, 345, 40]]


def test_ids_in_place_of_grades():
    with warns("from 1 to 345 in y_true. If they are ids, give from_item_lists(y_true"):
        ndcg_score(IDS, OTHERS)
    with warns("from_item_lists"):
        mean_average_precision_score(np.array(IDS, dtype=float), OTHERS)


@pytest.mark.usefixtures("silent")
@pytest.mark.parametrize(
    ("y_true", "y_score"),
    [
        ([[1, 7, 20], [12, 3, 9]], OTHERS),  # grades up to 20
        ([[0, 7, 345], [12, 3, 9]], [[7, 345, 0], [3, 9, 12]]),  # ranks
        ([[7, 7, 345], [12, 3, 9]], OTHERS),
        ([[1, 7.5, 345], [12, 3, 9]], OTHERS),
        (IDS, [[7, 1, 1], [3, 345, 40]]),
        (IDS, [[0.7, 0.1, 0.8], [3, 345, 40]]),
    ],
)
def test_grades_of_a_grid_pass(y_true, y_score):
    ndcg_score(y_true, y_score)


@pytest.mark.usefixtures("silent")
def test_grades_of_rows_pass():
    ndcg_score(np.ravel(IDS), np.ravel(OTHERS), groups=[0, 0, 0, 1, 1, 1])

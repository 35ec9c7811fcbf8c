"""Ids that never match: of other types or users, without zeros, several in one."""

import ast
import warnings

import numpy as np
import pytest

from sklearn_rank.exceptions import IncomparableIdsError, MisleadingScoreWarning
from sklearn_rank.inputs import from_files, from_frames, from_item_lists
from sklearn_rank.metrics import ndcg_score

pd = pytest.importorskip("pandas")

N_USERS = 200
USERS = [f"u{number}" for number in range(N_USERS)]
# Two relevant items of 100 for each user; lists show one of them.
TRUTH = {user: [f"{n % 100:010}", f"{(n + 1) % 100:010}"] for n, user in enumerate(USERS)}
LISTS = {user: [items[1], "other"] for user, items in TRUTH.items()}


@pytest.fixture(autouse=True)
def no_other_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def as_frame(lists):
    rows = [(user, item) for user, items in lists.items() for item in items]
    return pd.DataFrame(rows, columns=["user", "item"])


def by_lists(truth, lists):
    return from_item_lists(truth, lists)


def by_frames(truth, lists):
    shown = as_frame(lists)
    shown["rank"] = shown.groupby("user").cumcount()
    return from_frames(as_frame(truth), shown, user="user", item="item", rank="rank")


def by_trec(truth, lists):
    qrels = [f"{user} 0 {item} 1" for user, some in truth.items() for item in some]
    run = [
        f"{user} Q0 {item} {rank} {-rank} me"
        for user, some in lists.items()
        for rank, item in enumerate(some, 1)
    ]
    return from_files(qrels, run)


FORMS = [by_lists, by_frames, by_trec]


def changed(lists, change):
    return {user: [change(item) for item in items] for user, items in lists.items()}


@pytest.mark.parametrize("form", FORMS)
def test_ids_that_match_say_nothing(form):
    assert 0 < ndcg_score(**form(TRUTH, LISTS)) < 1


@pytest.mark.parametrize("form", FORMS)
def test_lost_zeros_warn(form):
    lists = changed(LISTS, lambda item: item.lstrip("0") or "0")
    message = r"None of 100 items in .* \('0{10}'; '0'\), so every score is 0\. Check zeros"
    with pytest.warns(MisleadingScoreWarning, match=message) as caught:
        rows = form(TRUTH, lists)
    assert caught[0].filename == __file__
    assert ndcg_score(**rows) == 0
    # The advice: check zeros.
    mended = changed(lists, lambda item: item.zfill(10) if item.isdigit() else item)
    assert ndcg_score(**form(TRUTH, mended)) > 0


def test_no_alike_ids_show_the_first():
    lists = {user: ["tea", "jam"] for user in USERS}
    with pytest.warns(MisleadingScoreWarning, match=r"\('0{10}'; '\w+'\)"):
        from_item_lists(TRUTH, lists)


@pytest.mark.parametrize("form", [by_lists, by_frames])
@pytest.mark.parametrize("side", ["truth", "lists"])
def test_several_ids_in_one_raise(form, side):
    sides = {"truth": TRUTH, "lists": LISTS}
    joined = {user: [" ".join(items)] for user, items in sides[side].items()}
    with pytest.raises(
        ValueError, match=r"^Ids such as '.* .*' in .* hold several"
    ) as caught:
        form(**sides | {side: joined})
    assert "Split each, as '" in str(caught.value)
    # The advice, of a string and of a column of pandas.
    split = {user: items[0].split() for user, items in joined.items()}
    assert ndcg_score(**form(**sides | {side: split})) > 0
    frame = as_frame(joined)
    frame = frame.assign(item=frame["item"].str.split()).explode("item")
    assert frame["item"].tolist() == as_frame(split)["item"].tolist()


def test_strings_in_place_of_lists_say_how_to_split():
    column = pd.Series({user: " ".join(items) for user, items in LISTS.items()})
    with pytest.raises(
        TypeError, match=r"become lists by \.split\(\).* \.str\.split\(\)\."
    ):
        from_item_lists(TRUTH, column)
    assert ndcg_score(**from_item_lists(TRUTH, column.str.split())) > 0


def test_printed_lists_say_how_to_read_them():
    # A file keeps a list as text. Splitting it at spaces would make ids such as "['a',".
    column = pd.Series(LISTS).map(str)
    with pytest.raises(TypeError, match=r"become lists by ast\.literal_eval, .*\.map\("):
        from_item_lists(TRUTH, column)
    read = ndcg_score(**from_item_lists(TRUTH, column.map(ast.literal_eval)))
    assert read == ndcg_score(**from_item_lists(TRUTH, LISTS))


@pytest.mark.parametrize("form", FORMS)
def test_no_common_user_raises(form):
    lists = {user.upper(): items for user, items in LISTS.items()}
    message = "have no user in common, such as 'u0' and 'U0'. Convert the labels of one"
    if form is by_trec:
        message = "No query of `truth`, such as 'u0', is in `lists`, such as 'U0'"
    with pytest.raises(ValueError, match=message):
        form(TRUTH, lists)
    form(TRUTH, {user.lower(): items for user, items in lists.items()})


@pytest.mark.parametrize("form", [by_lists, by_frames])
@pytest.mark.parametrize("side", ["truth", "lists"])
def test_half_of_another_type_raise(form, side):
    sides = {"truth": TRUTH, "lists": changed(LISTS, lambda item: item or "other")}
    n_ids = 2 * N_USERS
    numbers = iter([*[True] * (n_ids - 7), *[False] * 7])
    mixed = changed(sides[side], lambda item: hash(item) if next(numbers) else item)
    message = rf"\({n_ids - 7} of {n_ids} ids in `\w+` are numbers\)\. Convert"
    with pytest.raises((ValueError, TypeError), match=message):
        form(**sides | {side: mixed})


def test_less_than_half_of_another_type_is_no_error():
    from_item_lists(TRUTH, {user: [*items, 1] for user, items in LISTS.items()})


def test_small_examples_say_nothing():
    from_item_lists({"a": ["x y"]}, {"b": ["x"]})
    from_item_lists({"a": ["0-7"]}, {"a": ["0.7", 8]})  # one pair that differs by marks


@pytest.mark.parametrize("number", [7, 7.0, np.int64(7)], ids=["int", "float", "numpy"])
def test_a_number_and_its_text_are_one_id_of_a_file(number):
    # Both sides hold numbers and strings, so that neither lacks the type of the other.
    message = "7 and '7' in `y_true` and `y_pred` are two labels, a number and a string"
    with pytest.raises(IncomparableIdsError, match=message):
        from_item_lists({"a": [number, "x"]}, {"a": [8, "7"]})
    with pytest.raises(IncomparableIdsError, match=message):
        from_item_lists({"a": [number, "x"]}, {"a": ["x", "7"]})
    from_item_lists({"a": [number, "x"]}, {"a": [8, "07"]})


def test_users_by_position_and_empty_lists_are_no_mistake():
    half = [["a"] if number % 2 else [] for number in range(60)]
    others = [[] if number % 2 else ["a"] for number in range(60)]
    assert ndcg_score(**from_item_lists(half, others), replace_undefined_by=np.nan) == 0
    from_item_lists({user: ["a"] for user in USERS}, dict.fromkeys(USERS, ()))
    from_item_lists(dict.fromkeys(USERS, "a"), {})


def test_items_of_other_lists_are_no_mistake():
    shown = [TRUTH[user] for user in USERS[10:] + USERS[:10]]
    assert ndcg_score(**from_item_lists(TRUTH, dict(zip(USERS, shown, strict=True)))) == 0


@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_the_command_line_says_it_in_a_line(tmp_path, capsys, command):
    from sklearn_rank._cli import main

    lists = changed(LISTS, lambda item: item.lstrip("0") or "0")
    test, *runs = (str(tmp_path / name) for name in ("test.csv", "one.csv", "two.csv"))
    as_frame(TRUTH).to_csv(test, index=False)
    shown = as_frame(lists)
    shown["rank"] = shown.groupby("user").cumcount() + 1
    shown.to_csv(runs[0], index=False)
    shown.iloc[1:].to_csv(runs[1], index=False)
    given = {"evaluate": [runs[0], test], "compare": [*runs, "--truth", test]}
    assert main([command, *given[command]]) == 0
    printed = capsys.readouterr()
    text = " ".join((printed.out + printed.err).split())
    assert f"is in a list of {runs[0]!r} ('0000000000'; '0')" in text
    assert "Warning" not in text

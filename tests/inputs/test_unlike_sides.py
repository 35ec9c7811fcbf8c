"""Ids that two sides write in two ways, and sides that match as if by accident."""

import numpy as np
import pandas as pd
import pytest

from sklearn_rank.exceptions import MisleadingScoreWarning
from sklearn_rank.inputs import from_files, from_frames, from_item_lists
from sklearn_rank.metrics import make_recommender_scorer
from sklearn_rank.recommenders import EASERecommender

ALIKE = "Write ids alike on both sides: zeros in front, blanks, capitals, '.0', accents. If"


def text_of(truth, lists):
    """The one warning of a call."""
    with pytest.warns(MisleadingScoreWarning) as caught:
        from_item_lists(truth, lists)
    assert len(caught) == 1
    return str(caught[0].message)


def test_users_that_lost_their_zeros():
    truth = {f"{user:05d}": ["a", "b"] for user in range(100, 400)}
    lists = {user if user < "00250" else user.lstrip("0"): ["b", "c"] for user in truth}
    assert text_of(truth, lists).startswith(
        "150 users of `y_true` look like ids that only `y_pred` has, such as '00250' and "
        f"'250', and count as others. {ALIKE}"
    )


SPELLINGS = {
    "capitals": ("abc", "ABC"),
    "zeros": ("007", "7"),
    "blanks": ("abc", " abc "),
    "decimal": ("7", "7.0"),
    "exponent": ("100000", "1.00E+05"),
    "large": ("12345678901234567890", "12345678901234567890.0"),
    "accents": ("caf\N{LATIN SMALL LETTER E WITH ACUTE}", "cafe\N{COMBINING ACUTE ACCENT}"),
    "no-break": ("a b", "a\N{NO-BREAK SPACE}b"),
    "lines": ("a\nb", "A\nb"),
    "wide": ("abc", "\N{FULLWIDTH LATIN SMALL LETTER A}bc"),
}


@pytest.mark.parametrize("kind", SPELLINGS)
def test_one_pair_that_differs_by_more_than_marks(kind):
    one, other = SPELLINGS[kind]
    for pair in ((one, other), (other, one)):
        text = text_of({1: [pair[0], "x"], 2: ["x"]}, {1: ["x", pair[1]], 2: ["z"]})
        assert text.startswith("1 item of `y_true` looks like ids that only `y_pred` has")
    assert ("\\x" in text or "\\u" in text) == (kind in ("accents", "no-break", "wide"))


PAIRS = {
    "one pair by marks": ([("doc-1", "doc_1")], 0),
    "two pairs by marks": ([("doc-a1", "doc_a1"), ("doc-a2", "doc.a2")], 2),
    "chapters": ([("12.8", "1.28"), ("doc32_9", "doc3_29"), ("doc1-2", "doc12")], 0),
    "marks between digits are alike": ([("12.8b", "12-8b"), ("1.28b", "1_28B")], 2),
    "numbers beyond floats": ([("12345678901234567890", "12345678901234567891")], 0),
    "marks alone": ([("?", "!"), ("-", "_")], 0),
    "numbers": ([(7, 70), (8, 80)], 0),
    "other words": ([("tea", "milk"), ("b12", "b13")], 0),
}


@pytest.mark.parametrize("kind", PAIRS)
def test_what_counts_as_alike(kind, recwarn):
    pairs, n = PAIRS[kind]
    left, right = map(list, zip(*pairs, strict=True))
    shared = 0 if isinstance(left[0], int) else "x"
    from_item_lists({1: [*left, shared], 2: [shared]}, {1: [shared, *right], 2: [shared]})
    assert len(recwarn) == (n > 0)
    if n:
        assert str(recwarn[0].message).startswith(f"{n} items of `y_true` look like")


def test_catalogues_in_which_such_ids_differ(recwarn):
    articles = [f"{n}{letter}" for n in range(85_000, 85_040) for letter in "Aa"]
    truth = {user: articles[user : user + 3] for user in range(40)}
    lists = {user: articles[user + 1 : user + 20 : 2] for user in range(40)}
    from_item_lists(truth, lists)
    assert not recwarn


def test_one_text_in_front_or_behind(recwarn):
    plain = {1: ["billing.md#1", "x"], 2: ["tax.md#2", "x"]}
    for text, change in (
        ("behind 'kb-v2:', such as 'kb-v2:b", lambda i: i if i == "x" else f"kb-v2:{i}"),
        ("before '.html', such as 'billing", lambda i: i if i == "x" else f"{i}.html"),
    ):
        other = {user: [change(item) for item in items] for user, items in plain.items()}
        assert text_of(plain, other).startswith(
            f"2 items of `y_pred` are those of `y_true` {text}"
        )
        assert text_of(other, plain).startswith(
            f"2 items of `y_true` are those of `y_pred` {text}"
        )
    none = {1: ["kb:billing.md"], 2: ["kb:tax.md"]}
    assert "behind 'kb:'" in text_of({1: ["billing.md"], 2: ["tax.md"]}, none)
    recwarn.clear()
    # Chapters; one pair; text that ends within a word; ids of the same side.
    from_item_lists({1: ["1.2", "x"], 2: ["1.3", "x"]}, {1: ["2", "x"], 2: ["3", "x"]})
    from_item_lists({1: ["a:b", "x"]}, {1: ["b", "x"]})
    from_item_lists({1: ["12", "17", "x"]}, {1: ["2", "7", "x"]})
    from_item_lists({1: ["a:b", "a:c", "b", "c"]}, {1: ["b", "c"], 2: ["c"]})
    assert not recwarn


def test_half_of_the_ids_have_a_text_in_front():
    random = np.random.default_rng(0)
    draw = [[f"d{n}" for n in random.choice(200, 20, replace=False)] for _ in range(50)]
    truth = {user: items[:5] for user, items in enumerate(draw)}
    lists = {
        user: [item if int(item[1:]) < 100 else f"v2/{item}" for item in items]
        for user, items in enumerate(draw)
    }
    assert (
        text_of(truth, lists)
        .partition(" ")[2]
        .startswith("items of `y_pred` are those of `y_true` behind 'v2/', ")
    )


@pytest.mark.parametrize("n", [3, 30])
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            "kb/{}".format,
            "items of `y_pred` are those of `y_true` behind 'kb/', such as 'kb/a_0'",
        ),
        ("{}.md".format, "are those of `y_true` before '.md', such as 'a_0.md' and 'a_0'."),
        (str.upper, "('a_0'; 'A_0'), so every score is 0. Check capitals."),
        (" {}".format, "('a_0'; ' a_0'), so every score is 0. Check zeros, spaces, types."),
        (
            lambda i: f"A-{i[2:]}",
            "('a_0'; 'A-0'), so every score is 0. Check capitals, marks,",
        ),
    ],
)
def test_all_ids_are_written_otherwise(n, change, words):
    truth = {user: [f"a_{user}"] for user in range(n)}
    lists = {user: [change(item) for item in items] for user, items in truth.items()}
    assert words in text_of(truth, lists)


def test_frames_and_files(tmp_path):
    truth = pd.DataFrame({"user": [1, 1, 2], "item": ["A1", "x", "x"]})
    lists = truth.assign(item=["a1", "x", "x"], score=[3.0, 2, 1])
    with pytest.warns(MisleadingScoreWarning, match="1 item of `truth` looks like"):
        from_frames(truth, lists, user="user", item="item", score="score")
    for name, lines in (
        ("qrels", [f"{q} 0 d 1" for q in ("q01", "q2")]),
        ("run", [f"{q} Q0 d 1 1.5 me" for q in ("q1", "q2")]),
    ):
        (tmp_path / name).write_text("\n".join(lines))
    # Zeros count in front alone.
    from_files(tmp_path / "qrels", tmp_path / "run")
    (tmp_path / "run").write_text("Q01 Q0 d 1 1.5 me\nq2 Q0 d 1 1.5 me")
    with pytest.warns(MisleadingScoreWarning, match="1 query of `truth` looks like"):
        from_files(tmp_path / "qrels", tmp_path / "run")


def test_lists_of_other_users_would_have_hits(recwarn):
    truth = {user: [user % 25] for user in range(250)}
    lists = {user: [(user + n) % 25 for n in range(1, 2)] for user in range(250)}
    # 250 lists of one item, each relevant for 10 of 250 users: 25 * 10 * 10 / 250 = 10.
    assert text_of(truth, lists).startswith(
        "No list of 250 users has a relevant item, where lists given to users at random "
        "would have 10: users or items are paired wrongly. Check codes that begin at 0 or "
        "1, and the order of users. If"
    )
    for other in (
        {**lists, 3: [3]},
        {u: lists[u] for u in range(249)},
        {u: [] for u in truth},
    ):
        recwarn.clear()
        from_item_lists(truth, other)
        assert not recwarn


@pytest.mark.parametrize("is_from_1", [0, 1])
def test_codes_from_0_and_from_1(is_from_1, recwarn):
    random = np.random.default_rng(0)
    items = {user: random.choice(50, 6, replace=False) for user in range(100)}
    sides = [{user: row[:3] for user, row in items.items()}, items]
    names = ["y_true", "y_pred"]
    shifted = [
        {u: (row + (place == is_from_1)).tolist() for u, row in side.items()}
        for place, side in enumerate(sides)
    ]
    high, low = names[is_from_1], names[1 - is_from_1]
    assert text_of(*shifted).startswith(
        f"Items of `{high}` are 1 to 50, and of `{low}` 0 to 49. If both are positions, "
        f"subtract 1 in `{high}`. If"
    )
    recwarn.clear()
    from_item_lists(*sides)
    other = {user: random.choice(np.arange(1, 51), 6, replace=False) for user in items}
    from_item_lists(sides[0], other)  # no order is better than another
    assert not recwarn


def test_a_scorer_asks_before_it_advises_to_drop_items():
    random = np.random.default_rng(0)
    pairs = {(user, f"item{item}") for user, item in random.integers(0, 40, (400, 2))}
    log = pd.DataFrame(sorted(pairs), columns=["user", "item"])
    model = EASERecommender().fit(log)
    rows = log.assign(item=[x.upper() if x > "item2" else x for x in log.item])
    with pytest.warns(MisleadingScoreWarning) as caught:
        make_recommender_scorer("recall@5")(model, rows)
    text = str(caught[0].message)
    assert "27 items of X look like items of fit, such as 'ITEM" in text
    assert "cold_items='drop'" not in text
    users = log.assign(user=[f"U{user}" for user in log.user])
    model = EASERecommender().fit(users)
    with pytest.warns(MisleadingScoreWarning, match="40 users of X look like users of fit"):
        make_recommender_scorer("recall@5")(
            model, users.assign(user=users.user.str.lower())
        )
    new = log.assign(item=[f"new{n}" if n % 3 else x for n, x in enumerate(log.item)])
    with pytest.warns(MisleadingScoreWarning, match="Drop rows of new items by the"):
        make_recommender_scorer("recall@5")(EASERecommender().fit(log), new)

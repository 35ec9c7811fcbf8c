"""from_frames: the same rows as from lists, for pandas and polars."""

import re
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest

from sklearn_rank.exceptions import MisleadingScoreWarning
from sklearn_rank.inputs import from_frames, from_item_lists
from sklearn_rank.metrics import ndcg_score


def arrow_table(columns):
    return pytest.importorskip("pyarrow").table(columns)


def as_arrow(frame):
    return pytest.importorskip("pyarrow").Table.from_pandas(frame)


def as_tenths(frame):
    """Return a frame with scores of a decimal type."""
    tenths = pd.ArrowDtype(pytest.importorskip("pyarrow").decimal128(9, 1))
    return frame.astype(dict.fromkeys({"score"} & set(frame), tenths))


FRAMES = [
    pd.DataFrame,
    pl.DataFrame,
    arrow_table,
    lambda columns: arrow_table(columns).to_batches()[0],
]
TRUTH = {"user": ["ann", "bob", "ann", "cid"], "item": [3, 1, 2, 9], "grade": [2, 1, 0, 1]}
PAIRS = {"user": TRUTH["user"], "item": TRUTH["item"]}  # all relevant
SHOWN = {
    "user": ["bob", "ann", "dot", "ann", "ann"],
    "item": [5, 3, 1, 4, 2],
    "score": [0.5, 0.1, 0.9, 0.7, 0.1],
    "rank": [7, 2, 1, 0, 5],
}


def rows_of(bunch):
    assert list(bunch) == ["y_true", "y_score", "groups"]
    columns = bunch.groups.tolist(), bunch.y_true.tolist(), bunch.y_score.tolist()
    return sorted(zip(*columns, strict=True))


@pytest.mark.parametrize("end", ["", "_id"])
def test_columns_of_usual_names_need_no_name(end):
    user, item = f"user{end}", f"item{end}"
    truth = pd.DataFrame({user: ["ann", "ann", "bob"], item: [1, 2, 1]})
    shown = pd.DataFrame({user: ["ann", "ann"], item: [2, 3], "rank": [1, 2]})
    expected = from_frames(truth, shown, user=user, item=item, rank="rank")
    rows = from_frames(truth, shown, rank="rank")
    assert {name: of.tolist() for name, of in rows.items()} == {
        name: of.tolist() for name, of in expected.items()
    }
    with pytest.raises(
        ValueError, match=r"truth is named 'user'.*that of the users: user="
    ):
        from_frames(truth.rename(columns={user: "u"}), shown, rank="rank")
    with pytest.raises(ValueError, match="Name one: user="):
        from_frames(truth.assign(user="x", user_id="y"), shown, rank="rank")


@pytest.mark.parametrize("frame", FRAMES)
def test_scores_stay_as_they_are(frame):
    rows = from_frames(
        frame(TRUTH),
        frame(SHOWN),
        user="user",
        item="item",
        relevance="grade",
        score="score",
    )
    expected = [
        ("ann", 2, 0.1),
        ("ann", 0, 0.7),
        ("ann", 0, 0.1),
        ("bob", 0, 0.5),
        ("bob", 1, -np.inf),
        ("cid", 1, -np.inf),
        ("dot", 0, 0.9),
    ]
    assert rows_of(rows) == sorted(expected)
    assert list(dict.fromkeys(rows.groups.tolist())) == ["ann", "bob", "cid", "dot"]


@pytest.mark.parametrize("frame", FRAMES)
def test_ranks_become_scores_in_their_order(frame):
    rows = from_frames(frame(PAIRS), frame(SHOWN), user="user", item="item", rank="rank")
    lists = from_item_lists(
        {"ann": [3, 2], "bob": [1], "cid": [9]}, {"bob": [5], "ann": [4, 3, 2], "dot": [1]}
    )
    expected = [("ann", 0, 0), ("ann", 1, -2), ("ann", 1, -5)]
    assert rows_of(rows)[:3] == sorted(expected)
    for k in (1, 2, None):
        assert ndcg_score(**rows, k=k, replace_undefined_by=0.0) == ndcg_score(
            **lists, k=k, replace_undefined_by=0.0
        )


@pytest.mark.parametrize(
    "retype",
    [
        lambda frame: frame.astype({"user": "category", "item": "category"}),
        lambda frame: frame.astype({"user": object, "item": str}),
        lambda frame: frame.convert_dtypes(),
        lambda frame: frame.astype({"item": "float32"}).sample(frac=1, random_state=0),
        lambda frame: pl.from_pandas(frame).cast(
            {"user": pl.Categorical, "item": pl.UInt32}
        ),
        lambda frame: frame.set_index(np.arange(len(frame)) * 7),
        lambda frame: as_arrow(frame.astype({"user": "category"})),
        lambda frame: pl.from_pandas(frame).to_arrow(),
        as_tenths,
    ],
)
def test_types_of_columns_do_not_matter(retype):
    names = {"user": "user", "item": "item", "relevance": "grade", "score": "score"}
    truth, shown = pd.DataFrame(TRUTH), pd.DataFrame(SHOWN)
    rows = from_frames(retype(truth), retype(shown), **names)
    assert rows_of(rows) == rows_of(from_frames(truth, shown, **names))


def test_pandas_and_polars_may_meet():
    names = {"user": "user", "item": "item", "rank": "rank"}
    mixed = from_frames(pd.DataFrame(PAIRS), pl.DataFrame(SHOWN), **names)
    assert rows_of(mixed) == rows_of(
        from_frames(pd.DataFrame(PAIRS), pd.DataFrame(SHOWN), **names)
    )


def test_minus_infinity_is_not_retrieved():
    shown = pd.DataFrame({"user": [1, 1], "item": [1, 2], "score": [-np.inf, 3]})
    truth = pd.DataFrame({"user": [1], "item": [1]})
    rows = from_frames(truth, shown, user="user", item="item", score="score")
    assert rows_of(rows) == [(1, 0, 3), (1, 1, -np.inf)]


def test_empty_recommendations_score_zero():
    truth, shown = pd.DataFrame(PAIRS), pd.DataFrame(SHOWN).head(0)
    rows = from_frames(truth, shown, user="user", item="item", score="score")
    with pytest.warns(MisleadingScoreWarning, match="None of 3 queries has a retrieved"):
        assert ndcg_score(**rows) == 0


@pytest.mark.parametrize("apart", [1, 1_000, 10**7, 10**13])
def test_rows_in_any_order_are_those_of_lists(apart):
    rng = np.random.default_rng(0)
    bought = pd.DataFrame({"user": rng.integers(40, size=200) * apart - 7})
    bought["item"] = rng.integers(30, size=200)
    bought = bought.drop_duplicates()
    shown = pd.DataFrame(
        {
            "user": np.repeat(np.arange(5, 45) * apart - 7, 12),
            "item": rng.permuted(np.tile(np.arange(30), (40, 1)), axis=1)[:, :12].ravel(),
            "rank": np.tile(np.arange(12), 40),
        }
    )
    mixed = shown.sample(frac=1, random_state=0)
    rows = from_frames(bought, mixed, user="user", item="item", rank="rank")
    lists = from_item_lists(
        bought.groupby("user", sort=False)["item"].agg(list),
        shown.groupby("user", sort=False)["item"].agg(list),
    )
    lists.y_score += 1  # these ranks begin at 0
    assert rows_of(rows) == rows_of(lists)
    assert rows.groups.dtype == np.int64
    users = list(dict.fromkeys(bought["user"].tolist() + mixed["user"].tolist()))
    assert list(dict.fromkeys(rows.groups.tolist())) == users


@pytest.mark.parametrize(
    "ranks", [[0, 1, 2], [2.0**60, 0, 2.0**61], [3, 1, 0], [1e300, 0, 2]]
)
def test_ranks_may_be_any_whole_numbers_but_not_tie(ranks):
    truth = pd.DataFrame({"user": [1, 2], "item": [8, 8]})
    shown = pd.DataFrame({"user": [1, 1, 2], "item": [7, 8, 8], "rank": ranks})
    names = {"user": "user", "item": "item", "rank": "rank"}
    rows = from_frames(truth, shown, **names)
    assert rows.y_score.tolist() == [-rank for rank in ranks]
    shown["rank"] = [ranks[0], ranks[0], ranks[2]]
    message = re.escape(f"has rank {ranks[0]:g} twice for user 1;")
    with pytest.raises(ValueError, match=message):
        from_frames(truth, shown, **names)


def scored(scores, missed=True, **columns):
    """Return rows of from_frames for these scores of user 1, items 0, 1, ..."""
    truth = pd.DataFrame({"user": [1, 1], "item": [0, -1]})[: 1 + missed]
    shown = {"user": [1] * len(scores), "item": list(range(len(scores))), "by": scores}
    tables = truth, pd.DataFrame(shown)
    return from_frames(*tables, user="user", item="item", **columns or {"score": "by"})


BIG = [2**53, 2**53 + 1, 2**53 - 1, 2**63 - 1]


@pytest.mark.parametrize("dtype", ["int64", "uint64", "Int64", object])
@pytest.mark.parametrize("library", [pd.DataFrame, pl.from_pandas, as_arrow])
def test_large_integers_keep_their_order(library, dtype):
    truth = pd.DataFrame({"user": [1, 1], "item": [0, -1]})
    shown = pd.DataFrame({"user": [1] * 4, "item": range(4), "by": BIG})
    shown["by"] = shown["by"].astype(dtype)
    shown = library(shown)
    names = {"user": "user", "item": "item"}
    by_score = from_frames(truth, shown, **names, score="by").y_score
    assert np.argsort(by_score).tolist() == [4, 2, 0, 1, 3]
    assert len(set(by_score.tolist())) == 5
    by_rank = from_frames(truth, shown, **names, rank="by").y_score
    assert np.argsort(-by_rank).tolist() == [2, 0, 1, 3, 4]
    assert len(set(by_rank.tolist())) == 5


def test_scores_that_floats_hold_stay_as_they_are():
    assert scored([2**60, 2**61]).y_score.tolist() == [2**60, 2**61, -np.inf]
    assert scored([2**53, -3]).y_score.tolist() == [2**53, -3, -np.inf]
    with_decimals = scored([Decimal("0.5"), Decimal(2)])
    assert with_decimals.y_score.tolist() == [0.5, 2, -np.inf]
    precise = scored(np.array([1, 1 + np.finfo("g").eps, -np.inf], dtype="g"))
    assert np.isinf(precise.y_score).tolist() == [False, False, True, True]
    assert precise.y_score[0] < precise.y_score[1]


@pytest.mark.parametrize(
    "scores",
    [
        [Decimal("0.1"), Decimal("0.10000000000000000001")],
        [2**63, -1, 2**63 + 1],
        [2**53, 2**53 + 1, 0.5],
    ],
)
def test_scores_that_would_tie_are_refused(scores):
    message = "`score='by'`: the column of `recommendations` has .* equal as floats"
    with pytest.raises(ValueError, match=message):
        scored(pd.Series(scores, dtype=object))


def test_grades_that_would_be_equal_are_refused():
    truth = pd.DataFrame({"user": [1, 1], "item": [1, 2], "grade": [2**53, 2**53 + 1]})
    names = {"user": "user", "item": "item", "score": "score", "relevance": "grade"}
    message = "`relevance='grade'`: the column of `truth` has 9007199254740992 and "
    with pytest.raises(ValueError, match=message):
        from_frames(truth, pd.DataFrame(SHOWN).assign(user=1), **names)
    rows = from_frames(truth.replace(2**53 + 1, 2**54), truth, **names | {"score": "grade"})
    assert rows.y_true.tolist() == [2**53, 2**54]


@pytest.mark.parametrize("ranks", [[1, 1], [1, 2], [3, 3]])
@pytest.mark.parametrize("others", [[], [2, 2]])
def test_an_item_twice_is_no_tied_rank(ranks, others):
    """Where a user has an item twice, that is what is told, whatever ranks tie."""
    items, ranks = [7, 7, *range(len(others))], [*ranks, *others]
    shown = pd.DataFrame({"user": [1] * len(items), "item": items, "rank": ranks})
    truth = pd.DataFrame({"user": [1], "item": [8]})
    with pytest.raises(ValueError, match="`recommendations` has item 7 twice for user 1"):
        from_frames(truth, shown, user="user", item="item", rank="rank")


def test_large_ranks_that_tie_are_told_as_they_are():
    with pytest.raises(ValueError, match=r"rank 9\.0072e\+15 twice for user 1"):
        scored([2**53 + 1, 2**53, 2**53 + 1], rank="by")


NO_SCORE = {"score": None}
ERRORS = [
    (
        {},
        {},
        {"rank": "rank"},
        ValueError,
        "either `score=`.* or `rank=`.*got score='score'",
    ),
    ({}, {}, NO_SCORE, ValueError, "got score=None, rank=None"),
    (
        {},
        {},
        {"user": "usr"},
        ValueError,
        "`user='usr'` is not a column of `truth`.*mean 'user'",
    ),
    (
        {},
        {},
        {"score": "scr"},
        ValueError,
        "`score='scr'` is not a col.* of `recommendations`",
    ),
    ({}, {}, {"relevance": "x"}, ValueError, "`relevance='x'` is not a column of `truth`"),
    ({"item": [3, 1, 3, 9]}, {}, {}, ValueError, "`truth` has item 3 twice for user 'ann'"),
    ({}, {"item": [5, 3, 1, 4, 3]}, {}, ValueError, "`recommendations` has item 3 twice"),
    (
        {"user": ["a", None, "b", None]},
        {},
        {},
        ValueError,
        r"truth\['user'\]. has 2 missing.*row 1",
    ),
    (
        {},
        {"item": [1, 2, 3, 4, None]},
        {},
        ValueError,
        r"recommendations\['item'\]. has 1 missing.*row 4",
    ),
    (
        {"user": [1, 2, 3, 4]},
        {},
        {},
        TypeError,
        "Users cannot be compared: `truth` has user 1",
    ),
    ({"item": list("abcd")}, {}, {}, TypeError, "Item ids cannot be compared: `truth`"),
    (
        {"grade": [1, 1, -1, 1]},
        {},
        {},
        ValueError,
        r"truth\['grade'\]. has 1 invalid .* at 2 \(-1.0\); grades must",
    ),
    (
        {"grade": [1, None, 1, 1]},
        {},
        {},
        ValueError,
        r"truth\['grade'\]. has 1 invalid .* at 1 \(nan\); grades must",
    ),
    (
        {"grade": list("1234")},
        {},
        {},
        TypeError,
        "`relevance='grade'`: .*numbers, but has '1'",
    ),
    ({}, {"score": [1, 2, 3, None, 5]}, {}, ValueError, r"at 3 \(nan\); scores must"),
    ({}, {"score": [1.0, 2.0, 3.0, np.inf, 5.0]}, {}, ValueError, r"at 3 \(inf\); scores"),
    (
        {},
        {"score": list("abcde")},
        {},
        TypeError,
        "`score='score'`: .*numbers, but has 'a'",
    ),
    (
        {},
        {"rank": [1, -1, 2, 3, 4]},
        {**NO_SCORE, "rank": "rank"},
        ValueError,
        r"recommendations\['rank'\]. has 1 invalid .* at 1 \(-1\); ranks must",
    ),
    (
        {},
        {"rank": [2, 2, 2, 3, 2]},
        {**NO_SCORE, "rank": "rank"},
        ValueError,
        "rank 2 twice.*'ann'",
    ),
]


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize(("truth", "shown", "names", "error", "message"), ERRORS)
def test_errors_name_what_is_wrong(frame, truth, shown, names, error, message):
    names = {
        "user": "user",
        "item": "item",
        "relevance": "grade",
        "score": "score",
        **names,
    }
    with pytest.raises(error, match=message):
        from_frames(frame({**TRUTH, **truth}), frame({**SHOWN, **shown}), **names)


@pytest.mark.parametrize(
    ("table", "advice"),
    [({"user": [1]}, "got dict"), ([[1, 2]], "got list"), (None, "got NoneType")],
)
def test_only_tables_in_memory_are_read(table, advice):
    message = f"`truth` must be a pandas or polars DataFrame or a pyarrow Table, {advice}"
    with pytest.raises(TypeError, match=message):
        from_frames(table, pd.DataFrame(SHOWN), user="user", item="item", rank="rank")


@pytest.mark.parametrize("name", ["collect", "compute", "column_names", "columns"])
def test_a_column_may_be_called_like_a_method(name):
    frames = pd.DataFrame({"u": [1], name: [2]}), pd.DataFrame({"u": [1], name: [2]})
    rows = from_frames(*frames, user="u", item=name, score="u")
    assert rows_of(rows) == [(1, 1, 1)]


@pytest.mark.parametrize("name", [["user"], np.array(["user"]), {"user"}])
@pytest.mark.parametrize("parameter", ["user", "item", "score", "relevance"])
def test_names_of_columns_are_hashable(parameter, name):
    names = {"user": "user", "item": "item", "score": "score", "relevance": "grade"}
    with pytest.raises(TypeError, match=f"`{parameter}` must be the name of a column"):
        from_frames(pd.DataFrame(TRUTH), pd.DataFrame(SHOWN), **names | {parameter: name})


@pytest.mark.parametrize("name", ["user", "item", "score"])
def test_a_column_holds_one_value_a_row(name):
    arrays = pl.Series([[1, 2]] * 5, dtype=pl.Array(pl.Int64, 2))
    shown = pl.DataFrame(SHOWN).with_columns(arrays.alias(name))
    with pytest.raises(ValueError, match=f"Column '{name}' of `recomm.*one value per row"):
        from_frames(pl.DataFrame(PAIRS), shown, user="user", item="item", score="score")


def test_times_are_no_scores():
    times = pd.to_datetime(["2024-01-01", "2024-01-02"])
    with pytest.raises(TypeError, match=r"`score='by'`: .* must hold numbers, but has "):
        scored(times)


def test_users_and_items_keep_null_characters():
    truth = {"user": ["u", "u\0"], "item": ["i\0", "i"]}
    shown = {"user": ["u", "u", "u\0"], "item": ["i", "i\0", "i"], "score": [3, 2, 1]}
    for frame in FRAMES:
        rows = from_frames(
            frame(truth), frame(shown), user="user", item="item", score="score"
        )
        assert rows_of(rows) == [("u", 0, 3), ("u", 1, 2), ("u\0", 1, 1)]


def test_columns_of_one_name_are_an_error():
    truth = pd.DataFrame([[1, 2, 3]], columns=["user", "item", "item"])
    with pytest.raises(ValueError, match="`truth` has 2 columns named 'item'"):
        from_frames(truth, pd.DataFrame(SHOWN), user="user", item="item", rank="rank")


def test_popularity_on_purchases(online_retail):
    """The hit rate of the best-sellers is the one that plain sets count."""
    log = online_retail.rename(columns={"CustomerID": "user", "StockCode": "item"})
    train, test = log[:300_000], log[300_000:].drop_duplicates(["user", "item"])
    best = train["item"].value_counts().index[:10]
    users = test["user"].unique()
    shown = pd.DataFrame(
        {
            "user": np.repeat(users, 10),
            "item": np.tile(best, len(users)),
            "rank": np.tile(np.arange(10), len(users)),
        }
    )
    rows = from_frames(test, shown, user="user", item="item", rank="rank")
    bought = test.groupby("user")["item"].agg(set)
    hits = [bool(items & set(best)) for items in bought]
    found = pd.Series(rows.y_true).where(rows.y_score > -np.inf, 0).groupby(rows.groups)
    assert found.max().mean() == np.mean(hits)
    assert len(hits) == len(users) > 2000


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("labels", [[1, 0, 1], [True, False, True], [2.0, 0.0, 1.0]])
def test_rows_with_label_0_are_not_relevant(library, labels):
    # Without `relevance` the second row would count as relevant, without a word.
    truth = pd.DataFrame({"user": [1, 1, 2], "item": [7, 8, 9], "label": labels})
    lists = pd.DataFrame({"user": [1, 1, 2], "item": [8, 7, 9], "rank": [1, 2, 1]})
    names = {"user": "user", "item": "item", "rank": "rank"}
    table = {
        "pandas": lambda frame: frame,
        "polars": lambda frame: pytest.importorskip("polars").from_pandas(frame),
        "pyarrow": lambda frame: pytest.importorskip("pyarrow").Table.from_pandas(frame),
    }[library]
    with pytest.raises(ValueError, match=r"has 0 in its column 'label'.*relevance='label'"):
        from_frames(table(truth), table(lists), **names)
    rows = from_frames(table(truth), table(lists), **names, relevance="label")
    assert rows.y_true.tolist() == [0, *map(float, labels[::2])]
    renamed = truth.rename(columns={"label": "quantity"})  # whose 0 may mean anything
    assert from_frames(table(renamed), table(lists), **names).y_true.tolist() == [1, 1, 1]
    ids = {**names, "item": "label"}
    from_frames(truth.assign(label=[0, 1, 2]), lists.assign(label=[0, 1, 2]), **ids)

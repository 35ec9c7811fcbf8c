"""Intent-aware metrics: subtopics as columns of y_true."""

import warnings
from itertools import pairwise, permutations

import numpy as np
import pytest
from scipy import sparse

from sklearn_rank.metrics import (
    alpha_dcg_score,
    alpha_ndcg_score,
    err_ia_score,
    make_ranking_scorer,
    nrbp_score,
    per_query_scores,
    ranking_report,
    ranking_scores,
    subtopic_recall_at_k_score,
)

FAMILY = (
    "alpha_dcg",
    "alpha_ndcg",
    "err_ia",
    "nrbp",
    "precision_ia",
    "map_ia",
    "subtopic_recall",
)
DOCUMENTS = {"d1": "A", "d2": "AB", "d3": "C", "d5": "B", "d6": "ABC"}
RUN = ["d1", "d4", "d2", "d3", "d5"]


def table_of(documents, names, subtopics="ABC"):
    return np.array([[s in documents.get(name, "") for s in subtopics] for name in names])


def example():
    y_true = table_of(DOCUMENTS, [*RUN, "d6"]).astype(float)
    return {"y_true": y_true, "y_score": [5, 4, 3, 2, 1, -np.inf], "groups": ["q"] * 6}


def value(name, rows, **given):
    (found,) = ranking_scores(**rows, metrics=name, **given).values()
    return found


# ---- plain loops -----------------------------------------------------------------------


def gain(lists_of_subtopics, fade, discount):
    seen, total = {}, 0.0
    for rank, subtopics in enumerate(lists_of_subtopics, 1):
        for s in subtopics:
            total += discount(rank) * fade ** seen.get(s, 0)
            seen[s] = seen.get(s, 0) + 1
    return total


def loop(metric, shown, relevant, k, alpha=0.3, beta=0.6):
    """Return a metric of a list of sets of subtopics; `relevant`: those of all rows."""
    n = len(set().union(*relevant))
    first = shown[:k]
    if metric == "alpha_dcg":
        return gain(first, 1 - alpha, lambda r: 1 / np.log2(r + 1))
    if metric == "err_ia":
        depth = len(shown) if k is None else k
        best = n * sum((1 - alpha) ** (r - 1) / r for r in range(1, depth + 1))
        return gain(first, 1 - alpha, lambda r: 1 / r) / best
    if metric == "nrbp":
        total = gain(shown, 1 - alpha, lambda r: beta ** (r - 1))
        return total * (1 - (1 - alpha) * beta) / n
    if metric == "precision_ia":
        depth = len(shown) if k is None else k
        return sum(map(len, first)) / depth / n
    if metric == "subtopic_recall":
        return len(set().union(*first)) / n
    precisions = []
    for s in set().union(*relevant):
        ranks = [rank for rank, of in enumerate(shown, 1) if s in of]
        hits = sum((i + 1) / rank for i, rank in enumerate(ranks))
        precisions.append(hits / sum(s in of for of in relevant))
    return float(np.mean(precisions))


def call(metric, k, alpha=0.3, beta=0.6):
    given = {
        "alpha_dcg": f"(alpha={alpha})",
        "err_ia": f"(alpha={alpha})",
        "nrbp": f"(alpha={alpha}, beta={beta})",
    }.get(metric, "")
    if metric in ("nrbp", "map_ia"):
        return f"{metric}{given}"
    if k is None and metric in ("precision_ia", "subtopic_recall"):
        return f"{metric}(k=None)"
    return f"{metric}{given}@{k}" if k else f"{metric}{given}"


# ---- the specification -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("alpha_ndcg@3", 0.4509228744),
        ("alpha_ndcg@5", 0.5811313571),
        ("err_ia@3", 0.375),
        ("err_ia(normalize='collection')@3", 0.4090909091),
        ("precision_ia@3", 0.3333333333),
        ("subtopic_recall@3", 0.6666666667),
        ("nrbp", 0.3828125),
        ("nrbp(normalize='collection')", 0.4170212766),
        ("map_ia", 0.3083333333),
        ("err_ia@1", 0.3333333333),  # pyndeval says 1
        ("err_ia@2", 1 / (3 * 1.25)),
    ],
)
def test_values_of_the_specification(name, expected):
    assert value(name, example()) == pytest.approx(expected, abs=5e-11)


def test_ties_of_the_specification():
    documents = {"b": "AB", "a": "A", "c": "B", "e": "A"}
    y_true = table_of(documents, "badce", "AB").astype(float)
    found = alpha_dcg_score(y_true, [2, 2, 2, 2, 1], groups=[0] * 5, k=3)
    assert found == pytest.approx(1.8591081280, abs=5e-11)


def test_the_ideal_list_does_not_depend_on_names():
    """Where ndeval takes z before x by name, its value is 1.1071."""
    documents = {"x": "12", "y": "34", "z": "13"}
    for order in permutations("xyz"):
        y_true = table_of(documents, order, "1234").astype(float)
        y_score = [{"x": 3, "y": 2, "z": 1}[name] for name in order]
        assert alpha_ndcg_score(y_true, y_score, groups=[0] * 3, k=2) == 1


# ---- ties ------------------------------------------------------------------------------


def random_queries(rng, n_subtopics=3):
    y_true, y_score, groups = [], [], []
    for query in range(6):
        n = int(rng.integers(1, 7))
        y_true.append(rng.random((n, n_subtopics)) < 0.4)
        scores = rng.choice([0.0, 1, 2], n)
        scores[rng.random(n) < 0.2] = -np.inf
        y_score.append(scores)
        groups += [query] * n
    return {
        "y_true": np.concatenate(y_true).astype(float),
        "y_score": np.concatenate(y_score),
        "groups": np.array(groups),
    }


def sets_of(rows, query):
    of = rows["groups"] == query
    subtopics = [set(np.flatnonzero(row).tolist()) for row in rows["y_true"][of]]
    return subtopics, rows["y_score"][of]


@pytest.mark.parametrize("k", [1, 2, 3, 5, None])
@pytest.mark.parametrize("metric", [name for name in FAMILY if name != "alpha_ndcg"])
def test_ties_are_the_mean_over_all_orders(metric, k):
    rng = np.random.default_rng(0)
    for _ in range(4):
        rows = random_queries(rng)
        found = per_query_scores(**rows, metrics=call(metric, k))
        for query, got in enumerate(*found.scores.values()):
            subtopics, scores = sets_of(rows, query)
            if not any(subtopics):
                assert np.isnan(got)
                continue
            shown = np.flatnonzero(scores > -np.inf)
            values = [
                loop(metric, [subtopics[row] for row in order], subtopics, k)
                for order in permutations(shown)
                if all(scores[a] >= scores[b] for a, b in pairwise(order))
            ]
            expected = np.mean(values) if len(shown) else 0.0
            assert got == pytest.approx(expected, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("alpha", [0, 0.5, 0.9, 1])
def test_long_blocks_equal_the_sum_over_places(alpha):
    """The chance of x earlier rows, from draws one by one."""
    n, h = 60, 25
    y_true = np.zeros((n, 1))
    y_true[:h] = 1
    found = alpha_dcg_score(y_true, np.ones(n), groups=[0] * n, k=40, alpha=alpha)
    chance = np.zeros(h + 1)  # of x rows so far
    chance[0] = 1.0
    expected = 0.0
    for j in range(40):
        hit = (h - np.arange(h + 1)) / (n - j)
        fade = (1 - alpha) ** np.arange(h + 1)
        expected += (chance * np.clip(hit, 0, 1) * fade).sum() / np.log2(j + 2)
        step = chance * hit
        chance = chance - step
        chance[1:] += step[:-1]
    assert found == pytest.approx(expected, rel=1e-11)


def test_the_order_of_rows_decides_where_it_is_asked_to():
    y_true = [[1, 0], [1, 0], [0, 1]]
    rows = {"y_true": y_true, "y_score": [1, 1, 1], "groups": [0] * 3}
    assert value("subtopic_recall@2", rows, ties="first") == 0.5
    assert value("subtopic_recall@2", rows) == pytest.approx(1 - 1 / 3 / 2)


@pytest.mark.parametrize("ties", ["worst", "best"])
@pytest.mark.parametrize("name", FAMILY)
def test_no_order_is_known_as_best(name, ties):
    with pytest.raises(ValueError, match="no order of tied rows is known as best"):
        value(name, example(), ties=ties)


# ---- the ideal list --------------------------------------------------------------------


def best_of_all(subtopics, k, fade, discount):
    n = len(subtopics) if k is None else min(k, len(subtopics))
    return max(gain(order, fade, discount) for order in permutations(subtopics, n))


@pytest.mark.parametrize("k", [1, 2, 4, None])
@pytest.mark.parametrize("alpha", [0.3, 0.5, 1])
def test_up_to_eight_documents_it_is_the_best_of_all_orders(k, alpha):
    rng = np.random.default_rng(1)
    for n in (1, 2, 5, 6):
        y_true = (rng.random((n, 4)) < 0.5).astype(float)
        y_true[0, 0] = 1
        subtopics = [set(np.flatnonzero(row).tolist()) for row in y_true]
        rows = {"y_true": y_true, "y_score": rng.random(n), "groups": [0] * n}
        name = f"alpha_ndcg(alpha={alpha})" + (f"@{k}" if k else "")
        dcg = value(name.replace("ndcg", "dcg"), rows)
        best = best_of_all(subtopics, k, 1 - alpha, lambda r: 1 / np.log2(r + 1))
        assert value(name, rows) == pytest.approx(dcg / best, rel=1e-12)


def greedy(subtopics, fade):
    """Return the gains of the greedy list that looks one step ahead, by loops."""
    left, seen, gains = list(range(len(subtopics))), {}, []

    def worth(row, seen):
        return sum(fade ** seen.get(s, 0) for s in subtopics[row])

    def after(row):
        return seen | {s: seen.get(s, 0) + 1 for s in subtopics[row]}

    while left:
        highest = max(worth(row, seen) for row in left)
        best = [row for row in left if worth(row, seen) > highest - 1e-12]
        ahead = [
            max([worth(row, after(one)) for row in left if row != one], default=0)
            for one in best
        ]
        taken = best[int(np.argmax(ahead))]
        gains.append(highest)
        seen = after(taken)
        left.remove(taken)
    return gains


def test_more_documents_are_taken_greedily_with_one_look_ahead():
    rng = np.random.default_rng(2)
    agree = 0
    for _ in range(30):
        y_true = (rng.random((12, 4)) < 0.4).astype(float)
        subtopics = [set(np.flatnonzero(row).tolist()) for row in y_true if row.any()]
        if len(subtopics) <= 8:
            continue
        rows = {"y_true": y_true, "y_score": np.arange(12), "groups": [0] * 12}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = value("alpha_dcg@3", rows) / value("alpha_ndcg@3", rows)
        gains = greedy(subtopics, 0.5)[:3]
        expected = sum(g / np.log2(r + 1) for r, g in enumerate(gains, 1))
        agree += found == pytest.approx(expected, rel=1e-12)
    assert agree > 20  # what ties after the look-ahead may be taken in any order


def test_the_greedy_ideal_depends_on_the_documents_alone():
    rng = np.random.default_rng(3)
    y_true = (rng.random((40, 5)) < 0.3).astype(float)
    ideals = set()
    for _ in range(10):
        order = rng.permutation(40)
        y_score = np.where(rng.random(40) < 0.3, -np.inf, rng.normal(size=40))
        rows = {"y_true": y_true[order], "y_score": y_score, "groups": [0] * 40}
        both = ranking_scores(**rows, metrics=["alpha_dcg@10", "alpha_ndcg@10"])
        ideals.add(round(both["alpha_dcg@10"] / both["alpha_ndcg@10"], 12))
    assert len(ideals) == 1


def test_a_list_better_than_the_ideal_is_not_clipped_in_silence():
    """Of nine documents, greed takes abde first, and then abc adds c alone."""
    y_true = table_of(
        dict(enumerate(["abc", "def", "abde", *"aaaaaa"])), range(9), "abcdef"
    )
    rows = {"y_true": y_true.astype(float), "y_score": -np.arange(9), "groups": ["q"] * 9}
    with pytest.warns(
        UserWarning, match=r"1 value\(s\) above 1, the highest 1.05.*query q"
    ):
        found = value("alpha_ndcg(alpha=1)@2", rows)
    second = 1 / np.log2(3)
    assert found == pytest.approx((3 + 3 * second) / (4 + second))
    rows = {name: column[:8] for name, column in rows.items()}
    assert value("alpha_ndcg(alpha=1)@2", rows) == 1  # all orders of eight are tried


# ---- forms of input --------------------------------------------------------------------


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_matrix, np.asarray, list])
def test_sparse_and_dense_subtopics(form):
    rows = example()
    expected = ranking_scores(**rows, metrics=FAMILY)
    y_true = rows.pop("y_true")
    y_true = y_true.tolist() if form is list else form(y_true)
    assert ranking_scores(y_true, **rows, metrics=FAMILY) == expected


def test_subtopics_aside():
    rows = example()
    expected = ranking_scores(**rows, metrics=[*FAMILY, "ndcg@3"])
    subtopics = rows["y_true"]
    rows["y_true"] = subtopics.max(axis=1)
    found = ranking_scores(**rows, metrics=[*FAMILY, "ndcg@3"], subtopics=subtopics)
    assert found == expected
    assert nrbp_score(**rows, subtopics=subtopics) == expected["nrbp"]
    assert found["ndcg@3"] == ranking_scores(**rows, metrics="ndcg@3")["ndcg@3"]


def test_rows_in_any_order():
    rng = np.random.default_rng(4)
    rows = random_queries(rng, 5)
    expected = ranking_scores(**rows, metrics=FAMILY, replace_undefined_by=np.nan)
    order = rng.permutation(len(rows["groups"]))
    shuffled = {name: column[order] for name, column in rows.items()}
    found = ranking_scores(**shuffled, metrics=FAMILY, replace_undefined_by=np.nan)
    assert found == pytest.approx(expected, rel=1e-13)


def test_a_subtopic_that_no_query_has_changes_nothing():
    rows = example()
    expected = ranking_scores(**rows, metrics=FAMILY)
    rows["y_true"] = np.c_[rows["y_true"], np.zeros(6)][:, [3, 1, 0, 2]]
    assert ranking_scores(**rows, metrics=FAMILY) == pytest.approx(expected)


def test_a_scorer_takes_subtopics_as_y():
    class Model:
        def predict(self, X):
            return X[:, 1]

    rows = example()
    X = np.column_stack([np.zeros(5), [5, 4, 3, 2, 1]])
    scorer = make_ranking_scorer("alpha_ndcg@3", groups=0)
    expected = alpha_ndcg_score(rows["y_true"][:5], X[:, 1], groups=[0] * 5, k=3)
    assert scorer(Model(), X, rows["y_true"][:5]) == expected


def test_a_report_has_them_by_segment():
    rows = random_queries(np.random.default_rng(5))
    report = ranking_report(
        **rows, metrics=["alpha_ndcg", "ndcg"], k=2, by=rows["groups"] % 2
    )
    assert report.count("1 - 0") + report.count("0 - 1") == 2


# ---- undefined, and bad input ----------------------------------------------------------


@pytest.mark.parametrize("name", FAMILY)
def test_without_a_relevant_subtopic(name):
    y_true = np.array([[0, 0], [0, 0], [1, 0], [0, 1.0]])
    found = per_query_scores(
        y_true, [2, 1, -np.inf, -np.inf], groups=[1, 1, 2, 2], metrics=name
    )
    assert np.isnan(found.scores[name][0])
    assert found.scores[name][1] == 0  # nothing retrieved
    rows = {"y_score": [2, 1], "groups": [1, 1]}
    without = per_query_scores(np.empty((2, 0)), **rows, metrics=[name, "ndcg"])
    assert np.isnan([*without.scores.values()]).all()


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"y_true": [[1, -1], [0, 1]]}, r"1 value\(s\) that are negative.*-1.* in row 0"),
        ({"y_true": [[1, np.nan], [0, 1]]}, "negative or missing, the first nan"),
        ({"y_true": [1, 0]}, "`subtopics` is needed, the relevance of each row to each"),
        ({"subtopics": [[1, 0]], "y_true": [1, 1]}, "a row for each, with a column for"),
        ({"subtopics": [1, 0], "y_true": [1, 1]}, "a row for each, with a column for"),
        ({"subtopics": [[1], [1]], "y_true": [1, 0]}, "Row 1 is relevant to a subtopic"),
        ({"alpha": 1.5}, "`alpha` must be a number from 0 to 1, got 1.5"),
        ({"y_true": [[1, 0], [0, 1], [1, 1]]}, "3 rows"),
    ],
)
def test_bad_input(given, text):
    rows = {"y_true": [[1, 0], [0, 1]], "y_score": [2, 1], "groups": [0, 0], **given}
    with pytest.raises(ValueError, match=text):
        alpha_ndcg_score(**rows)


def test_without_groups():
    with pytest.raises(ValueError, match="`subtopics` is needed"):
        subtopic_recall_at_k_score([[1, 0], [0, 1]], [[2, 1], [1, 2]])
    with pytest.raises(ValueError, match="`subtopics` need rows, one per document"):
        err_ia_score([[1, 0]], [[2, 1]], subtopics=[[1, 0]])


def test_ordinary_metrics_do_not_take_them_alone():
    rows = example()
    with pytest.raises(ValueError, match="`y_true`"):
        ranking_scores(**rows, metrics="ndcg@3")


@pytest.mark.parametrize("alpha", [0, 0.05, 0.5, 1])
def test_what_has_faded_is_left_out(alpha):
    """Of thousands of tied rows most are worth nothing: by the number of draws."""
    n, h = 3000, 900
    y_true = np.zeros((n, 1))
    y_true[:h] = 1
    found = nrbp_score(y_true, np.ones(n), groups=[0] * n, alpha=alpha, beta=0.999)
    chance = np.zeros(h + 1)
    chance[0] = 1.0
    fade = (1.0 - alpha) ** np.arange(h + 1)
    expected = 0.0
    for j in range(n):
        hit = np.clip((h - np.arange(h + 1)) / (n - j), 0, 1)
        expected += (chance * hit * fade).sum() * 0.999**j
        step = chance * hit
        chance = chance - step
        chance[1:] += step[:-1]
    assert found == pytest.approx(expected * (1 - (1 - alpha) * 0.999), rel=1e-10)


@pytest.mark.parametrize("row", [0, 1, 2, 3])
def test_the_row_of_a_wrong_subtopic_is_named(row):
    y_true = np.ones((4, 2))
    y_true[1] = 0  # a row of which nothing is stored
    y_true[row] = [-1, 0]
    with pytest.raises(ValueError, match=rf"1 value\(s\) .* first -1.0 in row {row};"):
        per_query_scores(y_true, [4, 3, 2, 1], groups=[0] * 4, metrics="alpha_ndcg")

"""Bounds for what nobody judged, against all that judges could say."""

from functools import cache
from itertools import product

import numpy as np
import pytest

from sklearn_rank.inputs import fill_unjudged, from_item_lists
from sklearn_rank.metrics import (
    Catalogue,
    ndcg_score,
    per_query_scores,
    ranking_scores,
    unjudged_bounds,
)
from sklearn_rank.metrics._core._registry import parse_metric
from tests.metrics.registered import METRICS

NAN = np.nan
TIES = ("average", "worst", "best", "first")

# Metrics with other parameters than their defaults.
MORE = (
    "cg(gain='exponential')@2",
    "dcg(discount='jarvelin')",
    "dcg(discount='reciprocal')@3",
    "err(max_grade=3)@2",
    "f1(beta=2)@3",
    "inst(desired_gain=2.5)",
    "insq(desired_gain=0.5)@3",
    "interpolated_precision(recall_level=0.1)",
    "interpolated_precision(recall_level=1)",
    "map(average='geometric')",
    "map(denominator='relevant')@2",
    "mean_rank(percentile=True)",
    "ndcg(discount='jarvelin', log_base=10)",
    "ndcg(gain='exponential')@3",
    "q_measure(beta=10)@3",
    "rbp(persistence=0.5)@3",
    "recall(denominator='attainable')@2",
)
# Those that tell unjudged rows apart, and whose mean depends on weights of their own.
TELLS_APART = {name for name, metric in METRICS.items() if metric.unjudged == "needed"}
WEIGHS = {"pooled_recall"}
# A bare `accuracy@2` is refused, as it has two meanings.
SPELLED = {"accuracy": "accuracy(n_items=None)"}
PLAIN = tuple(
    f"{SPELLED.get(name, name)}@{k}" if k else SPELLED.get(name, name)
    for name, metric in METRICS.items()
    if name not in TELLS_APART
    for k in ((2, None) if metric.takes_k else (None,))
)
BOUNDED = tuple(n for n in (*PLAIN, *MORE) if n.partition("@")[0] not in WEIGHS)
DECLARED = (*PLAIN, *MORE, "map(denominator='retrieved')@3")
# By score, ties, and ranks that are not retrieved.
SCORES = (
    [5, 4, 3, 2, 1],
    [3, 3, 2, 2, 2],
    [3, 2, 2, 1, -np.inf],
    [4, 3, 2, -np.inf, -np.inf],
)


def values_of(y_true, score, metrics, ties, **given):
    """Return values with a row for each row of grades, and the highest grade fixed."""
    # The first row has the highest grade, so that each call has the same one.
    y_true = np.array([np.full(len(score), 2.0), *y_true])
    found = per_query_scores(
        y_true, np.tile(score, (len(y_true), 1)), metrics=metrics, ties=ties, **given
    )
    return {name: values[1:] for name, values in found.scores.items()}


# ---- the declaration -------------------------------------------------------------------


@cache
def losses(ties, score):
    """Return by metric which rows lowered a value by moving up: of which grade."""
    grades = np.array(list(product((0, 1, 2), repeat=5)), dtype=float)
    number = {tuple(row): i for i, row in enumerate(grades)}
    moves = [
        (i, number[tuple(_swapped(row, above, below))], row[below] == row.max())
        for i, row in enumerate(grades)
        for above, below in product(range(5), repeat=2)
        if row[above] == 0 < row[below] and _is_above(score, above, below, ties)
    ]
    before, after, is_highest = map(np.array, zip(*moves, strict=True))
    lost = {}
    for name, values in values_of(grades, score, DECLARED, ties).items():
        sign = -1 if parse_metric(name).lower_is_better else 1
        worse = sign * (values[after] - values[before]) < -1e-12
        worse |= np.isnan(values[after]) != np.isnan(values[before])
        lost[name] = {"highest" if flag else "lower" for flag in is_highest[worse]}
    return lost


def _is_above(score, above, below, ties):
    is_tied = score[above] == score[below]
    return score[above] > score[below] or (ties == "first" and is_tied and above < below)


def _swapped(row, above, below):
    row = row.copy()
    row[[above, below]] = row[[below, above]]
    return row


def lost_by(name):
    """Return the same for all scores, and all that ties may count for."""
    return set().union(*(losses(ties, tuple(s))[name] for ties in TIES for s in SCORES))


@pytest.mark.parametrize("name", DECLARED)
def test_a_row_that_moves_up_makes_no_value_worse(name):
    may_lose = {"any": set(), "highest": {"lower"}, "none": {"lower", "highest"}}
    assert lost_by(name) <= may_lose[parse_metric(name).improves_by]


@pytest.mark.parametrize("n_rows", [9, 20])
def test_no_row_of_a_longer_list_does_either(n_rows):
    rng = np.random.default_rng(n_rows)
    grades = rng.choice([0.0, 1, 2], (2000, n_rows), p=[0.6, 0.2, 0.2])
    moved = grades.copy()
    for row in moved:
        above, below = np.sort(rng.choice(n_rows, 2, replace=False))
        # Of the highest grade, which is the one for all metrics.
        if row[above] == 0 and row[below] == 2:
            row[[above, below]] = 2, 0
    assert (grades != moved).any(axis=1).sum() > 100
    names = [*PLAIN, *MORE, "inst(desired_gain=10)", "inst(desired_gain=5)@7"]
    score = np.arange(n_rows, 0, -1)
    before, after = (values_of(y, score, names, "average") for y in (grades, moved))
    for name in names:
        change = after[name] - before[name]
        worse = change > 1e-12 if parse_metric(name).lower_is_better else change < -1e-12
        assert not worse.any(), name


def test_no_declaration_is_too_careful():
    assert lost_by("q_measure") == {"lower"}
    assert lost_by("map(denominator='retrieved')@3") == {"lower", "highest"}
    careful = {name for name in DECLARED if parse_metric(name).improves_by != "any"}
    assert {name[:9] for name in careful} == {"q_measure", "map(denom"}


# ---- the bounds ------------------------------------------------------------------------


def all_answers(grades, relevance):
    """Return the rows of grades for all that judges could say."""
    is_unjudged = np.isnan(grades)
    answers = list(product((0, relevance), repeat=int(is_unjudged.sum())))
    filled = np.tile(grades, (len(answers), 1))
    filled[:, is_unjudged] = answers
    return filled


def some_queries(seed, levels):
    """Return grades of six queries: one all judged, one not at all, others in part."""
    rng = np.random.default_rng(seed)
    grades = rng.choice(np.array(levels, dtype=float), (6, 5))
    grades[0, 0] = levels[-1]
    for query in range(2, 6):
        grades[query, rng.permutation(5)[: rng.integers(1, 5)]] = NAN
    grades[1] = NAN
    return grades


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("levels", [(0, 2), (0, 1, 2)])
def test_bounds_are_the_extremes_of_all_that_judges_could_say(ties, score, levels):
    for seed, fill in ((0, NAN), (1, 0.25)):
        grades = some_queries(seed, levels)
        found = unjudged_bounds(
            grades,
            np.tile(score, (6, 1)),
            metrics=BOUNDED,
            ties=ties,
            replace_undefined_by=fill,
        )
        for query, row in enumerate(grades):
            possible = values_of(
                all_answers(row, 2), score, BOUNDED, ties, replace_undefined_by=fill
            )
            for name, values in possible.items():
                lower, upper = found.lower.scores[name], found.upper.scores[name]
                expected = np.fmin.reduce(values), np.fmax.reduce(values)
                got = lower[query], upper[query]
                np.testing.assert_allclose(got, expected, rtol=1e-12, err_msg=name)


def test_two_passes_are_enough_for_metrics_that_only_grow():
    rng = np.random.default_rng(3)
    grades = rng.choice([0, 1, NAN], (20, 30))
    scores = rng.integers(0, 12, (20, 30))
    names = ["precision@5", "hit_rate@5", "mrr", "cg@5", "dcg", "rbp"]
    found = unjudged_bounds(grades, scores, metrics=names, replace_undefined_by=0)
    for bound, fill in (("lower", "worst"), ("upper", "best")):
        filled = fill_unjudged(grades, unjudged=fill)
        expected = per_query_scores(filled, scores, metrics=names, replace_undefined_by=0)
        for name in names:
            np.testing.assert_array_equal(
                found[bound].scores[name], expected.scores[name], err_msg=name
            )


def test_by_hand():
    # Relevant, unjudged, irrelevant, unjudged: 1/1, 1/2 or 2/2, 2/3 are found by rank 2.
    found = unjudged_bounds([[1, NAN, 0, NAN]], [[4, 3, 2, 1]], metrics=["recall@2", "map"])
    assert found.irrelevant.scores["recall@2"].tolist() == [1]
    assert found.lower.scores["recall@2"].tolist() == [0.5]
    assert found.upper.scores["recall@2"].tolist() == [1]
    assert found.lower.scores["map"] == pytest.approx([(1 + 2 / 4) / 2])
    assert found.upper.scores["map"].tolist() == [1]


def test_flat_input_is_the_same_as_a_grid():
    rng = np.random.default_rng(4)
    grades, scores = rng.choice([0, 1, 2, NAN], (5, 8)), rng.integers(0, 4, (5, 8))
    expected = unjudged_bounds(grades, scores, metrics=["ndcg@3", "map"])
    for labels in (
        np.array([*"edbca"]),
        np.array([3, 1, "x", ("y", 2), 0.5], dtype=object),
    ):
        order = rng.permutation(40)
        groups = labels.repeat(8)[order]
        found = unjudged_bounds(
            grades.ravel()[order],
            scores.ravel()[order],
            groups=groups,
            metrics=["ndcg@3", "map"],
        )
        as_usual = per_query_scores(
            np.nan_to_num(grades).ravel()[order], scores.ravel()[order], groups=groups
        )
        assert found.lower.groups.tolist() == as_usual.groups.tolist()
        place = [labels.tolist().index(label) for label in found.lower.groups.tolist()]
        for bound in expected:
            for name, values in expected[bound].scores.items():
                np.testing.assert_allclose(
                    found[bound].scores[name], values[place], rtol=1e-13
                )


def test_irrelevant_and_judged_only():
    rng = np.random.default_rng(5)
    grades, scores = rng.choice([0, 1, 2, NAN], 60), rng.permutation(60)
    groups = rng.choice([*"abcd"], 60)
    grades[groups == "b"] = NAN
    names = ["ndcg@3", "mean_rank", "accuracy(n_items=None)@2"]
    found = unjudged_bounds(grades, scores, groups=groups, metrics=names)
    filled = per_query_scores(np.nan_to_num(grades), scores, groups=groups, metrics=names)
    some = ~np.isnan(grades)
    judged = per_query_scores(
        grades[some], scores[some], groups=groups[some], metrics=names
    )
    assert found.judged_only.groups.tolist() == [*"abcd"]
    for name in names:
        np.testing.assert_array_equal(found.irrelevant.scores[name], filled.scores[name])
        condensed = found.judged_only.scores[name]
        np.testing.assert_array_equal(condensed[[0, 2, 3]], judged.scores[name])
        assert np.isnan(condensed[1])
    found = unjudged_bounds(
        grades, scores, groups=groups, metrics="map", replace_undefined_by=0
    )
    assert found.judged_only.scores["map"][1] == 0
    nothing = unjudged_bounds([[NAN, NAN]], [[2, 1]], metrics="map", relevance=1)
    assert np.isnan(nothing.judged_only.scores["map"]).all()
    assert nothing.upper.scores["map"] == 1


def test_what_judgments_do_not_mention_is_unjudged():
    rows = from_item_lists([{"tea": 1, "jam": 0}], [["rice", "tea", "jam"]])
    found = unjudged_bounds(**rows, metrics="mrr")
    assert found.lower.mean()["mrr"] == 0.5
    assert found.upper.mean()["mrr"] == 1


def test_where_all_is_judged_the_bounds_are_the_value():
    found = unjudged_bounds([[0, 1, 2]], [[3, 2, 1]], metrics=ndcg_score)
    expected = ndcg_score([[0, 1, 2]], [[3, 2, 1]])
    assert {bound.mean()["ndcg"] for bound in found.values()} == {expected}


def test_bounds_of_the_mean():
    rng = np.random.default_rng(6)
    grades = rng.choice([0, 1, NAN], (3, 4), p=[0.4, 0.2, 0.4])
    grades[0] = [NAN, 0, 0, NAN]
    scores, weight = rng.permuted(np.tile(np.arange(4), (3, 1)), axis=1), [2, 1, 0.5]
    given = {"metrics": "map", "sample_weight": weight, "replace_undefined_by": 0}
    found = unjudged_bounds(grades, scores, relevance=1, **given)
    means = [
        ranking_scores(list(answer), scores, **given)["map"]
        for answer in product(*(all_answers(row, 1) for row in grades))
    ]
    assert found.lower.mean()["map"] == pytest.approx(min(means), rel=1e-12)
    assert found.upper.mean()["map"] == pytest.approx(max(means), rel=1e-12)


def test_grades_in_between():
    names = ["ndcg", "cg@2", "dcg@2", "err", "rbp@2", "map", "recall@2"]
    rng = np.random.default_rng(7)
    above = 0
    for _ in range(40):
        grades = rng.integers(0, 2, 4).astype(float)
        grades[rng.permutation(4)[:2]] = NAN
        score = rng.permutation(4)
        possible = np.array([grades] * 9)
        possible[:, np.isnan(grades)] = list(product((0, 1, 2), repeat=2))
        given = {"metrics": names, "replace_undefined_by": 0}
        values = values_of(possible, score, ties="average", **given)
        found = unjudged_bounds([grades], [score], relevance=2, **given)
        for name in names:
            assert np.fmin.reduce(values[name]) >= found.lower.scores[name][0] - 1e-12
            # The ideal list has the grades in between, too.
            is_above = np.fmax.reduce(values[name]) > found.upper.scores[name][0] + 1e-12
            assert not is_above or name == "ndcg"
            above += is_above
    assert above


def test_the_highest_grade_is_the_same_whatever_judges_say():
    # A grade of 4 among 2s halves what 2 is worth to ERR, whether it occurs or not.
    found = unjudged_bounds([[2, NAN]], [[2, 1]], metrics="err", relevance=4)
    assert found.lower.mean()["err"] == pytest.approx(3 / 16)
    again = unjudged_bounds([[2, NAN]], [[2, 1]], metrics="err(max_grade=4)", relevance=4)
    assert found.upper.mean()["err"] == again.upper.mean()["err(max_grade=4)"]


# ---- what is refused -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("metrics", "text"),
    [
        ("map(denominator='retrieved')@3", r"may fall if a relevant row moves up"),
        ("bpref", "'bpref' are not known: it handles unjudged rows"),
        ("judged@2", "handles unjudged rows"),
        ("ips_ndcg@2", "more than the ranks of relevant rows"),
        ("alpha_ndcg@2", "more than the ranks"),
        ("novelty@2", "more than the ranks"),
        ("coverage@2", "more than the ranks"),
        ("rmse", "more than the ranks"),
        ("pooled_recall@2", "has weights of queries that depend on the judgments"),
        ("auc(weighting='pairs')", "weights of queries that depend"),
    ],
)
def test_metrics_whose_bounds_are_not_known(metrics, text):
    with pytest.raises(ValueError, match=text):
        unjudged_bounds([[1, NAN, 0]], [[3, 2, 1]], metrics=["ndcg", metrics])


def test_every_metric_is_bounded_or_refused():
    for name in METRICS:
        if name in TELLS_APART | WEIGHS:
            with pytest.raises(ValueError, match="not known"):
                unjudged_bounds([[1, NAN]], [[2, 1]], metrics=name)
        else:
            found = unjudged_bounds([[1, NAN, 0]], [[3, 2, 1]], metrics=name)
            assert found.lower.scores[name] <= found.upper.scores[name]


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"y_true": [[0, NAN, 0]]}, "give `relevance`"),
        ({"relevance": 0}, "`relevance` must be a finite number above 0"),
        ({"relevance": np.inf}, "`relevance` must be a finite number above 0"),
        ({"min_relevance": 3, "metrics": "map"}, "no unjudged row would be relevant"),
        ({"relevance": 1, "metrics": "q_measure"}, "known for the highest grade alone"),
        (
            {"relevance": 3, "metrics": "err(max_grade=2)"},
            "2.0, but the highest grade is 3",
        ),
        ({"y_true": [[2, -1, 0]]}, "-1"),
        ({"y_true": [[2, -0.0]], "y_score": [[2, 1]]}, "comes from relevant items"),
        ({"y_score": [[1, NAN, 2]]}, "y_score"),
        ({"y_true": [2, NAN, 0]}, "y_score"),
        ({"groups": ["a"]}, "groups"),
        ({"ties": "mean"}, "ties"),
        ({"metrics": "ndgc"}, "ndcg"),
        ({"replace_undefined_by": "raise"}, "replace_undefined_by"),
    ],
)
def test_bad_input(change, text):
    given = {"y_true": [[2, NAN, 0]], "y_score": [[3, 2, 1]]} | change
    with pytest.raises(ValueError, match=text):
        unjudged_bounds(**given)


def test_errors_have_the_label_of_the_query():
    grades, score = [1.0, 0] + [NAN] * 20, [2, 1] + [0] * 20
    with pytest.raises(ValueError, match="Query late has more than 10000 orders"):
        unjudged_bounds(
            [1, 0, *grades],
            [2, 1, *score],
            groups=["early"] * 2 + ["late"] * 22,
            metrics="inst",
            relevance=1,
        )


def test_a_catalogue_changes_nothing():
    with pytest.raises(TypeError, match="catalogue"):
        unjudged_bounds([[1, NAN]], [[2, 1]], catalogue=Catalogue(items=range(2)))

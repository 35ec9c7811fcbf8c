"""Several metrics in one call: each is what it is alone, however long the lists are."""

import numpy as np
import pytest

from sklearn_rank.metrics import (
    mean_average_precision_score,
    per_query_scores,
    ranking_report,
    ranking_scores,
    roc_auc_per_query_score,
)
from sklearn_rank.metrics._core._registry import parse_metrics

NAMES = [
    "ndcg@3",
    "precision@40",
    "mrr@1",
    "map@7",
    "recall(denominator='attainable')@50",
    "auc",
    "ndcg",
    "auc(weighting='pairs')",
    "mrr(min_relevance=2)",
]


def long_lists(seed, *, levels, equal=False):
    """Return rows of long queries, some without relevant rows.

    They have 1 to 900 rows in random order, or 900 each, query after query: these are
    searched for their first ranks, not sorted, where cutoffs allow it.
    """
    rng = np.random.default_rng(seed)
    lengths = np.full(28, 900) if equal else np.r_[rng.integers(1, 900, 25), 1, 2, 899]
    groups = np.repeat(np.arange(len(lengths)), lengths)
    y_true = rng.integers(0, 4, len(groups)) * (rng.random(len(groups)) < 0.1)
    y_true[groups % 6 == 0] = 0
    y_score = rng.integers(0, levels, len(groups)).astype(float)
    y_score[rng.random(len(groups)) < 0.02] = -np.inf
    order = np.arange(len(groups)) if equal else rng.permutation(len(groups))
    return {"y_true": y_true[order], "y_score": y_score[order], "groups": groups[order]}


@pytest.mark.parametrize(
    ("names", "depth"),
    [
        (["ndcg@3"], 3),
        (["ndcg@3", "mrr@50", "map@7"], 50),
        (["ndcg@3", "mrr"], None),
        (["ndcg@3", "auc"], None),
        (["precision"], 10),
        (["r_precision"], None),
    ],
)
def test_how_deep_metrics_look(names, depth):
    ranks = {metric.last_rank for metric in parse_metrics(names)}
    assert (None if None in ranks else max(ranks)) == depth


@pytest.mark.parametrize("ties", ["average", "worst", "best", "first"])
@pytest.mark.parametrize("levels", [3, 40, 2**40])
@pytest.mark.parametrize("names", [NAMES[:5], NAMES], ids=["cut", "some whole"])
@pytest.mark.parametrize("equal", [False, True], ids=["scattered", "of one length"])
def test_together_as_alone(names, levels, ties, equal):
    rows = long_lists(levels % 97, levels=levels, equal=equal)
    together = per_query_scores(**rows, metrics=names, ties=ties)
    means = ranking_scores(**rows, metrics=names, ties=ties, replace_undefined_by=np.nan)
    for name in names:
        alone = per_query_scores(**rows, metrics=name, ties=ties)
        np.testing.assert_array_equal(together.groups, alone.groups)
        np.testing.assert_allclose(
            together.scores[name], alone.scores[name], rtol=1e-12, err_msg=name
        )
        mean = ranking_scores(**rows, metrics=name, ties=ties, replace_undefined_by=np.nan)
        assert means[name] == pytest.approx(mean[name], rel=1e-12)


@pytest.mark.parametrize("weighting", ["query", "positives", "pairs"])
@pytest.mark.parametrize("min_relevance", [None, 2])
def test_what_weighs_queries_may_stand_in_a_name(weighting, min_relevance):
    rows = long_lists(7, levels=40) | {"replace_undefined_by": 0.5}
    name = f"auc(weighting='{weighting}', min_relevance={min_relevance})"
    weight = np.random.default_rng(2).random(28)[rows["groups"]]
    for sample_weight in (None, weight):
        found = ranking_scores(**rows, metrics=name, sample_weight=sample_weight)[name]
        assert found == roc_auc_per_query_score(
            **rows,
            weighting=weighting,
            min_relevance=min_relevance,
            sample_weight=sample_weight,
        )


@pytest.mark.parametrize("min_relevance", [None, 2])
def test_weights_by_positives_and_pairs(min_relevance):
    rows = long_lists(8, levels=40)
    relevant = rows["y_true"] >= (min_relevance or 1)
    n_items = np.bincount(rows["groups"])
    n_relevant = np.bincount(rows["groups"], relevant)
    shared = {"min_relevance": min_relevance, "replace_undefined_by": 0.0}
    values = per_query_scores(**rows, **shared, metrics="auc").scores["auc"]
    for weighting, weight in (
        ("query", np.ones(len(n_items))),
        ("positives", n_relevant),
        ("pairs", n_relevant * (n_items - n_relevant)),
    ):
        (mean,) = ranking_scores(
            **rows, **shared, metrics=f"auc(weighting='{weighting}')"
        ).values()
        assert mean == pytest.approx(np.average(values, weights=weight), rel=1e-12)


def test_the_mean_may_stand_in_a_name():
    rows = long_lists(9, levels=40) | {"replace_undefined_by": 0.0}
    name = "map(average='geometric')@7"
    found = ranking_scores(**rows, metrics=name)[name]
    assert found == mean_average_precision_score(**rows, k=7, average="geometric")
    assert found < mean_average_precision_score(**rows, k=7)


@pytest.mark.parametrize("levels", [3, 40])
@pytest.mark.parametrize("equal", [False, True], ids=["scattered", "of one length"])
def test_the_first_of_tied_rows_in_long_lists(levels, equal):
    """Against a stable sort of each query."""
    rows = long_lists(5, levels=levels, equal=equal)
    found = per_query_scores(
        **rows, metrics=["precision@5", "precision@40", "mrr@7"], ties="first"
    )
    for label, at_5, at_40, mrr in zip(found.groups, *found.scores.values(), strict=True):
        of_query = rows["groups"] == label
        order = np.argsort(-rows["y_score"][of_query], kind="stable")
        retrieved = rows["y_score"][of_query][order] > -np.inf
        hits = rows["y_true"][of_query][order][retrieved] > 0
        if not (rows["y_true"][of_query] > 0).any():
            assert np.isnan([at_5, at_40, mrr]).all()
            continue
        assert (at_5, at_40) == (hits[:5].sum() / 5, hits[:40].sum() / 40)
        assert mrr == (1 / (1 + np.argmax(hits[:7])) if hits[:7].any() else 0)


def test_conventions_sort_once_for_each_way_of_ties():
    rows = long_lists(3, levels=3, equal=True)
    names = ["ndcg@3", "mrr@50", "map@7", "precision@40"]
    together = ranking_scores(**rows, metrics=names, convention="torchmetrics")
    for name in names:
        alone = ranking_scores(**rows, metrics=name, convention="torchmetrics")
        assert together[name] == pytest.approx(alone[name], rel=1e-12)
    assert list(together) == names


@pytest.mark.parametrize("k", [1, 5, 30])
def test_a_weight_counts_as_so_many_queries(k):
    rows = long_lists(11, levels=40)
    weights = np.random.default_rng(k).integers(0, 4, 28)
    shared = {"metrics": [f"ndcg@{k}", "auc(weighting='pairs')"]}
    weighted = ranking_scores(
        **rows, **shared, sample_weight=weights[rows["groups"]], replace_undefined_by=np.nan
    )
    copies = [np.flatnonzero(weights[rows["groups"]] > copy) for copy in range(3)]
    repeated = {name: np.concatenate([rows[name][i] for i in copies]) for name in rows}
    repeated["groups"] = np.concatenate(
        [rows["groups"][i] + 100 * copy for copy, i in enumerate(copies)]
    )
    expected = ranking_scores(**repeated, **shared, replace_undefined_by=np.nan)
    assert weighted == pytest.approx(expected, rel=1e-12)


def test_a_report_weighs_as_the_means_do():
    rows = long_lists(13, levels=40)
    weight = np.random.default_rng(1).integers(0, 4, 28)[rows["groups"]]
    names = ["mrr@5", "map@7", "auc(weighting='positives')"]
    shared = {"metrics": names, "sample_weight": weight}
    report = ranking_report(**rows, **shared, output_dict=True)
    means = ranking_scores(**rows, **shared, replace_undefined_by=np.nan)
    assert {name: row["mean"] for name, row in report.items()} == pytest.approx(means)
    counted = {name: row["queries"] + row["undefined"] for name, row in report.items()}
    n_weighted = len(np.unique(rows["groups"][weight > 0]))
    assert counted["mrr@5"] == counted["map@7"] == n_weighted

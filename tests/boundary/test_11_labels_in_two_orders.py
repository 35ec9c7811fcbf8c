"""Pandas arguments are paired by position, which their labels may not contradict."""

import re

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from sklearn_rank.metrics import (
    PerQueryScores,
    ap_correlation_score,
    group_exposure,
    ips_recall_at_k_score,
    make_ranking_scorer,
    mean_average_precision_score,
    ndcg_score,
    per_query_scores,
    precision_at_k_score,
    unjudged_bounds,
)
from sklearn_rank.online import (
    compare_variants,
    interleaving_test,
    off_policy_value,
    propensities_from_swaps,
)
from sklearn_rank.statistics import (
    compare_models,
    confidence_interval,
    judge_assisted_mean,
    krippendorff_alpha_score,
    rater_agreement,
)

pd = pytest.importorskip("pandas")

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

RNG = np.random.default_rng(0)
LABELS = [f"r{row}" for row in range(60)]
TRUE = pd.Series(RNG.integers(0, 3, 60), index=LABELS)
SCORE = pd.Series(RNG.random(60), index=LABELS)
GROUPS = pd.Series(np.repeat(np.arange(6), 10), index=LABELS)
MIXED = SCORE.sample(frac=1, random_state=0)


def refuses(call, message="in two orders"):
    with pytest.raises(ValueError, match=message):
        call()


def test_acceptance_example():
    items = list("abcde")
    Y = pd.DataFrame(RNG.integers(0, 2, (4, 5)), columns=items)
    P = pd.DataFrame(RNG.random((4, 5)), columns=items)
    message = (
        "y_true and y_score have the same columns in two orders (column 0: 'a', 'e'), and "
        "columns are paired by position. Use y_score[y_true.columns], or to_numpy() if "
        "they are in one order already."
    )
    back = P[Y.columns[::-1]]
    refuses(lambda: mean_average_precision_score(Y, back), re.escape(message))
    right = mean_average_precision_score(Y, P)
    assert mean_average_precision_score(Y, back[Y.columns]) == right
    plain = P.set_axis(range(5), axis=1)
    mean_average_precision_score(Y.set_axis(range(5), axis=1), plain[plain.columns[::-1]])


def test_rows():
    first = MIXED.index[0]
    message = (
        f"y_true and y_score have one index in two orders (row 0: 'r0', {first!r}), and "
        "rows are paired by position. Use y_score.loc[y_true.index], or to_numpy() if they "
        "are in one order already."
    )
    refuses(lambda: ndcg_score(TRUE, MIXED, groups=GROUPS), re.escape(message))
    right = ndcg_score(TRUE, SCORE, groups=GROUPS)
    assert ndcg_score(TRUE, MIXED.loc[TRUE.index], groups=GROUPS) == right
    ndcg_score(TRUE, MIXED.to_numpy(), groups=GROUPS)


def test_other_arguments():
    mixed = GROUPS.sample(frac=1, random_state=0)
    refuses(lambda: ndcg_score(TRUE, SCORE, groups=mixed), "y_true and groups")
    refuses(lambda: ndcg_score(TRUE.to_numpy(), SCORE, groups=mixed), "y_score and groups")
    ones = pd.Series(1.0, index=mixed.index)
    rows = {"y_true": TRUE, "y_score": SCORE, "groups": GROUPS}
    refuses(lambda: ndcg_score(**rows, sample_weight=ones), "sample_weight")
    refuses(lambda: ips_recall_at_k_score(**rows, propensity=ones, k=3), "propensity")
    refuses(lambda: group_exposure(**rows, item_groups=ones), "item_groups")
    rows["y_score"] = MIXED
    refuses(lambda: unjudged_bounds(**rows, metrics="recall@3"))
    refuses(lambda: per_query_scores(**rows, metrics="rmse"))


def test_one_value_a_column():
    Y = pd.DataFrame(RNG.integers(0, 2, (5, 5)), columns=list("abcde"))
    P = Y + RNG.random((5, 5))
    propensity = pd.Series([0.1, 0.2, 0.3, 0.4, 0.5], index=list("abcde"))
    right = ips_recall_at_k_score(Y, P, propensity=propensity, k=2)
    back = propensity[::-1]
    advice = re.escape("Use propensity.loc[y_true.columns]")
    refuses(lambda: ips_recall_at_k_score(Y, P, propensity=back, k=2), advice)
    assert ips_recall_at_k_score(Y, P, propensity=back.loc[Y.columns], k=2) == right


@pytest.mark.parametrize(
    "index",
    [range(60), range(100, 160), [f"x{row}" for row in range(60)]],
    ids=["none", "other_numbers", "other_labels"],
)
def test_other_sets_of_labels_pass(index):
    fresh = MIXED.set_axis(index)
    assert ndcg_score(TRUE, fresh, groups=GROUPS) >= 0
    assert ndcg_score(TRUE.sample(frac=1).reset_index(drop=True), fresh, groups=GROUPS)


def test_a_shuffled_fold_beside_a_fresh_series_passes():
    fold = TRUE.reset_index(drop=True).sample(frac=1, random_state=0)
    ndcg_score(fold, pd.Series(SCORE.to_numpy()), groups=GROUPS.to_numpy())


def test_default_labels_of_one_table_are_its_own():
    # One Series with default labels may be fresh; two with the same index have a table.
    right = pytest.approx(ndcg_score(TRUE, SCORE, groups=GROUPS))
    table = pd.DataFrame({"true": TRUE.array, "score": SCORE.array, "q": GROUPS.array})
    by_score = table["score"].sort_values(ascending=False)
    refuses(
        lambda: ndcg_score(table["true"], by_score, groups=table["q"]),
        re.escape("Use y_score.loc[y_true.index]"),
    )
    mixed = table["q"].sample(frac=1, random_state=0)
    refuses(lambda: ndcg_score(table["true"], table["score"], groups=mixed), "and groups")
    assert ndcg_score(table["true"], table["score"], groups=table["q"]) == right
    # Predictions in a table of their own may be in the right order: then the advice is
    # to_numpy(), since .loc would mix them up.
    made = pd.DataFrame({"score": by_score.array, "q": table["q"][by_score.index].array})
    ordered = table["true"][by_score.index]
    message = "or to_numpy() if they are in one order already"
    refuses(
        lambda: ndcg_score(ordered, made["score"], groups=made["q"]), re.escape(message)
    )
    assert ndcg_score(ordered.to_numpy(), made["score"], groups=made["q"]) == right
    fold = table.sample(frac=1, random_state=0)
    fresh = pd.Series(fold["score"].array)
    assert ndcg_score(fold["true"], fresh, groups=fold["q"]) == right


def test_repeated_and_missing_labels():
    labels = ["a", "a", None, "b"]
    one = pd.Series([1, 0, 1, 0], index=labels)
    other = pd.Series([4.0, 3.0, 2.0, 1.0], index=["a", "a", "b", None])
    refuses(
        lambda: precision_at_k_score(one, other, groups=[1] * 4, k=2), "row 2: .*Use to"
    )
    third = other.set_axis(["a", "b", "b", None])  # the same labels, not as often
    precision_at_k_score(one, third, groups=[1] * 4, k=2)


def test_scorer_names_its_own_arguments():
    X = pd.DataFrame({"x": RNG.random(60), "q": GROUPS})
    model = Ridge().fit(X, TRUE)
    scorer = make_ranking_scorer("ndcg@10", groups="q")
    y = TRUE.sample(frac=1, random_state=0)
    refuses(lambda: scorer(model, X, y), re.escape("X and y have one index"))
    refuses(lambda: scorer(model, X, y), re.escape("Use y.loc[X.index]"))
    assert scorer(model, X, y.loc[X.index]) == scorer(model, X, TRUE)


def test_units():
    refuses(lambda: confidence_interval(SCORE, clusters=GROUPS.loc[MIXED.index]))
    refuses(lambda: judge_assisted_mean(SCORE, MIXED))
    refuses(lambda: compare_models({"a": SCORE, "b": MIXED}))
    refuses(lambda: ap_correlation_score(SCORE, MIXED))
    variant = pd.Series(list("uv") * 30, index=MIXED.index)
    refuses(lambda: compare_variants(SCORE, variant, control="u"))
    found = compare_variants(SCORE, variant.loc[SCORE.index], control="u")
    assert len(found) == 1


def test_logs():
    index = ["a", "b", "c", "d"]
    ones, other = pd.Series(1, index=index), pd.Series([0, 1, 0, 1], index=index[::-1])
    lists = [1, 1, 2, 2]
    refuses(lambda: interleaving_test(other, ones, impression=lists))
    refuses(lambda: interleaving_test([0, 1] * 2, ones, impression=lists, user=other))
    refuses(lambda: propensities_from_swaps(ones, other, lists))
    refuses(lambda: off_policy_value(ones, other, ones, slate=lists, position=[1, 2] * 2))
    refuses(lambda: rater_agreement(ones, units=lists, raters=other))


def test_units_need_the_same_labels():
    other = MIXED.set_axis([f"x{row}" for row in range(60)])
    message = re.escape(
        "scores['a'] and scores['b'] have different labels (row 0: 'r0', 'x0'), and values "
        "are matched by place. Bring both into one order, and pass to_numpy()."
    )
    refuses(lambda: compare_models({"a": SCORE, "b": other}), message)
    refuses(lambda: judge_assisted_mean(SCORE, other), "have different labels")
    variant = pd.Series(list("uv") * 30, index=other.index)
    refuses(lambda: compare_variants(SCORE, variant, control="u"), "have different labels")
    compare_variants(SCORE, variant.to_numpy(), control="u")
    scores = {"a": SCORE, "b": SCORE + 1}
    refuses(lambda: compare_models(scores, clusters=other), "and clusters have different")


def test_clusters_beside_labels_of_queries():
    found = per_query_scores(TRUE, SCORE, groups=GROUPS, metrics="ndcg@10")
    clusters = pd.Series(list("xxyyzz"), index=[5, 4, 3, 2, 1, 0])
    advice = re.escape("Use clusters.loc[groups]")
    refuses(lambda: confidence_interval(found, clusters=clusters), advice)
    confidence_interval(found, clusters=clusters.loc[found.groups])
    confidence_interval(found, clusters=pd.Series(list("xxyyzz")))


@pytest.mark.parametrize("name", ["clusters", "sample_weight"])
def test_values_beside_labels_of_queries(name):
    first = per_query_scores(TRUE, SCORE, groups=GROUPS, metrics="ndcg@10")
    second = per_query_scores(TRUE, -SCORE, groups=GROUPS, metrics="ndcg@10")
    beside = pd.Series([1, 1, 2, 2, 3, 3], index=[5, 4, 3, 2, 1, 0])

    def calls(values):
        yield lambda: confidence_interval(first, **{name: values})
        yield lambda: compare_models({"a": first, "b": second}, **{name: values})
        if name == "clusters":
            yield lambda: judge_assisted_mean(first, second, clusters=values)

    for call in calls(beside):
        refuses(call, re.escape(f"Use {name}.loc[groups]"))
    for call in calls(beside.set_axis(list("abcdef"))):
        refuses(call, re.escape(f"groups and {name} have different labels (row 0: 0, 'a')"))
    for values in (beside.loc[first.groups], beside.to_numpy(), pd.Series([1, 2] * 3)):
        for call in calls(values):
            assert call() is not None


def test_labels_that_count_from_zero_beside_others_that_do():
    scores = PerQueryScores([2, 0, 1], {"ap": [0.1, 0.2, 0.3]})
    clusters = pd.Series(list("xyz"))
    refuses(lambda: confidence_interval(scores, clusters=clusters), "have different labels")
    confidence_interval(scores, clusters=clusters.loc[scores.groups])


def test_metrics_of_models_by_name():
    scores = {"a": {"ap": SCORE}, "b": {"ap": MIXED}}
    refuses(lambda: compare_models(scores), re.escape("scores['b']['ap'].loc[{"[:-1]))
    refuses(lambda: compare_models({"a": {"ap": SCORE}, "b": {"ap": -TRUE}}, groups=MIXED))
    right = {"a": {"ap": SCORE}, "b": {"ap": MIXED.loc[SCORE.index]}}
    assert compare_models(right).columns["difference"][0] == 0


def test_weights_of_rated_units():
    grades = pd.DataFrame({"x": TRUE, "y": TRUE % 2})
    refuses(lambda: krippendorff_alpha_score(grades, sample_weight=MIXED))
    right = krippendorff_alpha_score(grades, sample_weight=MIXED.loc[grades.index])
    assert right == krippendorff_alpha_score(grades, sample_weight=SCORE.to_numpy())


def test_many_labels_are_judged_by_some_of_them():
    labels = np.arange(50_000) + 10
    true = pd.Series(labels % 2, index=labels)
    score = pd.Series(RNG.random(len(labels)), index=labels)
    groups = labels // 10
    refuses(lambda: ndcg_score(true, score[::-1], groups=groups), "one index in two")
    late = np.r_[labels[:25_000], labels[:24_999:-1]]
    refuses(
        lambda: ndcg_score(true, score.loc[late], groups=groups), "row 25000: 25010, 50009"
    )
    ndcg_score(true, score.set_axis(labels.copy()), groups=groups)

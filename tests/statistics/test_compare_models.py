"""compare_models: how models are matched, what is refused, what is warned of."""

import numpy as np
import pytest

from sklearn_rank.datasets import make_ranking
from sklearn_rank.exceptions import MisleadingScoreWarning
from sklearn_rank.metrics import PerQueryScores, per_query_scores
from sklearn_rank.statistics import ModelComparison, compare_models
from tests.statistics.examples import DARWIN, THREE_MODELS, against_zero

N = 40
LABELS = [f"q{i}" for i in range(N)]
RNG = np.random.default_rng(0)
ONE, OTHER, THIRD = RNG.uniform(size=(3, N))
FEW = pytest.mark.filterwarnings("ignore:.*queries; intervals")


def result(values, labels=LABELS, **options):
    named = values if isinstance(values, dict) else {"ndcg@10": values}
    return PerQueryScores(labels, named, **options)


def p_values(*models, **options):
    named = {f"m{i}": model for i, model in enumerate(models)}
    return compare_models(named, baseline="m0", **options).columns["p_value"].tolist()


def test_queries_are_matched_by_label():
    order = RNG.permutation(N)
    shuffled = result(OTHER[order], np.array(LABELS)[order])
    assert p_values(result(ONE), shuffled) == pytest.approx(p_values(ONE, OTHER))


def test_queries_are_matched_by_label_and_fold():
    labels = [f"q{i // 2}" for i in range(N)]
    fold = np.arange(N) % 2
    order = RNG.permutation(N)
    shuffled = result(OTHER[order], np.array(labels)[order], fold=fold[order])
    found = compare_models(
        {"a": result(ONE, labels, fold=fold), "b": shuffled}, baseline="a"
    )
    row = found.row("b")
    assert (row.n_queries, row.n_clusters) == (N, N // 2)
    apart = (OTHER - ONE).reshape(-1, 2).mean(axis=1)
    assert row.standard_error == pytest.approx(apart.std(ddof=1) / np.sqrt(N // 2))


def test_a_frame_has_a_column_a_model():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"m0": ONE, "m1": OTHER})
    found = compare_models(frame, baseline="m0")
    assert found.columns["p_value"].tolist() == p_values(ONE, OTHER)


def test_series_in_other_orders_are_refused():
    pd = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match="matched by position"):
        p_values(pd.Series(ONE), pd.Series(OTHER, index=range(1, N + 1)))


def test_several_metrics_and_families():
    scores = {
        "a": {"ndcg": ONE, "mrr": OTHER},
        "b": {"ndcg": OTHER, "mrr": THIRD},
        "c": {"ndcg": THIRD, "mrr": ONE},
    }
    each = compare_models(scores, baseline="a")
    both = compare_models(scores, baseline="a", family="all", correction="bonferroni")
    assert each.columns["metric"].tolist() == ["ndcg"] * 2 + ["mrr"] * 2
    expected = np.minimum(1, 4 * both.columns["p_value"])
    np.testing.assert_allclose(both.columns["p_adjusted"], expected)
    alone = compare_models(scores, baseline="a", metrics="mrr")
    assert alone.row("b").p_adjusted == each.row("b", metric="mrr").p_adjusted


def test_weights_of_results_count():
    weight = RNG.uniform(0.5, 2, N)
    weights = {"ndcg@10": weight}
    of_results = p_values(result(ONE, weights=weights), result(OTHER, weights=weights))
    assert of_results == p_values(ONE, OTHER, sample_weight=weight)
    with pytest.raises(ValueError, match="different weights"):
        p_values(result(ONE, weights=weights), result(OTHER))
    given = p_values(result(ONE, weights=weights), result(OTHER), sample_weight=weight)
    assert given == of_results


def test_scale_of_weights_does_not_matter():
    weight = RNG.uniform(0.5, 2, N)
    expected = p_values(ONE, OTHER, sample_weight=weight)
    for scale in (1e-300, 1e300):
        assert p_values(ONE, OTHER, sample_weight=weight * scale) == pytest.approx(expected)


def test_a_query_without_weight_does_not_count():
    weight = np.ones(N)
    weight[:5] = 0
    with_gap = ONE.copy()
    with_gap[0] = np.nan
    found = compare_models({"a": with_gap, "b": OTHER}, sample_weight=weight)
    row = found.row("b")
    assert (row.n_queries, row.n_clusters, found.n_undefined) == (35, 35, {"score": 0})
    assert row.p_value == pytest.approx(p_values(ONE[5:], OTHER[5:])[0])


def test_lower_is_better():
    lower = {"lower_is_better": ["rank"]}
    better, worse = ONE + 1, ONE + np.where(ONE > 0.5, 2.0, 1.9)
    scores = {
        "worse": result({"rank": worse}, **lower),
        "better": result({"rank": better}, **lower),
    }
    row = compare_models(scores, baseline="worse", margin=0.1).row("better")
    assert row.difference < 0
    assert (row.better, row.worse, row.verdict) == (N, 0, "better")
    text = str(compare_models(scores, baseline="worse"))
    assert "rank (lower is better)" in text
    assert text.index("\nbetter") < text.index("\nworse")


@pytest.mark.parametrize("test", ["t", "randomization"])
def test_one_sided(test):
    options = {"test": test, "random_state": 0}
    greater = compare_models(
        against_zero(DARWIN), baseline="zero", alternative="greater", **options
    ).row("model")
    less = compare_models(
        against_zero(DARWIN), baseline="zero", alternative="less", **options
    ).row("model")
    assert greater.p_value < 0.05 < 0.95 < less.p_value
    assert (greater.high, less.low) == (np.inf, -np.inf)
    assert greater.low > 0


def test_clusters_by_label():
    days = {label: i % 12 for i, label in enumerate(LABELS)}
    by_label = p_values(result(ONE), result(OTHER), clusters=days)
    assert by_label == p_values(ONE, OTHER, clusters=np.arange(N) % 12)
    with pytest.raises(
        ValueError, match="lacks 1 of 40 queries, such as 'q39'; give each a c"
    ):
        p_values(result(ONE), result(OTHER), clusters=dict(list(days.items())[:-1]))


def test_no_difference():
    row = compare_models({"a": ONE, "b": ONE}, baseline="a").row("b")
    assert (row.difference, row.standard_error, row.p_value) == (0, 0, 1)
    assert (row.low, row.high, row.statistic) == (0, 0, 0)
    assert np.isnan(row.effect_size)
    for alternative in ("greater", "less"):
        assert p_values(ONE, ONE, alternative=alternative) == [1]
    flips = compare_models(
        {"a": ONE, "b": ONE, "c": ONE},
        baseline="a",
        test="randomization",
        correction="max_t",
        random_state=0,
    )
    assert flips.columns["p_adjusted"].tolist() == [1, 1]


@pytest.mark.parametrize("correction", ["holm", "max_t"])
def test_rounding_is_no_difference(correction):
    found = compare_models(
        {"a": ONE, "b": ONE * 3 / 3, "c": (ONE + 1) - 1 + 1e-14},
        baseline="a",
        test="randomization",
        correction=correction,
        n_resamples=99,
        random_state=0,
    )
    assert found.row("b").p_adjusted == 1


def test_one_and_the_same_difference():
    with pytest.warns(UserWarning, match=r"honest one .* 1.8e-12"):
        row = compare_models({"a": ONE, "b": ONE + 0.1}, baseline="a").row("b")
    assert (row.p_value, row.statistic, row.standard_error) == (0, np.inf, 0)
    assert row.low == row.high == row.difference == pytest.approx(0.1)


def test_a_test_of_ones_own():
    found = p_values(ONE, OTHER, test=lambda a, b: float(len(a) == len(b) == N))
    assert found == [1]
    for options in ({"sample_weight": np.ones(N)}, {"clusters": np.arange(N) // 2}):
        with pytest.raises(ValueError, match="a callable, which has no weights"):
            p_values(ONE, OTHER, test=lambda a, b: 0.5, **options)
    with pytest.raises(TypeError, match="must return a p-value"):
        p_values(ONE, OTHER, test=lambda a, b: "small")
    with pytest.raises(ValueError, match="from 0 to 1"):
        p_values(ONE, OTHER, test=lambda a, b: 2)


def test_the_seed_decides_the_flips():
    options = {"test": "randomization", "n_resamples": 199}
    found = [p_values(ONE, OTHER, random_state=0, **options) for _ in range(2)]
    assert found[0] == found[1]


def test_few_flips_are_told():
    with pytest.warns(UserWarning, match="n_resamples=49 is too small for 3"):
        p_values(ONE, OTHER, THIRD, ONE / 2, test="randomization", n_resamples=49)


def test_just_enough_flips_are_enough():
    options = {"test": "randomization", "correction": None, "random_state": 0}
    p_values(ONE, OTHER, n_resamples=19, **options)  # 1 / 20 is the level
    with pytest.warns(UserWarning, match="n_resamples=18 is too small"):
        p_values(ONE, OTHER, n_resamples=18, **options)


def test_one_metric_is_a_family_of_its_own():
    options = {"test": "randomization", "correction": "max_t", "random_state": 0}
    alone, of_all = (
        p_values(ONE, OTHER, THIRD, family=family, **options)
        for family in ("metric", "all")
    )
    assert alone == of_all


def test_few_clusters_are_told():
    with pytest.warns(UserWarning, match='6 queries; .* use test="randomization"'):
        compare_models(THREE_MODELS)


REFUSED = [
    ({"a": ONE}, {}, r"1 model\(s\), \['a'\]; a comparison needs two"),
    ({"a": ONE, "b": OTHER}, {"baseline": "c"}, "`baseline` got 'c'"),
    ({"a": ONE, "b": OTHER}, {"baseline": "best"}, "not a fixed baseline"),
    ({"a": ONE, "b": OTHER}, {"metrics": "mrr"}, "`metrics` got 'mrr'"),
    ({"a": ONE, "b": OTHER}, {"test": "tukey"}, "independent samples"),
    ({"a": ONE, "b": OTHER}, {"test": "wilcoxon"}, "not about the mean"),
    ({"a": ONE, "b": OTHER}, {"test": "tt"}, "`test` got 'tt'"),
    ({"a": ONE, "b": OTHER}, {"correction": "tukey"}, "equal variances"),
    ({"a": ONE, "b": OTHER}, {"correction": "homl"}, "Did you mean 'holm'"),
    ({"a": ONE, "b": OTHER}, {"correction": "max_t"}, "give `baseline`"),
    (
        {"a": {"x": ONE, "y": ONE}, "b": {"x": OTHER, "y": OTHER}},
        {"correction": "max_t", "family": "all", "baseline": "a"},
        "'max_t' is within a metric; with family='all' use 'holm'",
    ),
    ({"a": {"x": ONE}, "b": {"x": OTHER}}, {"metrics": []}, r"each once, got \[\]"),
    ({"a": {"x": ONE}, "b": {"x": OTHER}}, {"metrics": ["x", "x"]}, "each once, got"),
    ({"a": {}, "b": {}}, {}, "`scores` has no metric"),
    ({"a": ONE, "b": OTHER}, {"family": "model"}, "`family`"),
    ({"a": ONE, "b": OTHER}, {"alternative": "larger"}, "`alternative`"),
    ({"a": ONE, "b": OTHER}, {"confidence_level": 1}, "`confidence_level`"),
    ({"a": ONE, "b": OTHER}, {"confidence_level": 95}, "`confidence_level`"),
    ({"a": ONE, "b": OTHER}, {"margin": -0.1}, "`margin`"),
    ({"a": ONE, "b": OTHER}, {"margin": np.nan}, "`margin`"),
    ({"a": ONE, "b": OTHER}, {"n_resamples": 0}, "`n_resamples`"),
    ({"a": ONE, "b": OTHER}, {"sample_weight": -np.ones(N)}, "not negative"),
    ({"a": ONE, "b": OTHER}, {"sample_weight": np.zeros(N)}, "0 for every query"),
    ({"a": ONE, "b": OTHER}, {"clusters": np.zeros(N)}, r"40 queries in 1 cluster"),
    ({"a": ONE, "b": OTHER}, {"clusters": {"q0": 1}}, "give `groups` too"),
    ({"a": ONE, "b": OTHER}, {"clusters": [1, 2]}, "`clusters` has 2 values"),
    ({"a": ONE, "b": OTHER}, {"groups": [1, 2]}, "`groups` has 2 values, but there are"),
    ({"a": ONE, "b": OTHER[1:]}, {}, "arrays of 39 to 40 values"),
    ({"a": ONE, "b": result(OTHER)}, {}, "cannot be matched"),
    ({"a": ONE, "b": OTHER * np.inf}, {}, "infinite"),
    ({"a": ONE, "b": OTHER.reshape(2, -1)}, {}, "one value per query"),
    ({"a": [], "b": []}, {}, "one value per query"),
    ({"a": 0.51, "b": 0.53}, {}, "one value per query, got 0.51"),  # means of metrics
    ({"a": [0.1], "b": [0.2]}, {}, "for 1 query; a comparison"),
    ({"a": [np.nan] * 3, "b": [np.nan] * 3}, {}, "for 0 queries; a comparison"),
    ({"a": {"x": ONE}, "b": {"y": ONE}}, {}, "different metrics"),
    ({"a": result({"x": ONE}), "b": result({"y": ONE})}, {}, "different metrics"),
    ({"a": result(ONE), "b": result(ONE)}, {"groups": LABELS}, "labels already"),
    (
        {"a": result(ONE), "b": result(OTHER[3:], LABELS[3:])},
        {},
        r"'a' and 'b' cannot be compared.* 3 are not .*such as 'q0'; .*from_item_lists",
    ),
    (
        {"a": result(ONE, range(N)), "b": result(OTHER, [str(i) for i in range(N)])},
        {},
        "'a' and 'b' cannot be compared. 0 and '0' in `groups` are two labels",
    ),
    (
        {
            "a": result({"err": ONE}, whole={"err": {"max_grade": 3.0}}),
            "b": result({"err": OTHER}),
            "c": result({"err": OTHER}, whole={"err": {"max_grade": 2.0}}),
        },
        {},
        r"`max_grade`.* is 3.0 for 'a' and 2.0 for 'c'; name it.*'err\(max_grade=3.0\)'",
    ),
    (
        {"a": result(ONE, ["q"] * N), "b": result(OTHER, ["q"] * N)},
        {},
        "has a duplicate query",
    ),
]


@pytest.mark.parametrize(("scores", "options", "message"), REFUSED)
def test_what_is_refused(scores, options, message):
    with pytest.raises(ValueError, match=message):
        compare_models(scores, **options)


def test_a_column_is_a_vector():
    columns = p_values(ONE.reshape(-1, 1), OTHER.reshape(-1, 1))
    assert columns == p_values(ONE, OTHER)


def test_scores_without_names_are_refused():
    with pytest.raises(TypeError, match="must be a dict"):
        compare_models([ONE, OTHER])


def test_names_of_metrics_are_strings():
    with pytest.raises(TypeError, match="`metrics` must be a name"):
        compare_models({"a": ONE, "b": OTHER}, metrics=3)


@pytest.mark.parametrize("test", ["t", "randomization"])
@pytest.mark.parametrize("scale", [2.0**-1000, 2.0**1000])
def test_scale_of_values_does_not_matter(test, scale):
    options = {"test": test, "random_state": 0}
    expected = compare_models({"a": ONE, "b": OTHER}, **options).row("b")
    row = compare_models({"a": ONE * scale, "b": OTHER * scale}, **options).row("b")
    assert row.p_value == pytest.approx(expected.p_value, rel=1e-9)
    assert row.effect_size == pytest.approx(expected.effect_size, rel=1e-9)


@FEW
@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("options", [{}, {"correction": "max_t", "baseline": "a"}])
def test_a_difference_that_is_no_float(options):
    huge = np.array([1e308, -1e308, 1e308, 1e308])
    with pytest.raises(ValueError, match=r"^3 difference\(s\) .* divide all values"):
        compare_models({"a": huge, "b": huge * [-1, -1, -1, 1]}, **options)
    found = compare_models({"a": huge / 10, "b": huge / [-10, -10, -10, 10]}, **options)
    small = compare_models(
        {"a": huge / 1e308, "b": huge / 1e308 * [-1, -1, -1, 1]}, **options
    )
    assert found.row("b").p_adjusted == small.row("b").p_adjusted


@pytest.mark.parametrize("name", ["query", "qid", "user_id"])
def test_labels_in_a_frame_are_no_model(name):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({name: range(N), "a": ONE, "b": OTHER})
    with pytest.raises(ValueError, match=rf"integers such as 2, .*groups=scores\['{name}'"):
        compare_models(frame)
    found = compare_models(frame.drop(columns=name), groups=frame[name])
    assert found.row("b").p_value == compare_models({"a": ONE, "b": OTHER}).row("b").p_value
    hits = frame.assign(**{name: np.arange(N) % 2})  # values, by all that is known
    assert len(compare_models(hits)) == 3
    with pytest.warns(MisleadingScoreWarning, match=f"'{name}' seems to be in percent"):
        assert len(compare_models(dict(frame))) == 3  # ids as values


def test_differences_that_cancel_within_a_cluster_are_none():
    values = [0.1, 0.2, -0.3, 0.4, 0.5, -0.1]
    with pytest.warns(UserWarning, match="3 clusters"):
        found = compare_models(against_zero(values), clusters=[0, 0, 0, 1, 1, 2])
    assert found.row("model").n_different == 2


def test_other_means_are_refused():
    X, y, groups = make_ranking(n_queries=20, random_state=0)
    gmap = {
        name: per_query_scores(
            y, X[:, column], groups=groups, metrics="map(average='geometric')"
        )
        for column, name in enumerate("ab")
    }
    with pytest.raises(ValueError, match="is a geometric mean over queries"):
        compare_models(gmap)


@FEW
@pytest.mark.parametrize("test", ["t", "randomization"])
def test_equal_models_differ_as_often_as_the_level_says(test):
    rng = np.random.default_rng(0)
    below = 0
    for _ in range(300):
        a, b = 1 / rng.integers(1, 11, size=(2, 25))
        [p_value] = p_values(a, b, test=test, n_resamples=199, random_state=0)
        below += p_value <= 0.05
    assert below / 300 == pytest.approx(0.05, abs=0.035)


def test_an_interval_without_width_shows_nothing_about_a_margin():
    assert compare_models({"a": ONE, "b": ONE}).row("b").verdict == "undecided"
    one, half = np.ones(N), np.full(N, 0.5)
    with pytest.warns(UserWarning, match="All differences"):
        found = compare_models({"a": half, "b": one}, margin=0.5)
    assert found.row("b").verdict == "undecided"
    with pytest.warns(UserWarning, match="All differences"):
        found = compare_models({"a": one, "b": half}, margin=0.5)
    assert found.row("b").verdict == "undecided"
    same = compare_models({"a": ONE, "b": ONE}, value_range=(0, 1), margin=0.5).row("b")
    assert (same.verdict, same.interval) == ("equivalent", "exact")


def test_values_of_queries_are_numbers():
    models = {name: {"q": {"x": name}} for name in ("old", "new")}
    with pytest.raises(ValueError, match="`x` must hold numbers, but has 'old'"):
        compare_models(models)


def test_parts_of_a_comparison_made_by_hand_agree():
    found = compare_models({"old": ONE, "new": OTHER}, baseline="old")
    made = ModelComparison(found.rows(), labels=LABELS[:3], values=found.values)
    with pytest.raises(ValueError, match="40 and 40 queries, but `labels` has 3"):
        made.movers("new")
    means = {"metric": ["score"], "model": ["old", "new"]}
    with pytest.raises(ValueError, match="`means` has columns of 1 to 2 values"):
        ModelComparison(found.rows(), means=means)

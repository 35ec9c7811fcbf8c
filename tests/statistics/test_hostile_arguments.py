"""Each argument of each function and result refuses what it cannot be, in words."""

import warnings
from functools import partial

import numpy as np
import pytest

from sklearn_rank.online import (
    InterleavingResult,
    VariantComparison,
    VariantLooksDisplay,
    compare_variant_sums,
    compare_variants,
    interleaving_test,
    off_policy_value,
    propensities_from_swaps,
    sample_ratio_test,
    team_draft_interleave,
)
from sklearn_rank.statistics import (
    ModelComparison,
    ModelComparisonDisplay,
    ModelRanking,
    ModelRankingDisplay,
    RaterAgreement,
    compare_candidates,
    compare_models,
    confidence_interval,
    fleiss_kappa_score,
    judge_assisted_mean,
    krippendorff_alpha_score,
    plan_evaluation,
    rank_models,
    rater_agreement,
    system_confidence_interval,
)
from tests.test_hostile_values import VALUES, error_of

plt = pytest.importorskip("matplotlib.pyplot")
ARM = {"n": 9, "mean": 2, "sd": 1}
LISTS, PLACES, SHARES = [1, 1, 2, 2], [1, 2, 1, 2], [0.5, 0.1, 0.2, 0.7]
PAIR = {"a": [0.1, 0.3, 0.2, 0.6], "b": [0.2, 0.3, 0.5, 0.6]}
RATINGS = np.array([[1, 2], [2, 2], [0, 0], [1, 1]])
OUTCOMES, ARMS = [1, 2, 3, 5], [0, 0, 1, 1]
LOG = {"team": [0, 1, 0, 1], "clicked": [1, 0, 0, 1], "impression": LISTS}
with warnings.catch_warnings(action="ignore"):
    MODELS = compare_models(PAIR)
    VARIANTS = compare_variants(OUTCOMES, ARMS, control=0)
    TEAMS = interleaving_test(**LOG)
NUMBERS = {f"t{n}": {"a": 0.01 * n, "b": 0.02 * n**2} for n in range(8)}
RANKED = rank_models(NUMBERS)
AGREEMENT = rater_agreement(RATINGS)

# A function, arguments that it takes, and names of more that are tried.
TRIED = {
    "compare_candidates": (
        compare_candidates,
        {"cv_results": PAIR, "test_size": 0.2},
        "metric baseline margin alternative confidence_level",
    ),
    "compare_models": (
        compare_models,
        {"scores": PAIR, "n_resamples": 9},
        "baseline metrics groups clusters sample_weight test alternative confidence_level "
        "correction family margin",
    ),
    "values of a model": (lambda a: compare_models({**PAIR, "a": a}), {"a": SHARES}, ""),
    "values of a metric": (
        lambda a: compare_models({"a": {"m": a}, "b": {"m": SHARES}}),
        {"a": SHARES},
        "",
    ),
    "rank_models": (
        rank_models,
        {"scores": NUMBERS, "n_resamples": 9},
        "metric over test missing family lower_is_better confidence_level",
    ),
    "scores of a data set": (
        lambda one: rank_models({**NUMBERS, "t1": one}),
        {"one": NUMBERS["t1"]},
        "",
    ),
    "number of a model": (
        lambda one: rank_models({**NUMBERS, "t1": {"a": one, "b": 1}}),
        {"one": 1},
        "",
    ),
    "values of a model on a data set": (
        lambda a: rank_models({"x": {**PAIR, "a": a}, "y": PAIR}),
        {"a": SHARES},
        "",
    ),
    "folds": (
        lambda a: compare_candidates({**PAIR, "a": a}, test_size=0.2),
        {"a": SHARES},
        "",
    ),
    "confidence_interval": (
        confidence_interval,
        {"values": SHARES, "n_resamples": 9},
        "groups clusters sample_weight method confidence_level",
    ),
    "bca": (
        lambda **given: confidence_interval(SHARES, method="bca", n_resamples=9, **given),
        {},
        "groups clusters sample_weight",
    ),
    "plan_evaluation": (
        plan_evaluation,
        {"difference": 1, "standard_deviation": 1, "paired": False},
        "power confidence_level alternative n_comparisons paired allocation_ratio anytime "
        "n_guardrails",
    ),
    "plan_repeats": (
        plan_evaluation,
        {"n_queries": 9, "components": {"query": 1}},
        "n_repeats cluster_size intraclass_correlation cost",
    ),
    "fleiss": (fleiss_kappa_score, {"ratings": RATINGS}, "replace_undefined_by"),
    "krippendorff": (
        krippendorff_alpha_score,
        {"ratings": RATINGS},
        "level sample_weight replace_undefined_by",
    ),
    "rater_agreement": (
        rater_agreement,
        {"ratings": RATINGS},
        "units raters groups level min_relevance reference weights confidence_level",
    ),
    "rater_agreement of rows": (
        rater_agreement,
        {"ratings": OUTCOMES, "units": LISTS, "raters": PLACES},
        "groups",
    ),
    "judge": (
        judge_assisted_mean,
        {"human": [1, 2, np.nan, 3], "judge": OUTCOMES},
        "probability clusters confidence_level",
    ),
    "system": (
        lambda **given: system_confidence_interval(**{"n_resamples": 9, **given}),
        {"y_true": RATINGS, "y_score": RATINGS, "metrics": "gini@1"},
        "groups ties confidence_level n_resamples items",
    ),
    "compare_variants": (
        compare_variants,
        {"outcome": OUTCOMES, "variant": ARMS, "control": 0},
        "data unit denominator covariate strata population guardrails lower_is_better cap "
        "alternative confidence_level correction allocation anytime_n",
    ),
    "compare_variants by name": (
        partial(compare_variants, data={"y": OUTCOMES, "variant": ARMS}),
        {"outcome": "y", "variant": "variant", "control": 0},
        "unit denominator covariate strata guardrails lower_is_better cap",
    ),
    "a guardrail": (
        lambda **given: compare_variants(
            "y",
            "variant",
            data={"y": OUTCOMES, "variant": ARMS, "z": OUTCOMES},
            control=0,
            guardrails={"z": given},
        ),
        {"margin": 1},
        "relative lower_is_better denominator cap",
    ),
    "compare_variant_sums": (
        compare_variant_sums,
        {"variants": {0: ARM, 1: ARM}, "control": 0},
        "lower_is_better alternative confidence_level correction allocation anytime_n",
    ),
    "an arm": (
        lambda **given: compare_variant_sums({0: given, 1: given}, control=0),
        ARM,
        "denominator_mean denominator_sd covariance",
    ),
    "interleaving_test": (
        interleaving_test,
        {**LOG, "n_resamples": 9},
        "user names test alternative confidence_level correction",
    ),
    "off_policy_value": (
        off_policy_value,
        {
            "reward": ARMS,
            "propensity": SHARES,
            "target_probability": SHARES,
            "slate": LISTS,
            "position": PLACES,
        },
        "user assumption self_normalized clip confidence_level",
    ),
    "propensities_from_swaps": (
        propensities_from_swaps,
        {"clicked": [1] * 4, "position": PLACES, "item": LISTS},
        "user reference confidence_level",
    ),
    "sample_ratio_test": (
        sample_ratio_test,
        {"variant": ARMS},
        "expected confidence_level anytime",
    ),
    "counts": (sample_ratio_test, {"counts": {0: 3, 1: 4}}, "expected confidence_level"),
    "a count": (lambda n: sample_ratio_test(counts={0: 3, 1: n}), {"n": 4}, ""),
    "a share": (lambda s: sample_ratio_test(ARMS, expected={0: 3, 1: s}), {"s": 4}, ""),
    "draft": (team_draft_interleave, {"rankings": [LISTS[1:3], ARMS[1:3]]}, "k"),
    "a ranking": (
        lambda one: team_draft_interleave([one, [1, 2, 3, 4]]),
        {"one": [1, 2]},
        "",
    ),
    "row": (MODELS.row, {"model": "b"}, "baseline metric"),
    "movers": (MODELS.movers, {"model": "b"}, "baseline metric n"),
    "superscripts": (MODELS.superscripts, {}, "markup digits"),
    "row of a ranking": (RANKED.row, {"model": "a"}, ""),
    "pair of a ranking": (RANKED.pair, {"model": "a", "baseline": "b"}, ""),
    "table of a ranking": (RANKED.table, {}, "markup digits"),
    "plot of a ranking": (RANKED.plot, {}, "ax"),
    "ModelRanking": (
        lambda **given: str(ModelRanking(**given)),
        {"rows": RANKED.rows()},
        "pairs values by_dataset left_out settings",
    ),
    "from_ranking": (ModelRankingDisplay.from_ranking, {"ranking": RANKED}, "ax"),
    "display of a ranking": (
        lambda **given: ModelRankingDisplay(**given).plot(),
        {"model": ["a", "b"], "rank": [1, 2], "rank_low": [1, 1], "rank_high": [2, 2]},
        "metric confidence_level",
    ),
    "plot": (MODELS.plot, {}, "metric ax"),
    "row of teams": (TEAMS.row, {}, "ranker other"),
    "plot of teams": (TEAMS.plot, {}, "ax"),
    "row of variants": (VARIANTS.row, {"variant": 1}, ""),
    "plot of variants": (VARIANTS.plot, {}, "ax"),
    "raters_needed": (AGREEMENT.raters_needed, {}, "reliability"),
    "ModelComparison": (
        lambda **given: str(ModelComparison(**given)),
        {"rows": MODELS.rows()},
        "means n_undefined lower_is_better settings labels values",
    ),
    "InterleavingResult": (
        lambda **given: str(InterleavingResult(**given)),
        {"rows": TEAMS.rows()},
        "settings",
    ),
    "VariantComparison": (
        lambda **given: str(VariantComparison(**given)),
        {"rows": VARIANTS.rows()},
        "settings",
    ),
    "RaterAgreement": (
        lambda **given: str(RaterAgreement(**given)),
        {name: found for name, found in vars(AGREEMENT).items() if name[0] != "_"},
        "",
    ),
    "from_comparison": (
        ModelComparisonDisplay.from_comparison,
        {"comparison": MODELS},
        "metric ax",
    ),
    "display": (
        lambda **given: ModelComparisonDisplay(**given).plot(),
        {
            "model": ["a"],
            "baseline": ["b"],
            "difference": [0.1],
            "low": [0],
            "high": [1],
            "p_adjusted": [0.5],
        },
        "metric margin confidence_level lower_is_better",
    ),
    "from_comparisons": (
        VariantLooksDisplay.from_comparisons,
        {"comparisons": [VARIANTS] * 2},
        "variant name ax",
    ),
    "looks": (
        lambda **given: VariantLooksDisplay(**given).plot(),
        {"n_units": [4, 5], "difference": [1, 2], "low": [0, 1], "high": [2, 3]},
        "name confidence_level",
    ),
}
CASES = [
    (what, name)
    for what, (_, base, more) in TRIED.items()
    for name in [*base, *more.split()]
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("what", "name"), CASES)
def test_an_argument_is_refused_in_words(what, name):
    function, base, _ = TRIED[what]
    raw = {
        value: error
        for value, given in VALUES.items()
        if (error := error_of(lambda given=given: function(**{**base, name: given})))
    }
    plt.close("all")
    assert raw == {}


def test_results_that_are_made_by_hand():
    """What a class needs it says, and what it has is enough for all that it does."""
    for kind, found in [
        (ModelComparison, MODELS),
        (InterleavingResult, TEAMS),
        (VariantComparison, VARIANTS),
    ]:
        [row] = found.rows()
        needed = [*kind._names, *kind._numbers]
        made = kind([{name: row[name] for name in needed}])
        assert str(made).splitlines()[1:3] == str(found).splitlines()[1:3]
        made.plot()
        plt.close("all")
        for name in needed:
            with pytest.raises(ValueError, match=rf"`rows\[1\]` has no '{name}'"):
                kind([row, {key: row[key] for key in row if key != name}])
        with pytest.raises(TypeError, match="list of dicts"):
            kind([])
        with pytest.raises(ValueError, match="confidence_level"):
            kind([row], settings={"confidence_level": 95})


def test_a_comparison_by_hand_knows_what_it_was_given():
    rows, labels = MODELS.rows(), [*"pqrs"]
    with pytest.raises(ValueError, match="Values of queries are not known"):
        ModelComparison(rows, labels=labels, values={"m": PAIR}).movers("b")
    with pytest.raises(ValueError, match="has 4 and 4 queries, but `labels` has 3"):
        ModelComparison(rows, labels=labels[1:], values={"score": PAIR}).movers("b")
    found = ModelComparison(rows, labels=labels, values={"score": PAIR}).movers("b", n=1)
    assert [(one.label, round(one.difference, 9)) for one in found] == [("r", 0.3)]
    with pytest.raises(ValueError, match="`means` has columns of 1 to 2 values"):
        ModelComparison(rows, means={"metric": ["m"], "model": ["a", "b"]})

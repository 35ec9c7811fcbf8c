"""Conventions: definitions of metrics in other libraries, as parameters of ours."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import nan
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from sklearn_rank._base._validation import suggest
from sklearn_rank.metrics._core._metric import BoundMetric
from sklearn_rank.metrics._names._grammar import parse_name


@dataclass(frozen=True)
class Convention:
    """How one library defines its metrics.

    Parameters
    ----------
    library : str
        The library, and its version if that matters.
    checked : {"run", "read"}
        How its definitions are known: the tests run the library itself, or we read its
        source and the tests have numbers computed by hand.
    metrics : mapping of str to dict
        The parameters with which our metrics agree with the library, by our name.
        They include ``ties`` and ``replace_undefined_by`` if these differ from those of the
        library, and ``k`` if a name without a cutoff has a different meaning than here.
    ties : {"average", "worst", "best", "first"}, default="first"
        Treatment of rows with equal scores.
    undefined : float, default=0.0
        Value of a query without relevant items; NaN if it is left out.
    uncut : set of str
        Metrics without a cutoff in the library.
    left_out : mapping of str to dict
        Metrics that are NaN for a query without relevant items, for any value of
        `undefined`, and the parameters with which they are NaN.
    ties_by_item : bool, default=False
        Whether tied rows are in descending order of their ids, where ``items=`` has these.
    answered_only : bool, default=False
        Whether queries without a retrieved row are left out.
    decides : set of str
        Parameters of names such as ``"11pt_avg"`` that differ from version to version of
        the library.
    words : mapping of str to str
        Differences that no parameter can express, by our name of the metric, or by a topic.

    Examples
    --------
    >>> from sklearn_rank.metrics import conventions
    >>> conventions["lightgbm"].metrics["ndcg"]
    {'gain': 'exponential'}
    """

    library: str
    checked: Literal["run", "read"]
    metrics: Mapping[str, dict[str, Any]]
    ties: str = "first"
    undefined: float = 0.0
    uncut: frozenset[str] = frozenset()
    left_out: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    ties_by_item: bool = False
    answered_only: bool = False
    decides: frozenset[str] = frozenset()
    words: Mapping[str, str] = field(default_factory=dict)


def follow_convention(
    name: str, wanted: Sequence[BoundMetric], sets_ties: bool, sets_undefined: bool
) -> list[BoundMetric]:
    """Return metrics as a library defines them, and its value of undefined queries.

    Parameters in a name take precedence.
    """
    found, convention = [], conventions[name]
    for named in wanted:
        theirs = dict(_parameters_of_library(name, convention, named.metric.name))
        undefined = theirs.pop("replace_undefined_by", convention.undefined)
        ties = theirs.pop("ties", convention.ties)
        kept = {key: value for key, value in theirs.items() if key not in named.given}
        bound = named.with_parameters(**kept)
        left_out = convention.left_out.get(named.metric.name)
        if left_out is not None and left_out.items() <= bound.parameters.items():
            undefined = nan
        if sets_ties:
            bound = replace(bound, ties=ties, ties_by_item=convention.ties_by_item)
        if sets_undefined:
            leaves_out = convention.answered_only
            bound = replace(bound, replace_undefined_by=undefined, answered_only=leaves_out)
        found.append(bound)
    return found


def _parameters_of_library(
    name: str, convention: Convention, metric: str
) -> Mapping[str, Any]:
    if metric not in convention.metrics:
        otherwise = f"not in {convention.library}, or not as our parameters express it"
        why = convention.words.get(metric, otherwise)
        raise ValueError(
            f"Convention {name!r} has no parameters for metric {metric!r}: {why}. "
            f"{suggest(metric, convention.metrics)}"
        )
    return convention.metrics[metric]


def _parse_names(names: str) -> dict[str, dict[str, Any]]:
    """Return the parameters of each metric, from names as users write them."""
    return dict(map(parse_name, names.split()))


_TREC_EVAL = Convention(
    library="trec_eval, version 9, and pytrec_eval",
    checked="run",
    metrics=_parse_names(
        "precision(k=None) recall(denominator='relevant',k=None) f1(k=None) hit_rate "
        "r_precision mrr map(denominator='relevant') ndcg bpref infap "
        "relative_precision(k=None) set_map "
        "interpolated_precision(rounding='nine_tenths') "
        "eleven_point_precision(rounding='nine_tenths')"
    ),
    uncut=frozenset({"f1", "mrr"}),
    ties_by_item=True,
    answered_only=True,
    words={
        "ties": "rows of equal score are in descending order of the document's id, "
        "which items= gives; rows of from_trec, and of from_item_lists for ids that are "
        "text, are in this order already",
        "precision": "P with a cutoff, set_P without one",
        "recall": "recall with a cutoff, set_recall without one",
        "f1": "set_F, of the whole retrieved list",
        "map": "map and map_cut; average='geometric' gives gm_map",
        "mrr": "recip_rank has no cutoff; cut the run instead",
        "interpolated_precision": "iprec_at_recall; of R documents a level needs "
        "int(level * R + 0.9), which by rounding error is one too few for 0.7 of 3",
        "eleven_point_precision": "11pt_avg, with the same levels",
        "infap": "infAP; a document without a line in the qrels is outside the "
        "pool: pass pooled= to inferred_average_precision_score",
        "queries": "a query without a run is left out; replace_undefined_by=0.0 counts "
        "it, as trec_eval -c does",
    },
)

_TREC_EVAL_10 = replace(
    _TREC_EVAL,
    library="trec_eval, version 10",
    checked="read",
    metrics={
        **_TREC_EVAL.metrics,
        **_parse_names(
            "interpolated_precision(rounding='nearest') "
            "eleven_point_precision(rounding='nearest')"
        ),
    },
    decides=frozenset({"rounding"}),
    words={
        **_TREC_EVAL.words,
        "interpolated_precision": "iprec_at_recall",
        "eleven_point_precision": "11pt_avg",
        "rbp": "with persistence 0.9; it divides gains by their range in the query, not in "
        "all queries, and reads the minimum and the maximum before it sets them",
        "rbp_residual": "rbp_resid, with persistence 0.9; for a list without an unjudged "
        "document it is 0, and ours is the weight of the ranks below the list. For all "
        "other lists the two are equal",
        "judged": "unj is the share of unjudged documents, without the ranks below a short "
        "list: judged@k is min(k, documents) / k - unj_k",
    },
)

_NDEVAL = Convention(
    library="ndeval, the program of TREC's web track",
    checked="read",
    metrics=_parse_names(
        "alpha_ndcg(alpha=0.5) err_ia(alpha=0.5,normalize='subtopics') "
        "nrbp(alpha=0.5,beta=0.5,normalize='subtopics') precision_ia map_ia "
        "subtopic_recall"
    ),
    left_out={"nrbp": {"normalize": "collection"}},
    words={
        "ties": "with -traditional, rows of equal score are in descending order of the "
        "document's id; inputs.from_trec puts rows in this order. Without it the rank in "
        "the file counts, not the score",
        "alpha_ndcg": "its ideal list orders documents of equal gain by name, so that "
        "values of some queries differ in the second digit and may exceed 1",
        "alpha_dcg": "alpha-DCG is divided by the value of a list whose documents have all "
        "subtopics; ours is the sum itself",
        "err_ia": "nERR-IA is normalize='collection'",
        "nrbp": "nNRBP is normalize='collection'; it is NaN for a query without relevant "
        "documents, and so is its mean; here such a query is left out",
        "cutoff": "at most 20",
        "queries": "a query without a run is left out, unless with -c",
        "judgments": "a negative judgment is an error",
    },
)
_PYNDEVAL = replace(
    _NDEVAL,
    library="pyndeval",
    checked="run",
    words={
        **_NDEVAL.words,
        "ties": "rows of equal score are in ascending order of the document's id; "
        "inputs.from_trec(ties='id_ascending') puts rows in this order",
        "err_ia": "nERR-IA is normalize='collection'; ERR-IA@1 is not divided by the "
        "number of subtopics",
        "nrbp": "nNRBP is normalize='collection'; it is NaN for a query without relevant "
        "documents, which is left out of the mean here",
        "queries": "a query without a run is left out",
        "judgments": "a negative judgment means not relevant",
    },
)

conventions: Mapping[str, Convention] = MappingProxyType(
    {
        "trec_eval": _TREC_EVAL,
        "trec_eval_10": _TREC_EVAL_10,
        "sklearn": Convention(
            library="scikit-learn",
            checked="run",
            ties="average",
            metrics=_parse_names("dcg ndcg"),
            words={
                "auc": "roc_auc_score takes one list; ours is its mean over queries",
                "map": "average_precision_score takes one list and treats tied rows as one "
                "threshold; without ties it is map(denominator='relevant')",
                "mrr": "label_ranking_average_precision_score equals it if each query has "
                "one relevant item; ties count as worst, no relevant item as 1",
                "shape": "ndcg_score raises an error for queries of one item",
            },
        ),
        "lightgbm": Convention(
            library="LightGBM",
            checked="run",
            undefined=1.0,
            metrics=_parse_names("ndcg(gain='exponential') map(denominator='attainable')"),
            words={
                "ndcg": "for another label_gain pass a function as gain=",
                "auc": "it ranks all rows in one list, and is not a mean over queries",
                "groups": "groups are numbers of consecutive rows, not labels",
            },
        ),
        "xgboost": Convention(
            library="XGBoost",
            checked="run",
            undefined=1.0,
            metrics=_parse_names(
                "ndcg(gain='exponential')@32 map(denominator='attainable')@32"
            ),
            words={
                "cutoff": "without one, metrics stop at rank 32; here k=None in a name "
                "selects the whole list",
                "ndcg": "with ndcg_exp_gain=False the gain is linear; a name that ends in "
                "a minus counts undefined queries as 0",
                "map": "labels must be 0 or 1",
                "precision": "pre@k divides by the length of a list shorter than k",
                "auc": "it counts pairs of equal labels too, in the order of the input",
            },
        ),
        "catboost": Convention(
            library="CatBoost",
            checked="run",
            ties="worst",
            metrics=_parse_names(
                "cg dcg ndcg(replace_undefined_by=1.0) "
                "recall(replace_undefined_by=1.0,k=None) map(denominator='attainable') "
                "mrr"
            ),
            words={
                "cg": "AverageGain divides it by min(k, rows)",
                "ndcg": "type=Exp is gain='exponential', denominator=Position is "
                "discount='reciprocal'",
                "precision": "PrecisionAt divides by the length of a list shorter than k",
                "err": "it takes probabilities (2**g - 1) / 2**max_grade as targets",
                "auc": "QueryAUC:type=Ranking is ours with ties='average'",
            },
        ),
        "spark": Convention(
            library="Spark MLlib's RankingMetrics",
            checked="read",
            metrics=_parse_names(
                "precision recall(denominator='relevant') map(denominator='attainable')"
            )
            | {"ndcg": {"gain": np.sign}},
            words={
                "ties": "it takes ranked lists, which have no ties",
                "ndcg": "binary; with relevance values it is gain='exponential'. The "
                "natural logarithm there cancels out",
            },
        ),
        "ranx": Convention(
            library="ranx",
            checked="run",
            metrics=_parse_names(
                "precision(k=None) recall(denominator='relevant',k=None) f1(k=None) "
                "hit_rate(k=None) r_precision mrr map(denominator='relevant') dcg ndcg"
            ),
            words={
                "ties": "the order of tied documents is not specified",
                "ndcg": "ndcg_burges is gain='exponential'",
                "rbp": "it multiplies by grades and does not normalize them",
                "bpref": "without judged irrelevant documents it divides by 0",
            },
        ),
        "torchmetrics": Convention(
            library="torchmetrics.retrieval",
            checked="read",
            metrics=_parse_names(
                "precision(k=None) recall(denominator='relevant',k=None) hit_rate(k=None) "
                "r_precision mrr map(denominator='retrieved') ndcg(ties='average') "
                "fallout(k=None)"
            ),
            words={
                "scores": "in precision, recall, MAP and MRR a score of 0 or less means "
                "not retrieved; shift scores above 0 to compare",
                "ties": "the mean over all orders in nDCG; in other metrics the order of "
                "tied rows depends on the sort",
                "auc": "retrieval_auroc of the whole list is ours with ties='average'",
            },
        ),
        "recommenders": Convention(
            library="Microsoft recommenders",
            checked="read",
            undefined=nan,
            metrics=_parse_names(
                "precision recall(denominator='relevant') "
                "map(denominator='attainable')@10 "
                "novelty(count='interactions',unknown='zero',average='items',k=None) "
                "intra_list_distance(distance='co_occurrence',k=None) "
                "serendipity(unexpected='history',k=None,replace_undefined_by=0.0) "
                "entropy(k=None)"
            )
            | {"ndcg": {"gain": np.sign, "k": 10}},
            words={
                "cutoff": "10 by default; not in novelty, diversity and serendipity",
                "novelty": "of the share of interactions, as a mean over all recommended "
                "items; an item that is not in train counts as 0",
                "intra_list_distance": "diversity; with item_sim_measure="
                "'item_feature_vector' it is distance='cosine'",
                "entropy": "distributional_coverage, of all recommended items",
                "coverage": "catalog_coverage divides by the items in training, and is "
                "above 1 if other items are shown",
                "map": "map_at_k; its map divides by the relevant items",
                "ndcg": "binary, its default; relevance_type selects other gains",
                "users": "precision, recall and MAP leave out users without a list",
                "r_precision": "its mean leaves out users without a hit",
            },
        ),
        "rectools": Convention(
            library="RecTools",
            checked="read",
            undefined=nan,
            metrics=_parse_names(
                "precision recall(denominator='relevant') f1 hit_rate mrr "
                "map(denominator='relevant') novelty popularity(count='interactions') "
                "intra_list_distance(distance='hamming',replace_undefined_by=0.0) "
                "serendipity(replace_undefined_by=0.0) coverage user_coverage"
            ),
            words={
                "ties": "it takes ranked lists, which have no ties",
                "novelty": "MeanInvUserFreq",
                "popularity": "AvgRecPopularity; its normalize=True is normalize='total'",
                "intra_list_distance": "with PairwiseHammingDistanceCalculator; any other "
                "calculator is a function as distance=",
                "unexpectedness": "Intersection is the share of items in the reference: 1 "
                "minus ours",
                "coverage": "CatalogCoverage; n_items is the length of its catalogue",
                "user_coverage": "SufficientReco; CoveredUsers is length='any'",
                "ndcg": "its ideal list has k relevant items even if there are fewer; "
                "with divide_by_achievable=True it equals ours",
                "r_precision": "its r_precision=True divides hits in k ranks by min(k, R)",
            },
        ),
        "lenskit": Convention(
            library="LensKit",
            checked="read",
            undefined=nan,
            metrics=_parse_names(
                "precision(k=None) recall(denominator='attainable',k=None) "
                "hit_rate(k=None) mrr rbp(persistence=0.85) popularity_percentile(k=None) "
                "gini(k=None) exposure_gini(discount='geometric',persistence=0.85,k=None)"
            )
            | {"ndcg": {"discount": "jarvelin", "gain": np.sign}},
            uncut=frozenset({"precision"}),
            words={
                "popularity_percentile": "MeanPopRank",
                "intra_list_distance": "ILS is 1 minus ours with distance='cosine', and 1 "
                "for a list of one item",
                "category_entropy": "it adds 1e-6 to the weight of each category",
                "ties": "it takes ranked lists, which have no ties",
                "gini": "ListGini; n_items is the number of items in training",
                "precision": "it divides by the length of the list; cut the lists at k",
                "ndcg": "binary, its default; gain= names a column of grades",
                "rbp": "binary; the gain of ours is the share of the highest grade",
                "map": "it divides by min(R, length of the list)",
            },
        ),
        "evidently": Convention(
            library="Evidently",
            checked="read",
            undefined=nan,
            metrics=_parse_names("novelty(unknown='skip')"),
            words={
                "ties": "it takes ranked lists, which have no ties",
                "popularity": "it divides by the most popular item, and leaves out items "
                "that are not in the training data",
                "intra_list_distance": "it divides the sum over pairs by the number of "
                "items, not of pairs",
            },
        ),
        "implicit": Convention(
            library="implicit",
            checked="run",
            undefined=nan,
            metrics=_parse_names("map(denominator='attainable')@10")
            | {"ndcg": {"gain": np.sign, "k": 10}},
            words={
                "ties": "it takes the lists that a model recommends, which have no ties",
                "cutoff": "10 by default",
                "precision": "sum of hits over sum of min(R, k), not a mean over users",
                "ndcg": "binary: the gain is the sign of the grade",
                "auc": "items below rank k are assumed to be in random order",
            },
        ),
        "ndeval": _NDEVAL,
        "pyndeval": _PYNDEVAL,
        "kaggle": Convention(
            library="Kaggle's mapk (ml_metrics)",
            checked="read",
            metrics=_parse_names("map(denominator='attainable')@10"),
            words={
                "ties": "it takes ranked lists, which have no ties",
                "cutoff": "10 by default",
                "queries": "some competitions leave out users who did not buy: pass "
                "replace_undefined_by=float('nan')",
            },
        ),
    }
)

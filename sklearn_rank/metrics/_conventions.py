"""What other libraries mean by the name of a metric, in terms of our parameters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from sklearn_rank._validation import check_option, suggest
from sklearn_rank.metrics._average import WARN, fill_value
from sklearn_rank.metrics._registry import NamedMetric

__all__ = ["Convention", "conventions", "follow"]


@dataclass(frozen=True)
class Convention:
    """How one library defines its metrics.

    Parameters
    ----------
    library : str
        The library, and where its definitions were read or tried.
    ties : {"average", "worst", "best", "first"}
        What rows of equal score count for there.
    undefined : float
        What a query without relevant items counts there; NaN where it is left out.
    metrics : mapping of str to dict
        Our name of each metric that agrees, to the parameters with which it does.
        ``replace_undefined_by`` stands among them where it differs from `undefined`.
    words : mapping of str to str
        What no parameter can express, by our name of the metric, or by a topic.

    Examples
    --------
    >>> from sklearn_rank.metrics import conventions
    >>> conventions["lightgbm"].metrics["ndcg"]
    {'gain': 'exponential'}
    """

    library: str
    ties: str
    undefined: float
    metrics: Mapping[str, dict[str, Any]]
    words: Mapping[str, str] = field(default_factory=dict)


def follow(
    name: str, wanted: Sequence[NamedMetric], ties: str, replace_undefined_by: float | str
) -> tuple[list[NamedMetric], str, dict[str, float]]:
    """Return metrics, ties, and the value of undefined queries for each, as a library has.

    What a name says of a metric stands; `ties` and `replace_undefined_by` stand unless they
    have their defaults.
    """
    check_option("convention", name, conventions)
    convention = conventions[name]
    followed, fills = [], {}
    for named in wanted:
        theirs = dict(_parameters(name, named.metric.name))
        undefined = theirs.pop("replace_undefined_by", convention.undefined)
        is_default = replace_undefined_by == WARN
        fills[named.name] = undefined if is_default else fill_value(replace_undefined_by)
        kept = {key: value for key, value in theirs.items() if key not in named.given}
        followed.append(replace(named, parameters={**named.parameters, **kept}))
    return followed, convention.ties if ties == "average" else ties, fills


def _parameters(name: str, metric: str) -> Mapping[str, Any]:
    convention = conventions[name]
    if metric not in convention.metrics:
        why = convention.words.get(metric, f"{convention.library} does not have it")
        raise ValueError(
            f"Convention {name!r} has no parameters for metric {metric!r}: {why}. "
            f"{suggest(metric, convention.metrics)}"
        )
    return convention.metrics[metric]


NAN = float("nan")

conventions: Mapping[str, Convention] = MappingProxyType(
    {
        "trec_eval": Convention(
            library="trec_eval 9 and 10, and pytrec_eval",
            ties="first",
            undefined=0.0,
            metrics={
                "precision": {},
                "recall": {"denominator": "relevant"},
                "f1": {"k": None},
                "hit_rate": {},
                "r_precision": {},
                "mrr": {"k": None},
                "map": {"denominator": "relevant"},
                "ndcg": {},
                "bpref": {},
            },
            words={
                "ties": "rows of equal score stand in descending order of the document's "
                "id; inputs.from_trec puts rows in this order",
                "f1": "set_F, over the whole list that was retrieved",
                "map": "map and map_cut; average='geometric' gives gm_map",
                "mrr": "recip_rank has no cutoff; cut the run instead",
                "rbp": "version 10 normalises gains by grades it reads before setting them",
                "queries": "a query without a run is left out, unless with trec_eval -c",
            },
        ),
        "sklearn": Convention(
            library="scikit-learn",
            ties="average",
            undefined=0.0,
            metrics={"dcg": {}, "ndcg": {}},
            words={
                "auc": "roc_auc_score takes one list; ours is its mean over queries",
                "map": "average_precision_score takes one list and treats tied rows as one "
                "threshold; without ties it is map(denominator='relevant')",
                "mrr": "label_ranking_average_precision_score equals it where each query "
                "has one relevant item; ties count as worst, no relevant item as 1",
                "shape": "ndcg_score raises for queries of one item",
            },
        ),
        "lightgbm": Convention(
            library="LightGBM",
            ties="first",
            undefined=1.0,
            metrics={"ndcg": {"gain": "exponential"}, "map": {"denominator": "attainable"}},
            words={
                "ndcg": "for another label_gain pass a function as gain",
                "auc": "it is one list of all rows, not a mean over queries",
                "groups": "groups are sizes of runs of rows, not labels",
            },
        ),
        "xgboost": Convention(
            library="XGBoost",
            ties="first",
            undefined=1.0,
            metrics={"ndcg": {"gain": "exponential"}, "map": {"denominator": "attainable"}},
            words={
                "ndcg": "with ndcg_exp_gain=False the gain is linear; a name that ends in "
                "a minus counts undefined queries as 0",
                "map": "labels must be 0 or 1",
                "precision": "pre@k divides by the length of a list shorter than k",
                "auc": "it counts pairs of equal labels too, in the order of the input",
            },
        ),
        "catboost": Convention(
            library="CatBoost",
            ties="worst",
            undefined=0.0,
            metrics={
                "cg": {},
                "dcg": {},
                "ndcg": {"replace_undefined_by": 1.0},
                "recall": {"replace_undefined_by": 1.0},
                "map": {"denominator": "attainable"},
                "mrr": {},
            },
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
            ties="first",
            undefined=0.0,
            metrics={
                "precision": {},
                "recall": {"denominator": "relevant"},
                "map": {"denominator": "attainable"},
                "ndcg": {"gain": np.sign},
            },
            words={
                "ties": "it takes ranked lists, which have no ties",
                "ndcg": "binary; with relevance values it is gain='exponential'. The "
                "natural logarithm there cancels out",
            },
        ),
        "ranx": Convention(
            library="ranx",
            ties="first",
            undefined=0.0,
            metrics={
                "precision": {},
                "recall": {"denominator": "relevant"},
                "f1": {},
                "hit_rate": {},
                "r_precision": {},
                "mrr": {},
                "map": {"denominator": "relevant"},
                "dcg": {},
                "ndcg": {},
            },
            words={
                "ties": "tied documents stand in no order that is specified",
                "ndcg": "ndcg_burges is gain='exponential'",
                "rbp": "it multiplies by grades and does not normalise them",
                "bpref": "without judged irrelevant documents it divides by 0",
            },
        ),
        "torchmetrics": Convention(
            library="torchmetrics.retrieval",
            ties="first",
            undefined=0.0,
            metrics={
                "precision": {},
                "recall": {"denominator": "relevant"},
                "hit_rate": {},
                "r_precision": {},
                "mrr": {},
                "map": {"denominator": "retrieved"},
                "ndcg": {},
                "fallout": {},
            },
            words={
                "scores": "precision, recall, MAP and MRR take a score of 0 or less for "
                "not retrieved; shift scores above 0 to compare",
                "ties": "nDCG averages over ties, the others leave their order open",
            },
        ),
        "recommenders": Convention(
            library="Microsoft recommenders",
            ties="first",
            undefined=NAN,
            metrics={
                "precision": {},
                "recall": {"denominator": "relevant"},
                "map": {"denominator": "attainable"},
                "ndcg": {"gain": np.sign},
            },
            words={
                "map": "map_at_k; its map divides by the relevant items",
                "ndcg": "binary, its default; relevance_type names the others",
                "users": "precision, recall and MAP leave out users who have no list",
                "r_precision": "its mean leaves out users without a hit",
            },
        ),
        "rectools": Convention(
            library="RecTools",
            ties="first",
            undefined=NAN,
            metrics={
                "precision": {},
                "recall": {"denominator": "relevant"},
                "f1": {},
                "hit_rate": {},
                "mrr": {},
                "map": {"denominator": "relevant"},
            },
            words={
                "ndcg": "its ideal list has k relevant items even where there are fewer; "
                "with divide_by_achievable=True it is ours",
                "r_precision": "its r_precision=True divides hits in k ranks by min(k, R)",
            },
        ),
        "lenskit": Convention(
            library="LensKit",
            ties="first",
            undefined=NAN,
            metrics={
                "precision": {"k": None},
                "recall": {"denominator": "attainable"},
                "hit_rate": {},
                "mrr": {},
                "ndcg": {"discount": "jarvelin"},
                "rbp": {"persistence": 0.85},
            },
            words={
                "precision": "it divides by the length of the list; cut the lists at k",
                "map": "it divides by min(R, length of the list)",
            },
        ),
        "implicit": Convention(
            library="implicit",
            ties="first",
            undefined=NAN,
            metrics={"map": {"denominator": "attainable"}, "ndcg": {"gain": np.sign}},
            words={
                "precision": "the sum of hits over that of min(R, k), no mean over users",
                "ndcg": "binary, therefore the gain is the sign of the grade",
                "auc": "users' items below k are taken to stand in random order",
            },
        ),
        "kaggle": Convention(
            library="Kaggle's mapk (ml_metrics)",
            ties="first",
            undefined=0.0,
            metrics={"map": {"denominator": "attainable"}},
        ),
    }
)

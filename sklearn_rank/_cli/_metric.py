"""What the command line asks of metrics: means, reports and curves."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from sklearn_rank._cli._errors import InputError
from sklearn_rank.metrics import per_query_scores, ranking_report, ranking_scores
from sklearn_rank.metrics._core._metric import NamedMetric
from sklearn_rank.metrics._names._registry import parse_metric

CUTOFFS = (1, 5, 10, 20)

# y_true, y_score and groups of one model.
Rows = dict[str, Any]
# Mean, standard error and the like of each metric.
Report = dict[str, dict[str, Any]]


def each_once(
    names: Iterable[str], read: Callable[[str], NamedMetric]
) -> list[NamedMetric]:
    """Return the metrics of the names, each once, though it may have several names."""
    return list({metric.name: metric for metric in map(read, names)}.values())


def find_metric(text: str) -> NamedMetric:
    """Return any metric by its name."""
    try:
        return parse_metric(text)
    except (ValueError, TypeError, ArithmeticError) as error:
        several = "," in text and "(" not in text
        advice = " For several metrics, repeat --metric." if several else ""
        raise InputError(f"--metric {text}: {error}{advice}") from error


def read_metric(text: str) -> NamedMetric:
    """Return a ranking metric, which has judged two rows by now."""
    metric = find_metric(text)
    try:
        if metric.metric.parts or metric.metric.columns:
            raise InputError(
                f"--metric {text} needs more than grades and scores, which is all that "
                "there is here; name a metric of relevance, such as ndcg@10."
            )
        if metric.metric.ranks:
            rows = {"y_true": [1, 0], "y_score": [0.0, 0.0], "groups": [0, 0]}
            per_query_scores(**rows, metrics=[metric])
    except (ValueError, TypeError, ArithmeticError) as error:
        raise InputError(f"--metric {text}: {error}") from error
    if not metric.metric.ranks:
        raise InputError(
            f"--metric {text} judges predicted ratings, but here is an order to judge; "
            "name a ranking metric, such as ndcg@10."
        )
    return metric


def cut_at(metric: NamedMetric, k: int) -> NamedMetric:
    """Return the metric at another cutoff; nDCG where it knows no cutoff."""
    return (metric if metric.metric.takes_k else parse_metric("ndcg")).at(k)


def cutoff_of(name: str) -> tuple[str, int]:
    """Return the name of a metric without its cutoff, and the cutoff, 0 if it has none."""
    named = parse_metric(name)
    return named.name_without_cutoff, named.k or 0


def curves(
    metric: NamedMetric, rows: Mapping[str, Rows], longest: int
) -> tuple[str, dict[str, list[float]]]:
    """Return the name of the metric, and its means at k = 1, 2, ... for each model."""
    at_k = [cut_at(metric, k) for k in range(1, longest + 1)]
    return at_k[0].name_without_cutoff, {
        model: _means(at_k, of) for model, of in rows.items()
    }


def reports(rows: Mapping[str, Rows], cutoffs: Sequence[int]) -> dict[str, Report]:
    """Return the usual metrics of each model at the cutoffs."""
    return {
        model: ranking_report(**of, k=cutoffs, output_dict=True)
        for model, of in rows.items()
    }


def _means(metrics: list[NamedMetric], rows: Rows) -> list[float]:
    return list(ranking_scores(**rows, metrics=metrics).values())

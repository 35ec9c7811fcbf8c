"""What scorers share: their metrics, and the protocol that asks for metadata."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from uuid import uuid4

from sklearn import get_config
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils.metadata_routing import MetadataRequest

from sklearn_rank._ranked_lists import TIES
from sklearn_rank._validation import check_option, check_parameters, shorten, suggest
from sklearn_rank.metrics._average import WARN, fill_value, undefined_text
from sklearn_rank.metrics._metric import Metric
from sklearn_rank.metrics._options import check_options
from sklearn_rank.metrics._registry import NamedMetric, parse_metrics

__all__ = ["MetricScorer", "call_of", "is_single", "signed"]

# Scorers that have warned in this process.
_HAVE_WARNED: set[str] = set()


class MetricScorer:
    """What scorers share: their metrics, and the protocol that asks for metadata."""

    def __init__(self, metric: Any, metric_params: Mapping[str, Any], **requests: Any):
        self.metric = metric
        self.metric_params = metric_params
        shared = shared_parameters(metric_params)
        self._ties = shared.get("ties", "average")
        self._replace_undefined_by = shared.get("replace_undefined_by", WARN)
        self._fill = fill_value(self._replace_undefined_by)
        self._wanted = bind_metrics(metric, metric_params, shared)
        # Without an entry for weights, a Pipeline whose last step is a search cannot be
        # scored: it hands them on even where there are none.
        self._requests = {"sample_weight": None, **requests}
        # Copies of a scorer, such as those of a search, are known by it.
        self._identity = uuid4().hex

    def _warn_of_undefined(self, undefined: Mapping[str, int]) -> None:
        """Warn of undefined queries, once in a process.

        A search scores many times. Its text is constant, but Python would still show it
        for each candidate: catch_warnings, which scikit-learn enters for each, makes
        Python forget what it has shown.
        """
        names = [name for name, count in undefined.items() if count]
        if not names or self._replace_undefined_by != WARN:
            return
        if self._identity not in _HAVE_WARNED:
            text = undefined_text(names, "some queries")
            warnings.warn(text, UndefinedMetricWarning, stacklevel=3)
            _HAVE_WARNED.add(self._identity)

    def set_score_request(self, **requests: bool | str | None) -> Any:
        """Set which metadata are routed to the scorer, as in scikit-learn's scorers.

        Parameters
        ----------
        **requests : bool, str or None
            True requests, False refuses, a str is the name under which the metadata are
            passed, and None raises an error where they are passed.

        Returns
        -------
        scorer : object
            The scorer itself.

        Raises
        ------
        RuntimeError
            If metadata routing is off.
        TypeError
            If the scorer does not take metadata of that name.
        """
        if not get_config()["enable_metadata_routing"]:
            raise RuntimeError(
                "set_score_request needs metadata routing; turn it on with "
                "sklearn.set_config(enable_metadata_routing=True)."
            )
        unknown = [name for name in requests if name not in self._requests]
        if unknown:
            raise TypeError(
                f"{self!r} takes no {unknown[0]!r}. {suggest(unknown[0], self._requests)}"
            )
        self._requests.update(requests)
        return self

    def get_metadata_routing(self) -> MetadataRequest:
        """Return what is requested, for scikit-learn's routing.

        Returns
        -------
        routing : MetadataRequest
            The requests of the scorer.
        """
        request = MetadataRequest(owner=type(self).__name__)
        for name, alias in self._requests.items():
            request.score.add_request(param=name, alias=alias)
        return request

    def _accept_sample_weight(self) -> bool:
        # scikit-learn asks scorers this. Without routing it would hand on the weights of
        # training rows, which are not the weights of queries.
        return False


def shared_parameters(metric_params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that all metrics have."""
    shared = ("ties", "replace_undefined_by")
    if "ties" in metric_params:
        check_option("ties", metric_params["ties"], TIES)
    return {name: metric_params[name] for name in shared if name in metric_params}


def bind_metrics(
    metric: Any, metric_params: Mapping[str, Any], shared: Mapping[str, Any]
) -> list[NamedMetric]:
    """Return the metrics with their parameters; each parameter must belong to one."""
    if isinstance(metric, Mapping | Iterator):
        # A scorer is copied and printed, for which an iterator would have to start anew.
        raise TypeError(
            "`metric` must be a name, a function of sklearn_rank.metrics, or a list of "
            f"these, got {shorten(metric)}."
        )
    own = {name: value for name, value in metric_params.items() if name not in shared}
    wanted = parse_metrics(metric, **own)
    known = set().union(*(named.parameters for named in wanted))
    for name in own:
        if name not in known:
            raise ValueError(
                f"No metric in {_name_of(metric)} has a parameter {name!r}. "
                f"Valid: {sorted(known | {'ties', 'replace_undefined_by'})}."
            )
    # What a name in a string says wins, but what it wins over must be right too.
    check_parameters(own)
    for named in wanted:
        if isinstance(named.metric, Metric):
            check_options(named.metric.kernel, own)
    return wanted


def is_single(metric: Any) -> bool:
    """Return whether one metric was asked for, not a list of them."""
    return isinstance(metric, str) or callable(metric)


def signed(
    wanted: Sequence[NamedMetric], scores: Mapping[str, float], *, single: bool
) -> float | dict[str, float]:
    """Return scores of which higher is better: one number, or a dict."""
    better = {
        named.name: -scores[named.name] if named.lower_is_better else scores[named.name]
        for named in wanted
    }
    return better[wanted[0].name] if single else better


def call_of(function: str, metric: Any, parameters: Mapping[str, Any]) -> str:
    """Return the call that makes a scorer."""
    arguments = [f"{name}={value!r}" for name, value in parameters.items()]
    return f"{function}({', '.join([_name_of(metric), *arguments])})"


def _name_of(metric: Any) -> str:
    if is_single(metric):
        return getattr(metric, "__name__", None) or repr(metric)
    return "[" + ", ".join(_name_of(one) for one in metric) + "]"

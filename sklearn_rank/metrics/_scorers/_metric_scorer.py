"""Base class of scorers: metrics, warnings, and requests for metadata."""

from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from typing import Any, Generic, Self, TypeVar

from sklearn import get_config
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils.metadata_routing import MetadataRequest

from sklearn_rank._base._messages import keep_text, warn_caller, warn_misleading
from sklearn_rank._base._validation import check_given, is_iterable, shorten, suggest
from sklearn_rank._hints._explain import explained, words
from sklearn_rank.inputs._columns import check_column
from sklearn_rank.metrics._core._evaluate import Evaluation
from sklearn_rank.metrics._core._metric import BoundMetric, bind_to_input
from sklearn_rank.metrics._core._registry import (
    COLUMNS,
    bind,
    check_no_part,
    has_metric,
    parse_metric,
)
from sklearn_rank.metrics._core._summaries import undefined_text

# Calls that made scorers which have warned in this process, and the subjects. Python's own
# record of what was shown does not last: scikit-learn resets it in each fold of a search.
_HAVE_WARNED: set[tuple[str, str]] = set()


# A number; for several metrics a dict from name to number.
ScoreT = TypeVar("ScoreT", float, dict[str, float])


@explained
class MetricScorer(Generic[ScoreT]):
    """Base class of scorers: metrics, warnings, and requests for metadata."""

    _maker: str  # the function that makes the scorer

    def __init__(
        self, metric: Any, given: dict[str, Any], metric_params: Mapping[str, Any]
    ):
        """`given` has the arguments of the maker that are not its defaults."""
        self.metric = _add_sign(metric)
        self.metric_params = metric_params
        self._given = given
        self._columns = {n: v for n, v in metric_params.items() if n in COLUMNS}
        self._wanted = bind_metrics(_drop_sign(metric), metric_params, given)
        for name, column in self._columns.items():
            check_column(name, column)
            if name not in self.column_names:
                raise ValueError(
                    f"No metric in {_name_of(metric)} needs a column {name!r}; drop it."
                )
        # A Pipeline whose last step is a search passes weights even if it got none:
        # without this entry it could not be scored.
        self._requests: dict[str, Any] = {"sample_weight": None}
        # Shared by copies of a scorer, such as those of a search; a new scorer warns again.
        self._call = repr(self)
        _HAVE_WARNED.difference_update([w for w in _HAVE_WARNED if w[0] == self._call])
        self._silent_on: set[str] = set()

    def __repr__(self) -> str:
        """Return the call that makes this scorer."""
        options = {**self._given, **self.metric_params}
        arguments: list[str] = [f"{name}={_repr(value)}" for name, value in options.items()]
        return f"{self._maker}({', '.join([_name_of(self.metric), *arguments])})"

    def __getattr__(self, name: str) -> str:
        """Return the name for pictures of scikit-learn; explain missing attributes."""
        advice = ""
        if name == "__name__":
            if is_single(self.metric):
                return _key(self._wanted[0])  # "neg_" becomes "Negative" in pictures
            advice = "; a picture is of one metric, so make a scorer of each"
        elif name.startswith("_") and not name.startswith("__"):
            advice = (
                "; a tool that asks for it wants a scorer of single rows, as sklearn."
                "metrics.make_scorer makes it. TunedThresholdClassifierCV is such a tool: "
                "a threshold does not change a ranking, so give it a metric of decisions, "
                "such as scoring='f1'"
            )
        text = f"{type(self).__name__!r} object has no attribute {name!r}{advice}."
        raise AttributeError(text, name=name, obj=self)

    @property
    def named(self) -> list[BoundMetric]:
        """The metrics with all their parameters."""
        return list(self._wanted)

    def with_metrics(self, wanted: list[BoundMetric]) -> "MetricScorer":
        """Return the scorer with other metrics."""
        names = [bound.name for bound in wanted]
        return self._copy_with(metric=names, _wanted=list(wanted))

    @property
    def column_names(self) -> list[str]:
        """Names of the columns that the metrics take beside grades and scores."""
        taken = (name for bound in self._wanted for name in bound.metric.column_names)
        return list(dict.fromkeys(taken))

    @property
    def needs_max_grade(self) -> bool:
        """Whether a default of a metric depends on the whole data."""
        return any(bound.metric.from_data for bound in self._wanted)

    def with_max_grade(self, max_grade: float) -> "MetricScorer":
        """Return the scorer for data with this highest grade.

        Otherwise each fold would use its own highest grade.
        """
        return self._copy_with(_wanted=[bind_to_input(n, max_grade) for n in self._wanted])

    def _score(self, evaluation: Evaluation) -> Any:
        """Return one score or a dict of scores; higher is better."""
        self._check_scale(evaluation)
        summaries = evaluation.summaries()
        self._warn_of_undefined(
            evaluation.undefined(summaries), evaluation.names_of_shown()
        )
        scores = ScoresByKey()
        for bound in evaluation.wanted:
            mean = summaries[bound.name].result()
            scores[_key(bound)] = -mean if bound.lower_is_better else mean
        return scores[_key(evaluation.wanted[0])] if is_single(self.metric) else scores

    def _check_scale(self, evaluation: Evaluation) -> None:
        """Raise if the scale of a metric is the highest grade of these rows, not 1.

        A scorer sees one fold at a time, and each would have its own scale.
        """
        is_open = {b.name for b in self._wanted if b.parameters.get("max_grade", 0) is None}
        for bound in evaluation.wanted:
            highest = bound.parameters.get("max_grade")
            if bound.name in is_open and highest != 1:
                word, at, k = bound.definition.partition("@")
                word, _, parameters = word.removesuffix(")").partition("(")
                parameters += ", " * bool(parameters)
                raise ValueError(
                    f"{bound.name!r} has no scale: it would take the highest grade of "
                    f"these rows, {highest:g}, and other folds may have a different one. "
                    "Give the highest grade that a judge can give: "
                    f"'{word}({parameters}max_grade=...){at}{k}'."
                )

    def _warn_of_undefined(self, undefined: Mapping[str, int], of_shown: set[str]) -> None:
        names = [name for name, count in undefined.items() if count]
        if not names:
            return
        text = undefined_text(names, "some queries", of_shown, self._maker)
        if not self._has_warned_of("undefined"):
            warn_caller(text, category=UndefinedMetricWarning)
            _HAVE_WARNED.add((self._call, "undefined"))
        else:
            keep_text(text, UndefinedMetricWarning)

    def silent_on(self, subject: str) -> "MetricScorer":
        """Return the scorer without the warning of a subject."""
        return self._copy_with(_silent_on={*self._silent_on, subject})

    def _copy_with(self, **changes: Any) -> Self:
        """Return a copy with other attributes."""
        scorer = copy(self)
        vars(scorer).update(changes)
        return scorer

    def _has_warned_of(self, subject: str) -> bool:
        return subject in self._silent_on or (self._call, subject) in _HAVE_WARNED

    def _warn_once(self, subject: str, text: str) -> None:
        """Warn of a misleading score, once in a process."""
        if not self._has_warned_of(subject):
            warn_misleading(text)
            _HAVE_WARNED.add((self._call, subject))
        elif subject not in self._silent_on:
            keep_text(text)

    def set_score_request(self, **requests: bool | str | None) -> Self:
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
        # scikit-learn calls this. Without routing it would pass the weights of training
        # rows, which are not the weights of queries.
        return False


# Parameters of all metrics; others belong to some metrics.
SHARED_PARAMETERS = ("ties", "replace_undefined_by", "convention")


def bind_metrics(
    metric: Any, metric_params: Mapping[str, Any], keywords: Iterable[str]
) -> list[BoundMetric]:
    """Return the metrics with their parameters; each parameter must belong to one.

    `keywords` are those that scorers of any metric have.
    """
    params = {n: v for n, v in metric_params.items() if n not in COLUMNS}
    own = {name: value for name, value in params.items() if name not in SHARED_PARAMETERS}
    wanted = bind(metric, **params)
    names = sorted({*SHARED_PARAMETERS, *(name for b in wanted for name in b.parameters)})
    unknown = [name for name in own if name not in names]
    for name in unknown:
        check_no_part(name, "The scorer")
    if unknown:
        advice = words().advise_keywords([*keywords, *names], unknown)
        listed = ", ".join(map(repr, unknown))
        raise ValueError(
            f"No metric in {_name_of(metric)} has a parameter {listed}. {advice}"
        )
    return wanted


class ScoresByKey(dict[str, float]):
    """Scores by name, "neg_" before that of a metric where lower is better.

    A search asks whether `refit` is a key. Its own error does not say which key is meant.
    """

    def __contains__(self, key: object) -> bool:
        """Return whether there is such a score; raise if its key has a sign."""
        if not super().__contains__(key) and super().__contains__(f"neg_{key}"):
            raise ValueError(
                f"Lower is better for {key!r}, so its score is negated: write 'neg_{key}'."
            )
        return super().__contains__(key)


def _key(bound: BoundMetric) -> str:
    """Return the key of a score, with the sign that makes higher better."""
    return f"neg_{bound.name}" if bound.lower_is_better else bound.name


def _drop_sign(metric: Any) -> Any:
    """Return metrics without the "neg_" that names of scores have."""
    # A scorer is copied and printed, which would exhaust an iterator.
    needed = "a name, a function of a query, a list of these, or a dict of them by name"
    check_given("metric", metric, not isinstance(metric, Iterator), needed)
    if isinstance(metric, str):
        is_lower = metric.startswith("neg_") and _is_lower_better(metric[4:])
        return metric[4:] if is_lower else metric
    if isinstance(metric, Mapping):
        return {name: _drop_sign(entry) for name, entry in metric.items()}
    is_list = is_iterable(metric) and not callable(metric)
    return list(map(_drop_sign, metric)) if is_list else metric


def _add_sign(metric: Any) -> Any:
    """Return metrics, "neg_" before the names of those where lower is better."""
    if isinstance(metric, str):
        return f"neg_{metric}" if _is_lower_better(metric) else metric
    is_list = is_iterable(metric) and not (callable(metric) or isinstance(metric, Mapping))
    return list(map(_add_sign, metric)) if is_list else metric


def _is_lower_better(name: str) -> bool:
    return has_metric(name) and parse_metric(name).lower_is_better


def is_single(metric: Any) -> bool:
    """Return whether one metric was asked for, not a list of them."""
    return isinstance(metric, str) or callable(metric)


def _repr(value: Any) -> str:
    """Return the text of a value, shortened for tables."""
    is_table = hasattr(value, "shape") or isinstance(value, Mapping)
    return " ".join(shorten(value).split()) if is_table else repr(value)


def _name_of(metric: Any) -> str:
    if is_single(metric) or isinstance(metric, Mapping):
        return getattr(metric, "__name__", None) or repr(metric)
    return "[" + ", ".join(_name_of(part) for part in metric) + "]"

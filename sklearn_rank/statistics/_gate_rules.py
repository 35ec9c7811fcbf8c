"""What a gate asks of each metric: its margin and floor, its range and direction."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np

from sklearn_rank._base._validation import check_given, check_option, check_real
from sklearn_rank.inputs._reading._names import words_of
from sklearn_rank.metrics import PerQueryScores
from sklearn_rank.metrics._core._parameters import Range
from sklearn_rank.metrics._core._registry import canonical_name, has_metric, parse_metric
from sklearn_rank.statistics._options import check_value_range
from sklearn_rank.statistics._read_scores import Scores

# The margin of metrics from 0 to 1, of the command and of the fixture.
MARGIN = 0.05
# Words in the names of numbers whose lower values are often better.
_LOW = (
    *("latency", "time", "ms", "seconds", "cost", "price", "tokens", "loss", "error"),
    *("distance", "hallucination", "toxicity", "perplexity"),
)
LOW_WORDS = frozenset(form for word in _LOW for form in (word, f"{word}s"))
# How Python's parameter says a direction.
ADVICE = "lower_is_better={{{0!r}: True}}, or False"
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class GateRules:
    """Margins, floors, ranges and directions, each of all metrics or by metric."""

    margin: float | Mapping[str, float] | None = None  # if None, `default`
    floor: float | Mapping[str, float] | None = None
    ranges: Range | Mapping[str, Range] | None = None
    lower: Mapping[str, bool] = field(default_factory=dict)
    default: float | None = None  # the margin of metrics from 0 to 1
    margin_option: str = "`margin`"
    advice: str = ADVICE  # how to say the direction of a metric

    @classmethod
    def read(
        cls,
        margin: Any,
        floor: Any = None,
        value_range: Any = None,
        lower_is_better: Any = None,
        **options: Any,
    ) -> "GateRules":
        """Return the rules; raise unless they are numbers, ranges and directions."""
        bars = (
            _each("margin", margin, "a finite number >= 0", least=0),
            _each("floor", floor, "a finite number"),
        )
        is_by_name = isinstance(value_range, Mapping)
        ranges: Any = check_value_range(None if is_by_name else value_range)
        if is_by_name:
            ranges = {name: check_value_range(ends) for name, ends in value_range.items()}
        return cls(*bars, ranges, _directions(lower_is_better), **options)

    def apply(self, scores: Scores) -> Scores:
        """Return the values with their ranges, directions and margins."""
        names = list(scores.values)
        ranges: dict[str, Range] = self._by_metric("value_range", self.ranges, names)
        for name, bounds in ranges.items():
            scores.check_range(name, bounds)
        ranges = scores.ranges | ranges
        for name, floor in self._by_metric("floor", self.floor, names).items():
            possible = ranges.get(name)
            if possible is not None and not possible.low <= floor <= possible.high:
                raise ValueError(
                    f"{name!r} is from {possible.low:g} to {possible.high:g}, so no mean "
                    f"can be {floor:g}. Give the floor in the unit of the values, "
                    f"such as {floor / 100:g} for {floor:g} percent."
                )
        lower = self.lower_of(names, scores.lower_is_better)
        scores = replace(scores, ranges=ranges, lower_is_better=lower)
        return replace(scores, margins=self._margins(scores))

    def _margins(self, scores: Scores) -> dict[str, float]:
        margins = self._by_metric("margin", self.margin, list(scores.values))
        for name in scores.values:
            if name in margins:
                continue
            bounds = scores.ranges.get(name)
            is_usual = bounds is not None and (bounds.low, bounds.high) == (0.0, 1.0)
            if self.default is None or not is_usual:
                why = "is not a metric from 0 to 1" if self.default else "has none"
                metrics = ",".join(metric for metric in scores.values if metric != name)
                is_option = metrics and self.margin_option.startswith("-")
                way = f"; or leave it out: --metric {metrics}" if is_option else ""
                raise ValueError(f"{self.margin_option} is needed: {name} {why}{way}.")
            margins[name] = self.default
        return margins

    def settings(self, margins: Mapping[str, float]) -> dict[str, Any]:
        """Return the margin, or margins by metric, and floors, as a result shows them."""
        values = set(margins.values())
        settings: dict[str, Any] = {"margin": values.pop() if len(values) == 1 else None}
        if values:
            settings["margins"] = dict(margins)
        floors = self._by_metric("floor", self.floor, list(margins))
        return settings | ({"floors": floors} if floors else {})

    def lower_of(self, names: Sequence[str], lower: Iterable[str]) -> frozenset[str]:
        """Return the metrics where lower is better; raise if a name leaves it open."""
        directions = self._by_metric("lower_is_better", self.lower, names)
        by_metric = {name: name in lower or _is_lower(name) for name in names}
        for name, is_low in directions.items():
            if has_metric(name) and is_low != by_metric[name]:
                ends = ("higher", "lower") if by_metric[name] else ("lower", "higher")
                raise ValueError(
                    f"`lower_is_better` says that {ends[0]} is better for {name}, but "
                    f"{ends[1]} is."
                )
        by_metric |= directions
        for name, is_low in by_metric.items():
            word = _low_word(name)
            if word and not is_low and name not in directions:
                raise ValueError(
                    f"{name!r} is not a metric of this package, and lower is often better "
                    f"for {word!r}: give its direction, {self.advice.format(name)}."
                )
        return frozenset(name for name, is_low in by_metric.items() if is_low)

    def take_metric(self, name: str, margin: float) -> "GateRules":
        """Return the rules of one metric with another margin and no floor."""
        ranges = self.ranges
        if isinstance(ranges, Mapping):
            ranges = self._matching(ranges, name)
        lower = self._matching(self.lower, name)
        return replace(self, margin=margin, floor=None, ranges=ranges, lower=lower)

    @staticmethod
    def _matching(values: Mapping[str, T], name: str) -> dict[str, T]:
        canonical = canonical_name(str(name))
        return {key: of for key, of in values.items() if canonical_name(key) == canonical}

    def check_streamed(self) -> None:
        """Raise for rules that need values in memory."""
        if self.ranges or self.lower or isinstance(self.margin, Mapping):
            raise ValueError(
                "Tables that are read in parts have one `margin`, and the ranges and "
                "directions of metrics; give values in memory for others."
            )

    def _by_metric(self, option: str, values: Any, names: Sequence[str]) -> dict[str, Any]:
        """Return the value of each name for which there is one, however it is spelled."""
        if not isinstance(values, Mapping):
            return {} if values is None else dict.fromkeys(names, values)
        spelled = {canonical_name(str(name)): name for name in names}
        by_metric: dict[str, Any] = {}
        for asked, value in values.items():
            name = asked if asked in names else spelled.get(canonical_name(str(asked)))
            if name is None:
                check_option(option, asked, names)  # raises
            else:
                by_metric[name] = value
        return by_metric


def _each(option: str, value: Any, needed: str, **limits: float) -> Any:
    """Return a number, or a number by metric; raise for others."""
    if value is None:
        return None
    if not isinstance(value, Mapping):
        return check_real(option, value, needed, **limits)
    return {
        name: check_real(f"{option}[{name!r}]", number, needed, **limits)
        for name, number in value.items()
    }


def _directions(lower_is_better: Any) -> dict[str, bool]:
    """Return whether low is better, by metric."""
    if lower_is_better is None:
        return {}
    if isinstance(lower_is_better, Mapping):
        directions = dict(lower_is_better)
    else:
        is_name = isinstance(lower_is_better, str)
        is_valid = is_name or isinstance(lower_is_better, list | tuple | set | frozenset)
        needed = "names of metrics, or a dict from name to whether low is better"
        check_given("lower_is_better", lower_is_better, is_valid, needed)
        directions = dict.fromkeys([lower_is_better] if is_name else lower_is_better, True)
    for name, is_low in directions.items():
        check_given(
            f"lower_is_better[{name!r}]", is_low, isinstance(is_low, bool), "a bool"
        )
    return directions


def _is_lower(name: str) -> bool:
    """Return whether a name is that of a metric here whose lower values are better."""
    return has_metric(name) and parse_metric(name).lower_is_better


def _low_word(name: str) -> str | None:
    """Return a word in the name of another metric whose lower values are often better."""
    words = [] if has_metric(name) else words_of(name).split()
    return next((word for word in words if word in LOW_WORDS), None)


def finds_nothing(values: PerQueryScores, metrics: Iterable[str], rules: GateRules) -> bool:
    """Return whether a metric is undefined everywhere, or 0 though high is better."""
    metrics = list(metrics)
    lower = rules.lower_of(metrics, values.lower_is_better)
    return any(
        np.isnan(values.scores[metric]).all()
        or (metric not in lower and not np.nanmax(np.abs(values.scores[metric])))
        for metric in metrics
    )

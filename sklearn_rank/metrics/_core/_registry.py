"""The registry of metrics by name, and metrics bound to the parameters of names."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from functools import cache
from importlib import import_module
from inspect import signature
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank._base._validation import (
    check_given,
    check_option,
    is_iterable,
    shorten,
    suggest,
)
from sklearn_rank._ranking._ties import TIES
from sklearn_rank.metrics._core._conventions import conventions, follow_convention
from sklearn_rank.metrics._core._families import FAMILIES
from sklearn_rank.metrics._core._grammar import (
    DECIMAL_PARAMETERS,
    EXAMPLE_NAME,
    LEVEL,
    NO_CUTOFF,
    OTHER_GAINS,
    OTHER_PARAMETERS,
    REASONS,
    SPELLINGS,
    parse_name,
    unreadable_name,
)
from sklearn_rank.metrics._core._metric import ABSTAINED, BoundMetric, Metric
from sklearn_rank.metrics._core._query_functions import make_metric
from sklearn_rank.metrics._core._side_columns import check_columns
from sklearn_rank.metrics._core._summaries import check_undefined

# Code that looks one up by its name, or all, calls `load_families` first.
METRICS: dict[str, Metric] = {}

# The metric by the letters of its names, without capitals and underscores.
WORDS: dict[str, str] = {}

# Names of the columns that any metric takes beside grades and scores.
COLUMNS: set[str] = {"items"}

# Keywords of metrics' functions that are parts of a catalogue.
PARTS: set[str] = set()


@cache
def load_families() -> None:
    """Make all metrics known: each file of a family registers its own."""
    for file in FAMILIES:
        import_module(f"sklearn_rank.metrics._families.{file}")


def register(record: Metric) -> None:
    """Make a metric known by its name and that of its function; raise if one is taken."""
    for word in {_letters(record.name), _letters(record.function.__name__)}:
        if word in WORDS or word in _SPELLINGS:
            raise ValueError(
                f"Metric {record.name!r} cannot be called {word!r}, as another metric is; "
                "choose another name."
            )
        WORDS[word] = record.name
    METRICS[record.name] = record
    COLUMNS.update(record.column_names)
    PARTS.update(part.name for part in record.parts)


def _letters(word: str) -> str:
    """Return what a word is compared by: "nDCG", "ndcg_score" and "ndcg" are one."""
    word = word.lower().replace("-", "_").removesuffix("_score")
    return word.removesuffix("_at_k").replace("_", "")


# One letter is not enough: "f2" is another measure.
_WITH_DIGITS = re.compile(r"(?P<name>[A-Za-z_-]{2,}?)(?P<digits>[1-9]\d*)", re.ASCII)
_SPELLINGS = {_letters(word): meaning for word, meaning in SPELLINGS.items()}
_REASONS = {_letters(word): meaning for word, meaning in REASONS.items()}


def check_keywords(columns: Mapping[str, Any], function: Callable) -> None:
    """Raise for keywords of a function that are not columns."""
    load_families()
    for name in columns:
        check_no_part(name, f"{function.__name__}()")
    parameters = signature(function).parameters
    names = [
        name
        for name, parameter in parameters.items()
        if parameter.kind is not parameter.VAR_KEYWORD
    ]
    check_columns(columns, COLUMNS, f"{function.__name__}()", names)


def check_no_part(name: str, who: str) -> None:
    """Raise for keywords of a metric's function that belong in a catalogue here."""
    load_families()
    if name in PARTS:
        raise TypeError(
            f"{who} has no parameter {name!r}; give it as `{name}` of a catalogue: "
            f"catalogue=Catalogue({name}=...)."
        )


def list_metrics(metrics: Any) -> list:
    """Return one metric or several as a list; text is one, and a mapping names several."""
    if isinstance(metrics, Mapping):
        return [_named_metric(name, metric) for name, metric in metrics.items()]
    is_one = isinstance(metrics, str) or not is_iterable(metrics)
    return [metrics] if is_one else list(metrics)


def _named_metric(name: Any, metric: Any) -> Any:
    """Return a metric under another name, a function with it or a name beside it."""
    needed = 'names and metrics, such as {"revenue@5": f, "ndcg": "ndcg@5"}'
    check_given("metrics", name, isinstance(name, str) and name.strip(), needed)
    is_own = callable(metric) and not isinstance(getattr(metric, "metric", None), Metric)
    return make_metric(metric, name=name) if is_own else NamedMetric(name, metric)


class NamedMetric(NamedTuple):
    """A metric, and the name that its results have."""

    name: str
    metric: Any


def parse_metrics(metrics: Any, **defaults: Any) -> list[BoundMetric]:
    """Return the metrics of one name or several, each spelling once."""
    parsed = [parse_metric(metric, **defaults) for metric in list_metrics(metrics)]
    if not parsed:
        raise ValueError("`metrics` is empty; name at least one, for example 'ndcg@10'.")
    by_name: dict[str, BoundMetric] = {}
    for metric in parsed:
        first = by_name.setdefault(metric.name, metric).metric
        if first.rows == "function" and first.function != metric.metric.function:
            raise ValueError(
                f"Two metrics are called {metric.name!r}; give one of them another name: "
                "make_metric(f, name=...)."
            )
    return list(by_name.values())


def parse_metric(
    metric: "str | Callable | BoundMetric | NamedMetric",
    *,
    ties: str = "average",
    replace_undefined_by: float | str = "warn",
    left_open: Collection[str] = (),
    **defaults: Any,
) -> BoundMetric:
    """Return the metric for a name or for one of our functions, under that name.

    `defaults` are parameters for the metrics that have them; the value in a name wins. They
    are checked for the other metrics too, where they have no effect. Words do not set the
    parameters that are `left_open`.
    """
    load_families()
    if isinstance(metric, BoundMetric):
        check_parameters(defaults)
        return metric
    if isinstance(metric, NamedMetric):
        shared: Any = {"ties": ties, "replace_undefined_by": replace_undefined_by}
        bound = parse_metric(metric.metric, left_open=left_open, **shared, **defaults)
        return replace(bound, name=metric.name)
    in_name: dict[str, Any] = {}
    if callable(metric):
        metric_record = _look_up_function(metric)
        name = definition = metric_record.name
    elif isinstance(metric, str):
        name = metric
        definition, metric_record, in_name = _look_up_name(metric, left_open)
    else:
        raise TypeError(
            "`metrics` takes names such as 'ndcg@10' and functions of a query, "
            f"got {shorten(metric)}."
        )
    applicable = {
        key: value for key, value in defaults.items() if key in metric_record.parameters
    }
    check_parameters(
        {key: value for key, value in defaults.items() if key not in applicable}
    )
    parameters = metric_record.checked(
        {**metric_record.parameters, **applicable, **in_name}
    )
    return BoundMetric(
        name,
        metric_record,
        parameters,
        tuple(sorted({**applicable, **in_name})),
        ties,
        replace_undefined_by,
        definition=definition,
    )


def canonical_name(text: str) -> str:
    """Return what a name of a metric is compared by; other text as it is."""
    return parse_metric(text).definition if has_metric(text) else text


def has_metric(text: str) -> bool:
    """Return whether a text is the name of a metric."""
    try:
        parse_metric(text)
    except ValueError:
        return False
    return True


def check_parameters(parameters: Mapping[str, Any]) -> None:
    """Raise for a value that no metric accepts."""
    load_families()
    for name, value in parameters.items():
        checks = [
            metric.checks[name] for metric in METRICS.values() if name in metric.checks
        ]
        errors = []
        for check in dict.fromkeys(checks):
            try:
                check.check(name, value)
                break
            except (TypeError, ValueError) as error:
                errors.append(error)
        else:
            if errors:
                raise errors[0]


def _look_up_function(function: Callable) -> Metric:
    record = getattr(function, "metric", None)
    if not isinstance(record, Metric):
        record = make_metric(function).metric
    if record.rows == "function" and has_metric(record.name):
        own: Any = record.function
        word = getattr(own.function, "__name__", "f")
        raise ValueError(
            f"{record.name!r} is a metric here: write {canonical_name(record.name)!r} for "
            f'it, or make_metric({word}, name="my {record.name}").'
        )
    return record


def _look_up_name(
    text: str, left_open: Collection[str]
) -> tuple[str, Metric, dict[str, Any]]:
    """Return the definition, the metric and the parameters that a name gives."""
    word, in_brackets = parse_name(text.replace("\N{GREEK SMALL LETTER ALPHA}", "alpha"))
    word, cutoff = (word, {}) if in_brackets else _split_cutoff(word)
    name, implied = _find_meaning(text, word)
    implied = {key: value for key, value in implied.items() if key not in left_open}
    metric = METRICS[name]
    in_brackets = cutoff | in_brackets
    parameters = implied | _parameters_of(text, metric, in_brackets)
    _check_given(text, metric, parameters)
    k = parameters.get("k")
    if name == "accuracy" and k is not None and "n_items" not in parameters:
        raise ValueError(
            f"{shorten(text)} has two meanings. Write 'hit_rate@{k}' for the share of "
            f"queries with a relevant item in the first {k}, as MTEB and "
            f"sentence-transformers do, or 'accuracy(n_items=...)@{k}' for the share of "
            "all items that are classified correctly (n_items=None: of the rows)."
        )
    return _canonical_name(metric, parameters), metric, parameters


def _split_cutoff(word: str) -> tuple[str, dict[str, Any]]:
    """Return a word such as "ndcg10" as a metric with a cutoff; others as they are."""
    match = _WITH_DIGITS.fullmatch(word)
    if match is None or _letters(word) in {**WORDS, **_SPELLINGS, **_REASONS}:
        return word, {}
    letters = _letters(match["name"])
    meaning = WORDS.get(letters) or _SPELLINGS.get(letters)
    name, parameters = parse_name(meaning) if meaning else ("", {})
    # "rbp95" and the like have a decimal.
    if (
        not name
        or not METRICS[name].takes_k
        or "k" in parameters
        or name in DECIMAL_PARAMETERS
    ):
        return word, {}
    return match["name"], {"k": int(match["digits"])}


def _find_meaning(text: str, word: str) -> tuple[str, dict[str, Any]]:
    """Return the metric of a word, and the parameters that the word implies."""
    letters = _letters(word)
    if letters in WORDS:
        return WORDS[letters], {}
    if letters in _SPELLINGS:
        return parse_name(_SPELLINGS[letters])
    if letters in _REASONS:
        raise ValueError(f"{shorten(text)} is not a metric here: {_REASONS[letters]}.")
    names = [f"{key}@k" if metric.takes_k else key for key, metric in METRICS.items()]
    suggestion = suggest(word, names, meant=_nearest_metric(letters))
    raise ValueError(f"Unknown metric {shorten(text)}. {suggestion}")


def _parameters_of(
    text: str, metric: Metric, in_brackets: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the parameters of a name as parameters of the metric."""
    parameters = {}
    for name, value in in_brackets.items():
        own_name = name if name in metric.parameters else OTHER_PARAMETERS.get(name, name)
        if name == "dcg":
            value = OTHER_GAINS.get(value, value)
        if name == LEVEL:
            own_name, value = _read_level(text, metric, value)
        elif own_name == "k" and not metric.takes_k and metric.name in DECIMAL_PARAMETERS:
            own_name = DECIMAL_PARAMETERS[metric.name]
        if own_name in parameters:
            raise unreadable_name(text, f"it gives `{own_name}` twice")
        parameters[own_name] = value
    return parameters


def _read_level(text: str, metric: Metric, digits: str) -> tuple[str, Any]:
    """Return the parameter that a decimal gives: a level, or the k of "ndcg_cut.10"."""
    if metric.name in DECIMAL_PARAMETERS:
        return DECIMAL_PARAMETERS[metric.name], float(digits)
    if digits.startswith(".") and int(digits[1:]):
        return "k", int(digits[1:])
    raise unreadable_name(text, f"{NO_CUTOFF} {digits!r}")


def _canonical_name(metric: Metric, parameters: Mapping[str, Any]) -> str:
    """Return the name of a definition: parameters in order, and a cutoff after @."""
    k = parameters.get("k")
    arguments = [
        f"{name}={_write_value(parameters[name])}"
        for name in metric.parameters
        if name in parameters and (name != "k" or k is None)
    ]
    name = f"{metric.name}({', '.join(arguments)})" if arguments else metric.name
    return name if k is None else f"{name}@{k}"


def _write_value(value: Any) -> str:
    """Return a value as names give it, whole numbers without a point."""
    is_whole = isinstance(value, float) and value.is_integer() and abs(value) < 1e15
    return repr(int(value) if is_whole else value)


def _nearest_metric(letters: str) -> str:
    """Return the metric whose word this may be with a typo, or ""."""
    words = {**dict.fromkeys(_REASONS, ""), **_SPELLINGS, **WORDS}
    slips = [word for word in words if _is_typo(letters, word)]
    # Letters in another order are the likelier slip.
    slips.sort(key=lambda word: sorted(word) != sorted(letters))
    nearest = words[slips[0]] if slips else ""
    return nearest and parse_name(nearest)[0]


def _is_typo(typed: str, word: str) -> bool:
    """Return whether a word may be a typo; in a short one no letter may be missing."""
    if sorted(typed) == sorted(word):
        return True
    likeness = SequenceMatcher(None, typed, word).ratio()
    if len(word) > 4:
        return likeness >= 0.85
    return len(typed) > len(word) > 2 and likeness >= 0.85 and set(typed) == set(word)


def _check_given(text: str, metric: Metric, parameters: Mapping[str, Any]) -> None:
    """Raise unless the metric has these parameters, with such values."""
    for parameter in parameters:
        if not metric.parameters:
            raise ValueError(
                f"Metric {metric.name!r} takes no parameters, got {shorten(text)}; write "
                f"{metric.name!r}."
            )
        if parameter not in metric.parameters:
            raise ValueError(
                f"Metric {metric.name!r} has no parameter {shorten(parameter)} (in "
                f"{shorten(text)}). {suggest(parameter, metric.parameters)}"
            )
    try:
        metric.checked(parameters)
    except (TypeError, ValueError) as error:
        # In a name everything is text, so the value is wrong, not its type.
        raise ValueError(
            f"Metric {shorten(text)}: {error} Write for example {EXAMPLE_NAME}."
        ) from error


# Metrics with options that they share.


def bind(
    metrics: Any,
    ties: Any = "average",
    replace_undefined_by: Any = "warn",
    convention: Any = None,
    min_relevance: Any = None,
    *,
    leaves_out: Any = "warn",
    counts_beside: bool = False,
    **defaults: Any,
) -> list[BoundMetric]:
    """Return the metrics of one name or several with shared options.

    `leaves_out` is the default of `replace_undefined_by`; a convention replaces it.
    `min_relevance` and `defaults` are parameters for the metrics that have them; None
    means not given. One without effect is an error, unless `counts_beside` is set.
    """
    check_option("ties", ties, TIES)
    defaults["min_relevance"] = min_relevance
    shared = {name: value for name, value in defaults.items() if value is not None}
    undefined = check_undefined(replace_undefined_by, ABSTAINED)
    decided: Collection[str] = ()
    if convention is not None:
        check_option("convention", convention, conventions)
        decided = conventions[convention].decides
    bound_metrics = parse_metrics(
        metrics, ties=ties, replace_undefined_by=undefined, left_open=decided, **shared
    )
    for name, value in shared.items():
        if not counts_beside:
            _check_has_effect(name, value, bound_metrics)
    if convention is None:
        return bound_metrics
    is_default = undefined == leaves_out or (
        undefined != undefined and leaves_out != leaves_out
    )
    return follow_convention(convention, bound_metrics, ties == "average", is_default)


def _check_has_effect(name: str, value: Any, wanted: Sequence[BoundMetric]) -> None:
    """Raise for a keyword that all its metrics override by name."""
    affected = [bound for bound in wanted if name in bound.parameters]
    for bound in affected:
        # The value in a name wins, but the other one must be valid too.
        value = bound.metric.checked({name: value})[name]
    if not affected and any(name in metric.parameters for metric in METRICS.values()):
        names = ", ".join(repr(bound.name) for bound in wanted)
        raise ValueError(
            f"`{name}` has no effect: {names} {'take' if len(wanted) > 1 else 'takes'} "
            "none. Leave it out, or name a metric that takes it."
        )
    set_to = [bound.parameters[name] for bound in affected]
    if not affected or any(
        setting is value or np.array_equal(setting, value) for setting in set_to
    ):
        return
    first = affected[0]
    advice = "Leave one of the two out."
    if name == "k" and first.name != first.name_without_cutoff:
        word = first.name_without_cutoff
        advice = f"Write {f'{word}@{value}'!r}, or {word!r} with k={value}."
    raise ValueError(
        f"{first.name!r} sets {name}={shorten(first.parameters[name])}, so "
        f"{name}={shorten(value)} has no effect. {advice}"
    )

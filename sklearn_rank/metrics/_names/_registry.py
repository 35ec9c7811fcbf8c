"""The registry of metrics by name, and metrics bound to the parameters of names."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from inspect import signature
from typing import Any

import numpy as np

from sklearn_rank._base._validation import check_option, is_iterable, shorten, suggest
from sklearn_rank._ranking._places import TIES
from sklearn_rank.metrics._core._metric import ABSTAINED, BoundMetric, Metric
from sklearn_rank.metrics._core._side_columns import check_columns
from sklearn_rank.metrics._core._summaries import check_undefined
from sklearn_rank.metrics._names._conventions import conventions, follow_convention
from sklearn_rank.metrics._names._grammar import (
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

METRICS: dict[str, Metric] = {}

# The metric by the letters of its names, without capitals and underscores.
WORDS: dict[str, str] = {}

# Names of the columns that any metric takes beside grades and scores.
COLUMNS: set[str] = {"items"}

# Keywords of metrics' functions that are parts of a catalogue.
PARTS: set[str] = set()


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
    for name in columns:
        check_no_part(name, f"{function.__name__}()")
    known = signature(function).parameters
    named = [name for name, one in known.items() if one.kind is not one.VAR_KEYWORD]
    check_columns(columns, COLUMNS, f"{function.__name__}()", named)


def check_no_part(name: str, who: str) -> None:
    """Raise for keywords of a metric's function that belong in a catalogue here."""
    if name in PARTS:
        raise TypeError(
            f"{who} has no parameter {name!r}; give it as `{name}` of a catalogue: "
            f"catalogue=Catalogue({name}=...)."
        )


def list_metrics(metrics: Any) -> list:
    """Return one metric or several as a list; text is one."""
    is_one = isinstance(metrics, str) or not is_iterable(metrics)
    return [metrics] if is_one else list(metrics)


def parse_metrics(
    metrics: str | Callable | Iterable[str | Callable], **defaults: Any
) -> list[BoundMetric]:
    """Return the metrics of one name or several, each once, however it is spelled."""
    parsed = [parse_metric(metric, **defaults) for metric in list_metrics(metrics)]
    if not parsed:
        raise ValueError("`metrics` is empty; name at least one, for example 'ndcg@10'.")
    return list({metric.name: metric for metric in parsed}.values())


def parse_metric(
    metric: "str | Callable | BoundMetric",
    *,
    ties: str = "average",
    replace_undefined_by: float | str = "warn",
    left_open: Collection[str] = (),
    **defaults: Any,
) -> BoundMetric:
    """Return the metric for a name or for one of our functions, under its canonical name.

    `defaults` are parameters for the metrics that have them; the value in a name wins. They
    are checked for the other metrics too, where they have no effect. Words do not set the
    parameters that are `left_open`.
    """
    if isinstance(metric, BoundMetric):
        check_parameters(defaults)
        return metric
    given: dict[str, Any] = {}
    if callable(metric):
        found = _look_up_function(metric)
        name = found.name
    elif isinstance(metric, str):
        name, found, given = _look_up_name(metric, left_open)
    else:
        raise TypeError(
            "`metrics` takes names such as 'ndcg@10' and functions of this package, "
            f"got {shorten(metric)}."
        )
    shared = {key: value for key, value in defaults.items() if key in found.parameters}
    check_parameters({key: value for key, value in defaults.items() if key not in shared})
    parameters = found.checked({**found.parameters, **shared, **given})
    return BoundMetric(
        name, found, parameters, frozenset({**shared, **given}), ties, replace_undefined_by
    )


def canonical_name(text: str) -> str:
    """Return the name of a metric as results carry it; other text as it is."""
    return parse_metric(text).name if has_metric(text) else text


def has_metric(text: str) -> bool:
    """Return whether a text is the name of a metric."""
    try:
        parse_metric(text)
    except ValueError:
        return False
    return True


def check_parameters(parameters: Mapping[str, Any]) -> None:
    """Raise for a value that no metric accepts."""
    for name, value in parameters.items():
        of_all = [one.checks[name] for one in METRICS.values() if name in one.checks]
        errors = []
        for check in dict.fromkeys(of_all):
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
        raise ValueError(
            f"{shorten(getattr(function, '__name__', function))} is not a metric of "
            "sklearn_rank. For another function use sklearn.metrics.make_scorer."
        )
    return record


def _look_up_name(
    text: str, left_open: Collection[str]
) -> tuple[str, Metric, dict[str, Any]]:
    """Return the canonical name, the metric and the parameters that a name gives."""
    word, said = parse_name(text.replace("\N{GREEK SMALL LETTER ALPHA}", "alpha"))
    word, cutoff = (word, {}) if said else _split_cutoff(word)
    name, meant = _find_meaning(text, word)
    meant = {key: value for key, value in meant.items() if key not in left_open}
    metric = METRICS[name]
    said = cutoff | said
    given = meant | _parameters_of(text, metric, said)
    _check_given(text, metric, given)
    return _canonical_name(metric, given), metric, given


def _split_cutoff(word: str) -> tuple[str, dict[str, Any]]:
    """Return a word such as "ndcg10" as a metric with a cutoff; others as they are."""
    found = _WITH_DIGITS.fullmatch(word)
    if found is None or _letters(word) in {**WORDS, **_SPELLINGS, **_REASONS}:
        return word, {}
    letters = _letters(found["name"])
    meaning = WORDS.get(letters) or _SPELLINGS.get(letters)
    name, given = parse_name(meaning) if meaning else ("", {})
    # "rbp95" and the like have a decimal.
    if not name or not METRICS[name].takes_k or "k" in given or name in DECIMAL_PARAMETERS:
        return word, {}
    return found["name"], {"k": int(found["digits"])}


def _find_meaning(text: str, word: str) -> tuple[str, dict[str, Any]]:
    """Return the metric of a word, and the parameters that the word implies."""
    letters = _letters(word)
    if letters in WORDS:
        return WORDS[letters], {}
    if letters in _SPELLINGS:
        return parse_name(_SPELLINGS[letters])
    if letters in _REASONS:
        raise ValueError(f"{shorten(text)} is not a metric here: {_REASONS[letters]}.")
    known = [f"{key}@k" if metric.takes_k else key for key, metric in METRICS.items()]
    near = suggest(word, known, meant=_nearest_metric(letters))
    raise ValueError(f"Unknown metric {shorten(text)}. {near}")


def _parameters_of(text: str, metric: Metric, said: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a name as parameters of the metric."""
    given = {}
    for name, value in said.items():
        ours = name if name in metric.parameters else OTHER_PARAMETERS.get(name, name)
        if name == "dcg":
            value = OTHER_GAINS.get(value, value)
        if name == LEVEL:
            ours, value = _read_level(text, metric, value)
        elif ours == "k" and not metric.takes_k and metric.name in DECIMAL_PARAMETERS:
            ours = DECIMAL_PARAMETERS[metric.name]
        if ours in given:
            raise unreadable_name(text, f"it gives `{ours}` twice")
        given[ours] = value
    return given


def _read_level(text: str, metric: Metric, digits: str) -> tuple[str, Any]:
    """Return the parameter that a decimal gives: a level, or the k of "ndcg_cut.10"."""
    if metric.name in DECIMAL_PARAMETERS:
        return DECIMAL_PARAMETERS[metric.name], float(digits)
    if digits.startswith(".") and int(digits[1:]):
        return "k", int(digits[1:])
    raise unreadable_name(text, f"{NO_CUTOFF} {digits!r}")


def _canonical_name(metric: Metric, given: Mapping[str, Any]) -> str:
    """Return the name that results carry: parameters in order, and a cutoff after @."""
    k = given.get("k")
    said = [
        f"{name}={_write_value(given[name])}"
        for name in metric.parameters
        if name in given and (name != "k" or k is None)
    ]
    name = f"{metric.name}({', '.join(said)})" if said else metric.name
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
    meant = words[slips[0]] if slips else ""
    return meant and parse_name(meant)[0]


def _is_typo(typed: str, word: str) -> bool:
    """Return whether a word may be a typo; in a short one no letter may be missing."""
    if sorted(typed) == sorted(word):
        return True
    likeness = SequenceMatcher(None, typed, word).ratio()
    if len(word) > 4:
        return likeness >= 0.85
    return len(typed) > len(word) > 2 and likeness >= 0.85 and set(typed) == set(word)


def _check_given(text: str, metric: Metric, given: Mapping[str, Any]) -> None:
    """Raise unless the metric has these parameters, with such values."""
    for parameter in given:
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
        metric.checked(given)
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
    given = {name: value for name, value in defaults.items() if value is not None}
    fill = check_undefined(replace_undefined_by, ABSTAINED)
    decided: Collection[str] = ()
    if convention is not None:
        check_option("convention", convention, conventions)
        decided = conventions[convention].decides
    wanted = parse_metrics(
        metrics, ties=ties, replace_undefined_by=fill, left_open=decided, **given
    )
    for name, value in given.items():
        if not counts_beside:
            _check_has_effect(name, value, wanted)
    if convention is None:
        return wanted
    is_default = fill == leaves_out or (fill != fill and leaves_out != leaves_out)
    return follow_convention(convention, wanted, ties == "average", is_default)


def _check_has_effect(name: str, value: Any, wanted: Sequence[BoundMetric]) -> None:
    """Raise for a keyword that all its metrics override by name."""
    having = [named for named in wanted if name in named.parameters]
    for named in having:
        # The value in a name wins, but the other one must be valid too.
        value = named.metric.checked({name: value})[name]
    if not having and any(name in metric.parameters for metric in METRICS.values()):
        names = ", ".join(repr(named.name) for named in wanted)
        raise ValueError(
            f"`{name}` has no effect: {names} {'take' if len(wanted) > 1 else 'takes'} "
            "none. Leave it out, or name a metric that takes it."
        )
    set_to = [named.parameters[name] for named in having]
    if not having or any(one is value or np.array_equal(one, value) for one in set_to):
        return
    first = having[0]
    advice = "Leave one of the two out."
    if name == "k" and first.name != first.name_without_cutoff:
        word = first.name_without_cutoff
        advice = f"Write {f'{word}@{value}'!r}, or {word!r} with k={value}."
    raise ValueError(
        f"{first.name!r} sets {name}={shorten(first.parameters[name])}, so "
        f"{name}={shorten(value)} has no effect. {advice}"
    )

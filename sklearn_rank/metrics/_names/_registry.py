"""All metrics by name, and metrics with their parameters from names such as "ndcg@10"."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from importlib import import_module
from inspect import signature
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

from sklearn_rank._validation import is_iterable, shorten, suggest
from sklearn_rank.metrics import _families
from sklearn_rank.metrics._core._columns_beside import check_columns
from sklearn_rank.metrics._core._metric import Metric, NamedMetric
from sklearn_rank.metrics._names._grammar import EXAMPLE, parse_name

METRICS: dict[str, Metric] = {}

# Of each alias the metric, and the parameters that it stands for.
ALIASES: dict[str, tuple[str, Mapping[str, Any]]] = {}

# Names of the columns that any metric takes beside grades and scores.
COLUMNS: set[str] = {"items"}

# Of each keyword of a metric's function that is a part of a catalogue, its name there.
PARTS: dict[str, str] = {}


def declared_in(family: ModuleType) -> Iterator[Metric]:
    """Yield the metrics that the file of a family declares."""
    yield from getattr(family, "METRICS", ())
    for name in getattr(family, "__all__", ()):
        yield getattr(family, name).metric


def register(record: Metric) -> None:
    """Make a metric known by its name and its aliases; raise where one is taken."""
    aliases = {
        alias: (record.name, parameters)
        for alias, parameters in record.aliases_and_parameters()
    }
    for name in (record.name, *aliases):
        if name in METRICS or name in ALIASES:
            raise ValueError(
                f"Metric {record.name!r} cannot be called {name!r}, as another metric is; "
                "choose another name."
            )
    METRICS[record.name] = record
    ALIASES.update(aliases)
    COLUMNS.update(record.column_names)
    for part in record.parts:
        PARTS.setdefault(part.name, part.of)


def _register_families() -> None:
    """Register what the files of the families declare, in the order of their names."""
    for module in sorted(found.name for found in iter_modules(_families.__path__)):
        for record in declared_in(import_module(f"{_families.__name__}.{module}")):
            register(record)


_register_families()


def check_keywords(columns: Mapping[str, Any], function: Callable) -> None:
    """Raise for keywords of a function that are the names of no columns."""
    for name in columns:
        check_no_part(name, f"{function.__name__}()")
    known = signature(function).parameters
    named = [name for name, one in known.items() if one.kind is not one.VAR_KEYWORD]
    check_columns(columns, COLUMNS, f"{function.__name__}()", named)


def check_no_part(name: str, who: str) -> None:
    """Raise for what the function of one metric takes, and others in a catalogue."""
    if name in PARTS:
        raise TypeError(
            f"{who} has no parameter {name!r}; give it as `{PARTS[name]}` of a catalogue: "
            f"catalogue=Catalogue({PARTS[name]}=...)."
        )


def as_list(metrics: Any) -> list:
    """Return one metric or several as a list; text is one."""
    is_one = isinstance(metrics, str) or not is_iterable(metrics)
    return [metrics] if is_one else list(metrics)


def parse_metrics(
    metrics: str | Callable | Iterable[str | Callable], **defaults: Any
) -> list[NamedMetric]:
    """Return the metrics of one name or several; each name may stand once."""
    parsed = [parse_metric(metric, **defaults) for metric in as_list(metrics)]
    names = [metric.name for metric in parsed]
    if not names:
        raise ValueError("`metrics` is empty; name at least one, for example 'ndcg@10'.")
    repeated = {name for name in names if names.count(name) > 1}
    if repeated:
        listed = ", ".join(map(shorten, sorted(repeated)))
        raise ValueError(f"`metrics` names {listed} more than once; name each once.")
    return parsed


def parse_metric(
    metric: "str | Callable | NamedMetric",
    *,
    ties: str = "average",
    replace_undefined_by: float | str = "warn",
    **defaults: Any,
) -> NamedMetric:
    """Return the metric for a name or for one of our functions, under its canonical name.

    `defaults` are parameters for the metrics that have them; what a name says wins. They
    are checked for the others too: a wrong one is no less wrong for having no effect.
    """
    if isinstance(metric, NamedMetric):
        check_parameters(defaults)
        return metric
    given: dict[str, Any] = {}
    if callable(metric):
        found = _look_up_function(metric)
        name = found.name
    elif isinstance(metric, str):
        name, found, given = _look_up_name(metric)
    else:
        raise TypeError(
            "`metrics` takes names such as 'ndcg@10' and functions of this package, "
            f"got {shorten(metric)}."
        )
    shared = {key: value for key, value in defaults.items() if key in found.parameters}
    check_parameters({key: value for key, value in defaults.items() if key not in shared})
    parameters = found.checked({**found.parameters, **shared, **given})
    return NamedMetric(
        name, found, parameters, frozenset({**shared, **given}), ties, replace_undefined_by
    )


def check_parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters, numbers as Python's; raise where no metric takes one."""
    return {name: _check_by_any(name, value) for name, value in parameters.items()}


def _check_by_any(name: str, value: Any) -> Any:
    """Return a value that some metric takes; raise where none does."""
    of_all = [metric.checks[name] for metric in METRICS.values() if name in metric.checks]
    errors = []
    for check in dict.fromkeys(of_all):
        if hasattr(check, "words"):
            return value  # which words a metric knows is its own matter
        try:
            return check.check(name, value)
        except (TypeError, ValueError) as error:
            errors.append(error)
    if errors:
        raise errors[0]
    return value


def _look_up_function(function: Callable) -> Metric:
    record = getattr(function, "metric", None)
    if not isinstance(record, Metric):
        raise ValueError(
            f"{shorten(getattr(function, '__name__', function))} is not a metric of "
            "sklearn_rank. For another function use sklearn.metrics.make_scorer."
        )
    return record


def _look_up_name(text: str) -> tuple[str, Metric, dict[str, Any]]:
    """Return the canonical name, the metric and the parameters that a name gives."""
    word, given = parse_name(text)
    name, meant = ALIASES.get(word.lower(), (word.lower(), {}))
    if name not in METRICS:
        known = [f"{key}@k" if metric.takes_k else key for key, metric in METRICS.items()]
        near = suggest(name, known, meant=_nearest(name))
        raise ValueError(f"Unknown metric {shorten(text)}. {near}")
    _check_given(text, METRICS[name], given)
    if not meant:
        return text.replace(word, name, 1), METRICS[name], given
    given = {**meant, **given}
    return f"{name}({_arguments(given)})", METRICS[name], given


def _arguments(given: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in given.items())


def _nearest(name: str) -> str | None:
    """Return the metric that may be meant, sought without its cutoff, also by aliases."""
    near = get_close_matches(name.lower(), [*METRICS, *ALIASES], n=3, cutoff=0.5)
    # Letters in another order are a slip of the fingers.
    near.sort(key=lambda word: sorted(word) != sorted(name.lower()))
    return ALIASES.get(near[0], near)[0] if near else None


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
        # In a name everything is text, and so its value is wrong, not its type.
        raise ValueError(
            f"Metric {shorten(text)}: {error} Write for example {EXAMPLE}."
        ) from error

"""Look up words of other libraries: the line to write instead (see words.txt)."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from difflib import SequenceMatcher
from functools import cache
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from inspect import Parameter, signature
from typing import Any, NamedTuple

PACKAGE = __name__.partition(".")[0]
# Names that share so much, by difflib, differ by a slip of the pen.
LIKE = 0.9
# Longer names are not compared, for which difflib takes the square of the length.
LONGEST = 100
MOST_LISTED = 12
# Names of scikit-learn and SciPy, which are not repeated here.
_LIBRARIES = {"scikit-learn": "sklearn", "SciPy": "scipy"}
_MODULES_OF_PEERS = ("metrics", "model_selection", "datasets", "preprocessing", "stats")

_CUTOFF = re.compile(r"_(at_)?(k|\d+)(?=_|$)")
_ENDINGS = [
    "metric",
    "topk",
    "scores",
    "score",
    "recommender",
    "model",
    "wrapper",
    "scorer",
    "ranker",
]


class WordEntry(NamedTuple):
    """A public name, the words for it, and the sentence to say in place of the usual one.

    The name may need a second one, which the callable or object has, too.
    """

    name: str
    second: str
    words: list[str]
    plain_words: frozenset[str]
    sentence: str


@cache
def table(section: str) -> list[WordEntry]:
    """Return the entries of a section of words.txt."""
    text = files(__package__).joinpath("words.txt").read_text(encoding="utf-8")
    lines = [line for line in text.split("\n") if not line.startswith("#")]
    parts = re.split(r"^\[(\w+)\]\n", "\n".join(lines), flags=re.MULTILINE)[1:]
    texts = dict(zip(parts[::2], parts[1::2], strict=True))
    entries = re.split(r"\n+(?=\S)", texts[section].strip())
    return [_read_entry(re.sub(r"\n\s+", " ", entry)) for entry in entries]


def _read_entry(text: str) -> WordEntry:
    text, _, sentence = text.partition(" > ")
    names, _, words = text.partition(":")
    name, _, second = names.strip().partition("+")
    listed = words.split()
    return WordEntry(name, second, listed, frozenset(map(plain, listed)), sentence.strip())


def _find_entry(section: str, word: str, names: Collection[str]) -> WordEntry | None:
    """Return the first entry of a word whose names are among these."""
    for entry in table(section):
        is_meant = not entry.second or entry.second in names
        if is_meant and entry.name in names and plain(word) in entry.plain_words:
            return entry
    return None


def plain(name: str) -> str:
    """Return a name without capitals and underscores."""
    return name.lower().replace("_", "")


def _find_slip(word: str, names: Iterable[str]) -> str:
    """Return the name from which the word differs by a slip of the pen, or ""."""
    near = [name for name in names if _are_alike(word, name)]
    return near[0] if len(near) == 1 else ""


def _are_alike(word: str, name: str) -> bool:
    if min(len(word), len(name)) <= 3 or max(len(word), len(name)) > LONGEST:
        return False
    if plain(word) == plain(name):
        return True
    return SequenceMatcher(None, word, name).ratio() >= LIKE


# Arguments.


def misfit_text(
    function: Callable,
    label: str,
    arguments: tuple,
    keywords: Mapping[str, Any],
    error: str,
) -> str:
    """Return why arguments do not fit, and what to write; `error` is Python's text."""
    parameters = signature(function).parameters
    names = [name for name in parameters if name not in ("self", "cls")]
    n_bound = len(parameters) - len(names)
    first = arguments[n_bound : n_bound + 1]
    if names[:1] == ["y_true"] and first and hasattr(first[0], "fit"):
        return (
            f"{label} is a metric and was called with an estimator, as a scorer is; pass "
            f"scoring=make_ranking_scorer({label}, ...) instead."
        )
    if "y_true" in names and isinstance(keywords.get("y_true"), str):
        return (
            f"{label}() takes columns of a table, not their names: "
            f"{label}(df['label'], df['score'], groups=df['query'], ...)."
        )
    kinds = [parameter.kind for parameter in parameters.values()]
    unknown = [name for name in keywords if name not in names]
    if unknown and Parameter.VAR_KEYWORD not in kinds:
        return unknown_keywords(label, names, unknown)
    text = error.replace(f"{function.__qualname__}()", f"{label}()").rstrip(".") + "."
    n_by_position = len([kind for kind in kinds if kind is not Parameter.KEYWORD_ONLY])
    if len(arguments) > n_by_position and Parameter.VAR_KEYWORD not in kinds:
        text = _too_many(label, names, n_by_position - n_bound)
    calls = [entry.sentence for entry in table("calls") if entry.name == label]
    return " ".join([text, *calls])


def _too_many(label: str, names: list[str], n_by_position: int) -> str:
    by_position = ", ".join(names[:n_by_position])
    by_name = ", ".join(f"{name}=" for name in names[n_by_position:])
    text = f"{label}() takes {n_by_position} argument(s) by position"
    text += f" ({by_position})" if by_position else ""
    return text + (f"; the others by name: {by_name}." if by_name else ".")


def unknown_keywords(label: str, names: Collection[str], unknown: Collection[str]) -> str:
    """Return the text for keywords that a callable lacks: what to write, or what it has."""
    plural = "s" * (len(unknown) > 1)
    listed = ", ".join(map(repr, unknown))
    advice = advise_keywords(names, unknown)
    return f"{label.removesuffix('()')}() has no parameter{plural} {listed}. {advice}"


def advise_keywords(names: Collection[str], unknown: Iterable[str]) -> str:
    """Return what to write for unknown keywords, where these names are valid."""
    advice = [_parameter(word, names) for word in unknown]
    sentences = list(dict.fromkeys(filter(None, advice)))
    if not all(advice):
        sentences.append(f"It has {', '.join(names)}.")
    return " ".join(sentences)


def _parameter(word: str, names: Collection[str]) -> str:
    """Return what to write in place of a keyword; "" if the table has no answer."""
    entry = _find_entry("parameters", word, names)
    if entry is not None:
        return entry.sentence or f"Write {entry.name}=."
    name = _find_slip(word, names)
    return f"Write {name}=." if name else ""


def model(word: str, names: Collection[str]) -> str | None:
    """Return the default model that a word stands for; None if the table has none."""
    entry = _find_entry("models", word, names)
    return None if entry is None else entry.name


# Attributes.


def attribute(owner: Any, word: str) -> str:
    """Return the text for an attribute that an object lacks."""
    names = [name for name in dir(owner) if not name.startswith("_")]
    entry = _find_entry("attributes", word, names)
    name = _find_slip(word, names) if entry is None else entry.name
    is_method = callable(getattr(type(owner), name, None))
    advice = f" Write {name}{'()' * is_method}." if name else ""
    if entry is not None and entry.sentence:
        advice = f" {entry.sentence}"
    return f"{type(owner).__name__!r} object has no attribute {word!r}.{advice}"


# Names of modules.


def missing_name(module: str, word: str) -> str:
    """Return the text for a name that a public module does not have."""
    kind = "module" if module == PACKAGE else "name"
    return f"{module} has no {kind} {word!r}. {_advise_name(module, word)}"


def _advise_name(module: str, word: str) -> str:
    """Return the line to write, by the first rule that fits."""
    rules: Iterable[Callable[[], str]] = (
        lambda: _module_of_peers(module, word),
        lambda: _guessed_module(module, word),
        lambda: _listed(module, word, str),
        lambda: _guess(module, word, plain),
        lambda: _name_of_other_module(word, plain),
        lambda: _metric(word),
        lambda: _listed(module, word, letters),
        lambda: _guess(module, word, letters),
        lambda: _name_of_other_module(word, letters),
        lambda: _slip(module, word),
        lambda: _name_of_peers(word),
        lambda: _names_there(module, word),
    )
    return next(filter(None, (rule() for rule in rules)))


def letters(name: str) -> str:
    """Return what names are compared by: `plain`, without cutoffs and endings."""
    word = plain(_CUTOFF.sub("", name.lower())).rstrip("0123456789")
    for ending in _ENDINGS:
        if len(word) > len(ending):
            word = word.removesuffix(ending)
    return word


def _module_of_peers(module: str, word: str) -> str:
    if module != PACKAGE or find_spec(f"sklearn.{word}") is None:
        return ""
    is_ours = any(word in entry.words for entry in table("modules"))
    return "" if is_ours else f"It is a module of scikit-learn: import sklearn.{word}."


def _guessed_module(module: str, word: str) -> str:
    if module != PACKAGE:
        return ""
    names = [entry.name.split() for entry in table("modules") if word in entry.words]
    return f"Write: {_imports(names[0])}" if names else ""


def _guess(module: str, word: str, reduce: Callable[[str], str]) -> str:
    """Return the line for a guess of the table; `reduce` makes names comparable."""
    asked = module.removeprefix(f"{PACKAGE}.")
    for reduced in (reduce(f"{asked}.{word}"), reduce(word)):  # some are of one module
        names = [e.name for e in table("names") if reduced in map(reduce, e.words)]
        if names:
            return f"Write: {_imports([_likeliest(module, word, names)])}"
    return ""


def _name_of_other_module(word: str, reduce: Callable[[str], str]) -> str:
    reduced = reduce(word)
    texts = (e.sentence for e in table("elsewhere") if reduced in map(reduce, e.words))
    return next(texts, "")


def _listed(module: str, word: str, reduce: Callable[[str], str]) -> str:
    """Return the line for a name of any public module."""
    reduced = reduce(word)
    names = [name for name in _public_names() if reduce(_split(name)[1]) == reduced]
    return f"Write: {_imports([_likeliest(module, word, names)])}" if names else ""


def _name_of_peers(word: str) -> str:
    """Return the import of a name that scikit-learn or SciPy has."""
    for library, package in _LIBRARIES.items():
        for part in _MODULES_OF_PEERS:
            if find_spec(f"{package}.{part}") is None:
                continue
            if word in dir(import_module(f"{package}.{part}")):
                return f"It is a name of {library}: from {package}.{part} import {word}."
    return ""


def _metric(word: str) -> str:
    """Return the line for a metric's name in strings, or why there is no such metric."""
    if len(word) > LONGEST:
        return ""
    # Modules above this one, which metrics import, are loaded by their names.
    grammar = import_module(f"{PACKAGE}.metrics._core._grammar")
    registry = import_module(f"{PACKAGE}.metrics._core._registry")
    for text in filter(registry.has_metric, (word, letters(word))):
        bound = registry.parse_metric(text)
        function = bound.metric.function.__name__
        if not bound.metric.ranks:
            return f"Write: from sklearn.metrics import {function}."
        in_name = [f"{key}={bound.parameters[key]!r}" for key in bound.chosen]
        line = _imports([f"metrics.{function}" + f"({', '.join(in_name)})" * bool(in_name)])
        is_cut = not bound.is_cutoff_fixed and bound.k is not None
        return f"Write: {line}. As text: {bound.name + f'@{bound.k}' * is_cut!r}."
    reasons = {letters(text): reason for text, reason in grammar.REASONS.items()}
    reason = reasons.get(letters(word))
    return f"It is not a metric here: {reason}." if reason else ""


def _slip(module: str, word: str) -> str:
    """Return the line for a name of this module that differs by a slip of the pen."""
    name = _find_slip(word, [_split(name)[1] for name in _names_of(module)])
    part = module.removeprefix(PACKAGE).removeprefix(".")
    return f"Write: {_imports([f'{part}.{name}'.removeprefix('.')])}" if name else ""


def _names_there(module: str, word: str) -> str:
    if module == PACKAGE:
        return f"Its modules: {', '.join(_split(name)[1] for name in _modules()[1:])}."
    names = [_split(name)[1] for name in _names_of(module)]
    if len(names) > MOST_LISTED:  # the nearest of them
        names.sort(key=lambda name: -SequenceMatcher(None, word[:LONGEST], name).ratio())
    more = f" and {len(names) - MOST_LISTED} more" * (len(names) > MOST_LISTED)
    return f"It has {', '.join(names[:MOST_LISTED])}{more}."


def _likeliest(module: str, word: str, names: Iterable[str]) -> str:
    """Return the name of the module that was asked, or else the one of the same kind."""
    asked = module.removeprefix(f"{PACKAGE}.")

    def differs(full_name: str) -> tuple[bool, bool]:
        home, name = _split(full_name)
        return home != asked, name[0].isupper() != word[0].isupper()

    return min(names, key=differs)


def _modules() -> list[str]:
    package = import_module(PACKAGE)
    values = {"__version__", "show_versions"}
    return [
        PACKAGE,
        *(f"{PACKAGE}.{name}" for name in package.__all__ if name not in values),
    ]


@cache
def _public_names() -> list[str]:
    return [name for module in _modules() for name in _names_of(module)]


def _names_of(module: str) -> Iterator[str]:
    part = module.removeprefix(PACKAGE).removeprefix(".")
    # A module that is being imported may have no list yet.
    names = getattr(import_module(module), "__all__", ())
    return (f"{part}.{name}".removeprefix(".") for name in names)


def _split(name: str) -> tuple[str, str]:
    """Return the module and the name of a dotted name, without parameters."""
    module, _, last = name.partition("(")[0].rpartition(".")
    return module, last


def _imports(names: Iterable[str]) -> str:
    """Return an import for each module of the names, with the call of one that has it."""
    by_module: dict[str, list[str]] = {}
    calls = []
    for name in names:
        module, last = _split(name)
        by_module.setdefault(f"{PACKAGE}.{module}".removesuffix("."), []).append(last)
        _, has_parameters, parameters = name.partition("(")
        calls += [f"; then {last}(..., {parameters}"] if has_parameters else []
    lines = (f"from {module} import {', '.join(m)}" for module, m in by_module.items())
    return "; or ".join(lines) + "".join(calls)

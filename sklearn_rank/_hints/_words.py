"""Look up words of other libraries: the line to write instead (see words.txt)."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
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
MOST_LISTED = 12
# What scikit-learn or SciPy has needs no second home.
_LIBRARIES = {"scikit-learn": "sklearn", "SciPy": "scipy"}
_MODULES_OF_PEERS = ("metrics", "model_selection", "datasets", "preprocessing", "stats")

_CUTOFF = re.compile(r"_(at_)?(k|\d+)(?=_|$)")
_ENDINGS = ("metric", "topk", "scores", "score", "recommender", "model", "wrapper")
_ENDINGS += ("scorer", "ranker")


class Entry(NamedTuple):
    """What is meant, by which words, and the sentence to say in place of the usual one."""

    meant: str
    words: list[str]
    sentence: str


@cache
def _table(section: str) -> list[Entry]:
    text = files(__package__).joinpath("words.txt").read_text(encoding="utf-8")
    lines = [line for line in text.split("\n") if not line.startswith("#")]
    parts = re.split(r"^\[(\w+)\]\n", "\n".join(lines), flags=re.MULTILINE)[1:]
    texts = dict(zip(parts[::2], parts[1::2], strict=True))
    entries = re.split(r"\n+(?=\S)", texts[section].strip())
    return [_entry(re.sub(r"\n\s+", " ", entry)) for entry in entries]


def _entry(text: str) -> Entry:
    text, _, sentence = text.partition(" > ")
    meant, _, words = text.partition(":")
    return Entry(meant.strip(), words.split(), sentence.strip())


# Arguments.


def misfit(
    function: Callable, shown: str, arguments: tuple, keywords: Collection[str]
) -> str:
    """Return why arguments do not fit; "" where Python says it well enough."""
    known = signature(function).parameters
    own = [name for name in known if name not in ("self", "cls")]
    first = arguments[len(known) - len(own) :][:1]
    if own[:1] == ["y_true"] and first and hasattr(first[0], "fit"):
        return (
            f"{shown} is a metric and was called with an estimator, as a scorer is; pass "
            f"scoring=make_ranking_scorer({shown}, ...) instead."
        )
    if any(one.kind is one.VAR_KEYWORD for one in known.values()):
        return ""
    unknown = [name for name in keywords if name not in own]
    if unknown:
        return unknown_keywords(shown, own, unknown)
    by_place = [one for one in known.values() if one.kind is not Parameter.KEYWORD_ONLY]
    if len(arguments) <= len(by_place):
        return ""
    n_own = len(by_place) - (len(known) - len(own))
    others = ", ".join(f"{name}=" for name in own[n_own : n_own + MOST_LISTED])
    return (
        f"{shown}() takes {n_own} argument(s) by position ({', '.join(own[:n_own])}); "
        f"the others by name: {others}."
    )


def unknown_keywords(shown: str, known: Collection[str], unknown: Collection[str]) -> str:
    """Return the text for keywords that a callable lacks: what to write, or what it has."""
    names = ", ".join(map(repr, unknown))
    what = "parameter" if len(unknown) == 1 else "parameters"
    said = dict.fromkeys(_parameter(word, known) for word in unknown)
    advice = " ".join(filter(None, said))
    if not advice:
        listed = list(known)
        more = len(listed) - MOST_LISTED
        others = f" and {more} more" if more > 0 else ""
        advice = f"It has {', '.join(listed[:MOST_LISTED])}{others}."
    return f"{shown.removesuffix('()')}() has no {what} {names}. {advice}"


def _parameter(word: str, known: Collection[str]) -> str:
    """Return what to write in place of a keyword; "" if nothing is known."""
    for entry in _table("parameters"):
        if plain(word) in map(plain, entry.words) and entry.meant in known:
            return entry.sentence or f"Write {entry.meant}=."
    like = [name for name in known if _is_like(word, name)]
    return f"Write {like[0]}=." if len(like) == 1 else ""


def _is_like(one: str, other: str) -> bool:
    return min(len(one), len(other)) > 3 and (
        one.lower().replace("_", "") == other.lower().replace("_", "")
        or SequenceMatcher(None, one, other).ratio() >= LIKE
    )


# Attributes.


def attribute(owner: Any, name: str) -> str:
    """Return the text for an attribute that an object lacks."""
    known = {one for one in dir(owner) if not one.startswith("_")}
    advice = ""
    for entry in _table("attributes"):
        if plain(name) in map(plain, entry.words) and entry.meant in known:
            is_method = callable(getattr(type(owner), entry.meant, None))
            advice = entry.sentence or f"Write {entry.meant}{'()' * is_method}."
            break
    else:
        like = [one for one in known if _is_like(name, one)]
        advice = f"Write {like[0]}." if len(like) == 1 else ""
    return f"{type(owner).__name__!r} object has no attribute {name!r}. {advice}".rstrip()


# Names of modules.


def name(module: str, name: str) -> str:
    """Return the text for a name that a public module does not have."""
    what = "module" if module == PACKAGE else "name"
    return f"{module} has no {what} {name!r}. {_meaning(module, name)}"


def _meaning(module: str, name: str) -> str:
    """Return the line to write, by the first rule that fits."""
    rules: Iterable[Callable[[], str]] = (
        lambda: _module_of_peers(module, name),
        lambda: _guessed_module(module, name),
        lambda: _listed(module, name, lambda one: one == name),
        lambda: _guess(module, name, plain),
        lambda: _elsewhere(plain(name), plain),
        lambda: _listed(module, name, lambda one: letters(one) == letters(name)),
        lambda: _guess(module, name, letters),
        lambda: _elsewhere(letters(name), letters),
        lambda: _metric(name),
        lambda: _slip(module, name),
        lambda: _name_of_peers(name),
        lambda: _names_there(module),
    )
    return next(filter(None, (rule() for rule in rules)))


def plain(name: str) -> str:
    """Return a name without capitals and underscores."""
    return name.lower().replace("_", "")


def letters(name: str) -> str:
    """Return what names are compared by: `plain`, without cutoffs and endings."""
    word = plain(_CUTOFF.sub("", name.lower())).rstrip("0123456789")
    for ending in _ENDINGS:
        if len(word) > len(ending):
            word = word.removesuffix(ending)
    return word


def _module_of_peers(module: str, name: str) -> str:
    if module != PACKAGE or name.startswith("_") or find_spec(f"sklearn.{name}") is None:
        return ""
    is_ours = any(name in entry.words for entry in _table("modules"))
    return "" if is_ours else f"It is a module of scikit-learn: import sklearn.{name}."


def _guessed_module(module: str, name: str) -> str:
    if module != PACKAGE:
        return ""
    meant = [entry.meant.split() for entry in _table("modules") if name in entry.words]
    return f"Write: {_imports(meant[0])}" if meant else ""


def _guess(module: str, name: str, reduce: Callable[[str], str]) -> str:
    """Return the line for a guess of the table; `reduce` makes names comparable."""
    word = reduce(name)
    meant = [e.meant for e in _table("names") if word in map(reduce, e.words)]
    return f"Write: {_imports([_likeliest(module, name, meant)])}" if meant else ""


def _elsewhere(word: str, reduce: Callable[[str], str]) -> str:
    texts = (e.sentence for e in _table("elsewhere") if word in map(reduce, e.words))
    return next(texts, "")


def _listed(module: str, name: str, fits: Callable[[str], bool]) -> str:
    """Return the line for a name of any public module."""
    found = [one for one in _public_names() if fits(_split(one)[1])]
    types = f"{PACKAGE}.typing"
    found = [one for one in found if module == types or not one.startswith(types)]
    return f"Write: {_imports([_likeliest(module, name, found)])}" if found else ""


def _name_of_peers(name: str) -> str:
    """Return the import of a name that scikit-learn or SciPy has."""
    for library, package in _LIBRARIES.items():
        for part in _MODULES_OF_PEERS:
            if find_spec(f"{package}.{part}") is None:
                continue
            if name in dir(import_module(f"{package}.{part}")):
                return f"It is a name of {library}: from {package}.{part} import {name}."
    return ""


def _metric(name: str) -> str:
    """Return the line for a metric's name in strings, or why there is no such metric."""
    from sklearn_rank.metrics._names._grammar import REASONS
    from sklearn_rank.metrics._names._registry import has_metric, parse_metric

    for word in filter(has_metric, (name, letters(name))):
        found = parse_metric(word)
        function = found.metric.function.__name__
        if not found.metric.ranks:
            return f"Write: from sklearn.metrics import {function}."
        given = ", ".join(f"{key}={found.parameters[key]!r}" for key in sorted(found.given))
        line = _imports([f"metrics.{function}" + f"({given})" * bool(given)])
        is_cut = not found.is_cutoff_fixed and found.k is not None
        return f"Write: {line}. As text: {found.name + f'@{found.k}' * is_cut!r}."
    reasons = {letters(word): reason for word, reason in REASONS.items()}
    reason = reasons.get(letters(name))
    return f"It is not a metric here: {reason}." if reason else ""


def _slip(module: str, name: str) -> str:
    """Return the line for a name of this module that differs by a slip of the pen."""
    near = [one for one in _names_of(module) if _is_like(_split(one)[1], name)]
    return f"Write: {_imports(near)}" if len(near) == 1 else ""


def _names_there(module: str) -> str:
    if module == PACKAGE:
        return f"Its modules: {', '.join(_split(one)[1] for one in _modules()[1:])}."
    names = [_split(one)[1] for one in _names_of(module)]
    more = f" and {len(names) - MOST_LISTED} more" * (len(names) > MOST_LISTED)
    return f"It has {', '.join(names[:MOST_LISTED])}{more}."


def _likeliest(module: str, name: str, names: Iterable[str]) -> str:
    """Return the name of the module that was asked, or else the one of the same kind."""
    here = module.removeprefix(f"{PACKAGE}.")

    def differs(one: str) -> tuple[bool, bool]:
        where, its_name = _split(one)
        return where != here, its_name[0].isupper() != name[0].isupper()

    return min(names, key=differs)


def _modules() -> list[str]:
    package = import_module(PACKAGE)
    values = {"__version__", "show_versions"}
    return [PACKAGE, *(f"{PACKAGE}.{one}" for one in package.__all__ if one not in values)]


@cache
def _public_names() -> list[str]:
    return [one for module in _modules() for one in _names_of(module)]


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
    for full in names:
        module, last = _split(full)
        by_module.setdefault(f"{PACKAGE}.{module}".removesuffix("."), []).append(last)
        _, has_parameters, parameters = full.partition("(")
        calls += [f"; then {last}(..., {parameters}"] if has_parameters else []
    lines = (f"from {module} import {', '.join(m)}" for module, m in by_module.items())
    return "; or ".join(lines) + "".join(calls)

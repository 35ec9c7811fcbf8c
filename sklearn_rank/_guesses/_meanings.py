"""What a name that does not exist probably means: the line to write instead."""

import re
from collections.abc import Callable, Iterable, Iterator
from difflib import SequenceMatcher
from functools import cache
from importlib import import_module
from importlib.resources import files

from sklearn_rank._hints._missing_names import PACKAGE, public_modules

# The table is read when the first name is missing.
_TEXT = files(__package__).joinpath("guesses.txt").read_text(encoding="utf-8")
NAMES, MODULES, _ELSEWHERE = re.split(r"^\[\w+\]\n", _TEXT, flags=re.MULTILINE)[1:]
# The text of each answer, and the guesses.
ELSEWHERE = {
    text: guesses
    for entry in re.sub(r"\n +", " ", _ELSEWHERE).strip().split("\n")
    for guesses, _, text in [entry.partition(": ")]
}
TYPES = f"{PACKAGE}.typing"
# Names that share so much, by difflib, may be meant for each other.
NEAR = 0.7
MOST_NEAR, MOST_LISTED = 3, 10
# A name of the module that was asked is likelier by this.
IN_MODULE = 0.05

_CUTOFF = re.compile(r"_(at_)?(k|\d+)(?=_|$)")
_ENDINGS = ("scores", "score", "recommender", "model", "wrapper", "scorer", "ranker")


def hint(module: str, name: str) -> str:
    """Return the text of the error for a name that a public module does not have."""
    what = "module" if module == PACKAGE else "name"
    return f"{module} has no {what} {name!r}. {_find_meaning(module, name)}"


def _find_meaning(module: str, name: str) -> str:
    """Return the line to write, by the first rule that fits."""
    asked = f"{module}.{name}"
    return (
        _guessed_module(asked)
        or _exact_name(asked, _names_of_tables(module))
        or _guessed_name(asked, plain)
        or _same_name(asked, _names_of_tables(module))
        or _guessed_name(asked, letters)
        # From here on all modules of the package are imported.
        or _exact_name(asked, _all_names())
        or _same_name(asked, _all_names())
        or _name_of_metric(name)
        or _near_names(asked)
        or _names_there(asked)
    )


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


@cache
def _entries(table: str) -> dict[str, list[str]]:
    """Return the guesses of a table by what they mean."""
    entries = re.split(r"\n+(?=\S)", table.strip())
    parts = (entry.partition(":") for entry in entries)
    return {meant: guesses.split() for meant, _, guesses in parts}


def _guessed_module(asked: str) -> str:
    module, name = _split(asked)
    if module != PACKAGE:
        return ""
    meant = (names for names, guesses in _entries(MODULES).items() if name in guesses)
    return _import_lines(f"{PACKAGE}.{one}" for one in next(meant, "").split())


def _guessed_name(asked: str, reduce: Callable[[str], str]) -> str:
    """Return the line for a guess of the table; `reduce` makes names comparable."""
    word = reduce(_split(asked)[1])
    meant = [
        f"{PACKAGE}.{name}"
        for name, guesses in _entries(NAMES).items()
        if word in map(reduce, guesses)
    ]
    if meant:
        return _import_lines([_likeliest(asked, meant)])
    elsewhere = (
        f"{text}."
        for text, guesses in ELSEWHERE.items()
        if word in map(reduce, guesses.split())
    )
    return next(elsewhere, "")


def _exact_name(asked: str, known: Iterable[str]) -> str:
    """Return the line for the same name of another module."""
    name = _split(asked)[1]
    return next((_import_lines([one]) for one in known if _split(one)[1] == name), "")


def _same_name(asked: str, known: Iterable[str]) -> str:
    """Return the line for a name of the same letters."""
    module, name = _split(asked)
    word = letters(name)
    equal = [
        one
        for one in known
        if letters(_split(one)[1]) == word and _is_suggested(one, module)
    ]
    return _import_lines([_likeliest(asked, equal)]) if equal else ""


def _is_suggested(name: str, module: str) -> bool:
    """Return whether a name may be meant: a type only where one was asked for."""
    return _split(name)[0] != TYPES or module == TYPES


def _likeliest(asked: str, names: Iterable[str]) -> str:
    """Return the name of the module that was asked, or else the one of the same kind."""
    module, name = _split(asked)

    def differs(one: str) -> tuple[bool, bool]:
        where, its_name = _split(one)
        return where != module, its_name[0].isupper() != name[0].isupper()

    return min(names, key=differs)


def _name_of_metric(name: str) -> str:
    """Return the line for a metric's name in strings, or why there is no such metric."""
    from sklearn_rank.metrics._names._grammar import REASONS
    from sklearn_rank.metrics._names._registry import has_metric, parse_metric

    for word in filter(has_metric, (name, letters(name))):
        found = parse_metric(word)
        function = found.metric.function.__name__
        if not found.metric.ranks:
            return f"Write: from sklearn.metrics import {function}."
        given = ", ".join(f"{key}={found.parameters[key]!r}" for key in sorted(found.given))
        line = _import_lines([f"{PACKAGE}.metrics.{function}" + f"({given})" * bool(given)])
        is_cut = not found.is_cutoff_fixed and found.k is not None
        return f"{line}. As text: {found.name + f'@{found.k}' * is_cut!r}."
    reasons = {letters(word): reason for word, reason in REASONS.items()}
    reason = reasons.get(letters(name))
    return f"It is not a metric here: {reason}." if reason else ""


def _near_names(asked: str) -> str:
    near = [name for name, likeness in _by_likeness(asked).items() if likeness >= NEAR]
    return f"Did you mean: {_join_imports(near[:MOST_NEAR])}?" if near else ""


def _names_there(asked: str) -> str:
    module = _split(asked)[0]
    if module == PACKAGE:
        return f"Its modules: {_join_names(public_modules()[1:])}."
    there = [name for name in _by_likeness(asked) if _split(name)[0] == module]
    return f"The nearest there: {_join_names(there[:MOST_LISTED])}."


def _by_likeness(asked: str) -> dict[str, float]:
    """Return the likeness of all names that may be meant, highest first."""
    module, name = _split(asked)
    likeness = {
        one: _likeness(name, _split(one)[1])
        for one in _all_names()
        if _is_suggested(one, module)
    }

    def place(one: str) -> float:
        return -likeness[one] - IN_MODULE * (_split(one)[0] == module)

    return {one: likeness[one] for one in sorted(likeness, key=place)}


def _likeness(one: str, other: str) -> float:
    pairs = (letters(one), letters(other)), (one.lower(), other.lower())
    return max(SequenceMatcher(None, *pair).ratio() for pair in pairs)


def _names_of_tables(module: str) -> list[str]:
    """Return the names of the tables, and those of a module that is imported already."""
    modules = public_modules()
    tables = (name.partition("(")[0] for name in _entries(NAMES))
    return [*modules[1:], *_names_of(module), *(f"{PACKAGE}.{name}" for name in tables)]


@cache
def _all_names() -> list[str]:
    return [name for module in public_modules() for name in _names_of(module)]


def _names_of(module: str) -> Iterator[str]:
    # A module that is being imported may have no list yet.
    return (f"{module}.{name}" for name in getattr(import_module(module), "__all__", ()))


def _split(name: str) -> tuple[str, str]:
    """Return the module and the name of a dotted name, without parameters."""
    module, _, last = name.partition("(")[0].rpartition(".")
    return module, last


def _import_lines(names: Iterable[str]) -> str:
    lines = _join_imports(names)
    return lines and f"Write: {lines}"


def _join_imports(names: Iterable[str]) -> str:
    """Return an import for each module of the names, with the call of one that has it."""
    by_module: dict[str, list[str]] = {}
    calls = []
    for full in names:
        module, name = _split(full)
        by_module.setdefault(module, []).append(name)
        _, has_parameters, parameters = full.partition("(")
        calls += [f"; then {name}(..., {parameters}"] if has_parameters else []
    imports = (f"from {module} import {', '.join(m)}" for module, m in by_module.items())
    return "; or ".join(imports) + "".join(calls)


def _join_names(names: Iterable[str]) -> str:
    return ", ".join(_split(name)[1] for name in names)

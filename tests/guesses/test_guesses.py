"""The table of guesses: what it says exists, and each guess is answered by its entry."""

from importlib import import_module

import pytest

from sklearn_rank._guesses._meanings import ELSEWHERE, MODULES, NAMES, hint


def entries(table):
    """Return pairs of what is meant and its guesses, by a reading of lines."""
    lines = []
    for line in filter(None, table.splitlines()):
        if line.startswith(" "):
            lines[-1] += line
        else:
            lines.append(line)
    parts = (line.partition(":") for line in lines)
    return {meant: guesses.split() for meant, _, guesses in parts}


GUESSES = [
    pytest.param(meant, guess, id=f"{meant}-{guess}")
    for meant, guesses in entries(NAMES).items()
    for guess in guesses
]


def test_the_table_is_as_long_as_it_was_measured():
    assert len(GUESSES) >= 550
    assert sum(map(len, entries(MODULES).values())) >= 120


@pytest.mark.parametrize(("meant", "guess"), GUESSES)
def test_a_guess_is_answered_by_its_entry(meant, guess):
    dotted, _, parameters = meant.partition("(")
    module, _, name = dotted.rpartition(".")
    line = f"Write: from sklearn_rank.{module} import {name}"
    call = f"; then {name}(..., {parameters}" if parameters else ""
    assert hint(f"sklearn_rank.{module}", guess).endswith(line + call)


@pytest.mark.parametrize("meant", [*entries(NAMES), *" ".join(entries(MODULES)).split()])
def test_what_is_meant_exists(meant):
    module, _, name = meant.partition("(")[0].rpartition(".")
    assert name in import_module(f"sklearn_rank.{module}").__all__


def test_no_guess_is_the_name_of_something_else():
    public = {
        name
        for module in {meant.partition(".")[0] for meant in entries(NAMES)}
        for name in import_module(f"sklearn_rank.{module}").__all__
    }
    assert not public & {param.values[1] for param in GUESSES}


@pytest.mark.parametrize(("meant", "guesses"), entries(MODULES).items())
def test_a_guessed_module_has_the_names_of_its_entry(meant, guesses):
    for guess in guesses:
        text = hint("sklearn_rank", guess)
        for one in meant.split():
            module, _, name = one.rpartition(".")
            _, _, line = text.partition(f"from sklearn_rank.{module} import ")
            line = line.partition(";")[0]
            assert name in line.split(", ")


@pytest.mark.parametrize(("text", "guesses"), ELSEWHERE.items())
def test_names_of_other_packages_are_answered(text, guesses):
    for guess in guesses.split():
        assert hint("sklearn_rank.metrics", guess).endswith(f" {text}.")


def test_a_guessed_module_is_no_public_one():
    import sklearn_rank

    guesses = {one for names in entries(MODULES).values() for one in names}
    assert not guesses & set(sklearn_rank.__all__)

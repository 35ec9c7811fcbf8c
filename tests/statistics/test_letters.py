"""The compact letter display, against its law and all sets of models."""

from itertools import chain, combinations

import numpy as np
import pytest

from sklearn_rank.statistics import compare_models
from sklearn_rank.statistics._comparison_text import _letter_columns
from tests.statistics.examples import THREE_MODELS

FEW = pytest.mark.filterwarnings("ignore:.*queries; intervals")


@FEW
def test_three_models():
    assert compare_models(THREE_MODELS).letters() == {"C": "a", "B": "ab", "A": "b"}


@pytest.mark.parametrize("seed", range(20))
def test_columns_are_the_largest_sets_without_a_difference(seed):
    rng = np.random.default_rng(seed)
    models = list("abcdefg")
    differ = [pair for pair in combinations(models, 2) if rng.random() < 0.5]
    sets = chain.from_iterable(combinations(models, n) for n in range(1, 8))
    alike = [set(one) for one in sets if not any({*pair} <= {*one} for pair in differ)]
    largest = [one for one in alike if not any(one < other for other in alike)]
    found = _letter_columns(models, differ)
    assert len(found) == len(largest)
    assert {frozenset(one) for one in largest} == set(found)
    assert "a" in found[0]


def test_they_are_printed_for_all_pairs_of_four_models():
    rng = np.random.default_rng(0)
    level = rng.uniform(0.2, 0.6, 60)
    shifts = {"one": 0, "two": 0.001, "three": 0.1, "four": 0.2}
    scores = {
        name: level + shift + rng.normal(0, 0.05, 60) for name, shift in shifts.items()
    }
    found = compare_models(scores)
    letters = found.letters()
    assert list(letters)[:2] == ["four", "three"]
    assert letters == {"four": "a", "three": "b", "one": "c", "two": "c"}
    text = str(found)
    assert "letters" in text
    assert "Models that share a letter do not differ significantly." in text
    with pytest.raises(ValueError, match=r"3 pair.s. were not compared; leave `baseline`"):
        compare_models(scores, baseline="one").letters()


def test_many_alike_and_many_apart():
    assert _letter_columns(range(60), []) == [frozenset(range(60))]
    apart = _letter_columns(range(30), list(combinations(range(30), 2)))
    assert apart == [frozenset([place]) for place in range(30)]

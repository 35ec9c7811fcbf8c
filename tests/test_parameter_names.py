"""One word for one thing: the parameters of all that is public."""

import inspect
from importlib import import_module

import numpy as np
import pytest

from tests.test_public_api import MODULES

# What once had two names, and the one that it has; a word that came back would be a second.
ONE_WORD = {
    "arms": "variants",
    "attainable": "denominator",
    "decimals": "digits",
    "distances": "distance",
    "include_seen": "exclude_seen",
    "item_popularity": "popularity",
    "n_bins": "bins",
    "n_last": "test_size",
    "n_out": "test_size",
    "n_sampled": "n_negatives",
    "on_progress": "progress",
    "significance": "confidence_level",
    "seed": "random_state",
    "test_fraction": "test_size",
    "total": "n_categories",
    "topk": "k",
    "top_k": "k",
    "cutoffs": "k",
}
# Words of several meanings, each with the only places where it may stand.
ONLY_IN = {
    "alpha": (
        "score",  # of subtopics, and of the prior of calibration
        "SLIMRecommender",  # the penalty, as in ElasticNet
        "ItemNeighborsRecommender",  # the power of P3alpha, under the name of the paper
        "RaterAgreement",  # Krippendorff's
    ),
    "level": ("from_ratings", "krippendorff_alpha_score", "rater_agreement"),
    "reference": (
        "Catalogue",
        "rater_agreement",
        "unexpectedness_at_k_score",
        "propensities_from_swaps",
    ),
    "query": ("describe_split", "from_files"),
}
# A number by itself warns of queries that it leaves out; a table shows how many they are.
TABLES = {
    "QueryScorer",
    "QueryScorer.from_tables",
    "per_query_scores",
    "ranking_report",
    "summarize",
    "unjudged_bounds",
}


def callables():
    for module in map(import_module, MODULES):
        for name in module.__all__:
            found = getattr(module, name)
            if inspect.isclass(found):
                yield name, found
                for method in vars(found):
                    if not method.startswith("_") and callable(getattr(found, method)):
                        yield f"{name}.{method}", getattr(found, method)
            elif callable(found):
                yield name, found


def parameters():
    for where, found in callables():
        try:
            known = inspect.signature(found).parameters
        except (TypeError, ValueError):  # classes of Python itself
            continue
        for name, parameter in known.items():
            yield where, name, parameter


PARAMETERS = list(parameters())


def test_all_parameters_are_seen():
    assert len(PARAMETERS) > 1500
    assert ("plan_evaluation", "confidence_level") in {p[:2] for p in PARAMETERS}


def test_no_parameter_is_a_synonym():
    found = [
        f"{where}({name}=): write {ONE_WORD[name]}"
        for where, name, _ in PARAMETERS
        if name in ONE_WORD
    ]
    assert found == []


@pytest.mark.parametrize("word", ONLY_IN)
def test_a_word_of_several_meanings_stands_where_it_is_known(word):
    places = {where for where, name, _ in PARAMETERS if name == word}
    assert places
    assert {p for p in places if not any(one in p for one in ONLY_IN[word])} == set()


def test_undefined_queries_have_two_defaults():
    """ "warn" where one number comes out, NaN where a table says how many they are."""
    for where, name, parameter in PARAMETERS:
        if name == "replace_undefined_by" and where in TABLES:
            assert np.isnan(parameter.default), where
        elif name == "replace_undefined_by":
            assert isinstance(parameter.default, str), (where, parameter.default)
            assert parameter.default == "warn", where

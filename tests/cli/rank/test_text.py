from types import SimpleNamespace

import pytest

from sklearn_rank._cli.rank._command import verdict
from sklearn_rank._cli.tuning._comparison import Comparison, PairedDifference

LITTLE = PairedDifference("ndcg@10", 26, 24, 0, 0.01, 0.02, -0.03, 0.05, 0.6, True)
MEANS = {"tuned": 0.8, "untuned": 0.79, "equal": 0.6}


class Found(Comparison):
    """A comparison of made-up means; the model that won is `best`."""

    def __init__(self, means=MEANS, best="lightgbm", lower_is_better=False):
        self.models = {"tuned": best, "untuned": "untuned_lightgbm", "equal": "equal"}
        self.metric, self.lower_is_better = "ndcg@10", lower_is_better
        self.against = {
            "untuned": LITTLE,
            "equal": PairedDifference(
                "ndcg@10", 45, 5, 0, 0.2, 0.02, 0.16, 0.24, 0.0, False
            ),
        }
        own = {self.models[name]: {"ndcg@10": mean} for name, mean in means.items()}
        self.tuned = SimpleNamespace(means=own)


def said(found):
    return verdict(found, found.metric)


def test_a_model_that_ranks_and_was_worth_tuning():
    lines = said(Found()).splitlines()
    assert (
        lines[0] == "The tuned model beats all scores equal: ndcg@10 0.8000 against 0.6000."
    )
    assert "better for 45 queries, worse for 5 and equal for 0" in lines[1]
    assert lines[2].startswith("The tuned model beats the untuned model: ndcg@10 0.8000")
    assert "chance alone may explain it" in lines[3]


@pytest.mark.parametrize("untuned", [0.8, 0.9])
def test_a_model_that_was_not(untuned):
    text = said(Found({**MEANS, "untuned": untuned}))
    assert "beats all scores equal" in text
    assert "does not beat the untuned model" in text


def test_lower_is_better():
    text = said(Found(lower_is_better=True))
    assert "does not beat all scores equal: ndcg@10 0.8000 against 0.6000 (lower" in text


def test_the_search_may_choose_what_is_not_tuned():
    text = said(Found(best="untuned_lightgbm"))
    assert "The search chose the untuned model" in text
    assert "beats the untuned model" not in text
    text = said(Found(best="equal"))
    assert text == "The search chose all scores equal: no model did better in validation."

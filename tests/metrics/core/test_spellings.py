"""Other tools' spellings of metrics: the tables of the docs, run."""

import csv
from pathlib import Path

import pytest

from sklearn_rank.metrics import conventions
from sklearn_rank.metrics._core._grammar import (
    DECIMAL_PARAMETERS,
    OTHER_PARAMETERS,
    REASONS,
    SPELLINGS,
)
from sklearn_rank.metrics._core._registry import METRICS, WORDS, _letters, parse_metric

DOCS = Path(__file__).parents[3] / "docs"


def read(name, column):
    with (DOCS / name).open(encoding="utf-8") as file:
        rows = csv.DictReader(file)
        return [(row[column].strip("`"), row["Here"].strip("`")) for row in rows]


ROWS = [*read("trec_eval.csv", "trec_eval"), *read("spellings.csv", "Spelling")]
KNOWN = {theirs: ours for theirs, ours in ROWS if ours and "report" not in ours}


@pytest.mark.parametrize("spelling", KNOWN)
def test_a_spelling_is_read_as_the_table_says(spelling):
    bound = parse_metric(spelling)
    assert (bound.name, bound.definition) == (spelling, KNOWN[spelling])
    assert parse_metric(bound.definition).is_alike(bound)


@pytest.mark.parametrize("spelling", [theirs for theirs, _ in ROWS if theirs not in KNOWN])
def test_what_is_no_metric_is_said_so(spelling):
    with pytest.raises(ValueError, match=r"is not a metric here: .*\.$") as raised:
        parse_metric(spelling)
    assert "Did you mean" not in str(raised.value)


@pytest.mark.parametrize("word", SPELLINGS)
def test_a_word_means_a_metric_and_is_no_other_one(word):
    assert parse_metric(word).is_alike(parse_metric(SPELLINGS[word]))
    assert _letters(word) not in WORDS
    assert word not in REASONS


def test_parameters_of_others_are_ours():
    ours = {name for metric in METRICS.values() for name in metric.parameters}
    assert {*OTHER_PARAMETERS.values(), *DECIMAL_PARAMETERS.values()} <= ours
    assert DECIMAL_PARAMETERS.keys() <= METRICS.keys()


@pytest.mark.parametrize(
    ("spelling", "library"),
    [
        ("map_cut", "trec_eval"),
        ("gm_map", "trec_eval"),
        ("iprec_at_recall_0.30", "trec_eval"),
        ("11pt_avg", "trec_eval"),
        ("set_P", "trec_eval"),
        ("set_F", "trec_eval"),
        ("AP", "trec_eval"),
        ("ndcg_cut_10", "trec_eval"),
        ("avg_rec_popularity", "rectools"),
        ("RetrievalMAP", "torchmetrics"),
        ("RetrievalPrecision", "torchmetrics"),
        ("RetrievalHitRate", "torchmetrics"),
        ("mapk", "kaggle"),
    ],
)
def test_a_word_of_one_tool_has_the_parameters_of_its_convention(spelling, library):
    named = parse_metric(spelling)
    theirs = conventions[library].metrics[named.metric.name]
    own = {name: value for name, value in theirs.items() if name in named.parameters}
    assert own.items() <= named.parameters.items()


@pytest.mark.parametrize(
    "name",
    [
        "weighted_recall@10",
        "mean_gain@10",
        "ranked_precision_average",
        "set_ndcg@10",
        "item_recall@5",
        "mad",
        "rap@5",
        "cdg_rel@5",
    ],
)
def test_no_other_quantity_is_suggested(name):
    with pytest.raises(ValueError, match=r"Unknown metric .*Valid: ") as raised:
        parse_metric(name)
    assert "Did you mean" not in str(raised.value)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("mean_averge_precision@12", "map"),
        ("nDGC@5", "ndcg"),
        ("presicion@5", "precision"),
        ("recal_5", "recall"),
        ("sucess@5", "hit_rate"),
        ("RetrievalNormalisedDCG", "ndcg"),
    ],
)
def test_a_slip_of_the_fingers_is_understood(name, meant):
    with pytest.raises(ValueError, match=f"Did you mean '{meant}'"):
        parse_metric(name)

"""The table of trec_eval's names: complete, and the same numbers where it names ours."""

import csv
import re
from pathlib import Path

import numpy as np
import pytest

from sklearn_rank.metrics import (
    interpolated_precision_curve,
    ranking_report,
    ranking_scores,
)
from tests.oracles.agreement import agree
from tests.oracles.judgments import Judgments, random_judgments

pytrec_eval = pytest.importorskip("pytrec_eval")

TABLE = Path(__file__).parents[2] / "docs" / "trec_eval.csv"
with TABLE.open(encoding="utf-8") as file:
    NAMES = {row["trec_eval"].strip("`"): row for row in csv.DictReader(file)}
OURS = {theirs: row["Here"].strip("`") for theirs, row in NAMES.items() if row["Here"]}
METRICS = {theirs: name for theirs, name in OURS.items() if "report" not in name}
COUNTS = {
    theirs: row["Notes"].strip("`")
    for theirs, row in NAMES.items()
    if "report" in row["Here"]
}


def without_cutoff(name):
    return re.sub(r"_[\d.]+$", "", name)


@pytest.fixture(scope="module", params=[(1, False), (4, False), (2, True)], ids=str)
def judgments(request):
    max_grade, tied = request.param
    return random_judgments(23, 800, max_grade=max_grade, tied=tied)


def evaluated(judgments, measures):
    evaluator = pytrec_eval.RelevanceEvaluator(judgments.qrels, measures)
    of_query = evaluator.evaluate(judgments.run)
    return {
        m: np.array([of_query[q][m] for q in of_query])
        for m in next(iter(of_query.values()))
    }


def test_every_name_is_in_the_table():
    named = {without_cutoff(name) for name in NAMES}
    assert named == set(pytrec_eval.supported_nicknames["all_trec"])


@pytest.mark.parametrize("measure", METRICS)
def test_the_metric_has_the_same_value(measure, judgments):
    name = METRICS[measure]
    asked = re.sub(r"_(?=[\d.]+$)", ".", measure)
    (theirs,) = evaluated(judgments, {asked}).values()
    mean = np.exp(theirs.mean()) if measure.startswith("gm_") else theirs.mean()
    unjudged = np.nan if "bpref" in measure else 0.0
    columns = judgments.flat(unjudged)
    if measure == "infAP":
        columns["y_true"] = np.where(
            np.isnan(judgments.flat(np.nan)["y_true"]), -0.0, columns["y_true"]
        )
    scores = ranking_scores(**columns, metrics=name, ties="first", replace_undefined_by=0.0)
    agree(name, "pytrec_eval", scores[name], mean)


def test_counts(judgments):
    theirs = evaluated(judgments, set(COUNTS))
    ours = ranking_report(**judgments.flat(), metrics="mrr", support=True, output_dict=True)
    for measure, name in COUNTS.items():
        assert ours["support"][name] == theirs[measure].sum()


def test_the_curve(judgments):
    theirs = evaluated(judgments, {"iprec_at_recall"})
    precision, recall = interpolated_precision_curve(
        **judgments.flat(), rounding="nine_tenths", ties="first", replace_undefined_by=0.0
    )
    for level, value in zip(recall, precision, strict=True):
        expected = theirs[f"iprec_at_recall_{level:.2f}"].mean()
        agree("interpolated_precision_curve", "pytrec_eval", value, expected)


@pytest.mark.parametrize(
    ("level", "n_relevant"),
    [(0.7, 3), (0.7, 23), (0.7, 33), (0.7, 43), (0.3, 57), (0.3, 67), (0.3, 77)],
)
def test_a_level_of_trec_eval_9_is_one_document_short(level, n_relevant):
    """In floats 0.7 * 3 + 0.9 is below 3, which it cuts off to 2."""
    qrels = {"q": {f"d{n:02d}": 1 for n in range(n_relevant)}}
    run = {"q": {f"d{n:02d}": 1.0 for n in range(int(level * n_relevant))}}
    few = Judgments(qrels, run)
    theirs = evaluated(few, {f"iprec_at_recall.{level:.2f}", "11pt_avg"})
    name = f"interpolated_precision(recall_level={level})"
    asked = {"metrics": [name, "eleven_point_precision"], "ties": "first"}
    for convention, value in (("trec_eval", 1), ("trec_eval_10", 1), (None, 0)):
        found = ranking_scores(**few.flat(), **asked, convention=convention)
        assert found[name] == value
        if convention == "trec_eval":
            assert found[name] == theirs[f"iprec_at_recall_{level:.2f}"]
            assert found["eleven_point_precision"] == pytest.approx(theirs["11pt_avg"])

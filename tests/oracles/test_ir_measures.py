"""ir-measures: what it computes itself or through gdeval, msmarco and cwl_eval."""

import csv
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from tests.metrics.reference import first_order, hurwitz, inst
from tests.oracles.agreement import agree
from tests.oracles.judgments import random_judgments

ir_measures = pytest.importorskip("ir_measures")

# Of its parser of names, on Python 3.12 and newer.
pytestmark = pytest.mark.filterwarnings(
    "ignore:.*removed in Python 3.14:DeprecationWarning"
)

N_QUERIES = 300
MAX_GRADE = 4
CUTOFFS = [1, 2, 5, 10, 15]


def numbered(*, tied):
    """Return random judgments of queries named by numbers: gdeval reads nothing else."""
    drawn = random_judgments(23, N_QUERIES, max_grade=MAX_GRADE, tied=tied)
    for part in (drawn.qrels, drawn.run):
        for query in list(part):
            part[str(int(query[1:]) + 100_000)] = part.pop(query)
    return drawn


@pytest.fixture(scope="module", params=[False, True], ids=["distinct", "tied"])
def judgments(request):
    return numbered(tied=request.param)


@pytest.fixture(scope="module")
def distinct():
    """For judged, msmarco and cwl_eval, which order tied documents differently."""
    return numbered(tied=False)


def evaluated(judgments, provider, measures):
    """Return {measure: one value per query}, 0 where the provider left a query out."""
    found = defaultdict(dict)
    rows = provider.iter_calc(measures, judgments.qrels, judgments.run)
    for row in rows:
        found[str(row.measure)][row.query_id] = row.value
    queries = sorted(judgments.run)
    return {
        name: np.array([values.get(query, 0.0) for query in queries])
        for name, values in found.items()
    }


def compare(judgments, provider, pairs, *, undefined=0.0, unjudged=0.0, **tolerance):
    """Compare {our name: their name} through one provider of ir-measures."""
    if not provider.is_available():
        pytest.skip(f"{provider.NAME}, which ir-measures needs here, is not installed")
    measures = {ours: ir_measures.parse_measure(theirs) for ours, theirs in pairs.items()}
    expected = evaluated(judgments, provider, list(measures.values()))
    scored = judgments.scores(list(pairs), undefined=undefined, unjudged=unjudged)
    for ours, measure in measures.items():
        oracle = f"ir-measures ({provider.NAME})"
        name, _, cut = ours.partition("@")
        label = f"{name}@k" if cut else name
        agree(label, oracle, scored[ours], expected[str(measure)], **tolerance)


def test_each_spelling(judgments):
    """Where trec_eval computes it; three metrics need to know what is unjudged."""
    with (Path(__file__).parents[2] / "docs" / "spellings.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["Tool"] == "ir_measures"]
    provider, pairs = ir_measures.pytrec_eval, {}
    for row in rows:
        theirs, ours = row["Spelling"].strip("`"), row["Here"].strip("`")
        if ours in ("", "bpref", "infap", "judged@10"):
            continue
        if provider.supports(ir_measures.parse_measure(theirs)):
            pairs[ours] = theirs
    assert len(pairs) > 12
    compare(judgments, provider, pairs)


def test_expected_reciprocal_rank(judgments):
    """gdeval prints five decimals and takes 4 as the highest grade."""
    pairs = {f"err(max_grade=4)@{k}": f"ERR@{k}" for k in CUTOFFS}
    compare(judgments, ir_measures.gdeval, pairs, atol=5.1e-6)


def test_exponential_gains(judgments):
    pairs = {f"ndcg(gain='exponential')@{k}": f"nDCG(dcg='exp-log2')@{k}" for k in CUTOFFS}
    compare(judgments, ir_measures.gdeval, pairs, atol=5.1e-6)


def test_share_of_judged_documents(distinct):
    """ir-measures divides by the length of a list that is shorter than k, we by k."""
    measures = [ir_measures.parse_measure(f"Judged@{k}") for k in CUTOFFS]
    expected = evaluated(distinct, ir_measures.judged, measures)
    scored = distinct.scores([f"judged@{k}" for k in CUTOFFS], unjudged=np.nan)
    lengths = np.array([len(distinct.run[query]) for query in sorted(distinct.run)])
    for k in CUTOFFS:
        theirs = expected[f"Judged@{k}"] * np.minimum(lengths, k) / k
        agree("judged@k", "ir-measures (judged)", scored[f"judged@{k}"], theirs)


def test_reciprocal_rank_within_a_cut_off(distinct):
    compare(distinct, ir_measures.msmarco, {f"mrr@{k}": f"RR@{k}" for k in CUTOFFS})


@pytest.mark.parametrize("persistence", [0.5, 0.8, 0.95])
def test_rank_biased_precision(persistence, distinct):
    """Of binary relevance there; ours with grades cut to 0 and 1."""
    binary = {
        query: {document: int(grade > 0) for document, grade in grades.items()}
        for query, grades in distinct.qrels.items()
    }
    two_grades = type(distinct)(binary, distinct.run)
    pairs = {f"rbp(persistence={persistence})": f"RBP(rel=1,p={persistence})"}
    compare(two_grades, ir_measures.cwl_eval, pairs)


def test_trec_eval_measures(judgments):
    at_k = {
        "precision": "P",
        "recall": "R",
        "hit_rate": "Success",
        "ndcg": "nDCG",
        "map(denominator='relevant')": "AP",
    }
    pairs = {
        f"{ours}@{k}": f"{theirs}@{k}" for ours, theirs in at_k.items() for k in CUTOFFS
    }
    pairs |= {"r_precision": "Rprec", "mrr": "RR"}
    compare(judgments, ir_measures.pytrec_eval, pairs)


def test_bpref(judgments):
    pairs = {"bpref": "Bpref"}
    compare(judgments, ir_measures.pytrec_eval, pairs, unjudged=np.nan)


DEPTH = 1000  # where cwl_eval cuts the list of weights, so that these sum to 1


@pytest.mark.parametrize("desired_gain", [1.0, 2.5])
def test_insq(desired_gain, distinct):
    """Ours sums the weights of all ranks; cut at rank 1000 the numbers are the same."""
    name = f"insq(desired_gain={desired_gain}, max_grade={MAX_GRADE})"
    measure = f"INSQ(T={desired_gain},max_rel={MAX_GRADE})"
    theirs = cwl_evaluated(distinct, measure)
    first = 2 * desired_gain
    kept = 1 - hurwitz(first + DEPTH) / hurwitz(first)
    (ours,) = distinct.scores([name]).values()
    ours = ours / kept
    agree("insq, of 1000 ranks", "ir-measures (cwl_eval)", ours, theirs)


@pytest.mark.parametrize("desired_gain", [1.0, 2.5])
def test_inst(desired_gain, distinct):
    params = {"desired_gain": desired_gain, "max_grade": MAX_GRADE}
    name = f"inst(desired_gain={desired_gain}, max_grade={MAX_GRADE})"
    theirs = cwl_evaluated(distinct, f"INST(T={desired_gain},max_rel={MAX_GRADE})")
    columns = distinct.flat()
    ratios = []
    for query in sorted(distinct.run):
        rows = columns["groups"] == query
        order = first_order(columns["y_true"][rows], columns["y_score"][rows])
        whole = inst(order, **params)
        ratios.append(inst(order, n_ranks=DEPTH, **params) / whole if whole > 0 else 1.0)
    (ours,) = distinct.scores([name]).values()
    ours = ours * ratios
    agree("inst, of 1000 ranks", "ir-measures (cwl_eval)", ours, theirs)


def cwl_evaluated(judgments, measure):
    provider = ir_measures.cwl_eval
    if not provider.is_available():
        pytest.skip("cwl-eval, which ir-measures needs here, is not installed")
    parsed = ir_measures.parse_measure(measure)
    return evaluated(judgments, provider, [parsed])[str(parsed)]

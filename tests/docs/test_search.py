"""The search of the built pages finds what people type.

It runs the code of the site, outside a browser. ``SKLEARN_RANK_HTML`` names the folder of
built pages; the gate builds them before it runs the tests.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

API = "generated/sklearn_rank"

# What people type, and the pages of which one is to be among the first three.
WANTED = {
    "gpu": ["stability", "speed"],
    "citation": ["which_test"],
    "cite": ["which_test"],
    "RAG": ["retrievers", "tutorial_rag"],
    "retriever": ["retrievers", "start"],
    "vector store": ["retrievers"],
    "cold start": ["definitions", "splitting", "recommenders"],
    "new users": ["recommenders_in_time", "recommenders", "splitting", "cookbook"],
    "install": ["install"],
    "pip": ["install"],
    "negative sampling": ["definitions", f"{API}.metrics.sampled_ranking_scores"],
    "MAP@12": ["migration", "cookbook", "start"],
    "nan": ["ties", "input_forms", "errors"],
    "leak": ["splitting", "definitions"],
    "early stopping": ["auto_examples/5_rankers/plot_4_early_stopping", "rankers"],
    "hyperparameter": ["experiments", "scorers", "rankers", "start"],
    "why different from scikit-learn": ["why_different", "migration"],
    "different number": ["why_different"],
    "spark": ["beyond_one_machine"],
    "dask": ["beyond_one_machine"],
    "parquet": ["beyond_one_machine", "command_line"],
    "A/B test": ["ab_tests"],
    "guardrail": ["ab_tests", "definitions"],
    "significance": ["comparing_models", "which_test", f"{API}.statistics.compare_models"],
    "p value": ["comparing_models", "which_test"],
    "confidence interval": [
        f"{API}.statistics.confidence_interval",
        "comparing_models",
        "cookbook",
    ],
    "MRR": ["definitions", "generated/definitions_ranks"],
    "hit rate": ["definitions", "generated/definitions_hits"],
    "ndcg": [f"{API}.metrics.ndcg_score"],
    "novelty": ["beyond_accuracy", "generated/definitions_novelty"],
    "diversity": ["beyond_accuracy", "generated/definitions_diversity", "two_stages"],
    "fairness": ["beyond_accuracy", "generated/definitions_fairness"],
    "ties": ["ties"],
    "trec_eval": ["why_different", "migration", "retrievers"],
    "ranx": ["migration", "why_different"],
    "lightgbm": ["rankers", "start", "why_different"],
    "GridSearchCV": ["scorers", "cookbook", "rankers"],
    "group": ["definitions", "scorers"],
    "deprecation": ["stability"],
    "mlflow": ["retrievers"],
    "optuna": ["auto_examples/5_rankers/plot_3_bayesian_search", "cookbook"],
    "save model": ["serving", "cookbook"],
    "is model B better": ["comparing_models"],
    "200M rows": ["beyond_one_machine"],
    "latency": ["serving"],
    "production": ["serving"],
    "fastapi": ["serving"],
    "conda": ["install"],
    "two tower": ["two_stages"],
    "benchmark": ["speed"],
    "recall at k": ["choosing"],
    "duckdb": ["beyond_one_machine"],
    "ranx ndcg different": ["why_different"],
    "movielens": ["input_forms", f"{API}.datasets.fetch_movielens"],
    "svmlight": ["input_forms"],
    "langchain": ["retrievers"],
    "out of memory": ["beyond_one_machine"],
    "golden set": ["golden_sets"],
    "jsonl": ["golden_sets"],
    "from_files": ["golden_sets", f"{API}.inputs.from_files"],
    "gate": ["gate_in_ci"],
    "CI gate": ["gate_in_ci"],
    "regression test": ["gate_in_ci"],
    "pytest": ["gate_in_ci"],
    "github actions": ["gate_in_ci"],
    "pre-commit": ["gate_in_ci"],
    "margin": ["gate_in_ci"],
    "undecided": ["gate_in_ci"],
    "faithfulness": ["gate_in_ci"],
    "promptfoo": ["gate_in_ci"],
    "deepeval": ["gate_in_ci", "retrievers"],
    "ragas": ["retrievers"],
    "context precision": ["retrievers"],
    "chunk": ["retrievers", "golden_sets"],
    "hybrid search": ["fusion"],
    "RRF": ["fusion"],
    "qdrant": ["fusion"],
    "fusion weights": ["fusion"],
    "unanswerable": ["abstention"],
    "abstain": ["abstention"],
    "LLM judge": ["judging"],
    "kappa": ["judging"],
    "own metric": ["own_metrics"],
    "custom metric": ["own_metrics"],
    "set_config": ["routing"],
    "metadata routing": ["routing"],
    "InteractionLog": ["experiments", f"{API}.inputs.InteractionLog"],
    "compare_runs": ["comparing_models", f"{API}.statistics.compare_runs"],
    "compare three retrievers": ["comparing_models"],
    "latex": ["which_test"],
    "checklist": ["which_test"],
    "significance test": ["which_test"],
    "leaderboard": ["leagues"],
    "interleaving": ["ab_tests"],
    "peeking": ["ab_tests"],
    "sessions": ["recommenders_in_time"],
    "reranking": ["two_stages"],
    "repeats": ["planning"],
    "seeds": ["planning"],
    "how many questions": ["planning"],
    "sample size": ["planning", f"{API}.statistics.plan_evaluation"],
    "typescript": ["conform"],
    "conformance": ["conform"],
}


@pytest.fixture(scope="module")
def found():
    """The pages that the search finds for each query, the best first."""
    folder, node = os.environ.get("SKLEARN_RANK_HTML"), shutil.which("node")
    if not folder or node is None:
        pytest.skip("SKLEARN_RANK_HTML names no built pages, or node is missing")
    done = subprocess.run(
        [node, Path(__file__).with_name("search.js"), folder],
        input=json.dumps(list(WANTED)),
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(zip(WANTED, json.loads(done.stdout), strict=True))


@pytest.mark.parametrize("query", WANTED)
def test_the_right_page_is_among_the_first_three(found, query):
    assert {*found[query][:3]} & {*WANTED[query]}, found[query][:6]


@pytest.mark.parametrize("page", ["architecture", "contributing", "changelog"])
def test_pages_for_developers_are_not_found(found, page):
    assert not any(page in pages for pages in found.values())

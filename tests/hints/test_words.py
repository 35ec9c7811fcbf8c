"""The table of words: each means something that is there, and the right thing."""

import ast
import re
from collections import defaultdict
from importlib import import_module
from inspect import isfunction, signature

import pytest

from sklearn_rank._hints._words import advise_keywords, missing_name, model, table
from sklearn_rank.experiments._default_recommenders import RECOMMENDER_NAMES
from tests.public_modules import MODULES

COMMON = """
alpha at average batch_size baseline beta ci clusters confidence control cutoff cv data
date df embedding_dim epochs exclude factors filter_seen folds group group_id item
item_id items k labels lr measure method metric metrics min_rating model n n_bootstrap
n_factors n_iter n_negatives n_splits n_trials normalize params preds qid qrels query
query_id rank rating run runs sample_weights scores scoring seed splitter target
test_size threshold time timeout timestamp top_k topk train_size truth user user_id
users verbose weight weights workers y y_pred y_score y_true
"""


def public_callables():
    """Yield the name and the parameters of each public function, class and method."""
    for module in map(import_module, MODULES):
        for name in module.__all__:
            value = getattr(module, name)
            is_class = isinstance(value, type)
            bases = value.__mro__ if is_class else ()
            ours = [base for base in bases if base.__module__.startswith("sklearn_rank.")]
            members = {n: f for base in ours[::-1] for n, f in vars(base).items()}
            public = {f"{name}.{n}": f for n, f in members.items() if n[0] != "_"}
            public[name] = value.__init__ if is_class else value
            for label, function in public.items():
                if isfunction(function):
                    parameters = list(signature(function).parameters)
                    yield label, [name for name in parameters if name != "self"]


CALLABLES = dict(public_callables())
assert "RecommenderMixin.recommend" in CALLABLES  # methods of bases, too


def test_answers_name_parameters_that_there_are():
    """It prints the answer of each callable to common words: read them after a change."""
    answers = defaultdict(list)
    for parameters, label in {tuple(p): label for label, p in CALLABLES.items()}.items():
        for word in set(COMMON.split()) - set(parameters):
            text = advise_keywords(parameters, [word])
            if not text.startswith("It has"):
                answers[word, text].append(label)
                names = re.findall(r"Write (\w+)=", text)
                assert set(names) <= set(parameters), (label, word, text)
    for (word, text), labels in sorted(answers.items()):
        print(f"{word}: {text} [{', '.join(labels)}]")
    assert len(answers) > 100


# What is written, of which callable, and the parameter that is meant.
MEANT = """
ndcg_score: top_k topk at n cutoff num_items max_k K Top_K -> k
ndcg_score: preds pred scores y_pred predictions run -> y_score
ndcg_score: target labels truth ground_truth qrels actual -> y_true
ndcg_score: qid query_id group user_id session_id indexes -> groups
ndcg_score: weights sample_weights w -> sample_weight
ndcg_score: zero_division empty_target_action nan_policy -> replace_undefined_by
ndcg_score: discount_function -> discount
ndcg_score: gains exponential -> gain
ndcg_score: tie_breaking -> ties
ndcg_score: base -> log_base
precision_at_k_score: threshold relevance_threshold -> min_relevance
ranking_scores: metric measures scoring eval_metric -> metrics
ranking_scores: library compat -> convention
compare_models: stat_test method -> test
compare_models: control reference base -> baseline
compare_models: ci level conf_level -> confidence_level
compare_models: n_bootstrap n_permutations -> n_resamples
tune_models: timeout time_limit -> time_budget
tune_models: n_trials n_iter max_evals -> n_candidates
tune_models: splitter folds -> cv
tune_models: workers num_threads -> n_jobs
tune_models: seed random_seed -> random_state
train_valid_test_split: test_ratio -> test
train_valid_test_split: valid_size -> valid
ItemNeighborsRecommender: k n_similar topk max_neighbors -> n_neighbors
ItemNeighborsRecommender: metric distance -> similarity
LeaveLastOut: n k holdout_size -> test_size
TimeSplit: k n_folds -> n_splits
TimeSplit: timestamp datetime_col date_col -> time
UserKFold: k n_folds -> n_splits
GroupRanker: base_estimator regressor clf -> estimator
GroupRanker.fit: qid group query_id -> groups
GroupRanker.fit: rating -> y
RankFusion: k rrf_constant -> rrf_k
RankFusion: alpha weight -> weights
EASERecommender: reg l2 lambda_ -> regularization
RecommenderMixin.recommend: filter_seen filter_already_liked_items -> exclude_seen=False
RecommenderMixin.recommend: blacklist filter_items -> exclude
RecommenderMixin.recommend: candidates allowed_items -> items
from_frames: user_col uid query_id -> user
from_frames: item_col iid doc_id -> item
from_frames: rating y_true -> relevance
from_item_lists: recs predictions run -> y_pred
off_policy_value: pscore action_prob -> propensity
off_policy_value: pi_e evaluation_policy -> target_probability
compare_variants: metric values -> outcome
compare_variants: group arm treatment_col -> variant
compare_variants: baseline -> control
interleaving_test: query_id page -> impression
interleaving_test: user_id -> user
abstention_threshold: threshold -> thresholds
plan_evaluation: effect_size mde -> difference
plan_evaluation: std sigma -> standard_deviation
plan_evaluation: n users -> n_queries
plan_evaluation: icc -> intraclass_correlation
"""
GUESSES = [
    (label, word, name)
    for line in MEANT.strip().splitlines()
    for label, words, name in [re.split(r": | -> ", line)]
    for word in words.split()
]


@pytest.mark.parametrize(("label", "word", "name"), GUESSES)
def test_a_word_of_another_library_has_the_parameter(label, word, name):
    parameters = CALLABLES[label]
    assert word not in parameters
    advice = advise_keywords(parameters, [word])
    ways = (f"Write {name}=", f"For grades write {name}=", name)
    assert advice.startswith(ways), advice


@pytest.mark.parametrize(
    ("label", "word", "text"),
    [
        ("tune_models", "k", 'Write the cutoff into the names: metrics=["ndcg@5", '),
        ("compare_models", "alpha", "Write confidence_level=, 1 - alpha."),
        ("compare_models", "y_true", "It takes values per query, of each model: per_q"),
        ("compare_models", "runs", "It takes values per query, of each model: per_q"),
        ("confidence_interval", "y_true", "It takes values per query: per_query_scores("),
        ("ndcg_score", "average", "For one value per query write per_query_scores("),
        ("ndcg_score", "convention", "For another library's number write ranking_sco"),
        ("ndcg_score", "df", 'Give columns: df["label"], df["score"], groups=df['),
        ("ndcg_score", "ignore_ties", 'Write ties="first"; scikit-learn takes the las'),
        ("explain_difference", "paper", "Write theirs=, the value of the other program."),
        ("evaluate_models", "rating", 'Give y=log["rating"]; min_relevance=4 counts'),
        ("evaluate_models", "cv", "evaluate_models fits nothing, and its rows must"),
        ("from_item_lists", "df", "For tables write from_frames("),
        ("from_runs", "df", "For tables write from_frames("),
        ("from_item_lists", "k", "The cutoff is in the names: ranking_scores("),
        ("train_valid_test_split", "ratios", "Write test=0.2, and valid=0.1 if wanted"),
        ("MatrixFactorizationRecommender", "n_factors", "Write estimator=TruncatedSVD("),
        ("MetricAtKDisplay.plot", "alpha", 'Write line_kw={"color": "C1", "alpha": 0.5}'),
    ],
)
def test_a_word_has_a_sentence_of_its_own(label, word, text):
    assert advise_keywords(CALLABLES[label], [word]).startswith(text)


@pytest.mark.parametrize(
    ("label", "word"),
    [
        ("tune_models", "method"),  # `test` is the share of rows there
        ("compare_models", "test_size"),  # and that of a difference here
        ("TwoStageRecommender", "n_trials"),  # candidates are items there
        ("sampled_ranking_scores", "n_factors"),  # the estimator is a formula there
        ("tune_models", "n_items"),  # not the rows that a splitter holds out
        ("compare_candidates", "k"),
        ("abstention_threshold", "baseline"),  # `control` is of the risk there
        ("krippendorff_alpha_score", "average"),  # raters have no values of queries
        ("ranking_similarity", "convention"),
        ("fill_unjudged", "df"),
        ("Catalogue", "n"),
        ("mean_value_at_k_score", "metric"),
        ("ndcg_score", "verbose"),
        ("ndcg_score", "lr"),
    ],
)
def test_a_word_that_means_nothing_there_has_the_list(label, word):
    parameters = CALLABLES[label]
    assert advise_keywords(parameters, [word]) == f"It has {', '.join(parameters)}."


def test_several_words_have_each_answer_once_and_then_the_list():
    parameters = ["groups", "k"]
    assert advise_keywords(parameters, ["qid", "group", "n"]) == "Write groups=. Write k=."
    text = "Write groups=. It has groups, k."
    assert advise_keywords(parameters, ["qid", "foo"]) == text


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("als", "implicit"),
        ("BPR", "implicit"),
        ("itemknn", "neighbors"),
        ("knn", "neighbors"),
        ("svd", "factorization"),
        ("MF", "factorization"),
        ("pop", "popularity"),
        ("UserKNN", "user_neighbors"),
        ("transformer", None),
    ],
)
def test_a_default_model_by_a_word_of_another_library(word, name):
    assert model(word, RECOMMENDER_NAMES) == name


def resolve(full_name):
    """Return a public object, given with its module and without parameters."""
    module, _, name = full_name.partition("(")[0].rpartition(".")
    public = import_module(f"sklearn_rank.{module}")
    assert name in public.__all__, full_name
    return getattr(public, name)


def test_names_of_the_table_are_public():
    for entry in table("names"):
        assert entry.words, entry
        value = resolve(entry.name)
        parameters = re.findall(r"(\w+)=", entry.name.partition("(")[2])
        assert not parameters or set(parameters) <= {*signature(value).parameters}, entry
    for entry in table("modules"):
        for name in entry.name.split():
            resolve(name)


def test_parameters_and_calls_of_the_table_are_there():
    taken = {name for parameters in CALLABLES.values() for name in parameters}
    for entry in table("parameters"):
        assert {entry.name, entry.second} - {""} <= taken, entry
    for entry in table("calls"):
        call = re.search(rf"{entry.name}\(.*?\)(?=[,;.]|$)", entry.sentence).group()
        keywords = [keyword.arg for keyword in ast.parse(call).body[0].value.keywords]
        assert set(keywords) - {None} <= set(CALLABLES[entry.name]), entry
    assert {entry.name for entry in table("models")} <= set(RECOMMENDER_NAMES)


def test_a_word_of_a_metric_has_its_import_and_its_text():
    text = missing_name("sklearn_rank.statistics", "roc_auc_score")
    assert "from sklearn_rank.metrics import roc_auc_per_query_score" in text
    text = missing_name("sklearn_rank.metrics", "coverage")
    line = "from sklearn_rank.metrics import coverage_at_k_score. As text: 'coverage@10'."
    assert text.endswith(line)
    text = missing_name("sklearn_rank.metrics", "label_ranking_average_precision_score")
    assert "It is a name of scikit-learn: from sklearn.metrics import label" in text


def test_capitals_and_underscores_are_no_other_word():
    assert (
        advise_keywords(["min_relevance", "k"], ["MinRelevance"]) == "Write min_relevance=."
    )

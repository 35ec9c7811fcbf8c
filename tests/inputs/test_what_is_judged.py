"""What the inputs say of judgments, and metrics that need to know it."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from sklearn_rank._ranking._judgments import Judgments
from sklearn_rank.inputs import from_files, from_frames, from_item_lists
from sklearn_rank.metrics import (
    conventions,
    inferred_average_precision_score,
    judged_at_k_score,
    ndcg_score,
    per_query_scores,
    ranking_scores,
)
from tests.metrics.registered import METRICS

OF_JUDGEMENTS = sorted(name for name in METRICS if METRICS[name].unjudged == "needed")
JUDGED = {"q": {"a": 0, "b": 0, "r": 1}}
LISTS = {"q": ["a", "x", "r", "b"]}  # nobody judged x


def frames(relevance):
    truth = pd.DataFrame({"user": ["q"] * 3, "item": ["a", "b", "r"], "grade": [0, 0, 1]})
    shown = pd.DataFrame({"user": ["q"] * 4, "item": LISTS["q"], "rank": [1, 2, 3, 4]})
    names = {"user": "user", "item": "item", "rank": "rank", "relevance": relevance}
    return from_frames(truth if relevance else truth[truth["grade"] > 0], shown, **names)


def lines():
    qrels = [f"q 0 {item} {grade}" for item, grade in JUDGED["q"].items()]
    run = [f"q Q0 {item} 0 {-rank} me" for rank, item in enumerate(LISTS["q"])]
    return from_files(qrels, run)


@pytest.mark.parametrize(
    "rows", [from_item_lists(JUDGED, LISTS), frames("grade"), lines()], ids=str
)
def test_one_reading_serves_all_metrics(rows):
    found = ranking_scores(
        **rows, metrics=["ndcg@3", "judged@3", "bpref", "infap", "mrr", "rbp_residual@3"]
    )
    assert found["ndcg@3"] == ndcg_score(**rows, k=3) == 0.5
    assert found["mrr"] == pytest.approx(1 / 3)
    assert found["judged@3"] == pytest.approx(2 / 3)
    assert found["bpref"] == 0  # one of min(R, N) = 1 judged irrelevant above
    assert found["rbp_residual@3"] == pytest.approx(0.2 * 0.8 + 0.8**3)
    # The pool above rank 3 has one item, judged irrelevant.
    assert found["infap"] == pytest.approx((1 + 1 * 1e-5 / (1 + 2e-5)) / 3)


def test_pooled_documents_are_told_from_those_that_were_never_pooled():
    """The numbers are those that trec_eval prints."""
    qrels = ["q 0 a -1", "q 0 r 1", "q 0 n 0"]
    run = ["q Q0 a 1 3 me", "q Q0 x 2 2 me", "q Q0 r 3 1 me"]
    rows = from_files(qrels, run)
    metrics = ["ndcg@10", "judged@3", "bpref", "infap"]
    found = ranking_scores(**rows, metrics=metrics)
    assert found == pytest.approx(
        {"ndcg@10": 0.5, "judged@3": 1 / 3, "bpref": 1.0, "infap": 0.5}, abs=1e-5
    )
    for name in metrics:
        assert ranking_scores(**rows, metrics=name)[name] == found[name]


@pytest.mark.parametrize("relevance", [-1, -2, -3, -9])
def test_any_negative_relevance_is_pooled_and_unjudged(relevance):
    """The number is that of trec_eval for each of them."""
    qrels = ["q 0 a 0", f"q 0 x {relevance}", "q 0 r 1", "q 0 s 1", "q 0 n 0"]
    run = [f"q Q0 {item} 0 {-rank} me" for rank, item in enumerate("raxs")]
    rows = from_files(qrels, run)
    assert np.isnan(rows.y_true).sum() == 1
    # Above s, of rank 4, are three of the pool: r relevant, a not, x unjudged.
    found = inferred_average_precision_score(**rows)
    assert found == pytest.approx((1 + (1 + 3 / 2) / 4) / 2, abs=1e-5)


@pytest.mark.parametrize("name", OF_JUDGEMENTS)
@pytest.mark.parametrize(
    "rows",
    [
        from_item_lists({"q": {"r"}}, LISTS),
        from_item_lists({"q": {"r": 3}}, LISTS),
        frames(None),
        from_files(["q 0 r 1"], ["q Q0 a 1 2 me", "q Q0 r 2 1 me"]),
        from_item_lists({"q": {"r"}, "nobody": set()}, LISTS),
    ],
    ids=str,
)
def test_relevant_items_alone_are_no_judgments(rows, name):
    """Else judged@k would be precision, and bpref 1 for each relevant item."""
    with pytest.raises(ValueError, match=f"{name} needs to distinguish judged irrelevant"):
        METRICS[name].function(**rows)
    with pytest.raises(ValueError, match="Give the judged irrelevant items too"):
        ranking_scores(**rows, metrics=["ndcg", name])
    assert ndcg_score(**rows, replace_undefined_by=np.nan) > 0


def test_values_do_not_depend_on_what_else_is_in_the_call():
    rng = np.random.default_rng(0)
    documents = [f"d{i}" for i in range(12)]
    qrels = [
        f"q{q} 0 {document} {rng.integers(-1, 4)}"
        for q in range(40)
        for document in rng.choice(documents, 6, replace=False)
    ]
    run = [
        f"q{q} Q0 {document} 0 {rng.integers(5)} me"
        for q in range(40)
        for document in rng.choice(documents, 8, replace=False)
    ]
    rows = from_files(qrels, run)
    plain = {**rows, "y_true": np.nan_to_num(np.asarray(rows.y_true))}
    others = [name for name in METRICS if name not in {*OF_JUDGEMENTS, "inst"}]
    together = per_query_scores(**rows, metrics=[*others, *OF_JUDGEMENTS]).scores
    for name in others:
        alone = per_query_scores(**plain, metrics=name).scores[name]
        np.testing.assert_allclose(together[name], alone, rtol=1e-14)
        np.testing.assert_array_equal(
            per_query_scores(**rows, metrics=name).scores[name], alone
        )


@pytest.mark.parametrize("ties", ["average", "worst", "best", "first"])
def test_unjudged_rows_are_rows_of_grade_zero_in_other_metrics(ties):
    """Also where rows tie, in a call with metrics that look at what is judged."""
    rng = np.random.default_rng(1)
    y_true = rng.choice([0, 1, 2, np.nan], (60, 7))
    y_score = rng.integers(0, 3, (60, 7))
    plain = np.nan_to_num(y_true)
    others = [name for name in METRICS if name not in {*OF_JUDGEMENTS, "inst"}]
    calls = {"ties": ties, "metrics": [*others, *OF_JUDGEMENTS]}
    together = per_query_scores(y_true.view(Judgments), y_score, **calls).scores
    for name in others:
        alone = per_query_scores(plain, y_score, ties=ties, metrics=name).scores[name]
        if METRICS[name].unjudged != "refused":
            continue
        np.testing.assert_allclose(together[name], alone, rtol=1e-13, err_msg=name)


def test_only_a_reading_of_judgments_may_have_nan_for_all_metrics():
    rows = {"y_true": [1, np.nan, 0], "y_score": [3, 2, 1], "groups": [0, 0, 0]}
    assert ranking_scores(**rows, metrics="judged@2") == {"judged@2": 0.5}
    with pytest.raises(ValueError, match="ndcg needs a grade for every row"):
        ranking_scores(**rows, metrics=["ndcg", "judged@2"])
    rows["y_true"][1] = -0.0
    found = ranking_scores(**rows, metrics=["ndcg", "judged@2"])
    assert found == {"ndcg": 1.0, "judged@2": 0.5}


def test_grids_and_scattered_rows_say_the_same():
    y_true = np.array([[1, -0.0, 0, np.nan], [-0.0, 2, np.nan, 0]])
    y_score = np.array([[1.0, 4, 3, 2], [4, 3, 3, 1]])
    groups = np.repeat(["a", "b"], 4)
    order = np.random.default_rng(0).permutation(8)
    flat = [values.ravel()[order] for values in (y_true, y_score)]
    stored = sparse.coo_array((flat[0], np.divmod(order, 4)), shape=y_true.shape)
    part = sparse.csr_array(([-0.0, 1], ([0, 0], [0, 1])), shape=(1, 4))
    for name in OF_JUDGEMENTS:
        metric = METRICS[name].function
        assert metric(y_true, y_score) == metric(*flat, groups=groups[order])
        assert metric(stored, y_score) == metric(y_true, y_score)
        assert metric(part, y_score[:1]) == metric([[-0.0, 1, 0, 0]], y_score[:1])
    every = {"pooled": np.ones((2, 4), dtype=bool)}
    infap = inferred_average_precision_score
    assert infap(stored, y_score, **every) == infap(y_true, y_score, **every)
    pooled = ~((y_true == 0) & np.signbit(y_true))
    assert inferred_average_precision_score(
        np.where(pooled, y_true, np.nan), y_score, pooled=pooled
    ) == inferred_average_precision_score(y_true, y_score)
    assert judged_at_k_score(y_true, y_score, k=4) == 0.5


def test_the_convention_of_trec_eval_has_one_reading():
    qrels = ["q 0 a -1", "q 0 r 1", "q 0 n 0"]
    rows = from_files(qrels, ["q Q0 a 1 3 me", "q Q0 r 3 1 me"])
    named = list(conventions["trec_eval"].metrics)
    assert len(ranking_scores(**rows, metrics=named, convention="trec_eval")) == len(named)

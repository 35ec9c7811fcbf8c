"""The metrics that need nothing but grades and scores; others have their own tests.

Here are the facts of each that its declaration does not have; `reference.py` has its plain
loop.
"""

from hypothesis import strategies as st

from sklearn_rank.metrics._core._registry import METRICS as ALL

METRICS = {
    name: metric
    for name, metric in ALL.items()
    if metric.rows == "relevant" and not metric.columns
}

# Past the longest list, and None: the whole list.
CUTOFFS = st.sampled_from([*range(1, 9), None])
MIN_RELEVANCE = st.sampled_from([None, 0.25, 1, 2])
ROUNDINGS = st.sampled_from(["up", "nine_tenths", "nearest"])
DISCOUNTS = st.sampled_from(["log", "jarvelin", "reciprocal"])
LOG_BASES = st.sampled_from([2, 3, 10, 2.718281828459045])
GAINS = st.sampled_from(["linear", "exponential", "binary"])
DESIRED_GAINS = st.sampled_from([0.5, 1.0, 2.5, 10.0])
MAX_GRADES = st.sampled_from([3, 4, 5.5])

# What the metric's own parameters may be.
PARAMETERS = {
    "precision": {
        "k": CUTOFFS,
        "denominator": st.sampled_from(["k", "list"]),
        "min_relevance": MIN_RELEVANCE,
    },
    "recall": {
        "k": CUTOFFS,
        "denominator": st.sampled_from(["relevant", "attainable"]),
        "min_relevance": MIN_RELEVANCE,
    },
    "f1": {
        "k": CUTOFFS,
        "beta": st.sampled_from([0.5, 1.0, 2.0]),
        "min_relevance": MIN_RELEVANCE,
    },
    "pooled_recall": {
        "k": CUTOFFS,
        "denominator": st.sampled_from(["relevant", "attainable"]),
        "min_relevance": MIN_RELEVANCE,
    },
    "relative_precision": {"k": CUTOFFS, "min_relevance": MIN_RELEVANCE},
    "set_map": {"min_relevance": MIN_RELEVANCE},
    "interpolated_precision": {
        "recall_level": st.sampled_from([0.0, 0.1, 0.25, 0.3, 0.5, 0.7, 0.9, 1.0]),
        "rounding": ROUNDINGS,
        "min_relevance": MIN_RELEVANCE,
    },
    "eleven_point_precision": {"rounding": ROUNDINGS, "min_relevance": MIN_RELEVANCE},
    "hit_rate": {"k": CUTOFFS, "min_relevance": MIN_RELEVANCE},
    "accuracy": {"k": CUTOFFS, "min_relevance": MIN_RELEVANCE},
    "fallout": {"k": CUTOFFS, "min_relevance": MIN_RELEVANCE},
    "r_precision": {"min_relevance": MIN_RELEVANCE},
    "judged": {"k": CUTOFFS},
    "mrr": {"k": CUTOFFS, "min_relevance": MIN_RELEVANCE},
    "map": {
        "k": CUTOFFS,
        "denominator": st.sampled_from(["relevant", "attainable", "retrieved", "k"]),
        "min_relevance": MIN_RELEVANCE,
    },
    "mean_rank": {"min_relevance": MIN_RELEVANCE},
    "cg": {"k": CUTOFFS, "gain": GAINS},
    "dcg": {"k": CUTOFFS, "gain": GAINS, "discount": DISCOUNTS, "log_base": LOG_BASES},
    "ndcg": {"k": CUTOFFS, "gain": GAINS, "discount": DISCOUNTS, "log_base": LOG_BASES},
    "rbp": {
        "k": CUTOFFS,
        "persistence": st.sampled_from([0.1, 0.5, 0.8, 0.95]),
        "max_grade": MAX_GRADES,
    },
    "rbp_residual": {"k": CUTOFFS, "persistence": st.sampled_from([0.1, 0.8, 0.95])},
    "err": {"k": CUTOFFS, "max_grade": MAX_GRADES},
    "q_measure": {"k": CUTOFFS, "beta": st.sampled_from([0.5, 1.0, 10.0])},
    "insq": {"k": CUTOFFS, "desired_gain": DESIRED_GAINS, "max_grade": MAX_GRADES},
    "inst": {"k": CUTOFFS, "desired_gain": DESIRED_GAINS, "max_grade": MAX_GRADES},
    "infap": {"min_relevance": MIN_RELEVANCE},
    "bpref": {"min_relevance": MIN_RELEVANCE},
    "auc": {"min_relevance": MIN_RELEVANCE},
}

# Metrics that take unjudged rows.
ALLOWS_UNJUDGED = {name for name, one in METRICS.items() if one.unjudged != "refused"}

# Their defaults, but for `min_relevance`, which is None.
DEFAULTS = {
    "precision": {"k": 10, "denominator": "k"},
    "recall": {"k": 10, "denominator": "relevant"},
    "f1": {"k": 10, "beta": 1.0},
    "relative_precision": {"k": 10},
    "pooled_recall": {"k": 10, "denominator": "attainable"},
    "interpolated_precision": {"recall_level": 0.5, "rounding": "up"},
    "eleven_point_precision": {"rounding": "up"},
    "bpref": {"average": "arithmetic"},
    "hit_rate": {"k": 10},
    "accuracy": {"k": 10, "n_items": None},
    "fallout": {"k": 10, "n_items": None},
    "judged": {"k": 10},
    "mrr": {"k": None},
    "map": {"k": None, "denominator": "attainable", "average": "arithmetic"},
    "cg": {"k": None, "gain": "linear"},
    "dcg": {"k": None, "gain": "linear", "discount": "log", "log_base": 2},
    "ndcg": {
        "k": None,
        "gain": "linear",
        "ideal": "relevant",
        "discount": "log",
        "log_base": 2,
    },
    "mean_rank": {"percentile": False, "n_items": None},
    "rbp": {"k": None, "persistence": 0.8, "max_grade": None},
    "rbp_residual": {"k": None, "persistence": 0.8},
    "err": {"k": None, "max_grade": None},
    "q_measure": {"k": None, "beta": 1.0},
    "auc": {"weighting": "query", "n_items": None},
    "insq": {"k": None, "desired_gain": 1.0, "max_grade": None},
    "inst": {"k": None, "desired_gain": 1.0, "max_grade": None},
    "infap": {"pooled": None},
}

# Metrics that go to 0 with a cutoff far below the end of the list.
DIVIDED_BY_K = {"precision", "judged", "f1"}

# Metrics in which the order of relevant rows has no effect.
BLIND_TO_ORDER = {"judged", "rbp_residual", "set_map"}
# 1 for a perfect order whatever the query holds; others depend on k and the grades.
ONE_WHEN_PERFECT = {
    "hit_rate",
    "relative_precision",
    "eleven_point_precision",
    "interpolated_precision",
    "r_precision",
    "mrr",
    "map",
    "ndcg",
    "q_measure",
    "bpref",
    "auc",
}
# Their weights are their denominators; `test_ratios.py` has them.
RATIOS = {"pooled_recall"}
# Never undefined.
ALWAYS_DEFINED = {"accuracy", "cg", "dcg", "judged", "rbp_residual"}
# Undefined under a condition of their own, or never; each has a test of its own.
OTHER_UNDEFINED = ALWAYS_DEFINED | {"fallout", "auc"}

# Metrics that count irrelevant or unjudged rows that were not retrieved.
COUNT_ROWS_NOT_RETRIEVED = {"accuracy", "fallout", "auc", "bpref", "mean_rank", "judged"}
# Metrics that are not 0 if nothing is retrieved.
NOT_ZERO_FOR_NOTHING = {"accuracy", "auc", "mean_rank", "rbp_residual"}

"""How others spell the metrics: each word with what it means, in our own grammar.

Words are compared without capitals and underscores. The name of a metric, and that of its
function without "_at_k_score" or "_score", need no line here.

Where a word belongs to one tool, its meaning has the parameters of that tool, as its
convention has them. What ties and undefined queries count for, no name says.
"""

from collections.abc import Mapping

_TREC_AP = "map(denominator='relevant')"
_TREC_LEVEL = "interpolated_precision(rounding='nine_tenths')"
_TREC_LEVELS = "eleven_point_precision(rounding='nine_tenths')"
_COLLECTION = "(normalize='collection')"

SPELLINGS: Mapping[str, str] = {
    # Of no tool alone.
    "aplt": "long_tail",
    "average_precision": "map",
    "average_reciprocal_rank": "mrr",
    "catalog_coverage": "coverage",
    "discounted_cumulative_gain": "dcg",
    "expected_free_discovery": "efd",
    "expected_popularity_complement": "epc",
    "f": "f1",
    "gauc": "auc",
    "hit": "hit_rate",
    "hit_ratio": "hit_rate",
    "hr": "hit_rate",
    "ild": "intra_list_distance",
    "intra_list_diversity": "intra_list_distance",
    "item_coverage": "coverage",
    "macro_precision": "precision",
    "macro_recall": "recall",
    "mean_ndcg": "ndcg",
    "micro_recall": "pooled_recall",
    "miscalibration": "calibration",
    "mpr": "mean_rank(percentile=True)",
    "normalized_dcg": "ndcg",
    "normalized_discounted_cumulative_gain": "ndcg",
    "prec": "precision",
    "psprecision": "psp",
    "q": "q_measure",
    "reciprocal_rank": "mrr",
    "roc_auc": "auc",
    "s_recall": "subtopic_recall",
    "shannon_entropy": "entropy",
    "success": "hit_rate",
    # trec_eval
    "11pt_avg": _TREC_LEVELS,
    "eleven_point": "eleven_point_precision",
    "gm_bpref": "bpref(average='geometric')",
    "gm_map": "map(denominator='relevant', average='geometric')",
    "iprec_11pt": _TREC_LEVELS,
    "iprec_at_recall": _TREC_LEVEL,
    "map_cut": _TREC_AP,
    "ndcg_cut": "ndcg",
    "p": "precision",
    "recip_rank": "mrr",
    "relative_p": "relative_precision",
    "rprec": "r_precision",
    "set_f": "f1(k=None)",
    "set_p": "precision(k=None)",
    "set_recall": "recall(k=None)",
    "set_relative_p": "relative_precision(k=None)",
    # ir_measures, and ndeval
    "ap": _TREC_AP,
    "ap_ia": "map_ia",
    "iprec": _TREC_LEVEL,
    "n_err_ia": f"err_ia{_COLLECTION}",
    "n_nrbp": f"nrbp{_COLLECTION}",
    "p_ia": "precision_ia",
    "r": "recall",
    "rr": "mrr",
    "set_ap": "set_map",
    "set_r": "recall(k=None)",
    "set_rel_p": "relative_precision(k=None)",
    "st_recall": "subtopic_recall",
    "strec": "subtopic_recall",
    # ranx
    "dcg_burges": "dcg(gain='exponential')",
    "ndcg_burges": "ndcg(gain='exponential')",
    # RecTools
    "avg_rec_popularity": "popularity(count='interactions')",
    "covered_users": "user_coverage(length='any')",
    "f1_beta": "f1",
    "mean_inv_user_freq": "novelty",
    "sufficient_reco": "user_coverage",
    # torchmetrics
    "retrieval_auroc": "auc",
    "retrieval_average_precision": "map(denominator='retrieved')",
    "retrieval_fall_out": "fallout(k=None)",
    "retrieval_hit_rate": "hit_rate(k=None)",
    "retrieval_map": "map(denominator='retrieved')",
    "retrieval_mrr": "mrr",
    "retrieval_normalized_dcg": "ndcg",
    "retrieval_precision": "precision(k=None)",
    "retrieval_r_precision": "r_precision",
    "retrieval_recall": "recall(k=None)",
    "retrieval_reciprocal_rank": "mrr",
    # Kaggle
    "apk": "map@10",
    "mapk": "map@10",
}

_COUNT = "it is a count; ranking_report(support=True) has the counts"
_NO_SCALE = "it is an experiment of trec_eval; 'q_measure' has graded gains as well"
_CURVE = "it is a curve; precision_recall_at_k_curve has it"
_OTHER_ERROR = "it is an error of ratings that scikit-learn has"

# Words that stand for something else than any metric here, so that none is suggested.
OTHERS: Mapping[str, str] = {
    "hits": "ranx counts hits by it, others the queries that have one; write "
    "'hit_rate@k' for these, and 'precision@k' for the hits per rank",
    "num_q": _COUNT,
    "num_nonrel_judged_ret": "it is a count; 'judged@k' is the share that is judged",
    "num_rel": _COUNT,
    "num_rel_ret": _COUNT,
    "num_ret": _COUNT,
    "runid": "it is the tag of a run",
    "relstring": "it is a text of grades",
    "rprec_mult": "it is precision at multiples of R; 'precision@k' has fixed cutoffs",
    "ndcg_rel": "it is nDCG at the ranks with relevant documents alone; take 'ndcg'",
    "rndcg": "it is the mean of nDCG at the ranks down to R; take 'ndcg@k'",
    "g": _NO_SCALE,
    "bin_g": _NO_SCALE,
    "utility": "it is a sum without a scale",
    "bpm": "the bejeweled player model is not here; 'inst' is near to it",
    "compat": "it compares two lists; ranking_similarity does",
    "sdcg": "it scales by the best list that any query could have; take 'ndcg@k'",
    "nerr8": "it is not here; 'err@k' and 'insq' are its relatives",
    "nerr9": "it is not here; 'err@k' and 'insq' are its relatives",
    "nerr10": "it is not here; 'err@k' and 'insq' are its relatives",
    "nerr11": "it is not here; 'err@k' and 'insq' are its relatives",
    "nerr": "it is not here; 'err@k' is not divided by that of the best list",
    "idcg": "it is the DCG of the best list, which 'ndcg' divides by",
    "ncg": "it is not here; 'ndcg(discount=...)' discounts by rank",
    "mar": "mean average recall is the mean of recall over cutoffs; take 'recall@k'",
    "mcc": "Matthews' correlation is of one classification; take 'f1@k'",
    "partial_auc": "it is not here; 'auc' takes the whole list",
    "pap": "it is not here; 'auc' takes the whole list",
    "pr_auc": "take 'map', the area under precision and recall of each query",
    "auprc": "take 'map', the area under precision and recall of each query",
    "intersection": "it is 1 less 'unexpectedness@k'",
    "unrepeated_reco": "it is the share of different items in a list; lists here have "
    "each once",
    "retrieval_precision_recall_curve": _CURVE,
    "precision_recall_curve": _CURVE,
    "retrieval_recall_at_fixed_precision": f"it is a point of a curve; {_CURVE}",
    "mape": _OTHER_ERROR,
    "msle": _OTHER_ERROR,
    "rmsle": _OTHER_ERROR,
    "medae": _OTHER_ERROR,
    "r2": _OTHER_ERROR,
}

# Parameters as ir_measures and others call them, where a metric has none of that name.
PARAMETERS: Mapping[str, str] = {
    "cutoff": "k",
    "n": "k",
    "top": "k",
    "top_k": "k",
    "rel": "min_relevance",
    "p": "persistence",
    "recall": "recall_level",
    "max_rel": "max_grade",
    "dcg": "gain",
}
GAINS: Mapping[str, str] = {"log2": "linear", "exp-log2": "exponential"}

# What a decimal after the word or @ says, as in "iprec_at_recall_0.10" and "rbp.95".
DECIMALS: Mapping[str, str] = {
    "interpolated_precision": "recall_level",
    "rbp": "persistence",
}

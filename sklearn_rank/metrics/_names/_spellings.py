"""Aliases of metrics in other libraries: each word with its meaning in our grammar.

Words are compared without capitals and underscores. The name of a metric, and that of its
function without "_at_k_score" or "_score", need no line here.

If a word belongs to one tool, its meaning has the parameters of that tool, as in its
convention. Names do not set the treatment of ties and undefined queries.
"""

from collections.abc import Mapping

# For each metric in our grammar, its names in other libraries.
_WORDS = {
    "auc": "gauc retrieval_auroc roc_auc",
    "bpref(average='geometric')": "gm_bpref",
    "calibration": "miscalibration",
    "coverage": "catalog_coverage item_coverage",
    "dcg": "discounted_cumulative_gain",
    "dcg(gain='exponential')": "dcg_burges",
    "efd": "expected_free_discovery",
    "eleven_point_precision": "eleven_point",
    "eleven_point_precision(rounding='nine_tenths')": "11pt_avg iprec_11pt",
    "entropy": "shannon_entropy",
    "epc": "expected_popularity_complement",
    "err_ia(normalize='collection')": "n_err_ia",
    "f1": "f f1_beta",
    "f1(k=None)": "set_f",
    "fallout(k=None)": "retrieval_fall_out",
    "hit_rate": "hit hit_ratio hr success",
    "hit_rate(k=None)": "retrieval_hit_rate",
    "interpolated_precision(rounding='nine_tenths')": "iprec iprec_at_recall",
    "intra_list_distance": "ild intra_list_diversity",
    "long_tail": "aplt",
    "map": "average_precision",
    "map(denominator='relevant')": "ap map_cut",
    "map(denominator='relevant', average='geometric')": "gm_map",
    "map(denominator='retrieved')": "retrieval_average_precision retrieval_map",
    "map@10": "apk mapk",
    "map_ia": "ap_ia",
    "mean_rank(percentile=True)": "mpr",
    "mrr": "average_reciprocal_rank recip_rank reciprocal_rank retrieval_mrr "
    "retrieval_reciprocal_rank rr",
    "ndcg": "mean_ndcg ndcg_cut normalized_dcg normalized_discounted_cumulative_gain "
    "retrieval_normalized_dcg",
    "ndcg(gain='exponential')": "ndcg_burges",
    "novelty": "mean_inv_user_freq",
    "nrbp(normalize='collection')": "n_nrbp",
    "pooled_recall": "micro_recall",
    "popularity(count='interactions')": "avg_rec_popularity",
    "precision": "macro_precision p prec",
    "precision(k=None)": "retrieval_precision set_p",
    "precision_ia": "p_ia",
    "psp": "psprecision",
    "q_measure": "q",
    "r_precision": "retrieval_r_precision rprec",
    "recall": "macro_recall r",
    "recall(k=None)": "retrieval_recall set_r set_recall",
    "relative_precision": "relative_p",
    "relative_precision(k=None)": "set_rel_p set_relative_p",
    "set_map": "set_ap",
    "subtopic_recall": "s_recall st_recall strec",
    "user_coverage": "sufficient_reco",
    "user_coverage(length='any')": "covered_users",
}
# Words without a metric here, by the reason; no other metric is suggested for them.
_NO_METRICS = {
    "ranx counts hits by it, others the queries that have one; write "
    "'hit_rate@k' for these, and 'precision@k' for the hits per rank": "hits",
    "it is a count; ranking_report(support=True) has the counts": "num_q num_rel "
    "num_rel_ret num_ret",
    "it is a count; 'judged@k' is the share that is judged": "num_nonrel_judged_ret",
    "it is the tag of a run": "runid",
    "it is a text of grades": "relstring",
    "it is precision at multiples of R; 'precision@k' has fixed cutoffs": "rprec_mult",
    "it is nDCG at the ranks with relevant documents alone; take 'ndcg'": "ndcg_rel",
    "it is the mean of nDCG at the ranks down to R; take 'ndcg@k'": "rndcg",
    "it is an experiment of trec_eval; 'q_measure' has graded gains as well": "g bin_g",
    "it is a sum without a scale": "utility",
    "the bejeweled player model is not here; 'inst' is near to it": "bpm",
    "it compares two lists; ranking_similarity does": "compat",
    "it scales by the best list that any query could have; take 'ndcg@k'": "sdcg",
    "it is not here; 'err@k' and 'insq' are its relatives": "nerr8 nerr9 nerr10 nerr11",
    "it is not here; 'err@k' is not divided by that of the best list": "nerr",
    "it is the DCG of the best list, which 'ndcg' divides by": "idcg",
    "it is not here; 'ndcg(discount=...)' discounts by rank": "ncg",
    "mean average recall is the mean of recall over cutoffs; take 'recall@k'": "mar",
    "Matthews' correlation is of one classification; take 'f1@k'": "mcc",
    "it is not here; 'auc' takes the whole list": "partial_auc pap",
    "take 'map', the area under precision and recall of each query": "pr_auc auprc",
    "it is 1 less 'unexpectedness@k'": "intersection",
    "it is the share of different items in a list, which is 1 here": "unrepeated_reco",
    "it is a curve; precision_recall_at_k_curve has it": "precision_recall_curve "
    "retrieval_precision_recall_curve retrieval_recall_at_fixed_precision",
    "it is an error of ratings that scikit-learn has": "mape msle rmsle medae r2",
}


def _by_word(table: Mapping[str, str]) -> dict[str, str]:
    return {word: meaning for meaning, words in table.items() for word in words.split()}


SPELLINGS = _by_word(_WORDS)
OTHERS = _by_word(_NO_METRICS)

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

# The parameter of a decimal after the word or @: "iprec_at_recall_0.10", "rbp.95".
DECIMALS: Mapping[str, str] = {
    "interpolated_precision": "recall_level",
    "rbp": "persistence",
}

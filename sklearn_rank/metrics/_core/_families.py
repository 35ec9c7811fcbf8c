"""The files of the metrics, by which a metric is loaded when it is first used."""

# The public functions of each file. Each has them in its `__all__`, too.
FAMILIES = {
    "_auc": "roc_auc_per_query_score",
    "_aurc": "aurc_score",
    "_categories": (
        "calibration_at_k_score category_coverage_at_k_score category_entropy_at_k_score"
    ),
    "_coverage": (
        "coverage_at_k_score entropy_at_k_score exposure_gini_at_k_score "
        "gini_at_k_score personalization_at_k_score user_coverage_at_k_score"
    ),
    "_cumulative_gain": "cg_score dcg_score ndcg_score",
    "_diversity": (
        "intra_list_distance_at_k_score novel_share_at_k_score serendipity_at_k_score "
        "unexpectedness_at_k_score"
    ),
    "_fair_exposure": (
        "awrf_at_k_score expected_exposure_disparity_score expected_exposure_loss_score "
        "expected_exposure_relevance_score max_skew_at_k_score min_skew_at_k_score "
        "ndkl_score"
    ),
    "_incomplete_judgments": (
        "bpref_score inferred_average_precision_score judged_at_k_score"
    ),
    "_insq_inst": "insq_score inst_score",
    "_intent_aware": (
        "alpha_dcg_score alpha_ndcg_score err_ia_score map_ia_score nrbp_score "
        "precision_ia_at_k_score subtopic_recall_at_k_score"
    ),
    "_interpolated_precision": "eleven_point_precision_score interpolated_precision_score",
    "_mean_value": "mean_value_at_k_score",
    "_popularity": (
        "efd_at_k_score epc_at_k_score long_tail_at_k_score novelty_at_k_score "
        "popularity_at_k_score popularity_lift_at_k_score "
        "popularity_percentile_at_k_score"
    ),
    "_precision_recall": (
        "accuracy_at_k_score f1_at_k_score fallout_at_k_score hit_rate_at_k_score "
        "pooled_recall_at_k_score precision_at_k_score r_precision_score "
        "recall_at_k_score relative_precision_at_k_score set_average_precision_score"
    ),
    "_propensity": (
        "ips_hit_rate_at_k_score ips_ndcg_score ips_recall_at_k_score label_propensity "
        "propensity_scored_ndcg_at_k_score propensity_scored_precision_at_k_score"
    ),
    "_q_measure": "q_measure_score",
    "_rank_biased_precision": (
        "expected_reciprocal_rank_score rank_biased_precision_residual "
        "rank_biased_precision_score"
    ),
    "_rating_errors": "",
    "_reciprocal_rank_map": (
        "mean_average_precision_score mean_rank_score mean_reciprocal_rank_score"
    ),
}

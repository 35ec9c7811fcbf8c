"""Names that people of other libraries type, by what they mean here.

Each entry is a public name with its module, a colon, and the guesses. A name may have
parameters that its guesses imply. Guesses count without capitals, underscores and endings.
An entry without guesses is a name that a guess for another one would hide.
"""

NAMES = """\
inputs.from_item_lists: from_dicts from_dict from_lists from_list from_id_lists from_ids
    from_sets from_mapping from_mappings from_ranx from_pytrec_eval from_predictions
    from_recommendations from_rankings from_hits from_results read_dicts qrels run from_json
    from_users item_lists ItemList ItemListCollection from_lenskit
    InformationRetrievalEvaluator
inputs.from_trec: read_qrels read_run read_trec load_qrels load_run load_trec
    read_trec_qrels read_trec_run from_trec_files from_files from_file from_qrels parse_qrel
    parse_run from_beir read_beir load_beir from_ir_datasets parse_trec_run qrels_from_file
inputs.to_trec: write_run write_trec save_run save_trec write_trec_run to_run to_trec_run
    dump_run write_runs export_run
inputs.from_frames: from_frame from_dataframe from_dataframes from_df from_dfs from_pandas
    from_polars from_table from_tables from_rectools from_arrow from_duckdb from_columns
    from_interactions
inputs.from_relevance: from_relevances from_grades from_labels from_relevance_lists
    from_binary from_gains from_ranked_labels
inputs.from_runs: from_run read_runs load_runs merge_runs
inputs.make_pool: pool build_pool depth_pool pooling pool_runs create_pool
inputs.fill_unjudged: condensed condensed_lists drop_unjudged remove_unjudged unjudged
inputs.from_ratings: aggregate_ratings majority_vote combine_ratings combine_raters
    consensus

metrics.ranking_scores: evaluate evaluate_ranking evaluate_rankings evaluate_run
    evaluate_runs score compute_metrics calc_metrics calc_aggregate RelevanceEvaluator
    rank_eval metric_scores evaluate_lists ranking_metrics_at_k evaluate_metrics evaluator
    RunAnalysis evaluate_recommendations score_ranking
metrics.per_query_scores: iter_calc scores_per_query query_scores user_scores
    evaluate_per_query PerUserScores
metrics.ranking_report: report retrieval_report recommendation_report metrics_report
    metric_report
metrics.make_ranking_scorer: get_scorer make_group_scorer ndcg_scorer make_ranker_scorer
    grouped_scorer make_ltr_scorer RankingScorer
metrics.make_recommender_scorer: make_recommendation_scorer recommendation_scorer
    RecommenderScorer make_rec_scorer
metrics.explain_difference: explain_diff why_different explain explain_differences
    diff_metrics
metrics.sampled_ranking_scores: sampled_scores sampled_metrics sampled_ndcg sampled_hit_rate
    uni100 negative_sampling sample_negatives negative_samples sampled_evaluation
metrics.rank_biased_overlap_score: rbo rbo_ext
metrics.ap_correlation_score: tau_ap_score rank_correlation
metrics.ranking_similarity: overlap compare_rankings list_similarity jaccard_at_k
metrics.Catalogue: Catalog ItemCatalog ItemCatalogue
metrics.precision_recall_at_k_curve: pr_curve
metrics.mean_average_precision_score: label_ranking_average_precision
metrics.mean_average_precision_score(denominator='retrieved'): context_precision
metrics.recall_at_k_score: context_recall
metrics.hit_rate_at_k_score: top_k_accuracy hitratio hits_at_k hit_at_k
metrics.intra_list_distance_at_k_score: diversity_at_k intra_list_similarity ils
metrics.unjudged_bounds: judgment_bounds holes
metrics.MetricAtKDisplay: plot_metric_at_k MetricCurveDisplay

model_selection.TimeSplit: TimeHoldout TimeSeriesSplit TemporalHoldout TimeRangeSplitter
    TimeSplitter ChronologicalSplit temporal_split chrono_split python_chrono_split
    TimeBasedSplit split_global_time TimeKFold TemporalSplitter DateSplit TimeRangeSplit
    global_time_split TimeCutoffSplit
model_selection.LeaveLastOut: LeaveOneLastOut LeaveLastOneOut LastNSplitter LeaveKOut
    LeaveNOut LeaveLastNOut LeaveLastKOut LeaveOneLastItem leave_one_out leave_k_out_split
    LastN LastSplit LastItemSplit LeaveLast leave_one_last
model_selection.LeaveRandomOut: LeaveRandomNOut RandomSplitter RandomHoldout
    python_random_split SampleN SampleFrac random_train_test_split
model_selection.UserKFold: UserSplit UserHoldOut GroupUserKFold KFoldUsers crossfold_users
    StrongGeneralization ColdStartSplit sample_users QueryKFold UserFold KFoldSplitter
    GroupKFold QuerySplit
model_selection.UserTimeSplit: UserTemporalSplit TimeUserSplit
model_selection.train_valid_test_split: train_test_split split_train_test
    train_val_test_split train_validation_test_split RatioSplit python_stratified_split
model_selection.k_core: k_core_filter filter_k_core min_rating_filter core_filter
model_selection.cross_validate_per_query: cross_validate cross_val_per_query
    cross_val_scores
model_selection.describe_split: split_report check_split split_summary split_description
model_selection.Last: LastShare HoldoutLast

recommenders.ItemNeighborsRecommender: ItemBasedCF ItemCF ItemItemRecommender
    CosineRecommender TFIDFRecommender BM25Recommender ItemKNNScorer ItemNN
    NeighborsRecommender KNNBasic SessionNeighbors SessionKNN SKNN VSKNN NearestNeighbors
    ItemNeighbor NeighborhoodRecommender SAR ItemSimilarity KNN ItemNeighbours
    SessionRecommender
recommenders.UserNeighborsRecommender: UserBasedCF UserCF UserKNNScorer UserNN
    UserNeighbours
recommenders.EASERecommender: EASER
recommenders.SLIMRecommender: SLIMElastic
recommenders.ImplicitRecommender: ALSRecommender AlternatingLeastSquares BPRRecommender
    ImplicitALSWrapperModel WRMF IALS BayesianPersonalizedRanking
    LogisticMatrixFactorization ImplicitMF LMF
recommenders.MatrixFactorizationRecommender: MF SVDRecommender NMFRecommender PureSVDModel
    TruncatedSVDRecommender FunkSVD LatentFactors FactorizationRecommender
    MatrixFactorisation SVDpp PMF BiasedMF
recommenders.FactorsRecommender: EmbeddingRecommender EmbeddingsRecommender
    VectorRecommender FactorRecommender TwoTowerRecommender DotProductRecommender
recommenders.PopularityRecommender: PopularityBaseline MostPop TopPop Pop PopularRecommender
    MostPopularRecommender TopPopular TrendingRecommender
recommenders.RepeatRecommender: NextBasket TIFUKNN RepeatPurchase BuyAgain
    PersonalPopularity PersonalTop PersonalTopFrequency RepeatBuy UPCF
recommenders.TwoStageRecommender: CandidateRanker RetrieveAndRank CandidateGenerator
    RankedCandidates Pipeline
recommenders.RerankingRecommender: Reranker MMRReranker mmr_rerank mmr
    maximal_marginal_relevance Diversifier diversify rerank XQuAD CalibratedRecommender
    calibrated_rerank rerank_mmr mmr_reranking
recommenders.RecommenderMixin: BaseRecommender Recommender RecommenderBase
    AbstractRecommender BaseRecommenderMixin
recommenders.load_model: read_model
recommenders.save_model: dump_model write_model
recommenders.Explanation: explain_recommendation

rankers.GroupRanker: LGBMRanker XGBRanker CatBoostRanker LambdaMART RankingWrapper
    RankerWrapper PointwiseRanker LTRRanker QueryRanker GroupedRanker LambdaRank
    RankingEstimator LearningToRank
rankers.PairwiseRanker: RankSVM RankNet SVMRank PairwiseClassifier RankingSVM
rankers.RankFusion: RRF ReciprocalRankFusion fuse fuse_runs combmnz CombSUM weighted_sum
    Fusion HybridRanker weighted_fusion fuse_rankings linear_combination optimize_fusion
    BordaCount condorcet isr
rankers.QueryFeatures: GroupFeatures QueryNormalizer GroupScaler QueryScaler
    QueryStandardScaler
rankers.boosting_metric: lightgbm_metric xgboost_metric lgbm_metric feval eval_metric
    lgb_metric as_lightgbm_metric

statistics.compare_models: compare_systems compare_many compare_runs significance_test
    paired_test paired_t_test ttest ttest_rel permutation_test randomization_test
    fisher_randomization wilcoxon bootstrap_test sign_test student_test compare_rankers
    compare_recommenders significance paired_bootstrap_test tukey_hsd model_comparison
    compare_scores holm multiple_comparisons multipletests bonferroni
statistics.compare_models(margin=...): noninferiority equivalence_test tost gate
    regression_gate
statistics.compare_candidates: compare_search compare_grid compare_cv_results
statistics.confidence_interval: bootstrap_ci bootstrap ci bootstrap_interval mean_ci
    bootstrap_mean confidence_intervals bca mean_interval bootstrap_confidence_interval
    standard_error
statistics.sample_size: power power_analysis n_queries_needed required_sample_size
    sample_size_power queries_needed required_queries tt_ind_solve_power n_needed
statistics.detectable_difference: mde minimum_detectable_effect minimal_detectable_effect
    detectable_effect minimum_detectable_difference
statistics.judge_assisted_mean: prediction_powered ppi ppi_mean prediction_powered_inference
    llm_judge_mean
statistics.rater_agreement: agreement interrater_agreement inter_annotator_agreement
    annotator_agreement judge_agreement

online.compare_variants: ABTest cuped compare_ab ab_compare compare_groups two_sample_test
    welch welch_test compare_arms experiment_test compare_variant ratio_metric_test
    delta_method compare_treatments ttest_ind ab_testing
online.compare_variant_sums: compare_counts compare_proportions proportions_ztest
    compare_variant_counts ab_test_from_stats compare_rates proportion_test
online.sample_ratio_test: srm srm_test sample_ratio_mismatch check_srm sample_ratio
    srm_check sample_ratio_mismatch_test
online.off_policy_value: ips_score snips_score ope ips_estimate inverse_propensity_score
    inverse_propensity_weighting off_policy counterfactual_value ips_value doubly_robust
    direct_method snips_estimate policy_value OffPolicyEvaluation dr
    InverseProbabilityWeighting SelfNormalizedIPS off_policy_estimate
online.propensities_from_swaps: estimate_propensities position_bias propensities propensity
    examination_propensities estimate_propensity swap_propensities
online.team_draft_interleave: TeamDraft interleave interleaving balanced_interleaving
    TeamDraftInterleaving interleave_team_draft multileave
online.interleaving_test: interleaving_score interleaving_result interleaving_preference
    compare_interleaved

experiments.tune_models: search_models autotune automl grid_search GridSearchCV
    RandomizedSearchCV tune_recommenders tune_recommender HalvingGridSearchCV run_recbole
experiments.evaluate_models: evaluate evaluate_model evaluate_recommenders
    evaluate_recommender run_experiment Experiment benchmark run_experiments leaderboard
    compare_evaluations evaluate_all evaluate_rankers
experiments.default_models: baselines models default_recommenders all_models

distributed.UserLists: recommend_batch batch_recommend batch
distributed.QueryScorer: duckdb_scores polars_scores dask_scores spark_scores ray_scores
    score_partitions DistributedScorer GroupScorer PartitionScorer stream_scores
distributed.summarize: summarise aggregate summary reduce combine merge collect
distributed.as_per_query_scores: to_per_query_scores collect_scores

datasets.make_interactions: load_movielens fetch_movielens make_log load_interactions
    make_dataset make_recommendation make_ratings fetch_movielens_100k movielens
    make_implicit
datasets.make_ranking: make_ltr make_queries load_mslr make_ranking_data make_search
    make_letor
datasets.make_click_log: make_clicks simulate_clicks make_impressions

exceptions.MisleadingScoreWarning: MisleadingWarning SuspiciousScoreWarning
exceptions.IncomparableIdsError: IncomparableIds IdError

metrics.PerQueryScores:
metrics.ndcg_score:
metrics.overlap_at_k_score:
metrics.popularity_at_k_score:
model_selection.Random:
model_selection.SplitDescription:
online.InterleavingResult:
statistics.ModelComparison:
statistics.RaterAgreement:
typing.ItemLists:
typing.Metric:
typing.Metrics:
"""

# Modules that were guessed: the public names that were probably wanted there.
MODULES = """\
statistics.compare_models statistics.confidence_interval statistics.sample_size: stats stat
    statistic significance testing comparison compare comparisons tests power
distributed.QueryScorer distributed.UserLists distributed.summarize: engines engine dask
    spark ray duckdb polars pandas arrow out_of_core streaming parallel big_data partitions
inputs.make_pool inputs.from_ratings statistics.rater_agreement
    statistics.krippendorff_alpha_score: judgments judgements judging judges annotation
    raters rating agreement pooling llm_judge
online.off_policy_value online.propensities_from_swaps: off_policy ope counterfactual
    offpolicy
online.team_draft_interleave online.interleaving_test: interleaving interleave
online.compare_variants online.compare_variant_sums online.sample_ratio_test: ab abtest
    ab_test ab_testing ab_tests experimentation causal cuped
rankers.RankFusion rankers.GroupRanker: fusion fuse hybrid ensemble
recommenders.RerankingRecommender recommenders.TwoStageRecommender: rerank reranking
    rerankers diversify
inputs.to_trec inputs.from_trec inputs.from_frames inputs.from_item_lists: io trec outputs
    output readers reader loaders input formats convert conversion qrels run runs
recommenders.RecommenderMixin recommenders.PopularityRecommender: base
model_selection.TimeSplit model_selection.LeaveLastOut model_selection.UserKFold
    model_selection.train_valid_test_split: splitters splitter split splits splitting
    cross_validation selection validation sampling
recommenders.ItemNeighborsRecommender recommenders.EASERecommender
    recommenders.PopularityRecommender: models model recommender recommend recsys baselines
    algorithms
rankers.GroupRanker rankers.PairwiseRanker rankers.RankFusion: ranker ranking ltr
    learning_to_rank estimators wrappers lightgbm xgboost catboost
metrics.ranking_scores metrics.ndcg_score metrics.make_ranking_scorer: metric measures
    measure scorers scorer scoring score evaluation evaluate eval
metrics.MetricAtKDisplay metrics.PerQueryDisplay metrics.PrecisionRecallAtKDisplay: plot
    plots plotting display displays viz visualization inspection
experiments.tune_models experiments.evaluate_models: experiment tuning tune search automl
    benchmark benchmarks
datasets.make_interactions datasets.make_ranking datasets.make_click_log: data dataset
exceptions.MisleadingScoreWarning exceptions.IncomparableIdsError: errors warnings
metrics.explain_difference metrics.conventions: explain debug diagnose
"""

# What other packages have, and what nobody has here.
ELSEWHERE = {
    "Kendall's tau is a function of scipy: from scipy.stats import kendalltau. With weight "
    "on the top: from sklearn_rank.metrics import ap_correlation_score, "
    "rank_biased_overlap_score": "kendall_tau kendalltau spearman spearmanr",
    "Cohen's kappa is a function of scikit-learn: from sklearn.metrics import "
    "cohen_kappa_score. With an interval, for any number of raters: from "
    "sklearn_rank.statistics import rater_agreement": "cohen_kappa kappa weighted_kappa "
    "quadratic_kappa quadratic_weighted_kappa",
    "It is a class of scikit-learn: from sklearn.exceptions import "
    "UndefinedMetricWarning": "UndefinedMetricWarning",
    "It is a class of scikit-learn: from sklearn.exceptions import "
    "NotFittedError": "NotFittedError",
    "There are no neural models here. tune_models and evaluate_models take any object with "
    "fit and recommend. For the factors of a model: from sklearn_rank.recommenders import "
    "FactorsRecommender": "SASRec BERT4Rec GRU4Rec LightGCN NeuMF MultiVAE NCF LightFM "
    "DSSM HSTU SASRecModel BERT4RecModel LightFMWrapperModel DSSMModel",
    "There is no random baseline; ndcg of a constant score is that of random order. The "
    "baseline here: from sklearn_rank.recommenders import "
    "PopularityRecommender": "RandomRecommender RandomModel",
}

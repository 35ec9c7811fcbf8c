"""The paragraphs that several docstrings of `sklearn_rank.metrics` have in common.

`TABLE` has them by section and by name. If a name has several meanings, each pattern of
qualified names has its own paragraph; the first matching pattern counts. A pattern in
brackets matches the functions of metrics that declare it. A function without a matching
pattern has its own text.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase

from sklearn_rank.metrics._core._known_items import POPULARITY_BY_COUNT, CataloguePart
from sklearn_rank.metrics._core._metric import BoundMetric, Metric, check_rewards_abstention
from sklearn_rank.metrics._core._registry import METRICS

__all__ = ["TABLE", "Paragraph", "Table", "required", "shared_paragraph"]


@dataclass(frozen=True)
class Paragraph:
    """The type after the colon, and the sentences below.

    ``{default}`` stands for the default in the signature, and ``{class}`` for the class of
    a method. With `may_go_on` a docstring may add its own errors: "; and if ...".
    """

    kind: str
    text: str
    may_go_on: bool = False


Patterns = dict[str, Paragraph]
Table = dict[str, dict[str, Patterns]]

METRIC = "*_score *_residual *_curve"
SEVERAL = "ranking_scores per_query_scores ranking_report sampled_*_scores unjudged_bounds"
PREDICTIONS = "*Display.from_predictions"
ESTIMATOR = "*Display.from_estimator"
FOLDS = "*Display.from_cv_results"
MAKER = "*Display.from_*"
PLOT = "*Display.plot"
OF_SEGMENTS = "MetricBySegmentDisplay.from_*"
# The displays of curves with a band.
CURVES = "MetricAtKDisplay* PrecisionRecallAtKDisplay*"
# Brackets hold facts that metrics declare: see `DECLARED`.
# The metrics of shown items, whether it is relevant or not.
SHOWN = "<shown>"
# The metrics that take unjudged rows.
TAKES_NAN = "<takes-nan>"
# Those that take the popularity of items by interactions, or history, features and
# popularity for some of their parameters alone.
OF_INTERACTIONS = "<of-interactions>"
OF_SOME_PARAMETERS = "<of-some-parameters>"
# Those without a known best order of tied rows.
UNORDERED = "<unordered>"
# Those that cannot reward an empty list where nothing is relevant.
UNREWARDED = "<unrewarded>"

# The ratios of two sums over queries.
RATIOS = (
    "pooled_recall_at_k_score propensity_scored_ndcg_at_k_score "
    "propensity_scored_precision_at_k_score"
)
# One number of all lists together, or of each list, in which relevance does not count.
OF_SYSTEM = "<of-system>"
# How alike two lists of each user are.
OF_TWO_LISTS = (
    "footrule_at_k_score overlap_at_k_score rank_biased_overlap_score ranking_similarity"
)
OF_SUBTOPICS = "<subtopics>"
OF_GROUPS = "<item_groups>"
EXPOSURE = "expected_exposure_*_score expected_exposure group_exposure"
# The metrics in which relevance does not count at all.
OF_SHOWN = "<of-shown>"

_UNDEFINED = (
    'Value of a query for which the metric is undefined. "warn" leaves it out of the mean '
    "with an ``UndefinedMetricWarning``, NaN without one."
)
_ABSTAINED = (
    'With "abstained" a query without relevant rows has 1 if nothing was retrieved, else 0.'
)
_ROWS_OR_TABLE = "of shape (n_rows,) or (n_queries, n_items)"
_ROWS_OR_QUERIES = "array-like of shape (n_rows,) or (n_queries,), default={default}"
_TABLE_OF_X = "array-like, sparse matrix or DataFrame of shape (n_rows, n_columns)"
_SEVERAL_METRICS = "str, callable or sequence of these, default={default}"
_TIES_OF_LISTS = '{"average", "corrected", "equal"}'
_TIES = '{"average", "worst", "best", "first"}, default={default}'


def _rows(text: str) -> Paragraph:
    return Paragraph("{array-like, sparse matrix} " + _ROWS_OR_TABLE, text)


def _with_default(kind: str, text: str) -> Paragraph:
    return Paragraph(kind + ", default={default}", text)


INPUT: dict[str, Patterns] = {
    "y_true": {
        "explain_difference": Paragraph(
            "array-like of shape (n_rows,) or (n_queries, n_items), or mapping",
            "Relevance grades, 0 or more; above 0 is relevant. In 2-D a row is a query. Or "
            "the relevant items of each query, as in "
            ":func:`sklearn_rank.inputs.from_item_lists`.",
        ),
        OF_SUBTOPICS: Paragraph(
            "{array-like, sparse matrix} of shape (n_rows, n_subtopics) or (n_rows,)",
            "Relevance of each row to each subtopic, 0 or more; above 0 is relevant. Or "
            "the relevance to the query, with ``subtopics`` given.",
        ),
        TAKES_NAN: _rows(
            "Grades, 0 or more; above 0 is relevant, NaN is unjudged. In 2-D a row is a "
            "query."
        ),
        f"{OF_SHOWN} group_exposure": _rows(
            "Relevance grades, which have no effect. In 2-D a row is a query."
        ),
        "unjudged_bounds": Paragraph(
            f"array-like {_ROWS_OR_TABLE}",
            "Grades, 0 or more; above 0 is relevant. NaN is unjudged, and so is -0.0, "
            "with which functions such as :func:`from_item_lists` mark items without a "
            "judgment.",
        ),
        "expected_exposure": Paragraph(
            "array-like of shape (n_rows,)",
            "Relevance grades, 0 or more; an item has the same grade in all rankings.",
        ),
        "*": _rows(
            "Relevance grades, 0 or more; above 0 is relevant. In 2-D a row is a query."
        ),
    },
    "y_score": {
        "explain_difference": Paragraph(
            "array-like of shape (n_rows,) or (n_queries, n_items), or mapping",
            "Scores, the highest first; ``-inf`` is not retrieved. Or the list of each "
            "query, best first or with scores; it may name an item twice.",
        ),
        f"{OF_SUBTOPICS} expected_exposure": Paragraph(
            "array-like of shape (n_rows,)",
            "Scores, the highest first; ``-inf`` is not retrieved.",
        ),
        "unjudged_bounds": Paragraph(
            f"array-like {_ROWS_OR_TABLE}",
            "Scores, the highest first; ``-inf`` is not retrieved.",
        ),
        PREDICTIONS: _rows(
            "Scores, the highest first; ``-inf``, or not stored if sparse, is not "
            "retrieved. A mapping of names to scores draws several models on one axis."
        ),
        "*": _rows(
            "Scores, the highest first; ``-inf``, or not stored if sparse, is not "
            "retrieved."
        ),
    },
    "subtopics": {
        "*": _with_default(
            "{array-like, sparse matrix} of shape (n_rows, n_subtopics)",
            "Relevance to each subtopic if ``y_true`` has one value per row, which is "
            "above 0 for rows with a subtopic. If None, the columns of ``y_true``.",
        )
    },
    "item_groups": {
        f"{OF_GROUPS} group_exposure": Paragraph(
            "array-like of shape (n_rows,), (n_items,) or with n_groups columns",
            "Group of each row's item, labels of any type, or the share of the item in "
            "each group: columns that add up to 1. In 2-D one per item.",
        )
    },
    "rounding": {
        "interpolated_* eleven_point_*": _with_default(
            '{"up", "nine_tenths", "nearest"}',
            "Rounding of ``level * R`` for R relevant items to a whole number: up; "
            "``int(level * R + 0.9)`` in floats, as in `trec_eval` 9; or to the nearest, "
            "as in `trec_eval` 10.",
        )
    },
    "target": {
        OF_GROUPS: Paragraph(
            '{"catalogue", "candidates", "relevant"} or mapping of group to share',
            "The fair shares, without a default: the shares of groups among the columns "
            "of the 2-D form, the rows of each query, or its relevant rows; or shares "
            "that add up to 1.",
        )
    },
    "a": {
        OF_TWO_LISTS: Paragraph(
            "mapping, Series or sequence over users, or array of shape (n_users, k)",
            "The list of each user: ids, best first. A tuple or set within a list holds "
            "ids that tie; in an array a tuple is an id. Or scores, the highest first, "
            "``-inf`` for items outside the list: one per row with ``groups``, or a 2-D "
            "array of floats with a column per item.",
        )
    },
    "b": {
        OF_TWO_LISTS: Paragraph(
            "mapping, Series or sequence over users, or array of shape (n_users, k)",
            "The other list of each user, in the same form. Mappings are matched by key, "
            "sequences by position, scores by row.",
        )
    },
    "groups": {
        OF_TWO_LISTS: _with_default(
            "array-like of shape (n_rows,)",
            "User or query of each row, if ``a`` and ``b`` are scores of the same rows.",
        ),
        OF_SUBTOPICS: _with_default(
            "array-like of shape (n_rows,)",
            "Query or user of each row, labels of any type. Required.",
        ),
        f"{METRIC} {SEVERAL} {PREDICTIONS}": _with_default(
            "array-like of shape (n_rows,)",
            "Query or user of each row, labels of any type. Required in 1-D, None in 2-D.",
        ),
        f"{ESTIMATOR} {FOLDS}": _with_default(
            "array-like of shape (n_rows,), str or int",
            "Query of each row, or the column of X that holds it, by name or position. "
            "If None, the columns that a ranker names. Not needed for a recommender, which "
            "has a list for each user.",
        ),
    },
    "sample_weight": {
        OF_TWO_LISTS: _with_default(
            "array-like of shape (n_users,) or (n_rows,)",
            "Weight of each user in the mean, in the order of ``a``; with ``groups`` one "
            "value per row, equal within a user.",
        ),
        OF_SYSTEM: Paragraph(
            _ROWS_OR_QUERIES,
            "Number of users that each query represents; in 1-D one value per row, equal "
            "within a query.",
        ),
        "*": Paragraph(
            _ROWS_OR_QUERIES,
            "Weight of each query in the mean; in 1-D one value per row, equal within a "
            "query.",
        ),
    },
}

CONVENTIONS: dict[str, Patterns] = {
    "k": {
        OF_TWO_LISTS: _with_default("int", "Cutoff: ranks below it do not count."),
        METRIC: _with_default(
            "int or None", "Cutoff: ranks below it do not count. None takes the whole list."
        ),
    },
    "max_k": {
        PREDICTIONS: _with_default(
            "int or None",
            "Largest cutoff. The curve ends earlier if the longest list is shorter. "
            "If None, the length of the longest list.",
        )
    },
    "min_relevance": {
        f"{METRIC} {PREDICTIONS}": _with_default(
            "float", "Lowest grade that is relevant. If None, any grade greater than 0."
        ),
        SEVERAL: _with_default(
            "float",
            "Lowest relevant grade, for metrics with this parameter. If None, any above 0.",
        ),
    },
    "ties": {
        PREDICTIONS: Paragraph(
            _TIES, "Treatment of rows with equal scores, as in the metrics."
        ),
        SHOWN: _with_default(
            '{"average", "first"}',
            "Treatment of ties: the mean over all orders, or the given order. No order "
            "is best, because relevance has no effect.",
        ),
        "rank_biased_overlap_score": _with_default(
            _TIES_OF_LISTS,
            "Treatment of tied items: the mean agreement over all orders, at each depth; "
            "this mean, normalized so that a list agrees with itself; or the same rank "
            "for all of them, as in sports.",
        ),
        "ranking_similarity": _with_default(
            _TIES_OF_LISTS,
            'Treatment of tied items in ``"rbo"``; the others take the mean over all '
            "orders.",
        ),
        "ap_correlation_score": _with_default(
            '{"a", "b"}',
            '"a" is the mean over all orders of items that tie in the estimate, and the '
            'truth has no ties. "b" takes ties in both, and is the mean of both '
            "directions: a pair that ties in the estimate of a direction is left out of "
            "it, one that ties in its truth alone counts as an error.",
        ),
        f"{UNORDERED} {EXPOSURE}": _with_default(
            '{"average", "first"}',
            "Treatment of ties: the mean over all orders, or the given order.",
        ),
        "*": Paragraph(
            _TIES,
            "Treatment of ties: the mean over all orders, lowest or highest grades "
            "first, or the given order.",
        ),
    },
    "replace_undefined_by": {
        OF_TWO_LISTS: _with_default(
            'float or "warn"',
            'Value of a user for whom the metric is undefined. "warn" leaves them out of '
            "the mean with an ``UndefinedMetricWarning``, NaN without one.",
        ),
        # Their default is NaN.
        "unjudged_bounds": _with_default(
            "float", "Value of a query for which the metric is undefined."
        ),
        "per_query_scores": _with_default(
            'float or "abstained"',
            f"Value of a query for which the metric is undefined. {_ABSTAINED}",
        ),
        "ranking_report": _with_default(
            'float or "abstained"',
            "Value of a query for which the metric is undefined. With NaN the mean "
            f"leaves out these queries, and the report counts them. {_ABSTAINED}",
        ),
        OF_SYSTEM: _with_default(
            'float or "warn"',
            'Value if the metric is undefined. "warn" returns NaN with an '
            "``UndefinedMetricWarning``, NaN without one.",
        ),
        f"*_curve sampled_* PrecisionRecallAtKDisplay* {UNREWARDED}": _with_default(
            'float or "warn"', _UNDEFINED
        ),
        "*": _with_default('float, "warn" or "abstained"', f"{_UNDEFINED} {_ABSTAINED}"),
    },
}

OF_SOME_METRICS: dict[str, Patterns] = {
    "gain": {
        "*": _with_default(
            '{"linear", "exponential", "binary"} or callable',
            "Gain of a grade g: g, or 2**g - 1, or 1 for any above 0, or a function that "
            "maps an array of grades to gains, and 0 to 0.",
        )
    },
    "discount": {
        SHOWN: _with_default(
            '{"log", "jarvelin", "reciprocal"} or callable',
            "Weight of rank i: 1 / log2(i + 1); or 1 / max(1, log2(i)); or 1 / i; or a "
            "function that maps an array of ranks to factors of 0 or more that do not "
            "increase. If None, equal weights.",
        ),
        f"exposure_gini_at_k_score awrf_at_k_score {EXPOSURE}": _with_default(
            "str or callable",
            'Attention to rank i: "log", 1 / log_2(i + 1); "jarvelin", 1 / max(1, '
            'log_2(i)); "reciprocal", 1 / i; "geometric", ``persistence`` to the power of '
            "i - 1; or a function that maps an array of ranks to factors of 0 or more that "
            "do not increase.",
        ),
        "*": _with_default(
            '{"log", "jarvelin", "reciprocal"} or callable',
            "Factor of rank i: 1 / log_b(i + 1); or 1 / max(1, log_b(i)), which leaves "
            "ranks 1 to b undiscounted; or 1 / i; or a function that maps an array of "
            "ranks to factors of 0 or more that do not increase.",
        ),
    },
    "alpha": {
        OF_SUBTOPICS: _with_default(
            "float",
            "Share of a subtopic's value lost with each document that has it, from 0 to "
            "1. With 0, repetitions count in full.",
        )
    },
    "normalize": {
        "err_ia_score nrbp_score": _with_default(
            '{"subtopics", "collection"}',
            "Denominator: the value of a list whose documents have all subtopics of the "
            "query, or that of the ideal list of its documents.",
        )
    },
    "log_base": {
        "*": _with_default(
            "float", "Base b of the logarithm in ``discount``, greater than 1."
        )
    },
    "max_grade": {
        "*": _with_default(
            "float", "Highest possible grade. If None, the highest in ``y_true``."
        )
    },
    "desired_gain": {
        "*": _with_default(
            "float",
            "Gain T that the user hopes for, in items of the highest grade; 0.5 or more.",
        )
    },
    "persistence": {
        f"exposure_gini_at_k_score awrf_at_k_score {EXPOSURE}": _with_default(
            "float",
            'Probability of going on to the next item, with ``discount="geometric"``.',
        ),
        "*": _with_default(
            "float", "Probability p of going on to the next item, between 0 and 1."
        ),
    },
    "propensity": {
        "*": Paragraph(
            "array-like of shape (n_rows,), (n_items,) or (n_queries, n_items)",
            "Probability, above 0 and up to 1, that a relevant row of this kind is "
            "observed as relevant. In the 1-D form one value per row; in the 2-D form "
            "one per item, or one per cell in the shape of ``y_true``.",
        )
    },
    "clip": {
        "*": _with_default(
            "float",
            "Lower bound: smaller propensities are raised to it, which limits the "
            "weights to its inverse and trades a small bias for much variance. If None, no "
            "bound.",
        )
    },
}

OF_SEVERAL: dict[str, Patterns] = {
    "metrics": {
        "ranking_scores per_query_scores": Paragraph(
            _SEVERAL_METRICS,
            'Names such as ``"map"``, ``"ndcg@10"``, ``"ndcg(gain=\'exponential\')@10"``; '
            'functions of this module, with their defaults; ``"mae"``, ``"mse"``, '
            '``"rmse"`` for errors of ratings over all rows. Case is ignored, and common '
            'aliases work, such as ``"P@5"``, ``"hr@10"``, ``"recip_rank"``; results have '
            "the name that was asked for, or that of a mapping ``{name: metric}``. Your "
            "own function ``f(y_true, y_score)`` is called for each query "
            "(:func:`make_metric`).",
        ),
        "sampled_* unjudged_bounds": Paragraph(
            _SEVERAL_METRICS,
            'Names such as ``"hit_rate@10"``, ``"mrr"``, ``"ndcg@10"``; functions of this '
            "module, with their defaults.",
        ),
    },
    "convention": {
        f"ranking_report {PREDICTIONS}": _with_default(
            "str", "A library whose definitions to follow, as in :func:`ranking_scores`."
        )
    },
    "**columns": {
        "per_query_scores ranking_report": Paragraph(
            "array-like",
            "Values aligned with rows that metrics need, as in :func:`ranking_scores`.",
        )
    },
    "n_negatives": {
        "*": Paragraph(
            "int",
            "Number of irrelevant items sampled for each query, uniformly and without "
            "replacement.",
        )
    },
    "n_items": {
        "serendipity_at_k_score": _with_default(
            "int", "Number of items that could be shown. If None, the catalogue's size."
        ),
        OF_SYSTEM: _with_default(
            "int",
            "Number of items in the catalogue, shown or not. In 2-D, None is the number of "
            "columns.",
        ),
        "*_score": _with_default(
            "int",
            "Size of the catalogue, if lists do not have all items: items without a row "
            "tie below all others. If None, the rows of each query are all its items.",
        ),
        "*": Paragraph(
            "int",
            "Number of items that a full evaluation would rank for each query, including "
            "the relevant one: more than ``n_negatives``.",
        ),
    },
    "gamma": {
        "*": _with_default(
            "float",
            'Weight of the variance in ``estimator="bias_variance"``, above 0 and up to 1.',
        )
    },
}

_BY_ID = "by id, or a value for each column in 2-D, for each row in 1-D"
_OF_USERS = (
    "Items of each user in the training data: a mapping of each user to ids or, in 2-D, a "
    "matrix whose nonzero entries count."
)
_USERS_BY_ITEMS = "mapping or {array-like, sparse matrix}"

OF_SHOWN_ITEMS: dict[str, Patterns] = {
    "items": {
        "expected_exposure": _with_default(
            "array-like of shape (n_rows,)",
            "Id of each row's item, to match items between the rankings of a query. "
            "Required with draws.",
        ),
        OF_SYSTEM: _with_default(
            "array-like of shape (n_rows,) or (n_items,)",
            "Id of each row's item, as ``from_item_lists(..., return_items=True)`` "
            "returns it; in 2-D one per column. If None, the index of the column.",
        ),
        SHOWN: _with_default(
            "array-like of shape (n_rows,) or (n_items,)",
            "Id of each row's item, in 2-D of each column's. If None, values of items are "
            "given for each column in 2-D, for each row in 1-D.",
        ),
        PREDICTIONS: _with_default(
            "array-like of shape (n_rows,) or (n_items,)",
            "Id of each row's item, in 2-D of each column's, for metrics of shown items.",
        ),
    },
    "popularity": {
        OF_INTERACTIONS: Paragraph(
            "mapping, Series or array-like of shape (n_items,) or (n_rows,)",
            f"Number of interactions of each item in the training data: {_BY_ID}. Missing "
            "items have 0.",
        ),
        OF_SOME_PARAMETERS: _with_default(
            "mapping, Series or array-like",
            f"Number of interactions of each item in the training data: {_BY_ID}. For "
            '``unexpected="popularity_rank"``.',
        ),
        SHOWN: Paragraph(
            "mapping, Series or array-like of shape (n_items,) or (n_rows,)",
            f"Number of users of each item in the training data: {_BY_ID}. Missing items "
            "have 0.",
        ),
    },
    "count": {
        SHOWN: _with_default(
            '{"users", "interactions"}',
            "Whether the users or the interactions of an item are counted. A catalogue "
            "has both; ``popularity`` holds the chosen one.",
        )
    },
    "n_users": {
        SHOWN: _with_default(
            "int", "Number of users in the training data, if users are counted."
        )
    },
    "history": {
        OF_SOME_PARAMETERS: _with_default(
            _USERS_BY_ITEMS,
            f"{_OF_USERS} For options that compare items by their users, or with the "
            "items of the user.",
        ),
        SHOWN: Paragraph(f"{_USERS_BY_ITEMS} of shape (n_queries, n_items)", _OF_USERS),
    },
    "features": {
        OF_SOME_PARAMETERS: _with_default(
            "mapping, DataFrame or {array-like, sparse matrix}",
            "Features of each item: by id, or a row for each column in 2-D, for each row "
            "in 1-D. For options that compare items by their features.",
        )
    },
    "categories": {
        SHOWN: Paragraph(
            "mapping, Series or {array-like, sparse matrix}",
            "Category of each item or a list of several: by id, or one for each column "
            "in 2-D, for each row in 1-D; or a matrix of weights, a row per item.",
        )
    },
    "catalogue": {
        SEVERAL: _with_default(
            "Catalogue",
            "Data about items and users, for metrics of shown items, such as "
            '``"novelty@10"``.',
        ),
        PREDICTIONS: _with_default(
            "Catalogue",
            "Data about items and users, for metrics of shown items. "
            ":meth:`from_estimator` takes it from the fitted recommender.",
        ),
    },
}

OF_DISPLAYS: dict[str, Patterns] = {
    "estimator": {
        ESTIMATOR: Paragraph(
            "object",
            "A fitted ranker, classifier or regressor, or a recommender; or a pipeline or "
            "search with one.",
        )
    },
    "cv_results": {
        "*": Paragraph(
            "dict",
            "From `sklearn.model_selection.cross_validate`, with ``return_estimator=True`` "
            "and ``return_indices=True``.",
        )
    },
    "X": {
        FOLDS: Paragraph(_TABLE_OF_X, "The rows that were split."),
        ESTIMATOR: Paragraph(
            _TABLE_OF_X, "Rows to rank; for a recommender the held-out interactions."
        ),
    },
    "y": {
        MAKER: _with_default(
            "array-like of shape (n_rows,)",
            "Relevance of each row. If None, 1 for each row of a recommender.",
        )
    },
    "user, item": {
        f"{ESTIMATOR} {FOLDS}": Paragraph(
            "str or int, default=None",
            "Columns of X with the users and items of a recommender. If None, the columns "
            "used in its ``fit``, as in :func:`make_recommender_scorer`.",
        )
    },
    "metric": {
        "*RiskCoverage*.from_* risk_coverage_curve": _with_default(
            "str", "Metric from 0 to 1 of an answered query."
        ),
        PREDICTIONS: _with_default(
            "str or callable", "The metric: a name, or a function of this module."
        ),
        "PerQueryDisplay.from_scores MetricBySegmentDisplay.from_scores": _with_default(
            "str", "Name of the metric in ``found``. If None, the only one."
        ),
        "PerQueryDisplay": Paragraph("str", "Name of the metric."),
        "MetricBySegmentDisplay RanksDisplay": _with_default("str", "Name of the metric."),
    },
    "n_queries": {CURVES: _with_default("int", "Number of queries behind the means.")},
    "n_clusters": {
        "*": _with_default(
            "float",
            "Equivalent number of equal clusters for the standard errors: their degrees "
            "of freedom plus 1. If None, each query is a cluster.",
        )
    },
    "name": {
        "make_metric": _with_default(
            "str",
            'Name of the metric in results, such as ``"revenue@3"``. If None, that of the '
            "function.",
        ),
        PLOT: _with_default(
            "str", "Name of the model in the legend. If None, the one given before."
        ),
        f"{ESTIMATOR} {FOLDS}": _with_default(
            "str",
            "Name of the model in the legend. If None, the name of the estimator's class.",
        ),
        "*": _with_default("str", "Name of the model in the legend."),
    },
    "baseline_name": {"*": _with_default("str", "Name of the other model.")},
    "ax": {
        "*": _with_default("matplotlib Axes", "Axes to draw on; None makes a new figure.")
    },
    "confidence_level": {
        PLOT: _with_default(
            "float", "Confidence level of the interval of the mean; None draws none."
        )
    },
    "line_kw": {CURVES: _with_default("dict", "Keywords for matplotlib's `plot`.")},
    "band_kw": {"*": _with_default("dict", "Keywords for matplotlib's `fill_between`.")},
    "**parameters": {
        ESTIMATOR: Paragraph("dict", "Further parameters of :meth:`from_predictions`."),
        FOLDS: Paragraph(
            "dict",
            "Further parameters of :meth:`from_predictions`, except ``sample_weight`` and "
            "``confidence``.",
        ),
    },
    "**plot_kw": {"*": Paragraph("dict", "Further keywords of :meth:`plot`.")},
}

RETURNS: dict[str, Patterns] = {
    "score": {
        OF_SYSTEM: Paragraph(
            "float", "One number for all lists together; NaN if undefined."
        ),
        RATIOS: Paragraph(
            "float", "Ratio of two sums over the queries; NaN if undefined for all of them."
        ),
        "ap_correlation_score": Paragraph(
            "float", 'From -1 to 1; NaN for "b" if all items tie in one of the two.'
        ),
        "footrule_* overlap_* rank_biased_overlap_*": Paragraph(
            "float", "Mean over the users; NaN if undefined for all of them."
        ),
        "*_score *_residual": Paragraph(
            "float", "Mean over the queries; NaN if undefined for all of them."
        ),
    },
    "scores": {
        "*per_query_scores": Paragraph(
            "PerQueryScores",
            "``groups``: the label of each query, sorted (in the 2-D form the number of "
            "each row). ``scores``: dict of metric name to an array with one value per "
            "query, NaN if the metric is undefined. ``mean()``, ``standard_error()`` and "
            "``to_frame()`` summarize them; ``difference`` compares two models.",
        ),
        "*ranking_scores": Paragraph(
            "dict of str to float", "The mean over queries of each metric, under its name."
        ),
    },
    "display": {
        PLOT: Paragraph("{class}", "Itself, with the artists."),
        f"{PREDICTIONS} {OF_SEGMENTS}": Paragraph(
            "{class}",
            "With the picture drawn. For several models, a dict of displays by name, with "
            "``ax_`` and ``figure_``.",
        ),
        f"{ESTIMATOR} {FOLDS} *Display.from_scores *Display.from_means": Paragraph(
            "{class}", "With the picture drawn."
        ),
        "PerQueryScores.plot": Paragraph("PerQueryDisplay", "With the picture drawn."),
    },
}

RAISES: dict[str, Patterns] = {
    "TypeError": {
        OF_TWO_LISTS: Paragraph(
            "",
            "If one argument is a mapping and the other a sequence, or an entry is "
            "not a list.",
        )
    },
    "ImportError": {
        f"{MAKER} {PLOT} PerQueryScores.plot": Paragraph(
            "", "If matplotlib is not installed."
        )
    },
    "NotFittedError": {ESTIMATOR: Paragraph("", "If an estimator is not fitted.")},
    "ValueError": {
        OF_TWO_LISTS: Paragraph(
            "",
            "If a list has a duplicate item, a user is missing from one of the two, or a "
            "parameter is unknown.",
        ),
        "ap_correlation_score": Paragraph(
            "",
            "If there are fewer than two items, a score is missing, the truth has ties "
            'with ``ties="a"``, or two Series have different indexes.',
        ),
        ESTIMATOR: Paragraph(
            "", "If groups are missing, or as in :meth:`from_predictions`."
        ),
        FOLDS: Paragraph(
            "",
            "If `cv_results` lacks estimators or indices, or as in :meth:`from_estimator`.",
        ),
        f"{METRIC} {SEVERAL} {PREDICTIONS} make_*_scorer": Paragraph(
            "", "For bad input, see :ref:`errors`", may_go_on=True
        ),
    },
}

TABLE: Table = {
    "Parameters": INPUT
    | CONVENTIONS
    | OF_SOME_METRICS
    | OF_SEVERAL
    | OF_SHOWN_ITEMS
    | OF_DISPLAYS,
    "Attributes": {
        "figure_": {"*Display": Paragraph("matplotlib Figure", "The figure around it.")},
        "ax_": {"*Display": Paragraph("matplotlib Axes", "Where the picture is.")},
    },
    "Returns": RETURNS,
    "Raises": RAISES,
}


def shared_paragraph(
    table: Table, section: str, name: str, function: str
) -> Paragraph | None:
    """Return what the table has for a name in the docstring of a function or class."""
    for patterns, paragraph in table.get(section, {}).get(name, {}).items():
        if any(_fits(function, pattern) for pattern in patterns.split()):
            return paragraph
    return None


def _fits(function: str, pattern: str) -> bool:
    if not pattern.startswith("<"):
        return fnmatchcase(function, pattern)
    declared = (one for one in METRICS.values() if one.function.__name__ == function)
    return any(DECLARED[pattern](metric) for metric in declared)


def _counts_no_grade(metric: Metric) -> bool:
    """Return whether what is shown counts, but neither grades nor what each row has."""
    is_of_rows = bool(metric.columns) and metric.summary.per_query
    return metric.rows == "shown" and not is_of_rows


def _is_of_shown_rows(metric: Metric) -> bool:
    return metric.rows == "shown" and not _counts_no_grade(metric)


def _refuses_abstention(metric: Metric) -> bool:
    try:
        check_rewards_abstention(BoundMetric("", metric, metric.parameters), "")
    except ValueError:
        return True
    return False


def _has_column(name: str) -> Callable[[Metric], bool]:
    return lambda metric: name in metric.column_names


DECLARED: dict[str, Callable[[Metric], bool]] = {
    SHOWN: _is_of_shown_rows,
    OF_SHOWN: _counts_no_grade,
    OF_SYSTEM: lambda metric: not metric.summary.per_query,
    OF_SUBTOPICS: _has_column("subtopics"),
    OF_GROUPS: _has_column("item_groups"),
    UNORDERED: lambda metric: not metric.has_best_order,
    UNREWARDED: _refuses_abstention,
    TAKES_NAN: lambda metric: (
        _is_of_shown_rows(metric)
        or (metric.rows == "relevant" and metric.unjudged != "refused")
    ),
    OF_INTERACTIONS: lambda metric: any(
        part.key == "counts" and part.needed is CataloguePart.needed
        for part in metric.parts
    ),
    OF_SOME_PARAMETERS: lambda metric: any(
        # Where a popularity is counted in two ways, one of the two parts is always needed.
        part.needed is not CataloguePart.needed and part.name != "n_users"
        for part in set(metric.parts) - set(POPULARITY_BY_COUNT)
    ),
}


def required(table: Table, section: str, function: str) -> list[str]:
    """Return the names that this section of a docstring must have."""
    names = table.get(section, {})
    return [name for name in names if shared_paragraph(table, section, name, function)]

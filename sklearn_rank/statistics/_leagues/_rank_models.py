"""Rank models over several data sets, with ranks that hold together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal

import numpy as np
from sklearn.utils import check_random_state

from sklearn_rank._base._labels import encode_labels
from sklearn_rank._base._messages import keep_warnings, warn_caller
from sklearn_rank._base._validation import check_given, check_level, check_option, shorten
from sklearn_rank._hints._explain import explained
from sklearn_rank.metrics._core._clusters import Clusters
from sklearn_rank.metrics._core._registry import canonical_name
from sklearn_rank.statistics._compare_models import EstimatedMetrics, estimate_metrics
from sklearn_rank.statistics._comparison_text import letters_by_model
from sklearn_rank.statistics._intervals_of_means import FEW_DF
from sklearn_rank.statistics._leagues._dataset_pairs import (
    FEWEST_FLIPPED,
    bounds_of_ranks,
    compare_pairs,
    means_by_cluster,
    ranks_of,
)
from sklearn_rank.statistics._leagues._dataset_scores import LeagueScores, read_league
from sklearn_rank.statistics._leagues._model_ranking import FEWEST_TESTED, ModelRanking
from sklearn_rank.statistics._metric_comparison import MetricComparison, Pairs
from sklearn_rank.statistics._model_comparison import ModelComparison
from sklearn_rank.statistics._options import Options
from sklearn_rank.statistics._pictures import alpha_of
from sklearn_rank.statistics._randomization import few_flips_warning
from sklearn_rank.statistics._read_scores import UNNAMED, ValuesOfModel
from sklearn_rank.statistics._result_rows import as_rows
from sklearn_rank.statistics._sums import MetricSums
from sklearn_rank.statistics._units import warn_of_mixed_units
from sklearn_rank.typing import DataFrame, RandomState

OVER = ("datasets", "queries")
TESTS = ("auto", "t", "randomization")
FAMILIES = ("all", "dataset")
# Below it there is a warning if claims are about other data sets.
FEW_DATA_SETS = 5
# Readers could not follow more letters.
MOST_LETTERS = 100


@explained
@keep_warnings
def rank_models(
    scores: Mapping[str, Mapping[str, ValuesOfModel | float] | DataFrame] | DataFrame,
    *,
    metric: str | None = None,
    over: Literal["datasets", "queries"] = "datasets",
    clusters: Mapping[str, str] | None = None,
    test: Literal["auto", "t", "randomization"] = "auto",
    missing: Literal["raise", "models", "datasets"] = "raise",
    family: Literal["all", "dataset"] = "all",
    lower_is_better: bool | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 9999,
    random_state: RandomState = None,
) -> ModelRanking:
    r"""Rank models over several data sets, with ranks that hold together.

    The mean of a model is that of its means on D data sets, each with the same weight. All
    pairs of models are compared. Model i beats model j if its mean is better and the
    p-value of their difference, corrected for all pairs, is at most 1 - confidence level.
    Among M models its rank is between

    .. math::

        1 + |\{j : j \text{ beats } i\}| \qquad \text{and} \qquad
        M - |\{j : i \text{ beats } j\}|

    With the given probability this holds for all models together [1]_. Models whose best
    possible rank is 1 are tied for first.

    Parameters
    ----------
    scores : dict or DataFrame
        For the name of each data set, two or more, what :func:`compare_models` takes: a
        dict from model to its values per query, or a DataFrame with a column per model; or
        a dict from model to its mean on the data set, one number. Or a DataFrame of such
        means: data sets as rows, their names as the index, and models as columns.
    metric : str, default=None
        Metric by which models are ranked. If None, the only one. For means it is only a
        name.
    over : {"datasets", "queries"}, default="datasets"
        What the ranks are about. "datasets": data sets like these, so the data set is the
        unit. "queries": new queries of these data sets, which needs values per query.
    clusters : dict of str to str, default=None
        The family of each data set, if data sets share effects: languages of one corpus, or
        domains. The cluster is then the unit: data sets are averaged within it first. If
        None, data sets are taken as independent.
    test : {"auto", "t", "randomization"}, default="auto"
        How all pairs are tested. "t": Student's t with Holm's correction. "randomization":
        signs of data sets are flipped for all pairs together, and p-values are by the
        largest t, step-down; only over data sets. "auto": "randomization" over eight data
        sets or more, else "t". With `clusters` these count in place of data sets.
    missing : {"raise", "models", "datasets"}, default="raise"
        What to do if a model has no score on a data set. "models" leaves out such models,
        "datasets" such data sets.
    family : {"all", "dataset"}, default="all"
        Pairs that are corrected together for the daggers in :meth:`ModelRanking.table`:
        those of all data sets, or of each one.
    lower_is_better : bool, default=None
        Whether a lower value is better. If None, what the scores say, else False.
    confidence_level : float, default=0.95
        Probability that all ranks hold together.
    n_resamples : int, default=9999
        Number of random flips. All :math:`2^{D - 1}` are tried if they are at most one
        more.
    random_state : int, RandomState instance or None, default=None
        Seed of the flips.

    Returns
    -------
    ranking : ModelRanking
        A row for each model, the best one first, as text, by ``row()`` or ``to_frame()``;
        ``pair()`` has the difference of two models, ``table()`` the means by data set.

    Raises
    ------
    ValueError
        If there are fewer than two models, data sets or clusters; if a data set has no
        cluster; if a score is missing and `missing` is "raise"; if the data sets have
        values of different metrics, or of several and `metric` is None; if
        `lower_is_better` is not what the scores say.

        With `over` "queries": if there are only means, a data set has fewer than two
        queries, or `clusters` are given.

    Warns
    -----
    UserWarning
        If there are fewer than five data sets or clusters and `over` is "datasets", and of
        two there is no verdict; if errors over
        queries have fewer than 9 degrees of freedom; if flips are too few for a significant
        p; if models are undefined for different queries.

    See Also
    --------
    compare_models : Compares models on one data set.
    ModelRankingDisplay : Draws the ranks.

    Notes
    -----
    Over data sets, with the differences :math:`d_k` of a pair and their mean
    :math:`\bar d`, t is :math:`\bar d` over the standard error of the D differences, with
    D - 1 degrees of freedom. Over queries it is

    .. math::

        SE^2 = \sum_k v_k, \qquad v_k = \frac{SE_k^2}{D^2}, \qquad
        df = \frac{(\sum_k v_k)^2}{\sum_k v_k^2 / df_k}

    where :math:`SE_k` and :math:`df_k` are those of :func:`compare_models` on data set k.

    Two or three data sets cannot show whether differences are normal, as t assumes. With
    gains and losses of about one size, two equal models are separated in .37 of simulations
    with two data sets, .25 with three and .06 with five. So of two there is no p-value, and
    no rank is ruled out.

    Data sets of one family are not independent. With three families some pair of four equal
    models was separated in .58 of simulations with 9 data sets and .86 with 20, and in .05
    with `clusters`.

    Flips assume that the differences on a new data set would be as likely with all signs
    turned, if the models were equal. Pairs are ordered by :math:`|t|`. In each flip the
    largest :math:`|t|` of a pair and of all pairs behind it counts.

    The adjusted p-value is the share of flips in which it is as large as that of the data,
    and at least the p-value of the pair before [2]_. If all differences of a pair are the
    same, and not 0, its own p-value is :math:`2^{1 - D}`.

    Ranks by a plain bootstrap of data sets do not hold: of 20 equal models some pair was
    separated in 25 to 82% of simulations, and in 3 to 8% by flips. The test of Nemenyi
    compares mean ranks, so its verdict on two models depends on the others. This is why
    `mean_rank` is shown, but means are tested.

    References
    ----------
    .. [1] M. Mogstad, J. P. Romano, A. M. Shaikh and D. Wilhelm, "Inference for ranks with
           applications to mobility across neighbourhoods and academic achievement across
           countries", Review of Economic Studies 91(1), 2024.
    .. [2] J. P. Romano and M. Wolf, "Exact and approximate stepdown methods for multiple
           hypothesis testing", Journal of the American Statistical Association 100, 2005.

    Examples
    --------
    >>> from sklearn_rank.statistics import rank_models
    >>> means = {
    ...     "a": [0.612, 0.334, 0.451, 0.702, 0.287, 0.558, 0.395, 0.643],
    ...     "b": [0.604, 0.345, 0.449, 0.700, 0.279, 0.565, 0.380, 0.651],
    ...     "c": [0.571, 0.301, 0.440, 0.655, 0.262, 0.520, 0.371, 0.622],
    ...     "d": [0.480, 0.322, 0.391, 0.601, 0.270, 0.472, 0.318, 0.540],
    ... }
    >>> scores = {
    ...     f"task {k + 1}": {model: mean[k] for model, mean in means.items()}
    ...     for k in range(8)
    ... }
    >>> print(rank_models(scores))
    score, 4 models on 8 data sets; all pairs; sign flips, p corrected by the
      largest t over 6
         mean  rank  ranks that hold  letters  mean rank
    a  0.4978     1           1 to 2        a       1.38
    b  0.4966     2           1 to 2        a       1.62
    c  0.4677     3           3 to 4        b       3.25
    d  0.4243     4           3 to 4        b       3.75
    Tied for first: a, b.
    Ranks hold together with 95%, for data sets like these 8, if data sets are
      independent.
    """
    check_option("over", over, OVER)
    check_option("test", test, TESTS)
    check_option("family", family, FAMILIES)
    check_option("lower_is_better", lower_is_better, (None, True, False))
    is_name = metric is None or isinstance(metric, str)
    check_given("metric", metric, is_name, "a name or None")
    flips = {"n_resamples": n_resamples, "random_state": check_random_state(random_state)}
    options = Options("auto", "two-sided", check_level(confidence_level), "holm", **flips)
    league = read_league(scores).complete(missing)
    _check_over_queries(over, test, league)
    codes = _read_clusters(clusters, league, over)
    measured = _measure(league, metric, lower_is_better, options, over)
    units = measured.numbers
    units = units if codes is None else means_by_cluster(units, codes)
    is_many = over == "datasets" and len(units) >= FEWEST_FLIPPED
    is_flipped = test == "randomization" or (test == "auto" and is_many)
    if is_flipped:
        options = replace(options, test="randomization", correction="max_t")
    places = range(len(league.models))
    pairs = [(later, first) for first, later in combinations(places, 2)]
    of_queries = list(measured.by_dataset.values()) if over == "queries" else []
    tested = compare_pairs(units, pairs, of_queries, options)
    kind = "data sets" if codes is None else "clusters of data sets"
    messages = _messages_of_few(tested["df"], len(units), kind, over, options)
    warn_caller(*measured.messages, *messages)
    names = [[league.models[index] for index in side] for side in zip(*pairs, strict=True)]
    return ModelRanking(
        [
            row | {"n_datasets": len(measured.numbers)}
            for row in _rows_of(
                league.models,
                units,
                pairs,
                tested,
                alpha_of(confidence_level),
                is_lower_better=measured.lower_is_better,
            )
        ],
        pairs=as_rows({"model": names[0], "baseline": names[1], **tested}),
        values={
            name: dict(zip(league.models, row, strict=True))
            for name, row in zip(league.scores, measured.numbers.tolist(), strict=True)
        },
        by_dataset=measured.by_dataset,
        left_out=league.left_out,
        settings={
            "metric": measured.metric,
            "lower_is_better": measured.lower_is_better,
            "over": over,
            "clusters": clusters and {name: clusters[name] for name in league.scores},
            "test": "randomization" if is_flipped else "t",
            "correction": options.correction,
            "missing": missing,
            "family": family,
            "confidence_level": options.confidence_level,
            "n_resamples": options.n_resamples,
        },
    )


def _check_over_queries(over: str, test: str, league: LeagueScores) -> None:
    """Raise for what ranks over queries cannot use."""
    if over == "queries" and test == "randomization":
        raise ValueError(
            "`test` 'randomization' flips data sets, which over='queries' keeps; use 't'."
        )
    if over == "queries" and league.are_numbers:
        raise ValueError(
            "over='queries' needs the values of queries, and `scores` has one number per "
            "model and data set; give what per_query_scores returns, or use "
            "over='datasets'."
        )


def _read_clusters(clusters: Any, league: LeagueScores, over: str) -> np.ndarray | None:
    """Return the code of the cluster of each data set, None without clusters."""
    if clusters is None:
        return None
    is_mapping = isinstance(clusters, Mapping)
    needed = "a dict from data set to its family, or None"
    check_given("clusters", clusters, is_mapping, needed)
    if over == "queries":
        raise ValueError(
            "`clusters` are of data sets, which over='queries' keeps; leave them out, or "
            "use over='datasets'."
        )
    lacking = [name for name in league.scores if name not in clusters]
    datasets = (*league.scores, *league.left_out)
    unknown = [name for name in clusters if name not in datasets]
    if lacking or unknown:
        side, names = ("clusters", lacking) if lacking else ("scores", unknown)
        raise ValueError(
            f"`{side}` lacks {len(names)} data set(s), such as {shorten(names[0])}; "
            "`clusters` needs the family of each data set of `scores`."
        )
    labels = [clusters[name] for name in league.scores]
    distinct, codes = encode_labels(labels, name="clusters")
    if len(distinct) < 2:
        raise ValueError(
            f"All {len(codes)} data sets are of the cluster {shorten(distinct[0])}; other "
            "data sets like these need two. Use over='queries' for these alone."
        )
    return codes


@dataclass(frozen=True, eq=False)
class _Measured:
    """The means of models, a row per data set and a column per model."""

    metric: str
    lower_is_better: bool
    numbers: np.ndarray
    by_dataset: dict[Any, ModelComparison]
    messages: list[str]


def _measure(
    league: LeagueScores,
    metric: str | None,
    lower: bool | None,
    options: Options,
    over: str,
) -> _Measured:
    """Return the means of models on each data set, and comparisons of their queries."""
    if league.are_numbers:
        of_sets = league.scores.values()
        numbers = np.array(
            [[by_model[name] for name in league.models] for by_model in of_sets], float
        )
        warn_of_mixed_units(league.models, numbers.T)
        warn_of_mixed_units(list(league.scores), numbers)
        return _Measured(metric or UNNAMED, bool(lower), numbers, {}, [])
    estimated = {}
    for name, models in league.scores.items():
        try:
            estimated[name] = _estimate(models, metric, options, over)
        except ValueError as error:
            raise ValueError(f"Data set {shorten(name)}: {error}") from error
    comparisons = {name: dataset.metrics[0] for name, dataset in estimated.items()}
    metrics = {name: comparison.name for name, comparison in comparisons.items()}
    if len(set(map(canonical_name, metrics.values()))) > 1:
        raise ValueError(
            f"The data sets have different metrics, {shorten(metrics)}; rank by one metric."
        )
    lower = _direction(league, comparisons, lower)
    rows, by_dataset, messages = [], {}, []
    for name, comparison in comparisons.items():
        comparison.lower_is_better = lower
        messages += [f"Data set {shorten(name)}: {text}" for text in comparison.messages]
        if comparison.n_clusters > 1:
            by_dataset[name] = estimated[name].compare()
            rows.append(by_dataset[name].means["mean"])
        else:
            rows.append(comparison.means()["mean"])
    numbers = np.array(rows, dtype=float)
    return _Measured(next(iter(metrics.values())), lower, numbers, by_dataset, messages)


def _estimate(
    models: Mapping[Any, Any], metric: str | None, options: Options, over: str
) -> EstimatedMetrics:
    """Return the estimates of one metric on a data set."""
    estimates = estimate_metrics(models, options, metrics=metric)
    names = [comparison.name for comparison in estimates.metrics]
    if len(names) > 1:
        raise ValueError(f"There are several metrics, {names}; name one with `metric`.")
    comparison, *_ = estimates.metrics
    if comparison.n_queries < 1:
        raise ValueError("There is no query for which all models have a value.")
    if over == "queries" and comparison.n_clusters < 2:
        raise ValueError(
            f"There is {comparison.n_clusters} query or cluster that counts, and "
            "over='queries' needs two of each data set, as compare_models and "
            "confidence_interval do; use over='datasets', or leave it out."
        )
    return estimates


def _direction(
    league: LeagueScores,
    comparisons: Mapping[Any, MetricComparison | MetricSums],
    lower: bool | None,
) -> bool:
    """Return whether lower is better; raise unless all that is known agrees."""
    if not league.has_direction():
        return bool(lower)
    stated = {name: comparison.lower_is_better for name, comparison in comparisons.items()}
    if len(set(stated.values())) > 1:
        raise ValueError(
            f"Lower is better by the scores of some data sets only: {shorten(stated)}; "
            "score all data sets by one metric."
        )
    (is_lower,) = set(stated.values())
    if lower is not None and lower != is_lower:
        metric = next(iter(comparisons.values())).name
        better = "lower" if is_lower else "higher"
        raise ValueError(
            f"`lower_is_better` is {lower}, but the scores say that {better} is better for "
            f"{metric!r}; leave it out, or state the direction where they are made."
        )
    return bool(is_lower)


def _rows_of(
    models: Sequence[Any],
    numbers: np.ndarray,
    pairs: Pairs,
    tested: Mapping[str, np.ndarray],
    alpha: float,
    *,
    is_lower_better: bool,
) -> list[dict[str, Any]]:
    """Return a row for each model, the best one first."""
    n_units, n_models = numbers.shape
    means = np.array([Clusters(n_units).mean(column) for column in numbers.T])
    rank, _ = ranks_of(means, lower_is_better=is_lower_better)
    of_rows = [ranks_of(row, lower_is_better=is_lower_better)[1] for row in numbers]
    mean_rank = np.mean(of_rows, axis=0)
    gains = tested["difference"] * (-1 if is_lower_better else 1)
    is_significant = tested["p_adjusted"] <= alpha
    low, high = bounds_of_ranks(pairs, gains, is_significant, n_models)
    order = np.argsort(rank, kind="stable").tolist()
    significant = {frozenset(pair) for pair in np.array(pairs)[is_significant].tolist()}
    differ = [pair for pair in combinations(order, 2) if frozenset(pair) in significant]
    letters = letters_by_model(order, differ, MOST_LETTERS)
    return [
        {
            "model": models[index],
            "mean": float(means[index]),
            "rank": int(rank[index]),
            "rank_low": int(low[index]),
            "rank_high": int(high[index]),
            "tied_for_first": bool(low[index] == 1),
            "letters": letters[index],
            "mean_rank": float(mean_rank[index]),
        }
        for index in order
    ]


def _messages_of_few(
    df: np.ndarray, n_units: int, kind: str, over: str, options: Options
) -> list[str]:
    """Return warnings about too few data sets or clusters, queries or flips."""
    if over == "queries":
        least = np.nanmin(df, initial=np.inf)
        if least >= FEW_DF:
            return []
        return [
            f"Errors over queries have {least:.3g} degrees of freedom, below {FEW_DF}, so "
            "that tests by Student's t are rough: give more queries or clusters, or "
            "repeats of noisy systems."
        ]
    messages = []
    if n_units < FEW_DATA_SETS:
        why = "Student's t assumes normal differences, which so few cannot show"
        if n_units < FEWEST_TESTED:
            why = "there is no verdict on the models"
        messages.append(
            f"There are {n_units} {kind}, which say little about others like them: {why}. "
            "Give more, or use over='queries' for claims about these alone."
        )
    if options.test == "randomization" and n_units >= FEWEST_TESTED:
        messages += few_flips_warning(options, n_units - 1, len(df))
        if 2.0 ** (1 - n_units) > options.alpha:
            messages.append(
                f"Flips of {n_units} {kind} cannot go below p = "
                f"{2.0 ** (1 - n_units):.2g}, so that nothing is significant; use "
                f"test='t', or give more {kind}."
            )
    return messages

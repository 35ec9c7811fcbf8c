"""Every metric once more, as plainly as it can be written: what the package must equal.

A query is a list of rows (grade, score), best first. A grade of None is unjudged, a score
of minus infinity is a row that was not retrieved. Each function returns the value of one
query, as a Fraction where the definition is rational, and nan where it has no answer.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import groupby, product
from math import fsum, inf, isnan, log, nan

from sklearn_rank.metrics._core._registry import METRICS

# ---- orders of tied rows ---------------------------------------------------------------


def expected_over_ties(reference, grades, scores, **params):
    """Return the mean of `reference` over all orders of the tied rows."""
    values = values_of_orders(reference, grades, scores, params)
    if all(isinstance(value, Fraction) for value in values):
        return sum(values) / len(values)
    return fsum(values) / len(values)


def values_of_orders(reference, grades, scores, params):
    """Return `reference` of the rows in every order that the scores allow."""
    rows = sorted(zip(grades, scores, strict=True), key=repr)
    return _values_of_orders(reference, tuple(rows), tuple(params.items()))


@lru_cache(maxsize=2000)  # the mean, the worst and the best are of the same values
def _values_of_orders(reference, rows, params):
    orders = all_orders(*zip(*rows, strict=True))
    return [reference(order, **dict(params)) for order in orders]


def all_orders(grades, scores) -> Iterator[list]:
    """Yield the rows, best first, in every order that the scores allow.

    Rows of one score and one grade cannot be told apart, so each distinct arrangement
    stands for the same number of permutations and comes once.
    """
    by_score = groupby(first_order(grades, scores), key=lambda row: row[1])
    blocks = [list(rows) for score, rows in by_score if score > -inf]
    missing = [row for row in zip(grades, scores, strict=True) if row[1] == -inf]
    for blocks_in_order in product(*(list(arrangements(block)) for block in blocks)):
        yield [row for block in blocks_in_order for row in block] + missing


def arrangements(block) -> Iterator[tuple]:
    """Yield the distinct permutations of `block`."""
    if not block:
        yield ()
    for row in dict.fromkeys(block):
        others = list(block)
        others.remove(row)
        for rest in arrangements(others):
            yield (row, *rest)


def first_order(grades, scores) -> list:
    """Return the rows best first, tied rows as they came."""
    return sorted(zip(grades, scores, strict=True), key=lambda row: -row[1])


def with_ties(ties, reference, grades, scores, **params):
    """Return `reference` under one of the four ways to treat ties."""
    if ties == "average":
        return expected_over_ties(reference, grades, scores, **params)
    if ties == "first":
        return reference(first_order(grades, scores), **params)
    values = values_of_orders(reference, grades, scores, params)
    highest_wanted = (ties == "best") != (reference in LOWER_IS_BETTER)
    return max(values) if highest_wanted else min(values)


# ---- what the definitions are made of --------------------------------------------------


def is_relevant(grade, min_relevance=None) -> bool:
    if grade is None:
        return False
    return grade > 0 if min_relevance is None else grade >= min_relevance


def hits_in_order(rows, min_relevance=None) -> list[bool]:
    """Return for each retrieved row whether it is relevant."""
    return [is_relevant(grade, min_relevance) for grade, score in rows if score > -inf]


def count_relevant(rows, min_relevance=None) -> int:
    return sum(is_relevant(grade, min_relevance) for grade, _ in rows)


def retrieved_grades(rows) -> list:
    return [grade for grade, score in rows if score > -inf]


# ---- hits above a cut-off --------------------------------------------------------------


def precision(rows, k=10, denominator="k", min_relevance=None):
    if count_relevant(rows, min_relevance) == 0:
        return nan
    hits = hits_in_order(rows, min_relevance)
    depth = len(hits) if k is None else k
    depth = min(depth, len(hits)) if denominator == "list" else depth
    return Fraction(sum(hits[:k]), depth) if depth else Fraction(0)


def recall(rows, k=10, denominator="relevant", min_relevance=None):
    n_relevant = count_relevant(rows, min_relevance)
    if n_relevant == 0:
        return nan
    attainable = n_relevant if k is None else min(n_relevant, k)
    divisor = {"relevant": n_relevant, "attainable": attainable}[denominator]
    return Fraction(sum(hits_in_order(rows, min_relevance)[:k]), divisor)


def f1(rows, k=10, beta=1.0, min_relevance=None):
    p = precision(rows, k, "k", min_relevance)
    r = recall(rows, k, "relevant", min_relevance)
    if isnan(p) or p == r == 0:
        return p
    squared = Fraction(beta) ** 2
    return (1 + squared) * p * r / (squared * p + r)


def hit_rate(rows, k=10, min_relevance=None):
    if count_relevant(rows, min_relevance) == 0:
        return nan
    return Fraction(any(hits_in_order(rows, min_relevance)[:k]))


def accuracy(rows, k=10, min_relevance=None):
    called_relevant = hits_in_order(rows, min_relevance)[:k]
    true_positives = sum(called_relevant)
    false_positives = len(called_relevant) - true_positives
    n_irrelevant = len(rows) - count_relevant(rows, min_relevance)
    return Fraction(true_positives + n_irrelevant - false_positives, len(rows))


def fallout(rows, k=10, min_relevance=None):
    n_irrelevant = len(rows) - count_relevant(rows, min_relevance)
    if n_irrelevant == 0:
        return nan
    top = hits_in_order(rows, min_relevance)[:k]
    return Fraction(top.count(False), n_irrelevant)


def r_precision(rows, min_relevance=None):
    n_relevant = count_relevant(rows, min_relevance)
    if n_relevant == 0:
        return nan
    return Fraction(sum(hits_in_order(rows, min_relevance)[:n_relevant]), n_relevant)


def judged(rows, k=10):
    top = retrieved_grades(rows)[:k]
    depth = len(top) if k is None else k
    return (
        Fraction(sum(grade is not None for grade in top), depth) if depth else Fraction(0)
    )


def pooled_recall(rows, k=10, denominator="attainable", min_relevance=None):
    return recall(rows, k, denominator, min_relevance)


def relative_precision(rows, k=10, min_relevance=None):
    n_relevant = count_relevant(rows, min_relevance)
    if n_relevant == 0:
        return nan
    hits = hits_in_order(rows, min_relevance)
    depth = min(n_relevant, len(hits) if k is None else k)
    return Fraction(sum(hits[:k]), depth) if depth else Fraction(0)


def set_map(rows, min_relevance=None):
    n_relevant = count_relevant(rows, min_relevance)
    if n_relevant == 0:
        return nan
    hits = hits_in_order(rows, min_relevance)
    return Fraction(sum(hits) ** 2, n_relevant * len(hits)) if hits else Fraction(0)


# ---- positions of hits -----------------------------------------------------------------


def mrr(rows, k=None, min_relevance=None):
    if count_relevant(rows, min_relevance) == 0:
        return nan
    for rank, hit in enumerate(hits_in_order(rows, min_relevance)[:k], start=1):
        if hit:
            return Fraction(1, rank)
    return Fraction(0)


def average_precision(rows, k=None, denominator="attainable", min_relevance=None):
    n_relevant = count_relevant(rows, min_relevance)
    if n_relevant == 0:
        return nan
    total, n_hits = Fraction(0), 0
    for rank, hit in enumerate(hits_in_order(rows, min_relevance)[:k], start=1):
        if hit:
            n_hits += 1
            total += Fraction(n_hits, rank)
    divisor = {
        "relevant": n_relevant,
        "attainable": n_relevant if k is None else min(n_relevant, k),
        "retrieved": n_hits,
        "k": len(hits_in_order(rows)) if k is None else k,
    }[denominator]
    return total / divisor if divisor else Fraction(0)


def interpolated_precision(rows, recall_level=0.5, rounding="up", min_relevance=None):
    n_relevant = count_relevant(rows, min_relevance)
    if n_relevant == 0:
        return nan
    hits = hits_in_order(rows, min_relevance)
    needed = {
        "up": Fraction(str(recall_level)) * n_relevant,
        "nine_tenths": int(recall_level * n_relevant + 0.9),
        "nearest": int(Fraction(recall_level * n_relevant) + Fraction(1, 2)),
    }[rounding]
    return max(
        (
            Fraction(sum(hits[:rank]), rank)
            for rank in range(1, len(hits) + 1)
            if sum(hits[:rank]) >= needed
        ),
        default=Fraction(0),
    )


def eleven_point_precision(rows, rounding="up", min_relevance=None):
    given = {"rounding": rounding, "min_relevance": min_relevance}
    levels = [interpolated_precision(rows, i / 10, **given) for i in range(11)]
    return nan if isnan(levels[0]) else sum(levels) / 11


def mean_rank(rows, min_relevance=None):
    """Relevant rows that were not retrieved share the mean of the ranks left over."""
    n_relevant = count_relevant(rows, min_relevance)
    if n_relevant == 0:
        return nan
    hits = hits_in_order(rows, min_relevance)
    ranks_of_hits = [Fraction(rank) for rank, hit in enumerate(hits, 1) if hit]
    ranks_left = range(len(hits) + 1, len(rows) + 1)
    n_missed = n_relevant - len(ranks_of_hits)
    if n_missed:
        ranks_of_hits += [Fraction(sum(ranks_left), len(ranks_left))] * n_missed
    return sum(ranks_of_hits) / n_relevant


# ---- graded gains ----------------------------------------------------------------------

GAINS = {
    "linear": lambda grade: grade,
    "exponential": lambda grade: 2**grade - 1,
    "binary": lambda grade: grade > 0,
}


def discount_at(rank, discount="log", log_base=2):
    if discount == "log":
        return 1 / (log(rank + 1) / log(log_base))
    if discount == "jarvelin":
        return 1 / max(1.0, log(rank) / log(log_base))
    if discount == "reciprocal":
        return 1 / rank
    return discount(rank)


def gain_of(grade, gain="linear"):
    return GAINS.get(gain, gain)(grade)


def cg(rows, k=None, gain="linear"):
    return fsum(gain_of(grade, gain) for grade in retrieved_grades(rows)[:k])


def dcg(rows, k=None, gain="linear", discount="log", log_base=2):
    ranked = enumerate(retrieved_grades(rows)[:k], start=1)
    return fsum(
        gain_of(grade, gain) * discount_at(rank, discount, log_base)
        for rank, grade in ranked
    )


def ndcg(rows, k=None, ideal="relevant", **params):
    if count_relevant(rows) == 0:
        return nan
    best = sorted((grade for grade, _ in rows if grade > 0), reverse=True)
    top = retrieved_grades(rows)[:k]
    best = {
        "relevant": best[:k],
        "list": best[: len(top)],
        "retrieved": sorted(top, reverse=True),
        "k": best[:k] + best[:1] * ((k or 0) - len(best)),
        "all": best,
    }[ideal]
    highest = dcg([(grade, 0.0) for grade in best], **params)
    return dcg(rows, k, **params) / highest if highest else 0.0


def rbp(rows, k=None, persistence=0.8, max_grade=None):
    if count_relevant(rows) == 0:
        return nan
    return fsum(
        (1 - persistence) * persistence ** (rank - 1) * (grade or 0) / max_grade
        for rank, grade in enumerate(retrieved_grades(rows)[:k], start=1)
    )


def rbp_residual(rows, k=None, persistence=0.8):
    """What the unjudged ranks weigh, those below the list among them."""
    return 1 - fsum(
        (1 - persistence) * persistence ** (rank - 1)
        for rank, grade in enumerate(retrieved_grades(rows)[:k], start=1)
        if grade is not None
    )


def err(rows, k=None, max_grade=None):
    if count_relevant(rows) == 0:
        return nan
    total, still_looking = 0.0, 1.0
    for rank, grade in enumerate(retrieved_grades(rows)[:k], start=1):
        satisfied = (2**grade - 1) / 2**max_grade
        total += still_looking * satisfied / rank
        still_looking *= 1 - satisfied
    return total


def q_measure(rows, k=None, beta=1.0):
    """Sakai's blended ratio at each hit, over min(R, k) hits."""
    n_relevant = count_relevant(rows)
    if n_relevant == 0:
        return nan
    ideal = sorted((Fraction(grade) for grade, _ in rows), reverse=True)
    total, n_hits, gained = Fraction(0), 0, Fraction(0)
    for rank, grade in enumerate(retrieved_grades(rows)[:k], start=1):
        if grade > 0:
            n_hits += 1
            gained += Fraction(grade)
            blended = n_hits + Fraction(beta) * gained
            total += blended / (rank + Fraction(beta) * sum(ideal[:rank]))
    return total / (n_relevant if k is None else min(n_relevant, k))


def hurwitz(q):
    """Return the sum of 1 / (m + q)^2 over m = 0, 1, ...: terms, then Euler-Maclaurin."""
    end = q + 200
    tail = 1 / end + 1 / (2 * end**2) + 1 / (6 * end**3) - 1 / (30 * end**5)
    return fsum([1 / (m + q) ** 2 for m in range(200)] + [tail])


def insq(rows, k=None, desired_gain=1.0, max_grade=None):
    if count_relevant(rows) == 0:
        return nan
    first = 2 * desired_gain
    return fsum(
        (grade or 0) / max_grade / (rank - 1 + first) ** 2 / hurwitz(first)
        for rank, grade in enumerate(retrieved_grades(rows)[:k], start=1)
    )


def inst(rows, k=None, desired_gain=1.0, max_grade=None, n_ranks=None):
    """The list goes on with irrelevant rows, for ever or down to rank `n_ranks`."""
    if count_relevant(rows) == 0:
        return nan
    gains = [(grade or 0) / max_grade for grade in retrieved_grades(rows)[:k]]
    gained, chance_to_see, seen, wanted = 0.0, 1.0, [], desired_gain
    for rank, gain in enumerate(gains, start=1):
        seen.append(chance_to_see)
        gained += chance_to_see * gain
        wanted -= gain
        place = rank + desired_gain + wanted
        chance_to_see *= ((place - 1) / place) ** 2
    # From here on nothing is gained, and chances fall as 1 / place^2.
    place = len(gains) + desired_gain + wanted
    below = hurwitz(place)
    if n_ranks is not None:
        below -= hurwitz(place + n_ranks - len(gains))
    return gained / (fsum(seen) + chance_to_see * place**2 * below)


OUTSIDE = -1  # a row that was not in the pool of judged rows


def infap(rows, min_relevance=None):
    """The definition of trec_eval."""
    n_relevant = count_relevant(rows, min_relevance)
    if n_relevant == 0:
        return nan
    total, relevant, irrelevant, unjudged = 0.0, 0, 0, 0
    for rank, grade in enumerate(retrieved_grades(rows), start=1):
        if is_relevant(grade, min_relevance):
            in_pool = relevant + irrelevant + unjudged
            share = (relevant + 1e-5) / (relevant + irrelevant + 2e-5)
            total += (1 + in_pool * share) / rank
            relevant += 1
        elif grade is None:
            unjudged += 1
        elif grade != OUTSIDE:
            irrelevant += 1
    return total / n_relevant


# ---- pairs -----------------------------------------------------------------------------


def bpref(rows, min_relevance=None):
    """The definition of trec_eval; unjudged rows are looked through."""
    n_relevant = count_relevant(rows, min_relevance)
    if n_relevant == 0:
        return nan
    n_judged = sum(grade is not None for grade, _ in rows)
    n_irrelevant = n_judged - n_relevant
    total, irrelevant_above = Fraction(0), 0
    for grade in retrieved_grades(rows):
        if is_relevant(grade, min_relevance):
            total += 1
            if irrelevant_above:
                above = min(irrelevant_above, n_relevant)
                total -= Fraction(above, min(n_relevant, n_irrelevant))
        elif grade is not None:
            irrelevant_above += 1
    return total / n_relevant


def auc(rows, min_relevance=None):
    """Share of (relevant, irrelevant) pairs in the right order; not retrieved: last."""
    last = len(rows)
    places = [place if row[1] > -inf else last for place, row in enumerate(rows)]
    relevant = [is_relevant(grade, min_relevance) for grade, _ in rows]
    above = [place for place, hit in zip(places, relevant, strict=True) if hit]
    below = [place for place, hit in zip(places, relevant, strict=True) if not hit]
    if not above or not below:
        return nan
    won = sum((a < b) + Fraction(a == b, 2) for a in above for b in below)
    return Fraction(won) / (len(above) * len(below))


REFERENCES = {
    "precision": precision,
    "recall": recall,
    "relative_precision": relative_precision,
    "pooled_recall": pooled_recall,
    "set_map": set_map,
    "interpolated_precision": interpolated_precision,
    "eleven_point_precision": eleven_point_precision,
    "f1": f1,
    "hit_rate": hit_rate,
    "accuracy": accuracy,
    "fallout": fallout,
    "r_precision": r_precision,
    "judged": judged,
    "mrr": mrr,
    "map": average_precision,
    "mean_rank": mean_rank,
    "cg": cg,
    "dcg": dcg,
    "ndcg": ndcg,
    "rbp": rbp,
    "rbp_residual": rbp_residual,
    "err": err,
    "q_measure": q_measure,
    "insq": insq,
    "inst": inst,
    "infap": infap,
    "bpref": bpref,
    "auc": auc,
}

LOWER_IS_BETTER = {
    reference for name, reference in REFERENCES.items() if METRICS[name].lower_is_better
}

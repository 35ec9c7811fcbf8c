"""What TREC's ndeval.c computes, in plain loops, of one query."""

from itertools import accumulate
from math import log2, nan

__all__ = ["ndeval"]

ALPHA = BETA = 0.5


def ndeval(judged, scores, cutoffs, *, descending):
    """Return the measures of a query.

    `judged` has the subtopics that each document is relevant to, `scores` is the run.
    Documents of equal score stand by id, descending or not.
    """
    order = sorted(scores, reverse=descending)
    order.sort(key=lambda document: -scores[document])
    shown = [judged.get(document, set()) for document in order]
    n = len(set().union(*judged.values()))
    names = ("ERR-IA", "nERR-IA", "alpha-nDCG", "P-IA", "strec")
    if n == 0:
        at_k = {f"{name}@{k}": 0.0 for name in names for k in cutoffs}
        return {"MAP-IA": 0.0, "NRBP": 0.0, "nNRBP": nan, **at_k}
    ideal = ideal_list(judged)
    nrbp = gains(shown, lambda rank: BETA ** (rank - 1))[-1]
    found = {
        "MAP-IA": map_ia(shown, judged, n),
        "NRBP": nrbp * (1 - (1 - ALPHA) * BETA) / n,
        "nNRBP": nrbp / gains(ideal, lambda rank: BETA ** (rank - 1))[-1],
    }
    for k in cutoffs:
        err, best_err = (gains(some[:k], lambda r: 1 / r)[-1] for some in (shown, ideal))
        dcg, best_dcg = (
            gains(some[:k], lambda r: 1 / log2(r + 1))[-1] for some in (shown, ideal)
        )
        all_subtopics = n * sum((1 - ALPHA) ** i / (i + 1) for i in range(k))
        values = (
            err / all_subtopics if k > 1 else err,  # its loop begins with the second rank
            err / best_err,
            dcg / best_dcg,
            sum(map(len, shown[:k])) / (k * n),
            len(set().union(*shown[:k])) / n,
        )
        found |= {f"{name}@{k}": value for name, value in zip(names, values, strict=True)}
    return found


def gains(shown, discount):
    """Return the sum of gains down to each rank, from 0 on."""
    seen, each = {}, [0.0]
    for rank, subtopics in enumerate(shown, 1):
        each.append(discount(rank) * sum((1 - ALPHA) ** seen.get(s, 0) for s in subtopics))
        seen |= {subtopic: seen.get(subtopic, 0) + 1 for subtopic in subtopics}
    return list(accumulate(each))


def ideal_list(judged):
    """Return at each rank what gains most, and of equals the last by name."""
    left, seen, ideal = sorted(judged, reverse=True), {}, []
    while left:
        best = max(
            left, key=lambda d: sum((1 - ALPHA) ** seen.get(s, 0) for s in judged[d])
        )
        left.remove(best)
        ideal.append(judged[best])
        seen |= {subtopic: seen.get(subtopic, 0) + 1 for subtopic in judged[best]}
    return ideal


def map_ia(shown, judged, n):
    """Return the mean of the average precision of each subtopic."""
    total = 0.0
    for subtopic in set().union(*judged.values()):
        ranks = [rank for rank, of in enumerate(shown, 1) if subtopic in of]
        n_relevant = sum(subtopic in of for of in judged.values())
        total += sum(hit / rank for hit, rank in enumerate(ranks, 1)) / n_relevant
    return total / n

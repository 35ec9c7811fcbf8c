"""Rank rows within queries, exactly and as fast as NumPy sorts integers.

A row's key packs three things into 64 bits,

    query | leading sort bits of the score | tag

so one `np.sort` of integers, which NumPy vectorizes, groups the rows and ranks them. It is
several times faster than an argsort of the scores, and a lexsort costs more still.

The sort bits of a score are a 64-bit integer; integers are in order where the scores are in
reverse order. The leading bits keep that order but can make different scores equal. What a
tag is depends on how much has to be known:

- Most metrics ask where some rows stand, those with a grade. Only these are numbered;
  others have the tag 0 and are never looked at again. Where a numbered row shares its
  leading bits with a neighbor, nothing is certain, and the next path is taken.
- All rows are numbered. Neighbors are compared by their real scores and, where these are
  not in order, sorted by them: nothing is approximate, and ties are what they are.

Rows that lie together by query are ranked in chunks of whole queries, which stay in the
processor's cache. That also bounds the extra memory and leaves enough sort bits.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from sklearn_rank._arrays._blocks import SORTED_ROWS
from sklearn_rank._arrays._packed import (
    last_field,
    order_by_codes,
    pack,
    repeats_but_last,
    width_of,
    without_last,
)
from sklearn_rank._arrays._runs import cut_runs, ranges, sizes_of, starts_of, starts_where

# Queries of one length from which on a sort of each beats a sort of all.
_WORTH_A_SORT = 32
# Values of a query for each one wanted from which on a partition beats a sort.
_WORTH_A_PARTITION = 4
# Fewer sort bits than this confuse too many scores: sign, exponent and 20 more.
_LEAST_SORT_BITS = 32
# A larger share of rows in doubt than this makes the sort by sort bits a waste of time.
_MOST_IN_DOUBT = 0.02
# Integers below this are counted and not sorted, which saves a tenth of an NDCG.
_FEW = 32
# One in so many rows takes less to be found than a list of all.
_SOUGHT = 8
_TAGS = np.arange(1, SORTED_ROWS + 1)


class Ranked(NamedTuple):
    """Tagged rows, by query and by descending score; one value for each of them."""

    query: np.ndarray
    grade: np.ndarray
    row: np.ndarray
    above: np.ndarray  # rows of its query with a higher score
    tied: np.ndarray  # rows of its query with the same score, itself included
    place: np.ndarray  # rows of its query before it, where equal scores keep their order

    def of(self, rows: np.ndarray) -> "Ranked":
        """Return some of the rows."""
        return Ranked(*(values[rows] for values in self))


class Found(NamedTuple):
    """What `Ranked` says, of rows known by their number among the tagged."""

    tag: np.ndarray
    query: np.ndarray
    above: np.ndarray
    tied: np.ndarray
    place: np.ndarray


def rank_apart(
    score_of: Callable[[slice], np.ndarray],
    tagged_of: Callable[[slice], tuple[np.ndarray, np.ndarray]],
    starts: np.ndarray,
) -> Iterator[tuple[int, int, Ranked]]:
    """Rank rows that lie together by query, queries first, ..., last - 1 at a time.

    Query i, counted from 0, has rows starts[i]:starts[i + 1]. `score_of` gives the scores
    of a slice of the rows, `tagged_of` the places in the slice that have a grade, and the
    grades. Rows with the score -inf are sorted last, and not among themselves.
    """
    paths = [_rank_as_given, _rank_by_bits, _rank_by_score]
    for first, last, rows, local in _chunks_of_queries(starts):
        score, (tagged, grade) = score_of(rows), tagged_of(rows)
        while (found := paths[0](score, tagged, local)) is None:
            del paths[0]  # it would hardly do for the chunks that follow
        row = tagged[found.tag] + rows.start
        ranked = Ranked(found.query + first, grade[found.tag], row, *found[2:])
        yield first, last, ranked


def rank_together(
    score: np.ndarray,
    grade: np.ndarray,
    query: np.ndarray,
    starts: np.ndarray,
    *,
    every_row: bool = False,
) -> Ranked | None:
    """Rank rows in any order by one sort; query i has starts[i + 1] - starts[i] of them.

    Return the rows that have a grade, or every row. None where the numbers of rows and
    queries leave too few sort bits, or where too many rows tie.
    """
    tagged = np.arange(len(grade)) if every_row else np.flatnonzero(grade != 0)
    bits = width_of(len(starts) - 1) + width_of(len(tagged) + 1)
    if 64 - bits < _LEAST_SORT_BITS:
        return None
    found = _rank_by_bits(score, tagged, starts, query)
    if found is None:
        return None
    row = tagged[found.tag]
    return Ranked(found.query, grade[row], row, *found[2:])


def rank_run(score: np.ndarray, tagged: np.ndarray, starts: np.ndarray) -> Found:
    """Return the ranks of tagged rows, which lie together by query, by one sort."""
    found = _rank_by_bits(score, tagged, starts)
    return _rank_by_score(score, tagged, starts) if found is None else found


def sort_within(values: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Return the order of rows by query, by descending value and by row."""
    if len(values) == 0 or values.min() == values.max():
        return np.arange(len(values))
    parts = []
    for _, _, rows, local in _chunks_of_queries(starts):
        parts.append(_sort_by_score(values[rows], local)[0] + rows.start)
    return np.concatenate(parts)


def descend_within(
    values: np.ndarray, query: np.ndarray, starts: np.ndarray, k: int | None = None
) -> np.ndarray:
    """Return the k highest values of each query (None: all), by query and descending.

    Row i is of query[i]; query j has rows starts[j]:starts[j + 1].
    """
    sizes = sizes_of(starts)
    if len(values) == 0 or values.min() == values.max():  # such as binary relevance
        return values if k is None else values[: int(np.minimum(sizes, k).sum())]
    integers = _small_integers(values)
    if integers is not None:
        return _count_down(integers, values.dtype, query, len(starts) - 1, k)
    if k is None:
        return values[sort_within(values, starts)]
    if len(sizes) and sizes[0] > _WORTH_A_PARTITION * k and (sizes == sizes[0]).all():
        table = np.partition(values.reshape(len(sizes), -1), sizes[0] - k, axis=1)
        return -np.sort(-table[:, sizes[0] - k :], axis=1).ravel()
    first = ranges(starts[:-1], np.minimum(sizes, k))
    return values[sort_within(values, starts)[first]]


def _count_down(
    integers: np.ndarray, dtype: np.dtype, query: np.ndarray, n_queries: int, k: int | None
) -> np.ndarray:
    """Return the k highest of small integers of each query, each as often as it counts."""
    n_values = int(integers.max()) + 1
    place = query * n_values
    place += n_values - 1
    place -= integers
    counts = np.bincount(place, minlength=n_queries * n_values)
    if k is not None:
        so_far = counts.reshape(n_queries, n_values).cumsum(axis=1)
        np.minimum(so_far, k, out=so_far)
        so_far[:, 1:] -= so_far[:, :-1].copy()
        counts = so_far.ravel()
    descending = np.arange(n_values - 1, -1, -1, dtype=dtype)
    return descending[None].repeat(n_queries, axis=0).ravel().repeat(counts)


def _small_integers(values: np.ndarray) -> np.ndarray | None:
    """Return values as integers; None unless they are integers from 0 to less than _FEW."""
    if values.max() >= _FEW:
        return None
    integers = values.astype(np.intp)
    return integers if integers.min() >= 0 and (integers == values).all() else None


def _chunks_of_queries(
    starts: np.ndarray,
) -> Iterator[tuple[int, int, slice, np.ndarray]]:
    """Yield (first, last, rows, starts in these rows) of some whole queries."""
    for first, last in cut_runs(starts, SORTED_ROWS):
        local = starts[first : last + 1]
        yield first, last, slice(int(local[0]), int(local[-1])), local - local[0]


def _below(
    compare: Callable[..., np.ndarray], values: np.ndarray, starts: np.ndarray
) -> np.ndarray:
    """Return which rows compare so with the row above in their query; the first do not."""
    result = np.zeros(len(values), dtype=bool)
    compare(values[1:], values[:-1], out=result[1:])
    result[starts[:-1][starts[:-1] < len(values)]] = False
    return result


def _rank_as_given(
    score: np.ndarray, tagged: np.ndarray, starts: np.ndarray
) -> Found | None:
    """Return the ranks of tagged rows; None unless each score is lower than the one above.

    So are the lists of recommenders. Only -inf may repeat.
    """
    few = score[: min(int(starts[1]), 8)]
    if (few[1:] > few[:-1]).any():  # as good as always, if the rows are in no order
        return None
    rises = _below(np.greater_equal, score, starts)
    if rises.any() and (score[rises] > -np.inf).any():
        return None
    return _found_at(tagged, np.arange(len(tagged)), starts)


def _found_at(position: np.ndarray, tag: np.ndarray, starts: np.ndarray) -> Found:
    """Return what there is to say of tagged rows at some positions, if nothing ties."""
    is_all = len(position) == starts[-1]
    n_tagged = sizes_of(starts if is_all else position.searchsorted(starts))
    query = np.arange(len(starts) - 1).repeat(n_tagged)
    place = position - starts[:-1].repeat(n_tagged)
    return Found(tag, query, place.copy(), np.ones(len(place), np.intp), place)


def _rank_by_bits(
    score: np.ndarray,
    tagged: np.ndarray,
    starts: np.ndarray,
    query: np.ndarray | None = None,
) -> Found | None:
    """Return the ranks of tagged rows by their sort bits; None if too many of these repeat.

    `query` is that of each row; None: rows lie together by query.
    """
    keys, tag_width = _sorted_keys(score, starts, query, tagged)
    tag = last_field(keys, tag_width)
    position = (tag != 0).nonzero()[0]
    tag = tag if len(position) == len(keys) else tag[position]
    tag -= 1
    found = _found_at(position, tag, starts)
    same_bits = repeats_but_last(keys, tag_width)
    if not same_bits.any():
        return found
    in_doubt = np.append(same_bits, False)[position]
    in_doubt |= np.append(False, same_bits)[position]
    # Rows at -inf all share one set of bits, but nobody asks for their ranks.
    in_doubt &= score[tagged[tag]] > -np.inf
    n_doubtful, n_queries = np.count_nonzero(in_doubt), len(starts) - 1
    if n_doubtful > _MOST_IN_DOUBT * len(tag):
        return None
    if n_doubtful:
        if query is None:
            query = np.arange(n_queries).repeat(sizes_of(starts))
        _rank_again(found, in_doubt, score, tagged, query, n_queries)
    return found


def _rank_again(
    found: Found,
    in_doubt: np.ndarray,
    score: np.ndarray,
    tagged: np.ndarray,
    query: np.ndarray,
    n_queries: int,
) -> None:
    """Rank queries with rows in doubt again, by their scores; write it into `found`."""
    is_doubtful = np.zeros(n_queries, dtype=bool)
    is_doubtful[found.query[in_doubt]] = True
    rows = np.flatnonzero(is_doubtful[query])
    rows = rows[order_by_codes([query[rows]], [n_queries])]
    sizes = np.bincount(query[rows], minlength=n_queries)[is_doubtful]
    number = _numbers(tagged, len(score))[rows]
    target = np.flatnonzero(is_doubtful[found.query])
    for _, _, part, local in _chunks_of_queries(starts_of(sizes)):
        within = np.flatnonzero(number[part] >= 0)
        better = _rank_by_score(score[rows[part]], within, local)
        where, target = target[: len(within)], target[len(within) :]
        found.tag[where] = number[part][within[better.tag]]
        for values, mended in zip(found[2:], better[2:], strict=True):
            values[where] = mended


def _rank_by_score(score: np.ndarray, tagged: np.ndarray, starts: np.ndarray) -> Found:
    """Return the exact ranks of tagged rows, which lie together by query."""
    order, repeats = _sort_by_score(score, starts)
    tag = order if len(tagged) == len(score) else _numbers(tagged, len(score))[order]
    position = np.flatnonzero(tag >= 0)
    found = _found_at(position, tag[position], starts)
    begins = starts_where(~repeats)
    sizes = sizes_of(begins)
    if len(position) < len(order) // _SOUGHT:
        block = begins.searchsorted(position, side="right") - 1
    else:
        block = np.arange(len(sizes)).repeat(sizes)[position]
    above = found.place + begins[block] - position
    return found._replace(above=above, tied=sizes[block])


def _numbers(tagged: np.ndarray, n_rows: int) -> np.ndarray:
    """Return for each row its number among the tagged ones, -1 for others."""
    number = np.full(n_rows, -1, dtype=np.intp)
    number[tagged] = np.arange(len(tagged))
    return number


def _sort_by_score(score: np.ndarray, starts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the exact order of rows, and which repeat the score above in their query."""
    keys, row_width = _sorted_keys(score, starts)
    order = last_field(keys, row_width)
    order -= 1
    ranked = score[order]
    if _below(np.greater, ranked, starts).any():
        same_bits = _below(np.equal, without_last(keys, row_width), starts)
        _sort_runs(score, order, same_bits)
        ranked = score[order]
    return order, _below(np.equal, ranked, starts)


def _sort_runs(score: np.ndarray, order: np.ndarray, same_bits: np.ndarray) -> None:
    """Sort, in place, each run of rows that share their sort bits by their real scores."""
    below = np.flatnonzero(same_bits)
    places = np.union1d(below, below - 1)
    run = np.cumsum(~np.isin(places, below, assume_unique=True))
    rows = order[places]
    # Integers as stand-ins: they can be negated, whatever the type of the scores.
    rank = np.unique(score[rows], return_inverse=True)[1]
    order[places] = rows[np.lexsort((rows, -rank, run))]


def _sorted_keys(
    score: np.ndarray,
    starts: np.ndarray,
    query: np.ndarray | None = None,
    tagged: np.ndarray | None = None,
) -> tuple[np.ndarray, int]:
    """Return sorted keys and the width of their tags, which count from 1.

    `query` is that of each row; None: they lie together. `tagged` None: tag all rows.
    """
    n_queries, sizes = len(starts) - 1, sizes_of(starts)
    n_tags = len(score) if tagged is None else len(tagged)
    is_grid = query is None and sizes[0] >= _WORTH_A_SORT and (sizes == sizes[0]).all()
    if query is None and not is_grid:
        query = np.repeat(np.arange(n_queries), sizes)
    query_width, tag_width = 0 if is_grid else width_of(n_queries), width_of(n_tags + 1)
    keys = _untagged_keys(score, query, query_width, tag_width)
    tags = _TAGS[:n_tags] if n_tags <= SORTED_ROWS else np.arange(1, n_tags + 1)
    if n_tags == len(score):
        keys |= tags.view(np.uint64)
    else:
        keys[tagged] |= tags.view(np.uint64)
    if is_grid:
        keys.reshape(n_queries, -1).sort(axis=1)  # short sorts take fewer steps
    else:
        keys.sort()
    return keys, tag_width


def _untagged_keys(
    score: np.ndarray, query: np.ndarray | None, query_width: int, tag_width: int
) -> np.ndarray:
    """Return keys of the query and the leading sort bits of each row, with the tag 0."""
    if query is None or query_width == 0:
        bits = _sort_bits(score)
        return without_last(bits, tag_width, out=bits)
    widths = query_width, 64 - query_width - tag_width, tag_width
    keys = np.empty(len(score), dtype=np.uint64)
    for start in range(0, len(score), SORTED_ROWS):
        rows = slice(start, start + SORTED_ROWS)
        bits = _sort_bits(score[rows])
        bits >>= np.uint64(64 - widths[1])
        pack((query[rows], bits, None), widths, keys[rows])
    return keys


def _sort_bits(score: np.ndarray) -> np.ndarray:
    """Return 64-bit integers that are in order where the scores are in reverse order."""
    if score.dtype.itemsize > 8:
        with np.errstate(over="ignore"):  # beyond float64 is inf, which keeps the order
            score = score.astype(np.float64)
    # Taken from 0.0, so that -0.0 and 0.0 are one score.
    bits = np.subtract(0.0, score, dtype=np.float64).view(np.int64)
    # Positive floats are in the order of their bits, above the negative ones, which are in
    # reverse order: flip the sign of the former, all bits of the latter.
    flip = bits >> 63
    flip |= np.int64(-(2**63))
    bits ^= flip
    return bits.view(np.uint64)

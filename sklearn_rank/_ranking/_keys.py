"""Rank rows within queries, exactly and as fast as NumPy sorts integers.

A row's key packs three things into 64 bits,

    query | leading sort bits of the score | tag

so one `np.sort` of integers, which NumPy vectorizes, groups the rows and ranks them. It is
several times faster than an argsort of the scores, and a lexsort costs more still.

The sort bits of a score are a 64-bit integer; integers are in order where the scores are in
reverse order. The leading bits keep that order but can make different scores equal.

The tag is the number of the row, and a bit that says whether it has a grade: most metrics
ask only for the ranks of these rows, and others are never looked at again. Where such a row
shares its leading bits with a neighbor, their real scores are compared and, where these are
not in order, sorted: nothing is approximate, and ties are exact.

Rows that lie together by query are ranked in chunks of whole queries, which stay in the
processor's cache. That also bounds the extra memory and leaves enough sort bits.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank._base._runs import (
    SORTED_ROWS,
    cut_runs,
    ranges,
    sizes_of,
    starts_where,
    width_of,
)

# Queries of one length from which on a sort of each beats a sort of all.
_WORTH_A_SORT = 32
# Values of a query for each one wanted from which on a partition beats a sort.
_WORTH_A_PARTITION = 4
# Fewer sort bits than this confuse too many scores: sign, exponent and 12 more, or 10 where
# a row in so many is asked for, as only its neighbors have to differ from it.
_LEAST_SORT_BITS = 24
_LEAST_OF_FEW = 22
_ASKED = 4
# Integers below this are counted and not sorted, which saves a tenth of an NDCG.
_FEW = 32
# With fewer rows than this share, searching beats a list of all.
_SOUGHT = 8
_TAGS = np.arange(0, 2 * SORTED_ROWS, 2)


class RankedRows(NamedTuple):
    """Tagged rows, by query and by descending score; one value for each of them."""

    query: np.ndarray
    row: np.ndarray
    above: np.ndarray  # rows of its query with a higher score
    tied: np.ndarray  # rows of its query with the same score, itself included
    place: np.ndarray  # rows of its query before it, where equal scores keep their order
    grade: Any = None  # None while only the ranks are known

    def take(self, rows: np.ndarray) -> "RankedRows":
        """Return some of the rows, given as a mask."""
        places = rows.nonzero()[0]  # takes less than the mask again and again
        return RankedRows(*(values[places] for values in self))


class _Sorted(NamedTuple):
    """Sorted keys of some whole queries."""

    keys: np.ndarray
    tag_width: int
    starts: np.ndarray

    def rows(self, places: np.ndarray | slice = slice(None)) -> np.ndarray:
        """Return the rows at some places, as numbers of their scores."""
        tags = self.keys[places] & np.uint64((1 << self.tag_width) - 1)
        return (tags >> np.uint64(1)).astype(np.intp, copy=False)

    def repeats(self) -> np.ndarray:
        """Return which keys have the query and the sort bits of the one above."""
        result = np.zeros(len(self.keys), dtype=bool)
        largest_tag = np.uint64((1 << self.tag_width) - 1)
        result[1:] = (self.keys[1:] ^ self.keys[:-1]) <= largest_tag
        starts = self.starts[:-1]
        result[starts[starts < len(result)]] = False
        return result


def rank_grouped_rows(
    score_of: Callable[[slice], np.ndarray],
    tagged_of: Callable[[slice], tuple[np.ndarray, np.ndarray]],
    starts: np.ndarray,
) -> Iterator[tuple[int, int, RankedRows]]:
    """Rank rows that lie together by query, queries first, ..., last - 1 at a time.

    Query i, counted from 0, has rows starts[i]:starts[i + 1]. `score_of` gives the scores
    of a slice of the rows, `tagged_of` the places in the slice that have a grade, and the
    grades. Rows with the score -inf are sorted last.
    """
    are_sorted = True
    for first, last, rows, local in _chunks_of_queries(starts):
        score, (tagged, grade) = score_of(rows), tagged_of(rows)
        are_sorted = are_sorted and _are_sorted(score, local)  # mostly all are, or few
        if are_sorted:
            ranked = _ranks_without_ties(tagged, tagged, local)
        else:
            ranked = rank_run(score, tagged, local)
            if len(grade) < len(score):
                by_row = np.empty(len(score), dtype=grade.dtype)
                by_row[tagged] = grade
                grade = by_row
            grade = grade[ranked.row]
        query, row = ranked.query + first, ranked.row + rows.start
        yield first, last, ranked._replace(query=query, row=row, grade=grade)


def rank_scattered_rows(
    score: np.ndarray,
    grade: np.ndarray,
    query: np.ndarray,
    starts: np.ndarray,
    *,
    every_row: bool = False,
) -> Iterator[tuple[int, int, RankedRows]] | None:
    """Rank rows in any order by one sort; query i has starts[i + 1] - starts[i] of them.

    Yield the same, of rows that have a grade, or of every row. None where the numbers of
    rows and queries leave too few sort bits.
    """
    tagged = np.arange(len(grade)) if every_row else (grade != 0).nonzero()[0]
    least = _LEAST_OF_FEW if _ASKED * len(tagged) < len(grade) else _LEAST_SORT_BITS
    if 64 - width_of(len(starts) - 1) - width_of(2 * len(score)) < least:
        return None
    return _ranked_chunks(_sorted_keys(score, tagged, starts, query), score, grade)


def _ranked_chunks(
    ordered: _Sorted, score: np.ndarray, grade: np.ndarray
) -> Iterator[tuple[int, int, RankedRows]]:
    for first, last, places, local in _chunks_of_queries(ordered.starts):
        chunk = ordered._replace(keys=ordered.keys[places], starts=local)
        ranked = _ranks_from_keys(chunk, score)
        query = ranked.query + first
        yield first, last, ranked._replace(query=query, grade=grade[ranked.row])


def rank_run(score: np.ndarray, tagged: np.ndarray, starts: np.ndarray) -> RankedRows:
    """Return the ranks of tagged rows, which lie together by query, by one sort."""
    return _ranks_from_keys(_sorted_keys(score, tagged, starts), score)


def sort_within(values: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Return the order of rows by query, by descending value and by row."""
    if len(values) == 0 or values.min() == values.max():
        return np.arange(len(values))
    parts = []
    for _, _, rows, local in _chunks_of_queries(starts):
        ordered = _sorted_keys(values[rows], np.arange(0), local)
        repeats = ordered.repeats()
        _sort_runs(ordered, values[rows], _places_in_runs(repeats), repeats)
        parts.append(ordered.rows() + rows.start)
    return np.concatenate(parts)


def descend_within(
    values: np.ndarray, query: np.ndarray, starts: np.ndarray, k: int | None = None
) -> np.ndarray:
    """Return the k highest values of each query (if None, all), by query and descending.

    Row i is of query[i]; query j has rows starts[j]:starts[j + 1].
    """
    sizes = np.diff(starts)
    if len(values) == 0 or values.min() == values.max():  # such as binary relevance
        return values if k is None else values[: int(np.minimum(sizes, k).sum())]
    if (sizes == sizes[0]).all():
        table, first = values.reshape(len(sizes), -1), max(sizes[0] - (k or sizes[0]), 0)
        if k is not None and sizes[0] > _WORTH_A_PARTITION * k:
            table = np.partition(table, first, axis=1)[:, first:]
            first = 0
        return np.sort(table, axis=1)[:, first:][:, ::-1].ravel()
    integers = _small_integers(values)
    if integers is not None:
        return _count_descending(integers, values.dtype, query, len(starts) - 1, k)
    if k is None:
        return values[sort_within(values, starts)]
    first = ranges(starts[:-1], np.minimum(sizes, k))
    return values[sort_within(values, starts)[first]]


def _count_descending(
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


def _chunks_of_queries(starts: np.ndarray) -> Iterator[tuple[int, int, slice, np.ndarray]]:
    """Yield (first, last, rows, starts in these rows) of some whole queries."""
    for first, last in cut_runs(starts, SORTED_ROWS):
        local = starts[first : last + 1]
        yield first, last, slice(int(local[0]), int(local[-1])), local - local[0]


def _are_sorted(score: np.ndarray, starts: np.ndarray) -> bool:
    """Return whether each score is lower than the one above; only -inf may repeat.

    So are the lists of recommenders.
    """
    first_scores = score[: min(int(starts[1]), 8)]
    if (first_scores[1:] > first_scores[:-1]).any():
        return False
    rises = np.zeros(len(score), dtype=bool)
    np.greater_equal(score[1:], score[:-1], out=rises[1:])
    rises[starts[:-1][starts[:-1] < len(score)]] = False
    return not (rises.any() and (score[rises] > -np.inf).any())


def _ranks_without_ties(
    position: np.ndarray, row: np.ndarray, starts: np.ndarray
) -> RankedRows:
    """Return what there is to say of rows at some positions, if nothing ties."""
    is_all = len(position) == starts[-1]
    n_tagged = np.diff(starts if is_all else position.searchsorted(starts))
    query = np.arange(len(starts) - 1).repeat(n_tagged)
    place = position - starts[:-1].repeat(n_tagged)
    return RankedRows(query, row, place.copy(), np.ones(len(place), np.intp), place)


def _ranks_from_keys(ordered: _Sorted, score: np.ndarray) -> RankedRows:
    """Return the ranks of tagged rows, given sorted keys and the scores by row."""
    keys = ordered.keys
    position = (keys & np.uint64(1)).astype(bool).nonzero()[0]
    repeats = ordered.repeats()
    if not repeats.any():
        return _ranks_without_ties(position, ordered.rows(position), ordered.starts)
    begins = None
    if _ASKED * len(position) > len(keys):
        places = _places_in_runs(repeats)
    else:
        begins, block = _runs_of(repeats, position)
        is_asked = np.zeros(len(begins) - 1, dtype=bool)
        is_asked[block] = True
        sizes = sizes_of(begins)
        is_asked &= sizes > 1
        places = is_asked.repeat(sizes).nonzero()[0]
    if _sort_runs(ordered, score, places, repeats) or begins is None:  # keys moved
        position = (keys & np.uint64(1)).astype(bool).nonzero()[0]
        begins, block = _runs_of(repeats, position)
    ranked = _ranks_without_ties(position, ordered.rows(position), ordered.starts)
    above = ranked.place + begins[block] - position
    return ranked._replace(above=above, tied=sizes_of(begins)[block])


def _places_in_runs(repeats: np.ndarray) -> np.ndarray:
    """Return the places of runs of more than one key."""
    is_near = repeats.copy()
    is_near[:-1] |= repeats[1:]
    return is_near.nonzero()[0]


def _runs_of(repeats: np.ndarray, position: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return where runs begin, and the run of each position."""
    begins = starts_where(~repeats)
    if len(position) < len(repeats) // _SOUGHT:
        return begins, begins.searchsorted(position, side="right") - 1
    block = np.arange(len(begins) - 1).repeat(sizes_of(begins))
    return begins, block if len(position) == len(block) else block[position]


def _sort_runs(
    ordered: _Sorted, score: np.ndarray, places: np.ndarray, repeats: np.ndarray
) -> bool:
    """Sort whole runs of keys that share their sort bits, by score and row.

    What no longer repeats the score above is noted. Return whether any score differed.
    """
    rows, goes_on = ordered.rows(places), repeats[places]
    real = score[rows]
    if not (goes_on[1:] & (real[1:] != real[:-1])).any():
        return False
    # Integers as stand-ins: they can be negated, whatever the type of the scores.
    rank = np.unique(real, return_inverse=True)[1]
    order = np.lexsort((rows, -rank, np.cumsum(~goes_on)))
    ordered.keys[places] = ordered.keys[places[order]]
    rank = rank[order]
    repeats[places[1:]] = goes_on[1:] & (rank[1:] == rank[:-1])
    return True


def _sorted_keys(
    score: np.ndarray,
    tagged: np.ndarray,
    starts: np.ndarray,
    query: np.ndarray | None = None,
) -> _Sorted:
    """Return the sorted keys of all rows; without `query` they lie together by query."""
    n_rows, n_queries, sizes = len(score), len(starts) - 1, np.diff(starts)
    is_grid = query is None and sizes[0] >= _WORTH_A_SORT and (sizes == sizes[0]).all()
    if query is None and not is_grid:
        query = np.repeat(np.arange(n_queries), sizes)
    query_width = 0 if is_grid else (n_queries - 1).bit_length()
    tag_width = max(2 * n_rows - 1, 0).bit_length()
    keys = _untagged_keys(score, query, query_width, tag_width)
    tags = _TAGS[:n_rows] if n_rows <= SORTED_ROWS else np.arange(0, 2 * n_rows, 2)
    keys |= tags.view(np.uint64)
    if len(tagged) == n_rows:
        keys |= np.uint64(1)
    else:
        keys[tagged] |= np.uint64(1)
    if is_grid:
        keys.reshape(n_queries, -1).sort(axis=1)  # short sorts take fewer steps
    else:
        keys.sort()
    return _Sorted(keys, tag_width, starts)


def _untagged_keys(
    score: np.ndarray, query: np.ndarray | None, query_width: int, tag_width: int
) -> np.ndarray:
    """Return keys of the query and the leading sort bits of each row, with the tag 0."""
    if query is None or query_width == 0:
        bits = _sort_bits(score)
        bits &= ~np.uint64((1 << tag_width) - 1)
        return bits
    keys = np.empty(len(score), dtype=np.uint64)
    for start in range(0, len(score), SORTED_ROWS):
        rows = slice(start, start + SORTED_ROWS)
        bits = _sort_bits(score[rows])
        bits >>= np.uint64(query_width + tag_width)
        bits <<= np.uint64(tag_width)
        part = keys[rows]
        part[:] = query[rows]
        part <<= np.uint64(64 - query_width)
        part |= bits
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

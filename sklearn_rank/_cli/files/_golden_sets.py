"""Golden sets and ranked lists of the commands: how they are read and scored."""

import re
import warnings
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from types import MappingProxyType
from typing import Any

import numpy as np

from sklearn_rank._base._messages import call_keeping_texts, quantity, shorten
from sklearn_rank._cli._errors import (
    InputError,
    replace_arguments_by_options,
    report_errors_as_options,
)
from sklearn_rank._cli._named_metrics import BoundMetric
from sklearn_rank.exceptions import MisleadingScoreWarning
from sklearn_rank.inputs._reading._bytes import STDIN, read_content
from sklearn_rank.inputs._reading._entries import check_named
from sklearn_rank.inputs._reading._forms import Parsed, Table, parse, read_document_map
from sklearn_rank.inputs._reading._joining import Joining, join, join_notes, pair_queries
from sklearn_rank.inputs._reading._names import Names
from sklearn_rank.inputs._reading._records import read_side
from sklearn_rank.inputs._reading._roles import roles_of
from sklearn_rank.inputs._reading._sides import FileSide
from sklearn_rank.metrics import PerQueryScores, per_query_scores
from sklearn_rank.metrics._core._judged_share import (
    JUDGED_SHARE,
    judgment_notes,
    needed_judgments,
)
from sklearn_rank.metrics._core._system_repeats import mean_of_repeats

FIELDS = ("query", "relevant", "item", "grade", "score", "rank", "repeat")
# The options of Python's parameters.
OPTIONS = {
    name: f"--{name.replace('_', '-')}"
    for name in (*FIELDS, "split", "duplicates", "document_sep", "document_map")
}


@contextmanager
def errors_as_options(files: Mapping[str, str] = MappingProxyType({})) -> Iterator[None]:
    """Turn errors about files, by parameters, and parameters into a line about options."""
    try:
        with report_errors_as_options({**OPTIONS, **files}):
            yield
    except FileNotFoundError as error:
        raise InputError(
            f"There is no file {error.filename!r}; check the name and the folder."
        ) from error
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"Cannot read {error.filename!r}: {reason}.") from error


class Files:
    """The files of a command, each read once."""

    def __init__(self, options: Namespace):
        self.options = options
        self.names = Names(**{name: getattr(options, name) for name in FIELDS})
        documents = None
        if options.document_map is not None:
            with errors_as_options():
                documents = read_document_map(options.document_map)
        self.how = Joining(
            "raise" if options.duplicates == "refuse" else options.duplicates,
            options.document_sep,
            documents,
            return_items=True,
            keeps_unjudged=False,
        )
        self.notes: list[str] = []
        self._parsed: dict[str, Parsed] = {}

    def parsed(self, path: str, *, growing: bool = False) -> Parsed:
        """Return what a file holds; if it is growing, without a line that has no end."""
        if path not in self._parsed:
            with errors_as_options():
                content = read_content(path, "file", self.options.split)
                data = content.data
                end = data.rfind(b"\n") + 1
                if growing and end < len(data) and data[-1:] not in b"}]1":
                    content = content._replace(data=data[:end])
                    self.notes.append(
                        f"The last row of {content.name} has no line end: it is still "
                        "being written, and is left out."
                    )
                self._parsed[path] = parse(content)
        return self._parsed[path]

    def side(self, path: str, role: str) -> FileSide:
        """Return the judgments ("truth") or the lists ("lists") of a file."""
        side = self.note_doubts({}, read_side, self.parsed(path), role, self.names)
        self.notes += [*side.notes, *side.doubts]
        side.doubts.clear()
        return side

    def note_doubts(
        self, names: Mapping[str, str], function: Callable[..., Any], *arguments: Any
    ) -> Any:
        """Return what a function returns, and note what it warns of files.

        `names` are those of files by the parameters of Python.
        """
        with errors_as_options(names), warnings.catch_warnings():
            warnings.simplefilter("ignore", MisleadingScoreWarning)
            result, texts = call_keeping_texts(function, *arguments)
        self.notes += [
            replace_arguments_by_options(text, {**OPTIONS, **names}) for text, _ in texts
        ]
        return result

    def order_sides(self, results: str, golden: str) -> tuple[str, str]:
        """Return the lists and the golden set, which were given in any order."""
        if results == golden == STDIN:
            raise InputError("- is the standard input, which can be read once; name files.")
        with errors_as_options():
            roles = [roles_of(self.parsed(path), self.names) for path in (results, golden)]
        if "lists" not in roles[0] and "lists" in roles[1]:
            return golden, results
        if "truth" not in roles[1] and "truth" in roles[0]:
            return golden, results
        return results, golden

    def check_holds_both(self, path: str) -> None:
        """Raise unless a file has lists and what is relevant."""
        with errors_as_options():
            roles = roles_of(self.parsed(path), self.names)
        if roles == {"truth", "lists"}:
            return
        is_run = roles == {"lists"}
        kind, rest = ("a run", "golden set") if is_run else ("a golden set", "results")
        end = f"{path} GOLDEN" if is_run else f"RESULTS {path}"
        call = f"sklearn-rank {self.options.command} {end}"
        raise InputError(f"{path!r} is {kind}; name the {rest}: {call}")


def has_values(parsed: Parsed) -> bool:
    """Return whether a file is a table of values per query, and none of lists or ids."""
    if not isinstance(parsed.value, Table) or len(parsed.value.names) < 2:
        return False
    first = parsed.value.rows[0][1:]
    names = parsed.value.names[1:]
    numbers = [cell for name, cell in zip(names, first, strict=True) if name != JUDGMENTS]
    return set(names).isdisjoint(OF_LISTS) and all(map(may_be_value, numbers))


# Columns of lists, and the column with digests of the judgments of a query.
OF_LISTS = ("item", "item_id", "rank", "score", "grade", "rating", "relevance", "doc_id")
JUDGMENTS = "judgments"


def may_be_value(cell: Any) -> bool:
    """Return whether a cell is empty or a number."""
    if cell is None or cell == "":
        return True
    try:
        float(cell)
    except (TypeError, ValueError):
        return False
    return True


@dataclass
class ScoredLists:
    """The values per query of the lists of a file, and its rows."""

    values: PerQueryScores  # of repeats, the means
    rows: Any
    n_hits: int  # queries whose list has a relevant item
    n_empty: int  # queries without an item
    repeats: list[PerQueryScores]


def score_lists(
    files: Files,
    truth: FileSide,
    lists: FileSide,
    metrics: Sequence[BoundMetric],
    *,
    convention: str | None = None,
    catalogue: Any = None,
    answered: bool = False,
    only_listed: bool = False,
    notes_judged: bool = False,
) -> ScoredLists:
    """Score lists by metrics with a value per query; of repeats, return the mean of each.

    Queries without a list count as empty lists. `answered` leaves them out, as they are not
    evaluated yet; `only_listed`, as their list is not known. `notes_judged` notes that
    little of the lists is judged.
    """
    repeats = [None] if lists.repeats is None else list(dict.fromkeys(lists.repeats))
    by_repeat: list[PerQueryScores] = []
    n_hits, listed = 0, set()
    with errors_as_options():
        check_named(files.names, truth, lists)
    for repeat in repeats:
        n_notes = len(files.notes)
        with errors_as_options():
            pairing = pair_queries(truth, lists, repeat, keeps=False)
        names = {"truth": truth.name, "lists": lists.name}
        rows = files.note_doubts(names, join, truth, lists, pairing, files.how)
        has_doubts = len(files.notes) > n_notes
        notes = join_notes(truth, lists, pairing)
        values = _score_rows(
            rows, metrics, convention, catalogue, notes if notes_judged else None
        )
        listed |= set(rows.groups[rows.y_score > -np.inf].tolist())
        if answered or only_listed:
            ends = r"counts? as (an )?empty lists?", "not evaluated yet, and left out"
            notes = [re.sub(*ends, note) for note in notes]
        if only_listed:  # a note on queries that both sides have says it
            notes = [note for note in notes if ends[1] not in note]
        files.notes += notes + _notes_on_hits(truth, lists, rows, has_doubts=has_doubts)
        is_hit = (rows.y_score > -np.inf) & (rows.y_true > 0)
        n_hits = max(n_hits, len(set(rows.groups[is_hit].tolist())))
        by_repeat.append(values)
    files.notes += lists.doubts
    files.notes[:] = dict.fromkeys(files.notes)
    n_empty = len(set(by_repeat[0].groups.tolist()) - listed)  # in all repeats
    if answered or only_listed:
        by_repeat = [v.of(np.isin(v.groups, list(listed))) for v in by_repeat]
    return ScoredLists(mean_of_repeats(by_repeat), rows, n_hits, n_empty, by_repeat)


def _score_rows(
    rows: Any,
    metrics: Sequence[BoundMetric],
    convention: str | None,
    catalogue: Any,
    notes: list[str] | None,
) -> PerQueryScores:
    """Return the values of rows; if there are notes, add one if little is judged."""
    judged = needed_judgments(metrics, rows.y_true) if notes is not None else []
    bound: Any = [*metrics, *judged]
    names = ("y_true", "y_score", "groups", *(["items"] if _need_items(metrics) else []))
    with errors_as_options():
        values = per_query_scores(
            **{name: rows[name] for name in names},
            metrics=bound,
            convention=convention,
            catalogue=catalogue,
        )
    if not judged or notes is None:
        return values
    notes += judgment_notes(judged[0], values.mean()[JUDGED_SHARE], values.longest_list)
    asked = {name: of for name, of in values.scores.items() if name != JUDGED_SHARE}
    return values._like(values.groups, asked, values.weights, values.fold)


def _notes_on_hits(
    truth: FileSide, lists: FileSide, rows: Any, *, has_doubts: bool
) -> list[str]:
    """Say that nothing is relevant, or that no list has it, unless a doubt says why."""
    is_shown, is_relevant = rows.y_score > -np.inf, rows.y_true > 0
    if not is_relevant.any():
        return [f"Nothing in {truth.name} is relevant: no grade is above 0."]
    if (is_shown & is_relevant).any() or not is_shown.any() or has_doubts:
        return []
    return [
        f"No list of {lists.name} has a relevant item. One shows "
        f"{shorten(str(rows['items'][is_shown][0]))}, and "
        f"{shorten(str(rows['items'][is_relevant][0]))} is relevant in {truth.name}: check "
        "that ids mean the same."
    ]


def _need_items(metrics: Sequence[BoundMetric]) -> bool:
    return any(
        column.name == "items"
        for metric in metrics
        for column in metric.metric.needed_columns
    )


def labels_of(truth: FileSide) -> dict[str, str]:
    """Return the text of each query, or its id where it has none."""
    return {query: truth.text_of(code) for code, query in enumerate(truth.queries)}


def digests_of(truth: FileSide) -> dict[str, str]:
    """Return a digest of the judgments of each query, which tells when these change."""
    entries: dict[int, list[str]] = {code: [] for code in range(len(truth.queries))}
    columns = truth.query_codes.tolist(), truth.item_codes.tolist(), truth.numbers.tolist()
    for query, item, grade in zip(*columns, strict=True):
        entries[query].append(f"{truth.items[item]}\0{grade!r}")
    return {
        truth.queries[code]: sha256("\1".join(sorted(of)).encode()).hexdigest()[:8]
        for code, of in entries.items()
    }


def _values_of_field(truth: FileSide, option: str, name: str) -> dict[str, Any]:
    """Return the value of a field of each query, or None."""
    fields = {query: truth.fields.get(code, {}) for code, query in enumerate(truth.queries)}
    if not any(name in record for record in fields.values()):
        has = ", ".join(
            dict.fromkeys(str(field) for record in fields.values() for field in record)
        )
        raise InputError(
            f"{truth.name} has no field {name!r} of {option}; it has: {has or 'no fields'}."
        )
    return {query: record.get(name) for query, record in fields.items()}


def clusters_of(truth: FileSide, name: str, notes: list[str]) -> dict[str, str]:
    """Return the cluster of each query, by a field; without it a query is its own."""
    values = _values_of_field(truth, "--cluster", name)
    missing = [query for query, value in values.items() if value in (None, "")]
    if missing:
        notes.append(
            f"{quantity(len(missing), 'query')} of {truth.name} without {name!r}, such as "
            f"{shorten(missing[0])}: each a cluster of its own."
        )
    clusters = {query: f"{name}: {value}" for query, value in values.items()}
    return clusters | {query: query for query in missing}


def parts_of(truth: FileSide, by: str) -> dict[str, list[str]]:
    """Return the queries of each value of a field; of a list each value counts."""
    parts: dict[str, list[str]] = {}
    for query, value in _values_of_field(truth, "--by", by).items():
        for part in value if isinstance(value, list) else [value]:
            parts.setdefault("(none)" if part in (None, "") else str(part), []).append(
                query
            )
    return parts

"""What the fields of a file mean, by the words of their names."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# A name has a role if it has a word of the role, and all its words are of the role or of
# items.
ITEM = _words(
    "id ids doc docs document documents docid docids chunk chunks source sources file "
    "files filename path paths url urls uri uris page pages passage passages section "
    "sections item items product products node nodes note notes key keys slug slugs "
    "article articles memory memories symbol symbols tool tools entity entities "
    "record records sku skus corpus asin"
)
ROLES = {
    "truth": _words(
        "expected expect relevant relevance gold golden truth ground correct reference "
        "target targets positive positives qrel qrels judgments judgements ratings labels"
    ),
    "lists": _words(
        "retrieved results result ranked ranking returned predicted predictions hits top k "
        "actual found recommended recommendations candidates got"
    ),
}
# Of a list of objects with ids, beside a query or within an object beside it.
HOLDERS = ITEM | _words("context contexts match matches")
ROW_ID = "id"  # in records with a list only: the id of a row is not a query
QUERY_ID = ("query id", "qid", "question id", "topic id", "user id", "session id")
QUERY_TEXT = (
    *("query", "question", "q", "query text", "user input", "input", "prompt", "topic"),
    *("user", "session", "text"),
)
ONE_ITEM = (
    *("item", "item id", "doc id", "docid", "document id", "doc", "document", "chunk id"),
    *("corpus id", "url", "path", "file", "source", "key", "sku", "product id"),
)
GRADE = ("grade", "rating", "relevance", "rel", "label", "gain", "score")
SCORE = ("score", "similarity", "relevance score")
# Of a list of numbers, one for each id of the list beside it.
NUMBER_LISTS = {
    "truth": ("grades", "gains"),
    "lists": (*SCORE, "scores", "similarities", "relevance scores"),
}
RANK = ("rank", "position", "pos")
REPEAT = ("run", "repeat", "trial", "attempt", "seed", "iteration")
# Fields that narrow an item.
PARTS = _words(
    "lines line pages page start end span spans section sections heading snippet"
)
# Objects whose fields count as those of their record: promptfoo, LangSmith, langfuse.
OPENED = ("vars", "inputs", "outputs", "input", "metadata", "expected output")
_IDS = {"id", "ids"}


@dataclass(frozen=True)
class Names:
    """Fields that the caller named; None is found by its name."""

    query: str | None = None
    relevant: str | None = None
    item: str | None = None
    grade: str | None = None
    score: str | None = None
    rank: str | None = None
    repeat: str | None = None

    def list_of(self, role: str) -> str | None:
        """Return the field of items that the caller named for a role."""
        return self.relevant if role == "truth" else self.item


NO_NAMES = Names()


@lru_cache(maxsize=4096)
def words_of(name: Any) -> str:
    """Return the words of a name in lower case: gold_docIds -> "gold doc ids"."""
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", str(name))
    return " ".join(re.split(r"[^a-z0-9]+", spaced.lower())).strip()


def pick(record: Mapping[Any, Any], wanted: tuple[str, ...]) -> Any:
    """Return the field whose words come first among the wanted ones; None without any."""
    by_words = {words_of(name): name for name in reversed(list(record))}
    return next((by_words[words] for words in wanted if words in by_words), None)


def list_fields(record: Mapping[Any, Any], role: str) -> list[Any]:
    """Return the fields of a record that hold the items of a query."""
    fields = []
    for name, value in record.items():
        words = set(words_of(name).split())
        if words & _IDS:  # without ids, contexts are texts
            words -= {"context", "contexts"}
        own = ROLES[role]
        if not words & own or not words <= own | ITEM or isinstance(value, bool | float):
            continue
        is_sentence = isinstance(value, str) and " " in value.strip()
        if words & ITEM or not (is_sentence or isinstance(value, int)):
            fields.append(name)
    return fields


def item_fields(record: Mapping[Any, Any]) -> list[Any]:
    """Return the fields of a row that hold one item."""
    return [
        name
        for name, value in record.items()
        if words_of(name) in ONE_ITEM
        and isinstance(value, str | int | float)
        and not isinstance(value, bool)
    ]


def has_role(record: Mapping[Any, Any], role: str, names: Names) -> bool:
    """Return whether a record has a list of the role, or is a row of query and item."""
    field, fields = names.list_of(role), list_fields(record, role)
    if field is not None and field not in record:
        # Of lists it may be in the objects of a list.
        lists = [record[name] for name in fields if isinstance(record[name], list)]
        objects = [of for of in lists for of in of if isinstance(of, Mapping)]
        return any(field in flatten(fields) for fields in objects)
    if field is not None or fields:
        return True
    has_query = pick(record, QUERY_ID + QUERY_TEXT) is not None or names.query in record
    return has_query and bool(item_fields(record) or names.item in record)


def _is_role(name: Any, value: Mapping[Any, Any]) -> bool:
    """Return whether an object holds a role beside other fields: "expected": {"docIds"}."""
    return any(
        list_fields({name: value}, role)
        and any(isinstance(value[field], list) for field in list_fields(value, role))
        for role in ROLES
    )


def flatten(record: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """Return a record with the fields of the objects that are opened."""
    opened = {
        name: value
        for name, value in record.items()
        if isinstance(value, Mapping)
        and (words_of(name) in OPENED or _is_role(name, value))
    }
    if not opened:
        return record
    flat = {name: value for name, value in record.items() if name not in opened}
    for value in opened.values():
        flat.update({name: part for name, part in value.items() if name not in flat})
    return flat

"""Lists of items by user in a JSON file, as a table."""

import json
import math
from collections.abc import Iterator
from functools import partial
from typing import Any

import pandas as pd

from sklearn_rank._cli.printing._errors import InputError
from sklearn_rank._cli.printing._format import shown
from sklearn_rank._cli.reading._input_files import check_file, open_lines

FORMS = '{"user": ["item", ...], ...} or {"user": {"item": number, ...}, ...}'


def read_json_lists(path: str, role: str) -> pd.DataFrame:
    """Return users, items, and their ranks, or what `role` calls their numbers."""
    check_file(path, "a JSON file")
    try:
        with open_lines(path) as file:
            lists = json.load(file, object_pairs_hook=partial(_named_once, path))
    except RecursionError as error:
        raise InputError(f"{path!r} is nested too deep; needed is {FORMS}.") from error
    except ValueError as error:
        raise InputError(f"{path!r} is no JSON: {error}.") from error
    if not isinstance(lists, dict) or not any(lists.values()):
        raise InputError(f"{path!r} has no lists of items; needed is {FORMS}.")
    kinds = {type(items) for items in lists.values() if items}
    if kinds not in ({list}, {dict}):
        raise InputError(f"{path!r} needs lists of one kind: {FORMS}.")
    rows = [
        (user, *_checked(path, user, item, number))
        for user, items in lists.items()
        for item, number in _pairs(items)
    ]
    name = "rank" if kinds == {list} else role
    return pd.DataFrame(rows, columns=["user", "item", name])


def _named_once(path: str, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON; of a name that is there twice one value would be lost."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        again = next(name for name in names if names.count(name) > 1)
        raise InputError(f"{path!r} has {shown(again)} twice in an object of JSON.")
    return found


def _pairs(items: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each item and its number or its rank."""
    if isinstance(items, dict):
        yield from items.items()
    else:
        yield from ((item, rank) for rank, item in enumerate(items or (), 1))


def _checked(path: str, user: str, item: Any, number: Any) -> tuple[Any, Any]:
    for value, kinds, needed in (
        (item, str | int, "items are texts or whole numbers"),
        (number, int | float, "what stands beside an item is a number"),
    ):
        is_nan = isinstance(value, float) and math.isnan(value)
        if not isinstance(value, kinds) or isinstance(value, bool) or is_nan:
            given = shown("null" if value is None else value)
            raise InputError(
                f"{path!r} has {given} in the list of user {shown(user)}; {needed}."
            )
    return item, number

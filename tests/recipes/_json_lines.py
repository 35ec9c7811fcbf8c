"""Rows for the metrics from lines of JSON, one per user."""

import json
from collections import Counter

from sklearn_rank._base._messages import shorten
from sklearn_rank.inputs._item_lists import from_item_lists


def from_json_lines(lines, *, return_items=False):
    """Return the rows of lines such as {"user": 1, "bought": [7], "shown": [8, 7]}."""
    records = [json.loads(line) for line in lines]
    users, often = Counter(record["user"] for record in records).most_common(1)[0]
    if often > 1:
        raise ValueError(
            f"User {shorten(users)} has {often} lines; give each user one line."
        )
    return from_item_lists(
        {record["user"]: record["bought"] for record in records},
        {record["user"]: record["shown"] for record in records},
        return_items=return_items,
    )

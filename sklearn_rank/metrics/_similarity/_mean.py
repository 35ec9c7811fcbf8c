"""The mean over users of how alike their two lists are."""

from typing import Any

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_rank._arrays._runs import starts_of
from sklearn_rank._ids._encode import Groups
from sklearn_rank._ranking._read_rows import weight_by_label
from sklearn_rank._validation import check_query_weight
from sklearn_rank._warn import warn_caller
from sklearn_rank.metrics._core._summaries import Mean
from sklearn_rank.metrics._core._undefined import WARN, check_undefined, filled
from sklearn_rank.metrics._similarity._two_lists import TwoLists


def mean_over_users(
    name: str,
    values: np.ndarray,
    lists: TwoLists,
    sample_weight: Any,
    replace_undefined_by: Any,
) -> float:
    """Return the mean of the values of users, and warn of those that it leaves out."""
    fill = check_undefined(replace_undefined_by)
    weight = _weight_of_users(sample_weight, lists)
    found = Mean().add(filled(values, fill), weight)
    if found.undefined and fill == WARN:
        warn_caller(
            f"{name}: undefined for {found.undefined} of {len(values)} users, both of "
            "whose lists are empty. The mean leaves them out. Set `replace_undefined_by` "
            "to a number, such as 1.0, to count them, or to NaN to leave them out without "
            "this warning.",
            category=UndefinedMetricWarning,
        )
    return found.result()


def _weight_of_users(sample_weight: Any, lists: TwoLists) -> np.ndarray | None:
    """Return one weight a user, from one a row where there are scores with groups."""
    user = lists.user_of_row
    if sample_weight is None or user is None:
        return check_query_weight(sample_weight, len(lists.users))
    groups = Groups(lists.users, starts_of(np.bincount(user)), None, user)
    return weight_by_label(sample_weight, groups, "user")

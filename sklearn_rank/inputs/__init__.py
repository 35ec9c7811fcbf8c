"""Rows for the metrics from lists of ids, from tables and from files; what to judge.

Each function that reads lists returns a Bunch, a dictionary whose keys are attributes, too.
It has the keys `y_true`, `y_score` and `groups`, so that
``ndcg_score(**from_item_lists(truth, recommended), k=10)`` works; `from_runs` has several
runs, for their fusion.
"""

from typing import TYPE_CHECKING

from sklearn_rank._hints._explain import explain_missing as _explain_missing

if TYPE_CHECKING:
    from sklearn_rank.inputs._frames import from_frames
    from sklearn_rank.inputs._from_files import from_files
    from sklearn_rank.inputs._interaction_log import InteractionLog
    from sklearn_rank.inputs._item_lists import from_item_lists
    from sklearn_rank.inputs._judging import fill_unjudged, make_pool
    from sklearn_rank.inputs._ratings import from_ratings
    from sklearn_rank.inputs._relevance import from_relevance
    from sklearn_rank.inputs._runs_of_items import from_runs
    from sklearn_rank.inputs._trec import to_trec

__all__ = [
    "InteractionLog",
    "fill_unjudged",
    "from_files",
    "from_frames",
    "from_item_lists",
    "from_ratings",
    "from_relevance",
    "from_runs",
    "make_pool",
    "to_trec",
]

# The file of each name, loaded when the name is first used.
_FILES = {
    "from_frames": "_frames",
    "from_files": "_from_files",
    "InteractionLog": "_interaction_log",
    "from_item_lists": "_item_lists",
    "fill_unjudged": "_judging",
    "make_pool": "_judging",
    "from_ratings": "_ratings",
    "from_relevance": "_relevance",
    "from_runs": "_runs_of_items",
    "to_trec": "_trec",
}

_explain_missing(__name__, _FILES)

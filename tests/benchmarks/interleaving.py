"""Team draft for many users at once, beside a loop over users."""

import random

import numpy as np

from sklearn_rank.online import team_draft_interleave
from tests.benchmarks.case import Case, Task

__all__ = ["CASES"]

N_ITEMS = 10


def many_users(scale: int) -> Case:
    """The limit is 2 seconds."""
    n_users = 100_000 // scale
    rng = np.random.default_rng(0)
    tables = [rng.random((n_users, 5 * N_ITEMS)).argsort(axis=1) for _ in range(2)]
    rankings = [table[:, :N_ITEMS].copy() for table in tables]

    def ours() -> np.ndarray:
        return team_draft_interleave(rankings, random_state=0).team

    def theirs() -> np.ndarray:
        draw = random.Random(0)
        lists = zip(*(table.tolist() for table in rankings), strict=True)
        return np.array([_draft(one, other, draw) for one, other in lists])

    task = Task("team draft", ours, _shares)
    peer = Task("a loop over users", theirs, _shares, limit=0.5, most_repeats=1)
    size = f"{n_users:,} users, two rankings of {N_ITEMS} items"
    return Case("interleave", size, task, [peer], 2_000, tuple(rankings), most_repeats=3)


def _draft(one: list, other: list, draw: random.Random) -> list[int]:
    shown: set = set()
    team: list[int] = []
    for _ in range(N_ITEMS // 2):
        for captain in draw.sample((0, 1), 2):
            shown.add(next(item for item in (one, other)[captain] if item not in shown))
            team.append(captain)
    return team


def _shares(team: np.ndarray) -> dict[str, float]:
    """Two rankers have as many items in each list."""
    return {"least": team.mean(axis=1).min(), "most": team.mean(axis=1).max()}


CASES = {"interleave": many_users}

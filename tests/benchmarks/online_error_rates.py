"""How often online tests say "different" where nothing is, at a nominal 0.05."""

from collections.abc import Callable

import numpy as np

from sklearn_rank.datasets import make_click_log
from sklearn_rank.online import compare_variants, interleaving_test, team_draft_interleave

__all__ = ["ONLINE", "false_alarms"]

LEVEL = 0.05
N_USERS = 400
N_LOOKS = 20
N_ITEMS = 6


def means(rng: np.random.Generator) -> float:
    """Exponential outcomes of users, such as sales."""
    return _of_variants(rng.exponential(size=N_USERS), rng)


def ratios(rng: np.random.Generator) -> float:
    """Clicks per view of users who differ much."""
    views = rng.poisson(8, N_USERS) + 1
    clicks = rng.binomial(views, rng.beta(1, 4, N_USERS))
    return _of_variants(clicks, rng, denominator=views)


def adjusted(rng: np.random.Generator) -> float:
    """Clicks per view, with the same of the weeks before, in unequal arms."""
    taste = rng.beta(1, 4, N_USERS)
    views, before = rng.poisson(8, (2, N_USERS)) + 1
    clicks = rng.binomial(views, taste)
    covariate = rng.binomial(before, taste) / before
    share = 0.2
    return _of_variants(clicks, rng, share, denominator=views, covariate=covariate)


def rows(rng: np.random.Generator) -> float:
    """Rows of users as if each were a user of its own: wrong."""
    user = rng.integers(N_USERS // 10, size=N_USERS)
    variant = (rng.random(N_USERS // 10) < 0.5)[user]
    clicks = rng.random(N_USERS) < rng.beta(1, 4, N_USERS // 10)[user]
    return _p_value(clicks, variant)


def peeking(rng: np.random.Generator) -> float:
    """The smallest p of many looks at a test that is for one: wrong."""
    return _smallest(rng)


def any_time(rng: np.random.Generator) -> float:
    """The smallest p of the same looks, by intervals for any time."""
    return _smallest(rng, anytime_n=N_LOOKS * N_USERS // 2)


def interleaved(rng: np.random.Generator) -> float:
    """Two rankers that put the items in random order; users with several lists."""
    return _of_interleaving(rng, test="t")


def interleaved_by_flips(rng: np.random.Generator) -> float:
    """The same by sign flips of users."""
    return _of_interleaving(rng, test="randomization", n_resamples=999)


def _of_variants(outcome, rng, share=0.5, **columns) -> float:
    return _p_value(outcome, rng.random(len(outcome)) < share, **columns)


def _p_value(outcome, variant, **options) -> float:
    return compare_variants(outcome, variant, control=False, **options).row(True).p_value


def _smallest(rng: np.random.Generator, **options) -> float:
    outcome = rng.exponential(size=N_LOOKS * N_USERS)
    variant = rng.random(len(outcome)) < 0.5
    ends = N_USERS * np.arange(1, N_LOOKS + 1)
    return min(_p_value(outcome[:end], variant[:end], **options) for end in ends)


def _of_interleaving(rng: np.random.Generator, **options) -> float:
    n_lists, n_users = 120, 40
    rankings = [rng.random((n_lists, N_ITEMS)).argsort(axis=1) for _ in range(2)]
    seed = int(rng.integers(2**31))
    found = team_draft_interleave(rankings, random_state=seed)
    user = rng.integers(n_users, size=n_lists)
    taste = rng.beta(1, 3, size=(n_users, N_ITEMS))
    log = make_click_log(found.item, taste, user=user, random_state=seed)
    result = interleaving_test(
        found.team.ravel(),
        log.clicked,
        impression=log.impression,
        user=log.user,
        random_state=seed,
        **options,
    )
    return result.row().p_value


ONLINE: dict[str, Callable[[np.random.Generator], float]] = {
    "A/B test of means": means,
    "A/B test of ratios": ratios,
    "A/B test of ratios, with a covariate": adjusted,
    "rows as users": rows,
    f"{N_LOOKS} looks at one A/B test": peeking,
    f"{N_LOOKS} looks, any-time intervals": any_time,
    "interleaving, t over users": interleaved,
    "interleaving, flips of users": interleaved_by_flips,
}


def false_alarms(make: Callable[[np.random.Generator], float], repeats: int) -> float:
    """Return the share of p-values up to the level."""
    rng = np.random.default_rng(0)
    return sum(make(rng) <= LEVEL for _ in range(repeats)) / repeats

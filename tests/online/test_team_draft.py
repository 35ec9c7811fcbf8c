"""Team draft: all lists of small rankings with their chances, and bad input."""

from collections import Counter
from datetime import date
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from sklearn_rank.online import team_draft_interleave

N_USERS = 20_000


def chances(rankings, k):
    """Return the chance of each list with its teams, by following every choice."""
    found = Counter()

    def draft(items, team, chance):
        left = [[i for i in ranking if i not in items] for ranking in rankings]
        able = [m for m, rest in enumerate(left) if rest]
        if len(items) == k or not able:
            found["".join(items) + "/" + "".join(map(str, team))] += chance
            return
        fewest = min(team.count(m) for m in able)
        captains = [m for m in able if team.count(m) == fewest]
        for m in captains:
            draft([*items, left[m][0]], [*team, m], chance / len(captains))

    draft([], [], 1.0)
    return dict(found)


def drawn(rankings, k=None, n_users=N_USERS):
    """Return how often the lists of so many users with the same rankings come out."""
    tables = [np.tile(list(ranking), (n_users, 1)) for ranking in rankings]
    found = team_draft_interleave(tables, k=k, random_state=0)
    return Counter(
        "".join(items) + "/" + "".join(str(m) for m in team if m >= 0)
        for items, team in zip(found.item.tolist(), found.team.tolist(), strict=True)
    )


def check_chances(rankings, k, expected):
    found = drawn(rankings, k)
    assert set(found) == set(expected)
    observed = [found[name] for name in expected]
    planned = [N_USERS * chance for chance in expected.values()]
    assert stats.chisquare(observed, planned).pvalue > 0.001


TWO = dict.fromkeys(["abcd/0101", "abcd/0110", "bacd/1001", "bacd/1010"], 1 / 4)
THREE = dict.fromkeys(
    ["abc/012", "acb/021", "bac/102", "bca/120", "cab/201", "cba/210"], 1 / 6
)


@pytest.mark.parametrize(
    ("rankings", "k", "expected"),
    [
        (["abcd", "bcda"], None, TWO),
        (["ab", "bc", "ca"], 3, THREE),
        (["ab", "ba"], 3, {"ab/01": 1 / 2, "ba/10": 1 / 2}),
    ],
)
def test_worked_examples(rankings, k, expected):
    assert chances(rankings, k or 4) == pytest.approx(expected)
    check_chances(rankings, k, expected)


@pytest.mark.parametrize(
    ("rankings", "k"),
    [
        (["abcde", "ecabd"], 5),
        (["abcde", "ecabd"], 3),
        (["ab", "cdefg"], 6),
        (["abc", "abc", "xbay"], 5),
        (["a", "a", "ba"], 3),
    ],
)
def test_chances_by_following_every_choice(rankings, k):
    check_chances(rankings, k, chances(rankings, k))


def test_whose_team_an_item_is_in():
    credit = Counter()
    for name, chance in chances(["abcd", "bcda"], 4).items():
        items, team = name.split("/")
        for item, captain in zip(items, team, strict=True):
            credit[item] += chance * (captain == "0")
    assert credit == pytest.approx({"a": 1, "b": 0, "c": 1 / 2, "d": 1 / 2})


@pytest.mark.parametrize("rankings", [["abcd", "bcda"], ["abc", "bcd", "xay"]])
def test_a_random_clicker_credits_all_alike(rankings):
    k = 4 if len(rankings) == 2 else 3
    share = Counter()
    for name, chance in chances(rankings, k).items():
        for captain in name.partition("/")[2]:
            share[captain] += chance / k
    assert dict(share) == pytest.approx(
        {str(m): 1 / len(rankings) for m in range(len(rankings))}
    )
    tables = [np.tile(list(ranking), (N_USERS, 1)) for ranking in rankings]
    found = team_draft_interleave(tables, k=k, random_state=1)
    clicked = np.random.default_rng(0).integers(k, size=N_USERS)
    credit = np.bincount(found.team[np.arange(N_USERS), clicked])
    assert stats.chisquare(credit).pvalue > 0.001


def test_one_user_is_as_a_row():
    rng = np.random.default_rng(0)
    for seed in range(50):
        one, other = rng.permutation(12)[:7], rng.permutation(12)[:9]
        single = team_draft_interleave([one, other], random_state=seed)
        table = team_draft_interleave([one[None], other[None]], random_state=seed)
        assert single.item.tolist() == table.item[0].tolist()
        assert single.team.tolist() == table.team[0].tolist()
        assert len(single.item) == 7


def test_each_user_is_drafted_anew():
    rng = np.random.default_rng(0)
    one, other = (rng.random((300, 20)).argsort(axis=1)[:, :6] for _ in range(2))
    found = team_draft_interleave([one, other], random_state=0)
    assert found.item.shape == found.team.shape == (300, 6)
    for row in range(300):
        lists = one[row].tolist(), other[row].tolist()
        items, team = found.item[row].tolist(), found.team[row].tolist()
        for rank in range(6):
            left = [i for i in lists[team[rank]] if i not in items[:rank]]
            assert items[rank] == left[0]
        assert sorted(team[::2] + team[1::2]) == [0] * 3 + [1] * 3
        assert all({*team[i : i + 2]} == {0, 1} for i in (0, 2, 4))
    begins = found.team[:, 0].mean()
    assert 0.4 < begins < 0.6


def test_a_state_is_drawn_from():
    state = np.random.RandomState(0)
    first = [
        team_draft_interleave([[1, 2], [2, 1]], random_state=state).team[0]
        for _ in range(200)
    ]
    assert 70 < sum(first) < 130


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([1, 2, 3], [3, 4, 5]),
        ([1.5, 2.5], [2.5, 0.5]),
        (["ab", "c"], ["c", "long name"]),
        ([("a", 1), ("b", 2)], [("b", 2), ("c", 3)]),
        ([1, 2], ["3", "4"]),
        ([2**63 + 1, 1], [-2, 2]),
        ([date(2024, 1, 1), date(2024, 1, 2)], [date(2024, 1, 2), date(2024, 1, 3)]),
    ],
)
def test_ids_stay_what_they_are(one, other):
    found = team_draft_interleave([one, other], k=9, random_state=0)
    assert set(found.item.tolist()) == {*one, *other}
    assert len(found.item) == len({*one, *other})


@pytest.mark.parametrize(
    ("dtype", "nothing"), [(int, -1), (str, ""), (object, None), (np.uint8, 0)]
)
def test_a_list_that_ends_early(dtype, nothing):
    table = np.array([[1, 2], [3, 4]]).astype(dtype)
    found = team_draft_interleave([table, table[:, ::-1]], k=3, random_state=0)
    assert found.item.dtype == dtype or dtype is str
    assert found.team[:, 2].tolist() == [-1, -1]
    assert found.item[:, 2].tolist() == [nothing] * 2
    assert (found.team[:, :2] >= 0).all()
    other = np.array([[1, 2], [5, 6]]).astype(dtype)
    found = team_draft_interleave([table, other], k=4, random_state=0)
    assert found.team[0].tolist()[2:] == [-1, -1]
    assert found.item[0].tolist()[2:] == [nothing] * 2
    assert (found.team[1] >= 0).all()


@pytest.mark.parametrize("dtype", [int, float, object])
def test_padding_is_no_item(dtype):
    short = np.array([1, 2, -1, -1], dtype=dtype)
    long = np.array([-1, 4, 2, 1, 3], dtype=dtype)
    found = team_draft_interleave([short, long], random_state=0)
    assert len(found.item) == 2  # as long as the shortest
    found = team_draft_interleave([short, long], k=9, random_state=0)
    assert sorted(found.item.tolist()) == [1, 2, 3, 4]
    users = team_draft_interleave([np.array([short] * 2), np.array([long] * 2)])
    assert users.item.shape == (2, 2)
    assert (users.team >= 0).all()
    with pytest.raises(ValueError, match=r"`rankings\[1\]` is empty"):
        team_draft_interleave([long, np.array([-1, -1], dtype=dtype)])


def test_dates_are_filled_up_with_no_date():
    days = np.array([["2024-01-01", "2024-01-02"]], dtype="M8[D]")
    found = team_draft_interleave([days, days], k=4, random_state=0)
    assert sorted(found.item[0, :2]) == list(days[0])
    assert np.isnat(found.item).tolist() == [[False, False, True, True]]


def test_a_user_whose_lists_are_padding_only():
    rankings = [np.array([[1, 2], [-1, -1]]), np.array([[2, 3], [-1, -1]])]
    found = team_draft_interleave(rankings, k=3, random_state=0)
    assert sorted(found.item[0].tolist()) == [1, 2, 3]
    assert found.item[1].tolist() == found.team[1].tolist() == [-1, -1, -1]


def test_all_patterns_of_two_rounds_come_up():
    found = drawn(["abcd", "efgh"], n_users=200)
    assert {name.partition("/")[2] for name in found} == {
        "".join(first + second) for first, second in product(["01", "10"], repeat=2)
    }


@pytest.mark.parametrize(
    ("rankings", "options", "message"),
    [
        ([[1, 2]], {}, "two rankers"),
        ("ab", {}, "1-D"),
        ({"a": [1]}, {}, "two rankers"),
        ([[1, 2, 1], [1, 2]], {}, r"`rankings\[0\]` has the item 1 more than once"),
        ([[[1, 2]], [1, 2]], {}, "1-D"),
        ([np.array([[1, 2]]), np.array([[1, 2], [3, 3]])], {}, "for 1, 2 users"),
        (
            [np.array([[1, 2], [1, 2]]), np.array([[1, 2], [3, 3]])],
            {},
            r"`rankings\[1\]` has the item 3 of row 1",
        ),
        ([np.array([[1, 2]]), [1, 2]], {}, "one kind"),
        ([[1, 2], []], {}, r"`rankings\[1\]` is empty"),
        ([[1, None], [1, 2]], {}, "missing"),
        ([[1, 2], [2, 1]], {"k": 0}, "k"),
    ],
)
def test_bad_input(rankings, options, message):
    with pytest.raises(ValueError, match=message):
        team_draft_interleave(rankings, **options)


def drafted_by_loops(rankings, k, random_state):
    """Return the list and the teams, with a random number per ranker for each rank."""
    rankings = [[item for item in ranking if item != -1] for ranking in rankings]
    items, team = [], []
    for _ in range(min(k, sum(map(len, rankings)))):
        draw = random_state.random_sample(len(rankings))
        left = [[item for item in one if item not in items] for one in rankings]
        able = [ranker for ranker, rest in enumerate(left) if rest]
        if able:
            fewest = min(team.count(ranker) for ranker in able)
            captains = [ranker for ranker in able if team.count(ranker) == fewest]
            captain = max(captains, key=lambda ranker: draw[ranker])
            items.append(left[captain][0])
            team.append(captain)
    return items, team


@pytest.mark.parametrize("seed", range(20))
def test_one_user_by_loops(seed):
    rng = np.random.RandomState(seed)
    rankings = [
        rng.permutation(30)[:width] for width in rng.randint(1, 30, rng.randint(2, 5))
    ]
    k = int(rng.randint(1, 60))
    states = [np.random.RandomState(seed) for _ in range(2)]
    found = team_draft_interleave(rankings, k=k, random_state=states[0])
    cut = [ranking[:k] for ranking in rankings]
    items, team = drafted_by_loops(cut, k, states[1])
    assert (found.item.tolist(), found.team.tolist()) == (items, team)
    # The next user goes on in the same stream.
    assert states[0].random_sample() == states[1].random_sample()


@pytest.mark.parametrize("seed", range(10))
def test_each_of_many_users_by_loops(seed):
    rng = np.random.RandomState(seed)
    n_users, widths, k = 7, rng.randint(1, 12, 3), int(rng.randint(1, 25))
    tables = [
        np.array([rng.permutation(15)[:width] for _ in range(n_users)]) for width in widths
    ]
    for table in tables:  # short rankings end with -1
        table[:, 1:][rng.random_sample(table[:, 1:].shape) < 0.2] = -1
        table[:] = [[*one[one >= 0], *one[one < 0]] for one in table]
    found = team_draft_interleave(tables, k=k, random_state=seed)
    draws = np.random.RandomState(seed)
    cut = [table[:, :k] for table in tables]
    n_ranks = min(k, sum(int((table >= 0).sum(axis=1).max()) for table in cut))
    blocks = draws.random_sample((n_ranks, n_users, 3))
    for user in range(n_users):
        own = iter(blocks[:, user])
        state = SimpleNamespace(random_sample=lambda _, own=own: next(own))
        rankings = [table[user].tolist() for table in cut]
        items, team = drafted_by_loops(rankings, k, state)
        assert found.item[user][: len(items)].tolist() == items
        assert found.team[user].tolist() == team + [-1] * (k - len(team))


def test_a_long_list_draws_in_blocks():
    class Counting(np.random.RandomState):
        n_calls = 0

        def random_sample(self, size=None):
            self.n_calls += 1
            return super().random_sample(size)

    state = Counting(0)
    rankings = [np.arange(2_000), np.arange(2_000)[::-1]]
    assert len(team_draft_interleave(rankings, random_state=state).item) == 2_000
    assert state.n_calls <= 20

import numpy as np
import pytest

from sklearn_rank.datasets import make_click_log

N = 20_000
RELEVANCE = np.array([0.8, 0.5, 0.2, 0.6])
LISTS = np.tile([3, 1, 0, 2], (N, 1))


def clicks_of(log):
    return log.clicked.reshape(N, 4)


def close(shares, expected):
    return np.abs(shares - expected).max() < 4 * np.sqrt(0.25 / N)


def test_by_position():
    log = make_click_log(LISTS, RELEVANCE, random_state=0)
    expected = RELEVANCE[[3, 1, 0, 2]] / [1, 2, 3, 4]
    assert log.probability[:4] == pytest.approx(expected)
    assert close(clicks_of(log).mean(axis=0), expected)
    looks = [0.5, 1, 0, 0.25]
    log = make_click_log(LISTS, RELEVANCE, examination=looks, random_state=0)
    assert close(clicks_of(log).mean(axis=0), RELEVANCE[[3, 1, 0, 2]] * looks)


@pytest.mark.parametrize("stop", [0, 0.4, 1])
def test_the_cascade(stop):
    options = {"behavior": "cascade", "stop": stop, "random_state": 0}
    log = make_click_log(LISTS, RELEVANCE, **options)
    reads, expected = 1.0, []
    for item in (3, 1, 0, 2):
        expected.append(reads * RELEVANCE[item])
        reads *= 1 - stop * RELEVANCE[item]
    assert log.probability[:4] == pytest.approx(expected)
    assert close(clicks_of(log).mean(axis=0), expected)
    if stop == 1:
        assert clicks_of(log).sum(axis=1).max() == 1


def test_users_have_tastes_of_their_own():
    relevance = np.array([[1.0, 0.0], [0.0, 1.0]])
    log = make_click_log([[0, 1]] * 4, relevance, user=[0, 1, 1, 0], examination=[1, 1])
    assert log.user.tolist() == [0, 0, 1, 1, 1, 1, 0, 0]
    assert log.clicked.tolist() == [1, 0, 0, 1, 0, 1, 1, 0]
    log = make_click_log([[0, 1]] * 2, relevance, examination=[1, 1])
    assert log.clicked.tolist() == [1, 0, 0, 1]


def test_no_item():
    log = make_click_log([[1, -1, 0], [0, 1, -1]], [0.5, 0.5])
    assert log.item.tolist() == [1, 0, 0, 1]
    assert log.position.tolist() == [1, 3, 1, 2]
    assert log.impression.tolist() == [0, 0, 1, 1]


def test_the_same_random_state_gives_the_same_clicks():
    one, again = (make_click_log(LISTS, RELEVANCE, random_state=3) for _ in range(2))
    assert (one.clicked == again.clicked).all()
    other = make_click_log(LISTS, RELEVANCE, random_state=4)
    assert (one.clicked != other.clicked).any()


def test_frame():
    pytest.importorskip("pandas")
    frame = make_click_log(LISTS, RELEVANCE, as_frame=True)
    names = ["impression", "user", "item", "position", "clicked", "probability"]
    assert list(frame.columns) == names


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rankings": [0, 1]}, "one row per list"),
        ({"rankings": [[0, 4]]}, "numbered from 0 to 4"),
        ({"rankings": [[0, -2]]}, "numbered from -2"),
        ({"rankings": [[0, 0.5]]}, "integers"),
        ({"rankings": [[0, np.inf]]}, "integers, one row per list"),
        ({"rankings": [["a", "b"]]}, "numbers"),
        ({"relevance": [0.5, 1.1, 0, 0]}, "probabilities"),
        ({"relevance": [0.5, np.nan, 0, 0]}, "probabilities"),
        ({"relevance": 0.5}, "one value per item"),
        ({"relevance": np.zeros((1, 4)), "user": [1]}, "1 rows"),
        ({"user": [0, 1]}, "2 values, but there are 1 lists"),
        ({"user": [-1]}, "from -1"),
        ({"user": [[0]]}, "one value per list"),
        ({"behavior": "random"}, "behavior"),
        ({"examination": [1]}, "each of the 2 positions"),
        ({"examination": [1, -1]}, "probabilities"),
        ({"behavior": "cascade", "stop": 1.5}, "stop"),
        ({"stop": 0.5}, "`stop` goes with behavior='cascade'"),
        (
            {"behavior": "cascade", "examination": [1, 1]},
            "`examination` goes with behavior='position'",
        ),
    ],
)
def test_bad_input(change, message):
    with pytest.raises(ValueError, match=message):
        make_click_log(**{"rankings": [[0, 1]], "relevance": RELEVANCE} | change)

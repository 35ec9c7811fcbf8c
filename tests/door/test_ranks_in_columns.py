"""Ranks in a column that is read as scores, and scores that rise with the rank."""

import warnings

import pytest

from sklearn_rank.exceptions import MisleadingScoreWarning
from sklearn_rank.inputs import from_files, from_frames

pd = pytest.importorskip("pandas")

TRUTH = pd.DataFrame({"user": ["u", "v"], "item": ["a", "b"]})


def shown(values, name="rank", users="uuvv"):
    return pd.DataFrame({"user": list(users), "item": list("abab"), name: values})


def read(table, **column):
    return from_frames(TRUTH, table, user="user", item="item", **column)


@pytest.fixture
def silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error", MisleadingScoreWarning)
        yield


@pytest.mark.parametrize("name", ["rank", " Rank"])
@pytest.mark.parametrize("values", [[1, 2, 2, 1], [2.0, 1.0, 1.0, 2.0]])
def test_a_column_of_ranks_as_scores(name, values):
    with pytest.warns(MisleadingScoreWarning, match=f"Give rank='{name}'"):
        read(shown(values, name), score=name)


@pytest.mark.usefixtures("silent")
def test_other_columns_pass():
    read(shown([1, 2, 2, 1], "score"), score="score")
    read(shown([1, 2, 2, 1]), rank="rank")
    read(shown([2, 3, 2, 1]), score="rank")  # not from 1 on
    read(shown([1, 2, 1, 1]), score="rank")
    read(shown([1, 2, 2, 1])[:2], score="rank")  # one user
    one_each = shown([1, 1, 1, 1]).iloc[[0, 3]]
    read(one_each, score="rank")


def test_fractions_are_no_ranks(silent):
    with pytest.raises(
        ValueError, match=r"fractional.*whole numbers; for distances.*score='s'"
    ):
        read(shown([0.9, 0.5, 2, 1], "s"), rank="s")
    assert read(shown([1.0, 4.0, 2, 0]), rank="rank").y_score.tolist() == [-1, -4, -2, 0]


def a_run(n_queries, step, ranks=(1, 2, 3)):
    """Return judgments, and three documents for each query, the last one `step` higher."""
    qrels = [f"q{n} 0 d1 1" for n in range(n_queries)]
    run = [
        f"q{n} Q0 d{rank} {rank} {place * step} me"
        for n in range(n_queries)
        for place, rank in enumerate(ranks)
    ]
    return qrels, run


def test_scores_that_rise_with_the_rank():
    with pytest.warns(
        MisleadingScoreWarning, match="rise with the rank in all of 20 queries"
    ):
        from_files(*a_run(20, 0.5))
    qrels, run = a_run(20, 0.5)
    with pytest.warns(MisleadingScoreWarning, match="distances as -distance"):
        from_files(qrels, sorted(run))  # lines in any order


@pytest.mark.usefixtures("silent")
def test_other_runs_pass():
    from_files(*a_run(19, 0.5))
    from_files(*a_run(30, -0.5))
    from_files(*a_run(30, 0))
    from_files(*a_run(30, 0.5, ranks=(3, 2, 1)))  # a file that begins with the last
    from_files(*a_run(30, 0.5, ranks=(1, 3, 2)))
    qrels, run = a_run(30, 0.5)
    from_files(qrels, [*run[:-1], "q29 Q0 d3 3 -9 me"])  # not in all
    from_files(
        qrels, [" ".join([*line.split()[:3], "0", *line.split()[4:]]) for line in run]
    )
    from_files(qrels, [f"q{n} d1 1" for n in range(30)])  # ranks alone

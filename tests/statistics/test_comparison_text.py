"""The text of a comparison."""

from functools import partial

import numpy as np
import pytest

from sklearn_rank.statistics import ModelComparison, compare_candidates, compare_models
from sklearn_rank.statistics._comparison_text import p_text
from tests.statistics.examples import THREE_MODELS, against_zero

FEW = pytest.mark.filterwarnings("ignore:.*queries; intervals")
RNG = np.random.default_rng(0)


@FEW
def test_the_table():
    text = str(compare_models(THREE_MODELS, baseline="A"))
    assert text.splitlines() == [
        "score, 6 queries; difference to A; t test, p corrected by Holm over 2",
        "     mean  difference        95% interval       p  better  equal  worse",
        "C  0.5267     +0.1267  [+0.0818, +0.1715]  0.0015       6      0      0",
        "B  0.4833     +0.0833  [+0.0104, +0.1562]  0.0323       5      0      1",
        "A  0.4000",
        "Intervals are not adjusted for multiple comparisons.",
        "Warning: 'score' has 6 queries; intervals by Student's t are rough with 5",
        '  degrees of freedom, below 9: use test="randomization", and more queries.',
    ]


@pytest.mark.parametrize("baseline", [None, "the first of the models of this test"])
@pytest.mark.parametrize("scale", [5e-324, 1e-320, 1e-150, 1e-9, 1e-5, 1, 1e5, 1e9, 1e150])
@pytest.mark.parametrize("margin", [None, 0.1])
def test_it_is_80_columns_wide_at_most(baseline, scale, margin):
    names = [
        "the first of the models of this test",
        "a_much_longer_name_of_a_model_" * 4,
        "c",
    ]
    scores = {name: RNG.normal(size=50) * scale for name in names}
    found = compare_models(
        scores, baseline=baseline, margin=margin, test="randomization", random_state=0
    )
    assert max(map(len, str(found).splitlines())) <= 80


@pytest.mark.parametrize(
    ("p_value", "text"),
    [
        (1, "1.0000"),
        (0.25, "0.2500"),
        (1 / 10_000, "0.0001"),
        (0.00009, "<0.0001"),
        (0, "<0.0001"),
    ],
)
def test_p_values_to_four_decimals(p_value, text):
    """One more than the draws that reach it, of 10,000: the least that these can show."""
    assert p_text(p_value) == text


@FEW
def test_the_heading_has_the_clusters_and_the_test_of_ones_own():
    def mine(one, other):
        return 0.5

    clusters = [0, 0, 1, 1, 2, 2]
    lines = str(compare_models(THREE_MODELS, baseline="A", clusters=clusters)).splitlines()
    assert lines[0].startswith("score, 6 queries in 3 clusters; difference to A; t test")
    lines = str(compare_models(THREE_MODELS, baseline="A", test=mine)).splitlines()
    assert lines[0].startswith("score, 6 queries; difference to A; mine, p corrected")
    assert lines[-3] == "Intervals are by Student's t."
    without_name = str(compare_models(THREE_MODELS, test=partial(mine)))
    assert "; your own test" in without_name.splitlines()[0]


@FEW
def test_queries_that_cannot_decide_are_told():
    text = str(compare_models(against_zero([0.5, 0.5, 0.6, 0, 0, 0, 0]), baseline="zero"))
    said = " ".join(text.split())
    assert "only 3 differ" in said
    assert "p = 0.25; these queries cannot decide it" in said


@FEW
def test_rows_and_frame():
    found = compare_models(THREE_MODELS, baseline="A")
    assert repr(found) == "ModelComparison(2 comparisons, metrics=['score'])"
    assert [row.model for row in found.rows()] == ["B", "C"]
    with pytest.raises(ValueError, match=r"`model` got 'D'\. Valid: 'B', 'C'"):
        found.row("D")
    pytest.importorskip("pandas")
    frame = found.to_frame()
    assert list(frame.columns) == list(found.columns)
    assert frame["difference"].tolist() == found.columns["difference"].tolist()


@FEW
def test_movers():
    found = compare_models(
        {"a": [0.1, 0.2, np.nan, 0.4, 0.5], "b": [0.1, 0.5, np.nan, 0.3, 0.6]},
        baseline="a",
        groups=["v", "w", "x", "y", "z"],
    )
    queries = found.movers("b", n=2)
    assert [query.label for query in queries] == ["w", "y"]
    assert (queries[0].value, queries[0].value_baseline) == (0.5, 0.2)
    assert [query.label for query in found.movers("b")] == ["w", "y", "z"]


def test_movers_of_folds_are_unknown():
    folds = {"a": [0.1, 0.2], "b": [0.2, 0.4]}
    found = compare_candidates(folds, test_size=0.5, baseline="a")
    with pytest.raises(ValueError, match="use compare_models"):
        found.movers("b")


def test_only_the_first_exact_bounds_are_explained():
    base = np.linspace(0, 0.9, 40)
    models = {f"m{n}": base + 0.1 * (np.arange(40) == n) for n in range(8)}
    found = compare_models(
        {"old": base, **models}, baseline="old", test="exact", value_range=(0, 1)
    )
    text = " ".join(str(found).split())
    assert "3 more are by exact bounds." in text
    assert "m4 - old: 1 of 40 queries differ. 3 more" in text


def test_pairs_made_by_hand_have_no_table_of_means():
    found = compare_models(THREE_MODELS, test="randomization", random_state=0)
    made = ModelComparison(found.rows(), settings=found.settings)
    lines = str(made).splitlines()
    assert lines[0].startswith("score, 6 queries; all pairs")
    assert [line.split()[0] for line in lines[2:5]] == ["B", "C", "C"]
    assert "mean" not in lines[1]
    assert lines[5] == "Intervals are not adjusted for multiple comparisons."


def test_models_that_were_run_once_have_no_spread_of_repeats():
    queries = np.linspace(0, 1, 30)
    wave = np.sin(np.arange(30))
    repeated = queries[:, None] + 0.1 * np.cos(np.arange(90)).reshape(30, 3)
    models = {"old": queries, "new": queries + 0.1 * wave, "often": repeated}
    text = " ".join(str(compare_models(models)).split())
    assert "often - old: 3 and 1 repeats" in text
    assert "new - old: 1 and 1 repeats" not in text
    assert "old was run once: how it varies from time to time" in text

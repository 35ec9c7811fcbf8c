"""Validation queries of the user's own, a mask of rows, and splitters."""

import re

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold, GroupShuffleSplit, KFold, PredefinedSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_rank.model_selection import TimeSplit
from sklearn_rank.rankers import GroupRanker
from sklearn_rank.rankers._inner_estimator import last_step
from tests.rankers.conftest import lightgbm_ranker, lightgbm_validation, make_queries
from tests.rankers.test_early_stopping import MANY, RANKERS, n_trees

# Far from zero, so that rows that no scaler has seen all fall on one side of each split.
FAR = 1e4


@pytest.fixture(params=list(RANKERS))
def library(request):
    return request.param


@pytest.fixture
def held_out():
    return make_queries(seed=1)


def triple(rows):
    return [(rows.X, rows.y, rows.groups)]


def fit_with_own_words(booster, train, held_out):
    """Fit a booster to rows that lie together, evaluated on others, in its own words."""
    library = type(booster).__module__.partition(".")[0]
    (X, y, query), (Xv, yv, qv) = train, held_out
    if library == "lightgbm":
        lightgbm = pytest.importorskip("lightgbm")
        return booster.fit(
            X,
            y,
            group=np.bincount(query),
            **lightgbm_validation(Xv, yv),
            eval_group=[np.bincount(qv)],
            callbacks=[lightgbm.early_stopping(5, verbose=False)],
        )
    if library == "xgboost":
        booster.set_params(early_stopping_rounds=5)
        sets = {"eval_set": [(Xv, yv)], "eval_qid": [qv], "verbose": False}
        return booster.fit(X, y, qid=query, **sets)
    pool = pytest.importorskip("catboost").Pool(Xv, yv, group_id=qv)
    return booster.fit(X, y, group_id=query, eval_set=pool, early_stopping_rounds=5)


def by_query(rows, X):
    order = np.argsort(rows.query, kind="stable")
    return X[order], rows.y[order], rows.query[order]


@pytest.mark.parametrize("nest", [lambda inner: inner, make_pipeline], ids=["one", "two"])
def test_an_own_set_goes_through_the_steps_of_pipelines(nest, library, queries, held_out):
    queries.X, held_out.X = queries.X + FAR, held_out.X + FAR
    inner = make_pipeline(StandardScaler(), RANKERS[library]())
    ranker = GroupRanker(nest(inner), early_stopping_rounds=5)
    ranker.fit(queries.X, queries.y, groups=queries.groups, eval_set=triple(held_out))
    # Sorted as the ranker sorts them: sums of floats depend on the order.
    X, y, query = by_query(queries, queries.X)
    scaler = StandardScaler().fit(X)
    direct = fit_with_own_words(
        RANKERS[library](),
        (scaler.transform(X), y, query),
        by_query(held_out, scaler.transform(held_out.X)),
    )
    assert n_trees(last_step(ranker.estimator_)) == n_trees(direct) < MANY
    expected = direct.predict(scaler.transform(queries.X))
    assert np.allclose(ranker.predict(queries.X), expected)


@pytest.mark.parametrize("name", ["eval_X", "X_val"])
def test_rows_that_no_step_would_transform_are_refused(name, queries, held_out):
    inner = make_pipeline(StandardScaler(), lightgbm_ranker())
    given = {"groups": queries.groups, name: held_out.X}
    with pytest.raises(ValueError, match=rf"`{name}` was passed, but the steps .*eval_set"):
        GroupRanker(inner).fit(queries.X, queries.y, **given)
    with pytest.raises(ValueError, match=rf"`{name}` was passed, but `early_stopping"):
        GroupRanker(lightgbm_ranker(), early_stopping_rounds=3).fit(
            queries.X, queries.y, **given
        )
    with pytest.raises(ValueError, match="`eval_set` cannot be used: it has no groups"):
        GroupRanker(inner).fit(
            queries.X, queries.y, groups=queries.groups, eval_set=[(held_out.X, held_out.y)]
        )


def test_a_library_form_that_would_stop_on_untransformed_rows_is_refused(queries, held_out):
    """It used to stop after the first round, without a word."""
    lightgbm = pytest.importorskip("lightgbm")
    X, y, query = by_query(held_out, held_out.X + FAR)
    inner = make_pipeline(StandardScaler(), RANKERS["lightgbm"]())
    with pytest.raises(ValueError, match=r"pipeline would not transform|no groups"):
        GroupRanker(inner).fit(
            queries.X + FAR,
            queries.y,
            groups=queries.groups,
            **lightgbm_validation(X, y),
            eval_group=[np.bincount(query)],
            callbacks=[lightgbm.early_stopping(5, verbose=False)],
        )


def test_without_rounds_the_booster_decides_itself(library, queries, held_out):
    lightgbm = pytest.importorskip("lightgbm")
    inner, given = RANKERS[library](), {}
    if library == "lightgbm":
        given = {"callbacks": [lightgbm.early_stopping(5, verbose=False)]}
    else:
        inner.set_params(early_stopping_rounds=5)
    one = GroupRanker(inner).fit(
        queries.X, queries.y, groups=queries.groups, eval_set=triple(held_out), **given
    )
    other = GroupRanker(RANKERS[library](), early_stopping_rounds=5).fit(
        queries.X, queries.y, groups=queries.groups, eval_set=triple(held_out)
    )
    assert n_trees(one.estimator_) == n_trees(other.estimator_) < MANY
    assert np.array_equal(one.predict(queries.X), other.predict(queries.X))


def test_a_set_without_groups_passes_to_a_pointwise_booster(queries, held_out):
    inner = pytest.importorskip("xgboost").XGBRegressor(
        n_estimators=MANY, n_jobs=1, early_stopping_rounds=5
    )
    given = {"eval_set": [(held_out.X, held_out.y)], "verbose": False}
    X, y, query = by_query(queries, queries.X)
    ranker = GroupRanker(inner).fit(X, y, groups=query, **given)
    direct = clone(inner).fit(X, y, **given)
    assert n_trees(ranker.estimator_) == n_trees(direct) < MANY
    assert np.array_equal(ranker.predict(X), direct.predict(X))


def test_the_form_of_a_library_passes_as_it_is(queries, held_out):
    X, y, query = by_query(held_out, held_out.X)
    given = {"eval_set": [(X, y)], "eval_qid": [query], "verbose": False}
    ranker = GroupRanker(RANKERS["xgboost"]().set_params(early_stopping_rounds=5))
    ranker.fit(queries.X, queries.y, groups=queries.groups, **given)
    assert n_trees(ranker.estimator_) < MANY


@pytest.mark.parametrize("form", ["pandas", "ndarray"])
def test_groups_of_an_own_set_may_be_a_column(form, queries, held_out):
    def table(rows):
        if form == "ndarray":
            return np.column_stack([rows.query, rows.X])
        frame = pytest.importorskip("pandas").DataFrame(rows.X, columns=list("abcd"))
        return frame.assign(query=rows.groups)

    column = "query" if form == "pandas" else 0
    fitted = [
        GroupRanker(RANKERS["lightgbm"](), groups=name, early_stopping_rounds=5).fit(
            table(queries) if name is not None else queries.X,
            queries.y,
            groups=None if name is not None else queries.groups,
            eval_set=own,
        )
        for name, own in [
            (column, [(table(held_out), held_out.y)]),
            (None, triple(held_out)),
        ]
    ]
    one, other = (ranker.estimator_.best_iteration_ for ranker in fitted)
    assert one == other < MANY


def test_an_own_set_leaves_all_rows_to_learn_from(queries, held_out):
    ranker = GroupRanker(
        lightgbm_ranker(n_estimators=4), early_stopping_rounds=4, validation_fraction=0.9
    ).fit(queries.X, queries.y, groups=queries.groups, eval_set=triple(held_out))
    plain = GroupRanker(lightgbm_ranker(n_estimators=4)).fit(
        queries.X, queries.y, groups=queries.groups
    )
    best = ranker.estimator_.best_iteration_
    expected = plain.estimator_.predict(queries.X, num_iteration=best)
    assert np.array_equal(ranker.predict(queries.X), expected)


class From18:
    """A splitter of the user: holds out queries by their labels."""

    def split(self, X, y=None, groups=None):
        is_late = groups >= "query 18"
        yield np.flatnonzero(~is_late), np.flatnonzero(is_late)


@pytest.mark.parametrize(
    "form", ["mask", "list", "series", "predefined", "split", "users", "own"]
)
def test_a_mask_or_a_splitter_says_what_is_held_out(form, library, queries):
    mask = queries.query >= 18
    fraction = {
        "mask": lambda: mask,
        "list": mask.tolist,
        "series": lambda: pytest.importorskip("pandas").Series(mask),
        "predefined": lambda: PredefinedSplit(np.where(mask, 0, -1)),
        "split": lambda: TimeSplit(cutoff=18, time=4),
        "users": lambda: TimeSplit(cutoff=18, time=4, user=4),
        "own": From18,
    }[form]()
    X = np.column_stack([queries.X, queries.query])
    ranker = GroupRanker(
        RANKERS[library](), early_stopping_rounds=5, validation_fraction=fraction
    ).fit(X, queries.y, groups=queries.groups)
    own = [(X[mask], queries.y[mask], queries.groups[mask])]
    by_hand = GroupRanker(RANKERS[library](), early_stopping_rounds=5).fit(
        X[~mask], queries.y[~mask], groups=queries.groups[~mask], eval_set=own
    )
    assert n_trees(ranker.estimator_) == n_trees(by_hand.estimator_)
    assert np.array_equal(ranker.predict(X), by_hand.predict(X))


def test_a_splitter_gets_the_groups(queries):
    one, other = (
        GroupRanker(
            RANKERS["lightgbm"](),
            early_stopping_rounds=5,
            validation_fraction=fraction,
            random_state=0,
        ).fit(queries.X, queries.y, groups=queries.groups)
        for fraction in (0.25, GroupShuffleSplit(1, test_size=0.25, random_state=0))
    )
    assert np.isfinite(one.predict(queries.X)).all()
    assert np.isfinite(other.predict(queries.X)).all()


def test_rows_that_a_splitter_drops_are_not_learned_from(queries):
    X = np.column_stack([queries.X, queries.query])
    gap = TimeSplit(cutoff=18, gap=6, time=4)
    ranker = GroupRanker(
        lightgbm_ranker(), early_stopping_rounds=5, validation_fraction=gap
    ).fit(X, queries.y, groups=queries.groups)
    train = queries.query < 12
    n_rows = ranker.estimator_.booster_.trees_to_dataframe()["count"].max()
    assert n_rows == train.sum()


def fit(queries, fraction=0.2, **given):
    ranker = GroupRanker(
        lightgbm_ranker(), early_stopping_rounds=3, validation_fraction=fraction
    )
    return ranker.fit(queries.X, queries.y, groups=queries.groups, **given)


def test_bad_masks_and_splitters(queries):
    n = len(queries.y)
    mask = queries.query >= 18
    cut = mask.copy()
    cut[np.argmax(mask)] = False
    label = queries.groups[np.argmax(mask)]
    for fraction, error, text in [
        (mask[1:], ValueError, f"mask of {n - 1} values, but X has {n} rows"),
        (mask[:0], TypeError, None),
        (cut, ValueError, f"cuts 1 of 24 queries, such as '{label}'"),
        (np.zeros(n, bool), ValueError, f"none of the {n} rows to hold out"),
        (np.ones(n, bool), ValueError, f"none of the {n} rows to learn from"),
        (queries.X[:, 0], TypeError, "a mask with True for each row"),
        (mask[:, None], TypeError, "a mask with True for each row"),
        (GroupKFold(2), ValueError, "must give one fold, but gives several"),
        (PredefinedSplit(np.full(n, -1)), ValueError, "must give one fold, but gives none"),
        (GroupShuffleSplit, TypeError, "between 0 and 1, a splitter"),
        ("last", TypeError, "between 0 and 1, a splitter"),
    ]:
        if text is None:
            with pytest.raises(ValueError, match="mask of 0 values"):
                fit(queries, fraction)
            continue
        with pytest.raises(error, match=re.escape(text)):
            fit(queries, fraction)
    rows = next(KFold(2, shuffle=True, random_state=0).split(queries.X))
    with pytest.raises(ValueError, match=r"cuts \d+ of 24 queries"):
        fit(queries, np.isin(np.arange(n), rows[1]))


def test_bad_sets(queries, held_out):
    X, y, groups = held_out.X, held_out.y, held_out.groups
    for own, text in [
        ([(X, y)], "`eval_set` cannot be used: it has no groups"),
        ([(X[:, :3], y, groups)], "`eval_set` cannot be used: X has 3 features, but"),
        ([(X[:0], y[:0], groups[:0])], "`eval_set` cannot be used: Found array with 0"),
        ([(X, y[1:], groups)], "`eval_set` cannot be used: `y` has"),
        ([(X, y, groups[1:])], "`eval_set` cannot be used: `groups` has"),
        ([(X, y - 1.5, groups)], "whole grades from 0 to 30"),
        ((X, y, groups), "`eval_set` must hold one set"),
        ([], "`eval_set` must hold one set"),
        ([(X, y, groups)] * 2, "`eval_set` must hold one set"),
        (X, "`eval_set` must hold one set"),
        ([(X,)], "`eval_set` must hold one set"),
    ]:
        with pytest.raises(ValueError, match=re.escape(text)):
            fit(queries, eval_set=own)
    with pytest.raises(ValueError, match="not for Ridge"):
        GroupRanker(Ridge()).fit(
            queries.X, queries.y, groups=queries.groups, eval_set=triple(held_out)
        )


def test_other_names_of_columns_are_an_error(queries, held_out):
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(queries.X, columns=list("abcd"))
    own = [
        (pandas.DataFrame(held_out.X, columns=list("abce")), held_out.y, held_out.groups)
    ]
    ranker = GroupRanker(lightgbm_ranker(), early_stopping_rounds=3)
    with pytest.raises(ValueError, match=r"`eval_set` cannot be used: The feature names"):
        ranker.fit(X, queries.y, groups=queries.groups, eval_set=own)


def test_the_latest_queries_may_have_rows_of_their_own_times(queries):
    moment = queries.query * 10 + np.random.default_rng(0).integers(0, 25, len(queries.y))
    X = np.column_stack([queries.X, moment, queries.query])
    latest = {"cutoff": 180, "time": 4}
    with pytest.raises(ValueError, match=r"cuts \d+ of 24 queries.*keep_together"):
        fit_with(X, queries, TimeSplit(**latest))
    ranker = fit_with(X, queries, TimeSplit(keep_together=5, **latest))
    last = np.array([moment[queries.query == query].max() for query in queries.query])
    by_mask = fit_with(X, queries, last >= 180)
    assert np.array_equal(ranker.predict(X), by_mask.predict(X))


def fit_with(X, queries, fraction):
    ranker = GroupRanker(
        lightgbm_ranker(), groups=5, early_stopping_rounds=3, validation_fraction=fraction
    )
    return ranker.fit(X, queries.y)


@pytest.mark.parametrize("name", ["eval_groups", "eval_qid", "eval_group"])
def test_groups_of_a_set_by_label_under_each_name(library, name, queries, held_out):
    """Libraries want sizes or sorted numbers; labels and rows in any order raised there."""
    fitted = []
    for words in (
        {"eval_set": triple(held_out)},
        {"eval_set": [(held_out.X, held_out.y)], name: [held_out.groups]},
    ):
        ranker = GroupRanker(RANKERS[library](), early_stopping_rounds=5)
        fitted.append(ranker.fit(queries.X, queries.y, groups=queries.groups, **words))
    one, other = fitted
    assert n_trees(one.estimator_) == n_trees(other.estimator_) < MANY
    assert np.array_equal(one.predict(queries.X), other.predict(queries.X))


def test_a_set_that_is_no_list_is_refused_without_stopping(library, queries, held_out):
    own = triple(held_out)[0]
    with pytest.raises(ValueError, match="`eval_set` must hold one set"):
        GroupRanker(RANKERS[library]()).fit(
            queries.X, queries.y, groups=queries.groups, eval_set=own
        )


@pytest.mark.filterwarnings("ignore:.*eval_set.*deprecated")
def test_sizes_of_lightgbm_stay_sizes(queries, held_out):
    X, y, query = by_query(held_out, held_out.X)
    for rows in (lightgbm_validation(X, y), {"eval_set": [(X, y)]}):
        sizes = {**rows, "eval_group": [np.bincount(query)]}
        ranker = GroupRanker(RANKERS["lightgbm"]())
        ranker.fit(queries.X, queries.y, groups=queries.groups, **sizes)
        assert ranker.estimator_.evals_result_

"""A recommender in a file: the same to the last bit, and nothing of it runs."""

import gc
import hashlib
import io
import json
import os
import pickle
import zipfile
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from uuid import UUID
from zoneinfo import ZoneInfo

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.decomposition import NMF, PCA
from sklearn.exceptions import NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_rank import __version__
from sklearn_rank.inputs._times import Times
from sklearn_rank.rankers import GroupRanker, PairwiseRanker
from sklearn_rank.recommenders import (
    EASERecommender,
    FeatureTable,
    ItemNeighborsRecommender,
    MatrixFactorizationRecommender,
    PopularityRecommender,
    RerankingRecommender,
    TwoStageRecommender,
    load_model,
    save_model,
)
from sklearn_rank.recommenders._pairs import Popularity
from sklearn_rank.recommenders._stored_values import ValueReader, ValueWriter
from tests.recommenders.test_estimator_contract import RECOMMENDERS

IDS = {
    "ints": lambda n: 10**9 + n,
    "floats": lambda n: n / 2,
    "strings": lambda n: f"é{n}\0" if n else "long" * 99,
    "bytes": lambda n: b"%d" % n,
    "tuples": lambda n: ("a", n, (None, 0.5)),
    "dates": lambda n: date(2024, 1, 1) + timedelta(days=n),
    "datetimes": lambda n: datetime(2024, 1, 1, 12) + timedelta(minutes=n),
    "datetime64": lambda n: np.datetime64("2024-01-01", "ms") + np.timedelta64(n, "ms"),
    "decimals": lambda n: Decimal(n) / 10,
    "uuids": lambda n: UUID(int=n),
    "mixed": lambda n: [n, f"{n}", (n, "a")][n % 3],
}


def log_of(kind, n_rows=120):
    rng = np.random.default_rng(0)
    users, items = rng.integers(18, size=n_rows), rng.integers(12, size=n_rows) ** 2 // 12
    frame = pd.DataFrame({"time": np.arange(n_rows, dtype=float)})
    for name, codes in (("user", users), ("item", items)):
        ids = [IDS[kind](code) for code in codes.tolist()]
        column = np.fromiter(ids, dtype=object, count=n_rows)
        plain = kind in ("ints", "floats", "datetime64")
        frame[name] = np.array(ids) if plain else column
    return frame


def fitted(model, log):
    model = clone(model)
    with_time = {"half_life", "recency"} & set(model.get_params())
    if any(model.get_params()[name] is not None for name in with_time):
        model.set_params(time="time")
    return model.fit(log, np.arange(len(log)) % 5 + 1)


@pytest.fixture
def model():
    model = ItemNeighborsRecommender(3, keep="both", normalize=True)
    return fitted(model, log_of("strings"))


@pytest.fixture
def path(model, tmp_path):
    save_model(model, tmp_path / "model.npz")
    return tmp_path / "model.npz"


def check_same(one, other, log):
    """Check that all that two models give is equal, in values and in types."""
    assert repr(one) == repr(other)
    lazily = {"_known_users_", "_known_items_"}
    assert set(vars(one)) - lazily == set(vars(other)) - lazily
    users, items = list(one.users_), list(one.items_)
    for users_asked, options in (
        (users, {"exclude_seen": False}),
        (users[:1], {}),
        (["nobody" if type(users[0]) is str else users[0]], {}),
        (users[3:7], {"items": items[::2], "k": 3}),
    ):
        options = {"k": min(5, len(items)), "return_scores": True} | options
        for a, b in zip(
            one.recommend(users_asked, **options),
            other.recommend(users_asked, **options),
            strict=True,
        ):
            assert a.dtype == b.dtype
            assert a.tolist() == b.tolist()
    assert one.predict(log).tolist() == other.predict(log).tolist()
    histories = [items[:2], items[3:], []]
    given = [model.recommend_for_items(histories, k=2) for model in (one, other)]
    assert given[0].tolist() == given[1].tolist()
    if hasattr(one, "item_weights_"):
        told = [str(model.explain(users[0], items[1])) for model in (one, other)]
        assert told[0] == told[1]
    if hasattr(one, "similar_items"):
        found = [model.similar_items(items, k=3) for model in (one, other)]
        assert found[0].tolist() == found[1].tolist()


@pytest.mark.filterwarnings("ignore")
# Without ids that repeat where a function lies, which is elsewhere in each process.
@pytest.mark.parametrize("recommender", RECOMMENDERS, ids=lambda one: type(one).__name__)
def test_what_is_read_gives_what_was_saved(recommender, tmp_path):
    log = log_of("strings")
    model = fitted(recommender, log)
    model.update(dislikes=[[model.users_[0], model.items_[-1]], ["nobody", "nothing"]])
    if callable(model.get_params().get("distance")):
        with pytest.raises(TypeError, match="cannot hold `distance`, <function distance"):
            save_model(model, tmp_path / "model")
        return
    save_model(model, tmp_path / "model")
    read = load_model(tmp_path / "model")
    check_same(model, read, log)
    later = log[::9].assign(user=["new", *log["user"][9::9]], time=log["time"][::9] + 200)
    check_same(model.update(later), read.update(later), log)


def test_the_recommender_for_new_users(tmp_path):
    log = log_of("strings")
    recent = PopularityRecommender(half_life=3, time="time")
    model = fitted(EASERecommender(new_users=recent), log)
    save_model(model, tmp_path / "model")
    read = load_model(tmp_path / "model")
    check_same(model, read, log)
    check_same(model.new_users_, read.new_users_, log)


@pytest.mark.parametrize("method", ["mmr", "xquad", "calibrated"])
def test_a_recommender_in_another_order(method, tmp_path):
    log = log_of("strings")
    categories = {item: ["a", "b"][: 1 + n % 2] for n, item in enumerate(set(log["item"]))}
    model = RerankingRecommender(EASERecommender(), method, categories=categories)
    save_model(fitted(model, log), tmp_path / "model")
    read = load_model(tmp_path / "model")
    check_same(fitted(model, log), read, log)
    assert read.categories == categories


@pytest.mark.filterwarnings("ignore")
def test_two_stages(tmp_path):
    log = log_of("strings", 400)
    ids = log["item"].unique()
    prices = FeatureTable(
        pd.DataFrame({"item": ids, "price": range(len(ids)), "day": 3.0}),
        id="item",
        time="day",
    )
    ranker = make_pipeline(SimpleImputer(), StandardScaler(), LogisticRegression())
    models = [("ease", EASERecommender()), ("popular", PopularityRecommender())]
    model = TwoStageRecommender(
        models,
        GroupRanker(ranker),
        time="time",
        label_window=50,
        n_windows=2,
        exclude_seen=False,
        item_features=prices,
    ).fit(log)
    save_model(model, tmp_path / "model")
    read = load_model(tmp_path / "model")
    assert read.candidates_["ease"] is next(iter(read._stage.models.values()))
    check_same(model, read, log)


@pytest.mark.parametrize("kind", IDS)
def test_ids_of_any_type(kind, tmp_path):
    log = log_of(kind)
    model = fitted(EASERecommender(), log)
    save_model(model, tmp_path / "model")
    read = load_model(str(tmp_path / "model"))
    check_same(model, read, log)
    assert [type(one) for one in read.items_] == [type(one) for one in model.items_]
    assert read.feature_names_in_.tolist() == ["time", "user", "item"]


def test_what_is_read_can_be_saved_fitted_and_kept(path, model, tmp_path):
    read = load_model(path)
    save_model(read, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == path.read_bytes()
    check_same(read, pickle.loads(pickle.dumps(read)), log_of("strings"))
    log = log_of("ints")
    assert clone(read).fit(log).items_.tolist() == clone(model).fit(log).items_.tolist()


def test_parameters_that_are_objects(tmp_path):
    moment = pd.Timestamp("2024-03-01").to_pydatetime()
    log = log_of("ints").assign(time=lambda log: pd.Timestamp("2024-02-01"))
    options = {"half_life": timedelta(days=3), "reference_time": moment, "time": "time"}
    model = PopularityRecommender(**options).fit(log)
    save_model(model, tmp_path / "model")
    check_same(model, load_model(tmp_path / "model"), log)


def read_back(value):
    files = {}
    written = ValueWriter(files.__setitem__).write(value, "value")
    written = json.loads(json.dumps(written))
    return ValueReader(files.get, print).read(written)


@pytest.mark.parametrize(
    "value",
    [
        *(None, True, 2**80, -0.0, "\ud800\0", [1, [2]], (), {1: ("a", None)}),
        *(frozenset("a"), b"\xff", timedelta(-1, 2, 3), np.float32(0.1), np.str_("a")),
        *(np.int8([[1], [2]]), np.array("x"), np.zeros((0, 3)), np.timedelta64(3, "h")),
        np.array([("a", 1), None], dtype=object),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        Times(np.arange(3), "us", ZoneInfo("Europe/Berlin")),
        Times(np.arange(3), "us", UTC),
        np.dtype("M8[ns]"),
    ],
    ids=repr,
)
def test_values(value):
    read = read_back(value)
    assert type(read) is type(value)
    assert repr(read) == repr(value)
    if isinstance(value, np.ndarray):
        assert read.dtype == value.dtype
        assert read.flags.f_contiguous == value.flags.f_contiguous


BLOCK = np.arange(24.0).reshape(4, 6)


@pytest.mark.parametrize(
    "array",
    [
        BLOCK[:, :3],
        BLOCK.T[:3],
        BLOCK[::-1],
        BLOCK[:, ::-1],
        BLOCK.T[:, ::-1],
        BLOCK[0, ::-1],
    ],
)
def test_products_of_what_is_read_are_the_same_operation(array):
    """The layout decides how a BLAS multiplies, or whether it does."""
    read = read_back(array)
    np.testing.assert_array_equal(read, array)
    assert np.sign(read.strides).tolist() == np.sign(array.strides).tolist()
    assert (
        np.argsort(np.abs(read.strides)).tolist()
        == np.argsort(np.abs(array.strides)).tolist()
    )


def test_factors_that_lie_backward_in_memory_give_the_same_bits(tmp_path):
    log = np.random.default_rng(0).integers(0, [60, 30], size=(900, 2))
    decomposition = PCA(5, svd_solver="arpack", random_state=0)
    model = MatrixFactorizationRecommender(decomposition).fit(log)
    assert min(model.estimator_.components_.strides) < 0
    save_model(model, tmp_path / "model")
    histories = [model.items_[i : i + 7] for i in range(20)]
    found = [
        one.recommend_for_items(histories, 5, return_scores=True)
        for one in (model, load_model(tmp_path / "model"))
    ]
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    "ranker",
    [
        GroupRanker(make_pipeline(SimpleImputer(), StandardScaler(), LogisticRegression())),
        PairwiseRanker(LogisticRegression()),
    ],
    ids=repr,
)
def test_rankers(ranker):
    X = np.arange(60.0).reshape(20, 3) % 7
    ranker.fit(X, np.arange(20) % 3 == 0, groups=np.repeat(range(5), 4))
    assert read_back(ranker).predict(X).tolist() == ranker.predict(X).tolist()


def test_arrays_that_share_memory_are_written_once(path, model):
    read = load_model(path)
    assert np.shares_memory(read.seen_.indptr, read.interactions_.indptr)
    names = [name for name in entries_of(path) if name.endswith(".npy")]
    # Three matrices of three arrays, two of them shared; popularity; last times.
    assert len(names) == 9


def test_numpy_opens_it_and_it_says_its_versions(path, model):
    with np.load(path, allow_pickle=False) as file:
        about = json.loads(file["model.json"])
        assert about["format"] == 2
        assert about["versions"]["sklearn-rank"] == __version__
        assert about["versions"]["scikit-learn"] == sklearn.__version__
        assert set(about["sha256"]) == set(file.zip.namelist()) - {"model.json"}


class Own(EASERecommender):
    pass


class Label(tuple):
    pass


LOG = log_of("ints")


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Own().fit(LOG), "Save your own class with joblib.dump"),
        (
            lambda: make_pipeline(EASERecommender()).fit(LOG),
            "from a pipeline its last step",
        ),
        (
            lambda: None,
            "must be a fitted recommender of sklearn_rank.recommenders, got None",
        ),
        (lambda: NMF(), "must be a fitted recommender"),
        (
            lambda: EASERecommender().fit([[Label("a"), 3]]),
            r"cannot hold `users_`, \('a',\) of",
        ),
        (
            lambda: MatrixFactorizationRecommender(
                NMF(2, random_state=np.random.RandomState(0))
            ).fit(LOG),
            "cannot hold `estimator.random_state`, RandomState",
        ),
        (
            lambda: EASERecommender().fit(
                [[datetime(2024, 1, 1, tzinfo=ZoneInfo("UTC")), 3]]
            ),
            "cannot hold `users_`, datetime.datetime",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_what_is_refused_leaves_the_old_file(make, said, path):
    before = path.read_bytes()
    with pytest.raises(TypeError, match=said):
        save_model(make(), path)
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


def test_not_fitted_and_no_file(model, tmp_path):
    with pytest.raises(NotFittedError):
        save_model(EASERecommender(), tmp_path / "model")
    with pytest.raises(ValueError, match="must name a file, got the folder or device"):
        save_model(model, tmp_path)
    with pytest.raises(FileNotFoundError):
        save_model(model, tmp_path / "none" / "model")
    with pytest.raises(FileNotFoundError):
        load_model(tmp_path / "none")
    assert not list(tmp_path.iterdir())


def entries_of(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def rewrite(path, change):
    """Write a model file anew, as somebody might who wants to cheat."""
    entries = entries_of(path)
    about = json.loads(entries["model.json"])
    change(about, entries)
    entries["model.json"] = json.dumps(about).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in entries.items():
            archive.writestr(name, content)


def test_an_array_that_was_changed(path):
    def change(about, entries):
        name = max(entries, key=lambda name: len(entries[name]) * name.endswith("npy"))
        entries[name] = entries[name][:-1] + bytes([entries[name][-1] ^ 1])

    rewrite(path, change)
    with pytest.raises(ValueError, match="that was changed after it was saved"):
        load_model(path)


def test_a_newer_format_names_the_release(path):
    def change(about, entries):
        about["format"] = 3
        about["versions"]["sklearn-rank"] = "7.1"
        about["model"] = {"what": "nobody knows"}

    rewrite(path, change)
    with pytest.raises(ValueError, match=r"reads format 2. Install sklearn-rank 7\.1 or"):
        load_model(path)


def test_a_file_in_format_1_says_to_fit_again(path):
    rewrite(path, lambda about, _: about.update(format=1, model={"other": "form"}))
    with pytest.raises(ValueError, match=r"is in format 1.* Fit the model again, and save"):
        load_model(path)


@pytest.mark.parametrize("zone", [None, UTC, ZoneInfo("Europe/Berlin")])
def test_last_times_are_as_before_in_files_and_pickles(tmp_path, zone):
    days = [datetime(2024, 5, day, tzinfo=zone) for day in (1, 2, 1, 9, 4)]
    log = pd.DataFrame({"user": [1, 1, 2, 2, 2], "item": list("abcab"), "time": days})
    model = PopularityRecommender().fit(log)
    column, times = model._last_times
    assert (column, times.zone) == ("time", None if zone is None else UTC)
    last = [datetime(2024, 5, day, tzinfo=zone) for day in (2, 9)]
    stamps = [
        (one if zone is None else one.astimezone(UTC)).replace(tzinfo=None) for one in last
    ]
    stamps = np.array(stamps, dtype=f"M8[{times.unit}]")
    assert times.values.tolist() == stamps.astype(int).tolist()
    save_model(model, tmp_path / "model")
    for read in (load_model(tmp_path / "model"), pickle.loads(pickle.dumps(model))):
        again, values = read._last_times
        assert again == column
        assert values.zone == times.zone
        assert values.unit == times.unit
        assert values.values.tolist() == times.values.tolist()
    put(model, "last_times", None)  # as of an X without times
    save_model(model, tmp_path / "model")
    assert load_model(tmp_path / "model")._last_times is None


def test_a_decomposition_of_another_release(tmp_path, path):
    model = fitted(MatrixFactorizationRecommender(), LOG)
    save_model(model, tmp_path / "svd")
    for one in (path, tmp_path / "svd"):
        rewrite(one, lambda about, _: about["versions"].update({"scikit-learn": "0.1"}))
    load_model(path)  # has no part of scikit-learn
    with pytest.raises(ValueError, match=r"TruncatedSVD of scikit-learn 0\.1; with"):
        load_model(tmp_path / "svd")


def fields_of(model):
    """Return what a file holds of the record of a model."""
    return model[2]["_fitted"]["object"][1]


def put(model, name, value):
    """Give a fitted model another attribute, also one of its record."""
    record, field = model._fitted, name.rstrip("_")
    if name == "popularity_":
        field, value = "popularity", Popularity(value)
    if hasattr(record.weights, field):
        field, value = "weights", replace(record.weights, **{field: value})
    if hasattr(record, field):
        name, value = "_fitted", replace(record, **{field: value})
    setattr(model, name, value)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda object: object.__setitem__(0, "os.system"),
            "names 'os.system', which is no",
        ),
        (
            lambda object: object.__setitem__(0, "sklearn.decomposition.np"),
            "which is not a mod",
        ),
        (
            lambda object: object.__setitem__(0, "sklearn_rank.recommenders.save_model"),
            "which is not a model",
        ),
        (lambda object: object[1].update(half_live=3), "the parameter 'half_live', which"),
        (lambda object: fields_of(object).pop("items"), "damaged, or not as `save_model`"),
        (
            lambda object: fields_of(object).update(users={"_each": []}),
            "damaged, or not as",
        ),
        (
            lambda object: fields_of(object).update(users={"array": "../../x"}),
            "damaged, or not",
        ),
        (
            lambda object: fields_of(object)["histories"]["csr_array"].reverse(),
            "damaged, or not as",
        ),
        (lambda object: object.pop(), "damaged, or not as `save_model` writes it"),
    ],
)
def test_what_others_may_write(path, change, said):
    rewrite(path, lambda about, _: change(about["model"]["object"]))
    with pytest.raises(ValueError, match=said):
        load_model(path)


def with_first(array, value):
    array = array.astype(float)
    array.flat[0] = value
    return array


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "forge",
    [
        *(lambda one: one[:-1], lambda one: np.concatenate([one, one[-1:]])),
        *(lambda one: one[..., np.newaxis], lambda one: one.astype(str)),
        *(lambda one, value=value: with_first(one, value) for value in (np.nan, -np.inf)),
    ],
)
@pytest.mark.parametrize(
    ("recommender", "name"),
    [
        *((EASERecommender(), name) for name in ("popularity_", "item_weights_")),
        (MatrixFactorizationRecommender(), "user_factors_"),
        (MatrixFactorizationRecommender(), "item_factors_"),
        (RerankingRecommender(EASERecommender(), "popularity"), "_n_users"),
    ],
    ids=str,
)
def test_numbers_that_recommend_cannot_use(recommender, name, forge, tmp_path):
    model = fitted(recommender, LOG)
    put(model, name, forge(getattr(model, name)))
    save_model(model, tmp_path / "model")
    with pytest.raises(ValueError, match=f"model' is damaged, .*`{name}` has"):
        load_model(tmp_path / "model")


@pytest.mark.parametrize("name", ["interactions_", "seen_", "histories_", "similarity_"])
@pytest.mark.parametrize("forge", [lambda one: one[:-1], lambda one: one[:, :-1]])
def test_matrices_that_do_not_fit_the_ids(model, path, name, forge):
    put(model, name, forge(getattr(model, name)))
    save_model(model, path)
    with pytest.raises(ValueError, match=f"damaged, .*`{name}` has the shape"):
        load_model(path)


def test_decompositions_that_do_not_fit_the_items(tmp_path):
    model = fitted(MatrixFactorizationRecommender(), LOG)
    whole = model.estimator_.components_
    for components in (whole[:, :-1], whole[:-1], None):
        model.estimator_.components_ = components
        save_model(model, tmp_path / "model")
        with pytest.raises(ValueError, match="model' is damaged"):
            load_model(tmp_path / "model")


@pytest.mark.parametrize(
    "version",
    ["\x1b[2J(see evil.example)", "1.0\n", "", "1" * 65, "x.7", "1.0+\u0661", 7, None],
    ids=repr,
)
@pytest.mark.parametrize("package", ["sklearn-rank", "scikit-learn"])
def test_versions_are_not_text_for_a_terminal(path, package, version):
    def change(about, entries):
        about["format"] = 3
        about["versions"][package] = version

    rewrite(path, change)
    with pytest.raises(ValueError, match=f"is not a version of {package}") as error:
        load_model(path)
    assert str(error.value).isprintable()
    assert len(str(error.value)) < 400


@pytest.mark.parametrize(
    "version", ["1", "1!2.0.0rc1", "0.1.0.dev0", "1.9.1.post2", "1.0+local.7"]
)
def test_versions_that_packages_have(path, version):
    rewrite(path, lambda about, _: about["versions"].update({"sklearn-rank": version}))
    load_model(path)


@pytest.mark.parametrize("number", [0, -3, True, 1.0, np.nan, "1", None], ids=repr)
def test_what_is_not_a_format(path, number):
    rewrite(path, lambda about, _: about.update(format=number))
    with pytest.raises(ValueError, match=r"damaged, or not as .* is not a format"):
        load_model(path)


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ({"object": ["sklearn.pipeline.Pipeline", {"steps": []}, {}]}, "Pipeline"),
        ({"object": ["sklearn.linear_model.Ridge", {}, {"coef_": 1}]}, "Ridge"),
        ([1], "list"),
    ],
)
def test_what_is_not_a_recommender(path, written, kind):
    rewrite(path, lambda about, _: about.update(model=written))
    with pytest.raises(ValueError, match=f"of the class {kind}, which is not a recommend"):
        load_model(path)


def test_a_folder_that_a_later_fit_would_create(path, tmp_path):
    written = {"object": ["sklearn.pipeline.Pipeline", {"steps": [], "memory": "x"}, {}]}
    rewrite(path, lambda about, _: about.update(model=written))
    with pytest.raises(ValueError, match="Pipeline a `memory`, which no model file may"):
        load_model(path)
    ranker = make_pipeline(StandardScaler(), memory=str(tmp_path / "folder"))
    with pytest.raises(TypeError, match=r"Pipeline with `memory`.*set memory=None"):
        ValueWriter(lambda name, content: None).write(ranker, "")


def test_an_entry_that_would_fill_the_memory(path):
    entries = entries_of(path)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, b" " * 10**6 * (name == "model.json") + content)
    assert path.stat().st_size < 10**4
    with pytest.raises(ValueError, match="is compressed, and `save_model` compresses noth"):
        load_model(path)


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content + b"more",
        lambda content: content.replace(
            b"(20,), }" + b" " * 12, b"(20" + b"0" * 12 + b",), }"
        ),
    ],
)
def test_an_array_that_is_larger_or_smaller_than_its_header_says(path, change):
    def forge(about, entries):
        np.lib.format.write_array(file := io.BytesIO(), np.arange(20.0))
        content = change(file.getvalue())
        name = next(name for name in entries if name.endswith(".npy"))
        entries[name] = content
        about["sha256"][name] = hashlib.sha256(content).hexdigest()

    rewrite(path, forge)
    with pytest.raises(ValueError, match=r"damaged, or not as .* needs .* bytes"):
        load_model(path)


def test_a_place_before_the_start_of_the_file(path):
    content = bytearray(path.read_bytes())
    end = content.rfind(b"PK\5\6")
    content[end + 16 : end + 20] = b"\xf0\xff\xff\xff"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=f"The model file '{path}' is damaged"):
        load_model(path)


def test_a_disk_that_fails_is_not_a_damaged_file(path, monkeypatch):
    def fail(*args):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(zipfile.ZipFile, "read", fail)
    with pytest.raises(OSError, match="Input/output error"):
        load_model(path)


@pytest.mark.parametrize("text", [b"", b"[]", b"3", b"[" * 10**5, b"{}", b"\xff"])
def test_json_that_is_none_of_ours(path, text):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("model.json", text)
    with pytest.raises(ValueError, match="damaged, or not as `save_model` writes it"):
        load_model(path)


def test_other_files(tmp_path, path):
    np.savez(tmp_path / "other.npz", a=[1])
    with pytest.raises(ValueError, match="has no entry 'model"):
        load_model(tmp_path / "other.npz")
    for content in (b"", b"user,item\n", b"P"):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="is not a model file that `save_model` wrote"):
            load_model(path)


def test_files_that_are_not_whole(path):
    whole = path.read_bytes()
    for share in (0.01, 0.5, 0.9, 0.999):
        path.write_bytes(whole[: int(share * len(whole))])
        with pytest.raises(ValueError, match="is incomplete; copy or save it again"):
            load_model(path)


def test_bytes_that_changed(path, model):
    """Either the file is refused, or what it holds is as it was."""
    whole, log = path.read_bytes(), log_of("strings")
    n_refused = 0
    for place in np.random.default_rng(0).integers(len(whole), size=60).tolist():
        changed = bytearray(whole)
        changed[place] ^= 0x24
        path.write_bytes(changed)
        try:
            read = load_model(path)
        except ValueError:
            n_refused += 1
        else:
            check_same(model, read, log)
    assert n_refused > 30


class Exploding:
    """Something that tells when it is unpickled."""

    def __reduce__(self):
        return pytest.fail, ("code of the file ran",)


def test_a_number_is_no_path():
    """It would be an open file of the process, which reading closes."""
    number = os.dup(1)
    try:
        with pytest.raises(TypeError, match=r"os\.PathLike"):
            load_model(number)
        assert os.fstat(number)
    finally:
        os.close(number)


def test_nothing_of_a_file_runs(path):
    def change(about, entries):
        name = next(name for name in entries if name.endswith(".npy"))
        np.save(file := io.BytesIO(), np.array([Exploding()]), allow_pickle=True)
        entries[name] = file.getvalue()
        about["sha256"][name] = hashlib.sha256(entries[name]).hexdigest()

    rewrite(path, change)
    with pytest.raises(ValueError, match="Object arrays cannot be loaded"):
        load_model(path)
    for compress in (0, 3):
        joblib.dump(Exploding(), path, compress=compress)
        with pytest.raises(ValueError, match="is not a model file"):
            load_model(path)


def test_what_stops_halfway_leaves_the_old_file(path, model, monkeypatch):
    before = path.read_bytes()

    def full(*args):
        raise OSError(28, "No space left on device")

    for step in ("fsync", "replace"):
        with monkeypatch.context() as patch:
            patch.setattr(os, step, full)
            with pytest.raises(OSError, match="No space"):
                save_model(model, path)
        assert path.read_bytes() == before
        assert os.listdir(path.parent) == [path.name]


def test_writing_leaves_no_buffer_behind():
    for _ in range(3):
        read_back([np.arange(3.0), np.arange(4.0)])
    gc.collect()  # pytest fails where what is collected complains

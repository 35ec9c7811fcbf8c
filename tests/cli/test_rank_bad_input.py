"""Bad files of queries: one line that names the thing and the way out, exit code 2."""

import gzip
import sys

import pytest

from sklearn_rank._cli.reading import _query_files

ROWS = "2 1:1 2:0.5\n0 1:2\n1 2:3\n0 1:1 2:1\n"
WITH_QID = "2 qid:1 1:1 2:0.5\n0 qid:1 1:2\n1 qid:2 2:3\n0 qid:2 1:1 2:1\n"


@pytest.fixture
def fails_rank(fails):
    def fail(*arguments):
        return fails(*arguments, "--model", "pairwise", "--folds", 2, command="rank")

    return fail


@pytest.fixture
def files(write):
    """A file of rows and the file of their sizes."""

    def write_both(rows=ROWS, sizes="2\n2\n"):
        return write(rows, "train.svm"), "--groups", write(sizes, "train.query")

    return write_both


def test_missing_files(fails_rank, tmp_path, files):
    missing = tmp_path / "missing"
    train, option, groups = files()
    for arguments in (
        [missing, option, groups],
        [train, option, missing],
        [train, option, groups, "--test", missing],
        [train, option, groups, "--test", train, "--test-groups", missing],
    ):
        assert f"There is no file '{missing}'" in fails_rank(*arguments)
    assert "is a folder; name a libsvm file" in fails_rank(tmp_path, option, groups)
    assert "is a folder; name a file of sizes" in fails_rank(train, option, tmp_path)


def test_cut_off_gzip(fails_rank, tmp_path):
    path = tmp_path / "train.svm"
    path.write_bytes(gzip.compress((WITH_QID * 1000).encode())[:60])
    assert f"Cannot read '{path}': it is damaged or not whole" in fails_rank(path)


@pytest.mark.parametrize(
    "line",
    ["x 1:2", "1 a:2", "1 1", "1 1:", "1 1:2 1:3", "1 2:1 1:1", "1 qid:a 1:2", "1,2,3"],
)
def test_malformed_line_with_its_number(fails_rank, files, line, monkeypatch):
    message = fails_rank(*files(f"{ROWS}\n# a comment\n{line}\n{ROWS}"))
    assert "Line 7 of" in message
    assert repr(line) in message
    assert f"is {line!r}: it is not a libsvm row. Needed is '2 qid:7" in message
    monkeypatch.setattr(_query_files, "LINES_AT_ONCE", 2)
    assert fails_rank(*files(f"{ROWS}\n# a comment\n{line}\n{ROWS}")) == message


@pytest.mark.parametrize("grade", ["-1", "nan", "inf", "-0.5", "1e+31"])
def test_grades_that_are_none(fails_rank, files, grade):
    message = fails_rank(*files(f"{ROWS}\n# a comment\n{grade} 1:2 # doc\n", "2\n3\n"))
    assert f"Line 7 of '{files()[0]}' has the grade {grade}" in message


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "-1e+31"])
def test_values_that_are_not_finite(fails_rank, files, value):
    message = fails_rank(*files(f"{ROWS}1 2:4 3:{value}\n"))
    assert f"Line 5 of '{files()[0]}' has the value {value} of feature 3" in message


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("", "has no rows"),
        ("# nothing\n\n", "has no rows"),
        ("1\n0\n2\n0\n", "No row of"),
        (ROWS.replace("2 1:1", "0 1:1").replace("1 2:3", "0 2:3"), "grade above 0"),
    ],
)
def test_files_with_nothing_to_learn_from(fails_rank, files, rows, said):
    assert said in fails_rank(*files(rows))


def test_sizes_that_do_not_sum_to_the_rows(fails_rank, files):
    train, option, groups = files(sizes="2\n3\n")
    message = fails_rank(train, option, groups)
    assert f"The 2 sizes in '{groups}' sum to 5, but '{train}' has 4 rows" in message
    assert "The 0 sizes" in fails_rank(*files(sizes=""))


@pytest.mark.parametrize("feature", ["1048576", "2147483647"])
def test_features_no_model_has_room_for(fails_rank, files, feature):
    message = fails_rank(*files(f"{ROWS}\n1 1:2 {feature}:1\n"))
    assert f"Line 6 of '{files()[0]}' has feature {feature}" in message
    assert "up to 1,048,575; number the features that occur 1, 2, 3, ..." in message


def test_features_no_dense_table_has_room_for(fails, write):
    path = write("1 qid:1 1048575:1\n" * 520, "train.svm")
    message = fails(path, "--model", "pointwise", command="rank")
    assert "needs a dense table, but 520 rows of" in message
    assert "by 1,048,576 features are too large for one; take --model lightgbm" in message


@pytest.mark.parametrize(
    "line", ["1 2147483648:1", f"1 {'9' * 30}:1", f"1 qid:{'9' * 30} 1:1"]
)
def test_numbers_that_do_not_fit(fails_rank, files, line):
    message = fails_rank(*files(f"{ROWS}\n{line}\n"))
    assert f"Line 6 of '{files()[0]}' is {line!r}" in message
    assert "a number is too large; number features and queries 1, 2, 3, ..." in message


def test_sizes_whose_sum_does_not_fit(fails_rank, files):
    train, option, groups = files(sizes=f"{'9' * 18}\n" * 20)
    assert "sum to 19,999,999,999,999,999,980" in fails_rank(train, option, groups)


@pytest.mark.parametrize(
    "size", ["two", "0", "-2", "2.0", "2 2", "9" * 30, str(2**63), "٣", "1_0"]
)
def test_sizes_that_are_none(fails_rank, files, size):
    message = fails_rank(*files(sizes=f"2\n\n{size}\n"))
    assert f"is {size!r}; needed is the number of rows" in message
    assert message.startswith("sklearn-rank: error: Line 3 of")


def test_no_queries(fails_rank, files):
    train = files()[0]
    assert "Name the file of their sizes with --groups" in fails_rank(train)
    both = [train, "--groups", files()[2], "--test", train]
    assert "with --test-groups" in fails_rank(*both)


def test_query_that_comes_back(fails_rank, write):
    path = write(WITH_QID + "\n1 qid:1 1:5\n", "train.svm")
    message = fails_rank(path)
    assert f"qid:1 appears again in line 6 of '{path}'" in message
    assert "must be consecutive" in message


def test_row_without_query(fails_rank, write):
    path = write(WITH_QID + "1 1:5 # qid:2\n", "train.svm")
    assert f"Line 5 of '{path}' has no qid:" in fails_rank(path)


def test_sizes_against_qid(fails_rank, files):
    assert "which make other queries" in fails_rank(*files(WITH_QID, "1\n3\n"))


def test_test_rows_with_another_feature(fails_rank, files, write):
    test = write("1 qid:1 1:2\n\n0 qid:1 1:1 7:3\n", "test.svm")
    message = fails_rank(*files(), "--test", test)
    assert f"Line 3 of '{test}' has feature 7, but the last one of" in message
    assert "is 2; both files need the same features" in message


def test_test_rows_may_lack_the_last_feature(files, write, run):
    test = write("1 qid:1 1:2\n0 qid:1 1:1\n", "test.svm")
    rows = WITH_QID + WITH_QID.replace(":1 ", ":3 ").replace(":2 ", ":4 ")
    options = ["--model", "pairwise", "--folds", 2, "--test", test]
    assert run("rank", write(rows, "train.svm"), *options)[0] == 0


def test_more_folds_than_queries(fails, files):
    message = fails(*files(), "--model", "pairwise", command="rank")
    assert "--folds 5 greater than the number of" in message


def test_fold_without_relevant_row(fails_rank, files):
    message = fails_rank(*files(ROWS.replace("1 2:3", "0 2:3")))
    assert "no query for which ndcg@10 is defined; take fewer folds" in message


def test_metric_undefined_everywhere(fails_rank, files):
    metric = ["--metric", "ndcg(min_relevance=9)@10"]
    assert "min_relevance" in fails_rank(*files(), *metric)
    assert "is undefined for every query" in fails_rank(
        *files(), "--metric", "map(min_relevance=9)"
    )


@pytest.mark.parametrize("package", ["lightgbm", "xgboost", "catboost"])
def test_missing_package(fails, files, monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    message = fails(*files(), "--model", package, "--folds", 2, command="rank")
    said = f"The model {package!r} needs {package}, which is not installed"
    assert said in message
    assert 'pip install "sklearn-rank[rankers]"' in message


def test_data_a_library_cannot_learn_from(fails, files):
    constant = "1 1:1\n0 1:1\n" * 4
    arguments = ["--model", "catboost", "--folds", 2]
    message = fails(*files(constant, "2\n" * 4), *arguments, command="rank")
    assert f"catboost cannot learn from '{files()[0]}': " in message
    assert "constant" in message


def test_grades_a_library_has_no_gain_for(fails, files):
    halves = ROWS.replace("2 1:1", "2.5 1:1")
    arguments = ["--model", "lightgbm", "--folds", 2]
    message = fails(*files(2 * halves, "2\n2\n" * 2), *arguments, command="rank")
    assert "LGBMRanker needs whole grades from 0 to 30" in message


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--metric", "ndgc@10"], "Did you mean 'ndcg'?"),
        (["--metric", "ndcg(discount=[])"], "'[' is not a value"),
        (["--metric", "ndcg(k=1)+(2)"], "'+' comes after the end of the name"),
        (["--metric", "rmse"], "name a ranking metric, such as ndcg@10"),
        (["--folds", "1"], "--folds: needs a whole number from 2 to 1,000, got '1'"),
        (["--model", "svm"], "--model: got 'svm'. Valid: 'lightgbm'"),
        (["--test-groups", "b"], "--test-groups needs --test"),
        (["--jobs", "0"], "--jobs"),
        (["b.svm"], "b.svm"),
    ],
)
def test_arguments_are_checked_before_anything_is_read(fails, arguments, said):
    model = [] if "--model" in arguments else ["--model", "pairwise"]
    assert said in fails("no.svm", *model, *arguments, command="rank")


def test_model_is_required(fails):
    assert "--model" in fails("no.svm", command="rank")


def test_errors_leave_no_folder_behind(fails_rank, files, tmp_path):
    folder = tmp_path / "results"
    fails_rank(*files(sizes="9\n"), "--output", folder)
    fails_rank(*files(), "--metric", "mrrr", "--output", folder)
    assert not folder.exists()
    assert "is a file" in fails_rank(*files(), "--output", files()[0])

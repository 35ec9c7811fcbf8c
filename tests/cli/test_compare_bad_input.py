"""Bad input of `compare`: one line that names the thing and the way out, exit code 2."""

import pytest


@pytest.fixture
def fails_compare(fails):
    def fail(*arguments):
        return fails(*arguments, command="compare")

    return fail


@pytest.fixture
def files(trec_files):
    names = ("old.run", "new.run", "qrels.txt")
    old, new, qrels = (trec_files / name for name in names)
    return old, new, "--qrels", qrels


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--metric", "ndgc@10"], "Did you mean 'ndcg'?"),
        (["--metric", "rmse"], "name a ranking metric, such as ndcg@10"),
        (["--baseline", "old", "--all-pairs"], "not allowed with"),
        (["--margin", "-1"], "--margin: needs a number from 0, got '-1'"),
        (["--confidence-level", "95"], "--confidence-level: needs a share"),
        (["--test", "wilcoxon"], "invalid choice"),
        (["--all-pairs", "--correction", "max_t"], "--correction 'max_t' flips all diff"),
        (["--baseline", "odl"], "--baseline got 'odl'. Did you mean 'old'? Valid: 'old', "),
        (["-o", "no/folder/out.csv"], "there is no folder"),
        (["--query", "q"], "has no field 'q' of --query"),
    ],
)
def test_arguments_that_are_wrong(fails_compare, files, arguments, said):
    if "--query" in arguments:
        pytest.skip("lines of TREC have no names")
    assert said in fails_compare(*files, *arguments)


def test_runs_that_are_wrong(fails_compare, files, write, tmp_path):
    old, new, _, qrels = files
    assert "needs two runs or more, got 1" in fails_compare(old, "--qrels", qrels)
    assert "is given twice" in fails_compare(old, *files)
    assert "is not a table with one row of values per query" in fails_compare(old, new)
    missing = tmp_path / "missing"
    said = f"There is no file '{missing}'; check the name and the folder."
    assert said in fails_compare(old, missing, "--qrels", qrels)
    assert said in fails_compare(old, new, "--qrels", missing)
    assert "is a folder without qrels/; name a file in it." in fails_compare(
        old, tmp_path, "--qrels", qrels
    )
    other = write("1 Q0 d1 1 2.0 me\n", "other.run")
    said = f"No query of '{qrels}', such as 'q0', is in '{other}', such as '1'"
    assert said in fails_compare(old, other, "--qrels", qrels)
    assert "is empty" in fails_compare(old, new, "--qrels", write("", "empty.txt"))
    assert "4 fields" in fails_compare(qrels, old, "--qrels", qrels)
    zeros = write("q1 0 d1 0\nq2 0 d1 0\n", "qrels.txt")
    code_line = fails_compare(old, new, "--qrels", zeros)
    assert "a comparison needs two that are independent" in code_line


def test_rows_that_are_wrong(fails_compare, trec_files, write):
    truth = ["--truth", trec_files / "qrels.csv", "--score", "value"]
    old = trec_files / "old.csv"
    bad = write("user,item,value\nq1,d1,0.5\nq1,d2,high\nq2,d1,\n", "bad.csv")
    message = fails_compare(old, bad, *truth)
    assert f"'{bad}' has the score \"high\" in line 3; a number is needed." in message
    bad.write_text("user,item,value\nq1,d1,0.5\n\nq1,d1,0.4\n")
    message = fails_compare(old, bad, *truth)
    assert f"'{bad}' has the item 'd1' twice for the query 'q1', again in line 4" in message
    assert "--duplicates first" in message
    bad.write_text("user,item,rank\nq1,d1,1\nq1,d2,1\n")
    message = fails_compare(bad, old, *truth[:2], "--rank", "rank")
    assert "'" + str(old) in message or "has the rank 1 for the query 'q1'" in message


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("query,mrr\nq0,0.5\nq2,0.5\n", "have different queries: 1 gone (such as ['q1'])"),
        ("query,mrr\nq0,0.5\nq1,0.5\nq1,0.6\n", "has query 'q1' in several rows"),
        ("query,mrr\nq0,0.5\nq1,1.5\n", "has 1.5 in line 3, but the metric is "),
        ("query,ndcg@5,ndcg_cut.5\nq0,1,1\nq1,0,0\n", "one for each metric, each once."),
    ],
)
def test_tables_of_values_that_are_wrong(fails_compare, write, text, said):
    old = write("query,mrr\nq0,0.5\nq1,0.25\n", "old.csv")
    assert said in fails_compare(old, write(text, "new.csv"))

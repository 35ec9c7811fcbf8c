"""Looks at any time, of `gate --anytime` and `compare --test anytime`."""

import gzip

import pytest

from sklearn_rank.inputs import from_trec
from sklearn_rank.metrics import per_query_scores
from sklearn_rank.statistics import compare_models


@pytest.fixture
def look(run, trec_files, write):
    """Run the gate on the lists of the first queries that each run answers."""

    def run_gate(candidate, n_old, n_new, *options):
        paths = []
        for name, n in (("old", n_old), (candidate, n_new)):
            lines = (trec_files / f"{name}.run").read_text().splitlines()
            queries = list(dict.fromkeys(line.split()[0] for line in lines))[:n]
            kept = [line for line in lines if line.split()[0] in queries]
            paths.append(write("\n".join([*kept, ""]), f"look_{len(paths)}_{name}.run"))
        runs = ["--baseline", paths[0], "--candidate", paths[1]]
        qrels = ["--qrels", trec_files / "qrels.txt"]
        return run("gate", *runs, *qrels, "--anytime", *options)

    return run_gate


def values_of(trec_files, name):
    rows = from_trec(trec_files / "qrels.txt", trec_files / f"{name}.run")
    return per_query_scores(**rows, metrics="ndcg@10")


def test_gate_has_the_interval_of_any_time(look, trec_files):
    scores = {name: values_of(trec_files, name) for name in ("old", "new")}
    row = compare_models(scores, baseline="old", test="anytime").row("new")
    code, out, err = look("new", 60, 60, "--margin", 0.3)
    assert f"[{row.low:+.4f}, {row.high:+.4f}], margin 0.3, 60 queries" in out
    assert (code, err) == (0, "")


def test_queries_that_no_run_answers_are_not_evaluated_yet(look):
    code, out, err = look("new", 20, 20, "--margin", 0.01)
    assert code == 2
    assert "20 queries" in out
    text = " ".join(err.split())
    assert "has no list for 40 of 60 queries" in text
    assert text.count("they are not evaluated yet, and left out") == 2
    assert "empty lists" not in text
    assert "without judgments" not in text


def test_a_query_that_one_run_answers_is_an_error(look):
    code, _, err = look("new", 30, 29, "--margin", 0.01)
    assert code == 3
    assert "queries" in err


def test_identical_runs_pass_only_when_all_queries_are_there(look):
    code, out, _ = look("old", 20, 20, "--margin", 0.01)
    assert code == 2
    assert out.startswith("undecided")
    code, out, _ = look("old", 60, 60, "--margin", 0.01)
    assert code == 0
    assert out == "pass: ndcg@10: identical on all 60 queries, margin 0.01\n"


def test_compare_at_any_time(run, trec_files):
    runs = [trec_files / f"{name}.run" for name in ("old", "new")]
    given = [*runs, "--qrels", trec_files / "qrels.txt", "--test", "anytime"]
    code, out, _ = run("compare", *given)
    assert code == 0
    assert "bets, valid at any time" in " ".join(out.split())
    code, _, err = run("compare", *given, "--correction", "max_t")
    assert code == 2
    assert "it does not go with --test 'anytime'; use 'holm' or 'bonferroni'" in err


NOTE = (
    "The last row of {path!r} has no line end: it is still being written, and is left out."
)


def rows_of_values(n):
    return "".join(f"q{number},0.91\n" for number in range(n))


@pytest.mark.parametrize("torn", ["q59,0.", "q59,", "q59", "q5", '"q5', "q59,0.91"])
def test_a_row_without_line_end_is_left_out(run, write, torn):
    old = write(f"query,ndcg@10\n{rows_of_values(60)}", "old.csv")
    new = write(f"query,ndcg@10\n{rows_of_values(59)}{torn}", "new.csv")
    files = ["--baseline", old, "--candidate", new, "--margin", 0.1]
    code, out, err = run("gate", *files, "--anytime")
    assert out == "pass: ndcg@10: identical on all 59 queries, margin 0.1\n"
    assert NOTE.format(path=str(new)) in " ".join(err.split())
    assert code < 3


def test_a_row_without_line_end_is_read_where_files_are_whole(run, write):
    old, new = (write(f"query,ndcg@10\n{rows_of_values(60)[:-1]}", n) for n in "ab")
    code, out, err = run("gate", "--baseline", old, "--candidate", new, "--margin", 0.1)
    assert (code, err) == (0, "")
    assert "60 queries" in out


def test_errors_name_the_file_that_grows(run, write):
    old = write(f"query,ndcg@10\n{rows_of_values(60)}", "old.csv")
    new = write(f"query,ndcg@10\nq0,x\n{rows_of_values(9)}q", "new.csv")
    files = ["--baseline", old, "--candidate", new, "--margin", 0.1]
    code, _, err = run("gate", *files, "--anytime", "--json")
    assert code == 3
    assert repr(str(new)) in " ".join(err.split())


@pytest.mark.parametrize("packed", [False, True])
def test_a_line_of_a_run_without_line_end_is_left_out(run, write, packed):
    qrels = write("".join(f"q{number} 0 d 1\n" for number in range(30)), "qrels.txt")
    lines = "".join(f"q{number} Q0 d 1 1 me\n" for number in range(30))
    # Without the line the list is empty; half of it has the score 0 of another rank.
    torn = lines + "q29 Q0 e 2 0"
    old, new = write(lines, "old.run"), write(torn, "new.run")
    if packed:
        new.write_bytes(gzip.compress(torn.encode()))
    files = ["--baseline", old, "--candidate", new, "--qrels", qrels, "--margin", 0.1]
    code, out, err = run("gate", *files, "--anytime")
    if packed:  # it does not grow: an error names the line
        assert code == 3
        assert "line 31" in err
        return
    assert "30 queries" in out
    assert NOTE.format(path=str(new)) in " ".join(err.split())


@pytest.mark.parametrize("ending", ["csv", "csv.gz"])
def test_a_packed_file_is_whole(run, write, tmp_path, ending):
    old = write(f"query,ndcg@10\n{rows_of_values(60)}", "old.csv")
    new = tmp_path / f"new.{ending}"
    text = f"query,ndcg@10\n{rows_of_values(60)}".rstrip("\n").encode()
    new.write_bytes(gzip.compress(text) if ending == "csv.gz" else text)
    files = ["--baseline", old, "--candidate", new, "--margin", 0.1]
    code, out, _ = run("gate", *files, "--anytime")
    assert code == 0
    assert f"all {60 if ending == 'csv.gz' else 59} queries" in out

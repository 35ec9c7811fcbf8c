"""The command that plans queries and repeats: the same numbers as in Python."""

import json

import numpy as np
import pytest

from sklearn_rank.statistics import compare_models, plan_evaluation


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (
            "--difference .05 --sd .2",
            "128 queries: difference 0.05, power 0.802, standard error 0.01768.",
        ),
        (
            "--queries 40 --sd .2 --sd-within .3 --repeats 3",
            "40 queries, 3 repeats of each: difference 0.1436, power 0.800, standard error "
            "0.05.",
        ),
        (
            "--queries 64 --cluster-size 4 --icc .5 --sd .4",
            "64 queries in 16 clusters: difference 0.237, power 0.800, standard error "
            "0.07906.",
        ),
        (
            "--queries 34 --difference 1 --sd 2",
            "34 queries: difference 1, power 0.808, standard error 0.343.",
        ),
    ],
)
def test_numbers(run, arguments, text):
    code, out, err = run("plan", *arguments.split())
    assert (code, err) == (0, "")
    design = "paired: both systems answer each query; for users of two variants --unpaired."
    # At most 80 columns.
    assert " ".join(out.split()) == f"{text} {design}"


def test_two_variants(run):
    _, out, _ = run("plan", "--difference", ".5", "--sd", "4", "--unpaired", "--json")
    report = json.loads(out)
    assert report["rows"][0]["n_queries"] == 1006
    assert report["notes"] == [
        "two samples: each user sees one variant; for systems that answer the same queries "
        "leave --unpaired out"
    ]


def test_a_pilot_of_two_tables(run, tmp_path):
    rng = np.random.default_rng(0)
    values = {name: rng.random(30).round(3) for name in ("old", "new")}
    for name, of in values.items():
        rows = "".join(f"q{n},{value}\n" for n, value in enumerate(of))
        (tmp_path / f"{name}.csv").write_text(f"query,ndcg@10\n{rows}")
    files = [tmp_path / f"{name}.csv" for name in values]
    code, out, err = run("plan", "--difference", ".1", "--from", *files, "--json")
    assert (code, err) == (0, "")
    pilot = compare_models(values)
    expected = plan_evaluation(difference=0.1, pilot=pilot)
    assert json.loads(out)["rows"][0]["n_queries"] == expected.n_queries


def test_a_pilot_of_two_scores_needs_a_name(run, tmp_path):
    rng = np.random.default_rng(0)
    files = [tmp_path / "old.csv", tmp_path / "new.csv"]
    for path in files:
        rows = "".join(f"q{n},{rng.random():.3f},{rng.random():.3f}\n" for n in range(30))
        path.write_text(f"query,mrr,faithfulness\n{rows}")
    arguments = "plan", "--difference", ".1", "--from", *files
    code, _, err = run(*arguments)
    assert (code, "The tables have mrr, faithfulness: name one" in err) == (2, True)
    assert run(*arguments, "-m", "mrr")[0] == 0


def test_a_pilot_with_repeats(run, tmp_path):
    rng = np.random.default_rng(0)
    values = {name: rng.random((30, 3)).round(3) for name in ("old", "new")}
    for name, of in values.items():
        rows = "".join(f"q{n},{','.join(map(str, row))}\n" for n, row in enumerate(of))
        head = "query,ndcg@10,ndcg@10 #2,ndcg@10 #3\n"
        (tmp_path / f"{name}.csv").write_text(head + rows)
    files = [tmp_path / f"{name}.csv" for name in values]
    arguments = "--queries", 100, "--repeats", 5, "--from", *files
    code, out, err = run("plan", *arguments, "--json")
    assert (code, err) == (0, "")
    pilot = compare_models(values)
    expected = plan_evaluation(n_queries=100, n_repeats=5, pilot=pilot)
    row = json.loads(out)["rows"][0]
    assert row["difference"] == pytest.approx(expected.difference, rel=1e-9)
    assert "the pilot's 3 repeats leave the SD" in " ".join(
        run("plan", *arguments)[1].split()
    )
    (tmp_path / "new.csv").write_text("query,ndcg@10,mrr,ndcg@10 #2\nq0,1,1,1\nq1,0,1,1\n")
    code, _, err = run("plan", *arguments)
    assert (code, "each metric needs a column for each repeat" in err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--difference .05", "plan needs --sd"),
        ("--sd 3", "plan needs --difference or --queries"),
        ("--sd 3 --from a b --queries 9", "plan needs --sd"),
        ("--sd-within 3 --from a b --queries 9", "--sd-within goes with --sd"),
        ("--sd 3 --queries 9 -m mrr", "--metric names a metric of the tables of --from"),
        ("--sd 3 --queries 9 --power .01", "--power must be a number above"),
        ("--sd 3 --queries 9 --power .9 --difference 1", "--power leave one out"),
        ("--sd 3 --queries 9 --unpaired --sd-within 1", "--unpaired"),
        ("--difference 1e-12 --sd 3", "more than 2**53 queries"),
        ("--queries 1 --sd 3", "needs a whole number from 2"),
    ],
)
def test_bad_input(fails, arguments, message):
    assert message in fails(*arguments.split(), command="plan")

"""`sklearn-rank judge`: files of labels, what it prints, and bad input."""

import gzip
import json

import numpy as np
import pytest

from sklearn_rank.statistics import judge_assisted_mean, rater_agreement

RNG = np.random.default_rng(0)
PASSES = RNG.random(200) < 0.7
GPT = np.where(RNG.random(200) < 0.15, ~PASSES, PASSES)
LLAMA = np.where(RNG.random(200) < 0.25, ~PASSES, PASSES)
SEEN = np.arange(200) % 3 == 0
ROWS = [
    {"unit": f"u{i}", "people": bool(PASSES[i]) if SEEN[i] else None}
    | {"gpt": bool(GPT[i]), "llama": bool(LLAMA[i])}
    for i in range(200)
]
HUMAN = np.where(SEEN, PASSES, np.nan)
pytestmark = pytest.mark.filterwarnings("ignore:.*human values that differ")


def as_csv(rows, write=str):
    """Return rows as CSV."""
    lines = [list(rows[0]), *([write(cell) for cell in row.values()] for row in rows)]
    return "".join(",".join(line) + "\n" for line in lines)


def as_long(rows):
    """Return a row for each label."""
    return [
        {"unit": row["unit"], "rater": rater, "grade": row[rater]}
        for row in rows
        for rater in ("people", "gpt", "llama")
        if row[rater] is not None
    ]


def as_word(cell):
    """Return a label as a word, and others as they are."""
    words = {True: "Pass", False: "fail", None: ""}
    return words[cell] if cell in words else str(cell)


FILES = {
    "wide.csv": as_csv(ROWS, as_word),
    "long.csv": as_csv(as_long(ROWS), as_word),
    "numbers.csv": as_csv(
        as_long(ROWS), lambda cell: str(cell + 0) if cell in (0, 1) else cell
    ),
    "wide.jsonl": "".join(json.dumps(row) + "\n" for row in ROWS),
    "wide.json": json.dumps(ROWS),
    "long.tsv": as_csv(as_long(ROWS), as_word).replace(",", "\t"),
}


@pytest.mark.parametrize("name", FILES)
def test_every_form_has_the_same_numbers(run, tmp_path, name):
    (tmp_path / name).write_text(FILES[name])
    code, out, err = run("judge", tmp_path / name, "--reference", "people", "--json")
    assert code == 0
    found = json.loads(out)
    judges = np.column_stack([GPT, LLAMA]) * 1.0
    expected = judge_assisted_mean(HUMAN, judges, value_range=(0, 1))
    for field in ("mean", "low", "high", "judge_mean", "bias", "weight"):
        assert found["corrected"][field] == pytest.approx(expected[field], rel=1e-9)
    gpt = found["rows"][0]
    assert gpt["true_positive_rate"] == np.mean(GPT[SEEN & PASSES])
    assert gpt["true_negative_rate"] == np.mean(~GPT[SEEN & ~PASSES])
    assert gpt["accuracy"] == pytest.approx(np.mean((GPT == PASSES)[SEEN]))
    assert ("Labels as numbers: " in err) == (name != "numbers.csv")


def test_what_it_prints(run, tmp_path):
    path = tmp_path / "labels.csv.gz"
    path.write_bytes(gzip.compress(FILES["wide.csv"].encode()))
    code, out, err = run("judge", path, "--reference", "people", width=80)
    assert code == 0
    assert "Labels as numbers: pass = 1, fail = 0." in err
    labels = {"people": HUMAN, "gpt": GPT * 1.0, "llama": LLAMA * 1.0}
    agreement = rater_agreement(labels, reference="people")
    assert f"Krippendorff's alpha (ordinal): {agreement.alpha:.3f}" in out
    corrected = agreement.corrected
    assert f"from 67 by people and 2 judges: {corrected.mean:.3f}" in " ".join(out.split())
    both = np.count_nonzero(GPT & PASSES & SEEN), np.count_nonzero(~GPT & PASSES & SEEN)
    _, table = out.split("Units by the grade of people (rows) and of gpt (columns)\n")
    assert table.splitlines()[0].split() == ["0", "1"]
    assert table.splitlines()[2].split() == ["1", str(both[1]), str(both[0])]
    rate = both[0] / sum(both)
    assert table.splitlines()[3].startswith(f"true positive rate {rate:.3f}, true negative")


def test_without_a_reference_it_says_how_to_name_one(run, tmp_path):
    (tmp_path / "wide.csv").write_text(FILES["wide.csv"])
    code, out, err = run("judge", tmp_path / "wide.csv")
    assert code == 0
    assert "No corrected mean: no rater is the reference; name it with --reference." in err
    assert "Compared with" not in out
    assert "Units by the grade" not in out


def test_a_reference_with_all_labels_leaves_nothing_to_correct(run, tmp_path):
    (tmp_path / "a.csv").write_text("unit,people,gpt\na,1,2\nb,0,0\nc,3,3\nd,2,2\n")
    code, out, err = run("judge", tmp_path / "a.csv", "--reference", "people")
    assert code == 0
    assert "Nothing to correct: people has graded all units." in err
    assert "accuracy 0.750" in out
    assert "true positive" not in out
    out = run("judge", tmp_path / "a.csv", "--reference", "people", "--min-relevance", "2")[
        1
    ]
    assert "true positive rate 1.000, true negative rate 0.500, accuracy 0.750" in out


def test_repeats_of_a_rater_count_by_their_mean(run, tmp_path):
    rows = "a,p,1\na,g,1\na,g,0\nb,p,0\nb,g,0\nb,g,0\nc,p,1\nc,g,1\nc,g,\n"
    (tmp_path / "a.csv").write_text(f"unit,rater,label\n{rows}")
    code, out, err = run("judge", tmp_path / "a.csv", "--reference", "p", "--json")
    assert code == 0
    assert "2 times a rater repeats a unit: the mean counts." in err
    assert json.loads(out)["rows"][0]["mean"] == pytest.approx(0.5)


@pytest.mark.filterwarnings("ignore:Alpha is undefined or the same without each query")
def test_columns_are_named_and_units_belong_to_queries(run, tmp_path):
    text = "id,question,who,verdict,why\nd1,q1,1,2,x\nd1,q1,2,2,y\nd1,q2,1,0,\nd1,q2,2,1,\n"
    (tmp_path / "a.csv").write_text(text)
    names = ["--unit", "id", "--query", "question", "--rater", "who", "--grade", "verdict"]
    code, out, _ = run("judge", tmp_path / "a.csv", *names)
    assert code == 0
    assert "by 2 queries; 2 of 2 units have two" in " ".join(out.split())
    wide = "question,item,answer,ann,bob\nq1,d1,text,1,0\nq1,d2,more,2,2\nq2,d1,,0,0\n"
    (tmp_path / "b.csv").write_text(wide)
    names = ["--query", "question", "--rater", "ann, bob"]
    code, out, _ = run("judge", tmp_path / "b.csv", *names)
    assert code == 0
    assert "by 2 queries; 3 of 3 units" in " ".join(out.split())


@pytest.mark.parametrize("first", ["id", "query", "question"])
def test_the_first_column_has_the_units_and_texts_are_left_out(run, tmp_path, first):
    words = {0: "incorrect", 1: "Correct"}
    grades = [(n % 3 % 2, n % 2) for n in range(8)]
    plain = "".join(f"u{n},{p},{g}\n" for n, (p, g) in enumerate(grades))
    (tmp_path / "plain.csv").write_text(f"unit,human,judge\n{plain}")
    rows = [
        f"u{n},{'yes' if n == 1 else f'it is {n}'},{words[p]},{words[g]},because"
        for n, (p, g) in enumerate(grades)
    ]
    head = f"{first},answer,human,judge,reason"
    text = "\n".join([head, *rows])
    (tmp_path / "texts.csv").write_text(text)
    expected = run("judge", tmp_path / "plain.csv", "--reference", "human")
    code, out, err = run("judge", tmp_path / "texts.csv", "--reference", "human")
    assert (code, out) == expected[:2]
    assert "Columns of text left out: 'answer', 'reason'." in err
    assert f"Column '{first}' has the units: each value is there once." in err
    assert "Labels as numbers: incorrect = 0, correct = 1." in err


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("unit,p,g\na,1,1\nb,0,0\n", ["--reference", "q"], "--reference got 'q'"),
        ("id,p,g\na,1,1\na,1,0\n", [], "has the columns id, p, g; name that of the units"),
        ("p,g\n0,1\n1,0\n", ["--reference", "p"], "name that of the units with --unit"),
        ("id,p,g\na,good,1\nb,bad,1\nc,bad,0\nd,bad,0\n", [], "has 'good' in line 2"),
        ("id,p,g\na,good,1\nb,bad,1\n", ["--reference", "p"], "has 'good' in line 2"),
        ("unit,p,g\na,1,1\n", ["--unit", "id"], "but none is 'id' of --unit"),
        ("unit,p,g\na,1,1\n", ["--rater", "p,h"], "but none is 'h' of --rater"),
        ("unit,who,grade\na,1,1\n", [], "name that of the raters with --rater, or, if"),
        ("unit,rater,verdict\na,p,1\n", [], "name that of the grades with --grade"),
        ("unit,p,g\na,1,1\nb,maybe,0\n", [], "has 'maybe' in line 3 ('p'); a label is a"),
        ("unit,p,g\na,1,inf\n", [], "has 'inf' in line 2 ('g'); a label is a number"),
        ("unit,p,g\na,1,1_0\n", [], "has '1_0' in line 2"),
        ("unit,p\na,\n", [], "has no grade: all values are missing"),
        ("unit,item\na,b\n", [], "has 'b' in line 2 ('item'); a label is a number"),
        ("unit,p,g\na,pass,3\n", [], "has the labels pass and 3; write all as words"),
        ("unit,p,g\n,1,1\n", [], "has no unit ('unit') in line 2."),
        ("unit,rater,grade\na,,1\n", [], "has no rater ('rater') in line 2."),
        ("unit,p,g\na,1,\nb,,0\n", [], "has no unit with two grades"),
        ("q1 0 d1 1\nq1 0 d2 0\n", [], "neither a table below a line of names nor a list"),
        ("[]", [], "neither a table below a line of names nor a list of objects"),
        ("[1, 2]", [], "neither a table below a line of names nor a list of objects"),
        ('{"unit": "a", "p": [1], "g": 1}', [], "in object 1 ('p'); a label is a number"),
        ("", [], "is empty: it has no line 1"),
        ("unit,p,g\na,1,1\n", ["--min-relevance", "x"], "needs a number, got 'x'"),
    ],
)
def test_bad_input_is_an_error_of_one_line(fails, tmp_path, text, options, message):
    path = tmp_path / "labels.csv"
    path.write_text(text)
    assert message in fails(path, *options, command="judge")


def test_a_missing_file(fails):
    assert "There is no file 'none.csv'" in fails("none.csv", command="judge")


def test_whole_numbers_with_a_decimal_point_are_the_same_units(run, tmp_path):
    """Whole numbers become 1.0 where pandas writes a column with gaps."""
    rows = [
        {"unit": unit, "rater": rater, "grade": grade}
        for n in range(1, 9)
        for unit, rater, grade in ((float(n), "p", n % 2), (n, "g", n % 3 % 2))
    ]
    path = tmp_path / "labels.json"
    path.write_text(json.dumps(rows))
    code, out, _ = run("judge", path, "--reference", "p")
    assert code == 0
    assert "8 of 8 units" in " ".join(out.split())

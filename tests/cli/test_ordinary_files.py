"""Tables as people have them: what `train` makes of their columns, and says."""

import random
from pathlib import Path

import pytest

SPAM = ["free", "offer", "win", "prize", "now", "call"]
HAM = ["lunch", "report", "thanks", "see", "you", "soon"]


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def codes(n, chance, digits=False):
    """Return rows with a code of a class each, of digits only if asked for."""
    rows = []
    while len(rows) < n:
        label = chance.choice(["yes", "no"])
        code = chance.choice(["12", "47", "A3"] if label == "yes" else ["13", "46", "B3"])
        if not digits or code.isdigit():
            rows.append(f"{code},{chance.random():.3f},{label}\n")
    return rows


def test_a_code_means_the_same_whatever_else_is_in_a_file(ros):
    chance = random.Random(0)
    Path("t.csv").write_text("code,x,kind\n" + "".join(codes(200, chance)))
    Path("digits.csv").write_text("code,x,kind\n" + "".join(codes(100, chance, digits=True)))
    for options in ((), ("--learner", "centroid")):
        ros("train", "t.csv", "-o", "t.model", "-q", *options)
        assert ros("evaluate", "t.model", "digits.csv", "--json").json["mistakes"] == 0
        tested = ros("train", "t.csv", "--test", "digits.csv", "--json", *options).json["test"]
        assert tested["mistakes"] == 0
    ros("tune", "t.csv", "-o", "u.model", "-q", "--learner", "perceptron")
    assert ros("evaluate", "u.model", "digits.csv", "--json").json["mistakes"] == 0
    found = ros("compare", "t.csv", "--test", "digits.csv", "--learners", "averaged", "--json").json
    assert found["learners"][0]["error"] <= 0.05


@pytest.mark.parametrize("name", ["label", "Class", "TARGET", "Y"])
@pytest.mark.parametrize("classes", [("1", "2"), ("0.0", "1.0"), ("ham", "spam")])
def test_the_label_is_found_by_its_name_in_the_first_column_and_named(ros, name, classes):
    rows = [f"{classes[k % 2]},{k % 2}.5,{k % 3}\n" for k in range(60)]
    Path("t.csv").write_text(f"{name},a,b\n" + "".join(rows))
    told = ros("train", "t.csv", "-o", "t.model").out
    assert f"\nlabel       {name}\n" in told
    assert ros("train", "t.csv", "--json").json["label"] == name
    assert ros("evaluate", "t.model", "t.csv", "--json").json["mistakes"] == 0


def messy(n):
    """Return a table with semicolons and much of what real ones have."""
    chance = random.Random(1)
    lines = ["CustomerID;Joined;Price;Temp;City;Note;Source;Code;Target\n"]
    for k in range(n):
        spam = chance.random() < 0.5
        note = " ".join(chance.choices(SPAM if spam else HAM, k=6))
        price = "n.a." if k == 7 else f"{chance.uniform(1, 3):.2f} €".replace(".", ",")
        temp = -999 if k % 10 == 3 else f"{chance.gauss(15, 5):.1f}"
        joined = f"{chance.randint(1, 28):02d}.{chance.randint(1, 12):02d}.{2000 + k % 24}"
        city, code = chance.choice(["Oslo", "Rome", "?", "NA"]), chance.choice(["12", "47", "A3"])
        label = "yes" if spam else "no"
        cells = 10_000 + k * 7, joined, price, temp, city, note, "web", code, label
        lines.append(";".join(map(str, cells)) + "\n")
    return lines


def test_the_summary_says_what_became_of_each_column(ros):
    Path("messy.csv").write_text("".join(messy(400)))
    told = ros("train", "messy.csv", "-o", "m.model").out
    missing = sum(";?;" in line or ";NA;" in line for line in messy(400))
    lines = dict(line.split(maxsplit=1) for line in told.splitlines())
    wanted = {
        "label": "Target",
        "columns": "2 numbers, 3 categories, 1 text, 1 date, 1 ignored",
        "text": "Note, cut into words (--category keeps a column whole)",
        "dates": "Joined, as days since 1970",
        "numbers": "Price, with decimal commas",
        "ignored": "CustomerID: nearly all values differ (--category keeps a column)",
        "missing": f"1 in Price, 40 in Temp, {missing} in City",
        "codes": "-999 in Temp, read as missing values",
        "constant": "Source: the same value in all rows",
    }
    assert {name: lines[name] for name in wanted} == wanted
    found = ros("train", "messy.csv", "--json", "--category", "Note").json
    assert found["columns"]["Note"] == "category"
    assert found["missing"] == {"Price": 1, "Temp": 40, "City": missing}
    ros("compare", "messy.csv", "--learners", "centroid")
    # Some rows of the file, others mixed up, and with other separators: the same predictions.
    lines = messy(400)
    predictions = ros("predict", "m.model", "messy.csv").out.splitlines()
    Path("few.csv").write_text(lines[0] + lines[8] + lines[9])
    assert ros("predict", "m.model", "few.csv").out.splitlines()[1:] == predictions[8:10]


def test_words_among_numbers_are_named(ros):
    words = {0: "unknown", 1: "secret"}
    rows = "".join(f"{words.get(k % 9, k)},{k % 2}\n" for k in range(5, 300))
    Path("t.csv").write_text("age,label\n" + rows)
    assert (
        "mixed       numbers and words, read as categories: age (unknown)"
        in ros("train", "t.csv").out
    )


def test_a_word_for_missing_values_is_named(ros):
    rows = "".join(f"{k if k % 9 else 'unknown'},{k % 2}\n" for k in range(5, 300))
    Path("t.csv").write_text("age,label\n" + rows)
    told = ros("train", "t.csv", "-o", "t.model").out
    assert "missing     33 in age\ncodes       unknown in age, read as missing values" in told
    Path("t.jsonl").write_text('{"age": "unknown"}\n{"age": 8}\n')
    Path("t2.csv").write_text("age,label\nunknown,1\n8,1\n")
    assert ros("predict", "t.model", "t.jsonl", "--scores").out == (
        ros("predict", "t.model", "t2.csv", "--scores").out
    )


def test_a_bad_cell_is_an_error_or_skipped(ros):
    rows = "".join(f"{k if k != 9 else 'x7'},{k % 2}\n" for k in range(5, 300))
    Path("t.csv").write_text("age,label\n" + rows)
    told = ros("train", "t.csv", "-o", "t.model", code=1).err
    assert "rosenblatt: t.csv:6: column 'age' holds numbers, and this is something else" in told
    assert not Path("t.model").exists()
    told = ros("train", "t.csv", "--on-error", "skip").out
    assert "skipped     1 line" in told
    assert "columns     1 number\n" in told


def test_columns_that_are_missing_are_named(ros):
    Path("messy.csv").write_text("".join(messy(100)))
    ros("train", "messy.csv", "-o", "m.model", "-q")
    without = [";".join(line.split(";")[3:]) for line in messy(5)]
    Path("new.csv").write_text("".join(without))
    for command in ("predict", "evaluate"):
        told = ros(command, "m.model", "new.csv").err
        assert (
            "note: new.csv has no values for 2 columns that the model learned from "
            "('Joined', 'Price'): they count as missing\n" in told
        )
    Path("other.csv").write_text("a,b\n1,2\n")
    told = ros("predict", "m.model", "other.csv", code=1).err
    assert "other.csv: none of the columns that the model learned from is here ('Joined'," in told


def test_a_label_that_nothing_names_is_the_last_column_and_that_is_said(ros, folder):
    told = ros("train", "train.csv").out
    assert "\nlabel       bought, the last column (--label names another)\n" in told
    assert "\nlabel       bought\n" in ros("train", "train.csv", "--label", "bought").out
    assert "\nlabel" not in ros("train", "train.svm").out
    assert "%; label bought\n" in ros("compare", "train.csv", "--learners", "centroid").out
    assert "the label is the column bought" in ros("tune", "train.csv", "--learner", "centroid").out


def test_labels_that_are_none_are_pointed_out(ros):
    Path("t.csv").write_text("a,b\n" + "".join(f"{k % 3},{k}\n" for k in range(60)))
    assert "the label b has 60 values in 60 rows; is it the column of the" in " ".join(
        ros("train", "t.csv").err.split()
    )
    assert "Numbers are predicted with --learner regression" in ros("train", "t.csv").err
    Path("t.csv").write_text("a,b\n" + "".join(f"{k % 3},n{k}\n" for k in range(60)))
    assert "regression" not in ros("train", "t.csv").err
    Path("t.csv").write_text("a,b\n" + "".join(f"{k % 3},{k % 2}\n" for k in range(60)))
    Path("other.csv").write_text("a,b\n1,7\n2,8\n0,1\n")
    assert "labels of the test files are not known to the model: 7, 8" in " ".join(
        ros("train", "t.csv", "--test", "other.csv").err.split()
    )


def test_labels_and_texts_in_a_file_that_is_called_a_table(ros):
    chance = random.Random(0)
    rows = []
    for _ in range(100):
        label = chance.choice(["spam", "ham"])
        rows.append(f"{label}\t{' '.join(chance.choices(SPAM if label == 'spam' else HAM, k=6))}\n")
    Path("sms.tsv").write_text("".join(rows))
    told = ros("train", "sms.tsv", "-o", "m.model").out
    wanted = "a label and a text in each line, no header (--format tsv: a table)"
    assert f"\nformat      {wanted}\n" in told
    assert "examples    100" in told
    Path("few.tsv").write_text(rows[0] + rows[1])  # read as the model's files were
    assert ros("evaluate", "m.model", "few.tsv", "--json").json["examples"] == 2
    Path("table.tsv").write_text("kind\tnote\n" + "".join(rows))
    told = ros("train", "table.tsv", "--label", "kind").out
    assert "\ntext        note, cut into words" in told
    assert "\nformat" not in told
    assert "\nformat" not in ros("train", "sms.tsv", "--format", "text").out

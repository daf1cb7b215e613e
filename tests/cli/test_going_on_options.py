"""`train --from`: options that the model has, and files that lack what its options name."""

import pytest

ROWS = "user,ad,price,label\n" + "".join(
    f"u{k % 5},a{k % 3},{k % 7}.5,{'yn'[k % 2]}\n" for k in range(60)
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(ROWS)
    lines = [f"{1 - 2 * (k % 2)} |user u{k % 5} |ad a{k % 3}\n" for k in range(60)]
    (tmp_path / "t.vw").write_text("".join(lines))
    (tmp_path / "day.vw").write_text("1 |user u1\n-1 |user u2\n")
    return tmp_path


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--interactions", "user*price"], "--interactions user*price contradicts m, which has"),
        (["--keep", "user"], "--keep user contradicts m, which has no --keep"),
        (["--drop", "user"], "--drop user contradicts m, which has no --drop"),
    ],
)
def test_features_are_those_of_the_model(ros, folder, given, told):
    ros("train", "t.csv", "--interactions", "user*ad", "-o", "m", "-q")
    again = ros("train", "t.csv", "--from", "m", "-o", "n", *given, code=None)
    assert again.code != 0
    assert told in again.err
    assert not (folder / "n").exists()
    ros("train", "t.csv", "--from", "m", "-o", "n", "--interactions", "user*ad", "-q")


@pytest.mark.parametrize("options", [("--interactions", "user*ad"), ("--ignore", "ad")])
def test_a_file_need_not_have_what_the_model_s_options_name(ros, folder, options):
    ros("train", "t.vw", *options, "-o", "m", "--passes", "1", "-q")
    ros("train", "day.vw", "--from", "m", "-o", "n", "-q")
    refused = ros("train", "day.vw", *options, "-o", "o", "-q", code=None)
    assert refused.code != 0
    assert "'ad'" in refused.err


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("other.csv", "text,label\nhello,y\nbye,n\n"),
        ("other.jsonl", '{"text": "hello", "label": "y"}\n{"text": "bye", "label": "n"}\n'),
    ],
)
def test_a_file_with_none_of_the_model_s_columns_is_refused(ros, folder, name, rows):
    """As `predict` and `learn_one` do: it is most likely another table."""
    ros("train", "t.csv", "-o", "m", "-q")
    (folder / name).write_text(rows)
    for command in (["train", name, "--from", "m", "-o", "n", "-q"], ["predict", "m", name]):
        refused = ros(*command, code=1)
        assert "none of the columns that the model learned from is here" in refused.err
    (folder / name).write_text(rows.replace("text", "ad"))
    ros("train", name, "--from", "m", "-o", "n", "-q")


def test_rows_of_one_class_say_nothing_of_probabilities(ros, folder):
    (folder / "one.vw").write_text("1 |user u1\n1 |user u2\n")
    ros("train", "t.vw", "--learner", "svm", "-o", "m", "-q")
    refused = ros("calibrate", "m", "one.vw", "-o", "n", code=None)
    assert refused.code != 0
    assert "all rows to calibrate with are of the class 1; give some of each" in refused.err
    ros("train", "t.vw", "--learner", "svm", "--validation", "one.vw", "-o", "m", "-q")


def test_classes_that_are_new_are_named(ros, folder):
    ros("train", "t.csv", "-o", "m", "-q")
    found = ros("train", "t.csv", "--from", "m", "-o", "n", "--label", "ad")
    assert "note: 3 classes that the model did not know: a0, a1, a2" in found.err
    assert "note" not in ros("train", "t.csv", "--from", "m", "-o", "n").err
    assert "note" not in ros("train", "t.csv", "-o", "n").err


def test_inspect_says_which_features_are_multiplied_and_left_out(ros, folder):
    ros("train", "t.csv", "--interactions", "user*ad", "--drop", "price", "-o", "m", "-q")
    facts = ros("inspect", "m", "--top", "0").out
    assert "products    user*ad\n" in facts
    assert "without     price\n" in facts
    ros("train", "t.csv", "--keep", "user", "-o", "m", "-q")
    assert "only        user\n" in ros("inspect", "m", "--top", "0").out

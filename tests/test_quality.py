"""The table of test errors: what it counts is right, and it is made from real files."""

import importlib.util
import re
import sys
from math import nan
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


def load_script():
    spec = importlib.util.spec_from_file_location("quality", BENCHMARKS / "quality.py")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(BENCHMARKS))  # as for a script
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(BENCHMARKS))
    return module


quality = load_script()
methods, sets = quality.methods, quality.sets


def result(name, train, compare=5.0, majority=50.0, failures=(), **more):
    peers = {"vw1": 9.0, "vw5": 8.0, "logistic": 6.0, "sgd": 7.0, "majority": majority}
    errors = {"train": train, "compare": compare} | peers | more
    return quality.Result(name, 100, errors, list(failures))


def verdicts(found, on_streams=()):
    return {text: met for text, _, met in quality.summary(found, on_streams)}


def test_the_summary_counts_gaps_to_the_best_peer():
    found = [result("near", 6.5), result("better", 4.0), result("far", 9.0)]
    assert [r.gap for r in found] == [0.5, -2, 3]
    assert verdicts(found) == {
        "within 0.5 points of the best peer on 2 of 3 data sets (67%)": False,
        "largest gap: 3.00 points, on far": False,
        "worse than the majority class: none": True,
        "on average -1.50 points from VW (the better of 1 and 5 passes)": True,
        "on average +0.50 points from LogisticRegression": False,
        "on average -0.50 points from SGDClassifier": True,
        "compare's best within 0.5 points of the best peer on 3 of 3": None,
    }


def test_the_majority_class_and_failures_count_as_peers_and_mistakes():
    found = [result("guess", 5.0, majority=4.0), result("failed", nan, failures=["train: no"])]
    assert [r.gap for r in found] == [1, 94]
    assert verdicts(found)["worse than the majority class: guess, failed"] is False
    text = quality.as_markdown(found, [])
    assert "| failed | 100 | – | 5.00 |" in text
    assert "- failed: train: no" in text


def test_sorted_files_and_streams_are_compared():
    by_label = result("digits", 6.0, sorted=7.0, **{"vw5 sorted": 20.0})
    errors = dict.fromkeys(quality.streams.METHODS, 30.0) | {"OnlineClassifier": 19.5, "VW": 19.8}
    clicks = quality.Result("clicks", 10, errors, [])
    found = verdicts([by_label], [clicks])
    assert found["digits sorted by label: +1.00 points"] is False
    assert found["clicks, progressive: 19.50 %, -0.30 points from VW and River"] is True
    titles = [sheet.title for sheet in quality.sheets([by_label], [clicks])]
    assert len(titles) == 3


def test_better_peers_are_named():
    found = [result("near", 6.5), result("far", 9.0), result("farther", 10.0, vw1=2.0)]
    lines = ["farther: VW, 1 pass by 8.00", "far: LogisticRegression by 3.00"]
    assert list(quality.where_peers_are_better(found)) == lines
    assert "points**\n\n- farther: VW, 1 pass by 8.00\n- far: " in quality.as_markdown(found, [])


def test_compare_reports_the_variant_that_it_puts_first(monkeypatch):
    def command(name, file, *more):
        first, second = ("b c", 0.2), ("a", 0.1)
        found = [second, first] if "--test" in more else [first, second]
        return {"learners": [{"learner": learner, "error": error} for learner, error in found]}

    monkeypatch.setattr(methods, "command", command)
    assert methods.compare("train.csv", "test.csv") == 0.2


def test_every_row_has_a_cell_for_every_heading():
    for sheet in quality.sheets([result("a", 5.0), result("b", 6.0)], []):
        assert {len(row) for row in sheet.rows} == {len(sheet.headings)}


def test_the_page_keeps_what_is_outside_the_marks(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"before\n\n{quality.BEGIN}\nold\n{quality.END}\n\nafter\n")
    for text in ("new\n", "newer\n"):
        quality.write_page(text, page)
        assert page.read_text() == (
            f"before\n\n{quality.BEGIN}\n\n{text}\n{quality.END}\n\nafter\n"
        )
    assert re.search(f"{quality.BEGIN}.*{quality.END}", quality.PAGE.read_text(), re.DOTALL)


def small_table():
    rng = np.random.default_rng(0)
    label = rng.integers(2, size=100)
    frame = pd.DataFrame({"size": label + rng.normal(0, 0.2, 100), "colour": "red"})
    frame.loc[3, "size"] = np.nan
    return sets.DataSet("small", frame, np.where(label, "yes", "no"), missing="?")


def test_splits_are_stratified_and_repeatable():
    data = small_table()
    splits, again = list(data.splits()), list(data.splits())
    assert len(splits) == 5
    for split, same in zip(splits, again, strict=True):
        assert (split.y == same.y).all()
        assert split.X.equals(same.X)
        assert abs(np.mean(split.y == "yes") - np.mean(data.y == "yes")) < 0.02
        assert not set(split.X.index) & set(split.X_test.index)
        ordered = sets.sorted_by_label(split)
        assert ordered.y.tolist() == sorted(split.y)
        assert sorted(ordered.X.index) == sorted(split.X.index)


def test_a_published_split_is_kept():
    data = small_table()
    data = sets.replace(data, X_test=data.X[:10], y_test=data.y[:10])
    (split,) = data.splits()
    assert split.X_test.equals(data.X[:10])
    assert sorted(split.X.index) == sorted(data.X.index)


def test_rare_classes_are_left_out():
    data = small_table()
    y = data.y.astype("<U5")
    y[:3] = "maybe"
    rest = sets.without_rare_classes(sets.replace(data, y=y))
    assert len(rest.y) == len(rest.X) == 97
    assert set(rest.y.tolist()) == {"no", "yes"}


def test_files_say_missing_as_their_source_does(tmp_path):
    data = small_table()
    lines = methods.write(data, data.X, data.y, tmp_path, "train").read_text().splitlines()
    assert lines[0] == "size,colour,label"
    assert lines[4].startswith("?,red,")


def test_lines_for_vowpal_wabbit_have_no_separators_in_names():
    line = methods.vw_line([("a b", 1.5), ("c", np.nan)], [("d:e", "f|g h")], ["It's 3 o'clock"])
    assert line == "| a_b:1.5 d_e=f_g_h |w it s 3 o clock"


def test_scikit_learn_takes_numbers_categories_and_gaps():
    data = small_table()
    logistic, sgd = methods.scikit_learn(data, next(data.splits()))
    assert logistic < 0.1
    assert sgd < 0.1


@pytest.mark.slow
def test_commands_are_run_on_files():
    data = small_table()
    errors, failures = methods.errors_on_files(
        data, next(data.splits()), (methods.train, methods.compare)
    )
    assert failures == []
    assert errors["train"] < 0.1
    assert errors["compare"] < 0.1


@pytest.mark.slow
def test_a_command_that_fails_is_said():
    data = small_table()
    split = next(data.splits())._replace(y=np.arange(70).astype(str))
    errors, failures = methods.errors_on_files(data, split, (methods.compare,))
    assert np.isnan(errors["compare"])
    assert failures[0].startswith("compare: rosenblatt: …/train.csv: ")


@pytest.mark.slow
def test_vowpal_wabbit_learns():
    pytest.importorskip("vowpalwabbit")
    data = small_table()
    split = next(data.splits())
    lines, test_lines = methods.vw_lines(data, split.X), methods.vw_lines(data, split.X_test)
    for passes in (1, 5):
        error = methods.vowpal_wabbit(lines, split.y, test_lines, split.y_test, passes)
        assert error < methods.majority(split.y, split.y_test)

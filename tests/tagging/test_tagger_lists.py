"""Word lists, and slips with data frames."""

import pandas as pd
import pytest

from rosenblatt import SequenceTagger

X = [["Ann", "left", "New", "York"], ["New", "cars"], ["in", "Rome"], ["ann", "left", "rome"]]
Y = [["O", "O", "B", "I"], ["O", "O"], ["O", "B"], ["O", "O", "B"]]
CITIES = {"cities": ["New York", "Oslo", "Rome"]}


def test_a_list_that_no_template_looks_into_is_looked_into():
    added = ("in(word, cities)[-1]", "in(word, cities)", "in(word, cities)[+1]")
    assert SequenceTagger("word", lists=CITIES).fit(X, Y).templates_ == ("word", *added)
    assert set(added) <= set(SequenceTagger(lists=CITIES).fit(X, Y).templates_)
    asked = SequenceTagger("word; in(lower(word), cities)", lists=CITIES).fit(X, Y)
    assert asked.templates_ == ("word", "in(lower(word), cities)")


def test_functions_apply_to_entries_too():
    tagger = SequenceTagger("in(lower(word), cities); bias", lists=CITIES).fit(X, Y)
    assert tagger.predict([["to", "OSLO"], ["to", "NEW", "york"]]) == [["O", "B"], ["O", "B", "I"]]
    exact = SequenceTagger("in(word, cities); bias", lists=CITIES).fit(X[:3], Y[:3])
    assert exact.predict([["to", "OSLO"], ["to", "Oslo"]]) == [["O", "O"], ["O", "B"]]
    begin = SequenceTagger("in(prefix(word, 3), cities); bias", lists=CITIES).fit(X[:3], Y[:3])
    assert begin.predict([["to", "Osloer"]]) == [["O", "B"]]


def test_a_list_must_have_a_name_that_templates_can_have():
    with pytest.raises(ValueError, match="templates cannot name a list 'my cities': call it by"):
        SequenceTagger("word", lists={"my cities": ["Rome"]}).fit(X, Y)


@pytest.fixture
def frame():
    rows = [
        (k, w, t)
        for k, (x, y) in enumerate(zip(X, Y, strict=True))
        for w, t in zip(x, y, strict=True)
    ]
    return pd.DataFrame(rows, columns=["sentence", "word", "tag"])


def test_groups_may_be_a_column_by_name(frame):
    told = SequenceTagger("word").fit(frame[["word", "sentence"]], frame["tag"], groups="sentence")
    other = SequenceTagger("word").fit(frame[["word"]], frame["tag"], groups=frame["sentence"])
    assert told.feature_names_in_.tolist() == ["word"]
    assert told.features_of("B") == other.features_of("B")
    found = other.predict(frame[["word"]], groups=frame["sentence"])
    assert told.predict(frame, groups="sentence").tolist() == found.tolist()
    with pytest.raises(ValueError, match="no column 'sid'; the columns are word"):
        SequenceTagger("word").fit(frame[["word"]], frame["tag"], groups="sid")


def test_a_column_that_gives_the_answer_away_is_refused(frame):
    with pytest.raises(ValueError, match="column 'tag' of X is the same as y, and would give"):
        SequenceTagger().fit(frame[["word", "tag"]], frame["tag"], groups=frame["sentence"])
    with pytest.raises(ValueError, match="column 'sentence' of X is the same as groups; leave it"):
        SequenceTagger().fit(frame[["word", "sentence"]], frame["tag"], groups=frame["sentence"])


def test_a_column_that_is_right_is_no_reason_not_to_be_judged(frame):
    guessed = frame.assign(guess=["O"] * 3 + ["B"] * (len(frame) - 3))
    tagger = SequenceTagger("guess").fit(guessed[["guess"]], frame["tag"], groups=frame["sentence"])
    assert 0 <= tagger.score(guessed[["guess"]], guessed["guess"], groups=frame["sentence"]) <= 1


def test_a_column_called_word_has_the_words(frame):
    frame.insert(0, "case", frame["word"].str.istitle())
    tagger = SequenceTagger().fit(frame[["case", "word"]], frame["tag"], groups=frame["sentence"])
    assert tagger.templates_[0] == "word"
    assert "case" in tagger.templates_


def test_a_series_is_no_frame(frame):
    with pytest.raises(ValueError, match=r"such as frame\[\['word'\]\]; X is a Series"):
        SequenceTagger().fit(frame["word"], frame["tag"], groups=frame["sentence"])

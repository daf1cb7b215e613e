"""Scikit-learn's manners without scikit-learn."""

import pickle

import pytest
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score

from rosenblatt import SequenceTagger

X = [["a", "cat"], ["the", "dog"], ["a", "dog"], ["the", "cat"]] * 3
Y = [["D", "N"]] * 12


def test_parameters_are_those_of_the_signature():
    tagger = SequenceTagger("word", order=2)
    params = tagger.get_params()
    assert params["templates"] == "word"
    assert params["order"] == 2
    assert set(vars(tagger)) == set(params)
    assert tagger.set_params(order=1, min_count=2) is tagger
    assert (tagger.order, tagger.min_count) == (1, 2)


def test_a_parameter_that_is_not_there():
    tagger = SequenceTagger()
    with pytest.raises(ValueError, match=r"SequenceTagger has no parameter 'ordr'; there are aver"):
        tagger.set_params(order=2, ordr=1)
    assert tagger.order == 1  # nothing was changed


def test_its_text_shows_what_is_not_as_usual():
    assert repr(SequenceTagger()) == "SequenceTagger()"
    assert repr(SequenceTagger("word", order=2)) == "SequenceTagger(templates='word', order=2)"


def test_a_clone_has_learned_nothing():
    tagger = SequenceTagger("word", lists={"pets": ["cat"]}).fit(X, Y)
    again = clone(tagger)
    assert again.get_params() == tagger.get_params()
    with pytest.raises(NotFittedError, match="This SequenceTagger instance is not fitted yet"):
        again.predict(X)


def test_searches_know_what_it_is():
    assert not is_classifier(SequenceTagger())  # folds are not made by class
    search = GridSearchCV(SequenceTagger("word"), {"min_count": [1, 20]}, cv=3).fit(X, Y)
    assert search.best_params_ == {"min_count": 1}
    assert search.best_score_ == 1.0
    assert cross_val_score(SequenceTagger("word"), X, Y, cv=2).tolist() == [1.0, 1.0]


def test_it_can_be_pickled_by_those_who_want_to():
    tagger = SequenceTagger("word").fit(X, Y)
    again = pickle.loads(pickle.dumps(tagger))
    assert again.predict(X) == tagger.predict(X) == Y

"""Features, found in whole columns, are those that one would write down token by token."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt.tagging import templates as templates_module
from rosenblatt.tagging.corpus import Corpus
from rosenblatt.tagging.features import Features, Stored, learn
from rosenblatt.tagging.templates import parse
from tests.tagging import naive_features as naive

WORDS = [
    "the", "The", "THE", "Boeing-747", "", "a", "A", "ab", "İstanbul", "i̇stanbul", "straße",
    "STRASSE", "ΟΔΟΣ", "οδος", "οδοσ", "Σ", "ς", "é", "e\u0301", "E\u0301e\u0301", "👩‍👩‍👧", "😀",
    "😀😀", "語", "日本語", "ǅ", "ﬁ", "x²", "½", "٣", "--", "-", "...", "New", "new", "York",
    "York-New", "\ud83d", "\ude00", "<start>", "<end>", "a b", "\u200d", "Aa", "0", "00", "3.14",
    "ß", "ſ", "K", "\0a", "a\0",
]  # fmt: skip
TEMPLATES = """
word[-2..2]
lower(word)[-1..1]
shape(word); shape(lower(word)); lower(shape(word))
prefix(word, 1..3); suffix(word, 1..3)
prefix(lower(word), 2); lower(prefix(word, 2)); lower(suffix(word, 1..2))
suffix(prefix(word, 3), 2); prefix(suffix(word, 3), 1..2)[+1]
shape(suffix(word, 2)); suffix(shape(word), 2); shape(prefix(lower(word), 3))
word & pos; word[-1] & word[+1] & pos[-2]
prefix(word, 2) & suffix(word, 2)[-1]
in(word, cities)[-1..1]; in(lower(word), small); in(prefix(word, 2), beginnings)
in(lower(word), small) & word[+1]; in(word, nobody)
bias
"""
LISTS = {
    "cities": [["New", "York"], ["New"], ["York", "New", "York"], ["İstanbul"], ["the", "a"]],
    "small": [["the"], ["new", "york"], ["straße"], ["οδος"], ["new", "york", "new"], ["\ud83d"]],
    "beginnings": [["Ne"], ["th", "Yo"]],
    "nobody": [[], ["not", "there"]],
}
tokens = st.fixed_dictionaries(
    {"word": st.sampled_from(WORDS), "pos": st.sampled_from(["NN", "DT", ""])}
)
corpora = st.lists(st.lists(tokens, max_size=7), max_size=5)


def corpus_of(sequences):
    if not any(sequences):
        return Corpus.from_columns({"word": [], "pos": []}, [0] * len(sequences))
    return Corpus.from_sequences(sequences)


def same_features(made, matrix, known, templates, sequences):
    """Hold features to the naive ones: as many, in the same order, the same for each token."""
    assert len(made) == len(known)
    counts = [sum(t == template for t, _ in known) for template in templates]
    assert made.counts.tolist() == counts
    assert matrix.T.tolist() == naive.numbers(known, templates, sequences, LISTS)


def same_names(made, known):
    found = made.names(np.arange(len(made)))
    for text, (template, feature) in zip(found, known, strict=True):
        expected = naive.name(template, feature)
        if expected.isprintable():  # halves of characters cannot be written
            assert text == expected


@settings(max_examples=60)
@given(corpora, corpora, st.integers(1, 3), st.integers(0, 2**32 - 1))
def test_the_same_as_token_by_token(sequences, others, min_count, seed):
    templates = parse(TEMPLATES)
    known = naive.numbered(templates, sequences, LISTS, min_count)
    made, matrix = learn(templates, corpus_of(sequences), LISTS, min_count)
    same_features(made, matrix, known, templates, sequences)
    same_features(made, made.of(corpus_of(sequences)), known, templates, sequences)
    same_features(made, made.of(corpus_of(others)), known, templates, others)
    same_names(made, known)
    # Some of them, with the texts that they need alone; and as texts and arrays.
    kept = np.random.default_rng(seed).random(len(known)) < 0.3
    fewer, their = made.only(kept), [f for f, keep in zip(known, kept, strict=True) if keep]
    for again in (fewer, Features.from_stored(fewer.stored())):
        for some in (sequences, others):
            same_features(again, again.of(corpus_of(some)), their, templates, some)
        same_names(again, their)
    sizes = [v.size for v in made.vocabularies], [v.size for v in fewer.vocabularies]
    assert all(few <= many for many, few in zip(*sizes, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("min_count", [1, 2, 5])
@pytest.mark.parametrize("name", templates_module.NAMES)
def test_default_templates_on_random_text(name, min_count):
    rng = np.random.default_rng(min_count)
    letters = list("abcABC1-é")
    words = ["".join(rng.choice(letters, rng.integers(0, 7))) for _ in range(150)]
    sequences = [
        [
            {"word": str(rng.choice(words)), "pos": str(rng.choice(["N", "V", "D"]))}
            for _ in range(n)
        ]
        for n in rng.integers(0, 25, 80)
    ]
    templates = parse(templates_module.templates_for(name, ["word", "pos"]))
    known = naive.numbered(templates, sequences, {}, min_count)
    made, matrix = learn(templates, corpus_of(sequences), {}, min_count)
    same_features(made, matrix, known, templates, sequences)
    same_names(made, known)


def test_columns_of_a_corpus_may_share_no_text():
    # The same text in two columns, or of two functions, is two features.
    templates = parse("word; pos; lower(word)")
    made, matrix = learn(templates, Corpus.from_sequences([[("a", "a"), ("A", "b")]]), {})
    assert matrix.tolist() == [[1, 3, 5], [2, 4, 5]]
    assert made.names(np.arange(5)) == ["word=a", "word=A", "pos=a", "pos=b", "lower(word)=a"]


def test_names_of_what_is_outside():
    made, matrix = learn(parse("word[-2] & word[+1]"), Corpus.from_sequences([["a", "b"]]), {})
    assert made.names(matrix[:, 0] - 1) == [
        "word[-2]=<start> & word[+1]=b",
        "word[-2]=<start> & word[+1]=<end>",
    ]
    # A word that is called so is another one.
    made, matrix = learn(parse("word[-1]"), Corpus.from_sequences([["<start>", "b"]]), {})
    assert matrix[:, 0].tolist() == [1, 2]
    assert made.names(np.arange(2)) == ["word[-1]=<start>"] * 2


def test_far_places_and_short_sequences():
    templates = parse("word[-1000]; word[+1000]; word[-1..1]")
    sequences = [[{"word": f"w{k % 7}"} for k in range(n)] for n in (0, 1, 0, 2, 1500, 1)]
    known = naive.numbered(templates, sequences)
    made, matrix = learn(templates, corpus_of(sequences), {})
    same_features(made, matrix, known, templates, sequences)


def test_a_sentence_of_100_000_tokens():
    rng = np.random.default_rng(0)
    words = [f"w{k}" for k in rng.integers(0, 60_000, 100_000)]
    corpus = Corpus.from_sequences([words])
    templates = parse("word; word[-1] & word; suffix(word, 2)")
    made, matrix = learn(templates, corpus, {})
    pairs = list(zip([None, *words], words, strict=False))
    assert made.counts.tolist()[:2] == [len(set(words)), len(set(pairs))]
    numbers = dict(zip(pairs, matrix[:, 1].tolist(), strict=True))
    assert [numbers[pair] for pair in pairs] == matrix[:, 1].tolist()
    assert len(set(numbers.values())) == len(numbers)
    np.testing.assert_array_equal(made.of(corpus), matrix)


def test_more_keys_than_the_first_table_has_room_for():
    n = 150_000
    words = [f"w{k}" for k in range(n)]
    corpus = Corpus.from_columns({"word": words}, [7] * (n // 7) + [n % 7])
    made, matrix = learn(parse("word; bias; word[-1]"), corpus, {})
    assert made.counts.tolist()[:2] == [n, 1]
    assert matrix[:, 0].tolist() == list(range(1, n + 1))
    assert (matrix[:, 1] == n + 1).all()
    np.testing.assert_array_equal(made.of(corpus), matrix)
    assert made.names(np.array([0, 70_000, n - 1])) == ["word=w0", "word=w70000", f"word=w{n - 1}"]
    # Keys that were met before the table grew are still counted right.
    twice = corpus.take([*range(len(corpus)), *range(len(corpus))])
    again, doubled = learn(parse("word; bias; word[-1]"), twice, {}, min_count=2)
    np.testing.assert_array_equal(doubled, np.vstack([matrix, matrix]))
    assert len(again) == len(made)
    assert len(learn(parse("word; bias"), twice, {}, min_count=3)[0]) == 1


def test_features_that_are_too_rare_are_none():
    corpus = Corpus.from_sequences([["a", "b", "a"], ["c"]])
    made, matrix = learn(parse("word"), corpus, {}, min_count=2)
    assert matrix.ravel().tolist() == [1, 0, 1, 0]
    made, matrix = learn(parse("word"), corpus, {}, min_count=9)
    assert len(made) == 0
    assert not matrix.any()
    assert made.of(corpus).tolist() == matrix.tolist()
    assert made.only(np.zeros(0, bool)).stored().keys.tolist() == []


def tags_of_list(sequences, entries, template="in(word, places)"):
    """Return what stands at each token: B, I or nothing."""
    lists = {"places": [entry.split() for entry in entries]}
    made, matrix = learn(parse(template), Corpus.from_sequences(sequences), lists)
    names = ["-", *(name.rpartition("=")[2] for name in made.names(np.arange(len(made))))]
    return "".join(names[number] for number in matrix[:, 0].tolist())


def test_entries_of_lists():
    assert tags_of_list([["in", "New", "York", "now"]], ["New York"]) == "-BI-"
    # The longest one, from the left; those that begin inside of it do not count.
    entries = ["New", "New York", "York City Hall", "City"]
    assert tags_of_list([["New", "York", "City", "Hall"]], entries) == "BIB-"
    # One that breaks off falls back on a shorter one.
    assert tags_of_list([["a", "b", "c", "x"]], ["a", "a b c d"]) == "B---"
    assert tags_of_list([["a", "a", "b", "a"]], ["a b"]) == "-BI-"
    # Two in a row begin anew.
    assert tags_of_list([["a", "b", "a", "b", "a"]], ["a b", "a"]) == "BIBIB"
    # None goes on in the next sentence.
    assert tags_of_list([["New"], ["York"], [], ["New", "York"]], ["New York"]) == "--BI"
    assert tags_of_list([["New"], [], ["York"]], ["York"]) == "-B"
    # Nothing has no entry, and the same one twice is one.
    assert tags_of_list([["", "a"]], ["", " ", "a", "a"]) == "-B"
    assert tags_of_list([["a"]], []) == "-"


def test_entries_in_small_letters_match_all_ways_to_write_them():
    words = ["Paris", "paris", "x", "PARIS", "New", "york", "new", "YORK"]
    assert tags_of_list([words], ["paris", "new york"], "in(lower(word), places)") == "BB-BBIBI"
    assert tags_of_list([words], ["Pa", "pa"], "in(prefix(word, 2), places)") == "BB------"


def test_of_a_list_a_model_may_need_one_mark_only():
    lists = {"places": [["New", "York"]]}
    sequences = [["x", "New", "York", "y", "York"]]
    templates = parse("in(word, places) & word[-1]; in(word, places)")
    made, matrix = learn(templates, Corpus.from_sequences(sequences), lists)
    assert made.names(np.arange(4)) == [
        "in(word, places)=B & word[-1]=x",
        "in(word, places)=I & word[-1]=New",
        "in(word, places)=B",
        "in(word, places)=I",
    ]
    for kept in ([0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 1, 0]):
        kept = np.array(kept, bool)
        moved = np.concatenate([[0], np.where(kept, np.cumsum(kept), 0)])
        fewer = Features.from_stored(made.only(kept).stored())
        np.testing.assert_array_equal(fewer.of(Corpus.from_sequences(sequences)), moved[matrix])


def test_stored_has_the_lists_that_are_used():
    corpus = Corpus.from_sequences([["a", "b"]])
    made, _ = learn(parse("in(word, x); word"), corpus, {"x": [["a"], ["b", "c"]], "y": [["b"]]})
    stored = made.stored()
    assert stored.templates == ("in(word, x)", "word")
    assert stored.lists == {"x": [["a"], ["b", "c"]]}
    assert stored.sizes.tolist() == [2, 2]
    assert bytes(stored.letters) == b"BIab"
    assert isinstance(stored, Stored)


def test_no_templates_but_the_bias():
    made, matrix = learn(parse("bias"), Corpus.from_sequences([["a"], [], ["b", "c"]]), {})
    assert matrix.ravel().tolist() == [1, 1, 1]
    assert made.names(np.array([0])) == ["bias"]
    again = Features.from_stored(made.stored())
    assert again.of(Corpus.from_sequences([["z"]])).tolist() == [[1]]


def test_damage_is_noticed():
    made, _ = learn(parse("word"), Corpus.from_sequences([["a", "b"]]), {})
    stored = made.stored()
    twice = stored._replace(keys=np.array([2, 2]))
    with pytest.raises(ValueError, match="a feature occurs twice"):
        Features.from_stored(twice)
    with pytest.raises(ValueError, match="damaged: one occurs twice"):
        Features.from_stored(stored._replace(letters=np.frombuffer(b"aa", np.uint8)))


def test_combinations_that_cannot_be_numbered():
    words = [f"w{k}" for k in range(3_000)]
    corpus = Corpus.from_sequences([words])
    learn(parse("word & word[1] & word[2] & word[3] & word[4]"), corpus, {})
    with pytest.raises(ValueError, match=r"template 'word & .*' has too many parts: 7e\+20 comb"):
        learn(parse("word & word[1] & word[2] & word[3] & word[4] & word[5]"), corpus, {})

"""``rosenblatt tag evaluate``."""

from pathlib import Path

import pytest

from rosenblatt import load
from rosenblatt.models.saving import load_with_extra, save
from rosenblatt.tagging.conll import read
from tests.cli.conftest import as_columns, as_conllu, sentences


def evaluate(ros, *args, **options):
    return ros("tag", "evaluate", *args, **options)


@pytest.fixture
def weak(ros, folder):
    """A tagger of phrases that looks at too little, and so makes mistakes."""
    args = ("--templates", "suffix(word, 1)", "--passes", "1", "--constraints", "none")
    ros("tag", "train", "train.txt", *args, "-o", "weak.model", "-q")
    return "weak.model"


def report(model, file):
    corpus = read(file).corpus
    return load(model).evaluate(corpus.only(["word", "pos"]), corpus.columns["tag"])


def test_spans_are_those_of_python(ros, weak):
    found, told = evaluate(ros, weak, "test.txt", "--json").json, report(weak, "test.txt")
    assert 0 < told.f1 < 1
    assert found["accuracy"] == pytest.approx(told.accuracy)
    each = found["spans"]["types"]
    assert each.keys() == told.types.keys()
    for counted, expected in [(found["spans"], told.total), (each["NP"], told.types["NP"])]:
        for name in ("precision", "recall", "f1", "true", "found", "correct"):
            assert counted[name] == getattr(expected, name)
    assert found["tokens"] == told.tokens
    assert found["sentences"] == 20
    assert sum(sum(row) for row in found["confusion"]["counts"]) == told.tokens


def test_conlleval(ros, weak):
    done = evaluate(ros, weak, "test.txt", "--conlleval")
    assert done.out == f"{report(weak, 'test.txt')}\n"


def test_files_in_parts(ros, weak):
    made = sentences(12_000, 9)
    Path("a.txt").write_text(as_columns(made[:3_000], 0, 2, 3))
    Path("all.txt").write_text(as_columns(made, 0, 2, 3))
    Path("b.txt").write_text(as_columns(made[3_000:], 0, 2, 3, between="\t"))
    assert Path("b.txt").stat().st_size > 1 << 19
    Path("twice.txt").write_text(2 * Path("all.txt").read_text())
    one = evaluate(ros, weak, "all.txt", "--json").json
    two = evaluate(ros, weak, "a.txt", "b.txt", "--json").json
    assert two == one
    twice = evaluate(ros, weak, "twice.txt", "--json").json  # more than a part
    assert twice["spans"]["found"] == 2 * one["spans"]["found"]
    assert twice["sentences_right"] == 2 * one["sentences_right"]
    assert evaluate(ros, weak, "all.txt", "--conlleval").out == f"{report(weak, 'all.txt')}\n"


def test_a_table_of_spans(ros, weak):
    done = evaluate(ros, weak, "test.txt")
    told = report(weak, "test.txt")
    assert done.out.startswith(f"F1          {100 * told.f1:.2f}%, precision ")
    assert "type    precision   recall       F1   true   found   correct\n" in done.out
    assert f"\n(all)      {told.precision:.4f}   {told.recall:.4f}   {told.f1:.4f}" in done.out
    assert all(len(line) <= 80 for line in done.out.splitlines())
    quiet = evaluate(ros, weak, "test.txt", "-q")
    assert quiet.out == done.out.splitlines()[0] + "\n"
    assert quiet.err == ""


def test_other_tags(ros, folder):
    ros("tag", "train", "train.conllu", "--templates", "shape(word)", "-o", "weak.model", "-q")
    found = evaluate(ros, "weak.model", "test.conllu", "--json").json
    corpus = read("test.conllu").corpus
    words, truth = corpus.only(["word"]), corpus.columns["upos"]
    assert found["accuracy"] == pytest.approx(load("weak.model").score(words, truth))
    assert found["spans"] is None
    right = [
        a == [tag for (tag,) in b]
        for a, b in zip(
            load("weak.model").predict(words),
            [[(tag,) for tag in corpus.only(["upos"])[k]] for k in range(len(corpus))],
            strict=True,
        )
    ]
    assert found["sentences_right"] == sum(right)
    done = evaluate(ros, "weak.model", "test.conllu")
    assert done.out.startswith(f"accuracy    {100 * found['accuracy']:.2f}%, ")
    assert "tag          precision   recall       F1   tokens   predicted" in done.out
    assert "true \\ predicted" in done.out
    assert evaluate(ros, "weak.model", "test.conllu", "-q").out == done.out.splitlines()[0] + "\n"


def test_many_tags(ros, folder):
    made = [[(f"w{k}", f"T{k}") for k in range(30)]] * 3
    Path("many.txt").write_text(as_columns(made, 0, 1))
    ros("tag", "train", "many.txt", "--templates", "bias", "--passes", "1", "-o", "x.model", "-q")
    done = evaluate(ros, "x.model", "many.txt")
    assert "the 10 tags with the lowest F1 of 30 (--json: all)" in done.out
    assert "most frequent mistakes (--json: all)" in done.out
    assert all(len(line) <= 80 for line in done.out.splitlines())


def test_tags_that_were_never_seen(ros, folder):
    text = Path("test.txt").read_text().replace("NN I-NP", "NN I-XP", 2)
    Path("odd.txt").write_text(text)
    done = evaluate(ros, "chunks.model", "odd.txt")
    assert "note: tags that the model does not know: I-XP" in done.err
    found = evaluate(ros, "chunks.model", "odd.txt", "--json").json
    before = evaluate(ros, "chunks.model", "test.txt", "--json").json
    assert found["unknown_tags"] == ["I-XP"]
    assert found["mistakes"] == before["mistakes"] + 2
    assert found["spans"]["types"]["XP"]["true"] == 2
    assert evaluate(ros, "chunks.model", "odd.txt", "-q").err == ""


def test_new_words(ros, folder):
    text = Path("test.txt").read_text()
    assert (
        "new words   none: all words were in training\n"
        in evaluate(ros, "chunks.model", "test.txt").out
    )
    Path("odd.txt").write_text(text.replace("cat NN", "axolotl NN"))
    n = text.count("cat NN")
    found = evaluate(ros, "chunks.model", "odd.txt", "--json").json["new_words"]
    assert found["tokens"] == n > 0
    assert found["accuracy"] == found["right"] / n
    told = evaluate(ros, "chunks.model", "odd.txt").out
    assert f"of {n} tokens right (words not in training)" in told
    ros("tag", "train", "train.txt", "--columns", "-,pos,tag", "-o", "x.model", "-q")
    assert evaluate(ros, "x.model", "test.txt", "--json").json["new_words"] is None


def test_words_that_are_damaged(ros, folder):
    model, extra = load_with_extra("chunks.model")
    for wrong in ({"letters": extra["words"]["letters"][:-1]}, {"ends": 3}, None, 5):
        words = {**extra["words"], **wrong} if isinstance(wrong, dict) else wrong
        save(model, "x.model", extra={**extra, "words": words})
        if words is None:
            evaluate(ros, "x.model", "test.txt")
        else:
            done = evaluate(ros, "x.model", "test.txt", code=1)
            assert done.err == "rosenblatt: x.model: its list of training words is damaged\n"


def test_standard_input(ros, folder):
    text = Path("test.txt").read_text()
    found = evaluate(ros, "chunks.model", "-", "--json", stdin=text).json
    assert found == evaluate(ros, "chunks.model", "test.txt", "--json").json


def test_conllu_with_columns_of_other_names(ros, folder):
    Path("x.conllu").write_text(as_conllu(sentences(20, 6)))
    names = "-,word,-,-,tag,-,-,-,-,-"
    ros("tag", "train", "train.txt", "--columns", "word,tag,-", "-o", "x.model", "-q")
    found = evaluate(ros, "x.model", "x.conllu", "--columns", names, "--json").json
    assert found["accuracy"] > 0.9

"""``rosenblatt tag train``."""

import gzip
import shutil
from pathlib import Path

import numpy as np
import pytest

from rosenblatt import SequenceTagger, load
from rosenblatt.models.saving import load_with_extra
from rosenblatt.tagging.conll import read

KEYS = {
    "files",
    "sentences",
    "tokens",
    "passes",
    "mistakes",
    "wrong_tokens",
    "converged",
    "metric",
    "validation",
    "best_pass",
    "tags",
    "scheme",
    "columns",
    "tag_column",
    "templates",
    "features",
    "seconds",
    "tokens_per_second",
    "model",
    "model_bytes",
    "notes",
}
PHRASES = ["B-NP", "B-PP", "B-VP", "I-NP", "O"]


def train(ros, *args, **options):
    return ros("tag", "train", *args, "--json", **options).json


def test_it_is_the_same_as_in_python(ros, folder):
    found = train(ros, "train.txt", "--dev", "dev.txt", "-o", "x.model", "--seed", "3")
    corpus, dev = read("train.txt").corpus, read("dev.txt").corpus
    names = ["word", "pos"]
    tagger = SequenceTagger(random_state=3).fit(
        corpus.only(names),
        corpus.columns["tag"],
        validation=(dev.only(names), dev.columns["tag"]),
    )
    assert found["mistakes"] == tagger.mistakes_.tolist()
    assert found["wrong_tokens"] == tagger.wrong_tokens_.tolist()
    assert found["validation"] == tagger.validation_curve_.tolist()
    assert found["best_pass"] == int(np.argmax(tagger.validation_curve_)) + 1
    assert (found["metric"], found["scheme"]) == ("F1", "iob2")
    assert found["templates"] == list(tagger.templates_)
    again = load("x.model")
    assert np.array_equal(again.transitions_, tagger.transitions_)
    assert again.predict(dev.only(names)) == tagger.predict(dev.only(names))


def test_json_has_all_and_nothing_else(ros, folder):
    done = ros("tag", "train", "train.txt", "-o", "x.model", "--json", "-q")
    assert done.out.count("\n") == 1
    assert done.err == ""
    found = done.json
    assert found.keys() == KEYS
    assert (found["sentences"], found["tags"]) == (60, PHRASES)
    assert found["tokens"] == sum(bool(line) for line in Path("train.txt").read_text().split("\n"))
    assert (found["columns"], found["tag_column"]) == (["word", "pos"], "tag")
    assert found["model_bytes"] == Path("x.model").stat().st_size
    assert (found["metric"], found["validation"], found["best_pass"]) == (None, [], None)
    assert found["files"] == [["train.txt", Path("train.txt").stat().st_size]]


@pytest.mark.parametrize("file", ["train.txt.gz", "tabs.txt", "-"])
def test_where_sentences_are_from(ros, folder, file):
    text = Path("train.txt").read_bytes()
    Path("train.txt.gz").write_bytes(gzip.compress(text))
    Path("tabs.txt").write_bytes(text.replace(b" ", b"\t"))
    found = train(ros, file, stdin=text if file == "-" else None)
    assert found["mistakes"] == train(ros, "train.txt")["mistakes"]


def test_several_files(ros, folder):
    assert train(ros, "train.txt", "dev.txt")["sentences"] == 80
    assert train(ros, "t*n.txt")["sentences"] == 60
    done = ros("tag", "train", "train.txt", "new.txt", code=1)
    assert "new.txt:1: the columns are word, tag; in train.txt word, pos, tag" in done.err


def test_conllu(ros, folder):
    found = train(ros, "train.conllu", "--dev", "dev.conllu")
    assert (found["columns"], found["tag_column"]) == (["word"], "upos")
    assert (found["metric"], found["scheme"]) == ("accuracy", None)
    assert "NOUN" in found["tags"]
    found = train(ros, "train.conllu", "--tag", "XPOS", "--columns", "form,upos")
    assert (found["columns"], found["tag_column"]) == (["word", "upos"], "xpos")
    assert "NN" in found["tags"]
    named = "-,token,-,-,kind,-,-,-,-,-"
    found = train(ros, "train.conllu", "--columns", named)
    assert (found["columns"], found["tag_column"]) == (["token"], "kind")
    shutil.copy("train.conllu", "other")
    assert train(ros, "other", "--format", "conllu")["tags"] == train(ros, "other")["tags"]


def test_the_column_of_tags(ros, folder):
    for args in (("--tag", "pos"), ("--tag", "2"), ("--tag", "-2")):
        found = train(ros, "train.txt", *args)
        assert (found["columns"], found["tag_column"]) == (["word", "tag"], "pos")
        (note,) = found["notes"]
        assert note.endswith("--columns word,pos,- skips it")
    for args in (("--tag", "pos"), ()):
        found = train(ros, "train.txt", "--columns", "word,pos,-", *args)
        assert (found["columns"], found["tag_column"]) == (["word"], "pos")
        assert found["notes"] == []
    found = train(ros, "train.txt", "--columns", "form,_,phrase")
    assert (found["columns"], found["tag_column"]) == (["form"], "phrase")


def test_what_a_model_keeps(ros, folder):
    ros("tag", "train", "train.txt", "--columns", "word,-,chunk", "-o", "x.model", "-q")
    model, extra = load_with_extra("x.model")
    assert extra["reading"] == {
        "format": "columns",
        "names": ["word", "-", "chunk"],
        "inputs": ["word"],
        "tag": "chunk",
    }
    assert extra["summary"]["sentences"] == 60
    assert list(model.feature_names_in_) == ["word"]
    before = Path("x.model").read_bytes()
    ros("tag", "train", "train.txt", "--columns", "word,-,chunk", "-o", "x.model", "-q")
    assert Path("x.model").read_bytes() == before


def test_templates(ros, folder):
    assert train(ros, "train.txt", "--templates", "word; pos[-1]")["templates"] == [
        "word",
        "pos[-1]",
    ]
    Path("mine").write_text("# mine\nsuffix(word, 1..2)\nword & pos\n")
    found = train(ros, "train.txt", "--templates", "mine")["templates"]
    assert found == ["suffix(word, 1)", "suffix(word, 2)", "word & pos"]
    pos = train(ros, "train.txt", "--templates", "pos")["templates"]
    assert pos != train(ros, "train.txt")["templates"]


def test_word_lists(ros, folder):
    cities = ("--list", "cities=cities.txt")
    found = train(ros, "train.txt", *cities, "--templates", "in(word, cities)", "-o", "x.model")
    assert found["templates"] == ["in(word, cities)"]
    assert load("x.model").lists == {"cities": ["Oslo", "Rome", "New York"]}
    for kind in ("auto", "chunking"):
        found = train(ros, "train.txt", *cities, "--templates", kind)["templates"]
        added = [f"in(word, cities){place}" for place in ("[-1]", "", "[+1]")]
        assert found == [*train(ros, "train.txt")["templates"], *added]
    found = train(ros, "train.conllu", *cities)["templates"]
    assert found[:-3] == train(ros, "train.conllu")["templates"]
    found = train(ros, "train.txt", "--columns", "form,-,tag", *cities, "--templates", "form")
    assert found["templates"][1] == "in(form, cities)[-1]"


def test_other_options(ros, folder):
    args = ("--order", "2", "--min-count", "3", "--constraints", "none", "--passes", "2")
    train(ros, "train.txt", *args, "-o", "x.model")
    tagger = load("x.model")
    assert (tagger.order, tagger.min_count, tagger.constraints) == (2, 3, None)
    assert (tagger.max_iter, tagger.scheme_) == (2, None)
    assert np.isfinite(tagger.transitions_).all()
    noisy = Path("train.txt").read_text().replace("DT B-NP", "DT O", 30)
    Path("noisy.txt").write_text(noisy.replace("NN I-NP", "NN B-NP"))
    found = train(
        ros, "noisy.txt", "--dev", "dev.txt", "--patience", "1", "--passes", "50", "-o", "x.model"
    )
    assert load("x.model").n_iter_no_change == 1
    assert found["passes"] < 50


def test_lines_tell_how_it_goes(ros, folder):
    done = ros("tag", "train", "train.txt", "--dev", "dev.txt")
    first, titles, *lines = done.err.splitlines()
    assert first.startswith("read 60 sentences, ")
    assert titles.split("  ")[0] == "pass"
    assert titles.endswith("  time left         dev F1")
    assert [int(line.split()[0]) for line in lines] == list(range(1, len(lines) + 1))
    scores = [float(line.rstrip(" *").split()[-1].rstrip("%")) for line in lines]
    best = [k == 0 or score > max(scores[:k]) for k, score in enumerate(scores)]
    assert [line.endswith(" *") for line in lines] == best
    assert all(len(line) <= 80 for line in done.err.splitlines())
    assert f"F1 {max(scores):.2f}% after " in done.out
    assert "saved       nothing; -o FILE saves the model" in done.out
    assert "tags        5 in column tag: B-NP B-PP B-VP I-NP O; scheme iob2\n" in done.out
    without = ros("tag", "train", "train.conllu").err
    assert without.splitlines()[1].endswith("  time left")
    assert "dev accuracy" in ros("tag", "train", "train.conllu", "--dev", "dev.conllu").err


def test_quiet_prints_results_only(ros, folder):
    done = ros("tag", "train", "train.txt", "-o", "x.model", "-q")
    assert (done.out, done.err) == ("", "")
    done = ros("tag", "train", "train.txt", "--dev", "dev.txt", "-q")
    assert done.err == ""
    assert done.out.startswith("dev         F1 ")
    assert done.out.count("\n") == 1


def test_notes(ros, folder):
    text = Path("train.txt").read_text()
    Path("odd.txt").write_text(text.replace("B-PP", "I-PP", 1))
    done = ros("tag", "train", "odd.txt", "--dev", "dev.txt")
    assert (
        "any tag may follow any, since 1 sentence would break iob2; the first begins at odd.txt:16:"
        in done.err
    )
    Path("dev2.txt").write_text("in IN B-XP\n\n")
    done = ros("tag", "train", "train.txt", "--dev", "dev2.txt", "--dev", "dev.txt")
    assert "note: tags of --dev that do not occur in the training files: B-XP" in done.err
    assert "dev F1" in done.err  # what the tags are is for the training files to say


def test_very_many_tags_are_noted(ros, folder):
    Path("many.txt").write_text("".join(f"w{k} T{k}\n\n" for k in range(301)))
    done = ros("tag", "train", "many.txt", "--passes", "1")
    assert (
        "note: there are 301 different tags in the column tag; is it the right column" in done.err
    )


def test_dev_files_may_be_of_another_form(ros, folder):
    Path("tabs.txt").write_text(Path("dev.txt").read_text().replace(" ", "\t"))
    found = train(ros, "train.txt", "--dev", "tabs.txt")
    assert found["validation"] == train(ros, "train.txt", "--dev", "dev.txt")["validation"]
    words = "".join(
        " ".join(line.split()[::2]) + "\n" for line in Path("dev.txt").read_text().split("\n")
    )
    Path("words.txt").write_text(words)
    found = train(ros, "train.txt", "--columns", "word,-,tag", "--dev", "words.txt")
    assert len(found["validation"]) == found["passes"]


@pytest.mark.slow
def test_real_chunks(ros, dataset, tmp_path):
    dataset("conll2000")
    from rosenblatt.datasets.files import folder

    files = [str(folder() / "conll2000" / f"{part}.txt.gz") for part in ("train", "test")]
    model = str(tmp_path / "chunks.model")
    found = train(ros, files[0], "--dev", files[1], "-o", model, "--passes", "3")
    assert (found["sentences"], found["tokens"]) == (8_936, 211_727)
    assert max(found["validation"]) > 0.935
    done = ros("tag", "evaluate", model, files[1], "--conlleval", "-q")
    assert done.out.startswith("processed 47377 tokens with 23852 phrases; found: ")
    tagged = ros("tag", "apply", model, files[1]).out.splitlines()
    right = [line.split()[2] == line.split()[3] for line in tagged if line]
    assert f"accuracy: {100 * np.mean(right):6.2f}%" in done.out

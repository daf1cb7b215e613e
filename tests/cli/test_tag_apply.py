"""``rosenblatt tag apply``."""

import json
import subprocess
import sys
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest

from rosenblatt import SequenceTagger, load, save
from rosenblatt.tagging.conll import read
from tests.cli.conftest import as_columns, as_conllu
from tests.cli.conftest import sentences as made_sentences


def apply(ros, *args, **options):
    return ros("tag", "apply", *args, **options).out


def predicted(model, file, names):
    """Return the tags that the model gives in Python, of all tokens."""
    corpus = read(file).corpus
    tags = load(model).predict(corpus.only(names))
    return [tag for sentence in tags for tag in sentence]


def test_lines_get_one_more_column(ros, folder):
    lines = Path("test.txt").read_text().split("\n")
    out = apply(ros, "chunks.model", "test.txt").split("\n")
    assert len(out) == len(lines)
    tags = iter(predicted("chunks.model", "test.txt", ["word", "pos"]))
    for line, tagged in zip(lines, out, strict=True):
        assert tagged == (f"{line} {next(tags)}" if line else "")


def test_right_tags_need_not_be_there(ros, folder):
    with_tags = apply(ros, "chunks.model", "test.txt").splitlines()
    text = "".join(
        " ".join(line.split()[:2]) + "\n" for line in Path("test.txt").read_text().splitlines()
    )
    without = apply(ros, "chunks.model", stdin=text).splitlines()
    assert [line.split()[2:] for line in without] == [line.split()[3:] for line in with_tags]


def test_standard_input_is_the_default(ros, folder):
    text = Path("new.txt").read_text()
    out = apply(ros, "chunks.model", "new.txt")
    assert apply(ros, "chunks.model", stdin=text) == out
    assert apply(ros, "chunks.model", "-", stdin=text) == out
    assert apply(ros, "chunks.model", stdin="") == ""


def test_a_column_that_means_something_else_is_noted(ros, folder):
    Path("tags.txt").write_text("the B-NP\ncat I-NP\n")
    done = ros("tag", "apply", "chunks.model", "tags.txt")
    assert done.err == "note: the model knows no value of pos; is it another column?\n"
    assert ros("tag", "apply", "chunks.model", "tags.txt", "-q").err == ""
    assert ros("tag", "apply", "chunks.model", "test.txt").err == ""


@pytest.mark.parametrize(
    ("text", "tagged"),
    [
        ("the\tDT\r\ncat\tNN\r\n\r\n", "the\tDT\tB-NP\r\ncat\tNN\tI-NP\r\n\r\n"),
        ("the  DT \ncat\t NN", "the  DT  B-NP\ncat\t NN I-NP"),
        ("\n \nthe DT\ncat NN\n \t\n\n\n", "\n \nthe DT B-NP\ncat NN I-NP\n \t\n\n\n"),
        ("\ufeffthe DT\ncat NN\n", "\ufeffthe DT B-NP\ncat NN I-NP\n"),
        ("thé DT\n貓 NN\n", "thé DT B-NP\n貓 NN I-NP\n"),
        ("# DT\ncat NN\n", "# DT B-NP\ncat NN I-NP\n"),
    ],
    ids=ascii,
)
def test_lines_are_as_they_were(ros, folder, text, tagged):
    Path("odd.txt").write_bytes(text.encode())
    ros("tag", "apply", "chunks.model", "odd.txt", "-o", "out.txt", "-q")
    assert Path("out.txt").read_bytes().decode() == tagged


@pytest.mark.parametrize("end", ["", "\n", "\n\n", "\n \n", "\r\n\r\n"], ids=ascii)
def test_sentences_of_two_files_stay_apart(ros, folder, end):
    Path("a.txt").write_bytes(f"the DT\ncat NN{end}".encode())
    Path("b.txt").write_bytes(b"\xef\xbb\xbfAda NNP\n")
    ros("tag", "apply", "chunks.model", "a.txt", "b.txt", "a.txt", "a.txt", "-o", "out.txt")
    found = read("out.txt", names=["word", "pos", "tag"]).corpus
    assert found.lengths.tolist() == [2, 1, 2, 2]
    assert found[1] == [("Ada", "NNP", "B-NP")]


def test_large_files_go_in_parts(ros, folder):
    made = made_sentences(12_000, 8)
    text = as_columns(made, 0, 2)
    assert len(text) > 1 << 19
    Path("large.txt").write_text(text * 3)
    out = apply(ros, "chunks.model", "large.txt")
    lines = out.splitlines()
    assert "".join(line.rpartition(" ")[0] + "\n" for line in lines) == text * 3
    assert lines == apply(ros, "chunks.model", stdin=text).splitlines() * 3


CONLLU = """\
# newdoc
# text = Ada didn't see the cat.
1\tAda\tAda\tX\tNNP\t_\t0\t_\t_\tA=1|B=ü
2-3\tdidn't\t_\t_\t_\t_\t_\t_\t_\t_
2\tdid\tdo\t_\t_\t_\t_\t_\t_\t_
3\tn't\tnot\t_\t_\t_\t_\t_\t_\t_
3.1\tsaw\tsee\tVERB\t_\t_\t_\t_\t_\t_
4\tthe\tthe\t_\t_\t_\t_\t_\t_\t_
5\tcat\tcat\tNOUN\tNN\t_\t_\t_\t_\t_

# sent_id = 2
1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_
1\tde\t_\tADP\t_\t_\t_\t_\t_\t_
2\tle\t_\tDET\t_\t_\t_\t_\t_\t_

0.1\tx\t_\t_\t_\t_\t_\t_\t_\t_
1\tRome\t_\tX\t_\t_\t_\t_\t_\t_
1.1\ty\t_\t_\t_\t_\t_\t_\t_\t_
# foot
"""


def test_conllu_gets_tags_in_its_column(ros, folder):
    text = CONLLU.replace("# foot\n", "\n\n")
    Path("odd.conllu").write_text(text)
    out = apply(ros, "pos.model", "odd.conllu")
    tags = iter(predicted("pos.model", "odd.conllu", ["word"]))
    expected = []
    for line in text.split("\n"):
        cells = line.split("\t")
        if cells[0].isdigit():
            cells[3] = next(tags)
        expected.append("\t".join(cells))
    assert out == "\n".join(expected)
    assert "\nAda\t" not in out
    assert out.splitlines()[2].split("\t")[3] == "PROPN"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_confidence_in_conllu(ros, folder, end, mark):
    text = (mark + CONLLU[CONLLU.index("# text") : CONLLU.index("# foot")]).replace("\n", end)
    Path("odd.conllu").write_bytes(text.encode())
    ros("tag", "apply", "pos.model", "odd.conllu", "--confidence", "-o", "out.conllu", "-q")
    ros("tag", "apply", "pos.model", "odd.conllu", "-o", "plain.conllu", "-q")
    out = Path("out.conllu").read_bytes().decode()
    lines = out.split(end)
    places = [k for k, line in enumerate(lines) if line.startswith("# confidence = ")]
    assert [lines[k + 1].split("\t")[0] for k in places] == ["1", "1-2", "0.1"]
    assert places[0] == 1
    gaps = load("pos.model").confidence(read("odd.conllu").corpus.only(["word"]))
    assert [float(lines[k][15:]) for k in places] == pytest.approx(gaps.tolist(), rel=1e-5)
    rest = end.join(line for k, line in enumerate(lines) if k not in places)
    assert rest == Path("plain.conllu").read_bytes().decode()
    # A file that begins with a line of several words.
    Path("odd.conllu").write_bytes((mark + text[text.index("1-2") :]).encode())
    ros("tag", "apply", "pos.model", "odd.conllu", "--confidence", "-o", "out.conllu", "-q")
    assert Path("out.conllu").read_bytes().startswith(f"{mark}# confidence = ".encode())


def test_tags_in_the_last_column_of_conllu(ros, folder):
    names = "-,word,-,-,-,-,-,-,-,tag"
    text = as_conllu(made_sentences(5, 1), tagged=False)
    out = apply(ros, "chunks.model", "--columns", names.replace("-,tag", "pos,tag"), stdin=text)
    cells = [line.split("\t") for line in out.splitlines() if line[:1].isdigit()]
    assert {row[9] for row in cells} <= {"B-NP", "I-NP", "B-VP", "B-PP", "O"}
    assert all(row[3:9] == ["_"] * 6 for row in cells)


def test_confidence_in_columns(ros, folder):
    plain = apply(ros, "chunks.model", "new.txt").split("\n")
    out = apply(ros, "chunks.model", "new.txt", "--confidence").split("\n")
    assert [line.rpartition(" ")[0] if line else "" for line in out] == plain
    each = [{line.split()[-1] for line in lines} for full, lines in groupby(out, bool) if full]
    corpus = read("new.txt", names=["word", "pos"]).corpus
    gaps = load("chunks.model").confidence(corpus).tolist()
    assert [len(values) for values in each] == [1] * len(gaps)
    assert [float(*values) for values in each] == pytest.approx(gaps, rel=1e-5)


@pytest.mark.parametrize("option", ["--json", "--confidence"])
def test_sentences_are_tagged_once(ros, folder, monkeypatch, option):
    counted = []
    whole = SequenceTagger.codes_and_gaps
    monkeypatch.setattr(
        SequenceTagger,
        "codes_and_gaps",
        lambda model, corpus: counted.append(len(corpus)) or whole(model, corpus),
    )
    monkeypatch.delattr(SequenceTagger, "confidence")
    apply(ros, "chunks.model", "new.txt", option)
    assert counted == [10]


def test_json(ros, folder):
    corpus = read("new.txt", names=["word", "pos"]).corpus
    tagger = load("chunks.model")
    tags, gaps = tagger.predict(corpus), tagger.confidence(corpus).tolist()
    for args in ((), ("--confidence",)):
        out = apply(ros, "chunks.model", "new.txt", "--json", *args)
        found = [json.loads(line) for line in out.splitlines()]
        assert [record["tags"] for record in found] == tags
        assert [record["tokens"] for record in found] == [
            [word for word, _ in corpus[k]] for k in range(len(corpus))
        ]
        assert [record["confidence"] for record in found] == pytest.approx(gaps)
    out = apply(ros, "pos.model", "new.conllu", "new.conllu", "--json")
    assert out.count("\n") == 20


def in_turn(args, folder, pieces):
    """Write pieces to a command, each after the answer to the one before; return the answers."""
    running = subprocess.Popen(
        [sys.executable, "-m", "rosenblatt", "tag", "apply", *args],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert running.stdin is not None
    assert running.stdout is not None
    answers = []
    for piece in pieces:
        running.stdin.write(piece)
        running.stdin.flush()
        lines = iter(running.stdout.readline, b"\n")  # up to the empty line after a sentence
        answers.append(b"".join(lines) + b"\n")
    rest, _ = running.communicate(timeout=60)
    assert rest == b""
    assert running.returncode == 0
    return answers


def test_pipes_are_answered_as_they_come(folder):
    pieces = [b"the DT\ncat NN\n\n", b"Ada NNP\n\n"]
    answers = in_turn(["chunks.model"], folder, pieces)
    assert answers == [b"the DT B-NP\ncat NN I-NP\n\n", b"Ada NNP B-NP\n\n"]
    answers = in_turn(["pos.model", "--text"], folder, [b"The cat.\n\n", b"Ada left!\n\n"])
    assert [answer.count(b"\n") for answer in answers] == [4, 4]


def test_output_is_written_as_a_whole_or_not_at_all(ros, folder):
    Path("out.txt").write_text("old")
    text = Path("new.txt").read_text()
    Path("bad.txt").write_text(text * 4 + "one\n")
    done = ros("tag", "apply", "chunks.model", "bad.txt", "-o", "out.txt", code=1)
    assert "bad.txt:" in done.err
    assert Path("out.txt").read_text() == "old"
    done = ros("tag", "apply", "chunks.model", "new.txt", "-o", "out.txt")
    n = sum(bool(line) for line in text.splitlines())
    assert done.err == f"{n} tokens of 10 sentences written to out.txt\n"
    assert done.out == ""
    assert Path("out.txt").read_text() == apply(ros, "chunks.model", "new.txt")


def test_names_of_columns(ros, folder):
    text = Path("new.txt").read_text()
    out = apply(ros, "chunks.model", "new.txt")
    swapped = "".join(
        " ".join(["x", *line.split()[::-1]]) + "\n" if line else "\n" for line in text.splitlines()
    )
    done = apply(ros, "chunks.model", "--columns", "-,pos,word", stdin=swapped)
    assert [line.split()[-1:] for line in done.splitlines()] == [
        line.split()[-1:] for line in out.splitlines()
    ]


def test_columns_that_may_be_either(ros, folder):
    """Tags are never taken for what the tagger looks at, nor the other way round."""
    made = made_sentences(60, 4)
    Path("four.txt").write_text(as_columns(made, 0, 1, 2, 3))
    names = "word,-,pos,tag"
    ros("tag", "train", "four.txt", "--columns", names, "-o", "x.model", "-q")
    Path("two.txt").write_text(as_columns(made, 0, 2))
    Path("three.txt").write_text(as_columns(made, 0, 1, 2))
    expected = [line.split()[2:] for line in apply(ros, "x.model", "two.txt").splitlines()]
    for file, columns in (
        ("train.txt", "word,pos,tag"),  # the same sentences
        ("three.txt", "word,-,pos"),
    ):
        told = ros("tag", "apply", "x.model", file, code=1).err
        assert told == (
            f"rosenblatt: {file}: the file has 3 columns, which may be word,pos,tag or word,-,pos; "
            "say which, with --columns\n"
        )
        out = apply(ros, "x.model", file, "--columns", columns)
        assert [line.split()[3:] for line in out.splitlines()] == expected
    out = apply(ros, "x.model", "four.txt")
    assert [line.split()[4:] for line in out.splitlines()] == expected
    # Where there must be tags, the columns can only be these.
    assert ros("tag", "evaluate", "x.model", "train.txt", "--json").json["accuracy"] > 0.9


def test_files_as_those_in_training_are_read_as_they_were(ros, folder):
    made = made_sentences(60, 4)
    Path("turned.txt").write_text(as_columns(made, 3, 0))
    ros("tag", "train", "turned.txt", "--columns", "tag,word", "--tag", "1", "-o", "x.model", "-q")
    out = apply(ros, "x.model", "turned.txt").splitlines()
    alone = apply(ros, "x.model", stdin=as_columns(made, 0)).splitlines()
    assert [line.split()[2:] for line in out] == [line.split()[1:] for line in alone]
    ros("tag", "train", "train.txt", "--columns", "word,-,tag", "-o", "x.model", "-q")
    alone = apply(ros, "x.model", stdin=as_columns(made, 0)).splitlines()
    for columns in ((0, 2), (0, 3)):  # wherever tags are, words come first
        out = apply(ros, "x.model", stdin=as_columns(made, *columns)).splitlines()
        assert [line.split()[2:] for line in out] == [line.split()[1:] for line in alone]


def test_models_and_files_of_two_formats(ros, folder):
    words = as_columns(made_sentences(3, 2), 0)
    out = apply(ros, "pos.model", stdin=words)
    assert {line.split()[1] for line in out.splitlines() if line} >= {"NOUN", "VERB"}
    tagged = as_columns(made_sentences(3, 2), 0, 1)
    assert [line.split()[-1:] for line in apply(ros, "pos.model", stdin=tagged).split("\n")] == [
        line.split()[-1:] for line in out.split("\n")
    ]
    ros("tag", "train", "train.txt", "--columns", "word,upos,-", "-o", "x.model", "-q")
    out = apply(ros, "x.model", "new.conllu")
    assert {line.split("\t")[3] for line in out.splitlines() if "\t" in line} >= {"NN", "VBD"}


def test_a_tagger_made_in_python(ros, folder):
    corpus = read("train.txt").corpus
    save(SequenceTagger().fit(corpus.only(["word"]), corpus.columns["tag"]), "x.model")
    out = apply(ros, "x.model", stdin="the\ncat\n\nAda\n")
    assert out == "the B-NP\ncat I-NP\n\nAda B-NP\n"
    X, y = [["a", "b"], ["b", "a"]] * 3, [[1, 20], [20, 1]] * 3
    save(SequenceTagger(templates="word").fit(X, y), "x.model")
    assert apply(ros, "x.model", stdin="a\nb\n") == "a 1\nb 20\n"
    done = ros("tag", "evaluate", "x.model", "-", "--json", stdin="a 1\nb 20\nb 1\n").json
    assert (done["accuracy"], done["new_words"]) == (pytest.approx(2 / 3), None)


def test_odd_names_of_columns_in_python(ros, folder):
    """A tagger may look at a column that is called tag, and so as tags usually are."""
    tokens = [[("a", "x"), ("b", "y")]] * 3
    tagger = SequenceTagger(templates="word", columns=["word", "tag"])
    save(tagger.fit(tokens, [["A", "B"]] * 3), "x.model")
    assert apply(ros, "x.model", stdin="a x\nb y\n") == "a x A\nb y B\n"
    found = ros("tag", "evaluate", "x.model", "-", "--json", stdin="a x A\nb y B\n").json
    assert found["accuracy"] == 1.0
    tagger = SequenceTagger(templates="word", columns=["word", "-"])
    save(tagger.fit(tokens, [["A", "B"]] * 3), "x.model")
    done = ros("tag", "apply", "x.model", "new.conllu", code=1)
    assert "x.model does not say how to read files: there is no column '-'" in done.err


def test_nobody_reads_on(shell, folder):
    done = shell("rosenblatt tag apply chunks.model test.txt | head -n 1", folder)
    assert done.out.count("\n") == 1
    assert done.err == ""


def test_order_of_tags_in_files(ros, folder):
    """Numbers as tags are sorted as numbers in the model, and as texts where files are judged."""
    X = [["a", "b", "c"]] * 4
    save(SequenceTagger(templates="word").fit(X, [[2, 10, 1]] * 4), "x.model")
    found = ros("tag", "evaluate", "x.model", "-", "--json", stdin="a 2\nb 10\nc 1\n").json
    assert found["accuracy"] == 1.0
    assert [each["label"] for each in found["classes"]] == ["1", "10", "2"]
    assert np.trace(found["confusion"]["counts"]) == 3

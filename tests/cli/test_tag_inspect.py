"""``rosenblatt tag inspect``."""

import numpy as np
import pytest

from rosenblatt import SequenceTagger, load, save
from rosenblatt.models.saving import load_with_extra


def inspect(ros, *args, **options):
    return ros("tag", "inspect", *args, **options)


def test_facts(ros, folder):
    ros("tag", "train", "train.txt", "--dev", "dev.txt", "-o", "x.model", "-q")
    done = inspect(ros, "x.model")
    told = " ".join(done.out.split())
    assert done.out.startswith("model       x.model, ")
    assert "tagger SequenceTagger, order 1 data " in told
    assert "data train.txt, 60 sentences, " in told
    assert "tags 5 in column tag: B-NP B-PP B-VP I-NP O; scheme iob2" in told
    assert "input word, pos" in told
    assert "word[-2]; word[-1]; word;" in told
    assert "dev F1 " in told
    assert all(len(line) <= 80 for line in done.out.splitlines())
    found = inspect(ros, "x.model", "--json").json
    model = load("x.model")
    assert found["tags"] == model.classes_.tolist()
    assert found["templates"] == list(model.templates_)
    assert found["features"] == model.n_features_
    assert found["training"]["mistakes"] == model.mistakes_.tolist()
    assert found["training"]["sentences"] == 60
    assert (found["order"], found["scheme"], found["columns"]) == (1, "iob2", ["word", "pos"])


def test_features_of_each_tag(ros, folder):
    model = load("chunks.model")
    found = inspect(ros, "chunks.model", "--top", "3", "--json").json
    assert [each["tag"] for each in found["weights"]] == model.classes_.tolist()
    for each in found["weights"]:
        pairs = [(entry["feature"], entry["weight"]) for entry in each["strongest"]]
        assert sorted(pairs) == sorted(model.features_of(each["tag"], 3))
        assert pairs == sorted(pairs, key=lambda pair: -pair[1])
    told = inspect(ros, "chunks.model", "--top", "3").out
    assert all(f"│{tag} ▸\n" in told for tag in model.classes_)
    assert "█" in told


def test_one_tag(ros, folder):
    done = inspect(ros, "chunks.model", "--tag", "B-NP", "--top", "4")
    lines = done.out.splitlines()
    assert lines[0].endswith("│B-NP ▸")
    assert len(lines) == 5
    (each,) = inspect(ros, "chunks.model", "--tag", "B-NP", "--json").json["weights"]
    assert each["tag"] == "B-NP"
    assert (
        "knows no tag 'NP'; its tags are B-NP, "
        in inspect(ros, "chunks.model", "--tag", "NP", code=1).err
    )


def test_transitions(ros, folder):
    model = load("chunks.model")
    found = inspect(ros, "chunks.model", "--json", "--top", "5").json["transitions"]
    weights = np.vstack([model.transitions_, model.start_])
    names = [*model.classes_.tolist(), "<start>"]
    for each in found:
        place = names.index(each["after"]), names.index(each["tag"])
        assert each["weight"] == weights[place]
    largest = np.sort(np.abs(weights[np.isfinite(weights)]))[::-1][:5]
    assert sorted((abs(each["weight"]) for each in found), reverse=True) == largest.tolist()
    assert "\ntransition " in inspect(ros, "chunks.model").out


@pytest.mark.parametrize("tag", ["B-VP", "<start>"])
def test_what_follows_a_tag(ros, folder, tag):
    model = load("chunks.model")
    row = model.start_ if tag == "<start>" else model.transitions_[2]
    assert model.classes_[2] == "B-VP"
    found = inspect(ros, "chunks.model", "--after", tag, "--json").json["transitions"]
    weights = {each["tag"]: each["weight"] for each in found}
    assert weights == {
        name: float(weight) if np.isfinite(weight) else None
        for name, weight in zip(model.classes_.tolist(), row, strict=True)
    }
    assert weights["I-NP"] is None
    lines = inspect(ros, "chunks.model", "--after", tag).out.splitlines()
    assert lines[0].startswith(f"after {tag} ")
    assert lines[-1].split()[:2] == ["I-NP", "–"]
    assert len(lines) == 6


def test_a_tag_and_what_follows_another(ros, folder):
    done = inspect(ros, "chunks.model", "--after", "O", "--tag", "B-NP").out
    assert done.startswith("feature ")
    assert "\n\nafter O " in done
    assert "chunks.model" not in done


def test_quiet_and_no_features(ros, folder):
    facts = inspect(ros, "chunks.model", "-q").out
    assert inspect(ros, "chunks.model", "--top", "0").out == facts
    assert "█" not in facts


def test_a_tagger_made_in_python(ros, folder):
    X, y = [["a", "b"], ["b", "a"]] * 3, [["A", "B"], ["B", "A"]] * 3
    save(SequenceTagger(templates="word", averaged=False).fit(X, y), "x.model")
    done = inspect(ros, "x.model")
    told = " ".join(done.out.split())
    assert "data 3 passes" in told or "data 2 passes" in told
    assert "tags 2 in column tag: A B" in told
    assert inspect(ros, "x.model", "--json").json["training"]["converged"] is True


def test_many_tags(ros, folder):
    tags = [f"T{k:02}" for k in range(12)]
    model = SequenceTagger(templates="word").fit([tags] * 2, [tags] * 2)
    save(model, "x.model")
    done = inspect(ros, "x.model").out
    assert "… and 4 more tags; --tag shows any" in done
    weights = np.abs(np.vstack([model.transitions_, model.start_])).sum(axis=0)
    shown = [line.split("│")[1].split()[0] for line in done.splitlines() if line.endswith("▸")]
    assert shown == [tags[k] for k in np.argsort(-weights, kind="stable")[:8]]


def test_the_order_is_what_was_learned(ros, folder):
    ros("tag", "train", "train.txt", "--order", "2", "-o", "x.model", "-q")
    model = load("x.model")
    with pytest.raises(ValueError, match=r"order is not what it learned with.* fit again"):
        save(model.set_params(order=1), "x.model")
    save(model.set_params(order=2, averaged=False), "x.model")
    assert "tagger      SequenceTagger, order 2\n" in inspect(ros, "x.model").out
    found = inspect(ros, "x.model", "--json").json
    assert found["order"] == 2
    assert "averaged" not in found


@pytest.mark.parametrize(
    "wrong",
    [
        {"files": [1]},
        {"sentences": "many"},
        {"validation": ["x"]},
        {"best_pass": 100},
        {"metric": "\x1b[2J"},
    ],
    ids=str,
)
def test_a_summary_that_is_damaged(ros, folder, wrong):
    model, extra = load_with_extra("chunks.model")
    save(model, "x.model", extra={**extra, "summary": {**extra["summary"], **wrong}})
    assert "the summary of its training is damaged" in inspect(ros, "x.model").out
    assert inspect(ros, "x.model", "--json").json["training"]["damaged"] is True

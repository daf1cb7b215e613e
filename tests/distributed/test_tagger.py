"""A tagger on shards: as one machine would see them, and iterative parameter mixing as written."""

import gzip
import random
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import SequenceTagger, StructuredPerceptron, load, reference, save
from rosenblatt.distributed import evaluate, fit, predict, rounds_of
from rosenblatt.distributed.deltas import applied, changes, merged, n_bytes, packed
from rosenblatt.distributed.local import local_client
from rosenblatt.distributed.mixing import Start, learn_shard
from rosenblatt.distributed.tagged_files import cut_tagged, read_tagged
from rosenblatt.distributed.tagger import TaggerShard, TaggerWork
from rosenblatt.kernels.tagging import tagger_pass
from rosenblatt.learners.online import copy as copy_of
from rosenblatt.models.saving import load_with_extra
from rosenblatt.persist.errors import ModelFileError
from rosenblatt.reference.mixing import tournament
from rosenblatt.reference.tagger import START
from rosenblatt.tagging import conll, features, fitting, learner, mixing
from rosenblatt.tagging.corpus import Corpus
from rosenblatt.tagging.templates import parse
from tests.conftest import examples
from tests.distributed.eager import Eager
from tests.distributed.test_deltas import equal
from tests.distributed.test_faults import kill_one
from tests.tagging.test_learner import learn, named, random_problem, random_rules

TEMPLATES = "word[-1..1]; pos[-1..0]; lower(word) & pos; suffix(word, 2)"
WORDS = ["The", "cat", "Sat", "on", "the", "mat", "and", "SAW", "a", "hat", "was", "flat", "at"]


def sentences(seed, n=24, tags=("B-NP", "I-NP", "O")):
    """Return sentences of words and parts of speech, and tags of spans that follow from them."""
    rng = np.random.default_rng(seed)
    X, y = [], []
    for _ in range(n):
        words = rng.choice(WORDS, size=rng.integers(1, 8)).tolist()
        X.append([(word, "UP" if word[0].isupper() else "lo") for word in words])
        found, inside = [], False
        for word in words:
            begins = word[0] in "Tcmhf" or rng.random() < 0.1
            found.append(tags[1] if begins and inside else tags[0] if begins else tags[2])
            inside = begins
        y.append(found)
    return X, y


def shards_of(X, y, n):
    cuts = np.linspace(0, len(X), n + 1).astype(int).tolist()
    return [(X[a:b], y[a:b]) for a, b in pairwise(cuts)]


def bits(model):
    """Return all that a tagger learned, as bytes."""
    return [
        part.tobytes() if isinstance(part, np.ndarray) else part
        for part in (*model._state, *model._features, model.classes_, model.mistakes_)
    ]


@pytest.mark.parametrize("averaged", [True, False])
@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("shuffle", [True, False])
def test_one_shard_is_one_machine_to_the_bit(averaged, order, shuffle):
    X, y = sentences(0)
    options = {"templates": TEMPLATES, "averaged": averaged, "order": order, "shuffle": shuffle}
    alone = SequenceTagger(**options, max_iter=4).fit(X, y)
    model = fit(SequenceTagger(**options), [(X, y)], client=Eager(), rounds=4)
    assert bits(model) == bits(alone)
    assert model.wrong_tokens_.tolist() == alone.wrong_tokens_.tolist()
    assert (model.scheme_, model.n_iter_) == (alone.scheme_, alone.n_iter_) == ("iob2", 4)


@pytest.mark.parametrize("options", [{}, {"min_count": 3}, {"lists": {"cats": ["the cat", "SAW"]}}])
@pytest.mark.parametrize("n", [2, 5, 30])
def test_shards_have_the_features_and_tags_that_one_machine_finds(options, n):
    """Each in its place: with weights of zero, nothing else of a tagger is there to compare."""
    X, _ = sentences(1, n=20)
    estimator = SequenceTagger(TEMPLATES, **options)
    corpus = Corpus.from_sequences(X)
    asked, lists = fitting.asked_for(estimator, corpus.names, ["B-NP", "I-NP", "O"])
    whole, matrix = features.learn(asked, corpus, lists, estimator.min_count)
    parts = [corpus.take(part) for part in np.array_split(np.arange(len(X)), n)]
    found = [features.survey(asked, part, lists) for part in parts if part.n_tokens]
    every = found[0]
    for other in found[1:]:
        every = features.united(asked, every, other)
    known = features.from_survey(asked, lists, every, estimator.min_count)
    for one, other in zip(known.stored(), whole.stored(), strict=True):
        np.testing.assert_array_equal(one, other)
    own = [features.Features.from_stored(known.stored()).of(part) for part in parts]
    assert np.concatenate(own).tolist() == matrix.tolist()


def test_auto_decides_by_all_shards():
    """One shard could follow iob2, and another has the only part of it that cannot."""
    X = [[("a", "x"), ("b", "x")], [("c", "x"), ("d", "x")]]
    y = [["I-NP", "O"], ["O", "O"]], [["I-NP", "B-NP"], ["I-VP", "O"]]
    good = [["B-NP", "O"], ["O", "O"]], [["B-NP", "I-NP"], ["O", "O"]]
    for tags, scheme in ((y, "iob1"), (good, "iob2"), ((y[1], good[0]), None)):
        alone = SequenceTagger().fit(X + X, tags[0] + tags[1])
        model = fit(SequenceTagger(), list(zip([X, X], tags, strict=True)), client=Eager())
        assert model.scheme_ == alone.scheme_ == scheme
        assert model.templates_ == alone.templates_
        assert model.classes_.tolist() == alone.classes_.tolist()
        assert np.isinf(model.transitions_).tolist() == np.isinf(alone.transitions_).tolist()


@pytest.mark.parametrize("mix", ["mistakes", "uniform"])
@examples(
    3, 30, seed=st.integers(0, 10_000), n=st.sampled_from([1, 2, 4]), second_order=st.booleans()
)
def test_it_is_iterative_parameter_mixing(mix, seed, n, second_order):
    X, y = sentences(seed, n=12)
    parts = shards_of(X, y, n)
    model = SequenceTagger(
        "word; pos", order=1 + second_order, averaged=False, shuffle=False, constraints=None
    )
    rounds = 3 if mix == "uniform" else 1  # halves are exact; thirds may break a tie
    tokens = [([[(f"word={w}", f"pos={p}") for w, p in x] for x in X], y) for X, y in parts]
    labels = sorted({tag for tags in y for tag in tags})
    orders = [[range(len(X)) for X, _ in parts]] * rounds
    wanted = list(
        reference.tagger_mixing(tokens, orders, labels, mixing=mix, second_order=second_order)
    )
    fit(model, parts, client=Eager(), rounds=rounds, mixing=mix)
    passes = rounds_of(model).passes
    assert [[each.mistakes for each in row] for row in passes] == [r.mistakes for r in wanted]
    mean = fit(
        SequenceTagger(**{**model.get_params(), "averaged": True}),
        parts, client=Eager(), rounds=rounds, mixing=mix,
    )  # fmt: skip
    every = [r.mean for r in wanted]
    names = {name for each in every for name in each}
    means = {name: np.mean([each.get(name, 0) for each in every]) for name in names}
    for tagger, weights in ((model, wanted[-1].weights), (mean, means)):
        assert by_name(tagger) == pytest.approx(
            {name: w for name, w in weights.items() if abs(w) > 1e-7}, rel=1e-5, abs=1e-6
        )


def by_name(model):
    """Return the weights of a tagger by the names of the reference."""
    found = {
        ("token", name, tag): w
        for tag in model.classes_.tolist()
        for name, w in model.features_of(tag, None)
    }
    before = [*model.classes_.tolist(), START]
    chain = model._state
    for i, row in zip(before, chain.bigrams.tolist(), strict=True):
        found |= {("pair", i, j): w for j, w in zip(before[:-1], row, strict=True)}
    if chain.trigrams is not None:
        for h, rows in zip(before, chain.trigrams.tolist(), strict=True):
            for i, row in zip(before, rows, strict=True):
                found |= {("triple", h, i, j): w for j, w in zip(before[:-1], row, strict=True)}
    return {name: w for name, w in found.items() if abs(w) > 1e-7}


def learned(seed, K, order, n_features=15, visits=2):
    """Return a state after a few sequences."""
    rng = np.random.default_rng(seed)
    problem = random_problem(rng, K)
    allowed = random_rules(np.random.default_rng(0), K, problem[1], problem[2], 1.0)
    start = learner.init(n_features, K, order=order, allowed=allowed, rank=np.arange(K)[::-1])
    passes = [rng.permutation(len(problem[2]) - 1) for _ in range(visits)]
    return learn(start, problem, passes)[0]


@settings(max_examples=25)
@given(
    st.lists(st.integers(0, 10_000), min_size=1, max_size=4),
    st.lists(st.integers(0, 50), min_size=4, max_size=4).filter(lambda w: w[0] > 0),
    st.sampled_from([2, 3, 9]),
    st.sampled_from([1, 2]),
)
def test_merge_mixes_weights_and_means_by_name(seeds, weights, K, order):
    states = [learned(seed, K, order) for seed in seeds]
    weights = weights[: len(states)]
    mixed = mixing.merge([mixing.to_sparse(state) for state in states], weights)
    assert mixed.steps == sum(state.steps for state in states)
    assert mixed.updates == sum(state.updates for state in states)
    for of, tolerance in ((learner.frozen, 1e-6), (learner.average, 2e-5)):
        each = [named(of(state)) for state in states]
        names = sorted({name for one in each for name in one}, key=str)
        vectors = [np.array([one.get(name, 0.0) for name in names]) for one in each]
        wanted = np.average(vectors, axis=0, weights=weights)
        found = named(of(mixing.from_sparse(mixed)))
        np.testing.assert_allclose(
            [found.get(name, 0.0) for name in names], wanted, rtol=tolerance, atol=tolerance
        )
    same = mixing.merge([mixing.to_sparse(states[0])] * 3, [1, 3, 7])
    assert named(mixing.from_sparse(same)) == named(states[0])
    assert tournament([vectors[0]] * 3, [1, 3, 7]).tolist() == vectors[0].tolist()


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.sampled_from([2, 9]), st.sampled_from([1, 2]))
def test_what_travels_is_the_state(seed, K, order):
    state = learned(seed, K, order)
    sparse = mixing.to_sparse(state)
    assert (sparse.keys[1:] > sparse.keys[:-1]).all()
    assert equal(mixing.to_sparse(mixing.from_sparse(sparse)), sparse)
    blank, delta = packed(sparse)
    assert equal(blank.fill(delta), sparse)
    start = mixing.to_sparse(learned(seed, K, order, visits=1))
    both = changes(start, sparse)
    again = applied(start._replace(steps=sparse.steps, updates=sparse.updates), both)
    assert named(mixing.from_sparse(again)) == named(state)
    # Only what changed travels: a key and two numbers for each.
    assert n_bytes(both[-1:]) == 16 * len(both[-1].places)
    assert len(changes(sparse, sparse)[-1].places) == 0
    # Mixing changes is mixing states.
    other = mixing.to_sparse(learned(seed + 1, K, order, visits=1))
    parts = [(part._replace(**dict.fromkeys(("keys",))), changes(start, part))
             for part in (sparse, other)]  # fmt: skip
    mixed = applied(start, merged(mixing, start, parts, [2, 3]))
    whole = mixing.merge([sparse, other], [2, 3])
    assert equal(mixing.aligned([mixed, whole])[0][:2], mixing.aligned([whole, mixed])[0][:2])


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.sampled_from([2, 9, 20]), st.sampled_from([1, 2]))
def test_a_shard_s_own_features_are_all_it_needs(seed, K, order):
    """Learning with the weights of its features alone changes what learning with all would."""
    rng = np.random.default_rng(seed)
    features, gold, offsets = random_problem(rng, K)
    allowed = random_rules(np.random.default_rng(0), K, gold, offsets, 1.0)
    start = learner.init(40, K, order=order, allowed=allowed)
    start = learn(start, (features, gold, offsets), [np.arange(len(offsets) - 1)])[0]
    start = Start(mixing.begun_anew(mixing.to_sparse(start)))
    wider = np.sort(rng.choice(np.arange(1, 41), int(features.max()), replace=False))
    wider = np.append(0, wider).astype(features.dtype)
    own = np.append(0, np.unique(wider[features[features > 0]])).astype(np.int32)
    task = fitting.Task(wider[features], gold, offsets)
    narrow = np.searchsorted(own, task.features).astype(features.dtype)
    shard = TaggerShard(narrow, gold, offsets, own)
    work = TaggerWork(shuffle=True, alone=False)
    found = learn_shard(work, "mistakes", shard, start, [0, 0, 0], False)
    after, done = work.learn(task, Start(copy_of(start.state)), [0, 0, 0], False)
    assert found.passes[0][:3] == done[:3]
    counts = start.state._replace(steps=after.state.steps, updates=after.state.updates)
    whole = applied(counts, changes(start.state, after.state))
    assert equal(applied(counts, found.delta), whole)
    assert n_bytes(found.delta[-1:]) == 16 * len(found.delta[-1].places)
    empty = learn_shard(work, "mistakes", None, start, [0, 0, 0], False)
    assert not any(len(entries.places) for entries in empty.delta)


def test_arrays_that_travelled_are_learned_from_by_the_same_code():
    work = TaggerWork(shuffle=True, alone=False)
    found = []
    for writable in (True, False):
        task = fitting.Task(*random_problem(np.random.default_rng(0), 3))
        for array in task:
            array.flags.writeable = writable
        start = Start(mixing.to_sparse(learner.init(15, 3)))
        after, _ = work.learn(task, start, [0, 0, 0], False)
        found.append((after.state.weights.tobytes(), len(tagger_pass._ready)))
    assert found[0] == found[1]


def test_the_mean_is_over_all_rounds_and_steps():
    """Two equal shards are as one."""
    X, y = sentences(3, n=8)
    both = fit(SequenceTagger("word", shuffle=False), [(X, y)] * 2, client=Eager(), rounds=3)
    one = fit(SequenceTagger("word", shuffle=False), [(X, y)], client=Eager(), rounds=3)
    np.testing.assert_allclose(both.transitions_, one.transitions_, atol=1e-6)


def write(tmp_path, X, y, name="tags.conll", end="\n"):
    text = [
        "".join(f"{word} {pos} {tag}{end}" for (word, pos), tag in zip(x, tags, strict=True))
        for x, tags in zip(X, y, strict=True)
    ]
    path = tmp_path / name
    path.write_bytes(end.join(text).encode())
    return path


@pytest.mark.parametrize("end", ["\n", "\r\n", " \n"])
@pytest.mark.parametrize("size", [40, 150, 10_000])
def test_files_are_cut_between_sentences(tmp_path, end, size):
    X, y = sentences(4, n=30)
    path = write(tmp_path, X, y, end=end)
    shards = cut_tagged([path], None, size)
    assert (len(shards) > 3) == (size < 1000)
    assert [shards[0].file.start, shards[-1].file.stop] == [0, path.stat().st_size]
    parts = [part for part in (read_tagged(shard, None) for shard in shards) if part is not None]
    assert [sentence for part in parts for sentence in (part.corpus[k] for k in
            range(len(part.corpus)))] == X  # fmt: skip
    tags = [tag for part in parts for tag in np.array(part.tags.values)[part.tags.codes]]
    assert tags == [tag for each in y for tag in each]


def test_files_are_the_same_shards_as_lists(tmp_path):
    X, y = sentences(5, n=40)
    wanted = fit(SequenceTagger(), shards_of(X, y, 4), client=Eager(), rounds=3)
    for part, (some, tags) in enumerate(shards_of(X, y, 4)):
        write(tmp_path, some, tags, f"part-{part}.conll")
    found = fit(SequenceTagger(), str(tmp_path / "part-*.conll"), client=Eager(), rounds=3)
    assert bits(found) == bits(wanted)
    assert found.feature_names_in_.tolist() == ["word", "pos"]
    whole = write(tmp_path, X, y, "whole")
    cut = fit(SequenceTagger(), whole, client=Eager(), rounds=3, shard_bytes=200)
    assert len(rounds_of(cut).passes[0]) > 5
    packed_file = tmp_path / "whole.gz"
    packed_file.write_bytes(gzip.compress(whole.read_bytes()))
    one = fit(SequenceTagger(), packed_file, client=Eager(), rounds=3, shard_bytes=200)
    assert bits(one) == bits(SequenceTagger(max_iter=3).fit(X, y))
    other = fit(
        SequenceTagger(columns=["lemma"]), whole, "pos", client=Eager(), names=["lemma", "pos", "-"]
    )
    assert other.classes_.tolist() == ["UP", "lo"]
    assert other.feature_names_in_.tolist() == ["lemma"]


def test_files_are_read_as_those_that_a_tagger_learned_from(tmp_path):
    X, y = sentences(13, n=30)
    path = tmp_path / "tags"
    lines = [
        [f"{tag} {word} {pos}" for (word, pos), tag in zip(x, tags, strict=True)]
        for x, tags in zip(X, y, strict=True)
    ]
    path.write_text("\n\n".join("\n".join(each) for each in lines))
    names = {"names": ["answer", "word", "pos"]}
    model = fit(
        SequenceTagger("word", columns=["word"]), path, "answer", client=Eager(), rounds=2, **names
    )
    save(model, tmp_path / "m.model")
    again, kept = load_with_extra(tmp_path / "m.model")
    assert kept["reading"] == {
        "format": "columns", "names": ["answer", "word", "-"], "inputs": ["word"], "tag": "answer",
    }  # fmt: skip
    assert kept["summary"]["files"] == [[str(path), path.stat().st_size]]
    assert kept["summary"]["mistakes"] == model.mistakes_.tolist()
    words = [[word for word, _ in x] for x in X]
    for one in (model, again):
        assert predict(one, path, client=Eager()) == model.predict(words)
        assert evaluate(one, path, client=Eager()) == model.evaluate(words, y)
    model.fit(words, y)
    assert model.metadata is None
    save(model, tmp_path / "m.model")
    assert load_with_extra(tmp_path / "m.model")[1] == {}


def test_errors_name_file_and_line(tmp_path):
    X, y = sentences(6, n=40)
    path = write(tmp_path, X, y)
    lines = path.read_text().splitlines()
    broken = [*lines, "", "alone", ""]
    path.write_text("\n".join(broken))
    with pytest.raises(ValueError, match=rf"conll:{len(broken) - 1}.* 3 in line 1") as found:
        fit(SequenceTagger(), path, client=Eager(), shard_bytes=200)
    with pytest.raises(ValueError, match="in line 1") as alone:
        conll.read(path)
    assert str(found.value).partition("conll")[2] == str(alone.value).partition("conll")[2]
    path.write_text("\n".join([*lines, "", "a x O", "b x I-NP", ""]))
    problem = rf"conll:{len(lines) + 2}: .*breaks the constraints: token 1 has I-NP after O"
    with pytest.raises(ValueError, match=problem):
        fit(SequenceTagger(constraints="iob2"), path, client=Eager(), shard_bytes=200)
    with pytest.raises(ValueError, match="shard 1: sequence 1 of y breaks the constraints"):
        fit(
            SequenceTagger(constraints="iob2"),
            [(X, y), ([[("a", "x")] * 2] * 2, [["O", "O"], ["O", "I-NP"]])],
            client=Eager(),
        )


GOOD = ([["a", "b"]], [["X", "Y"]])


@pytest.mark.parametrize(
    ("source", "options", "problem"),
    [
        ([GOOD, ([["a", "b"]], [["X"]])], {}, "shard 1: sequence 0 has 2 tokens and 1 tags"),
        ([GOOD, ([[("a", "b")]], [["X"]])], {}, "shard 1 has the columns word, pos, and those"),
        ([([], []), ([[]], [[]])], {}, "no shard has tokens"),
        ([([["a"]], [["X"]])] * 2, {}, "there is one tag only, 'X'"),
        ([GOOD, ([["a"]], [[1]])], {}, "tags must be of one type"),
        ([GOOD], {"early_stopping": True}, "early_stopping=True needs sequences held out"),
        ([GOOD], {"templates": "shape(pos)"}, "pos"),
        ([GOOD], {"min_count": 0}, "min_count"),
        ([({"word": ["a"]}, ["X"])], {}, "shard 0: X is a dict with columns"),
        (["nowhere.conll"], {}, "nowhere.conll"),
    ],
)
def test_shards_that_do_not_fit_are_one_line(source, options, problem):
    model = SequenceTagger(**options)
    with pytest.raises((ValueError, OSError), match=problem) as found:
        fit(model, source, client=Eager())
    assert "\n" not in str(found.value)
    assert not hasattr(model, "classes_")


def test_options_that_are_not_for_a_tagger(tmp_path):
    path = write(tmp_path, *sentences(7))
    with pytest.raises(TypeError, match="unknown option 'ngrams'; files of sequences are read by"):
        fit(SequenceTagger(), path, client=Eager(), ngrams=2)
    with pytest.raises(TypeError, match="'format' says how to read files, and these are none"):
        fit(SequenceTagger(), [GOOD], client=Eager(), format="conllu")
    with pytest.raises(ValueError, match=r"StructuredPerceptron does not distribute: .*names of"):
        fit(StructuredPerceptron(object()), [GOOD], client=Eager())


def test_empty_shards_and_shards_without_a_mistake():
    X, y = sentences(8, n=30)
    parts = [([], []), *shards_of(X, y, 3), ([[]], [[]])]
    model = fit(SequenceTagger(TEMPLATES), parts, client=Eager(), rounds=30)
    assert [each.examples for each in rounds_of(model).passes[0]] == [0, 10, 10, 10, 0]
    assert model.score(X, y) > 0.8
    easy = [([["a", "b"]], [["X", "Y"]]), ([["b", "a"], ["a"]], [["Y", "X"], ["X"]])]
    model = fit(SequenceTagger("word"), easy, client=Eager(), rounds=50)
    assert model.converged_
    assert model.mistakes_[-1] == 0
    assert model.predict([["b", "a", "b"]]) == [["Y", "X", "Y"]]


def test_a_checkpoint_continues_to_the_same_bits(tmp_path):
    parts = shards_of(*sentences(9, n=40), 5)
    wanted = fit(SequenceTagger(TEMPLATES), parts, client=Eager(), rounds=4)
    path = tmp_path / "rounds"
    fit(SequenceTagger(TEMPLATES), parts, client=Eager(), rounds=2, checkpoint=path)
    again = SequenceTagger(TEMPLATES)
    fit(again, parts, client=Eager(), rounds=4, checkpoint=path, resume=True)
    assert bits(again) == bits(wanted)
    assert again.wrong_tokens_.tolist() == wanted.wrong_tokens_.tolist()
    assert rounds_of(again).passes == rounds_of(wanted).passes
    with pytest.raises(ValueError, match="the checkpoint of another fit: templates was"):
        fit(SequenceTagger("word"), parts, client=Eager(), checkpoint=path, resume=True)


def test_a_damaged_checkpoint_is_refused():
    sparse = mixing.to_sparse(learned(0, 3, 1))
    for wrong in (sparse.keys[::-1], sparse.keys + 10_000, sparse.keys - 10_000):
        with pytest.raises(ValueError, match="not in order"):
            mixing.check(sparse._replace(keys=wrong))
    mixing.check(sparse)
    assert issubclass(ModelFileError, ValueError)


def test_bags_and_futures_and_two_workers(inside, tmp_path):
    import dask.bag as db

    X, y = sentences(10, n=40)
    parts = shards_of(X, y, 4)
    wanted = bits(fit(SequenceTagger(TEMPLATES), parts, client=Eager(), rounds=3))
    model = fit(SequenceTagger(TEMPLATES), parts, client=inside, rounds=3)
    assert bits(model) == wanted
    bag = db.from_sequence(list(zip(X, y, strict=True)), npartitions=4)
    assert bits(fit(SequenceTagger(TEMPLATES), bag, client=inside, rounds=3)) == wanted
    futures = [inside.submit(lambda pair: pair, part, pure=False) for part in parts]
    assert bits(fit(SequenceTagger(TEMPLATES), futures, client=inside, rounds=3)) == wanted
    with pytest.raises(ValueError, match="part 0 of the bag must have pairs"):
        fit(SequenceTagger(), db.from_sequence([1, 2], npartitions=1), client=inside)
    save(model, tmp_path / "m.model")
    again = load(tmp_path / "m.model")
    assert again.predict(X) == model.predict(X)
    assert bits(again)[:5] == bits(model)[:5]


def test_predict_and_evaluate_over_shards(tmp_path):
    X, y = sentences(12, n=30)
    model = SequenceTagger(TEMPLATES, max_iter=2).fit(X[:20], y[:20])
    y[-1][-1] = "B-NEW"
    parts = [*shards_of(X, y, 3), ([], [])]
    wanted = model.predict(X)
    assert predict(model, [some for some, _ in parts], client=Eager()) == wanted
    assert evaluate(model, parts, client=Eager()) == model.evaluate(X, y)
    path = write(tmp_path, X, y)
    assert predict(model, path, client=Eager(), shard_bytes=150) == wanted
    assert evaluate(model, path, client=Eager(), shard_bytes=150) == model.evaluate(X, y)
    bare = tmp_path / "untagged"
    lines = path.read_text().splitlines()
    bare.write_text("\n".join(line.rpartition(" ")[0] for line in lines))
    assert predict(model, bare, client=Eager(), shard_bytes=150) == wanted
    with pytest.raises(ValueError, match="there is no column 'pos'"):
        evaluate(model, bare, client=Eager())
    with pytest.raises(ValueError, match="nothing to evaluate"):
        evaluate(model, [([], [])], client=Eager())


def test_a_template_with_too_many_combinations():
    asked = parse(" & ".join(f"word[{k}]" for k in range(-3, 4)))
    words = [[f"{n}" for n in range(k * 400, (k + 1) * 400)] for k in range(2)]
    one, two = (features.survey(asked, Corpus.from_sequences([each]), {}) for each in words)
    with pytest.raises(ValueError, match="combinations of values"):
        features.united(asked, one, two)


@pytest.mark.slow
def test_a_killed_worker_changes_no_bit(tmp_path):
    import dask

    X, y = sentences(11, n=600)
    path = write(tmp_path, X, y)
    options = {"rounds": 4, "shard_bytes": path.stat().st_size // 16}
    wanted = fit(SequenceTagger(), path, client=Eager(), **options)
    assert len(rounds_of(wanted).passes[0]) == 16
    moments = random.Random(0)
    allowed = {"distributed.scheduler.allowed-failures": 3}
    with dask.config.set(allowed), local_client(2) as client:
        for _ in range(3):
            thread = kill_one(client, moments.uniform(0.05, 1.0))
            model = fit(SequenceTagger(), path, client=client, **options)
            thread.join()
            assert bits(model) == bits(wanted)
            assert rounds_of(model).passes == rounds_of(wanted).passes


@pytest.mark.slow
@pytest.mark.parametrize("mix", ["mistakes", "uniform"])
def test_ten_shards_of_conll2000_are_nearly_as_good_as_one(dataset, processes, mix):
    """F1 within 0.3 points of ten passes on one machine, after twenty rounds at most."""
    data = dataset("conll2000")
    alone = SequenceTagger(max_iter=10).fit(data.X, data.y)
    wanted = alone.score(data.X_test, data.y_test)
    parts = shards_of(list(data.X), list(data.y), 10)
    model = fit(SequenceTagger(), parts, client=processes, rounds=20, mixing=mix)
    assert model.score(data.X_test, data.y_test) > wanted - 0.003
    assert model.scheme_ == alone.scheme_
    assert model.templates_ == alone.templates_
    assert model.mistakes_[-1] < model.mistakes_[0] / 3

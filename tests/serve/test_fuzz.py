"""Arbitrary requests: never a status of 500, and a refusal changes nothing."""

import json
import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rosenblatt import OnlineClassifier
from tests.serve.conftest import MAILS, learned_alone, on_disk, same, serving

FUZZ = int(os.environ.get("ROSENBLATT_FUZZ", "0"))

numbers = st.one_of(st.integers(), st.floats(), st.booleans(), st.none())
texts = st.text(max_size=12)
values = st.recursive(
    st.one_of(numbers, texts),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(texts, inner, max_size=4)),
    max_leaves=12,
)
keys = st.sampled_from(
    ["instances", "ids", "labels", "weights", "parameters", "instance", "label", "id", "keep"]
)
bodies = st.one_of(
    st.dictionaries(keys, values, max_size=4).map(lambda body: json.dumps(body).encode()),
    st.fixed_dictionaries(
        {
            "instances": st.lists(st.dictionaries(texts, values, max_size=4), max_size=3),
            "labels": st.lists(st.one_of(texts, numbers), max_size=3),
        }
    ).map(lambda body: json.dumps(body).encode()),
    st.binary(max_size=60),
)
paths = st.one_of(
    st.sampled_from(["predict", "learn", "explain"]).map(lambda call: f"/v1/models/spam:{call}"),
    st.sampled_from(["/v1/models/spam", "/v1/models/%00:learn", "/v1/models/..%2f:predict", "/"]),
)
kinds = st.sampled_from(["application/json", "application/x-ndjson", "text/plain"])
methods = st.sampled_from(["POST", "POST", "POST", "PUT", "GET", "DELETE"])


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory):
    """A service, and its folder."""
    folder = tmp_path_factory.mktemp("fuzzed") / "data"
    with serving(folder, {"spam": OnlineClassifier()}) as asking:
        asking.learn(*MAILS)
        yield asking, folder


@settings(max_examples=max(150, FUZZ // 2), suppress_health_check=[*HealthCheck])
@given(methods, paths, kinds, bodies)
def test_arbitrary_requests(fuzzed, method, path, kind, body):
    asking, _ = fuzzed
    before = asking("GET", "/v1/models/spam")[1]["position"]
    status, _, text = asking.raw(method, path, body, content_type=kind)
    assert status < 500
    after = asking("GET", "/v1/models/spam")[1]["position"]
    if status >= 400:
        found = json.loads(text)
        assert found["error"]
        assert found["advice"]
    if not (status == 200 and path.endswith(":learn")) and kind != "application/x-ndjson":
        # What only the model can refuse is in the log, without effect.
        assert after == before or (status == 422 and path.endswith(":learn"))


def test_what_was_fuzzed_is_replayed_to_the_same_bits(tmp_path):
    """Whatever was learned or refused, the next start has the same model."""
    folder = tmp_path / "data"
    odd = [
        ({}, "a"),
        ({"x": 1e30}, "a"),
        ({"x": -1e38}, "b"),
        ({"x": 3e38}, "a"),
        ({"": ""}, "b"),
        ({"a": {"b": {"c": [1, "d", None, True]}}}, "a"),
        ({"x": 2**63}, "b"),
        ({"é\u0000": 1}, ""),
        ({"x": True}, True),
        ({"x": 1}, 2**70),
        ({"x": 1}, 1.0),
    ]
    with serving(folder, {"spam": OnlineClassifier()}) as asking:
        for x, y in odd * 3:
            assert asking.learn((x, y))[0] in (200, 400, 422)
        served = asking.service.api.models["spam"]
        service = asking.service
    assert service.failed is None
    alone = served.front
    for path in sorted((folder / "spam").iterdir())[1:]:
        path.unlink()  # so that all of it is learned again
    assert same(on_disk(folder), alone)


def test_numbers_that_are_too_large_together(tmp_path):
    folder = tmp_path / "data"
    big = [({"x": 3e38, "y": 3e38}, "spam"), ({"x": -3e38, "y": 3e38}, "ham")] * 20
    with serving(folder, {"spam": OnlineClassifier("perceptron", scale=None)}) as asking:
        asking.learn(*MAILS)
        status, answer = asking.learn(*big)
        assert status in (200, 422)
        assert asking.learn(*MAILS)[0] == 200
        alone = asking.service.api.models["spam"].front
    (first, *others) = sorted((folder / "spam").iterdir())
    for path in others:
        path.unlink()
    assert same(on_disk(folder), alone)
    assert not same(alone, learned_alone(MAILS))
    assert first.exists()
    assert answer


@pytest.mark.skipif(not FUZZ, reason="make fuzz")
def test_memory_does_not_grow_under_refusals(fuzzed):
    asking, _ = fuzzed
    from resource import RUSAGE_SELF, getrusage

    wrong = json.dumps({"instances": [{"a": "x" * 100_000}] * 100}).encode()[:-1]
    for number in range(2_000):
        if number == 500:
            before = getrusage(RUSAGE_SELF).ru_maxrss
        assert asking.raw("POST", "/v1/models/spam:predict", wrong)[0] == 400
    assert getrusage(RUSAGE_SELF).ru_maxrss < before + 50_000

"""Names of features: hashes agree with scikit-learn's, dictionaries with Python's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.utils import murmurhash3_32

from rosenblatt.kernels.text.hashing import murmur3
from rosenblatt.readers.names import Hashed, Kept, Numbered, from_header


@given(st.binary(max_size=40), st.integers(0, 2**32 - 1))
def test_murmur3_is_scikit_learns(text, seed):
    ours = murmur3(np.frombuffer(text, np.uint8), 0, len(text), seed)
    assert ours == murmurhash3_32(text, seed=seed, positive=True)


def test_hashed_names_know_namespaces_and_numbers():
    names = Hashed(20)
    mask = 2**20 - 1
    user = murmurhash3_32(b"user", positive=True)
    expected = [murmurhash3_32(b"id", seed=user, positive=True) & mask, (user + 17) & mask, 17]
    assert names.columns(["user^id", "user^17", "17"]).tolist() == expected


@given(st.lists(st.lists(st.text(max_size=6), max_size=40), max_size=5))
def test_kept_names_are_a_dictionary(batches):
    names, known = Kept(), {}
    for batch in batches:
        expected = [known.setdefault(name, len(known)) for name in batch]
        assert names.columns(batch).tolist() == expected
    assert [names.name(k) for k in range(names.n_features)] == list(known)
    again = from_header(names.header(), names.arrays())
    again.frozen = True
    assert again.columns([*known, "not there before"]).tolist() == [*range(len(known)), -1]


def test_kept_names_grow():
    names, many = Kept(), [f"feature {k} " + "x" * (k % 50) for k in range(20_000)]
    assert names.columns(many).tolist() == list(range(20_000))
    assert names.columns(many[::-1]).tolist() == list(range(20_000))[::-1]
    assert names.name(19_999) == many[-1]


def test_numbered():
    names = Numbered()
    assert names.columns(["3", "0"]).tolist() == [3, 0]
    assert names.n_features == 4
    names.frozen = True
    assert names.columns(["9", "1"]).tolist() == [-1, 1]
    with pytest.raises(ValueError, match="'age' is not a number"):
        names.columns(["age"])
    with pytest.raises(ValueError, match="hash the numbers"):
        names.columns(["99999999999999999999"])


@pytest.mark.parametrize(
    ("header", "arrays"),
    [
        ({"kind": "hashed", "bits": 99, "hash": "murmur3_32"}, {}),
        ({"kind": "hashed", "bits": 18, "hash": "crc"}, {}),
        ({"kind": "kept", "n_features": 1}, {}),
        ({"kind": "numbered", "n_features": -1}, {}),
        (
            {"kind": "kept", "n_features": 2},
            {"letters": np.frombuffer(b"aa", np.uint8), "ends": np.array([1, 2])},
        ),
        (
            {"kind": "kept", "n_features": 2},
            {"letters": np.frombuffer(b"ab", np.uint8), "ends": np.array([2, 1])},
        ),
        (
            {"kind": "kept", "n_features": 1},
            {"letters": np.frombuffer(b"ab", np.uint8), "ends": np.array([99])},
        ),
        (
            {"kind": "kept", "n_features": 3},
            {"letters": np.zeros(5, np.uint8), "ends": np.array([2**62 + 10, -(2**62), 5])},
        ),
    ],
)
def test_damaged_names_are_refused(header, arrays):
    with pytest.raises(ValueError, match=r"damaged|not known|bits"):
        from_header(header, arrays)

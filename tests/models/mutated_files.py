"""Load mutated model files: each gives an error that says so, or a model that does no harm.

    python mutated_files.py COUNT SEED [FOLDER]

It runs by itself, so that a crash in compiled code is noticed and ends nothing else. It prints how
many files were refused, how many gave a model, and what became of these.
"""

import copy
import json
import os
import sys
import tempfile
import tracemalloc
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from rosenblatt import SequenceTagger
from rosenblatt.models import ModelFileError, load
from rosenblatt.persist import container

GOLDEN = Path(__file__).with_name("golden")
CAP = 1 << 20
# What nothing that loads a file may do.
FORBIDDEN = ("compile", "exec", "import", "os.", "subprocess.", "pickle.", "socket.", "ctypes.")
ALLOWED = ("os.listdir", "os.scandir")
watching, caught = False, []


def watch(event, args):
    if watching and event.startswith(FORBIDDEN) and event not in ALLOWED:
        caught.append((event, args))


# --- changes to the bytes, which a checksum notices


def flip(rng, raw, others):
    for at in rng.integers(len(raw), size=rng.integers(1, 9)):
        raw[at] ^= 1 << rng.integers(8)


def cut(rng, raw, others):
    del raw[rng.integers(len(raw)) :]


def insert(rng, raw, others):
    at = rng.integers(len(raw) + 1)
    raw[at:at] = rng.bytes(rng.integers(1, 40))


def remove(rng, raw, others):
    at = rng.integers(len(raw))
    del raw[at : at + rng.integers(1, 40)]


def overwrite(rng, raw, others):
    at, size = rng.integers(len(raw)), rng.integers(1, 60)
    raw[at : at + size] = rng.choice([bytes(size), b"\xff" * size, rng.bytes(size)])


def lengthen(rng, raw, others):
    lengths = [0, 1, 7, len(raw), len(raw) - 8, 2**26, 2**31, 2**63, 2**64 - 1]
    raw[:8] = int(rng.choice(np.array(lengths, np.uint64))).to_bytes(8, "little")


def shift_length(rng, raw, others):
    length = int.from_bytes(raw[:8], "little") + int(rng.integers(-20, 20))
    raw[:8] = max(length, 0).to_bytes(8, "little")


def splice(rng, raw, others):
    other = others[rng.integers(len(others))]
    at = rng.integers(min(len(raw), len(other)))
    raw[at:] = other[at:]


def digits(rng, raw, others):
    end = 8 + int.from_bytes(raw[:8], "little")
    places = [k for k in range(8, end) if 48 <= raw[k] <= 57]
    for at in rng.choice(places, size=rng.integers(1, 4)):
        raw[at] = int(rng.integers(48, 58))


def nest(rng, raw, others):
    end = 8 + int.from_bytes(raw[:8], "little")
    deep = rng.choice([b"[", b'{"a":']) * int(rng.integers(10, 20_000))
    at = rng.integers(8, end)
    raw[at:at] = deep
    raw[:8] = (end - 8 + len(deep)).to_bytes(8, "little")


BYTES = [flip, flip, cut, insert, remove, overwrite, lengthen, shift_length, splice, digits, nest]


# --- changes to the content, with checksums that are right


def strange(rng, header):
    """Return a value that has no business where it is put."""
    values = [
        None, True, False, 0, 1, -1, 2, 3, 7, 2**31, 2**53, 2**62, 2**63, 10**30, -(2**40), 0.5,
        -1e308, "", "a", "inverse", "F", "hamming", "vote", "random", "é\ud800", [], [1], [[0, 1]],
        {}, {"is": "array"}, {"is": "array", "at": "coef_"}, {"is": "float", "value": "nan"},
        {"is": "float", "value": "inf"}, {"is": "tuple", "items": []}, {"is": "dtype", "name": "O"},
        {"is": "os.system", "items": ["true"]}, {"is": "perceptron.State"}, "__import__('os')",
        {"is": "array", "at": "coef_", "order": "F"}, {"is": "scalar", "dtype": "<i8", "value": 5},
        {"is": "objects", "items": ["a", "b"], "shape": [2]}, {"is": "dict", "items": {}},
    ]  # fmt: skip
    if rng.random() < 0.4:  # something from elsewhere in the same header
        places = list(walk(header))
        where, key = places[rng.integers(len(places))]
        return copy.deepcopy(where[key])
    return values[rng.integers(len(values))]


def walk(value):
    """Yield every place in a header."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inside in items:
        yield value, key
        if isinstance(inside, dict | list):
            yield from walk(inside)


def change_header(rng, header, arrays):
    parts = {key: header[key] for key in ("kind", "params", "fitted", "extra") if key in header}
    for _ in range(rng.integers(1, 3)):
        places = list(walk(parts))
        where, key = places[rng.integers(len(places))]
        choice = rng.random()
        if choice < 0.1:
            where.pop(key)
        elif choice < 0.3 and isinstance(where[key], int | float):
            where[key] += [1, -1, 10**6, -(10**6)][rng.integers(4)]
        else:
            where[key] = strange(rng, parts)
    header.update(parts)


def change_values(rng, header, arrays):
    for _ in range(rng.integers(1, 4)):
        array = arrays[str(rng.choice(list(arrays)))]
        if array.size:
            info = np.iinfo(array.dtype) if array.dtype.kind in "iu" else None
            worst = [-1, 1, array.size, 2**31 - 1, 10**9] if info else [np.nan, np.inf, -1e308, 0]
            worst += [info.min, info.max] if info else [-1.0, 1e-320, 3.0]
            with np.errstate(all="ignore"):
                at, value = rng.integers(array.size), worst[rng.integers(len(worst))]
                array.reshape(-1)[at] = np.asarray(value).astype(array.dtype)


def change_arrays(rng, header, arrays):
    name = str(rng.choice(list(arrays)))
    array = arrays[name]
    kinds = [np.float32, np.float64, np.int32, np.int64, np.uint8, np.bool_, np.uint64]
    with np.errstate(all="ignore"):
        changes = [
            lambda: array[:-1] if array.ndim else array,
            lambda: np.concatenate([array, array[-1:]]) if array.ndim else array,
            lambda: array.T,
            lambda: array.reshape(-1),
            lambda: array[None],
            lambda: array[..., :-1] if array.ndim else array,
            lambda: array.astype(kinds[rng.integers(len(kinds))]),
            lambda: np.zeros((0, 2**40)),
            lambda: array[:0] if array.ndim else array,
            lambda: array[::-1] if array.ndim else array,
            lambda: arrays[str(rng.choice(list(arrays)))],
            lambda: rng.integers(-3, 100, array.shape),
        ]
        arrays[name] = np.ascontiguousarray(changes[rng.integers(len(changes))]())


CONTENT = [change_header, change_header, change_values, change_arrays]


def change_table(rng, path):
    """Change where the arrays lie and what they are, alike in the table and in the header."""
    raw = path.read_bytes()
    length = int.from_bytes(raw[:8], "little")
    table = json.loads(raw[8 : 8 + length])
    header = json.loads(table.pop("__metadata__")["rosenblatt"])
    if table:
        name = str(rng.choice(list(table)))
        sides = [0, 1, 2, 3, -1, 2**31, 2**40, 2**61, 10**30, 1.5, None, "3"]
        shape = [sides[k] for k in rng.integers(len(sides), size=rng.integers(0, 4))]
        ends = [int(k) for k in rng.integers(-9, len(raw) + 9, size=2)]
        key, value = [
            ("shape", shape),
            ("dtype", str(rng.choice(["F64", "F32", "I64", "U8", "BOOL", "F16", "O", ""]))),
            ("data_offsets", ends),
            ("data_offsets", [0, 2**62]),
        ][rng.integers(4)]
        table[name][key] = value
        if key != "data_offsets" and rng.random() < 0.9:
            header["arrays"][name][key] = value
    header["crc32"] = container._checksum(header)
    front = json.dumps({**table, "__metadata__": {"rosenblatt": json.dumps(header)}}).encode()
    path.write_bytes(len(front).to_bytes(8, "little") + front + raw[8 + length :])


# --- the trial


def attempt(path):
    """Load a file, watching what it does; return the model, or None if it is refused."""
    global watching
    tracemalloc.start()
    watching = True
    try:
        return load(path)
    except ModelFileError as error:
        text = str(error)
        assert text.startswith(f"cannot load {path}: "), text
        assert "\n" not in text, text
        assert len(text) < 600, text
        return None
    finally:
        watching = False
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        size = path.stat().st_size
        assert most <= 4 * size + CAP, (most, size)
        assert not caught, caught


def use(model, tally):
    """Predict and go on learning: whatever is wrong must be said by an exception."""
    if not hasattr(model, "n_features_in_"):
        return
    if isinstance(model, SequenceTagger):
        use_tagger(model, tally)
        return
    shape = 3, model.n_features_in_
    # Where the rows in a file are sparse, it may say that there are any number of features.
    many = shape[1] > 10**5
    rows = sp.csr_matrix(shape) if many else np.linspace(-2, 2, 3 * shape[1]).reshape(shape)
    labels = model.classes_[:3] if hasattr(model, "classes_") else np.arange(3.0)
    labels = labels[np.arange(3) % len(labels)]
    calls = [("predict", (rows,)), ("predict_proba", (rows,)), ("partial_fit", (rows, labels))]
    for method, args in [*calls, ("predict", (rows,))]:
        try:
            getattr(model, method)(*args)
            tally[method] += 1
        except (ValueError, TypeError, AttributeError, ArithmeticError, MemoryError) as error:
            tally[f"{method}: {type(error).__name__}"] += 1


def use_tagger(model, tally):
    """Tag, and look at what there is: whatever is wrong must be said by an exception."""
    words = ["the", "old", "man", "New", "York", "späm", "", "x" * 50]
    columns = {str(name): words for name in model.feature_names_in_}
    groups = [0, 0, 0, 0, 0, 1, 1, 2]
    tag = model.classes_[-1]
    calls = [("predict", (columns, groups)), ("token_confidence", (columns, groups))]
    for method, args in [*calls, ("features_of", (tag,)), ("predict", (columns, groups))]:
        try:
            getattr(model, method)(*args)
            tally[method] += 1
        except (ValueError, TypeError, AttributeError, ArithmeticError, MemoryError) as error:
            tally[f"{method}: {type(error).__name__}"] += 1


def main(count, seed, golden=GOLDEN):
    os.fsync = lambda descriptor: None  # nobody will pull the plug
    warnings.simplefilter("ignore")
    sys.addaudithook(watch)
    rng = np.random.default_rng(seed)
    files = sorted(golden.glob("*.model"))
    contents, tally = [path.read_bytes() for path in files], Counter()
    folder = Path(tempfile.mkdtemp())
    path = folder / "mutated.model"
    for file in files:  # so that everything is imported and compiled
        use(load(file), Counter())
    for number in range(count):
        which = rng.integers(len(files))
        if number % 2:
            raw = bytearray(contents[which])
            BYTES[rng.integers(len(BYTES))](rng, raw, contents)
            path.write_bytes(raw)
        else:
            raw = None
            path.write_bytes(contents[which])
            if rng.random() < 0.25:
                change_table(rng, path)
            else:
                header, arrays = container.read(path)
                if arrays:
                    CONTENT[rng.integers(len(CONTENT))](rng, header, arrays)
                container.write(path, header, arrays)
        model = attempt(path)
        if model is None:
            tally["refused"] += 1
        else:
            # A change to the bytes is always noticed; one to the content may make another model.
            assert raw is None or means_the_same(raw, contents), f"file {number} passed"
            tally["models"] += 1
            use(model, tally)
    path.unlink()
    folder.rmdir()
    print(json.dumps(tally))


def means_the_same(raw, contents):
    """Say whether the bytes of a file differ from a known one's in how they say the same only."""
    return any(front_of(raw) == front_of(known) for known in contents)


def front_of(raw):
    table = json.loads(raw[8 : 8 + int.from_bytes(raw[:8], "little")])
    return table, json.loads(table.pop("__metadata__")["rosenblatt"])


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]), *map(Path, sys.argv[3:]))

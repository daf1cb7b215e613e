"""Loops that are compiled ahead: recorded, compiled in processes, brought along by a wheel."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from itertools import count
from pathlib import Path
from time import perf_counter, sleep
from typing import NamedTuple

import numba
import numpy as np
import pytest

from rosenblatt.kernels import compile_cache, jit, signatures, warm_up
from rosenblatt.kernels.levels import level
from rosenblatt.kernels.overflow import finite
from rosenblatt.kernels.warm_up import Common, Signature
from rosenblatt.learners.blocks import in_turn
from rosenblatt.readers import chunks
from tests.readers.back import stream_of

ROOT = Path(__file__).parents[2]


def load_script(folder, name):
    sys.path.insert(0, str(ROOT / folder))
    try:
        spec = importlib.util.spec_from_file_location(
            f"script_{name}", ROOT / folder / f"{name}.py"
        )
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(ROOT / folder))
    return module


class Pair(NamedTuple):
    """Two things."""

    first: object
    second: object


@pytest.mark.parametrize(
    "value",
    [1, 1.5, True, None, np.float32(1), np.int32(1), np.ones(2), np.ones((2, 3))[:, ::2],
     np.asfortranarray(np.ones((2, 3), np.float32)), np.frombuffer(b"abcdefgh", np.uint8),
     (1, 2.0), (1, 1), (), Pair(1, 2), Pair(np.ones(2), (None, Pair(1.0, 2.0)))],
    ids=str,
)  # fmt: skip
def test_types_are_read_as_they_were_written(value):
    kind = numba.typeof(value)
    text = signatures.spell(signatures.key_of(value))
    again = signatures.read(json.loads(json.dumps(text)))
    assert again == kind
    assert str(again) == str(kind)


def test_what_has_no_text_is_an_error():
    class Local(NamedTuple):
        one: int

    swapped = np.ones(2, ">f8" if sys.byteorder == "little" else "<f8")
    for value in ("text", np.ones(2, "U3"), swapped, Local(1), (1, "text")):
        with pytest.raises(TypeError, match="no text for signatures with"):
            signatures.spell(signatures.key_of(value))
    with pytest.raises(TypeError, match="take numbers and arrays, not Loop"):
        signatures.key_of(finite)


def test_equal_keys_are_equal_types():
    assert signatures.key_of(np.ones(3)) == signatures.key_of(np.zeros(5))
    assert signatures.key_of(1) == signatures.key_of(np.int64(1)) != signatures.key_of(2**63)
    assert signatures.key_of(True) != signatures.key_of(1)
    mapped = np.ones(3).view(np.memmap)
    assert signatures.key_of(mapped) == signatures.key_of(np.ones(3))


def test_the_list_names_functions_that_there_are():
    known = warm_up.common()
    assert len(known.signatures) > 50
    for signature in known.signatures:
        loop = signature.loop()
        assert isinstance(loop, jit.Loop)
        assert len(signature.types) == loop.py_func.__code__.co_argcount
        assert all(map(signatures.read, signature.types))
    for run, numbers in known.runs.items():
        assert numbers <= set(range(len(known.signatures))), run


def test_a_list_that_cannot_be_read_is_empty(monkeypatch, tmp_path):
    monkeypatch.setattr(warm_up, "LIST", tmp_path / "none.json")
    warm_up.common.cache_clear()
    try:
        assert warm_up.common() == Common((), {})
    finally:
        warm_up.common.cache_clear()


def test_processes_compile_and_name_the_entries():
    known = warm_up.common().signatures
    numbers = [k for k, each in enumerate(known) if "overflow" in each.function][:2] or [0, 1]
    reported = []
    names = warm_up.warm_up(numbers, reported.append, workers=1)
    assert names == {k: known[k].entry()[1] for k in numbers}
    assert reported == list(names.values())
    assert warm_up.missing(numbers) == []


def test_what_cannot_be_compiled_is_left_out():
    """And those after it are compiled all the same."""
    known = warm_up.common().signatures
    number = min(range(len(known)), key=lambda k: len(repr(known[k])))
    assert warm_up.warm_up([10**9, number], workers=1) == {number: known[number].entry()[1]}


@pytest.fixture
def announcing(monkeypatch):
    """Four loops of which none is compiled, in two runs, and nothing is compiled in fact."""
    calls = [("m:finite", (kind,)) for kind in ("float64", "float32")]
    known = [Signature("m:f", (str(k),)) for k in range(4)]
    known += [Signature(*call) for call in calls]
    runs = {"long": frozenset(range(6)), "short": frozenset([4, 0, 1, 2]), "other": frozenset([3])}
    monkeypatch.setattr(warm_up, "common", lambda: Common(tuple(known), runs))
    monkeypatch.setattr(warm_up, "is_there", lambda signature: False)
    monkeypatch.setattr(warm_up, "cores", lambda: 2)
    monkeypatch.setattr(warm_up, "_told", set())
    compiled = []
    monkeypatch.setattr(warm_up, "warm_up", compiled.append)
    return calls, compiled


def test_it_says_what_is_compiled_and_compiles_what_runs_like_this_need(announcing, capsys):
    calls, compiled = announcing
    assert warm_up.likely(calls[:1]) == {4, 0, 1, 2}
    assert warm_up.likely(calls) == set(range(6))
    warm_up.announce(calls[:1])
    assert capsys.readouterr().err == "compiling 4 loops, once, about 4 s\n"
    assert [sorted(numbers) for numbers in compiled] == [[0, 1, 2, 4]]
    warm_up.announce(calls[:1])
    assert capsys.readouterr().err == ""  # it was said
    warm_up.announce(calls)
    assert capsys.readouterr().err.startswith("compiling 6 loops")  # which no line was about


def test_a_loop_that_is_not_common_is_announced_alone(announcing, capsys):
    calls, compiled = announcing
    warm_up.announce([*calls, ("m:finite", ("int8",))])
    assert capsys.readouterr().err.startswith("compiling 2 loops, once, about 4 s")
    assert not compiled


def test_nothing_is_said_to_pipes_and_files(monkeypatch):
    class Watched:
        def isatty(self):
            return True

    assert not jit.is_interactive()
    monkeypatch.setattr(sys, "stderr", Watched())
    assert jit.is_interactive()
    monkeypatch.setattr(sys, "stderr", None)
    assert not jit.is_interactive()


def test_time_does_not_pass_while_it_compiles(monkeypatch):
    clock = count()
    monkeypatch.setattr(jit, "perf_counter", lambda: next(clock))
    monkeypatch.setattr(jit.waiting, "seconds", 0.0)
    function = jit.Loop(lambda x: x + 1, ROOT, {})
    function.__qualname__ = "increment"
    monkeypatch.setattr(compile_cache, "read", lambda *_: None)
    monkeypatch.setattr(compile_cache, "write", lambda *_: None)
    assert jit.working_time() == 0.0
    assert function(1) == 2  # from 1 to 2 o'clock
    assert jit.waiting.seconds == 1.0
    assert jit.working_time() == 3.0 - 1.0
    assert function(1) == 2
    assert jit.working_time() == 4.0 - 1.0


def parsed(function):
    """Have threads call a function for each chunk of a stream, as readers do."""
    stream = stream_of(b"1\n" * (3 << 19))
    return [result for result, _ in chunks.in_order(stream, "float64", lambda _: function(1))]


@pytest.mark.parametrize(
    "use", [parsed, lambda function: list(in_turn(function, [1, 1]))], ids=["readers", "learners"]
)
def test_nor_while_threads_that_are_waited_for_compile(monkeypatch, use):
    """Whichever of them compiles: another may come first, and wait for that."""
    monkeypatch.setattr(jit.Loop, "_load", lambda *_: None)
    monkeypatch.setattr(jit.Loop, "compile", lambda self, _: sleep(0.5) or self.py_func)
    function = jit.Loop(lambda x: x + 1, ROOT, {})
    function.__qualname__ = "increment"
    began, working = perf_counter(), jit.working_time()
    assert set(use(function)) == {2}
    assert perf_counter() - began >= 0.5
    assert jit.working_time() - working < 0.25


def test_entries_of_a_wheel_are_used_if_they_are_whole(monkeypatch, tmp_path):
    shipped, source = tmp_path / "compiled", tmp_path / "source"
    shipped.mkdir()
    source.mkdir()
    monkeypatch.setattr(compile_cache, "SHIPPED", shipped)
    name = f"test-{os.getpid()}{compile_cache.END}"
    assert compile_cache.read(source, name) is None
    (shipped / name).write_bytes(compile_cache.sealed(name, b"code"))
    assert compile_cache.read(source, name) == b"code"
    (shipped / name).write_bytes(compile_cache.sealed(name, b"code")[:-1] + b"!")
    assert compile_cache.read(source, name) is None
    (shipped / name).write_bytes(compile_cache.sealed("other", b"code"))
    assert compile_cache.read(source, name) is None
    before = sorted(shipped.iterdir())
    compile_cache.write(source, name, b"new", "test-")
    assert compile_cache.read(source, name) == b"new"
    assert sorted(shipped.iterdir()) == before


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no owners here")
def test_a_wheels_entries_may_be_written_by_whom_its_sources_may(monkeypatch, tmp_path):
    """Where the usual permissions let a group write, so do those of what pip installs."""
    shipped, source = tmp_path / "kernels" / "compiled", tmp_path / "source"
    shipped.mkdir(parents=True)
    monkeypatch.setattr(compile_cache, "SHIPPED", shipped)
    (shipped / "a.code").write_bytes(compile_cache.sealed("a.code", b"code"))
    (shipped / "a.code").chmod(0o664)
    shipped.chmod(0o775)
    shipped.parent.chmod(0o755)
    assert compile_cache.read(source, "a.code") is None
    shipped.parent.chmod(0o775)
    assert compile_cache.read(source, "a.code") == b"code"
    (shipped / "a.code").chmod(0o666)
    assert compile_cache.read(source, "a.code") is None


def test_another_numba_looks_for_other_entries(monkeypatch):
    names = set()
    for runtime in ("cpython-311 0.61.0 0.44.0", "cpython-311 0.61.1 0.44.0", "cpython-312 0.61.0"):
        monkeypatch.setattr(jit, "runtime", lambda runtime=runtime: runtime)
        names.add(finite.entry_name(("float64",)))
    assert len(names) == 3


def test_the_version_of_numba_is_known_without_importing_it(monkeypatch):
    assert jit.numba_version() == numba.__version__
    monkeypatch.setattr(Path, "read_text", lambda *_: "version = 'unknown'")
    assert jit.numba_version() == numba.__version__


RUNS = load_script("docs", "signatures")


# Commands in one process call what they call in one each, and it starts once.
EACH = """
import sys
from rosenblatt.cli.main import app

for command in sys.argv[1:]:
    assert not app(command.split(), standalone_mode=False)
    print(command)
"""


def recorded(commands, tmp_path):
    """What commands call loops with."""
    (tmp_path / "record").mkdir()
    (tmp_path / "record" / "sitecustomize.py").write_text(RUNS.RECORD)
    for name, text in RUNS.FILES.items():
        (tmp_path / name).write_text(text)
    for call in RUNS.record([EACH, *commands], tmp_path, tmp_path / "calls"):
        function, *kinds = json.loads(call)
        yield Signature(function, tuple(kinds))


def commands_by_file():
    """All commands of the recorded runs, by the file that they are about."""
    found = {}
    for run, commands in RUNS.command_runs().items():
        file = "text conll" if run.startswith("tag") else run.partition(" ")[2]
        found.setdefault(file, []).extend(commands)
    return found


@pytest.mark.parametrize(
    "file",
    [
        pytest.param(file, marks=[] if file == "two csv" else pytest.mark.slow)
        for file in commands_by_file()
    ],
)
def test_the_list_is_up_to_date(file, tmp_path):
    """Otherwise: ``python docs/signatures.py``."""
    known = {repr(each) for each in warm_up.common().signatures}
    called = list(recorded(commands_by_file()[file], tmp_path))
    assert called
    assert [each for each in called if repr(each) not in known] == []


@pytest.mark.slow
def test_a_wheel_compiles_nothing(tmp_path, monkeypatch):
    wheels, startup = load_script("packaging", "wheels"), load_script("benchmarks", "startup")
    # For this processor only, with what is compiled already: all of it anew takes minutes.
    known = warm_up.common().signatures
    warm_up.warm_up(warm_up.missing(range(len(known))))
    names = {k: signature.entry()[1] for k, signature in enumerate(known)}
    monkeypatch.setattr(wheels, "LEVELS", dict.fromkeys(wheels.LEVELS, level()[:1]))
    monkeypatch.setattr(wheels.warm_up, "warm_up", lambda numbers, **environment: names)
    wheels.main(tmp_path)
    (wheel,) = tmp_path.glob("*-cp*.whl")
    (pure,) = tmp_path.glob("*-none-any.whl")
    assert pure.stat().st_size < wheel.stat().st_size < wheels.MOST
    chosen = ("README", "separate", "train two", "tag")
    found = startup.measure(wheel, chosen, repeat=0)
    assert len(found) > 12
    assert {title: names for title, (_, names) in found.items() if names} == {}
    # The count counts: with the other wheel all is compiled.
    _, names = startup.measure(pure, ("separate two.svm",), repeat=0)["separate two.svm"]
    assert len(names) > 4


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_terminal_is_told_while_something_is_compiled(tmp_path):
    import pty

    (tmp_path / "two.svm").write_text(RUNS.FILES["two.svm"])
    main, terminal = pty.openpty()
    # Code with checks is compiled anew, as the cache is empty.
    env = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "rosenblatt", "separate", "two.svm"]
    for expected in (1, 0):
        subprocess.run(command, env=env, cwd=tmp_path, stderr=terminal, check=True, timeout=300)
        os.write(terminal, b"END")
        told = b""
        while not told.endswith(b"END"):
            told += os.read(main, 1000)
        lines = re.findall(rb"compiling (a|\d+) loops?, once, about \d+ s", told)
        assert len(lines) == told.count(b"compiling ")
        assert bool(lines) == bool(expected)
        if expected:  # nothing is compiled without a word
            compiled = len(list((tmp_path / "cache").rglob("*.code")))
            assert compiled <= sum(1 if n == b"a" else int(n) for n in lines)

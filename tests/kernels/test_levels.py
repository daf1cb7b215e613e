"""Loops are compiled for a level of processors, and nobody else's are."""

import os
import platform
import subprocess
import sys

import numba
import pytest
from llvmlite import binding

from rosenblatt.kernels import compiler, levels
from rosenblatt.kernels.overflow import finite

X86 = platform.machine().lower() in ("x86_64", "amd64")
V2, V3, V4 = levels.X86_LEVELS.values()

# Compiles a loop that sums in lanes, on a processor of another name with a feature more, and prints
# where the code would be kept, and a digest of the code.
COMPILE = """
import hashlib, sys
from llvmlite import binding

name, extra = sys.argv[1:3]
if name != "this":
    features = binding.get_host_cpu_features()
    features[extra] = not features.get(extra)
    binding.get_host_cpu_name = lambda name=name: name
    binding.get_host_cpu_features = lambda: features

import numpy as np
from rosenblatt.data.rows import Dense
from rosenblatt.kernels.margins import score_rows
from rosenblatt.kernels.signatures import key_of, read, spell

x = np.ones(9)
types = tuple(spell(key_of(each)) for each in (Dense(np.ones((2, 9))), 0, 2, x, x))
name, dispatcher = score_rows.entry_name(types), score_rows.resolve()
dispatcher.compile(tuple(map(read, types)))
(compiled,) = dispatcher.overloads.values()
code = compiled.library.get_asm_str()
print(name, hashlib.sha256(code.encode()).hexdigest(), "zmm" in code, "ymm" in code)
"""


def test_the_highest_level_whose_features_are_all_there():
    def highest(*features, avx=True):
        return levels.highest_x86(dict.fromkeys(features, True), avx)

    assert highest() == "x86-64"
    assert highest(*V2) == "x86-64-v2"
    assert highest(*V2, *V3[1:]) == "x86-64-v2"
    assert highest(*V2, *V3, *V4[1:], "avx512vnni") == "x86-64-v3"
    assert highest(*V3, *V4) == "x86-64"
    assert highest(*V2, *V3, *V4) == "x86-64-v4"
    assert highest(*V2, *V3, *V4, avx=False) == "x86-64-v2"


def compile_on(name, extra="", **environment):
    command = [sys.executable, "-c", COMPILE, name, extra]
    env = {**os.environ, "PYTHONHASHSEED": "0", **environment}  # Numba puts sets into names
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.skipif(not X86, reason="levels of x86-64")
def test_the_level_decides_the_code_not_the_processors_name():
    assert compile_on("this") == compile_on("icelake-server", "avx512vbmi")


@pytest.mark.skipif(not X86, reason="levels of x86-64")
@pytest.mark.slow
def test_code_can_be_compiled_for_every_level():
    """Whether or not this processor could run it."""
    entries = [compile_on("this", NUMBA_CPU_NAME=name) for name in levels.X86_LEVELS]
    assert len({name for name, *_ in entries}) == len({code for _, code, *_ in entries}) == 3
    # The lower ones keep to their registers.
    assert [wide for *_, wide, _ in entries[:2]] == ["False", "False"]
    assert [wide for *_, wide in entries] == ["False", "True", "True"]


def test_code_for_others_is_for_this_processor():
    @numba.njit
    def twice(x):
        return 2 * x

    assert twice(1.5) == 3.0
    (theirs,) = twice.overloads.values()
    assert not isinstance(theirs.library.codegen, compiler.LevelCodegen)
    assert theirs.library.codegen.magic_tuple()[1] == (
        numba.config.CPU_NAME or binding.get_host_cpu_name()
    )
    ours = finite.resolve()
    ours.compile((numba.float64,))
    assert {type(each.library.codegen) for each in ours.overloads.values()} == {
        compiler.LevelCodegen
    }


SORT = """
import numba
import numpy as np
from rosenblatt.kernels import compiler

def order(x):
    return np.argsort(x, kind="mergesort")

before = compiler.twin.cache_info().currsize
function = numba.njit(_target=compiler.NAME)(order)
print(function(np.array([3, 1, 2])).tolist(), compiler.twin.cache_info().currsize > before)
"""


def test_numbas_own_loops_are_compiled_for_the_level():
    """NumPy's sort is a loop that Numba declares for the processor: its twin is used instead.

    In a process of its own, as another test may have sorted before.
    """
    done = subprocess.run([sys.executable, "-c", SORT], capture_output=True, text=True, check=True)
    assert done.stdout == "[1, 2, 0] True\n"

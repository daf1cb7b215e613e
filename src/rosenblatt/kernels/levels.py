"""Levels of processors, for which loops are compiled: not the one processor that compiles.

Numba compiles for the processor it runs on, by name. Such code is of no use to another one, and
rounds as this one does: where a name says which instructions are fast, sums are grouped otherwise.
Here code is compiled for the highest level of the x86-64 psABI that the processor has (x86-64-v2,
-v3 or -v4), or for any 64-bit ARM: it runs on every processor of the level, to the same bits.
``NUMBA_CPU_NAME`` and ``NUMBA_CPU_FEATURES`` override the level, as they override the processor in
Numba.
"""

import os
import platform
import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from llvmlite import binding

# What a level has that the one before has not, as LLVM names it.
X86_LEVELS = {
    "x86-64-v2": ("cx16", "popcnt", "sahf", "sse3", "sse4.1", "sse4.2", "ssse3"),
    "x86-64-v3": ("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"),
    "x86-64-v4": ("avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"),
}


def numba_setting(name: str) -> Any:
    """Return one of Numba's settings, without importing Numba if it is not imported yet."""
    if "numba.core.config" in sys.modules or Path(".numba_config.yaml").exists():
        return getattr(import_module("numba.core.config"), name)
    return os.environ.get(f"NUMBA_{name}") or None


@cache
def level() -> tuple[str, str]:
    """Return the processor and the features to compile for, as LLVM names them."""
    name, features = numba_setting("CPU_NAME"), numba_setting("CPU_FEATURES")
    if name is not None or features is not None:
        return name or binding.get_host_cpu_name(), features or ""
    machine = platform.machine().lower()
    if machine in ("x86_64", "amd64"):
        name = highest_x86(dict(binding.get_host_cpu_features()), avx_is_enabled())
    elif machine in ("arm64", "aarch64"):
        name = "generic"
    else:  # as Numba does
        return binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten()
    return name, ""


def avx_is_enabled() -> bool:
    """Say whether Numba's setting allows AVX, as it does where nobody forbids it."""
    return numba_setting("ENABLE_AVX") not in (0, False, "0")


def highest_x86(features: dict[str, bool], avx: bool = True) -> str:
    """Return the highest level whose features are all there, each level having the ones before."""
    highest = "x86-64"
    for name, needed in X86_LEVELS.items():
        if not all(features.get(each) for each in needed) or ("avx" in needed and not avx):
            break
        highest = name
    return highest

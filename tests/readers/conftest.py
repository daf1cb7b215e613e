"""What tests of readers share."""

import os
import subprocess
import sys

import pytest


@pytest.fixture
def file(tmp_path):
    """Return a function that writes bytes or text to a file, and returns its path."""

    def write(content, name="f"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture
def bounded(tmp_path):
    """Return a function that runs a script in a process where compiled code checks its indices."""

    def run(script):
        environment = {
            **os.environ,
            "NUMBA_BOUNDSCHECK": "1",
            "NUMBA_CACHE_DIR": str(tmp_path),
            "PYTHONPATH": os.pathsep.join(["src", "."]),
        }
        command = [sys.executable, "-c", script]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.stdout.splitlines() == ["checks are on", "nothing was outside"], done.stderr

    return run

"""Ten thousand mutated model files: an error or a model each, never a crash, never much memory."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

FILES = 10_000


@pytest.mark.slow
def test_no_mutated_file_does_harm():
    script = Path(__file__).with_name("mutated_files.py")
    command = [sys.executable, str(script), str(FILES), "20"]
    alone = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}  # matrices this small gain nothing by more
    child = subprocess.run(command, capture_output=True, text=True, timeout=600, env=alone)
    assert child.returncode == 0, child.stderr[-3000:]
    tally = json.loads(child.stdout)
    assert tally["refused"] + tally["models"] == FILES
    assert tally["refused"] > FILES // 2  # every change to the bytes, and most to the content
    assert tally["models"] > FILES // 20
    assert tally["predict"] > tally["models"]  # once as loaded, and once after more rows

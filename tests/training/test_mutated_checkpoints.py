"""Mutated checkpoints: each is refused, or training goes on; never a traceback or a crash."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

FILES = int(os.environ.get("ROSENBLATT_FUZZ", 800))


@pytest.mark.slow
def test_no_mutated_checkpoint_does_harm():
    command = [sys.executable, "-m", "tests.training.mutated_checkpoints", str(FILES), "20"]
    child = subprocess.run(
        command, capture_output=True, text=True, timeout=3600, cwd=Path(__file__).parents[2]
    )
    assert child.returncode == 0, child.stderr[-3000:]
    tally = json.loads(child.stdout)
    assert sum(tally.values()) == FILES
    assert tally["not whole"] > FILES // 2  # every change to the bytes, and most to the content
    assert tally["went on"] > FILES // 20

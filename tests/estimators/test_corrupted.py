"""More than a thousand corrupted matrices: an error or a model each, never a crash."""

import subprocess
import sys
from pathlib import Path

import pytest

CASES = 1500


@pytest.mark.slow
def test_no_corrupted_matrix_crashes():
    script = Path(__file__).with_name("corrupted_matrices.py")
    child = subprocess.run(
        [sys.executable, str(script), str(CASES)], capture_output=True, text=True, timeout=300
    )
    assert child.returncode == 0, child.stderr[-3000:]
    learned, rejected = map(int, child.stdout.split())
    assert learned + rejected >= 2 * CASES
    assert min(learned, rejected) > CASES // 10  # both kinds were tried

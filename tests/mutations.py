"""Check that the quick tests notice faults, made one at a time in a copy of the source.

``python tests/mutations.py`` runs, for each fault, the quick tests that should notice it;
``--whole`` runs all that `make test` runs. Names of files, or parts of them, choose some faults.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
LIMIT = 1800  # seconds, after which a run of tests counts as hanging
PYTEST = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow")


class Fault(NamedTuple):
    """A change of a file below ``src/rosenblatt``, and who should notice, below ``tests``."""

    file: str
    old: str
    new: str
    tests: str


FAULTS = (
    # Loops
    Fault(
        "kernels/online/perceptrons.py",
        "add(rows, i, -eta, weights[wrong])",
        "add(rows, i, eta, weights[wrong])",
        "learners/test_oracle.py",
    ),
    Fault(
        "kernels/online/perceptrons.py",
        "score[right] == score[wrong] and right < wrong)",
        "score[right] == score[wrong])",
        "learners/test_oracle.py",
    ),
    Fault(
        "kernels/online/perceptrons.py",
        "late = np.float64(steps + t) * step",
        "late = np.float64(steps + t + 1) * step",
        "learners/test_oracle.py",
    ),
    Fault(
        "kernels/losses.py",
        "return (1 - margin, -y) if margin < 1 else (0.0, 0.0)",
        "return (1 - margin, -y) if margin < 0 else (0.0, 0.0)",
        "learners/test_descent.py",
    ),
    Fault(
        "kernels/descent.py",
        "late = mean.mass[0] * step / scale",
        "late = mean.mass[1] * step / scale",
        "learners/test_descent.py",
    ),
    Fault(
        "kernels/online/adaptive.py",
        "total = parts.sums[k, j] + (slope - (root - before) * rate * w)",
        "total = parts.sums[k, j] + (slope + (root - before) * rate * w)",
        "learners/test_adaptive.py",
    ),
    Fault(
        "kernels/online/standardize.py",
        "columns.squares[c] += off * (x - columns.mean[c])",
        "columns.squares[c] += off * off",
        "stream/test_scaling.py",
    ),
    Fault(
        "kernels/online/standardize.py",
        "np.log((1.0 + seen) / (1.0 + columns.texts[j]))",
        "np.log((1.0 + seen) / (2.0 + columns.texts[j]))",
        "stream/test_word_weights.py",
    ),
    Fault(
        "training/shuffling.py",
        "weights = None if batch.weights is None else batch.weights[order]",
        "weights = batch.weights",
        "training/test_shuffling.py",
    ),
    Fault(
        "kernels/kernel_perceptron.py",
        "return score < 0 if right else score >= 0",
        "return score < 0 if right else score > 0",
        "learners/test_kernel.py",
    ),
    Fault(
        "kernels/viterbi.py",
        "if scores[odd, 0, j] + last[j] > top:",
        "if scores[odd, 0, j] + last[j] >= top:",
        "kernels/test_viterbi.py",
    ),
    # Learners and estimators
    Fault(
        "learners/averaged.py",
        "weights = state.weights - state.total / steps",
        "weights = state.weights - state.total / (steps + 1)",
        "learners/test_oracle.py",
    ),
    Fault(
        "learners/closed_form/naive_bayes.py",
        "state.weight[:, None] + 2 * alpha",
        "state.weight[:, None] + alpha",
        "estimators/test_naive_bayes.py",
    ),
    Fault(
        "passes.py",
        "self.stale >= self.passes",
        "self.stale > self.passes",
        "estimators/test_estimators.py",
    ),
    # Files, one fault a format
    Fault(
        "kernels/text/svmlight_lines.py",
        "if rest or index > most:",
        "if rest or index >= most:",
        "readers/test_svmlight.py",
    ),
    Fault(
        "kernels/text/vw_lines.py",
        "number = values.dtype.type(value * scale)",
        "number = values.dtype.type(value)",
        "readers/test_vw.py",
    ),
    Fault(
        "readers/csv.py",
        "return np.searchsorted(ends, starts), unclosed",
        "return np.searchsorted(ends, starts) + 1, unclosed",
        "readers/test_columns.py",
    ),
    Fault(
        "readers/lines.py",
        "text.removeprefix(BYTE_ORDER_MARK) if number == 1 else text",
        "text",
        "readers/test_jsonl.py",
    ),
    Fault(
        "readers/parquet.py",
        "np.arange(first, first + batch.num_rows)",
        "np.arange(first - 1, first - 1 + batch.num_rows)",
        "readers/test_columns.py",
    ),
    Fault(
        "readers/npy.py",
        "lines = np.arange(start + 1, start + len(values) + 1)",
        "lines = np.arange(1, len(values) + 1)",
        "readers/test_arrays.py",
    ),
    Fault(
        "tagging/conll.py",
        "line += before + 1",
        "line += before",
        "tagging/test_conll.py",
    ),
    # Models, streams and training
    Fault(
        "persist/container.py",
        'if header["crc32"] != _checksum(header):',
        "if False:",
        "persist/test_container.py",
    ),
    Fault(
        "models/consistency.py",
        'need(clean or not model.converged_, "converged_ is true',
        'need(True, "converged_ is true',
        "models/test_contradictions.py",
    ),
    Fault(
        "stream/rules.py",
        "etas = (t + 1) / (curvature * sums) / decay",
        "etas = t / (curvature * sums) / decay",
        "stream/test_classifier.py",
    ),
    Fault(
        "passes.py",
        "else score < min(earlier)",
        "else score <= min(earlier)",
        "training/test_trainer.py",
    ),
    # Theory, tagging and figures
    Fault(
        "theory/bounds.py",
        "-squared / Fraction(answer.margin) ** 2",
        "-squared / Fraction(answer.margin)",
        "theory/test_bounds.py",
    ),
    Fault(
        "tagging/schemes.py",
        'elif to == "iob2" or before == (start, type_):',
        'elif to == "iob2":',
        "tagging/test_schemes.py",
    ),
    Fault(
        "evaluation/metrics.py",
        "recall = right / there if there else 0.0",
        "recall = right / predicted if predicted else 0.0",
        "evaluation/test_metrics.py",
    ),
    # Commands
    Fault(
        "cli/commands/predict.py",
        'options.lines or options.on_error == "skip"',
        "options.lines",
        "cli/test_predict.py",
    ),
    Fault(
        "cli/commands/evaluate.py",
        "right = counted.examples - counted.mistakes",
        "right = counted.examples - counted.mistakes - 1",
        "cli/test_evaluate.py",
    ),
    Fault(
        "cli/commands/trace.py",
        "if tracing.left_out:",
        "if not tracing.left_out:",
        "cli/test_trace.py",
    ),
    # The lab: a fault for each screen, and for who may open it
    Fault(
        "lab/access_key.py",
        "(needed and not origins) or any(",
        "any(",
        "lab/test_access_key.py",
    ),
    Fault(
        "lab/mark1/machine.py",
        "np.column_stack([-scores, scores])",
        "np.column_stack([scores, -scores])",
        "lab/test_mark1.py",
    ),
    Fault(
        "lab/descent/surface.py",
        "0.0 if over.fit_intercept else over.penalty.l2",
        "over.penalty.l2",
        "lab/test_descent_calls.py",
    ),
    Fault(
        "lab/plane/verdicts.py",
        '"separable": proof["kind"] == "separable"',
        '"separable": proof["kind"] != "separable"',
        "lab/test_verdicts.py",
    ),
    Fault(
        "lab/screens/compare.py",
        "if all(frame is None for frame in frames):",
        "if any(frame is None for frame in frames):",
        "lab/test_compare_calls.py",
    ),
    Fault(
        "lab/truth/functions.py",
        'np.searchsorted(places, number, side="right")',
        'np.searchsorted(places, number, side="left")',
        "lab/test_truth.py",
    ),
    Fault(
        "lab/static/js/player.js",
        "if (await this.need(this.at + 1)) this.go(this.at + 1);",
        "if (await this.need(this.at + 1)) this.go(this.at + 2);",
        "lab/test_playground.py",
    ),
    Fault(
        "lab/static/js/truth/truth.js",
        "(k === row ? 1 - output : output)",
        "(k === row ? output : 1 - output)",
        "lab/test_truth_page.py",
    ),
)


def copy_tree(place: Path) -> Path:
    """Copy what git knows of, and what was compiled, so that only faulty loops are compiled."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    ).stdout.decode()
    compiled = (str(path.relative_to(ROOT)) for path in (ROOT / "src").rglob("*.nb[ci]"))
    for name in (*listed.split("\0")[:-1], *compiled):
        if (ROOT / name).is_file():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, place / name)
    return place


def run(tree: Path, tests: list[str], parallel: bool) -> tuple[int, str]:
    """Run tests on a copy up to the first that fails; return pytest's exit code and last lines."""
    data = ROOT.parent / "shared" / "data"
    environment = {"ROSENBLATT_DATA": str(data), **os.environ, "PYTHONPATH": str(tree / "src")}
    command = [*PYTEST, "-x", *(("-n", "3", "--dist=worksteal") if parallel else ()), *tests]
    try:
        done = subprocess.run(
            command, cwd=tree, env=environment, capture_output=True, text=True, timeout=LIMIT
        )
    except subprocess.TimeoutExpired:
        return 124, f"still running after {LIMIT} seconds"
    return done.returncode, "\n".join(done.stdout.splitlines()[-4:])


def main() -> int:
    """Try all faults, or those that were chosen; return how many were missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--whole", action="store_true", help="run all quick tests for each fault")
    parser.add_argument("chosen", nargs="*", help="parts of names of files with faults")
    told = parser.parse_args()
    faults = [f for f in FAULTS if not told.chosen or any(part in f.file for part in told.chosen)]
    missed = 0
    with tempfile.TemporaryDirectory(prefix="mutations") as folder:
        tree = copy_tree(Path(folder))
        tests = [] if told.whole else sorted({f"tests/{fault.tests}" for fault in faults})
        code, last = run(tree, tests, parallel=True)
        if code:
            print(f"the tests fail without a fault, too:\n{last}")
            return 1
        for number, (file, old, new, tests_of) in enumerate(faults, 1):
            path = tree / "src" / "rosenblatt" / file
            text = path.read_text(encoding="utf-8")
            if text.count(old) != 1:
                print(f"{file} has {text.count(old)} times: {old}")
                return 1
            path.write_text(text.replace(old, new), encoding="utf-8")
            began = time.monotonic()
            code, last = run(tree, [] if told.whole else [f"tests/{tests_of}"], told.whole)
            path.write_text(text, encoding="utf-8")
            noticed = code == 1  # others mean that no test was run, or that they did not end
            missed += not noticed
            took = f"{time.monotonic() - began:.0f} s"
            mark = "caught" if noticed else "MISSED"
            print(f"{number:2} {mark} {took:>6}  {file}: {new}", flush=True)
            if not noticed:
                print(f"pytest ended with {code}:\n{last}")
    print(f"{len(faults) - missed} of {len(faults)} faults were caught")
    return missed


if __name__ == "__main__":
    sys.exit(min(main(), 1))

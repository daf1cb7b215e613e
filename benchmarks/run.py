"""Measure Rosenblatt against its peers, side by side in one run, and print ratios.

    python benchmarks/run.py            everything, about twenty minutes
    python benchmarks/run.py sparse     the workloads whose name contains a word
    python benchmarks/run.py --markdown the table as docs/benchmarks.md shows it

Each figure is the median of at least five rounds; in a round the peer and Rosenblatt take turns on
the same data, with the same number of passes, each at its best fair setting.
"""

import argparse
import platform
import subprocess
import sys
import time
import warnings
from functools import partial
from pathlib import Path
from statistics import median

import kernel
import numpy as np
import sklearn
import tagging
from closed_form import centroid_dense, centroid_sparse, discriminant_tall, discriminant_wide
from descent import logistic_sparse, mini_batches, svm_sparse
from files import (
    STREAMS,
    against_vw,
    dicts_against_river,
    peak_memory,
    svmlight_into_csr,
    text_rates,
)
from rich.console import Console
from rich.table import Table
from separability import against_linprog, against_passes, wide_in_a_process
from sklearn.linear_model import Perceptron as SklearnPerceptron
from sklearn.linear_model import SGDClassifier
from workloads import dense_classes, dense_noisy, sparse_text

import rosenblatt
from rosenblatt import AveragedPerceptron, Perceptron, VotedPerceptron

warnings.simplefilter("ignore")
ROUNDS = 5
PASSES = 10


def clock(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def side_by_side(peer, ours, test=None, rounds=ROUNDS):
    """Return the median times of both, which take turns, and their accuracies on other rows."""
    models = peer(), ours()  # compiled, and loaded
    times = [(clock(peer), clock(ours)) for _ in range(rounds)]
    scores = [f"{model.score(*test):.1%}" for model in models] if test else []
    return median(t for t, _ in times), median(t for _, t in times), " / ".join(scores)


def ours(estimator, X, y, passes=PASSES, **options):
    def work():
        model = estimator(max_iter=passes, tol=None, **options).fit(X, y)
        assert model.n_iter_ == passes, "a clean pass ended the comparison early"
        return model

    return work


def sklearn_perceptron(X, y, passes=PASSES, **options):
    return lambda: SklearnPerceptron(max_iter=passes, tol=None, shuffle=True, **options).fit(X, y)


def sklearn_averaged(X, y, passes=PASSES):
    settings = {"loss": "perceptron", "average": True, "learning_rate": "constant", "eta0": 1.0}
    return lambda: SGDClassifier(
        penalty=None, max_iter=passes, tol=None, shuffle=True, **settings
    ).fit(X, y)


def fits():
    """Whole fits against scikit-learn's: name, floor, and a function that measures."""
    for dtype, floor in (("float32", 4), ("float64", 3)):
        yield f"sparse 200,000 × 47,236, {dtype}", floor, fit_against(sparse_text, dtype)
    yield (
        "sparse, averaged, float32",
        4,
        fit_against(sparse_text, "float32", AveragedPerceptron, sklearn_averaged),
    )
    for dtype in ("float32", "float64"):
        yield f"dense 500,000 × 100, {dtype}", 6, fit_against(dense_noisy, dtype)
    for dtype in ("float32", "float64"):
        yield f"10 classes, dense 60,000 × 784, {dtype}", 6, fit_ten_classes(dtype)


def fit_against(data, dtype, estimator=Perceptron, peer=sklearn_perceptron):
    def measure():
        X, y, *test = data(dtype)
        return side_by_side(peer(X, y), ours(estimator, X, y), test)

    return measure


def fit_ten_classes(dtype):
    def measure():
        X, y, *test = dense_classes(dtype)
        jobs = {jobs: clock(sklearn_perceptron(X, y, 1, n_jobs=jobs)) for jobs in (None, -1)}
        best = min(jobs, key=jobs.get)  # scikit-learn's ten fits on one core, or on all
        return side_by_side(
            sklearn_perceptron(X, y, 3, n_jobs=best), ours(Perceptron, X, y, passes=3), test
        )

    return measure


def voting(n_classes=2):
    """Votes of 5,000 mistakes against the matrix product they need: at most three times as long."""
    rng = np.random.default_rng(0)
    X, X_test = rng.standard_normal((20_000, 784)), rng.standard_normal((10_000, 784))
    model = VotedPerceptron()
    for start in range(0, len(X), 50):  # random labels, so about every second row is a mistake
        model.partial_fit(X[start : start + 50], rng.integers(n_classes, size=50))
        if model.n_mistakes_ >= 5000:
            break
    mistakes = X[:5000]
    return side_by_side(lambda: X_test @ mistakes.T, lambda: model.decision_function(X_test))


def bandwidth():
    """Bytes of values and indices a second in the given order, as a share of numpy.sum's."""
    X, y, *_ = sparse_text("float32")
    same = np.ones((X.data.nbytes + X.indices.nbytes) // 4, np.float32)
    one_pass = Perceptron(max_iter=1, tol=None, shuffle=False, warm_start=True)
    for _ in range(3):
        one_pass.fit(X, y)
    from rosenblatt.data.rows import as_rows
    from rosenblatt.learners import online, perceptron

    rows, target = as_rows(X), online.targets(y, 2, np.float32)
    state = online.copy(one_pass._state)
    order = np.arange(len(y))
    times = [
        (clock(same.sum), clock(lambda: perceptron.update(online.copy(state), rows, target, order)))
        for _ in range(15)
    ]
    return median(t for t, _ in times), median(t for _, t in times), same.nbytes


def small_fit():
    """Seconds of a default fit; the labels are noise, so nothing ends it early."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((100, 10)), rng.integers(2, size=100)
    Perceptron().fit(X, y)
    return median(clock(lambda: Perceptron().fit(X, y)) for _ in range(200))


def first_fit():
    """Seconds of a first fit in a fresh process, beyond importing NumPy and scikit-learn."""
    code = (
        "import time, numpy as np, sklearn; start = time.perf_counter();"
        "from rosenblatt import Perceptron; X = np.random.default_rng(0).normal(size=(100, 10));"
        "Perceptron().fit(X, X[:, 0] > 0); print(time.perf_counter() - start)"
    )
    run = [sys.executable, "-c", code]
    times = [float(subprocess.run(run, capture_output=True, check=True).stdout) for _ in range(6)]
    return median(times[1:])


def machine():
    name = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        lines = [line for line in info.read_text().splitlines() if line.startswith("model name")]
        name = f"{len(lines)} cores of {lines[0].split(':')[1].strip()}" if lines else name
    import numba

    return (
        f"{name}; Python {platform.python_version()}, NumPy {np.__version__}, "
        f"scikit-learn {sklearn.__version__}, Numba {numba.__version__}, "
        f"Rosenblatt {rosenblatt.__version__}"
    )


def measurements(word):
    """Yield rows of the table: what, the peer, its time, ours, the result, the floor, is it met."""
    for name, floor, measure in fits():
        if word in name:
            theirs, mine, accuracy = measure()
            ratio = theirs / mine
            peer = "SGDClassifier" if "averaged" in name else "Perceptron"
            yield name, peer, theirs, mine, f"{ratio:.1f}×", f"≥ {floor}×", ratio >= floor, accuracy
    if word in "sparse pass in the given order, bandwidth":
        theirs, mine, size = bandwidth()
        share = theirs / mine
        name = f"sparse pass in the given order ({size / mine / 1e9:.1f} GB/s)"
        yield name, "numpy.sum", theirs, mine, f"{share:.2f}", "≥ 0.8", share >= 0.8, ""
    for n_classes in (2, 10):
        name = f"voting, 5,000 mistakes, {n_classes} classes"
        if word in name:
            theirs, mine, _ = voting(n_classes)
            cost = mine / theirs
            yield name, "X @ M.T", theirs, mine, f"{cost:.2f}×", "≤ 3×", cost <= 3, ""
    if word in "fit 100 × 10, compiled":
        took = small_fit()
        yield "fit 100 × 10, compiled", "", None, took, "", "< 1 ms", took < 1e-3, ""
    if word in "first fit in a fresh process":
        took = first_fit()
        yield "first fit in a fresh process", "", None, took, "", "< 1 s", took < 1, ""
    yield from descents(word)
    yield from kernel_machines(word)
    yield from closed_forms(word)
    yield from answers(word)
    yield from files(word)
    yield from taggers(word)


def descents(word):
    """Yield rows of the table for gradient descent."""
    for name, floor, measure in (
        ("logistic regression, sparse, to its accuracy", 4, logistic_sparse),
        ("linear SVM, sparse, to its accuracy", 3, svm_sparse),
    ):
        if word in name:
            peer, theirs, mine, scores, passes = measure()
            ratio, accuracy = theirs / mine, " / ".join(f"{score:.1%}" for score in scores)
            name = f"{name} ({passes} passes)"
            yield name, peer, theirs, mine, f"{ratio:.1f}×", f"≥ {floor}×", ratio >= floor, accuracy
    for dtype in ("float32", "float64"):
        name = f"mini-batches of 64, dense 60,000 × 784, 10 classes, {dtype}"
        if word in name:
            machine_rate, rate = mini_batches(dtype)
            share = rate / machine_rate
            name = f"{name} ({rate / 1e9:.0f} GFLOP/s)"
            peer = f"A @ A ({machine_rate / 1e9:.0f} GFLOP/s)"
            yield name, peer, None, None, f"{share:.2f}", "≥ 0.5", share >= 0.5, ""


def kernel_machines(word):
    """Yield rows of the table for the kernel perceptron, on handwritten digits."""
    n = kernel.DIGITS
    about = f"kernel perceptron, degree 4, {n:,} digits"
    fit, test = f"{about}, 10 passes", f"{about}, error by vote, average, last"
    test = f"{test}: the better of the first two"
    svms = {f"{about}, against an SVM": kernel.KERNEL["gamma"]}
    svms[f"{about}, against an SVM with γ = {kernel.SUITS_AN_SVM}"] = kernel.SUITS_AN_SVM
    voted = "kernel perceptron, voted prediction of 10,000 digits"
    wanted = [name for name in (fit, test, *svms, voted) if word in name]
    if wanted and kernel.missing():
        print(f"left out: the kernel perceptron; {kernel.missing()}", file=sys.stderr)
        return
    if fit in wanted:
        theirs, mine, _ = kernel.fits(n)
        if theirs is None:
            print(f"left out: {fit}; its sketch is not here", file=sys.stderr)
        else:
            share = mine / theirs
            yield fit, "sketch", theirs, mine, f"{share:.2f}", "≤ 0.7", share <= 0.7, ""
    if test in wanted:
        wrong = kernel.errors(n)
        shown = " / ".join(f"{100 * error:.2f}" for error in wrong.values()) + "%"
        met = min(wrong["vote"], wrong["average"]) <= 0.017
        yield test, "", None, None, shown, "≤ 1.7%", met, ""
    for svm, gamma in svms.items():
        if svm in wanted:
            theirs, mine, (wrong, own) = kernel.against_svm(n, gamma)
            ratio, accuracy = theirs / mine, f"{1 - wrong:.2%} / {1 - own:.2%}"
            met = ratio >= 10 and own <= wrong + 0.003
            yield svm, "SVC", theirs, mine, f"{ratio:.1f}×", "≥ 10×", met, accuracy
    if voted in wanted:
        products = kernel.against_products(n)
        mine = products.pop("ours")
        peer = min(products, key=products.get)
        cost = mine / products[peer]
        yield voted, peer, products[peer], mine, f"{cost:.2f}×", "≤ 4×", cost <= 4, ""


def closed_forms(word):
    """Yield rows of the table for the classifiers in closed form."""
    few = partial(centroid_sparse, n=5_000)
    for name, floor, measure in (
        ("nearest centroid, fit and predict, dense 500,000 × 100, float64", 2, centroid_dense),
        ("nearest centroid, dense, float32", 2, partial(centroid_dense, "float32")),
        ("nearest centroid, sparse 5,000 × 47,236", 2, few),
        ("nearest centroid, sparse 200,000 × 47,236", None, centroid_sparse),
        ("discriminant, dense 500,000 × 100", 1.5, discriminant_tall),
        ("discriminant, 100 × 10,000", 5, discriminant_wide),
    ):
        if word in name:
            peer, theirs, mine, scores = measure()
            ratio, accuracy = theirs / mine, " / ".join(f"{score:.1%}" for score in scores)
            wanted, met = (f"≥ {floor}×", ratio >= floor) if floor else ("", True)
            yield name, peer, theirs, mine, f"{ratio:.1f}×", wanted, met, accuracy


def answers(word):
    """Yield rows of the table for separability."""
    for flips, kind in ((0, "separable, margin 0.1"), (5, "5 labels flipped")):
        name = f"separate 20,000 × 50, {kind}"
        if word in name:
            peer, theirs, mine = against_linprog(flips)
            ratio = theirs / mine
            yield name, peer, theirs, mine, f"{ratio:.0f}×", "≥ 10×", ratio >= 10, ""
    for flips, kind in ((0, "separable"), (5, "5 labels flipped")):
        name = f"separate 1,000,000 × 20, {kind}"
        if word in name:
            theirs, mine = against_passes(flips)
            passes = 20 * mine / theirs
            yield name, "20 passes", theirs, mine, f"{passes:.1f} passes", "≤ 20", passes <= 20, ""
    name = "separate sparse 20,000 × 47,236"
    if word in name:
        took, memory = wide_in_a_process()
        note = f"{memory:.1f}× the data"
        yield name, "", None, took, note, "an answer", True, ""


def taggers(word):
    """Yield rows of the table for the sequence tagger, on CoNLL-2000 and the Web Treebank."""
    if "tagger" in word or not word:
        if tagging.missing():
            print(f"left out: the tagger; {tagging.missing()}", file=sys.stderr)
        else:
            yield from tagging.rows()


def files(word):
    """Yield rows of the table for files and streams."""
    for size, file, rounds, floor in (("1.3 GB", "large", 3, 3), ("9 MB", "short", 9, 1)):
        for passes in (1, 5):
            name = f"text of {size} to a saved model, {passes} pass{'es' * (passes > 1)}"
            if word in name:
                theirs, mine, scores = against_vw(passes, file, rounds)
                ratio, accuracy = theirs / mine, " / ".join(f"{score:.1%}" for score in scores)
                good = ratio >= floor
                yield name, "vw", theirs, mine, f"{ratio:.1f}×", f"≥ {floor}×", good, accuracy
    name = "text of 1.3 GB, peak memory beyond the imports"
    if word in name:
        memory = peak_memory()
        yield name, "", None, None, f"{memory:.0f} MB", "< 300 MB", memory < 300, ""
    name = "svmlight text into CSR, 130 MB"
    if word in name:
        theirs, mine = svmlight_into_csr()
        ratio = theirs / mine
        yield name, "load_svmlight_file", theirs, mine, f"{ratio:.0f}×", "≥ 15×", ratio >= 15, ""
    name = "VW text, 130 MB"
    if word in name:
        theirs, mine = text_rates()
        share = theirs / mine
        yield name, "svmlight text", theirs, mine, f"{share:.2f}", "≥ 0.6", share >= 0.6, ""
    for what, learner, floor in STREAMS:
        name = f"a dict of {what}, predict and learn, {learner}"
        if word in name:
            theirs, mine = dicts_against_river(what, learner)
            ratio = theirs / mine
            yield name, "river", theirs, mine, f"{ratio:.1f}×", f"≥ {floor}×", ratio >= floor, ""


def short(seconds):
    if seconds is None:
        return ""
    if seconds < 1e-4:
        return f"{seconds * 1e6:.2g} µs"
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.3g} ms"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("word", nargs="?", default="", help="only workloads named so")
    parser.add_argument(
        "--markdown", action="store_true", help="print a table for docs/benchmarks.md"
    )
    options = parser.parse_args()
    console = Console(width=None if sys.stdout.isatty() else 120)
    headings = ("workload", "peer", "its time", "ours", "ratio", "floor", "", "accuracy")
    table = Table(title=machine(), title_justify="left", title_style="", padding=0)
    for heading in headings:
        table.add_column(heading, overflow="fold")
    lines = []
    with console.status("") as status:
        status.update("measuring ...")
        for name, peer, theirs, mine, result, floor, met, accuracy in measurements(options.word):
            verdict = "ok" if met else "MISS"
            cells = [name, peer, short(theirs), short(mine), result, floor, verdict, accuracy]
            table.add_row(*cells)
            lines.append("| " + " | ".join(cells) + " |")
            status.update(f"measured: {name} {result}")
    if options.markdown:
        print(f"| {' | '.join(headings)} |\n|{'---|' * len(headings)}")
        print("\n".join(lines))
        print(f"\n{machine()}")
    else:
        console.print(table)


if __name__ == "__main__":
    main()

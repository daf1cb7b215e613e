"""The experiment of Freund and Schapire (1999) on handwritten digits: error after T passes.

    python benchmarks/freund_schapire_1999.py                             degrees 1 to 6, 30 passes
    python benchmarks/freund_schapire_1999.py --digits 5000 --passes 4    a quick look
    python benchmarks/freund_schapire_1999.py --markdown                  the table for the guide

Ten machines, one against all for each digit, with the kernel (1 + x·z)^d, learn from MNIST in the
order it has. There is one fit for each degree d; what its hypotheses say after T passes comes from
its record of changes. Stop it with Ctrl-C, and the same command goes on where it was; when all is
done, it prints the table and draws the picture.

Y. Freund and R. E. Schapire (1999), "Large margin classification using the perceptron algorithm",
Machine Learning 37.
"""

import argparse
import json
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from freund_schapire_table import WAYS, as_markdown, as_text, draw
from kernel import digits

from rosenblatt import KernelPerceptron, load, save
from rosenblatt.learners.kernel_perceptron.learning import Learning
from rosenblatt.persist.atomic import write_atomically

PASSES = (0.1, 1, 2, 3, 4, 10, 30)
SAVE_AFTER = 60.0  # seconds, about. Going on after that costs as much as an early pass


class Study:
    """One degree: learned in portions that are saved, then judged; its files are in a folder."""

    def __init__(self, degree, passes, data, folder, device="cpu", save_after=SAVE_AFTER):
        self.degree, self.passes, self.save_after = degree, passes, save_after
        self.X, self.y, self.X_test, self.y_test = data
        self.device = device
        stem = f"{device}-{len(self.y)}-degree-{degree}"
        self.result = folder / f"{stem}.json"
        self.model, self.seconds = folder / f"{stem}.model", folder / f"{stem}.seconds.json"

    def forget(self):
        for path in (self.result, self.model, self.seconds):
            path.unlink(missing_ok=True)

    def found(self):
        """Return the result of an earlier run, if it went on for as long as this one should."""
        if self.result.exists():
            result = json.loads(self.result.read_text())
            if set(self.passes) <= set(result["passes"]):
                return cut(result, self.passes)
        return None

    def run(self, tell):
        result = self.found()
        if result is None:
            model, seconds = self.learn(tell)
            result = {"degree": self.degree, "digits": len(self.y), "device": self.device}
            result |= judge(model, self.X_test, self.y_test, self.passes, len(self.y))
            result["seconds"]["fit"] = seconds
            write(self.result, result)
            self.model.unlink(missing_ok=True)
            self.seconds.unlink(missing_ok=True)
        return result

    def learn(self, tell):
        """Go on from what was saved; return the model, and what its fit took in all."""
        n, wanted = len(self.y), int(np.ceil(max(self.passes)))
        model, took = self.start()
        done = passes_of(model, n)
        while done < wanted and not (done and model.converged_):
            start, before = time.perf_counter(), took[done]
            portion = int(self.save_after * done / before) if done else 1

            def tell_more(rows, mistakes, done=done, start=start, before=before):
                tell(self, done + rows / n, mistakes, before + time.perf_counter() - start)

            with watched(getattr(model, "n_mistakes_", 0), tell_more):
                model.set_params(max_iter=min(max(portion, 1), wanted - done)).fit(self.X, self.y)
            done = passes_of(model, n)
            took[done] = before + time.perf_counter() - start
            # The time comes first: a model that was saved always finds how long it took.
            write(self.seconds, took)
            save(model, self.model)
        tell(self, done, model.n_mistakes_, took[done], ended=True)
        return model, took[done]

    def start(self):
        if self.model.exists():
            took = json.loads(self.seconds.read_text())
            return load(self.model), {int(done): seconds for done, seconds in took.items()}
        model = KernelPerceptron(
            kernel="poly",
            degree=self.degree,
            gamma=1,
            coef0=1,
            fit_intercept=False,
            multi_class="ovr",
            shuffle=False,
            device=None if self.device == "cpu" else self.device,
            warm_start=True,
        )
        return model, {0: 0.0}


def cut(result, passes):
    """Return a result with some of its columns."""
    places = [result["passes"].index(T) for T in passes]

    def take(line):
        return [line[place] for place in places]

    errors = {way: take(line) for way, line in result["errors"].items()}
    counts = {name: take(result[name]) for name in ("passes", "mistakes", "support")}
    return result | counts | {"errors": errors}


def passes_of(model, n):
    return getattr(model, "t_", 0) // n


def write(path, content):
    write_atomically(path, [json.dumps(content, indent=1).encode()])


@contextmanager
def watched(mistakes, tell):
    """Tell after every block of a fit how many rows it has looked at, and the mistakes so far."""
    visit, rows = Learning.visit, 0

    def visit_and_tell(self, number, order=None):
        nonlocal mistakes, rows
        more = visit(self, number, order)
        mistakes, rows = mistakes + more, rows + len(self.blocks[number])
        tell(rows, mistakes)
        return more

    Learning.visit = visit_and_tell
    try:
        yield
    finally:
        Learning.visit = visit


def judge(model, X, y, passes, n):
    """Return the errors of all ways to predict after T passes, mistakes and support until then."""
    steps = [round(T * n) for T in passes]
    stages = [step for step in steps if step <= model.t_]
    if len(stages) < len(steps) and model.t_ not in stages:
        stages.append(model.t_)
    scores, seconds = {}, {}
    for way in WAYS:
        start = time.perf_counter()
        model.set_params(predict_with=way)
        scores[way] = dict(zip(stages, model.staged_decision_function(X, stages), strict=True))
        seconds[way] = time.perf_counter() - start
    rng = np.random.default_rng(0)
    errors = {way: [] for way in WAYS}
    for step in steps:
        for way in WAYS:
            table = scores[way].get(step)
            if table is None:
                end = model.t_
                table = prolonged(way, scores[way][end], scores["last"][end], end, step, rng)
            errors[way].append(float(np.mean(model.classes_[table.argmax(axis=1)] != y)))
    first = np.full(len(model.support_), model.t_)  # the step of each row's first change
    np.minimum.at(first, model._state.row, model._state.step)
    return {
        "passes": list(passes),
        "errors": errors,
        "mistakes": np.searchsorted(model._state.step, steps, side="right").tolist(),
        "support": np.searchsorted(np.sort(first), steps, side="right").tolist(),
        "converged": passes_of(model, n) if model.converged_ else None,
        "seconds": seconds,
    }


def prolonged(way, scores, last, made, wanted, rng):
    """Return the scores after more steps than were made: the last hypothesis lived all the rest."""
    rest = (wanted - made) / wanted
    if way == "last":
        return last
    if way == "random":
        return np.where(rng.random((len(last), 1)) < rest, last, scores)
    return (1 - rest) * scores + rest * (np.where(last >= 0, 1, -1) if way == "vote" else last)


@contextmanager
def progress(passes):
    """Give a function that shows how far a degree is: a bar, or a line now and then."""
    try:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn
    except ModuleNotFoundError:
        console = None
    else:
        console = Console(stderr=True)
    if console is None or not console.is_terminal:
        yield in_lines()
        return
    columns = "[progress.description]{task.description}", BarColumn(24), "{task.fields[note]}"
    columns = [TextColumn(part) if isinstance(part, str) else part for part in columns]
    with Progress(*columns, console=console) as bar:
        tasks = {}

        def tell(study, done, mistakes, seconds, ended=False):
            if study.degree not in tasks:
                tasks[study.degree] = bar.add_task(f"degree {study.degree}", total=passes, note="")
            far = f"{done:g} passes" if ended else f"pass {done:.1f} of {passes:g}"
            note = f"{far} · {mistakes:,} mistakes · {seconds:.0f} s"
            total = done if ended else passes
            bar.update(tasks[study.degree], completed=done, total=total, note=note)

        yield tell


def in_lines(every=10.0):
    """Return a function that writes a line every so many seconds, and at the end."""
    written = float("-inf")

    def tell(study, done, mistakes, seconds, ended=False):
        nonlocal written
        if time.perf_counter() > written + every or ended:
            written = time.perf_counter()
            far = f"degree {study.degree}, {done:.1f} passes"
            line = f"{far}: {mistakes:,} mistakes, {seconds:.0f} s"
            print(line, file=sys.stderr, flush=True)

    return tell


def asked(words):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--degrees", nargs="+", type=int, default=[1, 2, 3, 4, 5, 6], metavar="D")
    add("--passes", type=float, default=30, help="leave out every T above this (default: 30)")
    add("--device", choices=("cpu", "cuda"), default="cpu", help="where to compute products")
    add("--digits", type=int, default=60_000, help="learn from the first so many")
    folder = Path("out/freund_schapire_1999")
    add("--folder", type=Path, default=folder, help=f"keeps results so far (default: {folder})")
    add("--fresh", action="store_true", help="forget results so far of these degrees")
    add("--markdown", action="store_true", help="print the table for the guide")
    return parser, parser.parse_args(words)


def main(words=None):
    parser, options = asked(words)
    passes = [T for T in PASSES if options.passes >= T]
    if not passes:
        parser.error(f"--passes must be {PASSES[0]} or more")
    if not 100 <= options.digits <= 60_000 or min(options.degrees) < 1:
        parser.error("--digits must lie in 100 to 60000, and --degrees be 1 or more")
    options.folder.mkdir(parents=True, exist_ok=True)
    results = []
    try:
        data = digits(options.digits)
        with progress(max(passes)) as tell:
            for degree in options.degrees:
                study = Study(degree, passes, data, options.folder, options.device)
                if options.fresh:
                    study.forget()
                results.append(study.run(tell))
    except KeyboardInterrupt:
        print("\nstopped; the same command, without --fresh, goes on from here", file=sys.stderr)
        return 130
    except (OSError, ValueError) as error:  # no data, or no GPU: the message says it
        print(error, file=sys.stderr)
        return 1
    print(as_markdown(results) if options.markdown else as_text(results))
    try:
        draw(results, options.folder / "errors.png")
        print(f"picture: {options.folder / 'errors.png'}", file=sys.stderr)
    except ModuleNotFoundError as error:
        print(f"no picture: {error}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())

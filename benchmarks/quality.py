"""Measure how well Rosenblatt predicts with no option, beside its peers: one table of test errors.

    python benchmarks/quality.py                everything, about fifteen minutes on two cores
    python benchmarks/quality.py adult clicks   these data sets and streams
    python benchmarks/quality.py --quick        a few small ones, about a minute
    python benchmarks/quality.py --markdown     the tables as docs/quality.md shows them
    python benchmarks/quality.py --docs         everything, and write it to docs/quality.md

All errors are in percent. `train` is ``rosenblatt train FILE`` and nothing else, on files as they
come, then ``rosenblatt evaluate``; `compare` is the learner that ``rosenblatt compare`` puts first
on held-out training rows. docs/quality.md says what the other columns are.
"""

import argparse
import os
import platform
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from importlib.metadata import distributions
from math import isnan, nan
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import quality_methods as methods
import quality_sets as sets
import quality_streams as streams
from rich.console import Console
from rich.table import Table

PAGE = Path(__file__).parents[1] / "docs" / "quality.md"
BEGIN, END = "<!-- begin: quality.py -->", "<!-- end: quality.py -->"
QUICK = ("iris", "wine", "penguins", "pima", "sms_spam", "rain")
SORTED = ("iris", "digits", "spambase", "letter", "sms_spam", "20newsgroups")
# Those that take longest go first, so that no worker is left with one at the end.
SLOW = ("clicks", "mnist", "20newsgroups", "spamassassin", "adult", "a9a", "ocr_letters", "letter")
PEERS = ("vw1", "vw5", "logistic", "sgd", "majority")
HEADINGS = {
    "train": "train",
    "compare": "compare",
    "vw1": "VW, 1 pass",
    "vw5": "VW, 5 passes",
    "logistic": "LogisticRegression",
    "sgd": "SGDClassifier",
    "majority": "majority",
}
CLOSE = 0.5  # points


class Result(NamedTuple):
    """The errors on a data set or stream in percent, by method; and what failed."""

    name: str
    rows: int
    errors: dict[str, float]
    failures: list[str]

    @property
    def best(self) -> float:
        """The error of the best peer."""
        return min(self.errors[peer] for peer in PEERS)

    @property
    def gap(self) -> float:
        """How far `train` is behind the best peer; a failure is as far as all wrong."""
        ours = self.errors["train"]
        return (100 if isnan(ours) else ours) - self.best


def measure_set(name):
    """Return the mean errors over the splits of a data set."""
    data = sets.load(name)
    found, failures = [], []
    for split in data.splits():
        errors, failed = methods.errors_on_files(data, split, (methods.train, methods.compare))
        failures += failed
        if name in SORTED:
            by_label = sets.sorted_by_label(split)
            again, failed = methods.errors_on_files(data, by_label, (methods.train,))
            errors["sorted"] = again["train"]
            lines = [methods.vw_lines(data, X) for X in (by_label.X, by_label.X_test)]
            errors["vw5 sorted"] = methods.vowpal_wabbit(
                lines[0], by_label.y, lines[1], by_label.y_test, 5
            )
            failures += failed
        found.append(errors | methods.errors_of_peers(data, split))
    means = {method: 100 * fmean(errors[method] for errors in found) for method in found[0]}
    return Result(name, data.rows, means, sorted(set(failures)))


def measure_stream(name):
    """Return the progressive errors on a stream."""
    rows, labels = streams.catalogue()[name]()
    errors, failures = {}, []
    for title, method in streams.METHODS.items():
        try:
            errors[title] = 100 * method(rows, labels)
        except methods.CommandError as error:
            errors[title] = nan
            failures.append(str(error))
    return Result(name, len(labels), errors, failures)


def results(names, stream_names, progress):
    """Measure data sets and streams side by side, one on each core, and return both lists."""
    found = {}
    jobs = [*((measure_set, name) for name in names), *((measure_stream, n) for n in stream_names)]
    jobs.sort(key=lambda job: SLOW.index(job[1]) if job[1] in SLOW else len(SLOW))
    start = time.perf_counter()
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        pending = {pool.submit(work, name): (work, name) for work, name in jobs}
        for done in as_completed(pending):
            work, name = pending[done]
            found[work, name] = done.result()
            took = time.perf_counter() - start
            progress(f"{len(found):3} of {len(jobs)}, {took:4.0f} s: {brief(found[work, name])}")
    return (
        [found[measure_set, name] for name in names],
        [found[measure_stream, name] for name in stream_names],
    )


def brief(result):
    shown = [f"{name} {cell(error)}" for name, error in result.errors.items()]
    return f"{result.name}: {', '.join(shown)}"


def cell(error):
    return "–" if isnan(error) else f"{error:.2f}"


class Sheet(NamedTuple):
    """A table to print: a title, headings and rows of cells."""

    title: str
    headings: list[str]
    rows: list[list[str]]


def sheets(found, on_streams) -> Iterator[Sheet]:
    """Yield the tables."""
    if found:
        columns = [*HEADINGS]
        rows = [
            [r.name, f"{r.rows:,}", *(cell(r.errors[c]) for c in columns), f"{r.gap:+.2f}"]
            for r in found
        ]
        means = [cell(mean(found, column)) for column in columns]
        rows.append(["mean", "", *means, f"{fmean(r.gap for r in found):+.2f}"])
        headings = ["data set", "rows", *HEADINGS.values(), "gap"]
        yield Sheet("Test error, %", headings, rows)
    by_label = [r for r in found if "sorted" in r.errors]
    if by_label:
        columns = ("train", "sorted", "vw5", "vw5 sorted")
        rows = [[r.name, *(cell(r.errors[column]) for column in columns)] for r in by_label]
        headings = ["data set", "train", "sorted by label", HEADINGS["vw5"], "sorted by label"]
        yield Sheet("The same files sorted by label, test error, %", headings, rows)
    if on_streams:
        rows = [
            [r.name, f"{r.rows:,}", *(cell(r.errors[name]) for name in streams.METHODS)]
            for r in on_streams
        ]
        headings = ["stream", "examples", *streams.METHODS]
        yield Sheet("Progressive error on streams, %", headings, rows)


def mean(found, column):
    """Return the mean error over data sets; a failure is as bad as all wrong."""
    return fmean(100 if isnan(r.errors[column]) else r.errors[column] for r in found)


def summary(found, on_streams) -> Iterator[tuple[str, str, bool | None]]:
    """Yield what the tables say: a sentence, what is asked for, and whether it is so."""
    if found:
        yield from summary_of_sets(found)
    for r in found:
        if r.name == "spambase":
            error = r.errors["train"]
            yield f"spambase, raw columns: {error:.2f} %", "≤ 8 %", error <= 8
        if "sorted" in r.errors:
            behind = r.errors["sorted"] - r.errors["train"]
            text = f"{r.name} sorted by label: {behind:+.2f} points"
            yield text, f"≤ {CLOSE}", behind <= CLOSE
    for r in on_streams:
        ours = r.errors["OnlineClassifier"]
        peers = min(r.errors["VW"], r.errors["River"])
        text = f"{r.name}, progressive: {ours:.2f} %, {ours - peers:+.2f} points from VW and River"
        asked = {"clicks": 19.6, "a9a, one pass": 15.5}.get(r.name)
        yield (text, f"≤ {asked} %", ours <= asked) if asked else (text, "", None)


def summary_of_sets(found):
    close = [r for r in found if r.gap <= CLOSE]
    text = f"within {CLOSE} points of the best peer on {len(close)} of {len(found)} data sets"
    yield f"{text} ({len(close) / len(found):.0%})", "≥ 90%", len(close) >= 0.9 * len(found)
    worst = max(found, key=lambda r: r.gap)
    yield f"largest gap: {worst.gap:.2f} points, on {worst.name}", "≤ 2", worst.gap <= 2
    below = [r.name for r in found if not r.errors["train"] <= r.errors["majority"]]
    text = f"worse than the majority class: {', '.join(below) or 'none'}"
    yield text, "none", not below
    for peer, columns in (
        ("VW (the better of 1 and 5 passes)", ("vw1", "vw5")),
        ("LogisticRegression", ("logistic",)),
        ("SGDClassifier", ("sgd",)),
    ):
        errors = [min(r.errors[column] for column in columns) for r in found]
        behind = mean(found, "train") - fmean(errors)
        yield f"on average {behind:+.2f} points from {peer}", "< 0", behind < 0
    own = [r for r in found if not isnan(r.errors["compare"])]
    close = [r for r in own if r.errors["compare"] - r.best <= CLOSE]
    text = f"compare's best within {CLOSE} points of the best peer on {len(close)} of {len(own)}"
    yield text, "", None


def where_peers_are_better(found):
    """Yield a line for each data set with a better peer, the largest gap first."""
    for r in sorted(found, key=lambda r: -r.gap):
        if r.gap > CLOSE:
            peer = min(PEERS, key=r.errors.get)
            yield f"{r.name}: {HEADINGS[peer]} by {r.gap:.2f}"


def machine():
    """Return the versions of everything that was measured, as far as it is installed."""
    packages = ("scikit-learn", "vowpalwabbit", "river")
    there = {one.metadata["Name"].lower(): one.version for one in distributions()}
    versions = [f"{name} {there[name]}" for name in packages if name in there]
    return ", ".join([f"Python {platform.python_version()}", *versions])


def as_markdown(found, on_streams):
    """Return the tables, the summary and what failed as Markdown."""
    parts = []
    for sheet in sheets(found, on_streams):
        lines = [sheet.headings, ["---", *["---:"] * (len(sheet.headings) - 1)], *sheet.rows]
        parts += [f"**{sheet.title}**", "\n".join(f"| {' | '.join(line)} |" for line in lines)]
    lines = [["", "wanted", ""], ["---"] * 3]
    lines += [[text, asked, verdict(met)] for text, asked, met in summary(found, on_streams)]
    parts += ["**Summary**", "\n".join(f"| {' | '.join(line)} |" for line in lines)]
    behind = [f"- {line}" for line in where_peers_are_better(found)]
    if behind:
        parts += [f"**Where a peer is better by more than {CLOSE} points**", "\n".join(behind)]
    failed = [f"- {r.name}: {text}" for r in (*found, *on_streams) for text in r.failures]
    if failed:
        parts += ["**Without a result**", "\n".join(failed)]
    return "\n\n".join([*parts, machine()]) + "\n"


def show(console, found, on_streams):
    """Print the tables, the summary and what failed."""
    for sheet in sheets(found, on_streams):
        table = Table(title=sheet.title, title_justify="left", title_style="", padding=0)
        for k, heading in enumerate(sheet.headings):
            table.add_column(heading, justify="right" if k else "left")
        for row in sheet.rows:
            table.add_row(*row)
        console.print(table)
    for text, asked, met in summary(found, on_streams):
        console.print(
            " ".join([text, f"({asked})" if asked else "", verdict(met)]), highlight=False
        )
    for r in (*found, *on_streams):
        for text in r.failures:
            console.print(f"without a result: {r.name}: {text}", highlight=False, markup=False)
    console.print(machine(), highlight=False)


def verdict(met):
    return "" if met is None else "ok" if met else "MISS"


def write_page(text, page=PAGE):
    """Put the tables between the marks of a page."""
    before, rest = page.read_text(encoding="utf-8").split(BEGIN)
    after = rest.split(END)[1]
    page.write_text(f"{before}{BEGIN}\n\n{text}\n{END}{after}", encoding="utf-8")


def chosen(names, quick, catalogue):
    """Return those of a catalogue that are asked for, all if none is."""
    wanted = names or (QUICK if quick else catalogue)
    return [name for name in catalogue if name in wanted]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", nargs="*", help="only these data sets and streams")
    parser.add_argument("--quick", action="store_true", help="only a few small ones")
    parser.add_argument("--markdown", action="store_true", help="print Markdown")
    parser.add_argument("--docs", action="store_true", help="write all to docs/quality.md")
    options = parser.parse_args()
    if options.docs and (options.name or options.quick):
        parser.error("--docs is for everything; leave out names and --quick")
    all_sets, all_streams = sets.catalogue(), streams.catalogue()
    for line in (*sets.left_out(), *streams.left_out()):
        print(line, file=sys.stderr)
    unknown = [name for name in options.name if name not in {**all_sets, **all_streams}]
    if unknown:
        known = ", ".join([*all_sets, *map(repr, all_streams)])
        parser.error(f"unknown data set {unknown[0]!r}; there are {known}")
    found, on_streams = results(
        chosen(options.name, options.quick, all_sets),
        chosen(options.name, options.quick, all_streams),
        lambda line: print(line, file=sys.stderr, flush=True),
    )
    if options.docs:
        write_page(as_markdown(found, on_streams))
    if options.markdown:
        print(as_markdown(found, on_streams))
    else:
        show(Console(width=None if sys.stdout.isatty() else 150), found, on_streams)


if __name__ == "__main__":
    main()

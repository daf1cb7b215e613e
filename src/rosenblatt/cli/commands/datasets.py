"""``rosenblatt datasets``: real data sets by name, as files for the other commands."""

import sys
from dataclasses import dataclass
from functools import partial
from typing import Any

from rosenblatt.cli.command_builder import check_output
from rosenblatt.console import (
    OutputOptions,
    UsageError,
    argument,
    choice,
    count,
    is_terminal,
    option,
    put,
    put_json,
    say,
    size,
)

EXAMPLES = (
    "rosenblatt datasets",
    "rosenblatt datasets sms_spam",
    "rosenblatt datasets spambase -o spambase.csv --shuffle",
    "rosenblatt datasets sms_spam -o sms.txt",
    "rosenblatt datasets a9a -o a9a.svm",
    "rosenblatt datasets a9a --part test -o a9a-test.svm",
)
PARTS = ("train", "test", "validation")
_WIDTH = 80
_writing = partial(option, group="Writing")


@dataclass
class DatasetOptions(OutputOptions):
    """The options of `datasets`."""

    name: str | None = argument(
        "[NAME]", "A data set; without a name, all are listed.", default=None
    )
    output: str | None = _writing(
        "Write it to a file: .svm, .csv, .tsv, .jsonl, .txt (texts) or .conll (sentences), "
        "optionally followed by .gz.",
        metavar="FILE",
        names=("-o", "--output"),
    )
    part: str = _writing(
        f"Which part to write: {', '.join(PARTS)}.", default="train", metavar="NAME"
    )
    test: bool = _writing("The same as --part test.", default=False)
    shuffle: bool = _writing(
        "Write the examples in a random order, always the same: some data sets are sorted by "
        "label, which is hard to learn from.",
        default=False,
    )


def datasets(options: DatasetOptions) -> None:
    """List real data sets, show one, or write one to a file.

    A data set that is not on this machine is downloaded from its public source, checked and kept in
    the folder ROSENBLATT_DATA, or in the user's cache folder.
    """
    name, output, json, quiet = options.name, options.output, options.json, options.quiet
    part = choice("test" if options.test else options.part, PARTS, "--part")
    if name is None:
        if output is not None:
            raise UsageError("--output needs the name of a data set")
        _list(json)
        return
    from rosenblatt.datasets import names

    if name not in names():
        from difflib import get_close_matches

        near = get_close_matches(name, names(), 1)
        hint = f"; did you mean {near[0]!r}?" if near else "; rosenblatt datasets lists them"
        raise UsageError(f"no data set is called {name!r}{hint}")
    if output is None:
        _show(name, json)
        return
    from rosenblatt.datasets.export import check_ending, export

    check_ending(output)
    check_output(output, "--output", [])
    data = _loaded(name, quiet or json)
    written = export(data, part, output, options.shuffle)
    if json:
        put_json({"name": name, "part": part, "file": output, **written})
    else:
        examples = count(written["examples"], "example")
        say(f"{output}: {examples}, {size(written['bytes'])}", quiet=quiet)
        if written["classes"]:
            codes = ", ".join(f"{code} is {label}" for label, code in written["classes"].items())
            say(f"classes: {codes}", quiet=quiet)
        if written["hint"]:
            say(f"to train on it: {written['hint']}", quiet=quiet)


def _list(json: bool) -> None:
    from textwrap import wrap

    from rosenblatt.datasets.catalog import CATALOG
    from rosenblatt.datasets.loading import names, status

    facts = [
        {"name": name, "status": status(name), "description": CATALOG[name].description}
        for name in names()
    ]
    if json:
        put_json(facts)
        return
    first = max(len(fact["name"]) for fact in facts) + 2
    second = max(len(fact["status"]) for fact in facts) + 2
    for fact in facts:
        lines = wrap(fact["description"], _WIDTH - first - second)
        put(f"{fact['name']:<{first}}{fact['status']:<{second}}{lines[0]}")
        for line in lines[1:]:
            put(" " * (first + second) + line)


def _show(name: str, json: bool) -> None:
    facts = _facts(name)
    if json:
        put_json(facts)
        return
    from textwrap import wrap

    def line_of(title: str, text: str) -> None:
        lines = wrap(text, _WIDTH - 13, break_long_words=False, break_on_hyphens=False)
        put(f"{title:<13}{lines[0]}")
        for line in lines[1:]:
            put(" " * 13 + line)

    line_of(name, facts["description"])
    line_of("status", facts["status"])
    line_of("folder", facts["folder"])
    for file in facts["files"]:
        where = "downloaded if needed" if file["url"] else "must be put there by hand"
        line_of("file", f"{file['name']}, {size(file['bytes'])}, {where}")
    line_of("from", facts["home"])
    shown = ", ".join(facts["feature_names"][:8])
    more = ", …" if len(facts["feature_names"]) > 8 else ""
    line_of("features", f"{len(facts['feature_names']):,} ({shown}{more})")
    line_of("write it", f"rosenblatt datasets {name} -o {name}{facts['ending']}")


def _facts(name: str) -> dict[str, Any]:
    from rosenblatt.datasets.catalog import CATALOG
    from rosenblatt.datasets.export import usual_ending
    from rosenblatt.datasets.files import folder
    from rosenblatt.datasets.loading import status

    entry = CATALOG[name]
    return {
        "name": name,
        "description": entry.description,
        "status": status(name),
        "folder": str(folder() / name),
        "files": [{"name": file.name, "bytes": file.size, "url": file.url} for file in entry.files],
        "home": entry.source,
        "feature_names": list(entry.feature_names),
        "ending": usual_ending(entry),
    }


def _loaded(name: str, quiet: bool) -> Any:
    """Load a data set; show progress if it must be downloaded."""
    from rosenblatt.datasets import load, status

    if status(name) == "here" or quiet:
        return load(name)
    if not is_terminal():
        say(f"downloading {name}")
        return load(name)
    shown = -1

    def show(n_bytes: int, total: int) -> None:
        nonlocal shown
        percent = 100 * n_bytes // max(total, 1)
        if percent != shown:
            shown = percent
            text = f"\rdownloading {name}: {size(n_bytes)} of {size(total)} ({percent}%)"
            end = "\n" if percent == 100 else ""
            print(f"{text:<70}", file=sys.stderr, end=end, flush=True)

    return load(name, progress=show)

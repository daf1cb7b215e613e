"""``rosenblatt datasets``: real data sets by name, as files for the other commands."""

from typing import Annotated, Any

import typer

from rosenblatt.cli.options import Json, Quiet, check_output
from rosenblatt.console import UsageError, count, is_terminal, put, put_json, say, size

EXAMPLES = (
    "rosenblatt datasets",
    "rosenblatt datasets sms_spam",
    "rosenblatt datasets spambase -o spambase.csv --shuffle",
    "rosenblatt datasets sms_spam -o sms.txt",
    "rosenblatt datasets a9a -o a9a.svm",
    "rosenblatt datasets a9a --part test -o a9a-test.svm",
)
PARTS = ("train", "test", "validation")
_WRITING = "Writing"
_WIDTH = 80

Name = Annotated[
    str | None,
    typer.Argument(
        metavar="[NAME]", help="A data set; all are listed without.", show_default=False
    ),
]
Output = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Write it to a file: .svm, .csv, .tsv, .jsonl, .txt (texts) or .conll (sentences), "
        "and .gz after these.",
        rich_help_panel=_WRITING,
    ),
]
Part = Annotated[
    str,
    typer.Option(
        "--part",
        metavar="NAME",
        help="Which part to write: train, test or validation.",
        show_default=True,
        rich_help_panel=_WRITING,
    ),
]
Test = Annotated[
    bool, typer.Option("--test", help="The same as --part test.", rich_help_panel=_WRITING)
]

Shuffle = Annotated[
    bool,
    typer.Option(
        "--shuffle",
        help="Write the examples in a random order, always the same: some sets are sorted by "
        "label, which is hard to learn from.",
        rich_help_panel=_WRITING,
    ),
]


def datasets(
    name: Name = None,
    output: Output = None,
    part: Part = "train",
    test: Test = False,
    shuffle: Shuffle = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """List real data sets, show one, or write one to a file.

    What is not on this machine is downloaded from its public home, checked and kept; the folder is
    ROSENBLATT_DATA, or one in the user's cache folder.
    """
    part = "test" if test else part
    if part not in PARTS:
        raise UsageError(f"--part {part!r} is not one of {', '.join(PARTS)}")
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
    written = export(data, part, output, shuffle)
    if json:
        put_json({"name": name, "part": part, "file": output, **written})
    else:
        examples = count(written["examples"], "example")
        say(f"{output}: {examples}, {size(written['bytes'])}", quiet=quiet)
        if written["classes"]:
            told = ", ".join(f"{code} is {label}" for label, code in written["classes"].items())
            say(f"classes: {told}", quiet=quiet)
        if written["hint"]:
            say(f"learn from it: {written['hint']}", quiet=quiet)


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

    def told(title: str, text: str) -> None:
        lines = wrap(text, _WIDTH - 13, break_long_words=False, break_on_hyphens=False)
        put(f"{title:<13}{lines[0]}")
        for line in lines[1:]:
            put(" " * 13 + line)

    told(name, facts["description"])
    told("status", facts["status"])
    told("folder", facts["folder"])
    for file in facts["files"]:
        where = "downloaded if needed" if file["url"] else "to be put there by hand"
        told("file", f"{file['name']}, {size(file['bytes'])}, {where}")
    told("from", facts["home"])
    shown = ", ".join(facts["feature_names"][:8])
    more = ", …" if len(facts["feature_names"]) > 8 else ""
    told("features", f"{len(facts['feature_names']):,} ({shown}{more})")
    told("write it", f"rosenblatt datasets {name} -o {name}{facts['ending']}")


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
    """Load a data set; tell how far it is if it must be downloaded."""
    from rosenblatt.datasets import load, status

    if status(name) == "here" or quiet:
        return load(name)
    if not is_terminal():
        say(f"downloading {name}")
        return load(name)
    shown = -1

    def tell(came: int, total: int) -> None:
        nonlocal shown
        percent = 100 * came // max(total, 1)
        if percent != shown:
            shown = percent
            text = f"\rdownloading {name}: {size(came)} of {size(total)} ({percent}%)"
            typer.echo(f"{text:<70}", err=True, nl=percent == 100)

    return load(name, progress=tell)

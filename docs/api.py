"""The reference of the site: every public name, by topic, with the page that explains it.

`TOPICS` says where the guide explains a name that ``import rosenblatt`` gives, `PARTS` where it
explains those of a module such as ``rosenblatt.plot``. The rest comes from the docstrings.
"""

import inspect
import re
from importlib import import_module
from typing import Any

import build

import rosenblatt

# The topics in order; of each name, the place in the guide that explains it.
TOPICS: dict[str, dict[str, str]] = {
    "Perceptrons": {
        "Perceptron": "perceptron.md",
        "AveragedPerceptron": "perceptron.md#data-that-are-not-separable",
        "VotedPerceptron": "perceptron.md#data-that-are-not-separable",
        "BatchPerceptron": "perceptron.md#the-batch-perceptron",
        "KernelPerceptron": "kernel-perceptron.md",
        "PassiveAggressive": "perceptron.md#a-margin-not-just-the-right-side",
        "AROW": "perceptron.md#a-margin-not-just-the-right-side",
    },
    "Gradient descent": {
        "LogisticRegression": "gradient-descent.md",
        "LinearSVM": "gradient-descent.md",
        "LinearRegression": "gradient-descent.md#one-step-by-hand",
        "GradientDescent": "gradient-descent.md",
    },
    "Closed forms": {
        "NearestCentroid": "closed-form.md",
        "LinearDiscriminant": "closed-form.md#the-linear-discriminant",
        "NaiveBayes": "closed-form.md#naive-bayes",
    },
    "Sequences and structures": {
        "SequenceTagger": "tagging.md",
        "StructuredPerceptron": "structured-perceptron.md",
    },
    "Streams": {
        "OnlineClassifier": "click-log.md#in-a-service",
        "OnlineRegressor": "click-log.md#a-number-instead-of-a-class",
    },
    "Geometry and theory": {
        "Hyperplane": "separability.md#hyperplanes",
        "ThresholdUnit": "separability.md#threshold-units",
        "separate": "separability.md",
        "Separable": "separability.md#why-and-is-separable",
        "Inseparable": "separability.md#why-exclusive-or-is-not-separable",
        "margin": "separability.md#the-margin",
        "mistake_bound": "separability.md#the-mistake-bound",
        "trace": "separability.md#trace-a-run",
    },
    "Model selection": {
        "compare": "choosing.md#compare-classifiers",
        "select": "choosing.md#tune-hyperparameters-in-four-steps",
        "prepare": "choosing.md#tables-with-categories",
    },
    "Model files": {
        "save": "from-scikit-learn.md#files",
        "load": "from-scikit-learn.md#files",
    },
}
# Modules that are used by their own names, and the page of the guide that uses each most.
PARTS = {
    "plot": "separability.md",
    "datasets": "spam-filter.md#get-the-data",
    "readers": "from-scikit-learn.md#files",
    "models": "from-scikit-learn.md#files",
    "model_selection": "choosing.md",
    "geometry": "separability.md#hyperplanes",
    "theory": "separability.md",
    "distributed": "cluster.md",
    "client": "service.md#predict-learn-explain",
    "stream.metrics": "from-river.md#metrics",
    "stream.drift": "from-river.md#drift",
    "reference": "perceptron.md",
}
# Of the functions in `rosenblatt.reference`, by the file that each is in.
REFERENCE = {
    "perceptron": "perceptron.md",
    "margin": "perceptron.md#a-margin-not-just-the-right-side",
    "kernel": "kernel-perceptron.md",
    "tagger": "structured-perceptron.md",
    "descent": "gradient-descent.md",
    "closed_form": "closed-form.md",
    "nearest_points": "separability.md",
    "mixing": "cluster.md#how-a-perceptron-learns-in-parts",
    "drift": "from-river.md#drift",
    "products": "tables.md#columns-that-matter-together",
}
# What functions and estimators return, and some of what they take, by their full names.
RESULTS = {
    "rosenblatt.tracing.perceptrons.Step": "separability.md#trace-a-run",
    "rosenblatt.theory.ledger.Ledger": "separability.md#the-proof-step-by-step",
    "rosenblatt.theory.ledger.Update": "separability.md#the-proof-step-by-step",
    "rosenblatt.theory.replay.Change": "separability.md#the-proof-step-by-step",
    "rosenblatt.theory.bounds.MistakeBound": "separability.md#the-mistake-bound",
    "rosenblatt.theory.certificates.Verdict": "separability.md#verify-a-certificate",
    "rosenblatt.theory.multiclass.Separations": "separability.md#real-data",
    "rosenblatt.learners.closed_form.centroid.Path": "closed-form.md#shrunken-centroids",
    "rosenblatt.evaluation.metrics.Confusion": "spam-filter.md#evaluate",
    "rosenblatt.tagging.spans.SpanReport": "tagging.md",
    "rosenblatt.tagging.conll.read": "tagging.md#tag-parts-of-speech-in-python",
    "rosenblatt.readers.command_options.Reading": "tables.md",
}
# Methods by which other parts of the package use a class: they take arrays of codes, states and
# blocks of files. Nobody else needs them, so the reference leaves them out.
INTERNAL = {
    "check",
    "check_label",
    "codes",
    "codes_and_gaps",
    "contributions",
    "counts_log_loss",
    "deviations",
    "fit_calibration",
    "from_parts",
    "in_units",
    "learn_rows",
    "log_loss_sum",
    "next_pass",
    "set_penalty",
    "stopping_rule",
    "to_parts",
    "unknown_columns",
    "usual_passes",
    "with_names",
}
_ROLE = re.compile(r":\w+:`~?([^`]+)`|(?<!`)`([^`]+)`(?!`)")


def public_names() -> list[str]:
    """List the public names: those of the package, and those of its parts."""
    names = [name for name in rosenblatt.__all__ if name != "__version__"]
    return names + [f"{part}.{name}" for part in PARTS for name in _module(part).__all__]


def pages() -> dict[str, str]:
    """Return the pages of the reference by their place in the site."""
    found = {"reference/index.md": _index(), "reference/command-line.md": _command_line()}
    for names in TOPICS.values():
        for name, guide in names.items():
            found[f"reference/{name}.md"] = _page(name, guide)
    for part, guide in PARTS.items():
        found[f"reference/{part}.md"] = _part_page(part, guide)
    found["reference/results.md"] = _results()
    return found


def order() -> list[str]:
    """List the places of the pages in reading order."""
    names = [name for names in TOPICS.values() for name in names]
    return [f"reference/{name}" for name in (*names, *PARTS, "results", "command-line")]


def place_of_name(name: str) -> str | None:
    """Return the page of the reference that documents a name as written; None if none does."""
    name = name.removeprefix("rosenblatt.")
    first, _, rest = name.partition(".")
    if any(first in names for names in TOPICS.values()):
        return f"reference/{first}.md"
    if first == "stream":  # its parts are modules
        inner, _, rest = rest.partition(".")
        first = f"{first}.{inner}"
    if first in PARTS and rest in {"", *_module(first).__all__}:
        return f"reference/{first}.md" + (f"#{rest}" if rest else "")
    return None


def _module(part: str) -> Any:
    return import_module(f"rosenblatt.{part}")


def _index() -> str:
    lines = [
        "# API reference",
        "",
        "Every public name, with its formula, its parameters, an example, and the page of the",
        "[guide](../guide/index.md) that explains it. Names of the first tables are imported from",
        "`rosenblatt`; the estimators have scikit-learn's interface.",
        "",
    ]
    for topic, names in TOPICS.items():
        lines += [f"## {topic}", "", "| name | what it is |", "|---|---|"]
        lines += [f"| [`{n}`]({n}.md) | {summary(getattr(rosenblatt, n))} |" for n in names]
        lines.append("")
    lines += ["## Modules", "", "| module | what is in it |", "|---|---|"]
    lines += [f"| [`rosenblatt.{p}`]({p}.md) | {summary(_module(p))} |" for p in PARTS]
    lines.append("| [Results](results.md) | What functions return, and what some of them take. |")
    lines += ["", "## Commands", "", "[The command line](command-line.md) has the help of every"]
    return "\n".join([*lines, "`rosenblatt` command.", ""])


def summary(documented: Any) -> str:
    """Return the first sentence of a docstring as Markdown."""
    text = " ".join((inspect.getdoc(documented) or "").split("\n\n")[0].split())
    text = _ROLE.sub(lambda role: f"`{(role[1] or role[2]).rsplit('.', 1)[-1]}`", text)
    return text.replace("``", "`").replace("|", "\\|")


def _rst(directive: str, name: str, options: str = "") -> str:
    return f"```{{eval-rst}}\n.. {directive}:: {name}\n{options}```\n"


def _directive(documented: Any) -> str:
    if not inspect.isclass(documented):
        return "autofunction"
    return "autoexception" if issubclass(documented, BaseException) else "autoclass"


def _members(documented: Any) -> str:
    """Name the public methods and properties that Rosenblatt documents, its base classes included.

    What scikit-learn adds to every estimator is documented there.
    """
    if not inspect.isclass(documented) or issubclass(documented, BaseException):
        return ""
    names = []
    for name, value in inspect.getmembers(documented):
        function = inspect.unwrap(
            getattr(value, "fget", None) or getattr(value, "fn", None) or value
        )
        home = getattr(function, "__module__", "") or ""
        kind = inspect.isroutine(value) or isinstance(value, property)
        shown = not name.startswith("_") and name not in INTERNAL
        if shown and kind and home.startswith("rosenblatt."):
            names.append(name)
    return f"   :members: {', '.join(names)}\n" if names else ""


def _explained(name: str, guide: str) -> str:
    """Link to the place in the guide that explains a name, and to the other pages that use it."""
    page, _, anchor = guide.partition("#")
    first = f"**Explained in** [{_title(page, anchor)}](../guide/{guide})"
    word = re.compile(rf"\b{re.escape(name)}\b")
    others = [
        path
        for path in build.guide_pages()
        if path.name != page and word.search(_imports(path.read_text(encoding="utf-8")))
    ]
    links = ", ".join(f"[{_title(path.name)}](../guide/{path.name})" for path in others)
    return f"{first}; also used in {links}.\n" if others else f"{first}.\n"


def _imports(text: str) -> str:
    """Return the imports of a page's code, and what it reaches through the package."""
    code = "".join(block.code for block in build.page_blocks(text) if block.language == "python")
    found = re.findall(
        r"^from rosenblatt[\w.]* import (?:\([^)]*\)|.*)|rosenblatt\.[\w.]+", code, re.M
    )
    return "\n".join(found)


def _title(page: str, anchor: str = "") -> str:
    """Return the heading that a link to the guide leads to."""
    text = (build.GUIDE / page).read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.*)$", build.CODE.sub(lambda code: code[0].strip("`"), text), re.M)
    if not anchor:
        return str(headings[0])
    return f"{headings[0]}: {next(heading for heading in headings if _slug(heading) == anchor)}"


def _slug(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _page(name: str, guide: str) -> str:
    documented = getattr(rosenblatt, name)
    return "\n".join(
        [
            f"# {name}",
            "",
            _explained(name, guide),
            _rst(_directive(documented), f"rosenblatt.{name}", _members(documented)),
            _scikit_learn(documented),
        ]
    )


def _scikit_learn(documented: Any) -> str:
    """Say which methods come from scikit-learn."""
    if not hasattr(documented, "get_params"):
        return ""
    theirs = [
        name
        for name, value in inspect.getmembers(documented, inspect.isroutine)
        if not name.startswith("_")
        and (getattr(inspect.unwrap(value), "__module__", "") or "").startswith("sklearn.")
    ]
    listed = ", ".join(f"`{name}`" for name in theirs)
    return f"As every estimator of scikit-learn's, it also has {listed}.\n" if theirs else ""


def _part_page(part: str, guide: str) -> str:
    module = _module(part)
    lines = [f"# rosenblatt.{part}", "", summary(module), ""]
    if part != "reference":
        lines += [_explained(part, guide), ""]
    for name in module.__all__:
        documented = getattr(module, name)
        lines += [f"## {name}", ""]
        if getattr(rosenblatt, name, None) is documented:
            lines += [f"The same as [`rosenblatt.{name}`]({name}.md).", ""]
            continue
        if part == "reference":
            file = documented.__module__.rsplit(".", 1)[-1]
            lines += [_explained(name, REFERENCE[file]), _code(documented), ""]
        else:
            lines += [
                _rst(_directive(documented), f"rosenblatt.{part}.{name}", _members(documented))
            ]
    return "\n".join(lines)


def _results() -> str:
    lines = ["# Results", "", "What functions return, and what some of them take.", ""]
    for path, guide in RESULTS.items():
        module, name = path.rsplit(".", 1)
        documented = getattr(import_module(module), name)
        lines += [f"## {name}", "", _explained(name, guide)]
        lines += [_rst(_directive(documented), path, _members(documented))]
    return "\n".join(lines)


def _code(function: Any) -> str:
    """Show a function as it is written: these are meant to be read."""
    return f"```python\n{inspect.getsource(function)}```\n"


def _command_line() -> str:
    import click

    from rosenblatt.cli.main import app

    lines = [
        "# The command line",
        "",
        "What `rosenblatt COMMAND --help` prints. The [guide](../guide/index.md) uses commands on",
        "real files, and the tests run the examples.",
        "",
    ]
    top = click.Context(app, info_name="rosenblatt", terminal_width=80)
    lines += ["## rosenblatt", "", f"```text\n{app.get_help(top)}\n```", ""]
    for name in app.list_commands(top):
        command = app.get_command(top, name)
        assert command is not None
        context = click.Context(command, top, info_name=name, terminal_width=80)
        lines += [f"## rosenblatt {name}", "", f"```text\n{command.get_help(context)}\n```", ""]
        if isinstance(command, click.Group):
            for part in command.list_commands(context):
                inner = command.get_command(context, part)
                assert inner is not None
                deep = click.Context(inner, context, info_name=part, terminal_width=80)
                lines += [f"### rosenblatt {name} {part}", ""]
                lines += [f"```text\n{inner.get_help(deep)}\n```", ""]
    return "\n".join(lines)

"""``rosenblatt tag evaluate``: how good a tagger is on files with tags."""

from typing import TYPE_CHECKING, Annotated

import typer

from rosenblatt.cli.options import Files, Json, Model, Quiet, check_standard_input
from rosenblatt.cli.tag.options import Columns, Format, check_format
from rosenblatt.console import UsageError, percent, put, put_facts, put_json, put_table
from rosenblatt.training.options import names_of_columns

if TYPE_CHECKING:
    from rosenblatt.evaluation.tagger import TaggerEvaluation

EXAMPLES = (
    "rosenblatt tag evaluate chunks.model test.txt",
    "rosenblatt tag evaluate pos.model test.conllu --json",
    "rosenblatt tag evaluate chunks.model test.txt --conlleval",
)

Conlleval = Annotated[
    bool,
    typer.Option(
        "--conlleval",
        help="Print what the script conlleval of the CoNLL tasks does.",
        rich_help_panel="What to show",
    ),
]


def evaluate(
    model: Model,
    files: Files,
    conlleval: Conlleval = False,
    format: Format = "auto",  # noqa: A002
    columns: Columns = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Judge a tagger on files with the right tags.

    For tags of spans, such as B-NP and I-NP, it counts spans, as conlleval does: one is correct if
    it starts and ends where a true one does, and has its type. Tags that the model never saw count
    as mistakes.
    """
    if conlleval and json:
        raise UsageError("--conlleval and --json: take one")
    check_format(format)
    names = names_of_columns(columns)
    check_standard_input(files)
    from rosenblatt.cli.commands.evaluate import show_tables, tell_new
    from rosenblatt.evaluation.predictors import open_tagger
    from rosenblatt.evaluation.tagger import evaluate_tagger

    found = evaluate_tagger(open_tagger(model, "evaluate"), files, format, names)
    if json:
        put_json({"model": model, **found.as_json()})
        return
    if conlleval:
        put(str(found.report))
    elif quiet:
        put_facts(_facts(found)[:1])
    else:
        put_facts(_facts(found))
        put()
        if found.of_spans:
            _show_spans(found)
        else:
            show_tables(found.metrics, "tag", "tokens")
    tell_new(found.metrics.unknown, "tags", quiet)


def _facts(found: "TaggerEvaluation") -> list[tuple[str, str]]:
    right = found.metrics.examples - found.metrics.mistakes
    tokens = _share(right, found.metrics.examples, "tokens")
    facts = [("accuracy", tokens), ("sentences", _share(found.right, found.sentences, "sentences"))]
    if found.words is not None:
        new = _share(found.new_right, found.new, "tokens") + " (words not in training)"
        facts.append(("new words", new if found.new else "none: all words were in training"))
    if found.of_spans:
        total = found.report.total
        three = f"precision {percent(total.precision)}, recall {percent(total.recall)}"
        facts.insert(0, ("F1", f"{percent(total.f1)}, {three}"))
    return facts


def _share(right: int, total: int, what: str) -> str:
    share = percent(right / total if total else float("nan"))
    return f"{share}, {right:,} of {total:,} {what} right"


def _show_spans(found: "TaggerEvaluation") -> None:
    columns = ("type", "precision", "recall", "F1", "true", "found", "correct")
    each = [*found.report.types.items(), ("(all)", found.report.total)]
    rows = [
        [
            name,
            *(f"{share:.4f}" for share in (counts.precision, counts.recall, counts.f1)),
            *(f"{number:,}" for number in counts),
        ]
        for name, counts in each
    ]
    put_table(columns, rows)

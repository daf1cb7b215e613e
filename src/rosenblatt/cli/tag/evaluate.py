"""``rosenblatt tag evaluate``: how good a tagger is on files with tags."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rosenblatt.cli.command_builder import check_standard_input
from rosenblatt.console import (
    InputFiles,
    ModelFile,
    UsageError,
    option,
    percent,
    put,
    put_facts,
    put_json,
    put_table,
)
from rosenblatt.training.tagger_options import TagReadingOptions

if TYPE_CHECKING:
    from rosenblatt.evaluation.tagger import TaggerEvaluation

EXAMPLES = (
    "rosenblatt tag evaluate chunks.model test.txt",
    "rosenblatt tag evaluate pos.model test.conllu --json",
    "rosenblatt tag evaluate chunks.model test.txt --conlleval",
)


@dataclass
class TagEvaluateOptions(TagReadingOptions, InputFiles, ModelFile):
    """The options of `tag evaluate`."""

    conlleval: bool = option(
        "Print the output of the script conlleval of the CoNLL shared tasks.",
        default=False,
        group="What to show",
    )


def evaluate(options: TagEvaluateOptions) -> None:
    """Evaluate a tagger on files with the correct tags.

    For tags of spans, such as B-NP and I-NP, spans are counted, as conlleval does: one is correct
    if it starts and ends where a true one does, and has its type. Tags that the model does not know
    count as mistakes.
    """
    if options.conlleval and options.json:
        raise UsageError("--conlleval and --json cannot be combined")
    options.check()
    check_standard_input(options.files)
    from rosenblatt.cli.commands.evaluate import report_unknown, show_tables
    from rosenblatt.evaluation.tagger import evaluate_tagger
    from rosenblatt.prediction.model_files import open_tagger

    tagger = open_tagger(options.model, "evaluate")
    result = evaluate_tagger(tagger, options.files, options.format, options.names)
    if options.json:
        put_json({"model": options.model, **result.as_json()})
        return
    if options.conlleval:
        put(str(result.report))
    elif options.quiet:
        put_facts(_facts(result)[:1])
    else:
        put_facts(_facts(result))
        put()
        if result.of_spans:
            _show_spans(result)
        else:
            show_tables(result.metrics, "tag", "tokens")
    report_unknown(result.metrics.unknown, "tags", options.quiet)


def _facts(result: "TaggerEvaluation") -> list[tuple[str, str]]:
    right = result.metrics.examples - result.metrics.mistakes
    tokens = _share(right, result.metrics.examples, "tokens")
    facts = [
        ("accuracy", tokens),
        ("sentences", _share(result.right, result.sentences, "sentences")),
    ]
    if result.words is not None:
        new = _share(result.new_right, result.new, "tokens") + " (words not in training)"
        facts.append(("new words", new if result.new else "none: all words were in training"))
    if result.of_spans:
        total = result.report.total
        three = f"precision {percent(total.precision)}, recall {percent(total.recall)}"
        facts.insert(0, ("F1", f"{percent(total.f1)}, {three}"))
    return facts


def _share(right: int, total: int, what: str) -> str:
    share = percent(right / total if total else float("nan"))
    return f"{share}, {right:,} of {total:,} {what} right"


def _show_spans(result: "TaggerEvaluation") -> None:
    columns = ("type", "precision", "recall", "F1", "true", "found", "correct")
    each = [*result.report.types.items(), ("(all)", result.report.total)]
    rows = [
        [
            name,
            *(f"{share:.4f}" for share in (counts.precision, counts.recall, counts.f1)),
            *(f"{number:,}" for number in counts),
        ]
        for name, counts in each
    ]
    put_table(columns, rows)

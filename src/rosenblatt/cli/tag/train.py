"""``rosenblatt tag train``: train a tagger on files with tags."""

from typing import TYPE_CHECKING

from rosenblatt.cli.command_builder import (
    check_outputs,
    check_standard_input,
    remove_checkpoint,
)
from rosenblatt.console import put_json
from rosenblatt.training.tagger_options import TagOptions

if TYPE_CHECKING:
    from rosenblatt.training.tagger import TaggerResult

EXAMPLES = (
    "rosenblatt tag train train.txt --dev dev.txt -o chunks.model",
    "rosenblatt tag train train.conllu --dev dev.conllu -o pos.model",
    "rosenblatt tag train train.conllu --tag xpos --columns word,upos -o x.model",
    "rosenblatt tag train train.txt --columns word,pos,- --tag pos -o pos.model",
    "rosenblatt tag train train.txt --templates 'word; shape(word)' -o m.model",
    "rosenblatt tag train train.txt --list cities=cities.txt -o m.model",
    "rosenblatt tag train train.txt --workers 4 --rounds 20 -o m.model",
)


def train(options: TagOptions) -> None:
    """Train a tagger on files with the correct tags.

    Files have one token per line, with columns separated by blanks or tabs, and an empty line after
    each sentence; or they are CoNLL-U. They may be compressed (gzip, zstd). The tagger, an averaged
    structured perceptron, uses all columns except that of the tags. New files need the same ones,
    so skip columns that they will not have (--columns).
    """
    options.check()
    if options.uses_cluster_options or options.checkpoint is not None:
        from rosenblatt.training.tagger_cluster import check_options

        check_options(options)
    check_standard_input(options.files, options.dev)
    check_outputs(options, ("output", "checkpoint"), [*options.files, *(options.dev or [])])
    result = _train(options)
    from rosenblatt.models.saving import save
    from rosenblatt.training.tagger import show

    if options.output is not None:
        save(result.model, options.output)
        remove_checkpoint(result.checkpoint)
    if options.json:
        put_json(result.as_json(options.output))
    elif not (options.quiet and options.output):
        show(result, options.output, options.quiet)


def _train(options: TagOptions) -> "TaggerResult":
    if options.on_cluster:
        from rosenblatt.training.tagger_cluster import train_tagger_on_cluster

        return train_tagger_on_cluster(options)
    from rosenblatt.training.tagger import train_tagger

    return train_tagger(options)

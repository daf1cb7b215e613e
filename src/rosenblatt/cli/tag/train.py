"""``rosenblatt tag train``: train a tagger on files with tags."""

from rosenblatt.cli.command_builder import check_output, check_standard_input
from rosenblatt.console import put_json
from rosenblatt.training.command_options import TagOptions

EXAMPLES = (
    "rosenblatt tag train train.txt --dev dev.txt -o chunks.model",
    "rosenblatt tag train train.conllu --dev dev.conllu -o pos.model",
    "rosenblatt tag train train.conllu --tag xpos --columns word,upos -o x.model",
    "rosenblatt tag train train.txt --columns word,pos,- --tag pos -o pos.model",
    "rosenblatt tag train train.txt --templates 'word; shape(word)' -o m.model",
    "rosenblatt tag train train.txt --list cities=cities.txt -o m.model",
)


def train(options: TagOptions) -> None:
    """Train a tagger on files with the correct tags.

    Files have one token per line, with columns separated by blanks or tabs, and an empty line after
    each sentence; or they are CoNLL-U. They may be compressed (gzip, zstd). The tagger, an averaged
    structured perceptron, uses all columns except that of the tags. New files need the same ones,
    so skip columns that they will not have (--columns).
    """
    options.check()
    check_standard_input(options.files, options.dev)
    check_output(options.output, "--output", [*options.files, *(options.dev or [])])
    from rosenblatt.training.tagger import save_tagger, show, train_tagger

    result = train_tagger(options)
    if options.output is not None:
        save_tagger(result, options.output)
    if options.json:
        put_json(result.as_json(options.output))
    elif not (options.quiet and options.output):
        show(result, options.output, options.quiet)

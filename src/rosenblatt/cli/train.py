"""``rosenblatt train``: learn from files."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from rosenblatt.cli.job import DISTRIBUTIONS, Job
from rosenblatt.cli.options import (
    LEARNERS,
    ONLINE,
    Drop,
    Files,
    Format,
    Json,
    Label,
    Labels,
    Ngrams,
    OnError,
    Quiet,
    Text,
    Weight,
)
from rosenblatt.cli.output import one_line, put_json, say

if TYPE_CHECKING:
    from rosenblatt.cli.outcome import Outcome
    from rosenblatt.stream.checkpoints import Place

EXAMPLES = (
    "rosenblatt train mails.csv --text body --label kind -o spam.model",
    "rosenblatt train train.svm -o m.model --learner logistic --passes 10",
    "rosenblatt train train.svm --validation valid.svm --retrain --test test.svm",
    "cat train.vw | rosenblatt train - --bits 18 -o m.model --quiet",
    "rosenblatt train houses.csv --learner regression -o price.model",
    "rosenblatt train train.svm -o m.model --checkpoint m.checkpoint --resume",
)
_LEARNING, _JUDGING, _LONG = "Learning", "Judging", "Long runs"


def _option(*names: str, panel: str, **told: Any) -> Any:
    return typer.Option(*names, rich_help_panel=panel, **{"show_default": False, **told})


Output = Annotated[
    str | None,
    _option("--output", "-o", metavar="MODEL", help="Where to save the model.", panel=_LEARNING),
]
Learner = Annotated[
    str,
    _option(
        "--learner",
        metavar="NAME",
        help=f"{', '.join(LEARNERS)}.",
        panel=_LEARNING,
        show_default=True,
    ),
]
Passes = Annotated[
    int | None,
    _option(
        "--passes",
        metavar="N",
        help="How often to go through the files, unless a pass is without mistakes "
        "[default: 5; regression 20, batch 1000].",
        panel=_LEARNING,
    ),
]
Bits = Annotated[
    int | None,
    _option(
        "--bits",
        metavar="N",
        help="Hash names to 2^N columns: memory stays as it is, names are lost.",
        panel=_LEARNING,
    ),
]
Classes = Annotated[
    str | None,
    _option(
        "--classes",
        metavar="A,B,...",
        help="Classes that will come; else each competes from its first example on.",
        panel=_LEARNING,
    ),
]
NoIntercept = Annotated[
    bool, _option("--no-intercept", help="Planes go through the origin.", panel=_LEARNING)
]
Eta0 = Annotated[
    float | None,
    _option(
        "--eta0",
        metavar="NUMBER",
        help="The first step of logistic, svm, batch and regression [default: found].",
        panel=_LEARNING,
    ),
]
NoAverage = Annotated[
    bool,
    _option(
        "--no-average",
        help="Of logistic and svm: predict with the last weights, which follow what changes.",
        panel=_LEARNING,
    ),
]
Ties = Annotated[
    str | None,
    _option(
        "--ties",
        metavar="mistake|positive",
        help="What a score of exactly zero is, for perceptrons [default: mistake].",
        panel=_LEARNING,
    ),
]
Distribution = Annotated[
    str | None,
    _option(
        "--distribution",
        metavar="NAME",
        help=f"Of naive-bayes: {', '.join(DISTRIBUTIONS)} [default: auto, told from the values].",
        panel=_LEARNING,
    ),
]
Float64 = Annotated[
    bool, _option("--float64", help="Compute in float64, not float32.", panel=_LEARNING)
]
IgnoreWeights = Annotated[
    bool, _option("--ignore-weights", help="Leave out importance weights.", panel=_LEARNING)
]
Test = Annotated[
    list[str] | None,
    _option(
        "--test",
        metavar="FILE",
        help="Judge the model on this file in the end; may be given several times.",
        panel=_JUDGING,
    ),
]
Validation = Annotated[
    list[str] | None,
    _option(
        "--validation",
        metavar="FILE",
        help="Judge every pass on this file, and keep the best; may be given several times.",
        panel=_JUDGING,
    ),
]
Retrain = Annotated[
    bool,
    _option(
        "--retrain",
        help="Then train anew on all files, for as many passes as were best.",
        panel=_JUDGING,
    ),
]
Report = Annotated[
    str | None,
    _option("--report", metavar="FILE", help="Write a report in HTML.", panel=_JUDGING),
]
NoCache = Annotated[
    bool,
    _option(
        "--no-cache",
        help="Read the files again for every pass, rather than keep rows in a temporary file.",
        panel=_LONG,
    ),
]
Checkpoint = Annotated[
    str | None,
    _option(
        "--checkpoint",
        metavar="FILE",
        help="Write down how far training is. It is deleted once the model is saved.",
        panel=_LONG,
    ),
]
CheckpointEvery = Annotated[
    float,
    _option(
        "--checkpoint-every",
        metavar="SECONDS",
        help="How often.",
        panel=_LONG,
        show_default=True,
    ),
]
Resume = Annotated[
    bool,
    _option(
        "--resume",
        help="Go on from the checkpoint; from the beginning if there is none yet.",
        panel=_LONG,
    ),
]


def train(
    files: Files,
    output: Output = None,
    learner: Learner = "averaged",
    passes: Passes = None,
    bits: Bits = None,
    classes: Classes = None,
    no_intercept: NoIntercept = False,
    eta0: Eta0 = None,
    no_average: NoAverage = False,
    ties: Ties = None,
    distribution: Distribution = None,
    float64: Float64 = False,
    ignore_weights: IgnoreWeights = False,
    test: Test = None,
    validation: Validation = None,
    retrain: Retrain = False,
    report: Report = None,
    no_cache: NoCache = False,
    checkpoint: Checkpoint = None,
    checkpoint_every: CheckpointEvery = 30.0,
    resume: Resume = False,
    format: Format = "auto",  # noqa: A002
    label: Label = None,
    text: Text = None,
    ngrams: Ngrams = None,
    weight: Weight = None,
    drop: Drop = None,
    labels: Labels = None,
    on_error: OnError = "stop",
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Learn a linear model from files of any size.

    Examples are taken in the order of the files. Each is predicted before it is learned from, and
    these mistakes are counted; averaged weights, once learned, make fewer. Formats and compression
    (gzip, zstd) are recognised.
    """
    job = Job(**locals())
    job.check()
    _finish(job, _trained(job))


def _trained(job: Job) -> "Outcome":
    from rosenblatt.readers.sources import expand

    for later in (job.test, job.validation):
        expand(later or [])  # what is not there is to be known now, and not in an hour
    if job.learner in ONLINE:
        from rosenblatt.cli.training import train_online

        return train_online(job)
    from rosenblatt.cli.fitting import train_estimator

    return train_estimator(job)


def _finish(job: Job, outcome: "Outcome") -> None:
    """Save, judge and show what came out."""
    if job.output is not None:
        _save(job, outcome)  # first, so that nothing that is wrong with other files can cost it
    if job.test:
        _judge(job, outcome)
    if job.report is not None:
        from rosenblatt.cli.report import write_report
        from rosenblatt.cli.report_facts import report_of

        write_report(job.report, report_of(outcome, job))
    if job.json:
        put_json(outcome.as_json(job.output))
    elif not (job.quiet and job.output and not job.test):
        from rosenblatt.cli.outcome import show

        show(outcome, job.output, job.quiet)


def _judge(job: Job, outcome: "Outcome") -> None:
    from rosenblatt.cli.counted import Counted
    from rosenblatt.cli.judging import judge

    assert job.test is not None
    names = outcome.predictor.names
    reading = job.test_reading(outcome.reader.label)
    outcome.test = judge(outcome.predictor, Counted(job.test, reading, names=names))


def _save(job: Job, outcome: "Outcome") -> None:
    """Save the model with what is needed to read more files, and what is worth knowing of it."""
    from rosenblatt.models.saving import save

    assert job.output is not None
    extra: dict[str, Any] = {
        "reading": outcome.reader.reading_header(),
        "summary": outcome.facts(),
        "learner": outcome.predictor.learner,
    }
    if job.learner not in ONLINE:
        names = outcome.predictor.names
        extra["names"] = {"header": names.header(), "arrays": names.arrays()}
    save(outcome.predictor.model, job.output, extra=extra)
    if outcome.checkpoint is not None:
        _remove(outcome.checkpoint)


def _remove(checkpoint: "Place") -> None:
    """Delete the checkpoint, unless something else is there by now."""
    try:
        checkpoint.remove()
    except (OSError, ValueError) as error:
        say(f"the model is saved, but the checkpoint is still there: {one_line(error)}")

"""``rosenblatt train``: learn from files."""

from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rosenblatt.cli.options import (
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
    check_bits,
    check_output,
    check_standard_input,
)
from rosenblatt.console import UsageError, choice, one_line, put_json, say
from rosenblatt.readers.options import reading_given
from rosenblatt.registry import CLOSED_FORMS, LEARNERS, ONLINE
from rosenblatt.training.options import TrainOptions, numbers_or_names

if TYPE_CHECKING:
    from rosenblatt.training.checkpoints import Place
    from rosenblatt.training.summary import Outcome

EXAMPLES = (
    "rosenblatt train mails.csv --text body --label kind -o spam.model",
    "rosenblatt train train.svm -o m.model --learner logistic --passes 10",
    "rosenblatt train train.svm --validation valid.svm --retrain --test test.svm",
    "cat train.vw | rosenblatt train - --bits 18 -o m.model --quiet",
    "rosenblatt train houses.csv --learner regression -o price.model",
    "rosenblatt train train.svm -o m.model --checkpoint m.checkpoint --resume",
)
DISTRIBUTIONS = ("auto", "gaussian", "bernoulli", "multinomial")
# Which learners have a use for an option; the others are refused it, rather than ignore it.
_USES = {
    "eta0": ("logistic", "svm", "batch", "regression"),
    "no_average": ("logistic", "svm"),
    "ties": ("averaged", "perceptron", "voted", "batch"),
    "no_intercept": (*ONLINE, "batch", "regression"),
    "passes": (*ONLINE, "batch", "regression"),
    "classes": (*ONLINE, *CLOSED_FORMS),
    "validation": ONLINE,
    "retrain": ONLINE,
    "checkpoint": ONLINE,
    "resume": ONLINE,
    "distribution": ("naive-bayes",),
}
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
    job = TrainOptions(**locals())
    _check(job)
    _finish(job, _trained(job))


def _check(job: TrainOptions) -> None:
    """Raise `UsageError` for options that make no sense, alone or together."""
    choice(job.learner, LEARNERS, "--learner")
    choice(job.ties or "mistake", ("mistake", "positive"), "--ties")
    choice(job.distribution or "auto", DISTRIBUTIONS, "--distribution")
    check_bits(job.bits)
    if job.passes is not None and job.passes < 1:
        raise UsageError(f"--passes {job.passes} must be 1 or more")
    if job.eta0 is not None and not 0 < job.eta0 < float("inf"):
        raise UsageError(f"--eta0 {job.eta0:g} must be a positive number")
    for name, learners in _USES.items():
        if getattr(job, name) and job.learner not in learners:
            option = "--" + name.replace("_", "-")
            raise UsageError(f"{option} is not for {job.learner}, but for {_list(learners)}")
    _check_together(job)
    inputs = [*job.files, *(job.test or []), *(job.validation or [])]
    for option in ("output", "checkpoint", "report"):
        check_output(getattr(job, option), f"--{option}", inputs)
    _check_outputs(job)
    reading_given(vars(job))


def _check_outputs(job: TrainOptions) -> None:
    """Refuse to write two things to one file, or a checkpoint over something else."""
    outputs = {
        option: Path(path).resolve()
        for option in ("output", "checkpoint", "report")
        if (path := getattr(job, option)) is not None
    }
    for one, other in combinations(outputs, 2):
        if outputs[one] == outputs[other]:
            raise UsageError(f"--{one} and --{other} are the same file; name another")
    if (place := outputs.get("checkpoint")) is not None and place.exists():
        from rosenblatt.training.checkpoints import Place

        try:
            Place(place).check()
        except (OSError, ValueError) as error:
            raise UsageError(
                f"--checkpoint {job.checkpoint} is there and is not a whole checkpoint, so it "
                f"stays as it is: name another file, or move it away ({one_line(error)})"
            ) from None


def _check_together(job: TrainOptions) -> None:
    if job.classes is not None and len(set(numbers_or_names(job.classes))) < 2:
        raise UsageError("--classes needs two different classes at least, such as ham,spam")
    if job.retrain and not job.validation:
        raise UsageError("--retrain needs --validation, which says how many passes are best")
    if job.resume and not job.checkpoint:
        raise UsageError("--resume needs --checkpoint, the file to go on from")
    if job.checkpoint_every <= 0:
        raise UsageError(f"--checkpoint-every {job.checkpoint_every:g} must be positive")
    again = {"validation": job.validation, "retrain": job.retrain and job.files}
    for name, files in again.items():
        if files and "-" in files:
            raise UsageError(f"--{name} reads its files again, and standard input (-) is gone")
    check_standard_input(job.files, job.test, job.labels)
    if job.no_cache and "-" in job.files and job.n_passes > 1:
        raise UsageError(
            "standard input can be read only once: leave out --no-cache, or take --passes 1"
        )


def _list(names: tuple[str, ...]) -> str:
    return ", ".join(names[:-1]) + f" and {names[-1]}" if len(names) > 1 else names[0]


def _trained(job: TrainOptions) -> "Outcome":
    from rosenblatt.readers.sources import expand

    for later in (job.test, job.validation):
        expand(later or [])  # what is not there is to be known now, and not in an hour
    if job.learner in ONLINE:
        from rosenblatt.training.online import train_online

        return train_online(job)
    from rosenblatt.training.estimators import train_estimator

    return train_estimator(job)


def _finish(job: TrainOptions, outcome: "Outcome") -> None:
    """Save, judge and show what came out."""
    if job.output is not None:
        _save(job, outcome)  # first, so that nothing that is wrong with other files can cost it
    if job.test:
        _judge(job, outcome)
    if job.report is not None:
        from rosenblatt.report.facts import report_of
        from rosenblatt.report.page import write_report

        write_report(job.report, report_of(outcome, job))
    if job.json:
        put_json(outcome.as_json(job.output))
    elif not (job.quiet and job.output and not job.test):
        from rosenblatt.training.summary import show

        show(outcome, job.output, job.quiet)


def _judge(job: TrainOptions, outcome: "Outcome") -> None:
    from rosenblatt.evaluation.files import evaluate_files
    from rosenblatt.readers.reader import CountingReader

    assert job.test is not None
    names = outcome.predictor.names
    reading = job.test_reading(outcome.reader.label)
    outcome.test = evaluate_files(outcome.predictor, CountingReader(job.test, reading, names=names))


def _save(job: TrainOptions, outcome: "Outcome") -> None:
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

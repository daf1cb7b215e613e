"""What the options of several commands that learn have in common: groups, checkpoints, clusters."""

from dataclasses import dataclass
from functools import partial
from typing import Any

from rosenblatt.console import UsageError, option

learning = partial(option, group="Learning")
evaluation = partial(option, group="Evaluation")
long_runs = partial(option, group="Long runs")
reading_files = partial(option, group="Reading files")
several_processes = partial(option, group="Several processes")

checkpoint_option = partial(
    long_runs,
    "Save the state of training to this file, which is deleted once the model is saved.",
    metavar="FILE",
)
resume_option = partial(
    long_runs,
    "Continue from the checkpoint; start from the beginning if there is none yet.",
    default=False,
)


def check_resume(options: Any) -> None:
    """Raise `UsageError` if there is nothing to resume from."""
    if options.resume and not options.checkpoint:
        raise UsageError("--resume needs --checkpoint, the file to continue from")


@dataclass
class ClusterOptions:
    """What `train` and `tag train` have to learn in shards, on several processes or machines."""

    workers: int | None = several_processes(
        "Learn with N processes on this machine, each from its part of the files (needs "
        "rosenblatt[cluster]).",
        metavar="N",
    )
    cluster: str | None = several_processes(
        "Learn on the Dask cluster whose scheduler is here, such as tcp://10.0.0.1:8786. Files "
        "must be where all workers see them.",
        metavar="ADDRESS",
    )
    rounds: int | None = several_processes(
        "The largest number of rounds: in each, all parts are learned from at once, and the "
        "weights are mixed [default: 10].",
        metavar="N",
    )
    shards: int | None = several_processes(
        "Cut the files into about N parts, on which the result depends [default: as many as there "
        "are workers, but no part above 1 GiB].",
        metavar="N",
    )

    @property
    def on_cluster(self) -> bool:
        """Whether to learn in shards."""
        return self.workers is not None or self.cluster is not None

    @property
    def uses_cluster_options(self) -> bool:
        """Whether any of these options is given."""
        return self.on_cluster or self.rounds is not None or self.shards is not None

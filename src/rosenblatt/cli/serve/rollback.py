"""``rosenblatt serve rollback``: go back to an earlier state of a model."""

from dataclasses import dataclass

from rosenblatt.cli.serve.options import DataOptions, ServedModel, existing, needs_extra
from rosenblatt.console import UsageError, choice, option, say

EXAMPLES = ("rosenblatt serve rollback clicks --to 120000 --data service",)


@dataclass
class RollbackOptions(DataOptions, ServedModel):
    """The options of `serve rollback`."""

    to: int | None = option(
        "The position to go back to: the number of examples learned until then, as answers to "
        ":learn say.",
        metavar="POSITION",
    )


def rollback(options: RollbackOptions) -> None:
    """Go back to the state that a model had after an earlier example.

    The service must have stopped. What was learned since stays in the log, so that the step back
    can be taken back in the same way.
    """
    if options.to is None:
        raise UsageError("--to POSITION is missing: where to go back to")
    folder = existing(options)
    with needs_extra():
        from rosenblatt.serve import states
        from rosenblatt.serve.log import Log
    log = Log(folder)
    try:
        choice(options.name, list(log.models()), "NAME")
        last, first = log.last(log.models()[options.name]), states.first_covered(log, options.name)
        if not first <= options.to <= last:
            raise UsageError(
                f"--to {options.to} must be between {first}, the oldest snapshot, and {last}, the "
                f"last position of {options.name}"
            )
        position = states.roll_back(log, options.name, options.to)
    finally:
        log.close()
    say(
        f"{options.name} is as it was at position {options.to:,}, and goes on at {position:,}",
        quiet=options.quiet,
    )

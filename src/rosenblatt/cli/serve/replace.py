"""``rosenblatt serve replace``: another model takes the place of one that is served."""

import secrets
from dataclasses import dataclass
from pathlib import Path

from rosenblatt.cli.serve.options import DataOptions, ServedModel, existing, needs_extra
from rosenblatt.console import UsageError, argument, choice, option, say

EXAMPLES = (
    "rosenblatt serve replace clicks retrained.model --data service",
    "rosenblatt serve replace clicks retrained.model --token-file token",
)


@dataclass
class NewModel(ServedModel):
    """A model, and what takes its place."""

    file: str = argument("FILE", "The file of the model that takes its place.")


@dataclass
class ReplaceOptions(DataOptions, NewModel):
    """The options of `serve replace`."""

    token_file: str | None = option("The token of the service, if it has one.", metavar="FILE")


def replace(options: ReplaceOptions) -> None:
    """Put another model in the place of one that is served, between two requests.

    A service that runs goes on without a pause. What was there before can come back:
    see `rosenblatt serve rollback`.
    """
    folder = existing(options)
    with needs_extra():
        from rosenblatt.client import Client, ServiceError
        from rosenblatt.serve import states
        from rosenblatt.serve.guard import read_token
        from rosenblatt.serve.log import Log, LogError
        from rosenblatt.serve.model import learns, opened
    model = opened(options.file)
    if not learns(model):
        raise UsageError(
            f"{options.file} does not learn from single examples; start the service anew"
        )
    try:
        log = Log(folder)
    except LogError:
        address = folder / "address"
        if not address.is_file():  # no service that runs has it
            raise
        token = None if options.token_file is None else read_token(Path(options.token_file))
        file = states.put_incoming(folder, model, secrets.token_hex(8))
        try:
            client = Client(address.read_text(encoding="ascii"), token=token)
            position = client.replace(options.name, file.name)
        except ServiceError as error:
            raise ValueError(f"the service refuses the model: {error}") from None
        finally:
            file.unlink(missing_ok=True)
    else:
        try:
            choice(options.name, list(log.models()), "NAME")
            position = states.replace(log, options.name, model)
        finally:
            log.close()
    say(f"{options.name} is {options.file} from position {position:,} on", quiet=options.quiet)

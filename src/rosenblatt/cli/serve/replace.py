"""``rosenblatt serve replace``: another model takes the place of one that is served."""

import secrets
from dataclasses import dataclass
from pathlib import Path

from rosenblatt.cli.serve.options import DataOptions, existing, known_name, needs_extra
from rosenblatt.console import UsageError, argument, option, say

EXAMPLES = (
    "rosenblatt serve replace clicks retrained.model --data service",
    "rosenblatt serve replace clicks retrained.model --token-file token",
)


@dataclass
class ReplaceOptions(DataOptions):
    """The options of `serve replace`."""

    name: str = argument("NAME", "The model that is served.", default="")
    file: str = argument("FILE", "The file of the model that takes its place.", default="")
    token_file: str | None = option("The token of the service, if it has one.", metavar="FILE")


def replace(options: ReplaceOptions) -> None:
    """Put another model in the place of one that is served, between two requests.

    A service that runs goes on without a pause. What was there before can come back:
    see `rosenblatt serve rollback`.
    """
    if not options.file:
        raise UsageError("FILE is missing: the model that takes its place")
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
        token = None if options.token_file is None else read_token(Path(options.token_file))
        file = states.put_incoming(folder, model, secrets.token_hex(8))
        try:
            client = Client((folder / "address").read_text(encoding="ascii"), token=token)
            position = client.replace(options.name, file.name)
        except ServiceError as error:
            raise ValueError(f"the service refuses the model: {error}") from None
        finally:
            file.unlink(missing_ok=True)
    else:
        try:
            known_name(options.name, log.models())
            position = states.replace(log, options.name, model)
        finally:
            log.close()
    say(f"{options.name} is {options.file} from position {position:,} on", quiet=options.quiet)

"""What the commands of ``rosenblatt serve`` share."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rosenblatt.console import QuietOption, UsageError, argument, option

_EXTRA = ("httptools", "orjson", "prometheus_client", "starlette", "uvicorn")


@dataclass
class DataOptions(QuietOption):
    """Where the service has its data."""

    data: str = option(
        "The folder with the log and the snapshots; made if there is none.",
        default="rosenblatt-service",
        metavar="FOLDER",
        group="On disk",
    )


@dataclass
class ServedModel:
    """The model that a command is about."""

    name: str = argument("NAME", "The model, by the name that it is served under.")


@contextmanager
def needs_extra() -> Iterator[None]:
    """Say what is missing if the packages of the service are not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        name = (error.name or "").partition(".")[0]
        if name not in _EXTRA:
            raise
        raise ValueError(
            f"the service needs {name}, which is not installed: pip install 'rosenblatt[serve]'"
        ) from None


def existing(options: DataOptions) -> Path:
    """Return the data folder, which must be there."""
    folder = Path(options.data)
    if not (folder / "service.db").is_file():
        raise UsageError(
            f"there is no service in {folder}; name the folder of rosenblatt serve with --data"
        )
    return folder

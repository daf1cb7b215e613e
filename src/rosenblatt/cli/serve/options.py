"""What the commands of ``rosenblatt serve`` share."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rosenblatt.console import QuietOption, UsageError, choice, option

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


def known_name(name: str | None, known: Iterable[str]) -> None:
    """Raise ``UsageError`` unless a model of this name is in the data folder."""
    if not name:
        raise UsageError(f"NAME is missing: the model, one of {', '.join(known)}")
    choice(name, list(known), "NAME")


def existing(options: DataOptions) -> Path:
    """Return the data folder, which must be there."""
    folder = Path(options.data)
    if not (folder / "service.db").is_file():
        raise UsageError(
            f"there is no service in {folder}; name the folder of rosenblatt serve with --data"
        )
    return folder

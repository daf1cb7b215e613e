"""``rosenblatt lab``: the lab in the browser."""

import sys
from typing import Annotated

import typer

from rosenblatt.cli.options import Quiet
from rosenblatt.console import UsageError, put, say

EXAMPLES = (
    "rosenblatt lab",
    "rosenblatt lab --no-open --port 8000",
    "rosenblatt lab '#/playground?preset=xor&learner=kernel'",
)

Link = Annotated[
    str | None,
    typer.Argument(
        metavar="[LINK]",
        help="A link that somebody copied from their lab: what it shows is shown here.",
        show_default=False,
    ),
]
Port = Annotated[
    int | None,
    typer.Option("--port", metavar="N", help="The port, 1957 by default, or any if that is taken."),
]
NoOpen = Annotated[bool, typer.Option("--no-open", help="Only show the address.")]


def lab(
    link: Link = None,
    port: Port = None,
    no_open: NoOpen = False,
    quiet: Quiet = False,
) -> None:
    """Open the lab in the browser, and watch the learners learn.

    The page is served on this machine alone, to those who have its address. Ctrl-C ends it.
    """
    if port is not None and not 0 <= port < 1 << 16:
        raise UsageError(f"--port {port} must lie in 0…65535; 0 is any free one")
    fragment = "" if link is None else _fragment(link)
    try:
        from rosenblatt.lab.serve import Lab, listen
    except ModuleNotFoundError as error:
        name = (error.name or "").partition(".")[0]
        if name not in ("starlette", "uvicorn", "websockets"):
            raise
        raise ValueError(
            f"the lab needs {name}, which is not installed: pip install 'rosenblatt[lab]'"
        ) from None
    listener = listen(port)
    say("Getting ready; the very first time this takes a minute …", quiet=quiet)

    def ready(url: str) -> None:
        put(f"{url}{fragment}")
        sys.stdout.flush()  # who reads it through a pipe gets it now
        if not no_open and not running.open_browser(f"{url}{fragment}"):
            say("No browser could be opened: open this address in one.", quiet=quiet)
        say("Ctrl-C ends the lab.", quiet=quiet)

    running = Lab(listener, on_ready=ready)
    running.serve_until_stopped()
    say("The lab is closed.", quiet=quiet)


def _fragment(link: str) -> str:
    """Return what a link says about what to show."""
    mark, found = link.find("#"), link.partition("#")[2]
    if mark < 0 or not found.startswith("/"):
        raise UsageError(f"{link!r} is no link from a lab: what it shows stands behind '#/'")
    return f"#{found}"

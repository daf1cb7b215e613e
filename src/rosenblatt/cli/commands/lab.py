"""``rosenblatt lab``: the lab in the browser."""

import sys
from dataclasses import dataclass
from functools import partial

from rosenblatt.console import QuietOption, UsageError, argument, option, put, say

EXAMPLES = (
    "rosenblatt lab",
    "rosenblatt lab --no-open --port 8000",
    "rosenblatt lab '#/playground?preset=xor&learner=kernel'",
)

_serving = partial(option, group="Serving")


@dataclass
class LabOptions(QuietOption):
    """The options of `lab`."""

    link: str | None = argument(
        "[LINK]", "A link that was copied from a lab: opens what it shows.", default=None
    )
    port: int | None = _serving(
        "The port [default: 1957, or any free one if that is taken].", metavar="N"
    )
    no_open: bool = _serving("Only print the address.", default=False)


def lab(options: LabOptions) -> None:
    """Open the lab in the browser, and watch the learners learn.

    The page is served only on this machine, to those who have its address. Ctrl-C stops it.
    """
    port, quiet = options.port, options.quiet
    if port is not None and not 0 <= port < 1 << 16:
        raise UsageError(f"--port {port} must be between 0 and 65535; 0 is any free port")
    fragment = "" if options.link is None else _fragment(options.link)
    try:
        from rosenblatt.lab.serve import Lab, listen
    except ModuleNotFoundError as error:
        name = (error.name or "").partition(".")[0]
        if name not in ("h11", "starlette", "uvicorn", "websockets"):
            raise
        raise ValueError(
            f"the lab needs {name}, which is not installed: pip install 'rosenblatt[lab]'"
        ) from None
    listener = listen(port)
    say("Getting ready …", quiet=quiet)

    def ready(url: str) -> None:
        put(f"{url}{fragment}")
        sys.stdout.flush()  # for readers of a pipe
        if not options.no_open and not running.open_browser(f"{url}{fragment}"):
            say("No browser could be opened: open this address in one.", quiet=quiet)
        say("Ctrl-C ends the lab.", quiet=quiet)

    running = Lab(listener, on_ready=ready)
    running.serve_until_stopped()
    say("The lab is closed.", quiet=quiet)


def _fragment(link: str) -> str:
    """Return the part of a link that says what to show."""
    fragment = link.partition("#")[2]
    if not fragment.startswith("/"):
        raise UsageError(f"{link!r} is not a link from a lab, which has '#/' and what to show")
    return f"#{fragment}"

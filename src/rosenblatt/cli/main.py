"""The entry point: runs a command, and turns errors into messages and exit codes."""

import _thread
import gc
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

import click

from rosenblatt._version import __version__
from rosenblatt.cli.command_builder import Group
from rosenblatt.cli.standard_streams import set_up
from rosenblatt.console import one_line, say

FAILED, INTERRUPTED, BROKEN_PIPE = 1, 130, 141
COMMANDS = (
    "train",
    "predict",
    "evaluate",
    "compare",
    "tune",
    "separate",
    "trace",
    "inspect",
    "explain",
    "calibrate",
    "tag",
    "lab",
    "serve",
    "datasets",
    "warm-up",
)
EXAMPLES = (
    "rosenblatt train mails.csv --text body -o spam.model",
    "rosenblatt predict spam.model mails.csv",
    "rosenblatt train --help",
)


@contextmanager
def guarded() -> Iterator[None]:
    """Turn errors in files and data into a one-line message and an exit code."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader is gone, which is not an error; Python would complain when it closes the pipe.
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        raise click.exceptions.Exit(BROKEN_PIPE) from None
    except KeyboardInterrupt:
        say("\nrosenblatt: interrupted")
        raise click.exceptions.Exit(INTERRUPTED) from None
    except (ValueError, OSError, ImportError, MemoryError) as error:
        from traceback import clear_frames

        clear_frames(error.__traceback__)  # so that files are closed now
        say(f"rosenblatt: {one_line(error)}")
        raise click.exceptions.Exit(FAILED) from None


def interrupt_again(lost: Any) -> None:
    """Repeat a Ctrl-C that came where Python drops exceptions, such as within an import."""
    if not issubclass(lost.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(lost)
        return
    again = threading.Timer(0.01, _interrupt)
    again.daemon = True
    again.start()


def _interrupt() -> None:
    """Send the main thread a Ctrl-C, which ends its waiting, too, where the system can do that."""
    main = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main is not None:
        signal.pthread_kill(main, signal.SIGINT)
    else:
        _thread.interrupt_main()


def exit_now(code: str | int | None) -> NoReturn:
    """Exit at once, without cleaning up memory, which would take a tenth of a second."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        code = code or BROKEN_PIPE
    except (OSError, ValueError) as error:
        if not code:  # else an error has been reported
            say(f"rosenblatt: {one_line(error)}")
            code = FAILED
    with suppress(OSError, ValueError):
        sys.stderr.flush()
    os._exit(code if isinstance(code, int) else 0 if code is None else FAILED)


class Commands(Group):
    """All commands."""

    def make_context(self, *args: Any, **options: Any) -> click.Context:
        """Read the options; Ctrl-C meanwhile, as while help is made, ends it as it does later."""
        with guarded():
            return super().make_context(*args, **options)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; errors in the data become one line instead of a traceback."""
        with guarded():
            return super().invoke(ctx)


app = Commands(
    "rosenblatt",
    "rosenblatt.cli.commands",
    COMMANDS,
    help="""Linear classifiers that learn from their mistakes, from files of any size.

    The exit status is 0 if all is well, 1 if something is wrong with the data or results cannot be
    written, 2 if something is wrong with the options, and 130 if the command was interrupted.
    """,
    examples=EXAMPLES,
    context_settings={"help_option_names": ["--help", "-h"]},
)
click.version_option(__version__, message="%(prog)s %(version)s", help="Show the version.")(app)


def main() -> None:
    """Run the command line."""
    gc.set_threshold(50_000, 20, 20)  # imports make many objects, but no garbage
    # NumPy starts threads for products of matrices, which by default look for work for 30 ms before
    # they sleep: longer than many a command takes. This is the power of two of cycles to look.
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "14")
    set_up()
    sys.unraisablehook = interrupt_again
    try:
        app(prog_name="rosenblatt")
    except SystemExit as end:
        exit_now(end.code)
    except KeyboardInterrupt:  # before a command begins, or after it ends
        exit_now(INTERRUPTED)
    except OSError as error:  # from --help and --version, which no command handles
        say(f"rosenblatt: {one_line(error)}")
        exit_now(FAILED)

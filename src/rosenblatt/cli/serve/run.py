"""``rosenblatt serve MODEL...``: start the service."""

import re
import signal
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rosenblatt.cli.serve.options import DataOptions, needs_extra
from rosenblatt.console import UsageError, argument, choice, count, duration, option, put, say
from rosenblatt.learner_registry import ONLINE, REGRESSION, trainable

EXAMPLES = (
    "rosenblatt serve clicks.model --data service",
    "rosenblatt serve --new spam --learner averaged --bits 18",
    "rosenblatt serve ads=ads-2.model --host 10.0.0.5 --token-file token",
)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_LEARNERS = trainable(ONLINE, REGRESSION)
_TAKEN = ("incoming", "lock", "address")  # in the data folder, beside the models' folders
_listening = partial(option, group="Listening")
_new = partial(option, group="New models")
_disk = partial(option, group="On disk")


@dataclass
class RunOptions(DataOptions):
    """The options of `serve`."""

    models: list[str] | None = argument(
        "[MODEL...]",
        "Model files, each served under the name of the file, or NAME=FILE. One that was served "
        "from the data folder before goes on as it was when it stopped.",
        default=None,
    )
    new: list[str] | None = _new(
        "Serve a new model of this name; repeat it for more.", metavar="NAME"
    )
    learner: str = _new(f"{', '.join(_LEARNERS)}.", default="logistic", metavar="NAME")
    bits: int | None = _new(
        "Hash the names of features to 2^N columns, so that memory is bounded.", metavar="N"
    )
    port: int = _listening("The port; 0 is any free one.", default=8957, metavar="N")
    host: str = _listening(
        "The address to listen on; any but this machine's own needs --token-file.",
        default="127.0.0.1",
        metavar="ADDRESS",
    )
    token_file: str | None = _listening(
        "A file with a token, which requests must have.", metavar="FILE"
    )
    max_body: float = _listening(
        "The largest body of a request, in MB.", default=16.0, metavar="MB"
    )
    snapshot_every: int = _disk(
        "Write a snapshot after so many examples, and every ten minutes with any.",
        default=100_000,
        metavar="N",
    )
    snapshots: int = _disk(
        "How many snapshots to keep, and the log back to the oldest.", default=10, metavar="N"
    )
    keep_hours: float = _disk(
        "How long predictions are kept for their labels to come.", default=168.0, metavar="HOURS"
    )


def run(options: RunOptions) -> None:
    """Serve models that predict and go on learning, over HTTP."""
    given = _named(options)
    _check(options)
    with needs_extra():
        from rosenblatt.serve.guard import LOOPBACK, read_token
        from rosenblatt.serve.log import Log
        from rosenblatt.serve.payloads import Limits
        from rosenblatt.serve.server import Service, listen
        from rosenblatt.serve.states import Settings
    if options.host not in LOOPBACK and options.token_file is None:
        raise UsageError(
            f"--host {options.host} can be reached by others, so it needs --token-file FILE with a "
            "token, such as that of: openssl rand -hex 32"
        )
    token = None if options.token_file is None else read_token(Path(options.token_file))
    opened = {name: _opened(path) for name, path in given.items()}
    if not opened and not options.new and not (Path(options.data) / "service.db").is_file():
        raise _nothing(options.data)
    listener = listen(options.host, options.port)
    log = Log(options.data)
    try:
        (log.folder / "address").unlink(missing_ok=True)  # of one that was killed
        models = _models(log, opened, options)
        settings = Settings(
            options.snapshot_every,
            snapshots=options.snapshots,
            keep_seconds=options.keep_hours * 3600,
            answer_seconds=(options.keep_hours + 24) * 3600,
        )
        limits = Limits(body=int(options.max_body * 1e6))

        def ready(url: str) -> None:
            put(url)
            sys.stdout.flush()  # for readers of a pipe
            (log.folder / "address").write_text(url, encoding="ascii")
            say("Ctrl-C ends the service.", quiet=options.quiet)

        service = Service(
            log, models, options.host, listener, token, limits, settings, on_ready=ready
        )
    except BaseException:
        log.close()
        raise

    def stop(*_: object) -> None:
        service.should_exit = True

    signal.signal(signal.SIGTERM, stop)  # uvicorn's own handler is in its place meanwhile
    service.serve_until_stopped()
    (log.folder / "address").unlink(missing_ok=True)
    say("The service has stopped; all that was learned is on disk.", quiet=options.quiet)


def _named(options: RunOptions) -> dict[str, str]:
    """Return the files of models by the names to serve them under."""
    given: dict[str, str] = {}
    for one in options.models or []:
        name, is_named, path = one.partition("=")
        if not is_named or "/" in name:
            name, path = Path(one).stem, one
        _check_name(name, one)
        if name in given:
            raise UsageError(f"two models are called {name}; name one, as in OTHER={path}")
        given[name] = path
    for name in options.new or []:
        _check_name(name, f"--new {name}")
        if name in given:
            raise UsageError(f"--new {name}: there is a model file of this name; choose another")
    return given


def _check_name(name: str, what: str) -> None:
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{what}: {name!r} cannot be part of an address; give a name of letters, digits and "
            "-_., as in NAME=FILE"
        )
    if name.lower() in _TAKEN or name.lower().startswith("service.db"):
        raise UsageError(f"{what}: a file of the service is called {name}; choose another name")


def _check(options: RunOptions) -> None:
    from rosenblatt.readers.names import MOST_BITS

    choice(options.learner, _LEARNERS, "--learner")
    if options.bits is not None and not 1 <= options.bits <= MOST_BITS:
        raise UsageError(f"--bits {options.bits} must be between 1 and {MOST_BITS}")
    if not 0 <= options.port < 1 << 16:
        raise UsageError(f"--port {options.port} must be between 0 and 65535; 0 is any free port")
    for name, least in (("snapshot_every", 1), ("snapshots", 1), ("keep_hours", 0)):
        if getattr(options, name) < least:
            shown = name.replace("_", "-")
            raise UsageError(f"--{shown} {getattr(options, name)} must be {least} or more")
    if not 0.001 <= options.max_body <= 1000:
        raise UsageError(f"--max-body {options.max_body} must be between 0.001 and 1000")


def _opened(path: str) -> Any:
    from rosenblatt.serve.model import opened

    return opened(path)


def _new_model(options: RunOptions) -> Any:
    from rosenblatt import OnlineClassifier, OnlineRegressor

    if _LEARNERS[options.learner].trains == REGRESSION:
        return OnlineRegressor(bits=options.bits)
    return OnlineClassifier(options.learner, bits=options.bits)


def _models(log: Any, opened: dict[str, Any], options: RunOptions) -> dict[str, Any]:
    """Return what is served: models on disk as they were, and new ones, which are put there."""
    from rosenblatt.serve import states
    from rosenblatt.serve.model import ReadOnly, learns

    others: dict[str, Any] = {}
    known, kept = log.models(), list[str]()
    for name in options.new or []:
        if name not in known:
            opened[name] = _new_model(options)
        else:
            kept.append(name)
    for name, model in opened.items():
        if not learns(model):
            others[name] = ReadOnly(name, model)
        elif name in known:
            say(
                f"{name}: going on with what {log.folder} has; to begin anew with this file: "
                f"rosenblatt serve replace {name} FILE",
                quiet=options.quiet,
            )
        else:
            states.add(log, name, model)
    found = {name: _restored(log, name, options.quiet) for name in log.models()} | others
    if not found:
        raise _nothing(log.folder)
    wanted = _new_model(options)
    for name in kept:
        if _settings(found[name].front) != _settings(wanted):
            say(
                f"{name}: going on with what {log.folder} has ({_settings(found[name].front)}); "
                "--learner and --bits are for models that are new",
                quiet=options.quiet,
            )
    return found


def _settings(model: Any) -> str:
    return f"{model._options.learner}, {model.bits or 'no'} bits"


def _nothing(folder: Any) -> UsageError:
    return UsageError(
        f"there is nothing to serve: name a model file, or --new NAME ({folder} has none)"
    )


def _restored(log: Any, name: str, quiet: bool) -> Any:
    from time import perf_counter

    from rosenblatt.serve import states
    from rosenblatt.waiting import PATIENCE

    start = told = perf_counter()
    total = 0

    def tell(done: int) -> None:
        nonlocal told, total
        now, total = perf_counter(), done
        if now - told > PATIENCE:
            told = now
            say(f"{name}: {count(done, 'example')} of the log learned again ...", quiet=quiet)

    states.tidy(log, name)
    served = states.restored(log, name, tell=tell)
    if total:
        took = duration(perf_counter() - start)
        say(f"{name}: {count(total, 'example')} of the log learned again in {took}", quiet=quiet)
    return served

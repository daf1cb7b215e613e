"""``rosenblatt serve history``: the snapshots of a model, and what the log covers."""

from dataclasses import dataclass

from rosenblatt.cli.serve.options import DataOptions, ServedModel, existing, needs_extra
from rosenblatt.console import choice, count, put, put_table, size

EXAMPLES = ("rosenblatt serve history clicks --data service",)


@dataclass
class HistoryOptions(DataOptions, ServedModel):
    """The options of `serve history`."""


def history(options: HistoryOptions) -> None:
    """Show the snapshots of a model, and the positions that it can go back to.

    The service must have stopped; while it runs, its page shows how it goes.
    """
    folder = existing(options)
    with needs_extra():
        from rosenblatt.serve.log import Log
        from rosenblatt.serve.progress import Progress
    from datetime import datetime

    log = Log(folder)
    try:
        known = log.models()
        choice(options.name, list(known), "NAME")
        number = known[options.name]
        snapshots, last, used = log.snapshots(number), log.last(number), log.size()
    finally:
        log.close()
    rows = []
    for one in snapshots:
        progress = Progress.from_json(one.progress, False)
        error = f"{progress.error:.4f}" if progress.examples else "–"
        at = datetime.fromtimestamp(one.at).strftime("%Y-%m-%d %H:%M:%S")
        rows.append((f"{one.position:,}", at, error))
    put_table(("position", "written", "error"), rows)
    put()
    put(f"It can go back to any position from {snapshots[-1].position:,} to {last:,}.")
    put(f"The log of {count(len(known), 'model')} takes {size(used)}.")

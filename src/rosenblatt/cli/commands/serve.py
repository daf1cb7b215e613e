"""``rosenblatt serve``: models that predict and learn over HTTP."""

from rosenblatt.cli.command_builder import DefaultGroup

EXAMPLES = (
    "rosenblatt serve clicks.model --data service",
    "rosenblatt serve --new spam --learner averaged",
    "rosenblatt serve rollback clicks --to 120000 --data service",
)

serve = DefaultGroup(
    "serve",
    "rosenblatt.cli.serve",
    ("run", "history", "rollback", "replace"),
    help="""Serve models that predict and go on learning, over HTTP.

    An answer to a request to learn means that the examples are on disk: after a crash the next
    start has the same model to the last bit. The service listens on this machine alone, unless
    there is a token. SIGTERM or Ctrl-C stop it in order.
    """,
    examples=EXAMPLES,
)

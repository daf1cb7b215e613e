"""What a service has on disk: a log of all examples, snapshots, and answers to give again.

One SQLite file in WAL mode, with one connection, in a folder that one process at a time may use.
What `commit` returned from is on disk, also after a power cut.

Each model has positions, 1 for the first example ever learned. An entry of the log is the examples
of one request, at one or more positions, or an event at a single one: another model was put in
place, or an earlier state came back. A snapshot at a position is the state after it. So the state
at any position follows from the snapshot before it and the entries between.
"""

import json
import os
import sqlite3
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

if sys.platform != "win32":
    import fcntl

FILE, LOCK = "service.db", "lock"
VERSION = 1
LEARNED, REPLACED, ROLLED_BACK = 0, 1, 2  # kinds of entries
_SCHEMA = """
CREATE TABLE models (model INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL);
CREATE TABLE log (
    model INTEGER NOT NULL, first INTEGER NOT NULL, size INTEGER NOT NULL, kind INTEGER NOT NULL,
    body BLOB NOT NULL, checksum INTEGER NOT NULL, at REAL NOT NULL, PRIMARY KEY (model, first)
);
CREATE TABLE refused (
    model INTEGER NOT NULL, position INTEGER NOT NULL, reason TEXT NOT NULL, at REAL NOT NULL,
    PRIMARY KEY (model, position)
) WITHOUT ROWID;
CREATE TABLE answers (
    model INTEGER NOT NULL, key TEXT NOT NULL, runs TEXT NOT NULL, at REAL NOT NULL,
    PRIMARY KEY (model, key)
) WITHOUT ROWID;
CREATE TABLE kept (
    model INTEGER NOT NULL, id TEXT NOT NULL, body BLOB NOT NULL, at REAL NOT NULL,
    PRIMARY KEY (model, id)
) WITHOUT ROWID;
CREATE TABLE snapshots (
    model INTEGER NOT NULL, position INTEGER NOT NULL, progress TEXT NOT NULL, at REAL NOT NULL,
    PRIMARY KEY (model, position)
) WITHOUT ROWID;
CREATE TABLE history (
    model INTEGER NOT NULL, start INTEGER NOT NULL, examples REAL NOT NULL, errors REAL NOT NULL,
    PRIMARY KEY (model, start)
) WITHOUT ROWID;
CREATE INDEX kept_at ON kept (at);
CREATE INDEX answers_at ON answers (at);
"""


class LogError(ValueError):
    """A folder that cannot be used, or that does not hold what it should."""


class Entry(NamedTuple):
    """An entry of the log: the examples at some positions, or an event."""

    first: int
    size: int
    kind: int
    body: bytes

    @property
    def last(self) -> int:
        """Its last position."""
        return self.first + self.size - 1


class Snapshot(NamedTuple):
    """A state on disk: the position after which it was, and the progress until then, as JSON."""

    position: int
    progress: str
    at: float


class Run(NamedTuple):
    """Examples that follow each other in a request, and in the log: where the first of them is."""

    place: int
    first: int
    size: int

    @property
    def last(self) -> int:
        """Its last position."""
        return self.first + self.size - 1


class Log:
    """The log of all models in a folder.

    Parameters
    ----------
    folder : str or path
        Where it is; it is made if there is none.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        make_folder(self.folder)
        self._lock = self._locked()
        try:
            self._database = self._opened()
        except BaseException:
            os.close(self._lock)
            raise

    def _locked(self) -> int:
        """Lock the folder, or say that another process has it."""
        descriptor = os.open(self.folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        if sys.platform != "win32":
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(descriptor)
                raise LogError(
                    f"{self.folder} is in use by another process; stop that one, or name another "
                    "folder with --data"
                ) from None
        return descriptor

    def _opened(self) -> sqlite3.Connection:
        path = self.folder / FILE
        try:
            # Transactions begin and end where this module says so; the writer's thread uses it.
            database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            with suppress(OSError):
                path.chmod(0o600)
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = FULL")
            version = database.execute("PRAGMA user_version").fetchone()[0]
            if version == 0:
                database.executescript(
                    f"BEGIN IMMEDIATE; {_SCHEMA} PRAGMA user_version = {VERSION}; COMMIT;"
                )
            elif version != VERSION:
                raise LogError(
                    f"{path} has version {version} of the format, and this is for {VERSION}; "
                    "use the version of Rosenblatt that wrote it"
                )
        except sqlite3.Error as error:
            raise LogError(
                f"{path} cannot be used ({error}); restore it, or name another folder with --data"
            ) from None
        return database

    def close(self) -> None:
        """Close the file, and let others have the folder."""
        with suppress(sqlite3.Error):
            self._database.close()
        with suppress(OSError):
            os.close(self._lock)

    # Transactions

    def begin(self) -> None:
        """Begin a transaction."""
        self._database.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        """Have all since `begin` on disk, or raise ``sqlite3.Error``."""
        self._database.execute("COMMIT")

    def roll_back(self) -> None:
        """Forget all since `begin`."""
        if self._database.in_transaction:
            with suppress(sqlite3.Error):
                self._database.execute("ROLLBACK")

    # Models

    def models(self) -> dict[str, int]:
        """Return the numbers of the models, by name."""
        return dict(self._database.execute("SELECT name, model FROM models ORDER BY model"))

    def add_model(self, name: str) -> int:
        """Add a model; return its number."""
        done = self._database.execute("INSERT INTO models (name) VALUES (?)", (name,))
        assert done.lastrowid is not None
        return done.lastrowid

    # The log itself

    def append(self, model: int, entry: Entry) -> None:
        """Add an entry after all others of its model."""
        row = (model, *entry, crc32(entry.body), time.time())
        self._database.execute(
            "INSERT INTO log (model, first, size, kind, body, checksum, at) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            row,
        )

    def last(self, model: int) -> int:
        """Return the last position of a model, 0 if there is none."""
        found = self._database.execute(
            "SELECT first + size - 1 FROM log WHERE model = ? ORDER BY first DESC LIMIT 1", (model,)
        ).fetchone()
        after = self._database.execute(
            "SELECT max(position) FROM snapshots WHERE model = ?", (model,)
        ).fetchone()
        return max(found[0] if found else 0, after[0] or 0)

    def entries(self, model: int, after: int, until: int | None = None) -> Iterator[Entry]:
        """Yield the entries that have positions after one, up to and with another, in order."""
        end = (1 << 62) if until is None else until
        rows = self._database.execute(
            "SELECT first, size, kind, body, checksum FROM log "
            "WHERE model = ? AND first + size - 1 > ? AND first <= ? ORDER BY first",
            (model, after, end),
        )
        for first, size, kind, body, checksum in rows:
            if crc32(body) != checksum:
                raise LogError(
                    f"{self.folder / FILE}: the entry at position {first:,} is damaged; restore "
                    f"the folder from a backup, or go back with 'rosenblatt serve rollback'"
                )
            yield Entry(first, size, kind, body)

    def prune(self, model: int, before: int) -> None:
        """Forget the entries whose positions are all up to one."""
        self._database.execute(
            "DELETE FROM log WHERE model = ? AND first + size - 1 <= ?", (model, before)
        )

    def size(self) -> int:
        """Return the bytes of the file and of what is to be merged into it."""
        found = 0
        for name in (FILE, f"{FILE}-wal"):
            with suppress(OSError):
                found += (self.folder / name).stat().st_size
        return found

    # What is answered again

    def note_refused(self, model: int, refused: Sequence[tuple[int, str]]) -> None:
        """Note positions that the model could not learn from, with reasons."""
        self._database.executemany(
            "INSERT OR REPLACE INTO refused (model, position, reason, at) VALUES (?, ?, ?, ?)",
            [(model, *one, time.time()) for one in refused],
        )

    def refused(self, model: int, run: Run) -> list[tuple[int, str]]:
        """Return the positions of a run that the model could not learn from."""
        rows = self._database.execute(
            "SELECT position, reason FROM refused WHERE model = ? AND position BETWEEN ? AND ? "
            "ORDER BY position",
            (model, run.first, run.last),
        )
        return list(rows)

    def answer(self, model: int, key: str) -> list[Run] | None:
        """Return what was learned under a key."""
        found = self._database.execute(
            "SELECT runs FROM answers WHERE model = ? AND key = ?", (model, key)
        ).fetchone()
        return None if found is None else [Run(*run) for run in json.loads(found[0])]

    def note_answer(self, model: int, key: str, runs: Sequence[Run]) -> None:
        """Note what was learned under a key."""
        self._database.execute(
            "INSERT INTO answers (model, key, runs, at) VALUES (?, ?, ?, ?)",
            (model, key, json.dumps(runs), time.time()),
        )

    # Predictions whose labels are to come

    def keep(self, model: int, id_: str, body: bytes) -> None:
        """Keep the features of a prediction."""
        self._database.execute(
            "INSERT OR REPLACE INTO kept (model, id, body, at) VALUES (?, ?, ?, ?)",
            (model, id_, body, time.time()),
        )

    def kept(self, model: int, id_: str) -> bytes | None:
        """Return the features of a prediction that is kept."""
        found = self._database.execute(
            "SELECT body FROM kept WHERE model = ? AND id = ?", (model, id_)
        ).fetchone()
        return None if found is None else bytes(found[0])

    def drop_kept(self, model: int, id_: str) -> None:
        """Forget a prediction, whose label came."""
        self._database.execute("DELETE FROM kept WHERE model = ? AND id = ?", (model, id_))

    def expire(self, kept_before: float, answers_before: float, counted_before: float) -> None:
        """Forget predictions, answers and stretches of time from before a time."""
        self._database.execute("DELETE FROM history WHERE start < ?", (counted_before,))
        self._database.execute("DELETE FROM kept WHERE at < ?", (kept_before,))
        self._database.execute("DELETE FROM answers WHERE at < ?", (answers_before,))
        self._database.execute("DELETE FROM refused WHERE at < ?", (answers_before,))

    # Snapshots

    def note_snapshot(self, model: int, position: int, progress: str) -> None:
        """Note that the file of a snapshot is there."""
        self._database.execute(
            "INSERT OR REPLACE INTO snapshots (model, position, progress, at) VALUES (?, ?, ?, ?)",
            (model, position, progress, time.time()),
        )

    def snapshots(self, model: int) -> list[Snapshot]:
        """Return the snapshots of a model, the newest first."""
        rows = self._database.execute(
            "SELECT position, progress, at FROM snapshots WHERE model = ? ORDER BY position DESC",
            (model,),
        )
        return [Snapshot(*row) for row in rows]

    def drop_snapshot(self, model: int, position: int) -> None:
        """Forget a snapshot."""
        self._database.execute(
            "DELETE FROM snapshots WHERE model = ? AND position = ?", (model, position)
        )

    # The progressive error over time

    def count(self, model: int, start: int, examples: float, errors: float) -> None:
        """Add to the examples and errors of a stretch of time."""
        self._database.execute(
            "INSERT INTO history (model, start, examples, errors) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (model, start) DO UPDATE SET examples = examples + excluded.examples, "
            "errors = errors + excluded.errors",
            (model, start, examples, errors),
        )

    def history(self, model: int, since: int) -> list[tuple[int, float, float]]:
        """Return the stretches of time since one: start, examples, errors."""
        rows = self._database.execute(
            "SELECT start, examples, errors FROM history WHERE model = ? AND start >= ? "
            "ORDER BY start",
            (model, since),
        )
        return list(rows)

    def limit_pages(self, pages: int) -> None:
        """Let the file grow to so many pages at most: what a full disk would do, for tests."""
        self._database.execute(f"PRAGMA max_page_count = {pages:d}")

    def pages(self) -> int:
        """Return how many pages the file has."""
        return int(self._database.execute("PRAGMA page_count").fetchone()[0])


def make_folder(folder: Path) -> None:
    """Make a folder that others cannot read, if there is none, so that a power cut leaves it."""
    if folder.is_dir():
        return
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)  # it holds what was learned from
    if os.name == "posix":
        descriptor = os.open(folder.parent, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def may_be_there(error: Any) -> bool:
    """Say whether what was to be committed may come back in the next start: a sync failed."""
    code = getattr(error, "sqlite_errorcode", None)
    return code in (sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_IOERR_DIR_FSYNC)


def is_full(error: Any) -> bool:
    """Say whether an error of SQLite's is that the disk is full."""
    return getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL

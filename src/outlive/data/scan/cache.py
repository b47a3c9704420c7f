"""What an earlier scan found, by size and time of the file: the second scan of a data set reads nothing but the new."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from typing import Any

#: Raised when a check changes, so that what an older Outlive found is not believed.
CHECKS_VERSION = 3

SCHEMA = """
CREATE TABLE IF NOT EXISTS seen_files (
    path BLOB NOT NULL, setting TEXT NOT NULL, bytes INTEGER NOT NULL, mtime INTEGER NOT NULL, found TEXT NOT NULL,
    PRIMARY KEY (path, setting)
) WITHOUT ROWID
"""


class Cache:
    """A small database of earlier results; if it cannot be used, files are checked again, and no error is raised."""

    def __init__(self, path: str | None, setting: str) -> None:
        self._setting = f"{CHECKS_VERSION}:{setting}"
        self._database: sqlite3.Connection | None = None
        if path is None:
            return
        try:
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            self._database = sqlite3.connect(path, timeout=5)
            self._database.execute(SCHEMA)
            self._database.execute("PRAGMA journal_mode=WAL")
            self._database.execute("PRAGMA synchronous=NORMAL")
        except (OSError, sqlite3.Error):
            self._database = None

    def get(self, path: str) -> dict[str, Any] | None:
        """Look up what an earlier scan found in the file, if the file has not changed since."""
        stamp = stamp_of(path)
        if self._database is None or stamp is None:
            return None
        try:
            with closing(
                self._database.execute(
                    "SELECT found FROM seen_files WHERE path=? AND setting=? AND bytes=? AND mtime=?",
                    (_key(path), self._setting, *stamp),
                )
            ) as rows:
                row = rows.fetchone()
            return dict(json.loads(row[0])) if row else None
        except (sqlite3.Error, ValueError):
            return None

    def put(self, entries: Iterable[tuple[str, tuple[int, int] | None, dict[str, Any]]]) -> None:
        """Remember what was found; ``stamp`` is that of before the file was read."""
        if self._database is None:
            return
        rows = [
            (_key(path), self._setting, *stamp, json.dumps(found))
            for path, stamp, found in entries
            if stamp is not None
        ]
        try:
            with self._database:
                self._database.executemany(
                    "INSERT OR REPLACE INTO seen_files VALUES (?,?,?,?,?)", rows
                )
        except sqlite3.Error:
            self._database = None

    def close(self) -> None:
        """Write what is left."""
        if self._database is not None:
            self._database.close()
            self._database = None


def _key(path: str) -> bytes:
    """A name as the disk has it: not every one is text, and what the database cannot hold would cost the whole cache."""
    return os.fsencode(os.path.abspath(path))


def stamp_of(path: str) -> tuple[int, int] | None:
    """Size and time of a file: what changes when its content does."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns

"""The folder of a job that many work on: one file for each lease that is done, whole or not there.

What is done is what is there. No process has to live for it to be true, and no list of all inputs is kept anywhere: the index of what is done has eight bytes for
each lease. An input that two leases hold (because inputs came or went between two starts) is counted once.
"""

from __future__ import annotations

import json
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from outlive.errors import OutliveError, UsageError
from outlive.jobs.leases.repeated import repeated
from outlive.jobs.leases.storage import Storage
from outlive.jobs.results_journal import (
    JOB_NAME,
    JOURNAL_NAME,
    SCHEMA,
    is_job,
    read_line,
    write_line,
)

FOLDER = "parts"
ENDING = ".jsonl"


class Parts:
    """The leases of a job that are done, and what it is that is done."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        self._index: array[int] = array("Q")
        self._repeated: set[int] = set()

    @property
    def address(self) -> str:
        """The folder of the job."""
        return self.storage.address

    def adopt(
        self,
        identity: Mapping[str, Any],
        terms: Mapping[str, Any],
        resume: bool | None,
        writes: Sequence[str] = (),
    ) -> Mapping[str, Any]:
        """Begin a job here, or go on with the one that is there, if it is the same; its terms are those that it was begun with.

        ``resume``: whether going on was asked for; ``None`` where it goes without saying, since many begin at the same time.
        """
        data = json.dumps({"schema": SCHEMA, "identity": dict(identity), "leases": dict(terms)})
        known = self.job()
        if known is None:
            self._refuse_foreign(writes)
            if self.storage.put_once(JOB_NAME, data.encode()):
                return terms
            known = self.job() or {}
        elif resume is False:
            if next(self.storage.names(FOLDER), None) is None:  # begun, and nothing came of it
                self.storage.put(JOB_NAME, data.encode())
                return terms
            raise UsageError(
                f"{self.address} already contains a job.",
                "Resume it:  --resume   Or give another --out.",
            )
        mine = json.loads(data)["identity"]
        differs = [name for name in mine if mine[name] != known["identity"].get(name)]
        if differs:
            name = differs[0]
            raise UsageError(
                f"The job in {self.address} was started with another {name}: "
                f"{known['identity'].get(name)!r}, not {mine[name]!r}.",
                "Their results must not be mixed. Give another --out.",
            )
        found: Mapping[str, Any] = known["leases"]
        return found

    def job(self) -> Mapping[str, Any] | None:
        """What the job here was begun with; ``None`` where there is none, an error where it is of another kind."""
        data = self.storage.read(JOB_NAME)
        if data is None:
            return None
        try:
            known = json.loads(data)
        except ValueError as error:
            raise OutliveError(
                f"{self.address}/{JOB_NAME} cannot be read: it is not JSON."
            ) from error
        if not is_job(known):
            raise UsageError(
                f"{self.address}/{JOB_NAME} is not from a job of Outlive.",
                "Give another --out; nothing was changed.",
            )
        if "leases" not in known:
            raise UsageError(
                f"The job in {self.address} was begun without --shard and --on ray.",
                "Resume it as it was begun, or give another --out.",
            )
        found: Mapping[str, Any] = known
        return found

    def _refuse_foreign(self, writes: Sequence[str]) -> None:
        for name in (JOURNAL_NAME, *writes):
            if self.storage.read(name) is not None:
                raise UsageError(
                    f"{self.address} already has a {name} that is not from a job of Outlive.",
                    "Give another --out; nothing was changed.",
                )

    def look(self) -> int:
        """Read which leases are done, and say how many; the index is of this moment."""
        found = array("Q")
        for name in self.storage.names(FOLDER):
            if name.endswith(ENDING):
                found.append(int(name.removesuffix(ENDING), 16))
        self._index = array("Q", sorted(found))
        return len(self._index)

    def was_done(self, lease: str) -> bool:
        """Whether the lease was done when the index was read."""
        number = int(lease, 16)
        at = bisect_left(self._index, number)
        return at < len(self._index) and self._index[at] == number

    def commit(self, lease: str, record: Mapping[str, Any]) -> bool:
        """Write the results of a lease; ``False`` where somebody else has, and theirs count."""
        return self.storage.put_once(f"{FOLDER}/{lease}{ENDING}", write_line(record))

    def read(self, lease: str) -> dict[str, Any] | None:
        """The results of a lease, if it is done."""
        data = self.storage.read(f"{FOLDER}/{lease}{ENDING}")
        return read_line(data) if data is not None else None

    def forget_damaged(self) -> list[str]:
        """Remove the files that are not whole (a disk that lost what it had confirmed), so that their leases are done again."""
        damaged = [lease for lease in self._leases() if self.read(lease) is None]
        for lease in damaged:
            self.storage.remove(f"{FOLDER}/{lease}{ENDING}")
        if damaged:
            self.look()
        return damaged

    def count_once(self) -> None:
        """Find the inputs that two leases hold; from then on ``records`` leaves out the second."""
        self._repeated = set()
        self._repeated = repeated(name for record in self.records() for name in _names(record))

    def records(self) -> Iterator[dict[str, Any]]:
        """All results that the index knows of, lease by lease."""
        place = 0
        for lease in self._leases():
            record = self.read(lease)
            if record is None:
                continue
            if self._repeated:
                done = record["done"]
                kept = [one for at, one in enumerate(done, place) if at not in self._repeated]
                place += len(done)
                bad = record["quarantined"]
                aside = [one for at, one in enumerate(bad, place) if at not in self._repeated]
                place += len(bad)
                record = {**record, "done": kept, "quarantined": aside}
            yield record

    def _leases(self) -> Iterator[str]:
        return (f"{number:016x}" for number in self._index)


def _names(record: Mapping[str, Any]) -> Iterator[str]:
    for name, _ in record["done"]:
        yield name
    for one in record["quarantined"]:
        yield one["input"]

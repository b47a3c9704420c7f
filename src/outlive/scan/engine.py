"""Check many files on all cores. A decoder that crashes or hangs on a file costs that file, not the scan."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import pickle
import signal
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import Any

from outlive.scan.annotations import check_coco, check_voc, check_yolo, looks_like_yolo
from outlive.scan.cache import Cache, stamp_of
from outlive.scan.examples import Schema, check_records
from outlive.scan.finding import What, what_is
from outlive.scan.flaws import Flaw
from outlive.scan.neighbours import SAME_NAME, Neighbours, Sight
from outlive.scan.pictures import check_file

#: Files handed to a worker at once: enough that handing over costs nothing, few enough that a crash redoes little.
BATCH = 32

#: A picture, or a record, that takes longer hangs its decoder.
SECONDS_PER_STEP = 60.0

#: A worker in a large file says this often that it goes on.
BEAT_SECONDS = 1.0

#: These may be gone the next time though the file is the same: rights were given, memory is free.
OF_THE_MOMENT = frozenset({"file-unreadable", "file-missing", "scanner-crashed"})

#: A picture set is in colour when most of it is.
MOST = 0.5


@dataclass(frozen=True, slots=True)
class Settings:
    """What every check needs to know."""

    budget: int | None = None
    labels: Mapping[int, frozenset[str]] = field(default_factory=dict)
    jobs: int = 1

    @property
    def fingerprint(self) -> str:
        """What the result of a check depends on, besides the file."""
        labels = ",".join(
            f"{number}={'|'.join(sorted(names))}" for number, names in sorted(self.labels.items())
        )
        return f"{self.budget}:{hash_of(labels)}"


@dataclass(frozen=True, slots=True)
class Checked:
    """One file, checked."""

    path: str
    what: str
    flaws: tuple[Flaw, ...] = ()
    grey: bool | None = None
    schema: Schema | None = None
    leans_on: tuple[Sight, ...] = ()  #: other files, without which it would be another result
    cached: bool = False


Answer = tuple[str, tuple[int, int] | None, Checked | None]  #: a file, its stamp, its result


def hash_of(text: str) -> str:
    """A short name for a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def check(
    path: str, settings: Settings, alive: Callable[[], None] = lambda: None
) -> Checked | None:
    """One file; ``None`` for what is no part of a data set. ``alive`` is called as long as it goes on."""
    what = what_is(path)
    if what is None:
        return None
    if not os.path.exists(path):
        return Checked(
            path, what.value, (Flaw("file-missing", path, "is a link that leads nowhere"),)
        )
    if not os.path.isfile(path):
        return None
    if what is What.PICTURE:
        picture = check_file(path, settings.budget)
        return Checked(path, what.value, picture.flaws, picture.grey)
    if what is What.RECORDS:
        flaws, schema = check_records(path, settings.budget, settings.labels, alive)
        return Checked(path, what.value, tuple(flaws), schema=schema)
    try:
        with open(path, "rb") as file:
            text = file.read()
    except OSError as error:
        return Checked(
            path, what.value, (Flaw("file-unreadable", path, f"cannot be read: {error.strerror}"),)
        )
    near = Neighbours(path, alive)
    annotations = _annotations(path, what, text, settings, near)
    if annotations is None:
        return None
    return Checked(path, what.value, tuple(annotations), leans_on=near.seen)


def _annotations(
    path: str, what: What, text: bytes, settings: Settings, near: Neighbours
) -> Iterator[Flaw] | None:
    if what is What.COCO:
        return check_coco(path, text, settings.labels, near)
    if what is What.VOC:
        return check_voc(path, text, settings.labels, near)
    return (
        check_yolo(path, text, len(settings.labels) or None, near)
        if looks_like_yolo(path, text, near)
        else None
    )


def scan(files: Sequence[str], settings: Settings, cache: Cache) -> Iterator[Checked | None]:
    """Check all files, in any order; each comes exactly once (``None`` for one that is no data)."""
    left: list[str] = []
    for path in files:
        known = _from_cache(path, cache)
        if known is not None:
            yield known
        else:
            left.append(path)
    pool = Pool(settings, min(settings.jobs, max(1, len(left) // BATCH + 1)))
    try:
        for path, stamp, checked in pool.run(left):
            remember(cache, path, stamp, checked)
            yield checked
    finally:
        for path, stamp, checked in pool.close():
            remember(cache, path, stamp, checked)


def remember(
    cache: Cache, path: str, stamp: tuple[int, int] | None, checked: Checked | None
) -> None:
    """Keep a result for the next scan, unless it says more about this moment than about the file."""
    if checked is not None and not any(flaw.slug in OF_THE_MOMENT for flaw in checked.flaws):
        cache.put([(path, stamp, _as_data(checked))])


def across(checked: Sequence[Checked], schema: Schema) -> Iterator[Flaw]:
    """What only the whole set can tell: a grey picture among coloured ones, a record that differs from the others."""
    pictures = [one for one in checked if one.grey is not None]
    grey = [one for one in pictures if one.grey]
    if grey and len(grey) < MOST * len(pictures):
        for one in grey:
            yield Flaw("image-grey", one.path, "is grey, most others are in colour")
    yield from schema.flaws()


def named_by(checked: Sequence[Checked]) -> dict[str, str]:
    """The pictures that an annotation file calls by their whole name, and that file: renamed they would be lost to it."""
    return {
        found: one.path
        for one in checked
        for name, _, found, _ in one.leans_on
        if found is not None and name != SAME_NAME
    }


class Pool:
    """Worker processes that may die: what a dead one was busy with is checked again, file by file."""

    def __init__(self, settings: Settings, jobs: int) -> None:
        self._settings = settings
        self._jobs = jobs
        # Not fork: a scan may be started from a notebook with threads.
        self._context = multiprocessing.get_context("spawn")
        self._workers: dict[Connection, Worker] = {}

    def run(self, files: Sequence[str]) -> Iterator[Answer]:
        """Every file with its stamp and its result."""
        batches = deque(list(files[at : at + BATCH]) for at in range(0, len(files), BATCH))
        while batches or any(worker.busy for worker in self._workers.values()):
            self._feed(batches)
            ready = wait(list(self._workers), timeout=1.0)
            for connection in ready:
                worker = self._workers[connection]  # type: ignore[index]  # wait returns what it was given
                try:
                    answer = worker.connection.recv()
                except (EOFError, OSError):
                    yield from self._bury(worker, batches, "its decoder crashed")
                    continue
                worker.since = time.monotonic()
                if answer is not None:
                    worker.done(answer[0])
                    yield answer
            for worker in list(self._workers.values()):
                if worker.busy and time.monotonic() - worker.since > SECONDS_PER_STEP:
                    worker.kill()
                    yield from self._bury(
                        worker, batches, f"its decoder took over {SECONDS_PER_STEP:.0f} s"
                    )

    def _feed(self, batches: deque[list[str]]) -> None:
        for worker in self._workers.values():
            if not worker.busy and batches:
                worker.give(batches.popleft())
        while batches and len(self._workers) < self._jobs:
            worker = Worker(self._context, self._settings)
            self._workers[worker.connection] = worker
            worker.give(batches.popleft())

    def _bury(self, worker: Worker, batches: deque[list[str]], why: str) -> Iterator[Answer]:
        """The first file that it had not answered for killed it; the rest is handed to another."""
        del self._workers[worker.connection]
        killed_by = worker.join()
        if worker.left:
            path = worker.left[0]
            says = f"{why} ({killed_by})" if killed_by else why
            yield (
                path,
                None,
                _given_up(path, Flaw("scanner-crashed", path, says)),
            )
            if worker.left[1:]:
                batches.appendleft(worker.left[1:])

    def close(self) -> list[Answer]:
        """End the workers; what they had answered and nobody has heard yet."""
        unheard = []
        for worker in self._workers.values():
            worker.kill()
            unheard += worker.unheard()
            worker.join()
        self._workers.clear()
        return unheard


class Worker:
    """One process that checks files."""

    def __init__(self, context: Any, settings: Settings) -> None:
        self.connection, theirs = context.Pipe()
        self._process = context.Process(target=work, args=(theirs, settings), daemon=True)
        self._process.start()
        theirs.close()
        self.left: list[str] = []
        self.since = time.monotonic()

    @property
    def busy(self) -> bool:
        """Whether it still owes an answer."""
        return bool(self.left)

    def give(self, files: list[str]) -> None:
        """Hand over files; it answers in their order."""
        self.left = list(files)
        self.since = time.monotonic()
        try:
            self.connection.send(files)
        except (BrokenPipeError, OSError):
            pass  # it is dead: its end of the pipe tells

    def done(self, path: str) -> None:
        """It answered for a file."""
        self.left.remove(path)

    def unheard(self) -> list[Answer]:
        """What it had answered before it was ended."""
        answers = []
        try:
            while self.connection.poll():
                answers.append(self.connection.recv())
        except (EOFError, OSError, pickle.UnpicklingError):
            pass  # the last one was cut off
        return [answer for answer in answers if answer is not None]

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()

    def join(self) -> str:
        """Wait for its end; the name of the signal that ended it, if one did."""
        self._process.join(10)
        code = self._process.exitcode
        self.connection.close()
        return signal.Signals(-code).name if code is not None and code < 0 else ""


def work(connection: Connection, settings: Settings) -> None:
    """The life of a worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends us
    told = time.monotonic()

    def alive() -> None:
        nonlocal told
        if time.monotonic() - told > BEAT_SECONDS:
            told = time.monotonic()
            connection.send(None)

    while True:
        try:
            files = connection.recv()
        except (EOFError, OSError):
            return
        for path in files:
            stamp = stamp_of(path)
            try:
                checked = check(path, settings, alive)
            except MemoryError:
                flaw = Flaw("image-too-large", path, "memory did not suffice to decode it")
                stamp, checked = None, _given_up(path, flaw)  # not remembered: it may suffice then
            except Exception as error:  # a file that nobody thought of costs itself, not the scan
                says = f"its check failed: {type(error).__name__}: {error}"[:300]
                checked = _given_up(path, Flaw("scanner-crashed", path, says))
            connection.send((path, stamp, checked))


def _given_up(path: str, flaw: Flaw) -> Checked:
    """A file that could not be checked to its end."""
    return Checked(path, (what_is(path) or What.PICTURE).value, (flaw,))


def _as_data(checked: Checked) -> dict[str, Any]:
    return {
        "what": checked.what,
        "grey": checked.grey,
        "schema": checked.schema.as_data() if checked.schema is not None else None,
        "leans_on": checked.leans_on,
        "flaws": [[flaw.slug, flaw.says, flaw.record, flaw.offset] for flaw in checked.flaws],
    }


def _from_cache(path: str, cache: Cache) -> Checked | None:
    data = cache.get(path)
    if data is None or not Neighbours(path).are_as(data["leans_on"]):
        return None
    flaws = tuple(
        Flaw(slug, path, says, record, offset) for slug, says, record, offset in data["flaws"]
    )
    schema = Schema.from_data(data["schema"]) if data["schema"] is not None else None
    leans_on = tuple(
        (name, tuple(folders), found, tuple(stamp) if stamp else None)
        for name, folders, found, stamp in data["leans_on"]
    )
    return Checked(path, data["what"], flaws, data["grey"], schema, leans_on, cached=True)

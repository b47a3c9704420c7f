"""Check many files on all cores. A decoder that crashes or hangs on a file costs that file, not the scan."""

from __future__ import annotations

import hashlib
import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any

from outlive.data.scan.annotations import check_coco, check_voc, check_yolo, looks_like_yolo
from outlive.data.scan.cache import Cache
from outlive.data.scan.examples import Schema, check_records
from outlive.data.scan.find_files import What, what_is
from outlive.data.scan.flaws import Flaw
from outlive.data.scan.neighbours import SAME_NAME, Neighbours, Sight
from outlive.data.scan.pictures import check_file
from outlive.jobs.executor import Outcome, TaskName
from outlive.jobs.leases.cut import leases_of, size_for
from outlive.jobs.leases.lease_worker import Terms
from outlive.jobs.local_executor import LocalExecutor
from outlive.jobs.ray.cluster import address_of
from outlive.jobs.ray.executor import RayExecutor
from outlive.jobs.schedule import Fall
from outlive.jobs.stop_signals import stoppable
from outlive.jobs.worker_death import Death
from outlive.model.quick_dataclass import dataclass

#: Files handed to a worker at once: enough that handing over costs nothing. Of a small set fewer: its files may be large ones, and no worker shall wait for another.
BATCH = 32
CHUNKS_PER_WORKER = 4

#: A picture, or a record, that takes longer hangs its decoder.
SECONDS_PER_STEP = 60.0

#: What every worker needs. The fast decoder of JPEG is not among it: if that crashes while it is loaded, it costs pictures, not the scan.
IMPORTS = ("outlive.data.scan.task", "outlive.jobs.worker", "PIL.Image")

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
        """Compute what the result of a check depends on, besides the file."""
        labels = ",".join(
            f"{number}={'|'.join(sorted(names))}" for number, names in sorted(self.labels.items())
        )
        return f"{self.budget}:{hash_of(labels)}"


@dataclass(frozen=True, slots=True)
class Checked:
    """What the scan found in one file."""

    path: str
    what: str
    flaws: tuple[Flaw, ...] = ()
    grey: bool | None = None
    schema: Schema | None = None
    leans_on: tuple[Sight, ...] = ()  #: other files, without which it would be another result
    cached: bool = False


def hash_of(text: str) -> str:
    """A short name for a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def check(
    path: str, settings: Settings, alive: Callable[[], None] = lambda: None
) -> Checked | None:
    """Check one file; ``None`` for what does not belong to a data set. ``alive`` is called now and then while the check runs."""
    what = what_is(path)
    if what is None:
        return None
    if not os.path.exists(path):
        return Checked(path, what.value, (Flaw("file-missing", path, "is a broken link"),))
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


def scan(
    files: Sequence[str], settings: Settings, cache: Cache, on: str = "local"
) -> Iterator[Checked | None]:
    """Check all files, in any order, and yield each exactly once (``None`` for one that is not data)."""
    left: list[str] = []
    for path in files:
        known = _from_cache(path, cache)
        if known is not None:
            yield known
        else:
            left.append(path)
    executor = _here(left, settings) if on == "local" else _on_ray(left, settings, on)
    with stoppable(executor.stop_at_once, signal.SIGINT) as came:
        try:
            for outcomes in executor.run():
                yield from _remembered(outcomes, cache)
        finally:
            _remembered(executor.unheard, cache)
    if came:
        raise KeyboardInterrupt


def _here(left: Sequence[str], settings: Settings) -> LocalExecutor:
    workers = min(settings.jobs, len(left) // BATCH + 1)
    return LocalExecutor(
        _task(settings),
        left,
        workers=workers,
        chunk=max(1, min(BATCH, len(left) // (CHUNKS_PER_WORKER * workers))),
        deadline=SECONDS_PER_STEP,
    )


def _on_ray(left: Sequence[str], settings: Settings, on: str) -> RayExecutor:
    terms = Terms(
        _task(settings),
        str,
        str,
        chunk=size_for(len(left)) // CHUNKS_PER_WORKER or 1,
        deadline=SECONDS_PER_STEP,
        judged=False,
    )
    return RayExecutor(terms, leases_of(left, str, size_for(len(left))), address_of(on))


def _task(settings: Settings) -> TaskName:
    return TaskName("outlive.data.scan.task:make", {"settings": settings}, IMPORTS)


def _remembered(outcomes: Sequence[Outcome], cache: Cache) -> list[Checked | None]:
    """Store a result before it is shown: a scan that is interrupted continues from there."""
    found = []
    for outcome in outcomes:
        stamp, checked = outcome.value or (None, None)
        if outcome.death is not None:
            checked = given_up(outcome.item, _flaw_of(outcome.item, outcome.death))
        remember(cache, outcome.item, stamp, checked)
        found.append(checked)
    return found


def remember(
    cache: Cache, path: str, stamp: tuple[int, int] | None, checked: Checked | None
) -> None:
    """Keep a result for the next scan, unless it says more about this moment than about the file."""
    if checked is not None and not any(flaw.slug in OF_THE_MOMENT for flaw in checked.flaws):
        cache.put([(path, stamp, _as_data(checked))])


def across(checked: Sequence[Checked], schema: Schema) -> Iterator[Flaw]:
    """List the flaws that only the whole set shows: a grey picture among coloured ones, a record that differs from the others."""
    pictures = [one for one in checked if one.grey is not None]
    grey = [one for one in pictures if one.grey]
    if grey and len(grey) < MOST * len(pictures):
        for one in grey:
            yield Flaw("image-grey", one.path, "is greyscale, most others are in colour")
    yield from schema.flaws()


def named_by(checked: Sequence[Checked]) -> dict[str, str]:
    """The pictures that an annotation file calls by their whole name, and that file: renamed they would be lost to it."""
    return {
        found: one.path
        for one in checked
        for name, _, found, _ in one.leans_on
        if found is not None and name != SAME_NAME
    }


def _flaw_of(path: str, death: Death) -> Flaw:
    """Describe a file that killed its worker."""
    if death.stood_seconds is not None:
        says = f"its check took over {SECONDS_PER_STEP:.0f} s and was stopped"
    elif death.fall is Fall.MEMORY:
        says = "its decoder ran out of memory and was killed"
    else:
        ended_by = f" ({signal.Signals(death.signal).name})" if death.signal else ""
        says = f"its decoder crashed{ended_by}"
    return Flaw("scanner-crashed", path, says)


def given_up(path: str, flaw: Flaw) -> Checked:
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

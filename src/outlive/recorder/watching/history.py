"""Samples of a run as they come, from the living program or from its record, made into the window that watches are asked about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from outlive.model.outlook.window import Level, Quota, Reading, WaitForData, Window

#: Levels are taken at least so far apart, however often memory is read near its limit.
SECONDS_BETWEEN_LEVELS = 0.9

#: Of each kind so many are kept; then of the older half every second one goes.
MOST = 240


class History:
    """The run so far: dense lately, sparse long ago, never more than a few hundred readings."""

    def __init__(self) -> None:
        self._levels: list[Level] = []
        self._readings: list[Reading] = []

    def add(self, sample: Mapping[str, Any]) -> None:
        """Take a sample in."""
        at = float(sample.get("at") or 0.0)
        if not self._levels or at - self._levels[-1].at >= SECONDS_BETWEEN_LEVELS:
            self._levels.append(level_of(sample))
            if len(self._levels) > MOST:
                self._levels = _thinned(self._levels)
        reading = sample.get("reading")
        if reading:
            self._readings.append(reading_of(at, reading))
            if len(self._readings) > MOST:
                older = self._readings[: MOST // 2]
                self._readings = [*older[::2], *self._readings[MOST // 2 :]]

    def window(self) -> Window:
        """What is known now."""
        return Window(tuple(self._levels), tuple(self._readings))


def _thinned(levels: list[Level]) -> list[Level]:
    """The first stays, which is where a rise began, and of two old ones that which was higher: what was reached once is remembered."""
    first, older, newer = levels[0], levels[1 : MOST // 2 + 1], levels[MOST // 2 + 1 :]
    pairs = zip(older[::2], older[1::2], strict=True)
    return [first, *(max(pair, key=lambda level: level.tree_bytes) for pair in pairs), *newer]


def level_of(sample: Mapping[str, Any]) -> Level:
    """The memory of a sample."""
    used, limit = _nearest(sample)
    return Level(
        at=float(sample.get("at") or 0.0),
        tree_bytes=int(sample.get("tree") or 0),
        own_bytes=int(sample.get("rss") or 0),
        reserved_bytes=int(sample.get("vm") or 0),
        used_bytes=used,
        limit_bytes=limit,
    )


def _nearest(sample: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """Use without the file cache, and limit, of the cgroup or the machine that is nearest to being full."""
    cached = sample.get("cached") or {}
    found = [
        (max(0, entry[2] - cached.get(entry[0], 0)), entry[3])
        for entry in sample.get("groups") or ()
        if len(entry) > 3 and entry[2] is not None and entry[3]
    ]
    total, available = sample.get("machine"), sample.get("available")
    if total and available is not None:
        found.append((total - available, total))
    return max(found, key=lambda pair: pair[0] / pair[1], default=(None, None))


def reading_of(at: float, raw: Mapping[str, Any]) -> Reading:
    """What is read every few seconds."""
    data = raw.get("data")
    return Reading(
        at=at,
        cpus=raw.get("cpus") or 1,
        cpu_seconds=raw.get("cpu"),
        machine_busy=raw.get("busy"),
        machine_stolen=raw.get("stolen"),
        machine_cpus=raw.get("machine_cpus") or 1,
        ran_seconds=raw.get("ran"),
        waited_seconds=raw.get("waited"),
        quotas=tuple(
            Quota(path, thousandths / 1000, periods, held, milliseconds / 1000)
            for path, thousandths, periods, held, milliseconds in raw.get("quotas") or ()
        ),
        threads=raw.get("threads"),
        most_threads=raw.get("most_threads"),
        open_files=raw.get("files"),
        most_files=raw.get("most_files"),
        disks={point: (room[0], room[1]) for point, room in (raw.get("disks") or {}).items()},
        gpus=tuple((card[0], card[1]) for card in raw.get("gpus") or ()),
        data=WaitForData(*data) if data else None,
    )

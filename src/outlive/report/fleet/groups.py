"""The faults of a fleet: runs with one fingerprint, how often, since when, since which commit, on how many hosts. Asked of Arrow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from outlive.report.fleet.table import arrow

DAY = 86_400.0


@dataclass(frozen=True)
class Group:
    """One fault, as often as it was met."""

    fingerprint: str
    cause: str
    says: str  #: of the last time
    program: str
    file: str
    line: int  #: of the last time
    function: str
    code: str
    times: int
    jobs: int  #: launches of many ranks among them
    this_week: int
    first: float  #: seconds since 1970
    last: float
    hosts: int
    revision: str  #: of the first time
    runs_before: int  #: runs of the same program before the first time, without it
    before: str  #: the revision of the last of them
    last_run: str
    path: str  #: of the last run

    def as_data(self) -> dict[str, Any]:
        """The group as plain data."""
        return asdict(self)


def groups(table: Any, now: float, since: float | None = None) -> list[Group]:
    """Every fault of a fleet, the one that was met most often first."""
    compute = arrow("pyarrow.compute")
    failed = table.filter(compute.not_equal(table["fingerprint"], ""))
    if since is not None:
        failed = failed.filter(compute.greater_equal(failed["time"], since))
    if not failed.num_rows:
        return []
    failed = failed.append_column("recent", compute.cast(compute.greater_equal(failed["time"], now - 7 * DAY), "int64"))  # fmt: skip
    failed = failed.append_column("launch", compute.if_else(compute.equal(failed["job"], ""), None, failed["job"]))  # fmt: skip
    ordered = failed.sort_by("time")
    found = ordered.group_by("fingerprint", use_threads=False).aggregate([*_EACH, *_OF_THE_FIRST, *_OF_THE_LAST])  # fmt: skip
    found = found.sort_by([("run_count", "descending"), ("time_max", "descending")])
    history = _History(table)
    return [_group(row, history) for row in found.to_pylist()]


_EACH: Sequence[Any] = (
    ("run", "count"), ("time", "min"), ("time", "max"), ("host", "count_distinct"), ("recent", "sum"), ("launch", "count_distinct"),
)  # fmt: skip
_OF_THE_FIRST: Sequence[Any] = (("revision", "first"), ("program", "first"))
_OF_THE_LAST: Sequence[Any] = tuple((name, "last") for name in ("cause", "says", "file", "line", "function", "code", "run", "path"))  # fmt: skip


def _group(row: dict[str, Any], history: _History) -> Group:
    program, first = row["program_first"], row["time_min"]
    runs_before, before = history.before(program, first)
    return Group(
        fingerprint=row["fingerprint"],
        cause=row["cause_last"],
        says=row["says_last"],
        program=program,
        file=row["file_last"],
        line=row["line_last"],
        function=row["function_last"],
        code=row["code_last"],
        times=row["run_count"],
        jobs=row["launch_count_distinct"],
        this_week=row["recent_sum"],
        first=first,
        last=row["time_max"],
        hosts=row["host_count_distinct"],
        revision=row["revision_first"],
        runs_before=runs_before,
        before=before,
        last_run=row["run_last"],
        path=row["path_last"],
    )


class _History:
    """The runs of each program in the order of time, for the question what ran before a fault was met."""

    def __init__(self, table: Any) -> None:
        self._table = table.select(["program", "time", "revision"]).sort_by("time")
        self._of: dict[str, tuple[list[float], list[str]]] = {}

    def before(self, program: str, moment: float) -> tuple[int, str]:
        """How many runs of a program began before a moment, and the revision of the last of them."""
        from bisect import bisect_left

        times, revisions = self._runs(program)
        count = bisect_left(times, moment)
        return count, revisions[count - 1] if count else ""

    def _runs(self, program: str) -> tuple[list[float], list[str]]:
        if program not in self._of:
            mine = self._table.filter(arrow("pyarrow.compute").equal(self._table["program"], program))  # fmt: skip
            self._of[program] = (mine["time"].to_pylist(), mine["revision"].to_pylist())
        return self._of[program]

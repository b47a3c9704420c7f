"""Plays deaths of jobs of many ranks, each of which really dies on this machine, and says how often the first culprit was right, and its line.

    python bench/job_deaths.py                   all that can be played here (some minutes)
    python bench/job_deaths.py --only ring gloo  these programs only
    python bench/job_deaths.py --json FILE       write what was measured

Ranks share one `$OUTLIVE_HOME`; the verdict is asked for when the last rank's `outlive run` has ended, or, of a job that hangs, when each rank
has said that it stands still. The seconds are those from then to the verdict on the screen. `blind` marks deaths that were thought up without
a look at the rules, and were not looked at again before they were scored.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
for _folder in ("demo", "tests/helpers"):
    sys.path.insert(0, str(ROOT / _folder))

from play_job import (  # noqa: E402
    STUCK,
    Job,
    cluster,
    kill_at_fault,
    line_of,
    numbered,
    playing,
    wait_for,
)

THREE = ("0", "1", "2")


@dataclass(frozen=True)
class Death:
    """A death of a job, and what an expert would say of it."""

    name: str
    program: str
    faults: Mapping[str, str]  #: by rank
    first: Sequence[str]  #: the ranks that may be named as first
    line: (
        tuple[str, str] | None
    )  #: the mark of the line, and its program; none where there is no line to name
    blind: bool = False
    hangs: bool = False
    memory: Mapping[str, int] = field(default_factory=dict)
    disk: bool = False
    act: Callable[[Job], None] | None = None
    ends: Sequence[str] | None = None  #: those that end, where not all do
    size: int = 3
    absent: str = ""  #: a rank that is not run under `outlive run` at all


def fault(name: str) -> tuple[str, str]:
    return name, "faults.py"


def of_program(program: str, one: str = "1", limit: int = 600) -> Iterator[Death]:
    """The deaths that every program must stand: those that the issue names."""

    def plain(what: str, **more: Any) -> Death:
        return Death(f"{program} {what}", program, {one: f"{what}@5"}, (one,), fault(what), **more)

    yield plain("kill")
    yield plain("segfault")
    yield plain("raises")
    yield plain("memory", memory={one: limit})
    yield plain("disk", disk=True)
    yield plain("hangs", hangs=True)
    yield Death(
        f"{program} outside",
        program,
        {one: "outside@5"},
        (one,),
        fault("outside"),
        act=lambda job: kill_at_fault(job, one),
    )


def two(program: str, a: str, b: str, **more: Any) -> Death:
    ranks = (a.partition("=")[0], b.partition("=")[0])
    faults = dict(it.partition("=")[::2] for it in (a, b))
    return Death(f"{program} {a} {b}", program, faults, ranks, None, **more)


def kill_both(job: Job) -> None:
    kill_at_fault(job, "1")
    kill_at_fault(job, "2", signal.SIGTERM)


def terminate_all(job: Job) -> None:
    """What a launcher does that is cancelled while one rank stands still."""
    wait_for(job, until=STUCK)
    for rank in job.ranks.values():
        rank.process.send_signal(signal.SIGTERM)


def deaths() -> Iterator[Death]:
    yield from of_program("ring.py", limit=200)
    yield two("ring.py", "1=kill@5", "2=kill@5")
    yield from of_program("gloo.py")
    yield two("gloo.py", "1=segfault@5", "2=raises@5")
    yield from of_program("mwms.py", "worker/1", limit=1200)
    yield Death("mwms.py leader", "mwms.py", {"worker/0": "kill@5"}, ("worker/0",), fault("kill"))
    yield two("mwms.py", "worker/1=kill@5", "worker/2=raises@5")
    yield Death(
        "parameters.py server",
        "parameters.py",
        {"ps/0": "kill@5"},
        ("ps/0",),
        fault("kill"),
        ends=("ps/0",),
    )
    yield Death(
        "parameters.py chief",
        "parameters.py",
        {"chief/0": "raises@5"},
        ("chief/0",),
        fault("raises"),
        ends=("chief/0",),
    )
    yield from blind()


def blind() -> Iterator[Death]:
    """Odd shapes, thought up without a look at the rules."""
    for program in ("ring.py", "gloo.py"):

        def odd(
            name: str,
            faults: Mapping[str, str],
            first: Sequence[str],
            line: tuple[str, str] | None,
            program: str = program,
            **more: Any,
        ) -> Death:
            return Death(f"{program} {name}", program, faults, first, line, blind=True, **more)

        yield odd("leaves early", {"2": "leaves@4"}, ("2",), fault("leaves"))
        yield odd("exits with 7", {"0": "exits@6"}, ("0",), fault("exits"))
        yield odd("os._exit(3)", {"2": "vanishes@3"}, ("2",), fault("vanishes"))
        yield odd("recursion of rank 0", {"0": "recursion@2"}, ("0",), fault("recursion"))
        yield odd("missing shard", {"2": "loads@7"}, ("2",), fault("loads"))
        yield odd(
            "bad number, later another one too",
            {"1": "converts@5", "2": "asserts@6"},
            ("1",),
            fault("converts"),
        )
        yield odd("forgotten alarm", {"1": "alarm@5"}, ("1",), fault("alarm"))
        yield odd("queue that nobody fills", {"2": "waits@5"}, ("2",), fault("waits"), hangs=True)
        yield odd("abort", {"0": "aborts@9"}, ("0",), fault("aborts"))
        yield odd("all alike", dict.fromkeys(THREE, "loads@5"), THREE, fault("loads"))
        yield odd(
            "terminated from outside",
            {"1": "outside@5"},
            ("1",),
            fault("outside"),
            act=lambda job: kill_at_fault(job, "1", signal.SIGTERM),
        )
        yield odd(
            "two from outside",
            {"1": "outside@5", "2": "outside@5"},
            ("1",),
            fault("outside"),
            act=kill_both,
        )
        yield odd(
            "hangs, and the job is cancelled",
            {"1": "hangs@5"},
            ("1",),
            fault("hangs"),
            hangs=True,
            act=terminate_all,
        )
        yield odd("interrupts itself", {"0": "interrupted@5"}, ("0",), fault("interrupted"))
        yield odd("rank without a record", {"1": "kill@5"}, ("1",), None, absent="1")
    yield Death(
        "ring.py eight ranks, the last one dies",
        "ring.py",
        {"7": "raises@5"},
        ("7",),
        fault("raises"),
        blind=True,
        size=8,
    )
    yield Death(
        "ring.py eight ranks, three die",
        "ring.py",
        {"5": "kill@5", "6": "segfault@5", "7": "raises@5"},
        ("5", "6", "7"),
        None,
        blind=True,
        size=8,
    )


@contextlib.contextmanager
def full_disk(wanted: bool) -> Iterator[dict[str, str]]:
    """A small file system in memory, for a rank that fills it."""
    if not wanted:
        yield {}
        return
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", folder], check=True)
        try:
            yield {"RANK_DISK": folder}
        finally:
            subprocess.run(["umount", "-l", folder], check=True)


def environments(death: Death) -> dict[str, dict[str, str]]:
    if death.program == "mwms.py":
        return cluster(worker=3)
    if death.program == "parameters.py":
        return cluster(chief=1, worker=2, ps=1)
    return numbered(death.size)


def play(death: Death) -> dict[str, Any]:
    """Play one death: whom Outlive names, at which line, and how long it took after the last end."""
    options = ("--hang-after", "2") if death.hangs else ()
    with (
        tempfile.TemporaryDirectory() as home,
        full_disk(death.disk) as variables,
        playing(
            death.program,
            environments(death),
            Path(home),
            death.faults,
            options,
            death.memory,
            variables,
            bare=(death.absent,),
        ) as job,
    ):
        if death.act is not None:
            death.act(job)
        if death.hangs and death.act is None:
            wait_for(job, until=STUCK)
        else:
            wait_for(job, death.ends)
        began = time.monotonic()
        if not death.hangs and death.ends is None:
            began = job.last_end
        told = job.verdict()
        seconds = time.monotonic() - began
    return {
        "name": death.name,
        "blind": death.blind,
        "seconds": round(seconds, 2),
        **score(death, told),
    }


def score(death: Death, told: Mapping[str, Any]) -> dict[str, Any]:
    first = told["first"]
    rank = next((it for it in told["ranks"] if it["rank"] == first), None)
    where = (rank or {}).get("where") or {}
    wanted = None
    if death.line is not None:
        wanted = line_of(*death.line)
    elif first in death.faults and first != death.absent:
        wanted = line_of(death.faults[first].partition("@")[0])
    at = (
        where.get("line")
        if str(where.get("file", "")).endswith(("faults.py", death.program))
        else None
    )
    return {
        "first": first,
        "right": first in death.first,
        "line": at,
        "line_right": None if wanted is None else at == wanted,
        "confidence": told["confidence"],
        "how": told["how"],
        "accused": [
            it["rank"]
            for it in told["ranks"]
            if it["part"] in ("first", "also") and it["rank"] not in death.faults
        ],
    }


def missing(death: Death) -> str:
    for program, package in (
        ("gloo.py", "torch"),
        ("mwms.py", "tensorflow"),
        ("parameters.py", "tensorflow"),
    ):
        if death.program == program and importlib.util.find_spec(package) is None:
            return f"{package} is not installed"
    if (death.memory or death.disk) and os.geteuid() != 0:
        return "only root can make a cgroup or mount"
    return ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", default=[], help="programs, or parts of names")
    parser.add_argument("--json", help="write what was measured to this file")
    given = parser.parse_args()
    signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # a job in the background is started with it ignored
    results = []
    for death in deaths():
        if given.only and not any(word in death.name for word in given.only):
            continue
        if why := missing(death):
            print(f"left out  {death.name}: {why}")
            continue
        result = play(death)
        results.append(result)
        marks = f"{'right' if result['right'] else 'WRONG'}  line {'-' if result['line_right'] is None else 'right' if result['line_right'] else 'WRONG'}"
        print(
            f"{marks}  {result['seconds']:5.2f} s  {death.name}: {result['first']} at {result['line']} {result['accused'] or ''}",
            flush=True,
        )
    if not results:
        return
    lines = [it["line_right"] for it in results if it["line_right"] is not None]
    slow = max(it["seconds"] for it in results)
    right = sum(it["right"] for it in results)
    print(
        f"first culprit {right} of {len(results)}, line {sum(lines)} of {len(lines)}, "
        f"innocent ranks accused in {sum(bool(it['accused']) for it in results)}, verdict after at most {slow:.1f} s"
    )
    unseen = [it for it in results if it["blind"]]
    if unseen:
        print(f"blind: first culprit {sum(it['right'] for it in unseen)} of {len(unseen)}")
    if given.json:
        Path(given.json).write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()

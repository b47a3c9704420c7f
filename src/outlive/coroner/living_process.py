"""`outlive why PID`: what does a living process do, and if it does nothing, what does it wait for?

It is only read: its counters in /proc, the record that it writes if it was started by `outlive run`, else its stacks by py-spy.
"""

from __future__ import annotations

import glob
import os
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from outlive.coroner.gather.gather import gather
from outlive.coroner.judge import judge_evidence
from outlive.errors import NothingRecorded, UsageError
from outlive.inside.machine.host import Host
from outlive.inside.notes import kinds
from outlive.inside.notes.masking import split_arguments
from outlive.model.evidence import Evidence
from outlive.model.findings import Verdict
from outlive.recorder.hang.progress import Reading, Stillness, moved_between, read
from outlive.recorder.hang.py_spy import CannotSpy, spy, write_record
from outlive.recorder.hang.watch import SECONDS_FOR_AN_ANSWER, ask, kernel_waits
from outlive.recorder.sampler import Sampler, process_stat
from outlive.recorder.store import run_folders
from outlive.recorder.store.entries import entries
from outlive.recorder.store.read_run import is_running, read_run, start_of

#: A process is looked at for so long before it is said to stand still.
SECONDS_OF_A_LOOK = 2.0

MOST_PROCESSES_SPIED = 8


def explain(pid: int) -> tuple[Verdict, Evidence]:
    """The verdict on a living process, and the evidence that it rests on."""
    host = Host()
    _refuse_what_cannot_be_asked(host, pid)
    recorded = _run_of(pid)
    if recorded is not None:
        payloads, rings = recorded
        start = start_of(payloads)
        if pid == start.get("supervisor"):
            pid = int(start["pid"])
        evidence = _recorded(host, pid, payloads, rings)
    else:
        _refuse_other_languages(host, pid)
        evidence = _foreign(host, pid)
    return judge_evidence(str(pid), evidence)


def _refuse_what_cannot_be_asked(host: Host, pid: int) -> None:
    if pid == os.getpid():
        raise UsageError(
            f"Process {pid} is this command itself.",
            "Give the PID of your program; `ps` lists the processes.",
        )
    stat = process_stat(host, pid)
    if stat is None:
        raise NothingRecorded(
            f"There is no process {pid}, and no run of that name.",
            "`outlive runs` lists the runs, `ps` the processes.",
        )
    if stat.state == "Z":
        raise NothingRecorded(
            f"Process {pid} has ended; its parent ({stat.parent}) has not reaped it yet.",
            "If it was started by `outlive run`:  outlive why",
        )
    if os.geteuid() not in (0, os.stat(f"/proc/{pid}").st_uid):
        raise UsageError(
            f"Process {pid} belongs to another user.", "Run this as that user, or as root."
        )


def _refuse_other_languages(host: Host, pid: int) -> None:
    try:
        program = os.path.basename(os.readlink(f"/proc/{pid}/exe"))
    except OSError:
        program = (host.read(f"/proc/{pid}/comm", 64) or "").strip()
    maps = host.read(f"/proc/{pid}/maps", 1 << 20) or ""
    if "python" not in program and "libpython" not in maps:
        raise UsageError(
            f"Process {pid} ({program}) is not Python.",
            "For a Python process it started, give the PID of that one.",
        )


def _run_of(pid: int) -> tuple[list[dict[str, Any]], str | None] | None:
    """The run that a living process belongs to."""
    for name in reversed(run_folders.list_runs()):
        folder = os.path.join(run_folders.runs_folder(), name)
        if os.path.exists(os.path.join(folder, run_folders.SEALED_NAME)):
            continue
        payloads, rings = read_run(folder)
        start = start_of(payloads)
        mine = pid in (start.get("pid"), start.get("supervisor"))
        if is_running(start) and (mine or (rings and _rings_of(rings, pid))):
            return payloads, rings
    return None


def _rings_of(rings: str, pid: int) -> list[str]:
    return glob.glob(os.path.join(glob.escape(rings), f"{pid}-*.ring"))


def _recorded(host: Host, pid: int, payloads: list[dict[str, Any]], rings: str | None) -> Evidence:
    """A process of `outlive run`: it answers by itself, out of the recorder's thread."""
    family = _family(host, pid)
    before = read(host, family, time.monotonic())
    question = ask(rings) if rings is not None else ""
    until = time.monotonic() + SECONDS_FOR_AN_ANSWER
    while time.monotonic() < until:
        time.sleep(0.2)
        if rings is not None and _answered(rings, pid, question):
            break
    rest = SECONDS_OF_A_LOOK - (time.monotonic() - before.at)
    time.sleep(max(0.0, rest))
    after = read(host, family, time.monotonic())
    hang = _hang(host, family, before, after, question)
    if not hang["working"]:
        hang["seconds"] = max(hang["seconds"], _still_before(payloads))
    start = {**start_of(payloads), "pid": pid}
    others = [
        payload
        for payload in payloads
        if payload.get("kind") not in (kinds.RUN, kinds.HANG, kinds.MOVING)
    ]
    hang |= {
        "before": start.get("baseline"),
        "after": _counters(host, pid),
        "at": time.time() - float(start.get("time") or 0.0),
    }
    return gather([start, *others, hang], rings)


def _answered(rings: str, pid: int, question: str) -> bool:
    return any(
        note.get("kind") == kinds.LOOK and note.get("asked") == question
        for path in _rings_of(rings, pid)
        for note in entries(path)
    )


def _still_before(payloads: Sequence[dict[str, Any]]) -> float:
    """For how long it had stood still by what its supervisor wrote down (the CPU time of the program alone)."""
    stillness = Stillness()
    for sample in payloads:
        if sample.get("kind") == kinds.SAMPLE and {"at", "cpu"} <= sample.keys():
            stillness.saw(Reading(float(sample["at"]), float(sample["cpu"]), 0, frozenset()))
    return stillness.seconds


def _counters(host: Host, pid: int) -> dict[str, Any]:
    groups = host.memory_groups(pid)
    return {
        "groups": [
            [group.path, group.version, *host.read_group(group).as_list()] for group in groups
        ],
        "machine_oom_kills": host.machine_oom_kills(),
    }


def _foreign(host: Host, pid: int) -> Evidence:
    """Any other Python: by py-spy, or by the kernel alone."""
    family = _family(host, pid)
    before = read(host, family, time.monotonic())
    gaps = []
    with tempfile.TemporaryDirectory(prefix="outlive-") as rings:
        for number in sorted(family, key=lambda one: one != pid)[:MOST_PROCESSES_SPIED]:
            parent = getattr(process_stat(host, number), "parent", 0)
            try:
                write_record(rings, number, parent, spy(number), "py-spy")
            except CannotSpy as error:
                if number == pid:
                    gaps.append({"kind": kinds.GAP, "name": "waits", "why": str(error)})
        time.sleep(max(0.0, SECONDS_OF_A_LOOK - (time.monotonic() - before.at)))
        after = read(host, family, time.monotonic())
        start = {
            "kind": kinds.RUN,
            "version": 1,
            "pid": pid,
            "command": split_arguments(_command(host, pid))[0],
            "folder": _folder(pid),
            "time": time.time(),
        }
        hang = _hang(host, family, before, after, "py-spy")
        evidence = gather([start, *gaps, hang], rings)
    if gaps:  # for want of the same thing there are no stacks either
        evidence = replace(
            evidence,
            run=replace(evidence.run, gaps={**evidence.run.gaps, "stacks": str(gaps[0]["why"])}),
        )
    return evidence


def _hang(
    host: Host, family: frozenset[int], before: Reading, after: Reading, question: str
) -> dict[str, Any]:
    seconds = after.at - before.at
    return {
        "kind": kinds.HANG,
        "at": 0.0,
        "time": time.time(),
        "seconds": round(seconds, 1),
        "cpu_share": round((after.cpu_seconds - before.cpu_seconds) / seconds, 4),
        "working": moved_between(before, after),
        "asked": question,
        "tasks": kernel_waits(host, family),
        "family": sorted(family),
    }


def _family(host: Host, pid: int) -> frozenset[int]:
    """A process and its descendants."""
    sampler = Sampler(host, pid)
    sampler.look_for_descendants()
    return frozenset({pid, *sampler.tree})


def _command(host: Host, pid: int) -> list[str]:
    text = host.read(f"/proc/{pid}/cmdline", 4096) or ""
    return [word for word in text.split("\0") if word]


def _folder(pid: int) -> str:
    try:
        return os.readlink(f"/proc/{pid}/cwd")
    except OSError:
        return ""

"""Readings -> facts, each with its source and its gap: what the record holds, made into evidence.

Works on the record of a living supervisor, of a dead one, and on whatever is left of a torn one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from outlive.coroner.gather.checkpoints import forks_by_name_of, saving_of
from outlive.coroner.gather.data import inspection_of, scene_of
from outlive.coroner.gather.looks import looks_of
from outlive.coroner.gather.making import makings_of
from outlive.coroner.gather.memory import (
    groups_of,
    growths_of,
    holders_of,
    oom_lines_of,
    samples_of,
    stages_of,
    traced_of,
)
from outlive.coroner.gather.neighbours import last_rise_of
from outlive.coroner.gather.processes import (
    acts_of,
    brakes_of,
    cells_of,
    children_of,
    crash_of,
    errors_of,
    logged_of,
    quits_of,
    sent_of,
    shown_of,
    signals_of,
    stacks_of,
    timers_of,
)
from outlive.coroner.gather.surroundings import circumstances_of
from outlive.coroner.gather.waits import standstill_of
from outlive.coroner.gather.warnings import warnings_of
from outlive.coroner.lines.exits import raised_exit
from outlive.coroner.lines.operations import line_of_library, line_of_operation
from outlive.coroner.readings.readings import Payload, Readings, integer, number, signal_name
from outlive.inside.notes import kinds
from outlive.model.events import Group, Origin, Program, Sample, Stack, Thrown
from outlive.model.evidence import (
    Children,
    Errors,
    Evidence,
    Exits,
    Memory,
    MemoryGrowth,
    NativeCrash,
    Notebook,
    Pipelines,
    Run,
    Signals,
    Waits,
)
from outlive.model.fact_names import (
    ADDRESS_SPACE,
    ADDRESS_SPACE_LIMIT,
    ADDRESS_SPACE_LIMIT_HARD,
    CPU_TIME,
    CPU_TIME_LIMIT,
    CPU_TIME_LIMIT_HARD,
    FATAL_LINE,
    GPU_MEMORY,
    LAST_LINE_SEEN,
    MACHINE_MEMORY,
    MACHINE_MEMORY_AVAILABLE,
    MEMORY_LAST_SAMPLE,
    MEMORY_LIMIT,
    MEMORY_USED_IN_THE_CGROUP,
    MOST_THREADS,
    OOM_KILLS_IN_THE_CGROUP,
    OOM_KILLS_ON_THE_MACHINE,
    OPEN_FILES,
    OPEN_FILES_LIMIT,
    OPEN_FILES_LIMIT_HARD,
    PEAK_MEMORY,
    PROCESSES,
    PROCESSES_LIMIT,
    PROCESSES_LIMIT_HARD,
    RUN_TIME,
    THREADS,
    TIME_OF_THE_LAST_SAMPLE,
    FactName,
)
from outlive.model.findings import NO_EFFECT, EndedBy, Ending, EndingKind, Fact, Value
from outlive.model.patterns import LONGEST_LOG, bounded, excerpt
from outlive.model.ranks.membership import Membership
from outlive.model.waits import Standstill


def gather(payloads: Sequence[Payload], rings: str | None) -> Evidence:
    """The evidence of one run."""
    readings = Readings(payloads, rings)
    gaps: dict[str, str] = {
        str(gap.get("name")): str(gap.get("why")) for gap in readings.all(kinds.GAP)
    }
    if readings.unreadable:
        gaps["record"] = f"unreadable entries skipped: {readings.unreadable}"
    gaps.update(_without_effect(readings))
    errors = errors_of(readings)
    quits = quits_of(readings)
    standstill = standstill_of(readings, gaps)
    ending = _ending(readings, errors, standstill)
    log = _log(readings, gaps)
    samples = samples_of(readings)
    groups = groups_of(readings, gaps)
    oom_lines = oom_lines_of(readings, gaps)
    signals = signals_of(readings)
    crash = crash_of(readings, log, gaps)
    stacks = stacks_of(readings, gaps)
    quits += raised_exit(readings, ending, errors, quits, stacks)
    if crash is not None and crash.stacks:
        gaps.pop("stacks", None)  # the crash itself told them
    growths = growths_of(readings)
    return Evidence(
        Run(
            ending=ending,
            program=_program(readings),
            facts=_facts(readings, samples, groups, log, stacks),
            gaps=gaps,
            samples=samples,
            stacks=stacks,
            acts=acts_of(readings),
            log=log,
            warnings=warnings_of(readings),
        ),
        memory=Memory(
            groups=groups,
            oom_lines=oom_lines,
            brakes=brakes_of(readings),
            last_rise=last_rise_of(readings),
        ),
        errors=Errors(thrown=errors, shown=shown_of(readings), logged=logged_of(readings)),
        exits=Exits(quits=quits),
        signals=Signals(received=signals, sent=sent_of(readings), timers=timers_of(readings)),
        children=Children(deaths=children_of(readings), forks_by_name=forks_by_name_of(readings)),
        crash=NativeCrash(
            report=crash,
            operation_line=line_of_operation(readings, [got.site for got in signals]),
            library_line=line_of_library(readings, [got.site for got in signals]),
        ),
        growth=MemoryGrowth(
            lines=growths,
            looks=looks_of(readings, growths),
            makings=makings_of(readings, growths),
            holders=holders_of(readings),
            traced=traced_of(readings),
        ),
        pipelines=Pipelines(stages=stages_of(readings)),
        waits=Waits(standstill=standstill),
        notebook=Notebook(cells=cells_of(readings)),
        saving=saving_of(readings),
        scene=scene_of(readings),
        inspection=inspection_of(readings),
        circumstances=circumstances_of(readings),
    )


def _without_effect(readings: Readings) -> dict[str, str]:
    """Tell what was asked for and could not be loaded in a process; the first one that says so tells why."""
    notes = [note for process in readings.processes for note in process.of_kind(kinds.UNLOADED)]
    return {str(note["what"]): f"{NO_EFFECT}{note['why']}" for note in reversed(notes)}


def _program(readings: Readings) -> Program:
    principal = readings.principal
    return Program(
        command=tuple(str(word) for word in readings.run.get("command", ())),
        folder=str(readings.run.get("folder", "")),
        pid=principal.pid if principal else readings.pid,
        python=str(principal.introduction.get("python", "")) if principal else "",
        notebook=str(readings.one(kinds.KERNEL).get("notebook") or ""),
        shell=bool(readings.run.get("shell")),
        own_pids=frozenset({readings.pid, principal.pid} if principal else {readings.pid}),
        family=_family(readings),
        on_terminal=bool(readings.run.get("terminal")),
        finished=bool(principal and principal.of_kind(kinds.LEAVING)),
        left_at=_left_at(readings),
        scheduler={
            str(name): str(value) for name, value in (readings.run.get("scheduler") or {}).items()
        },
        alone=principal is None or principal.pid == readings.pid,
        member=membership_in(readings.run),
    )


def membership_in(run: Payload) -> Membership | None:
    """Which rank of which job was recorded, as the first entry of a record tells it."""
    job = run.get("job")
    if not job:
        return None
    host = str((run.get("host") or {}).get("name") or "")
    found = {name: job[name] for name in ("rank", "size", "launcher", "attempt") if name in job}
    return Membership(str(job["name"]), **found, addresses=job.get("addresses") or {}, host=host)


def _left_at(readings: Readings) -> float | None:
    """When the program's Python had run its last atexit function."""
    notes = readings.principal.of_kind(kinds.LEAVING) if readings.principal else []
    return readings.since_start(notes[-1].get("time")) if notes else None


def _family(readings: Readings) -> frozenset[int]:
    """Every descendant that somebody saw: the supervisor, its parent, or itself."""
    seen = {pid for pid in readings.end.get("family", ()) if isinstance(pid, int)}
    seen |= {process.pid for process in readings.processes}
    for process in readings.processes:
        seen |= {
            note["child"]
            for note in process.of_kind(kinds.CHILD)
            if isinstance(note.get("child"), int)
        }
    principal = readings.principal
    return frozenset(seen - {readings.pid, principal.pid if principal else 0})


MAX_ADDRESS_SPACE = "Max address space"
_OWN_FAULTS = frozenset({"SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGABRT", "SIGTRAP", "SIGSYS"})


def _ending(readings: Readings, errors: Sequence[Thrown], standstill: Standstill | None) -> Ending:
    end = readings.exit
    killed_by, code = end.get("signal"), end.get("exit_code")
    if not end and standstill is not None:
        return _ending_of_the_living(standstill)
    if not end:
        return _ending_without_supervisor(readings, errors)
    after = number(readings.end.get("at"))
    lasted = f"after {after:.1f} s" if after is not None else ""
    if readings.all(kinds.ENDED_BY_OUTLIVE):
        lasted += " (Outlive ended it because it hung)"
    if isinstance(killed_by, int):
        name = signal_name(killed_by)
        by = EndedBy.ITSELF if name in _OWN_FAULTS else EndedBy.UNKNOWN
        return Ending(EndingKind.SIGNAL, name, None, by, f"ended by {name} {lasted}".strip())
    if code == 0 and readings.notebook.running and not readings.notebook.shutdown:
        # A cell that never gets its answer is a death, whatever the status says.
        detail = f"exit status 0 in the middle of a cell {lasted}".strip()
        return Ending(EndingKind.EXIT, None, 0, EndedBy.ITSELF, detail)
    if code == 0:
        return Ending(EndingKind.SUCCESS, None, 0, EndedBy.ITSELF, f"finished {lasted}".strip())
    if code == 1 and any(thrown.origin is Origin.MAIN for thrown in errors):
        return Ending(
            EndingKind.EXCEPTION, None, code, EndedBy.ITSELF, f"exit status 1 {lasted}".strip()
        )
    return Ending(
        EndingKind.EXIT, None, code, EndedBy.ITSELF, f"exit status {code} {lasted}".strip()
    )


def _ending_of_the_living(standstill: Standstill) -> Ending:
    """It has not ended: it stands still, or somebody asked about a program that works."""
    share = f"{standstill.cpu_share * 100:.0f}% of a core"
    words = standstill.words()
    told = f": {words}" if words else ""
    if standstill.working:
        return Ending(
            EndingKind.SUCCESS, None, None, EndedBy.ITSELF, f"running and busy ({share}){told}"
        )
    detail = f"still running, but stuck for {standstill.seconds:.1f} s ({share}, no I/O){told}"
    return Ending(EndingKind.HANG, None, None, EndedBy.ITSELF, detail)


def _ending_without_supervisor(readings: Readings, errors: Sequence[Thrown]) -> Ending:
    """The supervisor was ended before the program: only the program's own words are left."""
    detail = "Outlive was killed before the program, so how the program ended was not recorded"
    principal = readings.principal
    if any(thrown.origin is Origin.MAIN for thrown in errors):
        return Ending(EndingKind.EXCEPTION, None, None, EndedBy.ITSELF, detail)
    if principal is not None and principal.of_kind(kinds.LEAVING):
        return Ending(EndingKind.EXIT, None, None, EndedBy.ITSELF, detail)
    return Ending(EndingKind.EXIT, None, None, EndedBy.UNKNOWN, detail)


def _log(readings: Readings, gaps: dict[str, str]) -> str:
    """The last words on stderr: read back from its file, or kept by the shim inside the program."""
    aborts = [str(shimmed["abort"]) for shimmed in readings.shimmed if shimmed.get("abort")]
    kept = readings.one(kinds.STDERR).get("text")
    if isinstance(kept, str):
        told = "\n".join([kept, *(words for words in aborts if words not in kept)])
        return excerpt(told, LONGEST_LOG)
    if not readings.shimmed:
        gaps.setdefault("stderr", _why_without_stderr(readings))
    tails = [str(shimmed["stderr"]) for shimmed in readings.shimmed if shimmed.get("stderr")]
    each = LONGEST_LOG // max(1, len(tails) + len(aborts))
    return "\n".join(excerpt(text, each) for text in (*tails, *aborts))


def _why_without_stderr(readings: Readings) -> str:
    """Tell whether the C library that keeps the tail of stderr could not be loaded, or nothing was loaded in the program at all."""
    loads = [note for process in readings.processes for note in process.of_kind(kinds.SHIM)]
    if loads and not any(note.get("loaded") for note in loads):
        return "stderr was not captured (Outlive's C library could not be loaded in the program)"
    return "stderr was not captured (Outlive's C library was not loaded in the program)"


def _facts(
    readings: Readings,
    samples: Sequence[Sample],
    groups: Sequence[Group],
    log: str,
    stacks: Sequence[Stack],
) -> dict[str, Fact]:
    found: dict[str, Fact] = {}

    def add(name: FactName, value: Value, source: str, private: bool = False) -> None:
        if value is not None and value != "":
            found[name] = Fact(name, value, source, private)

    add(RUN_TIME, number(readings.end.get("at")), "measured by Outlive")
    add(PEAK_MEMORY, integer(readings.exit.get("max_rss")), "getrusage")
    add(CPU_TIME, number(readings.end.get("cpu")), "/proc/PID/stat")
    if samples:
        last = samples[-1]
        add(
            MEMORY_LAST_SAMPLE,
            last.tree_rss_bytes,
            "/proc/PID/stat of the program and its children",
        )
        add(TIME_OF_THE_LAST_SAMPLE, last.at, "measured by Outlive")
        add(PROCESSES, last.processes, "/proc/PID/task/*/children")
        mapped = next((sample.vm_bytes for sample in reversed(samples) if sample.vm_bytes), None)
        add(ADDRESS_SPACE, mapped, "/proc/PID/stat, vsize")  # 0 is said of a process that has ended
        add(THREADS, last.threads, "/proc/PID/stat")
        add(OPEN_FILES, last.open_files, "/proc/PID/fd")
        most = max((sample.threads or 0 for sample in samples), default=0)
        add(MOST_THREADS, most or None, "/proc/PID/stat")
        add(MACHINE_MEMORY_AVAILABLE, last.available_bytes, "/proc/meminfo MemAvailable")
        add(GPU_MEMORY, last.gpu_bytes, "NVML")
    add(MACHINE_MEMORY, integer(readings.run.get("memory_total")), "/proc/meminfo MemTotal")
    refused = _census_at_the_refusal(readings)
    add(
        ADDRESS_SPACE,
        integer(refused.get("mapped")),
        "/proc/self/statm when the allocation failed",
    )
    limited = [group for group in groups if group.limit_bytes]
    if limited:
        tightest = min(limited, key=lambda group: group.limit_bytes or 0)
        add(MEMORY_LIMIT, tightest.limit_bytes, tightest.path)
        add(MEMORY_USED_IN_THE_CGROUP, tightest.used_bytes, tightest.path)
    for group in groups:
        if group.killed:
            add(OOM_KILLS_IN_THE_CGROUP, group.killed, f"oom_kill in {group.path}")
            break
    machine = _difference(readings, "machine_oom_kills")
    add(OOM_KILLS_ON_THE_MACHINE, machine, "oom_kill in /proc/vmstat")
    limits = _limits(readings, integer(refused.get("address_limit")))
    for name, soft, hard in (
        (MAX_ADDRESS_SPACE, ADDRESS_SPACE_LIMIT, ADDRESS_SPACE_LIMIT_HARD),
        ("Max cpu time", CPU_TIME_LIMIT, CPU_TIME_LIMIT_HARD),
        ("Max open files", OPEN_FILES_LIMIT, OPEN_FILES_LIMIT_HARD),
        ("Max processes", PROCESSES_LIMIT, PROCESSES_LIMIT_HARD),
    ):
        pair = limits.get(name) or (None, None)
        add(soft, integer(pair[0]), f"/proc/PID/limits, {name}, soft")
        add(hard, integer(pair[1]), f"/proc/PID/limits, {name}, hard")
    for stack in stacks[:1]:
        if stack.own is not None:
            add(LAST_LINE_SEEN, f"{stack.own} in {stack.own.function}", f"stack at {stack.at} s")
    fatal = [line for line in log.splitlines() if _FATAL_LINE.search(line)]
    if fatal:
        add(FATAL_LINE, fatal[-1][:500], "stderr")
    return found


def _limits(readings: Readings, at_the_refusal: int | None) -> dict[str, Any]:
    """The program's limits, soft and hard, as late as they were read: it may limit itself, at the last moment too."""
    limits = dict(readings.run.get("limits") or {})
    at_death = dict(readings.end.get("limits") or {})
    latest = integer(readings.samples[-1].get("address_limit")) if readings.samples else None
    if at_the_refusal:
        at_death[MAX_ADDRESS_SPACE] = [at_the_refusal, None]
    elif latest is not None:
        limits[MAX_ADDRESS_SPACE] = [latest, None]
    return {**limits, **at_death}


#: TensorFlow's and absl's loggers mark a fatal line with F and end the process.
_FATAL_LINE = bounded(
    r"(?:^|\s)F\d{4} |: F \S+\.(?:cc|h|cpp):\d+\]|Check failed:|terminate called after|\*\*\* .* detected \*\*\*"
)


def _census_at_the_refusal(readings: Readings) -> Payload:
    """What the program itself saw when memory was refused."""
    principal = readings.principal
    taken = principal.of_kind(kinds.CENSUS) if principal else []
    return next((census for census in reversed(taken) if census.get("mapped")), {})


def _difference(readings: Readings, name: str) -> int | None:
    before = (readings.end.get("before") or {}).get(name)
    after = (readings.end.get("after") or {}).get(name)
    if not isinstance(before, int) or not isinstance(after, int):
        return None
    return after - before

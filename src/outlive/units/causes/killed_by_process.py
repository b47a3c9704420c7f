"""Another process sent SIGKILL to the program."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.evidence import Evidence
from outlive.model.fact_names import (
    LAST_LINE_SEEN,
    MACHINE_MEMORY,
    MACHINE_MEMORY_AVAILABLE,
    MEMORY_LIMIT,
    MEMORY_USED_IN_THE_CGROUP,
    PEAK_MEMORY,
    RUN_TIME,
)
from outlive.model.findings import Confidence, EndedBy, Fact, Finding, Remedy, size
from outlive.units.unit import cause

#: Below this share of free memory a user-space killer (earlyoom, systemd-oomd) may have acted.
SCARCE = 0.1

WHY_UNKNOWN = "unknown: Linux tells only root who sends a SIGKILL, by tracefs"


@cause(
    "D201",
    since="0.1",
    needs=("oom counters", "kernel log"),
    searched=(
        "SIGKILL but nothing about out of memory in dmesg",
        "who killed my process kill -9",
        "Killed",
        "exit code 137",
        "tensorflow kernel died",
    ),
)
def killed_by_process(evidence: Evidence) -> Iterator[Finding]:
    """A process sent SIGKILL; the OOM killer of Linux did not.

    ## What happened
    SIGKILL ends a process at once and cannot be caught. A person (`kill -9`), a watchdog, a batch system at its time limit, a
    container runtime after its grace period, or a user-space memory guard such as earlyoom or systemd-oomd sent it.

    ## How we know
    The program was killed by SIGKILL, and the OOM counters and the kernel log, which were readable, show no kill of it. Linux does not tell a program who
    sent it a SIGKILL. It tells root, by tracefs (`/sys/kernel/tracing`): where that is mounted and `outlive run` may write to it, outside of containers, the sender
    is named. The line is the one that ran last: where it was, not why.

    ## What to do
    Ask who would: the scheduler's log, `journalctl`, the container's events. The program's code is not at fault.
    """
    if evidence.run.fatal_signal != "SIGKILL" or evidence.memory.oom_kill() is not None:
        return
    itself = evidence.signals.sent_to_itself("SIGKILL")
    if itself is None and (
        not evidence.memory.kill_is_decided or evidence.signals.near_cpu_limit()
    ):
        return
    facts = evidence.run.because(
        MEMORY_LIMIT, MEMORY_USED_IN_THE_CGROUP, PEAK_MEMORY, LAST_LINE_SEEN, RUN_TIME
    )
    if itself is not None:
        yield Finding(
            "The program sent SIGKILL to itself.",
            (Fact("sent by", str(itself.own or "os.kill"), "the call of os.kill"), *facts),
            Confidence.PROVEN,
            (Remedy("End the program with sys.exit, so that it can clean up."),),
            where=itself.own,
            by=EndedBy.ITSELF,
        )
        return
    limit, used = evidence.run.fact(MEMORY_LIMIT), evidence.run.fact(MEMORY_USED_IN_THE_CGROUP)
    memory = ""
    if isinstance(limit, int) and isinstance(used, int):
        memory = f": {size(used)} of {size(limit)} in use"
    remedies = [
        Remedy("Find out who sent it.", ("journalctl --since -1h | grep -iE 'kill|oom|terminat'",))
    ]
    total, free = evidence.run.fact(MACHINE_MEMORY), evidence.run.fact(MACHINE_MEMORY_AVAILABLE)
    if isinstance(total, int) and isinstance(free, int) and free < SCARCE * total:
        remedies.append(
            Remedy(
                f"Only {size(free)} of the machine's memory was free: a memory guard may have killed it.",
                ("journalctl -u systemd-oomd -u earlyoom",),
            )
        )
    killer = evidence.signals.sender_of("SIGKILL")
    sender = Fact("sender", WHY_UNKNOWN, "signals")
    if killer is not None and killer.sender_pid is not None:
        remedies[:0] = [Remedy(f"Ask what process {killer.sender_pid} is there for.")]
        sender = Fact(
            "sender",
            f"{killer.sender_pid} {killer.sender}",
            "signal_generate of tracefs",
            private=True,
        )
    who = evidence.signals.words_for_sender(killer) or "Another process"
    yield Finding(
        f"{who} killed it (SIGKILL). It was not out of memory{memory}.",
        (*facts, sender),
        Confidence.PROVEN,
        tuple(remedies),
        where=evidence.run.busy,
        by=EndedBy.PROCESS,
    )

"""Somebody sent SIGKILL."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.evidence import Evidence
from outlive.model import Confidence, EndedBy, Fact, Finding, Remedy, size
from outlive.unit import cause

#: Below this share of free memory a user-space killer (earlyoom, systemd-oomd) may have acted.
SCARCE = 0.1


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
    """A process sent SIGKILL; the kernel's out-of-memory killer did not.

    ## What happened
    SIGKILL ends a process at once and cannot be caught. A person (`kill -9`), a watchdog, a batch system at its time limit, a
    container runtime after its grace period, or a user-space memory guard such as earlyoom or systemd-oomd sent it.

    ## How we know
    The program ended by SIGKILL, and the kernel's counters and log, which were readable, show no kill of it. The kernel does not
    tell who sent a SIGKILL.

    ## What to do
    Ask who would: the scheduler's log, `journalctl`, the container's events. The program's code is not at fault.
    """
    if evidence.fatal_signal != "SIGKILL" or evidence.oom_kill() is not None:
        return
    if not evidence.kill_is_decided or evidence.near_cpu_limit():
        return
    itself = evidence.sent_to_itself("SIGKILL")
    facts = evidence.because(
        "memory limit", "memory used in the group", "peak memory", "last line seen", "run time"
    )
    if itself is not None:
        yield Finding(
            "The program sent SIGKILL to itself.",
            (Fact("sent by", str(itself.own or "os.kill"), "os.kill in the program"), *facts),
            Confidence.PROVEN,
            (Remedy("End the program with sys.exit, so that it can clean up."),),
            where=itself.own,
            by=EndedBy.ITSELF,
        )
        return
    limit, used = evidence.fact("memory limit"), evidence.fact("memory used in the group")
    memory = ""
    if isinstance(limit, int) and isinstance(used, int):
        memory = f"; its control group used {size(used)} of {size(limit)}"
    remedies = [
        Remedy("Find who sent it.", ("journalctl --since -1h | grep -iE 'kill|oom|terminat'",))
    ]
    total, free = evidence.fact("machine memory"), evidence.fact("machine memory available")
    if isinstance(total, int) and isinstance(free, int) and free < SCARCE * total:
        remedies.append(
            Remedy(
                f"Only {size(free)} of the machine's memory were free: perhaps a memory guard.",
                ("journalctl -u systemd-oomd -u earlyoom",),
            )
        )
    yield Finding(
        f"A process sent SIGKILL to the program; the kernel's memory killer did not{memory}.",
        facts,
        Confidence.PROVEN,
        tuple(remedies),
        by=EndedBy.PROCESS,
    )

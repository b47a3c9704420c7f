"""A quota on CPU time that was used up, over and over."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.events import Received
from outlive.model.evidence import Evidence
from outlive.model.fact_names import LAST_LINE_SEEN, RUN_TIME, counted, in_seconds
from outlive.model.findings import Confidence, EndedBy, Fact, Finding, Remedy
from outlive.model.sender_names import name_of, scheduler_in
from outlive.units.unit import cause

PERIODS = counted("periods of the CPU quota")
PERIODS_HELD_BACK = counted("of these, periods in which it was throttled")
HELD_BACK = in_seconds("time its threads were throttled")

#: Of the periods: a program that needs the CPU only now and then meets its quota now and then.
MOST_PERIODS = 0.5
#: A quota's period is a tenth of a second: fewer of them are the start of Python.
FEWEST_PERIODS = 10

#: What sends a signal because time is up.
TIMEKEEPERS = frozenset({"timeout", "gtimeout"})
#: What these send, and what is sent to a program that did not heed it.
ENDING = ("SIGTERM", "SIGINT", "SIGHUP", "SIGKILL", "SIGUSR1", "SIGUSR2", "SIGXCPU")


@cause(
    "D208",
    since="0.2",
    behind=(
        "preempted",
        "terminated-by-process",
        "killed-by-process",
        "interrupted",
        "exited-by-program",
        "exited-without-cleanup",
    ),
    searched=(
        "nr_throttled cpu.stat container slow",
        "kubernetes cpu limit throttling training slow",
        "timeout docker --cpus python exit code 124",
    ),
)
def cpu_throttled(evidence: Evidence) -> Iterator[Finding]:
    """The program ran out of its allowed time, and for most of that time Linux had throttled it (its cgroup's CPU quota).

    ## What happened
    `docker --cpus`, a CPU limit of Kubernetes, `CPUQuota=` of systemd and batch systems give a cgroup a quota: a
    certain CPU time in each period of a tenth of a second. A program that uses it up is paused until the period ends.
    TensorFlow and NumPy start as many threads as the machine has CPUs, which use up a small quota within milliseconds.
    What takes ten minutes elsewhere takes an hour, and `timeout` or a scheduler ends it.

    ## How we know
    `timeout` or a batch system sent the signal; and the counters of the quota (`cpu.stat`), read at the start and after the end, say in how many
    periods the program was throttled.

    ## What to do
    Raise the quota, allow more time, or do less. Give TensorFlow no more threads than the quota has CPUs.
    """
    group = evidence.circumstances.throttled
    if group is None or group.share < MOST_PERIODS or group.periods < FEWEST_PERIODS:
        return
    obeyed = evidence.exits.obeyed()
    name = obeyed[0].signal if obeyed else evidence.run.fatal_signal
    if name not in ENDING or evidence.memory.oom_kill() is not None:
        return
    sender = _sender(evidence)
    if sender is None:
        return
    cpus = max(1, round(group.cpus))
    source = f"{group.path}/cpu.stat"
    yield Finding(
        f"{_called(sender)} ended the program with {name}; its cgroup gives it {group.cpus:g} CPUs, and Linux "
        f"throttled it in {group.share:.0%} of the time.",
        (
            Fact(PERIODS, group.periods, source),
            Fact(PERIODS_HELD_BACK, group.held_back, source),
            Fact(HELD_BACK, round(group.held_seconds, 1), source),
            *evidence.signals.facts_of_sender(sender),
            *evidence.run.because(RUN_TIME, LAST_LINE_SEEN),
        ),
        Confidence.LIKELY,
        (
            Remedy(
                "Raise the CPU quota (docker --cpus, resources.limits.cpu, CPUQuota=), or allow more time."
            ),
            Remedy(
                f"Use no more threads than the quota has CPUs: {cpus}.",
                (
                    f"OMP_NUM_THREADS={cpus} TF_NUM_INTRAOP_THREADS={cpus} TF_NUM_INTEROP_THREADS={cpus} …",
                ),
            ),
        ),
        where=evidence.run.busy,
        by=EndedBy.PROCESS,
    )


def _sender(evidence: Evidence) -> Received | None:
    """The signal with which `timeout` or a batch system ended the program."""
    for got in reversed(evidence.signals.received):
        names = (got.sender, *got.ancestors[:1])
        if got.signal in ENDING and got.from_another:
            if name_of(got.sender) in TIMEKEEPERS or scheduler_in(names):
                return got
            if "KUBERNETES_SERVICE_HOST" in evidence.run.program.scheduler and got.sender_pid == 0:
                return got
    return None


def _called(sender: Received) -> str:
    return scheduler_in((sender.sender, *sender.ancestors[:1])) or (
        f"`{name_of(sender.sender)}`" if sender.sender else "Kubernetes"
    )

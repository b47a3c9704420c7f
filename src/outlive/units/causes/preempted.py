"""The scheduler took the program's place away."""

from __future__ import annotations

import re
from collections.abc import Iterator

from outlive.model.events import Received
from outlive.model.evidence import Evidence
from outlive.model.fact_names import LAST_LINE_SEEN, PEAK_MEMORY, RUN_TIME
from outlive.model.findings import Confidence, EndedBy, Fact, Finding, Remedy
from outlive.model.patterns import bounded
from outlive.model.sender_names import name_of, scheduler_in
from outlive.units.unit import cause

#: What schedulers send first, and what they send when that was not enough.
ASKING = ("SIGTERM", "SIGINT", "SIGUSR1", "SIGUSR2", "SIGXCPU", "SIGHUP")
ENDING = (*ASKING, "SIGKILL")

#: Slurm's own words in the job's output.
SLURM = bounded(
    r"^(?:slurmstepd|srun): .*(?P<what>JOB|STEP) (?P<job>\S+) .*CANCELLED AT \S+(?: DUE TO (?P<why>[A-Z ]+?))?\s*\**$",
    re.MULTILINE,
)

#: Which variable belongs to which system.
SYSTEMS = {
    "SLURM_JOB_ID": "Slurm",
    "PBS_JOBID": "PBS",
    "LSB_JOBID": "LSF",
    "SGE_ROOT": "Grid Engine",
    "_CONDOR_SCRATCH_DIR": "HTCondor",
}

#: The first process of a container that hands signals on; whoever signals it sits outside.
CONTAINER_INITS = frozenset({"tini", "docker-init", "dumb-init", "catatonit", "pause", "s6-svscan"})
SHUTDOWN = frozenset({"systemd-shutdow", "systemd-shutdown", "shutdown"})


@cause(
    "D207",
    since="0.1",
    behind=(
        "terminated-by-process",
        "killed-by-process",
        "interrupted",
        "exited-by-program",
        "exited-without-cleanup",
    ),
    searched=(
        "CANCELLED DUE TO TIME LIMIT",
        "slurmstepd: error: JOB CANCELLED DUE TO PREEMPTION",
        "spot instance terminated training",
        "pod evicted while training",
        "exit code 143",
    ),
)
def preempted(evidence: Evidence) -> Iterator[Finding]:
    """A scheduler ended the program: its time limit, a job of higher priority, a pod that is moved, a spot instance.

    ## What happened
    Batch systems (Slurm, PBS, LSF), Kubernetes and clouds with spot instances end programs that are healthy. They send SIGTERM first
    and SIGKILL after a grace period of seconds to minutes.

    ## How we know
    Slurm's own line in the job's output; or the signal came from a process of the batch system whose job this is; or, in a pod of
    Kubernetes, from outside the container.

    ## What to do
    Save checkpoints so often that an end at any time costs little; catch SIGTERM to save a last one; have the job put back into the queue.
    """
    obeyed = evidence.exits.obeyed()
    name = obeyed[0].signal if obeyed else evidence.run.fatal_signal
    if name is None or name not in ENDING or evidence.memory.oom_kill() is not None:
        return
    said = _said_by_slurm(evidence)
    got = next(
        (found for found in reversed(evidence.signals.received) if found.signal in ASKING), None
    )
    if said is not None:
        system, sure = "Slurm", Confidence.PROVEN
        why = f" ({said['why'].strip().lower()})" if said["why"] else " (it was cancelled)"
    else:
        system, why, sure = *_system(evidence, got), Confidence.LIKELY
    if not system:
        return
    job = next((value for value in evidence.run.program.scheduler.values() if value), "")
    of = f" job {job}" if job and system in SYSTEMS.values() else ""
    yield Finding(
        f"{system} ended{of or ' the program'}{why} with {name}.",
        (
            *((Fact("its message", said[0].strip()[:300], "stderr"),) if said else ()),
            *evidence.signals.facts_of_sender(got),
            *(
                Fact("variable", variable, "the program's environment")
                for variable in evidence.run.program.scheduler
            ),
            *evidence.run.because(RUN_TIME, PEAK_MEMORY, LAST_LINE_SEEN),
        ),
        sure,
        _remedies(system, job),
        by=EndedBy.PROCESS,
    )


def _said_by_slurm(evidence: Evidence) -> re.Match[str] | None:
    if "SLURM_JOB_ID" not in evidence.run.program.scheduler:
        return None
    return next(iter(reversed(list(SLURM.finditer(evidence.run.log)))), None)


def _system(evidence: Evidence, got: Received | None) -> tuple[str, str]:
    """Whose process sent the signal, and what is known of its reason."""
    if (
        got is None
        or not got.from_another
        or evidence.run.fatal_signal not in (got.signal, "SIGKILL")
    ):
        return "", ""
    variables = evidence.run.program.scheduler
    sender = name_of(got.sender)
    batch = scheduler_in((got.sender, *got.ancestors[:1]))
    if batch and batch in (SYSTEMS.get(variable) for variable in variables):
        return batch, " (a time limit, a job of higher priority, or somebody cancelled it)"
    if sender in SHUTDOWN:
        return (
            "The machine",
            " because it was shut down (a reclaimed spot instance, a restart)",
        )
    outside = got.sender_pid == 0 or (got.sender_pid == 1 and sender in CONTAINER_INITS)
    if "KUBERNETES_SERVICE_HOST" in variables and outside:
        return "Kubernetes", " from outside the container (the pod was deleted, evicted or moved)"
    return "", ""


def _remedies(system: str, job: str) -> tuple[Remedy, ...]:
    save = Remedy("Save checkpoints regularly, and a last one on SIGTERM.")
    if system == "Slurm":
        number = job or "JOB"
        return (
            Remedy("See why.", (f"sacct -j {number} --format=State,Elapsed,Timelimit,Reason",)),
            Remedy(
                "Get an earlier warning, and have the job requeued.",
                ("#SBATCH --signal=B:TERM@120 --requeue",),
            ),
            save,
        )
    if system == "Kubernetes":
        return (
            Remedy("See why.", ("kubectl get events --sort-by=.lastTimestamp",)),
            Remedy("Allow time to save: terminationGracePeriodSeconds in the pod."),
            save,
        )
    return (save,)

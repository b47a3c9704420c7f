"""The ranks of a job as they lie on the disk: which runs belong together, and what each of them tells."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from outlive.coroner.gather.gather import gather, membership_in
from outlive.coroner.judge import judge
from outlive.coroner.ranks.ends import FROM_OUTSIDE
from outlive.coroner.stored_verdict import stored_verdict
from outlive.errors import NothingRecorded, did_you_mean
from outlive.inside.notes import kinds
from outlive.inside.notes.format import decode
from outlive.model.evidence import Evidence
from outlive.model.fact_names import ENDED_BY_THE_LAUNCHER, LOST_PEER, WAITED_IN_VAIN
from outlive.model.findings import Ending, EndingKind, Finding, Place, Verdict
from outlive.model.ranks.job import RankRecord, State
from outlive.model.ranks.membership import Membership
from outlive.recorder.store import run_folders
from outlive.recorder.store.entries import content_of
from outlive.recorder.store.note_kinds import fitted
from outlive.recorder.store.read_run import is_running, may_run_elsewhere, read_run, start_of

#: The first entry of a log stands within so many bytes; to find a job, nothing else of a run is read.
FIRST_ENTRY_BYTES = 400_000

#: Ranks of one job are started within this time of each other, or they run at the same time.
SECONDS_TO_START = 60.0

#: A framework waits, or works, below one of these: the ranks that stand there wait for the others.
FRAMEWORKS = frozenset({"tensorflow", "keras", "tf_keras", "torch", "jax", "jaxlib", "horovod", "mpi4py", "ray"})  # fmt: skip

TENSORFLOW = frozenset({"tensorflow", "keras", "tf_keras"})
#: What stands between a call and its function, and says nothing.
WRAPPERS = frozenset({"wrapper", "wrapped", "inner", "decorate_context"})


@dataclass(frozen=True)
class Found:
    """A run that belongs to a job."""

    name: str
    folder: str
    start: dict[str, Any]
    member: Membership

    @property
    def began(self) -> float:
        """When it was started, in seconds since 1970."""
        return float(self.start.get("time") or 0.0)


def latest_launch(job: str | None) -> list[Found]:
    """The runs of a job, of its last launch only: those of the ranks that ran together. Without a name, of the job that was started last."""
    launch: list[Found] = []
    names: set[str] = set()
    for found in _members():
        names.add(found.member.job)
        if job is None:
            job = found.member.job
        if found.member.job == job and _fits(found, launch):
            launch.append(found)
    if not launch and job is None:
        raise NothingRecorded(
            "No run is a rank of a job.",
            "Ranks are known under torchrun, srun, mpirun and with TF_CONFIG; else name the job:  outlive run --job NAME train.py",
        )
    if not launch:
        hint = "`outlive runs` lists the jobs."
        raise NothingRecorded(f"There is no job {job!r}.", did_you_mean(str(job), sorted(names), hint))  # fmt: skip
    return launch


def _members() -> Iterator[Found]:
    """Every run that is a rank of a job, the newest first."""
    for name in reversed(run_folders.list_runs()):
        folder = run_folders.folder_of(name)
        start = first_entry(folder)
        member = membership_in(start)
        if member is not None:
            yield Found(name, folder, start, member)


def first_entry(folder: str) -> dict[str, Any]:
    """Who was recorded, by the beginning of the log alone."""
    try:
        content = content_of(os.path.join(folder, run_folders.LOG_NAME), FIRST_ENTRY_BYTES)
    except OSError:
        return {}
    return start_of(fitted(decode(content)))


def _fits(found: Found, launch: Sequence[Found]) -> bool:
    """Whether a run was one of this launch: no other one has its rank, and they were started or ran at the same time."""
    if not launch:
        return True
    if any(it.member.rank == found.member.rank != "" or it.member.attempt != found.member.attempt for it in launch):  # fmt: skip
        return False
    first = min(it.began for it in launch)
    return first - found.began <= SECONDS_TO_START or (_last_written(found.folder) or 0.0) >= first


def _last_written(folder: str) -> float | None:
    try:
        return os.stat(os.path.join(folder, run_folders.LOG_NAME)).st_mtime
    except OSError:
        return None


def rank_record(found: Found) -> RankRecord:
    """What one rank tells: its own verdict, the stored one or a new one, and where it stands where that matters."""
    payloads, rings = read_run(found.folder)
    exit_ = next((it for it in payloads if it.get("kind") == kinds.EXIT), None)
    end = next((it for it in payloads if it.get("kind") == kinds.END), None)
    running = exit_ is None and (is_running(found.start) or may_run_elsewhere(found.folder, found.start))  # fmt: skip
    state = State.RUNNING if running else State.ENDED if exit_ is not None else State.CUT_OFF
    verdict = stored_verdict(found.folder)
    evidence = None
    if verdict is None and not running and not _ended_well(exit_):
        verdict, evidence = judge(found.name, payloads, rings)
    if evidence is None and (running or _needs_a_look(verdict)):
        evidence = gather(payloads, rings)
    ending, findings = _told(verdict, exit_, running)
    marks = _marks(findings)
    stands = _standing(evidence)
    return RankRecord(
        found.member.rank,
        state,
        host=found.member.host,
        clock=_clock(found.start),
        run=found.name,
        began=found.began,
        ended=_ended(found, end, evidence, running),
        ending=ending,
        findings=findings,
        loss=marks.loss,
        lost=marks.lost,
        waited=marks.waited,
        by_launcher=marks.by_launcher,
        stands=stands.place,
        still=stands.still or (ending is not None and ending.kind is EndingKind.HANG),
        in_framework=bool(stands.waits_in),
        waits_in=stands.waits_in,
        left_at=_left_at(evidence),
    )


def _ended_well(exit_: dict[str, Any] | None) -> bool:
    return exit_ is not None and exit_.get("exit_code") == 0


def _needs_a_look(verdict: Verdict | None) -> bool:
    """Whether it matters where the program was last seen: it left, or somebody ended it, and it may have stood still before."""
    if verdict is None or verdict.ending.kind in (EndingKind.HANG, EndingKind.SUCCESS):
        return True
    return verdict.cause is None or verdict.cause.slug in FROM_OUTSIDE


def _told(
    verdict: Verdict | None, exit_: dict[str, Any] | None, running: bool
) -> tuple[Ending | None, tuple[Finding, ...]]:
    if verdict is not None:
        return verdict.ending, tuple(verdict.findings)
    if _ended_well(exit_) and not running:
        return Ending(EndingKind.SUCCESS, exit_code=0), ()
    return None, ()


@dataclass(frozen=True)
class _Marks:
    """What a rank's own verdict says of others."""

    loss: Any = None
    lost: str = ""
    waited: bool = False
    by_launcher: bool = False


def _marks(findings: Sequence[Finding]) -> _Marks:
    lost = next((finding for finding in findings if finding.slug == "peer-lost"), None)
    if lost is None:
        return _Marks()
    facts = {fact.name: fact.value for fact in lost.because}
    by_launcher = ENDED_BY_THE_LAUNCHER in facts
    return _Marks(
        None if by_launcher else lost.confidence,
        str(facts.get(LOST_PEER) or ""),
        bool(facts.get(WAITED_IN_VAIN)),
        by_launcher,
    )


@dataclass(frozen=True)
class _Standing:
    place: Place | None = None
    waits_in: str = ""
    still: bool = False


def _standing(evidence: Evidence | None) -> _Standing:
    """Where the main thread was last seen, and whether a framework was at work below the user's line."""
    if evidence is None:
        return _Standing()
    still = evidence.waits.standstill
    main = still.main.stack if still is not None and still.main is not None else None
    stack = main or next((it for it in evidence.run.stacks if it.main), None)
    if stack is None or stack.own is None:
        return _Standing()
    below = stack.frames[: stack.frames.index(stack.own)]
    return _Standing(stack.own, _call_of_a_framework(below), evidence.waits.stuck is not None)


def _call_of_a_framework(below: Sequence[Place]) -> str:
    """The function of a framework that the user's line has called, under whatever wraps it; the names within TensorFlow tell nobody anything."""
    calls = [frame for frame in reversed(below) if frame.package in FRAMEWORKS]
    if not calls:
        return ""
    if calls[0].package in TENSORFLOW:
        return "TensorFlow"
    named = [it.function for it in calls if not it.function.startswith("_") and it.function not in WRAPPERS]  # fmt: skip
    return f"{calls[0].package}'s {named[0]}" if named else calls[0].package


def _left_at(evidence: Evidence | None) -> Place | None:
    """The line that made it leave, where it asked to."""
    if evidence is None:
        return None
    mine = [quit for quit in evidence.exits.quits if quit.pid == evidence.run.program.pid]
    return mine[-1].own if mine else None


def _clock(start: dict[str, Any]) -> str:
    host = start.get("host") or {}
    return str(host.get("boot") or host.get("name") or "")


def _ended(
    found: Found, end: dict[str, Any] | None, evidence: Evidence | None, running: bool
) -> float | None:
    """When it ended by its host's clock; of one that was cut off, its last word."""
    if running:
        return None
    at = end.get("at") if end is not None else None
    if isinstance(at, int | float):
        return found.began + at
    last = evidence.errors.fatal.at if evidence is not None and evidence.errors.fatal else None
    return found.began + last if last is not None else None

"""Another process of the same job was lost, and this one could not go on without it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from outlive.model.events import Thrown
from outlive.model.evidence import Evidence
from outlive.model.fact_names import (
    ADDRESS_OF_THE_LOST_PEER,
    ENDED_BY_THE_LAUNCHER,
    HOST_OF_THE_LOST_PEER,
    LOST_PEER,
    RUN_TIME,
    WAITED_IN_VAIN,
)
from outlive.model.findings import Confidence, EndedBy, EndingKind, Fact, Finding, Place, Remedy
from outlive.model.ranks.membership import Membership, rank_words
from outlive.model.ranks.peer_words import Loss, loss_in
from outlive.model.sender_names import launcher
from outlive.units.unit import cause


@cause(
    "D209",
    since="0.2",
    behind=(
        "uncaught-exception",
        "operation-cancelled",
        "background-error-lost",
        "exited-by-program",
        "exited-without-cleanup",
        "terminated-by-process",
        "tf-check-failed",
    ),
    searched=(
        "Collective ops is aborted by: Socket closed",
        "UnavailableError recvmsg:Connection reset by peer CollectiveReduceV2",
        "gloo Connection closed by peer. This is typically caused by a remote worker crashing",
        "remote process exited or there was a network error NCCL",
        "Failed to send RPC to coordination service",
        "torchrun ChildFailedError exitcode -15",
    ),
)
def peer_lost(evidence: Evidence) -> Iterator[Finding]:
    """Another process of the job was lost; this one failed only because of it.

    ## What happened
    The ranks of a job (workers of a strategy, parameter servers, ranks of DDP, actors) talk to each other all the time. When one of them
    dies, the others lose their connection to it, and fail in the next step that needs it, with an error about a connection. Or they wait
    for a rank that stands still until a timeout ends them. This process is innocent, and so is its line: the cause is in the lost one.

    ## How we know
    The exception that ended it, or the last words before it aborted, are those that TensorFlow, gloo, NCCL, PyTorch's store, JAX, Horovod
    or Ray have for a peer that is gone. TensorFlow hands such a message on from rank to rank; the task that is named first is the one that
    was lost. A message is never proof: a broken network reads the same. Where a launcher (torchrun, mpirun, srun) ended the process, another rank had
    failed before it, or the launcher itself was told to end.

    ## What to do
    Look at the lost one: its log, its machine, its own verdict. Where all ranks are recorded below one `$OUTLIVE_HOME`, `outlive why --job`
    says which rank died first, of what and at which line.
    """
    found = _of_an_exception(evidence) or _of_last_words(evidence)
    if found is not None:
        yield _lost(evidence, *found)
        return
    name = evidence.run.fatal_signal
    got = evidence.signals.sender_of(name) if name else None
    by = launcher(got.sender) if got is not None and got.from_another else ""
    if by and evidence.run.program.member is not None:
        yield _ended_with_the_others(evidence, by, name or "")


def _of_an_exception(evidence: Evidence) -> tuple[Loss, Confidence, Thrown | None] | None:
    for thrown, sure in evidence.errors.last:
        loss = loss_in(thrown.message, thrown.type.rpartition(".")[2])
        if loss is not None:
            return loss, min(sure, Confidence.LIKELY), thrown
    return None


def _of_last_words(evidence: Evidence) -> tuple[Loss, Confidence, Thrown | None] | None:
    """What it logged before it aborted itself; of one that somebody ended the log says what it had met, not what it died of."""
    ending = evidence.run.ending
    ended = ending.kind in (EndingKind.SIGNAL, EndingKind.HANG)
    loss = loss_in(evidence.run.log) if ended else None
    if loss is None:
        return None
    aborted = evidence.run.fatal_signal == "SIGABRT"
    return loss, Confidence.LIKELY if aborted else Confidence.POSSIBLE, None


def _lost(evidence: Evidence, loss: Loss, sure: Confidence, thrown: Thrown | None) -> Finding:
    member = evidence.run.program.member
    rank = loss.rank or (member.rank_at(loss.address) if member is not None else "")
    who = rank_words(rank) if rank else "another process of the job"
    where = _line(evidence, thrown)
    words = thrown.type.rpartition(".")[2] + ": " + loss.words if thrown is not None else loss.words
    lost = f"Waited in vain for {who}" if loss.waited else f"Lost the connection to {who}"
    facts = [Fact("message", words[:300], "the exception" if thrown is not None else "stderr")]
    if rank:
        facts.append(Fact(LOST_PEER, rank, "the message"))
    if loss.address:
        facts.append(Fact(ADDRESS_OF_THE_LOST_PEER, loss.address, "the message", private=True))
    host = (member.host_of(rank) if member is not None else "") or loss.address.rpartition(":")[0]
    if host:
        facts.append(
            Fact(HOST_OF_THE_LOST_PEER, host, "the environment and the message", private=True)
        )
    if loss.waited:
        facts.append(Fact(WAITED_IN_VAIN, True, "the message"))
    return Finding(
        f"{lost}; this process failed only because of that, and its line is not at fault.",
        (*facts, *_this_rank(member), *evidence.run.because(RUN_TIME)),
        sure,
        (_look_there(member, host, who),),
        where=where,
    )


def _line(evidence: Evidence, thrown: Thrown | None) -> Place | None:
    """The line that needed the peer."""
    return evidence.errors.line_of(thrown) if thrown is not None else evidence.run.busy


def _this_rank(member: Membership | None) -> tuple[Fact, ...]:
    if member is None:
        return ()
    of = f" of {member.size}" if member.size else ""
    return (Fact("this process", f"{member.words}{of}, job {member.job}", "the environment"),)


def _look_there(member: Membership | None, host: str, who: str) -> Remedy:
    place = f" on {host}" if host else ""
    text = f"Look at {who}{place}: its log and its own verdict say why it was lost."
    return Remedy(text, _command(member))


def _command(member: Membership | None) -> tuple[str, ...]:
    return (f"outlive why --job {shlex.quote(member.job)}",) if member is not None else ()


def _ended_with_the_others(evidence: Evidence, by: str, signal: str) -> Finding:
    member = evidence.run.program.member
    return Finding(
        f"{by} ended this process ({signal}), as it does when another process of the job has failed.",
        (
            Fact(ENDED_BY_THE_LAUNCHER, by, "siginfo and /proc/PID/cmdline"),
            *_this_rank(member),
            *evidence.run.because(RUN_TIME),
        ),
        Confidence.POSSIBLE,
        (Remedy("Look at the process that failed first.", _command(member)),),
        where=evidence.run.busy,
        by=EndedBy.PROCESS,
    )

"""What libraries say when another process of the job is gone: TensorFlow, gloo, NCCL, torch's store, JAX, Horovod, Ray. Pure.

A message says that a connection broke, or that somebody was waited for in vain. It never says why, and it is words: whoever rests on it
alone is at most likely to be right.
"""

from __future__ import annotations

import re

from outlive.model.patterns import bounded
from outlive.model.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Loss:
    """A peer that was lost, as a message tells it."""

    words: str  #: the part of the message that says so
    rank: str = ""  #: who was lost: ``worker/1`` or ``2``; empty where the message does not say
    address: str = ""  #: … or where it was, as ``host:port``
    waited: bool = False  #: it did not answer in time: it may be gone, or stand still


#: TensorFlow hands a status on from rank to rank and puts its own remark behind: the first that is named is the one that was lost.
REMOTE_TASK = bounded(r"remote target /job:(\w+)/replica:\d+/task:(\d+)")
#: The coordination service names the tasks that send no more heartbeats; PyTorch a rank that did not come to a barrier.
UNHEALTHY_TASK = bounded(r"(?:unhealthy|heartbeat)[^/]{0,200}/job:(\w+)/replica:\d+/task:(\d+)")
NAMED_RANK = bounded(
    r"Rank (\d+) failed to pass|send/recv from rank (\d+)|remote rank:? (\d+)", re.IGNORECASE
)
#: gloo names an address in brackets, gRPC behind the kind of it.
ADDRESS = bounded(r"(?:peer|error) \[([^\]\s]+)\]:(\d+)|ipv[46]:%?5?B?\[?([\d.:a-f]+?)\]?:(\d+)\b")

#: Said by these libraries of a lost peer, and of nothing else. What stands behind it on its line is told with it.
GONE = bounded(
    "Collective ops is aborted by: "
    "|Failed to send RPC to coordination service"
    "|remote task has failed, got preempted, or crashed unexpectedly"
    "|tasks are unhealthy \\(stopped sending heartbeats\\)"
    "|possibly, this worker \\S{0,60} just restarted"
    "|Connection closed by peer \\["
    "|(?:Read|Write) error \\[\\S{0,60} (?:Connection reset by peer|Broken pipe)"
    "|Gloo [\\w-]{1,30} failed: "
    "|remote process exited or there was a network error"
    "|ncclRemoteError"
    "|NCCL communicator was aborted"
    "|Did the remote server shutdown or crash"
    "|caused by an exception on one of the ranks"
    "|The actor died unexpectedly before finishing this task"
    "|The actor is temporarily unavailable",
    re.IGNORECASE,
)
WAITED = bounded(
    "Timed out waiting \\d{1,12}ms for (?:\\w{1,20} )?operation"
    "|Application timeout caused pair closure"
    "|Watchdog caught collective operation timeout"
    "|failed to pass monitoredBarrier in \\d{1,12} ms"
    "|Timed out after [\\d.]{1,12} seconds waiting for clients"
    "|wait timeout after \\d{1,12}ms, keys: "
    "|Barrier timed out",
    re.IGNORECASE,
)
#: Said of any connection: of a peer only where the message also names a remote task, or the exception is of these classes of gRPC.
BROKEN = bounded(
    "Connection reset by peer|Socket closed|failed to connect to all addresses|Connection refused|Broken pipe|keepalive watchdog timeout"
    "|GOAWAY received|RecvFromRemoteAsync is cancelled|Deadline Exceeded",
    re.IGNORECASE,
)
OF_A_CALL = frozenset(
    {"UnavailableError", "AbortedError", "CancelledError", "DeadlineExceededError"}
)
#: By their names alone.
CLASSES = frozenset(
    {"ActorDiedError", "ActorUnavailableError", "WorkerCrashedError", "NodeDiedError", "HorovodInternalError", "DistNetworkError"}
)  # fmt: skip

LONGEST = 300


def loss_in(text: str, kind: str = "") -> Loss | None:
    """What a message tells of a lost peer; ``kind`` is the class of the exception, by its last name."""
    rank = _rank(text)
    waited = WAITED.search(text)
    gone = GONE.search(text)
    if gone is None and (rank or kind in OF_A_CALL):
        gone = BROKEN.search(text)
    found = gone or waited
    if found is None and kind not in CLASSES:
        return None
    words = text[found.start() :].partition("\n")[0] if found is not None else text
    words = " ".join(words[:LONGEST].split())
    return Loss(words, rank, _address(text), gone is None and waited is not None)


def _rank(text: str) -> str:
    task = REMOTE_TASK.search(text) or UNHEALTHY_TASK.search(text)
    if task is not None:
        return f"{task[1]}/{task[2]}"
    named = NAMED_RANK.search(text)
    return next(filter(None, named.groups()), "") if named is not None else ""


def _address(text: str) -> str:
    found = ADDRESS.search(text)
    if found is None:
        return ""
    host, port = (found[1], found[2]) if found[1] else (found[3], found[4])
    return f"{host}:{port}"

"""What libraries say of a peer that is gone. The messages are theirs, as they were printed."""

from __future__ import annotations

import pytest

from outlive.model.ranks.peer_words import loss_in

COLLECTIVE = """Graph execution error:
Detected at node CollectiveReduceV2 defined at (most recent call last):
Collective ops is aborted by: Collective ops is aborted by: recvmsg:Connection reset by peer
Additional GRPC error information from remote target /job:worker/replica:0/task:1 while calling /tensorflow.WorkerService/RecvBuf:
:UNKNOWN:Error received from peer  {grpc_message:"recvmsg:Connection reset by peer", grpc_status:14}
The error could be from a previous operation. Restart your program to reset.
Additional GRPC error information from remote target /job:worker/replica:0/task:2 while calling /tensorflow.WorkerService/RecvBuf:
\t [[{{node CollectiveReduceV2}}]] [Op:__inference_step_48]"""
COORDINATION = (
    "Failed to send RPC to coordination service. Either the leader task was preempted/died/restarted unexpectedly or this task is "
    "experiencing network issues.\nAdditional GRPC error information from remote target /job:worker/replica:0/task:0 while calling "
    "/tensorflow.CoordinationService/Heartbeat:\n:UNKNOWN:Error received from peer {Connection refused}"
)
SERVER = (
    "Graph execution error: failed to connect to all addresses; last error: UNKNOWN: ipv4:127.0.0.1:33407: Failed to connect to remote "
    "host: Connection refused\nAdditional GRPC error information from remote target /job:ps/replica:0/task:0/device:CPU:0 while calling "
    "x\nAdditional GRPC error information from remote target /job:worker/replica:0/task:1:"
)
CLOSED = "[/__w/pytorch/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:553] Connection closed by peer [127.0.0.1]:26302. This is typically caused by a remote worker crashing."
READ = "[/__w/gloo/transport/tcp/pair.cc:537] Read error [127.0.0.1]:12471: Connection reset by peer. This is typically caused by a remote worker hanging or bugs in the application."
NCCL = "NCCL error in: ProcessGroupNCCL.cpp:1691, remote process exited or there was a network error, NCCL version 2.20.5\nncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely."
BARRIER = "[Rank 0]: Rank 2 failed to pass monitoredBarrier in 30000 ms"
TIMEOUT = "[/__w/gloo/transport/tcp/unbound_buffer.cc:81] Timed out waiting 1800000ms for recv operation to complete"
WATCHDOG = "[Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=21, OpType=ALLREDUCE, Timeout(ms)=600000) ran for 600123 milliseconds before timing out."
ACTOR = "The actor died unexpectedly before finishing this task.\n\tclass_name: Model"


@pytest.mark.parametrize(
    ("text", "kind", "rank", "address", "waited"),
    [
        (COLLECTIVE, "UnavailableError", "worker/1", "", False),
        (COORDINATION, "UnavailableError", "worker/0", "", False),
        (SERVER, "UnavailableError", "ps/0", "127.0.0.1:33407", False),
        (CLOSED, "RuntimeError", "", "127.0.0.1:26302", False),
        (READ, "RuntimeError", "", "127.0.0.1:12471", False),
        (NCCL, "DistBackendError", "", "", False),
        (BARRIER, "RuntimeError", "2", "", True),
        (TIMEOUT, "RuntimeError", "", "", True),
        (WATCHDOG, "RuntimeError", "", "", True),
        (ACTOR, "ActorDiedError", "", "", False),
        ("Socket closed", "UnavailableError", "", "", False),
    ],
)
def test_a_lost_peer_is_told_with_what_the_message_names(
    text: str, kind: str, rank: str, address: str, waited: bool
) -> None:
    loss = loss_in(text, kind)

    assert loss is not None
    assert (rank, address, waited) == (loss.rank, loss.address, loss.waited)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("[Errno 104] Connection reset by peer", "ConnectionResetError"),
        ("<urlopen error [Errno 111] Connection refused>", "URLError"),
        ("Error executing an HTTP request: libcurl code 7 meaning 'Couldn't connect to server'", "UnavailableError"),
        ("[Errno 32] Broken pipe", "BrokenPipeError"),
        ("[_Derived_]RecvAsync is cancelled.", "CancelledError"),
        ("Operation was cancelled", "CancelledError"),
        ("OOM when allocating tensor on /job:localhost/replica:0/task:0/device:CPU:0", "ResourceExhaustedError"),
        ("the read timed out after 30 seconds", "TimeoutError"),
        ("bad label in rank 2", "ValueError"),
    ],
)  # fmt: skip
def test_an_error_of_another_kind_is_none(text: str, kind: str) -> None:
    assert None is loss_in(text, kind)

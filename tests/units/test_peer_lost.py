"""`peer-lost` acquits a rank by what libraries say, names the lost one where they do, and is never proven."""

from __future__ import annotations

from collections.abc import Mapping

from outlive.coroner.examine import decide
from outlive.model.events import Program, Received, Thrown
from outlive.model.evidence import Errors, Evidence, Run, Signals
from outlive.model.findings import Confidence, EndedBy, Ending, EndingKind, Place, Verdict
from outlive.model.ranks.membership import Membership

RAISED = Ending(EndingKind.EXCEPTION, exit_code=1, by=EndedBy.ITSELF)
CLUSTER = Membership("tf-1", "worker/0", 3, "TF_CONFIG", addresses={"worker/0": "a:1", "worker/1": "b:2", "worker/2": "c:3"})  # fmt: skip
OWN = Place("train.py", 7, "main", "step()")
LIBRARY = Place("/x/site-packages/torch/distributed/distributed_c10d.py", 9, "all_reduce", "work.wait()", own=False)  # fmt: skip
JAX = (
    "F1118 02:30:11 client.h:80] Terminating process because the JAX distributed service detected fatal errors. absl::Status: UNAVAILABLE: "
    "The following tasks are unhealthy (stopped sending heartbeats): \n/job:worker/replica:0/task:1\nThe tasks have crashed."
)


def program(member: Membership | None = CLUSTER) -> Program:
    return Program(pid=10, own_pids=frozenset({10}), python="3.11", member=member)


def raised(thrown: Thrown, member: Membership | None = CLUSTER) -> Verdict:
    return decide("run", Evidence(Run(RAISED, program(member)), errors=Errors(thrown=(thrown,))))


def found(verdict: Verdict) -> Mapping[str, Confidence]:
    return {finding.slug: finding.confidence for finding in verdict.findings}


def test_the_lost_one_is_named_with_its_host_and_the_line_that_needed_it() -> None:
    message = "Socket closed\nAdditional GRPC error information from remote target /job:worker/replica:0/task:1 while calling x"
    verdict = raised(Thrown("tensorflow.UnavailableError", message, (LIBRARY, OWN), pid=10))

    assert verdict.cause is not None and "peer-lost" == verdict.cause.slug
    assert "worker 1" in verdict.cause.says
    assert "worker 1 on b" in verdict.cause.remedies[0].text
    assert ("outlive why --job tf-1",) == verdict.cause.remedies[0].commands
    assert OWN == verdict.cause.where
    assert Confidence.LIKELY == verdict.cause.confidence


def test_an_address_is_enough_to_name_a_rank_of_a_known_cluster() -> None:
    verdict = raised(
        Thrown("RuntimeError", "Connection closed by peer [c]:3", (LIBRARY, OWN), pid=10)
    )

    assert verdict.cause is not None and "worker 2" in verdict.cause.says


def test_words_that_the_program_raises_itself_are_no_more_than_possible() -> None:
    mine = Place("train.py", 3, "main", "raise RuntimeError(text)")
    verdict = raised(Thrown("RuntimeError", "Connection closed by peer [c]:3", (mine,), pid=10))

    assert Confidence.POSSIBLE == found(verdict)["peer-lost"]
    assert verdict.cause is not None and "uncaught-exception" == verdict.cause.slug


def test_a_process_that_the_coordination_service_aborted_is_a_victim() -> None:
    ending = Ending(EndingKind.SIGNAL, "SIGABRT", by=EndedBy.ITSELF)
    verdict = decide("run", Evidence(Run(ending, program(), log=JAX)))

    assert verdict.cause is not None and "peer-lost" == verdict.cause.slug
    assert "worker 1" in verdict.cause.says


def ended_by(command: str, member: Membership | None) -> Verdict:
    ending = Ending(EndingKind.SIGNAL, "SIGTERM")
    got = Received("SIGTERM", 77, command, pid=10, at=1.0)
    return decide("run", Evidence(Run(ending, program(member)), signals=Signals(received=(got,))))


def test_what_a_launcher_ends_may_be_the_end_of_another_one() -> None:
    for command in ("/usr/bin/python3 /venv/bin/torchrun --nproc-per-node 4", "python3 -m torch.distributed.run x.py", "orterun -n 4 x"):  # fmt: skip
        verdict = ended_by(command, CLUSTER)

        assert Confidence.POSSIBLE == found(verdict)["peer-lost"]
        assert verdict.cause is not None and "terminated-by-process" == verdict.cause.slug


def test_a_person_or_a_program_that_is_no_rank_is_another_matter() -> None:
    assert "peer-lost" not in found(ended_by("bash", CLUSTER))
    assert "peer-lost" not in found(ended_by("orterun -n 4 x", None))


def test_it_is_never_proven() -> None:
    messages = ("Collective ops is aborted by: Socket closed", "ncclRemoteError: x", "Timed out waiting 1000ms for recv operation")  # fmt: skip
    for message in messages:
        told = found(raised(Thrown("RuntimeError", message, (LIBRARY, OWN), pid=10), None))
        assert Confidence.LIKELY == told["peer-lost"]

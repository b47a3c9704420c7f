"""Which rank of a job was first: by causality where there is any, by time where clocks allow it, and otherwise nobody is accused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from outlive.coroner.ranks.first_culprit import decide_job
from outlive.model.findings import Confidence, EndedBy, Ending, EndingKind, Finding, Place
from outlive.model.ranks.job import JobVerdict, Order, Part, RankRecord, State
from outlive.model.ranks.membership import Membership

JOB = Membership("job", size=3)
LINE = Place("train.py", 7, "main", "step()")
CRASH = Ending(EndingKind.SIGNAL, "SIGSEGV", by=EndedBy.ITSELF)
RAISED = Ending(EndingKind.EXCEPTION, exit_code=1, by=EndedBy.ITSELF)
WELL = Ending(EndingKind.SUCCESS, exit_code=0)
HANGS = Ending(EndingKind.HANG)


def died(
    rank: int, ended: float = 10.0, slug: str = "uncaught-exception", **more: object
) -> RankRecord:
    finding = Finding("It did.", slug=slug, confidence=Confidence.PROVEN, where=LINE)
    plain = RankRecord(str(rank), State.ENDED, f"host{rank}", "clock", f"run-{rank}", 0.0, ended, RAISED, (finding,))  # fmt: skip
    return replace(plain, **more)  # type: ignore[arg-type]


def victim(rank: int, ended: float = 12.0, lost: str = "", **more: object) -> RankRecord:
    return died(rank, ended, "peer-lost", loss=Confidence.LIKELY, lost=lost, **more)


def left(rank: int, ended: float = 10.0) -> RankRecord:
    return died(rank, ended, ending=WELL, findings=(), left_at=LINE)


def stands(rank: int, line: int, in_framework: bool, **more: object) -> RankRecord:
    place = Place("train.py", line)
    plain = died(rank, state=State.RUNNING, ended=None, ending=HANGS, findings=(), stands=place)
    return replace(plain, **{"still": True, "in_framework": in_framework, **more})  # type: ignore[arg-type]


def decided(*records: RankRecord, job: Membership = JOB) -> JobVerdict:
    return decide_job(replace(job, rank="0"), records)


def first_of(verdict: JobVerdict) -> str | None:
    return verdict.first.record.rank if verdict.first is not None else None


def test_the_only_one_with_a_cause_of_its_own_is_the_first() -> None:
    verdict = decided(victim(0), died(1), victim(2))

    assert ("1", Order.ONLY, Confidence.PROVEN) == (first_of(verdict), verdict.order, verdict.confidence)  # fmt: skip
    assert [Part.VICTIM, Part.FIRST, Part.VICTIM] == [it.part for it in verdict.ranks]


def test_a_victim_that_ended_before_it_by_a_clock_that_is_wrong_does_not_change_that() -> None:
    verdict = decided(victim(0, 3.0, clock="other"), died(1, 100.0), victim(2, 4.0, clock="third"))

    assert "1" == first_of(verdict)
    assert Confidence.LIKELY == verdict.confidence


def test_of_two_the_one_that_the_others_name_is_the_first_whatever_the_clocks_say() -> None:
    verdict = decided(victim(0, lost="2"), died(1, 9.0, clock="fast"), died(2, 10.0, clock="slow"))

    assert ("2", Order.NAMED) == (first_of(verdict), verdict.order)
    assert Part.ALSO == verdict.ranks[1].part


def test_of_two_on_one_clock_the_earlier_one_is_the_first() -> None:
    verdict = decided(victim(0), died(1, 10.0), died(2, 11.0))

    assert ("1", Order.TIME) == (first_of(verdict), verdict.order)


def test_a_named_one_that_surely_ended_later_is_not_the_first() -> None:
    verdict = decided(victim(0, lost="2"), died(1, 10.0), died(2, 11.0))

    assert ("1", Order.TIME) == (first_of(verdict), verdict.order)


@pytest.mark.parametrize(("clock", "gap"), [("clock", 0.02), ("other", 3.0)])
def test_where_neither_names_nor_clocks_decide_that_is_said(clock: str, gap: float) -> None:
    verdict = decided(victim(0), died(1, 10.0), died(2, 10.0 + gap, clock=clock))

    assert (Order.OPEN, Confidence.POSSIBLE) == (verdict.order, verdict.confidence)
    assert any("cannot be told" in sentence for sentence in verdict.how)


def test_clocks_of_two_hosts_decide_where_they_are_far_apart() -> None:
    verdict = decided(victim(0), died(1, 10.0), died(2, 30.0, clock="other"))

    assert ("1", Order.CLOCKS) == (first_of(verdict), verdict.order)


def test_the_chain_of_losses_is_followed_to_its_end() -> None:
    verdict = decided(victim(0, lost="2"), died(1), victim(2, lost="1"))

    assert "1" == first_of(verdict)
    assert "lost rank 2, and that one rank 1" == verdict.ranks[0].says


def test_victims_that_name_each_other_accuse_nobody() -> None:
    verdict = decided(victim(0, lost="1"), victim(1, lost="0"), victim(2, lost="0"))

    assert None is first_of(verdict)
    assert any("network" in sentence for sentence in verdict.how)


def test_a_rank_without_a_record_that_the_others_name_is_the_first() -> None:
    verdict = decided(victim(0, lost="1"), victim(2, lost="1"))

    assert ("1", Part.FIRST) == (first_of(verdict), verdict.ranks[1].part)
    assert "left no record" in verdict.how[0]


def test_a_rank_without_a_record_is_suspected_where_nobody_else_can_be() -> None:
    verdict = decided(victim(0), victim(2))

    assert ("1", Confidence.POSSIBLE) == (first_of(verdict), verdict.confidence)


def test_with_a_rank_missing_nothing_is_proven() -> None:
    verdict = decided(died(0), victim(2))

    assert ("0", Confidence.LIKELY) == (first_of(verdict), verdict.confidence)
    assert Part.NO_RECORD == verdict.ranks[1].part


def test_a_rank_that_ended_well_before_the_others_were_done_left_them() -> None:
    verdict = decided(victim(0), left(1), victim(2))

    assert "1" == first_of(verdict)
    assert LINE == verdict.ranks[1].where


def test_a_job_that_ended_well_accuses_nobody() -> None:
    verdict = decided(left(0), left(1), left(2))

    assert None is first_of(verdict)
    assert {Part.FINISHED} == {it.part for it in verdict.ranks}


def test_of_those_that_stand_still_the_one_that_is_elsewhere_holds_the_others_up() -> None:
    verdict = decided(stands(0, 20, True), stands(1, 5, False), stands(2, 20, True))

    assert "1" == first_of(verdict)
    assert [Part.WAITS, Part.FIRST, Part.WAITS] == [it.part for it in verdict.ranks]


def test_of_those_that_work_nobody_is_accused_wherever_they_are() -> None:
    verdict = decided(
        *(
            stands(rank, line, line == 20, still=False, ending=None)
            for rank, line in ((0, 20), (1, 5), (2, 20))
        )
    )

    assert None is first_of(verdict)
    assert {Part.RUNNING} == {it.part for it in verdict.ranks}


def test_where_all_wait_at_the_same_line_nobody_is_accused() -> None:
    verdict = decided(stands(0, 20, True), stands(1, 20, True), stands(2, 20, True))

    assert None is first_of(verdict)


def test_where_one_waits_at_another_line_it_is_possible_that_it_is_the_one() -> None:
    verdict = decided(stands(0, 20, True), stands(1, 30, True), stands(2, 20, True))

    assert ("1", Confidence.POSSIBLE) == (first_of(verdict), verdict.confidence)


def test_those_that_a_timeout_ended_waited_for_the_one_that_still_stands() -> None:
    verdict = decided(victim(0, waited=True), stands(1, 5, False), victim(2, waited=True))

    assert "1" == first_of(verdict)


def test_of_a_job_that_was_cancelled_nobody_is_accused() -> None:
    told = Ending(EndingKind.SIGNAL, "SIGTERM", by=EndedBy.PROCESS)
    ranks = [died(rank, slug="terminated-by-process", ending=told) for rank in range(3)]

    assert None is first_of(decided(*ranks))


def test_what_the_launcher_ended_is_no_candidate() -> None:
    told = Ending(EndingKind.SIGNAL, "SIGTERM", by=EndedBy.PROCESS)
    ended = died(2, 9.0, slug="terminated-by-process", ending=told, by_launcher=True)

    verdict = decided(victim(0), died(1), ended)

    assert ("1", Part.ENDED) == (first_of(verdict), verdict.ranks[2].part)


def test_ranks_that_died_alike_at_one_line_are_said_to() -> None:
    verdict = decided(died(0), died(1), died(2))

    assert any("died alike" in sentence for sentence in verdict.how)


def test_a_task_that_is_named_otherwise_than_the_ranks_is_the_rank_of_its_number() -> None:
    verdict = decided(victim(0, lost="worker/1"), died(1), died(2, 9.99))

    assert ("1", Order.NAMED) == (first_of(verdict), verdict.order)


def test_a_lost_one_that_nobody_expected_is_named_all_the_same() -> None:
    verdict = decided(victim(0, lost="ps/0"), victim(1, lost="ps/0"), victim(2))

    assert ("ps/0", Part.FIRST) == (
        first_of(verdict),
        verdict.first.part if verdict.first else None,
    )


def test_one_whose_supervisor_was_ended_too_is_no_candidate_beside_one_with_a_cause() -> None:
    cut_off = died(2, state=State.CUT_OFF, ended=None, findings=())

    verdict = decided(victim(0), died(1), cut_off)

    assert ("1", Part.UNKNOWN) == (first_of(verdict), verdict.ranks[2].part)

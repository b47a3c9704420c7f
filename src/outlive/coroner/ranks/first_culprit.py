"""Which rank of a job brought it down: the records of its ranks in, one verdict out. Pure.

Causality goes before clocks. A rank that lost its connection to another one died after that other one, whatever the clocks say; so all that
failed only for a lost peer, or by the launcher's hand, are no candidates. Among the rest, the one that the others name as lost goes
first; then time, where two were on one machine or far enough apart for any two clocks. Where neither decides, that is said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from outlive.coroner.ranks.ends import (
    SECONDS_BETWEEN_CLOCKS,
    candidates,
    is_from_outside,
    is_innocent,
    line_of,
    surely_before,
    was_at_work,
)
from outlive.coroner.ranks.parts import part_of
from outlive.coroner.ranks.phrases import capital, names_of, place_words, verb_for
from outlive.model.findings import Confidence, EndingKind
from outlive.model.ranks.job import JobVerdict, Order, RankRecord, RankVerdict, State
from outlive.model.ranks.membership import Membership


def decide_job(member: Membership, records: Sequence[RankRecord]) -> JobVerdict:
    """The verdict on a job, from the records of its ranks; ``member`` is any of them, and tells how many there should be."""
    known = {record.rank for record in records}
    records = [replace(record, lost=_known_as(record.lost, known)) for record in records]
    named = {record.lost for record in records if record.lost}
    missing = sorted({*member.expected(), *named} - known)
    everyone = sorted([*records, *(RankRecord(rank, State.ABSENT) for rank in missing)], key=_by_rank)  # fmt: skip
    return _Inquiry(member, everyone).verdict()


def _known_as(lost: str, known: set[str]) -> str:
    """A lost rank as the others are called: a cluster that TensorFlow made of Slurm's variables has tasks, its ranks are numbers."""
    job, _, number = lost.rpartition("/")
    numbered = job == "worker" and all(rank.isdigit() for rank in known)
    return number if numbered and number in known else lost


def _by_rank(record: RankRecord) -> tuple[str, int, str]:
    job, _, number = record.rank.rpartition("/")
    return job, int(number) if number.isdigit() else -1, record.run


class _Inquiry:
    """The question who was first, asked of the records of one job."""

    def __init__(self, member: Membership, everyone: Sequence[RankRecord]) -> None:
        self.member = member
        self.everyone = everyone
        self.by_rank = {record.rank: record for record in everyone}
        self.victims = [record for record in everyone if is_innocent(record)]
        self.own = candidates(everyone)
        self.named = Counter(filter(None, map(self._lost_by, self.victims)))
        self.how: list[str] = []
        self.first: list[RankRecord] = []  #: more than one where they ended at the same moment
        self.order = Order.OPEN
        self.sure: Confidence | None = None

    def _lost_by(self, victim: RankRecord) -> str:
        """Whom a victim lost in the end: where that one is a victim itself, the one that it lost."""
        seen: set[str] = set()
        rank = victim.lost
        while rank and rank not in seen:
            seen.add(rank)
            record = self.by_rank.get(rank)
            if record is None or not is_innocent(record) or not record.lost:
                return rank
            rank = record.lost
        return rank

    def verdict(self) -> JobVerdict:
        """Find the first one, then say of each rank what it did."""
        self._find()
        found, cancelled = bool(self.first), self._all_cancelled()
        ranks = tuple(
            RankVerdict(
                record,
                *part_of(record, record in self.first, found, self._lost_by(record), cancelled),
            )
            for record in self.everyone
        )
        return JobVerdict(
            self.member.job,
            self.member.launcher,
            self.member.size,
            self.member.attempt,
            ranks,
            self.order,
            self.sure if self.first else None,
            tuple(self.how),
        )

    def _find(self) -> None:
        """Ask in this order: who died by itself, who left early, who stands still, who has no record."""
        absent = self._lost_without_a_record()
        blamed = absent is None or any(self.named[it.rank] for it in self.own)
        if self.own and blamed:
            self._among_those_that_died()
            return
        if absent is not None:
            self._name(absent, Order.NAMED, Confidence.LIKELY)
            self.how.append(
                f"{names_of(self.victims)} lost the connection to {absent.words}, which left no record: "
                "its host was lost, or it was never started with `outlive run`."
            )
            return
        for find in (self._who_left_early, self._who_stands_elsewhere, self._who_never_came):
            find()
            if self.first:
                return
        if self.victims:
            self.how.append(
                "Every rank that failed did so for a lost connection, and none has a cause of its own: the network between them may have failed."
            )

    def _name(self, record: RankRecord, order: Order, sure: Confidence) -> None:
        self.first, self.order, self.sure = [record], order, sure

    def _lost_without_a_record(self) -> RankRecord | None:
        """The rank that most of the victims name, where nothing was recorded of it."""
        named = (self.by_rank[rank] for rank, _ in self.named.most_common())
        return next((it for it in named if it.state is State.ABSENT), None)

    def _among_those_that_died(self) -> None:
        """The one that the others name; else the one that ended first."""
        if self._all_cancelled():
            self._ended_together()
            return
        dated = sorted(self.own, key=lambda it: it.ended or float("inf"))
        first = dated[0]
        if len(dated) == 1:
            self._name(first, Order.ONLY, self._sure_of_the_only_one(first))
            self._tell_of_the_victims(first)
            return
        favourite = next((rank for rank, _ in self.named.most_common(1)), "")
        chosen = next((it for it in dated if it.rank == favourite), None)
        if chosen is not None and chosen is not first and not surely_before(first, chosen):
            first = chosen
        if self.named[first.rank]:
            self._name(first, Order.NAMED, Confidence.LIKELY)
            self._tell_of_the_victims(first)
        else:
            self._by_time(first, [it for it in dated if it is not first])
        alike = {(it.cause.slug, str(it.cause.where)) for it in dated if it.cause is not None}
        if len(alike) == 1 and first.cause is not None and first.cause.where is not None:
            self.how.append(
                f"{capital(names_of(dated))} died alike, at the same line: the cause is in what all ranks do, whichever was first."
            )

    def _by_time(self, first: RankRecord, later: Sequence[RankRecord]) -> None:
        """The one that ended first, if that can be told."""
        one_clock = all(it.clock == first.clock for it in later)
        if all(surely_before(first, it) for it in later):
            gap = min((it.ended or 0.0) - (first.ended or 0.0) for it in later)
            self._name(first, Order.TIME if one_clock else Order.CLOCKS, Confidence.LIKELY)
            by = (
                ", by the clock of one machine"
                if one_clock
                else "; clocks of hosts are nearer to each other than that"
            )
            self.how.append(
                f"{capital(first.words)} ended {gap:.1f} s before {names_of(later[:1])}{by}."
            )
            return
        self._name(first, Order.OPEN, Confidence.POSSIBLE)
        if any(it.ended is None for it in (first, *later)):
            why = "the record of one does not say when it ended"
        elif one_clock:
            why = "they ended at the same moment"
        else:
            why = "they ended within seconds of each other, and the clocks of their hosts are not compared"
        self.how.append(
            f"{capital(names_of([first, *later]))} each died of a cause of their own; which was first cannot be told: {why}."
        )

    def _sure_of_the_only_one(self, first: RankRecord) -> Confidence:
        """A rank without a record may have been the first, and so may one that ended before."""
        later = all(it.ended is not None and not surely_before(it, first) for it in self.victims)
        whole = all(it.state is not State.ABSENT for it in self.everyone)
        return (
            Confidence.PROVEN if whole and later and first.ended is not None else Confidence.LIKELY
        )

    def _all_cancelled(self) -> bool:
        """Whether somebody outside ended every rank: a person, a scheduler, or the launcher on behalf of one."""
        there = [record for record in self.everyone if record.state is not State.ABSENT]
        return len(there) > 1 and all(is_from_outside(it) or it.by_launcher for it in there)

    def _ended_together(self) -> None:
        """Somebody ended the whole job; it may have stood still before that."""
        self._who_stands_elsewhere()
        if not self.first:
            self.how.append("The ranks were ended from outside, and none of them failed before that.")  # fmt: skip

    def _tell_of_the_victims(self, first: RankRecord) -> None:
        naming = [victim for victim in self.victims if self._lost_by(victim) == first.rank]
        named = {id(it) for it in naming}  # to compare thousands of records would take seconds
        silent = [
            it
            for it in self.victims
            if it.loss is not None and not it.by_launcher and id(it) not in named
        ]
        if naming:
            self.how.append(f"{capital(names_of(naming))} failed after losing {first.words}: the error names it.")  # fmt: skip
        if silent:
            only = (
                f"; {first.words} is the only one with a cause of its own"
                if self.order is Order.ONLY
                else ""
            )
            them = "it" if len(silent) == 1 else "they"
            self.how.append(
                f"{capital(names_of(silent))} failed only because {them} lost a peer (the error does not say which){only}."
            )
        if not naming and not silent and self.order is Order.ONLY and len(self.everyone) > 1:
            self.how.append(f"{capital(first.words)} is the only one with a cause of its own.")

    def _who_left_early(self) -> None:
        """A rank that ended well while others still needed it."""
        failed = [it for it in self.victims if it.failed]
        left = [it for it in self.everyone if it.state is State.ENDED and not it.failed and it.ending is not None and it.ending.kind is EndingKind.SUCCESS]  # fmt: skip
        if not failed or not left:
            return
        named = [it for it in left if self.named[it.rank]]
        chosen = min(named or left, key=lambda it: it.ended or float("inf"))
        if not named and any(it.waited for it in failed) and any(map(was_at_work, self.everyone)):
            return  # it may have been done; somebody else does not move
        before = all((chosen.ended or 0.0) <= (it.ended or float("inf")) + SECONDS_BETWEEN_CLOCKS for it in failed)  # fmt: skip
        if before:
            self._name(chosen, Order.NAMED if named else Order.ONLY, Confidence.LIKELY)
            self.how.append(
                f"{capital(chosen.words)} ended with status 0 while {names_of(failed)} still needed it; {verb_for(failed, 'it does', 'they do')} not fail by {verb_for(failed, 'itself', 'themselves')}."
            )

    def _stand_still(self) -> bool:
        """Whether the job did: a rank was seen without progress, or a timeout ended one. Ranks that work are at any line."""
        return any(it.still or it.waited for it in self.everyone)

    def _waiting(self) -> list[RankRecord]:
        """Those that wait for the others: a timeout ended them, or they were last seen below a framework."""
        return [it for it in self.everyone if it.waited or (was_at_work(it) and it.in_framework)]

    def _who_stands_elsewhere(self) -> None:
        """Nobody died: of those that do not move, the one that is not where the others wait."""
        if not self._stand_still():
            return
        waiting = self._waiting()
        elsewhere = [it for it in self.everyone if was_at_work(it) and it not in waiting]
        if waiting and elsewhere:
            one, *others = elsewhere
            self._name(one, Order.ONLY, Confidence.POSSIBLE if others else Confidence.LIKELY)
            verb = "is" if one.state is State.RUNNING else "was"
            self.how.append(
                f"{capital(names_of(waiting))} {verb_for(waiting, 'waits', 'wait')} at {place_words(line_of(waiting[0]))} for the others; "
                f"{one.words} {verb} at {place_words(one.stands)}."
            )
            if others:
                self.how.append(
                    f"{capital(names_of(others))} {verb_for(others, 'is', 'are')} elsewhere, too."
                )
            return
        places = Counter(str(line_of(it)) for it in waiting)
        most = max(places.values(), default=0)
        odd = [it for it in waiting if places[str(line_of(it))] < most]
        if odd:
            self._name(odd[0], Order.ONLY, Confidence.POSSIBLE)
            self.how.append(
                f"All wait for each other, and not at the same line: {odd[0].words} at {place_words(line_of(odd[0]))}, most others elsewhere."
            )

    def _who_never_came(self) -> None:
        """All that are there wait, and somebody is missing."""
        absent = [it for it in self.everyone if it.state is State.ABSENT]
        troubled = self.victims or (self._waiting() if self._stand_still() else [])
        if absent and troubled:
            self._name(absent[0], Order.ONLY, Confidence.POSSIBLE)
            self.how.append(
                f"{capital(names_of(absent))} left no record, and {names_of(troubled)} {verb_for(troubled, 'misses', 'miss')} somebody."
            )

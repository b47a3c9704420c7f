"""Which rank of a job brought it down: the records of its ranks in, one verdict out. Pure.

Causality goes before clocks. A rank that lost its connection to another one died after that other one, whatever the clocks say; so all that
failed only for a lost peer, or by the launcher's hand, are no candidates. Among the rest, the one that the others name as lost goes
first; then time, where two were on one machine or far enough apart for any two clocks. Where neither decides, that is said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from outlive.model.findings import Confidence, EndedBy, EndingKind, Place
from outlive.model.ranks.job import JobVerdict, Order, Part, RankRecord, RankVerdict, State
from outlive.model.ranks.membership import Membership, rank_words

#: Clocks that a network keeps are nearer to each other than this; nobody promises more.
SECONDS_BETWEEN_CLOCKS = 5.0
#: What a supervisor needs to see the end of its program, on a busy machine: ends that are nearer have no order.
SECONDS_TO_NOTICE = 0.1

#: Causes that only say that somebody outside ended the program.
FROM_OUTSIDE = frozenset(
    {"terminated-by-process", "killed-by-process", "preempted", "interrupted", "terminal-hung-up"}
)


PEER_LOST = "peer-lost"


def decide_job(member: Membership, records: Sequence[RankRecord]) -> JobVerdict:
    """The verdict on a job, from the records of its ranks; ``member`` is any of them, and tells how many there should be."""
    known = {record.rank for record in records}
    absent = [RankRecord(rank, State.ABSENT) for rank in member.expected() if rank not in known]
    everyone = sorted([*records, *absent], key=_by_rank)
    return _Inquiry(member, everyone).verdict()


def _by_rank(record: RankRecord) -> tuple[str, int, str]:
    job, _, number = record.rank.rpartition("/")
    return job, int(number) if number.isdigit() else -1, record.run


class _Inquiry:
    """The question who was first, asked of the records of one job."""

    def __init__(self, member: Membership, everyone: Sequence[RankRecord]) -> None:
        self.member = member
        self.everyone = everyone
        self.by_rank = {record.rank: record for record in everyone}
        self.victims = [record for record in everyone if _is_innocent(record)]
        self.own = _candidates(everyone)
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
            if record is None or not _is_innocent(record) or not record.lost:
                return rank
            rank = record.lost
        return rank

    def verdict(self) -> JobVerdict:
        """Find the first one, then say of each rank what it did."""
        self._find()
        ranks = tuple(
            RankVerdict(record, part, says)
            for record in self.everyone
            for part, says in [self._part(record)]
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
        if self.own and not (absent and not any(self.named[it.rank] for it in self.own)):
            self._among_those_that_died()
            return
        if absent:
            self._name(absent, Order.NAMED, Confidence.LIKELY)
            self.how.append(
                f"{_list(self.victims)} lost the connection to {absent.words}, which left no record: "
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
        for rank, _ in self.named.most_common():
            record = self.by_rank.get(rank)
            if record is None or record.state is State.ABSENT:
                return record or RankRecord(rank, State.ABSENT)
        return None

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
        if chosen is not None and chosen is not first and not _surely_before(first, chosen):
            first = chosen
        later = [it for it in dated if it is not first]
        gap = min(((it.ended or 0.0) - (first.ended or 0.0) for it in later), default=0.0)
        unknown = first.ended is None or any(it.ended is None for it in later)
        if self.named[first.rank]:
            self._name(first, Order.NAMED, Confidence.LIKELY)
            self._tell_of_the_victims(first)
        elif not unknown and all(_surely_before(first, it) for it in later):
            one_clock = all(it.clock == first.clock for it in later)
            order = Order.TIME if one_clock else Order.CLOCKS
            self._name(first, order, Confidence.LIKELY)
            self.how.append(
                f"{_capital(first.words)} ended {gap:.1f} s before {_list(later[:1])}"
                + (", by the clock of one machine." if one_clock else "; clocks of hosts are nearer to each other than that.")
            )  # fmt: skip
        else:
            self.first, self.order, self.sure = [first], Order.OPEN, Confidence.POSSIBLE
            why = "the record of one does not say when it ended"
            if not unknown:
                same = all(it.clock == first.clock for it in later)
                why = (
                    "they ended at the same moment"
                    if same
                    else "they ended within seconds of each other, and the clocks of their hosts are not compared"
                )
            self.how.append(
                f"{_capital(_list(dated))} each died of a cause of their own; which was first cannot be told: {why}."
            )
        alike = {(it.cause.slug, str(it.cause.where)) for it in dated if it.cause is not None}
        if len(alike) == 1 and first.cause is not None and first.cause.where is not None:
            self.how.append(
                f"{_capital(_list(dated))} died alike, at the same line: the cause is in what all ranks do, whichever was first."
            )

    def _sure_of_the_only_one(self, first: RankRecord) -> Confidence:
        """A rank without a record may have been the first, and so may one that ended before."""
        later = all(it.ended is not None and not _surely_before(it, first) for it in self.victims)
        whole = all(it.state is not State.ABSENT for it in self.everyone)
        return (
            Confidence.PROVEN if whole and later and first.ended is not None else Confidence.LIKELY
        )

    def _all_cancelled(self) -> bool:
        """Whether somebody outside ended every rank: a person, a scheduler, or the launcher on behalf of one."""
        there = [record for record in self.everyone if record.state is not State.ABSENT]
        return len(there) > 1 and all(_is_from_outside(it) or it.by_launcher for it in there)

    def _ended_together(self) -> None:
        """Somebody ended the whole job; it may have stood still before that."""
        self._who_stands_elsewhere()
        if not self.first:
            self.how.append("The ranks were ended from outside, and none of them failed before that.")  # fmt: skip

    def _tell_of_the_victims(self, first: RankRecord) -> None:
        naming = [victim for victim in self.victims if self._lost_by(victim) == first.rank]
        silent = [it for it in self.victims if it.loss is not None and it not in naming and not it.by_launcher]  # fmt: skip
        if naming:
            self.how.append(f"{_capital(_list(naming))} failed after losing {first.words}: the error names it.")  # fmt: skip
        if silent:
            only = (
                f"; {first.words} is the only one with a cause of its own"
                if self.order is Order.ONLY
                else ""
            )
            them = "it" if len(silent) == 1 else "they"
            self.how.append(
                f"{_capital(_list(silent))} failed only because {them} lost a peer (the error does not say which){only}."
            )
        if not naming and not silent and self.order is Order.ONLY and len(self.everyone) > 1:
            self.how.append(f"{_capital(first.words)} is the only one with a cause of its own.")

    def _who_left_early(self) -> None:
        """A rank that ended well while others still needed it."""
        failed = [it for it in self.victims if it.failed]
        left = [it for it in self.everyone if it.state is State.ENDED and not it.failed and it.ending is not None and it.ending.kind is EndingKind.SUCCESS]  # fmt: skip
        if not failed or not left:
            return
        named = [it for it in left if self.named[it.rank]]
        chosen = min(named or left, key=lambda it: it.ended or float("inf"))
        if not named and any(it.waited for it in failed) and any(map(_was_at_work, self.everyone)):
            return  # it may have been done; somebody else does not move
        before = all((chosen.ended or 0.0) <= (it.ended or float("inf")) + SECONDS_BETWEEN_CLOCKS for it in failed)  # fmt: skip
        if before:
            self._name(chosen, Order.NAMED if named else Order.ONLY, Confidence.LIKELY)
            self.how.append(
                f"{_capital(chosen.words)} ended with status 0 while {_list(failed)} still needed it; {'it does' if len(failed) == 1 else 'they do'} not fail by {'itself' if len(failed) == 1 else 'themselves'}."
            )

    def _stand_still(self) -> bool:
        """Whether the job did: a rank was seen without progress, or a timeout ended one. Ranks that work are at any line."""
        return any(it.still or it.waited for it in self.everyone)

    def _waiting(self) -> list[RankRecord]:
        """Those that wait for the others: a timeout ended them, or they were last seen below a framework."""
        return [it for it in self.everyone if it.waited or (_was_at_work(it) and it.in_framework)]

    def _who_stands_elsewhere(self) -> None:
        """Nobody died: of those that do not move, the one that is not where the others wait."""
        if not self._stand_still():
            return
        waiting = self._waiting()
        elsewhere = [it for it in self.everyone if _was_at_work(it) and it not in waiting]
        if waiting and elsewhere:
            one, *others = elsewhere
            self._name(one, Order.ONLY, Confidence.POSSIBLE if others else Confidence.LIKELY)
            verb = "is" if one.state is State.RUNNING else "was"
            self.how.append(
                f"{_capital(_list(waiting))} {_verb(waiting, 'waits', 'wait')} at {_place(_line(waiting[0]))} for the others; "
                f"{one.words} {verb} at {_place(one.stands)}."
            )
            if others:
                self.how.append(
                    f"{_capital(_list(others))} {_verb(others, 'is', 'are')} elsewhere, too."
                )
            return
        places = Counter(str(_line(it)) for it in waiting)
        most = max(places.values(), default=0)
        odd = [it for it in waiting if places[str(_line(it))] < most]
        if odd:
            self._name(odd[0], Order.ONLY, Confidence.POSSIBLE)
            self.how.append(
                f"All wait for each other, and not at the same line: {odd[0].words} at {_place(_line(odd[0]))}, most others elsewhere."
            )

    def _who_never_came(self) -> None:
        """All that are there wait, and somebody is missing."""
        absent = [it for it in self.everyone if it.state is State.ABSENT]
        troubled = self.victims or (self._waiting() if self._stand_still() else [])
        if absent and troubled:
            self._name(absent[0], Order.ONLY, Confidence.POSSIBLE)
            self.how.append(
                f"{_capital(_list(absent))} left no record, and {_list(troubled)} {_verb(troubled, 'misses', 'miss')} somebody."
            )

    def _part(self, record: RankRecord) -> tuple[Part, str]:
        if record in self.first:
            return Part.FIRST, self._says_of_the_first(record)
        if record.state is State.ABSENT:
            return Part.NO_RECORD, "left no record"
        if record.failed and record.loss is not None and _is_innocent(record):
            lost = self._lost_by(record)
            direct = record.lost
            whom = rank_words(direct) if direct else "a peer"
            over = (
                f", and that one {rank_words(lost)}" if lost and direct and lost != direct else ""
            )
            words = f"waited in vain for {whom}" if record.waited else f"lost {whom}{over}"
            return Part.VICTIM, words
        if record.failed and (record.by_launcher or _is_from_outside(record)):
            return Part.ENDED, record.cause.says if record.cause is not None else "was ended"
        if record.failed:
            cause = record.cause
            part = Part.ALSO if cause is not None else Part.UNKNOWN
            return part, cause.says if cause is not None else "ended, and nobody knows of what"
        if record.state is State.RUNNING or _hangs(record):
            waits = record.in_framework or record.waited
            if waits and self.first:
                return Part.WAITS, "waits for the others"
            return Part.RUNNING, "is running"
        return Part.FINISHED, "ended well"

    def _says_of_the_first(self, record: RankRecord) -> str:
        if record.state is State.ABSENT:
            return "left no record"
        if record.failed and record.cause is not None and not _is_innocent(record) and not self._stood_still(record):  # fmt: skip
            return record.cause.says
        if record.state is State.ENDED and not record.failed and not _hangs(record):
            at = f" at {_place(record.left_at)}" if record.left_at else ""
            return f"It left the job{at} with status 0 before the others were done."
        if record.stands is not None:
            return (
                f"It holds the others up: its main thread was last seen at {_place(record.stands)}."
            )
        return (
            record.cause.says if record.cause is not None else "It ended, and nobody knows of what."
        )

    def _stood_still(self, record: RankRecord) -> bool:
        return _is_from_outside(record) and self._all_cancelled()


def _candidates(everyone: Sequence[RankRecord]) -> list[RankRecord]:
    """Those that died by themselves. One whose supervisor was ended too, as some launchers do, counts where nobody has a cause."""
    died = [record for record in everyone if record.failed and not _is_innocent(record)]
    known = [it for it in died if it.cause is not None or it.state is State.ENDED]
    return known or died


def _is_innocent(record: RankRecord) -> bool:
    """Whether its end is the consequence of another one's."""
    if not record.failed:
        return False
    if record.by_launcher:
        return True
    if record.loss is None:
        return False
    fault = (
        record.ending is not None and record.ending.signal and record.ending.by is EndedBy.ITSELF
    )
    if fault and record.cause is not None and record.cause.slug != PEER_LOST:
        return False  # it crashed of something else, whatever it had logged before
    return record.loss >= Confidence.LIKELY or _is_from_outside(record) or record.cause is None or record.cause.slug == PEER_LOST  # fmt: skip


def _is_from_outside(record: RankRecord) -> bool:
    """Whether somebody else ended it, and nothing is known to be wrong with it."""
    if not record.failed or record.cause is None or record.cause.slug not in FROM_OUTSIDE:
        return False
    return record.ending is None or record.ending.by is not EndedBy.ITSELF


def _hangs(record: RankRecord) -> bool:
    return record.ending is not None and record.ending.kind is EndingKind.HANG


def _was_at_work(record: RankRecord) -> bool:
    """Whether its last line says where it stood: it runs, it hangs, or somebody ended it."""
    if record.stands is None or (record.failed and record.loss is not None):
        return False
    return (
        record.state is State.RUNNING
        or _hangs(record)
        or record.by_launcher
        or _is_from_outside(record)
    )


def _line(record: RankRecord) -> Place | None:
    return record.stands or (record.cause.where if record.cause is not None else None)


def _surely_before(first: RankRecord, other: RankRecord) -> bool:
    if first.ended is None or other.ended is None:
        return False
    least = SECONDS_TO_NOTICE if first.clock == other.clock else SECONDS_BETWEEN_CLOCKS
    return other.ended - first.ended >= least


def _place(place: Place | None) -> str:
    return str(place) if place is not None else "an unknown line"


def _list(records: Iterable[RankRecord]) -> str:
    names = [record.words for record in records]
    if len(names) > 4:
        names = [*names[:3], f"{len(names) - 3} more"]
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]])) if names else "nobody"


def _verb(records: Sequence[RankRecord], one: str, several: str) -> str:
    return one if len(records) == 1 else several


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]

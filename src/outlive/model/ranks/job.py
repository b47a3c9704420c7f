"""Nouns: what is known of each rank of a job, and the answer to which one brought the others down. Frozen and picklable."""

from __future__ import annotations

import enum

from outlive.model.findings import Confidence, Ending, EndingKind, Finding, Place
from outlive.model.quick_dataclass import dataclass
from outlive.model.ranks.membership import rank_words


class Part(enum.Enum):
    """What a rank did in the end of a job."""

    FIRST = "first"  #: it died, left or stood still before the others, which failed because of it
    ALSO = "also"  #: died of a cause of its own, later or at the same moment
    VICTIM = "victim"  #: failed only because another one was lost
    ENDED = "ended"  #: was ended by the launcher or from outside, as the others were
    WAITS = "waits"  #: does not move, and waits for the others
    FINISHED = "finished"  #: ended well
    RUNNING = "running"  #: nothing is known against it
    NO_RECORD = "no-record"  #: it belongs to the job, and nothing was recorded of it
    UNKNOWN = "unknown"  #: ended, and nobody knows of what


class State(enum.Enum):
    """How far a rank had come when its record was read."""

    ENDED = "ended"
    RUNNING = "running"
    CUT_OFF = "cut-off"  #: its supervisor was ended too: how and when it ended is not known
    ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class RankRecord:
    """One rank, as its record and its own verdict tell of it."""

    rank: str
    state: State
    host: str = ""
    clock: str = ""  #: ranks of one clock can be ordered by time
    run: str = ""  #: the name of its record
    began: float | None = None  #: seconds since 1970
    ended: float | None = None
    ending: Ending | None = None
    findings: tuple[Finding, ...] = ()
    loss: Confidence | None = None  #: how sure it is that it died of a lost peer
    lost: str = ""  #: the peer that was lost, where the message names it
    waited: bool = False  #: it was ended by a timeout, waiting for another
    by_launcher: bool = False  #: the launcher ended it
    stands: Place | None = None  #: the user's line that its main thread was last seen at
    still: bool = False  #: it was seen to make no progress until its end, or until now
    in_framework: bool = False  #: … below which the framework was at work, or waited
    waits_in: str = ""  #: … and which of its calls that was: ``torch's all_reduce``
    left_at: Place | None = None  #: the line that made it leave

    @property
    def words(self) -> str:
        """The rank as a sentence names it."""
        return rank_words(self.rank) if self.rank else f"run {self.run.rpartition('-')[2]}"

    @property
    def cause(self) -> Finding | None:
        """Why it died, by its own verdict."""
        return self.findings[0] if self.findings else None

    @property
    def failed(self) -> bool:
        """Whether it ended in any way but well."""
        hangs = self.ending is not None and self.ending.kind is EndingKind.HANG
        well = self.ending is not None and self.ending.kind is EndingKind.SUCCESS
        return self.state in (State.ENDED, State.CUT_OFF) and not well and not hangs


@dataclass(frozen=True, slots=True)
class RankVerdict:
    """One rank in the verdict on its job."""

    record: RankRecord
    part: Part
    says: str  #: how it can be told, in one sentence

    @property
    def where(self) -> Place | None:
        """The line that matters of it."""
        record = self.record
        own = record.cause.where if record.cause is not None else None
        if self.part in (Part.WAITS, Part.RUNNING):
            return record.stands or own
        return own or record.left_at or record.stands


class Order(enum.Enum):
    """By what the first one is known to be the first."""

    ONLY = "only"  #: no other one has a cause of its own
    NAMED = "named"  #: the others name it as the one that they lost
    TIME = "time"  #: it ended first, by one clock
    CLOCKS = "clocks"  #: it ended first by clocks of several hosts, further apart than clocks are
    OPEN = "open"  #: nobody can tell


@dataclass(frozen=True, slots=True)
class JobVerdict:
    """Which rank of a job brought it down, and how one can tell."""

    job: str
    launcher: str
    size: int | None
    attempt: int
    ranks: tuple[RankVerdict, ...]
    order: Order
    confidence: Confidence | None = None  #: that the first one is the first
    how: tuple[str, ...] = ()  #: sentences

    @property
    def first(self) -> RankVerdict | None:
        """The rank that brought the job down; of several at the same moment, one of them."""
        return next((it for it in self.ranks if it.part is Part.FIRST), None)

    def of(self, part: Part) -> tuple[RankVerdict, ...]:
        """The ranks that did this."""
        return tuple(it for it in self.ranks if it.part is part)

    @property
    def ended(self) -> bool:
        """Whether no rank of it is running any more."""
        return not any(it.record.state is State.RUNNING for it in self.ranks)

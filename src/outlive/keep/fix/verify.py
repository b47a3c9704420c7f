"""Did the patched copy live past the point of death? Decided from the two records. Pure."""

from __future__ import annotations

import difflib

from outlive.keep.fix.propose import Proposal
from outlive.keep.fix.rehearse import Rehearsal
from outlive.keep.fix.start_again import Start
from outlive.model.events import Thrown
from outlive.model.evidence import Evidence
from outlive.model.findings import EndingKind, Finding, Verdict, size
from outlive.model.quick_dataclass import dataclass

#: Of the CPU time until the death: what still runs then has passed the point of death.
PAST = 1.2

#: Of the limit: more than this is too near to it, and a rise of so much in the last half is no standstill.
NEAR_THE_LIMIT = 0.9
STILL_RISING = 0.1


@dataclass(frozen=True, slots=True)
class Verified:
    """Whether a patch was seen to help, and in which words that is told."""

    yes: bool
    says: str


def verified(
    proposal: Proposal,
    verdict: Verdict,
    evidence: Evidence,
    start: Start,
    rehearsal: Rehearsal,
) -> Verified:
    """Compare the death with what became of the patched copy."""
    if rehearsal.over:
        return Verified(
            False, f"it used more than the limit of {size(start.memory_bytes or 0)} again"
        )
    if rehearsal.status is None and verdict.ending.kind is EndingKind.SUCCESS:
        return Verified(
            False,
            f"it had ended after {start.seconds:.0f} s, and the patched copy was still running after {rehearsal.seconds:.0f} s",
        )
    if rehearsal.status is None:
        return _still_alive(start, rehearsal)
    if rehearsal.status == 0:
        return _ended_well(proposal, start, rehearsal)
    return _ended_badly(proposal, verdict, evidence, start, rehearsal)


def _ended_well(proposal: Proposal, start: Start, rehearsal: Rehearsal) -> Verified:
    if proposal.patch.raises:
        return Verified(False, "it ended with status 0 again: the error was not raised")
    return Verified(
        True, f"it ran to its end (status 0) in {rehearsal.seconds:.0f} s{_peak(start, rehearsal)}"
    )


def _still_alive(start: Start, rehearsal: Rehearsal) -> Verified:
    lived = f"for {rehearsal.seconds:.0f} s"
    found = rehearsal.evidence
    # One that only waits in between is noted, too, and is not what it died of: whether it comes past that point, its CPU time tells.
    if start.hung and found is not None and found.waits.stuck is not None:
        return Verified(False, f"it hung again, {lived}")
    if start.hung:  # who hangs lives, too: only an end shows that it did not
        return Verified(
            False,
            f"it was still running after {rehearsal.seconds:.0f} s, and it is not known whether it had passed the point of death (--seconds)",
        )
    if rehearsal.cpu_seconds < PAST * start.cpu_seconds:
        return Verified(
            False,
            f"it was not yet past the point of death after {rehearsal.seconds:.0f} s (--seconds)",
        )
    limit = start.memory_bytes
    if limit is not None:
        rising = rehearsal.last_bytes - rehearsal.middle_bytes > STILL_RISING * limit
        if rising or rehearsal.last_bytes > NEAR_THE_LIMIT * limit:
            return Verified(
                False,
                f"it lived {lived}, but its memory was still rising ({size(rehearsal.last_bytes)} of {size(limit)})",
            )
    return Verified(True, f"it lived past the point of death, {lived}{_peak(start, rehearsal)}")


def _peak(start: Start, rehearsal: Rehearsal) -> str:
    if start.memory_bytes is None or not rehearsal.peak_bytes:
        return ""
    how = "" if rehearsal.limited else ", watched by Outlive because no cgroup can be made here"
    return f", with at most {size(rehearsal.peak_bytes)} of {size(start.memory_bytes)}{how}"


def _ended_badly(
    proposal: Proposal,
    verdict: Verdict,
    evidence: Evidence,
    start: Start,
    rehearsal: Rehearsal,
) -> Verified:
    again = rehearsal.verdict.cause if rehearsal.verdict is not None else None
    error = rehearsal.evidence.errors.fatal if rehearsal.evidence is not None else None
    if proposal.patch.raises and error is not None:
        lost = {thrown.type for thrown in evidence.errors.lost}
        if {link.type for link in error.chain()} & lost:
            return Verified(True, f"the error is raised now: {error.type.rpartition('.')[2]}")
    told = _told(again, rehearsal)
    later = _is_past(proposal, evidence.errors.fatal, error)
    same = {proposal.cause, *(one.slug for one in verdict.findings[:1])}
    if again is not None and again.slug in same and not later:
        return Verified(False, f"it died of the same cause again: {told}")
    if _ran_out(evidence) and rehearsal.evidence is not None and _ran_out(rehearsal.evidence):
        return Verified(False, f"it came further, but ran out of memory again: {told}")
    if _where_it_was_changed(verdict, error, evidence.errors.fatal):
        return Verified(False, f"it failed in the function that the patch changes: {told}")
    if later or rehearsal.cpu_seconds > PAST * start.cpu_seconds > 0:
        return Verified(
            True, f"it lived past the point of death; it then ended for another reason: {told}"
        )
    return Verified(False, f"it ended for another reason: {told}")


def _ran_out(evidence: Evidence) -> bool:
    """Whether memory ran out: the kernel killed it, or a request was refused."""
    return evidence.memory.oom_kill() is not None or evidence.memory.refused() is not None


def _where_it_was_changed(verdict: Verdict, error: Thrown | None, before: Thrown | None) -> bool:
    """Whether an exception of another class comes from the function that the finding, and so the patch, is about: what the patch did may be why."""
    own = error.own if error is not None else None
    where = verdict.findings[0].where if verdict.findings else None
    if error is None or own is None or where is None or own.function == "<module>":
        return False
    another = before is None or before.type != error.type
    return another and (own.file, own.function) == (where.file, where.function)


def _told(cause: Finding | None, rehearsal: Rehearsal) -> str:
    if cause is None:
        ending = rehearsal.verdict.ending if rehearsal.verdict is not None else None
        hang = ending is not None and ending.kind is EndingKind.HANG
        return "it stood still" if hang else f"status {rehearsal.status}"
    return f"{cause.says.rstrip('.')} ({cause.slug}{f', line {cause.where.line}' if cause.where else ''})"


def _is_past(proposal: Proposal, before: Thrown | None, after: Thrown | None) -> bool:
    """Whether an exception comes from a later line than the other: compared from the outermost own frame inwards."""
    if before is None or after is None:
        return False
    moved = moved_line(proposal.before, proposal.after)
    old = [
        (
            frame.file.rpartition("/")[2],
            moved(frame.line)
            if frame.file.endswith(proposal.path.rpartition("/")[2])
            else frame.line,
        )
        for frame in reversed(before.frames)
        if frame.own
    ]
    new = [
        (frame.file.rpartition("/")[2], frame.line) for frame in reversed(after.frames) if frame.own
    ]
    for (file, line), (other, later) in zip(old, new, strict=False):
        if file != other or later < line:
            return False
        if later > line:
            return True
    return False


def moved_line(before: str, after: str) -> MovedLine:
    """Where a line of a text stands after a change."""
    return MovedLine(before, after)


class MovedLine:
    """The lines of a text after a change."""

    def __init__(self, before: str, after: str) -> None:
        matcher = difflib.SequenceMatcher(
            None, before.splitlines(), after.splitlines(), autojunk=False
        )
        self._steps = matcher.get_opcodes()

    def __call__(self, line: int) -> int:
        """The last line that stands for this one."""
        for tag, begin, end, new_begin, new_end in self._steps:
            if begin <= line - 1 < end:
                return new_begin + line - begin if tag == "equal" else max(new_begin + 1, new_end)
        return line

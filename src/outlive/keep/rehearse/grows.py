"""What grows, and at which line: the coroner is asked as if the program had just run out of memory. Pure."""

from __future__ import annotations

from dataclasses import replace

from outlive.coroner.judge import judge_evidence
from outlive.model.events import Group
from outlive.model.evidence import Evidence
from outlive.model.findings import EndedBy, Ending, EndingKind, Finding, Place, size
from outlive.model.memory import GOOD_PART_OF_GROWTH
from outlive.model.quick_dataclass import dataclass

#: Causes of growth; the others say how a program ended, and this one has not.
OF_GROWTH = frozenset(
    {
        "kept-in-container", "function-retraced", "graph-grows", "tape-kept-open", "native-leak", "fragmented-heap",
        "prefetch-too-deep", "shuffle-buffer-too-large", "cache-in-memory", "parallel-map-too-wide",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Growing:
    """What grows."""

    says: str
    where: Place | None
    slug: str = ""
    remedies: tuple[str, ...] = ()


def growing_in(name: str, evidence: Evidence, peak_bytes: int) -> Growing | None:
    """What the record of a rehearsal says about what grows in it."""
    found = _cause(name, evidence, peak_bytes)
    if found is not None:
        where = found.where or evidence.growth.growing_line(evidence.run.program.pid)
        return Growing(found.says, where, found.slug, tuple(one.text for one in found.remedies))
    pid = evidence.run.program.pid
    holders = [
        holder
        for holder in evidence.growth.holders.get(pid, ())
        if holder.believable and holder.grew_by(GOOD_PART_OF_GROWTH)
    ]
    if holders:
        most = max(holders, key=lambda one: one.part_of_growth)
        where = most.feeds or evidence.growth.growing_line(pid)
        return Growing(
            f"{most.kept}: {size(most.bytes)}, and still growing.", where, "kept-in-container"
        )
    line = evidence.growth.lines.get(pid)
    if line is None:
        return None
    return Growing(
        f"Memory grew by {size(line.grown_bytes)}, most of it while this line ran.", line.place
    )


def _cause(name: str, evidence: Evidence, peak_bytes: int) -> Finding | None:
    """The verdict, had Linux killed it at its peak for want of memory."""
    full = Group("/rehearsal", 2, peak_bytes, peak_bytes, 0, 1, 0)
    ending = Ending(EndingKind.SIGNAL, "SIGKILL", None, EndedBy.KERNEL_OOM)
    run = replace(evidence.run, ending=ending)
    memory = replace(evidence.memory, groups=(full,), oom_lines=None, last_rise=None)
    asked = replace(
        evidence,
        run=run,
        memory=memory,
        signals=type(evidence.signals)(),
        errors=type(evidence.errors)(),
    )
    verdict, _ = judge_evidence(name, asked)
    return next((one for one in verdict.findings if one.slug in OF_GROWTH), None)


@dataclass(frozen=True, slots=True)
class Filling:
    """What grows until it is full: a buffer of a pipeline, a deque with a bound."""

    name: str
    line: int | None
    held_bytes: int
    left_bytes: int  #: that it will still take

    @property
    def told(self) -> str:
        """Name it and what it will take."""
        line = f" (line {self.line})" if self.line else ""
        return f"{self.name}{line}: holds {size(self.held_bytes)}, not full, will take {size(self.left_bytes)} more"


def filling(evidence: Evidence) -> tuple[Filling, ...]:
    """What is not full yet, and what it will still take."""
    found = []
    for stage in evidence.pipelines.stages:
        if stage.held is None or stage.holds is None or stage.bytes is None:
            continue
        left = max(0, stage.holds - stage.held.elements) * (stage.bytes // max(1, stage.holds))
        if left:
            line = stage.place.line if stage.place is not None else None
            found.append(Filling(f"`{stage.kind}`", line, stage.held.bytes, left))
    for holder in evidence.growth.holders.get(evidence.run.program.pid, ()):
        if holder.believable and holder.bytes_left:
            line = holder.feeds.line if holder.feeds is not None else None
            name = f"the {holder.kind} `{holder.name}` of at most {holder.bound} elements"
            found.append(Filling(name, line, holder.bytes, holder.bytes_left))
    return tuple(found)

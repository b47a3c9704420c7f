"""All that one page about a run shows, gathered before anything is written: the verdict, its evidence, and what ran when."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from outlive.evidence import Evidence
from outlive.memory_use import Holder, Stage
from outlive.model import Fact, RuledOut, Verdict, size
from outlive.observed import Moment, Program, Stack
from outlive.report.share import Stranger

#: More would not fit on a screen, and a browser draws a curve of it without a pause.
MOST_MOMENTS = 3000
MOST_HOLDERS = 12
MOST_STACKS = 12


@dataclass(frozen=True, slots=True)
class Story:
    """One run, ready to be told."""

    verdict: Verdict
    evidence: Evidence
    moments: Sequence[Moment] = ()
    source: Sequence[tuple[int, str]] = ()  #: the lines around the one that is to blame
    ruled_out: Sequence[RuledOut] = ()
    began: str = ""

    @property
    def stacks(self) -> Sequence[Stack]:
        """Those of the crash, else the last that were seen."""
        crash = self.evidence.crash
        return (crash.stacks if crash and crash.stacks else self.evidence.stacks)[:MOST_STACKS]

    @property
    def changes(self) -> Sequence[Moment]:
        """The moments at which another line began to run."""
        runs = itertools.groupby(self.moments, key=lambda moment: moment.place)
        return [next(group) for _, group in runs][-MOST_MOMENTS:]

    @property
    def held(self) -> Sequence[Held]:
        """Who held memory, the largest first."""
        holders = self.evidence.holders.get(self.evidence.program.pid, ())
        found = [
            *(held_by(holder) for holder in holders if holder.believable),
            *(held_in(stage) for stage in self.evidence.stages if stage.bytes),
        ]
        return sorted(found, key=lambda held: -held.bytes)[:MOST_HOLDERS]

    @property
    def marks(self) -> Sequence[tuple[float, str]]:
        """Moments that matter, to be marked on the curve."""
        found = [
            (got.at, f"{got.signal} arrives") for got in self.evidence.signals if got.at is not None
        ]
        last = next((stack.at for stack in self.evidence.stacks if stack.at is not None), None)
        if last is not None:
            found.append((last, "last stack"))
        end = self.evidence.fact("run time")
        if isinstance(end, int | float) and not isinstance(end, bool):
            found.append((float(end), "end"))
        return sorted(found)


@dataclass(frozen=True, slots=True)
class Held:
    """Something that held memory."""

    what: str
    where: str
    bytes: int
    detail: str


def held_by(holder: Holder) -> Held:
    """A container of the user's."""
    detail = f"{holder.length:,} elements" + (f": {holder.holds}" if holder.holds else "")
    return Held(f"{holder.kind} {holder.name}", str(holder.feeds or ""), holder.bytes, detail)


def held_in(stage: Stage) -> Held:
    """A stage of a pipeline: what it may hold at most."""
    detail = f"at most {stage.holds:,} elements of {size(stage.element_bytes or 0)}"
    return Held(f"tf.data {stage.kind}", str(stage.place or ""), stage.bytes or 0, detail)


def for_strangers(story: Story, stranger: Stranger) -> Story:
    """The same story, masked: no source beyond the one line, no stderr, no command, no names of folders."""
    evidence = story.evidence
    return replace(
        story,
        verdict=stranger.verdict(story.verdict),
        source=(),
        moments=tuple(
            replace(moment, place=stranger.place(moment.place) if moment.place else None)
            for moment in story.moments
        ),
        began=stranger.text(story.began),
        ruled_out=tuple(replace(one, open=stranger.text(one.open)) for one in story.ruled_out),
        evidence=replace(
            evidence,
            program=Program(
                pid=evidence.program.pid, python=stranger.text(evidence.program.python)
            ),
            facts={
                stranger.text(name): stranger.fact(fact) for name, fact in evidence.facts.items()
            },
            gaps={stranger.text(name): stranger.text(why) for name, why in evidence.gaps.items()},
            stacks=tuple(_masked(stack, stranger) for stack in evidence.stacks),
            crash=replace(
                evidence.crash,
                stacks=tuple(_masked(stack, stranger) for stack in evidence.crash.stacks),
            )
            if evidence.crash
            else None,
            holders={
                pid: tuple(_masked_holder(holder, stranger) for holder in holders)
                for pid, holders in evidence.holders.items()
            },
            stages=tuple(
                replace(stage, place=stranger.place(stage.place) if stage.place else None)
                for stage in evidence.stages
            ),
            log="",
        ),
    )


def _masked(stack: Stack, stranger: Stranger) -> Stack:
    return replace(
        stack,
        thread=stranger.text(stack.thread),
        frames=tuple(stranger.place(frame) for frame in stack.frames),
    )


def _masked_holder(holder: Holder, stranger: Stranger) -> Holder:
    return replace(
        holder,
        name=stranger.text(holder.name),
        kind=stranger.text(holder.kind),
        holds=stranger.text(holder.holds),
        feeds=stranger.place(holder.feeds) if holder.feeds else None,
    )


def environment(story: Story) -> Sequence[Fact]:
    """What was run, on what."""
    program = story.evidence.program
    known = (
        ("command", " ".join(program.command)),
        ("folder", program.folder),
        ("Python", program.python),
        ("began", story.began),
    )
    return [Fact(name, value, "the record") for name, value in known if value]

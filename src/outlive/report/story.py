"""All that one page about a run shows, gathered before anything is written: the verdict, its evidence, and what ran when."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from outlive.circumstances import TELLING_PACKAGES, Circumstances, Setting
from outlive.evidence import Evidence
from outlive.memory_looks import Looks
from outlive.memory_use import Holder, Stage
from outlive.model import Fact, RuledOut, Verdict, size
from outlive.observed import NEARLY_FULL, Moment, Program, Received, Stack
from outlive.report.share import MASK, Stranger
from outlive.report.threads import Thread, threads_of
from outlive.rewriting import Rewriting

#: More would not fit on a screen, and a browser draws a curve of it without a pause.
MOST_MOMENTS = 3000
MOST_HOLDERS = 12


@dataclass(frozen=True, slots=True)
class Story:
    """One run, ready to be told."""

    verdict: Verdict
    evidence: Evidence
    moments: Sequence[Moment] = ()
    source: Sequence[tuple[int, str]] = ()  #: the lines around the one that is to blame
    ruled_out: Sequence[RuledOut] = ()
    began: str = ""
    rewriting: Rewriting | None = None  #: the blamed lines, before and after

    @property
    def threads(self) -> Sequence[Thread]:
        """Where every thread was."""
        return threads_of(self.evidence)

    @property
    def changes(self) -> Sequence[Moment]:
        """The moments at which another line began to run."""
        runs = itertools.groupby(self.moments, key=lambda moment: moment.place)
        return [next(group) for _, group in runs][-MOST_MOMENTS:]

    @property
    def held(self) -> Sequence[Held]:
        """Who held memory, the largest first."""
        program = self.evidence.program.pid
        looks = self.evidence.looks.get(program)
        found = [
            *(
                held_by(holder, "" if pid == program else f", in process {pid}")
                for pid, holders in self.evidence.holders.items()
                for holder in holders
                if holder.believable
            ),
            *(held_in(stage) for stage in self.evidence.stages if stage.bytes),
            *(held_at(looks) if looks is not None else ()),
        ]
        return sorted(found, key=lambda held: -held.bytes)[:MOST_HOLDERS]

    @property
    def marks(self) -> Sequence[tuple[float, str]]:
        """Moments that matter, to be marked on the curve."""
        evidence = self.evidence
        found = [(got.at, f"{got.signal} arrives") for got in evidence.signals]
        found += [(at, "brake") for at in evidence.brakes or _brake_errors(evidence)]
        found += [(child.at, f"process {child.pid} dies") for child in evidence.children]
        found.append((_limit_met(evidence), "limit reached"))
        if evidence.standstill is not None:
            found.append((evidence.standstill.at, "stands still"))
        found.append(
            (
                next((stack.at for stack in evidence.stacks if stack.at is not None), None),
                "last stack",
            )
        )
        end = evidence.fact("run time")
        if isinstance(end, int | float) and not isinstance(end, bool):
            found.append((float(end), "end" if not evidence.failed else "death"))
        return sorted((at, label) for at, label in found if at is not None)


def _brake_errors(evidence: Evidence) -> Sequence[float | None]:
    """A brake that ended the program at once was not written down by itself."""
    return [thrown.at for thrown in evidence.errors if thrown.is_a("MemoryBrake")]


def _limit_met(evidence: Evidence) -> float | None:
    """When memory first was next to its limit."""
    full = (
        sample.at
        for sample in evidence.samples
        if sample.limit_bytes
        and sample.used_bytes is not None
        and sample.used_bytes >= NEARLY_FULL * sample.limit_bytes
    )
    return next(full, None)


@dataclass(frozen=True, slots=True)
class Held:
    """Something that held memory."""

    what: str
    where: str
    bytes: int
    detail: str


def held_by(holder: Holder, where: str = "") -> Held:
    """A container of the user's."""
    detail = f"{holder.length:,} elements" + (f": {holder.holds}" if holder.holds else "")
    return Held(
        f"{holder.kind} {holder.name}", str(holder.feeds or ""), holder.bytes, detail + where
    )


def held_in(stage: Stage) -> Held:
    """A stage of a pipeline: what it may hold at most."""
    detail = f"at most {stage.holds:,} elements of {size(stage.element_bytes or 0)}"
    return Held(f"tf.data {stage.kind}", str(stage.place or ""), stage.bytes or 0, detail)


def held_at(looks: Looks) -> Sequence[Held]:
    """What the allocators said when memory was last looked at. They overlap: an array in a list is in the heap as well."""
    found = [
        Held(
            f"array {array.name}",
            str(array.place or ""),
            array.bytes,
            f"{array.dtype} {array.shape}",
        )
        for array in looks.arrays
    ]
    found += [
        Held(
            f"graph {graph.name}",
            str(graph.place or ""),
            graph.bytes,
            f"{graph.operations:,} operations",
        )
        for graph in looks.graphs
    ]
    for last in looks.ledgers[-1:]:
        known = (
            ("tensors", last.tensor_bytes, "handed out by TensorFlow's allocator"),
            ("objects of Python", last.python_bytes, "all that the garbage collector knows"),
            (
                "native heap",
                last.heap_used_bytes,
                "handed out by malloc, tensors and arrays included",
            ),
            (
                "native heap, free",
                last.heap_free_bytes,
                "given back to malloc, and still the process's",
            ),
            (
                "small pieces, free",
                last.arena_free_bytes,
                "given back to Python's own allocator, and still the process's",
            ),
        )
        found += [Held(what, "", count, detail) for what, count, detail in known if count]
    return [held for held in found if held.bytes]


def for_strangers(story: Story, stranger: Stranger) -> Story:
    """The same story, masked: no source beyond the one line, no stderr, no command, no names of folders."""
    evidence = story.evidence
    return replace(
        story,
        verdict=stranger.verdict(story.verdict),
        source=(),
        rewriting=_masked_rewriting(story.rewriting, stranger),
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
            signals=tuple(_masked_signal(got, stranger) for got in evidence.signals),
            circumstances=Circumstances(setting=_masked_setting(evidence.circumstances.setting)),
            looks={pid: _masked_looks(looks, stranger) for pid, looks in evidence.looks.items()},
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


def _masked_signal(got: Received, stranger: Stranger) -> Received:
    """Of the sender nothing; of native code the names without their folders."""
    site = got.site
    if site is not None:
        frames = tuple(
            replace(
                frame,
                file=f"/{stranger.text(frame.library)}",
                function=stranger.text(frame.function),
            )
            for frame in site.frames
        )
        site = replace(site, frames=frames, fault=None, mount="")
    return Received(got.signal, at=got.at, pid=got.pid, thread=stranger.text(got.thread), site=site)


def _masked_setting(setting: Setting) -> Setting:
    """Of variables the names, of packages those that everybody has."""
    return Setting(
        system=setting.system,
        variables=dict.fromkeys(setting.variables, MASK),
        packages={
            name: version for name, version in setting.packages.items() if name in TELLING_PACKAGES
        },
    )


def _masked_looks(looks: Looks, stranger: Stranger) -> Looks:
    return Looks(
        ledgers=looks.ledgers,
        arrays=tuple(
            replace(
                array,
                name=stranger.text(array.name),
                place=stranger.place(array.place) if array.place else None,
            )
            for array in looks.arrays
        ),
        graphs=tuple(
            replace(
                graph,
                name=stranger.text(graph.name),
                place=stranger.place(graph.place) if graph.place else None,
            )
            for graph in looks.graphs
        ),
    )


def _masked_rewriting(found: Rewriting | None, stranger: Stranger) -> Rewriting | None:
    if found is None:
        return None
    return replace(
        found,
        file=stranger.text(found.file.rpartition("/")[2]),
        rows=tuple(replace(row, text=stranger.text(row.text)) for row in found.rows),
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
    program, setting = story.evidence.program, story.evidence.circumstances.setting
    known = (
        ("command", " ".join(program.command), "the command line"),
        ("folder", program.folder, "the supervisor"),
        ("began", story.began, "the supervisor's clock"),
        ("revision", setting.revision, "git's files around the folder"),
        ("Python", program.python, "the program"),
        ("system", setting.system, "uname"),
        *((name, value, "the environment") for name, value in setting.variables.items()),
        *(
            (name, version, "its dist-info folder")
            for name, version in sorted(setting.packages.items())
            if name in TELLING_PACKAGES
        ),
    )
    return [Fact(name, value, source) for name, value, source in known if value]

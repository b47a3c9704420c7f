"""The story of a run for somebody who may know nothing private of it: what the page shows, masked, and nothing else of the evidence."""

from __future__ import annotations

from dataclasses import replace

from outlive.model.events import ChildDeath, Crash, Program, Received, Stack, Thrown
from outlive.model.evidence import (
    Children,
    Errors,
    Evidence,
    Memory,
    MemoryGrowth,
    NativeCrash,
    Pipelines,
    Run,
    Signals,
    Waits,
)
from outlive.model.findings import Place
from outlive.model.memory import Holder
from outlive.model.memory_looks import Looks
from outlive.model.surroundings_at_death import TELLING_PACKAGES, Circumstances, Setting
from outlive.model.waits import Standstill
from outlive.report.share import MASK, Stranger
from outlive.report.story import Story
from outlive.source.rewrite import Rewriting


def for_strangers(story: Story, stranger: Stranger) -> Story:
    """The same story, masked: no source beyond the one line, no stderr, no command, no names of folders."""
    return replace(
        story,
        verdict=stranger.verdict(story.verdict),
        source=(),
        rewriting=_masked_rewriting(story.rewriting, stranger),
        moments=tuple(
            replace(moment, place=_masked_place(moment.place, stranger)) for moment in story.moments
        ),
        began=stranger.text(story.began),
        ruled_out=tuple(
            replace(cause, open=stranger.text(cause.open)) for cause in story.ruled_out
        ),
        evidence=_masked_evidence(story.evidence, stranger),
    )


def _masked_evidence(known: Evidence, stranger: Stranger) -> Evidence:
    """Evidence made anew of masked parts: what is not named here is not in it."""
    standstill, report = known.waits.standstill, known.crash.report
    brakes = [thrown.at for thrown in known.errors.thrown if thrown.is_a("MemoryBrake")]
    return Evidence(
        _masked_run(known.run, stranger),
        signals=Signals(
            received=tuple(_masked_signal(got, stranger) for got in known.signals.received)
        ),
        growth=_masked_growth(known.growth, stranger),
        crash=NativeCrash(report=_masked_crash(report, stranger) if report else None),
        pipelines=Pipelines(
            stages=tuple(
                replace(stage, place=_masked_place(stage.place, stranger))
                for stage in known.pipelines.stages
            )
        ),
        circumstances=Circumstances(setting=_masked_setting(known.circumstances.setting)),
        # Of these the page shows the moments alone.
        memory=Memory(brakes=known.memory.brakes),
        errors=Errors(thrown=tuple(Thrown("MemoryBrake", "", at=at) for at in brakes)),
        children=Children(
            deaths=tuple(ChildDeath(it.pid, None, None, at=it.at) for it in known.children.deaths)
        ),
        waits=Waits(
            standstill=Standstill(standstill.seconds, at=standstill.at) if standstill else None
        ),
    )


def _masked_run(run: Run, stranger: Stranger) -> Run:
    return Run(
        ending=replace(run.ending, detail=stranger.text(run.ending.detail)),
        program=Program(pid=run.program.pid, python=stranger.text(run.program.python)),
        facts={stranger.text(name): stranger.fact(fact) for name, fact in run.facts.items()},
        gaps={stranger.text(name): stranger.text(why) for name, why in run.gaps.items()},
        samples=run.samples,
        stacks=tuple(_masked(stack, stranger) for stack in run.stacks),
    )


def _masked_growth(growth: MemoryGrowth, stranger: Stranger) -> MemoryGrowth:
    return MemoryGrowth(
        looks={pid: _masked_looks(looks, stranger) for pid, looks in growth.looks.items()},
        holders={
            pid: tuple(_masked_holder(holder, stranger) for holder in holders)
            for pid, holders in growth.holders.items()
        },
    )


def _masked_crash(report: Crash, stranger: Stranger) -> Crash:
    return replace(
        report,
        headline=stranger.text(report.headline),
        stacks=tuple(_masked(stack, stranger) for stack in report.stacks),
    )


def _masked_place(place: Place | None, stranger: Stranger) -> Place | None:
    return stranger.place(place) if place else None


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
                place=_masked_place(array.place, stranger),
            )
            for array in looks.arrays
        ),
        graphs=tuple(
            replace(
                graph,
                name=stranger.text(graph.name),
                place=_masked_place(graph.place, stranger),
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
        scope=stranger.text(holder.scope),
        feeds=_masked_place(holder.feeds, stranger),
        made=_masked_place(holder.made, stranger),
    )

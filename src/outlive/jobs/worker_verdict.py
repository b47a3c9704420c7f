"""Why a worker of ours died: what its parent knows made into evidence, and the causes asked as about any program.

A worker is not recorded as a program under `outlive run` is: it has a page that says which input it was at (``busy_page``), a log with its last words,
its cgroup's counters and how it ended. That is enough for most causes; two endings are known only here, since we made them: the
worker that stood still, and the one that we ended before the kernel would have. An input that the task itself refuses carries its cause.
"""

from __future__ import annotations

import os
import re
import signal
from dataclasses import replace

from outlive.coroner.judge import judge_evidence
from outlive.coroner.readings.source_lines import CRASH_FRAME, SourceLines, crash_in, thrown
from outlive.data.addresses import Copy, is_address
from outlive.data.formats.file_faults import fault_of
from outlive.jobs.worker_death import Death
from outlive.model.data import Inspection, LookedAt
from outlive.model.events import Group, Origin, Program, Stack
from outlive.model.evidence import Errors, Evidence, Memory, NativeCrash, Run
from outlive.model.fact_names import (
    ADDRESS_SPACE,
    ADDRESS_SPACE_LIMIT,
    BUDGET,
    MEMORY_LIMIT,
    MEMORY_OF_THE_WORKER,
    PEAK_MEMORY,
    TIME_WITHOUT_PROGRESS,
)
from outlive.model.findings import (
    Confidence,
    EndedBy,
    Ending,
    EndingKind,
    Fact,
    Finding,
    Place,
    Remedy,
    Verdict,
    size,
)
from outlive.model.patterns import bounded

#: What a stage is called in a sentence.
DOING = {
    "loading": "the model was being loaded",
    "preparing": "it was being read and decoded",
    "running": "the model was run on it",
}

#: What ``faulthandler`` writes before the stacks that we asked for.
STACK_HEAD = bounded(r"^(?:Current thread|Thread) 0x[0-9a-f]+.*:$", re.MULTILINE)


def verdict_on_worker(death: Death, name: str, path: str = "", source: str = "") -> Verdict:
    """The verdict on the death of a worker that was busy with the input of this name; ``path`` is its file, if it is one."""
    context = Fact("input", name, source or "noted by the worker", private=True)
    verdict, _ = judge_evidence(
        name, evidence_of(death, path), complete=lambda it: _completed(it, death, context)
    )
    return verdict


def _completed(verdict: Verdict, death: Death, context: Fact) -> Verdict:
    """With what only the parent knows of the death."""
    stage = death.busy[0][0] if death.busy else ""
    own = [
        *_of_a_hang(death, stage),
        *_of_our_own_hand(death, stage),
        *_of_what_the_task_says(death),
    ]
    ending = verdict.ending
    if death.over_bytes is not None or death.stood_seconds is not None:
        ending = replace(ending, by=EndedBy.PROCESS)
    findings = (*own, *verdict.findings)
    told = tuple(replace(one, because=(context, *one.because)) for one in findings)
    return replace(verdict, ending=ending, findings=told)


def evidence_of(death: Death, path: str = "") -> Evidence:
    """Make evidence of what is known of the death."""
    lines = SourceLines(os.getcwd())
    error = thrown(death.thrown, lines, origin=Origin.MAIN, pid=death.pid) if death.thrown else None
    name = signal.Signals(death.signal).name if death.signal is not None else None
    if error is not None:
        ending = Ending(EndingKind.EXCEPTION, None, 1, EndedBy.ITSELF, error.words)
    elif death.stood_seconds is not None:
        ending = Ending(EndingKind.HANG, detail=f"was stuck for {death.stood_seconds:.0f} s")
    elif name is not None:
        ending = Ending(EndingKind.SIGNAL, name, detail=f"ended by {name}")
    else:
        code = death.exit_code
        ending = Ending(EndingKind.EXIT, None, code, detail=f"ended with status {code}")
    return Evidence(
        Run(
            ending,
            Program(pid=death.pid, own_pids=frozenset({death.pid}), folder=os.getcwd()),
            facts={fact.name: fact for fact in _facts(death)},
            gaps={} if death.circles else {"oom counters": "no cgroup could be read"},
            log=death.log,
        ),
        memory=Memory(groups=_groups(death)),
        crash=NativeCrash(
            report=crash_in(death.log, lines, death.pid) if name is not None else None
        ),
        errors=Errors(thrown=(error,) if error is not None else ()),
        inspection=_looked_at(path) if error is not None else Inspection(),
    )


def _facts(death: Death) -> list[Fact]:
    found = []
    limit = next((one.after.limit_bytes for one in death.circles if one.after.limit_bytes), None)
    if limit or death.budget_bytes:
        source = next((one.path for one in death.circles if one.after.limit_bytes), "the budget")
        found.append(Fact(MEMORY_LIMIT, limit or death.budget_bytes, source))
    if death.peak_bytes:
        found.append(Fact(PEAK_MEMORY, death.peak_bytes, "/proc/PID/status: VmHWM"))
    if "address_space" in death.thrown:
        most, mapped = death.thrown["address_space"]
        found.append(Fact(ADDRESS_SPACE_LIMIT, most, "getrlimit of the worker"))
        found.append(Fact(ADDRESS_SPACE, mapped, "/proc/self/statm when it was thrown"))
    return found


def _groups(death: Death) -> tuple[Group, ...]:
    return tuple(
        Group(
            one.path,
            one.version,
            one.after.limit_bytes,
            None,
            one.before.oom_kills,
            one.after.oom_kills,
            one.before.oom_kills,
            one.before.refusals,
            one.after.refusals,
            vanished=1 if one.own else None,
        )
        for one in death.circles
    )


def _looked_at(path: str) -> Inspection:
    """The file that the exception is about is known: nobody has to search for it."""
    if not path:
        return Inspection()
    if is_address(path):
        return _looked_at_copy(path)
    try:
        length = os.stat(path).st_size
    except OSError:
        return Inspection((LookedAt(path, "the input"),), os.path.dirname(path))
    fault = fault_of(path)
    return Inspection((LookedAt(path, "the input", length, fault),), os.path.dirname(path))


def _looked_at_copy(address: str) -> Inspection:
    try:
        copy = Copy(address)
    except Exception:  # a store may raise anything; then nobody has looked
        return Inspection((LookedAt(address, "the input"),))
    try:
        length, fault = os.stat(copy.path).st_size, fault_of(copy.path)
    finally:
        copy.close()
    return Inspection((LookedAt(address, "the input", length, fault),))


def _of_a_hang(death: Death, stage: str) -> list[Finding]:
    if death.stood_seconds is None:
        return []
    stack = _stack_in(death)
    facts = [Fact(TIME_WITHOUT_PROGRESS, round(death.stood_seconds, 1), "measured by Outlive")]
    if stack and stack.frames:
        top = stack.frames[0]
        words = f"{top.file}:{top.line} in {top.function}"
        facts.append(Fact("innermost Python frame", words, "faulthandler", private=True))
    doing = DOING.get(stage, "it was running")
    seconds = f"{death.stood_seconds:.0f} s"
    alone = Remedy("Try this input alone: does the model ever finish with it?")
    longer = Remedy("Allow more time if it is only slow.", ("--deadline 600",))
    return [
        Finding(
            f"The worker was still computing after {seconds} while {doing}, and was ended: it was slow, or in an endless loop."
            if death.computed
            else f"The worker was stuck for {seconds} while {doing} (almost no CPU time used), and was ended.",
            tuple(facts),
            Confidence.POSSIBLE if death.computed else Confidence.LIKELY,
            (longer, alone) if death.computed else (alone, longer),
            where=stack.own if stack else None,
            slug="waiting-forever",
        )
    ]


def _of_our_own_hand(death: Death, stage: str) -> list[Finding]:
    if death.over_bytes is None:
        return []
    budget = size(death.budget_bytes or 0)
    doing = DOING.get(stage, "it was running")
    return [
        Finding(
            f"The worker had {size(death.over_bytes)} while {doing}, more than the budget of {budget}, and was stopped before Linux would have killed it.",
            (
                Fact(MEMORY_OF_THE_WORKER, death.over_bytes, "/proc/PID/statm"),
                Fact(BUDGET, death.budget_bytes, "the effective limit less a reserve"),
            ),
            Confidence.PROVEN,
            (Remedy("Give the job more memory, or make the input smaller."),),
            slug="memory-limit-reached",
        )
    ]


def _of_what_the_task_says(death: Death) -> list[Finding]:
    """A task that refuses an input by itself names the cause."""
    slug = death.thrown.get("slug", "")
    if not slug:
        return []
    return [
        Finding(
            str(death.thrown["message"]),
            (),
            Confidence.PROVEN,
            tuple(Remedy(text) for text in death.thrown.get("remedies", ())),
            slug=slug,
        )
    ]


def _stack_in(death: Death) -> Stack | None:
    """The stack of the main thread among those that a hanging worker wrote: faulthandler writes it last."""
    lines = SourceLines(os.getcwd())
    heads = list(STACK_HEAD.finditer(death.log))
    if not heads:
        return None
    frames: list[Place] = []
    for row in death.log[heads[-1].end() :].splitlines()[1:]:
        found = CRASH_FRAME.match(row)
        if found is None or found[1] == "<string>":  # what starts a zygote
            break
        frames.append(lines.place((found[1], int(found[2]) if found[2].isdigit() else 0, found[3])))
    return Stack("main", tuple(frames), main=True, pid=death.pid)

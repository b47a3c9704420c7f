"""`outlive run --heal`: after a death whose cause is proven, and has a remedy that needs no change of code, try once more with it.

What to change is decided here, purely, by asking the remedies; the next attempt is a fresh `outlive run` in this process's place.
"""

from __future__ import annotations

import json
import os
import signal
import stat
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace

from outlive.inside.notes.links import Link
from outlive.keep.pressure.checkpoint_files import is_there
from outlive.model.evidence import Evidence
from outlive.model.findings import Confidence, EndingKind, Finding, Verdict
from outlive.model.heal_case import Answer, Case, Change
from outlive.model.quick_dataclass import dataclass
from outlive.recorder.store import run_folders
from outlive.units.unit import UnitOf, cause, discover, fix, remedy

#: A person, or another program, wants this to end.
ENDS = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT})

#: Deaths that are proven by the kernel's own word, whatever had filled the memory.
KILLED = frozenset({"memory-limit-reached", "machine-out-of-memory"})

#: Causes whose remedy leaves every element and their order as they are.
LIKELY_IS_ENOUGH = frozenset({"cache-in-memory", "prefetch-too-deep", "parallel-map-too-wide"})

#: Of these nothing in the program can ever go on again, so that it may be ended where the person has asked for both: ADR 0016.
ENDED_WHEN_HANGING = frozenset({"forked-after-threads"})

#: A fresh start that finds Outlive where this process found it, whatever lies in the folder that it stands in.
START = "import sys; sys.path[:] = {path!r}; from outlive.__main__ import main; sys.exit(main(sys.argv[1:]))"


@dataclass(frozen=True, slots=True)
class State:
    """What one attempt hands to the next."""

    left: int  #: attempts
    tried: tuple[str, ...] = ()
    previous: str = ""  #: the record of the attempt before
    links: Mapping[Link, str] = field(default_factory=dict)
    stdin_at: int | None = None  #: where a file on stdin began
    saved: Mapping[str, str] = field(
        default_factory=dict
    )  #: checkpoints of the attempts before, and who saved them
    mask: tuple[int, ...] = ()  #: signals that were blocked before the first attempt

    def written(self) -> str:
        """Write the state as JSON, for the next attempt."""
        return json.dumps({name: getattr(self, name) for name in self.__slots__})

    @classmethod
    def read(cls, text: str, left: int) -> State:
        """Of text; at the first attempt there is none."""
        if not text:
            return cls(left)
        data = json.loads(text)
        data["links"] = {Link(name): text for name, text in data["links"].items()}
        return cls(**{**data, "tried": tuple(data["tried"]), "mask": tuple(data["mask"])})


Remedy = UnitOf[Case, Answer]


def healers() -> tuple[Remedy, ...]:
    """All remedies, by looking in their folder."""
    return discover(remedy)


def change_for(
    case: Case, tried: Sequence[str], known: Sequence[Remedy] | None = None
) -> Change | str:
    """The change for the next attempt; or why there is none."""
    found = case.verdict.cause
    if found is None:
        return "the cause is unknown"
    if case.verdict.ending.kind is EndingKind.HANG:
        if not case.may_be_ended or found.slug not in ENDED_WHEN_HANGING:
            return "it hangs but has not died"
    elif found.slug in ENDED_WHEN_HANGING and (sender := ended_from_outside(case)):
        return f"it was ended from outside ({sender})"
    answers = [_change_for(case, one, tried, known or healers()) for one in to_heal(case.verdict)]
    return next((answer for answer in answers if isinstance(answer, Change)), answers[0])


def to_heal(verdict: Verdict) -> list[Finding]:
    """The cause; where that is only likely, also the proven death that it would explain.

    That the kernel killed the program at its limit may be proven although what had filled the memory is not.
    """
    first, *others = verdict.findings
    if first.confidence is Confidence.PROVEN:
        return [first]
    behind = {unit.slug: unit.behind for unit in discover(cause)}.get(first.slug, ())
    explained = {*behind, *first.behind} & KILLED
    return [
        first,
        *(one for one in others if one.confidence is Confidence.PROVEN and one.slug in explained),
    ]


def _change_for(
    case: Case, died_of: Finding, tried: Sequence[str], known: Sequence[Remedy]
) -> Change | str:
    serving = [one for one in known if died_of.slug in one.heals]
    if not serving:
        patched = any(died_of.slug in one.heals for one in discover(fix))
        patch = "; `outlive fix` makes one and tries it" if patched else ""
        return f"for {died_of.slug} no remedy works without a code change{patch}"
    answers = [one.ask(case) for one in serving]
    changes = [answer for answer in answers if isinstance(answer, Change)]
    if died_of.confidence < _sure_enough(died_of.slug):
        return f"the cause ({died_of.slug}) is {died_of.confidence.name.lower()}, not proven{by_hand(changes)}"
    fresh = [change for change in changes if change.remedy not in tried]
    if fresh:
        return fresh[0]
    reasons = [answer for answer in answers if isinstance(answer, str)]
    if changes:
        reasons.insert(0, f"{changes[0].remedy} was already tried and did not help")
    return "; ".join(reasons) or f"for {died_of.slug} no remedy would help here"


def _sure_enough(slug: str) -> Confidence:
    """How sure a cause must be: where its remedy changes no element and no order, likely is enough."""
    return Confidence.LIKELY if slug in LIKELY_IS_ENOUGH else Confidence.PROVEN


def ended_from_outside(case: Case) -> str:
    """The signal of a person or a scheduler who ended it while it stood still; empty when nobody did."""
    name = case.evidence.run.ending.signal or ""
    error = case.evidence.errors.uncaught
    if error is not None and error.is_a("KeyboardInterrupt"):
        return "SIGINT"
    return name if name in {one.name for one in ENDS} else ""


def by_hand(changes: Sequence[Change]) -> str:
    """How a person tries it who is surer than we are."""
    words = [
        *(f"{name}={value}" for change in changes for name, value in change.variables.items()),
        "outlive run",
        *(switch for change in changes for switch in change.switches),
        "…",
    ]
    return f" (to try it anyway: {' '.join(words)})" if len(words) > 2 else ""


def cannot_start_again(stdin_at: int | None) -> str:
    """Why the program cannot simply be started once more; empty when it can."""
    try:
        mode = os.fstat(0).st_mode
    except OSError:
        return ""
    if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):
        return "it may have read its stdin, which is a pipe and cannot be read again (use a file, or < /dev/null)"
    if stat.S_ISREG(mode) and stdin_at is None:
        return "its stdin cannot be read from the start again"
    asked = signal.sigpending() & ENDS
    return f"{min(asked, key=int).name} was received" if asked else ""


def start_of_input() -> int | None:
    """Where a file on stdin stands now."""
    try:
        return os.lseek(0, 0, os.SEEK_CUR) if stat.S_ISREG(os.fstat(0).st_mode) else None
    except OSError:
        return None


def case_of(
    verdict: Verdict,
    evidence: Evidence,
    folder: str,
    state: State,
    *,
    brake_on: bool = False,
    may_be_ended: bool = False,
) -> Case:
    """A death, with what is to be seen around it now."""
    import resource

    from outlive.keep.pressure.remembered_sizes import tried_by

    return Case(
        verdict,
        evidence,
        folder,
        resource.getrlimit(resource.RLIMIT_NOFILE),
        tried_by(evidence.run.program.pid),
        brake_on,
        tuple({one.path for one in evidence.saving.saved if is_there(one.path)}),
        state.saved,
        main_of(evidence),
        may_be_ended,
    )


def main_of(evidence: Evidence) -> tuple[str, int] | None:
    """The text of the main module of a program that stands still, and the line of it that waits."""
    main = evidence.waits.stuck.main if evidence.waits.stuck is not None else None
    frames = [frame for frame in main.stack.frames if frame.own] if main is not None else []
    if not frames or frames[-1].function != "<module>":
        return None
    try:
        with open(os.path.join(evidence.run.program.folder, frames[-1].file), "rb") as file:
            return file.read().decode("utf-8", "replace"), frames[-1].line
    except (OSError, ValueError):
        return None


def next_attempt(
    case: Case, state: State, say: Callable[[str], None]
) -> tuple[Change, State] | None:
    """Decide, and say so loudly; nothing when it ends here."""
    found = cannot_start_again(state.stdin_at) or change_for(case, state.tried)
    if isinstance(found, Change) and not state.left:
        found = "the number of attempts allowed by --heal is used up"
    if isinstance(found, str):
        after = f" after trying {', '.join(state.tried)}" if state.tried else ""
        say(f"outlive: not healed{after}: {found}.")
        return None
    say(f"outlive: healing: {found.says}")
    name = os.path.basename(case.folder)
    following = replace(
        state,
        left=state.left - 1,
        tried=(*state.tried, found.remedy),
        previous=name,
        links={**state.links, **found.links},
        saved={
            one.path: one.by for one in case.evidence.saving.saved if one.path in case.checkpoints
        },
    )
    return found, following


def start_again(
    arguments: Sequence[str], change: Change, state: State, state_variable: str
) -> None:
    """In this process's place: the same `outlive run`, with the change."""
    if change.open_files is not None:
        import resource

        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (change.open_files, hard))
    if state.stdin_at is not None:
        os.lseek(0, state.stdin_at, os.SEEK_SET)
    environment = {**os.environ, **change.variables, state_variable: state.written()}
    switches = [one for one in change.switches if one not in arguments]
    code = START.format(path=sys.path)
    os.execve(
        sys.executable, [sys.executable, "-c", code, "run", *switches, *arguments], environment
    )


def leave_if_asked() -> None:
    """Before an attempt that is not the first begins: a signal to end that came between the two is obeyed."""
    asked = signal.sigpending() & ENDS
    if asked:
        number = min(asked, key=int)
        signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
        os.kill(os.getpid(), number)


def begin(state: State, folder: str, rings: str) -> None:
    """An attempt begins: tell the inside what is different, and let both records know each other."""
    for link, text in state.links.items():
        run_folders.tell_inside(rings, link, text)
    if state.previous:
        before = run_folders.folder_of(state.previous)
        what = state.tried[-1]
        run_folders.write_link(
            os.path.join(folder, run_folders.PREVIOUS_NAME), f"{state.previous} {what}"
        )
        if os.path.isdir(before):
            own = os.path.basename(folder)
            run_folders.write_link(os.path.join(before, run_folders.NEXT_NAME), f"{own} {what}")


def told_after_success(state: State) -> str:
    """What is said when a healed run has ended well."""
    if not state.tried:
        return ""
    return f"outlive: succeeded on attempt {len(state.tried) + 1} with {', '.join(state.tried)}."

"""`outlive run --heal`: after a death whose cause is proven, and has a remedy that needs no change of code, try once more with it.

What to change is decided here, purely, by asking the healers; the next attempt is a fresh `outlive run` in this process's place.
"""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import signal
import stat
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from outlive.evidence import Evidence
from outlive.model import Confidence, EndingKind, Verdict
from outlive.record import runs

#: Where the state of a healed run stands while one attempt hands over to the next; the program never sees it.
STATE_VARIABLE = "OUTLIVE_HEAL_STATE"

#: A person, or another program, wants this to end.
ENDS = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT})

#: A fresh start that finds Outlive where this process found it, whatever lies in the folder that it stands in.
START = "import sys; sys.path[:] = {path!r}; from outlive.__main__ import main; sys.exit(main(sys.argv[1:]))"


@dataclass(frozen=True, slots=True)
class Change:
    """What is different in the next attempt."""

    remedy: str  #: a short name; none is tried twice
    says: str  #: what is done, as a sentence for the person
    switches: tuple[str, ...] = ()  #: of `outlive run`
    variables: Mapping[str, str] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)  #: beside the rings, for the inside
    open_files: int | None = None  #: the soft limit


@dataclass(frozen=True, slots=True)
class Case:
    """All that a healer may know."""

    verdict: Verdict
    evidence: Evidence
    folder: str  #: of the run that died
    open_files: tuple[int, int] = (0, 0)  #: soft and hard limit
    batches_tried: tuple[int, ...] = ()  #: by an `outlive.adaptive` when it died


@dataclass(frozen=True, slots=True)
class State:
    """What one attempt hands to the next."""

    left: int  #: attempts
    tried: tuple[str, ...] = ()
    previous: str = ""  #: the record of the attempt before
    links: Mapping[str, str] = field(default_factory=dict)
    stdin_at: int | None = None  #: where a file on stdin began

    def written(self) -> str:
        """As text."""
        return json.dumps({name: getattr(self, name) for name in self.__slots__})

    @classmethod
    def read(cls, text: str, left: int) -> State:
        """Of text; at the first attempt there is none."""
        if not text:
            return cls(left)
        data = json.loads(text)
        return cls(**{**data, "tried": tuple(data["tried"])})


class Healer(Protocol):
    """A module of ``healers``."""

    SLUGS: tuple[str, ...]
    heal: Callable[[Case], Change | None]


def healers() -> tuple[Healer, ...]:
    """All of them, by looking in their folder."""
    package = importlib.import_module("outlive.keep.healers")
    return tuple(
        importlib.import_module(f"{package.__name__}.{info.name}")
        for info in sorted(pkgutil.iter_modules(package.__path__), key=lambda info: info.name)
    )


def change_for(
    case: Case, tried: Sequence[str], known: Sequence[Healer] | None = None
) -> Change | str:
    """The change for the next attempt; or why there is none."""
    cause = case.verdict.cause
    if cause is None:
        return "nobody knows why it died"
    if case.verdict.ending.kind is EndingKind.HANG:
        return "it hangs, and has not died"
    serving = [one for one in (known or healers()) if cause.slug in one.SLUGS]
    if not serving:
        return f"for {cause.slug} there is no remedy that needs no change of code"
    changes = [change for one in serving if (change := one.heal(case)) is not None]
    if cause.confidence is not Confidence.PROVEN:
        return f"the cause ({cause.slug}) is {cause.confidence.name.lower()}, not proven{by_hand(changes)}"
    if not changes:
        return f"for {cause.slug} there is no remedy that would help here"
    fresh = [change for change in changes if change.remedy not in tried]
    return fresh[0] if fresh else f"{changes[0].remedy} was tried already, and did not help"


def by_hand(changes: Sequence[Change]) -> str:
    """How a person tries it who is surer than we are."""
    words = [
        *(f"{name}={value}" for change in changes for name, value in change.variables.items()),
        "outlive run",
        *(switch for change in changes for switch in change.switches),
        "…",
    ]
    return f" (to try it all the same: {' '.join(words)})" if len(words) > 2 else ""


def cannot_start_again(stdin_at: int | None) -> str:
    """Why the program cannot simply be started once more; empty when it can."""
    try:
        mode = os.fstat(0).st_mode
    except OSError:
        return ""
    if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):
        return "it may have read its input, which is a pipe and cannot be read again (give it a file, or < /dev/null)"
    if stat.S_ISREG(mode) and stdin_at is None:
        return "its input cannot be read from the beginning again"
    asked = signal.sigpending() & ENDS
    return f"{min(asked, key=int).name} has arrived" if asked else ""


def start_of_input() -> int | None:
    """Where a file on stdin stands now."""
    try:
        return os.lseek(0, 0, os.SEEK_CUR) if stat.S_ISREG(os.fstat(0).st_mode) else None
    except OSError:
        return None


def case_of(verdict: Verdict, evidence: Evidence, folder: str) -> Case:
    """A death, with what is to be seen around it now."""
    import resource

    from outlive.keep.remembering import tried_by

    return Case(
        verdict,
        evidence,
        folder,
        resource.getrlimit(resource.RLIMIT_NOFILE),
        tried_by(evidence.program.pid),
    )


def next_attempt(
    verdict: Verdict, evidence: Evidence, folder: str, state: State, say: Callable[[str], None]
) -> tuple[Change, State] | None:
    """Decide, and say so loudly; nothing when it ends here."""
    found = cannot_start_again(state.stdin_at) or change_for(
        case_of(verdict, evidence, folder), state.tried
    )
    if isinstance(found, Change) and not state.left:
        found = "it has been tried as often as --heal allows"
    if isinstance(found, str):
        after = f" after trying {', '.join(state.tried)}" if state.tried else ""
        say(f"outlive: not healed{after}: {found}.")
        return None
    say(f"outlive: healing: {found.says}")
    say(
        f"outlive: starting it again (the record of this attempt: outlive why {os.path.basename(folder)})"
    )
    following = replace(
        state,
        left=state.left - 1,
        tried=(*state.tried, found.remedy),
        previous=os.path.basename(folder),
        links={**state.links, **found.links},
    )
    return found, following


def start_again(arguments: Sequence[str], change: Change, state: State) -> None:
    """In this process's place: the same `outlive run`, with the change."""
    if change.open_files is not None:
        import resource

        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (change.open_files, hard))
    if state.stdin_at is not None:
        os.lseek(0, state.stdin_at, os.SEEK_SET)
    environment = {**os.environ, **change.variables, STATE_VARIABLE: state.written()}
    switches = [one for one in change.switches if one not in arguments]
    code = START.format(path=sys.path)
    os.execve(
        sys.executable, [sys.executable, "-c", code, "run", *switches, *arguments], environment
    )


def begin(state: State, folder: str, rings: str) -> None:
    """An attempt begins: tell the inside what is different, and let both records know each other."""
    for name, text in state.links.items():
        runs.write_link(os.path.join(rings, name), text)
    if state.previous:
        before = runs.folder_of(state.previous)
        what = state.tried[-1]
        runs.write_link(os.path.join(folder, runs.PREVIOUS_NAME), f"{state.previous} {what}")
        if os.path.isdir(before):
            own = os.path.basename(folder)
            runs.write_link(os.path.join(before, runs.NEXT_NAME), f"{own} {what}")


def told_after_success(state: State) -> str:
    """What is said when a healed run has ended well."""
    return f"outlive: it ended well, healed by: {', '.join(state.tried)}." if state.tried else ""

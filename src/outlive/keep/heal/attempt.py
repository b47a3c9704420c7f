"""`outlive run --heal`: one attempt of several. Loaded only where it was asked for."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace

from outlive.keep.heal.end_processes import end_all, with_start
from outlive.keep.heal.heal import (
    ENDED_WHEN_HANGING,
    ENDS,
    State,
    begin,
    case_of,
    leave_if_asked,
    next_attempt,
    start_again,
    start_of_input,
    told_after_success,
)
from outlive.model.evidence import Evidence
from outlive.model.findings import Verdict
from outlive.model.heal_case import Change
from outlive.recorder.flight import Flight
from outlive.recorder.supervisor import Ended, Supervisor

#: Where the state of a healed run stands while one attempt hands over to the next; the program never sees it.
STATE_VARIABLE = "OUTLIVE_HEAL_STATE"


def handed_over() -> str:
    """What the attempt before this one has left; before anything else is done a signal to end is obeyed that came between the two."""
    left = os.environ.pop(STATE_VARIABLE, "")
    if left:
        leave_if_asked()
    return left


def begun(text: str, most: int, folder: str, rings: str) -> State:
    """The state of this attempt, which begins: ``text`` is what was handed over, ``most`` how many attempts there may be."""
    state = State.read(text, most)
    if not state.tried:
        state = State(state.left, stdin_at=start_of_input())
    begin(state, folder, rings)
    return state


class Attempt:
    """One start of the program; decides what follows on it."""

    def __init__(
        self,
        supervisor: Supervisor,
        arguments: list[str],
        folder: str,
        state: State,
        brake_on: bool,
        say: Callable[[str], None],
    ) -> None:
        self._supervisor = supervisor
        self._arguments = arguments  #: of `outlive run`
        self._folder = folder
        self._state = state
        self._brake_on = brake_on
        self._say = say
        self._next: tuple[Change, State] | None = None  #: decided already, while it hung
        self._family: list[tuple[int, str]] = []
        self.ended_it = False  #: the program hung, and was told to end

    def after(self, ended: Ended, judged: tuple[Verdict, Evidence | None] | None) -> None:
        """After a death: try again, if there is something to try. Comes back only when there is not."""
        if self._next is None and ended.signal is None and not ended.exit_code:
            if said := told_after_success(self._state):
                self._say(said)
            return
        if self._next is None and judged is not None and judged[1] is not None:
            self._next = self._decide(judged[0], judged[1])
        if self._next is not None:
            self._start_again(*self._next)

    def of_a_hang(self, flight: Flight, verdict: Verdict, evidence: Evidence) -> None:
        """While it stands still: end it, where nothing in it can ever go on and there is a remedy."""
        cause = verdict.cause
        if self.ended_it or cause is None or cause.slug not in ENDED_WHEN_HANGING:
            return
        decided = self._decide(verdict, evidence, may_be_ended=True)
        if decided is None or not flight.still_hangs():
            return
        self._next, self.ended_it = decided, True
        self._family = with_start(flight.processes())
        self._say("outlive: stopping it: SIGTERM, then SIGKILL to whatever is left.")
        flight.ended_by_outlive()
        self._supervisor.end()

    def _decide(
        self, verdict: Verdict, evidence: Evidence, may_be_ended: bool = False
    ) -> tuple[Change, State] | None:
        case = case_of(
            verdict,
            evidence,
            self._folder,
            self._state,
            brake_on=self._brake_on,
            may_be_ended=may_be_ended,
        )
        return next_attempt(case, self._state, self._say)

    def _start_again(self, change: Change, state: State) -> None:
        end_all(self._family)
        mask = tuple(self._supervisor.mask)
        self._say(
            "outlive: restarting it (record of this attempt: "
            f"outlive why {os.path.basename(self._folder)})"
        )
        self._supervisor.step_back([int(number) for number in ENDS])
        start_again(self._arguments, change, replace(state, mask=mask), STATE_VARIABLE)

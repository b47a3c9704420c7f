"""View: all that is known about one run; what causes are asked of.

Frozen and picklable, so that it can be stored, replayed, and judged on another machine. A question that two causes ask of the
evidence is answered here, never in one of them. The questions are laid on top of each other by subject: each module knows those
below it, and none above.
"""

from __future__ import annotations

from dataclasses import replace

from outlive.circumstances import Circumstances, Installation, Room
from outlive.evidence.pipelines import Pipelines
from outlive.model import Ending, EndingKind, Fact
from outlive.observed import ChildDeath, Thrown
from outlive.waiting import Waiting

__all__ = ["Circumstances", "Evidence", "Installation", "Room", "Thrown"]


class Evidence(Pipelines):
    """All that is known about one run; the only argument that a cause receives."""

    __slots__ = ()

    def of_crashed_worker(self) -> tuple[ChildDeath, Evidence] | None:
        """What is known of the worker whose death the program failed of, or waits for ever because of: as if it had been run.

        Only of one that nobody in the program ended, and only when the program had to do with it: it was told that its pool is
        broken, or it waits.
        """
        error = self.uncaught
        errors = [*(error.chain() if error is not None else ()), *self.lost_errors]
        told = any(thrown.is_a("BrokenProcessPool", "BrokenExecutor") for thrown in errors)
        if (self.fatal_signal or not told) and self.stuck is None:
            return None
        named = {line.pid for line in self.oom_lines or ()}
        for child in self.children:
            ended = self.killed_by_family() | named
            if child.asked or child.pid in ended or not (child.signal or child.exit_code):
                continue
            if child.signal == "SIGKILL" and any(g.killed_during_run for g in self.groups[:1]):
                continue
            return child, self.of_child(child)
        return None

    def of_child(self, child: ChildDeath) -> Evidence:
        """What is known of a child that died, as if it had been run."""
        kind = EndingKind.SIGNAL if child.signal else EndingKind.EXIT
        return replace(
            self,
            ending=Ending(kind, child.signal, child.exit_code),
            program=replace(
                self.program, pid=child.pid, own_pids=frozenset({child.pid}), finished=False
            ),
            signals=tuple(got for got in self.signals if got.pid == child.pid),
            crash=self.crash if self.crash and self.crash.pid == child.pid else None,
            errors=tuple(thrown for thrown in self.errors if thrown.pid == child.pid),
            stacks=(),
            children=(),
            stages=(),
            standstill=None,
        )

    def facts_of_waiting(self, *threads: Waiting) -> tuple[Fact, ...]:
        """Where threads stand, what they wait for, and what they hold."""
        found: list[Fact] = []
        for thread in threads:
            worker = f" of process {thread.pid}" if thread.pid != self.program.pid else ""
            name = f"{thread.stack.thread}{worker}"
            at = f" at {thread.place}" if thread.place is not None else ""
            source = "its stack" + (f"; the kernel: {thread.call}" if thread.call else "")
            found.append(Fact(name, f"waits for {thread.what}{at}", source))
            found += [
                Fact(f"{name} holds", f"`{held.name}`, taken at {held.place}", "its source code")
                for held in thread.holds
            ]
        if self.standstill is not None:
            still = round(self.standstill.seconds, 1)
            found.append(Fact("time without progress", still, "CPU time and bytes moved, /proc"))
        return tuple(found)

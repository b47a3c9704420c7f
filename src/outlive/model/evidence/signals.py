"""Signals: who sent them, which the program sent itself, which a timer or a limit did."""

from __future__ import annotations

from dataclasses import field

from outlive.model.events import Received, Sent, TimerSet
from outlive.model.evidence.run import UNKNOWN_RUN, Run
from outlive.model.fact_names import CPU_TIME, CPU_TIME_LIMIT_HARD
from outlive.model.findings import Fact
from outlive.model.quick_dataclass import dataclass
from outlive.model.sender_names import kernel_words, known, lineage, name_of

#: /proc counts CPU time in ticks and after the fact.
CPU_CLOCK_SLACK_SECONDS = 0.5
#: On a machine whose neighbours take time of it, ticks are lost as well: 1.6 of 2 s, 7.5 of 8 s were seen at the kernel's kill.
CPU_CLOCK_LOSES = 0.2


@dataclass(frozen=True, slots=True)
class Signals:
    """The signals that reached the program, those it sent, and its timers."""

    received: tuple[Received, ...] = ()
    sent: tuple[Sent, ...] = ()
    timers: tuple[TimerSet, ...] = ()
    run: Run = field(default=UNKNOWN_RUN, repr=False, compare=False)

    def sender_of(self, signal: str) -> Received | None:
        """The last signal of this name that reached the program, and who sent it."""
        return next((got for got in reversed(self.received) if got.signal == signal), None)

    def sent_to_itself(self, signal: str) -> Sent | None:
        """The program's own line that sent it this signal."""
        mine = [
            sent
            for sent in self.sent
            if sent.signal == signal and sent.target in self.run.program.own_pids
        ]
        return mine[-1] if mine else None

    def timer_of(self, signal: str) -> TimerSet | None:
        """The program's last setting of the timer that sends this signal, if it set one going."""
        mine = [
            timer
            for timer in self.timers
            if timer.signal == signal and timer.pid in self.run.program.own_pids
        ]
        return mine[-1] if mine and mine[-1].seconds > 0 else None

    def over_cpu_limit(self) -> bool:
        """Ended by SIGKILL with as much CPU time used as the hard limit allows: the kernel's way to enforce it."""
        left = self._cpu_time_left()
        return left is not None and left <= CPU_CLOCK_SLACK_SECONDS

    def near_cpu_limit(self) -> bool:
        """… or with so little left of it that the clock may have lost the rest."""
        left, limit = self._cpu_time_left(), self.run.fact(CPU_TIME_LIMIT_HARD)
        if left is None or not isinstance(limit, int):
            return False
        return left <= CPU_CLOCK_SLACK_SECONDS + CPU_CLOCK_LOSES * limit

    def _cpu_time_left(self) -> float | None:
        """What was left of the hard limit at a SIGKILL."""
        limit, used = self.run.fact(CPU_TIME_LIMIT_HARD), self.run.fact(CPU_TIME)
        if self.run.fatal_signal != "SIGKILL" or not isinstance(limit, int) or used is None:
            return None
        return limit - float(used)

    def killed_by_family(self) -> frozenset[int]:
        """Processes that the program itself sent SIGKILL to."""
        return frozenset(sent.target for sent in self.sent if sent.signal == "SIGKILL")

    def words_for_sender(self, got: Received | None) -> str:
        """The sender of a signal, as a sentence begins with it: by name; its arguments are a private fact."""
        if got is None or got.sender_pid is None:
            return ""
        if got.itself:
            return "The program itself"
        if got.sender_pid == 0:
            return "A process outside this container"
        if got.sender_pid in self.run.program.family:
            return f"Its own process {got.sender_pid}"
        line = lineage(got.ancestors)
        parents = f", started by {line}" if line else ""
        words = got.sender.split(" ")
        script = [word for word in words[1:2] if word.endswith((".py", ".sh"))]
        names = [name_of(got.sender), *(word.rpartition("/")[2] for word in script)]
        command = known(got.sender) or " ".join(names) or "a process that has ended"
        return f"Process {got.sender_pid} ({command[:80]}{parents})"

    def facts_of_sender(self, got: Received | None) -> tuple[Fact, ...]:
        """What is known about the sender of a signal."""
        if got is None:
            return ()
        if got.sender_pid is None:
            return (Fact("sent by", kernel_words(got.signal), "siginfo"),)
        if got.itself:
            return (Fact("sent by", "the program itself", "siginfo"),)
        if got.sender_pid == 0:
            return (Fact("sent by", "a process outside this container", "siginfo: sender 0"),)
        user = f" (user {got.sender_user or got.sender_uid})" if got.sender_uid is not None else ""
        line = " ← ".join([f"{got.sender_pid} {got.sender}{user}", *got.ancestors])
        return (Fact("sent by", line[:300], "siginfo and /proc/PID/cmdline", private=True),)

"""Somebody asked the program to end."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.events import Quit, Received
from outlive.model.evidence import Evidence
from outlive.model.fact_names import LAST_LINE_SEEN, PEAK_MEMORY, RUN_TIME
from outlive.model.findings import Confidence, EndedBy, Fact, Finding, Remedy
from outlive.units.unit import cause

#: Signals that end a program by default and have no cause of their own.
PLAIN = frozenset(
    {"SIGTERM", "SIGUSR1", "SIGUSR2", "SIGPIPE", "SIGIO", "SIGPWR", "SIGSTKFLT", "SIGQUIT"}
)
#: Signals that mean something else when the kernel sends them, and this when a process does.
ONLY_FROM_A_PROCESS = frozenset({"SIGHUP", "SIGALRM", "SIGVTALRM", "SIGPROF", "SIGXCPU"})
#: Signals of a fault; `abort` sends one to its own process, which is no message.
FAULTS = frozenset({"SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGABRT", "SIGTRAP", "SIGSYS"})


@cause(
    "D202",
    since="0.1",
    behind=("exited-by-program", "exited-without-cleanup"),
    searched=(
        "Terminated",
        "exit code 143",
        "SIGTERM received who sent it",
    ),
)
def terminated_by_process(evidence: Evidence) -> Iterator[Finding]:
    """Another process asked the program to end, with SIGTERM or a signal like it.

    ## What happened
    `kill`, a scheduler at its time limit, `docker stop`, a service manager, a spot instance that is reclaimed: they
    send SIGTERM first and SIGKILL some seconds later. The program had no handler, so it ended at once, without saving
    anything.

    ## How we know
    The program was killed by that signal. When the recorder was loaded in the program, it also saw who sent it. A program that catches the signal and
    then leaves with the status that stands for it (143 for SIGTERM) was ended by the sender, too; the line is the one that left.

    ## What to do
    Find the sender. If such ends are normal where this runs, handle SIGTERM: save a checkpoint and leave.
    """
    obeyed = evidence.exits.obeyed()
    if obeyed is not None and obeyed[0].signal in PLAIN:
        yield _left_for(evidence, *obeyed)
        return
    name = evidence.run.fatal_signal
    got = evidence.signals.sender_of(name) if name else None
    from_a_process = got is not None and got.sender_pid is not None
    if name is None or name == "SIGPIPE":
        return
    itself = evidence.signals.sent_to_itself(name)
    aborts = name == "SIGABRT" and not evidence.crash.raised_abort
    meant = (
        name in PLAIN
        or (name in ONLY_FROM_A_PROCESS and from_a_process)
        or (
            name in FAULTS and got is not None and (got.from_another or (got.itself and not aborts))
        )
        or (name in FAULTS | ONLY_FROM_A_PROCESS and itself is not None)
    )
    if not meant or evidence.crash.aborted_at() is not None:
        return
    if name == "SIGQUIT" and not from_a_process:
        return
    if itself is not None or (got is not None and got.itself):
        asked = next(
            (quit.own for quit in reversed(evidence.exits.quits) if quit.call == "os.abort"), None
        )
        where = itself.own if itself else asked or evidence.crash.line or evidence.run.busy
        yield Finding(
            f"The program sent {name} to itself.",
            (
                *evidence.signals.facts_of_sender(got),
                *evidence.run.because(LAST_LINE_SEEN, RUN_TIME),
            ),
            Confidence.PROVEN,
            (Remedy("End the program with sys.exit instead."),),
            where=where,
            by=EndedBy.ITSELF,
        )
        return
    who = evidence.signals.words_for_sender(got)
    yield Finding(
        f"{who or 'Another process'} ended the program with {name}.",
        (
            *evidence.signals.facts_of_sender(got),
            *evidence.run.because(RUN_TIME, PEAK_MEMORY, LAST_LINE_SEEN),
        ),
        Confidence.PROVEN,
        (
            Remedy(
                "Find out why it was sent: a time limit, a service or container being stopped, a person."
            ),
            Remedy(f"To survive it, catch {name} and save a checkpoint before exiting."),
        ),
        by=EndedBy.PROCESS,
    )


def _left_for(evidence: Evidence, got: Received, call: Quit) -> Finding:
    """The program caught the signal and did as it was asked."""
    return Finding(
        f"{evidence.signals.words_for_sender(got)} asked the program to end ({got.signal}); it exited with status {call.status}.",
        (
            *evidence.signals.facts_of_sender(got),
            Fact("call", f"{call.call}({call.code!r})", "recorded in the program"),
            *evidence.run.because(RUN_TIME, PEAK_MEMORY),
        ),
        Confidence.PROVEN,
        (
            Remedy(
                "Find out why it was sent: a time limit, a service or container being stopped, a person."
            ),
        ),
        where=call.own,
        by=EndedBy.PROCESS,
    )

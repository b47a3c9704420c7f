"""os._exit: gone without a word."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.events import Quit
from outlive.model.evidence import Evidence
from outlive.model.fact_names import LAST_LINE_SEEN, RUN_TIME
from outlive.model.findings import Confidence, EndingKind, Fact, Finding, Remedy
from outlive.units.unit import cause


@cause(
    "D902",
    since="0.1",
    behind=("exited-by-program",),
    searched=(
        "python stops without error or traceback",
        "os._exit kills program silently",
        "Aborted (core dumped)",
        "exit code 134",
    ),
)
def exited_without_cleanup(evidence: Evidence) -> Iterator[Finding]:
    """The process was ended from within, past all cleanup: `os._exit`, `os.abort`, or `exit` in native code.

    ## What happened
    `os._exit` ends the process at once: no `finally`, no `atexit`, no flush of buffers, no message. In a notebook it looks like a
    kernel that died for no reason.

    With status 0 it looks like success: then it is reported only if something was lost: text still in a file's buffer,
    the work of a running thread, or an error that was being handled.

    ## How we know
    The call was seen, together with the state of the program's files and threads; or the process returned an exit
    status although Python never reached its own shutdown.

    ## What to do
    Raise an exception, or call `sys.exit`. `os._exit` belongs only into a child just after a fork.
    """
    if evidence.crash.aborted_at() is not None or evidence.crash.aborted_unseen:
        yield _abort(evidence)
        return
    code = evidence.run.ending.exit_code
    kind = evidence.run.ending.kind
    if kind not in (EndingKind.EXIT, EndingKind.SUCCESS) or evidence.run.program.finished:
        return
    call = evidence.exits.last("os._exit")
    # Also with status 0, where nothing should have ended: in a cell.
    early = bool(code) or kind is EndingKind.EXIT
    if call is not None and (early or call.handling or call.lost or call.threads):
        yield _exit_call(evidence, call)
    elif (
        call is None
        and code is not None  # otherwise nobody saw how it ended
        and kind is EndingKind.EXIT
        and evidence.run.program.python
        and evidence.run.program.alone
    ):
        yield Finding(
            f"Native code ended the process with status {code}: Python did not shut down cleanly.",
            evidence.run.because(RUN_TIME, LAST_LINE_SEEN),
            Confidence.LIKELY,
            (Remedy("Check what the last line calls; a library may call exit()."),),
            where=evidence.run.busy,
        )


def _abort(evidence: Evidence) -> Finding:
    """Name the call of ``os.abort``, or say that it was called where nobody saw from which line."""
    remedies = (Remedy("Raise an exception or call sys.exit instead of os.abort."),)
    lasted = evidence.run.because(RUN_TIME)
    call = evidence.crash.aborted_at()
    if call is not None:
        return Finding(
            f"The program called os.abort{call.words}: it ended at once (SIGABRT), without cleanup.",
            (
                Fact("call", "os.abort()", "recorded in the program"),
                *evidence.exits.facts_before(call),
                *lasted,
            ),
            Confidence.PROVEN,
            remedies,
            where=call.own,
        )
    return Finding(
        "The program called os.abort: it ended at once (SIGABRT), without cleanup.",
        (*evidence.crash.facts(), *lasted),
        Confidence.LIKELY,
        remedies,
        where=evidence.crash.report.stacks[0].own if evidence.crash.report else None,
    )


def _exit_call(evidence: Evidence, call: Quit) -> Finding:
    """Name the call of ``os._exit``, and what it cut off."""
    return Finding(
        f"The program called os._exit({call.code!r}){call.words}: it ended at once, without cleanup{_cut_off(call)}.",
        (
            Fact("call", f"os._exit({call.code!r})", "recorded in the program"),
            *(
                Fact(f"lost of {name}", f"{count} bytes", "its buffer, at the call")
                for name, count in call.lost
            ),
            *(
                Fact(f"{stack.thread} was at", str(stack.own), "its stack, at the call")
                for stack in call.threads
            ),
            *evidence.exits.facts_before(call),
            *evidence.run.because(RUN_TIME),
        ),
        Confidence.PROVEN,
        (Remedy("Raise an exception or call sys.exit instead of os._exit."),),
        where=call.own,
    )


def _cut_off(call: Quit) -> str:
    """What was lost, for the end of a sentence."""
    lost = [f"{count} bytes written to {name} were lost" for name, count in call.lost[:1]]
    if len(call.threads) == 1:
        lost.append(f"{call.threads[0].thread} was running")
    elif call.threads:
        lost.append(f"{len(call.threads)} threads were running")
    return "; " + " and ".join(lost) if lost else ""

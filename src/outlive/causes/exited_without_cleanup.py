"""os._exit: gone without a word."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.evidence import Evidence
from outlive.model import Confidence, EndingKind, Fact, Finding, Remedy
from outlive.observed import Quit
from outlive.unit import cause


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

    With status 0 it looks like success: then it is told only if something was cut off, that is text that a file still held back, a
    thread at work, or an error that was being handled.

    ## How we know
    The call was seen, and what the program's files and threads were at; or Python never reached its own shutdown although the process returned an exit status.

    ## What to do
    Raise an exception, or call `sys.exit`. `os._exit` belongs only into a child just after a fork.
    """
    abort = evidence.aborted_at()
    if abort is not None:
        yield Finding(
            f"The program called os.abort{abort.words}: it ended at once, by SIGABRT, without cleanup.",
            (
                Fact("call", "os.abort()", "seen in the program"),
                *evidence.facts_before_quitting(abort),
                *evidence.because("run time"),
            ),
            Confidence.PROVEN,
            (Remedy("Raise an exception or call sys.exit instead of os.abort."),),
            where=abort.own,
        )
        return
    code = evidence.ending.exit_code
    kind = evidence.ending.kind
    if kind not in (EndingKind.EXIT, EndingKind.SUCCESS) or evidence.program.finished:
        return
    call = evidence.last_quit("os._exit")
    early = (
        bool(code) or kind is EndingKind.EXIT
    )  # also with status 0, where nothing should have ended: in a cell
    if call is not None and (early or call.handling or call.lost or call.threads):
        yield Finding(
            f"The program called os._exit({call.code!r}){call.words}: it ended at once, without cleanup{_cut_off(call)}.",
            (
                Fact("call", f"os._exit({call.code!r})", "seen in the program"),
                *(
                    Fact(f"lost of {name}", f"{count} bytes", "its buffer, at the call")
                    for name, count in call.lost
                ),
                *(
                    Fact(f"{stack.thread} was at", str(stack.own), "its stack, at the call")
                    for stack in call.threads
                ),
                *evidence.facts_before_quitting(call),
                *evidence.because("run time"),
            ),
            Confidence.PROVEN,
            (Remedy("Raise an exception or call sys.exit instead of os._exit."),),
            where=call.own,
        )
    elif (
        call is None
        and code is not None  # otherwise nobody saw how it ended
        and kind is EndingKind.EXIT
        and evidence.program.python
        and evidence.program.alone
    ):
        yield Finding(
            f"Native code ended the process with status {code}: Python did not shut down in good order.",
            evidence.because("run time", "last line seen"),
            Confidence.LIKELY,
            (Remedy("Look at what the last line calls; a library may call exit()."),),
            where=evidence.busy,
        )


def _cut_off(call: Quit) -> str:
    """What was lost, for the end of a sentence."""
    lost = [f"{count} bytes written to {name} were lost" for name, count in call.lost[:1]]
    if len(call.threads) == 1:
        lost.append(f"{call.threads[0].thread} was at work")
    elif call.threads:
        lost.append(f"{len(call.threads)} threads were at work")
    return "; " + " and ".join(lost) if lost else ""

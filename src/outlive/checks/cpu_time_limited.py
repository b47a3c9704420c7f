"""Processor time is rationed."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model import Finding, Remedy
from outlive.surroundings import Surroundings
from outlive.unit import check


@check("H403", since="0.2", prevents=("cpu-time-limit",))
def cpu_time_limited(here: Surroundings) -> Iterator[Finding]:
    """A limit on processor time will end a long program.

    ## Why it matters
    `ulimit -t` counts the seconds of all threads together: on eight processors an hour is over in eight minutes. The program then gets
    SIGXCPU, and SIGKILL at the hard limit.

    ## What to do
    Raise it in the shell that starts the program, or ask whoever set it (a login node usually does).
    """
    seconds, hard = here.number("cpu time limit"), here.number("cpu time limit, hard")
    if here.text("cpu time limit") == "unlimited":
        yield here.fine("No limit on processor time.", "cpu time limit")
    elif seconds is None:
        yield here.unknown("cpu time limit")
    else:
        commands = ("ulimit -t unlimited",) if hard is None else ()
        yield here.warning(
            f"The program will be ended after {seconds:.0f} s of processor time, all threads together.",
            "cpu time limit", "cpu time limit, hard",
            remedies=(Remedy("Raise the limit, or run it where none is set.", commands),),
        )  # fmt: skip

"""`python -X faulthandler`: the causes are those of `traceback`, the line comes from its dump.

For a fatal signal CPython's handler prints the Python stack of every thread, the crashing one first. A program that stands
still is ended with SIGABRT, as somebody who knows the handler would do, so that it prints what every thread was doing.

Unfair nowhere that we know of: faulthandler claims to say where, not why, and the cause is not its own.
"""

from __future__ import annotations

import re
import signal

from tool import Answer, Ended, Tool, load

FRAME = re.compile(r'^\s+File "(?P<file>[^"]+)", line (?P<line>\d+) in ', re.MULTILINE)
BEGIN = "Fatal Python error: "


class Adapter(Tool):
    python = ("-X", "faulthandler")
    ends_a_hang_with = signal.SIGABRT

    def answer(self, ended: Ended) -> Answer:
        answer = load("traceback").answer(ended)
        return Answer(answer.cause, answer.line or crashed_at(ended.stderr, ended.script))


def crashed_at(stderr: str, script: str) -> int | None:
    """The innermost frame of the victim's file, in the thread that crashed (the first of the dump that has one)."""
    _, found, dump = stderr.rpartition(BEGIN)
    if not found:
        return None
    crashed = dump.find("Current thread")
    own = [
        int(frame["line"])
        for frame in FRAME.finditer(dump[max(0, crashed) :])
        if frame["file"].rpartition("/")[2] == script
    ]
    return own[0] if own else None

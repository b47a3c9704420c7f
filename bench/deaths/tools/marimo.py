"""marimo's classification of a dead kernel, re-stated as rules.

Re-stated from marimo's public source (`marimo/_session/kernel_exit.py`, pull request 9500 of 2026) in our own words: a
kernel killed by SIGKILL is *out of memory* when the kernel's counter of its memory cgroup is above zero, otherwise
"killed by SIGKILL"; SIGSEGV is "a native extension crashed"; any other signal is its number; any other end is its exit
code. Our reading into causes is a generous one: "killed by SIGKILL" counts as `killed-by-process`, a number of a signal as
what `shell` concludes from it. A cell's exception is shown as a traceback: there the rules of `traceback` apply.

Unfair: marimo watches a kernel, not a script, and claims no line. It looks at the cgroup of the whole container
(on version 1 at the count of failed charges, which rises without any kill; here the count of kills is used, which
is to its advantage); ours is the group that the victim was given. A hung kernel is left to the person in front of it.
"""

from __future__ import annotations

import signal

from tool import Answer, Ended, Tool, load


class Adapter(Tool):
    def answer(self, ended: Ended) -> Answer:
        if ended.hung:
            return Answer()
        if ended.signal == signal.SIGKILL:
            return Answer("memory-limit-reached" if ended.kills_in_group else "killed-by-process")
        if ended.signal == signal.SIGSEGV:
            return Answer("user-native-crashed")
        if ended.signal is not None:
            return load("shell").answer(ended)
        return load("traceback").answer(ended)

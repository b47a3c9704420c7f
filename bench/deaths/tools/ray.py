"""Ray's classification of a dead worker, re-stated as rules.

Re-stated from Ray's public documentation and the messages that its users quote, in our own words: an exception of the
task comes back with its traceback (*application failure*); a worker that exits by itself is reported with its exit code; a
worker that dies otherwise is an *unexpected system error* with a list of candidates in a fixed order: the kernel's
out-of-memory killer, somebody's forced stop, a segmentation fault or the like. The first of the list counts as the
answer, because it is what people act on: `memory-limit-reached`. For exceptions the rules of `traceback` apply.

Unfair: Ray's own memory monitor stops a worker before the kernel does, with a clear message, when the *node* runs low; a
cgroup around the victim alone is not the node, so it is not played here. Ray watches tasks, not scripts, claims no
line for a crash, and a task that stands still is left to the person in front of it.
"""

from __future__ import annotations

from tool import Answer, Ended, Tool, load


class Adapter(Tool):
    def answer(self, ended: Ended) -> Answer:
        if ended.hung:
            return Answer()
        if ended.signal is not None:
            return Answer("memory-limit-reached")
        return load("traceback").answer(ended)

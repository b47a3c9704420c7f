"""os.fork beside TensorFlow's threads."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

EXEC = (
    "os.execv",
    "os.execve",
    "os.execvp",
    "os.execvpe",
    "os.execl",
    "os.execlp",
    "os.execle",
    "os.execlpe",
)


@rule("R403", since="0.1", needs=("fork",), prevents=("forked-after-threads", "deadlocked"))
def fork_after_tensorflow(source: Source) -> Iterator[Finding]:
    """A process that has loaded TensorFlow is forked.

    ## Why it is bad
    `fork` copies the memory and one thread. TensorFlow's other threads are gone in the child, and the locks that they
    held stay locked: the child waits forever at its first operation, or crashes.

    ## Bad
        child = os.fork()
        if child == 0:
            work()

    ## Good
        context = multiprocessing.get_context("spawn")
        child = context.Process(target=work)
        child.start()
    """
    if any(True for _ in source.calls(*EXEC)):
        return  # what is forked becomes another program at once
    for call in source.calls("os.fork", "os.forkpty", "pty.fork"):
        yield Finding(
            "A process with TensorFlow loaded is forked: the child gets the locks, but not the threads that hold them.",
            remedies=(
                Remedy(
                    'Start a new process instead: multiprocessing.get_context("spawn").Process(target=…).'
                ),
                Remedy("Or fork before TensorFlow is imported."),
            ),
            where=source.place(call),
        )

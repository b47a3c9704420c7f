"""What was said last: by the program on its stderr, and by the kernel in its log."""

from __future__ import annotations

import os

from outlive.recorder.baseline import stderr_position

TAIL_BYTES = 64 * 1024
KERNEL_LINES = ("oom-kill:", "Killed process", "segfault at", "traps:", "general protection")
MOST_LINES = 200


def tail_of_stderr(begun: int) -> tuple[str, bool]:
    """What was written to stderr since it stood there, if that is a file; at most its end. And whether that is all."""
    end = stderr_position(at_start=False) or 0
    start = max(begun, end - TAIL_BYTES)
    handle = os.open("/proc/self/fd/2", os.O_RDONLY | os.O_CLOEXEC)
    try:
        tail = os.pread(handle, max(0, end - start), start)
    finally:
        os.close(handle)
    return tail.decode("utf-8", "replace"), start == begun


class KernelLog:
    """What the kernel said since the start; it says each thing once, so it is kept."""

    def __init__(self, handle: int | None) -> None:
        self._handle = handle
        self._said: list[str] = []

    def lines(self) -> list[str] | None:
        """Those that tell of a death; None where the log cannot be read."""
        if self._handle is None:
            return None
        while len(self._said) < MOST_LINES:
            try:
                entry = os.read(self._handle, 8192)
            except BrokenPipeError:  # older entries were overwritten; the next read goes on
                continue
            except OSError:
                break
            if not entry:
                break
            text = entry.decode("utf-8", "replace").partition(";")[2].partition("\n")[0]
            if any(words in text for words in KERNEL_LINES):
                self._said.append(text[:600])
        return list(self._said)

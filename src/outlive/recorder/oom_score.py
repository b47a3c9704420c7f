"""Who is left alone when the kernel kills for memory: the supervisor, while its program lives.

Both share the memory limit. A supervisor that is killed with its program, or instead of it (a program may fill a file system in memory and
be small itself), takes the verdict with it. Who may (root, outside of most containers) asks to be spared; who may not is refused by the
kernel, and nothing changes.

When the program is dead, all is as it was given: whatever is started from then on inherits that, and a supervisor that nobody could kill
would wait for ever in a limit that stays full.
"""

from __future__ import annotations

#: Only this is never chosen, not even where the whole cgroup is killed (``memory.oom.group``).
NEVER = b"-1000"
OWN = "/proc/self/oom_score_adj"

#: What this process was given, while it has another.
_given: bytes | None = None


def ask_to_be_spared() -> None:
    """From now on, where that is allowed. Never before the program is started: it would inherit it."""
    global _given
    if _given is not None:
        return
    try:
        with open(OWN, "rb") as file:
            given = file.read()
        _write(NEVER)
    except OSError:
        return
    _given = given


def be_as_given() -> None:
    """As this process was started; in a child of such a process likewise."""
    global _given
    if _given is None:
        return
    try:
        _write(_given)
    except OSError:
        return
    _given = None


def _write(value: bytes) -> None:
    with open(OWN, "wb", buffering=0) as file:
        file.write(value)

"""What the shim kept, as plain data with secrets masked: the only form in which it stays on the disk after a run."""

from __future__ import annotations

import functools
import glob
import os
from collections.abc import Sequence
from typing import Any

from outlive.inside.notes import kinds
from outlive.inside.notes.format import encode
from outlive.inside.notes.masking import MASK, Masker, mask_edges, mask_text, split_arguments
from outlive.inside.notes.secret_names import looks_made
from outlive.inside.notes.secret_shapes import SHAPES
from outlive.recorder.crash.shim_file import CrashWords, NativeReading, SignalSeen, read_native
from outlive.recorder.signals.sender import user_name
from outlive.recorder.store import run_folders
from outlive.recorder.store.entries import content_of, entries, kept
from outlive.recorder.store.users_files import is_foreign

#: The kernel's codes for kill, sigqueue and tgkill.
SENT = (0, -1, -6)

#: Reading a crash in TensorFlow takes 0.15 s; when a whole pool of workers crashes, the first few tell enough.
MOST_CRASHED = 8

#: As long as what the library keeps of a command, and as the kernel lets a name be.
LONGEST_COMMAND = 254
LONGEST_NAME = 15

SEALED = ".shim"
LIVE = ".native"


def read_all(rings: str | None, secrets: Sequence[str] = ()) -> list[dict[str, Any]]:
    """The readings of all processes, those still in the shim's own form included."""
    if rings is None:
        return []
    found = []
    for path in sorted(glob.glob(os.path.join(glob.escape(rings), f"*{SEALED}"))):
        try:
            found += entries(path)
        except OSError:
            continue
    crashed = 0
    for path in sorted(glob.glob(os.path.join(glob.escape(rings), f"*{LIVE}"))):
        try:
            reading = read_native(content_of(path))
        except (OSError, ValueError):
            continue
        crashed += bool(reading.crashes)
        # To read a crash means to open the libraries that it names, of this machine.
        sites = crashed <= MOST_CRASHED and not is_foreign()
        found.append(kept(path, functools.partial(plain, reading, secrets, sites=sites)))
    return found


def seal(path: str, secrets: Sequence[str], crashed: int = 0) -> tuple[str, int]:
    """Put a masked copy in the place of the shim's file, which holds stderr and memory in clear.

    Returns the new path, and how many of the processes sealed so far had crashed.
    """
    target = path.removesuffix(LIVE) + SEALED
    try:
        with open(path, "rb") as file:
            reading = read_native(file.read())
        crashed += bool(reading.crashes)
        kept = plain(reading, secrets, sites=crashed <= MOST_CRASHED)
        run_folders.write_private(target, encode(1, kept))
    except ValueError:
        pass  # never written to: nothing to keep
    os.unlink(path)
    return target, crashed


def plain(reading: NativeReading, secrets: Sequence[str], sites: bool = True) -> dict[str, Any]:
    """One process: its stderr, its abort message, its signals and their senders, its crash (where that is wanted)."""
    crashes = {crash.sequence: crash for crash in reading.crashes} if sites else {}
    return {
        "kind": kinds.SHIM,
        "pid": reading.pid,
        "stderr": mask_edges(
            reading.stderr_tail.decode("utf-8", "replace"), secrets, start=reading.stderr_cut
        ),
        "abort": mask_edges(reading.abort_message, secrets, end=reading.abort_cut),
        "last_words": mask_text(reading.last_words, secrets),
        "signals": [
            {
                "signal": seen.signo,
                "code": seen.code,
                "sender": seen.sender_pid if seen.code in SENT else None,
                "uid": seen.sender_uid,
                "user": user_name(seen.sender_uid) if seen.code in SENT else "",
                "command": _command(seen.sender_command, secrets),
                "ancestors": [_short_name(ancestor.name, secrets) for ancestor in seen.ancestors],
                "time": seen.realtime_ns / 1e9,
                "address": seen.fault_address,
                "thread": _short_name(seen.thread, secrets),
                "site": Masker(secrets).data(_site(seen, crashes.get(seen.sequence))),
            }
            for seen in reading.signals
        ],
    }


def _command(command: str, secrets: Sequence[str]) -> str:
    """The command of a sender; the kernel's text is cut, and half a word may be half a secret."""
    words, taken = split_arguments(command.split())
    cut = len(command) >= LONGEST_COMMAND
    return mask_edges(" ".join(words), [*secrets, *taken], end=cut and len(words) > 1)


def _short_name(name: str, secrets: Sequence[str]) -> str:
    """The name of a thread or process as the kernel has it, cut at fifteen characters: a shape may have lost its end."""
    masked = mask_text(name, secrets)
    if len(name) < LONGEST_NAME or masked != name:
        return masked
    begins = any(name.startswith(letters) for letters, _ in SHAPES)
    divided = any(sign in name for sign in ":=@")  # a user and the password after it
    return name[:4] + MASK if begins or divided or looks_made(name) else name


def _site(seen: SignalSeen, words: CrashWords | None) -> dict[str, Any] | None:
    """Where a fatal signal struck; a crash that cannot be read costs only this."""
    if words is None:
        return None
    from outlive.recorder.crash.crash_site import site_of

    try:
        return site_of(seen, words)
    except Exception as error:
        return {"unread": f"{type(error).__name__}: {error}"}

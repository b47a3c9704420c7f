"""An exception of a worker as plain data, as the recorder writes them (the same coroner reads both): bounded, without secrets."""

from __future__ import annotations

import mmap
import resource
from contextlib import suppress
from typing import Any

from outlive.inside.notes.describe import MAX_CHAIN, masked
from outlive.inside.notes.describe import describe as described
from outlive.inside.notes.words import chain_of

#: Address space that is given up to describe an exception where nothing is left: an arena of Python's takes 1 MB. Its pages are never touched.
RESERVE_BYTES = 3_000_000


class Reserve:
    """Room for the words about an exception that came of having no room: mapped, so that Linux gets it back at once."""

    def __init__(self) -> None:
        self._room: mmap.mmap | None = None

    def take(self) -> None:
        """Set the room aside, if there is any."""
        if self._room is None:
            with suppress(OSError):
                self._room = mmap.mmap(-1, RESERVE_BYTES)

    def give(self) -> None:
        """Give the room up."""
        room, self._room = self._room, None
        if room is not None:
            room.close()


RESERVE = Reserve()


class Unfit(Exception):
    """An input that a task refuses by itself, with the slug of the cause that it would have died of."""

    def __init__(self, slug: str, says: str, *remedies: str) -> None:
        super().__init__(says)
        self.slug = slug
        self.remedies = remedies


def describe(error: BaseException) -> dict[str, Any]:
    """Describe an exception, and what a task says of the input that it refuses."""
    RESERVE.give()
    mapped = _mapped()
    found = described(error, words={id(one): _text(one) for one in chain_of(error, MAX_CHAIN + 1)})
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY and mapped is not None:
        found["address_space"] = (limit, mapped)
    if isinstance(error, Unfit):
        found["slug"] = error.slug
        found["remedies"] = [masked(text) for text in error.remedies]
    return found


def _mapped() -> int | None:
    """Read the size of this process's address space, while the exception still holds what was asked for."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except (OSError, MemoryError):
        return None


def _text(error: BaseException) -> str:
    """Ask an exception for its words: a worker is ours, so its code may be asked once more."""
    try:
        return str(error)
    except Exception:  # a message that cannot be made says nothing
        return ""

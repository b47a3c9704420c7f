"""The containers that a running function is still making: the list of a comprehension has no name and lies on the function's value stack alone.

Python shows no value stack, so it is read out of the frame. What lies above its top is old: each word is believed only if the memory that
it leads to can be read (``process_vm_readv``, which fails where a plain read would crash) and holds a list, dictionary or set that nobody
else refers to and whose parts fit each other. Before it is used the reading must find a list that we are making ourselves; in a Python
where it does not, there is no answer.
"""

from __future__ import annotations

import os
import sys

# From where it is known already: there may be no descriptor left to import it anew.
from .census import ctypes  # type: ignore[attr-defined]

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any, List, Optional

WORD = ctypes.sizeof(ctypes.c_size_t)
HEAD_WORDS = 6
#: In a frame: where its stack is noted (until 3.10), or where its running part is, behind which names and stack lie (from 3.11 on).
FRAME_AT = 24
STACK_AT = 64
NAMES_AT = 80 if sys.version_info >= (3, 14) else 72
#: From 3.14 on the lowest bits of a word say who owns it.
OWNER_BITS = 7
#: A larger stack, or a longer container, is none.
MOST_SLOTS = 200
LONGEST = 1 << 33

KINDS = {id(list): list, id(dict): dict, id(set): set}


class Piece(ctypes.Structure):
    """Where to read, or where to put it: ``struct iovec``."""

    _fields_ = (("at", ctypes.c_void_p), ("length", ctypes.c_size_t))


class Reader:
    """Reads this process's memory; nothing where there is none."""

    def __init__(self) -> None:
        # PyDLL: nobody else may run while we read.
        self._call: Any = ctypes.PyDLL(None).process_vm_readv
        self._call.restype = ctypes.c_ssize_t
        self._pid = os.getpid()

    def words(self, at: int, count: int) -> List[int]:
        """So many words from an address on."""
        if at <= 0 or at % WORD or at >= 1 << 47:
            return []
        into = (ctypes.c_size_t * count)()
        length = count * WORD
        there = Piece(at, length)
        here = Piece(ctypes.addressof(into), length)
        read = self._call(
            self._pid, ctypes.byref(here), 1, ctypes.byref(there), 1, ctypes.c_ulong(0)
        )
        return list(into) if read == length else []

    def readable(self, at: int) -> bool:
        """Whether there is an object: something is referred to, and is of a type."""
        head = self.words(at, 2)
        return bool(head) and head[0] > 0 and bool(self.words(head[1], 2))


def in_the_making(frame: Any, reader: Reader) -> List[Any]:
    """The lists, dictionaries and sets that a running function is making."""
    found = []
    for word in slots(frame, reader):
        at = word & ~OWNER_BITS
        kind = _container_at(at, reader)
        if kind is not None:
            value = ctypes.cast(at, ctypes.py_object).value
            if type(value) is kind:
                found.append(value)
    return found


def slots(frame: Any, reader: Reader) -> List[int]:
    """Read the words of a frame's value stack, those above its top among them."""
    code = frame.f_code
    count = min(code.co_stacksize, MOST_SLOTS)
    if sys.version_info >= (3, 11):
        running = reader.words(id(frame) + FRAME_AT, 1)
        stack = running[0] + NAMES_AT + WORD * _names(code) if running else 0
    else:
        noted = reader.words(id(frame) + STACK_AT, 1)
        stack = noted[0] if noted else 0
    return reader.words(stack, count)


def _names(code: CodeType) -> int:
    """How many words the names of a function take."""
    return len({*code.co_varnames, *code.co_cellvars}) + len(code.co_freevars)


def _container_at(at: int, reader: Reader) -> Optional[type]:
    """The kind of the container that only a stack refers to; nothing if there is anything else."""
    head = reader.words(at, HEAD_WORDS)
    kind = KINDS.get(head[1]) if head and head[0] == 1 else None
    if kind is list:
        size, items, room = head[2], head[3], head[4]
        ends = 0 < size <= room < LONGEST and reader.words(items + WORD * (size - 1), 1)
        return list if ends and reader.readable(ends[0]) else None
    if kind is dict:
        keys = reader.words(head[4], 1)
        return dict if 0 < head[2] < LONGEST and keys and 0 < keys[0] < LONGEST else None
    if kind is set:
        fill, used, mask, table = head[2:6]
        fits = 0 < used <= fill <= mask < LONGEST and not (mask + 1) & mask
        return set if fits and reader.words(table, 1) else None
    return None


def checked_reader() -> Optional[Reader]:
    """A reader that has found a list in the making of our own; None where this Python keeps its stacks elsewhere, or none may read."""
    try:
        reader = Reader()
        seen: List[List[Any]] = []

        def probe(number: int) -> int:
            if number:
                seen.append(in_the_making(making_frame(), reader))
            return number

        def making_frame() -> Any:
            return sys._getframe(2)

        made = [probe(number) for number in (0, 0, 1)]
        found = seen[0] if seen else []
        works = any(one is made for one in found)
        seen.clear()
        return reader if works else None
    except Exception:
        return None

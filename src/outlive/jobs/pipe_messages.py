"""Messages through a pipe whose writer may die at any byte: a torn message is seen as torn, what came before it is whole."""

from __future__ import annotations

import os
import pickle
import struct
import zlib
from collections.abc import Iterator
from typing import Any

HEAD = struct.Struct("<II")  #: length and checksum of what follows
READ_BYTES = 1 << 18


def pack(message: Any) -> bytes:
    """One message as bytes. Both ends are Outlive's own processes, so pickle may carry whatever a task makes."""
    body = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    return HEAD.pack(len(body), zlib.crc32(body)) + body


def send(handle: int, message: Any) -> None:
    """Write all of a message; ``BrokenPipeError`` when nobody is left to read it."""
    left = memoryview(pack(message))
    while left:
        left = left[os.write(handle, left) :]


class Reader:
    """Collects bytes, gives whole messages."""

    def __init__(self, handle: int) -> None:
        self.handle = handle
        self.ended = False  #: the other end is closed: its process is gone, or as good as gone
        self._kept = bytearray()

    def fileno(self) -> int:
        """Name the descriptor, so that ``select`` can wait for it."""
        return self.handle

    def read(self) -> Iterator[Any]:
        """Return the messages of one read, any number of them. Blocks if the descriptor does and nothing has arrived."""
        try:
            data = os.read(self.handle, READ_BYTES)
        except BlockingIOError:
            return
        if not data:
            self.ended = True
            return
        self._kept += data
        at = 0
        while len(self._kept) - at >= HEAD.size:
            length, checksum = HEAD.unpack_from(self._kept, at)
            if len(self._kept) - at - HEAD.size < length:
                break
            body = bytes(self._kept[at + HEAD.size : at + HEAD.size + length])
            if zlib.crc32(body) != checksum:
                self.ended = True  # a writer whose memory is spoiled has nothing more to say
                break
            yield pickle.loads(body)
            at += HEAD.size + length
        del self._kept[:at]

    def rest(self) -> Iterator[Any]:
        """All that a dead writer has left in the pipe."""
        os.set_blocking(self.handle, False)
        while not self.ended:
            before = len(self._kept)
            messages = list(self.read())
            yield from messages
            if not messages and len(self._kept) == before:
                return

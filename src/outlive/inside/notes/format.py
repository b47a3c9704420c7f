"""The record on disk: append, read, survive a torn tail. The only module that knows the bytes.

A record is a run of frames::

    marker (4 bytes)  crc32 (4)  length (4)  sequence (8)  payload (length bytes of ASCII JSON)

The marker holds a byte that ASCII never has, so a payload cannot be mistaken for one. The checksum covers length, sequence and
payload. A reader looks for markers, believes only what its checksum confirms, and sorts by sequence: whatever was torn,
overwritten or half written is skipped, at any byte, and everything else is kept.

Two writers share the frame: ``Log`` appends to a file (the supervisor; errors come back as ``OSError``), ``Ring`` writes in
circles into a mapped file of fixed size (the watched program; no system call, no open descriptor, and what was written
outlives SIGKILL). Loaded inside the watched program: standard library only, Python 3.9.
"""

from __future__ import annotations

import os
import struct
import sys
from _json import encode_basestring_ascii as quoted
from binascii import crc32  # zlib's would be one more library, mapped in every process

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Dict, List, Union

    Payload = Dict[str, Any]  # JSON; the readers of the payloads check what they use

MARKER = b"\xf0OL\x01"
HEAD = struct.Struct("<4sIIQ")
BODY = struct.Struct("<IQ")

#: One frame may not be larger: a damaged length must not make the reader swallow the rest of the file.
MAX_PAYLOAD_BYTES = 1 << 18


class Frame:
    """One record that was read back."""

    __slots__ = ("payload", "sequence")

    def __init__(self, sequence: int, payload: Payload) -> None:
        self.sequence = sequence
        self.payload = payload


def encode(sequence: int, payload: Payload) -> bytes:
    """One frame as bytes. A payload that is too large is replaced by a note that says so."""
    json = sys.modules.get("json")  # five times as fast, when the program has loaded it for itself
    if json is not None and hasattr(json, "dumps"):
        body: bytes = json.dumps(payload, separators=(",", ":"), default=str).encode("ascii")
    else:
        body = dump(payload).encode("ascii")
    if len(body) > MAX_PAYLOAD_BYTES:
        body = dump({"kind": payload.get("kind", ""), "dropped_bytes": len(body)}).encode("ascii")
    checksum = crc32(BODY.pack(len(body), sequence) + body)
    return HEAD.pack(MARKER, checksum, len(body), sequence) + body


def dump(value: Any) -> str:
    """JSON in ASCII, without the ``json`` package.

    Loading that package evaluates strings of Python (``collections.namedtuple``), and CPython then forgets that it was ended by
    Ctrl-C: a program would return 1 instead of dying by SIGINT. At its end we may load nothing.
    """
    if value is None or value != value or value in (float("inf"), float("-inf")):
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return int.__repr__(value)  # of a subclass (IntEnum) too, whatever it calls itself
    if isinstance(value, float):
        return float.__repr__(value)
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, (list, tuple)):
        return f"[{','.join([dump(item) for item in value])}]"
    if isinstance(value, dict):
        return (
            "{"
            + ",".join([f"{quoted(str(key))}:{dump(item)}" for key, item in value.items()])
            + "}"
        )
    return quoted(str(value))


def decode(data: Union[bytes, memoryview]) -> List[Frame]:
    """Every intact frame in the data, oldest first."""
    data = bytes(data)
    found: Dict[int, Frame] = {}
    position = data.find(MARKER)
    while position != -1:
        step = 1
        head = data[position : position + HEAD.size]
        if len(head) == HEAD.size:
            _, checksum, length, sequence = HEAD.unpack(head)
            start = position + HEAD.size
            body = data[start : start + length] if length <= MAX_PAYLOAD_BYTES else b""
            if len(body) == length and crc32(BODY.pack(length, sequence) + body) == checksum:
                payload = _object(body)
                if payload is not None:
                    found[sequence] = Frame(sequence, payload)
                    step = HEAD.size + length
        position = data.find(MARKER, position + step)
    return [found[sequence] for sequence in sorted(found)]


def _object(body: bytes) -> Union[Payload, None]:
    import json

    try:
        payload = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return payload if isinstance(payload, dict) else None


class Log:
    """An append-only file of frames. Errors are the caller's to handle."""

    def __init__(self, path: str) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
        self._handle = os.open(path, flags, 0o600)
        self._sequence = 0

    def append(self, payload: Payload) -> None:
        """Write one frame with one system call."""
        self._sequence += 1
        os.write(self._handle, encode(self._sequence, payload))

    def close(self) -> None:
        """Let go. What was written is the kernel's and outlives every process; it is not forced onto the disk."""
        os.close(self._handle)


class Ring:
    """Frames in circles in a part of a mapped file."""

    def __init__(self, memory: Any, start: int, end: int) -> None:
        self._memory = memory
        self._start = start
        self._end = end
        self._position = start
        self._sequence = start << 32  # rings that share a file keep their sequences apart

    def append(self, payload: Payload) -> None:
        """Write one frame over the oldest ones. A frame never crosses the end."""
        self._sequence += 1
        frame = encode(self._sequence, payload)
        if len(frame) > (self._end - self._start) // 2:
            frame = encode(
                self._sequence, {"kind": payload.get("kind", ""), "dropped_bytes": len(frame)}
            )
        if self._position + len(frame) > self._end:
            self._position = self._start
        self._memory[self._position : self._position + len(frame)] = frame
        self._position += len(frame)


def read_frames(path: str) -> List[Frame]:
    """Every intact frame of a file."""
    with open(path, "rb") as file:
        return decode(file.read())

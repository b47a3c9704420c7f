"""A run that somebody sent, unpacked with suspicion: known names only, no page, and no more of anything than a real run has."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import struct
import tempfile
import time
import zipfile
import zlib
from collections.abc import Iterator, Sequence

from outlive.inside.notes import kinds
from outlive.inside.notes.format import HEAD, MARKER, MAX_PAYLOAD_BYTES, encode
from outlive.recorder.store import run_folders
from outlive.recorder.store.archive import ABOUT_NAME, FITTING, MOST_FILES, NAME, RECORD, SCHEMA

#: Whatever a damaged or forged file makes ``zipfile`` and ``json`` raise.
UNREADABLE = (
    OSError,
    ValueError,
    KeyError,
    TypeError,
    EOFError,
    ArithmeticError,
    RecursionError,
    RuntimeError,  # encrypted, or packed in a way that is not known
    struct.error,
    zlib.error,
    zipfile.BadZipFile,
)

LARGEST_ABOUT_BYTES = 10_000
LARGEST_VERDICT_BYTES = 2_000_000
#: A ring has 0.7 MB; a log with the source of sixty files ten.
LARGEST_MEMBER_BYTES = 32_000_000
MOST_BYTES = 128_000_000
#: Of entries, in all: as much as fourteen full rings. They take ten times as much memory.
MOST_ENTRY_BYTES = 10_000_000
#: What the list of members may take: a thousand bytes each.
LARGEST_LIST_BYTES = 1000 * MOST_FILES

#: Files of entries: others are short, or are read only in part.
OF_ENTRIES = (".log", ".ring", ".cells", ".shim")

PREFIX = "outlive-run-"
#: A folder without a lock that is older is nobody's any more.
SECONDS_UNTIL_LOCKED = 60.0

_END = struct.Struct("<4s4H2LH")
_END_MARK = b"PK\x05\x06"
_END_64_MARK = b"PK\x06\x07"


@contextlib.contextmanager
def folder_for_unpacking() -> Iterator[str]:
    """A private folder for as long as it is needed. What processes that were killed have left behind is removed first."""
    _remove_leftovers()
    with tempfile.TemporaryDirectory(prefix=PREFIX) as folder:
        run_folders.write_private(os.path.join(folder, run_folders.MARK_NAME), b"")
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)  # goes with the process, however it ends
            yield folder
        finally:
            os.close(handle)


def _remove_leftovers() -> None:
    try:
        with os.scandir(tempfile.gettempdir()) as entries:
            paths = [entry.path for entry in entries if entry.name.startswith(PREFIX)]
    except OSError:
        return
    for path in paths:
        if _is_left_behind(path):
            _remove(path)


def _remove(folder: str) -> None:
    """Remove what ``unpack`` writes, by its names, and the folders that are empty then."""
    for parent, _, files in os.walk(folder, topdown=False):
        for name in files:
            path = os.path.join(parent, name)
            inside = os.path.relpath(path, folder).partition("/")[2]
            if FITTING.fullmatch(inside) or path == os.path.join(folder, run_folders.MARK_NAME):
                with contextlib.suppress(OSError):
                    os.unlink(path)
        with contextlib.suppress(OSError):
            os.rmdir(parent)


def _is_left_behind(path: str) -> bool:
    """Whether a folder is ours, by its mark, and no process holds it."""
    if not os.path.isfile(os.path.join(path, run_folders.MARK_NAME)):
        return False
    try:
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        found = os.fstat(handle)
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        mine = found.st_uid == os.geteuid() and found.st_mode & 0o077 == 0
        return mine and time.time() - found.st_mtime > SECONDS_UNTIL_LOCKED
    except OSError:
        return False
    finally:
        os.close(handle)


def unpack(path: str, folder: str) -> str:
    """Write what is known of a run into a folder within this one, and give its name; raises one of ``UNREADABLE``."""
    _refuse_long_list(path)
    with zipfile.ZipFile(path) as box:
        about = json.loads(_content(box, box.getinfo(ABOUT_NAME), LARGEST_ABOUT_BYTES))
        if about["schema"] != SCHEMA:
            raise ValueError(f"schema {about['schema']!r}")
        members = [it for it in box.infolist() if not it.is_dir()]
        if len(members) > MOST_FILES or sum(it.file_size for it in members) > MOST_BYTES:
            raise ValueError("it is too large")
        name = os.path.basename(str(about["run"]))
        target = os.path.join(folder, name if NAME.fullmatch(name) else "run")
        os.mkdir(target, 0o700)
        _write(box, members, target)
        return target


def _write(box: zipfile.ZipFile, members: Sequence[zipfile.ZipInfo], target: str) -> None:
    """Write the files, the log first; of those that hold entries, as many as fit."""
    left, left_out = MOST_ENTRY_BYTES, 0
    for member in sorted(members, key=lambda it: it.filename != RECORD + run_folders.LOG_NAME):
        name = member.filename.removeprefix(RECORD)
        if name in (ABOUT_NAME, run_folders.PAGE_NAME) or not FITTING.fullmatch(name):
            continue
        largest = (
            LARGEST_VERDICT_BYTES if name == run_folders.VERDICT_NAME else LARGEST_MEMBER_BYTES
        )
        content = _content(box, member, largest)
        left -= _entry_bytes(content) if name.endswith(OF_ENTRIES) else 0
        if left < 0:
            left_out += 1
            continue
        to = os.path.join(target, name)
        os.makedirs(os.path.dirname(to), mode=0o700, exist_ok=True)
        run_folders.write_private(to, content)
    if left_out:
        _tell_of(left_out, os.path.join(target, run_folders.LOG_NAME))


def _tell_of(left_out: int, log: str) -> None:
    why = f"too large together; skipped: {left_out}"
    with open(log, "ab") as file:
        file.write(
            encode((1 << 64) - 1, {"kind": kinds.GAP, "name": "files of the record", "why": why})
        )


def _content(box: zipfile.ZipFile, member: zipfile.ZipInfo, most: int) -> bytes:
    """A member, whatever size it claims to have."""
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(f"{member.filename!r} uses an unsupported compression")
    with box.open(member) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise ValueError(f"{member.filename!r} is too large")
    return content


def _entry_bytes(content: bytes) -> int:
    """What the entries in a file claim to take; a ring is full of zeros behind them."""
    total, at = 0, content.find(MARKER)
    while at != -1 and total <= MOST_ENTRY_BYTES:
        head = content[at : at + HEAD.size]
        length = HEAD.unpack(head)[2] if len(head) == HEAD.size else 0
        fits = length <= MAX_PAYLOAD_BYTES
        total += length if fits else 0
        at = content.find(MARKER, at + (HEAD.size + length if fits else len(MARKER)))
    return total


def _refuse_long_list(path: str) -> None:
    """``zipfile`` reads the whole list of members first: a file of nothing else would take all memory."""
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - (1 << 16) - _END.size - 20))
        tail = file.read()
    at = tail.rfind(_END_MARK)
    end = tail[at : at + _END.size]
    if at < 0 or len(end) < _END.size:
        raise zipfile.BadZipFile("it has no end")
    listed = _END.unpack(end)[5]
    if listed > LARGEST_LIST_BYTES or tail[max(0, at - 20) : at].startswith(_END_64_MARK):
        raise ValueError("it has too many members")

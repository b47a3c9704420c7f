"""A run as one file, to be sent and read elsewhere: packed with the source that its lines are in, and unpacked with suspicion.

What is inside: ``outlive-run.json`` (what this is), ``verdict.json``, ``verdict.html``, and, unless it is meant for strangers,
``record/…``: the files of the run's folder. Of a file that somebody sent, only names of that kind are taken, and only so much; its
page is never taken: it is for those who have no Outlive, and whoever has one gets a page of his own making.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from outlive.errors import RecordUnreadable
from outlive.inside.notes import kinds
from outlive.inside.notes.format import decode, encode
from outlive.recorder.store import run_folders
from outlive.recorder.store.entries import content_of
from outlive.recorder.store.users_files import judging

SCHEMA = "outlive.run/1"
ABOUT_NAME = "outlive-run.json"
RECORD = "record/"

#: Names of files in a run's folder, in that of its rings, and in those of kernels within it.
FITTING = re.compile(r"(?:[\w+-][\w.+-]*/){0,5}[\w+-][\w.+-]*")
NAME = re.compile(r"[\w+-][\w.+-]{0,199}")
MOST_FILES = 2000

#: The end of the names of the library's own files, which hold stderr and memory as they were.
LIVE = ".native"


def pack(
    target: str, folder: str, texts: Mapping[str, str], sources: Mapping[str, str] | None
) -> None:
    """Write the archive: these texts, and, where sources are given (by path), the whole record with them in it."""
    import zipfile  # here and below: a verdict must not wait for it

    about = {"schema": SCHEMA, "run": os.path.basename(folder), "shared": sources is None}
    handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(handle, "wb") as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as box:
        box.writestr(ABOUT_NAME, json.dumps(about))
        for name, text in texts.items():
            box.writestr(name, text.encode("utf-8", "backslashreplace"))
        if sources is not None:
            for name, path in _files(folder):
                content = content_of(path)
                if name == run_folders.LOG_NAME:
                    content += _source_frames(path, sources)
                box.writestr(RECORD + name, content)


def _files(folder: str) -> Iterator[tuple[str, str]]:
    """The files of a run, by their names within it; no links, no pipes, no page, nothing with words in clear."""
    for parent, _, files in os.walk(folder):
        for name in sorted(files):
            path = os.path.join(parent, name)
            inside = os.path.relpath(path, folder)
            made = inside in (run_folders.PAGE_NAME, run_folders.VERDICT_NAME)
            in_clear = name.endswith(LIVE)  # of a process that is still running
            regular = stat.S_ISREG(os.lstat(path).st_mode)
            if not made and not in_clear and regular and FITTING.fullmatch(inside):
                yield inside, path


def _source_frames(log: str, sources: Mapping[str, str]) -> bytes:
    """The program's own files, as further frames of the log."""
    last = max((frame.sequence for frame in decode(content_of(log))), default=0)
    return b"".join(
        encode(last + number, {"kind": kinds.SOURCE, "file": path, "text": text})
        for number, (path, text) in enumerate(sources.items(), 1)
    )


def sources_in(payloads: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The files that came with the record, by path."""
    return {
        str(payload.get("file")): str(payload.get("text"))
        for payload in payloads
        if payload.get("kind") == kinds.SOURCE and payload.get("text")
    }


@contextlib.contextmanager
def run_folder(name: str | None) -> Iterator[str]:
    """Find the folder of a run: the last one, one by name, or one in a file, unpacked for the duration of the block."""
    import zipfile

    if name is None or not os.path.isfile(name) or not zipfile.is_zipfile(name):
        with judging(foreign=False):
            yield run_folders.find_run(name)
        return
    from outlive.recorder.store.unpacking import UNREADABLE, folder_for_unpacking, unpack

    with folder_for_unpacking() as folder, judging(foreign=True):
        try:
            unpacked = unpack(name, folder)
        except UNREADABLE as error:
            raise RecordUnreadable(
                f"{name} is not an exported run: {type(error).__name__}: {error}.",
                "Create such a file with:  outlive runs export RUN FILE",
            ) from error
        yield unpacked

"""A run as one file, to be sent and read elsewhere: packed with the source that its lines are in, and unpacked with suspicion.

What is inside: ``outlive-run.json`` (what this is), ``verdict.json``, ``verdict.html``, and, unless it is meant for strangers,
``record/…``: the files of the run's folder. Of a file that somebody sent, only names of that kind are taken, and only so much.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from outlive.errors import RecordUnreadable
from outlive.record import runs
from outlive.record.format import encode, read_frames

SCHEMA = "outlive.run/1"
ABOUT_NAME = "outlive-run.json"
RECORD = "record/"

#: Names of files in a run's folder, in that of its rings, and in those of kernels within it.
FITTING = re.compile(r"(?:[\w+-][\w.+-]*/){0,5}[\w+-][\w.+-]*")
MOST_FILES = 2000
MOST_BYTES = 600_000_000

SOURCE_KIND = "source"


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
                with open(path, "rb") as source:
                    content = source.read()
                if name == runs.LOG_NAME:
                    content += _source_frames(path, sources)
                box.writestr(RECORD + name, content)


def _files(folder: str) -> Iterator[tuple[str, str]]:
    """The files of a run, by their names within it; no links, no page."""
    for parent, _, files in os.walk(folder):
        for name in sorted(files):
            path = os.path.join(parent, name)
            inside = os.path.relpath(path, folder)
            made = inside in (runs.PAGE_NAME, runs.VERDICT_NAME)
            if not made and not os.path.islink(path) and FITTING.fullmatch(inside):
                yield inside, path


def _source_frames(log: str, sources: Mapping[str, str]) -> bytes:
    """The program's own files, as further frames of the log."""
    last = max((frame.sequence for frame in read_frames(log)), default=0)
    return b"".join(
        encode(last + number, {"kind": SOURCE_KIND, "file": path, "text": text})
        for number, (path, text) in enumerate(sources.items(), 1)
    )


def sources_in(payloads: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The files that came with the record, by path."""
    return {
        str(payload.get("file")): str(payload.get("text"))
        for payload in payloads
        if payload.get("kind") == SOURCE_KIND and payload.get("text")
    }


@contextlib.contextmanager
def run_folder(name: str | None) -> Iterator[str]:
    """The folder of a run: the last one, one that is named, or one in a file, unpacked for so long."""
    import tempfile
    import zipfile

    if name is None or not zipfile.is_zipfile(name):
        yield runs.find_run(name)
        return
    with tempfile.TemporaryDirectory(prefix="outlive-run-") as folder:
        yield _unpack(name, folder)


def _unpack(path: str, folder: str) -> str:
    import zipfile

    try:
        with zipfile.ZipFile(path) as box:
            about = json.loads(box.read(ABOUT_NAME))
            if about["schema"] != SCHEMA:
                raise ValueError(f"schema {about['schema']!r}")
            members = [it for it in box.infolist() if not it.is_dir()]
            if len(members) > MOST_FILES or sum(it.file_size for it in members) > MOST_BYTES:
                raise ValueError("it is too large")
            target = os.path.join(folder, os.path.basename(str(about["run"])) or "run")
            os.mkdir(target, 0o700)
            for member in members:
                name = member.filename.removeprefix(RECORD)
                if name == ABOUT_NAME or not FITTING.fullmatch(name):
                    continue
                to = os.path.join(target, name)
                os.makedirs(os.path.dirname(to), mode=0o700, exist_ok=True)
                runs.write_private(to, box.read(member))
            return target
    except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile, RuntimeError) as error:
        raise RecordUnreadable(
            f"{path} is no run that was exported: {type(error).__name__}: {error}.",
            "Such a file is made with:  outlive runs export RUN FILE",
        ) from error

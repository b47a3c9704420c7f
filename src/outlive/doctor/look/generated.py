"""Read which protoc made the generated code of an installation, from the code itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from outlive.doctor.look.packages import owner_of
from outlive.doctor.look.tree import GENERATED
from outlive.model.installation import Generated, Version

#: Where everything that tells stands: after the licence, before the descriptors.
HEAD_BYTES = 12_000

VALIDATED = re.compile(
    r"ValidateProtobufRuntimeVersion\(\s*[\w.]+,\s*(\d+),\s*(\d+),\s*(\d+),", re.DOTALL
)
BUILDER = "from google.protobuf.internal import builder"
PLAIN_DESCRIPTOR = re.compile(r"DESCRIPTOR\s*=\s*_descriptor\.FileDescriptor\(")

#: The first protobuf that has ``internal.builder``, and the last whose protoc wrote descriptors in plain Python.
BUILDER_CAME: Version = (3, 20, 0)
PLAIN_ENDED: Version = (3, 18, 99)


def read_generated(folder: str, files: Iterable[str], known: Mapping[str, str]) -> list[Generated]:
    """For each package with generated code, the newest and the old-style file: the two that can fail."""
    newest: dict[tuple[str, bool], Generated] = {}
    counts: dict[str, int] = {}
    for file in files:
        package = owner_of(file, known)
        if not file.endswith(GENERATED) or package == "protobuf":
            continue
        counts[package] = counts.get(package, 0) + 1
        made_by, old_style = made(f"{folder}/{file}")
        if not made_by:
            continue
        best = newest.get((package, old_style))
        if best is None or made_by > best.made_by:
            newest[package, old_style] = Generated(package, file, 0, made_by, old_style)
    return [
        Generated(item.package, item.file, counts[item.package], item.made_by, item.old_style)
        for _, item in sorted(newest.items())
    ]


def made(path: str) -> tuple[Version, bool]:
    """The least protobuf that the code asks for, and whether it is of the old style; nothing where it does not say."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read(HEAD_BYTES)
    except OSError:
        return (), False
    exact = VALIDATED.search(text)
    if exact:
        return tuple(int(part) for part in exact.groups()), False
    if BUILDER in text:
        return BUILDER_CAME, False
    return (PLAIN_ENDED, True) if PLAIN_DESCRIPTOR.search(text) else ((), False)

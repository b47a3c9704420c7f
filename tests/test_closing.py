"""What the processes of a run left is tidied, while some of them may still be taking away their own."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from outlive.record.closing import close_rings
from outlive.record.eventful import eventful_notes

SCANDIR = os.scandir


class Vanishing:
    """A folder's listing, of which one file is gone by the time that it is looked at."""

    def __init__(self, path: str, victim: str) -> None:
        self._entries = SCANDIR(path)
        self._victim = victim

    def __enter__(self) -> list[Any]:
        with self._entries as entries:
            found = list(entries)
        os.unlink(self._victim)
        return found

    def __exit__(self, *error: object) -> None:
        return None


@pytest.mark.parametrize("name", ["12-1.ring", "12-1.fault", "12.native"])
def test_a_worker_that_ends_a_moment_after_the_program_spoils_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    rings = tmp_path / "run" / "rings"
    rings.mkdir(parents=True)
    (rings / "11-1.fault").write_bytes(b"")
    (rings / "99999999-1.kept").write_bytes(b"something")

    def vanishing(path: str) -> Vanishing:
        (rings / name).write_bytes(b"")
        return Vanishing(path, str(rings / name))

    with monkeypatch.context() as patched:
        patched.setattr(os, "scandir", vanishing)
        found = eventful_notes(str(rings))
        close_rings(str(rings.parent), str(rings), (), eventful=True)

    assert not found
    assert ["99999999-1.kept"] == [one.name for one in rings.iterdir()]

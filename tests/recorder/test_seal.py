"""What the processes of a run leave behind, while it runs and afterwards, while some of them may still be taking away their own."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from outlive.recorder.store.eventful import eventful_notes
from outlive.recorder.store.seal import MAX_RINGS, close_rings, thin_out

#: Larger than the kernel lets any process have.
NOBODY = 1 << 23


def make(folder: Path, name: str) -> Path:
    path = folder / name
    path.write_bytes(b"x")
    return path


def test_of_processes_that_are_gone_only_the_youngest_keep_their_files(tmp_path: Path) -> None:
    mine = make(tmp_path, f"{os.getpid()}-1.ring")
    (tmp_path / "limit").symlink_to("300000000 0")
    gone = [
        (make(tmp_path, f"{NOBODY + turn}-1.ring"), make(tmp_path, f"{NOBODY + turn}.native"))
        for turn in range(MAX_RINGS + 3)
    ]

    thin_out(str(tmp_path))

    assert mine.exists()
    assert (tmp_path / "limit").is_symlink()
    left = [ring.exists() and native.exists() for ring, native in gone]
    assert MAX_RINGS == sum(left)
    assert left[-1]


def test_few_files_are_left_alone(tmp_path: Path) -> None:
    ring = make(tmp_path, f"{NOBODY}-1.ring")

    thin_out(str(tmp_path))

    assert ring.exists()


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


@pytest.mark.parametrize("name", [f"{NOBODY}-1.ring", f"{NOBODY}-1.fault", f"{NOBODY}.native"])
def test_a_worker_that_ends_a_moment_after_the_program_spoils_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    rings = tmp_path / "run" / "rings"
    rings.mkdir(parents=True)
    (rings / f"{NOBODY + 1}-1.fault").write_bytes(b"")
    (rings / f"{NOBODY + 2}-1.kept").write_bytes(b"something")

    def vanishing(path: str) -> Vanishing:
        (rings / name).write_bytes(b"")
        return Vanishing(path, str(rings / name))

    with monkeypatch.context() as patched:
        patched.setattr(os, "scandir", vanishing)
        found = eventful_notes(str(rings))
        close_rings(str(rings.parent), str(rings), (), eventful=True)

    assert not found
    assert [f"{NOBODY + 2}-1.kept"] == [one.name for one in rings.iterdir()]

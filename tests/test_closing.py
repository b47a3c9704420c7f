"""What the processes of a run leave behind, while it runs and afterwards."""

from __future__ import annotations

import os
from pathlib import Path

from outlive.record.closing import MAX_RINGS, thin_out

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

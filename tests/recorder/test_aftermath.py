"""What is looked at after a bad end: rooms, libraries, installations; bounded, and quiet about what is not there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from outlive.coroner.gather.surroundings import opening_place
from outlive.coroner.readings.source_lines import SourceLines
from outlive.data.formats.elf import needed_by
from outlive.inside.machine.host import Host, Mount
from outlive.inside.notes.format import Ring
from outlive.inside.notes.masking import Masker
from outlive.recorder import aftermath
from outlive.recorder.aftermath import mount_of, nearest_folder, weigh


def rings(tmp_path: Path, *notes: dict[str, Any]) -> str:
    """A folder with the ring of one process."""
    folder = tmp_path / "rings"
    folder.mkdir()
    memory = bytearray(1 << 16)
    ring = Ring(memory, 0, len(memory))
    for note in notes:
        ring.append(note)
    (folder / "7-1.ring").write_bytes(memory)
    return str(folder)


def process(prefix: Path) -> dict[str, Any]:
    site = prefix / "lib" / "site-packages"
    site.mkdir(parents=True, exist_ok=True)
    return {
        "kind": "process",
        "pid": 7,
        "prefix": str(prefix),
        "executable": str(prefix / "bin" / "python"),
        "libraries": [str(site)],
    }


def error(message: str, **known: Any) -> dict[str, Any]:
    return {"kind": "error", "error": {"type": "OSError", "message": message, **known}}


def looked(tmp_path: Path, *notes: dict[str, Any]) -> dict[str, Any]:
    return aftermath.aftermath(Host(), rings(tmp_path, *notes), str(tmp_path))


def test_without_an_error_nothing_is_looked_at(tmp_path: Path) -> None:
    assert {} == looked(tmp_path, process(tmp_path / "v"))
    assert {} == aftermath.aftermath(Host(), None, "/")


@pytest.mark.parametrize(
    ("file", "text", "maker", "locked"),
    [
        ("pyvenv.cfg", "home = /usr/bin\nversion = 3.11\n", "venv", False),
        ("pyvenv.cfg", "home = /usr/bin\nuv = 0.9.2\n", "uv", False),
        ("conda-meta/history", "", "conda", False),
        ("../uv.lock", "", "", True),
        ("readme", "", "", False),
    ],
    ids=["venv", "uv", "conda", "uv project", "system"],
)
def test_who_made_the_environment_is_seen(
    file: str, text: str, maker: str, locked: bool, tmp_path: Path
) -> None:
    prefix = tmp_path / ".venv"
    prefix.mkdir()
    path = Path(os.path.normpath(prefix / file))
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)

    found = looked(tmp_path, process(prefix), error("no"))["installation"]

    assert (maker, locked) == (found["maker"], found["locked"])


def test_packages_are_listed_with_who_installed_them(tmp_path: Path) -> None:
    note = process(tmp_path / "v")
    for name, installer in (("numpy-2.1.0", "uv\n"), ("Some_Thing-0.3", ""), ("readme", "")):
        folder = Path(note["libraries"][0], f"{name}.dist-info" if "-" in name else name)
        folder.mkdir()
        if installer:
            (folder / "INSTALLER").write_text(installer)

    found = looked(tmp_path, note, error("no"))["installation"]["packages"]

    assert {"numpy": ["2.1.0", "uv"], "some-thing": ["0.3", ""]} == found


@pytest.mark.parametrize(
    ("message", "known"),
    [
        ("[Errno 28] No space left on device: 'x'", {"file": "{}/deep/not/there.bin"}),
        ("{}/a.tfrecord; No space left on device [Op:SaveV2]", {}),
        ("write failed: errno = 28, filename = '{}/a.h5', 'No space left on device'", {}),
    ],
    ids=["a number and a file", "TensorFlow's words", "HDF5's words"],
)
def test_the_file_system_of_a_named_file_is_looked_at(
    message: str, known: dict[str, str], tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    for number in range(5):
        (folder / f"part_{number}.bin").write_bytes(bytes(50_000))
    told = {name: value.format(folder) for name, value in known.items()}

    rooms = looked(tmp_path, process(tmp_path / "v"), error(message.format(folder), **told))[
        "rooms"
    ]

    assert "named" == rooms[0]["how"]
    assert str(folder).startswith(rooms[0]["point"])
    assert f"{folder}/part_*.bin" in [what for what, _, _ in rooms[0]["piles"]]


def test_a_secret_in_the_name_of_a_file_is_masked() -> None:
    found = {"rooms": [{"piles": [["/out/hunter2-secret-*.bin", 3, 9]]}], "free": 3}

    masked = Masker(["hunter2-secret"]).data(found)

    assert "hunter2" not in str(masked)
    assert (3, 9) == (masked["free"], masked["rooms"][0]["piles"][0][2])


def test_an_error_that_is_not_about_room_costs_no_look_at_disks(tmp_path: Path) -> None:
    assert "rooms" not in looked(tmp_path, process(tmp_path / "v"), error("no", file="/tmp/x"))


MOUNTS = [
    Mount("8:1", "/", "/", "ext4", ""),
    Mount("8:2", "/", "/data", "ext4", ""),
    Mount("0:9", "/", "/data/net", "nfs4", ""),
    Mount("0:10", "/", "/data", "xfs", ""),
]


@pytest.mark.parametrize(
    ("path", "kind"),
    [("/home/a", "ext4"), ("/data/a/b", "xfs"), ("/database/a", "ext4"), ("/data/net/a", "nfs4")],
)
def test_a_path_lies_on_the_innermost_and_latest_mount(path: str, kind: str) -> None:
    mount = mount_of(path, MOUNTS)

    assert mount is not None and kind == mount.kind


def test_alike_files_of_a_folder_are_one_pile_and_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    for number in range(3):
        (tmp_path / "logs" / f"step-{number}.log").write_bytes(bytes(8192))
    (tmp_path / "loop").symlink_to(tmp_path)
    piles: dict[str, list[int]] = {}

    weigh(str(tmp_path), piles)

    assert 3 == piles[str(tmp_path / "logs" / "step-*.log")][0]
    assert 2 == len(piles)
    assert str(tmp_path) == nearest_folder(str(tmp_path / "never" / "was"))


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_what_a_library_asks_for_is_read_from_it(tmp_path: Path) -> None:
    script = Path(__file__).parent.parent / "makers" / "missing_library.sh"
    subprocess.run(["sh", "-e", str(script)], cwd=tmp_path, check=True, timeout=60)
    missing = error("libblend.so.2: cannot open shared object file: No such file")
    missing["around"] = {"libraries": ["./libfilter.so", "./nothing.so"]}

    found = looked(tmp_path, process(tmp_path / "v"), missing)

    assert ("libblend.so.2" in needed_by(str(tmp_path / "libfilter.so"))) is True
    (row,) = found["libraries"]
    assert str(tmp_path / "libfilter.so") == row[0] and "libblend.so.2" in row[1]
    assert {"libblend.so.2": str(tmp_path / "kept" / "libblend.so.2")} == found["found"]


@pytest.mark.parametrize("text", [b"", b"\x7fELF", b"\x7fELF\x02\x01" + bytes(58), b"#!/bin/sh\n"])
def test_a_file_that_is_no_library_asks_for_nothing(text: bytes, tmp_path: Path) -> None:
    (tmp_path / "x.so").write_bytes(text)

    assert () == needed_by(str(tmp_path / "x.so"))
    assert () == needed_by(str(tmp_path / "gone.so"))


def test_a_library_cut_off_anywhere_is_no_error(tmp_path: Path) -> None:
    data = Path(sys.executable).resolve().read_bytes()
    for length in (64, 100, 500, 1000, len(data) // 2):
        (tmp_path / "x.so").write_bytes(data[:length])

        assert isinstance(needed_by(str(tmp_path / "x.so")), tuple)


def test_a_missing_library_that_lies_in_the_environment_is_found(tmp_path: Path) -> None:
    note = process(tmp_path / "v")
    folder = Path(note["libraries"][0], "nvidia", "cuda_runtime", "lib")
    folder.mkdir(parents=True)
    (folder / "libcudart.so.99").touch()

    found = looked(tmp_path, note, error("libcudart.so.99: cannot open shared object file: No"))

    assert {"libcudart.so.99": str(folder / "libcudart.so.99")} == found["found"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("def f():\n    g = open('a')\n    kept.append(g)\n", 2),
        ("def f():\n    kept.append(\n    open('a'))\n    kept.append(open('b'))\n", 4),
        ("def f(i):\n    g = open('a')\n    kept[i] = g\n", 2),
        ("def f(g):\n    x = 1\n    kept.append(g)\n", 3),
    ],
    ids=["a name", "made in place", "an item", "given"],
)
def test_the_line_that_makes_what_is_kept_is_found(text: str, line: int, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(text)
    lines = SourceLines(str(tmp_path))
    feeds = lines.place(("a.py", len(text.splitlines()), "f"))

    assert line == opening_place(feeds, "a.py", lines).line


def test_a_network_that_may_not_answer_is_left_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[str] = []
    real = os.statvfs
    monkeypatch.setattr(os, "statvfs", lambda path: asked.append(str(path)) or real("/"))
    monkeypatch.setattr(Host, "mounts", lambda self: tuple(MOUNTS[:3]))

    looked(
        tmp_path,
        process(tmp_path / "v"),
        error("[Errno 28] No space left on device", file="/data/net/x"),
    )

    assert "/data/net" not in asked and asked

"""Files and callers that want too much: label maps, TFRecords of zeros, endless label files, pipes, formulas, slow callers."""

from __future__ import annotations

import csv
import io
import os
import socket
import struct
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from outlive.data.formats.tfrecords import LENGTH_DAMAGED, masked, records
from outlive.data.scan.annotations import MOST_LINES, check_yolo
from outlive.data.scan.labels import read_label_map
from outlive.data.scan.neighbours import Neighbours
from outlive.detection.results import _csv
from outlive.doctor.cluster import agent as agents
from outlive.doctor.cluster.agent import Agent
from outlive.doctor.cluster.wire import WireError, connect
from outlive.errors import UsageError
from outlive.source.lint.files import files_below

ODD_MAPS = {
    "brackets without an end": ("item{" * 60_000, "contains no label"),
    "quotes without an end": ("item{" + 'name:"\\"' * 40_000, "contains no label"),
    "white space": ("item" + " " * 200_000 + "{", "contains no label"),
    "a digit that is none": ('{"²": "x"}', "whose number is '²'"),
    "a number of 5000 digits": (f'item {{ id: {"9" * 5000} name: "x" }}', "whose number is"),
    "a number of 5000 digits in JSON": (f'{{"1": {"9" * 5000}}}', "not valid JSON"),
    "a deep list": ("[" * 100_000, "not valid JSON"),
    "a list that is cut": ('["a", "b"', "not valid JSON"),
}


@pytest.mark.parametrize(("text", "said"), ODD_MAPS.values(), ids=ODD_MAPS.keys())
def test_an_odd_label_map_is_refused_in_a_sentence(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "map").write_text(text, "utf-8")

    with pytest.raises(UsageError) as refused:
        read_label_map(str(tmp_path / "map"))

    assert said in refused.value.message


def test_a_label_map_is_read_as_it_is_written(tmp_path: Path) -> None:
    (tmp_path / "map").write_text(
        "# item { id: 9 }\nitem {\n  id: 1\n  name: 'a}b'\n  display_name: \"c\"\n"
        '  keypoints { id: 7 label: "k" }\n}\nitem: { name:"z" id:2 }'
    )

    assert {1: {"a}b", "c"}, 2: {"z"}} == read_label_map(str(tmp_path / "map"))


def record(data: bytes) -> bytes:
    head = struct.pack("<Q", len(data))
    return head + struct.pack("<I", masked(head)) + data + struct.pack("<I", masked(data))


def test_many_megabytes_of_zeros_are_one_damage() -> None:
    found = list(records(bytes(50_000_000)))

    assert [LENGTH_DAMAGED] == [one.damage for one in found]


@pytest.mark.parametrize(
    "noise", [bytes(1000), bytes(11), b"\x01" + bytes(7), b"\x01\0\0\0\0\0\0\0" * 90, b"\xff" * 99]
)
def test_what_lies_behind_damage_is_found(noise: bytes) -> None:
    good = record(b"one") + record(bytes(40))

    found = [bytes(one.data) for one in records(b"\x07" + noise + good) if one.data is not None]

    assert [b"one", bytes(40)] == found


def test_a_label_file_of_millions_of_lines_is_checked_in_part(tmp_path: Path) -> None:
    text = b"0 0.5 0.5 0.1 0.1\n" * 2_000_000
    (tmp_path / "a.txt").write_bytes(b"")

    flaws = check_yolo(str(tmp_path / "a.txt"), text, None, Neighbours(str(tmp_path / "a.txt"), lambda: None))  # fmt: skip

    assert "it has 2000000 lines" in next(flaws).says
    assert MOST_LINES + 1 > sum(flaw.slug == "duplicate" for flaw in flaws)


def test_a_pipe_is_not_linted(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")

    with pytest.raises(UsageError) as refused:
        list(files_below([str(tmp_path / "pipe.py")]))

    assert "neither a file nor a folder" in refused.value.message


def test_no_cell_of_a_table_is_a_formula() -> None:
    names = ["=HYPERLINK(1)", "+1", "-1.jpg", "@x", "\tx", "\rx", "a\x1b[31m", "plain.jpg"]
    box = [1, 0.5, -0.25, 0.0, 1.0, 1.0]
    rows = [(name, {"width": 9, "height": 9, "detections": [box]}) for name in names]
    written = io.StringIO()

    _csv(written, lambda: iter(rows), {1: "=cat"})

    _, *found = csv.reader(io.StringIO(written.getvalue(), newline=""))
    told = [row[0] for row in found]
    assert ["'=HYPERLINK(1)", "'+1", "'-1.jpg", "'@x", "'\tx", "'\rx", "a\\x1b[31m", "plain.jpg"] == told  # fmt: skip
    assert {"'=cat"} == {row[4] for row in found}
    assert {"-0.25"} == {row[6] for row in found}, "numbers stay numbers"


@pytest.fixture
def listening(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """An agent with two slots."""
    monkeypatch.setattr(agents, "MOST_CONNECTIONS", 2)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    agent = Agent(b"token", {}, port, seconds=60)
    thread = threading.Thread(target=agent.serve)
    thread.start()
    yield port
    channel = connect("127.0.0.1", port, b"token")
    channel.ask(ask="done")
    channel.close()
    thread.join(20)
    assert not thread.is_alive()


def test_slow_callers_do_not_keep_others_out(listening: int) -> None:
    slow = [socket.create_connection(("127.0.0.1", listening)) for _ in range(6)]
    try:
        for _ in range(3):
            channel = connect("127.0.0.1", listening, b"token")
            assert {} == channel.ask(ask="echo")
            channel.close()
    finally:
        for caller in slow:
            caller.close()


def test_odd_questions_are_answered(listening: int) -> None:
    channel = connect("127.0.0.1", listening, b"token")
    try:
        for question in (
            {"ask": "listen", "port": 10**30},
            {"ask": "listen", "port": 1e999},
            {"ask": "measure", "host": "x", "port": 10**30},
            {"ask": "resolve", "names": 5},
            {"ask": []},
        ):
            with pytest.raises(WireError):
                channel.ask(**question)
            assert {} == channel.ask(ask="echo"), question
    finally:
        channel.close()

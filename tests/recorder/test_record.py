"""The record: every prefix can be read, damage stays where it is, a SIGKILL loses nothing that was written."""

from __future__ import annotations

import itertools
import json
import math
import os
import signal
import stat
import struct
import subprocess
import sys
import time
import zlib
from enum import IntEnum
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import Outlive
from made_evidence import readings
from outlive.coroner.examine import decide
from outlive.coroner.gather.gather import gather
from outlive.errors import NothingRecorded
from outlive.inside.machine.host import Host
from outlive.inside.notes.format import (
    BODY,
    HEAD,
    MARKER,
    MAX_PAYLOAD_BYTES,
    Log,
    Ring,
    decode,
    dump,
    encode,
    read_frames,
)
from outlive.recorder.baseline import Baseline
from outlive.recorder.flight import SAMPLES_PER_OCTAVE, Flight
from outlive.recorder.store import removal, run_folders

PROGRAMS = Path(__file__).parent.parent / "programs"

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip
payloads = st.dictionaries(st.text(max_size=8), json_values, max_size=4)


def real_log(run: Outlive) -> bytes:
    return (run.runs[0] / run_folders.LOG_NAME).read_bytes()


def spans(data: bytes) -> list[tuple[int, int]]:
    """Where each frame of an undamaged record begins and ends."""
    found, position = [], 0
    while position < len(data):
        _, _, length, _ = HEAD.unpack_from(data, position)
        found.append((position, position + HEAD.size + length))
        position = found[-1][1]
    return found


def sequences(data: bytes) -> list[int]:
    return [frame.sequence for frame in decode(data)]


def framed(sequence: int, body: bytes) -> bytes:
    """A frame whose checksum is right, whatever its body."""
    checksum = zlib.crc32(BODY.pack(len(body), sequence) + body)
    return HEAD.pack(MARKER, checksum, len(body), sequence) + body


def test_a_real_record_holds_its_beginning_and_its_end(failed_run: Outlive) -> None:
    kinds = [frame.payload["kind"] for frame in decode(real_log(failed_run))]

    assert "run" == kinds[0]
    assert {"sample", "end", "exit"} <= set(kinds)
    looked_at_later = set(kinds[kinds.index("exit") + 1 :])
    assert looked_at_later <= {"aftermath", "packages", "inspection", "gap"}


def test_a_record_cut_at_any_byte_has_every_frame_before_the_cut(failed_run: Outlive) -> None:
    data = real_log(failed_run)
    frames = spans(data)
    assert len(frames) > 3

    for cut in range(len(data) + 1):
        whole = sum(end <= cut for _, end in frames)
        assert list(range(1, whole + 1)) == sequences(data[:cut]), f"cut at {cut}"


def test_a_flipped_byte_loses_at_most_the_frame_that_it_is_in(failed_run: Outlive) -> None:
    data = bytearray(real_log(failed_run))
    everything = sequences(bytes(data))

    for number, (start, end) in enumerate(spans(bytes(data)), 1):
        others = [sequence for sequence in everything if sequence != number]
        for position in range(start, end):
            data[position] ^= 0xFF
            assert others == sequences(bytes(data)), f"byte {position}"
            data[position] ^= 0xFF


def test_a_record_that_misses_its_end_still_gets_a_verdict(failed_run: Outlive) -> None:
    frames = [frame.payload for frame in decode(real_log(failed_run))]
    rings = str(failed_run.runs[0] / run_folders.RINGS_NAME)

    for count in range(len(frames)):
        verdict = decide("run", gather(frames[:count], rings))
        assert () == verdict.failures, f"the first {count} frames"
        assert verdict.cause is not None and "uncaught-exception" == verdict.cause.slug


def test_a_record_that_misses_any_one_frame_still_gets_a_verdict() -> None:
    rows = [["/sys/fs/cgroup", 2, 5, 10, 0, 0]]
    frames = readings(before=rows, after=rows, kernel_lines=[], members=([1, 2], [1]))

    for lost in range(len(frames)):
        verdict = decide("run", gather(frames[:lost] + frames[lost + 1 :], None))
        assert () == verdict.failures, f"without the frame {frames[lost]['kind']}"


@given(st.lists(st.integers(0, 1500), max_size=40), st.integers(min_value=400, max_value=3000))
def test_a_ring_keeps_the_newest_frames_and_never_a_torn_one(sizes: list[int], size: int) -> None:
    memory = bytearray(size)
    ring = Ring(memory, 0, size)
    written = [{"number": number, "text": "x" * length} for number, length in enumerate(sizes)]
    lengths: list[int] = []

    for number, payload in enumerate(written):
        ring.append(payload)
        lengths.append(min(len(encode(number + 1, payload)), size // 2))
        found = decode(memory)

        assert size == len(memory)
        for frame in found:
            if "dropped_bytes" not in frame.payload:
                assert written[frame.sequence - 1] == frame.payload
        newest = 0
        while newest < len(lengths) and sum(lengths[-newest - 1 :]) <= size // 2:
            newest += 1
        kept = [frame.sequence for frame in found[-newest:]]
        assert list(range(number + 2 - newest, number + 2)) == kept


def test_two_rings_in_one_file_do_not_hide_each_other() -> None:
    memory = bytearray(4000)
    first, second = Ring(memory, 0, 2000), Ring(memory, 2000, 4000)

    for number in range(5):
        first.append({"ring": 1, "number": number})
        second.append({"ring": 2, "number": number})

    found = [(frame.payload["ring"], frame.payload["number"]) for frame in decode(memory)]
    assert [(ring, number) for ring in (1, 2) for number in range(5)] == found


@pytest.mark.death
def test_a_process_killed_while_it_writes_leaves_only_whole_frames(tmp_path: Path) -> None:
    size = 20_000
    for attempt in range(4):
        path = tmp_path / f"{attempt}.ring"
        writer = subprocess.Popen(
            [sys.executable, str(PROGRAMS / "writes_ring.py"), str(path), str(size)],
            stdout=subprocess.PIPE,
        )
        assert writer.stdout is not None
        acknowledged = [int(writer.stdout.readline()) for _ in range(1 + attempt)][-1]

        writer.send_signal(signal.SIGKILL)

        assert -signal.SIGKILL == writer.wait(timeout=30)
        writer.stdout.close()
        found = [frame.payload for frame in read_frames(str(path))]
        assert len(found) > 20
        assert found[-1]["number"] >= acknowledged
        for payload in found:
            number = payload["number"]
            assert str(number) * (number % 97) == payload["text"]


@given(payloads.filter(lambda payload: "kind" not in payload), st.integers(0, 2_000_000))
def test_a_frame_is_never_larger_than_the_limit(payload: dict[str, Any], extra: int) -> None:
    frame = encode(1, payload | {"kind": "stack", "text": "x" * extra})

    assert len(frame) <= HEAD.size + MAX_PAYLOAD_BYTES
    (told,) = decode(frame)
    assert "stack" == told.payload["kind"]
    assert ("dropped_bytes" in told.payload) == (told.payload.get("text") is None)


@given(st.binary(max_size=300), payloads, st.binary(max_size=300))
def test_noise_around_a_frame_does_not_hide_it(
    before: bytes, payload: dict[str, Any], after: bytes
) -> None:
    found = decode(before + encode(7, payload) + after)

    assert payload in [frame.payload for frame in found if frame.sequence == 7]


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 100_000,
        b'{"a":' * 40_000,
        b"[1, 2]",
        b'"text"',
        b"NaN",
        b"9" * 10_000,
        b"\xff\xfe\x00",
        b"",
        b'{"a": 1',
    ],
    ids=["lists", "objects", "list", "text", "nan", "number", "bytes", "nothing", "torn"],
)
def test_what_is_no_object_is_skipped_and_the_next_frame_is_read(body: bytes) -> None:
    data = framed(1, body) + encode(2, {"kind": "end"})

    assert [2] == sequences(data)


@pytest.mark.parametrize("length", [0, 1, 1 << 18, (1 << 18) + 1, (1 << 31), (1 << 32) - 1])
def test_a_damaged_length_does_not_swallow_what_follows(length: int) -> None:
    damaged = struct.pack("<4sIIQ", MARKER, 0, length, 1)

    assert [2] == sequences(damaged + encode(2, {"kind": "end"}))


def test_the_marker_cannot_stand_in_a_payload() -> None:
    told = {"kind": "note", "text": MARKER.decode("latin-1") * 3, "raw": "\udcf0OL\x01"}

    frame = encode(1, told)

    assert 1 == frame.count(MARKER)
    assert [told] == [frame.payload for frame in decode(frame)]


@given(json_values)
def test_dump_writes_what_json_reads_back(value: Any) -> None:
    text = dump(value)

    assert value == json.loads(text)
    assert text.isascii()


def test_dump_makes_null_of_what_json_has_no_word_for() -> None:
    told = dump([math.nan, math.inf, -math.inf])

    assert "[null,null,null]" == told


def test_dump_keeps_a_number_of_a_subclass_a_number_of_its_kind() -> None:
    class Status(IntEnum):
        FAILED = 3

    class Share(float):
        def __repr__(self) -> str:
            return "a share"

    assert "[3,0.5,18446744073709551617]" == dump(
        [Status.FAILED, Share(0.5), type("Big", (int,), {})((1 << 64) + 1)]
    )


def test_dump_writes_what_it_does_not_know_as_text() -> None:
    assert {"1": "b'x'", "(2,)": "{3}"} == json.loads(dump({1: b"x", (2,): {3}}))


def test_a_log_is_private_and_replaces_nothing(tmp_path: Path) -> None:
    path = tmp_path / "log"
    Log(str(path)).close()

    assert 0o600 == stat.S_IMODE(path.stat().st_mode)
    with pytest.raises(FileExistsError):
        Log(str(path))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OUTLIVE_HOME", str(tmp_path / "home"))
    return tmp_path / "home" / "runs"


def make_run(home: Path, name: str, *, sealed: bool = True, hours: float = 0.0) -> Path:
    folder = home / name
    folder.mkdir(parents=True)
    log = folder / run_folders.LOG_NAME
    log.write_bytes(MARKER)
    moment = time.time() - hours * 3600
    os.utime(log, (moment, moment))
    if sealed:
        (folder / run_folders.SEALED_NAME).touch()
    return folder


def test_the_folders_of_a_run_are_private(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = os.umask(0)
    try:
        folder, rings = run_folders.new_run(Host())
        run_folders.write_private(os.path.join(folder, "verdict.json"), "{}")
    finally:
        os.umask(before)

    for path in (home, folder, rings):
        assert 0o700 == stat.S_IMODE(os.stat(path).st_mode), path
    assert 0o600 == stat.S_IMODE(os.stat(os.path.join(folder, "verdict.json")).st_mode)


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / "verdict.json").symlink_to(victim)

    with pytest.raises(OSError, match="symbolic"):
        run_folders.write_private(str(tmp_path / "verdict.json"), "{}")
    assert "precious" == victim.read_text()


def test_runs_of_one_second_are_in_the_order_in_which_they_began(home: Path) -> None:
    for _ in range(12):
        folder, _ = run_folders.new_run(Host())

        assert folder == run_folders.find_run(None)


def test_pruning_keeps_the_newest_runs(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(removal, "KEEP_RUNS", 3)
    names = [f"2026010{day}-120000-aaaa" for day in range(1, 7)]
    for name in names:
        make_run(home, name, hours=100)

    removal.prune(names[-1])

    assert names[-3:] == run_folders.list_runs()


def test_pruning_never_removes_the_run_that_just_ended(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(removal, "KEEP_BYTES", 0)
    older = [f"2026010{day}-120000-aaaa" for day in (1, 2)]
    for name in (*older, "20250101-120000-aaaa"):
        make_run(home, name, hours=100)

    removal.prune("20250101-120000-aaaa")

    assert ["20250101-120000-aaaa"] == run_folders.list_runs()


def test_pruning_leaves_a_run_that_may_still_go_on(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(removal, "KEEP_RUNS", 1)
    make_run(home, "20260101-000000-aaaa", sealed=False, hours=1)
    make_run(home, "20260102-000000-aaaa", sealed=False, hours=25)
    make_run(home, "20260103-000000-aaaa", sealed=True, hours=1)
    make_run(home, "20260104-000000-aaaa")

    removal.prune("20260104-000000-aaaa")

    assert ["20260101-000000-aaaa", "20260104-000000-aaaa"] == run_folders.list_runs()


def test_removing_a_run_follows_no_link(home: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious").touch()
    folder = make_run(home, "20260101-000000-aaaa")
    (folder / "rings").symlink_to(outside)

    removal.remove_run(str(folder))

    assert not folder.exists()
    assert (outside / "precious").exists()


def test_a_run_is_found_by_nothing_by_name_by_beginning_and_by_path(home: Path) -> None:
    older = make_run(home, "20260101-120000-aaaa")
    newer = make_run(home, "20260102-120000-bbbb")

    assert str(newer) == run_folders.find_run(None)
    assert str(older) == run_folders.find_run("20260101-120000-aaaa")
    assert str(older) == run_folders.find_run("20260101")
    assert str(older) == run_folders.find_run(str(older))
    assert str(older) == run_folders.find_run(os.path.relpath(older))


def test_a_name_that_is_the_beginning_of_another_is_not_ambiguous(home: Path) -> None:
    short = make_run(home, "20260101-120000-aaaa")
    make_run(home, "20260101-120000-aaaab")

    assert str(short) == run_folders.find_run("20260101-120000-aaaa")


@pytest.mark.parametrize(
    ("name", "said"), [("2026", "2 runs begin with"), ("1999", "no run"), ("/tmp", "no run")]
)
def test_a_run_that_is_not_one_run_is_refused(home: Path, name: str, said: str) -> None:
    make_run(home, "20260101-120000-aaaa")
    make_run(home, "20260102-120000-bbbb")

    with pytest.raises(NothingRecorded) as refused:
        run_folders.find_run(name)

    assert said in refused.value.message
    assert 2 == refused.value.exit_code


def test_where_nothing_ran_nothing_is_found(home: Path) -> None:
    with pytest.raises(NothingRecorded):
        run_folders.find_run(None)

    assert [] == run_folders.list_runs()


class Clock(Flight):
    """A flight whose hours pass at once."""

    now = 0.0

    def elapsed(self) -> float:
        return self.now


class Still:
    """A program in which nothing happens."""

    pid = 1
    groups = ()
    family: frozenset[int] = frozenset()

    def sample(self) -> dict[str, Any]:
        row = ["/sys/fs/cgroup/memory/docker/" + "a" * 64, 1, 10**10, 10**11, 0, 0]
        return {"kind": "sample", "rss": 10**10, "vm": 10**11, "threads": 99, "groups": [row, row]}

    def members(self) -> frozenset[int]:
        return frozenset(range(1, 100))

    def nearness(self, sample: dict[str, Any]) -> float:
        return 0.0


def test_a_week_of_samples_fits_in_a_few_megabytes(tmp_path: Path) -> None:
    baseline = Baseline(Host(str(tmp_path)))
    flight = Clock(Host(str(tmp_path)), baseline, ["python"], str(tmp_path), None)
    flight._sampler = Still()  # type: ignore[assignment]
    looks = SAMPLES_PER_OCTAVE * 20

    for _ in range(looks):
        flight.now += flight.seconds_to_next()
        flight.sample_if_due()

    path = str(tmp_path / run_folders.LOG_NAME)
    written = [frame.payload["at"] for frame in read_frames(path)]
    assert "" == flight.trouble
    octaves = math.log2(looks / SAMPLES_PER_OCTAVE) + 1
    assert SAMPLES_PER_OCTAVE * (octaves - 2) <= len(written) <= SAMPLES_PER_OCTAVE * octaves
    assert written == sorted(written)
    gaps = [after - before for before, after in itertools.pairwise(written)]
    assert gaps[-1] >= 8 * gaps[0], "the distance between samples grows"
    week = 7 * 86_400 / 0.05  # even if every look were an urgent one
    octaves_of_a_week = math.log2(week / SAMPLES_PER_OCTAVE) + 1
    bytes_of_one = os.path.getsize(path) / len(written)
    assert bytes_of_one * SAMPLES_PER_OCTAVE * octaves_of_a_week < 10_000_000


def test_the_last_minutes_are_kept_at_full_rate(tmp_path: Path) -> None:
    baseline = Baseline(Host(str(tmp_path)))
    flight = Clock(Host(str(tmp_path)), baseline, ["python"], str(tmp_path), None)
    flight.program_started(os.getpid(), ["python"])
    flight._sampler = Still()  # type: ignore[assignment]
    for _ in range(SAMPLES_PER_OCTAVE * 8):
        flight.now += flight.seconds_to_next()
        flight.sample_if_due()

    flight.program_is_dead(None)
    flight.program_ended(SimpleNamespace(signal=None, exit_code=0, core=False, usage=None))

    frames = [frame.payload for frame in read_frames(str(tmp_path / run_folders.LOG_NAME))]
    taken = sorted(frame["at"] for frame in frames if frame["kind"] == "sample")
    assert len(taken) == len(set(taken)), "none is written twice"
    last = taken[-500:]
    assert {0.5} == {round(after - before, 3) for before, after in itertools.pairwise(last)}

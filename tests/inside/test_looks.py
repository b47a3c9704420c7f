"""What the looks into a process mean: pictures by their first bytes, modules on the shelf, where the growth went."""

from __future__ import annotations

import struct
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from made_evidence import MB, PID, ask, evidence
from outlive.data.formats.image_headers import size_in
from outlive.inside.memory import census
from outlive.inside.memory.meter import arenas
from outlive.inside.start import shelf
from outlive.model.events import OomLine, Thrown
from outlive.model.evidence import Evidence
from outlive.model.findings import Confidence, Place
from outlive.model.memory import Buffered, Growth, Holder, Stage, Traced
from outlive.model.memory_looks import (
    GrowingGraph,
    Ledger,
    Looks,
    NarrowArray,
    Picture,
    Tape,
    WideArray,
)

HERE = Place("train.py", 12, "main", "step()")


# --- the size of a picture

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">IIBBBBB", 640, 480, 8, 6, 0, 0, 0)
FRAME = b"\xff\xc2\0\x11\x08" + struct.pack(">HH", 480, 640) + b"\x03" + b"\0" * 9
EXIF = b"\xff\xe1" + struct.pack(">H", 6000) + b"x" * 5998
BMP = b"BM" + b"\0" * 16 + struct.pack("<ii", 640, -480)
VP8X = (
    b"RIFF\0\0\0\0WEBPVP8X" + b"\0" * 8 + (639).to_bytes(3, "little") + (479).to_bytes(3, "little")
)


@pytest.mark.parametrize(
    ("data", "channels"),
    [
        (PNG, 4),
        (b"\xff\xd8" + EXIF + b"\xff\xff" + FRAME, 3),
        (b"GIF89a" + struct.pack("<HH", 640, 480), 3),
        (BMP, 3),
        (VP8X, 4),
    ],
    ids=["png", "jpeg", "gif", "bmp", "webp"],
)
def test_a_picture_tells_its_size_in_its_first_bytes(data: bytes, channels: int) -> None:
    assert (640, 480, channels) == size_in(data + b"\0" * 64)


@pytest.mark.parametrize("data", [b"", b"\xff\xd8", PNG[:20], b"BM", b"hello" * 9, VP8X[:20]])
def test_what_is_no_picture_has_no_size(data: bytes) -> None:
    assert size_in(data) is None


@given(st.sampled_from([PNG, b"\xff\xd8" + EXIF + FRAME, BMP, VP8X]), st.binary(max_size=40), st.integers(0, 60))  # fmt: skip
def test_a_broken_picture_raises_nothing(data: bytes, noise: bytes, cut: int) -> None:
    size_in(data[:cut] + noise)


# --- the shelf

LOADED = """
import sys
from outlive.inside.memory.census import MODULES
from outlive.inside.start.shelf import Shelf
before = {name for name in sys.modules}
shelf = Shelf(MODULES)
assert not {name for name in sys.modules if name.endswith(MODULES)} - before
module = shelf.load()
assert module.Looker and shelf.load() is module
print(sorted(name for name, (_, compiled) in shelf._read.items() if compiled))
"""


def test_the_shelf_runs_its_modules_only_when_they_are_wanted() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, timeout=60, check=False)  # fmt: skip

    assert 0 == done.returncode, done.stderr


def test_a_module_that_is_missing_leaves_the_shelf_empty() -> None:
    assert shelf.Shelf(("weighing", "no_such_module")).load() is None


def test_a_compiled_module_that_is_stale_is_not_used(tmp_path: Path) -> None:
    source = tmp_path / "late.py"
    source.write_text("value = 1\n")
    compiled = Path(shelf.external.cache_from_source(str(source)))
    compiled.parent.mkdir(exist_ok=True)
    compiled.write_bytes(shelf.external.MAGIC_NUMBER + bytes(12) + b"stale")

    assert (b"value = 1\n", False) == shelf.read(str(source))


# --- when it is looked


def test_a_step_that_takes_and_gives_back_does_not_use_up_the_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.joinpath("limit").symlink_to(f"{1000 * MB} 0")
    watch: Any = census.Census(None, str(tmp_path), bool, None)  # type: ignore[arg-type]
    looks: list[int] = []
    watch._looker = SimpleNamespace(look=lambda rss, limit, used: looks.append(rss // MB))

    for valley in range(300, 700, 3):
        for part in range(0, 300, 20):
            rss = (valley + part) * MB
            monkeypatch.setattr(census, "private_bytes", lambda rss=rss: rss)
            watch.consider(rss)

    assert looks[-1] >= 930, "the last moments are seen"
    assert len(looks) <= 25


def test_memory_that_is_given_back_and_stays_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.joinpath("limit").symlink_to(f"{1000 * MB} 0")
    watch: Any = census.Census(None, str(tmp_path), bool, None)  # type: ignore[arg-type]
    looks: list[int] = []
    watch._looker = SimpleNamespace(look=lambda rss, limit, used: looks.append(rss // MB))
    monkeypatch.setattr(census, "private_bytes", lambda: 700 * MB)
    for free in (0, 5, 5, 400, 410, 410):
        monkeypatch.setattr(census, "heap", lambda free=free: (700 * MB, free * MB, 0, 0))
        watch._holes_due = 0.0
        watch.consider(700 * MB)

    assert [700, 700] == looks, "when it was full, and when it was full of holes"


# --- what the looks prove

LEDGER = Ledger(500 * MB, 1000 * MB, 0, 400 * MB, 5 * MB, 0, 0, 100 * MB)


def killed(looks: Looks, **known: Any) -> Evidence:
    return evidence(
        "SIGKILL",
        oom_lines=(OomLine(PID, False, "/job"),),
        looks={PID: looks},
        lines={PID: Growth(HERE, 1.0, 400 * MB, 3.0)},
        facts={"memory limit": 1000 * MB},
        **known,
    )


def grown(**fields: Any) -> Looks:
    last = replace(LEDGER, **{"own_bytes": 900 * MB, "heap_used_bytes": 800 * MB, **fields})
    return Looks(ledgers=(LEDGER, last))


@pytest.mark.parametrize(
    ("fields", "leaks"),
    [
        ({}, True),
        ({"python_bytes": 450 * MB}, False),
        ({"tensor_bytes": 350 * MB}, False),
        ({"heap_free_bytes": 300 * MB}, False),
        ({"heap_used_bytes": 450 * MB}, False),
        ({"large_bytes": 400 * MB, "large_blocks": 2}, False),
        ({"large_bytes": 400 * MB, "large_blocks": 900}, True),
        ({"own_bytes": 550 * MB}, False),
        ({"python_bytes": None}, False),
    ],
    ids=[
        "nothing else", "python's", "tensorflow's", "free", "touched late", "two arrays",
        "many blocks", "hardly grown", "not counted",
    ],
)  # fmt: skip
def test_a_leak_is_native_when_nothing_else_accounts_for_it(
    fields: dict[str, Any], leaks: bool
) -> None:
    assert leaks == bool(ask("native-leak", killed(grown(**fields))))


def test_a_native_leak_names_what_the_line_calls() -> None:
    looks = replace(grown(), callees={"connection": "sqlite3.Connection"})

    (finding,) = ask("native-leak", killed(looks))

    assert "`connection` (sqlite3.Connection)" in finding.says
    assert HERE == finding.where


@pytest.mark.parametrize(
    ("told", "holes"), [((20, 500), True), ((500, 20), False), ((None, None), False)]
)
def test_holes_between_pythons_small_objects_count_though_new_blocks_are_not_yet_filled(
    told: tuple[int | None, int | None], holes: bool
) -> None:
    used, free = (part * MB if part is not None else None for part in told)
    last = replace(LEDGER, own_bytes=700 * MB, heap_used_bytes=600 * MB, heap_free_bytes=5 * MB)
    last = replace(last, arena_used_bytes=used, arena_free_bytes=free)

    findings = ask("fragmented-heap", killed(Looks(ledgers=(last,))))

    assert holes == bool(findings)
    assert not holes or "Python's allocator of small objects" in findings[0].says


def test_pythons_allocator_tells_of_the_holes_between_its_objects() -> None:
    before = arenas()
    made = [(number, str(number), float(number)) for number in range(200_000)]
    kept = made[::1000]
    full = arenas()
    del made
    after = arenas()

    assert before is not None and full is not None and after is not None and kept
    assert full[0] > before[0] + 20 * MB
    assert after[1] > full[1] + 20 * MB


@pytest.mark.parametrize(
    ("free", "used", "holes"), [(500, 300, True), (300, 300, False), (500, 800, False)]
)
def test_a_heap_has_holes_when_much_of_the_memory_lies_free_in_it(
    free: int, used: int, holes: bool
) -> None:
    last = replace(LEDGER, own_bytes=900 * MB, heap_used_bytes=used * MB, heap_free_bytes=free * MB)

    assert holes == bool(ask("fragmented-heap", killed(Looks(ledgers=(last,)))))


@pytest.mark.parametrize(
    ("share", "free", "sure"),
    [
        (0.35, 500, Confidence.POSSIBLE),
        (0.35, 5, Confidence.LIKELY),
        (0.55, 500, Confidence.PROVEN),
    ],
    ids=["less than the holes", "no holes", "most of it"],
)
def test_a_list_that_kept_less_than_lies_free_is_a_passenger(
    share: float, free: int, sure: Confidence
) -> None:
    last = replace(LEDGER, own_bytes=900 * MB, heap_used_bytes=100 * MB, arena_free_bytes=free * MB)
    room = Holder(
        "room", "list", 80, int(share * 900) * MB, looks=3, part_of_growth=1.0, share=share
    )

    (finding,) = ask("kept-in-container", killed(Looks(ledgers=(last,)), holders={PID: (room,)}))

    assert sure == finding.confidence


def test_what_a_refused_call_gave_back_is_no_hole() -> None:
    full = replace(LEDGER, own_bytes=900 * MB, heap_used_bytes=800 * MB, heap_free_bytes=5 * MB)
    unwound = replace(full, heap_used_bytes=300 * MB, heap_free_bytes=500 * MB, after_refusal=True)

    assert [] == list(ask("fragmented-heap", killed(Looks(ledgers=(full, unwound)))))


@pytest.mark.parametrize(
    ("first", "last", "grows"), [(1000, 5000, True), (4990, 5000, False), (5000, 5050, False)]
)
def test_a_graph_that_stands_still_is_not_accused(first: int, last: int, grows: bool) -> None:
    looks = Looks(ledgers=(LEDGER,), graphs=(GrowingGraph("graph", last, first, place=HERE),))

    assert grows == bool(ask("graph-grows", killed(looks)))


TAPE = Tape("tape", HERE, looks=5, of_looks=5, around_a_loop=True, tensors_grown_bytes=350 * MB)


@pytest.mark.parametrize(
    ("tape", "accused"),
    [
        (TAPE, True),
        (replace(TAPE, looks=1), False),
        (replace(TAPE, around_a_loop=False), False),
        (replace(TAPE, tensors_grown_bytes=5 * MB), False),
        (replace(TAPE, tensors_grown_bytes=None), True),
        (Tape("tapes", HERE, kept=90, first_kept=20), True),
        (Tape("tapes", HERE, kept=90, first_kept=90), False),
    ],
    ids=["open", "one step", "no loop", "others grew", "not counted", "kept", "as many as before"],
)
def test_a_tape_is_accused_when_it_spans_the_growth(tape: Tape, accused: bool) -> None:
    looks = replace(grown(), tapes=(tape,))

    assert accused == bool(ask("tape-kept-open", killed(looks)))


def test_an_array_is_too_wide_only_when_a_good_part_of_the_limit_would_be_saved() -> None:
    array = WideArray("x", "float64", "(9, 9)", 800 * MB, "uint8", 400 * MB, "why", HERE)
    small = replace(array, bytes=80 * MB, would_be_bytes=40 * MB)

    assert ask("widened-dtype", killed(replace(grown(), arrays=(array,))))
    assert [] == ask("widened-dtype", killed(replace(grown(), arrays=(small,))))


@pytest.mark.parametrize(
    ("dtype", "shape", "wide"),
    [("float64", "(10, 20)", True), ("float32", "(10, 20)", False), ("float64", "(10, 30)", False)],
)
def test_a_refused_array_is_too_wide_when_its_twin_is_narrow(
    dtype: str, shape: str, wide: bool
) -> None:
    words = f"Unable to allocate 4.00 GiB for an array with shape {shape} and data type {dtype}"
    looks = Looks(
        ledgers=(LEDGER,), narrow=(NarrowArray("pictures", "uint8", "(10, 20)", 500 * MB),)
    )
    view = evidence(
        1,
        thrown=(Thrown("MemoryError", words, (HERE,), pid=PID),),
        looks={PID: looks},
        facts={"machine memory": 8000 * MB},
    )

    assert wide == bool(ask("widened-dtype", view))


@pytest.mark.parametrize(("weight", "told"), [(90 * MB, True), (MB, False)])
def test_a_graph_that_grows_by_few_heavy_operations_is_told(weight: int, told: bool) -> None:
    looks = replace(grown(), graphs=(GrowingGraph("graph", 290, 220, weight),))

    assert told == bool(ask("graph-grows", killed(looks)))


def test_a_picture_is_too_large_only_beside_the_limit() -> None:
    for side, large in ((20_000, True), (2_000, False)):
        looks = replace(grown(), pictures=(Picture("/data/a.png", side, side, 3),))

        found = ask("oversized-image", killed(looks))

        assert large == bool(found)
        assert all("/data" not in finding.says for finding in found), "the folder is private"


@pytest.mark.parametrize(
    ("share", "buffer", "told"),
    [
        (0.7, -1, "proven"),
        (0.45, -1, "likely"),
        (0.3, -1, None),
        (0.3, 9000, "likely"),
        (0.05, 9000, None),
    ],
    ids=["counted", "a part", "a small part", "may hold more than there is", "nearly empty"],
)
def test_a_stage_is_judged_by_what_it_held(share: float, buffer: int, told: str | None) -> None:
    held = Buffered("cache", 100, int(share * 900 * MB), share)
    stage = Stage("cache", HERE, buffer, None, None, PID, held)
    view = killed(Looks(ledgers=(Ledger(900 * MB, 1000 * MB),)), stages=(stage,))

    assert told == next((one.confidence.name.lower() for one in ask("cache-in-memory", view)), None)


def test_a_retraced_function_is_told_with_the_argument_that_differs() -> None:
    traced = Traced("step", 90, 30, HERE, "rate", ("float 0.1", "float 0.2"))

    (finding,) = ask("function-retraced", killed(Looks(), traced={PID: (traced,)}))

    assert "`rate` was new each time (float 0.1, float 0.2)" in finding.says


@pytest.mark.parametrize(
    ("count", "looks", "rises", "told"),
    [(9, 5, 4, True), (9, 5, 3, False), (9, 3, 2, False), (4, 5, 4, False)],
    ids=["at each step", "not at each", "few looks", "few traces"],
)
def test_a_function_with_few_heavy_traces_is_told_when_memory_grew_with_each(
    count: int, looks: int, rises: int, told: bool
) -> None:
    traced = Traced("step", count, 1, HERE, looks=looks, rises=rises, grown_bytes=400 * MB)

    found = ask("function-retraced", killed(Looks(), traced={PID: (traced,)}))

    assert told == bool(found)
    assert all("each added 50.0 MB" in finding.says for finding in found)


@pytest.mark.parametrize(
    "slug", ["graph-grows", "tape-kept-open", "native-leak", "fragmented-heap", "widened-dtype", "oversized-image"]
)  # fmt: skip
def test_nobody_is_accused_of_memory_when_memory_did_not_run_out(slug: str) -> None:
    array = WideArray("x", "float64", "(9, 9)", 800 * MB, "uint8", 400 * MB, "why", HERE)
    looks = replace(
        grown(heap_free_bytes=500 * MB),
        tapes=(TAPE,),
        arrays=(array,),
        graphs=(GrowingGraph("graph", 9000, 1000),),
        pictures=(Picture("a.png", 20_000, 20_000, 3),),
    )

    assert [] == ask(slug, evidence(1, looks={PID: looks}, facts={"memory limit": 1000 * MB}))

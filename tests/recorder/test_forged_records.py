"""Ten thousand records that nobody wrote: each is judged without a failure, in a moment, in little memory.

Some of them always; all of them with ``make harmless`` (OUTLIVE_FORGED gives another number).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import judge_forged as forged
from forged_records import ODD_NUMBERS, ODD_WORDS, Forger, deep, framed
from outlive.inside.notes.format import Frame
from outlive.recorder.store import note_kinds, run_folders
from outlive.recorder.store.field_shapes import MADE_OF, Unfit
from outlive.recorder.store.read_run import read_run

#: Of one record: generous, for a machine that does something else as well. What is measured is the processor's time.
SECONDS = 2.0
MEGABYTES = 200

RECORDS = int(os.environ.get("OUTLIVE_FORGED", "10000"))
ARCHIVES = RECORDS // 5
#: Handed to one child at once.
PART = 250
#: As docs/trust.py calls them.
PARTS = {"record": "forged-records", "archive": "archives"}

TESTS = str(Path(__file__).parent.parent)

odd_values = st.recursive(
    st.sampled_from([*ODD_NUMBERS, *ODD_WORDS, None, True, deep(50)])
    | st.integers()
    | st.floats()
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)  # fmt: skip


@settings(derandomize=True, max_examples=25)
@given(st.integers(0, 2**32))
@example(63)
@example(4)
@example(55)
@example(57)
@example(141)
@example(2557)
def test_a_forged_record_is_judged(number: int) -> None:
    seconds, _ = forged.one("record", number)

    assert seconds <= SECONDS


@settings(derandomize=True, max_examples=30)
@given(st.integers(0, 2**32))
def test_a_forged_archive_is_read_or_refused(number: int) -> None:
    seconds, _ = forged.one("archive", number)

    assert seconds <= SECONDS


@settings(derandomize=True, max_examples=150)
@given(st.sampled_from(sorted(note_kinds.KINDS)), st.integers(0, 2**32), st.data())
def test_any_value_in_any_field_is_fitted_or_left_out(
    kind: str, number: int, data: st.DataObject
) -> None:
    fields = sorted({**note_kinds.COMMON, **note_kinds.KINDS[kind]})
    entry = Forger(number, wrong=0).entry(kind)
    entry[data.draw(st.sampled_from(fields))] = data.draw(odd_values)

    found = note_kinds.fitted([Frame(1, entry)])

    assert 1 == len(found)
    assert found == note_kinds.fitted([Frame(1, found[0])]), "what fits, fits as it is"
    json.dumps(found, allow_nan=False)


@pytest.mark.parametrize("kind", sorted(note_kinds.KINDS))
def test_an_entry_of_every_kind_fits(kind: str) -> None:
    for number in range(20):
        forger = Forger(number, wrong=0)
        (found,) = note_kinds.fitted([Frame(1, forger.entry(kind))])
        assert kind == found["kind"]


def test_an_entry_of_another_version_says_what_every_entry_says() -> None:
    new = {"kind": "invented", "time": 5.0, "pid": 7, "around": [1], "count": 9}

    assert [{"kind": "invented", "time": 5.0, "pid": 7}] == note_kinds.fitted([Frame(1, new)])
    assert 0 == note_kinds.unreadable(note_kinds.fitted([Frame(1, new)]))


def test_null_is_the_same_as_nothing() -> None:
    entry = {"kind": "run", "command": None, "time": None, "folder": "/x"}

    assert [{"kind": "run", "folder": "/x"}] == note_kinds.fitted([Frame(1, entry)])
    (found,) = note_kinds.fitted([Frame(1, {"kind": "census", "address_limit": None, "own": None})])
    assert {"kind": "census", "address_limit": None} == found, "that it was asked is told"


def test_every_shape_can_be_made() -> None:
    for shape in MADE_OF:
        try:
            shape(Forger(1, wrong=0).value(shape))
        except Unfit as error:
            raise AssertionError(f"{MADE_OF[shape]}: {error}") from error


def judged_by_a_child(what: str, first: int, last: int) -> tuple[float, int, int]:
    """The most seconds that one took, which one that was, and the most memory of all."""
    words = [sys.executable, f"{TESTS}/helpers/judge_forged.py", what, str(first), str(last)]
    environment = os.environ | {"PYTHONPATH": f"{TESTS}/helpers"}
    done = subprocess.run(words, capture_output=True, text=True, env=environment, timeout=900)
    assert 0 == done.returncode, done.stderr[-3000:]
    seconds, which, megabytes = done.stdout.split()
    return float(seconds), int(which), int(megabytes)


@pytest.mark.parametrize(("what", "count"), [("record", 6), ("archive", 6)])
def test_forged_files_take_little_memory(what: str, count: int) -> None:
    seconds, which, megabytes = judged_by_a_child(what, 1000, 1000 + count)

    assert seconds <= SECONDS, which
    assert megabytes <= MEGABYTES


def parts(count: int) -> list[int]:
    return list(range(0, count, PART))


@pytest.mark.harmless
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("what", "first", "count"),
    [
        *(("record", first, RECORDS) for first in parts(RECORDS)),
        *(("archive", first, ARCHIVES) for first in parts(ARCHIVES)),
    ],
)  # fmt: skip
def test_all_forged_files(what: str, first: int, count: int, record_property: Any) -> None:
    last = min(first + PART, count)
    try:
        seconds, which, megabytes = judged_by_a_child(what, first, last)
    except AssertionError:
        record_property("part", [PARTS[what], {"tried": last - first, "parts with a traceback": 1}])
        raise

    counts = {"tried": last - first, "parts with a traceback": 0}
    most = {"most seconds of CPU": seconds, "most MB": megabytes}
    record_property("part", [PARTS[what], counts | most])
    assert seconds <= SECONDS, which
    assert megabytes <= MEGABYTES


@pytest.mark.parametrize("nested", [False, True])
def test_a_forged_place_of_rings_is_neither_read_nor_changed(tmp_path: Path, nested: bool) -> None:
    """Whoever reads a record masks what was left in clear in its rings, and removes the files that were: only ever in rings of ours."""
    elsewhere = tmp_path / "elsewhere" / ("deeper/still" if nested else "")
    elsewhere.mkdir(parents=True)
    kept = {
        "99999999.native": b"words of mine",
        "99999999-1.fault": b"password = 'a-word-of-mine1'",
    }
    for name, content in kept.items():
        (elsewhere / name).write_bytes(content)
    folder = tmp_path / "20261118-010203-00000aa"
    folder.mkdir()
    start = {"kind": "run", "pid": 1, "rings": str(tmp_path / "elsewhere"), "folder": "/"}
    (folder / run_folders.LOG_NAME).write_bytes(framed([start, {"kind": "exit", "exit_code": 1}]))

    _, rings = read_run(str(folder))

    assert rings is None
    assert kept == {path.name: path.read_bytes() for path in elsewhere.iterdir()}

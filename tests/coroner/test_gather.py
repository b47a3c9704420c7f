"""Evidence from a record: what the notes of the recorder itself come to in the verdict."""

from __future__ import annotations

from pathlib import Path

import pytest

from outlive.coroner.gather.gather import gather
from outlive.inside.notes import kinds
from outlive.inside.notes.format import encode
from outlive.model.fact_names import ADDRESS_SPACE

PID = 7
RUN = {"kind": kinds.RUN, "time": 1000.0, "pid": PID, "command": ["python", "train.py"]}
END = {"kind": kinds.END, "at": 8.0}
EXIT = {"kind": kinds.EXIT, "signal": 15}


def test_the_end_of_a_program_that_outlive_ended_says_so() -> None:
    ended = {"kind": kinds.ENDED_BY_OUTLIVE, "at": 7.9}

    by_outlive, by_others = gather([RUN, ended, END, EXIT], None), gather([RUN, END, EXIT], None)

    assert by_others.run.ending.detail == "ended by SIGTERM after 8.0 s"
    assert (
        by_outlive.run.ending.detail
        == "ended by SIGTERM after 8.0 s (Outlive ended it because it hung)"
    )


@pytest.mark.parametrize(
    ("loaded", "why"),
    [(False, "Outlive's C library could not be loaded"), (True, "C library was not loaded")],
)
def test_the_gap_of_stderr_says_whether_the_library_could_be_loaded(
    tmp_path: Path, loaded: bool, why: str
) -> None:
    process = {"kind": kinds.PROCESS, "time": 1000.1, "pid": PID, "python": "3.12"}
    shim = {"kind": kinds.SHIM, "time": 1000.2, "pid": PID, "loaded": loaded}
    (tmp_path / f"{PID}-1.ring").write_bytes(encode(1, process) + encode(2, shim))

    assert why in gather([RUN, END, EXIT], str(tmp_path)).run.gaps["stderr"]


def test_a_process_that_has_ended_does_not_say_how_much_was_mapped() -> None:
    samples = [
        {"kind": kinds.SAMPLE, "at": float(at), "vm": mapped} for at, mapped in ((1, 500), (2, 0))
    ]

    assert 500 == gather([RUN, *samples, END, EXIT], None).run.fact(ADDRESS_SPACE)
    assert gather([RUN, samples[1], END, EXIT], None).run.fact(ADDRESS_SPACE) is None

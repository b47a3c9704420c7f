"""The kernels of a program that runs notebooks: each has a record of its own within the program's."""

from __future__ import annotations

import os
from dataclasses import replace

from outlive.evidence import Evidence
from outlive.model import EndedBy, Ending, EndingKind
from outlive.observed import Origin
from outlive.record import runs
from outlive.record.format import read_frames
from outlive.record.notebook import notebook_in
from outlive.record.probes import gather


def failed_kernel(outer: Evidence, rings: str | None) -> Evidence | None:
    """What is known of the last kernel that a failed program ran, if that kernel or its last cell failed before it.

    A kernel that died speaks for itself. One that lives on after a cell has raised an exception ends its program all the same (nbclient
    stops there): then that exception is what ended the run.
    """
    if not outer.failed or outer.ending.signal is not None:
        return None
    for folder in reversed(kernel_folders(rings)):
        inner = _evidence(folder)
        if os.path.exists(os.path.join(folder, runs.VERDICT_NAME)):
            return inner
        cells = [cell for cell in inner.cells if not cell.silent]
        error = cells[-1].error if cells else None
        if error is None:
            return None
        ending = Ending(
            EndingKind.EXCEPTION,
            None,
            outer.ending.exit_code,
            EndedBy.ITSELF,
            f"a cell raised {error.type.rpartition('.')[2]}",
        )
        thrown = replace(error, origin=Origin.MAIN, pid=inner.program.pid)
        return replace(inner, ending=ending, errors=(*inner.errors, thrown))
    return None


def kernel_folders(rings: str | None) -> list[str]:
    """The records of a program's kernels, the oldest first."""
    try:
        names = os.listdir(rings) if rings else []
    except OSError:
        return []
    folders = [
        os.path.join(str(rings), name) for name in names if name.startswith(runs.KERNEL_PREFIX)
    ]
    return sorted(folders, key=lambda folder: os.stat(folder).st_ctime)


def cells_in(rings: str | None) -> dict[str, list[str]]:
    """The text of the cells that ran in this run, by their names."""
    places = [rings, *(os.path.join(folder, runs.RINGS_NAME) for folder in kernel_folders(rings))]
    return {
        f"In [{request.count}]": request.code.split("\n")
        for place in places
        for request in notebook_in(place).requests
        if not request.silent
    }


def _evidence(folder: str) -> Evidence:
    try:
        payloads = [frame.payload for frame in read_frames(os.path.join(folder, runs.LOG_NAME))]
    except OSError:
        payloads = []
    return gather(payloads, os.path.join(folder, runs.RINGS_NAME))

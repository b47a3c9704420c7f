"""The kernels of a program that runs notebooks: each has a record of its own within the program's."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from outlive.evidence import Evidence
from outlive.model import EndedBy, Ending, EndingKind
from outlive.observed import Origin
from outlive.record import runs
from outlive.record.format import read_frames
from outlive.record.inspection import inspect_after
from outlive.record.notebook import notebook_in
from outlive.record.probes import gather

#: How the programs that run notebooks speak of their failure, and how a parent speaks of such a program.
OF_NOTEBOOKS = re.compile(
    r"kernel|cell|notebook|papermill|nbclient|CalledProcess|non-zero", re.IGNORECASE
)


def failed_kernel(outer: Evidence, rings: str | None) -> Evidence | None:
    """What is known of the last kernel that a failed program ran, if that kernel or its last cell failed before it.

    A kernel that died speaks for itself. One that lives on after a cell has raised an exception ends its program all the same (nbclient
    stops there): then that exception is what ended the run.
    """
    if not outer.failed or outer.ending.signal is not None or _has_its_own_error(outer):
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
        seen = inspect_after(thrown, inner.scene, inner.scene.folder or inner.program.folder)
        return replace(
            inner,
            ending=ending,
            errors=(*inner.errors, thrown),
            inspection=seen or inner.inspection,
            notebook=cells_on_disk(outer, cells[-1].code),
        )
    return None


def _has_its_own_error(outer: Evidence) -> bool:
    """The program went on after its notebooks and then raised something that speaks neither of them nor of a program that ran one."""
    error = outer.uncaught
    return error is not None and not any(
        OF_NOTEBOOKS.search(f"{thrown.type} {thrown.message}") for thrown in error.chain()
    )


def cells_on_disk(outer: Evidence, running: str) -> tuple[str, ...]:
    """The cells of the notebook that a program was given, in their order: the one that holds the cell which was run last."""
    for word in outer.program.command:
        if not word.endswith(".ipynb"):
            continue
        try:
            with open(os.path.join(outer.program.folder, word), encoding="utf-8") as file:
                cells = json.load(file)["cells"]
            texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        except (OSError, ValueError, KeyError, TypeError):
            continue
        if running in texts:
            return tuple(texts)
    return ()


def kernel_folders(rings: str | None) -> list[str]:
    """The records of a program's kernels, the oldest first."""
    try:
        names = os.listdir(rings) if rings else []
    except OSError:
        return []
    folders = [
        os.path.join(str(rings), name) for name in names if name.startswith(runs.KERNEL_PREFIX)
    ]
    return sorted(folders, key=_began)


def record_about(
    evidence: Evidence, payloads: Sequence[dict[str, Any]], rings: str | None
) -> tuple[Sequence[dict[str, Any]], str | None]:
    """The record that the evidence comes from: a kernel's within the program's, or the program's own."""
    for folder in kernel_folders(rings):
        inner = _payloads(folder)
        pids = {it.get("pid") for it in inner if it.get("kind") == "run"}
        if pids & evidence.program.own_pids:
            return inner, os.path.join(folder, runs.RINGS_NAME)
    return payloads, rings


def _began(folder: str) -> float:
    return next((float(it["time"]) for it in _payloads(folder) if it.get("kind") == "run"), 0.0)


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
    return gather(_payloads(folder), os.path.join(folder, runs.RINGS_NAME))


def _payloads(folder: str) -> list[dict[str, Any]]:
    try:
        return [frame.payload for frame in read_frames(os.path.join(folder, runs.LOG_NAME))]
    except OSError:
        return []

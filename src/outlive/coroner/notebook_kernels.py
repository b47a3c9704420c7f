"""The kernels of a program that runs notebooks: each has a record of its own within the program's."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from outlive.coroner.files.inspect import inspect_after
from outlive.coroner.gather.gather import gather
from outlive.coroner.readings.kernel_records import kernel_folders, payloads_of
from outlive.inside.notes import kinds
from outlive.model.events import Origin, Thrown
from outlive.model.evidence import Evidence
from outlive.model.findings import EndedBy, Ending, EndingKind
from outlive.recorder.store import run_folders
from outlive.recorder.store.users_files import text_of

#: How the programs that run notebooks speak of their failure, and how a parent speaks of such a program.
OF_NOTEBOOKS = re.compile(
    r"kernel|cell|notebook|papermill|nbclient|CalledProcess|non-zero", re.IGNORECASE
)


#: How a cell ends that is stopped before it fills the memory: by the brake, or by a request that was refused.
STOPS = ("MemoryBrake", "MemoryError", "ResourceExhaustedError")

#: With its outputs; one of this size takes 0.3 s to read.
LARGEST_NOTEBOOK_BYTES = 30_000_000


def failed_kernel(outer: Evidence, rings: str | None) -> Evidence | None:
    """What is known of the last kernel that a failed program ran, if that kernel or its last cell failed before it.

    A kernel that died speaks for itself. One that lives on after a cell has raised an exception ends its program all the same (nbclient
    stops there): then that exception is what ended the run.
    """
    if not outer.run.failed or outer.run.ending.signal is not None or _has_its_own_error(outer):
        return None
    for folder in reversed(kernel_folders(rings)):
        inner = _evidence(folder)
        if os.path.exists(os.path.join(folder, run_folders.VERDICT_NAME)):
            return inner
        cells = [cell for cell in inner.notebook.cells if not cell.silent]
        error = cells[-1].error if cells else None
        if error is None:
            return None
        raised = f"a cell raised {error.type.rpartition('.')[2]}"
        ended = _ended_by(inner, error, raised, outer.run.ending.exit_code)
        thrown = ended.errors.thrown[-1]
        seen = inspect_after(thrown, inner.scene, inner.scene.folder or inner.run.program.folder)
        return replace(
            ended,
            notebook=replace(inner.notebook, texts=cells_on_disk(outer, cells[-1].code)),
            inspection=seen or inner.inspection,
        )
    return None


def stopped_cell(inner: Evidence) -> Evidence | None:
    """What is known of the last cell that the brake stopped, or that was refused memory, in a kernel that lives; as if that were its end."""
    for cell in reversed(inner.notebook.cells):
        error = cell.error
        if error is not None and not cell.silent and any(map(error.is_a, STOPS)):
            words = f"{cell.name} was stopped near the memory limit; the kernel continues"
            return _ended_by(inner, error, words, None)
    return None


def _ended_by(inner: Evidence, error: Thrown, words: str, code: int | None) -> Evidence:
    """The evidence of a kernel that lives, told as if a cell's error had ended it."""
    ending = Ending(EndingKind.EXCEPTION, None, code, EndedBy.ITSELF, words)
    thrown = replace(error, origin=Origin.MAIN, pid=inner.run.program.pid)
    return replace(
        inner,
        run=replace(inner.run, ending=ending),
        errors=replace(inner.errors, thrown=(*inner.errors.thrown, thrown)),
    )


def _has_its_own_error(outer: Evidence) -> bool:
    """The program went on after its notebooks and then raised something that speaks neither of them nor of a program that ran one."""
    error = outer.errors.uncaught
    return error is not None and not any(
        OF_NOTEBOOKS.search(f"{thrown.type} {thrown.message}") for thrown in error.chain()
    )


def cells_on_disk(outer: Evidence, running: str) -> tuple[str, ...]:
    """The cells of the notebook that a program was given, in their order: the one that holds the cell which was run last."""
    for word in outer.run.program.command:
        if not word.endswith(".ipynb"):
            continue
        try:
            written = text_of(os.path.join(outer.run.program.folder, word), LARGEST_NOTEBOOK_BYTES)
            cells = json.loads(written or "")["cells"]
            texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
        if running in texts:
            return tuple(texts)
    return ()


def record_about(
    evidence: Evidence, payloads: Sequence[dict[str, Any]], rings: str | None
) -> tuple[Sequence[dict[str, Any]], str | None]:
    """The record that the evidence comes from: a kernel's within the program's, or the program's own."""
    for folder in kernel_folders(rings):
        inner = payloads_of(folder)
        pids = {it.get("pid") for it in inner if it.get("kind") == kinds.RUN}
        if pids & evidence.run.program.own_pids:
            return inner, os.path.join(folder, run_folders.RINGS_NAME)
    return payloads, rings


def _evidence(folder: str) -> Evidence:
    return gather(payloads_of(folder), os.path.join(folder, run_folders.RINGS_NAME))

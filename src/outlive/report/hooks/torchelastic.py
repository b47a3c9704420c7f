"""torchrun prints, of the rank that failed first, what lies in the file that TORCHELASTIC_ERROR_FILE names: there goes the verdict.

A program that writes the file itself (`@record`) has said more than torchrun knows, and keeps its words. The time in it is that of the
program's end, so that torchrun's "first observed failure" is the first, though Outlive ended a little later.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping

from outlive.model.findings import EndingKind, Verdict
from outlive.recorder.store import run_folders
from outlive.report.headline import headline

VARIABLE = "TORCHELASTIC_ERROR_FILE"


def tell_torchrun(
    verdict: Verdict, name: str, ended: float, environment: Mapping[str, str]
) -> None:
    """Leave the verdict on a death where torchrun looks for it; ``ended`` is when the program was gone, in seconds since 1970."""
    path = environment.get(VARIABLE)
    if not path or verdict.ending.kind is EndingKind.SUCCESS or os.path.lexists(path):
        return
    if not os.path.isdir(os.path.dirname(path)):
        return  # torchrun makes the folder; what it does not make it does not read
    try:
        run_folders.write_private(path, error_file(verdict, name, ended))
    except OSError:
        pass  # torchrun tells of the exit status, as it does without us


def error_file(verdict: Verdict, name: str, ended: float) -> str:
    """The verdict as torchrun reads it: a message, and what Python would have said."""
    cause = verdict.cause
    says = headline(verdict.ending, name)
    if cause is not None:
        says += f": {cause.says}"
        says += f" ({cause.where})" if cause.where is not None else ""
    where = cause.where if cause is not None else None
    told_by = f"outlive: {says}  More: outlive why {run_folders.last_part(verdict.run)}"
    line = f"\n  {where} in {where.function}\n    {where.code}" if where is not None else ""
    told = {
        "message": {
            "message": told_by,
            "extraInfo": {
                "py_callstack": told_by + line,  # all that torchrun prints of it
                "timestamp": str(int(ended)),
            },
        }
    }
    return json.dumps(told)

"""Whether the handler that caught an exception left at once, as its source code says."""

from __future__ import annotations

from pathlib import Path

import pytest

from outlive.coroner.lines.except_handlers import handler_leaves
from outlive.coroner.readings.readings import Readings
from outlive.model.events import Thrown
from outlive.model.findings import Place

SOURCE = """\
def main():
    try:
        load()
    except {caught}:
        log()
        {then}
    return 0
"""


@pytest.mark.parametrize(
    ("caught", "then", "leaves"),
    [
        ("OSError", "return 1", True),
        ("(KeyError, OSError) as error", "raise SystemExit(2)", True),
        ("Exception", "sys.exit(1)", True),
        ("errors.FileNotFoundError", "return None", True),
        ("Exception", "failed = True", False),
        ("Exception", "if strict: return 1", False),
        ("KeyError", "return 1", False),
    ],
)
def test_a_handler_that_ends_by_leaving_left(
    caught: str, then: str, leaves: bool, tmp_path: Path
) -> None:
    path = tmp_path / "train.py"
    path.write_text(SOURCE.format(caught=caught, then=then))
    bases = ("OSError", "Exception", "BaseException")
    frames = (Place("/lib/io.py", 1, "open", own=False), Place(str(path), 3, "main"))
    error = Thrown("FileNotFoundError", "a.json", frames, bases=bases)

    assert leaves == handler_leaves(Readings([], None), error)

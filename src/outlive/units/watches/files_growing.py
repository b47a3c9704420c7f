"""Open files that grow towards their limit."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.findings import Confidence, Fact, Finding, Remedy
from outlive.model.outlook.forecast import about, filling
from outlive.model.outlook.window import Window
from outlive.units.unit import watch


@watch("W402", since="0.3", prevents=("too-many-open-files",))
def files_growing(window: Window) -> Iterator[Finding]:
    """The program keeps more and more files open, and will reach the limit.

    ## What it sees
    The open descriptors of the program, and its limit for them (`ulimit -n`).

    ## When it speaks
    When the number rises steadily and at least four times as many were opened as are left. Files that are opened at once and kept are silent.

    ## What to do
    Close files, memory maps, readers and sockets (`with open(…)`), or raise the limit.
    """
    last = window.readings[-1] if window.readings else None
    if last is None or last.open_files is None or last.most_files is None:
        return
    points = window.series(lambda reading: reading.open_files)
    rise = filling(points, last.most_files)
    if rise is not None:
        left = last.most_files - last.open_files
        yield Finding(
            f"The program has {last.open_files} files open and will reach the limit of {last.most_files} in {about(rise.seconds_to(left))} at this rate.",
            (Fact("files added", f"{rise.grown:.0f}", "samples of the program"),),
            Confidence.LIKELY,
            (Remedy("Close what is opened (`with open(…)`).", ("ulimit -n 65536",)),),
        )

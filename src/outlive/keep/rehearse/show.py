"""What a rehearsal tells: one screen, or JSON. Colours and the progress bar only on a terminal."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from outlive.keep.rehearse.answer import Answer, Seen, Will, disk_need, pace
from outlive.keep.rehearse.forecast import Shape
from outlive.keep.rehearse.overlay import Overlay
from outlive.keep.rehearse.steps import SECONDS, TURNS
from outlive.keep.rehearse.watch import Watch
from outlive.model.findings import size
from outlive.report.terminal import console_on
from outlive.report.text import visible

COLOURS = {
    Will.LIVE: "bold green",
    Will.DIE: "bold red",
    Will.GROW: "bold red",
    Will.UNKNOWN: "bold yellow",
}

WIDTH_OF_A_LABEL = 9

#: Less growth a step than this is not told.
WORTH_TELLING = 1000.0


@contextmanager
def progress_on(
    stream: Any, seconds: float, steps: int | None
) -> Iterator[Callable[[Watch], None]]:
    """A bar while it runs, on a terminal; elsewhere nothing."""
    console = console_on(stream)
    if not console.is_terminal:
        yield lambda watch: None
        return
    columns = (
        TextColumn("rehearsing"),
        BarColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[memory]}"),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=steps or seconds, memory="")
        began = time.monotonic()

        def tell(watch: Watch) -> None:
            done = watch.steps if steps else time.monotonic() - began
            memory = (
                f"{size(watch.used_bytes)} of {size(watch.limit_bytes)}"
                if watch.limit_bytes
                else ""
            )
            bar.update(task, completed=done, memory=memory)

        yield tell


def show(
    console: Console, command: Sequence[str], seen: Seen, answer: Answer, overlay: Overlay | None
) -> None:
    """One screen."""
    console.print(Text(visible(answer.says)), style=COLOURS[answer.will])
    table = Table.grid(padding=(0, 1))
    table.add_column(style="bold", no_wrap=True, width=WIDTH_OF_A_LABEL)
    table.add_column(overflow="fold")
    for label, text in lines_of(command, seen, overlay):
        table.add_row(f"  {label}", Text(visible(text)))
    console.print(table)


def lines_of(
    command: Sequence[str], seen: Seen, overlay: Overlay | None
) -> Iterator[tuple[str, str]]:
    """The lines below the answer: a label and a text."""
    what = seen.cause or (seen.growing if seen.curve.grows else None)
    if what is not None:
        yield "Why", what.says
        if what.where is not None:
            code = f": {what.where.code}" if what.where.code else ""
            yield "Where", f"{what.where.file}:{what.where.line}{code}"
        if what.remedies:
            yield "Fix", what.remedies[0]
    if seen.curve.grows and seen.curve.each >= WORTH_TELLING:
        curve = seen.curve
        yield (
            "Growth",
            f"{size(curve.each)} a {seen.counted.name} ({size(curve.low)} to {size(curve.high)})",
        )
    yield "Memory", _memory(seen)
    if seen.filling:
        yield "Filling", "; ".join(one.told for one in seen.filling)
    need = disk_need(seen)
    if need is not None and seen.watched.disk_left_bytes is not None:
        yield (
            "Disk",
            (
                f"wrote {size(seen.watched.written[-1].bytes)}, will write about {size(need)} more; {size(seen.watched.disk_left_bytes)} free"
            ),
        )
    yield "Steps", _steps(seen)
    if seen.places:
        yield (
            "Time",
            "; ".join(
                f"{share:.0%} at {file}:{line}{' (waiting for data)' if waits else ''}"
                for file, line, waits, share in seen.places
            ),
        )
    if overlay is not None:
        yield (
            "Files",
            f"unchanged: writes to {os.path.basename(overlay.folder) or '/'} went to an overlay ({overlay.how}), now removed",
        )
    else:
        yield "Files", "not protected (--in-place)"
    yield "Ran", f"{shlex.join(command)} for {seen.watched.seconds:.0f} s"


def _memory(seen: Seen) -> str:
    watched = seen.watched
    if not watched.readings:
        return "it ended before it could be read"
    if not watched.limit_bytes:
        return f"peak {size(watched.peak_bytes)}"
    share = watched.peak_bytes / watched.limit_bytes
    return f"peak {size(watched.peak_bytes)} of {size(watched.limit_bytes)} for the program ({share:.0%}; limit from {watched.source})"


def _steps(seen: Seen) -> str:
    counted, each = seen.counted, pace(seen)
    if counted.what == SECONDS:
        return (
            "none could be counted (no Keras batch, session, dataset or for loop); seconds are used"
        )
    place = (
        f" at {os.path.basename(counted.place[0])}:{counted.place[1]}"
        if counted.what == TURNS and counted.place
        else ""
    )
    told = f"{counted.done:,.0f} {counted.what}{place} counted"
    told += f", {each:.3g} a second" if each else ""
    if counted.total is not None:
        return f"{told}; {counted.total:,.0f} in all ({counted.why})"
    return f"{told}; how many there will be is not known"


def as_data(
    command: Sequence[str], seen: Seen, answer: Answer, overlay: Overlay | None
) -> dict[str, Any]:
    """JSON (schema `outlive.rehearse/1`)."""
    watched, curve, reach = seen.watched, seen.curve, answer.reach
    what = seen.cause or (seen.growing if curve.grows else None)
    where = what.where if what is not None else None
    return {
        "schema": "outlive.rehearse/1",
        "command": list(command),
        "answer": answer.will.value,
        "says": answer.says,
        "seconds": round(watched.seconds, 1),
        "status": watched.status,
        "limit": {"bytes": watched.limit_bytes or None, "source": watched.source},
        "peak_bytes": watched.peak_bytes,
        "steps": {
            "counted": seen.counted.what,
            "line": seen.counted.place[1] if seen.counted.place else None,
            "done": seen.counted.done,
            "total": seen.counted.total,
            "total_from": seen.counted.why,
            "per_second": pace(seen),
        },
        "growth": {
            "shape": curve.shape.value,
            "bytes_per_step": curve.each if curve.shape is not Shape.UNKNOWN else None,
            "low": curve.low,
            "high": curve.high,
            "slug": what.slug if what is not None else None,
            "what": what.says if what is not None else None,
            "file": where.file if where is not None else None,
            "line": where.line if where is not None else None,
        },
        "limit_reached": None
        if reach is None
        else {
            "step": reach.step,
            "earliest": reach.earliest,
            "latest": reach.latest,
            "seconds": answer.seconds,
        },
        "filling": [
            {
                "name": one.name,
                "line": one.line,
                "holds_bytes": one.held_bytes,
                "will_take_bytes": one.left_bytes,
            }
            for one in seen.filling
        ],
        "disk": {
            "written_bytes": watched.written[-1].bytes if watched.written else None,
            "will_write_bytes": disk_need(seen),
            "free_bytes": watched.disk_left_bytes,
        },
        "time": [
            {"file": file, "line": line, "share": share, "waits_for_data": waits}
            for file, line, waits, share in seen.places
        ],
        "files": {"overlay": overlay.how if overlay is not None else None},
    }

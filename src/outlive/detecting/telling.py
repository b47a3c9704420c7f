"""`outlive detect` on the screen: a bar while it goes on, what is in quarantine, a summary; and the two ways to stop it."""

from __future__ import annotations

import json
import shlex
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from types import FrameType
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from outlive.detecting.running import Detection
from outlive.detecting.shrinking import Shrunk
from outlive.enduring import Answer
from outlive.model import size
from outlive.report.text import visible
from outlive.showing import console_on

MOST_SHOWN = 5

#: Where no bar can be shown (a log, a pipe), a line is written this often.
SECONDS_BETWEEN_LINES = 60.0


class Tally:
    """What is told at the end."""

    def __init__(self) -> None:
        self.done = 0
        self.objects = 0
        self.bad: list[Answer] = []  #: the first of them
        self.causes: Counter[str] = Counter()
        self.began = time.monotonic()

    def add(self, answers: Sequence[Answer]) -> None:
        """Count some more."""
        for one in answers:
            if one.good:
                self.done += 1
                self.objects += len(one.value["detections"])
            else:
                self.causes[one.cause] += 1
                if len(self.bad) < MOST_SHOWN:
                    self.bad.append(one)

    @property
    def quarantined(self) -> int:
        """Of this run."""
        return sum(self.causes.values())

    @property
    def seconds(self) -> float:
        """Since the start."""
        return time.monotonic() - self.began


def follow(detection: Detection, command: Sequence[str], as_json: bool) -> int:
    """Run a job to its end, or to where it is stopped; the exit status."""
    tally = Tally()
    total = detection.count()
    with _stoppable(detection.job.stop) as stopped:
        _watch(detection, tally, total)
    path = detection.finish()
    answered = tally.done + tally.quarantined + detection.done_before
    whole = answered >= total
    quarantined = tally.quarantined + detection.quarantined_before
    if as_json:
        print(json.dumps(_summary(detection, tally, total, whole, path), indent=1))
    else:
        _tell(detection, tally, total, whole, path, command)
    if stopped:
        return 130
    return 1 if quarantined else 0


def _watch(detection: Detection, tally: Tally, total: int) -> None:
    console = console_on(sys.stderr)
    columns = (
        TextColumn("detecting"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[memory]}"),
        TextColumn("[red]{task.fields[bad]}"),
    )
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task(
            "", total=total, completed=detection.done_before, rate="", memory="loading …", bad=""
        )
        told: set[str] = set()
        written = time.monotonic()
        for answers in detection.answers():
            tally.add(answers)
            progress = detection.job.progress
            for note in progress.facts.get("notes", ()):
                if note not in told:
                    told.add(note)
                    console.print(Text(f"outlive: {note}.", "dim"))
            known = tally.done + tally.quarantined
            if not console.is_terminal and time.monotonic() - written > SECONDS_BETWEEN_LINES:
                written = time.monotonic()
                console.print(Text(progress_line(tally, detection.done_before, total)))
            budget = f" of {size(progress.budget_bytes)}" if progress.budget_bytes else ""
            bar.update(
                task,
                completed=detection.done_before + known,
                rate=f"{known / max(tally.seconds, 0.001):.1f}/s" if known else "",
                memory=f"{size(progress.used_bytes)}{budget}" if progress.facts else "loading …",
                bad=f"{tally.quarantined} quarantined" if tally.quarantined else "",
            )


def progress_line(tally: Tally, before: int, total: int) -> str:
    """How far it is, for a log."""
    known = tally.done + tally.quarantined
    rate = known / max(tally.seconds, 0.001)
    text = f"outlive: {before + known} of {total}, {rate:.1f}/s"
    if known:
        text += f", about {(total - before - known) / rate / 60:.0f} min left"
    return text + (f", {tally.quarantined} quarantined" if tally.quarantined else "")


@contextmanager
def _stoppable(stop: Callable[[], None]) -> Iterator[list[int]]:
    """Ctrl-C finishes what is handed out; a second one stops at once. The list says what came."""
    came: list[int] = []

    def handle(number: int, frame: FrameType | None) -> None:
        came.append(number)
        stop()

    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.signal(number, handle) for number in numbers}
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _summary(
    detection: Detection, tally: Tally, total: int, whole: bool, path: str | None
) -> dict[str, Any]:
    progress = detection.job.progress
    return {
        "schema": "outlive.detect/1",
        "inputs": total,
        "done": tally.done,
        "done_before": detection.done_before - detection.quarantined_before,
        "objects": tally.objects,
        "quarantined": tally.quarantined + detection.quarantined_before,
        "causes": dict(tally.causes),
        "finished": whole,
        "results": path,
        "sheet": detection.sheet,
        "seconds": round(tally.seconds, 2),
        "worker_deaths": progress.deaths,
        "batch": progress.size,
        "budget_bytes": progress.budget_bytes,
        "peak_bytes": progress.peak_bytes,
        "own_control_group": progress.isolated,
    }


def _tell(
    detection: Detection,
    tally: Tally,
    total: int,
    whole: bool,
    path: str | None,
    command: Sequence[str],
) -> None:
    console = console_on(sys.stdout)
    for one in tally.bad:
        line = Text(f"quarantined: {visible(one.name)}  [{one.cause}]\n", "yellow")
        line.append(f"  {visible(one.says)}", "not yellow")
        console.print(line, soft_wrap=True)
    if tally.quarantined > len(tally.bad) and detection.journal is not None:
        more = tally.quarantined - len(tally.bad)
        console.print(
            Text(f"… and {more} more: {detection.journal.folder}/quarantine.jsonl", "dim")
        )
    rate = tally.done / max(tally.seconds, 0.001)
    text = f"{tally.done} of {total} done, {tally.objects} objects, {rate:.1f} pictures/s"
    if detection.done_before:
        text += f", {detection.done_before} were done before"
    if tally.quarantined:
        text += f", {tally.quarantined} quarantined"
    deaths = detection.job.progress.deaths
    if deaths:
        text += f"; the worker died {deaths} times and was replaced"
    console.print(Text(f"{text}.", "bold"), soft_wrap=True)
    if path is not None:
        console.print(Text(f"Results: {path}"), soft_wrap=True)
    if detection.sheet is not None:
        console.print(Text(f"The best on one sheet: {detection.sheet}"), soft_wrap=True)
    if not whole:
        again = [*command, *(() if "--resume" in command else ("--resume",))]
        console.print(
            Text(f"Not finished. Go on with:  {shlex.join(again)}", "yellow"), soft_wrap=True
        )


def tell_shrunk(shrunk: Shrunk, as_json: bool) -> None:
    """What a conversion has brought."""
    if as_json:
        print(json.dumps({"schema": "outlive.shrunk/1", **asdict(shrunk)}, indent=1))
        return
    before, after = shrunk.before, shrunk.after
    table = Table(box=None, pad_edge=False)
    for name in ("", "before", "after", ""):
        table.add_column(name, justify="left" if not name else "right")
    rows = (
        ("size", size(before.bytes), size(after.bytes), before.bytes / max(1, after.bytes)),
        ("peak memory", size(before.peak_bytes), size(after.peak_bytes), before.peak_bytes / max(1, after.peak_bytes)),
        ("time for a picture", f"{before.seconds * 1e3:.1f} ms", f"{after.seconds * 1e3:.1f} ms", before.seconds / max(1e-9, after.seconds)),
    )  # fmt: skip
    for what, old, new, ratio in rows:
        table.add_row(what, old, new, f"{ratio:.1f}×")
    console = console_on(sys.stdout)
    console.print(table)
    console.print(
        Text(
            f"Largest difference of a score: {shrunk.largest_difference:.6f} (let through: {shrunk.tolerance}), "
            f"on {shrunk.objects} objects in {shrunk.samples} pictures."
        ),
        soft_wrap=True,
    )
    console.print(Text(f"Written: {shrunk.path}", "bold"), soft_wrap=True)

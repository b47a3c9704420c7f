"""`outlive detect` on the screen: a progress bar, what is in quarantine, a summary; and the two ways to stop it."""

from __future__ import annotations

import json
import os
import shlex
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any, Protocol

from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar
from rich.table import Table
from rich.text import Text

from outlive.detection.models.shrink import Shrunk
from outlive.jobs.endure import QUARANTINE_NAME, Answer
from outlive.jobs.executor import Executor, Progress
from outlive.jobs.stop_signals import stoppable
from outlive.model.findings import size
from outlive.report.terminal import console_on
from outlive.report.text import visible

MOST_SHOWN = 5

#: Where no bar can be shown (a log, a pipe), a line is written this often.
SECONDS_BETWEEN_LINES = 60.0


class Watched(Protocol):
    """A job that goes on: on this machine, as one shard of several, or on many machines."""

    sheet: str | None
    done_before: int
    quarantined_before: int

    @property
    def job(self) -> Executor:
        """Who does the work."""

    @property
    def total(self) -> int | None:
        """How many inputs there are; not known while they are still being listed."""

    @property
    def merged_later(self) -> bool:
        """Whether it is a part of a job, whose results are made when all parts have finished."""

    @property
    def folder(self) -> str | None:
        """Where it keeps what it finds."""

    @property
    def resume_words(self) -> tuple[str, ...]:
        """What has to be added to the command to go on."""

    def answers(self) -> Iterator[Sequence[Answer]]:
        """As they are safe; sometimes none."""

    def is_whole(self, answered: int) -> bool:
        """Whether nothing is left to do."""

    def finish(self) -> str | None:
        """Make the results; the path of the file."""


class Tally:
    """What is told at the end."""

    def __init__(self) -> None:
        self.done = 0
        self.objects = 0
        self.bad: list[Answer] = []  #: the first of them
        self.causes: Counter[str] = Counter()
        self.began = time.monotonic()

    def add(self, answers: Sequence[Answer]) -> None:
        """Count these answers: pictures done, objects found, causes of those in quarantine."""
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
        """How many pictures went to quarantine in this run."""
        return sum(self.causes.values())

    @property
    def seconds(self) -> float:
        """How long this run has been going on."""
        return time.monotonic() - self.began


def follow(detection: Watched, command: Sequence[str], as_json: bool) -> int:
    """Run a job to its end, or to where it is stopped; the exit status."""
    tally = Tally()
    with stoppable(detection.job.stop, signal.SIGINT, signal.SIGTERM) as stopped:
        _watch(detection, tally)
    path = detection.finish()
    answered = tally.done + tally.quarantined + detection.done_before
    whole = detection.is_whole(answered)
    quarantined = tally.quarantined + detection.quarantined_before
    if as_json:
        print(json.dumps(_summary(detection, tally, whole, path), indent=1))
    else:
        _tell(detection, tally, whole, path, command)
    if stopped:
        return 130
    return 1 if quarantined and not detection.merged_later else 0


def _watch(detection: Watched, tally: Tally) -> None:
    console = console_on(sys.stderr)
    columns = (
        TextColumn("detecting"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[where]}"),
        TextColumn("{task.fields[memory]}"),
        TextColumn("[red]{task.fields[bad]}"),
        TextColumn("[yellow]{task.fields[slow]}"),
    )
    with Bar(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(
            "",
            total=detection.total,
            completed=detection.done_before,
            rate="",
            where="",
            slow="",
            memory="loading …",
            bad="",
        )
        told: set[str] = set()
        written = time.monotonic()
        for answers in detection.answers():
            tally.add(answers)
            progress = detection.job.progress
            for note in progress.facts.get("notes", ()):
                if note not in told:
                    told.add(note)
                    console.print(Text(f"outlive: {visible(note)}.", "dim"))
            known = tally.done + tally.quarantined
            if not console.is_terminal and time.monotonic() - written > SECONDS_BETWEEN_LINES:
                written = time.monotonic()
                line = progress_line(tally, detection.done_before, detection.total, progress)
                console.print(Text(line))
            budget = f" of {size(progress.budget_bytes)}" if progress.budget_bytes else ""
            bar.update(
                task,
                total=detection.total,
                completed=detection.done_before + known,
                where=where(progress),
                rate=f"{known / max(tally.seconds, 0.001):.1f}/s" if known else "",
                memory=f"{size(progress.used_bytes)}{budget}" if progress.facts else "loading …",
                bad=f"{tally.quarantined} quarantined" if tally.quarantined else "",
                slow=escape(in_hand(progress)),
            )


def in_hand(progress: Progress) -> str:
    """Name the picture that takes long, and for how long it has."""
    if not progress.in_hand:
        return ""
    name = os.path.basename(str(progress.in_hand[0]["name"]))
    more = f" and {len(progress.in_hand) - 1} more" if len(progress.in_hand) > 1 else ""
    return f"{visible(name)}{more}: {progress.in_hand_seconds:.0f} s"


def where(progress: Progress) -> str:
    """On how many machines it goes on, and how many were lost."""
    if not progress.nodes:
        return ""
    text = f"{progress.nodes} {'node' if progress.nodes == 1 else 'nodes'}"
    return text + (f", {progress.lost_nodes} lost" if progress.lost_nodes else "")


def progress_line(tally: Tally, before: int, total: int | None, progress: Progress) -> str:
    """How far it is, for a log."""
    known = tally.done + tally.quarantined
    rate = known / max(tally.seconds, 0.001)
    text = f"outlive: {before + known} of {'?' if total is None else total}, {rate:.1f}/s"
    if known and total is not None:
        text += f", about {(total - before - known) / rate / 60:.0f} min left"
    text += f", {where(progress)}" if progress.nodes else ""
    return text + (f", {tally.quarantined} quarantined" if tally.quarantined else "")


def _summary(detection: Watched, tally: Tally, whole: bool, path: str | None) -> dict[str, Any]:
    progress = detection.job.progress
    return {
        "schema": "outlive.detect/1",
        "inputs": detection.total,
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
        **({"nodes": progress.nodes, "lost_nodes": progress.lost_nodes} if progress.nodes else {}),
    }


def _tell(
    detection: Watched,
    tally: Tally,
    whole: bool,
    path: str | None,
    command: Sequence[str],
) -> None:
    console = console_on(sys.stdout)
    for one in tally.bad:
        line = Text(f"quarantined: {visible(one.name)}  [{one.cause}]\n", "yellow")
        line.append(f"  {visible(one.says)}", "not yellow")
        console.print(line, soft_wrap=True)
    if tally.quarantined > len(tally.bad) and detection.folder is not None:
        more = tally.quarantined - len(tally.bad)
        console.print(
            Text(f"… and {more} more: {visible(detection.folder)}/quarantine.jsonl", "dim")
        )
    rate = tally.done / max(tally.seconds, 0.001)
    total = "" if detection.total is None or detection.merged_later else f" of {detection.total}"
    text = f"{tally.done}{total} done, {tally.objects} objects, {rate:.1f} pictures/s"
    done_before = detection.done_before - detection.quarantined_before
    if done_before:
        text += f", {done_before} done earlier"
    if tally.quarantined:
        text += f", {tally.quarantined} quarantined"
    if detection.quarantined_before:
        text += f", {detection.quarantined_before} quarantined earlier"
    deaths = detection.job.progress.deaths
    if deaths:
        text += f"; the worker died {'once' if deaths == 1 else f'{deaths} times'} and was replaced"
    console.print(Text(f"{text}.", "bold"), soft_wrap=True)
    if detection.quarantined_before and detection.folder is not None:
        reasons = os.path.join(detection.folder, QUARANTINE_NAME)
        console.print(Text(f"Quarantined: {visible(reasons)}"), soft_wrap=True)
    if path is not None:
        console.print(Text(f"Results: {visible(path)}"), soft_wrap=True)
    if detection.sheet is not None:
        console.print(Text(f"Contact sheet: {visible(detection.sheet)}"), soft_wrap=True)
    if not whole:
        again = [*command, *(one for one in detection.resume_words if one not in command)]
        console.print(
            Text(f"Not finished. Resume with:  {visible(shlex.join(again))}", "yellow"),
            soft_wrap=True,
        )
    elif detection.merged_later:
        merging = shlex.join(["outlive", "detect", "--merge", detection.folder or ""])
        console.print(
            Text(f"This shard has finished. When all have:  {visible(merging)}"), soft_wrap=True
        )


def tell_shrunk(shrunk: Shrunk, as_json: bool) -> None:
    """Show what a conversion has saved, and how far its scores differ."""
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
        ("time per picture", f"{before.seconds * 1e3:.1f} ms", f"{after.seconds * 1e3:.1f} ms", before.seconds / max(1e-9, after.seconds)),
    )  # fmt: skip
    for what, old, new, ratio in rows:
        table.add_row(what, old, new, f"{ratio:.1f}×")
    console = console_on(sys.stdout)
    console.print(table)
    console.print(
        Text(
            f"Largest score difference: {shrunk.largest_difference:.6f} (tolerance {shrunk.tolerance}) "
            f"over {shrunk.objects} objects in {shrunk.samples} pictures."
        ),
        soft_wrap=True,
    )
    console.print(Text(f"Written: {visible(shrunk.path)}", "bold"), soft_wrap=True)
